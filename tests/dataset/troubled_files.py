"""Sources whose files change, vanish or are no files while they are read, in processes with limits.

`python tests/dataset/troubled_files.py SEED COUNT` tries COUNT random troubles and prints what went wrong: a process
that does not end, an error that does not name the source, or something that is left behind.
"""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import signal
import stat
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import torchspore as ms
import torchspore.dataset as ds
from torchspore import mindrecord
from torchspore.mindrecord.tfrecord_file import pack_example, write_records

sys.path[:0] = [os.path.dirname(__file__)]
from published_folders import CASES, FOLDERS, arguments_of  # noqa: E402

SECONDS = 30  # for one trouble
ROWS = 300

Path = pathlib.Path


# Sources: a function writes the files into a folder, and another one returns the dataset


def _write_records(folder: Path) -> None:
    for number in range(2):
        with open(folder / f"{number}.tfrecord", "wb") as file:
            write_records(file, [pack_example({"x": np.arange(9) + row, "s": [b"text"]}) for row in range(20)])


def _write_mindrecord(folder: Path) -> None:
    writer = mindrecord.FileWriter(str(folder / "a.mindrecord"), 2)
    writer.add_schema({"x": {"type": "int64", "shape": [-1]}, "s": {"type": "string"}, "b": {"type": "bytes"}})
    writer.write_raw_data([{"x": np.arange(9) + row, "s": "text", "b": b"bytes" * row} for row in range(40)])
    writer.commit()


def _write_texts(folder: Path) -> None:
    for number in range(3):
        (folder / f"{number}.txt").write_text("".join(f"line {row}\n" for row in range(30)))
        (folder / f"{number}.csv").write_text("a,b\n" + "".join(f"{row},{number}\n" for row in range(30)))


def _schema(folder: Path) -> ds.Schema:
    schema = ds.Schema()
    schema.add_column("x", ms.int32, [2])
    (folder / "schema.json").write_text(schema.to_json())
    return schema


def _published(name: str, key: str, arguments: dict[str, Any]) -> tuple[Callable[[Path], Any], Callable[[Path], Any]]:
    return FOLDERS[key], lambda folder: getattr(ds, name)(**arguments_of(name, folder, arguments))


SOURCES: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "TFRecordDataset": (
        _write_records,
        lambda f: ds.TFRecordDataset([str(f / f"{n}.tfrecord") for n in range(2)], shuffle=False),
    ),
    "MindDataset": (_write_mindrecord, lambda f: ds.MindDataset(str(f / "a.mindrecord0"), shuffle=False)),
    "TextFileDataset": (_write_texts, lambda f: ds.TextFileDataset(str(f / "*.txt"), shuffle=False)),
    "CSVDataset": (_write_texts, lambda f: ds.CSVDataset(str(f / "*.csv"), shuffle=False)),
    "RandomDataset": (_schema, lambda f: ds.RandomDataset(5, str(f / "schema.json"))),
    **{f"{name} {number}": _published(name, key, more) for number, (name, key, more) in enumerate(CASES)},
}


# Troubles of a file


def _vanishes(path: Path, draw: random.Random) -> None:
    path.unlink()


def _shrinks(path: Path, draw: random.Random) -> None:
    os.truncate(path, draw.randrange(path.stat().st_size + 1))


def _grows(path: Path, draw: random.Random) -> None:
    with open(path, "ab") as file:
        file.write(draw.randbytes(draw.choice([1, 100, 5000])))


def _becomes_a_pipe(path: Path, draw: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _becomes_a_folder(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.mkdir()


def _becomes_a_loop(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _becomes_a_device(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _is_replaced(path: Path, draw: random.Random) -> None:
    others = [each for each in path.parent.rglob("*") if each.is_file() and each != path]
    if others:
        shutil.copy(draw.choice(others), path)


def _is_forbidden(path: Path, draw: random.Random) -> None:
    path.chmod(0)
    path.parent.chmod(draw.choice([0, stat.S_IXUSR]))


def _has_few_descriptors(path: Path, draw: random.Random) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + draw.randrange(3),) * 2)


TROUBLES = [
    _vanishes, _shrinks, _grows, _becomes_a_pipe, _becomes_a_folder, _becomes_a_loop, _becomes_a_device, _is_replaced,
    _is_forbidden, _has_few_descriptors,
]  # fmt: skip


def troubled(name: str, folder: Path, draw: random.Random) -> str:
    """Read a source in trouble, and return what went wrong, if anything."""
    write, make = SOURCES[name]
    write(folder)
    if os.getuid() == 0:  # to whom nothing is forbidden
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, 65534, 65534)
        os.setuid(65534)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    trouble, path, when = draw.choice(TROUBLES), draw.choice(files), draw.choice(["first", "made", "one row"])
    shown = f"{name}: {path.name} {trouble.__name__[1:]}, {when}"
    try:
        if when == "first":
            trouble(path, draw)
        data = make(folder)
        if when == "made":
            trouble(path, draw)
        iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        for number, _ in zip(range(ROWS), iterator):
            if number == 0 and when == "one row":
                trouble(path, draw)
        iterator.stop()
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        if not str(error).startswith("For '"):
            return f"{shown}: {traceback.format_exc()[-1500:]}"
    except BaseException:
        return f"{shown}: {traceback.format_exc()[-1500:]}"
    left = [each.name for each in folder.rglob("*.tmp*")] if os.access(folder, os.R_OK) else []
    return f"{shown}: left {left}" if left else ""


def interrupted_writing(folder: Path, draw: random.Random) -> str:
    """Write a MindRecord file where the disk becomes full, and return what went wrong."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = draw.choice([0, 100, 5000, 20_000, 60_000])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    path = folder / "full.mindrecord"
    try:
        writer = mindrecord.FileWriter(str(path), 1)
        writer.add_schema({"b": {"type": "bytes"}})
        for _ in range(20):
            writer.write_raw_data([{"b": bytes(2000)}] * 20)
        writer.commit()
    except (RuntimeError, ValueError, OSError) as error:
        if not str(error).startswith("For '"):
            return f"full disk ({limit}): {traceback.format_exc()[-1500:]}"
        return "" if not os.listdir(folder) else f"full disk ({limit}): {os.listdir(folder)} are left"
    except BaseException:
        return f"full disk ({limit}): {traceback.format_exc()[-1500:]}"
    return f"full disk ({limit}): no error"


def _in_process(pipe: Any, job: Callable[..., str], arguments: tuple[Any, ...]) -> None:
    warnings.simplefilter("ignore")
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))
    pipe.send(job(*arguments))
    pipe.close()
    os._exit(0)


def run(number: int) -> str:
    """Try the trouble of a number, and return what went wrong, if anything."""
    draw = random.Random(number)
    root = Path(tempfile.mkdtemp(prefix="troubled"))
    root.chmod(0o777)
    folder = root / "data"
    folder.mkdir()
    if draw.random() < 0.05:
        job, arguments = interrupted_writing, (folder, draw)
    else:
        job, arguments = troubled, (draw.choice(sorted(SOURCES)), folder, draw)
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(False)
    process = context.Process(target=_in_process, args=(send, job, arguments))
    try:
        process.start()
        send.close()
        process.join(SECONDS + 10)
        try:
            result = receive.recv() if receive.poll() else f"{arguments[0]}: does not end"
        except EOFError:
            result = f"{arguments[0]}: ended with exit code {process.exitcode}"
        process.kill()
        process.join()
        left = [each for each in os.listdir("/dev/shm") if str(process.pid) in each.split("_")]
        return result or (f"{arguments[0]}: left {left} in /dev/shm" if left else "")
    finally:
        for path in [folder, *folder.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    for each in range(first, first + count):
        wrong = run(each)
        if wrong:
            print(f"seed {each}, {wrong}", flush=True)
