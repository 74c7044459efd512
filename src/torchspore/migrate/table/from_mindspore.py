"""The APIs of MindSpore without a counterpart in torch: what to write for them in PyTorch.

Rows for one direction, with templates in MindSpore's names of arguments. Of several rows of a name the first serves
whose template has a place for each argument of the call. A primitive becomes a function; where it is called at once,
its body takes the place of the call.
"""

from __future__ import annotations

from collections.abc import Mapping

from .row import Row

__all__ = ["FROM_MINDSPORE", "INITIALIZERS"]

# Functions, methods and layers -> what to write, or several with different arguments.
_FUNCTIONS: Mapping[str, str | tuple[str, ...]] = {
    "ops.absolute": "torch.abs({input})",
    "ops.batch_dot": "torch.bmm({x1}, {x2})",
    "ops.broadcast_to": "torch.broadcast_to({input}, {shape})",
    "ops.cast": "{input}.to({dtype})",
    "ops.clip_by_value": "torch.clamp({x}, {clip_value_min}, {clip_value_max})",
    "ops.div": "torch.div({input}, {other}, rounding_mode={rounding_mode})",
    "ops.expand_dims": "torch.unsqueeze({input_x}, {axis})",
    "ops.one_hot": "torch.where(torch.nn.functional.one_hot({indices}.long(), {depth}) > 0, {on_value}, {off_value})",
    "ops.rank": "{input_x}.dim()",
    "ops.reduce_mean": ("torch.mean({x})", "torch.mean({x}, {axis})"),
    "ops.reduce_sum": ("torch.sum({x})", "torch.sum({x}, {axis})"),
    "ops.reduce_max": ("torch.amax({x})", "torch.amax({x}, {axis})"),
    "ops.reduce_min": ("torch.amin({x})", "torch.amin({x}, {axis})"),
    "ops.repeat_elements": "torch.repeat_interleave({x}, {rep}, {axis})",
    "ops.select": "torch.where({condition}, {input}, {other})",
    "ops.shape": "{input_x}.shape",
    "ops.size": "{input_x}.numel()",
    "ops.std": "torch.std({input}, {axis}, correction={ddof}, keepdim={keepdims})",
    "ops.unstack": "torch.unbind({input_x}, {axis})",
    "ops.var": "torch.var({input}, {axis}, correction={ddof}, keepdim={keepdims})",
    "ops.tensor_dot": "torch.tensordot({x1}, {x2}, {axes})",
    "ops.logical_not": "torch.logical_not({input})",
    "ops.standard_normal": "torch.randn({shape})",
    "ops.sequence_mask": "(torch.arange({maxlen}, device={lengths}.device) < {lengths}[..., None])",
    "Tensor": ("torch.tensor({input_data})", "torch.tensor({input_data}, dtype={dtype})"),
    "Tensor.max": (
        "{input}.max()",
        "{input}.max({dim})",
        "{input}.max({dim}, {keepdim})",
        "{input}.amax({axis})",
        "{input}.amax({axis}, keepdim={keepdims})",
    ),
    "Tensor.min": (
        "{input}.min()",
        "{input}.min({dim})",
        "{input}.min({dim}, {keepdim})",
        "{input}.amin({axis})",
        "{input}.amin({axis}, keepdim={keepdims})",
    ),
    "Tensor.std": (
        "{input}.std({axis}, correction=0)",
        "{input}.std({axis}, correction=0, keepdim={keepdims})",
        "{input}.std({axis}, correction={ddof}, keepdim={keepdims})",
    ),
    "Tensor.var": (
        "{input}.var({axis}, correction=0)",
        "{input}.var({axis}, correction=0, keepdim={keepdims})",
        "{input}.var({axis}, correction={ddof}, keepdim={keepdims})",
    ),
    "Tensor.view_as": "{input}.view_as({other})",
    "nn.Dropout": ("torch.nn.Dropout(p={p})", "torch.nn.Dropout(p=1 - {keep_prob})"),
    "nn.OneHot": "(lambda x: torch.where(torch.nn.functional.one_hot(x.long(), {depth}) > 0, {on_value}, {off_value}))",
    "numpy.arange": (
        "torch.arange({start})",
        "torch.arange({start}, dtype={dtype})",
        "torch.arange({start}, {stop})",
        "torch.arange({start}, {stop}, {step})",
        "torch.arange({start}, {stop}, {step}, dtype={dtype})",
    ),
    "numpy.concatenate": "torch.cat({arrays}, {axis})",
    "numpy.expand_dims": "torch.unsqueeze({a}, {axis})",
    "numpy.ones": ("torch.ones({shape})", "torch.ones({shape}, dtype={dtype})"),
    "numpy.zeros": ("torch.zeros({shape})", "torch.zeros({shape}, dtype={dtype})"),
    "numpy.roll": ("torch.roll({a}, {shift}, {axis})", "torch.roll({a}, {shift})"),
    "numpy.split": "torch.tensor_split({x}, {indices_or_sections}, {axis})",
    "numpy.stack": "torch.stack({arrays}, {axis})",
    "numpy.tensordot": "torch.tensordot({a}, {b}, {axes})",
    "numpy.tile": "torch.tile({a}, {reps})",
    "numpy.where": "torch.where({condition}, {x}, {y})",
}

# Primitives, the values of arguments that a line is for, and the function.
_PRIMITIVES: tuple[tuple[str, Mapping[str, str], str], ...] = (
    ("Argmax", {}, "lambda x: torch.argmax(x, {axis})"),
    ("ArgMaxWithValue", {}, "lambda x: torch.max(x, {axis}, keepdim={keep_dims})[::-1]"),
    ("ArgMinWithValue", {}, "lambda x: torch.min(x, {axis}, keepdim={keep_dims})[::-1]"),
    ("BatchMatMul", {"transpose_a": "False", "transpose_b": "False"}, "torch.matmul"),
    ("BatchMatMul", {"transpose_a": "False", "transpose_b": "True"}, "lambda x, y: torch.matmul(x, y.mT)"),
    ("BatchMatMul", {"transpose_a": "True", "transpose_b": "False"}, "lambda x, y: torch.matmul(x.mT, y)"),
    ("MatMul", {"transpose_a": "False", "transpose_b": "False"}, "torch.matmul"),
    ("MatMul", {"transpose_a": "False", "transpose_b": "True"}, "lambda x, y: torch.matmul(x, y.mT)"),
    ("MatMul", {"transpose_a": "True", "transpose_b": "False"}, "lambda x, y: torch.matmul(x.mT, y)"),
    ("BroadcastTo", {}, "lambda x: torch.broadcast_to(x, {shape})"),
    ("Cast", {}, "lambda x, dtype: x.to(dtype)"),
    ("Concat", {}, "lambda x: torch.cat(x, {axis})"),
    ("Div", {}, "torch.div"),
    ("Dropout", {}, "torch.nn.Dropout(1 - {keep_prob})"),
    ("Eye", {}, "lambda n, m, dtype: torch.eye(n, m, dtype=dtype)"),
    ("Fill", {}, "lambda dtype, shape, value: torch.full(shape, value, dtype=dtype)"),
    ("Flatten", {}, "lambda x: torch.flatten(x, 1)"),
    ("Gather", {"batch_dims": "0"}, "lambda x, index, axis: x.index_select(axis, index.flatten())"
     ".unflatten(axis, index.shape)"),
    ("GeLU", {}, "lambda x: torch.nn.functional.gelu(x, approximate='tanh')"),
    ("HSwish", {}, "torch.nn.functional.hardswish"),
    ("HSigmoid", {}, "torch.nn.functional.hardsigmoid"),
    ("Identity", {}, "torch.nn.Identity()"),
    ("L2Normalize", {}, "lambda x: torch.nn.functional.normalize(x, dim={axis}, eps={epsilon} ** 0.5)"),
    ("LogSoftmax", {}, "lambda x: torch.log_softmax(x, {axis})"),
    ("LpNorm", {}, "lambda x: torch.linalg.vector_norm(x, {p}, {axis}, {keep_dims})"),
    ("NotEqual", {}, "torch.ne"),
    ("OneHot", {"axis": "-1"}, "lambda x, depth, on_value, off_value: torch.where("
     "torch.nn.functional.one_hot(x.long(), depth) > 0, on_value, off_value)"),
    ("Ones", {}, "lambda shape, dtype: torch.ones(shape, dtype=dtype)"),
    ("OnesLike", {}, "torch.ones_like"),
    ("RealDiv", {}, "torch.div"),
    ("ReduceMax", {}, "lambda x, axis: torch.amax(x, axis, keepdim={keep_dims})"),
    ("ReduceMean", {}, "lambda x, axis=None: torch.mean(x, axis, keepdim={keep_dims})"),
    ("ReduceMin", {}, "lambda x, axis: torch.amin(x, axis, keepdim={keep_dims})"),
    ("ReduceSum", {}, "lambda x, axis=None: torch.sum(x, axis, keepdim={keep_dims})"),
    ("Rank", {}, "lambda x: x.dim()"),
    ("ResizeNearestNeighbor", {"align_corners": "False"}, "lambda x: torch.nn.functional.interpolate(x, {size})"),
    ("Select", {}, "torch.where"),
    ("Shape", {}, "lambda x: x.shape"),
    ("Size", {}, "lambda x: x.numel()"),
    ("Softmax", {}, "lambda x: torch.softmax(x, {axis})"),
    ("Sort", {}, "lambda x: torch.sort(x, {axis}, {descending})"),
    ("Split", {}, "lambda x: torch.tensor_split(x, {output_num}, {axis})"),
    ("Squeeze", {"axis": "()"}, "torch.squeeze"),
    ("Squeeze", {}, "lambda x: torch.squeeze(x, {axis})"),
    ("Stack", {}, "lambda x: torch.stack(x, {axis})"),
    ("TensorScatterUpdate", {}, "lambda x, indices, updates: x.index_put(indices.unbind(-1), updates)"),
    ("TopK", {}, "lambda x, k: torch.topk(x, k, sorted={sorted})"),
    ("Transpose", {}, "torch.permute"),
    ("Unstack", {}, "lambda x: torch.unbind(x, {axis})"),
    ("Zeros", {}, "lambda shape, dtype: torch.zeros(shape, dtype=dtype)"),
    ("ZerosLike", {}, "torch.zeros_like"),
    ("ExpandDims", {}, "torch.unsqueeze"),
)  # fmt: skip

# Primitives without arguments, and the functions of torch, if those have other names than theirs in small letters.
_SAME = """
    Abs Add ACos Asin Atan Ceil Cos Cosh CumSum Equal:eq Erf Exp Floor Greater:gt GreaterEqual:ge Less:lt
    LessEqual:le Log LogicalAnd:logical_and LogicalNot:logical_not LogicalOr:logical_or Maximum Minimum Mul Neg Pow
    ReLU Reshape Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Sub Tan Tanh Tile
"""

INITIALIZERS: Mapping[str, str] = {
    "Zero": "zeros_(t)",
    "One": "ones_(t)",
    "Constant": "constant_(t, {value})",
    "Normal": "normal_(t, {mean}, {sigma})",
    "TruncatedNormal": "trunc_normal_(t, {mean}, {sigma}, {a}, {b})",
    "Uniform": "uniform_(t, -{scale}, {scale})",
    "XavierNormal": "xavier_normal_(t, {gain})",
    "XavierUniform": "xavier_uniform_(t, {gain})",
    "HeNormal": "kaiming_normal_(t, {negative_slope}, {mode}, {nonlinearity})",
    "HeUniform": "kaiming_uniform_(t, {negative_slope}, {mode}, {nonlinearity})",
    "Orthogonal": "orthogonal_(t, {gain})",
    "Identity": "eye_(t)",
    "Dirac": "dirac_(t, {groups})",
}


def _row(mindspore: str, form: str, only: Mapping[str, str] | None = None) -> Row:
    # `torch` names what the row leads to where code names it without a call.
    return Row(form, f"mindspore.{mindspore}", only_mindspore=only or {}, torch_form=form)


def _of_functions() -> list[Row]:
    return [
        _row(name, form)
        for name, forms in _FUNCTIONS.items()
        for form in ((forms,) if isinstance(forms, str) else forms)
    ]


def _of_primitives() -> list[Row]:
    rows = [
        _row(f"ops.{name}", f"({form})" if form.startswith("lambda") else form, only)
        for name, only, form in _PRIMITIVES
    ]
    pairs = (name.partition(":") for name in _SAME.split())
    return rows + [_row(f"ops.{name}", f"torch.{other or name.lower()}") for name, _, other in pairs]


def _of_initializers() -> list[Row]:
    return [
        _row(f"common.initializer.{name}", f"(lambda t: torch.nn.init.{form})") for name, form in INITIALIZERS.items()
    ]


_LOSSES = (
    _row("nn.SoftmaxCrossEntropyWithLogits", "torch.nn.CrossEntropyLoss(reduction={reduction})", {"sparse": sparse})
    for sparse in ("True", "False")
)

FROM_MINDSPORE: tuple[Row, ...] = (*_of_functions(), *_LOSSES, *_of_primitives(), *_of_initializers())
