"""Record the names of inputs and outputs that MindSpore 2.0 gives to the primitives in `io_names.json`.

`python tests/data/record_mindir_io_names.py` is run where MindSpore 2.0 is installed. Primitives that cannot be made
from the arguments below keep their names.
"""

import contextlib
import json
import pathlib

import mindspore.ops.operations as operations
from mindspore.ops import Primitive
from mindspore.ops.operations import (
    _grad_ops,
    _inner_ops,
    array_ops,
    image_ops,
    linalg_ops,
    math_ops,
    nn_ops,
    random_ops,
)

TABLE = pathlib.Path(__file__).parents[2] / "src/torchspore/serialization/mindir/io_names.json"
ARGUMENTS = [
    (),
    (1,),
    (1, 1),
    (2, 3),
    ((1, 1),),
    ("mean",),
    (((0, 0),),),
    (3, False, False),
    (1, False, False, "backward"),
]
MODULES = (operations, array_ops, math_ops, nn_ops, linalg_ops, image_ops, random_ops, _inner_ops, _grad_ops)

found = json.loads(TABLE.read_text())


def note(self, inputs, outputs):
    found[self.name] = [[names] if isinstance(names, str) else names for names in (inputs, outputs)]


Primitive.init_prim_io_names = note
for name in list(found):
    for arguments in ARGUMENTS:
        with contextlib.suppress(Exception):
            next(getattr(module, name) for module in MODULES if hasattr(module, name))(*arguments)
            break
lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(found.items())]
TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
