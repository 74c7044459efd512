"""Record digests of what MindSpore's random transforms return, by seed: random_transforms.json.

Run in an environment with MindSpore 2.10: python tests/data/record_random_transforms.py
"""

from __future__ import annotations

import json
import pathlib
import sys
import warnings

import mindspore.dataset as ds
from mindspore.dataset import audio, transforms, vision

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "dataset"))
from random_cases import CASES, digests

warnings.simplefilter("ignore")
found = {expression: " ".join(digests(ds, vision, transforms, audio, expression)) for expression in CASES}
path = pathlib.Path(__file__).with_name("random_transforms.json")
path.write_text(json.dumps(found, indent=0) + "\n")
