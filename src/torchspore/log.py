"""Messages with MindSpore's levels, through Python's `logging`, under the name "torchspore".

The environment variables are read when TorchSpore is imported, and checked at the first message:

- `GLOG_v`: the minimum level that is shown: 0 debug, 1 info, 2 warning (the default), 3 error, 4 critical.
- `GLOG_logtostderr`: 1, the default, shows messages on the standard error; 0 writes them to a file in
  `GLOG_log_dir`, below `rank_<number>/logs`, the number from `RANK_ID` or `RANK`.
- `GLOG_stderrthreshold`: with a file, the minimum level that is also shown. The default is 2.
- `logger_maxBytes` and `logger_backupCount`: the size at which a new file is started, 52428800 by default, and
  the number of old files to keep, 30 by default.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any

__all__ = ["critical", "debug", "error", "get_level", "get_log_config", "info", "warning"]

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_FORMAT = (
    "[%(levelname)s] TorchSpore(%(process)d:%(thread)d,%(processName)s):%(asctime)s.%(msecs)03d "
    "[%(pathname)s:%(lineno)d] %(message)s"
)
_TIME = "%Y-%m-%d-%H:%M:%S"
_DEFAULTS = {
    "GLOG_v": "2", "GLOG_logtostderr": "1", "GLOG_log_dir": "", "logger_maxBytes": str(50 * 2**20),
    "logger_backupCount": "30", "GLOG_stderrthreshold": "2",
}  # fmt: skip
_environment = {name: os.environ.get(name, "") or default for name, default in _DEFAULTS.items()}


class _StandardError(logging.StreamHandler):  # type: ignore[type-arg]  # Python 3.10 cannot subscript it
    """Writes to what `sys.stderr` is at the moment of the message."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, value: Any) -> None:
        raise AttributeError("the stream is always sys.stderr")


@cache
def _get_logger() -> logging.Logger:
    """Return the logger, made from the environment."""
    config = get_log_config()
    logger = logging.Logger("torchspore", _LEVELS[int(config["GLOG_v"])])
    handlers: list[logging.Handler] = [_StandardError()]
    if config["GLOG_logtostderr"] == "0":
        handlers[0].setLevel(_LEVELS[int(config["GLOG_stderrthreshold"])])
        handlers.append(_file(config))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORMAT, _TIME))
        logger.addHandler(handler)
    return logger


def _file(config: dict[str, str]) -> logging.Handler:
    from logging.handlers import RotatingFileHandler  # they load modules for networks

    folder = os.path.join(
        config["GLOG_log_dir"], f"rank_{os.environ.get('RANK_ID') or os.environ.get('RANK', '0')}", "logs"
    )
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return RotatingFileHandler(
        os.path.join(folder, f"torchspore.log.{os.getpid()}"),
        maxBytes=int(config["logger_maxBytes"]),
        backupCount=int(config["logger_backupCount"]),
        encoding="utf-8",
        delay=True,
    )


_once: ContextVar[str | None] = ContextVar("once", default=None)  # the key under which warnings are logged once
_logged: set[str] = set()


class _LogActionOnce:
    """A decorator: of all warnings of the functions with the same key, only the first is logged.

    Args:
        logger: this module.
        key: the key.
        no_warning: whether not even the first is logged. Default: False.
    """

    def __init__(self, logger: Any, key: str, no_warning: bool = False) -> None:
        self.key = key
        if no_warning:
            _logged.add(key)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(func)
        def quiet(*args: Any, **kwargs: Any) -> Any:
            token = _once.set(self.key)
            try:
                return func(*args, **kwargs)
            finally:
                _once.reset(token)

        return quiet


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of the level debug.

    Args:
        msg: the message, in which `args` are filled in, as `%` does.
        args: the values.
        kwargs: as for `logging`.

    Raises:
        ValueError: an environment variable has a value that is not accepted.

    Examples:
        >>> import torchspore as ms
        >>> ms.log.debug("seen %d times", 3)
    """
    _get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of the level info; see `debug`.

    Examples:
        >>> import torchspore as ms
        >>> ms.log.info("seen %d times", 3)
    """
    _get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of the level warning; see `debug`.

    Examples:
        >>> import torchspore as ms
        >>> ms.log.warning("seen %d times", 3)
    """
    key = _once.get()
    if key is not None:
        if key in _logged:
            return
        _logged.add(key)
    _get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of the level error; see `debug`.

    Examples:
        >>> import torchspore as ms
        >>> ms.log.error("seen %d times", 3)
    """
    _get_logger().error(msg, *args, stacklevel=2, **kwargs)


def critical(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message of the level critical; see `debug`.

    Examples:
        >>> import torchspore as ms
        >>> ms.log.critical("seen %d times", 3)
    """
    _get_logger().critical(msg, *args, stacklevel=2, **kwargs)


def get_level() -> str:
    """Return the minimum level that is shown, a digit: "0" for debug to "4" for critical.

    Raises:
        ValueError: an environment variable has a value that is not accepted.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_level() in ("0", "1", "2", "3", "4")
        True
    """
    return get_log_config()["GLOG_v"]


def get_log_config() -> dict[str, str]:
    """Return the settings of the log; settings of files only when there are files.

    Raises:
        ValueError: an environment variable has a value that is not accepted.

    Examples:
        >>> import torchspore as ms
        >>> sorted(ms.get_log_config())[:2]
        ['GLOG_logtostderr', 'GLOG_v']
    """
    for name, accepted in {"GLOG_v": "01234", "GLOG_stderrthreshold": "01234", "GLOG_logtostderr": "01"}.items():
        if len(_environment[name]) != 1 or _environment[name] not in accepted:
            _refuse(name, f"one of {', '.join(accepted)}")
    for name in ("logger_maxBytes", "logger_backupCount"):
        if not _environment[name].isdecimal():
            _refuse(name, "a number")
    if _environment["GLOG_logtostderr"] == "1":
        return {name: _environment[name] for name in ("GLOG_v", "GLOG_logtostderr")}
    if not _environment["GLOG_log_dir"]:
        _refuse("GLOG_log_dir", "a folder, as GLOG_logtostderr is 0")
    return dict(_environment)


def _refuse(name: str, accepted: str) -> None:
    raise ValueError(
        f"For 'log', the environment variable {name} must be {accepted}, but it was {_environment[name]!r} when "
        "TorchSpore was imported."
    )


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("_"))]
