"""Record what MindSpore 2.10's boost package does, into `boost.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_boost.py`.

Cases are functions of the module `mindspore`, called here with MindSpore itself and in the tests with TorchSpore; what
they return are numbers, names and lists of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

STEPS = 8


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    """Return normal random numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def network(ms: Any) -> Any:
    """Two layers and a loss."""
    first = ms.nn.Dense(3, 4, ms.Tensor(draw(4, 3)), ms.Tensor(draw(4, seed=1)))
    second = ms.nn.Dense(4, 2, ms.Tensor(draw(2, 4, seed=2)), ms.Tensor(draw(2, seed=3)))
    return ms.nn.WithLossCell(ms.nn.SequentialCell(first, second), ms.nn.MSELoss())


def batch(ms: Any) -> list[Any]:
    """The inputs of `network`."""
    return [ms.Tensor(0.4 * draw(6, 3, seed=4)), ms.Tensor(draw(6, 2, seed=5))]


def configure(ms: Any, *settings: Any) -> Any:
    """Give the program new settings."""
    ms.boost.AutoBoost._instance = None
    return ms.boost.AutoBoost(*settings)


def weights(net: Any) -> list[float]:
    """The values of the parameters."""
    return np.concatenate([p.asnumpy().ravel() for p in net.trainable_params()]).tolist()


def trajectory(ms: Any, net: Any, step: Any) -> list[list[float]]:
    """The parameters after each step."""
    found = []
    for _ in range(STEPS):
        step(*batch(ms))
        found.append(weights(net))
    return found


def trained(make: Any, *settings: Any) -> Any:
    """A case that trains with what `make` returns of the network and the optimizer."""

    def case(ms: Any) -> list[list[float]]:
        configure(ms, *settings)
        net = network(ms)
        optimizer = ms.nn.Momentum(net.trainable_params(), 0.05, 0.9)
        return trajectory(ms, net, make(ms, net, optimizer))

    return case


def frozen(kind: int) -> Any:
    """A case of the numbers of groups to train."""

    def case(ms: Any) -> list[list[int]]:
        np.random.seed(3)
        freeze = ms.boost.GradientFreeze(4, kind, 0.6, 40)
        arguments = [(4, 0.6, 40), (1, 0.5, 10), (2, 0.0, 10), (7, 0.25, 60), (3, 0.9, 25)]
        return [freeze.generate_freeze_index_sequence(n, kind, p, steps) for n, p, steps in arguments]

    return case


def split(ms: Any) -> list[list[list[str]]]:
    cells = [(ms.nn.Conv2d(2, 2, 1), ms.nn.BatchNorm2d(2), ms.nn.Dense(2, 2)) for _ in range(4)]
    net = ms.nn.SequentialCell(*[cell for layers in cells for cell in layers])
    for name, parameter in net.parameters_and_names():
        parameter.name = f"bn.{name}" if "gamma" in name or "beta" in name else name
    freeze = ms.boost.GradientFreeze(3, 0, 0.5, 10)
    return [[[p.name for p in group] for group in freeze.split_parameters_groups(net, n)] for n in (1, 2, 3, 9)]


def described(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Groups of parameters with names instead of parameters."""
    return [
        {key: [p.name for p in value] if "params" in key else value for key, value in group.items()} for group in groups
    ]


def grouped(ms: Any) -> list[Any]:
    w1, b1, w2, b2 = parameters = network(ms).trainable_params()
    make = ms.boost.ParameterProcess.generate_group_params
    origins = [
        parameters,
        [{"params": [w1, b1], "lr": 0.5}, {"params": [w2, b2]}],
        [{"params": [w2], "weight_decay": 0.5}, {"params": [b2, b1]}],
        [{"params": [w1, b1], "lr": 0.5}, {"params": [w2, b2]}, {"order_params": parameters}],
    ]
    return [described(make(chosen, origin)) for origin in origins for chosen in (parameters, [w1, w2, b2])]


def fusion(ms: Any) -> list[list[int]]:
    found = []
    for points in (None, [1, 3], [0]):
        parameters = network(ms).trainable_params()
        process = ms.boost.ParameterProcess()
        process.assign_parameter_group(parameters, points)
        found.append([p.comm_fusion for p in parameters])
    return found


def centralized(ms: Any) -> list[Any]:
    nn = ms.nn
    net = nn.SequentialCell(nn.Conv2d(4, 4, 1, group=2), nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.Dense(4, 2))
    optimizer = nn.Momentum([{"params": net.trainable_params(), "weight_decay": 0.1}], 0.1, 0.9)
    process = ms.boost.OptimizerProcess(optimizer)
    process.add_grad_centralization(net)
    return described(process.origin_params)


def remade(ms: Any, net: Any, optimizer: Any) -> Any:
    groups = [{"params": net.trainable_params()[:2], "lr": 0.02}, {"params": net.trainable_params()[2:]}]
    process = ms.boost.OptimizerProcess(ms.nn.Momentum(groups, 0.1, 0.8, loss_scale=2.0))
    return ms.nn.TrainOneStepCell(net, process.generate_new_optimizer())


def accumulated(ms: Any, net: Any, optimizer: Any) -> Any:
    accumulation = ms.boost.GradientAccumulation(3, optimizer)
    gradients = ms.ops.GradOperation(get_by_list=True)(net, optimizer.parameters)
    return lambda *inputs: accumulation(net(*inputs), gradients(*inputs))


def freezing(ms: Any, net: Any, optimizer: Any) -> Any:
    parameters = net.trainable_params()
    opt = ms.boost.FreezeOpt(optimizer, [parameters, parameters[2:], parameters[3:]], [0, 2, 1, 1])
    return ms.boost.BoostTrainOneStepCell(net, opt)


def freezing_in_turn(ms: Any, net: Any, optimizer: Any) -> Any:
    parameters = net.trainable_params()
    return ms.boost.BoostTrainOneStepCell(net, ms.boost.FreezeOpt(optimizer, [parameters, parameters[2:]]), 2.0)


def freezing_with_rates(ms: Any, net: Any, optimizer: Any) -> Any:
    rates = [0.05, 0.1, 0.02, 0.01] * 2
    parameters = net.trainable_params()
    optimizer = ms.nn.Momentum(parameters, rates, 0.9)
    opt = ms.boost.FreezeOpt(optimizer, [parameters, parameters[2:]], [0, 1, 1, 0] * 2)
    return ms.boost.BoostTrainOneStepCell(net, opt)


def plain(ms: Any, net: Any, optimizer: Any) -> Any:
    return ms.boost.BoostTrainOneStepCell(net, optimizer, 2.0)


def reduced(ms: Any, net: Any, optimizer: Any) -> Any:
    parameters = ms.ParameterTuple(net.trainable_params())
    clones = parameters.clone("clone", "same")
    components = np.linalg.qr(draw(26, 3, seed=6))[0].T
    sgd = ms.nn.SGD(net.trainable_params(), learning_rate=1)
    reduce = ms.boost.DimReduce(net, sgd, parameters, components, 3, 0.55, 0.9, 0.01, 0.4, 0, 1)
    gradients = ms.ops.GradOperation(get_by_list=True)(net, parameters)
    one = ms.Tensor(1.0, ms.float32)
    return lambda *inputs: reduce(net(*inputs), gradients(*inputs), one, parameters, clones, *inputs)


def head(ms: Any) -> list[Any]:
    layer = ms.boost.less_batch_normalization.CommonHeadLastFN
    weight, bias, data = ms.Tensor(draw(2, 3)), ms.Tensor(draw(2, seed=1)), ms.Tensor(draw(4, 3, seed=2))
    return [
        layer(3, 2, weight, bias)(data).asnumpy().tolist(),
        layer(3, 2, weight, has_bias=False)(data).asnumpy().tolist(),
        [p.name for p in layer(3, 2).get_parameters()],
        layer(3, 2).bias.asnumpy().tolist(),
    ]


def less(ms: Any) -> list[list[str]]:
    nn = ms.nn
    found = []
    for flag in (False, True):
        inner = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), nn.Dense(3, 3))
        net = ms.boost.LessBN(nn.SequentialCell(nn.Dense(3, 3), inner, nn.Dense(3, 3), nn.ReLU()), flag)
        found.append([type(cell).__name__ for _, cell in net.cells_and_names()])
    return found


NAMES = """
    _fn_flag _gc_flag _param_groups _freeze_type _freeze_p _total_steps gradient_groups device_number
    grad_accumulation_step rho gamma alpha sigma n_components
"""


def settings(ms: Any) -> list[Any]:
    found = []
    for given in [
        ("O0",), ("O1",), ("O2",),
        ("O1", {"boost": {"mode": "disable_all"}}), ("O0", {"boost": {"mode": "enable_all"}}),
        ("O1", {"boost": {"mode": "auto"}, "less_bn": {"fn_flag": False}, "dim_reduce": {"rho": 0.1}}),
        ("O0", {"common": {"device_number": 4, "gradient_split_groups": [1, 2]}}),
        # Settings by hand stay for the level in MindSpore, so they come last.
        ("O0", {"boost": {"mode": "manual", "grad_freeze": True}, "grad_freeze": {"freeze_p": 0.5}}),
    ]:  # fmt: skip
        boost = configure(ms, *given)
        found.append([dict(boost.boost_config), [getattr(boost, name) for name in NAMES.split()]])
    return found


TRAININGS = {
    "the optimizer made again": trained(remade),
    "accumulation": trained(accumulated),
    "freezing": trained(freezing),
    "freezing in turn": trained(freezing_in_turn),
    "freezing with rates for the steps": trained(freezing_with_rates),
    "a plain step": trained(plain),
    "a step with accumulation": trained(
        plain, "O0",
        {"boost": {"mode": "manual", "grad_accumulation": True}, "grad_accumulation": {"grad_accumulation_step": 3}},
    ),
    "dimensions reduced": trained(reduced),
}  # fmt: skip
CASES = {
    "groups in turn": frozen(0),
    "groups at random": frozen(1),
    "groups of a network": split,
    "groups of parameters": grouped,
    "groups for communication": fusion,
    "groups with centralization": centralized,
    "normalised head": head,
    "less normalisation": less,
    "settings": settings,
    **TRAININGS,
}
# What MindSpore does in graphs only.
IN_GRAPHS = ("freezing", "freezing in turn", "freezing with rates for the steps", "a step with accumulation")


def main() -> None:
    """Record the cases."""
    import json

    import mindspore

    found = {}
    for name, case in CASES.items():
        mindspore.set_context(mode=mindspore.GRAPH_MODE if name in IN_GRAPHS else mindspore.PYNATIVE_MODE)
        found[name] = case(mindspore)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    Path(__file__).with_name("boost.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
