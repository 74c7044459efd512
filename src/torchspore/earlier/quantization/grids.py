"""Scales and zero points of grids, weights as integers, and what a quantized network takes from a plain one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchspore.common.parameter import Parameter
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell

__all__ = [
    "cal_quantization_params", "compute_kl_threshold", "fold_batchnorm", "get_quant_min_max",
    "load_nonquant_param_into_quant_net", "query_quant_layers", "scale_zp_max_min_from_fake_quant_cell", "weight2int",
    "without_fold_batchnorm",
]  # fmt: skip


def cal_quantization_params(
    input_min: Any, input_max: Any, quant_min: int, quant_max: int, data_type: Any, symmetric: bool = False
) -> tuple[Any, Any]:
    """Return the steps and the zero points of grids.

    Args:
        input_min, input_max: arrays of the limits; 0 is between them.
        quant_min, quant_max: the first and the last number of the grid.
        data_type: the NumPy type of its numbers: int8, or uint8.
        symmetric: whether the grid is as far below 0 as above. Default: False.

    Raises:
        ValueError: the shapes of the limits differ, or a lower one is above the upper one.

    Source: MindSpore 1.10, `compression.quant.quant_utils.cal_quantization_params`.

    Examples:
        >>> import numpy as np
        >>> from torchspore.earlier.quantization import cal_quantization_params
        >>> step, zero = cal_quantization_params(np.array([-1.0]), np.array([2.0]), 0, 255, np.uint8)
        >>> print(step.round(5), zero)
        [0.01176] [85.]
    """
    low, high = np.minimum(input_min, 0), np.maximum(input_max, 0)
    if low.shape != high.shape or (low > high).any():
        raise ValueError(
            "For 'cal_quantization_params', 'input_min' must be of the shape of 'input_max', and not above it, but got "
            f"{describe(input_min)} and {describe(input_max)}."
        )
    if symmetric:
        high = np.maximum(-low, high)
        low = -high
    step = (high - low) / (quant_max - quant_min)
    step = np.where(step == 0, 1, step)
    if symmetric and data_type == np.int8:
        return step, np.zeros(low.shape)
    zero = np.floor(np.clip(quant_min - low / step, quant_min, quant_max) + 0.5)
    return step, np.where(low == high, 0, zero)


def get_quant_min_max(data_type: Any, num_bits: int = 8, narrow_range: bool = False) -> tuple[int, int]:
    """Return the first and the last number of a grid of a NumPy type: int8, or uint8.

    Raises:
        ValueError: the type is another.

    Source: MindSpore 1.10, `compression.quant.quant_utils.get_quant_min_max`.
    """
    if data_type not in {np.int8, np.uint8}:
        raise ValueError(
            f"For 'get_quant_min_max', 'data_type' must be numpy.int8 or numpy.uint8, but got {describe(data_type)}."
        )
    first = -(2 ** (num_bits - 1)) if data_type == np.int8 else 0
    return first + narrow_range, first + 2**num_bits - 1


def weight2int(data: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> Any:
    """Return an array as numbers of a grid, a whole one or one for each row or column.

    Args:
        data: the array.
        scale, zero_point: the steps and the zero points, of one or of all rows, or columns.
        quant_min, quant_max: the first and the last number.

    Raises:
        ValueError: there are neither one nor as many grids as rows or columns.

    Source: MindSpore 1.10, `compression.quant.quant_utils.weight2int`.
    """
    count, axis = len(scale), 0
    if count > 1:
        axes = [axis for axis in (0, 1) if axis < data.ndim and data.shape[axis] == count]
        if not axes or len(zero_point) != count:
            raise ValueError(
                "For 'weight2int', 'scale' and 'zero_point' must have one number, or one for each row or column of "
                f"'data', but got {count} and {len(zero_point)} for the shape {data.shape}."
            )
        axis = axes[0]
    shape = [1] * data.ndim
    shape[axis] = count
    levels = np.round(data / np.reshape(scale, shape) + np.reshape(zero_point, shape))
    return np.clip(levels, quant_min, quant_max)


def scale_zp_max_min_from_fake_quant_cell(cell: Any, data_type: Any) -> tuple[Any, Any, Any, Any]:
    """Return the steps, the zero points and the upper and lower limits of an observer.

    Source: MindSpore 1.10, `compression.quant.quant_utils.scale_zp_max_min_from_fake_quant_cell`.
    """
    low, high = cell.minq.asnumpy(), cell.maxq.asnumpy()
    first, last = get_quant_min_max(data_type, cell.num_bits, cell.narrow_range)
    return (*cal_quantization_params(low, high, first, last, data_type, cell.symmetric), high, low)


def fold_batchnorm(weight: Any, cell_quant: Any) -> tuple[Any, Any]:
    """Return a weight and a bias with the batch normalization of a layer in them.

    Args:
        weight: an array.
        cell_quant: a `Conv2dBnFoldQuant`, or another layer with these parameters.

    Source: MindSpore 1.10, `compression.quant.quant_utils.fold_batchnorm`.
    """
    gamma, beta, mean, variance = (
        getattr(cell_quant, name).asnumpy() for name in ("gamma", "beta", "moving_mean", "moving_variance")
    )
    factor = gamma / np.sqrt(variance + cell_quant.eps)
    return weight * factor.reshape(-1, *[1] * (weight.ndim - 1)), beta - mean * factor


def without_fold_batchnorm(weight: Any, cell_quant: Any) -> tuple[Any, Any]:
    """Do the same for a `Conv2dBnWithoutFoldQuant`.

    Source: MindSpore 1.10, `compression.quant.quant_utils.without_fold_batchnorm`.
    """
    return fold_batchnorm(weight, cell_quant.batchnorm)


def compute_kl_threshold(data: Any, bitwidth: Any) -> float:
    """Return up to where numbers are kept so that rounding them to a grid loses the least information.

    The distribution of the absolute values, in as many parts as the root of their number, is cut after each part, and
    compared with its form on the grid by the Kullback-Leibler divergence. With fewer parts than the grid has numbers,
    it is the largest value.

    Args:
        data: an array.
        bitwidth: a `QuantDtype`, the type of the grid's numbers.

    Source: MindSpore 1.10, `compression.quant.quant_utils.compute_kl_threshold`.
    """
    values = np.abs(data).ravel()
    top = float(values.max())
    levels, parts = 2 ** (bitwidth.num_bits - 1) - 1, math.ceil(math.sqrt(values.size))
    counts, edges = np.histogram(values, bins=parts, range=(0, top or 1))
    cuts = range(levels + 1, parts + 1)
    if not cuts:
        return top
    best = min(cuts, key=lambda cut: _divergence(counts, cut, levels))
    return min(top, float((best + 0.5) * edges[1]))


def _divergence(counts: Any, cut: int, levels: int) -> float:
    """Return how much a distribution whose tail is cut differs from its form on a grid."""
    observed = counts[:cut].astype(np.float64)
    observed[-1] += counts[cut:].sum()
    starts = np.linspace(0, cut, levels + 1).astype(int)
    filled = counts[:cut] != 0
    means = np.add.reduceat(counts[:cut], starts[:-1]) / np.maximum(np.add.reduceat(filled, starts[:-1]), 1)
    rounded = np.where(filled, np.repeat(means, np.diff(starts)), 0)
    first, second = (smoothed / smoothed.sum() for smoothed in (_smoothed(observed), _smoothed(rounded)))
    return float((first * np.log(first / second)).sum())


def _smoothed(distribution: Any) -> Any:
    return distribution / max(distribution.sum(), 1) + 1e-3


def query_quant_layers(network: Cell) -> None:
    """Print the observers of a network, and the types of their grids' numbers.

    Source: MindSpore 1.10, `compression.quant.query_quant_layers`.
    """
    for path, cell in network.cells_and_names():
        if hasattr(cell, "quant_dtype"):
            print(f"{path:60s}\t{cell.quant_dtype!s:10s}")


def load_nonquant_param_into_quant_net(
    quant_model: Cell, params_dict: dict[str, Parameter], quant_new_params: list[str] | None = None
) -> None:
    """Load the parameters of a plain network into the quantized one that was made of it.

    Args:
        quant_model: the quantized network.
        params_dict: the parameters by their names in the plain network, where those of a batch normalization are
            in `batchnorm`.
        quant_new_params: parts of names of parameters that only the quantized network has. Default: None.

    Raises:
        ValueError: a parameter of the quantized network is neither there nor new.

    Source: MindSpore 1.10, `compression.quant.load_nonquant_param_into_quant_net`.
    """
    new = ("minq", "maxq", "quant_max", "step", *(quant_new_params or ()))
    for path, parameter in quant_model.parameters_and_names():
        cell, _, name = path.rpartition(".")
        around = cell.rpartition(".")[0]
        names = [path, f"{around}.batchnorm.{name}".lstrip("."), f"{around}.{name}".lstrip(".")]
        found = next((params_dict[each] for each in names if each in params_dict), None)
        if found is not None:
            parameter.set_data(found)
        elif not any(part in path for part in new):
            raise ValueError(
                f"For 'load_nonquant_param_into_quant_net', 'params_dict' must have '{path}', but it is missing. Name "
                "it in 'quant_new_params' if only the quantized network has it."
            )
