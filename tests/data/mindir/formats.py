"""Have MindSpore write `formats.zip` beside this file: one layer, encrypted, and with its weights in other files.

Run it in environments that have MindSpore 1.10 and 2.10: `python tests/data/mindir/formats.py FOLDER`. The files come
into the folder, and the archive has all that are there.
"""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import serialization

FOLDER = Path(__file__).resolve().parent
VERSION = ".".join(ms.__version__.split(".")[:2])
KEY = b"0123456789abcdef"
MODES = {"AES-GCM": KEY, "AES-CBC": 2 * KEY, "SM4-CBC": KEY}


def write(name: str, net: Any, inputs: Any, **options: Any) -> None:
    """Write a file, or say why there is none."""
    try:
        ms.export(net, inputs, file_name=f"{VERSION}-{name}", file_format="MINDIR", **options)
    except Exception as error:
        print(VERSION, name, str(error)[:100].replace("\n", " "))


def main(folder: str) -> None:
    """Write all files."""
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    os.chdir(folder)
    net = nn.Dense(3, 4)
    net.weight.set_data(Tensor(np.arange(12).reshape(4, 3) / 8, ms.float32))
    net.bias.set_data(Tensor(np.arange(4), ms.float32))
    x = Tensor(np.ones((2, 3)), ms.float32)
    for mode, key in MODES.items():
        write(mode, net, x, enc_key=key, enc_mode=mode)
    write("function", net, x, enc_key=b"k", enc_mode=lambda content, key: bytes(byte ^ key[0] for byte in content))
    if VERSION != "1.10":
        write("user", net, x, custom_func=lambda model: model.user_info.update({"who": "me"}))
        write("rank", nn.ReLU(), Tensor(shape=None, dtype=ms.float32))
        open_size = nn.Dense(3, 4)
        open_size.set_inputs(Tensor(shape=[ms.Symbol(max=10, min=1), 3], dtype=ms.float32))
        write("symbol", open_size, Tensor(shape=[ms.Symbol(max=10, min=1), 3], dtype=ms.float32))
    # From 1 GiB on the weights come into other files.
    serialization.TOTAL_SAVE = 0
    serialization._calculation_net_size = lambda net: 2**40
    write("weights", net, x)
    write("secret", net, x, enc_key=KEY, enc_mode="AES-GCM")
    with zipfile.ZipFile(FOLDER / "formats.zip", "w", zipfile.ZIP_LZMA) as archive:
        for path in sorted(Path().rglob("*")):
            if path.is_file():
                archive.writestr(zipfile.ZipInfo(str(path)), path.read_bytes(), zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(sys.argv[1])
