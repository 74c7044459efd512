"""Checkpoints of cut networks: what MindSpore 2.10 makes of the same files, and what goes wrong."""

from __future__ import annotations

import json
import os
import pathlib
import random
import time

import numpy as np
import pytest

import fuzz
import torchspore as ms
from serialization.sharded_cases import CASES, COLUMNS, FULL, GRID, PIPELINE, ROWS, files_of, part_of
from torchspore import nn, parallel
from torchspore.serialization.sharded import ParameterLayout, read_strategy, slices, unified, write_strategy

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "data/sharded_checkpoints.json").read_text())
APIS = (parallel.transform_checkpoints, parallel.convert_checkpoints)


def layouts_of(stage):
    return {name: ParameterLayout(*layout) for name, layout in stage.items()}


def write_sides(root, old, new):
    """Write the strategies of both sides, and return their paths."""
    paths = []
    for side, stages in (("old", old), ("new", new)):
        if stages is None:
            paths.append(None)
            continue
        (root / f"{side}_stages").mkdir()
        for number, stage in enumerate(stages):
            write_strategy(str(root / f"{side}_stages/{number}.ckpt"), layouts_of(stage), number)
        merged = str(root / f"{side}.ckpt")
        if len(stages) > 1:
            parallel.merge_pipeline_strategys(str(root / f"{side}_stages"), merged)
        else:
            os.replace(root / f"{side}_stages/0.ckpt", merged)
        paths.append(merged)
    return paths


def save(root, names, stages, format="ckpt"):
    for rank, values in enumerate(files_of(names.split(), stages)):
        (root / f"rank_{rank}").mkdir(parents=True)
        values = {name: ms.Tensor(value) for name, value in values.items()}
        ms.save_checkpoint(values, str(root / f"rank_{rank}/net.{format}"), format=format)


def loaded(root, format="ckpt"):
    """Return the values in all files below a folder."""
    found = {}
    for path in sorted(root.rglob(f"*.{format}")):
        values = ms.load_checkpoint(str(path), format=format)
        found[str(path.relative_to(root))] = {name: values[name].asnumpy() for name in sorted(values)}
    return found


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("case", RECORDED)
def test_transformed_files(case, tmp_path):
    names, old, new = CASES[case]
    paths = write_sides(tmp_path, old, new)
    save(tmp_path / "source", names, old)
    arguments = str(tmp_path / "source"), str(tmp_path / "target"), "net", *paths
    if "error" in RECORDED[case]:
        with pytest.raises(ValueError, match=r"^For 'transform_checkpoints', "):
            parallel.transform_checkpoints(*arguments)
        assert not (tmp_path / "target").exists()
        return
    APIS[len(case) % 2](*arguments, process_num=1 + len(case) % 3)
    found = {
        path: {name: [str(ms.Tensor(v).dtype), [*v.shape], v.ravel().tolist()] for name, v in values.items()}
        for path, values in loaded(tmp_path / "target").items()
    }
    expected = {path.replace("_part0", ""): values for path, values in RECORDED[case]["files"].items()}
    assert found == expected
    assert [path for path in tree(tmp_path / "target") if path.startswith(".")] == []


@pytest.mark.parametrize("case", RECORDED)
def test_strategy_files_are_those_of_mindspore(case, tmp_path):
    _, old, new = CASES[case]
    for side, stages in (("old", old), ("new", new)):
        for number, (stage, recorded) in enumerate(zip(stages or [], RECORDED[case][side])):
            path = str(tmp_path / f"{side}{number}.ckpt")
            write_strategy(path, layouts_of(stage), number)
            assert pathlib.Path(path).read_bytes().hex() == recorded
            assert read_strategy(path) == layouts_of(stage)
            write_strategy(path[:-4] + "json", layouts_of(stage), number)
            assert read_strategy(path[:-4] + "json") == layouts_of(stage)


@pytest.mark.parametrize("case", [case for case, result in RECORDED.items() if "files" in result])
def test_unified_files_and_back(case, tmp_path):
    names, old, _ = CASES[case]
    (path, _) = write_sides(tmp_path, old or [{"w": ((1,), (-1, -1))}], None)
    save(tmp_path / "source", names, old, "safetensors")
    parallel.unified_safetensors(str(tmp_path / "source"), path, str(tmp_path / "whole"))
    whole = {name: v for values in loaded(tmp_path / "whole", "safetensors").values() for name, v in values.items()}
    assert {name: v.tolist() for name, v in whole.items()} == {name: FULL[name].tolist() for name in names.split()}
    given = {"predict_strategy": path, "format": "safetensors", "unified_safetensors_dir": str(tmp_path / "whole")}
    assert ms.load_distributed_checkpoint(None, dst_safetensors_dir=str(tmp_path / "parts"), **given) is True
    expected = files_of(names.split(), old)
    for rank, values in enumerate(expected):
        found = ms.load_checkpoint(str(tmp_path / f"parts/rank_{rank}/net.safetensors"))
        assert {name: v.asnumpy().tolist() for name, v in found.items()} == {n: v.tolist() for n, v in values.items()}


def test_ranks_that_are_needed(tmp_path):
    old, new = write_sides(tmp_path, PIPELINE, [{"w": GRID, "v": GRID, "b": ((2, 2), (0,)), "embedding": COLUMNS}])
    needed = ms.rank_list_for_transform
    assert [needed(0, old), needed(3, old), needed(0, None, new)] == [[0, 1, 2, 3], [0, 1, 2, 3], [0]]
    assert [needed(rank, old, new) for rank in range(4)] == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert parallel.rank_list_for_convert(2, new, old) == [0, 1, 2]
    save(tmp_path / "source", "w v embedding", PIPELINE)
    for rank in range(4):
        files = {one: str(tmp_path / f"source/rank_{one}/net.ckpt") for one in needed(rank, old, new)}
        target = str(tmp_path / f"{rank}.ckpt")
        (ms.transform_checkpoint_by_rank, parallel.convert_checkpoint_by_rank)[rank % 2](rank, files, target, old, new)
        found = ms.load_checkpoint(target)
        np.testing.assert_array_equal(found["w"].asnumpy(), part_of(FULL["w"], GRID, rank))
        np.testing.assert_array_equal(found["v"].asnumpy(), part_of(FULL["v"], GRID, rank))


def test_files_of_ranks_with_the_same_parts_may_be_missing(tmp_path):
    (old, _) = write_sides(tmp_path, [{"w": COLUMNS}], None)
    save(tmp_path / "source", "w", [{"w": COLUMNS}], "safetensors")
    for rank in (0, 3):
        os.remove(tmp_path / f"source/rank_{rank}/net.safetensors")
    parallel.transform_checkpoints(str(tmp_path / "source"), str(tmp_path / "whole"), "x", old)
    np.testing.assert_array_equal(loaded(tmp_path / "whole")["rank_0/x0.ckpt"]["w"], FULL["w"])
    unify = str(tmp_path / "source"), old, str(tmp_path / "unified")
    with pytest.raises(ValueError, match=r"'w' is not in a file of the ranks \[0, 3\]"):
        parallel.unified_safetensors(*unify)
    parallel.unified_safetensors(*unify, merge_with_redundancy=False)
    assert tree(tmp_path / "unified") == ["param_name_map.json", "part0.safetensors"]


def test_parts_of_unified_files(tmp_path, monkeypatch):
    (old, _) = write_sides(tmp_path, PIPELINE, None)
    save(tmp_path / "source", "w v b embedding step", PIPELINE, "safetensors")
    monkeypatch.setattr(unified, "_PART_BYTES", 200)
    choose = {"w": True, "v": False, "b": "renamed", "embedding": True}
    given = {"choice_func": choose.__getitem__, "file_suffix": "et"}
    for share in (1, 2):
        target = str(tmp_path / f"unified{share}")
        parallel.unified_safetensors(str(tmp_path / "source"), old, target, split_dst_file=(share, 2), **given)
    listed = json.loads((tmp_path / "unified1/param_name_map.json").read_text())
    assert listed == json.loads((tmp_path / "unified2/param_name_map.json").read_text())
    assert listed["metadata"] == {"total_size": 288}
    assert listed["weight_map"] == {
        "renamed": "part0.safetensors", "embedding": "part0.safetensors", "w": "part1.safetensors"
    }  # fmt: skip
    assert tree(tmp_path / "unified1") == ["hyper_param.safetensors", "param_name_map.json", "part0.safetensors"]
    assert tree(tmp_path / "unified2") == ["param_name_map.json", "part1.safetensors"]


class Net(nn.Cell):
    def __init__(self, shape):
        super().__init__()
        self.w = ms.Parameter(ms.ops.zeros(shape), name="w")


def test_networks(tmp_path):
    (old, _) = write_sides(tmp_path, [{"w": ROWS}], None)
    save(tmp_path / "source", "w", [{"w": ROWS}])
    files = [str(tmp_path / f"source/rank_{rank}/net.ckpt") for rank in range(4)]
    write_strategy(str(tmp_path / "columns.ckpt"), {"w": ParameterLayout(*COLUMNS)})
    for shape, strategy in (
        ((8, 6), None), ((8, 3), str(tmp_path / "columns.ckpt")), ((8, 3), {"w": ParameterLayout(*COLUMNS)}),
        ((8, 3), {"w": [(2, 2), (-1, 0), (8, 3), 0, True, ""]}),
    ):  # fmt: skip
        network = Net(shape)
        assert ms.load_distributed_checkpoint(network, files, strategy, old) is True
        np.testing.assert_array_equal(network.w.asnumpy(), FULL["w"][:, : shape[1]])
    found = ms.load_distributed_checkpoint(Net((8, 6)), files, None, old, return_param_dict=True)
    assert found["w"].shape == (8, 6)
    ms.set_auto_parallel_context(strategy_ckpt_load_file=old)
    try:
        assert ms.load_distributed_checkpoint(Net((8, 6)), files)
    finally:
        ms.reset_auto_parallel_context()
    save(tmp_path / "safe", "w step", [{"w": ROWS}], "safetensors")
    parallel.unified_safetensors(str(tmp_path / "safe"), old, str(tmp_path / "unified"))
    given = {"format": "safetensors", "unified_safetensors_dir": str(tmp_path / "unified")}
    network = Net((8, 3))
    assert ms.load_distributed_checkpoint(network, None, str(tmp_path / "columns.ckpt"), **given) == ([], ["step"])
    np.testing.assert_array_equal(network.w.asnumpy(), FULL["w"][:, :3])
    given |= {"dst_safetensors_dir": str(tmp_path / "parts"), "output_format": "ckpt", "name_map": {"w": "x"}}
    assert ms.load_distributed_checkpoint(None, predict_strategy={"x": ParameterLayout(*GRID)}, rank_id=2, **given)
    assert [*loaded(tmp_path / "parts")] == ["rank_2/net.ckpt"]
    np.testing.assert_array_equal(loaded(tmp_path / "parts")["rank_2/net.ckpt"]["x"], part_of(FULL["w"], GRID, 2))


@pytest.mark.parametrize("layout", [GRID, COLUMNS, ROWS, ((4,), (-1, -1), 4, 1), ((2, 2), (0, -1), 2, 2)])
def test_merging_slices_by_a_strategy(layout):
    parts = [ms.Parameter(ms.Tensor(part_of(FULL["w"], layout, rank)), name="w") for rank in range(4)]
    merged = ms.merge_sliced_parameter(parts, {"w": ParameterLayout(*layout)})
    np.testing.assert_array_equal(merged.asnumpy(), FULL["w"])
    with pytest.raises(ValueError, match="a slice for each of 4 devices, not 3"):
        ms.merge_sliced_parameter(parts[:3], {"w": ParameterLayout(*layout)})
    with pytest.raises(KeyError, match="no layout of 'w'"):
        ms.merge_sliced_parameter(parts, {"v": ParameterLayout(*layout)})


def test_axes_that_cut_one_dimension_together(tmp_path):
    together, path = ParameterLayout((2, 3, 4), ((2, 1), 0)), str(tmp_path / "s.ckpt")
    write_strategy(path, {"w": together})
    assert read_strategy(path)["w"] == ParameterLayout((6, 4), (1, 0))
    assert [together.position(rank) for rank in range(24)] == [read_strategy(path)["w"].position(r) for r in range(24)]
    with pytest.raises(ValueError, match="only of neighbours"):
        write_strategy(path, {"w": ParameterLayout((2, 3, 4), ((0, 2), -1))})
    assert read_strategy(path)["w"] == ParameterLayout((6, 4), (1, 0))


def test_other_ranks(tmp_path):
    write_strategy(path := str(tmp_path / "s.ckpt"), {"w": ParameterLayout(*COLUMNS)})
    save(tmp_path, "w", [{"w": COLUMNS}])
    own = str(tmp_path / "rank_0/net.ckpt")
    assert ms.get_ckpt_path_with_strategy(own, path) == own
    os.remove(own)
    assert ms.get_ckpt_path_with_strategy(own, path) == str(tmp_path / "rank_2/net.ckpt")
    os.remove(tmp_path / "rank_2/net.ckpt")
    assert ms.get_ckpt_path_with_strategy(own, path) is None
    assert ms.get_ckpt_path_with_strategy(str(tmp_path / "absent.ckpt"), path) is None


def test_groups(tmp_path):
    path = tmp_path / "group.pb"
    for content in (b"\x12\x04\x08\x00\x08\x02", b"\x12\x04\x0a\x02\x00\x02"):  # each number with a key, or packed
        path.write_bytes(content)
        assert ms.restore_group_info_list(str(path)) == [0, 2]


def random_layout(rng, devices, dims):
    """Return a layout: the shards of optimizers follow the axes that cut, as these are the last ones of the matrix."""
    matrix, rest = [], devices
    while rest > 1:
        matrix.append(rng.choice([factor for factor in (2, 3) if rest % factor == 0]))
        rest //= matrix[-1]
    axes = [*range(len(matrix))][: rng.randrange(len(matrix) + 1)]
    cuts = int(np.prod([matrix[-1 - axis] for axis in axes], initial=1))
    entries = rng.sample([*axes, -1, -1, -1], dims)
    if set(axes) <= set(entries) and devices // cuts > 1 and rng.random() < 0.5:
        return tuple(matrix), tuple(entries), devices // cuts, cuts
    return tuple(matrix or [1]), tuple(entries)


@pytest.mark.parametrize("seed", fuzz.seeds(12))
def test_random_layouts(seed, tmp_path):
    rng = random.Random(seed)
    full = {f"p{dims}": np.random.default_rng(seed).random((24,) * dims, np.float32) for dims in (1, 2, 3)}
    sides = [
        {name: random_layout(rng, devices, value.ndim) for name, value in full.items()}
        for devices in rng.choices([1, 2, 3, 4, 6, 8], k=2)
    ]
    paths = [str(tmp_path / "old.ckpt"), str(tmp_path / "new.json")]
    for path, side in zip(paths, sides):
        write_strategy(path, layouts_of(side))
    for rank in range(int(np.prod(sides[0]["p1"][0]))):
        format = rng.choice(["ckpt", "safetensors"])
        (tmp_path / f"old/rank_{rank}").mkdir(parents=True)
        values = {name: ms.Tensor(part_of(value, sides[0][name], rank)) for name, value in full.items()}
        ms.save_checkpoint(values, str(tmp_path / f"old/rank_{rank}/x.{format}"), format=format)
    parallel.transform_checkpoints(str(tmp_path / "old"), str(tmp_path / "new"), "x", *paths)
    for rank in range(int(np.prod(sides[1]["p1"][0]))):
        found = ms.load_checkpoint(str(tmp_path / f"new/rank_{rank}/x{rank}.ckpt"))
        for name, value in full.items():
            np.testing.assert_array_equal(found[name].asnumpy(), part_of(value, sides[1][name], rank))


def test_many_ranks_are_fast():
    old = slices.Cluster([{f"w{i}": ParameterLayout((64, 8), (0, -1), 64, 8) for i in range(200)}])
    new = slices.Cluster([{f"w{i}": ParameterLayout((512,), (0, -1)) for i in range(200)}])
    start = time.perf_counter()
    assert len(slices.needed_ranks("x", old, new, 17, lambda rank: True)) == 1
    assert time.perf_counter() - start < 2


# Errors


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "source", "w", [{"w": ROWS}])
    save(tmp_path / "safe", "w", [{"w": ROWS}], "safetensors")
    write_strategy("rows.ckpt", {"w": ParameterLayout(*ROWS)})
    write_strategy("columns.ckpt", {"w": ParameterLayout((2, 2), (-1, 0))})
    write_strategy("five.ckpt", {"w": ParameterLayout((5,), (0, -1))})
    write_strategy("mixed.ckpt", {"w": ParameterLayout((5,), (0, -1)), "v": ParameterLayout((2,), (0,))})
    write_strategy("gap.ckpt", {"0-w": ParameterLayout((4,), (0, -1)), "2-v": ParameterLayout((4,), (0,))})
    write_strategy("v.ckpt", {"v": ParameterLayout((4,), (0, -1))})
    write_strategy("uncovered.ckpt", {"w": ParameterLayout((2, 2), (-1, 0), 2, 1)})
    for name, content in {
        "empty.ckpt": b"", "text.ckpt": b"hello", "cut.ckpt": pathlib.Path("rows.ckpt").read_bytes()[:-3],
        "bad.json": b"{}", "list.json": b"[1", "matrix.json": b'{"current_stage": 0, "parallel_layout_item": {"w": '
        b'{"dev_matrix": [2], "tensor_map": "x"}}}', "axis.json": b'{"current_stage": 0, "parallel_layout_item": '
        b'{"w": {"dev_matrix": [2], "tensor_map": [1]}}}', "uneven.json": b'{"current_stage": 0, '
        b'"parallel_layout_item": {"w": {"dev_matrix": [2], "tensor_map": [0], "field": 3}}}',
    }.items():  # fmt: skip
        pathlib.Path(name).write_bytes(content)
    (tmp_path / "damaged/rank_0").mkdir(parents=True)
    pathlib.Path("damaged/rank_0/net.ckpt").write_bytes(b"text")
    (tmp_path / "void").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"source": "nowhere"}, NotADirectoryError, "there is no folder 'nowhere'"),
        ({"source": "void"}, ValueError, "has no folders 'rank_0'"),
        ({"source": "damaged", "old": None, "new": "rows.ckpt"}, ValueError, "net.ckpt' cannot be loaded"),
        ({"target": "rows.ckpt"}, NotADirectoryError, "is a file"),
        ({"target": 3}, TypeError, "'dst_checkpoints_dir' must be a string"),
        ({"prefix": 3}, TypeError, "'ckpt_prefix' must be a string"),
        ({"process_num": 0}, ValueError, "'process_num' must be > 0"),
        ({"output_format": "x"}, ValueError, "'output_format' must be one of \\['ckpt', 'safetensors'\\]"),
        ({"old": None}, ValueError, "both are None"),
        ({"old": 3}, TypeError, "'src_strategy_file' must be a string"),
        ({"old": "absent.ckpt"}, ValueError, "there is no file 'absent.ckpt'"),
        ({"old": "empty.ckpt"}, ValueError, "'empty.ckpt' is empty"),
        ({"old": "text.ckpt"}, ValueError, "'text.ckpt' is not a strategy file"),
        ({"old": "cut.ckpt"}, ValueError, "'cut.ckpt' is not a strategy file"),
        ({"old": "bad.json"}, ValueError, "it has no 'parallel_layout_item'"),
        ({"old": "list.json"}, ValueError, "'list.json' is not a strategy file"),
        ({"old": "matrix.json"}, ValueError, "of 'w', 'tensor_map' is not a list of numbers"),
        ({"old": "axis.json"}, ValueError, r"of 'w', the tensor map \[1\] must name different axes"),
        ({"old": "uneven.json"}, ValueError, "'w' is cut into parts of different sizes"),
        ({"old": "mixed.ckpt"}, ValueError, "the stage 0 has 'v' on 2 devices and 'w' on 5 devices"),
        ({"old": "gap.ckpt"}, ValueError, r"the stages \[0, 2\] are not 0 to 1"),
        ({"old": "five.ckpt"}, ValueError, "'w' needs its part on rank 4"),
        (
            {"new": "five.ckpt"},
            ValueError,
            r"'w' with the shape \(8, 6\) cannot be cut into 5 equal parts along axis 0",
        ),
        ({"old": "v.ckpt"}, ValueError, "'w' has no layout in the source's strategy, but its values differ"),
        ({"old": "uncovered.ckpt"}, ValueError, "its layout has 4 parts, but the devices have 2 of them"),
    ],
)
def test_transformations_that_fail(given, error, message, folder):
    arguments = {"source": "source", "target": "new", "prefix": "x", "old": "rows.ckpt", "new": None, **given}
    before = tree(folder)
    with pytest.raises(error, match=message):
        ms.transform_checkpoints(
            arguments.pop("source"), arguments.pop("target"), arguments.pop("prefix"), arguments.pop("old"),
            arguments.pop("new"), **arguments,
        )  # fmt: skip
    assert tree(folder) == before


FILES = {rank: f"source/rank_{rank}/net.ckpt" for rank in range(4)}
LISTED = [*FILES.values()]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ms.transform_checkpoint_by_rank("0", FILES, "x.ckpt", "rows.ckpt"), TypeError, "'rank_id' must be"),
        (lambda: ms.transform_checkpoint_by_rank(0, [], "x.ckpt", "rows.ckpt"), TypeError, "must be a dict"),
        (lambda: ms.transform_checkpoint_by_rank(0, FILES, 3, "rows.ckpt"), TypeError, "must be a string"),
        (lambda: ms.transform_checkpoint_by_rank(0, FILES, "x.bin", "rows.ckpt"), ValueError, "a name that ends"),
        (lambda: ms.transform_checkpoint_by_rank(0, {0: "no"}, "x.ckpt", "rows.ckpt"), ValueError, "no file 'no'"),
        (lambda: ms.transform_checkpoint_by_rank(0, {0: FILES[0]}, "x.ckpt", "rows.ckpt"), ValueError, "on rank 1"),
        (lambda: ms.transform_checkpoint_by_rank(4, FILES, "x.ckpt", None, "rows.ckpt"), ValueError, r"in \[0, 3\]"),
        (lambda: ms.transform_checkpoint_by_rank(0, {}, "x.ckpt", None, "rows.ckpt"), ValueError, "the file of rank 0"),
        (lambda: ms.rank_list_for_transform(9, "rows.ckpt", "columns.ckpt"), ValueError, r"in \[0, 3\], as the strat"),
        (lambda: ms.rank_list_for_transform(-1), ValueError, "'rank_id' must be >= 0"),
        (lambda: ms.merge_pipeline_strategys("nowhere", "x"), NotADirectoryError, "there is no folder 'nowhere'"),
        (lambda: ms.merge_pipeline_strategys("void", "x"), ValueError, "'void' has no files"),
        (lambda: ms.merge_pipeline_strategys("source/rank_0", "x"), ValueError, "is not a strategy file"),
        (lambda: ms.merge_pipeline_strategys(3, "x"), TypeError, "'src_strategy_dirs' must be a string"),
        (lambda: ms.restore_group_info_list(3), TypeError, "must be a string"),
        (lambda: ms.restore_group_info_list("text.ckpt"), ValueError, "is not a group information file|lists no ranks"),
        (lambda: ms.restore_group_info_list("absent"), ValueError, "there is no file 'absent'"),
        (lambda: ms.get_ckpt_path_with_strategy(3, "rows.ckpt"), TypeError, "'cur_ckpt_path' must be a string"),
        (lambda: parallel.unified_safetensors("safe", None, "x"), TypeError, "'src_strategy_file' must be a string"),
        (lambda: parallel.unified_safetensors("no", "rows.ckpt", "x"), NotADirectoryError, "there is no folder 'no'"),
        (lambda: parallel.unified_safetensors("source", "rows.ckpt", "x"), ValueError, "that end with '.safetensors'"),
        (
            lambda: parallel.unified_safetensors("safe", "rows.ckpt", "x", file_suffix="q"),
            ValueError, "that end with 'q.safetensors'",
        ),
        (
            lambda: parallel.unified_safetensors("safe", "rows.ckpt", "x", choice_func=lambda name: 3),
            TypeError, "'choice_func' must return a bool or a name",
        ),
        (
            lambda: parallel.unified_safetensors("safe", "rows.ckpt", "x", split_dst_file=(3, 2)),
            ValueError, r"'split_dst_file' must be \(\) or \(number, count\)",
        ),
        (lambda: ms.load_distributed_checkpoint(None, LISTED), ValueError, "'network' must be a Cell"),
        (lambda: ms.load_distributed_checkpoint(3, LISTED), TypeError, "'network' must be a Cell or None"),
        (lambda: ms.load_distributed_checkpoint(Net((8, 6))), TypeError, "'checkpoint_filenames' must be given"),
        (lambda: ms.load_distributed_checkpoint(Net((8, 6)), LISTED), ValueError, "give 'train_strategy_filename'"),
        (
            lambda: ms.load_distributed_checkpoint(Net((8, 6)), LISTED[:2], None, "rows.ckpt"),
            ValueError, "one file for each of the 4 ranks of 'rows.ckpt', but has 2",
        ),
        (
            lambda: ms.load_distributed_checkpoint(Net((8, 6)), ["a", "b", "c", "d"], None, "rows.ckpt"),
            ValueError, "there is no file 'a'",
        ),
        (
            lambda: ms.load_distributed_checkpoint(Net((8, 5)), LISTED, None, "rows.ckpt"),
            RuntimeError, "w",
        ),
        (
            lambda: ms.load_distributed_checkpoint(Net((8, 6)), LISTED, {"w": 3}, "rows.ckpt"),
            ValueError, "a layout must be a list of a device matrix",
        ),
        (
            lambda: ms.load_distributed_checkpoint(Net((8, 6)), LISTED, {"w": [[2], [0, -1], [4, 6], 2]}, "rows.ckpt"),
            ValueError, "unequal parts",
        ),
        (lambda: ms.load_distributed_checkpoint(None, format="safetensors"), ValueError, "'unified_safetensors_dir' m"),
        (
            lambda: ms.load_distributed_checkpoint(None, format="safetensors", unified_safetensors_dir="void"),
            ValueError, "which 'unified_safetensors' writes",
        ),
    ],
)  # fmt: skip
def test_calls_that_fail(call, error, message, folder):
    before = tree(folder)
    with pytest.raises(error, match=message):
        call()
    assert tree(folder) == before
