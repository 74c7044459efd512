"""The state of cells: buffers, state dictionaries and their hooks, data types and devices."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
import torch

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore import Parameter, Tensor, nn
from torchspore.common.initializer import initializer

X = Tensor([1.0, 2.0])


class Leaf(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]))
        self.register_buffer("q", Tensor([3.0, 4.0]))
        self.register_buffer("lost", Tensor([5.0]), persistent=False)
        self.register_buffer("none", None)


class Tree(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left = Leaf()
        self.right = Leaf()
        self.register_buffer("step", Tensor(0))


class Note(Leaf):
    note = "a"

    def get_extra_state(self):
        return self.note

    def set_extra_state(self, state):
        self.note = state


@pytest.fixture
def tree():
    return Tree()


def values(cell):
    return {name: value.tolist() for name, value in cell.state_dict().items()}


@pytest.mark.parametrize(("program", "expected"), recorded("cell_state"))
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == expected


class TestBuffers:
    def test_lists(self, tree):
        assert [name for name, _ in tree.named_buffers()] == ["step", "left.q", "left.lost", "right.q", "right.lost"]
        assert [b.tolist() for b in tree.buffers(recurse=False)] == [0]
        tree.right.q = tree.left.q
        assert len(list(tree.buffers())) == 4
        assert len(list(tree.named_buffers(remove_duplicate=False))) == 5

    def test_a_new_value_is_a_buffer_still(self, tree):
        tree.step = Tensor(7)
        assert values(tree)["step"] == 7
        tree.step = None
        assert "step" not in tree.state_dict()
        tree.step = Tensor(8)
        assert values(tree)["step"] == 8

    def test_persistence_can_change(self, tree):
        tree.register_buffer("step", Tensor(1), persistent=False)
        assert "step" not in tree.state_dict()
        tree.register_buffer("step", Tensor(2))
        assert values(tree)["step"] == 2

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ((3, X), TypeError, r"For 'register_buffer', 'name' must be a string, but got 3 \(int\)"),
            (("a.b", X), KeyError, "'name' must be a name without dots, but got 'a.b'"),
            (("", X), KeyError, "'name' must be a name without dots, but got ''"),
            (("left", X), KeyError, "For 'Tree', the attribute 'left' exists already"),
            (("plain", X), KeyError, "'plain' exists already"),
            (("construct", X), KeyError, "'construct' exists already"),
            (("a", 3), TypeError, r"'tensor' must be a Tensor or None, but got 3 \(int\)"),
        ],
    )
    def test_errors_say_what_is_wrong(self, tree, arguments, error, words):
        tree.plain = 3
        with pytest.raises(error, match=words):
            tree.register_buffer(*arguments)
        assert [name for name, _ in tree.named_buffers(recurse=False)] == ["step"]

    def test_get_buffer(self, tree):
        assert tree.get_buffer("left.q") is tree.left.q
        for target in ("left.w", "left.none", "foo", ""):
            with pytest.raises(AttributeError, match=f"'{target}' is not a buffer. Buffers: step, left.q"):
                tree.get_buffer(target)
        with pytest.raises(AttributeError, match="Buffers: none"):
            nn.Cell().get_buffer("a")


class TestStateDict:
    def test_keys_in_order(self, tree):
        assert list(tree.state_dict()) == ["step", "left.w", "left.q", "right.w", "right.q"]
        assert list(tree.state_dict(None, "p.", True)) == ["p.step", "p.left.w", "p.left.q", "p.right.w", "p.right.q"]
        given = OrderedDict(old=1)
        assert tree.state_dict(given, prefix="n.") is given
        assert list(given)[:2] == ["old", "n.step"]

    def test_the_members_themselves(self, tree):
        assert tree.state_dict()["left.w"] is tree.left.w
        assert tree.state_dict()["left.q"] is tree.left.q

    def test_a_member_under_two_names(self, tree):
        tree.right = tree.left
        assert list(tree.state_dict()) == ["step", "left.w", "left.q", "right.w", "right.q"]
        assert len(tree.parameters_dict()) == 1


class TestLoad:
    def test_all(self, tree):
        other = Tree()
        other.left.w.set_data(Tensor([9.0, 8.0]))
        other.right.q[0] = 7
        other.step = Tensor(5)
        matched = tree.load_state_dict(other.state_dict())
        assert matched == ([], [])
        assert repr(matched) == "<All keys matched successfully>"
        assert values(tree) == values(other)
        other.left.w[0] = 0
        assert tree.left.w.tolist() == [9, 8]

    def test_members_and_types_stay(self, tree):
        w, q = tree.left.w, tree.left.q
        state = {"left.w": Tensor([5, 6]), "left.q": Tensor([1 + 2j, 3j]), "step": Tensor(2.7)}
        mismatch = tree.load_state_dict(state, strict=False)
        assert mismatch.missing_keys == ["right.w", "right.q"]
        assert repr(mismatch) == "_IncompatibleKeys(missing_keys=['right.w', 'right.q'], unexpected_keys=[])"
        assert (tree.left.w is w, tree.left.q is q) == (True, True)
        assert (w.tolist(), w.dtype, q.tolist(), tree.step.tolist()) == ([5, 6], ms.float32, [1, 0], 2)

    def test_lazy_values(self, tree):
        state = {name: initializer("ones", (2,)) for name in ("left.w", "left.q")}
        tree.load_state_dict(state, strict=False)
        assert (tree.left.w.tolist(), tree.left.q.tolist()) == ([1, 1], [1, 1])

    @pytest.mark.parametrize(
        ("change", "strict", "words"),
        [
            ({"left.w": None}, True, "For 'load_state_dict' of 'Tree', missing keys: left.w.$"),
            ({"foo": X, "left.foo": X}, True, "unexpected keys: foo, left.foo"),
            ({"left.w": None, "foo": X}, True, "missing keys: left.w; unexpected keys: foo"),
            ({"right.q": Tensor([1.0])}, False, r"'right.q' must be a Tensor of shape \(2,\), but got Tensor"),
            ({"right.q": 3}, False, r"'right.q' must be a Tensor of shape \(2,\), but got 3"),
            ({"right.w": np.ones(2)}, True, r"'right.w' must be a Tensor of shape \(2,\), but got numpy.ndarray"),
        ],
    )
    def test_errors_leave_everything_as_it_was(self, tree, change, strict, words):
        other = Tree()
        other.left.w.set_data(Tensor([9.0, 8.0]))
        state = {k: v for k, v in {**other.state_dict(), **change}.items() if v is not None}
        before = values(tree)
        with pytest.raises(RuntimeError, match=words):
            tree.load_state_dict(state, strict)
        assert values(tree) == before
        with pytest.raises(TypeError, match="'state_dict' must be a mapping, but got"):
            tree.load_state_dict([state])

    def test_extra_state(self):
        cell = nn.Cell()
        cell.a = Note()
        cell.a.note = "b"
        state = cell.state_dict()
        assert state["a._extra_state"] == "b"
        cell.a.note = "c"
        assert cell.load_state_dict(state) == ([], [])
        assert cell.a.note == "b"
        del state["a._extra_state"]
        with pytest.raises(RuntimeError, match=r"missing keys: a\._extra_state"):
            cell.load_state_dict(state)
        cell.a = Leaf()
        state["a._extra_state"] = "d"
        with pytest.raises(RuntimeError, match=r"unexpected keys: a\._extra_state"):
            cell.load_state_dict(state)
        for use in (cell.get_extra_state, lambda: cell.set_extra_state(1)):
            with pytest.raises(RuntimeError, match=r"For 'Cell', define '[gs]et_extra_state' to"):
                use()


class TestHooks:
    def test_of_state_dict(self, tree):
        log = []
        tree.register_state_dict_pre_hook(lambda *given: log.append(("before", *given)))
        tree.left.register_state_dict_post_hook(lambda cell, s, p, m: log.append(("after", cell, list(s), p, m)))
        tree.register_state_dict_post_hook(lambda cell, s, prefix, meta: s.pop("step"))
        with pytest.raises(RuntimeError, match="a hook must change the dictionary that it gets and return None"):
            tree.state_dict()
        assert log == [("before", tree, "", False), ("after", tree.left, ["step", "left.w", "left.q"], "left.", {})]

    def test_handles(self, tree):
        handles = [
            tree.register_state_dict_pre_hook(lambda *given: 1 / 0),
            tree.register_state_dict_post_hook(lambda *given: 1 / 0),
            tree.register_load_state_dict_pre_hook(lambda *given: 1 / 0),
            tree.register_load_state_dict_post_hook(lambda *given: 1 / 0),
        ]
        for handle in handles:
            handle.remove()
            handle.remove()
        tree.load_state_dict(tree.state_dict())

    @pytest.mark.parametrize("of", ["state_dict", "load_state_dict"])
    @pytest.mark.parametrize("when", ["pre", "post"])
    def test_what_is_no_hook(self, tree, of, when):
        with pytest.raises(TypeError, match=r"a hook must be a function, but got 3 \(int\)"):
            getattr(tree, f"register_{of}_{when}_hook")(3)

    def test_before_loading_keys_may_be_renamed(self, tree):
        def rename(cell, state, prefix, meta, strict, missing, unexpected, errors):
            state[f"{prefix}w"] = state.pop(f"{prefix}weight")

        tree.left.register_load_state_dict_pre_hook(rename)
        state = tree.state_dict()
        state["left.weight"] = Tensor([9.0, 9.0])
        del state["left.w"]
        given = dict(state)
        assert tree.load_state_dict(state) == ([], [])
        assert tree.left.w.tolist() == [9, 9]
        assert state == given

    def test_before_loading_a_hook_may_object(self, tree):
        tree.left.register_load_state_dict_pre_hook(lambda *given: given[7].append("too old"))
        with pytest.raises(RuntimeError, match="of 'Tree', too old"):
            tree.load_state_dict(tree.state_dict(), strict=False)

    def test_after_loading_keys_may_be_forgiven(self, tree):
        seen = []

        def forgive(cell, keys):
            seen.append(cell.w.tolist())
            keys.missing_keys.remove("left.q")

        tree.left.register_load_state_dict_post_hook(forgive)
        state = {name: value for name, value in Tree().state_dict().items() if name != "left.q"}
        state["left.w"] = Tensor([9.0, 8.0])
        assert tree.load_state_dict(state) == ([], [])
        assert seen == [[9, 8]]

    def test_an_error_after_the_hooks_undoes_the_loading(self, tree):
        before = values(tree)
        tree.register_load_state_dict_post_hook(lambda cell, keys: None)
        with pytest.raises(RuntimeError, match="unexpected keys: foo"):
            tree.load_state_dict({**Tree().state_dict(), "left.w": Tensor([9.0, 9.0]), "left.q": X, "foo": X})
        assert values(tree) == before


class TestTo:
    def test_members_keep_who_they_are(self, tree):
        members = [*tree.get_parameters(), *tree.buffers()]
        assert tree.to(ms.float16) is tree
        assert all(a is b for a, b in zip([*tree.get_parameters(), *tree.buffers()], members))
        assert {m.dtype for m in members} == {ms.float16, ms.int64}
        assert all(p._storage is p._t for p in tree.get_parameters())
        assert ms.grad(lambda x: x * tree.left.w, None, tree.left.w)(Tensor([1.0, 1.0], ms.float16)).dtype is ms.float16

    def test_real_parts(self, tree):
        assert tree.to(ms.complex64).to(ms.float32).left.w.tolist() == [1, 2]

    @pytest.mark.parametrize(
        ("arguments", "options", "error", "words"),
        [
            ((ms.int32,), {}, TypeError, "'dtype' must be a floating-point or complex type, but got Int32"),
            ((Tensor([1]),), {}, TypeError, "'dtype' must be a floating-point or complex type, but got Int64"),
            ((3,), {}, TypeError, r"the arguments must be \(device, dtype, .* but got \(3, None, False\)"),
            ((ms.float16, 3), {}, TypeError, "the arguments must be"),
            ((X, X), {}, TypeError, "the arguments must be"),
            ((ms.float16,), {"dtype": ms.float32}, TypeError, "an option is given twice"),
            (("CPU", ms.float16, False, 3), {}, TypeError, "there are too many"),
            ((), {"dtype": 3}, TypeError, "'dtype' must be a data type"),
            (("nowhere",), {}, ValueError, "For 'Cell.to', the device must be like 'CPU'"),
        ],
    )
    def test_errors_change_nothing(self, tree, arguments, options, error, words):
        with pytest.raises(error, match=words):
            tree.to(*arguments, **options)
        assert {m.dtype for m in tree.get_parameters()} == {ms.float32}

    def test_empty(self, tree):
        tree.left.register_buffer("h", Tensor([1.0], ms.float16))
        assert tree.to_empty(device="CPU", recurse=False) is tree
        assert tree.left.w.tolist() == [1, 2]
        tree.to_empty()
        assert (tree.left.w.shape, tree.left.h.dtype, tree.left.w.name) == ((2,), ms.float16, "left.w")

    def test_torch_sees_the_new_storage(self, tree):
        tree._apply(lambda value: torch.zeros_like(value))
        assert tree.left.w.tolist() == [0, 0]
