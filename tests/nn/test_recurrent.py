"""Recurrent layers: against PyTorch, sequences of several lengths, graphs, transformations and initial values."""

from __future__ import annotations

import copy
import math
import warnings

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import nn, ops

RANDOM = np.random.default_rng(0)
KINDS = ["RNN", "LSTM", "GRU"]
LAYOUTS = [
    {},
    {"has_bias": False, "batch_first": True},
    {"num_layers": 2, "bidirectional": True},
    {"num_layers": 2, "batch_first": True, "bidirectional": True, "has_bias": False},
]


class _Functions(torch.overrides.TorchFunctionMode):
    """The names of the torch functions that a program calls, without those that only look at a tensor."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func.__name__ not in ("__get__", "dim", "is_floating_point"):
            self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def _random(*shape: int) -> ms.Tensor:
    return ms.Tensor(RANDOM.uniform(-1, 1, shape).astype(np.float32))


def _twin(net: nn.Cell) -> torch.nn.Module:
    """Return PyTorch's layer with the same weights."""
    settings = {"bias" if name == "has_bias" else name: getattr(net, name) for name in LAYOUTS[-1]}
    device = net.trainable_params()[0].torch.device
    twin = getattr(torch.nn, type(net).__name__)(net.input_size, net.hidden_size, device=device, **settings)
    for name, parameter in twin.named_parameters():
        parameter.data.copy_(getattr(net, name).torch)
    return twin


def _states(net: nn.Cell, batch: int) -> ms.Tensor | tuple[ms.Tensor, ms.Tensor]:
    shape = (net.num_layers * (2 if net.bidirectional else 1), batch, net.hidden_size)
    return (_random(*shape), _random(*shape)) if isinstance(net, nn.LSTM) else _random(*shape)


def _flat(tree) -> list[np.ndarray]:
    if isinstance(tree, (tuple, list)):
        return [part for branch in tree for part in _flat(branch)]
    if isinstance(tree, ms.Tensor):
        return [tree.asnumpy()]
    return [tree.detach().cpu().numpy() if isinstance(tree, torch.Tensor) else tree]


def _in_torch(tree):
    return tuple(map(_in_torch, tree)) if isinstance(tree, tuple) else tree.torch


def _assert_close(found, expected, tolerance=2e-5):
    found, expected = _flat(found), _flat(expected)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def _loss(output) -> ms.Tensor:
    """Return a number that depends on all results of a layer."""
    if isinstance(output, tuple):
        return sum(_loss(part) for part in output[1:]) + _loss(output[0])
    return (output * output * (output + 2)).sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
class TestAgainstPyTorch:
    """The same weights and inputs on both sides, without and with lengths."""

    def test_outputs_and_gradients(self, kind, layout):
        net = getattr(nn, kind)(3, 4, **layout)
        twin, x, hx = _twin(net), _random(5, 5, 3), _states(net, 5)
        _assert_close(net(x), twin(x.torch))
        _assert_close(net(x, hx), twin(x.torch, _in_torch(hx)))
        there = x.torch.clone().requires_grad_()
        _loss(twin(there, _in_torch(hx))).backward()
        of_x, of_weights = ms.grad(lambda x: _loss(net(x, hx)), 0, net.trainable_params())(x)
        expected = {name: parameter.grad for name, parameter in twin.named_parameters()}
        _assert_close([of_x, *of_weights], [there.grad, *[expected[p.name] for p in net.trainable_params()]], 1e-4)

    def test_lengths(self, kind, layout):
        net = getattr(nn, kind)(3, 4, **layout)
        twin, x, hx, lengths = _twin(net), _random(5, 5, 3), _states(net, 5), torch.tensor([2, 5, 1, 4, 5])

        def packed(x):
            rnn = torch.nn.utils.rnn
            given = rnn.pack_padded_sequence(x, lengths, net.batch_first, enforce_sorted=False)
            output, last = twin(given, _in_torch(hx))
            return rnn.pad_packed_sequence(output, net.batch_first)[0], last

        there = x.torch.clone().requires_grad_()
        expected = packed(there)
        _loss(expected).backward()
        seq_length = ms.Tensor(lengths.numpy(), ms.int32)
        _assert_close(net(x, hx, seq_length), expected)
        of_x, of_weights = ms.grad(lambda x: _loss(net(x, hx, seq_length)), 0, net.trainable_params())(x)
        expected = {name: parameter.grad for name, parameter in twin.named_parameters()}
        _assert_close([of_x, *of_weights], [there.grad, *[expected[p.name] for p in net.trainable_params()]], 1e-4)


@pytest.mark.parametrize("kind", KINDS)
class TestLengths:
    """What lies after the end of a sequence has no influence."""

    @pytest.mark.parametrize("fill", [math.nan, math.inf, 1e30])
    def test_padding_may_be_anything(self, kind, fill):
        net = getattr(nn, kind)(3, 4, 2, bidirectional=True)
        x, lengths = RANDOM.uniform(-1, 1, (4, 2, 3)).astype(np.float32), ms.Tensor([2, 3])
        clean, dirty = x.copy(), x.copy()
        for sequence, length in enumerate([2, 3]):
            clean[length:, sequence], dirty[length:, sequence] = 0, fill
        function = ms.value_and_grad(lambda x: _loss(net(x, None, lengths)), 0, net.trainable_params())
        found, expected = function(ms.Tensor(dirty)), function(ms.Tensor(clean))
        _assert_close([found[0], found[1][0], *found[1][1]], [expected[0], expected[1][0], *expected[1][1]], 1e-6)

    def test_an_empty_sequence_keeps_its_states(self, kind):
        net = getattr(nn, kind)(3, 4, bidirectional=True)
        hx = _states(net, 2)
        output, last = net(_random(3, 2, 3), hx, ms.Tensor([0, 3]))
        assert not output.asnumpy()[:, 0].any()
        for after, before in zip(_flat(last), _flat(hx)):
            np.testing.assert_array_equal(after[:, 0], before[:, 0])
            assert (after[:, 1] != before[:, 1]).all()

    def test_lengths_beyond_the_tensor_count_as_the_nearest(self, kind):
        net, x = getattr(nn, kind)(3, 4, bidirectional=True), _random(3, 2, 3)
        _assert_close(net(x, None, ms.Tensor([7, -2])), net(x, None, ms.Tensor([3, 0])), 0)

    @pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64])
    def test_dtypes(self, kind, dtype):
        net, x, lengths = getattr(nn, kind)(3, 4), _random(3, 2, 3), ms.Tensor([3, 1])
        output, _ = net(x.astype(dtype), None, lengths)
        assert output.dtype == dtype
        _assert_close(output.astype(ms.float32), net(x, None, lengths)[0], 1e-5 if dtype == ms.float64 else 2e-2)


@pytest.mark.parametrize("kind", KINDS)
class TestGraphs:
    """Captured calls have the same results as plain ones."""

    @pytest.mark.slow
    @pytest.mark.parametrize("lengths", [None, [3, 0, 2]])
    @pytest.mark.parametrize("layout", LAYOUTS[1:3], ids=str)
    def test_values_and_gradients(self, kind, layout, lengths):
        net = getattr(nn, kind)(3, 4, **layout).set_train()
        x, hx = _random(3, 3, 3), _states(net, 3)
        given = None if lengths is None else ms.Tensor(lengths)
        function = ms.value_and_grad(lambda x: _loss(net(x, hx, given)), 0, net.trainable_params())
        for plain in (function, lambda x: net(x, hx, given), lambda x: net(x)):
            _assert_close(ms.jit(plain, fullgraph=True)(x), plain(x), 1e-5)

    def test_second_derivatives(self, kind):
        net, x = getattr(nn, kind)(3, 4), _random(4, 2, 3)
        function = ms.grad(lambda x: (ms.grad(lambda x: _loss(net(x)))(x) ** 2).sum(), 0, net.trainable_params())
        _assert_close(ms.jit(function, fullgraph=True)(x), function(x), 1e-4)

    def test_other_lengths_need_no_other_graph(self, kind):
        net, x = getattr(nn, kind)(3, 4, bidirectional=True), _random(4, 2, 3)
        captured = ms.jit(lambda x, lengths: net(x, None, lengths), fullgraph=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for lengths in ([4, 4], [1, 3], [0, 2]):
                _assert_close(captured(x, ms.Tensor(lengths)), net(x, None, ms.Tensor(lengths)), 1e-5)

    def test_cells(self, kind):
        net, x = getattr(nn, f"{kind}Cell")(3, 4), _random(2, 3)
        hx = (_random(2, 4), _random(2, 4)) if kind == "LSTM" else _random(2, 4)
        function = ms.value_and_grad(lambda x: _loss(net(x, hx)), 0, net.trainable_params())
        _assert_close(ms.jit(function, fullgraph=True)(x), function(x), 1e-5)


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="without oneDNN there is no fused kernel")
@pytest.mark.parametrize("lengths", [None, [2, 3]])
def test_an_lstm_stays_whole_in_the_graph_of_a_training_step(lengths):
    net = nn.LSTM(3, 4, 2, bidirectional=True).set_train()
    given = None if lengths is None else ms.Tensor(lengths)
    step = ms.jit(ms.value_and_grad(lambda x: _loss(net(x, None, given)), None, net.trainable_params()))
    text = str(step.graph(_random(50, 2, 3)))
    assert text.count("torchspore.lstm_layer(") == text.count("torchspore.lstm_layer_backward(") == 4
    assert "sigmoid" not in text


@pytest.mark.parametrize("kind", KINDS)
class TestTransformations:
    """`vmap` and `jvp`, for which torch has no fused kernels."""

    @pytest.mark.parametrize("lengths", [None, [3, 1]])
    def test_vmap(self, kind, lengths):
        net, x = getattr(nn, kind)(3, 4, 2, bidirectional=True), _random(6, 3, 2, 3)
        given = None if lengths is None else ms.Tensor(lengths)
        found = ms.vmap(lambda x: net(x, None, given))(x)
        _assert_close(found, [np.stack(parts) for parts in zip(*[_flat(net(part, None, given)) for part in x])])

    def test_vmap_of_a_cell(self, kind):
        net, x = getattr(nn, f"{kind}Cell")(3, 4), _random(6, 2, 3)
        hx = (_random(2, 4), _random(2, 4)) if kind == "LSTM" else _random(2, 4)
        found = ms.vmap(lambda x: net(x, hx))(x)
        _assert_close(found, [np.stack(parts) for parts in zip(*[_flat(net(part, hx)) for part in x])])

    def test_jvp(self, kind):
        net, x, v = getattr(nn, kind)(3, 4, batch_first=True), _random(2, 3, 3), _random(2, 3, 3)
        _, found = ms.jvp(lambda x: _loss(net(x)), x, v)
        assert abs(float(found) - float((ms.grad(lambda x: _loss(net(x)))(x) * v).sum())) < 1e-4


class TestParameters:
    """Their names, shapes and initial values."""

    @pytest.mark.parametrize("kind", [*KINDS, *[f"{kind}Cell" for kind in KINDS]])
    def test_all_are_uniform_within_the_same_bound(self, kind):
        bound = 1 / math.sqrt(64)
        parameters = list(getattr(nn, kind)(50, 64).get_parameters())
        assert len(parameters) == 4
        for parameter in parameters:
            values = parameter.asnumpy()
            assert np.abs(values).max() <= bound
            assert np.abs(values).max() > 0.9 * bound
            # Of n draws, the mean deviates by 1 / sqrt(3 n), the standard deviation of both bounds' share by less.
            assert abs(values.mean()) < 5 * bound / math.sqrt(3 * values.size)
            assert abs(values.std() / (bound / math.sqrt(3)) - 1) < 5 / math.sqrt(5 * values.size)
        assert not np.array_equal(parameters[2].asnumpy(), parameters[3].asnumpy())

    def test_names_follow_the_attributes(self):
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.encoder = nn.GRU(3, 4, bidirectional=True, has_bias=False)

        names = ["weight_ih_l0", "weight_ih_l0_reverse", "weight_hh_l0", "weight_hh_l0_reverse"]
        assert [p.name for p in Net().get_parameters()] == [f"encoder.{name}" for name in names]

    def test_another_parameter_in_the_place_of_one(self):
        net, x = nn.LSTM(3, 4), _random(2, 2, 3)
        before = net(x)[0].asnumpy()
        net.weight_ih_l0 = ms.Parameter(net.weight_ih_l0 * 2, name="weight_ih_l0")
        assert (net(x)[0].asnumpy() != before).any()

    def test_copies_are_independent(self):
        net, x = nn.LSTM(3, 4), _random(2, 2, 3)
        other, before = copy.deepcopy(net), net(x)
        _assert_close(other(x), before, 0)
        other.weight_hh_l0.set_data(ops.zeros_like(other.weight_hh_l0))
        _assert_close(net(x), before, 0)


class TestUse:
    """Layers as programs use them."""

    @pytest.mark.parametrize(("kind", "name"), [("RNN", "rnn_tanh"), ("LSTM", "lstm"), ("GRU", "gru")])
    def test_a_call_is_one_operation(self, kind, name):
        net, x = getattr(nn, kind)(3, 4, 2, bidirectional=True), _random(5, 2, 3)
        with _Functions() as functions:
            net(x)
        assert functions.names == ["new_zeros", name]

    @pytest.mark.parametrize("lengths", [None, [30, 30]])
    @pytest.mark.parametrize("kind", KINDS)
    def test_dropout_between_layers_in_training(self, kind, lengths):
        net, x = getattr(nn, kind)(3, 8, 2, dropout=0.5), _random(30, 2, 3)
        given = None if lengths is None else ms.Tensor(lengths)
        _assert_close(net(x, None, given), net(x, None, given), 0)
        net.set_train()
        first = net(x, None, given)[0].asnumpy()
        assert (first != net(x, None, given)[0].asnumpy()).any()
        ms.set_seed(3)
        once = net(x, None, given)[0].asnumpy()
        ms.set_seed(3)
        np.testing.assert_array_equal(once, net(x, None, given)[0].asnumpy())

    def test_a_step_at_a_time_is_the_layer(self):
        for kind in KINDS:
            net, cell = getattr(nn, kind)(3, 4), getattr(nn, f"{kind}Cell")(3, 4)
            for parameter in cell.get_parameters():
                parameter.set_data(getattr(net, f"{parameter.name}_l0"))
            x, state = _random(6, 2, 3), ops.zeros((2, 4))
            state = (state, state) if kind == "LSTM" else state
            for step in x:
                state = cell(step, state)
            _assert_close(net(x)[1], [part[None] for part in _flat(state)])

    def test_an_empty_batch(self):
        for kind in KINDS:
            net = getattr(nn, kind)(3, 4)
            run = ms.value_and_grad(lambda x: net(x)[0].sum(), None, net.trainable_params())  # noqa: B023
            for step in (run, ms.jit(run), ms.jit(run, dynamic=1)):
                total, gradients = step(ops.zeros((5, 0, 3)))
                assert float(total) == sum([float(ops.abs(gradient).sum()) for gradient in gradients]) == 0

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_time_steps(self, kind):
        with pytest.raises(ValueError, match=f"For '{kind}', 'x' must have at least one time step"):
            getattr(nn, kind)(3, 4)(ops.zeros((0, 2, 3)))

    def test_classes_derived_from_them(self):
        for base in (nn.RNN, nn.LSTM, nn.GRU, nn.RNNCell, nn.LSTMCell, nn.GRUCell):
            x, state = ops.ones((2, 3)), ops.ones((2, 4))
            args = (x, (state, state) if base is nn.LSTMCell else state) if base.__name__[-4:] == "Cell" else (x[None],)
            ms.set_seed(0)
            net = base(3, 4)
            derived = type("Derived", (base,), {})(3, 4)
            ms.load_param_into_net(derived, net.parameters_dict())
            _assert_close(_flat(derived(*args)), _flat(net(*args)))

    def test_messages_say_what_is_wrong(self):
        net, x = nn.LSTM(3, 4, 2), ops.zeros((5, 2, 3))
        for call, error, message in (
            (lambda: net(x, x), TypeError, r"'hx' must be a tuple of two Tensors \(h, c\), but got Tensor"),
            (lambda: net(x, (x, x)), ValueError, r"'hx' must be of shape \(2, 2, 4\)"),
            (lambda: net(x, None, [1, 2]), TypeError, "'seq_length' must be a Tensor"),
            (lambda: net(x, None, ops.zeros((5,), ms.int32)), ValueError, r"'seq_length' must be of shape \(2,\)"),
            (lambda: net(x[:, :, :2]), ValueError, r"'x' must be of shape \(T, N, 3\)"),
            (lambda: net(None), TypeError, "'x' must be a Tensor"),
        ):
            with pytest.raises(error, match=f"For 'LSTM', {message}"):
                call()


def test_an_lstm_in_bfloat16_has_gradients_in_bfloat16():
    """As compiled code expects, which would read others as if they were."""
    operations = torch.ops.torchspore
    sizes = ((3, 2, 4), (20, 4), (20, 5), (20,), (20,), (2, 5), (2, 5))
    inputs = [torch.rand(size, dtype=torch.bfloat16) for size in sizes]
    results = operations.lstm_layer(*inputs, True)
    gradients = operations.lstm_layer_backward(*inputs, *results, results[0], None, None)
    assert {gradient.dtype for gradient in gradients} == {torch.bfloat16}
