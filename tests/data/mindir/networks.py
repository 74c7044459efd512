"""Networks that MindSpore 1.10, 2.0 and 2.10 export, with few weights. `record.py` runs them; the tests do not."""

from __future__ import annotations

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def conv(inner, outer, size=3, stride=1, group=1, act=True):
    layers = [nn.Conv2d(inner, outer, size, stride, pad_mode="same", group=group), nn.BatchNorm2d(outer)]
    return nn.SequentialCell(layers + [nn.ReLU()] * act)


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 3, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(3, 4, 5, pad_mode="valid")
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc = nn.Dense(4 * 4 * 4, 5)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        return self.fc(self.flatten(self.pool(self.relu(self.conv2(x)))))


class Bottleneck(nn.Cell):
    def __init__(self, inner, width, outer, stride):
        super().__init__()
        self.layers = nn.SequentialCell(
            conv(inner, width, 1), conv(width, width, 3, stride), conv(width, outer, 1, act=False)
        )
        self.down = conv(inner, outer, 1, stride, act=False)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.layers(x) + self.down(x))


class ResNet(nn.Cell):
    def __init__(self, blocks=(2, 2), width=4):
        super().__init__()
        self.stem = nn.SequentialCell(conv(3, width, 7, 2), nn.MaxPool2d(3, 2, pad_mode="same"))
        stages, inner = [], width
        for number, count in enumerate(blocks):
            for block in range(count):
                middle = width * 2**number
                stages.append(Bottleneck(inner, middle, middle * 2, 2 if number and not block else 1))
                inner = middle * 2
        self.stages = nn.SequentialCell(stages)
        self.mean, self.fc = ops.ReduceMean(keep_dims=False), nn.Dense(inner, 5)

    def construct(self, x):
        return self.fc(self.mean(self.stages(self.stem(x)), (2, 3)))


class InvertedResidual(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Conv2d(width, 2 * width, 1), nn.BatchNorm2d(2 * width), nn.ReLU6(),
            nn.Conv2d(2 * width, 2 * width, 3, pad_mode="pad", padding=1, group=2 * width), nn.BatchNorm2d(2 * width),
            nn.ReLU6(), nn.Conv2d(2 * width, width, 1), nn.BatchNorm2d(width),
        )  # fmt: skip

    def construct(self, x):
        return x + self.layers(x)


class MobileNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Conv2d(3, 4, 3, 2), nn.HSwish(), InvertedResidual(4), InvertedResidual(4))
        self.pool, self.fc, self.flat = nn.AvgPool2d(4), nn.Dense(4, 3), nn.Flatten()

    def construct(self, x):
        return self.fc(self.flat(self.pool(self.layers(x))))


class EfficientNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.sigmoid = nn.Conv2d(3, 6, 3, has_bias=True), nn.BatchNorm2d(6), nn.Sigmoid()
        self.squeeze, self.excite = nn.Conv2d(6, 2, 1, has_bias=True), nn.Conv2d(2, 6, 1, has_bias=True)
        self.mean, self.hard = ops.ReduceMean(True), nn.HSigmoid()

    def construct(self, x):
        x = self.bn(self.conv(x))
        x = x * self.sigmoid(x)
        gate = self.mean(x, (2, 3))
        gate = self.squeeze(gate)
        gate = self.excite(gate * self.sigmoid(gate))
        return x * self.sigmoid(gate), self.hard(x)


class Attention(nn.Cell):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q, self.k, self.v, self.out = (nn.Dense(width, width) for _ in range(4))
        self.softmax, self.matmul = nn.Softmax(-1), ops.BatchMatMul()
        self.matmul_t = ops.BatchMatMul(transpose_b=True)
        self.transpose, self.reshape, self.shape = ops.Transpose(), ops.Reshape(), ops.Shape()

    def split(self, x):
        batch, length, _width = self.shape(x)
        return self.transpose(self.reshape(x, (batch, length, self.heads, self.size)), (0, 2, 1, 3))

    def construct(self, x, y, mask):
        scores = self.matmul_t(self.split(self.q(x)), self.split(self.k(y))) / self.size**0.5
        if mask is not None:
            scores = scores + (1.0 - mask) * -10000.0
        merged = self.transpose(self.matmul(self.softmax(scores), self.split(self.v(y))), (0, 2, 1, 3))
        return self.out(self.reshape(merged, self.shape(x)))


class Block(nn.Cell):
    def __init__(self, width=8, crosses=False):
        super().__init__()
        self.attention = Attention(width)
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.mlp = nn.SequentialCell(nn.Dense(width, 2 * width), nn.GELU(), nn.Dense(2 * width, width))
        self.dropout = nn.Dropout()

    def construct(self, x, mask=None):
        y = self.norm1(x)
        x = x + self.dropout(self.attention(y, y, mask))
        return x + self.dropout(self.mlp(self.norm2(x)))


class ViT(nn.Cell):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4, pad_mode="valid", has_bias=True)
        self.cls = Parameter(Tensor(np.zeros((1, 1, 8)), ms.float32), name="cls")
        self.positions = Parameter(Tensor(np.zeros((1, 5, 8)), ms.float32), name="positions")
        self.blocks = nn.SequentialCell(Block(), Block())
        self.head = nn.Dense(8, 3)
        self.concat, self.tile = ops.Concat(1), ops.Tile()

    def construct(self, x):
        x = self.patches(x)
        batch, width = x.shape[:2]
        x = ops.Transpose()(ops.Reshape()(x, (batch, width, -1)), (0, 2, 1))
        x = self.concat((self.tile(self.cls, (batch, 1, 1)), x)) + self.positions
        return self.head(self.blocks(x)[:, 0])


class Bert(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words, self.kinds, self.places = nn.Embedding(11, 8), nn.Embedding(2, 8), nn.Embedding(6, 8)
        self.norm, self.block1, self.block2 = nn.LayerNorm((8,)), Block(), Block()
        self.pooler, self.head, self.one_hot = nn.Dense(8, 8, activation="tanh"), nn.Dense(8, 2), nn.OneHot(depth=11)

    def construct(self, ids, kinds, mask):
        places = ops.range(Tensor(0, ms.int32), Tensor(6, ms.int32), Tensor(1, ms.int32))
        x = self.norm(self.words(ids) + self.kinds(kinds) + self.places(places))
        mask = mask.astype(ms.float32).reshape((2, 1, 1, 6))
        x = self.block2(self.block1(x, mask), mask)
        return x, self.head(self.pooler(x[:, 0])), self.one_hot(ids)


class Gpt(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(9, 8), Parameter(Tensor(np.zeros((5, 8)), ms.float32), name="places")
        self.blocks = nn.CellList([Block(), Block()])
        self.norm = nn.LayerNorm((8,), epsilon=1e-5)
        self.mask = Tensor(np.tril(np.ones((5, 5))).reshape(1, 1, 5, 5), ms.float32)

    def construct(self, ids):
        x = self.words(ids) + self.places
        for block in self.blocks:
            x = block(x, self.mask)
        logits = ops.MatMul(transpose_b=True)(self.norm(x).reshape((-1, 8)), self.words.embedding_table)
        return nn.LogSoftmax()(logits), ops.Argmax()(logits)


class Recurrent(nn.Cell):
    def __init__(self, kind, **options):
        super().__init__()
        self.layer = kind(3, 4, batch_first=True, **options)

    def construct(self, x, h):
        return self.layer(x, h)


class Lstm(nn.Cell):
    def __init__(self, lengths=False):
        super().__init__()
        self.layer = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)

    def construct(self, x, h, c):
        return self.layer(x, (h, c))


class LstmLengths(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(3, 4)

    def construct(self, x, lengths):
        return self.layer(x, None, lengths)


class GruCells(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell, self.lstm = nn.GRUCell(3, 3), nn.LSTMCell(3, 3)

    def construct(self, x):
        h = ops.ZerosLike()(x[0])
        state = (h, h)
        outputs = []
        for step in range(3):
            h = self.cell(x[step], h)
            state = self.lstm(h, state)
            outputs.append(state[0])
        return ops.Stack()(outputs), state


class YoloHead(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2 * 7, 1, has_bias=True)
        self.anchors = Tensor(np.array([[1, 2], [3, 1.5]]).reshape(1, 1, 1, 2, 2), ms.float32)
        x, y = np.meshgrid(np.arange(4), np.arange(4))
        self.grid = Tensor(np.stack([x, y], -1).reshape(1, 4, 4, 1, 2), ms.float32)

    def construct(self, x):
        x = ops.Transpose()(self.conv(x), (0, 2, 3, 1)).reshape((-1, 4, 4, 2, 7))
        center = (ops.Sigmoid()(x[..., 0:2]) + self.grid) / 4
        size = ops.Exp()(x[..., 2:4]) * self.anchors
        scores = ops.Sigmoid()(x[..., 4:5]) * ops.Sigmoid()(x[:, :, :, :, 5:])
        boxes = ops.Concat(-1)((center - size / 2, center + size / 2))
        return boxes.reshape((-1, 32, 4)), scores.reshape((-1, 32, 2))


class Ctc(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn, self.fc, self.greedy = nn.RNN(3, 4), nn.Dense(4, 5), ops.CTCGreedyDecoder()

    def construct(self, x, lengths):
        logits = self.fc(self.rnn(x)[0])
        return nn.LogSoftmax(-1)(logits), self.greedy(logits, lengths)[3]


class UNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = conv(1, 3), conv(3, 5)
        self.pool, self.up = nn.MaxPool2d(2, 2), nn.Conv2dTranspose(5, 3, 2, 2, pad_mode="same")
        self.last, self.concat = nn.Conv2d(6, 2, 1, has_bias=True), ops.Concat(1)

    def construct(self, x):
        first = self.down1(x)
        return ops.Softmax(1)(self.last(self.concat((self.up(self.down2(self.pool(first))), first))))


class DynamicBatch(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.relu = nn.Dense(3, 4), nn.Dense(4, 2), nn.ReLU()

    def construct(self, x):
        y = self.fc2(self.relu(self.fc1(x)))
        return ops.Softmax()(y), ops.ReduceSum(True)(y, 0)


class DynamicConv(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = conv(1, 3), nn.Dense(3, 2)

    def construct(self, x):
        y = self.conv(x)
        shape = ops.Shape()(y)
        y = ops.Reshape()(y, (shape[0], shape[1], -1))
        return self.fc(ops.ReduceMean()(y, 2))


class DenseNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convs = nn.CellList([conv(2 + 2 * i, 2) for i in range(3)])
        self.concat, self.pool = ops.Concat(axis=1), nn.AvgPool2d(2, 2, pad_mode="valid")

    def construct(self, x):
        for layer in self.convs:
            x = self.concat((x, layer(x)))
        return self.pool(x)


class SqueezeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.squeeze = nn.Conv2d(3, 2, 1, has_bias=True)
        self.left, self.right = nn.Conv2d(2, 3, 1, has_bias=True), nn.Conv2d(2, 3, 3, has_bias=True)
        self.pool = nn.MaxPool2d(3, 2)

    def construct(self, x):
        y = ops.ReLU()(self.squeeze(x))
        return self.pool(ops.Concat(1)((ops.ReLU()(self.left(y)), ops.ReLU()(self.right(y)))))


class Vgg(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True, weight_init="XavierUniform"), nn.ReLU(),
            nn.MaxPool2d(2, 2), nn.Conv2d(4, 4, 3, pad_mode="pad", padding=(1, 1, 1, 1)), nn.ReLU(), nn.Flatten(),
            nn.Dense(4 * 16, 6, activation="relu"), nn.Dropout(), nn.Dense(6, 3),
        )  # fmt: skip

    def construct(self, x):
        return self.layers(x)


class Inception(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = conv(3, 2, 1), conv(3, 2, (1, 3)), conv(3, 2, (3, 1))
        self.pool = nn.AvgPool2d(3, 1, pad_mode="same")

    def construct(self, x):
        return ops.Concat(1)((self.a(x), self.b(x), self.c(x), self.pool(x)))


def resized(x):
    if not hasattr(ops, "ResizeBilinear"):
        return ops.interpolate(x, size=(12, 10), mode="bilinear")
    return ops.ResizeBilinear((12, 10))(x)


class DeepLab(nn.Cell):
    def __init__(self):
        super().__init__()
        self.atrous = nn.Conv2d(3, 2, 3, pad_mode="pad", padding=2, dilation=2)
        self.point, self.bn = nn.Conv2d(3, 2, 1), nn.BatchNorm2d(4)

    def construct(self, x):
        y = self.bn(ops.Concat(1)((self.atrous(x), self.point(x))))
        pooled = ops.ReduceMean(True)(y, (2, 3))
        return resized(y), ops.ResizeNearestNeighbor((4, 4))(pooled)


class SuperResolution(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 4, 3)
        self.prelu, self.shuffle = nn.PReLU(4), ops.DepthToSpace(2)
        self.space = ops.SpaceToDepth(2)

    def construct(self, x):
        y = self.shuffle(self.conv2(self.prelu(self.conv1(x))))
        return y, self.space(y)


class Generator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3 * 4)
        self.up1 = nn.Conv2dTranspose(3, 4, 4, 2, pad_mode="pad", padding=1)
        self.up2 = nn.Conv2dTranspose(4, 1, 3, 2, pad_mode="same", has_bias=True)
        self.bn, self.leaky, self.tanh = nn.BatchNorm2d(4), nn.LeakyReLU(0.2), nn.Tanh()

    def construct(self, z):
        x = self.fc(z).reshape((-1, 3, 2, 2))
        return self.tanh(self.up2(self.leaky(self.bn(self.up1(x)))))


class WideDeep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = Parameter(Tensor(np.zeros((7, 3)), ms.float32), name="table")
        self.wide = Parameter(Tensor(np.zeros((7, 1)), ms.float32), name="wide")
        self.deep1, self.deep2 = nn.Dense(6, 4, activation="relu"), nn.Dense(4, 1)
        self.gather, self.sum, self.square = ops.Gather(), ops.ReduceSum(), ops.Square()

    def construct(self, ids, values):
        rows = self.gather(self.table, ids, 0) * ops.ExpandDims()(values, -1)
        total = self.sum(rows, 1)
        cross = 0.5 * self.sum(self.square(total) - self.sum(self.square(rows), 1), 1)
        first = self.sum(self.gather(self.wide, ids, 0)[..., 0] * values, 1)
        deep = self.deep2(self.deep1(rows.reshape((-1, 6))))
        return ops.Sigmoid()(first + cross + ops.Squeeze(1)(deep))


class PointNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(3, 4, 1, has_bias=True), nn.Conv1d(4, 5, 3, pad_mode="same")
        self.bn, self.max = nn.BatchNorm1d(5), ops.ArgMaxWithValue(axis=2)

    def construct(self, x):
        y = self.conv2(ops.ReLU()(self.conv1(x)))
        where, top = self.max(y)
        return self.bn(top), where, ops.ReduceMax(keep_dims=True)(y, 1)


class Gnn(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Dense(3, 4, has_bias=False), nn.Dense(4, 2)

    def propagate(self, x, sources, targets):
        messages = ops.Gather()(x, sources, 0)
        summed = ops.UnsortedSegmentSum()(messages, targets, 5)
        degrees = ops.ScatterNd()(targets.reshape((-1, 1)), ops.OnesLike()(messages[:, 0]), (5,))
        return summed / ops.Maximum()(degrees, 1.0).reshape((-1, 1))

    def construct(self, x, sources, targets):
        x = ops.ReLU()(self.propagate(self.fc1(x), sources, targets))
        y = self.fc2(self.propagate(x, sources, targets))
        return y, ops.GatherNd()(y, ops.Stack(1)((sources, targets * 0))), ops.TensorScatterAdd()(
            y, targets.reshape((-1, 1)), ops.Gather()(y, sources, 0)
        )  # fmt: skip


class TextCnn(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.convs = nn.CellList([nn.Conv2d(1, 2, (size, 4), pad_mode="valid", has_bias=True) for size in (2, 3)])
        self.fc = nn.Dense(4, 2)

    def construct(self, ids):
        x = self.table(ids).expand_dims(1)
        parts = ()
        for layer in self.convs:
            parts += (ops.ReduceMax()(ops.ReLU()(layer(x)), (2, 3)),)
        return self.fc(ops.Concat(1)(parts))


class Seq2Seq(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.encoder, self.decoder = nn.Embedding(7, 4), nn.GRU(4, 4), nn.GRU(4, 4)
        self.out = nn.Dense(8, 7)

    def construct(self, source, start):
        encoded, h = self.encoder(self.table(source))
        word = start
        words = ()
        for _ in range(3):
            output, h = self.decoder(self.table(word), h)
            query = ops.Transpose()(output, (1, 0, 2))
            keys = ops.Transpose()(encoded, (1, 0, 2))
            weights = ops.Softmax()(ops.BatchMatMul(False, True)(query, keys))
            context = ops.Transpose()(ops.BatchMatMul()(weights, keys), (1, 0, 2))
            logits = self.out(ops.Concat(2)((output, context)))
            word = ops.Argmax(-1, ms.int32)(logits)
            words += (logits,)
        return ops.Concat()(words), word


class MaskedTransformer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block, self.cross, self.norm = Block(), Attention(), nn.LayerNorm((8,))

    def construct(self, x, memory, mask):
        x = self.block(x, ops.Cast()(mask, ms.float32))
        x = self.norm(x + self.cross(x, memory, None))
        return ops.Select()(ops.Greater()(x, 0.0), x, ops.ZerosLike()(x))


class AutoEncoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encode = nn.SequentialCell(nn.Dense(6, 4), nn.ELU(), nn.Dense(4, 2), nn.Tanh())
        self.decode = nn.SequentialCell(
            nn.Dense(2, 4), nn.Softplus() if hasattr(nn, "Softplus") else nn.Sigmoid(), nn.Dense(4, 6), nn.LogSigmoid()
        )
        self.loss = nn.MSELoss()

    def construct(self, x):
        code = self.encode(x)
        result = self.decode(code)
        return code, result, self.loss(result, x)


class Norms(nn.Cell):
    def __init__(self):
        super().__init__()
        self.group, self.layer = nn.GroupNorm(2, 4), nn.LayerNorm((3, 3), begin_norm_axis=2, begin_params_axis=2)
        self.bn1, self.l2, self.lrn = nn.BatchNorm1d(3), ops.L2Normalize(1), ops.LRN()

    def construct(self, x):
        return self.group(x), self.layer(x), self.bn1(x[:, 0, 0]), self.l2(x), self.lrn(x)


class Conv1d3d(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv1d(2, 3, 3, 2, pad_mode="valid")
        self.three = nn.Conv3d(1, 2, 2, pad_mode="valid", has_bias=True)
        self.back = nn.Conv1dTranspose(3, 2, 3, 2, pad_mode="valid")
        self.bn, self.pool, self.mean = nn.BatchNorm3d(2), nn.MaxPool1d(2, 2), nn.AvgPool1d(2, 2)

    def construct(self, x, volume):
        y = self.one(x)
        return self.back(y), self.pool(y), self.mean(y), self.bn(self.three(volume))


class Pooling(nn.Cell):
    def __init__(self):
        super().__init__()
        self.adaptive = ops.AdaptiveAvgPool2D((2, 3))
        self.max3, self.avg3 = ops.MaxPool3D(2, 1), ops.AvgPool3D(2, 1)
        self.where = ops.MaxPoolWithArgmax(2, 2)

    def construct(self, x, volume):
        return self.adaptive(x), self.max3(volume), self.avg3(volume), self.where(x)


class Training(nn.Cell):
    """A step of training is a graph, too: the loss."""

    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 3))
        self.cross = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.bce, self.smooth, self.l1 = nn.BCELoss(reduction="mean"), nn.SmoothL1Loss(), nn.L1Loss()

    def construct(self, x, labels):
        y = self.net(x)
        p = ops.Sigmoid()(y)
        return (
            self.cross(y, labels),
            self.bce(p, ops.Sigmoid()(x)),
            self.smooth(y, x),
            self.l1(y, x),
            ops.KLDivLoss()(y, p),
        )


def numbers(*shape, low=-2, high=2):
    """Return numbers that are multiples of 1/8, which compress well."""
    size = int(np.prod(shape))
    return (np.arange(size) * 7919 % 101 / 100 * (high - low) * 8 // 1 / 8 + low).astype(np.float32).reshape(shape)


def integers(*shape, high):
    return (np.arange(int(np.prod(shape))) * 7919 % high).astype(np.int32).reshape(shape)


NETWORKS = {
    "lenet": (LeNet, [numbers(2, 1, 28, 28)]),
    "resnet": (ResNet, [numbers(2, 3, 16, 16)]),
    "mobilenet": (MobileNet, [numbers(2, 3, 8, 8)]),
    "efficientnet": (EfficientNet, [numbers(2, 3, 5, 5)]),
    "vit": (ViT, [numbers(2, 3, 8, 8)]),
    "bert": (Bert, [integers(2, 6, high=11), integers(2, 6, high=2), integers(2, 6, high=2)]),
    "gpt": (Gpt, [integers(2, 5, high=9)]),
    "lstm": (Lstm, [numbers(2, 3, 3), numbers(4, 2, 4), numbers(4, 2, 4)]),
    "lstm_lengths": (LstmLengths, [numbers(3, 2, 3), np.array([3, 2], np.int32)]),
    "gru": (lambda: Recurrent(nn.GRU, num_layers=2), [numbers(2, 3, 3), numbers(2, 2, 4)]),
    "rnn": (lambda: Recurrent(nn.RNN, bidirectional=True), [numbers(2, 3, 3), numbers(2, 2, 4)]),
    "recurrent_cells": (GruCells, [numbers(3, 2, 3)]),
    "yolo_head": (YoloHead, [numbers(1, 3, 4, 4)]),
    "ctc": (Ctc, [numbers(4, 2, 3), np.array([4, 3], np.int32)]),
    "unet": (UNet, [numbers(1, 1, 8, 8)]),
    "dynamic_batch": (DynamicBatch, [numbers(3, 3)], [(None, 3)]),
    "dynamic_image": (DynamicConv, [numbers(2, 1, 5, 6)], [(None, 1, None, None)], ("2.0", "2.10")),
    "densenet": (DenseNet, [numbers(1, 2, 6, 6)]),
    "squeezenet": (SqueezeNet, [numbers(1, 3, 7, 7)]),
    "vgg": (Vgg, [numbers(1, 3, 8, 8)]),
    "inception": (Inception, [numbers(1, 3, 5, 5)]),
    "deeplab": (DeepLab, [numbers(1, 3, 7, 6)]),
    "super_resolution": (SuperResolution, [numbers(1, 1, 4, 4)], None, ("2.0", "2.10")),
    "generator": (Generator, [numbers(2, 4)]),
    "wide_deep": (WideDeep, [integers(3, 2, high=7), numbers(3, 2)]),
    "pointnet": (PointNet, [numbers(2, 3, 6)]),
    "gnn": (Gnn, [numbers(5, 3), np.array([0, 1, 2, 3, 4, 0], np.int32), np.array([1, 2, 3, 4, 0, 2], np.int32)]),
    "textcnn": (TextCnn, [integers(2, 5, high=10)]),
    "seq2seq": (Seq2Seq, [integers(4, 2, high=7), integers(1, 2, high=7)]),
    "masked_transformer": (MaskedTransformer, [numbers(2, 3, 8), numbers(2, 3, 8), np.tri(3, dtype=bool)]),
    "autoencoder": (AutoEncoder, [numbers(2, 6)]),
    "norms": (Norms, [numbers(3, 4, 3, 3)]),
    "conv1d_3d": (Conv1d3d, [numbers(1, 2, 7), numbers(1, 1, 3, 3, 3)]),
    "pooling": (Pooling, [numbers(1, 2, 4, 6), numbers(1, 1, 3, 3, 3)], None, ("2.0", "2.10")),
    "losses": (Training, [numbers(4, 3), integers(4, high=3)]),
}  # fmt: skip
