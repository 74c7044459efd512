"""The estimates of large networks: figures of the papers, and the page in step."""

from __future__ import annotations

import pathlib
import sys

import pytest

TOOLS = pathlib.Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))

import plan_parallel as plan  # noqa: E402

GPT3 = plan.Network("175B", 96, 12288, 96)
SMALL = plan.NETWORKS[0]


def test_the_page_is_in_step():
    text = plan.PAGE.read_text("utf-8")
    assert plan.page(text) == text


def test_figures_of_the_papers():
    assert GPT3.parameters == pytest.approx(175e9, rel=0.01)
    trained = plan.Network("", 96, 12288, 96, batch=1536)  # 1 of the page: 8 N P FLOPs for N tokens, with recomputation
    assert trained.flops * 4 / 3 == pytest.approx(8 * 1536 * 2048 * 175e9, rel=0.05)
    plain = plan.estimate(SMALL, plan.Cluster(64), plan.Cut(64, 1, 1, recompute=True))
    assert plain.memory > 16 * SMALL.parameters
    assert plain.sent == pytest.approx(2 * 2 * SMALL.parameters * 63 / 64)  # gradients in 2 bytes, by a ring


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (plan.Cut(64, 1, 1), plan.Cut(64, 1, 1, 1)), (plan.Cut(64, 1, 1, 1), plan.Cut(64, 1, 1, 2)),
        (plan.Cut(64, 1, 1, 2), plan.Cut(64, 1, 1, 3)), (plan.Cut(8, 8, 1), plan.Cut(8, 8, 1, sequence_parallel=True)),
        (plan.Cut(64, 1, 1), plan.Cut(64, 1, 1, recompute=True)), (plan.Cut(64, 1, 1), plan.Cut(16, 1, 4)),
        (plan.Cut(64, 1, 1, micro=2), plan.Cut(64, 1, 1)),
    ],
)  # fmt: skip
def test_what_takes_less_memory(more, less):
    sizes = [plan.estimate(SMALL, plan.Cluster(64), cut).memory for cut in (more, less)]
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize("gpus", [1, 8, 24, 64])
def test_suggestions_use_all_gpus_and_fit(gpus):
    network = plan.Network("1B", 24, 1536, 24, batch=192)
    found = plan.suggest(network, plan.Cluster(gpus))
    assert found.cut.dp * found.cut.tp * found.cut.pp == gpus
    assert network.batch % (found.cut.dp * found.cut.micro) == 0
    assert found.memory < 72e9
    assert 0 < found.efficiency <= 1


def test_what_does_not_fit(monkeypatch, capsys):
    assert plan.suggest(GPT3, plan.Cluster(8)) is None
    monkeypatch.setattr(sys, "argv", ["plan_parallel.py", "--layers", "2", "--hidden", "64", "--heads", "4"])
    plan.main()
    assert "0.0 billion parameters on 8 GPUs" in capsys.readouterr().out
