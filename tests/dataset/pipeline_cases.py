"""Expressions over pipelines, which `tests/data/record_dataset.py` ran under MindSpore.

Names: `ds` is `dataset`, `np` NumPy, and those below.
"""

from __future__ import annotations

import numpy as np

# ruff: noqa: E501
PIPELINES = """
rows(two().map(lambda x: x + 1))
rows(two().map(lambda x: x + 1, ['a'], ['c']))
rows(two().map(lambda x: x + 1, ['b'], ['c']))
rows(two().map(lambda x: (x + 1, x), ['b'], ['c', 'd']))
rows(two().map(lambda x, y: x + y, ['a', 'b'], ['c']))
rows(two().map(lambda x, y: (x, y), ['b', 'a']))
rows(two().map(lambda x, y: (x, y), ['b', 'a'], ['c', 'd']))
rows(two().map([lambda x: (x, x), lambda x, y: x + y], ['a']))
rows(two().map(lambda x: 3, ['a']))
rows(two().map(lambda x: [1, 2], ['a']))
rows(two().map(lambda x: 'text', ['a']))
rows(two().map(lambda x: {'k': 1}, ['a']))
rows(two().map(lambda x: x, ['a'], ['b']))
rows(two().map(lambda x: (x, x), ['a']))
rows(two().map(lambda x: x, ['a'], ['a', 'c']))
rows(two().map(lambda x: x, ['z']))
rows(two().map(lambda x: 1 / 0, ['a']))
rows(two().map(lambda x: None, ['a']))
rows(two().map(lambda x: object(), ['a']))
rows(two().map(lambda x: x, ['']))
two().map(3)
two().map(lambda x: x, 3)
two().map(lambda x: x, foo=1)
rows(two().map(lambda x: x, num_parallel_workers=2, python_multiprocessing=True))
rows(two().batch(3))
rows(two().batch(3, True))
rows(two().batch(-1))
rows(two().batch(lambda info: info.get_batch_num() + 1))
rows(two().batch(3, per_batch_map=lambda a, b, info: ([x + 1 for x in a], b), input_columns=['a', 'b']))
rows(two().batch(3, per_batch_map=lambda b, info: (np.stack(b) + info.get_batch_num() * 100,), input_columns=['b'], output_columns=['c']))
rows(two().batch(2, per_batch_map=lambda b, info: (b, b), input_columns=['b'], output_columns=['c', 'd']))
rows(two().batch(2, per_batch_map=lambda a, b, info: (b, a)))
rows(two().batch(2, per_batch_map=lambda b, info: 3, input_columns=['b']))
rows(two().batch(2, per_batch_map=lambda b, info: 1 / 0, input_columns=['b']))
rows(two().batch(2, output_columns=['z']))
rows(ragged(3).batch(2))
rows(texts().batch(2))
rows(types().batch(2))
rows(ds.GeneratorDataset([({'k': 1},), ({'k': 2},)], ['a'], shuffle=False).batch(2))
two().batch(0)
two().batch(2.5)
two().batch(2, input_columns=['a'])
epochs(ds.GeneratorDataset((i for i in range(3)), "a"), 2)
rows(ds.GeneratorDataset((i for i in range(3)), "a").repeat(2))
information(ds.GeneratorDataset(((i, i) for i in range(3)), ["a", "b"]).batch(2))
rows(ds.GeneratorDataset((i for i in range(3)), "a", num_samples=2).repeat(2))
rows(ds.GeneratorDataset((i for i in range(3)), "a", shuffle=True))
ds.GeneratorDataset((i for i in range(3)), "a", sampler=ds.SequentialSampler())
epochs(ds.GeneratorDataset(zip([1, 2, 3], [4, 5, 6]), ["a", "b"], shuffle=False), 2)
sorted(row["a"] for row in rows(ds.GeneratorDataset(zip([1, 2, 3], [4, 5, 6]), ["a", "b"])))
information(ds.GeneratorDataset(zip([1, 2, 3], [4, 5, 6]), ["a", "b"]))
ds.GeneratorDataset(zip([1], [2]), ["a", "b"], sampler=ds.SequentialSampler())
epochs(ds.GeneratorDataset(iter([1, 2]), "a"), 2)
epochs(ds.GeneratorDataset(enumerate([1, 2]), ["a", "b"]), 2)
two().map(lambda x: 1 / 0, ['a']).get_dataset_size()
two().map(lambda x: 1 / 0, ['a']).batch(3).repeat(2).get_dataset_size()
two().map(lambda x: 1 / 0, ['a'], ['c', 'd']).take(3).skip(1).get_dataset_size()
two().batch(3).batch(2).get_dataset_size()
two().batch(3).batch(2).get_col_names()
(two() + two().map(lambda x: 1 / 0, ['a'])).get_dataset_size()
ds.zip((two().take(3), two().rename(['a', 'b'], ['c', 'd']).map(lambda x: 1 / 0, ['c']))).get_dataset_size()
two().padded_batch(3, pad_info={'z': ([4], 0)}).get_dataset_size()
two().filter(lambda x: x > 1, ['a']).map(lambda x: 1 / 0, ['a']).batch(2).get_dataset_size()
two().map(lambda x: 1 / 0, ['a']).filter(lambda x: x > 1, ['a']).get_dataset_size()
two().map(lambda x: 1 / 0, ['a']).batch(lambda info: 2).get_dataset_size()
two().repeat(-1).get_dataset_size()
two().column_names
numbers(2).column_names
two().map(lambda x: x, ['a'], ['c']).children[0].column_names
rows(two().project([]))
rows(two().rename([], []))
rows(two().map(lambda x: x, []))
rows(two().map(lambda x: x, ['a'], []))
rows(two().filter(lambda x: True, []))
two().batch(2, input_columns=[])
two().batch(2, output_columns=[])
two().create_tuple_iterator([])
two().bucket_batch_by_length([], [2], [1, 1], lambda x: 1)
ds.GeneratorDataset([1], [])
ds.NumpySlicesDataset([1], [])
rows(two().map([], ['a']))
two().create_dict_iterator(num_epochs=0)
information(two())
information(two().batch(3))
information(two().batch(3, True))
information(two().batch(2).repeat(3))
information(two().repeat(3).repeat(2))
information(two().repeat())
information(two().take(100))
information(two().skip(3))
information(two().batch(lambda info: 2))
two().batch(3).output_shapes(estimate=True)
rows(ragged(3).padded_batch(2, True, pad_info={'a': ([5], -1)}))
rows(ragged(3).padded_batch(3, pad_info={'a': (None, -1)}))
rows(ragged(3).padded_batch(3, pad_info={'a': ([2], -1)}))
rows(ragged(9).bucket_batch_by_length(['a'], [3, 6], [2, 2, 2], None, {'a': ([9], -1)}))
rows(ragged(9).bucket_batch_by_length(['a'], [3, 6], [2, 2, 1], None, {'a': (None, -1)}, True))
rows(ragged(9).bucket_batch_by_length(['a'], [5], [2, 3], lambda x: len(x), {'a': ([9], 0)}, False, True))
rows(ragged(9).bucket_batch_by_length(['a'], [3, 6], [2, 2, 2]))
rows(ragged(7).bucket_batch_by_length(['a'], [3, 6], [2, 2, 1], None, {'a': ([None], -1)}, True))
ragged(9).bucket_batch_by_length(['a'], [5], [2])
rows(numbers(8).take(3))
rows(numbers(8).take(100))
rows(numbers(8).skip(6))
rows(numbers(8).skip(10))
rows(numbers(3).repeat(3).take(7))
rows(numbers(5).batch(2).repeat(2))
rows(numbers(5).repeat(2).batch(2))
numbers(8).take(0)
numbers(8).skip(-1)
numbers(8).repeat(0)
numbers(8).repeat(-2)
numbers(8).shuffle(1)
numbers(8).shuffle(2.0)
sorted(rows(numbers(8).shuffle(3)), key=str)
rows(numbers(5).zip(numbers(3).rename('a', 'b')))
rows(numbers(5).zip(numbers(3)))
ds.zip((numbers(3).rename('a', 'b'), numbers(3))).get_col_names()
ds.zip((numbers(3),))
ds.zip([numbers(3), numbers(3)])
rows(numbers(3) + numbers(2))
rows(numbers(3).concat([numbers(1), numbers(1)]))
rows(numbers(3) + numbers(2).rename('a', 'b'))
rows(numbers(3) + ds.NumpySlicesDataset({'a': [1.5]}))
rows(numbers(3) + ds.NumpySlicesDataset({'a': [[1, 2]]}))
rows(numbers(8).filter(lambda x: x % 2 == 0))
rows(numbers(8).filter(lambda x: 3))
rows(two().filter(lambda a, b: a + b > 20))
rows(two().filter(lambda b: b >= 20, ['b']))
information(numbers(8).filter(lambda x: x > 3, 'a'))
rows(two().project(['b', 'a']))
rows(two().project('b'))
rows(two().project(['b', 'b']))
rows(two().project(['c']))
rows(two().rename('a', 'x'))
rows(two().rename(['a', 'b'], ['b', 'a']))
rows(two().rename(['a'], ['x', 'y']))
rows(two().rename(['z'], ['x']))
rows(two().rename(['a'], ['b']))
[rows(part) for part in numbers(8).split([5, 3], randomize=False)]
[rows(part) for part in numbers(10).split([0.33, 0.67], randomize=False)]
[part.get_dataset_size() for part in numbers(11).split([0.5, 0.25, 0.25])]
[part.get_dataset_size() for part in numbers(8).batch(2).split([3, 1])]
sorted([row for part in numbers(8).split([5, 3]) for row in rows(part)], key=str)
numbers(8).split([5, 4])
numbers(8).split([0.5, 0.4])
numbers(8).split([-1, 9])
numbers(8).split([0.5, 4])
numbers(3).split([0.1, 0.9])
numbers(3).split([])
rows(ds.NumpySlicesDataset({'f': [2, 3]}, shuffle=False).flat_map(lambda x: numbers(int(x))))
numbers(2).flat_map(lambda x: 3)
rows(numbers(4).apply(lambda d: d.batch(2)))
numbers(4).apply(lambda d: 3)
numbers(4).apply(3)
epochs(numbers(3), 2)
epochs(numbers(3), 1, 2)
epochs(numbers(3), -1, 3)
[[x.tolist() for x in row] for row in two().create_tuple_iterator(['b'], num_epochs=1, output_numpy=True)]
list(two().create_tuple_iterator(['z'], num_epochs=1))
two().create_tuple_iterator(num_epochs='x')
len(numbers(5))
value(3)
value(2.5)
value('text')
value(b'text')
value(True)
value(np.float32(2))
value({'k': 1})
value([1, 2])
value((1, 2))
value(None)
rows(ds.GeneratorDataset([3, 4, 5], 'a', shuffle=False))
rows(ds.GeneratorDataset([3, 4, 5], 'a', shuffle=False, num_samples=2))
rows(ds.GeneratorDataset([3, 4, 5], 'a', shuffle=False, num_samples=0))
rows(ds.GeneratorDataset(Iterable(), 'a'))
rows(ds.GeneratorDataset(lambda: [(1,), (2,)], 'a', shuffle=True))
ds.GeneratorDataset(lambda: [(1,)], 'a', sampler=ds.SequentialSampler())
ds.GeneratorDataset(lambda: [(1,)], 'a', num_shards=2, shard_id=0)
ds.GeneratorDataset(3, 'a')
ds.GeneratorDataset([3, 4, 5])
ds.GeneratorDataset([3], 'a', num_samples=-1)
ds.GeneratorDataset([3], 'a', num_parallel_workers=0)
rows(ds.GeneratorDataset([3, 4, 5], ['a'], column_types=[ms.float32]))
rows(ds.GeneratorDataset([3, 4, 5], ['a'], column_types=[ms.int64], shuffle=False))
rows(ds.GeneratorDataset([3, 4, 5], 'a', batch_sampler=[[0, 1], [2]]))
rows(ds.GeneratorDataset([3, 4, 5], 'a', batch_sampler=[[0, 1], [2]], collate_fn=lambda x: (np.stack(x) + 100,)))
ds.GeneratorDataset([3, 4, 5], 'a', collate_fn=lambda x: x)
[rows(ds.GeneratorDataset(range(7), 'a', num_shards=3, shard_id=k, shuffle=False)) for k in range(3)]
[rows(ds.GeneratorDataset(range(7), 'a', num_shards=3, shard_id=k, shuffle=False, num_samples=2)) for k in range(3)]
sampled(ds.SequentialSampler(2))
sampled(ds.SequentialSampler(2, 3))
sampled(ds.SequentialSampler(0, 100))
len(sampled(ds.RandomSampler(num_samples=3)))
len(sampled(ds.RandomSampler(True, 10)))
sampled(ds.SubsetSampler([3, 1, 1]))
sampled(ds.SubsetSampler([3, 1], 1))
sampled(ds.SubsetSampler([9]))
sampled(ds.SubsetSampler([-1]))
[sampled(ds.DistributedSampler(3, k, False)) for k in range(3)]
[sampled(ds.DistributedSampler(3, k, False, offset=2)) for k in range(3)]
[sampled(ds.DistributedSampler(3, k, False, offset=0)) for k in range(3)]
[sampled(ds.DistributedSampler(3, k, False, num_samples=5)) for k in range(3)]
len(sampled(ds.WeightedRandomSampler([0, 0, 1, 0, 0, 0, 1], 5)))
len(sampled(ds.WeightedRandomSampler([0, 0, 1, 0, 0, 0, 1], 100)))
sorted(sampled(ds.WeightedRandomSampler([0, 0, 1, 0, 0, 0, 1], 2, False)))
sampled(ds.WeightedRandomSampler([0, 1.0], 5))
sampled(ds.IterSampler([1, 3, 5], 2))
sampled([4, 2])
sampled(3)
chained()
ds.NumpySlicesDataset(([1], [2])).get_col_names()
ds.NumpySlicesDataset([[1, 2]]).get_col_names()
ds.NumpySlicesDataset({'a': [1]}, ['b']).get_col_names()
ds.NumpySlicesDataset(([1], [2]), ['a'])
rows(ds.NumpySlicesDataset({'a': [1, 2], 'b': [1]}))
ds.NumpySlicesDataset([], 'a')
ds.NumpySlicesDataset(3, 'a')
rows(ds.NumpySlicesDataset(['x', 'yy'], 'a', shuffle=False))
rows(ds.NumpySlicesDataset(([[1, 2], [3, 4]], [5, 6]), ['a', 'b'], shuffle=False))
ds.NumpySlicesDataset([1, 2], num_shards=3)
ds.NumpySlicesDataset([1, 2], num_shards=3, shard_id=3)
ds.NumpySlicesDataset([1, 2], sampler=ds.SequentialSampler(), shuffle=True)
ds.NumpySlicesDataset([1, 2], sampler=ds.SequentialSampler(), num_samples=1)
(numbers(2).is_shuffled(), ds.NumpySlicesDataset([1]).is_shuffled(), numbers(3).shuffle(2).map(lambda x: x).is_shuffled())
rows(ds.PaddedDataset([{'a': np.zeros(1)}, {'a': np.ones(1)}]))
rows(ds.PaddedDataset([{'a': None}]))
rows(ragged(3).padded_batch(2))
rows(ragged(3).padded_batch(2, pad_info={}))
rows(ragged(3).padded_batch(3, pad_info={'a': None}))
rows(ragged(3).padded_batch(3, pad_info={'a': ([4], 'x')}))
ragged(3).padded_batch(3, pad_info={'a': 3})
rows(ds.GeneratorDataset([({'k': 1},), ({'k': 2},)], ['a'], shuffle=False).padded_batch(2, pad_info={}))
two().batch(2, per_batch_map=lambda b: (b,), input_columns=['b'])
two().batch(2, per_batch_map=lambda a, b, info: (b,), input_columns=['b'])
two().batch(lambda: 2)
two().batch(lambda info, more: 2)
rows(two().batch(2, per_batch_map=lambda b, info: (None,), input_columns=['b']))
rows(two().batch(2, per_batch_map=lambda b, info: (np.array(5),), input_columns=['b']))
rows(two().batch(2, per_batch_map=lambda b, info: (5,), input_columns=['b']))
ragged(3).bucket_batch_by_length('a', [2], [1, 1])
rows(ragged(3).bucket_batch_by_length(['a'], [2], [1, 1], lambda x: -1))
rows(ragged(3).bucket_batch_by_length(['a'], [2], [1, 1], lambda x: 1.5))
rows(ragged(3).bucket_batch_by_length(['a'], [2], [3, 3], pad_info={'a': None}))
rows(ds.GeneratorDataset([], 'a'))
ds.GeneratorDataset([], 'a').get_dataset_size()
rows(ds.GeneratorDataset(lambda: iter([]), 'a'))
rows(ds.GeneratorDataset([1, 2], 'a', batch_sampler=[[0], []]))
rows(ds.GeneratorDataset([1, 2], 'a', batch_sampler=[0, 1]))
rows(ds.GeneratorDataset([1, 2], 'a', [None], shuffle=False))
ds.GeneratorDataset([1, 2], 'a', ms.int64)
ds.GeneratorDataset([1, 2], 'a', sampler=['x'])
ds.GeneratorDataset([1, 2], 'a', sampler=[1.5])
sampled([3, 1])
sampled((3, 1))
sampled(Raising())
two().create_tuple_iterator(['b']).get_col_names()
two().sync_wait('p').shuffle(2)
two().sync_wait('p').batch(2).shuffle(2)
ds.DistributedSampler(2, 5).shard_id
sampled(ds.DistributedSampler(2, 5))
sampled(ds.DistributedSampler(0, 0))
sampled(ds.DistributedSampler(2, 0, False, None, 5))
ds.SequentialSampler(-1).start_index
sampled(ds.SequentialSampler(-1))
ds.PKSampler(0).num_val
sampled(ds.PKSampler(1))
ds.NumpySlicesDataset({'label': [1]}, sampler=ds.PKSampler(1))
ds.PKSampler('x', 2)
ds.WeightedRandomSampler([0, 0]).num_samples
sampled(ds.WeightedRandomSampler([0, 0]))
sampled(ds.WeightedRandomSampler([]))
two().map(lambda x: x, ('a',))
two().map(lambda x: x, ['a'], ('a',))
two().rename(('a',), ('c',))
two().project(('a',))
two().filter(lambda x: True, ('a',))
two().map(lambda x: x, ['a'], max_rowsize=[3])
two().sync_update(3)
two().concat({})
two().rename(['z'], ['c']).get_dataset_size()
two().rename(['z'], ['c']).get_batch_size()
two().rename(['z'], ['c']).get_repeat_count()
two().rename(['z'], ['c']).num_classes()
two().rename(['z'], ['c']).output_types()
(two() + numbers(3)).get_batch_size()
rows(image(4).map(V.AdjustBrightness(1.5)))
rows(image(2).map(V.AdjustGamma(1.5)))
rows(image(4).map(V.AutoContrast()))
rows(image(4).map(V.Equalize()))
rows(image(2).map(V.Solarize(9)))
rows(image(4).map(V.RandomSolarize((9, 9))))
rows(image(4).map(V.Pad(1)))
rows(image(1).map(V.Pad(1)))
rows(image(4).map(V.PadToSize(4)))
rows(image(4).map(V.RandomCrop(1)))
rows(image(1).map(V.RandomColorAdjust((2, 2))))
rows(image(3).map(V.Grayscale()))
rows(image(3).map(V.RandomGrayscale(1.0)))
rows(two().batch(2, per_batch_map=lambda a, b, info: (a[:1], b[:1])))
rows(two().batch(2, per_batch_map=lambda a, info: ([1, 2, 3],), input_columns=['a']))
rows(two().batch(2, per_batch_map=lambda a, info: ([],), input_columns=['a']))
rows(two().batch(2, per_batch_map=lambda a, info: [a], input_columns=['a']))
rows(two().batch(2, per_batch_map=lambda a, info: (np.zeros((3, 2)),), input_columns=['a']))
rows(two().batch(2, per_batch_map=lambda a, info: ([{'x': 1}, {'y': 2}],), input_columns=['a']))
rows(two().map(lambda x: 1 + 2j, ['a']))
rows(two().map(lambda x: np.datetime64('2020-01-01'), ['a']))
rows(two().map(lambda x: np.zeros(2, [('f', int)]), ['a']))
rows(ds.GeneratorDataset([np.array([1j])], 'a'))
rows(two().map(lambda x: x, ['a'], callbacks=ds.DSCallback()))
V.HWC2CHW()([[1]])
V.ToTensor()([[1]])
V.ToPIL()([[1]])
V.Rescale(1.0, 0.0)(np.uint8(3))
"""

# Where TorchSpore differs on purpose, and why.
DIFFERENCES = {
    "rows(two().map([], ['a']))": "a wrong value: ValueError, which is also a RuntimeError",
    "two().create_dict_iterator(num_epochs=0)": "a wrong value: ValueError, which is also a RuntimeError",
    "two().map(3)": "what cannot be called is of a wrong type: TypeError",
    "rows(two().batch(-1))": "refused by `batch` itself, with a ValueError",
    "sorted([row for part in numbers(8).split([5, 3]) for row in rows(part)], key=str)": (
        "without a seed, too, the parts have no row in common"
    ),
}


def expressions():
    """Return the lines of the table."""
    return PIPELINES.strip().splitlines()


def namespace(package, ds):
    """Return the names that the expressions use."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        listed = value.tolist() if hasattr(value, "tolist") else value
        return listed.decode() if isinstance(listed, bytes) else listed

    def rows(data):
        return [plain(row) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]

    def epochs(data, num_epochs, times=None):
        iterator = data.create_dict_iterator(num_epochs=num_epochs, output_numpy=True)
        return [[plain(row) for row in iterator] for _ in range(times or num_epochs)]

    def two():
        return ds.GeneratorDataset(lambda: ((np.array([i]), np.array([i * 10])) for i in range(4)), ["a", "b"])

    def ragged(count):
        return ds.GeneratorDataset(lambda: ((np.full(i, i),) for i in range(1, count + 1)), ["a"])

    def texts():
        return ds.GeneratorDataset(lambda: ((np.array("x" * i),) for i in range(1, 4)), ["a"])

    def types():
        return ds.GeneratorDataset(lambda: ((np.ones(2, kind),) for kind in (np.float32, np.int32)), ["a"])

    def image(channels):
        return ds.NumpySlicesDataset(np.arange(4 * channels, dtype=np.uint8).reshape(1, 2, 2, channels), ["a"])

    def numbers(count):
        return ds.NumpySlicesDataset({"a": list(range(count))}, shuffle=False)

    def value(given):
        data = ds.GeneratorDataset([given, given], "a", shuffle=False)
        row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))["a"]
        return [type(row).__name__, str(getattr(row, "dtype", "")), plain(row)]

    def information(data):
        sizes = [data.get_dataset_size(), data.get_batch_size(), data.get_repeat_count()]
        return [sizes, data.get_col_names(), [str(kind) for kind in data.output_types()], data.output_shapes()]

    def sampled(sampler):
        return [row["a"] for row in rows(ds.GeneratorDataset(list(range(7)), "a", sampler=sampler))]

    def chained():
        sampler = ds.SequentialSampler(1)
        sampler.add_child(ds.SubsetSampler([1, 2, 3, 4]))
        return sampled(sampler)

    class Iterable:
        def __iter__(self):
            return iter([(np.array(i),) for i in range(3)])

    class Raising(ds.Sampler):
        def __iter__(self):
            raise ValueError("no positions")

    return {name: thing for name, thing in locals().items() if name not in ("package", "plain")} | {
        "np": np,
        "V": ds.vision,
        "ms": package,
    }
