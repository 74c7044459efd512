"""Messages: their levels, forms and files, as environment variables say."""

from __future__ import annotations

import re

import pytest

from torchspore import log

MESSAGES = ("debug", "info", "warning", "error", "critical")


@pytest.fixture
def settings(monkeypatch):
    """Play environment variables; return the function that sets them."""
    monkeypatch.setattr(log, "_environment", dict(log._DEFAULTS))

    def choose(**values):
        log._environment.update(values)
        log._get_logger.cache_clear()

    choose()
    yield choose
    for handler in log._get_logger().handlers if log._environment["GLOG_v"].isdecimal() else []:
        handler.close()
    log._get_logger.cache_clear()


@pytest.mark.parametrize("level", range(5))
def test_levels(settings, capsys, level):
    settings(GLOG_v=str(level))
    assert log.get_level() == str(level)
    for name in MESSAGES:
        getattr(log, name)("said %s", name)
    shown = re.findall(
        r"^\[(\w+)\] TorchSpore\(\d+:\d+,\w+\):[-\d:.]+ \[(\S+):\d+\] said (\w+)$", capsys.readouterr().err, re.M
    )
    assert [(name.upper(), name) for name in MESSAGES[level:]] == [(tag, said) for tag, _, said in shown]
    assert {path for _, path, _ in shown} == {__file__}


def test_files(settings, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("RANK_ID", "3")
    settings(GLOG_v="1", GLOG_logtostderr="0", GLOG_log_dir=str(tmp_path), GLOG_stderrthreshold="3")
    for name in MESSAGES:
        getattr(log, name)("said %s", name)
    (file,) = (tmp_path / "rank_3" / "logs").iterdir()
    assert re.findall(r"said (\w+)", file.read_text()) == list(MESSAGES[1:])
    assert re.findall(r"said (\w+)", capsys.readouterr().err) == list(MESSAGES[3:])
    assert log.get_log_config()["GLOG_log_dir"] == str(tmp_path)


def test_configuration(settings):
    assert log.get_log_config() == {"GLOG_v": "2", "GLOG_logtostderr": "1"}


@pytest.mark.parametrize(
    "values",
    [
        {"GLOG_v": "7"}, {"GLOG_v": "x"}, {"GLOG_logtostderr": "2"}, {"GLOG_logtostderr": "0"},
        {"GLOG_stderrthreshold": "9"}, {"logger_maxBytes": "-1"}, {"logger_backupCount": "many"},
    ],
)  # fmt: skip
def test_refusals(settings, values):
    settings(**values)
    name = next(iter(values))
    with pytest.raises(ValueError, match=f"^For 'log', the environment variable {name if len(values) > 1 else ''}"):
        log.warning("never seen")
    settings(**log._DEFAULTS)
