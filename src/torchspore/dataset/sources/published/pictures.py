"""Pictures with a class: Caltech, Flowers, Food, LSUN, Omniglot, Places, rendered SST2, SUN.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np

from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, extends
from torchspore.dataset.rows.values import Array
from torchspore.dataset.sources.folders import (
    Picture,
    Read,
    Records,
    WholePictures,
    lines_of,
    listed,
    picture_paths,
    read_mat,
)
from torchspore.dataset.sources.published.flower_names import FLOWERS

__all__ = [
    "Caltech101Dataset", "Caltech256Dataset", "Flowers102Dataset", "Food101Dataset", "LSUNDataset", "OmniglotDataset",
    "Places365Dataset", "RenderedSST2Dataset", "SUN397Dataset",
]  # fmt: skip


_ANNOTATIONS = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


class Caltech101Dataset(Records):
    """The images of Caltech 101 with the number of the class, of int64, or the outline, (2, n) of float64, or both.

    Args:
        dataset_dir: the folder, with "101_ObjectCategories" and "Annotations".
        target_type: "category", "annotation" or "all", both in this order. Default: None, "category".
        num_parallel_workers: the number of files to read at a time. Default: 1.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, shuffle, sampler, num_shards, shard_id: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("ant", "bee"):
        ...     path = pathlib.Path(folder.name, "101_ObjectCategories", name, "image_0001.jpg")
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_bytes(b"an image")
        >>> data = ds.Caltech101Dataset(folder.name, shuffle=False)
        >>> [int(row["category"]) for row in data.create_dict_iterator(num_epochs=1)]
        [0, 1]
        >>> folder.cleanup()
    """

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, target_type: Literal["category", "annotation", "all"] | None = None,
        num_samples: Count = None, num_parallel_workers: Workers = 1, shuffle: bool | None = None,
        decode: bool | None = False, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
    ) -> None:  # fmt: skip
        self.target_type = kind = target_type or "category"
        self.columns = ["image", *(["category", "annotation"] if kind == "all" else [kind])]

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes by name."""
        folders = listed(self._path("101_ObjectCategories"), folders=True)
        return {name: label for label, name in enumerate(name for name in folders if name != "BACKGROUND_Google")}

    def _find(self) -> list[tuple[Any, ...]]:
        images = self._path("101_ObjectCategories")
        found = []
        for name, label in self.get_class_indexing().items():
            for path in picture_paths(os.path.join(images, name)):
                number = os.path.basename(path).partition("_")[2].partition(".")[0]
                outline = self._path("Annotations", _ANNOTATIONS.get(name, name), f"annotation_{number}.mat")
                values = {"category": np.int64(label), "annotation": Read(_outline, outline)}
                found.append((Picture(path), *[values[column] for column in self.columns[1:]]))
        return found


def _outline(path: str) -> Array:
    return np.asarray(read_mat(path, "obj_contour")[0])


class Caltech256Dataset(Records, WholePictures):
    """The images of Caltech 256: the bytes of a file, or its image, and the number of the class, of int32.

    Args:
        dataset_dir: the folder, with a folder for each class, such as "001.ak47".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("001.ak47", "010.beer-mug"):
        ...     pathlib.Path(folder.name, name).mkdir()
        ...     _ = pathlib.Path(folder.name, name, "1.jpg").write_bytes(b"an image")
        >>> data = ds.Caltech256Dataset(folder.name, shuffle=False)
        >>> [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)]
        [0, 1]
        >>> folder.cleanup()
    """

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(listed(self.dataset_dir, folders=True))

    def _find(self) -> list[tuple[Any, ...]]:
        names = listed(self.dataset_dir, folders=True)
        return [
            (Picture(path), np.int32(label))
            for label, name in enumerate(names)
            for path in picture_paths(self._path(name))
        ]


class Flowers102Dataset(Records):
    """The images of Oxford's 102 Flowers, with the number of the class, of uint32, and the flower's outline.

    Args:
        dataset_dir: the folder, with "jpg", "segmim", "imagelabels.mat" and "setid.mat".
        task: "Classification", or "Segmentation" for the column "segmentation" before "label", an image that shows the
            flower alone. Default: "Classification".
        usage: "train", "valid", "test" or "all". Default: "all".
        num_parallel_workers: the number of files to read at a time. Default: 1.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, shuffle, sampler, num_shards, shard_id: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> from scipy.io import savemat
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> pathlib.Path(folder.name, "jpg").mkdir()
        >>> _ = pathlib.Path(folder.name, "jpg/image_00001.jpg").write_bytes(b"an image")
        >>> savemat(f"{folder.name}/imagelabels.mat", {"labels": np.array([[77]])})
        >>> savemat(f"{folder.name}/setid.mat", {"trnid": np.array([[1]]), "valid": [[]], "tstid": [[]]})
        >>> for row in ds.Flowers102Dataset(folder.name, usage="train").create_dict_iterator(num_epochs=1):
        ...     print(row["label"])
        76
        >>> folder.cleanup()
    """

    usages = ("train", "valid", "test", "all")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, task: Literal["Classification", "Segmentation"] = "Classification",
        usage: str | None = "all", num_samples: Count = None, num_parallel_workers: Workers = 1,
        shuffle: bool | None = None, decode: bool | None = False, sampler: Any = None, num_shards: Shard = None,
        shard_id: Shard = None,
    ) -> None:  # fmt: skip
        self.task = task
        self.columns = ["image", "segmentation", "label"] if task == "Segmentation" else ["image", "label"]

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the flowers by name."""
        return {name: number for number, name in enumerate(FLOWERS)}

    def _find(self) -> list[tuple[Any, ...]]:
        labels = read_mat(self._path("imagelabels.mat"), "labels")[0].ravel().astype(np.int64) - 1
        names = {"train": "trnid", "valid": "valid", "test": "tstid"}
        wanted = ["train", "test", "valid"] if self.usage == "all" else [self.usage]
        parts = read_mat(self._path("setid.mat"), *[names[part] for part in wanted])
        return [self._record(int(number), np.uint32(labels[number - 1])) for part in parts for number in part.ravel()]

    def _record(self, number: int, label: np.uint32) -> tuple[Any, ...]:
        image = Picture(self._path("jpg", f"image_{number:05}.jpg"))
        if self.task == "Classification":
            return image, label
        return image, Picture(self._path("segmim", f"segmim_{number:05}.jpg")), label


class Food101Dataset(Records):
    """The dishes of Food-101: the bytes of a file, or its image, and the name of the dish.

    Args:
        dataset_dir: the folder, with "images" and "meta".
        usage: "train", "test" or "all". Default: None, "all".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name, content in {"meta/test.txt": "pie/1\\n", "images/pie/1.jpg": "an image"}.items():
        ...     path = pathlib.Path(folder.name, name)
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_text(content)
        >>> for row in ds.Food101Dataset(folder.name, "test").create_dict_iterator(num_epochs=1):
        ...     print(row["label"])
        pie
        >>> folder.cleanup()
    """

    def _find(self) -> list[tuple[Any, ...]]:
        names = [name for part in self._parts() for name in lines_of(self._path("meta", f"{part}.txt"))]
        return [(Picture(self._path("images", f"{name}.jpg")), np.array(name.partition("/")[0])) for name in names]


class LSUNDataset(Records):
    """The scenes of LSUN as image files: the bytes of a file, or its image, and the number of the class, of uint32.

    Args:
        dataset_dir: the folder, with folders such as "bedroom_train" and "bedroom_val", and "test".
        usage: "train", "test", "valid" or "all", which leaves out the test images and numbers each part's classes
            apart. Default: None, "all".
        classes: a list of the classes to take. Default: None, all that the folder has.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("bedroom_train", "church_train"):
        ...     pathlib.Path(folder.name, name).mkdir()
        ...     _ = pathlib.Path(folder.name, name, "1.jpg").write_bytes(b"an image")
        >>> data = ds.LSUNDataset(folder.name, "train", shuffle=False)
        >>> [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)]
        [0, 1]
        >>> folder.cleanup()
    """

    usages = ("train", "test", "valid", "all")

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, classes: list[str] | None = None,
        num_samples: Count = None, num_parallel_workers: Workers = None, shuffle: bool | None = None,
        decode: bool | None = False, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None,
    ) -> None:  # fmt: skip
        self.classes = classes or None

    def num_classes(self) -> int:
        """Return the number of classes, 0 for the test images, which have none."""
        return len(self._classes())

    def _classes(self) -> list[str]:
        if self.usage == "test":
            return []
        if self.classes is not None:
            return sorted(self.classes)
        folders = listed(self.dataset_dir, folders=True)
        endings = {"train": ("_train",), "valid": ("_val",), "all": ("_train", "_val")}[self.usage]
        return sorted({name.rpartition("_")[0] for name in folders if name.endswith(endings)})

    def _find(self) -> list[tuple[Any, ...]]:
        endings = {"train": ["train"], "valid": ["val"], "all": ["train", "val"], "test": []}[self.usage]
        folders = [f"{name}_{ending}" for name in self._classes() for ending in endings] or ["test"]
        return [
            (Picture(path), np.uint32(label))
            for label, folder in enumerate(folders)
            for path in picture_paths(self._path(folder))
        ]


class OmniglotDataset(Records):
    """The handwritten characters of Omniglot: the bytes of a file, or its image, and the number of the character.

    Args:
        dataset_dir: the folder, with "images_background" and "images_evaluation", in each a folder for each alphabet,
            in that one for each character.
        background: whether to take "images_background". Default: None, True.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("Greek/character01", "Latin/character01"):
        ...     path = pathlib.Path(folder.name, "images_background", name, "1.png")
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_bytes(b"an image")
        >>> data = ds.OmniglotDataset(folder.name, shuffle=False)
        >>> [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)]
        [0, 1]
        >>> folder.cleanup()
    """

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, background: bool | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, decode: bool | None = False,
        sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.background = background is not False

    def _characters(self) -> list[str]:
        root = self._path("images_background" if self.background else "images_evaluation")
        alphabets = [os.path.join(root, name) for name in listed(root, folders=True)]
        return [os.path.join(path, name) for path in alphabets for name in listed(path, folders=True)]

    def num_classes(self) -> int:
        """Return the number of characters."""
        return len(self._characters())

    def _find(self) -> list[tuple[Any, ...]]:
        return [
            (Picture(path), np.int32(label))
            for label, folder in enumerate(self._characters())
            for path in picture_paths(folder)
        ]


class Places365Dataset(Records):
    """The scenes of Places365: the bytes of a file, or its image, and the number of the scene, of uint32.

    Args:
        dataset_dir: the folder, with "categories_places365.txt", lists such as "places365_val.txt", and folders such as
            "val_256" and "data_large_standard".
        usage: "train-standard", "train-challenge" or "val". Default: None, "train-standard".
        small: take the images of 256 x 256 pixels. Otherwise, the large ones. Default: True.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> pathlib.Path(folder.name, "val_256").mkdir()
        >>> _ = pathlib.Path(folder.name, "val_256", "1.jpg").write_bytes(b"an image")
        >>> _ = pathlib.Path(folder.name, "places365_val.txt").write_text("1.jpg 5\\n")
        >>> for row in ds.Places365Dataset(folder.name, "val").create_dict_iterator(num_epochs=1):
        ...     print(row["label"])
        5
        >>> folder.cleanup()
    """

    usages = ("train-standard", "train-challenge", "val")
    default_usage = "train-standard"

    @extends(Records)
    def __init__(
        self, dataset_dir: Folder, usage: str | None = None, small: bool = True, decode: bool | None = False,
        num_samples: Count = None, num_parallel_workers: Workers = None, shuffle: bool | None = None,
        sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.small = small

    def _find(self) -> list[tuple[Any, ...]]:
        names = [self._path(f"places365_{name}.txt") for name in (self.usage, self.usage.replace("-", "_"))]
        size = "256" if self.small else "large"
        folder = f"val_{size}" if self.usage == "val" else f"data_{size}_{self.usage.partition('-')[2]}"
        found: list[tuple[Any, ...]] = []
        for line in lines_of(next((name for name in names if os.path.exists(name)), names[0])):
            name, label = line.split()
            found.append((Picture(self._path(folder, name.lstrip("/"))), np.uint32(int(label))))
        return found


class RenderedSST2Dataset(Records):
    """The sentences of Rendered SST2 as images, and whether they are positive: labels of uint32, 1 for yes.

    Args:
        dataset_dir: the folder, with "train", "valid" and "test", in each "negative" and "positive".
        usage: "train", "val", "test" or "all". Default: None, "all": the test images first.
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("negative", "positive"):
        ...     path = pathlib.Path(folder.name, "valid", name, "0001.png")
        ...     path.parent.mkdir(parents=True)
        ...     _ = path.write_bytes(b"an image")
        >>> data = ds.RenderedSST2Dataset(folder.name, "val", shuffle=False)
        >>> [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)]
        [0, 1]
        >>> folder.cleanup()
    """

    usages = ("test", "train", "val", "all")

    def num_classes(self) -> int:
        """Return the number of classes, 2."""
        return 2

    def _find(self) -> list[tuple[Any, ...]]:
        return [
            (Picture(path), np.uint32(label))
            for part in self._parts()
            for label, name in enumerate(("negative", "positive"))
            for path in picture_paths(self._path("valid" if part == "val" else part, name))
        ]


class SUN397Dataset(Records, WholePictures):
    """The scenes of SUN397: the bytes of a file, or its image, and the number of the scene, of uint32.

    Args:
        dataset_dir: the folder, with "ClassName.txt" and the folders that its lines name, such as "/a/abbey".
        decode: return images (height, width, 3) of uint8 instead of the bytes of their files. Default: False.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name, "a", "abbey", "sun_1.jpg")
        >>> path.parent.mkdir(parents=True)
        >>> _ = path.write_bytes(b"an image")
        >>> _ = pathlib.Path(folder.name, "ClassName.txt").write_text("/a/abbey\\n")
        >>> for row in ds.SUN397Dataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["label"])
        0
        >>> folder.cleanup()
    """

    def _find(self) -> list[tuple[Any, ...]]:
        return [
            (Picture(path), np.uint32(label))
            for label, name in enumerate(lines_of(self._path("ClassName.txt")))
            for path in picture_paths(self._path(name.strip().lstrip("/")))
        ]
