"""The rows of the table by name, for one direction of rewriting."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping

from torchspore.migrate.code import parts_for_cpus, parts_of_mindspore
from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.table.row import GENERAL, Row

__all__ = ["Side", "Sides", "default_of"]


# MindSpore's names of arguments that several functions have where torch's signatures know only others.
_AXES = {"axis": "dim", "keep_dims": "keepdim", "keepdims": "keepdim"}


# Layers that `nn` has, too, with arguments of its own.
_HAVE_A_CLASSIC_FORM = ["Embedding", *(f"{kind}{d}d" for kind in ("BatchNorm", "Conv") for d in (1, 2, 3))]


class Side:
    """A row seen in the direction of rewriting: the name in the code, and the one to write.

    Args:
        row: the row.
        reverse: whether MindSpore is rewritten to PyTorch.
    """

    def __init__(self, row: Row, reverse: bool) -> None:
        self.row, self.reverse = row, reverse
        self.source: str = (row.mindspore or "") if reverse else row.torch
        self.target: str | None = row.torch if reverse else row.mindspore
        self.form = row.torch_form if reverse else row.mindspore_form
        self.other_form = row.mindspore_form if reverse else row.torch_form
        self.arguments: Mapping[str, str] = {v: k for k, v in row.arguments.items()} if reverse else row.arguments
        self.only_source: Mapping[str, str] = row.only_mindspore if reverse else {**GENERAL, **row.only_torch}
        self.only_target = row.only_torch if reverse else row.only_mindspore
        self.listed = row.only_mindspore if reverse else row.only_torch
        self.implied: Mapping[str, str] = {} if reverse else row.implied
        self.computed = row.to_torch if reverse else row.to_mindspore
        self.field_names = self.arguments if reverse else {}
        if reverse:
            self.arguments = {**_AXES, **self.arguments}
        self.conditions = row.only_mindspore if reverse and row.torch_form else {}
        self.others: list[Side] = []  # to try if this one does not take the arguments of a call
        self.note = row.note

    @property
    def is_plain(self) -> bool:
        """Whether the two are called with equal arguments under equal names."""
        different = (
            self.row.arguments
            or self.row.only_torch
            or self.row.only_mindspore
            or self.implied
            or self.computed
            or self.form
        )
        return not different and self.target is not None


class Sides:
    """The rows of the table for one direction.

    Args:
        rows: all rows.
        reverse: whether MindSpore is rewritten to PyTorch.
        api: "mint" or "classic", the part of MindSpore that is preferred.
        source: the program. Learning rate schedules need optimizers that hold parameter groups, and some uses of layers
            need layers of `mint`.
        absent: the names of MindSpore that do not run where the program shall. Default: none.
    """

    def __init__(
        self, rows: tuple[Row, ...], *, reverse: bool, api: str, source: str = "", absent: Collection[str] = ()
    ) -> None:
        self._by_name: dict[str, list[Side]] = {}
        for row in rows:
            side = Side(row, reverse)
            if not reverse or row.mindspore:
                self._by_name.setdefault(side.source, []).append(side)
        self._absent = absent
        self._reverse, self._api, self._schedules = reverse, api, "lr_scheduler" in source
        self._only_mint = set() if reverse or api == "mint" else _needing_mint(source)
        self.definitions = dict(parts_of_mindspore.DEFINITIONS)
        """The names of PyTorch for which the program gets the source of a part."""
        if absent:
            own = {f"torch.nn.{name}" for name in _HAVE_A_CLASSIC_FORM} - self._only_mint
            parts = {name: part for name, part in parts_for_cpus.DEFINITIONS.items() if name not in own}
            self.definitions |= parts
            self._only_mint -= parts.keys()

    def get(self, name: str) -> Side | None:
        """Return the row to use for a full name."""
        found = [
            side for side in self._by_name.get(name, ()) if not (self._reverse and side.other_form and not side.form)
        ]
        if found and self._reverse:
            found[0].others = found[1:]
        if not found or self._reverse:
            return found[0] if found else None
        preferred = "mint" if name in self._only_mint else self._api
        best = min(found, key=lambda side: (self._is_absent(side), self._rank(side.target, preferred)))
        if self._is_absent(best):
            raise Unconverted(f"MindSpore has no kernel of {best.target} for CPUs")
        return best

    def _is_absent(self, side: Side) -> bool:
        """Return whether the target of a row, or a name in its form, does not run where the program shall."""
        names = re.findall(r"mindspore(?:\.\w+)+", side.form) if side.form else [side.target]
        return any(name in self._absent for name in names)

    def knows(self, name: str) -> bool:
        """Return whether the table has a full name."""
        return any(side.target is not None for side in self._by_name.get(name, ()))

    def _rank(self, target: str | None, preferred: str) -> int:
        if target is None:
            return 3
        if self._schedules and ".optim." in target:
            return 0
        return 1 + (target.startswith("mindspore.mint") != (preferred == "mint"))


def _needing_mint(source: str) -> set[str]:
    """Return the APIs of torch whose classic counterparts do not take what a program gives them, or asks of them.

    Those are functions with other values, bases of classes, whose arguments are torch's, layers with a padding for each
    dimension, and layers whose `weight` is read, which has another name.
    """
    names = {"torch.nn.LayerNorm", "torch.full", "torch.norm"}
    names |= {f"torch.nn.{base}" for base in re.findall(r"\(\s*(?:torch\.)?nn\.([A-Z]\w+)\s*\)\s*:", source)}
    if re.search(r"padding=\(", source):
        names |= {f"torch.nn.Conv{count}d" for count in (1, 2, 3)}
    if re.search(r"(?<!self)\.(weight|bias)\b", source):
        names |= {
            f"torch.nn.{kind}" for kind in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "Embedding")
        }
    return names


def default_of(parameter: inspect.Parameter) -> str | None:
    """Return the default of a parameter as an expression, or None if it has none that can be written."""
    if parameter.default is parameter.empty:
        return None
    text = repr(parameter.default)
    return text if not text.startswith("<") and "torchspore" not in text and "torch." not in text else None
