"""Samplers: which rows of a random-access source, and in which order.

MindSpore: `mindspore.dataset` and `mindspore.dataset.samplers`.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Annotated, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from torchspore.common.error_classes import WrongType, also
from torchspore.dataset.pipeline.run import Branching, Run, copied
from torchspore.dataset.rows import orders
from torchspore.dataset.rows.failures import failed
from torchspore.dataset.rows.held_generators import isolated_call
from torchspore.engine.arguments.argument_forms import takes
from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.parameters import Limits, Rule, Where, checked, take_as

__all__ = [
    "BuiltinSampler", "DistributedSampler", "IterSampler", "PKSampler", "RandomSampler", "Sampler", "SequentialSampler",
    "Shuffle", "SubsetRandomSampler", "SubsetSampler", "WeightedRandomSampler",
]  # fmt: skip

Positions = np.ndarray[Any, np.dtype[np.int64]]

_MAX_COUNT = 2**63 - 1
_OUTSIDE = also(RuntimeError, ValueError)
_BAD_NUMBER = also(ValueError, TypeError, RuntimeError)


class RowOrders:
    """How the rows of a source are ordered at random; MindSpore has another way for some sources."""

    def shuffled(self, run: Run, source: Source, sampler: RandomSampler, size: int) -> Positions:
        """Return all rows in the order of the next pass."""
        _refuse_files(source, sampler)
        return run.next_order(source, sampler, list(range(size)), lambda number: run.order_seed + number)

    def drawn(self, run: Run, source: Source, sampler: RandomSampler, size: int) -> Positions:
        """Return the rows of the next pass, any of which may come several times."""
        _refuse_files(source, sampler)
        count = min(size, sampler.num_samples or size)
        seed = run.order_seed + run.pass_number(source, sampler)
        return np.array(orders.drawn_with_replacement(size, count, seed), np.int64)

    def mixed(self, run: Run, source: Source, sampler: SubsetRandomSampler, rows: list[int]) -> Positions:
        """Return given rows in the order of the next pass."""
        return run.next_order(source, sampler, rows, lambda number: run.order_seed + (0 if run.seeded else number))

    def common(self, run: Run, source: Source, sampler: DistributedSampler, size: int) -> Positions:
        """Return all rows in the order of the next pass, which all shards have in common."""
        _refuse_files(source, sampler)
        return run.next_order(source, sampler, list(range(size)), lambda number: run.shards + 1 + number)


def _refuse_files(source: Source, sampler: RandomSampler | DistributedSampler) -> None:
    if sampler.shuffle in (Shuffle.FILES, Shuffle.INFILE):
        raise RuntimeError(
            f"For '{type(sampler).__name__}', {sampler.shuffle} is for files of MindRecord, but the source is a "
            f"{type(source).__name__}."
        )


class Source(Branching, Protocol):
    """What samplers need of the dataset whose rows they choose."""

    orders: RowOrders

    def _length(self) -> int:
        """Return the number of rows to choose from."""

    def labels(self, column: str) -> np.ndarray[Any, Any]:
        """Return a column of all rows."""


class Shuffle(str, enum.Enum):
    """How a source shuffles.

    GLOBAL shuffles all rows, and so do ADAPTIVE and PARTIAL, which in MindSpore trade randomness for memory. FILES and
    INFILE are for sources of several files.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.Shuffle.GLOBAL.value
        'global'
    """

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


Level: TypeAlias = bool | Shuffle
_Position: TypeAlias = Annotated[
    int, Where(f"in [{-_MAX_COUNT}, {_MAX_COUNT}]", lambda number: abs(number) <= _MAX_COUNT, _BAD_NUMBER)
]
_Number: TypeAlias = (
    Annotated[int, Where(f"in [0, {_MAX_COUNT}]", lambda number: 0 <= number <= _MAX_COUNT, _BAD_NUMBER)] | None
)


class BuiltinSampler:
    """The base of all samplers; a sampler with a child chooses among the rows that its child has chosen.

    Args:
        num_samples: the maximum number of rows, >= 0. Default: None, no limit.

    Examples:
        >>> import torchspore.dataset as ds
        >>> sampler = ds.SequentialSampler(start_index=1)
        >>> sampler.add_child(ds.SubsetSampler([5, 6, 7]))
        >>> data = ds.NumpySlicesDataset(list(range(10)), ["x"], sampler=sampler)
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [6, 7]
    """

    _shuffles = False
    _rules: ClassVar[tuple[Rule, ...]] = ()  # of what is set, which MindSpore checks when rows are chosen

    @checked
    def __init__(self, num_samples: _Number = None) -> None:
        self.num_samples = num_samples
        self.child_sampler: BuiltinSampler | None = None
        self.replacement = False

    def add_child(self, sampler: BuiltinSampler) -> None:
        """Let `sampler` choose first, and this one among its choice.

        Raises:
            RuntimeError: there is a child already.
        """
        if not isinstance(sampler, BuiltinSampler):
            raise also(TypeError, AttributeError)(
                f"For '{type(self).__name__}.add_child', 'sampler' must be a sampler, but got {sampler!r}."
            )
        if self.child_sampler is not None:
            raise RuntimeError(f"For '{type(self).__name__}.add_child', there is a child already; give it the new one.")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        """Return the sampler that chooses before this one, or None."""
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """Return the maximum number of rows that the sampler and its child choose, or None for no limit.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.SequentialSampler(0, num_samples=3).get_num_samples()
            3
        """
        limits = [self._limit(), None if self.child_sampler is None else self.child_sampler.get_num_samples()]
        known = [limit for limit in limits if limit]
        return min(known) if known else None

    def is_shuffled(self) -> bool:
        """Return whether the order of the sampler, or of its child, is random."""
        return self._shuffles or (self.child_sampler is not None and self.child_sampler.is_shuffled())

    def is_sharded(self) -> bool:
        """Return whether the sampler chooses one shard of several, or its child does."""
        return isinstance(self, DistributedSampler) or (
            self.child_sampler is not None and self.child_sampler.is_sharded()
        )

    def positions(self, run: Run, source: Source) -> Positions:
        """Return the positions of the rows for the next epoch.

        Args:
            run: the iteration, whose seed is used.
            source: the dataset of the rows.

        Raises:
            RuntimeError: a position is outside the source, or an argument is outside its interval.
        """
        self._apply_rules()
        below = None if self.child_sampler is None else self.child_sampler.positions(run, source)
        size = source._length() if below is None else len(below)
        chosen = self._choose(size, run, source)
        if self.num_samples:
            chosen = chosen[: self.num_samples]
        outside = chosen[(chosen < 0) | (chosen >= size)]
        if len(outside):
            raise RuntimeError(
                f"For '{type(self).__name__}', a position must be in [0, {size - 1}], but got {outside[0]}."
            )
        return chosen if below is None else below[chosen]

    def count(self, source: Source) -> int:
        """Return the number of rows of an epoch."""
        self._apply_rules()
        size = source._length() if self.child_sampler is None else self.child_sampler.count(source)
        chosen = self._count(size, source)
        return min(chosen, self.num_samples) if self.num_samples else chosen

    def _drawn(self, run: Run, source: Source, chooser: Any, positions: Iterable[int]) -> Positions:
        """Return the positions that the user's code yields, which may draw random numbers."""
        start, call = run.calls(source, np.fromiter, [chooser], "sampler")
        drawn: Positions = self._called(chooser, lambda: call((start, 0), positions, np.int64))
        return drawn

    def _called(self, chooser: Any, call: Callable[[], Any]) -> Any:
        """Return the result of a call that iterates over the user's sampler."""
        try:
            return call()
        except Exception as error:
            raise failed(type(self).__name__, getattr(chooser, "__iter__", type(chooser)), error) from error

    def _apply_rules(self) -> None:
        for rule in self._rules:
            rule.check(vars(self), type(self).__name__)

    def _limit(self) -> int | None:
        return self.num_samples

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        raise NotImplementedError

    def _count(self, size: int, source: Source) -> int:
        return size


class SequentialSampler(BuiltinSampler):
    """Chooses the rows in order.

    Args:
        start_index: the first row. Default: None, row 0.
        num_samples: the maximum number of rows. Default: None, all.

    Raises:
        RuntimeError: `start_index` is not a row (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8], ["x"], sampler=ds.SequentialSampler(1, 2))
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [6, 7]
    """

    _rules = (Rule("'start_index' must be >= 0", lambda start_index: start_index >= 0, _OUTSIDE),)

    @checked
    def __init__(self, start_index: _Position | None = None, num_samples: _Number = None) -> None:
        super().__init__(num_samples)
        self.start_index = start_index or 0

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        if self.start_index and self.start_index >= size:
            raise RuntimeError(
                f"For 'SequentialSampler', 'start_index' must be less than {size}, the number of rows, but got "
                f"{self.start_index}."
            )
        return np.arange(self.start_index, size)

    def _count(self, size: int, source: Source) -> int:
        return max(0, size - self.start_index)


_Shuffled: TypeAlias = Annotated[
    Shuffle, Where("a Shuffle other than FALSE", lambda level: level is not Shuffle.FALSE, TypeError)
]


class RandomSampler(BuiltinSampler):
    """Chooses rows in a random order, a new one each epoch.

    Args:
        replacement: whether a row can come several times. Default: False.
        num_samples: the number of rows. Default: None, all.
        shuffle: Shuffle.GLOBAL, ADAPTIVE or PARTIAL, which all shuffle all rows; of `MindDataset` also FILES or INFILE,
            without `num_samples`. Default: GLOBAL.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8], ["x"], sampler=ds.RandomSampler())
        >>> sorted(int(row["x"]) for row in data.create_dict_iterator(num_epochs=1))
        [5, 6, 7, 8]
    """

    _shuffles = True

    @checked
    def __init__(
        self, replacement: bool = False, num_samples: _Number = None,
        shuffle: _Shuffled = Shuffle.GLOBAL,
    ) -> None:  # fmt: skip
        super().__init__(num_samples)
        self.replacement = replacement
        self.shuffle = shuffle

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        return (source.orders.drawn if self.replacement else source.orders.shuffled)(run, source, self, size)


@name_constructor
class SubsetSampler(BuiltinSampler):
    """Chooses the rows at given positions, in that order.

    Args:
        indices: the positions.
        num_samples: the maximum number of rows. Default: None, all of `indices`.

    Raises:
        RuntimeError: a position is outside the dataset (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8], ["x"], sampler=ds.SubsetSampler([3, 0]))
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [8, 5]
    """

    def __init__(self, indices: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        listed = list(indices) if isinstance(indices, Iterable) else [indices]
        if takes("bool", "indices", type(self).__name__):
            listed = [int(index) if isinstance(index, bool) else index for index in listed]
        if not all(isinstance(index, (int, np.integer)) and not isinstance(index, bool) for index in listed):
            raise TypeError(f"For '{type(self).__name__}', 'indices' must be ints, but got {listed!r:.100}.")
        self.indices = listed

    def _limit(self) -> int | None:
        return min(len(self.indices), self.num_samples) if self.num_samples else len(self.indices)

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        return np.array(self.indices, dtype=np.int64)

    def _count(self, size: int, source: Source) -> int:
        return len(self.indices)


@name_constructor
class SubsetRandomSampler(SubsetSampler):
    """Chooses the rows at given positions, the first `num_samples` of them, in random order.

    Arguments as for `SubsetSampler`.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8], ["x"], sampler=ds.SubsetRandomSampler([3, 0]))
        >>> sorted(int(row["x"]) for row in data.create_dict_iterator(num_epochs=1))
        [5, 8]
    """

    _shuffles = True

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        rows = super()._choose(size, run, source)[: self.num_samples or None].tolist()
        return source.orders.mixed(run, source, self, rows)


class DistributedSampler(BuiltinSampler):
    """Chooses one of several shards: every `num_shards`-th row; the first rows fill up the last shards.

    All shards shuffle in the same order, whether or not a seed is set.

    Args:
        num_shards: the number of shards.
        shard_id: the shard to choose, in [0, num_shards).
        shuffle: whether to shuffle the rows before they are split, or a `Shuffle`, of which FILES and INFILE are for
            `MindDataset` without `num_samples`. Default: True.
        num_samples: the maximum number of rows of this shard. Default: None, all.
        offset: the shard that gets the first row, in [0, num_shards]; then the shards are not filled up. Default: -1,
            shard 0, filled up.

    Examples:
        >>> import torchspore.dataset as ds
        >>> sampler = ds.DistributedSampler(num_shards=2, shard_id=1, shuffle=False)
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8, 9], ["x"], sampler=sampler)
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [6, 8, 5]
    """

    _rules = (
        Rule("'num_shards' must be >= 1", lambda num_shards: num_shards >= 1, _OUTSIDE),
        Rule(
            "'shard_id' must be in [0, num_shards)", lambda shard_id, num_shards: 0 <= shard_id < num_shards, _OUTSIDE
        ),
        Rule("'offset' must be in [-1, num_shards]", lambda offset, num_shards: -1 <= offset <= num_shards, _OUTSIDE),
    )

    @checked
    def __init__(
        self, num_shards: _Position, shard_id: _Position, shuffle: Level = True, num_samples: _Number = None,
        offset: _Position = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_samples)
        self.num_shards, self.shard_id = num_shards, shard_id
        self.shuffle = shuffle
        self.offset = offset

    @property
    def _shuffles(self) -> bool:  # type: ignore[override]
        return self.shuffle not in (False, Shuffle.FALSE)

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        order = np.arange(size)
        if self._shuffles:
            order = source.orders.common(run, source, self, size)
        if self.offset < 0:
            positions = self.shard_id + self.num_shards * np.arange(self._count(size, source))
            return order[positions % size] if size else order
        first = (self.shard_id - self.offset) % self.num_shards
        return order[first :: self.num_shards]

    def _count(self, size: int, source: Source) -> int:
        if self.offset < 0:
            return -(-size // self.num_shards)
        return len(range((self.shard_id - self.offset) % self.num_shards, size, self.num_shards))


class WeightedRandomSampler(BuiltinSampler):
    """Chooses rows with given probabilities.

    Args:
        weights: a weight for each row, >= 0; their sum is arbitrary.
        num_samples: the number of rows, at most and by default all rows of the dataset.
        replacement: whether a row can come several times. Default: True.

    Examples:
        >>> import torchspore.dataset as ds
        >>> sampler = ds.WeightedRandomSampler([0, 0, 1, 0], num_samples=3)
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8], ["x"], sampler=sampler)
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [7, 7, 7]
    """

    _shuffles = True

    _rules = (
        Rule(
            "'weights' must not be negative, and not all zero",
            lambda weights: np.any(weights) and not np.any(np.asarray(weights) < 0), _OUTSIDE,
        ),
    )  # fmt: skip

    @checked
    def __init__(self, weights: Any, num_samples: _Number = None, replacement: bool = True) -> None:
        super().__init__(num_samples)
        try:
            self.weights = np.asarray(weights, dtype=np.float64).reshape(-1)
            if None in np.ravel(np.asarray(weights, dtype=object)):  # which NumPy reads as nan
                raise TypeError
        except (TypeError, ValueError):
            raise TypeError(f"For 'WeightedRandomSampler', 'weights' must be numbers, but got {weights!r}.") from None
        self.replacement = replacement

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        if len(self.weights) > size:
            raise RuntimeError(
                f"For 'WeightedRandomSampler', there must be at most {size} weights, one for each row, but got "
                f"{len(self.weights)}."
            )
        count = min(self.num_samples or size, size)
        if not self.replacement and count > len(self.weights):
            raise RuntimeError(
                f"For 'WeightedRandomSampler', without 'replacement' 'num_samples' must be at most the number of "
                f"weights, {len(self.weights)}, but got {count}."
            )
        seed = run.order_seed + (0 if run.seeded else run.pass_number(source, self))
        return (orders.drawn_with_weights if self.replacement else orders.drawn_once)(
            np.asarray(self.weights, np.float64), count, seed
        )

    def _count(self, size: int, source: Source) -> int:
        return min(self.num_samples or size, size)


_LEFT_OUT = Where("None, as others are not supported", lambda value: value is None, NotImplementedError)


class PKSampler(BuiltinSampler):
    """Chooses the classes in turn, and `num_val` rows of each.

    Args:
        num_val: the number of rows of each class, at least 1, any of which may come several times.
        num_class: not supported, as in MindSpore; all classes are chosen. Default: None.
        shuffle: whether the classes come in random order. Default: False.
        class_column: the name of the column of the classes. Default: "label".
        num_samples: the maximum number of rows. Default: None, all.

    Raises:
        NotImplementedError: `num_class` is given.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.FakeImageDataset(9, (2, 2, 3), num_classes=3, sampler=ds.PKSampler(1))
        >>> [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)]
        [0, 1, 2]
    """

    _rules = (Rule("'num_val' must be >= 1", lambda num_val: num_val >= 1, _OUTSIDE),)

    @checked
    def __init__(
        self, num_val: _Position, num_class: Annotated[Any, _LEFT_OUT] = None, shuffle: bool = False,
        class_column: str = "label", num_samples: _Number = None,
    ) -> None:  # fmt: skip
        super().__init__(num_samples)
        self.num_val = num_val
        self.shuffle = shuffle
        self.class_column = class_column

    @property
    def _shuffles(self) -> bool:  # type: ignore[override]
        return self.shuffle

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        labels = source.labels(self.class_column)
        classes = [np.flatnonzero(labels == each).tolist() for each in np.unique(labels)]
        seed, number = run.order_seed, run.pass_number(source, self)
        return np.array(orders.drawn_from_classes(classes, self.num_val, seed, number, self.shuffle), np.int64)

    def _count(self, size: int, source: Source) -> int:
        return self.num_val * len(np.unique(source.labels(self.class_column)))


class IterSampler(BuiltinSampler):
    """Chooses the positions that an iterable yields, iterating it again each epoch.

    Args:
        sampler: the iterable of positions.
        num_samples: the maximum number of rows. Default: None, all.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([5, 6, 7, 8], ["x"], sampler=ds.IterSampler(range(0, 4, 2)))
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [5, 7]
    """

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if not is_iterable(sampler):
            raise TypeError(f"For 'IterSampler', 'sampler' must be iterable, but got {type(sampler).__name__}.")
        self.sampler = sampler

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        own = run.own(self.sampler)
        return self._drawn(run, source, own, self._first(own))

    def _first(self, sampler: Any) -> Iterator[int]:
        limits = [self.num_samples] if self.num_samples else []
        if not isinstance(sampler, Iterable) and isinstance(sampler, Sized):
            limits.append(len(sampler))  # its `__getitem__` may accept any number
        yield from itertools.islice(iter(sampler), min(limits, default=None))

    def _count(self, size: int, source: Source) -> int:
        own = copied(self.sampler)
        return int(self._called(own, lambda: isolated_call(lambda: sum(1 for _ in self._first(own)), [own])))


class Sampler(BuiltinSampler):
    """The base of custom samplers, whose `__iter__` yields positions.

    In `__iter__`, `self.dataset_size` is the number of rows, and `self.num_samples` the constructor's argument, or
    `dataset_size` if it is None.

    Args:
        num_samples: the maximum number of rows. Default: None, all.

    Examples:
        >>> import torchspore.dataset as ds
        >>> class Backwards(ds.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(self.dataset_size - 1, -1, -1))
        >>> data = ds.NumpySlicesDataset([5, 6, 7], ["x"], sampler=Backwards())
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [7, 6, 5]
    """

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Iterator[int]:
        raise NotImplementedError(
            f"For 'Sampler', a class derived from it must define '__iter__', but {type(self).__name__} does not."
        )

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        own = run.own(self)
        own.dataset_size = size
        own.num_samples = self.num_samples or size

        def positions() -> Iterator[int]:
            yield from itertools.islice(own, own.num_samples)

        return own._drawn(run, source, own, positions())

    def _count(self, size: int, source: Source) -> int:
        own = copied(self)
        own.dataset_size = size
        count = self._called(own, lambda: isolated_call(lambda: sum(1 for _ in own), [own]))
        return min(int(count), self.num_samples or size)


_Count: TypeAlias = Annotated[int, Limits(1, 2**31 - 1)]
_EXCLUSIVE = also(ValueError, RuntimeError)  # of which MindSpore's sources raise one or the other


def is_iterable(value: Any) -> bool:
    """Return whether `for` accepts an object: it has `__iter__`, or `__getitem__` as a sequence has."""
    return isinstance(value, Iterable) or hasattr(type(value), "__getitem__")


def choose(
    api: str, sampler: Any, shuffle: Any, num_samples: int | None, num_shards: int | None, shard_id: int | None,
    takes_both: bool = False,
) -> BuiltinSampler:  # fmt: skip
    """Return the sampler for a dataset's arguments.

    With `takes_both`, an iterable may be given together with `shuffle`, which it overrides, and with `num_samples`.

    Raises:
        ValueError: `sampler` is given together with others, or one of `num_shards` and `shard_id` alone.
    """
    if sampler is not None:
        given: dict[str, Any] = {}
        if isinstance(sampler, BuiltinSampler) or not takes_both:
            given |= {"shuffle": shuffle, "num_samples": num_samples}
        given |= {"num_shards": num_shards, "shard_id": shard_id}
        clashing = [name for name, value in given.items() if value is not None]
        if clashing:
            raise _EXCLUSIVE(f"For '{api}', 'sampler' cannot be given together with {clashing}; let the sampler do it.")
        if isinstance(sampler, BuiltinSampler):
            return sampler
        if isinstance(sampler, (list, tuple)):
            return SubsetSampler(sampler, num_samples)
        if is_iterable(sampler) and not isinstance(sampler, str):
            if isinstance(sampler, Iterable):
                iter(sampler), iter(sampler)  # as MindSpore does: samplers that count their epochs there begin with 3
            return IterSampler(sampler, num_samples)
        raise WrongType(f"For '{api}', 'sampler' must be a sampler or iterable, but got {type(sampler).__name__}.")
    if (num_shards is None) != (shard_id is None):
        raise _EXCLUSIVE(f"For '{api}', 'num_shards' and 'shard_id' must be given together.")
    shuffled = shuffle is None or shuffle not in (False, Shuffle.FALSE)
    if num_shards is not None and shard_id is not None:
        take_as(_Count, num_shards, "num_shards", api)
        take_as(Annotated[int, Limits(0, num_shards - 1)], shard_id, "shard_id", api)
        return DistributedSampler(num_shards, shard_id, shuffled, num_samples)
    if shuffled:
        return RandomSampler(replacement=num_samples is not None, num_samples=num_samples)
    return SequentialSampler(num_samples=num_samples)
