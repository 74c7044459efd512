"""Programs in GRAPH_MODE, for graph_programs.json; `ms`, `nn`, `ops` ... belong to either package.

`TABLES` has cells with arguments, optimizers and distributions; the functions at the end are programs of their own.
"""
# ruff: noqa: F821


def T(*shape, k=0.0):
    count = int(np.prod(shape))
    return Tensor(np.sin(np.arange(count) * 1.7 + 0.3 + k).astype(np.float32).reshape(shape))


def P(*shape):
    return ops.abs(T(*shape)) + 0.25


def I(*shape, high=4):  # noqa: E743
    return Tensor((np.arange(int(np.prod(shape))) * 7 % high).astype(np.int32).reshape(shape))


def filled(cell):
    for k, parameter in enumerate(cell.get_parameters()):
        if parameter.dtype == ms.float32:
            value = T(*parameter.shape, k=k) * 0.5
            parameter.set_data(value * value + 0.5 if "variance" in parameter.name else value)
    return cell


def outputs_and_gradients(cell, *arguments):
    filled(cell)
    floats = tuple(i for i, each in enumerate(arguments) if isinstance(each, Tensor) and each.dtype == ms.float32)
    weights = cell.trainable_params()
    seen = [cell(*arguments), cell(*arguments)]
    if floats and weights:
        seen.append(ms.grad(cell, floats, ms.ParameterTuple(weights))(*arguments))
    elif floats:
        seen.append(ms.grad(cell, floats)(*arguments))
    return seen


LAYERS = """
nn.Dense(3, 2, activation="relu"), T(4, 3)
nn.BiDense(3, 4, 2), T(2, 3), T(2, 4)
nn.PReLU(4), T(3, 4)
nn.GELU(), T(3, 4)
nn.Softmax2d(), T(1, 3, 2, 2)
nn.GLU(), T(3, 4)
nn.Threshold(0.1, 20.0), T(3, 4)
nn.Conv2d(2, 4, 3, pad_mode="pad", padding=1, group=2, has_bias=True), T(1, 2, 4, 4)
nn.Conv1d(2, 3, 3, stride=2), T(1, 2, 7)
nn.Conv2dTranspose(2, 1, 3, stride=2, pad_mode="pad", padding=1, output_padding=1), T(1, 2, 3, 3)
nn.BatchNorm1d(3).set_train(), T(4, 3)
nn.BatchNorm2d(2, use_batch_statistics=False), T(2, 2, 2, 2)
nn.LayerNorm((4,)), T(3, 4)
nn.GroupNorm(2, 4), T(1, 4, 2, 2)
nn.MaxPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True), T(1, 1, 5, 5)
nn.AvgPool2d(3, 1, pad_mode="same"), T(1, 1, 4, 4)
nn.AdaptiveAvgPool2d((None, 2)), T(1, 1, 3, 5)
nn.LPPool1d(2.0, 2), P(1, 2, 6)
nn.Embedding(5, 3, padding_idx=0), I(2, 4)
nn.Dropout(p=0.5), T(3, 4)
nn.Pad(((1, 2), (0, 1)), mode="REFLECT"), T(3, 4)
nn.ReplicationPad2d((1, 0, 2, 1)), T(1, 1, 3, 3)
nn.PixelShuffle(2), T(1, 4, 2, 2)
nn.Upsample(size=(5, 5), mode="bilinear", align_corners=True), T(1, 1, 3, 3)
nn.LSTM(3, 2, 2, bidirectional=True), T(3, 2, 3)
nn.GRU(3, 2, batch_first=True), T(2, 3, 3), T(1, 2, 2)
nn.RNNCell(3, 2, nonlinearity="relu"), T(2, 3), T(2, 2)
nn.MultiheadAttention(4, 2), T(3, 1, 4), T(3, 1, 4, k=1), T(3, 1, 4, k=2)
nn.TransformerEncoderLayer(4, 2, 6, 0.0), T(3, 1, 4)
nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1)), T(2, 3)
nn.TimeDistributed(nn.Dense(3, 2), 1, reshape_with_axis=0), T(2, 2, 3)
nn.WithLossCell(nn.Dense(3, 2), nn.MSELoss()), T(4, 3), T(4, 2, k=3)
nn.SmoothL1Loss(0.5, "mean"), T(3, 4), T(3, 4, k=1)
nn.HuberLoss("sum", 0.5), T(3, 4), T(3, 4, k=1)
nn.CosineEmbeddingLoss(), T(3, 4), T(3, 4, k=1), Tensor([1, -1, 1], ms.int32)
nn.BCEWithLogitsLoss(), T(3, 4), (T(3, 4, k=2) > 0).astype(ms.float32)
nn.CrossEntropyLoss(weight=P(4), ignore_index=1, label_smoothing=0.1), T(3, 4), I(3)
nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), T(3, 4), I(3)
nn.KLDivLoss("batchmean"), T(3, 4), P(3, 4)
nn.GaussianNLLLoss(), T(3, 4), T(3, 4, k=1), P(3, 4)
nn.DiceLoss(), P(3, 4), P(3, 4)
nn.CTCLoss(), T(4, 1, 3), Tensor([[1, 2]], ms.int32), Tensor([4], ms.int32), Tensor([2], ms.int32)
"""
OPTIMIZERS = """
nn.SGD(w, 0.1, momentum=0.9, nesterov=True)
nn.Momentum(w, nn.cosine_decay_lr(0.01, 0.1, 4, 2, 2), 0.9, weight_decay=0.01)
nn.Adam(w, nn.ExponentialDecayLR(0.1, 0.5, 2, True), use_amsgrad=True)
nn.AdamWeightDecay([{"params": w[:1], "lr": 0.05}, {"params": w[1:], "weight_decay": 0.1}], 0.1)
nn.Adagrad(w, 0.2, 0.1)
nn.Adadelta(w, 1.0, rho=0.8)
nn.AdaMax(w, Tensor(0.1))
nn.ASGD(w, 0.1)
nn.RMSProp([{"params": w[1:]}, {"params": w[:1], "lr": nn.WarmUpLR(0.1, 3)}, {"order_params": w}], 0.1)
nn.RMSProp(w, 0.1, centered=True, momentum=0.5)
nn.Rprop(w, 0.1)
ms.experimental.optim.AdamW(w, 0.1, weight_decay=0.1)
ms.experimental.optim.SGD([{"params": w[:1], "lr": 0.5}, {"params": w[1:]}], 0.1, momentum=0.9)
ms.experimental.optim.NAdam(w, 0.1)
"""
DISTRIBUTIONS = """
Normal(0.5, 1.5), T(3)
LogNormal(0.5, 1.5), P(3)
Uniform(0.0, 2.0), P(3)
Exponential(1.5), P(3)
Bernoulli(0.3, dtype=ms.int32), Tensor([0, 1], ms.int32)
Geometric(0.3, dtype=ms.int32), Tensor([0, 3], ms.int32)
Categorical([0.2, 0.3, 0.5], dtype=ms.int32), Tensor([0, 2], ms.int32)
Gumbel(0.5, 1.5), T(3)
Logistic(0.5, 1.5), T(3)
Cauchy(0.5, 1.5), T(3)
Gamma([0.5], [1.5]), P(3)
Poisson([0.5]), Tensor([0.0, 3.0])
"""


def layer(row):
    return outputs_and_gradients(*eval(row))


def optimizer(row):
    net = filled(nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2)))
    update = eval(row, globals(), {"w": list(net.trainable_params())})
    loss = nn.MSELoss()

    def forward(x, y):
        return loss(net(x), y)

    gradients = ms.value_and_grad(forward, None, net.trainable_params())

    @ms.jit
    def step(x, y):
        value, found = gradients(x, y)
        update(found)
        return value

    return [step(T(4, 3), T(4, 2, k=k)) for k in range(4)]


def distribution(row):
    found, value = eval(row, {**globals(), **vars(ms.nn.probability.distribution)})
    cdf = hasattr(type(found), "_cdf")

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.found, self.cdf = found, cdf

        def construct(self, x):
            results = (self.found.log_prob(x), self.found.prob(x), self.found("log_prob", x))
            return (*results, self.found.cdf(x)) if self.cdf else results

    return [Net()(value), Net()(value + value)]


TABLES = {"layer": LAYERS, "optimizer": OPTIMIZERS, "distribution": DISTRIBUTIONS}


# Cells with lists of cells


class Chosen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cells_ = nn.CellList([nn.Dense(2, 2), nn.Dense(2, 2), nn.Tanh()])

    def construct(self, x, i):
        return self.cells_[i](x)


def a_tensor_chooses_a_cell():
    net = filled(Chosen())
    values = [net(T(1, 2), Tensor(i, ms.int32)) for i in (0, 2, 1, -1)]
    return values, ms.grad(net, 0, ms.ParameterTuple(net.trainable_params()))(T(1, 2), Tensor(1, ms.int32))


class Named(nn.Cell):
    def __init__(self):
        super().__init__()
        self.named = nn.CellDict({"a": nn.Dense(2, 2), "b": nn.Tanh()})
        self.weights = ms.ParameterTuple([Parameter(Tensor([2.0]), name="u"), Parameter(Tensor([3.0]), name="v")])

    def construct(self, x, key):
        for cell in self.named.values():
            x = cell(x)
        for k, weight in enumerate(self.weights):
            x = x * weight + k
        return self.named[key](x), len(self.named), key in self.named


def dicts_of_cells_and_tuples_of_parameters():
    net = filled(Named())
    return net(T(1, 2), "a"), net(T(1, 2), "b")


# Numbers that are inputs


def types_of_mutable_numbers():
    @ms.jit
    def types(x, n):
        kinds = [isinstance(n, kind) for kind in (int, float, bool, Tensor, (int, float))]
        return x * n if isinstance(n, int) else x, kinds, isinstance(n * 2, int), isinstance(x, Tensor)

    return [types(T(2), ms.mutable(n)) for n in (2, 3, 2.5)]


def types_of_floats_that_differ():
    @ms.jit
    def scaled(x, k):
        return x * k if isinstance(k, float) else x * 0

    return [scaled(T(2), k / 4) for k in range(1, 9)]


def tensors_of_mutable_numbers():
    @ms.jit
    def made(x, n, k):
        numbers = Tensor(n), Tensor(k), Tensor([k, n]), Tensor([[1, n], [3, n]]), Tensor(k, ms.float16), ms.tensor(n)
        return *numbers, Tensor(n > 2), x * Tensor(k)

    plain = [Tensor(ms.mutable(value)) for value in (2, 2.5, (1, 2), [1.5, 2])]
    return plain, [made(T(2), ms.mutable(n), ms.mutable(k)) for n, k in ((2, 0.5), (3, 0.25))]


def tensors_of_floats_that_differ():
    @ms.jit
    def scaled(x, k):
        return x * Tensor(k)

    return [scaled(T(2), k / 4) for k in range(1, 9)]


def classes_of_mutable_values():
    @ms.jit
    def classes(x, n):
        kind = type(n)
        return x * 2 if kind is int else x * 3, kind is float, kind in (int, float), kind(2), n.__class__ is int

    @ms.jit
    def of_list(values):
        return type(values) is list, type(values) is tuple, type(values[0]) is int

    numbers = [classes(T(2), ms.mutable(n)) for n in (2, 3, 2.5)]
    return numbers, [of_list(ms.mutable(values)) for values in ([1, 2], (1, 2))]


def clipped_lists():
    @ms.jit
    def clipped(x, y):
        found = [ops.clip_by_global_norm(kind([x, y]), 1.0) for kind in (list, tuple)]
        found += [ops.clip_by_norm([x, y], 0.5), ops.clip_by_value([x, y], Tensor(-0.1), Tensor(0.1))]
        found += [ops.clip_by_value((x, y), -0.1, 0.1)]
        return found, [isinstance(each, list) for each in found]

    return clipped(T(2), T(2, k=1))


class Sizes(nn.Cell):
    def construct(self, x):
        rows = x.shape[0]
        kinds = isinstance(x.shape[1], int), isinstance(x.shape, tuple)
        return (x * rows if isinstance(rows, int) else x), kinds, Tensor(rows), Tensor(x.shape)


def types_of_sizes():
    net = Sizes()
    net.set_inputs(Tensor(shape=[None, 2], dtype=ms.float32))
    return [net(T(n, 2)) for n in (1, 3, 2)]


# Sparse tensors


class SparseNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kept = ms.COOTensor(Tensor([[0, 1], [1, 2]], ms.int64), Tensor([1.0, 2.0]), (3, 4))

    def construct(self, rows, x):
        values = self.kept.values + rows.values
        made = ms.COOTensor(self.kept.indices, values * x, self.kept.shape)
        return made.to_dense(), made.shape, rows.to_tuple()


def sparse_tensors():
    rows = ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), Tensor([1.0, -2.0]), (3, 4))
    net = SparseNet()
    return net(rows, Tensor(2.0)), net(rows, Tensor(3.0))


# Names of parameters


class SameNames(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p, self.q, self.r = [Parameter(T(2, k=k), name=name) for k, name in enumerate(("w", "w", "other"))]

    def construct(self, x):
        return x * self.p + self.q * self.r


class Sliced(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(2, 2), nn.Tanh(), nn.Dense(2, 2)])

    def construct(self, x):
        for layer in self.layers[1:]:
            x = layer(x)
        return x


def names_of_parameters():
    def named(net):
        return [parameter.name for parameter in net.get_parameters()]

    found = []
    for make in (SameNames, Sliced, lambda: nn.SequentialCell(SameNames()), lambda: nn.CellList([SameNames()])[0]):
        net = make()
        before = named(net)
        net(T(1, 2))
        found.append([before, named(net)])
    net = SameNames()
    net.q.name = "v"
    net(T(2))
    net.q.name = "w"
    net(T(2))
    return [*found, named(net)]


# Operations on functions and structures


def maps_over_structures():
    scale = ops.MultitypeFuncGraph("scale")

    @scale.register("Number", "Tensor")
    def _of_tensor(k, x):
        return x * k

    @scale.register("Number", "Number")
    def _of_number(k, x):
        return x * k + 100

    @ms.jit
    def mapped(x):
        everywhere = ops.HyperMap()
        return everywhere(ops.partial(scale, 0.5), (x, (3, [x, 4]))), ops.Map()(ops.add, (x, x), (1, x))

    return mapped(T(2)), mapped(T(2, k=1))


def hyper_add_of_numbers():
    @ms.jit
    def added(x):
        return ops.hyper_add((x, 3), (x, 4))

    return added(T(2))


def higher_orders():
    def cube(x, y):
        return x * x * x * y

    def first(x, y):
        return ms.grad(cube)(x, y)

    @ms.jit
    def second(x, y):
        return ms.grad(first, (0, 1))(x, y)

    return second(T(2), T(2, k=1)), ms.grad(second)(T(2), T(2, k=1))


class Assigns(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor([1.0]), name="total", requires_grad=False)

    def construct(self, x):
        before = self.total + 0
        if x.sum() > 0:
            ops.assign_add(self.total, x)
        else:
            ops.assign(self.total, x * 10)
        return ops.depend(before, self.total * 2), self.total * 2


def writes_in_branches():
    net = Assigns()
    return [net(Tensor([k])) for k in (5.0, -5.0, 1.0)], net.total.value()


def mixed_precision():
    results = []
    for level in ("O0", "O2", "O3", "auto"):
        net = filled(nn.SequentialCell(nn.Dense(3, 4), nn.LayerNorm((4,)), nn.Dense(4, 2)))
        results.append(ms.amp.auto_mixed_precision(net, level)(T(2, 3)))
    return results


# Errors


def errors():
    @ms.jit
    def fails(x, kind):
        if kind == "key":
            return {"a": x}["b"]
        if kind == "raise":
            raise IndexError("out")
        if kind == "shape":
            return ops.matmul(x, x)
        return x

    def position():
        return ms.grad(fails, 5)(T(2, 3), "none")

    kinds = {"key": lambda: fails(T(2, 3), "key"), "raise": lambda: fails(T(2, 3), "raise")}
    kinds |= {"shape": lambda: fails(T(2, 3), "shape"), "position": position}
    return raised(kinds)
