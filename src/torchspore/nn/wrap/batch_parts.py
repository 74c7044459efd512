"""Cells that split a batch into parts, and names of training on several devices, which are refused."""

from __future__ import annotations

from typing import Any

from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor
from torchspore.engine.checks import check_int, check_kind
from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell

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
        name: the argument's name in messages.
    """

    def __init__(self, network: Cell, parts: int, name: str) -> None:
        super().__init__(auto_prefix=False)
        api = type(self).__name__
        if not isinstance(network, Cell):
            raise also(TypeError, AttributeError)(
                f"For '{api}', 'network' must be a Cell, but got {describe(network)}."
            )
        self.network = network
        self.parts = check_int(parts, name, api)

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

    def __init__(self, network: Cell, micro_size: int) -> None:
        super().__init__(network, micro_size, "micro_size")


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

    def __init__(self, network: Cell, interleave_num: int = 2) -> None:
        super().__init__(network, interleave_num, "interleave_num")


class PipelineCell(_InParts):
    """A network that gets a batch in parts, which MindSpore sends through a pipeline of devices; here in sequence.

    The first dimension of the inputs is split; the outputs are summed.

    Args:
        network: a Cell with one output.
        micro_size: the number of parts.
        stage_config: the stage of the pipeline on which each of some cells is, by the names of the cells in the
            network. All are on one device here, so it does not change results. Default: None.
        segment_config: the segment of each of some cells, likewise. Default: None.

    Raises:
        KeyError: a name is not that of a cell of the network.

    Examples:
        >>> import torchspore as ms
        >>> class Loss(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x.mean()
        >>> print(ms.parallel.nn.PipelineCell(Loss(), 4)(ms.Tensor([1.0, 3.0, 5.0, 7.0])))
        16.0
    """

    def __init__(
        self,
        network: Cell,
        micro_size: int,
        stage_config: dict[str, int] | None = None,
        segment_config: dict[str, int] | None = None,
    ) -> None:
        super().__init__(network, micro_size, "micro_size")
        _check_config(network, stage_config, "stage_config")
        _check_config(network, segment_config, "segment_config")


def _check_config(network: Cell, config: Any, name: str) -> None:
    """Check a dict from names of cells in a network to numbers."""
    if config is None:
        return
    check_kind(config, dict, name, "PipelineCell")
    known = {cell_name for cell_name, _ in network.cells_and_names() if cell_name}
    for cell_name, number in config.items():
        if cell_name not in known:
            raise KeyError(
                f"For 'PipelineCell', '{name}' must name cells of the network, but got {cell_name!r}. "
                f"Cells: {', '.join(sorted(known)) or 'none'}."
            )
        check_int(number, f"{name}[{cell_name!r}]", "PipelineCell", minimum=0)


class _Refused(Cell):
    """A cell that is not supported."""

    reason = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"For '{type(self).__name__}', {self.reason}")


class PipelineGradReducer(Cell):
    """Not supported when called: it exchanges gradients between the stages of a pipeline.

    Args:
        parameters: the parameters of the gradients.
        scale_sense: the scale of the loss. Default: 1.0.
        opt_shard: whether the optimizer is split. Default: None.
    """

    def __init__(self, parameters: Any, scale_sense: float = 1.0, opt_shard: bool | None = None) -> None:
        super().__init__(auto_prefix=False)
        self.parameters, self.scale_sense, self.opt_shard = tuple(parameters), scale_sense, opt_shard

    def construct(self, grads: Any) -> Any:
        """Raise NotImplementedError."""
        raise NotImplementedError(
            "For 'PipelineGradReducer', networks are not split into stages over processes. Train with data "
            "parallelism and `nn.DistributedGradReducer`, or exchange with `mint.distributed`."
        )


class GetNextSingleOp(_Refused):
    """Not supported: it reads MindSpore's data queues."""

    reason = "there are no data queues. Iterate over the dataset."
