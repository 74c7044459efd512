"""What notebooks show: well-formed HTML without scripts, with all text escaped, made without running anything."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
import torch

import torchspore as ms
import torchspore.dataset as ds
from torchspore import Parameter, Tensor, nn, ops
from torchspore.common.showing.markup import finite_number, page, plot

HOSTILE = "<script>alert('x')</script>"


class _Page(HTMLParser):
    """The elements and the text of a page, whose tags must be balanced and harmless."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.words, self.rows, self._open, self._in_style = [], "", [], [], False
        self.feed(html)
        self.close()
        assert self._open == []
        assert "alert" not in " ".join(tag for tag in self.tags)

    def handle_starttag(self, tag, attributes):
        assert tag != "script"
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attributes)
        self.tags.append(tag)
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] in ("td", "th"):
            self.rows[-1].append(data)
        elif self._open and self._open[-1] != "style":
            self.words += data


def shown(thing):
    return _Page(thing._repr_html_())


# Tensors


@pytest.mark.parametrize(
    ("tensor", "words", "rows"),
    [
        (Tensor(3), "Tensor, shape (), Int64, CPU, 1 element", [["3"]]),
        (Tensor([1.5, -2.0]), "Tensor, shape (2,), Float32, CPU, 2 elements", [["1.5", "-2"]]),
        (Tensor([[1, 2], [3, 4]], ms.int8), "Tensor, shape (2, 2), Int8, CPU, 4 elements", [["1", "2"], ["3", "4"]]),
        (Tensor([1 + 2j]), "Tensor, shape (1,), Complex128, CPU, 1 element", [["1+2j"]]),
        (Tensor([True, False]), "Tensor, shape (2,), Bool, CPU, 2 elements", [["True", "False"]]),
        (Tensor([1.5], ms.bfloat16), "Tensor, shape (1,), BFloat16, CPU, 1 element", [["1.5"]]),
        (Tensor([float("nan")]), "Tensor, shape (1,), Float32, CPU, 1 element", [["nan"]]),
        (Tensor(np.zeros((0, 3))), "Tensor, shape (0, 3), Float64, CPU, 0 elements", []),
        (Tensor(np.zeros((2, 1, 1))), "Tensor, shape (2, 1, 1), Float64, CPU, 2 elements[0]", [["0"]]),
        (Tensor(shape=[None, 3], dtype=ms.float32), "OpenTensor, shape (-1, 3), Float32", []),
        (Tensor(shape=(2,), dtype=ms.float32, init="ones"), "Tensor, shape (2,), Float32", []),
        (Tensor(shape=(2,), dtype=ms.float32, device="meta"), "Tensor, shape (2,), Float32", []),
        (Tensor(np.array([HOSTILE])), "StringTensor, shape (1,), String", [[HOSTILE]]),
        (Parameter(Tensor([2.0]), name=HOSTILE, requires_grad=False),
         f"Parameter, '{HOSTILE}', shape (1,), Float32, not trained, CPU, 1 element", [["2"]]),
    ],
)  # fmt: skip
def test_tensors(tensor, words, rows):
    found = shown(tensor)
    assert found.words.replace("\n", "") == words
    assert found.rows == rows


def test_of_large_tensors_only_the_edges_are_read(monkeypatch):
    value = torch.zeros(1, dtype=torch.float32).expand(10**6, 10**6)  # 4 TB if it were copied
    found = shown(Tensor(value))
    assert len(found.rows) == 11
    assert {len(row) for row in found.rows} == {11}
    assert found.rows[5] == ["…"] * 11
    assert shown(ops.arange(100)).rows == [["0", "1", "2", "3", "4", "…", "95", "96", "97", "98", "99"]]


# Cells


def test_cells_are_a_tree_with_numbers_of_parameters():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.SequentialCell(nn.ReLU(), nn.BatchNorm1d(4)))
    found = shown(net)
    assert "34 parameters" not in found.words
    assert "32 parameters, 24 of them trained" in found.words
    assert "weight: (4, 3), Float32" in found.words
    assert "moving_mean: (4,), Float32, not trained" in found.words
    assert found.tags.count("details") == 4
    assert shown(nn.ReLU()).tags == ["style", "div", "div"]


def test_shared_cells_are_shown_once_and_cycles_end():
    inner = nn.Dense(2, 2)
    net = nn.SequentialCell(inner, inner)
    net.again = net
    found = shown(net)
    assert "1: Dense, the same cell as '0'" in found.words
    assert "again: SequentialCell, the same cell as the outermost" in found.words


def test_hostile_names_are_escaped():
    class Hostile(nn.Cell):
        def extend_repr(self):
            return HOSTILE

    net = Hostile()
    Hostile.__name__ = HOSTILE
    net.insert_child_to_cell(HOSTILE, nn.Dense(1, 1))
    net.insert_param_to_cell(HOSTILE + "2", Parameter(Tensor([1.0])))
    words = shown(net).words
    assert words.count(HOSTILE) == 4


# Datasets


def test_pipelines_are_chains_and_do_not_run():
    calls = []

    def rows():
        calls.append(1)
        yield (np.zeros(3), 1)

    data = ds.GeneratorDataset(rows, ["x", HOSTILE]).map(calls.append, ["x"]).shuffle(4).batch(2, drop_remainder=True)
    found = shown(data)
    assert found.rows == [
        ["#", "step", "settings", "rows"],
        ["1", "GeneratorDataset", "sampler=SequentialSampler, columns=[x, <script>alert('x')</script>], rows", "?"],
        ["2", "Map", "operations=[append], input_columns=[x]", "?"],
        ["3", "Shuffle", "buffer_size=4, reshuffle_each_epoch=True", "?"],
        ["4", "Batch", "batch_size=2, drop_remainder=True", "?"],
        ["x", HOSTILE],
    ]
    assert calls == []


def test_sizes_types_and_several_sources():
    one = ds.NumpySlicesDataset({"x": np.zeros((4, 2), np.float32)}, shuffle=False)
    other = ds.NumpySlicesDataset({"y": np.arange(6)}, shuffle=False).batch(2)
    data = ds.zip((one, other))
    assert [row[1:] for row in shown(data).rows[:5]] == [
        ["step", "settings", "rows"],
        ["NumpySlicesDataset", "sampler=SequentialSampler, columns=[x]", "4"],
        ["NumpySlicesDataset", "sampler=SequentialSampler, columns=[y]", "6"],
        ["Batch", "batch_size=2", "3"],
        ["Zip", "of steps 1, 3", "3"],
    ]
    assert shown(data).rows[5:] == [["x", "y"]]
    data.output_types()
    assert shown(data).rows[5:] == [["x", "y"], ["float32", "int64"], ["[2]", "[2]"]]


def test_empty_and_broken_sources(tmp_path):
    assert shown(ds.GeneratorDataset([], ["x"])).rows[1][-1] == "?"

    class Broken:
        def __getitem__(self, index):
            raise KeyError(index)

        def __len__(self):
            raise OSError("gone")

    broken = ds.GeneratorDataset([(1,)], ["x"])
    broken.source = Broken()
    assert shown(broken).rows[1][-1] == "?"
    file = tmp_path / f"a{'b' * 100}.txt"
    file.write_text("one\ntwo\n")
    assert shown(ds.TextFileDataset(str(file))).rows[1][-1] == "?"


# Histories


def test_histories_are_a_table_and_a_plot():
    history = ms.History()
    assert shown(history).words.strip() == "History: no epoch yet"
    history.history = {"net_output": [1.0, 0.5, float("nan")], HOSTILE: [1, (2, 3)], "huge": [10**400, -1e308, 1e308]}
    found = shown(history)
    assert found.rows == [
        ["epoch", "net_output", HOSTILE, "huge"],
        ["1", "1", "1", str(10**400)],
        ["2", "0.5", "(2, 3)", "-1e+308"],
        ["3", "nan", "1e+308"],
    ]
    assert found.tags.count("polyline") == 3
    assert "nan" not in history._repr_html_().partition("<svg")[2]


def test_a_training_fills_the_history():
    net = nn.Dense(3, 2)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
    data = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 2), np.float32)), ["x", "y"]).batch(2)
    history = ms.History()
    model.fit(2, data, data, callbacks=history)
    assert shown(history).rows[0] == ["epoch", "net_output", "mae"]
    assert len(shown(history).rows) == 3


# Plots


def test_plots_of_odd_values():
    assert plot({}) == plot({"a": []}) == plot({"a": [(1.0, float("inf"))]}) == ""
    assert "<circle" in plot({"a": [(1.0, 2.0)]})
    many = plot({str(i): [(1.0, 2.0), (2.0, 2.0)] for i in range(9)}, log_x=True, mark=1.5)
    assert many.count("<polyline") == 9
    assert 'height="' not in many
    assert "nan" not in many
    _Page(page(many))


def test_numbers():
    class Odd:
        def __float__(self):
            raise OverflowError

    assert [finite_number(v) for v in (1, np.float32(2), "a", None, Odd(), float("inf"), [1])] == [
        1.0,
        2.0,
        *[None] * 5,
    ]
