"""When the kernels of a graph are recorded, replayed and recorded again; a fake of the recording runs on the CPU."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch

from torchspore.engine.capture.compiling import cuda_graphs


class Fake:
    """A recording that, as a GPU's, reads the places that it was given, and overwrites its results."""

    made: ClassVar[list[Fake]] = []
    error: ClassVar[Exception | None] = None

    def __init__(self, run, values, moving):
        if self.error is not None:
            raise self.error
        self._run, self._moving = run, moving
        self._inputs = [value.clone() if i in moving else value for i, value in enumerate(values)]
        self._results = [torch.empty_like(result) for result in run([value.clone() for value in self._inputs])]
        self.made.append(self)

    def replay(self, values):
        for i in self._moving:
            self._inputs[i].copy_(values[i])
        for kept, result in zip(self._results, self._run(self._inputs)):
            kept.copy_(result)
        return [result.clone() for result in self._results]


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    monkeypatch.setattr(cuda_graphs, "_Recording", Fake)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "the stream")
    monkeypatch.setattr(Fake, "made", [])
    monkeypatch.setattr(Fake, "error", None)


def step(values):
    """Train a weight, the first input, which is written."""
    weight, x = values
    loss = (weight * x).sum()
    weight.sub_(x)
    return [loss]


def test_a_training_is_recorded_once():
    weight, x, run = torch.tensor([10.0, 20.0]), torch.tensor([1.0, 2.0]), cuda_graphs.Replayed(step, [0])
    losses = [run([weight, x])[0] for _ in range(5)]
    assert [loss.item() for loss in losses] == [50.0, 45.0, 40.0, 35.0, 30.0]
    assert weight.tolist() == [5.0, 10.0]
    assert len(Fake.made) == 1


def test_batches_at_new_places_are_copied():
    weight, run = torch.tensor([10.0, 20.0]), cuda_graphs.Replayed(step, [0])
    batches = [torch.tensor([1.0, float(i)]) for i in range(6)]
    expected = [(torch.tensor([10.0 - i, 20.0 - sum(range(i))]) * x).sum().item() for i, x in enumerate(batches)]
    assert [run([weight, x])[0].item() for x in batches] == expected
    assert len(Fake.made) == 1


def test_a_moved_parameter_is_recorded_again():
    x, run = torch.tensor([1.0, 1.0]), cuda_graphs.Replayed(step, [0])
    first, second = torch.tensor([4.0, 4.0]), torch.tensor([9.0, 9.0])
    found = [run([weight, x])[0].item() for weight in (first, first, second, second, second, first)]
    assert found == [8.0, 6.0, 18.0, 16.0, 14.0, 4.0]
    assert (first.tolist(), second.tolist()) == ([1.0, 1.0], [6.0, 6.0])
    assert len(Fake.made) == 2


def test_parameters_that_keep_moving_are_not_recorded_for_ever():
    x, run = torch.tensor([1.0, 1.0]), cuda_graphs.Replayed(step, [0])
    weights = [torch.full((2,), float(i)) for i in range(40)]
    for i, weight in enumerate(weights):
        for _ in range(2):
            run([weight, x])
        assert weight.tolist() == [i - 2.0] * 2
    assert len(Fake.made) == cuda_graphs._MAX_RECORDINGS


def test_code_that_cannot_be_recorded_runs(monkeypatch):
    monkeypatch.setattr(Fake, "error", RuntimeError("the code waits for the GPU"))
    weight, x, run = torch.tensor([4.0, 4.0]), torch.tensor([1.0, 1.0]), cuda_graphs.Replayed(step, [0])
    assert [run([weight, x])[0].item() for _ in range(3)] == [8.0, 6.0, 4.0]


def test_another_stream_runs_the_code(monkeypatch):
    weight, x, run = torch.tensor([4.0, 4.0]), torch.tensor([1.0, 1.0]), cuda_graphs.Replayed(step, [0])
    run([weight, x])
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "another stream")
    assert [run([weight, x])[0].item() for _ in range(2)] == [6.0, 4.0]
    assert Fake.made == []


def test_the_cpu_has_no_such_graphs():
    graph = torch.fx.symbolic_trace(lambda x: x + 1).graph
    assert not cuda_graphs.can_replay(graph, [torch.ones(2)])
