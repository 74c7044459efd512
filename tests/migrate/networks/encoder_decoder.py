"""A transformer for sequences with torch's own layers: sinusoidal positions, padding and causal masks."""

import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class Translator(nn.Module):
    def __init__(self, words=15, d_model=16):
        super().__init__()
        self.d_model = d_model
        self.source = nn.Embedding(words, d_model, padding_idx=0)
        self.target = nn.Embedding(words, d_model, padding_idx=0)
        self.positions = PositionalEncoding(d_model)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model, nhead=4, dim_feedforward=32, dropout=0.0, batch_first=True),
            num_layers=2,
            enable_nested_tensor=False,
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(d_model, 4, 32, 0.0, activation="gelu", batch_first=True), num_layers=2
        )
        self.out = nn.Linear(d_model, words)

    def forward(self, src, tgt):
        mask = torch.triu(torch.ones(tgt.size(1), tgt.size(1)), diagonal=1).bool()
        padding = src == 0
        memory = self.encoder(self.positions(self.source(src) * math.sqrt(self.d_model)), src_key_padding_mask=padding)
        output = self.decoder(
            self.positions(self.target(tgt) * math.sqrt(self.d_model)),
            memory,
            tgt_mask=mask,
            memory_key_padding_mask=padding,
        )
        return self.out(output)


def network():
    return Translator()


def inputs():
    src = torch.randint(1, 15, (2, 6))
    src[1, 4:] = 0
    return src, torch.randint(1, 15, (2, 5))


def loss(scores):
    return nn.CrossEntropyLoss()(scores.transpose(1, 2), torch.arange(10).reshape(2, 5))
