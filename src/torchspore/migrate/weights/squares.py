"""Square matrices among transposed ones: their shapes do not say whether they are transposed, too.

GPT-2 of transformers keeps its matrices as (inputs, outputs). A module says so by the class of its layers; a file does
not.
"""

from __future__ import annotations

from dataclasses import replace

from torchspore.migrate.weights.forms import Form
from torchspore.migrate.weights.matching import Match, Matching

__all__ = ["settle_squares"]


def settle_squares(matching: Matching) -> None:
    """Take square matrices of unknown layers as transposed if all others are; if only some are, they are uncertain."""
    matrices = [pair for pair in matching.pairs if _is_matrix(pair)]
    others = [pair for pair in matrices if not _is_square(pair)]
    squares = [pair for pair in matrices if _is_square(pair) and not (pair.cell.layer and pair.torch.layer)]
    transposed = sum(pair.form.kind == "transpose" for pair in others)
    if not transposed or not squares:
        return
    matching.pairs = [pair for pair in matching.pairs if pair not in squares]
    if transposed == len(others):
        why = "; transposed as all other matrices are"
        matching.pairs += [replace(pair, form=Form("transpose"), why=pair.why + why) for pair in squares]
    else:
        matching.uncertain += [([pair.cell], [pair.torch]) for pair in squares]


def _is_matrix(pair: Match) -> bool:
    """Return whether a pair is the matrix of a layer, not of an embedding, and not a part of a tensor."""
    is_whole = pair.form.cell_rows is None and pair.form.torch_rows is None
    is_embedding = "Embedding" in pair.cell.layer or "Embedding" in pair.torch.layer
    return is_whole and pair.cell.role == "weight" and len(pair.cell.shape) == 2 and not is_embedding


def _is_square(pair: Match) -> bool:
    return pair.cell.shape[0] == pair.cell.shape[1]
