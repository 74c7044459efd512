"""Interleaved timing: every contestant in turn, many rounds, medians and ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def interleaved(contestants: dict[str, Callable[[], object]], *, rounds: int, calls: int) -> dict[str, float]:
    """Return the median seconds of one call for each contestant; rounds alternate, so noise hits all alike."""
    for run in contestants.values():
        run()
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for round_number in range(rounds):
        for name in names if round_number % 2 == 0 else reversed(names):
            run = contestants[name]
            start = time.process_time()
            for _ in range(calls):
                run()
            seconds[name].append((time.process_time() - start) / calls)
    return {name: statistics.median(values) for name, values in seconds.items()}


def table(title: str, header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"### {title}", "", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
