"""Training loops: from `loss.backward(); optimizer.step()` to a forward function and `value_and_grad`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst
import libcst.matchers as m
from libcst.metadata import CodeRange

from torchspore.migrate.code.calls import code_of
from torchspore.migrate.code.flow import bound_in, flow, read_first
from torchspore.migrate.code.kinds import Kinds
from torchspore.migrate.code.names import Names, dotted
from torchspore.migrate.code.result import Left, Note, Unconverted
from torchspore.migrate.code.targets import Targets

__all__ = ["Loops"]

_HARMLESS_BUILTINS = {
    "next",
    "iter",
    "len",
    "range",
    "zip",
    "enumerate",
    "int",
    "float",
    "list",
    "tuple",
    "dict",
    "str",
    "max",
    "min",
}
_JUMPS = m.Return() | m.Break() | m.Continue() | m.Yield() | m.Await()


@dataclass
class _Gradient:
    """A `backward` call.

    Args:
        at: its index in the block.
        loss: the expression that is differentiated.
        body: the statements of the forward function.
        before: the statements from between that stay in front of the call.
        after: statements from between that do not belong to it.
        first: the index of the first statement that moves.
        aux: the names that are needed later.
        parameters: the parameters of the forward function.
    """

    at: int
    loss: cst.BaseExpression
    body: list[cst.BaseStatement] = field(default_factory=list)
    before: list[cst.BaseStatement] = field(default_factory=list)
    after: list[cst.BaseStatement] = field(default_factory=list)
    first: int = 0
    aux: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)


class Loops(cst.CSTTransformer):
    """Rewrites the training steps of a module.

    Args:
        names, kinds: of the module.
        positions, parents: the lines of its nodes, and the nodes that these are in.
        targets: collects the names of MindSpore.
        taken: all names of the module.
    """

    def __init__(
        self, names: Names, kinds: Kinds, positions: Mapping[cst.CSTNode, CodeRange],
        parents: Mapping[cst.CSTNode, cst.CSTNode], targets: Targets, taken: set[str],
    ) -> None:  # fmt: skip
        super().__init__()
        self.left: list[Left] = []
        self.notes: list[Note] = []
        self.converted = 0
        self._names, self._kinds, self._targets = names, kinds, targets
        self._positions, self._parents, self._taken = positions, parents, taken
        self._before: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
        self._steps = 0

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(body=self._block(original_node, updated_node))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=self._block(original_node, updated_node))

    def _block(
        self, original: cst.IndentedBlock | cst.Module, updated: cst.IndentedBlock | cst.Module
    ) -> list[cst.BaseStatement]:
        old, new = list(original.body), list(updated.body)
        replaced: dict[int, list[cst.BaseStatement]] = {}
        last = 0
        for step in range(len(old)):
            optimizer = self._optimizer_of_step(old[step])
            if optimizer is None:
                continue
            backwards = [i for i in range(last, step) if _backward(old[i]) is not None]
            if backwards:
                try:
                    self._convert(original, old, new, backwards, step, optimizer, replaced)
                    self.converted += 1
                    last = step
                except Unconverted as reason:
                    self._leave(old[backwards[0]], str(reason))
        result: list[cst.BaseStatement] = []
        for index, (before, statement) in enumerate(zip(old, new)):
            pieces = replaced.get(index, [statement])
            defined = self._before.pop(before, [])
            if defined and pieces:
                lines = list(getattr(pieces[0], "leading_lines", ()))
                if not result:
                    defined[0] = defined[0].with_changes(leading_lines=[])
                pieces = [
                    pieces[0].with_changes(
                        leading_lines=[cst.EmptyLine(indent=False), *(e for e in lines if e.comment)]
                    ),
                    *pieces[1:],
                ]
            result += [*defined, *pieces]
        return result

    def _leave(self, node: cst.CSTNode, reason: str) -> None:
        position = self._positions.get(node)
        self.left.append(Left(position.start.line if position else 0, "", reason))

    def _optimizer_of_step(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """Return the optimizer if a statement is `optimizer.step()`."""
        call = _called(node, "step")
        if call is None or call.args:
            return None
        assert isinstance(call.func, cst.Attribute)
        return call.func.value if self._kinds.of(call.func.value) == "optimizer" else None

    def _convert(
        self, block: cst.IndentedBlock | cst.Module, old: list[cst.BaseStatement], new: list[cst.BaseStatement],
        backwards: list[int], step: int, optimizer: cst.BaseExpression, replaced: dict[int, list[cst.BaseStatement]],
    ) -> None:  # fmt: skip
        if dotted(optimizer) is None:
            raise Unconverted("the optimizer must be a name")
        barrier = max((i + 1 for i in range(backwards[0]) if self._optimizer_of_step(old[i]) is not None), default=0)
        gradients = []
        for at in backwards:
            gradients.append(self._gradient(old, new, at, barrier))
            barrier = at + 1
        place, loop = self._place(block, old[gradients[0].first], optimizer)
        changes: dict[int, list[cst.BaseStatement]] = {}
        definitions: list[cst.BaseStatement] = []
        for number, each in enumerate(gradients):
            self._interface(each, block, old, loop, place)
            definitions += self._definitions(each, optimizer, number, changes, old, new)
        for index in range(backwards[0], step):
            clipped = self._clipped(old[index], new[index])
            if clipped is not None:
                changes[index] = [clipped]
        name = code_of(optimizer)
        leading = getattr(new[step], "leading_lines", ())
        trailing = getattr(new[step], "trailing_whitespace", cst.TrailingWhitespace())
        changes[step] = [_statement(f"{name}(grads)").with_changes(leading_lines=leading, trailing_whitespace=trailing)]
        replaced.update(changes)
        self._before.setdefault(place, []).extend(definitions)
        if place in old and self._before.get(place):
            index = old.index(place)
            if index in replaced and not replaced[index]:  # its own first statement moved
                replaced[index] = []
                target = next(i for i in range(index, len(old)) if replaced.get(i, [old[i]]))
                self._before.setdefault(old[target], []).extend(self._before.pop(place))

    # which statements belong to the forward function

    def _gradient(self, old: list[cst.BaseStatement], new: list[cst.BaseStatement], at: int, barrier: int) -> _Gradient:
        loss = _backward(old[at])
        assert loss is not None
        call = _called(old[at], "backward")
        assert call is not None
        if any(arg.keyword is None or arg.keyword.value not in ("retain_graph", "create_graph") for arg in call.args):
            raise Unconverted("backward with a gradient; multiply the loss by it in the forward function")
        if isinstance(loss, cst.Call) and m.matches(loss.func, m.Attribute(attr=m.Name("scale"))):
            raise Unconverted("a GradScaler; scale the loss by mindspore.amp.DynamicLossScaler in the forward function")
        in_slice = self._slice(old, at, loss)
        dependent = self._dependent(old, at, in_slice)
        inside = [i for i in dependent if i >= barrier]
        found = _Gradient(at, loss)
        found.first = inside[0] if inside else at
        while (
            found.first - 1 >= barrier
            and found.first - 1 in in_slice
            and bound_in([old[found.first - 1]]) & bound_in([old[i] for i in inside])
        ):
            found.first -= 1
        earlier = self._needed_again(old, [i for i in dependent if i < barrier], in_slice, found, at)
        if not inside and not earlier and not self._is_differentiable(loss):
            raise Unconverted("the loss does not come from this block; compute it where backward is called")
        kept: list[cst.BaseStatement] = []
        for index in (*earlier, *range(found.first, at)):
            statement = old[index]
            if self._is_zero_grad(statement):
                continue
            if index not in (*dependent, *earlier) and _may_come_first(statement, kept):
                found.before.append(new[index])
                continue
            kept.append(statement)
            if index in in_slice:
                if m.findall(statement, _JUMPS):
                    raise Unconverted("the computation of the loss leaves the loop or the function")
                found.body.append(new[index])
            else:
                found.after.append(new[index])
        if earlier:
            again = ", ".join(sorted(bound_in([old[i] for i in earlier])))
            text = f"{again} is computed again for this gradient: random numbers and moving averages advance twice"
            self.notes.append(Note(self._positions[old[at]].start.line, text))
        return found

    def _slice(self, old: list[cst.BaseStatement], at: int, loss: cst.BaseExpression) -> set[int]:
        """Return the statements that the loss depends on."""
        needed = set(read_first([loss]))
        found = set()
        for index in range(at - 1, -1, -1):
            each = flow([old[index]])
            if (set(each.bound) | _written(old[index])) & needed and not self._is_zero_grad(old[index]):
                found.add(index)
                if m.matches(old[index], m.SimpleStatementLine(body=[m.Assign()])):
                    needed -= set(each.bound)
                needed |= set(each.read)
        return found

    def _dependent(self, old: list[cst.BaseStatement], at: int, in_slice: set[int]) -> list[int]:
        """Return the statements of the slice whose result depends on parameters."""
        names: set[str] = set()
        found = []
        for index in range(at):
            if index not in in_slice:
                continue
            each = flow([old[index]])
            if set(each.read) & names or self._computes(old[index]):
                names |= set(each.bound)
                found.append(index)
        return found

    def _computes(self, statement: cst.BaseStatement) -> bool:
        """Return whether a statement calls something that may have parameters."""
        for call in m.findall(statement, m.Call()):
            assert isinstance(call, cst.Call)
            full = self._names.full(call.func)
            if full is not None:
                if full.startswith("torch.") or full.partition(".")[0] in ("numpy", "random", "math", "time"):
                    continue
                return True
            if isinstance(call.func, cst.Name) and call.func.value in _HARMLESS_BUILTINS:
                continue
            if isinstance(call.func, cst.Attribute) and not m.matches(call.func.value, m.Name("self")):
                kind = self._kinds.of(call.func.value)
                if kind in ("tensor", "tensors", "other", "dict", "str", "int", "list", "loader", "shape") or (
                    kind is None and call.func.attr.value in ("to", "cuda", "items", "get", "float", "long", "next")
                    and self._kinds.of(call.func) != "module"
                ):  # fmt: skip
                    continue
            return True
        return any(
            self._names.full(node) is None and self._kinds.of(node) == "module"  # type: ignore[arg-type]
            for node in m.findall(statement, m.Attribute(attr=m.Name("weight")))
        )

    def _needed_again(
        self, old: list[cst.BaseStatement], dependent: list[int], in_slice: set[int], found: _Gradient, at: int
    ) -> list[int]:
        """Return the earlier statements through which the gradient passes: those whose results are not detached."""
        wanted: list[int] = []
        users: list[cst.CSTNode] = [old[i] for i in range(found.first, at) if i in in_slice]
        users.append(found.loss)
        for index in reversed(dependent):
            names = bound_in([old[index]])
            if any(_reads_undetached(user, name) for name in names for user in users):
                if isinstance(old[index], cst.SimpleStatementLine):
                    wanted.insert(0, index)
                    users.append(old[index])
                else:
                    raise Unconverted("the gradient passes through a statement before the previous backward")
        return wanted

    def _is_differentiable(self, loss: cst.BaseExpression) -> bool:
        return not isinstance(loss, cst.Name) and bool(m.findall(loss, m.Call()))

    def _is_zero_grad(self, node: cst.CSTNode) -> bool:
        return _called(node, "zero_grad") is not None

    # where it goes, and what it takes and returns

    def _place(
        self, block: cst.CSTNode, first: cst.BaseStatement, optimizer: cst.BaseExpression
    ) -> tuple[cst.BaseStatement, cst.For | cst.While | None]:
        """Return the statement to define the function before: the outermost loop that does not bind the optimizer."""
        place, loop = first, None
        name = (dotted(optimizer) or "").partition(".")[0]
        node: cst.CSTNode | None = block
        while node is not None and not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.Module)):
            if isinstance(node, (cst.For, cst.While)):
                if name in bound_in([node]):
                    break
                place, loop = node, node
            node = self._parents.get(node)
        return place, loop

    def _interface(
        self,
        each: _Gradient,
        block: cst.CSTNode,
        old: list[cst.BaseStatement],
        loop: cst.CSTNode | None,
        place: cst.BaseStatement,
    ) -> None:
        inside = flow([*each.body, each.loss])
        changing = bound_in([loop]) if loop is not None else self._bound_before(block, each.body, old, each.first)
        each.parameters = [name for name in inside.first if name in changing]
        own = {each.loss.value} if isinstance(each.loss, cst.Name) else set()
        later = self._read_later(block, old, each)
        each.aux = [name for name in inside.bound if name in later and name not in own]

    def _bound_before(
        self, block: cst.CSTNode, body: Sequence[cst.CSTNode], old: list[cst.BaseStatement], first: int
    ) -> set[str]:
        """Return the tensors, bound before, that a function outside loops takes; it finds the others by closure."""
        rebound = bound_in(body)
        function: cst.CSTNode | None = block
        while function is not None and not isinstance(function, (cst.FunctionDef, cst.Module)):
            function = self._parents.get(function)
        known = bound_in(old[:first])
        if isinstance(function, cst.FunctionDef):
            known |= {p.name.value for p in function.params.params}
        called = {c.func.value for s in body for c in m.findall(s, m.Call(func=m.Name())) if isinstance(c, cst.Call)
                  and isinstance(c.func, cst.Name)}  # fmt: skip
        kinds: dict[str, str | None] = {}
        for statement in old:
            for node in m.findall(statement, m.Name()):
                if isinstance(node, cst.Name) and node.value not in kinds:
                    kinds[node.value] = self._kinds.of(node)
        data = {name for name in known - called if kinds.get(name) in ("tensor", "tensors", None) and name != "self"}
        return data | rebound

    def _read_later(self, block: cst.CSTNode, old: list[cst.BaseStatement], each: _Gradient) -> set[str]:
        """Return the names that are read behind the forward function, in this pass of the loops or a later one."""
        found = set(read_first(each.after)) | set(read_first(old[each.at + 1 :]))
        node: cst.CSTNode | None = block
        while node is not None and not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Module)):
            parent = self._parents.get(node)
            if isinstance(node, (cst.For, cst.While)):
                found |= set(read_first([node.body]))
            if isinstance(parent, (cst.IndentedBlock, cst.Module)):
                body = list(parent.body)
                if node in body:
                    found |= set(read_first(body[body.index(node) + 1 :]))  # type: ignore[arg-type]
            node = parent
        return found

    # what is written

    def _definitions(
        self, each: _Gradient, optimizer: cst.BaseExpression, number: int, changes: dict[int, list[cst.BaseStatement]],
        old: list[cst.BaseStatement], new: list[cst.BaseStatement],
    ) -> list[cst.BaseStatement]:  # fmt: skip
        loss = code_of(each.loss) if isinstance(each.loss, cst.Name) else "_"
        forward, gradient = self._function_names(loss)
        result = code_of(each.loss)
        returned = f"return {', '.join([result, *each.aux])}"
        template = f"def {forward}({', '.join(each.parameters)}):\n    {returned}\n"
        function = cst.parse_statement(template)
        assert isinstance(function, cst.FunctionDef)
        assert isinstance(function.body, cst.IndentedBlock)
        function = function.with_changes(body=function.body.with_changes(body=[*each.body, *function.body.body]))
        aux = ", has_aux=True" if each.aux else ""
        function_of = self._targets.code("mindspore.value_and_grad")
        make = _statement(f"{gradient} = {function_of}({forward}, None, {code_of(optimizer)}.parameters{aux})")
        value = f"({', '.join([loss, *each.aux])})" if each.aux else loss
        grads = "grads" if number == 0 else "more_grads"
        call = _statement(f"{value}, {grads} = {gradient}({', '.join(each.parameters)})")
        trailing = getattr(new[each.at], "trailing_whitespace", cst.TrailingWhitespace())
        call = call.with_changes(leading_lines=getattr(new[each.at], "leading_lines", ()), trailing_whitespace=trailing)
        pieces: list[cst.BaseStatement] = [call]
        if number:
            pieces.append(_statement("grads = tuple(a + b for a, b in zip(grads, more_grads))"))
        for index in range(each.first, each.at):
            changes[index] = []
        changes[each.at] = [*each.before, *pieces, *each.after]
        blank = [cst.EmptyLine(indent=False)]
        return [function.with_changes(leading_lines=blank), make.with_changes(leading_lines=blank)]

    def _function_names(self, loss: str) -> tuple[str, str]:
        self._steps += 1
        suffix = "fn" if self._steps == 1 else loss if loss.isidentifier() and loss != "_" else f"fn_{self._steps}"
        while f"forward_{suffix}" in self._taken or f"grad_{suffix}" in self._taken:
            suffix += f"_{self._steps}"
        self._taken |= {f"forward_{suffix}", f"grad_{suffix}"}
        return f"forward_{suffix}", f"grad_{suffix}"

    def _clipped(self, old: cst.BaseStatement, new: cst.BaseStatement) -> cst.BaseStatement | None:
        """Return the statement that clips the gradients, for one that clips the gradients of parameters."""
        if not isinstance(old, cst.SimpleStatementLine) or len(old.body) != 1 or not isinstance(old.body[0], cst.Expr):
            return None
        call = old.body[0].value
        full = self._names.full(call.func) if isinstance(call, cst.Call) else None
        if not isinstance(call, cst.Call) or full not in (
            "torch.nn.utils.clip_grad_norm_",
            "torch.nn.utils.clip_grad_value_",
        ):
            return None
        given = {arg.keyword.value if arg.keyword else index: code_of(arg.value) for index, arg in enumerate(call.args)}
        limit = given.get(1) or given.get("max_norm") or given.get("clip_value")
        if full.endswith("clip_grad_value_"):
            code = f"grads = {self._targets.code('mindspore.ops.clip_by_value')}(grads, -({limit}), {limit})"
        else:
            kind = given.get(2) or given.get("norm_type")
            function = self._targets.code("mindspore.ops.clip_by_norm")
            code = f"grads = {function}(grads, {limit}{f', {kind}' if kind else ''})"
        return _statement(code).with_changes(
            leading_lines=getattr(new, "leading_lines", ()),
            trailing_whitespace=getattr(new, "trailing_whitespace", None),
        )


def _statement(code: str) -> cst.SimpleStatementLine:
    statement = cst.parse_statement(code)
    assert isinstance(statement, cst.SimpleStatementLine)
    return statement


def _called(node: cst.CSTNode, method: str) -> cst.Call | None:
    """Return the call if a statement only calls a method of that name."""
    pattern = m.SimpleStatementLine(body=[m.Expr(m.Call(func=m.Attribute(attr=m.Name(method))))])
    if not m.matches(node, pattern):
        return None
    assert isinstance(node, cst.SimpleStatementLine)
    expression = node.body[0]
    assert isinstance(expression, cst.Expr)
    assert isinstance(expression.value, cst.Call)
    return expression.value


def _backward(node: cst.CSTNode) -> cst.BaseExpression | None:
    """Return what is differentiated if a statement is `loss.backward()`."""
    call = _called(node, "backward")
    return call.func.value if call is not None and isinstance(call.func, cst.Attribute) else None


def _written(node: cst.CSTNode) -> set[str]:
    """Return the names whose values a statement changes in place: `x.fill_(0)`, `x[0] = 1`."""
    found = set()
    for call in m.findall(node, m.Call(func=m.Attribute(value=m.Name()))):
        assert isinstance(call, cst.Call)
        assert isinstance(call.func, cst.Attribute)
        assert isinstance(call.func.value, cst.Name)
        method = call.func.attr.value
        if (method.endswith("_") and not method.endswith("__")) or method in ("append", "extend", "update", "insert"):
            found.add(call.func.value.value)
    for target in m.findall(node, m.AssignTarget() | m.AugAssign()):
        inner: cst.CSTNode = target.target  # type: ignore[attr-defined]
        if isinstance(inner, (cst.Subscript, cst.Attribute)):
            while isinstance(inner, (cst.Subscript, cst.Attribute)):
                inner = inner.value
            if isinstance(inner, cst.Name):
                found.add(inner.value)
    return found


def _may_come_first(statement: cst.CSTNode, kept: list[cst.BaseStatement]) -> bool:
    """Return whether a statement may run before others that precede it."""
    own, others = flow([statement]), flow(kept)
    changed = set(own.bound) | _written(statement)
    written = set(others.bound).union(*map(_written, kept))
    return not (changed & (set(others.read) | written) or set(own.read) & written)


def _reads_undetached(node: cst.CSTNode, name: str) -> bool:
    """Return whether code reads a name other than by `name.detach()`, `name.data` or `name.item()`."""
    reads = len(m.findall(node, m.Name(name)))
    cut = m.Attribute(value=m.Name(name), attr=m.Name("detach") | m.Name("data") | m.Name("item"))
    stores = len(m.findall(node, m.AssignTarget(target=m.Name(name))))
    named = len(m.findall(node, m.Attribute(attr=m.Name(name)))) + len(m.findall(node, m.Arg(keyword=m.Name(name))))
    return reads - stores - named > len(m.findall(node, cut))
