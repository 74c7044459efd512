"""Record MindSpore's answers to the sample of `tests/type_sweep.py`: `python tests/data/record_type_sweep.py`.

Questions that MindSpore refuses are left out, because more data types are accepted here.
"""

import json
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))

import mindspore  # noqa: E402

import type_sweep  # noqa: E402

mindspore.set_context(pynative_synchronize=True)  # else an error shows up in a later expression

lines = []
for question in type_sweep.sample():
    results = type_sweep.answer(mindspore, *question)
    if not isinstance(results, str) and len(lines) < type_sweep.SAMPLE:
        lines.append(json.dumps([*question, results]))
(here / "type_sweep.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
