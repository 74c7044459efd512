"""Names that packages do not have."""

import torchspore as ts
from torchspore import dataset, mint, nn, ops, train

ts.Tensr([1.0])  # error: attr-defined, reportAttributeAccessIssue
ts.load_chekpoint("a.ckpt")  # error: attr-defined, reportAttributeAccessIssue
nn.Dens(1, 2)  # error: attr-defined, reportAttributeAccessIssue
ops.rellu(ts.Tensor([1.0]))  # error: attr-defined, reportAttributeAccessIssue
mint.matmull  # error: attr-defined, reportAttributeAccessIssue
dataset.NumpySliceDataset([1])  # error: attr-defined, reportAttributeAccessIssue
train.Modell  # error: attr-defined, reportAttributeAccessIssue
ts.vallue_and_grad  # error: attr-defined, reportAttributeAccessIssue
print(ts.Model, ts.dataset, ts.LossMonitor, ts.save_checkpoint, ts.Profiler)
