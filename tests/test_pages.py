"""The pages of the API: every public name has an example that runs."""

from __future__ import annotations

import doctest
import enum
import pathlib
import sys
from typing import Any

import pytest

import cases
import torchspore

TOOLS = pathlib.Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))

import page_examples  # noqa: E402

from ops.test_recorded import _compare  # noqa: E402

# Names without an example. Nothing is to be added here.
WITHOUT = {
    f"torchspore.{path}"
    for path in (
        # sets of numbers, and classes of torch
        "mindrecord.ErrorCodeType", "mindrecord.ErrorLevel", "mindrecord.LogRuntime", "UntypedStorage",
        *[
            f"parallel.mesh.{name}"
            for name in (
                "CPUOffloadPolicy", "OffloadPolicy", "ParallelStyle", "Partial", "Placement", "Replicate", "Shard",
            )
        ],
        # what only MindSpore's compiler calls
        "ops.bool_eq", "ops.list_equal",
        # what needs a GPU, a file of MindSpore's or the end of processes
        "boost.DimReduce", "communication.release", "dataset.OBSMindDataset",
        *[f"{package}{name}" for package in ("", "runtime.") for name in ("MemPool", "use_mem_pool")],
    )
} | {
    f"Tensor.{name}"
    for name in (
        "backward", "cpu", "cuda", "detach", "detach_", "element_size", "get_device", "grad", "grad_fn", "init",
        "is_cuda", "is_leaf", "npu", "retain_grad", "share_memory_", "to_tensor",
    )
}  # fmt: skip


def _is_plain(thing: Any) -> bool:
    """Return whether a class is an exception or a set of choices, which need no example."""
    return isinstance(thing, type) and issubclass(thing, (BaseException, enum.Enum))


@pytest.fixture(scope="module")
def examples():
    found = page_examples.Examples()
    return {key: found.find(key, thing) for key, thing in page_examples.public() if not page_examples.documented(thing)}


@pytest.mark.slow
def test_every_name_has_an_example(examples):
    things = dict(page_examples.public())
    assert {key for key, example in examples.items() if example is None and not _is_plain(things[key])} == WITHOUT


@pytest.mark.slow
def test_examples_from_the_cases_give_what_was_recorded(examples):
    """With the inputs written out, and for the other forms of an operation, too."""
    for key, example in examples.items():
        if example is not None and example.source == "case":
            found = [cases._plain(torchspore, part) for part in cases._flat(example.result())]
            try:
                _compare(found, example.record["results"])
            except AssertionError as error:
                raise AssertionError(f"{key}: {example.expression}") from error


@pytest.mark.slow
def test_the_sessions_run_as_they_are_shown(examples):
    """A sample: every twentieth."""
    shown = [example for example in examples.values() if example is not None and example.source != "processes"]
    shown = [example for example in shown[::20] if example.text() == example.text()]  # not of random numbers
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in shown:
        runner.run(doctest.DocTestParser().get_doctest(example.text(), {}, example.expression, None, 0))
    assert runner.failures == 0
    assert runner.tries > 100


def test_what_processes_run_is_shown_with_both_results(examples):
    text = examples["torchspore.mint.distributed.all_reduce"].text()
    assert "dist.all_reduce(x)" in text
    assert "in the first" in text
