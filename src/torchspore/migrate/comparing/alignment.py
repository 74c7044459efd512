"""Which call of a layer on one side corresponds to which on the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from torchspore.migrate.comparing.calls import Call

__all__ = ["aligned", "kind"]

# Classes of different names that do the same; both names mean the second.
_KINDS = {
    "Dense": "Linear", "SequentialCell": "Sequential", "CellList": "ModuleList", "CellDict": "ModuleDict",
    "Conv1dTranspose": "ConvTranspose1d", "Conv2dTranspose": "ConvTranspose2d", "Conv3dTranspose": "ConvTranspose3d",
    "HSwish": "Hardswish", "HSigmoid": "Hardsigmoid", "HShrink": "Hardshrink", "SoftShrink": "Softshrink",
    "LogSoftmaxExt": "LogSoftmax", "EmbeddingExt": "Embedding", "DropoutExt": "Dropout", "LayerNormExt": "LayerNorm",
    "PReLUExt": "PReLU", "ResizeBilinear": "Upsample", "NLLLoss": "NLLLoss", "L1LossExt": "L1Loss", "MAELoss": "L1Loss",
    "SoftmaxCrossEntropyWithLogits": "CrossEntropyLoss", "ReLU6": "ReLU6",
}  # fmt: skip
_LARGEST = 4_000_000


def kind(name: str) -> str:
    """Return one name for the classes of both frameworks that do the same."""
    return _KINDS.get(name, name)


def aligned(first: list[Call], second: list[Call], weights: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return pairs of positions of corresponding calls, in order.

    Args:
        first, second: the calls of both sides in the order in which they ended.
        weights: pairs of names of layers whose weights correspond.
    """
    if [_signature(call) for call in first] == [_signature(call) for call in second]:
        return list(zip(range(len(first)), range(len(second))))
    partners: dict[str, set[str]] = defaultdict(set)
    taken: set[str] = set()
    for ours, theirs in weights:
        partners[ours].add(theirs)
        taken.add(theirs)
    if len(first) * len(second) > _LARGEST:
        return _by_names(first, second, partners)
    return _best_path([[_score(a, b, partners, taken) for b in second] for a in first])


def _signature(call: Call) -> tuple[object, ...]:
    return call.name, call.count, kind(call.kind), call.leaf


def _score(a: Call, b: Call, partners: dict[str, set[str]], taken: set[str]) -> float:
    """Return how well two calls fit; 0 if they cannot correspond."""
    if (a.name == "") != (b.name == "") or (a.name == "loss") != (b.name == "loss"):
        return 0.0
    if a.name == "":
        return 100.0
    same_weights = b.name in partners.get(a.name, ())
    if not same_weights and (a.name in partners or b.name in taken):
        return 0.0
    same_kind, same_shapes = kind(a.kind) == kind(b.kind), a.shapes == b.shapes
    same_name = a.name.rpartition(".")[2] == b.name.rpartition(".")[2] and not a.name.rpartition(".")[2].isdigit()
    if not (same_weights or same_kind or same_name or (same_shapes and a.leaf == b.leaf)):
        return 0.0
    score = 16.0 * same_weights + 4.0 * same_kind + 3.0 * same_name + 2.0 * same_shapes + (a.leaf == b.leaf)
    return score + 2.0 * (a.name == b.name) + 0.5 * (a.count == b.count)


def _best_path(scores: list[list[float]]) -> list[tuple[int, int]]:
    """Return the pairs of the common subsequence with the highest sum of scores."""
    rows, columns = len(scores), len(scores[0]) if scores else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, here, of_row = best[i + 1], best[i], scores[i]
        for j in range(columns - 1, -1, -1):
            score = of_row[j]
            taken = below[j + 1] + score if score else 0.0
            here[j] = max(taken, below[j], here[j + 1])
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if scores[i][j] and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _by_names(first: list[Call], second: list[Call], partners: dict[str, set[str]]) -> list[tuple[int, int]]:
    """Return the pairs of networks too large for a search: layers with the same weights or the same name."""
    places = {call.key: j for j, call in enumerate(second)}
    pairs, last = [], -1
    for i, call in enumerate(first):
        names = [*partners.get(call.name, ()), call.name]
        j = next((places[name, call.count] for name in names if (name, call.count) in places), -1)
        if j > last:
            pairs.append((i, j))
            last = j
    return pairs
