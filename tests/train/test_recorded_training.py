"""The output of programs with `Model` and callbacks, compared with MindSpore 2.10's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import torchspore as ms
from data import record_training as record
from train.batches import Batches

RECORD = json.loads((Path(__file__).parent.parent / "data" / "training.json").read_text(encoding="utf-8"))
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?|\binf\b")


def tokens(text):
    """Return the words of a text and its numbers."""
    return re.sub(r"\s+", "", NUMBER.sub("#", text)), [float(number) for number in NUMBER.findall(text)]


def assert_same(printed, expected):
    (words, numbers), (expected_words, expected_numbers) = tokens(printed), tokens(expected)
    assert words == expected_words, printed
    assert numbers == pytest.approx(expected_numbers, rel=2e-5, abs=1e-6), printed


@pytest.fixture(params=["PYNATIVE_MODE", "GRAPH_MODE"])
def mode(request):
    ms.set_context(mode=getattr(ms, request.param))
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORD)
def test_programs_print_what_they_print_in_mindspore(name, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_same(record.output(record.PROGRAMS[name], "torchspore", Batches), RECORD[name])


def test_every_program_is_recorded():
    assert list(RECORD) == list(record.PROGRAMS)


@pytest.mark.parametrize("name", ["losses", "learning rates", "reduce"])
def test_numbers_are_printed_in_the_same_form(name, tmp_path, monkeypatch):
    """The same numbers have as many digits, up to the last, which rounding may lose."""
    monkeypatch.chdir(tmp_path)
    lines = record.output(record.PROGRAMS[name], "torchspore", Batches).splitlines()
    for line, expected in zip(lines, RECORD[name].splitlines()):
        for number, other in zip(NUMBER.findall(line), NUMBER.findall(expected)):
            assert ("." in number) == ("." in other), line
            assert abs(len(number) - len(other)) <= 2, line
