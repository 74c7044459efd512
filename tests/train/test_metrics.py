"""Metrics: values, types and errors as recorded from MindSpore 2.10, and results where MindSpore fails."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

import preloaded
import torchspore as ms
from data import record_metrics as record
from torchspore.metrics.metric import EvaluationBase
from torchspore.train import metrics

RECORD = json.loads((Path(__file__).parent.parent / "data" / "metrics.json").read_text(encoding="utf-8"))
SCOPE = record.names(ms)

# Errors that MindSpore's metrics run into, having checked nothing: here they are of the types on the right.
ACCIDENTS = {"AxisError", "IndexError", "UFuncTypeError", "ZeroDivisionError"}
CHECKED = ({"error": "RuntimeError"}, {"error": "TypeError"}, {"error": "ValueError"})

NO_NUMBER = r"(None|'.*'|\(1, 2\)|\[.*\]|\{\}|Tensor\(1\))"
# Where TorchSpore means to differ; None: another test says how.
DIFFERENT = [
    (r"ConfusionMatrix\(2, [^'].*, 0.5\)", {"error": "TypeError"}),  # which is a ValueError, too
    # The documented errors: for a label that is not a number, and before any update.
    (rf"run\((Hausdorff|MeanSurface)Distance\(\), \(a, b, {NO_NUMBER},?\)\)", {"error": "TypeError"}),
    (r"run\((MeanSurface|RootMeanSquare)Distance\(\)\)", {"error": "RuntimeError"}),
    # Words among the numbers.
    (r"run\(.*\(.*\[1\.0, 'a'\].*,\)\)", {"error": "TypeError"}),
    # A single label is not taken for all samples.
    (r"run\((Fbeta\(2\)|TopKCategoricalAccuracy\(1\)), \(p, (\[1\]|Tensor\(1\)),\)\)", {"error": "ValueError"}),
    (r"run\(ConfusionMatrix\(2\), \((\[1\], y|p, \[1\]),\)\)", {"error": "ValueError"}),
    # What a constructor can see.
    (r"ConfusionMatrixMetric\(True, '(a|)', False, 'mean'\)", {"error": "NotImplementedError"}),
    (r"Fbeta\(Tensor\(1\)\)", {"error": "TypeError"}),
    (r"OcclusionSensitivity\(0.0, (-1, 128|2, 0|2, -1), None\)", {"error": "ValueError"}),
    (r"OcclusionSensitivity\(0.0, (\[1.0, 'a'\], 128, None|2, 128, \[1.0, 'a'\])\)", {"error": "TypeError"}),
    (r"OcclusionSensitivity\(0.0, (\(1, 2\), 128, None|2, 128, \(1, 2\))\)", "OcclusionSensitivity"),
    # Class numbers may be floating numbers.
    (r"run\(Precision\(\), (\(p, y \* 1.0\)|.*float32.*)\)", {"array float64 [2]": [0.5, 1.0]}),
    (r"run\(Recall\(\), .*float32.*\)", {"array float64 [2]": [1.0, 0.5]}),
    (r"run\(Fbeta\(2\), .*float32.*\)", {"array float64 [2]": [0.8333333333333334, 0.5555555555555556]}),
    # MindSpore takes the longest distance here.
    (r"run\(HausdorffDistance\(percentile=0.0\), \(shape, other, 1\)\)", {"float64": 0.0}),
    # Batches of texts, more or fewer samples than classes, measures of samples, and margins of axes.
    (r"run\(Perplexity\(\), .*\[?p3.*\)", None),
    (r"run\(ROC\(class_num=(2|3)\), \((p, y|p3, y3)\)(, \(q3, z3\))?\)", None),
    (r"run\(ConfusionMatrixMetric\(True, calculation_method=True\), \(many, truth\)\)", None),
    (r"run\(ConfusionMatrixMetric\(False, 'f1 score', True, '(none|.*_batch|.*_channel)'\), .*\)", None),
    (r"run\(OcclusionSensitivity\(1.0, 1\), .*\)", None),
    (r"run\(OcclusionSensitivity\(margin=[\[(].*\), .*\)", None),
    (r"run\(OcclusionSensitivity\(\), \(dense, (x4, \[1\]|Tensor\(x4.astype.*),\)\)", None),
]


def expected(expression: str, recorded: object) -> object:
    """Return what TorchSpore's result must be, and None where that is not in a table."""
    for pattern, ours in DIFFERENT:
        if re.fullmatch(pattern, expression):
            return ours
    return recorded


def assert_same(found: object, wanted: object) -> None:
    """Compare results with their types, apart from the last digits."""
    assert type(found) is type(wanted)
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for kind in wanted:
            if "float32" in kind:
                np.testing.assert_allclose(found[kind], wanted[kind], rtol=1e-6, atol=1e-6)
            else:
                assert_same(found[kind], wanted[kind])
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            assert_same(one, other)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
    else:
        assert found == wanted


CASES = [(expression, outcome) for table in RECORD.values() for expression, outcome in table.items()]
WANTED = [(expression, outcome) for expression, outcome in CASES if expected(expression, outcome or "None") is not None]


@pytest.mark.slow
@pytest.mark.parametrize(("expression", "recorded"), WANTED, ids=[case[0] for case in WANTED])
def test_as_recorded(expression, recorded):
    wanted = expected(expression, recorded)
    found = json.loads(json.dumps(record.outcome(SCOPE, expression)))
    if isinstance(wanted, dict) and wanted.get("error") in ACCIDENTS:
        assert found in (*CHECKED, wanted)
    else:
        assert_same(found, wanted)


def test_the_recorded_differences_exist():
    """None of the patterns above is stale, and each changes something."""
    for pattern, ours in DIFFERENT:
        matching = [(expression, outcome) for expression, outcome in CASES if re.fullmatch(pattern, expression)]
        assert any(outcome != ours for _, outcome in matching), pattern


def test_error_messages_name_the_metric():
    unclear = []
    for expression, outcome in CASES:
        if not isinstance(outcome, dict) or "error" not in outcome or "get_metric" in expression:
            continue
        try:
            eval(expression, SCOPE)
        except Exception as error:
            if not str(error).startswith("For '"):
                unclear.append(expression)
    # Python's own, and the model's under test.
    assert unclear == ["run(CosineSimilarity(), (rows, rows))", "Metric().clear"]


def test_the_names_are_everywhere():
    for name in set(metrics.__all__) - {"get_metrics"}:
        found = getattr(metrics, name)
        assert getattr(ms.train, name) is getattr(ms, name) is getattr(ms.nn, name) is found
    assert ms.nn.get_metrics is metrics.get_metrics
    assert ms.nn.metrics is metrics
    for module in (ms, ms.nn):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Nonsense'"):
            _ = module.Nonsense


@pytest.mark.slow
def test_metrics_are_imported_when_asked_for():
    code = """
import sys, torchspore
assert not any(name.startswith("torchspore.train") for name in sys.modules)
from torchspore import Accuracy
import torchspore.as_mindspore
import mindspore.nn as nn
from mindspore.train.metrics.fbeta import F1
from mindspore.train.metrics.metric import EvaluationBase
from mindspore.nn.metrics import Accuracy as Again
assert nn.Accuracy is Again is Accuracy and nn.F1 is F1 and issubclass(F1, EvaluationBase)
assert nn.metrics.Accuracy is Accuracy and nn.MaxPool2dExt
"""
    preloaded.output_of(code)


def test_a_metric_of_its_own():
    class Correlation(ms.nn.Metric):
        def clear(self):
            self._pairs = []

        @ms.nn.rearrange_inputs
        def update(self, *inputs):
            self._pairs.append([self._convert_data(value) for value in inputs])

        def eval(self):
            return np.corrcoef(*np.concatenate(self._pairs, 1))[0, 1]

    metric = Correlation().set_indexes([2, 0])
    metric.clear()
    metric.update(ms.Tensor([1.0, 2.0]), None, [2.0, 4.0])
    metric.update([5.0], None, np.array([10.0]))
    np.testing.assert_allclose(metric.eval(), 1.0)
    np.testing.assert_allclose(metric([1.0, 2.0], None, [3.0, 1.0]), -1.0)
    assert isinstance(ms.train.Accuracy(), EvaluationBase)


def test_clear_forgets():
    for constructor, given in record.UPDATES.items():
        metric = eval(constructor, SCOPE)
        inputs = eval(f"({', '.join(given)},)", SCOPE)
        metric.update(*inputs)
        first = record.plain(metric.eval())
        metric.update(*inputs)
        metric.clear()
        metric.update(*inputs)
        assert record.plain(metric.eval()) == first, constructor


@pytest.mark.parametrize(("samples", "classes"), [(9, 3), (4, 5), (30, 2)])
def test_roc_of_more_or_fewer_samples_than_classes(samples, classes):
    random = np.random.RandomState(1)
    y_pred = random.randint(0, 8, (samples, classes)) / 8  # some are equal
    y = np.arange(samples) % classes
    if samples < classes:
        y_pred, y = y_pred[:, :samples], y
    metric = ms.train.ROC(class_num=y_pred.shape[1])
    metric.update(ms.Tensor(y_pred), ms.Tensor(y))
    for label, (wrong, right, thresholds) in enumerate(zip(*metric.eval())):
        scores = y_pred[:, label]
        assert thresholds.tolist() == [scores.max() + 1, *sorted(set(scores.tolist()), reverse=True)]
        for threshold, false_rate, true_rate in zip(thresholds, wrong, right):
            np.testing.assert_allclose(true_rate, (scores[y == label] >= threshold).mean())
            np.testing.assert_allclose(false_rate, (scores[y != label] >= threshold).mean())
        area = np.mean([(a > b) + (a == b) / 2 for a in scores[y == label] for b in scores[y != label]])
        np.testing.assert_allclose(ms.train.auc(wrong, right), area)


def test_perplexity_of_a_batch_of_texts():
    preds, labels = np.random.RandomState(2).rand(2, 3, 4), np.array([[0, 3, 1], [2, 2, 0]])
    likely = np.array([preds[i, j, labels[i, j]] for i, j in np.ndindex(2, 3) if labels[i, j] != 2])
    metric = ms.train.Perplexity(ignore_label=2)
    np.testing.assert_allclose(metric(ms.Tensor(preds), ms.Tensor(labels)), likely.prod() ** (-1 / len(likely)))


@pytest.mark.parametrize("shape", [(5, 3), (5, 3, 4)])
def test_confusion_measures_of_samples_and_classes(shape):
    random = np.random.RandomState(3)
    batches = [(random.randint(0, 2, shape), random.randint(0, 2, shape)) for _ in range(2)]
    batches[0][1][0, 0] = batches[1][1][2] = 0  # no positives: measures of nothing
    parts = []
    for y_pred, y in batches:
        sums = tuple(range(2, y.ndim))
        positives = y.sum(sums)
        with np.errstate(invalid="ignore"):
            parts.append((y_pred * y).sum(sums) / positives)

    def measured(decrease):
        metric = ms.train.ConfusionMatrixMetric(True, "tpr", True, decrease)
        for batch in batches:
            metric.update(*batch)
        return metric.eval()

    together = np.concatenate(parts)
    counts = [np.isfinite(part).sum(0) for part in parts]
    sums = [np.nansum(part, 0) for part in parts]
    np.testing.assert_allclose(measured("none"), np.nan_to_num(together))
    np.testing.assert_allclose(measured("sum_channel"), np.nansum(together, 1))
    valid = np.isfinite(together).any(1)
    means = np.where(valid, np.nansum(together, 1) / np.maximum(np.isfinite(together).sum(1), 1), 0)
    np.testing.assert_allclose(measured("mean_channel"), means)
    np.testing.assert_allclose(measured("mean"), means[valid].mean())
    np.testing.assert_allclose(measured("mean_batch"), np.nanmean(together, 0))
    np.testing.assert_allclose(measured("sum_batch"), (sums[0] * counts[0] + sums[1] * counts[1]) / sum(counts))
    totals = [count.sum() for count in counts]
    np.testing.assert_allclose(measured("sum"), (sums[0].sum() * totals[0] + sums[1].sum() * totals[1]) / sum(totals))


@pytest.mark.parametrize("metric", ["euclidean", "chessboard", "taxicab"])
@pytest.mark.parametrize("shape", [(17,), (9, 12), (5, 7, 6)])
def test_surface_distances_are_those_of_all_pairs(metric, shape):
    random = np.random.RandomState(4)
    masks = [random.rand(*shape) > 0.5 for _ in range(2)]

    def surface(mask):
        steps = [*np.eye(len(shape), dtype=int), *-np.eye(len(shape), dtype=int)]
        points = {tuple(point) for point in np.argwhere(mask).tolist()}
        return np.array([p for p in points if any(tuple((p + step).tolist()) not in points for step in steps)])

    ways = np.abs(surface(masks[0])[:, None] - surface(masks[1])[None])
    ways = {"euclidean": np.sqrt((ways**2).sum(-1)), "chessboard": ways.max(-1), "taxicab": ways.sum(-1)}[metric]
    there, back = ways.min(1), ways.min(0)
    given = *(mask.astype(np.float32) for mask in masks), 1
    np.testing.assert_allclose(ms.train.HausdorffDistance(metric)(*given), max(there.max(), back.max()))
    np.testing.assert_allclose(ms.train.HausdorffDistance(metric, 40.0, True)(*given), np.percentile(there, 40))
    np.testing.assert_allclose(ms.train.MeanSurfaceDistance(False, metric)(*given), there.mean())
    np.testing.assert_allclose(ms.train.MeanSurfaceDistance(True, metric)(*given), (there.mean() + back.mean()) / 2)
    squares = ((there**2).mean() + (back**2).mean()) / 2
    np.testing.assert_allclose(ms.train.RootMeanSquareDistance(True, metric)(*given), np.sqrt(squares))


@pytest.mark.parametrize(("margin", "box"), [([1, 2], None), ((2, 0), [0, 2, 1, 1]), (1, (-1, -1, 2, 3))])
def test_occlusion_of_every_place(margin, box):
    image = np.random.RandomState(5).rand(1, 4, 5).astype(np.float32)
    weight = np.random.RandomState(6).rand(3, 20).astype(np.float32)

    def model(images):
        assert len(images) <= 4
        return ms.Tensor(images.asnumpy().reshape(-1, 20) @ weight.T)

    first, second = margin if not isinstance(margin, int) else (margin, margin)
    rows, columns = (
        (range(4), range(5)) if box is None else ({0: range(3), -1: range(4)}[box[0]], range(box[2], box[3] + 1))
    )
    losses = []
    for row, column in itertools.product(rows, columns):
        covered = image.copy()
        for i, j in np.ndindex(4, 5):
            if row - first <= i < row + first and column - second <= j < column + second:
                covered[0, i, j] = 0.5
        losses.append(((image - covered).reshape(-1) @ weight.T)[2])
    metric = ms.train.OcclusionSensitivity(0.5, margin, n_batch=4, b_box=box)
    metric.update(model, ms.Tensor(image), ms.Tensor([2]))
    assert metric.eval().shape == (len(rows), len(columns))
    np.testing.assert_allclose(metric.eval().ravel(), losses, rtol=1e-4, atol=1e-5)
