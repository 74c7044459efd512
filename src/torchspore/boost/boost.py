"""Settings of the optimizations of a network and its optimizer, by level or by a dictionary."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np

from torchspore.boost.base import OptimizerProcess, ParameterProcess
from torchspore.boost.dim_reduce import principal_components
from torchspore.boost.grad_freeze import GradientFreeze
from torchspore.boost.less_batch_normalization import LessBN
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.parameters import checked
from torchspore.nn.cell import Cell
from torchspore.nn.optim import SGD, Optimizer
from torchspore.serialization import load_checkpoint

__all__ = ["AutoBoost"]

_FUNCTIONS = ("less_bn", "grad_freeze", "adasum", "grad_accumulation", "dim_reduce", "loss_scale_group")
_LEVELS = {"O0": (), "O1": ("less_bn", "grad_freeze"), "O2": ("less_bn", "grad_freeze", "adasum")}
_MODES = ("auto", "manual", "enable_all", "disable_all")
# The settings by section, with their defaults.
_SETTINGS: dict[str, dict[str, Any]] = {
    "common": {"gradient_split_groups": None, "device_number": 8},
    "less_bn": {"fn_flag": True, "gc_flag": True},
    "grad_freeze": {"param_groups": 10, "freeze_type": 1, "freeze_p": 0.7, "total_steps": 65536},
    "grad_accumulation": {"grad_accumulation_step": 1},
    "dim_reduce": {
        "rho": 0.55, "gamma": 0.9, "alpha": 0.001, "sigma": 0.4, "n_components": 32, "pca_mat_path": None,
        "weight_load_dir": None, "timeout": 1800,
    },
}  # fmt: skip
# Their attributes, where these have other names.
_ATTRIBUTES = {name: f"_{name}" for section in ("less_bn", "grad_freeze") for name in _SETTINGS[section]}
_ATTRIBUTES["gradient_split_groups"] = "gradient_groups"


@name_constructor
class AutoBoost:
    """The settings of this package for the whole program: the first call fixes them, and every call returns them.

    Args:
        level: the functions to enable: "O0", none; "O1", "less_bn" and "grad_freeze"; "O2", also "adasum", which has
            no effect in fewer than 16 processes. Default: "O0".
        boost_config_dict: sections of settings. Default: "", none.

            - "boost": "mode" is "auto" (according to the level, the default), "manual" (the other keys of this section,
              names of functions, are True or False), "enable_all" or "disable_all".
            - "common": "gradient_split_groups", the positions where parameters are split, and "device_number" (8).
            - "less_bn": "fn_flag" (True), see `LessBN`, and "gc_flag" (True), whether gradients are centralized.
            - "grad_freeze": "param_groups" (10), "freeze_type" (1), "freeze_p" (0.7), "total_steps" (65536), see
              `GradientFreeze`.
            - "grad_accumulation": "grad_accumulation_step" (1), see `GradientAccumulation`.
            - "dim_reduce": "rho" (0.55), "gamma" (0.9), "alpha" (0.001), "sigma" (0.4), "n_components" (32), see
              `DimReduce`; "pca_mat_path", an .npy file with the components, or "weight_load_dir", a folder with
              checkpoints to compute them from; "timeout", unused in a single process.

            A section is used if its function is enabled.

    Attributes:
        boost_config: whether each function is enabled, by name.

    Raises:
        ValueError: an unknown level, mode, section or setting.

    Examples:
        >>> import torchspore as ms
        >>> boost = ms.boost.AutoBoost("O0")
        >>> boost is ms.boost.AutoBoost()
        True
    """

    _instance: AutoBoost | None = None
    boost_config: dict[str, bool]

    def __new__(cls, *args: Any, **kwargs: Any) -> AutoBoost:
        return AutoBoost._instance or object.__new__(cls)

    @checked
    def __init__(
        self, level: Literal["O0", "O1", "O2"] = "O0", boost_config_dict: dict[str, Any] | Literal[""] | None = ""
    ) -> None:
        made = object.__new__(AutoBoost)
        made._set_up(level, boost_config_dict or {})  # checks the settings of every call
        if AutoBoost._instance is None:
            vars(self).update(vars(made))
            AutoBoost._instance = self

    def _set_up(self, level: str, settings: dict[str, Any]) -> None:
        self.level, self.boost_config_dict = level, settings
        self.boost_config = _enabled_functions(level, settings.get("boost", {}))
        for section, names in _SETTINGS.items():
            given = settings.get(section, {})
            _check_names(given, names, section)
            if not self.boost_config.get(section, True):
                given = {}
            for name, default in names.items():
                setattr(self, _ATTRIBUTES.get(name, name), given.get(name, default))
        _check_names(settings, {"boost", *_SETTINGS, *_FUNCTIONS}, "boost_config_dict")
        self.local_pca_mat: np.ndarray | None = None
        self._param_processer = ParameterProcess()

    def network_auto_process_train(self, network: Cell, optimizer: Optimizer) -> tuple[Cell, Optimizer]:
        """Return a network, which may be changed, and its optimizer for training, according to the settings."""
        if self.boost_config["dim_reduce"]:
            self.local_pca_mat = self._components(network)
            optimizer = SGD(network.trainable_params(), learning_rate=1)
            optimizer.dim_reduce = True
            return network, optimizer
        if self.boost_config["less_bn"]:
            network, optimizer = self._with_less_bn(network, optimizer)
        if self.boost_config["grad_freeze"]:
            freeze: Any = (self._param_groups, self._freeze_type, self._freeze_p, self._total_steps)
            network, optimizer = GradientFreeze(*freeze).freeze_generate(network, optimizer)
        return network, optimizer

    def network_auto_process_eval(self, network: Cell) -> Cell:
        """Return a network for evaluation, according to the settings."""
        if self.boost_config["less_bn"] and not self.boost_config["dim_reduce"]:
            return LessBN(network)
        return network

    def _with_less_bn(self, network: Cell, optimizer: Optimizer) -> tuple[Cell, Optimizer]:
        network = LessBN(network, fn_flag=self._fn_flag)
        process = OptimizerProcess(optimizer)
        parameters = self._param_processer.assign_parameter_group(network.trainable_params(), self.gradient_groups)
        process.origin_params = ParameterProcess.generate_group_params(parameters, process.origin_params)
        if self._gc_flag:
            process.add_grad_centralization(network)
        return network, process.generate_new_optimizer()

    def _components(self, network: Cell) -> np.ndarray:
        """Return the components of `DimReduce`, from the file or computed from checkpoints."""
        path, folder = self.pca_mat_path, self.weight_load_dir
        if path is not None:
            try:
                return np.load(path)[: self.n_components]
            except Exception as error:  # NumPy's reader raises many types
                raise ValueError(
                    f"For 'AutoBoost', 'pca_mat_path' is {path!r}, which cannot be read: {error}"
                ) from error
        if folder is None or not os.path.isdir(folder):
            raise ValueError(
                "For 'AutoBoost', 'dim_reduce' needs 'pca_mat_path', or 'weight_load_dir', a folder with checkpoints, "
                f"but got {describe(folder)}."
            )
        names = [parameter.name for parameter in network.trainable_params()]
        samples = []
        for file in sorted(os.listdir(folder)):
            if file.endswith(".ckpt"):
                weights = load_checkpoint(os.path.join(folder, file))
                samples.append(np.concatenate([weights[name].asnumpy().ravel() for name in names]))
        return principal_components(np.array(samples), self.n_components)

    # Set by `_set_up` from _SETTINGS.
    gradient_groups: list[int] | None
    device_number: int
    grad_accumulation_step: int
    n_components: int
    rho: float
    gamma: float
    alpha: float
    sigma: float
    pca_mat_path: str | None
    weight_load_dir: str | None
    _fn_flag: bool
    _gc_flag: bool
    _param_groups: int
    _freeze_type: int
    _freeze_p: float
    _total_steps: int


def _enabled_functions(level: str, given: dict[str, Any]) -> dict[str, bool]:
    """Return whether each function is enabled, by name."""
    mode = given.get("mode", "auto")
    if mode not in _MODES:
        raise ValueError(f"For 'AutoBoost', 'mode' must be one of {_MODES}, but got {describe(mode)}.")
    _check_names(given, {"mode", *_FUNCTIONS}, "boost")
    if mode in ("enable_all", "disable_all"):
        return dict.fromkeys(_FUNCTIONS, mode == "enable_all")
    functions = {name: name in _LEVELS[level] for name in _FUNCTIONS}
    if mode == "manual":
        functions.update({name: value for name, value in given.items() if name != "mode"})
    return functions


def _check_names(given: Any, known: Any, section: str) -> None:
    unknown = sorted(name for name in given if name not in known)
    if unknown:
        raise ValueError(f"For 'AutoBoost', '{section}' has no {unknown[0]!r}. It may have {', '.join(sorted(known))}.")
