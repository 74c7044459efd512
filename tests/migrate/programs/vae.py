"""A variational autoencoder; the noise is given, so that both sides have the same."""
import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(12, 8)
        self.fc21 = nn.Linear(8, 3)
        self.fc22 = nn.Linear(8, 3)
        self.fc3 = nn.Linear(3, 8)
        self.fc4 = nn.Linear(8, 12)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar, eps):
        std = torch.exp(0.5 * logvar)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x, eps):
        mu, logvar = self.encode(x.view(-1, 12))
        z = self.reparameterize(mu, logvar, eps)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 12), reduction="sum")
    # the distance to the standard normal distribution
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


def build():
    return [VAE()]


def run(networks, arrays):
    model = networks[0]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.from_numpy(arrays.uniform(size=(5, 3, 4)).astype("float32"))
    eps = torch.from_numpy(arrays.normal(size=(5, 3)).astype("float32"))
    model.train()
    train_loss = 0
    losses = []
    for batch_idx in range(3):
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(x, eps)
        loss = loss_function(recon_batch, x, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        losses.append(loss.item() / len(x))
    return losses, train_loss, mu.detach().numpy()
