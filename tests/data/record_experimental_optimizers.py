"""Record what the optimizers and schedulers of MindSpore 2.10's `experimental.optim` do, into
`experimental_optimizers.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_experimental_optimizers.py`.

The problem is the one in `record_optimizers.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from data import record_optimizers as base

# Ten steps of each: the parameters `w`, `b`, `g`, and `GROUPS` of them.
GROUPS = "[{'params': [w], 'lr': 0.03}, {'params': [b, g]}]"
TRAJECTORIES = """
optim.SGD([w, b, g], 0.1)
optim.SGD([w, b, g], 0.1, 0.9)
optim.SGD([w, b, g], 0.1, 0.9, 0.5, 0.1)
optim.SGD([w, b, g], 0.1, 0.9, nesterov=True, maximize=True)
optim.SGD(GROUPS, 0.1, 0.9)
optim.Adam([w, b, g])
optim.Adam([w, b, g], 0.1, (0.8, 0.9), 0.1, 0.1)
optim.Adam([w, b, g], 0.1, maximize=True)
optim.Adam(GROUPS, 0.1)
optim.AdamW([w, b, g])
optim.AdamW([w, b, g], 0.1, (0.8, 0.9), 0.1, 0.1)
optim.AdamW([w, b, g], 0.1, (0.8, 0.9), 0.1, amsgrad=True, maximize=True)
optim.AdamW(GROUPS, 0.1)
optim.Adadelta([w, b, g])
optim.Adadelta([w, b, g], 0.5, 0.8, 0.1, 0.1, maximize=True)
optim.Adadelta(GROUPS, 0.1)
optim.Adagrad([w, b, g])
optim.Adagrad([w, b, g], 0.1, 0.5, 0.1, 0.2, 0.1)
optim.Adagrad([w, b, g], 0.1, maximize=True)
optim.Adagrad(GROUPS, 0.1, 0.1)
optim.ASGD([w, b, g])
optim.ASGD([w, b, g], 0.1, 0.1, 0.5, 3.0)
optim.ASGD([w, b, g], 0.1, 0.1, 0.5, 3.0, 0.1, True)
optim.ASGD(GROUPS, 0.1, 0.2, t0=4.0)
optim.Adamax([w, b, g])
optim.Adamax([w, b, g], 0.1, (0.8, 0.9), 0.1, 0.1)
optim.Adamax([w, b, g], 0.1, maximize=True)
optim.Adamax(GROUPS, 0.1)
optim.RMSprop([w, b, g])
optim.RMSprop([w, b, g], 0.01, 0.8, 0.1, 0.1)
optim.RMSprop([w, b, g], 0.01, 0.8, 0.1, 0.1, 0.5)
optim.RMSprop([w, b, g], 0.01, 0.8, 0.1, 0.0, 0.5, True, True)
optim.RMSprop(GROUPS, 0.1)
optim.Rprop([w, b, g])
optim.Rprop([w, b, g], 0.5, (0.4, 1.5), (0.1, 0.6))
optim.Rprop([w, b, g], 0.1, maximize=True)
optim.Rprop(GROUPS, 0.1)
optim.RAdam([w, b, g])
optim.RAdam([w, b, g], 0.1, (0.8, 0.9), 0.1, 0.1)
optim.RAdam([w, b, g], 0.1, (0.9, 0.7), 0.1)
optim.RAdam(GROUPS, 0.1)
optim.NAdam([w, b, g])
optim.NAdam([w, b, g], 0.1, (0.8, 0.9), 0.1, 0.1, 0.2)
optim.NAdam(GROUPS, 0.1)
""".strip().splitlines()

# What an optimizer consists of, or the error of making it.
CONSTRUCTIONS = """
optim.Adam([])
optim.Adam(w)
optim.Adam(5)
optim.Adam([5])
optim.Adam([w, w])
optim.Adam([w, b], lr=-0.1)
optim.Adam([w], lr='a')
optim.Adam([w], lr=None)
optim.Adam([w], lr=1)
optim.Adam([w], lr=Tensor(0.5))
optim.Adam([w], betas=(0.9, 1.0))
optim.Adam([w], betas=(-0.1, 0.9))
optim.Adam([w], eps=-1.0)
optim.Adam([w], weight_decay=-1.0)
optim.Adam([w], weight_decay='a')
optim.Adam([{'params': [w], 'lr': 0.5, 'weight_decay': 0.2}, {'params': [b, g], 'betas': (0.5, 0.6)}], lr=0.1)
optim.Adam([{'params': [w]}, {'params': [w]}])
optim.Adam([{'params': w}, {'params': [b]}])
optim.Adam([{'lr': 0.1}])
optim.AdamW([w], eps=-1.0)
optim.SGD([w, b, g], 0.1)
optim.SGD([w], 0.1, -0.1)
optim.SGD([w], 0.1, weight_decay=-0.1)
optim.SGD([w], 0.1, nesterov=True)
optim.SGD([w], 0.1, 0.9, 0.1, nesterov=True)
optim.SGD([w], 0.1, 0.9, nesterov=1)
optim.SGD([w], 0.1, maximize=1)
optim.SGD([w], 0.1, 'a')
optim.Adadelta([w, b, g])
optim.Adadelta([w], rho=1.5)
optim.Adadelta([w], rho=-0.5)
optim.Adadelta([w], rho=1.0)
optim.Adadelta([w], eps=0.0)
optim.Adadelta([w], eps=-1.0)
optim.Adadelta([w], weight_decay=-0.1)
optim.Adagrad([w, b, g])
optim.Adagrad([w], lr_decay=-0.1)
optim.Adagrad([w], initial_accumulator_value=-0.1)
optim.Adagrad([w], eps=-0.1)
optim.Adagrad([w], weight_decay=-0.1)
optim.ASGD([w, b, g])
optim.ASGD([w], weight_decay=-0.1)
optim.ASGD([w], lambd=-0.1)
optim.Adamax([w, b, g])
optim.Adamax([w], betas=(1.0, 0.9))
optim.Adamax([w], eps=-0.1)
optim.Adamax([w], weight_decay=-0.1)
optim.RMSprop([w, b, g])
optim.RMSprop([w], alpha=-0.1)
optim.RMSprop([w], alpha=1.5)
optim.RMSprop([w], momentum=-0.1)
optim.RMSprop([w], eps=-0.1)
optim.RMSprop([w], weight_decay=-0.1)
optim.Rprop([w, b, g])
optim.Rprop([w], etas=(1.0, 1.2))
optim.Rprop([w], etas=(0.0, 1.2))
optim.Rprop([w], etas=(0.5, 1.0))
optim.RAdam([w, b, g])
optim.RAdam([w], betas=(0.9, 1.0))
optim.RAdam([w], eps=-1.0)
optim.NAdam([w, b, g])
optim.NAdam([w], momentum_decay=-1.0)
optim.NAdam([w], betas=(0.9, 1.0))
""".strip().splitlines()

# Learning rates of `optimizer`, one group with 0.1, and of `grouped`, two with 0.05 and 0.1, over twelve steps.
SCHEDULES = """
sch.StepLR(optimizer, 3)
sch.StepLR(grouped, 2, 0.5)
sch.LinearLR(optimizer)
sch.LinearLR(optimizer, 0.5, 0.8, 4)
sch.LinearLR(grouped, 0.2)
sch.ExponentialLR(optimizer, 0.9)
sch.ExponentialLR(grouped, 0.5)
sch.PolynomialLR(optimizer)
sch.PolynomialLR(optimizer, 8, 2.0)
sch.PolynomialLR(grouped, 4, 0.5)
sch.ConstantLR(optimizer)
sch.ConstantLR(grouped, 0.5, 4)
sch.MultiStepLR(optimizer, [2, 4])
sch.MultiStepLR(grouped, [2, 4, 4, 7], 0.5)
sch.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
sch.LambdaLR(grouped, [lambda epoch: 0.9**epoch, lambda epoch: 1 / (epoch + 1)])
sch.MultiplicativeLR(optimizer, lambda epoch: 0.9)
sch.MultiplicativeLR(grouped, [lambda epoch: 0.9, lambda epoch: 1 / epoch])
sch.CosineAnnealingLR(optimizer, 2)
sch.CosineAnnealingLR(optimizer, 4, 0.01)
sch.CosineAnnealingLR(grouped, 5)
sch.CosineAnnealingWarmRestarts(optimizer, 2)
sch.CosineAnnealingWarmRestarts(optimizer, 2, 2, 0.01)
sch.CosineAnnealingWarmRestarts(grouped, 3)
sch.CyclicLR(optimizer, 0.01, 0.1, 4)
sch.CyclicLR(optimizer, 0.01, 0.1, 2, 3, 'triangular2')
sch.CyclicLR(optimizer, 0.01, 0.1, 3, mode='exp_range', gamma=0.9)
sch.CyclicLR(optimizer, 0.01, 0.1, 3, scale_fn=lambda x: 1 / x)
sch.CyclicLR(optimizer, 0.01, 0.1, 3, scale_fn=lambda x: 0.9**x, scale_mode='iterations')
sch.CyclicLR(grouped, [0.01, 0.02], [0.1, 0.2], 3)
sch.SequentialLR(optimizer, [sch.ConstantLR(optimizer, 0.1, 2), sch.ExponentialLR(optimizer, 0.9)], [2])
sch.SequentialLR(optimizer, [sch.LinearLR(optimizer), sch.StepLR(optimizer, 2), last()], [5, 8])
sch.StepLR(optimizer, 3, last_epoch=-2)
sch.StepLR(optimizer, 3, last_epoch=1)
sch.StepLR(optimizer, 3, last_epoch=0.5)
sch.StepLR(optimizer, 2.5)
sch.StepLR(optimizer, 3, 1)
sch.StepLR(None, 3)
sch.LinearLR(optimizer, 0.0)
sch.LinearLR(optimizer, 1.5)
sch.LinearLR(optimizer, 0.5, 1.5)
sch.LinearLR(optimizer, 0.5, -0.1)
sch.ExponentialLR(optimizer, 1)
sch.ExponentialLR(optimizer, 'a')
sch.PolynomialLR(optimizer, 5, 'a')
sch.ConstantLR(optimizer, 1.5)
sch.ConstantLR(optimizer, -0.5)
sch.MultiStepLR(optimizer, 5)
sch.MultiStepLR(optimizer, [0.5])
sch.MultiStepLR(optimizer, (2, 4))
sch.MultiStepLR(optimizer, [2], 1)
sch.LambdaLR(grouped, [lambda epoch: 0.9])
sch.MultiplicativeLR(grouped, [lambda epoch: 0.9])
sch.CosineAnnealingWarmRestarts(optimizer, 0)
sch.CosineAnnealingWarmRestarts(optimizer, 1.5)
sch.CosineAnnealingWarmRestarts(optimizer, 2, 0)
sch.CosineAnnealingWarmRestarts(optimizer, 2, 1.5)
sch.CosineAnnealingWarmRestarts(optimizer, 2, 1, 'a')
sch.CyclicLR(optimizer, [0.1, 0.2], 0.5)
sch.CyclicLR(optimizer, 0.1, [0.1, 0.2])
sch.CyclicLR(optimizer, 0.1, 0.2, mode='other')
sch.CyclicLR(optimizer, 0.1, 0.2, 'a')
sch.CyclicLR(optimizer, 0.1, 0.2, scale_fn=5)
sch.SequentialLR(optimizer, [sch.StepLR(optimizer, 2)], [2])
sch.SequentialLR(optimizer, [sch.StepLR(optimizer, 2), sch.StepLR(grouped, 2)], [2])
sch.SequentialLR(grouped, [sch.StepLR(optimizer, 2), sch.StepLR(optimizer, 2)], [2])
sch.ReduceLROnPlateau(optimizer, factor=1.0)
sch.ReduceLROnPlateau(None)
sch.ReduceLROnPlateau(grouped, min_lr=[0.1])
sch.ReduceLROnPlateau(optimizer, mode='other')
sch.ReduceLROnPlateau(optimizer, threshold_mode='other')
""".strip().splitlines()

# The same of schedulers whose `step` takes an argument: the expression, and the arguments.
METRICS = [1.0, 0.8, 0.9, 0.85, 0.79999, 0.7, 0.95, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9]
GUIDED = {
    "sch.ReduceLROnPlateau(optimizer)": METRICS,
    "sch.ReduceLROnPlateau(optimizer, patience=0)": METRICS,
    "sch.ReduceLROnPlateau(grouped, factor=0.5, patience=1, cooldown=2)": METRICS,
    "sch.ReduceLROnPlateau(grouped, 'max', patience=1, threshold=0.01)": METRICS,
    "sch.ReduceLROnPlateau(optimizer, 'max', patience=1, threshold=0.1, threshold_mode='abs')": METRICS,
    "sch.ReduceLROnPlateau(optimizer, patience=1, threshold=0.15, threshold_mode='abs')": METRICS,
    "sch.ReduceLROnPlateau(grouped, patience=0, min_lr=[0.01, 0.03])": METRICS,
    "sch.ReduceLROnPlateau(optimizer, patience=0, min_lr=0.05, eps=0.02)": METRICS,
    "sch.CosineAnnealingWarmRestarts(optimizer, 2)": [0, 0.3, 0.6, 1, 1.5, 2.0, 2.7, 5.1, 0.5],
    "sch.StepLR(optimizer, 2, 0.5)": [0, 1, 2, 3, 4, 3],
    "sch.ExponentialLR(optimizer, 0.5)": [0, 1, 2, 5],
    "sch.LambdaLR(optimizer, lambda epoch: 0.9**epoch)": [0, 1, 5, 2],
    "sch.LinearLR(optimizer, 0.5)": [0, 1, 2, 3, 4, 5, 6],
    "sch.CosineAnnealingLR(optimizer, 4)": [0, 1, 2, 3, 4, 5, 6],
}


def names(ms: Any) -> dict[str, Any]:
    """Return the names that the expressions see, with `ms` as MindSpore; the parameters are new in every call."""
    from importlib import import_module

    optim = import_module(f"{ms.__name__}.experimental.optim")
    known = base.names(ms) | {"optim": optim, "sch": optim.lr_scheduler}
    known["GROUPS"] = eval(GROUPS, known)
    w, b, g = (known[name] for name in "wbg")
    known["optimizer"] = optim.SGD([w], 0.1)
    known["last"] = lambda: optim.lr_scheduler.ExponentialLR(known["optimizer"], 0.9)
    known["grouped"] = optim.SGD([{"params": [b], "lr": 0.05}, {"params": [g]}], 0.1)
    return known


def trajectory(ms: Any, expression: str) -> dict[str, Any]:
    """Return the parameters after every step, by name, and all else that the optimizer holds after the last one."""
    optimizer = eval(expression, names(ms))
    steps = []
    for step in range(base.STEPS):
        given = base.gradients([parameter.asnumpy() for parameter in optimizer.parameters], step)
        optimizer(tuple(map(ms.Tensor, given)))
        steps.append({parameter.name: base.numbers(parameter) for parameter in optimizer.parameters})
    state = {p.name: base.numbers(p) for p in optimizer.get_parameters() if p.name not in base.PARAMETERS}
    return {"steps": steps, "state": state}


def construction(ms: Any, expression: str) -> dict[str, Any]:
    """Return what the optimizer consists of, or the type of the error."""
    try:
        optimizer = eval(expression, names(ms))
    except Exception as error:
        return {"error": type(error).__name__}
    groups = [
        {
            option: [p.name for p in value] if option == "params" else value.name if option == "lr" else value
            for option, value in group.items()
        }
        for group in optimizer.param_groups
    ]
    return {
        "parameters": [parameter.name for parameter in optimizer.parameters],
        "states": sorted(p.name for p in optimizer.get_parameters()),
        "groups": groups,
        "rates": base.numbers([group["lr"] for group in optimizer.param_groups]),
        "starts": list(optimizer.group_start_id),
        "text": repr(optimizer),
    }


def schedule(ms: Any, expression: str, arguments: list[Any] | None = None) -> Any:
    """Return the learning rates before the first step and after every one, or the type of the error."""
    known = names(ms)
    try:
        scheduler = eval(expression, known)
    except Exception as error:
        return {"error": type(error).__name__}
    optimizer = known["grouped"] if "grouped" in expression else known["optimizer"]
    rates = [base.numbers([group["lr"] for group in optimizer.param_groups])]
    for argument in [()] * 12 if arguments is None else [(value,) for value in arguments]:
        scheduler.step(*argument)
        rates.append(base.numbers([group["lr"] for group in optimizer.param_groups]))
    return rates


if __name__ == "__main__":
    import mindspore

    from data.tables import dump

    mindspore.set_context(pynative_synchronize=True)
    tables = {
        "trajectories": {expression: trajectory(mindspore, expression) for expression in TRAJECTORIES},
        "constructions": {expression: construction(mindspore, expression) for expression in CONSTRUCTIONS},
        "schedules": {expression: schedule(mindspore, expression) for expression in SCHEDULES},
        "guided": {expression: schedule(mindspore, expression, given) for expression, given in GUIDED.items()},
    }
    Path(__file__).with_name("experimental_optimizers.json").write_text(dump(tables), encoding="utf-8")
