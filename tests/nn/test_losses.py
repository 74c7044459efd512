"""Loss cells for which MindSpore's CPU has no kernel or differs from its documentation; and all of them in graphs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, mint, nn, ops

RANDOM = np.random.default_rng(0)
REDUCTIONS = ("mean", "sum", "none")


def _random(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


SCORES, OTHERS, THIRD = _random(4, 5), _random(4, 5), _random(4, 5)
SIGNS = np.sign(_random(4, 5))
SEVERAL = np.array([[1, 0, -1, 2, 3], [4, -1, 0, 0, 0], [-1, 0, 0, 0, 0], [0, 1, 2, 3, 4]])
LAST_LAYER = (_random(7, 3), _random(7))
BINARY = (SIGNS > 0).astype(np.float32)
LOG_PROBS = np.asarray(torch.log_softmax(torch.from_numpy(_random(6, 2, 4)), -1))
TRIPLETS = [
    {}, {"p": 1}, {"p": 3, "eps": 0.5}, {"swap": True}, {"margin": 2.5}, {"margin": 0.1, "swap": True, "p": 1},
]  # fmt: skip


def _with_gradient(loss, *arrays):
    """Return the loss, weighted where it has elements, and the gradient of the first argument, of ours and of torch."""
    if isinstance(loss, nn.Cell):
        tensors = [Tensor(array) for array in arrays]
        value, gradient = ms.value_and_grad(lambda *inputs: (loss(*inputs) * 2).sum())(*tensors)
        return value.asnumpy(), gradient.asnumpy()
    tensors = [torch.from_numpy(array) for array in arrays]
    tensors[0].requires_grad_()
    value = (loss(*tensors) * 2).sum()
    return value.detach().numpy(), torch.autograd.grad(value, tensors[0])[0].numpy()


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(
    ("ours", "theirs", "options", "arrays"),
    [
        (nn.L1LossExt, torch.nn.L1Loss, {}, (SCORES, OTHERS)),
        (nn.SoftMarginLoss, torch.nn.SoftMarginLoss, {}, (SCORES, SIGNS)),
        (nn.MultilabelMarginLoss, torch.nn.MultiLabelMarginLoss, {}, (SCORES, SEVERAL)),
        (nn.MultilabelMarginLoss, torch.nn.MultiLabelMarginLoss, {}, (SCORES[0], SEVERAL[0])),
        *[(nn.TripletMarginLoss, torch.nn.TripletMarginLoss, options, (SCORES, OTHERS, THIRD)) for options in TRIPLETS],
    ],
)
def test_against_torch(ours, theirs, options, arrays, reduction):
    found = _with_gradient(ours(reduction=reduction, **options), *arrays)
    expected = _with_gradient(theirs(reduction=reduction, **options), *arrays)
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


class TestTriplets:
    @pytest.mark.parametrize("margin", [2.5, 3, Tensor(2.5)])
    def test_a_margin_for_one_call(self, margin):
        arguments = [Tensor(array) for array in (SCORES, OTHERS, THIRD)]
        loss = nn.TripletMarginLoss(margin=0.5, reduction="none")
        expected = nn.TripletMarginLoss(margin=margin, reduction="none")(*arguments).asnumpy()
        np.testing.assert_allclose(loss(*arguments, margin).asnumpy(), expected)
        assert not np.allclose(loss(*arguments).asnumpy(), expected)
        # 1.0 in place of the constructor's.
        np.testing.assert_array_equal(loss(*arguments, 1.0).asnumpy(), loss(*arguments).asnumpy())

    def test_its_gradient(self):
        arguments = [Tensor(array) for array in (SCORES, OTHERS, THIRD)]
        gradient = ms.grad(lambda margin: nn.TripletMarginLoss(reduction="sum")(*arguments, margin))(Tensor(9.0))
        assert float(gradient) == 4

    def test_refusals(self):
        with pytest.raises(TypeError, match="For 'TripletMarginLoss', 'margin' must be a number"):
            nn.TripletMarginLoss()(Tensor(SCORES), Tensor(OTHERS), Tensor(THIRD), "a")
        with pytest.raises(ValueError, match="For 'TripletMarginLoss', 'margin' must have no dimensions"):
            nn.TripletMarginLoss()(Tensor(SCORES), Tensor(OTHERS), Tensor(THIRD), Tensor([1.0]))


class TestSampledSoftmax:
    """The logarithm of the sum of exponentials over the right class and the drawn ones, by hand."""

    def _by_hand(self, logits, label, drawn):
        weights, biases = LAST_LAYER
        scores = [float(weights[c] @ logits + biases[c]) for c in (label, *[c for c in drawn if c != label])]
        return np.log(np.sum(np.exp(scores))) - scores[0]

    def _inputs(self, labels):
        logits = _random(len(labels), 3)
        return logits, [Tensor(part) for part in LAST_LAYER] + [Tensor(labels), Tensor(logits)]

    def test_all_classes_are_the_softmax(self):
        logits, inputs = self._inputs([[1], [4]])
        expected = [self._by_hand(row, label, range(7)) for row, label in zip(logits, (1, 4))]
        np.testing.assert_allclose(nn.SampledSoftmaxLoss(7, 7)(*inputs).asnumpy(), expected, rtol=1e-5)

    def test_right_classes_are_drawn_last(self):
        logits, inputs = self._inputs([[1], [4]])
        expected = [self._by_hand(row, label, (0, 2, 3, 5, 6)) for row, label in zip(logits, (1, 4))]
        for _ in range(3):
            np.testing.assert_allclose(nn.SampledSoftmaxLoss(5, 7)(*inputs).asnumpy(), expected, rtol=1e-5)

    def test_hits_among_given_classes_do_not_count(self):
        logits, inputs = self._inputs([[1], [4]])
        sampled = (Tensor([1, 3]), ops.ones((2, 1)), ops.ones(2))
        expected = [self._by_hand(logits[0], 1, (1, 3)), self._by_hand(logits[1], 4, (1, 3))]
        np.testing.assert_allclose(nn.SampledSoftmaxLoss(2, 7, 1, sampled)(*inputs).asnumpy(), expected, rtol=1e-5)

    @pytest.mark.parametrize(("reduction", "reduce"), [("mean", np.mean), ("sum", np.sum)])
    def test_reductions(self, reduction, reduce):
        _, inputs = self._inputs([[1], [4], [2]])
        each = nn.SampledSoftmaxLoss(7, 7)(*inputs).asnumpy()
        found = nn.SampledSoftmaxLoss(7, 7, reduction=reduction)(*inputs)
        np.testing.assert_allclose(found.asnumpy(), reduce(each), rtol=1e-6)

    def test_every_class_is_drawn_as_often(self):
        # Only the bias tells the classes apart: the loss says which one was drawn besides the right one.
        biases = Tensor(np.arange(5, dtype=np.float32))
        loss = nn.SampledSoftmaxLoss(1, 5)
        arguments = (ops.zeros((5, 2)), biases, Tensor([[0]]), ops.zeros((1, 2)))
        drawn = [round(float(np.log(np.expm1(float(loss(*arguments)[0]))))) for _ in range(800)]
        counts = np.bincount(drawn, minlength=5)
        assert counts[0] == 0
        assert (abs(counts[1:] - 200) < 5 * np.sqrt(200 * 0.75)).all()

    def test_seeds(self):
        _, inputs = self._inputs([[1], [4]])

        def losses(seed):
            loss = nn.SampledSoftmaxLoss(2, 7, seed=seed)
            return [loss(*inputs).asnumpy().tolist() for _ in range(5)]

        runs = []
        for _ in range(2):
            ms.set_seed(3)
            runs.append((losses(0), losses(5)))
        assert runs[0] == runs[1]
        assert len({str(draw) for draw in runs[0][1]}) > 1


class TestOthers:
    def test_infinite_losses_of_sequences(self):
        arguments = (Tensor(LOG_PROBS), Tensor([[1, 1, 1], [2, 0, 0]]), (4, 6), (3, 1))
        loss = nn.CTCLoss(reduction="none")(*arguments).asnumpy()
        assert np.isinf(loss[0])
        np.testing.assert_allclose(nn.CTCLoss(0, "none", True)(*arguments).asnumpy(), [0, loss[1]])

    def test_names_of_activations_in_any_case(self):
        x, label = Tensor(SCORES), Tensor(BINARY)
        found = [nn.MultiClassDiceLoss(activation=name)(x, label).asnumpy() for name in ("Sigmoid", "sigmoid")]
        assert found[0] == found[1]

    @pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
    def test_half_precision(self, dtype):
        x = Tensor(SCORES, dtype)
        assert nn.MultiMarginLoss()(x, Tensor([0, 1, 2, 3])).dtype == dtype
        assert nn.MultilabelMarginLoss()(x, Tensor(SEVERAL, ms.int32)).dtype == dtype
        assert nn.TripletMarginLoss()(x, x * 2, x * 3).dtype == dtype
        assert nn.SoftMarginLoss()(x, x).dtype == dtype

    def test_mint_derives_from_them(self):
        assert issubclass(mint.nn.SoftMarginLoss, nn.SoftMarginLoss)
        assert issubclass(mint.nn.BCELoss, nn.BCELoss)


@pytest.mark.parametrize(
    ("loss", "arrays"),
    [
        (nn.CTCLoss(), (LOG_PROBS, np.array([[1, 1, 3], [2, 0, 0]]), np.array([6, 5]), np.array([3, 1]))),
        (nn.CTCLoss(1, "sum"), (LOG_PROBS, np.array([[2, 2, 3], [2, 0, 0]]), np.array([6, 5]), np.array([2, 1]))),
        (nn.DiceLoss(), (SCORES, BINARY)),
        (nn.FocalLoss(Tensor([1.0, 2.0, 3.0, 4.0, 5.0])), (SCORES, SEVERAL[:, :1])),
        (nn.GaussianNLLLoss(full=True), (SCORES, OTHERS, abs(THIRD))),
        (nn.HingeEmbeddingLoss(), (SCORES, SIGNS)),
        (nn.L1LossExt(), (SCORES, OTHERS)),
        (nn.MultiClassDiceLoss(), (SCORES, BINARY)),
        (nn.MultiLabelSoftMarginLoss(), (SCORES, BINARY)),
        (nn.MultiMarginLoss(), (SCORES, np.array([0, 1, 2, 3]))),
        (nn.MultilabelMarginLoss(), (SCORES, SEVERAL)),
        (nn.PoissonNLLLoss(full=True), (SCORES, abs(OTHERS) * 4)),
        (nn.RMSELoss(), (SCORES, OTHERS)),
        (nn.SampledSoftmaxLoss(7, 7), (*LAST_LAYER, np.array([[1], [2], [6], [0]]), _random(4, 3))),
        (nn.SoftMarginLoss(), (SCORES, SIGNS)),
        (nn.TripletMarginLoss(swap=True), (SCORES, OTHERS, THIRD)),
        (nn.TripletMarginWithDistanceLoss(swap=True), (SCORES, OTHERS, THIRD)),
    ],
)
def test_graphs_give_the_same(loss, arrays):
    arguments = [Tensor(array) for array in arrays]

    def total(*values):
        return loss(*values).sum()

    expected = ms.value_and_grad(total)(*arguments)
    found = ms.jit(ms.value_and_grad(total), fullgraph=True)(*arguments)
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


_LABELS, _HALF = Tensor([0, 2], ms.int32), Tensor([[0.5, 1.0, 2.0], [1.0, 0.25, 0.5]], ms.float16)
_WIDE, _CLASSES = Tensor([[1.0, 2.0, 0.5], [0.5, 1.0, 2.0]]), Tensor([1.0, 2.0, 0.5])


@pytest.mark.parametrize(
    ("loss", "inputs", "dtype"),
    [
        (nn.NLLLoss(_CLASSES), (_HALF, _LABELS), ms.float32),
        (nn.NLLLoss(_CLASSES, reduction="none"), (_HALF, _LABELS), ms.float32),
        (nn.NLLLoss(_CLASSES.astype(ms.float16)), (_HALF, _LABELS), ms.float16),
        (nn.FocalLoss(_CLASSES), (_HALF, _LABELS.expand_dims(1)), ms.float32),
        (nn.FocalLoss(), (_HALF, _LABELS.expand_dims(1)), ms.float16),
        (nn.PoissonNLLLoss(), (_HALF, _WIDE), ms.float16),
        (nn.PoissonNLLLoss(reduction="none"), (_WIDE, _HALF), ms.float32),
    ],
)
def test_the_data_type_of_mixed_inputs(loss, inputs, dtype):
    assert loss(*inputs).dtype is dtype
