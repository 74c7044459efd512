"""The boost package: what MindSpore 2.10 recorded, and what it does not run on the CPU by its mathematics."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from data import record_boost as record
from torchspore import Tensor, boost, nn
from torchspore.boost.dim_reduce import principal_components
from torchspore.boost.less_batch_normalization import CommonHeadLastFN
from torchspore.engine.parameters import StrictFloat, checked
from torchspore.nn.optim.optimizer import opt_init_args_register

RECORD = json.loads((Path(__file__).parent.parent / "data" / "boost.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def fresh_settings():
    boost.AutoBoost._instance = None
    yield
    boost.AutoBoost._instance = None
    ms.set_context(mode=ms.PYNATIVE_MODE)


def assert_same(found, expected):
    """Compare nested lists, numbers up to rounding."""
    if isinstance(expected, list) and expected and all(isinstance(value, float) for value in expected):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    elif isinstance(expected, (list, dict)):
        pairs = zip(found, expected, strict=True) if isinstance(expected, list) else []
        if isinstance(expected, dict):
            assert list(found) == list(expected)
            pairs = zip(found.values(), expected.values())
        for one, other in pairs:
            assert_same(one, other)
    else:
        assert found == expected


def test_all_cases_are_recorded():
    assert list(record.CASES) == list(RECORD)


@pytest.mark.parametrize("name", [name for name in RECORD if name not in record.TRAININGS])
def test_recorded(name):
    assert_same(record.CASES[name](ms), RECORD[name])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", record.TRAININGS)
def test_recorded_training(name, mode):
    ms.set_context(mode=mode)
    assert_same(record.CASES[name](ms), RECORD[name])


def test_groups_without_parameters_are_left_out():
    """Unlike in MindSpore, whose optimizers do not take them either."""
    first, second = nn.Dense(2, 2), nn.Dense(2, 2)
    origin = [{"params": first.trainable_params(), "lr": 0.5}, {"params": [second.weight]}]
    first.update_parameters_name("first.")
    groups = boost.ParameterProcess.generate_group_params([second.weight], origin)
    assert [sorted(group) for group in groups] == [["params"]]


def test_centralization_needs_groups():
    net = nn.Dense(2, 2)
    process = boost.OptimizerProcess(nn.SGD(net.trainable_params(), 0.1))
    with pytest.warns(UserWarning, match="must have groups of parameters, so nothing is changed"):
        process.add_grad_centralization(net)
    assert not process.generate_new_optimizer().is_group


def test_keywords_of_an_optimizer_are_kept():
    net = nn.Dense(2, 2)
    new = boost.OptimizerProcess(nn.Adam(net.trainable_params(), 0.1, use_lazy=True)).generate_new_optimizer()
    assert new.use_lazy


@pytest.mark.parametrize("is_outside", [False, True])
def test_checks_and_the_register_of_arguments_work_in_either_order(is_outside):
    first, last = (checked, opt_init_args_register) if is_outside else (opt_init_args_register, checked)

    class Own(nn.Momentum):
        @first
        @last
        def __init__(self, params: object, learning_rate: object, momentum: StrictFloat = 0.5) -> None:
            super().__init__(params, learning_rate, momentum)

    net = nn.Dense(2, 2)
    old = Own(iter(net.trainable_params()), 0.1)
    assert old.init_args == {"momentum": 0.5}
    assert isinstance(boost.OptimizerProcess(old).generate_new_optimizer(), Own)
    with pytest.raises(TypeError, match="For 'Own', 'momentum' must be a float, but got 'a'"):
        Own(net.trainable_params(), 0.1, "a")


def test_lars_is_made_again():
    net = nn.Dense(2, 2)
    old = nn.LARS(nn.Momentum(net.trainable_params(), 0.1, 0.9), epsilon=0.5, coefficient=0.25, use_clip=True)
    new = boost.OptimizerProcess(old).generate_new_optimizer()
    assert isinstance(new, nn.LARS)
    assert (new.epsilon, new.coefficient, new.use_clip) == (0.5, 0.25, True)
    assert isinstance(new.opt, nn.Momentum)
    assert new.opt is not old.opt


def test_states_of_several_optimizers_have_names_of_their_own():
    net = nn.Dense(2, 2)
    made = boost.FreezeOpt(nn.Momentum(net.trainable_params(), 0.1, 0.9), [net.trainable_params(), [net.bias]])
    names = [p.name for single in made.opts for p in single.moments]
    assert names == ["boost_0.moments.weight", "boost_0.moments.bias", "boost_1.moments.bias"]
    assert [p.name for p in made.parameters] == ["weight", "bias"]


@pytest.mark.parametrize("captured", [False, True])
def test_loss_scale(captured):
    """Scaled and unscaled training agree; an overflow changes no weight and halves the scale."""
    net, other = record.network(ms), record.network(ms)
    manager = nn.DynamicLossScaleUpdateCell(2**10, 2, 100)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = boost.BoostTrainOneStepWithLossScaleCell(net, optimizer, manager)
    run = ms.jit(step) if captured else step
    plain = boost.BoostTrainOneStepCell(other, nn.SGD(other.trainable_params(), 0.1))
    for _ in range(4):
        loss, overflow, scale = run(*record.batch(ms))
        assert (bool(overflow), float(scale)) == (False, 1024.0)
        np.testing.assert_allclose(loss.asnumpy(), plain(*record.batch(ms)).asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(record.weights(net), record.weights(other), rtol=1e-5)
    before = record.weights(net)
    _, overflow, scale = run(record.batch(ms)[0] * 1e38, record.batch(ms)[1])
    assert (bool(overflow), float(scale)) == (True, 512.0)
    assert record.weights(net) == before


def test_accumulation_with_a_scaled_loss():
    settings = {
        "boost": {"mode": "manual", "grad_accumulation": True},
        "grad_accumulation": {"grad_accumulation_step": 2},
    }
    boost.AutoBoost("O0", settings)
    net, other = record.network(ms), record.network(ms)
    step = boost.BoostTrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), Tensor(64.0))
    plain = nn.TrainOneStepCell(other, nn.SGD(other.trainable_params(), 0.1))
    data, label = record.batch(ms)
    before = record.weights(net)
    step(data[:3], label[:3])
    assert record.weights(net) == before
    step(data[3:], label[3:])
    plain(data, label)
    np.testing.assert_allclose(record.weights(net), record.weights(other), rtol=1e-5, atol=1e-6)


class Parts(nn.Cell):
    """A network in two parts, with what scales their gradients between them."""

    def __init__(self, manager):
        super().__init__()
        self.first, self.second = nn.Dense(3, 4), nn.Dense(4, 2)
        self.manager = manager

    def construct(self, x):
        x = self.first(self.manager(x, 0, 1))
        return self.manager(self.second(self.manager(x, 1, 2)), 2, 3)


class TestScalesOfParts:
    def make(self, scales, factor=1.0):
        boost.AutoBoost("O0", {"boost": {"mode": "manual", "loss_scale_group": True}})
        manager = boost.GroupLossScaleManager(scales, [])
        net = Parts(manager)
        manager.loss_scale_groups = [net.first.trainable_params(), net.second.trainable_params()]
        forward = nn.WithLossCell(net, lambda output, label: ((output - label) ** 2).mean() * factor)
        return net, forward

    @pytest.mark.parametrize("scales", [16, [16, 4]])
    def test_gradients(self, scales):
        net, forward = self.make(scales)
        batch = record.batch(ms)
        plain = ms.grad(forward, None, net.trainable_params())(*batch)
        net.manager.set_loss_scale_status(2, scales)
        scaled = ms.grad(forward, None, net.trainable_params())(*batch)
        factors = [16, 16, 16, 16] if scales == 16 else [16, 16, 4, 4]
        for one, other, factor in zip(scaled, plain, factors, strict=True):
            np.testing.assert_allclose(one.asnumpy(), factor * other.asnumpy(), rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize("captured", [False, True])
    def test_training(self, captured):
        ms.set_seed(0)
        net, forward = self.make([2.0**12, 2.0**6])
        other = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2))
        for mine, same in zip(other.trainable_params(), net.trainable_params()):
            mine.set_data(same)
        step = boost.BoostTrainOneStepWithLossScaleCell(forward, nn.SGD(net.trainable_params(), 0.1), net.manager)
        run = ms.jit(step) if captured else step
        plain = nn.TrainOneStepCell(nn.WithLossCell(other, nn.MSELoss()), nn.SGD(other.trainable_params(), 0.1))
        for _ in range(5):
            loss, overflow, scale = run(*record.batch(ms))
            np.testing.assert_allclose(loss.asnumpy(), plain(*record.batch(ms)).asnumpy(), rtol=1e-5)
        assert not overflow
        np.testing.assert_allclose(scale.asnumpy(), 2**12 * 2 ** (5 / 1000), rtol=1e-5)
        np.testing.assert_allclose(record.weights(net), record.weights(other), rtol=1e-4, atol=1e-6)

    def test_an_overflow_shrinks_the_scale_of_its_part(self):
        net, forward = self.make([2.0**127, 2.0**6], factor=1e6)
        step = boost.BoostTrainOneStepWithLossScaleCell(forward, nn.SGD(net.trainable_params(), 0.1), net.manager)
        before = record.weights(net)
        _, overflow, _ = step(*record.batch(ms))
        first, second = [float(scale) for scale in net.manager.dynamic_loss_scale[1:-1]]
        assert overflow
        assert record.weights(net) == before
        np.testing.assert_allclose([first, second], [2**126.5, 2**6.001], rtol=1e-5)

    def test_a_parameter_in_no_part(self):
        net, forward = self.make(8)
        net.manager.loss_scale_groups = [net.first.trainable_params()]
        with pytest.raises(ValueError, match=r"'second.weight' is in none"):
            boost.BoostTrainOneStepWithLossScaleCell(forward, nn.SGD(net.trainable_params(), 0.1), net.manager)


class TestAutoBoost:
    def test_training_with_everything_of_a_level(self):
        settings = {"grad_freeze": {"param_groups": 2, "total_steps": 20}, "less_bn": {"fn_flag": True}}
        processor = boost.AutoBoost("O1", settings)
        net = record.network(ms)
        optimizer = nn.Momentum([{"params": net.trainable_params()}], 0.02, 0.9)
        network, optimizer = processor.network_auto_process_train(net, optimizer)
        assert isinstance(network, boost.LessBN)
        assert isinstance(optimizer, boost.FreezeOpt)
        assert len(optimizer.opts) == 2
        step = boost.BoostTrainOneStepCell(network, optimizer)
        losses = [float(step(*record.batch(ms))) for _ in range(20)]
        assert losses[-1] < losses[0]

    def test_training_in_few_dimensions(self, tmp_path):
        np.save(tmp_path / "components.npy", np.linalg.qr(record.draw(26, 4))[0].T)
        file = str(tmp_path / "components.npy")
        settings = {
            "boost": {"mode": "manual", "dim_reduce": True},
            "dim_reduce": {"pca_mat_path": file, "n_components": 4},
        }
        processor = boost.AutoBoost("O0", settings)
        net = record.network(ms)
        network, optimizer = processor.network_auto_process_train(net, nn.SGD(net.trainable_params(), 0.1))
        step = boost.BoostTrainOneStepCell(network, optimizer)
        losses = [float(step(*record.batch(ms))) for _ in range(8)]
        assert losses[-1] < 0.8 * losses[0]
        assert processor.network_auto_process_eval(net) is net

    def test_the_first_settings_stay(self):
        first = boost.AutoBoost("O1")
        assert boost.AutoBoost("O0", {"boost": {"mode": "enable_all"}}) is first
        assert first.boost_config["less_bn"]

    @pytest.mark.parametrize(
        ("arguments", "error", "text"),
        [
            (("O3",), ValueError, "'level' must be one of"),
            (("O0", [1]), TypeError, "must be a dict"),
            (("O0", {"boost": {"mode": "some"}}), ValueError, "'mode' must be one of"),
            (("O0", {"boost": {"mod": "auto"}}), ValueError, "'boost' has no 'mod'"),
            (("O0", {"grad_freeze": {"p": 1}}), ValueError, "'grad_freeze' has no 'p'"),
            (("O0", {"freeze": {}}), ValueError, "'boost_config_dict' has no 'freeze'"),
        ],
    )
    def test_wrong_settings_are_not_kept(self, arguments, error, text):
        with pytest.raises(error, match=text):
            boost.AutoBoost(*arguments)
        assert boost.AutoBoost("O1").level == "O1"

    def test_no_components(self):
        processor = boost.AutoBoost("O0", {"boost": {"mode": "manual", "dim_reduce": True}})
        with pytest.raises(ValueError, match="needs 'pca_mat_path', or 'weight_load_dir'"):
            processor.network_auto_process_train(nn.Dense(2, 2), None)


def test_principal_components():
    base = np.linalg.qr(record.draw(9, 2))[0].T
    samples = record.draw(20, 2, seed=1) * np.array([5.0, 2.0]) @ base + 3.0
    found = principal_components(samples, 2)
    np.testing.assert_allclose(np.abs(np.linalg.det(found @ base.T)), 1.0, rtol=1e-4)
    with pytest.raises(ValueError, match="at least as many files"):
        principal_components(samples[:1], 2)


def test_a_head_learns():
    head = CommonHeadLastFN(3, 2)
    step = nn.TrainOneStepCell(nn.WithLossCell(head, nn.MSELoss()), nn.Adam(head.trainable_params(), 0.1))
    losses = [float(step(*record.batch(ms))) for _ in range(30)]
    assert losses[-1] < losses[0]


def net_and_sgd():
    net = nn.Dense(2, 2)
    return net, nn.SGD(net.trainable_params(), 0.1)


NET, SGD = net_and_sgd()
GRAD = ms.ops.GradOperation(get_by_list=True, sens_param=True)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: boost.OptimizerProcess(NET), TypeError),
        (lambda: boost.OptimizerProcess(nn.Optimizer(0.1, NET.trainable_params())), TypeError),
        (lambda: boost.ParameterProcess.generate_group_params([], []), ValueError),
        (lambda: boost.ParameterProcess.generate_group_params([], [1]), TypeError),
        (lambda: boost.GradientAccumulation(0, SGD), ValueError),
        (lambda: boost.GradientAccumulation(2, NET), TypeError),
        (lambda: boost.GradientFreeze(0, 0, 0.5, 10), ValueError),
        (lambda: boost.GradientFreeze(2, 2, 0.5, 10), ValueError),
        (lambda: boost.GradientFreeze(2, 0, 1.0, 10), ValueError),
        (lambda: boost.GradientFreeze(2, 0, 0.5, 1.0), TypeError),
        (lambda: boost.FreezeOpt(NET), TypeError),
        (lambda: boost.FreezeOpt(SGD, None, [0]), ValueError),
        (lambda: boost.FreezeOpt(SGD, [NET.bias], [0]), TypeError),
        (lambda: boost.FreezeOpt(SGD, [[NET.bias]], [0.5]), ValueError),
        (lambda: boost.FreezeOpt(SGD, [[NET.bias]], 1), TypeError),
        (lambda: boost.FreezeOpt(SGD, [[NET.bias]], Tensor([1.0])), ValueError),
        (lambda: boost.freeze_cell(False, NET, SGD, 1.0, GRAD, False), TypeError),
        (lambda: boost.freeze_cell(False, NET, boost.FreezeOpt(SGD), 1.0, 1, False), TypeError),
        (lambda: boost.freeze_cell(False, NET, boost.FreezeOpt(SGD), 1.0, ms.ops.GradOperation(), False), ValueError),
        (lambda: boost.LessBN(1), TypeError),
        (lambda: boost.LessBN(NET, 1), TypeError),
        (lambda: CommonHeadLastFN(0, 1), ValueError),
        (lambda: boost.GroupLossScaleManager("a", []), TypeError),
        (lambda: boost.GroupLossScaleManager(1.0, None), TypeError),
        (lambda: boost.GroupLossScaleManager([1.0], []).set_loss_scale_status(2, [1.0]), ValueError),
        (lambda: boost.AdaSum(0, 8, 2, ()), NotImplementedError),
        (lambda: boost.DimReduce(NET, SGD, SGD.parameters, np.ones((2, 6)), 2, 0.5, 0.9, 0.1, 0.4, 0, 2),
         NotImplementedError),
        (lambda: boost.DimReduce(NET, SGD, SGD.parameters, np.ones((2, 5)), 2, 0.5, 0.9, 0.1, 0.4, 0, 1), ValueError),
        (lambda: boost.DimReduce(NET, NET, SGD.parameters, np.ones((2, 6)), 2, 0.5, 0.9, 0.1, 0.4, 0, 1), TypeError),
        (lambda: boost.BoostTrainOneStepWithLossScaleCell(NET, boost.FreezeOpt(SGD), Tensor(1.0)), TypeError),
        (lambda: boost.BoostTrainOneStepWithLossScaleCell(NET, SGD, 1.0), TypeError),
    ],
)  # fmt: skip
def test_errors(call, error):
    with pytest.raises(error, match=r"^For '"):
        call()
