"""Workers: the same rows whatever their number, and no process left behind, however they end."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore.dataset import vision
from torchspore.dataset.rows import thread_pool

pytestmark = pytest.mark.slow  # most start processes

WORKERS = [(1, False), (2, False), (4, False), (1, True), (2, True), (3, True)]


@pytest.fixture(autouse=True)
def _seed():
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(5489)


OTHERS = []  # the processes that other modules keep, such as the one that `preloaded` forks programs from


@pytest.fixture(autouse=True, scope="module")
def _iterators_of_other_modules_end():
    gc.collect()
    OTHERS[:] = children()


def children():
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return [process for process in file.read().split() if process not in OTHERS]


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
    assert [first, second] == epochs(num_parallel_workers=workers, python_multiprocessing=not processes)
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


def raises(x):
    if x == 7:
        raise KeyError("seven")
    return x


def at_seven(action):
    def function(x):
        return action() if x == 7 else x

    return function


ENDS = {
    "code 3": lambda: os._exit(3),
    "code 0": lambda: os._exit(0),
    r"signal SIGKILL, as the system does when memory runs out": lambda: os.kill(os.getpid(), signal.SIGKILL),
    r"signal SIGTERM": lambda: os.kill(os.getpid(), signal.SIGTERM),
    r"signal SIGSEGV \(Segmentation fault\), a crash of compiled code": lambda: ctypes.string_at(0),
    r"signal SIGABRT \(Aborted\), a crash of compiled code": os.abort,
}


@pytest.mark.parametrize("words", ENDS)
def test_a_worker_that_ends_is_named(words):
    start = time.monotonic()
    data = numbers(shuffle=False).map(at_seven(ENDS[words]), num_parallel_workers=2, python_multiprocessing=True)
    seen = []
    with pytest.raises(RuntimeError, match=rf"^For 'map', the worker process .*{words}.* in row 7, with 'function'"):
        seen.extend(int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert ("memory" in words) == ("SIGKILL" in words)
    assert time.monotonic() - start < 15


def slow_but_one(number):
    """Return a function for which one row takes long, while the worker of another is killed."""

    def function(x):
        if x == number:
            time.sleep(9)
        if x == number + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    return function


class SlowButOne:
    function = staticmethod(slow_but_one(1))

    def __len__(self):
        return 20

    def __getitem__(self, index):
        return (self.function(index),)


_WORKING = {"num_parallel_workers": 3, "python_multiprocessing": True}


@pytest.mark.parametrize("data", [
    lambda: numbers(shuffle=False).map(slow_but_one(1), **_WORKING),
    lambda: numbers(shuffle=False).batch(
        1, per_batch_map=lambda x, info: ([*map(slow_but_one(1), x)],), input_columns=["x"], **_WORKING),
    lambda: ds.GeneratorDataset(SlowButOne(), ["x"], shuffle=False, **_WORKING),
], ids=["map", "batch", "source"])  # fmt: skip
def test_a_killed_worker_is_named_before_its_turn(data):
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"was ended by signal SIGKILL.* in (row|batch) 2"):
        list(data().create_tuple_iterator(num_epochs=1))
    assert time.monotonic() - start < 5


def test_results_of_a_worker_that_has_ended_are_used():
    def function(x):
        if x == 2:
            threading.Thread(target=lambda: time.sleep(0.5) or os.kill(os.getpid(), signal.SIGKILL)).start()
        if x == 0:
            time.sleep(2)
        return x

    data = ds.NumpySlicesDataset([0, 1, 2], ["x"], shuffle=False).map(function, **_WORKING)
    assert [int(x) for (x,) in data.create_tuple_iterator(num_epochs=1)] == [0, 1, 2]


def test_a_batch_that_ends_a_worker_is_named():
    def ends(values, info):
        return os._exit(3) if info.get_batch_num() == 2 else (values,)

    data = numbers(shuffle=False).batch(4, per_batch_map=ends, num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(RuntimeError, match=r"^For 'batch', .* ended with exit code 3, .* in batch 2, with 'ends'"):
        column(data)


def continue_workers():
    for process in children():
        os.kill(int(process), signal.SIGCONT)


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (lambda: time.sleep(2.5) or 7, r"\.$"),
        (
            lambda: os.kill(os.getpid(), signal.SIGSTOP) or 7,
            "; it is stopped, as by SIGSTOP",
        ),
    ],
)
def test_a_worker_that_hangs_is_named(action, why):
    data = numbers(8, shuffle=False)
    data = data.map(at_seven(action), num_parallel_workers=2, python_multiprocessing=True)
    before = ds.config.get_multiprocessing_timeout_interval()
    ds.config.set_multiprocessing_timeout_interval(1)
    timer = threading.Timer(2.5, continue_workers)
    timer.start()
    try:
        message = rf"^For 'map', the worker process \d+ has worked for 1 seconds in row 7, with .*{why}"
        with pytest.warns(RuntimeWarning, match=message):
            assert column(data) == list(range(8))
    finally:
        timer.join()
        ds.config.set_multiprocessing_timeout_interval(before)


class Odd(Exception):
    def __init__(self, first, second):
        super().__init__(first)


class Silent(Exception):
    def __str__(self):
        raise ValueError


class Frozen(Exception):
    def __setattr__(self, name, value):
        raise AttributeError


class Numeric(Exception):
    def __reduce__(self):
        return (int, (3,))


class Holds(Exception):
    def __init__(self):
        super().__init__("holds", lambda: 1)


def recursion():
    return recursion()


def raising(error):
    def function():
        raise error

    return function


RAISED = {
    "StopIteration: a": raising(StopIteration("a")),
    "StopAsyncIteration": raising(StopAsyncIteration()),
    "MemoryError": raising(MemoryError()),
    "RecursionError: maximum": recursion,
    r"Odd: 1": raising(Odd(1, 2)),
    r"Silent: \(its message cannot be shown: ValueError\)": raising(Silent()),
    r"Frozen: b": raising(Frozen("b")),
    r"Numeric: c": raising(Numeric("c")),
    r"Holds: \('holds', <function": raising(Holds()),
}


@pytest.mark.parametrize(("workers", "processes"), [(None, False), (2, False), (2, True)])
@pytest.mark.parametrize("words", RAISED)
def test_every_exception_is_told(words, workers, processes):
    data = numbers(shuffle=False).map(
        at_seven(RAISED[words]), num_parallel_workers=workers, python_multiprocessing=processes
    )
    seen = []
    with pytest.raises(RuntimeError, match=rf"^For 'map', the function 'function' .*_workers.py, line \d+: .*{words}"):
        seen.extend(int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert seen == list(range(7))


@pytest.mark.parametrize(("workers", "processes"), [(None, False), (2, False), (2, True)])
@pytest.mark.parametrize("error", [SystemExit(4), KeyboardInterrupt(), GeneratorExit()])
def test_what_ends_a_program_ends_it(error, workers, processes):
    data = numbers(shuffle=False).map(
        at_seven(raising(error)), num_parallel_workers=workers, python_multiprocessing=processes
    )
    with pytest.raises(type(error)):
        column(data)


@pytest.mark.parametrize(
    ("use", "name"),
    [
        (lambda data, f: data.filter(f), "filter"),
        (lambda data, f: data.batch(lambda info: f(7)), "batch"),
        (lambda data, f: data.batch(2, per_batch_map=lambda x, info: f(7)), "batch"),
        (lambda data, f: data.bucket_batch_by_length(["x"], [3], [2, 2], f), "bucket_batch_by_length"),
        (lambda data, f: ds.GeneratorDataset(Rows(f), ["x"], shuffle=False), "GeneratorDataset"),
        (lambda data, f: ds.GeneratorDataset(lambda: (f(x) for x in range(9)), ["x"]), "GeneratorDataset"),
    ],
)
def test_a_stop_iteration_is_not_an_end(use, name):
    with pytest.raises(RuntimeError, match=f"^For '{name}', the function"):
        column(use(numbers(shuffle=False), at_seven(raising(StopIteration()))))


class Rows(Squares):
    def __init__(self, function):
        self.function = function

    def __getitem__(self, index):
        return (self.function(index),)


_SHARED = multiprocessing.RawValue("q")  # its memory is opened once and serves all workers


def threads():
    return [each for each in threading.enumerate() if each is not threading.main_thread()]


@pytest.mark.parametrize(("workers", "processes"), [(3, False), (2, True)])
@pytest.mark.parametrize("how", ["error", "half", "stop", "take", "again"])
def test_nothing_stays(how, workers, processes):
    before, files = len(threads()), len(os.listdir("/proc/self/fd"))
    function = raises if how == "error" else abs
    data = numbers(shuffle=False).map(function, num_parallel_workers=workers, python_multiprocessing=processes)
    data = data.map(function, num_parallel_workers=workers, python_multiprocessing=processes)
    iterator = (data.take(3) if how == "take" else data).create_tuple_iterator(num_epochs=2, output_numpy=True)
    for number, _ in enumerate(_quietly(iterator)):
        if number == 5 and how in ("half", "stop"):
            break
    if how == "stop":
        iterator.stop()
    if how == "again":
        list(iterator)
    del iterator
    gc.collect()
    assert (len(threads()), len(os.listdir("/proc/self/fd")), children()) == (before, files, [])


def _quietly(iterator):
    with contextlib.suppress(RuntimeError):
        yield from iterator


@pytest.mark.parametrize(("workers", "processes"), [(3, False), (2, True)])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_leaves_the_workers_alone(workers, processes):
    data = numbers(shuffle=False).map(abs, num_parallel_workers=workers, python_multiprocessing=processes)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    first = int(next(iterator)[0])
    reader, writer = os.pipe()
    if os.fork() == 0:
        told = b"nothing"
        try:
            list(iterator)
        except RuntimeError as error:
            told = str(error).encode()
        ours = sorted(int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        os.write(writer, told + b"|" + str(ours == list(range(40))).encode())
        multiprocessing.util._exit_function()  # what an ordinary end of the process does
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        told, ours = answer.read().decode().split("|")
    os.wait()
    assert told.startswith("For 'Dataset', "), told
    assert "make a new iterator there" in told
    assert ours == "True"
    assert [first, *(int(row[0]) for row in iterator)] == list(range(40))
    assert [int(row[0]) for row in iterator] == list(range(40))


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


def test_an_exception_that_cannot_travel_shows_where_it_was():
    data = numbers().map(at_seven(RAISED["Odd: 1"]), num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(RuntimeError) as raised:
        column(data)
    assert "in function" in str(raised.value.__cause__.__cause__)


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
    assert time.monotonic() - start < 15


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


def test_a_program_that_ends_waits_for_no_queue(tmp_path):
    program = f"""
import importlib.util, time
spec = importlib.util.spec_from_file_location("thread_pool", {thread_pool.__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
pool = module.ThreadPool(2, "threads")
print(pool.submit(int, "5").result(), flush=True)
for _ in range(100):
    last = pool.submit(time.sleep, 0.5)
"""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=50)
    assert (done.stdout, done.stderr) == ("5\n", "")
    assert time.perf_counter() - start < 10  # 25 s for all of them


def test_a_pool_of_threads():
    pool = thread_pool.ThreadPool(2, "threads")
    names = [pool.submit(lambda: threading.current_thread().name) for _ in range(20)]
    assert {name.result() for name in names} <= {"threads_0", "threads_1"}
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result()
    begun, waits = threading.Event(), threading.Event()
    futures = [pool.submit(lambda: (begun.set(), waits.wait(20))) for _ in range(3)]
    begun.wait(20)
    threading.Timer(0.1, waits.set).start()
    pool.close()
    assert futures[-1].cancelled() or futures[-1].done()
    dropped = thread_pool.ThreadPool(1, "dropped")
    dropped.submit(int).result()
    (thread,) = dropped._threads
    del dropped
    thread.join(20)
    assert not thread.is_alive()


def test_a_list_is_not_a_function_of_the_users():
    with pytest.raises(RuntimeError, match=r"^For 'GeneratorDataset', the list that is read holds a value .*None"):
        list(ds.GeneratorDataset([(None,)], ["a"]))
