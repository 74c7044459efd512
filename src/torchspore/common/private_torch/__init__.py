"""The private parts of torch that TorchSpore uses, and why the public API does not suffice.

Every name of `torch._…`, `torch.fx.experimental` and `torch.utils._…`, and every private attribute of torch's objects
that TorchSpore relies on, is bound here once to torch's own object, so a call costs what it costs in torch. If a new
torch changes one of them, only this package has to change. `tests/common/test_private_torch.py` has a test for each
entry. The version in parentheses is the oldest one that the entry was tested with; 2.11 is the oldest supported torch.

What takes long to load is in separate modules, which are imported inside functions: `shapes` loads sympy, `sources`
loads torch's Dynamo, and `inductor` its compiler.

Three kinds of private names are used directly:

- `torch._foreach_*` and `torch._fused_*`: the kernels over lists of tensors that torch's own optimizers call.
- `Tensor._version`: the number of writes to a tensor (torch's notes on autograd describe it). It is read for each
  tensor of each call, and an attribute is the fastest access.
- Names of operations under `torch.ops.aten`: they are in torch's schema files, which remain compatible.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import torch
from torch._C._functorch import TransformType, get_unwrapped, is_batchedtensor, is_functorch_wrapped_tensor
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter
from torch._higher_order_ops.effects import _EffectType, _register_effectful_op
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map_only, tree_unflatten

__all__ = [
    "FAKE_TENSOR_LOG",
    "SAVED_RESULT",
    "DispatchMode",
    "EffectType",
    "FakeTensor",
    "FakeTensorMode",
    "OpOverload",
    "add_batch_dimension",
    "base_of",
    "batch_of",
    "collectives",
    "ctc_loss",
    "current_node",
    "decomposition_of",
    "einsum_of_two",
    "entry_point",
    "expression_of",
    "fake_mode",
    "flatten_mesh",
    "flatten_rnn_weights",
    "forward_level",
    "function_modes",
    "functorch_level",
    "functorch_level_of",
    "get_unwrapped",
    "has_kernel",
    "has_onednn_bfloat16",
    "innermost_vmap",
    "is_batchedtensor",
    "is_forward_grad_enabled",
    "is_functorch_wrapped_tensor",
    "is_multithreaded",
    "is_view",
    "is_zero_tensor",
    "library_function",
    "local_part",
    "make_fx",
    "mesh_without_groups",
    "next_number",
    "nn_kernels",
    "no_functorch",
    "no_modes",
    "noted_functions",
    "number_of",
    "open_modes",
    "operation_name",
    "overload_name",
    "pop_function_mode",
    "push_function_mode",
    "read_scalars_of_meshes",
    "register_effectful_op",
    "run_backward",
    "safe_softmax",
    "saved_by",
    "schema_of",
    "set_forward_grad_enabled",
    "set_grad_enabled",
    "set_multithreading",
    "share_memory",
    "size_functions",
    "size_of",
    "standard_gamma",
    "storage_id",
    "storage_users",
    "tree_flatten",
    "tree_leaves",
    "tree_map_only",
    "tree_unflatten",
    "unset_fake_temporarily",
    "use_count",
    "view_func",
    "without_remainders",
]  # fmt: skip

_C: Any = torch._C  # whose stubs lack some of these
_KERNELS: Any = torch

# Gradients

# Enables or disables recording of gradients. torch.set_grad_enabled is a class, which takes four times as long. (2.11)
set_grad_enabled = _C._set_grad_enabled
# Enables or disables recording of forward mode, for a `with` block or permanently. torch has no public form. (2.11)
set_forward_grad_enabled: Any = forward_ad._set_fwd_grad_enabled
# Whether forward mode records. torch.is_grad_enabled concerns backward mode only. (2.11)
is_forward_grad_enabled = _C._is_fwd_grad_enabled
# Runs the backward pass. torch.autograd.grad checks its arguments in Python for longer than a small pass takes. (2.11)
run_backward: Any = torch.autograd.Variable._execution_engine.run_backward
# Whether the backward pass may use threads, and its switch. The public one is a class, which takes longer. (2.11)
is_multithreaded = _C._is_multithreading_enabled
set_multithreading = _C._set_multithreading_enabled
# The attribute in which a graph's node saves its own result. torch has no public list of what a node saves. (2.11)
SAVED_RESULT = "_raw_saved_result"


def saved_by(node: Any) -> list[Any]:
    """Return what a graph's node has saved: objects with `data` and `register_hooks`, without those that have hooks.

    torch has no public list of them. (2.13)
    """
    every: list[Any] = []
    kind: Any = type(node)
    for name in _saved_names(kind):
        saved = getattr(node, name)
        every.extend(saved if isinstance(saved, (tuple, list)) else (saved,))
    return [saved for saved in every if saved.unpack_hook is None]


@functools.cache
def _saved_names(kind: type) -> list[str]:
    return [name for name in dir(kind) if name.startswith("_raw_saved_")]


# The graph's node whose backward pass is running in this thread, or None. Not public. (2.11)
current_node = _C._current_autograd_node
# The number that this thread's next node will have, and the number of a node. They connect an operation of a backward
# pass to its operation of the forward pass; the public anomaly mode only prints a stack. (2.11)
next_number: Any = torch.autograd._get_sequence_nr  # type: ignore[attr-defined]
number_of: Any = operator.methodcaller("_sequence_nr")


def forward_level() -> int:
    """Return the number of open blocks of `torch.autograd.forward_ad.dual_level`, minus 1. Not public. (2.11)"""
    return forward_ad._current_level


# Transformations of torch.func

# The innermost open transformation, or None. The public API does not show whether one is open. (2.11)
functorch_level = _C._functorch.maybe_current_level
# The transformation that a tensor belongs to; -1: none. Not public. (2.11)
functorch_level_of = _C._functorch.maybe_get_level
# is_functorch_wrapped_tensor, is_batchedtensor: whether a transformation, or vmap, wraps a tensor; get_unwrapped: what
# it wraps. The public API hides such tensors, but their memory must be found, and printed. (2.11)
# A tensor as a `vmap` of some level wraps it; the tensor and the axis that it wraps. Not public. (2.11)
add_batch_dimension: Any = _C._functorch._add_batch_dim
batch_of: Any = _C._functorch._unwrap_batched


def innermost_vmap() -> Any:
    """Return the innermost open transformation, with `level`, `batch_size` and `lower`, if it is a `vmap`. (2.11)"""
    innermost = None if functorch_level() is None else retrieve_current_functorch_interpreter()
    return innermost if innermost is not None and innermost.key() == TransformType.Vmap else None


# A block that disables the open transformations. Not public. (2.11)
no_functorch: Any = _C._DisableFuncTorch

# Memory

# Whether two tensors share memory. Comparing addresses is wrong in transformations and for fake tensors. (2.11)
share_memory = _C._is_alias_of
# The number of C++ references to a tensor. Python's do not include references of graphs and views. (2.11)
use_count: Any = torch.Tensor._use_count  # type: ignore[attr-defined]
# The address of a storage's C++ object, equal for all tensors that share it, and the number of references. (2.11)
storage_id = operator.attrgetter("_cdata")
storage_users = _C._storage_Use_Count
# Whether a tensor stands for zeros without memory, as gradients of `sgn` are. (2.11)
is_zero_tensor: Any = torch.Tensor._is_zerotensor
# Autograd's information about views: whether a tensor is one, its base, and the same view of another tensor. (2.11)
is_view: Any = torch.Tensor._is_view
base_of = operator.attrgetter("_base")
view_func: Any = torch.Tensor._view_func  # type: ignore[attr-defined]

# Modes

# A block without the open dispatch modes and their fake tensors. Not public. (2.11)
no_modes: Any = _disable_current_modes
# The number of open dispatch modes. Not public; read at each step of an optimizer. (2.11)
open_modes = _C._len_torch_dispatch_stack
# The open mode of fake tensors, or None. torch._guards.detect_fake_mode also looks into inputs, and is slow. (2.11)
fake_mode = functools.partial(_C._get_dispatch_mode, _C._TorchDispatchModeKey.FAKE)
# The open function modes, which are removed and restored to call what is below them. Not public. (2.11)
function_modes: Any = _get_current_function_mode_stack
pop_function_mode: Any = _pop_mode
push_function_mode: Any = _push_mode


class DispatchMode(TorchDispatchMode):
    """A block in which Python sees each operation. Documented by torch, but under a private name. (2.11)"""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first operation imports torch._dynamo, which takes a second


# Fake tensors

# FakeTensor, FakeTensorMode: tensors without values, and the mode that creates them; unset_fake_temporarily: a block
# without them. torch.export uses them; there is no public form. (2.11)
# The name of their logger. (2.11)
FAKE_TENSOR_LOG = "torch._subclasses"
# make_fx: traces a function and replaces some operations; torch.fx.symbolic_trace has no such table. (2.11)


def decomposition_of(operation: Any) -> Any:
    """Return torch's function that computes an operation by simpler ones, or None.

    The public torch.export.default_decompositions has only those of operations outside of the core set. (2.11)
    """
    from torch._decomp import decomposition_table

    if isinstance(operation, OpOverload) and operation._can_decompose():
        return operation.decompose
    return decomposition_table.get(operation)


def expression_of(size: Any) -> Any:
    """Return the expression of symbols that an open size is, an int as it is.

    Guards compare sizes as sympy expressions; torch.SymInt shows them only as text. (2.11)
    """
    if isinstance(size, int):
        return size
    found = size.node.expr
    return int(found) if found.is_Integer else found


def size_of(mode: Any, expression: Any) -> Any:
    """Return the size, an int or a SymInt of the mode, that an expression of symbols is. Not public. (2.11)"""
    import sympy  # type: ignore[import-untyped]

    found = sympy.cancel(expression) if isinstance(expression, sympy.Mul) else sympy.sympify(expression)
    return int(found) if found.is_Integer else mode.shape_env.create_symintnode(found, hint=None)


def without_remainders(expression: Any) -> Any:
    """Return an expression of symbols with quotients in place of remainders. Not public. (2.11)"""
    functions = size_functions()

    def quotients(one: Any, other: Any) -> Any:
        return one - other * functions.FloorDiv(one, other)

    return expression.replace(functions.Mod, quotients).replace(functions.PythonMod, quotients).expand()


def size_functions() -> Any:
    """Return the module with the functions in expressions of symbols, such as FloorDiv and Max. Not public. (2.11)"""
    from torch.utils._sympy import functions

    return functions


# Nested structures

# tree_flatten, tree_leaves, tree_map_only, tree_unflatten: torch's own traversal of lists, tuples and dicts, which has
# no public form. (2.11)

# Operations

# OpOverload: the class of torch.ops.aten.add.Tensor and the like, and its parts. torch.library makes such operations,
# but has no name for their class. (2.11)
operation_name = operator.attrgetter("_opname")
overload_name = operator.attrgetter("_overloadname")
# The C++ function of an overload, which saves the call of the Python object around it. (2.11)
entry_point = operator.attrgetter("_op")
# Whether the operation of a name has a separate kernel for a dispatch key. Not public. (2.11)
has_kernel = _C._dispatch_has_kernel_for_dispatch_key
# Makes torch's compilers keep the order of an operation's calls. torch.library has no such option. (2.11)
EffectType: Any = _EffectType
register_effectful_op: Any = _register_effectful_op


def schema_of(target: Any) -> Any:
    """Return the types of arguments and results of an operation, None for other functions. Not public. (2.11)"""
    return getattr(target, "_schema", None)


# Exchanges between processes that return new tensors, so that they can be nodes of a graph. Their public forms wrap the
# results in a tensor subclass. (2.11)
collectives: Any = torch.ops._c10d_functional


# Makes a group of several axes of a mesh, so that an exchange along all of them is one message. Not public. (2.13)
def flatten_mesh(mesh: Any, name: str | None = None) -> Any:
    """Return the mesh of one dimension with the processes of another one."""
    return mesh._flatten(name)


# Splits the only axis of a mesh into several. Not public. (2.13)
def unflatten_mesh(mesh: Any, sizes: tuple[int, ...], names: tuple[str, ...]) -> Any:
    """Return the mesh of several dimensions with the processes of another one."""
    return mesh._unflatten(0, sizes, names)


# Reads the number of a DTensor: torch itself reads the local part's, even of a part of a sum. Not public. (2.13)
def read_scalars_of_meshes(read: Any) -> None:
    """Let a function of the operation, its arguments and keyword arguments read DTensors of one element."""
    from torch.distributed.tensor import DTensor

    dispatcher: Any = DTensor._op_dispatcher
    dispatcher._custom_op_handlers[torch.ops.aten._local_scalar_dense.default] = read


# Makes a mesh before the processes are connected, or in one that is not in it. Not public. (2.13)
def mesh_without_groups(kind: str, ranks: torch.Tensor, names: tuple[str, ...] | None, rank: int) -> Any:
    """Return a mesh of ranks, which describes how tensors lie but cannot send."""
    from torch.distributed.device_mesh import DeviceMesh

    return DeviceMesh(kind, ranks, mesh_dim_names=names, _init_backend=False, _rank=rank)


# The mesh that another one is a part of. Not public. (2.13)
def root_mesh(mesh: Any) -> Any:
    """Return the mesh that a mesh is a part of, or the mesh itself."""
    return mesh._get_root_mesh()


# The tensor in a DTensor. `to_local` returns a view of it where gradients are recorded. (2.13)
local_part: Any = operator.attrgetter("_local_tensor")

# Kernels

# The functions below torch.nn.functional, without its warnings, broadcasting and overhead. (2.11)
nn_kernels = _C._nn
# The function that torch.einsum calls if there is no order to choose. (2.11)
einsum_of_two = _KERNELS._VF.einsum
# Makes the weights of a recurrent layer parts of one block of memory, as cuDNN wants them: what the method
# flatten_parameters of torch's layers, which own their weights, calls. (2.11)
flatten_rnn_weights = _KERNELS._cudnn_rnn_flatten_weight
# Softmax that returns zeros for a row of -inf. torch has no public name for it. (2.11)
safe_softmax = _KERNELS._safe_softmax
# Draws with a generator, which torch.distributions.Gamma does not accept. (2.11)
standard_gamma = _KERNELS._standard_gamma
# The CTC loss of each sample with the forward variables, which torch.nn.functional.ctc_loss does not return. (2.11)
ctc_loss = _KERNELS._ctc_loss


# The functions, by file and name, whose lines torch notes for the operations of an exported program. (2.13; before it,
# there are none)
noted_functions: set[tuple[str, str]] = getattr(torch.fx.proxy, "_STACK_TRACE_ANCHORS", set())


def has_onednn_bfloat16() -> bool:
    """Return whether oneDNN convolves bfloat16 numbers on this processor. Not public. (2.11)"""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def library_function(path: str) -> Any:
    """Return the function of a compiled library. torch's public loader reads whole packages only. (2.11)"""
    return _C._aoti.AOTIModelContainerRunnerCpu(path, 1).run
