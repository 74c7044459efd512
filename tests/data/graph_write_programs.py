"""Functions and cells that write to tensors, for graph_writes.json; `ms`, `nn`, `ops` ... are either package's.

The names of the parameters say what they get, see `ARGUMENTS`.
"""
# ruff: noqa: F821


def F(*values):
    return Tensor(list(values), ms.float32)


ARGUMENTS = {
    "x": lambda: F(1.0, 2.0, 3.0),
    "y": lambda: F(4.0, 5.0, 6.0),
    "m": lambda: Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float32),
    "i": lambda: Tensor([1, 2, 3], ms.int32),
    "half": lambda: Tensor([1.0, 2.0, 3.0], ms.float16),
    "xs": lambda: [F(1.0, 2.0), F(3.0)],
    "ts": lambda: (F(1.0, 2.0), F(3.0)),
    "d": lambda: {"a": F(1.0, 2.0), "b": F(3.0)},
    "p": lambda: Parameter(F(1.0, 2.0, 3.0), name="p"),
}
TABLE, OTHER, LISTED = F(1.0, 2.0, 3.0), F(1.0, 2.0, 3.0), [F(1.0, 2.0)]
GLOBALS, ATTRIBUTES = ("TABLE", "OTHER", "LISTED"), ("w", "t", "xs", "d")


# x[...] = value


def by_index(x, y):
    x[0] = y[1]
    return x * x


def by_index_in_place(x):
    x[1:] *= 5
    return x


def another_name(x):
    y = x
    y[0] = 9
    return x, y


def another_name_is_older(x):
    y = x
    x[0] = 9
    return x, y


def both_names(x):
    y = x
    x[0] = 9
    y[1] = 8
    return x, y


def in_a_row(m):
    m[0][1] = 9
    return m


def row_with_a_name(m):
    row = m[0]
    row[1] = 9
    return m, row


def reshaped(m):
    flat = m.reshape(4)
    flat[1] = 9
    return m, flat


def transposed(m):
    columns = m.T
    columns[0, 1] = 9
    return m, columns


def row_read_before(m):
    row = m[0]
    m[0, 1] = 9
    return m, row


def local_tensor(x):
    y = x + 1
    z = y
    z[0] = 9
    return y, z


def through_a_mask(x):
    x[x > 1.5] = 0
    return x


def in_a_condition(x):
    if x.sum() > 0:
        x[0] = 9
    return x


def in_a_loop(x):
    for i in range(3):
        x[i] = x[i] * i
    return x


def in_a_loop_with_another_name(x):
    y = x
    i = 0
    while i < 2:
        y[i] = 7
        i += 1
    return x, y


def sum_before_and_after(x):
    s = x.sum()
    x[0] = 9
    return s, x.sum()


def set_first(t):
    t[0] = 9
    return t


def in_a_function(x):
    y = set_first(x)
    return x, y


def result_dropped(x):
    set_first(x)
    return x


def local_to_a_function(x):
    y = x + 1
    set_first(y)
    return y


def in_an_inner_function(x):
    def inner(t):
        t[0] = 9
        return t

    y = inner(x)
    return x, y


def in_a_cell(x):
    y = set_in_cell(x)
    return x, y


def element_of_a_list(xs):
    xs[0][1] = 9
    return xs


def named_element_of_a_list(xs):
    t = xs[0]
    t[1] = 9
    return xs[0], t


def elements_in_a_loop(xs):
    total = 0
    for t in xs:
        t[0] = 5
        total = total + t.sum()
    return total, xs[0]


def element_of_a_dict(d):
    d["a"][1] = 9
    return d["a"]


def named_element_of_a_dict(d):
    t = d["a"]
    t[0] = 9
    return d["a"], t


def element_of_a_local_list(x):
    ts = [x, x + 1]
    ts[0][1] = 9
    return x, ts


def in_a_dict_of_results(x):
    y = x
    y[0] = 9
    return {"x": x, "y": y}


def of_a_parameter(p):
    p[0] = 9
    return p * 2


def of_a_global(x):
    TABLE[0] = 9
    return TABLE * x


def of_a_named_global(x):
    t = TABLE
    t[0] = 9
    return TABLE * x, t


def of_a_global_list(x):
    LISTED[0][1] = 9
    return LISTED[0]


# x += value


def plus(x):
    x += 1
    return x


def minus_tensor(x, y):
    x -= y
    return x


def divided(x):
    x /= 2
    return x


def floor_divided(x):
    x //= 2
    return x


def remainder(x):
    x %= 2
    return x


def power(x):
    y = x
    y **= 2
    return x, y


def product_of_matrices(m):
    m @= m
    return m


def plus_another_name(x):
    y = x
    y += 1
    return x, y


def times_another_name(x):
    y = x
    x *= 2
    return x, y


def plus_local(x):
    y = x + 1
    z = y
    z += 9
    return y, z


def plus_in_a_loop(x):
    for i in range(3):
        x += i
    return x


def times_in_a_loop(x):
    while x.sum() < 20:
        x *= 2
    return x


def plus_in_a_condition(x):
    if x.sum() > 0:
        x += 1
    return x


def plus_unread(x):
    x += 1
    return 0


def plus_after_a_product(x):
    y = x * x
    x += 1
    return y + x


def plus_local_after_a_product(x):
    y = x * 2
    z = y * y
    y += 1
    return z + y


def times_after_a_product(x):
    y = x * 3
    z = y * y
    y *= 2
    return z * y


def plus_row(m):
    row = m[0]
    row += 5
    return m, row


def plus_in_a_row(m):
    m[0] += 5
    return m


def plus_slice(x):
    y = x[0:2]
    y += 1
    return x, y


def plus_reshaped(m):
    flat = m.reshape(4)
    flat += 1
    return m, flat


def plus_cast(x):
    y = x.astype(ms.float32)
    y += 1
    return x, y


def add_nine(t):
    t += 9
    return t


def plus_in_a_function(x):
    y = add_nine(x)
    return x, y


def plus_local_in_a_function(x):
    y = x * 1
    z = add_nine(y)
    return y, z


def plus_in_a_cell(x):
    y = add_in_cell(x)
    return x, y


def plus_element_of_a_list(xs):
    t = xs[0]
    t += 5
    return xs[0], t


def plus_elements_of_a_list(xs):
    total = 0
    for t in xs:
        t += 1
        total = total + t.sum()
    return total, xs[0]


def plus_element_of_a_tuple(ts):
    t = ts[0]
    t += 5
    return ts[0], t


def plus_elements_of_a_tuple(ts):
    for t in ts:
        t += 1
    return ts[0]


def plus_element_of_a_dict(d):
    t = d["a"]
    t += 1
    return d["a"], t


def plus_values_of_a_dict(d):
    for _, t in d.items():
        t += 1
    return d["a"]


def plus_elements_of_a_local_tuple(x):
    ts = (x, x + 1)
    for t in ts:
        t += 1
    return ts, x


def plus_elements_of_a_local_list(x):
    ts = [x, x + 1]
    for t in ts:
        t += 1
    return ts, x


def plus_item_of_a_local_list(x):
    ts = [x, x + 1]
    ts[0] += 1
    return ts, x


def plus_unpacked(x, y):
    a, b = x, y
    a += 1
    return a, b, x


def sum_of_products(x):
    s = ops.zeros_like(x)
    for i in range(3):
        s += x * i
    return s


def residual(x):
    h = x
    x = x * 2
    x += h
    return x, h


def ints_divided(i):
    j = i
    j /= 2
    return i, j


def ints_plus_float(i):
    i += 1.5
    return i


def ints_plus_floats(i):
    i += Tensor([0.5, 1.5, 2.5])
    return i


def ints_times_float(i):
    i *= 1.5
    return i


def bits(i):
    j = i
    j &= 2
    return i, j


def half_plus_float(half):
    half += F(1.0, 2.0, 3.0)
    return half


def plus_parameter(p):
    p += 9
    return p * 2


def plus_global(x):
    t = OTHER
    t += x
    return OTHER * 1


# methods and functions


def method(x):
    y = x
    y.add_(1)
    return x, y


def assigned(x, y):
    ops.assign(x, y)
    return x


def by_index_then_method(x):
    x[0] = 5
    x.add_(1)
    return x


def method_then_by_index(x):
    x.add_(1)
    x[0] = 5
    return x


# attributes of cells


class SetInCell(nn.Cell):
    def construct(self, t):
        t[0] = 9
        return t


class AddInCell(nn.Cell):
    def construct(self, t):
        t += 9
        return t


set_in_cell, add_in_cell = SetInCell(), AddInCell()


class Attributes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(F(1.0, 2.0, 3.0), name="w")
        self.t = F(1.0, 2.0, 3.0)
        self.xs = [F(1.0, 2.0, 3.0), F(3.0)]
        self.d = {"a": F(1.0, 2.0)}


class ParameterByIndex(Attributes):
    def construct(self, x):
        self.w[0] = 9
        return self.w * x


class ParameterPlus(Attributes):
    def construct(self, x):
        self.w += 1
        return self.w * x


class NamedParameterPlus(Attributes):
    def construct(self, x):
        w = self.w
        w += 1
        return self.w * x


class ParameterInAMethod(Attributes):
    def write(self):
        self.w[1] = 5

    def construct(self, x):
        self.write()
        return self.w * x


class ParameterItemPlus(Attributes):
    def construct(self, x):
        self.w[1] += x[0]
        return self.w * x


class ArgumentAndParameter(Attributes):
    def construct(self, x):
        x[0] = self.w[1]
        self.w[1] = 7
        return x + self.w


class TensorByIndex(Attributes):
    def construct(self, x):
        before = self.t * 1
        self.t[0] = 9
        return before + self.t * x


class TensorReturned(Attributes):
    def construct(self, x):
        self.t[0] = x[1]
        return self.t


class NamedTensorByIndex(Attributes):
    def construct(self, x):
        t = self.t
        t[0] = 9
        return self.t * x, t


class TensorPlus(Attributes):
    def construct(self, x):
        self.t += 1
        return self.t * x


class NamedTensorPlus(Attributes):
    def construct(self, x):
        t = self.t
        t += 1
        return self.t * x, t


class ElementOfAList(Attributes):
    def construct(self, x):
        self.xs[0][1] = 9
        return self.xs[0] * x


class ElementOfADict(Attributes):
    def construct(self, x):
        self.d["a"][0] = 9
        return self.d["a"], x
