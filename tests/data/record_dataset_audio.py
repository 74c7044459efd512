"""Record what MindSpore's audio transforms do, into `dataset_audio.json` beside this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_dataset_audio.py`.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "dataset"))

import audio_cases  # noqa: E402
from mindspore.dataset import audio  # noqa: E402


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


names = audio_cases.namespace(audio)
recorded = {each: _in_a_process(each, names, audio_cases.plain) for each in audio_cases.EXPRESSIONS}
recorded |= {each: _in_a_process(each, names, audio_cases.failing) for each in audio_cases.ERRORS}
lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in recorded.items())
(HERE / "dataset_audio.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
