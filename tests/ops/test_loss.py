"""Losses beyond the recorded cases: half precision, dtypes of labels, messages, training."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops

LOGITS = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, -0.5], [3.0, 0.5, 1.0], [-1.0, -2.0, 0.25]], np.float32)
LABELS = np.array([2, 1, 0, 1], np.int32)


def _log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


EACH = -_log_softmax(LOGITS)[np.arange(4), LABELS]
GRADIENT = (np.exp(_log_softmax(LOGITS)) - np.eye(3)[LABELS]) / 4

OF_CLASSES = [
    ops.cross_entropy,
    nn.CrossEntropyLoss(),
    nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    ops.SparseSoftmaxCrossEntropyWithLogits(),
    lambda logits, labels: ops.nll_loss(ops.log_softmax(logits), labels),
    lambda logits, labels: nn.NLLLoss()(nn.LogSoftmax()(logits), labels),
]
OF_PROBABILITIES = [
    ops.cross_entropy,
    nn.SoftmaxCrossEntropyWithLogits(reduction="mean"),
    lambda logits, labels: ops.SoftmaxCrossEntropyWithLogits()(logits, labels)[0].mean(),
]


@pytest.mark.parametrize("loss", OF_CLASSES)
@pytest.mark.parametrize("dtype", [ms.int64, ms.int32, ms.int16, ms.int8, ms.uint8])
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_class_indices(loss, dtype, shape):
    value, gradient = ms.value_and_grad(loss)(ms.Tensor(LOGITS), ms.Tensor(LABELS, dtype).reshape(shape))
    np.testing.assert_allclose(value.asnumpy(), EACH.mean(), rtol=1e-6)
    np.testing.assert_allclose(gradient.asnumpy(), GRADIENT, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", OF_PROBABILITIES)
def test_one_hot_labels(loss):
    labels = ms.Tensor(np.eye(3, dtype=np.float32)[LABELS])
    value, gradient = ms.value_and_grad(loss)(ms.Tensor(LOGITS), labels)
    np.testing.assert_allclose(value.asnumpy(), EACH.mean(), rtol=1e-6)
    np.testing.assert_allclose(gradient.asnumpy(), GRADIENT, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", OF_CLASSES)
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64])
def test_scores_of_other_floats(loss, dtype):
    value, gradient = ms.value_and_grad(loss)(ms.Tensor(LOGITS, dtype), ms.Tensor(LABELS))
    assert value.dtype == dtype
    assert gradient.dtype == dtype
    np.testing.assert_allclose(np.float64(value.asnumpy()), EACH.mean(), rtol=2e-2)
    np.testing.assert_allclose(np.float64(gradient.asnumpy()), GRADIENT, rtol=2e-2, atol=2e-3)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_class_indices_of_several_axes(reduction):
    # classes last, as the cell has them, against classes second
    logits, labels = LOGITS.reshape(2, 2, 3), LABELS.reshape(2, 2)
    result = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction)(ms.Tensor(logits), ms.Tensor(labels))
    expected = ops.cross_entropy(ms.Tensor(logits.transpose(0, 2, 1)), ms.Tensor(labels), reduction=reduction)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_the_gradient_primitive_scales_by_sens():
    gradient = ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True).add_prim_attr("sens", 8.0)
    result = gradient(ms.Tensor(LOGITS), ms.Tensor(LABELS))
    np.testing.assert_allclose(result.asnumpy(), GRADIENT * 8, rtol=1e-5, atol=1e-7)


def test_the_second_derivative_of_probabilities_that_do_not_sum_up_to_1():
    labels = ms.Tensor(np.array([[0.5, 2.0, 1.0]], np.float32))
    loss = nn.SoftmaxCrossEntropyWithLogits(reduction="sum")
    second = ms.jacrev(ms.grad(lambda x: loss(x, labels)))(ms.Tensor(LOGITS[:1]))
    p = ops.softmax(ms.Tensor(LOGITS[0])).asnumpy()
    np.testing.assert_allclose(second.asnumpy().reshape(3, 3), np.diag(p) - np.outer(p, p), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", [nn.MSELoss(), nn.L1Loss(), nn.MAELoss(), nn.HuberLoss(), nn.SmoothL1Loss()])
@pytest.mark.parametrize("dtype", [ms.bfloat16, ms.float64])
def test_distances_of_other_floats(loss, dtype):
    x, y = ms.Tensor(LOGITS, dtype), ms.Tensor(LOGITS[::-1].copy(), dtype)
    result, gradient = ms.value_and_grad(lambda x, y: loss(x, y).sum())(x, y)
    assert result.dtype == dtype
    assert gradient.dtype == dtype
    expected = loss(ms.Tensor(LOGITS), ms.Tensor(LOGITS[::-1].copy())).sum()
    np.testing.assert_allclose(np.float64(result.asnumpy()), expected.asnumpy(), rtol=1e-2)


@pytest.mark.parametrize(
    "loss",
    [
        nn.SoftmaxCrossEntropyWithLogits(reduction="sum"),
        nn.KLDivLoss("sum"),
        lambda x, labels: ops.SigmoidCrossEntropyWithLogits()(x, labels).sum(),
    ],
)
def test_no_gradient_flows_into_these_labels(loss):
    labels = ops.softmax(ms.Tensor(-LOGITS))
    gradients = ms.grad(loss, (0, 1))(ms.Tensor(LOGITS), labels)
    assert np.abs(gradients[0].asnumpy()).max() > 0.01
    np.testing.assert_array_equal(gradients[1].asnumpy(), np.zeros((4, 3)))


def test_bool_and_integer_answers():
    x = ms.Tensor(LOGITS)
    yes = LOGITS > 0
    expected = ops.binary_cross_entropy_with_logits(x, ms.Tensor(yes.astype(np.float32)))
    for answers in (yes, yes.astype(np.int32)):
        result = ops.binary_cross_entropy_with_logits(x, ms.Tensor(answers))
        np.testing.assert_array_equal(result.asnumpy(), expected.asnumpy())


def test_custom_loss():
    class Weighted(nn.LossBase):
        def __init__(self, reduction):
            super().__init__(reduction)
            self.weights = ms.Tensor([1.0, 2.0, 3.0])

        def construct(self, logits, labels):
            return self.get_loss((logits - labels).abs(), self.weights)

    x, y = ms.Tensor(LOGITS), ms.Tensor(LOGITS + 1)
    assert Weighted("mean")(x, y).asnumpy() == pytest.approx(2)
    assert Weighted("sum")(x, y).asnumpy() == pytest.approx(24)
    assert Weighted("none")(x, y).shape == (4, 3)
    with pytest.raises(ValueError, match=r"For 'Weighted', 'reduction' must be one of .*, but got 'all'"):
        Weighted("all")


def test_scores_in_half_precision_under_a_float32_loss():
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean").to_float(ms.float32)
    value = loss(ms.Tensor(LOGITS, ms.float16), ms.Tensor(LABELS))
    assert value.dtype == ms.float32
    np.testing.assert_allclose(value.asnumpy(), EACH.mean(), rtol=1e-3)


X, Y = ms.Tensor(LOGITS), ms.Tensor(LABELS)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ops.cross_entropy(X, Y, reduction="avg"),
            ValueError,
            "'reduction' must be one of ",
        ),
        (lambda: ops.mse_loss(X, X, []), ValueError, r"For 'mse_loss', 'reduction' must be .*, but got \[\]"),
        (lambda: ops.cross_entropy(X, Y, label_smoothing=1.5), ValueError, r"'label_smoothing' must be in \[0, 1\]"),
        (lambda: ops.nll_loss(X, Y, label_smoothing=-0.5), ValueError, r"'label_smoothing' must be in \[0, 1\]"),
        (lambda: ops.cross_entropy(X, X > 0), TypeError, "For 'cross_entropy', class labels must be integers, but got"),
        (lambda: ops.nll_loss(X, X), TypeError, "For 'nll_loss', class labels must be integers"),
        (lambda: ops.cross_entropy(X, Y + 2), ValueError, "For 'cross_entropy', the label 4 is not a class"),
        (
            lambda: ops.cross_entropy(X, Y.reshape(2, 1, 2)),
            ValueError,
            "the shape of the scores without the axis of the cl",
        ),
        (lambda: ops.cross_entropy(X, X[:2]), ValueError, "'input' and the probabilities 'target' must be of the same"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits()(X, Y), TypeError, r"SoftmaxCrossEntropyWithLogits\(sparse=True\)"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits()(X, X[:2]), ValueError, "'logits' and 'labels' must be of the same"),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits()(X[0], X[0]),
            ValueError,
            r"same shape \(N, C\), but got",
        ),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits(True)(X, X),
            TypeError,
            "class labels must be integers, but got Tensor",
        ),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=0), TypeError, "'sparse' must be a bool, but got 0"),
        (lambda: ops.smooth_l1_loss(X, X, 0.0), ValueError, "For 'smooth_l1_loss', 'beta' must be > 0, but got 0.0"),
        (
            lambda: ops.smooth_l1_loss(X, X[0]),
            ValueError,
            "'target' must have the shape of 'input', but got target=Tensor",
        ),
        (lambda: ops.huber_loss(X, X, delta=0), ValueError, "For 'huber_loss', 'delta' must be > 0, but got 0"),
        (lambda: ops.mse_loss(X, X[:3]), ValueError, "For 'mse_loss'"),
        (
            lambda: ops.binary_cross_entropy(X, X[0]),
            ValueError,
            "For 'binary_cross_entropy', 'labels' must have the shape of 'logits'",
        ),
        (lambda: ops.kl_div(X, X, "avg"), ValueError, "For 'kl_div', 'reduction' must be"),
        (lambda: ops.cosine_embedding_loss(X, X, Y, 2.0), ValueError, r"'margin' must be in \[-1, 1\], but got 2.0"),
        (lambda: ops.cosine_embedding_loss(X, X, Y[:2]), ValueError, "'target' must be of shape"),
        (lambda: ops.margin_ranking_loss(X, X, 1), TypeError, "For 'margin_ranking_loss', 'target' must be a Tensor"),
        (lambda: ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=1), TypeError, "'is_grad' must be a bool, but got 1"),
        (lambda: nn.BCELoss(weight=1.0), TypeError, "For 'BCELoss', 'weight' must be a Tensor or None, but got 1.0"),
        (lambda: nn.BCEWithLogitsLoss(pos_weight=1.0), TypeError, "'pos_weight' must be a Tensor or None, but got 1.0"),
        (lambda: nn.KLDivLoss("avg"), ValueError, "'reduction' must be one of .*'batchmean'.*, but got 'avg'"),
        (lambda: nn.LossBase()(X, X), NotImplementedError, "For 'LossBase', define the method 'construct'"),
        (
            lambda: nn.LossBase().get_loss(X, "a"),
            TypeError,
            "For 'LossBase.get_loss', 'weights' must be a Tensor or a num",
        ),
    ],
)
def test_error(call, error, words):
    with pytest.raises(error, match=words):
        call()


NEGATIVE = Tensor(np.array([0, 1, -1], np.int32))
OF_THREE = Tensor(np.array([[1, 2, 3], [2, 1, 0], [0, 0, 1]], np.float32))


@pytest.mark.parametrize(
    ("loss", "expected"),
    [  # as MindSpore 2.10 computes on a CPU
        (lambda x, y: nn.CrossEntropyLoss()(x, y), 1.4556),
        (lambda x, y: nn.CrossEntropyLoss(Tensor([1.0, 2.0, 4.0]))(x, y), 1.0612),
        (lambda x, y: ops.cross_entropy(x, y, label_smoothing=0.1), 1.4444),
        (lambda x, y: ops.nll_loss(ops.log_softmax(x), y), 1.4556),
        (lambda x, y: nn.SoftmaxCrossEntropyWithLogits(True, "sum")(x, y), 3.8152),
    ],
)
def test_labels_below_0_in_both_modes(loss, expected):
    with pytest.warns(RuntimeWarning, match="negative labels count|some labels are not classes"):
        found, gradient = ms.value_and_grad(loss)(OF_THREE, NEGATIVE)
    captured, of_graph = ms.jit(ms.value_and_grad(loss))(OF_THREE, NEGATIVE)
    np.testing.assert_allclose([float(found), float(captured)], expected, atol=1e-4)
    np.testing.assert_allclose(of_graph.asnumpy(), gradient.asnumpy(), atol=1e-6)


def test_an_ignored_label_stays_ignored():
    assert float(nn.CrossEntropyLoss(ignore_index=-1)(OF_THREE, NEGATIVE)) == pytest.approx(1.9076, abs=1e-4)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(None, [2.995732, 0.693147, 4.499809]), (Tensor([1.0, 2.0, 3.0]), [2.995732, 1.386294, 13.499427])],
)
def test_answers_that_are_no_probabilities(weight, expected):
    p, answers = Tensor([0.2, 0.5, 0.9]), Tensor([2.0, 0.0, -1.0])
    with pytest.warns(RuntimeWarning, match="some labels are not probabilities"):
        found = ops.binary_cross_entropy(p, answers, weight, "none")
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)
    with pytest.warns(RuntimeWarning, match="some labels are not probabilities"):
        gradient = ms.grad(lambda p: ops.binary_cross_entropy(p, answers, None, "sum"))(p)
    np.testing.assert_allclose(gradient.asnumpy(), [-11.25, 2.0, 21.11111], rtol=1e-5)
