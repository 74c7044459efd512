"""Pipelines in MindSpore's JSON form: `serialize`, `deserialize`, `show` and `compare`.

Besides what MindSpore writes, the form has the arguments of some sources and of `padded_batch`, so that these can be
read again. MindSpore ignores what it does not know.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from torch import distributed

from torchspore import log
from torchspore.dataset import config
from torchspore.dataset.outputs.written_transforms import read_transform, written_transforms
from torchspore.dataset.parameters import PadInfo, Whole, checked, take_as
from torchspore.dataset.pipeline.dataset import Dataset, SourceDataset, attach
from torchspore.dataset.pipeline.given_arguments import given_arguments
from torchspore.dataset.sampling.samplers import (
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
from torchspore.dataset.sources.records import MindDataset
from torchspore.dataset.sources.schema import Schema
from torchspore.dataset.sources.text_files import TextSource
from torchspore.dataset.steps.batching import BatchDataset, BucketBatchByLengthDataset, PaddedBatchDataset
from torchspore.dataset.steps.combining import ConcatDataset, ZipDataset
from torchspore.dataset.steps.mapping import MapDataset
from torchspore.dataset.steps.selecting import (
    FilterDataset,
    ProjectDataset,
    RenameDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    TakeDataset,
)
from torchspore.dataset.steps.syncing import SyncWaitDataset
from torchspore.engine.storage.reading import read_json
from torchspore.engine.storage.writing import replacing

__all__ = ["compare", "deserialize", "serialize", "show"]

Form = dict[str, Any]

_IN_MEMORY = "GeneratorDataset"  # of all sources whose rows lie in memory
_NAMES = {
    "EMnistDataset": "EMnistNode",
    "FakeImageDataset": "FakeImageNode",
    "GTZANDataset": "kGTZANNode",
    "MindDataset": "MindDataDataset",
    "YesNoDataset": "YesNoNode",
}
_SHUFFLES = [Shuffle.FALSE, Shuffle.FILES, Shuffle.GLOBAL, Shuffle.INFILE, Shuffle.ADAPTIVE, Shuffle.PARTIAL]
_NOT_WRITTEN = {
    "cache",
    "decrypt",
    "num_parallel_workers",
    "num_samples",
    "num_shards",
    "sampler",
    "shard_id",
    "shuffle",
}


# Writing


def _written(node: Any) -> Form:
    if isinstance(node, SourceDataset):
        own = _source(node)
    elif type(node) in _OPERATIONS:
        own = _OPERATIONS[type(node)](node)
    else:
        raise RuntimeError(f"For 'serialize', the operation {type(node).__name__.strip('_')!r} has no form in JSON.")
    return {"children": [_written(child) for child in node.children], **own}


def _working(node: Any) -> Form:
    """Return what operations with workers have."""
    workers = getattr(node, "num_parallel_workers", None) or config.get_num_parallel_workers()
    return {"connector_queue_size": config.get_prefetch_size(), "num_parallel_workers": workers}


def _source(node: Any) -> Form:
    if node._in_memory or type(node) is not _sources().get(type(node).__name__):
        workers = getattr(node, "num_parallel_workers", None) or 1
        return {**_working(node), "num_parallel_workers": workers, "op_type": _IN_MEMORY}
    name = type(node).__name__
    arguments = given_arguments(node)
    given = {key: _plain(value) for key, value in arguments.items() if key not in _NOT_WRITTEN}
    if name == "ImageFolderDataset":
        given["recursive"] = False
    if name == "TedliumDataset":
        given["extensions"] = given["extensions"] or ".sph"
    for key in given.keys() & {"class_indexing", "classes", "column_names", "extensions"}:
        given[key] = given[key] or ({} if key == "class_indexing" else [])
    for key, value in given.items():
        found = getattr(node, key, None)
        if key == "dataset_files" or (value is None and isinstance(found, (bool, int, str))):
            given[key] = found
    if name == "CLUEDataset":
        given["dataset_dir"] = given.pop("dataset_files")
    given = {key: value for key, value in given.items() if value is not None}
    return {**_working(node), **given, **_choice(node, arguments), "op_type": _NAMES.get(name, name)}


def _choice(node: Any, given: dict[str, Any]) -> Form:
    """Return what chooses and orders the rows of a source."""
    if isinstance(node, TextSource):
        return {
            "shuffle": _SHUFFLES.index(node.shuffle_level),
            "num_samples": node.num_samples or 0,
            "num_shards": node.num_shards or 1,
            "shard_id": node.shard_id or 0,
        }
    if "sampler" not in given or (isinstance(node, MindDataset) and given["sampler"] is None):
        chosen = {key: given.get(key) for key in ("shuffle", "num_samples", "num_shards", "shard_id")}
        return {key: value for key, value in chosen.items() if value is not None}
    return {"sampler": _sampler(node.sampler)}


def _plain(value: Any) -> Any:
    if isinstance(value, Schema):
        return json.loads(value.to_json())
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, (bool, int, float, str, dict)) else str(value)


def _as_json(value: Any) -> Any:
    """Return an array as a list, and what else is not plain as its text."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


def _sampler(sampler: BuiltinSampler) -> Form:
    name = type(sampler).__name__
    form: Form = {"num_samples": sampler.num_samples or 0}
    if isinstance(sampler, IterSampler):
        return {**form, "sampler_name": "SubsetSampler", "indices": [int(each) for each in sampler.sampler]}
    if not isinstance(sampler, Sampler):
        own = next(_SAMPLERS[kind] for kind in type(sampler).__mro__ if kind in _SAMPLERS)
        form |= {**own(sampler), "sampler_name": name}
    if sampler.child_sampler is not None:
        form["child_sampler"] = [_sampler(sampler.child_sampler)]
    return form


def _indices(sampler: Any) -> Form:
    return {"indices": [int(each) for each in sampler.indices[: sampler.num_samples or None]]}


def _shuffle_mode(sampler: RandomSampler | DistributedSampler) -> int:
    level = sampler.shuffle
    return _SHUFFLES.index(level if isinstance(level, Shuffle) else Shuffle.GLOBAL if level else Shuffle.FALSE)


_SAMPLERS: dict[type, Callable[[Any], Form]] = {
    BuiltinSampler: lambda sampler: {},
    SequentialSampler: lambda sampler: {"start_index": sampler.start_index},
    RandomSampler: lambda sampler: {
        "replacement": sampler.replacement, "reshuffle_each_epoch": True, "shuffle_mode": _shuffle_mode(sampler)
    },
    SubsetSampler: _indices,
    WeightedRandomSampler: lambda sampler: {
        "weights": np.asarray(sampler.weights).tolist(), "replacement": sampler.replacement
    },
    PKSampler: lambda sampler: {"num_val": sampler.num_val, "shuffle": sampler.shuffle},
    DistributedSampler: lambda sampler: {
        "num_shards": sampler.num_shards, "shard_id": sampler.shard_id, "offset": sampler.offset, "even_dist": True,
        "seed": config.get_seed() + 1, "shuffle_mode": _shuffle_mode(sampler),
    },
}  # fmt: skip


def _map(node: MapDataset) -> Form:
    columns = {"input_columns": node.input_columns, "output_columns": node.output_columns or node.input_columns}
    operations = written_transforms(node.operations)
    return {**_working(node), **columns, "op_type": "Map", "operations": operations, "callback": []}


def _batch(node: Any) -> Form:
    form = {
        **_working(node),
        "op_type": "Batch",
        "batch_size": 1 if callable(node.batch_size) else node.batch_size,
        "drop_remainder": node.drop_remainder,
        "input_columns": getattr(node, "input_columns", []),
        "output_columns": getattr(node, "output_columns", []),
    }
    if getattr(node, "per_batch_map", None) is not None:
        form["per_batch_map"] = "pyfunc"
    if isinstance(node, PaddedBatchDataset):
        form["pad_info"] = {name: list(pair) for name, pair in (node.pad_info or {}).items()}
    return form


def _concat(node: ConcatDataset) -> Form:
    sizes = [child.get_dataset_size() for child in node.children]
    return {
        "op_type": "Concat",
        "children_sizes": sizes,
        "children_flag_and_nums": [[0, size] for size in sizes],
        "children_start_end_index": [[-1, -1] for _ in sizes],
        "sampler": _sampler(node.sampler or SequentialSampler()),
    }


_OPERATIONS: dict[type, Callable[[Any], Form]] = {
    BatchDataset: _batch,
    BucketBatchByLengthDataset: lambda node: {**_working(node), "op_type": "BucketBatchByLength"},
    ConcatDataset: _concat,
    FilterDataset: lambda node: {
        "op_type": "Filter", "predicate": "pyfunc", "input_columns": node.input_columns,
        "num_parallel_workers": config.get_num_parallel_workers(),
    },
    MapDataset: _map,
    PaddedBatchDataset: _batch,
    ProjectDataset: lambda node: {"op_type": "Project", "columns": node.columns},
    RenameDataset: lambda node: {
        "op_type": "Rename", "input_columns": node.input_column_names, "output_columns": node.output_column_names
    },
    RepeatDataset: lambda node: {"op_type": "Repeat", "count": node.count},
    ShuffleDataset: lambda node: {"op_type": "Shuffle", "buffer_size": node.buffer_size, "reset_each_epoch": True},
    SkipDataset: lambda node: {"op_type": "Skip", "count": node.count},
    SyncWaitDataset: lambda node: {**_working(node), "op_type": "SyncWait"},
    TakeDataset: lambda node: {"op_type": "Take", "count": node.count},
    ZipDataset: lambda node: {**_working(node), "op_type": "Zip"},
}  # fmt: skip


# Reading


def _read(form: Any) -> Dataset:
    kind = form["op_type"]
    if kind == _IN_MEMORY or kind in ("Filter", "BucketBatchByLength", "SyncWait"):
        raise RuntimeError(f"For 'deserialize', {kind!r} cannot be read: its rows or functions are not in the file.")
    if kind in _READERS:
        return _READERS[kind](form, [_read(child) for child in form["children"]])
    names = {written: name for name, written in _NAMES.items()}
    source = _sources().get(names.get(kind, kind))
    if source is None:
        raise RuntimeError(f"For 'deserialize', there is no source or operation {kind!r:.100}.")
    return _read_source(source, form)


def _sources() -> dict[str, type]:
    def below(kind: Any) -> Iterator[Any]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    known = (kind for kind in below(SourceDataset) if kind.__module__.partition(".")[0] in ("torchspore", "mindspore"))
    return {kind.__name__: kind for kind in known}


def _read_source(source: Any, form: Form) -> Dataset:
    parameters = inspect.signature(source).parameters
    given = {key: value for key, value in form.items() if key in parameters and value not in (None, [], {})}
    if source.__name__ == "CLUEDataset":
        given["dataset_files"] = form["dataset_dir"]
    if "schema" in given and isinstance(given["schema"], dict):
        schema = given["schema"] = Schema()
        schema.from_json(form["schema"])
    if "sampler" in form:
        given["sampler"] = _read_sampler(form["sampler"])
    if "shuffle" in form:
        shuffle = form["shuffle"]
        level = _SHUFFLES[shuffle] if type(shuffle) is int else shuffle if type(shuffle) is bool else Shuffle(shuffle)
        given["shuffle"] = False if level is Shuffle.FALSE else level
    if not given.get("num_samples"):
        given.pop("num_samples", None)
    if given.get("num_shards", 1) == 1:
        given.pop("num_shards", None)
        given.pop("shard_id", None)
    dataset: Dataset = source(**given)
    return dataset


def _read_sampler(form: Form) -> BuiltinSampler:
    kinds: list[type] = [
        SequentialSampler, RandomSampler, SubsetSampler, SubsetRandomSampler, WeightedRandomSampler, PKSampler,
        DistributedSampler,
    ]  # fmt: skip
    kind: Any = {each.__name__: each for each in kinds}.get(form.get("sampler_name", ""))
    if kind is None:
        raise RuntimeError("For 'deserialize', a sampler of Python cannot be read: it is not in the file.")
    given = {key: value for key, value in form.items() if key in inspect.signature(kind).parameters}
    given["num_samples"] = given["num_samples"] or None
    if kind is DistributedSampler or (kind is RandomSampler and "shuffle_mode" in form):
        given["shuffle"] = _SHUFFLES[form["shuffle_mode"]]
    sampler: BuiltinSampler = kind(**given)
    for child in form.get("child_sampler", []):
        sampler.add_child(_read_sampler(child))
    return sampler


def _read_batch(form: Form, children: list[Dataset]) -> Dataset:
    if "per_batch_map" in form:
        raise RuntimeError("For 'deserialize', a 'batch' with 'per_batch_map' cannot be read: it is not in the file.")
    if "pad_info" in form:
        pad_info: PadInfo = {name: tuple(pair) for name, pair in form["pad_info"].items()}
        return PaddedBatchDataset(children[0], form["batch_size"], form["drop_remainder"], pad_info=pad_info or None)
    return BatchDataset(children[0], form["batch_size"], form["drop_remainder"], form["num_parallel_workers"])


def _read_map(form: Form, children: list[Dataset]) -> Dataset:
    operations = [read_transform(each) for each in form["operations"]]
    columns = (form["input_columns"] or None, form["output_columns"] or None)
    return MapDataset(children[0], operations, *columns, form["num_parallel_workers"])


def _read_concat(form: Form, children: list[Dataset]) -> Dataset:
    joined = ConcatDataset(children)
    sampler = _read_sampler(form["sampler"])
    if isinstance(sampler, (DistributedSampler, RandomSampler)):
        joined.use_sampler(sampler)
    return joined


_READERS: dict[str, Callable[[Form, list[Dataset]], Dataset]] = {
    "Batch": _read_batch,
    "Concat": _read_concat,
    "Map": _read_map,
    "Project": lambda form, children: ProjectDataset(children[0], form["columns"]),
    "Rename": lambda form, children: RenameDataset(children[0], form["input_columns"], form["output_columns"]),
    "Repeat": lambda form, children: RepeatDataset(children[0], form["count"]),
    "Shuffle": lambda form, children: ShuffleDataset(children[0], form["buffer_size"]),
    "Skip": lambda form, children: SkipDataset(children[0], form["count"]),
    "Take": lambda form, children: TakeDataset(children[0], form["count"]),
    "Zip": lambda form, children: ZipDataset(children),
}


def write_tuned(dataset: Any) -> None:
    """Write the file of `config.set_enable_autotune`, if one is set."""
    prefix = config.autotune_file()
    if prefix is None:
        return
    rank = distributed.get_rank() if distributed.is_available() and distributed.is_initialized() else 0
    try:
        tree = dataset.to_json()
        content = {"remark": "Nothing was tuned.", "summary": _summary(tree), "tree": tree}
        with replacing(f"{prefix}_{rank}.json") as file:
            file.write(json.dumps(content, indent=4).encode() + b"\n")
    except (OSError, RuntimeError) as error:
        log.warning(f"For 'set_enable_autotune', the file {prefix}_{rank}.json is not written: {error}")


def _summary(form: Form) -> list[str]:
    lines = [line for child in form["children"] for line in _summary(child)]
    if "connector_queue_size" in form:
        name, workers = form["op_type"].removesuffix("Dataset"), form["num_parallel_workers"]
        lines.append(f"{name}Op (num_parallel_workers: {workers}, prefetch_size: {form['connector_queue_size']})")
    return lines


# What users call


@attach("to_json")
@checked(api="to_json")
def _to_json(self: Dataset, filename: str = "") -> dict[str, Any]:
    """Return the pipeline in MindSpore's JSON form, and write it into a file.

    Functions of Python, and rows in memory, are only noted: they cannot be read again.

    Args:
        filename: the file, which is replaced. Default: "", none.

    Raises:
        RuntimeError: the file cannot be written.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.RandomDataset(3).repeat(2).to_json()["op_type"]
        'Repeat'

    MindSpore: `mindspore.dataset.Dataset.to_json`.
    """
    form: Form = json.loads(json.dumps(_written(self), sort_keys=True, default=_as_json))
    if filename:
        try:
            with replacing(filename) as file:
                file.write(json.dumps(form, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            raise RuntimeError(f"For 'to_json', the file {filename!r} cannot be written: {error}") from error
    return form


@checked
def serialize(dataset: Dataset, json_filepath: str = "") -> Form:
    """Return a pipeline in MindSpore's JSON form, and write it into a file.

    Functions of Python, and rows in memory, are only noted: they cannot be read again.

    Args:
        dataset: the pipeline.
        json_filepath: the file, which is replaced. Default: "", none.

    Raises:
        RuntimeError: the file cannot be written.

    Examples:
        >>> import torchspore.dataset as ds
        >>> form = ds.serialize(ds.FakeImageDataset(3, (2, 2, 3), shuffle=False).batch(2))
        >>> form["op_type"], form["batch_size"]
        ('Batch', 2)
        >>> ds.deserialize(form).get_dataset_size()
        2
    """
    return dataset.to_json(json_filepath)


def deserialize(input_dict: Form | str | None = None, json_filepath: str | None = None) -> Dataset | None:
    """Return the pipeline of a JSON form, written here or by MindSpore; None without one.

    Args:
        input_dict: the result of `serialize`, or the path of its file. Default: None.
        json_filepath: the file that it wrote. Default: None.

    Raises:
        RuntimeError: the file cannot be read, or has functions of Python, rows in memory, or what MindSpore does not
            write.

    Examples:
        >>> import os, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "pipeline.json")
        >>> _ = ds.serialize(ds.FakeImageDataset(3, (2, 2, 3)).repeat(2), path)
        >>> ds.deserialize(json_filepath=path).get_dataset_size()
        6
        >>> folder.cleanup()
    """
    form: Any = input_dict
    if form is None or isinstance(form, str):
        json_filepath = form or json_filepath
        if json_filepath is None:
            return None
        take_as(str, json_filepath, "json_filepath", "deserialize")
        try:
            form = read_json(json_filepath, dict)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"For 'deserialize', the file {json_filepath!r} cannot be read: {error}") from error
    try:
        return _read(form.get("tree", form))  # the pipeline, in the file of a tuned one
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RuntimeError) as error:
        where = "'input_dict'" if json_filepath is None else f"the file {json_filepath!r}"
        what = str(error).removeprefix("For 'deserialize', ")
        if isinstance(error, KeyError):
            what = f"it has no {what}"
        raise RuntimeError(f"For 'deserialize', {where} cannot be read: {what:.1000}") from error


@checked
def show(dataset: Dataset, indentation: Whole = 2) -> None:
    """Log a pipeline in JSON form, at the level of `log.info`.

    Args:
        dataset: the pipeline.
        indentation: the number of blanks for each level. Default: 2.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.show(ds.FakeImageDataset(3))
    """
    log.info(json.dumps(dataset.to_json(), indent=indentation))


@checked
def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Return whether two pipelines have the same JSON form.

    Args:
        pipeline1: a pipeline.
        pipeline2: the other one.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.FakeImageDataset(3)
        >>> ds.compare(data, ds.FakeImageDataset(3)), ds.compare(data, ds.FakeImageDataset(4))
        (True, False)
    """
    return pipeline1.to_json() == pipeline2.to_json()
