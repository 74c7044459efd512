"""New tensors."""

CASES = [
    "ops.zeros(3)", "ops.zeros((2, 2))", "ops.zeros([2], ms.int32)", "ops.zeros((2,), dtype=ms.bool_)",
    "ops.zeros(Tensor([2, 3]))", "ops.zeros((2, Tensor(3)))", "ops.zeros((0, 2))", "ops.ones(3)",
    "ops.ones((2, 1), ms.float16)", "ops.ones(Tensor([2, 1]))", "ops.ones((2,), ms.complex64)", "ops.full((2, 2), 3)",
    "ops.full((2, 2), 3.5)", "ops.full((2,), True)", "ops.full((2,), 3.7, dtype=ms.int32)",
    "ops.full((2,), 1, dtype=ms.float16)", "ops.full((2,), Tensor(3.0))", "ops.full((), 2)",
    "ops.full([2], 0.5, dtype=ms.float64)", "ops.full((2,), np.float32(2.5))", "ops.full((2,), np.float64(2.5))",
    "ops.full((2,), np.int8(2))", "ops.full((2,), np.bool_(True))", "ops.full((2,), np.float32(2.5), dtype=ms.int32)",
    "ops.full((2,), np.int64(300), dtype=ms.uint8)", "ops.full((2,), np.complex64(1 + 2j), dtype=ms.complex128)",
    "ops.full((2,), True, dtype=ms.float32)", "ops.full_like(i, np.float32(2.7))", "ops.full_like(x, np.bool_(True))",
    "ops.fill(None, (2,), np.int8(2))", "ops.fill(None, (2,), np.float64(2))", "ops.fill(None, (2,), 1 + 2j)",
    "ops.fill(ms.float32, (2,), np.float64(2))", "ops.fill(ms.uint8, (2,), np.int64(300))",
    "i.fill(np.float32(2.5))", "x.fill(np.bool_(True))", "ops.zeros_like(x)", "ops.zeros_like(i, dtype=ms.float16)",
    "ops.ones_like(b)", "ops.ones_like(x, dtype=ms.int32)", "ops.full_like(x, 2)", "ops.full_like(i, 2.7)",
    "ops.full_like(i, 2.7, dtype=ms.float32)", "ops.full_like(x, True)", "ops.full_like(x, Tensor(1.0))",
    "ops.fill(ms.float32, (2, 2), 1)", "ops.fill(ms.bool_, (2,), 1)", "ops.fill(ms.int32, (2,), 1.5)",
    "ops.fill(ms.float32, (2,), Tensor(3.0))", "ops.fill(None, (2,), 1)", "ops.fill(ms.complex64, (2,), 1 + 1j)",
    "x.fill(3.5)", "i.fill(2.5)", "x.fill(Tensor(3.0))",
    # progressions
    "ops.arange(5)", "ops.arange(1, 5)", "ops.arange(1, 5, 2)", "ops.arange(5.0)", "ops.arange(0, 1, 0.25)",
    "ops.arange(5, 0, -2)", "ops.arange(3, dtype=ms.float16)", "ops.arange(3, dtype=ms.bool_)",
    "ops.arange(0, 5, 0.5, dtype=ms.int32)", "ops.arange(10, 20, 3.5)", "ops.arange(3, 3)", "ops.arange(end=4)",
    "ops.arange(Tensor(1), Tensor(5), Tensor(2))", "ops.range(0, 6, 2)", "ops.range(6, 0, -2)",
    "ops.range(0.0, 1.0, 0.5)", "ops.range(3, 3, 1)", "ops.range(0, 10, 1, 5)",
    "ops.range(Tensor(0, ms.int32), Tensor(6, ms.int32), Tensor(2, ms.int32))", "ops.linspace(1, 5, 3)",
    "ops.linspace(1.0, 2.0, 5)", "ops.linspace(5, 1, 3)", "ops.linspace(1, 5, 1)",
    "ops.linspace(Tensor(1.0), Tensor(2.0), 3)", "ops.linspace(1, Tensor(3.0), 3)",
    "ops.linspace(Tensor(1.0, ms.float64), Tensor(2.0, ms.float64), 3)", "ops.logspace(0.0, 2.0, 3)",
    "ops.logspace(0.0, 3.0, 4, base=2)", "ops.logspace(Tensor(0.0), Tensor(2.0), 3)",
    "ops.logspace(0.0, 2.0, 3, dtype=ms.float16)", "ops.logspace(0.0, 2.0, 0)", "ops.eye(2)", "ops.eye(2, 3)",
    "ops.eye(3, 2, ms.int32)", "ops.eye(2, None, ms.float16)", "ops.eye(2, dtype=ms.bool_)", "ops.eye(0)",
    "ops.eye(Tensor(2))",
    # from numbers
    "ops.tuple_to_array((1, 2, 3))", "ops.tuple_to_array((1.0, 2.5))", "ops.tuple_to_array((1, 2.5))",
    "ops.tuple_to_array((2.5, 1))", "ops.tuple_to_array((True, False))", "ops.scalar_to_tensor(3)",
    "ops.scalar_to_tensor(3, ms.int32)", "ops.scalar_to_tensor(True)", "ops.scalar_to_tensor(2.7, ms.int32)",
    "ops.scalar_to_tensor(2.7, ms.bool_)",
    # methods and primitives
    "x.new_zeros((2, 2))", "x.new_zeros(3)", "x.new_zeros(())", "x.new_zeros((2,), ms.int32)", "i.new_zeros((2,))",
    "x.new_ones((2, 2))", "i.new_ones((2,), dtype=ms.float16)", "x.new_empty((2, 2)).shape",
    "x.new_empty(3, dtype=ms.int32).dtype is ms.int32", "x.new_empty((2,), device='CPU').shape",
    "ops.Zeros()((2, 2), ms.float32)", "ops.Zeros()(2)", "ops.Ones()(2, ms.int8)", "ops.Fill()(ms.float32, (2, 2), 1)",
    "ops.Fill()(ms.int32, (2,), 1.5)", "ops.FillV2()((2, 2), Tensor(3.0))", "ops.FillV2()((2,), Tensor([1.0]))",
    "ops.ZerosLike()(x)", "ops.OnesLike()(i)", "ops.Eye()(2, 3, ms.int32)", "ops.Range()(0, 6, 2)",
    "ops.Range(3)(0.0, 1.0, 0.5)", "ops.LinSpace()(Tensor(1.0), Tensor(5.0), 3)",
    "ops.LogSpace(steps=3)(Tensor(0.0), Tensor(2.0))", "ops.TupleToArray()((1, 2))", "ops.ScalarToTensor()(3)",
    "ops.ScalarToTensor()(3, ms.int32)",
    # errors
    "ops.zeros((-1,))", "ops.zeros(2.0)", "ops.zeros(True)", "ops.zeros('a')", "ops.zeros(2, 3)", "ops.ones(2.5)",
    "ops.ones((2, 'a'))", "ops.full((2,), 'a')", "ops.full((2,), None)", "ops.full((-2,), 1)", "ops.full('a', 1)",
    "ops.full((2.5,), 1)", "ops.full((2,), 1, dtype='a')", "ops.zeros_like(3)",
    "ops.ones_like('a')", "ops.ones_like(x, dtype='a')", "ops.full_like(3, 2)", "ops.full_like(x, 'a')",
    "ops.fill('a', (2,), 1)", "ops.fill(ms.float32, (-1,), 1)", "ops.arange(5, 1)", "ops.arange(1, 5, -1)",
    "ops.arange(1, 5, 0)", "ops.arange(-1)", "ops.arange('a')", "ops.range(0, 10, 0)", "ops.range(0, 10, -1)",
    "ops.range(0, 3.0, 1)", "ops.range(0, 'a', 3)", "ops.range(0, 10, 1, 0)", "ops.range(0, 10, 1, 'a')",
    "ops.linspace(1, 5, 0)", "ops.linspace(1, 5, 2.5)", "ops.linspace(1.0, 2.0, True)", "ops.linspace('a', 5, 2)",
    "ops.linspace(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 3)", "ops.logspace(0.0, 2.0, -1)",
    "ops.logspace('a', 2.0, 3)", "ops.logspace(Tensor([0.0]), Tensor([2.0]), 3)", "ops.eye(-1)", "ops.eye(2, -1)",
    "ops.eye(2.0)", "ops.eye('a')", "ops.eye(2, 2, 'a')", "ops.tuple_to_array(3)", "ops.tuple_to_array(('a',))",
    "ops.tuple_to_array(())", "ops.scalar_to_tensor('a')", "ops.scalar_to_tensor(x)", "ops.scalar_to_tensor(1 + 2j)",
    "x.new_zeros((-1,))", "x.new_zeros('a')", "x.new_zeros(2, 3)", "x.new_full((2,), 'a')", "x.new_empty('a')",
    "x.fill(None)", "ops.Fill()('a', (2,), 1)", "ops.Fill()(ms.float32, (2,), 'a')", "ops.FillV2()((2,), 3)",
    "ops.ZerosLike()(3)", "ops.Range(3)('a', 1, 2)",
]  # fmt: skip

WARNINGS = {"ops.full((2, 2), 3.5)": "3.5 is truncated"}
_TYPE_ERROR = {"error": "TypeError"}

_OWN_TYPE = "a value with a data type of its own keeps it"
DIFFERENCES = {
    **{
        f"ops.full((2,), {value})": (_OWN_TYPE, {"results": [{"shape": [2], "dtype": dtype, "values": [number] * 2}]})
        for value, dtype, number in (
            ("True", "Bool", 1.0),
            ("np.bool_(True)", "Bool", 1.0),
            ("np.float32(2.5)", "Float32", 2.5),
            ("np.float64(2.5)", "Float64", 2.5),
            ("np.int8(2)", "Int8", 2.0),
            ("Tensor(3.0)", "Float32", 3.0),
        )
    },
    "ops.zeros_like(3)": ("the wrong type of operand is a TypeError", _TYPE_ERROR),
    "ops.tuple_to_array(())": ("an empty tuple is a wrong value", {"error": "ValueError"}),
}
