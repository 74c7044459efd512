"""Functions and cells for the programs in integer_gradients.json; `ms`, `nn`, `ops` are either package's."""
# ruff: noqa: F821


def I(*values):  # noqa: E743
    return Tensor(list(values))


def F(*values):
    return Tensor([float(value) for value in values])


class Net(nn.Cell):
    def __init__(self, dtype=ms.int32):
        super().__init__()
        self.w = Parameter(Tensor([2, 3], dtype), name="w")
        self.b = Parameter(Tensor([0.5, 1.5]), name="b")
        self.frozen = Parameter(Tensor([1.0, 2.0]), name="frozen", requires_grad=False)

    def construct(self, x, y=None):
        result = x * self.w + self.b * self.frozen
        return result if y is None else result * y


class Square(nn.Cell):
    def construct(self, x):
        return x * x * 3


class Tenfold(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * 10, dout * 20


class Given(nn.Cell):
    def __init__(self, gradient):
        super().__init__()
        self.gradient = gradient

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (self.gradient,)


class ToInts(nn.Cell):
    def construct(self, x):
        return (x * 2).astype(ms.int32)

    def bprop(self, x, out, dout):
        return (dout * 3,)


net = Net()
COO = COOTensor(Tensor([[0, 1], [1, 0]]), F(3, 4), (2, 2))
CSR = CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([1, 0], ms.int32), F(3, 4), (2, 2))
COO_INTS = COOTensor(Tensor([[0, 1], [1, 0]]), I(3, 4), (2, 2))


def square(x):
    return x * x


def scaled(x):
    return x * 2.5


def product(x, y):
    return x * y


def product3(x, y, z):
    return x * y * z


def of_square(x):
    return ms.grad(square)(x)


def mapped(x):
    return ops.vmap(square)(x)


def twice(gradient):
    return gradient * 2


def inserted(x):
    return ops.InsertGradientOf(twice)(x) * x


def hooked(x):
    return ops.HookBackward(lambda gradients: gradients[0] * 2)(x) * x


def constant():
    return net.b * 2


def both(x):
    return x * 2, x.astype(ms.float32) * 1.5


def written(x):
    y = x * 2
    y[0] = 5
    return y * x


def filled(x):
    y = ops.zeros_like(x)
    y[0] = x[1] * 3
    return y * 2


def values(x):
    return x.values * 2


def weighted(x, y):
    return x.values * y


def dense(x):
    return x.to_dense() * 2


def entry(x, d):
    return x * d["a"]


def first(x, d):
    return x * d[0]
