"""Have MindSpore 2.10 write the checkpoints next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/checkpoints/record.py`. The tests import what the
files hold, and the keys, from here.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent

# Every tensor has this shape and, in order, these values: bools the parity, complex numbers also their negative as
# imaginary part.
SHAPE = (2, 3)
VALUES = [0, 1, 2, 3, 4, 5]
TYPES = [
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "bfloat16",
]  # fmt: skip
COMPLEX = ["complex64", "complex128"]  # MindSpore writes these and cannot read them
APPENDED = {"epoch": 3, "rate": 0.1, "done": True, "note": "h\u4e2d\U0001f600", "none": "", "low": -(2**40)}

KEYS = {16: b"0123456789ABCDEF", 24: b"0123456789ABCDEF01234567", 32: b"0123456789ABCDEF0123456789ABCDEF"}
ENCRYPTED = [
    (mode, length)
    for mode, lengths in {"AES-GCM": (16, 24, 32), "AES-CBC": (16, 24, 32), "SM4-CBC": (16,)}.items()
    for length in lengths
]

# A tensor of 600 float32 in pieces, and a file in encrypted blocks, of 1 KiB: MindSpore's own limits made small.
SPLIT = 600


def main() -> None:
    """Write all files."""
    import mindspore as ms
    import numpy as np
    from mindspore.train import serialization

    def parameter(name: str, dtype: str) -> ms.Parameter:
        values = np.array(VALUES).reshape(SHAPE)
        if dtype in COMPLEX:
            values = values - 1j * values
        return ms.Parameter(ms.Tensor(values % 2 if dtype == "bool_" else values, getattr(ms, dtype)), name)

    def save(values: list[ms.Parameter], name: str, **options: object) -> None:
        path = FOLDER / name
        path.unlink(missing_ok=True)
        ms.save_checkpoint(values, str(path), **options)
        path.chmod(0o644)

    parameters = [parameter(dtype, dtype) for dtype in TYPES]
    parameters.append(ms.Parameter(ms.Tensor(2.5, ms.float32), "scalar"))
    save(parameters, "types.ckpt", append_dict=APPENDED)
    save([parameter(dtype, dtype) for dtype in COMPLEX], "complex.ckpt")
    save(parameters, "crc.ckpt", crc_check=True)
    save(parameters, "types.safetensors", format="safetensors")
    without_bfloat16 = [p for p in parameters if p.name != "bfloat16"]  # MindSpore fails at its checksum
    save(without_bfloat16, "crc.safetensors", format="safetensors", crc_check=True)
    long = [ms.Parameter(ms.Tensor(np.arange(SPLIT), ms.float32), "long"), parameter("after", "int32")]
    serialization.SLICE_SIZE = serialization.ENCRYPT_BLOCK_SIZE = 1
    save(long, "split.ckpt")
    for mode, length in ENCRYPTED:
        save(long, f"{mode}-{length}.ckpt", enc_key=KEYS[length], enc_mode=mode)


if __name__ == "__main__":
    main()
