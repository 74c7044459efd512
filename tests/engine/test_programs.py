"""Small programs of users, eagerly and as graphs, compared with what MindSpore made of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import preloaded

DATA = Path(__file__).parent.parent / "data"

RECORD = json.loads((DATA / "programs.json").read_text(encoding="utf-8"))

PROCESS = """
import sys, tempfile, json, torch
import torchspore.as_mindspore
import mindspore
torch.set_num_threads(1)
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from record_programs import outcome, programs
with tempfile.TemporaryDirectory() as folder:
    sys.path.insert(0, folder)
    print()
    print(json.dumps({
        name: outcome(mindspore, text, Path(folder), sys.argv[2] == "graph") for name, text in programs().items()
    }))
"""


def _outcomes(mode):
    output = preloaded.output_of(PROCESS, arguments=("-c", str(DATA), mode), ignored=("",))
    return json.loads(output.splitlines()[-1])


def _fails(shown):
    return bool(shown) and shown[-1].startswith("!")


# What programs of earlier versions do, which MindSpore no longer has; a warning says so.
OF_EARLIER_VERSIONS = {"flatten-weights"}


def _differing(found, expected):
    expected = {program: shown for program, shown in expected.items() if program not in OF_EARLIER_VERSIONS}
    return {program: (found[program], shown) for program, shown in expected.items() if found[program] != shown}


@pytest.mark.slow
def test_eagerly():
    assert _differing(_outcomes("eager"), {program: recorded["eager"] for program, recorded in RECORD.items()}) == {}


@pytest.mark.slow
def test_as_a_graph():
    found, expected = _outcomes("graph"), {}
    for program, recorded in RECORD.items():
        expected[program] = recorded.get("graph", recorded["eager"])
        if _fails(expected[program]):  # what MindSpore cannot compile does what it does eagerly: results are Tensors
            found[program], expected[program] = map(_as_tensors, (found[program], recorded["eager"]))
    assert _differing(found, expected) == {}


def _as_tensors(shown):
    return [re.sub(r"Parameter \w+ ", "", result) for result in shown]
