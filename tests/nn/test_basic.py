"""Basic layers: initial values, randomness, warnings and errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops


@pytest.fixture(autouse=True)
def _seeded():
    ms.set_seed(1)


@pytest.mark.parametrize("layer", [nn.Dense(400, 300), nn.Linear(400, 300)], ids=["Dense", "Linear"])
def test_initial_values_of_dense_layers(layer):
    for values in (layer.weight.asnumpy(), layer.bias.asnumpy()):
        assert abs(values).max() <= 0.05
        assert values.std() == pytest.approx(0.05 / 3**0.5, rel=0.1)
        assert values.mean() == pytest.approx(0, abs=0.01)


def test_initial_values_of_embeddings():
    table = nn.Embedding(200, 50).embedding_table.asnumpy()
    assert table.std() == pytest.approx(0.01, rel=0.05)
    assert nn.EmbeddingLookup(200, 50).embedding_table.asnumpy().std() == pytest.approx(0.01, rel=0.05)
    assert nn.EmbeddingExt(200, 50).weight.asnumpy().std() == pytest.approx(1, rel=0.05)
    for layer in (nn.Embedding(4, 3, padding_idx=3), nn.EmbeddingExt(4, 3, padding_idx=-1)):
        (parameter,) = layer.get_parameters()
        assert (parameter.asnumpy()[3] == 0).all()
        assert (parameter.asnumpy()[:3] != 0).all()


def test_a_given_table_is_copied():
    given = ops.ones((3, 2))
    layer = nn.Embedding(3, 2, embedding_table=given, padding_idx=0)
    assert layer.embedding_table.asnumpy()[0].tolist() == [0.0, 0.0]
    assert (given.asnumpy() == 1).all()
    assert not nn.EmbeddingExt(3, 2, _weight=given, _freeze=True).weight.requires_grad


def test_gradients_of_embeddings():
    ids = Tensor([1, 1, 0], ms.int32)

    def gradient(layer):
        return ms.grad(lambda i: layer(i).sum(), None, layer.trainable_params())(ids)[0].asnumpy()[:, 0].tolist()

    assert gradient(nn.Embedding(3, 2, padding_idx=1)) == [1.0, 2.0, 0.0]
    assert gradient(nn.Embedding(3, 2, use_one_hot=True)) == [1.0, 2.0, 0.0]
    assert gradient(nn.EmbeddingLookup(3, 2)) == [1.0, 2.0, 0.0]
    assert gradient(nn.EmbeddingExt(3, 2, padding_idx=1)) == [1.0, 0.0, 0.0]
    assert gradient(nn.EmbeddingExt(3, 2, scale_grad_by_freq=True)) == [1.0, 1.0, 0.0]


def test_the_function_embedding():
    table = ms.Parameter(np.array([[3.0, 4.0], [0.3, 0.4]], np.float32), name="table")
    assert ops.embedding(Tensor([[1, 0]]), table).shape == (1, 2, 2)
    found = ops.embedding(Tensor([0, 1]), table, max_norm=1.0)
    np.testing.assert_allclose(found.asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    np.testing.assert_allclose(table.asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    layer = nn.EmbeddingExt(2, 2, max_norm=1.0, norm_type=1.0, _weight=Tensor([[3.0, 1.0], [0.3, 0.4]]))
    np.testing.assert_allclose(layer(Tensor([0])).asnumpy(), [[0.75, 0.25]], rtol=1e-5)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Dropout(p=0.25), (40, 50)),
        (nn.DropoutExt(0.25), (40, 50)),
        (nn.Dropout1d(0.25), (40, 50, 2)),
        (nn.Dropout2d(0.25), (40, 50, 2, 1)),
        (nn.Dropout2dExt(0.25), (40, 50, 2, 1)),
        (nn.Dropout3d(0.25), (40, 50, 2, 1, 1)),
    ],
    ids=lambda value: getattr(value, "cls_name", ""),
)
def test_dropout(layer, shape):
    x = ops.ones(shape)
    assert layer(x) is x
    y = layer.set_train()(x).asnumpy().reshape(40, 50, -1)
    assert (y == y[..., :1]).all()
    np.testing.assert_allclose(np.unique(y), [0, 4 / 3], rtol=1e-6)
    assert (y == 0).mean() == pytest.approx(0.25, abs=0.05)
    assert not np.array_equal(layer(x).asnumpy().reshape(y.shape), y)
    assert layer.set_train(False)(x) is x


def test_deprecated_arguments_of_dropout():
    with pytest.warns(DeprecationWarning, match="For 'Dropout', 'keep_prob' is deprecated. Give p, which is 1 - keep"):
        layer = nn.Dropout(0.75)
    assert repr(layer) == "Dropout(keep_prob=0.75)"
    assert layer.p is None
    y = layer.set_train()(ops.ones((40, 50))).asnumpy()
    assert (y == 0).mean() == pytest.approx(0.25, abs=0.05)
    with pytest.warns(DeprecationWarning, match="'keep_prob'"):
        assert nn.Dropout(keep_prob=1.0).set_train()(layer) is layer
    with pytest.warns(DeprecationWarning, match="For 'Dropout', 'dtype' is deprecated"):
        nn.Dropout(p=0.5, dtype=ms.float16)


@pytest.mark.parametrize(
    ("mode", "before", "expected"),
    [("CONSTANT", 2, [1, 1, 1]), ("REFLECT", 1, [1, 2, 1]), ("SYMMETRIC", 2, [2, 2, 1])],
)
def test_gradients_of_padding(mode, before, expected):
    layer = nn.Pad(((0, 0), (before, 0)), mode)
    assert ms.grad(lambda x: layer(x).sum())(Tensor([[1.0, 2.0, 3.0]])).tolist() == [expected]


_WRONG = [
    ("nn.Dropout(keep_prob=0.0)", ValueError, "For 'Dropout', 'keep_prob' must be in"),
    ("nn.Dropout(keep_prob=1)", TypeError, "For 'Dropout', 'keep_prob' must be a float"),
    ("nn.Dropout(p=1.0)", ValueError, r"For 'Dropout', 'p' must be in \[0, 1\)"),
    ("nn.Dropout(p='a')", TypeError, "For 'Dropout', 'p' must be a number"),
    ("nn.DropoutExt(2.0).set_train()(x)", ValueError, "For 'DropoutExt', 'p' must be in"),
    ("nn.Dropout1d(1)", TypeError, "For 'Dropout1d', 'p' must be a float"),
    ("nn.Dropout2d(1.5)", ValueError, "For 'Dropout2d', 'p' must be in"),
    ("nn.Dense(0, 1)", ValueError, "For 'Dense', 'in_channels' must be > 0, but got 0"),
    ("nn.Dense(1, 'a')", TypeError, "For 'Dense', 'out_channels' must be an int"),
    ("nn.Dense(2, 3, weight_init=x)", ValueError, "For 'Dense', 'weight_init' must be of shape"),
    ("nn.Dense(2, 3, activation=3)", TypeError, "For 'Dense', 'activation' must be a string, a Cell or a Primitive"),
    ("nn.Dense(2, 3, activation='a')", KeyError, "For 'Dense', the name of an activation"),
    ("nn.Dense(2, 3)('a')", TypeError, "For 'Dense', 'input' must be a Tensor"),
    ("nn.Linear(2, 3, bias=1)", TypeError, "For 'Linear', 'bias' must be a bool"),
    ("nn.Flatten()('a')", TypeError, "For 'Flatten', the input must be a Tensor"),
    ("nn.Flatten(5)(x)", ValueError, "For 'Flatten', 'start_dim' and 'end_dim' must be in"),
    ("nn.Unflatten(1.5, (1,))", TypeError, "For 'Unflatten', 'axis' must be an int"),
    ("nn.Unflatten(1, 3)", TypeError, "For 'Unflatten', 'unflattened_size' must be a tuple"),
    ("nn.Unflatten(7, (1, 2))(x)", ValueError, "For 'Unflatten', the input has no dimension 7"),
    ("nn.Unflatten(0, (1, 2))(3)", TypeError, "For 'Unflatten', the input must be a Tensor"),
    ("nn.Pad(((1, 1),), mode='a')", ValueError, "For 'Pad', 'mode' must be"),
    ("nn.Pad(((0, 0),) * 5)", ValueError, "at most 4 pairs"),
    ("nn.L1Regularizer('a')", TypeError, "For 'L1Regularizer', 'scale' must be a number"),
    ("nn.L1Regularizer(0)", ValueError, "For 'L1Regularizer', 'scale' must be > 0"),
    ("nn.Norm(keep_dims=1)", TypeError, "For 'Norm', 'keep_dims' must be a bool"),
    ("nn.Roll('a', 0)", TypeError, "For 'Roll', 'shift' must be an int or a tuple or a list"),
    ("nn.Roll((1, 2), 0)", ValueError, "For 'Roll', 'shift' and 'axis' must have the same length"),
    ("nn.Embedding(3, 4, dtype=3)", TypeError, "For 'Embedding', 'dtype' must be a data type"),
    ("nn.Embedding(3, 4, padding_idx=3)", ValueError, "For 'Embedding', 'padding_idx' must be in"),
    ("nn.Embedding(3, 4, use_one_hot=1)", TypeError, "For 'Embedding', 'use_one_hot' must be a bool"),
    ("nn.Embedding(3, 4)(x)", TypeError, "For 'Embedding'"),
    ("nn.EmbeddingExt(3, 4, sparse=True)", ValueError, "For 'EmbeddingExt', sparse=True is not supported"),
    ("nn.EmbeddingExt(3, 4, norm_type=1)", TypeError, "For 'EmbeddingExt', 'norm_type' must be a float"),
    ("nn.EmbeddingLookup(3, 4, target='a')", ValueError, "For 'EmbeddingLookup', 'target' must be one of .'CPU'"),
    ("nn.EmbeddingLookup(3, 4, max_norm=-1.0)", ValueError, "For 'EmbeddingLookup', 'max_norm' must be > 0"),
    ("nn.EmbeddingLookup(3, 4)(x)", TypeError, "For 'EmbeddingLookup', the indices must be integers"),
    ("ops.embedding(x, x)", TypeError, "For 'embedding'"),
    ("ops.embedding(ms.Tensor([0]), x, 5)", ValueError, "For 'embedding', 'padding_idx' must be in"),
    ("ops.embedding(ms.Tensor([7]), x)", ValueError, "For 'embedding'"),
]


@pytest.mark.filterwarnings("ignore:For 'Dropout', 'keep_prob'")
@pytest.mark.parametrize(("expression", "error", "message"), _WRONG, ids=[row[0] for row in _WRONG])
def test_errors(expression, error, message):
    with pytest.raises(error, match=message):
        eval(expression, {"nn": nn, "ms": ms, "ops": ops, "x": ops.ones((2, 3))})


def test_roll():
    x = Tensor(np.arange(6).reshape(2, 3))
    assert nn.Roll(1, 1)(x).tolist() == [[2, 0, 1], [5, 3, 4]]
    assert nn.Roll((1, -1), [0, 1])(x).tolist() == [[4, 5, 3], [1, 2, 0]]


def test_clipping_along_an_axis():
    x = Tensor([[3.0, 4.0], [0.3, 0.4]])
    np.testing.assert_allclose(nn.ClipByNorm(1)(x, Tensor(1.0)).asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    np.testing.assert_allclose(nn.ClipByNorm(0)(x, Tensor([10.0])).asnumpy(), x.asnumpy(), rtol=1e-6)


def test_no_warnings_with_p():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nn.Dropout(p=0.5)


@pytest.mark.parametrize(("options", "kept"), [({"p": 0.25}, 0.75), ({"p": 0.0}, 1.0)])
def test_dropout_has_its_primitive(options, kept):
    layer = nn.Dropout(**options)
    assert layer.dropout.keep_prob == kept
    assert layer.dropout.shard(((2, 1),)) is layer.dropout
