"""Record a checkpoint of MindSpore, and what its network computes: checkpoints/moved.ckpt and moved_weights.json.

Run in an environment with MindSpore 2.10: python tests/data/record_moved_weights.py

With the path of another checkpoint of this network, print its largest difference from what that network computes on the
recorded input by the record in the JSON file beside it.
"""

from __future__ import annotations

import json
import pathlib
import sys

import mindspore as ms
import numpy as np
from mindspore import nn

HERE = pathlib.Path(__file__).parent


class Network(nn.Cell):
    """Layers whose parameters have other names or shapes in torch."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5, 4)
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 2, 3, pad_mode="pad", padding=1, has_bias=True), nn.BatchNorm2d(2)
        )
        self.narrow = nn.Conv1d(2, 2, 3, pad_mode="pad", padding=1)
        self.lstm = nn.LSTM(8, 3, 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm([6], epsilon=1e-5)
        self.activation = nn.PReLU(1)
        self.out = nn.Dense(6, 2)

    def construct(self, ids):
        """Return the outputs for indices of shape (2, 6)."""
        x = self.features(self.words(ids).reshape(2, 1, 6, 4))
        x = self.narrow(x.reshape(2, 2, 24)).reshape(2, 2, 6, 4)
        x = x.transpose(0, 2, 1, 3).reshape(2, 6, 8)
        return self.out(self.activation(self.norm(self.lstm(x)[0])))


np.random.seed(0)
ms.set_seed(0)
net = Network()
ids = np.random.randint(0, 5, (2, 6)).astype(np.int32)
if len(sys.argv) > 1:
    record = json.loads(pathlib.Path(sys.argv[1]).with_suffix(".json").read_text(encoding="utf-8"))
    not_loaded = ms.load_param_into_net(net, ms.load_checkpoint(sys.argv[1]), strict_load=True)
    found = net(ms.Tensor(np.array(record["ids"], np.int32))).asnumpy()
    print("not loaded:", not_loaded, "largest difference:", np.abs(found - np.array(record["output"])).max())
else:
    for parameter in net.get_parameters():
        low = 0.5 if "variance" in parameter.name else -1
        parameter.set_data(ms.Tensor(np.random.uniform(low, 1, parameter.shape).astype(np.float32)))
    ms.save_checkpoint(net, str(HERE / "checkpoints" / "moved.ckpt"))
    record = {"ids": ids.tolist(), "output": net(ms.Tensor(ids)).asnumpy().tolist()}
    (HERE / "moved_weights.json").write_text(json.dumps(record) + "\n", encoding="utf-8")
