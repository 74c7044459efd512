"""Why the steps of two optimizers differ: their settings under one name, and their rules as plain functions."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.experimental.optim import Adam
from torchspore.migrate.comparing.causes import Cause, is_same
from torchspore.migrate.comparing.layers import Trained
from torchspore.migrate.comparing.rounding import difference, spread
from torchspore.migrate.weights.weight_map import Entry
from torchspore.nn.cell import Cell

__all__ = ["explain", "known_difference"]

_NAMES = {
    "lr": "the learning rate", "beta1": "beta1", "beta2": "beta2", "eps": "eps", "momentum": "the momentum",
    "dampening": "the dampening", "nesterov": "nesterov", "weight_decay": "the weight decay", "amsgrad": "amsgrad",
    "corrected": "the correction of the bias",
}  # fmt: skip


def explain(
    optimizers: tuple[Any, Any], pairs: list[Entry], second: Trained, forced: dict[int, torch.Tensor], step: int
) -> Cause:
    """Return why the weights differ after a step.

    Args:
        optimizers: of both sides.
        pairs: the trained weights.
        second: what the second side computed.
        forced: the first side's weights after these steps with the second side's gradients.
        step: the number of the step, from 0.
    """
    if all(_close(e.of_cell(forced[id(e._cell.holder)]), e.of_torch(second.weights[step][id(e._torch.holder)]),
                  e.of_torch(e._torch.tensor)) for e in pairs):  # fmt: skip
        return Cause("the optimizers agree, the gradients of a later step do not", True, "gradients")
    causes: list[Cause] = []
    for entry in pairs:
        own = settings_of_optimizer(optimizers[0], entry._cell.holder)
        other = settings_of_optimizer(optimizers[1], entry._torch.holder)
        start = entry.of_torch(entry._torch.tensor).double()
        gradients = gradients_of(entry, second, step)
        after = entry.of_cell(forced[id(entry._cell.holder)])
        if _close(after, entry.of_torch(second.weights[step][id(entry._torch.holder)]), start):
            continue
        for name in own:
            if name in other and not is_same(own[name], other[name]) and name != "eps_inside":
                trial = updated(start, gradients, _mixed(own, other, name))
                verified = trial is not None and _close(after, trial, start)
                causes.append(Cause(_words(name, own, other, entry.cell), verified, name))
        differing = {n for n in own if n in other and not is_same(own[n], other[n]) and n != "eps_inside"}
        if len(differing) > 1 and not any(cause.verified for cause in causes):
            trial = updated(start, gradients, own)
            if trial is not None and _close(after, trial, start):
                text = "; ".join(_words(name, own, other, entry.cell) for name in own if name in differing)
                causes.append(Cause(text, True, ", ".join(sorted(differing))))
        break
    found = [cause for cause in causes if cause.verified] or causes
    return next(iter(found), Cause("the optimizers update differently", False, "optimizer"))


def _mixed(own: dict[str, Any], other: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the other's settings with one of the own, and the own way of adding eps."""
    return other | {key: own[key] for key in (name, "eps_inside") if key in own}


def _words(name: str, own: dict[str, Any], other: dict[str, Any], weight: str) -> str:
    if name == "decay":
        words = {"coupled": "added to the gradient (Adam)", "decoupled": "applied to the weight (AdamW)"}
        return f"the weight decay is {words[own[name]]} and {words[other[name]]}"
    if name == "schedule":
        return f"the learning rate is {own[name]} and {other[name]}"
    if name == "family":
        return f"the optimizers are {own[name]} and {other[name]}"
    hint = ""
    if name == "weight_decay" and 0 in (own[name], other[name]):
        hint = f" for '{weight}'; MindSpore spares 'beta' and 'gamma' without groups"
    values = [str(v[name]) if isinstance(v[name], bool) else f"{v[name]:g}" for v in (own, other)]
    return f"{_NAMES[name]} is {values[0]} and {values[1]}{hint}"


def known_difference(optimizers: tuple[Any, Any], entry: Entry, second: Trained, step: int) -> float:
    """Return how far apart Adam of MindSpore and of torch are with equal settings.

    MindSpore adds eps before it corrects the bias of the second moment, torch after.
    """
    settings = settings_of_optimizer(optimizers[1], entry._torch.holder)
    own = settings_of_optimizer(optimizers[0], entry._cell.holder)
    if "eps_inside" not in own or own["eps_inside"] == settings.get("eps_inside", own["eps_inside"]):
        return 0.0
    start = entry.of_torch(entry._torch.tensor).double()
    gradients = gradients_of(entry, second, step)
    trials = [updated(start, gradients, settings | {"eps_inside": inside}) for inside in (True, False)]
    return 0.0 if trials[0] is None or trials[1] is None else spread(trials[0], trials[1])


def gradients_of(entry: Entry, second: Trained, step: int) -> list[torch.Tensor]:
    """Return the second side's gradients of a weight up to a step, in float64."""
    return [entry.of_torch(second.gradients[i][id(entry._torch.holder)]).double() for i in range(step + 1)]


def _close(a: torch.Tensor, b: torch.Tensor, start: torch.Tensor) -> bool:
    """Return whether two updates of the same start agree but for rounding."""
    moved = max(spread(b, start), 1e-30)
    return a.shape == b.shape and spread(a, b) <= 1e-3 * moved + difference(a, a, None, 1).expected / 4


def updated(weight: torch.Tensor, gradients: list[torch.Tensor], settings: dict[str, Any]) -> torch.Tensor | None:
    """Return a weight after steps by the rule of SGD or Adam; None for other rules."""
    weight, family, lr = weight.clone(), settings["family"], settings["lr"]
    first, second, largest = (torch.zeros_like(weight) for _ in range(3))
    for t, gradient in enumerate(gradients, 1):
        decay = settings["weight_decay"]
        if settings["decay"] == "coupled":
            gradient = gradient + decay * weight
        elif decay:
            weight = weight - lr * decay * weight
        if family == "SGD":
            momentum = settings["momentum"]
            if momentum:
                first = gradient.clone() if t == 1 else momentum * first + (1 - settings["dampening"]) * gradient
                gradient = gradient + momentum * first if settings["nesterov"] else first
            weight = weight - lr * gradient
        elif family == "Adam":
            beta1, beta2 = settings["beta1"], settings["beta2"]
            first = beta1 * first + (1 - beta1) * gradient
            second = beta2 * second + (1 - beta2) * gradient**2
            largest = torch.maximum(largest, second)
            used = largest if settings["amsgrad"] else second
            step = first
            mean, root = (1 - beta1**t, (1 - beta2**t) ** 0.5) if settings["corrected"] else (1.0, 1.0)
            if settings["eps_inside"]:  # MindSpore adds eps before the correction of the root
                weight = weight - lr * root / mean * step / (used.sqrt() + settings["eps"])
            else:
                weight = weight - lr / mean * step / (used.sqrt() / root + settings["eps"])
        else:
            return None
    return weight


def settings_of_optimizer(optimizer: Any, parameter: Any) -> dict[str, Any]:
    """Return the settings of an optimizer for a parameter, under one name for both frameworks."""
    try:
        if hasattr(optimizer, "param_groups"):  # torch's, `mint`'s and `experimental`'s
            return _of_torch(optimizer, parameter)
        return _of_cell(optimizer, parameter) if isinstance(optimizer, Cell) else {}
    except (AttributeError, KeyError, TypeError, ValueError):  # an optimizer of the user's
        return {}


def _of_torch(optimizer: Any, parameter: Any) -> dict[str, Any]:
    group: dict[str, Any] = next((g for g in optimizer.param_groups if any(p is parameter for p in g["params"])), {})
    name = type(optimizer).__name__
    found: dict[str, Any] = {"lr": _number(group.get("lr", 0.0)), "weight_decay": float(group.get("weight_decay", 0.0))}
    found["schedule"] = "constant"
    decoupled = name in ("AdamW", "FusedAdamW") or group.get("decoupled_weight_decay", False)
    found["decay"] = "decoupled" if decoupled else "coupled"
    if name in ("Adam", "AdamW", "FusedAdamW"):
        beta1, beta2 = group["betas"]
        return found | {
            "family": "Adam", "beta1": float(beta1), "beta2": float(beta2), "eps": group["eps"],
            "amsgrad": group["amsgrad"], "corrected": True, "eps_inside": isinstance(optimizer, Adam),
        }  # fmt: skip
    if name == "SGD":
        return found | {key: group[key] for key in ("momentum", "dampening", "nesterov")} | {"family": "SGD"}
    return found | {"family": name.lower()}


def _of_cell(optimizer: Any, parameter: Any) -> dict[str, Any]:
    index = next((i for i, p in enumerate(optimizer.parameters) if p is parameter), 0)
    name = type(optimizer).__name__
    decay = optimizer.weight_decay
    if optimizer.is_group:
        decay = decay[index]
    flags = getattr(optimizer, "decay_flags", True)
    decays = flags[index] if isinstance(flags, (tuple, list)) else flags
    found = {"lr": _rate(optimizer, index), "weight_decay": _number(decay) if decays else 0.0, "decay": "coupled"}
    found["schedule"] = type(optimizer.learning_rate).__name__ if optimizer.dynamic_lr else "constant"
    if name in ("Adam", "LazyAdam", "AdamOffload", "AdamWeightDecay"):
        weight_decay = name == "AdamWeightDecay"
        found["decay"] = "decoupled" if weight_decay else "coupled"
        return found | {
            "family": "Adam", "beta1": _number(optimizer.beta1), "beta2": _number(optimizer.beta2),
            "eps": _number(optimizer.eps), "amsgrad": getattr(optimizer, "use_amsgrad", False),
            "corrected": not weight_decay, "eps_inside": not weight_decay,
        }  # fmt: skip
    if name in ("SGD", "Momentum"):
        return found | {
            "family": "SGD", "momentum": _number(optimizer.momentum),
            "dampening": _number(getattr(optimizer, "dampening", 0.0)),
            "nesterov": getattr(optimizer, "nesterov", getattr(optimizer, "use_nesterov", False)),
        }  # fmt: skip
    return found | {"family": name.lower()}


def _rate(optimizer: Any, index: int) -> float:
    rate = optimizer.get_lr()
    return _number(rate[index] if isinstance(rate, tuple) else rate)


def _number(value: Any) -> float:
    return float(value.asnumpy().reshape(-1)[0]) if hasattr(value, "asnumpy") else float(value)
