"""Numbers that name kinds of errors.

MindSpore: `mindspore.mindrecord.common.enums`.
"""

from __future__ import annotations

import enum

__all__ = ["FAILED", "SUCCESS", "ErrorCodeType", "ErrorLevel", "LogRuntime"]


class MSRStatus(enum.Enum):
    """Whether something was done.

    MindSpore: `mindspore._c_mindrecord.MSRStatus`.
    """

    SUCCESS = 0
    FAILED = 1


SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED


class BaseEnum:
    """The base of collections of numbers.

    MindSpore: `mindspore.mindrecord.common.enums.BaseEnum`.
    """


class LogRuntime(BaseEnum):
    """Where an error has happened."""

    RT_HOST = 0b01
    RT_DEVICE = 0b10


class ErrorCodeType(BaseEnum):
    """Whether a number stands for an error or for an exception."""

    ERROR_CODE = 0b01
    EXCEPTION_CODE = 0b10


class ErrorLevel(BaseEnum):
    """How bad an error is."""

    COMMON_LEVEL = 0b000
    SUGGESTION_LEVEL = 0b001
    MINOR_LEVEL = 0b010
    MAJOR_LEVEL = 0b011
    CRITICAL_LEVEL = 0b100
