"""Recurrent layers, losses of sequences and attention, compared with torch's layers, brute force and plain formulas."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import cases
import torchspore as ms
from torchspore import ops

T, N, SIZE, H = 5, 3, 4, 2


def _numbers(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def _close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("layers", "both", "bias"), [*itertools.product((1, 2), (False, True), (False, True))])
def test_lstm_as_torchs(layers, both, bias):
    theirs = torch.nn.LSTM(SIZE, H, layers, bias, bidirectional=both)
    directions = 2 if both else 1
    ends = ("", "_reverse")[:directions]
    kinds = ("weight_ih", "weight_hh", *(("bias_ih", "bias_hh") if bias else ()))
    weights = [getattr(theirs, f"{k}_l{n}{end}").detach() for n in range(layers) for k in kinds for end in ends]
    flat = torch.cat([weight.flatten() for weight in weights]).reshape(-1, 1, 1)
    x, h, c = (
        _numbers(T, N, SIZE),
        _numbers(layers * directions, N, H, seed=1),
        _numbers(layers * directions, N, H, seed=2),
    )
    expected, (last, state) = theirs(torch.from_numpy(x), (torch.from_numpy(h), torch.from_numpy(c)))
    layer = ops.LSTM(SIZE, H, layers, bias, both, 0.0)
    output, hn, cn, *_ = layer(*map(ms.Tensor, (x, h, c)), ms.Tensor(flat.numpy()))
    for found, wanted in ((output, expected), (hn, last), (cn, state)):
        _close(found, wanted)
    gradient = ms.grad(lambda w: layer(*map(ms.Tensor, (x, h, c)), w)[0].sum())(ms.Tensor(flat.numpy()))
    expected.sum().backward()
    found = gradient.asnumpy().ravel()[: SIZE * 4 * H]
    np.testing.assert_allclose(found, theirs.weight_ih_l0.grad.numpy().ravel(), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="must have"):
        layer(*map(ms.Tensor, (x, h, c)), ops.ones((3, 1, 1)))


def _as_ijfo(weight):
    """Return torch's gates, which are input, forget, cell, output, in the order input, cell, forget, output."""
    i, f, j, o = weight.detach().chunk(4)
    return torch.cat((i, j, f, o))


def test_dynamic_rnn_and_its_cell():
    cell = torch.nn.LSTMCell(SIZE, H)
    w = torch.cat((_as_ijfo(cell.weight_ih), _as_ijfo(cell.weight_hh)), 1)
    b = _as_ijfo(cell.bias_ih + cell.bias_hh)
    x, h, c = _numbers(T, N, SIZE), _numbers(1, N, H, seed=1), _numbers(1, N, H, seed=2)
    outputs = ops.DynamicRNN()(*map(ms.Tensor, (x, w.T.numpy(), b.numpy())), None, ms.Tensor(h), ms.Tensor(c))
    assert [part.shape for part in outputs] == [(T, N, H)] * 8
    state = (torch.from_numpy(h[0]), torch.from_numpy(c[0]))
    for t in range(T):
        state = cell(torch.from_numpy(x[t]), state)
        _close(outputs[0][t], state[0])
        _close(outputs[2][t], state[1])
    _close(outputs[7][-1], torch.tanh(state[1]))
    one = ops.BasicLSTMCell(forget_bias=0.0)(*map(ms.Tensor, (x[0], h[0], c[0], w.numpy(), b.numpy())))
    for place, found in enumerate((one[1], one[0])):
        np.testing.assert_allclose(found.asnumpy(), outputs[2 * place][0].asnumpy(), rtol=1e-5)
    clipped = ops.DynamicRNN(cell_clip=0.01)(*map(ms.Tensor, (x, w.T.numpy(), b.numpy())))
    assert abs(clipped[2]).max().item() == pytest.approx(0.01)
    with pytest.raises(NotImplementedError, match="use_peephole"):
        ops.DynamicRNN(use_peephole=True)(*map(ms.Tensor, (x, w.T.numpy(), b.numpy())))


@pytest.mark.parametrize("order", ["rzh", "zrh"])
def test_dynamic_gru(order):
    theirs = torch.nn.GRU(SIZE, H)
    parts = [getattr(theirs, f"{kind}_{place}_l0").detach() for kind in ("weight", "bias") for place in ("ih", "hh")]
    if order == "zrh":
        parts = [torch.cat((z, r, n)) for r, z, n in (part.chunk(3) for part in parts)]
    w_i, w_h, b_i, b_h = [ms.Tensor(np.ascontiguousarray(part.numpy().T)) for part in parts]
    x, h = _numbers(T, N, SIZE), _numbers(N, H, seed=1)
    expected, _ = theirs(torch.from_numpy(x), torch.from_numpy(h)[None])
    outputs = ops.DynamicGRUV2(gate_order=order)(ms.Tensor(x), w_i, w_h, b_i, b_h, None, ms.Tensor(h))
    _close(outputs[0], expected)
    _, _, update, _, new, _ = [part.asnumpy() for part in outputs]
    before = np.concatenate((h[None], outputs[0].asnumpy()[:-1]))
    np.testing.assert_allclose(outputs[1].asnumpy(), (1 - update) * new + update * before, rtol=1e-4, atol=1e-5)


def _transducer_cost(scores, labels, times, count, blank):
    """Add up all ways to emit the labels within the times."""
    chances = torch.softmax(torch.from_numpy(scores).double(), -1).numpy()
    total = 0.0
    for places in itertools.combinations_with_replacement(range(times), count):
        chance, u = 1.0, 0
        for t in range(times):
            while u < count and places[u] == t:
                chance *= chances[t, u, labels[u]]
                u += 1
            chance *= chances[t, u, blank]
        total += chance
    return -np.log(total)


def test_transducer_loss_counts_all_ways():
    acts = _numbers(2, 4, 3, 5)
    labels, times, counts = np.array([[1, 2], [4, 3]]), np.array([4, 3]), np.array([2, 1])
    given = [ms.Tensor(part, ms.int32) for part in (labels, times, counts)]
    costs, gradient = ops.RNNTLoss()(ms.Tensor(acts), *given)
    expected = [_transducer_cost(acts[n], labels[n], times[n], counts[n], 0) for n in range(2)]
    np.testing.assert_allclose(costs.asnumpy(), expected, rtol=1e-5)
    through = ms.grad(lambda x: ops.RNNTLoss()(x, *given)[0].sum())(ms.Tensor(acts))
    np.testing.assert_allclose(gradient.asnumpy(), through.asnumpy(), rtol=1e-4, atol=1e-6)
    assert not gradient[1, 3:].any()


def test_ctc_gradients():
    scores = ms.Tensor(_numbers(6, 2, 4))
    indices, values = ms.Tensor([[0, 0], [0, 1], [1, 0]]), ms.Tensor([1, 1, 2], ms.int32)
    times = ms.Tensor([6, 4], ms.int32)
    for merge in (True, False):
        loss = ops.CTCLoss(ctc_merge_repeated=merge)
        through = ms.grad(lambda x, loss=loss: loss(x, indices, values, times)[0].sum())(scores)
        np.testing.assert_allclose(through.asnumpy(), loss(scores, indices, values, times)[1].asnumpy(), atol=1e-5)
    short = ms.Tensor([1, 4], ms.int32)
    assert np.isinf(ops.CTCLoss()(scores, indices, values, short)[0][0].item())
    loss, gradient = ops.CTCLoss(ignore_longer_outputs_than_inputs=True)(scores, indices, values, short)
    assert loss[0].item() == 0
    assert not gradient[:, 0].any()


def _attended(query, key, value, scale, hidden=None, shift=0.0):
    """The formula, for (N, heads, S, D)."""
    copies = query.shape[1] // key.shape[1]
    key, value = np.repeat(key, copies, 1), np.repeat(value, copies, 1)
    scores = query @ key.swapaxes(2, 3) * scale + shift
    if hidden is not None:
        scores = np.where(hidden, -1e9, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ value


LAYOUTS = {
    "BNSD": lambda x: x,
    "BSND": lambda x: x.swapaxes(1, 2),
    "BSH": lambda x: x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1),
    "SBH": lambda x: x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1),
}
Q, K, V = _numbers(2, 4, 3, 8), _numbers(2, 2, 5, 8, seed=1), _numbers(2, 2, 5, 8, seed=2)
DISTANCE = np.arange(5) - np.arange(3)[:, None]
MASK = np.array([[0, 1, 0, 0, 1], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]], np.uint8)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_attention_layouts(layout):
    put = LAYOUTS[layout]
    shift = _numbers(2, 4, 3, 5, seed=3)
    found = ops.flash_attention_score(
        *[ms.Tensor(np.ascontiguousarray(put(x))) for x in (Q, K, V)],
        4,
        ms.Tensor(shift),
        scalar_value=0.3,
        input_layout=layout,
    )
    np.testing.assert_allclose(found.asnumpy(), put(_attended(Q, K, V, 0.3, None, shift)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "hidden"),
    [
        ({"attn_mask": MASK}, MASK),
        ({"attn_mask": MASK, "sparse_mode": 1}, MASK),
        ({"attn_mask": MASK, "pre_tokens": 1, "next_tokens": 2}, MASK | (DISTANCE > 2) | (DISTANCE < -1)),
        ({"next_tokens": 0}, None),
        ({"sparse_mode": 2}, DISTANCE > 0),
        ({"sparse_mode": 3}, DISTANCE > 2),
        ({"sparse_mode": 4, "pre_tokens": 1, "next_tokens": 0}, (DISTANCE > 2) | (DISTANCE < 1)),
    ],
)
def test_attention_masks(options, hidden):
    given = {name: ms.Tensor(value) if name == "attn_mask" else value for name, value in options.items()}
    expected = _attended(Q, K, V, 0.5, hidden)
    found = ops.flash_attention_score(*map(ms.Tensor, (Q, K, V)), 4, scalar_value=0.5, input_layout="BNSD", **given)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    whole = ops.prompt_flash_attention(
        *map(ms.Tensor, (Q, K, V)),
        **{"next_tokens": 2**31 - 1, **given},
        num_heads=4,
        num_key_value_heads=2,
        scale_value=0.5,
        input_layout="BNSD",
    )
    np.testing.assert_allclose(whole.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_attention_to_what_there_is_so_far():
    expected = _attended(Q[:, :, :1], K, V, 0.5, (np.arange(5) >= np.array([3, 5])[:, None])[:, None, None])
    found = ops.incre_flash_attention(
        ms.Tensor(Q[:, :, :1]),
        [ms.Tensor(K)],
        [ms.Tensor(V)],
        actual_seq_lengths=(3, 5),
        num_heads=4,
        num_key_value_heads=2,
        scale_value=0.5,
        input_layout="BNSD",
    )
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_attention_with_dropout():
    keys, values = np.tile(K, (1, 1, 2, 1))[:, :, :8], np.tile(V, (1, 1, 2, 1))[:, :, :8]
    bits = np.random.default_rng(0).integers(0, 256, (2, 4, 3, 1)).astype(np.uint8)
    found = ops.flash_attention_score(
        *map(ms.Tensor, (Q, keys, values)), 4, drop_mask=ms.Tensor(bits), keep_prob=0.5, input_layout="BNSD"
    )
    key, value = np.repeat(keys, 2, 1), np.repeat(values, 2, 1)
    scores = Q @ key.swapaxes(2, 3)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    kept = np.unpackbits(bits, axis=-1, bitorder="little")
    np.testing.assert_allclose(found.asnumpy(), (weights * kept / 0.5) @ value, rtol=1e-3, atol=1e-4)


ERRORS = [
    ("ops.flash_attention_score(z, z, z, 3)", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, input_layout='TND')", NotImplementedError),
    ("ops.flash_attention_score(z, z, z, 2, input_layout='HSB')", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, prefix=(1, 2))", NotImplementedError),
    ("ops.flash_attention_score(z, z, z, 2, keep_prob=0.0)", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, sparse_mode=1)", ValueError),
    ("ops.prompt_flash_attention(z, z, z, num_heads=2, quant_scale1=s)", NotImplementedError),
    ("ops.incre_flash_attention(z, [z, z], [z], num_heads=2)", TypeError),
    ("ops.CTCLossV2(0, 'mean')(z, j, (2, 2, 2), (1, 1, 1))", ValueError),
    ("ops.RNNTLoss()(z, j, k, k)", ValueError),
    ("ops.DynamicGRUV2(gate_order='hrz')(z, m, m, None, None, None, x)", ValueError),
    ("ops.LSTM(4, 3, 1, False, False, 0.0, 2)(z, z, z, z)", NotImplementedError),
]


@pytest.mark.parametrize(("expression", "kind"), ERRORS, ids=[row[0] for row in ERRORS])
def test_errors(expression, kind):
    with pytest.raises(kind, match=r"^For '"):
        eval(expression, cases.namespace(ms))
