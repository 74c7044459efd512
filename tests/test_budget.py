"""The counters of lines of code and of habits, and that every package stays within its budget."""

from __future__ import annotations

import importlib.util
import pathlib
import re

import pytest

_TOOLS = pathlib.Path(__file__).parents[1] / "tools"


def tool(name):
    spec = importlib.util.spec_from_file_location(name, _TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def counter():
    return tool("count_lines")


@pytest.fixture(scope="module")
def habits():
    return tool("count_habits")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", 0),
        ('"""A module."""\n\n# a comment\n', 0),
        ("x = 1  # why\n\n\ny = 2\n", 2),
        ('def f():\n    """Do it.\n\n    Args: none.\n    """\n    return 1\n', 2),
        ('text = """two\nlines"""\n', 2),
        ("x = [\n    1,\n\n    # a comment\n    2,\n]\n", 4),
    ],
)
def test_lines_of_code_are_counted(counter, source, expected):
    assert counter.code_lines(source) == expected


def test_a_package_over_its_budget_is_named(counter):
    assert counter.overruns({"nn": 11, "ops": 5, "new": 1}, {"nn": 10, "ops": 5}) == [
        "'nn' has 11 lines of code, 1 over its budget.",
        "'new' has no budget: add it to [tool.torchspore.budget] in pyproject.toml.",
    ]


@pytest.mark.slow
def test_every_package_is_within_its_budget(counter):
    assert counter.overruns(counter.packages(), counter.budget()) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch._inductor, os\nfrom torch._C import a, b\n", {"private_torch": 3}),
        ("torch._foreach_add_(x)\ntorch._C._functorch.f(x)\ntorch.add(x)\n", {"private_torch": 2}),
        ("def f(a: Any, b: int, *c: Any) -> Any: ...\n", {"any_parameters": 2}),
        ("api == 'mul'\ntype(x).__name__ in _RULES\nname == other\nf.__module__ != m\n", {"decided_by_name": 2}),
        ("sys._getframe(1).f_back\ngc.get_referrers(x)\n", {"frames": 3}),
        ("def _check(x): ...\ndef checked_x(x): ...\ndef checkpoint(x): ...\n", {"names_of_checks": 2}),
        ("raise ValueError\nif __name__ == '__main__':\n    raise\n", {"raises": 2}),
    ],
)
def test_habits_are_counted(habits, source, expected):
    assert habits.habits(source) == expected


def test_limits_only_fall(habits, tmp_path, monkeypatch):
    monkeypatch.setattr(habits, "_ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.a]\nb = 1\n\n[tool.torchspore.habits]\nframes = 5\nold = 1\n")
    habits._write({"frames": 7, "any": 3}, habits.limits())
    assert habits.limits() == {"frames": 5, "any": 3}
    habits._write({"frames": 4, "any": 3}, habits.limits())
    assert habits.limits() == {"frames": 4, "any": 3}
    assert habits.overruns({"frames": 6, "any": 3}, habits.limits()) == [
        "'frames' is 6, 2 over its limit in pyproject.toml: limits may only fall."
    ]
    assert (tmp_path / "pyproject.toml").read_text().startswith("[tool.a]\nb = 1\n")


@pytest.mark.slow
def test_every_habit_is_within_its_limit(habits):
    assert habits.overruns(habits.figures(), habits.limits()) == []


def test_only_one_folder_reads_frames(habits):
    sources = {path: path.read_text(encoding="utf-8") for path in (_TOOLS.parent / "src/torchspore").rglob("*.py")}
    candidates = [path for path, text in sources.items() if re.search("|".join(habits._FRAMES), text)]
    assert {path.parent.name for path in candidates if habits.habits(sources[path])["frames"]} == {"frames"}
