"""A generator and a discriminator that are trained in turn."""
import torch
import torch.nn as nn
import torch.optim as optim


class Generator(nn.Module):
    def __init__(self, nz=4):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, 8, 4, 1, 0, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(True),
            nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, 8, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(8, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input)


def build():
    return [Generator(), Discriminator()]


def run(networks, arrays):
    netG, netD = networks
    netG.train()
    netD.train()
    criterion = nn.BCELoss()
    optimizerD = optim.Adam(netD.parameters(), lr=0.02, betas=(0.5, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=0.02, betas=(0.5, 0.999))
    real = torch.from_numpy(arrays.normal(size=(4, 1, 8, 8)).astype("float32"))
    noise = torch.from_numpy(arrays.normal(size=(4, 4, 1, 1)).astype("float32"))
    losses = []
    for step in range(3):
        # the discriminator: real images
        netD.zero_grad()
        label = torch.full((4,), 1.0, dtype=torch.float)
        output = netD(real).view(-1)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.mean().item()
        # and generated ones
        fake = netG(noise)
        label.fill_(0.0)
        output = netD(fake.detach()).view(-1)
        errD_fake = criterion(output, label)
        errD_fake.backward()
        errD = errD_real + errD_fake
        optimizerD.step()
        # the generator
        netG.zero_grad()
        label.fill_(1.0)
        output = netD(fake).view(-1)
        errG = criterion(output, label)
        errG.backward()
        optimizerG.step()
        losses += [errD.item(), errG.item(), D_x]
    return losses, fake.detach().numpy()
