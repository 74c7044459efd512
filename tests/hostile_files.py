"""Files of all kinds that loaders read, ways to damage them, and a program that loads damaged ones.

`python tests/hostile_files.py SEED COUNT MEMORY [KIND ...]` prints a line of JSON for each file before and after it is
loaded, so that who started it sees which file ended it. The memory that a file may take is limited, and so is its time.
"""

# ruff: noqa: E501
from __future__ import annotations

import gzip
import io
import json
import os
import pathlib
import random
import re
import signal
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

import torchspore as ms
import torchspore.dataset as ds
from torchspore import migrate, mindrecord
from torchspore.dataset import text, transforms, vision
from torchspore.mindrecord.tfrecord_file import pack_example, write_records
from torchspore.serialization.sharded import ParameterLayout, write_strategy

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "dataset")]
from text_file_cases import FILES  # noqa: E402

SECONDS = 20  # for one file
ROWS = 3  # of a dataset are read

Folder = pathlib.Path


class Kind(NamedTuple):
    """A kind of file: what writes a good one, what loads it, and whether a loader is given its path."""

    write: Callable[[Folder], Folder]
    load: Callable[[Folder], Any]
    has_path: bool = True


# Good files


def _saved(folder: Folder, **options: Any) -> Folder:
    format = options.get("format", "ckpt")
    net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.BatchNorm1d(2))
    ms.save_checkpoint(net, folder / f"damaged.{format}", **options)
    return folder / f"damaged.{format}"


def _of_torch(folder: Folder, index: bool = False, **options: Any) -> Folder:
    """Write weights as torch does, and return the file or the index of its only part."""
    state = {"state_dict": migrate.to_torch(ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.BatchNorm1d(2)))}
    torch.save(state, folder / "damaged.pth", **options)
    if not index:
        return folder / "damaged.pth"
    names = dict.fromkeys(state["state_dict"], "damaged.pth")
    (folder / "damaged.index.json").write_text(json.dumps({"weight_map": names}))
    return folder / "damaged.index.json"


def _strategy(folder: Folder, ending: str) -> Folder:
    layouts = {"weight": ParameterLayout((2, 2), (0, -1)), "bias": ParameterLayout((4,), (-1,), 2, 1)}
    write_strategy(str(folder / f"damaged.{ending}"), layouts)
    return folder / f"damaged.{ending}"


def _of_ranks(folder: Folder, format: str = "ckpt") -> Folder:
    for rank in range(2):
        (folder / f"old/rank_{rank}").mkdir(parents=True, exist_ok=True)
        values = {"w": ms.Tensor(np.ones((2, 3), np.float32))}
        ms.save_checkpoint(values, folder / f"old/rank_{rank}/damaged.{format}", format=format)
    write_strategy(str(folder / "rows.ckpt"), {"w": ParameterLayout((2,), (0, -1))})
    return folder / f"old/rank_1/damaged.{format}"


def _joined(path: Folder) -> Any:
    folder = path.parents[2]
    return ms.transform_checkpoints(str(folder / "old"), str(folder / "new"), "net", str(folder / "rows.ckpt"))


def _unified(folder: Folder, name: str) -> Folder:
    _of_ranks(folder, "safetensors")
    ms.parallel.unified_safetensors(str(folder / "old"), str(folder / "rows.ckpt"), str(folder / "all"))
    return folder / "all" / name


def _split(path: Folder) -> Any:
    given = {"format": "safetensors", "dst_safetensors_dir": str(path.parents[1] / "new")}
    return ms.load_distributed_checkpoint(None, unified_safetensors_dir=str(path.parent), **given)


def _moved(path: Folder) -> Any:
    net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.BatchNorm1d(2))
    return migrate.load_torch(net, path, strict=False)


def _network() -> Any:
    return ms.nn.SequentialCell(ms.nn.Conv2d(1, 2, 3), ms.nn.BatchNorm2d(2), ms.nn.ReLU(), ms.nn.Flatten(), ms.nn.Dense(50, 3))  # fmt: skip


IMAGE = ms.Tensor(np.ones((1, 1, 5, 5), np.float32))
KEY = b"0123456789abcdef"
_PROGRAMS: dict[str, bytes] = {}


def _exported(folder: Folder, name: str = "damaged.pt2", **options: Any) -> Folder:
    path = folder / ("damaged.mindir" if options else name)
    kind = f"{path.name} {sorted(options)}"
    if kind not in _PROGRAMS:
        ms.export(_network(), IMAGE, file_name=path, file_format=path.suffix[1:].upper(), **options)
        _PROGRAMS[kind] = path.read_bytes()
    path.write_bytes(_PROGRAMS[kind])
    return path


def _step() -> Any:
    net = ms.nn.Dense(3, 2)
    return ms.nn.TrainOneStepCell(net, ms.nn.Momentum(net.trainable_params(), 0.1, 0.9))


def _data() -> Any:
    return ds.NumpySlicesDataset(list(range(6)), ["x"]).batch(2).create_tuple_iterator(num_epochs=2)


def _training(folder: Folder) -> Folder:
    ms.train.save_training_state(folder / "damaged.ckpt", _step(), _data(), epoch=3)
    return folder / "damaged.ckpt"


def _image(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (9, 7, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, kind, **options)
    return file.getvalue()


def _bytes(name: str, content: bytes | str) -> Callable[[Folder], Folder]:
    def write(folder: Folder) -> Folder:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def _beside(prefix: str, name: str) -> Callable[[Folder], Folder]:
    """Write all files of a collection, of which `name` is to be damaged."""

    def write(folder: Folder) -> Folder:
        for each, content in FILES.items():
            if each.startswith(prefix):
                _bytes(each, content)(folder)
        return folder / name

    return write


def _both(first: Callable[[Folder], Folder], second: Callable[[Folder], Folder]) -> Callable[[Folder], Folder]:
    def write(folder: Folder) -> Folder:
        second(folder)
        return first(folder)

    return write


_IMAGES = _bytes("train-images-idx3-ubyte", (2051).to_bytes(4, "big") + b"\0\0\0\2\0\0\0\3\0\0\0\4" + bytes(24))
_LABELS = _bytes("train-labels-idx1-ubyte", (2049).to_bytes(4, "big") + b"\0\0\0\2" + bytes(2))


# Loaders


def _rows(data: Any) -> list[Any]:
    rows = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    return [row for _, row in zip(range(ROWS), rows)]


def _collection(name: str, depth: int, *arguments: Any) -> Callable[[Folder], Any]:
    """Return what reads a collection whose folder is `depth` above the damaged file."""
    return lambda path: _rows(getattr(ds, f"{name}Dataset")(str(path.parents[depth]), *arguments, shuffle=False))


def _files(name: str, *arguments: Any, **options: Any) -> Callable[[Folder], Any]:
    return lambda path: _rows(getattr(ds, f"{name}Dataset")(str(path), *arguments, shuffle=False, **options))


def _ran(path: Folder, **options: Any) -> Any:
    graph = ms.load(path, **options)
    return ms.nn.GraphCell(graph)(IMAGE)


def _resumed(path: Folder) -> Any:
    return ms.train.load_training_state(path, _step(), _data())


def _learned(path: Folder) -> Any:
    return text.SentencePieceVocab.from_file([str(path)], 12, 1.0, text.SentencePieceModel.CHAR, {})


_PIECES: list[bytes] = []


def _pieces(folder: Folder) -> Folder:
    if not _PIECES:
        lines = ds.NumpySlicesDataset(["deep sea", "sea", "see"] * 9, ["line"], shuffle=False)
        vocab = text.SentencePieceVocab.from_dataset(lines, [], 12, 1.0, text.SentencePieceModel.CHAR, {})
        _PIECES.append(vocab._model)
    return _bytes("damaged.model", _PIECES[0])(folder)


def _divided(path: Folder) -> Any:
    return text.SentencePieceTokenizer(str(path), text.SPieceTokenizerOutType.STRING)("deep sea")


def _configured(path: Folder) -> None:
    before = ds.config.get_seed(), ds.config.get_prefetch_size(), ds.config.get_num_parallel_workers()
    try:
        ds.config.load(str(path))
    except Exception:
        after = ds.config.get_seed(), ds.config.get_prefetch_size(), ds.config.get_num_parallel_workers()
        assert before == after, "half of a bad file was applied"
        raise
    finally:
        ds.config.set_seed(before[0])
        ds.config.set_prefetch_size(before[1])
        ds.config.set_num_parallel_workers(before[2])


_WORDS, _MODEL = "深海 10 n\n鱼 20 n\n", "\n".join(["-1 -1 -1 -1"] * 5 + ["鱼:-1,深:-2"] * 4)


def _tokenized(model: Folder, words: Folder, more: Folder | None = None) -> Any:
    tokenizer = text.JiebaTokenizer(str(model), str(words))
    if more is not None:
        tokenizer.add_dict(str(more))
    return tokenizer("深海鱼, deep")


def _decoded(path: Folder) -> Any:
    return vision.Decode()(np.fromfile(path, np.uint8))


def _asked(path: Folder) -> Any:
    return ms.train.OnRequestExit(save_ckpt=False, save_mindir=False, config_file=str(path))._requested_by_file()


def _recorded(folder: Folder, name: str = "damaged", key: str | None = None) -> Folder:
    """Write a file of MindRecord, all of which is in use, and return it or its index."""
    fields = {
        "n": {"type": "int32"},
        "s": {"type": "string"},
        "b": {"type": "bytes"},
        "a": {"type": "int64", "shape": [-1]},
    }
    mindrecord.set_enc_key(key)
    writer = mindrecord.FileWriter(str(folder / "damaged"), overwrite=True)
    writer.add_schema(fields)
    writer.set_header_size(2**14)
    writer.set_page_size(2**15)
    writer.write_raw_data(
        [{"n": n, "s": "sea" * n, "b": bytes(n), "a": np.array([n, 3**n])} for n in range(1, ROWS + 1)]
    )
    writer.commit()
    mindrecord.set_enc_key(None)
    return folder / name


def _records(path: Folder, key: str | None = None) -> Any:
    mindrecord.set_enc_key(key)
    try:
        rows = list(mindrecord.FileReader(str(path).removesuffix(".db")).get_next())
        return rows, _rows(ds.MindDataset(str(path).removesuffix(".db"), shuffle=False))
    finally:
        mindrecord.set_enc_key(None)


def _examples(folder: Folder, compressed: bool = False) -> Folder:
    file = io.BytesIO()
    write_records(file, [pack_example({"n": np.array([n, 3**n]), "s": [b"sea"] * n}) for n in range(1, ROWS + 1)])
    return _bytes("damaged", gzip.compress(file.getvalue()) if compressed else file.getvalue())(folder)


_SCHEMA = {"datasetType": "TF", "numRows": 3, "columns": {"x": {"type": "int64", "rank": 1, "shape": [2]}}}
_CONFIG = {"seed": 7, "prefetchSize": 5, "numParallelWorkers": 2}
_DEEP = "deep 1 2 3\nsea 4 5 6\nsky 7 8 9\n"
_PAIR = "DeEnItNlRo"
_TALKS_2017 = f"talks/texts/{_PAIR}/{_PAIR}/{_PAIR}-{_PAIR}"
_GRAMS = "2gram-se 1 2\n3gram-sea 3 4\n"


def _pipeline(folder: Folder) -> Folder:
    data = ds.FakeImageDataset(3, (4, 4, 3), sampler=ds.PKSampler(1)) + ds.FakeImageDataset(2, (4, 4, 3), shuffle=False)
    changes = [vision.RandomCrop(3, 1), transforms.Mask(transforms.Relational.GT, 2), vision.Pad((1, 2))]
    data = data.map(changes, "image", ["x"]).padded_batch(2, pad_info={"label": ([], 1)}).repeat(2).skip(1)
    ds.serialize(ds.zip((data, ds.RandomDataset(3).rename(["c0"], ["z"]))), str(folder / "damaged.json"))
    return folder / "damaged.json"


KINDS: dict[str, Kind] = {
    "pipeline": Kind(_pipeline, lambda p: ds.deserialize(json_filepath=str(p))),
    "checkpoint": Kind(lambda f: _saved(f, append_dict={"step": 3, "name": "deep sea"}), ms.load_checkpoint),
    "checkpoint with CRC": Kind(lambda f: _saved(f, crc_check=True), lambda p: ms.load_checkpoint(p, crc_check=True)),
    "checkpoint into network": Kind(_saved, lambda p: ms.load_checkpoint(p, ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.BatchNorm1d(2)))),
    "encrypted checkpoint": Kind(lambda f: _saved(f, enc_key=KEY), lambda p: ms.load_checkpoint(p, dec_key=KEY)),
    "CBC checkpoint": Kind(lambda f: _saved(f, enc_key=KEY, enc_mode="AES-CBC"), lambda p: ms.load_checkpoint(p, dec_key=KEY, dec_mode="AES-CBC")),
    "safetensors": Kind(lambda f: _saved(f, format="safetensors"), lambda p: ms.load_checkpoint(p, format="safetensors")),
    "converted checkpoint": Kind(_saved, lambda p: ms.ckpt_to_safetensors(str(p), str(p.parent / "out"))),
    "converted safetensors": Kind(lambda f: _saved(f, format="safetensors"), lambda p: ms.safetensors_to_ckpt(str(p), str(p.parent / "out"))),
    "strategy": Kind(lambda f: _strategy(f, "ckpt"), lambda p: ms.rank_list_for_transform(0, str(p))),
    "JSON strategy": Kind(lambda f: _strategy(f, "json"), lambda p: ms.rank_list_for_transform(0, str(p))),
    "group information": Kind(_bytes("damaged.pb", b"\x12\x04\x08\x00\x08\x02"), lambda p: ms.restore_group_info_list(str(p))),
    "checkpoint of a rank": Kind(_of_ranks, _joined),
    "list of unified files": Kind(lambda f: _unified(f, "param_name_map.json"), _split),
    "unified file": Kind(lambda f: _unified(f, "part0.safetensors"), _split),
    "torch weights": Kind(_of_torch, _moved),
    "old torch weights": Kind(lambda f: _of_torch(f, _use_new_zipfile_serialization=False), _moved),
    "mapped safetensors": Kind(lambda f: _saved(f, format="safetensors"), _moved),
    "index of torch weights": Kind(lambda f: _of_torch(f, index=True), _moved),
    "graph": Kind(_exported, _ran),
    "MINDIR": Kind(lambda f: _exported(f, "damaged.mindir"), _ran),
    "encrypted graph": Kind(lambda f: _exported(f, enc_key=KEY), lambda p: _ran(p, dec_key=KEY)),
    "ONNX": Kind(lambda f: _exported(f, "damaged.onnx"), _ran),
    "training state": Kind(_training, _resumed),
    "MindRecord": Kind(_recorded, _records),
    "index of MindRecord": Kind(lambda f: _recorded(f, "damaged.db"), _records),
    "encrypted MindRecord": Kind(lambda f: _recorded(f, key=KEY.decode()), lambda p: _records(p, KEY.decode())),
    "TFRecord": Kind(_examples, _files("TFRecord")),
    "compressed TFRecord": Kind(lambda f: _examples(f, compressed=True), _files("TFRecord", compression_type="GZIP")),
    "exit request": Kind(_bytes("damaged.json", '{"GracefulExit": 1}'), _asked),
    "dataset config": Kind(_bytes("damaged.json", json.dumps(_CONFIG)), _configured),
    "schema": Kind(_bytes("damaged.json", json.dumps(_SCHEMA)), lambda p: ds.Schema(str(p))),
    "vocabulary": Kind(_bytes("damaged.txt", "deep,7\nsea,3\nsky,1\n"), lambda p: text.Vocab.from_file(str(p), ",")),
    "vectors": Kind(_bytes("damaged.txt", _DEEP), lambda p: text.Vectors.from_file(str(p))),
    "GloVe": Kind(_bytes("glove.6B.3d.txt", _DEEP), lambda p: text.GloVe.from_file(str(p))),
    "FastText": Kind(_bytes("damaged.vec", "3 3\n" + _DEEP), lambda p: text.FastText.from_file(str(p))),
    "CharNGram": Kind(_bytes("damaged.txt", _GRAMS), lambda p: text.CharNGram.from_file(str(p))),
    "Jieba words": Kind(_both(_bytes("damaged.txt", _WORDS), _bytes("model", _MODEL)), lambda p: _tokenized(p.parent / "model", p)),
    "Jieba model": Kind(_both(_bytes("damaged.txt", _MODEL), _bytes("words", _WORDS)), lambda p: _tokenized(p, p.parent / "words")),
    "Jieba user words": Kind(
        _both(_bytes("damaged.txt", "深 3 n\n海\n"), _both(_bytes("words", _WORDS), _bytes("model", _MODEL))),
        lambda p: _tokenized(p.parent / "model", p.parent / "words", p),
    ),
    "SentencePiece model": Kind(_pieces, _divided),
    "SentencePiece text": Kind(_bytes("damaged.txt", "deep sea\nsea\nsee\n" * 5), _learned),
    **{
        f"{function} {name}": Kind(_bytes(f"c/damaged.{ending}", content), load, function != "Decode")
        for function, load in (
            ("read_image", lambda p: vision.read_image(str(p))),
            ("gray read_image", lambda p: vision.read_image(str(p), vision.ImageReadMode.GRAYSCALE)),
            ("Decode", _decoded),
            ("ImageFolder", lambda p: _rows(ds.ImageFolderDataset(str(p.parents[1]), decode=True, shuffle=False))),
        )
        for name, ending, content in (
            ("JPEG", "jpg", _image("jpeg")), ("PNG", "png", _image("png")), ("BMP", "bmp", _image("bmp")),
            ("TIFF", "tif", _image("tiff")), ("TIFF with LZW", "tif", _image("tiff", compression="tiff_lzw")),
            ("palette", "png", _image("png", "P")), ("PPM", "ppm", _image("ppm")), ("GIF", "jpg", _image("gif")),
            ("EPS", "jpg", _image("eps")),
        )
    },
    "MNIST images": Kind(_both(_IMAGES, _LABELS), _collection("Mnist", 0, "train")),
    "MNIST labels": Kind(_both(_LABELS, _IMAGES), _collection("Mnist", 0, "train")),
    "CIFAR-10": Kind(_bytes("test_batch.bin", bytes(3073) * 2), _collection("Cifar10", 0, "test")),
    "CIFAR-100": Kind(_bytes("test.bin", bytes(3074) * 2), _collection("Cifar100", 0, "test")),
    "text": Kind(_beside("a.txt", "a.txt"), _files("TextFile")),
    "CSV": Kind(_beside("h.csv", "h.csv"), _files("CSV", column_defaults=[0, "", 0.25])),
    "CSV without names": Kind(_beside("n.csv", "n.csv"), _files("CSV", column_names=["a", "b", "c"])),
    **{
        f"CLUE {task}": Kind(_beside(f"clue/{task}", f"clue/{task}.json"), _files("CLUE", task))
        for task in ("AFQMC", "CMNLI", "CSL", "IFLYTEK", "TNEWS", "WSC")
    },
    "IMDB": Kind(_beside("imdb/", "imdb/test/pos/a_2.txt"), _collection("IMDB", 2, "test")),
    "AGNews": Kind(_beside("ag/", "ag/train.csv"), _collection("AGNews", 0, "train")),
    "AmazonReview": Kind(_beside("amazon/", "amazon/train.csv"), _collection("AmazonReview", 0, "train")),
    "DBpedia": Kind(_beside("db/", "db/train.csv"), _collection("DBpedia", 0, "train")),
    "SogouNews": Kind(_beside("sogou/", "sogou/train.csv"), _collection("SogouNews", 0, "train")),
    "YahooAnswers": Kind(_beside("yahoo/", "yahoo/train.csv"), _collection("YahooAnswers", 0, "train")),
    "YelpReview": Kind(_beside("yelp/", "yelp/train.csv"), _collection("YelpReview", 0, "train")),
    "EnWik9": Kind(_beside("enwik9/", "enwik9/enwik9"), _collection("EnWik9", 0)),
    "PennTreebank": Kind(_beside("ptb/", "ptb/ptb.test.txt"), _collection("PennTreebank", 0, "test")),
    "WikiText": Kind(_beside("wiki/", "wiki/wiki.train.tokens"), _collection("WikiText", 0, "train")),
    "SST2": Kind(_beside("sst2/", "sst2/train.tsv"), _collection("SST2", 0, "train")),
    "SQuAD": Kind(_beside("squad/", "squad/train-v1.1.json"), _collection("SQuAD", 0, "train")),
    "CoNLL2000": Kind(_beside("conll/", "conll/train.txt"), _collection("CoNLL2000", 0, "train")),
    "UDPOS": Kind(_beside("udpos/", "udpos/en-ud-tag.v2.train.txt"), _collection("UDPOS", 0, "train")),
    "Multi30k": Kind(_beside("m30/", "m30/training/train.en"), _collection("Multi30k", 1, "train")),
    "IWSLT2016": Kind(
        _beside("talks/", "talks/texts/de/en/de-en/IWSLT16.TED.tst2013.de-en.de.xml"),
        _collection("IWSLT2016", 4, "valid"),
    ),
    "IWSLT2017": Kind(_beside("talks/", f"{_TALKS_2017}/train.tags.de-en.de"), _collection("IWSLT2017", 4, "train")),
}  # fmt: skip


# Damages

_NUMBERS = ["-1", "0", "1e999", "-0.0", "NaN", "1" * 30, "9" * 5000, "4294967296", "9223372036854775808", "true", "null", '""', "[]", "{}", "[[]]", '"x"', "1.5"]  # fmt: skip
_INTERESTING = [bytes(4), b"\xff" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x80\0\0\0", bytes(8), b"\xff" * 8, b"\xff\xfe", b"\xed\xa0\x80", b"\0"]  # fmt: skip
_OTHERS = [
    b"", b"\0", b"\n", b"PK\3\4" + bytes(30), b"\x80\4\x95" + bytes(20), b"{}", b"[]", b"null", b"3", b'"x"',
    b"\xff\xfe\0", b"[" * 100_000, b'{"a":' * 100_000, b"<a>" * 100_000, b"<!DOCTYPE a [<!ENTITY b 'b'>]><a>&b;</a>",
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n", b'"' * 200_001, b"a," * 200_000, bytes(4096),
    b'{"seed": 1, "numParallelWorkers": -4}', b'{"columns": [{"name": 3, "type": 4}]}', b"\xef\xbb\xbf{}", b"a" * 300_000,
    b"<a>" * 50_000 + b"</a>" * 50_000, b"<?xml version='1.0' encoding='unknown'?><a/>",
]  # fmt: skip


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return bytes that differ from a good file's."""
    kinds = [_flip, _truncate, _splice, _duplicate, _number, _extend, _other]
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        content = chance.choice(kinds)(content, chance)
    return content


def _place(content: bytes, chance: random.Random) -> int:
    """Return a position: as often among the first bytes, where headers are, as anywhere."""
    return chance.randrange(min(len(content), 64) + 1) if chance.random() < 0.5 else chance.randrange(len(content) + 1)


def _flip(content: bytes, chance: random.Random) -> bytes:
    result = bytearray(content)
    for _ in range(chance.choice([1, 1, 3, 20])):
        at = _place(content, chance)
        if at < len(result):
            result[at] = chance.choice([result[at] ^ 1 << chance.randrange(8), chance.randrange(256), 0, 255])
    return bytes(result)


def _truncate(content: bytes, chance: random.Random) -> bytes:
    return content[: _place(content, chance)]


def _splice(content: bytes, chance: random.Random) -> bytes:
    at = _place(content, chance)
    return (
        content[:at] + chance.choice([*_INTERESTING, chance.randbytes(8)]) + content[at + chance.choice([0, 1, 4, 8]) :]
    )


def _duplicate(content: bytes, chance: random.Random) -> bytes:
    start, at = _place(content, chance), _place(content, chance)
    return content[:at] + content[start : start + chance.choice([1, 8, 64, len(content)])] + content[at:]


def _number(content: bytes, chance: random.Random) -> bytes:
    """Put another number or value in the place of a number in a text, or of four bytes elsewhere."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?|\"\w*\"|\[[^\[\]]*\]|\{[^{}]*\}", content[:200_000]))
    if not found:
        return _splice(content, chance)
    part = chance.choice(found)
    return content[: part.start()] + chance.choice(_NUMBERS).encode() + content[part.end() :]


def _extend(content: bytes, chance: random.Random) -> bytes:
    return content + chance.choice([b"\0", b"\n", content, chance.randbytes(9), b"\n" + chance.choice(_OTHERS)[:99]])


def _other(content: bytes, chance: random.Random) -> bytes:
    return chance.choice(_OTHERS) if chance.random() < 0.5 else content


def rezipped(content: bytes, chance: random.Random) -> bytes:
    """Return an archive that is whole, of which a member is damaged."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(result, "w") as new:
        names = [name for name in old.namelist() if name.endswith("json") or "weight" in name]
        chosen = chance.choice([name for name in names if name.endswith("model.json")] + names)
        for member in old.namelist():
            data = old.read(member)
            if member == chosen:
                data = _in_json(data, chance) if chance.random() < 0.7 else damaged(data, chance)
            new.writestr(member, data)
    return result.getvalue()


def _in_json(data: bytes, chance: random.Random) -> bytes:
    """Return complete JSON with some values replaced."""
    try:
        tree = json.loads(data)
    except ValueError:
        return damaged(data, chance)
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                collect(node[key])

    collect(tree)
    for _ in range(chance.choice([1, 1, 2, 3])):
        node, key = chance.choice(places)
        if isinstance(node, dict) and key not in node:
            continue
        other, inside = chance.choice(places)
        values = [None, -1, 0, 2**31, 2**63, 10**12, "x", "", [], {}, True, 1.5, [10**12], node[key]]
        values.append(other[inside] if isinstance(other, list) or inside in other else 0)
        node[key] = json.loads(json.dumps(chance.choice(values)))
        if isinstance(node, dict) and chance.random() < 0.2:
            del node[key]
    return json.dumps(tree).encode()


# The program


def outcome(kind: Kind, path: Folder) -> str:
    """Return how loading a file ends: "read", "named", or what came instead."""
    try:
        kind.load(path)
    except MemoryError:
        return "MemoryError"
    except Exception as error:
        words = str(error)
        if words.startswith("For '") and len(words) < 3000 and (not kind.has_path or path.name in words):
            return "named"
        return f"{type(error).__name__}: {words[:200]}"
    return "read"


def main(seed: str, count: int, memory: int, names: list[str]) -> None:
    """Load damaged files of some kinds, each with the memory that the process has then and a little more."""
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for name in names:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        with tempfile.TemporaryDirectory() as folder:
            kind = KINDS[name]
            path = kind.write(Folder(folder))
            outcome(kind, path)  # so that what a loader imports counts as the process's own memory
            used = int(Folder("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + memory, resource.RLIM_INFINITY))
            if kind.has_path:
                _load_others(name, kind, path)
            _load_damaged(name, kind, path, seed, count)


def _not_files(path: Folder) -> Iterator[str]:
    """Replace a file by something that is not one."""
    for name, make in {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "circle": lambda: path.symlink_to(path),
        "nothing": lambda: path.symlink_to(path.parent / "none"),
    }.items():
        make()
        yield name
        (path.rmdir if name == "folder" else path.unlink)()


def _load_others(name: str, kind: Kind, path: Folder) -> None:
    good = path.read_bytes()
    path.unlink()
    for what in _not_files(path):
        _load(name, what, kind._replace(has_path=False), path)
    path.write_bytes(good)


def _load(name: str, number: int | str, kind: Kind, path: Folder) -> None:
    print(json.dumps([name, number, None]), flush=True)
    signal.alarm(SECONDS)
    result = outcome(kind, path)
    signal.alarm(0)
    print(json.dumps([name, number, result]), flush=True)


def _load_damaged(name: str, kind: Kind, path: Folder, seed: str, count: int) -> None:
    good = path.read_bytes()
    for number in range(count):
        path.write_bytes(changed(name, good, seed, number))
        _load(name, number, kind, path)


def changed(name: str, good: bytes, seed: str, number: int) -> bytes:
    """Return one of the damaged files of a kind."""
    chance = random.Random(f"{name} {seed} {number}")
    change = rezipped if name == "graph" and chance.random() < 0.7 else damaged
    return change(good, chance)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or list(KINDS))
