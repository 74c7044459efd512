"""What PyTorch has, MindSpore lacks, and takes more than an expression: programs get the source of it."""

from __future__ import annotations

__all__ = ["DEFINITIONS", "PARTS", "PLAIN_ARGUMENTS"]

_ATTENTION = '''\
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """Attention as in PyTorch: a mask of bools says what is seen, one of numbers is added to the scores."""
    if enable_gqa:
        key = mindspore.mint.repeat_interleave(key, query.shape[-3] // key.shape[-3], -3)
        value = mindspore.mint.repeat_interleave(value, query.shape[-3] // value.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = mindspore.mint.matmul(query, key.swapaxes(-1, -2)) * scale
    if is_causal:
        attn_mask = mindspore.mint.ones((query.shape[-2], key.shape[-2]), dtype=mindspore.bool_).tril()
    blind = None  # the rows that see nothing, which are 0
    if attn_mask is not None and attn_mask.dtype == mindspore.bool_:
        blind = mindspore.mint.logical_not(mindspore.mint.any(attn_mask, -1, True))
        attn_mask = mindspore.mint.where(mindspore.mint.logical_or(attn_mask, blind), 0.0, -float("inf"))
    if attn_mask is not None:
        scores = scores + attn_mask.to(scores.dtype)
    weights = mindspore.mint.nn.functional.softmax(scores, -1)
    if blind is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = mindspore.mint.nn.functional.dropout(weights, dropout_p)
    return mindspore.mint.matmul(weights, value)
'''

_RMS_NORM = '''\
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root mean square over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    eps = 2.0**-23 if eps is None else eps  # float32's
    result = input * mindspore.mint.rsqrt(mindspore.mint.mean(input * input, axes, True) + eps)
    return result if weight is None else result * weight
'''

_FINFO = '''\
class finfo:
    """The limits of a data type of floats."""

    def __init__(self, type=mindspore.float32):
        sizes = {
            mindspore.float16: (16, 10, 15),
            mindspore.bfloat16: (16, 7, 127),
            mindspore.float32: (32, 23, 127),
            mindspore.float64: (64, 52, 1023),
        }
        self.bits, digits, exponent = sizes[type]
        self.eps = 2.0**-digits
        self.max = (2.0 - self.eps) * 2.0**exponent
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - exponent)
'''

_IINFO = '''\
class iinfo:
    """The limits of a data type of integers."""

    def __init__(self, type):
        signed = {mindspore.int8: 8, mindspore.int16: 16, mindspore.int32: 32, mindspore.int64: 64}
        unsigned = {mindspore.uint8: 8, mindspore.uint16: 16, mindspore.uint32: 32, mindspore.uint64: 64}
        if type in signed:
            self.bits = signed[type]
            self.min, self.max = -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1
        else:
            self.bits = unsigned[type]
            self.min, self.max = 0, 2**self.bits - 1
'''

_SOFTMAX_BACKWARD = '''\
def softmax_backward(dout, out, dim, dtype=None):
    """Return the gradient of the input of a softmax."""
    return (dout - mindspore.mint.sum(dout * out, dim, True)) * out
'''

_WEIGHT_NORM = '''\
def weight_norm(cell, name="weight", dim=0):
    """Train the lengths and the directions of a weight instead of the weight, in PYNATIVE_MODE."""
    weight = getattr(cell, name)
    one_length = dim is None or dim == -1
    axes = tuple(i for i in range(weight.ndim) if one_length or i != dim % weight.ndim)

    def length(directions):
        return mindspore.mint.sqrt(mindspore.mint.sum(directions * directions, axes, not one_length))

    def set_weight(cell, inputs=()):
        directions = getattr(cell, name + "_v")
        setattr(cell, name, directions * (getattr(cell, name + "_g") / length(directions)))

    delattr(cell, name)
    cell.insert_param_to_cell(name + "_g", mindspore.Parameter(length(weight), name=name + "_g"))
    cell.insert_param_to_cell(name + "_v", mindspore.Parameter(weight.copy(), name=name + "_v"))
    set_weight(cell)
    cell.register_forward_pre_hook(set_weight)
    return cell
'''

PARTS = {
    "finfo": _FINFO,
    "iinfo": _IINFO,
    "rms_norm": _RMS_NORM,
    "scaled_dot_product_attention": _ATTENTION,
    "softmax_backward": _SOFTMAX_BACKWARD,
    "weight_norm": _WEIGHT_NORM,
}

# Full name -> the part that replaces it.
DEFINITIONS = {
    f"torch.{name}": part
    for part, names in {
        "finfo": "finfo",
        "iinfo": "iinfo",
        "rms_norm": "nn.functional.rms_norm",
        "scaled_dot_product_attention": "nn.functional.scaled_dot_product_attention",
        "softmax_backward": "_softmax_backward_data",
        "weight_norm": "nn.utils.weight_norm nn.utils.parametrizations.weight_norm",
    }.items()
    for name in names.split()
}

# Functions that the table has a simple form of, for calls with as few arguments.
PLAIN_ARGUMENTS = {"torch.nn.functional.scaled_dot_product_attention": 3}
