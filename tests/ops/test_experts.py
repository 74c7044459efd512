"""Experts: choosing them, routing tokens to them, and the exchange with other processes; compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from processes import results_of
from torchspore import Tensor, ops
from torchspore.ops import auto_generate

random = np.random.default_rng(3)
TOKENS = random.normal(size=(6, 4)).astype(np.float32)
SCORES = random.permutation(np.linspace(-2, 2, 48)).reshape(6, 8).astype(np.float32)
EXPERTS = np.argsort(-SCORES, 1)[:, :3].astype(np.int32)
WEIGHTS = random.random((6, 3)).astype(np.float32)


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.asnumpy() if isinstance(value, Tensor) else value


def same(found, expected, rtol=1e-5):
    """Compare tensors, one or several: shapes and values."""
    found, expected = (one if isinstance(one, (list, tuple)) else [one] for one in (plain(found), expected))
    for one, other in zip(found, expected, strict=True):
        assert one.shape == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-6)


# The choice of experts


def softmax(scores):
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("shape", [(6, 8), (2, 3, 8)])
def test_gating(shape, k):
    scores, finished = SCORES.reshape(shape), (np.arange(6) % 2 == 0).reshape(shape[:-1])
    chances, experts, rows = auto_generate.MoeGatingTopKSoftmax()(Tensor(scores), Tensor(finished), k)
    order = np.argsort(-scores, -1)[..., :k]
    same(chances, np.take_along_axis(softmax(scores), order, -1))
    same(experts, np.where(finished[..., None], 8, order))
    same(rows, np.arange(6 * k).reshape(k, 6).T.reshape(*shape[:-1], k))
    assert {experts.dtype, rows.dtype} == {ms.int32}


def test_gating_has_the_documented_figures():
    scores = [[0.1, 0.2, 0.1, 0.1], [0.2, 0.2, 0.4, 0.2], [0.3, 0.3, 0.1, 0.3], [0.1, 0.7, 0.1, 0.1]]
    chances, experts, _ = auto_generate.MoeGatingTopKSoftmax()(Tensor(scores, ms.float16), k=4)
    expected = [[0.2693] + [0.2437] * 3, [0.2893] + [0.2369] * 3, [0.262] * 3 + [0.2144], [0.378] + [0.2074] * 3]
    np.testing.assert_allclose(chances.asnumpy(), np.float16(expected), rtol=1e-3)
    assert experts.asnumpy().tolist() == [[1, 0, 2, 3], [2, 0, 1, 3], [0, 1, 3, 2], [1, 0, 2, 3]]


def best_groups(scores, group_num, k, inner):
    """Tell which experts are in the best groups, one row after the other."""
    kept = np.zeros(scores.shape, bool)
    for row, keep in zip(scores, kept):
        groups = row.reshape(group_num, -1)
        strength = [sum(sorted(group)[-inner:]) for group in groups]
        for best in sorted(range(group_num), key=lambda group: -strength[group])[:k]:
            keep.reshape(group_num, -1)[best] = True
    return kept


@pytest.mark.parametrize(("group_num", "k", "inner"), [(4, 2, 1), (4, 2, 2), (2, 1, 3), (8, 5, 1), (1, 1, 8)])
def test_groups_of_experts(group_num, k, inner):
    written = Tensor(SCORES.copy())
    found = ops.GroupTopk()(written, ops.arange(1024), group_num, k, inner)
    assert found is written
    same(written, np.where(best_groups(SCORES, group_num, k, inner), SCORES, 0))
    same(auto_generate.group_topk(Tensor(SCORES.copy()), None, group_num, k, inner), plain(written))


@pytest.mark.parametrize("norm", [True, False])
def test_experts_of_the_best_groups(norm):
    bias = np.linspace(-0.5, 0.5, 8).astype(np.float32)
    found = auto_generate.FusedAddTopKDiv()(Tensor(SCORES), Tensor(bias), 4, 2, 2, 3, 0, norm, 2.5)
    weights = 1 / (1 + np.exp(-SCORES))
    sums = np.where(best_groups(weights + bias, 4, 2, 2), weights + bias, -np.inf)
    experts = np.argsort(-sums, 1)[:, :3]
    chosen = np.take_along_axis(weights, experts, 1)
    same(found, [2.5 * (chosen / chosen.sum(1, keepdims=True) if norm else chosen), experts])
    assert (found[0].dtype, found[1].dtype) == (ms.float32, ms.int32)


# Places for tokens


def routed(experts, capacity, expert_num, by_priority, goes):
    """Give places to one choice after the other."""
    batch, tokens, each = experts.shape
    dispatch, combine = np.zeros((batch, expert_num, capacity), int), experts * (capacity + 1)
    order = [(t, j) for t in range(tokens) for j in range(each)]
    for b in range(batch):
        for t, j in sorted(order, key=lambda place: place[::-1] if by_priority else place):
            places = dispatch[b, experts[b, t, j]]
            if goes[b, t, j] and (places == 0).any():
                place = int(np.argmin(places != 0))
                places[place] = t + 1
                combine[b, t, j] += place + 1
    return dispatch, combine


@pytest.mark.parametrize("drop_type", [0, 1])
@pytest.mark.parametrize("capacity", [1, 2, 4])
def test_routers(capacity, drop_type):
    experts = random.integers(0, 3, (2, 5, 2)).astype(np.int32)
    found = auto_generate.TopKRouter()(Tensor(experts), capacity, 3, drop_type)
    same(found, routed(experts, capacity, 3, drop_type, np.ones(experts.shape)))
    assert found[0].dtype == found[1].dtype == ms.int32
    chances = random.random((10, 2)).astype(np.float32)
    found = auto_generate.TopPRouter()(Tensor(experts), capacity, 3, drop_type, 0.5, Tensor(chances))
    goes = np.stack([np.ones(10), chances[:, 0] < 0.5], 1).reshape(experts.shape)
    same(found, routed(experts, capacity, 3, drop_type, goes))


# Tokens in the order of their experts: expressions and what they equal


ROWS = [
    ("ops.moe_init_routing_v2(x, e, 0, 0, 8, 0, 0, False)", "x[order // 3], order.argsort()"),
    ("ops.moe_init_routing_v2(x, e, 4, 0, 8, 0, 1, False)", "x[order[:4] // 3], order.argsort(), counts.cumsum()"),
    ("ops.moe_init_routing_v2(x, e, 0, 0, 8, 0, 2, False)", "x[order // 3], order.argsort(), counts"),
    ("ops.moe_init_routing_v2(x[:3], Tensor([[0, 2], [1, 1], [0, 1]]), 0, 2, 3, 1, 0, True)",
     "np.stack([x[[0, 2]], x[[1, 1]], [x[0], 0 * x[0]]]), [0, 4, 2, 3, 1, -1], [2, 3, 1]"),
    ("ops.moe_init_routing_v2(x[:3], Tensor([[0], [1], [0]]), 0, 2, 3, 1, 1, False)[1:]", "([0, 2, 1],)"),
    ("ops.moe_token_permute(x, Tensor([2, 0, 1, 1, 5, 3]))", "x[[1, 2, 3, 0, 5, 4]], [3, 0, 1, 2, 5, 4]"),
    ("ops.moe_token_permute(x, e, 4)", "x[order[:4] // 3], order.argsort()"),
    ("ops.moe_token_unpermute(*ops.moe_token_permute(x, e), w)", "x * w.sum(1, keepdims=True)"),
    ("ops.auto_generate.InnerMoeTokenUnpermute()(*ops.moe_token_permute(x, e), w)", "x * w.sum(1, keepdims=True)"),
    ("ops.moe_token_unpermute(*ops.moe_token_permute(x, e, 4), w)",
     "np.stack([(w[t] * (order.argsort()[3 * t : 3 * t + 3] < 4)).sum() * x[t] for t in range(6)])"),
    ("ops.moe_token_unpermute(*ops.moe_token_permute(x, e[:, 0]))", "x"),
    ("ops.auto_generate.MoeComputeExpertTokens()(Tensor([0, 0, 1, 2, 2]), 5)", "[2, 3, 5, 5, 5]"),
    ("ops.auto_generate.MoeInitRouting()(x, rows, e, 9)", "x[order // 3], places, e.ravel()[order]"),
    ("ops.auto_generate.MoeInitRouting()(x, rows, e, 2)", "x[order[:6] // 3], places, e.ravel()[order]"),
]  # fmt: skip
ORDER = EXPERTS.ravel().argsort(kind="stable")
ROW_NUMBERS = np.arange(18).reshape(3, 6).T
EXPECTED = {
    "np": np, "x": TOKENS, "e": EXPERTS, "w": WEIGHTS, "order": ORDER, "places": ROW_NUMBERS.ravel()[ORDER].argsort(),
    "counts": np.bincount(EXPERTS.ravel(), minlength=8),
}  # fmt: skip
GIVEN = {
    "ops": ops, "Tensor": Tensor, "x": Tensor(TOKENS), "e": Tensor(EXPERTS), "w": Tensor(WEIGHTS),
    "rows": Tensor(ROW_NUMBERS.astype(np.int32)),
}  # fmt: skip


@pytest.mark.parametrize(("expression", "definition"), ROWS, ids=[row[0] for row in ROWS])
def test_routing(expression, definition):
    expected = eval(definition, EXPECTED)
    same(eval(expression, GIVEN), expected if isinstance(expected, tuple) else [expected])


def test_the_way_there_and_back():
    """What `MoeInitRouting` puts in order, `MoeFinalizeRouting` adds up."""
    chances, experts, rows = auto_generate.MoeGatingTopKSoftmax()(Tensor(SCORES), None, 3)
    tokens, places, sorted_experts = auto_generate.MoeInitRouting()(Tensor(TOKENS), rows, experts, 6)
    bias = random.normal(size=(8, 4)).astype(np.float32)
    results = tokens * (sorted_experts.reshape(-1, 1) + 1)  # expert i multiplies by i + 1
    found = auto_generate.MoeFinalizeRouting()(results, Tensor(TOKENS), None, Tensor(bias), chances, places, experts)
    weights, chosen = plain(chances), plain(experts)
    each = weights[..., None] * (TOKENS[:, None] * (chosen[..., None] + 1) + bias[chosen])
    same(found, TOKENS + each.sum(1))


def test_finalize_routing_has_the_documented_figures():
    expanded = Tensor(np.repeat([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], 4).reshape(6, 4), ms.float32)
    given = Tensor(np.repeat([1.0, 0.2, 0.3], 4).reshape(3, 4), ms.float32)
    bias = Tensor(np.repeat([0.1, 0.2, 0.3, 0.4], 4).reshape(4, 4), ms.float32)
    scales = Tensor([[0.7, 0.3], [0.8, 0.2], [0.8, 0.2]])
    experts = Tensor([[0, 1], [0, 2], [1, 3]])
    routing = auto_generate.MoeFinalizeRouting()
    result = routing(expanded, given, None, bias, scales, Tensor([2, 3, 1, 0, 5, 4]), experts)
    np.testing.assert_allclose(result.asnumpy()[:, 0], [1.37, 0.48, 0.74], rtol=1e-5)


# Gradients and graphs


def there_and_back(x, w):
    sent = ops.moe_distribute_dispatch(x, GIVEN["e"], 1, 0, 8, w)
    return ops.moe_distribute_combine(sent[0] ** 2, GIVEN["e"], sent[2], sent[4], w, 1, 0, 8)


DIFFERENTIABLE = {
    "permute": lambda x, w: ops.moe_token_unpermute(*ops.moe_token_permute(x**2, GIVEN["e"]), w),
    "distribute": there_and_back,
    "init_routing": lambda x, w: ops.moe_token_unpermute(
        *ops.moe_init_routing_v2(x**2, GIVEN["e"], 0, 0, 8, 0, 0, False), w
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_of_tokens_and_weights(name):
    """Each token's square, as often as the weights say."""
    loss = lambda x, w: DIFFERENTIABLE[name](x, w).sum()  # noqa: E731
    found = ms.grad(loss, (0, 1))(Tensor(TOKENS), Tensor(WEIGHTS))
    squares = np.broadcast_to((TOKENS**2).sum(1, keepdims=True), WEIGHTS.shape)
    same(found, [2 * TOKENS * WEIGHTS.sum(1, keepdims=True), squares])


@pytest.mark.parametrize(
    "function",
    [
        lambda s: auto_generate.MoeGatingTopKSoftmax()(s, None, 2)[0],
        lambda s: auto_generate.FusedAddTopKDiv()(s, Tensor(np.zeros(8, np.float32)), 4, 2, 2, 3)[0],
    ],
)
def test_gradients_of_scores(function):
    weighted = lambda s: (function(s) * GIVEN["w"][:, : function(s).shape[1]]).sum()  # noqa: E731
    found = plain(ms.grad(weighted)(Tensor(SCORES)))
    step = 4e-3 * np.eye(48).reshape(48, 6, 8).astype(np.float32)
    slopes = [plain(weighted(Tensor(SCORES + one)) - weighted(Tensor(SCORES - one))) / 8e-3 for one in step]
    np.testing.assert_allclose(found.ravel(), slopes, atol=1e-3)
    assert np.abs(found).max() > 0.03


GRAPHS = {
    **{name: (lambda f: lambda x: f(x, GIVEN["w"]))(function) for name, function in DIFFERENTIABLE.items()},
    "gating": lambda x: auto_generate.MoeGatingTopKSoftmax()(x, None, 2),
    "groups": lambda x: (ops.GroupTopk()(x, None, 2, 1), x),
    "best experts": lambda x: auto_generate.FusedAddTopKDiv()(x, x[0], 2, 1, 1, 2),
    "blocks": lambda x: ops.moe_init_routing_v2(x, GIVEN["e"], 0, 2, 8, 1, 0, True),
    "router": lambda x: auto_generate.TopKRouter()((x.reshape(2, 3, 4) > 0).astype(ms.int32), 2, 2),
    "part": lambda x: auto_generate.TopPRouter()((x > 0).astype(ms.int32)[None], 2, 2, 0, 0.5, ops.softmax(x)),
    "init routing": lambda x: auto_generate.MoeInitRouting()(x, GIVEN["rows"], GIVEN["e"], 3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_do_the_same(name):
    graph = ms.jit(GRAPHS[name])
    for scale in (1, -2):
        same(graph(Tensor(TOKENS * scale)), plain(GRAPHS[name](Tensor(TOKENS * scale))))


# The exchange between processes


def test_the_first_process_may_be_the_only_one():
    x, scales = Tensor(TOKENS), Tensor(random.random((8, 4)), ms.float32)
    sent = ops.moe_distribute_dispatch(x, GIVEN["e"], 1, 0, 8, GIVEN["w"], scales, quant_mode=2, global_bs=8)
    rows, experts = TOKENS[ORDER // 3] * plain(scales)[EXPERTS.ravel()[ORDER]], EXPERTS.ravel()
    greatest = np.abs(rows).max(1)
    places = [list(experts[:i]).count(expert) for i, expert in enumerate(experts)]
    counts, spare = np.bincount(experts, minlength=8), np.zeros(6)
    assert sent[0].dtype == ms.int8
    np.testing.assert_allclose(plain(sent[0])[:18], np.round(rows / greatest[:, None] * 127), atol=1)
    assert not plain(sent[0])[18:].any()
    expected = [
        np.concatenate([greatest / 127, spare]), places, counts.cumsum(), counts, [],
        np.concatenate([WEIGHTS.ravel()[ORDER], spare]),
    ]  # fmt: skip
    same(sent[1:], expected)


# Code that two processes run, and what `result` is then in each; as in the tests of mint.distributed.
HEAD = """
x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2) + 10 * rank)
e = Tensor([[[0, 3], [2, 3]], [[1, 2], [3, 0]]][rank], ms.int32)
w = Tensor([[[1., 2], [3, 4]], [[5., 6], [7, 8]]][rank])
sent = ops.moe_distribute_dispatch(x, e, 2, rank, 4, w, expert_token_nums_type=1)
"""
# Expert 0 gets the tokens [0, 1] and [12, 13], expert 1 [10, 11]; 2 gets [2, 3] and [10, 11], 3 the rest.
EXCHANGED = [
    ("result = sent[0][:5]", [[0, 1], [12, 13], [10, 11], [0, 0], [0, 0]],
     [[2, 3], [10, 11], [0, 1], [2, 3], [12, 13]]),
    ("result = list(sent[0].shape)", [8, 2], [8, 2]),
    ("result = sent[2]", [0, 0, 0, 1], [0, 0, 0, 0]),
    ("result = sent[3]", [2, 1], [2, 3]),
    ("result = sent[4]", [1, 1, 0, 1], [1, 1, 2, 1]),
    ("result = sent[6]", [1, 8, 5, 0, 0, 0, 0, 0], [3, 6, 2, 4, 7, 0, 0, 0]),
    # expert i multiplies by i + 1
    (
        "own = Tensor([[1.] * 2 + [2.] * 6, [3.] * 2 + [4.] * 6][rank])[:, None]\n"
        "result = ops.moe_distribute_combine(sent[0] * own, e, sent[2], sent[4], w, 2, rank, 4, sent[5],"
        " expand_scales=sent[6])",
        [[0, 9], [50, 75]], [[280, 308], [432, 468]],
    ),
    (
        "def loss(x, w):\n"
        "    sent = ops.moe_distribute_dispatch(x, e, 2, rank, 4, w)\n"
        "    factor = Tensor([[1.] * 2 + [2.] * 6, [3.] * 2 + [4.] * 6][rank])[:, None]\n"
        "    return ops.moe_distribute_combine(sent[0] * factor, e, sent[2], sent[4], w, 2, rank, 4).sum()\n"
        "result = list(ms.grad(loss, (0, 1))(x, w))",
        [[[9, 9], [25, 25]], [[1, 4], [15, 20]]], [[[28, 28], [36, 36]], [[42, 63], [100, 25]]],
    ),
    ("result = (ops.moe_distribute_dispatch(x, e, 2, rank, 4, quant_mode=2)[0][:2]).astype(ms.int32)",
     [[0, 127], [117, 127]], [[85, 127], [115, 127]]),
    ("g = dist.new_group([0, 1]); result = ops.moe_distribute_dispatch(x, e, 2, rank, 4, group_ep=g)[0][:1]",
     [[0, 1]], [[2, 3]]),
    ("try: ops.moe_distribute_dispatch(x, e, 2, 1 - rank, 4)\nexcept ValueError as error: result = str(error)[:30]",
     "For 'moe_distribute_dispatch',", "For 'moe_distribute_dispatch',"),
]  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("rows"), [HEAD + code for code, *_ in EXCHANGED])


@pytest.mark.slow
@pytest.mark.parametrize("row", range(len(EXCHANGED)), ids=[code.replace("\n", "; ") for code, *_ in EXCHANGED])
def test_two_processes(results, row):
    assert [results[0][row], results[1][row]] == list(EXCHANGED[row][1:])


# Errors


def dispatch(*args, **given):
    return ops.moe_distribute_dispatch(GIVEN["x"], GIVEN["e"], *args, **given)


def combine(*args, **given):
    return ops.moe_distribute_combine(GIVEN["x"], GIVEN["e"], GIVEN["e"].ravel(), *args, **given)


counts = Tensor(np.zeros(8, np.int32))
ERRORS = [
    (lambda: auto_generate.MoeGatingTopKSoftmax()(GIVEN["e"]), TypeError, "must hold floats"),
    (lambda: auto_generate.MoeGatingTopKSoftmax()(GIVEN["x"], None, 5), ValueError, "'k'"),
    (lambda: auto_generate.MoeGatingTopKSoftmax()(GIVEN["x"][0]), ValueError, "2 to 3 dimensions"),
    (lambda: auto_generate.MoeGatingTopKSoftmax()(GIVEN["x"], Tensor([True])), ValueError, "'finished' must be of"),
    (lambda: ops.GroupTopk()(Tensor(TOKENS), None, 3, 1), ValueError, "For 'GroupTopk', 4 experts"),
    (lambda: ops.GroupTopk()(Tensor(TOKENS), None, 2, 3), ValueError, "3 of them chosen by 1 scores"),
    (lambda: ops.GroupTopk()(TOKENS, None, 2, 3), TypeError, "For 'GroupTopk', 'token' must be a Tensor"),
    (lambda: auto_generate.FusedAddTopKDiv()(GIVEN["x"], GIVEN["x"][0], 2, 1, 1, 3), ValueError, "'k' must be"),
    (lambda: auto_generate.FusedAddTopKDiv()(GIVEN["x"], GIVEN["x"][0], 2, 1, 1, 1, 1), NotImplementedError,
     "'activate_type' must be 0"),
    (lambda: auto_generate.FusedAddTopKDiv()(GIVEN["x"], GIVEN["x"][0], 2, 1, 1, 1, enable_expert_mapping=True),
     NotImplementedError, "'enable_expert_mapping' must be False"),
    (lambda: auto_generate.TopKRouter()(GIVEN["e"], 1, 8), ValueError, "For 'TopKRouter', 'input' must be of shape"),
    (lambda: auto_generate.TopKRouter()(GIVEN["e"][None], 1, 8, 2), ValueError, "'drop_type' 0 or 1"),
    (lambda: auto_generate.TopKRouter()(GIVEN["e"][None], 1, 2), ValueError, "For 'TopKRouter'"),
    (lambda: auto_generate.TopPRouter()(GIVEN["e"][None], 1, 8), NotImplementedError, "'threshold' must be > 0"),
    (lambda: auto_generate.TopPRouter()(GIVEN["e"][None], 1, 8, 0, 0.5, 0.3), NotImplementedError, "a Tensor"),
    (lambda: auto_generate.TopPRouter()(GIVEN["e"][None], 1, 8, 0, 0.5, GIVEN["w"][0]), ValueError, "shape"),
    (lambda: auto_generate.MoeInitRouting()(GIVEN["x"], GIVEN["rows"], GIVEN["e"], -1), ValueError, "'active_num'"),
    (lambda: auto_generate.MoeInitRouting()(GIVEN["x"], GIVEN["e"][0], GIVEN["e"], 1), ValueError, "'row_idx'"),
    (lambda: ops.moe_token_permute(GIVEN["x"], GIVEN["e"], padded_mode=True), ValueError, "padded_mode"),
    (lambda: ops.moe_token_permute(GIVEN["x"][:2], GIVEN["e"]), ValueError, "'indices' must be of"),
    (lambda: ops.moe_token_unpermute(GIVEN["x"], counts, restore_shape=(3, 4)), ValueError, "restore_shape"),
    (lambda: ops.moe_init_routing_v2(GIVEN["x"], GIVEN["e"], 0, 0, 8, 2, 0, False), ValueError, "'drop_pad_mode'"),
    (lambda: dispatch(2, 0, 8), ValueError, "'ep_world_size' and 'ep_rank_id' must be 1 and 0"),
    (lambda: dispatch(1, 0, 0), ValueError, "'moe_expert_num' must be divisible"),
    (lambda: dispatch(1, 0, 8, tp_world_size=2), NotImplementedError, "'tp_world_size' must be 0 or 1"),
    (lambda: dispatch(1, 0, 8, shared_expert_num=1), NotImplementedError, "'shared_expert_num' must be 0"),
    (lambda: dispatch(1, 0, 8, x_active_mask=counts), NotImplementedError, "'x_active_mask' must be None"),
    (lambda: dispatch(1, 0, 8, quant_mode=1), NotImplementedError, "'quant_mode' must be 0 or 2"),
    (lambda: dispatch(1, 0, 8, scales=GIVEN["x"]), ValueError, "'scales' are for"),
    (lambda: dispatch(1, 0, 8, expert_token_nums_type=2), ValueError, "'expert_token_nums_type' must be 0 or 1"),
    (lambda: dispatch(1, 0, 8, global_bs=2), ValueError, "18 tokens came"),
    (lambda: ops.moe_distribute_dispatch(GIVEN["x"][:2], GIVEN["e"], 1, 0, 8), ValueError, "'expert_ids' must be of"),
    (lambda: combine(counts, GIVEN["w"], 1, 0, 8, out_dtype=1), NotImplementedError, "'out_dtype' must be 0"),
    (lambda: combine(counts, GIVEN["w"], 1, 0, 8, counts), NotImplementedError, "'tp_send_counts'"),
    (lambda: combine(counts, GIVEN["w"][0], 1, 0, 8), ValueError, "'expert_scales' must have the shape"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), ERRORS, ids=[f"{i} {row[2]}" for i, row in enumerate(ERRORS)])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
