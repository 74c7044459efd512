"""What an assignment writes to, from its bytecode, so that functions without source are read like all others."""

from __future__ import annotations

import ast
import dis
import functools
from types import CodeType
from typing import NamedTuple

__all__ = ["written"]

_NAMES = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_SUBSCRIPTS = ("BINARY_SUBSCR", "BINARY_SLICE")
_SWAPS = ("SWAP", "ROT_TWO", "ROT_THREE", "ROT_FOUR")
_ENDS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE", "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")
# What an assignment keeps on the stack below its value, if it is augmented.
_OPERANDS = {"STORE_ATTR": 1, "STORE_SUBSCR": 2, "STORE_SLICE": 3}


class _Step(NamedTuple):
    """One instruction: its name, its argument, and the height of the stack before and after it."""

    name: str
    argument: str
    before: int
    after: int
    offset: int
    jumps_to: int


@functools.cache
def written(code: CodeType, position: int) -> ast.expr | None:
    """Return what an instruction writes to: the `a` of `a[...] = value` or `a[...] += value`, `a.b` of `a.b += value`.

    Args:
        code: the code of a function.
        position: the instruction that runs.

    Returns:
        Names, attributes and subscripts; a constant in place of other expressions. None for other instructions.
    """
    steps = _steps(code)
    place = next((i for i, step in enumerate(steps) if step.offset == position), -1)
    step = steps[place]
    if step.name in ("STORE_SUBSCR", "STORE_SLICE"):
        # The value is the first operand, but the last of an augmented assignment, which swaps them.
        is_augmented = steps[place - 1].name in _SWAPS
        return _expression(steps, place, step.before - _OPERANDS[step.name] - is_augmented)
    if not step.name.startswith("INPLACE_") and not (step.name == "BINARY_OP" and step.argument.endswith("=")):
        return None
    store = next(later for later in steps[place + 1 :] if later.name not in _SWAPS)
    if store.name not in _OPERANDS:
        return None
    target = _expression(steps, place, step.before - 2 - _OPERANDS[store.name])
    return ast.Attribute(target, store.argument) if store.name == "STORE_ATTR" else target


@functools.lru_cache(maxsize=16)
def _steps(code: CodeType) -> list[_Step]:
    """Return the instructions, those that stand for two as two."""
    steps: list[_Step] = []
    heights: dict[int, int] = {}
    height = 0
    for instruction in dis.get_instructions(code):
        name, argument, offset = instruction.opname, instruction.argval, instruction.offset
        height = heights.get(offset, height)
        if name.count("_FAST") == 2 and isinstance(argument, tuple):
            parts = name.split("_")
            for i, (part, variable) in enumerate(zip((parts[:2], parts[2:]), argument)):
                after = height + (1 if part[0] == "LOAD" else -1)
                steps.append(_Step("_".join(part), variable, height, after, offset + i, -1))
                height = after
            continue
        target = argument if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs else -1
        if target >= 0:
            jumped = dis.stack_effect(instruction.opcode, instruction.arg, jump=True)
            heights.setdefault(target, height + jumped)
        after = height + dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        if name not in ("CACHE", "EXTENDED_ARG", "NOP"):
            shown = instruction.argrepr if name == "BINARY_OP" else str(argument)
            steps.append(_Step(name, shown, height, after, offset, target))
        height = after if name not in _ENDS else 0  # of a handler, to which no jump leads, only differences matter
    return steps


def _expression(steps: list[_Step], end: int, slot: int) -> ast.expr:
    """Return the expression whose value is in a slot of the stack before a step."""
    start = next((i for i in range(end - 1, -1, -1) if steps[i].before <= slot < steps[i].after), end)
    inside = {step.offset for step in steps[start + 1 : end]}
    branches = any(step.jumps_to in inside for step in steps[:start])
    if start == end or branches or not steps[start].name.startswith(_NAMES):
        found: ast.expr = ast.Constant(None)
    else:
        found = ast.Name(steps[start].argument)
    for step in steps[start + 1 : end]:
        if step.after != slot + 1 or step.jumps_to >= 0 or step.name == "POP_TOP":
            continue
        if step.name == "LOAD_ATTR":
            found = ast.Attribute(found, step.argument)
        elif step.name in _SUBSCRIPTS:
            found = ast.Subscript(found, ast.Constant(None))
        else:
            found = ast.Constant(None)
    return found
