"""Parts of parameters that other parts are put together from."""

from __future__ import annotations

import bisect
import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import torch

from torchspore.engine.storage.files import DamagedFileError
from torchspore.serialization.loading import read_file
from torchspore.serialization.safetensors_file import map_safetensors
from torchspore.serialization.sharded.layouts import Box, ParameterLayout
from torchspore.serialization.sharded.strategy_files import Strategy, read_strategy, stages_of
from torchspore.serialization.tensors import Stored

__all__ = ["Cluster", "RankFiles", "cut", "files_of_ranks", "joined", "load_file", "needed_ranks", "values_of_rank"]

_RANK = re.compile(r"rank_(\d+)")


@dataclass
class Cluster:
    """The stages of a pipeline and their layouts; without a strategy, one device that has all parameters."""

    stages: list[Strategy] = field(default_factory=lambda: [{}])

    @classmethod
    def of_file(cls, path: str | None, api: str) -> Cluster:
        """Return what a strategy file describes."""
        if path is None:
            return cls()
        try:
            cluster = cls(stages_of(read_strategy(path, api)))
            cluster.sizes()
        except ValueError as error:
            raise ValueError(str(error) if "For '" in str(error) else f"For '{api}', in '{path}', {error}.") from None
        return cluster

    def sizes(self) -> list[int]:
        """Return the number of devices of each stage."""
        result: list[int] = []
        for number, stage in enumerate(self.stages):
            sizes = {layout.devices: name for name, layout in stage.items()}
            if len(sizes) > 1:
                named = " and ".join(f"'{name}' on {size} devices" for size, name in sorted(sizes.items()))
                raise ValueError(f"the stage {number} has {named}, but a stage has one number of devices")
            result.extend(sizes or [1])
        return result

    @property
    def ranks(self) -> range:
        """The ranks of all devices."""
        return range(sum(self.sizes()))

    def stage_of(self, rank: int, api: str) -> tuple[Strategy, int]:
        """Return the layouts of a rank's stage, and its number in the stage."""
        if rank not in self.ranks:
            raise ValueError(
                f"For '{api}', the rank must be in [0, {len(self.ranks) - 1}], as the strategy has {len(self.ranks)} "
                f"devices, but got {rank}."
            )
        ends = [*itertools.accumulate(self.sizes())]
        number = bisect.bisect(ends, rank)
        return self.stages[number], rank - (ends[number - 1] if number else 0)

    def holders(self, name: str) -> tuple[ParameterLayout, range] | None:
        """Return the layout of a parameter and the ranks of the first stage that has one, or None."""
        first = 0
        for stage, size in zip(self.stages, self.sizes()):
            if name in stage:
                return stage[name], range(first, first + size)
            first += size
        return None

    def names(self) -> dict[str, None]:
        """Return the parameters that have a layout, in order."""
        return {name: None for stage in self.stages for name in stage}


@lru_cache(maxsize=4096)
def _holders(layout: ParameterLayout, wanted: ParameterLayout | None, place: int) -> tuple[tuple[int, ...], ...]:
    """Return the devices that have each of the parts which overlap a wanted part."""
    holders: dict[tuple[int, ...], list[int]] = {}
    for device in range(layout.devices):
        holders.setdefault(layout.position(device), []).append(device)
    parts = layout.parts()
    if len(holders) != math.prod(parts):
        raise ValueError(f"its layout has {math.prod(parts)} parts, but the devices have {len(holders)} of them")
    others = wanted.parts(len(parts)) if wanted else (1,) * len(parts)
    own = wanted.position(place) if wanted else (0,) * len(parts)
    return tuple(
        tuple(devices)
        for position, devices in holders.items()
        if all(p * b < (q + 1) * a and q * a < (p + 1) * b for p, a, q, b in zip(position, parts, own, others))
    )


def _sources(
    layout: ParameterLayout, ranks: range, wanted: ParameterLayout | None, place: int, preferred: Iterable[int],
    has: Callable[[int], bool],
) -> list[int]:  # fmt: skip
    """Return ranks whose parts contain the part that a device wants, one for each part.

    Args:
        layout: the layout on the ranks.
        ranks: the ranks of the stage.
        wanted, place: the wanted layout, None for the whole, and the device's number in its stage.
        preferred: ranks to take where several have the same part; otherwise the lowest.
        has: whether the part of a rank is available.

    Raises:
        LookupError: no rank has a part; the error's argument is the rank that is missing.
        ValueError: the layout has parts that no device has.
    """
    result = []
    for devices in _holders(layout, wanted, place):
        available = [ranks[device] for device in devices if has(ranks[device])]
        if not available:
            raise LookupError(ranks[devices[0]])
        result.append(next((rank for rank in preferred if rank in available), available[0]))
    return result


def needed_ranks(api: str, source: Cluster, target: Cluster, rank: int, has: Callable[[int], bool]) -> list[int]:
    """Return the ranks of the source whose files are needed for the file of a rank of the target.

    Raises:
        ValueError: a file is missing, or layouts do not fit.
    """
    layouts, place = target.stage_of(rank, api) if any(target.stages) else ({}, 0)
    elsewhere = target.names().keys() - layouts.keys()
    chosen: list[int] = []
    for name in source.names():
        held = source.holders(name)
        if held and name not in elsewhere:
            for one in _checked_sources(api, name, held, layouts.get(name), place, [*chosen, rank], has):
                if one not in chosen:
                    chosen.append(one)
    if not chosen:
        chosen = [one for one in source.ranks if has(one)][:1]
    return sorted(chosen)


def _checked_sources(
    api: str, name: str, held: tuple[ParameterLayout, range], wanted: ParameterLayout | None, place: int,
    preferred: Iterable[int], has: Callable[[int], bool],
) -> list[int]:  # fmt: skip
    try:
        return _sources(*held, wanted, place, preferred, has)
    except LookupError as missing:
        raise ValueError(
            f"For '{api}', '{name}' needs its part on rank {missing}, whose checkpoint is missing or lacks it."
        ) from None
    except ValueError as error:
        raise ValueError(f"For '{api}', '{name}' does not fit: {error}.") from None


def values_of_rank(
    api: str, source: Cluster, target: Cluster, rank: int, files: Mapping[int, Stored],
    wanted: Callable[[str], bool] = lambda name: True,
) -> Stored:  # fmt: skip
    """Return what the file of a rank of the target holds, put together from files of the source.

    Args:
        api: the function that errors name.
        source, target: the layouts of the files and of the result.
        rank: the rank of the result.
        files: the values in the files of the source, by rank.
        wanted: whether to return the value of a name. Default: all.

    Raises:
        ValueError: a part is missing, sizes do not fit, or copies of a value differ.
    """
    layouts, place = target.stage_of(rank, api) if any(target.stages) else ({}, 0)
    elsewhere = target.names().keys() - layouts.keys()
    result: Stored = {}
    for name in {name: None for values in files.values() for name in values}:
        if name in elsewhere or not wanted(name):
            continue
        held = source.holders(name)
        if held is None:
            whole = _equal_copies(api, name, [values[name] for values in files.values() if name in values])
            result[name] = cut(api, name, whole, layouts.get(name), place)
            continue
        available = {one: values[name] for one, values in files.items() if name in values}
        chosen = _checked_sources(api, name, held, layouts.get(name), place, [rank], available.__contains__)
        pieces: dict[int, torch.Tensor] = {}
        for one in chosen:
            piece = available[one]
            if isinstance(piece, str):
                raise ValueError(f"For '{api}', '{name}' has a layout, but is a string.")
            pieces[one - held[1].start] = piece
        result[name] = joined(api, name, held[0], pieces, layouts.get(name), place)
    return result


def _equal_copies(api: str, name: str, copies: list[torch.Tensor | str]) -> torch.Tensor | str:
    first = copies[0]
    for other in copies[1:]:
        if isinstance(first, torch.Tensor) and isinstance(other, torch.Tensor):
            same = first.dtype == other.dtype and first.shape == other.shape and torch.equal(first, other)
        else:
            same = type(first) is type(other) and first == other
        if not same:
            raise ValueError(
                f"For '{api}', '{name}' has no layout in the source's strategy, but its values differ between ranks. "
                "Add its layout to the strategy, or leave it out of the checkpoints."
            )
    return first


def cut(
    api: str, name: str, whole: torch.Tensor | str, layout: ParameterLayout | None, place: int
) -> torch.Tensor | str:
    """Return a device's part of a whole value."""
    if layout is None or isinstance(whole, str):
        return whole
    box = _box(api, name, layout, place, tuple(whole.shape))
    return whole[tuple(slice(first, first + size) for first, size in zip(*box))]


def joined(
    api: str, name: str, layout: ParameterLayout, pieces: Mapping[int, torch.Tensor],
    wanted: ParameterLayout | None = None, place: int = 0,
) -> torch.Tensor:  # fmt: skip
    """Return the part that a device wants, or the whole, from parts by the numbers of the devices that have them."""
    first = next(iter(pieces.values()))
    shape = tuple(first.shape)
    for piece in pieces.values():
        if (piece.shape, piece.dtype) != (first.shape, first.dtype):
            raise ValueError(f"For '{api}', the parts of '{name}' have different shapes or data types.")
    try:
        whole = tuple(size * parts for size, parts in zip(shape, layout.parts(len(shape))))
    except ValueError as error:
        raise ValueError(f"For '{api}', '{name}' does not fit: {error}.") from None
    target = _box(api, name, wanted, place, whole) if wanted else Box((0,) * len(whole), whole)
    boxes = {device: layout.box(device, shape) for device in pieces}
    if boxes[next(iter(pieces))] == target:
        return first
    result = first.new_empty(target.shape)
    for device, piece in pieces.items():
        inside, outside = [], []
        for begin, size, start, length in zip(*boxes[device], *target):
            low, high = max(begin, start), min(begin + size, start + length)
            outside.append(slice(low - begin, high - begin))
            inside.append(slice(low - start, high - start))
        result[tuple(inside)] = piece[tuple(outside)]
    return result


def _box(api: str, name: str, layout: ParameterLayout, place: int, whole: tuple[int, ...]) -> Box:
    try:
        parts = layout.parts(len(whole))
    except ValueError as error:
        raise ValueError(f"For '{api}', '{name}' does not fit: {error}.") from None
    for axis, (size, number) in enumerate(zip(whole, parts)):
        if size % number:
            raise ValueError(
                f"For '{api}', '{name}' with the shape {whole} cannot be cut into {number} equal parts along axis "
                f"{axis}."
            )
    return layout.box(place, tuple(size // number for size, number in zip(whole, parts)))


# Files


def files_of_ranks(api: str, folder: str, formats: tuple[str, ...], suffix: str = "") -> dict[int, str]:
    """Return the last file, by name, in each folder `rank_NUMBER`, by rank.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: no rank has a file.
    """
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise NotADirectoryError(f"For '{api}', there is no folder '{folder}'. Check the folder of the source.")
    endings = tuple(f"{suffix}.{format}" for format in formats)
    found = {}
    for entry in os.scandir(folder):
        match = _RANK.fullmatch(entry.name)
        if match and entry.is_dir():
            files = sorted(
                file.path
                for file in os.scandir(entry.path)
                if file.name.endswith(endings) and os.path.isfile(file.path)
            )
            if files:
                found[int(match[1])] = files[-1]
    if not found:
        raise ValueError(
            f"For '{api}', '{folder}' has no folders 'rank_0', 'rank_1', ... with files that end with "
            f"{' or '.join(map(repr, endings))}."
        )
    return dict(sorted(found.items()))


def load_file(api: str, path: str) -> Stored:
    """Return the values of a file; values of safetensors files are read when they are used."""
    if not path.endswith(".safetensors"):
        return read_file(api, path, "ckpt", lambda name: True)
    try:
        return {**map_safetensors(path)}
    except DamagedFileError as error:
        raise ValueError(f"For '{api}', '{path}' cannot be loaded: {error}.") from error


class RankFiles:
    """The values of the files of ranks, of which only those in use are kept."""

    def __init__(self, api: str, paths: Mapping[int, str]) -> None:
        self.paths = paths
        self._api = api
        self._loaded: dict[int, Stored] = {}

    def of(self, ranks: Iterable[int]) -> dict[int, Stored]:
        """Return the values by rank, and forget the values of other ranks."""
        self._loaded = {rank: self._loaded.get(rank) or load_file(self._api, self.paths[rank]) for rank in ranks}
        return self._loaded
