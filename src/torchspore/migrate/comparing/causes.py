"""Why a layer diverges: suspicions, each checked by changing it and running the layer again."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from torchspore.migrate.comparing.alignment import kind
from torchspore.migrate.comparing.calls import Call
from torchspore.migrate.comparing.networks import Network, hold
from torchspore.migrate.comparing.rounding import difference, largest, spread, unit
from torchspore.migrate.comparing.settings import alternatives, can_set, changed, settings_of
from torchspore.migrate.comparing.values import copied, inner, replaced, tensors

__all__ = ["Case", "Cause", "find", "in_words", "is_same"]

_TRIED = 40  # layers inside of one
# Changing a setting to the right value may leave more than the rounding of one computation.
_MARGIN = 16.0

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "ReLU": F.relu, "GELU": F.gelu, "GELU (tanh)": lambda x: F.gelu(x, approximate="tanh"), "Sigmoid": torch.sigmoid,
    "Tanh": torch.tanh, "SiLU": F.silu, "Softmax over the last axis": lambda x: F.softmax(x, -1), "ReLU6": F.relu6,
    "LeakyReLU (0.01)": F.leaky_relu, "Hardswish": F.hardswish, "ELU": F.elu, "exp": torch.exp, "Softplus": F.softplus,
    "LogSoftmax over the last axis": lambda x: F.log_softmax(x, -1), "negation": torch.neg,
    "the factor 255": lambda x: x * 255, "the factor 1/255": lambda x: x / 255, "LeakyReLU (0.2)":
    lambda x: F.leaky_relu(x, 0.2), "Softmax over axis 1": lambda x: F.softmax(x, 1) if x.dim() > 1 else x,
}  # fmt: skip


@dataclass(frozen=True)
class Cause:
    """Why a layer diverges.

    Attributes:
        text: in words.
        verified: whether the sides agreed when the layer ran again with the suspicion changed.
        setting: the name of the setting, such as "eps"; or "weights", "inputs", "operation", "dtype", "error".
    """

    text: str
    verified: bool
    setting: str = ""

    def __str__(self) -> str:
        return self.text if self.verified else f"possible: {self.text}"


@dataclass
class Case:
    """A pair of diverging calls: what is known of them.

    Attributes:
        first, second: the sides; the second is None for a dump.
        a, b: the calls.
        args, kwargs: what the first side's layer received.
        second_args, second_kwargs: what the second's received, if it can run.
        output: what the second side returned.
        first_output: what the first side returned.
        weights: pairs of holders of values that correspond, of this layer, as the first side holds them.
        inputs_differ: whether the inputs diverge.
        is_own: whether the layer has no aligned layers inside, so that it can run alone.
        alone: names of the layers that only one side has, between the previous aligned call and this.
        second_inputs: the tensors that the second's layer received.
    """

    first: Network
    second: Network | None
    a: Call
    b: Call
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    second_args: tuple[Any, ...]
    second_kwargs: dict[str, Any]
    output: list[torch.Tensor]
    first_output: list[torch.Tensor]
    weights: list[tuple[Any, torch.Tensor]]
    inputs_differ: bool
    is_own: bool
    alone: list[str]
    second_inputs: list[torch.Tensor]

    def run(self, args: Any = None) -> list[torch.Tensor] | None:
        """Run the first side's layer again; None if that fails."""
        return _output(self.a.layer, self.args if args is None else args, self.kwargs)

    def agrees(self, output: list[torch.Tensor] | None, expected: list[torch.Tensor] | None = None) -> bool:
        """Return whether an output equals the second side's, except for rounding."""
        expected = self.output if expected is None else expected
        return output is not None and len(output) == len(expected) and all(map(_near, output, expected))


def _near(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape:
        return False
    found = difference(a, b, terms=max(a.numel(), 16) / max(a.numel(), 1))
    eps = max(unit(a.dtype), unit(b.dtype))
    return found.absolute <= max(found.expected, _MARGIN * eps * largest(b))


def _near_in_lower(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Return whether two tensors agree but for rounding in the lower of their dtypes."""
    eps = max(unit(a.dtype), unit(b.dtype))
    return a.shape == b.shape and spread(a, b) <= _MARGIN * eps * largest(b)


def _output(layer: Any, args: Any, kwargs: dict[str, Any]) -> list[torch.Tensor] | None:
    try:
        with torch.no_grad():
            return [tensor.detach() for tensor in tensors(layer(*copied(args), **copied(kwargs)))]
    except Exception:  # the suspicion was wrong: the layer cannot run like this
        return None


def find(case: Case) -> Cause:
    """Return the cause of a divergence: the first suspicion that a run confirms, else the likeliest."""
    possible: list[Cause] = []
    for search in _SEARCHES:
        for cause in search(case):
            if cause.verified:
                return cause
            possible.append(cause)
    return possible[0] if possible else Cause("not found: the same inputs, weights and settings", False)


def _inputs(case: Case) -> Iterator[Cause]:
    """Inputs that a function or a permutation turns into the other side's."""
    if not case.inputs_differ:
        return
    alone = ", ".join(case.alone)
    own, other = tensors((case.args, case.kwargs)), case.second_inputs
    if len(own) == len(other) and _names(own) != _names(other):
        near = all(_near_in_lower(a, b) for a, b in zip(own, other))
        yield Cause(
            f"the inputs have the dtypes {_names(own)} and {_names(other)}", near and _is_rounding(case), "dtype"
        )
    for x, y in itertools.islice(zip(own, _beside(other, own)), 4):
        for words, value in _transformations(x, y):
            if not _near(value, y):
                continue
            others = [value if t is x else t for t in own]
            new_args, _ = replaced((case.args, case.kwargs), others), None
            if not case.output or case.agrees(_output(case.a.layer, *new_args)) or not case.is_own:
                yield Cause(f"{words} before this layer{f' ({alone})' if alone else ''}", True, "inputs")
    if alone:
        yield Cause(f"different inputs: before this layer {alone}", False, "inputs")
    parent = "the network" if case.a.parent is None or not case.a.parent.name else f"'{case.a.parent.name}'"
    yield Cause(f"different inputs: an operation of {parent} before this layer differs", False, "inputs")


def _transformations(x: torch.Tensor, y: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """Return how `x` may become `y`, with the result."""
    if x.is_floating_point():
        for name, function in FUNCTIONS.items():
            if x.shape == y.shape:
                yield f"the first side lacks {name}", function(x)
                if _near(function(y), x):
                    yield f"the second side lacks {name}", y
    if x.dim() == y.dim() and 1 < x.dim() <= 5 and sorted(x.shape) == sorted(y.shape):
        for order in itertools.permutations(range(x.dim())):
            if order != tuple(range(x.dim())) and tuple(x.permute(order).shape) == tuple(y.shape):
                layout = " (NHWC instead of NCHW)" if order == (0, 3, 1, 2) else ""
                yield f"the axes are in another order, {order}{layout},", x.permute(order).contiguous()
    if x.is_floating_point() and x.shape == y.shape and x.numel():
        ratio = float(y.abs().double().sum() / x.abs().double().sum().clamp_min(1e-300))
        if ratio and abs(ratio - 1) > 1e-4:
            yield f"the values differ by the factor {ratio:.6g}", (x.double() * ratio).to(x.dtype)
        shift = float((y.double() - x.double()).mean())
        if abs(shift) > _MARGIN * max(unit(x.dtype), unit(y.dtype)) * largest(y):
            yield f"the values differ by the constant {shift:.6g}", (x.double() + shift).to(x.dtype)


def _beside(values: list[torch.Tensor], others: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return values on the devices of their counterparts."""
    return [value.to(other.device) for value, other in zip(values, others)]


def _names(values: list[torch.Tensor]) -> str:
    return ", ".join(str(value.dtype).removeprefix("torch.") for value in values)


def _weights(case: Case) -> Iterator[Cause]:
    """Weights that are not the same: not copied, transposed, or with gates in another order."""
    if not case.is_own or case.inputs_differ:
        return
    names = []
    own = list(_own_weights(case.a.layer))
    yield from _rearranged(case, own)
    pairs = {id(holder): value for holder, value in case.weights}
    other = dict(_own_weights(case.b.layer)) if case.b.layer is not None else {}
    unmatched = [value for value in other.values() if not any(value is v for v in pairs.values())]
    with contextlib.ExitStack() as stack:
        for name, holder in own:
            value = inner(holder).detach()
            expected = pairs.get(id(holder))
            if expected is None:
                fits = [v for v in unmatched if v.numel() == value.numel()]
                if not fits:
                    continue
                expected = fits[0].detach().reshape(value.shape)
            if expected.shape != value.shape or (spread(value, expected) > 4 * unit(value.dtype) * largest(expected)):
                names.append(name)
                if expected.shape == value.shape:
                    stack.enter_context(_held(holder, expected))
        if names and case.agrees(case.run()):
            yield Cause(f"the weights differ ({', '.join(names)}): they were not copied, or not found", True, "weights")
        elif names:
            yield Cause(f"the weights differ ({', '.join(names)})", False, "weights")


def _rearranged(case: Case, own: list[tuple[str, Any]]) -> Iterator[Cause]:
    """Weights that agree after a transposition, or another order of gates."""
    for name, holder in own:
        value = inner(holder).detach()
        if value.dim() == 2 and value.shape[0] == value.shape[1]:
            with _held(holder, value.T.contiguous()):
                if case.agrees(case.run()):
                    yield Cause(f"the weight '{name}' is transposed", True, "weights")
    gates = {"LSTM": 4, "GRU": 3, "LSTMCell": 4, "GRUCell": 3}.get(kind(case.a.kind))
    if gates is None:
        return
    for order in itertools.permutations(range(gates)):
        if order != tuple(range(gates)):
            with contextlib.ExitStack() as stack:
                for _, holder in own:
                    value = inner(holder).detach()
                    if value.shape and value.shape[0] % gates == 0:
                        parts = value.chunk(gates)
                        stack.enter_context(_held(holder, torch.cat([parts[i] for i in order])))
                if case.agrees(case.run()):
                    yield Cause(f"the gates are in another order, {order}, in the weights", True, "weights")


def _own_weights(layer: Any) -> Iterator[tuple[str, Any]]:
    registries = ("_params", "_buffers") if hasattr(layer, "_params") else ("_parameters", "_buffers")
    for registry in registries:
        for name, holder in getattr(layer, registry, {}).items():
            if holder is not None and inner(holder).is_floating_point():
                yield name, holder


@contextlib.contextmanager
def _held(holder: Any, value: torch.Tensor) -> Iterator[None]:
    """Let a holder have another value in the block."""
    old = inner(holder) if hasattr(holder, "_t") else holder.data
    hold(holder, value.to(old.device, old.dtype))
    try:
        yield
    finally:
        hold(holder, old)


def _settings(case: Case) -> Iterator[Cause]:
    """Settings that differ."""
    if case.inputs_differ:
        return
    own, other = settings_of(case.a.layer), _other_settings(case)
    differing = {name: other[name] for name in own if name in other and not is_same(own[name], other[name])}
    for name, value in differing.items():
        text = in_words(name, own[name], value)
        yield Cause(text, _solves(case, {name: value}, {name: own[name]}), name)
    if len(differing) > 1 and _solves(case, differing, {name: own[name] for name in differing}):
        text = "; ".join(in_words(name, own[name], value) for name, value in differing.items())
        yield Cause(text, True, ", ".join(differing))


def _other_settings(case: Case) -> dict[str, Any]:
    return settings_of(case.b.layer) if case.b.layer is not None else dict(case.b.settings or {})


def _solves(case: Case, new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Return whether the sides agree when the layers run again with the same settings.

    The first side's layer gets the second's; what cannot be set there is set on the second's layer instead.
    """
    here = {name: value for name, value in new.items() if can_set(case.a.layer, name, value)}
    there = {name: old[name] for name in new if name not in here}
    if there and (case.b.layer is None or not all(can_set(case.b.layer, n, v) for n, v in there.items())):
        return False
    with changed(case.a.layer, here), changed(case.b.layer, there):
        output = case.run() if here else case.first_output
        expected = _output(case.b.layer, case.second_args, case.second_kwargs) if there else case.output
        return expected is not None and case.agrees(output, expected)


def is_same(a: Any, b: Any) -> bool:
    """Return whether two values of a setting are the same."""
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(b, (int, float)) and isinstance(a, (int, float)) and abs(a - b) <= 1e-6 * max(abs(a), abs(b))
    return bool(a == b)


def in_words(name: str, own: Any, other: Any) -> str:
    """Return how a setting differs."""
    if name == "training":
        modes = {True: "in training", False: "in evaluation"}
        return f"the first side's layer is {modes[bool(own)]}, the second's {modes[bool(other)]}"
    if name == "p":
        hint = "; MindSpore's keep_prob is 1 - p" if abs(own + other - 1) < 1e-6 else ""
        return f"the rate p is {own:g} and {other:g}{hint}"
    if name == "momentum" and isinstance(own, float) and isinstance(other, float):
        hint = "; MindSpore's momentum is 1 - torch's" if abs(own + other - 1) < 1e-6 else ""
        return f"the momentum is {own:g} and {other:g} in torch's convention{hint}"
    if name == "padding":
        hint = "; Conv2d of MindSpore has pad_mode='same' by default" if own == "same" else ""
        return f"the padding is {own} and {other}{hint}"
    return f"'{name}' is {own!r} and {other!r}"


def _alternatives(case: Case) -> Iterator[Cause]:
    """Common values of settings, where the other layer does not say its own."""
    if case.inputs_differ or not case.is_own:
        return
    known = _other_settings(case)
    for path, layer in itertools.islice(case.first.inside(case.a.layer), _TRIED):
        own = settings_of(layer)
        for name, value in alternatives(layer):
            if (name not in known or path) and can_set(layer, name, value):
                with changed(layer, {name: value}):
                    agrees = case.agrees(case.run())
                if agrees:
                    where = f" of '{path}'" if path else ""
                    yield Cause(f"{in_words(name, own[name], value)}{where} would agree", True, name)


def _precision(case: Case) -> Iterator[Cause]:
    """Another dtype of the output, of the weights or of the computation."""
    if case.inputs_differ:
        return
    own, other = _names(case.first_output), _names(case.output)
    precision = getattr(case.a.layer, "_precision", None)
    if own != other:
        yield Cause(f"the dtype is {own} and {other}", _is_rounding(case), "dtype")
    elif precision is not None:
        yield Cause("the first side's layer computes in another dtype (to_float or amp)", _is_rounding(case), "dtype")
    elif case.is_own and case.a.layer is not None:
        for dtype in (torch.float16, torch.bfloat16):
            low = [t.to(dtype).to(t.dtype) if t.is_floating_point() else t for t in case.output]
            if case.first_output and case.agrees(low, case.first_output):
                yield Cause(f"the first side rounds to {dtype}".replace("torch.", ""), True, "dtype")


def _is_rounding(case: Case) -> bool:
    """Return whether the distance comes from rounding in the lower of the dtypes."""
    return all(
        a.shape == b.shape and spread(a, b) <= _MARGIN * 4 * max(unit(a.dtype), unit(torch.float16)) * largest(b)
        for a, b in zip(case.first_output, case.output)
    )


def _operations(case: Case) -> Iterator[Cause]:
    """A function that turns one output into the other."""
    if case.inputs_differ or len(case.first_output) != len(case.output):
        return
    for x, y in zip(case.first_output, _beside(case.output, case.first_output)):
        if x.shape == y.shape and _near(x, y):
            continue
        for words, value in _transformations(x, y):
            if _near(value, y) and (value is y or _near(value.to(y.dtype), y)):
                if x.numel() == 1 and words.startswith("the values differ by the constant"):
                    continue
                if x.numel() == 1 and words.startswith("the values differ by the factor"):
                    yield from _reduction(case, float(y / x))
                    continue
                yield Cause(f"{words} at the end of this layer", True, "operation")


def _reduction(case: Case, ratio: float) -> Iterator[Cause]:
    """A loss that is a sum on one side and a mean on the other."""
    sizes = {n for t in tensors((case.args, case.kwargs)) for n in (t.numel(), *t.shape)}
    for size in sizes:
        for factor, words in ((float(size), "a mean and a sum"), (1.0 / max(size, 1), "a sum and a mean")):
            if size > 1 and abs(ratio / factor - 1) < 1e-4:
                yield Cause(f"the losses differ by the factor {size}: {words}", True, "reduction")


def _types(case: Case) -> Iterator[Cause]:
    """Layers of different types."""
    if kind(case.a.kind) == kind(case.b.kind) or not case.is_own or case.inputs_differ:
        return
    text = f"the layers are of different types, {case.a.kind} and {case.b.kind}"
    if not (_is_published(case.a.layer) and _is_published(case.b.layer)) or list(_own_weights(case.b.layer)):
        yield Cause(text, False, "type")
        return
    arguments = replaced((case.second_args, case.second_kwargs), tensors((case.args, case.kwargs)))
    yield Cause(text, case.agrees(_output(case.b.layer, *arguments)), "type")


def _is_published(layer: Any) -> bool:
    """Return whether a layer is one of the framework, and not a network of the user's."""
    return hasattr(layer, "training") and type(layer).__module__.startswith(("torch.", "torchspore."))


def _alone(case: Case) -> Iterator[Cause]:
    if case.alone:
        yield Cause(f"different layers: {', '.join(case.alone)}", False, "layers")
    elif not case.is_own:
        yield Cause("an operation of this layer, outside of the layers inside it, differs", False, "operation")


_SEARCHES = (_inputs, _settings, _weights, _precision, _types, _alternatives, _operations, _alone)
