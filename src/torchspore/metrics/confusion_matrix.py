"""The confusion matrix, and classification measures derived from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from torchspore.engine.parameters import NotNegative, StrictFloat, checked
from torchspore.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]


class ConfusionMatrix(Metric):
    """The counts of samples of each class (rows) that are predicted to be of each class (columns).

    Args:
        num_classes (int): The number of classes.
        normalize (str): `"no_norm"`, counts; `"target"`, fractions of the samples of a class; `"prediction"`,
            fractions of the predictions of a class; `"all"`, fractions of all samples. Default: `"no_norm"`.
        threshold (float): For predictions of one class: those >= `threshold` count as 1. Default: `0.5`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.ConfusionMatrix(num_classes=2)
        >>> metric.update(ms.Tensor([0.9, 0.1, 0.8, 0.7]), ms.Tensor([1, 0, 0, 1]))
        >>> print(metric.eval())
        [[1. 1.]
         [0. 2.]]
    """

    @checked
    def __init__(
        self,
        num_classes: NotNegative,
        normalize: Literal["no_norm", "target", "prediction", "all"] = "no_norm",
        threshold: StrictFloat = 0.5,
    ) -> None:
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self) -> None:
        self._counts = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count predictions.

        Args:
            inputs: `y_pred` and `y`. `y` holds class indices, (N, ...). `y_pred` has predictions for each class,
                (N, C, ...), or the shape of `y`: class indices, or floats to be compared with `threshold`.
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if y_pred.ndim == y.ndim + 1 and y_pred.ndim > 1:
            classes = y_pred.argmax(1)
        else:
            classes = y_pred >= self.threshold if y_pred.dtype.kind == "f" else y_pred
        if classes.shape != y.shape:
            raise self._refuse_shapes(y_pred, y, "they must have the shapes (N, C, ...) or (N, ...), and (N, ...)")
        pairs = np.array([y.ravel(), classes.ravel()]).astype(np.int64)
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < self.num_classes:
            raise ValueError(
                f"For 'ConfusionMatrix.update', class indices must be from 0 to {self.num_classes - 1}, but got "
                f"{pairs.min()} to {pairs.max()}."
            )
        np.add.at(self._counts, tuple(pairs), 1)
        self._is_update = True

    def eval(self) -> Array:
        """Return the matrix, an array of `num_classes` by `num_classes`. Fractions of nothing are 0."""
        if not self._is_update:
            raise self._nothing()
        if self.normalize == "no_norm":
            return self._counts.copy()
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        totals = np.broadcast_to(self._counts.sum(axis, keepdims=True), self._counts.shape)
        return np.divide(self._counts, totals, out=np.zeros_like(self._counts), where=totals > 0)


def _ratio(part: Array, whole: Array) -> Array:
    """Return a quotient; nan where the divisor is 0."""
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole != 0)


# Of true positives, false positives, true negatives and false negatives.
_Measure = Callable[[Array, Array, Array, Array], Array]


def _sensitivity(tp: Array, fp: Array, tn: Array, fn: Array) -> Array:
    return _ratio(tp, tp + fn)


def _specificity(tp: Array, fp: Array, tn: Array, fn: Array) -> Array:
    return _ratio(tn, tn + fp)


def _precision(tp: Array, fp: Array, tn: Array, fn: Array) -> Array:
    return _ratio(tp, tp + fp)


def _negative_precision(tp: Array, fp: Array, tn: Array, fn: Array) -> Array:
    return _ratio(tn, tn + fn)


def _prevalence_threshold(*counts: Array) -> Array:
    tpr, fpr = _sensitivity(*counts), 1 - _specificity(*counts)
    return _ratio(np.sqrt(tpr * fpr) - fpr, tpr - fpr)


def _correlation(tp: Array, fp: Array, tn: Array, fn: Array) -> Array:
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def _informedness(*counts: Array) -> Array:
    return _sensitivity(*counts) + _specificity(*counts) - 1


_MEASURES: dict[str, _Measure] = {
    "sensitivity, recall, hit rate, true positive rate, tpr": _sensitivity,
    "specificity, selectivity, true negative rate, tnr": _specificity,
    "precision, positive predictive value, ppv": _precision,
    "negative predictive value, npv": _negative_precision,
    "miss rate, false negative rate, fnr": lambda *counts: 1 - _sensitivity(*counts),
    "fall out, false positive rate, fpr": lambda *counts: 1 - _specificity(*counts),
    "false discovery rate, fdr": lambda *counts: 1 - _precision(*counts),
    "false omission rate, for": lambda *counts: 1 - _negative_precision(*counts),
    "prevalence threshold, pt": _prevalence_threshold,
    "threat score, critical success index, ts, csi": lambda tp, fp, tn, fn: _ratio(tp, tp + fn + fp),
    "accuracy, acc": lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn),
    "balanced accuracy, ba": lambda *counts: (_informedness(*counts) + 1) / 2,
    "f1 score, f1": lambda tp, fp, tn, fn: _ratio(2 * tp, 2 * tp + fn + fp),
    "matthews correlation coefficient, mcc": _correlation,
    "fowlkes mallows index, fm": lambda *counts: np.sqrt(_precision(*counts) * _sensitivity(*counts)),
    "informedness, bookmaker informedness, bm": _informedness,
    "markedness, deltap, mk": lambda *counts: _precision(*counts) + _negative_precision(*counts) - 1,
}
_BY_NAME = {name: measure for names, measure in _MEASURES.items() for name in names.split(", ")}

_Reduction: TypeAlias = Literal["none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel"]
_PER_SAMPLE = ("none", "mean_channel", "sum_channel")  # those with one result for each sample


def _reduced(values: Array, decrease: str) -> tuple[Array, Array]:
    """Return the values of samples by classes, reduced over the axes that `decrease` names, and their counts.

    Undefined values, nan, do not count.
    """
    counts: Array = ~np.isnan(values)
    values = np.nan_to_num(values)
    if decrease == "mean":  # of each sample first
        values, counts = _mean_of(values.sum(1), counts.sum(1)), counts.max(1)
    kind, _, reduced = decrease.partition("_")
    if kind == "none":
        return values, counts
    axis = {"": None, "batch": 0, "channel": 1}[reduced]
    totals, counts = values.sum(axis), counts.sum(axis)
    return (_mean_of(totals, counts) if kind == "mean" else totals), counts


def _mean_of(totals: Array, counts: Array) -> Array:
    return np.divide(totals, counts, out=np.zeros_like(totals), where=counts > 0)


class ConfusionMatrixMetric(Metric):
    """A classification measure derived from true and false positives and negatives.

    Args:
        skip_channel (bool): As in MindSpore, contrary to the name, `False` leaves out the first of several classes, and
            `True` counts all. Default: `True`.
        metric_name (str): The measure, with spaces or underscores: sensitivity, specificity, precision, negative
            predictive value, miss rate, fall out, false discovery rate, false omission rate, prevalence threshold,
            threat score, accuracy, balanced accuracy, f1 score, matthews correlation coefficient, fowlkes mallows
            index, informedness, markedness, or a usual abbreviation such as tpr or mcc. Default: `"sensitivity"`.
        calculation_method (bool): Compute the measure for each class of each sample and reduce these, instead of
            one measure for the counts of all samples. Default: `False`.
        decrease (str): The reduction with `calculation_method`: `"none"`, the measures of all samples and classes;
            their `"mean"` or `"sum"`; over samples only (`"mean_batch"`, `"sum_batch"`) or over classes only
            (`"mean_channel"`, `"sum_channel"`). Results of several updates are averaged, weighted by their numbers of
            measures. Default: `"mean"`.

    Raises:
        NotImplementedError: There is no measure of this name.
        TypeError, ValueError: An argument of a wrong type or value.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.ConfusionMatrixMetric(metric_name="precision")
        >>> metric.update(ms.Tensor([[0, 1], [1, 0], [0, 1]]), ms.Tensor([[0, 1], [0, 1], [0, 1]]))
        >>> print(metric.eval())
        [0.66666667]
    """

    @checked
    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: _Reduction = "mean",
    ) -> None:
        api = type(self).__name__
        self.skip_channel, self.calculation_method, self.decrease = skip_channel, calculation_method, decrease
        self.metric_name = metric_name.replace("_", " ").lower()
        if self.metric_name not in _BY_NAME:
            raise NotImplementedError(
                f"For '{api}', there is no measure {metric_name!r}. Choose from: {', '.join(_BY_NAME)}."
            )
        self.clear()

    def clear(self) -> None:
        self._counts = np.zeros(4)
        self._parts: list[tuple[Array, Array]] = []

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count true and false positives and negatives.

        Args:
            inputs: `y_pred` and `y`, Tensors, lists or arrays of zeros and ones, both of the shape (N, C, ...).
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if y_pred.ndim < 2 or y_pred.shape != y.shape:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape (N, C, ...)")
        if not self.skip_channel and y.shape[1] > 1:
            y_pred, y = y_pred[:, 1:], y[:, 1:]
        axes = tuple(range(2, y.ndim))
        tp = (y_pred + y == 2).sum(axes).astype(np.float64)
        tn = (y_pred + y == 0).sum(axes).astype(np.float64)
        positive = y.sum(axes)
        counts = np.array([tp, y[0, 0].size - positive - tn, tn, positive - tp])
        if self.calculation_method:
            self._parts.append(_reduced(_BY_NAME[self.metric_name](*counts), self.decrease))
        else:
            self._counts += counts.sum((1, 2))

    def eval(self) -> Any:
        """Return the measure: an array, or a float if `calculation_method` reduces to a number."""
        if not self.calculation_method:
            return _BY_NAME[self.metric_name](*self._counts[:, None])
        if not self._parts:
            raise self._nothing()
        values, counts = zip(*self._parts)
        if self.decrease in _PER_SAMPLE:
            return np.concatenate(values)
        mean = _mean_of(np.sum([value * count for value, count in self._parts], 0), np.sum(counts, 0))
        return mean if mean.ndim else float(mean)
