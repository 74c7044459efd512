"""Record the rows that MindSpore reads from the folders of published data sets: published_data.json.

Run in an environment with MindSpore 2.10: python tests/data/record_published_data.py
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import mindspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "dataset"))
from published_folders import CASES, made, read

found = []
for name, folder, arguments in CASES:
    with tempfile.TemporaryDirectory() as root:
        found.append([name, arguments, read(ds, name, made(folder, pathlib.Path(root)), arguments)])
path = pathlib.Path(__file__).with_name("published_data.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in found) + "\n]\n")
