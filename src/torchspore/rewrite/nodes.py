"""The statements of a network as nodes, which say where their values come from and go to."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.rewrite.expressions import read_value, target_values, write_value
from torchspore.rewrite.flattening import Place
from torchspore.rewrite.values import NodeType, ScopedValue, ValueType

__all__ = ["Block", "Node", "NodeManager"]


class Block:
    """Nodes that run one after another: of a function, of a branch or loop, or of a container of cells.

    Args:
        tree: the `SymbolTree` that they belong to.
        container: the cell whose children they are. Default: None, they are statements.
    """

    def __init__(self, tree: Any, container: Any = None) -> None:
        self.tree = tree
        self.container = container
        self.nodes: list[Node] = []

    def put(self, index: int, node: Node) -> None:
        """Put a node that is in no block at an index."""
        self.nodes.insert(index, node)
        node._block = self

    def take(self, node: Node) -> None:
        """Take a node out."""
        self.nodes.remove(node)
        node._block = None

    def statements(self) -> list[ast.stmt]:
        """Return the statements of the nodes; statements of a branch are inside its own."""
        return [node._write() for node in self.nodes if not node._is_branch()] or [ast.Pass()]


class NodeManager:
    """What holds nodes: a tree, or a node with others inside it."""

    def _held(self) -> list[Node]:
        """Return the nodes that it holds."""
        raise NotImplementedError

    @property
    def node_list(self) -> list[Node]:
        """The nodes that it holds."""
        return [*self._held()]

    @property
    def node_count(self) -> int:
        """The number of nodes that it holds."""
        return len(self._held())

    def get_node(self, node_name: str) -> Node | None:
        """Return the node of this name that it holds, or None."""
        return next((node for node in self._held() if node.get_name() == node_name), None)

    def get_input_nodes(self) -> list[Node]:
        """Return the nodes of its arguments."""
        return [node for node in self._held() if node.get_node_type() is NodeType.Input]

    def get_returns(self) -> list[Node]:
        """Return the nodes of its `return` statements."""
        return [node for node in self._held() if node.get_node_type() is NodeType.Output]

    def get_tree_nodes(self) -> list[Node]:
        """Return the nodes that call networks."""
        return [node for node in self._held() if node.get_node_type() is NodeType.Tree]

    def get_head(self) -> Node | None:
        """Return its first node, or None."""
        return next(iter(self._held()), None)

    def get_tail(self) -> Node | None:
        """Return its last node, or None."""
        return next(reversed(self._held()), None)


class Node(NodeManager):
    """A statement of a network, made by `SymbolTree.create` or by one of the methods `create_...`.

    MindSpore: `rewrite.Node`.

    Args:
        kind: its kind, a `NodeType`.
        name: its name.
        statement: the statement, or the argument of an input. Default: None, it is a cell of a container.
        instance: the cell, primitive or function that it calls. Default: None.

    Examples:
        >>> from torchspore import nn
        >>> from torchspore.rewrite import Node, ScopedValue
        >>> x = ScopedValue.create_naming_value("x")
        >>> print(Node.create_call_cell(nn.ReLU(), ["y"], [x], name="relu").get_targets())
        [y]
    """

    read_network: Callable[[Cell], Any]  # returns the SymbolTree of a network; set where that class is

    def __init__(self, kind: NodeType, name: str, statement: ast.AST | None = None, instance: Any = None) -> None:
        self._kind = kind
        self._name = name
        self._statement = statement
        self._instance = instance
        self._block: Block | None = None  # the one that it is in
        self._inner: Block | None = None  # its own: of a function, a branch, a loop or a container
        self._branch: Node | None = None  # of an if: the node of its else
        self._owner: Node | None = None  # of an else: the node of its if
        self._sub_tree: Any = None
        self._objects: dict[str, Any] = {}  # that its statement refers to, by name
        self._attributes: dict[str, Any] = {}
        self.test_result: bool | None = None  # of an if: what its test is known to be before the network runs

    @staticmethod
    def create_call_cell(
        cell: Cell | Primitive,
        targets: Sequence[ScopedValue | str],
        args: Sequence[ScopedValue] | None = None,
        kwargs: Mapping[str, ScopedValue] | None = None,
        name: str = "",
        is_sub_net: bool = False,
    ) -> Node:
        """Return a node that calls a cell, to be inserted into a tree.

        Args:
            cell: the cell or primitive.
            targets: the variables that it assigns to, names or ScopedValues.
            args: its positional arguments. Default: None, none.
            kwargs: its keyword arguments. Default: None, none.
            name: the name of the node and of the network's attribute. Default: "", from the class when it is inserted.
            is_sub_net: whether the cell's own statements become nodes, too. Default: False.

        Raises:
            TypeError: an argument has another type.

        Examples:
            >>> from torchspore import nn
            >>> from torchspore.rewrite import Node, ScopedValue
            >>> node = Node.create_call_cell(nn.ReLU(), ["y"], [ScopedValue.create_naming_value("x")], name="act")
            >>> node.get_node_type()
            <NodeType.CallCell: 1>
        """
        if not isinstance(cell, (Cell, Primitive)):
            raise TypeError(f"For 'create_call_cell', 'cell' must be a Cell or Primitive, but got {describe(cell)}.")
        take_as(str, name, "name", "create_call_cell")
        function = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
        statement, objects = _call("create_call_cell", function, targets, args, kwargs)
        kind = NodeType.CallPrimitive if isinstance(cell, Primitive) else NodeType.CallCell
        node = Node(kind, name, statement, cell)
        node._objects = objects
        if is_sub_net and isinstance(cell, Cell):
            node._kind, node._sub_tree = NodeType.Tree, Node.read_network(cell)
        return node

    @staticmethod
    def create_call_function(
        function: Callable[..., Any],
        targets: Sequence[ScopedValue | str],
        args: Sequence[ScopedValue] | None = None,
        kwargs: Mapping[str, ScopedValue] | None = None,
    ) -> Node:
        """Return a node that calls a function, to be inserted into a tree.

        Args:
            function: the function.
            targets: the variables that it assigns to, names or ScopedValues.
            args: its positional arguments. Default: None, none.
            kwargs: its keyword arguments. Default: None, none.

        Raises:
            TypeError: an argument has another type.

        Examples:
            >>> from torchspore import ops
            >>> from torchspore.rewrite import Node, ScopedValue
            >>> print(Node.create_call_function(ops.abs, ["y"], [ScopedValue.create_naming_value("x")]).get_name())
            abs
        """
        if not isinstance(function, (FunctionType, BuiltinFunctionType, type)):
            given = describe(function)
            raise TypeError(f"For 'create_call_function', 'function' must be a function or class, but got {given}.")
        name = ast.Name(function.__name__, ast.Load())
        statement, objects = _call("create_call_function", name, targets, args, kwargs)
        node = Node(NodeType.CallFunction, function.__name__, statement, function)
        node._objects = {function.__name__: function, **objects}
        return node

    @staticmethod
    def create_input(param_name: str, default: ScopedValue | None = None) -> Node:
        """Return a node of another argument of a network, to be inserted after its last one.

        Args:
            param_name: the name of the argument.
            default: its default. Default: None, the value None.

        Raises:
            TypeError: an argument has another type.

        Examples:
            >>> from torchspore.rewrite import Node
            >>> Node.create_input("mask").get_name()
            'input_mask'
        """
        take_as(str, param_name, "param_name", "create_input")
        if default is not None and not isinstance(default, ScopedValue):
            given = describe(default)
            raise TypeError(f"For 'create_input', 'default' must be a ScopedValue or None, but got {given}.")
        node = Node(NodeType.Input, f"input_{param_name}", ast.arg(param_name))
        node._attributes["default"] = default or ScopedValue.create_variable_value(None)
        return node

    def get_name(self) -> str:
        """Return the name of the node, which is unique in its tree."""
        return self._name

    def get_node_type(self) -> NodeType:
        """Return the kind of the node."""
        return self._kind

    def get_instance(self) -> Any:
        """Return the cell, primitive or function that the node calls, or None."""
        return self._instance

    def get_instance_type(self) -> Any:
        """Return the class of the cell or primitive that the node calls, the function, or the type of None."""
        return self._instance if isinstance(self._instance, FunctionType) else type(self._instance)

    def get_symbol_tree(self) -> Any:
        """Return the `SymbolTree` that the node belongs to; None before it is inserted, and after it is erased."""
        return None if self._block is None else self._block.tree

    def get_sub_tree(self) -> Any:
        """Return the `SymbolTree` of the network that the node calls.

        Raises:
            TypeError: the node is not of the kind `NodeType.Tree`.
        """
        if self._sub_tree is None:
            raise TypeError(f"For 'get_sub_tree', the node must be a NodeType.Tree, but got {self._kind}.")
        return self._sub_tree

    def get_targets(self) -> list[ScopedValue]:
        """Return the variables that the node assigns to."""
        if isinstance(self._statement, ast.arg):
            return [ScopedValue.create_naming_value(self._statement.arg)]
        if isinstance(self._statement, ast.Assign) and self._kind is not NodeType.Python:
            return target_values(self._statement.targets[0])
        return []

    def get_args(self) -> list[ScopedValue]:
        """Return the positional arguments, or the operands, of the node."""
        return [read_value(place.read()) for place in self._places()]

    def get_kwargs(self) -> dict[str, ScopedValue]:
        """Return the keyword arguments of the node by name."""
        return {name: read_value(place.read()) for name, place in self._keywords()}

    def get_inputs(self) -> list[Node]:
        """Return the nodes that provide the arguments of the node, one for each argument that has one."""
        return [provider for provider, _ in self.get_arg_providers().values()]

    def get_users(self) -> list[Node]:
        """Return the nodes that use what the node assigns, each once."""
        users = (user for uses in self.get_target_users().values() for user, _ in uses)
        return list(dict.fromkeys(users))

    def get_arg_providers(self) -> dict[int, tuple[Node, int]]:
        """Return, by the index of an argument, the node that provides it and the index of that node's target."""
        providers = {}
        for index, value in enumerate([*self.get_args(), *self.get_kwargs().values()]):
            provider = self._provider(str(value)) if value.type is ValueType.NamingValue else None
            if provider is not None:
                providers[index] = provider
        return providers

    def get_target_users(self, index: int = -1) -> Any:
        """Return the nodes that use a target, each with the index of its argument.

        Args:
            index: the index of the target. Default: -1, a dict of all.
        """
        take_as(int, index, "index", "get_target_users")
        uses: dict[int, list[tuple[Node, int]]] = {}
        for node in self._block.nodes if self._block is not None else ():
            for argument, (provider, output) in node.get_arg_providers().items():
                if provider is self:
                    uses.setdefault(output, []).append((node, argument))
        return uses if index == -1 else uses.get(index, [])

    def set_arg(self, index: int, arg: ScopedValue | str) -> None:
        """Give the node another argument.

        Args:
            index: its index.
            arg: the argument, or the name of a variable.

        Raises:
            TypeError: an argument has another type.
            ValueError: there is no argument with this index.

        Examples:
            >>> from torchspore import nn
            >>> from torchspore.rewrite import Node, ScopedValue
            >>> node = Node.create_call_cell(nn.ReLU(), ["y"], [ScopedValue.create_naming_value("x")])
            >>> node.set_arg(0, "z")
            >>> print(node.get_args())
            [z]
        """
        take_as(int, index, "index", "set_arg")
        if not isinstance(arg, (ScopedValue, str)):
            raise TypeError(f"For 'set_arg', 'arg' must be a ScopedValue or str, but got {describe(arg)}.")
        places = [*self._places(), *(place for _, place in self._keywords())]
        if not 0 <= index < len(places):
            raise ValueError(
                f"For 'set_arg', 'index' must be in [0, {len(places)}), as '{self._name}' has {len(places)} arguments, "
                f"but got {index}."
            )
        value = ScopedValue.create_naming_value(arg) if isinstance(arg, str) else arg
        places[index].write(write_value(value, self._objects))

    def set_arg_by_node(self, arg_idx: int, src_node: Node, out_idx: int | None = None) -> None:
        """Give the node what another node assigns as an argument.

        If the variable of that node gets another value in between, the value is kept in a new variable.

        Args:
            arg_idx: the index of the argument.
            src_node: the other node.
            out_idx: the index of its target. Default: None, its only one.

        Raises:
            TypeError: an argument has another type.
            ValueError: an index is out of range, or the node has several targets and `out_idx` is None.
        """
        take_as(int, arg_idx, "arg_idx", "set_arg_by_node")
        if not isinstance(src_node, Node):
            raise TypeError(f"For 'set_arg_by_node', 'src_node' must be a Node, but got {describe(src_node)}.")
        targets = src_node.get_targets()
        if out_idx is None and len(targets) != 1:
            raise ValueError(
                f"For 'set_arg_by_node', '{src_node._name}' has {len(targets)} targets. Choose one by 'out_idx'."
            )
        index = 0 if out_idx is None else take_as(int, out_idx, "out_idx", "set_arg_by_node")
        if not 0 <= index < len(targets):
            raise ValueError(f"For 'set_arg_by_node', 'out_idx' must be in [0, {len(targets)}), but got {index}.")
        value = targets[index]
        if self._block is not None and self._block is src_node._block and self._changes_since(src_node, str(value)):
            value = self._block.tree._keep(src_node, value)
        self.set_arg(arg_idx, value)

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes that were set by `set_attribute`."""
        return dict(self._attributes)

    def get_attribute(self, key: str) -> Any:
        """Return an attribute of the node; None if it has none of this name.

        Args:
            key: the name.
        """
        return self._attributes.get(take_as(str, key, "key", "get_attribute"))

    def set_attribute(self, key: str, value: Any) -> None:
        """Give the node an attribute, a note that has no effect on the network.

        Args:
            key: the name.
            value: the value.
        """
        self._attributes[take_as(str, key, "key", "set_attribute")] = value

    def get_handler(self) -> Node:
        """Return the node itself."""
        return self

    # What MindSpore's inner nodes have, which `get_handler` returns there.

    def nodes(self) -> list[Node]:
        """Return the nodes inside: of a function, branch, loop or container that the node stands for."""
        return self.node_list

    @property
    def symbol_tree(self) -> Any:
        """The tree of the network that the node calls."""
        return self.get_sub_tree()

    def get_belong_symbol_tree(self) -> Any:
        """Return the tree that the node belongs to, or None."""
        return None if self._block is None else self._block.tree

    def get_node_manager(self) -> Any:
        """Return the node that holds this one, or the tree; None before it is inserted."""
        tree = self.get_belong_symbol_tree()
        return tree and next((node for node in tree._nodes() if node._inner is self._block), tree)

    def get_prev(self) -> Any:
        """Return the node before this one, or None."""
        return self._neighbour(-1)

    def get_next(self) -> Any:
        """Return the node after this one, or None."""
        return self._neighbour(1)

    def _neighbour(self, step: int) -> Any:
        """Return another node of the same block, or None."""
        nodes = self._block.nodes if self._block is not None else [self]
        index = nodes.index(self) + step
        return nodes[index] if 0 <= index < len(nodes) else None

    def get_ast(self) -> Any:
        """Return the statement of the node as a syntax tree; an else has the statement of its `if`."""
        return (self._owner or self)._write()

    def get_source_code(self) -> str:
        """Return the code of the node; the code of an `if` is without its else."""
        statement = ast.fix_missing_locations(self.get_ast())
        if self._owner is not None:
            return "else:\n" + textwrap.indent("\n".join(map(ast.unparse, statement.orelse)), "    ")
        if isinstance(statement, ast.If):
            statement = ast.If(statement.test, statement.body, [])
        return ast.unparse(statement)

    def get_func_name(self) -> ScopedValue | None:
        """Return the name of what the node calls; None if it calls nothing by name."""
        value = getattr(self._statement, "value", None)
        return read_value(value.func) if isinstance(value, ast.Call) else None

    def get_normalized_args(self) -> dict[str, ScopedValue]:
        """Return the arguments by name: as in a cell's `construct`, otherwise "arg_0" and so on."""
        names = list(inspect.signature(self._instance.construct).parameters) if isinstance(self._instance, Cell) else []
        args = self.get_args()
        names += [f"arg_{index}" for index in range(len(names), len(args))]
        return {**dict(zip(names, args)), **self.get_kwargs()}

    @property
    def is_orelse(self) -> bool:
        """Whether the node is the else of an `if`."""
        return self._owner is not None

    @property
    def body_node(self) -> Any:
        """The node of the `if` itself, or of the loop."""
        return self._owner or self

    @property
    def orelse_node(self) -> Any:
        """The node of the else, or None."""
        return self if self._owner is not None else self._branch

    @property
    def loop_vars(self) -> list[str]:
        """The names of the variables of a `for` loop."""
        target = getattr(self._statement, "target", None)
        return [part.id for part in ast.walk(target) if isinstance(part, ast.Name)] if target is not None else []

    def set_kwarg(self, key: str, arg: ScopedValue) -> None:
        """Give the call another keyword argument."""
        self.append_kwarg({key: arg})

    def append_kwarg(self, kwarg: dict[str, ScopedValue]) -> None:
        """Give the call keyword arguments."""
        call = self._statement.value  # type: ignore[union-attr]
        call.keywords = [word for word in call.keywords if word.arg not in kwarg]
        call.keywords += [ast.keyword(key, write_value(value, self._objects)) for key, value in kwarg.items()]

    def set_targets(self, targets: Sequence[ScopedValue | str]) -> None:
        """Let the node assign to other variables."""
        names = [ast.parse(str(target), mode="eval").body for target in targets]
        target = names[0] if len(names) == 1 else ast.Tuple(names, ast.Store())
        self._statement.targets = [target]  # type: ignore[union-attr]

    def _held(self) -> list[Node]:
        return self._inner.nodes if self._inner is not None else []

    def _places(self) -> list[Place]:
        """Return where the positional arguments or operands stand."""
        statement = self._statement
        if self._owner is not None:
            return self._owner._places()
        if self._kind is NodeType.Python or statement is None or isinstance(statement, ast.arg):
            return []
        if isinstance(statement, (ast.If, ast.While)):
            return [Place(statement, "test")]
        if isinstance(statement, ast.For):
            return [Place(statement, "iter")]
        if self._kind is NodeType.CellContainer and isinstance(getattr(statement, "value", None), ast.Attribute):
            return []
        if isinstance(statement, ast.Return):
            return [Place(statement, "value")] if statement.value is not None else []
        return list(_operands(statement.value, statement)) if isinstance(statement, ast.Assign) else []

    def _keywords(self) -> list[tuple[str, Place]]:
        """Return the names of the keyword arguments, and where these stand."""
        value = self._statement.value if isinstance(self._statement, ast.Assign) else None
        if self._kind is NodeType.Python:
            return []
        if isinstance(value, ast.Call):
            return [(keyword.arg, Place(keyword, "value")) for keyword in value.keywords if keyword.arg is not None]
        if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
            keys = [str(key.value) for key in value.keys if isinstance(key, ast.Constant)]
            return [(key, Place(value.values, index)) for index, key in enumerate(keys)]
        return []

    def _provider(self, name: str) -> tuple[Node, int] | None:
        """Return the last node before this one that assigns to a variable, and the index of its target."""
        if self._block is None or self not in self._block.nodes:
            return None
        for node in reversed(self._block.nodes[: self._block.nodes.index(self)]):
            targets = [str(target) for target in node.get_targets()]
            if name in targets:
                return node, targets.index(name)
        return None

    def _changes_since(self, source: Node, name: str) -> bool:
        """Return whether a node between another one and this assigns to a variable."""
        provider = self._provider(name)
        return provider is not None and provider[0] is not source

    def _is_branch(self) -> bool:
        """Return whether the node is the else of an if: it is written with that one."""
        return self._owner is not None

    def _write(self) -> ast.stmt:
        """Return the statement with what is inside it."""
        statement = self._statement
        if isinstance(statement, (ast.If, ast.For, ast.While)) and self._inner is not None:
            statement.body = self._inner.statements()
            branch = self._branch._inner if self._branch is not None and self._branch._block is not None else None
            statement.orelse = branch.statements() if branch is not None and branch.nodes else []
        return statement  # type: ignore[return-value]


def _operands(value: ast.expr, statement: ast.Assign) -> Iterator[Place]:
    """Yield the places of the operands of what a statement assigns."""
    if isinstance(value, ast.Call):
        yield from (Place(value.args, index) for index in range(len(value.args)))
    elif isinstance(value, ast.BinOp):
        yield from (Place(value, "left"), Place(value, "right"))
    elif isinstance(value, ast.UnaryOp):
        yield Place(value, "operand")
    elif isinstance(value, ast.BoolOp):
        yield from (Place(value.values, index) for index in range(len(value.values)))
    elif isinstance(value, ast.Compare):
        yield Place(value, "left")
        yield from (Place(value.comparators, index) for index in range(len(value.comparators)))
    elif isinstance(value, (ast.Tuple, ast.List)):
        yield from (Place(value.elts, index) for index in range(len(value.elts)))
    elif not isinstance(value, ast.Dict):
        yield Place(statement, "value")


def _call(
    api: str,
    function: ast.expr,
    targets: Sequence[ScopedValue | str],
    args: Sequence[ScopedValue] | None,
    kwargs: Mapping[str, ScopedValue] | None,
) -> tuple[ast.Assign, dict[str, Any]]:
    """Return a statement that calls a function, and the objects that it refers to, by name."""
    if not isinstance(targets, (list, tuple)):
        raise TypeError(f"For '{api}', 'targets' must be a list or tuple, but got {describe(targets)}.")
    for target in targets:
        if not isinstance(target, (ScopedValue, str)):
            raise TypeError(f"For '{api}', 'targets' must hold ScopedValues or str, but got {describe(target)}.")
    args, kwargs = args or [], kwargs or {}
    if not isinstance(args, (list, tuple)) or not isinstance(kwargs, Mapping):
        given = f"{describe(args)} and {describe(kwargs)}"
        raise TypeError(f"For '{api}', 'args' must be a list and 'kwargs' a dict, but got {given}.")
    for argument, values in (("args", args), ("kwargs", list(kwargs.values()))):
        for value in values:
            if not isinstance(value, ScopedValue):
                raise TypeError(
                    f"For '{api}', '{argument}' must hold ScopedValues, but got {describe(value)}. "
                    "ScopedValue.create_naming_value makes one of a variable's name."
                )
    objects: dict[str, Any] = {}
    places = [ast.parse(str(target), mode="eval").body for target in targets]
    for place in places:
        place.ctx = ast.Store()  # type: ignore[attr-defined]
    target = places[0] if len(places) == 1 else ast.Tuple(places, ast.Store())
    keywords = [ast.keyword(name, write_value(value, objects)) for name, value in kwargs.items()]
    call = ast.Call(function, [write_value(value, objects) for value in args], keywords)
    return ast.Assign([target], call), objects
