"""Arithmetic, comparison and logic, element by element."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from torchspore.common.conversion import saturated
from torchspore.common.frames.stack import caller, module_of
from torchspore.common.private_torch import functorch_level
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import NUMBERS, as_factor, as_operand, as_quotients_part, as_term
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, attach, op, renamed, unary
from torchspore.engine.primitive import as_primitive, primitive, primitives
from torchspore.engine.values.nested import sequence_like
from torchspore.engine.widening import alike, comparing, dividing, wrapping
from torchspore.ops.array import division
from torchspore.ops.array.casting import aligned
from torchspore.ops.array.division import difference, divided, scaled_difference, truncated_remainder
from torchspore.ops.array.overloads import renaming_method

__all__ = [
    "Add", "RealDiv", "Round", "TensorAdd", "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh",
    "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_or", "bitwise_xor", "ceil", "clamp", "clip", "clip_by_value", "cos", "cosh", "div", "divide", "eq",
    "equal", "erf", "erfc", "exp", "expm1", "floor", "floor_div", "floor_divide", "fmod", "ge", "greater",
    "greater_equal", "gt", "isfinite", "isinf", "isnan", "le", "less", "less_equal", "log", "log1p", "log2",
    "log10", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "maximum", "minimum", "mod", "mul",
    "multiply", "ne", "neg", "negative", "not_equal", "pow", "reciprocal", "remainder", "round", "rsqrt", "sign",
    "sin", "sinh", "sqrt", "square", "sub", "subtract", "tan", "true_divide", "trunc", "where", "xlogy",
]  # fmt: skip


def binary(
    function: Callable[..., Any],
    name: str,
    summary: str,
    method: tuple[str, ...] = (),
    *,
    scalars_yield: bool = False,
    first: str = "input",
    second: str = "other",
    refused: Callable[..., Tensor] | None = None,
    operand: Callable[..., Any] = as_operand,
) -> Any:
    """Make an operation of a function of two tensors, either of which may be a number.

    MindSpore promotes by dtype alone: float16[2] + float32[] is float32. In torch a tensor with dimensions takes
    precedence: float16; this is also MindSpore's rule for products and quotients (`scalars_yield`). `refused` computes
    what torch does not support.
    """

    def body(input: Operand, other: Operand) -> Tensor:
        try:
            if other.__class__ in NUMBERS:
                if other.__class__ is bool and refused is not None:  # a fake tensor would not raise
                    return refused(input, other)
                if (
                    input.__class__ in NUMBERS
                    or other.__class__ is complex
                    or (other.__class__ is int and other >= 2**63)
                ):
                    return _with_numbers(function, input, other)
            elif input.__class__ in NUMBERS:
                if input.__class__ is bool and refused is not None:
                    return refused(input, other)
                if input.__class__ is complex or (input.__class__ is int and input >= 2**63):
                    return _with_numbers(function, input, other)
            elif input.dtype is not other.dtype and (not scalars_yield or _is_half_and_complex(input, other)):
                input, other = aligned(input, other)
            return function(input, other)
        except RuntimeError:
            if refused is None:
                raise
            return refused(input, other)

    alike(body, function)
    body.__name__ = body.__qualname__ = name
    body.__module__ = module_of(caller())
    body.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(p, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Operand") for p in (first, second)],
        return_annotation="Tensor",
    )
    body.__annotations__ = {first: "Operand", second: "Operand", "return": "Tensor"}
    body.__doc__ = (
        f"{summary}\n\nArgs:\n    {first}, {second}: Tensors or numbers.\n\n"
        "Returns:\n    A Tensor of the broadcast shape, in the dtype that both promote to; a number only widens the\n"
        "    kind (an int tensor and a float give float32).\n"
    )
    return op(body, method=method, operand=operand)


def _operator(
    function: Callable[..., Any],
    name: str,
    summary: str,
    method: tuple[str, ...],
    *,
    scalars_yield: bool = False,
    second: str = "other",
    refused: Callable[..., Tensor] | None = None,
    operand: Callable[..., Any] = as_operand,
    augmented: bool = False,
) -> Any:
    """Make an operation of a binary operator of Python; its first method is the operator, also reflected."""
    reflected = binary(
        alike(lambda input, other: function(other, input), function),
        name,
        summary,
        scalars_yield=scalars_yield,
        refused=refused and (lambda input, other: refused(other, input)),
        operand=operand,
    )
    attach(reflected, method[0].replace("__", "__r", 1))
    options: dict[str, Any] = {"scalars_yield": scalars_yield, "refused": refused, "operand": operand}
    made = binary(function, name, summary, method, second=second, **options)
    if augmented:
        attach(made, method[0].replace("__", "__i", 1))
    return made


def _is_half_and_complex(input: Tensor, other: Tensor) -> bool:
    return torch.float16 in (input.dtype, other.dtype) and (input.is_complex() or other.is_complex())


def _with_numbers(function: Callable[..., Any], input: Any, other: Any) -> Any:
    for number in (input, other):
        if number.__class__ is int and number >= 2**63:  # which torch would wrap
            raise TypeError(f"{number} is beyond int64")
    if input.__class__ in NUMBERS and other.__class__ in NUMBERS:
        return function(torch.as_tensor(input), torch.as_tensor(other))
    # MindSpore has no complex type of two float16 numbers.
    input, other = (each.float() if getattr(each, "dtype", None) is torch.float16 else each for each in (input, other))
    return function(input, other)


def of_tensors(torch_function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a torch function of two tensors take a number for one of them."""

    def function(input: Any, other: Any) -> Tensor:
        if input.__class__ in NUMBERS:
            input = torch.full((), input, dtype=torch.result_type(input, other), device=other.device)
        elif other.__class__ in NUMBERS:
            other = torch.full((), other, dtype=torch.result_type(input, other), device=input.device)
        return torch_function(input, other)

    return alike(function, torch_function)


def _compared(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Let a comparison of integers with an int beyond their data type compare the numbers; torch would wrap the int."""

    def compare(input: Any, other: Any) -> Any:
        if other.__class__ is int:
            if not 0 <= other < 128 and _is_beyond(other, input):
                input = input.long()
        elif input.__class__ is int and not 0 <= input < 128 and _is_beyond(input, other):
            other = other.long()
        return function(input, other)

    return alike(compare, function)


def _is_beyond(number: int, x: Any) -> bool:
    if not isinstance(x, torch.Tensor) or x.dtype.is_floating_point or x.dtype.is_complex:
        return False
    if x.dtype in (torch.bool, torch.int64, torch.uint64):
        return False
    limits = torch.iinfo(x.dtype)
    return not limits.min <= number <= limits.max


@dividing
def _floor_quotient(input: Any, other: Any) -> Tensor:
    # In torch the operator // has no gradient; this gradient is zero.
    if input.__class__ in NUMBERS:
        input = torch.full((), input, dtype=torch.result_type(input, other), device=other.device)
    return divided(input, other, "floor")


def _x_log_y(x: Tensor, y: Tensor) -> Tensor:
    if x.is_complex() or y.is_complex():  # which torch.xlogy refuses
        return torch.where(x == 0, 0, x * torch.log(y))
    return torch.xlogy(x, y)


def _x_log_y_of_numbers(x: Any, y: Any) -> Tensor:
    """Return `_x_log_y`, in at least float32 if one is a number."""
    if isinstance(x, Tensor) is not isinstance(y, Tensor):
        x, y = [value.float() if isinstance(value, Tensor) and value.dtype.itemsize == 2 else value for value in (x, y)]
    return of_tensors(_x_log_y)(x, y)


def _power(input: Any, other: Any) -> Any:
    try:
        return torch.pow(input, other)
    except RuntimeError:
        # torch does not support negative integer powers of integers; MindSpore truncates the real power.
        dtype = torch.result_type(input, other)
        if dtype.is_floating_point or dtype.is_complex:
            raise
        wide = [x.double() if isinstance(x, torch.Tensor) else x for x in (input, other)]
        return (wide[0] ** wide[1]).to(dtype)


add = _operator(operator.add, "add", "Sum of two tensors.", ("__add__",), operand=as_term, augmented=True)
sub = _operator(
    operator.sub,
    "sub",
    "Difference of two tensors.",
    ("__sub__",),
    refused=difference,
    operand=as_term,
    augmented=True,
)
mul = _operator(
    operator.mul,
    "mul",
    "Product, element by element.",
    ("__mul__", "mul"),
    scalars_yield=True,
    operand=as_factor,
    augmented=True,
)
renaming_method("multiply", renamed(mul, "multiply"), value="other")
true_divide = _operator(
    operator.truediv,
    "true_divide",
    "Quotient; of integers in float32.",
    ("__truediv__", "true_divide"),
    scalars_yield=True,
    operand=as_quotients_part,
    augmented=True,
)
floor_divide = _operator(
    _floor_quotient,
    "floor_divide",
    "Quotient rounded towards negative infinity.",
    ("__floordiv__", "floor_divide"),
    augmented=True,
)
modulo = _operator(
    division.modulo,
    "remainder",
    "Remainder of the floor division, with the sign of `other`.",
    ("__mod__",),
    operand=as_quotients_part,
    augmented=True,
)
remainder = binary(
    division.remainder,
    "remainder",
    "Remainder of the floor division, with the sign of `other`; of integers by 0, `input`.",
    ("remainder",),
    operand=as_quotients_part,
)
renaming_method("remainder", remainder, divisor="other")
pow = _operator(_power, "pow", "`input` to the power of `exponent`.", ("__pow__", "pow"), second="exponent")
bitwise_and = _operator(operator.and_, "bitwise_and", "Bitwise (of bools: logical) and.", ("__and__", "bitwise_and"))
bitwise_or = _operator(operator.or_, "bitwise_or", "Bitwise (of bools: logical) or.", ("__or__", "bitwise_or"))
bitwise_xor = _operator(
    operator.xor, "bitwise_xor", "Bitwise (of bools: logical) exclusive or.", ("__xor__", "bitwise_xor")
)
multiply = mul
mod = remainder
floor_div = floor_divide

equal = binary(_compared(operator.eq), "equal", "Whether the elements are equal.", ("eq", "equal"))
not_equal = binary(_compared(operator.ne), "not_equal", "Whether the elements differ.", ("ne", "not_equal"))
less = binary(_compared(operator.lt), "less", "Whether `input` is less than `other`.", ("__lt__", "lt", "less"))
less_equal = binary(
    _compared(operator.le), "less_equal", "Whether `input` is at most `other`.", ("__le__", "le", "less_equal")
)
greater = binary(
    _compared(operator.gt), "greater", "Whether `input` is greater than `other`.", ("__gt__", "gt", "greater")
)
greater_equal = binary(
    _compared(operator.ge), "greater_equal", "Whether `input` is at least `other`.", ("__ge__", "ge", "greater_equal")
)
eq, ne, lt, le, gt, ge = equal, not_equal, less, less_equal, greater, greater_equal

maximum = binary(of_tensors(torch.maximum), "maximum", "The maximum of two elements; nan if one is.", ("maximum",))
minimum = binary(of_tensors(torch.minimum), "minimum", "The minimum of two elements; nan if one is.", ("minimum",))
atan2 = binary(of_tensors(torch.atan2), "atan2", "Angle of the point (`other`, `input`).", ("atan2", "arctan2"))
fmod = binary(
    of_tensors(truncated_remainder), "fmod", "Remainder with the sign of `input`.", ("fmod",), scalars_yield=True
)
xlogy = binary(_x_log_y_of_numbers, "xlogy", "`input * log(other)`, 0 where `input` is 0.", ("xlogy",))
logical_and = binary(of_tensors(torch.logical_and), "logical_and", "Whether both are true.")
logical_or = binary(of_tensors(torch.logical_or), "logical_or", "Whether one is true.")
renaming_method("logical_and", logical_and, y="other")
renaming_method("logical_or", logical_or, y="other")
logical_xor = binary(of_tensors(torch.logical_xor), "logical_xor", "Whether exactly one is true.", ("logical_xor",))

abs = unary(torch.abs, "Absolute value.", method=("abs", "absolute", "__abs__"))
neg = unary(torch.neg, "The negative.", method=("neg", "negative", "__neg__"))
logical_not = unary(torch.logical_not, "Whether the element is false.", method=("logical_not", "__invert__"))
sign = unary(torch.sgn, "-1, 0 or 1: the sign; a complex number divided by its magnitude.", name="sign")
ceil = unary(torch.ceil, "The smallest integer that is not less.")
floor = unary(torch.floor, "The largest integer that is not greater.")
trunc = unary(torch.trunc, "The integer part.")
reciprocal = unary(torch.reciprocal, "One divided by the element.")
square = unary(torch.square, "The square.")
sqrt = unary(torch.sqrt, "The square root.")
rsqrt = unary(torch.rsqrt, "One divided by the square root.")
exp = unary(torch.exp, "e to the power of the element.")
expm1 = unary(torch.expm1, "e to the power of the element, minus one.")
log = unary(torch.log, "The natural logarithm.")
log1p = unary(torch.log1p, "The natural logarithm of one plus the element.")
log2 = unary(torch.log2, "The logarithm to base 2.")
log10 = unary(torch.log10, "The logarithm to base 10.")
erf = unary(torch.erf, "The Gauss error function.")
erfc = unary(torch.erfc, "One minus the Gauss error function.")
sin = unary(torch.sin, "The sine, of radians.")
cos = unary(torch.cos, "The cosine, of radians.")
tan = unary(torch.tan, "The tangent, of radians.")
asin = unary(torch.asin, "The arc sine, in radians.", method=("asin", "arcsin"))
acos = unary(torch.acos, "The arc cosine, in radians.", method=("acos", "arccos"))
atan = unary(torch.atan, "The arc tangent, in radians.", method=("atan", "arctan"))
sinh = unary(torch.sinh, "The hyperbolic sine.")
cosh = unary(torch.cosh, "The hyperbolic cosine.")
asinh = unary(torch.asinh, "The inverse hyperbolic sine.", method=("asinh", "arcsinh"))
acosh = unary(torch.acosh, "The inverse hyperbolic cosine.", method=("acosh", "arccosh"))
atanh = unary(torch.atanh, "The inverse hyperbolic tangent.", method=("atanh", "arctanh"))
isnan = unary(torch.isnan, "Whether the element is nan.")
isinf = unary(torch.isinf, "Whether the element is infinite.")
isfinite = unary(torch.isfinite, "Whether the element is neither infinite nor nan.")
absolute, negative = abs, neg
arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh


_COMPARABLE = (_Tensor, torch.Tensor, int, float, complex, np.number, torch.SymInt, torch.SymFloat, torch.SymBool)


def _equals(self: _Tensor, other: Any) -> Any:
    return equal(self, other) if isinstance(other, _COMPARABLE) else _is_never_equal(other, "==", "equal", False)


def _differs(self: _Tensor, other: Any) -> Any:
    return not_equal(self, other) if isinstance(other, _COMPARABLE) else _is_never_equal(other, "!=", "not_equal", True)


def _is_never_equal(other: Any, sign: str, name: str, answer: bool) -> bool:
    """Return the answer for an object that is not a number: `x in objects` and `objects.count(x)` must not raise."""
    is_numeric = isinstance(other, (list, tuple)) and all(isinstance(part, (int, float)) for part in other)
    if isinstance(other, np.ndarray) or (other and is_numeric):
        warnings.warn(
            f"A Tensor {sign} a list, tuple or array is {answer}. Use ops.{name}(x, Tensor(other)) for its elements.",
            stacklevel=3,
        )
    return answer


attach(_equals, "__eq__")
attach(_differs, "__ne__")


@op(method="add", operand=as_term, trait=wrapping)
def _add_scaled(input: Tensor, other: Operand, *, alpha: Operand = 1) -> Tensor:
    """Return `input + alpha * other`."""
    if alpha.__class__ in NUMBERS:
        return input + other if alpha == 1 else torch.add(input, other, alpha=alpha)
    return input + alpha * other


@op(method="subtract", name="subtract", operand=as_term, trait=wrapping)
def _sub_scaled(input: Operand, other: Operand, *, alpha: Operand = 1) -> Tensor:
    """Return `input - alpha * other`."""
    if alpha.__class__ not in NUMBERS or (alpha != 1 and torch.result_type(input, other) is torch.bool):
        return sub.body(input, alpha * other)
    if alpha == 1:
        return sub.body(input, other)
    try:
        return torch.sub(input, other, alpha=alpha)
    except RuntimeError:
        return scaled_difference(input, other, alpha=alpha)


subtract = _sub_scaled


@op(method="sub", name="sub", operand=as_term, trait=wrapping)  # a `renaming_method` takes 0.2 microseconds more
def _sub_method(self: Tensor, other: Operand | None = None, *, alpha: Operand = 1, y: Operand | None = None) -> Tensor:
    """Return `self - alpha * other`; `y` is a second name of `other`."""
    if other is not None and y is not None:
        raise TypeError("'other' and 'y' are the same; give one of them")
    return _sub_scaled.body(self, other if y is None else y, alpha=alpha)


@op(method=("div", "divide"), trait=dividing)
def div(input: Operand, other: Operand, *, rounding_mode: Literal["floor", "trunc"] | None = None) -> Tensor:
    """Quotient of two tensors.

    Args:
        input, other: Tensors or numbers.
        rounding_mode: None (exact, float32 for integers), "floor" or "trunc". Default: None.
    """
    if input.__class__ in NUMBERS:
        input = torch.as_tensor(input, device=getattr(other, "device", None))
    return torch.div(input, other) if rounding_mode is None else divided(input, other, rounding_mode)


divide = div


@op(method=("round", "__round__"))
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to the nearest integer, halves to even, or to a number of decimals."""
    return torch.round(input, decimals=decimals) if decimals else torch.round(input)


@op(method="__pos__")
def _positive(input: Tensor) -> Tensor:
    return input


def _common(dtype: torch.dtype, bound: Any) -> torch.dtype:
    if isinstance(bound, torch.Tensor):
        return torch.promote_types(dtype, bound.dtype)
    return torch.result_type(torch.empty(0, dtype=dtype), bound)


@op(method=("clamp", "clip"), trait=comparing)
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Clamp the elements to [`min`, `max`]; either bound may be None, a number or a Tensor.

    Raises:
        ValueError: both bounds are None.
    """
    if min is None and max is None:
        raise ValueError("'min' and 'max' are both None. Give at least one bound.")
    if isinstance(min, torch.Tensor) or isinstance(max, torch.Tensor):
        dtype = input.dtype
        for bound in (min, max):
            dtype = dtype if bound is None else _common(dtype, bound)
        input = input.to(dtype)
        min, max = [
            torch.as_tensor(bound, dtype=dtype, device=input.device) if bound is not None else None
            for bound in (min, max)
        ]
    elif (min.__class__ is int or max.__class__ is int) and not input.dtype.is_floating_point:
        min, max = [saturated(bound, input.dtype) if bound.__class__ is int else bound for bound in (min, max)]
    return torch.clamp(input, min, max)


clip = clamp


@op(name="clip_by_value")
def _clip_all(
    x: list[Tensor], clip_value_min: Operand | None = None, clip_value_max: Operand | None = None
) -> tuple[Tensor, ...]:
    return tuple([_clipped(tensor, clip_value_min, clip_value_max) for tensor in x])


@op(name="clip_by_value")
def _clip_one(x: Tensor, clip_value_min: Operand | None = None, clip_value_max: Operand | None = None) -> Tensor:
    return _clipped(x, clip_value_min, clip_value_max)


def _clipped(x: Tensor, *bounds: Any) -> Tensor:
    """`clamp` without a change of the dtype: floats that limit integers are truncated."""
    limits = [_limit(bound, x.dtype) for bound in bounds]
    if _is_followed(x) and not all(limit is None for limit in limits):
        return clamp_halving(x, *limits)
    return clamp.body(x, *limits)


def _is_followed(x: Tensor) -> bool:
    """Return whether gradients may flow through a tensor, so that what they are where a curve bends matters."""
    return x.requires_grad or functorch_level() is not None


def clamp_halving(x: Tensor, lower: Any, upper: Any) -> Tensor:
    """Clamp a tensor; the gradient of an element that equals a limit is shared equally with the limit."""
    for limit, function in ((lower, torch.maximum), (upper, torch.minimum)):
        if limit is not None:
            x = of_tensors(function)(x, limit)
    return x


def _limit(bound: Any, dtype: torch.dtype) -> Any:
    if isinstance(bound, torch.Tensor):
        return bound.to(dtype)
    return saturated(bound, dtype) if bound.__class__ is float else bound


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Clamp the elements of one or several tensors to [`clip_value_min`, `clip_value_max`].

    Args:
        x: a Tensor, or lists and tuples of Tensors, also nested.
        clip_value_min, clip_value_max: the bounds, numbers, Tensors or None. Default: None.

    Returns:
        A Tensor, or a tuple of Tensors, nested like `x`, in a captured function lists for lists; Tensors as bounds do
        not change the dtype.

    Raises:
        ValueError: both bounds are None.
    """
    if isinstance(x, (list, tuple)) and any(isinstance(each, (list, tuple)) for each in x):
        return sequence_like(x, [clip_by_value(each, clip_value_min, clip_value_max) for each in x])
    if isinstance(x, (list, tuple)) and all(isinstance(tensor, _Tensor) for tensor in x):
        return sequence_like(x, list(_clip_all(x, clip_value_min, clip_value_max)))
    return _clip_one(x, clip_value_min, clip_value_max)


@op
def where(condition: Tensor, input: Operand, other: Operand) -> Tensor:
    """Select elements of `input` where `condition` is true, else of `other`; all three are broadcast."""
    return torch.where(condition if condition.dtype is torch.bool else condition.bool(), *aligned(input, other))


@op(name="where")
def _where(self: Tensor, condition: Tensor, y: Operand) -> Tensor:
    """Keep the elements where `condition` is true, else take elements of `y`."""
    return torch.where(condition.bool(), *aligned(self, y))


renaming_method("where", renamed(_where, "where"), other="y")


@as_primitive
def Round(input: Tensor, decimals: int = 0) -> Tensor:
    """`round` with `decimals` as an input."""
    return round.body(input, decimals=decimals)


@as_primitive
@dividing
def RealDiv(x: Operand, y: Operand) -> Tensor:
    """Quotient; of integers truncated towards zero."""
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        common = torch.promote_types(x.dtype, y.dtype)
        x, y = x.to(common), y.to(common)
    quotient = true_divide.body(x, y)
    dtype = torch.result_type(x, y)
    return quotient if dtype.is_floating_point or dtype.is_complex else div.body(x, y, rounding_mode="trunc")


_mod = binary(of_tensors(division.truncated_modulo), "Mod", "Remainder with the sign of `input`; of integers by 0, 0.")
Add = primitive("Add", add)
_PRIMITIVES = primitives(
    ACos=acos, Abs=abs, Acosh=acosh, Asin=asin, Asinh=asinh, Atan=atan, Atan2=atan2, Atanh=atanh,
    BitwiseAnd=bitwise_and, BitwiseOr=bitwise_or, BitwiseXor=bitwise_xor, Ceil=ceil, Cos=cos, Cosh=cosh,
    Div=true_divide, Equal=equal, Erf=erf, Erfc=erfc, Exp=exp, Expm1=expm1, Floor=floor, FloorDiv=floor_divide,
    FloorMod=modulo, Greater=greater, GreaterEqual=greater_equal, IsFinite=isfinite, IsInf=isinf, IsNan=isnan,
    Less=less, LessEqual=less_equal, Log=log, Log1p=log1p, LogicalAnd=logical_and, LogicalNot=logical_not,
    LogicalOr=logical_or, LogicalXor=logical_xor, Maximum=maximum, Minimum=minimum, Mod=_mod, Mul=mul, Neg=neg,
    NotEqual=not_equal, Pow=pow, Reciprocal=reciprocal, Rsqrt=rsqrt, Sign=sign, Sin=sin, Sinh=sinh, Sqrt=sqrt,
    Square=square, Sub=sub, Tan=tan, Trunc=trunc, Xlogy=xlogy,
)  # fmt: skip
globals().update(_PRIMITIVES)
__all__ += _PRIMITIVES
TensorAdd = Add
rules.cut_by(rules.aligned, Add, RealDiv, Round)
