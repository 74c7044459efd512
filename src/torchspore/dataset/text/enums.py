"""Modes of text transforms."""

from __future__ import annotations

import enum

__all__ = [
    "Implementation",
    "JiebaMode",
    "NormalizeForm",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
]


class Implementation(enum.IntEnum):
    """In which language MindSpore computes a transform; programs note it in transforms of their own.

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

    MP: those of the dictionary that are most probable together. HMM: by a hidden Markov model of characters. MIX: by
    the dictionary first, and the model for what is left in single characters.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.JiebaMode.MIX.value
        0
    """

    MIX = 0
    MP = 1
    HMM = 2


class NormalizeForm(enum.IntEnum):
    """Unicode's normal forms, or NONE for the text as it is.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.NormalizeForm.NFKC.value
        2
    """

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class SentencePieceModel(enum.IntEnum):
    """How a `SentencePieceVocab` divides words into pieces.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.SentencePieceModel.BPE.value
        1
    """

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(enum.IntEnum):
    """What `SentencePieceTokenizer` gives: the pieces, or their numbers.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.SPieceTokenizerOutType.INT.value
        1
    """

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(enum.IntEnum):
    """Where a SentencePiece model comes from: a file, or a vocabulary in memory.

    Examples:
        >>> import torchspore.dataset.text as text
        >>> text.SPieceTokenizerLoadType.MODEL.value
        1
    """

    FILE = 0
    MODEL = 1
