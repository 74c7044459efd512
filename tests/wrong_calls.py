"""Wrong calls of every public function, method, primitive and layer: drawn by seed, tried in child processes, judged.

`python tests/wrong_calls.py SEED COUNT` prints the calls whose errors are wrong, as lines of JSON.
"""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import torchspore as ms

SECONDS = 20  # that one call may take
MEMORY = 12 << 30  # bytes that a child may reserve, torch's libraries included

WRONG: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "text": lambda: "banana",
    "empty_text": lambda: "",
    "bytes": lambda: b"banana",
    "true": lambda: True,
    "zero": lambda: 0,
    "minus": lambda: -3,
    "huge": lambda: 2**70,
    "large": lambda: 2**40,
    "minus_huge": lambda: -(2**70),
    "float": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "complex": lambda: 1j,
    "object": object,
    "class": lambda: ms.nn.Dense,
    "cell": lambda: ms.nn.ReLU(),
    "dict": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "empty_list": list,
    "list_of_text": lambda: ["a", None],
    "list_of_huge": lambda: [2**70, 1],
    "list_of_zeros": lambda: [0, 0],
    "list_of_minus": lambda: [-1, -2],
    "ragged": lambda: [[1, 2], [3]],
    "nested": lambda: functools.reduce(lambda inner, _: [inner], range(200), 1),
    "tuple_of_floats": lambda: (1.5, 2.5),
    "function": lambda: lambda *args: None,
    "torch": lambda: torch.ones(2, 3),
    "numpy": lambda: np.ones((2, 3), np.float32),
    "numpy_text": lambda: np.array(["a"]),
    "dtype": lambda: ms.float32,
    "string_type": lambda: ms.string,
    "scalar": lambda: ms.Tensor(1.5),
    "empty": lambda: ms.Tensor(np.zeros((0, 3), np.float32)),
    "vector": lambda: ms.Tensor(np.ones(5, np.float32)),
    "deep": lambda: ms.Tensor(np.ones((2, 1, 3, 1, 2, 1, 2), np.float32)),
    "bools": lambda: ms.Tensor([[True, False, True], [False, True, True]]),
    "far": lambda: ms.Tensor([[100, -100, 7], [1, 2, 10**12]]),
    "small_ints": lambda: ms.Tensor(np.ones((2, 3), np.uint8)),
    "complexes": lambda: ms.Tensor(np.ones((2, 3), np.complex64)),
    "nans": lambda: ms.Tensor(np.full((2, 3), np.nan, np.float32)),
    "sparse": lambda: ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([1.0]), (2, 2)),
}
RIGHT: dict[str, Callable[[], Any]] = {
    "tensor": lambda: ms.Tensor(np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)),
    "square": lambda: ms.Tensor(np.eye(3, dtype=np.float32) + 1),
    "images": lambda: ms.Tensor(np.ones((1, 2, 6, 6), np.float32)),
    "ints": lambda: ms.Tensor([[0, 1, 2], [1, 0, 2]]),
    "indices": lambda: ms.Tensor([0, 1]),
    "tensors": lambda: [ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])],
    "parameter": lambda: ms.Parameter(ms.Tensor([[1.0, 2.0]]), name="w"),
    "parameters": lambda: [ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")],
    "net": lambda: ms.nn.Dense(3, 3),
    "one": lambda: 1,
    "two": lambda: 2,
    "half": lambda: 0.5,
    "false": lambda: False,
    "shape": lambda: (2, 3),
    "pair": lambda: (1, 1),
    "picture": lambda: np.ones((8, 8, 3), np.uint8),
    "identity": lambda: lambda *args: args[0] if args else None,
    "float32": lambda: ms.float32,
    "mean": lambda: "mean",
}
VALUES = WRONG | RIGHT
# What suits an annotation, by its words.
SUITABLE = {
    "Tensor": ["tensor", "square", "images", "ints", "indices"],
    "list": ["tensors", "shape", "parameters"],
    "tuple": ["pair", "shape"],
    "Sequence": ["tensors", "pair"],
    "Operand": ["tensor", "ints", "two"],
    "int": ["one", "two"],
    "float": ["half", "two"],
    "bool": ["false", "true"],
    "Size": ["shape", "pair"],
    "Type": ["float32"],
    "str": ["mean"],
    "Callable": ["identity", "net"],
    "Cell": ["net"],
    "Parameter": ["parameter", "parameters"],
    "ndarray": ["picture"],
    "Any": ["tensor", "picture", "two", "shape"],
}
PACKAGES = {
    "ms": "torchspore",
    **{
        name.replace("nn.functional", "F"): f"torchspore.{name}"
        for name in (
            "ops", "mint", "mint.nn", "mint.nn.functional", "mint.linalg", "mint.special", "mint.optim", "nn",
            "nn.probability.distribution", "nn.probability.bijector", "numpy", "numpy.fft", "scipy.linalg",
            "scipy.fft", "scipy.optimize", "train", "metrics", "amp", "boost", "common.initializer", "dataset",
            "dataset.vision", "dataset.transforms", "dataset.text", "dataset.audio", "experimental.optim",
            "experimental.optim.lr_scheduler", "runtime", "hal", "utils", "parallel", "rewrite", "profiler",
            "mindrecord",
        )
    },
}  # fmt: skip
# What is not tried: it talks to other processes, ends or changes this one, or is not meant to be called by users.
LEFT_OUT = re.compile(
    r"ops\.(?!.*_ext)(AllGather|AllReduce|AlltoAll\w*|AllToAll\w*|Barrier|Broadcast|CollectiveG\w*|CollectiveS\w*|Isend|"
    r"Irecv|NeighborExchange\w*|Receive|ReduceScatter|Reduce|Send|comm_func\w*|kernel|ms_kernel|Custom\w*|breakpoint)$"
    r"|ms\.(run_check|set_device|set_context|set_\w+_context|reset_auto_parallel_context|set_recursion_limit|Profiler)$"
    r"|(runtime|hal)\.(launch|set_\w+|empty_cache|Dispatch\w*)$|utils\.|profiler\.|ms\.(set_dump|mindio_\w+)$|parallel\.\w+"
)


def targets() -> dict[str, Any]:
    """Return what is called, by its name: functions, classes, and the methods of tensors, parameters and cells."""
    found = {}
    for prefix, path in PACKAGES.items():
        package = importlib.import_module(path)
        for name in package.__all__:
            thing = getattr(package, name)
            if _is_called(thing) and not LEFT_OUT.match(f"{prefix}.{name}"):
                found[f"{prefix}.{name}"] = thing
    for name in dir(ms.Tensor([1.0])):
        if (not name.startswith("_") or name in OPERATORS) and callable(getattr(ms.Tensor, name, None)):
            found[f"Tensor.{name}"] = getattr(ms.Tensor, name)
    for kind in (ms.Parameter, ms.nn.Cell, ms.train.Model, ms.dataset.GeneratorDataset):
        for name in dir(kind):
            member = getattr(kind, name, None)  # the names of torch that a class only has hints for are not members
            if not name.startswith("_") and callable(member) and name in vars(kind):
                found[f"{kind.__name__}.{name}"] = member
    return found


def _is_called(thing: Any) -> bool:
    python = inspect.isbuiltin(thing) or thing is slice  # what Python offers itself, under a name of MindSpore's
    is_type = isinstance(thing, ms.Type) or (inspect.isclass(thing) and issubclass(thing, enum.Enum))
    return callable(thing) and not (python or is_type or inspect.ismodule(thing))


OPERATORS = [
    *[
        f"__{name}__"
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
    ],
    *[f"__{name}__" for name in ("radd", "rsub", "rpow", "lt", "le", "gt", "ge", "getitem", "setitem", "iadd", "isub")],
]
# Errors that name another thing: (pattern of the target, pattern of the error, reason).
_SECOND, _NETWORK = "a class or function under a second name", "what the network says to its inputs"
GAPS = [
    (r"mint\.nn\.\w+$|ops\.TensorAdd$|nn\.thor$", r"For '(\w+Ext|H\w+|SoftShrink|Add|Thor)'", _SECOND),
    (r"ops\.make_\w+$", "For '(COO|CSR|Row)Tensor'", _SECOND),
    (r"ops\.(einsum_ext|_primexpr|prim_arg_register)$", "For '(einsum|constexpr|prim_attr_register)'", _SECOND),
    (r"Tensor\.(to_coo|to_csr|numpy)$", r"dense_to_sparse_|asnumpy\(\)", _SECOND),
    (r"nn\.get_activation$", "the name of an activation", "its argument is the name for errors"),
    (r"ops\.(reduce_\w+|tensor_div|partial|TensorDump|_ones_like_for_grad)$", "For '|__call__", "an object of a class"),
    (r"(mint\.)?nn\.\w+$", r"^TypeError: \w+\(\) (got|takes|missing)", "a layer whose construct is the operation"),
    (r"ms\.(tensor|Parameter)$|Parameter\.", "For '(Tensor|initializer)'", "what they make first, with the same words"),
    (r"amp\.", "For 'Tensor'", "it keeps a tensor"),
    (r"dataset\.\w+Dataset$", "For 'SubsetSampler', 'indices'", "the sampler that a tuple of numbers stands for"),
    (r"Tensor\.assign_value", r"For 'Tensor\.data'|Tensor\.assign_value\(\)", "the attribute that it sets"),
    (r"", r"For '(bool|float|int)\(Tensor\)'", "a tensor as a flag or number: Python asks the tensor for it"),
    (r"", "Can't instantiate abstract class", "Python's own words name the class"),
    (r"Cell\.construct$|nn\.Cell$", "the method 'construct' is not defined", "named by the class of the cell"),
    (r"Cell\.|Model\.|ms\.recompute$", r"For '\w+'|\w+\.construct\(\)", _NETWORK),
    (r"nn\.(PipelineCell|Jvp|Vjp|\w*Micro\w*|\w*Step\w*|With\w+)$", r"For '(Dense|ReLU)'|\w+\.construct\(\)", _NETWORK),
    (r"nn\.(\w*lr|\w*_lr)$", "took too long", "a list of as many rates as were asked for"),
    (r"ms\.get_py_obj_dtype$", "For 'pytype_to_dtype'", _SECOND),
    (r"ops\.\w+Summary$", "For '", "a primitive that was given a name of its own"),
    (r"common\.initializer\.", "only one element tensors", "initializers are below what names errors"),
    (r"GeneratorDataset\.", "For 'GeneratorDataset'", "methods of datasets name the dataset"),
    (r"dataset\.vision\.Random", r"For '\w+'", "the transform that it applies with a probability"),
]
OWNERS: dict[str, Callable[[], Any]] = {
    "Parameter": RIGHT["parameter"],
    "Cell": RIGHT["net"],
    "Model": lambda: ms.train.Model(ms.nn.Dense(3, 3)),
    "GeneratorDataset": lambda: ms.dataset.GeneratorDataset([[1.0], [2.0]], ["a"]),
}


def draw(chance: random.Random, thing: Any, *, bound: bool) -> tuple[list[str], dict[str, str]]:
    """Return the names of positional and keyword arguments: mostly suitable ones, at least one that is not."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())[bound:]
    except (ValueError, TypeError):
        parameters = []
    args, kwargs = [], {}
    for p in parameters:
        if p.kind is p.VAR_KEYWORD or (p.default is not p.empty and chance.random() < 0.6):
            if p.kind is p.POSITIONAL_OR_KEYWORD:
                break
            continue
        for _ in range(chance.choice([0, 1, 2]) if p.kind is p.VAR_POSITIONAL else 1):
            value = _suitable(chance, p)
            if p.kind is p.KEYWORD_ONLY:
                kwargs[p.name] = value
            else:
                args.append(value)
    named = [p.name for p in parameters[len(args) :] if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for name in named:
        if chance.random() < 0.15:
            kwargs[name] = chance.choice(list(WRONG))
    how = chance.random()
    if how < 0.04:
        kwargs["banana"] = "one"
    elif how < 0.08:
        args.append("one")
    elif how < 0.11 and args:
        args.pop()
    for place in chance.sample(range(len(args)), min(len(args), chance.choice([1, 1, 2]))):
        args[place] = chance.choice(list(WRONG))
    return args, kwargs


def _suitable(chance: random.Random, parameter: inspect.Parameter) -> str:
    words = re.findall(r"\w+", str(parameter.annotation))
    choices = [value for word in words for value in SUITABLE.get(word, ())]
    return chance.choice(choices or SUITABLE["Any"])


def calls(seed: int, count: int) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Yield that many calls: target, positional and keyword arguments by name."""
    chance = random.Random(seed)
    found = targets()
    names = []
    while count > 0:
        names = names or chance.sample(sorted(found), len(found))
        name = names.pop()
        bound = name.split(".")[0] in OWNERS or name.startswith("Tensor.")
        args, kwargs = draw(chance, found[name], bound=bound)
        yield name, args, kwargs
        count -= 1


def attempt(name: str, args: list[str], kwargs: dict[str, str], chance: random.Random) -> str:
    """Make a call, and call what it made; return "" or what is wrong with the error."""
    thing = targets_once()[name]
    owner = name.split(".")[0]
    given = [VALUES[value]() for value in args]
    named = {key: VALUES[value]() for key, value in kwargs.items()}
    if owner == "Tensor":
        given.insert(0, RIGHT[chance.choice(SUITABLE["Tensor"])]())
    elif owner in OWNERS:
        given.insert(0, OWNERS[owner]())
    names = _names(name, thing)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = thing(*given, **named)
            if inspect.isclass(thing) and callable(made):
                call = getattr(made, "construct", None) if isinstance(made, ms.nn.Cell) else made.__call__
                inputs, more = draw(chance, call, bound=False)
                made(*[VALUES[value]() for value in inputs], **{key: VALUES[value]() for key, value in more.items()})
    except Exception as error:
        return judge(error, thing, names)
    return ""


targets_once = functools.cache(targets)


def _names(name: str, thing: Any) -> set[str]:
    """Return the names by which an error may call what was called: for operators also their operations' names."""
    last = name.split(".")[-1]
    names = {last, name, name.partition(".")[2]}
    return names | {thing.__name__} if last.startswith("__") else names


def judge(error: Exception, thing: Any, names: set[str]) -> str:
    """Return what is wrong with an error, "" for one that names what was called."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    kind = type(error).__name__
    if _TORCHS_TYPES.search(text):
        return f"{kind} with torch's names of data types: {text}"
    subject = re.match(r"For '(\w+)(?:[.(][^']*)?'|For '([^']*)'", text)
    if kind not in REFUSED_KINDS and subject:
        if (subject[1] or "") in names or text[5:].split("'")[0] in names:
            return ""
        if text[5:].split("'")[0].split(".")[-1] in names:
            return ""
    if isinstance(error, TypeError):  # Python's own words for too few or too many arguments
        bound = re.match(r"([\w.<>]+)\(\) (missing|takes|got)", text)
        owners = {kind.__name__ for kind in getattr(thing, "__mro__", ())}
        called = {word.lower() for word in bound[1].split(".")} if bound else set()
        if called & {word.lower() for word in names | owners}:
            return ""
    return f"{kind}: {text}"


_TORCHS_TYPES = re.compile(r"\btorch\.(u?int\d|b?float\d|bool|\w+Tensor)|\bc10::|scalar type [A-Z][a-z]+\b(?<!Bool)")
REFUSED_KINDS = {
    "AttributeError", "ZeroDivisionError", "OverflowError", "RecursionError", "SystemError", "UnboundLocalError",
    "AssertionError", "StopIteration", "NameError",
}  # fmt: skip


def _child(seed: int, count: int, first: int) -> None:
    """Try the calls from `first` on; write a line before and after each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(tempfile.mkdtemp(dir=os.environ.get("WRONG_CALLS_DIR")))
    out = os.fdopen(os.dup(1), "w", buffering=1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    for number, (name, args, kwargs) in enumerate(calls(seed, count)):
        if number < first:
            continue
        out.write(json.dumps([number, name, args, kwargs]) + "\n")
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        found = attempt(name, args, kwargs, random.Random(seed * 1_000_003 + number))
        signal.setitimer(signal.ITIMER_REAL, 0)
        out.write(json.dumps(found) + "\n")
    out.write("done\n")


def run(seed: int, count: int) -> list[tuple[str, list[str], dict[str, str], str]]:
    """Return the calls whose errors are wrong: target, arguments, and what came."""
    found, first = [], 0
    with tempfile.TemporaryDirectory() as folder:
        while first < count:
            done = subprocess.run(
                [sys.executable, __file__, "child", str(seed), str(count), str(first)],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "WRONG_CALLS_DIR": folder, "OMP_NUM_THREADS": "1"},
                check=False,
            )
            lines = done.stdout.splitlines()
            pairs = list(zip(lines[::2], lines[1::2]))
            for before, after in pairs:
                number, name, args, kwargs = json.loads(before)
                if after != '""':
                    found.append((name, args, kwargs, json.loads(after)))
                first = number + 1
            if lines and lines[-1] == "done":
                break
            if len(lines) % 2 == 0:
                raise RuntimeError(f"the child ended with {done.returncode} outside a call")
            number, name, args, kwargs = json.loads(lines[-1])
            ended = "took too long" if done.returncode == -signal.SIGALRM else f"ended the process ({done.returncode})"
            found.append((name, args, kwargs, ended))
            first = number + 1
    return found


def is_known(name: str, found: str) -> bool:
    """Return whether a wrong error is one of `GAPS`."""
    return any(re.match(target, name) and re.search(words, found) for target, words, _ in GAPS)


if __name__ == "__main__":
    if sys.argv[1] == "child":
        _child(*map(int, sys.argv[2:5]))
    else:
        for row in run(int(sys.argv[1]), int(sys.argv[2])):
            print(json.dumps([*row, is_known(row[0], row[3])]))
