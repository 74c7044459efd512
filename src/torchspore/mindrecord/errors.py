"""The exceptions of MindRecord.

MindSpore: `mindspore.mindrecord.common.exceptions`.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "DbConnectionError", "MRMAddIndexError", "MRMAddSchemaError", "MRMBuildSchemaError", "MRMCloseError",
    "MRMCommitError", "MRMDefineBlobError", "MRMDefineCategoryError", "MRMDefineIndexError",
    "MRMFetchCandidateFieldsError", "MRMFetchDataError", "MRMFinishError", "MRMGenerateIndexError", "MRMGetMetaError",
    "MRMIndexGeneratorError", "MRMInitSegmentError", "MRMInvalidHeaderSizeError", "MRMInvalidPageSizeError",
    "MRMInvalidSchemaError", "MRMLaunchError", "MRMOpenError", "MRMOpenForAppendError", "MRMReadCategoryInfoError",
    "MRMSetHeaderError", "MRMUnsupportedSchemaError", "MRMValidateDataError", "MRMWriteDatasetError",
    "MindRecordException", "ParamMissError", "ParamTypeError", "ParamValueError", "PathNotExistsError", "UnknownError",
]  # fmt: skip

_COMMON = 0x50541000  # the first numbers of three groups of errors
_STEPS = _COMMON + 0x1064
_SCHEMA = _COMMON + 0x20C8


class MindRecordException(Exception):
    """The base of the exceptions of MindRecord.

    Examples:
        >>> from torchspore.mindrecord import MRMInvalidSchemaError
        >>> print(MRMInvalidSchemaError("no field"))
        [MRMInvalidSchemaError]: Schema format is error. Detail: no field
    """

    _code = _COMMON
    _text = "Unknown Error."

    def __init__(self, *details: object) -> None:
        self._error_msg = self._text.format(*details)
        self._error_code = self._code
        self._shown = f"[{type(self).__name__}]: {self._error_msg}"
        super().__init__()

    @classmethod
    def saying(cls, message: str) -> MindRecordException:
        """Return the exception whose whole text is a message."""
        error = cls.__new__(cls)
        error._error_msg, error._error_code, error._shown = message, cls._code, message
        return error

    def __str__(self) -> str:
        return self._shown

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).saying, (self._shown,)

    @property
    def error_msg(self) -> str:
        """What has happened."""
        return self._error_msg

    @property
    def error_code(self) -> int:
        """The number of the error."""
        return self._error_code


def _error(
    name: str, code: int, text: str, *bases: type[Exception], details: tuple[str, ...] = ()
) -> type[MindRecordException]:
    """Return the class of an exception; `bases` are Python's own kinds of error that it is, too."""

    def init(self: MindRecordException, *args: object, **kwargs: object) -> None:
        given = dict(zip(details, args), **kwargs)
        if len(args) > len(details) or set(given) != set(details):
            raise TypeError(f"For '{name}', the arguments must be {list(details)}, but got {[*args, *kwargs]}.")
        MindRecordException.__init__(self, *[given[each] for each in details])

    members = {
        "_code": code, "_text": text, "__init__": init, "__module__": __name__, "__qualname__": name,
        "__doc__": f"{text.format(*[f'({each})' for each in details])}\n\n"
                   f"    MindSpore: `mindspore.mindrecord.{name}`.\n    ",
    }  # fmt: skip
    return type(name, (MindRecordException, *bases), members)


UnknownError = _error("UnknownError", _COMMON, "Unknown Error.")
ParamTypeError = _error(
    "ParamTypeError", _COMMON + 1, "Invalid parameter type. '{}' expect {} type.", TypeError,
    details=("param_name", "expected_type"),
)  # fmt: skip
ParamValueError = _error(
    "ParamValueError", _COMMON + 2, "Invalid parameter value. {}", ValueError, details=("error_detail",)
)
ParamMissError = _error("ParamMissError", _COMMON + 3, "Param missing. '{}' is required.", details=("param_name",))
PathNotExistsError = _error(
    "PathNotExistsError", _COMMON + 4, "Invalid path. {}", FileNotFoundError, details=("error_path",)
)
DbConnectionError = _error(
    "DbConnectionError", _COMMON + 5, "Db connection is error. Detail: {}", RuntimeError, details=("error_detail",)
)


def _step(name: str, number: int, text: str) -> type[MindRecordException]:
    return _error(name, _STEPS + number, text, RuntimeError)


MRMOpenError = _step("MRMOpenError", 0, "MindRecord File could not open successfully.")
MRMOpenForAppendError = _step("MRMOpenForAppendError", 1, "MindRecord File could not open successfully for append.")
MRMInvalidPageSizeError = _step("MRMInvalidPageSizeError", 2, "Failed to set page size.")
MRMInvalidHeaderSizeError = _step("MRMInvalidHeaderSizeError", 3, "Failed to set header size.")
MRMSetHeaderError = _step("MRMSetHeaderError", 4, "Failed to set header.")
MRMWriteDatasetError = _step("MRMWriteDatasetError", 5, "Failed to write dataset.")
MRMCommitError = _step("MRMCommitError", 7, "Failed to commit.")
MRMLaunchError = _step("MRMLaunchError", 8, "Failed to launch.")
MRMFinishError = _step("MRMFinishError", 9, "Failed to finish.")
MRMCloseError = _step("MRMCloseError", 10, "Failed to close.")
MRMAddSchemaError = _step("MRMAddSchemaError", 11, "Failed to add schema.")
MRMAddIndexError = _step("MRMAddIndexError", 12, "Failed to add index field.")
MRMBuildSchemaError = _step("MRMBuildSchemaError", 13, "Failed to build schema.")
MRMGetMetaError = _step("MRMGetMetaError", 14, "Failed to get meta info.")
MRMIndexGeneratorError = _step("MRMIndexGeneratorError", 15, "Failed to create index generator.")
MRMGenerateIndexError = _step("MRMGenerateIndexError", 16, "Failed to generate index.")
MRMInitSegmentError = _step("MRMInitSegmentError", 17, "Failed to initialize segment.")
MRMFetchCandidateFieldsError = _step("MRMFetchCandidateFieldsError", 18, "Failed to fetch candidate category fields.")
MRMReadCategoryInfoError = _step("MRMReadCategoryInfoError", 19, "Failed to read category information.")
MRMFetchDataError = _step("MRMFetchDataError", 20, "Failed to fetch data by category.")


def _of_schema(name: str, number: int, text: str, base: type[Exception] = ValueError) -> type[MindRecordException]:
    return _error(name, _SCHEMA + number, text + " Detail: {}", base, details=("error_detail",))


MRMInvalidSchemaError = _of_schema("MRMInvalidSchemaError", 0, "Schema format is error.")
MRMValidateDataError = _of_schema("MRMValidateDataError", 1, "Raw data do not match the schema.")
MRMDefineIndexError = _of_schema("MRMDefineIndexError", 2, "Failed to define index field.")
MRMDefineBlobError = _of_schema("MRMDefineBlobError", 3, "Failed to define blob field.")
MRMUnsupportedSchemaError = _of_schema("MRMUnsupportedSchemaError", 4, "Schema is not supported.")
MRMDefineCategoryError = _of_schema("MRMDefineCategoryError", 5, "Failed to define category field.")
