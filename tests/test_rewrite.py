"""`rewrite`: values and networks as MindSpore 2.10 reads them."""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

import torchspore as ms
from torchspore import nn, ops
from torchspore.rewrite import Node, NodeType, ScopedValue, SymbolTree, ValueType
from torchspore.rewrite.patterns import PatternEngine, PatternNode, Replacement, VarNode

RECORD = json.loads((Path(__file__).parent / "data" / "rewrite.json").read_text())


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (2, "ConstantValue", "2"),
        (2.5, "ConstantValue", "2.5"),
        ("a", "ConstantValue", "a"),
        (True, "ConstantValue", "True"),
        (None, "ConstantValue", "None"),
        ((1, 2), "TupleValue", "Illegal ValueType: ValueType.TupleValue"),
        ([1, "b"], "ListValue", "Illegal ValueType: ValueType.ListValue"),
        ({"a": 1}, "DictValue", "Illegal ValueType: ValueType.DictValue"),
        (ms.Tensor([1]), "CustomObjValue", "CustomObj: [1]"),
        (int, "CustomObjValue", "CustomObj: <class 'int'>"),
    ],
)
def test_values_of_objects(value, kind, shown):
    found = ScopedValue.create_variable_value(value)
    assert (found.type, found.scope, repr(found)) == (ValueType[kind], "", shown)


def test_what_is_in_containers_are_values_too():
    assert str(ScopedValue.create_variable_value({"a": [1, "b"]}).value["a"].value) == "[1, b]"


def test_values_of_names():
    assert str(ScopedValue.create_naming_value("conv", "self")) == "self.conv"
    assert str(ScopedValue.create_naming_value("conv")) == "conv"
    assert str(ScopedValue.create_name_values(("z", "y"), ["self", ""])) == "[self.z, y]"
    assert str(ScopedValue(ValueType.UnsupportedValue)) == "Illegal ValueType: ValueType.UnsupportedValue"


def test_equality():
    name = ScopedValue.create_naming_value("x")
    assert name == ScopedValue.create_naming_value("x")
    assert hash(name) == hash(ScopedValue.create_naming_value("x"))
    assert name != ScopedValue.create_naming_value("x", "self")
    assert name != "x"


def test_kinds():
    assert [(kind.name, kind.value) for kind in ValueType][-3:] == [
        ("NamingValue", 40), ("CustomObjValue", 41), ("UnsupportedValue", 50)]  # fmt: skip
    assert [(kind.name, kind.value) for kind in NodeType][-2:] == [("MathOps", 11), ("ControlFlow", 12)]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ScopedValue.create_naming_value(1, "self"), TypeError, "'name' must be a string"),
        (lambda: ScopedValue.create_naming_value("conv", 1), TypeError, "'scope' must be a string"),
        (lambda: ScopedValue.create_name_values("zy"), TypeError, "'names' must be a list or tuple"),
        (lambda: ScopedValue.create_name_values([1]), TypeError, "'names' must be a string"),
        (lambda: ScopedValue.create_name_values(["z"], "s"), TypeError, "'scopes' must be a list or tuple"),
        (lambda: ScopedValue.create_name_values(["z"], [1]), TypeError, "'scopes' must be a string"),
        (lambda: ScopedValue.create_name_values(["z"], ["a", "b"]), ValueError, "1 'names' and 2 'scopes'"),
        (lambda: ScopedValue(3), TypeError, "'arg_type' must be a ValueType"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


SUPER = {"        super_var = super()": "        super_var = super(Derived, self)", "[]": "[Derived, self]"}


@pytest.fixture(scope="module")
def networks():
    """The networks whose statements are read, with `mindspore` answered by this package."""
    code = (Path(__file__).parent / "rewrite_networks.py").read_text().replace("from mindspore", "from torchspore")
    module = ModuleType("rewrite_networks")
    path = str(Path(__file__).parent / "rewrite_networks.py")
    exec(compile(code.replace("import mindspore", "import torchspore"), path, "exec"), vars(module))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rewrite_networks", module)
        yield module


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    """Each execution mode."""
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def tree_of(networks, name):
    return SymbolTree.create(getattr(networks, name)())


@pytest.mark.parametrize("name", RECORD)
def test_statements_are_read_as_recorded(networks, name):
    tree, expected = tree_of(networks, name), RECORD[name]
    for row in expected["nodes"]:
        if row[0] == "super":  # without arguments it would find this class again in the one that is written
            row[3] = SUPER[row[3]]
    assert networks.nodes(tree) == expected["nodes"]
    assert [node.get_name() for node in tree.nodes(all_nodes=True)] == expected["all"]
    assert as_written(networks.body(tree)) == as_written([SUPER.get(line, line) for line in expected["construct"]])


def as_written(lines):
    """Return lines of code as this Python writes them: 3.10 puts tuples that are assigned to in parentheses."""
    return ast.unparse(ast.parse(textwrap.dedent("\n".join(lines)))).split("\n")


@pytest.mark.parametrize("name", [*RECORD])
def test_networks_compute_the_same_after_a_round_trip(networks, name, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    network = getattr(networks, name)()
    shape = (1, 1, 12, 12) if name == "Images" else (4, 4)
    inputs = [ms.ops.rand(*shape) for _ in range(2 if name in ("Expressions", "Chain") else 1)]
    expected = repr(network(*inputs))
    for _ in range(2):  # what was made can be read again
        made = SymbolTree.create(network).get_network()
        assert repr(made(*inputs)) == expected
        assert [p.name for p in made.get_parameters()] == [p.name for p in network.get_parameters()]
        assert type(made).__mro__[1] is type(network)
        network = made


def x(name="x"):
    return [ScopedValue.create_naming_value(name)]


EDITS = {
    "insert after": (
        lambda tree: tree.insert(tree.after("first"), Node.create_call_cell(nn.Sigmoid(), ["x"], x(), name="act")),
        ["x = self.first(x)", "x = self.act(x)", "z = self.relu(x)", "x = self.second(x)", "w = x + z"],
    ),
    "insert before, named by its class": (
        lambda tree: tree.insert(tree.before(tree.get_node("second")), Node.create_call_cell(nn.Sigmoid(), ["q"], x())),
        ["x = self.first(x)", "z = self.relu(x)", "q = self.Sigmoid(x)", "x = self.second(x)", "w = x + z"],
    ),
    "insert by a taken name": (
        lambda tree: tree.insert(tree.after("first"), Node.create_call_cell(nn.Sigmoid(), ["x"], x(), name="relu")),
        ["x = self.first(x)", "x = self.relu_1(x)", "z = self.relu(x)", "x = self.second(x)", "w = x + z"],
    ),
    "insert a function": (
        lambda tree: tree.insert(tree.after("second"), Node.create_call_function(ops.abs, ["x"], x())),
        ["x = self.first(x)", "z = self.relu(x)", "x = self.second(x)", "x = abs(x)", "w = x + z"],
    ),
    "erase": (lambda tree: tree.erase("second"), ["x = self.first(x)", "z = self.relu(x)", "w = x + z"]),
    "replace": (
        lambda tree: tree.replace(
            tree.get_node("relu"),
            [
                Node.create_call_cell(nn.Sigmoid(), ["u"], x(), name="a"),
                Node.create_call_cell(nn.Tanh(), ["z"], x("u"), name="b"),
            ],
        ),
        ["x = self.first(x)", "u = self.a(x)", "z = self.b(u)", "x = self.second(x)", "w = x + z"],
    ),
    "set_arg": (
        lambda tree: tree.get_node("second").set_arg(0, "z"),
        ["x = self.first(x)", "z = self.relu(x)", "x = self.second(z)", "w = x + z"],
    ),
    "set_arg_by_node": (
        lambda tree: tree.get_node("second").set_arg_by_node(0, tree.get_node("relu")),
        ["x = self.first(x)", "z = self.relu(x)", "x = self.second(z)", "w = x + z"],
    ),
    "set_arg_by_node of a variable that changes": (
        lambda tree: tree.get_node("binop_add").set_arg_by_node(1, tree.get_node("first")),
        ["x = self.first(x)", "x_1 = x", "z = self.relu(x)", "x = self.second(x)", "w = x + x_1"],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_nodes_are_edited(networks, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edit, expected = EDITS[name]
    tree = tree_of(networks, "Chain")
    edit(tree)
    assert networks.body(tree)[1:-1] == [f"        {line}" for line in expected]
    assert tree.get_network()(ms.ops.ones((2, 4))).shape == (2, 4)


def test_a_new_argument_and_another_output(networks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = tree_of(networks, "Chain")
    tree.insert(tree.after("input_y"), Node.create_input("mask", ScopedValue.create_variable_value(3)))
    tree.set_output(0, "mask")
    assert networks.body(tree)[0] == "    def construct(self, x, y=None, mask=3):"
    assert tree.get_network()(ms.ops.ones((2, 4))) == 3
    assert [node.get_name() for node in tree.get_inputs()] == ["input_x", "input_y", "input_mask"]


def test_networks_inside_networks_and_containers_are_edited(networks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = tree_of(networks, "Nested")
    inner = tree.get_node("other").get_sub_tree()
    inner.erase("relu")
    inner.set_output(0, "x")
    made = tree.get_network()
    assert "return x" in inner.get_code()
    value = ms.ops.ones((2, 4))
    part = made.part(made.same(value))
    assert repr(made(value)) == repr(made.other.dense(part))

    tree = tree_of(networks, "Containers")
    tree.erase("Dense")
    tree.insert(tree.before("ReLU"), Node.create_call_cell(nn.Flatten(), ["x"], x()))
    assert [type(cell).__name__ for cell in tree.get_network().layers] == ["Flatten", "ReLU", "PartOpt"]

    tree = tree_of(networks, "Chain")
    tree.insert(tree.after("first"), Node.create_call_cell(networks.Part(), ["x"], x(), name="part", is_sub_net=True))
    tree.get_node("part").get_sub_tree().erase("dense")
    assert "x = self.dense(x)" not in tree.get_code()
    assert tree.get_network()(ms.ops.ones((2, 4))).shape == (2, 4)


def test_static_branches_are_flattened(networks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = tree_of(networks, "Static")
    tree.flatten_static_if_control_flow()
    assert [line[8:] for line in networks.body(tree)[1:]] == [
        "x = self.relu(x)", "x = x - 1", "not_var = not self.flag", "compare_var = y is None", "if compare_var:",
        "    y = x", "range_var = range(2)", "for _ in range_var:", "    x = x + y", "return x",
    ]  # fmt: skip
    value = ms.ops.rand(2, 4)
    assert repr(tree.get_network()(value)) == repr(networks.Static()(value))

    tree = tree_of(networks, "Static")
    tree.flatten_nodes(tree.get_node("else_node"))  # of the inner `if`
    assert networks.body(tree)[3:6] == [
        "            if self.big:", "                x = x + 1", "            x = x - 1"]  # fmt: skip
    with pytest.raises(ValueError, match=r"'node' must be a NodeType.ControlFlow"):
        tree.flatten_nodes(tree.get_node("unaryop_not"))


class Swapped(Replacement):
    """Puts a Sigmoid and a Dense in place of what matched."""

    def build(self, pattern, is_chain_pattern, matched):
        first, last = matched[pattern.get_inputs()[0].name()], matched[pattern.name()]
        middle = [ScopedValue.create_naming_value("u")]
        assert (is_chain_pattern, list(matched.values())) == (True, [first, last])
        return [
            Node.create_call_cell(nn.Sigmoid(), ["u"], first.get_args(), name="new"),
            Node.create_call_cell(first.get_instance(), last.get_targets(), middle, name="old"),
        ]


def test_calls_are_exchanged_by_pattern(networks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = tree_of(networks, "Paired")
    assert PatternEngine([nn.Dense, nn.ReLU], Swapped()).apply(tree)
    assert [line[8:] for line in networks.body(tree)[1:5]] == [
        "u = self.new(x)", "x = self.old(u)", "y = self.other(x)", "z = self.relu(y)"]  # fmt: skip  # y is used again
    assert [type(cell).__name__ for cell in tree.get_origin_network().layers] == ["Sigmoid", "Dense", "Tanh"]
    assert [node.get_name() for node in tree.get_node("part").get_sub_tree().nodes()][1:3] == ["new", "old"]
    assert tree.get_network()(ms.ops.ones((2, 4))).shape == (2, 4)
    assert not PatternEngine([nn.Dense, nn.ReLU], Swapped()).apply(tree)
    assert not PatternEngine([nn.Dense]).apply(tree)


def test_patterns(networks):
    tree = tree_of(networks, "Paired")
    add, relu = tree.get_node("add"), tree.get_node("relu_1")
    pattern = PatternNode("sum", ops.Add, [VarNode(), PatternNode("relu", nn.ReLU)])
    assert pattern.find(add) == {"relu": relu, "sum": add}
    assert pattern.find(relu) is None
    assert PatternNode("sum", ops.Add).find(add) == {"sum": add}
    chain = PatternNode.create_pattern_from_list([nn.Dense, nn.ReLU])
    assert (chain.type(), chain.get_inputs()[0].type(), chain.name()[:2]) == (nn.ReLU, nn.Dense, "1-")
    made = PatternNode.create_pattern_from_node(relu)
    assert (made.name(), made.type(), made.get_inputs()[0].type()) == ("z", nn.ReLU, nn.Dense)
    assert (VarNode().name(), VarNode().match(add), PatternNode("x").match(add)) == ("placeholder", True, False)
    made.add_input(chain)
    assert made.get_inputs()[-1] is chain
    with pytest.raises(NotImplementedError, match="Define the method 'build'"):
        PatternEngine([nn.Tanh], Replacement()).apply(tree)


def test_names_of_inner_nodes_and_trees(networks):
    tree = tree_of(networks, "Flow")
    flow, branch, loop = (tree.get_node(name) for name in ("if_node", "else_node", "for_node"))
    assert [node.get_name() for node in flow.get_handler().nodes()] == ["binop_add", "if_node_1"]
    assert (flow.node_count, flow.node_list[0].get_node_manager(), loop.loop_vars) == (2, flow, ["_"])
    assert (flow.is_orelse, branch.is_orelse, flow.orelse_node, branch.body_node) == (False, True, branch, flow)
    assert flow.get_source_code().splitlines()[:2] == ["if and_var:", "    x = x + 1"]
    assert branch.get_source_code().splitlines()[0] == "else:"
    assert (flow.get_next(), flow.get_prev().get_name(), flow.get_node_manager()) == (branch, "boolop_and", tree)
    assert [node.get_name() for node in tree.get_input_nodes()] == ["input_x", "input_y", "input_z"]
    assert (tree.get_head(), tree.get_tail()) == (tree.node_list[0], tree.get_returns()[-1])

    tree = tree_of(networks, "Nested")
    part = tree.get_node("part")
    assert part.symbol_tree is part.get_sub_tree()
    assert tree.get_tree_nodes()[0] is part
    assert (tree.get_ori_cls_name(), str(part.get_func_name())) == ("Nested", "self.part")

    tree = tree_of(networks, "Chain")
    relu = tree.get_node("relu")
    assert str(relu.get_normalized_args()) == "{'input': x}"
    relu.set_kwarg("k", ScopedValue.create_variable_value(3))
    tree.set_node_target("relu", 0, "q")
    tree.set_node_arg("second", 0, "q")
    tree.insert_node(Node.create_call_function(ops.abs, ["q"], x("q")), relu, before_node=False)
    assert networks.body(tree)[2:5] == [
        "        q = self.relu(x, k=3)", "        q = abs(q)", "        x = self.second(q)"]  # fmt: skip
    assert [node.get_name() for node in tree.get_node_inputs("second")] == ["abs"]
    assert [(node.get_name(), index) for node, index in tree.get_node_users("abs")] == [("second", 0)]
    assert tree.erase_node("abs").get_symbol_tree() is None


def test_a_made_network_trains_and_its_code_is_in_a_file(networks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = tree_of(networks, "Chain")
    network = tree.get_network()
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    before = network.first.weight.asnumpy().copy()
    _, gradients = ms.value_and_grad(lambda x: network(x).sum(), None, optimizer.parameters)(ms.ops.ones((2, 4)))
    optimizer(gradients)
    assert abs(network.first.weight.asnumpy() - before).max() > 0
    (file,) = (tmp_path / "rewritten_network").iterdir()
    assert file.read_text() == tree.get_code()
    assert inspect.getsource(type(network).construct).startswith("    def construct(self, x, y=None):")
    assert tree.get_saved_file_name() == "./network_define.py"
    tree.set_saved_file_name("made")
    tree.save_network_to_file()
    assert (tmp_path / "made.py").read_text() == tree.get_code()


def test_print_node_tabulate(networks, capsys):
    tree_of(networks, "Chain").print_node_tabulate()
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines[0].split()) == "node type name codes arg providers target users"
    assert " ".join(lines[5].split()) == (
        "NodeType.CallCell relu z = self.relu(x) {0: ('first', 0)} {0: [('binop_add', 1)]}"
    )
    assert len(lines) == 9


def test_names_and_nodes(networks):
    tree = tree_of(networks, "Chain")
    assert [tree.unique_name(name) for name in ("x", "new", "new")] == ["x_1", "new", "new_1"]
    assert tree.get_node("nothing") is None
    assert tree.get_handler() is tree
    assert tree.get_origin_network().first is tree.get_node("first").get_instance()
    node = tree.get_node("first")
    assert (node.get_symbol_tree(), node.get_handler()) == (tree, node)
    node.set_attribute("note", 1)
    assert (node.get_attribute("note"), node.get_attribute("other"), node.get_attributes()) == (1, None, {"note": 1})
    assert [(user.get_name(), index) for user, index in node.get_target_users(0)] == [("relu", 0), ("second", 0)]
    tree.erase(node)
    assert node.get_symbol_tree() is None


def in_tree(action):
    def call(networks):
        tree = tree_of(networks, "Chain")
        return action(tree, tree.get_node)

    return call


WRONG = [
    (lambda n: SymbolTree.create(3), TypeError, "'network' must be a Cell"),
    (lambda n: SymbolTree(3), TypeError, "'handler' must be a SymbolTree"),
    (lambda n: Node.create_call_cell(3, ["x"]), TypeError, "'cell' must be a Cell or Primitive"),
    (lambda n: Node.create_call_cell(nn.ReLU(), "x"), TypeError, "'targets' must be a list"),
    (lambda n: Node.create_call_cell(nn.ReLU(), [3]), TypeError, "'targets' must hold ScopedValues"),
    (lambda n: Node.create_call_cell(nn.ReLU(), ["x"], ["x"]), TypeError, "'args' must hold ScopedValues"),
    (lambda n: Node.create_call_cell(nn.ReLU(), ["x"], kwargs={"a": 3}), TypeError, "'kwargs' must hold ScopedValues"),
    (lambda n: Node.create_call_cell(nn.ReLU(), ["x"], [], "part"), TypeError, "'kwargs' a dict"),
    (lambda n: Node.create_call_function(3, ["x"]), TypeError, "'function' must be a function"),
    (lambda n: Node.create_input("x", 3), TypeError, "'default' must be a ScopedValue"),
    (in_tree(lambda t, n: t.get_node(3)), TypeError, "'node_name' must be a string"),
    (in_tree(lambda t, n: t.nodes(1)), TypeError, "'all_nodes' must be a bool"),
    (in_tree(lambda t, n: t.unique_name(3)), TypeError, "'name' must be a string"),
    (in_tree(lambda t, n: t.before(3)), TypeError, "'node' must be a Node or the name"),
    (in_tree(lambda t, n: t.after("nothing")), RuntimeError, "the tree has no node 'nothing'"),
    (in_tree(lambda t, n: t.erase("nothing")), RuntimeError, "the tree has no node 'nothing'"),
    (in_tree(lambda t, n: t.erase("input_y")), RuntimeError, "is an argument"),
    (in_tree(lambda t, n: t.insert(3, n("relu"))), TypeError, "'position' must be"),
    (in_tree(lambda t, n: t.insert(t.after("first"), 3)), TypeError, "'node' must be a Node"),
    (in_tree(lambda t, n: t.insert(t.after("first"), n("relu"))), ValueError, "cannot be inserted again"),
    (in_tree(lambda t, n: t.insert(t.before("input_x"), Node.create_input("m"))), RuntimeError, "before an argument"),
    (in_tree(lambda t, n: t.insert(t.after("relu"), Node.create_input("m"))), RuntimeError, "must directly follow"),
    (in_tree(lambda t, n: t.replace(3, [])), TypeError, "'old_node' must be a Node"),
    (in_tree(lambda t, n: t.replace(n("relu"), 3)), TypeError, "'new_nodes' must be a list"),
    (in_tree(lambda t, n: t.replace(n("relu"), [])), ValueError, "'new_nodes' is empty"),
    (in_tree(lambda t, n: t.set_output(1, "x")), ValueError, "'index' must be in"),
    (in_tree(lambda t, n: n("relu").set_arg(5, "x")), ValueError, "'index' must be in"),
    (in_tree(lambda t, n: n("relu").set_arg("a", "x")), TypeError, "'index' must be an int"),
    (in_tree(lambda t, n: n("relu").set_arg(0, 3)), TypeError, "'arg' must be a ScopedValue"),
    (in_tree(lambda t, n: n("relu").set_arg_by_node(0, 3)), TypeError, "'src_node' must be a Node"),
    (in_tree(lambda t, n: n("relu").set_arg_by_node(0, n("first"), 3)), ValueError, "'out_idx' must be in"),
    (in_tree(lambda t, n: n("relu").set_arg_by_node(0, n("return"))), ValueError, "has 0 targets"),
    (in_tree(lambda t, n: n("relu").get_sub_tree()), TypeError, "must be a NodeType.Tree"),
    (in_tree(lambda t, n: t.insert(tree_of(NETWORKS[0], "Chain").after("first"), Node.create_input("m"))),
     ValueError, "not in this tree"),
]  # fmt: skip
NETWORKS = []


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_errors_of_trees(networks, call, error, message):
    NETWORKS[:] = [networks]
    with pytest.raises(error, match=message):
        call(networks)


def test_networks_of_notebooks_and_functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shift = 5

    class Local(nn.Cell):
        def construct(self, x):
            return ops.relu(x) + shift

    assert SymbolTree.create(Local()).get_network()(ms.Tensor([1.0, -1.0])).asnumpy().tolist() == [6.0, 5.0]
    namespace = {"nn": nn}
    exec("class Unknown(nn.Cell):\n    def construct(self, x):\n        return x", namespace)
    with pytest.raises(ValueError, match="cannot be read"):
        SymbolTree.create(namespace["Unknown"]())


def test_reading_a_network_calls_nothing_of_it():
    class Counting(nn.Cell):
        count = 0

        def next(self):
            self.count += 1
            return True

        def construct(self, x):
            if self.next() and self.training:
                return x
            return x + 1

    network = Counting()
    SymbolTree.create(network).flatten_static_if_control_flow()
    assert network.count == 0
