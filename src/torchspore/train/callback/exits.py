"""Callbacks for interrupted trainings: `OnRequestExit` and `BackupAndRestore`."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Annotated, Any, Literal, TypeAlias

from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.parameters import AnyPath, Limits, Positive, Where, checked
from torchspore.engine.storage.reading import read_json
from torchspore.nn.cell import Cell
from torchspore.ops.distributed.process_groups import get_rank
from torchspore.serialization import export, load_checkpoint, load_param_into_net, save_checkpoint
from torchspore.train.callback.callback import Callback, RunContext

__all__ = ["BackupAndRestore", "OnRequestExit"]


_Catchable: TypeAlias = Annotated[
    int,
    Limits(1),
    Where("a signal that can be caught, such as SIGTERM", lambda sig: sig not in (signal.SIGKILL, signal.SIGSTOP)),
]


class OnRequestExit(Callback):
    """End a training or an evaluation after the current step on request, and save it.

    The request is a signal, or `{"GracefulExit": 1}` in a file that is read at each step. The parameters of the network
    and the optimizer are written to `directory/rank_0/file_name_train.ckpt`, or `..._eval.ckpt` for an evaluation, with
    the rank of the process. A training or evaluation loads that file when it begins, if it exists.

    Beside it, `..._train.mindir` has the network, and `..._eval.mindir` the one that is evaluated, as `export` writes
    them: in inference mode, for batches of the size of the last one. There is a warning for a network that it refuses.

    Args:
        save_ckpt: whether the parameters are saved. Default: True.
        save_mindir: whether the network is saved. Default: True.
        file_name: the name of the files, without suffix. Default: "Net".
        directory: the folder. Default: "./".
        config_file: a JSON file. Default: None.
        sig: the signal; not SIGKILL or SIGSTOP, which cannot be caught. Default: SIGTERM.

    Raises:
        ValueError: a signal that cannot be caught; in a training, a `config_file` that is not a valid JSON object.

    Examples:
        >>> import torchspore as ms
        >>> on_request = ms.OnRequestExit(file_name="lenet")
    """

    @checked
    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str = "./",
        config_file: str | None = None,
        sig: _Catchable = signal.SIGTERM,
    ) -> None:
        self.save_ckpt, self.save_mindir, self.sig = save_ckpt, save_mindir, sig
        self._path = os.path.join(os.path.abspath(directory), "rank_{}", file_name)
        self._config_file = config_file
        self._requested = False
        self._previous_handler: Any = None
        self._installed = False

    def __enter__(self) -> OnRequestExit:
        self._requested = False
        if threading.current_thread() is threading.main_thread():  # the only one that can handle signals
            self._previous_handler = signal.signal(self.sig, self._note_signal)
            self._installed = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._installed:
            signal.signal(self.sig, self._previous_handler)
            self._installed = False

    def on_train_begin(self, run_context: RunContext) -> None:
        """Load the file of an interrupted training."""
        self._load(run_context.original_args().train_network, "train")

    def on_train_step_end(self, run_context: RunContext) -> None:
        """End the training, if requested."""
        self._stop(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Save the network, if requested."""
        state = run_context.original_args()
        self._save(state.train_network, "train")
        element = state.train_dataset_element
        self._export(state.network, element if state.loss_fn is None else element[:1], "train")

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Load the file of an interrupted evaluation or training, unless within a training."""
        state = run_context.original_args()
        if "train_network" not in state:
            self._load(state.eval_network, "eval") or self._load(state.eval_network, "train")

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """End the evaluation, if requested."""
        self._stop(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Save the network, if requested, unless within a training, whose end does."""
        state = run_context.original_args()
        if "train_network" not in state:
            self._save(state.eval_network, "eval")
            self._export(state.eval_network, state.eval_dataset_element, "eval")

    def _note_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested = True

    def _stop(self, run_context: RunContext) -> None:
        self._requested = self._requested or self._requested_by_file()
        if self._requested:
            run_context.request_stop()

    def _requested_by_file(self) -> bool:
        if self._config_file is None or not os.path.exists(self._config_file):
            return False
        try:
            return read_json(self._config_file, dict).get("GracefulExit") == 1
        except (OSError, ValueError) as error:
            raise ValueError(
                f"For 'OnRequestExit', 'config_file' must be a JSON object such as {{\"GracefulExit\": 1}}, but "
                f"{self._config_file!r} is not: {error}."
            ) from error

    def _file(self, stage: str, suffix: str = "ckpt") -> str:
        return f"{self._path.format(get_rank())}_{stage}.{suffix}"

    def _load(self, network: Cell, stage: str) -> bool:
        found = os.path.exists(self._file(stage))
        if found:
            load_param_into_net(network, load_checkpoint(self._file(stage)))
        return found

    def _save(self, network: Cell, stage: str) -> None:
        if self._requested and self.save_ckpt:
            os.makedirs(os.path.dirname(self._file(stage)), exist_ok=True)
            save_checkpoint(network, self._file(stage))

    def _export(self, network: Cell, inputs: Sequence[Any], stage: str) -> None:
        if self._requested and self.save_mindir:
            try:
                export(network, *inputs, file_name=self._file(stage, "mindir"), file_format="MINDIR")
            except (ValueError, ModuleNotFoundError) as reason:
                warn_user(f"For 'OnRequestExit', the network is not saved as MINDIR: {reason}")


class BackupAndRestore(Callback):
    """Save the parameters of the network and the optimizer after epochs, and load them when a training restarts.

    The file is `backup_dir/backup.ckpt`. It does not hold the number of the epoch: pass `initial_epoch` to
    `Model.train`.

    Args:
        backup_dir: the folder, made if it does not exist.
        save_freq: the number of epochs between saves, or "epoch" for 1. Default: "epoch".
        delete_checkpoint: whether the file is deleted after a complete training. Default: True.

    Examples:
        >>> import torchspore as ms
        >>> backup = ms.BackupAndRestore("backup", save_freq=2)
    """

    @checked
    def __init__(
        self, backup_dir: AnyPath, save_freq: Literal["epoch"] | Positive = "epoch", delete_checkpoint: bool = True
    ) -> None:
        self.backup_file = os.path.join(os.path.abspath(backup_dir), "backup.ckpt")
        self.save_freq = 1 if save_freq == "epoch" else save_freq
        self.delete_checkpoint = delete_checkpoint

    def on_train_begin(self, run_context: RunContext) -> None:
        """Load the file, if it exists."""
        if os.path.exists(self.backup_file):
            load_param_into_net(run_context.original_args().train_network, load_checkpoint(self.backup_file))

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Write the file, if it is due."""
        state = run_context.original_args()
        if state.cur_epoch_num % self.save_freq == 0:
            os.makedirs(os.path.dirname(self.backup_file), exist_ok=True)
            save_checkpoint(state.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        """Delete the file."""
        if self.delete_checkpoint and os.path.exists(self.backup_file):
            os.remove(self.backup_file)
