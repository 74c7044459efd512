"""Record what MindSpore 2.10 prints in trainings with `Model` and callbacks, into `training.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_training.py`.

Programs are run here with MindSpore's names and in the tests with TorchSpore's.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RANDOM = np.random.RandomState(0)
X, Y = RANDOM.randn(12, 3).astype(np.float32), RANDOM.randn(12, 2).astype(np.float32)
CLASSES = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1], np.int32)
INPUTS = RANDOM.randn(8, 1, 12, 12).astype(np.float32)

BEGIN = """
from {package} import nn
from {package}.train import *

def model(lr=0.1, reduction="mean", **options):
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    return Model(net, nn.MSELoss(reduction), nn.SGD(net.trainable_params(), lr), **options)

class Convolutional(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", weight_init="ones")
        self.norm = nn.BatchNorm2d(2)
        self.dense = nn.Dense(200, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        x = nn.ReLU()(self.norm(self.conv(x)))
        return self.dense(x.reshape((x.shape[0], -1)) * 0.01)

class Moments(Callback):
    def __init__(self, stop=None):
        self.stop = stop

def moment(name):
    def tell(self, run_context):
        state = run_context.original_args()
        print(name, {{key: state.get(key) for key in ("mode", "cur_epoch_num", "cur_step_num", "batch_num")}})
        if self.stop == (name, state.cur_step_num):
            run_context.request_stop()
    return tell

for stage in ("train", "eval"):
    for name in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"):
        setattr(Moments, f"on_{{stage}}_{{name}}", moment(f"on_{{stage}}_{{name}}"))

class Older(Callback):
    stop = None
    begin, epoch_begin, step_begin = moment("begin"), moment("epoch_begin"), moment("step_begin")
    step_end, epoch_end, end = moment("step_end"), moment("epoch_end"), moment("end")

def files():
    print(sorted(os.path.join(folder[2:], name) for folder, _, names in os.walk(".") for name in names))
"""

PROGRAMS = {
    "losses": "model().train(2, data(X, Y), callbacks=LossMonitor())",
    "losses of every second step": "model().train(2, data(X, Y), callbacks=[LossMonitor(2)])",
    "no losses": "model().train(2, data(X, Y), callbacks=LossMonitor(0))",
    "losses of samples": 'model(reduction="none").train(1, data(X, Y), callbacks=LossMonitor())',
    "losses of evaluation": 'model(metrics={"mae"}).eval(data(X, Y), callbacks=LossMonitor())',
    "losses and metrics": 'model(metrics={"mae"}).fit(2, data(X, Y), data(X[:8], Y[:8]), callbacks=LossMonitor())',
    "every second epoch": """
model(metrics={"mae"}).fit(4, data(X, Y), data(X, Y), valid_frequency=2, callbacks=[LossMonitor(3), Moments()])
""",
    "listed epochs": """
model(metrics={"mae"}).fit(4, data(X, Y), data(X, Y), valid_frequency=[1, 4], callbacks=LossMonitor(3))
""",
    "later epochs": "model().train(3, data(X, Y), callbacks=[LossMonitor(), Moments()], initial_epoch=1)",
    "sinking": "model().train(2, data(X, Y), callbacks=[LossMonitor(), Moments()], dataset_sink_mode=True)",
    "two trainings": """
one, monitor = model(), LossMonitor()
one.train(1, data(X, Y), callbacks=monitor)
one.train(1, data(X, Y), callbacks=monitor)
""",
    "classes": """
net = Convolutional()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
one = Model(net, loss, optimizer, metrics={"accuracy": Accuracy(), "loss": Loss()})
one.fit(3, data(INPUTS, CLASSES[:8]), data(INPUTS, CLASSES[4:]), callbacks=[LossMonitor()])
print(one.eval(data(INPUTS, CLASSES[:8])))
print(one.predict(ms.Tensor(INPUTS[:2])))
""",
    "regression metrics": """
one = model(metrics={"m": MAE(), "s": MSE(), "l": Loss()})
print(one.eval(data(X, Y)))
one.fit(3, data(X, Y), data(X, Y))
print(one.eval(data(X, Y)))
""",
    "moments": "model().train(2, data(X[:8], Y[:8]), callbacks=Moments())",
    "moments of evaluation": 'print(model(metrics={"mae"}).eval(data(X, Y), callbacks=Moments()))',
    "moments of both": 'model(metrics={"mae"}).fit(2, data(X[:8], Y[:8]), data(X, Y), callbacks=Moments())',
    "older moments": """
model().train(1, data(X, Y), callbacks=Older())
model(metrics={"mae"}).eval(data(X, Y), callbacks=Older())
""",
    "stop after a step": 'model().train(3, data(X, Y), callbacks=Moments(("on_train_step_end", 2)))',
    "stop before a step": 'model().train(3, data(X, Y), callbacks=Moments(("on_train_step_begin", 2)))',
    "stop after an epoch": 'model().train(3, data(X, Y), callbacks=Moments(("on_train_epoch_end", 3)))',
    "stop at once": 'model().train(3, data(X, Y), callbacks=Moments(("on_train_begin", 0)))',
    "stop an evaluation": """
print(model(metrics={"mae"}).eval(data(X, Y), callbacks=Moments(("on_eval_step_end", 2))))
""",
    "stop in fit": """
model(metrics={"mae"}).fit(3, data(X, Y), data(X, Y), callbacks=Moments(("on_train_step_end", 2)))
""",
    "stop an evaluation in fit": """
model(metrics={"mae"}).fit(2, data(X, Y), data(X, Y), callbacks=Moments(("on_eval_step_end", 2)))
""",
    "history": """
history = History()
one = model(metrics={"mae"})
one.fit(3, data(X, Y), data(X, Y), valid_frequency=2, callbacks=history)
print(history.epoch, sorted(history.history.items()))
one.train(1, data(X, Y), callbacks=history)
print(history.epoch, sorted(history.history.items()))
""",
    "history of an evaluation": """
history = History()
model(metrics={"mae"}).eval(data(X, Y), callbacks=history)
print(history.epoch, history.history)
""",
    "functions": """
state = lambda context: context.original_args()
show = LambdaCallback(
    on_train_begin=lambda context: print("begin", state(context).epoch_num),
    on_train_step_end=lambda context: print("step", state(context).cur_step_num),
    on_eval_end=lambda context: print("metrics", state(context).metrics),
)
model().train(1, data(X, Y), callbacks=show)
model(metrics={"mae"}).eval(data(X, Y), callbacks=show)
""",
    "learning rates": """
rates = []
def halve(rate, step):
    rates.append((rate, step))
    return rate * 0.5
one = model()
one.train(1, data(X, Y), callbacks=[LearningRateScheduler(halve), LossMonitor()])
print(rates, one.train_network.optimizer.learning_rate.asnumpy())
""",
    "reduce": """
one = model(metrics={"mae"})
one.fit(6, data(X, Y), data(X, Y), callbacks=ReduceLROnPlateau("loss", patience=1, min_delta=100, verbose=True))
print(one.train_network.optimizer.learning_rate.asnumpy())
""",
    "reduce with cooldown": """
reduce = ReduceLROnPlateau("eval_loss", patience=2, min_delta=100, verbose=True, min_lr=0.005, cooldown=1)
model(metrics={"mae"}).fit(6, data(X, Y), data(X, Y), callbacks=reduce)
""",
    "reduce what grows": """
reduce = ReduceLROnPlateau("mae", factor=0.5, patience=1, mode="max", verbose=True)
model(metrics={"mae"}).fit(6, data(X, Y), data(X, Y), callbacks=reduce)
""",
    "stop early": """
stop = EarlyStopping("loss", patience=1, min_delta=100, verbose=True)
model(metrics={"mae"}).fit(6, data(X, Y), data(X, Y), callbacks=[stop, LossMonitor(3)])
print(stop.stopped_epoch, stop.wait)
""",
    "stop early with the best": """
one = model(metrics={"mae"})
stop = EarlyStopping("mae", patience=2, mode="max", verbose=True, restore_best_weights=True)
one.fit(6, data(X, Y), data(X, Y), callbacks=stop)
print(one.eval(data(X, Y)))
""",
    "stop early below a baseline": """
stop = EarlyStopping("loss", patience=2, baseline=0.1, verbose=True)
model().train(6, data(X, Y), callbacks=[stop, LossMonitor(3)])
""",
    "directions": """
names = ["loss", "eval_loss", "mae", "mse", "perplexity", "mean_surface_distance", "hausdorff_distance",
         "root_mean_square_distance", "accuracy", "acc", "F1", "dice", "my_loss", "MAE", "error"]
print([(name, EarlyStopping(monitor=name).best) for name in names])
""",
    "files": "model().train(2, data(X, Y), callbacks=ModelCheckpoint()); files()",
    "files of three trainings": """
for _ in range(3):
    model().train(1, data(X, Y), callbacks=ModelCheckpoint("a", "folder/inner"))
files()
""",
    "files of every second step": """
model().train(2, data(X, Y), callbacks=ModelCheckpoint(config=CheckpointConfig(save_checkpoint_steps=2)))
files()
""",
    "files of every fourth step": """
model().train(2, data(X, Y), callbacks=ModelCheckpoint(config=CheckpointConfig(save_checkpoint_steps=4)))
files()
""",
    "last file": """
callback = ModelCheckpoint("one", config=CheckpointConfig(save_checkpoint_steps=100))
model().train(2, data(X, Y), callbacks=callback)
files()
print(os.path.basename(callback.latest_ckpt_file_name))
print(list(ms.load_checkpoint("one-2_3.ckpt")))
""",
    "two files kept": """
model().train(2, data(X, Y), callbacks=ModelCheckpoint(config=CheckpointConfig(keep_checkpoint_max=2)))
files()
""",
    "files kept for minutes": """
config = CheckpointConfig(keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
model().train(2, data(X, Y), callbacks=ModelCheckpoint(config=config))
files()
""",
    "files of seconds": """
config = CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=100)
model().train(2, data(X, Y), callbacks=ModelCheckpoint(config=config))
files()
""",
    "files of another format": """
config = CheckpointConfig(save_checkpoint_steps=3, format="safetensors", async_save=True)
model().train(2, data(X, Y), callbacks=ModelCheckpoint(config=config))
files()
""",
    "files with more": """
config = CheckpointConfig(save_checkpoint_steps=6, append_info=["epoch_num", "step_num", {"lr": 0.1, "i": 3}])
model().train(2, data(X, Y), callbacks=ModelCheckpoint("more", config=config))
read = ms.load_checkpoint("more-2_3.ckpt")
print([(name, float(read[name].asnumpy())) for name in ("epoch_num", "step_num", "lr", "i")])
""",
    "files of another network": """
config = CheckpointConfig(save_checkpoint_steps=6, saved_network=nn.Dense(2, 2))
model().train(2, data(X, Y), callbacks=ModelCheckpoint("other", config=config))
print([(name, value.shape) for name, value in ms.load_checkpoint("other-2_3.ckpt").items()])
""",
    "files of functions": """
prefix = lambda state: f"epoch{state.cur_epoch_num}"
model().train(2, data(X, Y), callbacks=ModelCheckpoint(prefix, lambda state: "made"))
files()
""",
    "file of a failure": """
def fail(context):
    if context.original_args().cur_step_num == 5:
        raise RuntimeError("on purpose")
config = CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
callbacks = [ModelCheckpoint("x", config=config), LambdaCallback(on_train_step_end=fail)]
try:
    model().train(3, data(X, Y), callbacks=callbacks)
except RuntimeError as error:
    print(error)
files()
""",
    "files in fit": """
checkpoints = ModelCheckpoint("f", config=CheckpointConfig(save_checkpoint_steps=2))
model(metrics={"mae"}).fit(2, data(X, Y), data(X, Y), callbacks=checkpoints)
files()
""",
    "backup": """
look = LambdaCallback(on_train_epoch_end=lambda context: files())
model().train(2, data(X, Y), callbacks=[BackupAndRestore("backup"), look])
files()
model().train(2, data(X, Y), callbacks=[BackupAndRestore("backup", 2, delete_checkpoint=False), look])
model().train(1, data(X, Y), callbacks=[BackupAndRestore("backup"), LossMonitor()])
""",
}
PROGRAMS = {name: program.strip() + "\n" for name, program in PROGRAMS.items()}


def output(program: str, package: str, data: Callable[..., Any]) -> str:
    """Run a program in the current folder, which is empty; return what it printed.

    Args:
        program: one of `PROGRAMS`.
        package: "mindspore" or "torchspore".
        data: a function of columns that returns a dataset of batches of four.
    """
    names = {name: globals()[name] for name in ("np", "os", "X", "Y", "CLASSES", "INPUTS")}
    names |= {"data": data, "ms": importlib.import_module(package)}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(BEGIN.format(package=package) + program, names)
    return printed.getvalue()


def record() -> None:
    """Run all programs, each in a separate process: MindSpore saves into the folder in which it was imported."""
    if sys.argv[1:]:
        import mindspore.dataset as ds

        def data(*columns: Any) -> Any:
            return ds.NumpySlicesDataset(columns, ["x", "y"], shuffle=False).batch(4)

        print(json.dumps(output(PROGRAMS[sys.argv[1]], "mindspore", data)))
        return
    result = {}
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, os.path.abspath(__file__), name]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
        result[name] = json.loads(done.stdout.splitlines()[-1])
    path = Path(__file__).with_name("training.json")
    path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
