"""Fused attention with all its options, and caches in pages: compared with loops over queries and heads in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import ops
from torchspore.common.tensor import wrap
from torchspore.ops import auto_generate

RNG = np.random.default_rng(0)
FAR = 2**31 - 1


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def tensor(x, dtype=None):
    return None if x is None else ms.Tensor(np.ascontiguousarray(x), dtype)


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def attended(query, key, value, visible, scale, shift=None):
    """Return the attention of (B, N, S, D), the maximum scores and the sums of exponentials; 0 without keys."""
    batch, heads, rows, _ = query.shape
    columns, copies = key.shape[2], heads // key.shape[1]
    result = np.zeros((batch, heads, rows, value.shape[3]))
    tops, sums = np.full((batch, heads, rows), -np.inf), np.zeros((batch, heads, rows))
    seen = np.broadcast_to(visible, (batch, heads, rows, columns))
    shift = np.broadcast_to(0 if shift is None else shift, seen.shape)
    for b, h, i in np.ndindex(batch, heads, rows):
        among = np.flatnonzero(seen[b, h, i])
        if len(among):
            k, v = key[b, h // copies, among], value[b, h // copies, among]
            scores = scale * k @ query[b, h, i] + shift[b, h, i, among]
            tops[b, h, i] = scores.max()
            powers = np.exp(scores - scores.max())
            sums[b, h, i] = powers.sum()
            result[b, h, i] = powers @ v / powers.sum()
    return result, tops, sums


LAYOUTS = {
    "BNSD": lambda x: x,
    "BSND": lambda x: x.swapaxes(1, 2),
    "BSH": lambda x: x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1),
    "SBH": lambda x: x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1),
}
Q, K, V = numbers(2, 4, 3, 8), numbers(2, 2, 6, 8), numbers(2, 2, 6, 8)
ROWS, COLUMNS = np.arange(3)[:, None], np.arange(6)
SOME = RNG.integers(0, 2, (2, 3, 6)).astype(np.uint8)
SHIFT = numbers(1, 4, 3, 6)


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "BNSD_BSND"])
def test_layouts(layout):
    put, back = LAYOUTS[layout[:4].rstrip("_")], LAYOUTS[layout.rpartition("_")[2]]
    options = {"num_heads": 4, "num_key_value_heads": 2, "scale": 0.3, "input_layout": layout}
    given = [tensor(put(x)) for x in (Q, K, V)]
    found, logarithm = ops.fused_infer_attention_score(
        *given, **options, pse_shift=tensor(SHIFT), softmax_lse_flag=True
    )
    expected, tops, sums = attended(Q, K, V, True, 0.3, SHIFT)
    close(found, back(expected))
    close(logarithm, (tops + np.log(sums))[..., None])
    assert ops.fused_infer_attention_score(*given, **options)[1].asnumpy().tolist() == [0]


def lengths_seen(counts, starts=0):
    place = COLUMNS - np.reshape(starts, (-1, 1))
    return ((place >= 0) & (place < np.reshape(counts, (-1, 1))))[:, None, None]


CORNER = np.reshape([4 - 2, 6 - 3], (2, 1, 1, 1))  # keys less queries, of the lengths (2, 3) and (4, 6)
BOTH = {"actual_seq_lengths": (2, 3), "actual_seq_lengths_kv": (4, 6)}
DISTANCE = COLUMNS - ROWS
SEEN = [
    ({"atten_mask": SOME[0]}, SOME[0] == 0),
    ({"atten_mask": SOME}, SOME[:, None] == 0),
    ({"atten_mask": SOME[:, None], "sparse_mode": 1}, SOME[:, None] == 0),
    ({"atten_mask": SOME[0], "pre_tokens": 1, "next_tokens": 2}, (SOME[0] == 0) & (DISTANCE <= 2) & (DISTANCE >= -1)),
    ({"pre_tokens": 1, "next_tokens": 2}, True),
    ({"sparse_mode": 2}, DISTANCE <= 0),
    ({"sparse_mode": 3}, DISTANCE <= 3),
    ({"sparse_mode": 4, "pre_tokens": 1, "next_tokens": 0}, (DISTANCE <= 3) & (DISTANCE >= 2)),
    ({"actual_seq_lengths_kv": (2, 5)}, lengths_seen((2, 5))),
    ({"actual_seq_lengths_kv": (2, 0)}, lengths_seen((2, 0))),
    ({"actual_seq_lengths_kv": (2, 5), "kv_padding_size": 1}, lengths_seen((2, 5), (3, 0))),
    ({**BOTH, "sparse_mode": 3}, lengths_seen((4, 6)) & (DISTANCE <= CORNER)),
    (
        {**BOTH, "sparse_mode": 3, "query_padding_size": 0, "kv_padding_size": 0},  # both begin where they end together
        lengths_seen((4, 6), (2, 0)) & (DISTANCE - np.reshape([2 - 1, 0], (2, 1, 1, 1)) <= CORNER),
    ),
]


@pytest.mark.parametrize("as_tensors", [False, True])
@pytest.mark.parametrize(("options", "visible"), SEEN)
def test_what_is_seen(options, visible, as_tensors):
    given = {
        name: tensor(value)
        if isinstance(value, np.ndarray) or (as_tensors and ("lengths" in name or "padding" in name))
        else value
        for name, value in options.items()
    }
    found, logarithm = ops.fused_infer_attention_score(
        *map(tensor, (Q, K, V)), num_heads=4, num_key_value_heads=2, input_layout="BNSD", softmax_lse_flag=True, **given
    )
    expected, tops, sums = attended(Q, K, V, visible, 1.0)
    rows = np.ones((2, 1, 3), bool)
    if "actual_seq_lengths" in options:
        rows[0, 0, 0 if "query_padding_size" in options else 2] = False
    rows = np.broadcast_to(rows, tops.shape)
    np.testing.assert_allclose(found.asnumpy()[rows], expected[rows], rtol=1e-4, atol=1e-5)
    with np.errstate(divide="ignore"):
        wanted = tops + np.log(sums)
    np.testing.assert_allclose(logarithm.asnumpy()[..., 0][rows], wanted[rows], rtol=1e-4, atol=1e-5)


TABLE = np.array([[3, 1, 5], [4, 0, 2]], np.int32)  # pages of 2 rows


def in_pages(x):
    """Return (B, N, S, D) in pages of shape (pages, 2, N, D)."""
    pages = np.zeros((6, 2, x.shape[1], x.shape[3]), np.float32)
    for lines, sample in zip(TABLE, x.swapaxes(1, 2)):
        pages[lines] = sample.reshape(3, 2, *sample.shape[1:])
    return pages


@pytest.mark.parametrize("by_head", [False, True])
def test_one_query_and_pages(by_head):
    hidden = SOME[:, 0]
    pages = [in_pages(x).swapaxes(1, 2) if by_head else in_pages(x).reshape(6, 2, -1) for x in (K, V)]
    found, _ = ops.fused_infer_attention_score(
        tensor(LAYOUTS["BSH"](Q[:, :, :1])), *map(tensor, pages), atten_mask=tensor(hidden), sparse_mode=3,
        actual_seq_lengths_kv=(5, 6), block_table=tensor(TABLE), block_size=2, num_heads=4, num_key_value_heads=2,
    )  # fmt: skip
    visible = (hidden == 0)[:, None, None] & lengths_seen((5, 6))
    close(found, LAYOUTS["BSH"](attended(Q[:, :, :1], K, V, visible, 1.0)[0]))


@pytest.mark.parametrize(
    ("put", "options", "visible"),
    [
        (
            lambda x: in_pages(x).reshape(6, 2, -1),
            {"block_table": tensor(TABLE), "block_size": 2},
            lengths_seen((3, 5)),
        ),
        (LAYOUTS["BSH"], {"kv_padding_size": 1}, lengths_seen((3, 5), (2, 0))),
        (LAYOUTS["BSH"], {}, lengths_seen((3, 5))),
    ],
)
def test_one_query_of_incre_flash_attention(put, options, visible):
    given = [tensor(LAYOUTS["BSH"](Q[:, :, :1])), *[[tensor(put(x))] for x in (K, V)]]
    options = {"actual_seq_lengths": (3, 5), "num_heads": 4, "num_key_value_heads": 2, **options}
    found = ops.incre_flash_attention(*given, **options)
    close(found, LAYOUTS["BSH"](attended(Q[:, :, :1], K, V, visible, 1.0)[0]))


def test_samples_of_their_own_lengths():
    keys, values = [[tensor(x[i : i + 1, :, :count]) for i, count in enumerate((4, 6))] for x in (K, V)]
    found, _ = ops.fused_infer_attention_score(
        tensor(Q), keys, values, num_heads=4, num_key_value_heads=2, input_layout="BNSD"
    )
    close(found, attended(Q, K, V, lengths_seen((4, 6)), 1.0)[0])


def test_the_primitive_has_another_order():
    given = [*map(tensor, (Q, K, V, SHIFT, SOME)), None, (3, 5)]
    primitive = auto_generate.FusedInferAttentionScore(4, 0.3, input_layout="BNSD", num_key_value_heads=2)
    found, _ = primitive(given[0], [given[1]], [given[2]], *given[3:])
    close(found, attended(Q, K, V, (SOME[:, None] == 0) & lengths_seen((3, 5)), 0.3, SHIFT)[0])


# Training

SLOPES = np.array([0.5, 0.25, 1.0, 2.0], np.float32)
STEPS = np.abs(ROWS + 3 - COLUMNS - 1)
POSITIONS = [
    ({}, None),
    ({"pse": SHIFT, "pse_type": 0}, SHIFT),
    ({"pse": SHIFT}, 0.3 * SHIFT),
    ({"pse": SLOPES, "pse_type": 2}, -SLOPES[:, None, None] * np.abs(ROWS - COLUMNS)),
    ({"pse": SLOPES, "pse_type": 2, "q_start_idx": [3], "kv_start_idx": (1,)}, -SLOPES[:, None, None] * STEPS),
    (
        {"pse": np.stack([SLOPES, 2 * SLOPES]), "pse_type": 3},
        -np.stack([SLOPES, 2 * SLOPES])[..., None, None] * np.sqrt(np.abs(ROWS - COLUMNS)),
    ),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("options", "shift"), POSITIONS)
def test_positions(options, shift, layout):
    put = LAYOUTS[layout]
    given = {name: tensor(value) if isinstance(value, np.ndarray) else value for name, value in options.items()}
    found = ops.speed_fusion_attention(
        *[tensor(put(x)) for x in (Q, K, V)], 4, layout, scale=0.3, sparse_mode=3, **given
    )  # fmt: skip
    expected, tops, sums = attended(Q, K, V, DISTANCE <= 3, 0.3, shift)
    close(found[0], put(expected))
    for statistic, wanted in zip(found[1:3], (tops, sums)):
        assert statistic.shape == (2, 4, 3, 8)
        close(statistic[..., 5], wanted)
    assert [part.size for part in found[3:6]] == [0, 0, 0]
    assert int(found[6]) == 0


@pytest.mark.parametrize(("options", "shift"), POSITIONS)
def test_packed_sequences(options, shift):
    """Three sequences, of which the first two are the ones in `test_positions`, with fewer rows."""
    given = {name: tensor(value) if isinstance(value, np.ndarray) else value for name, value in options.items()}
    sizes = [(3, 6), (2, 4)]
    packed = [
        np.concatenate([x.swapaxes(1, 2)[i, : size[side]] for i, size in enumerate(sizes)])
        for x, side in ((Q, 0), (K, 1), (V, 1))
    ]
    found = ops.speed_fusion_attention(
        *map(tensor, packed), 4, "TND", scale=0.3, sparse_mode=2, actual_seq_qlen=[3, 5], actual_seq_kvlen=[6, 10],
        **given,
    )  # fmt: skip
    whole = None if shift is None else np.broadcast_to(shift, (2, 4, 3, 6))
    for i, (rows, columns) in enumerate(sizes):
        part = None if whole is None else whole[i : i + 1, :, :rows, :columns]
        q, k, v = (x[i : i + 1, :, :size] for x, size in ((Q, rows), (K, columns), (V, columns)))
        wanted = attended(q, k, v, (COLUMNS <= ROWS)[:rows, :columns], 0.3, part)
        among = slice(3 * i, 3 * i + rows)
        close(found[0][among], wanted[0][0].swapaxes(0, 1))
        for statistic, expected in zip(found[1:3], wanted[1:]):
            close(statistic[among, :, 0], expected[0].T)


@pytest.mark.parametrize("lengths", [None, [9, 4, 7], [200, 30]])
@pytest.mark.parametrize("as_tensors", [True, False])
@pytest.mark.parametrize("mask", [None, "causal", "own"])
def test_rows_of_inference(lengths, as_tensors, mask):
    """The layout "TH" has the lengths of the sequences where "TND" has their ends, and rows beyond are not defined."""
    count = sum(lengths or [20])
    q, k, v = numbers(count + 3, 24), numbers(count + 3, 12), numbers(count + 3, 12)
    if lengths is None:
        q, k, v = q[:count], k[:count], v[:count]
    own = np.triu(RNG.random((200, 200)) < 0.5, 1)
    hidden = {"causal": -10000.0 * np.triu(np.ones((128, 128)), 1), "own": own}.get(mask)
    given = ms.Tensor(lengths, ms.int32) if as_tensors and lengths else lengths
    attention = auto_generate.FlashAttentionScore(4, scale_value=0.3, input_layout="TH")
    found = attention(*[tensor(x) for x in (q, k, v)], None, None, None, tensor(hidden), None, given, given)[-1]
    start = 0
    for size in lengths or [count]:
        q_, k_, v_ = [x[start : start + size].reshape(size, -1, 6).swapaxes(0, 1)[None] for x in (q, k, v)]
        hides = {"causal": np.triu(np.ones((size, size)), 1), "own": hidden}.get(mask)
        visible = True if mask is None else hides[:size, :size] == 0
        expected = attended(q_, k_, v_, visible, 0.3)[0][0].swapaxes(0, 1).reshape(size, -1)
        close(found[start : start + size], expected)
        start += size


def test_rows_of_inference_have_two_dimensions():
    x = tensor(numbers(1, 3, 8))
    with pytest.raises(ValueError, match="the layout 'TH' needs tensors of 2 dimensions"):
        ops.flash_attention_score(x, x, x, 2, input_layout="TH")


def test_statistics_put_attention_together():
    """As ring attention does: to parts of the keys, then to all."""
    given = [tensor(LAYOUTS["SBH"](x)) for x in (Q, K, V)]
    first, second = [
        ops.speed_fusion_attention(given[0], *[x[rows] for x in given[1:]], 4, "SBH")[:3]
        for rows in (slice(0, 4), slice(4, 6))
    ]
    close(ops.ring_attention_update(*first, *second)[0], LAYOUTS["SBH"](attended(Q, K, V, True, 1.0)[0]))


def test_statistics_in_chunks(monkeypatch):
    given, mask = [tensor(x) for x in (Q, K, V)], {"atten_mask": tensor(SOME[:, None]), "pse": tensor(SHIFT)}
    whole = ops.speed_fusion_attention(*given, 4, "BNSD", **mask)
    monkeypatch.setattr("torchspore.ops.attention.masks_and_scores._ROWS", 2)
    for one, other in zip(ops.speed_fusion_attention(*given, 4, "BNSD", **mask)[1:3], whole[1:3]):
        close(one, other.asnumpy())


def test_a_seed_decides_what_dropout_keeps():
    attention = auto_generate.SpeedFusionAttention()
    ones, q, k = np.broadcast_to(np.eye(6, dtype=np.float32), (2, 2, 6, 6)), *map(tensor, (Q, K))
    first, again, other = [
        attention(q, k, tensor(ones), 4, "BNSD", seed, ms.Tensor(1), keep_prob=0.5) for seed in (7, 7, 8)
    ]
    close(first[0], again[0].asnumpy())
    assert (first[0] != other[0]).any()
    assert (first[4], int(first[5]), int(first[6])) == (7, 1, 2 * 4 * 3 * 6)
    weights = attended(Q, K, ones, True, 1.0)[0]  # the values are unit vectors, so the results are the weights
    kept = first[0].asnumpy() != 0
    close(first[0], np.where(kept, weights / 0.5, 0))
    assert 0.2 < kept.mean() < 0.8


def test_packed_sequences_drop_other_scores():
    x = np.tile(numbers(3, 2, 4), (2, 1, 1))
    ends = {"actual_seq_qlen": [3, 6], "actual_seq_kvlen": [3, 6]}
    result = auto_generate.SpeedFusionAttention()(*map(tensor, (x, x, x)), 2, "TND", 1, 2, keep_prob=0.5, **ends)
    assert (result[0][:3] != result[0][3:]).any()
    assert int(result[6]) == 2 * 2 * 9


# Caches


def test_writing_into_pages():
    keys, values, slots = numbers(4, 2, 8), numbers(4, 2, 8), np.array([7, -1, 0, 4], np.int32)
    caches = [ms.Parameter(tensor(numbers(3, 3, 2, 8))) for _ in range(2)]
    expected = [cache.asnumpy().copy().reshape(9, 2, 8) for cache in caches]
    for rows, new in zip(expected, (keys, values)):
        rows[[7, 0, 4]] = new[[0, 2, 3]]
    result = ops.ReshapeAndCache()(tensor(keys), tensor(values), *caches, tensor(slots))
    close(result, keys)
    for cache, rows in zip(caches, expected):
        np.testing.assert_array_equal(cache.asnumpy(), rows.reshape(3, 3, 2, 8))


@pytest.mark.parametrize("slots", [[-1, -1], []])
def test_nothing_to_write(slots):
    cache = ms.Parameter(tensor(numbers(2, 2, 1, 3)))
    before = cache.asnumpy().copy()
    ops.ReshapeAndCache()(tensor(numbers(len(slots), 3)), None, cache, None, tensor(np.array(slots, np.int32)))
    np.testing.assert_array_equal(cache.asnumpy(), before)


@pytest.mark.parametrize("axis", [-1, -2])
def test_writing_into_whole_caches(axis):
    cache, new = numbers(2, 3, 5, 6), numbers(2, 3, 5, 2) if axis == -1 else numbers(2, 3, 2, 6)
    expected = cache.copy()
    for sample, begin in enumerate((3, 1)):
        place = (
            (slice(None), slice(begin, begin + 2))
            if axis == -2
            else (slice(None), slice(None), slice(begin, begin + 2))
        )
        expected[sample][place] = new[sample]
    parameter = ms.Parameter(tensor(cache))
    result = auto_generate.KVCacheScatterUpdate()(parameter, tensor([3, 1]), tensor(new), axis, "update")
    np.testing.assert_array_equal(parameter.asnumpy(), expected)
    assert type(result) is ms.Tensor  # of the parameter's memory
    np.testing.assert_array_equal(result.asnumpy(), parameter.asnumpy())


QUERY, HEADS = numbers(2, 4, 8), (4, 0.3, 2)  # a token of each sample
TABLES, CONTEXTS = tensor(TABLE), tensor(np.array([4, 6], np.int32))
PAGES = [tensor(in_pages(x)) for x in (K, V)]
BIAS = numbers(2, 6)
WHOLE = Q[:, :, :1] * 0 + QUERY[:, :, None]


@pytest.mark.parametrize(
    ("options", "shift", "visible"),
    [
        ({}, None, True),
        ({"attn_mask": tensor(BIAS)}, BIAS[:, None, None], True),
        ({"attn_mask": tensor(BIAS[:, :5])}, np.pad(BIAS[:, :5], ((0, 0), (0, 1)))[:, None, None], True),
        ({"attn_mask": ops.zeros((1, 1))}, None, True),
        ({"attn_mask": tensor(SOME[:, 0] == 1)}, None, (SOME[:, 0] == 0)[:, None, None]),
        ({"alibi_mask": tensor(BIAS), "attn_mask": tensor(BIAS)}, 2 * BIAS[:, None, None], True),
        ({"mask_mode": "TRAPEZOIDAL", "q_seq_lens": tensor([1, 1])}, None, True),
    ],
)
@pytest.mark.parametrize("flat", [False, True])
def test_attention_to_pages(options, shift, visible, flat):
    given = dict(options)
    attention = ops.PagedAttention(*HEADS, mask_mode=given.pop("mask_mode", "MASK_DEFAULT"))
    query = QUERY.reshape(2, 1, 32) if flat else QUERY
    expected = attended(WHOLE, K, V, visible & lengths_seen((4, 6)), 0.3, shift)[0][:, :, 0]
    close(attention(tensor(query), *PAGES, TABLES, CONTEXTS, **given), expected.reshape(query.shape))


def test_attention_with_positions():
    bias = numbers(2, 4, 1, 6)
    found = ops.PagedAttentionMask(*HEADS)(tensor(QUERY), *PAGES, TABLES, CONTEXTS, alibi_mask=tensor(bias))
    close(found, attended(WHOLE, K, V, lengths_seen((4, 6)), 0.3, bias)[0][:, :, 0])


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("mode", ["MASK_DEFAULT", "TRAPEZOIDAL"])
def test_several_tokens_of_a_sequence(mode, masked):
    counts, contexts, bias = (3, 2), (4, 6), numbers(5, 6)
    tokens = np.concatenate([Q[0, :, :3].swapaxes(0, 1), Q[1, :, :2].swapaxes(0, 1)])
    found = ops.PagedAttention(*HEADS, mask_mode=mode)(
        tensor(tokens), *PAGES, TABLES, CONTEXTS, attn_mask=tensor(bias) if masked else None,
        q_seq_lens=tensor(np.array(counts, np.int32)),
    ).asnumpy()  # fmt: skip
    for i, (rows, columns, begin) in enumerate(zip(counts, contexts, (0, 3))):
        visible = np.less(COLUMNS, columns)
        if mode == "TRAPEZOIDAL":
            visible = visible & (DISTANCE[:rows] <= columns - rows)
        shift = bias[begin : begin + rows] if masked else None
        one = [x[i : i + 1] for x in (Q[:, :, :rows], K, V)]
        expected = attended(*one, visible, 0.3, shift)[0][0].swapaxes(0, 1)
        np.testing.assert_allclose(found[begin : begin + rows], expected, rtol=1e-4, atol=1e-5)


def test_values_that_are_a_part_of_the_keys():
    found = ops.PagedAttention(*HEADS, mla_v_dim=5)(tensor(QUERY), PAGES[0], None, TABLES, CONTEXTS)
    close(found, attended(WHOLE, K, K[..., :5], lengths_seen((4, 6)), 0.3)[0][:, :, 0])


@pytest.mark.parametrize("form", range(4))
def test_rotary_positions(form):
    positions, angles = np.array([4, 0, 2]), numbers(6, 3)
    query, key = numbers(3, 12), numbers(3, 6)  # two heads and one, of size 6
    pairs = [(i, i + 3) for i in range(3)] if form in (0, 2) else [(2 * i, 2 * i + 1) for i in range(3)]
    table = np.zeros((6, 6), np.float32)
    for i, pair in enumerate(pairs):
        table[:, pair] = angles[:, i, None]
    rows = table if form < 2 else table[positions]
    found = ops.ApplyRotaryPosEmb(form)(
        *map(tensor, (query, key, np.cos(rows), np.sin(rows))), tensor(positions.astype(np.int32))
    )
    for x, result in zip((query, key), found):
        expected = np.zeros_like(x).reshape(3, -1, 6)
        for token, head in np.ndindex(*expected.shape[:2]):
            for i, (one, other) in enumerate(pairs):
                angle, given = angles[positions[token], i], x.reshape(expected.shape)[token, head]
                expected[token, head, one] = given[one] * np.cos(angle) - given[other] * np.sin(angle)
                expected[token, head, other] = given[other] * np.cos(angle) + given[one] * np.sin(angle)
        close(result, expected.reshape(x.shape))


# Gradients and graphs


def test_gradients():
    given = [torch.tensor(x[:1, :, :2], dtype=torch.float64, requires_grad=True) for x in (Q, K, V)]
    mask = torch.tensor([[0, 1], [0, 0]])
    infer = ops.fused_infer_attention_score.body
    options = {"num_heads": 4, "num_key_value_heads": 2, "input_layout": "BNSD", "atten_mask": mask}
    assert torch.autograd.gradcheck(lambda q, k, v: infer(q, wrap(k), wrap(v), **options)[0], given)
    fusion = ops.speed_fusion_attention.body
    assert torch.autograd.gradcheck(lambda q, k, v: fusion(q, k, v, 4, "BNSD", atten_mask=mask)[0], given)


def test_gradients_with_dropout_from_a_seed():
    attention = auto_generate.SpeedFusionAttention()

    def loss(q, k, v):
        return attention(q, k, v, 4, "BNSD", 3, 1, keep_prob=0.5)[0].square().sum()

    given = [tensor(x) for x in (Q, K, V)]
    gradient, step = ms.grad(loss, (0, 1, 2)), 1e-2
    for one, other in zip(ms.jit(gradient, fullgraph=True)(*given), gradient(*given)):
        close(one, other.asnumpy())
    for place, found in enumerate(gradient(*given)):
        higher, lower = [[x + sign * step * (i == place) for i, x in enumerate(given)] for sign in (1, -1)]
        slope = float((loss(*higher) - loss(*lower)) / (2 * step))
        np.testing.assert_allclose(float(found.sum()), slope, rtol=2e-2, atol=2e-2)


def decode(query, key, value, caches, table, contexts, slots):
    """Do a step of inference: write, and attend."""
    ops.ReshapeAndCache()(key, value, *caches, slots)
    return ops.PagedAttention(*HEADS)(query, *caches, table, contexts)


def test_a_step_of_inference_in_a_graph():
    new = [tensor(numbers(2, 2, 8)) for _ in range(2)]
    eager, captured = [[ms.Parameter(page.copy()) for page in PAGES] for _ in range(2)]
    run = ms.jit(lambda *given: decode(*given[:3], captured, *given[3:]), fullgraph=True)
    for slots in ([6, 8], [3, -1]):
        rest = [TABLES, CONTEXTS, tensor(np.array(slots, np.int32))]
        expected = decode(tensor(QUERY), *new, eager, *rest)
        close(run(tensor(QUERY), *new, *rest), expected.asnumpy())
        for one, other in zip(captured, eager):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_nothing_reads_lengths():
    """Tensors without values give the shapes of results."""
    cache, meta = PAGES[0], lambda x: wrap(x._t.to("meta"))
    lengths = meta(tensor([1, 2]))
    given = [*map(meta, (tensor(QUERY), *PAGES, TABLES, CONTEXTS))]
    assert ops.PagedAttention(*HEADS)(*given, q_seq_lens=lengths).shape == (2, 4, 8)
    assert ops.ReshapeAndCache()(meta(tensor(numbers(2, 16))), None, meta(cache), None, lengths).shape == (2, 16)
    updates = meta(tensor(numbers(2, 2, 1, 8)))
    assert auto_generate.KVCacheScatterUpdate()(meta(tensor(K)), lengths, updates, -2).shape == K.shape
    found = ops.fused_infer_attention_score(
        *[meta(tensor(x)) for x in (Q, K, V)], actual_seq_lengths=lengths, actual_seq_lengths_kv=lengths,
        kv_padding_size=lengths[:1], num_heads=4, num_key_value_heads=2, input_layout="BNSD", sparse_mode=3,
    )  # fmt: skip
    assert found[0].shape == Q.shape


x, four = ops.ones((2, 3, 4)), ops.ones((2, 2, 3, 4))
pages, table, counts = ops.ones((2, 2, 1, 4)), ops.zeros((2, 1), ms.int32), ops.ones(2, ms.int32)
infer, fusion = ops.fused_infer_attention_score, ops.speed_fusion_attention
paged, cached = ops.PagedAttention(2, 1.0, 1), ops.ReshapeAndCache()
scatter, rotary = auto_generate.KVCacheScatterUpdate(), ops.ApplyRotaryPosEmb
ERRORS = [
    (lambda: infer(x, x, x, input_layout="SBH"), ValueError, "input_layout"),
    (lambda: infer(x, x, x, num_heads=4, num_key_value_heads=3), ValueError, "heads"),
    (lambda: infer(x, 1, x), TypeError, "'key'"),
    (lambda: infer(x, x, [1]), TypeError, "'value'"),
    (lambda: infer(x, x, x, quant_scale2=x), NotImplementedError, "quant_scale2"),
    (lambda: infer(x, x, x, antiquant_mode=1), NotImplementedError, "antiquant_mode"),
    (lambda: infer(x, x, x, key_shared_prefix=x), NotImplementedError, "key_shared_prefix"),
    (lambda: infer(x, x, x, actual_shared_prefix_len=[1]), NotImplementedError, "actual_shared_prefix_len"),
    (
        lambda: infer(x, x, x, block_table=table, actual_seq_lengths_kv=counts, kv_padding_size=counts),
        ValueError,
        "padding",
    ),
    (lambda: infer(x, x, x, sparse_mode=7), NotImplementedError, "sparse_mode"),
    (lambda: infer(x, x, x, block_table=table), ValueError, "block_table"),
    (lambda: infer(x, x, x, block_table=table, actual_seq_lengths_kv=[1, 1], block_size=2), ValueError, "block_size"),
    (lambda: ops.incre_flash_attention(x[:, :1], [x], [x], block_table=table), ValueError, "block_table"),
    (lambda: fusion(x, x, x, 2, "NSH"), ValueError, "input_layout"),
    (lambda: fusion(x, x, x, 3, "BSH"), ValueError, "3 heads"),
    (lambda: fusion(x, x, x, 2, "BSH", padding_mask=x), NotImplementedError, "padding_mask"),
    (lambda: fusion(x, x, x, 2, "BSH", keep_prob=0.0), ValueError, "keep_prob"),
    (lambda: fusion(x, x, x, 2, "BSH", pse_type=4), ValueError, "pse_type"),
    (lambda: fusion(x, x, x, 2, "BSH", pse_type=2), ValueError, "slopes"),
    (lambda: fusion(x, x, x, 2, "BSH", q_start_idx=[1]), ValueError, "q_start_idx"),
    (lambda: fusion(x, x, x, 2, "BSH", pse=counts, pse_type=2, q_start_idx=[1, 2]), ValueError, "q_start_idx"),
    (lambda: fusion(x, x, x, 2, "BSH", actual_seq_qlen=[3]), ValueError, "TND"),
    (lambda: fusion(x, x, x, 3, "TND"), ValueError, "ends of the sequences"),
    (lambda: paged(x, pages, pages), ValueError, "block_tables"),
    (lambda: paged(x, pages, None, table, counts), ValueError, "mla_v_dim"),
    (lambda: paged(x, pages, pages, table, counts), ValueError, "q_seq_lens"),
    (lambda: paged(x[..., :3], pages, pages, table, counts), ValueError, "heads"),
    (lambda: paged(x, pages, pages, table, counts, antiquant_scale=x), NotImplementedError, "antiquant_scale"),
    (
        lambda: ops.PagedAttention(2, 1.0, 1, "PERTOKEN")(x, pages, pages, table, counts),
        NotImplementedError,
        "kv_cache_quant_mode",
    ),
    (lambda: ops.PagedAttention(2, 1.0, 1, mask_mode="NONE")(x, pages, pages, table, counts), ValueError, "mask_mode"),
    (
        lambda: ops.PagedAttentionMask(2, 1.0, 1)(x, pages, pages, table, counts, alibi_mask=x),
        ValueError,
        "alibi_mask",
    ),
    (lambda: cached(x, None, pages, None, counts), ValueError, "'key'"),
    (lambda: cached(x, None, None, None, counts), TypeError, "key_cache"),
    (lambda: cached(x[0, :2], x[0], pages, None, counts), TypeError, "value_cache"),
    (lambda: scatter(four, counts, four, 0), ValueError, "axis"),
    (lambda: scatter(four, counts, four, -1, "add"), ValueError, "reduce"),
    (lambda: scatter(four, counts, four[:, :1], -1), ValueError, "updates"),
    (lambda: scatter(x, counts, x, -1), ValueError, "4 dimensions"),
    (lambda: rotary(4)(x, x, x[0], x[0], counts), ValueError, "cos_format"),
    (lambda: rotary(0)(x, x, x[0], x[0], counts), ValueError, "6 positions"),
    (lambda: rotary(2)(x, x, x[0], x[0], counts), ValueError, "6 rows"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS, ids=[str(i) for i in range(len(ERRORS))])
def test_errors(call, kind, words):
    with pytest.raises(kind, match=rf"^For '\w+', .*{words}"):
        call()
