"""Record what MindSpore 2.10's initializers do, into `initializer.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_initializer.py`.

Cases are lines of Python text, evaluated here with MindSpore's names and in the tests with TorchSpore's.
"""

from __future__ import annotations

import inspect
import math
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore.common import initializer as module
from tables import dump

NAMES = {name: getattr(module, name) for name in module.__all__} | {"ms": ms, "np": np, "math": math}

STRINGS = """
zero zeros one ones ZEROS Ones constant normal Normal uniform truncatednormal truncatedNormal truncated_normal
xavieruniform xavier_uniform XavierUniform xaviernormal xavier_normal heuniform he_uniform henormal he_normal He_Normal
dirac identity orthogonal sparse variancescaling varianceScaling variance_scaling zeros_ kaiming_uniform glorot_uniform
"""

EXACT = """
initializer('zeros', (2, 3))
initializer('ones', [2, 3], ms.int32)
initializer(One(), 3, ms.bool_)
initializer(One(), (), ms.float16)
initializer(0.5, (2,))
initializer(3, (2,), ms.int64)
initializer(2 ** 40 + 1, (2,), ms.int64)
initializer(2.7, (2,), ms.int32)
initializer(-1.5, (2,), ms.int8)
initializer(-1, (2,), ms.uint8)
initializer(300, (2,), ms.uint8)
initializer(2.7, (2,), ms.uint16)
initializer(2.7, (2,), ms.uint64)
initializer(2.7, (2,), ms.float16)
initializer(2.7, (2,), ms.float64)
initializer(2.7, (2,), ms.bool_)
initializer(True, (2,))
initializer(np.float32(2), (2,))
initializer(np.int64(2), (2,))
initializer(float('nan'), (2,))
initializer(1 + 2j, (2,), ms.complex64)
initializer(Constant(np.array(3)), (2,))
initializer(Constant(np.array([3])), (2,))
initializer(Constant(ms.Tensor(2.0)), (2, 2))
initializer(Identity(), (2, 3))
initializer(Identity(), (3, 2), ms.int32)
initializer('identity', (1, 1), ms.float16)
initializer(Dirac(), (4, 3, 3))
initializer('dirac', (2, 3, 4, 2))
initializer(Dirac(2), (6, 4, 3, 3))
initializer(Dirac(groups=2), (4, 3, 2, 2, 2), ms.int32)
initializer(Dirac(3), (3, 4, 1))
initializer(Dirac(True), (2, 2, 1))
initializer(Normal(0.0, 5.0), (2, 2))
initializer(Normal(0.0, 5.0), (2, 2), ms.int32)
initializer(Uniform(0), (2, 2))
initializer(TruncatedNormal(1.0, 0.0, 1.0, 1.0), (2, 2))
initializer(XavierNormal(0), (3, 2))
initializer(Orthogonal(0), (3, 2))
initializer(Sparse(1.0), (3, 2))
initializer(Sparse(1.5), (3, 2))
initializer(ms.Tensor([1, 2, 3]), (3,))
initializer(ms.Tensor([1, 2, 3]), 3, ms.float16)
initializer(ms.Tensor([[1, 2, 3]]), [1, 3])
"""

# As many zeros in every column.
SPARSE = [(0.1, 10), (0.1, 7), (0.1, 3), (0.25, 10), (0.25, 7), (0.34, 10), (0.34, 7), (0.5, 7), (0.0, 4), (0.1, 30)]

RANDOM = """
Uniform()
Uniform(1.5)
Uniform(-1.0)
Uniform(True)
Uniform(np.float32(2))
Uniform(ms.Tensor(2.0))
Normal()
Normal(2.0, 3.0)
Normal(sigma=0.5, mean=-1.0)
TruncatedNormal()
TruncatedNormal(1.0)
TruncatedNormal(1.0, 0.5, -1.0, 2.0)
TruncatedNormal(2.0, 1.0, -0.5, 0.5)
TruncatedNormal(1.0, 5.0)
TruncatedNormal(1.0, 0.0, 2.0, -2.0)
TruncatedNormal(1.0, 0.0, 3.0, 4.0)
TruncatedNormal(1.0, 0.0, -9.0, -8.0)
TruncatedNormal(1.0, 0.0, float('-inf'), float('inf'))
TruncatedNormal(1.0, 0.0, 0.0, float('inf'))
XavierUniform()
XavierUniform(2.0)
XavierUniform(-2.0)
XavierNormal()
XavierNormal(gain=2.0)
HeUniform()
HeUniform(math.sqrt(5))
HeUniform(None)
HeUniform(mode='fan_out')
HeUniform(mode='FAN_OUT')
HeUniform(nonlinearity='relu')
HeUniform(True, nonlinearity='relu')
HeUniform(nonlinearity='tanh')
HeUniform(nonlinearity='sigmoid')
HeUniform(nonlinearity='linear')
HeUniform(nonlinearity='conv_transpose2d')
HeNormal()
HeNormal(1)
HeNormal(mode='fan_out')
HeNormal(nonlinearity='relu')
HeNormal(nonlinearity='tanh')
VarianceScaling(2.0, 'fan_out', 'untruncated_normal')
VarianceScaling(1.0, 'fan_in', 'uniform')
VarianceScaling(0.5, 'fan_avg', 'uniform')
VarianceScaling(True, 'fan_in', 'uniform')
Orthogonal()
Orthogonal(2.0)
Sparse(0.3)
Sparse(0.1, 2.0)
"""

ERRORS = """
Constant()
Sparse()
Identity(1)
VarianceScaling(0)
VarianceScaling(-1.0)
VarianceScaling('a')
VarianceScaling(None)
VarianceScaling(1.0, 'x')
VarianceScaling(1.0, None)
VarianceScaling(1.0, 'FAN_IN')
VarianceScaling(1.0, 'fan_in', 'x')
VarianceScaling(1.0, 'fan_in', 'truncated_norm')
Initializer()(np.zeros(3))
initializer(Initializer(), (2,)).init_data()
initializer()
initializer('nope', (2, 2))
initializer('', (2, 2))
initializer(' ones', (2, 2))
initializer('constant', (2, 2))
initializer('sparse', (2, 2))
initializer(Normal, (2, 2))
initializer(None, (2, 2))
initializer([1, 2], (2, 2))
initializer((1, 2), (2, 2))
initializer(np.zeros(3), (3,))
initializer('ones', None)
initializer('ones', 0)
initializer('ones', -1)
initializer('ones', 2.0)
initializer('ones', (2, 0))
initializer('ones', (2, -1))
initializer('ones', (2.0,))
initializer('ones', (2, None))
initializer('ones', ((2,),))
initializer('ones', (np.int64(2),))
initializer('ones', np.int64(2))
initializer('ones', 1 + 1j)
initializer('ones', {2, 3})
initializer('ones', 'ab')
initializer('ones', np.array([2, 3]))
initializer('ones', ms.Tensor([2, 3]))
initializer('ones', (2,), 'nope')
initializer('ones', (2,), 3)
initializer('ones', (2,), None)
initializer(ms.Tensor([[1, 2, 3]]), (3, 1))
initializer(ms.Tensor([[1, 2, 3]]), 3)
initializer(1 + 2j, (2,)).init_data()
initializer(float('nan'), (2,), ms.int8).init_data()
initializer(Constant('a'), (2,)).init_data()
initializer(Constant([1, 2]), (2, 2)).init_data()
initializer(Constant(np.array([1, 2])), (2, 2)).init_data()
initializer(Normal(-1.0), (2,)).init_data()
initializer(Normal('a'), (2,)).init_data()
initializer(Normal(None), (2,)).init_data()
initializer(Uniform('a'), (2,)).init_data()
initializer(Uniform(None), (2,)).init_data()
initializer(TruncatedNormal(-1.0), (2,)).init_data()
initializer(TruncatedNormal(0.0), (2,)).init_data()
initializer(TruncatedNormal('a'), (2,)).init_data()
initializer('xavier_uniform', (2,)).init_data()
initializer('xavier_normal', ()).init_data()
initializer(XavierUniform('a'), (2, 2)).init_data()
initializer(XavierUniform(1j), (2, 2)).init_data()
initializer(XavierUniform(None), (2, 2)).init_data()
initializer(XavierNormal(-1.0), (2, 2)).init_data()
initializer('he_uniform', (2,)).init_data()
initializer('he_normal', (2,)).init_data()
initializer(HeUniform(mode='fan_avg'), (2, 2)).init_data()
initializer(HeUniform(mode=1), (2, 2)).init_data()
initializer(HeUniform(nonlinearity='gelu'), (2, 2)).init_data()
initializer(HeUniform(nonlinearity='ReLU'), (2, 2)).init_data()
initializer(HeUniform(nonlinearity=1), (2, 2)).init_data()
initializer(HeNormal(nonlinearity='selu'), (2, 2)).init_data()
initializer(HeUniform(True), (2, 2)).init_data()
initializer(HeUniform('1'), (2, 2)).init_data()
initializer(HeNormal('1'), (2, 2)).init_data()
initializer('variancescaling', (2,)).init_data()
initializer('identity', (3,)).init_data()
initializer('identity', (3, 3, 3)).init_data()
initializer('dirac', (2, 3)).init_data()
initializer('dirac', (2, 2, 2, 2, 2, 2)).init_data()
initializer(Dirac(4), (6, 4, 3)).init_data()
initializer(Dirac(0), (6, 4, 3)).init_data()
initializer(Dirac(1.0), (6, 4, 3)).init_data()
initializer(Dirac('a'), (6, 4, 3)).init_data()
initializer('orthogonal', (3,)).init_data()
initializer(Orthogonal('a'), (3, 3)).init_data()
initializer(Orthogonal(None), (3, 3)).init_data()
initializer(Sparse(0.5), (3,)).init_data()
initializer(Sparse(0.5), (2, 3, 4)).init_data()
initializer(Sparse('a'), (3, 3)).init_data()
initializer(Sparse(None), (3, 3)).init_data()
initializer(Sparse(float('nan')), (3, 3)).init_data()
initializer(Sparse(0.1, -1.0), (3, 3)).init_data()
"""

SHAPES = {"matrix": (100, 160), "kernel": (40, 20, 4, 5)}
POINTS = [0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]


def lines(text: str) -> list[str]:
    """Return the lines that hold something."""
    return [line for line in text.splitlines() if line]


def signature(cls: type) -> str:
    """Return the constructor's parameters as text."""
    return str(inspect.signature(cls.__init__))


def accepts(name: str) -> str | None:
    """Return the class that a name stands for."""
    try:
        return type(module.initializer(name, (2, 2)).init).__name__
    except (TypeError, ValueError):
        return None


def exact(text: str) -> dict[str, object]:
    """Return a tensor's shape, data type and values."""
    tensor = eval(text, NAMES)
    array = (tensor.init_data() if tensor.has_init else tensor).asnumpy()
    value = [[float(v.real), float(v.imag)] for v in array.ravel()] if array.dtype.kind == "c" else array.tolist()
    return {"case": text, "shape": list(array.shape), "dtype": str(tensor.dtype), "value": value}


def zeros(sparsity: float, rows: int) -> int:
    """Return how many zeros a column gets."""
    array = np.empty((rows, 5), np.float32)
    module.Sparse(sparsity)(array)
    (count,) = set((array == 0).sum(0).tolist())
    return count


def quantiles(text: str, shape: tuple[int, ...]) -> list[float]:
    """Return the values at `POINTS` of a large sample."""
    array = np.empty(shape, np.float32)
    eval(text, NAMES)(array)
    return [float(f"{v:.7g}") for v in np.quantile(array.astype(np.float64), POINTS)]


def error(text: str) -> str:
    """Return the name of the exception's type."""
    try:
        eval(text, NAMES)
    except Exception as raised:
        return type(raised).__name__
    raise AssertionError(f"{text} works")


def main() -> None:
    """Write the file."""
    ms.set_seed(1)
    record = {
        "names": sorted(module.__all__),
        "signatures": {n: signature(c) for n, c in NAMES.items() if isinstance(c, type)},
        "strings": {name: accepts(name) for name in STRINGS.split()},
        "exact": [exact(text) for text in lines(EXACT)],
        "sparse": [[sparsity, rows, zeros(sparsity, rows)] for sparsity, rows in SPARSE],
        "points": POINTS,
        "shapes": SHAPES,
        "random": [
            {"case": text, "shape": name, "quantiles": quantiles(text, shape)}
            for text in lines(RANDOM)
            for name, shape in SHAPES.items()
            if name == "matrix" or not text.startswith("Sparse")
        ],
        "errors": {text: error(text) for text in lines(ERRORS)},
    }
    Path(__file__).with_name("initializer.json").write_text(dump(record), encoding="utf-8")


if __name__ == "__main__":
    main()
