"""CUDA graphs: the kernels of compiled code, recorded once and from then on started by a single call.

The CPU needs some microseconds to start a kernel, which is more than many kernels take on the GPU.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

import torch

from torchspore.engine.capture.recording.dead_code import is_exchange

__all__ = ["Replayed", "can_replay"]

_MAX_RECORDINGS = 8  # of one graph; a program whose parameters keep moving gains nothing

_log = logging.getLogger(__name__)

_Run = Callable[[list[torch.Tensor]], list[torch.Tensor]]


def can_replay(graph: torch.fx.Graph, inputs: Sequence[torch.Tensor]) -> bool:
    """Return whether the kernels of a graph can be recorded.

    That needs inputs on one GPU, no work on the CPU, which would run at the recording only, no exchange with other
    processes, and no inputs that share memory: one of them may be copied before another is written.
    """
    devices = {value.device for value in inputs}
    if len(devices) != 1 or next(iter(devices)).type != "cuda":
        return False
    memory = [place for place in map(_memory, inputs) if place]
    return len(set(memory)) == len(memory) and not any(map(_keeps_the_cpu_busy, graph.nodes))


def _memory(value: torch.Tensor) -> int:
    """Return where a tensor's memory begins, 0 if it has none."""
    return value.untyped_storage().data_ptr()


def _keeps_the_cpu_busy(node: torch.fx.Node) -> bool:
    if node.op != "call_function":
        return node.op not in ("placeholder", "output")
    device = node.kwargs.get("device")
    on_cpu = device is not None and torch.device(device).type == "cpu"  # type: ignore[arg-type]
    tags = getattr(node.target, "tags", ())
    return (
        on_cpu or is_exchange(node) or torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags
    )


class Replayed:
    """Compiled code whose kernels are recorded at the second call and replayed from then on.

    An input that keeps its place in memory is read and written there, such as a parameter. An input that has moved is
    copied to memory of the recording, unless it is written: then the code is recorded once more. Results are copies,
    because the next replay overwrites its own.

    Args:
        run: the compiled code. All calls have inputs of the same shapes, strides and dtypes.
        written: the positions of inputs that it writes.
    """

    def __init__(self, run: _Run, written: Sequence[int]) -> None:
        self._run = run
        self._written = frozenset(written)
        self._moving: set[int] = set()
        self._places: list[int] = []  # of the inputs at the last call
        self._stream: torch.cuda.Stream | None = None
        self._recording: _Recording | None = None
        self._remaining = _MAX_RECORDINGS
        self._lock = threading.Lock()

    def __call__(self, values: list[torch.Tensor]) -> list[torch.Tensor]:
        """Run the code for these inputs."""
        if not self._remaining:
            return self._run(values)
        with self._lock:
            stream = torch.cuda.current_stream()
            if self._stream is None:
                self._stream = stream
            return self._replayed(values) if stream == self._stream else self._run(values)

    def _replayed(self, values: list[torch.Tensor]) -> list[torch.Tensor]:
        places = [value.data_ptr() for value in values]
        before, self._places = self._places, places
        if not before:  # kernels are loaded
            return self._run(values)
        moved = {i for i, place in enumerate(places) if place != before[i]} - self._moving
        if moved:
            self._recording = None
        if moved & self._written:
            return self._run(values)
        self._moving |= moved
        if self._recording is None:
            self._remaining -= 1
            try:
                self._recording = _Recording(self._run, values, sorted(self._moving))
            except Exception as error:
                _log.info("the kernels of a graph cannot be recorded: %s", error)
                self._remaining = 0
                return self._run(values)
        return self._recording.replay(values)


class _Recording:
    """The kernels of one call.

    Args:
        run: the compiled code.
        values: its inputs.
        moving: the positions of inputs that are copied before each replay.

    Raises:
        RuntimeError: the code waits for the GPU, or its results are not new tensors on the GPU.
    """

    def __init__(self, run: _Run, values: list[torch.Tensor], moving: list[int]) -> None:
        self._moving = moving
        self._kept = [values[i].clone() if i in moving else value for i, value in enumerate(values)]
        self._graph = torch.cuda.CUDAGraph()
        # Only this thread is kept from calls that a recording cannot hold; others may go on.
        with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
            self._results = run([*self._kept])
        inputs = {_memory(value) for value in self._kept} - {0}
        if not all(result.is_cuda and _memory(result) not in inputs for result in self._results):
            raise RuntimeError("a result is an input, or is not on the GPU")
        # The recording reads places in memory. Tensors that do not move are the program's own to keep or to release.
        self._kept = [self._kept[i] for i in moving]

    def replay(self, values: list[torch.Tensor]) -> list[torch.Tensor]:
        """Run the kernels, and return the results."""
        for position, kept in zip(self._moving, self._kept):
            kept.copy_(values[position])
        self._graph.replay()
        return [result.clone() for result in self._results]
