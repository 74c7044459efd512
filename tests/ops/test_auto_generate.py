"""`ops.auto_generate`: names are found by rules, and what is found takes the arguments that MindSpore's names take."""

from __future__ import annotations

import inspect
import json
import pathlib

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, ops
from torchspore.engine.primitive import Primitive
from torchspore.ops import auto_generate

# MindSpore's primitives there, with the parameters of their constructors and calls.
RECORDED = json.loads((pathlib.Path(__file__).parent.parent / "data" / "auto_generate.json").read_text())
ABSENT = 40  # primitives of MindSpore's that are not found; none may be added
DIFFERENT = {
    "BatchNorm": "MindSpore lists its inputs as *args",
    "CountNonZero": "the public primitive, whose constructor takes the dimensions",
}


def found(name):
    """Return a primitive class that can be used, else None."""
    thing = getattr(auto_generate, name, None)
    return None if thing is None or thing.__doc__.startswith("Not supported") else thing


def takes(function, count):
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    return sum(p.default is p.empty for p in parameters) <= count <= len(parameters)


@pytest.mark.parametrize("name", [name for name in RECORDED if found(name)])
def test_the_arguments_are_those_of_mindspore(name):
    attributes, inputs = RECORDED[name]
    thing = found(name)
    assert issubclass(thing, Primitive)
    if name not in DIFFERENT:
        assert takes(thing.__init__, len(attributes))
        assert takes(thing.__call__, len(inputs))


def test_few_are_absent():
    assert len([name for name in RECORDED if not hasattr(auto_generate, name)]) <= ABSENT


x = Tensor([[1.0, 2.0], [3.0, 4.0]])
ROWS = [
    ("AddExt()(x, x, 2)", [[3, 6], [9, 12]]),
    ("add_ext(x, x, 2)", [[3, 6], [9, 12]]),
    ("add_op(x, x)", [[2, 4], [6, 8]]),
    ("pyboost_add(add_op, [x, x])", [[2, 4], [6, 8]]),
    ("SumExt()(x, 0, True)", [[4, 6]]),
    ("sum_ext_op(x, 0)", [4, 6]),
    ("pyboost_sum_ext(sum_ext_op, [x, 0, False, None])", [4, 6]),
    ("SoftmaxPrim_()(x, 0).sum()", 2),
    ("softmax_impl(x, 0).sum()", 2),
    ("FmodScalar()(x, 2.0)", [[1, 0], [1, 0]]),
    ("SplitWithSize()(x, [1, 1], 0)[1]", [[3, 4]]),
    ("StackExt(1)((x, x)).shape", (2, 2, 2)),
    ("Scatter()(x, 1, Tensor([[0], [0]]), Tensor([[5.], [6.]]))", [[5, 2], [6, 4]]),
    ("Scatter()(x, 1, Tensor([[0], [0]]), Tensor([[5.], [6.]]), 'add')", [[6, 2], [9, 4]]),
    ("OneHotExt()(Tensor([1, 0]), 3, Tensor(1), Tensor(0))", [[0, 1, 0], [1, 0, 0]]),
    ("OneHotExt(0)(Tensor([1, 0]), 3, Tensor(1), Tensor(0))", [[0, 1], [1, 0], [0, 0]]),
    ("LayerNormExt()(x, (2,), None, None, 0.0)", [[[-1, 1], [-1, 1]], [[1.5], [3.5]], [[2], [2]]]),
    ("GroupNorm()(x.reshape(1, 2, 2), 2, None, None, 0.0)[0]", [[[-1, 1], [-1, 1]]]),
    ("dropout_ext(x, 0.0)", [[1, 2], [3, 4]]),
    ("layer_norm_ext(x, (2,), None, None, 0.0)", [[-1, 1], [-1, 1]]),
    ("rand_ext(2).shape", (2,)),
    ("LogSigmoid()(x * 0)[0]", [[-0.6931472] * 2] * 2),
    ("ConstantPadND()(x, (1, 0), 7.0)", [[7, 1, 2], [7, 3, 4]]),
    ("ReflectionPad1D()(x, (1, 0))", [[2, 1, 2], [4, 3, 4]]),
    ("UpsampleNearest1D()(x[None], [4], None)", [[[1, 1, 2, 2], [3, 3, 4, 4]]]),
    ("UpsampleBilinear2D()(x[None, None], None, [1.0, 2.0], True)[0, 0, 0]", [1, 1.3333334, 1.6666667, 2]),
    ("Convolution()(x[None], Tensor([[[1., 1.], [1., 1.]]]))", [[[10]]]),
    ("Unique2()(Tensor([3, 1, 1]), True, True, True)", [[1, 3], [1, 0, 0], [2, 1]]),
    ("UniqueDim()(x, True, True, 0)[1]", [0, 1]),
    ("GroupedMatmul(3, 0)([x], [Tensor([[[1.], [1.]], [[2.], [2.]]])], group_list=Tensor([1, 2]))", [[[3], [14]]]),
    ("grouped_matmul_v4([x], [x[None]], group_list=Tensor([2]), group_list_type=1)", [[[7, 10], [15, 22]]]),
    ("GroupedMatmul()([x, x], [x, x])[1]", [[7, 10], [15, 22]]),
    ("format_cast(x, 2)", [[1, 2], [3, 4]]),
    ("correlate(Tensor([1., 2, 3]), Tensor([0., 1, 0.5]))", [3.5]),
    ("InplaceReLU()(-x)", [[0, 0], [0, 0]]),
    ("TupleToList()((1, 2))", [1, 2]),
    ("adaptive_avg_pool1d(x, 3)", [[1, 1.5, 2], [3, 3.5, 4]]),
    ("count_nonzero(input=x, dim=[1])", [2, 2]),
    ("dot(x[0], x[1])", 11),
    ("dropout2d_ext(x[None, None], 0.0)", [[[[1, 2], [3, 4]]]]),
    ("flip(x, axis=[1])", [[2, 1], [4, 3]]),
    ("narrow(x, dim=1, start=1, length=1)", [[2], [4]]),
    ("threshold(x, threshold=2.5, value=0)", [[0, 0], [3, 4]]),
    ("smooth_l1_loss(prediction=x, target=x + 2)", [[1.5, 1.5], [1.5, 1.5]]),
    ("tensor_scatter_elements(x, Tensor([[1, 0]]), Tensor([[5.0, 6.0]]), reduce='add')", [[1, 8], [8, 4]]),
    ("DropoutExt()(x, 0.0, 1, 2)", [[[1, 2], [3, 4]], [255] * 16]),
]  # fmt: skip


def plain(value):
    if isinstance(value, (list, tuple)) and any(isinstance(one, Tensor) for one in value):
        return [plain(one) for one in value]
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


class Names(dict):
    """Names of `auto_generate`, found when they are used."""

    def __missing__(self, name):
        return getattr(auto_generate, name)


@pytest.mark.parametrize(("code", "expected"), ROWS)
def test_results(code, expected):
    result = plain(eval(code, {}, Names(x=x.copy(), Tensor=Tensor)))
    if isinstance(expected, list) and isinstance(result[0], list) and len(result) > 1 and "()" in code:
        for one, other in zip(result, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_writes():
    y = x.copy()
    auto_generate.InplaceAddmm()(y, x, x)
    np.testing.assert_allclose(y.asnumpy(), [[8, 12], [18, 26]])
    sums = ops.zeros((2, 2))
    assert auto_generate.matmul_add_(x, x, sums) is not None
    np.testing.assert_allclose(sums.asnumpy(), [[10, 14], [14, 20]])


def test_attention_has_the_place_that_programs_read():
    q = ops.ones((1, 2, 4))
    result = auto_generate.FlashAttentionScore(2, scale_value=1.0)(q, q, q)
    assert result[:3] == (None, None, None)
    np.testing.assert_allclose(result[3].asnumpy(), q.asnumpy())


@pytest.mark.parametrize("name", ["NsaCompressGrad", "nsa_compress_grad_op", "FFNExt", "Mla", "pyboost_mla"])
def test_refused_names_say_what_to_use(name):
    made = getattr(auto_generate, name)
    with pytest.raises(NotImplementedError, match=rf"For '{name}', it .*Use "):
        (made() if isinstance(made, type) else made)()


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'NoSuchName'"):
        _ = auto_generate.NoSuchName
    assert not hasattr(auto_generate, "__wrapped__")
    assert "Add" in dir(auto_generate)


# Losses that return what their gradients need, too

LOGITS = np.array([[0.2, 0.7, 0.1], [0.2, 0.7, 0.1], [2.0, -1.0, 0.5], [0.0, 3.0, 1.0]], np.float32)
CLASSES, COUNTED = np.array([0, 1, 2, 1]), np.array([1, 0.5, 0.25], np.float32)
LOGARITHMS = LOGITS - np.log(np.exp(LOGITS).sum(1, keepdims=True))


def test_cross_entropy_has_the_documented_figures():
    given = Tensor(LOGITS[:2]), Tensor(CLASSES[:2]), Tensor([1, 0.5, 0.5])
    loss, logarithms, *others = auto_generate.CrossEntropyLoss()(*given)
    np.testing.assert_allclose(loss.asnumpy(), [1.10128295], rtol=1e-6)
    np.testing.assert_allclose(logarithms.asnumpy(), [[-1.26794958, -0.767949641, -1.36794960]] * 2, rtol=1e-6)
    assert [other.shape for other in others] == [(0,), (0,)]


@pytest.mark.parametrize("ignored", [-100, -1, 1])
@pytest.mark.parametrize("counted", [None, COUNTED])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_cross_entropy(reduction, counted, ignored):
    weight = (np.ones(3) if counted is None else counted)[CLASSES] * (ignored != CLASSES)
    each = -weight * LOGARITHMS[range(4), CLASSES]
    expected = {"none": each, "sum": [each.sum()], "mean": [each.sum() / weight.sum()]}[reduction]
    rule = auto_generate.CrossEntropyLoss()
    given = Tensor(CLASSES), counted if counted is None else Tensor(counted), reduction, ignored
    loss, logarithms, *_ = rule(Tensor(LOGITS), *given)
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(logarithms.asnumpy(), LOGARITHMS, rtol=1e-5)
    scale = 1 / weight.sum() if reduction == "mean" else 1
    wanted = scale * weight[:, None] * (np.exp(LOGARITHMS) - np.eye(3)[CLASSES])
    found = ms.grad(lambda x: rule(x, *given)[0].sum())(Tensor(LOGITS))
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(ms.jit(rule)(Tensor(LOGITS), *given)[0].asnumpy(), loss.asnumpy())
    assert auto_generate.cross_entropy_loss(Tensor(LOGITS, ms.float16), *given)[0].dtype == ms.float16


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_loss_of_images(reduction, single):
    images, classes = LOGARITHMS.T.reshape(1, 3, 2, 2), CLASSES.reshape(1, 2, 2)
    given = (images[0], classes[0]) if single else (images, classes)
    rule = auto_generate.NLLLoss2d()
    loss, total = rule(*map(Tensor, given), Tensor(COUNTED), reduction, 0)
    weight = COUNTED[CLASSES] * (CLASSES != 0)
    each = (-weight * LOGARITHMS[range(4), CLASSES]).reshape(given[1].shape)
    expected = {"none": each, "sum": each.sum(), "mean": each.sum() / weight.sum()}[reduction]
    assert loss.shape == np.shape(expected)
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(total.asnumpy(), 0 if reduction == "none" else weight.sum(), rtol=1e-6)
    found = ms.grad(lambda x: rule(x, Tensor(given[1]), Tensor(COUNTED), reduction, 0)[0].sum())(Tensor(given[0]))
    wanted = (-weight[:, None] * np.eye(3)[CLASSES]).T.reshape(given[0].shape)
    np.testing.assert_allclose(found.asnumpy(), wanted / (weight.sum() if reduction == "mean" else 1), rtol=1e-5)


def test_layer_norm_of_a_sum():
    found = auto_generate.AddLayerNormV2()(x, x, Tensor([1.0, 2.0]), Tensor([0.0, 1.0]), 0.0, True)
    expected = [[-1, 3], [-1, 3]], [[3], [7]], [[1], [1]], [[2, 4], [6, 8]]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda g: g.CrossEntropyLoss()(x, Tensor([0, 1]), label_smoothing=0.1), NotImplementedError, "'label_smooth"),
        (lambda g: g.CrossEntropyLoss()(x, Tensor([0, 1]), return_zloss=True), NotImplementedError, "'return_zloss'"),
        (lambda g: g.CrossEntropyLoss()(x[0], Tensor(1)), ValueError, "'input' must have 2 dimensions"),
        (lambda g: g.CrossEntropyLoss()(x, Tensor([0, 1]), None, "max"), ValueError, "'reduction' must be"),
        (lambda g: g.CrossEntropyLoss()(x, Tensor([0, 5])), ValueError, "For 'CrossEntropyLoss'"),
        (lambda g: g.NLLLoss2d()(x, Tensor([0, 1]), x[0]), ValueError, "For 'NLLLoss2d'"),
        (lambda g: g.NLLLoss2d()(x[None], Tensor([[0, 1]]), None), TypeError, "'weight' must be a Tensor"),
        (lambda g: g.NLLLoss2d()(x[None], Tensor([[0, 1]]), x[0], "max"), ValueError, "'reduction' must be"),
    ],
)
def test_wrong_arguments_of_losses(call, error, text):
    with pytest.raises(error, match=text):
        call(auto_generate)
