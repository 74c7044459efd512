"""Graphs of MindSpore up to 2.0; the figures are MindSpore 2.0's, of the same file and the same arrays."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore.earlier.graphs import Graph, GraphData, OutputFormat, SamplingStrategy
from torchspore.mindrecord import FileWriter

EDGES = [(0, 1, 1.0), (0, 2, 0.0), (0, 3, 3.0), (0, 4, 1.0), (1, 4, 1.0), (2, 5, 1.0), (3, 0, 1.0), (4, 5, 2.0)]
SCHEMA = {
    **{key: {"type": "int64"} for key in ("first_id", "second_id", "third_id")},
    "type": {"type": "int32"}, "attribute": {"type": "string"}, "weight": {"type": "float32"},
    **{key: {"type": "int32", "shape": [-1]} for key in ("node_feature_index", "edge_feature_index", "node_feature_2")},
    **{key: {"type": "float32", "shape": [-1]} for key in ("node_feature_1", "edge_feature_1")},
}  # fmt: skip


def row(first, ends, kind, attribute, weight, nodes=(-1,), edges=(-1,), features=((0,), (0,), (0,))):
    values = (first, *ends, kind, attribute, weight)
    arrays = {"node_feature_index": np.array(nodes, np.int32), "edge_feature_index": np.array(edges, np.int32)}
    types = {"node_feature_1": np.float32, "node_feature_2": np.int32, "edge_feature_1": np.float32}
    arrays |= {name: np.array(value, kind) for (name, kind), value in zip(types.items(), features)}
    return dict(zip(("first_id", "second_id", "third_id", "type", "attribute", "weight"), values)) | arrays


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("graph") / "graph.mindrecord")
    writer = FileWriter(path, 1)
    writer.add_schema(SCHEMA, "graph")
    rows = [
        row(i, (-1, -1), 1 if i < 4 else 2, "n", 1.0, nodes=(1, 2), features=((i, i + 0.5), (10 * i,), (0,)))
        for i in range(6)
    ]
    rows += [
        row(i, ends, 7, "e", weight, edges=(1,), features=((0,), (0,), (i / 2,)))
        for i, (*ends, weight) in enumerate(EDGES)
    ]
    writer.write_raw_data(rows)
    writer.commit()
    return GraphData(path)


INFO = {
    "node_type": [1, 2], "edge_type": [7], "node_num": {1: 4, 2: 2}, "edge_num": {7: 8}, "node_feature_type": [1, 2],
    "edge_feature_type": [1], "graph_feature_type": [],
}  # fmt: skip
NONE = [-1, -1]


@pytest.mark.parametrize(
    ("method", "given", "expected"),
    [
        ("get_all_nodes", (2,), [4, 5]),
        ("get_all_edges", (7,), [0, 1, 2, 3, 4, 5, 6, 7]),
        ("get_all_neighbors", ([0, 1, 3], 1), [[0, 1, 2, 3], [1, -1, -1, -1], [3, 0, -1, -1]]),
        ("get_all_neighbors", ([0, 1, 3], 2), [[0, 4], [1, 4], [3, -1]]),
        ("get_all_neighbors", ([0, 1, 3], 2, OutputFormat.COO), [[0, 4], [1, 4]]),
        ("get_nodes_from_edges", ([0, 3],), [[0, 1], [0, 4]]),
        ("get_edges_from_nodes", ([(0, 1), (4, 5)],), [0, 7]),
        ("get_edges_from_nodes", ([(1, 0)],), -1),
        ("get_neg_sampled_neighbors", ([0], 5, 2), [0, 5, *[-1] * 4]),
        ("random_walk", ([0, 1, 5], [2, 2, 1]), [[0, 4, 5, -1], [1, 4, 5, -1], [5, -1, -1, -1]]),
    ],
)
def test_graph_of_a_file(graph, method, given, expected):
    found = getattr(graph, method)(*given)
    assert found.dtype == np.int32
    assert found.tolist() == expected


def test_features(graph):
    assert graph.graph_info() == INFO
    first, second = graph.get_node_feature([0, 4], [1, 2])
    assert (first.tolist(), second.tolist()) == ([[0, 0.5], [4, 4.5]], [0, 40])
    assert graph.get_node_feature(np.array([[0, 1], [-1, 3]], np.int32), [2])[0].tolist() == [[0, 10], [0, 30]]
    assert graph.get_edge_feature([0, 3], [1])[0].tolist() == [0, 1.5]


def test_samples(graph):
    node, *hops = graph.get_sampled_neighbors([0], [6, 1], [1, 2]).tolist()
    assert (node, sorted(hops[:3]), sorted(hops[3:6])) == (0, [1, 2, 3], [1, 2, 3])  # each before one again
    assert hops[6:] == [{1: 4, 2: 5, 3: -1}[node] for node in hops[:6]]
    weighted = graph.get_sampled_neighbors([0], [400], [1], SamplingStrategy.EDGE_WEIGHT)[1:]
    counts = np.bincount(weighted, minlength=4)
    assert counts[2] == 0
    assert 200 < counts[3] < 360
    node, *others = graph.get_neg_sampled_neighbors([1], 3, 1).tolist()
    assert (node, sorted(others)) == (1, [0, 2, 3])
    steps = [graph.random_walk([0], [1, 1], 1e-6, 1.0).tolist() for _ in range(20)]
    assert {walk[1] for walk in steps} == {1, 2, 3}
    assert all(walk[2] == 0 for walk in steps if walk[1] == 3)


ARRAYS = {
    "edges": np.array([[0, 1], [0, 2], [1, 3], [2, 3], [3, 0], [3, 4]], np.int32).T,
    "node_feat": {"x": np.arange(10, dtype=np.float32).reshape(5, 2), "label": np.arange(5).reshape(5, 1)},
}


def test_graph_of_arrays():
    graph = Graph(
        **ARRAYS, edge_feat={"w": np.arange(6, dtype=np.float32).reshape(6, 1)}, graph_feat={"g": np.array([7.0, 8.0])}
    )
    assert graph.graph_info() == {
        "node_type": ["0"], "edge_type": ["0"], "node_feature_type": ["x", "label"], "edge_feature_type": ["w"],
        "graph_feature_type": ["g"], "node_num": {"0": 5}, "edge_num": {"0": 6},
    }  # fmt: skip
    starts, others = graph.get_all_neighbors([0, 1, 3, 4], "0", OutputFormat.CSR)
    assert (starts.tolist(), others.tolist()) == ([0, 2, 3, 5], [1, 2, 3, 0, 4])
    assert graph.get_node_feature([0, 1, 4], ["label"])[0].tolist() == [0, 1, 4]
    assert graph.get_edge_feature([0, 1, 4], ["w"])[0].tolist() == [0, 1, 4]
    assert graph.get_graph_feature(["g"])[0].tolist() == [7, 8]
    assert graph.get_sampled_neighbors([4], [2], ["0"]).tolist() == [4, -1, -1]
    typed = Graph(**ARRAYS, node_type=list("ababa"), edge_type=list("efefef"))
    assert typed.get_all_nodes("b").tolist() == [1, 3]
    assert typed.get_all_edges("f").tolist() == [1, 3, 5]
    assert typed.get_all_neighbors([0, 1, 3], "a").tolist() == [[0, 2, -1], [1, -1, -1], [3, 0, 4]]


def test_the_seed_of_data_sets_draws_the_same():
    before = ms.dataset.config.get_seed()
    try:
        ms.dataset.config.set_seed(3)
        first, second = (Graph(**ARRAYS).get_sampled_neighbors([0, 3], [2, 2], ["0", "0"]).tolist() for _ in range(2))
    finally:
        ms.dataset.config.set_seed(before)
    assert first == second


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda g: g.get_all_nodes(3), RuntimeError, r"'node_type' must be one of \[1, 2\], but got 3"),
        (lambda g: g.get_all_neighbors([9], 1), RuntimeError, "a node must be in the graph, but got 9"),
        (lambda g: g.get_node_feature([0], [9]), RuntimeError, "'feature_types' must be features of the graph"),
        (lambda g: g.get_nodes_from_edges([99]), RuntimeError, "an edge must be in the graph, but got 99"),
        (lambda g: g.get_sampled_neighbors([0], [2, 2], [1]), ValueError, "'neighbor_nums' must have as many"),
        (lambda g: g.get_neg_sampled_neighbors([0], 0, 1), RuntimeError, "'neg_neighbor_num' must be positive"),
        (lambda g: g.get_node_feature(np.array([0]), [1]), TypeError, "'node_list' must be of int32"),
        (lambda g: g.get_all_neighbors(["0"], 1), TypeError, "'node_list' must be a list or an array of ints"),
        (lambda g: Graph(ARRAYS["edges"].T), ValueError, "'edges' must be of shape"),
        (lambda g: Graph(**ARRAYS, node_type=["a"]), ValueError, "'x' of 'node_feat' must be of shape"),
        (lambda g: Graph(**ARRAYS).get_all_nodes("1"), ValueError, "'node_type' must be one of"),
        (lambda g: GraphData("file", working_mode="server"), ValueError, "'working_mode' must be 'local'"),
    ],
)
def test_refuses(graph, call, kind, message):
    with pytest.raises(kind, match=message):
        call(graph)
