"""Functions of the user, computed for each row: here, on several threads, or in processes."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from torchspore.dataset import config
from torchspore.dataset.pipeline.dataset import Dataset
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.failures import Raised, failed
from torchspore.dataset.rows.held_generators import Isolated
from torchspore.dataset.rows.streams import Key, in_rows
from torchspore.dataset.rows.workers import Workers, in_order, in_threads

__all__ = ["computed"]

_SLOW = 200e-6  # seconds per row from which threads are faster
_PROBES = 8  # rows that are timed to decide that


def computed(
    dataset: Dataset,
    run: Run,
    operation: str,
    functions: Sequence[Callable[..., Any]],
    call: Callable[[Any], Any],
    arguments: Iterable[Any],
    *,
    workers: int | None,
    processes: bool,
) -> Iterator[tuple[Any, Any]]:
    """Yield (argument, result) of a function, in order, computed by the given number of workers.

    Args:
        dataset: the dataset whose rows these are.
        run: the iteration.
        operation: its name for messages.
        functions: the user's functions.
        call: the function to call; it raises `Raised` where one of `functions` fails.
        arguments: the arguments to call it with.
        workers: the number of threads or processes; None for one, or for several threads if they are faster.
        processes: whether they are processes.

    Raises:
        RuntimeError: a function raises, or a process ends.
    """
    start = run.keys(dataset)
    held = run.held(dataset, functions)
    if held:
        call = Isolated(call, functions, held)
    items = zip(zip(itertools.repeat(start), run.left_out(dataset).numbers()), arguments)
    shown = functions[0]
    debugging = config.get_debug_mode() or run.alone
    try:
        if processes and not debugging:
            count = workers or config.get_num_parallel_workers()
            with run.workers(dataset, lambda: Workers(operation, call, shown, count)) as lent:
                yield from in_order(lent, items, run.rows_at_once)
        elif debugging or held:
            yield from _one_by_one(call, items)
        elif (workers or 1) > 1:
            yield from in_threads(workers or 1, call, items, run.rows_at_once)
        elif workers is None and all(getattr(each, "long_and_safe", False) for each in functions):
            yield from _by_measurement(call, items, run.rows_at_once)
        else:
            yield from _one_by_one(call, items)
    except Raised as raised:
        raise failed(operation, functions[raised.number], raised.error) from raised.error


def _one_by_one(call: Callable[[Any], Any], items: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Any, Any]]:
    call = in_rows(call)
    for key, argument in items:
        yield argument, call(key, argument)


def _by_measurement(
    call: Callable[[Any], Any], items: Iterator[tuple[Key, Any]], ahead: int
) -> Iterator[tuple[Any, Any]]:
    """Compute a few rows here, and the rest on threads if those were slow; the results are the same."""
    count = config.get_num_parallel_workers()
    if count > 1:
        spent = 0.0
        for _, (key, argument) in zip(range(_PROBES), items):
            start = time.perf_counter()
            pair = next(_one_by_one(call, [(key, argument)]))
            spent += time.perf_counter() - start
            yield pair
        if spent > _PROBES * _SLOW:
            yield from in_threads(count, call, items, ahead)
            return
    yield from _one_by_one(call, items)
