"""Language metrics: the perplexity of a model and the BLEU score of translations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits, checked
from torchspore.metrics.metric import MeanMetric, Metric, rearrange_inputs

__all__ = ["BleuScore", "Perplexity"]

_MIN_PROBABILITY = 1e-10


class Perplexity(MeanMetric):
    """The perplexity of a model: the inverse geometric mean of the probabilities that it assigns to the labels.

    Args:
        ignore_label (Union[int, None]): A label to ignore. Default: `None`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Perplexity()
        >>> metric.update(ms.Tensor([[0.5, 0.5], [0.25, 0.75]]), ms.Tensor([0, 0]))
        >>> print(f"{metric.eval():.4f}")
        2.8284
    """

    @checked
    def __init__(self, ignore_label: int | None = None) -> None:
        self.ignore_label = ignore_label
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the probabilities of labels.

        Args:
            inputs: `preds`, the probabilities of the classes along the last axis, (..., C), and `labels`, class
                indices, (...).

        Raises:
            RuntimeError: The shapes do not fit each other.
            ValueError: There are not two inputs, or `labels` are not class indices.
        """
        preds, labels = self._arrays(inputs, "preds", "labels")
        if not preds.ndim or preds.shape[:-1] != labels.shape:
            raise RuntimeError(
                f"For 'Perplexity.update', 'labels' must have the shape of 'preds' without its last axis, but got "
                f"{labels.shape} and {preds.shape}."
            )
        preds, classes = preds.reshape(-1, preds.shape[-1]), labels.ravel().astype(np.int64)
        kept = classes != self.ignore_label
        preds, classes = preds[kept], classes[kept]
        if classes.size and not 0 <= classes.min() <= classes.max() < preds.shape[1]:
            raise ValueError(f"For 'Perplexity.update', 'labels' must be from 0 to {preds.shape[1] - 1}.")
        probabilities = preds[np.arange(len(classes)), classes]
        self._sum += float(np.log(np.maximum(probabilities, _MIN_PROBABILITY)).sum())
        self._count += len(classes)

    def eval(self) -> float:
        """Return the perplexity."""
        return math.exp(-super().eval())


class BleuScore(Metric):
    """The BLEU score of translations: the fraction of their n-grams that occur in reference translations.

    Args:
        n_gram (int): The length of the longest n-grams, 1 to 4. Default: `4`.
        smooth (bool): Add one to each count. Default: `False`.

    Raises:
        ValueError: `n_gram` is not from 1 to 4.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.BleuScore(n_gram=2)
        >>> metric.update([["a", "cat", "sat", "down"]], [[["a", "cat", "sat", "there"], ["she", "sat", "down"]]])
        >>> print(metric.eval())
        1.0
    """

    @checked
    def __init__(self, n_gram: Annotated[int, Limits(1, 4)] = 4, smooth: bool = False) -> None:
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self) -> None:
        self._found = np.zeros(self.n_gram)  # by the length of the n-grams
        self._all = np.zeros(self.n_gram)
        self._length = 0
        self._reference_length = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add translations.

        Args:
            inputs: `candidate_corpus`, a list of translations, each a list of words, and `reference_corpus`, a list
                with a list of reference translations for each of these.
        """
        self._check_count(inputs, "candidate_corpus", "reference_corpus")
        candidates, references = inputs
        if not isinstance(candidates, Sequence) or not isinstance(references, Sequence):
            raise TypeError(
                f"For 'BleuScore.update', 'candidate_corpus' and 'reference_corpus' must be lists, but got "
                f"{describe(candidates)} and {describe(references)}."
            )
        if len(candidates) != len(references):
            raise ValueError(
                f"For 'BleuScore.update', 'candidate_corpus' and 'reference_corpus' must have the same length, but got "
                f"{len(candidates)} and {len(references)}."
            )
        for words, translations in zip(candidates, references):
            self._add(words, translations)
        self._is_update = True

    def _add(self, words: Sequence[str], translations: Sequence[Sequence[str]]) -> None:
        self._length += len(words)
        self._reference_length += min((len(other) for other in translations), key=lambda n: abs(n - len(words)))
        allowed: Counter[tuple[str, ...]] = Counter()
        for other in translations:
            allowed |= self._sequences(other)
        counted = self._sequences(words)
        for sequence, count in counted.items():
            self._all[len(sequence) - 1] += count
        for sequence, count in (counted & allowed).items():
            self._found[len(sequence) - 1] += count

    def _sequences(self, words: Sequence[str]) -> Counter[tuple[str, ...]]:
        lengths = range(1, self.n_gram + 1)
        return Counter(tuple(words[at : at + n]) for n in lengths for at in range(len(words) - n + 1))

    def eval(self) -> Any:
        """Return the score, a numpy.float64."""
        if not self._is_update:
            raise self._nothing()
        if not self._found.all():
            return np.float64(0.0)
        precisions = (self._found + self.smooth) / (self._all + self.smooth)
        brevity = min(0.0, 1 - self._reference_length / self._length)
        return np.exp(brevity + np.log(precisions).mean())
