"""A tagger of an embedding, a bidirectional LSTM and a linear layer."""
import torch
import torch.nn as nn
import torch.optim as optim


class Tagger(nn.Module):
    def __init__(self, vocabulary, tags, hidden=6):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 5)
        self.lstm = nn.LSTM(5, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.hidden2tag = nn.Linear(2 * hidden, tags)

    def forward(self, sentence):
        embeds = self.embedding(sentence)
        out, (h, c) = self.lstm(embeds)
        return self.hidden2tag(out).permute(0, 2, 1)


def build():
    return [Tagger(11, 4)]


def run(networks, arrays):
    model = networks[0]
    loss_function = nn.CrossEntropyLoss(ignore_index=-1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    words = torch.from_numpy(arrays.integers(0, 11, (3, 7))).long()
    tags = torch.from_numpy(arrays.integers(0, 4, (3, 7))).long()
    losses = []
    for epoch in range(3):
        model.zero_grad()
        scores = model(words)
        loss = loss_function(scores, tags)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        best = model(words).argmax(dim=1)
    return losses, model(words).detach().cpu().numpy(), best.tolist()
