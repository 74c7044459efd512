"""Which weights of whole networks correspond, where the two sides name and nest their layers differently."""

# ruff: noqa: E501
from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import migrate

nn, tnn = ms.nn, torch.nn


def cell(**members):
    result = nn.Cell()
    for name, member in members.items():
        setattr(result, name, member)
    return result


def module(**members):
    result = tnn.Module()
    for name, member in members.items():
        setattr(result, name, member)
    return result


def dense(inputs=4, outputs=4, **options):
    return nn.Dense(inputs, outputs, **options)


def linear(inputs=4, outputs=4, **options):
    return tnn.Linear(inputs, outputs, **options)


def conv(inputs, outputs, size=1):
    return nn.Conv2d(inputs, outputs, size), tnn.Conv2d(inputs, outputs, size, bias=False)


def norm(size):
    return nn.BatchNorm2d(size), tnn.BatchNorm2d(size)


def block(side, inputs, outputs, names):
    """Return a residual block; sides name its layers, and so may define them in different orders."""
    parts = {
        "first": conv(inputs, outputs, 3), "second": conv(outputs, outputs, 3), "short": conv(inputs, outputs),
        "bn1": norm(outputs), "bn2": norm(outputs),
    }  # fmt: skip
    members = {name: parts[part][side] for part, name in names.items()}
    return (module if side else cell)(**members)


OURS = {"first": "conv1", "bn1": "bn1", "second": "conv2", "bn2": "bn2", "short": "down_sample"}
THEIRS = {"first": "conv_a", "bn1": "norm_a", "second": "conv_b", "bn2": "norm_b", "short": "skip"}


def residual():
    ours = cell(
        conv1=conv(3, 4, 3)[0], layer1=nn.SequentialCell(block(0, 4, 8, OURS), block(0, 8, 8, OURS)), fc=dense(8, 5)
    )
    theirs = module(
        stem=conv(3, 4, 3)[1], stages=tnn.Sequential(block(1, 4, 8, THEIRS), block(1, 8, 8, THEIRS)), head=linear(8, 5)
    )
    return ours, module(module=theirs)


def tagger():
    ours = cell(embedding=nn.Embedding(9, 4), lstm=nn.LSTM(4, 3, 2, bidirectional=True), out=dense(6, 5))
    theirs = module(words=tnn.Embedding(9, 4), rnn=tnn.LSTM(4, 3, 2, bidirectional=True), tags=linear(6, 5))
    return ours, theirs


def unet():
    ours = cell(
        down1=nn.SequentialCell(conv(3, 4, 3)[0], norm(4)[0]), down2=conv(4, 8, 3)[0],
        up=nn.Conv2dTranspose(8, 4, 2, has_bias=True), last=conv(8, 2)[0],
    )  # fmt: skip
    theirs = module(
        encoder=tnn.ModuleList([tnn.Sequential(conv(3, 4, 3)[1], norm(4)[1]), conv(4, 8, 3)[1]]),
        upsample=tnn.ConvTranspose2d(8, 4, 2), head=conv(8, 2)[1],
    )  # fmt: skip
    return ours, theirs


def attention_of_separate_queries():
    ours = cell(attn=cell(query=dense(), key=dense(), value=dense(), out=dense()), norm=nn.LayerNorm([4]))
    return ours, module(attn=tnn.MultiheadAttention(4, 2), ln=tnn.LayerNorm(4))


def attention_of_one_tensor_in_the_cell():
    ours = cell(qkv=dense(4, 12), proj=dense())
    return ours, module(q_proj=linear(), k_proj=linear(), v_proj=linear(), o_proj=linear())


def sequence_with_other_numbers():
    ours = nn.SequentialCell(dense(), dense(), dense())
    return ours, tnn.Sequential(tnn.Flatten(), linear(), tnn.ReLU(), linear(), tnn.ReLU(), linear())


def own_parameters():
    ours = cell(blocks=nn.CellList([cell(mlp=dense()) for _ in range(2)]))
    theirs = module(layers=tnn.ModuleList([module(fc=linear()) for _ in range(2)]))
    for i in range(2):
        ours.blocks[i].layer_scale_1 = ms.Parameter(np.full(4, i + 2.0, np.float32))
        ours.blocks[i].layer_scale_2 = ms.Parameter(np.full(4, i + 5.0, np.float32))
        theirs.layers[i].scale1 = module(gamma=tnn.Parameter(torch.full((4,), i + 2.0)))
        theirs.layers[i].scale2 = module(gamma=tnn.Parameter(torch.full((4,), i + 5.0)))
    ours.pos_embed = ms.Parameter(np.zeros((1, 3, 4), np.float32))
    theirs.positions = tnn.Parameter(torch.zeros(3, 4))
    return ours, theirs


def gate_named_gamma():
    """`gamma` is not the weight of a normalization here, as in ConvNeXt's blocks."""
    ours, theirs = cell(norm=nn.LayerNorm([4]), fc=dense()), module(norm=tnn.LayerNorm(4), fc=linear())
    ours.gamma_ = ms.Parameter(np.zeros(4, np.float32))
    theirs.gamma = tnn.Parameter(torch.zeros(4))
    return ours, theirs


def swapped_definition():
    ours = cell(down=dense(), first=dense(), second=dense())
    return ours, module(first=linear(), second=linear(), down=linear())


def tied():
    ours, theirs = cell(embedding=nn.Embedding(9, 4), head=dense(4, 9, has_bias=False)), None
    ours.head.weight = ours.embedding.embedding_table
    theirs = module(wte=tnn.Embedding(9, 4), lm_head=linear(4, 9, bias=False))
    theirs.lm_head.weight = theirs.wte.weight
    return ours, theirs


# pairs: for each network the last weights of the cell, and torch's weights for them
NETWORKS = {
    residual: {
        "layer1.0.conv1.weight": "module.stages.0.conv_a.weight", "layer1.1.conv2.weight": "module.stages.1.conv_b.weight",
        "layer1.0.down_sample.weight": "module.stages.0.skip.weight", "layer1.0.bn2.gamma": "module.stages.0.norm_b.weight",
        "fc.bias": "module.head.bias",
    },
    tagger: {"embedding.embedding_table": "words.weight", "lstm.weight_hh_l1_reverse": "rnn.weight_hh_l1_reverse"},
    unet: {"down1.1.moving_mean": "encoder.0.1.running_mean", "up.weight": "upsample.weight", "last.weight": "head.weight"},
    attention_of_separate_queries: {"attn.key.weight": "attn.in_proj_weight", "norm.gamma": "ln.weight"},
    attention_of_one_tensor_in_the_cell: {"proj.weight": "o_proj.weight"},
    sequence_with_other_numbers: {"0.weight": "1.weight", "1.weight": "3.weight", "2.bias": "5.bias"},
    own_parameters: {
        "blocks.1.layer_scale_2": "layers.1.scale2.gamma", "pos_embed": "positions", "blocks.0.mlp.weight": "layers.0.fc.weight",
    },
    gate_named_gamma: {"gamma_": "gamma", "norm.gamma": "norm.weight"},
    swapped_definition: {"down.weight": "down.weight", "second.bias": "second.bias"},
    tied: {"embedding.embedding_table": "wte.weight"},
}  # fmt: skip


@pytest.mark.parametrize("network", NETWORKS)
def test_networks_map_without_rules(network):
    ours, theirs = network()
    weights = migrate.map_weights(ours, theirs)
    assert weights.complete, str(weights)
    found = {entry.cell: entry.torch for entry in weights}
    assert {name: found[name] for name in NETWORKS[network]} == NETWORKS[network]


@pytest.mark.parametrize("network", NETWORKS)
def test_values_return_unchanged(network):
    ours, theirs = network()
    state = {name: torch.rand_like(value) if value.is_floating_point() else value for name, value in theirs.state_dict().items()}  # fmt: skip
    theirs.load_state_dict(state)
    state = {name: value.clone() for name, value in theirs.state_dict().items()}
    migrate.load_torch(ours, theirs)
    with torch.no_grad():
        for value in theirs.parameters():
            value.zero_()
    migrate.map_weights(ours, theirs).copy_to_torch()
    for name, value in theirs.state_dict().items():
        torch.testing.assert_close(value, state[name], rtol=0, atol=0)


@pytest.mark.parametrize("network", NETWORKS)
def test_entries_compare_values_of_both_sides(network):
    ours, theirs = network()
    weights = migrate.map_weights(ours, theirs)
    weights.copy_to_cell()
    parameters, state = dict(ours.parameters_and_names()), theirs.state_dict()
    for entry in weights:
        if entry.cell in parameters:
            mine = parameters[entry.cell].torch.detach().cpu()
            torch.testing.assert_close(entry.of_cell(mine), entry.of_torch(state[entry.torch]), rtol=0, atol=0)
            torch.testing.assert_close(entry.to_cell(state[entry.torch]), entry.form.cell_part(mine), rtol=0, atol=0)


# What is not certain

AMBIGUOUS = {
    "names in another order": (
        lambda: cell(encoder=dense(), decoder=dense()),
        lambda: module(dec=linear(), enc=linear()),
    ),
    "a known layer between": (
        lambda: cell(proj=dense(), a=dense(), b=dense(4, 2)),
        lambda: module(conv1=linear(), conv2=linear(4, 2), downsample=linear()),
    ),
    "parameters in another order": (
        lambda: _with(cell(), "encoder_scale", "decoder_scale"),
        lambda: _with(module(), "dec_scaling", "enc_scaling"),
    ),
}


def _with(net, *names):
    for name in names:
        value = torch.zeros(4)
        setattr(net, name, ms.Parameter(ms.Tensor(value)) if isinstance(net, nn.Cell) else tnn.Parameter(value))
    return net


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_is_ambiguous_is_reported_and_not_copied(name):
    ours, theirs = (make() for make in AMBIGUOUS[name])
    weights = migrate.map_weights(ours, theirs)
    assert weights.ambiguous
    assert "ambiguous: " in str(weights)
    before = [p.asnumpy().copy() for p in ours.get_parameters()]
    with pytest.raises(ValueError, match=r"^For 'map_weights', nothing was copied, .*ambiguous.*Give 'rules'"):
        weights.copy_to_cell()
    assert all((p.asnumpy() == old).all() for p, old in zip(ours.get_parameters(), before))


def test_alphabetical_files_give_no_order():
    ours = cell(wide=dense(), narrow=dense())
    theirs = module(one=linear(), other=linear()).state_dict()
    assert migrate.map_weights(ours, theirs).complete
    weights = migrate.map_weights(ours, dict(sorted(theirs.items())))
    assert len(weights.ambiguous) == 1


def test_layers_of_one_side_are_listed_with_a_hint():
    weights = migrate.map_weights(cell(fc=dense(4, 10), body=dense()), module(fc=linear(4, 3), body=linear()))
    assert weights.only_in_cell == ["fc.weight", "fc.bias"]
    assert "only in the cell: fc.weight (10, 4); close: fc.weight (3, 4)" in weights.problems()


@pytest.mark.parametrize("name", ["a." * 500 + "b", "9" * 5000 + ".weight"])
def test_names_of_any_length_are_refused(name):
    with pytest.raises(ValueError, match=r"^For 'map_weights', a name in 'module_or_state_dict' is too long"):
        migrate.map_weights(dense(), {name: torch.zeros(2)})


def test_many_alike_layers_take_little_time():
    chance = np.random.default_rng(0)
    names = ["".join(chance.choice(list("abcdefgh"), 8)) for _ in range(1000)]
    values = {f"{name}.weight": torch.zeros(1) for name in names}
    assert len(migrate.map_weights({f"x{name[::-1]}": value for name, value in values.items()}, values).entries) <= 1000


# Rules

RULES = {
    "dict": {r"^downsample\.": "proj."},
    "pairs": [("conv1", "a"), ("downsample", "proj")],
    "function": lambda name: name.replace("downsample", "proj"),
}


@pytest.mark.parametrize("kind", RULES)
def test_rules_decide(kind):
    ours, theirs = (make() for make in AMBIGUOUS["a known layer between"])
    weights = migrate.map_weights(ours, theirs, RULES[kind])
    assert weights.complete, str(weights)
    found = {entry.cell: (entry.torch, entry.why) for entry in weights}
    assert found["proj.weight"] == ("downsample.weight", "a rule")
    assert found["a.weight"][0] == "conv1.weight"


def test_rules_leave_names_out():
    weights = migrate.map_weights(cell(a=dense()), module(a=linear(), aux=linear()), {"^aux": None})
    assert weights.complete
    assert weights.unneeded == {"aux.weight": "left out by a rule", "aux.bias": "left out by a rule"}


@pytest.mark.parametrize(
    ("rules", "kind", "message"),
    [
        (3, TypeError, "'rules' must be a dict or a list of pairs"),
        ([("a",)], TypeError, "'rules' must be a dict or a list of pairs"),
        ({"(": "a"}, ValueError, r"the rule '\(' is not a regular expression"),
        ({"a": r"\1"}, ValueError, "the replacement .* is wrong"),
        (lambda name: 3, TypeError, "'rules' must return a name or None, but returned 3"),
    ],
)
def test_wrong_rules_are_named(rules, kind, message):
    with pytest.raises(kind, match=f"^For 'map_weights', {message}"):
        migrate.map_weights(cell(a=dense()), module(a=linear()), rules)


@pytest.mark.parametrize("wrong", [3, None, [linear()], {"a": 3}, {3: torch.zeros(2)}])
def test_other_sources_are_refused(wrong):
    with pytest.raises(TypeError, match=r"^For 'map_weights', 'module_or_state_dict' must"):
        migrate.map_weights(dense(), wrong)


# Types, sharing


def test_transposed_weights_of_unknown_layers():
    weights = migrate.map_weights(dense(4, 6), {"weight": torch.rand(4, 6), "bias": torch.rand(6)})
    assert str(weights.entries[0].form) == "transpose"


def gpt2_block(inputs=4):
    """Return matrices as transformers keeps them in GPT-2."""
    shapes = {"c_attn": (4, 12), "c_proj": (4, 4), "c_fc": (inputs, 6)}
    return {
        f"{layer}.{kind}": torch.rand(shape if kind == "weight" else shape[1:])
        for layer, shape in shapes.items()
        for kind in ("weight", "bias")
    }


class Conv1D(nn.Cell):
    """A cell with matrices as transformers has them."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = ms.Parameter(np.zeros((inputs, outputs), np.float32))
        self.bias = ms.Parameter(np.zeros(outputs, np.float32))


def test_layers_that_are_transposed_on_both_sides_or_on_one():
    state = gpt2_block()
    net = cell(c_attn=Conv1D(4, 12), c_proj=Conv1D(4, 4), c_fc=Conv1D(4, 6))
    migrate.load_torch(net, state)
    assert torch.equal(net.c_proj.weight.torch.detach().cpu(), state["c_proj.weight"])
    theirs = module(c_proj=linear())
    migrate.load_mindspore(theirs, cell(c_proj=net.c_proj))
    assert torch.equal(theirs.c_proj.weight.detach(), state["c_proj.weight"].T)


def test_square_matrices_are_transposed_as_all_others():
    state = gpt2_block()
    net = cell(c_attn=dense(4, 12), c_proj=dense(), c_fc=dense(4, 6))
    migrate.load_torch(net, state)
    assert torch.equal(net.c_proj.weight.torch.detach().cpu(), state["c_proj.weight"].T)
    net = cell(q=dense(), k=dense(), v=dense(), c_proj=dense(), c_fc=dense(4, 6))
    migrate.load_torch(net, state)
    assert torch.equal(net.k.weight.torch.detach().cpu(), state["c_attn.weight"][:, 4:8].T)
    assert torch.equal(net.c_proj.weight.torch.detach().cpu(), state["c_proj.weight"].T)


def test_square_matrices_are_uncertain_where_only_some_are_transposed():
    state = gpt2_block() | {"head.weight": torch.rand(9, 4)}
    net = cell(c_attn=dense(4, 12), c_proj=dense(), c_fc=dense(4, 6), head=dense(4, 9, has_bias=False))
    weights = migrate.map_weights(net, state)
    assert weights.problems() == [
        "ambiguous: c_proj.weight is c_proj.weight, transposed or not; give the module instead of its weights"
    ]


def test_values_are_converted_between_floats_only():
    net = dense()
    migrate.load_torch(
        net, {"weight": torch.ones(4, 4, dtype=torch.bfloat16), "bias": torch.ones(4, dtype=torch.float64)}
    )
    assert net.weight.dtype == ms.float32
    assert net.weight.asnumpy().sum() == 16
    with pytest.raises(
        ValueError, match=r"^For 'load_torch', 'bias' has the dtype torch.int64, which is not converted"
    ):
        migrate.load_torch(net, {"weight": torch.zeros(4, 4), "bias": torch.ones(4, dtype=torch.int64)})
    assert net.weight.asnumpy().sum() == 16


def test_tied_weights_of_the_cell_need_equal_values():
    ours, theirs = tied()[0], module(wte=tnn.Embedding(9, 4), lm_head=linear(4, 9, bias=False))
    with pytest.raises(ValueError, match="have different values, but share one"):
        migrate.load_torch(ours, theirs, {"lm_head": "head"})


def test_modules_without_values_are_refused():
    with pytest.raises(ValueError, match="'weight' has no values: it is on the device 'meta'"):
        migrate.load_torch(dense(), tnn.Linear(4, 4, device="meta"))


def test_it_prints_as_a_table():
    text = str(migrate.map_weights(nn.Conv1d(3, 2, 3), tnn.Conv1d(3, 2, 3, bias=False)))
    assert text.splitlines() == [
        "cell    torch   form     why",
        "weight  weight  reshape  same name",
    ]
