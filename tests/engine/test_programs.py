"""Small programs of users, eagerly and as graphs, compared with what MindSpore made of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data"

RECORD = json.loads((DATA / "programs.json").read_text(encoding="utf-8"))

PROCESS = """
import sys, tempfile, json
import torchspore.as_mindspore
import mindspore
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
    command = [sys.executable, "-W", "ignore", "-c", PROCESS, str(DATA), mode]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def eager():
    return _outcomes("eager")


@pytest.fixture(scope="module")
def graph():
    return _outcomes("graph")


def _fails(shown):
    return bool(shown) and shown[-1].startswith("!")


@pytest.mark.slow
@pytest.mark.parametrize("program", RECORD)
def test_eagerly(program, eager):
    assert eager[program] == RECORD[program]["eager"]


@pytest.mark.slow
@pytest.mark.parametrize("program", RECORD)
def test_as_a_graph(program, graph):
    recorded = RECORD[program]
    compiled = recorded.get("graph", recorded["eager"])
    if _fails(compiled):  # what MindSpore cannot compile does what it does eagerly, but results are Tensors
        assert _as_tensors(graph[program]) == _as_tensors(recorded["eager"])
    else:
        assert graph[program] == compiled


def _as_tensors(shown):
    return [re.sub(r"Parameter \w+ ", "", result) for result in shown]
