"""Reduction of gradients over processes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from torch import Tensor

from torchspore.common.parameter import Parameter
from torchspore.engine.op import op
from torchspore.engine.parameters import NotNegative, Positive, checked
from torchspore.nn.cell import Cell
from torchspore.ops.distributed.exchanges import summed
from torchspore.ops.distributed.primitives import Broadcast
from torchspore.ops.distributed.process_groups import WORLD_NAMES, get_world_size, process_group
from torchspore.parallel_context import ParallelMode, get_auto_parallel_context

__all__ = ["DistributedGradReducer"]

_MESSAGE = 25 * 2**20  # bytes; a small first message starts the exchange early
_FIRST_MESSAGE = 2**20


class DistributedGradReducer(Cell):
    """Sum or average gradients over processes; in a single process they do not change.

    Gradients are sent in messages of about 25 MB, from the last parameter to the first: `comm_fusion` and
    `all_reduce_fusion_config` of `set_auto_parallel_context` change that. In a graph, a message is sent as soon as the
    backward pass has computed it.

    Args:
        parameters: the parameters that the gradients belong to, a list or tuple. The gradients of those with
            `layerwise_parallel` are not exchanged.
        mean: whether the sum is divided by `degree`. Default: None, the setting `gradients_mean`.
        degree: the number of devices. Default: None, the setting `device_num`, which is the number of processes.
        fusion_type: accepted; the settings say which gradients are sent together. Default: 1.
        group: the name of the group of processes. Default: "hccl_world_group", all.

    Inputs: grads: the gradients, a tuple or list of Tensors.
    Outputs: a tuple of the gradients of all processes.

    Raises:
        RuntimeError: a group is named before `communication.init`.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> reducer = ms.nn.DistributedGradReducer([weight], mean=True)
        >>> print(reducer((ms.Tensor([3.0]),)))
        (Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]),)
    """

    @checked
    def __init__(
        self,
        parameters: Sequence[Parameter],
        mean: bool | None = None,
        degree: Positive | None = None,
        fusion_type: NotNegative = 1,
        group: str = WORLD_NAMES[0],
    ) -> None:
        super().__init__(auto_prefix=False)
        self._count = len(parameters)
        self._messages = _messages(parameters)
        mean = get_auto_parallel_context("gradients_mean") if mean is None else mean
        degree = get_auto_parallel_context("device_num") if degree is None else degree
        self._scale = 1 / degree if mean else 1.0
        self._in_full = get_auto_parallel_context("force_fp32_communication")
        self._group = group if get_world_size(None if group in WORLD_NAMES else group) > 1 else None

    def construct(self, grads: Any) -> tuple[Any, ...]:
        if len(grads) != self._count:
            raise ValueError(
                f"For 'DistributedGradReducer', there must be a gradient for each of the {self._count} parameters, but "
                f"got {len(grads)}."
            )
        reduced = list(grads)
        for message in self._messages:
            found = _reduced([grads[i] for i in message], self._group, self._scale, self._in_full)
            for i, value in zip(message, found):
                reduced[i] = value
        return tuple(reduced)


@op(name="DistributedGradReducer")
def _reduced(grads: list[Tensor], group: str | None, scale: float, in_full: bool) -> tuple[Tensor, ...]:
    """Return the sums of gradients over processes, times a number."""
    if group is None:
        return tuple(grads) if scale == 1 else tuple([grad * scale for grad in grads])
    results = list(grads)
    for dtype in dict.fromkeys(grad.dtype for grad in grads):
        indices = [i for i, grad in enumerate(grads) if grad.dtype is dtype]
        sent = [grads[i].float() if in_full else grads[i] for i in indices]
        total = summed(sent, process_group(group, "DistributedGradReducer"), scale)
        for i, value in zip(indices, total):
            results[i] = value.to(dtype)
    return tuple(results)


def _messages(parameters: Sequence[Parameter]) -> list[list[int]]:
    """Return which gradients are sent together, by their positions. Backward passes compute the last ones first."""
    exchanged = [i for i, parameter in enumerate(parameters) if not parameter.layerwise_parallel][::-1]
    fusion = get_auto_parallel_context("comm_fusion")
    kind = fusion["allreduce"]
    ends = get_auto_parallel_context("all_reduce_fusion_config")
    if not fusion["openstate"]:
        return [[i] for i in exchanged]
    if ends:
        return [list(part) for _, part in groupby(exchanged, lambda i: bisect_left(ends, i))]
    largest = kind["config"] * 2**20 if kind["mode"] == "size" else _MESSAGE
    messages: list[list[int]] = []
    room = 0
    for i in exchanged:
        size = parameters[i].nbytes
        if not messages or size > room:
            room = largest if messages else min(largest, _FIRST_MESSAGE)
            messages.append([])
        messages[-1].append(i)
        room -= size
    return messages


def data_parallel_reducer(network: Cell, parameters: Iterable[Parameter]) -> DistributedGradReducer | None:
    """Return the reducer that `set_auto_parallel_context` asks for; None without one.

    With `parameter_broadcast`, the network's parameters take the values of the first process.
    """
    if get_auto_parallel_context("parallel_mode") not in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL):
        return None
    if get_auto_parallel_context("parameter_broadcast") and get_world_size() > 1:
        make: Any = Broadcast
        send = make(root_rank=0)
        for parameter in network.get_parameters():
            if not parameter.layerwise_parallel:
                parameter.set_data(send((parameter.value(),))[0])
    return DistributedGradReducer(tuple(parameters))
