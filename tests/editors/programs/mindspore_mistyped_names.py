"""Names that packages do not have."""

import mindspore as ms
import mindspore.dataset as ds
from mindspore import mint, nn, ops

ms.Tensr([1.0])  # error: attr-defined, reportAttributeAccessIssue
ms.load_chekpoint("a.ckpt")  # error: attr-defined, reportAttributeAccessIssue
ms.float23  # error: attr-defined, reportAttributeAccessIssue
nn.Dens(1, 2)  # error: attr-defined, reportAttributeAccessIssue
ops.rellu(ms.Tensor([1.0]))  # error: attr-defined, reportAttributeAccessIssue
mint.matmull  # error: attr-defined, reportAttributeAccessIssue
ds.NumpySliceDataset([1])  # error: attr-defined, reportAttributeAccessIssue
ds.vision  # the submodule is there
ms.dataset.vision
ms.nn.probability
ms.convert_checkpointz  # error: attr-defined, reportAttributeAccessIssue
