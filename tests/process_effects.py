"""The program of `test_process`: it uses everything, and prints what each use has changed in the process."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from process_state import State, changes

# What of torch and others this package loads, with what they do then.
for name in (
    "torch.distributed.tensor.experimental", "torch._dynamo", "torch._inductor.compile_fx", "torch._functorch.config",
    "torch.onnx", "torch.onnx._internal.exporter", "torch.distributed.fsdp", "torch.distributed.checkpoint",
    "torch.export", "torch.distributed.pipelining", "torch.distributed.launcher.api",
    "torch.nn.attention.flex_attention", "torch.utils.tensorboard", "torch.profiler", "filelock", "tqdm", "PIL.Image",
    "onnx",
):  # fmt: skip
    with contextlib.suppress(ImportError):
        importlib.import_module(name)

output = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
begun = State()

import torchspore as ms  # noqa: E402
import torchspore.dataset as ds  # noqa: E402
from torchspore import Tensor, debug, nn, ops  # noqa: E402

FOLDER = tempfile.mkdtemp()
X = np.random.default_rng(0).standard_normal((16, 8)).astype(np.float32)


def import_all() -> None:
    for module in pkgutil.walk_packages(ms.__path__, "torchspore."):
        if not module.name.endswith(("__main__", "as_mindspore", "worker", "for_spawned_processes.mindspore")):
            importlib.import_module(module.name)


def noisy(x: Any) -> Any:
    return x + np.random.rand() + time.time() * 0


def data(**options: Any) -> ds.Dataset:
    rows = ds.NumpySlicesDataset({"x": X, "y": X[:, :4]}, shuffle=True)
    return rows.map(noisy, ["x"], **options).batch(4)


def iterate(**options: Any) -> None:
    for _ in data(**options):
        pass
    next(iter(data(**options)))


def train(mode: int, *callbacks: Any) -> None:
    ms.set_context(mode=mode)
    net = nn.Dense(8, 4)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(2, data(), callbacks=list(callbacks), dataset_sink_mode=False)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def checkpoints() -> None:
    net = nn.Dense(8, 4)
    ms.save_checkpoint(net, f"{FOLDER}/a.ckpt")
    ms.load_checkpoint(f"{FOLDER}/a.ckpt", net)
    ms.save_checkpoint(net, f"{FOLDER}/b.ckpt", async_save=True)
    while ms.async_ckpt_thread_status():
        time.sleep(0.01)


def profile() -> None:
    with ms.profiler.profile():
        ops.relu(Tensor(X))
    profiler = ms.Profiler(output_path=f"{FOLDER}/profile")
    ops.relu(Tensor(X))
    profiler.analyse()


def gradients() -> None:
    net = nn.Dense(8, 4)
    net.recompute()
    ms.grad(lambda x: net(x).sum())(Tensor(X))
    ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor(X))
    ms.jvp(lambda x: x * x, (Tensor(X),), (Tensor(X),))
    ms.vmap(lambda x: x.sum())(Tensor(X))
    ms.jacrev(lambda x: x * x)(Tensor(X[0]))
    ms.grad(lambda x: (x * x).sum())(Tensor([1, 2]))
    lstm = nn.LSTM(8, 4)
    ms.grad(lambda x: lstm(x)[0].sum())(Tensor(X[None]))


def graphs() -> None:
    function = ms.jit(lambda x: ops.relu(x) * 2)
    function(Tensor(X))
    function(Tensor(X[:3]))
    ms.jit(lambda x: ops.relu(x) * 2, fullgraph=True)(Tensor(X))


def mistakes() -> None:
    for call in (lambda: ops.add(Tensor(X), "a"), lambda: nn.Dense(8, 4)(Tensor(X[:, :3])), lambda: ms.nothing):
        with contextlib.suppress(TypeError, ValueError, AttributeError):
            call()


def shown() -> None:
    repr(Tensor(X))
    str(nn.Dense(8, 4))
    ms.summary(nn.Dense(8, 4), Tensor(X))


def faults() -> None:
    net = nn.Dense(8, 4)
    debug.find_nonfinite(net, Tensor(X))
    debug.check_shapes(net, Tensor(X))
    debug.check_gradients(net, Tensor(X))


def files() -> None:
    net = nn.Dense(8, 4)
    ms.export(net, Tensor(X), file_name=f"{FOLDER}/n", file_format="PT2")
    ms.load(f"{FOLDER}/n.pt2")
    data().save(f"{FOLDER}/a.mindrecord")
    list(ds.MindDataset(f"{FOLDER}/a.mindrecord"))


def summaries() -> None:
    with ms.SummaryRecord(f"{FOLDER}/summary") as record:
        record.add_value("scalar", "a", Tensor(1.0))
        record.record(1)


def one_process() -> None:
    ms.communication.init()
    ops.AllReduce()(Tensor(X))


def cut() -> None:
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    net = nn.Dense(8, 4)
    net.matmul.shard(((1, 1), (1, 1)))
    net(Tensor(X))
    ms.reset_auto_parallel_context()


def as_mindspore() -> None:
    import torchspore.as_mindspore  # noqa: F401

    importlib.import_module("mindspore.nn")


USES: dict[str, Callable[[], object]] = {
    "import": lambda: None,
    "import of all": import_all,
    "a seed": lambda: ms.set_seed(1),
    "pipelines": iterate,
    "pipelines with threads": lambda: iterate(num_parallel_workers=2),
    "pipelines with processes": lambda: iterate(num_parallel_workers=2, python_multiprocessing=True),
    "no seed": lambda: ds.config.set_seed(5489),
    "pipelines without a seed": iterate,
    "training": lambda: train(ms.PYNATIVE_MODE),
    "training in graphs": lambda: train(ms.GRAPH_MODE),
    "callbacks": lambda: train(
        ms.PYNATIVE_MODE, ms.LossMonitor(), ms.TimeMonitor(), ms.ModelCheckpoint(directory=FOLDER), ms.ProgressBar(),
        ms.OnRequestExit(save_mindir=False, directory=FOLDER, sig=signal.SIGTERM), ms.SummaryCollector(f"{FOLDER}/s"),
    ),
    "checkpoints": checkpoints,
    "files": files,
    "summaries": summaries,
    "profiler": profile,
    "gradients": gradients,
    "graphs": graphs,
    "mistakes": mistakes,
    "text": shown,
    "debug": faults,
    "mixed precision": lambda: ms.amp.auto_mixed_precision(nn.Dense(8, 4), "O2")(Tensor(X)),
    "NumPy's functions": lambda: ms.numpy.sum(ms.numpy.ones((2, 3))),
    "one process": one_process,
    "a cut network": cut,
    "as_mindspore": as_mindspore,
}  # fmt: skip

before = begun
for use, run in USES.items():
    with contextlib.redirect_stdout(sys.stderr):
        run()
    now = State()
    os.write(output, (json.dumps([use, changes(before, now)]) + "\n").encode())
    before = now
