"""Attention to chosen keys, compared with loops over queries, heads and keys; gradients, graphs, refusals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import ops
from torchspore.common.tensor import wrap

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def tensors(*arrays):
    return [None if x is None else ms.Tensor(np.ascontiguousarray(x)) for x in arrays]


def close(found, expected, **options):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5, **options)


def spans(ends):
    return list(zip([0, *ends], ends))


def seen_by(query, keys, values, seen, scale):
    """Return one query's attention, its maximum score, the sum of the exponentials, and its weights."""
    scores = np.array([scale * (query * key).sum() if see else -np.inf for key, see in zip(keys, seen)])
    if not any(seen):
        return np.zeros(values.shape[-1]), None, 0.0, np.zeros(len(keys))
    powers = np.exp(scores - scores.max())
    return powers / powers.sum() @ values, scores.max(), powers.sum(), powers / powers.sum()


# Native sparse attention

ENDS, WINDOWS, BLOCKS = (3, 8), (5, 12), (2, 5)


@pytest.mark.parametrize(("block", "stride"), [(4, 2), (4, 4), (3, 1), (8, 3)])
def test_compression(block, stride):
    x, weight, ends = numbers(13, 2, 3), numbers(block, 2), (5, 5, 13)
    expected = [
        sum(weight[i, :, None] * x[first + i] for i in range(block))
        for begin, end in spans(ends)
        for first in range(begin, end - block + 1, stride)
    ]
    found = ops.nsa_compress(*tensors(x, weight), block, stride, actual_seq_len=ends)
    close(found, np.array(expected))


def test_nothing_to_compress():
    assert ops.nsa_compress(*tensors(numbers(3, 2, 4), numbers(4, 2)), 4, 1, actual_seq_len=[3]).shape == (0, 2, 4)


def compressed(query, key, value, scale, sizes, count, unwanted, hidden):
    """Return what `nsa_compress_attention` is to return, without the eight copies."""
    window, stride, block = sizes
    heads, groups = query.shape[1], key.shape[1]
    attention = np.zeros((*query.shape[:2], value.shape[2]))
    tops, sums = np.full(query.shape[:2], np.nan), np.zeros(query.shape[:2])
    chosen = np.full((query.shape[0], groups, count), -1)
    for (first, last), (begin, end), (low, high) in zip(spans(ENDS), spans(WINDOWS), spans(BLOCKS)):
        for row in range(first, last):
            importance = np.zeros((groups, high - low))
            for head in range(heads):
                group = head // (heads // groups)
                seen = [hidden is None or not hidden[row - first, i] for i in range(end - begin)]
                keys, values = key[begin:end, group], value[begin:end, group]
                attention[row, head], top, sums[row, head], weights = seen_by(
                    query[row, head], keys, values, seen, scale
                )
                tops[row, head] = np.nan if top is None else top
                for j in range(1, high - low + 1):  # the paper's formula, whose places count from 1
                    for m in range(block // stride):
                        for n in range(window // stride):
                            place = block // stride * j - m - n
                            if 1 <= place <= end - begin:
                                importance[group, j - 1] += weights[place - 1]
            for group in range(groups):
                wanted = [j for j in range(high - low) if unwanted is None or not unwanted[row - first, j]]
                wanted = sorted(wanted, key=lambda j: -importance[group, j])[:count]
                chosen[row, group, : len(wanted)] = wanted
    return attention, chosen, tops, sums


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sizes", [(4, 2, 8), (4, 4, 4), (6, 2, 6), (2, 2, 8)])
def test_attention_to_compressed_keys(sizes, masked):
    query, key, value = numbers(8, 4, 6), numbers(12, 2, 6), numbers(12, 2, 3)
    unwanted = np.arange(3) > np.arange(5)[:, None] // 2 if masked else None
    hidden = np.arange(7) >= np.arange(5)[:, None] if masked else None  # the first query sees nothing
    expected = compressed(query, key, value, 0.4, sizes, 2, unwanted, hidden)
    found = ops.nsa_compress_attention(
        *tensors(query, key, value), 0.4, 4, sizes[0], sizes[1], sizes[2], 2,
        topk_mask=tensors(unwanted)[0], atten_mask=tensors(hidden)[0],
        actual_seq_qlen=ENDS, actual_cmp_seq_kvlen=WINDOWS, actual_sel_seq_kvlen=BLOCKS,
    )  # fmt: skip
    close(found[0], expected[0])
    some = (expected[3] > 0).repeat(2, 1)[:, ::4]  # without a weight all blocks matter as much
    np.testing.assert_array_equal(found[1].asnumpy()[some], expected[1][some])
    assert found[1].dtype == ms.int32
    for statistic, wanted in zip(found[2:], expected[2:]):
        assert statistic.shape == (8, 4, 8)
        known = ~np.isnan(wanted)
        close(statistic[..., 7][ms.Tensor(known)], wanted[known])


def test_fewer_blocks_than_asked_for():
    query, key = tensors(numbers(1, 1, 4), numbers(3, 1, 4))
    chosen = ops.nsa_compress_attention(
        query, key, key, 1.0, 1, 2, 2, 2, 5, actual_seq_qlen=[1], actual_cmp_seq_kvlen=[3], actual_sel_seq_kvlen=[3]
    )[1].asnumpy()
    assert sorted(chosen[0, 0]) == [-1, -1, 0, 1, 2]


@pytest.mark.parametrize("masked", [False, True])
def test_attention_to_selected_blocks(masked):
    query, key, value = numbers(8, 4, 6), numbers(15, 2, 6), numbers(15, 2, 3)
    ends, blocks = (6, 15), RNG.integers(-1, 3, (8, 2, 2)).astype(np.int32)
    blocks[0] = -1
    hidden = RNG.integers(0, 2, (5, 9)).astype(np.uint8) if masked else None
    attention, sums = np.zeros((8, 4, 3)), np.zeros((8, 4))
    for (first, last), (begin, end) in zip(spans(ENDS), spans(ends)):
        for row in range(first, last):
            for head in range(4):
                seen = [
                    i // 4 in blocks[row, head // 2] and not (masked and hidden[row - first, i])
                    for i in range(end - begin)
                ]
                found = seen_by(query[row, head], key[begin:end, head // 2], value[begin:end, head // 2], seen, 0.3)
                attention[row, head], sums[row, head] = found[0], found[2]
    found = ops.nsa_select_attention(
        *tensors(query, key, value, blocks), 0.3, 4, 4, 2,
        atten_mask=tensors(hidden)[0], actual_seq_qlen=ENDS, actual_seq_kvlen=ends,
    )  # fmt: skip
    close(found[0], attention)
    close(found[2][..., 0], sums)
    assert not found[0].asnumpy()[0].any()


# The sparse attention of DeepSeek-V3.2: sequences of other lengths in a batch, packed, and in pages

QUERIES, KEYS = (2, 4), (5, 3)
TABLE = np.array([[3, 1, 5], [4, 0, 2]], np.int32)  # pages of 2 rows


def padded(parts, rows):
    return np.stack([np.concatenate([x, np.full((rows - len(x), *x.shape[1:]), 9, x.dtype)]) for x in parts])


def paged(parts):
    pages = np.zeros((6, 2, *parts[0].shape[1:]), np.float32)
    for lines, x in zip(TABLE, padded(parts, 6)):
        pages[lines] = x.reshape(3, 2, *x.shape[1:])
    return pages


LAYOUTS = {
    "BSND": (("BSND", "BSND"), QUERIES, KEYS, lambda x: padded(x, 5), lambda x: padded(x, 6)),
    "TND": (("TND", "TND"), np.cumsum(QUERIES), np.cumsum(KEYS), np.concatenate, np.concatenate),
    "BSND and pages": (("BSND", "PA_BSND"), QUERIES, KEYS, lambda x: padded(x, 5), paged),
    "TND and pages": (("TND", "PA_BSND"), np.cumsum(QUERIES), KEYS, np.concatenate, paged),
}


def each(found, layout):
    """Return an array of results for queries as a list of sequences."""
    if layout.startswith("TND"):
        return np.split(found, [QUERIES[0]])
    return [x[:count] for x, count in zip(found, QUERIES)]


def laid(layout, queries, keys, kv="kv"):
    """Return queries and keys as Tensors in a layout, and the options that say so."""
    names, lengths, key_lengths, put, put_keys = LAYOUTS[layout]
    options = {
        "layout_query": names[0],
        f"layout_{kv}": names[1],
        "actual_seq_lengths_query": ms.Tensor(np.array(lengths, np.int32)),
        f"actual_seq_lengths_{kv}": ms.Tensor(np.array(key_lengths, np.int32)),
        "block_table": ms.Tensor(TABLE) if names[1] == "PA_BSND" else None,
    }
    return [*tensors(*map(put, queries)), *tensors(*map(put_keys, keys))], options


def causal(row, column, rows, columns):
    return column <= row + columns - rows


@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_indexer(layout, mode):
    queries, keys = [numbers(n, 4, 6) for n in QUERIES], [numbers(n, 2, 6) for n in KEYS]
    weights = [numbers(n, 4) for n in QUERIES]
    (query, weight, key), options = laid(layout, (queries, weights), (keys,), "key")
    found = ops.lightning_indexer(
        query, key, weight, **options, sparse_count=4, sparse_mode=mode, return_value=True
    )  # fmt: skip
    indices, values = [each(x.asnumpy(), layout) for x in found]
    for q, w, k, index, value in zip(queries, weights, keys, indices, values):
        for row in range(len(q)):
            for group in range(2):
                scores = [
                    sum(w[row, h] * max(0, q[row, h] @ k[i, group]) for h in (2 * group, 2 * group + 1))
                    if mode == 0 or causal(row, i, len(q), len(k))
                    else -np.inf
                    for i in range(len(k))
                ]
                order = [i for i in np.argsort(scores, kind="stable")[::-1] if scores[i] > -np.inf][:4]
                order += [-1] * (4 - len(order))
                wanted = [scores[i] if i >= 0 else -np.inf for i in order]
                np.testing.assert_allclose(value[row, group], wanted, rtol=1e-4, atol=1e-5)
                named = [scores[i] if i >= 0 else -np.inf for i in index[row, group]]
                np.testing.assert_allclose(named, wanted, rtol=1e-4, atol=1e-5)
                assert len({i for i in index[row, group] if i >= 0}) == sum(i >= 0 for i in order)


@pytest.mark.parametrize("block", [1, 2])
@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_attention_to_indexed_keys(layout, mode, block):
    queries, ropes = [numbers(n, 4, 6) for n in QUERIES], [numbers(n, 4, 2) for n in QUERIES]
    keys, values, key_ropes = [[numbers(n, 2, size) for n in KEYS] for size in (6, 6, 2)]
    indices = [RNG.integers(-1, 5 // block, (n, 2, 3)).astype(np.int32) for n in QUERIES]
    given, options = laid(layout, (queries, ropes, indices), (keys, values, key_ropes))
    query, rope, index, key, value, key_rope = given
    results = ops.sparse_flash_attention(
        query, key, value, index, 0.3, **options, query_rope=rope, key_rope=key_rope, sparse_mode=mode,
        sparse_block_size=block, attention_mode=2, return_softmax_lse=True,
    )  # fmt: skip
    totals = results[2].asnumpy()
    totals = np.moveaxis(totals, 0, 1) if layout.startswith("TND") else totals.swapaxes(1, 2)
    for number, (found, total) in enumerate(zip(each(results[0].asnumpy(), layout), each(totals, layout))):
        q = np.concatenate([queries[number], ropes[number]], -1)
        k = np.concatenate([keys[number], key_ropes[number]], -1)
        for row in range(len(q)):
            for head in range(4):
                seen = [
                    i // block in indices[number][row, head // 2] and (mode == 0 or causal(row, i, len(q), len(k)))
                    for i in range(len(k))
                ]
                expected = seen_by(q[row, head], k[:, head // 2], values[number][:, head // 2], seen, 0.3)
                np.testing.assert_allclose(found[row, head], expected[0], rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(total[row, head // 2, head % 2], expected[2], rtol=1e-4)


def test_statistics_only_where_they_are_wanted():
    x, index = ops.ones((1, 2, 1, 4)), ops.zeros((1, 2, 1, 1), ms.int32)
    assert [part.size for part in ops.sparse_flash_attention(x, x, x, index, 1.0)[1:]] == [0, 0]
    assert ops.lightning_indexer(x, x, x[..., 0], sparse_count=1)[1].size == 0


def test_all_keys_is_the_dense_attention():
    x = ms.Tensor(numbers(2, 5, 2, 4))
    everything = ops.arange(5).reshape(1, 1, 1, 5).astype(ms.int32).tile((2, 5, 2, 1))
    found = ops.sparse_flash_attention(x, x, x, everything, 0.5)[0]
    dense = ops.flash_attention_score(x, x, x, 2, scalar_value=0.5, input_layout="BSND", sparse_mode=3)
    close(found, dense.asnumpy())


def test_scores_in_chunks(monkeypatch):
    x, options = ms.Tensor(numbers(1, 6, 2, 4)), {"sparse_count": 3, "return_value": True}
    index = ops.lightning_indexer(x, x, x[..., 0], **options)
    whole = ops.sparse_flash_attention(x, x, x, index[0], 0.5)[0]
    monkeypatch.setattr("torchspore.ops.attention.sparse._SCORES", 40)
    close(ops.lightning_indexer(x, x, x[..., 0], **options)[1], index[1].asnumpy())
    close(ops.sparse_flash_attention(x, x, x, index[0], 0.5)[0], whole.asnumpy())


# Gradients, graphs, errors


def _double(*shape):
    return torch.tensor(RNG.standard_normal(shape), requires_grad=True)


INDEX = torch.tensor([[[0, 1]], [[1, -1]], [[2, 0]]], dtype=torch.int32)
GRADIENTS = {
    "compress": (
        lambda x, w: ops.nsa_compress.body(x, w, 2, 1, actual_seq_len=(2, 5)),
        ((5, 2, 3), (2, 2)),
    ),
    "compressed": (
        lambda q, k, v: ops.nsa_compress_attention.body(
            q, k, v, 0.5, 2, 2, 1, 2, 1,
            atten_mask=torch.tensor([[True] * 3, [False] * 3, [False, True, False]]),
            actual_seq_qlen=(3,), actual_cmp_seq_kvlen=(3,), actual_sel_seq_kvlen=(2,),
        )[0],
        ((3, 2, 4), (3, 1, 4), (3, 1, 2)),
    ),
    "selected": (
        lambda q, k, v: ops.nsa_select_attention.body(
            q, k, v, INDEX, 0.5, 2, 2, 2, actual_seq_qlen=(3,), actual_seq_kvlen=(5,)
        )[0],
        ((3, 2, 4), (5, 1, 4), (5, 1, 2)),
    ),
    "indexer": (
        lambda q, k, w: ops.lightning_indexer.body(q, k, w, sparse_count=2, sparse_mode=0, return_value=True)[1],
        ((1, 3, 2, 4), (1, 4, 1, 4), (1, 3, 2)),
    ),
    "indexed": (
        lambda q, k, v: ops.sparse_flash_attention.body(q, k, v, INDEX[None], 0.5)[0],
        ((1, 3, 2, 4), (1, 4, 1, 4), (1, 4, 1, 4)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    function, shapes = GRADIENTS[name]
    assert torch.autograd.gradcheck(function, [_double(*shape) for shape in shapes])


def _select(q, k, v, index):
    return ops.nsa_select_attention(q, k, v, index, 0.5, 2, 2, 2, actual_seq_qlen=(3,), actual_seq_kvlen=(5,))[0].sum()


def test_gradients_in_a_graph():
    given = tensors(numbers(3, 2, 4), numbers(5, 1, 4), numbers(5, 1, 2), INDEX.numpy())
    gradient = ms.grad(_select, (0, 1, 2))
    for one, other in zip(ms.jit(gradient, fullgraph=True)(*given), gradient(*given)):
        close(one, other.asnumpy())


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_graph_for_all_lengths(layout):
    """Tensors without values give the shapes of results: so nothing reads lengths."""
    queries, keys = [numbers(n, 4, 6) for n in QUERIES], [numbers(n, 1, 6) for n in KEYS]
    weights, indices = [numbers(n, 4) for n in QUERIES], [np.zeros((n, 1, 3), np.int32) for n in QUERIES]

    def run(given, options):
        query, weight, index, key = given
        renamed = {name.replace("_kv", "_key"): value for name, value in options.items()}
        found = ops.lightning_indexer(query, key, weight, **renamed, sparse_count=3)[0]
        return found, ops.sparse_flash_attention(query, key, key, index, 0.5, **options)[0]

    given, options = laid(layout, (queries, weights, indices), (keys,))
    expected = run(given, options)
    captured = ms.jit(lambda *given: run(given, options), fullgraph=True)(*given)
    for one, other in zip(captured, expected):
        close(one, other.asnumpy())
    without = [wrap(x._t.to("meta")) for x in given]
    named = {name: wrap(x._t.to("meta")) if isinstance(x, ms.Tensor) else x for name, x in options.items()}
    assert [x.shape for x in run(without, named)] == [x.shape for x in expected]


x, y = ops.ones((4, 2, 4)), ops.ones((1, 4, 2, 4))
index = ops.zeros((1, 4, 2, 3), ms.int32)
ends = ms.Tensor([4], ms.int32)
ERRORS = [
    (lambda: ops.nsa_compress(x, x[0], 2, 1, actual_seq_len=[4]), ValueError, "'weight'"),
    (lambda: ops.nsa_compress(x, x[:2, :, 0], 2, 0, actual_seq_len=[4]), ValueError, "compress_stride"),
    (lambda: ops.nsa_compress(x, x[:2, :, 0], 2, 1, actual_seq_len=[3]), ValueError, "rise to 4"),
    (lambda: ops.nsa_compress(x, x[:2, :, 0], 2, 1), TypeError, "actual_seq_len"),
    (lambda: ops.nsa_compress_attention(x, x, x, 1.0, 2, 3, 2, 4, 1), ValueError, "multiples"),
    (lambda: ops.nsa_compress_attention(x, x, x, 1.0, 2, 4, 2, 2, 1), ValueError, "at least"),
    (
        lambda: ops.nsa_compress_attention(
            x, x, x, 1.0, 3, 2, 2, 2, 1, actual_seq_qlen=[4], actual_cmp_seq_kvlen=[4], actual_sel_seq_kvlen=[4]
        ),
        ValueError,
        "head_num",
    ),
    (
        lambda: ops.nsa_compress_attention(
            x, x, x, 1.0, 2, 2, 2, 2, 1, actual_seq_qlen=[4], actual_cmp_seq_kvlen=[4], actual_sel_seq_kvlen=[1, 4]
        ),
        ValueError,
        "1 ends",
    ),
    (lambda: ops.nsa_select_attention(x, x, x, index[0], 1.0, 2, 2, 2), ValueError, "topk_indices"),
    (lambda: ops.lightning_indexer(y, y, y[..., 0], layout_query="BNSD"), ValueError, "layout"),
    (lambda: ops.lightning_indexer(x, x, x[..., 0]), ValueError, "'BSND'"),
    (lambda: ops.lightning_indexer(x, x, x[..., 0], layout_query="TND", layout_key="TND"), ValueError, "lengths"),
    (lambda: ops.lightning_indexer(y, y, y), ValueError, "'weights'"),
    (lambda: ops.lightning_indexer(y, y, y[..., 0], sparse_mode=1), ValueError, "sparse_mode"),
    (lambda: ops.lightning_indexer(y, y, y[..., 0], pre_tokens=5), NotImplementedError, "pre_tokens"),
    (lambda: ops.lightning_indexer(y, y, y[..., 0], block_table=index[0, 0]), ValueError, "block_table"),
    (
        lambda: ops.lightning_indexer(y, y, y[..., 0], layout_key="PA_BSND", actual_seq_lengths_key=ends),
        ValueError,
        "block_table",
    ),
    (lambda: ops.sparse_flash_attention(y, y, y, index, 1.0, attention_mode=2), ValueError, "query_rope"),
    (lambda: ops.sparse_flash_attention(y, y, y, index, 1.0, attention_mode=1), ValueError, "attention_mode"),
    (lambda: ops.sparse_flash_attention(y, y, y, index, 1.0, query_rope=y), ValueError, "together"),
    (lambda: ops.sparse_flash_attention(y, y, y, index[0], 1.0), ValueError, "sparse_indices"),
    (lambda: ops.sparse_flash_attention(y, y, y, index, 1.0, sparse_block_size=0), ValueError, "sparse_block_size"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS, ids=[str(i) for i in range(len(ERRORS))])
def test_errors(call, kind, words):
    with pytest.raises(kind, match=rf"^For '(nsa|light|sparse).*{words}"):
        call()
