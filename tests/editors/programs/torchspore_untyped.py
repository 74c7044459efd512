"""A program without annotations."""

import torchspore as ts
from torchspore import nn, ops


class LeNet(nn.Cell):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(6 * 12 * 12, classes)
        self.dropout = nn.Dropout(p=0.5)
        self.transpose = ops.Transpose()

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        if self.training:
            x = self.dropout(x)
        return self.fc(self.flatten(x))


def train(net, data, epochs):
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    loss_fn = nn.CrossEntropyLoss()
    forward = lambda x, y: loss_fn(net(x), y)
    step = ts.value_and_grad(forward, None, optimizer.parameters)
    for _ in range(epochs):
        for x, y in data:
            loss, gradients = step(x, y)
            optimizer(gradients)
            print(loss.asnumpy())


train(LeNet(), [(ops.ones((1, 1, 28, 28)), ts.Tensor([1]))], 1)
LeNet().conv2  # error: attr-defined, reportAttributeAccessIssue
