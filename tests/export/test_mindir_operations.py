"""Each operation that can be written as MINDIR computes the same when it is read again.

`tests/data/mindir_operations.json` has the operations, with what MindSpore 1.10, 2.0 and 2.10 and MindSpore Lite 2.0
give for their files: "same", or how they fail. `tests/data/record_mindir_engines.py` records it.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import torchspore as ms
from export.expressions import Network, leaves
from torchspore import nn

EXPRESSIONS = sorted(json.loads((pathlib.Path(__file__).parents[1] / "data" / "mindir_operations.json").read_text()))
SIZE = 40  # exporting takes longer than most operations: several are in one network
GROUPS = [EXPRESSIONS[start : start + SIZE] for start in range(0, len(EXPRESSIONS), SIZE)]


@pytest.mark.parametrize("expressions", GROUPS, ids=range(len(GROUPS)))
def test_round_trip(expressions, tmp_path):
    network = Network(*expressions)
    inputs = list(network.inputs.values())
    ms.export(network, *inputs, file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for expression, made, expected in zip(expressions, cell(*inputs), network(*inputs), strict=True):
        for ours, wanted in zip(leaves(made), leaves(expected), strict=True):
            ours, wanted = ours.asnumpy(), wanted.asnumpy()
            assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype), expression
            tolerance = 1e-2 if wanted.dtype == np.float16 else 1e-4
            np.testing.assert_allclose(ours, wanted, rtol=tolerance, atol=tolerance / 10, err_msg=expression)
