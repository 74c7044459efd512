"""`GraphCell`: a graph from a file as a cell."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import replace_value
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.exported_graph import ExportedGraph, Held
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Example, checked
from torchspore.engine.values.nested import unwrap_tree, wrap_tree
from torchspore.nn.cell import Cell

__all__ = ["GraphCell"]

RUNS_USER_CODE = True  # errors name what the user passed, see `engine.failures.errors`


_Graph: TypeAlias = Annotated[ExportedGraph, Example("'load' returns")]


class GraphCell(Cell):
    """Run a graph that `load` read from a file.

    It has the parameters of the exported network, under the same names, so it can be trained, and checkpoints can be
    loaded into it. It computes what the network computed in inference mode.

    Args:
        graph: what `load` returned. Cells of one graph do not share parameters.
        params_init: new values of parameters, by name; names that the graph does not have are ignored. Default: None.
        obf_random_seed: must be None: obfuscated graphs are not supported. Default: None.

    Inputs:
        The network's inputs, of the shapes and dtypes with which it was exported. Sizes that were left open may be any.

    Outputs: what the network returned.

    Raises:
        NotImplementedError: `obf_random_seed` is given.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones")
        >>> x = ms.Tensor([[1.0, 2.0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.export(net, x, file_name=f"{folder}/dense", file_format="PT2")
        ...     graph = ms.load(f"{folder}/dense.pt2")
        >>> cell = ms.nn.GraphCell(graph, params_init={"bias": ms.Tensor([0.5])})
        >>> print(cell(x), [parameter.name for parameter in cell.trainable_params()])
        [[3.5]] ['weight', 'bias']
    """

    @checked
    def __init__(
        self, graph: _Graph, params_init: dict[str, Tensor] | None = None, obf_random_seed: int | None = None
    ) -> None:
        super().__init__(auto_prefix=True)
        if obf_random_seed is not None:
            raise NotImplementedError(
                "For 'GraphCell', obfuscated graphs are not supported: leave 'obf_random_seed' out."
            )
        self.graph = graph
        new_values = params_init or {}
        for held in graph.held:
            if held.name:
                self.insert_param_to_cell(held.name, _parameter(held, new_values.get(held.name)), False)

    def construct(self, *args: Any) -> Any:
        """Run the graph."""
        parameters: Any = self._params
        held = [parameters[held.name]._t if held.name else held.value for held in self.graph.held]
        results, written = self.graph.run(held, unwrap_tree(args), "GraphCell")
        for number, value in zip(self.graph.writes, written):
            replace_value(parameters[self.graph.held[number].name], value)
        return wrap_tree(results)


def _parameter(held: Held, new_value: Tensor | None) -> Parameter:
    """Return a parameter with memory of its own."""
    value = held.value
    if new_value is not None:
        if (new_value._t.shape, new_value._t.dtype) != (value.shape, value.dtype):
            raise ValueError(
                f"For 'GraphCell', the value of '{held.name}' in 'params_init' must be {describe(value)}, "
                f"but got {describe(new_value)}."
            )
        value = new_value._t.detach().to(value.device)
    return Parameter(wrap(value.clone()), held.name, held.requires_grad)
