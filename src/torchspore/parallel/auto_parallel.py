"""Networks that MindSpore's compiler splits over devices: in a single process they run whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from torchspore.engine.checks import check_bool, check_callable, check_int, check_kind
from torchspore.nn import Cell
from torchspore.ops.distributed.process_groups import get_world_size

__all__ = ["AutoParallel"]

_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")

Function = TypeVar("Function", bound=Callable[..., Any])


def _check_single_process(api: str) -> None:
    if get_world_size() > 1:
        raise NotImplementedError(
            f"For '{api}', MindSpore's compiler cuts operations over devices, but this program runs in "
            f"{get_world_size()} processes. Use `set_auto_parallel_context` with parallel_mode='data_parallel', or "
            "`mint.distributed` in the network."
        )


def shard(
    fn: Function,
    in_strategy: Any,
    out_strategy: Any = None,
    parameter_plan: dict[str, Any] | None = None,
) -> Function:
    """Return a function or a network as it is: in a single process nothing is split.

    Args:
        fn: the function or network.
        in_strategy: without effect, like the following.
        out_strategy: how results would be split. Default: None.
        parameter_plan: how parameters would be split. Default: None.

    Raises:
        NotImplementedError: the program runs in several processes.

    Examples:
        >>> import torchspore as ms
        >>> product = ms.parallel.shard(ms.mint.matmul, in_strategy=((4, 1), (1, 1)))
        >>> product is ms.mint.matmul
        True
    """
    _check_single_process("shard")
    return fn


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(self: AutoParallel, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"For 'AutoParallel.{name}', there are no files of strategies: operations are not split. Leave it out."
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raise NotImplementedError: it reads or writes files of MindSpore's compiler."
    return refuse


def _hint(name: str) -> Callable[[AutoParallel], None]:
    def accept(self: AutoParallel) -> None:
        """Do nothing: it says how the gradients of several devices are exchanged."""

    accept.__name__ = accept.__qualname__ = name
    return accept


class AutoParallel(Cell):
    """A network that MindSpore's compiler splits over devices. In a single process it is called as it is.

    Args:
        network: the network, or a function.
        parallel_mode: "semi_auto", "sharding_propagation" or "recursive_programming", without effect. Default:
            "semi_auto".

    Raises:
        NotImplementedError: it is called in a program of several processes.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.auto_parallel import AutoParallel
        >>> network = AutoParallel(ms.nn.ReLU(), parallel_mode="semi_auto")
        >>> print(network(ms.Tensor([-1.0, 2.0])))
        [0. 2.]
    """

    def __init__(self, network: Callable[..., Any], parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        check_callable(network, "network", "AutoParallel")
        if parallel_mode not in _MODES:
            raise ValueError(f"For 'AutoParallel', 'parallel_mode' must be one of {_MODES}, but got {parallel_mode!r}.")
        self.network = network
        self._stages = 1

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the network's result.

        Raises:
            NotImplementedError: the program runs in several processes.
        """
        _check_single_process("AutoParallel")
        return self.network(*inputs, **kwargs)

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler: str = "1f1b"
    ) -> None:
        """Set the number of stages; they are on one device."""
        self._stages = check_int(stages, "stages", "AutoParallel.pipeline", minimum=1)
        check_bool(output_broadcast, "output_broadcast", "AutoParallel.pipeline")
        check_bool(interleave, "interleave", "AutoParallel.pipeline")
        check_kind(scheduler, str, "scheduler", "AutoParallel.pipeline")

    def get_pipeline_stages(self) -> int:
        """Return the number of stages."""
        return self._stages

    def dataset_strategy(self, config: Any) -> None:
        """Do nothing: a single process reads whole batches."""

    def comm_fusion(self, config: dict[str, Any]) -> None:
        """Do nothing: a single process sends no messages."""
        check_kind(config, dict, "config", "AutoParallel.comm_fusion")

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Do nothing: a single process holds all states of the optimizer."""
        check_int(shard_size, "shard_size", "AutoParallel.hsdp", minimum=-1)
        check_int(threshold, "threshold", "AutoParallel.hsdp", minimum=0)
        check_kind(optimizer_level, str, "optimizer_level", "AutoParallel.hsdp")

    disable_gradient_fp32_sync = _hint("disable_gradient_fp32_sync")
    disable_loss_repeated_mean = _hint("disable_loss_repeated_mean")
    disable_strategy_file_only_for_trainable_params = _hint("disable_strategy_file_only_for_trainable_params")
    enable_fp32_communication = _hint("enable_fp32_communication")
    enable_gradients_mean = _hint("enable_gradients_mean")
    no_init_parameters_in_compile = _hint("no_init_parameters_in_compile")
    dump_local_norm = _refused("dump_local_norm")
    enable_device_local_norm = _refused("enable_device_local_norm")
    print_local_norm = _refused("print_local_norm")
    load_operator_strategy_file = _refused("load_operator_strategy_file")
    load_param_strategy_file = _refused("load_param_strategy_file")
    save_operator_strategy_file = _refused("save_operator_strategy_file")
    save_param_strategy_file = _refused("save_param_strategy_file")
    set_group_ckpt_save_file = _refused("set_group_ckpt_save_file")
    transformer_opt = _refused("transformer_opt")
