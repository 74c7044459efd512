"""Datasets: sources, operations, samplers and transforms.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

from torchspore.dataset import (
    config,
    transforms,
    vision,
)
from torchspore.dataset.batching import (
    BatchInfo,
)
from torchspore.dataset.callbacks import (
    DSCallback,
)
from torchspore.dataset.dataset import (
    Dataset,
    zip,
)
from torchspore.dataset.files import (
    Cifar10Dataset,
    Cifar100Dataset,
    FakeImageDataset,
    ImageFolderDataset,
    MnistDataset,
)
from torchspore.dataset.iterators import (
    DictIterator,
    TupleIterator,
)
from torchspore.dataset.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from torchspore.dataset.schema import (
    Schema,
)
from torchspore.dataset.sources import (
    GeneratorDataset,
    MappableDataset,
    NumpySlicesDataset,
    PaddedDataset,
)

__all__ = [
    "BatchInfo",
    "BuiltinSampler",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "DSCallback",
    "Dataset",
    "DictIterator",
    "DistributedSampler",
    "FakeImageDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "IterSampler",
    "MappableDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "RandomSampler",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TupleIterator",
    "WeightedRandomSampler",
    "config",
    "transforms",
    "vision",
    "zip",
]
