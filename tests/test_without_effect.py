"""No argument is ignored in silence: what has no effect is checked, and listed in docs/without_effect.md."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pathlib
import re

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, context, mint, nn, ops, parallel_context
from torchspore import numpy as mnp
from torchspore.mint import distributed
from torchspore.ops import auto_generate
from torchspore.scipy import linalg

ROOT = pathlib.Path(ms.__file__).parent
PAGE = pathlib.Path(__file__).parent.parent / "docs" / "without_effect.md"
CHECKS = {
    "check_bool", "check_callable", "check_float", "check_int", "check_kind", "check_number", "check_recompute_options",
}  # fmt: skip

# Not arguments of users: what a protocol passes by position, and the parameters of functions that only check.
PROTOCOL = {
    ("__exit__", "kind"), ("__exit__", "error"), ("__exit__", "trace"), ("begin", "run_context"),
    ("error_of", "value"),
    *[(f"on_{when}", "run_context") for when in (
        "train_begin", "train_end", "train_step_begin", "train_step_end", "train_epoch_begin",
        "eval_step_begin", "eval_step_end", "eval_epoch_begin",
    )],
}  # fmt: skip


# Packages whose methods nobody calls with users' arguments: the methods of `code` visit syntax trees, each in one way.
INTERNAL = ("migrate/code/",)


def listed():
    """Yield (name, arguments) of each line of the page's tables."""
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `"):
            assert len(cells) == 3, line
            for name in re.findall(r"`([^`]+)`", cells[0]):
                yield name, re.findall(r"`([^`]+)`", cells[1])


LISTED = {(name.split(".")[-1].strip("_").lower(), argument) for name, arguments in listed() for argument in arguments}


class Reads(ast.NodeVisitor):
    """The names that a function reads, but for statements that only check one."""

    def __init__(self):
        self.names = set()

    def visit_Expr(self, node):
        called = getattr(getattr(node.value, "func", None), "id", None)
        if called not in CHECKS:
            self.generic_visit(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.names.add(node.id)


def functions(tree, classes=()):
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions(node, (*classes, node.name))
        elif isinstance(node, ast.FunctionDef):
            yield classes, node


def is_public(classes, function):
    operation = any("op" in (getattr(d, "id", ""), getattr(getattr(d, "func", None), "id", ""))
                    for d in function.decorator_list)  # fmt: skip
    names = [*classes, function.name]
    return operation or not any(n.startswith("_") and n not in ("__init__", "__call__", "__exit__") for n in names)


def related(tree):
    """Return the names that rules of a module read, by the names of the rules."""
    return {
        statement.targets[0].id: {
            a.arg for node in ast.walk(statement) if isinstance(node, ast.Lambda) for a in node.args.args
        }
        for statement in tree.body
        if isinstance(statement, ast.Assign) and getattr(getattr(statement.value, "func", None), "id", "") == "Rule"
    }


def refusing(tree):
    """Return the names of a module's declarations that refuse other values than those that are supported."""
    return {
        name.id
        for statement in tree.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for name in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(name, ast.Name) and re.search(r"\bOnly\(|NotImplementedError\)", ast.unparse(statement.value))
    } | {"Only", "NotSupported"}


def takes_one_value(parameter, refusals):
    """Return whether a parameter is declared to be one word or what is supported, so that there is nothing to read."""
    annotation = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
    if refusals & set(re.findall(r"\w+", annotation)):
        return True
    return re.match(r"(Annotated\[)?Literal\[('[^']+'|\d+|True|False)\]", annotation) is not None


def sizes(function):
    """Return the words of the shapes that a function's annotations declare: parameters are among them."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    nodes = [node for parameter in given if parameter.annotation for node in ast.walk(parameter.annotation)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def refuses(function):
    return all(isinstance(s, (ast.Raise, ast.Pass)) or isinstance(getattr(s, "value", None), ast.Constant)
               for s in function.body) or "_refuse(" in ast.unparse(function)  # fmt: skip


@functools.cache
def trees():
    """Return the syntax tree of each file."""
    return {path: ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


@functools.cache
def constructors():
    """Return the constructors, by the names of their classes."""
    return {
        classes[-1]: node
        for path, tree in trees().items()
        for classes, node in functions(tree)
        if classes and node.name == "__init__" and "dataset" in path.parts
    }


@functools.cache
def bases():
    """Return the names of the base classes of classes, by their names."""
    dataset = [tree for path, tree in trees().items() if "dataset" in path.parts]
    nodes = [node for tree in dataset for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name: [base.id for base in node.bases if isinstance(base, ast.Name)] for node in nodes}


def passed_on(function):
    """Return the names of the arguments that `extends` passes to the constructor of a base class, which reads them."""
    names = set()
    for decorator in function.decorator_list:
        if getattr(getattr(decorator, "func", None), "id", "") == "extends":
            waiting = [decorator.args[0].id]
            while waiting[0] not in constructors():
                waiting = [*bases()[waiting[0]], *waiting[1:]]
            base, reads = constructors()[waiting[0]], Reads()
            for statement in base.body:
                reads.visit(statement)
            names |= (reads.names | passed_on(base)) & {each.arg for each in base.args.args}
    return names


@functools.cache
def unread():
    """Return (file, name, parameter) of each parameter of a public function that its body does not read."""
    return [*_unread()]


def _unread():
    for path, tree in trees().items():
        if path.relative_to(ROOT).as_posix().startswith(INTERNAL):
            continue
        rules, refusals = related(tree), refusing(tree)
        for classes, function in functions(tree):
            if not is_public(classes, function) or refuses(function):
                continue
            reads, given = Reads(), function.args
            reads.names |= passed_on(function) | sizes(function)
            for node in [node for decorator in function.decorator_list for node in ast.walk(decorator)]:
                reads.names |= rules.get(getattr(node, "id", ""), set())
            for statement in function.body:
                reads.visit(statement)
            if "locals" in reads.names:
                continue
            name = classes[-1] if function.name in ("__init__", "__call__") else function.name.strip("_")
            if function.name == "__exit__":
                name = "__exit__"
            more = [p for p in (given.vararg, given.kwarg) if p]
            for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs, *more):
                if takes_one_value(parameter, refusals):
                    continue
                if parameter.arg not in reads.names | {"self", "cls"} and not parameter.arg.startswith("_"):
                    yield path.relative_to(ROOT), name, parameter.arg


@pytest.mark.slow
def test_what_is_not_read_is_listed():
    missing = [
        f"{path}: {name}({parameter})"
        for path, name, parameter in unread()
        if (name.lower(), parameter) not in LISTED | {(name.lower(), "cache")}  # of all sources, as the page says
        and (name, parameter) not in PROTOCOL
    ]
    assert not missing, f"Use these parameters, or list them in {PAGE.name}: {missing}"


def test_the_protocol_is_one():
    assert {(name, parameter) for _, name, parameter in unread()} >= PROTOCOL


def found(name):
    """Return what a name of the page means."""
    module, rest = ms, name.split(".")
    while rest:
        if not hasattr(module, rest[0]):
            module = importlib.import_module(f"{module.__name__}.{rest[0]}")
        else:
            module = getattr(module, rest[0])
        rest = rest[1:]
    return module


@pytest.mark.parametrize(("name", "arguments"), [(n, a) for n, a in listed() if not n.startswith("Dataset.")])
def test_what_is_listed_exists(name, arguments):
    thing = found(name)
    known = set(inspect.signature(thing).parameters)
    if inspect.isclass(thing) and inspect.isfunction(vars(thing).get("__call__")):
        known |= set(inspect.signature(vars(thing)["__call__"]).parameters)
    unknown = [argument for argument in arguments if argument not in known]
    assert not unknown or known & {"kwargs", "options", "args"}, f"{name} has no {unknown}"


def test_what_docstrings_call_without_effect_is_listed():
    missing = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            for names, text in re.findall(r"^ +([\w, ]+): (.*)$", ast.get_docstring(node) or "", re.M):
                ignored = re.search(r"(without|of no|has no|have no) effect[.:]|^accepted;", text)
                arguments = set(names.split(", ")) - {"kwargs", "num_parallel_workers"} if ignored else set()
                name = node.name.strip("_")
                missing += [f"{path}: {name}({a})" for a in arguments if (name.lower(), a) not in LISTED]
    assert not missing


# The settings that have an effect; all others are on the page.
EFFECTIVE = {
    "set_context": (context._OPTIONS, {
        "mode", "pynative_synchronize", "deterministic", "jit_level", "jit_syntax_level", "jit_config",
        "enable_compile_cache", "compile_cache_path", "check_bprop",
    }),
    "set_auto_parallel_context": (parallel_context._SETTINGS, {
        "device_num", "global_rank", "parallel_mode", "gradients_mean", "parameter_broadcast",
        "force_fp32_communication", "pipeline_stages", "enable_parallel_optimizer", "dump_local_norm",
        "dump_device_local_norm", "dataset_strategy", "all_reduce_fusion_config", "comm_fusion", "optimizer_level",
        "parallel_optimizer_threshold", "pipeline_scheduler",
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", EFFECTIVE)
def test_settings_without_effect_are_listed(name):
    table, effective = EFFECTIVE[name]
    assert set(table) - effective == {argument for api, arguments in listed() if api == name for argument in arguments}


X = Tensor([[4.0, 2.0], [2.0, 5.0]])
VECTOR, ROWS, ONE = Tensor([1.0, 1.0]), Tensor([[1.0, 1.0]]), Tensor([0], ms.int32)


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(2, 2), nn.SequentialCell(nn.Dense(2, 2))


def pipeline(**config):
    return nn.PipelineCell(Two(), 2, **config)


WRONG = [
    *[(f"recompute {option}", lambda o=option: nn.Dense(2, 2).recompute(**{o: "banana"}), TypeError) for option in (
        "output_recompute", "mp_comm_recompute", "parallel_optimizer_comm_recompute",
    )],
    ("ms.recompute use_reentrant", lambda: ms.recompute(nn.ReLU(), X, use_reentrant="banana"), TypeError),
    ("ms.recompute output_recompute", lambda: ms.recompute(nn.ReLU(), X, output_recompute=None), TypeError),
    ("ms.recompute early_stop", lambda: ms.recompute(nn.ReLU(), X, early_stop=1), TypeError),
    ("stage of no cell", lambda: pipeline(stage_config={"nonsense": 99}), KeyError),
    ("stage of the whole", lambda: pipeline(stage_config={"": 0}), KeyError),
    ("stage by number", lambda: pipeline(stage_config={1: 1}), KeyError),
    ("stage below 0", lambda: pipeline(stage_config={"a": -1}), ValueError),
    ("stage not an int", lambda: pipeline(stage_config={"a": 0.5}), TypeError),
    ("stage a bool", lambda: pipeline(stage_config={"a": True}), TypeError),
    ("stages not a dict", lambda: pipeline(stage_config=[("a", 0)]), TypeError),
    ("segment of no cell", lambda: pipeline(segment_config={"z": 1}), KeyError),
    ("segments not a dict", lambda: pipeline(segment_config=5), TypeError),
    ("eigh type 0", lambda: linalg.eigh(X, type=0), ValueError),
    ("eigh type 4", lambda: linalg.eigh(X, type=4), ValueError),
    ("eigh type", lambda: linalg.eigh(X, type="1"), TypeError),
    ("eigh turbo", lambda: linalg.eigh(X, turbo=2.0), TypeError),
    ("inv overwrite_a", lambda: linalg.inv(X, overwrite_a="yes"), TypeError),
    ("unique_dim return_inverse", lambda: auto_generate.unique_dim(X, True, "no", 0), TypeError),
    ("layer_norm_v3 axis -5", lambda: auto_generate.layer_norm_v3(X, VECTOR, VECTOR, 1, -5), ValueError),
    ("layer_norm_v3 axis 2", lambda: auto_generate.layer_norm_v3(X, VECTOR, VECTOR, 2, 1), ValueError),
    ("layer_norm_v3 shape", lambda: auto_generate.layer_norm_v3(X, VECTOR, VECTOR, 1, 0), ValueError),
    ("grouped columns", lambda: auto_generate.grouped_matmul([X], [X], group_type=2), NotImplementedError),
    ("group_type", lambda: auto_generate.grouped_matmul([X], [X], group_type=7), ValueError),
    ("split_item", lambda: auto_generate.grouped_matmul([X], [X], split_item=4), ValueError),
    ("gmm group_type", lambda: auto_generate.gmm([X], [X], group_type=2), NotImplementedError),
    ("ScatterAdd", lambda: ops.ScatterAdd(use_locking="b")(ms.Parameter(X), ONE, ROWS), TypeError),
    ("ScatterNdAdd", lambda: ops.ScatterNdAdd(use_locking=1)(ms.Parameter(X), Tensor([[0]]), ROWS), TypeError),
    ("Conv2DTranspose mode", lambda: ops.Conv2DTranspose(1, 1, mode=7)(ONE, ONE, (1, 1, 1, 1)), ValueError),
    ("DepthwiseConv2dNative mode", lambda: ops.DepthwiseConv2dNative(1, 1, mode=1)(X, X), ValueError),
    ("constexpr reuse_result", lambda: ops.constexpr(lambda: 1, reuse_result="b"), TypeError),
    ("constexpr check", lambda: ops.constexpr(lambda: 1, check=3), TypeError),
    ("constexpr get_instance", lambda: ops.constexpr(lambda: 1, get_instance=3), TypeError),
    ("jit mode", lambda: ms.jit(mode="banana"), RuntimeWarning),
    ("jit compile_once", lambda: ms.jit(compile_once="yes"), TypeError),
    ("jit exec_order", lambda: ms.jit(exec_order="banana"), ValueError),
    ("histogram_bin_edges weights", lambda: mnp.histogram_bin_edges(X, weights=[1.0]), ValueError),
    ("batch_norm_elemt eps", lambda: mint.batch_norm_elemt(X, None, None, VECTOR, VECTOR, eps="b"), TypeError),
    ("new_group", lambda: distributed.new_group([0], use_local_synchronization="b"), TypeError),
    ("new_group group_desc", lambda: distributed.new_group([0], group_desc=5), TypeError),
    ("set_comm_ops_inplace", lambda: ops.set_comm_ops_inplace(True, [5]), TypeError),
    ("NeighborExchange", lambda: ops.NeighborExchange([0], [0], ([2],), (), ms.float32), ValueError),
    ("fusion_type", lambda: nn.DistributedGradReducer([ms.Parameter(X)], fusion_type="b"), TypeError),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_wrong_values_are_refused(call, error):
    with pytest.raises(error, match="For '"):
        call()


RIGHT = {
    "recompute": lambda: nn.Dense(2, 2).recompute(output_recompute=True, early_stop=False),
    "stages": lambda: pipeline(stage_config={"a": 0, "b.0": 1}, segment_config={"b": 3}),
    "no stages": lambda: pipeline(stage_config={}),
    "jit": lambda: ms.jit(lambda x: x, mode="PSJit", hash_args=object(), compile_once=True)(X),
    "group": lambda: ops.DepthwiseConv2dNative(1, 1, group=3),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_values_are_accepted(name):
    RIGHT[name]()


def test_results_do_not_depend_on_them():
    expected = linalg.eigh(X)[0].asnumpy()
    for kind in (1, 2, 3):
        np.testing.assert_array_equal(linalg.eigh(X, type=kind)[0].asnumpy(), expected)
    for inverse in (True, False):
        found = auto_generate.unique_dim(Tensor([[1, 2], [1, 2]]), True, inverse, 0)
        assert [part.asnumpy().tolist() for part in found] == [[[1, 2]], [0, 0], [2]]
    for axis in (1, -1):
        result = auto_generate.layer_norm_v3(X, VECTOR, VECTOR, axis, axis)[0].asnumpy()
        np.testing.assert_allclose(result, [[2.0, 0.0], [0.0, 2.0]], atol=1e-5)
