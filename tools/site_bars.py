"""The bars of the landing page: what a training step costs, from the figures that `benchmarks/step.py --json` wrote."""

from __future__ import annotations

import html
import json
import pathlib
from collections.abc import Iterator

FIGURES = pathlib.Path(__file__).resolve().parent.parent / "benchmarks" / "results" / "step.json"
_TEXTS = {
    "en": "Milliseconds of CPU time of one training step; shorter is better. {machine}.",
    "zh": "一个训练步骤的CPU时间（毫秒），越短越好。{machine}。",
}
_UNIT = "ms of CPU time"


def bars(language: str) -> str:
    """Return the figures as HTML: a group of bars for each network, the longest bar of a group as wide as the page."""
    recorded = json.loads(FIGURES.read_text(encoding="utf-8"))
    caption = _TEXTS[language].format(machine=html.escape(recorded["machine"]))
    groups = "".join(line for name, figures in recorded["rows"].items() for line in _group(name, figures[_UNIT]))
    return f'<figure><div class="bars">{groups}</div><figcaption>{caption}</figcaption></figure>'


def _group(name: str, figures: dict[str, float]) -> Iterator[str]:
    yield f'<span class="group">{html.escape(name)}</span>'
    longest = max(figures.values())
    for contestant, figure in sorted(figures.items(), key=lambda item: item[1]):
        ours = " ours" if contestant.startswith("TorchSpore") else ""
        width = max(1.0, 100 * figure / longest)
        yield f'<span>{html.escape(contestant)}</span><span class="bar{ours}" style="width:{width:.1f}%"></span>'
        yield f"<span>{figure:.3g}</span>"
