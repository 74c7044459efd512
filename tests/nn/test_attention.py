"""Attention and transformers: against PyTorch's, initial values, dropout, graphs, and derivatives of higher order."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn, ops

RANDOM = np.random.default_rng(0)


def _random(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


QUERY, KEY, VALUE = _random(3, 4, 8), _random(3, 5, 8), _random(3, 5, 8)
PADDED = np.array([[True, False, False, False, True], [False] * 5, [True, True, False, False, True]])
HIDDEN = np.triu(np.ones((4, 5), bool), 3)
OF_PAIRS = _random(4, 5)


def _twins(**settings):
    """Return a layer of ours and one of torch with the same weights."""
    ours = nn.MultiheadAttention(8, 2, batch_first=True, **settings)
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True, **settings)
    parameters = dict(theirs.named_parameters())
    for parameter in ours.get_parameters():
        parameter.set_data(Tensor(_random(*parameter.shape)))
        parameters[parameter.name].data = torch.from_numpy(parameter.asnumpy().copy())
    return ours, theirs


class TestAgainstTorch:
    @pytest.mark.parametrize("settings", [{}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 8, "vdim": 8}])
    @pytest.mark.parametrize("need_weights", [True, False])
    @pytest.mark.parametrize(
        ("padding", "mask"),
        [
            (None, None), (PADDED, None), (None, HIDDEN), (PADDED, HIDDEN), (None, OF_PAIRS),
            (None, _random(6, 4, 5)), (None, _random(6, 4, 5) > 0.5), (_random(3, 5), OF_PAIRS),
        ],
    )  # fmt: skip
    def test_values_and_gradients(self, settings, need_weights, padding, mask):
        ours, theirs = _twins(**settings)
        tensors = [torch.from_numpy(x).requires_grad_() for x in (QUERY, KEY, VALUE)]
        masks = [None if m is None else torch.from_numpy(m) for m in (padding, mask)]
        expected = theirs(*tensors, masks[0], need_weights, masks[1])
        output = [part for part in expected if part is not None]
        inputs = [*tensors, *theirs.parameters()]
        gradients = torch.autograd.grad(sum((part * part).sum() for part in output), inputs)

        masks = [None if m is None else Tensor(m) for m in (padding, mask)]

        def total(*arguments):
            parts = ours(*arguments, masks[0], need_weights, masks[1])
            return sum((part * part).sum() for part in parts), parts

        names = {name: parameter for parameter, (name, _) in zip(inputs[3:], theirs.named_parameters())}
        weights = list(ours.get_parameters())
        found = ms.value_and_grad(total, (0, 1, 2), weights, has_aux=True)(*map(Tensor, (QUERY, KEY, VALUE)))
        (_, parts), (of_inputs, of_weights) = found
        for one, other in zip(parts, output):
            np.testing.assert_allclose(one.asnumpy(), other.detach().numpy(), rtol=1e-4, atol=1e-5)
        by_parameter = dict(zip(map(id, inputs), gradients))
        for one, tensor in zip(of_inputs, tensors):
            np.testing.assert_allclose(one.asnumpy(), by_parameter[id(tensor)].numpy(), rtol=1e-4, atol=1e-4)
        for one, weight in zip(of_weights, weights):
            expected = by_parameter[id(names[weight.name])].numpy()
            np.testing.assert_allclose(one.asnumpy(), expected, rtol=1e-4, atol=1e-4)

    @pytest.mark.parametrize("need_weights", [True, False])
    @pytest.mark.parametrize(("padding", "mask"), [(PADDED, OF_PAIRS), (_random(3, 5), HIDDEN)])
    def test_bools_beside_floats(self, need_weights, padding, mask):
        """Masked keys have no weight, also when the other mask is added."""
        ours, _ = _twins()
        added = [np.where(m, -np.inf, 0).astype(np.float32) if m.dtype == bool else m for m in (padding, mask)]
        arguments = [Tensor(x) for x in (QUERY, KEY, VALUE)]
        expected = ours(*arguments, Tensor(added[0]), need_weights, Tensor(added[1]))
        found = ours(*arguments, Tensor(padding), need_weights, Tensor(mask))
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)

    @pytest.mark.filterwarnings("ignore:enable_nested_tensor")
    @pytest.mark.parametrize("norm_first", [False, True])
    @pytest.mark.parametrize("activation", ["relu", "gelu"])
    def test_a_transformer(self, norm_first, activation):
        settings = {"activation": activation, "batch_first": True, "norm_first": norm_first}
        ours = nn.Transformer(8, 2, 2, 2, 16, 0.0, **settings)
        theirs = torch.nn.Transformer(8, 2, 2, 2, 16, 0.0, **settings).eval()
        values = dict(theirs.named_parameters())
        for parameter in ours.get_parameters():
            name = parameter.name.replace("dense", "linear").replace("gamma", "weight").replace("beta", "bias")
            parameter.set_data(Tensor(values[name].detach().numpy()))
        own = np.triu(np.ones((4, 4), bool), 1)
        expected = theirs(
            torch.from_numpy(KEY), torch.from_numpy(QUERY), tgt_mask=torch.from_numpy(own),
            src_key_padding_mask=torch.from_numpy(PADDED), memory_key_padding_mask=torch.from_numpy(PADDED),
        )  # fmt: skip
        found = ours(
            Tensor(KEY), Tensor(QUERY), tgt_mask=Tensor(own), src_key_padding_mask=Tensor(PADDED),
            memory_key_padding_mask=Tensor(PADDED),
        )  # fmt: skip
        np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)


class TestMasks:
    @pytest.mark.parametrize("need_weights", [True, False])
    def test_who_sees_nothing_takes_nothing(self, need_weights):
        net = nn.MultiheadAttention(8, 2, has_bias=False, batch_first=True)
        arguments = [Tensor(x) for x in (QUERY, KEY, VALUE)]
        mask = np.zeros((4, 5), bool)
        mask[1] = True
        (output, *weights), gradients = ms.value_and_grad(
            lambda *inputs: net(*inputs, None, need_weights, Tensor(mask)), (0, 1, 2)
        )(*arguments)
        assert (output[:, 1] == 0).all()
        assert all((part[:, 1] == 0).all() for part in weights)
        assert (gradients[0][:, 1] == 0).all()
        assert all(np.isfinite(gradient.asnumpy()).all() for gradient in gradients)

    @pytest.mark.parametrize("need_weights", [True, False])
    def test_an_added_mask_has_a_gradient(self, need_weights):
        net = nn.MultiheadAttention(8, 2, batch_first=True)
        arguments = [Tensor(x) for x in (QUERY, KEY, VALUE)]
        gradient = ms.grad(lambda mask: (net(*arguments, None, need_weights, mask)[0] ** 2).sum())(Tensor(OF_PAIRS))
        assert abs(gradient.asnumpy()).min() > 0
        np.testing.assert_allclose(gradient.sum(1).asnumpy(), 0, atol=1e-4)  # adding one number to all changes nothing


class TestActivations:
    @pytest.mark.parametrize(
        ("cell", "function"),
        [(nn.ReLU(), "relu"), (nn.GELU(False), "gelu"), (nn.GELU(), lambda x: ops.gelu(x, "tanh"))],
    )
    @pytest.mark.parametrize("kind", [nn.TransformerEncoderLayer, nn.TransformerDecoderLayer])
    def test_cells(self, cell, function, kind):
        layer = kind(8, 2, 16, 0.0, cell, batch_first=True)
        arguments = [Tensor(QUERY)] * (2 if kind is nn.TransformerDecoderLayer else 1)
        found = layer(*arguments)
        del layer.activation
        layer.activation = getattr(ops, function) if isinstance(function, str) else function
        np.testing.assert_allclose(found.asnumpy(), layer(*arguments).asnumpy(), rtol=1e-5, atol=1e-6)


class TestInitialValues:
    @staticmethod
    def _check_uniform(parameter, bound):
        values = parameter.asnumpy()
        assert abs(values).max() <= bound
        np.testing.assert_allclose(values.std(), bound / np.sqrt(3), rtol=0.1)

    def test_of_attention(self):
        net = nn.MultiheadAttention(64, 4, add_bias_kv=True)
        self._check_uniform(net.in_proj_weight, np.sqrt(6 / (64 + 3 * 64)))
        self._check_uniform(net.out_proj.weight, 1 / np.sqrt(64))
        assert (net.in_proj_bias == 0).all()
        for bias in (net.bias_k, net.bias_v):
            np.testing.assert_allclose(bias.asnumpy().std(), np.sqrt(2 / 128), rtol=0.4)
        net = nn.MultiheadAttention(64, 4, kdim=32, vdim=16)
        for weight, size in ((net.q_proj_weight, 64), (net.k_proj_weight, 32), (net.v_proj_weight, 16)):
            self._check_uniform(weight, np.sqrt(6 / (64 + size)))

    def test_of_a_transformer(self):
        net = nn.Transformer(64, 4, 2, 1, 128)
        for parameter in net.get_parameters():
            if parameter.ndim > 1:
                self._check_uniform(parameter, np.sqrt(6 / sum(parameter.shape)))
        first, second = net.encoder.layers
        assert (first.dense1.weight != second.dense1.weight).any()

    def test_copies_in_a_stack_start_alike_and_are_trained_apart(self):
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
        first, second = encoder.layers
        assert (first.dense1.weight == second.dense1.weight).all()
        first.dense1.weight.set_data(ops.zeros((16, 8)))
        assert (second.dense1.weight != 0).any()
        assert len(encoder.trainable_params()) == len({id(p) for p in encoder.trainable_params()}) == 24


class TestDropout:
    def test_of_weights(self):
        net = nn.MultiheadAttention(8, 2, 0.3, batch_first=True).set_train()
        x = ops.zeros((50, 20, 8))  # so every weight is 1 / 20
        weights = net(x, x, x, average_attn_weights=False)[1].asnumpy()
        kept = weights != 0
        np.testing.assert_allclose(weights[kept], 1 / 20 / 0.7, rtol=1e-5)
        assert abs(kept.mean() - 0.7) < 5 * np.sqrt(0.21 / kept.size)
        assert (net.set_train(False)(x, x, x)[1] > 0).all()

    def test_without_weights(self):
        net = nn.MultiheadAttention(8, 2, 0.5, batch_first=True).set_train()
        arguments = [Tensor(x) for x in (QUERY, KEY, VALUE)]
        draws = np.stack([net(*arguments, need_weights=False)[0].asnumpy() for _ in range(3000)])
        expected = net.set_train(False)(*arguments, need_weights=False)[0].asnumpy()
        assert draws.std(0).min() > 0
        assert (abs(draws.mean(0) - expected) < 6 * draws.std(0) / np.sqrt(3000)).all()

    def test_of_a_layer(self):
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.5, batch_first=True).set_train()
        x = Tensor(QUERY)
        assert (layer(x) != layer(x)).any()
        layer.set_train(False)
        assert (layer(x) == layer(x)).all()


@pytest.mark.slow
@pytest.mark.parametrize("level", ["O0", "O1"])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.usefixtures("compiling_here")
def test_attention_as_a_graph(level, need_weights):
    net = nn.MultiheadAttention(8, 2, batch_first=True)
    arguments = [Tensor(x) for x in (QUERY, KEY, VALUE)]

    def step(*inputs):
        parts = net(*inputs, Tensor(PADDED), need_weights)
        return sum((part * part).sum() for part in parts)

    run = ms.value_and_grad(step, (0, 1, 2), net.trainable_params())
    found = ms.jit(run, jit_config=ms.JitConfig(level, tiered=False), fullgraph=True)(*arguments)
    _assert_close(found, run(*arguments))


@pytest.mark.slow
@pytest.mark.parametrize("train", [False, True])
def test_a_transformer_as_a_graph(train):
    net = nn.Transformer(8, 2, 1, 1, 16, 0.0, batch_first=True).set_train(train)
    mask = Tensor(np.triu(np.ones((4, 4), bool), 1))
    run = ms.value_and_grad(lambda src, tgt: (net(src, tgt, tgt_mask=mask) ** 2).sum(), (0, 1), net.trainable_params())
    _assert_close(ms.jit(run, fullgraph=True)(Tensor(KEY), Tensor(QUERY)), run(Tensor(KEY), Tensor(QUERY)))
    captured = ms.jit(net, fullgraph=True)
    np.testing.assert_allclose(
        captured(Tensor(KEY), Tensor(QUERY)).asnumpy(), net(Tensor(KEY), Tensor(QUERY)).asnumpy(), rtol=1e-4, atol=1e-5
    )


def _assert_close(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            _assert_close(one, other)
    else:
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-4)


class TestHigherOrders:
    def _net(self):
        net = nn.MultiheadAttention(4, 2, batch_first=True)
        for number, parameter in enumerate(net.get_parameters()):
            parameter.set_data(Tensor(np.sin(np.arange(parameter.size) + number).reshape(parameter.shape), ms.float32))
        key = Tensor(KEY[:1, :3, :4])
        return lambda x: (net(x, key, key, need_weights=False)[0] ** 3).sum()

    def test_second_derivatives(self):
        function, x = self._net(), Tensor(QUERY[:1, :2, :4])
        along = Tensor(_random(1, 2, 4))
        gradient = ms.grad(function)
        found = ms.grad(lambda x: (gradient(x) * along).sum())(x).asnumpy()
        step = 1e-2
        expected = (gradient(x + along * step) - gradient(x - along * step)).asnumpy() / (2 * step)
        np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-3)

    def test_forward_mode_and_vmap(self):
        function, x = self._net(), Tensor(QUERY[:1, :2, :4])
        along = Tensor(_random(1, 2, 4))
        value, slope = ms.jvp(function, x, along)
        np.testing.assert_allclose(float(value), float(function(x)), rtol=1e-5)
        np.testing.assert_allclose(float(slope), float((ms.grad(function)(x) * along).sum()), rtol=1e-4)
        batch = ops.stack([x, x * 2])
        expected = [float(function(part)) for part in (x, x * 2)]
        np.testing.assert_allclose(ms.vmap(function)(batch).asnumpy(), expected, rtol=1e-4)


class TestPrecision:
    def test_to_float(self):
        net = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).to_float(ms.bfloat16)
        assert net(Tensor(QUERY)).dtype == ms.bfloat16

    @pytest.mark.parametrize("need_weights", [True, False])
    @pytest.mark.parametrize("level", ["O1", "O2"])
    def test_levels(self, level, need_weights):
        net = ms.amp.auto_mixed_precision(nn.MultiheadAttention(8, 2, add_bias_kv=True, batch_first=True), level)
        for x in (QUERY, KEY):
            arguments = [Tensor(x)] * 3
            output = net(*arguments, attn_mask=Tensor(_random(x.shape[1], x.shape[1])), need_weights=need_weights)[0]
            assert output.shape == x.shape
            assert np.isfinite(output.astype(ms.float32).asnumpy()).all()
