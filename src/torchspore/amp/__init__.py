"""Mixed precision: networks in float16 or bfloat16, and scaled losses."""

from __future__ import annotations

from torchspore.amp.automatic import listed as _listed
from torchspore.amp.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from torchspore.amp.loss_scaler import (
    DynamicLossScaler,
    LossScaler,
    StaticLossScaler,
    _grad_scale_map,  # noqa: F401 - MindSpore's documentation imports it
    _grad_unscale_map,  # noqa: F401
)
from torchspore.amp.mixed_precision import (
    AMP_BLACK_LIST,  # noqa: F401 - packages import it
    AMP_WHITE_LIST,  # noqa: F401
    _auto_black_list,  # noqa: F401
    _auto_mixed_precision_rewrite,  # noqa: F401
    auto_mixed_precision,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from torchspore.amp.train_network import (
    _config_level,  # noqa: F401 - packages import it
    build_train_network,
)
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.ops.updates.loss_scaling import all_finite

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager", "LossScaler",
    "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network", "custom_mixed_precision",
    "get_black_list", "get_white_list",
]  # fmt: skip

_suggest_names(globals(), _listed)
