"""A block of a small GPT, which programs of several processes cut by rows and by heads."""

from __future__ import annotations

from torchspore import nn, ops


class Block(nn.Cell):
    """Attention and a feed-forward network.

    Args:
        length, width, heads: its sizes.
        rows, columns: numbers of parts; 0 rows: there are no strategies.
    """

    def __init__(self, length, width, heads, rows, columns):
        super().__init__()
        self.length, self.width, self.heads, self.size = length, width, heads, width // heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.scores, self.mix, self.softmax = ops.BatchMatMul(transpose_b=True), ops.BatchMatMul(), ops.Softmax()
        if rows:
            for layer in (self.qkv, self.up):
                layer.matmul.shard(((rows, 1), (columns, 1)))
            for layer in (self.out, self.down):
                layer.matmul.shard(((rows, columns), (1, columns)))
            parts = (rows, columns, 1, 1)
            self.scores.shard((parts, parts))
            self.mix.shard((parts, parts))
            self.softmax.shard((parts,))

    def construct(self, x, mask):
        q, k, v = self.qkv(self.norm1(x)).reshape(-1, self.length, 3, self.heads, self.size).transpose(2, 0, 3, 1, 4)
        mixed = self.mix(self.softmax(self.scores(q, k) / self.size**0.5 + mask), v)
        x = x + self.out(mixed.transpose(0, 2, 1, 3).reshape(-1, self.length, self.width))
        return x + self.down(ops.gelu(self.up(self.norm2(x))))
