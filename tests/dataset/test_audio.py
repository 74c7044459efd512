"""Audio transforms: as recorded, or by their formulas where MindSpore draws random numbers or is wrong."""

from __future__ import annotations

import json
import pathlib
import pickle
import sys

import numpy as np
import pytest

import torchspore as ms
from torchspore.dataset import audio
from torchspore.dataset.rows.draws import Draws, draws_of
from torchspore.dataset.transforms.base import Random

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import audio_cases as cases

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / "data/dataset_audio.json").read_text(encoding="utf-8"))
# Of the maximum: MindSpore computes in float32, and filters of low frequencies, phases and deviations add its
# rounding up.
EXACT, ADDED_UP, HALVES = 3e-6, 3e-5, 2e-3
ADDING_UP = ("Biquad", "TimeStretch", "SlidingWindowCmn", "PitchShift", "GriffinLim")
# Errors that MindSpore has not, or has as a KeyError: where it gives what is in unused memory, or for dicts that lack
# something.
STRICTER = {
    "A.InverseMelScale(5, sgdargs={'lr': 1.0})": ValueError,
    "A.InverseMelScale(5, sgdargs={'sgd_lr': '1'})": TypeError,
    "A.LFCC(8000, 6, 4, speckwargs={'n_fft': '1'})": TypeError,
    "A.LFCC(8000, 6, 4, speckwargs={'what': 1})": TypeError,
    "A.LFilter([], [])": ValueError,
    "A.LowpassBiquad(100, 50.0)(np.float32(1))": ValueError,
    "A.MFCC(0)": ValueError,
    "A.PitchShift(0, 1)": ValueError,
    "A.MFCC(8000, 40, melkwargs={'n_mels': 30})": ValueError,
    "A.MFCC(8000, melkwargs={'n_fft': '1'})": TypeError,
    "A.MFCC(8000, melkwargs={'what': 1})": TypeError,
    "A.Resample(1, 1, beta='1')": TypeError,
    "A.SpectralCentroid(0)": ValueError,
    "A.TimeStretch(5, 10, 1.5)(z)": ValueError,
}
W = cases.INPUTS["w"]
S = cases.INPUTS["s"]


@pytest.mark.parametrize("expression", cases.EXPRESSIONS)
def test_recorded(expression):
    found, recorded = cases.plain(eval(expression, cases.namespace(audio))), RECORDED[expression]
    many = isinstance(recorded, list)
    assert not many or len(found) == len(recorded)
    for ours, theirs in zip(found, recorded) if many else [(found, recorded)]:
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        part = ADDED_UP if any(name in expression for name in ADDING_UP) else EXACT
        part = HALVES if ours["dtype"] == "float16" else part
        allowed = part * np.abs(theirs["values"]).max(initial=0)
        np.testing.assert_allclose(ours["values"], theirs["values"], rtol=0, atol=allowed)


@pytest.mark.parametrize("expression", cases.ERRORS)
def test_errors(expression):
    names, recorded = cases.namespace(audio), RECORDED[expression]
    if recorded is None and expression not in STRICTER:
        eval(expression, names)
        return
    called = expression[2 : expression.index("(")]
    with pytest.raises((TypeError, ValueError), match=f"^For '{called}', ") as raised:
        eval(expression, names)
    if expression in STRICTER or recorded["error"] != "RuntimeError":  # theirs for what is found wrong when it runs
        assert (
            raised.type.__name__ == getattr(STRICTER.get(expression), "__name__", None)
            or raised.type.__name__ == recorded["error"]
        )


def test_what_is_recorded_is_in_the_tables():
    assert sorted(RECORDED) == sorted([*cases.EXPRESSIONS, *cases.ERRORS])
    assert STRICTER.keys() <= set(cases.ERRORS)


@pytest.mark.parametrize("length", [1, 2, 5, 300, 4001])
@pytest.mark.parametrize("a", [[2.0], [1.0, -0.5], [1.0, -1.6, 0.9], [0.5, 0.1, -0.2, 0.1, 0.05]])
def test_recursive_filters_follow_the_difference_equation(a, length):
    b = [0.3, -0.2, 0.1, 0.5, 0.4][: len(a)]
    x = np.random.default_rng(length).normal(size=length)
    y = np.zeros(length)
    for n in range(length):
        past = range(1, min(len(a), n + 1))
        y[n] = (b[0] * x[n] + sum(b[k] * x[n - k] - a[k] * y[n - k] for k in past)) / a[0]
    np.testing.assert_allclose(audio.LFilter(a, b, clamp=False)(x), y, atol=1e-9)


@pytest.mark.parametrize(
    ("transform", "axis", "longest"),
    [
        (lambda: audio.FrequencyMasking(True, 3, mask_value=7.0), 1, 3),
        (lambda: audio.TimeMasking(True, 4, mask_value=7.0), 2, 4),
        (lambda: audio.MaskAlongAxisIID(2, 7.0, 1), 1, 2),
        (lambda: audio.MaskAlongAxisIID(9, 7.0, 2), 2, 9),
    ],
)
def test_masks_at_random(transform, axis, longest):
    ms.dataset.config.set_seed(3)
    mask, widths, starts = transform(), set(), set()
    for _ in range(400):
        covered = mask(S) == 7
        rows = covered.all(axis=(0, 3 - axis))
        assert covered.sum() == rows.sum() * covered.size / len(rows)
        (places,) = np.nonzero(rows)
        assert len(places) == 0 or places[-1] - places[0] + 1 == len(places)
        widths.add(len(places))
        starts.update(places[:1].tolist())
    assert widths == set(range(longest + 1))
    assert starts == set(range(S.shape[axis]))


@pytest.fixture(autouse=True)
def _draws(monkeypatch):
    """Let calls outside pipelines continue one sequence, although a seed is set."""
    draws = Draws(5)
    monkeypatch.setattr(Random, "_random", lambda transform: draws_of(transform) or draws)


@pytest.mark.parametrize("function", [audio.DensityFunction.RPDF, audio.DensityFunction.GPDF])
def test_dither_at_random(function):
    dither = audio.Dither(function)
    drawn = [dither(W) for _ in range(20)]
    steps = np.array(drawn) * 2**15
    np.testing.assert_array_equal(steps, steps.round())
    assert len({each.tobytes() for each in drawn}) > 1
    assert np.abs(steps / (2**15 - 2) - W).max() < 9 / 2**15


def test_an_inverse_mel_scale_has_the_bands():
    scale = audio.MelScale(4, 8000, n_stft=11)
    bands = scale(S)
    found = audio.InverseMelScale(11, 4, 8000, max_iter=3000, sgdargs={"sgd_lr": 0.3})(bands)
    assert found.shape == S.shape
    assert found.dtype == S.dtype
    assert found.min() >= 0
    np.testing.assert_allclose(scale(found), bands, atol=0.02)


@pytest.mark.parametrize("length", [None, 40, 33, 50])
def test_griffin_lim_finds_the_spectrogram(length):
    spectrogram = audio.Spectrogram(16, hop_length=4)
    ms.dataset.config.set_seed(3)
    wave = audio.GriffinLim(16, 200, hop_length=4, length=length)(spectrogram(W))
    assert wave.shape == (2, length or 40)
    if length in (None, 40):
        error = spectrogram(wave) ** 0.5 - spectrogram(W) ** 0.5
        assert np.linalg.norm(error) < 0.25 * np.linalg.norm(spectrogram(W) ** 0.5)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
def test_inverse_spectrograms_are_inverse(center, normalized):
    options = {"n_fft": 16, "hop_length": 4, "window": audio.WindowType.HAMMING, "center": center}
    spectrogram = audio.Spectrogram(power=0, normalized=normalized, **options)
    wave = audio.InverseSpectrogram(normalized=normalized, **options)(spectrogram(W))
    np.testing.assert_allclose(wave, W, atol=1e-6)


@pytest.mark.parametrize(
    "transform",
    [
        audio.MelSpectrogram(8000, 16, n_mels=4),
        audio.MFCC(8000, 4, melkwargs={"n_fft": 32, "n_mels": 6}),
        audio.LFCC(8000, 6, 4, speckwargs={"n_fft": 32}),
    ],
)
def test_float64_gives_what_float32_gives(transform):
    """MindSpore reads the memory of float64 as float32 there."""
    found = transform(W.astype(np.float64))
    assert found.dtype == (np.float64 if isinstance(transform, audio.MelSpectrogram) else np.float32)
    np.testing.assert_allclose(found, transform(W), rtol=1e-3, atol=1e-3)


def test_missing_options_have_the_defaults():
    names = cases.namespace(audio)
    short = audio.MFCC(8000, 4, melkwargs={"n_fft": 32, "n_mels": 6})(W)
    np.testing.assert_array_equal(short, audio.MFCC(8000, 4, melkwargs=names["mel"]())(W))
    short = audio.LFCC(8000, 6, 4, speckwargs={"n_fft": 32})(W)
    np.testing.assert_array_equal(short, audio.LFCC(8000, 6, 4, speckwargs=names["spec"]())(W))


@pytest.mark.parametrize("shift", [0.5, 0.2])
def test_shifts_down_mirror_shifts_up(shift):
    """MindSpore inverts the sign of values at the lower limit."""
    down = audio.DCShift(-shift, 0.02)(-W)
    np.testing.assert_allclose(down, -audio.DCShift(shift, 0.02)(W), atol=1e-7)


def test_amin_is_the_least_that_counts():
    """MindSpore does not look at it."""
    np.testing.assert_allclose(audio.AmplitudeToDB(amin=0.1)(np.array([[1.0, 0.1, 0.01]])), [[0, -10, -10]])


def test_a_pipeline_of_transforms():
    transforms = [audio.MelSpectrogram(8000, 16, n_mels=4), audio.TimeMasking(True, 2)]
    data = ms.dataset.NumpySlicesDataset({"wave": W}, shuffle=False).map(transforms, "wave")
    assert [row["wave"].shape for row in data.create_dict_iterator(output_numpy=True)] == [(4, 6), (4, 6)]


@pytest.mark.parametrize("make", [audio.Phaser, audio.Flanger, audio.DetectPitchFrequency])
def test_rates_are_positive(make):
    with pytest.raises(ValueError, match="'sample_rate' must be > 0, but got -8000"):
        make(-8000)


@pytest.mark.parametrize("transform", [audio.LowpassBiquad(8000, 500.0), audio.Spectrogram(16), audio.Phaser(8000)])
def test_transforms_reach_other_processes(transform):
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(transform))(W), transform(W))


def test_a_sample_rate_that_is_set_later_counts():
    wave = np.sin(np.arange(1600) / 5)
    late, early = audio.DetectPitchFrequency(4000, win_length=3), audio.DetectPitchFrequency(8000, win_length=3)
    late.sample_rate = 8000
    np.testing.assert_array_equal(late(wave), early(wave))


def _speech(rate, start, seconds=3):
    """Return quiet noise, and from a time on two words with harmonics."""
    random, time = np.random.default_rng(1), np.arange(seconds * rate) / rate
    spoken = ((time > start) & (time < start + 0.4)) | ((time > start + 0.6) & (time < start + 1.0))
    return random.normal(0, 1e-4, len(time)) + 0.1 * spoken * sum(
        np.sin(2 * np.pi * 180 * order * time) / order for order in range(1, 12)
    )


@pytest.mark.parametrize("rate", [8000, 16000])
@pytest.mark.parametrize("start", [1.2, 1.5, 1.9])
def test_silence_before_speech_is_trimmed(rate, start):
    wave = _speech(rate, start)
    kept = audio.Vad(rate)(wave)
    np.testing.assert_array_equal(kept, wave[len(wave) - len(kept) :])
    assert 0 <= start - (3 - len(kept) / rate) < 0.2
    assert len(audio.Vad(rate, pre_trigger_time=0.25)(wave)) == len(kept) + rate // 4


def test_channels_are_trimmed_together():
    early, late = _speech(8000, 1.2), _speech(8000, 1.8)
    kept = audio.Vad(8000)(np.stack([late, early]))
    assert kept.shape == (2, len(audio.Vad(8000)(early)))
