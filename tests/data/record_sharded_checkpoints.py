"""Record how MindSpore cuts checkpoints in other ways: sharded_checkpoints.json.

Run in an environment with MindSpore 2.10: python tests/data/record_sharded_checkpoints.py
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import mindspore as ms
from mindspore.train.node_strategy_pb2 import ParallelStrategyMap

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "serialization"))

from sharded_cases import CASES, files_of  # noqa: E402


def strategy(path, layouts, stage):
    """Write a strategy file by MindSpore's own classes."""
    message = ParallelStrategyMap(current_stage=stage)
    for name in layouts:
        operator = message.parallel_strategy_item.add(node_name=name)
        operator.parallel_strategys.stage = stage
    for name, layout in layouts.items():
        matrix, axes, shards, step = (*layout, 0, 0)[:4]
        cuts = message.parallel_layout_item.add(param_name=name).parallel_layouts
        cuts.dev_matrix.add().dim.extend(matrix)
        cuts.tensor_map.add().dim.extend(axes)
        cuts.param_split_shape.add()
        cuts.indices_offset.add()
        cuts.field, cuts.opt_weight_shard_step, cuts.opt_weight_shard_size = 0, step, shards
    path.write_bytes(message.SerializeToString())


def strategy_of(folder, stages):
    """Return the path of the strategy file of all stages, and the bytes of each stage's own, in hexadecimal."""
    if stages is None:
        return None, []
    folder.mkdir()
    for stage, layouts in enumerate(stages):
        strategy(folder / f"{stage}.ckpt", layouts, stage)
    written = [(folder / f"{stage}.ckpt").read_bytes().hex() for stage in range(len(stages))]
    if len(stages) == 1:
        return str(folder / "0.ckpt"), written
    merged = f"{folder}.ckpt"
    ms.merge_pipeline_strategys(str(folder), merged)
    return merged, written


def recorded(root, names, old, new):
    """Return what MindSpore makes of a case."""
    for rank, values in enumerate(files_of(names, old)):
        (root / f"old/rank_{rank}").mkdir(parents=True)
        listed = [{"name": name, "data": ms.Tensor(value)} for name, value in values.items()]
        ms.save_checkpoint(listed, str(root / f"old/rank_{rank}/net.ckpt"))
    old_file, old_bytes = strategy_of(root / "old_strategy", old)
    new_file, new_bytes = strategy_of(root / "new_strategy", new)
    result = {"old": old_bytes, "new": new_bytes}
    try:
        ms.transform_checkpoints(str(root / "old"), str(root / "new"), "net", old_file, new_file)
    except Exception as error:
        return result | {"error": type(error).__name__}
    files = {}
    for path in sorted((root / "new").rglob("*.ckpt")):
        loaded = ms.load_checkpoint(str(path))
        files[str(path.relative_to(root / "new"))] = {
            name: [str(loaded[name].dtype), list(loaded[name].shape), loaded[name].asnumpy().ravel().tolist()]
            for name in sorted(loaded)
        }
    return result | {"files": files}


found = {}
for case, (names, old, new) in CASES.items():
    with tempfile.TemporaryDirectory() as folder:
        found[case] = recorded(pathlib.Path(folder), names.split(), old, new)
lines = [f"{json.dumps(case)}: {json.dumps(result)}" for case, result in found.items()]
(HERE / "sharded_checkpoints.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
