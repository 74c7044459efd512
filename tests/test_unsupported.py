"""What is not supported: the table, the names that refuse, and the page."""

from __future__ import annotations

import importlib
import inspect
import json
import pathlib

import pytest

import preloaded
import torchspore as ms
from torchspore.common.names.unsupported import REASONS, unsupported

TOOL = pathlib.Path(__file__).parent.parent / "tools" / "write_unsupported.py"
EXAMPLES = pathlib.Path(__file__).parent / "data" / "open_examples.json"
NAMES = [(package, name) for package in REASONS for name in unsupported(package)]


@pytest.mark.slow
def test_the_page_is_in_step():
    preloaded.output_of_script(TOOL, "--check")


def test_every_name_has_one_reason():
    listed = [(package, name) for package, reasons in REASONS.items() for names in reasons.values()
              for name in names.split()]  # fmt: skip
    assert len(listed) == len(set(listed))


def test_every_open_example_has_one_reason():
    listed = [name for names in json.loads(EXAMPLES.read_text()).values() for name in names]
    assert len(listed) == len(set(listed))
    assert all(name.startswith("mindspore.") for name in listed)


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_names_refuse_and_say_why(package, name):
    why = unsupported(package)[name].format(name=name)
    if package == "Tensor":
        refusing, arguments = getattr(ms.Tensor, name), (ms.Tensor(1.0),)
    else:
        refusing, arguments = getattr(importlib.import_module(f"torchspore.{package}"), name), ()
    if isinstance(refusing, type) and issubclass(refusing, ms.ops.Primitive):
        assert why in refusing.__doc__
        refusing = refusing(1).set_device("CPU")  # it can be made, but not called
    with pytest.raises(NotImplementedError) as caught:
        refusing(*arguments)
    assert str(caught.value).endswith(why)
    assert why in inspect.getdoc(refusing)
