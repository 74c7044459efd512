"""Pictures of scenes with their objects: boxes, outlines, masks and descriptions.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np

from torchspore.dataset.parameters import Cache, Count, File, Folder, Int32, Shard, Workers, extends, take_as
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sources.folders import Picture, Read, Records, lines_of, listed, read_mat, whole_numbers
from torchspore.engine.parameters import Rule
from torchspore.engine.storage.reading import read_json, read_text

__all__ = ["CityscapesDataset", "CocoDataset", "KITTIDataset", "SBDataset", "VOCDataset", "WIDERFaceDataset"]

FILE_NAME = "_meta-filename"  # the column of `extra_metadata`, which iterators leave out unless it is renamed


def _column(values: list[Any], kind: type[np.generic]) -> Array:
    """Return values as an array (n, 1)."""
    return np.array(values, np.float64).astype(kind).reshape(-1, 1)


class CityscapesDataset(Records):
    """The streets of Cityscapes, with what is seen on them in the column "task".

    Args:
        dataset_dir: the folder, with "leftImg8bit", and "gtFine" or "gtCoarse".
        usage: "train", "test", "val" or "all" where `quality_mode` is "fine"; else "train", "train_extra", "val" or
            "all". Default: "train".
        quality_mode: "fine" or "coarse". Default: "fine".
        task: "instance", "semantic" or "color" for an image, "polygon" for a JSON text. Default: "instance".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: None, False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("leftImg8bit/train/a/a_1_leftImg8bit.png", "gtFine/train/a/a_1_gtFine_color.png"):
        ...     path = pathlib.Path(folder.name, name)
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_bytes(b"an image")
        >>> data = ds.CityscapesDataset(folder.name, task="color")
        >>> [list(row) for row in data.create_dict_iterator(num_epochs=1)]
        [['image', 'task']]
        >>> folder.cleanup()
    """

    columns = ("image", "task")
    default_usage = "train"

    @property
    def usages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parts that there are: they depend on `quality_mode`."""
        return "train", "test" if self.quality_mode == "fine" else "train_extra", "val", "all"

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = "train", quality_mode: Literal["fine", "coarse"] = "fine",
        task: Literal["instance", "semantic", "polygon", "color"] = "instance", num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, decode: bool | None = None,
        sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.quality_mode = quality_mode
        self.task = task

    def _find(self) -> list[tuple[Any, ...]]:
        kind = f"gt{self.quality_mode.capitalize()}"
        endings = {"instance": "instanceIds.png", "semantic": "labelIds.png", "color": "color.png"}
        found: list[tuple[Any, ...]] = []
        for part in self._parts():
            for city in listed(self._path("leftImg8bit", part), folders=True):
                for name in listed(self._path("leftImg8bit", part, city), "_leftimg8bit.png"):
                    stem = self._path(kind, part, city, f"{name[: -len('_leftImg8bit.png')]}_{kind}_")
                    picture = Picture(self._path("leftImg8bit", part, city, name))
                    if self.task == "polygon":
                        found.append((picture, Read(_json_text, f"{stem}polygons.json")))
                    else:
                        found.append((picture, Picture(stem + endings[self.task])))
        return found


def _json_text(path: str) -> Array:
    return np.array(json.dumps(read_json(path), separators=(",", ":"), sort_keys=True, ensure_ascii=False))


class _WithFileNames(Records):
    """A source with `extra_metadata`: a last column of the names of the files, which an iterator shows when renamed."""

    extra_metadata = False

    def _names(self) -> list[str]:
        return [*self.columns, FILE_NAME] if self.extra_metadata else list(self.columns)

    def _named(self, record: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        return (*record, np.array(name)) if self.extra_metadata else record


_TASKS = {
    "Detection": ["bbox", "category_id", "iscrowd"],
    "Stuff": ["segmentation", "iscrowd"],
    "Keypoint": ["keypoints", "num_keypoints"],
    "Panoptic": ["bbox", "category_id", "iscrowd", "area"],
    "Captioning": ["captions"],
}


class CocoDataset(_WithFileNames):
    """The images of COCO, with all that is noted for the task; images without a note are left out.

    | task | columns after "image" |
    | --- | --- |
    | "Detection" | "bbox" (n, 4) of float32; "category_id", "iscrowd" (n, 1) of uint32 |
    | "Stuff" | "segmentation" (n, length) of float32, shorter outlines end in -1; "iscrowd" (n, 1) of uint32 |
    | "Keypoint" | "keypoints" (n, length) of float32; "num_keypoints" (n, 1) of uint32 |
    | "Panoptic" | "bbox" (n, 4) of float32; "category_id", "iscrowd", "area" (n, 1) of uint32 |
    | "Captioning" | "captions" (n, 1) of text |

    Args:
        dataset_dir: the folder of the images.
        annotation_file: the JSON file of the notes.
        task: one of the table. Default: "Detection".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        extra_metadata: add a column "_meta-filename", which iterators leave out unless it is renamed. Default: False.
        decrypt: a function that returns the content of the image file at a path. Default: None, the file is read.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import json, pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = pathlib.Path(folder.name, "1.jpg").write_bytes(b"an image")
        >>> notes = {
        ...     "images": [{"id": 5, "file_name": "1.jpg"}],
        ...     "categories": [{"id": 18, "name": "dog"}],
        ...     "annotations": [{"image_id": 5, "category_id": 18, "bbox": [1, 2, 30, 40], "iscrowd": 0}],
        ... }
        >>> _ = pathlib.Path(folder.name, "notes.json").write_text(json.dumps(notes))
        >>> data = ds.CocoDataset(folder.name, f"{folder.name}/notes.json")
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["bbox"], row["category_id"])
        [[ 1.  2. 30. 40.]] [[18]]
        >>> data.get_class_indexing()
        {'dog': [18]}
        >>> folder.cleanup()
    """

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, annotation_file: File,
        task: Literal["Detection", "Stuff", "Keypoint", "Panoptic", "Captioning"] = "Detection",
        num_samples: Count = None, num_parallel_workers: Workers = None, shuffle: bool | None = None,
        decode: bool | None = False, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None, extra_metadata: bool = False, decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.annotation_file = os.fspath(annotation_file)
        self.task = task
        self.extra_metadata = extra_metadata
        self.columns = ["image", *_TASKS[task]]
        self._kinds: dict[str, list[int]] = {}

    def get_class_indexing(self) -> dict[str, Any]:
        """Return the numbers of the categories by name; for "Panoptic", also whether each is a thing.

        Raises:
            NotImplementedError: the task does not have categories.
        """
        if "category_id" not in self.columns:
            raise NotImplementedError(
                f"For 'CocoDataset', 'get_class_indexing' is there for the tasks 'Detection' and 'Panoptic', but "
                f"'task' is {self.task!r}."
            )
        self._records()
        return dict(self._kinds)

    def _find(self) -> list[tuple[Any, ...]]:
        notes = read_json(self.annotation_file, dict)
        if "category_id" in self.columns:
            keys = ("id", "isthing") if self.task == "Panoptic" else ("id",)
            self._kinds = {kind["name"]: [int(kind[key]) for key in keys] for kind in notes["categories"]}
        of_image: dict[Any, list[dict[str, Any]]] = {}
        for note in notes["annotations"]:
            parts = note["segments_info"] if self.task == "Panoptic" else [note]
            of_image.setdefault(note["image_id"], []).extend(parts)
        pictures = [(picture["file_name"], of_image.get(picture["id"], [])) for picture in notes["images"]]
        return [
            self._named((Picture(self._path(name)), *self._values(noted)), os.path.splitext(name)[0])
            for name, noted in pictures
            if noted
        ]

    def _values(self, notes: list[dict[str, Any]]) -> Row:
        values: list[Array] = []
        for column in self.columns[1:]:
            if column == "bbox":
                values.append(np.array([note["bbox"] for note in notes], np.float32).reshape(-1, 4))
            elif column == "captions":
                values.append(np.array([[note["caption"]] for note in notes]))
            elif column == "segmentation":
                values.append(_padded([outline for note in notes for outline in _outlines(note)]))
            elif column == "keypoints":
                values.append(_padded([note["keypoints"] for note in notes]))
            elif column == "iscrowd" and self.task == "Detection":
                values.append(_column([note.get(column, 0) for note in notes], np.uint32))
            else:
                values.append(_column([note[column] for note in notes], np.uint32))
        return tuple(values)


def _outlines(note: dict[str, Any]) -> list[list[float]]:
    given = note["segmentation"]
    return [given["counts"]] if isinstance(given, dict) else given


def _padded(rows: list[list[float]]) -> Array:
    """Return rows of unequal lengths as an array, with -1 at the ends of the shorter ones."""
    return np.array(list(itertools.zip_longest(*rows, fillvalue=-1)), np.float32).T.copy()


class KITTIDataset(Records):
    """The streets of KITTI, with the objects on each: kind, box in the image, size and place in space.

    The columns after "image" are "label" (n, 1) of uint32, the number of the kind among all kinds by name; "truncated"
    (n, 1) of float32; "occluded" (n, 1) of uint32; "alpha" (n, 1), "bbox" (n, 4), "dimensions" (n, 3), "location"
    (n, 3) and "rotation_y" (n, 1) of float32.

    Args:
        dataset_dir: the folder, with "data_object_image_2" and "data_object_label_2".
        usage: "train", or "test" for images alone. Default: None, "train".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> notes = "Cyclist 0.5 1 -1.5 6 1 7 2 1.5 1.7 4.2 1 1.8 13 -1.6"
        >>> for kind, name, content in (("image", "0.png", "an image"), ("label", "0.txt", notes)):
        ...     path = pathlib.Path(folder.name, f"data_object_{kind}_2", "training", f"{kind}_2", name)
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_text(content)
        >>> for row in ds.KITTIDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["label"], row["bbox"])
        [[0]] [[6. 1. 7. 2.]]
        >>> folder.cleanup()
    """

    usages = ("train", "test")
    default_usage = "train"

    def _names(self) -> list[str]:
        if self.usage == "test":
            return ["image"]
        return [
            "image", "label", "truncated", "occluded", "alpha", "bbox", "dimensions", "location", "rotation_y",
        ]  # fmt: skip

    def _find(self) -> list[tuple[Any, ...]]:
        part = f"{self.usage}ing"
        images = self._path("data_object_image_2", part, "image_2")
        names = listed(images)
        pictures = [Picture(os.path.join(images, name)) for name in names]
        if self.usage == "test":
            return [(picture,) for picture in pictures]
        notes = self._path("data_object_label_2", part, "label_2")
        objects = [_kitti(os.path.join(notes, os.path.splitext(name)[0] + ".txt")) for name in names]
        kinds = sorted({kind for listing, _ in objects for kind in listing})
        return [
            (picture, _column([kinds.index(kind) for kind in listing], np.uint32), *values)
            for picture, (listing, values) in zip(pictures, objects)
        ]


def _kitti(path: str) -> tuple[list[str], Row]:
    """Return the kinds of the objects of an image, and the columns of their numbers."""
    lines = [line.split() for line in lines_of(path)]
    numbers = np.array([line[1:15] for line in lines], np.float64).reshape(len(lines), 14)
    ends = list(itertools.accumulate((1, 1, 1, 4, 3, 3, 1)))
    columns = [numbers[:, start:end].astype(np.float32) for start, end in zip([0, *ends], ends)]
    columns[1] = columns[1].astype(np.uint32)
    return [line[0] for line in lines], tuple(columns)


class SBDataset(Records):
    """The images of the Semantic Boundaries Dataset, with the column "task" of uint8.

    Args:
        dataset_dir: the folder, with "img", "cls", "train.txt", "val.txt" and "train_noval.txt".
        task: "Boundaries" for (20, height, width), a map for each class, or "Segmentation" for (height, width).
            Default: "Boundaries".
        usage: "train", "val", "train_noval" or "all", which is "train" and "val". Default: "all".
        num_parallel_workers: the number of files to read at a time. Default: 1.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: None, False.
        num_samples, shuffle, sampler, num_shards, shard_id: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> from scipy.io import savemat
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("img", "cls"):
        ...     pathlib.Path(folder.name, name).mkdir()
        >>> _ = pathlib.Path(folder.name, "img", "1.jpg").write_bytes(b"an image")
        >>> _ = pathlib.Path(folder.name, "val.txt").write_text("1\\n")
        >>> savemat(f"{folder.name}/cls/1.mat", {"GTcls": {"Segmentation": np.array([[3, 0]], np.uint8)}})
        >>> for row in ds.SBDataset(folder.name, "Segmentation", "val").create_dict_iterator(num_epochs=1):
        ...     print(row["task"])
        [[3 0]]
        >>> folder.cleanup()
    """

    columns = ("image", "task")
    usages = ("train", "val", "train_noval", "all")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, task: Literal["Boundaries", "Segmentation"] = "Boundaries",
        usage: str | None = "all", num_samples: Count = None, num_parallel_workers: Workers = 1,
        shuffle: bool | None = None, decode: bool | None = None, sampler: Any = None, num_shards: Shard = None,
        shard_id: Shard = None,
    ) -> None:  # fmt: skip
        self.task = task

    def _find(self) -> list[tuple[Any, ...]]:
        parts = ["train", "val"] if self.usage == "all" else [self.usage]
        names = [name.strip() for part in parts for name in lines_of(self._path(f"{part}.txt"))]
        return [
            (Picture(self._path("img", f"{name}.jpg")), Read(self._marks, self._path("cls", f"{name}.mat")))
            for name in names
        ]

    def _marks(self, path: str) -> Array:
        try:
            marks = read_mat(path, "GTcls")[0][self.task][0][0]
            if self.task == "Segmentation":
                return np.asarray(marks, np.uint8)
            return np.stack([each[0].toarray() for each in marks]).astype(np.uint8)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"its 'GTcls' must have {self.task!r} in the published form: {error}") from error


class VOCDataset(_WithFileNames):
    """The images of PASCAL VOC, with a mask or with the objects on them.

    Args:
        dataset_dir: the folder, with "JPEGImages", "ImageSets", "SegmentationClass" and "Annotations".
        task: "Segmentation" for the column "target", an image; or "Detection" for "bbox" (n, 4) of float32, as
            (left, top, width, height), and "label", "difficult" and "truncate" (n, 1) of uint32.
            Default: "Segmentation".
        usage: the name of the list of images, such as "train" or "val". Default: "train".
        class_indexing: with "Detection", the numbers of the classes by name; objects of others are left out.
            Default: None, the classes of the images are numbered in the order of their names.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        extra_metadata: add a column "_meta-filename", which iterators leave out unless it is renamed. Default: False.
        decrypt: a function that returns the content of the image file at a path. Default: None, the file is read.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Raises:
        ValueError: there is no list of that name, or `class_indexing` is given for "Segmentation".

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> box = "<xmin>10</xmin><ymin>20</ymin><xmax>40</xmax><ymax>60</ymax>"
        >>> notes = f"<annotation><object><name>cat</name><bndbox>{box}</bndbox></object></annotation>"
        >>> files = {"JPEGImages/1.jpg": "an image", "ImageSets/Main/val.txt": "1", "Annotations/1.xml": notes}
        >>> for name, content in files.items():
        ...     path = pathlib.Path(folder.name, name)
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_text(content)
        >>> for row in ds.VOCDataset(folder.name, "Detection", "val").create_dict_iterator(num_epochs=1):
        ...     print(row["bbox"], row["label"])
        [[10. 20. 30. 40.]] [[0]]
        >>> folder.cleanup()
    """

    usages = ()  # the lists that a folder has

    @extends(
        Records,
        Rule(
            "'class_indexing' can be given only where 'task' is 'Detection'",
            lambda class_indexing, task: class_indexing is None or task == "Detection",
        ),
    )
    def __init__(
        self, dataset_dir: Folder, task: Literal["Segmentation", "Detection"] = "Segmentation", usage: str = "train",
        class_indexing: dict[str, Int32] | None = None, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, decode: bool | None = False, sampler: Any = None, num_shards: Shard = None,
        shard_id: Shard = None, cache: Cache = None, extra_metadata: bool = False,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.task = task
        lists = self._path("ImageSets", "Main" if task == "Detection" else "Segmentation")
        self._list = take_as(File, os.path.join(lists, f"{usage}.txt"), "usage", "VOCDataset")
        self.class_indexing = class_indexing or None
        self.extra_metadata = extra_metadata
        self.columns = ["image", *(["bbox", "label", "difficult", "truncate"] if task == "Detection" else ["target"])]
        self._classes: dict[str, int] = {}

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes by name.

        Raises:
            NotImplementedError: the task is not "Detection".
        """
        if self.task != "Detection":
            raise NotImplementedError("For 'VOCDataset', 'get_class_indexing' is there for the task 'Detection' only.")
        self._records()
        return dict(self._classes)

    def _find(self) -> list[tuple[Any, ...]]:
        names = [line.split()[0] for line in lines_of(self._list)]
        pictures = [Picture(self._path("JPEGImages", f"{name}.jpg")) for name in names]
        if self.task == "Segmentation":
            noted: list[Row] = [(Picture(self._path("SegmentationClass", f"{name}.png")),) for name in names]
        else:
            noted = self._objects(names)
        return [self._named((picture, *rest), name) for picture, rest, name in zip(pictures, noted, names)]

    def _objects(self, names: list[str]) -> list[Row]:
        objects = [_voc_objects(self._path("Annotations", f"{name}.xml")) for name in names]
        kinds = sorted({kind for found in objects for kind, _, _, _ in found})
        self._classes = self.class_indexing or {kind: number for number, kind in enumerate(kinds)}
        rows: list[Row] = []
        for found in objects:
            taken = [each for each in found if each[0] in self._classes]
            boxes = np.array([box for _, box, _, _ in taken], np.float32).reshape(-1, 4)
            labels = _column([self._classes[kind] for kind, _, _, _ in taken], np.uint32)
            flags = [_column([each[at] for each in taken], np.uint32) for at in (2, 3)]
            rows.append((boxes, labels, *flags))
        return rows


def _voc_objects(path: str) -> list[tuple[str, list[float], int, int]]:
    """Return (class, (left, top, width, height), difficult, truncated) of the objects in an annotation file."""
    text = read_text(path)
    if "<!ENTITY" in text:
        raise ValueError(f"{path!r}: entities are not read, as they may expand without end.")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"{path!r}: it must be XML: {error}") from error
    found = []
    for element in root.iter("object"):
        left, top, right, bottom = [
            float(element.findtext(f"bndbox/{edge}", "nan")) for edge in ("xmin", "ymin", "xmax", "ymax")
        ]
        flags = [int(element.findtext(name, "0")) for name in ("difficult", "truncated")]
        found.append((element.findtext("name", ""), [left, top, right - left, bottom - top], flags[0], flags[1]))
    return found


class WIDERFaceDataset(Records):
    """The images of WIDER FACE with the faces on them, as numbers of int32.

    The columns after "image" are "bbox" (n, 4), as (left, top, width, height), and "blur", "expression",
    "illumination", "occlusion", "pose" and "invalid", (n,).

    Args:
        dataset_dir: the folder, with "WIDER_train", "WIDER_val", "WIDER_test" and "wider_face_split".
        usage: "train", "valid", "test" for images alone, or "all", which is "train" and "valid". Default: None, "all".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> notes = "0--Parade/1.jpg\\n1\\n9 8 7 6 1 0 0 2 0 0 \\n"
        >>> lists = "wider_face_split/wider_face_val_bbx_gt.txt"
        >>> for name, content in {"WIDER_val/images/0--Parade/1.jpg": "an image", lists: notes}.items():
        ...     path = pathlib.Path(folder.name, name)
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_text(content)
        >>> for row in ds.WIDERFaceDataset(folder.name, "valid").create_dict_iterator(num_epochs=1):
        ...     print(row["bbox"], row["occlusion"])
        [[9 8 7 6]] [2]
        >>> folder.cleanup()
    """

    usages = ("train", "valid", "test", "all")

    def _names(self) -> list[str]:
        if self.usage == "test":
            return ["image"]
        return ["image", "bbox", "blur", "expression", "illumination", "occlusion", "pose", "invalid"]

    def _find(self) -> list[tuple[Any, ...]]:
        if self.usage == "test":
            names = lines_of(self._path("wider_face_split", "wider_face_test_filelist.txt"))
            return [(Picture(self._path("WIDER_test", "images", name.strip())),) for name in names]
        parts = {"train": ["train"], "valid": ["val"], "all": ["train", "val"]}[self.usage]
        return [record for part in parts for record in self._faces(part)]

    def _faces(self, part: str) -> list[tuple[Any, ...]]:
        lines = iter(lines_of(self._path("wider_face_split", f"wider_face_{part}_bbx_gt.txt")))
        found: list[tuple[Any, ...]] = []
        for name in lines:
            count = max(int(next(lines, "")), 1)  # a picture without a face has a line of zeros
            rows = [whole_numbers(line.split(), np.int32) for line in itertools.islice(lines, count)]
            faces = np.stack(rows)
            if faces.shape != (count, 10):
                raise ValueError(f"{name!r} must have {count} lines of 10 numbers, but has the shape {faces.shape}.")
            path = self._path(f"WIDER_{part}", "images", name.strip())
            found.append((Picture(path), faces[:, :4], *faces[:, 4:].T.copy()))
        return found
