"""Loading parameters into a network."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Mapping
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.parameters import Rule, checked
from torchspore.nn.cell import Cell

__all__ = ["load_param_into_net"]

_log = logging.getLogger(__name__)

_API = "load_param_into_net"
_SHOWN = 5
_COMPARED = 2000

_WHOLE_FILES = Rule(
    "remove_redundancy=True is not supported: load complete files",
    lambda remove_redundancy: not remove_redundancy,
    TypeError,
)
# Kinds of data types within which values are converted unless the loading is strict.
_CONVERTIBLE = (mstype.float_type, mstype.int_type)


@checked(_WHOLE_FILES)
def load_param_into_net(
    net: Cell,
    parameter_dict: Mapping[str, Tensor | str],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Set the parameters of a network to the values of the same names.

    Everything is checked before the first parameter changes. Names that are not found are logged as a warning, with
    similar names.

    Args:
        net: a Cell, also an optimizer or a training step.
        parameter_dict: parameters, or tensors, by name, as `load_checkpoint` returns them; strings are ignored.
        strict_load: whether data types and names must be equal. Otherwise floating-point types are converted to each
            other, as are integers, and a parameter without a value gets the one of the same shape and name after a
            prefix, such as "backbone.fc.weight" for "fc.weight"; prefixes of names that also exist without them, such
            as an optimizer's "moments.", do not count. Default: False.
        remove_redundancy: False; there is only one device. Default: False.

    Returns:
        The names of parameters of `net` that were not loaded, and those in `parameter_dict` that are not names of
        loaded parameters, also if they were used after a prefix.

    Raises:
        RuntimeError: shapes or data types do not match.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> ms.load_param_into_net(net, {"bias": ms.Parameter(ms.Tensor([5.0]))})
        (['weight'], [])
        >>> print(net.bias.asnumpy())
        [5.]
    """
    values = _tensors(parameter_dict)
    parameters = list(net.get_parameters())
    found = {parameter.name: parameter.name for parameter in parameters if parameter.name in values}
    if not strict_load:
        found |= _prefixed_names([p for p in parameters if p.name not in found], values)
    matches = [(parameter, found[parameter.name]) for parameter in parameters if parameter.name in found]
    problems = [_mismatch(parameter, name, values[name], strict_load) for parameter, name in matches]
    _raise([problem for problem in problems if problem])
    own = {id(parameter) for parameter in parameters}  # they may be among the values, under other names
    sources = [values[name]._t.clone() if id(values[name]) in own else values[name]._t for _, name in matches]
    for (parameter, _), source in zip(matches, sources):
        parameter.set_data(wrap(source.reshape(parameter.shape)))
    missing = list(dict.fromkeys(parameter.name for parameter in parameters if parameter.name not in found))
    used = set(found.values())
    _report(found, missing, [name for name in parameter_dict if name not in used])
    return missing, [name for name in parameter_dict if found.get(name) != name]


def _tensors(parameter_dict: Mapping[str, Tensor | str]) -> dict[str, Tensor]:
    """Return the tensors of the dictionary."""
    tensors = {name: value for name, value in parameter_dict.items() if isinstance(value, Tensor)}
    for tensor in tensors.values():
        if tensor.has_init:
            tensor.init_data()
    return tensors


def _prefixed_names(parameters: list[Parameter], values: dict[str, Tensor]) -> dict[str, str]:
    """Return for each parameter the first name that is its own after a prefix."""
    by_ending: dict[str, list[str]] = {}
    shadowed = set()
    for name in values:
        parts = name.split(".")
        for i in range(1, len(parts)):
            ending = ".".join(parts[i:])
            by_ending.setdefault(ending, []).append(name)
            if ending in values:
                shadowed.add(name[: -len(ending)])
    result = {}
    for parameter in parameters:
        for name in by_ending.get(parameter.name, ()):
            if name[: -len(parameter.name)] not in shadowed and values[name].shape == parameter.shape:
                result[parameter.name] = name
                break
    return result


def _mismatch(parameter: Parameter, name: str, value: Tensor, strict: bool) -> str:
    """Return a description of what does not match, or ""."""
    is_old_scalar = value.shape == (1,) and parameter.shape == ()  # as earlier versions of MindSpore saved scalars
    if value.shape != parameter.shape and not is_old_scalar:
        return f"'{name}' has the shape {value.shape}, but {parameter.shape} in the network"
    if value.dtype is parameter.dtype:
        return ""
    if not strict and any(value.dtype in kind and parameter.dtype in kind for kind in _CONVERTIBLE):
        return ""
    return f"'{name}' has the data type {value.dtype}, but {parameter.dtype} in the network"


def _raise(problems: list[str]) -> None:
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise RuntimeError(
            f"For '{_API}', nothing was loaded, because values do not match: {'; '.join(problems[:_SHOWN])}{more}. "
            "Remove these names from 'parameter_dict', or build the network with the sizes and types of the checkpoint."
        )


def _report(found: dict[str, str], missing: list[str], unused: list[str]) -> None:
    renamed = [f"'{name}' from '{source}'" for name, source in found.items() if source != name]
    if renamed:
        _log.warning("%s: %d parameters were loaded from names with a prefix: %s", _API, len(renamed), _few(renamed))
    if missing:
        hints = [_with_hint(name, unused[:_COMPARED]) for name in missing[:_SHOWN]]
        hints += [f"'{name}'" for name in missing[_SHOWN:]]
        _log.warning("%s: %d parameters of the network were not loaded: %s", _API, len(missing), _few(hints))


def _with_hint(name: str, others: list[str]) -> str:
    matches = difflib.get_close_matches(name, others, n=1)
    return f"'{name}' (close: '{matches[0]}')" if matches else f"'{name}'"


def _few(texts: list[str]) -> str:
    return ", ".join(texts[:_SHOWN]) + (", ..." if len(texts) > _SHOWN else "")


# Private functions of MindSpore that packages import


def _update_param(param: Parameter, new_param: Tensor, strict_load: bool) -> None:
    problem = _mismatch(param, param.name, new_param, strict_load)
    _raise([problem] if problem else [])
    param.set_data(wrap(new_param._t.reshape(param.shape)))


def _load_dismatch_prefix_params(
    net: Cell, parameter_dict: dict[str, Any], param_not_load: list[str], strict_load: bool
) -> None:
    values = _tensors(parameter_dict)
    parameters = {parameter.name: parameter for parameter in net.get_parameters() if parameter.name in param_not_load}
    for name, source in _prefixed_names(list(parameters.values()), values).items():
        _update_param(parameters[name], values[source], strict_load)
        param_not_load.remove(name)
