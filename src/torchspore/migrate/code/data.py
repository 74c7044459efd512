"""Data sets and loaders: from `DataLoader` to `GeneratorDataset(...).batch(...)`."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from torchspore.migrate.code.calls import code_of
from torchspore.migrate.code.constructs import values
from torchspore.migrate.code.kinds import Kinds
from torchspore.migrate.code.names import Names
from torchspore.migrate.code.result import Unconverted
from torchspore.migrate.code.targets import Targets

__all__ = ["Data"]

_ORDER = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
)
_WITHOUT_EFFECT = {"pin_memory", "persistent_workers", "prefetch_factor", "timeout", "pin_memory_device"}


class Data:
    """The conversions of data sets.

    Args:
        module: the module, whose loops say which columns a loader has.
        names, kinds, targets: as for the rewriting.
    """

    def __init__(self, module: cst.Module, names: Names, kinds: Kinds, targets: Targets) -> None:
        self._module, self._names, self._kinds, self._targets = module, names, kinds, targets

    def tensors(self, updated: cst.Call) -> cst.BaseExpression:
        """Convert TensorDataset: rows of arrays."""
        if any(arg.star or arg.keyword for arg in updated.args):
            raise Unconverted("the arguments behind * cannot be counted")
        return cst.parse_expression(
            f"list(zip({', '.join(f'{code_of(arg.value)}.asnumpy()' for arg in updated.args)}))"
        )

    def loader(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """Convert DataLoader."""
        given = {_ORDER[key] if isinstance(key, int) else key: value for key, value in values(updated).items()}
        before = {_ORDER[key] if isinstance(key, int) else key: value for key, value in values(original).items()}
        other = (
            set(given) - {"dataset", "batch_size", "shuffle", "num_workers", "drop_last", "generator"} - _WITHOUT_EFFECT
        )
        if other or "dataset" not in given:
            raise Unconverted(
                f"GeneratorDataset has no {', '.join(sorted(other))}; see its arguments sampler and batch_sampler"
            )
        columns = self._columns(before["dataset"])
        shuffle = code_of(given["shuffle"]) if "shuffle" in given else "False"
        workers = code_of(given["num_workers"]) if "num_workers" in given else "0"
        parallel = (
            "" if workers == "0" else f", num_parallel_workers={workers if workers.isdigit() else f'max(1, {workers})'}"
        )
        size = code_of(given["batch_size"]) if "batch_size" in given else "1"
        last = f", drop_remainder={code_of(given['drop_last'])}" if "drop_last" in given else ""
        return cst.parse_expression(
            f"{self._targets.code('mindspore.dataset.GeneratorDataset')}({code_of(given['dataset'])}, {columns}, "
            f"shuffle={shuffle}{parallel}).batch({size}{last})"
        )

    def _columns(self, dataset: cst.BaseExpression) -> str:
        """Return the list of column names as an expression."""
        found = self._from_class(dataset) or self._from_loops()
        if found is None:
            raise Unconverted("the columns of the data set are unknown; GeneratorDataset needs their names")
        if len(found) == 1:
            raise Unconverted(
                "MindSpore yields a list for a single column: write `for (x,) in`, and GeneratorDataset(...).batch(...)"
            )
        return "[" + ", ".join(f'"{name}"' for name in found) + "]"

    def _from_class(self, dataset: cst.BaseExpression) -> list[str] | None:
        source = self._kinds.value_of(dataset)
        if not isinstance(source, cst.Call):
            return None
        if self._names.full(source.func) == "torch.utils.data.TensorDataset":
            return _column_names([arg.value for arg in source.args])
        local = self._names.local_class(source.func)
        getter = (
            [s for s in local.body.body if isinstance(s, cst.FunctionDef) and s.name.value == "__getitem__"]
            if local
            else []
        )
        returned = [r.value for f in getter for r in m.findall(f, m.Return()) if isinstance(r, cst.Return)]
        tuples = [r for r in returned if isinstance(r, cst.Tuple)]
        if len(tuples) == len(returned) and len({len(r.elements) for r in tuples}) == 1:
            return _column_names([element.value for element in tuples[0].elements])
        return None

    def _from_loops(self) -> list[str] | None:
        """Return the names that loops over loaders give to the columns, if all agree about their number."""
        found: list[list[str]] = []
        for node in m.findall(self._module, m.For() | m.CompFor()):
            assert isinstance(node, (cst.For, cst.CompFor))
            iterated, target = node.iter, node.target
            if (
                m.matches(iterated, m.Call(func=m.Name("enumerate")))
                and isinstance(target, cst.Tuple)
                and len(target.elements) == 2
            ):
                iterated, target = iterated.args[0].value, target.elements[1].value  # type: ignore[attr-defined]
            if isinstance(target, (cst.Tuple, cst.List)) and self._kinds.of(iterated) == "loader":
                found.append(_column_names([element.value for element in target.elements]))
        return found[0] if found and len({len(each) for each in found}) == 1 else None


def _column_names(nodes: list[cst.BaseExpression]) -> list[str]:
    names = [
        node.value if isinstance(node, cst.Name) and node.value != "_" else f"column_{i}"
        for i, node in enumerate(nodes)
    ]
    return names if len(set(names)) == len(names) else [f"column_{i}" for i in range(len(names))]
