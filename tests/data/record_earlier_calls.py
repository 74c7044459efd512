"""Calls whose meaning was another in an earlier version, and what that version gave: `earlier_calls.json`.

    MINDSPORE_OF_THE_VERSION record_earlier_calls.py VERSION

evaluates them with that MindSpore. It imports nothing of TorchSpore, and runs on Python 3.7.
"""

import json
import sys
from pathlib import Path

PATH = Path(__file__).with_name("earlier_calls.json")
CALLS = {
    "1.10": """
        ops.split(x, 1, 3)
        x.split(1, 3)[0]
        ops.max(x, 1)
        ops.max(x)
        ops.min(x, 1)
        x.max(1)
        x.argmax_with_value(1)
        x.argmin_with_value(axis=1, keep_dims=True)
        x.repeat(2)
        x.repeat(2, 1)
        x.repeat([1, 2], axis=0)
        ops.argmax(x)
        ops.argmin(x)
        ops.median(x, False, 1)
        ops.std(x, 1)
        ops.norm(x, [0, 1])
        ops.norm(x, 1, 1, True)
        ops.pad(x[:1], ((1, 0), (0, 2)))
        ops.avg_pool2d(image, 2, 2)
        ops.conv2d(image, kernel, 'pad', 1, 2)
        ops.interpolate(image, None, None, (1, 3), 'align_corners', 'bilinear')
        ops.dropout(x, 0.0)
        ops.dropout2d(image, 0.0)
        ops.dropout3d(image[None], 0.0)
        ops.meshgrid((x[0], x[1][:2]), indexing='ij')
        ops.meshgrid((x[0], x[1][:2]))
        ops.sparse_add(sparse, sparse, Tensor(0, ms.int32)).values
        ops.vjp(Cube(), (x, x), x)
        ops.scalar_cast(255.5, ms.int32)
        ops.ScalarCast()(3, ms.float16)
        ops.AdaptiveMaxPool2D(2)(image)
        ops.AdaptiveMaxPool2D((None, 1), True)(image)
        ms.Tensor(shape=(2,), dtype=ms.float32, init=One()).to_tensor()
        x.item(2)
        nn.BCELoss()(x[:1] / 10, x[:1] / 10)
        ms.ops.Real()(Tensor(np.asarray(np.complex(1.5 + 2j)), ms.complex64))
        [np.int(2.5), str(np.zeros(2, np.bool).dtype)]
        solvers().cg(spd, b, maxiter=1)
        solvers().cg(spd, b, b, tol=0.1)
        solvers().cg(spd, b, M=spd, maxiter=2)
        solvers().bicgstab(spd, b, maxiter=1)
        solvers().bicgstab(spd, b, M=spd)[1]
        solvers().gmres(spd, b, restart=2, maxiter=1)
        solvers().gmres(spd, b)[1]
        rows(data().map(lambda x: (x, x + 1), ["x"], ["a", "b"], ["b", "a", "y"]))
        rows(data().batch(2, False, None, None, None, None, ["y", "x"]))
        rows(data().batch(2, True, 1, None, None, None, None, {}))
        [array().write(0, 1), array().close(), array().clear()]
        str(Nested())
        str(nn.Dropout(0.9))
        str(nn.Dropout(0.25, ms.float32))
        context.get_context('mode')
    """,
    "2.0": """
        ops.split(x, 1, 1)[0]
        x.repeat(2)
        x.repeat([1, 2], axis=0)
        x.item(2)
        ops.scalar_cast(255.5, ms.int32)
        ops.ScalarCast()(3, ms.float16)
        ops.clamp([x, x + 1], 2, 5)
        sorted(ops.RandpermV2()(Tensor([4]), 1, 2).asnumpy().tolist())
        ops.ResizeNearestNeighborV2()(image.reshape(1, 4, 4, 1), Tensor([2, 2], ms.int32))
        ops.ResizeNearestNeighborV2(data_format='NCHW')(image, Tensor([2, 2], ms.int32))
        str(Nested())
        context.get_context('mode')
    """,
}


def calls(version):
    """Return the expressions for a version."""
    return [line.strip() for line in CALLS[version].strip().splitlines()]


def show(value):
    """Return a result as JSON: tensors as their rounded numbers and their data type."""
    if isinstance(value, (tuple, list)):
        return [show(each) for each in value]
    if hasattr(value, "asnumpy"):
        return f"{value.asnumpy().astype(float).round(4).tolist()} {value.dtype}"
    return value


def names_of_calls():
    """Return the names that the expressions use; this imports MindSpore."""
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import COOTensor, Tensor, context, nn, ops  # noqa: F401
    from mindspore.common.initializer import One  # noqa: F401

    class Cube(nn.Cell):
        def construct(self, x, y):
            return x**3 + y

    class Nested(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 3)
            self.parts = nn.SequentialCell(nn.ReLU(), nn.SequentialCell([nn.Dense(3, 1)]))

    def rows(dataset):
        return [[value.tolist() for value in row] for row in dataset.create_tuple_iterator(None, 1, True)]

    def array():
        return nn.TensorArray(ms.int64, ())

    def data():
        return ds.NumpySlicesDataset({"x": [1, 2, 3], "y": [4, 5, 6]}, shuffle=False)

    def solvers():
        import mindspore.scipy.sparse.linalg

        return mindspore.scipy.sparse.linalg

    ms.set_context(device_target="CPU")
    spd = Tensor(np.array([[4, 1, 0.5], [1, 3, 0], [0.5, 0, 2]], np.float32))
    b = Tensor(np.array([1, -2, 3], np.float32))
    x = Tensor(np.array([[3.0, 1, 2], [6, 5, 4]], np.float32))
    image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    kernel = Tensor(np.ones((1, 1, 3, 3), np.float32))
    sparse = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1, 2], ms.int32), (3, 4))
    return locals()


def evaluate(version):
    """Return the results of all expressions with the MindSpore that can be imported."""
    names = names_of_calls()
    return {call: show(eval(call, names)) for call in calls(version)}


if __name__ == "__main__":
    version = sys.argv[1]
    known = json.loads(PATH.read_text()) if PATH.exists() else {}
    known[version] = evaluate(version)
    PATH.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
