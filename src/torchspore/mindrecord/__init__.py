"""MindRecord: files of rows with fields, an index beside each, and reading them in any order.

All check their arguments when called. Their documentation lists further errors.

MindSpore: `mindspore.mindrecord`.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.mindrecord.categories import *
from torchspore.mindrecord.converters import *
from torchspore.mindrecord.encryption import *
from torchspore.mindrecord.enums import *
from torchspore.mindrecord.errors import *
from torchspore.mindrecord.reader import *
from torchspore.mindrecord.tfrecord import *
from torchspore.mindrecord.writer import *

__all__ = [
    "FAILED", "SUCCESS", "Cifar10ToMR", "Cifar100ToMR", "CsvToMR", "DbConnectionError", "ErrorCodeType", "ErrorLevel",
    "FileReader", "FileWriter", "ImageNetToMR", "LogRuntime", "MRMAddIndexError", "MRMAddSchemaError",
    "MRMBuildSchemaError", "MRMCloseError", "MRMCommitError", "MRMDefineBlobError", "MRMDefineCategoryError",
    "MRMDefineIndexError", "MRMFetchCandidateFieldsError", "MRMFetchDataError", "MRMFinishError",
    "MRMGenerateIndexError", "MRMGetMetaError", "MRMIndexGeneratorError", "MRMInitSegmentError",
    "MRMInvalidHeaderSizeError", "MRMInvalidPageSizeError", "MRMInvalidSchemaError", "MRMLaunchError", "MRMOpenError",
    "MRMOpenForAppendError", "MRMReadCategoryInfoError", "MRMSetHeaderError", "MRMUnsupportedSchemaError",
    "MRMValidateDataError", "MRMWriteDatasetError", "MindPage", "MindRecordException", "MnistToMR", "ParamMissError",
    "ParamTypeError", "ParamValueError", "PathNotExistsError", "TFRecordToMR", "UnknownError", "set_dec_mode",
    "set_enc_key", "set_enc_mode",
]  # fmt: skip

_suggest_names(globals())
