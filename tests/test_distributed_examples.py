"""The tool that runs documented examples in several processes."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import preloaded

TOOL = pathlib.Path(__file__).parent.parent / "tools" / "distributed_examples.py"
START = "from mindspore.mint import distributed as dist\ndist.init_process_group()\n"
PRINT_RANK = "print(dist.get_rank() + 1.0001)"
PRINT_SIZE = "print('size:', dist.get_world_size())"


def example(name, code, want):
    *first, last = (START + code).splitlines()
    return {"id": name, "blocks": [*({"src": line, "want": ""} for line in first), {"src": last, "want": want}]}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the tool forks")
def test_examples_are_told_apart(tmp_path):
    rows = [
        example("a.every_process", PRINT_RANK, "rank 0:\n1.\nrank 1:\n2.\n"),
        example("a.one_process", PRINT_RANK, "# rank_1\n2.0\n"),
        example("a.four", PRINT_SIZE, "size: 4\n"),
        example("a.wrong", PRINT_RANK, "70.0\n"),
        example("a.error", "dist.get_rank('no such group')", "0\n"),
        example("a.silent", PRINT_RANK, ""),
        example("b.other", PRINT_RANK, "70.0\n"),
    ]
    file = tmp_path / "examples.json"
    file.write_text(json.dumps(rows))
    lines = preloaded.output_of_script(TOOL, str(file), "a.").splitlines()
    assert lines[:3] == [
        "a.every_process: documented, by 2 processes",
        "a.one_process: documented, by 2 processes",
        "a.four: documented, by 4 processes",
    ]
    assert lines[3] == "a.wrong: differs: '1.0001'"
    assert lines[4].startswith("a.error: differs: ")
    assert "no such group" in lines[4]
    assert lines[5:] == ["3 of 5 examples print what is documented."]
