"""SentencePiece: vocabularies of pieces learned from sentences, and their tokenizer."""

from __future__ import annotations

import importlib
import io
import os
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import File, Natural, checked
from torchspore.dataset.pipeline.dataset import Dataset
from torchspore.dataset.text.base import TextTensorOperation
from torchspore.dataset.text.enums import SentencePieceModel, SPieceTokenizerLoadType, SPieceTokenizerOutType
from torchspore.dataset.text.vocabulary import words_of
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Limits, Where
from torchspore.engine.parameters.limits import Strict
from torchspore.engine.storage.writing import replacing

__all__ = ["SentencePieceTokenizer", "SentencePieceVocab"]

_Coverage: TypeAlias = Annotated[float, Strict(), Limits(0, 1)]


def _package(api: str) -> Any:
    try:
        return importlib.import_module("sentencepiece")
    except ImportError as error:
        raise ImportError(
            f"'{api}' requires the package sentencepiece: pip install sentencepiece, or pip install 'torchspore[text]'."
        ) from error


class SentencePieceVocab:
    """A vocabulary of pieces of words, created by `from_dataset` or `from_file`. Requires the package sentencepiece.

    Examples:
        >>> import torchspore.dataset as ds
        >>> import torchspore.dataset.text as text
        >>> lines = ["deep sea", "the sea is deep", "see the deep sea"] * 9
        >>> data = ds.NumpySlicesDataset(lines, ["line"], shuffle=False)
        >>> kind = text.SentencePieceModel.BPE
        >>> vocab = text.SentencePieceVocab.from_dataset(data, ["line"], 20, 1.0, kind, {})
        >>> text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.STRING)("deep sea")
        array(['▁deep', '▁sea'], dtype='<U5')
    """

    def __init__(self) -> None:
        self._model = b""

    @classmethod
    @checked
    def from_dataset(
        cls, dataset: Dataset, col_names: list[str], vocab_size: Natural, character_coverage: _Coverage,
        model_type: SentencePieceModel, params: dict[str, Any],
    ) -> SentencePieceVocab:  # fmt: skip
        """Learn a vocabulary from the sentences of a dataset.

        Args:
            dataset: the dataset.
            col_names: the columns of sentences; an empty list for all.
            vocab_size: the number of pieces.
            character_coverage: the fraction of the characters to cover, in [0, 1]: 0.9995 for languages with many,
                such as Chinese and Japanese, otherwise 1.0.
            model_type: a `SentencePieceModel`.
            params: further settings of SentencePiece's trainer by name.

        Raises:
            RuntimeError: a column does not exist, or SentencePiece cannot learn from the sentences.
        """
        api = "SentencePieceVocab.from_dataset"
        settings = vocab_size, character_coverage, model_type, params
        return cls._trained(api, *settings, sentence_iterator=iter(list(words_of(api, dataset, col_names))))

    @classmethod
    @checked
    def from_file(
        cls, file_path: list[File], vocab_size: Natural, character_coverage: _Coverage, model_type: SentencePieceModel,
        params: dict[str, Any],
    ) -> SentencePieceVocab:  # fmt: skip
        """Learn a vocabulary from files with a sentence in each line.

        Args:
            file_path: the files.
            vocab_size, character_coverage, model_type, params: as for `from_dataset`.
        """
        api = "SentencePieceVocab.from_file"
        return cls._trained(api, vocab_size, character_coverage, model_type, params, input=file_path)

    @classmethod
    def _trained(
        cls, api: str, vocab_size: int, character_coverage: float, model_type: SentencePieceModel,
        params: dict[str, Any], **source: Any,
    ) -> SentencePieceVocab:  # fmt: skip
        settings = {
            "vocab_size": vocab_size, "character_coverage": character_coverage, "model_type": model_type.name.lower(),
        }  # fmt: skip
        writer = io.BytesIO()
        package = _package(api)
        try:
            package.SentencePieceTrainer.train(model_writer=writer, minloglevel=2, **(settings | params | source))
        except (RuntimeError, OSError) as error:
            read = f"the files {source['input']}" if "input" in source else "this"
            raise RuntimeError(f"For '{api}', SentencePiece cannot learn from {read}: {error}") from error
        vocab = cls()
        vocab._model = writer.getvalue()
        return vocab

    @classmethod
    @checked
    def save_model(
        cls,
        vocab: SentencePieceVocab,
        path: Annotated[str, Where("a directory that exists", os.path.isdir)],
        filename: str,
    ) -> None:
        """Save the model of a vocabulary to a file, which other programs can read.

        Args:
            vocab: the vocabulary.
            path: the directory.
            filename: the name of the file.
        """
        with replacing(os.path.join(path, filename)) as file:
            file.write(vocab._model)


class SentencePieceTokenizer(TextTensorOperation):
    """Splits sentences into the pieces of a SentencePiece model. Requires the package sentencepiece.

    Args:
        mode: a `SentencePieceVocab`, or the path of a model's file.
        out_type: whether to return the pieces or their IDs, a `SPieceTokenizerOutType`.

    Examples:
        >>> import torchspore.dataset as ds
        >>> import torchspore.dataset.text as text
        >>> data = ds.NumpySlicesDataset(["deep sea", "sea", "see"] * 9, ["line"], shuffle=False)
        >>> vocab = text.SentencePieceVocab.from_dataset(data, [], 12, 1.0, text.SentencePieceModel.CHAR, {})
        >>> text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.STRING)("sea")
        array(['▁', 's', 'e', 'a'], dtype='<U1')
    """

    _ranks = (0,)

    def __init__(self, mode: SentencePieceVocab | File, out_type: SPieceTokenizerOutType) -> None:
        api = "SentencePieceTokenizer"
        self.out_type = out_type
        loads = SPieceTokenizerLoadType
        self.load_type = loads.MODEL if isinstance(mode, SentencePieceVocab) else loads.FILE
        if isinstance(mode, SentencePieceVocab):
            source: dict[str, Any] = {"model_proto": mode._model}
        else:
            source = {"model_file": mode}
        try:
            self._processor = _package(api).SentencePieceProcessor(**source)
        except (RuntimeError, OSError) as error:
            raise ValueError(f"For '{api}', 'mode' must be a SentencePiece model, but got {mode!r}: {error}") from error

    def _apply(self, value: Array) -> Array:
        if self.out_type is SPieceTokenizerOutType.INT:
            return np.array(self._processor.encode(value.item(), out_type=int), np.int32)
        return np.array(self._processor.encode(value.item(), out_type=str), str)
