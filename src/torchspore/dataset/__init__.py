"""Datasets: sources, operations, samplers and transforms.

All check their arguments when called: TypeError for another type, ValueError for a value outside its range. The
documentation of each names only what else it raises; errors about rows are raised when the dataset is iterated.

MindSpore: `mindspore.dataset`.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.dataset import (
    audio,
    config,
    saving,  # noqa: F401 - it attaches a method to Dataset
    selecting,  # noqa: F401 - it attaches methods to Dataset
    syncing,  # noqa: F401 - likewise
    text,
    transforms,
    vision,
)
from torchspore.dataset.batching import (
    BatchDataset,  # noqa: F401 - annotations say `dataset.BatchDataset`
    BatchInfo,
)
from torchspore.dataset.callbacks import DSCallback
from torchspore.dataset.combining import zip
from torchspore.dataset.dataset import Dataset
from torchspore.dataset.files import *
from torchspore.dataset.iterators import DictIterator, TupleIterator
from torchspore.dataset.records import *
from torchspore.dataset.samplers import *
from torchspore.dataset.schema import Schema
from torchspore.dataset.sources import *
from torchspore.dataset.text.enums import (
    Implementation,  # noqa: F401 - programs note it in transforms
)
from torchspore.dataset.text_corpora import *
from torchspore.dataset.text_files import *
from torchspore.dataset.text_talks import *
from torchspore.dataset.tfrecords import *

__all__ = [
    "AGNewsDataset", "AmazonReviewDataset", "BatchInfo", "BuiltinSampler", "CLUEDataset", "CSVDataset",
    "Cifar10Dataset", "Cifar100Dataset", "CoNLL2000Dataset", "DBpediaDataset", "DSCallback", "Dataset",
    "DictIterator", "DistributedSampler", "EnWik9Dataset", "FakeImageDataset", "GeneratorDataset", "IMDBDataset",
    "IWSLT2016Dataset", "IWSLT2017Dataset", "ImageFolderDataset", "IterSampler", "MappableDataset", "MindDataset",
    "MnistDataset", "Multi30kDataset", "NumpySlicesDataset", "OBSMindDataset", "PKSampler", "PaddedDataset",
    "PennTreebankDataset", "RandomSampler", "SQuADDataset", "SST2Dataset", "Sampler", "Schema",
    "SequentialSampler", "Shuffle", "SogouNewsDataset", "SubsetRandomSampler", "SubsetSampler", "TFRecordDataset",
    "TextFileDataset", "TupleIterator", "UDPOSDataset", "WeightedRandomSampler", "WikiTextDataset",
    "YahooAnswersDataset", "YelpReviewDataset", "audio", "config", "text", "transforms", "vision", "zip",
]  # fmt: skip

_suggest_names(globals())
