"""Compare networks of the package mindcv with MindSpore's own: run it twice, in environments with mindcv.

    python tools/compare_networks.py record FOLDER resnet18,swin_tiny    # with MindSpore
    python tools/compare_networks.py compare FOLDER resnet18,swin_tiny   # with TorchSpore

The first call makes each network, and writes a checkpoint of it and its outputs for two random images into the folder.
The second makes the network under TorchSpore, loads the checkpoint, in which all names must match, and compares the
outputs, in PYNATIVE_MODE and in GRAPH_MODE.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import numpy as np

task, folder, names = sys.argv[1:]
if task == "compare":
    import torchspore.as_mindspore  # noqa: F401

import mindcv  # noqa: E402
import mindspore as ms  # noqa: E402

SIZES = {"inception_v3": 299, "inception_v4": 299, "xception": 299}


def images(name: str) -> Any:
    """Return the inputs of a network."""
    size = SIZES.get(name) or next((size for size in (448, 384, 256, 240, 192, 128) if f"_{size}" in name), 224)
    return ms.Tensor(np.random.RandomState(0).rand(2, 3, size, size).astype(np.float32))


def output(net: Any, name: str, mode: int) -> Any:
    """Return the first output of a network as an array."""
    ms.set_context(mode=mode)
    result = net(images(name))
    return (result[0] if isinstance(result, (tuple, list)) else result).asnumpy()


def record(name: str) -> str:
    """Write a network's checkpoint and outputs."""
    net = mindcv.create_model(name, num_classes=10).set_train(False)
    ms.save_checkpoint(net, os.path.join(folder, f"{name}.ckpt"))
    np.save(os.path.join(folder, f"{name}.npy"), output(net, name, ms.PYNATIVE_MODE))
    return "recorded"


def compare(name: str) -> str:
    """Print whether a network returns the recorded outputs."""
    expected = np.load(os.path.join(folder, f"{name}.npy"))
    net = mindcv.create_model(name, num_classes=10).set_train(False)
    missing, left = ms.load_param_into_net(net, ms.load_checkpoint(os.path.join(folder, f"{name}.ckpt")), True)
    if missing or left:
        return f"names differ: {missing[:3]}, {left[:3]}"
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        found = output(net, name, mode)
        if not np.allclose(found, expected, rtol=1e-3, atol=1e-4 * max(1.0, np.abs(expected).max())):
            return f"differs by {np.abs(found - expected).max()} of {np.abs(expected).max()}, mode {mode}"
    return "the same"


for network in names.split(","):
    try:
        print(network, record(network) if task == "record" else compare(network), flush=True)
    except Exception:  # MindSpore does not run all of them
        print(network, traceback.format_exc(limit=-1).strip().splitlines()[-1][:200], flush=True)
