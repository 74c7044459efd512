"""`Model`: training, evaluation and prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import torch

from torchspore.amp.mixed_precision import Level
from torchspore.amp.train_network import BoostLevel
from torchspore.common import mode
from torchspore.common.frames.tracebacks import shortens_tracebacks
from torchspore.common.frames.user_lines import user_stack_level
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Example, Length, NotNegative, Positive, Rule, checked
from torchspore.metrics.metric import Metric
from torchspore.metrics.registry import get_metrics
from torchspore.nn.cell import Cell
from torchspore.nn.optim.optimizer import Optimizer
from torchspore.parallel_context import get_auto_parallel_context
from torchspore.runtime.stream import synchronize
from torchspore.train.callback.callback import Callback, CallbackList, CallbackParams, as_list
from torchspore.train.callback.progress import with_progress_bar
from torchspore.train.loop import Evaluation, Feed, SinkSize, check_dataset, check_equal_epochs, sinks, train
from torchspore.train.model_build import boosted, build_eval_network, build_training, check_options

__all__ = ["Model"]

_Callbacks: TypeAlias = Callback | Sequence[Callback] | None
_HAS_EPOCHS = Rule(
    "'epoch', the number of the last epoch, must be > 'initial_epoch'",
    lambda epoch, initial_epoch: epoch > initial_epoch,
)
_OWN_NETWORK = Rule(
    "'eval_indexes' are positions in the outputs of an 'eval_network'. Pass one as well",
    lambda eval_indexes, eval_network: eval_indexes is None or eval_network is not None,
)


class Model:
    """A network with its loss, optimizer and metrics, for training and evaluation.

    In GRAPH_MODE a training step, including gradients and updates, is one captured graph. A terminal shows a progress
    bar (see `ProgressBar`). Ctrl-C takes effect between steps: no parameter is partly updated, iterators are closed,
    callbacks are exited without `on_train_end`, and KeyboardInterrupt is raised.

    Args:
        network: a Cell. With a `loss_fn` it takes the data; without one, it takes all columns of the dataset and
            returns the loss.
        loss_fn: the loss, a Cell or function of the network's output and the label. Default: None.
        optimizer: an `Optimizer` of the network's parameters. Default: None, the network updates them itself.
        metrics: a set of names of metrics, or a dict of metrics by name. Default: None, no evaluation.
        eval_network: a Cell that takes the columns of the dataset and returns the inputs of the metrics. Default: None,
            the network with the loss.
        eval_indexes: positions of the loss, the prediction and the label in the outputs of `eval_network`: `Loss` gets
            the first, other metrics get the other two. Default: None, each metric gets all outputs.
        amp_level: "O0", "O1", "O2", "O3" or "auto": mixed precision, see `amp.build_train_network`. Default: "O0".
        boost_level: "O0", "O1" or "O2", see `boost.AutoBoost` and `amp.build_train_network`. Default: "O0".
        boost_config_dict: the settings of `boost.AutoBoost`, which apply to the whole program.
        acc_level: the older name of `boost_level`, which it overrides.
        loss_scale_manager: a `LossScaleManager`, or None for no scaling, whatever the level says.
        keep_batchnorm_fp32: whether normalisations stay in float32 in a network in float16.

    Raises:
        ValueError: an unknown level or keyword, a level without an optimizer, metrics without a loss or `eval_network`.
        KeyError: there is no metric of a name.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="zeros")
        >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1), metrics={"mse"})
        >>> x = np.array([[1, 0], [0, 1]], np.float32)
        >>> data = ms.dataset.NumpySlicesDataset((x, x.sum(1, keepdims=True)), ["x", "y"]).batch(2)
        >>> model.fit(20, data, data)
        >>> model.eval(data)["mse"] < 0.01
        True
        >>> model.predict(ms.Tensor(x)).shape
        (2, 1)
    """

    @checked(_OWN_NETWORK)
    def __init__(
        self,
        network: Cell,
        loss_fn: Callable[..., Any] | None = None,
        optimizer: Optimizer | None = None,
        metrics: dict[str, Metric] | Annotated[set[Any], Example("{'accuracy'}")] | None = None,
        eval_network: Cell | None = None,
        eval_indexes: Annotated[list[int], Length(3, 3)] | None = None,
        amp_level: Level = "O0",
        boost_level: BoostLevel = "O0",
        *,
        acc_level: BoostLevel | None = None,
        boost_config_dict: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        check_options(optimizer, amp_level, kwargs)
        boost_level = acc_level or boost_level
        network, optimizer, eval_network = boosted(network, optimizer, eval_network, boost_level, boost_config_dict)
        self._network = network
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._metric_fns = get_metrics(metrics)
        self._eval_indexes: list[int] | None = eval_indexes
        self._own_eval_network = eval_network is not None
        self._eval_network: Cell | None = None
        if self._metric_fns is not None or self._own_eval_network:
            self._eval_network, self._eval_indexes = build_eval_network(
                network, loss_fn, eval_network, self._eval_indexes, amp_level
            )
        self._train_network = build_training(network, loss_fn, optimizer, amp_level, boost_level, kwargs)

    @property
    def train_network(self) -> Cell:
        """The cell of a training step."""
        return self._train_network

    @property
    def predict_network(self) -> Cell:
        """The network."""
        return self._network

    @property
    def eval_network(self) -> Cell | None:
        """The cell of an evaluation; None without metrics."""
        return self._eval_network

    @shortens_tracebacks
    @checked(_HAS_EPOCHS)
    def train(
        self,
        epoch: Positive,
        train_dataset: Any,
        callbacks: _Callbacks = None,
        dataset_sink_mode: bool = False,
        sink_size: SinkSize = -1,
        initial_epoch: NotNegative = 0,
    ) -> None:
        """Train the network.

        Args:
            epoch: the number of the last epoch.
            train_dataset: a dataset, or a DataLoader of PyTorch or another object with batches, which can be iterated
                for each epoch. With a `loss_fn`, its two columns are the data and the label; without, its columns
                are the inputs of the network.
            callbacks: a `Callback` or a list of them. Default: None.
            dataset_sink_mode: whether callbacks see an epoch as one step, which applies in GRAPH_MODE on devices other
                than the CPU only. Default: False.
            sink_size: with `dataset_sink_mode`, the number of steps of an epoch; the next epoch continues in the
                dataset. Default: -1, the whole dataset.
            initial_epoch: the number of epochs that are already done. Default: 0.

        Raises:
            ValueError: a number out of its range, or a dataset without batches or whose columns do not fit the network.

        Examples:
            >>> import numpy as np
            >>> import torchspore as ms
            >>> net = ms.nn.Dense(2, 1)
            >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
            >>> columns = (np.ones((8, 2), np.float32), np.ones((8, 1), np.float32))
            >>> model.train(2, ms.dataset.NumpySlicesDataset(columns, ["data", "label"]).batch(4))
        """
        options = _options(epoch, initial_epoch, dataset_sink_mode, sink_size)
        self._train("Model.train", train_dataset, as_list(callbacks), options)

    @shortens_tracebacks
    @checked(_HAS_EPOCHS)
    def fit(
        self,
        epoch: Positive,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: Positive | list[Positive] = 1,
        callbacks: _Callbacks = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: SinkSize = -1,
        initial_epoch: NotNegative = 0,
    ) -> None:
        """Train the network, and evaluate it after epochs.

        Callbacks find the metrics and `eval_loss`, the loss of the last batch, in `eval_results`. The metric "loss" is
        the mean over the batches.

        Args:
            epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch: as for `train`.
            valid_dataset: the dataset of the evaluations. Default: None, no evaluations.
            valid_frequency: the number of epochs between evaluations, or a list of the epochs with one. Default: 1.
            callbacks: a `Callback` or a list of them, whose methods begin with `on_`. Default: None.
            valid_dataset_sink_mode: accepted; evaluations call callbacks at every step. Default: False.

        Raises:
            TypeError, ValueError: as for `train`.
            ValueError: an evaluation without metrics, or a callback with methods of the older names.

        Examples:
            >>> import numpy as np
            >>> import torchspore as ms
            >>> net = ms.nn.Dense(2, 1, weight_init="zeros")
            >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.0), metrics={"mae"})
            >>> columns = (np.ones((8, 2), np.float32), np.ones((8, 1), np.float32))
            >>> data = ms.dataset.NumpySlicesDataset(columns, ["data", "label"]).batch(4)
            >>> history = ms.History()
            >>> model.fit(2, data, data, valid_frequency=2, callbacks=history)
            >>> len(history.history["net_output"]), len(history.history["mae"])
            (2, 1)
        """
        api = "Model.fit"
        options = _options(epoch, initial_epoch, dataset_sink_mode, sink_size)
        callback_list = as_list(callbacks)
        for name, methods in CallbackList(callback_list).older_methods().items():
            raise ValueError(
                f"For '{api}', the methods of callbacks must begin with 'on_train_' or 'on_eval_', because there are "
                f"both here, but {name} has {', '.join(methods)}. Rename them."
            )
        evaluation = None if valid_dataset is None else self._evaluation(valid_dataset, "valid_dataset", api)
        extra_state = {} if valid_dataset is None else {"valid_dataset": valid_dataset}

        def evaluate(number: int, state: CallbackParams, notify: CallbackList) -> None:
            frequency = valid_frequency
            due = number in frequency if isinstance(frequency, list) else number % frequency == 0
            if evaluation is not None and due:
                self._evaluate_in_training(evaluation, valid_dataset, state, notify)

        self._train(api, train_dataset, callback_list, options, evaluate, **extra_state)

    @shortens_tracebacks
    @checked
    def eval(self, valid_dataset: Any, callbacks: _Callbacks = None, dataset_sink_mode: bool = False) -> dict[str, Any]:
        """Evaluate the network.

        Args:
            valid_dataset: a dataset.
            callbacks: a `Callback` or a list of them. Default: None.
            dataset_sink_mode: accepted; callbacks are called at every step. Default: False.

        Returns:
            The values of the metrics by their names.

        Raises:
            ValueError: there are no metrics, the dataset has no batches, or its columns do not fit the network.

        Examples:
            >>> import numpy as np
            >>> import torchspore as ms
            >>> model = ms.Model(ms.nn.Dense(2, 1, "zeros", "zeros"), ms.nn.MSELoss(), metrics={"mae", "loss"})
            >>> columns = (np.ones((8, 2), np.float32), np.full((8, 1), 2, np.float32))
            >>> result = model.eval(ms.dataset.NumpySlicesDataset(columns, ["data", "label"]).batch(4))
            >>> result["mae"], result["loss"]
            (2.0, 4.0)
        """
        api = "Model.eval"
        evaluation = self._evaluation(valid_dataset, "valid_dataset", api)
        state = CallbackParams(mode="eval", network=self._network, cur_step_num=0)
        notify = CallbackList(with_progress_bar(as_list(callbacks)))
        state.list_callback = notify.callbacks
        with notify:
            self._evaluate(evaluation, valid_dataset, state, notify, api)
        return dict(state.metrics)

    @shortens_tracebacks
    @checked
    def predict(
        self, *predict_data: Any, backend: Literal["lite"] | None = None, config: dict[str, Any] | None = None
    ) -> Any:
        """Return the network's output in inference mode.

        Args:
            predict_data: the inputs of the network: Tensors, also of PyTorch, numbers, strings, None, or tuples, lists
                and dicts of them.
            backend, config: None; MindSpore Lite is not supported.

        Raises:
            TypeError: an input of a wrong type.
            ValueError, NotImplementedError: `backend` or `config` is given.

        Examples:
            >>> import torchspore as ms
            >>> print(ms.Model(ms.nn.ReLU()).predict(ms.Tensor([-1.0, 2.0])))
            [0. 2.]
        """
        if backend == "lite" or config is not None:
            raise NotImplementedError(
                "For 'Model.predict', MindSpore Lite is not supported. Leave 'backend' and 'config' out."
            )
        inputs = [_as_input(value) for value in predict_data]
        self._network.set_train(False)
        return self._network(*inputs)

    @checked
    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: SinkSize = -1,
        epoch: Positive = 1,
        sink_mode: bool = True,
    ) -> None:
        """Capture the graphs of a training step and of an evaluation in advance, for batches like the first one.

        In PYNATIVE_MODE there is nothing to capture.

        Args:
            train_dataset, valid_dataset: the datasets of the training and of the evaluation. Default: None.
            sink_size, epoch, sink_mode: checked, otherwise unused.

        Raises:
            TypeError, ValueError: as for `train` and `eval`.

        Examples:
            >>> import numpy as np
            >>> import torchspore as ms
            >>> net = ms.nn.Dense(2, 1)
            >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
            >>> columns = (np.ones((8, 2), np.float32), np.ones((8, 1), np.float32))
            >>> model.build(ms.dataset.NumpySlicesDataset(columns, ["data", "label"]).batch(4))
        """
        api = "Model.build"
        jobs = []
        if train_dataset is not None:
            train_dataset = check_dataset(train_dataset, "train_dataset", api)
            jobs.append((self._train_network, train_dataset, "train_dataset", self._train_inputs()))
        if valid_dataset is not None:
            evaluation = self._evaluation(valid_dataset, "valid_dataset", api)
            jobs.append((evaluation.network, valid_dataset, "valid_dataset", self._eval_inputs()))
        for network, dataset, name, expected_inputs in jobs if mode.graph else ():
            with Feed(dataset, name, api, expected_inputs) as feed:
                network.set_train(network is self._train_network)
                network.compile(*next(feed.epoch()))

    def infer_predict_layout(self, *predict_data: Any, skip_backend_compile: bool = False) -> None:
        """Not supported: MindSpore's automatic parallel mode and its layouts."""
        raise NotImplementedError(_NO_LAYOUTS.format("infer_predict_layout"))

    def infer_train_layout(self, train_dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1) -> None:
        """Not supported: MindSpore's automatic parallel mode and its layouts."""
        raise NotImplementedError(_NO_LAYOUTS.format("infer_train_layout"))

    def _train(
        self,
        api: str,
        dataset: Any,
        callback_list: list[Callback],
        options: dict[str, Any],
        evaluate: Callable[[int, CallbackParams, CallbackList], None] = lambda number, state, notify: None,
        **extra_state: Any,
    ) -> None:
        """Train, with `evaluate` after each epoch; callbacks see `extra_state` as well."""
        dataset = check_dataset(dataset, "train_dataset", api)
        if self._optimizer is None and self._loss_fn is not None:
            warnings.warn(
                f"For '{api}', the Model has no 'optimizer', so nothing is trained.", stacklevel=user_stack_level()
            )
        sinking, sink_size, epochs = options["sinking"], options["sink_size"], options["epochs"]
        notify = CallbackList(with_progress_bar(callback_list))
        with notify, Feed(dataset, "train_dataset", api, self._train_inputs(), len(epochs), sink_size) as feed:
            state = CallbackParams(
                mode="train", network=self._network, train_network=self._train_network, train_dataset=dataset,
                loss_fn=self._loss_fn, optimizer=self._optimizer, epoch_num=epochs[-1], batch_num=feed.batch_num,
                cur_step_num=0, train_dataset_element=None, dataset_sink_mode=sinking, last_save_ckpt_step=None,
                latest_ckpt_file=None, initial_step=None, loss_scale_mananger=self._loss_scale_manager,
                parallel_mode=get_auto_parallel_context("parallel_mode"),
                device_number=get_auto_parallel_context("device_num"),
                list_callback=notify.callbacks, **extra_state,
            )  # fmt: skip
            check_equal_epochs(feed.batch_num, state.parallel_mode, api)
            self._train_network.set_train()
            train(
                self._train_network, self._network, feed, epochs, state, notify,
                lambda number: evaluate(number, state, notify),
            )  # fmt: skip

    def _train_inputs(self) -> Any:
        """Return what the columns of a training must match: two, or the inputs of the network."""
        return self._network.construct if self._loss_fn is None else 2

    def _eval_inputs(self) -> Any:
        return self._eval_network.construct if self._own_eval_network and self._eval_network is not None else 2

    def _evaluation(self, dataset: Any, name: str, api: str) -> Evaluation:
        if not self._metric_fns or self._eval_network is None:
            raise ValueError(
                f"For '{api}', the Model must have 'metrics' to evaluate, but it has none. Pass some, such as "
                "metrics={'loss'}."
            )
        return Evaluation(self._eval_network, self._metric_fns, self._eval_indexes)

    def _evaluate(
        self, evaluation: Evaluation, dataset: Any, state: CallbackParams, notify: CallbackList, api: str
    ) -> None:
        dataset = check_dataset(dataset, "valid_dataset", api)
        with Feed(dataset, "valid_dataset", api, self._eval_inputs()) as feed:
            state.update(
                eval_network=evaluation.network, valid_dataset=dataset, batch_num=feed.batch_num, mode="eval",
                cur_step_num=0, dataset_sink_mode=False,
            )  # fmt: skip
            evaluation.run(feed, state, notify)

    def _evaluate_in_training(
        self, evaluation: Evaluation, dataset: Any, state: CallbackParams, notify: CallbackList
    ) -> None:
        """Evaluate during a training, and add the results to its state."""
        names = ("mode", "cur_step_num", "batch_num", "dataset_sink_mode", "net_outputs")
        before = {name: state[name] for name in names}
        self._evaluate(evaluation, dataset, state, notify, "Model.fit")
        state.update(before)


_NO_LAYOUTS = (
    "For 'Model.{}', automatic parallel training is not supported, so there are no layouts. The network runs as it is."
)


def _options(epoch: int, initial_epoch: int, sink_mode: bool, sink_size: int) -> dict[str, Any]:
    return {
        "epochs": range(initial_epoch + 1, epoch + 1),
        "sinking": sinks(sink_mode),
        "sink_size": sink_size if sink_mode else -1,
    }


class _StepSync(Callback):
    """Waits for the device at the end of each step."""

    def step_end(self, run_context: Any) -> None:
        """Wait until the device is idle."""
        synchronize()


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """Return a tensor as a tuple of it, and anything else unchanged."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


def _as_input(value: Any) -> Any:
    """Return an input of a network, in which torch tensors are Tensors."""
    if type(value) in (tuple, list):
        return type(value)(map(_as_input, value))
    if type(value) is dict:
        return {key: _as_input(each) for key, each in value.items()}
    if isinstance(value, torch.Tensor):
        return Tensor(value)
    if not (value is None or isinstance(value, (Tensor, bool, int, float, str, tuple, list, dict))):
        hint = " Convert it to a Tensor." if isinstance(value, np.ndarray) else ""
        raise TypeError(
            "For 'Model.predict', the inputs must be Tensors, numbers, strings, None, or tuples, lists and dicts of "
            f"them, but got {describe(value)}.{hint}"
        )
    return value
