"""Conversions between data types."""

_METHODS = ["bool", "byte", "short", "int", "long", "half", "float", "double", "bfloat16"]

CASES = [
    *[f"ops.cast(x * 100, ms.{name})" for name in ("int8", "uint8", "int32", "float16", "float64", "bool_")],
    *[f"ops.cast(i, ms.{name})" for name in ("uint8", "int64", "float32", "bool_", "bfloat16", "complex64")],
    "ops.cast(nan, ms.int32)", "ops.cast(nan, ms.bool_)", "ops.cast(b, ms.float32)", "ops.cast(h, ms.float32)",
    "ops.cast(u, ms.int8)", "ops.cast(w, ms.complex128)", "ops.cast(w, ms.float32)", "ops.cast(x, ms.float32)",
    "ops.cast(e, ms.int32)", "ops.cast(s, ms.int32)", "ops.cast(1.5, ms.int32)", "ops.cast(True, ms.float32)",
    "ops.cast(2, ms.complex64)", "ops.Cast()(x, ms.float64)", "ops.Cast()(3, ms.float32)",
    *[f"x.{name}()" for name in _METHODS],
    *[f"i.{name}()" for name in _METHODS],
    "w.int()", "w.bool()", "x.astype(ms.float16)", "x.astype('int32')", "x.astype('Float32')", "x.astype('float')",
    "x.astype('int')", "x.astype(float)", "x.astype(int)", "x.astype(bool)", "x.astype(complex)",
    "x.astype(np.float64)", "x.astype(ms.int32, copy=False)", "x.type()", "i.type()", "b.type()", "x.type(ms.float16)",
    "x.type('int64')", "x.type(float)", "x.to(ms.float16)", "x.to(dtype=ms.int32)", "x.to(ms.float16, False, True)",
    "x.to(i)", "x.to(other=h)", "x.to('CPU')", "x.to('CPU', ms.float16)", "x.to(device='CPU', dtype=ms.int32)",
    "x.to(None)", "x.to('CPU', ms.float16, True, False)", "x.to(None, ms.float16)", "x.to()", "x.type_as(i)",
    "i.type_as(x)",
    # gradients through integers
    "x.to(dtype=ms.int32).to(ms.float32) * y", "x.to('CPU', ms.int32).to(ms.float32) * y",
    "x.to(i).to(ms.float32) * y", "x.to(ms.int32, False, True).to(ms.float32) * y",
    # errors
    "ops.cast(x, None)", "ops.cast(x, 'foo')", "ops.cast('a', ms.float32)", "ops.cast(None, ms.float32)",
    "ops.cast(x)", "ops.cast(np.ones(2), ms.float32)", "x.astype('foo')", "x.astype()", "x.to(1)", "x.to('foo')",
    "x.to(ms.float16, 1)", "x.to(ms.float16, False, False, False)", "x.to(x, device='CPU')", "x.type('foo')",
]  # fmt: skip
