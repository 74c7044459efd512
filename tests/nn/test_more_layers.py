"""Layers for images, padding, pooling and mathematics: closed forms, statistics, graphs, initial weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, mint, nn, ops
from torchspore.nn.layer import thor_layer
from torchspore.nn.layer.window_products import window_products

RANDOM = np.random.default_rng(0)


def _random(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def _positive_definite(*shape: int) -> np.ndarray:
    x = _random(*shape, 4, 4)
    return (x @ x.swapaxes(-2, -1) + np.eye(4)).astype(np.float32)


class TestAgainstPyTorch:
    @pytest.mark.parametrize(
        ("ours", "theirs", "shape"),
        [
            (nn.AvgPool1dExt(3, 2, 1, True, False), torch.nn.AvgPool1d(3, 2, 1, True, False), (2, 3, 8)),
            (nn.AvgPool2dExt((3, 2), None, (1, 0)), torch.nn.AvgPool2d((3, 2), None, (1, 0)), (2, 3, 8, 7)),
            (nn.AvgPool2dExt(2, divisor_override=3), torch.nn.AvgPool2d(2, divisor_override=3), (3, 8, 7)),
            (nn.AvgPool3dExt(3, 2, (1, 0, 1), True), torch.nn.AvgPool3d(3, 2, (1, 0, 1), True), (1, 2, 5, 6, 7)),
            (nn.MaxPool2dExt(3, 2, 1, 2, False, True), torch.nn.MaxPool2d(3, 2, 1, 2, False, True), (2, 3, 9, 8)),
            (nn.MaxPool2dExt((2,)), torch.nn.MaxPool2d(2), (2, 3, 9, 8)),
            (nn.LogSoftmaxExt(), torch.nn.LogSoftmax(1), (3, 4)),
            (nn.LogSoftmaxExt(), torch.nn.LogSoftmax(0), (2, 3, 4)),
            (nn.LogSoftmaxExt(-1), torch.nn.LogSoftmax(-1), (2, 3, 4)),
        ],
    )
    def test_plain_layers(self, ours, theirs, shape):
        x = _random(*shape)
        np.testing.assert_allclose(ours(Tensor(x)).asnumpy(), theirs(torch.from_numpy(x)).numpy(), rtol=1e-5, atol=1e-6)

    def test_maxima_with_places_and_the_way_back(self):
        x = _random(2, 3, 8, 6)
        ours = nn.MaxPool2dExt(2, return_indices=True)(Tensor(x))
        theirs = torch.nn.MaxPool2d(2, return_indices=True)(torch.from_numpy(x))
        for found, expected in zip(ours, theirs):
            assert (found.asnumpy() == expected.numpy()).all()
        back = nn.MaxUnpool2d(2)(*ours)
        assert (back.asnumpy() == torch.nn.MaxUnpool2d(2)(*theirs).numpy()).all()

    @pytest.mark.parametrize(("rows", "columns"), [(2, 3), (1, 2)])
    @pytest.mark.parametrize("rate", [1, 2])
    def test_patches(self, rows, columns, rate):
        x = _random(2, 3, 8, 7)
        found = nn.Unfold((1, rows, columns, 1), (1, 2, 1, 1), (1, rate, 1, 1))(Tensor(x)).asnumpy()
        windows = torch.nn.functional.unfold(torch.from_numpy(x), (rows, columns), (rate, 1), stride=(2, 1))
        expected = windows.reshape(2, 3, rows * columns, *found.shape[2:]).transpose(1, 2).reshape(found.shape)
        np.testing.assert_array_equal(found, expected.numpy())

    def test_bilinear(self):
        net = nn.BiDense(3, 4, 5)
        x, y = _random(2, 6, 3), _random(2, 6, 4)
        parts = [torch.from_numpy(part) for part in (x, y, net.weight.asnumpy(), net.bias.asnumpy())]
        expected = torch.nn.functional.bilinear(*parts).numpy()
        np.testing.assert_allclose(net(Tensor(x), Tensor(y)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


class TestMatrices:
    def test_of_positive_definite_ones(self):
        x = _positive_definite()
        np.testing.assert_allclose(nn.MatInverse()(Tensor(x)).asnumpy(), np.linalg.inv(x), rtol=1e-4, atol=1e-5)
        x = _positive_definite(2, 3)
        np.testing.assert_allclose(nn.MatDet()(Tensor(x)).asnumpy(), np.linalg.det(x), rtol=1e-4)

    def test_gradients(self):
        x = _positive_definite()
        inverse = np.linalg.inv(x)
        # The Cholesky decomposition looks at one triangle; the gradient is a symmetric matrix's.
        found = ms.grad(nn.MatDet())(Tensor(x)).asnumpy()
        np.testing.assert_allclose(found + found.T, 2 * np.linalg.det(x) * inverse, rtol=1e-3, atol=1e-3)
        found = ms.grad(lambda y: nn.MatInverse()(y).sum())(Tensor(x)).asnumpy()
        np.testing.assert_allclose(found + found.T, -2 * np.outer(inverse.sum(0), inverse.sum(1)), rtol=1e-3, atol=1e-4)

    def test_half_precision_and_refusals(self):
        x = Tensor(_positive_definite()).astype(ms.float16)
        assert nn.MatInverse()(x).dtype == nn.MatDet()(x).dtype == ms.float16
        for layer in (nn.MatInverse(), nn.MatDet()):
            with pytest.raises(TypeError, match=f"For '{layer.cls_name}', 'x' must be of floats"):
                layer(Tensor([[1]]))
            with pytest.raises(RuntimeError, match="positive"):
                layer(Tensor([[1.0, 2.0], [2.0, 1.0]]))

    def test_diagonals(self):
        x, diagonal = _random(2, 3, 4), _random(2, 3)
        expected = np.stack([np.diag(row) for row in diagonal])
        np.testing.assert_array_equal(nn.MatrixDiag()(Tensor(diagonal)).asnumpy(), expected)
        np.testing.assert_array_equal(nn.MatrixDiagPart()(Tensor(x)).asnumpy(), x[:, range(3), range(3)])
        found = nn.MatrixSetDiag()(Tensor(x), Tensor(diagonal)).asnumpy()
        x[:, range(3), range(3)] = diagonal
        np.testing.assert_array_equal(found, x)
        with pytest.raises(TypeError, match="For 'MatrixSetDiag', both inputs must be of one dtype"):
            nn.MatrixSetDiag()(Tensor(x), Tensor([1, 2, 3]))


def test_the_logarithm_of_beta_does_not_cancel():
    """Stirling's series: lgamma(x) - lgamma(x + 1) = -log(x)."""
    x = np.array([1e3, 1e5, 1e7], np.float32)
    np.testing.assert_allclose(nn.LBeta()(Tensor(x), ops.ones(3)).asnumpy(), -np.log(x), rtol=1e-6)


def test_similarity_by_definition():
    x, y = _random(2, 3, 7, 8), _random(2, 3, 7, 8)
    weights = nn.SSIM(1.0, 3, 0.8).conv.weight.asnumpy()[0, 0]
    expected = np.zeros((2, 3, 5, 6))
    for i, j in np.ndindex(5, 6):
        a, b = x[..., i : i + 3, j : j + 3], y[..., i : i + 3, j : j + 3]
        mean_a, mean_b = [(side * weights).sum((-2, -1)) for side in (a, b)]
        covariance = (a * b * weights).sum((-2, -1)) - mean_a * mean_b
        variances = ((a * a + b * b) * weights).sum((-2, -1)) - mean_a**2 - mean_b**2
        expected[..., i, j] = (2 * mean_a * mean_b + 0.01**2) * (2 * covariance + 0.03**2)
        expected[..., i, j] /= (mean_a**2 + mean_b**2 + 0.01**2) * (variances + 0.03**2)
    assert weights.sum() == pytest.approx(1)
    found = nn.SSIM(1.0, 3, 0.8)(Tensor(x), Tensor(y)).asnumpy()
    np.testing.assert_allclose(found, expected.mean((1, 2, 3)), rtol=1e-4, atol=1e-6)


class TestPaddingAnyNumberOfDimensions:
    @pytest.mark.parametrize("shape", [(3, 4, 5), (2, 3, 4, 5), (2, 1, 2, 3, 4, 5), (0, 3, 4, 5)])
    @pytest.mark.parametrize(("layer", "mode"), [(nn.ReflectionPad3d, "reflect"), (nn.ReplicationPad3d, "edge")])
    def test_edges(self, shape, layer, mode):
        x = _random(*shape)
        widths = [(0, 0)] * (x.ndim - 3) + [(1, 0), (2, 1), (0, 3)]
        found = layer((0, 3, 2, 1, 1, 0))(Tensor(x)).asnumpy()
        np.testing.assert_array_equal(found, np.pad(x, widths, mode=mode))


LAYERS = [
    (nn.ReflectionPad2d(2), [(2, 3, 4, 4)]), (nn.ReplicationPad1d(1), [(4,)]), (nn.ConstantPad3d(1, 2.0), [(2, 3, 4)]),
    (nn.PixelShuffle(2), [(4, 2, 2)]), (nn.PixelUnshuffle(2), [(1, 4, 4)]), (nn.ChannelShuffle(2), [(1, 4, 3)]),
    (nn.CentralCrop(0.5), [(2, 6, 6)]), (nn.ImageGradients(), [(1, 2, 4, 4)]), (nn.LPPool2d(3, 2), [(1, 4, 4)]),
    (nn.Unfold([1, 2, 2, 1], [1] * 4, [1] * 4, "same"), [(1, 2, 4, 4)]), (nn.LRN(1), [(1, 3, 2, 2)]),
    (nn.SSIM(filter_size=3), [(1, 2, 4, 4)] * 2), (nn.MSSSIM(1.0, (0.5, 0.5), 2), [(1, 2, 4, 4)] * 2),
    (nn.PSNR(), [(1, 2, 4, 4)] * 2), (nn.Moments(0), [(3, 4)]), (nn.MatMul(True), [(3, 4), (3, 2)]),
    (nn.ReduceLogSumExp(0), [(3, 4)]), (nn.BiDense(3, 2, 4), [(5, 3), (5, 2)]), (nn.LGamma(), [(3,)]),
    (nn.Conv2dBnAct(2, 3, 3, has_bn=True, activation="relu"), [(1, 2, 4, 4)]),
    (nn.DenseBnAct(3, 2, has_bn=True, activation="prelu").set_train(), [(4, 3)]), (nn.PReLUExt(3), [(2, 3)]),
    (nn.DenseThor(3, 2), [(4, 3)]), (nn.Conv2dThor(2, 3, (3, 2), 2, "pad", (1, 0, 2, 1)), [(2, 2, 5, 4)]),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "shapes"), LAYERS, ids=[layer.cls_name for layer, _ in LAYERS])
def test_graphs_compute_the_same(layer, shapes):
    inputs = [Tensor(abs(_random(*shape))) for shape in shapes]

    def value_and_gradient(*inputs):
        def total(*inputs):
            outputs = layer(*inputs)
            return sum((part * part).sum() for part in (outputs if isinstance(outputs, tuple) else (outputs,)))

        return ms.value_and_grad(total, tuple(range(len(inputs))), layer.trainable_params() or None)(*inputs)

    def flat(tree):
        return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, tuple) else [tree.asnumpy()]

    expected = flat(value_and_gradient(*inputs))
    statistics = [p.asnumpy().copy() for p in layer.get_parameters() if "matrix" in p.name]
    graph = ms.jit(value_and_gradient, fullgraph=True)
    for found, wanted in zip(flat(graph(*inputs)), expected):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    for parameter, wanted in zip([p for p in layer.get_parameters() if "matrix" in p.name], statistics):
        np.testing.assert_allclose(parameter.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("parameter", "deviation"),
    [
        (lambda: nn.Conv2dBnAct(3, 400, 3).conv.weight, 0.01), (lambda: nn.DenseBnAct(30, 400).dense.weight, 0.01),
        (lambda: nn.Conv2dThor(3, 400, 3).weight, 0.01), (lambda: nn.DenseThor(30, 400).weight, 0.01),
        (lambda: nn.EmbeddingThor(400, 30).embedding_table, 0.01),
        (lambda: nn.MultiFieldEmbeddingLookup(400, 30, 2).embedding_table, 0.01),
        (lambda: nn.BiDense(16, 4, 300).weight, 0.25 / 3**0.5), (lambda: nn.BiDense(16, 4, 9999).bias, 0.25 / 3**0.5),
    ],
)  # fmt: skip
def test_initial_weights(parameter, deviation):
    values = parameter().asnumpy()
    assert values.std() == pytest.approx(deviation, rel=0.05)
    assert abs(values.mean()) < 0.05 * deviation


class TestStatistics:
    """What MindSpore 2.10 keeps in the layers for THOR, and the definition where its CPU has no kernel."""

    def test_dense(self):
        net = nn.DenseThor(3, 4, weight_init="ones", bias_init="ones")
        x, weights = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), ops.arange(8).reshape(2, 4).float()
        ms.value_and_grad(lambda x: (net(x) * weights).sum(), None, net.trainable_params())(x)
        expected = np.array([[9, 12, 15], [12, 17, 22], [15, 22, 29]]) / 3
        np.testing.assert_allclose(net.matrix_a.asnumpy(), expected, rtol=1e-6)
        expected = [[8, 10, 12, 14], [10, 13, 16, 19], [12, 16, 20, 24], [14, 19, 24, 29]]
        np.testing.assert_array_equal(net.matrix_g.asnumpy(), expected)
        net.add_flags_recursive(thor=False)
        before = net.matrix_a.asnumpy().copy()
        net(x * 3)
        np.testing.assert_array_equal(net.matrix_a.asnumpy(), before)

    @pytest.mark.parametrize("layer", [nn.EmbeddingThor, nn.EmbeddingLookupThor])
    def test_embedding(self, layer):
        options = {"target": "DEVICE"} if layer is nn.EmbeddingLookupThor else {}
        net = layer(4, 2, **options)
        ids, weights = Tensor([[1, 0], [3, 1]], ms.int32), ops.arange(8).reshape(2, 2, 2).float()
        ms.value_and_grad(lambda ids: (net(ids) * weights).sum(), None, net.trainable_params())(ids)
        assert net.matrix_a.asnumpy().tolist() == [1, 2, 0, 1]
        assert net.matrix_g.asnumpy().tolist() == [[14, 17], [17, 21]]

    @pytest.mark.parametrize(
        ("window", "padding"),
        [
            ((3, 1, "valid"), (0, 0, 0, 0)), ((3, 1, "same"), (1, 1, 1, 1)), ((3, 2, "same"), (0, 1, 0, 1)),
            (((3, 2), 1, "pad", (1, 0, 2, 1)), (2, 1, 1, 0)), ((2, 1, "pad", 1), (1, 1, 1, 1)),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("many", [thor_layer._MANY, 0])  # 0: without copies of windows, however few they are
    def test_convolution(self, window, padding, many, monkeypatch):
        monkeypatch.setattr(thor_layer, "_MANY", many)
        net = nn.Conv2dThor(2, 3, *window)
        x = _random(2, 2, 6, 6)
        output = net(Tensor(x))
        both = torch.nn.functional.pad(torch.from_numpy(x), padding)
        columns = torch.nn.functional.unfold(both, net.kernel_size, stride=window[1]).transpose(1, 2).flatten(0, 1)
        assert net.a_normalizer.asnumpy()[0] == len(columns) == 2 * output.shape[2] * output.shape[3]
        expected = (columns.T @ columns / len(columns)).numpy()
        np.testing.assert_allclose(net.matrix_a_cov.asnumpy(), expected, rtol=1e-4, atol=1e-5)
        product = (columns @ torch.from_numpy(net.weight.asnumpy()).flatten(1).T).reshape(2, -1, 3).transpose(1, 2)
        np.testing.assert_allclose(output.asnumpy().reshape(2, 3, -1), product.numpy(), rtol=1e-4, atol=1e-5)
        gradient = _random(*output.shape)
        ms.grad(lambda x: (net(x) * Tensor(gradient)).sum())(Tensor(x))
        rows = gradient.transpose(0, 2, 3, 1).reshape(-1, 3)
        np.testing.assert_allclose(net.matrix_g_cov.asnumpy(), rows.T @ rows / len(rows), rtol=1e-4, atol=1e-6)

    @pytest.mark.parametrize("kernel", [(1, 1), (3, 2), (2, 4), (4, 4)])
    @pytest.mark.parametrize("dilation", [(1, 1), (1, 2), (3, 1)])
    @pytest.mark.parametrize("places", [(6, 8), (1, 5)])  # also fewer places than the window is high
    def test_products_of_windows(self, kernel, dilation, places):
        x = _random(2, 3, *[n + d * (k - 1) for n, d, k in zip(places, dilation, kernel)])
        columns = torch.nn.functional.unfold(torch.from_numpy(x), kernel, dilation).transpose(1, 2).flatten(0, 1)
        found = window_products(Tensor(x), kernel, dilation).asnumpy()
        np.testing.assert_allclose(found, (columns.T @ columns).numpy(), rtol=1e-4, atol=1e-4)

    def test_half_precision(self):
        net = nn.Conv2dThor(2, 3, 3, has_bias=True)
        assert net(Tensor(_random(1, 2, 4, 4)).astype(ms.float16)).dtype == ms.float16


def test_a_field_out_of_range_is_an_error():
    net = nn.MultiFieldEmbeddingLookup(4, 2, 2)
    numbers = Tensor([[0, 1], [2, 3]])
    with pytest.raises(ValueError, match="segment"):
        net(numbers, ops.ones((2, 2)), Tensor([[0, 2], [0, 1]], ms.int32))


def test_layers_of_mint_are_those_of_nn():
    assert mint.nn.AvgPool2d is nn.AvgPool2dExt
    assert mint.nn.MaxPool2d is nn.MaxPool2dExt
    assert mint.nn.PReLU is nn.PReLUExt
    assert mint.nn.LogSoftmax is nn.LogSoftmaxExt
    assert mint.nn.PixelShuffle is nn.PixelShuffle


@pytest.mark.parametrize("captured", [False, True], ids=["pynative", "graph"])
def test_ids_below_0_count_from_the_last_row(captured):
    net = nn.Embedding(3, 2, embedding_table=Tensor(np.arange(6).reshape(3, 2).astype(np.float32)))
    run = ms.jit(net) if captured else net
    assert run(Tensor([0, -1], ms.int32)).asnumpy().tolist() == [[0, 1], [4, 5]]
