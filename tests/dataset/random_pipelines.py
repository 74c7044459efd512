"""Pipelines drawn at random, whose functions draw random numbers in every way that users know."""

from __future__ import annotations

import functools
import random
import types
from random import random as raw_random

import numpy as np
import torch
from numpy.random import randn

import torchspore.dataset as ds
from torchspore.dataset import transforms

CALLER = {"python_multiprocessing": False}
THREADS = {"num_parallel_workers": 3, "python_multiprocessing": False}
PROCESSES = {"num_parallel_workers": 3, "python_multiprocessing": True}


class Holder:
    """A transform that holds a generator."""

    def __init__(self, generator):
        self.generator = generator

    def __call__(self, x):
        return x + self.generator.random()


class Slotted:
    """One that holds it in a slot, in a list."""

    __slots__ = ("generators",)

    def __init__(self):
        self.generators = [np.random.default_rng(4), np.random.Generator(np.random.MT19937(3))]

    def __call__(self, x):
        return x + sum(each.normal() for each in self.generators)


def closed_over(generator, name):
    def noisy(x):
        return x + getattr(generator, name)()

    return noisy


def seeds_itself(x):
    np.random.seed(int(abs(x)) % 1000)
    random.seed(int(abs(x)) % 1000)
    return x + np.random.rand() + random.random()


def seldom(x):
    return x + np.random.rand() if int(abs(x)) % 3 == 0 else x


def many(x):
    return x + np.random.standard_normal(50).sum() + np.random.randint(10, size=7).sum() + random.sample(range(9), 2)[0]


def of_torch(generator):
    return lambda x: x + torch.rand((), generator=generator, dtype=torch.float64).item()


def by_torch(x):
    return x + torch.nn.functional.dropout(torch.ones(8, dtype=torch.float64)).sum().item()


def inner(x):
    data = ds.NumpySlicesDataset(np.arange(3), ["y"], shuffle=True).map(lambda y: y + np.random.rand())
    np.random.rand()
    return x + sum(
        row[0] * 2**place for place, row in enumerate(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    )


module = types.ModuleType("a_module")
module.inner = types.ModuleType("a_module.inner")
module.inner.generator = np.random.default_rng(7)

FUNCTIONS = {
    "held, module": lambda: lambda x: x + module.inner.generator.random(),
    "nothing": lambda: lambda x: x * 2,
    "numpy": lambda: lambda x: x + np.random.randint(1000) + np.random.normal(),
    "numpy by name": lambda: lambda x: x + randn() + randn(),
    "python": lambda: lambda x: x + random.random() + random.gauss(0, 1) + random.choice([1, 2, 3]),
    "python by name": lambda: lambda x: x + raw_random(),
    "both": lambda: many,
    "fresh": lambda: lambda x: x + np.random.default_rng().random() + np.random.RandomState().rand(),
    "seeds itself": lambda: seeds_itself,
    "seldom": lambda: seldom,
    "held": lambda: Holder(np.random.default_rng(3)),
    "held, legacy": lambda: closed_over(np.random.RandomState(3), "randn"),
    "held, python's": lambda: Holder(random.Random(5)),
    "held, bound": lambda: functools.partial(lambda draw, x: x + draw(), np.random.default_rng(8).normal),
    "held, slots": Slotted,
    "torch's": lambda: by_torch,
    "held, torch's": lambda: of_torch(torch.Generator().manual_seed(3)),
    "ours": lambda: transforms.RandomApply([lambda x: x + np.random.rand()], 0.5),
    "ours around held": lambda: transforms.RandomApply([Holder(np.random.default_rng(6))], 0.5),
    "held, namespace": lambda: closed_over(types.SimpleNamespace(draw=np.random.default_rng(6).random), "draw"),
    "an iterator": lambda: lambda x: x + sum(1 for _ in range(random.randrange(5))),
}
COSTLY = {"a pipeline inside": lambda: inner}


class Noisy:
    """A source with random access that draws."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return (np.float64(index) + np.random.rand(),)


class Choice(ds.Sampler):
    """A sampler that draws."""

    def __init__(self):
        super().__init__()
        self.generator = np.random.default_rng(3)

    @classmethod
    def drawn(cls, size):
        """Return what draws like it."""
        chosen = cls()
        chosen.dataset_size = size
        return chosen

    def __iter__(self):
        yield from np.random.permutation(self.dataset_size)[:5]
        yield from self.generator.permutation(self.dataset_size)[:4]


def counted(size):
    for value in range(size):
        yield (np.float64(value),)


def source(draw, size, options):
    kind = draw.randrange(6)
    values = np.arange(size, dtype=np.float64)
    if kind == 0:
        options = {"num_parallel_workers": 3, **options}  # one worker would draw what the program draws next
        return ds.GeneratorDataset(Noisy(size), ["x"], shuffle=draw.random() < 0.5, **options)
    if kind == 1:
        return ds.GeneratorDataset(functools.partial(counted, size), ["x"])
    if kind == 2:
        return ds.NumpySlicesDataset(values, ["x"], sampler=Choice())
    if kind == 3:
        return ds.NumpySlicesDataset(values, ["x"], sampler=ds.RandomSampler(replacement=True, num_samples=size))
    if kind == 4:
        return ds.NumpySlicesDataset(values, ["x"], num_shards=2, shard_id=draw.randrange(2))
    return ds.NumpySlicesDataset(values, ["x"], shuffle=draw.random() < 0.7)


def mapped(draw, data, options, costly):
    table = FUNCTIONS | COSTLY if costly and draw.random() < 0.05 else FUNCTIONS
    names = [draw.choice(list(table)) for _ in range(draw.choice([1, 1, 2]))]
    return data.map([table[name]() for name in names], ["x"], **options)


def stage(draw, data, options, costly):
    kind = draw.randrange(9)
    if kind < 4:
        return mapped(draw, data, options, costly)
    if kind == 4:
        return data.shuffle(draw.randrange(2, 9))
    if kind == 5:
        return data.repeat(draw.randrange(1, 4))
    if kind == 6:
        return data.take(draw.randrange(3, 30)).skip(draw.randrange(2))
    if kind == 7:
        return data.filter(lambda x: np.random.rand() < 0.8, ["x"])
    if draw.random() < 0.5:
        joined = data + source(draw, 4, options)
        is_split = draw.random() < 0.3 and joined._count() is not None  # otherwise the parts would be random
        return joined.split([0.6, 0.4], randomize=False)[draw.randrange(2)] if is_split else joined
    other = mapped(draw, source(draw, 9, options), options, False).rename("x", "y")
    return ds.zip((data, other)).map(lambda x, y: x + y / 7, ["x", "y"], ["x"], **options)


def batches(draw, data, options):
    kind = draw.randrange(6)
    if kind == 0:
        return data
    if kind == 4:
        return data.padded_batch(draw.randrange(1, 5), pad_info={}).shuffle(3)
    if kind == 5:
        return data.bucket_batch_by_length(["x"], [2, 4], [2, 3, 1], lambda x: int(abs(x)) % 5 + random.randrange(2))
    if kind == 1:
        return data.batch(draw.randrange(1, 5))
    if kind == 2:
        return data.batch(lambda info: 1 + random.randrange(3))
    hold = np.random.default_rng(1) if draw.random() < 0.3 else np.random

    def noisy(values, info):
        return ([value + hold.normal() + random.random() for value in values],)

    return data.batch(draw.randrange(1, 5), per_batch_map=noisy, input_columns=["x"], **options)


def pipeline(seed, options, costly=True, batched=True):
    """Return the pipeline of a seed: the same one for all options."""
    draw = random.Random(seed)
    data = source(draw, draw.randrange(6, 20), options)
    for _ in range(draw.randrange(1, 5)):
        data = stage(draw, data, options, costly)
    return batches(draw, data, options) if batched else data


def shown(rows):
    return [np.asarray(row[0]).tolist() for row in rows]
