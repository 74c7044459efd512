"""Record the orders in which MindSpore yields the rows of several files, by seed: file_orders.json.

The TFRecord files are those in file_orders.json. Run in an environment with MindSpore 2.10:
python tests/data/record_file_orders.py
"""

from __future__ import annotations

import base64
import json
import pathlib
import sys
import tempfile

import mindspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "dataset"))
from file_order_cases import CASES, orders, write_texts

path = pathlib.Path(__file__).with_name("file_orders.json")
files = json.loads(path.read_text())["files"]
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    write_texts(folder)
    for file, content in files.items():
        (folder / file).write_bytes(base64.b64decode(content))
    found = {expression: orders(ds, expression, folder) for expression in CASES}
lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
path.write_text(f'{{"files": {json.dumps(files, indent=0)},\n"orders": {{\n{lines}\n}}}}\n')
