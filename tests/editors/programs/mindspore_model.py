"""`Model`, callbacks, metrics and checkpoints."""

import mindspore as ms
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint

net = nn.Dense(2, 1)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae": nn.MAE()})
data = NumpySlicesDataset(([[1.0, 2.0]], [[1.0]]), ["x", "y"]).batch(1)
checkpoint = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=1))
model.train(1, data, callbacks=[LossMonitor(1), checkpoint])
result = model.eval(data)
print(result["mae"])
parameters = ms.load_checkpoint("net.ckpt")
not_loaded, unused = ms.load_param_into_net(net, parameters)
print(len(not_loaded), unused)
ms.save_checkpoint(net, "other.ckpt")
model.trian(1, data)  # error: attr-defined, reportAttributeAccessIssue
model.train("1", data)  # error: arg-type, reportArgumentType
model.train(1, data, callback=[])  # error: call-arg, reportCallIssue
ms.load_checkpoint(3)  # error: arg-type, reportArgumentType
