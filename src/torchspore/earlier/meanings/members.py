"""Methods of cells, parameters, initializers and datasets that are gone: most changed no result, and do nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.earlier.forms import form
from torchspore.engine.failures.errors import describe

__all__ = []

_NO_SERVER = "nothing: there are no parameter servers"
_NO_SEARCH = "nothing: the compiler's search for parallel strategies is gone"


@form("Parameter.set_param_ps", until="2.7", now=_NO_SERVER)
def parameter_of_server(self: Any, init_in_server: bool = False) -> None:
    """Do nothing: the parameter stays in the process."""


@form("Parameter.set_param_fl", until="2.7", now=_NO_SERVER)
def parameter_of_federation(
    self: Any, push_to_server: bool = False, pull_from_server: bool = False, requires_aggr: bool = True
) -> None:
    """Do nothing: there is no federated learning."""


@form("nn.Cell.set_param_ps", until="2.7", now=_NO_SERVER)
def cell_of_server(self: Any, recurse: bool = True, init_in_server: bool = False) -> None:
    """Do nothing: the parameters stay in the process."""


@form("nn.Cell.set_param_fl", until="2.5", now=_NO_SERVER)
def cell_of_federation(
    self: Any, push_to_server: bool = False, pull_from_server: bool = False, requires_aggr: bool = True
) -> None:
    """Do nothing: there is no federated learning."""


@form("nn.Cell.place", until="2.7", now="nothing: cells run in the process")
def place(self: Any, role: str, rank_id: int) -> None:
    """Do nothing: there are no processes of other roles."""


@form("nn.Cell.set_auto_parallel", until="2.5", now=_NO_SEARCH)
def set_auto_parallel(self: Any) -> None:
    """Do nothing: the mode is that of `set_auto_parallel_context`."""


@form("nn.Cell.remove_redundant_parameters", until="2.7", now=_NO_SEARCH)
def remove_redundant_parameters(self: Any) -> None:
    """Do nothing: no parameters are redundant."""


@form("nn.Cell.load_parameter_slice", until="2.5", now=_NO_SEARCH)
def load_parameter_slice(self: Any, params: Any) -> None:
    """Do nothing: parameters are whole."""


@form("nn.Cell.set_parallel_input_with_inputs", until="2.5", now=_NO_SEARCH)
def set_parallel_input_with_inputs(self: Any, *inputs: Any) -> None:
    """Do nothing: inputs are not cut before a call."""


@form("nn.Cell.do_parameter_broadcast", until="1.3", now="nothing: training broadcasts parameters")
def do_parameter_broadcast(self: Any) -> None:
    """Do nothing: data parallel training broadcasts the parameters itself."""


@form("nn.Cell.flatten_weights", until="2.7", now="nothing: parameters need not lie beside each other in memory")
def flatten_weights(self: Any, fusion_size: int = 0) -> None:
    """Do nothing: the parameters keep their values."""


@form("nn.Cell.infer_param_pipeline_stage", until="2.5", now="{self}.trainable_params()")
def infer_param_pipeline_stage(self: Any) -> list[Any]:
    """Return the parameters of this process."""
    parameters: list[Any] = self.trainable_params()
    return parameters


@form("nn.Cell.cast_param", until="2.5", now="the parameter itself: nn.Cell.to_float casts it in operations")
def cast_param(self: Any, param: Any) -> Any:
    """Return the parameter."""
    return param


@form("nn.Cell.auto_cast_inputs", until="2.5", now="nn.Cell.cast_inputs(inputs, dtype)")
def auto_cast_inputs(self: Any, inputs: Any) -> Any:
    """Return inputs in the data type of `to_float`."""
    kinds = {"FP16": mstype.float16, "FP32": mstype.float32}
    chosen = kinds.get(self.get_mixed_precision_type().name)
    return inputs if chosen is None else self.cast_inputs(inputs, chosen)


@form("nn.Cell.run_construct", until="2.7", now="{self}.construct(*{cast_inputs}, **{kwargs})")
def run_construct(self: Any, cast_inputs: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what the cell computes from its inputs."""
    return self.construct(*cast_inputs, **kwargs)


@form("Initializer.to_tensor", until="1.0", now="mindspore.common.initializer.initializer(...).init_data()")
def initializer_to_tensor(self: Any, slice_index: Any = None, shape: Any = None) -> Tensor:
    """Return a tensor of the initializer's shape and data type."""
    made: Tensor = Tensor(shape=shape or self.shape, dtype=self.dtype, init=self).init_data(slice_index)
    return made


@form("dataset.Dataset.to_device", until="1.10", now="{self}.device_que(...)")
def to_device(self: Any, send_epoch_end: bool = True, create_data_info_queue: bool = False) -> Any:
    """Return the dataset that sends rows to the device."""
    return self.device_que(send_epoch_end=send_epoch_end, create_data_info_queue=create_data_info_queue)


@form("dataset.Dataset.close_pool", until="1.10", now="nothing: iterators end their workers")
def close_pool(self: Any) -> None:
    """Do nothing: iterators end their workers."""


@form("dataset.Dataset.notify_watchdog", until="1.7", now="nothing: iterators end their workers")
def notify_watchdog(self: Any) -> None:
    """Do nothing: iterators watch their workers."""


@form("dataset.Dataset.get_sync_notifiers", until="2.7", now="nothing: dataset.Dataset.sync_update notifies")
def get_sync_notifiers(self: Any) -> dict[str, Any]:
    """Return nothing: `sync_update` notifies."""
    return {}


@form("dataset.Dataset.set_dynamic_columns", until="1.10", now="nn.Cell.set_inputs with shapes of None")
def set_dynamic_columns(self: Any, columns: Any = None) -> None:
    """Keep the shapes of columns whose rows differ, with None where they do, for `dynamic_min_max_shapes`."""
    if not isinstance(columns, dict):
        raise TypeError(
            f"For 'set_dynamic_columns', 'columns' must be a dict of shapes by column, but got {describe(columns)}."
        )
    self.dynamic_setting = [True, columns]


@form("dataset.Dataset.dynamic_min_max_shapes", until="1.10", now="the shapes of the rows")
def dynamic_min_max_shapes(self: Any) -> tuple[list[list[int]], list[list[int]]]:
    """Return the smallest and the largest sizes of each column, after `set_dynamic_columns`.

    Raises:
        RuntimeError: `set_dynamic_columns` has not named the columns, or a row has another shape.
    """
    _, columns = getattr(self, "dynamic_setting", (False, None))
    if not columns:
        raise RuntimeError("For 'dynamic_min_max_shapes', name the columns by 'set_dynamic_columns' first.")
    names = self.get_col_names()
    unknown = sorted(columns.keys() - set(names))
    if unknown:
        raise RuntimeError(
            f"For 'dynamic_min_max_shapes', columns must be among {', '.join(names)}, but got {unknown[0]}."
        )
    found: dict[str, set[tuple[int, ...]]] = {name: set() for name in names}
    for row in self.create_dict_iterator(num_epochs=1, output_numpy=True):
        for name in names:
            found[name].add(row[name].shape)
    for name, shapes in found.items():
        if name not in columns and len(shapes) > 1:
            raise RuntimeError(
                f"For 'dynamic_min_max_shapes', rows of '{name}' have different shapes: name it in "
                "'set_dynamic_columns'."
            )
        wrong = [shape for shape in shapes if name in columns and not _fits(shape, columns[name])]
        if wrong:
            raise RuntimeError(
                f"For 'dynamic_min_max_shapes', rows of '{name}' must have the shape {columns[name]}, but got "
                f"{min(wrong)}."
            )
    sizes = [list(zip(*found[name])) for name in names]
    return [list(map(min, each)) for each in sizes], [list(map(max, each)) for each in sizes]


def _fits(shape: Sequence[int], expected: Sequence[int | None]) -> bool:
    return len(shape) == len(expected) and all(size in (None, own) for own, size in zip(shape, expected))
