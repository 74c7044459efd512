"""Calls of dataset APIs with one wrong argument each, which `tests/data/record_arguments.py` ran under MindSpore.

Names: `T`, `V`, `X` and `A` are `dataset.transforms`, `vision`, `text` and `audio`; `ds` is `dataset`; `rows` is one.
"""

from __future__ import annotations

import re

_BIQUAD = {"sample_rate": "16000", "central_freq": "2000.0", "Q": "0.7"}
_PROB = {"prob": "0.5"}

# (call, valid arguments)
CALLS = {
    **dict.fromkeys(("A.AllpassBiquad", "A.BandrejectBiquad"), _BIQUAD),
    "A.BandBiquad": {**_BIQUAD, "noise": "True"},
    "A.EqualizerBiquad": {"sample_rate": "16000", "center_freq": "2000.0", "gain": "3.0", "Q": "0.7"},
    "A.LowpassBiquad": {"sample_rate": "16000", "cutoff_freq": "2000.0", "Q": "0.7"},
    "A.Biquad": dict.fromkeys(("b0", "b1", "b2", "a0", "a1", "a2"), "1.0"),
    "A.AmplitudeToDB": {"stype": "A.ScaleType.POWER", "ref_value": "1.0", "amin": "1e-10", "top_db": "80.0"},
    "A.Contrast": {"enhancement_amount": "75.0"},
    "A.DCShift": {"shift": "0.5", "limiter_gain": "0.02"},
    "A.Fade": {"fade_in_len": "3", "fade_out_len": "4", "fade_shape": "A.FadeShape.LINEAR"},
    "A.Flanger": {"sample_rate": "16000", "delay": "1.0", "depth": "2.0", "regen": "0.0", "width": "71.0"},
    "A.LFilter": {"a_coeffs": "[1.0, 0.2]", "b_coeffs": "[0.3, 0.2]", "clamp": "True"},
    "A.TimeMasking": {"iid_masks": "False", "time_mask_param": "0", "mask_start": "0", "mask_value": "0.0"},
    "A.Phaser": {"sample_rate": "16000", "gain_in": "0.4", "gain_out": "0.7", "delay_ms": "3.0", "decay": "0.4"},
    "A.Resample": {"orig_freq": "16000", "new_freq": "8000", "rolloff": "0.9"},
    "A.Spectrogram": {"n_fft": "40", "pad": "0", "window": "A.WindowType.HANN", "power": "2.0", "onesided": "True"},
    "A.Vad": {"sample_rate": "600", "trigger_level": "7.0", "search_time": "1.0", "measure_freq": "20.0"},
    "T.Concatenate": {"axis": "0", "prepend": "np.array([9])"},
    "T.Fill": {"fill_value": "1"},
    "T.Mask": {"operator": "T.Relational.GT", "constant": "2"},
    "T.OneHot": {"num_classes": "5", "smoothing_rate": "0.1"},
    "T.PadEnd": {"pad_shape": "[5]", "pad_value": "1"},
    "T.RandomApply": {"transforms": "[T.Fill(1)]", "prob": "1.0"},
    "V.AdjustGamma": {"gamma": "0.7", "gain": "1.0"},
    "V.AdjustHue": {"hue_factor": "0.2"},
    "V.Affine": {"degrees": "1", "translate": "(0, 0)", "scale": "1", "shear": "(0, 0)", "resample": "V.Inter.NEAREST"},
    "V.AutoContrast": {"cutoff": "5.0", "ignore": "[1, 2]"},
    "V.CenterCrop": {"size": "5"},
    "V.Crop": {"coordinates": "(1, 2)", "size": "(4, 5)"},
    "V.CutMixBatch": {"image_batch_format": "V.ImageBatchFormat.NHWC", "alpha": "1.0", "prob": "0.5"},
    "V.CutOut": {"length": "4", "num_patches": "2", "is_hwc": "True"},
    "V.Erase": {"top": "1", "left": "2", "height": "4", "width": "5", "inplace": "False"},
    "V.GaussianBlur": {"kernel_size": "3", "sigma": "1.5"},
    "V.Pad": {"padding": "[1, 2, 3, 4]", "fill_value": "7", "padding_mode": "V.Border.CONSTANT"},
    "V.PadToSize": {"size": "(20, 22)", "offset": "(1, 1)", "fill_value": "7"},
    "V.Posterize": {"bits": "3"},
    "V.RandAugment": {"num_ops": "2", "magnitude": "3", "num_magnitude_bins": "10"},
    "V.RandomColorAdjust": {"brightness": "(1, 1)", "hue": "(0, 0)"},
    "V.RandomCrop": {"size": "(16, 18)", "padding": "None", "fill_value": "0"},
    **dict.fromkeys(("V.RandomHorizontalFlip", "V.RandomInvert", "V.RandomGrayscale", "V.RandomEqualize"), _PROB),
    "V.RandomPerspective": {"distortion_scale": "0.5", "prob": "0.0"},
    "V.RandomResizedCrop": {"size": "(4, 5)", "scale": "(0.5, 1.0)"},
    "V.RandomRotation": {"degrees": "30", "expand": "False", "fill_value": "0"},
    "V.Resize": {"size": "(4, 5)", "interpolation": "V.Inter.NEAREST"},
    "V.Solarize": {"threshold": "(100, 200)"},
    "X.AddToken": {"token": "'x'", "begin": "True"},
    "X.Truncate": {"max_seq_len": "2"},
    "X.Vocab.from_list": {"word_list": "['a', 'b']", "special_first": "True"},
    "ds.DistributedSampler": {"num_shards": "2", "shard_id": "0"},
    "ds.FakeImageDataset": {"num_images": "2", "num_classes": "3", "num_samples": "1", "num_parallel_workers": "1"},
    "rows.batch": {"batch_size": "2", "drop_remainder": "True", "max_rowsize": "16"},
    "rows.map": {"operations": "[abs]", "input_columns": "['a']", "output_columns": "['a']"},
    "rows.project": {"columns": "['a']"},
    "rows.rename": {"input_columns": "['a']", "output_columns": "['c']"},
    "rows.skip": {"count": "2"},
    "rows.shuffle": {"buffer_size": "2"},
    "rows.split": {"sizes": "[1, 2]", "randomize": "False"},
}
# MindSpore names the second mistake, a wrong type, and we the first.
OF_TWO_MISTAKES = {
    "V.RandomResizedCrop(size=(4, 5), scale=[-1, 'a'])": "[0, 16777216]",
    "V.Solarize(threshold=[-1, 'a'])": "[0, 255]",
}
WRONG = ["None", "'x'", "True", "-1", "1.5", "[-1, 'a']", "2**40", "{}"]
# Of MindSpore's errors and of ours. Without the limit of workers, the number of cores.
_TYPES = re.compile(r"of type (?:[\[(](.*)[\])]|(.*?)), but got", re.S)
_KINDS = re.compile(r"must be (an? .*?|one of .*?), but got", re.S)  # the words of declarations
_OF_ELEMENTS = re.compile(r" of (?:\d+ )?\w+(?: or \w+s\b)?")
_NAMES = {"number": "float, int", "string": "str", "array": "ndarray"}
_INTERVAL = re.compile(r"(?:interval of|must be in) ([\[(][^\])]*[\])](?: (?:and|or) [\[(][^\])]*[\])])?)", re.S)


def expressions() -> list[str]:
    """Return the calls, each with one argument replaced."""
    return [
        f"{call}({', '.join(f'{key}={wrong if key == name else valid}' for key, valid in arguments.items())})"
        for call, arguments in CALLS.items()
        for name in arguments
        for wrong in WRONG
    ]


def statement(error: Exception) -> str | None:
    """Return what an error says that is accepted: the names of the types, sorted, or the interval."""
    if found := _TYPES.search(str(error)):
        names = re.findall(r"'([\w.]+)'", found[1]) if found[1] else re.split(", | or ", found[2])
        return ", ".join(sorted(name.rpartition(".")[2] for name in names))
    if found := _KINDS.search(str(error)):
        kinds = re.findall(r"\ban? (\w+)|\[(\w+)\.|\b(bytes)", _OF_ELEMENTS.sub("", found[1]))
        return ", ".join(sorted([_NAMES.get(kind, kind) for kind in map("".join, kinds)]))
    found = _INTERVAL.search(str(error))
    if found is None:
        return None
    given = dict(re.findall(r"(\w+)=(\S+) \(int\)", str(error)))  # of parameters that are limits of others
    return re.sub("|".join(given) or "$^", lambda name: given[name[0]], found[1].replace(" and ", " or "))


def same(said: str | None, recorded: str) -> bool:
    """Return whether an error accepts what MindSpore's does; that may leave out a tuple, a list or a bool."""
    names, others = ({*text.split(", ")} - {"tuple", "bool"} for text in (said or "", recorded))
    if "Number" in others:
        names, others = names - {"float", "int"}, others - {"Number"}
    return said == recorded or names in (others, others | {"list"})


def outcome(expression: str, names: dict) -> list[str] | None:
    """Return the class of the error of a call, and its statement; None without such an error."""
    try:
        eval(expression, names)
    except Exception as error:
        said = statement(error)
        return None if said is None else [type(error).__name__, said]
    return None


def namespace(ms, ds, transforms, vision, text, audio) -> dict:
    """Return the names that the expressions use."""
    import numpy as np

    rows = ds.NumpySlicesDataset({"a": [1, 2, 3]}, shuffle=False)
    return {"np": np, "ms": ms, "ds": ds, "T": transforms, "V": vision, "X": text, "A": audio, "rows": rows}
