"""Interleaved timing: every contestant in turn, many rounds, medians and ratios."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable


def cpu_seconds(run: Callable[[], object]) -> Callable[[int], float]:
    """Return the contestant that calls `run` as often as it is asked, and returns the CPU seconds that it took."""

    def seconds(calls: int) -> float:
        start = time.process_time()
        for _ in range(calls):
            run()
        return time.process_time() - start

    return seconds


def interleaved(
    contestants: dict[str, Callable[[int], float]],
    *,
    rounds: int,
    calls: int,
    warm_up: int = 2,
    budget: float = math.inf,
) -> dict[str, float]:
    """Return the median seconds of one call for each contestant; rounds alternate, so noise hits all alike.

    Args:
        contestants: functions that take a number of calls and return the CPU seconds these took.
        rounds: how often each has its turn.
        calls: the calls of one turn.
        warm_up: the calls before the first round.
        budget: the CPU seconds after which a contestant has no further turns.
    """
    for run in contestants.values():
        run(warm_up)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for round_number in range(rounds):
        for name in names if round_number % 2 == 0 else reversed(names):
            if sum(seconds[name]) * calls < budget:
                seconds[name].append(contestants[name](calls) / calls)
    return {name: statistics.median(values) for name, values in seconds.items()}


def table(title: str, header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"### {title}", "", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
