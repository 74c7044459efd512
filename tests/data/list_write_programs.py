"""Functions and cells that change lists and dicts, for list_writes.json; `ms`, `nn`, `ops` ... are either package's.

The names of the parameters say what they get, see `ARGUMENTS`.
"""
# ruff: noqa: F821


def F(*values):
    return Tensor(list(values), ms.float32)


ARGUMENTS = {
    "x": lambda: F(1.0, 2.0),
    "xs": lambda: [1, 2, 3],
    "ts": lambda: [F(1.0, 2.0), F(3.0)],
    "nested": lambda: [[1, 2], [3]],
    "pair": lambda: ([1, 2], [3]),
    "d": lambda: {"a": 1, "b": 2},
    "dt": lambda: {"a": F(1.0, 2.0), "b": F(3.0)},
    "inner": lambda: {"a": [1, 2]},
    "lists": lambda: [{"a": 1}, {"b": 2}],
}
LISTED, TENSORS, MAPPED, NESTED = [1, 2, 3], [F(1.0, 2.0)], {"a": 1, "b": 2}, [[1, 2], [3]]
GLOBALS, ATTRIBUTES = ("LISTED", "TENSORS", "MAPPED", "NESTED"), ("xs", "ts", "d", "nested")


# two names of a local list


def append_to_a_second_name(x):
    xs = [1, 2]
    ys = xs
    ys.append(3)
    return x, xs, ys


def append_to_the_first_name(x):
    xs = [1, 2]
    ys = xs
    xs.append(3)
    return x, xs, ys


def extend_a_second_name(x):
    xs = [1, 2]
    ys = xs
    ys.extend([3, 4])
    return x, xs, ys


def insert_into_a_second_name(x):
    xs = [1, 2]
    ys = xs
    ys.insert(0, 9)
    return x, xs, ys


def pop_from_a_second_name(x):
    xs = [1, 2, 3]
    ys = xs
    last = ys.pop()
    return x, xs, ys, last


def reverse_a_second_name(x):
    xs = [1, 2, 3]
    ys = xs
    ys.reverse()
    return x, xs, ys


def clear_a_second_name(x):
    xs = [1, 2, 3]
    ys = xs
    ys.clear()
    return x, xs, ys


def remove_from_a_second_name(x):
    xs = [1, 2, 3]
    ys = xs
    ys.remove(2)
    return x, xs, ys


def sort_a_second_name(x):
    xs = [3, 1, 2]
    ys = xs
    ys.sort()
    return x, xs, ys


def set_an_item_of_a_second_name(x):
    xs = [1, 2]
    ys = xs
    ys[0] = 9
    return x, xs, ys


def add_to_a_second_name(x):
    xs = [1, 2]
    ys = xs
    ys += [3]
    return x, xs, ys


def delete_from_a_second_name(x):
    xs = [1, 2]
    ys = xs
    del ys[0]
    return x, xs, ys


# tensors in local lists


def append_tensors_to_a_second_name(x):
    xs = [x]
    ys = xs
    ys.append(x + 1)
    return xs, ys


def append_before_and_after(x):
    xs = []
    xs.append(x)
    ys = xs
    xs.append(x * 2)
    return xs, ys


def set_a_tensor_of_a_second_name(x):
    xs = [x, x + 1]
    ys = xs
    ys[0] = x * 5
    return xs, ys


# the only name of a local list


def append_in_a_loop(x):
    xs = []
    for i in range(3):
        xs.append(x * i)
    return xs


def append_in_a_condition(x):
    xs = [x]
    if x.sum() > 0:
        xs.append(x * 2)
    else:
        xs.append(x * 3)
    return xs


def append_in_a_condition_to_a_second_name(x):
    xs = [x]
    ys = xs
    if x.sum() > 0:
        ys.append(x * 2)
    else:
        ys.append(x * 3)
    return xs, ys


def pop_in_a_loop(x):
    xs = [x, x + 1, x + 2]
    total = x
    for _ in range(2):
        total = total + xs.pop()
    return total, xs


def set_items_in_a_loop(x):
    xs = [0, 0, 0]
    for i in range(3):
        xs[i] = i * i
    return x, xs


def insert_only(x):
    xs = [1, 2]
    xs.insert(1, 5)
    return x, xs


def extend_only(x):
    xs = [1]
    xs.extend((2, 3))
    return x, xs


def pop_with_an_index(x):
    xs = [1, 2, 3]
    first = xs.pop(0)
    return x, xs, first


# lists in lists


def append_to_a_list_in_a_list(x):
    xs = [[1], [2]]
    xs[0].append(3)
    return x, xs


def append_to_an_element_with_a_name(x):
    xs = [[1], [2]]
    row = xs[0]
    row.append(3)
    return x, xs, row


def append_to_a_list_that_is_an_element(x):
    row = [1]
    xs = [row, [2]]
    row.append(3)
    return x, xs, row


def set_an_item_in_a_list_in_a_list(x):
    xs = [[1, 2], [3]]
    xs[0][1] = 9
    return x, xs


def set_an_item_of_an_element_with_a_name(x):
    xs = [[1, 2], [3]]
    row = xs[0]
    row[1] = 9
    return x, xs, row


def append_to_elements_in_a_loop(x):
    xs = [[1], [2]]
    for row in xs:
        row.append(0)
    return x, xs


def append_to_a_list_in_a_tuple(x):
    xs = ([1], [2])
    xs[0].append(3)
    return x, xs


def append_to_a_list_in_a_dict(x):
    d = {"a": [1]}
    d["a"].append(2)
    return x, d


def an_element_is_the_same_list_twice(x):
    row = [0]
    xs = [row, row]
    xs[0].append(1)
    return x, xs


# dicts


def set_a_key_of_a_second_name(x):
    d = {"a": 1}
    e = d
    e["b"] = 2
    return x, d, e


def set_an_old_key_of_a_second_name(x):
    d = {"a": 1}
    e = d
    e["a"] = 2
    return x, d, e


def update_a_second_name(x):
    d = {"a": 1}
    e = d
    e.update({"b": 2})
    return x, d, e


def pop_from_a_dict(x):
    d = {"a": 1, "b": 2}
    e = d
    value = e.pop("a")
    return x, d, e, value


def set_a_default(x):
    d = {"a": 1}
    e = d
    value = e.setdefault("b", 5)
    return x, d, e, value


def clear_a_dict(x):
    d = {"a": 1}
    e = d
    e.clear()
    return x, d, e


def delete_a_key(x):
    d = {"a": 1, "b": 2}
    e = d
    del e["a"]
    return x, d, e


def set_keys_in_a_loop(x):
    d = {}
    for key in ("a", "b"):
        d[key] = x * 2
    return d


def set_a_key_in_a_condition(x):
    d = {"a": x}
    if x.sum() > 0:
        d["a"] = x * 2
    return d


def set_a_key_of_a_dict_in_a_list(x):
    ds = [{"a": 1}]
    ds[0]["a"] = 2
    return x, ds


def set_a_key_of_a_dict_with_a_name_in_a_list(x):
    d = {"a": 1}
    ds = [d]
    d["a"] = 2
    return x, ds, d


# lists that a function gets


def _append_nine(values):
    values.append(9)


def _append_nine_and_return(values):
    values.append(9)
    return values


def _set_first(values):
    values[0] = 9


def _set_key(values):
    values["k"] = 9


def _add_nine(values):
    values += [9]


def a_function_appends(x):
    xs = [1]
    _append_nine(xs)
    return x, xs


def a_function_appends_and_returns(x):
    xs = [1]
    ys = _append_nine_and_return(xs)
    return x, xs, ys


def a_function_sets_an_item(x):
    xs = [1]
    _set_first(xs)
    return x, xs


def a_function_sets_a_key(x):
    d = {"a": 1}
    _set_key(d)
    return x, d


def a_function_adds(x):
    xs = [1]
    _add_nine(xs)
    return x, xs


def an_inner_function_appends(x):
    xs = [1]

    def add(value):
        xs.append(value)

    add(2)
    add(3)
    return x, xs


# arguments


def append_to_an_argument(x, xs):
    xs.append(4)
    return x, xs


def append_to_a_second_name_of_an_argument(x, xs):
    ys = xs
    ys.append(4)
    return x, xs, ys


def extend_an_argument(x, xs):
    xs.extend([4, 5])
    return x, xs


def insert_into_an_argument(x, xs):
    xs.insert(0, 9)
    return x, xs


def pop_from_an_argument(x, xs):
    last = xs.pop()
    return x, xs, last


def reverse_an_argument(x, xs):
    xs.reverse()
    return x, xs


def clear_an_argument(x, xs):
    xs.clear()
    return x, xs


def set_an_item_of_an_argument(x, xs):
    xs[0] = 9
    return x, xs


def set_an_item_of_an_argument_unreturned(x, xs):
    xs[0] = 9
    return x * xs[0]


def add_to_an_argument(x, xs):
    xs += [4]
    return x, xs


def delete_from_an_argument(x, xs):
    del xs[0]
    return x, xs


def append_a_tensor_to_an_argument(x, ts):
    ts.append(x)
    return ts


def append_a_tensor_to_an_argument_unreturned(x, ts):
    ts.append(x)
    return x * 2


def set_a_tensor_of_an_argument(x, ts):
    ts[0] = x * 2
    return ts


def append_to_a_nested_argument(x, nested):
    nested[0].append(9)
    return x, nested


def set_an_item_of_a_nested_argument(x, nested):
    nested[0][0] = 9
    return x, nested


def append_to_a_list_in_a_tuple_argument(x, pair):
    pair[0].append(9)
    return x, pair


def a_function_appends_to_an_argument(x, xs):
    _append_nine(xs)
    return x, xs


def append_to_an_argument_in_a_condition(x, ts):
    if x.sum() > 0:
        ts.append(x)
    else:
        ts.append(x * 2)
    return ts


def append_to_an_argument_in_a_loop(x, xs):
    for i in range(2):
        xs.append(i)
    return x, xs


def set_a_key_of_an_argument(x, d):
    d["c"] = 3
    return x, d


def set_a_tensor_in_a_dict_argument(x, dt):
    dt["a"] = x * 2
    return dt


def update_an_argument(x, d):
    d.update({"b": 5})
    return x, d


def pop_from_a_dict_argument(x, d):
    value = d.pop("a")
    return x, d, value


def set_a_default_in_an_argument(x, d):
    value = d.setdefault("c", 7)
    return x, d, value


def append_to_a_list_in_a_dict_argument(x, inner):
    inner["a"].append(3)
    return x, inner


def set_a_key_of_a_dict_in_a_list_argument(x, lists):
    lists[0]["a"] = 9
    return x, lists


# globals


def append_to_a_global(x):
    LISTED.append(4)
    return x, LISTED


def append_to_a_second_name_of_a_global(x):
    ys = LISTED
    ys.append(4)
    return x, LISTED, ys


def set_an_item_of_a_global(x):
    LISTED[0] = 9
    return x, LISTED


def pop_from_a_global(x):
    last = LISTED.pop()
    return x, LISTED, last


def append_a_tensor_to_a_global(x):
    TENSORS.append(x)
    return TENSORS


def set_a_tensor_of_a_global(x):
    TENSORS[0] = x * 2
    return TENSORS


def append_to_a_nested_global(x):
    NESTED[0].append(9)
    return x, NESTED


def set_a_key_of_a_global(x):
    MAPPED["c"] = 3
    return x, MAPPED


def update_a_global(x):
    MAPPED.update({"a": 3})
    return x, MAPPED


# attributes


class Attributes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.xs, self.ts, self.d, self.nested = [1, 2], [F(1.0)], {"a": 1}, [[1], [2]]


class AppendToAnAttribute(Attributes):
    def construct(self, x):
        self.xs.append(3)
        return x, self.xs


class AppendToASecondNameOfAnAttribute(Attributes):
    def construct(self, x):
        ys = self.xs
        ys.append(3)
        return x, self.xs, ys


class ExtendAnAttribute(Attributes):
    def construct(self, x):
        self.xs.extend([3, 4])
        return x, self.xs


class PopFromAnAttribute(Attributes):
    def construct(self, x):
        last = self.xs.pop()
        return x, self.xs, last


class ClearAnAttribute(Attributes):
    def construct(self, x):
        self.xs.clear()
        return x, self.xs


class SetAnItemOfAnAttribute(Attributes):
    def construct(self, x):
        self.xs[0] = 9
        return x, self.xs


class AddToAnAttribute(Attributes):
    def construct(self, x):
        self.xs += [3]
        return x, self.xs


class AppendATensorToAnAttribute(Attributes):
    def construct(self, x):
        self.ts.append(x)
        return self.ts


class SetATensorOfAnAttribute(Attributes):
    def construct(self, x):
        self.ts[0] = x * 2
        return self.ts


class AppendToANestedAttribute(Attributes):
    def construct(self, x):
        self.nested[0].append(9)
        return x, self.nested


class SetAKeyOfAnAttribute(Attributes):
    def construct(self, x):
        self.d["b"] = 2
        return x, self.d


class SetAnOldKeyOfAnAttribute(Attributes):
    def construct(self, x):
        self.d["a"] = 2
        return x, self.d


class UpdateAnAttribute(Attributes):
    def construct(self, x):
        self.d.update({"b": 2})
        return x, self.d


class AppendInAConditionToAnAttribute(Attributes):
    def construct(self, x):
        if x.sum() > 0:
            self.xs.append(3)
        return x, self.xs


class CollectsInAnAttribute(Attributes):
    def construct(self, x):
        self.ts = []
        for i in range(2):
            self.ts.append(x * i)
        return self.ts
