"""The base of transforms: the conversion of their inputs, and their random numbers."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import torch

from torchspore.common.error_classes import also
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.tensor import Tensor
from torchspore.dataset import config
from torchspore.dataset.parameters import Operation, checked, declared_arguments
from torchspore.dataset.pipeline.given_arguments import Arguments, note_arguments
from torchspore.dataset.rows.draws import Draws, draws_of
from torchspore.dataset.rows.values import Array
from torchspore.engine.failures.naming import explain_unnamed, name_constructor
from torchspore.engine.parameters import Length

__all__ = [
    "Array", "CallingTransform", "PyTensorOperation", "Random", "TensorOperation", "Transforms",
    "as_array", "given_array", "is_pil", "random_parts",
]  # fmt: skip

Transforms: TypeAlias = Annotated[list[Operation], Length(1)]

EXECUTORS_LIST: dict[str, Any] = {}  # MindSpore keeps threads of transforms that are called by themselves there
_replaced_before = False  # whether the warning that replaces the image engine of Ascend was given


def _as_in_pipelines(error: Exception, inputs: tuple[Any, ...] = ()) -> Exception:
    """Return an error of ours as one that programs written for MindSpore catch too, others unchanged.

    There it is a RuntimeError, and a TypeError if a value is neither an array nor an image.
    """
    if isinstance(error, RuntimeError) or not isinstance(error, (TypeError, ValueError)):
        return error
    if type(error).__module__ != "builtins" or not str(error).startswith("For '"):
        return error
    kinds = [kind for kind in (TypeError, ValueError) if isinstance(error, kind)]
    if TypeError not in kinds and not all(isinstance(each, np.ndarray) or is_pil(each) for each in inputs):
        kinds.append(TypeError)
    made = also(*kinds, RuntimeError)(*error.args)
    made.__cause__ = error.__cause__
    return made.with_traceback(error.__traceback__)


class PyTensorOperation(Arguments):
    """The base of all transforms, and of those that programs write: they define `__call__`, or `_execute_py`.

    `_execute_py` gets the value unchanged.

    Examples:
        >>> import torchspore.dataset.transforms as transforms
        >>> class Double(transforms.PyTensorOperation):
        ...     def _execute_py(self, value):
        ...         return 2 * value
        >>> Double()(3)
        6

    MindSpore: `mindspore.dataset.transforms.transforms.PyTensorOperation`.
    """

    long_and_safe = False  # may run on threads: NumPy, torch and Pillow release the interpreter's lock
    on_objects = False  # MindSpore runs it as Python code on Python objects, and so what it is composed with
    random = False  # whether results differ from call to call
    device_target = "CPU"
    implementation: Any = None
    output_type: Any = None
    _several = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declared_arguments(cls)
        name_constructor(cls, _as_in_pipelines)  # MindSpore checks some arguments in the first call
        note_arguments(cls)

    def __call__(self, *inputs: Any) -> Any:
        api = type(self).__name__
        if not inputs or (len(inputs) > 1 and not self._several):
            raise also(TypeError, RuntimeError)(
                f"For '{api}', there must be one value to transform, but got {len(inputs)}. Use a 'map' for each "
                f"column."
            )
        try:
            return self._transform([self._taken(value) for value in inputs])
        except Exception as error:
            explained = _as_in_pipelines(explain_unnamed(error, api, {"inputs": inputs}), inputs)
            try:
                if explained is error:
                    raise
                raise explained
            finally:
                del explained  # else the traceback's frames keep themselves alive

    def _taken(self, value: Any) -> Any:
        return value

    def _transform(self, values: list[Any]) -> Any:
        return self._execute_py(*values)

    def _execute_py(self, value: Any) -> Any:
        raise NotImplementedError(f"For '{type(self).__name__}', a subclass must define `__call__` or `_execute_py`.")

    @checked
    def device(self, device_target: Literal["CPU", "Ascend"] = "CPU") -> PyTensorOperation:
        """Choose the device for the transform, and return the transform.

        Args:
            device_target: "CPU"; "Ascend", whose image engine is not supported, means the CPU too, with one warning.
                Default: "CPU".
        """
        if device_target == "Ascend":
            _replace_image_engine(f"{type(self).__name__}.device")
        return self

    def to_json(self) -> str:
        """Return the class and the attributes, for `from_json`."""
        kept = {name: value for name, value in vars(self).items() if name != "given"}
        return json.dumps(
            {"tensor_op_params": kept, "tensor_op_name": type(self).__name__, "python_module": type(self).__module__}
        )

    @classmethod
    def from_json(cls, json_string: str) -> PyTensorOperation:
        """Return a transform with the attributes, "tensor_op_params", that `to_json` wrote.

        Args:
            json_string: the attributes.
        """
        made = cls.__new__(cls)
        vars(made).update(json.loads(json_string))
        return made


class TensorOperation(PyTensorOperation):
    """The base of the transforms of this package: callable with one value, and some of them with several.

    Transforms raise TypeError for an argument or a value of another type, and ValueError for one outside its range,
    which for values are also RuntimeErrors, as in MindSpore;
    their documentation names only what else they raise.

    Examples:
        >>> import torchspore.dataset.transforms as transforms
        >>> isinstance(transforms.Fill(1), transforms.TensorOperation)
        True

    MindSpore: `mindspore.dataset.transforms.transforms.TensorOperation`.
    """

    long_and_safe = True
    parts: Sequence[Any] = ()  # the transforms that it calls as MindSpore's C++ code does
    is_a_list = False  # whether it is only another way to write its parts

    def _taken(self, value: Any) -> Any:
        return as_array(type(self).__name__, value)

    def _transform(self, values: list[Any]) -> Any:
        return self._apply(values[0])

    def _apply(self, value: Any) -> Any:
        return self._execute_py(value)


def _replace_image_engine(api: str) -> None:
    global _replaced_before
    if not _replaced_before:
        _replaced_before = True
        warn_user(
            f"For '{api}', the image engine of Ascend cards is not supported, and the transform runs on the CPU. "
            "This is said once."
        )


class CallingTransform(TensorOperation):
    """The base of transforms that call others, `transforms`, with their values unchanged."""

    transforms: list[Any]

    @property
    def parts(self) -> Sequence[Any]:  # type: ignore[override]
        """The transforms."""
        return self.transforms

    @property
    def long_and_safe(self) -> bool:  # type: ignore[override]
        """Whether the transforms may run on threads."""
        return all(getattr(each, "long_and_safe", False) for each in self.transforms)

    def _taken(self, value: Any) -> Any:
        return value


class Random:
    """The base of transforms with random numbers of their own, as opposed to those of NumPy's and Python's generators.

    In a pipeline they are those of the lane of the row. Elsewhere each call begins with the seed of `config`, if it is
    set, as in MindSpore.
    """

    random = True

    def _random(self) -> Draws:
        """Return the random numbers for the current call."""
        return draws_of(self) or Draws(config.current_seed())


def random_parts(transforms: Sequence[Any]) -> list[tuple[Random, bool]]:
    """Return the transforms with random numbers of their own, and whether each is a part of another transform."""
    found: dict[int, tuple[Random, bool]] = {}
    for each in transforms:
        if isinstance(each, TensorOperation):
            parts = [(part, is_part or not each.is_a_list) for part, is_part in random_parts(each.parts)]
            found |= {id(part[0]): part for part in parts}
        if isinstance(each, Random):
            found[id(each)] = each, False
    return [*found.values()]


def is_pil(value: Any) -> bool:
    """Return whether a value is a PIL image."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(value, module.Image)


def given_array(api: str, value: Any, wanted: str = "NumPy array") -> Array:
    """Return a value to transform, which must be an array already: lists and tensors are not images or sound."""
    if not isinstance(value, np.ndarray):
        raise TypeError(
            f"For '{api}', the value must be a {wanted}, but got {type(value).__name__}. Convert it by np.asarray."
        )
    return value


def as_array(api: str, value: Any) -> Array:
    """Return a value to transform as an array."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Tensor):
        return value.asnumpy()
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, (bool, int, float, str, bytes, np.generic, list, tuple)) or is_pil(value):
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.array(None)
        if array.dtype.kind != "O":
            return array
    raise TypeError(
        f"For '{api}', the value must be a NumPy array, or numbers or strs in lists of equal lengths, but got "
        f"{value!r:.100} ({type(value).__name__})."
    )


def clean_unused_executors() -> None:
    """Do nothing: transforms that are called by themselves have no threads."""
