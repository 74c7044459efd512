"""What runs a captured graph: compiled once for all processes, beside the program if that is wanted, never wrong."""

from __future__ import annotations

import inspect
import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import pytest
import torch
from filelock import FileLock
from torch._inductor.runtime.cache_dir_utils import default_cache_dir
from torch.fx.experimental.proxy_tensor import make_fx

import preloaded
import torchspore as ms
from torchspore.common.private_torch import inductor
from torchspore.engine.capture.compiling import compilation, compile_worker, disk_cache, levels, library
from torchspore.engine.capture.compiling.levels import executable

PATIENCE = 600  # seconds, for machines that have other work to do


def step(weight, moment, data):
    """A training step, as a captured graph has it: parameters are written in place, random numbers are drawn."""
    noise = torch.rand(4) + 10 * torch.randn(4)
    moment.mul_(0.5).add_(data.t() @ (data @ weight))
    weight.sub_(moment, alpha=0.01)
    return [(data @ weight).tanh() + noise, weight.sum()]


def values():
    """Return the inputs of the first step."""
    torch.manual_seed(0)
    return [torch.randn(3, 4), torch.zeros(3, 4), torch.randn(5, 3)]


def traced(fn, inputs):
    return make_fx(fn, tracing_mode="fake")(*inputs)


def as_lists(tensors):
    return [tensor.tolist() for tensor in tensors]


# As a user's script: no guard around its main part.
PROGRAM = f"""
import json, sys
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torchspore.engine.capture.compiling.levels import executable

torch.set_num_threads(1)
{inspect.getsource(step)}
{inspect.getsource(values)}
{inspect.getsource(traced)}
{inspect.getsource(as_lists)}
run = executable(traced(step, values()), "O1", values(), tiered="tiered" in sys.argv)
inputs = values()
outputs = [run(*inputs) for _ in range(3)]
print(json.dumps([as_lists(outputs[-1]), as_lists(inputs)]))
if "tiered" in sys.argv:
    print(run._compilation._process.pid)
"""


def expected(steps):
    """Return the last outputs, and the inputs after these many steps."""
    inputs = values()
    for _ in range(steps):
        outputs = step(*inputs)
    return [outputs, inputs]


def assert_equal_to_eager(results, steps):
    for result, wanted in zip(results, expected(steps)):
        torch.testing.assert_close([torch.as_tensor(r) for r in result], wanted, rtol=1e-5, atol=1e-6)


def use(folder, monkeypatch):
    """Make this process one that compiles for one thread, with this cache directory."""
    # Inductor's default directory, shared with other programs: examining the machine takes it a minute.
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", default_cache_dir())
    monkeypatch.setenv("TORCHSPORE_CACHE_DIR", str(folder))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    return lambda: torch.set_num_threads(threads)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache directory."""
    restore = use(tmp_path / "cache", monkeypatch)
    yield tmp_path / "cache"
    restore()


def damaged_entry(folder):
    """Put an entry for the step into the directory that breaks off in the middle."""
    inputs = values()
    request = library.request(traced(step, inputs), {"fallback_random": True}, inputs)
    entry = folder / request.key()
    entry.mkdir(parents=True)
    (entry / f"{entry.name}.so").write_bytes(b"ELF")
    (entry / "checksums.json").write_text(json.dumps({f"{entry.name}.so": "0"}))
    return entry


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The cache entry of the step that a tiered run wrote in place of a damaged one, and the results of that run."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        folder = tmp_path_factory.mktemp("cache")
        restore = use(folder, monkeypatch)
        entry = damaged_entry(folder)
        run = executable(traced(step, values()), "O1", values(), tiered=True)
        first, steps, end = run._run, 0, time.monotonic() + PATIENCE
        inputs = values()
        while run._run is first and time.monotonic() < end:
            run(*inputs)
            steps += 1
            time.sleep(0.01)
        changed = run._run is not first
        outputs = run(*inputs)
        restore()
    return {"entry": entry, "changed": changed, "results": [outputs, inputs], "steps": steps + 1}


@pytest.fixture
def warm(compiled, cache):
    """A cache directory with the entry of the step."""
    shutil.copytree(compiled["entry"].parent, cache)
    return cache


@pytest.mark.slow
def test_tiers_change_over_between_steps_and_a_damaged_entry_is_made_again(compiled):
    assert compiled["changed"]
    assert disk_cache.is_complete(compiled["entry"])
    assert_equal_to_eager(compiled["results"], compiled["steps"])


@pytest.mark.slow
def test_another_process_need_not_compile(warm, monkeypatch):
    monkeypatch.setenv("CXX", "/bin/false")  # to need it would be a warning, and that an error
    output = preloaded.output_of(PROGRAM, environment=dict(os.environ), timeout=PATIENCE)
    assert_equal_to_eager(json.loads(output), 3)


@pytest.mark.slow
def test_a_process_that_ends_leaves_no_compiler_behind(cache):
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, "tiered"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    results, pid = map(json.loads, done.stdout.splitlines())
    assert_equal_to_eager(results, 3)
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


@pytest.mark.slow
def test_a_compilation_can_be_waited_for(warm):
    inputs = values()
    request = library.request(traced(step, inputs), {"fallback_random": True}, inputs)
    assert compilation.Compilation(request, in_background=False).wait() == warm / request.key()


@pytest.mark.slow
def test_what_the_compiled_code_is_not_made_for_runs_as_straight_code(warm):
    run = executable(traced(step, values()), "O1", values())
    inputs = values()
    inputs[2] = inputs[2].t().contiguous().t()
    assert_equal_to_eager([run(*inputs), inputs], 1)


def test_a_failing_compilation_leaves_the_tiers_at_the_first_with_one_warning(cache, monkeypatch):
    monkeypatch.setattr(compilation, "_WORKER", "no.such.module")
    run = executable(traced(step, values()), "O1", values(), tiered=True)
    steps, end = 0, time.monotonic() + PATIENCE
    inputs = values()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while run._compilation is not None and time.monotonic() < end:
            run(*inputs)
            steps += 1
            time.sleep(0.01)
        outputs = run(*inputs)
    assert [warning.category for warning in caught] == [RuntimeWarning]
    assert re.search("stays at level O0, it cannot be compiled: .*No module named", str(caught[0].message))
    assert_equal_to_eager([outputs, inputs], steps + 1)


def test_the_compiler_says_in_its_last_line_why_it_failed(cache, monkeypatch, tmp_path):
    def refuse(*args):
        raise ValueError("no such instruction\nmore")

    inputs = values()
    request = io.BytesIO(pickle.dumps(library.request(traced(step, inputs), {}, inputs)))
    monkeypatch.setattr(compile_worker, "_files", refuse)
    monkeypatch.setattr(compile_worker.signal, "signal", lambda *args: None)
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=request))
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "entry"), "0"])
    with pytest.raises(SystemExit, match=r"^ValueError: no such instruction$"):
        compile_worker.main()


def test_where_nothing_compiles_a_graph_runs_as_straight_code(cache, monkeypatch):
    def refuse(*args, **kwargs):
        raise RuntimeError("no compiler\nat all")

    monkeypatch.setattr(compilation.subprocess, "Popen", refuse_to_start)
    monkeypatch.setattr(inductor, "compile", refuse)
    with pytest.warns(RuntimeWarning, match=r"stays at level O0, it cannot be compiled: no compiler$"):
        run = executable(traced(step, values()), "O1", values())
    inputs = values()
    assert_equal_to_eager([run(*inputs), inputs], 1)


def refuse_to_start(*args, **kwargs):
    raise FileNotFoundError("no Python")


def test_a_process_that_cannot_be_started_is_a_warning(cache, monkeypatch):
    monkeypatch.setattr(compilation.subprocess, "Popen", refuse_to_start)
    with pytest.warns(RuntimeWarning, match="no Python"):
        run = executable(traced(step, values()), "O1", values(), tiered=True)
    inputs = values()
    assert_equal_to_eager([run(*inputs), inputs], 1)


def test_a_graph_that_is_given_a_generator_runs_as_straight_code(cache):
    graph = torch.fx.Graph()
    generator = graph.placeholder("generator")
    graph.output([graph.call_function(torch.ops.aten.rand.generator, ([3],), {"generator": generator})])
    inputs = [torch.Generator().manual_seed(1)]
    with pytest.warns(RuntimeWarning, match="stays at level O0, .* an object of type Generator"):
        run = executable(torch.fx.GraphModule(torch.nn.Module(), graph), "O1", inputs)
    torch.testing.assert_close(run(*inputs), [torch.rand(3, generator=torch.Generator().manual_seed(1))])


def test_few_processes_compile_beside_a_program(cache, monkeypatch):
    class Process:
        def poll(self):
            return None

    monkeypatch.setattr(compilation, "_running", [Process()] * compilation._MAX_PROCESSES)
    run = executable(traced(step, values()), "O1", values(), tiered=True)
    run(*values())
    assert run._compilation._process is None


SMALL = torch.ones(2, 3)
GENERATOR = torch.Generator()
POSSIBLE = {
    "two tensors": (lambda a, b: [a + b], [SMALL, SMALL.clone()], True),
    "no tensor": (lambda: [torch.zeros(3)], [], True),
    "one read twice": (lambda a, b: [a + b], [SMALL, SMALL], True),
    "one written twice": (lambda a, b: [a.add_(b)], [SMALL, SMALL], False),
    "complex numbers": (lambda a: [a * 2], [SMALL * 1j], False),
    "a generator": (lambda a: [a + torch.rand(3, generator=GENERATOR)], [SMALL], False),
    "a sparse tensor": (lambda a: [a * 2], [SMALL.to_sparse()], False),
}


@pytest.mark.parametrize("case", POSSIBLE)
def test_which_graphs_can_be_libraries(case):
    fn, inputs, possible = POSSIBLE[case]
    assert library.is_possible(traced(fn, [value.clone() for value in inputs]), inputs) is possible


def key(fn=lambda a: [a + 1], value=SMALL, **options):
    return library.request(traced(fn, [value]), options, [value]).key()


SETTINGS = (
    ("threads", torch.get_num_threads, torch.set_num_threads, lambda threads: threads + 1),
    ("default dtype", torch.get_default_dtype, torch.set_default_dtype, lambda dtype: torch.float64),
    (
        "deterministic",
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
        lambda deterministic: not deterministic,
    ),
)


def test_the_key_says_what_the_code_depends_on():
    others = {
        "operation": key(lambda a: [a + 2]),
        "shape": key(value=torch.ones(3, 2)),
        "strides": key(value=torch.ones(3, 2).t()),
        "dtype": key(value=SMALL.double()),
        "options": key(max_autotune=True),
    }
    for name, get, change, value in SETTINGS:
        before = get()
        change(value(before))
        others[name] = key()
        change(before)
    assert key() == key()
    assert len({key(), *others.values()}) == len(others) + 1


def open_graph():
    """Return a graph of a matrix with open sizes."""
    return make_fx(lambda a: [a.sum(0)], tracing_mode="symbolic")(torch.ones(4, 3))


def test_layouts_are_compared():
    module = open_graph()
    assert library.open_sizes(module) == ((0, 1),)
    look = library.layout(library.open_sizes(module))
    turned = look([torch.ones(3, 4).t()])
    assert look([torch.ones(4, 3)]) == look([torch.zeros(5, 2)]) != turned
    assert turned == look([torch.zeros(3, 4).t()]) != look([torch.zeros(3, 5).t()])


class Twice:
    """A compiler whose code returns twice the result of the graph."""

    def __init__(self, straight):
        self.compiled = []
        self._python = straight

    def __call__(self, module, options, inputs):
        self.compiled.append(tuple(inputs[0].shape))
        return lambda values: [2 * value for value in self._python(*values)]


def test_where_compiled_code_is_of_one_size_some_sizes_are_compiled(monkeypatch):
    module = open_graph()
    twice = Twice(module)
    monkeypatch.setattr(levels, "_compiled_in_process", twice)
    monkeypatch.setattr(levels.library, "is_possible", lambda *args: False)
    run = executable(module, "O1", [torch.ones(4, 3)])
    for _ in range(2):
        factors = [run(torch.ones(n, 3))[0][0].item() / n for n in (4, 5, 6, 7, 8, 4)]
        assert factors == [2, 2, 2, 2, 1, 2]
    assert twice.compiled == [(4, 3), (5, 3), (6, 3), (7, 3)]


PICK = """
import os, sys
import torchspore as ms
from torchspore import Tensor, ops
from torchspore.engine.capture.compiling import levels

python_runs = []
python_function = levels.python_function
levels.python_function = lambda graph: lambda *values: python_runs.append(1) or python_function(graph)(*values)

def pick(x, i):
    x = x * x.shape[0]
    return ops.gather(x, i, 0).sum(0)

captured = ms.jit(pick, dynamic=1, jit_config=ms.JitConfig("O1", tiered=False), fullgraph=True)
for size in (6, 3, 17):
    x, i = ops.rand(size, 4), Tensor([0, size - 1], ms.int32)
    assert abs(captured(x, i) - pick(x, i)).max() < 1e-5
assert captured.captures == 1 and not python_runs
sys.stderr = None
os.close(2)
try:
    captured(x, Tensor([0, 17], ms.int32))
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_one_library_for_many_sizes_and_the_line_of_what_fails_in_it(cache, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PICK)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout
    line = PICK.splitlines().index("    return ops.gather(x, i, 0).sum(0)") + 1
    expected = f"For the line `return ops.gather(x, i, 0).sum(0)` ({script}:{line}), index out of range in self.\n"
    assert done.stdout == expected
    (entry,) = [folder for folder in cache.iterdir() if disk_cache.is_complete(folder)]
    assert "L['t" in (entry / library.CONDITION).read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("compiling_here")
def test_a_parameter_that_was_read_is_a_condition_of_compiled_graphs():
    rate = ms.Parameter(ms.Tensor(8.0), name="rate")

    @ms.jit(jit_config=ms.JitConfig("O1", tiered=False))
    def step(x):
        found = float(rate)
        ms.ops.assign(rate, rate * 0.5)
        return x + found

    assert [step(ms.Tensor(0.0)).item() for _ in range(3)] == [8, 4, 2]


def test_a_failure_of_compiled_code_alone_names_the_function(monkeypatch):
    def refuse(values):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(levels.library, "is_possible", lambda *args: False)
    monkeypatch.setattr(levels, "_compiled_in_process", lambda *args: refuse)
    captured = ms.jit(lambda x: x * 2, jit_level="O1")
    (graph,) = [captured._capture((), (ms.Tensor([1.0]),), {}, [ms.Tensor([1.0])])]
    line = inspect.currentframe().f_lineno - 2
    with pytest.raises(RuntimeError, match=rf"^For the function at {__file__}:{line}, out of luck\.$"):
        graph.run([ms.Tensor([1.0])], (), {})


def test_entries_are_whole_or_not_there(cache, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("1")
    second.write_text("2")
    entry = disk_cache.directory() / "key"
    assert disk_cache.find("key") is None
    disk_cache.publish([first, second], entry)
    assert disk_cache.find("key") == entry
    assert entry.parent == cache
    assert {file.name for file in cache.iterdir()} == {"key"}
    (entry / "second").write_text("3")
    assert disk_cache.find("key") is None
    disk_cache.publish([first, second], entry)
    assert (disk_cache.find("key") / "second").read_text() == "2"
    (entry / "checksums.json").write_text("{}")
    assert disk_cache.find("key") is None


def write_entry(name, size, used):
    """Put an entry of some bytes into the store, last used at a time."""
    entry = disk_cache.directory() / name
    entry.mkdir(parents=True)
    (entry / "file").write_bytes(b" " * size)
    os.utime(entry, (used, used))
    return entry


def left(place):
    return {path.name for path in place.iterdir() if path.is_dir()}


def test_what_has_not_been_used_for_longest_goes_when_the_store_is_full(cache, monkeypatch):
    for number, name in enumerate("dbac"):
        write_entry(name, 1000, 1000 + number)
    (cache / "inductor" / "deep").mkdir(parents=True)
    for name, used in (("old", 500), ("new", 5000)):
        file = cache / "inductor" / "deep" / name
        file.write_bytes(b" " * 1000)
        os.utime(file, (used, used))
    monkeypatch.setenv("TORCHSPORE_CACHE_SIZE", "0.000006")
    disk_cache.shrink(cache)
    assert left(cache) == {"a", "b", "c", "d", "inductor"}
    monkeypatch.setenv("TORCHSPORE_CACHE_SIZE", "0.0000035")
    with FileLock(cache / "shrink.lock"):
        disk_cache.shrink(cache)  # leaves it to the other one
    assert left(cache) == {"a", "b", "c", "d", "inductor"}
    disk_cache.shrink(cache)
    assert left(cache) == {"a", "c", "inductor"}
    assert {file.name for file in (cache / "inductor" / "deep").iterdir()} == {"new"}
    monkeypatch.setenv("TORCHSPORE_CACHE_SIZE", "0")
    disk_cache.shrink(cache)
    assert left(cache) == {"inductor"}
    assert (cache / "inductor" / "deep" / "new").exists()  # the last that was used stays


def test_what_killed_processes_have_left_goes(cache):
    now = time.time()
    for name, used in (("new-dead", now - 7200), ("old-dead", now - 7200), ("new-alive", now), ("entry", now - 7200)):
        write_entry(name, 10, used)
    disk_cache.shrink(cache)
    assert left(cache) == {"new-alive", "entry"}


def test_an_entry_that_is_found_is_in_use(cache, tmp_path):
    file = tmp_path / "file"
    file.write_text("1")
    entry = disk_cache.directory() / "key"
    disk_cache.publish([file], entry)
    os.utime(entry, (1000, 1000))
    assert disk_cache.find("key") == entry
    assert entry.stat().st_mtime > 1000


@pytest.mark.parametrize("size", ["4GB", "-1", "nan"])
def test_a_size_of_the_store_that_is_none_is_refused(size, monkeypatch):
    monkeypatch.setenv("TORCHSPORE_CACHE_SIZE", size)
    with pytest.raises(ValueError, match=f"must be a number of gigabytes, such as 0.5, but is '{size}'"):
        disk_cache.max_bytes()


def test_a_store_that_is_off_is_neither_read_nor_written(cache, tmp_path):
    file = tmp_path / "file"
    file.write_text("1")
    disk_cache.publish([file], disk_cache.directory() / "before")
    disk_cache.set_enabled(False)
    try:
        assert disk_cache.find("before") is None
        disk_cache.publish([file], disk_cache.directory() / "key")
        assert disk_cache.find("key").parent != cache
    finally:
        disk_cache.set_enabled(True)
    assert left(cache) == {"before"}
    assert disk_cache.find("before") == cache / "before"


def test_a_directory_that_cannot_be_written_is_replaced(cache, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    disk_cache.set_directory(str(file))
    try:
        entry = disk_cache.directory() / "key"
        assert entry.parent != file
        disk_cache.publish([file], entry)
        assert disk_cache.find("key") == entry
    finally:
        disk_cache.set_directory("")
    assert disk_cache.directory() == Path(cache)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_workers_are_ended_together(monkeypatch):
    monkeypatch.setattr(compilation, "_STOP_TIMEOUT", 0.5)
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    command = [sys.executable, "-c", program]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) for _ in range(4)]
    for process in processes:
        process.stdout.readline()
    start = time.monotonic()
    compilation._stop(*processes)
    assert time.monotonic() - start < 1.5  # one deadline, not four
    assert [process.returncode for process in processes] == [-signal.SIGKILL] * 4
    for process in processes:
        process.stdout.close()
