"""One stage, which torch's schedules run: its module runs the network's Python and computes its own steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.distributed.pipelining import PipelineStage
from torch.distributed.tensor import DTensor

from torchspore.common.private_torch import tree_map_only
from torchspore.common.scopes.scope import scope
from torchspore.engine.distributed.pipelining.cuts import compute_cut, leave
from torchspore.engine.distributed.pipelining.plan import Key, Plan, Step, Walk, is_unnumbered, results_of
from torchspore.engine.distributed.pipelining.transfer import received, sent
from torchspore.engine.values.nested import tensors

__all__ = ["Stage", "StageModule"]

_DIVERGED = (
    "the network does not do the same in all stages and for all parts of the batch: it must not depend on what changes "
    "outside of it, such as a global variable"
)


class _Replay(Walk):
    """A run of the network's Python that computes the steps of one position."""

    def __init__(self, plan: Plan, position: int, crossed: dict[Key, torch.Tensor]) -> None:
        super().__init__()
        self._plan = plan
        self._position = position
        self._known: dict[int, torch.Tensor] = {}  # tensors that come from a step with a position
        self._next = 0
        self.crossed = crossed

    def call(self, cell: Any, run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Run a cell if it is on this position."""
        if cell in self._plan.glue:
            return run(*args, **kwargs)
        step = self._step(cell)
        if step is None:
            raise RuntimeError(f"For '{type(cell).__name__}', {_DIVERGED}.")
        if step.position not in (None, self._position):
            return self._stand_in(step)
        self.is_inside, tracing, scope.tracing = True, scope.tracing, None
        try:
            if step.position is None or not self._plan.cuts:
                result = run(*args, **kwargs)
            else:
                result = compute_cut(run, args, kwargs, self._plan.cuts[self._next - 1])
        finally:
            self.is_inside, scope.tracing = False, tracing
        if step.position is not None:
            self._keep(step.tensors(result))
        return result

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.is_inside:
            return func(*args, **kwargs)
        if self._plan.cuts and not is_unnumbered(func):
            args, kwargs = self._left((args, kwargs))
        given = results_of((args, tuple(kwargs.values())))
        if not any(id(value) in self._known for value in given):
            return func(*args, **kwargs)
        step = None if is_unnumbered(func) else self._step(func)
        if step is None:
            result = func(*args, **kwargs)
            if results_of(result) and not is_unnumbered(func) and not any(result is value for value in given):
                raise RuntimeError(f"For '{getattr(func, '__name__', func)}', {_DIVERGED}.")
            return result
        if step.position != self._position:
            return self._stand_in(step) if step.same is None else given[step.same]
        result = func(*args, **kwargs)
        if step.same is None:
            self._keep(step.tensors(result))
        return result

    def _left(self, tree: Any) -> Any:
        """Return arguments with parameters that are cut as the tensors of this process."""
        self.is_inside = True
        try:
            return tree_map_only(DTensor, lambda value: leave(value, None), tree)
        finally:
            self.is_inside = False

    def _step(self, what: Any) -> Step | None:
        """Return the next step if it is this one."""
        if self._next == len(self._plan.steps) or self._plan.steps[self._next].what != what:
            return None
        self._next += 1
        return self._plan.steps[self._next - 1]

    def _stand_in(self, step: Step) -> Any:
        """Return what takes the place of a result: tensors that have crossed, and others that are not read."""
        number = self._next - 1
        values = []
        self.is_inside = True
        for i, spec in enumerate(step.specs):
            value = self.crossed.get((number, i))
            values.append(spec.empty(self._plan.device) if value is None else value)
        self.is_inside = False
        self._known |= {id(value): value for value in values}
        return step.filled(values)

    def _keep(self, values: list[torch.Tensor]) -> None:
        for i, value in enumerate(values):
            self.crossed[self._next - 1, i] = value
            self._known[id(value)] = value


class StageModule(torch.nn.Module):
    """What one position of a pipeline computes.

    Args:
        plan: how the network is computed.
        position: the position.

    Attributes:
        parts: the inputs of the parts of the batch: pairs of arguments and keyword arguments.
        outputs: in the last position the output for each part, without its graph.
        seeds: in the last position the gradients of the tensors in the output; None: there are no gradients.
        weights: the parameters' tensors, for schedules that compute their gradients separately.
        error: what the network raised first. From then on nothing is computed, and zeros go to the other stages, which
            would otherwise wait for ever.
    """

    def __init__(self, plan: Plan, position: int) -> None:
        super().__init__()
        self.plan = plan
        self.position = position
        self.takes = tuple(plan.crossing[position - 1]) if position else ()
        self.gives = tuple(plan.crossing[position]) if position < plan.positions - 1 else ()
        self.parts: Sequence[tuple[Any, Any]] = ()
        self.outputs: list[Any] = []
        self.seeds: Sequence[Any] | None = None
        self.weights: list[torch.Tensor] = []
        self.error: Exception | None = None
        self._count = 0

    def begin(self, parts: Sequence[tuple[Any, Any]], weights: list[torch.Tensor], seeds: Any) -> None:
        """Prepare a run of a schedule."""
        self.parts, self.weights, self.seeds = parts, weights, seeds
        self.outputs, self.error, self._count = [], None, 0

    def end(self) -> tuple[list[Any], Exception | None]:
        """Return the outputs and the error, and forget the run."""
        found = self.outputs, self.error
        self.begin((), [], None)
        return found

    def parameters(self, _recurse: bool = True) -> Iterator[Any]:
        """Iterate over the tensors whose gradients are computed."""
        return iter(self.weights)

    def forward(self, *values: torch.Tensor) -> Any:
        """Compute the steps for the next part; return what crosses, or the number whose gradient is computed."""
        if self.error is None:
            try:
                return self._compute(values)
            except Exception as error:
                self.error = error
        return self._zeros(values)

    def _zeros(self, values: tuple[torch.Tensor, ...]) -> Any:
        _, link = received(values, tuple(map(self.plan.spec, self.takes)))
        device = self.plan.device
        if self.position < self.plan.positions - 1:
            return sent([self.plan.spec(key).empty(device).zero_() for key in self.gives], link)
        self.outputs.append([spec.empty(device).zero_() for spec in self.plan.output_specs])
        return sent([torch.zeros(1, device=device)], link)[0]

    def _compute(self, values: tuple[torch.Tensor, ...]) -> Any:
        args, kwargs = self.parts[self._count]
        self._count += 1
        found, link = received(values, tuple(map(self.plan.spec, self.takes)))
        replay = _Replay(self.plan, self.position, dict(zip(self.takes, found)))
        with replay.walking():
            output = self.plan.network(*args, **kwargs)
        if self.position < self.plan.positions - 1:
            return sent([replay.crossed[key] for key in self.gives], link)
        results = [tensor._t for tensor in tensors(output)]
        self.outputs.append([value.detach() for value in results])
        return sent([self._objective(results)], link)[0]

    def _objective(self, results: list[torch.Tensor]) -> torch.Tensor:
        total = torch.zeros(1, device=self.plan.device)
        if self.seeds is None:
            return total
        for value, seed in zip(results, self.seeds):
            if value.requires_grad:
                total = total + (value * seed).float().sum()
        return total


class Stage(PipelineStage):
    """A stage of torch's schedules that sends zeros as gradients after an error in the backward pass.

    The other stages would otherwise wait for them.
    """

    def backward_maybe_with_nosync(
        self, backward_type: Any, bwd_kwargs: dict[str, Any], last_backward: bool = False
    ) -> tuple[tuple[torch.Tensor | None, ...], list[dict[str, Any]] | None]:
        """Return the gradients of the inputs of one part, and what the gradients of the weights need."""
        module: Any = self.submod
        try:
            return super().backward_maybe_with_nosync(backward_type, bwd_kwargs, last_backward)
        except Exception as error:
            cause = error.__cause__  # torch raises its own error from the program's
            module.error = module.error or (cause if isinstance(cause, Exception) else error)
            inputs = bwd_kwargs.get("input_values", ())
            return tuple([torch.zeros_like(value) if value.requires_grad else None for value in inputs]), []
