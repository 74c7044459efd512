"""Networks whose tensors are cut over the processes; in a single process they run whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NoReturn, TypeVar, cast

from torchspore.common.error_classes import also
from torchspore.engine.distributed.pipelining import SCHEDULERS, start_pipelines, stop_pipelines
from torchspore.engine.distributed.strategies import check_cut_function, check_parts, in_several_processes
from torchspore.engine.parameters import Limits, NotNegative, Positive, Where, checked
from torchspore.nn import Cell
from torchspore.ops.distributed.process_groups import get_world_size

__all__ = ["AutoParallel"]

_Mode = Literal["semi_auto", "sharding_propagation", "recursive_programming"]
_ShardSize = Annotated[int, Limits(-1), Where("-1 or >= 1", bool)]
_Scheduler = Annotated[str, Where(f"one of {SCHEDULERS}", SCHEDULERS.__contains__)]

Function = TypeVar("Function", bound=Callable[..., Any])


@checked
def shard(
    fn: Function,
    in_strategy: Any,
    out_strategy: Any = None,
    parameter_plan: dict[str, Any] | None = None,
) -> Function:
    """Return a function or a network whose tensors are cut over the processes; in a single process it is `fn` itself.

    In several processes it does what `fn` does, whatever the strategies are: these say where the parts of tensors are.
    They have an effect in the modes "semi_auto_parallel" and "auto_parallel".

    Args:
        fn: the function or network.
        in_strategy: for each Tensor among the arguments the numbers of parts of its dimensions, a tuple of ints, or a
            `Layout`.
        out_strategy: the same for the results. Default: None, as they come.
        parameter_plan: strategies of parameters, by name. Default: None.

    Raises:
        TypeError: a strategy is of another type.
        ValueError: a strategy does not fit the shape of its tensor or the number of processes; or `parameter_plan`
            names no parameter of the network.

    Examples:
        >>> import torchspore as ms
        >>> product = ms.parallel.shard(ms.mint.matmul, in_strategy=((4, 1), (1, 1)))
        >>> product is ms.mint.matmul
        True
    """
    check_cut_function(fn, in_strategy, out_strategy, parameter_plan, "shard")
    if not in_several_processes():
        return fn
    from torchspore.engine.distributed.cutting.operations import cut_function

    return cast(Function, cut_function(fn, in_strategy, out_strategy, parameter_plan, "shard"))


def _file_method(name: str, ending: str = "") -> Callable[[AutoParallel, str], None]:
    words = f"a path, which must end with '{ending}'"
    ends = Where(words, lambda path: path.endswith(ending), also(ValueError, KeyError))

    def keep(self: AutoParallel, file_path: str) -> None:
        if in_several_processes():
            raise NotImplementedError(
                f"For 'AutoParallel.{name}', there are no files of strategies: tensors are cut as they come."
            )

    keep.__name__ = keep.__qualname__ = name
    keep.__annotations__["file_path"] = Annotated[str, ends]
    keep.__doc__ = """Check a path: in a single process there are no strategies for a file.

        Raises:
            NotImplementedError: there are several processes.
        """
    return checked(keep)


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(self: AutoParallel, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"For 'AutoParallel.{name}', MindSpore's compiler has no counterpart here. Leave it out."
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raise NotImplementedError: it serves MindSpore's compiler."
    return refuse


def _hint(name: str) -> Callable[[AutoParallel], None]:
    def accept(self: AutoParallel) -> None:
        """Do nothing: it says how the gradients of several devices are exchanged."""

    accept.__name__ = accept.__qualname__ = name
    return accept


class AutoParallel(Cell):
    """A network whose tensors are cut over the processes, from the first one that is made to the end of the program.

    It computes what a single device would. Strategies, of `Primitive.shard` and `shard`, say which parts of tensors a
    process has; where there are none, tensors lie as those before them. In a single process nothing is cut.

    Args:
        network: the network, or a function.
        parallel_mode: "semi_auto", "sharding_propagation" or "recursive_programming"; all of them do the same. Default:
            "semi_auto".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.auto_parallel import AutoParallel
        >>> network = AutoParallel(ms.nn.ReLU(), parallel_mode="semi_auto")
        >>> print(network(ms.Tensor([-1.0, 2.0])))
        [0. 2.]
    """

    @checked
    def __init__(self, network: Callable[..., Any], parallel_mode: _Mode = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self._stages = 1
        self._cutting: Any = None
        if in_several_processes():
            from torchspore.engine.distributed.cutting import calls  # it loads a part of torch

            self._cutting = calls.start()

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the network's result."""
        return self.network(*inputs, **kwargs)

    @checked
    def pipeline(
        self,
        stages: Positive = 1,
        output_broadcast: bool = False,
        interleave: bool = False,
        scheduler: _Scheduler = "1f1b",
    ) -> None:
        """Compute the network in stages, see `nn.PipelineCell`; in a single process all are on one device.

        Args:
            stages: the number of stages. Default: 1.
            output_broadcast: all processes get the output in any case. Default: False.
            interleave: cells with a `pipeline_segment` interleave stages in any case. Default: False.
            scheduler: the order of the parts of a batch, see `set_auto_parallel_context`. Default: "1f1b".

        Raises:
            ValueError: the number of stages does not divide the number of processes.
        """
        if self._cutting is not None:
            if stages > 1:
                self._cutting = start_pipelines(stages, scheduler, "AutoParallel.pipeline").cutting
            elif self._stages > 1:
                stop_pipelines()
        self._stages = stages

    def get_pipeline_stages(self) -> int:
        """Return the number of stages."""
        return self._stages

    @checked
    def dataset_strategy(self, config: Literal["data_parallel", "full_batch"] | tuple[Any, ...]) -> None:
        """Set how the inputs lie on the processes.

        Args:
            config: "data_parallel": each process gives its part of the rows; "full_batch": all give all; or a tuple
                with the numbers of parts, or a Layout, for each input, of which each process gives its part.

        Raises:
            TypeError, ValueError: it is something else.
        """
        if isinstance(config, tuple):
            check_parts(config, "config", "AutoParallel.dataset_strategy")
        if self._cutting is not None:
            self._cutting.dataset_strategy = config

    @checked
    def comm_fusion(self, config: dict[Any, Any]) -> None:
        """Do nothing: torch decides which messages are sent together."""

    @checked
    def hsdp(
        self,
        shard_size: _ShardSize = -1,
        threshold: NotNegative = 64,
        optimizer_level: Literal["level1", "level2", "level3"] = "level1",
    ) -> None:
        """Let each process update only a part of the parameters that several have, and hold the states of that part.

        Args:
            shard_size: -1, all processes that have a parameter; NotImplementedError otherwise. Default: -1.
            threshold: the size in KB from which on a parameter is updated in parts. Default: 64.
            optimizer_level: "level1" and "level2": the states of optimizers are cut, and each process gets only its
                part of the gradients; "level3": the parameters are cut, too. Default: "level1".
        """
        if self._cutting is None:
            return
        if shard_size not in (-1, get_world_size()):
            raise NotImplementedError(
                f"For 'AutoParallel.hsdp', 'shard_size' must be -1, but got {shard_size}. Leave it out."
            )
        self._cutting.optimizer_level, self._cutting.threshold = int(optimizer_level[-1]), threshold * 1024

    disable_gradient_fp32_sync = _hint("disable_gradient_fp32_sync")
    disable_loss_repeated_mean = _hint("disable_loss_repeated_mean")
    disable_strategy_file_only_for_trainable_params = _hint("disable_strategy_file_only_for_trainable_params")
    enable_fp32_communication = _hint("enable_fp32_communication")
    enable_gradients_mean = _hint("enable_gradients_mean")
    no_init_parameters_in_compile = _hint("no_init_parameters_in_compile")
    dump_local_norm = _refused("dump_local_norm")
    enable_device_local_norm = _refused("enable_device_local_norm")
    print_local_norm = _refused("print_local_norm")
    load_operator_strategy_file = _file_method("load_operator_strategy_file", ".json")
    load_param_strategy_file = _file_method("load_param_strategy_file")
    save_operator_strategy_file = _file_method("save_operator_strategy_file", ".json")
    save_param_strategy_file = _file_method("save_param_strategy_file")
    set_group_ckpt_save_file = _file_method("set_group_ckpt_save_file")
    transformer_opt = _refused("transformer_opt")
