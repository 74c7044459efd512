"""What programs import of MindSpore's compiled runtime, `mindspore._c_expression`: PyTorch stands for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, NoReturn

import torchspore.mint as mint
from torchspore import common, context
from torchspore.amp import strategies as amp  # noqa: F401 - modules of MindSpore's
from torchspore.common import type_numbers as typing  # noqa: F401
from torchspore.common.parameter_info import ParamInfo as ParamInfo
from torchspore.common.tensor import Tensor
from torchspore.engine.api import CustomPassType as CustomPassType
from torchspore.engine.bytecode import get_code_extra as get_code_extra
from torchspore.nn.cell import Cell
from torchspore.nn.precision import MixedPrecisionType as MixedPrecisionType

__all__: list[str] = []

_QUESTIONS = {
    **{name: name for name in sorted(context._OPTIONS)},
    "device_target": "device_target",
    "device_id": "device_id",
}
ms_ctx_param = SimpleNamespace(**_QUESTIONS)
"""The options that `MSContext.get_param` knows."""

TensorPy = Tensor
Cell_ = Cell
op_enum = SimpleNamespace(str_to_enum=lambda op_name, arg_name, enum_str: enum_str)  # operations take strings
NoFallbackGuard = nullcontext  # there is no other way of running an operation to fall back to


class MSContext:
    """The options of the environment, as MindSpore's runtime has them."""

    _instance: MSContext | None = None

    @classmethod
    def get_instance(cls) -> MSContext:
        """Return the only instance."""
        cls._instance = cls._instance or cls()
        return cls._instance

    def get_param(self, param: str) -> Any:
        """Return an option, an attribute of `ms_ctx_param`."""
        return context.get_context(param)

    def set_param(self, param: str, value: Any) -> None:
        """Set an option, an attribute of `ms_ctx_param`."""
        context.set_context(**{param: value})

    def get_ascend_soc_version(self) -> str:
        """Return the kind of the Ascend card; "" as MindSpore does without one."""
        return ""

    def ascend_soc_supports_feature(self, feature: str) -> bool:
        """Return False: what only Ascend cards can do is never needed here."""
        return False

    def is_ascend_plugin_loaded(self) -> bool:
        """Return False."""
        return False

    def is_pkg_support_device(self, device: str) -> bool:
        """Return whether operations can run on a kind of device."""
        return device in ("CPU", context.get_context("device_target"))


class TensorTransform:
    """What would split tensors over processes again for MindSpore's automatic parallel training."""

    _instance: TensorTransform | None = None

    @classmethod
    def get_instance(cls) -> TensorTransform:
        """Return the only instance."""
        cls._instance = cls._instance or cls()
        return cls._instance

    def transform_tensor_sharding(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "For 'TensorTransform.transform_tensor_sharding', tensors are not split over processes automatically here. "
            "Use the collectives of `mint.distributed`."
        )


def is_reboot_node() -> bool:
    """Return False: nothing restarts a single process of a training."""
    return False


def jit_mode_pi_enable() -> bool:
    """Return True: `jit(capture_mode="bytecode")` always captures."""
    return True


jit_mode_pi_disable = jit_mode_pi_enable


def update_pijit_default_config(**kwargs: Any) -> None:
    """Change nothing: the settings tune MindSpore's analysis of bytecode."""


def disable_multi_thread() -> None:
    """Change nothing: operations start in the thread that calls them."""


def _framework_profiler_step_start() -> None:
    """Change nothing: `Profiler` measures the steps itself."""


def _framework_profiler_step_end() -> None:
    """Change nothing, as `_framework_profiler_step_start`."""


def _ms_memory_recycle() -> None:
    """Return unused memory of the device to the system."""
    from torchspore.hal import empty_cache

    empty_cache()


def pyboost_empty(inputs: Sequence[Any]) -> Tensor:
    """Return a tensor whose values packages for MindSpore 2.3 to 2.6 set later: zeros, since some forget to.

    Args:
        inputs: its shape, data type and device.
    """
    size, dtype, device = inputs
    return mint.empty(tuple(size), dtype=dtype, device=device).zero_()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(common, name)
