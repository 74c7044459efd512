"""Reduction of gradients over processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.checks import check_bool, check_int
from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell
from torchspore.ops.distributed.primitives import AllReduce, Broadcast
from torchspore.ops.distributed.process_groups import WORLD_NAMES, get_world_size
from torchspore.parallel_context import ParallelMode, get_auto_parallel_context

__all__ = ["DistributedGradReducer"]


class DistributedGradReducer(Cell):
    """Sum or average gradients over processes; in a single process they do not change.

    In GRAPH_MODE several processes run it eagerly.

    Args:
        parameters: the parameters that the gradients belong to, a list or tuple. The gradients of those with
            `layerwise_parallel` are not exchanged.
        mean: whether the sum is divided by `degree`. Default: None, the setting `gradients_mean`.
        degree: the number of devices. Default: None, the setting `device_num`, which is the number of processes.
        fusion_type: accepted; how messages are fused does not change the result. Default: 1.
        group: the name of the group of processes. Default: "hccl_world_group", all.

    Inputs: grads: the gradients, a tuple or list of Tensors.
    Outputs: a tuple of the gradients of all processes.

    Raises:
        RuntimeError: a group is named before `communication.init`.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> reducer = ms.nn.DistributedGradReducer([weight], mean=True)
        >>> print(reducer((ms.Tensor([3.0]),)))
        (Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]),)
    """

    def __init__(
        self,
        parameters: list[Parameter] | tuple[Parameter, ...],
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = WORLD_NAMES[0],
    ) -> None:
        super().__init__(auto_prefix=False)
        api = "DistributedGradReducer"
        self._exchanged = [not parameter.layerwise_parallel for parameter in _checked(parameters, api)]
        check_int(fusion_type, "fusion_type", api, minimum=0)
        mean = get_auto_parallel_context("gradients_mean") if mean is None else check_bool(mean, "mean", api)
        degree = get_auto_parallel_context("device_num") if degree is None else check_int(degree, "degree", api)
        self._divisor = degree if mean else 1
        self._in_full = get_auto_parallel_context("force_fp32_communication")
        make: Any = AllReduce
        self._sum = make(group=group) if get_world_size(None if group in WORLD_NAMES else group) > 1 else None

    def construct(self, grads: Any) -> tuple[Any, ...]:
        if len(grads) != len(self._exchanged):
            raise ValueError(
                f"For 'DistributedGradReducer', there must be a gradient for each of the {len(self._exchanged)} "
                f"parameters, but got {len(grads)}."
            )
        return tuple(self._reduced(grad) if shared else grad for grad, shared in zip(grads, self._exchanged))

    def _reduced(self, grad: Tensor) -> Tensor:
        if self._sum is not None:
            sent = grad.astype(mstype.float32) if self._in_full else grad
            grad = self._sum(sent).astype(grad.dtype)
        return grad if self._divisor == 1 else grad * (1 / self._divisor)


def data_parallel_reducer(network: Cell, parameters: Iterable[Parameter]) -> DistributedGradReducer | None:
    """Return the reducer that `set_auto_parallel_context` asks for; None without one.

    With `parameter_broadcast`, the network's parameters take the values of the first process.
    """
    if get_auto_parallel_context("parallel_mode") not in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL):
        return None
    if get_auto_parallel_context("parameter_broadcast") and get_world_size() > 1:
        make: Any = Broadcast
        send = make(root_rank=0)
        for parameter in network.get_parameters():
            if not parameter.layerwise_parallel:
                parameter.set_data(send((parameter.value(),))[0])
    return DistributedGradReducer(tuple(parameters))


def _checked(parameters: Any, api: str) -> Any:
    if not isinstance(parameters, (list, tuple)) or not all(isinstance(item, Parameter) for item in parameters):
        raise TypeError(f"For '{api}', 'parameters' must be a list of Parameters, but got {describe(parameters)}.")
    return parameters
