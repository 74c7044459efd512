"""Random number generators, and the default one."""

from __future__ import annotations

import secrets
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

_SEEDS = 2**64  # a generator's seed is 64 bits wide, read as a signed number


class Generator:
    """An independent random number generator on the device in use when it is created; its initial seed is 0.

    Examples:
        >>> import torchspore as ms
        >>> generator = ms.Generator().manual_seed(5)
        >>> state = generator.get_state()
        >>> new_seed = generator.seed()
        >>> generator.set_state(state)
        >>> generator.initial_seed()
        5
    """

    _own: torch.Generator | None

    def __init__(self) -> None:
        self._own = torch.Generator(devices.current())
        self._own.manual_seed(0)

    @classmethod
    def _shared(cls) -> Generator:
        """Return the generator that torch uses on the device in use when none is given."""
        shared = cls.__new__(cls)
        shared._own = None  # the device may change while the program runs
        return shared

    @property
    def _g(self) -> torch.Generator:
        return _default_generator() if self._own is None else self._own

    def manual_seed(self, seed: int) -> Generator:
        """Seed the generator and return it.

        Args:
            seed: the seed, in [-2**63, 2**64); from 2**63 on it counts as `seed - 2**64`.

        Raises:
            ValueError: `seed` needs more than 64 bits.
        """
        return self._reseed(_checked_seed(seed, "Generator.manual_seed"))

    def seed(self) -> int:
        """Seed the generator with a number that the operating system draws, and return that number."""
        drawn = secrets.randbits(32)
        self._reseed(drawn)
        return drawn

    def initial_seed(self) -> int:
        """Return the seed that the generator was last given."""
        value = self._g.initial_seed()
        return value if value < _SEEDS // 2 else value - _SEEDS

    def get_state(self) -> Tensor:
        """Return the state, a tensor of uint8: 5056 elements on the CPU, 16 on a GPU."""
        if scope.tracing is not None:
            return Tensor(torch.ops.torchspore.get_rng_state(self._g))
        return Tensor(self._g.get_state())

    def set_state(self, state: Tensor) -> None:
        """Continue from a state that `get_state` returned on the same kind of device.

        Raises:
            ValueError: `state` is not the state of such a generator.
        """
        self._restore(state, "Generator.set_state")

    def _step(self, step: Any) -> tuple[Tensor, Tensor]:
        """Return the seed and a place in the random numbers that belongs to the caller for `step` of them."""
        offset = torch.randint(2**31 - 1, (), generator=self._g, device=self._g.device)
        return Tensor(self.initial_seed()), Tensor(offset)

    def _reseed(self, seed: int) -> Generator:
        seeded = torch if self._own is None else self._own  # the default one consists of one per device
        seeded.manual_seed(seed)
        return self

    def _restore(self, state: Any, api: str) -> None:
        if not isinstance(state, Tensor) or state.dtype is not mstype.uint8:
            given = f"a Tensor of {state.dtype}" if isinstance(state, Tensor) else type(state).__name__
            raise TypeError(f"For '{api}', 'state' must be a Tensor of UInt8 from 'get_state', but got {given}.")
        try:
            if scope.tracing is None:
                self._g.set_state(state._t.cpu())
            else:
                torch.ops.torchspore.set_rng_state(state._t, self._g)
        except RuntimeError as error:
            raise ValueError(
                f"For '{api}', 'state' must come from 'get_state' on the same kind of device "
                f"({self._g.device.type}), but got a state of shape {state.shape}: {error}"
            ) from error


default_generator = Generator._shared()

# The operations of graphs that read and set states, in the order of those that draw.
_library = torch.library.Library("torchspore", "FRAGMENT")
_DRAWS = (torch.Tag.nondeterministic_seeded,)
_library.define("get_rng_state(Generator generator, *, Device? device=None) -> Tensor", tags=_DRAWS)
_library.define("set_rng_state(Tensor state, Generator generator) -> ()", tags=_DRAWS)


def _get_state(generator: torch.Generator, device: torch.device | None = None) -> torch.Tensor:
    """Return the state of a generator, or one without values if a device is given, which fake tensors do."""
    state = generator.get_state()
    return state if device is None else torch.empty_like(state, device=device)


def _set_state(state: torch.Tensor, generator: torch.Generator) -> None:
    generator.set_state(state.cpu())


_library.impl("get_rng_state", _get_state, "CompositeExplicitAutograd")
_library.impl("set_rng_state", _set_state, "CompositeExplicitAutograd")
_library.impl("set_rng_state", lambda state, generator: None, "Meta")


def manual_seed(seed: int) -> Generator:
    """Seed the default generator, on all devices, and return it; `get_seed` and NumPy's generator do not change.

    Args:
        seed: the seed, in [-2**63, 2**64); from 2**63 on it counts as `seed - 2**64`.

    Raises:
        ValueError: `seed` needs more than 64 bits.

    Examples:
        >>> import torchspore as ms
        >>> ms.manual_seed(13).initial_seed()
        13
    """
    return default_generator._reseed(_checked_seed(seed, "manual_seed"))


def seed() -> int:
    """Seed the default generator with a number that the operating system draws, and return that number.

    Examples:
        >>> import torchspore as ms
        >>> ms.seed() == ms.initial_seed()
        True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator was last given.

    Examples:
        >>> import torchspore as ms
        >>> generator = ms.manual_seed(14)
        >>> ms.initial_seed()
        14
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default generator, a tensor of uint8.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_rng_state().dtype
        torchspore.uint8
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Let the default generator continue from a state that `get_rng_state` returned.

    Raises:
        ValueError: `state` is not the state of a generator of the device in use.

    Examples:
        >>> import torchspore as ms
        >>> state = ms.get_rng_state()
        >>> ms.set_rng_state(state)
    """
    default_generator._restore(state, "set_rng_state")


def _default_generator() -> torch.Generator:
    """Return torch's generator for the device in use."""
    device = devices.current()
    if device.type == "cpu":
        return torch.default_generator
    backend = torch.get_device_module(device)
    backend.init()  # the list of generators is empty before
    return backend.default_generators[devices.index()]


def _checked_seed(seed: Any, api: str) -> int:
    if not isinstance(seed, int):
        raise TypeError(f"For '{api}', 'seed' must be an int, but got {seed!r} of type {type(seed).__name__}.")
    if not -_SEEDS // 2 <= seed < _SEEDS:
        raise ValueError(f"For '{api}', 'seed' must be in [-2**63, 2**64), but got {seed}.")
    return seed % _SEEDS
