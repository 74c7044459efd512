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
from torchspore.dataset.published.captions import *
from torchspore.dataset.published.digits import *
from torchspore.dataset.published.faces import *
from torchspore.dataset.published.pairs import *
from torchspore.dataset.published.pictures import *
from torchspore.dataset.published.scenes import *
from torchspore.dataset.published.speech import *
from torchspore.dataset.samplers import *
from torchspore.dataset.schema import Schema
from torchspore.dataset.sources import *
from torchspore.dataset.text.enums import (
    Implementation,  # noqa: F401 - programs note it in transforms
)
from torchspore.dataset.text_corpora import *
from torchspore.dataset.text_files import *
from torchspore.dataset.text_talks import *

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "BatchInfo",
    "BuiltinSampler",
    "CLUEDataset",
    "CMUArcticDataset",
    "CSVDataset",
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CityscapesDataset",
    "CoNLL2000Dataset",
    "CocoDataset",
    "DBpediaDataset",
    "DIV2KDataset",
    "DSCallback",
    "Dataset",
    "DictIterator",
    "DistributedSampler",
    "EMnistDataset",
    "EnWik9Dataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "GTZANDataset",
    "GeneratorDataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "ImageFolderDataset",
    "IterSampler",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LJSpeechDataset",
    "LSUNDataset",
    "LibriTTSDataset",
    "ManifestDataset",
    "MappableDataset",
    "MnistDataset",
    "Multi30kDataset",
    "NumpySlicesDataset",
    "OmniglotDataset",
    "PKSampler",
    "PaddedDataset",
    "PennTreebankDataset",
    "PhotoTourDataset",
    "Places365Dataset",
    "QMnistDataset",
    "RandomDataset", "RandomSampler",
    "RenderedSST2Dataset",
    "SBDataset",
    "SBUDataset",
    "SQuADDataset",
    "SST2Dataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "Sampler",
    "Schema",
    "SemeionDataset",
    "SequentialSampler",
    "Shuffle",
    "SogouNewsDataset",
    "SpeechCommandsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TedliumDataset",
    "TextFileDataset",
    "TupleIterator",
    "UDPOSDataset",
    "USPSDataset",
    "VOCDataset",
    "WIDERFaceDataset",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "YesNoDataset",
    "audio",
    "config",
    "text",
    "transforms",
    "vision",
    "zip",
]  # fmt: skip

_suggest_names(globals())
