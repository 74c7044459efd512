"""Graphs in memory, of MindSpore up to 2.0: their nodes, edges, features, neighbours and random walks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from torchspore.dataset import config
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked
from torchspore.mindrecord import FileReader

__all__ = ["Graph", "GraphData", "OutputFormat", "SamplingStrategy"]


class SamplingStrategy(IntEnum):
    """How neighbours are drawn: all alike, or by the weights of the edges."""

    RANDOM = 0
    EDGE_WEIGHT = 1


class OutputFormat(IntEnum):
    """The form of neighbours: a row for each node, pairs, or places and neighbours."""

    NORMAL = 0
    COO = 1
    CSR = 2


@dataclass
class _Element:
    """A node or an edge."""

    kind: Any
    features: dict[Any, Any]
    ends: tuple[int, int] = (-1, -1)
    weight: float = 1.0
    out: list[int] = field(default_factory=list)  # the numbers of the edges that leave a node


class GraphData:
    """A graph that is read from a MindRecord file.

    Its rows are nodes (`attribute` "n", number `first_id`) and edges ("e", number `first_id`, from `second_id` to
    `third_id`) of a `type`; `node_feature_index` and `edge_feature_index` say which of the columns `node_feature_1`,
    `edge_feature_1` and so on a row has; `weight` is optional.

    Args:
        dataset_file: the file.
        num_parallel_workers, working_mode, hostname, port, num_client, auto_shutdown: kept: the graph is in the
            process, not in a server.

    Raises:
        ValueError: `working_mode` is not "local".

    Source: MindSpore 2.0, `dataset.GraphData`.
    """

    @checked
    def __init__(
        self,
        dataset_file: str,
        num_parallel_workers: int | None = None,
        working_mode: str = "local",
        hostname: str = "127.0.0.1",
        port: int = 50051,
        num_client: int = 1,
        auto_shutdown: bool = True,
    ) -> None:
        _local(type(self).__name__, working_mode)
        nodes: dict[int, _Element] = {}
        edges: dict[int, _Element] = {}
        for row in FileReader(dataset_file).get_next():
            is_node = _text(row["attribute"]) == "n"
            prefix = "node" if is_node else "edge"
            indices = [int(index) for index in np.ravel(row[f"{prefix}_feature_index"]) if index >= 0]
            features = {index: np.asarray(row[f"{prefix}_feature_{index}"]) for index in indices}
            ends = (-1, -1) if is_node else (int(row["second_id"]), int(row["third_id"]))
            element = _Element(int(row["type"]), features, ends, float(row.get("weight", 1.0)))
            (nodes if is_node else edges)[int(row["first_id"])] = element
        self._fill(nodes, edges)

    def _fill(self, nodes: dict[int, _Element], edges: dict[int, _Element]) -> None:
        self._nodes, self._edges = dict(sorted(nodes.items())), dict(sorted(edges.items()))
        for number, edge in self._edges.items():
            self._node(edge.ends[0]).out.append(number)
        self._by_ends = {edge.ends: number for number, edge in self._edges.items()}
        self._random = np.random.default_rng(config.get_seed())
        self._graph_features: Mapping[str, Any] = {}

    def _node(self, number: int) -> _Element:
        found = self._nodes.get(number)
        if found is None:
            raise RuntimeError(f"For '{type(self).__name__}', a node must be in the graph, but got {number}.")
        return found

    def _of_type(self, elements: Mapping[int, _Element], kind: Any, name: str) -> list[int]:
        found = [number for number, element in elements.items() if element.kind == kind]
        if not found:
            kinds = sorted({element.kind for element in elements.values()})
            raise self._unknown_type(f"For '{type(self).__name__}', '{name}' must be one of {kinds}, but got {kind!r}.")
        return found

    _unknown_type: type[Exception] = RuntimeError

    def get_all_nodes(self, node_type: Any) -> Any:
        """Return the numbers of the nodes of a type, an int32 array."""
        return np.array(self._of_type(self._nodes, node_type, "node_type"), np.int32)

    def get_all_edges(self, edge_type: Any) -> Any:
        """Return the numbers of the edges of a type, an int32 array."""
        return np.array(self._of_type(self._edges, edge_type, "edge_type"), np.int32)

    def get_nodes_from_edges(self, edge_list: Sequence[int]) -> Any:
        """Return the two nodes of each of some edges."""
        missing = [number for number in _numbers("edge_list", edge_list) if number not in self._edges]
        if missing:
            raise RuntimeError(f"For 'GraphData', an edge must be in the graph, but got {missing[0]}.")
        return _compact([self._edges[int(number)].ends for number in edge_list])

    def get_edges_from_nodes(self, node_list: Iterable[Sequence[int]]) -> Any:
        """Return the numbers of the edges between pairs of nodes, -1 where there is none."""
        return _compact([self._by_ends.get((int(first), int(second)), -1) for first, second in node_list])

    def _neighbors(self, node: int, kind: Any) -> tuple[list[int], list[float]]:
        """Return the neighbours of a node that are of a type, and the weights of the edges."""
        edges = [self._edges[number] for number in self._node(node).out]
        kept = [edge for edge in edges if self._node(edge.ends[1]).kind == kind]
        return [edge.ends[1] for edge in kept], [edge.weight for edge in kept]

    def get_all_neighbors(
        self, node_list: Sequence[int], neighbor_type: Any, output_format: OutputFormat = OutputFormat.NORMAL
    ) -> Any:
        """Return the neighbours of nodes that are of a type.

        Args:
            node_list: the nodes.
            neighbor_type: the type.
            output_format: the form. Default: OutputFormat.NORMAL.

        Returns:
            An int32 array with a row for each node: it and its neighbours, and -1 up to the longest row. With COO the
            pairs, and with CSR where the neighbours of each node begin, and all neighbours.
        """
        self._of_type(self._nodes, neighbor_type, "neighbor_type")
        nodes = _numbers("node_list", node_list)
        found = [self._neighbors(node, neighbor_type)[0] for node in nodes]
        if output_format == OutputFormat.COO:
            pairs = [(node, other) for node, others in zip(nodes, found) for other in others]
            return np.array(pairs, np.int32).reshape(-1, 2)
        if output_format == OutputFormat.CSR:
            starts = np.cumsum([0, *map(len, found)])[:-1].astype(np.int32)
            return starts, np.array([other for others in found for other in others], np.int32)
        longest = max(map(len, found))
        return _compact([[node, *others, *[-1] * (longest - len(others))] for node, others in zip(nodes, found)])

    def get_sampled_neighbors(
        self,
        node_list: Sequence[int],
        neighbor_nums: Sequence[int],
        neighbor_types: Sequence[Any],
        strategy: SamplingStrategy = SamplingStrategy.RANDOM,
    ) -> Any:
        """Draw neighbours of nodes, neighbours of these, and so on.

        Args:
            node_list: the nodes.
            neighbor_nums: how many neighbours of each node are drawn, for each hop.
            neighbor_types: their types.
            strategy: how they are drawn: all of them before one again, or by weight. Default: SamplingStrategy.RANDOM.

        Returns:
            An int32 array with a row for each node: it, those of the first hop, of the second, and so on; -1 where a
            node has no neighbour.
        """
        if len(neighbor_nums) != len(neighbor_types):
            raise ValueError(
                "For 'get_sampled_neighbors', 'neighbor_nums' must have as many elements as 'neighbor_types', but got "
                f"{len(neighbor_nums)} and {len(neighbor_types)}."
            )
        for kind in neighbor_types:
            self._of_type(self._nodes, kind, "neighbor_types")
        rows = []
        for node in _numbers("node_list", node_list):
            row, hop = [node], [node]
            for count, kind in zip(neighbor_nums, neighbor_types):
                hop = [drawn for each in hop for drawn in self._drawn(each, count, kind, strategy)]
                row += hop
            rows.append(row)
        return _compact(rows)

    def _drawn(self, node: int, count: int, kind: Any, strategy: SamplingStrategy) -> list[int]:
        others, weights = ([], []) if node == -1 else self._neighbors(node, kind)
        if not others:
            return [-1] * count
        if strategy == SamplingStrategy.EDGE_WEIGHT:
            chances = np.array(weights) / sum(weights)
            return [int(other) for other in self._random.choice(others, count, p=chances)]
        drawn: list[int] = []
        while len(drawn) < count:
            drawn += [int(other) for other in self._random.permutation(others)]
        return drawn[:count]

    def get_neg_sampled_neighbors(self, node_list: Sequence[int], neg_neighbor_num: int, neg_neighbor_type: Any) -> Any:
        """Draw nodes of a type that are not neighbours, a row for each node: it, and those drawn, or -1."""
        if neg_neighbor_num < 1:
            raise RuntimeError(
                f"For 'get_neg_sampled_neighbors', 'neg_neighbor_num' must be positive, but got {neg_neighbor_num}."
            )
        every = self._of_type(self._nodes, neg_neighbor_type, "neg_neighbor_type")
        rows = []
        for node in _numbers("node_list", node_list):
            near = {node, *self._neighbors(node, neg_neighbor_type)[0]}
            far = [other for other in every if other not in near]
            drawn = [int(other) for other in self._random.permutation(far)[:neg_neighbor_num]]
            rows.append([node, *drawn, *[-1] * (neg_neighbor_num - len(drawn))])
        return _compact(rows)

    def get_node_feature(self, node_list: Any, feature_types: Sequence[Any]) -> list[Any]:
        """Return features of nodes, an array for each feature; zeros for the node -1."""
        return [self._features(self._nodes, "node_list", node_list, feature) for feature in feature_types]

    def get_edge_feature(self, edge_list: Any, feature_types: Sequence[Any]) -> list[Any]:
        """Return features of edges, an array for each feature."""
        return [self._features(self._edges, "edge_list", edge_list, feature) for feature in feature_types]

    def _features(self, elements: Mapping[int, _Element], name: str, given: Any, feature: Any) -> Any:
        known = next((each.features[feature] for each in elements.values() if feature in each.features), None)
        if known is None:
            raise RuntimeError(
                f"For '{type(self).__name__}', 'feature_types' must be features of the graph, but got {feature!r}."
            )
        default = np.zeros_like(known)
        numbers = _numbers(name, given)
        values = [elements[number].features.get(feature, default) if number != -1 else default for number in numbers]
        return np.squeeze(np.stack(values).reshape(*np.shape(given), *known.shape))

    def graph_info(self) -> dict[str, Any]:
        """Return the types of nodes, edges and features, and the numbers of nodes and edges of each type."""

        def kinds(elements: Mapping[int, _Element]) -> dict[Any, int]:
            every = [element.kind for element in elements.values()]
            return {kind: every.count(kind) for kind in sorted(set(every))}

        def features(elements: Mapping[int, _Element]) -> list[Any]:
            return list(dict.fromkeys(feature for element in elements.values() for feature in element.features))

        nodes, edges = kinds(self._nodes), kinds(self._edges)
        return {
            "node_type": [*nodes], "edge_type": [*edges], "node_feature_type": features(self._nodes),
            "edge_feature_type": features(self._edges), "graph_feature_type": [*self._graph_features],
            "node_num": nodes, "edge_num": edges,
        }  # fmt: skip

    def random_walk(
        self,
        target_nodes: Sequence[int],
        meta_path: Sequence[Any],
        step_home_param: float = 1.0,
        step_away_param: float = 1.0,
        default_node: int = -1,
    ) -> Any:
        """Walk at random from nodes, each step to a neighbour of a type; A. Grover and J. Leskovec, node2vec, 2016.

        Args:
            target_nodes: where walks begin.
            meta_path: the types of the nodes of the steps.
            step_home_param: steps back to the last node are as many times rarer. Default: 1.0.
            step_away_param: steps to other nodes than the neighbours of the last one are, likewise. Default: 1.0.
            default_node: what stands where a walk has ended. Default: -1.

        Returns:
            An int32 array with a row for each walk.
        """
        rows = []
        for node in _numbers("target_nodes", target_nodes):
            row = [node]
            for kind in meta_path:
                others = self._neighbors(row[-1], kind)[0]
                if not others:
                    break
                weights = np.ones(len(others))
                if len(row) > 1:
                    home = row[-2]
                    near = {self._edges[number].ends[1] for number in self._node(home).out}
                    weights = np.array([
                        1 / step_home_param if other == home else 1 if other in near else 1 / step_away_param
                        for other in others
                    ])  # fmt: skip
                row.append(int(self._random.choice(others, p=weights / weights.sum())))
            rows.append([*row, *[default_node] * (len(meta_path) + 1 - len(row))])
        return _compact(rows)


class Graph(GraphData):
    """A graph that is made of arrays.

    Args:
        edges: an array of shape (2, edges), from which node to which.
        node_feat: features of the nodes by name, arrays of shape (nodes, size). Default: None.
        edge_feat: features of the edges, arrays of shape (edges, size). Default: None.
        graph_feat: features of the graph, arrays. Default: None.
        node_type: the type of each node. Default: None, "0".
        edge_type: the type of each edge. Default: None, "0".
        num_parallel_workers, working_mode, hostname, port, num_client, auto_shutdown: as for `GraphData`.

    Raises:
        ValueError: an array is not of the shape, or `working_mode` is not "local".

    Source: MindSpore 2.0, `dataset.Graph`.

    Examples:
        >>> import numpy as np
        >>> from torchspore.earlier.graphs import Graph
        >>> graph = Graph(np.array([[0, 0, 1], [1, 2, 2]], np.int32), {"x": np.eye(3)})
        >>> print(graph.get_all_neighbors([0, 1], "0"))
        [[ 0  1  2]
         [ 1  2 -1]]
    """

    _unknown_type = ValueError

    def __init__(
        self,
        edges: Any,
        node_feat: Mapping[str, Any] | None = None,
        edge_feat: Mapping[str, Any] | None = None,
        graph_feat: Mapping[str, Any] | None = None,
        node_type: Any = None,
        edge_type: Any = None,
        num_parallel_workers: int | None = None,
        working_mode: str = "local",
        hostname: str = "127.0.0.1",
        port: int = 50051,
        num_client: int = 1,
        auto_shutdown: bool = True,
    ) -> None:
        _local("Graph", working_mode)
        edges = np.asarray(edges)
        if edges.ndim != 2 or len(edges) != 2:
            raise ValueError(f"For 'Graph', 'edges' must be of shape (2, edges), but got the shape {edges.shape}.")
        count = int(edges.max()) + 1 if node_type is None else len(node_type)
        self._fill(
            self._elements("node_feat", node_feat or {}, ["0"] * count if node_type is None else node_type, None),
            self._elements("edge_feat", edge_feat or {}, ["0"] * edges.shape[1] if edge_type is None else edge_type,
                           edges.T),
        )  # fmt: skip
        self._graph_features = dict(graph_feat or {})

    def _elements(self, name: str, features: Mapping[str, Any], kinds: Sequence[Any], ends: Any) -> dict[int, _Element]:
        for feature, values in features.items():
            if np.ndim(values) != 2 or len(values) != len(kinds):
                raise ValueError(
                    f"For 'Graph', '{feature}' of '{name}' must be of shape ({len(kinds)}, size), but got the shape "
                    f"{np.shape(values)}."
                )
        return {
            number: _Element(
                str(kind), {feature: np.asarray(values[number]) for feature, values in features.items()},
                (-1, -1) if ends is None else (int(ends[number][0]), int(ends[number][1])),
            )
            for number, kind in enumerate(kinds)
        }  # fmt: skip

    def get_graph_feature(self, feature_types: Sequence[str]) -> list[Any]:
        """Return features of the graph."""
        return [self._graph_features[feature] for feature in feature_types]


def _local(api: str, working_mode: str) -> None:
    if working_mode != "local":
        raise ValueError(
            f"For '{api}', 'working_mode' must be 'local', but got {working_mode!r}: there are no servers of graphs. "
            "Read the graph in each process."
        )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _numbers(name: str, given: Any) -> list[int]:
    """Return the numbers of nodes or edges that are given."""
    numbers = np.asarray(given)
    if isinstance(given, np.ndarray) and given.dtype != np.int32:
        raise TypeError(f"For 'GraphData', '{name}' must be of int32, but got {given.dtype}. Use its astype.")
    if not numbers.size or not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError(f"For 'GraphData', '{name}' must be a list or an array of ints, but got {describe(given)}.")
    return [int(number) for number in numbers.ravel()]


def _compact(rows: Any) -> Any:
    """Return an int32 array without dimensions of one element."""
    return np.squeeze(np.array(rows, np.int32))
