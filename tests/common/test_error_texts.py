"""The table of texts of torch's errors: each of them is what the installed torch says of a mistake."""

from __future__ import annotations

import re

import pytest
import torch
import torch.nn.functional as F

from torchspore.common.private_torch import error_texts

x, i, b = torch.ones(2, 3), torch.ones(2, 3, dtype=torch.int32), torch.ones(2, 3, dtype=torch.bool)
u = torch.ones(2, dtype=torch.uint64)
at = torch.full((1, 1), 9)


def saved():
    result = torch.ones(2, requires_grad=True).exp()
    result.add_(1).sum().backward()


MISTAKES = [
    ("NO_KERNEL", "u + u"),
    ("NO_KERNEL", "u + i[0, :2]"),
    ("NO_KERNEL", "torch.linalg.inv(torch.eye(2).half())"),
    ("NO_KERNEL", "torch.arange(3, dtype=torch.uint64)"),
    ("NO_RULE", "torch.vmap(lambda x: x.item())(x[0])"),
    ("NO_RULE", "torch.vmap(lambda x: x.data_ptr())(x[0])"),
    ("BOOLS_OR_NUMBERS_IN_PLACE", "i.clone().add_(1.5)"),
    ("BOOLS_OR_NUMBERS_IN_PLACE", "b.clone().sub_(b)"),
    ("BOOLS_OR_NUMBERS_IN_PLACE", "i.clone().sub_(2, alpha=True)"),
    ("BOOLS_OR_NUMBERS_IN_PLACE", "u.clone().div_(u, rounding_mode='floor')"),
    ("BEYOND", "i.clone().fill_(2**40)"),
    ("BEYOND", "torch.ones(2, dtype=torch.float16).clamp(1e9)"),
    ("BEYOND_64_BITS", "torch.full((2,), 2**70)"),
    ("DIVISION_BY_ZERO", "torch.div(i, 0 * i, rounding_mode='floor')"),
    ("DIVISION_BY_ZERO", "torch.remainder(i, 0 * i)"),
    ("OUT_OF_RANGE", "torch.gather(x, 0, at)"),
    ("OUT_OF_RANGE", "x.scatter(0, at, x)"),
    ("OUT_OF_RANGE", "x.index_select(1, at[0])"),
    ("OUT_OF_RANGE", "torch.take(x, at)"),
    ("OUT_OF_RANGE", "x.index_put((at,), x[0])"),
    ("OUT_OF_RANGE", "x.index_add(0, at[0], x[:1])"),
    ("OF_INDEX", "F.embedding(at, x)"),
    ("LABEL", "F.nll_loss(x, at[0].expand(2))"),
    ("NEGATIVE_COUNTED", "torch.bincount(-i[0])"),
    ("TOO_FEW_ELEMENTS", "x.masked_scatter(b, x[0])"),
    ("NOT_PROBABILITIES", "F.binary_cross_entropy(x, 2 * x)"),
    ("NOT_WEIGHTS", "torch.multinomial(-x, 1)"),
    ("NOT_WEIGHTS", "torch.multinomial(0 * x, 1)"),
    ("CHANNELS", "F.batch_norm(x, x[0, :2], x[0, :2])"),
    ("WRITTEN_SINCE", "saved()"),
    ("OF_NUMBERS", "F.interpolate(x, 2)"),
    ("OF_NUMBERS", "F.conv2d(x[None], x[None, None], groups=-1)"),
    ("ABOUT_TYPES", "torch.matmul(x, i.mT)"),
    ("ABOUT_TYPES", "torch.logit(i.long().to(torch.complex64))"),
    ("ABOUT_TYPES", "F.conv2d(x[None, None], i[None, None])"),
    ("ABOUT_TYPES", "torch.nn.functional.prelu(x, 1)"),
    ("ABOUT_SHAPES", "x + x[:, :2]"),
    ("ABOUT_SHAPES", "x.reshape(5)"),
    ("ABOUT_SHAPES", "torch.stack([])"),
    ("ABOUT_SHAPES", "torch.linalg.inv(x)"),
    ("ABOUT_SHAPES", "F.max_pool2d(x[None, None], 2, padding=2)"),
    ("ABOUT_SHAPES", "torch.nn.GroupNorm(2, 3)(x)"),
    ("ANOTHER_DTYPE", "torch.matmul(x, x.double().mT)"),
]
UNSEEN = {"NOT_CUT", "GPU_HAS_STOPPED"}  # of several processes, of a GPU


@pytest.mark.parametrize(("name", "expression"), MISTAKES)
def test_torch_says_so(name, expression):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        eval(expression, {**globals(), "F": F})
    assert error_texts.says(caught.value, getattr(error_texts, name)), str(caught.value)


def test_all_are_seen():
    texts = {name for name, value in vars(error_texts).items() if isinstance(value, re.Pattern)}
    assert texts - {name for name, _ in MISTAKES} == UNSEEN
