"""Effects of guitars: overdrive, phaser and flanger."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from torchspore.dataset.audio.base import AudioOperation, check_real
from torchspore.dataset.audio.enums import Interpolation, Modulation
from torchspore.dataset.audio.recursion import recursive_filter
from torchspore.dataset.transforms.base import Array
from torchspore.engine.checks import check_bool, check_int, check_kind

__all__ = ["Flanger", "Overdrive", "Phaser"]


class Overdrive(AudioOperation):
    """Distorts a wave as an amplifier does that is driven too far.

    Args:
        gain: by how many decibels it is driven, in [0, 100]. Default: 20.0.
        color: how much even harmonics there are, in [0, 100]. Default: 20.0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Overdrive()(np.array([0.0, 0.1, 0.5])).round(4)
        array([0.0748, 0.5496, 0.7471])
    """

    def __init__(self, gain: float = 20.0, color: float = 20.0) -> None:
        self._factor = 10 ** (check_real(gain, "gain", "Overdrive", least=0, most=100) / 20)
        self._offset = check_real(color, "color", "Overdrive", least=0, most=100) / 200

    def _apply(self, wave: Array) -> Array:
        driven = (wave * self._factor + self._offset).clip(-1, 1)
        rounded = recursive_filter(driven - driven**3 / 3, np.array([1, -0.995]), np.array([1.0, -1.0]))
        return (0.5 * wave + 0.75 * rounded).clip(-1, 1).astype(wave.dtype)


def _modulation(kind: Modulation, length: int, low: float, high: float, turn: float) -> Array:
    """Return one period of a wave between two values, which starts at an angle."""
    offset = int(turn / np.pi / 2 * length + 0.5)
    place = (np.arange(length) + offset) % length
    if kind is Modulation.SINUSOIDAL:
        height = (np.sin(place * (2 * np.pi / length)) + 1) / 2
    else:
        quarter, part = place * 4 // length, place * 2 / length
        height = np.select([quarter == 0, quarter < 3], [part + 0.5, 1.5 - part], part - 1.5)
    return height * (high - low) + low


def _known_stretches(sources: Array, longest: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of times whose sources are all before the stretch, so that it can be computed at once."""
    start = 0
    while start < len(sources):
        known = sources[start : start + longest] < start
        stop = start + (len(known) if known.all() else int(known.argmin()))
        yield start, stop
        start = stop


class Phaser(AudioOperation):
    """Adds to a wave its own past, from a distance that swings.

    Args:
        sample_rate: how many samples a second has, > 0.
        gain_in: the factor of the input, in [0, 1]. Default: 0.4.
        gain_out: the factor of the output, in [0, 1e9]. Default: 0.74.
        delay_ms: the greatest distance in milliseconds, in [0, 5]. Default: 3.0.
        decay: the factor of the past, in [0, 0.99]. Default: 0.4.
        mod_speed: how often the distance swings in a second, in [0.1, 2]. Default: 0.5.
        sinusoidal: whether it swings as a sine, and not as a triangle. Default: True.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Phaser(44100)(np.array([0.1, 0.2])).round(4)
        array([0.0296, 0.071 ])
    """

    def __init__(
        self,
        sample_rate: int,
        gain_in: float = 0.4,
        gain_out: float = 0.74,
        delay_ms: float = 3.0,
        decay: float = 0.4,
        mod_speed: float = 0.5,
        sinusoidal: bool = True,
    ) -> None:
        api = "Phaser"
        rate = check_int(sample_rate, "sample_rate", api)
        self.gain_in = check_real(gain_in, "gain_in", api, least=0, most=1)
        self.gain_out = check_real(gain_out, "gain_out", api, least=0, most=1e9)
        self._longest = int(check_real(delay_ms, "delay_ms", api, least=0, most=5) * 0.001 * rate + 0.5)
        self.decay = check_real(decay, "decay", api, least=0, most=0.99)
        period = int(rate / check_real(mod_speed, "mod_speed", api, least=0.1, most=2) + 0.5)
        kind = Modulation.SINUSOIDAL if check_bool(sinusoidal, "sinusoidal", api) else Modulation.TRIANGULAR
        swing = _modulation(kind, period, 1, self._longest, np.pi / 2)
        self._delays = self._longest - np.floor(swing + 0.5).astype(int) + 1

    def _apply(self, wave: Array) -> Array:
        length, before = wave.shape[-1], self._longest
        heard = np.zeros((*wave.shape[:-1], before + length))
        heard[..., before:] = wave * self.gain_in
        times = np.arange(length)
        sources = times - self._delays[times % len(self._delays)]
        for start, stop in _known_stretches(sources, before):
            heard[..., before + start : before + stop] += heard[..., before + sources[start:stop]] * self.decay
        return (heard[..., before:] * self.gain_out).clip(-1, 1).astype(wave.dtype)


class Flanger(AudioOperation):
    """Adds to a wave (..., channel, time) a copy whose delay swings.

    Args:
        sample_rate: how many samples a second has, > 0.
        delay: the least delay in milliseconds, in [0, 30]. Default: 0.0.
        depth: how far it swings in milliseconds, in [0, 10]. Default: 2.0.
        regen: how much of the copy is fed back in percent, in [-95, 95]. Default: 0.0.
        width: how much of the copy is added in percent, in [0, 100]. Default: 71.0.
        speed: how often the delay swings in a second, in [0.1, 10]. Default: 0.5.
        phase: by how much of a period channels are apart in percent, in [0, 100]. Default: 25.0.
        modulation: how it swings. Default: `Modulation.SINUSOIDAL`.
        interpolation: how the wave is read between samples. Default: `Interpolation.LINEAR`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Flanger(16000)(np.array([[0.1, 0.2]])).shape
        (1, 2)
    """

    _shape = ("channel", "time")

    def __init__(
        self,
        sample_rate: int,
        delay: float = 0.0,
        depth: float = 2.0,
        regen: float = 0.0,
        width: float = 71.0,
        speed: float = 0.5,
        phase: float = 25.0,
        modulation: Modulation = Modulation.SINUSOIDAL,
        interpolation: Interpolation = Interpolation.LINEAR,
    ) -> None:
        api = "Flanger"
        rate = check_int(sample_rate, "sample_rate", api)
        least = check_real(delay, "delay", api, least=0, most=30) / 1000
        swing = check_real(depth, "depth", api, least=0, most=10) / 1000
        self._feedback = check_real(regen, "regen", api, least=-95, most=95) / 100
        self._added = check_real(width, "width", api, least=0, most=100) / 100
        period = int(rate / check_real(speed, "speed", api, least=0.1, most=10))
        self._phase = check_real(phase, "phase", api, least=0, most=100) / 100
        check_kind(modulation, Modulation, "modulation", api)
        check_kind(interpolation, Interpolation, "interpolation", api)
        self._quadratic = interpolation is Interpolation.QUADRATIC
        self._slots = int((least + swing) * rate + 0.5) + 2
        lowest = math.floor(least * rate + 0.5)
        self._delays = _modulation(modulation, period, lowest, self._slots - 2, 3 * np.pi / 2)

    def _apply(self, wave: Array) -> Array:
        channels, length = wave.shape[-2:]
        delays = self._channel_delays(channels, length)
        before = self._slots + 1
        heard = np.zeros((*wave.shape[:-1], before + length))
        heard[..., before:] = wave
        if self._feedback:
            newest = np.arange(-1, length - 1) - delays.min(0, initial=self._slots)[np.arange(-1, length - 1)].astype(
                int
            )
            newest[:1] = -1
            for start, stop in _known_stretches(newest, self._slots):
                fed_back = self._delayed(heard, delays, np.arange(max(start - 1, 0), stop - 1))
                heard[..., before + max(start, 1) : before + stop] += fed_back * self._feedback
        copy = self._delayed(heard, delays, np.arange(length)) * (1 - abs(self._feedback))
        return ((wave + copy * self._added) / (1 + self._added)).clip(-1, 1).astype(wave.dtype)

    def _channel_delays(self, channels: int, length: int) -> Array:
        """Return how many samples each channel is delayed at each time."""
        period = len(self._delays)
        apart = (np.arange(channels) * (period * self._phase) + 0.5).astype(int)
        return self._delays[(np.arange(length) + apart[:, None]) % period]

    def _delayed(self, heard: Array, delays: Array, times: Array) -> Array:
        """Return what was heard before times, by the delays of each channel."""
        delay = delays[:, times]
        whole = delay.astype(int)
        part, place = delay - whole, self._slots + 1 + times - whole
        channel = np.arange(len(delay))[:, None]
        first, second = heard[..., channel, place], heard[..., channel, place - 1]
        if not self._quadratic:
            return first + (second - first) * part
        rise, far_rise = second - first, heard[..., channel, place - 2] - first
        return first + ((far_rise / 2 - rise) * part + 2 * rise - far_rise / 2) * part
