"""Networks whose parts are in different processes, which compute parts of a batch at the same time: torch's pipelines.

The program makes the parts. `nn.PipelineCell` with `pipeline_stages` makes them of a network for a single process.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import pipelining as of_torch
from torch.distributed.tensor import DTensor as OfTorch

from torchspore.common import device as devices
from torchspore.common.private_torch import root_mesh
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegative, Positive, take_as
from torchspore.engine.values.torch_values import to_torch_tensors
from torchspore.nn.torch_parameters import torch_parameter_of
from torchspore.ops.distributed.process_groups import new_group, process_group
from torchspore.parallel.mesh.batches import BatchDimSpec
from torchspore.parallel.mesh.modules import clear_gradient, module_of

__all__ = ["PipelineStage", "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B"]


class PipelineStage(of_torch.PipelineStage):
    """A part of a network that this process computes.

    Args:
        submodule: the part, a cell. It takes what the previous part returns.
        stage_index: its position.
        stage_num: the number of parts.
        device: the device, as torch names it. Default: None, the one in use.
        group: the group of the processes that together have all parts, its name or torch's group. Default: None, all
            processes; if there are several for each part, those whose ranks differ by their number, so that 0 and 2 of
            four processes compute one batch with two parts, and 1 and 3 another one.

    Raises:
        TypeError: `submodule` is not a Cell.
        ValueError: there is no such position.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import PipelineStage, ScheduleGPipe
        >>> ms.mint.distributed.init_process_group()
        >>> stage = PipelineStage(ms.nn.Dense(2, 1, "ones", has_bias=False), stage_index=0, stage_num=1)
        >>> losses = ScheduleGPipe(stage, micro_batch_num=2).run(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> [float(loss) for loss in losses], stage.gradients()[0].asnumpy().tolist()
        ([3.0, 7.0], [[4.0, 6.0]])
        >>> ms.mint.distributed.destroy_process_group()
    """

    def __init__(self, submodule: Any, stage_index: int, stage_num: int, device: Any = None, group: Any = None) -> None:
        api = "PipelineStage"
        module = module_of(submodule, api)
        take_as(Positive, stage_num, "stage_num", api)
        take_as(NotNegative, stage_index, "stage_index", api)
        if stage_index >= stage_num:
            raise ValueError(f"For '{api}', 'stage_index' must be in [0, {stage_num - 1}], but got {stage_index}.")
        kind = devices.current() if device is None else torch.device(device)
        options: dict[str, Any] = {}
        if "get_mesh" in inspect.signature(of_torch.PipelineStage).parameters:  # from torch 2.13 on
            options["get_mesh"] = functools.partial(_mesh_of, module)
        self._start = functools.partial(super().__init__, module, stage_index, stage_num, kind, **options)
        self._chooses_group = group is None
        self._start(group=_group_of(stage_num) if group is None else process_group(group, api))

    def lie_over(self, processes: int) -> None:
        """Send to and receive from a number of processes that together have all parts; others have copies of them.

        Args:
            processes: the number.
        """
        if self._chooses_group and processes != self.group_size:
            self._start(group=_group_of(processes))

    def gradients(self) -> tuple[Tensor, ...]:
        """Return the gradients of the trainable parameters of the part, added up since the last call."""
        found = []
        for parameter in self.submod.cell.trainable_params():  # type: ignore[operator, union-attr]
            value = torch_parameter_of(parameter)
            found.append(wrap(torch.zeros_like(value).detach() if value.grad is None else value.grad))
            clear_gradient(parameter)
        return tuple(found)


def _mesh_of(module: torch.nn.Module, names: tuple[str, ...], layout: Any) -> Any:
    """Return the mesh for DTensors that another part sends: one with the same names on which parameters lie."""
    for parameter in module.parameters():
        if isinstance(parameter, OfTorch):
            root = root_mesh(parameter.device_mesh)
            for mesh in (parameter.device_mesh, root):
                if mesh.mesh_dim_names == names:
                    return mesh
            if set(names) <= set(root.mesh_dim_names or ()):
                return root[names]
    return None


def _group_of(processes: int) -> dist.ProcessGroup | None:
    """Return the group of a number of processes with this one, in which ranks differ by the number of such groups."""
    groups, rest = divmod(dist.get_world_size(), processes)
    if groups < 2 or rest:
        return None
    first = dist.get_rank() % groups
    group: dist.ProcessGroup = process_group(new_group([first + groups * i for i in range(processes)]), "PipelineStage")
    return group


class _Schedule:
    """What the schedules have in common; the other base is torch's schedule."""

    _takes_several = False

    def __init__(
        self,
        stages: Any,
        micro_batch_num: int,
        args_batch_dim: Any = None,
        kwargs_batch_dim: Any = None,
        output_concat_dim: Any = None,
    ) -> None:
        api = type(self).__name__
        own = list(stages) if isinstance(stages, (list, tuple)) else [stages]
        if not own or not all(isinstance(stage, PipelineStage) for stage in own):
            raise TypeError(f"For '{api}', 'stages' must be a PipelineStage or a list of them, not {describe(stages)}.")
        if len(own) > 1 and not self._takes_several:
            raise ValueError(f"For '{api}', each process must have one stage, but got {len(own)}.")
        take_as(Positive, micro_batch_num, "micro_batch_num", api)
        if output_concat_dim is not None:
            raise NotImplementedError(f"For '{api}', only 'output_concat_dim=None' is supported.")
        if args_batch_dim is not None:
            args_batch_dim = tuple([_cut(spec, "args_batch_dim", api) for spec in args_batch_dim])
        if kwargs_batch_dim is not None:
            kwargs_batch_dim = {key: _cut(spec, "kwargs_batch_dim", api) for key, spec in kwargs_batch_dim.items()}
        for stage in own:
            stage.lie_over(stage.num_stages // len(own))
        self._own: Sequence[PipelineStage] = own
        self._outputs: list[torch.Tensor] = []
        super().__init__(  # type: ignore[call-arg]
            own if self._takes_several else own[0],
            n_microbatches=micro_batch_num,
            loss_fn=self._sum,
            args_chunk_spec=args_batch_dim,
            kwargs_chunk_spec=kwargs_batch_dim,
            scale_grads=False,
        )

    def _sum(self, output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        self._outputs.append(output.detach())
        return output.sum()

    def run(self, *args: Any, **kwargs: Any) -> list[Tensor]:
        """Compute the gradients of the sum of the last part's outputs.

        They are added up in `grad` of the parameters until `PipelineStage.gradients` returns them, or `zero_grad` of a
        cell of `hsdp` or `fully_shard` clears them.

        Args:
            args: the inputs of the first part, which are cut into parts.
            kwargs: keyword arguments of all parts.

        Returns:
            The outputs of the last part for each part of the batch, in the process that has it; else an empty list.
        """
        self._outputs.clear()
        inputs = to_torch_tensors(args) if any(stage.is_first for stage in self._own) else ()
        is_last = any(stage.is_last for stage in self._own)
        target = torch.zeros(self._n_microbatches) if is_last else None  # type: ignore[attr-defined]
        self.step(*inputs, target=target, **to_torch_tensors(kwargs))  # type: ignore[attr-defined]
        for stage in self._own:
            for parameter in stage.submod.cell.trainable_params():  # type: ignore[operator, union-attr]
                gradient = torch_parameter_of(parameter).grad
                if gradient is not None:
                    parameter.grad = wrap(gradient)
        # The first call also computes one part to learn the shapes.
        return [wrap(output) for output in self._outputs[-self._n_microbatches :]]  # type: ignore[attr-defined]


def _cut(spec: Any, name: str, api: str) -> of_torch.microbatch.TensorChunkSpec:
    """Return torch's description of the dimension along which an input is cut; None stands for the first one."""
    if spec is not None and not isinstance(spec, BatchDimSpec):
        raise TypeError(f"For '{api}', '{name}' must hold BatchDimSpecs and None, but has {describe(spec)}.")
    if spec is not None and spec.batch_dim < 0:
        raise NotImplementedError(f"For '{api}', the dimensions in '{name}' must be >= 0, but there is {spec}.")
    return of_torch.microbatch.TensorChunkSpec(0 if spec is None else spec.batch_dim)


class ScheduleGPipe(_Schedule, of_torch.ScheduleGPipe):
    """All parts of a batch forward, then all backward.

    Args:
        stages: the PipelineStage of this process.
        micro_batch_num: the number of parts of a batch.
        args_batch_dim: for each input a `BatchDimSpec`, the dimension that is cut, or None for the first one.
            Default: None, the first dimension of all.
        kwargs_batch_dim: the same for keyword arguments, by their names. Default: None.
        output_concat_dim: only None is supported.

    Raises:
        ValueError: there are several stages.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import PipelineStage, ScheduleGPipe
        >>> ms.mint.distributed.init_process_group()
        >>> stage = PipelineStage(ms.nn.Dense(2, 1, "ones", has_bias=False), stage_index=0, stage_num=1)
        >>> [float(loss) for loss in ScheduleGPipe(stage, 2).run(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))]
        [3.0, 7.0]
        >>> ms.mint.distributed.destroy_process_group()
    """


class Schedule1F1B(_Schedule, of_torch.Schedule1F1B):
    """Forward and backward passes of different parts of a batch alternate, so that fewer results are kept.

    Args:
        stages, micro_batch_num, args_batch_dim, kwargs_batch_dim, output_concat_dim: as for `ScheduleGPipe`.

    Raises:
        ValueError: there are several stages.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import PipelineStage, Schedule1F1B
        >>> ms.mint.distributed.init_process_group()
        >>> stage = PipelineStage(ms.nn.Dense(2, 1, "ones", has_bias=False), stage_index=0, stage_num=1)
        >>> [float(loss) for loss in Schedule1F1B(stage, 2).run(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))]
        [3.0, 7.0]
        >>> ms.mint.distributed.destroy_process_group()
    """


class ScheduleInterleaved1F1B(_Schedule, of_torch.ScheduleInterleaved1F1B):
    """As `Schedule1F1B`, with several parts of the network in each process, so that processes wait less.

    Args:
        stages: the list of PipelineStages of this process: of two processes, 0 and 2 in the first one.
        micro_batch_num, args_batch_dim, kwargs_batch_dim, output_concat_dim: as for `ScheduleGPipe`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import PipelineStage, ScheduleInterleaved1F1B
        >>> ms.mint.distributed.init_process_group()
        >>> cells = ms.nn.Dense(2, 2, "ones", has_bias=False), ms.nn.Dense(2, 1, "ones", has_bias=False)
        >>> stages = [PipelineStage(cell, index, stage_num=2) for index, cell in enumerate(cells)]
        >>> [float(loss) for loss in ScheduleInterleaved1F1B(stages, 2).run(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))]
        [6.0, 14.0]
        >>> ms.mint.distributed.destroy_process_group()
    """

    _takes_several = True
