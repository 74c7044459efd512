"""Small programs about the core: a table per topic (tensors, parameters, data types, settings, cells, primitives).

A program's last line is an expression; `record_core.py` says what becomes of it.
"""

from __future__ import annotations

import itertools

# What every program finds defined.
PRELUDE = """
class Affine(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.w = Parameter(Tensor([2.0, 3.0]))
        self.b = Parameter(Tensor([0.5, 0.5]), name="bias")
    def construct(self, x):
        return x * self.w + self.b

class Pair(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.first = Affine()
        self.second = Affine()
    def construct(self, x):
        return self.second(self.first(x))

class Nested(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.pair = Pair()
        self.bare = Pair(auto_prefix=False)
        self.leaf = Affine(auto_prefix=False)

class Shared(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = Affine()
        self.two = self.one
        self.three = Affine()
        self.three.w = self.one.w

class Free(nn.Cell):
    pass

class Extra(Affine):
    def get_extra_state(self):
        return 7
    def set_extra_state(self, state):
        self.got = state

def names(cell):
    return [p.name for p in cell.get_parameters()]

def paths(cell):
    return [path for path, _ in cell.parameters_and_names()]

def cell_paths(cell):
    return [path for path, _ in cell.cells_and_names()]

def tuple_of(*names):
    return ParameterTuple([Parameter(float(i), name=name) for i, name in enumerate(names)])

KINDS = {
    "parameter": lambda: Parameter(Tensor([1.0]), name="v"), "cell": Affine, "tensor": lambda: Tensor([7.0]),
    "number": lambda: 3, "none": lambda: None, "tuple": lambda: tuple_of("v1", "v2"), "list": lambda: [Affine()],
    "string": lambda: "text", "larger tensor": lambda: Tensor([7.0, 8.0]), "half": lambda: Tensor([7.0], ms.float16),
    "lazy": lambda: init.initializer("ones", (1,), ms.float32), "array": lambda: np.ones(1, np.float32),
}

def over(old, new):
    # Assigns one kind of attribute over another: what came of it, and what the registries hold afterwards.
    cell = Free()
    if old == "buffer":
        cell.register_buffer("a", Tensor([5.0]))
    elif old != "nothing":
        cell.a = KINDS[old]()
    outcome = "ok"
    try:
        cell.a = KINDS[new]()
    except Exception as error:
        outcome = type(error).__name__
    value = cell.a
    where = [kind for kind in ("_params", "_cells", "_buffers") if "a" in getattr(cell, kind)]
    values = value.asnumpy().tolist() if isinstance(value, Tensor) else None
    return outcome, type(value).__name__, where, names(cell), values

X = Tensor([1.0, 2.0])
"""

_TYPES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
_ALIASES = "byte short intc long intp ubyte ushort uintc uintp half single double cfloat cdouble bool int float".split()
_NO_TENSORS = "int_ uint float_ number string list_ tuple_ tensor_type type_none type_type function".split()
_ROWS = "Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"


def _tensors() -> list[str]:
    data = [
        *["1", "1.5", "True", "1+2j", "[1, 2]", "[1.5, 2]", "[True, False]", "[True, 1]", "[True, 1.5]", "[1, 2.5, 3j]"],
        *["()", "[]", "[[]]", "[[], []]", "[[1, 2], [3]]", "[[1, 2], 3]", "((1, 2), [3, 4.5])", "None", "'abc'", "''"],
        *["{1, 2}", "{}", "object()", "np", "Tensor", "[None]", "[1, None]", "['a']", "(i for i in range(3))"],
        *["2**62", "2**63", "[2**63]", "[-1, 2**63]", "[2**31]", "-2**63", "[float('inf'), 1]", "np.array([None])"],
        *["[Tensor(1), Tensor(2)]", "[Tensor([1.0, 2.0]), Tensor([3.0, 4.0])]", "[Tensor(1), Tensor(2.5)]"],
        *["(Tensor(1.0), 2.0)", "[2.0, Tensor(1.0)]", "[[Tensor(1), 2], [3, 4]]", "[Tensor([1.0]), Tensor([1.0, 2.0])]"],
        *["[np.float32(1), 2]", "[1, np.float32(2)]", "[np.float64(1)]", "[np.int32(1)]", "(np.int8(1), np.int8(2))"],
        *["[np.float16(1)]", "[np.uint8(1)]", "[np.bool_(True)]", "[np.complex64(1)]", "[True, np.int8(1)]"],
        *["[np.int32(1), 2.5]", "[np.array([1.0, 2.0]), np.array([3.0, 4.0])]", "[np.array([1], np.int32)]"],
        *["[np.array([1, 2]), [3, 4]]", "[np.array([1, 2]), np.array([3])]", "[np.array([1.0], np.float16)]"],
        *["Tensor([1, 2])", "Tensor(Tensor([1.5]))", "Parameter(Tensor([1.0, 2.0]))", "np.ones((2, 0, 3))"],
        *["np.ones((2, 3), order='F')", "np.arange(6)[::-1]", "np.arange(6)[::2]", "np.matrix([[1, 2]])", "np.array(3)"],
        *["np.float32(1.5)", "np.float64(1.5)", "np.int32(3)", "np.bool_(True)", "np.complex64(1j)"],
        *["np.array([1, 2], dtype=object)", "np.array('2020', dtype='M8[D]')", "np.longdouble(1)"],
        *[f"np.array([0, 1, 2], np.{name})" for name in _TYPES],
    ]
    programs = [f"Tensor({value})" for value in data]
    for name in [*_TYPES, "bfloat16"]:
        programs += [f"Tensor([0, 1, 2.7], ms.{name})", f"Tensor([0, 1, 2], ms.{name})", f"Tensor(3, ms.{name})"]
    for name in ("float32", "int32", "uint8", "bool_", "complex64", "bfloat16"):
        programs += [f"Tensor(np.array([1.5, -1.5]), ms.{name})", f"Tensor(Tensor([1.5, 0.0]), ms.{name})"]
    programs += [f"Tensor([1.5], {dtype})" for dtype in ("'foo'", "1", "ms.number", "ms.tensor_type", "[ms.float32]")]
    programs += [f"Tensor([1.5], ms.{dtype})" for dtype in ("int", "float", "bool")]
    programs += [
        "Tensor(1+2j, ms.float32)", "Tensor([300], ms.int8)", "Tensor(300, ms.int8)", "Tensor(-1, ms.uint8)",
        "Tensor(2**40, ms.int32)", "Tensor(True, ms.float32)", "Tensor([True, False], ms.int32)",
        "Tensor([70000], ms.float16)", "Tensor(1e40, ms.float32)",
        # shape, init, const_arg, device
        "Tensor(shape=(2,), dtype=ms.float32)", "Tensor(shape=(2,), dtype=ms.float32, init=init.One())",
        "Tensor(shape=2, dtype=ms.float32, init=init.One())", "Tensor(shape=[2], dtype=ms.float32, init=init.One())",
        "Tensor(shape=(0, 2), dtype=ms.float32, init=init.One())", "Tensor()", "Tensor(shape=(2,))",
        "Tensor(1.0, init=init.One())", "Tensor(1.0, shape=(1,), dtype=ms.float32, init=init.One())",
        "Tensor([1.0, 2.0], shape=(2,))", "Tensor([1.0, 2.0], ms.float32, (2,))",
        "Tensor(shape=(-1,), dtype=ms.float32, init=init.One())", "Tensor(shape='a', dtype=ms.float32, init=init.One())",
        "Tensor(1.0, const_arg=True).const_arg", "Tensor(1.0).const_arg", "Tensor(1.0, const_arg=1)",
        "Tensor(1.0).set_const_arg().const_arg", "Tensor(1.0, const_arg=True).set_const_arg(False).const_arg",
        "Tensor(1.0).set_const_arg(3)", "Tensor(1.0, device='CPU').device", "Tensor(1.0, device='foo')",
        "Tensor(input_data=1.0, dtype=ms.float16)", "Tensor(1.0, foo=1)",
        "ms.tensor(1.0)", "ms.tensor([1, 2], ms.float16)", "ms.tensor()", "ms.tensor(1.0, device='CPU')",
        "ms.tensor(shape=(2,), dtype=ms.float32, init=init.One())", "ms.is_tensor(1)", "ms.is_tensor(Parameter(1.0))",
        # memory
        "ms.from_numpy(np.array([1, 2]))", "ms.from_numpy([1, 2])", "ms.from_numpy(np.float32(1))",
        "ms.from_numpy(np.array(1.5))", "ms.from_numpy(np.arange(4)[::2])", "Tensor.from_numpy(np.array([1.5]))",
        "a = np.zeros(2, np.float32); t = Tensor(a); a[0] = 5; t",
        "a = np.zeros(2, np.float32); t = ms.from_numpy(a); a[0] = 5; t",
        "a = np.zeros(2, np.float32); t = Tensor.from_numpy(a); t[1] = 5; a",
        "t = Tensor([1.0, 2.0]); u = Tensor(t); t[0] = 5; u",
        "t = Tensor([1.0, 2.0]); u = Tensor(t, ms.float16); t[0] = 5; u",
        "t = Tensor([1.0, 2.0]); a = t.asnumpy(); t[0] = 5; a", "t = Tensor([1.0, 2.0]); a = t.asnumpy(); a[0] = 5; t",
        "t = Tensor([1.0, 2.0]); a = t.numpy(); a[0] = 5; t", "t = Tensor([1.0, 2.0]); a = np.array(t); a[0] = 5; t",
        "t = Tensor([1.0, 2.0]); a = np.asarray(t); a[0] = 5; t", "t = Tensor([1.0, 2.0]); u = t[:]; u[0] = 5; t",
        "t = Tensor([1.0, 2.0]); u = t.data; t[0] = 5; u", "t = Tensor([1.0, 2.0]); u = t.value(); t[0] = 5; u",
        "t = Tensor([1.0, 2.0]); u = copy.copy(t); t[0] = 5; u",
        "t = Tensor([1.0, 2.0]); u = Tensor([5.0, 6.0]); t.data = u; u[0] = 7; t",
        "t = Tensor([1.0, 2.0]); t.data = Tensor([5]); t",
        "t = Tensor([1.0, 2.0]); (t.assign_value(Tensor([3.0, 4.0])) is t, t)",
        "t = Tensor([1.0, 2.0]); t.assign_value(Tensor([1])); t",
        "t = Tensor([1.5, 2.0]); t.set_dtype(ms.int32); t", "t = Tensor([1.5, 2.0]); t.set_dtype(ms.float16)",
        "t = Tensor([1.0, 2.0]); u = t.move_to('CPU'); t[0] = 9; u", "X.move_to('foo')", "X.move_to(3)",
        "X.move_to('CPU', blocking=False)", "X.get_bytes()", "Tensor(True).get_bytes()",
        "Tensor([1], ms.bfloat16).get_bytes()", "X.is_pinned()",
        # attributes
        *[f"{_ROWS}.{name}" for name in "shape dtype ndim size itemsize nbytes strides device has_init init".split()],
        *[f"{_ROWS}.{name}()" for name in "dim ndimension numel nelement stride storage_offset is_contiguous".split()],
        *[f"{_ROWS}.{name}()" for name in "is_floating_point is_complex is_signed asnumpy numpy tolist hooks".split()],
        *[f"{_ROWS}.stride({dim})" for dim in ("0", "-1", "5", "'a'")],
        *[f"Tensor(1.5).{name}" for name in ("shape", "strides", "ndim", "size", "stride()", "item()", "tolist()")],
        *[f"Tensor([[1, 2], [3, 4]])[:, 1].{name}()" for name in ("stride", "storage_offset", "is_contiguous", "tolist")],
        *[
            f"Tensor([1, 2], ms.{dtype}).{name}"
            for dtype in ("float16", "bfloat16", "bool_", "uint8", "complex64", "int8")
            for name in ("is_floating_point()", "is_complex()", "itemsize", "nbytes", "tolist()")
        ],
        *[f"Tensor([1], ms.{dtype}).is_signed()" for dtype in ("bool_", "uint8", "int8", "float32")],
        *[f"type(Tensor({value}).item()).__name__" for value in ("1.5", "3", "True", "1j")],
        "Tensor([[3]]).item()", "Tensor([1, 2]).item()", "Tensor([]).item()", "Tensor([1.5], ms.bfloat16).item()",
        "Tensor([1.5, 2.5]).item(1)", "t = Tensor([1.0]); t.size = 1", "t = Tensor([1.0]); t.dtype = ms.int32",
        # attributes that programs set
        "t = Tensor([1.0]); t.foo = 3; t.foo", "Tensor([1.0]).foo", "t = Tensor([1.0]); t.foo = 3; copy.copy(t).foo",
        "t = Tensor([1.0]); t.foo = 3; pickle.loads(pickle.dumps(t)).foo", "t = Tensor([1.0]); t.foo = 3; (t + 1).foo",
        "t = Tensor([1.0]); t.foo = 3; del t.foo; hasattr(t, 'foo')", "t = Tensor([1.0]); t.foo = 3; Tensor(t).foo",
        "t = Tensor([1.0]); t.name = 'a'; t.name", "t = Tensor([1.0]); t.__dict__",
        # initializers: what MindSpore does that its documentation does not contradict
        "t = init.initializer('ones', (2,), ms.float32); t.asnumpy()",
        "t = init.initializer('ones', (2,), ms.float32); (t.has_init, t.init_data() is t, t.has_init, t)",
        "t = init.initializer('ones', (2,), ms.float32); t.init_data(); t * 1",
        "t = init.initializer('ones', (2,), ms.float32); t.init_data(); t.init_data()",
        "Tensor(1.0).init_data()", "t = init.initializer('ones', (2,), ms.float32); np.array(t)",
        "t = init.initializer('ones', (2,), ms.float32); t.numpy()",
        "t = init.initializer('ones', (2,), ms.float32); t.tolist()",
        "t = init.initializer('ones', (1,), ms.float32); t.item()",
    ]  # fmt: skip
    return programs


def _protocols() -> list[str]:
    values = [
        *["Tensor([1, 2, 3])", "Tensor([[1, 2], [3, 4]])", "Tensor(3)", "Tensor(1.5)", "Tensor([])", "Tensor([2])"],
        *["Tensor([2.5])", "Tensor([0])", "Tensor(True)", "Tensor([True, False])", "Tensor([[7]])", "Tensor(2**40)"],
        *["Tensor(float('nan'))", "Tensor(-2)", "Parameter(Tensor(3.0), name='p')", "Parameter(X, name='p')"],
    ]
    uses = [
        *["len({})", "list({})", "tuple({})", "bool({})", "int({})", "float({})", "1 in {}", "not {}", "'{{}}'.format({})"],
        *["str({})", "repr({})", "isinstance(hash({}), int)", "next(iter({}))", "'%s' % ({},)", "'%d' % {}", "sum({})"],
        *["'%.2f' % {}", "np.array({})", "np.asarray({})", "np.array({}, dtype='float64')", "np.sum({}.asnumpy())"],
        *["__import__('math').floor({})", "dict(zip({}, 'abc')) == {{}}", "list(reversed({}))", "divmod({}, 2)"],
    ]
    programs = [use.format(value) for value in values for use in uses]
    programs += [f"range({value})" for value in ("Tensor(3)", "Tensor([2])", "Tensor(2**40)", "Tensor([[7]])")]
    programs += [f"[10, 20, 30][{value}]" for value in ("Tensor(2)", "Tensor([1])", "Tensor(-1)", "Tensor(True)")]
    programs += [f"{kind}(Tensor(1+2j))" for kind in ("int", "float", "bool")]
    for dtype in ("float32", "float16", "bfloat16", "int8", "uint16", "bool_", "complex64", "float64", "uint64"):
        for use in ("pickle.loads(pickle.dumps({}))", "copy.copy({})", "copy.deepcopy({})", "repr({})", "{}[0]"):
            programs.append(use.format(f"Tensor([1, 0], ms.{dtype})"))
    return programs + [
        *[f"X == {other}" for other in ("None", "'a'", "1", "object()", "X", "Tensor(1)", "Tensor([1, 2, 3])", "{}")],
        *["X != None", "X != 'a'", "None == X", "'a' == X", "1 == X", "X < 'a'", "X < None", "X is None"],
        *["Tensor(1) in [1, Tensor(1)]", "t = Tensor([1, 2]); t in [t]", "Parameter(1.0) == None"],
        *["t = Tensor(1); {t: 1}[t]", "Tensor(1) in {Tensor(1): 1}", "hash(Tensor(1)) == hash(Tensor(1))"],
        *["'a' in X", "None in X", "Tensor(2) in Tensor([1, 2])", "Tensor([1, 2]) in Tensor([[1, 2], [3, 4]])"],
        *["2.0 in Tensor([1, 2])", "7 in X", "np.float32(2) * X", "np.array([2.0, 3.0]) * X", "np.sin(X)", "np.add(X, X)"],
        *["np.stack([X, X])", "np.array([X, X])", "np.array([Tensor(1.0), Tensor(2.0)])", "np.allclose(X, X)"],
        *["a = np.ones(2, np.float32); a += X; a", "a = np.ones(2, np.float32); a[:] = X; a", "X * np.float32(2)"],
        *["pickle.loads(pickle.dumps(Tensor(1.5)))", "pickle.loads(pickle.dumps(Tensor(np.ones((0, 3)))))"],
        *["pickle.loads(pickle.dumps([Tensor(1), Tensor(2)]))", "rows = [X, X]; d = copy.deepcopy(rows); d[0] is d[1]"],
        *["str([X])", "X.register_hook(3)", "h = X.register_hook(lambda g: g); n = len(X.hooks()); h.remove(); (n, X.hooks())"],
    ]


def _parameters() -> list[str]:
    p = "p = Parameter(X, name='a'); "
    values = ["1", "1.5", "[1.0, 2.0]", "[1, 2]", "np.ones(2, np.float32)", "np.ones(2)", "Tensor(1.0)", "Tensor([1])"]
    values += ["'abc'", "None", "{}", "ms.float32", "Tensor([1], ms.bfloat16)", "Parameter(1.0, name='x')"]
    programs = [f"Parameter({value}, name='a')" for value in values]
    programs += [
        "Parameter()", "Parameter(1.0)", "Parameter(1.0).name == Parameter(1.0).name", "Parameter(1.0, 'a', False)",
        "Parameter(Parameter(1.0, name='x', requires_grad=False))",
        *[f"Parameter(1.0, name={name}).name" for name in ("'a b'", "' a '", "'a.b'", "''", "None", "3", "['a']")],
        *[f"{p}p.name = {name}; p.name" for name in ("'b'", "' c '", "''", "None", "3")],
        *[f"Parameter(1.0, {flag}=1)" for flag in ("requires_grad", "layerwise_parallel", "parallel_optimizer")],
        "Parameter(1.0, requires_grad=None)", "Parameter(1.0, layerwise_parallel=True).layerwise_parallel",
        "Parameter(1.0, parallel_optimizer=False).parallel_optimizer", "Parameter(1.0, device='CPU').device",
        "Parameter(1.0, device='foo')", "Parameter(1.0, foo=1)", "Parameter(Tensor([[1.0]]), 'a.b')",
        *[f"{p}p.{name}" for name in (
            "shape", "dtype", "name", "requires_grad", "layerwise_parallel", "parallel_optimizer", "comm_fusion",
            "sliced", "unique", "inited_param", "parallel_optimizer_comm_recompute", "has_init", "init", "const_arg",
            "ndim", "size", "device", "cache_enable", "key",
        )],
        *[f"{p}p.{flag} = {value}; p.{flag}" for flag in (
            "requires_grad", "layerwise_parallel", "parallel_optimizer", "parallel_optimizer_comm_recompute",
        ) for value in ("True", "False", "1", "None", "'a'", "Tensor(3.0)")],
        *[f"{p}p.comm_fusion = {value}; p.comm_fusion" for value in ("0", "2", "-1", "True", "None", "'a'")],
        # set_data
        *[f"{p}(p.set_data({value}) is p, p, p.asnumpy())" for value in (
            "Tensor([3.0, 4.0])", "Tensor([3, 4])", "Tensor([3.0, 4.0], ms.float16)", "Tensor([True, False])",
            "Tensor([3.0])", "Tensor([3.0, 4.0, 5.0])", "Tensor([3.0]), True", "Tensor([[3.0, 4.0]])", "Tensor(3.0)",
            "3.0", "3", "True", "[3.0, 4.0]", "np.array([3.0, 4.0], np.float32)", "None", "'a'", "p", "p * 2",
            "init.initializer('ones', (2,), ms.float32)", "init.initializer('ones', (2,), ms.float16)",
            "init.initializer('ones', (3,), ms.float32)", "Parameter(Tensor([7.0, 8.0]), name='b')",
            "Tensor([3.0, 4.0]), slice_shape=True", "Tensor([3.0, 4.0], ms.bfloat16)", "Tensor([], ms.float32)",
        )],
        *[
            f"p = Parameter(Tensor([1, 2], ms.{old})); p.set_data(Tensor([3, 0], ms.{new})); (p.dtype, p.asnumpy())"
            for old, new in itertools.product(
                ("int32", "float16", "bool_", "uint8", "float64", "complex64"),
                ("int32", "float16", "bool_", "uint8", "float64", "complex64", "bfloat16"),
            )
        ],
        f"{p}p[0] = 9; (p, p.asnumpy())", f"{p}p[:] = Tensor([7.0, 8.0]); p.asnumpy()",
        f"{p}p.data = Tensor([3, 4]); (p, p.asnumpy())", f"{p}p.data = Tensor([3.0]); (p, p.asnumpy())",
        f"{p}p.assign_value(Tensor([5, 6])); (p, p.asnumpy())", f"{p}p.set_dtype(ms.float16); (p, p.asnumpy())",
        f"{p}p.set_dtype(ms.int32); (p, p.asnumpy())",
        # memory
        "t = Tensor([1.0, 2.0]); p = Parameter(t); t[0] = 5; p.asnumpy()",
        "t = Tensor([1.0, 2.0]); p = Parameter(t); p.set_data(Tensor([3.0, 4.0])); t",
        "a = np.zeros(2, np.float32); p = Parameter(a); a[0] = 5; p.asnumpy()",
        "p = Parameter(Tensor([1.0, 2.0])); q = Parameter(p); p[0] = 5; q.asnumpy()",
        "p = Parameter(Tensor([1.0, 2.0])); t = Tensor(p); p[0] = 5; t",
        "p = Parameter(Tensor([1.0, 2.0])); t = p.data; p[0] = 5; t",
        "p = Parameter(Tensor([1.0, 2.0])); t = p.data; t[0] = 5; p.asnumpy()",
        "p = Parameter(Tensor([1.0, 2.0])); t = p.value(); p[0] = 5; t",
        "p = Parameter(Tensor([1.0, 2.0])); t = p.value(); t[0] = 5; p.asnumpy()",
        "p = Parameter(Tensor([1.0, 2.0])); t = p.value(); p.set_data(Tensor([3.0, 4.0])); t",
        "p = Parameter(Tensor([1.0, 2.0])); a = p.asnumpy(); p[0] = 5; a",
        "p = Parameter(Tensor([1.0, 2.0])); a = p.asnumpy(); a[0] = 5; p.asnumpy()",
        "p = Parameter(Tensor([1.0, 2.0])); q = p.clone(); q[0] = 5; p.asnumpy()",
        *[
            f"p = Parameter(Tensor([1.0, 2.0]), name='a'); q = {copied}; p[0] = 5; (q, q.asnumpy())"
            for copied in ("copy.copy(p)", "copy.deepcopy(p)", "pickle.loads(pickle.dumps(p))")
        ],
        "copy.deepcopy(Parameter(X, name='a', requires_grad=False))",
        "pickle.loads(pickle.dumps(Parameter(X, name='a', requires_grad=False)))",
        # initializers
        "Parameter(init.initializer('ones', (2,), ms.float32)).asnumpy()",
        "Parameter(init.initializer('ones', (2,), ms.float32)) * 1",
        "p = Parameter(init.initializer('ones', (2,), ms.float32)); (p.has_init, p.init_data() is p, p.init_data() is p)",
        "t = init.initializer('ones', (2,), ms.float32); p = Parameter(t); t.init_data()",
        # clone
        *[f"{p}q = p.clone({init}); (q, q.asnumpy(), q is p)" for init in (
            "", "'same'", "'zeros'", "init='ones'", "3", "init.One()", "Tensor([5.0, 6.0])", "'foo'", "None",
        )],
        "Parameter(X, name='a', requires_grad=False).clone()", f"{p}p.comm_fusion = 3; p.clone().comm_fusion",
        "Parameter(X, name='a', layerwise_parallel=True).clone().layerwise_parallel",
        "Parameter(Tensor([1, 2], ms.float16), name='a').clone('zeros')", f"{p}p.foo = 3; hasattr(p.clone(), 'foo')",
        "c = Free(); p = Parameter(1.0); q = p.clone(); c.a = p; c.b = q; names(c)",
        # types
        "isinstance(Parameter(1.0), Tensor)", "type(Parameter(1.0)).__name__", "type(Parameter(1.0) + 1).__name__",
        "type(Parameter(1.0).value()).__name__", "type(Parameter(1.0).data).__name__", "type(Parameter(X)[0]).__name__",
        "type(Parameter(1.0).astype(ms.int32)).__name__", "type(Tensor(Parameter(1.0))).__name__", f"{p}(p, [p], str(p))",
        "p = Parameter(1.0); {p: 1}[p]",
        # ParameterTuple
        "tuple_of()", "tuple_of('a', 'b')", "ParameterTuple(p for p in tuple_of('a'))", "ParameterTuple([1])",
        "ParameterTuple([Tensor(1.0)])", "ParameterTuple(Parameter(1.0))", "ParameterTuple(3)", "ParameterTuple()",
        "tuple_of('a', 'a')", f"{p}ParameterTuple([p, p])", "tuple_of('a', 'b').clone('m')",
        "[float(p) for p in tuple_of('a', 'b').clone('m')]", "[float(p) for p in tuple_of('a', 'b').clone('m', 'zeros')]",
        "[float(p) for p in tuple_of('a').clone(prefix='m', init='ones')]", "tuple_of('a').clone()",
        "tuple_of('a').clone(3)", "tuple_of('a').clone('')", "tuple_of('a').clone('x y')", "tuple_of('a').clone('x.y')",
        "type(tuple_of('a').clone('m')).__name__", "type(tuple_of('a', 'b')[0:1]).__name__",
        "t = tuple_of('a'); type(t + t).__name__", "type(copy.copy(tuple_of('a'))).__name__",
        "t = tuple_of('a'); d = copy.deepcopy(t); (type(d).__name__, d, d[0] is t[0])",
        "pickle.loads(pickle.dumps(tuple_of('a', 'b')))", "t = tuple_of('a'); t[0] in t",
        "ParameterTuple([Parameter(1.0, name='a', requires_grad=False)]).clone('m')",
    ]  # fmt: skip
    return programs


def _dtypes() -> list[str]:
    programs = []
    for name in [*_TYPES, *_ALIASES, "bfloat16", "float8_e4m3fn", "float8_e5m2", *_NO_TENSORS]:
        programs += [f"(str(mstype.{name}), repr(mstype.{name}), f'{{mstype.{name}}}')"]
        programs += [f"(ms.pytype_to_dtype(mstype.{name}), ms.get_py_obj_dtype(mstype.{name}))"]
        programs += [f"copy.deepcopy(mstype.{name}) is mstype.{name}" if name in _TYPES else f"mstype.{name}"]
    for name in [*_TYPES, *_ALIASES]:
        programs += [f"np.dtype(ms.dtype_to_nptype(mstype.{name})).name", f"ms.dtype_to_pytype(mstype.{name}).__name__"]
        programs += [f"pickle.loads(pickle.dumps(mstype.{name})) == mstype.{name}"]
    programs += [f"mstype.type_size_in_bytes(mstype.{name})" for name in [*_TYPES, "bfloat16", "float8_e5m2"]]
    python = "bool int float str list tuple type(None) dict set object slice np.ndarray Tensor 1 'float32' None".split()
    numpy = [f"np.{name}" for name in "float16 float32 float64 int8 int32 int64 uint8 uint64 bool_ str_".split()]
    programs += [f"ms.pytype_to_dtype({kind})" for kind in [*python, *numpy, "ms.float32"]]
    objects = ["1", "1.5", "True", "'a'", "None", "[1]", "(1,)", "np.float32(1)", "np.int8(1)", "{}", "Tensor(1.0)"]
    programs += [f"ms.get_py_obj_dtype({value})" for value in [*objects, "Parameter(1.0)", "ms.float32", "int", "np.ones(1)"]]
    return programs + [
        *["ms.float32 == ms.float32", "ms.float32 != ms.float16", "ms.float32 == 'float32'", "ms.float32 == np.float32"],
        *["ms.float32 == None", "ms.float32 is Tensor(1.0).dtype", "{ms.float32: 1}[Tensor(1.0).dtype]", "ms.float32.foo"],
        *["ms.bool_ is ms.bool", "ms.int is ms.int32", "ms.float is ms.float32", "isinstance(ms.float32, ms.Type)"],
        *["isinstance(mstype.tensor_type, mstype.TensorType)", "mstype.TensorType(ms.float32)", "mstype.TensorType()"],
        *["str(mstype.TensorType(ms.float32))", "mstype.TensorType(ms.float32).element_type()"],
        *["mstype.TensorType(ms.float32) == mstype.TensorType(ms.float32)"],
        *["mstype.TensorType(ms.float32) == mstype.TensorType(ms.float16)", "mstype.int_type", "mstype.uint_type"],
        *["mstype.complex_type"],
    ]


def _settings() -> list[str]:
    values = {
        "mode": "0 1 -1 3 None 2.5 'a'", "deterministic": "'ON' 'OFF' 'a' 1 True {}",
        "pynative_synchronize": "True False 1 'a'", "max_call_depth": "1 2 0 -1 2.5 'a' None",
        "max_device_memory": "1 True {}", "memory_optimize_level": "'O0' 'O1' 'O2' ''", "mempool_block_size": "1 {}",
        "variable_memory_max_size": "1 {}", "enable_compile_cache": "True False 1 'a'",
        "compile_cache_path": "'a' ''", "save_graphs": "0 1 2 3 True False 2.5 'a'", "save_graphs_path": "1 {}",
        "enable_graph_kernel": "True False 1 'a'", "graph_kernel_flags": "'a' 1", "inter_op_parallel_num": "0 3 -1 'a'",
        "runtime_num_threads": "0 3 -1 'a'", "check_bprop": "True False 1", "print_file_path": "1 {}",
        "reserve_class_name_in_scope": "True False 1", "support_binary": "True False 1", "ascend_config": "{} 1 'a'",
        "gpu_config": "{} 1 'a'", "aoe_tune_mode": "'offline' 'a' 1", "aoe_config": "{} 1", "jit_level": "'O1'",
        "jit_syntax_level": "0 1 2 3 -1 'a'", "jit_config": "{'jit_level':'O0'} {} 1", "exec_order": "'bfs' 'dfs' 'a'",
        "op_timeout": "0 900 -1 'a'", "debug_level": "0 1 2 'a'", "enable_reduce_precision": "True 1 'a'",
        "enable_profiling": "True False", "profiling_options": "'a' 1",
    }  # fmt: skip
    programs = [f"ms.get_context('{name}')" for name in values if name not in ("pynative_synchronize", "runtime_num_threads")]
    for name, tried in values.items():
        for value in tried.split():
            programs.append(
                f"try:\n    ms.set_context({name}={value})\n    found = ms.get_context('{name}')\n"
                f"finally:\n    settle('{name}')\nfound"
            )
    return programs + [
        *["ms.get_context('foo')", "ms.get_context()", "ms.get_context(3)", "ms.get_context(None)"],
        *["ms.get_context(attr_key='mode')", "ms.set_context(foo=1)", "ms.set_context()", "ms.set_context(1)"],
        *["ms.set_context(device_target='foo')", "ms.set_context(device_target=1)", "ms.set_context(device_target='cpu')"],
        *["ms.set_context(device_target='CPU'); (ms.get_context('device_target'), ms.get_context('device_id'))"],
        *["ms.set_context(device_target='GPU')", "ms.set_context(device_id='0')", "ms.set_device('CPU')"],
        *["ms.set_device('CPU', 0)", "ms.set_device('foo')", "ms.set_device('GPU')", "ms.set_device(1)", "ms.set_device()"],
        *["ms.set_device('CPU', '0')", "ms.set_device(None)", "(ms.GRAPH_MODE, ms.PYNATIVE_MODE)"],
        *["tuple(ms.context.get_current_device())", "ms.context.get_current_device().device_target"],
    ]


def _cells() -> list[str]:
    old = ["nothing", "buffer", "parameter", "cell", "tensor", "number", "none", "tuple"]
    new = ["parameter", "cell", "tensor", "number", "none", "tuple", "list", "string", "larger tensor", "half", "lazy", "array"]
    built = [
        *["Affine()", "Pair()", "Nested()", "Shared()", "Pair(auto_prefix=False)", "Nested(auto_prefix=False)"],
        *["nn.SequentialCell(Affine(), Affine())", "nn.SequentialCell([Pair()])", "nn.CellList([Affine(), Pair()])"],
    ]
    return [
        *[f"over({a!r}, {b!r})" for a, b in itertools.product(old, new)],
        *[f"c = {cell}; (names(c), paths(c), cell_paths(c))" for cell in built],
        *[f"n = Free(); n.x = {cell}; (names(n), paths(n), cell_paths(n))" for cell in built],
        # names
        "m = Free(); n = Free(); n.x = Affine(); m.y = n; names(m)", "n = Free(); n.x = Affine(); n.x = Affine(); names(n)",
        "c = Affine(); n = Free(); n.x = c; n.z = c; (names(n), paths(n), list(n.name_cells()))",
        "c = Affine(); n = Free(); n.x = c; m = Free(); m.y = c; (names(n), names(m))",
        "n = Free(); n.l = nn.CellList([Affine(), Affine()]); n.m = n.l[0]; (names(n), paths(n), cell_paths(n))",
        "c = Free(); c.p = Parameter(1.0, name='q'); (names(c), paths(c))", "c = Free(); p = Parameter(1.0); c.p = p; p.name",
        "c = Free(); c.p = Parameter(1.0); c.q = c.p; (names(c), paths(c), c.p is c.q)",
        "c = Free(); p = Parameter(1.0); c.p = p; d = Free(); d.q = p; p.name",
        "c = Free(); p = Parameter(1.0); p.name = 'x'; c.a = p; names(c)",
        "c = Free(); p = Parameter(1.0, name='x'); c.a = p; p.name = ''; c.b = p; names(c)",
        "c = Affine(); c.w.name = 'z'; n = Free(); n.x = c; names(n)",
        "c = Affine(); c.w = Parameter(X, name='k'); (names(c), paths(c))",
        "c = Free(); c.p = Parameter(1.0, name='x'); c.q = Parameter(1.0, name='x'); names(c)",
        "c = Free(); c.p = Parameter(1.0, name='x'); c.q = Parameter(1.0, name='x'); c.check_names()", "Pair().check_names()",
        "Pair(auto_prefix=False).check_names()", "c = Pair(); c.check_names_and_refresh_name(); names(c)",
        *[f"c = Pair(); c.update_parameters_name({arguments}); names(c)" for arguments in (
            "'p.'", "", "''", "'p'", "'p.', recurse=False", "'p-q.'", "'x y'", "3",
        )],
        "c = Pair(); c.update_parameters_name('p.'); c.update_parameters_name('q.'); names(c)",
        "c = Pair(); c.update_cell_prefix(); [cell.param_prefix for _, cell in c.cells_and_names()]",
        "[cell.param_prefix for _, cell in Pair().cells_and_names()]",
        # tuples and lists of parameters
        "n = Free(); n.s = tuple_of('a', 'b'); (names(n), paths(n), type(n.s).__name__, list(n._params), n.a is n.s[0])",
        "m = Free(); n = Free(); n.s = tuple_of('a'); m.n = n; (names(m), paths(m), [p.name for p in n.s])",
        "n = Free(); n.s = ParameterTuple([Parameter(1.0), Parameter(2.0)]); (names(n), paths(n), [p.name for p in n.s])",
        "n = Free(); n.s = ParameterTuple([Parameter(1.0)]); n.t = ParameterTuple([Parameter(2.0)]); (names(n), paths(n))",
        "n = Free(); n.s = tuple_of('a'); n.s = tuple_of('b'); (names(n), list(n._params))",
        "n = Free(); n.s = tuple_of('a'); n.s = 3; (names(n), n.s)", "n = Free(); n.s = tuple_of('a'); n.a = 3",
        "n = Free(); n.s = tuple_of('a'); del n.s; (names(n), hasattr(n, 's'))",
        "n = Free(); n.a = 3; n.s = tuple_of('a')", "n = Free(); n.s = tuple_of('construct')",
        "n = Free(); n.s = tuple_of('a.b'); (names(n), list(n._params))", "n = Free(); n.s = tuple_of(); (n.s, names(n))",
        "n = Free(); n.p = Parameter(1.0, name='x'); n.s = ParameterTuple([Parameter(2.0, name='p')]); float(n.p)",
        "n = Free(); n.s = [Affine()]; (names(n), cell_paths(n), n.s[0].w.name)", "n = Free(); n.s = {'a': Affine()}; names(n)",
        "n = Free(); n.s = [Parameter(1.0, name='a')]; names(n)", "n = Free(); n.s = (Parameter(1.0, name='a'), 3); names(n)",
        # attributes
        "c = Affine(); c.w = None; (c.w, names(c)); del c.w; hasattr(c, 'w')", "c = Affine(); del c.foo", "Affine().foo",
        "c = Affine(); del c.w; (names(c), hasattr(c, 'w'))", "c = Affine(); del c.w; c.w = 3; c.w",
        "c = Pair(); del c.first; (names(c), hasattr(c, 'first'), cell_paths(c))", "c = Affine(); del c.construct",
        "c = Affine(); c.foo = 3; del c.foo; hasattr(c, 'foo')", "c = Affine(); c.w is c._params['w']",
        "c = Affine(); c._params['z'] = Parameter(1.0, name='z'); (float(c.z), names(c))",
        "c = Pair(); c._cells['first'] = nn.SequentialCell(Affine()); (type(c.first).__name__, cell_paths(c))",
        "c = Pair(); c._cells['z'] = Affine(); c.z.cls_name", "c = Affine(); del c._params['w']; (names(c), hasattr(c, 'w'))",
        *[f"c = Free(); c.{name} = {value}" for name, value in itertools.product(
            ("construct", "cells", "cls_name"), ("Parameter(1.0)", "Affine()"),
        )],
        "c = Free(); c.construct = lambda x: x * 2; c(X)", "c = Free(); c.cls_name",
        "class P(Affine):\n    foo = 3\nc = P(); c.foo = Parameter(1.0)", "class P(Affine):\n    foo = 3\nc = P(); c.foo = Affine()",
        "class P(Affine):\n    foo = 3\nc = P(); c.foo = 5; first = c.foo; del c.foo; (first, c.foo)",
        "class P(Affine):\n    foo = property(lambda self: 5)\nc = P(); c.foo = Parameter(1.0)",
        "class P(Affine):\n    foo = property(lambda self: 5)\nc = P(); c.foo = 3",
        "class P(Affine):\n    foo = property(lambda self: 5, lambda self, v: setattr(self, 'bar', v))\nc = P(); c.foo = 3; (c.foo, c.bar)",
        "c = Free(); c.a = Parameter(X, name='q'); c.a = Parameter(Tensor([3.0]), name='r'); (names(c), paths(c))",
        "c = Free(); c.a = Parameter(Tensor([1.0, 2.0])); p = c.a; c.a = Tensor([3.0, 4.0]); (c.a is p, p.asnumpy())",
        # insert
        *[f"c = Free(); c.insert_child_to_cell({arguments}); (names(c), cell_paths(c))" for arguments in (
            "'a', Affine()", "'a', None", "'', Affine()", "'a.b', Affine()", "3, Affine()", "'a', 3", "'a', X",
            "'a', Parameter(1.0)", "'construct', Affine()",
        )],
        *[f"c = Free(); c.a = {value}; c.insert_child_to_cell('a', Affine()); cell_paths(c)" for value in (
            "3", "Parameter(1.0)", "Affine()", "None",
        )],
        *[f"c = Free(); c.insert_param_to_cell({arguments}); (names(c), paths(c))" for arguments in (
            "'a', Parameter(1.0)", "'a', Parameter(1.0, name='z')", "'a', None", "'', Parameter(1.0)",
            "'a.b', Parameter(1.0)", "'a.b', Parameter(1.0), False", "'a.b', Parameter(1.0), check_name_contain_dot=False",
            "3, Parameter(1.0)", "'a', 3", "'a', X", "'construct', Parameter(1.0)",
        )],
        *[f"c = Free(); c.a = {value}; c.insert_param_to_cell('a', Parameter(1.0)); names(c)" for value in (
            "3", "Affine()", "Parameter(2.0, name='n')",
        )],
        # lists of members
        *[f"c = Pair(); {expression}" for expression in (
            "list(c.parameters_dict())", "list(c.parameters_dict(recurse=False))", "type(c.parameters_dict()).__name__",
            "len(list(c.get_parameters(expand=False)))", "len(list(c.get_parameters(False)))", "names(c)",
            "type(c.get_parameters()).__name__", "[p.name for p in c.trainable_params()]",
            "type(c.trainable_params()).__name__", "c.trainable_params(recurse=False)", "c.untrainable_params()",
            "c.first.w.requires_grad = False; ([p.name for p in c.trainable_params()], [p.name for p in c.untrainable_params()])",
            "[n for n, _ in c.parameters_and_names('root')]", "[n for n, _ in c.parameters_and_names(expand=False)]",
            "[n for n, _ in c.cells_and_names(name_prefix='root')]", "list(c.name_cells())",
            "type(c.name_cells()).__name__", "len(list(c.cells()))", "c.get_sub_cell('first').cls_name",
            "c.get_sub_cell('') is c", "c.get_sub_cell('foo')", "c.get_sub_cell('first.w')", "c.get_sub_cell('first.foo')",
            "log = []; r = c.apply(lambda cell: log.append(cell.cls_name)); (log, r is c)", "c.apply(3)",
            "list(c.parameters_broadcast_dict())", "c.parameters_broadcast_dict(recurse=False)",
            "d = c.init_parameters_data(); [k is v for k, v in d.items()]",
            # modes
            "c.set_train(); [cell.training for _, cell in c.cells_and_names()]", "c.set_train(mode=True) is c",
            "c.set_train().set_train(False); [cell.training for _, cell in c.cells_and_names()]", "c.training",
            "c.set_grad(); [cell.requires_grad for _, cell in c.cells_and_names()]", "c.set_grad(False) is c",
            "c.requires_grad = True; c.requires_grad", "c.requires_grad",
            "c.add_flags(foo=1); (c.foo, c.get_flags(), hasattr(c.first, 'foo'))", "c.add_flags() is c", "c.get_flags()",
            "c.add_flags_recursive(foo=1); (c.foo, c.first.foo, c.first.get_flags())",
            "c.set_broadcast_flag(); c.get_flags()", "c.set_comm_fusion(3); c.first.w.comm_fusion", "c.set_comm_fusion(-1)",
            "c.set_comm_fusion('a')", "c.set_comm_fusion(2, False); c.first.w.comm_fusion", "c.update_cell_type('t'); c.cell_type",
            "c.cell_type", "c.recompute()", "repr(c)", "str(c)", "c.extend_repr()", "c.flag = 3; repr(c)",
            "c.first = None; repr(c)", "c.third = c.first; repr(c)", "c.sub = nn.SequentialCell(Affine(), Free()); repr(c)",
            "bool(c)", "len(c)", "c[0]", "iter(c)", "c == c", "c == Pair()", "isinstance(hash(c), int)",
            "c(X)", "c(x=X)", "c()", "c(X, X)", "c.construct(X)",
        )],
        "repr(Free())", "repr(nn.Cell())", "nn.Cell(flags={'a': 1}).a", "nn.Cell(True, {'a': 1}).get_flags()", "nn.Cell(foo=1)",
        "class R(Affine):\n    def extend_repr(self):\n        return 'k=1'\nrepr(R())",
        "class R(Pair):\n    def extend_repr(self):\n        return 'k=1'\nrepr(R())",
        # what is forgotten
        "nn.Cell()(X)", "Free()(X)",
        *[f"class B(nn.Cell):\n    def __init__(self):\n        self.a = {value}\n        super().__init__()\nB().a" for value in (
            "3", "X", "None", "[1]", "Parameter(1.0)", "Affine()", "tuple_of('a')",
        )],
        "class B(nn.Cell):\n    def __init__(self):\n        self.a = Parameter(1.0)\nB()",
        "class B(nn.Cell):\n    def __init__(self):\n        pass\nB().foo",
        "class B(nn.Cell):\n    def __init__(self):\n        pass\n    def construct(self, x):\n        return x\nB()(X)",
        "class B(nn.Cell):\n    def __init__(self):\n        pass\nlist(B().get_parameters())",
        # copies
        "c = Pair(); d = copy.deepcopy(c); (names(d), d.first.w is c.first.w, d._cells['first'] is d.first, d(X))",
        "c = Pair(); d = copy.deepcopy(c); d.first.w.set_data(Tensor([9.0, 9.0])); c.first.w.asnumpy()",
        "c = Free(); c.a = Parameter(1.0, name='n'); c.b = c.a; d = copy.deepcopy(c); (d.a is d.b, d.a is c.a)",
        "c = Pair(); copy.copy(c).first is c.first",
        # to_float
        "c = Affine().to_float(ms.float16); (c(X), c.w.dtype)", "c = Affine(); c.to_float(ms.float16) is c",
        "c = Affine().to_float(ms.float16).to_float(ms.float32); c(X)", "c = Pair().to_float(ms.float16); c(X)",
        "c = Pair().to_float(ms.float16); c.second.to_float(ms.float32); c(X)",
        "c = Pair(); c.first.to_float(ms.float16); c(X)", "c = Pair(); c.second.to_float(ms.float16); c(X)",
        "c = Affine().to_float(ms.float16); c(Tensor([1, 2]))", "c = Affine().to_float(ms.float16); c.get_flags()",
        "c = Affine().to_float(ms.bfloat16); (c.fp16, c.fp32, c.bf16)", "c = Affine().to_float(ms.float16); ms.grad(c)(X)",
        "c = Affine().to_float(ms.float16); ms.grad(c, None, c.trainable_params())(X)",
        "c = Pair().to_float(ms.float16); c.third = Affine(); c.third(X)",
        *[f"Affine().to_float({dtype})" for dtype in ("ms.float64", "ms.int32", "'float16'", "None", "")],
    ]  # fmt: skip


def _cell_state() -> list[str]:
    load = "c = Pair(); c.load_state_dict"
    return [
        "c = Affine(); c.register_buffer('q', X); (list(c._buffers), c.q, list(c.buffers()))",
        "c = Affine(); c.register_buffer('q', None); (c.q, list(c.buffers()))",
        *[f"c = Affine(); c.foo = 3; c.register_buffer({arguments})" for arguments in (
            "'w', X", "'a.b', X", "'', X", "3, X", "'q', 3", "'construct', X", "'foo', X",
        )],
        "c = Affine(); c.register_buffer('q', X); c.register_buffer('q', Tensor([2.0])); c.q",
        "c = Affine(); c.register_buffer('q', X); c.q = None; c.q", "c = Affine(); c.register_buffer('q', X); c.q = 3",
        "c = Affine(); c.register_buffer('q', X); del c.q; (hasattr(c, 'q'), list(c.buffers()))",
        *[f"c = Pair(); c.first.register_buffer('q', X); [n for n, _ in c.named_buffers({arguments})]" for arguments in (
            "", "recurse=False", "'pre'", "prefix='pre'",
        )],
        *[f"c = Pair(); c.first.register_buffer('q', X); c.second.register_buffer('q', X); "
          f"[n for n, _ in c.named_buffers({arguments})]" for arguments in ("", "remove_duplicate=False")],
        *[f"c = Pair(); c.first.register_buffer('q', X); c.get_buffer({target})" for target in (
            "'first.q'", "'first.w'", "'first.foo'", "'foo.q'", "''",
        )],
        "c = Pair(); c.first.register_buffer('q', X); list(c.state_dict())",
        "c = Pair(); c.first.register_buffer('q', X, persistent=False); list(c.state_dict())",
        *[f"c = Pair(); {expression}" for expression in (
            "list(c.state_dict())", "type(c.state_dict()).__name__", "list(c.state_dict(prefix='p.'))",
            "d = {}; (c.state_dict(destination=d) is d, list(d))", "c.state_dict()['first.w'] is c.first.w",
            "type(c.state_dict()['first.w']).__name__", "type(c.state_dict(keep_vars=True)['first.w']).__name__",
            "s = c.state_dict(); c.first.w[0] = 9; s['first.w'].asnumpy()",
        )],
        "c = Free(); c.a = Parameter(1.0, name='z'); list(c.state_dict())", "list(Shared().state_dict())",
        "c = Free(); c.a = Parameter(1.0); c.b = c.a; list(c.state_dict())",
        # load
        f"{load}(c.state_dict())", f"{load}({{}})", f"{load}({{}}, strict=False)", f"{load}(3)", f"{load}([('first.w', X)], False)",
        f"{load}({{'foo': X}}, strict=False)", f"{load}({{**c.state_dict(), 'foo': X}})",
        f"{load}({{**c.state_dict(), 'first.foo': X}})", "c = Pair(); s = c.state_dict(); s.pop('first.w'); c.load_state_dict(s)",
        f"{load}({{'first.w': Tensor([5.0, 6.0])}}, strict=False); c.first.w.asnumpy()",
        f"{load}({{'first.w': Tensor([5, 6])}}, strict=False); (c.first.w.dtype, c.first.w.asnumpy())",
        *[f"{load}({{'first.w': {value}}}, strict=False)" for value in ("Tensor([5.0])", "3", "np.ones(2, np.float32)")],
        "c = Pair(); d = Pair(); d.first.w.set_data(Tensor([9.0, 8.0])); c.load_state_dict(d.state_dict()); c.first.w.asnumpy()",
        "c = Pair(); c.first.register_buffer('q', X); c.load_state_dict({'first.q': Tensor([5.0, 6.0])}, False); c.first.q",
        "c = Shared(); d = Shared(); d.one.w.set_data(Tensor([9.0, 8.0])); c.load_state_dict(d.state_dict()); c.two.w.asnumpy()",
        "e = Extra(); s = e.state_dict(); (list(s), s['_extra_state'])", "e = Extra(); e.load_state_dict(e.state_dict()); e.got",
        "Extra().load_state_dict(Affine().state_dict())", "Affine().load_state_dict(Extra().state_dict())",
        "n = Free(); n.e = Extra(); list(n.state_dict())", "Affine().get_extra_state()", "Affine().set_extra_state(1)",
        # hooks
        "c = Pair(); log = []; c.register_state_dict_pre_hook(lambda *given: log.append(given[1:])); c.state_dict(prefix='p.'); log",
        "c = Pair(); log = []; c.first.register_state_dict_pre_hook(lambda *given: log.append(given[1:])); c.state_dict(); log",
        "c = Pair(); log = []; c.register_state_dict_post_hook(lambda cell, s, prefix, meta: log.append((list(s), prefix))); c.state_dict(); log",
        "c = Pair(); log = []; c.first.register_state_dict_post_hook(lambda cell, s, prefix, meta: log.append((list(s), prefix))); c.state_dict(); log",
        "c = Pair(); c.register_state_dict_post_hook(lambda cell, s, prefix, meta: s.clear()); c.state_dict()",
        "c = Pair(); c.register_state_dict_post_hook(lambda cell, s, prefix, meta: s); c.state_dict()",
        "c = Pair(); log = []; c.register_load_state_dict_pre_hook(lambda *given: log.append((list(given[1]), *given[2:]))); c.load_state_dict(c.state_dict()); log",
        "c = Pair(); log = []; c.first.register_load_state_dict_pre_hook(lambda *given: log.append((list(given[1]), *given[2:]))); c.load_state_dict(c.state_dict(), False); log",
        "c = Pair(); c.register_load_state_dict_pre_hook(lambda cell, s, *more: s.update(foo=X)); c.load_state_dict(c.state_dict())",
        "c = Pair(); c.register_load_state_dict_pre_hook(lambda cell, s, *more: s.pop('foo')); c.load_state_dict({**c.state_dict(), 'foo': X})",
        "c = Pair(); c.register_load_state_dict_pre_hook(lambda *given: given[7].append('no')); c.load_state_dict(c.state_dict())",
        "c = Pair(); log = []; c.register_load_state_dict_post_hook(lambda cell, keys: log.append((keys.missing_keys, keys.unexpected_keys))); c.load_state_dict({}, strict=False); log",
        "c = Pair(); log = []; c.first.register_load_state_dict_post_hook(lambda cell, keys: log.append(cell.cls_name)); c.load_state_dict(c.state_dict()); log",
        "c = Pair(); c.register_load_state_dict_post_hook(lambda cell, keys: keys.missing_keys.clear()); c.load_state_dict({})",
        "c = Pair(); h = c.register_state_dict_pre_hook(lambda *given: 1 / 0); h.remove(); len(c.state_dict())",
        # data types
        *[f"c = Affine(); c.register_buffer('q', X); c.register_buffer('i', Tensor([1])); (c.to({arguments}) is c, c.w.dtype, c.q.dtype, c.i.dtype)"
          for arguments in (
            "ms.float16", "ms.bfloat16", "ms.complex64", "ms.float16, True", "None, ms.float16", "'CPU', ms.float16", "'CPU'",
            "dtype=ms.float16", "dtype=ms.float16, non_blocking=True", "Tensor([1.0], ms.float16)", "", "None", "ms.int32",
            "3", "'foo'", "Tensor([1])", "X, X", "ms.float16, dtype=ms.float32", "foo=1",
        )],
        "c = Affine(); p = c.w; c.to(ms.float16); (c.w is p, p.name, p.requires_grad, p.asnumpy())",
        "c = Affine(); c.t = X; c.to(ms.float16); c.t.dtype", "c = Pair(); c.to(ms.float16); [p.dtype for p in c.get_parameters()]",
        "c = Affine(); (c.to_empty(device='CPU') is c, c.w.shape, c.w.dtype)", "Affine().to_empty().b.shape",
    ]  # fmt: skip


def _primitives() -> list[str]:
    add = "p = Primitive('add'); "
    define = "class M(Primitive):\n    @prim_attr_register\n    def __init__(self, a, b=2):\n        pass\n"
    return [
        "(Primitive('add').name, repr(Primitive('add')), str(Primitive('add')))", "Primitive(3)", f"{add}p.foo",
        f"{add}(p.add_prim_attr('a', 1) is p, p.a, p.attrs, repr(p))", f"{add}p.del_prim_attr('z') is p",
        f"{add}p.add_prim_attr('a', 1); p.del_prim_attr('a'); (hasattr(p, 'a'), p.attrs)",
        f"{add}(p.set_prim_instance_name('q') is p, p.instance_name)",
        f"{add}p.init_prim_io_names(inputs=['x'], outputs=['y']); (p.input_names, p.output_names, p.attrs)",
        f"{add}p.shard(((1,),))", f"{add}(p.set_stage(1) is p, p.attrs)", f"{add}p.recompute()", f"{add}copy.deepcopy(p).name",
        f"{define}m = M(1); (m.a, m.b, m.name, m.attrs, m.init_attrs, repr(m))", f"{define}M(a=5, b=[1]).attrs", f"{define}M()",
        f"{define}M(1, 2, 3)", f"{define}M(1, c=3)", f"{define}    def __call__(self, x):\n        return x * self.a\nM(3)(X)",
        "class M(Primitive):\n    def __init__(self):\n        super().__init__('z')\nM().name",
        "class M(PrimitiveWithInfer):\n    @prim_attr_register\n    def __init__(self, a):\n        pass\nm = M(3); (m.a, m.name)",
        "class M(PrimitiveWithCheck):\n    @prim_attr_register\n    def __init__(self, a):\n        self.init_prim_io_names(['x'], ['y'])\nm = M(3); (m.a, m.input_names)",
        "@constexpr\ndef f(a, b=2):\n    return a + b\n(f(1), f(1, b=5))", "@constexpr(name='g')\ndef f(a):\n    return (a, a)\nf(3)",
        "@constexpr(get_instance=False)\ndef f(a):\n    return a\nf()(3)", "@_primexpr\ndef f(a):\n    return a + 1\nf(2)",
        "r = ops.ReduceSum(keep_dims=True); (r.keep_dims, r.name, type(r).__name__)", "ops.ReduceSum(foo=1)",
        "ops.ReduceSum(True)(Tensor([[1.0, 2.0]]), 1)", "r = ops.ReduceSum(); r.keep_dims = True; r(Tensor([[1.0, 2.0]]), 1)",
        "(repr(ops.ReLU()), ops.ReLU().name, ops.ReLU.__name__, isinstance(ops.ReLU(), Primitive))",
        "repr(ops.MatMul(True))", "ops.ReLU() == ops.ReLU()", "copy.deepcopy(ops.ReduceSum(keep_dims=True)).keep_dims",
    ]  # fmt: skip


TOPICS = {
    "tensor": _tensors, "protocols": _protocols, "parameter": _parameters, "dtype": _dtypes, "context": _settings,
    "cell": _cells, "cell_state": _cell_state, "primitive": _primitives,
}  # fmt: skip
