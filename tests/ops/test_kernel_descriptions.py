"""Descriptions of kernels, what is registered with them, and kernels written in Python."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import ops
from torchspore.ops import AiCPURegOp, AkgAscendRegOp, AkgGpuRegOp, CpuRegOp, CustomRegOp, DataType, TBERegOp

F32 = DataType.F32_Default
EMPTY = {"inputs": [], "outputs": [], "attr": [], "fusion_type": "", "dtype_format": []}
OF_TBE = {
    "imply_type": "TBE", "async_flag": False, "binfile": "", "compute_cost": 10, "kernel": "", "partial_flag": False,
    "reshape_type": "", "dynamicRankSupport": False, "dynamicShapeSupport": False, "dynamicCompileStatic": False,
    "needCheckSupport": False, "dynamicFormat": False, "op_pattern": "", "real_input_index": [],
    "input_to_attr_index": [], "unknown_shape_formats": [],
}  # fmt: skip

# A description, and what MindSpore's own gives, but for what is as in `EMPTY`.
DESCRIPTIONS = [
    (lambda: CpuRegOp("Neg"), {"op_name": "Neg", "imply_type": "CPU"}),
    (
        lambda: CpuRegOp("Neg").attr("axis", "int", "3", foo="b").input(0, "x", "dynamic").output(0, "y")
        .dtype_format(F32, F32),
        {"op_name": "Neg", "imply_type": "CPU", "inputs": [{"index": 0, "name": "x", "paramType": "dynamic"}],
         "outputs": [{"index": 0, "name": "y"}],
         "attr": [{"name": "axis", "type": "int", "value": "3", "foo": "b"}],
         "dtype_format": [(("float32", "DefaultFormat"), ("float32", "DefaultFormat"))]},
    ),
    (
        lambda: AiCPURegOp("Neg").fusion_type("OPAQUE").output(0, "y", "required"),
        {"op_name": "Neg", "imply_type": "AiCPU", "fusion_type": "OPAQUE",
         "outputs": [{"index": 0, "name": "y", "paramType": "required"}]},
    ),
    (
        lambda: AkgGpuRegOp("Neg").attr("axis", "required", "int"),
        {"op_name": "Neg", "imply_type": "AKG", "processor": "CUDA",
         "attr": [{"name": "axis", "paramType": "required", "type": "int"}]},
    ),
    (
        lambda: AkgAscendRegOp("Neg").output(0, "y"),
        {"op_name": "Neg", "imply_type": "AKG", "processor": "AiCore", "outputs": [{"index": 0, "name": "y"}]},
    ),
    (
        lambda: CustomRegOp().input(0, "x").input(1, "z", "dynamic").output(0, "y", bar="b")
        .attr("b", "required", "int", "3").target("CPU"),
        {"op_name": "Custom", "target": "CPU",
         "inputs": [{"index": 0, "name": "x", "paramType": "required"},
                    {"index": 1, "name": "z", "paramType": "dynamic"}],
         "outputs": [{"index": 0, "name": "y", "paramType": "required", "bar": "b"}],
         "attr": [{"name": "b", "paramType": "required", "type": "int", "defaultValue": "3"}]},
    ),
    (lambda: CustomRegOp("mine").target(), {"op_name": "mine", "target": "UnKnown"}),
    (lambda: TBERegOp("Neg").op_pattern(), {"op_name": "Neg", **OF_TBE}),
    (
        lambda: TBERegOp("Neg").fusion_type("ELEMWISE").async_flag(True).binfile_name("neg.so").compute_cost(3)
        .kernel_name("neg").partial_flag().op_pattern("broadcast").need_check_supported(True).dynamic_shape(True)
        .dynamic_rank_support(True).dynamic_compile_static(True).is_dynamic_format(True).reshape_type("NC")
        .real_input_index([1, 0]).input_to_attr_index([2]).unknown_shape_formats(["ND", "ND"])
        .attr("b", "required", "int", "all", "3").input(0, "x", True, "required", "all", "optional")
        .output(0, "y", True, "required", "all"),
        {"op_name": "Neg", **OF_TBE, "fusion_type": "ELEMWISE", "async_flag": True, "binfile": "neg.so",
         "compute_cost": 3, "kernel": "neg", "partial_flag": True, "op_pattern": "broadcast",
         "needCheckSupport": True, "dynamicShapeSupport": True, "dynamicRankSupport": True,
         "dynamicCompileStatic": True, "dynamicFormat": True, "reshape_type": "NC", "real_input_index": [1, 0],
         "input_to_attr_index": [2], "unknown_shape_formats": [["ND", "ND"]],
         "attr": [{"name": "b", "paramType": "required", "type": "int", "value": "all", "defaultValue": "3"}],
         "inputs": [{"index": 0, "name": "x", "needCompile": True, "paramType": "required", "shape": "all",
                     "valueDepend": "optional"}],
         "outputs": [{"index": 0, "name": "y", "need_compile": True, "paramType": "required", "shape": "all"}]},
    ),
]  # fmt: skip

WRONG = [
    (lambda: TBERegOp(3), ValueError),
    (lambda: CpuRegOp("a").input("x"), TypeError),
    (lambda: CpuRegOp("a").input(0, 3), TypeError),
    (lambda: CpuRegOp("a").fusion_type(3), TypeError),
    (lambda: TBERegOp("a").compute_cost("x"), TypeError),
    (lambda: TBERegOp("a").async_flag(1), TypeError),
    (lambda: TBERegOp("a").input(0, "x", 1), TypeError),
    (lambda: TBERegOp("a").real_input_index(3), TypeError),
    (lambda: TBERegOp("a").unknown_shape_formats("ND"), TypeError),
    (lambda: CustomRegOp().target(3), TypeError),
    (lambda: CpuRegOp("a").input(0, "x").dtype_format(F32, F32), ValueError),
    (lambda: CpuRegOp("a").input(0, "x").dtype_format("int8"), ValueError),
    (lambda: CpuRegOp("a").input(0, "x").dtype_format(("int8", 1)), TypeError),
    (lambda: ops.op_info_register(3), TypeError),
    (lambda: ops.custom_info_register(3), TypeError),
    (lambda: ops.vm_impl_registry.register(3), TypeError),
    (lambda: ops.kernel(3), TypeError),
    (lambda: ops.kernel(abs, reg_info=3), TypeError),
    (lambda: ops.kernel(abs, compile_attrs=3), TypeError),
]


@pytest.mark.parametrize(("made", "expected"), DESCRIPTIONS)
def test_descriptions(made, expected):
    assert made().get_op_info() == {**EMPTY, **expected}


@pytest.mark.parametrize(("wrong", "kind"), WRONG)
def test_wrong_arguments(wrong, kind):
    with pytest.raises(kind, match=r"^For '"):
        wrong()


def test_lists_are_not_shared():
    CpuRegOp("a").input(0, "x")
    TBERegOp("a").unknown_shape_formats(["ND"])
    assert CpuRegOp("a").get_op_info()["inputs"] == []
    assert TBERegOp("a").get_op_info()["unknown_shape_formats"] == []


def test_data_types():
    """MindSpore has 204; some of them, as it writes them."""
    members = {name: value for name, value in vars(DataType).items() if not name.startswith("__")}
    assert len(members) == 204
    expected = {
        "None_None": ("", ""), "BOOL_5HD": ("bool", "NC1HWC0"), "I8_NC1HWC0": ("int8", "NC1HWC0"),
        "U64_Default_List": ("uint64", "DefaultFormat", "list"), "F16_FracZNLSTM": ("float16", "FRACTAL_ZN_LSTM"),
        "BF16_ND_RNNBIAS": ("bfloat16", "ND_RNN_BIAS"), "C64_Default_Tuple": ("complex64", "DefaultFormat", "tuple"),
        "I32_NDC1HWC0": ("int32", "NDC1HWC0"), "F64_None": ("float64", ""), "F32_FracNZ": ("float32", "FRACTAL_NZ"),
    }  # fmt: skip
    assert expected.items() <= members.items()
    assert "I64_NCDHW" not in members


def test_registered_functions_keep_what_they_are():
    info = CustomRegOp().target("CPU").get_op_info()

    @ops.op_info_register('{"op_name": "Neg"}')
    @ops.custom_info_register(info, "{}")
    def negate(x):
        """Turn the sign."""
        return -x

    assert (negate(3), negate.__name__, negate.__doc__) == (-3, "negate", "Turn the sign.")
    assert (negate.op_info, negate.reg_info) == ('{"op_name": "Neg"}', (info, "{}"))


def test_implementations_of_primitives():
    @ops.vm_impl_registry.register(ops.Neg)
    def _negate(prim):
        return lambda x: (prim, -x)

    primitive = ops.Neg()
    assert ops.get_vm_impl_fn(primitive)(3) == (primitive, -3)
    assert ops.get_vm_impl_fn("Neg")(3) == ("Neg", -3)
    assert ops.get_vm_impl_fn("nothing") is None
    assert ops.tensor_operator_registry.get("abs") is ops.abs


@ops.kernel(reg_info={"op_name": "mine"}, compile_attrs={"fast": True})
def product_of_roots(a, b):
    root = allocate(a.shape, a.dtype, "local")  # noqa: F821
    c = output_tensor((a.shape[0], b.shape[1]), a.dtype)  # noqa: F821
    for i, j in grid(a.shape):  # noqa: F821
        root[i, j] = sqrt(a[i, j])  # noqa: F821
    with block_realize(c):  # noqa: F821
        for i in parallel(a.shape[0]):  # noqa: F821
            for j in vectorize(b.shape[1]):  # noqa: F821
                c[i, j] = float32(0)  # noqa: F821
                for k in reduce(a.shape[1]):  # noqa: F821
                    c[i, j] = c[i, j] + root[i, k] * b[k, j]
    return c


@ops.ms_kernel
def functions(a):
    return rsqrt(a) + erf(a) + expm1(SHIFT), exp(a)  # noqa: F821


SHIFT = 0.0  # a name of the module, which kernels see as it is when they are called


def test_kernels_run_as_python():
    a, b = np.float32([[1, 4], [9, 16]]), np.float32([[1, 2], [3, 4]])
    np.testing.assert_allclose(product_of_roots(a, b), np.sqrt(a) @ b)
    assert (product_of_roots.reg_info, product_of_roots.compile_attrs) == ({"op_name": "mine"}, {"fast": True})
    found = functions(np.array([0.25, 1.0]))
    np.testing.assert_allclose(found[0], [2.2763263902, 1.8427007929])  # erf from tables
    np.testing.assert_allclose(found[1], np.exp([0.25, 1.0]))


@pytest.mark.parametrize("kind", ["pyfunc", "hybrid"])
def test_kernels_as_operations(kind):
    x = ms.Tensor([[4.0, 9.0]])
    made = ops.Custom(product_of_roots, func_type=kind)
    np.testing.assert_allclose(made(x, ms.Tensor([[1.0], [1.0]])).asnumpy(), [[5.0]])
    with pytest.raises(NotImplementedError, match="'func_type' must be 'pyfunc', 'hybrid' or 'aot', but got 'akg'"):
        ops.Custom(product_of_roots, func_type="akg")(x)
