"""Record what MindSpore 2.10's learning rate schedules give, into `schedules.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_schedules.py`.

Cases are Python expressions, evaluated here with MindSpore's names and in the tests with TorchSpore's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

# Cells: their values for the steps 0 to 11, and for another form of the step.
SCHEDULES = """
ExponentialDecayLR(0.1, 0.9, 4)
ExponentialDecayLR(0.1, 0.9, 4, True)
ExponentialDecayLR(0.1, 1.5, 1, is_stair=False)
NaturalExpDecayLR(0.1, 0.9, 4)
NaturalExpDecayLR(0.1, 0.1, 4, True)
InverseDecayLR(0.1, 0.9, 4)
InverseDecayLR(0.1, 0.9, 4, True)
CosineDecayLR(0.01, 0.1, 7)
CosineDecayLR(0.0, 0.1, 1)
PolynomialDecayLR(0.1, 0.01, 4, 0.5)
PolynomialDecayLR(0.1, 0.01, 4, 2.0, True)
PolynomialDecayLR(0.1, 0.2, 4, 1.0)
WarmUpLR(0.1, 4)
WarmUpLR(0.0, 4)
""".strip().splitlines()
STEP_FORMS = ["ms.Tensor(2, ms.int64)", "ms.Tensor([2], ms.int32)", "ms.Tensor(2.0)", "2", "2.0", "ms.Tensor([1, 5])"]

LISTS = """
piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])
piecewise_constant_lr((2, 2), (0.1, 0.2))
piecewise_constant_lr([2], [-0.1])
piecewise_constant_lr([], [])
piecewise_constant_lr([2, 5], [0.1])
piecewise_constant_lr([5, 2], [0.1, 0.2])
piecewise_constant_lr([0, 2], [0.1, 0.2])
piecewise_constant_lr([1.5, 2], [0.1, 0.2])
piecewise_constant_lr([True], [0.1])
piecewise_constant_lr([2], [1])
piecewise_constant_lr([2], ['a'])
piecewise_constant_lr(2, 0.1)
piecewise_constant_lr([2], None)
exponential_decay_lr(0.1, 0.9, 6, 2, 1)
exponential_decay_lr(0.1, 0.9, 7, 2, 2)
exponential_decay_lr(0.1, 0.9, 6, 2, 2, True)
natural_exp_decay_lr(0.1, 0.9, 6, 2, 2)
natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True)
inverse_decay_lr(0.1, 0.5, 6, 1, 3)
inverse_decay_lr(0.1, 0.5, 6, 1, 3, is_stair=True)
cosine_decay_lr(0.01, 0.1, 9, 2, 3)
polynomial_decay_lr(0.1, 0.01, 7, 2, 2, 0.5)
polynomial_decay_lr(0.1, 0.01, 9, 1, 2, 0.5, True)
polynomial_decay_lr(0.1, 0.2, 6, 2, 2, 0.5)
warmup_lr(0.1, 7, 2, 2)
warmup_lr(0.0, 3, 2, 2)
""".strip().splitlines()

# Each argument of these calls is replaced by each of VALUES: which are accepted, and what error do the others give?
CALLS = {
    "ExponentialDecayLR": [0.1, 0.9, 4, False],
    "NaturalExpDecayLR": [0.1, 0.9, 4, False],
    "InverseDecayLR": [0.1, 0.9, 4, False],
    "CosineDecayLR": [0.01, 0.1, 4],
    "PolynomialDecayLR": [0.1, 0.01, 4, 0.5, False],
    "WarmUpLR": [0.1, 4],
    "exponential_decay_lr": [0.1, 0.9, 6, 2, 2, False],
    "natural_exp_decay_lr": [0.1, 0.9, 6, 2, 2, False],
    "inverse_decay_lr": [0.1, 0.9, 6, 2, 2, False],
    "cosine_decay_lr": [0.01, 0.1, 6, 2, 2],
    "polynomial_decay_lr": [0.1, 0.01, 6, 2, 2, 0.5, False],
    "warmup_lr": [0.1, 6, 2, 2],
}
VALUES = [0, 0.0, -1, -0.5, 1, 2.5, "a", None, True]


def names(ms: Any) -> dict[str, Any]:
    """Return the names that the expressions see, with `ms` as MindSpore."""
    return {"ms": ms, **vars(ms.nn.learning_rate_schedule), **vars(ms.nn.dynamic_lr)}


def rates(ms: Any, expression: str) -> dict[str, Any]:
    """Return the values of a schedule."""
    known = names(ms)
    schedule = eval(expression, known)
    forms = {}
    for form in STEP_FORMS:
        rate = schedule(eval(form, known))
        forms[form] = [list(rate.shape), str(rate.dtype), [float(f"{v:.8g}") for v in rate.asnumpy().ravel()]]
    steps = [float(f"{float(schedule(ms.Tensor(step, ms.int32)).asnumpy()):.8g}") for step in range(12)]
    return {"steps": steps, "forms": forms}


def listed(ms: Any, expression: str) -> Any:
    """Return a list of learning rates, or the type of the error."""
    try:
        return eval(expression, names(ms))
    except Exception as error:
        return {"error": type(error).__name__}


def calls() -> list[str]:
    """Return the calls with one argument replaced."""
    found = []
    for function, arguments in CALLS.items():
        for position in range(len(arguments)):
            for value in VALUES:
                replaced = [*arguments[:position], value, *arguments[position + 1 :]]
                found.append(f"{function}({', '.join(map(repr, replaced))})")
    return list(dict.fromkeys(found))


def outcome(ms: Any, expression: str) -> str:
    """Return "ok" or the type of the error."""
    try:
        eval(expression, names(ms))
    except Exception as error:
        return type(error).__name__
    return "ok"


if __name__ == "__main__":
    import mindspore
    from tables import dump

    mindspore.set_context(pynative_synchronize=True)
    tables = {
        "schedules": {expression: rates(mindspore, expression) for expression in SCHEDULES},
        "lists": {expression: listed(mindspore, expression) for expression in LISTS},
        "calls": {expression: outcome(mindspore, expression) for expression in calls()},
    }
    Path(__file__).with_name("schedules.json").write_text(dump(tables), encoding="utf-8")
