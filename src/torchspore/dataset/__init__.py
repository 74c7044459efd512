"""Datasets: sources, operations, samplers and transforms.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.dataset import (
    audio,
    config,
    selecting,  # noqa: F401 - it attaches methods to Dataset
    text,
    transforms,
    vision,
)
from torchspore.dataset.batching import (
    BatchDataset,  # noqa: F401 - annotations say `dataset.BatchDataset`
    BatchInfo,
)
from torchspore.dataset.callbacks import (
    DSCallback,
)
from torchspore.dataset.combining import (
    zip,
)
from torchspore.dataset.dataset import (
    Dataset,
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
from torchspore.dataset.text.enums import (
    Implementation,  # noqa: F401 - programs note it in transforms
)
from torchspore.dataset.text_corpora import (
    AGNewsDataset,
    AmazonReviewDataset,
    CoNLL2000Dataset,
    DBpediaDataset,
    EnWik9Dataset,
    Multi30kDataset,
    PennTreebankDataset,
    SogouNewsDataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from torchspore.dataset.text_files import (
    CLUEDataset,
    CSVDataset,
    IMDBDataset,
    TextFileDataset,
)
from torchspore.dataset.text_talks import (
    IWSLT2016Dataset,
    IWSLT2017Dataset,
)

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "BatchInfo",
    "BuiltinSampler",
    "CLUEDataset",
    "CSVDataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CoNLL2000Dataset",
    "DBpediaDataset",
    "DSCallback",
    "Dataset",
    "DictIterator",
    "DistributedSampler",
    "EnWik9Dataset",
    "FakeImageDataset",
    "GeneratorDataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "ImageFolderDataset",
    "IterSampler",
    "MappableDataset",
    "MnistDataset",
    "Multi30kDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "PennTreebankDataset",
    "RandomSampler",
    "SQuADDataset",
    "SST2Dataset",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "SogouNewsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TextFileDataset",
    "TupleIterator",
    "UDPOSDataset",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "audio",
    "config",
    "text",
    "transforms",
    "vision",
    "zip",
]

_suggest_names(globals())
