"""The state that an iterator keeps across epochs: its seeds and worker processes."""

from __future__ import annotations

import copy
import itertools
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from torchspore.dataset import config
from torchspore.dataset.pipeline.lanes import Lanes, by_lane
from torchspore.dataset.pipeline.positions import Consumed, Left
from torchspore.dataset.rows import held_generators, streams
from torchspore.dataset.rows.memory import reuse_freed_memory
from torchspore.dataset.rows.orders import Order, Step, Words, random_words

if TYPE_CHECKING:
    from torchspore.dataset.pipeline.callbacks import Notes
    from torchspore.dataset.rows.workers import Workers

__all__ = ["Branching", "Run", "copied"]

Result = TypeVar("Result")
Noting = TypeVar("Noting", bound=Consumed)
Sampled = TypeVar("Sampled")

_NOTHING = Left()


def copied(sampler: Sampled) -> Sampled:
    """Return a copy of a user's sampler with its state, or the sampler itself if it cannot be copied."""
    try:
        return copy.deepcopy(sampler)
    except Exception:  # generators, locks, and whatever the user's __deepcopy__ raises
        return sampler


class Branching(Protocol):
    """What a run needs of the nodes of a pipeline."""

    children: list[Any]


class Run:
    """One iteration over a pipeline.

    Args:
        root: the last operation of the pipeline.
        tells: whether to call callbacks. Default: True.
        seed: the seed of everything. Default: None, the seed of `config`, or a new one.
    """

    SEEDS = 6  # the length of `all_seeds`

    def __init__(self, root: Branching, tells: bool = True, seed: int | None = None) -> None:
        reuse_freed_memory()
        given = config.current_seed() if seed is None else seed
        self.order_seed = streams.new_seed() if given is None else given
        """The seed of the orders of rows."""
        self._seeds: streams.Seeds | None = None if given is None else (given,) * 5
        self._serving = streams.Serving()
        self.shards = config.shard_seed() if seed is None else seed
        self.epoch = 0
        self.tells = tells
        self.rows_at_once = 0  # the largest batch, whose rows workers compute ahead
        self._sequels: list[streams.Sequel] = []  # at most one
        self._drew = False  # whether it had drawn before the position to continue from
        self.alone = False  # whether rows are computed here, without workers
        self.notes: dict[int, Notes] = {}  # who tells the callbacks of an operation, by its id
        self._held: dict[tuple[int, str], list[Any]] = {}
        self._numbers: dict[int, int] = {}
        self._path: tuple[int, ...] = ()
        self._passes: Counter[tuple[int, ...]] = Counter()
        self._passes_of_epoch: dict[int, int] = {}  # the number of passes over a node's rows, by its id
        self._begun: Counter[tuple[int, int]] = Counter()
        self._orders: dict[tuple[int, int], Order] = {}
        self._words: dict[int, Words] = {}
        self._left_out: dict[tuple[int, str], Left] = {}  # what the next pass over a node does not compute, by its id
        self._consumed: dict[int, Consumed] = {}  # of the current pass over a node, by its id
        self._marks: dict[str, list[Any]] | None = None  # while a position is noted, what `below` returned
        self._inputs: dict[str, list[Any]] = {}  # of the position to continue from, what `below` returns
        self._passes_left_out: Counter[int] = Counter()  # of this epoch, by the id of the node
        self._lanes: dict[str, Lanes] = {}  # by the number of the node, and for what other passes than the first use
        self._lanes_begin: dict[str, list[Any]] = {}  # likewise, in the epoch to continue in
        self._lanes_go_on: dict[str, list[int]] = {}  # likewise, in the next pass
        self._own: dict[int, Any] = {}
        self._idle: defaultdict[int, list[Workers]] = defaultdict(list)
        self._workers: list[Workers] = []
        self._number(root, 1)
        self._close = weakref.finalize(self, _close, self._workers, self._serving)

    def _number(self, node: Branching, passes: int) -> None:
        """Number the children first, so that the number of a node, and its seed, does not depend on its parents."""
        if id(node) not in self._numbers:
            self._passes_of_epoch[id(node)] = passes
            for child in node.children:
                self._number(child, passes * max(getattr(node, "repetitions", 1), 1))
            self._numbers[id(node)] = len(self._numbers)

    @property
    def seeds(self) -> streams.Seeds:
        """The seeds; seeds of functions are chosen when they are needed."""
        if self._seeds is None:
            self._seeds = streams.seeds(self.order_seed, self.tells)
        return self._seeds

    def all_seeds(self) -> list[int]:
        """Return all seeds, for `go_on`."""
        return [*self.seeds, self.shards]

    def sequel(self) -> streams.Sequel:
        """Return the numbers of functions that one worker calls."""
        if not self._sequels:
            self._sequels.append(streams.Sequel())
        return self._sequels[0]

    def drawn_states(self) -> list[Any]:
        """Return the states of the generators of functions when the epoch began, or nothing if they draw nothing."""
        return [states for sequel in self._sequels if sequel.has_drawn() for states in sequel.states]

    def can_leave_out_calls(self, workers: int | None) -> bool:
        """Return whether functions, which this many workers call, need not be called for rows before a position."""
        return not self._drew or (workers or config.get_num_parallel_workers()) > 1

    def go_on(self, seeds: Sequence[int], epoch: int, lanes: dict[str, list[Any]], drawn: Sequence[Any]) -> None:
        """Continue as the run that had these seeds, in that epoch, before which `all_lanes` was this."""
        self._lanes_begin, self._drew = lanes, bool(drawn)
        if drawn:
            self.sequel().restore(drawn)
        first, second, third, fourth, fifth, self.shards = seeds
        self.order_seed, self._seeds = first, (first, second, third, fourth, fifth)
        self.epoch = epoch

    def own(self, sampler: Sampled) -> Sampled:
        """Return this iteration's copy of a user's sampler, which may count its epochs."""
        if id(sampler) not in self._own:
            self._own[id(sampler)] = copied(sampler)
        copy_of: Sampled = self._own[id(sampler)]
        return copy_of

    def begin_epoch(self) -> None:
        """Start the next epoch."""
        self.epoch += 1
        self._passes.clear()
        self._begun.clear()
        self._passes_left_out.clear()
        self._left_out.clear()
        self._consumed.clear()
        self._inputs = {}

    def inside(self, number: int) -> Run:
        """Return the run for one of several passes over the children of an operation, or for one of several children.

        Random numbers there depend on this number, not on how many passes have begun, which depends on how far workers
        are ahead.
        """
        inside = copy.copy(self)
        inside._path = (*self._path, number)
        return inside

    def next_pass(self, node: Branching) -> tuple[int, ...]:
        """Return a seed for a node's rows: a new one for each epoch, repetition, and call of this method."""
        number = self._numbers.setdefault(id(node), len(self._numbers))
        path = (number, *self._path)
        self._passes[path] += 1
        return (self.epoch, self._passes[path], *path)

    def skip(self, root: Any, rows: int, inputs: dict[str, list[Any]]) -> bool:
        """Let the next pass over a pipeline begin after some rows, if it can without computing them.

        Args:
            root: the last operation.
            rows: the number of rows.
            inputs: the result of `mark` there.
        """
        self._inputs = inputs
        self._lanes_go_on = {number: inputs[number][1] for number in self._lanes_begin if number in inputs}
        if root._skip(self, Left(rows)):
            return True
        self._lanes_go_on = {}
        self._left_out.clear()
        self._begun.clear()
        self._passes_left_out.clear()
        return False

    def leave_out(self, node: Branching, left: Left, part: str = "") -> bool:
        """Note what the next pass over a node leaves out; return False if the node is in the pipeline twice.

        Args:
            node: the node.
            left: which of its rows, or of what else it counts.
            part: what asks for it by `left_out`, if the node has several.
        """
        first = (id(node), part) not in self._left_out
        self._left_out[id(node), part] = left
        return first

    def left_out(self, node: Branching, part: str = "") -> Left:
        """Return what the pass over a node that begins now leaves out: nothing but for the first one."""
        return self._left_out.pop((id(node), part), _NOTHING)

    @property
    def marking(self) -> bool:
        """Whether a position is noted, and nothing will be left out."""
        return self._marks is not None

    def mark(self, root: Any, rows: int) -> dict[str, list[Any]]:
        """Return the positions below operations that read varying numbers of rows, after some rows of this epoch."""
        marking = copy.copy(self)
        marks: dict[str, list[Any]] = {}
        marking._left_out, marking._passes_left_out, marking._marks = {}, Counter(), marks
        if not root._skip(marking, Left(rows)):
            return {}
        for name, lanes in self._lanes.items():
            if marking._passes_left_out[lanes.node] == lanes.passes:  # all that have begun
                marks.setdefault(name, [lanes.count, lanes.next_begins()])
        return marks

    def consumes(self, node: Branching, left: Left, kind: type[Noting]) -> Noting:
        """Return what a pass notes its rows in, of a node that reads a varying number of rows for each.

        Args:
            node: the node.
            left: the result of `left_out`.
            kind: how it reads them.
        """
        consumed = kind(left, left.found or _NOTHING)
        self._consumed[id(node)] = consumed
        return consumed

    def below(self, node: Branching, left: Left) -> Left | None:
        """Return what a pass leaves out of the rows below such a node, or None if that is unknown."""
        number = str(self._numbers[id(node)])
        consumed = self._consumed.get(id(node))
        if consumed is not None:
            below = consumed.below(left)
        else:  # the pass has not begun
            below = Left(*self._inputs[number]) if number in self._inputs else None
        if below is not None and self._marks is not None:
            self._marks[number] = [below.rows, list(below.kept)]
        return below

    def leave_out_passes(self, node: Branching, count: int) -> None:
        """Count passes over a node, and those over its children, as done in this epoch."""
        self._passes_left_out[id(node)] += count
        for child in node.children:
            times = self._passes_of_epoch[id(child)] // self._passes_of_epoch[id(node)]
            self.leave_out_passes(child, count * times)

    @property
    def seeded(self) -> bool:
        """Whether the program has set the seed."""
        return self._seeds is not None and len(set(self._seeds)) == 1

    def pass_number(self, node: Branching, chooser: object) -> int:
        """Return how many passes over a node's rows came before the next one, in all epochs.

        Args:
            node: the node.
            chooser: what asks, the node itself or one of its samplers.
        """
        key = (id(node), id(chooser))
        self._begun[key] += 1
        begun = self._begun[key] + self._passes_left_out[id(node)]
        return self.epoch * self._passes_of_epoch.get(id(node), 1) + begun - 1

    def next_order(
        self, node: Branching, chooser: object, rows: list[int], seed_of: Callable[[int], int], *step: Step
    ) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the order for the next pass, in which rows are shuffled again; arguments as for `Order`."""
        key = (id(node), id(chooser))
        if key not in self._orders:
            self._orders[key] = Order(rows, seed_of, *step)
        return self._orders[key].of_pass(self.pass_number(node, chooser))

    def next_words(
        self, node: Branching, rows: int | None, before: Callable[[int], int] | None = None,
        make: Callable[[int], Iterator[int]] | None = None,
    ) -> Iterator[int]:  # fmt: skip
        """Return the random numbers for the next pass of a node, which continue the numbers of earlier passes.

        Args:
            node: the node.
            rows: the count of numbers of a pass, or None if only a run can determine it.
            before: the count of numbers of the passes before one. Default: None, `rows` for each.
            make: as for `Words`.
        """
        number = self.pass_number(node, node)
        if rows is None:
            return random_words(self.order_seed + number)
        return self._words.setdefault(id(node), Words(self.order_seed, make)).after(
            before(number) if before else number * rows
        )

    def passes_of_epoch(self, node: Branching) -> int:
        """Return the number of passes over a node's rows in this epoch, without those left out."""
        return self._passes_of_epoch.get(id(node), 1) - self._passes_left_out[id(node)]

    def held(self, node: Branching, functions: Sequence[Callable[..., Any]], part: str = "") -> list[Any]:
        """Return the generators that functions of a node hold, searched for once for each part of the node."""
        self._serving.begin()
        key = (id(node), part)
        if key not in self._held:
            self._held[key] = held_generators.held_by(functions)
        return self._held[key]

    def calls(
        self, node: Branching, function: Callable[..., Result], reach: Sequence[Any] = (), part: str = ""
    ) -> tuple[tuple[int, ...], Callable[..., Result]]:
        """Return (start, call) for the next pass over a node's rows, for `call((start, number of a row), ...)`.

        Args:
            node: the node.
            function: the function of the user that it calls.
            reach: the user's objects that it uses. Default: the function alone.
            part: a name that distinguishes the function from others of the node.
        """
        start, generators = self.keys(node), self.held(node, reach or [function], part)
        called = held_generators.Isolated(function, (), generators) if generators else function
        return start, streams.in_rows(called)

    @contextmanager
    def lanes(
        self, node: Branching, call: Callable[[Any], Any], transforms: Sequence[tuple[object, bool]], count: int
    ) -> Iterator[Lanes | None]:
        """Lend the lanes of a node for a pass, which go on from the previous one; None without random transforms.

        Args:
            node: the node.
            call, transforms, count: as for `Lanes`.
        """
        if not transforms:
            yield None
            return
        first, seed = str(self._numbers.get(id(node))), self.seeds[0]
        names = itertools.chain([first], (f"{first}.{number}" for number in itertools.count(1)))
        name = next(name for name in names if name not in self._lanes or not self._lanes[name].in_pass)
        lanes = self._lanes.get(name)
        if lanes is None or len(lanes.transforms) != len(transforms):
            if name != first or self.alone:  # the node is in the pipeline twice, or the rows are not those of a pass
                seed = streams.digest(seed, name, *self._path)
            count, of_epoch = self._lanes_begin.get(name, (count, ()))
            begins = self._lanes_go_on.get(name, ())
            lanes = self._lanes[name] = Lanes(call, transforms, seed, count, of_epoch, begins)
            lanes.node = id(node)
        lanes.transforms = transforms
        lanes.passes = max(lanes.passes, self._passes_left_out[id(node)]) + 1
        lanes.call, lanes.in_pass = call, True
        try:
            yield lanes
        finally:
            lanes.in_pass = False

    def all_lanes(self) -> dict[str, list[Any]]:
        """Return where the lanes of all nodes began in this epoch, for `go_on`."""
        return {**self._lanes_begin, **{name: [each.count, each.of_epoch] for name, each in self._lanes.items()}}

    def leave_out_in_lanes(self, node: Branching, left: Left) -> bool:
        """Note what the next pass over a node with random transforms leaves out; the result is that of `leave_out`."""
        number, begins = str(self._numbers[id(node)]), None
        if self._marks is not None:
            lanes = self._lanes.get(number)
            begins = None if lanes is None else lanes.begins(left, self._passes_left_out[id(node)])
            if lanes is not None and begins is not None:
                self._marks[number] = [lanes.count, begins]
        elif number in self._inputs:
            count, begins = self._inputs[number]
            kept = len(begins) - len(self._lanes_begin[number][1])  # those of kept rows
            if kept * count != len(left.kept) * (len(begins) - kept):
                return False
            self._lanes_go_on[number] = by_lane(begins[kept:], count, left.rows)
        elif number not in self._lanes_begin and not left.kept:  # as at the beginning of an iterator
            return self.leave_out(node, left)
        return begins is not None and self.leave_out(node, left._replace(found=begins))

    def keys(self, node: Branching) -> tuple[int, ...]:
        """Return the common part of the keys of all rows of the next pass over a node."""
        return (*self.seeds, *self.next_pass(node))

    def random(self, node: Branching) -> np.random.Generator:
        """Return the generator for the next pass over a node's rows."""
        return np.random.default_rng((self.order_seed, *self.next_pass(node)))

    @contextmanager
    def workers(self, node: Branching, make: Callable[[], Workers]) -> Iterator[Workers]:
        """Lend the worker processes of a node, which live as long as this run."""
        idle = self._idle[id(node)]
        while idle and not idle[-1].usable:  # this process was forked from theirs
            idle.pop()
        if idle:
            workers = idle.pop()
        else:
            workers = make()
            self._workers.append(workers)
        try:
            yield workers
        except BaseException:
            workers.close()
            raise
        if workers.usable:
            idle.append(workers)

    def end_epoch(self) -> None:
        """Let the global generators be the program's alone, until a function computes another row."""
        for lanes in self._lanes.values():
            lanes.end_epoch()
        for sequel in self._sequels:
            sequel.end_epoch()
        self._serving.end()

    def close(self) -> None:
        """End all worker processes."""
        self._close()


def _close(workers: list[Workers], serving: streams.Serving) -> None:
    for each in workers:
        each.close()
    serving.end()
