"""A network of layers."""

import torchspore as ms
from torchspore import Tensor, nn


class Attention(nn.Cell):
    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.qkv = nn.Dense(size, 3 * size)
        self.norm = nn.LayerNorm((size,))
        self.attend = nn.MultiheadAttention(size, heads, batch_first=True)

    def construct(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        out = self.attend(q, k, v, attn_mask=mask)
        return out[0], q


net = Attention(8, 2)
x = ms.ops.ones((2, 3, 8))
out, q = net(x)
print(out.shape, q.dtype, net.attend.out_proj.weight.shape, net.norm.gamma)
net(x, mask=None)
net(x, masc=None)  # error: call-arg, reportCallIssue
net.norm.gama  # error: attr-defined, reportAttributeAccessIssue
one, two, three = net(x)  # error: misc, reportAssignmentType
