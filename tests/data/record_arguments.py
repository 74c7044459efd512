"""Record what MindSpore's datasets say about wrong arguments, into `dataset_arguments.json` beside this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_arguments.py`.
"""

from __future__ import annotations

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "dataset"))

import argument_cases as cases  # noqa: E402
import mindspore  # noqa: E402
from mindspore import dataset  # noqa: E402
from mindspore.dataset import audio, text, transforms, vision  # noqa: E402

names = cases.namespace(mindspore, dataset, transforms, vision, text, audio)
said = {expression: cases.outcome(expression, names) for expression in cases.expressions()}
lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in said.items() if value is not None)
(HERE / "dataset_arguments.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
