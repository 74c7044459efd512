"""Exchanging calls of cells by pattern: those whose classes and connections match."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.rewrite.nodes import Node
from torchspore.rewrite.symbol_tree import SymbolTree
from torchspore.rewrite.values import NodeType

__all__ = ["PatternEngine", "PatternNode", "Replacement", "VarNode"]


class PatternNode:
    """One node of a pattern: a class, and the pattern of each argument.

    MindSpore: `rewrite.PatternNode`.

    Args:
        pattern_node_name: its name, by which the matched node is found.
        match_type: the class of the cell or primitive that matches. Default: the type of None.
        inputs: the patterns of its arguments; with none, all arguments match. Default: None, none.

    Raises:
        TypeError: an argument has another type.

    Examples:
        >>> from torchspore import nn
        >>> from torchspore.rewrite.patterns import PatternNode
        >>> pattern = PatternNode("relu", nn.ReLU, [PatternNode("conv", nn.Conv2d)])
        >>> pattern.get_inputs()[0].name()
        'conv'
    """

    def __init__(
        self, pattern_node_name: str, match_type: object = type[None], inputs: Sequence[PatternNode] | None = None
    ) -> None:
        self._name = take_as(str, pattern_node_name, "pattern_node_name", "PatternNode")
        self._type = match_type
        self.set_inputs(inputs or [])

    @staticmethod
    def from_node(node: Node) -> PatternNode:
        """Return the pattern of a node, named as what it assigns, without its arguments."""
        take_as(Node, node, "node", "PatternNode")
        kind = node.get_instance_type() if node.get_node_type() is NodeType.CallCell else type[None]
        return PatternNode(str(node.get_targets()[0]), kind)

    @staticmethod
    def create_pattern_from_node(node: Node) -> PatternNode:
        """Return the pattern of a node and of the nodes that provide its arguments."""
        pattern = PatternNode.from_node(node)
        pattern.set_inputs([PatternNode.create_pattern_from_node(source) for source in node.get_inputs()])
        return pattern

    @staticmethod
    def create_pattern_from_list(type_list: list[type]) -> PatternNode:
        """Return the pattern of calls of these classes in sequence: the last one's pattern."""
        take_as(list, type_list, "type_list", "PatternNode")
        inputs: list[PatternNode] = []
        for index, kind in enumerate(type_list):
            inputs = [PatternNode(f"{index}-{kind}", kind, inputs)]
        return inputs[0]

    def add_input(self, node: PatternNode) -> None:
        """Add the pattern of another argument."""
        self.set_inputs([*self._inputs, node])

    def set_inputs(self, inputs: Sequence[PatternNode]) -> None:
        """Set the patterns of the arguments."""
        for node in inputs:
            take_as(PatternNode, node, "inputs", "PatternNode")
        self._inputs = list(inputs)

    def match(self, node: Node) -> bool:
        """Return whether a node calls this class; its arguments are not compared."""
        take_as(Node, node, "node", "PatternNode")
        return bool(self._type == node.get_instance_type())

    def get_inputs(self) -> list[PatternNode]:
        """Return the patterns of the arguments."""
        return self._inputs

    def name(self) -> str:
        """Return its name."""
        return self._name

    def type(self) -> object:
        """Return the class that matches."""
        return self._type

    def find(self, node: Node) -> OrderedDict[str, Node] | None:
        """Return the matched nodes by the names of their patterns, this one last; None without a match.

        Args:
            node: the node that must match this pattern.
        """
        kinds = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Input)
        if node.get_node_type() not in kinds or not self.match(node):
            return None
        found: OrderedDict[str, Node] = OrderedDict()
        sources = node.get_inputs()
        if self._inputs and len(self._inputs) != len(sources):
            return None
        for pattern, source in zip(self._inputs, sources):
            inner = pattern.find(source)
            if inner is None:
                return None
            found.update(inner)
        if not isinstance(self, VarNode):
            found[self._name] = node
        return found


class VarNode(PatternNode):
    """A node of a pattern that every call of a cell and every argument matches; it is not among the matched nodes."""

    def __init__(self) -> None:
        super().__init__("placeholder", Cell)

    def match(self, node: Node) -> bool:
        """Return True."""
        return True


class Replacement:
    """What takes the place of the matched nodes: a subclass defines `build`."""

    def build(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict[str, Node]) -> list[Node]:
        """Return the new nodes; none keeps the matched ones.

        Args:
            pattern: the pattern of the last matched node.
            is_chain_pattern: whether the pattern was given as a list of classes.
            matched: the matched nodes by the names of their patterns.
        """
        raise NotImplementedError(f"Define the method 'build' of '{type(self).__name__}'.")

    def __call__(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict[str, Node]) -> list[Node]:
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """Exchanges the calls that match a pattern.

    MindSpore: `rewrite.PatternEngine`.

    Args:
        pattern: the pattern, or a list of classes of cells and primitives that are called in sequence.
        replacement: a `Replacement`, called for each match. Default: None, changes nothing.

    Raises:
        TypeError: an argument has another type.

    Examples:
        >>> from torchspore import nn
        >>> from torchspore.rewrite import Node, SymbolTree
        >>> from torchspore.rewrite.patterns import PatternEngine, Replacement
        >>> class Net(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.relu = nn.ReLU()
        ...
        ...     def construct(self, x):
        ...         return self.relu(x)
        >>> class Smooth(Replacement):
        ...     def build(self, pattern, is_chain_pattern, matched):
        ...         node = matched[pattern.name()]
        ...         return [Node.create_call_cell(nn.GELU(), node.get_targets(), node.get_args(), name="gelu")]
        >>> tree = SymbolTree.create(Net())
        >>> PatternEngine([nn.ReLU], Smooth()).apply(tree)
        True
        >>> [node.get_name() for node in tree.nodes()]
        ['input_x', 'gelu', 'return']
    """

    def __init__(self, pattern: PatternNode | list[type], replacement: Replacement | None = None) -> None:
        if replacement is not None:
            take_as(Replacement, replacement, "replacement", "PatternEngine")
        self._is_chain = isinstance(pattern, list)
        for kind in pattern if isinstance(pattern, list) else ():
            if not issubclass(kind, (Cell, Primitive)):
                given = describe(kind)
                raise TypeError(
                    f"For 'PatternEngine', 'pattern' must hold classes of cells or primitives, not {given}."
                )
        self._pattern = PatternNode.create_pattern_from_list(pattern) if isinstance(pattern, list) else pattern
        take_as(PatternNode, self._pattern, "pattern", "PatternEngine")
        self._replacement: Callable[..., list[Node]] = replacement or (lambda *matched: [])

    def pattern(self) -> PatternNode:
        """Return the pattern of the last node."""
        return self._pattern

    def apply(self, stree: SymbolTree) -> bool:
        """Exchange what matches in a tree, and in the trees of the networks that it calls.

        A match is left out if another node, too, uses what a node inside it assigns.

        Args:
            stree: the tree.

        Returns:
            Whether this tree itself was changed.
        """
        take_as(SymbolTree, stree, "stree", "PatternEngine")
        changed = [self._exchange(stree, node) for node in stree.nodes()]
        return any(changed)

    def _exchange(self, tree: SymbolTree, node: Node) -> bool:
        """Exchange what ends at a node, or is inside it, and return whether the tree was changed."""
        if node.get_node_type() is NodeType.Tree:
            self.apply(node.get_sub_tree())
        if node.get_node_type() is NodeType.CellContainer:
            for child in node.nodes():
                self._exchange(tree, child)
        matched = self._pattern.find(node) if node.get_symbol_tree() is tree else None
        if matched is None:
            return False
        inner = [found for found in matched.values() if found is not node]
        if any(user not in matched.values() for found in inner for user in found.get_users()):
            return False
        new = self._replacement(self._pattern, self._is_chain, matched)
        if new:
            tree.replace(node, new)
            for found in reversed(inner):
                tree.erase(found)
        return bool(new)
