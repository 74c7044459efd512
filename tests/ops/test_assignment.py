"""Assignment and the in-place methods: values, types, errors, and their place in differentiated functions."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from plain import values
from torchspore import Parameter, Tensor, ops

X = [1.0, 2.0]


def parameter(value=(1.0, 2.0), dtype=ms.float32):
    return Parameter(Tensor(value, dtype), name="w")


ERRORS = [
    (ms.float32, Tensor([3.0, 4.0], ms.float64), TypeError, "Float64 cannot become Float32"),
    (ms.float16, Tensor([3.0, 4.0]), TypeError, "Float32 cannot become Float16"),
    (ms.int32, Tensor([3.0, 4.0]), TypeError, "Float32 cannot become Int32"),
    (ms.int32, Tensor([3, 4]), TypeError, "Int64 cannot become Int32"),
    (ms.bool_, Tensor([3, 4]), TypeError, "Int64 cannot become Bool"),
    (ms.float32, Tensor([3.0, 4.0, 5.0]), ValueError, r"shape of 'variable', \(2,\), but got \(3,\)"),
    (ms.float32, Tensor([3.0]), ValueError, "shape"),
    (ms.float32, Tensor([[3.0, 4.0]]), ValueError, "shape"),
    (ms.float32, 3.0, ValueError, "shape"),
    (ms.float32, [3.0, 4.0], TypeError, "a Tensor or a number, but got"),
    (ms.float32, np.array([3.0, 4.0]), TypeError, "numpy.ndarray"),
    (ms.float32, None, TypeError, "None"),
]


class TestAssign:
    @pytest.mark.parametrize("function", [ops.assign, ops.Assign()])
    @pytest.mark.parametrize("variable", [parameter, lambda: Tensor(X)])
    def test_value(self, function, variable):
        variable = variable()
        given = Tensor([3.0, 4.0])
        result = function(variable, given)
        assert type(result) is Tensor
        assert result.asnumpy().tolist() == [3, 4]
        assert variable.asnumpy().tolist() == [3, 4]
        given[0] = 9.0
        assert variable.asnumpy().tolist() == [3, 4]

    @pytest.mark.parametrize(
        ("function", "expected"),
        [
            (ops.assign_add, [4, 6]),
            (ops.AssignAdd(), [4, 6]),
            (ops.assign_sub, [-2, -2]),
            (ops.AssignSub(), [-2, -2]),
        ],
    )
    def test_accumulation(self, function, expected):
        variable = parameter()
        result = function(variable, Tensor([3.0, 4.0]))
        assert result.asnumpy().tolist() == expected
        assert variable.asnumpy().tolist() == expected

    def test_a_result_does_not_follow_later_assignments(self):
        variable = parameter()
        results = [
            ops.assign(variable, Tensor([3.0, 4.0])),
            ops.assign_add(variable, Tensor([1.0, 1.0])),
            ops.assign_sub(variable, Tensor([2.0, 2.0])),
        ]
        assert values(results) == ([3, 4], [4, 5], [2, 3])

    @pytest.mark.parametrize(
        ("dtype", "value", "expected"),
        [
            (ms.float32, Tensor(3, ms.int64), 3.0),
            (ms.float32, Tensor(3.0, ms.float16), 3.0),
            (ms.float32, Tensor(True), 1.0),
            (ms.int32, Tensor(True), 1),
            (ms.float32, 3, 3.0),
            (ms.float64, 0.1, 0.1),
            (ms.float16, 0.5, 0.5),
            (ms.int32, 3, 3),
            (ms.int32, True, 1),
        ],
    )
    def test_a_value_that_converts_without_loss(self, dtype, value, expected):
        variable = parameter(0, dtype)
        assert ops.assign(variable, value).dtype is dtype
        assert variable.dtype is dtype
        assert variable.item() == expected
        assert ops.assign_add(variable, value).item() == 2 * expected

    @pytest.mark.parametrize("function", [ops.assign, ops.assign_add, ops.assign_sub])
    @pytest.mark.parametrize(("dtype", "value", "kind", "text"), ERRORS)
    def test_errors_leave_the_variable(self, function, dtype, value, kind, text):
        variable = parameter((1, 0), dtype)
        with pytest.raises(kind, match=text) as caught:
            function(variable, value)
        assert str(caught.value).startswith(f"For '{function.__name__}', 'value'")
        assert variable.asnumpy().tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("start", "value"), [([1.0], 2.0), ([1.0], Tensor(2.0)), (1.0, Tensor([2.0])), ([1.0], Tensor([2.0]))]
    )
    def test_one_element_with_or_without_a_dimension(self, start, value):
        for function, expected in ((ops.AssignAdd(), 3.0), (ops.AssignSub(), -1.0)):
            variable = ms.Parameter(Tensor(start))
            result = function(variable, value)
            assert result.shape == variable.shape == Tensor(start).shape
            assert result.asnumpy().item() == variable.asnumpy().item() == expected

    def test_numbers_of_another_kind(self):
        with pytest.raises(TypeError, match="Float32 cannot become Int32"):
            ops.assign(parameter(1, ms.int32), 3.5)
        with pytest.raises(TypeError, match="Int64 cannot become Bool"):
            ops.assign(parameter(True, ms.bool_), 3)

    @pytest.mark.parametrize("function", [ops.assign, ops.assign_add, ops.assign_sub])
    def test_the_variable_must_be_a_tensor(self, function):
        with pytest.raises(TypeError, match="'variable' must be a Parameter or a Tensor, but got 3"):
            function(3, Tensor(1.0))

    def test_bools_cannot_be_subtracted(self):
        variable = parameter(True, ms.bool_)
        with pytest.raises((TypeError, RuntimeError), match="For 'assign_sub'"):
            ops.assign_sub(variable, True)
        assert variable.item() is True

    def test_depend_returns_its_first_input(self):
        first = Tensor(X)
        assert ops.depend(first, Tensor(1.0)) is first
        assert ops.Depend()(first, (Tensor(1.0),)) is first
        assert ops.depend(3, None) == 3


MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
ROW = Tensor([1.0, 2.0, 3.0])

IN_PLACE = [
    ("x.add_(row)", [[2, 4, 6], [5, 7, 9]]),
    ("x.add_(row, alpha=2)", [[3, 6, 9], [6, 9, 12]]),
    ("x.add_(2)", [[3, 4, 5], [6, 7, 8]]),
    ("x.sub_(row, alpha=2)", [[-1, -2, -3], [2, 1, 0]]),
    ("x.mul_(row)", [[1, 4, 9], [4, 10, 18]]),
    ("x.div_(row)", [[1, 1, 1], [4, 2.5, 2]]),
    ("x.div_(2, rounding_mode='floor')", [[0, 1, 1], [2, 2, 3]]),
    ("x.div_(-2, rounding_mode='trunc')", [[0, -1, -1], [-2, -2, -3]]),
    ("x.remainder_(2)", [[1, 0, 1], [0, 1, 0]]),
    ("x.floor_divide_(2)", [[0, 1, 1], [2, 2, 3]]),
    ("x.fill_(7)", [[7, 7, 7], [7, 7, 7]]),
    ("x.fill_(ms.Tensor(7.5))", [[7.5, 7.5, 7.5], [7.5, 7.5, 7.5]]),
    ("x.fill_diagonal_(9)", [[9, 2, 3], [4, 9, 6]]),
    ("x.zero_()", [[0, 0, 0], [0, 0, 0]]),
    ("x.copy_(row)", [[1, 2, 3], [1, 2, 3]]),
    ("x.copy_(ms.Tensor([7, 8, 9]), non_blocking=True)", [[7, 8, 9], [7, 8, 9]]),
    ("x.clamp_(2, 4)", [[2, 2, 3], [4, 4, 4]]),
    ("x.clamp_(min=2)", [[2, 2, 3], [4, 5, 6]]),
    ("x.clamp_(max=row)", [[1, 2, 3], [1, 2, 3]]),
    ("x.clamp_(2, row)", [[1, 2, 3], [1, 2, 3]]),
    ("x.exp_()", np.exp(MATRIX)),
    ("x.log_()", np.log(MATRIX)),
    ("x.sigmoid_()", 1 / (1 + np.exp(-np.array(MATRIX)))),
    ("x.tanh_()", np.tanh(MATRIX)),
    ("x.mul_(-0.5).floor_()", [[-1, -1, -2], [-2, -3, -3]]),
    ("x.sub_(2).sign_()", [[-1, 0, 1], [1, 1, 1]]),
    ("x.zero_().erfinv_()", [[0, 0, 0], [0, 0, 0]]),
    ("x.addmm_(ms.ops.ones((2, 2)), ms.ops.ones((2, 3)), beta=2, alpha=3)", [[8, 10, 12], [14, 16, 18]]),
]

IN_PLACE_ERRORS = [
    ("x.add_('a')", TypeError),
    ("x.add_(None)", TypeError),
    ("x.add_([1, 2, 3])", TypeError),
    ("x.add_(ms.Tensor([1.0, 2.0]))", ValueError),
    ("row.add_(x)", ValueError),
    ("i.exp_()", TypeError),
    ("i.clamp_(0.5, 1.5)", TypeError),
    ("x.clamp_()", ValueError),
    ("x.div_(2, rounding_mode='up')", ValueError),
    ("x.fill_('a')", TypeError),
    ("x.fill_(row)", ValueError),
    ("x.copy_(3.0)", TypeError),
    ("row.copy_(x)", ValueError),
    ("x.addmm_(x, x)", ValueError),
]


class TestInPlace:
    @pytest.mark.parametrize("make", [Tensor, lambda value: Parameter(Tensor(value))], ids=["Tensor", "Parameter"])
    @pytest.mark.parametrize(("expression", "expected"), IN_PLACE, ids=[row[0] for row in IN_PLACE])
    def test_value(self, make, expression, expected):
        x = make(MATRIX)
        memory = x.data_ptr()
        result = eval(expression, {"x": x, "row": ROW, "ms": ms})
        assert type(result) is Tensor
        assert (result is x) == (type(x) is Tensor)
        assert result.data_ptr() == memory
        np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-6)
        assert x.dtype is ms.float32
        assert x.data_ptr() == memory

    @pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
    @pytest.mark.parametrize(("expression", "kind"), IN_PLACE_ERRORS, ids=[row[0] for row in IN_PLACE_ERRORS])
    def test_errors_leave_the_tensor(self, expression, kind, inside):
        names = {"x": Tensor(MATRIX), "row": Tensor([1.0, 2.0, 3.0]), "i": Tensor([1, 2, 3]), "ms": ms}
        api = expression.split(".")[1].split("(")[0]
        run = ms.grad(lambda z: eval(expression, names) * z) if inside else lambda z: eval(expression, names)
        with pytest.raises(kind, match=f"^For '{api}'"):
            run(Tensor(1.0))
        assert values([names["x"], names["row"], names["i"]]) == (MATRIX, [1, 2, 3], [1, 2, 3])

    @pytest.mark.parametrize(
        ("expression", "expected"),
        [
            ("i.add_(1.5)", [2.5, 3.5, 4.5]),
            ("i.sub_(0.5, alpha=2)", [0, 1, 2]),
            ("i.mul_(row)", [1, 4, 9]),
            ("i.div_(2)", [0.5, 1, 1.5]),
            ("w.div_(2)", [0.5, 1, 1.5]),
            ("i.remainder_(0.75)", [0.25, 0.5, 0]),
        ],
    )
    def test_result_that_does_not_fit_is_a_new_tensor(self, expression, expected):
        """A program that runs on MindSpore, where the methods return a new tensor of floats, must run here."""
        names = {"row": Tensor([1.0, 2.0, 3.0]), "i": Tensor([1, 2, 3]), "w": Tensor([1, 2, 3], ms.uint16)}
        with pytest.warns(UserWarning, match=f"^For '{expression[2:].split('(')[0]}', the result is of Float32"):
            result = eval(expression, names)
        assert result.dtype is ms.float32
        assert result.asnumpy().tolist() == expected
        assert values([names["i"], names["w"]]) == ([1, 2, 3], [1, 2, 3])

    @pytest.mark.parametrize("dtype", [ms.int32, ms.int64, ms.uint8, ms.uint16, ms.uint32, ms.uint64])
    def test_integers_are_divided_by_zero(self, dtype):
        x, zero = Tensor([4, 0, 6], dtype), Tensor([0, 0, 4], dtype)
        assert x.copy().remainder_(zero).asnumpy().tolist() == ms.ops.remainder(x, zero).asnumpy().tolist()
        assert x.copy().floor_divide_(zero).asnumpy().tolist() == (x // zero).asnumpy().tolist()
        divided = x.copy().div_(zero, rounding_mode="floor")
        assert divided.asnumpy().tolist() == (x // zero).asnumpy().tolist()

    @pytest.mark.parametrize(("expression", "expected"), IN_PLACE, ids=[row[0] for row in IN_PLACE])
    def test_inside_a_differentiated_function(self, expression, expected):
        outer = Parameter(Tensor(MATRIX))
        plain = Tensor(MATRIX)
        seen = []

        def forward(z):
            for x in (outer, plain, Tensor(MATRIX) * z):
                eval(expression, {"x": x, "row": ROW, "ms": ms})
                seen.append(x.asnumpy().copy())
            return outer * z

        gradient = ms.grad(forward)(Tensor(1.0))
        for found in (*seen, outer.asnumpy(), plain.asnumpy()):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        np.testing.assert_allclose(gradient.asnumpy(), np.sum(expected), rtol=1e-5)


class TestGradients:
    # As in MindSpore, a parameter stays a leaf: what is written into it is a constant, and its own gradient is the sum
    # over what reads it, before and after.

    def test_of_the_new_and_the_old_value(self):
        w = parameter()

        def forward(x):
            before = w * x  # depends on the old value
            ops.assign(w, w * x * 2)
            return before + w * 10

        of_x, of_w = ms.grad(forward, 0, w)(Tensor([3.0, 4.0]))
        assert of_x.asnumpy().tolist() == [1, 2]  # w, as it was
        assert of_w.asnumpy().tolist() == [13, 14]  # x + 10
        assert w.asnumpy().tolist() == [6, 16]

    @pytest.mark.parametrize(
        "write",
        [
            lambda w, x: ops.assign(w, x),
            lambda w, x: w.copy_(x),
            lambda w, x: w.zero_().add_(x),
            lambda w, x: w.fill_(0.0).sub_(x, alpha=-1),
            lambda w, x: ops.assign_sub(w, w - x),
        ],
    )
    def test_what_is_written_has_no_gradient(self, write):
        w = parameter()

        def forward(x):
            write(w, x * x)
            return w * 5

        of_x, of_w = ms.grad(forward, 0, w)(Tensor([3.0, 4.0]))
        assert of_x.asnumpy().tolist() == [0, 0]
        assert of_w.asnumpy().tolist() == [5, 5]
        assert w.asnumpy().tolist() == [9, 16]

    @pytest.mark.parametrize(
        "write", [lambda w, x: ops.assign_add(w, x), lambda w, x: w.add_(x), lambda w, x: ops.AssignAdd()(w, x)]
    )
    def test_of_accumulation(self, write):
        w = parameter()

        def forward(x):
            y = w * w  # saves the old value for the backward pass
            write(w, x)
            write(w, x)
            return y + w * w

        of_x, of_w = ms.grad(forward, 0, w)(Tensor([3.0, 4.0]))
        assert of_x.asnumpy().tolist() == [0, 0]
        assert of_w.asnumpy().tolist() == [16, 24]  # 2 w + 2 (w + 2x)
        assert w.asnumpy().tolist() == [7, 10]

    def test_of_the_result_of_an_assignment(self):
        w = parameter()
        of_x, of_w = ms.grad(lambda x: ops.assign_add(w, x) * 3, 0, w)(Tensor([3.0, 4.0]))
        assert values((of_x, of_w)) == ([3, 3], [3, 3])
        of_x, of_w = ms.grad(lambda x: ops.assign(w, x * 2) * 3, 0, w)(Tensor([3.0, 4.0]))
        assert values((of_x, of_w)) == ([0, 0], [3, 3])  # the result is the parameter

    def test_a_value_written_later_does_not_change_the_variable(self):
        w = parameter()

        def forward(x):
            y = x * 2
            ops.assign(w, y)
            y.add_(1)
            return w * y

        assert values(ms.grad(forward)(Tensor([3.0, 4.0]))) == [12, 16]  # 2 w
        assert w.asnumpy().tolist() == [6, 8]

    def test_an_intermediate_saved_for_the_backward_pass(self):
        def forward(x):
            y = ops.exp(x)  # the gradient of exp needs its result
            y.mul_(3)
            return y

        np.testing.assert_allclose(ms.grad(forward)(Tensor(X)).asnumpy(), 3 * np.exp(X), rtol=1e-6)

    def test_an_input_is_written_when_the_function_ends(self):
        x = Tensor([3.0, 4.0])
        seen = []

        def forward(x):
            x.mul_(x)
            seen.append(x.asnumpy().tolist())
            return x * 2

        gradient = ms.grad(forward)(x)
        assert gradient.asnumpy().tolist() == [12, 16]
        assert seen == [[9, 16]]
        assert x.asnumpy().tolist() == [9, 16]

    def test_second_order(self):
        w = parameter()

        def forward(x):
            ops.assign(w, x * x)
            return w * w * x * x

        x = Tensor([3.0, 4.0])
        assert values(ms.grad(ms.grad(forward))(x)) == [162, 512]  # 2 w w
        assert w.asnumpy().tolist() == [9, 16]
        w = parameter()
        assert values(ms.grad(lambda x: ms.grad(forward)(x), None, w)(x)) == [108, 256]  # 4 w x
        w = parameter()
        assert values(ms.grad(lambda x: ms.grad(lambda y: w.copy_(y * y) * y)(x) * x)(x)) == [9, 16]
        assert w.asnumpy().tolist() == [9, 16]

    def test_second_order_of_accumulation(self):
        w = parameter()

        def forward(x):
            w.add_(x * x)
            return w * x * x

        # The function runs once.
        assert values(ms.grad(ms.grad(forward))(Tensor([3.0, 4.0]))) == [20, 36]
        assert w.asnumpy().tolist() == [10, 18]

    def test_an_integer_counter(self):
        step = parameter(0, ms.int32)
        gradient = ms.grad(lambda x: x * ops.assign_add(step, 1))
        assert values([gradient(Tensor(X)) for _ in range(3)]) == ([1, 1], [2, 2], [3, 3])
        assert step.item() == 3

    @pytest.mark.parametrize(
        "write",
        [
            lambda t, x: ops.assign(t, x),
            lambda t, x: ops.assign_add(t, x),
            lambda t, x: t.add_(x),
            lambda t, x: t.zero_(),
            lambda t, x: t.assign_value(x),
        ],
    )
    @pytest.mark.parametrize("order", [1, 2])
    def test_a_function_that_raises_changes_nothing(self, write, order):
        w, plain, x = parameter(), Tensor(X), Tensor([3.0, 4.0])

        def forward(x):
            for tensor in (w, plain, x):
                write(tensor, x * 2)
            raise RuntimeError("stop")

        gradient = ms.grad(forward, 0, w) if order == 1 else ms.grad(ms.grad(forward))
        with pytest.raises(RuntimeError, match="stop"):
            gradient(x)
        assert values([w, plain, x]) == ([1, 2], [1, 2], [3, 4])
        assert not w.torch.requires_grad
        assert not plain.torch.requires_grad
        assert values(ms.grad(lambda x: w * x)(x)) == [1, 2]

    def test_no_graph_is_left_on_what_was_written(self):
        w, plain = parameter(), Tensor(X)

        def forward(x):
            ops.assign(w, x * 2)
            plain.add_(x)
            return w * plain

        ms.grad(forward)(Tensor([3.0, 4.0]))
        assert values([w, plain]) == ([6, 8], [4, 6])
        assert not w.torch.requires_grad
        assert not plain.torch.requires_grad

    @pytest.mark.parametrize("transform", [ms.vmap, lambda f: ms.grad(ms.vmap(f)), lambda f: ms.vmap(ms.grad(f))])
    @pytest.mark.parametrize("write", [lambda w, x: ops.assign(w, ops.ones(2) * x), lambda w, x: w.add_(x)])
    def test_a_value_for_each_sample_of_vmap(self, transform, write):
        w = parameter()
        with pytest.raises(ValueError, match=r"^For '(assign|add_|vmap)'"):
            transform(lambda x: (write(w, x) * x).sum())(Tensor([3.0, 4.0, 5.0]))
        assert w.asnumpy().tolist() == [1, 2]
        assert values(ms.grad(lambda x: x * w)(Tensor(X))) == [1, 2]

    def test_under_vmap(self):
        def forward(x):
            y = x * 2
            y.add_(x).mul_(x)
            return y.sum()

        rows = Tensor([[1.0, 2.0], [3.0, 4.0]])
        assert values(ms.vmap(forward)(rows)) == [15, 75]
        assert values(ms.grad(lambda t: ms.vmap(forward)(t))(rows)) == [[6, 12], [18, 24]]
        assert values(ms.vmap(ms.grad(forward))(rows)) == [[6, 12], [18, 24]]
