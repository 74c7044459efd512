"""Threads may import modules at the same time, also those that a look-up of a name loads."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # they start a process

PROGRAM = """
import importlib, json, sys, threading
import torchspore
names, first = json.load(sys.stdin)
exec(first)
errors, start = [], threading.Barrier(20)
sys.setswitchinterval(1e-6)

def run(number):
    start.wait()
    for name in names[number % len(names):] + names[:number % len(names)]:
        try:
            found(name)
        except BaseException as error:
            errors.append(f"{name}: {type(error).__name__}: {error}")

threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(20)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(200)
print(json.dumps([*errors, *("a thread hangs" for thread in threads if thread.is_alive())]))
"""
OURS = """
    boost communication dataset device_context experimental hal mindrecord mint numpy parallel profiler rewrite runtime
    safeguard scipy train utils
"""
THEIRS = """
    amp boost common.initializer communication.management dataset dataset.vision dataset.vision.transforms
    experimental.optim.adadelta mindrecord.tools mint mint.nn nn nn.layer.basic nn.metrics nn.probability.distribution
    nn.probability.distribution.normal numpy ops ops.operations._grad_ops ops.operations.nn_ops parallel.shard profiler
    rewrite.api.node scipy.linalg train train.amp train.callback._callback
"""
CASES = {
    "mindspore": (
        THEIRS,
        "import torchspore.as_mindspore\ndef found(name): importlib.import_module('mindspore.' + name)",
    ),
    "packages": (OURS, 'def found(name): importlib.import_module("torchspore." + name)'),
    "attributes": (OURS, "def found(name): getattr(torchspore, name)"),
}


@pytest.mark.parametrize("case", CASES)
def test_imports_in_threads(case):
    names, first = CASES[case]
    given = json.dumps([names.split(), first])
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
