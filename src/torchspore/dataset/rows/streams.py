"""Random numbers of the user's functions: they depend on the row, not on which worker computes it, or when.

NumPy's and Python's global generators are the program's. As long as some pipeline computes rows (`Serving`) they are
changed so that a thread that computes a row gets numbers from the stream of that row, which begins with the first draw:
a function that draws nothing pays nothing. Afterwards they are what they were.
"""

from __future__ import annotations

import _random
import hashlib
import os
import random
import secrets
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.random import bit_generator as numpy_entropy

__all__ = [
    "NO_ROW", "OWN", "PYTHON", "TORCH", "Key", "Seeds", "Sequel", "Serving", "begun_without_seed", "digest",
    "go_on_without_seed", "in_rows", "new_seed", "seed_of_row", "seeds",
]  # fmt: skip

Result = TypeVar("Result")
Seeds = tuple[int, int, int, int, int]  # of transforms, NumPy's, Python's, PyTorch's and custom generators
TRANSFORMS, NUMPY, PYTHON, TORCH, OWN = range(5)
Key = tuple[tuple[int, ...], int]  # the seeds with the numbers of the pass; the number of the row

_C = _random.Random
_numpy: Any = np.random  # its stubs lack some of its public functions


class Row:
    """The streams of the rows that a thread computes in sequence; or, without a key, the program's streams."""

    __slots__ = ("bits", "drawn", "entropy", "gauss", "key", "python", "seeded")

    def __init__(self) -> None:
        self.key: Key | None = None  # the current row
        self.seeded: Key | None = None  # the row whose numbers `bits` draws
        self.drawn: dict[str, Key] = {}  # likewise for the other streams
        self.bits: Any = None
        self.gauss: Any = None  # a normal number that NumPy keeps for the next draw, saved while another row draws
        self.python: Any = None
        self.entropy: Any = None

    def is_new(self, stream: str) -> bool:
        """Return whether the row has not drawn from a stream yet, and note that it has."""
        if self.drawn.get(stream) is self.key:
            return False
        assert self.key is not None
        self.drawn[stream] = self.key
        return True

    def seed(self, index: int) -> int:
        """Return a number for the row, from one of the seeds in its key."""
        assert self.key is not None
        start, number = self.key
        return hash((index, start[index], *start[_NUMBERS:], number)) & 0xFFFFFFFF  # of ints: equal in all processes


_NUMBERS = OWN + 1  # the index in a key from which it numbers the pass
NO_ROW: Key = ((0,) * _NUMBERS, 0)
_PROGRAM = Row()


class _Work:
    """The row that a thread computes."""

    __slots__ = ("own", "row")

    def __init__(self) -> None:
        self.own = Row()
        self.row = _PROGRAM


class _Thread(threading.local):
    def __init__(self) -> None:
        self.work = _Work()


_thread = _Thread()


def in_rows(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return the function that takes the key of a row before its arguments, and draws random numbers of that row."""
    thread = _thread

    def call(key: Key, *arguments: Any) -> Result:
        work = thread.work
        outer = work.row
        work.row = row = work.own if outer is _PROGRAM else Row()  # a function may iterate over another pipeline
        row.key = key
        try:
            return function(*arguments)
        finally:
            work.row = outer

    return call


class Sequel:
    """The numbers that the program's generators would draw next, for functions that one worker calls row after row."""

    def __init__(self) -> None:
        self._row = Row()
        self._row.key = ((new_seed(),) * _NUMBERS, 0)
        self._row.bits, self._row.python = MT19937(0), random.Random()
        self._row.seeded = self._row.drawn["python"] = self._row.key
        self._drew = False
        self.states: Sequence[Any] = program_states()
        """The states of the generators, when the epoch began."""
        self.restore(self.states)

    def has_drawn(self) -> bool:
        """Return whether a function has drawn a number."""
        self._drew = self._drew or self.now() != self.states
        return self._drew

    def restore(self, states: Sequence[Any]) -> None:
        """Continue from the result of `now`."""
        self.states = states
        (_, key, position, *gauss), python = states
        state = {"bit_generator": "MT19937", "state": {"key": np.array(key, np.uint32), "pos": position}}
        _numpy.MT19937.state.__set__(self._row.bits, state)
        self._row.gauss = {**_NO_GAUSS, "has_gauss": gauss[0], "gauss": gauss[1]}
        self._row.python.setstate((python[0], tuple(python[1]), python[2]))

    def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return the result of a function that draws these numbers."""
        work = _thread.work
        outer, work.row = work.row, self._row
        try:
            return function(*arguments)
        finally:
            work.row = outer

    def now(self) -> list[Any]:
        """Return the states of NumPy's and Python's generator, as JSON has them."""
        return self.call(program_states)

    def end_epoch(self) -> None:
        """Let the program continue after these numbers, unless it has drawn numbers itself."""
        if self.has_drawn() and program_states() == self.states:
            restore_program_states(self.now())
        self.states = self.now()


def program_states() -> list[Any]:
    """Return the states of NumPy's and Python's generator, as JSON has them."""
    kind, key, *rest = np.random.get_state()
    version, words, gauss = random.getstate()
    return [[kind, np.asarray(key).tolist(), *rest], [version, [*words], gauss]]


def restore_program_states(states: Sequence[Any]) -> None:
    """Continue from the result of `program_states`."""
    numpys, (version, words, gauss) = states
    np.random.set_state(tuple(numpys))
    random.setstate((version, tuple(words), gauss))


def seed_of_row(index: int) -> int:
    """Return a number for the row that this thread computes, from one of its seeds."""
    return _thread.work.row.seed(index)


# NumPy's global generator takes its lock for every draw. Ours first switches to the bits of the row that draws.


_reentrant = type(threading.RLock())
# NumPy's own, if a thread can take it twice, so that nobody who waits for it draws while others do.
_lock: Any = next(
    (lock for lock in [_numpy.get_bit_generator().lock] if isinstance(lock, _reentrant)), threading.RLock()
)


class _Gate:
    """The lock of NumPy's global generator while it serves rows.

    Its `__exit__` is a method in C, so that no interrupt can leave it locked.
    """

    _lock = _lock
    __exit__ = _lock.__exit__
    now = _PROGRAM  # the row whose bits are in use
    switching = False

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            row = _thread.work.row
            if (row is not self.now or row.seeded is not row.key) and not self.switching:
                self._switch(row)
        except BaseException:
            self._lock.release()
            raise

    def _switch(self, row: Row) -> None:
        self.switching = True
        try:
            if row is not self.now:
                self.now.gauss = np.random.get_state(legacy=False)
                if row.bits is None:
                    row.bits = MT19937(0)
                _numpy.set_bit_generator(row.bits)
                self.now = row
            if row.seeded is not row.key:
                np.random.MT19937._legacy_seeding(row.bits, row.seed(NUMPY))
                row.seeded, row.gauss = row.key, None
            np.random.set_state(row.gauss or _NO_GAUSS)
        finally:
            self.switching = False


_NO_GAUSS: dict[str, Any] = {"bit_generator": "MT19937", "state": None, "has_gauss": 0, "gauss": 0.0}
_gate = _Gate()


class MT19937(np.random.MT19937):
    """The bits of NumPy's global generator, whose lock is the gate. States contain the class name, hence this name."""

    lock: Any = _gate

    def _legacy_seeding(self, seed: Any) -> None:
        with _gate:
            np.random.MT19937._legacy_seeding(_gate.now.bits, seed)
            if _gate.now is _PROGRAM:
                _runs.begun = 0

    @property
    def state(self) -> Any:
        """The state; while the gate switches, only the state of the kept normal number."""
        with _gate:
            return dict(_NO_GAUSS) if _gate.switching else np.random.MT19937.state.__get__(_gate.now.bits)

    @state.setter
    def state(self, value: Any) -> None:
        with _gate:
            if not _gate.switching:
                _numpy.MT19937.state.__set__(_gate.now.bits, value)

    def __reduce__(self) -> Any:
        return _reduced(self)


def _reduced(bits: Any) -> Any:
    plain = np.random.MT19937(0)
    plain.state = bits.state
    return plain.__reduce__()


class _NotingBits(np.random.MT19937):
    """The bits of NumPy's global generator that note when they are seeded, instead of those that it had."""

    lock: Any = _lock

    def __init__(self, plain: Any) -> None:
        super().__init__(0)
        self.plain = plain

    def _legacy_seeding(self, seed: Any) -> None:
        np.random.MT19937._legacy_seeding(self, seed)
        _runs.begun = 0

    def __reduce__(self) -> Any:
        return _reduced(self)


_NotingBits.__name__ = "MT19937"  # which states contain


def _entropy(bits: int) -> int:
    """Return the entropy for a generator that is made without a seed."""
    row = _thread.work.row
    if row.key is None:
        return _system_bits(bits)
    if row.is_new("entropy"):
        row.entropy = random.Random(row.seed(NUMPY))
    drawn: int = row.entropy.getrandbits(bits)
    return drawn


# Python's global generator is an object whose methods draw by `self` and by `super()`.


class _Draws(_C):
    """The base after `random.Random` in the class of Python's global generator."""

    def random(self) -> float:
        """Return the next number in [0, 1)."""
        return _C.random(_python(self))

    def getrandbits(self, k: int, /) -> int:
        """Return the next `k` bits."""
        return _C.getrandbits(_python(self), k)

    def seed(self, *args: Any) -> None:
        """Restart from a seed."""
        if _thread.work.row is _PROGRAM:
            _runs.begun = 0
        _C.seed(_python(self), *args)

    def getstate(self) -> Any:
        """Return the state."""
        return _C.getstate(_python(self))

    def setstate(self, state: Any) -> None:
        """Continue from a state."""
        _C.setstate(_python(self), state)

    @property
    def gauss_next(self) -> Any:
        """The normal number that is kept for the next draw."""
        return vars(_python(self)).get("gauss_next")

    @gauss_next.setter
    def gauss_next(self, value: Any) -> None:
        vars(_python(self))["gauss_next"] = value


class _Shared(random.Random, _Draws):
    def __reduce__(self) -> Any:
        return random.Random, (), self.getstate()


class _Notes(_C):
    def seed(self, *args: Any) -> None:
        """Restart from a seed, and note that."""
        _C.seed(self, *args)
        _runs.begun = 0


class _Noting(random.Random, _Notes):
    def __reduce__(self) -> Any:
        return random.Random, (), self.getstate()


def _python(program: Any) -> Any:
    row = _thread.work.row
    if row.key is None:
        return program
    if row.python is None:
        row.python = random.Random(0)
    if row.is_new("python"):
        row.python.seed(row.seed(PYTHON))
    return row.python


class _Runs:
    """The number of iterators without a seed that have begun since the program seeded a generator."""

    begun = 0


_runs = _Runs()
_system_bits: Callable[[int], int] = getattr(numpy_entropy, "randbits", secrets.randbits)


class _Change:
    """The change of the global generators, and what they were before."""

    def __init__(self) -> None:
        setattr(numpy_entropy, "randbits", _entropy)  # noqa: B010
        self._bits = _numpy.get_bit_generator()
        if isinstance(self._bits, np.random.MT19937):  # another kind, which the program has chosen, stays
            with self._bits.lock:
                _PROGRAM.bits, _gate.now = MT19937(0), _PROGRAM
                _use(_PROGRAM.bits)
        shared = _python_shared()
        shared.__class__ = _Shared
        functions = {name: getattr(random, name) for name in ("random", "getrandbits")}
        # Methods in C do not look up `self`.
        self._functions = {name: of for name, of in functions.items() if isinstance(of, types.BuiltinMethodType)}
        for name in self._functions:
            setattr(random, name, getattr(shared, name))

    def undo(self) -> None:
        """Let the generators be what they were, except that they note a seed if the last iterator had none."""
        setattr(numpy_entropy, "randbits", _system_bits)  # noqa: B010
        if isinstance(_numpy.get_bit_generator(), MT19937):
            before = self._bits
            plain = before.plain if isinstance(before, _NotingBits) else before
            back = plain if not _runs.begun else before if isinstance(before, _NotingBits) else _NotingBits(plain)
            with _gate, back.lock:  # now the program's bits are in use
                _use(back)
        shared = _python_shared()
        for name, function in self._functions.items():
            if getattr(random, name) == getattr(shared, name):
                setattr(random, name, function)
        shared.__class__ = _Noting if _runs.begun else random.Random


def _use(bits: Any) -> None:
    """Let NumPy's global generator continue with other bits."""
    state = np.random.get_state(legacy=False)
    _numpy.set_bit_generator(bits)
    np.random.set_state(state)


def _python_shared() -> Any:
    return random.seed.__self__  # type: ignore[attr-defined]


class Serving:
    """The times in which the global generators serve the rows of a pipeline."""

    _all: set[Serving] = set()  # noqa: RUF012 - of all pipelines
    _turn = threading.Lock()
    _change: _Change | None = None

    def begin(self) -> None:
        """Let NumPy's and Python's global generators serve rows; the program's numbers stay the same."""
        if self not in self._all:
            with self._turn:
                self._all.add(self)
                if Serving._change is None:
                    Serving._change = _Change()

    def end(self) -> None:
        """Let them be what they were, unless they serve other pipelines, too.

        This can run in the middle of anything, as a finalizer: it leaves the work to a thread that is at it.
        """
        self._all.discard(self)
        while not self._all and Serving._change is not None and self._turn.acquire(blocking=False):
            try:
                if not self._all and Serving._change is not None:
                    Serving._change.undo()
                    Serving._change = None
            finally:
                self._turn.release()


def _before_fork() -> None:
    Serving._turn.acquire()
    _lock.acquire()


def _after_fork() -> None:
    _lock.release()
    Serving._turn.release()


if hasattr(os, "register_at_fork"):  # in the new process no other thread could release them; not on Windows
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def new_seed() -> int:
    """Return a seed: the row's within a function that computes a row, otherwise a new one each time."""
    return _entropy(32)


def seeds(first: int, counts: bool) -> Seeds:
    """Return the seeds of an iterator for which none is set.

    The states of the global generators serve as seeds, so that `numpy.random.seed(1)` alone makes a program repeat its
    rows. Iterators differ even if nothing is drawn between them.

    Args:
        first: the first seed, for transforms.
        counts: whether this is an iterator of the program.
    """
    serving = Serving()
    serving.begin()  # from now on it is noted when a generator is seeded
    try:
        state = np.random.get_state(legacy=False)["state"]
        begun = _runs.begun
        _runs.begun += counts
        return (
            first,
            digest(begun, state["key"].tobytes() if "key" in state else repr(state), state.get("pos")),
            digest(begun, random.getstate()),
            digest(begun, torch.default_generator.get_state().numpy().tobytes()),
            begun,
        )
    finally:
        serving.end()


def begun_without_seed() -> int:
    """Return the number of iterators without a seed that have begun since the program seeded a generator."""
    return _runs.begun


def go_on_without_seed(begun: int) -> None:
    """Continue as if this number of iterators without a seed had begun."""
    _runs.begun = begun


def digest(*things: Any) -> int:
    """Return a hash of 32 bits for numbers, and for strings, lists and dicts of them."""
    return int.from_bytes(hashlib.blake2b(repr(things).encode(), digest_size=4).digest(), "little")
