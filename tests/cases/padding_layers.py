"""Padding layers."""

_CALLS = [
    "ConstantPad1d((1, 2), 9)(x)", "ConstantPad1d((1, 2), 0.5)(v)", "ConstantPad1d(1, 9)(img)",
    "ConstantPad1d(-1, 9)(x)", "ConstantPad1d((2, -1), 9)(z)", "ConstantPad1d(1, 0.5)(i)", "ConstantPad1d(1, 7)(h)",
    "ConstantPad1d(1, True)(v)", "ConstantPad2d((1, 2), 9)(x)", "ConstantPad2d((1, 2, -1, 0), 9)(z)",
    "ConstantPad2d(1, 0.5)(img)", "ConstantPad3d((1, 2, -1, 0), 9)(x)", "ConstantPad3d((0, 1, 2, 0, 1, 1), 9)(z)",
    "ConstantPad3d(1, 0)(img)", "ConstantPad1d(1, 0).padding", "ConstantPad2d((1, 2, 3, 4), 0.5).padding",
    "ConstantPad1d(1, 0.5).value", "ZeroPad2d((1, 2))(x)", "ZeroPad2d((1, 2, 0, 1))(z)", "ZeroPad2d(1)(u)",
    "ReflectionPad1d(1)(x)", "ReflectionPad1d((1, 2))(z)", "ReflectionPad1d((3, 2))(img)", "ReflectionPad1d((2, 0))(v)",
    "ReflectionPad1d(2)(i)", "ReflectionPad1d(1)(h)", "ReflectionPad2d(1)(x)", "ReflectionPad2d((1, 2, 1, 0))(z)",
    "ReflectionPad2d(2)(img)", "ReflectionPad2d((1, 1))(z)", "ReflectionPad3d((1, 2, 0, 1, 1, 0))(z)",
    "ReflectionPad3d(1)(img)", "ReflectionPad3d((1, 0, 2, 1, 1, 1))(img.reshape((1, 2, 4, 6, 6)))",
    "ReplicationPad1d(1)(x)", "ReplicationPad1d((5, 2))(z)", "ReplicationPad1d(-1)(z)", "ReplicationPad1d(1)(h)",
    "ReplicationPad2d((1, 2, 0, 3))(z)", "ReplicationPad2d(2)(img)", "ReplicationPad3d((1, 1, 0, 2, 3, 0))(img)",
    "ReplicationPad3d(1)(img.reshape((1, 2, 4, 6, 6)))",
]  # fmt: skip
_ERRORS = [
    "ConstantPad1d([1, 2], 9)", "ConstantPad1d(1.0, 9)", "ConstantPad1d((1,), 9)", "ConstantPad1d((1, 2, 3, 4), 9)",
    "ConstantPad1d((1, 2.0), 9)(x)", "ConstantPad1d(True, 9)(x)", "ConstantPad1d(1, 'a')", "ConstantPad1d(1, None)",
    "ConstantPad1d(-3, 9)(x)", "ConstantPad2d((1, 2, 3), 9)", "ConstantPad2d(1, 9)(v)", "ConstantPad3d(1, 9)(x)",
    "ConstantPad3d((1,) * 8, 9)", "ZeroPad2d('a')", "ZeroPad2d((1, 2, 3))", "ZeroPad2d(1)(3)", "ReflectionPad1d(1.0)",
    "ReflectionPad1d((1.0, 1))", "ReflectionPad1d([1, 1])", "ReflectionPad1d((1,))", "ReflectionPad1d(-1)",
    "ReflectionPad1d(4)(x)", "ReflectionPad2d(1)(v)", "ReflectionPad2d(1)(3)", "ReflectionPad3d((1, 2, 3))",
    "ReplicationPad1d((1, 2, 3))", "ReplicationPad1d((1, 2.0))", "ReplicationPad1d([1, 2])", "ReplicationPad1d(1.0)",
    "ReplicationPad2d(1)(v)",
]  # fmt: skip

CASES = [f"nn.{case}" for case in [*_CALLS, *_ERRORS]] + [
    f"repr(nn.{name}(1))" for name in ("ReflectionPad1d", "ReplicationPad3d", "ZeroPad2d")
]

DIFFERENCES = {"nn.ReflectionPad2d(1)(3)": ("what is not a Tensor is a TypeError", {"error": "TypeError"})}
