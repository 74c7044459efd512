"""Record what MindSpore's dataset does, into `dataset.json` and `dataset_*.json` beside this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_dataset.py`.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "dataset"))

import audio_cases  # noqa: E402
import mindspore  # noqa: E402
import pipeline_cases  # noqa: E402
import text_cases  # noqa: E402
import text_file_cases  # noqa: E402
import transform_cases  # noqa: E402
from mindspore import dataset  # noqa: E402
from mindspore.dataset import audio, text, transforms, vision  # noqa: E402


def _in_a_process(expression, names, plain):
    """Return the result of an expression, or the type of its error; some end MindSpore's process, or never end."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        signal.alarm(20)
        try:
            answer = json.dumps(plain(eval(expression, names)))
        except Exception as error:
            answer = json.dumps({"error": type(error).__name__})
        with os.fdopen(writer, "w") as end:
            end.write(answer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as end:
        text = end.read()
    os.waitpid(process, 0)
    return json.loads(text) if text else {"error": "died"}


def _record(path, expressions, names, plain, others=(), other_plain=None):
    recorded = {expression: _in_a_process(expression, names, plain) for expression in expressions}
    recorded |= {expression: _in_a_process(expression, names, other_plain) for expression in others}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in recorded.items())
    path.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def _shown(result):
    """Return a result as JSON has it, or nothing for a dataset or an iterator."""
    return result if isinstance(result, (list, tuple, int, str)) else None


with tempfile.TemporaryDirectory() as folder:
    _record(
        HERE / "dataset.json",
        transform_cases.EXPRESSIONS,
        transform_cases.namespace(mindspore, transforms, vision, folder),
        transform_cases.plain,
    )
_record(
    HERE / "dataset_pipelines.json",
    pipeline_cases.expressions(),
    pipeline_cases.namespace(mindspore, dataset),
    _shown,
)
for name, cases in (("dataset_text.json", text_cases), ("dataset_text_files.json", text_file_cases)):
    with tempfile.TemporaryDirectory() as folder:
        cases.write_files(folder)
        _record(
            HERE / name,
            cases.expressions(),
            cases.namespace(mindspore, dataset, text, folder),
            text_cases.plain,
        )
_record(
    HERE / "dataset_audio.json",
    audio_cases.EXPRESSIONS,
    audio_cases.namespace(audio),
    audio_cases.plain,
    audio_cases.ERRORS,
    audio_cases.failing,
)
