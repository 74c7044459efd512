"""Files appear whole or not at all, keep their permissions, and leave nothing behind when their writer is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import textwrap
import threading
import time

import pytest

import fuzz
import preloaded
import torchspore as ms
from torchspore.engine.storage import writing
from torchspore.engine.storage.writing import replacing, replacing_several

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks and permissions are POSIX's")

WRITERS = {
    "file": "with replacing(path) as file: file.write(b'new'); stop()",
    "files": "with replacing_several(path) as folder: open(os.path.join(folder, 'part'), 'wb').write(b'new'); stop()",
}


def started(path, how, stop, streams):
    """Return a process that has begun to write."""
    program = f"import os, signal, time\nfrom torchspore.engine.storage.writing import *\npath = {str(path)!r}\n"
    program += f"def stop(): print('written', flush=True); {stop}\n{WRITERS[how]}"
    return begun(program, streams)


def begun(program, streams):
    """Return the process of a program that has printed something."""
    folder = streams.mktemp("streams")
    process = preloaded.start(program, [folder / "stdin", folder / "stdout", folder / "stderr"])
    while not (folder / "stdout").exists() or not (folder / "stdout").read_text():
        assert process.is_alive(), (folder / "stderr").read_text()
        time.sleep(0.005)
    return process


def killed(path, how, streams):
    program = f"import os, signal\nfrom torchspore.engine.storage.writing import *\npath = {str(path)!r}\n"
    program += f"def stop(): os.kill(os.getpid(), signal.SIGKILL)\n{WRITERS[how]}"
    folder = streams.mktemp("streams")
    process = preloaded.start(program, [folder / "stdin", folder / "stdout", folder / "stderr"])
    process.join()
    assert process.exitcode == -signal.SIGKILL


def write(path, content=b"whole"):
    with replacing(str(path)) as file:
        file.write(content)


@pytest.mark.slow
@pytest.mark.parametrize("how", list(WRITERS))
def test_the_next_write_removes_what_killed_ones_have_left(how, tmp_path, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(writing, "_SWEEP_PAUSE", 0)  # a folder is looked through at each write
    path = tmp_path / "a"
    for _ in range(2):
        killed(path, how, tmp_path_factory)
    assert len(os.listdir(tmp_path)) == 1  # the second one has removed what the first had left
    write(tmp_path / "b")
    assert os.listdir(tmp_path) == ["b"]
    killed(path, how, tmp_path_factory)
    killed(tmp_path / "c", how, tmp_path_factory)
    assert len(os.listdir(tmp_path)) == 2  # also the link's to another target
    write(tmp_path / "d")
    assert sorted(os.listdir(tmp_path)) == ["b", "d"]


@pytest.mark.slow
@pytest.mark.parametrize("how", list(WRITERS))
def test_what_a_living_process_writes_stays(how, tmp_path, tmp_path_factory):
    process = started(tmp_path / "a", how, "time.sleep(60)", tmp_path_factory)
    try:
        (before,) = os.listdir(tmp_path)
        write(tmp_path / "a")
        assert sorted(os.listdir(tmp_path)) == sorted([before, "a"])
    finally:
        process.kill()
        process.join()
    write(tmp_path / "a")
    assert os.listdir(tmp_path) == ["a"]


def test_other_files_with_such_names_stay(tmp_path):
    write(tmp_path / "a")
    with replacing(str(tmp_path / "a")):
        (name,) = set(os.listdir(tmp_path)) - {"a"}
    os.symlink(tmp_path / "precious", tmp_path / name)
    (tmp_path / "precious").write_text("kept")
    (tmp_path / ".0123456789abcdef.tmp").write_text("kept")
    write(tmp_path / "a", b"new")
    assert (tmp_path / "precious").read_text() == (tmp_path / ".0123456789abcdef.tmp").read_text() == "kept"
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666])
def test_permissions_of_a_replaced_file_are_kept(mode, tmp_path):
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint([], path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()
    path.chmod(mode)
    ms.save_checkpoint([ms.Parameter(ms.Tensor(1), "a")], path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def umask():
    now = os.umask(0)
    os.umask(now)
    return now


def test_threads_that_write_the_same_file(tmp_path):
    def work(number):
        for _ in range(20):
            write(tmp_path / "a", bytes([number]) * 5000)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert os.listdir(tmp_path) == ["a"]
    content = (tmp_path / "a").read_bytes()
    assert len(content) == 5000
    assert len(set(content)) == 1


@pytest.mark.slow
def test_without_locks_nothing_is_removed_and_all_is_written(tmp_path, tmp_path_factory, monkeypatch):
    def refuse(*_):
        raise OSError(37, "No locks available")

    killed(tmp_path / "a", "file", tmp_path_factory)
    monkeypatch.setattr(writing.fcntl, "flock", refuse)
    write(tmp_path / "a")
    assert len(os.listdir(tmp_path)) == 2
    assert (tmp_path / "a").read_bytes() == b"whole"


def test_a_device_is_written_itself():
    before = os.stat("/dev/null")
    write("/dev/null")
    assert os.path.samestat(before, os.stat("/dev/null"))


def test_several_files_take_their_places_together(tmp_path):
    with replacing_several(str(tmp_path / "a")) as folder:
        for name in ("a", "a.data"):
            (tmp_path / folder / name).write_text(name)
        assert not (tmp_path / "a").exists()
    assert sorted(os.listdir(tmp_path)) == ["a", "a.data"]
    with contextlib.suppress(KeyError), replacing_several(str(tmp_path / "a")) as folder:
        (tmp_path / folder / "a").write_text("half")
        raise KeyError
    assert sorted(os.listdir(tmp_path)) == ["a", "a.data"]
    assert (tmp_path / "a").read_text() == "a"


def test_a_folder_that_cannot_be_written_names_the_file(tmp_path, monkeypatch):
    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(writing.os, "open", refuse)
    with pytest.raises(PermissionError) as raised:
        write(tmp_path / "a")
    assert raised.value.filename == str(tmp_path / "a")


FULL = {
    "export": "ms.export(net, x, file_name=path, file_format='PT2')",
    "encrypted export": "ms.export(net, x, file_name=path, file_format='PT2', enc_key=b'0' * 16)",
    "save_checkpoint": "ms.save_checkpoint(net, path)",
    "safetensors": "ms.save_checkpoint(net, path, format='safetensors')",
    "training state": "ms.train.save_training_state(path, net)",
    "write_file": "vision.write_file(path, np.ones(90_000, np.uint8))",
    "gradient": "ms.grad(lambda x: ms.ops.DumpGradient()(path, x, 'out').sum())(ms.ops.ones(9000))",
    "trace": "traced().export_chrome_trace(path)",
    "layout": "save_layout({str(i): [1] * 99 for i in range(99)}, path)",
    "pipeline": "ds.serialize(ds.NumpySlicesDataset([1]).map([vision.Resize((3, 3))] * 200), path)",
    "ONNX": "ms.export(net, x, file_name=path, file_format='ONNX')",
}


@pytest.mark.slow
@pytest.mark.parametrize("how", list(FULL))
def test_a_full_disk_is_an_error_that_names_the_file(how, tmp_path):
    """A limit on file sizes simulates a full disk. The writer before was killed at the end, and left its file."""
    endings = {
        "safetensors": "safetensors",
        "export": "pt2",
        "encrypted export": "pt2",
        "gradient": "npy",
        "ONNX": "onnx",
    }
    path = tmp_path / f"a.{endings.get(how, 'ckpt')}"
    path.write_bytes(b"old")
    program = textwrap.dedent(
        f"""
        import os, resource, signal
        import numpy as np
        import torchspore as ms
        from torchspore import dataset as ds
        from torchspore.dataset import vision
        from torchspore.parallel.mesh.hyper_parallel.checkpoints import save_layout

        def traced():
            with ms.profiler.profile() as profile:
                for _ in range(99):
                    net(x)
            return profile

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        net, x, path = ms.nn.Dense(100, 100), ms.ops.ones((1, 100)), {str(path)!r}
        first = os.fork()
        if not first:
            os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
            path = os.path.join(os.path.dirname(path), "other" + os.path.splitext(path)[1])
            {FULL[how]}
        assert os.waitpid(first, 0)[1] == signal.SIGKILL
        assert len(os.listdir(os.path.dirname(path))) == 2, os.listdir(os.path.dirname(path))
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        try:
            {FULL[how]}
        except (OSError, ValueError, RuntimeError) as error:
            print(type(error).__name__, error)
        """
    )
    done = preloaded.run(program)
    assert done.returncode == 0, done.stderr
    assert ("The trace could not be written" if how == "trace" else "File too large") in done.stdout
    assert str(path) in done.stdout
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_bytes() == b"old"


@pytest.mark.slow
def test_writers_that_die_at_any_time(tmp_path, tmp_path_factory):
    """Processes write one file again and again, and are killed: it is always whole, and in the end alone."""
    write(tmp_path / "a", b"0" * 3000)
    program = f"""
from torchspore.engine.storage.writing import replacing
print("begun", flush=True)
for number in range(10**9):
    with replacing({str(tmp_path / "a")!r}, durable=False) as file:
        for _ in range(3):
            file.write(bytes([48 + number % 10]) * 1000)
            file.flush()
"""
    chance = fuzz.drawn(0)
    for _ in range(fuzz.inputs(2)):
        processes = [begun(program, tmp_path_factory) for _ in range(2)]
        for process in processes:
            for _ in range(chance.randrange(200)):
                content = (tmp_path / "a").read_bytes()
                assert len(content) == 3000
                assert len(set(content)) == 1
            process.kill()
            process.join()
    write(tmp_path / "a")
    assert os.listdir(tmp_path) == ["a"]
