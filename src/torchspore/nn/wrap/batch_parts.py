"""Cells that split a batch into parts, and names of training on several devices, which are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from torchspore.common import mode
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.distributed.strategies import in_several_processes
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegative, Positive, Where, checked
from torchspore.nn.cell import Cell
from torchspore.parallel_context import get_auto_parallel_context

__all__ = ["GetNextSingleOp", "GradAccumulationCell", "MicroBatchInterleaved", "PipelineCell", "PipelineGradReducer"]


class _VirtualDatasetCell(Cell):
    """A network, which MindSpore's compiler would give its part of the batch."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*inputs)


class _MicroBatch(Cell):
    """The parts of a batch: called with the number of a part and the whole inputs."""

    def __init__(self, micro_size: int) -> None:
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i: int, *inputs: Tensor) -> tuple[Tensor, ...]:
        sizes = [len(value) // self.micro_size for value in inputs]
        return tuple(value[i * size : (i + 1) * size] for size, value in zip(sizes, inputs))


class _InParts(Cell):
    """A network that gets a batch in parts of equal size; its outputs are summed.

    Args:
        network: a Cell with one output, such as its loss.
        parts: the number of parts.
    """

    def __init__(self, network: Cell, parts: int) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.parts = network, parts

    def construct(self, *inputs: Any) -> Any:
        outputs = [self.network(*[self._part(value, i) for value in inputs]) for i in range(self.parts)]
        if not all(isinstance(output, Tensor) for output in outputs):
            raise TypeError(
                f"For '{type(self).__name__}', the network must return one Tensor, but got {describe(outputs[0])}."
            )
        return sum(outputs[1:], outputs[0])

    def _part(self, value: Any, i: int) -> Any:
        if not isinstance(value, Tensor):
            return value
        size, remainder = divmod(value.shape[0], self.parts)
        if remainder:
            raise ValueError(
                f"For '{type(self).__name__}', the first dimension of every input must be a multiple of {self.parts}, "
                f"but got the shape {value.shape}."
            )
        return value[i * size : (i + 1) * size]


class GradAccumulationCell(_InParts):
    """A network whose gradients are accumulated over the parts of a batch.

    The first dimension of the inputs is split; the output is the sum of the losses.

    Args:
        network: a Cell that returns the loss.
        micro_size: the number of parts.

    Inputs: the inputs of the network; the first dimension is split.
    Outputs: the sum of the losses.

    Examples:
        >>> import torchspore as ms
        >>> class Loss(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x.mean()
        >>> print(ms.nn.GradAccumulationCell(Loss(), 2)(ms.Tensor([1.0, 3.0, 5.0, 7.0])))
        8.0
    """

    @checked
    def __init__(self, network: Cell, micro_size: Positive) -> None:
        super().__init__(network, micro_size)


class MicroBatchInterleaved(_InParts):
    """A network that gets a batch in parts, which MindSpore computes on several devices; here in sequence.

    The first dimension of the inputs is split; the outputs are summed.

    Args:
        network: a Cell with one output.
        interleave_num: the number of parts. Default: 2.

    Inputs: the inputs of the network; the first dimension is split.
    Outputs: the sum of the outputs.

    Examples:
        >>> import torchspore as ms
        >>> class Loss(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x.mean()
        >>> print(ms.parallel.nn.MicroBatchInterleaved(Loss(), 2)(ms.Tensor([1.0, 3.0, 5.0, 7.0])))
        8.0
    """

    @checked
    def __init__(self, network: Cell, interleave_num: Positive = 2) -> None:
        super().__init__(network, interleave_num)
        self.interleave_num = interleave_num


class PipelineCell(_InParts):
    """A network in stages, which gets a batch in parts: its processes compute several parts at the same time.

    The first dimension of the inputs is split; the outputs are summed. The program is the same as for a single process,
    in which the parts are computed in sequence. In several processes, `set_auto_parallel_context(parallel_mode=
    "semi_auto_parallel", pipeline_stages=...)` makes each of them compute the cells of one stage, and hold only their
    parameters. Cells without a stage, and operations outside of cells, belong to the last stage that they have an input
    from. All processes get the output; gradients come from all stages that use a parameter.

    Args:
        network: a Cell with one output, such as its loss, the average over the rows.
        micro_size: the number of parts.
        stage_config: the stage of each of some cells, by the names of the cells in the network: their `pipeline_stage`.
            Default: None.
        segment_config: the segment of each of some cells, likewise: their `pipeline_segment`. The data goes through all
            stages of one segment and then through the stages of the next one. Default: None.

    Raises:
        KeyError: no cell of the network has a given name.
        ValueError: in a call, in all processes: the batch cannot be split into such parts, a stage is too large, has no
            cell, or is less than the stage of an input of its cell.

    Examples:
        >>> import torchspore as ms
        >>> class Loss(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x.mean()
        >>> print(ms.parallel.nn.PipelineCell(Loss(), 4)(ms.Tensor([1.0, 3.0, 5.0, 7.0])))
        16.0
    """

    @checked
    def __init__(
        self,
        network: Cell,
        micro_size: Positive,
        stage_config: dict[Any, NotNegative] | None = None,
        segment_config: dict[Any, NotNegative] | None = None,
    ) -> None:
        super().__init__(network, micro_size)
        stages = _by_cell(network, stage_config or {}, "stage_config")
        segments = _by_cell(network, segment_config or {}, "segment_config")
        for cell, number in stages:
            cell.pipeline_stage = number
        for cell, number in segments:
            cell.pipeline_segment = number

    def construct(self, *inputs: Any) -> Any:
        if mode.cut is None or mode.cut.stages == 1 or mode.cut.is_computing():
            stages = get_auto_parallel_context("pipeline_stages")
            if mode.cut is None and stages > 1 and in_several_processes():
                raise ValueError(
                    f"For 'PipelineCell', {stages} 'pipeline_stages' need the parallel mode 'semi_auto_parallel'. Set "
                    "it with set_auto_parallel_context."
                )
            return super().construct(*inputs)

        def split() -> list[Any]:
            return [(tuple([self._part(value, i) for value in inputs]), {}) for i in range(self.parts)]

        return mode.cut.compute(self.network, split, type(self).__name__, adds=True)


def _by_cell(network: Cell, config: dict[Any, int], name: str) -> list[tuple[Cell, int]]:
    """Return the cells and numbers of a dict from names of cells in a network to numbers."""
    known = {cell_name: cell for cell_name, cell in network.cells_and_names() if cell_name}
    for cell_name in config:
        if cell_name not in known:
            raise KeyError(
                f"For 'PipelineCell', '{name}' must name cells of the network, but got {cell_name!r}. "
                f"Cells: {', '.join(sorted(known)) or 'none'}."
            )
    return [(known[cell_name], number) for cell_name, number in config.items()]


class PipelineGradReducer(Cell):
    """Divide gradients of a network in stages by the scale of the loss.

    `grad` and `value_and_grad` have summed them over the stages, and averaged them over the processes of each stage.

    Args:
        parameters: the parameters of the gradients, a list or tuple.
        scale_sense: the scale of the loss, a number. Default: 1.0.
        opt_shard: whether the states of the optimizer are cut, a bool or None; it changes no result. Default: None.

    Inputs: grads: the gradients, a tuple or list of Tensors.
    Outputs: a tuple of the divided gradients.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
        >>> print(ms.nn.PipelineGradReducer([weight], scale_sense=2.0)((ms.Tensor([3.0]),))[0])
        [1.5]
    """

    @checked
    def __init__(
        self,
        parameters: Sequence[Parameter],
        scale_sense: Annotated[int | float, Where("a number other than 0", bool)] = 1.0,
        opt_shard: bool | None = None,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.parameters, self.scale_sense, self.opt_shard = tuple(parameters), scale_sense, opt_shard

    def construct(self, grads: Any) -> Any:
        if not isinstance(grads, (list, tuple)) or len(grads) != len(self.parameters):
            raise ValueError(
                f"For 'PipelineGradReducer', there must be a gradient for each of the {len(self.parameters)} "
                f"parameters, but got {describe(grads)}."
            )
        return tuple(grads) if self.scale_sense == 1 else tuple([grad / self.scale_sense for grad in grads])


class _Refused(Cell):
    """A cell that is not supported."""

    reason = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"For '{type(self).__name__}', {self.reason}")


class GetNextSingleOp(_Refused):
    """Not supported: it reads MindSpore's data queues."""

    reason = "there are no data queues. Iterate over the dataset."
