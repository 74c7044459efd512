"""What the site describes: the public names, by the package that users write before them."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

import torchspore

# How MindSpore's site lays out its pages: each name has its own, below a folder; or a package has one page.
_ONE_PAGE = None


class Package(NamedTuple):
    """A package of the API.

    Args:
        path: the module, or the class `Tensor`, below `torchspore`.
        title, chinese: what its page says that it has.
        folder: the folder of MindSpore's site with its pages; None if one page has all names.
        ours: whether it is an addition, which MindSpore does not have.
    """

    path: str
    title: str
    chinese: str
    folder: str | None = _ONE_PAGE
    ours: bool = False


PACKAGES = (
    Package("", "Tensors, gradients, graphs and settings", "张量、梯度、图与设置", "mindspore"),
    Package("Tensor", "Methods and attributes of tensors", "张量的方法与属性", "mindspore/Tensor"),
    Package("nn", "Layers, losses and optimizers", "网络层、损失函数与优化器", "nn"),
    Package("nn.probability.distribution", "Probability distributions", "概率分布"),
    Package("nn.probability.bijector", "Invertible transformations", "可逆变换"),
    Package("nn.probability.bnn_layers", "Bayesian layers", "贝叶斯网络层"),
    Package("ops", "Operations", "算子", "ops"),
    Package("mint", "Operations with PyTorch's arguments", "参数与PyTorch一致的算子", "mint"),
    Package("mint.nn", "Layers with PyTorch's arguments", "参数与PyTorch一致的网络层", "mint"),
    Package("mint.nn.functional", "Functions of those layers", "上述网络层的函数形式", "mint"),
    Package("mint.linalg", "Linear algebra", "线性代数", "mint"),
    Package("mint.special", "Special functions", "特殊函数", "mint"),
    Package("mint.optim", "Optimizers with PyTorch's arguments", "参数与PyTorch一致的优化器", "mint"),
    Package("mint.distributed", "Communication with PyTorch's arguments", "参数与PyTorch一致的通信", "mint"),
    Package("common.initializer", "Initial values of parameters", "参数的初始值"),
    Package("amp", "Mixed precision", "混合精度", "amp"),
    Package("train", "Model, metrics, callbacks and checkpoints", "Model、评价指标、回调与检查点", "train"),
    Package("dataset", "Datasets and samplers", "数据集与采样器", "dataset"),
    Package("dataset.config", "Settings of datasets", "数据集的设置"),
    Package("dataset.transforms", "Transforms of any data", "通用数据变换", "dataset_transforms"),
    Package("dataset.vision", "Transforms of images and videos", "图像与视频变换", "dataset_vision"),
    Package("dataset.text", "Transforms of text", "文本变换", "dataset_text"),
    Package("dataset.audio", "Transforms of sound", "音频变换", "dataset_audio"),
    Package("mindrecord", "Record files", "MindRecord文件"),
    Package("numpy", "NumPy's functions on tensors", "张量上的NumPy函数", "numpy"),
    Package("numpy.fft", "NumPy's Fourier transforms", "NumPy的傅里叶变换", "numpy"),
    Package("scipy.linalg", "Decompositions and linear equations", "矩阵分解与线性方程组", "scipy"),
    Package("scipy.optimize", "Minimization", "最小化", "scipy"),
    Package("scipy.fft", "Cosine transforms", "余弦变换", "scipy"),
    Package("communication", "Communication between processes", "进程间通信"),
    Package("communication.comm_func", "Communication that returns new tensors", "返回新张量的通信"),
    Package("parallel", "Parallel training and checkpoints of many processes", "并行训练与多进程检查点", "parallel"),
    Package("parallel.mesh", "Networks on meshes of processes", "进程网格上的网络"),
    Package("parallel.nn", "Cells that process a batch in parts", "分批处理的Cell"),
    Package("runtime", "Memory, streams and events", "内存、流与事件", "runtime"),
    Package("hal", "Devices", "设备"),
    Package("device_context.cpu", "Settings of the CPU", "CPU设置"),
    Package("device_context.gpu", "Settings of GPUs", "GPU设置"),
    Package("device_context.ascend", "Settings of Ascend cards", "昇腾设备设置"),
    Package("profiler", "Where the time goes", "性能分析"),
    Package("boost", "Faster training", "训练加速"),
    Package("rewrite", "Networks as trees of nodes", "以节点树表示网络"),
    Package("experimental.optim", "Optimizers with parameter groups", "带参数组的优化器", "experimental/optim"),
    Package("experimental.optim.lr_scheduler", "Schedules of the learning rate", "学习率调度", "experimental/optim"),
    Package("safeguard", "Protected checkpoints", "检查点保护"),
    Package("utils", "Dtypes, dispatch and checks", "杂项工具"),
    Package("log", "Messages", "日志"),
    Package(
        "debug",
        "Finding faults: NaN, shapes, gradients, learning rates",
        "查找错误：NaN、形状、梯度、学习率",
        ours=True,
    ),
    Package("migrate", "Moving networks between PyTorch and MindSpore", "在PyTorch与MindSpore之间迁移网络", ours=True),
    Package("onnx", "ONNX files", "ONNX文件", ours=True),
)
_DOCUMENTATION = {"en": "https://www.mindspore.cn/docs/en/master", "zh": "https://www.mindspore.cn/docs/zh-CN/master"}
_PYTORCH = "https://docs.pytorch.org/docs/stable"
# Modules of PyTorch whose names have no pages of their own.
_PYTORCH_PAGES = ("torch.special", "torch.distributed", "torch.utils.data", "torch.amp", "torch.onnx", "torch.hub")


@dataclass(frozen=True, eq=False)
class Name:
    """A public name.

    Args:
        package: its package.
        name: the name in the package.
        thing: the function, class, method, property or constant.
    """

    package: Package
    name: str
    thing: Any

    @property
    def written(self) -> str:
        """The name as users write it: ms.jit, nn.Dense, Tensor.abs."""
        return f"{self.package.path or 'ms'}.{self.name}"

    @property
    def path(self) -> str:
        """The full name: torchspore.nn.Dense."""
        return ".".join(filter(None, ("torchspore", self.package.path, self.name)))

    @property
    def page(self) -> str:
        """The page without its ending, below the folder of the API."""
        return f"{page_of(self.package)}/{self.name}"

    @cached_property
    def kind(self) -> str:
        """What the page documents it as: function, class, method, attribute or data."""
        if inspect.isclass(self.thing):
            return "class"
        if self.package.path == "Tensor":
            return "method" if callable(self.thing) or isinstance(self.thing, staticmethod) else "attribute"
        return "function" if callable(self.thing) else "data"

    def mindspore_page(self, language: str) -> str | None:
        """Return the address of the name in MindSpore's documentation; None for what only TorchSpore has."""
        if self.package.ours:
            return None
        full = self.path.replace("torchspore", "mindspore", 1)
        module = full.rpartition(".")[0]
        place = f"{module}.html#{full}" if self.package.folder is None else f"{self.package.folder}/{full}.html"
        return f"{_DOCUMENTATION[language]}/api_python/{place}"


def page_of(package: Package) -> str:
    """Return the page of a package without its ending, below the folder of the API."""
    return package.path or "ms"


def pytorch_page(name: str) -> str:
    """Return the address of a name of PyTorch in its documentation."""
    for module in _PYTORCH_PAGES:
        if name.startswith(module + "."):
            return f"{_PYTORCH}/{module.removeprefix('torch.')}.html#{name}"
    return f"{_PYTORCH}/generated/{name}.html"


def names(chosen: Callable[[Package], bool] = lambda package: True) -> Iterator[Name]:
    """Yield the public names of packages, sorted in each."""
    for package in filter(chosen, PACKAGES):
        if package.path == "Tensor":
            found = {name: inspect.getattr_static(torchspore.Tensor, name) for name in dir(torchspore.Tensor)}
        else:
            module = importlib.import_module(f"torchspore.{package.path}".rstrip("."))
            found = {name: getattr(module, name) for name in _listed(module)}
        for name, thing in sorted(found.items(), key=lambda item: (item[0].lower(), item[0])):
            if not (name.startswith("_") or isinstance(thing, ModuleType)):
                yield Name(package, name, thing)


def _listed(module: ModuleType) -> set[str]:
    """Return the names of a module, and for the package itself also those that are imported when they are asked for."""
    defined = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    listed = set(getattr(module, "__all__", defined))
    if module is torchspore:
        listed |= set(torchspore._NAMES)
    return listed


def identity(thing: Any) -> int:
    """Return what an operation has in common with itself under other names."""
    return id(getattr(thing, "__wrapped__", thing))


def other_forms(found: list[Name]) -> dict[Name, list[Name]]:
    """Return, for each name, the other names of the same thing."""
    groups: dict[int, list[Name]] = defaultdict(list)
    for name in found:
        if name.kind != "data":
            groups[identity(name.thing)].append(name)
    return {name: [other for other in groups[identity(name.thing)] if other is not name] for name in found}
