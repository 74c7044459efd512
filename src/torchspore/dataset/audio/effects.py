"""Guitar effects: overdrive, phaser and flanger."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, TypeAlias

import numpy as np

from torchspore.common.error_classes import WrongValue
from torchspore.dataset.audio.base import AudioOperation, PositiveRate
from torchspore.dataset.audio.enums import Interpolation, Modulation
from torchspore.dataset.audio.recursion import recursive_filter
from torchspore.dataset.parameters import Int32
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Limits, Where

__all__ = ["Flanger", "Overdrive", "Phaser"]

_Rate: TypeAlias = Annotated[Int32, Where("> 0", lambda rate: rate > 0)]


class Overdrive(AudioOperation):
    """Distorts a wave like an overdriven amplifier.

    Args:
        gain: the gain in dB, in [0, 100]. Default: 20.0.
        color: the amount of even harmonics, in [0, 100]. Default: 20.0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Overdrive()(np.array([0.0, 0.1, 0.5])).round(4)
        array([0.0748, 0.5496, 0.7471])
    """

    def __init__(
        self, gain: Annotated[float, Limits(0, 100)] = 20.0, color: Annotated[float, Limits(0, 100)] = 20.0
    ) -> None:
        self._factor = 10 ** (gain / 20)
        self._offset = color / 200

    def _apply(self, wave: Array) -> Array:
        driven = (wave * self._factor + self._offset).clip(-1, 1)
        rounded = recursive_filter(driven - driven**3 / 3, np.array([1, -0.995]), np.array([1.0, -1.0]))
        return (0.5 * wave + 0.75 * rounded).clip(-1, 1).astype(wave.dtype)


def _modulation(kind: Modulation, length: int, low: float, high: float, phase: float) -> Array:
    """Return one period of a waveform between two values, which starts at a phase."""
    offset = int(phase / np.pi / 2 * length + 0.5)
    position = (np.arange(length) + offset) % length
    if kind is Modulation.SINUSOIDAL:
        height = (np.sin(position * (2 * np.pi / length)) + 1) / 2
    else:
        quarter, part = position * 4 // length, position * 2 / length
        height = np.select([quarter == 0, quarter < 3], [part + 0.5, 1.5 - part], part - 1.5)
    return height * (high - low) + low


def _blocks(sources: Array, max_length: int) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of blocks of times whose sources all precede the block, so that it is computed at once."""
    start = 0
    while start < len(sources):
        known = sources[start : start + max_length] < start
        stop = start + (len(known) if known.all() else int(known.argmin()))
        yield start, stop
        start = stop


class Phaser(AudioOperation):
    """Adds a delayed copy with feedback to a wave; the delay oscillates.

    Args:
        sample_rate: the sampling rate in Hz, > 0.
        gain_in: the input gain, in [0, 1]. Default: 0.4.
        gain_out: the output gain, in [0, 1e9]. Default: 0.74.
        delay_ms: the maximum delay in milliseconds, in [0, 5]. Default: 3.0.
        decay: the gain of the delayed copy, in [0, 0.99]. Default: 0.4.
        mod_speed: the modulation frequency in Hz, in [0.1, 2]. Default: 0.5.
        sinusoidal: whether the modulation is a sine instead of a triangle. Default: True.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Phaser(44100)(np.array([0.1, 0.2])).round(4)
        array([0.0296, 0.071 ])
    """

    def __init__(
        self, sample_rate: _Rate, gain_in: Annotated[float, Limits(0, 1)] = 0.4,
        gain_out: Annotated[float, Limits(0, 1e9)] = 0.74, delay_ms: Annotated[float, Limits(0, 5.0)] = 3.0,
        decay: Annotated[float, Limits(0, 0.99)] = 0.4, mod_speed: Annotated[float, Limits(0.1, 2)] = 0.5,
        sinusoidal: bool = True,
    ) -> None:  # fmt: skip
        self.gain_in = gain_in
        self.gain_out = gain_out
        self._max_delay = int(delay_ms * 0.001 * sample_rate + 0.5)
        self.decay = decay
        period = int(sample_rate / mod_speed + 0.5)
        kind = Modulation.SINUSOIDAL if sinusoidal else Modulation.TRIANGULAR
        modulation = _modulation(kind, period, 1, self._max_delay, np.pi / 2)
        self._delays = self._max_delay - np.floor(modulation + 0.5).astype(int) + 1

    def _apply(self, wave: Array) -> Array:
        length, before = wave.shape[-1], self._max_delay
        if before < 1:
            raise WrongValue("For 'Phaser', 'delay_ms' must be at least half a sample.")
        output = np.zeros((*wave.shape[:-1], before + length))
        output[..., before:] = wave * self.gain_in
        times = np.arange(length)
        sources = times - self._delays[times % len(self._delays)]
        for start, stop in _blocks(sources, before):
            output[..., before + start : before + stop] += output[..., before + sources[start:stop]] * self.decay
        return (output[..., before:] * self.gain_out).clip(-1, 1).astype(wave.dtype)


class Flanger(AudioOperation):
    """Adds a copy whose delay oscillates to a wave (..., channel, time).

    Args:
        sample_rate: the sampling rate in Hz, > 0.
        delay: the minimum delay in milliseconds, in [0, 30]. Default: 0.0.
        depth: the range of the delay in milliseconds, in [0, 10]. Default: 2.0.
        regen: the feedback of the copy in percent, in [-95, 95]. Default: 0.0.
        width: the share of the copy in percent, in [0, 100]. Default: 71.0.
        speed: the modulation frequency in Hz, in [0.1, 10]. Default: 0.5.
        phase: the phase shift between channels in percent of a period, in [0, 100]. Default: 25.0.
        modulation: the waveform of the delay. Default: `Modulation.SINUSOIDAL`.
        interpolation: how values between samples are computed. Default: `Interpolation.LINEAR`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Flanger(16000)(np.array([[0.1, 0.2]])).shape
        (1, 2)
    """

    _shape = ("channel", "time")

    def __init__(
        self, sample_rate: PositiveRate, delay: Annotated[float, Limits(0, 30)] = 0.0,
        depth: Annotated[float, Limits(0, 10)] = 2.0, regen: Annotated[float, Limits(-95, 95)] = 0.0,
        width: Annotated[float, Limits(0, 100)] = 71.0, speed: Annotated[float, Limits(0.1, 10)] = 0.5,
        phase: Annotated[float, Limits(0, 100)] = 25.0, modulation: Modulation = Modulation.SINUSOIDAL,
        interpolation: Interpolation = Interpolation.LINEAR,
    ) -> None:  # fmt: skip
        minimum = delay / 1000
        depth_seconds = depth / 1000
        self._feedback = regen / 100
        self._share = width / 100
        period = int(sample_rate / speed)
        self._phase = phase / 100
        self._quadratic = interpolation is Interpolation.QUADRATIC
        self._slots = int((minimum + depth_seconds) * sample_rate + 0.5) + 2
        lowest = math.floor(minimum * sample_rate + 0.5)
        self._delays = _modulation(modulation, period, lowest, self._slots - 2, 3 * np.pi / 2)

    def _floats(self, array: Array) -> Array:
        return array  # the result has the type of the wave, also of ints

    def _apply(self, wave: Array) -> Array:
        channels, length = wave.shape[-2:]
        if channels > 4:
            raise ValueError(f"For 'Flanger', the wave must have at most 4 channels, but got the shape {wave.shape}.")
        delays = self._channel_delays(channels, length)
        before = self._slots + 1
        history = np.zeros((*wave.shape[:-1], before + length))
        history[..., before:] = wave
        if self._feedback:
            times = np.arange(-1, length - 1)
            newest = times - delays.min(0, initial=self._slots)[times].astype(int)
            newest[:1] = -1
            for start, stop in _blocks(newest, self._slots):
                fed_back = self._delayed(history, delays, np.arange(max(start - 1, 0), stop - 1))
                history[..., before + max(start, 1) : before + stop] += fed_back * self._feedback
        copy = self._delayed(history, delays, np.arange(length)) * (1 - abs(self._feedback))
        return ((wave + copy * self._share) / (1 + self._share)).clip(-1, 1).astype(wave.dtype)

    def _channel_delays(self, channels: int, length: int) -> Array:
        """Return the delay in samples of each channel at each time."""
        period = len(self._delays)
        shift = (np.arange(channels) * (period * self._phase) + 0.5).astype(int)
        return self._delays[(np.arange(length) + shift[:, None]) % period]

    def _delayed(self, history: Array, delays: Array, times: Array) -> Array:
        """Return the history at some times, delayed by the delays of each channel."""
        delay = delays[:, times]
        whole = delay.astype(int)
        part, position = delay - whole, self._slots + 1 + times - whole
        channel = np.arange(len(delay))[:, None]
        first, second = history[..., channel, position], history[..., channel, position - 1]
        if not self._quadratic:
            return first + (second - first) * part
        rise, far_rise = second - first, history[..., channel, position - 2] - first
        return first + ((far_rise / 2 - rise) * part + 2 * rise - far_rise / 2) * part
