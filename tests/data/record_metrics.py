"""Record what MindSpore 2.10's metrics give, into `metrics.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_metrics.py`.

Cases are Python expressions, evaluated here with MindSpore's names and in the tests with TorchSpore's.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

RANDOM = np.random.RandomState(0)
ARRAYS = {
    "p": np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]),
    "y": np.array([1, 0, 1]),
    "hot": np.array([[0, 1], [1, 0], [0, 1]]),
    "p3": RANDOM.rand(6, 3),
    "q3": RANDOM.rand(4, 3),
    "y3": np.array([0, 2, 1, 1, 2, 2]),
    "z3": np.array([2, 2, 0, 1]),
    "hot3": np.eye(3, dtype=np.int64)[[0, 2, 1, 1, 2, 2]],
    "many": RANDOM.randint(0, 2, (7, 3)),
    "truth": np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0]]),
    "image": RANDOM.rand(2, 3, 4),
    "classes": RANDOM.randint(0, 3, (2, 4)),
    "bits": RANDOM.randint(0, 2, (2, 3, 4)),
    "marks": RANDOM.randint(0, 2, (2, 3, 4)),
    "v": np.array([0.1, 0.2, 0.6, 0.9]),
    "w": np.array([0.1, 0.25, 0.5, 1.2]),
    "ties": np.array([[0.5, 0.5, 0.1, 0.5], [0.2, 0.2, 0.2, 0.2], [0.0, 0.1, 0.1, 0.0]]),
    "wide": RANDOM.rand(8, 7),
    "y8": np.array([0, 6, 3, 3, 2, 5, 1, 4]),
    "a": np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]),
    "b": np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]]),
    "shape": (RANDOM.rand(9, 8) > 0.6).astype(np.int64),
    "other": (RANDOM.rand(9, 8) > 0.6).astype(np.int64),
    "box": np.pad(np.ones((3, 4), np.int64), ((2, 3), (1, 4))),
    "moved": np.pad(np.ones((4, 3), np.int64), ((4, 0), (4, 2))),
    "solid": np.pad(np.ones((3, 3, 2), np.int64), ((1, 1), (2, 1), (1, 2))),
    "cloud": (RANDOM.rand(5, 6, 5) > 0.7).astype(np.int64),
    "line": np.array([0, 1, 1, 0, 0, 1, 0]),
    "line2": np.array([1, 0, 1, 0, 1, 0, 0]),
    "rows": np.array([[1, 3, 4, 7], [2, 4, 2, 5], [3, 1, 5, 8]]),
    "x4": np.array([[0.1, 0.2, 0.3, 0.4]], np.float32),
    "x3": RANDOM.rand(1, 2, 3).astype(np.float32),
}

RESULTS = """
run(Accuracy(), (p, y))
run(Accuracy(), (p, hot))
run(Accuracy(), (p3, y3), (q3, z3))
run(Accuracy(), (image, classes))
run(Accuracy(), (v, w))
run(Accuracy('multilabel'), (many, truth), (truth, truth))
run(Accuracy('multilabel'), (bits, marks))
run(Accuracy('multilabel'), (p, hot))
run(Accuracy('multilabel'), (hot3, many[:6, :2]))
run(Accuracy('multilabel'), (y, y))
run(Accuracy(), (p, y), (p3, y3))
run(Accuracy())
run(Accuracy(), (p,))
run(Accuracy(), (p, y, y))
run(Accuracy(), (p, y3))
run(Accuracy(), (p, hot3))
run(Accuracy(), (p, w))
run(Accuracy(), (ties, y))
run(Accuracy(), (bits, marks))
run(Accuracy(), (p, p))
run(Precision(), (p, p))
run(Precision(), (bits, marks))
run(Recall(), (bits, marks))
run(Fbeta(2), (p, p))
run(Accuracy().set_indexes([2, 1]), (y, y, p))
run(Accuracy().set_indexes([1, 0]), (y, p))
run(Accuracy().set_indexes([1, 5]), (y, p))
run(Accuracy().set_indexes([0]), (p, y))
run(Accuracy().set_indexes([-1, 0]), (y, y, p))
run(Accuracy().set_indexes([]), (p, y))
Accuracy()(p, y)
Accuracy()(p3, y3)
Accuracy().indexes
Accuracy().set_indexes([0, 2]).indexes
Accuracy().set_indexes((0, 2)).indexes
Accuracy().set_indexes([0, 1.0]).indexes
Accuracy().set_indexes([True]).indexes
Accuracy().set_indexes(None).indexes
Accuracy().set_indexes(0).indexes
Accuracy().set_indexes('01').indexes
run(Precision(), (p, y))
run(Precision(), (p, hot))
run(Precision(), (p3, y3), (q3, z3))
run(Precision(), (p3, y3), (q3, z3), average=True)
run(Precision(), (image, classes))
run(Precision('multilabel'), (many, truth), (truth, truth))
run(Precision('multilabel'), (many, truth), average=True)
run(Precision('multilabel'), (bits, marks))
run(Precision('multilabel'), (p, hot))
run(Precision(), (p, y), (p3, y3))
run(Precision(), (v, w))
run(Precision(), (y, y))
run(Precision())
run(Precision(), (p,))
run(Precision(), (p, y3))
run(Precision(), (p, y + 1))
run(Precision(), (p, y * 1.0))
run(Precision(), (p, y), average=1)
run(Precision(), (p, y), average='a')
run(Precision(), (p, y), average=None)
run(Recall(), (p, y))
run(Recall(), (p, hot))
run(Recall(), (p3, y3), (q3, z3))
run(Recall(), (p3, y3), (q3, z3), average=True)
run(Recall(), (image, classes))
run(Recall('multilabel'), (many, truth), (truth, truth))
run(Recall('multilabel'), (many, truth), average=True)
run(Recall('multilabel'), (bits, marks))
run(Recall('multilabel'), (p, hot))
run(Recall(), (p, y), (p3, y3))
run(Recall(), (v, w))
run(Recall())
run(Recall(), (p,))
run(Recall(), (p, y + 1))
run(Recall(), (p, y), average=1)
run(Fbeta(1), (p, y))
run(Fbeta(2), (p3, y3), (q3, z3))
run(Fbeta(0.5), (p3, y3), (q3, z3), average=True)
run(Fbeta(2), (p3, hot3))
run(Fbeta(2), (image, classes))
run(Fbeta(2), (bits, marks))
run(Fbeta(2), (p, y), (p3, y3))
run(Fbeta(2), (p, y + 1))
run(Fbeta(2), (p, y * 0))
run(Fbeta(2), (p[:1], y[:1]))
run(Fbeta(2), (p[:1], y[:1]), average=True)
run(Precision(), (p[:1], y[:1]))
run(Recall(), (p[:1], y[:1]))
run(Fbeta(2), (p, hot3))
run(Fbeta(2), (p, y3))
run(Fbeta(2))
run(Fbeta(2), (p,))
run(Fbeta(2), (p, y), average=1)
run(Fbeta(2), (v, w))
run(F1(), (p, y))
run(F1(), (p3, y3), (q3, z3))
run(F1(), (p3, y3), average=True)
run(MAE(), (v, w))
run(MAE(), (v, w), (w, v * 2))
run(MAE(), (p, p * 1.5))
run(MAE(), (p, v))
run(MAE(), (p, p[:1]))
run(MAE(), (v, w.reshape(4, 1)))
run(MAE(), (v.reshape(4, 1), w[None]))
run(MSE(), (v.reshape(4, 1), w[None]))
run(MAE())
run(MAE(), (v,))
run(MAE(), (v, w, w))
run(MAE(), (0.5, 0.25))
run(MAE(), (v[:0], w[:0]))
run(MSE(), (v, w))
run(MSE(), (v, w), (w, v * 2))
run(MSE(), (p, p * 1.5))
run(MSE(), (p, v))
run(MSE())
run(MSE(), (v,))
run(MSE().set_indexes([0, 2]), (v, v, w))
run(Loss(), (v[:1],))
run(Loss(), (v[0],))
run(Loss(), (v[:1],), (w[1:2],), (v[2:3],))
run(Loss(), (v,))
run(Loss(), (p,))
run(Loss(), (v, w))
run(Loss())
run(Loss(), (0.5,))
run(Loss(), (Tensor(0.5),), (Tensor([0.25]),))
run(Loss(), (Tensor([0.25, 0.5]),))
run(Loss().set_indexes([1]), (v[:1], w[1:2]))
run(TopKCategoricalAccuracy(3), (wide, y8))
run(TopKCategoricalAccuracy(3), (wide, y8), (wide[::-1], y8))
run(TopKCategoricalAccuracy(1), (wide, y8))
run(TopKCategoricalAccuracy(2), (wide, np.eye(7)[y8]))
run(TopKCategoricalAccuracy(2), (ties, y))
run(TopKCategoricalAccuracy(3), (ties, y + 1))
run(TopKCategoricalAccuracy(1), (ties, y * 0))
run(TopKCategoricalAccuracy(9), (p, y))
run(TopKCategoricalAccuracy(2), (v, v))
run(TopKCategoricalAccuracy(2), (p, y3))
run(TopKCategoricalAccuracy(2), (image, classes))
run(TopKCategoricalAccuracy(2))
run(TopKCategoricalAccuracy(2), (p,))
run(TopKCategoricalAccuracy(2), (p, y), (p3, y3))
run(Top1CategoricalAccuracy(), (wide, y8))
run(Top5CategoricalAccuracy(), (wide, y8))
run(Top5CategoricalAccuracy(), (wide, y8 * 1.0))
run(Perplexity(), (p, y))
run(Perplexity(), (p, y), (p3, y3))
run(Perplexity(0), (p3, y3), (q3, z3))
run(Perplexity(1), (p, y))
run(Perplexity(7), (p, y))
run(Perplexity(), (p3[None], y3[None]))
run(Perplexity(), (image, classes))
run(Perplexity(), ([p3, p3], [y3, y3]))
run(Perplexity(), ([p3], [y3]))
run(Perplexity(), (p, y3))
run(Perplexity(), (p, hot))
run(Perplexity())
run(Perplexity(), (p,))
run(Perplexity(), (p * 0, y))
run(Perplexity(), (p, y + 1))
run(CosineSimilarity(), (rows,))
run(CosineSimilarity(zero_diagonal=False), (rows,))
run(CosineSimilarity('dot'), (rows,))
run(CosineSimilarity('dot', 'sum'), (rows,))
run(CosineSimilarity('dot', 'mean'), (rows,))
run(CosineSimilarity('cosine', 'mean', False), (rows,), (rows * 2 + 1,))
run(CosineSimilarity(), (p3,), (q3,))
run(CosineSimilarity(), (v,))
run(CosineSimilarity(), (rows * 0,))
run(CosineSimilarity(), (image,))
run(CosineSimilarity('other'), (rows,))
run(CosineSimilarity('dot', 'other'), (rows,))
run(CosineSimilarity())
run(CosineSimilarity(), (rows, rows))
run(Dice(), (p, hot))
run(Dice(), (p, hot), (p * 0.5, hot))
run(Dice(1e-2), (bits, marks))
run(Dice(1), (v, w))
run(Dice(), (p, y))
run(Dice(), (p,))
run(Dice())
run(Dice(), (bits * 0, bits * 0))
run(ConfusionMatrix(2), (y, y))
run(ConfusionMatrix(2), (np.array([1, 0, 1, 0]), np.array([1, 0, 0, 1])))
run(ConfusionMatrix(2), (np.array([1, 0, 1, 0]), np.array([1, 0, 0, 1])), (y, y))
run(ConfusionMatrix(3), (p3, y3), (q3, z3))
run(ConfusionMatrix(3, 'target'), (p3, y3))
run(ConfusionMatrix(3, 'prediction'), (p3, y3))
run(ConfusionMatrix(3, 'all'), (p3, y3))
run(ConfusionMatrix(4, 'target'), (p3, y3))
run(ConfusionMatrix(4, 'prediction'), (p3, y3))
run(ConfusionMatrix(2), (v, np.array([0, 1, 1, 0])))
run(ConfusionMatrix(2, threshold=0.15), (v, np.array([0, 1, 1, 0])))
run(ConfusionMatrix(2, threshold=0.6), (v, np.array([0, 1, 1, 0])))
run(ConfusionMatrix(2, 'all'), (many, truth))
run(ConfusionMatrix(2), (p, hot))
run(ConfusionMatrix(3), (image, classes))
run(ConfusionMatrix(3), (y3, y3))
run(ConfusionMatrix(3), (y3, y3 - 1))
run(ConfusionMatrix(3, 'all'), (y3[:0], y3[:0]))
run(ConfusionMatrix(2), (image, classes))
run(ConfusionMatrix(2), (p3, y3))
run(ConfusionMatrix(2), (p, y3))
run(ConfusionMatrix(2), (many, y))
run(ConfusionMatrix(2), (y, p))
run(ConfusionMatrix(2))
run(ConfusionMatrix(2), (y,))
run(ConfusionMatrixMetric(metric_name='tpr'), (np.array([[[0], [1]], [[1], [0]]]), np.array([[[0], [1]], [[0], [1]]])))
run(ConfusionMatrixMetric(False), (many, truth))
run(ConfusionMatrixMetric(False), (many, truth), (truth, truth))
run(ConfusionMatrixMetric(True), (many, truth), (truth, truth))
run(ConfusionMatrixMetric(True), (bits, marks))
run(ConfusionMatrixMetric(False, calculation_method=True), (bits, marks))
run(ConfusionMatrixMetric(True, calculation_method=True), (bits, marks), (marks, marks))
run(ConfusionMatrixMetric(True, calculation_method=True), (many, truth))
run(ConfusionMatrixMetric(calculation_method=True))
run(ConfusionMatrixMetric(True, 'tpr', True, 'sum'), (bits, marks), (marks[:1], marks[:1]))
run(ConfusionMatrixMetric(True, 'tpr', True, 'mean'), (bits, marks), (marks[:1], marks[:1]))
run(ConfusionMatrixMetric(True), (y, y))
run(ConfusionMatrixMetric(True), (p, hot))
run(ConfusionMatrixMetric(True), (hot3, many[:6, :2]))
run(ConfusionMatrixMetric(True), (many[:, :1], truth[:, :1]))
run(ConfusionMatrixMetric(True), (many, y3))
run(ConfusionMatrixMetric())
run(ConfusionMatrixMetric(), (many,))
run(ConfusionMatrixMetric(metric_name='other'), (bits, marks))
run(ROC(pos_label=2), (np.array([0.28, 0.55, 0.15, 0.05]), np.array([0, 1, 2, 3])))
run(ROC(), (np.array([0.28, 0.55, 0.15, 0.05]), np.array([0, 1, 1, 0])))
run(ROC(), (np.array([0.28, 0.55, 0.15, 0.55]), np.array([0, 1, 1, 0])))
run(ROC(), (v, np.array([0, 1, 1, 0])), (w, np.array([1, 0, 1, 1])))
run(ROC(class_num=3), (p3, y3))
run(ROC(class_num=3), (p3[:3], y3[:3]))
run(ROC(class_num=3), (p3[:3], y3[:3]), (q3[1:], z3[1:]))
run(ROC(class_num=2), (p[1:], y[1:]))
run(ROC(class_num=3), (p3, y3), (q3, z3))
run(ROC(class_num=2), (p, y))
run(ROC(), (p, y))
run(ROC(), (p, hot))
run(ROC(), (p3, hot3))
run(ROC(class_num=3), (p3, hot3))
run(ROC(class_num=3), (image, classes))
run(ROC(class_num=4), (p3, y3))
run(ROC(pos_label=2), (a, b))
run(ROC(pos_label=1), (many, truth))
run(ROC(class_num=3, pos_label=1), (p3, y3))
run(ROC(), (v, np.array([0, 0, 0, 0])))
run(ROC(), (v, np.array([1, 1, 1, 1])))
run(ROC(class_num=3), (p3, y3 * 0))
run(ROC(), (v, y))
run(ROC())
run(ROC(), (v,))
run(ROC(class_num=2), (v, np.array([0, 1, 1, 0])))
run(ROC(pos_label=0), (v, np.array([0, 1, 1, 0])))
run(ROC(class_num=1), (v, np.array([0, 1, 1, 0])))
auc(np.array([0, 0.5, 1]), np.array([0, 0.75, 1]))
auc(np.array([1, 0.5, 0]), np.array([1, 0.75, 0]))
auc(np.array([0.5, 0, 1]), np.array([0.75, 0, 1]))
auc(np.array([0.5, 0, 1]), np.array([0.75, 0, 1]), True)
auc(np.array([0.5, 0, 0.5, 1]), np.array([0.75, 0, 0.25, 1]), reorder=True)
auc(np.array([0.5, 0, 0.5, 2]), np.array([0.75, 0, 0.25, 1]), reorder=True)
auc(np.array([0, 0, 1]), np.array([0, 0.5, 1]))
auc(np.array([1, 1, 1]), np.array([0, 0.5, 1]))
auc(np.array([0, 1, 1]), np.array([0, 1, 0], np.float32))
auc(np.array([0]), np.array([0]))
auc(np.array([]), np.array([]))
auc(np.array([0, 1]), np.array([0, 1, 2]))
auc(np.array([[0], [1]]), np.array([[0], [1]]))
auc(np.eye(2), np.eye(2))
auc(np.array(1), np.array(1))
auc(np.array([0, 1]), [0, 1])
auc([0, 0.5, 1], [0, 0.75, 1])
auc([np.array([0, 1])], [np.array([0, 1])])
auc(Tensor([0.0, 1.0]), Tensor([0.0, 1.0]))
auc(0, 1)
auc(*ROC(pos_label=2)(a, b)[:2])
run(BleuScore(), (candidate, reference))
run(BleuScore(2), (candidate, reference))
run(BleuScore(4, True), (candidate, reference))
run(BleuScore(1), (candidate, reference), (short, reference))
run(BleuScore(3, True), (candidate + short, reference + reference))
run(BleuScore(), (short, reference))
run(BleuScore(2, True), (short, reference))
run(BleuScore(), ([['x', 'z']], reference))
run(BleuScore(2, True), ([['x', 'z']], reference))
run(BleuScore(4, True), ([['a', 'pen']], reference))
run(BleuScore(1), ([['pen', 'pen', 'pen']], reference))
run(BleuScore(2), ([list('abcdefgh')], [[list('abcd'), list('abcdefghij'), list('abcdef')]]))
run(BleuScore(2), ([list('abcde')], [[list('abcd'), list('abcdef')]]))
run(BleuScore(), (candidate, reference + reference))
run(BleuScore(), (candidate, candidate))
run(BleuScore(), ([], []))
run(BleuScore(), ([[]], [[[]]]))
run(BleuScore())
run(BleuScore(), (candidate,))
run(BleuScore(), ('abcd', 'abcd'))
run(BleuScore(), (1, 2))
run(HausdorffDistance(), (a, b, 0))
run(HausdorffDistance(), (a, b, 0), (a, b, 1))
run(HausdorffDistance(directed=True), (a, b, 1))
run(HausdorffDistance('chessboard'), (shape, other, 1))
run(HausdorffDistance('taxicab'), (shape, other, 1))
run(HausdorffDistance('euclidean'), (shape, other, 1))
run(HausdorffDistance(percentile=90.0), (shape, other, 1))
run(HausdorffDistance(percentile=50.5), (shape, other, 1))
run(HausdorffDistance(percentile=50.0, directed=True), (other, shape, 1))
run(HausdorffDistance(crop=False), (shape, other, 1))
run(HausdorffDistance(crop=False), (box, moved, 1))
run(HausdorffDistance(), (box, moved, 1))
run(HausdorffDistance(), (box, moved, 1.0))
run(HausdorffDistance(directed=True), (moved, box, 1))
run(HausdorffDistance('chessboard'), (solid, cloud, 1))
run(HausdorffDistance('taxicab'), (solid, cloud, 1))
run(HausdorffDistance(), (solid, cloud, 1))
run(HausdorffDistance(), (line, line2, 1))
run(HausdorffDistance(), (shape, shape, 1))
run(HausdorffDistance(), (shape, other, 5))
run(HausdorffDistance(), (a, b, 3))
run(HausdorffDistance(), (a, b, 2))
run(HausdorffDistance(), (b, a, 3))
run(HausdorffDistance(), (a, shape, 1))
run(HausdorffDistance(), (a, b, '0'))
run(HausdorffDistance(), (a, b, None))
run(HausdorffDistance(), (a, b, True))
run(HausdorffDistance(), (a, b))
run(HausdorffDistance())
run(HausdorffDistance(percentile=0.0), (shape, other, 1))
run(HausdorffDistance(percentile=100.0), (shape, other, 1))
run(HausdorffDistance(percentile=101.0), (shape, other, 1))
run(HausdorffDistance(percentile=-1.0), (shape, other, 1))
run(HausdorffDistance(percentile='a'), (shape, other, 1))
run(HausdorffDistance(crop=False), (box, box * 0, 1))
run(MeanSurfaceDistance(), (a, b, 0))
run(MeanSurfaceDistance(), (a, b, 0), (shape, other, 1))
run(MeanSurfaceDistance(True), (a, b, 0))
run(MeanSurfaceDistance(False, 'chessboard'), (shape, other, 1))
run(MeanSurfaceDistance(False, 'taxicab'), (shape, other, 1))
run(MeanSurfaceDistance(False, 'euclidean'), (shape, other, 1))
run(MeanSurfaceDistance(True, 'chessboard'), (box, moved, 1))
run(MeanSurfaceDistance(True, 'taxicab'), (solid, cloud, 1))
run(MeanSurfaceDistance(True), (solid, cloud, 1))
run(MeanSurfaceDistance(), (line, line2, 1))
run(MeanSurfaceDistance(), (shape, shape, 1))
run(MeanSurfaceDistance(), (shape, other, 5))
run(MeanSurfaceDistance(), (a, b, 3))
run(MeanSurfaceDistance(), (b, a, 3))
run(MeanSurfaceDistance(True), (a, b, 3))
run(MeanSurfaceDistance(), (a, shape, 1))
run(MeanSurfaceDistance(), (a, b, '0'))
run(MeanSurfaceDistance(), (a, b))
run(MeanSurfaceDistance())
run(RootMeanSquareDistance(), (a, b, 0))
run(RootMeanSquareDistance(), (a, b, 0), (shape, other, 1))
run(RootMeanSquareDistance(True), (a, b, 0))
run(RootMeanSquareDistance(False, 'chessboard'), (shape, other, 1))
run(RootMeanSquareDistance(False, 'taxicab'), (shape, other, 1))
run(RootMeanSquareDistance(True, 'taxicab'), (solid, cloud, 1))
run(RootMeanSquareDistance(True), (solid, cloud, 1))
run(RootMeanSquareDistance(), (line, line2, 1))
run(RootMeanSquareDistance(), (shape, other, 5))
run(RootMeanSquareDistance(), (a, b, 3))
run(RootMeanSquareDistance(), (b, a, 3))
run(RootMeanSquareDistance(True), (a, b, 3))
run(RootMeanSquareDistance(), (a, shape, 1))
run(RootMeanSquareDistance(), (a, b, '0'))
run(RootMeanSquareDistance(), (a, b))
run(RootMeanSquareDistance())
run(OcclusionSensitivity(), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(margin=0), (dense, x4, np.array(0, np.int32)))
run(OcclusionSensitivity(1.0, 1), (dense, x4, np.array([1], np.int32)))
run(OcclusionSensitivity(0.5, 1, n_batch=3), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(b_box=[1, 2]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(b_box=[0, 3]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(margin=1), (flat, x3, np.array(1, np.int32)))
run(OcclusionSensitivity(margin=[1]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(), (dense, x4, np.array(5, np.int32)))
run(OcclusionSensitivity(b_box=[-1, -1]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(), (dense, x4, np.array(1)), (dense, x4 * 2, np.array(0)))
run(OcclusionSensitivity(margin=[0, 1]), (flat, x3, np.array(1, np.int32)))
run(OcclusionSensitivity(margin=(1, 0), b_box=[0, 1, 1, 2]), (flat, x3, np.array(0, np.int32)))
run(OcclusionSensitivity(margin=0, b_box=[-1, -1, 1, 2]), (flat, x3, np.array(0, np.int32)))
run(OcclusionSensitivity(b_box=[1, 2, 3]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(b_box=[2, 1]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(b_box=[0, 9]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(margin=[1, 1]), (dense, x4, np.array(1, np.int32)))
run(OcclusionSensitivity(), (dense, np.tile(x4, (2, 1)), np.array([1, 0], np.int32)))
run(OcclusionSensitivity(), (dense, x4, np.array([1, 0], np.int32)))
run(OcclusionSensitivity(), (dense, x4, 1))
run(OcclusionSensitivity(), (dense, x4))
run(OcclusionSensitivity())
names()
type(get_metric_fn('accuracy')).__name__
type(get_metric_fn('precision', eval_type='multilabel')).__name__
run(get_metric_fn('topk', 2), (wide, y8))
get_metric_fn('other')
get_metric_fn(1)
get_metric_fn('topk')
[type(get_metric_fn(name)).__name__ for name in names() if name not in ('auc', 'topk', 'confusion_matrix')]
get_metric_fn('auc', [0, 1], [0, 1])
sorted((k, type(v).__name__) for k, v in metrics.get_metrics({'acc', 'mse'}).items())
sorted((k, type(v).__name__) for k, v in metrics.get_metrics({'mine': MAE()}).items())
metrics.get_metrics(None)
metrics.get_metrics(['acc'])
metrics.get_metrics({'mine': 1})
metrics.get_metrics({1})
Metric().clear
""".strip().splitlines()

MEASURES = [
    "sensitivity", "recall", "hit_rate", "tpr", "true_positive_rate", "specificity", "selectivity", "tnr",
    "true_negative_rate", "precision", "ppv", "positive_predictive_value", "npv", "negative_predictive_value", "fnr",
    "false_negative_rate", "miss_rate", "fpr", "false_positive_rate", "fall_out", "fdr", "false_discovery_rate",
    "for", "false_omission_rate", "pt", "prevalence_threshold", "ts", "threat_score", "csi", "critical_success_index",
    "acc", "accuracy", "ba", "balanced_accuracy", "f1_score", "f1", "mcc", "matthews_correlation_coefficient", "fm",
    "fowlkes_mallows_index", "informedness", "bm", "bookmaker_informedness", "markedness", "mk", "deltap",
    "SENSITIVITY", "Tpr", "other",
]  # fmt: skip
RESULTS += [f"run(ConfusionMatrixMetric(False, {name!r}), (many, truth))" for name in MEASURES]
RESULTS += [f"run(ConfusionMatrixMetric(False, {name.replace('_', ' ')!r}), (many, truth))" for name in MEASURES]
RESULTS += [
    f"run(ConfusionMatrixMetric(False, 'f1 score', {each}, {decrease!r}), (bits, marks), (marks, bits))"
    for each in (True, False)
    for decrease in ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel", "other")
]

# One sound call of each metric. Its inputs are given as arrays, lists and tensors, and each replaced by each of VALUES.
UPDATES = {
    "Accuracy()": ["p", "y"],
    "Accuracy('multilabel')": ["many", "truth"],
    "Precision()": ["p", "y"],
    "Recall()": ["p", "y"],
    "Fbeta(2)": ["p", "y"],
    "MAE()": ["v", "w"],
    "MSE()": ["v", "w"],
    "Loss()": ["v[:1]"],
    "TopKCategoricalAccuracy(1)": ["p", "y"],
    "Perplexity()": ["p", "y"],
    "CosineSimilarity()": ["p"],
    "Dice()": ["p", "hot"],
    "ConfusionMatrix(2)": ["p", "y"],
    "ConfusionMatrixMetric()": ["many", "truth"],
    "ROC()": ["v", "np.array([0, 1, 1, 0])"],
    "HausdorffDistance()": ["a", "b", "1"],
    "MeanSurfaceDistance()": ["a", "b", "1"],
    "RootMeanSquareDistance()": ["a", "b", "1"],
    "OcclusionSensitivity()": ["dense", "x4", "np.array(1, np.int32)"],
}
FORMS = ["{}", "{}.tolist()", "Tensor({})", "Tensor({}.astype(np.float32))"]
VALUES = [
    "None",
    "True",
    "0",
    "1",
    "-1",
    "5",
    "1.5",
    "'a'",
    "''",
    "(1, 2)",
    "[1]",
    "[]",
    "[1.0, 'a']",
    "{}",
    "Tensor(1)",
]

# Each argument of these calls is replaced by each of VALUES: which are accepted, and what error do the others give?
CALLS = {
    "Accuracy": ["'classification'"],
    "BleuScore": ["4", "False"],
    "ConfusionMatrix": ["2", "'all'", "0.5"],
    "ConfusionMatrixMetric": ["True", "'tpr'", "False", "'mean'"],
    "CosineSimilarity": ["'dot'", "'sum'", "True"],
    "Dice": ["1e-5"],
    "Fbeta": ["2"],
    "HausdorffDistance": ["'taxicab'", "50.0", "True", "True"],
    "MeanSurfaceDistance": ["True", "'taxicab'"],
    "OcclusionSensitivity": ["0.0", "2", "128", "None"],
    "Perplexity": ["None"],
    "Precision": ["'multilabel'"],
    "ROC": ["None", "None"],
    "Recall": ["'multilabel'"],
    "RootMeanSquareDistance": ["True", "'taxicab'"],
    "TopKCategoricalAccuracy": ["2"],
}


def replaced(arguments: list[str]) -> list[str]:
    """Return the arguments with one of them replaced, in every way."""
    ways = [[*arguments[:place], value, *arguments[place + 1 :]] for place in range(len(arguments)) for value in VALUES]
    return [", ".join(way) for way in ways]


def expressions() -> dict[str, list[str]]:
    """Return the expressions of each table."""
    inputs = []
    for metric, given in UPDATES.items():
        arrays = [name for name in given if name not in ("1", "dense")]
        for form in FORMS:
            formed = ", ".join(form.format(name) if name in arrays else name for name in given)
            inputs.append(f"run({metric}, ({formed},))")
        inputs += [f"run({metric}, ({way},))" for way in replaced(given)]
    return {
        "results": RESULTS,
        "inputs": inputs,
        "calls": [f"{name}({way})" for name, given in CALLS.items() for way in replaced(given)],
    }


def names(ms: Any) -> dict[str, Any]:
    """Return the names that the expressions use, with the names of the library under test."""
    metrics = ms.train.metrics

    def net(inputs: int) -> Any:
        weight = (np.arange(2 * inputs).reshape(2, inputs) * 0.25).astype(np.float32)
        return ms.nn.Dense(inputs, 2, ms.Tensor(weight), ms.Tensor(np.array([0.3, 0.6], np.float32)))

    return {
        **{name: getattr(metrics, name) for name in metrics.__all__},
        **ARRAYS,
        "metrics": metrics,
        "np": np,
        "Tensor": ms.Tensor,
        "run": run,
        "dense": net(4),
        "flat": ms.nn.SequentialCell(ms.nn.Flatten(), net(6)),
        "candidate": [["i", "have", "a", "pen", "on", "my", "desk"]],
        "short": [["a", "pen", "on", "desk"]],
        "reference": [
            [["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]]
        ],
    }


def run(metric: Any, *updates: tuple[Any, ...], **options: Any) -> Any:
    """Update a metric several times and evaluate it."""
    for inputs in updates:
        metric.update(*inputs)
    return metric.eval(**options)


def plain(value: Any) -> Any:
    """Return a result as JSON data, with its types."""
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [plain(item) for item in value]}
    if isinstance(value, np.ndarray) and value.ndim:
        return {f"array {value.dtype} {list(value.shape)}": value.ravel().tolist()}
    if isinstance(value, (np.generic, np.ndarray)):
        return {str(value.dtype): value.item()}
    if isinstance(value, (int, float)):
        return {type(value).__name__.replace("float", "float64"): value}
    return value if isinstance(value, (str, type(None))) else type(value).__name__


def outcome(scope: dict[str, Any], expression: str) -> Any:
    """Return the result of an expression, or the type of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return plain(eval(expression, scope))
    except Exception as error:
        return {"error": type(error).__name__}


if __name__ == "__main__":
    import mindspore
    from tables import dump

    scope = names(mindspore)
    tables = {
        title: {expression: outcome(scope, expression) for expression in cases}
        for title, cases in expressions().items()
    }
    Path(__file__).with_name("metrics.json").write_text(dump(tables), encoding="utf-8")
