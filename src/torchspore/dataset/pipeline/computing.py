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
    dataset: Dataset, run: Run, operation: str, functions: Sequence[Callable[..., Any]], call: Callable[[Any], Any],
    arguments: Iterable[Any], *, workers: int | None, processes: bool,
    random: Sequence[tuple[object, bool]] = (),
) -> Iterator[tuple[Any, Any]]:  # fmt: skip
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
        random: the random transforms among the functions and their parts, as for `Lanes`.

    Raises:
        RuntimeError: a function raises, or a process ends.
    """
    debugging = config.get_debug_mode()
    start, count = run.keys(dataset), 1 if debugging else workers or config.get_num_parallel_workers()
    held = run.held(dataset, functions)
    if held:
        call = Isolated(call, functions, held)
    left = run.left_out(dataset)
    items: Iterator[tuple[Key, Any]] = zip(zip(itertools.repeat(start), left.numbers()), arguments)
    with run.lanes(dataset, call, random, count) as lanes:
        if lanes is not None:
            call, items, count = lanes, lanes.turns(left, items), lanes.count
        shown = functions[0]
        try:
            if processes and not debugging and not run.alone:
                with run.workers(dataset, lambda: Workers(operation, call, shown, count)) as lent:
                    results = in_order(lent, items, run.rows_at_once)
                    yield from results if lanes is None else lanes.noted(results)
                return
            if count == 1 and not run.alone and not held:
                sequel = run.sequel()
                results = ((argument, sequel.call(call, argument)) for _, argument in items)
            elif run.alone or held:
                results = _one_by_one(call, items)
            elif workers is not None:
                results = in_threads(count, call, items, run.rows_at_once, lanes is not None)
            elif all(getattr(each, "long_and_safe", False) for each in functions):
                results = _by_measurement(call, items, run.rows_at_once, count, lanes is not None)
            else:
                results = _one_by_one(call, items)
            yield from results if lanes is None else lanes.noted(results)
        except Raised as raised:
            raise failed(operation, functions[raised.number], raised.error) from raised.error


def _one_by_one(call: Callable[[Any], Any], items: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Any, Any]]:
    call = in_rows(call)
    for key, argument in items:
        yield argument, call(key, argument)


def _by_measurement(
    call: Callable[[Any], Any], items: Iterator[tuple[Key, Any]], ahead: int, count: int, in_lanes: bool
) -> Iterator[tuple[Any, Any]]:
    """Compute a few rows here, and the rest on threads if those were slow; the results are the same."""
    spent = 0.0
    for _, (key, argument) in zip(range(_PROBES), items):
        start = time.perf_counter()
        pair = next(_one_by_one(call, [(key, argument)]))
        spent += time.perf_counter() - start
        yield pair
    if spent > _PROBES * _SLOW:
        yield from in_threads(count, call, items, ahead, in_lanes)
    else:
        yield from _one_by_one(call, items)
