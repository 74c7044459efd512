"""Recurrent layers and cells; `z`, of shape (2, 3, 4), is two time steps of three sequences, or three of two."""

from __future__ import annotations

_KINDS = ("RNN", "LSTM", "GRU")
_LENGTHS = "Tensor([2, 3], ms.int32)"  # of z with `batch_first`
_TIME_LENGTHS = "Tensor([2, 0, 1])"  # of z


def _hx(kind: str, *shape: int) -> str:
    states = f"wave{shape}"
    return f"({states}, {states} * 0.5)" if kind.startswith("LSTM") else states


CASES = [
    *[
        f"filled(nn.{kind}(4, 2, {arguments}))({inputs})"
        for kind in _KINDS
        for arguments, inputs in (
            ("", "z"), ("batch_first=True", "z"), ("has_bias=False", "z"), ("num_layers=2", "z"),
            ("bidirectional=True", "z"), ("num_layers=2, bidirectional=True, batch_first=True", "z"),
            ("num_layers=3, dropout=0.5", "z"),
            ("", f"z, {_hx(kind, 1, 3, 2)}"), ("num_layers=2, bidirectional=True", f"z, {_hx(kind, 4, 3, 2)}"),
            ("batch_first=True", f"z, None, {_LENGTHS}"), ("", f"z, None, {_TIME_LENGTHS}"),
            ("num_layers=2, bidirectional=True", f"z, {_hx(kind, 4, 3, 2)}, {_TIME_LENGTHS}"),
            ("bidirectional=True, batch_first=True, has_bias=False", f"z, {_hx(kind, 2, 2, 2)}, {_LENGTHS}"),
            ("", "z, seq_length=Tensor([9, 2, 1])"), ("", "z, seq_length=Tensor([-1, 2, 1])"),
            ("", "wave(2, 3, 4).astype(ms.float64)"),
            ("dtype=ms.float16", "wave(2, 3, 4).astype(ms.float16)"),
            ("bidirectional=True", f"wave(2, 3, 4).astype(ms.float16), None, {_TIME_LENGTHS}"),
        )
    ],
    "filled(nn.RNN(4, 2, dtype=ms.float16))(z)", "filled(nn.GRU(4, 2, dtype=ms.float16))(z)",
    "filled(nn.RNN(4, 2, nonlinearity='relu'))(z)",
    f"filled(nn.RNN(4, 2, 2, bidirectional=True, nonlinearity='relu'))(z, None, {_TIME_LENGTHS})",
    *[
        f"of_weights(filled(nn.{kind}(4, 2, {arguments})), wave(2, 3, 4), {inputs})"
        for kind in _KINDS
        for arguments, inputs in (
            ("", "None"), ("2, bidirectional=True", _hx(kind, 4, 3, 2)), ("2, batch_first=True", f"None, {_LENGTHS}"),
            ("1, False, bidirectional=True", f"{_hx(kind, 2, 3, 2)}, {_TIME_LENGTHS}"),
        )
    ],
    # parameters
    *[
        f"[(par.name, par.shape) for par in nn.{kind}(4, 3, {arguments}).get_parameters()]"
        for kind in _KINDS
        for arguments in ("", "num_layers=2, bidirectional=True", "num_layers=2, has_bias=False")
    ],
    "[str(par.dtype) for par in nn.GRU(4, 3, dtype=ms.float16).get_parameters()]",
    "(lambda net: (net.hidden_size, net.num_layers, net.has_bias, net.batch_first, net.dropout, net.bidirectional))"
    "(nn.LSTM(4, 3, 2, False, True, 0.5, True, ms.float16))",
    # errors
    *[
        f"nn.{kind}({arguments})"
        for kind in _KINDS
        for arguments in (
            "4", "4.0, 3", "4, '3'", "True, 3", "0, 3", "4, -1", "4, 3, 0", "4, 3, 1.0", "4, 3, has_bias=1",
            "4, 3, batch_first=None", "4, 3, dropout=1", "4, 3, dropout=1.0", "4, 3, dropout=-0.1", "4, 3, dropout='a'",
            "4, 3, dropout=True", "4, 3, bidirectional=0", "4, 3, proj_size=2", "4, 3, 1, 'relu'",
            "4, 3, 1, True, False, 0.5, False, ms.float16, 1",
        )
    ],
    "nn.RNN(4, 3, nonlinearity='sigmoid')", "nn.RNN(4, 3, nonlinearity=1)", "nn.LSTM(4, 3, nonlinearity='tanh')",
    *[
        f"nn.{kind}(4, 2)({inputs})"
        for kind in _KINDS
        for inputs in (
            "", "z[0]", "z[None]", "z[:, :, :3]", "z.asnumpy()", "z.astype(ms.int32)", "z, [wave(1, 3, 2)]",
            "z, (wave(1, 3, 2),)", "z, 3", f"z, {_hx(kind, 3, 2)}", f"z, {_hx(kind, 1, 3, 3)}",
            f"z, {_hx(kind, 2, 3, 2)}",
            "z, None, Tensor([1.0, 2.0, 1.0])", "z, None, Tensor([1, 2, 1], ms.int16)", "z, None, Tensor([1, 2])",
            "z, None, np.array([1, 2, 1])",
        )
    ],
    "nn.LSTM(4, 2)(z, wave(1, 3, 2))", f"nn.GRU(4, 2)(z, {_hx('LSTM', 1, 3, 2)})",
    f"nn.LSTM(4, 2)(z.astype(ms.float16), {_hx('LSTM', 1, 3, 2)})",
    "nn.GRU(4, 2)(z, wave(1, 3, 2).astype(ms.float16))",
    # cells
    *[
        expression
        for kind, arguments in (
            ("RNNCell", ""), ("RNNCell", ", False"), ("RNNCell", ", True, 'relu'"), ("LSTMCell", ""),
            ("LSTMCell", ", has_bias=False"), ("GRUCell", ""), ("GRUCell", ", has_bias=False"),
        )
        for expression in (
            f"filled(nn.{kind}(4, 2{arguments}))(z[0], {_hx(kind, 3, 2)})",
            f"filled(nn.{kind}(4, 2{arguments}))(z[0, :1], {_hx(kind, 3, 2)})",
            f"filled(nn.{kind}(4, 2{arguments}))(z[0], {_hx(kind, 1, 2)})",
            f"of_weights(filled(nn.{kind}(4, 2{arguments})), wave(3, 4), {_hx(kind, 3, 2)})",
        )
    ],
    *[
        expression
        for kind, state in (("RNNCell", "{}"), ("LSTMCell", "({}, {})"), ("GRUCell", "{}"))
        for expression in (
            f"[(par.name, par.shape) for par in nn.{kind}(4, 3).get_parameters()]",
            f"[(par.name, par.shape) for par in nn.{kind}(4, 3, has_bias=False).get_parameters()]",
            f"filled(nn.{kind}(3, 3, dtype=ms.float16))(h, {state.format('h', 'h')})",
            f"nn.{kind}(4)", f"nn.{kind}(4.0, 3)", f"nn.{kind}(4, 0)", f"nn.{kind}(True, 3)", f"nn.{kind}(4, 3, 1)",
            f"nn.{kind}(3, 3)(x)", f"nn.{kind}(3, 3)(x, 3)", f"nn.{kind}(3, 3)(x, [x])", f"nn.{kind}(3, 3)(x, (x,))",
            f"nn.{kind}(3, 3)(x, (x, x, x))", f"nn.{kind}(3, 3)(h, {state.format('x', 'x')})",
            f"nn.{kind}(3, 3)(x, {state.format('h', 'h')})", f"nn.{kind}(3, 3)(h, {state.format('h', 'h')})",
            f"nn.{kind}(3, 3)(i, {state.format('x', 'x')})", f"nn.{kind}(3, 3)(d, {state.format('d', 'd')})",
            f"nn.{kind}(3, 3)(x[0], {state.format('x', 'x')})", f"nn.{kind}(3, 3)(x[None], {state.format('x', 'x')})",
            f"nn.{kind}(4, 3)(x, {state.format('x', 'x')})", f"nn.{kind}(3, 2)(x, {state.format('x', 'x')})",
            f"nn.{kind}(3, 3)(x.asnumpy(), {state.format('x', 'x')})",
            f"nn.{kind}(3, 3)(x, {state.format('x[0]', 'x[0]')})",
        )
    ],
    "nn.RNNCell(4, 3, nonlinearity='sigmoid')", "nn.RNNCell(4, 3, True, 3)", "nn.LSTMCell(3, 3)(x, x)",
    "nn.GRUCell(3, 3)(x, (x, x))",
]  # fmt: skip
