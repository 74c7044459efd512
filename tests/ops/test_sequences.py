"""Recurrent layers, losses of sequences and attention, compared with torch's layers, brute force and plain formulas."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import cases
import torchspore as ms
from torchspore import ops
from torchspore.common.tensor import wrap

T, N, SIZE, H = 5, 3, 4, 2


def _numbers(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def _close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:LSTM with projections:UserWarning")
@pytest.mark.parametrize("projection", [0, 1])
@pytest.mark.parametrize(("layers", "both", "bias"), [*itertools.product((1, 2), (False, True), (False, True))])
def test_lstm_as_torchs(layers, both, bias, projection):
    theirs = torch.nn.LSTM(SIZE, H, layers, bias, bidirectional=both, proj_size=projection)
    for name, weight in theirs.named_parameters():
        if "bias_hh" in name:  # MindSpore's layer has one bias
            torch.nn.init.zeros_(weight)
    directions = 2 if both else 1
    ends = ("", "_reverse")[:directions]
    kinds = ("weight_ih", "weight_hh", *(("weight_hr",) * projection), *(("bias_ih",) if bias else ()))
    weights = [getattr(theirs, f"{k}_l{n}{end}").detach() for n in range(layers) for k in kinds for end in ends]
    flat = torch.cat([weight.flatten() for weight in weights]).reshape(-1, 1, 1)
    x, h, c = (
        _numbers(T, N, SIZE),
        _numbers(layers * directions, N, projection or H, seed=1),
        _numbers(layers * directions, N, H, seed=2),
    )
    expected, (last, state) = theirs(torch.from_numpy(x), (torch.from_numpy(h), torch.from_numpy(c)))
    layer = ops.LSTM(SIZE, H, layers, bias, both, 0.0, projection)
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
        np.testing.assert_allclose(found.asnumpy(), outputs[2 * place][0].asnumpy(), rtol=1e-5, atol=1e-6)
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


@pytest.mark.parametrize("merge", [True, False])
def test_one_graph_computes_ctc_losses_of_all_lengths(merge):
    scores, times = ms.Tensor(_numbers(6, 2, 4)), ms.Tensor([6, 4], ms.int32)
    batches = [
        (ms.Tensor([[0, 0], [0, 1], [1, 0]]), ms.Tensor([1, 1, 2], ms.int32)),
        (ms.Tensor([[0, 0], [1, 0], [1, 1]]), ms.Tensor([2, 0, 2], ms.int32)),
    ]

    def run(x, indices, values):
        loss = ops.CTCLoss(ctc_merge_repeated=merge)
        return ms.value_and_grad(lambda x: loss(x, indices, values, times)[0].sum())(x)

    captured = ms.jit(run)
    for indices, values in batches * 2:
        for found, expected in zip(captured(scores, indices, values), run(scores, indices, values)):
            np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    assert len(captured._graphs) == 1


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


def test_attention_with_prefixes():
    prefix, mask = (1, 4), np.zeros((2, 1, 3, 5), np.uint8)
    mask[1, 0, 2, 0] = 1
    hidden = (DISTANCE > 2) & (np.arange(5) >= np.array(prefix)[:, None, None])
    for given in (prefix, ms.Tensor(prefix)):
        for masked in (None, mask):
            found = ops.flash_attention_score(
                *map(ms.Tensor, (Q, K, V)),
                4,
                attn_mask=None if masked is None else ms.Tensor(mask),
                prefix=given,
                input_layout="BNSD",
                sparse_mode=5,
            )
            unseen = hidden[:, None] if masked is None else hidden[:, None] | mask
            np.testing.assert_allclose(found.asnumpy(), _attended(Q, K, V, 1.0, unseen), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", [2, 3, 4])
def test_the_corner_is_where_sequences_end(mode):
    lengths, key_lengths = (2, 3), (3, 5)
    options = {"sparse_mode": mode, "pre_tokens": 1, "next_tokens": 0}
    found = ops.prompt_flash_attention(
        *map(ms.Tensor, (Q, K, V)),
        actual_seq_lengths=ms.Tensor(lengths),
        actual_seq_lengths_kv=ms.Tensor(key_lengths),
        num_heads=4,
        num_key_value_heads=2,
        input_layout="BNSD",
        **options,
    ).asnumpy()
    for sample, (rows, columns) in enumerate(zip(lengths, key_lengths)):
        one = [x[sample : sample + 1, :, :count] for x, count in ((Q, rows), (K, columns), (V, columns))]
        alone = ops.flash_attention_score(*map(ms.Tensor, one), 4, input_layout="BNSD", **options)
        np.testing.assert_allclose(found[sample, :, :rows], alone.asnumpy()[0], rtol=1e-4, atol=1e-5)


# Sequences packed one behind the other: each is as if it were alone.
ENDS, KEY_ENDS = (2, 5, 6), (4, 9, 10)
PACKED = _numbers(6, 4, 8), _numbers(10, 2, 8, seed=1), _numbers(10, 2, 8, seed=2)
LONG_MASK = np.random.default_rng(3).integers(0, 2, (3, 5)).astype(np.uint8)
LONG_MASK[:, 0] = 0
MASK_OF_EACH = np.stack([np.roll(LONG_MASK, i, 0) for i in range(3)])[:, None]
SHIFT = _numbers(3, 4, 3, 5, seed=4)
TND = [
    {},
    {"attn_mask": LONG_MASK},
    {"attn_mask": np.ones_like(LONG_MASK)},  # a query without keys gets the mean of its sequence
    {"attn_mask": LONG_MASK, "pre_tokens": 1, "next_tokens": 1},
    {"attn_mask": MASK_OF_EACH, "sparse_mode": 1},
    {"sparse_mode": 2},
    {"sparse_mode": 3},
    {"sparse_mode": 3, "attn_mask": np.triu(np.ones((8, 8), np.uint8), 1)},
    {"sparse_mode": 4, "pre_tokens": 2, "next_tokens": 0},
    {"sparse_mode": 5, "prefix": (1, 4, 0)},
    {"real_shift": SHIFT},
    {"real_shift": SHIFT[:1], "sparse_mode": 3},
]


def _alone(index, options):
    """Return the options for one sequence alone, in a separate batch."""
    rows, columns = [end - begin for ends in (ENDS, KEY_ENDS) for begin, end in [((0, *ends)[index], ends[index])]]
    given = {}
    for name, value in options.items():
        if isinstance(value, np.ndarray):
            own = value[index : index + 1] if value.ndim == 4 and len(value) > 1 else value
            given[name] = ms.Tensor(np.ascontiguousarray(own[..., :rows, :columns]))
        else:
            given[name] = value[index : index + 1] if name == "prefix" else value
    return given


def _each_alone(options):
    parts = [np.split(x, ends[:-1]) for x, ends in zip(PACKED, (ENDS, KEY_ENDS, KEY_ENDS))]
    found = [
        ops.flash_attention_score(
            *[ms.Tensor(x[None]) for x in one], 4, scalar_value=0.5, input_layout="BSND", **_alone(index, options)
        ).asnumpy()[0]
        for index, one in enumerate(zip(*parts))
    ]
    return np.concatenate(found)


@pytest.mark.parametrize("in_tensors", [False, True])
@pytest.mark.parametrize("options", TND)
def test_packed_sequences(options, in_tensors):
    expected = _each_alone(options)
    ends = [ms.Tensor(ends) if in_tensors else list(ends) for ends in (ENDS, KEY_ENDS)]
    given = {name: ms.Tensor(value) if isinstance(value, np.ndarray) else value for name, value in options.items()}
    tensors = list(map(ms.Tensor, PACKED))
    found = ops.flash_attention_score(
        *tensors, 4, actual_seq_qlen=ends[0], actual_seq_kvlen=ends[1], scalar_value=0.5, input_layout="TND", **given
    )
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    if "prefix" not in given:
        shift = given.pop("real_shift", None)
        found = ops.prompt_flash_attention(
            *tensors, actual_seq_lengths=ends[0], actual_seq_lengths_kv=ends[1], pse_shift=shift, num_heads=4,
            scale_value=0.5, input_layout="TND", **{"next_tokens": 2**31 - 1, **given},
        )  # fmt: skip
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_packed_sequences_with_dropout():
    bits = np.random.default_rng(0).integers(0, 2, 4 * (2 * 4 + 3 * 5 + 1)).astype(bool)
    packed = np.packbits(bits, bitorder="little")
    ends = {"actual_seq_qlen": ENDS, "actual_seq_kvlen": KEY_ENDS}
    found = ops.flash_attention_score(
        *map(ms.Tensor, PACKED), 4, drop_mask=ms.Tensor(packed), keep_prob=0.5, input_layout="TND", **ends
    ).asnumpy()
    used = 0
    for (begin, end), (first, last) in zip(zip((0, *ENDS), ENDS), zip((0, *KEY_ENDS), KEY_ENDS)):
        q, k, v = PACKED[0][begin:end], PACKED[1][first:last], PACKED[2][first:last]
        for head in range(4):
            scores = np.exp(q[:, head] @ k[:, head // 2].T)
            kept = bits[used : used + scores.size].reshape(scores.shape)
            used += scores.size
            expected = scores / scores.sum(1, keepdims=True) * kept / 0.5 @ v[:, head // 2]
            np.testing.assert_allclose(found[begin:end, head], expected, rtol=1e-3, atol=1e-4)


def test_one_graph_for_packed_sequences_of_all_lengths():
    """Tensors without values give the shape: so nothing reads the lengths."""

    def run(q, k, v, *ends):
        return ops.flash_attention_score(
            q, k, v, 4, actual_seq_qlen=ends[0], actual_seq_kvlen=ends[1], input_layout="TND", sparse_mode=3
        )

    gradient = ms.grad(lambda *given: run(*given).square().sum(), (0, 1, 2))
    captured = ms.jit(gradient, fullgraph=True)
    for ends in ((ENDS, KEY_ENDS), ((1, 2, 6), (5, 6, 10))):
        given = list(map(ms.Tensor, PACKED))
        for one, other in zip(captured(*given, *map(ms.Tensor, ends)), gradient(*given, *ends)):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-5)
    without = [wrap(ms.Tensor(x)._t.to("meta")) for x in (*PACKED, ENDS, KEY_ENDS)]
    assert run(*without).shape == (6, 4, 8)


ERRORS = [
    ("ops.flash_attention_score(z, z, z, 3)", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, actual_seq_qlen=[3], actual_seq_kvlen=[3])", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, actual_seq_qlen=j, actual_seq_kvlen=j)", ValueError),
    (
        "ops.flash_attention_score(z, z, z, 3, actual_seq_qlen=[1], actual_seq_kvlen=[2], input_layout='TND')",
        ValueError,
    ),
    (
        "ops.flash_attention_score(z, z, z, 3, actual_seq_qlen=[2], actual_seq_kvlen=[3], input_layout='TND')",
        ValueError,
    ),
    (
        "ops.flash_attention_score(z, z, z, 3, actual_seq_qlen=[1, 2], actual_seq_kvlen=[2], input_layout='TND')",
        ValueError,
    ),
    ("ops.flash_attention_score(z, z, z, 2, sparse_mode=5)", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, sparse_mode=6)", NotImplementedError),
    ("ops.flash_attention_score(z, z, z, 2, padding_mask=z)", NotImplementedError),
    ("ops.flash_attention_score(z, z, z, 2, input_layout='TND')", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, input_layout='HSB')", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, prefix=(1, 2))", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, prefix=(1, 2), sparse_mode=2)", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, keep_prob=0.0)", ValueError),
    ("ops.flash_attention_score(z, z, z, 2, sparse_mode=1)", ValueError),
    ("ops.prompt_flash_attention(z, z, z, num_heads=2, quant_scale1=s)", NotImplementedError),
    ("ops.incre_flash_attention(z, [z, z], [z], num_heads=2)", TypeError),
    ("ops.CTCLossV2(0, 'mean')(z, j, (2, 2, 2), (1, 1, 1))", ValueError),
    ("ops.RNNTLoss()(z, j, k, k)", ValueError),
    ("ops.DynamicGRUV2(gate_order='hrz')(z, m, m, None, None, None, x)", ValueError),
    ("ops.LSTM(4, 3, 1, False, False, 0.0, 3)(z, z, z, z)", ValueError),
]


@pytest.mark.parametrize(("expression", "kind"), ERRORS, ids=[row[0] for row in ERRORS])
def test_errors(expression, kind):
    with pytest.raises(kind, match=r"^For '"):
        eval(expression, cases.namespace(ms))
