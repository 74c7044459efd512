"""Reading the functions of a network as nodes."""

from __future__ import annotations

import ast
import copy
import inspect
import os
import sys
import sysconfig
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.nn.layer.container import CellList, SequentialCell
from torchspore.rewrite.expressions import dotted_name
from torchspore.rewrite.flattening import Names, flatten
from torchspore.rewrite.nodes import Block, Node
from torchspore.rewrite.values import NodeType

__all__ = ["Function", "is_own", "namespace", "python_function"]

_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_QUESTIONS = ("all", "any", "bool", "callable", "getattr", "hasattr", "int", "isinstance", "issubclass", "len", "type")
_OPERATORS = {ast.NotEq: "noteq", ast.GtE: "gte", ast.LtE: "lte", ast.IsNot: "isnot", ast.NotIn: "notin"}


def is_own(thing: Any) -> bool:
    """Return whether a class or function is the program's, and not a library's."""
    name = getattr(thing, "__module__", None) or ""
    if name.partition(".")[0] in ("torchspore", "mindspore") or name in sys.builtin_module_names:
        return False
    path = getattr(sys.modules.get(name), "__file__", None) or ""  # none in a notebook
    return not os.path.abspath(path).startswith(tuple(folder + os.sep for folder in _LIBRARIES))


class Function:
    """A function of a network, read as nodes.

    Args:
        tree: the `SymbolTree` that it belongs to.
        function: the function.
        name: its name in the code that is written.
        callers: the functions that are being read, which call it.
    """

    def __init__(
        self, tree: Any, function: FunctionType, name: str, callers: tuple[Callable[..., Any], ...] = ()
    ) -> None:
        self.tree = tree
        self.function = function
        self.callers: tuple[Callable[..., Any], ...] = (*callers, function)
        self.block = Block(tree)
        self.uses: list[Function] = []  # functions whose calls were exchanged for calls of the code that is written
        self.definition = _definition(function)
        self.definition.name = name
        self.names = Names({part.id for part in ast.walk(self.definition) if isinstance(part, ast.Name)})
        for argument in ast.walk(self.definition.args):
            if isinstance(argument, ast.arg):
                self.names.add(argument.arg)
                argument.annotation = None  # it may not be defined where the code that is written runs
        self.definition.returns = None
        if ast.get_docstring(self.definition) is not None:
            del self.definition.body[0]
        tests = {part: copy.deepcopy(part.test) for part in ast.walk(self.definition) if isinstance(part, ast.If)}
        self._results: dict[ast.stmt, bool | None] = {part: self._result(test) for part, test in tests.items()}
        flatten(self.definition, self.names)
        self._read_arguments()
        self._read(self.definition.body, self.block)

    def write(self) -> ast.FunctionDef:
        """Return the function with its nodes as they are now."""
        statements = [node for node in self.block.nodes if not isinstance(node._statement, (ast.arg, ast.arguments))]
        body = Block(self.tree)
        body.nodes = statements
        self.definition.body = body.statements()
        return ast.fix_missing_locations(self.definition)

    def add_input(self, node: Node) -> None:
        """Add an argument with a default after those that there are."""
        arguments = self.definition.args
        default = ast.parse(repr(node._attributes["default"].value), mode="eval").body
        if arguments.vararg is not None or arguments.kwonlyargs:
            arguments.kwonlyargs.append(node._statement)  # type: ignore[arg-type]
            arguments.kw_defaults.append(default)
        else:
            arguments.args.append(node._statement)  # type: ignore[arg-type]
            arguments.defaults.append(default)

    def _read_arguments(self) -> None:
        """Make the nodes of the arguments."""
        arguments = self.definition.args
        named = [*arguments.posonlyargs, *arguments.args]
        if self.tree._is_method(self.function):
            named = named[1:]
        for argument in named:
            self._add(self.block, NodeType.Input, f"input_{argument.arg}", argument)
        rest = [arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
        for argument in (item for item in rest if item is not None):
            self._add(self.block, NodeType.Python, "arg", ast.arguments([], [argument], None, [], [], None, []))

    def _add(self, block: Block, kind: NodeType, name: str, statement: ast.AST | None, instance: Any = None) -> Node:
        """Add a node to a block."""
        node = Node(kind, self.tree._names.unique(name), statement, instance)
        node._block = block
        block.nodes.append(node)
        return node

    def _read(self, statements: list[ast.stmt], block: Block) -> None:
        """Make the nodes of statements."""
        for statement in statements:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self._read_assignment(statement, block)
            elif isinstance(statement, ast.Assign) and all(isinstance(item, ast.Name) for item in statement.targets):
                self._read(_one_by_one(statement), block)
            elif isinstance(statement, ast.Return):
                self._add(block, NodeType.Output, "return", statement)
            elif isinstance(statement, (ast.If, ast.For, ast.While)):
                self._read_flow(statement, block)
            else:
                self._add(block, NodeType.Python, type(statement).__name__, statement)

    def _read_flow(self, statement: ast.If | ast.For | ast.While, block: Block) -> None:
        """Make the nodes of an if, of its else, or of a loop, and of what is inside."""
        node = self._add(block, NodeType.ControlFlow, f"{type(statement).__name__.lower()}_node", statement)
        node._inner = Block(self.tree)
        node.test_result = self._results.get(statement)
        self._read(statement.body, node._inner)
        if statement.orelse:
            branch = self._add(block, NodeType.ControlFlow, "else_node", None)
            branch._inner, branch._owner, node._branch = Block(self.tree), node, branch
            self._read(statement.orelse, branch._inner)

    def _read_assignment(self, statement: ast.Assign, block: Block) -> None:
        """Make the node of an assignment."""
        value = statement.value
        if isinstance(value, ast.Call):
            self._read_call(statement, value, block)
        elif isinstance(value, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare)):
            self._add(block, NodeType.MathOps, _operator(value), statement)
        elif isinstance(value, (ast.Tuple, ast.List, ast.Dict)):
            self._add(block, NodeType.CallMethod, type(value).__name__.lower(), statement)
        elif isinstance(value, ast.Subscript):
            self._add(block, NodeType.CallMethod, "subscript_var", statement)
        elif isinstance(value, ast.Constant):
            self._add(block, NodeType.CallMethod, "constant_assign", statement)
        elif isinstance(value, ast.Name):
            self._add(block, NodeType.CallMethod, "name_assign", statement)
        elif isinstance(value, ast.Attribute):
            cells = self._look_up(value)
            if _holds_cells(cells):
                self._read_container(statement, dotted_name(value) or "", cells, block)
            else:
                self._add(block, NodeType.CallMethod, "attribute_assign", statement)
        else:
            self._add(block, NodeType.Python, "Assign", statement)

    def _read_call(self, statement: ast.Assign, call: ast.Call, block: Block) -> None:
        """Make the node of a call."""
        name = (dotted_name(call.func) or "function").rpartition(".")[2]
        called = self._look_up(call.func)
        if _holds_cells(called):
            self._read_container(statement, name, called, block)
        elif isinstance(called, Cell):
            self._read_cell(statement, name, called, block)
        elif isinstance(called, Primitive):
            self._add(block, NodeType.CallPrimitive, name, statement, called)
        elif isinstance(called, FunctionType):
            self._read_function(call, self._add(block, NodeType.CallFunction, name, statement, called), called)
        elif _is_super(call):
            first = self.definition.args.args[0].arg if self.definition.args.args else "self"
            call.args = [ast.Name(self.tree._kind.__name__, ast.Load()), ast.Name(first, ast.Load())]
            self._add(block, NodeType.CallFunction, name, statement)
        else:
            self._add(block, NodeType.CallFunction, name, statement)

    def _read_function(self, call: ast.Call, node: Node, function: FunctionType) -> None:
        """Read the function that a node calls, too, if it is the program's."""
        if not is_own(function) or function in self.callers or not _has_source(function):
            return
        if self.tree._is_method(function):
            node._instance = function.__get__(self.tree._network)
            node._inner = self.tree._method(function, self.callers).block
            return
        inner = Function(self.tree, function, self.tree._function_names.unique(function.__name__), self.callers)
        call.func = ast.Name(inner.definition.name, ast.Load())
        node._inner = inner.block
        self.uses.append(inner)

    def _read_container(self, statement: ast.Assign, name: str, cells: Any, block: Block) -> None:
        """Make the nodes of a container and of its cells."""
        node = self._add(block, NodeType.CellContainer, name, statement, cells)
        node._inner = Block(self.tree, cells)
        arguments = statement.value.args if isinstance(statement.value, ast.Call) else []
        for cell in cells:
            name = type(cell).__name__
            call = ast.Assign(statement.targets, ast.Call(ast.Name(name, ast.Load()), list(arguments), []))
            if _holds_cells(cell):
                self._read_container(call, name, cell, node._inner)
            else:
                self._read_cell(call, name, cell, node._inner)

    def _read_cell(self, statement: ast.Assign, name: str, cell: Cell, block: Block) -> None:
        """Make the node of a call of a cell."""
        own = is_own(type(cell))
        node = self._add(block, NodeType.Tree if own else NodeType.CallCell, name, statement, cell)
        if own:
            node._sub_tree = self.tree._of(cell)

    def _result(self, test: ast.expr) -> bool | None:
        """Return what a test is known to be before the function runs: it refers to no variable; otherwise None."""
        code = self.function.__code__
        variables = {*code.co_varnames, *code.co_cellvars}
        names = namespace(self.function)
        if self.tree._is_method(self.function):
            variables.discard("self")
            names["self"] = self.tree._network
        if any(isinstance(part, ast.Name) and part.id in variables for part in ast.walk(test)):
            return None
        if any(isinstance(part, ast.Call) and dotted_name(part.func) not in _QUESTIONS for part in ast.walk(test)):
            return None  # a call may change something
        try:
            result = eval(compile(ast.fix_missing_locations(ast.Expression(test)), "<test>", "eval"), names)
        except Exception:  # what the test asks decides which
            return None
        return None if isinstance(result, Tensor) else bool(result)

    def _look_up(self, expression: ast.expr) -> Any:
        """Return what a name stands for before the function runs, as far as that can be told; otherwise None."""
        name = dotted_name(expression)
        if name is None:
            return None
        first, *rest = name.split(".")
        if first == "self" and self.tree._is_method(self.function):
            found: Any = self.tree._network
            method = python_function(vars(self.tree._kind).get(rest[0])) if len(rest) == 1 else None
            if method is not None:
                return method
            if rest and isinstance(inspect.getattr_static(type(found), rest[0], None), staticmethod):
                return None
        else:
            found = namespace(self.function).get(first)
        for part in rest:
            found = getattr(found, part, None)
        return python_function(found) or found


def python_function(value: object) -> FunctionType | None:
    """Return a function, or that which `jit` compiles; None for anything else."""
    value = inspect.unwrap(value) if isinstance(value, CapturedFunction) else value
    return value if isinstance(value, FunctionType) else None


def _holds_cells(value: object) -> bool:
    """Return whether a value is a container whose cells are nodes."""
    return isinstance(value, (SequentialCell, CellList)) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, Cell) for item in value)
    )


def namespace(function: FunctionType) -> dict[str, Any]:
    """Return the names that a function sees from outside: the global ones, and names of the functions around it."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells if _is_set(cell)}}


def _is_set(cell: Any) -> bool:
    """Return whether a variable of a surrounding function has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _definition(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError) as error:
        raise ValueError(
            f"For 'SymbolTree', the source of '{function.__qualname__}' cannot be read: {error}. Define it in a file."
        ) from None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise ValueError(f"For 'SymbolTree', '{function.__qualname__}' must be defined by 'def'.")
    return definition


def _has_source(function: FunctionType) -> bool:
    """Return whether the definition of a function can be read."""
    try:
        _definition(function)
    except ValueError:
        return False
    return not function.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE)


def _is_super(call: ast.Call) -> bool:
    """Return whether a call is `super()`."""
    return isinstance(call.func, ast.Name) and call.func.id == "super" and not call.args


def _operator(value: ast.expr) -> str:
    """Return the name of an operation."""
    if isinstance(value, ast.Compare):
        names = (_OPERATORS.get(type(operator), type(operator).__name__.lower()) for operator in value.ops)
        return "_".join(("compare", *names))
    kind = {ast.BinOp: "binop", ast.UnaryOp: "unaryop", ast.BoolOp: "boolop"}[type(value)]
    return f"{kind}_{type(value.op).__name__.lower()}"  # type: ignore[attr-defined]


def _one_by_one(statement: ast.Assign) -> list[ast.stmt]:
    """Return assignments to one target each: the last receives the value, each other one its successor's."""
    done: list[ast.stmt] = []
    value = statement.value
    for target in reversed(statement.targets):
        done.append(ast.Assign([target], value))
        value = ast.Name(target.id, ast.Load())  # type: ignore[attr-defined]
    return done
