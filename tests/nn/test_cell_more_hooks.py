"""Hooks of parameters, and of tensors that the backward pass needs."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(3.0))

    def construct(self, x):
        return x * self.w


class Net(nn.Cell):
    """x -> 2 * 3 * x"""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(2.0))
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x * self.weight)


def times_10(parameter):
    return parameter * 10


def plus_2(parameter):
    return parameter + 2


def on_weight(net, hook):
    return [{"params": [net.weight], "hook": hook}]


# As in MindSpore's graphs.
HOOKS = [
    (lambda net: [times_10], 600),
    (lambda net: [on_weight(net, times_10)], 60),
    (lambda net: [on_weight(net, times_10), on_weight(net, plus_2)], 12),
    (lambda net: [times_10, on_weight(net, plus_2)], 120),
    (lambda net: [on_weight(net, plus_2), times_10], 120),
    (lambda net: [plus_2, times_10], 600),
    (lambda net: [[{"params": [net.inner.w], "hook": plus_2}]], 10),
    (lambda net: [[]], 6),
]


class TestParameterHooks:
    @pytest.mark.parametrize(("hooks", "factor"), HOOKS)
    @pytest.mark.parametrize("wrapped", [lambda f: f, lambda f: ms.jit(f, fullgraph=True)], ids=["eager", "captured"])
    def test_results(self, hooks, factor, wrapped):
        net = Net()
        for hook in hooks(net):
            assert net.register_parameter_forward_hook(hook) is None
        run = wrapped(lambda x: ms.value_and_grad(net)(x))
        for _ in range(2):
            assert [float(value) for value in run(Tensor(1.0))] == [factor, factor]

    def test_gradients_go_through_the_hook(self):
        net = Net()
        net.register_parameter_forward_hook(on_weight(net, lambda parameter: parameter**2))
        of_weight, of_inner = ms.grad(net, None, net.trainable_params())(Tensor(1.0))
        assert (float(of_weight), float(of_inner)) == (2 * 2 * 3, 4)

    def test_the_parameters_stay(self):
        net = Net()
        net.register_parameter_forward_hook(times_10)
        parameters = net.trainable_params()
        train = nn.TrainOneStepCell(net, nn.SGD(parameters, 0.01))
        train(Tensor(1.0))
        assert net.weight is parameters[0]
        assert net.inner.w is parameters[1]
        assert (float(net.weight), float(net.inner.w)) == (pytest.approx(2 - 0.01 * 300), pytest.approx(3 - 0.01 * 200))

    def test_with_recomputation(self):
        net = Net()
        net.register_parameter_forward_hook(times_10)
        net.inner.recompute()
        assert [float(value) for value in ms.value_and_grad(net)(Tensor(1.0))] == [600, 600]

    def test_after_an_error(self):
        net = nn.Dense(2, 2)
        net.register_parameter_forward_hook(times_10)
        weight = net.weight
        with pytest.raises(ValueError, match=r"Dense|dense"):
            net(Tensor([[1.0, 2.0, 3.0]]))
        assert net.weight is weight

    @pytest.mark.parametrize(
        ("hook", "error", "message"),
        [
            (1, TypeError, "'hook' must be a function or a list of dicts"),
            ([1], TypeError, r"'hook\[0\]' must be a dict"),
            ([{"params": []}], ValueError, "must be a dict with the keys 'params' and 'hook'"),
            ([{"params": [1], "hook": plus_2}], TypeError, "'params\\[0\\]' must be a Parameter"),
            ([{"params": [], "hook": 1}], TypeError, "'hook' must be a function"),
            ([{"params": [Parameter(Tensor(1.0), name="q")], "hook": plus_2}], ValueError, "'q' is not in the cell"),
        ],
    )
    def test_errors(self, hook, error, message):
        with pytest.raises(error, match=message):
            Net().register_parameter_forward_hook(hook)

    def test_a_hook_that_returns_no_tensor(self):
        net = Net()
        net.register_parameter_forward_hook(lambda parameter: 1.0)
        with pytest.raises(TypeError, match="'result of the hook' must be a Tensor"):
            net(Tensor(1.0))


class TestSavedTensorsHooks:
    def logged(self):
        log = []

        def pack(x):
            log.append(("pack", float(x)))
            return x

        def unpack(x):
            log.append(("unpack", float(x)))
            return x

        return log, pack, unpack

    def test_what_a_cell_keeps(self):
        net = Net()
        log, pack, unpack = self.logged()
        net.register_saved_tensors_hooks(pack, unpack)
        value, (of_x, of_weights) = ms.value_and_grad(net, 0, net.trainable_params())(Tensor(1.0))
        assert (float(value), float(of_x), [float(g) for g in of_weights]) == (6, 6, [3, 2])
        assert sorted(log) == sorted([(kind, x) for kind in ("pack", "unpack") for x in (1.0, 2.0, 2.0, 3.0)])

    def test_only_the_cell_itself(self):
        net = Net()
        log, pack, unpack = self.logged()
        net.inner.register_saved_tensors_hooks(pack, unpack)
        ms.grad(net)(Tensor(5.0))
        assert [x for kind, x in log if kind == "pack"] in ([10.0, 3.0], [3.0])

    def test_nothing_is_kept_without_a_gradient(self):
        net = Net()
        log, pack, unpack = self.logged()
        net.register_saved_tensors_hooks(pack, unpack)
        assert float(net(Tensor(1.0))) == 6
        assert log == []

    def test_packed_values_count(self):
        def square(x):
            with ms.saved_tensors_hooks(lambda x: (x + 1).asnumpy(), lambda packed: Tensor(packed)):
                return x * x

        assert float(ms.grad(square)(Tensor(3.0))) == 8

    def test_blocks_in_blocks(self):
        def cube(x):
            with ms.saved_tensors_hooks(lambda x: x + 1, lambda x: x):
                with ms.saved_tensors_hooks(lambda x: x + 10, lambda x: x):
                    y = x * x
                return y * x

        # y x: each factor plus 1; x x: each plus 10
        assert float(ms.grad(cube)(Tensor(3.0))) == (3 + 1) * 2 * (3 + 10) + (9 + 1)

    @pytest.mark.parametrize("backend", ["eager", "captured"])
    def test_the_decorator(self, backend):
        @ms.register_saved_tensors_hooks(lambda x: x + 1, lambda x: x)
        def square(x):
            return x * x

        gradient = ms.grad(square)
        gradient = gradient if backend == "eager" else ms.jit(gradient, fullgraph=True)
        assert float(gradient(Tensor(3.0))) == 8

    def test_second_order(self):
        def cube(x):
            with ms.saved_tensors_hooks(lambda x: x, lambda x: x):
                return x * x * x

        assert float(ms.grad(ms.grad(cube))(Tensor(2.0))) == 12

    @pytest.mark.parametrize("arguments", [(1, abs), (abs, None)])
    def test_no_functions(self, arguments):
        for call in (ms.saved_tensors_hooks, ms.register_saved_tensors_hooks, Net().register_saved_tensors_hooks):
            with pytest.raises(TypeError, match="must be a function"):
                call(*arguments)

    def test_wrong_results(self):
        def square(x, pack, unpack):
            with ms.saved_tensors_hooks(pack, unpack):
                return x * x

        with pytest.raises(TypeError, match="'unpack_hook' must return a Tensor"):
            ms.grad(square)(Tensor(2.0), lambda x: x, lambda x: 1.0)


class TestOffload:
    def test_results(self):
        plain, offloaded = nn.Dense(3, 2), nn.Dense(3, 2)
        for mine, theirs in zip(offloaded.trainable_params(), plain.trainable_params()):
            mine.set_data(theirs)
        offloaded.offload(1)
        x = Tensor(np.linspace(-1, 1, 12).reshape(4, 3).astype(np.float32))
        found, expected = [ms.grad(net, 0, net.trainable_params())(x) for net in (offloaded, plain)]
        np.testing.assert_array_equal(found[0].asnumpy(), expected[0].asnumpy())
        for one, other in zip(found[1], expected[1], strict=True):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())

    @pytest.mark.parametrize(
        ("value", "error"), [("x", ValueError), (-1, ValueError), (None, TypeError), (True, TypeError)]
    )
    def test_errors(self, value, error):
        with pytest.raises(error, match="'backward_prefetch' must be"):
            nn.ReLU().offload(value)


def test_search_for_strategies_has_no_effect():
    assert nn.Dense(3, 4).set_data_parallel() is None


def test_boost_flag():
    net = Net()
    assert net.set_boost("less_bn") is net
    assert net.inner.get_flags() == {"less_bn": True}
    with pytest.raises(ValueError, match="must be 'less_bn'"):
        net.set_boost("more_bn")


@pytest.mark.parametrize("name", ["exist_objs", "enable_backward_hook"])
def test_names_of_the_compiler_say_what_to_use(name):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'\. It serves MindSpore's compiler; here, "):
        getattr(nn.ReLU(), name)


# Hooks of gradients, of cells whose inputs have none


def test_backward_hooks_of_cells_without_gradients_of_inputs():
    net, seen = nn.SequentialCell(Inner(), Inner()), []
    for cell in (net, net[0]):
        cell.register_backward_hook(lambda cell, *gradients: seen.append(gradients))
    net[0].register_backward_pre_hook(lambda cell, gradients: (gradients[0] * 10,))
    found = ms.grad(net, None, net.trainable_params())(Tensor(2.0))
    assert [float(g) for g in found] == [60, 6]
    assert [(g[0][0], float(g[1][0])) for g in seen] == [(None, 1), (None, 30)]


def test_backward_hooks_without_any_gradient_are_not_called():
    net, seen = nn.SequentialCell(nn.ReLU(), Inner()), []
    net[0].register_backward_hook(lambda *given: seen.append(given))
    assert float(ms.grad(net, None, net.trainable_params())(Tensor(2.0))[0]) == 2
    assert seen == []
