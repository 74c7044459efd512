"""Kernels of gradients by formula: those that get the forward's output, and those that integers have too."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.engine.primitive import as_primitive
from torchspore.ops.gradients.pull_back import pull_back

__all__ = [
    "AbsGrad", "AcoshGrad", "AsinhGrad", "CholeskyGrad", "DropoutGrad", "DropoutGradExt", "EinsumGrad", "EluGrad",
    "EluGradExt",
    "GeluGradExt", "HardtanhGrad", "IgammaGradA", "InvGrad", "LeakyReLUGradExt", "LogSoftmaxGrad", "LogitGrad",
    "LuUnpackGrad", "MaximumGrad", "MaximumGradGrad", "MinimumGrad", "MinimumGradGrad", "RandomGammaGrad", "ReLU6Grad",
    "ReciprocalGrad", "ReluGrad", "RsqrtGrad", "SeluGrad", "SigmoidGrad", "SoftmaxBackward", "SoftmaxGrad",
    "SoftplusGradExt", "SqrtGrad", "SwigluGrad", "TanhGrad", "ThresholdGrad",
]  # fmt: skip

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


@as_primitive
def AbsGrad(x: Tensor, dout: Tensor) -> Tensor:
    """The gradient of `Abs`."""
    return dout * x.sgn()


@as_primitive
def AcoshGrad(out: Tensor, dout: Tensor) -> Tensor:
    """The gradient of `Acosh`, by its output."""
    return dout / out.sinh().conj()


@as_primitive
def AsinhGrad(out: Tensor, dout: Tensor) -> Tensor:
    """The gradient of `Asinh`, by its output."""
    return dout / out.cosh().conj()


@as_primitive
def ReluGrad(y_backprop: Tensor, x: Tensor) -> Tensor:
    """The gradient of `ReLU`, by its input or output."""
    return y_backprop * (x > 0)


@as_primitive
def ReLU6Grad(y_backprop: Tensor, x: Tensor) -> Tensor:
    """The gradient of `ReLU6`, by its input or output."""
    return y_backprop * ((x > 0) & (x < 6))


@as_primitive
def EluGrad(dout: Tensor, out: Tensor) -> Tensor:
    """The gradient of `Elu`, by its output."""
    return dout * torch.where(out > 0, 1, out + 1)


@as_primitive
def SeluGrad(gradient: Tensor, result: Tensor) -> Tensor:
    """The gradient of `SeLU`, by its output."""
    return gradient * torch.where(result > 0, _SELU_SCALE, result + _SELU_SCALE * _SELU_ALPHA)


@as_primitive
def SigmoidGrad(y: Tensor, dy: Tensor) -> Tensor:
    """The gradient of `Sigmoid`, by its output."""
    return dy * (y * (1 - y)).conj()


@as_primitive
def TanhGrad(y: Tensor, dy: Tensor) -> Tensor:
    """The gradient of `Tanh`, by its output."""
    return dy * (1 - y * y).conj()


@as_primitive
def SqrtGrad(dy: Tensor, y: Tensor) -> Tensor:
    """The gradient of `Sqrt`; the first input is its output."""
    return y / (2 * dy).conj()


@as_primitive
def RsqrtGrad(y_backprop: Tensor, x: Tensor) -> Tensor:
    """The gradient of `Rsqrt`; the first input is its output."""
    return (x * (y_backprop**3 * -0.5).conj()).to(x.dtype)


@as_primitive
def ReciprocalGrad(y: Tensor, dy: Tensor) -> Tensor:
    """The gradient of `Reciprocal`, by its output."""
    return -dy * (y * y).conj()


@as_primitive
def InvGrad(x: Tensor, grad: Tensor) -> Tensor:
    """The gradient of `Inv`, by its output."""
    return -grad * (x * x).conj()


@as_primitive
def LogitGrad(grad: Tensor, input: Tensor, *, eps: float = -1.0) -> Tensor:
    """The gradient of `Logit`."""
    return pull_back(lambda x: torch.logit(x, None if eps < 0 else eps), [input], [grad])[0]


@as_primitive
def SoftmaxGrad(y: Tensor, dy: Tensor) -> Tensor:
    """The gradient of `Softmax` along the last axis, by its output."""
    return (dy - (dy * y).sum(-1, keepdim=True)) * y


@as_primitive
def SoftmaxBackward(dout: Tensor, out: Tensor, dim: int = -1) -> Tensor:
    """The gradient of `Softmax`, by its output."""
    return (dout - (dout * out).sum(dim, keepdim=True)) * out


@as_primitive
def LogSoftmaxGrad(logits: Tensor, grad: Tensor, *, axis: int = -1) -> Tensor:
    """The gradient of `LogSoftmax`, by its output."""
    return grad - logits.exp() * grad.sum(axis, keepdim=True)


@as_primitive
def GeluGradExt(grad: Tensor, input: Tensor, approximate: str = "none") -> Tensor:
    """The gradient of `gelu`."""
    return pull_back(lambda x: functional.gelu(x, approximate=approximate), [input], [grad])[0]


@as_primitive
def EluGradExt(dout: Tensor, x_or_out: Tensor, alpha: float = 1.0, is_result: bool = False) -> Tensor:
    """The gradient of `elu`, by its input or output."""
    return dout * torch.where(x_or_out > 0, 1, x_or_out + alpha if is_result else alpha * x_or_out.exp())


@as_primitive
def HardtanhGrad(dout: Tensor, input: Tensor, min_val: float = -1, max_val: float = 1) -> Tensor:
    """The gradient of `hardtanh`."""
    return dout * ((input > min_val) & (input < max_val))


@as_primitive
def LeakyReLUGradExt(dy: Tensor, input: Tensor, negative_slope: float = 0.01, is_result: bool = False) -> Tensor:
    """The gradient of `leaky_relu`, by its input or, if the slope is positive, its output."""
    if is_result and negative_slope < 0:
        raise ValueError(f"'negative_slope' must be >= 0 if 'is_result' is True, but got {negative_slope}.")
    return dy * torch.where(input > 0, 1, negative_slope)


@as_primitive
def ThresholdGrad(grad_output: Tensor, input: Tensor, threshold: float) -> Tensor:
    """The gradient of `threshold`."""
    return grad_output * (input > threshold)


@as_primitive
def SoftplusGradExt(dout: Tensor, x: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """The gradient of `softplus`."""
    return pull_back(lambda x: functional.softplus(x, beta, threshold), [x], [dout])[0]


@as_primitive
def SwigluGrad(grad_output: Tensor, input: Tensor, dim: int = -1) -> Tensor:
    """The gradient of `swiglu`."""

    def forward(x: Tensor) -> Tensor:
        gate, rest = x.chunk(2, dim)
        return functional.silu(gate) * rest

    return pull_back(forward, [input], [grad_output])[0]


@as_primitive
def DropoutGrad(dy: Tensor, mask: Tensor, *, keep_prob: float = 0.5) -> Tensor:
    """The gradient of `Dropout`, by its mask."""
    return dy * mask.detach() / keep_prob


@as_primitive
def DropoutGradExt(input: Tensor, mask: Tensor, p: float) -> Tensor:
    """The gradient of `dropout`, by its mask of bits."""
    bits = mask.view(torch.uint8)[:, None] >> torch.arange(8, device=mask.device) & 1
    return input * bits.flatten()[: input.numel()].view(input.shape) / (1 - p)


def _shared(first: Tensor, x: Tensor, y: Tensor, grads: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of the inputs of a choice between them; equal elements get half of it each."""
    own = grads / 2 if grads.is_floating_point() else torch.div(grads, 2, rounding_mode="trunc")
    of_x = torch.where(x == y, own, torch.where(first, grads, 0))
    of_y = torch.where(x == y, own, torch.where(first, 0, grads))
    return of_x.sum_to_size(x.shape).to(grads.dtype), of_y.sum_to_size(y.shape).to(grads.dtype)


@as_primitive
def MaximumGrad(
    x: Tensor, y: Tensor, grads: Tensor, *, grad_x: bool = True, grad_y: bool = True
) -> tuple[Tensor, Tensor]:
    """The gradients of `Maximum`; as in MindSpore both whatever `grad_x` and `grad_y` are."""
    return _shared(x > y, x, y, grads)


@as_primitive
def MinimumGrad(
    x1: Tensor, x2: Tensor, grads: Tensor, *, grad_x: bool = True, grad_y: bool = True
) -> tuple[Tensor, Tensor]:
    """The gradients of `Minimum`; as in MindSpore both whatever `grad_x` and `grad_y` are."""
    return _shared(x1 < x2, x1, x2, grads)


@as_primitive
def MaximumGradGrad(
    x: Tensor, y: Tensor, dx: Tensor, dy: Tensor, *, grad_x: bool = True, grad_y: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `MaximumGrad`: of both inputs, zeros, and of the output's gradient."""
    return torch.zeros_like(x), torch.zeros_like(y), torch.where(x >= y, dx, dy)


@as_primitive
def MinimumGradGrad(x1: Tensor, x2: Tensor, grad_y1: Tensor, grad_y2: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `MinimumGrad`: of both inputs, zeros, and of the output's gradient."""
    return torch.zeros_like(x1), torch.zeros_like(x2), torch.where(x1 <= x2, grad_y1, grad_y2)


@as_primitive
def CholeskyGrad(x: Tensor, grad: Tensor) -> Tensor:
    """The gradient of `Cholesky`, by its output."""
    return pull_back(torch.linalg.cholesky, [x @ x.mT], [grad])[0]


@as_primitive
def EinsumGrad(x: list[Tensor], dout: Tensor, *, equation: str) -> tuple[Tensor, ...]:
    """The gradients of `Einsum`."""
    return tuple(pull_back(lambda *parts: torch.einsum(equation, *parts), x, [dout]))


@as_primitive
def LuUnpackGrad(
    L_grad: Tensor, U_grad: Tensor, LU_data: Tensor, *, L_grad_flag: bool, U_grad_flag: bool
) -> tuple[Tensor, Tensor]:
    """The gradients of the lower and the upper factor in the matrix that holds both."""
    rows, columns = LU_data.shape[-2:]

    def placed(gradient: Tensor) -> Tensor:
        return functional.pad(gradient, (0, columns - gradient.shape[-1], 0, rows - gradient.shape[-2]))

    lower, upper = placed(L_grad.tril(-1)), placed(U_grad.triu())
    return lower * L_grad_flag, upper * U_grad_flag


def _igamma_by_a(a: Tensor, x: Tensor) -> Tensor:
    """Return the derivative of the incomplete gamma function by `a`, by differences of fourth order in float64."""
    wide, by = torch.broadcast_tensors(a.double(), x.double())
    step = 1e-3 * wide.clamp(max=1)
    near = torch.igamma(wide + step, by) - torch.igamma(wide - step, by)
    far = torch.igamma(wide + 2 * step, by) - torch.igamma(wide - 2 * step, by)
    return (8 * near - far) / (12 * step)


@as_primitive
def IgammaGradA(a: Tensor, x: Tensor) -> Tensor:
    """The derivative of `Igamma` by its first input."""
    return _igamma_by_a(a, x).to(a.dtype)


@as_primitive
def RandomGammaGrad(alpha: Tensor, sample: Tensor) -> Tensor:
    """The derivative of a sample of the gamma distribution by `alpha`, where its distribution function is constant."""
    a, x = alpha.double(), sample.double()
    density = torch.exp((a - 1) * x.log() - x - torch.lgamma(a))
    return (-_igamma_by_a(a, x) / density).to(alpha.dtype)
