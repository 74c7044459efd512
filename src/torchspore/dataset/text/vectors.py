"""Word vectors from pretrained files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from torchspore.common.error_classes import WrongValue
from torchspore.dataset.parameters import File, Float32, Whole, ruled, take_as
from torchspore.dataset.text.base import TextTensorOperation
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Rule

__all__ = ["CharNGram", "FastText", "GloVe", "ToVectors", "Vectors"]


class Vectors:
    """Word vectors, created by `from_file`.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset.text as text
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("deep 1 2\\nsea 3 4\\n")
        ...     file.flush()
        ...     text.Vectors.from_file(file.name).vector("sea")
        array([3., 4.], dtype=float32)
    """

    def __init__(self) -> None:
        self._vectors: dict[str, Array] = {}

    @property
    def dim(self) -> int:
        """The length of the vectors."""
        return len(next(iter(self._vectors.values()), ()))

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Any:
        """Read a file with a word and its vector in each line, separated by spaces.

        A first line of two fields, the numbers of words and of dimensions, is skipped. Of a repeated word, the first
        vector is used.

        Args:
            file_path: the file, in UTF-8.
            max_vectors: the maximum number of vectors; 0 for all. Default: None, all.

        Raises:
            ValueError: the file has no vectors, or their lengths differ.

        Examples:
            >>> import tempfile
            >>> import torchspore.dataset.text as text
            >>> with tempfile.NamedTemporaryFile("w+") as file:
            ...     _ = file.write("deep 1 2\\nsea 3 4\\n")
            ...     file.flush()
            ...     text.Vectors.from_file(file.name, max_vectors=1).dim
            2
        """
        api = f"{cls.__name__}.from_file"
        path = take_as(File, file_path, "file_path", api)
        maximum = take_as(Whole | None, max_vectors, "max_vectors", api) or 0
        vectors = cls()
        dim = None
        try:
            for number, word, values in _lines(path):
                dim = dim or len(values)
                if len(values) != dim or dim < 2:
                    raise ValueError(
                        "each line must have a word and a vector of the same length, at least 2, but line "
                        f"{number} has {len(values)} numbers."
                    )
                vectors._vectors.setdefault(word, _numbers(number, values))
                if len(vectors._vectors) == maximum:
                    break
        except (OSError, ValueError) as error:
            raise WrongValue(f"For '{api}', the file {path!r} cannot be read: {error}") from error
        if not vectors._vectors:
            raise WrongValue(f"For '{api}', the file {path!r} must have vectors, but has none.")
        return vectors

    def vector(self, word: str) -> Array | None:
        """Return the vector of a word, or None if it is unknown."""
        return self._vectors.get(word)


def _lines(path: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (number of the line, word, fields of its vector)."""
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            word, *values = line.rstrip(" \r\n").split(" ")
            if number > 1 or len(values) != 1:
                yield number, word, values


def _numbers(line: int, values: list[str]) -> Array:
    try:
        return np.array(values, np.float32)
    except ValueError as error:
        raise ValueError(f"line {line} must have numbers after its word: {error!s:.200}.") from error


class GloVe(Vectors):
    """Vectors in the files of GloVe, such as "glove.6B.300d.txt".

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset.text as text
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("deep 1 2\\nsea 3 4\\n")
        ...     file.flush()
        ...     text.GloVe.from_file(file.name).vector("deep")
        array([1., 2.], dtype=float32)
    """


class FastText(Vectors):
    """Vectors in the files of fastText, such as "wiki.en.vec".

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset.text as text
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("2 3\\ndeep 1 2 3\\nsea 4 5 6\\n")
        ...     file.flush()
        ...     text.FastText.from_file(file.name).vector("sea")
        array([4., 5., 6.], dtype=float32)
    """


class CharNGram(Vectors):
    """Vectors of two to four neighboring characters, in lines such as "2gram-se 1 2".

    The vector of a word is the mean over its n-grams; "#BEGIN#" and "#END#" stand for its ends.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset.text as text
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("2gram-se 1 2\\n3gram-sea 3 4\\n")
        ...     file.flush()
        ...     text.CharNGram.from_file(file.name).vector("sea")
        array([2., 3.], dtype=float32)
    """

    def vector(self, word: str) -> Array | None:
        """Return the mean of the vectors of a word's n-grams, or None if all are unknown."""
        characters = ["#BEGIN#", *word, "#END#"]
        n_grams = [
            f"{count}gram-{''.join(characters[start : start + count])}"
            for count in (2, 3, 4)
            for start in range(len(characters) - count + 1)
        ]
        found = [self._vectors[n_gram] for n_gram in n_grams if n_gram in self._vectors]
        return np.mean(found, 0) if found else None


class ToVectors(TextTensorOperation):
    """Returns the vectors of words.

    Args:
        vectors: `Vectors`, or a subclass.
        unk_init: the vector of unknown words. Default: None, zeros.
        lower_case_backup: whether an unknown word is also looked up in lowercase. Default: False.

    Raises:
        ValueError: the length of `unk_init` differs from the length of the vectors.

    Examples:
        >>> import tempfile
        >>> import torchspore.dataset.text as text
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("deep 1 2\\nsea 3 4\\n")
        ...     file.flush()
        ...     vectors = text.Vectors.from_file(file.name)
        >>> text.ToVectors(vectors, [-1, -1], lower_case_backup=True)(["Sea", "sky"])
        array([[ 3.,  4.],
               [-1., -1.]], dtype=float32)
    """

    @ruled(
        Rule(
            "'unk_init' must have as many numbers as the vectors",
            lambda unk_init, vectors: unk_init is None or len(unk_init) == vectors.dim,
        )
    )
    def __init__(
        self, vectors: Vectors, unk_init: Sequence[Float32] | None = None, lower_case_backup: bool = False
    ) -> None:
        self.vectors = vectors
        self.lower_case_backup = lower_case_backup
        self._unknown = np.array([0] * vectors.dim if unk_init is None else unk_init, np.float32)

    def _apply(self, value: Array) -> Array:
        found = np.array([self._vector(word) for word in value.reshape(-1).tolist()], np.float32)
        return found[0] if len(found) == 1 else found

    def _vector(self, word: str) -> Array:
        found = self.vectors.vector(word)
        if found is None and self.lower_case_backup:
            found = self.vectors.vector(word.lower())
        return self._unknown if found is None else found
