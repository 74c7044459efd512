"""What runs a captured graph: compiled once for all processes, beside the program if that is wanted, never wrong."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchspore.engine.capture import compilation, disk_cache, library
from torchspore.engine.capture.levels import executable

NO_COMPILER = "/bin/false"
PATIENCE = 200  # seconds, for machines that have other work to do


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
from torchspore.engine.capture.levels import executable

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


def environment(folder, **more):
    return {**os.environ, "TORCHSPORE_CACHE_DIR": str(folder), "TORCHINDUCTOR_CACHE_DIR": inductor_directory(), **more}


def inductor_directory():
    """Return a directory that tests share with each other: what Inductor finds out about a machine takes a minute."""
    from torch._inductor.runtime.cache_dir_utils import default_cache_dir

    return default_cache_dir()


def run_program(folder, *args, **more):
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, *args]
    done = subprocess.run(command, env=environment(folder, **more), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """The cache directory that a first process has filled, and what that process printed."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, run_program(folder)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache directory for this process, with one thread, so that it wants what the programs have made."""
    for name, value in environment(tmp_path / "cache").items():
        monkeypatch.setenv(name, value)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield tmp_path / "cache"
    torch.set_num_threads(threads)


def expected(steps=3):
    inputs = values()
    for _ in range(steps):
        outputs = step(*inputs)
    return [outputs, inputs]


def assert_equal_to_eager(results, steps=3):
    for result, wanted in zip(results, expected(steps)):
        torch.testing.assert_close([torch.as_tensor(r) for r in result], wanted, rtol=1e-5, atol=1e-6)


def test_the_first_process_compiles_and_the_next_finds_it(cold):
    folder, printed = cold
    assert_equal_to_eager(printed[0])
    entries = [entry for entry in folder.iterdir() if disk_cache.is_whole(entry)]
    assert len(entries) == 1
    assert run_program(folder, CXX=NO_COMPILER) == printed  # a warning would be an error


def test_a_process_that_ends_leaves_no_compiler_behind(tmp_path):
    result, pid = run_program(tmp_path / "cache", "tiered")
    assert_equal_to_eager(result)
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_tiers_change_over_between_steps_and_a_damaged_entry_is_made_again(cold, cache):
    shutil.copytree(cold[0], cache)
    entry = next(entry for entry in cache.iterdir() if disk_cache.is_whole(entry))
    made = entry / f"{entry.name}.so"
    made.write_bytes(made.read_bytes()[:1000])
    inputs = values()
    run = executable(traced(step, inputs), "O1", inputs, tiered=True)
    straight, steps, end = run._run, 0, time.monotonic() + PATIENCE
    torch.manual_seed(0)
    inputs = values()
    while run._run is straight and time.monotonic() < end:
        outputs = run(*inputs)
        steps += 1
        time.sleep(0.01)
    assert run._run is not straight
    assert disk_cache.is_whole(entry)
    outputs = run(*inputs)
    assert_equal_to_eager([outputs, inputs], steps + 1)


def test_what_the_compiled_code_is_not_made_for_runs_as_straight_code(cold, cache):
    shutil.copytree(cold[0], cache)
    inputs = values()
    run = executable(traced(step, inputs), "O1", inputs)
    inputs[2] = inputs[2].t().contiguous().t()
    torch.manual_seed(1)
    outputs = run(*inputs)
    wanted = values()
    torch.manual_seed(1)
    torch.testing.assert_close(outputs, step(*wanted))
    torch.testing.assert_close(inputs, wanted)


def test_a_failing_compiler_leaves_the_tiers_at_the_first_with_one_warning(cache, monkeypatch):
    monkeypatch.setenv("CXX", NO_COMPILER)
    inputs = values()
    run = executable(traced(step, inputs), "O1", inputs, tiered=True)
    steps, end = 0, time.monotonic() + PATIENCE
    inputs = values()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while run._compilation is not None and time.monotonic() < end:
            run(*inputs)
            steps += 1
            time.sleep(0.01)
        outputs = run(*inputs)
    assert [str(w.message).partition(":")[0] for w in caught] == ["a graph stays at level O0, it cannot be compiled"]
    assert caught[0].category is RuntimeWarning
    assert_equal_to_eager([outputs, inputs], steps + 1)


def test_where_nothing_compiles_a_graph_runs_as_straight_code(cache, monkeypatch):
    def refuse(*args, **kwargs):
        raise RuntimeError("no compiler\nat all")

    monkeypatch.setattr(compilation.subprocess, "Popen", refuse_to_start)
    monkeypatch.setattr(torch._inductor, "compile", refuse)
    inputs = values()
    with pytest.warns(RuntimeWarning, match="stays at level O0, it cannot be compiled: no compiler$"):
        run = executable(traced(step, inputs), "O1", inputs)
    inputs = values()
    assert_equal_to_eager([run(*inputs), inputs], 1)


def refuse_to_start(*args, **kwargs):
    raise FileNotFoundError("no Python")


def test_a_process_that_cannot_be_started_is_a_warning(cache, monkeypatch):
    monkeypatch.setattr(compilation.subprocess, "Popen", refuse_to_start)
    inputs = values()
    with pytest.warns(RuntimeWarning, match="no Python"):
        run = executable(traced(step, inputs), "O1", inputs, tiered=True)
    inputs = values()
    assert_equal_to_eager([run(*inputs), inputs], 1)


def test_few_processes_compile_beside_a_program(cache, monkeypatch):
    class Process:
        def poll(self):
            return None

    monkeypatch.setattr(compilation, "_running", [Process()] * compilation._MOST)
    inputs = values()
    run = executable(traced(step, inputs), "O1", inputs, tiered=True)
    run(*inputs)
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


def test_the_key_says_what_the_code_depends_on():
    others = {
        "operation": key(lambda a: [a + 2]),
        "shape": key(value=torch.ones(3, 2)),
        "strides": key(value=torch.ones(3, 2).t()),
        "dtype": key(value=SMALL.double()),
        "options": key(max_autotune=True),
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    others["threads"] = key()
    torch.set_num_threads(threads)
    assert key() == key()
    assert len({key(), *others.values()}) == len(others) + 1


def test_open_sizes_are_compared():
    module = make_fx(lambda a: [a.sum(0)], tracing_mode="symbolic")(torch.ones(4, 3))
    look = library.layout(module)
    assert look([torch.ones(4, 3)]) == look([torch.zeros(4, 3)]) != look([torch.ones(5, 3)])


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
