"""Small folders in the layouts in which well-known data sets are published, and how to read them.

The oracle's recorder runs this file too, so it needs nothing but NumPy and SciPy.
"""

from __future__ import annotations

import itertools
import json
import struct
import wave
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

FOLDERS: dict[str, Callable[[Path], None]] = {}

# (data set, folder, arguments); "@x" is the path of x in the folder.
CASES: list[tuple[str, str, dict[str, Any]]] = []


def layout(name: str, *cases: dict[str, Any], folder: str | None = None) -> Callable[[Any], Any]:
    """Note what writes the folder of a data set, and the arguments to read it with."""

    def decorate(function: Callable[[Path], None]) -> Callable[[Path], None]:
        key = folder or name
        FOLDERS[key] = function
        CASES.extend((name, key, arguments) for arguments in cases)
        return function

    return decorate


def bitmap(number: int, height: int = 2, width: int = 3) -> bytes:
    """Return a BMP file whose pixels depend on a number: it is the same wherever it is written."""
    pixels = (np.arange(height * width * 3) * 7 + number * 11) % 256
    rows = [bytes(row) + bytes(-len(row) % 4) for row in pixels.astype(np.uint8).reshape(height, width * 3)]
    body = b"".join(rows)
    return _bitmap_head(height, width, len(body)) + body


def _bitmap_head(height: int, width: int, size: int) -> bytes:
    fields = (b"BM", 54 + size, 0, 0, 54, 40, width, height, 1, 24, 0, size, 1, 1, 0, 0)
    return struct.pack("<2sIHHIIiiHHIIiiII", *fields)


def write(root: Path, files: dict[str, bytes | str]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def images(root: Path, *names: str, **size: int) -> None:
    """Write an image file for each name; braces hold alternatives, as in a shell."""
    write(root, {name: bitmap(sum(name.encode()), **size) for name in _spelled_out(names)})


def _spelled_out(names: tuple[str, ...]) -> list[str]:
    found = []
    for name in names:
        head, brace, rest = name.partition("{")
        if not brace:
            found.append(name)
            continue
        choices, _, tail = rest.partition("}")
        found += _spelled_out(tuple(f"{head}{choice}{tail}" for choice in choices.split(",")))
    return found


def sound(root: Path, *names: str, rate: int = 8000) -> None:
    """Write a WAV file of 16 bits for each name."""
    for name in _spelled_out(names):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        seed = sum(name.encode())
        samples = ((np.arange(20 + seed % 5) * 977 + seed * 131) % 65536 - 32768).astype("<i2")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(samples.tobytes())


def idx(array: Any, kind: int = 8) -> bytes:
    """Return an array in the format of MNIST's files."""
    array = np.asarray(array)
    order = {8: "u1", 12: ">i4"}[kind]
    return struct.pack(f">{array.ndim + 1}i", kind << 8 | array.ndim, *array.shape) + array.astype(order).tobytes()


def digits(root: Path, names: tuple[str, str], count: int, start: int) -> None:
    """Write MNIST's two files, of images and labels."""
    pixels = (np.arange(count * 784) + start).reshape(count, 28, 28) % 256
    write(root, {names[0]: idx(pixels), names[1]: idx((np.arange(count) + start) % 10)})


_PARTS = ({"usage": "train"}, {"usage": "test"}, {"usage": "all"}, {})


@layout("FashionMnistDataset", *_PARTS)
@layout("KMnistDataset", *_PARTS)
def _mnist(root: Path) -> None:
    for number, part in enumerate(("train", "t10k")):
        digits(root, (f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"), 3 - number, 5 * number)


@layout("EMnistDataset", *[{"name": "letters", **part} for part in _PARTS], {"name": "mnist", "usage": "train"})
def _emnist(root: Path) -> None:
    for number, (name, part) in enumerate(itertools.product(("letters", "mnist"), ("train", "test"))):
        digits(root, (f"emnist-{name}-{part}-images-idx3-ubyte", f"emnist-{name}-{part}-labels-idx1-ubyte"), 2, number)


@layout(
    "QMnistDataset",
    *_PARTS,
    {"usage": "train", "compat": False},
    {"usage": "nist"},
    {"usage": "test10k"},
    {"usage": "nist", "compat": False},
)
def _qmnist(root: Path) -> None:
    for number, part in enumerate(("qmnist-train", "qmnist-test", "xnist")):
        count = 3 if number != 1 else 10001
        pixels = (np.arange(count * 784, dtype=np.int64) + number).reshape(count, 28, 28) % 256
        labels = (np.arange(count * 8, dtype=np.int64) + number).reshape(count, 8) % 9
        name = f"{part}-labels-idx2-int"
        write(root, {f"{part}-images-idx3-ubyte": idx(pixels), name: idx(labels, 12)})


@layout("SemeionDataset", {})
def _semeion(root: Path) -> None:
    lines = []
    for number in range(3):
        pixels = (np.arange(256) + number) % 3 % 2
        lines.append(" ".join([f"{pixel}.0000" for pixel in pixels] + [str(int(n == number)) for n in range(10)]))
    write(root, {"semeion.data": "\n".join(lines) + "\n", "semeion.names": "names"})


@layout("USPSDataset", *[{**part, "shuffle": False} for part in _PARTS])
def _usps(root: Path) -> None:
    for name, count in (("usps", 3), ("usps.t", 2)):
        lines = []
        for number in range(count):
            values = ((np.arange(256) + number) % 21 - 10) / 10
            lines.append(f"{number + 1} " + " ".join(f"{at + 1}:{value:.4f}" for at, value in enumerate(values)) + " ")
        write(root, {name: "\n".join(lines) + "\n"})


@layout(
    "STL10Dataset",
    *_PARTS,
    {"usage": "unlabeled"},
    {"usage": "train+unlabeled"},
)
def _stl10(root: Path) -> None:
    for number, part in enumerate(("train", "test", "unlabeled")):
        pixels = (np.arange(2 * 96 * 96 * 3) + number) % 256
        write(root, {f"{part}_X.bin": pixels.astype(np.uint8).tobytes()})
        if part != "unlabeled":
            write(root, {f"{part}_y.bin": bytes([number + 1, number + 2])})


@layout("SVHNDataset", *_PARTS, {"usage": "extra"})
def _svhn(root: Path) -> None:
    for number, part in enumerate(("train", "test", "extra")):
        pixels = (np.arange(32 * 32 * 3 * 2) + number) % 256
        arrays = {"X": pixels.astype(np.uint8).reshape(32, 32, 3, 2), "y": np.array([[number + 1], [10]], np.uint8)}
        savemat(root / f"{part}_32x32.mat", arrays)


@layout(
    "Caltech101Dataset",
    {},
    {"target_type": "annotation"},
    {"target_type": "all", "decode": True},
)
def _caltech101(root: Path) -> None:
    images(root, "101_ObjectCategories/{Faces,ant,BACKGROUND_Google,Motorbikes}/image_{0001,0002}.jpg")
    for name in ("Faces_2", "ant", "Motorbikes_16", "BACKGROUND_Google"):
        for number in (1, 2):
            path = root / "Annotations" / name / f"annotation_{number:04}.mat"
            path.parent.mkdir(parents=True, exist_ok=True)
            savemat(path, {"obj_contour": np.arange(6.0).reshape(2, 3) * number + len(name)})


@layout("Caltech256Dataset", {}, {"decode": True})
def _caltech256(root: Path) -> None:
    images(root, "{001.ak47,002.american-flag,010.beer}/{001_0002,001_0001}.jpg")


@layout(
    "CelebADataset",
    {},
    {"usage": "train"},
    {"usage": "valid", "decode": True},
    {"usage": "test"},
    {"usage": "all", "extensions": [".jpg"]},
)
def _celeba(root: Path) -> None:
    names = [f"{number:06}.jpg" for number in range(1, 5)]
    images(root, *names)
    rows = [f"{name}  -1  1 -1" if number % 2 else f"{name} 1 1 -1" for number, name in enumerate(names)]
    parts = [f"{name} {part}" for name, part in zip(names, (0, 1, 2, 0))]
    write(
        root,
        {
            "list_attr_celeba.txt": "4\nBald Bangs Young\n" + "\n".join(rows) + "\n",
            "list_eval_partition.txt": "\n".join(parts) + "\n",
        },
    )


@layout(
    "CityscapesDataset",
    {},
    {"usage": "val", "task": "semantic", "decode": True},
    {"usage": "all", "task": "color"},
    {"usage": "train", "task": "polygon"},
    {"usage": "train", "quality_mode": "coarse"},
    {"usage": "train_extra", "quality_mode": "coarse", "task": "color"},
    {"usage": "all", "quality_mode": "coarse", "task": "semantic"},
)
def _cityscapes(root: Path) -> None:
    for mode, parts in (("gtFine", ("train", "test", "val")), ("gtCoarse", ("train", "train_extra", "val"))):
        for part, city in itertools.product(parts, ("bochum", "aachen")):
            stem = f"{city}_000000_00001{len(part)}"
            images(root, f"leftImg8bit/{part}/{city}/{stem}_leftImg8bit.png")
            images(root, f"{mode}/{part}/{city}/{stem}_{mode}_{{color,instanceIds,labelIds}}.png")
            shapes = {"objects": [{"label": city, "polygon": [[0, 1], [1, 1]]}], "imgHeight": 2}
            write(root, {f"{mode}/{part}/{city}/{stem}_{mode}_polygons.json": json.dumps(shapes)})


@layout(
    "CocoDataset",
    {"annotation_file": "@instances.json"},
    {"annotation_file": "@instances.json", "decode": True, "extra_metadata": True},
    {"annotation_file": "@instances.json", "task": "Stuff"},
    {"annotation_file": "@keypoints.json", "task": "Keypoint"},
    {"annotation_file": "@panoptic.json", "task": "Panoptic"},
    {"annotation_file": "@captions.json", "task": "Captioning"},
    {"annotation_file": "@captions.json", "task": "Captioning", "extra_metadata": True},
)
def _coco(root: Path) -> None:
    names = ["b.jpg", "a.jpg", "c.jpg", "alone.jpg"]
    images(root, *[f"images/{name}" for name in names])
    pictures = [{"id": 7 - number, "file_name": name} for number, name in enumerate(names)]
    kinds = [{"id": 3, "name": "cat", "supercategory": "animal"}, {"id": 1, "name": "tree", "supercategory": "plant"}]
    boxes = [
        {"id": number, "image_id": image, "category_id": kind, "iscrowd": crowd, "area": 4.5,
         "bbox": [number, 1.5, 2.0, 3.0], "segmentation": [[1.0, 2.0, 3.0, 4.0, 5.0, 6.5], [7.0, 8.0, 9.0, 1.0]]}
        for number, (image, kind, crowd) in enumerate([(7, 3, 0), (6, 1, 1), (7, 1, 0), (5, 3, 0)])
    ]  # fmt: skip
    for box in boxes:
        if box["iscrowd"]:
            box["segmentation"] = {"counts": [3, 4, 5], "size": [2, 6]}
    points = [
        {"id": number, "image_id": image, "category_id": 1, "num_keypoints": 2, "keypoints": [1, 2, 2, number, 5, 1]}
        for number, image in enumerate((6, 7, 7))
    ]
    panoptic = [
        {
            "image_id": image,
            "file_name": f"{image}.png",
            "segments_info": [
                {"id": number, "category_id": kind, "area": 5 + number, "bbox": [number, 1, 2, 3], "iscrowd": 0}
                for number, kind in enumerate((1, 3))
            ],
        }
        for image in (7, 5)
    ]
    captions = [{"id": n, "image_id": image, "caption": f"A cat {n}."} for n, image in enumerate((7, 5, 7))]
    panoptic_kinds = [{**kind, "isthing": number} for number, kind in enumerate(kinds)]
    for name, notes, categories in (
        ("instances", boxes, kinds), ("keypoints", points, kinds), ("panoptic", panoptic, panoptic_kinds),
        ("captions", captions, kinds),
    ):  # fmt: skip
        described = {"info": {}, "images": pictures, "annotations": notes, "categories": categories}
        write(root, {f"{name}.json": json.dumps(described)})


@layout(
    "DIV2KDataset",
    {},
    {"usage": "valid", "decode": True},
    {"usage": "all", "scale": 3, "downgrade": "unknown"},
    {"scale": 8},
    *[{"scale": 4, "downgrade": kind} for kind in ("mild", "difficult", "wild")],
)
def _div2k(root: Path) -> None:
    for part, name in (("train", "{0001,0002}"), ("valid", "{0801,0802}")):
        images(root, f"DIV2K_{part}_HR/{name}.png", f"DIV2K_{part}_LR_x8/{name}x8.png")
        for scale in (2, 3, 4):
            images(root, f"DIV2K_{part}_LR_{{bicubic,unknown}}/X{scale}/{name}x{scale}.png")
        for kind in ("mild", "difficult"):
            images(root, f"DIV2K_{part}_LR_{kind}/{name}x4{kind[0]}.png")
        images(root, f"DIV2K_{part}_LR_wild/{name}x4w.png")


@layout(
    "FlickrDataset",
    {"annotation_file": "@Flickr8k.token.txt"},
    {"annotation_file": "@Flickr8k.token.txt", "decode": True},
    {"annotation_file": "@flickr30k.token"},
)
def _flickr(root: Path) -> None:
    images(root, "Images/{12_ab,7_cd}.jpg")
    lines = [f"{name}#{number}\tA dog runs {number} ." for name in ("7_cd.jpg", "12_ab.jpg") for number in range(5)]
    write(root, {name: "\n".join(lines) + "\n" for name in ("Flickr8k.token.txt", "flickr30k.token")})


@layout(
    "Flowers102Dataset",
    {},
    {"usage": "train", "decode": True},
    {"usage": "valid", "task": "Segmentation"},
    {"usage": "test", "task": "Segmentation", "decode": True},
)
def _flowers(root: Path) -> None:
    images(root, "jpg/image_0000{1,2,3,4,5}.jpg", "segmim/segmim_0000{1,2,3,4,5}.jpg")
    savemat(root / "imagelabels.mat", {"labels": np.array([[5, 4, 3, 2, 1]], np.uint8)})
    parts = {"trnid": np.array([[2, 5]]), "valid": np.array([[1]]), "tstid": np.array([[4, 3]])}
    savemat(root / "setid.mat", {name: ids.astype(np.uint16) for name, ids in parts.items()})


@layout("Food101Dataset", *_PARTS, {"usage": "test", "decode": True})
def _food(root: Path) -> None:
    images(root, "images/{pie,bread}/{1,2,3}.jpg")
    write(root, {"meta/train.txt": "pie/2\npie/1\nbread/3\n", "meta/test.txt": "bread/1\npie/3\n"})
    write(root, {"meta/classes.txt": "bread\npie\n"})


@layout("KITTIDataset", {}, {"usage": "train", "decode": True}, {"usage": "test"})
def _kitti(root: Path) -> None:
    images(root, "data_object_image_2/training/image_2/{000001,000000}.png")
    images(root, "data_object_image_2/testing/image_2/{000001,000000}.png")
    car = "Car 0.50 1 -1.57 614.24 181.78 727.31 284.77 1.57 1.73 4.15 1.00 1.75 13.22 -1.62\n"
    kinds = ("Van", "Truck", "Tram", "Pedestrian", "Person_sitting", "Misc", "DontCare", "Cyclist")
    other = "".join(f"{kind} 0.00 0 1.5 1 2 3 4 5 6 7 8 9 10 0.25\n" for kind in kinds)
    write(root, {f"data_object_label_2/training/label_2/{name}.txt": text
                 for name, text in (("000000", other + car), ("000001", car))})  # fmt: skip


@layout(
    "LFWDataset",
    {},
    {"task": "people", "usage": "train", "image_set": "original"},
    {"task": "people", "usage": "10fold", "decode": True},
    {"task": "people", "usage": "test", "image_set": "deepfunneled"},
    {"task": "people", "usage": "all"},
    {"task": "pairs", "usage": "train"},
    {"task": "pairs", "usage": "10fold"},
    {"task": "pairs", "usage": "all", "decode": True},
)
def _lfw(root: Path) -> None:
    images(root, "{lfw,lfw_funneled,lfw-deepfunneled}/{Ann_Lee/Ann_Lee_0001,Ann_Lee/Ann_Lee_0002}.jpg")
    images(root, "{lfw,lfw_funneled,lfw-deepfunneled}/{Bo_Day/Bo_Day_0001,Cy_Fox/Cy_Fox_0001}.jpg")
    write(
        root,
        {
            "lfw-names.txt": "Ann_Lee\t2\nBo_Day\t1\nCy_Fox\t1\n",
            "peopleDevTrain.txt": "2\nAnn_Lee\t2\nCy_Fox\t1\n",
            "peopleDevTest.txt": "1\nBo_Day\t1\n",
            "people.txt": "2\n1\nAnn_Lee\t2\n2\nBo_Day\t1\nCy_Fox\t1\n",
            "pairsDevTrain.txt": "1\nAnn_Lee\t1\t2\nAnn_Lee\t1\tBo_Day\t1\n",
            "pairsDevTest.txt": "1\nAnn_Lee\t2\t1\nCy_Fox\t1\tBo_Day\t1\n",
            "pairs.txt": "2\t1\nAnn_Lee\t1\t2\nAnn_Lee\t1\tBo_Day\t1\nAnn_Lee\t2\t1\nCy_Fox\t1\tAnn_Lee\t2\n",
        },
    )


@layout(
    "LSUNDataset",
    *_PARTS,
    {"usage": "valid"},
    {"usage": "train", "classes": ["classroom"]},
    {"usage": "all", "classes": ["classroom", "bedroom"], "decode": True},
)
def _lsun(root: Path) -> None:
    images(root, "{bedroom,classroom}_{train,val}/{1_2,1_1}.jpg", "test/{2,1}.jpg")


@layout(
    "ManifestDataset",
    {"dataset_file": "@list.manifest"},
    {"dataset_file": "@list.manifest", "usage": "eval", "decode": True},
    {"dataset_file": "@list.manifest", "class_indexing": {"dog": 4, "cat": 9}},
    {"dataset_file": "@list.manifest", "usage": "inference"},
)
def _manifest(root: Path) -> None:
    images(root, "{3,1,2,4}.jpg")
    lines = [
        {"source": f"{root}/{name}.jpg", "usage": usage,
         "annotation": [{"type": "modelarts/image_classification", "name": label} for label in labels]}
        for name, usage, labels in (("3", "train", ["dog"]), ("1", "eval", ["cat"]), ("2", "train", ["cat"]),
                                    ("4", "inference", ["bird"]))
    ]  # fmt: skip
    write(root, {"list.manifest": "\n".join(json.dumps(line) for line in lines) + "\n"})


@layout("OmniglotDataset", {}, {"background": True, "decode": True}, {"background": False})
def _omniglot(root: Path) -> None:
    images(root, "images_{background,evaluation}/{Latin,Greek}/character0{2,1}/{0002_02,0002_01}.png")


@layout(
    "PhotoTourDataset",
    {"name": "liberty"},
    {"name": "liberty", "usage": "train"},
    {"name": "liberty", "usage": "test"},
)
def _photo_tour(root: Path) -> None:
    pixels = np.zeros((1024, 1024, 3), np.uint8)
    pixels[...] = (np.arange(16)[:, None] * 16 + np.arange(16)).repeat(64, 0).repeat(64, 1)[..., None]
    pairs = [(0, 3, 0, 1, 3, 0, 0), (5, 4, 0, 9, 8, 0, 0)]
    write(
        root / "liberty",
        {
            "patches0000.bmp": _bitmap_head(1024, 1024, pixels.size) + pixels[::-1].tobytes(),
            "info.txt": "".join(f"{number // 2} 0\n" for number in range(256)),
            "m50_100000_100000_0.txt": "".join(" ".join(map(str, pair)) + "\n" for pair in pairs),
        },
    )


@layout(
    "Places365Dataset",
    {},
    {"usage": "train-standard", "small": False, "decode": True},
    {"usage": "train-challenge"},
    {"usage": "val"},
    {"usage": "val", "small": False},
)
def _places(root: Path) -> None:
    images(root, "data_{large,256}_{standard,challenge}/a/{airfield,abbey}/{0002,0001}.jpg")
    images(root, "val_{large,256}/Places365_val_0000000{1,2}.jpg")
    train = "/a/airfield/0001.jpg 0\n/a/airfield/0002.jpg 0\n/a/abbey/0002.jpg 1\n"
    write(
        root,
        {
            "categories_places365.txt": "/a/airfield 0\n/a/abbey 1\n",
            "places365_train-standard.txt": train,
            "places365_train-challenge.txt": train,
            "places365_train_standard.txt": train,
            "places365_train_challenge.txt": train,
            "places365_val.txt": "Places365_val_00000001.jpg 1\nPlaces365_val_00000002.jpg 0\n",
        },
    )


@layout("RenderedSST2Dataset", *_PARTS, {"usage": "val", "decode": True})
def _rendered(root: Path) -> None:
    images(root, "{train,valid,test}/{negative,positive}/{0002,0001}.png")


@layout(
    "SBDataset",
    {},
    {"usage": "train", "decode": True},
    {"usage": "val", "task": "Segmentation"},
    {"usage": "train_noval", "task": "Boundaries"},
    {"usage": "all", "task": "Segmentation", "decode": True},
)
def _sbd(root: Path) -> None:
    images(root, "img/2008_00000{1,2,3}.jpg")
    for number in (1, 2, 3):
        # As published: GTcls with Segmentation and Boundaries, a cell of a sparse matrix for each of 20 classes.
        from scipy.sparse import csc_matrix

        edges = np.empty((20, 1), object)
        for at in range(20):
            edges[at, 0] = csc_matrix((np.arange(6).reshape(2, 3) % (at + 2) == number % 2).astype(np.uint8))
        marks = {"Segmentation": (np.arange(6, dtype=np.uint8).reshape(2, 3) + number) % 20, "Boundaries": edges}
        path = root / "cls" / f"2008_00000{number}.mat"
        path.parent.mkdir(exist_ok=True)
        savemat(path, {"GTcls": marks})
    write(root, {"train.txt": "2008_000002\n2008_000001\n", "val.txt": "2008_000003\n"})
    write(root, {"train_noval.txt": "2008_000001\n"})


@layout("SBUDataset", {}, {"decode": True})
def _sbu(root: Path) -> None:
    images(root, "sbu_images/m_3326_{35_ab,42_cd}.jpg")
    urls = ["http://static.flickr.com/3326/42_cd.jpg", "http://static.flickr.com/1/9_none.jpg",
            "http://static.flickr.com/3326/35_ab.jpg"]  # fmt: skip
    write(
        root,
        {
            "SBU_captioned_photo_dataset_urls.txt": "\n".join(urls) + "\n",
            "SBU_captioned_photo_dataset_captions.txt": "A red house.\nNothing.\nTwo boats at sea.\n",
        },
    )


@layout("SUN397Dataset", {}, {"decode": True})
def _sun(root: Path) -> None:
    images(root, "a/{abbey,apartment_building/outdoor}/{sun_b,sun_a}.jpg", "b/badlands/sun_c.jpg")
    write(root, {"ClassName.txt": "/a/abbey\n/a/apartment_building/outdoor\n/b/badlands\n"})


@layout(
    "VOCDataset",
    {},
    {"usage": "val", "decode": True, "extra_metadata": True},
    {"task": "Detection"},
    {"task": "Detection", "decode": True, "extra_metadata": True},
    {"task": "Detection", "class_indexing": {"cat": 5, "dog": 2}},
)
def _voc(root: Path) -> None:
    images(root, "JPEGImages/{1,2,3}.jpg", "SegmentationClass/{1,2,3}.png")
    for name in ("Segmentation", "Main"):
        write(root, {f"ImageSets/{name}/train.txt": "3\n1\n", f"ImageSets/{name}/val.txt": "2\n"})
    for number in (1, 2, 3):
        objects = "".join(
            f"<object><name>{name}</name><pose>Left</pose><truncated>{cut}</truncated><difficult>{hard}</difficult>"
            f"<bndbox><xmin>{number}</xmin><ymin>2</ymin><xmax>5</xmax><ymax>{6 + cut}</ymax></bndbox></object>"
            for name, cut, hard in (("dog", 0, 1), ("cat", 1, 0))[: 1 + number % 2]
        )
        size = "<size><width>3</width><height>2</height><depth>3</depth></size>"
        text = f"<annotation><filename>{number}.jpg</filename>{size}{objects}</annotation>"
        write(root, {f"Annotations/{number}.xml": text})


@layout("WIDERFaceDataset", *_PARTS, {"usage": "valid", "decode": True})
def _wider(root: Path) -> None:
    for part in ("train", "val", "test"):
        images(root, f"WIDER_{part}/images/0--Parade/0_{{1,2}}.jpg")
    notes = ("0--Parade/0_2.jpg\n2\n1 2 3 4 0 1 0 2 1 0 \n5 6 7 8 2 0 1 0 0 1 \n"
             "0--Parade/0_1.jpg\n1\n9 8 7 6 1 1 1 1 0 0 \n")  # fmt: skip
    write(root / "wider_face_split", {f"wider_face_{part}_bbx_gt.txt": notes for part in ("train", "val")})
    write(root / "wider_face_split", {"wider_face_test_filelist.txt": "0--Parade/0_2.jpg\n0--Parade/0_1.jpg\n"})


@layout("CMUArcticDataset", {}, {"name": "ahw"})
def _arctic(root: Path) -> None:
    for name in ("aew", "ahw"):
        folder = f"cmu_us_{name}_arctic"
        sound(root, f"{folder}/wav/arctic_a000{{1,2}}.wav", rate=16000)
        text = '( arctic_a0002 "Not at this, please." )\n( arctic_a0001 "Author of the danger." )\n'
        write(root, {f"{folder}/etc/txt.done.data": text})


@layout("GTZANDataset", *_PARTS, {"usage": "valid"})
def _gtzan(root: Path) -> None:
    for name in ("blues", "classical", "country", "disco", "hiphop", "jazz", "metal", "pop", "reggae", "rock"):
        sound(root, f"{name}/{name}.000{{05,12,93}}.wav", rate=22050)


@layout("LJSpeechDataset", {})
def _lj_speech(root: Path) -> None:
    sound(root, "wavs/LJ001-000{1,2}.wav", rate=22050)
    write(root, {"metadata.csv": "LJ001-0002|in 1875|in eighteen\nLJ001-0001|Printing, only|Printing, only\n"})


@layout("LibriTTSDataset", {}, {"usage": "dev-clean"}, {"usage": "all"}, {"usage": "train-clean-100"})
def _libri(root: Path) -> None:
    for part, speaker, chapter in (("dev-clean", 116, 288045), ("dev-clean", 84, 12), ("train-clean-100", 19, 198)):
        stem = f"{speaker}_{chapter}"
        folder = f"{part}/{speaker}/{chapter}/{stem}"
        sound(root, f"{folder}_000003_00000{{0,1}}.wav", rate=24000)
        rows = [f"{stem}_000003_00000{number}\tPART ONE {number}\tPart one {number}" for number in (1, 0)]
        write(root, {f"{folder}.trans.tsv": "\n".join(rows) + "\n"})


@layout("SpeechCommandsDataset", *_PARTS, {"usage": "valid"})
def _commands(root: Path) -> None:
    sound(root, "{cat,dog}/{5a33edf_nohash_1,b433eff_nohash_0,c1_nohash_2}.wav", "_background_noise_/hum.wav")
    write(root, {"testing_list.txt": "cat/5a33edf_nohash_1.wav\n", "validation_list.txt": "dog/c1_nohash_2.wav\n"})


@layout(
    "TedliumDataset", *[{"release": "release1", **part} for part in _PARTS], {"release": "release1", "usage": "dev"}
)
def _tedlium(root: Path) -> None:
    for part in ("train", "test", "dev"):
        _talk(root / part, f"Al{part}", part)
    _talk(root / "dev", "Zoe", "at the end")


@layout("TedliumDataset", {"release": "release3"}, {"release": "release3", "usage": "all"}, folder="Tedlium3")
def _tedlium3(root: Path) -> None:
    _talk(root / "data", "Alexa", "data")


def _talk(folder: Path, name: str, part: str) -> None:
    samples = ((np.arange(16000) * 31) % 65536 - 32768).astype("<i2").tobytes()
    facts = {"sample_count -i": 16000, "sample_n_bytes -i": 2, "channel_count -i": 1, "sample_byte_format -s2": "01",
             "sample_rate -i": 16000, "sample_coding -s3": "pcm", "sample_sig_bits -i": 16}  # fmt: skip
    head = "NIST_1A\n   1024\n" + "".join(f"{key} {value}\n" for key, value in facts.items()) + "end_head\n"
    lines = [f"{name} 1 {name} 0.00 0.25 <o,f0,male> hello {part}", f"{name} 1 {name} 0.50 1.00 <o,f0,male> again you"]
    write(folder, {f"sph/{name}.sph": head.encode().ljust(1024) + samples, f"stm/{name}.stm": "\n".join(lines) + "\n"})


@layout("YesNoDataset", {})
def _yes_no(root: Path) -> None:
    sound(root, "{1_1_0_0_1_1_0_0,0_1_0_0_1_1_0_1}.wav")


def made(name: str, root: Path) -> Path:
    """Write the folder of that name below a folder, and return where."""
    folder = root / name
    folder.mkdir()
    FOLDERS[name](folder)
    return folder


def arguments_of(name: str, folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a case, with paths, and rows in the order of the files."""
    given = {key: str(folder / value[1:]) if str(value).startswith("@") else value for key, value in arguments.items()}
    inner = {"CocoDataset": "images", "FlickrDataset": "Images"}.get(name, "")
    start = {} if "dataset_file" in given else {"dataset_dir": str(folder / inner)}
    return {**start, "shuffle": False, **given}


def shown(value: Any) -> Any:
    """Return data type, shape, and elements or their checksum."""
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        return array.astype(str).tolist()
    if array.size <= 12:
        return [array.dtype.name, list(array.shape), array.tolist()]
    return [array.dtype.name, list(array.shape), zlib.crc32(np.ascontiguousarray(array).tobytes())]


def read(ds: Any, name: str, folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the columns, the number of rows, and the first rows of a data set."""
    data = getattr(ds, name)(**arguments_of(name, folder, arguments))
    # Before the size: MindSpore counts some data sets right only after they were read.
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    return {
        "columns": data.get_col_names(),
        "size": data.get_dataset_size(),
        "classes": data.num_classes(),
        "rows": [[shown(value) for value in row.values()] for row in rows[:9]],
    }
