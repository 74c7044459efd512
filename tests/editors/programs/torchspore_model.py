"""`Model`, callbacks and metrics."""

import torchspore as ts
from torchspore import nn
from torchspore.train import Callback, RunContext


class Print(Callback):
    def on_train_epoch_end(self, run_context: RunContext) -> None:
        parameters = run_context.original_args()
        print(parameters.cur_epoch_num, parameters.net_outputs)


net = nn.Dense(1, 1)
data = ts.dataset.NumpySlicesDataset({"x": [[1.0]], "y": [[2.0]]}).batch(1)
model = ts.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), metrics={"loss"})
model.fit(1, data, data, callbacks=Print())
print(model.predict(ts.Tensor([[1.0]])), model.train_network, model.eval(data)["loss"])
model.fitt(1, data)  # error: attr-defined, reportAttributeAccessIssue
ts.Model()  # error: call-arg, reportCallIssue
