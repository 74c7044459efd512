"""Candidate samplers and random numbers: what may come out, how often, and that seeds repeat it."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import torchspore as ms
from torchspore import ops


def _repeated(draw):
    """Return two runs of a program that sets the same seed."""
    results = []
    for _ in range(2):
        ms.set_seed(11)
        results.append([part.asnumpy() for part in cases._flat(draw())])
    for one, other in zip(*results):
        np.testing.assert_array_equal(one, other)
    return results[0]


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("name", ["uniform", "log_uniform"])
def test_candidates(name, seed):
    classes = ms.Tensor([[1, 7], [0, 4], [3, 3]])
    sample = getattr(ops, f"{name}_candidate_sampler")
    sampled, true_expected, own_expected = _repeated(lambda: sample(classes, 2, 6, True, 10, seed))
    assert len(set(sampled.tolist()) & set(range(10))) == 6
    assert true_expected.shape == (3, 2)
    assert ((own_expected > 0) & (own_expected < 1)).all()
    sampled, true_expected, own_expected = _repeated(lambda: sample(classes, 2, 4000, False, 10, seed))
    counts = np.bincount(sampled, minlength=10)
    chances = np.full(10, 0.1) if name == "uniform" else np.diff(np.log(np.arange(1, 12))) / np.log(11)
    np.testing.assert_allclose(counts / 4000, chances, atol=0.03)
    np.testing.assert_allclose(true_expected, 4000 * chances[classes.asnumpy()], rtol=1e-5)
    np.testing.assert_allclose(own_expected, 4000 * chances[sampled], rtol=1e-5)


def test_no_right_class_among_the_candidates():
    sampler = ops.UniformCandidateSampler(1, 3, True, 5, 0, True)
    assert set(sampler(ms.Tensor([[1], [3]], ms.int32))[0].asnumpy().tolist()) == {0, 2, 4}
    with pytest.raises(ValueError, match="not enough classes"):
        sampler(ms.Tensor([[1], [3], [4]]))


def test_accidental_hits():
    indices, ids, weights = ops.ComputeAccidentalHits(2)(
        ms.Tensor([[1, 2], [0, 4], [3, 3]]), ms.Tensor([0, 1, 2, 3, 4])
    )
    np.testing.assert_array_equal(indices.asnumpy(), [0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(ids.asnumpy(), [1, 2, 0, 4, 3, 3])
    assert indices.dtype == ms.int32
    assert (weights.asnumpy() == np.finfo(np.float32).min).all()


def test_truncated_normal_distributions():
    (drawn,) = _repeated(lambda: ops.TruncatedNormal(seed=3)(ms.Tensor([4000])))
    assert abs(drawn).max() <= 2
    np.testing.assert_allclose([drawn.mean(), drawn.std()], [0, 0.88], atol=0.05)
    limits = [ms.Tensor(value, ms.float32) for value in ([0.0, 10.0], [1.0, 2.0], [5.0, 4.0], [9.0, 9.0])]
    (drawn,) = _repeated(lambda: ops.ParameterizedTruncatedNormal(1)(ms.Tensor([2, 4000]), *limits))
    assert 5 <= drawn[0].min() < drawn[0].max() < 9
    assert 4 <= drawn[1].min() < drawn[1].max() <= 9
    # what is known of the tail beyond 5, and of the half below 9 for mean 10 and deviation 2
    np.testing.assert_allclose(drawn.mean(1), [5.187, 7.719], atol=0.05)


def test_other_distributions():
    (drawn,) = _repeated(lambda: ops.Cauchy([4001], 3.0, 2.0)())
    np.testing.assert_allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), [1, 3, 5], atol=0.3)
    (drawn,) = _repeated(lambda: ops.LogNormalReverse(1.0, 0.5)(ops.ones((4000,))))
    np.testing.assert_allclose([np.log(drawn).mean(), np.log(drawn).std()], [1, 0.5], atol=0.05)
    for dtype in (ms.int32, ms.int64):
        found = ops.NonDeterministicInts(dtype)(ms.Tensor((4000,)))
        assert found.dtype == dtype
        limit = float(np.iinfo(found.asnumpy().dtype).max)
        assert found.asnumpy().min() < -0.9 * limit < 0.9 * limit < found.asnumpy().max()


def test_random_order_with_padding():
    (order,) = _repeated(lambda: ops.Randperm(8, -2, ms.int64)(ms.Tensor([5], ms.int32)))
    np.testing.assert_array_equal(order[5:], -2)
    np.testing.assert_array_equal(np.sort(order[:5]), np.arange(5))


def test_places_by_weight():
    weights = ms.Tensor([[0.0, 1.0, 3.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
    (drawn,) = _repeated(lambda: ops.multinomial_with_replacement(weights, 2, 5, 4000, True))
    np.testing.assert_allclose(np.bincount(drawn[0], minlength=4) / 4000, [0, 0.25, 0.75, 0], atol=0.03)
    (drawn,) = _repeated(lambda: ops.MultinomialWithReplacement(4)(weights, 2, 5))
    assert set(drawn[0, :2]) == {1, 2}
    assert set(drawn[1, :2]) == {0, 3}
    assert np.sort(drawn).tolist() == [[0, 1, 2, 3]] * 2
    with pytest.raises(ValueError, match="without replacement"):
        ops.multinomial_with_replacement(weights, 2, 5, 5)


def test_dropout_masks_in_bits():
    (mask,) = _repeated(lambda: ops.DropoutGenMask(3)((20, 50), 0.75))
    assert mask.dtype == np.uint8
    assert mask.shape == (128,)
    x = ms.Tensor(np.arange(1, 1001, dtype=np.float32).reshape(20, 50))
    dropped = ops.DropoutDoMask()(x, ms.Tensor(mask), 0.75).asnumpy()
    kept = np.unpackbits(mask, bitorder="little")[:1000].reshape(20, 50)
    np.testing.assert_allclose(dropped, x.asnumpy() * kept / 0.75)
    assert abs(kept.mean() - 0.75) < 0.05
    with pytest.raises(ValueError, match="bits"):
        ops.DropoutDoMask()(x, ms.Tensor(mask[:10]), 0.75)


ERRORS = [
    ("ops.uniform_candidate_sampler(k, 1, 2, True, 5)", ValueError),
    ("ops.uniform_candidate_sampler(j, 3, 6, True, 5)", ValueError),
    ("ops.log_uniform_candidate_sampler(x, 3)", TypeError),
    ("ops.ComputeAccidentalHits(2)(j, k)", ValueError),
    ("ops.Cauchy(3)()", TypeError),
    ("ops.Cauchy([])()", ValueError),
    ("ops.NonDeterministicInts(ms.float32)((2,))", TypeError),
    ("ops.TruncatedNormal(ms.int32)((2,))", TypeError),
    ("ops.ParameterizedTruncatedNormal()((2,), s, s, s, s)", ValueError),
    ("ops.multinomial_with_replacement(z, 0, 0, 2)", ValueError),
]


@pytest.mark.parametrize(("expression", "kind"), ERRORS, ids=[row[0] for row in ERRORS])
def test_errors(expression, kind):
    with pytest.raises(kind, match=r"^For '"):
        eval(expression, cases.namespace(ms))
