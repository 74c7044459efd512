"""Training with quantized numbers, which MindSpore had up to 1.10: layers, and the conversion of a network to them.

In training, weights and activations are rounded to grids of few bits, and gradients pass the rounding. B. Jacob et al.,
Quantization and training of neural networks, 2018; R. Krishnamoorthi, Quantizing deep convolutional networks, 2018.
"""

from __future__ import annotations

from torchspore.earlier.quantization.conversion import OptimizeOption, QuantizationAwareTraining, Quantizer
from torchspore.earlier.quantization.folded import Conv2dBnFoldQuant, Conv2dBnFoldQuantOneConv
from torchspore.earlier.quantization.grids import (
    cal_quantization_params,
    compute_kl_threshold,
    fold_batchnorm,
    get_quant_min_max,
    load_nonquant_param_into_quant_net,
    query_quant_layers,
    scale_zp_max_min_from_fake_quant_cell,
    weight2int,
    without_fold_batchnorm,
)
from torchspore.earlier.quantization.layers import (
    ActQuant,
    Conv2dBnWithoutFoldQuant,
    Conv2dQuant,
    DenseQuant,
    MulQuant,
    TensorAddQuant,
)
from torchspore.earlier.quantization.observers import (
    FakeQuantWithMinMaxObserver,
    QuantConfig,
    QuantDtype,
    UniformQuantObserver,
    create_quant_config,
    quant_config_default,
)
from torchspore.nn.layer.combined import Conv2dBnAct, DenseBnAct

__all__ = [
    "ActQuant", "Conv2dBnAct", "Conv2dBnFoldQuant", "Conv2dBnFoldQuantOneConv", "Conv2dBnWithoutFoldQuant",
    "Conv2dQuant", "DenseBnAct", "DenseQuant", "FakeQuantWithMinMaxObserver", "MulQuant", "OptimizeOption",
    "QuantConfig", "QuantDtype", "QuantizationAwareTraining", "Quantizer", "TensorAddQuant", "UniformQuantObserver",
    "cal_quantization_params", "compute_kl_threshold", "create_quant_config", "fold_batchnorm", "get_quant_min_max",
    "load_nonquant_param_into_quant_net", "quant_config_default", "query_quant_layers",
    "scale_zp_max_min_from_fake_quant_cell", "weight2int", "without_fold_batchnorm",
]  # fmt: skip
