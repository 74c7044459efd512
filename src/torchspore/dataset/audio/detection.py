"""Detection of speech: SoX's `vad`, which trims the silence before it."""

from __future__ import annotations

import math

import numpy as np

from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.parameters import Float32, Natural, NotNegativeFloat32, PositiveFloat32, ruled
from torchspore.dataset.transforms.base import Array
from torchspore.engine.parameters import Rule

__all__ = ["Vad"]

_LOUDNESS = 21  # SoX adds it to the logarithm, so that measures of speech are positive


def _hann(length: int) -> Array:
    """Return a periodic Hann window as SoX scales it."""
    return (1 - np.cos(2 * np.pi * np.arange(length) / length)) / math.sqrt(length)


def _rounded(value: float) -> float:
    """Return a number as float32 holds it, as MindSpore does."""
    return float(np.float32(value))


def _kept(seconds: float, frequency: float) -> float:
    """Return the share that an average of this time constant keeps from one measurement to the next."""
    return math.exp(-1 / (seconds * frequency)) if seconds else 0.0


class _Meter:
    """Measures how much each channel of a wave resembles speech, in frames of increasing time.

    The cepstrum of the spectrum above the estimated noise is large where a voice has harmonics.
    """

    def __init__(self, vad: Vad, channels: int) -> None:
        self._vad = vad
        self._spectrum = np.zeros((channels, vad.stop - vad.start))
        self._noise = np.zeros_like(self._spectrum)
        self._count = 0

    def measure(self, frames: Array) -> Array:
        vad = self._vad
        booting = self._count <= vad.boot_count
        found = np.abs(np.fft.rfft(frames * vad.window, vad.size))[:, vad.start : vad.stop]
        kept = self._count / (1 + self._count) if booting else vad.smooth
        self._spectrum = self._spectrum * kept + found * (1 - kept)
        power = self._spectrum**2
        slow = np.zeros_like(power) if booting else np.where(power > self._noise, vad.noise_up, vad.noise_down)
        self._noise = self._noise * slow + power * (1 - slow)
        self._count += 1
        speech = np.zeros((len(frames), vad.size // 2))
        speech[:, vad.start : vad.stop] = np.sqrt((power - vad.reduction * self._noise).clip(0)) * vad.lifter
        cepstrum = np.abs(np.fft.rfft(speech))[:, vad.low : vad.high] ** 2
        with np.errstate(divide="ignore"):
            return np.fmax(0, _LOUDNESS + np.log(cepstrum.mean(1)))


class Vad(AudioOperation):
    """Trims silence and quiet sounds before speech. All channels are trimmed together.

    A wave without speech keeps its last `search_time`, with one measurement and `pre_trigger_time`. Times are in
    seconds, from 0 to 16777216; frequencies are in Hz, above 0.

    Args:
        sample_rate: the sampling rate in Hz, > 0.
        trigger_level: the measurement from which a sound is speech. Default: 7.0.
        trigger_time: the time constant that ignores short sounds. Default: 0.25.
        search_time: how far before the detected speech quieter or shorter sounds are searched. Default: 1.0.
        allowed_gap: the longest gap between these sounds. Default: 0.25.
        pre_trigger_time: the time that is kept before the first sound. Default: 0.0.
        boot_time: the time of the first estimate of the noise. Default: 0.35.
        noise_up_time: the time constant of the noise while it increases. Default: 0.1.
        noise_down_time: the time constant while it decreases, at most `noise_up_time`. Default: 0.01.
        noise_reduction_amount: the amount of noise that is subtracted. Default: 1.35.
        measure_freq: the number of measurements in a second. Default: 20.0.
        measure_duration: the duration of a measurement. Default: None, two periods of `measure_freq`.
        measure_smooth_time: the time constant of the spectrum. Default: 0.4.
        hp_filter_freq: the lowest frequency that is measured. Default: 50.0.
        lp_filter_freq: the highest frequency that is measured. Default: 6000.0.
        hp_lifter_freq: the lowest pitch of a voice. Default: 150.0.
        lp_lifter_freq: the highest pitch of a voice. Default: 2000.0.

    Raises:
        ValueError: also if no frequency, no pitch or no measurement is within the limits.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.audio as audio
        >>> audio.Vad(600)(np.zeros(1000)).shape
        (660,)
    """

    @ruled(
        Rule(
            "'noise_up_time' must not be less than 'noise_down_time'",
            lambda noise_up_time, noise_down_time: noise_up_time >= noise_down_time,
        )
    )
    def __init__(
        self, sample_rate: Natural, trigger_level: Float32 = 7.0, trigger_time: NotNegativeFloat32 = 0.25,
        search_time: NotNegativeFloat32 = 1.0, allowed_gap: NotNegativeFloat32 = 0.25,
        pre_trigger_time: NotNegativeFloat32 = 0.0, boot_time: NotNegativeFloat32 = 0.35,
        noise_up_time: NotNegativeFloat32 = 0.1, noise_down_time: NotNegativeFloat32 = 0.01,
        noise_reduction_amount: NotNegativeFloat32 = 1.35, measure_freq: PositiveFloat32 = 20.0,
        measure_duration: NotNegativeFloat32 | None = None, measure_smooth_time: NotNegativeFloat32 = 0.4,
        hp_filter_freq: PositiveFloat32 = 50.0, lp_filter_freq: PositiveFloat32 = 6000.0,
        hp_lifter_freq: PositiveFloat32 = 150.0, lp_lifter_freq: PositiveFloat32 = 2000.0,
    ) -> None:  # fmt: skip
        self._level = trigger_level
        measures, duration = _rounded(measure_freq), _rounded(measure_duration or 0.0)
        self._trigger = _kept(_rounded(trigger_time), measures)
        self._search = _rounded(search_time), measures
        self._gap = int(_rounded(allowed_gap) * measures + 0.5)
        self.boot_count = int(_rounded(boot_time) * measures - 0.5)
        self.noise_up, self.noise_down = [_kept(_rounded(time), measures) for time in (noise_up_time, noise_down_time)]
        self.reduction = _rounded(noise_reduction_amount)
        self.smooth = _kept(_rounded(measure_smooth_time), measures)
        self._period = int(sample_rate / measures + 0.5)
        self._length = int(sample_rate * (duration or 2 / measures) + 0.5)
        if not self._search[0] or not self._period or not self._length:
            raise ValueError(
                "For 'Vad', 'search_time', 'measure_duration' and the period of 'measure_freq' must hold at least one "
                f"measurement and sample, but got {search_time}, {measure_duration} and {measure_freq} Hz at "
                f"{sample_rate} Hz."
            )
        frequencies = hp_filter_freq, lp_filter_freq, hp_lifter_freq, lp_lifter_freq
        self._set_bands(sample_rate, *map(_rounded, frequencies))
        self._before = int(_rounded(pre_trigger_time) * sample_rate + 0.5)

    def _set_bands(self, rate: int, lowest: float, highest: float, low_pitch: float, high_pitch: float) -> None:
        """Set the size of the transforms, their windows, and what of the spectrum and the cepstrum is measured."""
        self.size = max(16, 1 << (self._length - 1).bit_length())
        self.window = _hann(self._length)
        self.start = max(int(lowest / rate * self.size + 0.5), 1)
        self.stop = min(int(highest / rate * self.size + 0.5), self.size // 2)
        self.low = math.ceil(rate / 2 / high_pitch)
        self.high = min(math.floor(rate / 2 / low_pitch), self.size // 4)
        if self.stop <= self.start or self.high <= self.low:
            empty = self.stop <= self.start
            kind, low, high = ("filter", lowest, highest) if empty else ("lifter", low_pitch, high_pitch)
            raise ValueError(
                f"For 'Vad', the range from 'hp_{kind}_freq' to 'lp_{kind}_freq' must contain frequencies that can be "
                f"measured at {rate} Hz, but got {low} to {high} Hz: widen it."
            )
        self.lifter = _hann(self.stop - self.start)

    def _apply(self, wave: Array) -> Array:
        channels = wave.reshape(-1, wave.shape[-1])
        meter = _Meter(self, len(channels))
        # MindSpore multiplies in the type of the wave: 0.2 s of float64 hold five measurements of 20 Hz, not four.
        searched = math.ceil(np.multiply(*self._search, dtype=wave.dtype))
        longest = self._before + searched * self._period + self._length
        measures, means = np.zeros((len(channels), searched)), np.zeros(len(channels))
        for count, end in enumerate(range(self._length, wave.shape[-1], self._period)):
            newest = count % searched
            measures[:, newest] = meter.measure(channels[:, end - self._length : end])
            means = means * self._trigger + measures[:, newest] * (1 - self._trigger)
            if (triggered := means >= self._level).any():
                # SoX looks at the channels in turn, and at none before the first that triggers.
                heard = np.roll(measures[triggered.argmax() :, ::-1], newest + 1, axis=1)
                back = max(map(self._steps_back, heard))
                return wave[..., max(0, end - longest + (searched - back) * self._period) :]
        return wave[..., wave.shape[-1] - longest :]

    def _steps_back(self, heard: Array) -> int:
        """Return how many measurements before the newest the sounds begin; the newest comes first."""
        last = begin = len(heard)
        for step, measure in enumerate(heard):
            if measure >= self._level and step <= last + self._gap:
                last = begin = step
            elif measure == 0 and last >= begin:
                begin = step
        return min(len(heard) - 1, begin)
