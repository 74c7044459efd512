"""Cells: names, members, attributes of every kind over every kind, modes, mixed precision, copies, printed forms."""

from __future__ import annotations

import ast
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore import Parameter, ParameterTuple, Tensor, nn, ops

X = Tensor([1.0, 2.0])

# Where ours differs on purpose: program -> (reason, ours).
_TUPLE = "MindSpore leaves the old member in its registry, under a name that then means the tuple"
_BUFFER = "MindSpore refuses the very type that its message asks for"
DIFFERENCES = {
    "over('parameter', 'tuple')": (_TUPLE, "('ok', 'ParameterTuple', [], ['v1', 'v2'], None)"),
    "over('cell', 'tuple')": (_TUPLE, "('ok', 'ParameterTuple', [], ['v1', 'v2'], None)"),
    "over('buffer', 'tuple')": (_TUPLE, "('ok', 'ParameterTuple', [], ['v1', 'v2'], None)"),
    "over('buffer', 'tensor')": (_BUFFER, "('ok', 'Tensor', ['_buffers'], [], [7.0])"),
    "over('buffer', 'larger tensor')": (_BUFFER, "('ok', 'Tensor', ['_buffers'], [], [7.0, 8.0])"),
    "over('buffer', 'half')": (_BUFFER, "('ok', 'Tensor', ['_buffers'], [], [7.0])"),
    "over('buffer', 'lazy')": (_BUFFER, "('ok', 'Tensor', ['_buffers'], [], [1.0])"),
}

# Members of MindSpore's Cell that are not here, with the reason.
_GRAPH = "belongs to its graph compiler"
_INSIDE = "serves its own implementation"
ABSENT = {
    **dict.fromkeys(
        [
            *["compile_cache", "compile_phase", "compiled", "phase_cache", "get_func_graph_proto"],
            "bprop_debug",
        ],
        _GRAPH,
    ),
    **dict.fromkeys(
        [
            *["IGNORE_LIST", "T_destination", "cell_init_args", "create_time", "enable_backward_hook", "exist_names"],
            *["exist_objs", "global_cells", "run_construct"],
            *["parallel_parameter_merge_net_dict", "parallel_parameter_name_list", "parameter_layout_dict"],
            *["remove_redundant_parameters", "set_mixed_precision_type", "total_instance_count"],
        ],
        _INSIDE,
    ),
}


class Affine(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.w = Parameter(Tensor([2.0, 3.0]))
        self.b = Parameter(Tensor([0.5, 0.5]))
        self.t = Tensor([1.0, 1.0])

    def construct(self, x):
        self.seen = (x.dtype, self.w.dtype, self.t.dtype)
        return x * self.w * self.t + self.b


class Pair(nn.Cell):
    def __init__(self, **options):
        super().__init__(**options)
        self.first = Affine()
        self.second = Affine()

    def construct(self, x):
        return self.second(self.first(x))


class Counter(nn.Cell):
    """A cell that writes its parameters when it runs."""

    def __init__(self):
        super().__init__()
        self.calls = Parameter(Tensor([0.0]), requires_grad=False)
        self.last = Parameter(Tensor([0.0]), requires_grad=False)

    def construct(self, x):
        ops.assign(self.calls, self.calls + 1)
        self.last[0] = 7
        return x * self.calls


def consistent(cell):
    """Return whether registries and attributes agree."""
    kinds = {"_params": Parameter, "_cells": nn.Cell, "_buffers": Tensor}
    members = [(kind, name, value) for kind in kinds for name, value in getattr(cell, kind).items()]
    names = [name for _, name, _ in members]
    strays = [
        name
        for name, value in cell.__dict__.items()
        if isinstance(value, (Parameter, nn.Cell)) and name not in names and not name.startswith("_")
    ]
    return (
        len(names) == len(set(names))
        and all(cell.__dict__[name] is value for _, name, value in members)
        and all(value is None or isinstance(value, kinds[kind]) for kind, _, value in members)
        and not strays
    )


@pytest.mark.parametrize(("program", "expected"), recorded("cell"))
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == DIFFERENCES.get(program, ("", expected))[1]


def test_members_of_mindspores_cell():
    theirs = set(ast.literal_eval(dict(recorded("members"))["members(nn.Cell)"]))
    assert {name for name in theirs if not hasattr(nn.Cell, name)} == set(ABSENT)


def test_differences_are_differences():
    theirs = dict(recorded("cell"))
    assert all(theirs[program] != ours for program, (_, ours) in DIFFERENCES.items())


KINDS = {
    "parameter": lambda: Parameter(Tensor([1.0]), name="v"),
    "cell": Affine,
    "tensor": lambda: Tensor([7.0]),
    "number": lambda: 3,
    "none": lambda: None,
    "tuple": lambda: ParameterTuple([Parameter(1.0, name="v")]),
    "buffer": None,
}


class TestAttributes:
    @pytest.mark.parametrize("old", KINDS)
    @pytest.mark.parametrize("new", KINDS)
    def test_registries_and_attributes_agree(self, old, new):
        cell = nn.Cell()
        for kind in (old, new):
            try:
                if kind == "buffer":
                    cell.register_buffer("a", Tensor([5.0]))
                else:
                    cell.a = KINDS[kind]()
            except (KeyError, TypeError):
                pass
            assert consistent(cell)
        del cell.a
        assert consistent(cell)
        assert not hasattr(cell, "a")
        cell.a = 3
        assert cell.a == 3

    @pytest.mark.parametrize(
        ("old", "value", "error", "words"),
        [
            ("parameter", 3, TypeError, r"'a' is a parameter: assign a Parameter, a Tensor \(its new value\) or None"),
            ("parameter", Affine(), KeyError, "'a' exists already and is of another kind. Delete it first"),
            ("cell", 3, TypeError, r"'a' is a cell: assign a Cell or None, but got 3 \(int\)"),
            ("cell", Parameter(1.0), KeyError, "'a' exists already and is of another kind"),
            ("buffer", 3, TypeError, "'a' is a buffer: assign a Tensor or None"),
            ("buffer", Parameter(1.0), KeyError, "'a' exists already"),
        ],
    )
    def test_errors_say_what_is_wrong(self, old, value, error, words):
        cell = Pair()
        if old == "buffer":
            cell.register_buffer("a", X)
        else:
            cell.a = KINDS[old]()
        before = cell.a
        with pytest.raises(error, match=f"For 'Pair', the attribute {words}"):
            cell.a = value
        assert cell.a is before
        assert consistent(cell)

    def test_a_tuple_that_does_not_fit_changes_nothing(self):
        cell = Affine()
        cell.n = 3
        fresh = Parameter(1.0)
        with pytest.raises(KeyError, match="'n' exists already"):
            cell.s = ParameterTuple([fresh, Parameter(1.0, name="n")])
        assert consistent(cell)
        assert not hasattr(cell, "s")
        assert list(cell._params) == ["w", "b"]
        assert fresh.has_default_name

    def test_a_new_value_keeps_the_parameter(self):
        cell = Affine()
        w = cell.w
        cell.w = Tensor([5, 6])
        assert cell.w is w
        assert (w.tolist(), w.dtype) == ([5, 6], ms.float32)

    def test_what_class_members_are_called(self):
        class Named(nn.Cell):
            @property
            def broken(self):
                return self.missing

        cell = Named()
        for name in ("construct", "broken", "requires_grad", "cls_name"):
            for value in (Parameter(1.0), Affine(), ParameterTuple([Parameter(1.0, name=name)])):
                with pytest.raises(KeyError, match=f"'{name}' exists already"):
                    setattr(cell, "s" if isinstance(value, tuple) else name, value)
            assert consistent(cell)
        with pytest.raises(AttributeError, match="'Named' object has no attribute 'missing'"):
            cell.broken  # noqa: B018

    def test_read_and_deleted_in_vain(self):
        with pytest.raises(AttributeError, match="The 'Affine' object has no attribute 'foo'"):
            Affine().foo  # noqa: B018
        with pytest.raises(AttributeError):
            del Affine().foo
        assert getattr(Affine(), "foo", 3) == 3

    def test_registries_take_new_members(self):
        cell = Pair()
        cell._cells["first"] = third = Affine()
        cell._params["p"] = Parameter(1.0, name="p")
        assert cell.first is third
        assert consistent(cell)
        cell._cells.pop("second")
        cell._params.update(q=Parameter(2.0, name="q"))
        del cell._params["p"]
        assert cell._params.pop("p", 5) == 5
        with pytest.raises(KeyError):
            cell._params.pop("p")
        assert consistent(cell)
        assert (hasattr(cell, "second"), hasattr(cell, "p"), float(cell.q)) == (False, False, 2.0)
        assert copy.deepcopy(cell._cells).keys() == {"first"}
        cell._cells.clear()
        assert consistent(cell)
        assert not hasattr(cell, "first")

    def test_cells_go_when_nobody_holds_them(self):
        gc.collect()
        gc.disable()
        try:
            cell = Pair()
            seen = weakref.ref(cell)
            del cell
            assert seen() is None
        finally:
            gc.enable()

    def test_results_kept_in_a_gradient_are_cut_from_its_graph(self):
        class Keeps(nn.Cell):
            def construct(self, x):
                self.kept = x * x
                return self.kept

        cell = Keeps()
        assert ms.grad(cell)(X).tolist() == [2, 4]
        assert not cell.kept.torch.requires_grad


class TestSetUp:
    def make(self, *, early=None, calls_super=True):
        class Late(nn.Cell):
            def __init__(self):
                if early is not None:
                    self.early = early
                if calls_super:
                    super().__init__()

            def construct(self, x):
                return x

        return Late()

    def test_plain_attributes_may_come_early(self):
        assert self.make(early=[1]).early == [1]
        assert self.make(early=X).early is X

    @pytest.mark.parametrize("early", [Parameter(1.0), nn.Cell(), ParameterTuple([])])
    def test_members_may_not(self, early):
        with pytest.raises(AttributeError, match=r"'early' was assigned before the cell was set up\. Call super"):
            self.make(early=early)

    def test_forgotten(self):
        cell = self.make(calls_super=False, early=3)
        assert cell.early == 3
        for use in (lambda: cell(X), lambda: cell.get_flags(), lambda: list(cell.get_parameters()), lambda: cell.foo):
            with pytest.raises(AttributeError, match=r"Call super\(\).__init__\(\) first"):
                use()

    def test_construct_forgotten(self):
        with pytest.raises(AttributeError, match="For 'Nothing', the method 'construct' is not defined"):
            type("Nothing", (nn.Cell,), {})()(X)


class TestMembers:
    def test_each_once_in_order(self):
        outer = nn.Cell()
        outer.a = Pair()
        outer.b = outer.a.first
        outer.me = outer.a
        assert [path for path, _ in outer.cells_and_names()] == ["", "a", "a.first", "a.second"]
        paths = ["a.first.w", "a.first.b", "a.second.w", "a.second.b"]
        assert [path for path, _ in outer.parameters_and_names()] == paths
        assert list(outer.name_cells()) == ["a", "b"]

    @pytest.mark.parametrize(
        ("use", "error", "words"),
        [
            (lambda c: c.insert_child_to_cell(3, c), TypeError, "For 'insert_child_to_cell', 'child_name' must be a"),
            (lambda c: c.insert_child_to_cell("a.b", c), KeyError, "must be a name without dots, but got 'a.b'"),
            (lambda c: c.insert_child_to_cell("", c), KeyError, "'child_name' must be a name without dots, but got ''"),
            (lambda c: c.insert_child_to_cell("a", 3), TypeError, "'child_cell' must be a Cell or None, but got 3"),
            (lambda c: c.insert_child_to_cell("t", c), KeyError, "'t' exists already"),
            (lambda c: c.insert_param_to_cell(3, None), TypeError, "'param_name' must be a string, but got 3"),
            (lambda c: c.insert_param_to_cell("a.b", None), KeyError, "'param_name' must be a name without dots"),
            (lambda c: c.insert_param_to_cell("", None, False), KeyError, "'param_name' must be a name"),
            (lambda c: c.insert_param_to_cell("a", 3), TypeError, "'param' must be a Parameter or None, but got 3"),
            (lambda c: c.insert_param_to_cell("t", Parameter(1.0)), KeyError, "'t' exists already"),
            (lambda c: c.update_parameters_name(3), TypeError, "'prefix' must be a string"),
            (lambda c: c.update_parameters_name("x y"), ValueError, "'prefix' must be of letters, .* but got 'x y'"),
            (lambda c: c.get_sub_cell("w"), AttributeError, "'w' is not a Cell, but Tensor"),
            (lambda c: c.get_sub_cell("x.y"), AttributeError, "has no attribute 'x'"),
            (lambda c: c.apply(3), TypeError, "'fn' must be a function, but got 3"),
            (lambda c: c.set_comm_fusion(-1), ValueError, "'comm_fusion' must be >= 0"),
            (lambda c: c.to_float(ms.int8), ValueError, "must be float16, bfloat16 or float32, but got Int8"),
            (lambda c: c.to_float("half"), ValueError, r"but got 'half' \(str\)"),
            (lambda c: c.recompute(context_fn=len), NotImplementedError, "'context_fn' is not supported"),
        ],
    )
    def test_errors_say_what_is_wrong(self, use, error, words):
        cell = Affine()
        with pytest.raises(error, match=words):
            use(cell)
        assert consistent(cell)
        assert [p.name for p in cell.get_parameters()] == ["w", "b"]

    def test_names_that_meet(self):
        cell = nn.Cell(auto_prefix=False)
        cell.a, cell.b = Affine(), Affine()
        with pytest.raises(ValueError, match=r"the parameters 'a\.w' and 'b\.w' have the same name 'w'"):
            cell.check_names()
        with pytest.raises(ValueError, match=r"the parameters 'a\.w' and 'b\.w'"):
            cell.check_names_and_refresh_name()

    def test_names_that_are_missing(self):
        cell = Affine()
        cell.w.name = None
        cell.check_names_and_refresh_name()
        assert cell.w.name == "w"

    def test_strategies_do_nothing_in_a_single_process(self):
        assert Affine().shard(((1, 1),)) is None

    @pytest.mark.parametrize("stage", ["pipeline_stage", "pipeline_segment"])
    def test_stages_of_pipelines_are_kept(self, stage):
        cell = Affine()
        assert not hasattr(cell, stage)
        setattr(cell, stage, 1)
        assert getattr(cell, stage) == 1
        for wrong, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError)):
            with pytest.raises(error, match=f"For 'Cell', '{stage}' must be"):
                setattr(cell, stage, wrong)
        assert [p.name for p in cell.get_parameters()] == [p.name for p in Affine().get_parameters()]

    def test_broadcast(self):
        cell = Pair()
        cell.first.w.layerwise_parallel = True
        assert list(cell.parameters_broadcast_dict()) == ["first.b", "second.w", "second.b"]


class TestModes:
    def test_training_is_set_on_all(self):
        cell = Pair()
        assert not cell.training
        cell.set_train()
        cell.third = Affine()
        assert (cell.first.training, cell.third.training) == (True, False)

    def test_set_grad_keeps_the_pass(self):
        cell = Affine().set_grad()
        cell(X)
        assert cell._record is not None
        assert copy.deepcopy(cell)._record is None
        cell.requires_grad = False
        assert cell._record is None
        assert not cell.requires_grad

    def test_flags(self):
        cell = Pair().add_flags_recursive(mark=1)
        assert [c.mark for _, c in cell.cells_and_names()] == [1, 1, 1]

    def test_apply_visits_children_first(self):
        log = []
        Pair().apply(lambda cell: log.append(type(cell).__name__))
        assert log == ["Affine", "Affine", "Pair"]

    def test_cast_inputs(self):
        a, number, (b,), named = Affine().cast_inputs((X, 3, [Tensor([1])], {"k": X}), ms.float16)
        assert [t.dtype for t in (a, b, named["k"])] == [ms.float16, ms.int64, ms.float16]
        assert number == 3


class TestMixedPrecision:
    @pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
    def test_everything_is_cast_and_nothing_stays_so(self, dtype):
        cell = Affine().to_float(dtype)
        result = cell(X)
        assert (cell.seen, result.dtype) == ((dtype, ms.float32, dtype), dtype)  # a parameter names its own type
        assert result.astype(ms.float32).tolist() == [2.5, 6.5]
        assert (cell.w.dtype, cell.t.dtype) == (ms.float32, ms.float32)

    def test_inputs_of_every_form(self):
        class Show(nn.Cell):
            def construct(self, *args, **kwargs):
                return args, kwargs

        cell = Show().to_float(ms.float16)
        (a, (b, n), c), named = cell(X, (X, 3), Tensor([1]), k=[X], d=Tensor([1.0], ms.float64))
        assert {t.dtype for t in (a, b, named["k"][0], named["d"])} == {ms.float16}
        assert (c.dtype, n) == (ms.int64, 3)

    def test_nested_override(self):
        cell = Pair().to_float(ms.float16)
        cell.second.to_float(ms.float32)
        assert cell(X).dtype is ms.float32
        assert (cell.first.seen[0], cell.second.seen[0]) == (ms.float16, ms.float32)
        cell.to_float(ms.bfloat16)
        assert cell(X).dtype is ms.bfloat16

    def test_gradients_are_float32(self):
        cell = Pair().to_float(ms.float16)
        of_x, of_weights = ms.grad(cell, 0, cell.trainable_params())(X)
        assert {g.dtype for g in (of_x, *of_weights)} == {ms.float32}
        assert of_x.tolist() == [4, 9]
        assert all(not p.torch.requires_grad for p in cell.get_parameters())

    def test_parameters_are_back_after_an_error(self):
        class Fails(Affine):
            def construct(self, x):
                super().construct(x)
                raise RuntimeError("no")

        cell = Fails().to_float(ms.float16)
        for run in (cell, ms.grad(cell)):
            with pytest.raises(RuntimeError, match="no"):
                run(X)
            assert (cell.w.dtype, cell.t.dtype) == (ms.float32, ms.float32)
            assert cell.w._t is cell.w._storage

    def test_what_a_cell_writes_is_kept(self):
        cell = Counter().to_float(ms.float16)
        assert [float(cell(Tensor([1.0]))), float(cell(Tensor([1.0])))] == [1, 2]
        assert ms.grad(cell)(Tensor([1.0])).tolist() == [3]
        assert (cell.calls.tolist(), cell.last.tolist()) == ([3], [7])
        assert (cell.calls.dtype, cell.last.dtype) == (ms.float32, ms.float32)

    def test_of_a_cell_seen_from_outside(self):
        cell = Counter().to_float(ms.float16)

        def f(x):
            y = cell(x)
            assert cell.calls.dtype is ms.float32
            return y * cell.calls

        assert ms.grad(f)(Tensor([1.0])).tolist() == [1]
        assert cell.calls.tolist() == [1]


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
    def test_deep(self, duplicate):
        cell = Pair().set_train()
        cell.register_buffer("q", X)
        cell.first.w.requires_grad = False
        again = duplicate(cell)
        assert all(consistent(c) for _, c in again.cells_and_names())
        assert [p.name for p in again.get_parameters()] == [p.name for p in cell.get_parameters()]
        assert not {id(p) for p in again.get_parameters()} & {id(p) for p in cell.get_parameters()}
        assert (again.training, again.first.w.requires_grad, again.q.tolist()) == (True, False, [1, 2])
        again.first.w.set_data(Tensor([0.0, 0.0]))
        assert (again(X).tolist(), cell(X).tolist()) == ([1.5, 2.0], [5.5, 20.0])

    def test_shallow(self):
        cell = Pair()
        again = copy.copy(cell)
        again.first = other = Affine()
        assert (again.first is other, cell.first is other) == (True, False)
        assert consistent(again)
        assert consistent(cell)

    def test_shared_members_stay_shared(self):
        cell = nn.Cell()
        cell.a, cell.l = Affine(), [Affine()]
        cell.b = cell.a
        cell.s = ParameterTuple([cell.a.w])
        again = copy.deepcopy(cell)
        assert again.a is again.b
        assert again.s[0] is again.a.w
        assert again.l[0] is not cell.l[0]

    def test_hooks_see_the_copy(self):
        cell = Affine()
        seen = []
        cell.register_forward_hook(lambda c, inputs, output: seen.append(c))
        again = copy.deepcopy(cell)
        again(X)
        assert seen == [again]

    def test_a_cell_that_was_not_set_up(self):
        class Late(nn.Cell):
            def __init__(self):
                pass

        assert isinstance(copy.deepcopy(Late()), Late)


class TestPrinting:
    def test_forms(self):
        class Empty(nn.Cell):
            def extend_repr(self):
                return "k=1"

        cell = Pair()
        cell.third = Empty()
        cell.insert_child_to_cell("fourth", None)
        inside = ["(first): Affine()", "(second): Affine()", "(third): Empty(k=1)", "(fourth): None"]
        assert repr(cell) == "Pair(\n  " + "\n  ".join(inside) + "\n)"
        assert str(type(cell)).endswith(".Pair'>")
        assert str(nn.Cell) == "<class 'torchspore.nn.cell.Cell'>"
        outer = nn.Cell()
        outer.inside = cell
        assert "\n    (third): Empty(k=1)\n" in repr(outer)


def test_calls_with_every_kind_of_argument():
    class Echo(nn.Cell):
        def construct(self, a, b=2, *rest, c=3, **more):
            return a, b, rest, c, more

    assert Echo()(1, 2, 3, c=4, d=5) == (1, 2, (3,), 4, {"d": 5})
    assert Echo()(a=np.ones(1))[1:] == (2, (), 3, {})
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        Echo()()


def test_printing_of_several_lines():
    class Lines(nn.Cell):
        def extend_repr(self):
            return "a=[[1]\n [2]]"

    assert repr(Lines()) == "Lines(\n  a=[[1]\n   [2]]\n)"
    assert repr(nn.SequentialCell(Lines())) == "SequentialCell(\n  (0): Lines(\n    a=[[1]\n     [2]]\n  )\n)"
