"""What splits networks over devices leaves them whole in a single process, as MindSpore 2.10 does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import torchspore as ms
from torchspore import mint, nn
from torchspore.parallel import Layout, shard
from torchspore.parallel.auto_parallel import AutoParallel

X = ms.Tensor(np.ones((4, 4), np.float32))
GRID = Layout((2, 2, 2), ("dp", "sp", "mp"))


class Product(nn.Cell):
    """A network with operations that name how they are split."""

    def __init__(self) -> None:
        super().__init__()
        self.first = ms.ops.MatMul().shard(((4, 1), (1, 1)))
        self.second = shard(mint.matmul, in_strategy=(GRID("mp", ("sp", "dp")), GRID(("sp", "dp"), "None")))
        self.last = nn.Dense(4, 2, weight_init="ones")

    def construct(self, x: ms.Tensor) -> Any:
        return self.last(self.second(self.first(x, x), x))


@pytest.mark.parametrize("mode", ["semi_auto", "sharding_propagation", "recursive_programming"])
def test_a_single_process_runs_the_network(mode: str) -> None:
    network = Product()
    split = AutoParallel(network, parallel_mode=mode)
    assert np.array_equal(split(X).asnumpy(), network(X).asnumpy())
    assert [p.name for p in split.trainable_params()] == ["last.weight", "last.bias"]
    weights = ms.ParameterTuple(split.trainable_params())
    for ours, plain in zip(ms.grad(split, None, weights)(X), ms.grad(network, None, weights)(X), strict=True):
        assert np.array_equal(ours.asnumpy(), plain.asnumpy())


def test_a_function() -> None:
    assert np.array_equal(AutoParallel(ms.jit(mint.matmul))(X, X).asnumpy(), mint.matmul(X, X).asnumpy())


def test_settings() -> None:
    split = AutoParallel(Product())
    assert split.get_pipeline_stages() == 1
    split.pipeline(stages=2, scheduler="gpipe")
    assert split.get_pipeline_stages() == 2
    for name in ("enable_gradients_mean", "enable_fp32_communication", "no_init_parameters_in_compile", "hsdp"):
        assert getattr(split, name)() is None
    split.comm_fusion({"allreduce": {"mode": "auto", "config": None}})
    split.dataset_strategy("full_batch")


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: AutoParallel(Product(), parallel_mode="auto"), ValueError, "'parallel_mode' must be one of .*'auto'"),
    (lambda: AutoParallel(3), TypeError, "'network' must be"),  # type: ignore[arg-type]
    (lambda: AutoParallel(Product()).pipeline(stages=0), ValueError, "'stages' must be"),
    (lambda: AutoParallel(Product()).dataset_strategy("rows"), ValueError, "'config' must be"),
    (lambda: AutoParallel(Product()).hsdp(optimizer_level="level4"), ValueError, "'optimizer_level' must be"),
    (lambda: AutoParallel(Product()).dataset_strategy(((0, 1),)), ValueError, "'config' must be >= 1"),
    (lambda: AutoParallel(Product()).dataset_strategy((2, 1)), TypeError, "'config' must hold tuples of ints"),
    (lambda: AutoParallel(Product()).hsdp(0), ValueError, "'shard_size' must be -1 or >= 1"),
    (lambda: ms.set_auto_parallel_context(dataset_strategy=((-1, 1),)), ValueError, "'dataset_strategy' must be >= 1"),
    (lambda: shard(mint.matmul, ((0, 1), (1, 1))), ValueError, "'in_strategy' must be >= 1"),
    (lambda: shard(Product(), ((1, 1),), None, {"last.bias": (0,)}), ValueError, "'parameter_plan' must be >= 1"),
    (lambda: shard(Product(), ((1, 1),), None, {"last.bias": "a"}), TypeError, "'parameter_plan' must hold tuples"),
    (lambda: Product().shard(((1, -1),)), ValueError, "For 'Cell.shard', the numbers in 'in_strategy' must be >= 1"),
    (lambda: Product().shard(((1, 1),), parameter_plan={"a": (1,)}), ValueError, r"'parameter_plan' names \['a'\]"),
    (lambda: nn.Dense(2, 2).matmul.shard(((0, 1), (1, 1))), ValueError, r"For 'MatMul\.shard', .* must be >= 1"),
    (lambda: shard(mint.matmul, [(1, 1)]), TypeError, "'in_strategy' must be a tuple"),
    (lambda: shard(Product(), ((1, 1),), parameter_plan={"a": (1,)}), ValueError, r"'parameter_plan' names \['a'\]"),
    (lambda: AutoParallel(Product()).save_param_strategy_file(1), TypeError, "must be a string"),
    (lambda: AutoParallel(Product()).save_operator_strategy_file("f"), KeyError, "must end with '.json'"),
    (lambda: AutoParallel(Product()).print_local_norm(), NotImplementedError, "no counterpart"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_wrong_arguments(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
