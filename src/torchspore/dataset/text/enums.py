"""Modes of text transforms."""

from __future__ import annotations

import enum

__all__ = [
    "Implementation", "JiebaMode", "NormalizeForm", "SPieceTokenizerLoadType", "SPieceTokenizerOutType",
    "SentencePieceModel",
]  # fmt: skip


class Implementation(enum.IntEnum):
    """The language in which MindSpore computes a transform; set by transforms of user programs.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.Implementation.PY.value
        1

    MindSpore: `mindspore.dataset.text.transforms.Implementation`.
    """

    C = 0
    PY = 1


class JiebaMode(enum.IntEnum):
    """How `JiebaTokenizer` finds words.

    MP: the most probable words of the dictionary. HMM: by a hidden Markov model of characters. MIX: by the dictionary
    first, then by the model for the remaining single characters.
    """

    MIX = 0
    MP = 1
    HMM = 2


class NormalizeForm(enum.IntEnum):
    """Unicode's normal forms, or NONE for unchanged text."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


DE_C_INTER_NORMALIZE_FORM = {form: form for form in NormalizeForm}  # MindSpore's has the forms of its C++ engine


class SentencePieceModel(enum.IntEnum):
    """How a `SentencePieceVocab` splits words into pieces."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(enum.IntEnum):
    """What `SentencePieceTokenizer` returns: the pieces or their IDs."""

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(enum.IntEnum):
    """The source of a SentencePiece model: a file, or a vocabulary in memory."""

    FILE = 0
    MODEL = 1
