"""Settings of datasets that change the speed alone."""

from __future__ import annotations

import pytest

import torchspore.dataset as ds


@pytest.mark.parametrize(
    ("name", "before", "value", "wrong"),
    [
        ("callback_timeout", 60, 3, 0),
        ("fast_recovery", True, False, 1),
        ("dynamic_shape", False, True, 1),
        ("video_backend", "CPU", "Ascend", "GPU"),
        ("monitor_sampling_interval", 1000, 5, 0),
        ("enable_autotune", False, True, "yes"),
    ],
)
def test_hints_are_given_back(name, before, value, wrong, monkeypatch):
    monkeypatch.setattr(ds.config, "_values", dict(ds.config._values))
    read, write = getattr(ds.config, f"get_{name}"), getattr(ds.config, f"set_{name}")
    assert read() == before
    write(value)
    assert read() == value
    with pytest.raises((TypeError, ValueError), match=f"For 'set_{name}'"):
        write(wrong)


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        ("numa_enable", "numa_enable", False), ("callback_timeout", "timeout", 9), ("auto_offload", "offload", False),
        ("dynamic_shape", "is_dynamic", False), ("fast_recovery", "fast_recovery", True),
        ("autotune_interval", "interval", 1), ("auto_num_workers", "enable", False),
    ],
)  # fmt: skip
def test_arguments_have_mindspores_names(name, argument, value, monkeypatch):
    monkeypatch.setattr(ds.config, "_values", dict(ds.config._values))
    setter = getattr(ds.config, f"set_{name}")
    setter(**{argument: value})
    assert getattr(ds.config, f"get_{name}")() == value
    for args, kwargs in (((), {}), ((), {"other": value}), ((value, value), {})):
        with pytest.raises(TypeError):
            setter(*args, **kwargs)


def test_tuning_may_name_a_file():
    ds.config.set_enable_autotune(False, "tuned")
    with pytest.raises(TypeError, match=r"For 'set_enable_autotune', 'filepath_prefix' must be a string"):
        ds.config.set_enable_autotune(True, 3)


def test_limits():
    assert (ds.config.INT32_MAX, ds.config.UINT32_MAX) == (2**31 - 1, 2**32 - 1)
