"""Networks whose statements `rewrite` reads: MindSpore 2.10 read the same ones for `data/rewrite.json`."""
# ruff: noqa: RET504

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def double(x):
    y = x * 2
    return y


def shifted(x, k=3):
    x = x - 1
    if k > 2:
        x = x + k
    return double(x)


class Part(nn.Cell):
    def __init__(self, size=4):
        super().__init__()
        self.dense = nn.Dense(size, size)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.dense(x)
        return self.relu(x)


class Images(nn.Cell):
    """A network with a branch."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.with_top = True
        self.top = nn.Dense(6 * 64, 10)

    def construct(self, x):
        x = self.conv(x)
        x = self.relu(x)
        if not self.with_top:
            return x
        x = self.flatten(x)
        x = self.relu(self.top(x))
        return x


class Nested(nn.Cell):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.other = Part()
        self.same = self.part

    def construct(self, x):
        x = self.part(x)
        x = self.same(x)
        return self.other(x=x)


class Containers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), Part())
        self.blocks = nn.CellList([nn.Dense(4, 4), nn.ReLU()])

    def construct(self, x):
        x = self.layers(x)
        for block in self.blocks:
            x = block(x)
        x = self.blocks[0](x)
        return x


class Flow(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x, y=1, z=None):
        if x.shape[0] > 2 and y == 1:
            x = x + 1
            if y:
                x = self.relu(x)
        elif y == 3:
            return x
        for _ in range(3):
            x = self.relu(x) + self.relu(x)
        x += 1
        assert y
        return x * 2


class Expressions(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.add = ops.Add()
        self.size = 2
        self.p = Parameter(Tensor(np.ones(4), ms.float32), name="p")

    def construct(self, x, y):
        z = self.add(x, y)
        (a, b) = (x, z)
        c = [a, b]
        d = {"a": a, "b": b}
        e = x
        f = self.size
        g = 3
        h = None
        i = x.shape
        j = x.reshape(4, -1).sum()
        k = -x
        m = not self.size
        n = x + y * 2 - self.relu(x)
        o = x[0]
        p = d["a"] + c[1]
        q = x > 0
        r = x if self.size else y
        s = self.relu(self.add(x, self.relu(y)))
        t = u = x
        v = x @ y
        w = x**2 // 2 % 3
        return a, self.relu(b), e + f + g + self.p, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w


class Functions(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor(np.full(4, 3.0), ms.float32), name="scale")

    def scaled(self, a, b=2):
        c = a + b
        return c * self.scale

    def construct(self, x):
        x = double(x)
        x = shifted(x, k=4)
        return self.scaled(x, b=3)


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def act(self, x):
        return self.relu(x)

    def construct(self, x):
        return self.act(x)


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.sigmoid = nn.Sigmoid()

    def construct(self, x):
        x = super().construct(x)
        x = self.act(x)
        x = self.sigmoid(self.relu(x))
        x = self.sigmoid(x)
        return x


class Chain(nn.Cell):
    """A network to be changed."""

    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.first = nn.Dense(4, 4)
        self.second = nn.Dense(4, 4)

    def construct(self, x, y=None):
        x = self.first(x)
        z = self.relu(x)
        x = self.second(x)
        w = x + z
        return w


class Held(nn.Cell):
    """A network of cells in containers and lists, compiled, with arguments that say their types."""

    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(Part(), nn.SequentialCell(nn.Tanh(), Part()))
        self.acts = [nn.ReLU(), nn.Sigmoid()]
        self.size = 2

    @staticmethod
    def shifted(x):
        return x - 1

    @ms.jit
    def construct(self, x: Tensor):
        (a, b), c = (x, x), x
        x = self.layers(x)
        for act in self.acts:
            x = act(x)
        d = 0 < self.size <= 3
        x = self.shifted(x)
        return x, a, b, c, d


class Static(nn.Cell):
    """A network with branches that are known before it runs."""

    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.tanh = nn.Tanh()
        self.flag = True
        self.big = False

    def construct(self, x, y=None):
        if self.flag:
            x = self.relu(x)
            if self.big:
                x = x + 1
            else:
                x = x - 1
        else:
            x = self.tanh(x)
        if not self.flag:
            return x
        if y is None:
            y = x
        for _ in range(2):
            if self.flag:
                x = x + y
        if True:
            return x
        x = self.tanh(x)
        return x


class Paired(nn.Cell):
    """A network with pairs of cells to be exchanged."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.relu = nn.ReLU()
        self.other = nn.Dense(4, 4)
        self.add = ops.Add()
        self.layers = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Tanh())
        self.part = Part()

    def construct(self, x):
        x = self.dense(x)
        x = self.relu(x)
        y = self.other(x)
        z = self.relu(y)
        z = self.add(y, z)
        z = self.layers(z)
        z = self.part(z)
        return z


READ = [Images, Nested, Containers, Flow, Expressions, Functions, Derived, Chain, Held, Static, Paired]


def nodes(tree):
    """Return what is said about the nodes of a tree."""
    return [
        [
            node.get_name(),
            node.get_node_type().name,
            str(node.get_targets()),
            str(node.get_args()),
            str(node.get_kwargs()),
            getattr(node.get_instance_type(), "__name__", ""),
            [item.get_name() for item in node.get_inputs()],
            [item.get_name() for item in node.get_users()],
        ]
        for node in tree.nodes()
    ]


def body(tree):
    """Return the code of a network's `construct`."""
    lines = tree.get_code().rstrip("#\n ").split("\n")
    start = max(number for number, line in enumerate(lines) if line.startswith("    def construct("))
    return [line for line in lines[start:] if line.strip()]
