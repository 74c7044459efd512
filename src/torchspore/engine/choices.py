"""Names of choices that MindSpore reads in any case: "MEAN" is "mean".

Other names of choices must be in lower case there, too.
"""

from __future__ import annotations

__all__ = ["in_any_case"]

# By operation: the names of the parameters.
_PARAMETERS = {
    "GridSampler2D": "interpolation_mode padding_mode",
    "GridSampler3D": "interpolation_mode padding_mode",
    "_loss_and_weight": "reduction",
    "binary_cross_entropy": "reduction",
    "binary_cross_entropy_with_logits": "reduction",
    "div": "rounding_mode",
    "grid_sample": "mode padding_mode",
    "meshgrid": "indexing",
    "smooth_l1_loss": "reduction",
    "tensor_scatter_elements": "reduction",
}
_FFTS = tuple([f"{kind}fft{rank}" for kind in ("", "h", "i", "ih", "ir", "r") for rank in ("", "2", "n")])


def in_any_case(operation: str, parameter: str) -> bool:
    """Return whether MindSpore reads a choice of an operation in any case."""
    return parameter in _PARAMETERS.get(operation, "norm" if operation in _FFTS else "").split()
