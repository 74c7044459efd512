"""Transforms of audio: waves (..., time) and spectrograms (..., freq, time).

The names are from `mindspore.dataset.audio`. All transforms raise a TypeError if an argument or a value has the
wrong type, and a ValueError if a number is outside the documented range or a value has the wrong shape. Their
documentation lists further errors. Filters by coefficients (`LFilter`, `Filtfilt`, and the names that end in "Biquad")
accept waves of floats only.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.dataset.audio.banks import create_dct, linear_fbanks, melscale_fbanks
from torchspore.dataset.audio.base import AudioOperation
from torchspore.dataset.audio.biquads import *
from torchspore.dataset.audio.detection import Vad
from torchspore.dataset.audio.effects import Flanger, Overdrive, Phaser
from torchspore.dataset.audio.enums import *
from torchspore.dataset.audio.estimates import GriffinLim, InverseMelScale
from torchspore.dataset.audio.features import *
from torchspore.dataset.audio.filters import Biquad, Filtfilt, LFilter
from torchspore.dataset.audio.levels import *
from torchspore.dataset.audio.masking import *
from torchspore.dataset.audio.phases import Angle, ComplexNorm, Magphase, PhaseVocoder, TimeStretch
from torchspore.dataset.audio.resampling import PitchShift, Resample
from torchspore.dataset.audio.spectrograms import (
    InverseSpectrogram,
    MelScale,
    MelSpectrogram,
    SpectralCentroid,
    Spectrogram,
)

AudioTensorOperation = AudioOperation  # for `isinstance`

__all__ = [
    "LFCC", "MFCC", "AllpassBiquad", "AmplitudeToDB", "Angle", "BandBiquad", "BandpassBiquad", "BandrejectBiquad",
    "BassBiquad", "Biquad", "BorderType", "ComplexNorm", "ComputeDeltas", "Contrast", "DBToAmplitude", "DCShift",
    "DeemphBiquad", "DensityFunction", "DetectPitchFrequency", "Dither", "EqualizerBiquad", "Fade", "FadeShape",
    "Filtfilt", "Flanger", "FrequencyMasking", "Gain", "GainType", "GriffinLim", "HighpassBiquad", "Interpolation",
    "InverseMelScale", "InverseSpectrogram", "LFilter", "LowpassBiquad", "Magphase", "MaskAlongAxis",
    "MaskAlongAxisIID", "MelScale", "MelSpectrogram", "MelType", "Modulation", "MuLawDecoding", "MuLawEncoding",
    "NormMode", "NormType", "Overdrive", "PhaseVocoder", "Phaser", "PitchShift", "Resample", "ResampleMethod",
    "RiaaBiquad", "ScaleType", "SlidingWindowCmn", "SpectralCentroid", "Spectrogram", "TimeMasking", "TimeStretch",
    "TrebleBiquad", "Vad", "Vol", "WindowType", "create_dct", "linear_fbanks", "melscale_fbanks",
]  # fmt: skip

_suggest_names(globals())
