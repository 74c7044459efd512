"""The pages of the API: every public name has an example that runs, and the pages are written and linked."""

from __future__ import annotations

import doctest
import pathlib
import re
import sys
import warnings

import pytest

import cases

TOOLS = pathlib.Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))

import page_examples  # noqa: E402

from ops.test_recorded import _compare  # noqa: E402

# Names without an example. Nothing is to be added here.
WITHOUT = {
    "torchspore.ops.add_flags",
    "torchspore.mint.optim.FusedAdamW",
    # what functions return
    "torchspore.scipy.optimize.LagrangeResults",
    "torchspore.scipy.optimize.LineSearchResults",
    "torchspore.scipy.optimize.OptimizeResults",
    # base classes, and what leaves the other processes
    "torchspore.amp.LossScaleManager",
    "torchspore.amp.LossScaler",
    "torchspore.communication.release",
    # the package itself
    "torchspore.common.SparseTensor",
    *[
        f"torchspore.{name}"
        for name in (
            "LossScaleManager", "SparseTensor", "TensorType", "Type", "dtype_to_nptype", "dtype_to_pytype",
            "from_numpy", "get_py_obj_dtype", "pytype_to_dtype",
        )
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def examples():
    found = page_examples.Examples()
    return {key: found.find(key, thing) for key, thing in page_examples.public() if not page_examples.documented(thing)}


@pytest.mark.slow
def test_every_name_has_an_example(examples):
    assert {key for key, example in examples.items() if example is None} == WITHOUT


@pytest.mark.slow
def test_examples_from_the_cases_give_what_was_recorded(examples):
    """With the inputs written out, and for the other forms of an operation, too."""
    for key, example in examples.items():
        if example is not None and example.source == "case":
            found = [cases._plain(page_examples.torchspore, part) for part in cases._flat(example.result())]
            try:
                _compare(found, example.record["results"])
            except AssertionError as error:
                raise AssertionError(f"{key}: {example.expression}") from error


@pytest.mark.slow
def test_the_sessions_run_as_they_are_shown(examples):
    """A sample: every twentieth."""
    shown = [example for example in examples.values() if example is not None and example.source != "processes"]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in shown[::20]:
        runner.run(doctest.DocTestParser().get_doctest(example.text(), {}, example.expression, None, 0))
    assert runner.failures == 0
    assert runner.tries > 100


def test_what_processes_run_is_shown_with_both_results(examples):
    text = examples["torchspore.mint.distributed.all_reduce"].text()
    assert "dist.all_reduce(x)" in text
    assert "in the first" in text


@pytest.mark.slow
def test_pages(tmp_path):
    pytest.importorskip("pdoc")
    import write_pages

    with warnings.catch_warnings():  # it sets a filter
        pages = write_pages.write(tmp_path, "torchspore.ops.math")
    assert "torchspore.ops.math.reduction" in pages
    text = (tmp_path / "torchspore" / "ops" / "math" / "reduction.html").read_text(encoding="utf-8")
    described = set(re.findall(r'<section id="(\w+)"', text))
    assert {"sum", "ReduceSum", "prod"} <= described
    assert re.sub(r"<[^>]*>", "", text).count("&gt;&gt;&gt; print") > len(described) / 2
    assert "torch.Tensor" not in text


def test_every_public_name_is_on_one_page():
    pytest.importorskip("pdoc")
    import write_pages

    pages = write_pages.places()
    described = {page_examples.identity(thing) for names in pages.values() for thing in names.values()}
    assert [
        key
        for key, thing in page_examples.public()
        if not (key.startswith("Tensor.") or page_examples.identity(thing) in described)
    ] == []
