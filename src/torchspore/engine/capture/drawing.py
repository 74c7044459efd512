"""Pictures of captured graphs: by Graphviz where it is installed, else in layers, drawn here."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Sequence
from html import escape

from torchspore.engine.capture.branching import Box

__all__ = ["Drawing", "draw"]

# Backgrounds of boxes with dark text, and lines in gray, are readable on light and dark pages.
_FILLS = {"input": "#cfe3f7", "parameter": "#d5ecd4", "operation": "#eeeeee", "write": "#fbdcb8", "question": "#f7eeb0",
          "answer": "#f7eeb0", "result": "#e3d5f0"}  # fmt: skip
_LINES = "#888888"
_CHARACTER, _LINE, _PADDING, _GAP, _LEVEL = 6.8, 14, 10, 16, 60
_MOST_FOR_DOT = 500  # boxes, beyond which Graphviz takes minutes
_MOST_BENDS = 4000
_PASSES = 4


class Drawing:
    """A picture; a notebook shows it.

    Attributes:
        svg: the picture as SVG.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto">{self.svg}</div>'


def draw(boxes: Sequence[Box]) -> Drawing:
    """Return the picture of boxes, each of which comes after its sources."""
    program = shutil.which("dot") if len(boxes) <= _MOST_FOR_DOT else None
    return Drawing((program and _by_graphviz(program, boxes)) or _in_layers(boxes))


def _by_graphviz(program: str, boxes: Sequence[Box]) -> str:
    """Return what Graphviz draws, "" if it does not work."""
    lines = ['bgcolor=transparent; node [shape=box style="filled,rounded" fontname="sans-serif" fontsize=11]']
    lines.append(f'edge [color="{_LINES}" arrowsize=0.7]')
    for number, box in enumerate(boxes):
        lines.append(
            f'{number} [label="{_quoted(box.label)}" tooltip="{_quoted(box.hint)}" fillcolor="{_FILLS[box.kind]}"]'
        )
        lines += [f"{source} -> {number}" for source in box.sources]
    text = "digraph {\n" + "\n".join(lines) + "\n}\n"
    try:
        drawn = subprocess.run([program, "-Tsvg"], input=text.encode(), capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return ""
    svg = drawn.stdout.decode(errors="replace")
    return svg[max(svg.find("<svg"), 0) :] if "<svg" in svg else ""


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _in_layers(boxes: Sequence[Box]) -> str:
    """Return boxes in layers below their sources, each near the mean of these."""
    levels = _levels(boxes)
    widths = [max(map(len, box.label.split("\n"))) * _CHARACTER + _PADDING for box in boxes]
    sources = [list(dict.fromkeys(box.sources)) for box in boxes]
    edges = [(source, number) for number, box in enumerate(sources) for source in box]
    routes = {edge: list(edge) for edge in edges}
    if sum(levels[target] - levels[source] - 1 for source, target in edges) <= _MOST_BENDS:
        for source, target in edges:  # a long edge passes between boxes, by a narrow place in each layer
            route = [source]
            for level in range(levels[source] + 1, levels[target]):
                route.append(len(levels))
                levels.append(level)
                widths.append(2.0)
                sources.append([route[-2]])
            routes[source, target] = [*route, target]
            sources[target] = [route[-1] if known == source else known for known in sources[target]]
    layers: list[list[int]] = [[] for _ in range(max(levels, default=-1) + 1)]
    for number, level in enumerate(levels):
        layers[level].append(number)
    places = _places(layers, sources, widths)
    left = min((places[n] - widths[n] / 2 for n in range(len(widths))), default=0.0)
    right = max((places[n] + widths[n] / 2 for n in range(len(widths))), default=0.0)
    parts = []
    for edge, route in routes.items():
        down = [_height(boxes[edge[0]]), *[0.0] * (len(route) - 1)]
        points = [(places[n] - left + _GAP, levels[n] * _LEVEL + _GAP + below) for n, below in zip(route, down)]
        parts.append(f'<path d="{_curve(points)}" fill="none" stroke="{_LINES}" marker-end="url(#torchspore-arrow)"/>')
    for number, box in enumerate(boxes):
        parts.append(_drawn(box, places[number] - left + _GAP, levels[number] * _LEVEL + _GAP, widths[number]))
    width, height = right - left + 2 * _GAP, len(layers) * _LEVEL + _GAP
    arrow = (
        '<marker id="torchspore-arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
        f'orient="auto"><path d="M0 0L6 3L0 6z" fill="{_LINES}"/></marker>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="sans-serif" font-size="11"><defs>{arrow}</defs>{"".join(parts)}</svg>\n'
    )


def _levels(boxes: Sequence[Box]) -> list[int]:
    """Return the layer of each box: below its sources, and for inputs above what uses them first."""
    levels: list[int] = []
    for box in boxes:
        levels.append(1 + max((levels[source] for source in box.sources), default=-1))
    first_use: dict[int, int] = {}
    for number, box in enumerate(boxes):
        for source in box.sources:
            first_use[source] = min(first_use.get(source, levels[number]), levels[number])
    return [first_use[n] - 1 if not box.sources and n in first_use else levels[n] for n, box in enumerate(boxes)]


def _places(layers: list[list[int]], sources: list[list[int]], widths: list[float]) -> list[float]:
    """Return the horizontal centers: each layer is ordered by what its boxes are connected to, above or below."""
    targets: list[list[int]] = [[] for _ in sources]
    for number, above in enumerate(sources):
        for source in above:
            targets[source].append(number)
    places = [0.0] * len(sources)
    for turn in range(2 * _PASSES + 1):
        near = sources if turn % 2 == 0 else targets
        for layer in layers if turn % 2 == 0 else layers[::-1]:
            wanted = {n: sum(places[m] for m in near[n]) / len(near[n]) if near[n] else places[n] for n in layer}
            layer.sort(key=wanted.__getitem__)
            _spread(layer, wanted, widths, places)
    return places


def _spread(layer: list[int], wanted: dict[int, float], widths: list[float], places: list[float]) -> None:
    """Place a layer in its order without overlaps, centered around the wanted places."""
    end = float("-inf")
    for number in layer:
        places[number] = max(wanted[number], end + widths[number] / 2)
        end = places[number] + widths[number] / 2 + _GAP
    shift = sum(wanted[number] - places[number] for number in layer) / max(len(layer), 1)
    for number in layer:
        places[number] += shift


def _curve(points: list[tuple[float, float]]) -> str:
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (next_x, next_y) in itertools.pairwise(points):
        middle = (y + next_y) / 2
        text += f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}"
    return text


def _height(box: Box) -> float:
    return (box.label.count("\n") + 1) * _LINE + 4


def _drawn(box: Box, x: float, y: float, width: float) -> str:
    lines = box.label.split("\n")
    words = "".join(
        f'<text x="{x:.1f}" y="{y + _LINE * (i + 1) - 2:.1f}" text-anchor="middle" fill="#111">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    frame = f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_height(box)}" rx="4" '
    return f'<g><title>{escape(box.hint)}</title>{frame}fill="{_FILLS[box.kind]}" stroke="{_LINES}"/>{words}</g>'
