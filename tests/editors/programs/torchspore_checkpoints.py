"""Files."""

import pathlib

import torchspore as ts
from torchspore import nn

net = nn.Dense(2, 1)
ts.save_checkpoint(net, "net.ckpt")
ts.save_checkpoint(net, str(pathlib.Path("net.ckpt")))
weights = ts.load_checkpoint(pathlib.Path("net.ckpt"), net, strict_load=True)
print(weights["weight"].shape, sorted(weights))
ts.load_param_into_net(net, weights)
ts.export(net, ts.Tensor([[1.0, 2.0]]), file_name="net", file_format="ONNX")
ts.save_checkpoint(net)  # error: call-arg, reportCallIssue
ts.load_checkpoint("net.ckpt", strict=True)  # error: call-arg, reportCallIssue
