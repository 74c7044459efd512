"""The conversions from PyTorch to MindSpore that no row describes."""

from __future__ import annotations

import re

import libcst as cst
import libcst.matchers as m
import torch

from torchspore.migrate.code.calls import COMMA, code_of, convert_call, ended
from torchspore.migrate.code.constructs import Constructs, call, values
from torchspore.migrate.code.data import Data
from torchspore.migrate.code.imports import gone
from torchspore.migrate.code.names import dotted
from torchspore.migrate.code.parts_of_mindspore import PLAIN_ARGUMENTS
from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.code.scaffolding import ANNOTATIONS, DECORATORS, QUESTIONS, VALUES
from torchspore.migrate.code.tree import descendants
from torchspore.migrate.code.walk import Walk

__all__ = ["ToMindSpore"]

_REGISTRIES = {"_modules": "_cells", "_parameters": "_params"}
_LEGACY_TENSORS = {
    "torch.Tensor": "float32", "torch.FloatTensor": "float32", "torch.DoubleTensor": "float64",
    "torch.HalfTensor": "float16", "torch.LongTensor": "int64", "torch.IntTensor": "int32",
    "torch.ShortTensor": "int16", "torch.BoolTensor": "bool", "torch.ByteTensor": "uint8", "torch.CharTensor": "int8",
}  # fmt: skip
_RESULTS = {"values": "0", "indices": "1"}  # torch's names of the results of max, sort, topk: plain tuples here
_NO_GRAD = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad")
_AUTOCAST = ("torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast", "torch.cuda.amp.autocast")
_SWITCHED_OFF = m.Call(args=[m.ZeroOrMore(), m.Arg(keyword=m.Name("enabled"), value=m.Name("False")), m.ZeroOrMore()])
_DTYPES = {
    "float32": "float32",
    "float": "float32",
    "float64": "float64",
    "double": "float64",
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int8": "int8",
    "uint8": "uint8",
    "int16": "int16",
    "short": "int16",
    "int32": "int32",
    "int": "int32",
    "int64": "int64",
    "long": "int64",
    "bool": "bool_",
    "complex64": "complex64",
    "complex128": "complex128",
    "cfloat": "complex64",
}
_SAME_METHODS = frozenset(
    """
    apply register_buffer state_dict extra_repr append insert extend keys values items pop register_forward_hook
    register_forward_pre_hook named_buffers buffers update forward
    """.split()  # noqa: SIM905
)
# What behaves differently in training.
_MODES = re.compile(
    "Drop|BatchNorm|InstanceNorm|dropout|training|Transformer|MultiheadAttention|RReLU|rrelu|batch_norm|instance_norm"
)
_ONLY_NETWORKS = {
    "parameters",
    "named_parameters",
    "named_modules",
    "named_children",
    "load_state_dict",
    "requires_grad_",
    "eval",
    "add_module",
}


def _key(name: str) -> m.SimpleString:
    return m.SimpleString(m.MatchIfTrue(lambda text: text[1:-1] == name))


class ToMindSpore(Constructs):
    """The conversions to MindSpore."""

    def __init__(self, rewriter: Walk, module: cst.Module) -> None:
        super().__init__(rewriter)
        self._data = Data(module, self.names, self.kinds, self.targets)
        self._codes: dict[cst.ClassDef, str] = {}
        self._local_classes = {node.name.value: node for node in self.kinds.module_classes()}

    def reference(self, node: cst.Name | cst.Attribute, full: str) -> cst.BaseExpression | None:
        if full == "torch.nn.Module":
            return self.targets.expression("mindspore.nn.Cell")
        if full.startswith("torch.") and full[6:] in _DTYPES and self.rewriter.sides.get(full) is None:
            return self.targets.expression(f"mindspore.{_DTYPES[full[6:]]}")
        if full == "torch.autograd.Function":
            self.rewriter.note(node, "it is for PYNATIVE_MODE; in a graph, write a Cell with bprop(*inputs, out, dout)")
            return self.targets.expression("mindspore.common._grad_function._Function")
        definitions = self.rewriter.sides.definitions
        if full in definitions and full not in PLAIN_ARGUMENTS:
            return self.targets.part(definitions[full])
        if full in ("torch.Tensor", "torch.nn.Parameter"):
            return self.targets.expression(f"mindspore.{full.rpartition('.')[2]}")
        plain = ANNOTATIONS.get(full) or VALUES.get(full)
        if plain is not None:
            return self.targets.expression(plain) if "." in plain else cst.Name(plain)
        if full in ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset"):
            return cst.Name("object")
        return None

    def function(self, original: cst.Call, updated: cst.Call, full: str) -> cst.BaseExpression | None:
        if full in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            args = [
                arg.with_changes(keyword=cst.Name("default_input"))
                if arg.keyword and arg.keyword.value == "data"
                else arg
                for arg in updated.args
            ]
            return updated.with_changes(func=self.targets.expression("mindspore.Parameter"), args=args)
        legacy = _LEGACY_TENSORS.get(full)
        if legacy is not None:
            return self._legacy_tensor(original, updated, legacy)
        if full == "torch.nn.ModuleList" and len(updated.args) == 1:
            cells = updated.args[0].value
            if isinstance(cells, cst.GeneratorExp):  # a CellList takes lists only
                cells = cst.ListComp(cells.elt, cells.for_in)
                return call(self.targets.expression("mindspore.nn.CellList"), cells)
        if full in QUESTIONS:
            return cst.Name(QUESTIONS[full])
        if full == "torch.Size":
            return updated.with_changes(func=cst.Name("tuple"))
        definitions = self.rewriter.sides.definitions
        if full in definitions and len(updated.args) > PLAIN_ARGUMENTS.get(full, -1):
            return updated.with_changes(func=self.targets.part(definitions[full]))
        if full == "torch.device":
            self.rewriter.note(original, "the device of the whole program is chosen by mindspore.set_device")
            return self._device()
        if full == "torch.cuda.is_available":
            return cst.parse_expression(
                f'{code_of(self._device())} != "CPU"',
            ).with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        if full in ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"):
            return self._data.loader(original, updated)
        if full == "torch.utils.data.TensorDataset":
            return self._data.tensors(updated)
        if full in _NO_GRAD and not updated.args:
            return call(self.targets.expression("mindspore._no_grad"))
        if full.startswith("torch.nn.init.") and updated.args and isinstance(updated.args[0].value, cst.Call):
            return self._filled(updated, full)
        if full == "torch.einsum" and len(updated.args) == 2:
            return self._einsum(original, updated)
        if self._has_no_effect(original):
            return call(self.targets.expression("contextlib.nullcontext"))
        if full == "torch.save":
            return self._save(original, updated)
        if full == "torch.load":
            path = values(updated).get(0) or values(updated).get("f")
            if path is None:
                raise Unconverted("the file is missing")
            return call(self.targets.expression("mindspore.load_checkpoint"), path)
        if (
            full in ("torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all")
            and self.rewriter.sides.get(full) is None
        ):
            return updated.with_changes(func=self.targets.expression("mindspore.set_seed"))
        return None

    def _filled(self, updated: cst.Call, full: str) -> cst.BaseExpression | None:
        """Convert the filling of a tensor that was just made, not of a Parameter, to the tensor that it becomes."""
        side = self.rewriter.sides.get(full)
        found = convert_call(side, updated.args, None, self.targets) if side else updated
        if not m.matches(found, m.Call(func=m.Attribute(attr=m.Name("set_data")))):
            return None
        values = cst.ensure_type(found, cst.Call).args[0].value
        lazy = m.matches(values, m.Call(func=m.Attribute(attr=m.Name("initializer"))))
        return cst.Call(cst.Attribute(values, cst.Name("init_data"))) if lazy else values

    def _einsum(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression | None:
        """Convert an einsum of a list of operands, which MindSpore takes one by one."""
        operands = updated.args[1].value
        if isinstance(operands, (cst.Tuple, cst.List)):
            given = [
                cst.Arg(each.value, star="*") if isinstance(each, cst.StarredElement) else cst.Arg(each.value)
                for each in operands.elements
            ]
        elif self.kinds.of(original.args[1].value) in ("tensors", "list") and not updated.args[1].star:
            given = [cst.Arg(operands, star="*")]
        else:
            return None
        return cst.Call(self.targets.expression("mindspore.mint.einsum"), [updated.args[0], *given])

    def _legacy_tensor(self, original: cst.Call, updated: cst.Call, dtype: str) -> cst.BaseExpression:
        """Convert `torch.LongTensor(...)`, whose arguments are sizes, or one list of values."""
        given = [arg.value for arg in updated.args]
        kinds = {self.kinds.of(arg.value) for arg in original.args}
        element = self.targets.expression(f"mindspore.{_DTYPES[dtype]}")
        if len(given) == 1 and kinds <= {"list", "ints"}:
            listed = call(cst.Name("list"), given[0]) if kinds == {"ints"} else given[0]
            return call(self.targets.expression("mindspore.Tensor"), listed, element)
        if given and (kinds == {"int"} or len(given) > 1) and not any(arg.keyword or arg.star for arg in updated.args):
            sizes = cst.Tuple([cst.Element(each) for each in given])
            return call(self.targets.expression("mindspore.mint.empty"), sizes, dtype=element)
        raise Unconverted("it is unknown whether its arguments are sizes or values; write torch.empty or torch.tensor")

    def attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        """Convert an attribute, also the registries of a module, which Cells have by other names."""
        registry = _REGISTRIES.get(original.attr.value)
        if registry is not None:
            return updated.with_changes(attr=cst.Name(registry))
        place = _RESULTS.get(original.attr.value)
        if place is not None and self.kinds.of(original.value) == "tensors":
            return cst.Subscript(updated.value, [cst.SubscriptElement(cst.Index(cst.Integer(place)))])
        return super().attribute(original, updated)

    def _device(self) -> cst.BaseExpression:
        return call(self.targets.expression("mindspore.get_context"), cst.SimpleString('"device_target"'))

    def _save(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        given, before = values(updated), values(original)
        saved, path = before.get(0) or before.get("obj"), given.get(1) or given.get("f")
        state = m.Call(func=m.Attribute(attr=m.Name("state_dict")), args=[])
        if not isinstance(saved, cst.Call) or not m.matches(saved, state) or path is None:
            raise Unconverted(
                "mindspore.save_checkpoint saves the parameters of a cell, or a list of dicts with 'name' and 'data'"
            )
        assert isinstance(saved.func, cst.Attribute)
        if self.kinds.of(saved.func.value) in ("optimizer", "scheduler"):
            raise Unconverted("pass the optimizer itself, a Cell, to mindspore.save_checkpoint")
        new = given.get(0) or given.get("obj")
        cell = new.func.value if isinstance(new, cst.Call) and isinstance(new.func, cst.Attribute) else saved.func.value
        return call(self.targets.expression("mindspore.save_checkpoint"), cell, path)

    def method(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if m.matches(updated.func, m.Attribute(attr=m.Name("zero_grad"))):
            assert isinstance(updated.func, cst.Attribute)
            return updated.func.value
        named = m.Attribute(attr=m.MatchIfTrue(lambda node: node.value in _ONLY_NETWORKS))
        if m.matches(updated.func, named) and self.kinds.of(original.func.value) is None:  # type: ignore[attr-defined]
            assert isinstance(updated.func, cst.Attribute)
            return self.module_method(original, updated, updated.func.attr.value, updated.func.value) or updated
        if self.names.is_variable(original.func):
            return _without_inplace(updated)
        return super().method(original, updated)

    # methods of networks

    def module_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        func = updated.func
        assert isinstance(func, cst.Attribute)
        if name in ("to", "cuda", "cpu"):
            return self._moved(original, updated, receiver)
        if name == "train":
            return updated.with_changes(func=func.with_changes(attr=cst.Name("set_train")))
        if name == "eval" and not updated.args:
            return call(func.with_changes(attr=cst.Name("set_train")), cst.Name("False"))
        if name == "parameters" and not updated.args:
            trained = self.rewriter.is_inside("torch.optim.", "torch.nn.utils.clip_grad")
            return updated.with_changes(
                func=func.with_changes(attr=cst.Name("trainable_params" if trained else "get_parameters"))
            )
        if name == "add_module" and len(updated.args) == 2 and not any(arg.keyword for arg in updated.args):
            return call(cst.Name("setattr"), receiver, updated.args[0].value, updated.args[1].value)
        if name == "add_module" and len(updated.args) == 1 and updated.args[0].star == "*":
            return cst.Call(cst.Name("setattr"), [cst.Arg(receiver, comma=COMMA), *updated.args])
        if name == "named_children" and not updated.args:
            return call(cst.Attribute(call(func.with_changes(attr=cst.Name("name_cells"))), cst.Name("items")))
        if name == "modules" and not updated.args:
            return cst.parse_expression(f"(cell for _, cell in {code_of(receiver)}.cells_and_names())")
        if name == "load_state_dict":
            return self._load_state(original, updated, receiver)
        side = self.rewriter.sides.get(f"torch.nn.Module.{name}")
        if side is not None and name not in _SAME_METHODS:
            return self.rewriter.by_row(original, updated, side, receiver)
        if hasattr(torch.nn.Module, name) and name not in _SAME_METHODS and not name.startswith("__"):
            raise Unconverted(f"torch.nn.Module.{name} has no counterpart among the methods of a Cell")
        return updated

    def _moved(self, original: cst.Call, updated: cst.Call, receiver: cst.BaseExpression) -> cst.BaseExpression:
        """Drop a move to a device."""
        for arg in original.args:
            if arg.keyword is not None and arg.keyword.value in ("non_blocking", "device", "memory_format"):
                continue
            if not self._is_device(arg.value):
                raise Unconverted(
                    "MindSpore's networks change their data type by `to_float`, which casts inputs, not parameters"
                )
        return receiver

    def _is_device(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.SimpleString):
            return str(node.raw_value).partition(":")[0] in ("cuda", "cpu", "mps", "npu", "xpu")
        return (
            self.kinds.of(node) == "device"
            or (isinstance(node, cst.Integer))
            or (dotted(node) or "").endswith(("device", "gpu", "rank"))
        )

    def _load_state(self, original: cst.Call, updated: cst.Call, receiver: cst.BaseExpression) -> cst.BaseExpression:
        given = values(updated)
        state = given.get(0) or given.get("state_dict")
        before = values(original).get(0) or values(original).get("state_dict")
        if state is None or before is None:
            raise Unconverted("the state is missing")
        if self.kinds.of(before) != "state" or m.matches(before, m.Call(func=m.Attribute(attr=m.Name("state_dict")))):
            return updated
        return call(self.targets.expression("mindspore.load_param_into_net"), receiver, state)

    def state_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        return updated

    def optimizer_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        if name == "step":
            raise Unconverted(
                "the training step has not the documented shape zero_grad, loss, backward, step; write a forward "
                "function, mindspore.value_and_grad, and call the optimizer with the gradients"
            )
        if name in ("state_dict", "load_state_dict"):
            raise Unconverted(
                "a MindSpore optimizer is a Cell: mindspore.save_checkpoint and load_param_into_net take it"
            )
        return updated

    def scheduler_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        return updated

    # methods of tensors

    def plausible_tensor_method(
        self, original: cst.Call, updated: cst.Call, name: str, receiver: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        if name in ("cuda", "cpu") or (name == "to" and original.args and self._is_device(original.args[0].value)):
            return self._moved_tensor(original, updated, receiver)
        if name == "to" and len(updated.args) == 1 and self.kinds.of(original.args[0].value) == "dtype":
            return updated
        if name == "size":
            return self._size(updated, receiver)
        if name in ("numpy", "detach", "item", "tolist") and not updated.args:
            plain = self._without_stop(receiver)
            if name == "detach":
                return call(self.targets.expression("mindspore.ops.stop_gradient"), receiver)
            method = {"numpy": "asnumpy"}.get(name, name)
            return updated.with_changes(func=cst.Attribute(plain, cst.Name(method)))
        if name == "backward":
            raise Unconverted(
                "gradients come from mindspore.grad or value_and_grad of a function that returns the loss"
            )
        return None

    def _moved_tensor(self, original: cst.Call, updated: cst.Call, receiver: cst.BaseExpression) -> cst.BaseExpression:
        types = [n for o, n in zip(original.args[1:], updated.args[1:]) if self.kinds.of(o.value) == "dtype"]
        types += [a for a in updated.args if a.keyword is not None and a.keyword.value == "dtype" and a not in types]
        return call(cst.Attribute(receiver, cst.Name("to")), types[0].value) if types else receiver

    def _size(self, updated: cst.Call, receiver: cst.BaseExpression) -> cst.BaseExpression:
        shape = cst.Attribute(receiver, cst.Name("shape"))
        if not updated.args:
            return shape
        return cst.Subscript(shape, [cst.SubscriptElement(cst.Index(updated.args[0].value))])

    def _without_stop(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Return a tensor without `stop_gradient`, for a method whose result has no gradient anyway."""
        if isinstance(node, cst.Call) and m.matches(node.func, m.Attribute(attr=m.Name("stop_gradient"))):
            return node.args[0].value
        return node

    # statements

    def function_definition(self, original: cst.FunctionDef, updated: cst.FunctionDef) -> cst.FunctionDef:
        new = super().function_definition(original, updated)
        dropped = [
            index
            for index, each in enumerate(original.decorators)
            if self.names.decorator(each) in DECORATORS
            or (self._is_no_grad(each.decorator) and self._only_evaluates(original))
        ]
        return (
            new.with_changes(decorators=[d for i, d in enumerate(new.decorators) if i not in dropped])
            if dropped
            else new
        )

    def _is_no_grad(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and self.names.full(node.func) in _NO_GRAD and not node.args

    def _only_evaluates(self, function: cst.FunctionDef | None) -> bool:
        """Return whether code is not differentiated: outside functions, or in one for evaluation."""
        if function is None:
            return True
        name = function.name.value.lower()
        calls = {each.attr.value for each in descendants(function, cst.Attribute)}
        by_name = any(
            part in name
            for part in ("eval", "test", "valid", "predict", "infer", "sample", "generate", "main", "accuracy")
        )
        return not self.kinds.is_module(self.kinds.owner(function)) and (by_name or "eval" in calls)

    def _has_no_effect(self, node: cst.BaseExpression) -> bool:
        """Return whether a context only switches something off that MindSpore lacks."""
        full = self.names.full(node.func) if isinstance(node, cst.Call) else None
        return full == "torch.backends.cudnn.flags" or (full in _AUTOCAST and m.matches(node, _SWITCHED_OFF))

    def with_statement(
        self, original: cst.With, updated: cst.With
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        quiet = [self._is_no_grad(item.item) for item in original.items]
        only_evaluates = any(quiet) and self._only_evaluates(self.rewriter.function)
        if not all(self._has_no_effect(item.item) or (only_evaluates and q) for item, q in zip(original.items, quiet)):
            return updated
        body = updated.body
        lines: list[cst.BaseStatement] = []
        if isinstance(body, cst.IndentedBlock):
            if any(line.comment for line in body.footer):
                return updated
            lines = list(body.body)
            comment = body.header.comment
        else:
            lines, comment = [cst.SimpleStatementLine(body.body)], None  # type: ignore[arg-type]
        leading = [*updated.leading_lines, *([cst.EmptyLine(comment=comment)] if comment else [])]
        if lines:
            lines[0] = lines[0].with_changes(leading_lines=[*leading, *getattr(lines[0], "leading_lines", ())])
        return cst.FlattenSentinel(lines)

    def class_definition(self, original: cst.ClassDef, updated: cst.ClassDef) -> cst.ClassDef:
        """Remove the base class of data sets: any class with __getitem__ and __len__ is a source."""
        bases = [new for new in updated.bases if not m.matches(new.value, m.Name("object"))]
        if len(bases) == len(updated.bases) or any(m.matches(old.value, m.Name("object")) for old in original.bases):
            return updated
        none = cst.MaybeSentinel.DEFAULT
        if bases:
            return updated.with_changes(bases=[*bases[:-1], bases[-1].with_changes(comma=none)])
        return updated.with_changes(bases=[], lpar=none, rpar=none)

    def line(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        """Show a SequentialCell the cells that were added by their names: it calls the cells of its `cell_list`."""
        added = m.Expr(m.Call(func=m.Attribute(attr=m.Name("add_module"))))
        calls = [each for each in original.body if m.matches(each, added)]
        receivers = [each.value.func.value for each in calls]  # type: ignore[attr-defined]
        sequences = [receiver for receiver in receivers if self.kinds.is_sequence(receiver)]
        if not sequences:
            return updated
        if len(original.body) > 1:
            raise Unconverted(
                "a SequentialCell calls its 'cell_list', to be set after add_module: one statement a line"
            )
        sequence = sequences[0]
        name = code_of(sequence)
        shown = cst.parse_statement(f"{name}.cell_list = list({name}.cells())")
        return cst.FlattenSentinel([updated, shown])

    def assignment(self, original: cst.Assign, updated: cst.Assign) -> cst.Assign | cst.Expr:
        """Remove what has become `x = x`, and the device from the keywords that a layer gives to its parts."""
        if m.matches(updated.value, m.Dict(elements=[m.DictElement(_key("device")), m.DictElement(_key("dtype"))])):
            return updated.with_deep_changes(updated.value, elements=updated.value.elements[1:])  # type: ignore[attr-defined]
        target = updated.targets[0].target
        if len(updated.targets) == 1 and code_of(target) == code_of(updated.value):
            return gone() if code_of(original.value) != code_of(updated.value) else updated
        return updated

    def finished(self, original: cst.Call, found: cst.BaseExpression) -> cst.BaseExpression:
        """Put a new network into training mode, as in PyTorch, unless it is a part of another or `train` is called."""
        function = self.rewriter.function
        if (
            (function is not None and self.kinds.is_module(self.kinds.owner(function)))
            or any(self._is_new_network(outer) for outer in self.rewriter.outer_calls)
            or self.rewriter.is_trained(original)
            or not self._is_new_network(original)
        ):
            return found
        return cst.Call(cst.Attribute(found, cst.Name("set_train")))

    def _is_new_network(self, node: cst.BaseExpression) -> bool:
        """Return whether an expression makes a network whose layers differ between training and inference."""
        if (
            not isinstance(node, cst.Call)
            or not isinstance(node.func, (cst.Name, cst.Attribute))
            or self.kinds.of(node) != "module"
        ):
            return False
        local = self.names.local_class(node.func)
        if local is not None:
            return self._has_modes(local, set())
        full = self.names.full(node.func)
        return full is not None and bool(_MODES.search(code_of(node)))

    def _code_of_class(self, node: cst.ClassDef) -> str:
        if node not in self._codes:
            self._codes[node] = code_of(node)
        return self._codes[node]

    def _has_modes(self, node: cst.ClassDef, seen: set[str]) -> bool:
        code = self._code_of_class(node)
        if _MODES.search(code):
            return True
        seen.add(node.name.value)
        others = [c for name, c in self._local_classes.items() if name not in seen and re.search(rf"\b{name}\b", code)]
        return any(self._has_modes(other, seen) for other in others)


def _without_inplace(node: cst.Call) -> cst.Call:
    """Return a call without `inplace=True` or `False`: a layer in a variable does not take it any more."""
    given = m.Arg(keyword=m.Name("inplace"), value=m.Name("True") | m.Name("False"))
    kept = [arg for arg in node.args if not m.matches(arg, given)]
    return node if len(kept) == len(node.args) else node.with_changes(args=ended(kept, node.args))
