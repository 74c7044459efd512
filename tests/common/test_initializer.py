"""Initializers: values and errors that MindSpore 2.10 gave, distributions, data types, user subclasses."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore.common import dtype as mstype
from torchspore.common import initializer as module
from torchspore.common.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)
from torchspore.common.tensor import Tensor

RECORD = json.loads((Path(__file__).parent.parent / "data" / "initializer.json").read_text(encoding="utf-8"))
MS = SimpleNamespace(Tensor=Tensor, **{name: getattr(mstype, name) for name in mstype.__all__})
NAMES = {name: getattr(module, name) for name in module.__all__} | {"ms": MS, "np": np, "math": math}

# Where MindSpore fails by a bug, or names a wrong type, TorchSpore raises an error that explains it.
OTHER_ERRORS = {
    "initializer('ones', None)": ValueError,
    "initializer('ones', 'ab')": TypeError,
    "initializer('ones', np.array([2, 3]))": TypeError,
    "initializer('ones', ms.Tensor([2, 3]))": TypeError,
    "initializer('ones', (2,), None)": TypeError,
    "initializer(Constant('a'), (2,)).init_data()": TypeError,
    "initializer(TruncatedNormal(0.0), (2,)).init_data()": ValueError,
    "initializer(HeUniform(mode=1), (2, 2)).init_data()": TypeError,
    "initializer(Dirac(0), (6, 4, 3)).init_data()": ValueError,
    "initializer(Orthogonal('a'), (3, 3)).init_data()": TypeError,
}


@pytest.fixture(autouse=True)
def seeded() -> Any:
    """Give every test the same random numbers, and leave other tests' alone."""
    state = np.random.get_state()
    np.random.seed(20)
    yield
    np.random.set_state(state)


def filled(init: Initializer, shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    tensor = torch.empty(shape, dtype=dtype)
    init.fill(tensor)
    return tensor


def plain_signature(cls: type) -> str:
    signature = inspect.signature(cls.__init__)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def test_names() -> None:
    assert sorted(module.__all__) == RECORD["names"]


@pytest.mark.parametrize("name", RECORD["signatures"])
def test_signature(name: str) -> None:
    assert plain_signature(NAMES[name]) == RECORD["signatures"][name]


def test_signature_of_initializer() -> None:
    parameters = inspect.signature(initializer).parameters
    assert list(parameters) == ["init", "shape", "dtype"]
    assert parameters["shape"].default is None
    assert parameters["dtype"].default is mstype.float32


@pytest.mark.parametrize("name", [name for name, cls in RECORD["strings"].items() if cls])
def test_name_of_initializer(name: str) -> None:
    assert type(initializer(name, (2, 2)).init).__name__ == RECORD["strings"][name]


@pytest.mark.parametrize("name", [name for name, cls in RECORD["strings"].items() if not cls])
def test_unknown_name(name: str) -> None:
    error, words = (
        (TypeError, "needs a sparsity") if name == "sparse" else (ValueError, "must be one of dirac, he_normal")
    )
    with pytest.raises(error, match=f"For 'initializer', .*{words}"):
        initializer(name, (2, 2))


@pytest.mark.parametrize("case", RECORD["exact"], ids=lambda case: case["case"])
def test_recorded_values(case: dict[str, Any]) -> None:
    tensor = eval(case["case"], NAMES)
    array = (tensor.init_data() if tensor.has_init else tensor).asnumpy()
    expected = np.array(case["value"])
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    assert list(tensor.shape) == case["shape"]
    assert str(tensor.dtype) == case["dtype"]
    np.testing.assert_array_equal(array, expected.astype(array.dtype))


@pytest.mark.parametrize("case", RECORD["random"], ids=lambda case: f"{case['case']} {case['shape']}")
def test_recorded_distribution(case: dict[str, Any]) -> None:
    values = np.sort(filled(eval(case["case"], NAMES), tuple(RECORD["shapes"][case["shape"]])).numpy(), axis=None)
    points, recorded = np.array(RECORD["points"]), np.array(case["quantiles"], np.float32)
    inner = slice(1, -1)  # the smallest and the largest value say little about a distribution
    below = np.searchsorted(values, recorded, "left")[inner] / values.size
    up_to = np.searchsorted(values, recorded, "right")[inner] / values.size
    tolerance = 5 * np.sqrt(points * (1 - points) * 2 / values.size)[inner]
    assert (below - tolerance <= points[inner]).all()
    assert (up_to + tolerance >= points[inner]).all()


@pytest.mark.parametrize(("sparsity", "rows", "zeros"), RECORD["sparse"])
def test_sparse_zeros_per_column(sparsity: float, rows: int, zeros: int) -> None:
    values = filled(Sparse(sparsity), (rows, 50))
    assert ((values == 0).sum(0) == zeros).all()
    if zeros not in (0, rows):  # at random places
        assert len({tuple(column) for column in (values == 0).T.tolist()}) > 1


def gain(slope: float) -> float:
    return math.sqrt(2 / (1 + slope**2))


# For a weight of (40, 20, 4, 5): 400 inputs, 800 outputs.
CLOSED_FORMS = [
    (Uniform(), 0.07, None),
    (Uniform(2), 2, None),
    (XavierUniform(3), 3 * math.sqrt(6 / 1200), None),
    (HeUniform(), math.sqrt(2) * math.sqrt(3 / 400), None),
    (HeUniform(math.sqrt(5)), math.sqrt(1 / 400), None),
    (HeUniform(None, mode="fan_out"), gain(0.01) * math.sqrt(3 / 800), None),
    (HeUniform(nonlinearity="tanh"), 5 / 3 * math.sqrt(3 / 400), None),
    (VarianceScaling(2, "fan_avg", "uniform"), math.sqrt(3 * 2 / 600), None),
    (Normal(), None, 0.01),
    (XavierNormal(3), None, 3 * math.sqrt(2 / 1200)),
    (HeNormal(2, "fan_out"), None, gain(2) / math.sqrt(800)),
    (HeNormal(nonlinearity="conv2d"), None, 1 / math.sqrt(400)),
    (VarianceScaling(2, "fan_out", "untruncated_normal"), None, math.sqrt(2 / 800)),
    (VarianceScaling(), 2 / 0.8796256610342398 * math.sqrt(1 / 400), math.sqrt(1 / 400)),
    (VarianceScaling(2, "fan_avg"), 2 / 0.8796256610342398 * math.sqrt(2 / 600), math.sqrt(2 / 600)),
    (TruncatedNormal(1), 2, 0.8796256610342398),
]


@pytest.mark.parametrize(("init", "bound", "std"), CLOSED_FORMS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_closed_forms(init: Initializer, bound: float | None, std: float | None, dtype: torch.dtype) -> None:
    values = filled(init, (40, 20, 4, 5), dtype).double()
    if bound is not None:
        assert 0.995 * bound < values.abs().max() <= bound * (1 + 1e-6)
    if std is None:
        assert bound is not None
        std = bound / math.sqrt(3)
    assert abs(values.mean()) < 4 * std / math.sqrt(values.numel())
    assert abs(values.std() / std - 1) < 4 / math.sqrt(2 * values.numel())


@pytest.mark.parametrize(
    ("low", "high", "mean"),
    [(8, 9, 8.121), (-9, -8, -8.121), (30, 31, 30.0332), (50, 60, 50), (-60, -50, -50), (2, 2, 2), (-1, 1e9, 0.2876)],
)
def test_truncated_normal_far_from_its_mean(low: float, high: float, mean: float) -> None:
    values = filled(TruncatedNormal(1.0, 0.0, low, high), (20000,))
    assert low <= values.min()
    assert values.max() <= high
    assert abs(values.mean() - mean) < 0.03


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (4, 3, 2, 2), (12, 2, 2)])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_orthogonal(shape: tuple[int, ...], scale: float) -> None:
    matrix = filled(Orthogonal(scale), shape).flatten(1)
    gram = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    torch.testing.assert_close(gram, scale**2 * torch.eye(len(gram)), rtol=1e-5, atol=1e-5)


def test_orthogonal_has_no_preferred_direction() -> None:
    corners = [float(filled(Orthogonal(), (2, 2))[0, 0]) for _ in range(400)]
    assert abs(np.mean(corners)) < 4 * math.sqrt(0.5 / 400)


ALL_TYPES = [dtype for dtype in mstype.FROM_TORCH if dtype is not torch.bits8]  # hifloat8 cannot be filled


@pytest.mark.parametrize("dtype", ALL_TYPES, ids=str)
@pytest.mark.parametrize(
    "init",
    [Normal(3.0, 20.0), Uniform(100), TruncatedNormal(9.0, 20, 10, 90), HeNormal(), Orthogonal(5), Sparse(0.5, 9)],
)
def test_every_dtype_gets_the_same_numbers(init: Initializer, dtype: torch.dtype) -> None:
    np.random.seed(3)
    values = filled(init, (8, 6))
    np.random.seed(3)
    result = filled(init, (8, 6), dtype)
    np.testing.assert_array_equal(bits(result), bits(values.to(dtype)))


def bits(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return tensor.contiguous().view(torch.uint8).numpy()


@pytest.mark.parametrize("dtype", ALL_TYPES, ids=str)
@pytest.mark.parametrize(("init", "expected"), [(Zero(), 0), (One(), 1), (Constant(1), 1), (Constant(0.0), 0)])
def test_constants_in_every_dtype(init: Initializer, expected: int, dtype: torch.dtype) -> None:
    np.testing.assert_array_equal(
        bits(filled(init, (3, 2), dtype)), bits(torch.full((3, 2), float(expected)).to(dtype))
    )


@pytest.mark.parametrize("init", [Dirac(2), Orthogonal(), Normal(), XavierUniform(), TruncatedNormal(), One()])
def test_channels_last_memory(init: Initializer) -> None:
    tensor = torch.zeros(4, 3, 3, 5).contiguous(memory_format=torch.channels_last)
    init.fill(tensor)
    assert tensor.is_contiguous(memory_format=torch.channels_last)
    assert (tensor != 0).any()
    if isinstance(init, Dirac):
        assert torch.equal(tensor, filled(init, (4, 3, 3, 5)))


def test_seed_governs_the_numbers() -> None:
    def draw(seed: int) -> list[float]:
        np.random.seed(seed)
        return [*filled(Normal(), (2,)).tolist(), *filled(TruncatedNormal(), (2,)).tolist()]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    assert len(set(draw(1))) == 4


class Ramp(Initializer):
    """A user's initializer that remembers what it was given."""

    def __init__(self, start: int = 0) -> None:
        super().__init__(start=start)
        self.start = start
        self.seen: Any = None

    def _initialize(self, arr: np.ndarray[Any, Any]) -> str:
        self.seen = arr.dtype
        arr[...] = (self.start + np.arange(arr.size)).reshape(arr.shape)
        return "not used"


@pytest.mark.parametrize("dtype", ALL_TYPES, ids=str)
def test_user_initializer_fills_an_array_of_the_tensor_dtype(dtype: torch.dtype) -> None:
    init = Ramp()
    result = filled(init, (2, 3), dtype)
    assert init.seen == (mstype.FROM_TORCH[dtype].numpy or np.float32)
    np.testing.assert_array_equal(bits(result), bits(torch.arange(6.0).reshape(2, 3).to(dtype)))


def test_user_initializer_keeps_large_integers() -> None:
    assert filled(Ramp(2**53), (3,), torch.int64).tolist() == [2**53, 2**53 + 1, 2**53 + 2]


def test_user_initializer_without_dimensions() -> None:
    assert initializer(Ramp(4), ()).init_data().item() == 4


def test_user_initializer_keeps_its_keywords() -> None:
    assert Ramp(3)._kwargs == {"start": 3}


def test_user_subclass_of_a_built_in_initializer() -> None:
    class Shifted(Normal):
        def _initialize(self, arr: np.ndarray[Any, Any]) -> None:
            super()._initialize(arr)
            arr += 100

    class Wide(Uniform):
        def __init__(self) -> None:
            super().__init__(scale=1000)

    assert 99 < filled(Shifted(), (3,)).min() < 101
    assert filled(Wide(), (50,)).abs().max() > 100


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2", "<i8", "?", "<c8"])
@pytest.mark.parametrize(("init", "expected"), [(One(), 1), (Constant(3), 3), (Normal(0, 5), 5), (Ramp(), None)])
def test_calling_an_initializer_fills_an_array(dtype: str, init: Initializer, expected: int | None) -> None:
    array = np.zeros((2, 6), dtype)[:, ::-2]
    init(array)
    wanted = np.arange(6).reshape(2, 3) if expected is None else np.full((2, 3), expected)
    np.testing.assert_array_equal(array, wanted.astype(dtype))


def test_calling_an_initializer_without_dimensions() -> None:
    array = np.zeros(())
    assert Constant(2)(array) is None
    assert array == 2


@pytest.mark.parametrize("text", RECORD["errors"])
def test_recorded_errors(text: str) -> None:
    builtin = {"TypeError": TypeError, "ValueError": ValueError, "NotImplementedError": NotImplementedError}
    error = OTHER_ERRORS.get(text) or builtin[RECORD["errors"][text]]
    with pytest.raises(error) as raised:
        eval(text, NAMES)
    assert str(raised.value).startswith("For '") or "positional argument" in str(raised.value)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("init", "shape", "error", "words"),
    [
        (Uniform(INF), (2,), ValueError, "For 'Uniform', 'scale' must be a finite number, but got inf of type float."),
        (Normal(NAN), (2,), ValueError, "For 'Normal', 'sigma' must be a finite number"),
        (Normal(1.0, INF), (2,), ValueError, "For 'Normal', 'mean' must be a finite number"),
        (Normal(-1), (2,), ValueError, "For 'Normal', 'sigma' must be >= 0, but got -1 of type int."),
        (Normal("a"), (2,), TypeError, "For 'Normal', 'sigma' must be a number, but got 'a' of type str."),
        (TruncatedNormal(1.0, 0.0, NAN), (2,), ValueError, "For 'TruncatedNormal', 'a' must be a finite number"),
        (Sparse(-0.1), (2, 2), ValueError, "For 'Sparse', 'sparsity' must be >= 0, but got -0.1"),
        (Sparse(0.1), (2,), ValueError, r"For 'Sparse', the tensor must have 2 dimensions, but got shape \(2,\)."),
        (Identity(), (2,), ValueError, r"For 'Identity', the tensor must have 2 dimensions, but got shape \(2,\)."),
        (
            Dirac(-1),
            (2, 2, 2),
            ValueError,
            "For 'Dirac', 'groups' must be positive and divide the outputs, 2, but got -1",
        ),
        (Dirac(), (2, 2), ValueError, "For 'Dirac', the tensor must have 3, 4 or 5 dimensions"),
        (XavierNormal(-2), (2, 2), ValueError, "For 'XavierNormal', 'gain' must be >= 0"),
        (HeUniform(), (2,), ValueError, "For 'HeUniform', the tensor must have 2 or more dimensions"),
        (
            HeNormal(nonlinearity="gelu"),
            (2, 2),
            ValueError,
            "For 'HeNormal', 'nonlinearity' must be one of 'leaky_relu',",
        ),
        (HeNormal(True), (2, 2), ValueError, "For 'HeNormal', 'negative_slope' must be an int or a float"),
        (
            HeNormal(mode="both"),
            (2, 2),
            ValueError,
            "For 'HeNormal', 'mode' must be 'fan_in' or 'fan_out', but got 'both'",
        ),
        (Constant(None), (2,), TypeError, "For 'Constant', 'value' must be a number, but got None"),
        (Constant([1, 2]), (2,), ValueError, "For 'Constant', 'value' must be a single number"),
        (Constant(1j), (2,), TypeError, "For 'Constant', 'value' must be real for a tensor of torch.float32"),
        (Initializer(), (2,), NotImplementedError, "For 'Initializer', an initializer must define '_initialize"),
    ],
)
def test_errors_when_filling(init: Initializer, shape: tuple[int, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        filled(init, shape)


@pytest.mark.parametrize("init", [One(), Normal(), Ramp()])
def test_calling_an_initializer_with_a_list(init: Initializer) -> None:
    with pytest.raises(TypeError, match=f"For '{type(init).__name__}', 'arr' must be a NumPy array, but got list"):
        init([1, 2])


def test_initializer_is_lazy_and_fills_once() -> None:
    tensor = initializer("normal", (3, 4), mstype.float16)
    assert tensor.has_init
    assert isinstance(tensor.init, Normal)
    assert (tensor.shape, tensor.dtype) == ((3, 4), mstype.float16)
    assert not tensor.torch.any()
    assert tensor.init_data() is tensor
    assert tensor.torch.any()
    with pytest.raises(TypeError, match=r"For 'Tensor\.init_data'"):
        tensor.init_data()


def test_initializer_keeps_the_instance() -> None:
    init = One()
    assert initializer(init, 3).init is init


@pytest.mark.parametrize("shape", [None, (2, 3), [2, 3]])
def test_initializer_returns_a_tensor_as_it_is(shape: Any) -> None:
    tensor = Tensor([[1, 2, 3], [4, 5, 6]])
    assert initializer(tensor, shape, mstype.float16) is tensor


def test_initializer_returns_a_delayed_tensor_as_it_is() -> None:
    tensor = initializer("ones", (2,))
    assert initializer(tensor, (2,)) is tensor
    assert tensor.has_init


@pytest.mark.parametrize("kind", [Tensor, ms.Parameter])
def test_a_tensor_that_takes_over_an_initializer_has_its_values(kind):
    given = initializer("ones", [2], ms.float32)
    tensor = kind(Tensor([0.0, 0.0]))
    tensor.assign_value(given)
    assert not given.has_init
    assert not tensor.has_init
    assert (tensor * 2).asnumpy().tolist() == [2, 2]
