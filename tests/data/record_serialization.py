"""Record the JSON form in which MindSpore writes pipelines: serialization.json.

Run in an environment with MindSpore 2.10: python tests/data/record_serialization.py
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import mindspore
import mindspore.dataset as ds
from mindspore.dataset import audio, text, transforms, vision

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "dataset"))

import serialization_cases as cases  # noqa: E402
from published_folders import CASES, arguments_of, made  # noqa: E402


def form(dataset, root):
    """Return the form of a pipeline, with @ for the folder of its files."""
    return json.loads(json.dumps(ds.serialize(dataset)).replace(str(root), "@"))


def transform(expression, names, root):
    """Return the form of a transform."""
    pipeline = ds.NumpySlicesDataset([1]).map([eval(expression, names)])
    return form(pipeline, root)["operations"][0]


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    names = cases.namespace(mindspore, ds, audio, text, transforms, vision, root)
    found = {expression: transform(expression, names, root) for expression in cases.TRANSFORMS}
    found |= {expression: form(eval(expression, names), root) for expression in cases.PIPELINES}
    published = []
    for name, place, arguments in CASES:
        at = root / f"{place}-{len(published)}"
        at.mkdir()
        dataset = getattr(ds, name)(**arguments_of(name, made(place, at), arguments))
        published.append(form(dataset, at))
lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
lines.append('"published": [\n' + ",\n".join(json.dumps(each) for each in published) + "\n]")
(HERE / "serialization.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
