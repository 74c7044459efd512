"""Pictures of captured graphs: in layers of our own, by Graphviz, in files."""

from __future__ import annotations

import stat
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops
from torchspore.engine.capture import drawing
from torchspore.engine.capture.branching import Box
from torchspore.engine.capture.function import NotOneGraph

X = Tensor([[1.0, 2.0, 3.0]])


@pytest.fixture(autouse=True)
def _without_graphviz(monkeypatch):
    monkeypatch.setattr(drawing.shutil, "which", lambda name: None)


def texts(svg):
    """Return the texts of the boxes of a picture, which must be well-formed."""
    root = ElementTree.fromstring(svg)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def places(svg):
    """Return (x, y, width) of the boxes."""
    root = ElementTree.fromstring(svg)
    return [
        tuple(float(rect.get(key)) for key in ("x", "y", "width"))
        for rect in root.iter("{http://www.w3.org/2000/svg}rect")
    ]


def test_a_step_with_its_parameters_and_updates(tmp_path):
    net = nn.Dense(3, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())

    @ms.jit
    def train(x):
        loss, gradients = step(x)
        optimizer(gradients)
        return loss

    train(X)
    drawn = train.draw()
    words = texts(drawn.svg)
    assert {"argument 0", "weight", "bias", "learning_rate", "addmm", "result"} <= set(words)
    assert "test_drawing.py" in drawn.svg  # the user's lines
    assert train.captures == 1
    assert drawn._repr_html_().startswith("<div")
    path = tmp_path / "graph.svg"
    assert train.draw(X, path=path).svg == path.read_text() == drawn.svg


def test_branches_have_their_answers():
    @ms.jit
    def f(x):
        if x.sum() > 0:
            return ops.relu(x)
        return ops.tanh(x)

    f(X)
    f(-X)
    words = texts(f.draw().svg)
    assert {"bool?", "True", "False", "relu", "tanh"} <= set(words)
    assert words.count("result") == 2


def test_arguments_capture_without_running():
    ran = ms.jit(lambda x, scale: x * scale)
    assert "mul.Tensor" in texts(ran.draw(X, scale=2).svg)
    assert ran.captures == 1
    constant = ms.jit(lambda: 3)
    constant()
    assert texts(constant.draw().svg) == ["result"]


def test_errors():
    f = ms.jit(lambda x: float(x.sum().asnumpy()))
    with pytest.raises(ValueError, match=r"For 'draw', '.*lambda.*' has no graph yet"):
        f.draw()
    with pytest.raises(ValueError, match=r"For 'draw', 'path' must end with '.svg'"):
        f.draw(path="graph.png")
    with pytest.raises(NotOneGraph):
        f.draw(X)


def test_boxes_do_not_overlap_and_stand_below_their_sources():
    boxes = [Box("a", "input", []), Box("<b>&\nc", "operation", [0], '"<x>"'), Box("d", "operation", [0]),
             Box("e", "write", [0, 1, 2, 2]), Box("f", "result", [0, 3])]  # fmt: skip
    svg = drawing.draw(boxes).svg
    found = places(svg)
    assert [y for _, y, _ in found] == [16.0, 76.0, 76.0, 136.0, 196.0]
    (left, _, width), (right, _, _) = sorted(found[1:3])
    assert left + width < right
    assert texts(svg) == ["a", "<b>&", "c", "d", "e", "f"]
    assert drawing.draw([]).svg.startswith("<svg")
    chain = [Box(str(i), "operation", [0, i - 1] if i else []) for i in range(1000)]
    assert len(places(drawing.draw(chain).svg)) == 1000


def test_graphviz_draws_where_it_is_installed(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text(
        f"#!{sys.executable}\nimport sys\ntext = sys.stdin.read()\n"
        "assert sys.argv[1:] == ['-Tsvg']\n"
        "print('<?xml version=\"1.0\"?>\\n<svg>', text.count('->'), text.count('label='), '</svg>')\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setattr(drawing.shutil, "which", lambda name: str(program))
    boxes = [Box('a"\\', "input", []), Box("b", "result", [0])]
    assert drawing.draw(boxes).svg == "<svg> 1 2 </svg>\n"
    program.write_text(f"#!{sys.executable}\nraise SystemExit(1)\n")  # one that does not work
    assert texts(drawing.draw(boxes).svg) == ['a"\\', "b"]

    def slow(*arguments, **options):
        raise subprocess.TimeoutExpired("dot", 60)

    monkeypatch.setattr(drawing.subprocess, "run", slow)
    assert texts(drawing.draw(boxes).svg) == ['a"\\', "b"]
    many = [Box("a", "input", [])] * 501
    monkeypatch.setattr(drawing.subprocess, "run", None)
    assert len(places(drawing.draw(many).svg)) == 501
