"""Recurrent layers over whole sequences; `recurrent_cells.py` has their single steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits, Positive, checked
from torchspore.engine.parameters.limits import Strict
from torchspore.nn.layer.planned import Planned
from torchspore.nn.layer.recurrent_cells import kind_of
from torchspore.ops.recurrent.cells import GATES, LAYERS, Plan, make_compact

__all__ = ["GRU", "LSTM", "RNN"]

_KINDS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _all_of(kind: str, attribute: str) -> property:
    """Return the property that is the parameters of a kind of all layers and directions, as MindSpore lists them."""

    def get(layer: _Recurrent) -> ParameterTuple:
        return ParameterTuple([getattr(layer, name) for name, (own, _) in layer._names().items() if own == kind])

    def put(layer: _Recurrent, parameters: Any) -> None:
        names = [name for name, (own, _) in layer._names().items() if own == kind]
        if not isinstance(parameters, (tuple, list)) or not all(isinstance(p, Parameter) for p in parameters):
            raise TypeError(
                f"For '{layer.cls_name}', '{attribute}' must be a ParameterTuple or a list of Parameters, "
                f"but got {describe(parameters)}."
            )
        if len(parameters) != len(names):
            raise ValueError(
                f"For '{layer.cls_name}', '{attribute}' must have {len(names)} parameters, for {', '.join(names)}, "
                f"but got {len(parameters)}."
            )
        for name, parameter in zip(names, parameters):
            setattr(layer, name, parameter)

    return property(get, put)


class _Recurrent(Planned):
    """The base of the recurrent layers: checks the arguments, makes the parameters and runs."""

    _shown = ("input_size", "hidden_size", "num_layers", "has_bias", "batch_first", "dropout", "bidirectional")
    _kind: str

    if TYPE_CHECKING:  # the parameters of each layer: `weight_ih_l0`, ...

        def __getattr__(self, name: str) -> Any: ...

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        num_layers: Annotated[int, Limits(1, 65536)] = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: Annotated[float, Strict(), Limits(0, below=1)] = 0.0,
        bidirectional: bool = False,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.has_bias = has_bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self._make_parameters(GATES[self._kind] * hidden_size, dtype)

    def _names(self) -> dict[str, tuple[str, int]]:
        """Return the kind and the number of the layer of every parameter, by its name, as torch orders them."""
        kinds = _KINDS if self.has_bias else _KINDS[:2]
        suffixes = ("", "_reverse")[: self._directions()]
        passes = [(layer, suffix) for layer in range(self.num_layers) for suffix in suffixes]
        return {f"{kind}_l{layer}{suffix}": (kind, layer) for layer, suffix in passes for kind in kinds}

    w_ih_list = _all_of("weight_ih", "w_ih_list")
    w_hh_list = _all_of("weight_hh", "w_hh_list")
    b_ih_list = _all_of("bias_ih", "b_ih_list")
    b_hh_list = _all_of("bias_hh", "b_hh_list")

    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _make_parameters(self, rows: int, dtype: mstype.Type) -> None:
        bound = 1 / math.sqrt(self.hidden_size)
        drawn = {}
        for name, (kind, layer) in self._names().items():
            inputs = self._directions() * self.hidden_size if layer else self.input_size
            columns = {"weight_ih": (inputs,), "weight_hh": (self.hidden_size,)}.get(kind, ())
            # by NumPy, as in MindSpore: the same seed gives the same weights
            drawn[name] = np.random.uniform(-bound, bound, (rows, *columns)).astype(np.float32)
        for name in sorted(drawn, key=lambda name: _KINDS.index(self._names()[name][0])):
            setattr(self, name, Parameter(Tensor(drawn[name], dtype), name=name))
        plan, names = self._make_plan()
        make_compact(plan, [getattr(self, name)._t for name in names])

    def _make_plan(self) -> tuple[Plan, list[str]]:
        sizes = (self.input_size, self.hidden_size, self.num_layers)
        settings: Any = (self.has_bias, self.bidirectional, self.dropout, self.batch_first)
        return Plan(self.cls_name, self._kind, *sizes, *settings), list(self._names())

    def construct(self, x: Tensor, hx: Any = None, seq_length: Tensor | None = None) -> Any:
        plan, names = self._plan or self._planned()
        weights = [getattr(self, name) for name in names]
        return LAYERS[plan.kind](x, hx, seq_length, weights, plan, self.training)


class RNN(_Recurrent):
    r"""Stacked Elman recurrent layers over a batch of sequences.

    .. math::
        h_t = \tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh})

    Args:
        input_size: the size of the input.
        hidden_size: the size of the output.
        num_layers: the number of layers. Default: 1.
        has_bias: whether there are the two biases. Default: True.
        batch_first: whether the batch is the first dimension of input and output, else the time. Default: False.
        dropout: the probability, in [0, 1), to drop an output of a layer but the last, in training. Default: 0.0.
        bidirectional: whether every layer also runs backwards, with weights of its own; the outputs of both directions
            are concatenated. Default: False.
        dtype: the data type of the parameters. Default: float32.
        nonlinearity: "tanh" or "relu". Default: "tanh".

    Attributes:
        weight_ih_l0: the Parameter of shape (hidden_size, input_size) for the input of the first layer; the names
            for layer number `n` end with `_ln`, for the backward direction with `_ln_reverse`.
        weight_hh_l0: the Parameter of shape (hidden_size, hidden_size) for the previous output.
        bias_ih_l0, bias_hh_l0: the Parameters of shape (hidden_size,). All parameters start uniformly distributed over
            [-1 / sqrt(hidden_size), 1 / sqrt(hidden_size)].

    Inputs:
        - x: a Tensor of shape (T, N, input_size), or (N, T, input_size) with `batch_first`, of floats. The weights are
          converted to its dtype.
        - hx: the outputs before the first time step, of shape (num_layers * directions, N, hidden_size) and the dtype
          of `x`. Default: None, zeros.
        - seq_length: the lengths of the sequences, an int32 or int64 Tensor of shape (N,); numbers outside [0, T] are
          clamped. Default: None, T.

    Outputs:
        (output, hx_n): the last layer's outputs, of shape (T, N, directions * hidden_size) or (N, T, directions *
        hidden_size), zeros after the end of a sequence, and the outputs of all layers after the last time step, of
        the shape of `hx`.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.RNN(10, 16, 2, batch_first=True, nonlinearity="relu")
        >>> output, hx_n = net(ms.ops.ones((3, 5, 10)), ms.ops.ones((2, 3, 16)))
        >>> print(output.shape, hx_n.shape)
        (3, 5, 16) (2, 3, 16)
    """

    nonlinearity = "tanh"  # until the constructor sets it

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: mstype.Type = mstype.float32,
        *,
        nonlinearity: str = "tanh",
    ) -> None:
        kind_of(nonlinearity, "RNN")  # refuses another
        super().__init__(input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype)
        self.nonlinearity = nonlinearity

    @property
    def _kind(self) -> str:  # type: ignore[override]
        return kind_of(self.nonlinearity, "RNN")


class LSTM(_Recurrent):
    r"""Stacked long short-term memory layers over a batch of sequences.

    .. math::
        \begin{aligned}
        i_t, f_t, o_t &= \sigma(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh}) \\
        g_t &= \tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh}) \\
        c_t &= f_t c_{t-1} + i_t g_t \\
        h_t &= o_t \tanh(c_t)
        \end{aligned}

    with separate weights for i, f, g and o, stacked in this order.

    Arguments as for `RNN`, without `nonlinearity`.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0: as for `RNN`, with 4 * hidden_size rows.

    Inputs:
        - x: a Tensor of shape (T, N, input_size), or (N, T, input_size) with `batch_first`.
        - hx: the tuple (h, c) of the outputs and the states before the first time step, each of shape (num_layers *
          directions, N, hidden_size) and the dtype of `x`. Default: None, zeros.
        - seq_length: as for `RNN`.

    Outputs:
        (output, (h_n, c_n)): the last layer's outputs, zeros after the end of a sequence, and the outputs and states of
        all layers after the last time step.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.LSTM(10, 16, batch_first=True, bidirectional=True)
        >>> output, (h, c) = net(ms.ops.ones((3, 5, 10)), seq_length=ms.Tensor([5, 2, 3]))
        >>> print(output.shape, h.shape, c.shape, abs(output[1, 2:]).max())
        (3, 5, 32) (2, 3, 16) (2, 3, 16) 0.0
    """

    _kind = "lstm"


class GRU(_Recurrent):
    r"""Stacked layers of gated recurrent units over a batch of sequences.

    .. math::
        \begin{aligned}
        r_t, z_t &= \sigma(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh}) \\
        n_t &= \tanh(W_{ih} x_t + b_{ih} + r_t (W_{hh} h_{t-1} + b_{hh})) \\
        h_t &= (1 - z_t) n_t + z_t h_{t-1}
        \end{aligned}

    with separate weights for r, z and n, stacked in this order.

    Arguments as for `RNN`, without `nonlinearity`.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0: as for `RNN`, with 3 * hidden_size rows.

    Inputs and outputs as for `RNN`.

    Examples:
        >>> import torchspore as ms
        >>> output, hx_n = ms.nn.GRU(10, 16, 2)(ms.ops.ones((5, 3, 10)))
        >>> print(output.shape, hx_n.shape, bool((output[-1] == hx_n[-1]).all()))
        (5, 3, 16) (2, 3, 16) True
    """

    _kind = "gru"
