"""`compare`: prove that two networks compute the same."""

from __future__ import annotations

import os
from typing import Any

from torchspore.common import mode as modes
from torchspore.context import GRAPH_MODE, PYNATIVE_MODE
from torchspore.engine.failures.errors import describe
from torchspore.migrate.comparing.dumps import read_dump
from torchspore.migrate.comparing.layers import Sides, Trained, compare_layers
from torchspore.migrate.comparing.networks import Network, network, restored
from torchspore.migrate.comparing.report import Report
from torchspore.migrate.comparing.training import compare_training
from torchspore.migrate.weights import WeightMap, map_weights
from torchspore.nn.cell import Cell

__all__ = ["compare"]


def compare(
    cell: Any,
    module: Any,
    *inputs: Any,
    labels: Any = (),
    loss: Any = None,
    steps: int = 0,
    optimizers: Any = None,
    rules: Any = None,
    tolerance: float | None = None,
    mode: int | None = None,
    training: bool | None = None,
    copy_weights: bool = True,
) -> Report:
    """Compare two networks: layers, outputs, gradients and optimizer steps, from the same weights.

    The weights of `module` are mapped and copied to `cell`. Every layer of `cell` then receives what the layers of
    `module` computed, so that the report names the first layer that is different, and why: a suspicion is tried by
    running the layer again, and only called the cause if this makes the sides agree. Differences that rounding explains
    do not count. Weights, buffers, optimizers, training flags and random states are restored at the end.

    Args:
        cell, module: a Cell and a torch.nn.Module, or two of one kind; the second may be the path of a dump.
        inputs: the inputs of both, tensors or arrays of any kind; other values are passed unchanged. Without any,
            the dump's inputs.
        labels: what the losses get after the output, a tuple or a single tensor. Default: ().
        loss: a pair of functions or layers of (output, *labels), one for each side, or one for both sides of one kind.
            Default: None, gradients of a weighted mean of squares.
        steps: the number of optimizer steps. Default: 0.
        optimizers: a pair of optimizers of the networks, or of functions that make one of the list of parameters.
            Default: None, plain SGD with a learning rate of 0.01.
        rules: for `map_weights`. Default: None.
        tolerance: an error relative to the largest value of a tensor, instead of the derived one. Default: None.
        mode: GRAPH_MODE or PYNATIVE_MODE, for the run of the whole; layers are compared in PYNATIVE_MODE. Default:
            None, the current one.
        training: whether both are set to training first; None leaves the flags unchanged. Default: None.
        copy_weights: whether the weights are copied; otherwise those that both sides have are compared. Default: True.

    Returns:
        A Report, which prints as a table: `equal`, `first` with its `cause`, `assert_equal()`, `save("x.html")`.

    Raises:
        TypeError: a network is not one.
        ValueError: `steps`, `mode`, `loss` or `optimizers` have a wrong value.

    Examples:
        >>> import torch, torchspore as ms
        >>> from torchspore import migrate
        >>> cell = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.LayerNorm((8,)))
        >>> module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LayerNorm(8))
        >>> report = migrate.compare(cell, module, ms.ops.ones((2, 4)))
        >>> report.equal, report.first.name, str(report.first.cause)
        (False, '1', "'eps' is 1e-07 and 1e-05")
        >>> cell[1].epsilon = 1e-5
        >>> migrate.compare(cell, module, ms.ops.ones((2, 4)), steps=3).assert_equal()
    """
    _check(steps, mode, optimizers)
    labels = tuple(labels) if isinstance(labels, (tuple, list)) else (labels,)
    if isinstance(module, (str, os.PathLike)):
        return _with_dump(cell, module, inputs, labels, loss, steps, rules, tolerance, mode, training, copy_weights)
    names = ("the cell", "the module") if isinstance(cell, Cell) != isinstance(module, Cell) else ("first", "second")
    first, second = network(cell, names[0]), network(module, names[1])
    report = Report(names)
    with restored(first, second):
        weights = _prepare(first, module, rules, copy_weights, report)
        if training is not None:
            first.set_training(training)
            second.set_training(training)
        losses = _losses(loss, first, second)
        sides = Sides(first, second, inputs, labels, losses, weights.entries, tolerance)
        _run(sides, report, steps, optimizers, mode)
    return report


def _with_dump(
    cell: Any, path: Any, inputs: Any, labels: Any, loss: Any, steps: int, rules: Any, tolerance: float | None,
    mode: int | None, training: bool | None, copy_weights: bool,
) -> Report:  # fmt: skip
    """Compare a network with a dump; the inputs come from the dump if none are given."""
    if steps:
        raise ValueError(f"For 'compare', 'steps' must be 0 with a dump, which has no steps, but got {steps}.")
    dump = read_dump(path)
    report = Report(("the cell" if isinstance(cell, Cell) else "the module", "the dump"))
    first = network(cell, report.labels[0])
    with restored(first):
        weights = _prepare(first, dump.weights, rules, copy_weights, report)
        if training is not None:
            first.set_training(training)
        by_holder = {id(e._torch.holder): dump.gradients.get(e.torch) for e in weights.entries}
        gradients = {holder: value for holder, value in by_holder.items() if value is not None}
        outputs = [dump.store.get(n) for call in dump.calls if call.name == "" for n in call.stored]
        trained = Trained(outputs, [] if dump.loss is None else [dump.loss], [gradients])
        sides = Sides(first, None, inputs or dump.inputs, labels or dump.labels, (loss, loss), weights.entries,
                      tolerance, (dump.calls, dump.store), trained)  # fmt: skip
        _run(sides, report, 0, None, mode, gradients=dump.loss is not None)
    return report


def _prepare(first: Network, other: Any, rules: Any, copy_weights: bool, report: Report) -> WeightMap:
    weights = map_weights(first.net, other, rules)
    report.notes += weights.problems()
    if copy_weights:
        weights.copy_to_cell(strict=False)
    return weights


def _run(sides: Sides, report: Report, steps: int, optimizers: Any, mode: int | None, gradients: bool = True) -> None:
    keys = compare_layers(sides, report)
    if gradients and not any(row.verdict == "raised" for row in report.rows):
        graph = modes.graph if mode is None else mode == GRAPH_MODE
        compare_training(sides, report, keys, steps, optimizers, graph)


def _check(steps: int, mode: int | None, optimizers: Any) -> None:
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 0:
        raise ValueError(f"For 'compare', 'steps' must be an int >= 0, but got {describe(steps)}.")
    if mode not in (None, GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"For 'compare', 'mode' must be GRAPH_MODE, PYNATIVE_MODE or None, but got {describe(mode)}.")
    if optimizers is not None and not (isinstance(optimizers, (tuple, list)) and len(optimizers) == 2):
        raise ValueError(
            f"For 'compare', 'optimizers' must be a pair, one of each side, but got {describe(optimizers)}."
        )


def _losses(loss: Any, first: Network, second: Network) -> tuple[Any, Any]:
    if loss is None:
        return None, None
    if isinstance(loss, (tuple, list)):
        if len(loss) != 2 or not all(callable(one) for one in loss):
            raise ValueError(f"For 'compare', 'loss' must be a pair of functions or layers, but got {describe(loss)}.")
        return loss[0], loss[1]
    if type(first) is not type(second):
        raise ValueError("For 'compare', 'loss' must be a pair, the first for the cell and the second for the module.")
    return loss, loss
