"""Workers: the same rows whatever their number, and no process left behind, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore.dataset import vision

WORKERS = [(1, False), (2, False), (4, False), (1, True), (2, True), (3, True)]


@pytest.fixture(autouse=True)
def _seed():
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(5489)


def children():
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return file.read().split()


@pytest.fixture(autouse=True)
def _no_process_stays():
    yield
    assert children() == []


def numbers(count=40, **options):
    return ds.NumpySlicesDataset({"x": np.arange(count)}, **options)


def column(data, name="x"):
    return [row[name].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


class Squares:
    def __len__(self):
        return 20

    def __getitem__(self, index):
        return np.array(index), np.array(index**2)


class Noisy(Squares):
    def __getitem__(self, index):
        return np.array(index), np.random.randint(1000)


@pytest.mark.parametrize(("workers", "processes"), WORKERS)
def test_map_keeps_the_order(workers, processes):
    data = numbers().map(lambda x: x * 2, num_parallel_workers=workers, python_multiprocessing=processes).batch(7)
    expected = column(numbers().map(lambda x: x * 2).batch(7))
    assert column(data) == expected
    values = [value for batch in expected for value in batch]
    assert sorted(values) == list(range(0, 80, 2)) != values


@pytest.mark.parametrize(("workers", "processes"), WORKERS)
def test_random_transforms_draw_the_same(workers, processes):
    images = np.random.default_rng(0).integers(0, 256, (30, 12, 12, 3), np.uint8)
    steps = [vision.RandomCrop(8), vision.RandomHorizontalFlip(), vision.RandomColorAdjust(0.5, 0.5, 0.5, 0.1)]

    def epochs(**options):
        data = ds.NumpySlicesDataset({"x": images}).map(steps, "x", **options)
        iterator = data.create_dict_iterator(num_epochs=2, output_numpy=True)
        return [[row["x"].tolist() for row in iterator] for _ in range(2)]

    first, second = epochs(num_parallel_workers=workers, python_multiprocessing=processes)
    assert [first, second] == epochs(num_parallel_workers=1)
    assert first != second


@pytest.mark.parametrize("workers", [2, 3])
def test_numpys_generator_is_seeded_for_each_row_in_processes(workers):
    data = ds.GeneratorDataset(Noisy(), ["x", "noise"], num_parallel_workers=workers)
    found = column(data, "noise")
    assert found == column(ds.GeneratorDataset(Noisy(), ["x", "noise"], num_parallel_workers=4), "noise")
    assert len(set(found)) > 10


@pytest.mark.parametrize("processes", [True, False])
def test_a_source_on_workers(processes):
    data = ds.GeneratorDataset(Squares(), ["x", "y"], num_parallel_workers=2, python_multiprocessing=processes)
    assert column(data) == column(ds.GeneratorDataset(Squares(), ["x", "y"]))


@pytest.mark.parametrize("processes", [True, False])
def test_batches_on_workers(processes):
    def negative(values, info):
        return ([-value - info.get_batch_num() * 100 for value in values],)

    options = {"per_batch_map": negative, "python_multiprocessing": processes, "num_parallel_workers": 2}
    data = numbers(10, shuffle=False).batch(4, **options)
    assert column(data) == [[0, -1, -2, -3], [-104, -105, -106, -107], [-208, -209]]


def test_threads_start_by_themselves_where_they_pay():
    threads = set()

    class Slow(vision.HorizontalFlip):
        def _transform(self, values):
            import threading

            threads.add(threading.current_thread().name)
            time.sleep(0.002)
            return values[0] + 1

    before = ds.config.get_num_parallel_workers()
    ds.config.set_num_parallel_workers(3)
    try:
        assert column(numbers(shuffle=False).map(Slow())) == list(range(1, 41))
    finally:
        ds.config.set_num_parallel_workers(before)
    assert len([name for name in threads if name.startswith("dataset")]) > 1


def test_processes_live_from_epoch_to_epoch_and_go_with_the_iterator():
    data = numbers().map(lambda x: np.array(os.getpid()), num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_dict_iterator(output_numpy=True)
    first, second = [{int(row["x"]) for row in iterator} for _ in range(2)]
    assert len(first) == 2
    assert first == second
    assert len(children()) == 2
    next(iterator)
    del iterator
    assert children() == []


def test_arrays_of_all_sizes_travel():
    sizes = [0, 1, 100, 4096, 200_000, 3_000_000]
    source = [np.random.default_rng(size).integers(0, 256, size, np.uint8) for size in sizes]
    data = ds.GeneratorDataset(source, ["x"], shuffle=False)
    data = data.map(lambda x: x + 1, num_parallel_workers=2, python_multiprocessing=True)
    for row, expected in zip(data.create_tuple_iterator(num_epochs=1, output_numpy=True), source):
        row[0][...] -= 1  # and can be written
        assert (row[0] == expected).all()


def dies(x):
    if x == 7:
        os._exit(3)
    return x


def is_killed(x):
    if x == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def raises(x):
    if x == 7:
        raise KeyError("seven")
    return x


class Odd(Exception):
    def __init__(self, first, second):
        super().__init__(first)


def raises_odd(x):
    raise Odd(1, 2)


@pytest.mark.parametrize(("function", "words"), [(dies, "code 3"), (is_killed, "signal SIGKILL")])
def test_a_worker_that_ends_is_named(function, words):
    start = time.monotonic()
    data = numbers(shuffle=False).map(function, num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(RuntimeError, match=rf"^For 'map', the worker process .*{words}.*'{function.__name__}'"):
        column(data)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(("workers", "processes"), WORKERS)
def test_an_error_names_operation_function_and_line(workers, processes):
    data = numbers(shuffle=False).map(
        [lambda x: x, raises], num_parallel_workers=workers, python_multiprocessing=processes
    )
    seen = []

    def run():
        for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
            seen.append(int(row["x"]))

    with pytest.raises(
        RuntimeError, match=r"^For 'map', the function 'raises' \(test_workers.py, line \d+\)"
    ) as raised:
        run()
    line = raises.__code__.co_firstlineno + 2
    assert f"test_workers.py, line {line}: KeyError: 'seven'" in str(raised.value)
    assert isinstance(raised.value.__cause__, KeyError)
    assert seen == list(range(7))


def test_an_exception_that_cannot_travel_is_described():
    data = numbers().map(raises_odd, num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(RuntimeError, match=r"^For 'map', the function 'raises_odd' .*Odd: 1") as raised:
        column(data)
    assert "in raises_odd" in str(raised.value.__cause__.__cause__)


def test_a_result_that_cannot_travel_is_an_error():
    data = numbers().map(lambda x: object(), num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(
        RuntimeError, match=r"^For 'map', the function '<lambda>' .* returned a value that cannot be used"
    ):
        column(data)


def test_an_iterator_that_failed_starts_the_next_epoch():
    calls = []

    def fails_once(x):
        calls.append(x)
        if len(calls) == 3:
            raise ValueError("once")
        return x

    iterator = numbers(5, shuffle=False).map(fails_once).create_dict_iterator(output_numpy=True)
    with pytest.raises(RuntimeError, match="once"):
        list(iterator)
    assert [int(row["x"]) for row in iterator] == [0, 1, 2, 3, 4]


def test_spawned_workers(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(
        "import numpy as np\n"
        "import torchspore.dataset as ds\n"
        "def double(x):\n"
        "    return x * 2\n"
        "if __name__ == '__main__':\n"
        "    ds.config.set_multiprocessing_start_method('spawn')\n"
        "    data = ds.NumpySlicesDataset([1, 2, 3], ['x'], shuffle=False)\n"
        "    options = {'num_parallel_workers': 2, 'python_multiprocessing': True}\n"
        "    print([int(row[0]) for row in data.map(double, **options)])\n"
        "    try:\n"
        "        list(data.map(lambda x: x, **options))\n"
        "    except RuntimeError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    first, second = done.stdout.splitlines()
    assert first == "[2, 4, 6]"
    assert second.startswith("For 'map', the function '<lambda>' (spawned.py, line 11) cannot be sent to a spawned")


@pytest.mark.parametrize("processes", [True, False])
def test_an_interrupt_ends_the_workers(tmp_path, processes):
    script = tmp_path / "interrupted.py"
    script.write_text(
        "import os, time\n"
        "import torchspore.dataset as ds\n"
        "def slow(x):\n"
        "    time.sleep(0.05)\n"
        "    return x\n"
        "data = ds.NumpySlicesDataset(list(range(1000)), ['x'])\n"
        f"data = data.map(slow, num_parallel_workers=2, python_multiprocessing={processes})\n"
        "try:\n"
        "    for number, row in enumerate(data):\n"
        "        if number == 2:\n"
        "            print('started', flush=True)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read().split())\n"
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.read() == "interrupted []\n"
        process.wait(10)
    assert time.monotonic() - start < 5


def test_workers_go_when_the_program_is_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(
        "import os, time\n"
        "import torchspore.dataset as ds\n"
        "data = ds.NumpySlicesDataset(list(range(1000)), ['x'])\n"
        "iterator = iter(data.map(lambda x: x, num_parallel_workers=2, python_multiprocessing=True))\n"
        "next(iterator)\n"
        "print(open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read(), flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        workers = process.stdout.readline().split()
        process.kill()
    assert len(workers) == 2
    deadline = time.monotonic() + 10
    while any(_runs(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_runs(worker) for worker in workers)


def _runs(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
