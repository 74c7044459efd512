"""A report as a page: tables and plots in one HTML file without anything from elsewhere."""

from __future__ import annotations

import math
from html import escape

from torchspore.common.showing.markup import plot
from torchspore.migrate.comparing.rows import HEAD, Row, cells

__all__ = ["document", "page"]

_STYLE = """<style>
.tsc{font:14px system-ui,sans-serif;color:#222;background:#fff;max-width:75rem;margin:1rem auto}
.tsc table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}
.tsc td,.tsc th{border-bottom:1px solid #ddd;padding:.25rem .5rem;text-align:left;vertical-align:top}
.tsc .bad{background:#fde8e8}.tsc .other{color:#777}.tsc pre{white-space:pre-wrap}
</style>"""
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 900, 220, 60, 20


def document(content: str) -> str:
    """Return a complete document with the content of a page."""
    head = '<head><meta charset="utf-8"><title>Comparison</title></head>'
    return f'<!DOCTYPE html>\n<html lang="en">{head}\n<body>{content}</body></html>\n'


def page(
    summary: str, notes: list[str], rows: list[Row], losses: list[tuple[float, float]], labels: tuple[str, str]
) -> str:
    """Return the HTML of a report."""
    parts = [_STYLE, '<div class="tsc">', f"<pre>{escape(summary)}</pre>"]
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    head = "".join(f"<th>{escape(text)}</th>" for text in HEAD)
    for part in dict.fromkeys(row.part for row in rows):
        shown = [row for row in rows if row.part == part]
        body = "".join(map(_line, shown))
        parts += [f"<h3>{escape(part)}</h3>", _differences(shown), f"<table><tr>{head}</tr>{body}</table>"]
    if len(losses) > 1:
        sides = zip(labels, zip(*losses))
        parts += ["<h3>losses</h3>", plot({label: enumerate(values, 1) for label, values in sides})]
    return "\n".join([*parts, "</div>"])


def _line(row: Row) -> str:
    kind = "bad" if row.is_bad else "" if row.verdict == "equal" else "other"
    return f'<tr class="{kind}">{"".join(f"<td>{escape(text)}</td>" for text in cells(row))}</tr>'


def _differences(rows: list[Row]) -> str:
    """Return a plot of the distances, on a logarithmic axis, and of what rounding explains."""
    shown = [row for row in rows if row.absolute is not None and row.expected is not None]
    if len(shown) < 2:
        return ""
    values = [_log(v) for row in shown for v in (row.absolute, row.expected) if v and math.isfinite(v)] or [0.0]
    low, high = math.floor(min(values)), math.ceil(max(values)) + 1
    marks = []
    for i, row in enumerate(shown):
        x = _LEFT + (i + 0.5) * (_WIDTH - _LEFT) / len(shown)
        title = f"<title>{escape(f'{row.name}: {row.absolute:.1e}, rounding {row.expected:.1e}')}</title>"
        color = "#c00" if row.is_bad else "#07a"
        marks.append(
            f'<circle cx="{x:.1f}" cy="{_y(row.absolute, low, high):.1f}" r="3" fill="{color}">{title}</circle>'
        )
    bound = " ".join(
        f"{_LEFT + (i + 0.5) * (_WIDTH - _LEFT) / len(shown):.1f},{_y(row.expected, low, high):.1f}"
        for i, row in enumerate(shown)
    )
    marks.append(f'<polyline points="{bound}" fill="none" stroke="#999" stroke-dasharray="4"/>')
    return _frame(marks, f"1e{high}", f"1e{low}", "differences (points) and what rounding explains (line)")


def _frame(marks: list[str], top: str, bottom: str, words: str) -> str:
    base = _HEIGHT - _BOTTOM
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f'<path d="M{_LEFT - 5} 5V{base}H{_WIDTH}" fill="none" stroke="#444"/>'
        f'<text x="2" y="15" font-size="12">{escape(top)}</text><text x="2" y="{base}" font-size="12">{escape(bottom)}'
        f'</text><text x="{_LEFT}" y="{_HEIGHT - 4}" font-size="12">{escape(words)}</text>{"".join(marks)}</svg>'
    )


def _y(value: float | None, low: int, high: int) -> float:
    base = _HEIGHT - _BOTTOM
    if not value:
        return base
    place = high if math.isinf(value) else min(max(_log(value), low), high)
    return 10 + (high - place) / max(high - low, 1) * (base - 10)


def _log(value: float | None) -> float:
    return math.log10(max(value or 0.0, 1e-300))
