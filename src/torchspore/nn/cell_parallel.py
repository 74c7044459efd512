"""Methods of MindSpore's cells for training on several devices."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeVar

from torchspore.common import change_count
from torchspore.common.parameter import Parameter
from torchspore.engine.distributed.strategies import check_cut_function, in_several_processes
from torchspore.engine.parameters import NotNegative, checked, take_as

__all__ = ["CellParallel"]

Self = TypeVar("Self", bound="CellParallel")


def _refused(name: str) -> Callable[..., Any]:
    """Return a method that refuses: only MindSpore's parallel training and Ascend cards need it."""

    def refuse(self: CellParallel, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"For 'Cell.{name}', MindSpore's parallel modes and Ascend runtime have no counterpart. Leave it out."
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raise NotImplementedError: it serves MindSpore's parallel training and Ascend cards only."
    return refuse


def _stage_property(name: str, doc: str) -> property:
    """Return a property that keeps the place of a cell in a pipeline; see `PipelineCell`."""
    key = f"_{name}"

    def get(self: CellParallel) -> int:
        if key not in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        return self.__dict__[key]

    def put(self: CellParallel, number: int) -> None:
        self.__dict__[key] = take_as(NotNegative, number, name, "Cell")
        change_count.increase()

    return property(get, put, doc=doc)


class CellParallel:
    """The part of `Cell` that concerns training on several devices."""

    get_parameters: Callable[..., Iterator[Parameter]]
    trainable_params: Callable[..., list[Parameter]]
    add_flags_recursive: Callable[..., Any]

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter] | None:
        """Return by name the parameters that data parallel training makes equal in all processes, or None."""
        found = [(p.name, p) for p in self.get_parameters(expand=recurse) if not p.layerwise_parallel]
        return OrderedDict(found) or None

    def set_broadcast_flag(self: Self, mode: bool = True) -> Self:
        """Set the flag `broadcast_flag` on this cell and all inside; return the cell."""
        return self.add_flags_recursive(broadcast_flag=mode)

    @checked
    def set_boost(self: Self, boost_type: Literal["less_bn"]) -> Self:
        """Set the flag "less_bn" on this cell and all inside, which `boost.LessBN` reads; return the cell.

        In MindSpore its compiler for Ascend cards then leaves out some batch normalisations; here nothing is left out.

        Raises:
            ValueError: `boost_type` is not "less_bn".
        """
        return self.add_flags_recursive(less_bn=True)

    def set_comm_fusion(self: Self, fusion_type: int, recurse: bool = True) -> Self:
        """Set `comm_fusion` of the trainable parameters; return the cell."""
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    def set_data_parallel(self) -> None:
        """Do nothing: this serves MindSpore's search for parallel strategies, which does not exist here."""

    def shard(
        self, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None, device: str = "Ascend",
        level: int = 0,
    ) -> Any:  # fmt: skip
        """Return a function that does what the cell does with tensors that are cut over the processes.

        In a single process nothing is cut, and the result is None. See `parallel.shard`.

        Args:
            in_strategy, out_strategy, parameter_plan: as in `parallel.shard`.
            device, level: accepted; they choose among MindSpore's algorithms.
        """
        check_cut_function(self, in_strategy, out_strategy, parameter_plan, "Cell.shard")
        if not in_several_processes():
            return None
        from torchspore.engine.distributed.cutting.operations import cut_function

        return cut_function(self, in_strategy, out_strategy, parameter_plan, "Cell.shard")  # type: ignore[arg-type]

    pipeline_stage = _stage_property("pipeline_stage", "The stage that computes the cell; see `PipelineCell`.")
    pipeline_segment = _stage_property("pipeline_segment", "Which of the cells of a stage it belongs to, from 0 on.")
