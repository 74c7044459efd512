"""The interface of callbacks, their arguments, and the list of them that a training calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np

from torchspore.common.error_classes import also
from torchspore.common.names.class_modules import module_of
from torchspore.common.np_dtype import standard_array
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.parameters import checked
from torchspore.nn.cell import Cell

__all__ = [
    "Callback", "CallbackList", "CallbackParams", "InternalCallbackParam", "RunContext", "as_list", "first_output",
]  # fmt: skip

# The method of each moment, and the older method that is called where it is not defined.
_OLDER_NAMES = {
    f"on_{stage}_{moment}": moment
    for stage in ("train", "eval")
    for moment in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
}


class CallbackParams(dict[str, Any]):
    """The state of a training or an evaluation for callbacks: a dictionary whose keys are also attributes."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        name_constructor(cls)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:  # which MindSpore raises
            raise also(AttributeError, KeyError)(
                f"There is no '{name}' here now. There are: {', '.join(sorted(self))}."
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


InternalCallbackParam = _InternalCallbackParam = CallbackParams


class RunContext:
    """The argument of callbacks: the state of the training or evaluation, and a way to end it.

    The state, `original_args()`, has these keys, which are also attributes. A callback may add others.

    | Key | In | Meaning |
    | --- | --- | --- |
    | `mode` | both | "train" or "eval" |
    | `network` | both | the network of the Model |
    | `train_network`, `eval_network` | train, eval | the cell that runs a step |
    | `train_dataset`, `valid_dataset` | train, eval | the data |
    | `train_dataset_element`, `eval_dataset_element` | train, eval | the list of tensors of this step |
    | `train_iterator` | train | the iterator of the data |
    | `batch_num` | both | the number of steps in an epoch |
    | `epoch_num`, `cur_epoch_num` | train | the last and the current epoch, counted from 1 |
    | `cur_step_num` | both | the current step, counted from 1 over all epochs |
    | `epoch_step_num` | train | the number of completed steps of this epoch |
    | `net_outputs` | both | the outputs of this step |
    | `loss_fn`, `optimizer` | train | the Model's own |
    | `loss_scale_mananger` | train | the loss scale manager of the Model; MindSpore spells it so |
    | `initial_step` | train | None; in MindSpore set by a restored training |
    | `dataset_sink_mode` | both | whether callbacks see an epoch as one step |
    | `last_save_ckpt_step`, `latest_ckpt_file` | train | the last file of `ModelCheckpoint` |
    | `metrics` | eval | the values of the metrics, after the evaluation |
    | `eval_results` | train | in `Model.fit`, the metrics and `eval_loss` of the epoch's evaluation |
    | `parallel_mode`, `device_number` | train | the settings of `set_auto_parallel_context` |
    | `list_callback` | both | all callbacks |

    Args:
        original_args: the state, a dict.

    Raises:
        TypeError: it is not a dict.

    Examples:
        >>> from torchspore.train import RunContext
        >>> context = RunContext({"cur_step_num": 2})
        >>> context.request_stop()
        >>> context.get_stop_requested()
        True
    """

    @checked
    def __init__(self, original_args: dict[Any, Any]) -> None:
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """Return the state, the same object that was passed."""
        return self._original_args

    def request_stop(self) -> None:
        """Request that the training or evaluation ends after the current step or epoch."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Return whether a callback has requested the end."""
        return self._stop_requested


class Callback:
    """The base class of callbacks, whose methods are called during a training or an evaluation.

    A subclass defines some of `on_train_begin`, `on_train_epoch_begin`, `on_train_step_begin`, `on_train_step_end`,
    `on_train_epoch_end`, `on_train_end`, and the same with `on_eval_`. Each method takes a `RunContext`. Older programs
    define `begin`, `epoch_begin`, `step_begin`, `step_end`, `epoch_end` and `end`, which are called in trainings and
    evaluations if the newer method is not defined; `Model.fit`, which does both, refuses them.

    A callback is a context manager, entered before the training and exited after it. When the training fails or is
    interrupted, `on_train_end` is not called, and `__exit__` gets the exception.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> class Printer(ms.train.Callback):
        ...     def on_train_step_end(self, run_context):
        ...         state = run_context.original_args()
        ...         print("step", state.cur_step_num, "of epoch", state.cur_epoch_num)
        >>> isinstance(Printer(), ms.train.Callback)
        True
    """

    def __enter__(self) -> Any:
        """Called before the training or evaluation."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Called after it, with the exception that ended it, if any."""
        return None

    def begin(self, run_context: RunContext) -> None:
        """Older method: before the first epoch."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Older method: before an epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Older method: after an epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Older method: before a step."""

    def step_end(self, run_context: RunContext) -> None:
        """Older method: after a step."""

    def end(self, run_context: RunContext) -> None:
        """Older method: after the last epoch."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Called before the first epoch."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Called before an epoch."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Called after an epoch, and after its evaluation."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Called before a step."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Called after a step."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Called after the last epoch."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Called before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Called before an evaluation's pass over the data."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Called after an evaluation's pass over the data."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Called before a step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Called after a step of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Called after an evaluation."""
        self.end(run_context)


class CallbackList:
    """Callbacks in order, for one training or evaluation; only those that define a method are called."""

    @checked
    def __init__(self, callbacks: Iterable[Callback] | Callback | None) -> None:
        self.callbacks = as_list(callbacks)
        self._stack = ExitStack()
        self._listeners: dict[str, list[Callable[[RunContext], None]]] = {
            moment: [getattr(callback, moment) for callback in self.callbacks if _handles(callback, moment)]
            for moment in _OLDER_NAMES
        }

    def __enter__(self) -> CallbackList:
        with ExitStack() as stack:  # if one fails to enter, the earlier ones are exited
            for callback in self.callbacks:
                stack.enter_context(callback)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> bool | None:
        return self._stack.__exit__(*error)

    def __call__(self, moment: str, run_context: RunContext) -> None:
        """Call the callbacks of a moment, such as "on_train_begin"."""
        for listener in self._listeners[moment]:
            listener(run_context)

    def __getattr__(self, name: str) -> Callable[[RunContext], None]:
        moment = f"on_train_{name}" if name in _OLDER_NAMES.values() else name
        if moment not in _OLDER_NAMES:
            raise AttributeError(f"Callbacks have no moment {name!r}.")
        return partial(self, moment)

    def older_methods(self) -> dict[str, list[str]]:
        """Return the older methods that user-defined callbacks define, by class name."""
        found: dict[str, list[str]] = {}
        for callback in self.callbacks:
            defined = {name for cls in type(callback).__mro__ if _is_user_class(cls) for name in vars(cls)}
            names = sorted(defined & set(_OLDER_NAMES.values()))
            if names:
                found[type(callback).__name__] = names
        return found


CallbackManager = _CallbackManager = CallbackList  # the names that packages with a loop of their own import


@checked
def set_cur_net(net: Cell) -> None:
    """Check that a network is a Cell: callbacks find it in their run context.

    Raises:
        TypeError: it is not.
    """


def as_list(callbacks: Iterable[Callback] | Callback | None) -> list[Callback]:
    """Return a list of callbacks from None, a callback, or several."""
    return [] if callbacks is None else [callbacks] if isinstance(callbacks, Callback) else list(callbacks)


def first_output(outputs: Any) -> Any:
    """Return the mean of the loss of a step, its only or first output; a value that is not a tensor is unchanged."""
    if isinstance(outputs, (tuple, list)) and outputs:
        outputs = outputs[0]
    if isinstance(outputs, Tensor):
        outputs = standard_array(outputs)
    return np.mean(outputs) if isinstance(outputs, np.ndarray) else outputs


_handle_loss = first_output  # the name that packages import from MindSpore


def _handles(callback: Callback, moment: str) -> bool:
    """Return whether a callback defines the method of a moment, or the older one."""
    return any(
        getattr(getattr(callback, name), "__func__", None) is not vars(Callback)[name]
        for name in (moment, _OLDER_NAMES[moment])
    )


def _is_user_class(cls: type) -> bool:
    return not module_of(cls).startswith("torchspore.") and cls is not object
