"""Every public name that some version of MindSpore had is here: `data/record_earlier_names.py` has recorded them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RECORDED = json.loads((Path(__file__).parent / "data/earlier_names.json").read_text())

PROGRAM = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
import torchspore.as_mindspore
import mindspore
from torchspore import earlier
missing, wrong = [], []
for path, spans in json.load(open(sys.argv[1])).items():
    for span, names in spans.items():
        try:
            module = importlib.import_module(f"mindspore.{path}".rstrip("."))
        except ImportError:
            missing += [f"{path}: {names} ({span})"]
            continue
        absent = [name for name in names.split() if not hasattr(module, name)]
        missing += [f"{path}: {name} ({span})" for name in absent]
        for name in set(names.split()) - set(absent):
            group = earlier._names().get(path, {}).get(name)
            if group and group["until"] != span.split()[1] and span.split()[1] != "2.5":
                wrong += [f"{path}: {name} is said to be until {group['until']}, but was until {span.split()[1]}"]
print(json.dumps([missing, wrong]))
"""


def test_every_public_name_of_every_version_is_here():
    run = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent / "data/earlier_names.json")]
    missing, wrong = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    assert not missing, f"Give these names a place in earlier/names.json, or a reason: {missing}"
    assert not wrong, f"Correct earlier/names.json: {wrong}"
    assert sum(len(names.split()) for spans in RECORDED.values() for names in spans.values()) > 900
