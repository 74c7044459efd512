"""Records how MindSpore 2.10 prints tensors: `python record_printing.py` with MindSpore writes printing.json.

A case is the recipe of a tensor and the two texts. Its values are `values`, flat, in row-major order (complex numbers,
nan and inf as text), or, where there is a `ramp`, start + step * i. `options` go to `numpy.set_printoptions`.
"""

import json
import math
from pathlib import Path

import mindspore as ms
import numpy as np

INTS = ["int8", "int16", "int32", "int64"]
UINTS = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2"]
ALL = ["bool", *INTS, *UINTS, *FLOATS, *COMPLEX]
SPECIAL = ["nan", "-nan", "inf", "-inf"]
WIDE = [1e300, -1e300, 1e-300, 5e-324, 1.0, "nan"]
PAIRS = [
    *["1+2j", "1-2j", "-1.5-0.25j", "-0.0j", "-0+0j", "nan+nanj", "-nan-nanj", "inf-infj", "1e20-1e-20j"],
    "1.23456789+9.87654321j",
]
SCALARS = [
    *[1.5, -2.5, 0.1, -0.0, 1e-5, 1e-4, 0.00012345678, 2048, 65504, 99999.9, 1e5, 123456.7, 1e6, 1234567.0, 2.0**24],
    *[1e15, 1e16, 1e20, *SPECIAL],
]
ROWS = [
    *[SPECIAL, ["nan", 1, "-inf", -2], ["nan"], ["inf", 1.5], [0.1, 0.2, 0.3], [1e-5, 1e4], [2048, 1], [2048, 3000]],
    *[[1e-4, 1.2345678, 3e4, -0.0], [0.001, "nan", 3, 4], [1.5, 1000.25]],
]
SHAPES = [
    *[(999,), (1000,), (1008,), (5000,), (6, 6), (7, 1), (1, 7), (40, 30), (6, 200), (1001, 1), (1, 1001), (2000, 3)],
    *[(2, 3, 7), (2, 7, 3), (7, 2, 3), (9, 9, 9), (3, 4, 5, 6), (7, 7, 7, 7), (2, 1, 7, 2, 1)],
]


def recipes():
    """Yield the cases without their texts."""

    def case(dtype, shape, values=None, **more):
        return {"dtype": dtype, "shape": list(shape), **({} if values is None else {"values": values}), **more}

    def ramp(dtype, shape, start=0, step=1, **more):
        return case(dtype, shape, ramp=[start, step], **more)

    for dtype in ALL:
        for shape in [(), (1,), (2,), (3, 2), (1, 1, 1), (2, 1, 3), (2, 2, 1, 2), (12,), (13,), (24,), (25,), (49,)]:
            yield ramp(dtype, shape, start=1)
        for shape in [(0,), (2, 0), (0, 3), (2, 0, 3)]:
            yield case(dtype, shape, [])
        for shape in [(1001,), (2, 7), (8, 9)]:
            yield ramp(dtype, shape)
    for dtype in [*INTS, *FLOATS, *COMPLEX]:
        yield case(dtype, (), [-7])
        yield case(dtype, (3,), [-1, 20, 0])
        yield case(dtype, (2, 2), [-100, 5, 3, 4])
    for dtype in [*INTS, *UINTS]:
        limits = np.iinfo(dtype)
        yield case(dtype, (3,), [limits.min, limits.max, 0])
        yield case(dtype, (), [limits.max])
    for dtype in [*FLOATS, *COMPLEX]:
        for value in SCALARS:
            if dtype != "float16" or abs(float(value)) < 65505 or value in SPECIAL:
                yield case(dtype, (), [value])
        for values in ROWS:
            yield case(dtype, (len(values),), values)
            yield case(dtype, (1, len(values)), values)
        if dtype != "float16":
            for values in [[1e8, 1], [2.0**24, 2.0**25], [1e15, 2e15], [1e16], [1e-10, 1e20], [123456.789, 0.5]]:
                yield case(dtype, (len(values),), values)
    for dtype in COMPLEX:
        yield case(dtype, (10,), PAIRS)
        yield case(dtype, (2, 5), PAIRS)
        for pair in PAIRS:
            yield case(dtype, (), [pair])
    for dtype in FLOAT8:
        yield case(dtype, (), [1.5])
        yield case(dtype, (3,), [1, -2.5, "nan"])
        yield case(dtype, (2, 2), [1, -2.5, 0.25, -0.0])
        yield ramp(dtype, (24,))
        yield ramp(dtype, (25,))
    yield case("float64", (6,), WIDE)
    yield case("float64", (2, 3), WIDE)
    for shape in SHAPES:
        yield ramp("int32", shape)
        yield ramp("float32", shape, start=-3, step=0.37)
    yield ramp("bfloat16", (40, 30), step=0.5)
    yield ramp("int64", (10,), start=-(10**15), step=10**14)
    yield case("int32", (7, 2), [1, 2, 3, 4, 5, 6, 10**9, 8, 9, 10, 11, 12, 13, 14])
    narrow = {"precision": 2, "threshold": 5, "edgeitems": 1, "suppress": True, "linewidth": 20}
    others = [{"precision": 3}, {"linewidth": 40}, {"threshold": 3}, {"floatmode": "fixed"}]
    for options in [narrow, *others, {"sign": "+"}]:
        for dtype in ["int32", "float32", "bfloat16", "complex64"]:
            for shape in [(), (12,), (3, 4)]:
                if options != {"sign": "+"} or dtype != "int32":  # NumPy 1 has no sign for integers, NumPy 2 has
                    yield ramp(dtype, shape, step=1234.5678, options=options)
    yield case("float32", (3,), ["nan", "inf", 1], options={"nanstr": "?", "infstr": "huge"})
    yield case("bfloat16", (3,), ["nan", "inf", 1], options={"nanstr": "?", "infstr": "huge"})


def number(value, dtype):
    """Return a recorded value as a number."""
    if dtype == "bool" or "int" in dtype:
        return value
    return complex(value) if dtype in COMPLEX else float(value)


def tensor(case):
    """Return the tensor that a recipe describes."""
    dtype, shape = case["dtype"], case["shape"]
    if "ramp" in case:
        start, step = case["ramp"]
        array = start + step * np.arange(math.prod(shape))
    else:
        wide = "float64" if "float" in dtype else dtype
        array = np.array([number(value, dtype) for value in case["values"]], wide)
    if "float" in dtype and not hasattr(np, dtype):  # NumPy has no bfloat16 and no float8
        return ms.Tensor(array.reshape(shape).astype("float32"), getattr(ms, dtype))
    return ms.Tensor(array.astype(dtype).reshape(shape))


def main():
    cases = []
    for case in recipes():
        made = tensor(case)
        with np.printoptions(**case.get("options", {})):
            texts = {"str": str(made), "repr": repr(made)}
        if case["dtype"] in FLOAT8:  # on the CPU, MindSpore prints every float8 number as ()
            del texts["str"]
        cases.append({**case, **texts})
    lines = ",\n".join(json.dumps(case) for case in cases)
    Path(__file__).with_name("printing.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
