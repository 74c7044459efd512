"""Resume interrupted trainings, bit-exact."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch.distributed as dist

from torchspore.common.random import all_states, checked_states
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.parameters import AnyPath, Positive, checked
from torchspore.engine.storage.reading import parse_json
from torchspore.nn.cell import Cell
from torchspore.serialization import load_checkpoint, load_param_into_net, save_checkpoint
from torchspore.train.callback.callback import Callback, RunContext
from torchspore.train.processes import gathered, in_all

__all__ = ["ResumeTraining", "load_training_state", "save_training_state"]

_RANDOM = "resume.random."
_DATA = "resume.data"
_POSITION = "resume.position"
_MAX_SHOWN = 3
_START = -1  # the step of a training that has not been saved


@checked
def save_training_state(file_name: AnyPath, network: Cell, data_iterator: Any = None, **position: int) -> None:
    """Save the complete state of a training in one file, which appears whole or not at all.

    This includes the parameters of the network, the optimizer and the loss scale, all random number generators, the
    position in the data, and the program's counters of epochs and steps.

    Args:
        file_name: the file, with the suffix .ckpt; it can also be loaded as a checkpoint of `network`.
        network: the Cell of a training step, such as `TrainOneStepCell`, or a Cell with the network and the optimizer
            as members.
        data_iterator: an iterator of a dataset, or an object with `state_dict()` and `load_state_dict(...)`.
            Default: None.
        position: counters by name, which `load_training_state` returns.

    Raises:
        OSError: the file cannot be written.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> step = ms.nn.TrainOneStepCell(net, ms.nn.Momentum(net.trainable_params(), 0.1, 0.9))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.train.save_training_state(f"{folder}/state.ckpt", step, epoch=3)
        ...     ms.train.load_training_state(f"{folder}/state.ckpt", step)
        {'epoch': 3}
    """
    _check_iterator(data_iterator, "save_training_state")
    extra: dict[str, Any] = {_RANDOM + name: state for name, state in all_states().items()}
    extra[_POSITION] = json.dumps(position)
    if data_iterator is not None:
        extra[_DATA] = json.dumps(data_iterator.state_dict())
    save_checkpoint(network, file_name, append_dict=extra, crc_check=True)


@named
@checked
def load_training_state(file_name: AnyPath, network: Cell, data_iterator: Any = None) -> dict[str, int]:
    """Restore the state of `save_training_state`, also in another process. After an error nothing has changed.

    Args:
        file_name: the file.
        network: a Cell with the same parameters.
        data_iterator: an iterator of the same dataset. Default: None.

    Returns:
        The saved counters by name.

    Raises:
        ValueError: the file does not exist, is damaged, or does not hold the state of this network.
        RuntimeError: shapes or types do not match those in `network`.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.train.save_training_state(f"{folder}/state.ckpt", net, step=7)
        ...     first = ms.ops.rand(2)
        ...     position = ms.train.load_training_state(f"{folder}/state.ckpt", net)
        >>> position, bool((ms.ops.rand(2) == first).all())
        ({'step': 7}, True)
    """
    api = "load_training_state"
    _check_iterator(data_iterator, api)
    values = load_checkpoint(file_name, crc_check=True)
    if _POSITION not in values:
        raise ValueError(f"For '{api}', '{file_name}' is a checkpoint, but not one of 'save_training_state'.")
    parameters = network.parameters_dict()
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ValueError(
            f"For '{api}', '{file_name}' is from another training: it lacks {len(missing)} parameters of 'network', "
            f"such as {', '.join(missing[:_MAX_SHOWN])}."
        )
    if data_iterator is not None and _DATA not in values:
        raise ValueError(
            f"For '{api}', '{file_name}' holds no position of data: pass the iterator to 'save_training_state' as well."
        )
    try:
        position = _position(values[_POSITION])
        data = None if data_iterator is None else parse_json(_text(values[_DATA]))
        states = {name.removeprefix(_RANDOM): value for name, value in values.items() if name.startswith(_RANDOM)}
        restore_random = checked_states(states)
    except ValueError as error:
        raise ValueError(f"For '{api}', '{file_name}' cannot be loaded: {error}") from error
    own = {name: value for name, value in values.items() if name in parameters}
    if any(isinstance(value, str) for value in own.values()):
        raise ValueError(f"For '{api}', '{file_name}' cannot be loaded: it has a string instead of a parameter.")
    with _data_at(data_iterator, data):
        load_param_into_net(network, own, strict_load=True)  # changes all parameters or none
    restore_random()
    return position


@contextmanager
def _data_at(data_iterator: Any, state: Any) -> Iterator[None]:
    """Move an iterator to a state; if that or the block fails, move it back."""
    if data_iterator is None:
        yield
        return
    before = data_iterator.state_dict() if hasattr(data_iterator, "state_dict") else None
    random_before = checked_states(all_states())  # moving the iterator may run functions of the user
    try:
        data_iterator.load_state_dict(state)
        yield
    except BaseException:
        if before is not None:
            data_iterator.load_state_dict(before)
        random_before()
        raise


def _position(value: Any) -> dict[str, int]:
    position = parse_json(_text(value))
    if not isinstance(position, dict) or not all(type(number) is int for number in position.values()):
        raise ValueError(f"its counters must be integers by name, but are {position!r:.100}.")
    return position


def _saved_step(file_name: str) -> int:
    values = load_checkpoint(file_name, crc_check=True)
    return _position(values[_POSITION])["step"] if _POSITION in values else _START


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"it has {describe(value)} instead of a string.")
    return value


def _check_iterator(data_iterator: Any, api: str) -> None:
    if data_iterator is not None and not hasattr(data_iterator, "load_state_dict"):
        raise TypeError(
            f"For '{api}', 'data_iterator' must have 'state_dict' and 'load_state_dict', as the iterators of datasets "
            f"have, but got {describe(data_iterator)}."
        )


class ResumeTraining(Callback):
    """Save the full state of a `Model`'s training, and resume from it when the training is started again.

    The results are bit-identical to those without the interruption, if the program is deterministic. A completed
    training is not repeated. In a parallel mode each process has a file, and keeps the one before it: all resume from
    the last step that all have saved, also when they were killed while some saved.

    Args:
        file_name: the file, with the suffix .ckpt, see `save_training_state`; its folder is made if it does not exist.
            If several processes have the same name, "state.ckpt" becomes "state.rank_1.ckpt" and so on.
        save_steps: the number of steps between saves. Default: None, after each epoch.

    Examples:
        >>> import tempfile
        >>> import numpy as np
        >>> import torchspore as ms
        >>> columns = (np.ones((8, 2), np.float32), np.ones((8, 1), np.float32))
        >>> data = ms.dataset.NumpySlicesDataset(columns, ["data", "label"]).batch(4)
        >>> def train(epochs, file):
        ...     net = ms.nn.Dense(2, 1, "ones", "zeros")
        ...     model = ms.Model(net, ms.nn.MSELoss(), ms.nn.Momentum(net.trainable_params(), 0.1, 0.9))
        ...     model.train(epochs, data, ms.train.ResumeTraining(file))
        ...     return net.bias.asnumpy().item()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     stopped = train(1, f"{folder}/a.ckpt")
        ...     train(3, f"{folder}/a.ckpt") == train(3, f"{folder}/b.ckpt")
        True
    """

    @checked
    def __init__(self, file_name: AnyPath, save_steps: Positive | None = None) -> None:
        self.file_name = os.path.abspath(file_name)
        self.save_steps = save_steps
        self._own: str = self.file_name
        self._previous: str | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Restore the state of the file, if it exists."""
        state = run_context.original_args()
        file_name = self._agree(state.parallel_mode)
        if file_name is not None:
            network, iterator = state.train_network, state.train_iterator
            found = in_all(lambda: load_training_state(file_name, network, iterator), state.parallel_mode)
            state.update(cur_step_num=found["step"], resume_at=(found["epoch"], found["epoch_step"]))

    def _agree(self, parallel_mode: str) -> str | None:
        """Return the file from which this process resumes, so that all resume from the same step, or None.

        Processes that are killed may have completed different saves: each keeps the previous one, too.
        """
        names = gathered(self.file_name, parallel_mode)
        self._own, self._previous = self.file_name, None
        if len(names) == 1:
            return self._own if os.path.exists(self._own) else None
        if len(set(names)) < len(names):
            stem, suffix = os.path.splitext(self.file_name)
            self._own = f"{stem}.rank_{dist.get_rank()}{suffix}"
        stem, suffix = os.path.splitext(self._own)
        self._previous = f"{stem}.previous{suffix}"
        kept = [name for name in (self._previous, self._own) if os.path.exists(name)]
        files: dict[int, str | None] = in_all(lambda: {_saved_step(name): name for name in kept}, parallel_mode)
        if not os.path.exists(self._previous):
            files[_START] = None
        of_all = gathered(list(files), parallel_mode)
        common = set.intersection(*map(set, of_all))
        if not common:
            raise ValueError(
                f"For 'ResumeTraining', the files of the processes have no step in common, but steps of {of_all}, by "
                "rank. Bring back the missing files, or remove all of them to start again."
            )
        return files[max(common)]

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Write the file, if it is due."""
        state = run_context.original_args()
        if self.save_steps is not None and state.cur_step_num % self.save_steps == 0:
            self._save(state, state.cur_epoch_num, state.epoch_step_num)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Write the file, if it is written after epochs."""
        state = run_context.original_args()
        if self.save_steps is None:
            self._save(state, state.cur_epoch_num + 1, 0)

    def _save(self, state: Any, epoch: int, epoch_step: int) -> None:
        os.makedirs(os.path.dirname(self._own), exist_ok=True)
        if self._previous is not None and os.path.exists(self._own):
            os.replace(self._own, self._previous)
        save_training_state(
            self._own, state.train_network, state.train_iterator,
            epoch=epoch, epoch_step=epoch_step, step=state.cur_step_num,
        )  # fmt: skip
