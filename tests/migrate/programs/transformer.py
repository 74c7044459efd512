"""A small transformer written out: attention, masks, positions."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            attn = attn.masked_fill(mask == 0, float("-inf"))
        attn = F.softmax(attn, dim=-1)
        x = (attn @ v).transpose(1, 2).contiguous().view(B, N, C)
        return self.proj(x)


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(0.0), nn.Linear(2 * dim, dim))

    def forward(self, x, mask=None):
        x = x + self.attn(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, words=13, dim=8, depth=2, length=6):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        position = torch.arange(length + 1).unsqueeze(1)
        div = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        pe = torch.zeros(1, length + 1, dim)
        pe[0, :, 0::2] = torch.sin(position * div)
        pe[0, :, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)
        self.layers = nn.ModuleList([Layer(dim, 2) for _ in range(depth)])
        self.head = nn.Linear(dim, words)

    def forward(self, tokens):
        x = self.embed(tokens)
        cls = self.cls.expand(x.size(0), -1, -1)
        x = torch.cat((cls, x), dim=1) + self.pe
        n = x.size(1)
        mask = torch.tril(torch.ones(n, n))
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(x[:, :-1])


def build():
    return [Transformer()]


def run(networks, arrays):
    model = networks[0]
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    tokens = torch.from_numpy(arrays.integers(0, 13, (2, 6)))
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        logits = model(tokens)
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens.view(-1))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model(tokens).detach().numpy()
