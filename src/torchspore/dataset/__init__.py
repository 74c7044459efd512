"""Datasets: sources, operations, samplers and transforms.

All check their arguments when called: TypeError for another type, ValueError for a value outside its range. The
documentation of each names only what else it raises; errors about rows are raised when the dataset is iterated.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

import typing as _typing

import torchspore.mindrecord  # noqa: F401 - before a module in it: threads may import both
from torchspore.common.names.loading import load as _load
from torchspore.common.names.missing_names import missing_name as _missing_name
from torchspore.common.names.public_names import list_public_names as _list_public_names
from torchspore.dataset import audio, config, dataloader, debug, text, transforms, utils, vision
from torchspore.dataset import inner_names as _inner_names
from torchspore.dataset.cache import DatasetCache
from torchspore.dataset.outputs import (
    saving,  # noqa: F401
    vocabularies,  # noqa: F401
)
from torchspore.dataset.outputs.items import TorchRows  # noqa: F401
from torchspore.dataset.outputs.iterators import (
    DictIterator,
    Iterator,  # noqa: F401 - the base of both, for `isinstance`
    TupleIterator,
    _cleanup,  # noqa: F401 - MindSpore calls it at the end of a process
    _get_training_dataset,  # noqa: F401 - programs with loops of their own note the data
    _set_training_dataset,  # noqa: F401
)
from torchspore.dataset.outputs.serializing import *
from torchspore.dataset.pipeline.callbacks import DSCallback
from torchspore.dataset.pipeline.dataset import Dataset, SourceDataset  # noqa: F401
from torchspore.dataset.sampling.samplers import *
from torchspore.dataset.sources.files import *
from torchspore.dataset.sources.objects import *
from torchspore.dataset.sources.published.captions import *
from torchspore.dataset.sources.published.digits import *
from torchspore.dataset.sources.published.faces import *
from torchspore.dataset.sources.published.pairs import *
from torchspore.dataset.sources.published.pictures import *
from torchspore.dataset.sources.published.scenes import *
from torchspore.dataset.sources.published.speech import *
from torchspore.dataset.sources.records import *
from torchspore.dataset.sources.schema import Schema
from torchspore.dataset.sources.text_corpora import *
from torchspore.dataset.sources.text_files import *
from torchspore.dataset.sources.text_talks import *
from torchspore.dataset.sources.tfrecords import *
from torchspore.dataset.steps.batching import (
    BatchDataset,  # noqa: F401 - programs ask `isinstance(data, dataset.BatchDataset)`, and so for other operations
    BatchInfo,
    BucketBatchByLengthDataset,  # noqa: F401
    PaddedBatchDataset,  # noqa: F401
)
from torchspore.dataset.steps.combining import ConcatDataset, ZipDataset, zip  # noqa: F401
from torchspore.dataset.steps.mapping import MapDataset  # noqa: F401
from torchspore.dataset.steps.selecting import (
    FilterDataset,  # noqa: F401
    ProjectDataset,  # noqa: F401
    RenameDataset,  # noqa: F401
    RepeatDataset,  # noqa: F401
    ShuffleDataset,  # noqa: F401
    SkipDataset,  # noqa: F401
    TakeDataset,  # noqa: F401
)
from torchspore.dataset.steps.syncing import SyncWaitDataset  # noqa: F401
from torchspore.dataset.text.enums import (
    Implementation,  # noqa: F401 - programs note it in transforms
)

__all__ = [
    "AGNewsDataset", "AmazonReviewDataset", "BatchInfo", "BuiltinSampler", "CLUEDataset", "CMUArcticDataset",
    "CSVDataset", "Caltech101Dataset", "Caltech256Dataset", "CelebADataset", "Cifar10Dataset", "Cifar100Dataset",
    "CityscapesDataset", "CoNLL2000Dataset", "CocoDataset", "DBpediaDataset", "DIV2KDataset", "DSCallback", "Dataset",
    "DatasetCache", "DictIterator", "DistributedSampler", "EMnistDataset", "EnWik9Dataset", "FakeImageDataset",
    "FashionMnistDataset",
    "FlickrDataset", "Flowers102Dataset", "Food101Dataset", "GTZANDataset", "GeneratorDataset", "IMDBDataset",
    "IWSLT2016Dataset", "IWSLT2017Dataset", "ImageFolderDataset", "IterSampler", "KITTIDataset", "KMnistDataset",
    "LFWDataset", "LJSpeechDataset", "LSUNDataset", "LibriTTSDataset", "ManifestDataset", "MappableDataset",
    "MindDataset", "MnistDataset", "Multi30kDataset", "NumpySlicesDataset", "OBSMindDataset", "OmniglotDataset",
    "PKSampler", "PaddedDataset", "PennTreebankDataset", "PhotoTourDataset", "Places365Dataset", "QMnistDataset",
    "RandomDataset", "RandomSampler", "RenderedSST2Dataset", "SBDataset", "SBUDataset", "SQuADDataset", "SST2Dataset",
    "STL10Dataset", "SUN397Dataset", "SVHNDataset", "Sampler", "Schema", "SemeionDataset", "SequentialSampler",
    "Shuffle", "SogouNewsDataset", "SpeechCommandsDataset", "SubsetRandomSampler", "SubsetSampler", "TFRecordDataset",
    "TedliumDataset", "TextFileDataset", "TupleIterator", "UDPOSDataset", "USPSDataset", "VOCDataset",
    "WIDERFaceDataset", "WeightedRandomSampler", "WikiTextDataset", "YahooAnswersDataset", "YelpReviewDataset",
    "YesNoDataset", "audio", "compare", "config", "dataloader", "debug", "deserialize", "serialize", "show", "text",
    "transforms", "utils", "vision", "zip",
]  # fmt: skip

# MindSpore divides datasets by what they hold, and has most operations and sources in all of these classes.
AudioBaseDataset = TextBaseDataset = UnionBaseDataset = VisionBaseDataset = Dataset


if _typing.TYPE_CHECKING:
    WaitedDSCallback: _typing.Any
else:

    def __getattr__(name: str) -> _typing.Any:
        if name == "WaitedDSCallback":  # imported when it is asked for: trainings import datasets
            return _load("torchspore.train.callback.waited").WaitedDSCallback
        if name in _inner_names.__all__:
            return getattr(_inner_names, name)
        raise _missing_name(globals(), name, also=["WaitedDSCallback"])


_list_public_names(globals())
