"""A check of the installation.

MindSpore: `mindspore.run_check`.
"""

from __future__ import annotations

import sys

import torch

from torchspore import version
from torchspore.common import device as devices

__all__ = ["run_check"]


def run_check() -> None:
    """Compute something on the device in use, and print whether the result is right.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
        >>> ms.run_check()
        TorchSpore version: ...
        The result of multiplication calculation is correct, TorchSpore has been installed on platform [CPU]
        successfully!
    """
    numbers = torch.arange(6.0, device=devices.current()).reshape(2, 3)
    product = (numbers @ numbers.T).tolist()
    name = "MindSpore" if "torchspore.as_mindspore" in sys.modules else "TorchSpore"
    print(f"{name} version: ", version.__version__)
    if product == [[5.0, 14.0], [14.0, 50.0]]:
        print(
            f"The result of multiplication calculation is correct, {name} has been installed on platform "
            f"[{devices.target()}] successfully!"
        )
    else:
        print(f"The result of multiplication calculation is wrong on platform [{devices.target()}]: {product}.")
