"""The settings of `dataset.config`: values and errors as MindSpore's, and what they do."""

from __future__ import annotations

import json

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.dataset import debug, transforms

MODES = ds.config.ErrorSamplesMode

# (name, default, values that are accepted, (value, error) that are not), as MindSpore answers
SETTINGS = [
    ("auto_num_workers", False, [True], [(1, TypeError)]),
    ("auto_offload", False, [True], [(1, TypeError)]),
    ("autotune_interval", 0, [0, 5], [(-1, ValueError), (1.5, TypeError)]),
    ("callback_timeout", 60, [100], [(0, ValueError), (1.5, TypeError)]),
    ("debug_mode", False, [True], [(1, TypeError)]),
    ("dynamic_shape", False, [True], [(1, TypeError)]),
    ("enable_autotune", False, [True], [(1, TypeError)]),
    ("enable_shared_mem", True, [False], [(0, TypeError)]),
    ("enable_watchdog", True, [False], [(1, TypeError)]),
    ("error_samples_mode", MODES.RETURN, [MODES.REPLACE, MODES.SKIP], [(1, TypeError), ("SKIP", TypeError)]),
    ("fast_recovery", True, [False], [(1, TypeError)]),
    ("monitor_sampling_interval", 1000, [1], [(0, ValueError), (-1, ValueError), (True, TypeError)]),
    ("multiprocessing_start_method", "fork", ["spawn"], [("forkserver", ValueError), (3, TypeError)]),
    ("multiprocessing_timeout_interval", 300, [1], [(0, ValueError), (1.0, TypeError)]),
    ("numa_enable", False, [True], [(1, TypeError)]),
    ("prefetch_size", 16, [1, 2**31 - 1], [(0, ValueError), (2**31, ValueError), ("a", TypeError), (True, TypeError)]),
    ("seed", 5489, [0, 2**32 - 1], [(-1, ValueError), (2**32, ValueError), (1.0, TypeError), (True, TypeError)]),
    ("video_backend", "CPU", ["Ascend"], [("PyAV", ValueError), (3, TypeError)]),
]


@pytest.mark.parametrize(("name", "default", "accepted", "refused"), SETTINGS, ids=[each[0] for each in SETTINGS])
def test_setting(name, default, accepted, refused):
    setter, getter = getattr(ds.config, f"set_{name}"), getattr(ds.config, f"get_{name}")
    if name == "seed":  # other tests may have set one
        setter(default)
    assert getter() == default
    try:
        for value in accepted:
            setter(value)
            assert getter() == value
        for value, error in refused:
            with pytest.raises(error, match=rf"^For 'set_{name}', "):
                setter(value)
        assert getter() == accepted[-1]
    finally:
        setter(default)


def test_sending_batches():
    for value in (0, -1, 10):
        ds.config.set_sending_batches(value)
    with pytest.raises(TypeError, match="batch_num"):
        ds.config.set_sending_batches(1.5)


def test_a_file_of_mindspore_is_loaded(tmp_path):
    path = tmp_path / "config.json"
    settings = {"logFilePath": "/tmp", "numParallelWorkers": 3, "opConnectorSize": 8, "workerConnectorSize": 16,
                "seed": 7, "monitorSamplingInterval": 15, "cachePort": 50052, "unknown": 3}  # fmt: skip
    path.write_text(json.dumps(settings))
    before = ds.config.get_num_parallel_workers()
    try:
        ds.config.load(str(path))
        found = [ds.config.get_num_parallel_workers(), ds.config.get_prefetch_size(), ds.config.get_seed()]
        assert found == [3, 8, 7]
        assert ds.config.get_monitor_sampling_interval() == 15
    finally:
        ds.config.set_num_parallel_workers(before)
        ds.config.set_prefetch_size(16)
        ds.config.set_seed(5489)
        ds.config.set_monitor_sampling_interval(1000)


def two(count=6):
    return ds.NumpySlicesDataset({"x": np.arange(count), "y": np.arange(count) * 2}, shuffle=False)


def rows(dataset):
    return [[value.tolist() for value in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def fails_at(*numbers):
    def function(x):
        if x in numbers:
            raise ValueError("no")
        return x

    return function


REPLACED = [  # the failing values, and the rows, as MindSpore returns them
    ((2, 3), [0, 1, 4, 5, 0, 1]), ((0, 2, 3), [1, 4, 5, 1, 4, 5]), ((), [0, 1, 2, 3, 4, 5]), ((1,), [0, 2, 3, 4, 5, 0]),
    ((1, 2, 3, 4, 5), [0] * 6),
]  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("failing", "expected"), REPLACED)
def test_rows_that_fail_are_replaced(failing, expected, workers):
    ds.config.set_error_samples_mode(MODES.REPLACE)
    try:
        data = two().map(fails_at(*failing), "x", num_parallel_workers=workers)
        assert rows(data) == [[x, 2 * x] for x in expected]
        assert data.get_dataset_size() == 6
        assert [len(row[0]) for row in rows(data.batch(4))] == [4, 2]
        with pytest.raises(RuntimeError, match=r"^For 'map', .* none to replace"):
            rows(two().map(fails_at(*range(6)), "x"))
    finally:
        ds.config.set_error_samples_mode(MODES.RETURN)


class Recorder(debug.DebugHook):
    def __init__(self):
        super().__init__()
        self.seen = []

    def compute(self, *args):
        self.seen.append([np.asarray(value).tolist() for value in args[0]])


def test_hooks_see_each_operation(capsys):
    hook = Recorder()
    ds.config.set_debug_mode(True, [hook, debug.PrintMetaDataHook(), debug.PrintDataHook()])
    try:
        data = two(1).map([lambda x, y: (x + 1, y), lambda x, y: x - y], ["x", "y"], ["z"])
        assert rows(data) == [[1]]
    finally:
        ds.config.set_debug_mode(False)
        ds.config.set_seed(5489)
    assert hook.seen == [[0, 0], [1, 0], [1]]
    printed = capsys.readouterr().out.splitlines()
    heading = "[Dataset debugger] Print the [INPUT] of the operation [<lambda>]."
    assert printed[:4] == [heading, heading, "Column 0. The dtype is [int64]. The shape is [()].",
                           "Column 1. The dtype is [int64]. The shape is [()]."]  # fmt: skip
    assert printed[5] == "Column 0. The data is [0]."
    assert rows(two(1).map(lambda x: x)) == [[0, 0]]
    assert not capsys.readouterr().out


class Shapes(debug.DebugHook):
    def compute(self, *args):
        print([np.shape(value) for value in args[0]])


@pytest.mark.parametrize("hooks", [(), (None,), ([],)])
def test_the_hook_of_the_debug_mode_and_hooks_as_operations(hooks, capsys):
    """As in MindSpore, which also sets a seed."""
    ds.config.set_seed(5489)
    operations = [transforms.Compose([transforms.TypeCast(np.float32), lambda x: {"k": x}]), Shapes(), lambda x: x["k"]]
    data = two(1).map(operations, "x")
    assert rows(data) == [[0, 0]]
    assert capsys.readouterr().out == "[()]\n"
    try:
        ds.config.set_debug_mode(True, *hooks)
        assert ds.config.get_seed() == 1
        assert rows(data) == [[0, 0]]
    finally:
        ds.config.set_debug_mode(False)
        ds.config.set_seed(5489)
    heading, a_dict = "[Dataset debugger] Print the", "Column 0. The type is [<class 'dict'>]. The size is [1]."
    assert capsys.readouterr().out.splitlines() == [
        f"{heading} [INPUT] of the operation [TypeCast].", "Column 0. The dtype is [int64]. The shape is [()].",
        f"{heading} [OUTPUT] of the operation [TypeCast].", "Column 0. The dtype is [float32]. The shape is [()].",
        f"{heading} [OUTPUT] of the operation [<lambda>].", a_dict, "[()]",
        f"{heading} [OUTPUT] of the operation [Shapes].", a_dict,
        f"{heading} [OUTPUT] of the operation [<lambda>].", "Column 0. The dtype is [float32]. The shape is [()].",
    ]  # fmt: skip


@pytest.mark.parametrize("hooks", [3, [3], [debug.PrintDataHook]])
def test_wrong_hooks(hooks):
    with pytest.raises(TypeError, match=r"^For 'set_debug_mode', 'debug_hook_list"):
        ds.config.set_debug_mode(True, hooks)
    assert not ds.config.get_debug_mode()


def test_the_file_of_a_tuned_pipeline(tmp_path):
    prefix = str(tmp_path / "tuned")
    ds.config.set_enable_autotune(True, prefix)
    try:
        data = ds.FakeImageDataset(3, (2, 2, 3)).repeat(2)
        for _ in data:
            pass
    finally:
        ds.config.set_enable_autotune(False)
    found = json.loads((tmp_path / "tuned_0.json").read_text())
    assert found.keys() == {"remark", "summary", "tree"}
    assert ds.compare(ds.deserialize(json_filepath=f"{prefix}_0.json"), data)
    for wrong in ("", str(tmp_path), str(tmp_path / "none" / "x")):
        with pytest.raises(RuntimeError, match=r"^For 'set_enable_autotune', 'filepath_prefix'"):
            ds.config.set_enable_autotune(True, wrong)
    assert not ds.config.get_enable_autotune()


class Events(ds.DSCallback):
    def __init__(self, step_size=1):
        super().__init__(step_size)
        self.seen = []


def _note(name):
    def method(self, context):
        self.seen.append((name, context.cur_epoch_num, context.cur_step_num_in_epoch, context.cur_step_num))

    return method


for event in ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end"):
    setattr(Events, f"ds_{event}", _note(event))


def _epochs(before, numbers):
    """Return the events of two epochs of rows, except for the events of steps."""
    return [("begin", 0, 0, 0), ("epoch_begin", 1, 0, 0), ("epoch_end", 1, numbers, numbers),
            ("epoch_begin", 2, 0, before), ("epoch_end", 2, numbers, before + numbers)]  # fmt: skip


PIPELINES = {  # and the number of rows that the callbacks see in an epoch, as in MindSpore
    "plain": (lambda note: two(3).map(lambda x: x, callbacks=note), 3),
    "repeated before": (lambda note: two(3).repeat(2).map(lambda x: x, callbacks=note), 6),
    "repeated after": (lambda note: two(3).map(lambda x: x, callbacks=note).repeat(2), 6),
    "batched after": (lambda note: two(4).map(lambda x: x, callbacks=note).batch(3), 4),
    "batched before": (lambda note: two(4).batch(2).map(lambda x: x, callbacks=note), 2),
    "dropped": (lambda note: two(4).map(lambda x: x, callbacks=note).batch(3, True).repeat(2).shuffle(2), 8),
}


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("step_size", [1, 2, 5])
def test_callbacks(name, step_size):
    make, count = PIPELINES[name]
    note = Events(step_size)
    iterator = make(note).create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        for _ in iterator:
            pass
    assert [each for each in note.seen if not each[0].startswith("step")] == _epochs(count, count)
    for kind in ("step_begin", "step_end"):
        steps = [
            (epoch, step, step + (epoch - 1) * count) for epoch in (1, 2) for step in range(1, count + 1, step_size)
        ]
        assert [each[1:] for each in note.seen if each[0] == kind] == steps


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("skipped", range(1, 5))
@pytest.mark.parametrize("fast", [True, False])
def test_callbacks_count_from_the_position_on(name, skipped, fast, monkeypatch):
    """As in MindSpore with `set_init_step`; only its `repeat` computes the rows before again."""
    monkeypatch.setattr(ds.config, "_values", ds.config._values | {"fast_recovery": fast})
    make, count = PIPELINES[name]
    note = Events()
    data = make(note)
    size = data.get_dataset_size()
    skipped = min(skipped, size - 1)
    expected = [[row[0].asnumpy().tolist() for row in data.create_tuple_iterator(num_epochs=1)] for _ in range(2)]
    note.seen.clear()
    data.set_init_step(size + skipped)
    iterator = data.create_tuple_iterator(num_epochs=3)
    found = [[row[0].asnumpy().tolist() for row in iterator] for _ in range(2)]
    assert found == [expected[0][skipped:], expected[1]]
    if fast:
        left = next(each[2] for each in note.seen if each[0] == "epoch_end")
        assert left < count or name == "dropped"  # the shuffle may need the first batch
    else:
        left = count
    assert [each for each in note.seen if not each[0].startswith("step")] == [
        ("begin", 0, 0, 0), ("epoch_begin", 2, 0, 0), ("epoch_end", 2, left, left),
        ("epoch_begin", 3, 0, left), ("epoch_end", 3, count, left + count)]  # fmt: skip
    steps = [(2, step, step) for step in range(1, left + 1)] + [(3, n, left + n) for n in range(1, count + 1)]
    for kind in ("step_begin", "step_end"):
        assert [each[1:] for each in note.seen if each[0] == kind] == steps


def test_callbacks_below_take():
    note = Events()
    iterator = two(4).map(lambda x: x, callbacks=note).take(2).create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        for _ in iterator:
            pass
    assert [each for each in note.seen if not each[0].startswith("step")] == _epochs(2, 2)
    stopped = Events()
    iterator = two(4).map(lambda x: x, callbacks=stopped).create_tuple_iterator(num_epochs=1)
    next(iterator)
    iterator.stop()
    assert stopped.seen[-1][0] == "step_end"


def test_a_callback_that_raises():
    class Wrong(ds.DSCallback):
        def ds_step_begin(self, context):
            raise ValueError("mine")

    with pytest.raises(RuntimeError, match=r"^For 'map', the function .*ds_step_begin.* ValueError: mine"):
        rows(two().map(lambda x: x, callbacks=Wrong()))


class Waited(ds.WaitedDSCallback):
    def __init__(self, step_size=1):
        super().__init__(step_size)
        self.seen = []

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        step = train_run_context.original_args().cur_step_num
        self.seen.append(("epoch", step, ds_run_context.cur_epoch_num))

    def sync_step_begin(self, train_run_context, ds_run_context):
        step = train_run_context.original_args().cur_step_num
        self.seen.append(("step", step, ds_run_context.cur_step_num))


@pytest.mark.parametrize("size", [1, 2])
def test_a_callback_of_a_training_and_its_data(size):
    note = Waited(size)
    data = ds.NumpySlicesDataset({"x": np.ones((4, 3), np.float32)}, shuffle=False)
    data = data.map(lambda x: x, callbacks=note).batch(size)
    net = ms.nn.Dense(3, 1)
    model = ms.Model(net, optimizer=ms.nn.SGD(net.trainable_params(), 0.1))
    model.train(2, data, callbacks=[note], dataset_sink_mode=False)
    assert [each for each in note.seen if each[0] == "epoch"] == [("epoch", 4 // size, 2)]
    steps = [("step", (row - 1) // size, row) for row in range(size + 1, 9, size)]
    assert [each for each in note.seen if each[0] == "step"] == steps


def test_a_callback_without_its_training():
    with pytest.raises(RuntimeError, match=r"Model\.train"):
        rows(two().map(lambda x: x, callbacks=Waited()))
    for wrong, error in ((0, ValueError), ("a", TypeError)):
        with pytest.raises(error, match="step_size"):
            ds.WaitedDSCallback(wrong)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"session_id": "a"}, TypeError), ({"session_id": 0}, ValueError), ({"size": -1}, ValueError),
        ({"spilling": 1}, TypeError), ({"port": 1}, ValueError), ({"port": 70000}, ValueError),
        ({"hostname": 3}, TypeError), ({"num_connections": 0}, ValueError), ({"prefetch_size": 0}, ValueError),
    ],
)  # fmt: skip
def test_wrong_caches(given, error):
    with pytest.raises(error, match=r"^For 'DatasetCache', "):
        ds.DatasetCache(**{"session_id": 1, **given})


def test_a_cache_changes_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("x\ny\n")
    cache = ds.DatasetCache(1, 0, True, "localhost", 50052, 12, 20)
    data = ds.TextFileDataset(str(tmp_path / "a.txt"), shuffle=False, cache=cache).map(lambda x: x, cache=cache)
    assert rows(data) == [["x"], ["y"]]
    assert cache.get_stat() == (0, 0, 0)
