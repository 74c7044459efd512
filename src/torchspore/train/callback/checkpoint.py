"""The callback that writes checkpoints during training, and its configuration."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from torchspore.common.frames.user_lines import user_stack_level
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import AnyNumber, AnyPath, NotNegative, Rule, Where, checked
from torchspore.engine.storage.encryption import EncryptionMode
from torchspore.nn.cell import Cell
from torchspore.serialization import background, save_checkpoint
from torchspore.train.callback.callback import Callback, RunContext
from torchspore.train.callback.checkpoint_files import CheckpointManager  # noqa: F401 - MindSpore has it here

__all__ = ["CheckpointConfig", "ModelCheckpoint"]

_SCHEDULE = Rule(
    "at least one of 'save_checkpoint_steps', 'save_checkpoint_seconds', 'keep_checkpoint_max' and "
    "'keep_checkpoint_per_n_minutes' must be > 0",
    lambda save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max, keep_checkpoint_per_n_minutes: (
        save_checkpoint_steps or save_checkpoint_seconds or keep_checkpoint_max or keep_checkpoint_per_n_minutes
    ),
)
_ONE_DICT = Rule(
    "'append_info' must contain one dict. Merge them",
    lambda append_info: sum(isinstance(entry, dict) for entry in append_info or ()) <= 1,
    TypeError,
)
_Appended: TypeAlias = Literal["epoch_num", "step_num"] | dict[str, AnyNumber | Tensor]
_Prefix: TypeAlias = Annotated[str, Where("a function or a string without '/'", lambda prefix: "/" not in prefix)]
_Directory: TypeAlias = Annotated[AnyPath, Where("a path that is not blank", lambda path: os.fspath(path).strip())]


class CheckpointConfig:
    """The schedule of `ModelCheckpoint`, the files to keep, and their format.

    Args:
        save_checkpoint_steps: the number of steps between files. Default: 1.
        save_checkpoint_seconds: the seconds between files, if `save_checkpoint_steps` is 0 or None; if both are,
            no files are written. Default: 0.
        keep_checkpoint_max: the number of newest files to keep. Default: 5.
        keep_checkpoint_per_n_minutes: if `keep_checkpoint_max` is 0 or None, keep the newest file and the first one of
            each interval of this length; 0 keeps all files. Default: 0.
        integrated_save: whether slices on several devices are joined; parameters are not sliced. Default: True.
        async_save: whether files are written in the background: False, True, "thread" or "process". Default: False.
        saved_network: the Cell whose parameters are written. Default: None, the training's network with its optimizer.
        append_info: a list of further values to write: "epoch_num", "step_num", and one dict of numbers, bools, Tensors
            or Parameters. Default: None.
        exception_save: whether a file is written when the training fails or is interrupted. Default: False.
        remove_redundancy: must be False: it applies to several processes.
        enc_key, enc_mode, crc_check, format: as for `save_checkpoint`.
        **kwargs: other names, which only cause a warning.

    Raises:
        ValueError: a value out of its range, no schedule, or `enc_key` or `crc_check` with "safetensors".
        NotImplementedError: `remove_redundancy=True`.

    Examples:
        >>> import torchspore as ms
        >>> config = ms.CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=3, append_info=["epoch_num"])
        >>> config.keep_checkpoint_max
        3
    """

    @checked(_SCHEDULE, _ONE_DICT)
    def __init__(
        self,
        save_checkpoint_steps: NotNegative | None = 1,
        save_checkpoint_seconds: NotNegative | None = 0,
        keep_checkpoint_max: NotNegative | None = 5,
        keep_checkpoint_per_n_minutes: NotNegative | None = 0,
        integrated_save: bool = True,
        async_save: bool | Literal["thread", "process"] = False,
        saved_network: Cell | None = None,
        append_info: list[_Appended] | None = None,
        enc_key: bytes | None = None,
        enc_mode: EncryptionMode = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: Literal["ckpt", "safetensors"] = "ckpt",
        **kwargs: Any,
    ) -> None:
        if kwargs:  # MindSpore accepts any name
            warnings.warn(
                f"For 'CheckpointConfig', there are no arguments {', '.join(kwargs)}, which have no effect. "
                "Remove them, or correct their names.",
                stacklevel=user_stack_level(),
            )
        if remove_redundancy:
            raise NotImplementedError(
                f"{_FOR} 'remove_redundancy' must be False, but got True: parameters are not repeated over processes. "
                "Leave it out."
            )
        if format == "safetensors" and (enc_key is not None or crc_check):
            raise ValueError(f"{_FOR} 'safetensors' supports neither 'enc_key' nor 'crc_check'. Leave them out.")
        # The first non-zero value of each pair is used; the other is None.
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds or 0
        self.keep_checkpoint_max = keep_checkpoint_max or None
        self.keep_checkpoint_per_n_minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes or 0
        self.integrated_save, self.async_save, self.saved_network = integrated_save, async_save, saved_network
        self.append_dict = _append_dict(append_info)
        self.enc_key, self.enc_mode, self.crc_check, self.format = enc_key, enc_mode, crc_check, format
        self.exception_save = exception_save

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the schedule, the files to keep and the network, as a dict."""
        names = (
            "save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max", "keep_checkpoint_per_n_minutes",
            "saved_network",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


class ModelCheckpoint(Callback):
    """Write checkpoints during a training, with the parameters of the network and the optimizer.

    The files are named `prefix-epoch_step.ckpt`, with the step counted within the epoch. If files with the prefix exist
    when the training begins, the new ones are named `prefix_1-...`, `prefix_2-...` and so on. The last step of a
    training is always saved.

    Args:
        prefix: the beginning of the names, without "/"; or a function of the state (see `RunContext`) that returns the
            name without suffix. Default: "CKP".
        directory: the folder, made at once if it does not exist; or a function of the state that returns it.
            Default: None, the current folder.
        config: a `CheckpointConfig`. Default: None, its defaults.

    Raises:
        TypeError: `config` or `directory` has a wrong type.
        ValueError: `prefix` is neither a function nor a string without "/", or `directory` is blank.

    Examples:
        >>> import torchspore as ms
        >>> every_epoch = ms.ModelCheckpoint("lenet", "checkpoints", ms.CheckpointConfig(save_checkpoint_steps=1875))
    """

    @checked
    def __init__(
        self,
        prefix: Callable[[Any], str] | _Prefix = "CKP",
        directory: Callable[[Any], str] | _Directory | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if isinstance(directory, (str, os.PathLike)):
            os.makedirs(directory, exist_ok=True)  # programs look into it before the training
        self._prefix = prefix
        self._directory = directory
        self._config = config or CheckpointConfig()
        self._numbered_prefix: str | None = None
        self._files: list[tuple[str, float]] = []  # of this training, oldest first, with their times
        self._last_step: int | None = None  # None before the first epoch
        self._last_time = 0.0
        self._run_context: RunContext | None = None

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the newest file; "" before there is one."""
        return self._files[-1][0] if self._files else ""

    def begin(self, run_context: RunContext) -> None:
        """Start a series of files."""
        self._numbered_prefix = None
        self._files = []
        self._last_step = None
        self._last_time = time.monotonic()
        self._run_context = run_context

    def epoch_begin(self, run_context: RunContext) -> None:
        """Count from the first step of this training, which may continue an earlier one."""
        if self._last_step is None:
            self._last_step = run_context.original_args().cur_step_num

    def step_end(self, run_context: RunContext) -> None:
        """Write a file, if it is due."""
        steps_since = run_context.original_args().cur_step_num - (self._last_step or 0)
        config = self._config
        if config.save_checkpoint_steps:
            due = steps_since >= config.save_checkpoint_steps
        else:
            seconds = config.save_checkpoint_seconds
            due = bool(seconds) and time.monotonic() - self._last_time >= seconds  # type: ignore[operator]
        if due:
            self._save(run_context.original_args())

    def end(self, run_context: RunContext) -> None:
        """Write the last step, unless it is written or the schedule is empty, and wait for files in progress."""
        state, config = run_context.original_args(), self._config
        has_schedule = config.save_checkpoint_steps or config.save_checkpoint_seconds
        if has_schedule and self._last_step not in (None, state.cur_step_num):
            self._save(state)
        background.wait(report=True)
        self._run_context = None

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Do nothing: evaluations change no parameters."""

    on_eval_epoch_begin = on_eval_step_end = on_eval_end = on_eval_begin

    def __exit__(self, *error: Any) -> None:
        if error[0] is not None and self._config.exception_save and self._run_context is not None:
            state = self._run_context.original_args()
            if self._last_step not in (None, state.cur_step_num):
                self._save(state, "_breakpoint")
        self._run_context = None

    def _save(self, state: Any, suffix: str = "") -> None:
        config = self._config
        folder = os.path.abspath(self._folder(state))
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{self._name(state, folder)}{suffix}.{config.format}")
        appended = dict(config.append_dict or {})
        if "epoch_num" in appended:
            appended["epoch_num"] = state.cur_epoch_num
        if "step_num" in appended:
            appended["step_num"] = state.cur_step_num
        save_checkpoint(
            config.saved_network or state.train_network,
            path,
            async_save=config.async_save,
            append_dict=appended or None,
            enc_key=config.enc_key,
            enc_mode=config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )
        self._last_step = state.cur_step_num
        self._last_time = time.monotonic()
        state.last_save_ckpt_step = state.cur_step_num
        state.latest_ckpt_file = path
        self._files = [entry for entry in self._files if entry[0] != path] + [(path, self._last_time)]
        self._remove_old()

    def _folder(self, state: Any) -> str:
        return os.fspath(self._directory(state) if callable(self._directory) else self._directory or ".")

    def _name(self, state: Any, folder: str) -> str:
        if callable(self._prefix):
            return self._prefix(state)
        if self._numbered_prefix is None:
            self._numbered_prefix = _free_prefix(self._prefix, folder)
        step = (state.cur_step_num - 1) % state.batch_num + 1
        return f"{self._numbered_prefix}-{state.cur_epoch_num}_{step}"

    def _remove_old(self) -> None:
        config = self._config
        old: list[tuple[str, float]] = []
        if config.keep_checkpoint_max:
            old = self._files[: -config.keep_checkpoint_max]
        elif config.keep_checkpoint_per_n_minutes and len(self._files) > 2:
            # The second newest file is kept only if it began a new interval.
            interval = 60 * config.keep_checkpoint_per_n_minutes
            if self._files[-2][1] - self._files[-3][1] < interval:
                old = [self._files[-2]]
        for entry in old:
            self._files.remove(entry)
            if os.path.exists(entry[0]):
                os.remove(entry[0])


_FOR = "For 'CheckpointConfig',"


def _append_dict(info: list[_Appended] | None) -> dict[str, Any] | None:
    """Return the values to write besides the parameters; the epoch and step are set later."""
    if info is None:
        return None
    appended: dict[str, Any] = {}
    for entry in info:
        appended |= entry if isinstance(entry, dict) else {entry: 0}
    return appended


def _free_prefix(prefix: str, folder: str) -> str:
    """Return the prefix, or the prefix with the next number, if files with it exist."""
    pattern = re.compile(re.escape(prefix) + r"(?:_(\d+))?-\d+_\d+\D*\.(?:ckpt|safetensors)")
    found = [match for name in os.listdir(folder) if (match := pattern.fullmatch(name))]
    return f"{prefix}_{max(int(match[1] or 0) for match in found) + 1}" if found else prefix


def _chg_ckpt_file_name_if_same_exist(directory: str, prefix: str, exception: bool = False) -> str:
    """Return the prefix for the files of a new training, as packages with their own callbacks ask for it."""
    return _free_prefix(prefix, directory)
