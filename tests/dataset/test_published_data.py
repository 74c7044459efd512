"""Sources of published data sets: their rows are MindSpore's, recorded from the same small folders."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import random
from typing import Any

import numpy as np
import pytest

import fuzz
import torchspore.dataset as ds
from dataset.published_folders import CASES, FOLDERS, arguments_of, made, read

pytest.importorskip("PIL")
pytest.importorskip("scipy")

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "data" / "published_data.json").read_text())

# MindSpore takes these rows in the order in which a folder or several files happen to be read.
ANY_ORDER = {"GTZANDataset", "USPSDataset"}
# MindSpore reads the waveform of these small files as zeros.
NOT_COMPARED = {"TedliumDataset": [0]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("published")
    return {name: made(name, root) for name in FOLDERS}


@pytest.mark.parametrize("number", range(len(CASES)))
def test_rows_are_mindspores(folders, number):
    name, folder, arguments = CASES[number]
    recorded_name, recorded_arguments, expected = RECORDED[number]
    assert (name, arguments) == (recorded_name, recorded_arguments)
    found = json.loads(json.dumps(read(ds, name, folders[folder], arguments)))
    for result in (found, expected):
        for row in result["rows"]:
            for column in NOT_COMPARED.get(name, []):
                row[column] = None
        if name in ANY_ORDER:
            result["rows"].sort(key=str)
    if name in ANY_ORDER and expected["size"] > 9:
        found["rows"] = expected["rows"] = []
    assert found == expected


def test_all_cases_are_recorded():
    assert len(RECORDED) == len(CASES)


@pytest.mark.parametrize("name", sorted({(name, folder) for name, folder, _ in CASES}))
def test_pipelines_over_them(folders, name):
    """Shards, samplers, workers and batches are the rows of the plain data set."""
    name, folder = name
    arguments = next(each for case, at, each in CASES if (case, at) == (name, folder))
    given = arguments_of(name, folders[folder], arguments)

    def first_column(**more):
        data = getattr(ds, name)(**{**given, **more})
        return [np.asarray(row[0]).tobytes() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    rows = first_column()[:300]
    assert first_column(num_parallel_workers=3)[:300] == rows
    assert first_column(num_samples=1) == rows[:1]
    assert sorted(first_column(shuffle=True)) == sorted(first_column())
    shards = [first_column(num_shards=2, shard_id=shard) for shard in range(2)]
    assert set(shards[0]) | set(shards[1]) == set(first_column())
    if name != "USPSDataset":
        assert first_column(shuffle=None, sampler=ds.SubsetSampler([0])) == rows[:1]


def damaged(folder: pathlib.Path, choice: random.Random) -> None:
    """Damage a file of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = choice.choice(files)
    content = path.read_bytes()
    position = choice.randrange(len(content) + 1)
    kinds = {
        "cut": lambda: path.write_bytes(content[:position]),
        "noise": lambda: path.write_bytes(content[:position] + choice.randbytes(9) + content[position + 9 :]),
        "words": lambda: path.write_bytes(content[:position] + b" -1 999999999999 \n{[x" + content[position:]),
        "empty": lambda: path.write_bytes(b""),
        "gone": path.unlink,
        "folder": lambda: (path.unlink(), path.mkdir()),
        "pipe": lambda: (path.unlink(), os.mkfifo(path)),
    }
    kinds[choice.choice(list(kinds))]()


@pytest.mark.parametrize("folder", sorted(set(FOLDERS) - {"QMnistDataset", "PhotoTourDataset"}))
def test_damaged_folders_are_named_or_read(tmp_path, folder):
    """A file that is cut, changed, missing or something else: RuntimeError or ValueError with the source's name."""
    for number in fuzz.seeds(4):
        choice = random.Random(f"{folder} {number}")
        root = tmp_path / str(number)
        root.mkdir()
        where = made(folder, root)
        damaged(where, choice)
        name, _, arguments = choice.choice([case for case in CASES if case[1] == folder])
        assert outcome(name, where, arguments).startswith(("read", f"For '{name}', ")), (name, number)


def outcome(name: str, where: pathlib.Path, arguments: dict[str, Any]) -> str:
    """Return "read", or the text of the error that a user may see."""
    try:
        read(ds, name, where, arguments)
    except (RuntimeError, ValueError) as error:
        return str(error)
    return "read"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda folder: ds.KMnistDataset(folder, "val"), ValueError, "'usage' must be one of"),
        (lambda folder: ds.EMnistDataset(folder, "greek"), ValueError, "'name' must be one of"),
        (lambda folder: ds.QMnistDataset(folder, compat=1), TypeError, "'compat' must be a bool"),
        (lambda folder: ds.KMnistDataset(f"{folder}/none"), ValueError, "'dataset_dir' must be a folder"),
        (lambda folder: ds.KMnistDataset(3), TypeError, "'dataset_dir' must be a string or a path"),
        (lambda folder: ds.Food101Dataset(folder, decode="yes"), TypeError, "'decode' must be a bool"),
        (lambda folder: ds.Food101Dataset(folder).get_dataset_size(), RuntimeError, "cannot be read as that data set"),
        (lambda folder: ds.Caltech101Dataset(folder, "both"), ValueError, "'target_type' must be one of"),
        (lambda folder: ds.DIV2KDataset(folder, scale=8, downgrade="wild"), ValueError, "'scale' must be one of"),
        (lambda folder: ds.LSUNDataset(folder, classes="bedroom"), TypeError, "'classes' must be a list of strings"),
        (lambda folder: ds.CocoDataset(folder, f"{folder}/no.json"), ValueError, "'annotation_file' must be a file"),
        (lambda folder: ds.VOCDataset(folder, usage="later"), ValueError, "'usage' must be a file"),
        (lambda folder: ds.CityscapesDataset(folder, "test", "coarse"), ValueError, "'usage' must be one of"),
        (
            lambda folder: ds.CelebADataset(folder, extensions=".jpg"),
            TypeError,
            "'extensions' must be a list of strings",
        ),
        (lambda folder: ds.LFWDataset(folder, image_set="small"), ValueError, "'image_set' must be one of"),
        (lambda folder: ds.TedliumDataset(folder, "release3", "dev"), ValueError, "'usage' must be one of"),
        (lambda folder: ds.TedliumDataset(folder, "release4"), ValueError, "'release' must be one of"),
        (lambda folder: ds.ManifestDataset(f"{folder}/a"), ValueError, "'dataset_file' must be a file"),
        (lambda folder: ds.YesNoDataset(folder).get_dataset_size(), RuntimeError, "must have files of that data set"),
        (lambda folder: ds.PhotoTourDataset(folder, "paris"), ValueError, "'name' must be one of"),
        (lambda folder: ds.KMnistDataset(folder, cache=3), TypeError, "'cache' must be a DatasetCache"),
        (lambda folder: ds.RandomDataset(0), ValueError, "'total_rows' must be in .1, 2147483647."),
    ],
)
def test_wrong_arguments(tmp_path, call, error, words):
    with pytest.raises(error, match=words):
        call(str(tmp_path))


def test_file_names_are_shown_when_renamed(folders):
    data = ds.VOCDataset(str(folders["VOCDataset"]), shuffle=False, extra_metadata=True)
    assert data.get_col_names() == ["image", "target", "_meta-filename"]
    assert len(next(data.create_tuple_iterator(num_epochs=1))) == 2
    named = data.rename("_meta-filename", "name")
    assert [str(row["name"]) for row in named.create_dict_iterator(num_epochs=1, output_numpy=True)] == ["3", "1"]


def test_class_indexing(folders):
    coco = str(folders["CocoDataset"])
    assert ds.CocoDataset(f"{coco}/images", f"{coco}/instances.json").get_class_indexing() == {"cat": [3], "tree": [1]}
    panoptic = ds.CocoDataset(f"{coco}/images", f"{coco}/panoptic.json", "Panoptic")
    assert panoptic.get_class_indexing() == {"cat": [3, 0], "tree": [1, 1]}
    voc = str(folders["VOCDataset"])
    assert ds.VOCDataset(voc, "Detection").get_class_indexing() == {"cat": 0, "dog": 1}
    with pytest.raises(NotImplementedError, match="'get_class_indexing' is there for the task 'Detection'"):
        ds.VOCDataset(voc).get_class_indexing()
    flowers = ds.Flowers102Dataset(str(folders["Flowers102Dataset"])).get_class_indexing()
    assert (len(flowers), flowers["globe-flower"]) == (102, 15)


def test_arguments_that_are_set_later_count(folders):
    coco, voc = str(folders["CocoDataset"]), str(folders["VOCDataset"])
    data = ds.VOCDataset(voc)
    data.task = "Detection"
    assert data.get_class_indexing() == {"cat": 0, "dog": 1}
    assert data.get_col_names() == ds.VOCDataset(voc, "Detection").get_col_names()
    with pytest.raises(ValueError, match="'usage' must be a file"):
        data.usage = "later"
    data = ds.CocoDataset(f"{coco}/images", f"{coco}/panoptic.json", "Panoptic", shuffle=False)
    data.sampler = ds.SequentialSampler(0, 1)
    data.extra_metadata = True
    assert data.get_col_names()[-1] == "_meta-filename"
    assert len(list(data.create_tuple_iterator(num_epochs=1))) == 1


def labels(data):
    return [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_numbers_of_classes_may_be_negative(tmp_path, folders):
    for name in ("a/1", "a/2", "b/1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    images = functools.partial(ds.ImageFolderDataset, str(tmp_path), shuffle=False)
    assert labels(images(class_indexing={"a": -333, "b": 5})) == [-333, -333, 5]
    assert labels(images(class_indexing={})) == [0, 0, 1]
    for wrong in ({"a": 2**31}, {"a": "x"}, {1: 1}, ["a"]):
        with pytest.raises((ValueError, TypeError), match="class_indexing"):
            images(class_indexing=wrong)


def test_captions_keep_their_lines(tmp_path):
    (tmp_path / "sbu_images").mkdir()
    for number in (1, 3):
        (tmp_path / f"sbu_images/m_2_{number}.jpg").write_bytes(b"")
    urls = [f"http://static.flickr.com/2/{number}.jpg" for number in range(4)]
    for kind, lines in (("urls", urls), ("captions", ["none", "a\x85 b\u2028 c ", "", " last"])):
        (tmp_path / f"SBU_captioned_photo_dataset_{kind}.txt").write_text("\n".join(lines))
    data = ds.SBUDataset(str(tmp_path), shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [str(row["caption"]) for row in data] == ["a\x85 b\u2028 c", " last"]


def test_random_rows_repeat_by_seed():
    schema = ds.Schema()
    schema.add_column("x", "int32", [2])
    schema.add_column("y", "bool", [])
    rows = [[np.asarray(value).tolist() for value in row] for row in ds.RandomDataset(5, schema, shuffle=False)]
    assert [[np.asarray(value).tolist() for value in row] for row in ds.RandomDataset(5, schema, shuffle=False)] == rows
    assert ds.RandomDataset(2, schema, ["y"]).get_col_names() == ["y"]
    assert ds.RandomDataset(2, columns_list=["a", "b"]).get_col_names() == ["a", "b"]
    with pytest.raises(RuntimeError, match="but not"):
        ds.RandomDataset(2, schema, ["z"])


def test_recordings_of_16_bits_only(tmp_path):
    import wave

    with wave.open(str(tmp_path / "1_0_0_0_0_0_0_0.wav"), "wb") as file:
        file.setparams((1, 1, 8000, 0, "NONE", ""))
        file.writeframes(bytes(8))
    with pytest.raises(RuntimeError, match="its samples must have 16 bits"):
        list(ds.YesNoDataset(str(tmp_path)))


def test_classes_that_programs_ask_for():
    data = ds.NumpySlicesDataset([1, 2], ["x"])
    assert isinstance(data, ds.SourceDataset)
    operations = {
        "RepeatDataset": data.repeat(2),
        "TakeDataset": data.take(1),
        "SkipDataset": data.skip(1),
        "ShuffleDataset": data.shuffle(2),
        "MapDataset": data.map(abs, ["x"]),
        "BatchDataset": data.batch(2),
        "PaddedBatchDataset": data.padded_batch(2),
        "ConcatDataset": data + data,
        "ProjectDataset": data.project(["x"]),
        "RenameDataset": data.rename("x", "y"),
        "FilterDataset": data.filter(bool, ["x"]),
    }
    assert [name for name, result in operations.items() if not isinstance(result, getattr(ds, name))] == []
    assert all(isinstance(each, ds.VisionBaseDataset) for each in operations.values())
    assert not any(isinstance(each, ds.SourceDataset) for each in operations.values())
