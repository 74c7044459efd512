"""The objects behind the names of the table, and their signatures.

Python does not know the signatures of torch's C functions; they are in torch's stub files, with all overloads, or in
the first line of their docstrings.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

__all__ = ["find", "parameters", "signatures"]

_STUBS = Path(torch.__file__).parent / "_C"


def find(name: str) -> Any:
    """Return the object of a full name in PyTorch or MindSpore, whose names TorchSpore has.

    Raises:
        AttributeError, ImportError: there is none.
    """
    first, *rest = name.split(".")
    found: Any = importlib.import_module("torchspore" if first == "mindspore" else first)
    for part in rest:
        try:
            found = getattr(found, part)
        except AttributeError:
            if not inspect.ismodule(found):
                raise
            found = importlib.import_module(f"{found.__name__}.{part}")
    return found


@functools.cache
def signatures(name: str) -> tuple[inspect.Signature, ...]:
    """Return the signatures of a callable by its full name: one for each overload, without `self`; () if unknown."""
    try:
        found = find(name)
    except ModuleNotFoundError as missing:
        if missing.name != name.partition(".")[0]:
            raise
        return ()  # torchvision is not installed
    is_method = inspect.isclass(find(name.rpartition(".")[0]))
    known: tuple[inspect.Signature, ...] = ()
    if name.startswith("mindspore.") or not inspect.isbuiltin(found):
        with suppress(TypeError, ValueError):
            known = (inspect.signature(found),)
    if name.startswith("torch.") and (not known or _says_nothing(known[0])):
        known = (_from_docstring(found) if inspect.isclass(found) else _of_torch(name, found)) or known
    if is_method:
        return tuple(_without_first(signature, name.startswith("torch.")) for signature in known)
    return known


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a callable by their names, over all overloads.

    A parameter that has a default, or is missing, in one overload is not required: its default is None there.
    """
    overloads = [signature.parameters for signature in signatures(name)]
    merged: dict[str, inspect.Parameter] = {}
    for key, parameter in ((key, overload[key]) for overload in overloads for key in overload):
        known = merged.setdefault(key, parameter)
        if known.default is known.empty:
            merged[key] = parameter
    for key, parameter in merged.items():
        named = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if named and parameter.default is parameter.empty and not all(key in overload for overload in overloads):
            merged[key] = parameter.replace(default=None)
    return merged


def _of_torch(name: str, found: Any) -> tuple[inspect.Signature, ...]:
    """Return the signatures of a function of torch that Python does not know."""
    if inspect.isfunction(found):  # two functions behind one name, with and without indices
        chosen = inspect.getclosurevars(found).nonlocals.get("if_true")
        if chosen is not None:
            known = inspect.signature(chosen)
            return _of_torch(name, chosen) if _says_nothing(known) else (known,)
    stubs = _from_stubs(name)
    complete = stubs and not any(p.default is ... for signature in stubs for p in signature.parameters.values())
    return stubs if complete else _from_docstring(found) or stubs


def _says_nothing(signature: inspect.Signature) -> bool:
    """Return whether a signature is only `(*args, **kwargs)`, perhaps after `self`."""
    named = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return len(named) < len(signature.parameters) and not [p for p in named if p.name != "self"]


def _without_first(signature: inspect.Signature, only_self: bool) -> inspect.Signature:
    """Return the signature of a method without its tensor, which TorchSpore's operations call `input`."""
    kept = list(signature.parameters.values())
    has_self = (
        bool(kept)
        and kept[0].kind in (kept[0].POSITIONAL_ONLY, kept[0].POSITIONAL_OR_KEYWORD)
        and (kept[0].name == "self" or not only_self)
    )
    return signature.replace(parameters=kept[1:] if has_self else kept)


@functools.cache
def _stub(file: str) -> dict[str, list[ast.FunctionDef]]:
    """Return the functions of one of torch's stub files, and the methods of its tensors, by name."""
    path = _STUBS / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module([], [])
    bodies = [tree.body] if file != "__init__.pyi" else [
        node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "TensorBase"]  # fmt: skip
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in (node for body in bodies for node in body if isinstance(node, ast.FunctionDef)):
        found.setdefault(node.name, []).append(node)
    return found


def _from_stubs(name: str) -> tuple[inspect.Signature, ...]:
    package, _, last = name.rpartition(".")
    if package == "torch.Tensor":
        overloads = _stub("__init__.pyi").get(last, [])
    elif package not in ("torch", "torch.nn.functional"):
        return ()
    else:
        nodes = _stub("_VariableFunctions.pyi").get(last) or _stub("_nn.pyi").get(last, [])
        overloads = [node for node in nodes if "self" not in [argument.arg for argument in node.args.args]] or nodes
    found = [_signature(node.args) for node in overloads]
    return tuple(sorted(found, key=lambda each: "other" in each.parameters))  # max(x, 1) is of a dimension


def _from_docstring(found: Any) -> tuple[inspect.Signature, ...]:
    """Return the signature that the first line of a docstring shows, as in "norm(input, p=2) -> Tensor"."""
    for line in str(found.__doc__ or "").strip().splitlines()[:1]:
        call = line.partition("->")[0].strip()
        with suppress(SyntaxError):
            node = ast.parse(f"def {call[call.rfind('.', 0, call.find('(')) + 1 :]}: ...").body[0]
            if isinstance(node, ast.FunctionDef):
                return (_signature(node.args),)
    return ()


def _signature(arguments: ast.arguments) -> inspect.Signature:
    return inspect.Signature(list(_parameters(arguments)))


def _parameters(arguments: ast.arguments) -> Iterator[inspect.Parameter]:
    positional = arguments.posonlyargs + arguments.args
    defaults: list[Any] = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    for argument, default in zip(positional, defaults, strict=True):
        yield _parameter(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, default)
    if arguments.vararg:
        yield _parameter(arguments.vararg, inspect.Parameter.VAR_POSITIONAL, None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, inspect.Parameter.KEYWORD_ONLY, default)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, inspect.Parameter.VAR_KEYWORD, None)


def _parameter(argument: ast.arg, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    value: Any = inspect.Parameter.empty
    if default is not None:
        try:
            value = ast.literal_eval(default)
        except ValueError:  # a name, such as torch.strided
            value = ast.unparse(default)
    return inspect.Parameter(argument.arg, kind, default=value)
