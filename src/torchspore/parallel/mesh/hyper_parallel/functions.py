"""Functions of the library `hyper_parallel` that `parallel.mesh` has not: of tensors on meshes, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.distributed import tensor as of_torch
from torch.distributed.tensor.experimental import local_map

from torchspore.common.conversion import as_shape
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.gradients.differentiate import value_and_grad
from torchspore.engine.parameters import take_as
from torchspore.engine.values.torch_values import to_tensors, to_torch_tensors
from torchspore.nn.cell import Cell
from torchspore.parallel.mesh.device_mesh import DeviceMesh
from torchspore.parallel.mesh.dtensor import checked

__all__ = ["custom_shard", "empty", "full", "init_parameters", "ones", "parallelize_value_and_grad", "zeros"]


def custom_shard(
    func: Callable[..., Any],
    device_mesh: DeviceMesh,
    out_placements: Any,
    in_placements: Any = None,
    redistribute_inputs: bool = True,
) -> Callable[..., Any]:
    """Return a function of DTensors that calls a function with the parts of the process. This is torch's `local_map`.

    Args:
        func: the function, of Tensors.
        device_mesh: the mesh.
        out_placements: placements for each output.
        in_placements: placements for each input, or None for one that is not a Tensor. Default: None, as they come.
        redistribute_inputs: whether inputs that lie in another way are redistributed; else they are an error.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel import DTensor, Shard, custom_shard, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> mesh = init_device_mesh("cpu", (1,))
        >>> x = DTensor.from_local(ms.Tensor([1.0, 2.0]), mesh, [Shard(0)])
        >>> custom_shard(lambda x: x * 2, mesh, ((Shard(0),),), ((Shard(0),),))(x).placements
        (Shard(dim=0),)
        >>> ms.mint.distributed.destroy_process_group()
    """
    take_as(Callable, func, "func", "custom_shard")
    take_as(DeviceMesh, device_mesh, "device_mesh", "custom_shard")

    def on_parts(*args: Any) -> Any:
        return to_torch_tensors(func(*to_tensors(args)))

    outputs = [None if placements is None else [*placements] for placements in out_placements]
    inputs = in_placements and tuple([None if placements is None else [*placements] for placements in in_placements])
    mapped = local_map(
        on_parts,
        outputs[0] if len(outputs) == 1 else tuple(outputs),
        inputs,
        device_mesh=device_mesh,
        redistribute_inputs=redistribute_inputs,
    )
    return lambda *args: to_tensors(mapped(*to_torch_tensors(args)))


def full(size: Any, fill_value: float, *, device_mesh: DeviceMesh, placements: Any) -> Tensor:
    """Return a tensor of float32 that lies on a mesh, full of a number.

    Args:
        size: the shape of the whole tensor, or the size of its only dimension.
        fill_value: the number.
        device_mesh: the mesh.
        placements: how the tensor lies on it, as for `DTensor`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel import Shard, full, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> full((2, 3), 5.0, device_mesh=init_device_mesh("cpu", (1,)), placements=[Shard(0)]).to_local().shape
        (2, 3)
        >>> ms.mint.distributed.destroy_process_group()
    """
    shape = as_shape(size, "full")
    where = checked(placements, device_mesh, len(shape), "full")
    return wrap(of_torch.full(shape, fill_value, dtype=torch.float32, device_mesh=device_mesh, placements=where))


def ones(size: Any, device_mesh: DeviceMesh, placements: Any) -> Tensor:
    """Return ones that lie on a mesh, as `full` does.

    Args:
        size, device_mesh, placements: as for `full`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel import Replicate, init_device_mesh, ones
        >>> ms.mint.distributed.init_process_group()
        >>> print(ones(2, init_device_mesh("cpu", (1,)), [Replicate()]).to_local())
        [1. 1.]
        >>> ms.mint.distributed.destroy_process_group()
    """
    return full(size, 1.0, device_mesh=device_mesh, placements=placements)


def zeros(size: Any, device_mesh: DeviceMesh, placements: Any) -> Tensor:
    """Return zeros that lie on a mesh, as `full` does.

    Args:
        size, device_mesh, placements: as for `full`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel import Replicate, init_device_mesh, zeros
        >>> ms.mint.distributed.init_process_group()
        >>> print(zeros(2, init_device_mesh("cpu", (1,)), [Replicate()]).to_local())
        [0. 0.]
        >>> ms.mint.distributed.destroy_process_group()
    """
    return full(size, 0.0, device_mesh=device_mesh, placements=placements)


empty = zeros


def init_parameters(module: Cell, stage_index: int = 0) -> Cell:
    """Return a cell: its parameters were initialised when they were made.

    Args:
        module: the cell.
        stage_index: kept for compatibility. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel import init_parameters
        >>> type(init_parameters(ms.nn.Dense(2, 3))).__name__
        'Dense'
    """
    take_as(Cell, module, "module", "init_parameters")
    return module


def parallelize_value_and_grad(
    fn: Callable[..., Any], weights: Sequence[Parameter], sens: Any = None
) -> Callable[..., Any]:
    """Return a function that returns what `fn` returns, and the gradients of weights.

    Args:
        fn: the function. Of several outputs the first one is differentiated, unless `sens` is given.
        weights: the weights.
        sens: the gradient of the output, a number or a Tensor; for several outputs, a list with one for each.
            Default: None, 1 for the first output.

    Raises:
        ValueError: `sens` is a list of another length than there are outputs.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel import parallelize_value_and_grad
        >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        >>> value, gradients = parallelize_value_and_grad(lambda x: (w * x).sum(), [w], sens=2.0)(3.0)
        >>> print(value, gradients[0])
        9.0 [6. 6.]
    """

    def weighed(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        value = fn(*args, **kwargs)
        outputs = value if isinstance(value, (tuple, list)) else [value]
        given = sens if isinstance(sens, (tuple, list)) else [1.0 if sens is None else sens]
        if len(given) not in (1, len(outputs)):
            raise ValueError(
                f"For 'parallelize_value_and_grad', 'sens' must have {len(outputs)} elements, one for each output, but "
                f"has {len(given)}."
            )
        return sum([(output * factor).sum() for output, factor in zip(outputs, given)]), [value]

    both = value_and_grad(weighed, None, weights, has_aux=True)

    def call(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        (_, (value,)), gradients = both(*args, **kwargs)
        return value, gradients

    return call
