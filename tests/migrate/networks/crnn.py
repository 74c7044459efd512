"""CRNN: convolutions over an image of text, a recurrent layer over its columns, and the CTC loss."""

import torch
import torch.nn as nn


class BidirectionalGRU(nn.Module):
    def __init__(self, in_size, hidden_size, out_size):
        super().__init__()
        self.rnn = nn.GRU(in_size, hidden_size, bidirectional=True)
        self.embedding = nn.Linear(hidden_size * 2, out_size)

    def forward(self, columns):
        recurrent, _ = self.rnn(columns)
        steps, batch, width = recurrent.size()
        output = self.embedding(recurrent.view(steps * batch, width))
        return output.view(steps, batch, -1)


class CRNN(nn.Module):
    def __init__(self, channels=1, classes=6, hidden=10):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(channels, 8, 3, 1, 1),
            nn.ReLU(True),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(8, 16, (3, 3), padding=(1, 1)),
            nn.ReLU(True),
            nn.MaxPool2d((2, 1), (2, 1)),
            nn.Conv2d(16, 16, kernel_size=(2, 1), stride=1),
        )
        self.rnn = BidirectionalGRU(16, hidden, classes)

    def forward(self, images):
        features = self.cnn(images)
        features = features.squeeze(2)
        columns = features.permute(2, 0, 1)
        return nn.functional.log_softmax(self.rnn(columns), dim=2)


def network():
    return CRNN()


def inputs():
    return (torch.randn(2, 1, 8, 20),)


def loss(scores):
    targets = torch.tensor([[1, 2, 3], [4, 5, 1]])
    steps = torch.full((2,), scores.size(0), dtype=torch.long)
    lengths = torch.tensor([3, 2])
    return nn.CTCLoss(blank=0, zero_infinity=True)(scores, targets, steps, lengths)
