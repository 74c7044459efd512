"""Record the orders in which MindSpore's samplers and shuffles yield rows, by seed: row_orders.json.

Run in an environment with MindSpore 2.10: python tests/data/record_row_orders.py
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import warnings

import mindspore
import mindspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "dataset"))
from order_cases import CASES, orders

warnings.simplefilter("ignore")
with tempfile.TemporaryDirectory() as folder:
    found = {expression: orders(ds, mindspore, expression, pathlib.Path(folder)) for expression in CASES}
path = pathlib.Path(__file__).with_name("row_orders.json")
path.write_text(json.dumps(found, indent=0) + "\n")
