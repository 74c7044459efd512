"""Interleaved timing: contestants alternate over many rounds; medians and ratios."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable


def cpu_seconds(run: Callable[[], object]) -> Callable[[int], float]:
    """Return a contestant: a function that calls `run` a number of times and returns the CPU seconds."""

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
        rounds: the number of rounds.
        calls: the number of calls in a round.
        warm_up: the calls before the first round.
        budget: the CPU seconds after which a contestant has no further rounds.
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
