"""The global seed, and the streams of operations that take a seed of their own."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from torchspore.common import device as devices
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor

__all__ = ["get_seed", "set_seed"]

_STREAM = "stream "

_global_seed: int | None = None
_times_set = 0
_op_generators: dict[tuple[str, int, torch.device], torch.Generator] = {}


def set_seed(seed: int) -> None:
    """Set the global seed: every random number of the program depends on it from now on.

    Seeds the default generators of all devices, NumPy's global generator and Python's `random`, and restarts the
    streams of operations with a seed of their own.

    Args:
        seed: the seed, in [0, 2**32).

    Examples:
        >>> import torchspore as ms
        >>> ms.set_seed(1234)
        >>> ms.get_seed()
        1234
    """
    global _global_seed, _times_set
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"For 'set_seed', 'seed' must be an int, but got {seed!r} of type {type(seed).__name__}.")
    if not 0 <= seed < 2**32:
        raise ValueError(f"For 'set_seed', 'seed' must be in [0, 2**32), but got {seed}.")
    if scope.tracing is not None:
        scope.tracing.refuse("the seed is set in the function")
    np.random.seed(seed)
    random.seed(seed)
    torch.manual_seed(seed)
    _global_seed = seed
    _times_set += 1
    _start_streams()


def times_set() -> int:
    """Return the number of calls of `set_seed`."""
    return _times_set


def get_seed() -> int | None:
    """Return the global seed, or None when `set_seed` was not called.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_seed(7)
        >>> ms.get_seed()
        7
    """
    return _global_seed


def op_generator(name: str, seed: int | None) -> torch.Generator | None:
    """Return the generator for an operation that takes a seed: the same one until `set_seed` is called.

    Two calls with one seed therefore continue one stream, and the program run again repeats it. The stream depends on
    the global seed, on the operation and on its seed.

    Args:
        name: the operation's name, as in its messages.
        seed: the operation's seed, >= 0.

    Returns:
        A generator on the device in use, or None, for torch's default generator, when `seed` is None or 0.
    """
    if seed is None:
        return None
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"For '{name}', 'seed' must be an int or None, but got {seed!r} of type {type(seed).__name__}.")
    if seed < 0:
        raise ValueError(f"For '{name}', 'seed' must be >= 0, but got {seed}.")
    if seed == 0:
        return None  # MindSpore's seed 0 is not a seed: it follows the global one, and without that no run repeats
    return _stream(name, seed, devices.current())


def all_states() -> dict[str, Tensor | str]:
    """Return the state of every source of random numbers that the program has used, in a form that can be saved.

    These are the global seed, the default generators of the CPU and of the GPUs, the streams of operations with a seed
    of their own, NumPy's global generator and Python's `random`.
    """
    numpy_state: Any = np.random.get_state()
    states: dict[str, Tensor | str] = {
        "seed": json.dumps(_global_seed),
        "python": json.dumps(random.getstate()),
        "numpy": json.dumps([numpy_state[0], numpy_state[1].tolist(), *numpy_state[2:]]),
        "cpu": Tensor(torch.default_generator.get_state()),
    }
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        for number, generator in enumerate(torch.cuda.default_generators):
            states[f"cuda:{number}"] = Tensor(generator.get_state())
    for (name, seed, device), generator in _op_generators.items():
        states[_STREAM + json.dumps([name, seed, str(device)])] = Tensor(generator.get_state())
    return states


def restore_all_states(states: Mapping[str, Tensor | str]) -> None:
    """Restore the result of `all_states`, perhaps in another process.

    Raises:
        ValueError: there is a state of a GPU that this machine lacks, or something else in place of a state.
    """
    checked_states(states)()


def checked_states(states: Mapping[str, Tensor | str]) -> Callable[[], None]:
    """Check the result of `all_states`, and return a function that restores it.

    Raises:
        ValueError: there is a state of a GPU that this machine lacks, or something else in place of a state.
    """
    known = set(_op_generators)
    try:
        seed, python_state, numpy_state = (json.loads(str(states[name])) for name in ("seed", "python", "numpy"))
        python_state = (python_state[0], tuple(python_state[1]), python_state[2])
        generators = {_generator(name): state._t.cpu() for name, state in states.items() if isinstance(state, Tensor)}
        for generator, state in generators.items():  # try everything before changing anything
            generator.clone_state().set_state(state)
        random.Random().setstate(python_state)
        np.random.RandomState().set_state(numpy_state)
        if not (seed is None or type(seed) is int) or torch.default_generator not in generators:
            raise ValueError("the seed or the state of the CPU is missing")
    except (LookupError, TypeError, ValueError, ArithmeticError, RuntimeError, AttributeError) as error:
        for key in set(_op_generators) - known:
            del _op_generators[key]
        raise ValueError(f"These are not the states of random generators of this machine: {error!s:.200}.") from error

    def restore() -> None:
        global _global_seed
        _global_seed = seed
        _start_streams()
        for generator, state in generators.items():
            generator.set_state(state)
        random.setstate(python_state)
        np.random.set_state(numpy_state)

    return restore


def _generator(name: str) -> torch.Generator:
    """Return the generator with this name in `all_states`."""
    if name.startswith(_STREAM):
        operation, seed, device = json.loads(name.removeprefix(_STREAM))
        return _stream(operation, seed, torch.device(device))
    if name == "cpu":
        return torch.default_generator
    if not torch.cuda.is_available():
        raise ValueError(f"there is no device '{name}'")
    torch.cuda.init()
    return torch.cuda.default_generators[torch.device(name).index]


def _stream(name: str, seed: int, device: torch.device) -> torch.Generator:
    """Return the generator of an operation's stream, created if it does not exist yet."""
    key = (name, seed, device)
    generator = _op_generators.get(key)
    if generator is None:
        generator = torch.Generator(device)
        generator.manual_seed(_start_of_stream(name, seed))
        _op_generators[key] = generator
    return generator


def _start_streams() -> None:
    """Restart all streams, in place, as captured graphs hold the generators."""
    for (name, seed, _), generator in _op_generators.items():
        generator.manual_seed(_start_of_stream(name, seed))


def _start_of_stream(name: str, seed: int) -> int:
    # not `hash`, which differs between processes
    digest = hashlib.blake2b(repr((_global_seed, name, seed)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
