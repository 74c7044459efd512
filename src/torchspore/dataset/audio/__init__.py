"""Transforms of audio: waves (..., time) and spectrograms (..., freq, time).

MindSpore: `mindspore.dataset.audio`.
"""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.dataset.audio.banks import (
    create_dct,
    linear_fbanks,
    melscale_fbanks,
)
from torchspore.dataset.audio.biquads import (
    AllpassBiquad,
    BandBiquad,
    BandpassBiquad,
    BandrejectBiquad,
    BassBiquad,
    DeemphBiquad,
    EqualizerBiquad,
    HighpassBiquad,
    LowpassBiquad,
    RiaaBiquad,
    TrebleBiquad,
)
from torchspore.dataset.audio.effects import (
    Flanger,
    Overdrive,
    Phaser,
)
from torchspore.dataset.audio.enums import (
    BorderType,
    DensityFunction,
    FadeShape,
    GainType,
    Interpolation,
    MelType,
    Modulation,
    NormMode,
    NormType,
    ResampleMethod,
    ScaleType,
    WindowType,
)
from torchspore.dataset.audio.estimates import (
    GriffinLim,
    InverseMelScale,
)
from torchspore.dataset.audio.features import (
    LFCC,
    MFCC,
    ComputeDeltas,
    DetectPitchFrequency,
    SlidingWindowCmn,
)
from torchspore.dataset.audio.filters import (
    Biquad,
    Filtfilt,
    LFilter,
)
from torchspore.dataset.audio.levels import (
    AmplitudeToDB,
    Contrast,
    DBToAmplitude,
    DCShift,
    Dither,
    Fade,
    Gain,
    MuLawDecoding,
    MuLawEncoding,
    Vol,
)
from torchspore.dataset.audio.masking import (
    FrequencyMasking,
    MaskAlongAxis,
    MaskAlongAxisIID,
    TimeMasking,
)
from torchspore.dataset.audio.phases import (
    Angle,
    ComplexNorm,
    Magphase,
    PhaseVocoder,
    TimeStretch,
)
from torchspore.dataset.audio.resampling import (
    PitchShift,
    Resample,
)
from torchspore.dataset.audio.spectrograms import (
    InverseSpectrogram,
    MelScale,
    MelSpectrogram,
    SpectralCentroid,
    Spectrogram,
)

__all__ = [
    "LFCC",
    "MFCC",
    "AllpassBiquad",
    "AmplitudeToDB",
    "Angle",
    "BandBiquad",
    "BandpassBiquad",
    "BandrejectBiquad",
    "BassBiquad",
    "Biquad",
    "BorderType",
    "ComplexNorm",
    "ComputeDeltas",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "DeemphBiquad",
    "DensityFunction",
    "DetectPitchFrequency",
    "Dither",
    "EqualizerBiquad",
    "Fade",
    "FadeShape",
    "Filtfilt",
    "Flanger",
    "FrequencyMasking",
    "Gain",
    "GainType",
    "GriffinLim",
    "HighpassBiquad",
    "Interpolation",
    "InverseMelScale",
    "InverseSpectrogram",
    "LFilter",
    "LowpassBiquad",
    "Magphase",
    "MaskAlongAxis",
    "MaskAlongAxisIID",
    "MelScale",
    "MelSpectrogram",
    "MelType",
    "Modulation",
    "MuLawDecoding",
    "MuLawEncoding",
    "NormMode",
    "NormType",
    "Overdrive",
    "PhaseVocoder",
    "Phaser",
    "PitchShift",
    "Resample",
    "ResampleMethod",
    "RiaaBiquad",
    "ScaleType",
    "SlidingWindowCmn",
    "SpectralCentroid",
    "Spectrogram",
    "TimeMasking",
    "TimeStretch",
    "TrebleBiquad",
    "Vol",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]

_suggest_names(globals())
