"""Each entry of `private_torch` does what TorchSpore relies on, and no other module uses private names of torch."""

from __future__ import annotations

import ast
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from torchspore.common import private_torch as private

SOURCE = Path(private.__file__).parents[2]
PACKAGE = Path(private.__file__).parent
ADD = torch.ops.aten.add.Tensor

_checks: dict[str, Callable[[], None]] = {}


def check(*names: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Say which entries a function checks."""

    def remember(function: Callable[[], None]) -> Callable[[], None]:
        _checks.update(dict.fromkeys(names, function))
        return function

    return remember


def test_every_entry_has_a_check() -> None:
    assert sorted(_checks) == sorted(private.__all__)


@check("noted_functions")
def noted_functions() -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return inner(x)

    def inner(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    note = (inner.__code__.co_filename, inner.__code__.co_name)
    private.noted_functions.add(note)
    try:
        program = torch.export.export(Module(), (torch.ones(2),), strict=False)
    finally:
        private.noted_functions.discard(note)
    (node,) = [node for node in program.graph.nodes if node.op == "call_function"]
    assert "in inner" in node.meta["stack_trace"] or torch.__version__ < "2.13"


@check("decomposition_of")
def decomposition_of() -> None:
    x = torch.tensor([-1.0, 2.0])
    for operation in (torch.ops.aten.silu.default, torch.ops.aten.log_sigmoid.default):
        torch.testing.assert_close(private.decomposition_of(operation)(x), operation(x))
    assert private.decomposition_of(ADD) is not None
    assert private.decomposition_of(torch.ops.aten.sort.default) is None


@check("expression_of", "size_functions", "size_of", "without_remainders")
def expressions_of_sizes() -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    mode = private.FakeTensorMode(shape_env=ShapeEnv())
    size = mode.from_tensor(torch.zeros(3, 2)).shape[0] * 2
    symbol = private.expression_of(size) / 2
    assert symbol.is_Symbol
    assert private.expression_of(4) == 4
    assert private.expression_of(private.size_of(mode, symbol * 6 / 3)) == private.expression_of(size)
    assert private.size_of(mode, symbol / symbol) == 1
    rest = private.expression_of((size * 5 + 3) % 7)
    assert rest.has(private.size_functions().Mod, private.size_functions().PythonMod)
    found = private.without_remainders(rest)
    assert found != rest
    assert found.subs(symbol, 9) == rest.subs(symbol, 9) == (9 * 10 + 3) % 7


@check("collectives")
def collectives() -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        name = dist.group.WORLD.group_name
        x = torch.tensor([1.0, 2.0])
        total = private.collectives.all_reduce(x, "sum", name)
        assert private.collectives.wait_tensor(total).tolist() == [1, 2]
        assert total.data_ptr() != x.data_ptr()
        for got in (
            private.collectives.all_gather_into_tensor(x, 1, name),
            private.collectives.reduce_scatter_tensor(x, "max", 1, name),
            private.collectives.broadcast(x, 0, name),
            private.collectives.all_to_all_single(x, [2], [2], name),
        ):
            assert private.collectives.wait_tensor(got).tolist() == [1, 2]
    finally:
        dist.destroy_process_group()


@check("flatten_mesh", "local_part", "mesh_without_groups", "read_scalars_of_meshes")
def meshes() -> None:
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor

    described = private.mesh_without_groups("cpu", torch.tensor([[4, 5], [6, 7]]), ("a", "b"), 6)
    assert (described.shape, list(described.get_coordinate())) == ((2, 2), [1, 0])
    with pytest.raises(RuntimeError, match="process groups not initialized"):
        described.get_group("a")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "b"))
        assert private.flatten_mesh(mesh["a", "b"]).shape == (1,)
        part = torch.ones(2)
        cut = DTensor.from_local(part, mesh)
        assert private.local_part(cut) is private.local_part(cut)
        assert private.local_part(cut).data_ptr() == part.data_ptr()
        handlers: Any = DTensor._op_dispatcher._custom_op_handlers
        before = dict(handlers)
        private.read_scalars_of_meshes(lambda operation, args, kwargs: 7)
        assert cut.sum().item() == 7
        handlers.clear()
        handlers.update(before)
    finally:
        dist.destroy_process_group()


@check("flatten_rnn_weights")
def weights_of_recurrent_layers() -> None:
    with pytest.raises(NotImplementedError, match="_cudnn_rnn_flatten_weight"):  # it is there, for GPUs
        private.flatten_rnn_weights([torch.ones(2, 2)] * 2, 2, 2, 0, 2, 0, 1, False, False)


# Gradients


@check("set_grad_enabled")
def set_grad_enabled() -> None:
    private.set_grad_enabled(False)
    try:
        assert not torch.is_grad_enabled()
    finally:
        private.set_grad_enabled(True)
    assert torch.is_grad_enabled()


@check("current_node", "next_number", "number_of")
def nodes() -> None:
    numbers = []

    class Notes(private.DispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            node = private.current_node()
            numbers.append(private.next_number() - 1 if node is None else private.number_of(node))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, requires_grad=True)
    with Notes():
        y = (x * 2).exp()
        torch.autograd.grad(y, x, y.detach())
    product, exp, *backward = numbers
    assert private.current_node() is None
    assert (backward[-2], backward[-1]) == (exp, product)


@check("set_forward_grad_enabled", "is_forward_grad_enabled")
def forward_grad_enabled() -> None:
    with private.set_forward_grad_enabled(False):
        assert not private.is_forward_grad_enabled()
    assert private.is_forward_grad_enabled()
    private.set_forward_grad_enabled(False)  # at once, without a block
    assert not private.is_forward_grad_enabled()
    private.set_forward_grad_enabled(True)
    assert private.is_forward_grad_enabled()


@check("forward_level")
def forward_level() -> None:
    assert private.forward_level() == -1
    with torch.autograd.forward_ad.dual_level():
        assert private.forward_level() == 0


@check("run_backward")
def run_backward() -> None:
    x, unused = torch.tensor(3.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    found = private.run_backward(
        (x * x,), (torch.tensor(2.0),), False, False, (x, unused), allow_unreachable=True, accumulate_grad=False
    )
    assert found[0].item() == 12
    assert found[1] is None
    assert x.grad is None


@check("is_multithreaded", "set_multithreading")
def multithreading() -> None:
    assert private.is_multithreaded()
    private.set_multithreading(False)
    assert not private.is_multithreaded()
    private.set_multithreading(True)
    assert private.is_multithreaded()


@check("SAVED_RESULT")
def saved_result() -> None:
    x = torch.ones(2, requires_grad=True)
    assert hasattr(x.exp().grad_fn, private.SAVED_RESULT)
    assert not hasattr((x + 1).grad_fn, private.SAVED_RESULT)


@check("saved_by")
def saved_by() -> None:
    x = torch.ones(2, requires_grad=True)
    product = (x * x).grad_fn
    for saved in private.saved_by(product):
        assert saved.data is x
        saved.register_hooks(lambda value: value.detach() * 3, lambda value: value)
    assert private.saved_by(product) == []
    assert product(torch.ones(2))[0].tolist() == [3, 3]
    assert private.saved_by(torch.cat([x, x]).grad_fn) == []


# Transformations


@check("functorch_level", "functorch_level_of", "get_unwrapped", "is_functorch_wrapped_tensor", "is_batchedtensor")
def transformations() -> None:
    seen = []

    def look(x: torch.Tensor) -> torch.Tensor:
        seen.append(
            (
                private.functorch_level(),
                private.functorch_level_of(x),
                private.is_functorch_wrapped_tensor(x),
            )
        )
        seen.append((private.is_batchedtensor(x), tuple(private.get_unwrapped(x).shape)))
        return x.sum()

    x = torch.ones(3, 2)
    torch.func.vmap(look)(x)
    torch.func.grad(look)(x)
    assert seen == [(1, 1, True), (True, (3, 2)), (1, 1, True), (False, (3, 2))]
    assert private.functorch_level() is None
    assert private.functorch_level_of(x) == -1
    assert not private.is_functorch_wrapped_tensor(x)


@check("add_batch_dimension", "batch_of", "innermost_vmap")
def batches() -> None:
    def double(x: torch.Tensor) -> torch.Tensor:
        vmap = private.innermost_vmap()
        value, axis = private.batch_of(x, vmap.level())
        assert (tuple(value.shape), axis, vmap.batch_size()) == ((2, 3), 1, 3)
        with vmap.lower():
            assert private.functorch_level() is None
            doubled = value * 2
        return private.add_batch_dimension(doubled, axis, vmap.level())

    assert torch.func.vmap(double, 1)(torch.ones(2, 3)).tolist() == [[2, 2]] * 3
    assert private.innermost_vmap() is None
    torch.func.grad(lambda x: x * (private.innermost_vmap() is None))(torch.tensor(1.0))


@check("no_functorch")
def no_functorch() -> None:
    def values(x: torch.Tensor) -> torch.Tensor:
        with private.no_functorch():
            assert private.get_unwrapped(x).tolist() == [1, 2]
        return x

    torch.func.vmap(values)(torch.tensor([1, 2]))


# Memory


@check("share_memory")
def share_memory() -> None:
    x = torch.ones(4)
    assert private.share_memory(x[:2], x[2:])
    assert not private.share_memory(x, x.clone())


@check("use_count")
def use_count() -> None:
    x = torch.ones(2, requires_grad=True) * 1
    alone = private.use_count(x)
    result = x * x  # its graph saves x
    assert private.use_count(x) > alone
    del result
    assert private.use_count(x) == alone


@check("storage_id", "storage_users")
def storages() -> None:
    x = torch.ones(4)
    alone = private.storage_users(private.storage_id(x.untyped_storage()))
    view = x[1:]
    assert private.storage_id(view.untyped_storage()) == private.storage_id(x.untyped_storage())
    assert private.storage_users(private.storage_id(x.untyped_storage())) == alone + 1
    assert private.storage_id(x.clone().untyped_storage()) != private.storage_id(x.untyped_storage())


@check("is_zero_tensor")
def zero_tensors() -> None:
    x = torch.ones(2, requires_grad=True)
    assert private.is_zero_tensor(torch.autograd.grad(x.sgn().sum(), x)[0])
    assert not private.is_zero_tensor(torch.zeros(2))


@check("is_view", "base_of", "view_func")
def views() -> None:
    x = torch.arange(6.0)
    view = x.view(2, 3)[1]
    assert private.is_view(view)
    assert not private.is_view(x)
    assert private.base_of(view) is x
    assert private.base_of(x) is None
    assert private.view_func(view, x + 10).tolist() == [13, 14, 15]


def test_the_version_counts_writes() -> None:
    x = torch.ones(2)
    before = x._version
    x[0] = 3
    x.add_(1)
    assert x._version == before + 2


# Modes


class _Seen(private.DispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@check("DispatchMode", "open_modes", "no_modes")
def dispatch_modes() -> None:
    x = torch.ones(2)
    assert private.open_modes() == 0
    with _Seen() as seen:
        assert private.open_modes() == 1
        x + 1
        with private.no_modes():
            assert private.open_modes() == 0
            x * 2
        x - 1
    assert seen.names == ["aten.add.Tensor", "aten.sub.Tensor"]


@check("fake_mode", "FakeTensor", "FakeTensorMode", "unset_fake_temporarily", "FAKE_TENSOR_LOG")
def fake_tensors() -> None:
    assert private.fake_mode() is None
    with private.FakeTensorMode(allow_non_fake_inputs=True) as mode:
        assert private.fake_mode() is mode
        fake = mode.from_tensor(torch.ones(2, 3))
        assert isinstance(fake @ fake.T, private.FakeTensor)
        with private.unset_fake_temporarily():
            assert private.fake_mode() is None
            assert torch.ones(2).tolist() == [1, 1]
    assert fake.shape == (2, 3)
    assert issubclass(private.FakeTensorMode, torch.utils._python_dispatch.TorchDispatchMode)
    below = [name for name in logging.Logger.manager.loggerDict if name.startswith(private.FAKE_TENSOR_LOG)]
    assert f"{private.FAKE_TENSOR_LOG}.fake_tensor" in below


@check("function_modes", "push_function_mode", "pop_function_mode")
def function_modes() -> None:
    class Below(torch.overrides.TorchFunctionMode):
        pass

    class Above(torch.overrides.TorchFunctionMode):
        pass

    with Below() as below, Above() as above:
        assert private.function_modes() == [below, above]
        assert private.pop_function_mode() is above
        assert private.function_modes() == [below]
        private.push_function_mode(above)
        assert private.function_modes() == [below, above]
    assert private.function_modes() == []


# Nested structures


@check("tree_flatten", "tree_unflatten", "tree_leaves", "tree_map_only")
def trees() -> None:
    tree = {"b": [1, (2.0, None)], "a": 3}
    leaves, form = private.tree_flatten(tree)
    assert leaves == [1, 2.0, None, 3]
    assert private.tree_leaves(tree) == leaves
    assert private.tree_unflatten(leaves, form) == tree
    assert private.tree_map_only(int, str, tree) == {"b": ["1", (2.0, None)], "a": "3"}
    assert private.tree_map_only((int, float), str, [1, 2.0, "x"]) == ["1", "2.0", "x"]


# Operations


@check("OpOverload", "operation_name", "overload_name", "entry_point", "schema_of")
def overloads() -> None:
    assert isinstance(ADD, private.OpOverload)
    assert not isinstance(torch.add, private.OpOverload)
    assert (private.operation_name(ADD), private.overload_name(ADD)) == ("add", "Tensor")
    assert private.overload_name(torch.ops.aten.relu.default) == "default"
    assert private.entry_point(ADD)(torch.ones(1), torch.ones(1), alpha=2).item() == 3
    assert [argument.name for argument in private.schema_of(ADD).arguments] == ["self", "other", "alpha"]
    assert not private.schema_of(ADD).is_mutable
    written = private.schema_of(torch.ops.aten.add_.Tensor)
    assert written.is_mutable
    assert written.arguments[0].alias_info.is_write
    assert private.schema_of(torch.ops.aten.view.default).returns[0].alias_info is not None
    assert private.schema_of(len) is None


@check("has_kernel")
def has_kernel() -> None:
    assert private.has_kernel("aten::add.Tensor", "CPU")
    assert not private.has_kernel("aten::reshape", "CPU")
    assert private.has_kernel("aten::reshape", "CompositeImplicitAutograd")


@check("make_fx")
def make_fx() -> None:
    table = {torch.ops.aten.silu.default: lambda x: x * torch.sigmoid(x)}
    x = torch.randn(3)
    traced = private.make_fx(
        lambda x: torch.nn.functional.silu(x), decomposition_table=table, _allow_non_fake_inputs=True
    )(x)
    assert torch.ops.aten.silu.default not in {node.target for node in traced.graph.nodes}
    assert torch.allclose(traced(x), torch.nn.functional.silu(x))


@check("EffectType", "register_effectful_op")
def effects() -> None:
    from torch._higher_order_ops.effects import has_effects

    def clock(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    name = "torchspore_tests::clock"
    torch.library.custom_op(name, clock, mutates_args=(), schema="(Tensor x) -> Tensor")
    operation = torch.ops.torchspore_tests.clock.default
    assert not has_effects(operation)
    private.register_effectful_op(operation, private.EffectType.ORDERED)
    assert has_effects(operation)


# Kernels


@check("nn_kernels")
def nn_kernels() -> None:
    x, y = torch.tensor([[0.0, 2.0]]), torch.tensor([1])
    assert private.nn_kernels.mse_loss(x, torch.zeros(1, 2), 1).item() == 2  # 0: none, 1: mean, 2: sum
    assert private.nn_kernels.l1_loss(x, torch.zeros(1, 2), 2).item() == 2
    for name in ("smooth_l1_loss", "huber_loss", "binary_cross_entropy", "fractional_max_pool2d"):
        assert callable(getattr(private.nn_kernels, name))
    assert callable(private.nn_kernels.fractional_max_pool3d)
    found = private.nn_kernels.cross_entropy_loss(x, y, None, 1, -100, 0.0)
    assert torch.equal(found, torch.nn.functional.cross_entropy(x, y))
    assert private.nn_kernels.nll_loss_nd(x, y, None, 1, -100).item() == -2


@check("einsum_of_two")
def einsum_of_two() -> None:
    x, y = torch.randn(2, 3), torch.randn(3, 4)
    assert torch.equal(private.einsum_of_two("ij,jk->ik", (x, y)), torch.einsum("ij,jk->ik", x, y))


@check("safe_softmax")
def safe_softmax() -> None:
    x = torch.tensor([[0.0, 0.0], [-torch.inf, -torch.inf]])
    assert private.safe_softmax(x, -1).tolist() == [[0.5, 0.5], [0, 0]]


@check("standard_gamma")
def standard_gamma() -> None:
    drawn = [private.standard_gamma(torch.full((1000,), 4.0), torch.Generator().manual_seed(7)) for _ in range(2)]
    assert torch.equal(*drawn)
    assert abs(drawn[0].mean().item() - 4) < 0.3


@check("ctc_loss")
def ctc_loss() -> None:
    scores = torch.randn(5, 1, 3).log_softmax(-1)
    arguments = scores, torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2])
    losses, forward = private.ctc_loss(*arguments, 0, False)
    assert torch.allclose(losses, torch.nn.functional.ctc_loss(*arguments, reduction="none"))
    assert forward.shape == (1, 5, 5)


@check("has_onednn_bfloat16")
def has_onednn_bfloat16() -> None:
    assert not torch.backends.mkldnn.is_available() or isinstance(private.has_onednn_bfloat16(), bool)


@check("library_function")
def library_function() -> None:
    with pytest.raises(RuntimeError, match="no_such_library"):
        private.library_function("/no_such_library.so")


@pytest.mark.parametrize("function", dict.fromkeys(_checks.values()), ids=lambda function: function.__name__)
def test_entry(function: Callable[[], None]) -> None:
    function()


# Modules that take long to load


def test_shapes() -> None:
    from torchspore.common.private_torch import shapes, sources

    environment = shapes.ShapeEnv()
    open_dimension = shapes.StatelessSymbolicContext(dynamic_sizes=[shapes.DimDynamic.DYNAMIC])
    mode = private.FakeTensorMode(shape_env=environment)
    fake = mode.from_tensor(torch.ones(5), symbolic_context=open_dimension, source=sources.ConstantSource("input0"))
    size = fake.shape[0]
    assert isinstance(size, torch.SymInt)
    assert size > 3
    condition = f"lambda L: {environment.produce_guards_expression([size])}"
    holds = eval(condition, dict(shapes.SYMPY_INTERP))
    assert (holds({"t0": 9}), holds({"t0": 2})) == (True, False)
    expression = (size * 2 + 1).node.expr
    found = shapes.sympy_interp(shapes.PythonReferenceAnalysis, dict.fromkeys(expression.free_symbols, 10), expression)
    assert found == 21


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*treespec:FutureWarning")  # of torch's own code
def test_inductor(tmp_path: Path) -> None:
    from torchspore.common.private_torch import inductor, shapes

    module = private.make_fx(lambda x: [x.exp() + 1])(torch.ones(3))
    context = inductor.TracingContext(private.FakeTensorMode(shape_env=shapes.ShapeEnv(assume_static_by_default=True)))
    with torch.no_grad(), inductor.tracing(context):
        compiled = inductor.compile(module, [torch.ones(3)])
    assert torch.allclose(compiled(torch.zeros(3))[0], torch.full((3,), 2.0))
    options = {"aot_inductor.output_path": str(tmp_path / "run.so"), **inductor.without_line_tables()}
    with torch.no_grad():
        library = inductor.aot_compile(module, (torch.ones(3),), options=options)
    assert torch.allclose(private.library_function(str(library))([torch.zeros(3)])[0], torch.full((3,), 2.0))
    assert subprocess.run([inductor.get_cpp_compiler(), "--version"], capture_output=True).returncode == 0


@pytest.mark.slow
def test_importing_loads_neither_a_compiler_nor_sympy() -> None:
    program = "import sys, torchspore; print({'torch._dynamo', 'torch._inductor', 'sympy'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# Other modules use no private names

_MODULES = re.compile(r"torch\.(_(?!_)|.*\._(?!_)|fx\.experimental)|functorch\b")
# Private names at the end of an expression that are used elsewhere; the package's docstring says why.
EXEMPT = re.compile(r"torch\._(foreach|fused)_\w+")
EXEMPT_OPERATIONS = re.compile(r"(torch\.ops\.aten|_ATEN|_aten)\.\w+.*")  # names in torch's files of schemas
# Private attributes of torch's objects, wherever they are read.
ATTRIBUTES = {
    "_base", "_cdata", "_current_level", "_is_view", "_is_zerotensor", "_op", "_opname", "_overloadname",
    "_raw_saved_result", "_schema", "_use_count", "_view_func", "_execution_engine", "_should_skip_dynamo",
}  # fmt: skip


def private_names(source: str) -> Iterator[str]:
    """Yield the private names of torch in a module's source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("torch", "functorch"):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if node.attr in ATTRIBUTES and not name.startswith("self."):
                yield name
            names = [name] if re.fullmatch(r"[\w.]+", name) else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_private = node.value in ATTRIBUTES - {"_op"} or re.fullmatch(r"torch\._\w+", node.value)
            names = [node.value] if is_private else []
            names = [name if name.startswith("torch.") else f"torch.{name}" for name in names]
        else:
            continue
        for name in names:
            if _MODULES.match(name) and not EXEMPT.fullmatch(name) and not EXEMPT_OPERATIONS.fullmatch(name):
                yield name


@pytest.mark.parametrize(
    "source",
    [
        "import torch._dynamo", "from torch._C import _functorch", "import functorch", "x = torch._C._nn.mse_loss",
        "from torch.utils._pytree import tree_map", "from torch.fx.experimental import proxy_tensor",
        "from torch.overrides import _push_mode", "from torch import _foo", "f(x)._use_count()", "y = x._base",
        "getattr(f, '_schema', None)", "torch._standard_gamma(x)", "torch.ops.mkldnn._is_mkldnn_bf16_supported()",
        "torch.autograd.Variable._execution_engine", "logging.getLogger('torch._subclasses')",
    ],
)  # fmt: skip
def test_private_names_are_found(source: str) -> None:
    assert [*private_names(source)]


@pytest.mark.parametrize(
    "source",
    [
        "torch._foreach_add(x, y)", "torch._fused_adam_(x)", "x._version", "torch.ops.aten._ctc_loss.default(x)",
        "self._base = 3", "import torch.nn.functional as F", "from torch.autograd import forward_ad", "'torch'",
    ],
)  # fmt: skip
def test_what_stays_where_it_is(source: str) -> None:
    assert not [*private_names(source)]


@pytest.mark.slow
def test_no_other_module_uses_private_names() -> None:
    files = [file for file in SOURCE.rglob("*.py") if PACKAGE not in file.parents]
    assert len(files) > 400
    found = {str(file.relative_to(SOURCE)): [*private_names(file.read_text("utf-8"))] for file in files}
    assert {file: names for file, names in found.items() if names} == {}
