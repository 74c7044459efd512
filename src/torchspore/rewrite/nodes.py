"""The statements of a network as nodes, which say where their values come from and go to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

from torchspore.engine.checks import check_int, check_string
from torchspore.engine.errors import describe
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.rewrite.expressions import read_value, target_values, write_value
from torchspore.rewrite.flattening import Place
from torchspore.rewrite.values import NodeType, ScopedValue, ValueType

__all__ = ["Block", "Node"]


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

    def statements(self) -> list[ast.stmt]:
        """Return the statements of the nodes; those of a branch are inside its own."""
        return [node._write() for node in self.nodes if not node._is_branch()] or [ast.Pass()]


class Node:
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
        check_string(name, "name", "create_call_cell")
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
        check_string(param_name, "param_name", "create_input")
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
        check_int(index, "index", "get_target_users", minimum=None)
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
        check_int(index, "index", "set_arg", minimum=None)
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
        check_int(arg_idx, "arg_idx", "set_arg_by_node", minimum=None)
        if not isinstance(src_node, Node):
            raise TypeError(f"For 'set_arg_by_node', 'src_node' must be a Node, but got {describe(src_node)}.")
        targets = src_node.get_targets()
        if out_idx is None and len(targets) != 1:
            raise ValueError(
                f"For 'set_arg_by_node', '{src_node._name}' has {len(targets)} targets. Choose one by 'out_idx'."
            )
        index = 0 if out_idx is None else check_int(out_idx, "out_idx", "set_arg_by_node", minimum=None)
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
        return self._attributes.get(check_string(key, "key", "get_attribute"))

    def set_attribute(self, key: str, value: Any) -> None:
        """Give the node an attribute, a note that has no effect on the network.

        Args:
            key: the name.
            value: the value.
        """
        self._attributes[check_string(key, "key", "set_attribute")] = value

    def get_handler(self) -> Node:
        """Return the node itself."""
        return self

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
            statement.orelse = branch.statements() if branch is not None else []
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
