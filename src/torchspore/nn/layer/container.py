"""Containers: cells in a sequence that runs as one, in a list, and in a dictionary."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import torch

from torchspore.common.scopes.scope import scope
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.nn.cell import Cell

__all__ = ["CellDict", "CellList", "SequentialCell"]

RUNS_USER_CODE = True  # errors name what the user passed, see `engine.failures.errors`

_Construct = TypeVar("_Construct", bound=Callable[..., Any])


def _uncalled(construct: _Construct) -> _Construct:
    """Decorate the `construct` of a container: cells that have one are called in its place."""
    vars(construct)["is_called"] = False
    return construct


class _Indexed(Cell):
    """The base of sequences and lists of cells: children under the names "0", "1", ... (or given ones)."""

    def __init__(self, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self._given_names: set[str] = set()  # children that keep their names when others are added or removed

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return bool(self._cells)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._cells.values()))

    def __setitem__(self, index: int, cell: Cell) -> None:
        key = list(self._cells)[self._position(index, len(self))]
        self._put(key, self._as_cell(cell), _prefix(self._cells))

    def __delitem__(self, index: int | slice) -> None:
        entries = list(self._cells.items())
        del entries[index if isinstance(index, slice) else self._position(index, len(self))]
        self._renumber(entries)

    def _append(self, *cells: Cell) -> None:
        prefix = _prefix(self._cells)
        for cell in cells:
            self._put(_free_name(len(self), self._cells), self._as_cell(cell), prefix)

    def _insert_at(self, index: int, cell: Cell) -> None:
        position = self._position(index, len(self) + 1)
        entries: list[tuple[str | None, Cell]] = list(self._cells.items())
        entries.insert(position, (None, self._as_cell(cell)))
        self._renumber(entries)

    def _put(self, key: str, cell: Cell, prefix: str) -> None:
        """Make a cell a child; `prefix` precedes its key in the names of its parameters."""
        self._replace("_cells", key, cell)
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{key}.")

    def _renumber(self, entries: list[Any]) -> None:
        """Replace the children by the cells of `entries`, pairs of the old name, or None, and the cell."""
        prefix = _prefix(self._cells)
        for key in list(self._cells):
            delattr(self, key)
        self._given_names &= {key for key, _ in entries}
        for index, (key, cell) in enumerate(entries):
            self._put(key if key in self._given_names else _free_name(index, self._given_names), cell, prefix)

    def _position(self, index: Any, end: int) -> int:
        """Return an index below `end`, perhaps negative, as a position."""
        name = type(self).__name__
        if not hasattr(index, "__index__"):
            raise TypeError(f"For '{name}', 'index' must be an int, but got {describe(index)}.")
        index = operator.index(index)  # in graphs, MindSpore accepts tensors
        if not -len(self) <= index < end:
            raise IndexError(f"For '{name}', 'index' must be in [{-len(self)}, {end}), but got {index}.")
        return index + len(self) if index < 0 else index

    def _as_cell(self, element: Any) -> Cell:
        if isinstance(element, torch.nn.Module):
            return self._of_module(self, element)
        cell: Cell = take_as(Cell, element, "element", type(self).__name__)
        return cell


class SequentialCell(_Indexed):
    """Cells that run in sequence, each on the output of the previous one.

    Args:
        args: the cells; or a list of them; or an OrderedDict, whose keys name them.

    Inputs: the input of the first cell.
    Outputs: the output of the last cell; without cells, the input.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.Dense(4, 2, has_bias=False))
        >>> [parameter.name for parameter in net.get_parameters()]
        ['0.weight', '0.bias', '1.weight']
        >>> print(net(ms.Tensor([[1.0, 2.0, 3.0]])).shape)
        (1, 2)
    """

    if TYPE_CHECKING:  # children have the names that a program gives them

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *args: Any) -> None:
        super().__init__()
        # What `construct` runs: the children, without those that a subclass adds as attributes.
        self.cell_list: list[Cell] = []
        if len(args) == 1 and not isinstance(args[0], (Cell, list, OrderedDict)):
            raise TypeError(f"a single argument must be a Cell, a list or an OrderedDict, but got {describe(args[0])}")
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, cell in args[0].items():
                self._given_names.add(name)
                self.insert_child_to_cell(name, self._as_cell(cell))
                cell.update_parameters_name(f"{name}.")
        else:
            self._append(*(args[0] if len(args) == 1 and isinstance(args[0], list) else args))
        self._refresh()

    def _replace(self, registry: str, name: str, value: Any) -> None:
        super()._replace(registry, name, value)
        # A child assigned under the name of one that runs (`setattr(net, "0", cell)`) replaces it.
        self.__dict__["cell_list"] = list(self._cells.values())[: len(self.cell_list)]

    def _refresh(self) -> None:
        self.__dict__["cell_list"] = list(self._cells.values())

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """Return a cell; or, for a slice, a SequentialCell of the same cells under their names in this one."""
        if isinstance(index, slice):
            own = type(self).__init__ is SequentialCell.__init__  # else a subclass's, with unknown arguments
            return (type(self) if own else SequentialCell)(OrderedDict(list(self._cells.items())[index]))
        return list(self._cells.values())[self._position(index, len(self))]

    def __setitem__(self, index: int, cell: Cell) -> None:
        super().__setitem__(index, cell)
        self._refresh()

    def __delitem__(self, index: int | slice) -> None:
        super().__delitem__(index)
        self._refresh()

    def append(self, cell: Cell) -> None:
        """Add a cell at the end."""
        self._append(cell)
        self._refresh()

    def _insert(self, index: int, cell: Cell) -> None:
        """Add a cell before the one at `index`; later ones are renumbered."""
        self._insert_at(index, cell)
        self._refresh()

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_Indexed):
    """A list of cells; it does not run them, but their parameters belong to the cell that holds it.

    Args:
        args: a list of cells, or nothing.
        auto_prefix: whether the names of the parameters start with the index. Default: True.

    Raises:
        TypeError: the argument is not a list, or an element is not a Cell, or is a CellDict.

    Examples:
        >>> import torchspore as ms
        >>> layers = ms.nn.CellList([ms.nn.Dense(2, 2), ms.nn.Dense(2, 3)])
        >>> layers.insert(0, ms.nn.Dense(4, 2, has_bias=False))
        >>> [parameter.name for parameter in layers.get_parameters()]
        ['0.weight', '1.weight', '1.bias', '2.weight', '2.bias']
    """

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if len(args) > 1:
            raise TypeError(f"give the cells as one list, but got {len(args)} arguments")
        if args:
            self.extend(args[0])

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """Return a cell; or, for a slice, a CellList of the same cells, numbered from 0.

        As in MindSpore, a slice names the parameters by their new numbers, except in a captured function.
        """
        cells = list(self._cells.values())
        if isinstance(index, slice):
            return CellList(cells[index], auto_prefix=not scope.captured)
        return cells[self._position(index, len(self))]

    def __iadd__(self, cells: list[Cell]) -> CellList:
        return self.extend(cells)

    def append(self, cell: Cell) -> None:
        """Add a cell at the end."""
        self._append(cell)

    def extend(self, cells: list[Cell]) -> CellList:
        """Add the cells of a list at the end; return the CellList."""
        if not isinstance(cells, list):
            raise TypeError(f"For 'CellList', the cells must be given as a list, but got {describe(cells)}.")
        for cell in cells:
            if isinstance(cell, CellDict):
                raise TypeError("For 'CellList', an element cannot be a CellDict. Add its cells: list(cells.values()).")
        self._append(*cells)
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Add a cell before the one at `index`; later ones are renumbered.

        Raises:
            IndexError: `index` is outside [-len, len].
        """
        self._insert_at(index, cell)

    @_uncalled
    def construct(self, *inputs: Any) -> Any:
        raise NotImplementedError("For 'CellList', a list of cells cannot be called. Call the cells in it.")


class CellDict(Cell):
    """A dictionary of cells; it does not run them, but their parameters belong to the cell that holds it.

    Args:
        args: a mapping of names to cells, or an iterable of (name, cell); or nothing.
        auto_prefix: whether the names of the parameters start with the cell's name. Default: True.

    Raises:
        TypeError: a name is not a string, a cell is not a Cell or is a CellDict, CellList or SequentialCell, or the
            argument is not iterable.
        KeyError: a name is empty, has a dot, or is the name of an attribute of cells.
        ValueError: an element of the iterable is not a pair.

    Examples:
        >>> import torchspore as ms
        >>> heads = ms.nn.CellDict({"a": ms.nn.Dense(2, 3), "b": ms.nn.Dense(2, 1)})
        >>> print(heads["b"](ms.Tensor([[1.0, 2.0]])).shape, list(heads))
        (1, 1) ['a', 'b']
    """

    if TYPE_CHECKING:  # as for `SequentialCell`

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if len(args) > 1:
            raise TypeError(f"give the cells as one mapping, but got {len(args)} arguments")
        if args:
            self.update(args[0])

    def __getitem__(self, key: str) -> Any:
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str):
            raise TypeError(f"For 'CellDict', a key must be a string, but got {describe(key)}.")
        if key not in self._cells and (not key or "." in key or key == "_scope" or hasattr(self, key)):
            raise KeyError(
                f"For 'CellDict', a key must not be empty, have a dot or name an attribute of Cell: {key!r}."
            )
        if isinstance(cell, torch.nn.Module):
            cell = self._of_module(self, cell)
        if not isinstance(cell, Cell) or isinstance(cell, (CellDict, _Indexed)):
            raise TypeError(
                f"For 'CellDict', '{key}' must be a Cell that is not a container, but got {describe(cell)}."
            )
        prefix = _prefix(self._cells)
        self._replace("_cells", key, cell)
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{key}.")

    def __delitem__(self, key: str) -> None:
        if key not in self._cells:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def clear(self) -> None:
        """Remove all cells."""
        for key in list(self._cells):
            delattr(self, key)

    def pop(self, key: str) -> Any:
        """Remove the cell of a key and return it.

        Raises:
            KeyError: there is no such key.
        """
        cell = self[key]
        del self[key]
        return cell

    def keys(self) -> KeysView[str]:
        """Return the keys, as they are now."""
        return OrderedDict(self._cells).keys()

    def values(self) -> ValuesView[Any]:
        """Return the cells, as they are now."""
        return OrderedDict(self._cells).values()

    def items(self) -> ItemsView[str, Any]:
        """Return the pairs of key and cell, as they are now."""
        return OrderedDict(self._cells).items()

    def update(self, cells: Mapping[str, Cell] | Iterable[tuple[str, Cell]] | CellDict) -> None:
        """Add the cells of a mapping or of an iterable of (key, cell), replacing those under the same keys.

        Raises:
            TypeError, KeyError, ValueError: as for the constructor.
        """
        if isinstance(cells, (Mapping, CellDict)):
            cells = cells.items()
        if not isinstance(cells, Iterable):
            raise TypeError(
                f"For 'CellDict', the cells must be a mapping or an iterable of pairs, but got {describe(cells)}."
            )
        for pair in cells:
            if not isinstance(pair, Iterable):
                raise TypeError(f"For 'CellDict', each element must be a pair (key, cell), but got {describe(pair)}.")
            entry = tuple(pair)
            if len(entry) != 2:
                raise ValueError(f"For 'CellDict', each element must be a pair (key, cell), but got {describe(pair)}.")
            self[entry[0]] = entry[1]

    @_uncalled
    def construct(self, *inputs: Any) -> Any:
        raise NotImplementedError("For 'CellDict', a dictionary of cells cannot be called. Call the cells in it.")


def _prefix(cells: dict[str, Cell]) -> str:
    """Return the prefix of the children's keys in the names of their parameters, such as "backbone.".

    The names in checkpoints follow MindSpore's rule. Of the positions of the first child's key in the name of its first
    parameter, it takes the first one at which the name of the second child's first parameter has the second key, else
    the last: in a list that was filled after it got its name, "0.cells.0.weight" has the prefix "0.cells.".
    """
    firsts = (
        (key, parameter.name.split("."))
        for key, cell in cells.items()
        for _, parameter in itertools.islice(cell.parameters_and_names(), 1)
    )
    first, second = next(firsts, None), next(firsts, None)
    if first is None:
        return ""
    positions = [position for position, part in enumerate(first[1]) if part == first[0]]
    if second is not None:
        positions = [at for at in positions if second[1][at : at + 1] == [second[0]]][:1] or positions
    return "".join([f"{part}." for part in first[1][: positions[-1]]]) if positions else ""


def _free_name(index: int, taken: Iterable[str]) -> str:
    """Return the index as a name, or the next number that is free: a slice keeps its cells' names."""
    while str(index) in taken:
        index += 1
    return str(index)
