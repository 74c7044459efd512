"""Single steps of recurrent layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.initializer import Uniform, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.ops.recurrent.cells import CELLS, GATES

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class RNNCellBase(Cell):
    """The base of cells of recurrent layers: checks the arguments and makes the parameters.

    Args:
        input_size: the size of the input.
        hidden_size: the size of the output.
        has_bias: whether there are the two biases.
        num_chunks: the number of gates: the parameters have num_chunks * hidden_size rows.
        dtype: the data type of the parameters. Default: float32.

    MindSpore: `mindspore.nn.layer.rnn_cells.RNNCellBase`.
    """

    _shown = ("input_size", "hidden_size", "has_bias")

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        has_bias: bool,
        num_chunks: Positive,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.has_bias = has_bias
        rows = num_chunks * hidden_size
        initial = Uniform(1 / math.sqrt(hidden_size))
        for columns in ((input_size,), (hidden_size,), (), ())[: 4 if has_bias else 2]:
            np.random.randn(rows, *columns)  # MindSpore draws these before the weights, from the same generator
        self.weight_ih = Parameter(initializer(initial, (rows, input_size), dtype), name="weight_ih")
        self.weight_hh = Parameter(initializer(initial, (rows, hidden_size), dtype), name="weight_hh")
        self.bias_ih: Any = None
        self.bias_hh: Any = None
        if has_bias:
            self.bias_ih = Parameter(initializer(initial, (rows,), dtype), name="bias_ih")
            self.bias_hh = Parameter(initializer(initial, (rows,), dtype), name="bias_hh")


class _RecurrentCell(RNNCellBase):
    """A cell of a kind that `GATES` has."""

    _kind: str

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: mstype.Type = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, GATES[self._kind], dtype)

    def construct(self, x: Tensor, hx: Any) -> Any:
        weights = [self.weight_ih, self.weight_hh]
        if self.has_bias:
            weights += [self.bias_ih, self.bias_hh]
        return CELLS[self._kind](x, hx, weights, self._kind, self.cls_name)


def _by_weights(cell: str, kind: str) -> Callable[..., Any]:
    """Return a cell as a function of its weights, as packages import it."""

    def step(inputs: Tensor, hidden: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any) -> Any:
        weights = [w_ih, w_hh] if b_ih is None else [w_ih, w_hh, b_ih, b_hh]
        return CELLS[kind](inputs, hidden, weights, kind, cell)

    return step


_rnn_tanh_cell, _rnn_relu_cell = (_by_weights("RNNCell", f"rnn_{kind}") for kind in ("tanh", "relu"))
_lstm_cell, _gru_cell = _by_weights("LSTMCell", "lstm"), _by_weights("GRUCell", "gru")


def kind_of(nonlinearity: Any, api: str) -> str:
    """Return the kind of an Elman recurrent layer."""
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"For '{api}', 'nonlinearity' must be 'tanh' or 'relu', but got {describe(nonlinearity)}.")
    return f"rnn_{nonlinearity}"


class RNNCell(_RecurrentCell):
    """One step of `RNN`.

    Args:
        input_size, hidden_size, has_bias, dtype: as for `RNN`.
        nonlinearity: "tanh" or "relu". Default: "tanh".

    Attributes:
        weight_ih: the Parameter of shape (hidden_size, input_size) for the input.
        weight_hh: the Parameter of shape (hidden_size, hidden_size) for the previous output.
        bias_ih, bias_hh: the Parameters of shape (hidden_size,), or None. All parameters start uniformly distributed
            over [-1 / sqrt(hidden_size), 1 / sqrt(hidden_size)].

    Inputs:
        - x: a Tensor of shape (N, input_size), of the parameters' dtype.
        - hx: the previous output, of shape (N, hidden_size).

    Outputs: the output, a Tensor of shape (N, hidden_size).

    Examples:
        >>> import torchspore as ms
        >>> net, h = ms.nn.RNNCell(10, 16), ms.ops.ones((3, 16))
        >>> for x in ms.ops.ones((5, 3, 10)):
        ...     h = net(x, h)
        >>> print(h.shape)
        (3, 16)
    """

    nonlinearity = "tanh"  # until the constructor sets it

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        if not isinstance(nonlinearity, str):
            raise TypeError("'nonlinearity' must be a str")
        kind_of(nonlinearity, "RNNCell")  # refuses another
        super().__init__(input_size, hidden_size, has_bias, dtype)
        self.nonlinearity = nonlinearity

    @property
    def _kind(self) -> str:  # type: ignore[override]
        return kind_of(self.nonlinearity, "RNNCell")


class LSTMCell(_RecurrentCell):
    """One step of `LSTM`.

    Arguments and parameters as for `RNNCell`, without `nonlinearity`; the parameters have 4 * hidden_size rows.

    Inputs:
        - x: a Tensor of shape (N, input_size), of the parameters' dtype.
        - hx: the tuple (h, c) of the previous output and state, each of shape (N, hidden_size).

    Outputs: the tuple (h, c) of the output and the state.

    Examples:
        >>> import torchspore as ms
        >>> zeros = ms.ops.zeros((3, 16))
        >>> h, c = ms.nn.LSTMCell(10, 16)(ms.ops.ones((3, 10)), (zeros, zeros))
        >>> print(h.shape, c.shape)
        (3, 16) (3, 16)
    """

    _kind = "lstm"


class GRUCell(_RecurrentCell):
    """One step of `GRU`.

    Arguments and parameters as for `RNNCell`, without `nonlinearity`; the parameters have 3 * hidden_size rows.

    Inputs:
        - x: a Tensor of shape (N, input_size), of the parameters' dtype.
        - hx: the previous output, of shape (N, hidden_size).

    Outputs: the output, a Tensor of shape (N, hidden_size).

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.GRUCell(10, 16)(ms.ops.ones((3, 10)), ms.ops.zeros((3, 16))).shape
        (3, 16)
    """

    _kind = "gru"
