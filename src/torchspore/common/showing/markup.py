"""HTML for notebooks: tables, folded parts and plots.

It has no scripts and loads nothing. Colors are readable on light and dark pages. All text is escaped here, so callers
pass it unchanged; these functions return HTML.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["finite_number", "fold", "page", "plot", "table", "text"]

_STYLE = """<style>
.torchspore{font:13px system-ui,sans-serif;overflow-x:auto}
.torchspore table{border-collapse:collapse;margin:.3rem 0}
.torchspore td,.torchspore th{border:1px solid rgba(128,128,128,.4);padding:.15rem .5rem;text-align:left;color:inherit;background:none}
.torchspore tr.bad td{background:rgba(220,60,60,.25)}
.torchspore details,.torchspore .leaf{margin-left:1.2em}.torchspore summary{margin-left:-1.2em;cursor:pointer}
.torchspore pre{white-space:pre-wrap;margin:.2rem 0;color:inherit;background:none}.torchspore .dim{opacity:.65}
</style>"""  # noqa: E501
_COLORS = ("#3b82c4", "#e07b00", "#3a9d5d", "#c4477e", "#8a6fd1", "#7f8c8d")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 220, 70, 40


def page(*parts: str) -> str:
    """Return parts of HTML as one block with the style."""
    return "\n".join([_STYLE, '<div class="torchspore">', *filter(None, parts), "</div>"])


def text(value: Any, tag: str = "div", kind: str = "") -> str:
    """Return text in an element, of a class of the style if one is given."""
    opening = f'<{tag} class="{kind}">' if kind else f"<{tag}>"
    return f"{opening}{escape(str(value))}</{tag}>"


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], bad: Collection[int] = ()) -> str:
    """Return a table; rows whose numbers are in `bad` are marked."""
    lines = [f"<tr>{''.join(text(name, 'th') for name in head)}</tr>"] if head else []
    for number, row in enumerate(rows):
        mark = ' class="bad"' if number in bad else ""
        lines.append(f"<tr{mark}>{''.join(text(value, 'td') for value in row)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def fold(title: Any, note: Any, body: str, is_open: bool = False) -> str:
    """Return HTML that a click on its title shows or hides; the note stands behind the title."""
    head = f"<summary>{escape(str(title))} {text(note, 'span', 'dim')}</summary>"
    return f"<details{' open' if is_open else ''}>{head}{body}</details>"


def finite_number(value: Any) -> float | None:
    """Return a value as a finite float, None if it is not one."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def plot(series: Mapping[str, Iterable[tuple[float, float]]], *, log_x: bool = False, mark: float | None = None) -> str:
    """Return lines as SVG, "" if nothing can be drawn.

    Args:
        series: points (x, y) by the name of their line; those that are not finite are left out.
        log_x: whether x, which then is positive, is on a logarithmic axis. Default: False.
        mark: an x that a dashed vertical line marks. Default: None.
    """
    lines = {
        name: [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)] for name, points in series.items()
    }
    every = [point for points in lines.values() for point in points]
    if not every:
        return ""
    xs, ys = [x for x, _ in every], [y for _, y in every]
    low_x, high_x, low_y, high_y = min(xs), max(xs), min(ys), max(ys)
    right, base = _WIDTH - 10, _HEIGHT - _BOTTOM

    def across(x: float) -> float:
        return _LEFT + (right - _LEFT) * _share(x, low_x, high_x, log_x)

    parts = [f'<path d="M{_LEFT} 5V{base}H{right}" fill="none" stroke="#888"/>']
    parts += [_label(_LEFT - 5, 15, f"{high_y:.4g}", "end"), _label(_LEFT - 5, base, f"{low_y:.4g}", "end")]
    parts += [_label(_LEFT, base + 15, f"{low_x:.4g}"), _label(right, base + 15, f"{high_x:.4g}", "end")]
    if mark is not None and low_x <= mark <= high_x:
        parts.append(f'<path d="M{across(mark):.1f} 5V{base}" stroke="#888" stroke-dasharray="4"/>')
    for number, (name, points) in enumerate(lines.items()):
        color = _COLORS[number % len(_COLORS)]
        places = [(across(x), 10 + (base - 15) * (1 - _share(y, low_y, high_y))) for x, y in points]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{color}" stroke-width="2"/>')
        if len(places) == 1:
            parts.append(f'<circle cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="3" fill="{color}"/>')
        parts.append(_label(_LEFT + 10 + 130 * (number % 4), base + 30 + 12 * (number // 4), name, color=color))
    height = _HEIGHT + 12 * ((len(lines) - 1) // 4)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" style="max-width:100%" role="img" '
        f'xmlns="http://www.w3.org/2000/svg" font-size="11">{"".join(parts)}</svg>'
    )


def _share(value: float, low: float, high: float, is_log: bool = False) -> float:
    """Return where a value lies between two others, from 0 to 1."""
    if is_log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    span = high / 2 - low / 2  # halved, as the difference may overflow
    return (value / 2 - low / 2) / span if span else 0.5


def _label(x: float, y: float, words: str, anchor: str = "start", color: str = "#888") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{escape(words)}</text>'
