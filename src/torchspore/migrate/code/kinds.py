"""What kind of value an expression has: a tensor, a module, an optimizer, ...

The kinds follow from assignments, annotations and the calls that are known, within a function and the attributes of its
class. They are plausible, not proven: a parameter of `forward` is a tensor unless it looks otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import libcst as cst
import libcst.matchers as m
from libcst.metadata import Assignment

from torchspore.migrate.code.names import Names, dotted
from torchspore.migrate.code.tree import descendants, observe

__all__ = ["Kinds", "is_module_class"]

# The methods that only one kind of object has.
_MODULE_METHODS = frozenset(
    """
    parameters named_parameters eval named_modules trainable_params set_train get_parameters cells_and_names
    parameters_and_names
    """.split()  # noqa: SIM905
)
_OPTIMIZER_METHODS = {"zero_grad", "step"}
_NO_TENSOR = frozenset(
    """
    item tolist numpy asnumpy dim numel size shape dtype device ndim stride is_floating_point data_ptr storage
    type nelement get_device is_contiguous itemsize
    """.split()  # noqa: SIM905
)
# The methods that show that a value is a tensor: nothing else that a program of PyTorch calls them on has all of them.
_TENSOR_METHODS = frozenset(
    """
    size view view_as permute unsqueeze contiguous masked_fill expand expand_as type_as softmax log_softmax sigmoid
    numel unbind chunk bmm mm gather scatter_ index_select detach float long masked_select
    """.split()  # noqa: SIM905
)
_SEVERAL = frozenset(
    """
    chunk split unbind topk sort meshgrid tensor_split aminmax kthvalue mode hsplit vsplit nonzero unique
    unique_consecutive slogdet svd qr eigh cummax cummin std_mean var_mean broadcast_tensors
    max_pool2d_with_indices
    """.split()  # noqa: SIM905
)
_NO_TENSOR_FUNCTIONS = tuple(
    """
    torch.is_ torch.Size torch.Generator torch.finfo torch.iinfo torch.cuda torch.backends torch.utils
    torch.distributed torch.jit torch.autograd.set torch.set_ torch.get_ torch.manual_seed torch.save
    torch.compile torch.no_grad torch.enable_grad torch.inference_mode torch.amp torch.typename torch.nn.init
    torch.nn.utils torch.numel torch.result_type torch.promote_types torch.seed torch.hub
    """.split()  # noqa: SIM905
)
_DTYPES = tuple(
    """
    torch.float torch.int torch.uint torch.bool torch.long torch.half torch.bfloat torch.double torch.complex
    torch.short mindspore.float mindspore.int mindspore.uint mindspore.bool mindspore.bfloat mindspore.complex
    """.split()  # noqa: SIM905
)
_BUFFER = m.Call(
    func=m.Attribute(m.Name("self"), m.Name("register_buffer")), args=[m.Arg(m.SimpleString()), m.Arg(), m.ZeroOrMore()]
)
# Calls of methods that give a tensor if they are called on one: `x.transpose(1, 2)` in `x.transpose(1, 2).view(-1)`.
_MOVED = m.Call(func=m.Attribute(attr=m.Name("transpose") | m.Name("squeeze") | m.Name("reshape")))
# The layers and primitives that return a tuple.
_RECURRENT = {
    "LSTM", "GRU", "RNN", "MultiheadAttention", "LSTMCell", "Unstack", "Split", "TopK", "Sort", "ArgMaxWithValue",
    "ArgMinWithValue",
}  # fmt: skip
_ARRAY = {
    "numpy",
    "math",
    "random",
    "os",
    "sys",
    "json",
    "pathlib",
    "collections",
    "itertools",
    "functools",
    "time",
    "re",
}
_PLAIN_ANNOTATIONS = frozenset(
    """
    int float bool str list dict tuple set callable Callable Path bytes List Dict Sequence Tuple
    """.split()  # noqa: SIM905
)
_BUILTINS = {
    "len": "int",
    "int": "int",
    "float": "int",
    "str": "str",
    "list": "list",
    "tuple": "list",
    "dict": "dict",
    "set": "dict",
    "range": "ints",
    "bool": "int",
    "open": "other",
    "sum": None,
    "sorted": "list",
    "repr": "str",
    "round": "int",
    "input": "str",
}


class Source(NamedTuple):
    """Where the value of a name comes from.

    Args:
        how: "value" of an expression, an "item" of one that is iterated over, or a "context".
        node: the expression.
        path: which elements of tuples it is.
    """

    how: str
    node: cst.BaseExpression
    path: tuple[int, ...] = ()


class _Sources:
    """Collects the sources of all names and attributes that are assigned to, and the methods called on names."""

    def __init__(self) -> None:
        self.names: dict[cst.CSTNode, Source] = {}
        self.attributes: dict[tuple[cst.ClassDef | None, str], list[Source]] = {}
        self.parameters: dict[cst.Param, cst.FunctionDef] = {}
        self.owner: dict[cst.FunctionDef, cst.ClassDef | None] = {}
        self.methods: dict[tuple[cst.CSTNode | None, str], set[str]] = {}
        self.classes: list[cst.ClassDef] = []
        self.inside: dict[cst.CSTNode, cst.ClassDef | None] = {}
        self.function_of: dict[cst.Name, cst.FunctionDef | None] = {}
        self._class: list[cst.ClassDef | None] = [None]
        self._functions: list[cst.FunctionDef | None] = [None]

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.classes.append(node)
        self._class.append(node)
        self._functions.append(None)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._class.pop()
        self._functions.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.owner[node] = self._class[-1] if self._functions[-1] is None else None
        self.inside[node] = self._class[-1]
        self._functions.append(node)
        parameters = node.params
        for each in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
            self.parameters[each] = node
        if isinstance(parameters.star_arg, cst.Param):
            self.parameters[parameters.star_arg] = node

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._functions.pop()

    def visit_Name(self, node: cst.Name) -> None:
        self.function_of[node] = self._functions[-1]

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if m.matches(node.value, m.Name("self")):
            self.inside[node] = self._class[-1]

    def visit_Call(self, node: cst.Call) -> None:
        if not isinstance(node.func, cst.Attribute):
            return
        owner, method = node.func.value, node.func.attr.value
        if m.matches(node, _BUFFER):
            place = (self._class[-1], str(cst.ensure_type(node.args[0].value, cst.SimpleString).evaluated_value))
            self.attributes.setdefault(place, []).append(Source("value", node.args[1].value))
        while m.matches(owner, _MOVED):
            owner = cst.ensure_type(cst.ensure_type(owner, cst.Call).func, cst.Attribute).value
        if isinstance(owner, cst.Name):
            self.methods.setdefault((self._functions[-1], owner.value), set()).add(method)

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._bind(target.target, Source("value", node.value))

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, Source("value", node.value))

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._bind(node.target, Source("value", node.value))

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._bind(node.target, Source("value", node.value))

    def visit_For(self, node: cst.For) -> None:
        self._bind(node.target, Source("item", node.iter))

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._bind(node.target, Source("item", node.iter))

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if node.asname is not None:
            self._bind(node.asname.name, Source("context", node.item))

    def _bind(self, target: cst.BaseExpression, source: Source) -> None:
        if isinstance(target, (cst.Tuple, cst.List)):
            for index, element in enumerate(target.elements):
                self._bind(element.value, source._replace(path=(*source.path, index)))
        elif isinstance(target, cst.Name):
            self.names[target] = source
        elif isinstance(target, cst.Attribute) and m.matches(target.value, m.Name("self")):
            self.attributes.setdefault((self._class[-1], target.attr.value), []).append(source)


def is_module_class(node: cst.ClassDef, names: Names, base: str, depth: int = 0) -> bool | None:
    """Return whether a class derives from `base`, torch's Module or MindSpore's Cell; None if its bases are unknown."""
    unknown = False
    for each in node.bases:
        full = names.full(each.value)
        if full is not None and full.startswith((f"{base.rpartition('.')[0]}.", "mindspore.mint.nn.")):
            return True
        parent = names.local_class(each.value)
        if parent is not None and parent is not node and depth < 20:
            found = is_module_class(parent, names, base, depth + 1)
            if found:
                return True
            unknown |= found is None
        else:
            unknown |= parent is None and not (full or "").startswith(
                ("torch.", "mindspore.", "abc.", "typing.", "enum.")
            )
    return None if unknown else False


class Kinds:
    """The kinds of the expressions of a module.

    Args:
        module: the module.
        names: its names.
        reverse: whether it is a program of MindSpore.
    """

    def __init__(self, module: cst.Module, names: Names, reverse: bool) -> None:
        self._names = names
        self._found = _Sources()
        observe(module, self._found)
        self._base = "mindspore.nn.Cell" if reverse else "torch.nn.Module"
        self._forward = "construct" if reverse else "forward"
        self._package = "mindspore." if reverse else "torch."
        self._known: dict[cst.CSTNode, str | None] = {}
        self._variables: dict[tuple[object, str], str | None] = {}
        self._busy: set[tuple[object, str]] = set()
        self._tries: dict[tuple[object, str], int] = {}
        self._depth = 0
        self._modules: dict[cst.ClassDef, bool] = {}
        self.uses_numpy = any(dotted(each.name) == "numpy" for each in descendants(module, cst.ImportAlias))

    def owner(self, function: cst.FunctionDef) -> cst.ClassDef | None:
        """Return the class that a function is a method of."""
        return self._found.owner.get(function)

    def is_module(self, node: cst.ClassDef | None) -> bool:
        """Return whether a class of the program is a network."""
        if node is None:
            return False
        if node not in self._modules:
            known = is_module_class(node, self._names, self._base)
            methods = {s.name.value for s in node.body.body if isinstance(s, cst.FunctionDef)}
            self._modules[node] = known if known is not None else self._forward in methods
        return self._modules[node]

    def module_classes(self) -> Iterable[cst.ClassDef]:
        """Return the networks of the program."""
        return [node for node in self._found.classes if self.is_module(node)]

    def of(self, node: cst.BaseExpression) -> str | None:
        """Return the kind of an expression, None if it is unknown."""
        if node in self._known:
            return self._known[node]
        self._depth += 1
        try:
            found = self._compute(node) if self._depth < 150 else None
        finally:
            self._depth -= 1
        if found is not None or not self._busy:
            self._known[node] = found
        return found

    def value_of(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Return the expression that a name was assigned, if there is only one."""
        if isinstance(node, cst.Name):
            places = [a.node for a in self._names.assignments(node) if isinstance(a, Assignment)]
            sources = [self._found.names[place] for place in places if place in self._found.names]
            if len(sources) == len(places) == 1 and sources[0].how == "value" and not sources[0].path:
                return sources[0].node
        return node

    def is_sequence(self, node: cst.BaseExpression) -> bool:
        """Return whether a value was made by `torch.nn.Sequential`, or is the `self` of a class that extends it."""
        sources: list[Source] = []
        if isinstance(node, cst.Attribute) and node in self._found.inside:
            sources = self._found.attributes.get((self._found.inside[node], node.attr.value), [])
        elif isinstance(node, cst.Name):
            places = [a.node for a in self._names.assignments(node) if isinstance(a, Assignment)]
            sources = [self._found.names[place] for place in places if place in self._found.names]
            owners = [self._found.parameters.get(place) for place in places if isinstance(place, cst.Param)]
            classes = [self.owner(function) for function in owners if function is not None]
            bases = [base.value for each in classes if each is not None and node.value == "self" for base in each.bases]
            if any(self._names.full(base) == "torch.nn.Sequential" for base in bases):
                return True
        made = [source.node.func for source in sources if isinstance(source.node, cst.Call)]
        return any(self._names.full(func) == "torch.nn.Sequential" for func in made)

    def calls_method(self, function: cst.FunctionDef | None, name: str, method: str) -> bool:
        """Return whether a function calls a method of a name."""
        return method in self._found.methods.get((function, name), ())

    def _compute(self, node: cst.BaseExpression) -> str | None:
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        if isinstance(node, cst.Subscript):
            return {"tensor": "tensor", "tensors": "tensor", "shape": "int", "modules": "module", "list": None}.get(
                self.of(node.value) or ""
            )
        if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
            return _operation(self.of(node.left), self.of(node.right))
        if isinstance(node, cst.UnaryOperation):
            return self.of(node.expression)
        if isinstance(node, cst.Comparison):
            return "tensor" if self.of(node.left) == "tensor" and not _is_identity(node) else "int"
        if isinstance(node, cst.IfExp):
            return _joined([self.of(node.body), self.of(node.orelse)])
        if isinstance(node, (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)):
            return "str"
        if isinstance(node, (cst.Integer, cst.Float)):
            return "int"
        if isinstance(node, (cst.Dict, cst.Set, cst.DictComp)):
            return "dict"
        if isinstance(node, (cst.List, cst.Tuple)):
            kinds = {self.of(element.value) for element in node.elements}
            return (
                {"tensor": "tensors", "module": "modules"}.get(kinds.pop() or "", "list") if len(kinds) == 1 else "list"
            )
        if isinstance(node, cst.ListComp):
            return {"tensor": "tensors", "module": "modules"}.get(self.of(node.elt) or "", "list")
        return self.of(node.value) if isinstance(node, cst.NamedExpr) else None

    def _of_name(self, node: cst.Name) -> str | None:
        if node.value in ("True", "False", "None"):
            return None if node.value == "None" else "int"
        full = self._names.full(node)
        if full is not None:
            return self._of_full(full)
        return self._once((self._names.scope(node), node.value), lambda: self._of_variable(node))

    def _once(self, key: tuple[object, str], compute: Callable[[], str | None]) -> str | None:
        """Return the kind of a variable, computed once; None while it is being computed.

        What is unknown may become known when the variables that it depends on are; a few attempts are made.
        """
        if key in self._variables:
            return self._variables[key]
        if key in self._busy:
            return None
        self._busy.add(key)
        try:
            found = compute()
        finally:
            self._busy.discard(key)
        self._tries[key] = self._tries.get(key, 0) + 1
        if found is not None or not self._busy or self._tries[key] > 3:
            self._variables[key] = found
        return found

    def _of_variable(self, node: cst.Name) -> str | None:
        kinds: list[str | None] = []
        for assignment in self._names.assignments(node):
            if not isinstance(assignment, Assignment):
                return "other" if node.value in _BUILTINS else None
            place = assignment.node
            if isinstance(place, cst.Param):
                kinds.append(self._of_parameter(place))
            elif place in self._found.names:
                kinds.append(self._of_source(self._found.names[place]))
            else:
                kinds.append("class" if isinstance(place, cst.ClassDef) else None)
        if not any(kinds) and len(kinds) > 0:
            return self._by_use(self._found.function_of.get(node), node.value)
        return _joined(kinds)

    def _of_parameter(self, node: cst.Param) -> str | None:
        function = self._found.parameters.get(node)
        name = node.name.value
        if function is None:
            return None
        owner = self.owner(function)
        if name == "self" and owner is not None:
            return "module" if self.is_module(owner) else "other"
        if node.annotation is not None:
            return self._of_annotation(node.annotation.annotation)
        if node.default is not None and not m.matches(node.default, m.Name("None")):
            return self.of(node.default)
        if owner is not None and self.is_module(owner) and function.name.value == self._forward:
            return "tensors" if node.star == "*" else "tensor"
        return self._by_use(function, name)

    def _of_annotation(self, node: cst.BaseExpression) -> str | None:
        text = (
            cst.Module([])
            .code_for_node(node)
            .strip("'\"")
            .replace("Optional[", "")
            .rstrip("]")
            .partition("|")[0]
            .strip()
        )
        last = text.rpartition(".")[2]
        if last in ("Tensor", "FloatTensor", "LongTensor", "Parameter", "BoolTensor"):
            return "tensor"
        if last in ("Module", "Cell", "Sequential"):
            return "module"
        if last in ("Optimizer", "DataLoader"):
            return {"Optimizer": "optimizer", "DataLoader": "loader"}[last]
        if last in ("device", "dtype"):
            return last
        return "other" if text.partition("[")[0] in _PLAIN_ANNOTATIONS else None

    def _by_use(self, function: cst.CSTNode | None, name: str) -> str | None:
        methods = self._found.methods.get((function, name), set())
        if methods & _MODULE_METHODS or ("train" in methods and "fit" not in methods):
            return "module"
        if methods >= _OPTIMIZER_METHODS or ("step" in methods and "opt" in name):
            return "optimizer"
        if "step" in methods and "sched" in name:
            return "scheduler"
        if "backward" in methods or methods & _TENSOR_METHODS:
            return "tensor"
        return _by_name(name)

    def _of_source(self, source: Source) -> str | None:
        kind = self._of_loop(source) if source.how == "item" else self._of_element(source.node, source.path)
        return None if source.how == "context" else kind

    def _of_element(self, node: cst.BaseExpression, path: tuple[int, ...]) -> str | None:
        if not path:
            return self.of(node)
        if isinstance(node, (cst.Tuple, cst.List)) and path[0] < len(node.elements):
            return self._of_element(node.elements[path[0]].value, path[1:])
        kind = self.of(node)
        return {"tensors": "tensor", "tensor": "tensor", "shape": "int", "modules": "module"}.get(kind or "")

    def _of_loop(self, source: Source) -> str | None:
        node, path = source.node, source.path
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
            if node.func.value in ("enumerate", "tqdm", "reversed", "sorted") and node.args:
                if node.func.value != "enumerate":
                    return self._of_loop(Source("item", node.args[0].value, path))
                return "int" if path[:1] == (0,) else self._of_loop(Source("item", node.args[0].value, path[1:]))
            if node.func.value == "zip" and path and path[0] < len(node.args):
                return self._of_loop(Source("item", node.args[path[0]].value, path[1:]))
        kind = self.of(node)
        if kind == "loader":
            return "tensor" if path else "tensors"
        return {"tensor": "tensor", "tensors": "tensor", "modules": "module", "module": "module", "ints": "int"}.get(
            kind or ""
        )

    def _of_attribute(self, node: cst.Attribute) -> str | None:
        full = self._names.full(node)
        if full is not None:
            return self._of_full(full)
        if m.matches(node.value, m.Name("self")) and node in self._found.inside:
            owner = self._found.inside[node]
            sources = self._found.attributes.get((owner, node.attr.value), [])
            if sources:
                return self._once(
                    (owner, node.attr.value), lambda: _joined([self._of_source(source) for source in sources])
                )
            return _by_name(node.attr.value)
        kind, name = self.of(node.value), node.attr.value
        if kind == "tensor":
            return {"shape": "shape", "device": "device", "dtype": "dtype"}.get(
                name, "int" if name in _NO_TENSOR else "tensor"
            )
        if kind == "module" and name in ("weight", "bias"):
            return "tensor"
        if name in ("shape", "device", "dtype"):
            return name
        return _by_name(name)

    def _of_full(self, full: str) -> str | None:
        if not full.startswith(self._package):
            return "other" if full.partition(".")[0] in _ARRAY else None
        last = full.rpartition(".")[2]
        if full.startswith(_DTYPES):
            return "dtype"
        return "class" if last[:1].isupper() else None

    def _of_call(self, node: cst.Call) -> str | None:
        func = node.func
        full = self._names.full(func)
        if full is not None:
            return self._result_of(full, node)
        if isinstance(func, cst.Name):
            if func.value in _BUILTINS and not [a for a in self._names.assignments(func) if isinstance(a, Assignment)]:
                return _BUILTINS[func.value]
            local = self._names.local_class(func)
            if local is not None:
                return "module" if self.is_module(local) else "dataset" if _has(local, "__getitem__") else "other"
            defined = [a.node for a in self._names.assignments(func) if isinstance(a, Assignment)]
            if len(defined) == 1 and isinstance(defined[0], cst.FunctionDef):
                return self._of_results(defined[0])
        if isinstance(func, cst.Attribute):
            return self._of_method(func, node.args)
        kind = self.of(func)
        if kind == "module":
            return "tensors" if self._is_recurrent(func) else "tensor"
        return None

    def _of_results(self, function: cst.FunctionDef) -> str | None:
        """Return the kind of what a function of the program returns."""
        values = [each.value for each in descendants(function, cst.Return) if each.value is not None]
        return self._once((function, ""), lambda: _joined([self.of(value) for value in values]))

    def _own_method(self, func: cst.Attribute) -> cst.FunctionDef | None:
        """Return the definition of a method that is called on `self`, or None."""
        owner = self._found.inside.get(func)
        methods = [s for s in owner.body.body if isinstance(s, cst.FunctionDef)] if owner is not None else []
        return next((method for method in methods if method.name.value == func.attr.value), None)

    def _is_recurrent(self, func: cst.BaseExpression) -> bool:
        """Return whether a layer returns a tuple."""
        sources: list[Source] = []
        if isinstance(func, cst.Attribute) and func in self._found.inside:
            sources = self._found.attributes.get((self._found.inside[func], func.attr.value), [])
        elif isinstance(func, cst.Name):
            places = [a.node for a in self._names.assignments(func) if isinstance(a, Assignment)]
            sources = [self._found.names[place] for place in places if place in self._found.names]
        for source in sources:
            called = source.node.func if isinstance(source.node, cst.Call) else source.node
            if (self._names.full(called) or "").rpartition(".")[2] in _RECURRENT or self._returns_tuple(called):
                return True
        return False

    def _returns_tuple(self, called: cst.BaseExpression) -> bool:
        local = self._names.local_class(called)
        methods = [f for f in local.body.body if isinstance(f, cst.FunctionDef)] if local is not None else []
        forward = [f for f in methods if f.name.value == self._forward]
        return any(m.matches(r, m.Return(m.Tuple())) for f in forward for r in descendants(f, cst.Return))

    def _of_method(self, func: cst.Attribute, args: Sequence[cst.Arg]) -> str | None:
        kind, name = self.of(func.value), func.attr.value
        if kind == "tensor":
            if name in ("size", "dim", "numel", "item", "nelement", "ndimension", "get_device", "stride"):
                return "shape" if name == "size" else "int"
            if name in ("max", "min", "median") and args:
                return "tensors"
            return "tensors" if name in _SEVERAL else "other" if name in _NO_TENSOR else "tensor"
        if kind == "module":
            if name in (
                "to",
                "cuda",
                "cpu",
                "train",
                "eval",
                "float",
                "half",
                "double",
                "requires_grad_",
                "apply",
                "set_train",
                "to_float",
            ):
                return "module"
            if name in ("modules", "children", "cells"):
                return "modules"
            if name == "state_dict":
                return "state"
        if kind in ("module", None) and name in ("parameters", "trainable_params", "get_parameters"):
            return "tensors"
        if kind == "loader" and name in ("create_tuple_iterator", "batch", "shuffle", "map", "repeat"):
            return "loader"
        own = self.of(func)
        if own == "module":
            return "tensors" if self._is_recurrent(func) else "tensor"
        if kind == "str":
            return "str"
        method = self._own_method(func)
        if method is not None:
            return self._of_results(method)
        if kind is None and name in _TENSOR_METHODS:
            return {"size": "shape", "numel": "int", "unbind": "tensors", "chunk": "tensors"}.get(name, "tensor")
        return None

    def _result_of(self, full: str, node: cst.Call) -> str | None:
        parent, _, last = full.rpartition(".")
        if full in ("copy.deepcopy", "copy.copy") and node.args:
            return self.of(node.args[0].value)
        if not full.startswith(self._package):
            if full == "collections.OrderedDict":
                return "dict"
            if full.endswith("DataLoader"):
                return "loader"
            return "other" if full.partition(".")[0] in _ARRAY else None
        if full in ("torch.device",):
            return "device"
        if full in ("torch.load", "mindspore.load_checkpoint"):
            return "state"
        if full == "torch.utils.data.DataLoader" or full.startswith("mindspore.dataset."):
            return "loader"
        if full.startswith("torch.utils.data."):
            return "dataset"
        if ".lr_scheduler." in full:
            return "scheduler"
        by_rate = any(arg.keyword and arg.keyword.value == "learning_rate" for arg in node.args)
        optimizers = ("torch.optim", "mindspore.mint.optim", "mindspore.experimental.optim")
        if parent in optimizers or (parent == "mindspore.nn" and by_rate):
            return "optimizer"
        if last in ("Tensor", "Parameter", "LongTensor", "FloatTensor", "BoolTensor", "IntTensor"):
            return "tensor"
        if last in ("ModuleList", "ParameterList", "CellList"):
            return "modules" if last != "ParameterList" else "tensors"
        if last[:1].isupper() and parent in ("torch.nn", "mindspore.nn", "mindspore.mint.nn", "mindspore.ops"):
            return None if last == "Shape" else "module"
        if full.startswith("torch.nn.utils.") and last.endswith(("weight_norm", "spectral_norm")):
            return "module"
        if full.startswith(_NO_TENSOR_FUNCTIONS):
            return "other"
        if last in _SEVERAL or (last in ("max", "min", "median") and len(node.args) > 1):
            return "tensors"
        return "tensor" if last[:1].islower() else None


def _has(node: cst.ClassDef, method: str) -> bool:
    return any(isinstance(s, cst.FunctionDef) and s.name.value == method for s in node.body.body)


def _is_identity(node: cst.Comparison) -> bool:
    return any(isinstance(c.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)) for c in node.comparisons)


def _operation(left: str | None, right: str | None) -> str | None:
    if "tensor" in (left, right):
        return "tensor"
    return left if left == right else None


def _joined(kinds: Iterable[str | None]) -> str | None:
    """Return the kind of a name that has several values: the known one if the others are unknown."""
    known = {kind for kind in kinds if kind is not None}
    if len(known) == 2 and known == {"tensor", "int"}:  # `loss = 0` and then sums
        return "tensor"
    return known.pop() if len(known) == 1 else None


def _by_name(name: str) -> str | None:
    """Return the kind that a name by custom has, where nothing else says it."""
    low = name.lower()
    if low == "device" or low.endswith("_device"):
        return "device"
    if "scheduler" in low:
        return "scheduler"
    if (
        "optimizer" in low
        or low in ("optim", "opt")
        or low.startswith(("opt_", "optim_"))
        or low.endswith(("_opt", "_optim"))
    ):
        return "optimizer"
    if low.endswith(("loader", "dataloader")):
        return "loader"
    if low in (
        "model",
        "net",
        "network",
        "criterion",
        "loss_fn",
        "loss_func",
        "encoder",
        "decoder",
        "generator",
        "discriminator",
    ):
        return "module"
    return None
