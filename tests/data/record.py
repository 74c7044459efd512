"""Record what MindSpore 2.10 gives for the cases of a family: `python tests/data/record.py FAMILY ...`."""

import importlib
import json
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))

import mindspore  # noqa: E402

import cases  # noqa: E402

mindspore.set_context(pynative_synchronize=True)  # else an error shows up in a later expression

for family in sys.argv[1:]:
    expressions = importlib.import_module(f"cases.{family}").CASES
    lines = [
        f"{json.dumps(expression)}: {json.dumps(cases.evaluate(mindspore, expression))}" for expression in expressions
    ]
    (here / f"{family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(family, len(lines))
