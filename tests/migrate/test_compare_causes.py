"""Every cause that `compare` knows: a pair of networks with it, the layer and the cause that the report must name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn as tnn

import torchspore as ms
from torchspore import nn
from torchspore.migrate import compare

Pair = tuple[Any, Any]
CELL, MODULE = nn.SequentialCell, tnn.Sequential


def images(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).standard_normal(shape or (2, 4, 8, 8)).astype(np.float32))


def rows(*shape: int) -> torch.Tensor:
    return images(*(shape or (6, 8)))


class Functional(nn.Cell):
    """A layer of a function."""

    def __init__(self, function: Callable[..., Any], *layers: nn.Cell) -> None:
        super().__init__()
        self.function = function
        self.layers = nn.CellList(list(layers))

    def construct(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return self.function(x)


class FunctionalModule(tnn.Module):
    """The same in torch."""

    def __init__(self, function: Callable[..., Any], *layers: tnn.Module) -> None:
        super().__init__()
        self.function = function
        self.layers = tnn.ModuleList(layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return self.function(x)


def conv(**options: Any) -> Any:
    return nn.Conv2d(4, 4, 3, **({"pad_mode": "pad", "padding": 1, "has_bias": True} | options))


def torch_conv(**options: Any) -> Any:
    return tnn.Conv2d(4, 4, 3, **({"padding": 1} | options))


def lookup_rows() -> torch.Tensor:
    return torch.tensor([[0, 1, 2], [3, 0, 1]])


# name: (layers of the cell, layers of the module, input, position of the layer, setting of the cause, words in it)
LAYERS: dict[str, tuple[list[Any], list[Any], torch.Tensor, str, str, str]] = {
    "pad_mode same": (
        [conv(pad_mode="same", padding=0)], [torch_conv(padding=0)], images(), "0", "padding", "pad_mode='same'"),
    "pad_mode same with stride 2": (
        [conv(pad_mode="same", padding=0, stride=2)], [torch_conv(stride=2)], images(), "0", "padding", "same"),
    "pad_mode valid": (
        [conv(pad_mode="valid", padding=0)], [torch_conv()], images(), "0", "padding", "(1, 1)"),
    "padding": ([conv(padding=2)], [torch_conv()], images(), "0", "padding", "(2, 2)"),
    "no bias and same": (
        [nn.Conv2d(4, 4, 3)], [torch_conv(padding=0)], images(), "0", "padding, bias", "bias"),
    "no bias": ([conv(has_bias=False)], [torch_conv()], images(), "0", "bias", "bias"),
    "padding_mode": ([conv()], [torch_conv(padding_mode="reflect")], images(), "0", "padding_mode", "reflect"),
    "dilation": (
        [conv(dilation=2, padding=2)], [torch_conv(dilation=1, padding=2)], images(), "0", "dilation", "(2, 2)"),
    "stride": ([conv(stride=2)], [torch_conv()], images(), "0", "stride", "(2, 2)"),
    "batch norm eps": (
        [nn.BatchNorm2d(4, eps=1e-3).set_train()], [tnn.BatchNorm2d(4)], images(), "0", "eps", "0.001 and 1e-05"),
    "a layer before one in place": (
        [nn.GroupNorm(2, 4, eps=1e-3), nn.ReLU()], [tnn.GroupNorm(2, 4), tnn.ReLU(inplace=True)], images(), "0", "eps",
        "0.001"),
    "batch norm training": (
        [nn.BatchNorm2d(4).set_train(False)], [tnn.BatchNorm2d(4)], images(), "0", "training", "in evaluation"),
    "layer norm eps": ([nn.LayerNorm((8,))], [tnn.LayerNorm(8)], rows(), "0", "eps", "1e-07 and 1e-05"),
    "group norm eps": (
        [nn.GroupNorm(2, 4, eps=1e-3)], [tnn.GroupNorm(2, 4)], images(), "0", "eps", "0.001"),
    "group norm groups": ([nn.GroupNorm(4, 4)], [tnn.GroupNorm(2, 4)], images(), "0", "num_groups", "4 and 2"),
    "dropout rate": (
        [nn.Dropout(p=0.8).set_train()], [tnn.Dropout(0.2)], images(16, 4, 8, 8), "0", "p", "keep_prob"),
    "dropout training": (
        [nn.Dropout(p=0.5).set_train()], [tnn.Dropout(0.5).eval()], rows(), "0", "training", "in training"),
    "gelu": ([nn.GELU()], [tnn.GELU()], rows(), "0", "approximate", "tanh"),
    "average pool counts padding": (
        [nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, count_include_pad=False)], [tnn.AvgPool2d(3, 2, 1)],
        images(), "0", "count_include_pad", "False and True"),
    "ceil_mode": (
        [nn.MaxPool2d(3, 2, pad_mode="pad", ceil_mode=True)], [tnn.MaxPool2d(3, 2)], images(), "0", "ceil_mode",
        "True"),
    "pool pad_mode": ([nn.MaxPool2d(3, 2, pad_mode="same")], [tnn.MaxPool2d(3, 2)], images(), "0", "padding", "same"),
    "softmax axis": ([nn.Softmax(axis=1)], [tnn.Softmax(dim=-1)], images(), "0", "axis", "1 and -1"),
    "log softmax axis": ([nn.LogSoftmax(axis=0)], [tnn.LogSoftmax(dim=1)], rows(), "0", "axis", "0 and 1"),
    "leaky slope": ([nn.LeakyReLU()], [tnn.LeakyReLU()], rows(), "0", "negative_slope", "0.2 and 0.01"),
    "elu alpha": ([nn.ELU(1.0)], [tnn.ELU(0.5)], rows(), "0", "alpha", "0.5"),
    "another activation": ([nn.ReLU()], [tnn.Sigmoid()], rows(), "0", "type", "ReLU and Sigmoid"),
    "upsampling": (
        [nn.Upsample(scale_factor=2.0, recompute_scale_factor=True, mode="bilinear", align_corners=True)],
        [tnn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)], images(), "0", "align_corners", "True"),
    "pad mode": (
        [nn.ReflectionPad2d(1), nn.ReLU()], [tnn.ReplicationPad2d(1), tnn.ReLU()], images(), "0", "type", "Reflection"),
    "pad value": ([nn.ConstantPad2d(1, 1.0)], [tnn.ConstantPad2d(1, 0.5)], images(), "0", "value", "1.0 and 0.5"),
    "missing activation": (
        [nn.Dense(8, 8), nn.Dense(8, 3)], [tnn.Linear(8, 8), tnn.ReLU(), tnn.Linear(8, 3)], rows(), "1", "inputs",
        "ReLU"),
    "missing activation of the module": (
        [nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 3)], [tnn.Linear(8, 8), tnn.Linear(8, 3)], rows(), "2", "inputs",
        "ReLU"),
    "to_float": ([nn.Dense(8, 8).to_float(ms.float16)], [tnn.Linear(8, 8)], rows(), "0", "dtype", "float16"),
    "permuted": (
        [Functional(lambda x: x.transpose(0, 2, 3, 1), nn.ReLU())], [FunctionalModule(lambda x: x, tnn.ReLU())],
        images(2, 4, 4, 4), "0", "operation", "axes"),
    "function": (
        [Functional(lambda x: x, nn.Dense(8, 8))], [FunctionalModule(torch.tanh, tnn.Linear(8, 8))], rows(), "0",
        "operation", "Tanh"),
    "constant": (
        [Functional(lambda x: x + 1, nn.Dense(8, 8))], [FunctionalModule(lambda x: x, tnn.Linear(8, 8))], rows(), "0",
        "operation", "constant"),
    "layer on one side, function on the other": (
        [Functional(lambda x: x, nn.LayerNorm((8,)))],
        [FunctionalModule(lambda x: torch.nn.functional.layer_norm(x, (8,), eps=1e-5))], rows() * 1e-2, "0", "eps",
        "1e-05"),
    "layers in another order": (
        [nn.ReLU(), nn.Dense(8, 8)], [tnn.Linear(8, 8), tnn.ReLU()], rows(), "1", "inputs", "before this layer"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_and_its_cause_are_named(name: str) -> None:
    ours, theirs, x, layer, setting, words = LAYERS[name]
    flags = [one.training for one in [*ours, *theirs]]
    cell, module = CELL(*ours), MODULE(*theirs)
    report = compare(cell, module, x)
    assert not report.equal
    first = report.first
    assert (first.name, first.cause.setting, first.cause.verified) == (layer, setting, True), str(report)
    assert words in first.cause.text
    assert [one.training for one in [*ours, *theirs]] == flags


def lstm(order: tuple[int, ...]) -> tuple[nn.Cell, tnn.Module]:
    """An LSTM whose gates were copied in another order."""
    cell, module = nn.LSTM(4, 5, batch_first=True), tnn.LSTM(4, 5, batch_first=True)
    for ours, theirs in zip(cell.trainable_params(), module.parameters()):
        parts = theirs.detach().chunk(4)
        ours.set_data(ms.Tensor(torch.cat([parts[i] for i in order]).numpy()))
    return cell, module


def test_weights_that_were_not_copied() -> None:
    report = compare(CELL(nn.Dense(8, 4)), MODULE(tnn.Linear(8, 4)), rows(), copy_weights=False)
    assert (report.first.name, report.first.cause.setting, report.first.cause.verified) == ("0", "weights", True)


def test_a_transposed_weight() -> None:
    cell, module = CELL(nn.Dense(8, 8), nn.ReLU()), MODULE(tnn.Linear(8, 8), tnn.ReLU())
    cell[0].weight.set_data(ms.Tensor(module[0].weight.detach().T.contiguous().numpy()))
    cell[0].bias.set_data(ms.Tensor(module[0].bias.detach().numpy()))
    report = compare(cell, module, rows(), copy_weights=False)
    assert "transposed" in str(report.first.cause)
    assert report.first.cause.verified


@pytest.mark.parametrize("order", [(1, 0, 2, 3), (0, 2, 1, 3)])
def test_the_gates_of_an_lstm(order: tuple[int, ...]) -> None:
    report = compare(*lstm(order), images(2, 3, 4), copy_weights=False)
    assert "gates" in str(report.first.cause)
    assert report.first.cause.verified


def test_another_layout_of_the_input() -> None:
    class Transposes(tnn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch_conv()

        def forward(self, x: Any) -> Any:
            return self.conv(x.permute(0, 3, 1, 2))

    class Does(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv = conv()

        def construct(self, x: Any) -> Any:
            return self.conv(x)

    first = compare(Does(), Transposes(), images(2, 4, 4, 4)).first
    assert (first.name, first.cause.setting, first.cause.verified) == ("conv", "inputs", True)
    assert "NHWC" in first.cause.text


def test_another_number_of_layers() -> None:
    ours = [nn.Dense(8, 8), nn.LayerNorm((8,), epsilon=1e-5), nn.Dense(8, 2)]
    first = compare(CELL(*ours), MODULE(tnn.Linear(8, 8), tnn.Linear(8, 2)), rows()).first
    assert first.name == "2"
    assert "only the cell has '1' (LayerNorm)" in first.cause.text


@pytest.mark.parametrize("level", ["O0", "O2", "O3"])
def test_mixed_precision_on_one_side(level: str) -> None:
    cell = ms.amp.auto_mixed_precision(CELL(nn.Dense(8, 8), nn.Tanh()), level)
    report = compare(cell, MODULE(tnn.Linear(8, 8), tnn.Tanh()), rows())
    assert report.equal == (level == "O0")
    assert level == "O0" or report.first.cause.setting == "dtype", str(report)


def test_half_precision_on_one_side() -> None:
    cell = CELL(nn.Dense(8, 8), nn.ReLU())
    cell[0].to_float(ms.float16)
    first = compare(cell, MODULE(tnn.Linear(8, 8), tnn.ReLU()), rows()).first
    assert (first.name, first.cause.setting) == ("0", "dtype")


@pytest.mark.parametrize(("ours", "theirs"), [(0.9, 0.1), (0.99, 0.1)])
def test_the_momentum_of_batch_norm(ours: float, theirs: float) -> None:
    cell, module = CELL(nn.BatchNorm2d(4, momentum=ours)), MODULE(tnn.BatchNorm2d(4, momentum=theirs))
    report = compare(cell, module, images(), training=True)
    assert report.equal == (ours == 0.9)
    wrong = compare(CELL(nn.BatchNorm2d(4, momentum=0.1)), module, images(), training=True).first
    assert (wrong.part, wrong.name, wrong.cause.setting) == ("buffers", "0.moving_mean", "momentum")
    assert wrong.cause.verified
    assert "1 - torch's" in wrong.cause.text


def test_settings_without_an_effect_are_noted() -> None:
    report = compare(CELL(nn.LeakyReLU()), MODULE(tnn.LeakyReLU()), rows().abs())
    assert report.equal
    assert "negative_slope" in report.notes[0]


def test_the_padding_row_of_an_embedding() -> None:
    cell, module = CELL(nn.Embedding(5, 4)), MODULE(tnn.Embedding(5, 4, padding_idx=1))
    first = compare(cell, module, lookup_rows()).first
    assert (first.part, first.cause.setting, first.cause.verified) == ("gradients", "padding_idx", True)


def labels() -> torch.Tensor:
    return torch.tensor([0, 1, 2, 3, 1, 0])


# name: (the loss of the cell, the loss of the module, setting, words)
LOSSES: dict[str, tuple[Any, Any, str, str]] = {
    "reduction": (nn.CrossEntropyLoss(reduction="sum"), tnn.CrossEntropyLoss(), "reduction", "'sum' and 'mean'"),
    "smoothing": (
        nn.CrossEntropyLoss(label_smoothing=0.1), tnn.CrossEntropyLoss(), "label_smoothing", "0.1 and 0.0"),
    "ignored": (nn.CrossEntropyLoss(), tnn.CrossEntropyLoss(ignore_index=1), "ignore_index", "-100 and 1"),
    "function": (
        lambda x, y: ms.ops.cross_entropy(x, y, reduction="sum"), tnn.functional.cross_entropy, "reduction", "6"),
    "sparse": (
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="sum"), tnn.CrossEntropyLoss(), "reduction", "'sum'"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_the_loss_and_its_cause_are_named(name: str) -> None:
    ours, theirs, setting, words = LOSSES[name]
    first = compare(CELL(nn.Dense(8, 4)), MODULE(tnn.Linear(8, 4)), rows(), labels=labels(), loss=(ours, theirs)).first
    assert (first.name, first.cause.setting, first.cause.verified) == ("loss", setting, True)
    assert words in first.cause.text


def groups(weights: list[Any]) -> list[dict[str, Any]]:
    return [
        {"params": [w for w in weights if w.ndim > 1]},
        {"params": [w for w in weights if w.ndim == 1], "weight_decay": 0.0},
    ]


Opt = torch.optim
# name: (the optimizer of the cell, the optimizer of the module, setting, words); setting None: they are equal
OPTIMIZERS: dict[str, tuple[Any, Any, str | None, str]] = {
    "sgd": (lambda w: nn.SGD(w, 0.1, 0.9), lambda w: Opt.SGD(w, 0.1, momentum=0.9), None, ""),
    "momentum": (lambda w: nn.Momentum(w, 0.1, 0.9), lambda w: Opt.SGD(w, 0.1, momentum=0.9), None, ""),
    "adam": (lambda w: nn.Adam(w, 1e-3), lambda w: Opt.Adam(w, 1e-3), None, ""),
    "coupled adam": (
        lambda w: nn.Adam(w, 1e-3, weight_decay=0.1), lambda w: Opt.Adam(w, 1e-3, weight_decay=0.1), None, ""),
    "rate": (lambda w: nn.SGD(w, 0.1), lambda w: Opt.SGD(w, 0.2), "lr", "0.1 and 0.2"),
    "momentum differs": (
        lambda w: nn.SGD(w, 0.1, momentum=0.8), lambda w: Opt.SGD(w, 0.1, momentum=0.9), "momentum", "0.8 and 0.9"),
    "dampening": (
        lambda w: nn.SGD(w, 0.1, momentum=0.9, dampening=0.5), lambda w: Opt.SGD(w, 0.1, momentum=0.9), "dampening",
        "0.5"),
    "nesterov": (
        lambda w: nn.SGD(w, 0.1, momentum=0.9, nesterov=True), lambda w: Opt.SGD(w, 0.1, momentum=0.9), "nesterov",
        ""),
    "betas": (lambda w: nn.Adam(w, 1e-3, beta1=0.8), lambda w: Opt.Adam(w, 1e-3), "beta1", "0.8 and 0.9"),
    "eps": (lambda w: nn.Adam(w, 1e-3, eps=1e-2), lambda w: Opt.Adam(w, 1e-3), "eps", "0.01"),
    "weight decay": (lambda w: nn.SGD(w, 0.1, weight_decay=0.1), lambda w: Opt.SGD(w, 0.1), "weight_decay",
        "0.1 and 0"),
    "decoupled": (
        lambda w: nn.Adam(w, 1e-3, weight_decay=0.1), lambda w: Opt.AdamW(w, 1e-3, weight_decay=0.1), "decay", "AdamW"),
    "groups": (
        lambda w: nn.SGD(w, 0.1, weight_decay=0.1), lambda w: Opt.SGD(groups(w), 0.1, weight_decay=0.1),
        "weight_decay", "0.1 and 0"),
    "schedule": (
        lambda w: nn.SGD(w, nn.ExponentialDecayLR(0.1, 0.5, 1)), lambda w: Opt.SGD(w, 0.1), "schedule", "Exponential"),
    "another rule": (lambda w: nn.Rprop(w, 0.1), lambda w: Opt.SGD(w, 0.1), "family", "rprop"),
    "amsgrad": (
        lambda w: nn.Adam(w, 1e-3, use_amsgrad=True), lambda w: Opt.Adam(w, 1e-3, amsgrad=True), None, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_optimizer_and_its_cause_are_named(name: str) -> None:
    ours, theirs, setting, words = OPTIMIZERS[name]
    cell, module = (
        CELL(nn.Dense(8, 8), nn.Tanh(), nn.Dense(8, 4)),
        MODULE(tnn.Linear(8, 8), tnn.Tanh(), tnn.Linear(8, 4)),
    )
    loss = (nn.CrossEntropyLoss(), tnn.CrossEntropyLoss())
    report = compare(cell, module, rows(), labels=labels(), loss=loss, steps=3, optimizers=(ours, theirs))
    assert report.equal == (setting is None), str(report)
    if setting is not None:
        first = report.first
        verified = setting not in ("schedule", "family")  # which have no rule to try
        assert (first.part, first.cause.setting, first.cause.verified) == ("steps", setting, verified), str(report)
        assert words in first.cause.text
