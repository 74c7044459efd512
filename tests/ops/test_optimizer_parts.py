"""Parts of optimizers: AdamW compared with torch's, CAME with its published algorithm in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, ops
from torchspore.ops import auto_generate

random = np.random.default_rng(7)
GRADIENTS = [random.normal(size=(6, 4)).astype(np.float32) for _ in range(3)]
WEIGHT = random.normal(size=(6, 4)).astype(np.float32)
LR, BETA1, BETA2, DECAY, EPS = 0.1, 0.9, 0.99, 0.01, 1e-8


def adamw_step(state, gradient, step, amsgrad, maximize):
    auto_generate.AdamW()(*state, Tensor(gradient), step, LR, BETA1, BETA2, DECAY, EPS, amsgrad, maximize)


def adamw_step_of_tensors(state, gradient, step, amsgrad, maximize):
    settings = [Tensor([value]) for value in (step, LR, BETA1, BETA2, DECAY, EPS)]
    auto_generate.AdamW()(*state, Tensor(gradient), *settings, amsgrad, maximize)


def apply_adamw_step(state, gradient, step, amsgrad, maximize):
    powers = BETA1 ** (step - 1), Tensor(BETA2 ** (step - 1))
    *state, greatest = state
    settings = *powers, LR, DECAY, BETA1, BETA2, EPS
    greatest = greatest if amsgrad else None
    auto_generate.ApplyAdamW()(*state, *settings, Tensor(gradient), greatest, amsgrad, maximize)


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("run", [adamw_step, adamw_step_of_tensors, apply_adamw_step])
def test_adamw_is_the_optimizer(run, maximize, amsgrad):
    weight = torch.tensor(WEIGHT)
    settings = {"betas": (BETA1, BETA2), "eps": EPS, "weight_decay": DECAY, "amsgrad": amsgrad, "maximize": maximize}
    optimizer = torch.optim.AdamW([weight], LR, **settings)
    state = [Tensor(WEIGHT.copy()), *(ops.zeros((6, 4)) for _ in range(3))]
    for step, gradient in enumerate(GRADIENTS, 1):
        gradient = gradient / step**2  # so that the maximum of the second moments is not the last
        weight.grad = torch.tensor(gradient)
        optimizer.step()
        run(state, gradient, step, amsgrad, maximize)
    np.testing.assert_allclose(state[0].asnumpy(), weight.numpy(), rtol=1e-5, atol=1e-6)
    assert amsgrad is bool(state[3].asnumpy().any())


def test_adamw_returns_what_it_writes():
    state = [Tensor(WEIGHT.copy()), *(ops.zeros((6, 4)) for _ in range(2))]
    found = auto_generate.ApplyAdamW()(*state, 1.0, 1.0, LR, DECAY, BETA1, BETA2, EPS, Tensor(GRADIENTS[0]))
    for one, other in zip(found, state, strict=True):
        assert (one.asnumpy() == other.asnumpy()).all()


def test_a_graph_of_adamw_serves_all_steps():
    def step(var, m, v, gradient, count):
        return auto_generate.AdamW()(var, m, v, v, gradient, count, LR, BETA1, BETA2, DECAY, EPS)

    plain, graph = ([Tensor(WEIGHT.copy()), ops.zeros((6, 4)), ops.zeros((6, 4))] for _ in range(2))
    captured = ms.jit(step)
    for count, gradient in enumerate(GRADIENTS, 1):
        captured(*graph, Tensor(gradient), Tensor(count))
    assert captured.captures == 1
    for count, gradient in enumerate(GRADIENTS, 1):
        step(*plain, Tensor(gradient), Tensor(count))
    np.testing.assert_allclose(graph[0].asnumpy(), plain[0].asnumpy(), rtol=1e-6)


# CAME


BETA3, EPS1, EPS2, CLIP = 0.9999, 1e-30, 1e-16, 1.0


class Came:
    """The published algorithm, for one matrix."""

    def __init__(self, weight):
        self.weight = weight.astype(np.float64)
        self.m = np.zeros(weight.shape)
        self.r, self.c, self.ur, self.uc = (np.zeros(size) for size in (*weight.shape, *weight.shape))

    def step(self, gradient):
        squares = gradient**2 + EPS1
        self.r = BETA2 * self.r + (1 - BETA2) * squares.mean(1)
        self.c = BETA2 * self.c + (1 - BETA2) * squares.mean(0)
        update = gradient / np.sqrt(np.outer(self.r, self.c) / self.r.mean())
        update /= max(1, np.sqrt((update**2).mean()) / CLIP)
        self.m = BETA1 * self.m + (1 - BETA1) * update
        unsure = (update - self.m) ** 2 + EPS2
        self.ur = BETA3 * self.ur + (1 - BETA3) * unsure.mean(1)
        self.uc = BETA3 * self.uc + (1 - BETA3) * unsure.mean(0)
        step = self.m / np.sqrt(np.outer(self.ur, self.uc) / self.ur.mean())
        self.weight = self.weight - LR * DECAY * self.weight - LR * step


def came_step(weight, m, r, c, ur, uc, gradient):
    sums = auto_generate.ApplyCamePart1()(gradient, EPS1)
    r, c, update, square = auto_generate.ApplyCamePart2()(gradient, *sums[:2], sums[2].reshape(1), r, c, BETA2)
    part3 = auto_generate.ApplyCamePart3()
    m, *sums = part3(update, m, EPS2, BETA1, CLIP, square, use_first_moment=True)
    part4 = auto_generate.ApplyCamePart4()
    weight, ur, uc = part4(weight, m, ur, uc, Tensor([DECAY]), Tensor([LR]), BETA3, None, *sums)
    return weight, m, r, c, ur, uc


def started():
    return [Tensor(WEIGHT), ops.zeros((6, 4)), *(ops.zeros(size) for size in (6, 4, 6, 4))]


@pytest.mark.parametrize("run", [came_step, ms.jit(came_step)])
def test_came_is_the_published_algorithm(run):
    expected, state = Came(WEIGHT), started()
    for gradient in GRADIENTS:
        expected.step(gradient.astype(np.float64))
        state = run(*state, Tensor(gradient))
    wanted = expected.weight, expected.m, expected.r, expected.c, expected.ur, expected.uc
    for one, other in zip(state, wanted, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-4, atol=1e-7)


def test_rows_of_one_matrix_may_be_in_several_processes():
    """The sums over all rows are added, and the shape counts all rows."""
    expected = Came(WEIGHT)
    r, ur = np.zeros(6, np.float32), np.zeros(6, np.float32)
    c, uc = (np.zeros(4, np.float32) for _ in range(2))
    weight, m = WEIGHT.copy(), np.zeros((6, 4), np.float32)
    halves = slice(0, 2), slice(2, 6)
    parts = [getattr(auto_generate, f"ApplyCamePart{i}")() for i in range(1, 5)]

    def added(results, *places):
        return [sum(result[place] for result in results).reshape(-1) for place in places]

    for gradient in GRADIENTS:
        expected.step(gradient.astype(np.float64))
        first = [parts[0](Tensor(gradient[half]), EPS1) for half in halves]
        given = added(first, 1, 2), (Tensor(c), BETA2, Tensor([r.sum()]), (6, 4))
        second = [
            parts[1](Tensor(gradient[half]), mine[0], *given[0], Tensor(r[half]), *given[1])
            for half, mine in zip(halves, first)
        ]
        (square,) = added(second, 3)
        third = [
            parts[2](mine[2], Tensor(m[half]), EPS2, BETA1, CLIP, square, (6, 4), True)
            for half, mine in zip(halves, second)
        ]
        sums, total = added(third, 2, 3), Tensor([ur.sum()])
        settings = Tensor(uc), DECAY, LR, BETA3, total
        fourth = [
            parts[3](Tensor(weight[half]), mine[0], Tensor(ur[half]), *settings, mine[1], *sums, (6, 4))
            for half, mine in zip(halves, third)
        ]
        for half, mine, moment, averages in zip(halves, fourth, third, second):
            weight[half], ur[half], m[half], r[half] = (
                one.asnumpy() for one in (mine[0], mine[1], moment[0], averages[0])
            )
        c, uc = second[0][1].asnumpy(), fourth[0][2].asnumpy()
    np.testing.assert_allclose(weight, expected.weight, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ur, expected.ur, rtol=1e-4, atol=1e-8)


def test_types_of_the_parts_of_came():
    """What MindSpore infers, too."""
    half, one = Tensor(GRADIENTS[0], ms.float16), Tensor([1.0])
    sums = auto_generate.ApplyCamePart1()(half, 1e-3)
    assert [(x.shape, x.dtype) for x in sums] == [((6,), ms.float32), ((4,), ms.float32), ((), ms.float32)]
    found = auto_generate.ApplyCamePart2()(half, *sums[:2], one, half[:, 0], half[0], 0.5)
    assert [x.shape for x in found] == [(6,), (4,), (6, 4), (1,)]
    assert [x.dtype for x in found] == [ms.float16, ms.float16, ms.float32, ms.float32]
    found = auto_generate.ApplyCamePart3()(half, half, 0.8, 0.5, 0.5, one, None, True)
    assert [(x.shape, x.dtype) for x in found[::3]] == [((6, 4), ms.float16), ((), ms.float32)]


x = Tensor(WEIGHT)
ERRORS = [
    (lambda g: g.ApplyAdamW()(x, x, x, 1.0, 1.0, LR, DECAY, BETA1, BETA2, EPS, x, x), ValueError, "'max_grad_norm'"),
    (lambda g: g.ApplyAdamW()(x, x, x, 1.0, 1.0, LR, DECAY, BETA1, BETA2, EPS, x, None, True), ValueError, "'amsgrad'"),
    (lambda g: g.ApplyAdamW()(x, x, x, "1", 1.0, LR, DECAY, BETA1, BETA2, EPS, x), TypeError, "'beta1_power'"),
    (lambda g: g.AdamW()(WEIGHT, x, x, x, x, 1, LR, BETA1, BETA2, DECAY, EPS), TypeError, "'var' must be a Tensor"),
    (lambda g: g.ApplyCamePart1()(x[0], 0.1), ValueError, "'grad' must have 2 dimensions"),
    (lambda g: g.ApplyCamePart2()(x[None], x, x, x, x, x, 0.1), ValueError, "'grad' must have 2 dimensions"),
    (lambda g: g.ApplyCamePart2()(x, x[:, 0], x[0], x[0, :1], x[:, 0], x[0], 0.1, None, (6,)), ValueError, "two ints"),
    (lambda g: g.ApplyCamePart3()(x, x, 0.1, 0.1, 0.1, x[0, :1]), NotImplementedError, "'use_first_moment'"),
    (lambda g: g.ApplyCamePart3()(x[0], x, 0.1, 0.1, 0.1, x[0, :1], None, True), ValueError, "'u' must have 2"),
    (lambda g: g.ApplyCamePart4()(x[0], x, x, x, 0.1, 0.1, 0.1, None, x, x, x), ValueError, "'param' must have 2"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), ERRORS, ids=[f"{i} {row[2]}" for i, row in enumerate(ERRORS)])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(auto_generate)
