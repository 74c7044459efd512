"""Random calls of the public operations, as expressions over the names of `cases.namespace`.

One half is written from signatures: each parameter gets a value that its annotation and name suggest. The other half
are recorded cases with some of their arguments replaced, which keeps calls of operations with many conditions valid.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import cases

DTYPES = (
    "float32", "float32", "float32", "float32", "float32", "float32", "float16", "float64", "bfloat16", "int8",
    "int16", "int32", "int32", "int64",
    "int64", "uint8", "uint16", "uint32", "uint64", "bool", "bool", "complex64", "complex128",
)  # fmt: skip
SHAPES = ((), (0,), (0, 3), (1,), (3,), (4,), (2, 3), (3, 3), (2, 3), (3, 1), (2, 3, 4), (1, 2, 2), (2, 1, 3, 2))
KINDS = ("plain", "plain", "plain", "plain", "unit", "unit", "index", "index", "zero", "extreme")
INTS = ("0", "1", "2", "3", "-1", "-2", "5")
FLOATS = ("0.5", "1.0", "-1.5", "0.0", "2", "1e-6", "float('nan')", "float('inf')", "True")
NUMBERS = (*INTS, "0.5", "-2.5", "True", "False", "1.5")
WRONG = ("None", "'a'", "1.5", "[]", "(1, 2)", "True", "2**70", "np.ones(3, np.float32)", "[1, 2, 3]")
AXES = ("0", "1", "-1", "-1", "0", "-2", "2", "(0, 1)", "(-1,)", "()", "[0]", "None")
WORDS = (
    "'mean'", "'sum'", "'none'", "'reflect'", "'constant'", "'valid'", "'same'", "'floor'", "'trunc'", "'ij'", "'xy'",
    "'fro'", "'nearest'", "'linear'", "'left'", "'right'", "'tanh'", "'max'", "'clip'", "'wrap'", "'raise'",
)  # fmt: skip

# Modules whose operations talk to other processes, write files, call functions or belong to Python alone.
_APART = (
    "ops.array.assignment", "ops.array.memory", "ops.array.properties", "ops.compat", "ops.control",
    "ops.distributed", "ops.experts.exchange", "ops.losses.cell_losses", "ops.math.taylor", "ops.updates.primitives",
    "engine.gradients.custom", "engine.gradients.differentiate", "engine.primitive",
    "engine.gradients.transforms", "mint.distributed",
)  # fmt: skip
_APART_NAMES = {
    "asnumpy", "tofile", "__init__", "set_dtype", "dump", "is_tensor", "print_", "Print", "typeof", "isinstance_",
    "assign_value_cpp", "Custom", "init_data", "offload", "requires_grad_", "get_device_manager", "get_grid",
}  # fmt: skip


def is_random(expression: str) -> bool:
    """Return whether an expression draws random numbers, so that two runs agree in shapes and data types alone."""
    words = ("rand", "drop", "normal", "uniform", "bernoulli", "multinomial", "poisson", "gamma", "laplace", "empty",
             "rrelu", "shuffle", "cauchy", "perm", "log_uniform", "candidate", "exponential_", "alpha", "generator",
             "choice")  # fmt: skip
    return any(word in expression.lower() for word in words)


def calls(seed: int, count: int) -> Iterator[str]:
    """Yield random expressions."""
    draw = random.Random(seed)
    targets = list(_targets())
    recorded = _recorded()
    for n in range(count):
        yield mutated(draw, draw.choice(recorded)) if n % 2 else _call(draw, *draw.choice(targets))


def tensor(draw: random.Random, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> str:
    """Return the expression of a tensor; now and then a view that is not contiguous."""
    dtype = dtype or draw.choice(DTYPES)
    shape = draw.choice(SHAPES) if shape is None else shape
    kind = draw.choice(KINDS)
    view = ""
    if len(shape) > 1 and draw.random() < 0.15:
        shape, view = (shape[-1], *shape[1:-1], shape[0]), ".swapaxes(0, -1)"
    elif shape and draw.random() < 0.05:
        shape, view = (2 * shape[0], *shape[1:]), "[::2]"
    return f'made("{dtype}", {shape}{"" if kind == "plain" else f", {kind!r}"}){view}'


def _targets() -> Iterator[tuple[str, str, Any]]:
    """Yield how an operation is written, its kind ("function", "method", "class") and its signature."""
    import torchspore as ms
    from torchspore.common.operations import Operations
    from torchspore.engine.primitive import Primitive

    places = {
        "ops": ms.ops, "mint": ms.mint, "F": ms.mint.nn.functional, "mnp": ms.numpy, "msp.linalg": ms.scipy.linalg,
        "mint.linalg": ms.mint.linalg, "mint.special": ms.mint.special, "mnp.fft": ms.numpy.fft,
    }  # fmt: skip
    for place, module in places.items():
        for name in sorted(set(getattr(module, "__all__", dir(module)))):
            found = getattr(module, name, None)
            if name.startswith("_") or name in _APART_NAMES or not callable(found) or _is_apart(found):
                continue
            if inspect.isclass(found):
                if issubclass(found, Primitive) and found is not Primitive:
                    yield f"{place}.{name}", "class", found
            elif type(found).__name__ in ("function", "method"):
                yield f"{place}.{name}", "function", found
    for name, found in sorted(vars(Operations).items()):
        if callable(found) and name not in _APART_NAMES and not _is_apart(found):
            yield name, "method", found
    for sign in ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "@", "==", "<", ">=") * 4:
        yield sign, "operator", None


def _is_apart(found: Any) -> bool:
    package, _, path = (getattr(found, "__module__", "") or "").partition(".")
    return package != "torchspore" or f"{path}.".startswith(tuple(f"{apart}." for apart in _APART))


def _call(draw: random.Random, name: str, kind: str, found: Any) -> str:
    like = draw.choice(DTYPES), draw.choice(SHAPES)
    if kind == "operator":
        left, right = _operand(draw, like), _operand(draw, like)
        return f"{left} {name} {right}" if "made" in left + right else f"{tensor(draw, *like)} {name} {right}"
    if kind == "class":
        built = _arguments(draw, inspect.signature(found), like, kind)
        return f"{name}({built})({_arguments(draw, inspect.signature(found.__call__), like, 'method')})"
    if kind == "method":
        return f"{tensor(draw, *like)}.{name}({_arguments(draw, inspect.signature(found), like, kind)})"
    return f"{name}({_arguments(draw, inspect.signature(found), like, kind)})"


def _arguments(draw: random.Random, signature: inspect.Signature, like: Any, kind: str) -> str:
    parameters = list(signature.parameters.values())[kind == "method" :]
    parts = []
    by_name = False
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            continue
        if p.default is not p.empty and draw.random() < 0.6:
            by_name = True
            continue
        value = draw.choice(WRONG) if draw.random() < 0.02 else _value(draw, p, like)
        if p.kind is p.VAR_POSITIONAL:
            parts.append(value)
        elif p.kind is p.KEYWORD_ONLY or by_name:
            parts.append(f"{p.name}={value}")
        else:
            parts.append(value)
    return ", ".join(parts)


def _value(draw: random.Random, p: inspect.Parameter, like: Any) -> str:
    annotation = str(p.annotation)
    if annotation in ("Tensor", "_Tensor", "Tensor | None", "<class 'torchspore.common.tensor.Tensor'>"):
        return _like(draw, p.name, like)
    if annotation in ("Operand", "Operand | None"):
        return _operand(draw, like)
    if "list[Tensor]" in annotation or p.name in ("tensors", "arrays", "tup"):
        return f"[{', '.join(_like(draw, p.name, like) for _ in range(draw.randint(1, 3)))}]"
    if annotation == "bool" or isinstance(p.default, bool) or p.name.startswith("keep"):
        return draw.choice(("True", "False"))
    if "axis" in p.name or "dim" in p.name or p.name == "axes":
        return draw.choice(AXES[:7] if annotation == "int" else AXES)
    if "Type" in annotation or "dtype" in p.name:
        return f"ms.{draw.choice(DTYPES)}"
    if "int" in annotation and "tuple" not in annotation:
        return draw.choice(INTS)
    if annotation == "Size" or p.name in ("shape", "size") or "tuple" in annotation:
        return draw.choice((str(draw.choice(SHAPES)), "(-1,)", "2", "(2, 2)", "(1, 1)", str(like[1])))
    if annotation in ("float", "float | None") or isinstance(p.default, float):
        return draw.choice(FLOATS)
    if "str" in annotation or isinstance(p.default, str):
        return draw.choice((repr(p.default), *WORDS)) if isinstance(p.default, str) else draw.choice(WORDS)
    if isinstance(p.default, int):
        return draw.choice(INTS)
    if p.default is None:
        return draw.choice(("None", *INTS, tensor(draw, *like)))
    return _operand(draw, like)


def _like(draw: random.Random, name: str, like: Any) -> str:
    """Return a tensor that mostly fits the other arguments of the call."""
    dtype, shape = like
    if "index" in name or "indices" in name or "ids" in name:
        return f'made("{draw.choice(("int32", "int64"))}", {shape if draw.random() < 0.6 else (2,)}, "index")'
    if name in ("mask", "condition") and draw.random() < 0.8:
        return f'made("bool", {shape})'
    dtype = dtype if draw.random() < 0.8 else draw.choice(DTYPES)
    chance = draw.random()
    if chance < 0.7:
        return tensor(draw, dtype, shape)
    return tensor(draw, dtype, shape[-1:] if chance < 0.8 else () if chance < 0.85 else draw.choice(SHAPES))


def _operand(draw: random.Random, like: Any) -> str:
    return _like(draw, "", like) if draw.random() < 0.75 else draw.choice(NUMBERS)


def _recorded() -> list[str]:
    """Return the recorded expressions that make no layers and draw no numbers."""
    found = []
    for path in sorted((pathlib.Path(__file__).parent / "cases").glob("*.py")):
        if path.stem != "__init__":
            found += importlib.import_module(f"cases.{path.stem}").CASES
    return [
        case for case in found if not any(part in case for part in ("nn.", "M.", "lambda", "msd.", "msb.", "Parameter"))
    ]


class _Replacing(ast.NodeTransformer):
    """Replaces some arguments of a call by different ones of the same kind."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.dtype = draw.choice(DTYPES)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace an input by one of another type, or another shape."""
        array = cases.INPUTS.get(node.id)
        chance = self.draw.random()
        if array is None or chance < 0.3:
            return node
        if chance < 0.75:
            kind = "index" if array.dtype.kind == "i" and self.draw.random() < 0.7 else self.draw.choice(KINDS)
            text = f'made("{self.dtype}", {array.shape}, "{kind}")'
        elif chance < 0.9:
            text = tensor(self.draw, None, array.shape)
        else:
            text = tensor(self.draw, str(array.dtype))
        return ast.parse(text, mode="eval").body

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Replace a number by another."""
        if self.draw.random() < 0.7 or isinstance(node.value, str) or node.value is None:
            return node
        if isinstance(node.value, bool):
            return ast.Constant(not node.value)
        if isinstance(node.value, int) and abs(node.value) < 10:
            return ast.Constant(self.draw.randint(-3, 4))
        return ast.Constant(self.draw.choice((0.0, 0.5, 2.0, -1.0))) if isinstance(node.value, float) else node


def mutated(draw: random.Random, expression: str) -> str:
    """Return an expression with some arguments replaced."""
    return ast.unparse(_Replacing(draw).visit(ast.parse(expression, mode="eval")))
