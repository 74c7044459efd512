"""A captured function as a tree: segments of straight-line operations, joined by branches on tensor values.

A function that never branches on values is a single segment. With `if x.sum() > 0`, the tree has the segment up to the
question, and one following segment per answer seen so far. This works for all Python that asks for values (`if`,
`while`, `and`, early returns, comprehensions, exceptions) and for gradients, because a path holds everything that the
program did: forward, backward and update. A new answer makes the function be recorded once more along the new path.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.fx.node import map_arg

from torchspore.common.private_torch import schema_of
from torchspore.common.scopes.scope import NotRecordable
from torchspore.engine.capture.compiling.decomposition import decomposed
from torchspore.engine.capture.compiling.exchanges import between_exchanges, has_exchanges, runs_in_order, start_early
from torchspore.engine.capture.compiling.generated_python import operation_label, python_function, readable_lines
from torchspore.engine.capture.compiling.levels import executable
from torchspore.engine.capture.recording.concrete_run import Question
from torchspore.engine.capture.recording.dead_code import clean, has_effect, written
from torchspore.engine.capture.recording.printing import deferred_prints
from torchspore.engine.capture.recording.random_state import RandomState, draws
from torchspore.engine.capture.recording.source_lines import line_text
from torchspore.engine.capture.recording.trace import Trace

__all__ = ["Box", "Tree", "UntracedPath"]

_MAX_PATHS = 64

_LITERAL = torch.ops.aten.lift_fresh_copy.default  # makes a tensor from numbers in the program

_Node = torch.fx.Node


class UntracedPath(Exception):
    """A run got an answer that no recorded path has; its writes have been undone.

    Attributes:
        answers: the answers of the run, the new one last.
        line: the source line of the question.
    """

    def __init__(self, answers: list[Any], line: str) -> None:
        super().__init__(answers, line)
        self.answers = answers
        self.line = line


@dataclass(eq=False)
class _Segment:
    """Straight-line operations up to a question about a value, or to the end of the function.

    Attributes:
        nodes: the operations.
        question: the question at the end; None where the function ends.
        condition: the node whose value the question asks for.
        next: the following segments, by answer.
        end: the trace that ends here.
        outputs: the nodes of the function's results, where it ends.
        inputs: the earlier nodes that this segment, or a following one, uses.
        passed_on: the nodes of this segment that a following one uses.
        live: the nodes of this segment that are not dead code.
        used: the inputs of its own operations; the first segment takes all inputs of the tree.
        keys: what the values of `used`, `passed_on` and `condition` are called during a run.
        dead: the keys of values that neither this segment nor a following one uses, but the previous one had.
        run: a function of `used` that returns the values of `outputs` or `passed_on`; None until it is generated.
    """

    nodes: list[_Node]
    question: Question | None
    condition: _Node | None
    next: dict[Any, _Segment] = field(default_factory=dict)
    end: Trace | None = None
    outputs: list[_Node] = field(default_factory=list)
    inputs: set[_Node] = field(default_factory=set)
    passed_on: list[_Node] = field(default_factory=list)
    live: list[_Node] = field(default_factory=list)
    used: list[_Node] = field(default_factory=list)
    keys: tuple[list[int], list[int], int] = ([], [], 0)
    dead: list[int] = field(default_factory=list)
    run: Any = None

    def has_new_answers(self) -> bool:
        """Return whether the question may get an answer without a following segment."""
        return self.question is not None and not (self.question.kind is bool and len(self.next) == 2)


class Plan(NamedTuple):
    """What a run needs to know of a tree. It never changes: a new path makes a new plan.

    Attributes:
        root: the first segment.
        written_inputs: the indices of the inputs that may have been written when a new answer ends a run.
        draws: whether random numbers may have been drawn by then.
        has_new_answers: whether a run may get a new answer.
    """

    root: _Segment
    written_inputs: list[int]
    draws: bool
    has_new_answers: bool


class Box(NamedTuple):
    """A box in the picture of a tree: an input, an operation, a condition, one of its answers, or the result.

    Attributes:
        label: its text, in lines.
        kind: input, parameter, operation, write, question, answer or result.
        sources: the numbers of the boxes that it comes from.
        hint: a text that is shown when a pointer is over the box.
    """

    label: str
    kind: str
    sources: list[int]
    hint: str = ""


class Tree:
    """The recorded paths of a function; at first there are none.

    Args:
        arguments: the number of tensors in the arguments, which are the first inputs.
        level: "O0", "O1" or "O2".
        tiered: whether generated Python runs while a segment is being compiled.

    Attributes:
        lifted: which of the trace's inputs after the arguments (parameters and other state) the paths use, by index.
        constants: the tensors that are inputs after those.
        plan: what runs.
    """

    plan: Plan

    def __init__(self, arguments: int, level: str, tiered: bool = False) -> None:
        self._level = level
        self._tiered = tiered
        self._arguments = arguments
        self._placeholders: list[_Node] = []
        self._constants: dict[int, tuple[torch.Tensor, _Node]] = {}
        self._equivalents: dict[_Node, _Node] = {}  # a node of a later trace -> the equal node of the tree
        self._order: dict[_Node, int] = {}
        self._paths = 0
        self._root: Any = None
        self.lifted: list[int] = []
        self.constants: list[torch.Tensor] = []

    # Building

    def add(self, trace: Trace) -> None:
        """Add a path.

        Raises:
            NotRecordable: there are too many paths, or the function is not deterministic.
        """
        if self._paths >= _MAX_PATHS:
            raise NotRecordable(f"conditions on values have led to more than {_MAX_PATHS} paths")
        if not self._paths:
            self._placeholders = [node for node in trace.graph.nodes if node.op == "placeholder"]
            self._order = {node: i for i, node in enumerate(self._placeholders)}
        self._root = _copied(self._root)  # a run in another thread continues with the old one
        operations, position = self._operations(trace)
        parent, answer, start = None, None, 0
        for question in (*trace.questions, None):
            stop = len(operations) if question is None else position[question.last]
            nodes = operations[start:stop]
            segment = self._root if parent is None else parent.next.get(answer)
            if segment is not None:
                self._check_same(segment, nodes, question)
            else:
                self._order.update(zip(nodes, range(len(self._order), len(self._order) + len(nodes))))
                segment = _Segment(nodes, question, None if question is None else self._node(question.node))
                if parent is None:
                    self._root = segment
                else:
                    parent.next[answer] = segment
            if question is not None:
                parent, answer, start = segment, question.answer, stop
        segment.end = trace
        results: Any = next(iter(reversed(trace.graph.nodes))).args[0]
        segment.outputs = [self._node(node) for node in results]
        self._paths += 1
        self._link_segments()

    def knows(self, answers: list[Any]) -> bool:
        """Return whether a path begins with these answers."""
        segment = self._root
        for answer in answers:
            segment = segment and segment.next.get(answer)
        return segment is not None

    def _operations(self, trace: Trace) -> tuple[list[_Node], dict[_Node, int]]:
        """Return the trace's operations, and for each node their number up to it."""
        operations: list[_Node] = []
        position: dict[_Node, int] = {}
        inputs = iter(self._placeholders)
        for node in trace.graph.nodes:
            if node.op == "placeholder":
                self._equivalents[node] = next(inputs)
            elif node.op == "get_attr":
                self._equivalents[node] = known = self._constant(trace.outside[str(node.target)], node)
                self._order.setdefault(known, len(self._order))
            elif node.op == "call_function":
                operations.append(node)
            position[node] = len(operations)
        return operations, position

    def _constant(self, tensor: torch.Tensor, node: _Node) -> _Node:
        """Return the tree's node for a constant; equal literals share a node."""
        if id(tensor) not in self._constants and all(user.target is _LITERAL for user in node.users):
            for constant, its_node in self._constants.values():
                same_kind = constant.dtype is tensor.dtype and constant.device == tensor.device
                if same_kind and _equal(constant, tensor):
                    return its_node
        return self._constants.setdefault(id(tensor), (tensor, node))[1]

    def _check_same(self, segment: _Segment, nodes: list[_Node], question: Question | None) -> None:
        same = len(nodes) == len(segment.nodes) and all(map(self._is_same, nodes, segment.nodes))
        if same and question is not None and segment.question is not None:
            same = self._node(question.node) is segment.condition and question.kind is segment.question.kind
        else:
            same = same and question is segment.question
        if not same:
            raise NotRecordable("it does not do the same when it is run again")

    def _is_same(self, new: _Node, known: _Node) -> bool:
        same = new.target is known.target and self._arguments_of(new) == self._arguments_of(known)
        if same:
            self._equivalents[new] = known
        return same

    def _arguments_of(self, node: _Node) -> Any:
        return _comparable(map_arg((node.args, node.kwargs), self._node))

    def _node(self, node: _Node) -> _Node:
        return self._equivalents.get(node, node)

    def _segments(self) -> Iterator[_Segment]:
        """Iterate over the segments, each before those that follow it."""
        waiting = [self._root]
        while waiting:
            segment = waiting.pop()
            yield segment
            waiting.extend(segment.next.values())

    def _link_segments(self) -> None:
        """Find the inputs of every segment and of the tree, by a liveness analysis from the ends backwards."""
        for segment in reversed(list(self._segments())):
            wanted = {node for following in segment.next.values() for node in following.inputs}
            wanted.update([*segment.outputs] if segment.condition is None else [segment.condition])
            passed_on = wanted.intersection(segment.nodes) if segment.condition is not None else ()
            live: list[_Node] = []
            used = set(segment.outputs)
            for node in reversed(segment.nodes):
                if node in wanted or has_effect(node):
                    live.append(node)
                    sources = list(map(self._node, node.all_input_nodes))
                    wanted.update(sources)
                    used.update(sources)
            segment.inputs = wanted.difference(segment.nodes)
            if segment is self._root:
                segment.inputs.update(self._placeholders[: self._arguments])
                used = segment.inputs
            now = self._sorted(passed_on), self._sorted(used.difference(segment.nodes)), live[::-1]
            if now != (segment.passed_on, segment.used, segment.live):
                segment.passed_on, segment.used, segment.live = now
                segment.run = None
        count = len(self._placeholders)
        places = [self._order[node] for node in self._root.used]
        self.lifted = [i - self._arguments for i in places if self._arguments <= i < count]
        constants = {node: tensor for tensor, node in self._constants.values()}
        self.constants = [constants[node] for node in self._root.used if node in constants]
        order = self._order.__getitem__
        for segment in self._segments():
            condition = 0 if segment.condition is None else order(segment.condition)
            segment.keys = [*map(order, segment.used)], [*map(order, segment.passed_on)], condition
            held = segment.inputs.union(segment.passed_on)
            for following in segment.next.values():
                following.dead = [*map(order, held - following.inputs)]
        self.plan = self._make_plan()

    def _sorted(self, nodes: Any) -> list[_Node]:
        return sorted(nodes, key=self._order.__getitem__)

    def _make_plan(self) -> Plan:
        before = [segment for segment in self._segments() if segment.question is not None]
        if not any(segment.has_new_answers() for segment in before):
            return Plan(self._root, [], False, False)
        targets = {base for s in before for node in s.nodes for target in written(node) for base in self._bases(target)}
        written_inputs = [i for i, node in enumerate(self._root.used) if node in targets]
        return Plan(self._root, written_inputs, any(draws(node.target) for s in before for node in s.nodes), True)

    def _bases(self, node: _Node) -> set[_Node]:
        """Return the inputs of which a node may be a view."""
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

    def run(self, plan: Plan, inputs: list[torch.Tensor]) -> tuple[Trace, list[torch.Tensor]]:
        """Run the path that the inputs select; return its trace and the values of its results.

        Args:
            plan: the tree's plan.
            inputs: the tensors of the arguments and of `lifted`, and `constants`, all read together with the plan.

        Raises:
            UntracedPath: an answer is new; what the run had written is undone.
        """
        segment = plan.root
        if segment.end is not None:
            return segment.end, (segment.run or self._make(segment, inputs))(*inputs)
        if not plan.has_new_answers:
            return self._run_on(segment, inputs)
        copies = [(inputs[i], inputs[i].clone()) for i in plan.written_inputs]
        random = RandomState() if plan.draws else None
        with deferred_prints() as prints:
            try:
                return self._run_on(segment, inputs)
            except UntracedPath:
                for tensor, before in copies:
                    tensor.copy_(before)
                if random is not None:
                    random.restore()
                prints.clear()
                raise

    def _run_on(self, segment: Any, inputs: list[torch.Tensor]) -> tuple[Trace, list[torch.Tensor]]:
        answers: list[Any] = []
        values: dict[int, Any] = dict(zip(segment.keys[0], inputs))
        while segment.end is None:
            used, made, condition = segment.keys
            inputs = [values[key] for key in used]
            values.update(zip(made, (segment.run or self._make(segment, inputs))(*inputs)))
            answers.append(segment.question.kind(values[condition].item()))
            following = segment.next.get(answers[-1])
            if following is None:
                raise UntracedPath(answers, segment.question.line)
            segment = following
            for key in segment.dead:
                del values[key]
        inputs = [values[key] for key in segment.keys[0]]
        values.clear()
        return segment.end, (segment.run or self._make(segment, inputs))(*inputs)

    def prepare(self) -> None:
        """Generate the code of all segments now instead of at their first run; compiling needs that run's inputs."""
        for segment in self._segments():
            if segment.run is None and self._level == "O0":
                self._make(segment, [])

    def _make(self, segment: _Segment, inputs: list[torch.Tensor]) -> Any:
        """Generate or compile the code of a segment."""
        graph = self._graph(segment)
        if self._level == "O0":
            segment.run = python_function(graph)
        elif runs_in_order(graph):
            segment.run = between_exchanges(graph, self._compiled)
        else:
            segment.run = self._compiled(graph, inputs)
        return segment.run

    def _compiled(self, graph: torch.fx.Graph, inputs: Sequence[Any]) -> Any:
        module = decomposed(torch.fx.GraphModule(torch.nn.Module(), graph), inputs)
        return executable(module, self._level, inputs, tiered=self._tiered)

    def _graph(self, segment: _Segment) -> torch.fx.Graph:
        graph = torch.fx.Graph()
        copies: dict[_Node, _Node] = {}
        for node in segment.used:
            copies[node] = graph.placeholder(node.name)
            copies[node].meta = dict(node.meta)
        for node in segment.live:
            copies[node] = graph.node_copy(node, lambda argument: copies[self._node(argument)])
        graph.output([copies[node] for node in (segment.outputs if segment.end is not None else segment.passed_on)])
        clean(graph)
        if has_exchanges(graph):
            start_early(graph)
        return graph

    # Reading

    def text(self) -> str:
        """Return the paths as readable text."""
        inputs = ", ".join(node.name for node in self._root.used)
        return "\n".join([f"def captured({inputs}):", *self._lines(self._root, "    ")]) + "\n"

    def _lines(self, segment: _Segment, indentation: str) -> list[str]:
        lines = readable_lines(self._graph(segment))
        if segment.question is None:
            return [indentation + line for line in lines]
        lines[-1] = f"# {segment.question.line}: {line_text(segment.question.line)}"
        lines = [indentation + line for line in lines]
        for answer, following in segment.next.items():
            lines.append(f"{indentation}if {segment.question.kind.__name__}({segment.condition}) == {answer}:")
            lines += self._lines(following, indentation + "    ")
        return lines

    def boxes(self, names: list[str]) -> list[Box]:
        """Return the paths as the boxes of a picture, each after its sources.

        Args:
            names: the names of all inputs of the traces.
        """
        boxes: list[Box] = []
        numbers: dict[str, int] = {}
        for node in self._root.used:
            place = self._order[node]
            is_argument = place < self._arguments
            label = names[place] if place < len(names) else "constant"
            numbers[node.name] = len(boxes)
            boxes.append(Box(label, "input" if is_argument else "parameter", []))
        self._add_boxes(self._root, numbers, [], boxes)
        return boxes

    def _add_boxes(self, segment: _Segment, numbers: dict[str, int], before: list[int], boxes: list[Box]) -> None:
        """Add the boxes of a segment and those that follow; `before` has the number of the answer that leads here."""
        numbers = dict(numbers)
        for node in self._graph(segment).nodes:
            sources = [numbers[source.name] for source in node.all_input_nodes]
            if node.op == "output" and segment.question is None:
                boxes.append(Box("result", "result", [*sources, *before]))
            elif node.op == "output":
                kept: Any = node.args[0]
                numbers |= {known.name: numbers[here.name] for known, here in zip(segment.passed_on, kept)}
            elif node.op == "call_function" and node.target is operator.getitem:
                numbers[node.name] = sources[0]
            elif node.op == "call_function":
                line = node.meta.get("source_line", "")
                numbers[node.name] = len(boxes)
                kind = "write" if has_effect(node) else "operation"
                boxes.append(Box(operation_label(node), kind, sources or before, f"{line}\n{line_text(line)}".strip()))
        if segment.question is None:
            return
        line = segment.question.line
        question = len(boxes)
        condition = numbers[str(segment.condition)]
        boxes.append(Box(f"{segment.question.kind.__name__}?", "question", [condition], f"{line}\n{line_text(line)}"))
        for answer, following in segment.next.items():
            boxes.append(Box(str(answer), "answer", [question]))
            self._add_boxes(following, numbers, [len(boxes) - 1], boxes)


def _copied(root: Any) -> Any:
    """Return a copy of a segment and of all that follow it."""
    first = copy.copy(root)
    waiting = [] if first is None else [first]
    while waiting:
        segment = waiting.pop()
        segment.next = {answer: copy.copy(following) for answer, following in segment.next.items()}
        waiting.extend(segment.next.values())
    return first


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors are equal, with NaN equal to NaN."""
    return one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())


def _comparable(value: Any) -> Any:
    """Return arguments that compare with ==: NaN, which is not equal to itself, becomes a string."""
    if isinstance(value, (tuple, list)):
        return [_comparable(part) for part in value]
    if isinstance(value, dict):
        return {key: _comparable(part) for key, part in value.items()}
    return "nan" if isinstance(value, float) and value != value else value
