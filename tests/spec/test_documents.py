"""The code blocks of the documents themselves, where the folder `shared/spec` stands beside the checkout."""

from __future__ import annotations

import functools
import json
import pathlib
import re
import subprocess
import sys

import documents
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "shared" / "spec"
RUNNER = pathlib.Path(__file__).with_name("run_blocks.py")

# The largest difference between two convolutions that add 1,920 products each in its own order.
ROUNDING = 5e-5

# What a block is expected to do, other than to print what its document shows:
#   ("error", pattern)   it raises this, as its document says or because it is a fragment
#   ("runs", reason)     it runs; its output is not compared
#   ("check", function)  the function judges what it prints
EXPECTED = {
    "001": {2: ("error", "TypeError: .*size of bprop's inputs must equal the size of the cell's inputs")},
    "002": {
        2: ("error", "ValueError: operands could not be broadcast together"),
        3: ("check", lambda printed: float(printed) <= ROUNDING),
        7: ("error", "NameError: name 'A' is not defined"),  # a fragment
        9: ("check", lambda printed: _saved_and_loaded(printed, "002", 9)),
        14: ("check", lambda printed: _same_but_gradient(printed, "002", 14)),
        15: ("check", lambda printed: _same_but_gradient(printed, "002", 15)),
        16: ("check", lambda printed: _same_but_gradient(printed, "002", 16)),
        17: ("check", lambda printed: len(set(re.findall(r"\[\[.*\]\]", printed))) == 4),
    },
    "000": {
        2: ("error", "ValueError: operands could not be broadcast together"),
        3: ("check", lambda printed: float(printed) <= ROUNDING),
        4: ("error", "NameError: name 'A' is not defined"),  # a fragment
        6: ("check", lambda printed: _same_but_gradient(printed, "000", 6)),
        7: ("check", lambda printed: _same_but_gradient(printed, "000", 7)),
        8: ("check", lambda printed: _same_but_gradient(printed, "000", 8)),
    },
    "003": {
        7: ("error", "'Model' object has no attribute 'named_parameters'"),  # its second half is the other program's
        8: ("check", lambda printed: printed == "[0.1, 0.1, 0.05, 0.05, 0.05, 0.01, 0.01, 0.01, 0.01, 0.01]\n"),
        9: ("runs", "torch's learning rates"),
        10: ("check", lambda printed: printed.endswith("2 2\n")),  # by rule the print is inside the loop
    },
    "004": {0: ("error", "NameError: name 'nn' is not defined")},  # a fragment
}

# Blocks about the one forward pass of PYNATIVE_MODE after `set_grad`, which they set: in GRAPH_MODE it runs twice, and
# draws other numbers.
ONE_PASS = {("000", 7), ("000", 8), ("002", 15), ("002", 16)}

# Where the text is changed before it runs, and why.
REPLACED = {
    "003": [
        ('device_target="GPU"', 'device_target="CPU"', "the machine may have no GPU"),
    ],
}


def _texts() -> dict[str, str]:
    return {path.name[:3]: path.read_text() for path in sorted(FOLDER.glob("*.txt"))}


@functools.cache
def _blocks(name: str) -> list[documents.Block]:
    texts = _texts()
    text = texts[name]
    for old, new, _ in REPLACED.get(name, []):
        text = text.replace(old, new)
    if name == "000":  # the Chinese text of 002, which lost indentation and the two models that it compares
        return documents.blocks(texts["002"])[:2] + documents.blocks(text, twin=texts["002"])
    return documents.blocks(text, restore=name in ("003", "004"))


def _program(name: str, source: str) -> str:
    """Name the program that a block belongs to: 003 shows two side by side, with the same names."""
    return "torch" if name == "003" and re.search(r"^(import|from) torch", source, re.M) else "mindspore"


@functools.cache
def _results(name: str, mode: str) -> list[dict[str, str]]:
    """Run the blocks of a document; in GRAPH_MODE, also those that set PYNATIVE_MODE."""
    first = f"import mindspore; mindspore.set_context(mode=mindspore.{mode})"
    sources = json.dumps(
        [("mindspore", first)]
        + [(_program(name, b.source), b.source.replace("PYNATIVE_MODE", mode)) for b in _blocks(name)]
    )
    done = subprocess.run([sys.executable, str(RUNNER)], input=sources, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[1:]


def _tokens(text: str) -> tuple[str, list[float]]:
    text = re.sub(r"#.*", "", text).replace("torchspore", "mindspore")
    number = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
    return re.sub(r"\s+", "", number.sub("#", text)), [float(found) for found in number.findall(text)]


def _same(printed: str, shown: str) -> bool:
    words, numbers = _tokens(printed)
    expected_words, expected_numbers = _tokens(shown)
    return (
        words == expected_words
        and len(numbers) == len(expected_numbers)
        and all(abs(a - b) <= 1e-5 + 1e-5 * abs(b) for a, b in zip(numbers, expected_numbers))
    )


def _same_but_gradient(printed: str, name: str, position: int) -> bool:
    """Compare all but the form of the gradient: the text shows the one gradient of position 0 in a tuple, while the
    other documents, and MindSpore 2.10, have it bare."""
    printed, gradient = printed.split("dx ")
    shown, shown_gradient = _blocks(name)[position].output.split("dx ")
    rows = _tokens(gradient)[1]
    return _same(printed, shown) and rows == _tokens(shown_gradient.split("value=")[1])[1]


def _saved_and_loaded(printed: str, name: str, position: int) -> bool:
    """Compare what does not depend on the drawn weights: the loaded ones are equal to them, the last ones are 1."""
    lines = printed.splitlines()
    shown = _blocks(name)[position].output.splitlines()
    return lines[2:3] + lines[5:] == shown[2:3] + shown[5:] and lines[3:5] == lines[:2]


def _cases():
    for name in _texts():
        for position, block in enumerate(_blocks(name)):
            what, detail = EXPECTED.get(name, {}).get(position, ("shows", ""))
            yield pytest.param(name, position, what, detail, id=f"{name} line {block.line}")


if FOLDER.is_dir():

    @pytest.mark.slow
    @pytest.mark.parametrize("mode", ["PYNATIVE_MODE", "GRAPH_MODE"])
    @pytest.mark.parametrize(("name", "position", "what", "detail"), list(_cases()))
    def test_block(name, position, what, detail, mode):
        result = _results(name, mode)[position]
        if what == "error":
            assert re.search(detail, result["error"]), result
            return
        assert result["error"] == ""
        if mode == "GRAPH_MODE" and (name, position) in ONE_PASS:
            assert result["printed"].count("pos_values forword") == 2
        elif what == "check":
            assert detail(result["printed"]), result["printed"]
        elif what == "shows":
            shown = _blocks(name)[position].output
            assert not shown or _same(result["printed"], shown), result["printed"]

else:

    def test_block():
        pytest.skip(f"the documents are not there: {FOLDER}")
