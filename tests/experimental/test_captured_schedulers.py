"""A training step with its scheduler is one graph, which serves all steps."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.experimental import optim
from torchspore.experimental.optim import lr_scheduler as schedules

X = Tensor([[1.0, 2.0]])

SCHEDULERS = {
    "ConstantLR": lambda o: schedules.ConstantLR(o, 0.5, 3),
    "CosineAnnealingLR": lambda o: schedules.CosineAnnealingLR(o, 4),
    "CosineAnnealingWarmRestarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, 2),
    "CyclicLR": lambda o: schedules.CyclicLR(o, 0.01, 0.1, 2),
    "ExponentialLR": lambda o: schedules.ExponentialLR(o, 0.9),
    "LambdaLR": lambda o: schedules.LambdaLR(o, lambda epoch: 0.95**epoch),
    "LinearLR": lambda o: schedules.LinearLR(o, total_iters=4),
    "MultiStepLR": lambda o: schedules.MultiStepLR(o, [2, 4], 0.1),
    "MultiplicativeLR": lambda o: schedules.MultiplicativeLR(o, lambda epoch: 0.9),
    "PolynomialLR": lambda o: schedules.PolynomialLR(o, 4),
    "ReduceLROnPlateau": lambda o: schedules.ReduceLROnPlateau(o, factor=0.5, patience=0, cooldown=1),
    "SequentialLR": lambda o: schedules.SequentialLR(
        o, [schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, 0.9)], [2]
    ),
    "StepLR": lambda o: schedules.StepLR(o, 2, 0.5),
}


def steps(make, capture, mode=ms.PYNATIVE_MODE, optimizer=optim.SGD):
    """Train for some steps; return the losses and the learning rates, and the training step."""
    ms.set_context(mode=mode)
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    trained = optimizer([{"params": [net.weight]}, {"params": [net.bias], "lr": 0.02}], lr=0.1)
    scheduler = make(trained)
    gradients = ms.value_and_grad(lambda x: net(x).sum(), None, trained.parameters)
    needs_metric = isinstance(scheduler, schedules.ReduceLROnPlateau)

    def step(x):
        loss, found = gradients(x)
        trained(found)
        scheduler.step(*([loss] if needs_metric else []))
        return loss, scheduler.get_last_lr()

    run = capture(step)
    values = []
    try:
        for i in range(7):
            loss, rates = run(X * (-1) ** i)
            values += [loss.item(), *[rate.item() for rate in rates]]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert scheduler.last_epoch == 7
    return values, run


@pytest.mark.parametrize("name", SCHEDULERS)
class TestSteps:
    @pytest.mark.parametrize("options", [{}, {"fullgraph": True}], ids=["live", "traced"])
    def test_one_graph_serves_all_steps(self, name, options):
        expected, _ = steps(SCHEDULERS[name], lambda step: step)
        found, run = steps(SCHEDULERS[name], lambda step: ms.jit(step, **options))
        assert found == pytest.approx(expected, rel=1e-5)
        assert run.captures == 1

    def test_graph_mode(self, name):
        expected, _ = steps(SCHEDULERS[name], lambda step: step)
        assert steps(SCHEDULERS[name], lambda step: step, ms.GRAPH_MODE)[0] == pytest.approx(expected, rel=1e-5)

    def test_mint_optimizers(self, name):
        expected, _ = steps(SCHEDULERS[name], lambda step: step, optimizer=ms.mint.optim.AdamW)
        found, run = steps(SCHEDULERS[name], ms.jit, optimizer=ms.mint.optim.AdamW)
        assert found == pytest.approx(expected, rel=1e-5)
        assert run.captures == 1


@pytest.mark.slow
@pytest.mark.usefixtures("compiling_here")
def test_a_compiled_graph():
    expected, _ = steps(SCHEDULERS["CosineAnnealingWarmRestarts"], lambda step: step)
    found, run = steps(
        SCHEDULERS["CosineAnnealingWarmRestarts"],
        lambda step: ms.jit(step, fullgraph=True, jit_config=ms.JitConfig("O1", tiered=False)),
    )
    assert found == pytest.approx(expected, rel=1e-5)
    assert run.captures == 1


class Halving(schedules.LRScheduler):
    def get_lr(self):
        factor = 0.5 if self.last_epoch % 2 == 0 else 1.0
        return [rate * factor for rate in self._last_lr]


class TestUsersSchedulers:
    def test_their_conditions_are_branches(self):
        expected, _ = steps(Halving, lambda step: step)
        found, run = steps(Halving, lambda step: ms.jit(step, fullgraph=True))
        assert found == pytest.approx(expected, rel=1e-5)
        assert run.captures == 2

    def test_the_epoch_is_a_tensor_in_a_graph(self):
        scheduler = Halving(optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0))

        @ms.jit(fullgraph=True)
        def step():
            scheduler.step()
            return scheduler.last_epoch

        assert [int(step()) for _ in range(3)] == [1, 2, 3]
        assert scheduler.last_epoch == 3


def test_steps_inside_and_outside_graphs_continue_each_other():
    optimizer = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    scheduler = schedules.ExponentialLR(optimizer, 0.5)
    step = ms.jit(lambda: scheduler.step(), fullgraph=True)
    assert step() is True
    scheduler.step()
    ops.assign(optimizer.param_groups[0]["lr"], Tensor(8.0))
    step()
    assert [rate.item() for rate in scheduler.get_last_lr()] == [4.0]
    assert scheduler.last_epoch == 3
