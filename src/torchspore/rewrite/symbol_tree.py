"""A network's forward computation as nodes that can be inserted, erased and replaced."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.nn.cell import Cell
from torchspore.rewrite.code import Code
from torchspore.rewrite.expressions import dotted_name
from torchspore.rewrite.flattening import Names
from torchspore.rewrite.nodes import Block, Node, NodeManager
from torchspore.rewrite.parsing import Function, python_function
from torchspore.rewrite.values import NodeType, ScopedValue

__all__ = ["SymbolTree"]

_class_names = Names(set())


class Position:
    """Where to insert a node: made by `SymbolTree.before` and `SymbolTree.after`."""

    def __init__(self, node: Node, after: bool) -> None:
        self.node = node
        self.after = after


class SymbolTree(NodeManager):
    """The statements of a network as nodes, from which a changed network is made.

    Statements that nest operations are split into simple ones. The networks, functions and methods of the program
    that a network calls are read, too; networks, functions and methods of libraries are single nodes.
    `SymbolTree.create` makes a tree.

    MindSpore: `rewrite.SymbolTree`.

    Args:
        handler: the tree whose network is read.

    Examples:
        >>> from torchspore import nn
        >>> from torchspore.rewrite import SymbolTree
        >>> class Net(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.dense = nn.Dense(2, 3)
        ...         self.relu = nn.ReLU()
        ...
        ...     def construct(self, x):
        ...         return self.relu(self.dense(x))
        >>> tree = SymbolTree.create(Net())
        >>> [node.get_name() for node in tree.nodes()]
        ['input_x', 'dense', 'relu', 'return']
    """

    def __init__(self, handler: SymbolTree) -> None:
        if not isinstance(handler, SymbolTree):
            raise TypeError(
                f"For 'SymbolTree', 'handler' must be a SymbolTree, but got {describe(handler)}. "
                "SymbolTree.create makes one of a network."
            )
        self._begin(handler._network)

    @classmethod
    def create(cls, network: Cell) -> SymbolTree:
        """Return the tree of a network.

        Args:
            network: a cell whose class is defined in a file or a notebook.

        Raises:
            TypeError: `network` is not a Cell.
            ValueError: the source of its `construct` cannot be read.
        """
        if not isinstance(network, Cell):
            raise TypeError(f"For 'SymbolTree', 'network' must be a Cell, but got {describe(network)}.")
        tree = cls.__new__(cls)
        tree._begin(network)
        tree._name = _class_names.unique(tree._name)
        return tree

    def _begin(self, network: Cell) -> None:
        """Read a network."""
        self._network = network
        function, self._kind = _construct(network)
        self._name = f"{type(network).__name__}Opt"
        self._names = Names(set())  # of nodes
        self._function_names = Names(set())  # of the functions in the code that is written
        self._methods: dict[FunctionType, Function] = {}
        self._trees: dict[int, SymbolTree] = {}
        self._objects: dict[str, Any] = {}  # that inserted nodes refer to, by name
        self._file = "./network_define.py"
        self._main = self._method(function, ())

    def nodes(self, all_nodes: bool = False) -> Iterator[Node]:
        """Return an iterator over the nodes.

        Args:
            all_nodes: whether the nodes inside functions, branches, loops, containers and networks that are called
                follow. Default: False.

        Raises:
            TypeError: `all_nodes` is not a bool.
        """
        take_as(bool, all_nodes, "all_nodes", "nodes")
        return iter([*self._nodes(), *self._nodes_of_trees()] if all_nodes else [*self._main.block.nodes])

    def _nodes(self) -> list[Node]:
        """Return the nodes of the network itself, nodes of its functions, branches and containers last."""
        found: list[Node] = []
        pending = [self._main.block]
        while pending:
            block = pending.pop()
            found.extend(node for node in block.nodes if node not in found)
            pending.extend(node._inner for node in block.nodes if node._inner is not None)
        return found

    def _nodes_of_trees(self) -> Iterator[Node]:
        """Yield the nodes of the networks that the network calls."""
        for node in self._nodes():
            if node._sub_tree is not None:
                yield from node._sub_tree.nodes(all_nodes=True)

    def all_nodes(self, subtree_nodes: bool = True) -> list[Node]:
        """Return all nodes as a list.

        Args:
            subtree_nodes: whether nodes of the networks that the network calls follow. Default: True.
        """
        take_as(bool, subtree_nodes, "subtree_nodes", "all_nodes")
        return [*self._nodes(), *(self._nodes_of_trees() if subtree_nodes else ())]

    def get_node(self, node_name: str) -> Node | None:
        """Return the node with a name, or None.

        Args:
            node_name: the name.

        Raises:
            TypeError: `node_name` is not a string.
        """
        take_as(str, node_name, "node_name", "get_node")
        return next((node for node in self._nodes() if node.get_name() == node_name), None)

    def get_inputs(self) -> list[Node]:
        """Return the nodes of the network's arguments."""
        return [node for node in self._main.block.nodes if node.get_node_type() is NodeType.Input]

    def get_handler(self) -> SymbolTree:
        """Return the tree itself."""
        return self

    def get_origin_network(self) -> Cell:
        """Return the network that the tree was made of."""
        return self._network

    def before(self, node: Node | str) -> Position:
        """Return the position before a node, for `insert`.

        Args:
            node: the node, or its name.

        Raises:
            TypeError: `node` is not a Node or a string.
            RuntimeError: the node is not in this tree.
        """
        return Position(self._find(node, "before"), after=False)

    def after(self, node: Node | str) -> Position:
        """Return the position after a node, for `insert`.

        Args:
            node: the node, or its name.

        Raises:
            TypeError: `node` is not a Node or a string.
            RuntimeError: the node is not in this tree.
        """
        return Position(self._find(node, "after"), after=True)

    def insert(self, position: Position, node: Node) -> Node:
        """Insert a node, and return it.

        Args:
            position: where, from `before` or `after`.
            node: the node.

        Raises:
            TypeError: an argument has another type.
            ValueError: the position is not in this tree, or the node is in a tree.
            RuntimeError: the position is before an argument, or a new argument would not follow the others.
        """
        if not isinstance(position, Position):
            raise TypeError(
                f"For 'insert', 'position' must be what 'before' or 'after' return, but got {describe(position)}."
            )
        _check_node(node, "node", "insert")
        block = position.node._block
        if block is None or block.tree is not self:
            raise ValueError(f"For 'insert', 'position' is at '{position.node.get_name()}', which is not in this tree.")
        if node._block is not None:
            raise ValueError(f"For 'insert', '{node.get_name()}' is in a tree, and cannot be inserted again.")
        index = block.nodes.index(position.node) + position.after
        self._check_order(block, index, node)
        self._adopt(node, block, index)
        block.put(index, node)
        return node

    def erase(self, node: Node | str) -> Node:
        """Take a node out of the tree, and return it.

        Args:
            node: the node, or its name.

        Raises:
            TypeError: `node` is not a Node or a string.
            RuntimeError: the node is not in this tree, or is an argument.
        """
        node = self._find(node, "erase")
        if node.get_node_type() is NodeType.Input:
            raise RuntimeError(f"For 'erase', '{node.get_name()}' is an argument of the network, and must stay.")
        block = node._block
        assert block is not None
        if block.container is not None:
            del block.container[block.nodes.index(node)]
        block.take(node)
        if node._branch is not None and node._branch._block is not None:
            self.erase(node._branch)
        return node

    def replace(self, old_node: Node, new_nodes: Sequence[Node]) -> Node:
        """Insert nodes in place of another, and return the last of them.

        Args:
            old_node: the node to be erased.
            new_nodes: a list of the nodes to be inserted.

        Raises:
            TypeError: an argument has another type.
            ValueError: there are no new nodes, or one is in a tree.
            RuntimeError: the old node is not in this tree, or is an argument.
        """
        _check_node(old_node, "old_node", "replace")
        if not isinstance(new_nodes, (list, tuple)):
            raise TypeError(f"For 'replace', 'new_nodes' must be a list, but got {describe(new_nodes)}.")
        for node in new_nodes:
            _check_node(node, "new_nodes", "replace")
        if not new_nodes:
            raise ValueError("For 'replace', 'new_nodes' is empty. Use 'erase' to take a node out.")
        last = self._find(old_node, "replace")
        for node in new_nodes:
            last = self.insert(Position(last, after=True), node)
        self.erase(old_node)
        return last

    def flatten_nodes(self, node: Node, erase_nodes_after_return: bool = False) -> None:
        """Take the nodes of a branch or loop out of it, to where it ends; without another branch it is erased.

        Args:
            node: the node of the branch or loop.
            erase_nodes_after_return: whether to erase what follows a `return` then. Default: False.

        Raises:
            TypeError: an argument has another type.
            ValueError: `node` is of another kind.
        """
        _check_node(node, "node", "flatten_nodes")
        take_as(bool, erase_nodes_after_return, "erase_nodes_after_return", "flatten_nodes")
        block, inner = node._block, node._inner
        if node.get_node_type() is not NodeType.ControlFlow or inner is None or block is None:
            kind = node.get_node_type()
            raise ValueError(f"For 'flatten_nodes', 'node' must be a NodeType.ControlFlow of a tree, but got {kind}.")
        other = node._branch or node._owner
        last = max(block.nodes.index(part) for part in (node, other) if part is not None and part._block is block)
        for index, moved in enumerate(list(inner.nodes), last + 1):
            inner.take(moved)
            block.put(index, moved)
        if other is None or other._block is None:
            block.take(node)
        kinds = [item.get_node_type() for item in block.nodes]
        if erase_nodes_after_return and NodeType.Output in kinds:
            for item in block.nodes[kinds.index(NodeType.Output) + 1 :]:
                block.take(item)

    def flatten_static_if_control_flow(self) -> None:
        """Keep the branch that runs of each `if` whose test is known before the network runs, and erase the other.

        A test is known if it refers to the network's attributes, global names and constants alone.
        """
        for node in self.all_nodes():
            if node.test_result is None or node._block is None:
                continue
            kept = node if node.test_result else node._branch
            if kept is not None:
                self.flatten_nodes(kept, erase_nodes_after_return=True)
            if node._block is not None:
                node._block.tree.erase(node)

    def set_output(self, index: int, return_value: str) -> Node:
        """Let the network return another variable, and return the node.

        Args:
            index: which of the returned values; only 0 where the network returns one value.
            return_value: the name of the variable.

        Raises:
            TypeError: an argument has another type.
            ValueError: there is no such value.
            RuntimeError: the network has no `return` outside its branches.
        """
        take_as(str, return_value, "return_value", "set_output")
        for node in reversed(self._main.block.nodes):
            if node.get_node_type() is NodeType.Output:
                node.set_arg(index, return_value)
                return node
        raise RuntimeError("For 'set_output', the network has no 'return' outside its branches and loops.")

    def unique_name(self, name: str = "output") -> str:
        """Return a name that no variable of the network has: the given one, or it with a number.

        Args:
            name: the name. Default: "output".

        Raises:
            TypeError: `name` is not a string.
        """
        return self._main.names.unique(take_as(str, name, "name", "unique_name"))

    def get_code(self) -> str:
        """Return the Python code of the network as it is now."""
        return Code(self).text

    def get_network(self) -> Cell:
        """Return the network as it is now; its code is saved in the folder 'rewritten_network'.

        The new network shares its parameters and child cells with the one that the tree was made of.
        """
        code = Code(self)
        path = Path("rewritten_network", f"{self._name}_{id(self._network)}.py")
        path.parent.mkdir(exist_ok=True)
        return code.run(path)

    def set_saved_file_name(self, file_name: str) -> None:
        """Set the file that `save_network_to_file` writes; ".py" is added to a name without it.

        Args:
            file_name: its path.
        """
        take_as(str, file_name, "file_name", "set_saved_file_name")
        self._file = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def get_saved_file_name(self) -> str:
        """Return the file that `save_network_to_file` writes, "./network_define.py" unless it was set."""
        return self._file

    def save_network_to_file(self) -> None:
        """Save the Python code of the network as it is now."""
        Code(self).save(Path(self._file))

    def dump(self) -> None:
        """Print the nodes as `print_node_tabulate` does."""
        self.print_node_tabulate()

    def print_node_tabulate(self, all_nodes: bool = False) -> None:
        """Print a table of the nodes: kinds, names, code, and where their values come from and go to.

        Args:
            all_nodes: whether the nodes inside others follow. Default: False.
        """
        rows = [("node type", "name", "codes", "arg providers", "target users")]
        for node in self.nodes(all_nodes):
            providers = {
                index: (source.get_name(), output) for index, (source, output) in node.get_arg_providers().items()
            }
            users = {
                output: [(user.get_name(), index) for user, index in uses]
                for output, uses in node.get_target_users().items()
            }
            code = node.get_source_code().split("\n")[0]
            rows.append((str(node.get_node_type()), node.get_name(), code, str(providers), str(users)))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
        for row in rows:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())

    # What MindSpore's inner trees have, which `get_handler` returns there.

    def get_node_inputs(self, node: Node | str) -> list[Node]:
        """Return the nodes that provide the arguments of a node."""
        return self._find(node, "get_node_inputs").get_inputs()

    def get_node_users(self, node: Node | str) -> list[tuple[Node, int]]:
        """Return the nodes that use what a node assigns, each with the index of its argument."""
        users = self._find(node, "get_node_users").get_target_users()
        return [use for uses in users.values() for use in uses]

    def insert_node(self, new_node: Node, base_node: Node | str, before_node: bool) -> Node:
        """Insert a node before or after another, and return it."""
        position = self.before(base_node) if before_node else self.after(base_node)
        return self.insert(position, new_node)

    def erase_node(self, node: Node | str) -> Node:
        """Take a node out, and return it."""
        return self.erase(node)

    def set_node_arg(self, node: Node | str, index: int, arg: ScopedValue | str) -> None:
        """Give a node another argument."""
        self._find(node, "set_node_arg").set_arg(index, arg)

    def set_node_target(self, node: Node | str, index: int, target: ScopedValue | str) -> None:
        """Let a node assign to another variable."""
        found = self._find(node, "set_node_target")
        found.set_targets([target if number == index else old for number, old in enumerate(found.get_targets())])

    def get_ori_cls_name(self) -> str:
        """Return the name of the network's class."""
        return type(self._network).__name__

    def get_opt_cls_name(self) -> str:
        """Return the name of the class that is written."""
        return self._name

    def unique_func_name(self, name: str) -> str:
        """Return a name that no function in the code that is written has."""
        return self._function_names.unique(name)

    def get_module_ast(self) -> ast.Module:
        """Return the code of the network as a syntax tree."""
        return ast.parse(self.get_code())

    def _held(self) -> list[Node]:
        return self._main.block.nodes

    def _find(self, node: Node | str, api: str) -> Node:
        """Return a node of this tree that is given by itself or its name."""
        if not isinstance(node, (Node, str)):
            raise TypeError(f"For '{api}', 'node' must be a Node or the name of one, but got {describe(node)}.")
        found = self.get_node(node) if isinstance(node, str) else node
        if found is None or found.get_symbol_tree() is not self:
            name = node if isinstance(node, str) else node.get_name()
            raise RuntimeError(f"For '{api}', the tree has no node '{name}'.")
        return found

    def _check_order(self, block: Block, index: int, node: Node) -> None:
        """Raise if a node would stand among the arguments, or an argument elsewhere."""
        arguments = sum(isinstance(item._statement, (ast.arg, ast.arguments)) for item in block.nodes)
        if index < arguments:
            raise RuntimeError("For 'insert', a node cannot stand before an argument of the network.")
        if isinstance(node._statement, ast.arg) and (block is not self._main.block or index != arguments):
            raise RuntimeError("For 'insert', a new argument must directly follow the others.")
        if block.container is not None and not isinstance(node._instance, Cell):
            raise ValueError(f"For 'insert', only cells can be in a container, but got '{node.get_name()}'.")

    def _adopt(self, node: Node, block: Block, index: int) -> None:
        """Give a node its name, and the network what it refers to."""
        call = getattr(node._statement, "value", None)
        name = node.get_name() or type(node._instance).__name__
        node._name = self._names.unique(name)
        for target in node.get_targets():
            self._main.names.add(str(target))
        if isinstance(node._statement, ast.arg):
            self._main.add_input(node)
        elif block.container is not None:
            insert = getattr(block.container, "insert", None) or block.container._insert
            insert(index, node._instance)
            node._statement = None
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):  # of a cell
            attribute = node._name
            while hasattr(self._network, attribute):
                attribute = self._names.unique(name)
            node._name = call.func.attr = attribute
            setattr(self._network, attribute, node._instance)
            if node._sub_tree is not None:
                self._trees[id(node._instance)] = node._sub_tree
        self._objects.update(node._objects)

    def _keep(self, source: Node, value: ScopedValue) -> ScopedValue:
        """Keep what a node assigns in a new variable, and return that."""
        name = self._main.names.unique(value.value)
        statement = ast.Assign([ast.Name(name, ast.Store())], ast.parse(str(value), mode="eval").body)
        node = Node(NodeType.CallMethod, "name_assign", statement)
        self.insert(Position(source, after=True), node)
        return ScopedValue.create_naming_value(name)

    def _is_method(self, function: Callable[..., Any]) -> bool:
        """Return whether a function is a method of the network's class, called by `self`."""
        return python_function(vars(self._kind).get(function.__name__)) is function

    def _method(self, function: FunctionType, callers: tuple[Callable[..., Any], ...]) -> Function:
        """Return a method of the network, which is read once."""
        if function not in self._methods:
            self._methods[function] = Function(self, function, function.__name__, callers)
        return self._methods[function]

    def _of(self, cell: Cell) -> SymbolTree:
        """Return the tree of a network that the network calls, which is made once."""
        if id(cell) not in self._trees:
            tree = SymbolTree.__new__(SymbolTree)
            tree._begin(cell)
            self._trees[id(cell)] = tree
        return self._trees[id(cell)]

    def _paths(self) -> Iterator[tuple[str, SymbolTree]]:
        """Yield the networks that the network calls, by the code that stands for them."""
        done = set()
        for node in self._nodes():
            if node._sub_tree is None or node._block is None:
                continue
            if node._block.container is not None:
                path = _container_path(node)
            else:
                path = dotted_name(node._statement.value.func) or ""  # type: ignore[union-attr]
            if path and path not in done:
                done.add(path)
                yield path, node._sub_tree


Node.read_network = SymbolTree.create


def _container_path(node: Node) -> str:
    """Return the code that stands for a cell in a container."""
    assert node._block is not None
    owner = node.get_node_manager()
    if owner._block.container is not None:
        name = _container_path(owner)
    else:
        value = owner._statement.value
        name = dotted_name(value.func if isinstance(value, ast.Call) else value) or ""
    return f"{name}[{node._block.nodes.index(node)}]"


def _construct(network: Cell) -> tuple[FunctionType, type]:
    """Return the forward computation of a network, and the class that defines it."""
    for kind in type(network).__mro__:
        function = python_function(vars(kind).get("construct"))
        if function is not None and kind is not Cell:
            return function, kind
    raise ValueError(f"For 'SymbolTree', the class '{type(network).__name__}' has no 'construct'.")


def _check_node(node: Any, argument: str, api: str) -> None:
    """Raise if an argument is not a node."""
    if not isinstance(node, Node):
        raise TypeError(f"For '{api}', '{argument}' must be a Node, but got {describe(node)}.")
