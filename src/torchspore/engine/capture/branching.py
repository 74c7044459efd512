"""A captured function as a tree of graphs: stretches of straight operations, joined by questions about values.

A function without conditions on values is one stretch. One that asks `if x.sum() > 0` is the stretch up to the
question and, for every answer met so far, the stretch that follows. Any Python that asks such questions (`if`, `while`,
`and`, early returns, comprehensions, exceptions) is served in this way, its gradient included, because a path holds
what the program did: forward, backward and update. An answer that has not been met yet is explored by a new trace.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.fx.node import map_arg

from torchspore.common.private_torch import schema_of
from torchspore.common.scope import Unread
from torchspore.engine.capture.dead_code import clean, has_effect, written
from torchspore.engine.capture.decomposition import decomposed
from torchspore.engine.capture.explore import Question
from torchspore.engine.capture.generated_python import readable_lines, straight_function
from torchspore.engine.capture.levels import executable
from torchspore.engine.capture.printing import held_prints
from torchspore.engine.capture.random_state import RandomState, draws
from torchspore.engine.capture.trace import Trace
from torchspore.engine.capture.user_places import line_of

__all__ = ["Tree", "Unexplored"]

_MOST_PATHS = 64

_LITERAL = torch.ops.aten.lift_fresh_copy.default  # what makes a tensor of numbers in the program

_Node = torch.fx.Node


class Unexplored(Exception):
    """A run met an answer whose consequences no trace has seen; everything is as it was before the run.

    Attributes:
        answers: the answers up to there.
        place: where the question was asked.
    """

    def __init__(self, answers: list[Any], place: str) -> None:
        super().__init__(answers, place)
        self.answers = answers
        self.place = place


class _Stretch:
    """Straight operations, up to a question about a value, or to the end of the function.

    Attributes:
        nodes: the operations.
        question: the question; None at the end.
        asked: the node whose value it asks for.
        next: what follows, by answer.
        end: the trace that ends here.
        outputs: the nodes of the results, at the end.
        needed: the nodes before that this stretch, or what follows, uses.
        kept: the nodes in it that what follows uses.
        live: the nodes in it that are of use.
        asked_at: the place of `asked` in `needed` and `kept` together.
        picks: the places of `needed` in `needed` and `kept` of the stretch before.
        run: the operations as a function of `needed` that returns the values of `outputs` or `kept`; None: not made.
    """

    def __init__(self, nodes: list[_Node], question: Question | None, asked: _Node | None) -> None:
        self.nodes = nodes
        self.question = question
        self.asked = asked
        self.next: dict[Any, _Stretch] = {}
        self.end: Trace | None = None
        self.outputs: list[_Node] = []
        self.needed: list[_Node] = []
        self.kept: list[_Node] = []
        self.live: list[_Node] = []
        self.asked_at = 0
        self.picks: list[int] = []
        self.run: Any = None

    def is_open(self) -> bool:
        """Return whether the question may get an answer that has not been met."""
        return self.question is not None and not (self.question.kind is bool and len(self.next) == 2)


class Way(NamedTuple):
    """The paths of a tree as a run walks them; a path that is added makes another one.

    Attributes:
        root: the first stretch.
        undone: the inputs that may be written before an answer that has not been met.
        draws: whether random numbers may be drawn before one.
        is_open: whether an answer may come that has not been met.
    """

    root: _Stretch
    undone: list[int]
    draws: bool
    is_open: bool


class Tree:
    """The paths of a function that have been traced; at first there are none.

    Args:
        arguments: the number of the arguments' tensors, which are its first inputs.
        level: "O0", "O1" or "O2".
        tiered: whether straight code runs while a stretch is compiled.

    Attributes:
        held: the numbers, among the trace's inputs after the arguments, of those that the paths use.
        constants: the tensors that are inputs after those.
        way: what runs.
    """

    way: Way

    def __init__(self, arguments: int, level: str, tiered: bool = False) -> None:
        self._level = level
        self._tiered = tiered
        self._arguments = arguments
        self._placeholders: list[_Node] = []
        self._constants: dict[int, tuple[torch.Tensor, _Node]] = {}
        self._known: dict[_Node, _Node] = {}  # a later trace's node -> that of the tree
        self._order: dict[_Node, int] = {}
        self._paths = 0
        self._root: Any = None
        self.held: list[int] = []
        self.constants: list[torch.Tensor] = []

    # Building

    def add(self, trace: Trace) -> None:
        """Add a path.

        Raises:
            Unread: there are too many paths, or the function did not do the same as before.
        """
        if self._paths >= _MOST_PATHS:
            raise Unread(f"conditions on values have led more than {_MOST_PATHS} ways")
        if not self._paths:
            self._placeholders = [node for node in trace.graph.nodes if node.op == "placeholder"]
            self._order = {node: i for i, node in enumerate(self._placeholders)}
        self._root = _copied(self._root)  # a run in another thread goes on along the old one
        operations, position = self._operations(trace)
        parent, answer, start = None, None, 0
        for question in (*trace.questions, None):
            stop = len(operations) if question is None else position[question.last]
            nodes = operations[start:stop]
            stretch = self._root if parent is None else parent.next.get(answer)
            if stretch is not None:
                self._check_same(stretch, nodes, question)
            else:
                self._order.update((node, len(self._order) + i) for i, node in enumerate(nodes))
                stretch = _Stretch(nodes, question, None if question is None else self._node(question.node))
                if parent is None:
                    self._root = stretch
                else:
                    parent.next[answer] = stretch
            if question is not None:
                parent, answer, start = stretch, question.answer, stop
        stretch.end = trace
        results: Any = next(iter(reversed(trace.graph.nodes))).args[0]
        stretch.outputs = [self._node(node) for node in results]
        self._paths += 1
        self._connect()

    def knows(self, answers: list[Any]) -> bool:
        """Return whether a path begins with these answers."""
        stretch = self._root
        for answer in answers:
            stretch = stretch and stretch.next.get(answer)
        return stretch is not None

    def _operations(self, trace: Trace) -> tuple[list[_Node], dict[_Node, int]]:
        """Return the trace's operations, and how many there are up to each node."""
        operations: list[_Node] = []
        position: dict[_Node, int] = {}
        inputs = iter(self._placeholders)
        for node in trace.graph.nodes:
            if node.op == "placeholder":
                self._known[node] = next(inputs)
            elif node.op == "get_attr":
                self._known[node] = known = self._constant(trace.outside[str(node.target)], node)
                self._order.setdefault(known, len(self._order))
            elif node.op == "call_function":
                operations.append(node)
            position[node] = len(operations)
        return operations, position

    def _constant(self, tensor: torch.Tensor, node: _Node) -> _Node:
        """Return the tree's node of a tensor: the same one, or an equal one that the function makes at each call."""
        if id(tensor) not in self._constants and all(user.target is _LITERAL for user in node.users):
            for known, its_node in self._constants.values():
                if known.dtype is tensor.dtype and known.device == tensor.device and _equal(known, tensor):
                    return its_node
        return self._constants.setdefault(id(tensor), (tensor, node))[1]

    def _check_same(self, stretch: _Stretch, nodes: list[_Node], question: Question | None) -> None:
        same = len(nodes) == len(stretch.nodes) and all(map(self._is_same, nodes, stretch.nodes))
        if same and question is not None and stretch.question is not None:
            same = self._node(question.node) is stretch.asked and question.kind is stretch.question.kind
        else:
            same = same and question is stretch.question
        if not same:
            raise Unread("it does not do the same when it is run again")

    def _is_same(self, new: _Node, known: _Node) -> bool:
        same = new.target is known.target and self._arguments_of(new) == self._arguments_of(known)
        if same:
            self._known[new] = known
        return same

    def _arguments_of(self, node: _Node) -> Any:
        return _comparable(map_arg((node.args, node.kwargs), self._node))

    def _node(self, node: _Node) -> _Node:
        return self._known.get(node, node)

    def _stretches(self) -> Iterator[_Stretch]:
        """Iterate over the stretches, each before those that follow it."""
        waiting = [self._root]
        while waiting:
            stretch = waiting.pop()
            yield stretch
            waiting.extend(stretch.next.values())

    def _connect(self) -> None:
        """Find what every stretch needs from those before it, and what the inputs are."""
        for stretch in reversed(list(self._stretches())):
            wanted = {node for following in stretch.next.values() for node in following.needed}
            wanted.update([*stretch.outputs] if stretch.asked is None else [stretch.asked])
            kept = wanted.intersection(stretch.nodes) if stretch.asked is not None else ()
            live = []
            for node in reversed(stretch.nodes):
                if node in wanted or has_effect(node):
                    live.append(node)
                    wanted.update(map(self._node, node.all_input_nodes))
            needed = wanted.difference(stretch.nodes)
            if stretch is self._root:
                needed.update(self._placeholders[: self._arguments])
            now = self._sorted(kept), self._sorted(needed), live[::-1]
            if now != (stretch.kept, stretch.needed, stretch.live):
                stretch.kept, stretch.needed, stretch.live = now
                stretch.run = None
        count = len(self._placeholders)
        used = [self._order[node] for node in self._root.needed]
        self.held = [i - self._arguments for i in used if self._arguments <= i < count]
        constants = {node: tensor for tensor, node in self._constants.values()}
        self.constants = [constants[node] for node in self._root.needed if node in constants]
        for stretch in self._stretches():
            place = {node: i for i, node in enumerate([*stretch.needed, *stretch.kept])}
            stretch.asked_at = place[stretch.asked] if stretch.asked is not None else 0
            for following in stretch.next.values():
                following.picks = [place[node] for node in following.needed]
        self.way = self._planned()

    def _sorted(self, nodes: Any) -> list[_Node]:
        return sorted(nodes, key=self._order.__getitem__)

    def _planned(self) -> Way:
        before = [stretch for stretch in self._stretches() if stretch.question is not None]
        if not any(stretch.is_open() for stretch in before):
            return Way(self._root, [], False, False)
        targets = {base for s in before for node in s.nodes for target in written(node) for base in self._bases(target)}
        undone = [i for i, node in enumerate(self._root.needed) if node in targets]
        return Way(self._root, undone, any(draws(node.target) for s in before for node in s.nodes), True)

    def _bases(self, node: _Node) -> set[_Node]:
        """Return the inputs whose memory a node may share."""
        found, waiting = set(), [self._node(node)]
        while waiting:
            node = waiting.pop()
            schema = schema_of(node.target)
            if node.op in ("placeholder", "get_attr"):
                found.add(node)
            elif node.target is operator.getitem or (schema and any(r.alias_info for r in schema.returns)):
                waiting.extend(map(self._node, node.all_input_nodes))
        return found

    # Running

    def run(self, way: Way, inputs: list[torch.Tensor]) -> tuple[Trace, list[torch.Tensor]]:
        """Run the path that the inputs lead along; return its trace and the values of its results.

        Args:
            way: the tree's way.
            inputs: the tensors of the arguments, those of `held`, and `constants`, as they were with that way.

        Raises:
            Unexplored: an answer has not been met before; nothing has been changed.
        """
        stretch = way.root
        if stretch.end is not None:
            return stretch.end, (stretch.run or self._make(stretch, inputs))(*inputs)
        if not way.is_open:
            return self._run_on(stretch, inputs)
        copies = [(inputs[i], inputs[i].clone()) for i in way.undone]
        random = RandomState() if way.draws else None
        with held_prints() as prints:
            try:
                return self._run_on(stretch, inputs)
            except Unexplored:
                for tensor, before in copies:
                    tensor.copy_(before)
                if random is not None:
                    random.restore()
                prints.clear()
                raise

    def _run_on(self, stretch: Any, given: list[torch.Tensor]) -> tuple[Trace, list[torch.Tensor]]:
        answers: list[Any] = []
        while stretch.end is None:
            known = [*given, *(stretch.run or self._make(stretch, given))(*given)]
            answers.append(stretch.question.kind(known[stretch.asked_at].item()))
            following = stretch.next.get(answers[-1])
            if following is None:
                raise Unexplored(answers, stretch.question.place)
            stretch, given = following, [known[i] for i in following.picks]
        return stretch.end, (stretch.run or self._make(stretch, given))(*given)

    def prepare(self) -> None:
        """Make the straight code of all stretches now, not at their first run."""
        for stretch in self._stretches():
            if stretch.run is None:
                self._make(stretch, [])

    def _make(self, stretch: _Stretch, inputs: list[torch.Tensor]) -> Any:
        """Make what runs a stretch."""
        graph = self._graph(stretch)
        if self._level == "O0":
            stretch.run = straight_function(graph)
        else:
            module = decomposed(torch.fx.GraphModule(torch.nn.Module(), graph))
            stretch.run = executable(module, self._level, inputs, tiered=self._tiered)
        return stretch.run

    def _graph(self, stretch: _Stretch) -> torch.fx.Graph:
        graph = torch.fx.Graph()
        copies: dict[_Node, _Node] = {}
        for node in stretch.needed:
            copies[node] = graph.placeholder(node.name)
            copies[node].meta = dict(node.meta)
        for node in stretch.live:
            copies[node] = graph.node_copy(node, lambda argument: copies[self._node(argument)])
        graph.output([copies[node] for node in (stretch.outputs if stretch.end is not None else stretch.kept)])
        clean(graph)
        return graph

    # Reading

    def text(self) -> str:
        """Return the paths as readable text."""
        inputs = ", ".join(node.name for node in self._root.needed)
        return "\n".join([f"def captured({inputs}):", *self._lines(self._root, "    ")]) + "\n"

    def _lines(self, stretch: _Stretch, indentation: str) -> list[str]:
        lines = readable_lines(self._graph(stretch))
        if stretch.question is None:
            return [indentation + line for line in lines]
        lines[-1] = f"# {stretch.question.place}: {line_of(stretch.question.place)}"
        lines = [indentation + line for line in lines]
        for answer, following in stretch.next.items():
            lines.append(f"{indentation}if {stretch.question.kind.__name__}({stretch.asked}) == {answer}:")
            lines += self._lines(following, indentation + "    ")
        return lines


def _copied(root: Any) -> Any:
    """Return a copy of a stretch and all that follow it."""
    first = copy.copy(root)
    waiting = [] if first is None else [first]
    while waiting:
        stretch = waiting.pop()
        stretch.next = {answer: copy.copy(following) for answer, following in stretch.next.items()}
        waiting.extend(stretch.next.values())
    return first


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors hold the same numbers, NaN being the same as NaN."""
    return one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())


def _comparable(value: Any) -> Any:
    """Return arguments with the text of NaN in its place, which is equal to itself."""
    if isinstance(value, (tuple, list)):
        return [_comparable(part) for part in value]
    if isinstance(value, dict):
        return {key: _comparable(part) for key, part in value.items()}
    return "nan" if isinstance(value, float) and value != value else value
