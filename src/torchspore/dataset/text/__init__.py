"""Transforms of text: vocabularies, tokenizers, normal forms, vectors of words.

The names are from `mindspore.dataset.text`. All transforms raise a TypeError if an argument or a value has the
wrong type, and a ValueError if a number is outside the documented range, a file does not exist or has a different
format, or a value has the wrong number of dimensions. Their documentation lists further errors.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.dataset.text.base import TextTensorOperation
from torchspore.dataset.text.chinese import JiebaTokenizer
from torchspore.dataset.text.cleaning import CaseFold, FilterWikipediaXML, NormalizeUTF8
from torchspore.dataset.text.enums import *
from torchspore.dataset.text.enums import DE_C_INTER_NORMALIZE_FORM  # noqa: F401 - packages import it
from torchspore.dataset.text.regular import RegexReplace
from torchspore.dataset.text.sentencepiece import SentencePieceTokenizer, SentencePieceVocab
from torchspore.dataset.text.sequences import *
from torchspore.dataset.text.subwords import BertTokenizer, WordpieceTokenizer
from torchspore.dataset.text.tokenizers import *
from torchspore.dataset.text.vectors import CharNGram, FastText, GloVe, ToVectors, Vectors
from torchspore.dataset.text.vocabulary import Lookup, Vocab

__all__ = [
    "AddToken", "BasicTokenizer", "BertTokenizer", "CaseFold", "CharNGram", "FastText", "FilterWikipediaXML", "GloVe",
    "Implementation", "JiebaMode", "JiebaTokenizer", "Lookup", "Ngram", "NormalizeForm", "NormalizeUTF8",
    "PythonTokenizer", "RegexReplace", "RegexTokenizer", "SPieceTokenizerLoadType", "SPieceTokenizerOutType",
    "SentencePieceModel", "SentencePieceTokenizer", "SentencePieceVocab", "SlidingWindow", "TextTensorOperation",
    "ToNumber", "ToVectors", "Truncate", "TruncateSequencePair", "UnicodeCharTokenizer", "UnicodeScriptTokenizer",
    "Vectors", "Vocab", "WhitespaceTokenizer", "WordpieceTokenizer", "to_bytes", "to_str",
]  # fmt: skip

_suggest_names(globals())
