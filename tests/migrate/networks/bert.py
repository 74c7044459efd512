"""A BERT encoder with a masked language model head."""

import math

import torch
from torch import nn


class BertLayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-12):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.variance_epsilon = eps

    def forward(self, x):
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.variance_epsilon)
        return self.weight * x + self.bias


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.attention_head_size = int(hidden_size / num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(hidden_size, self.all_head_size)
        self.key = nn.Linear(hidden_size, self.all_head_size)
        self.value = nn.Linear(hidden_size, self.all_head_size)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(*new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        scores = scores / math.sqrt(self.attention_head_size)
        probs = nn.Softmax(dim=-1)(scores + attention_mask)
        context = torch.matmul(probs, value_layer).permute(0, 2, 1, 3).contiguous()
        return context.view(*context.size()[:-2], self.all_head_size)


class BertLayer(nn.Module):
    def __init__(self, hidden_size, heads):
        super().__init__()
        self.attention = BertSelfAttention(hidden_size, heads)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.norm1 = BertLayerNorm(hidden_size)
        self.up = nn.Linear(hidden_size, hidden_size * 4)
        self.down = nn.Linear(hidden_size * 4, hidden_size)
        self.norm2 = BertLayerNorm(hidden_size)

    def forward(self, hidden_states, attention_mask):
        attended = self.output(self.attention(hidden_states, attention_mask))
        hidden_states = self.norm1(hidden_states + attended)
        grown = nn.functional.gelu(self.up(hidden_states))
        return self.norm2(hidden_states + self.down(grown))


class BertForMaskedLM(nn.Module):
    def __init__(self, vocab=30, hidden_size=16, heads=2, layers=2, positions=10):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(positions, hidden_size)
        self.token_type_embeddings = nn.Embedding(2, hidden_size)
        self.norm = BertLayerNorm(hidden_size)
        self.layer = nn.ModuleList([BertLayer(hidden_size, heads) for _ in range(layers)])
        self.bias = nn.Parameter(torch.zeros(vocab))

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        position_ids = torch.arange(input_ids.size(1), dtype=torch.long, device=input_ids.device)
        position_ids = position_ids.unsqueeze(0).expand_as(input_ids)
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        x = self.norm(x + self.token_type_embeddings(token_type_ids))
        extended = attention_mask.unsqueeze(1).unsqueeze(2)
        extended = (1.0 - extended.to(dtype=torch.float32)) * -10000.0
        for layer in self.layer:
            x = layer(x, extended)
        return nn.functional.linear(x, self.word_embeddings.weight, self.bias)


def network():
    return BertForMaskedLM()


def inputs():
    mask = torch.ones(2, 7, dtype=torch.long)
    mask[1, 5:] = 0
    return torch.randint(1, 30, (2, 7)), mask


def loss(scores):
    labels = torch.arange(14)
    labels[::3] = -100
    return nn.CrossEntropyLoss()(scores.view(-1, scores.shape[-1]), labels)
