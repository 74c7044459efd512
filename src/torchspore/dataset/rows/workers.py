"""Calls on several threads or processes, with results in the order of the items."""

from __future__ import annotations

import contextlib
import faulthandler
import itertools
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import torch

from torchspore.common.frames.user_lines import warn_user
from torchspore.dataset import config
from torchspore.dataset.rows.channel import Channel
from torchspore.dataset.rows.failures import Raised, Remote, described, line_of, location
from torchspore.dataset.rows.memory import reuse_freed_memory
from torchspore.dataset.rows.opencv import prepare_fork, use_one_thread
from torchspore.dataset.rows.streams import Key, Serving, in_rows
from torchspore.dataset.rows.thread_pool import ThreadPool

__all__ = ["Workers", "in_order", "in_threads"]

Item = tuple[Key, Any]  # the key of a row's random numbers, and the argument of the function

_PARENT_CHECK = 2.0  # seconds between a worker's checks that its parent is alive
_EXIT_TIMEOUT = 5.0  # seconds that a worker has to end by itself
_WORKER_CHECK = 0.5  # seconds of waiting for one worker between the parent's checks that all are alive
_IDLE = -1  # the row number of a worker that computes none
_FORKED = "For 'Dataset', {} of an iterator are not available in a forked process: make a new iterator there."
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)
_GROUP_SECONDS, _GROUP_BYTES, _GROUP_ITEMS = 2e-3, 1 << 20, 32  # limits of a message


def in_threads(
    count: int, call: Callable[[Any], Any], items: Iterable[Item], at_once: int = 0, in_lanes: bool = False
) -> Iterator[tuple[Any, Any]]:
    """Yield (argument, result) of a function for each item, computed on `count` threads; the rest as `in_order`.

    With `in_lanes`, one in `count` items begins after the result of the one before.
    """
    threads = _Threads(count, call, in_lanes)
    try:
        yield from in_order(threads, items, at_once)
    finally:
        threads.close()


def in_order(workers: Workers | _Threads, items: Iterable[Item], at_once: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield (argument, result) of the workers' function for each item; each worker has one in so many.

    Args:
        workers: the workers.
        items: the keys and arguments.
        at_once: the number of rows that are used together, so that the next ones are computed while these are used.
    """
    count = workers.count
    ahead = max(2, -(-max(config.get_prefetch_size(), at_once) // count)) * count
    pending: deque[Sequence[Item]] = deque()
    waiting = 0
    items = iter(items)
    while True:
        block = list(itertools.islice(items, workers.group * count))
        if block:
            for number in range(count):
                workers.send(block[number::count])
            pending.append(block)
            waiting += len(block)
        elif not pending:
            return
        while pending and (not block or (waiting >= ahead and len(pending) > 1)):
            first = pending.popleft()
            waiting -= len(first)
            results = [workers.receive() for _ in range(count)]
            for (_, argument), of_worker in zip(first, itertools.cycle(results)):
                yield argument, next(of_worker)
            for of_worker in results[len(first) :]:
                next(of_worker, None)  # an empty message


def _results(call: Callable[..., Any], group: Iterable[Item]) -> tuple[float, list[tuple[bool, Any]]]:
    """Return the seconds for a group of items, and (True, result) for each, at the end perhaps (False, exception)."""
    start = time.perf_counter()
    results: list[tuple[bool, Any]] = []
    for key, argument in group:
        try:
            results.append((True, call(key, argument)))
        except BaseException as error:
            results.append((False, error))
            break
    return time.perf_counter() - start, results


def _after(before: Future[Any] | None, call: Callable[..., Any], group: Iterable[Item]) -> Any:
    """Return the results for a group, which begins after another."""
    if before is not None:
        wait([before])  # it has begun
    return _results(call, group)


class _InGroups:
    """The base of workers that get items in groups, so that items that take little time cost little to hand over."""

    group = 1

    def _fit(self, seconds: float, size: float, count: int) -> None:
        """Choose the size of groups, by the seconds of a group of `count` items, and the bytes of an item."""
        if count:
            by_time, by_size = _GROUP_SECONDS / (seconds / count + 1e-9), _GROUP_BYTES / max(size, 1.0)
            self.group = max(1, int(min(by_time, by_size, _GROUP_ITEMS, 2 * self.group)))


class _Threads(_InGroups):
    def __init__(self, count: int, call: Callable[[Any], Any], in_lanes: bool) -> None:
        self.count = count
        self._call = in_rows(call)
        self._lanes: deque[Future[Any]] | None = deque(maxlen=count) if in_lanes else None
        self._process = os.getpid()
        self._sent: deque[Future[Any]] = deque()
        self._pool = ThreadPool(count, "dataset")
        self._closed = False

    def send(self, group: Sequence[Item]) -> None:
        self._check_process()
        before = None if self._lanes is None or len(self._lanes) < self.count else self._lanes[0]
        self._sent.append(self._pool.submit(_after, before, self._call, filter(self._is_wanted, group)))
        if self._lanes is not None:
            self._lanes.append(self._sent[-1])

    def _is_wanted(self, _: Item) -> bool:
        return not self._closed and threading.main_thread().is_alive()

    def receive(self) -> Iterator[Any]:
        self._check_process()
        seconds, results = self._sent.popleft().result()
        last = results[-1][1] if results else None
        size = sum(getattr(value, "nbytes", 0) for value in last) if isinstance(last, tuple) else 0
        self._fit(seconds, size, len(results))
        for good, value in results:
            if not good:
                raise value
            yield value

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(_FORKED.format("Threads"))

    def close(self) -> None:
        self._closed = True
        self._pool.close()


class Workers(_InGroups):
    """Processes that call one function; they get groups of items in turn, and return results in the same order.

    Args:
        operation: the name of the dataset operation, for messages.
        function: the function to call.
        shown: the function of the user, for messages.
        count: the number of processes.
    """

    def __init__(self, operation: str, function: Callable[[Any], Any], shown: Callable[..., Any], count: int) -> None:
        self.operation = operation
        self.count = count
        self.usable = True
        self._shown = shown
        self._sent = self._received = 0
        self._bytes = 0.0  # of an item
        self._processes: list[Any] = []
        self._channels: list[Channel] = []
        self._rows: list[Any] = []  # the number of the row that a worker computes
        self._left: dict[int, deque[Any]] = {}  # by the number of a worker that has ended: what it had sent
        _alive.add(self)
        context: Any = multiprocessing.get_context(config.get_multiprocessing_start_method())
        for _ in range(count):
            self._start(context, function)

    def _start(self, context: Any, function: Callable[[Any], Any]) -> None:
        mine, theirs = Channel.pair()
        self._channels.append(mine)
        self._rows.append(context.RawValue("q", _IDLE))
        name = f"dataset {self.operation}"
        process = context.Process(
            target=_serve, args=(theirs, self._rows[-1], function, os.getpid()), daemon=True, name=name
        )
        try:
            prepare_fork()
            with warnings.catch_warnings():  # Python 3.12 warns of a fork while threads run; ours hold no locks
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self.close()
            raise RuntimeError(
                f"For '{self.operation}', the function {location(self._shown)} cannot be sent to a spawned process: "
                f"{error}. Define it at the top of a module, or let workers start with "
                f"config.set_multiprocessing_start_method('fork')."
            ) from error
        finally:
            theirs.close()
        self._processes.append(process)

    def send(self, group: Sequence[Item]) -> None:
        """Send items to the next worker.

        Raises:
            RuntimeError: the worker has ended.
        """
        self._check_process()
        number = self._sent % self.count
        self._sent += 1
        try:
            size = self._channels[number].send(group)
        except (BrokenPipeError, ConnectionResetError):
            raise self._ended(number) from None
        self._bytes = size / len(group) if group else self._bytes

    def receive(self) -> Iterator[Any]:
        """Yield the results for the next group.

        Raises:
            RuntimeError: the worker has ended.
            Raised: a function of the user raised.
        """
        self._check_process()
        number = self._received % self.count
        self._received += 1
        self._wait_for(number)
        try:
            seconds, results = (
                self._left[number].popleft() if number in self._left else self._channels[number].receive()
            )
        except (EOFError, IndexError):
            raise self._ended(number) from None
        self._fit(seconds, self._bytes, len(results))
        for good, value in results:
            if not good:
                raise _revived(*value)
            yield value

    def _wait_for(self, number: int) -> None:
        channel, process = self._channels[number], self._processes[number]
        interval = config.get_multiprocessing_timeout_interval()
        start = time.monotonic()
        while number not in self._left and not channel.ready(_WORKER_CHECK):
            self._check_others(number)
            if not process.is_alive() and not channel.ready(0):
                raise self._ended(number)
            if time.monotonic() - start > interval:
                start = time.monotonic()
                stopped = "; it is stopped, as by SIGSTOP, and needs SIGCONT" if _is_stopped(process.pid) else ""
                warn_user(
                    f"For '{self.operation}', the worker process {process.pid} has worked for {interval} seconds "
                    f"{self._where(number)}{stopped}."
                )

    def _check_others(self, waited_for: int) -> None:
        """Raise if another worker has ended before it has sent all of its results, whose turn may be far off."""
        for number, process in enumerate(self._processes):
            if number == waited_for or number in self._left or process.is_alive():
                continue
            left = self._left[number] = deque[Any]()
            with contextlib.suppress(EOFError):
                while self._channels[number].ready(0):
                    left.append(self._channels[number].receive())
            if len(left) < len(range(self._received, self._sent)[(number - self._received) % self.count :: self.count]):
                raise self._ended(number)

    def _ended(self, number: int) -> RuntimeError:
        process = self._processes[number]
        process.join(_EXIT_TIMEOUT)
        how, where = _end(process.exitcode), self._where(number)
        pid = process.pid
        self.close()
        return RuntimeError(
            f"For '{self.operation}', the worker process {pid} {how} {where}. To look at the function itself, set "
            f"config.set_debug_mode(True)."
        )

    @property
    def _unit(self) -> str:
        return "batch" if self.operation == "batch" else "row"

    def _where(self, number: int) -> str:
        row = self._rows[number].value
        doing = "while it waited" if row == _IDLE else f"in {self._unit} {row}"
        return f"{doing}, with {location(self._shown)}"

    def _check_process(self) -> None:
        if not self._channels:
            raise RuntimeError(_FORKED.format("Worker processes"))

    def forget(self) -> None:
        """Leave the processes to the parent of this process."""
        self.usable = False
        for channel in self._channels:
            channel.close()
        for process in self._processes:  # otherwise they would end with this process
            multiprocessing.process._children.discard(process)  # type: ignore[attr-defined]
        self._channels, self._processes = [], []

    def close(self) -> None:
        """End the processes."""
        if not self.usable:
            return
        self.usable = False
        for channel in self._channels:
            channel.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(_EXIT_TIMEOUT)
            if process.exitcode is None:
                process.kill()
                process.join()
            process.close()


_alive: weakref.WeakSet[Workers] = weakref.WeakSet()


def _forked() -> None:
    for workers in list(_alive):
        workers.forget()


os.register_at_fork(after_in_child=_forked)


def _is_stopped(pid: int | None) -> bool:
    """Return whether a process is stopped, where the system tells in /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False


def _end(code: int | None) -> str:
    """Return how a process ended, by its exit code."""
    if code is None:
        return "closed its connection"
    if code >= 0:
        return f"ended with exit code {code}, as by os._exit({code}),"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    if -code == signal.SIGKILL:
        return (
            "was ended by signal SIGKILL, as the system does when memory runs out (then use a smaller "
            "'num_parallel_workers'),"
        )
    if -code in _CRASHES:
        return (
            f"was ended by signal {name} ({signal.strsignal(-code)}), a crash of compiled code that the function calls,"
        )
    return f"was ended by signal {name}"


def _revived(error: bytes | None, text: str, trace: str, line: str, number: int | None) -> BaseException:
    """Return an exception of a worker process, with its traceback there as the cause."""
    revived: Any = None
    if error is not None:
        with contextlib.suppress(Exception):
            revived = pickle.loads(error)
            revived.__cause__ = Remote(trace, line)
    if not isinstance(revived, BaseException) or revived.__cause__ is None:
        revived = RuntimeError(f"{text} (an exception that cannot be sent between processes)")
        revived.__cause__ = Remote(trace, line)
    return revived if number is None else Raised(revived, number)


def _packed(error: BaseException) -> tuple[bytes | None, str, str, str, int | None]:
    number = None
    if isinstance(error, Raised):
        number, error = error.number, error.error
    try:
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception:  # raised by its message
        trace = "".join(traceback.format_tb(error.__traceback__))
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)
    except Exception:
        packed = None
    return packed, described(error), trace, line_of(error), number


def _serve(channel: Channel, row: Any, function: Callable[[Any], Any], parent: int) -> None:
    """Compute groups of items until the channel closes or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers when the user interrupts it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    torch.set_num_threads(1)
    use_one_thread()
    reuse_freed_memory()
    Serving().begin()
    if not faulthandler.is_enabled():
        with contextlib.suppress(Exception):  # a stderr that is not a file
            faulthandler.enable()  # a crash prints the line on stderr
    in_row = in_rows(function)

    def call(key: Key, argument: Any) -> Any:
        row.value = key[1]
        return in_row(key, argument)

    groups: queue.SimpleQueue[Sequence[Item] | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(channel, groups), daemon=True).start()
    while True:
        try:
            group = groups.get(timeout=_PARENT_CHECK)
        except queue.Empty:
            if os.getppid() != parent:
                break
            continue
        if group is None:
            break
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            seconds, results = _results(call, group)
            channel.send((seconds, [(good, value if good else _packed(value)) for good, value in results]))
            row.value = _IDLE
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # without the exit handlers of the parent


def _listen(channel: Channel, groups: queue.SimpleQueue[Sequence[Item] | None]) -> None:
    """Receive groups as they arrive, so that the parent never waits for a worker that is sending."""
    try:
        while True:
            groups.put(channel.receive())
    except (EOFError, OSError):
        groups.put(None)
