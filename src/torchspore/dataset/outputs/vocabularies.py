"""Methods of datasets that build vocabularies."""

from __future__ import annotations

from typing import Any

from torchspore.dataset.parameters import AnyColumns
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.text.enums import SentencePieceModel
from torchspore.dataset.text.sentencepiece import SentencePieceVocab
from torchspore.dataset.text.vocabulary import Vocab

__all__: list[str] = []


@attach("build_vocab")
def _build_vocab(
    self: Dataset, columns: AnyColumns, freq_range: tuple[int | None, int | None] | None,
    top_k: int | None, special_tokens: list[str] | None, special_first: bool,
) -> Vocab:  # fmt: skip
    """Return the vocabulary of the words in the dataset: `text.Vocab.from_dataset`, which has the arguments.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset(["sea", "deep", "sea"], ["word"])
        >>> data.build_vocab("word", None, None, ["<pad>"], True).vocab()
        {'<pad>': 0, 'sea': 1, 'deep': 2}

    MindSpore: `mindspore.dataset.Dataset.build_vocab`.
    """
    return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)


@attach("build_sentencepiece_vocab")
def _build_sentencepiece_vocab(
    self: Dataset, columns: list[str], vocab_size: int, character_coverage: float, model_type: SentencePieceModel,
    params: dict[str, Any],
) -> SentencePieceVocab:  # fmt: skip
    """Return the vocabulary of pieces of the sentences in the dataset: `text.SentencePieceVocab.from_dataset`.

    MindSpore: `mindspore.dataset.Dataset.build_sentencepiece_vocab`.
    """
    return SentencePieceVocab.from_dataset(self, columns, vocab_size, character_coverage, model_type, params)
