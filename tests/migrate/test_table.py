# ruff: noqa: E501
"""The table: every name exists, every argument is in the signatures, and every public name of torch has a row."""

from __future__ import annotations

import inspect
import json
import pathlib
import string

import pytest
import torch

import preloaded
from torchspore import migrate
from torchspore.migrate.table import (
    GENERAL,
    Row,
    all_rows,
    default_differences,
    find,
    lookup,
    parameters,
    rows_of,
    signatures,
)

TOOL = pathlib.Path(__file__).parent.parent.parent / "tools" / "write_migration_table.py"
PUBLISHED = pathlib.Path(__file__).parent.parent / "data" / "published_mapping.json"  # names in MindSpore's mapping
NOT_INSTALLED = ("torchvision.", "torchaudio.", "torchtext.")
# Public by name only: types, and what other functions of torch are made of.
INNER = [
    "Callable",
    "DType",
    "Optional",
    "ScalingType",
    "SwizzleType",
    "Tensor",
    "assert_int_or_pair",
    "boolean_dispatch",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "native_channel_shuffle",
    "factory_kwargs",
    "LinAlgError",
    "lr_scheduler",
    "swa_utils",
]
CALLED = [row for row in all_rows() if row.mindspore and not row.torch.startswith(NOT_INSTALLED)]


def is_known(name):
    try:
        return bool(signatures(name))
    except TypeError:
        return False


def failures(check, given):
    """Return the errors of a check, by what it was given: thousands of rows are one test."""
    found = {}
    for each in given:
        try:
            check(each)
        except Exception as error:
            found[f"{each.torch} -> {each.mindspore}" if isinstance(each, Row) else each] = error
    return found


def test_names_of_torch_exist():
    assert failures(find, {row.torch for row in all_rows() if not row.torch.startswith(NOT_INSTALLED)}) == {}


def test_names_of_mindspore_exist():
    assert failures(find, {row.mindspore for row in all_rows() if row.mindspore}) == {}


def test_no_row_is_there_twice():
    keys = [(row.torch, row.mindspore, row.mindspore_form) for row in all_rows()]
    assert sorted(key for key in set(keys) if keys.count(key) > 1) == []


def test_rows_without_counterpart_say_what_to_do():
    assert [row.torch for row in all_rows() if row.mindspore is None and not row.note] == []


def test_notes_are_sentences():
    assert [row.note for row in all_rows() if row.note and not (row.note.endswith(".") or row.note.endswith(")"))] == []


def names_of(template):
    return {field.partition("[")[0] for _, field, _, _ in string.Formatter().parse(template) if field}


def test_arguments_are_in_the_signatures():
    assert failures(check_arguments, CALLED) == {}


def check_arguments(row: Row):
    if not (callable(find(row.torch)) and callable(find(row.mindspore)) and is_known(row.torch)):
        return
    theirs, ours = set(parameters(row.torch)), set(parameters(row.mindspore))
    open_signature = bool({"args", "kwargs", "named"} & theirs)
    if not open_signature:
        computed = set().union(*map(names_of, row.to_mindspore.values())) if row.to_mindspore else set()
        assert {*row.arguments, *row.only_torch, *row.implied, *computed} - set(GENERAL) <= theirs
    if row.mindspore_form is None and not {"args", "kwargs", "named"} & ours and is_known(row.mindspore):
        assert {*row.arguments.values(), *row.only_mindspore, *row.to_mindspore} <= ours


def test_every_argument_is_covered():
    assert failures(check_coverage, CALLED) == {}


def check_coverage(row: Row):
    if row.mindspore_form is not None or not (callable(find(row.torch)) and callable(find(row.mindspore))) or row.note:
        return
    theirs, ours = parameters(row.torch), parameters(row.mindspore)
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(p.kind in variable for p in [*theirs.values(), *ours.values()]) or not theirs or not ours:
        return
    computed = set().union(*map(names_of, row.to_mindspore.values())) if row.to_mindspore else set()
    covered = {*row.arguments, *row.only_torch, *GENERAL, *computed}
    method = row.torch.startswith("torch.Tensor.") and not row.mindspore.startswith("mindspore.Tensor.")
    assert [name for name in theirs if name not in ours and name not in covered] == []
    given = {row.arguments.get(name, name) for name in theirs} | {*row.only_mindspore, *row.to_mindspore}
    required = [name for name, p in ours.items() if p.default is p.empty and name not in given]
    assert required == [] or method


PACKAGES = ("torch.nn", "torch.nn.functional", "torch.optim", "torch.optim.lr_scheduler", "torch.Tensor", "torch.linalg",
            "torch.fft", "torch.special", "torch.nn.init", "torch.utils.data", "torch.nn.Module")  # fmt: skip


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_of_torch_have_rows(package):
    owner = find(package)
    public = getattr(owner, "__all__", None) if package not in ("torch.nn", "torch.nn.functional") else None
    names = [name for name in public or dir(owner) if not name.startswith("_") and name not in INNER]
    named = [name for name in names if package == "torch.Tensor" or callable(getattr(owner, name))]
    named = [name for name in named if not inspect.ismodule(getattr(owner, name))]
    # a torch that is newer than the table may have names that it lacks
    if torch.__version__.split(".")[:2] > ["2", "13"]:
        return
    assert [name for name in named if not rows_of(f"{package}.{name}")] == []


def test_the_published_mapping_is_covered():
    published = json.loads(PUBLISHED.read_text())
    pairs = [(f"{packages.split()[0]}.{name}", f"{packages.split()[1]}.{other or name}")
             for packages, names in published.items()
             for name, _, other in (pair.partition(":") for pair in names.split())]  # fmt: skip
    assert len(pairs) == 514
    known = {(row.torch.lower(), row.mindspore) for row in all_rows()}  # it writes SeLU for SELU
    assert [pair for pair in pairs if (pair[0].lower(), pair[1]) not in known] == []


def test_defaults_that_differ():
    found = {row.mindspore: default_differences(row) for row in rows_of("torch.nn.LayerNorm")}
    assert found == {"mindspore.mint.nn.LayerNorm": {}, "mindspore.nn.LayerNorm": {"eps": (1e-5, 1e-7)}}
    classic = next(row for row in rows_of("torch.nn.BatchNorm2d") if row.mindspore == "mindspore.nn.BatchNorm2d")
    assert default_differences(classic) == {}  # 0.1 of the new value is 0.9 of the old


def test_lookup_prints_both_directions():
    assert str(migrate.lookup("torch.nn.Conv2d")).splitlines()[0] == "torch.nn.Conv2d -> mindspore.mint.nn.Conv2d"
    text = str(lookup("mindspore.nn.Conv2d"))
    assert text.startswith("mindspore.nn.Conv2d -> torch.nn.Conv2d\n  arguments: group -> groups, has_bias -> bias")
    assert "set_device" in str(lookup("torch.Tensor.cuda"))


@pytest.mark.parametrize(
    ("written", "full"),
    [("nn.Dense", "mindspore.nn.Dense"), ("ms.jit", "mindspore.jit"), ("torchspore.ops.relu", "mindspore.ops.relu"),
     ("Tensor.view", "mindspore.Tensor.view"), ("F.relu", "torch.nn.functional.relu"),
     ("optim.AdamW", "torch.optim.AdamW")],
)  # fmt: skip
def test_lookup_knows_names_as_programs_write_them(written, full):
    assert str(lookup(written)) == str(lookup(full))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("torch.nn.Conv2D", "torch.nn.Conv2d"), ("torch.nn.functional.rleu", "torch.nn.functional.relu"),
     ("mindspore.nn.Densee", "mindspore.nn.Dense"), ("Linear", "torch.nn.Linear")],
)  # fmt: skip
def test_lookup_suggests_close_names(wrong, right):
    with pytest.raises(LookupError, match=rf"For 'lookup', the table has no '{wrong}'\. Did you mean .*'{right}'"):
        lookup(wrong)


def test_the_page_is_in_step():
    preloaded.output_of_script(TOOL, "--check")
