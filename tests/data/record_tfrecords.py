"""Record what MindSpore reads from the TFRecord files in tfrecords.json, and from what it saves: tfrecords.json.

Run in an environment with MindSpore 2.10: python tests/data/record_tfrecords.py
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import sys
import tempfile

import mindspore as ms
import mindspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "dataset"))
from tfrecord_cases import CASES, outcome

path = pathlib.Path(__file__).with_name("tfrecords.json")
files = json.loads(path.read_text())["files"]
with tempfile.TemporaryDirectory() as folder:
    for name, content in files.items():
        pathlib.Path(os.path.join(folder, name)).write_bytes(base64.b64decode(content))
    found = {expression: outcome(ms, ds, expression, folder) for expression in CASES}
path.write_text(json.dumps({"files": files, "results": found}, indent=0) + "\n")
