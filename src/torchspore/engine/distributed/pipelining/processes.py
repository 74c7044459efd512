"""Which process computes which stage, and exchanges between processes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
import torch.distributed as dist

__all__ = ["Processes"]


class Processes:
    """The processes of a program, as `stages` groups of neighbours.

    Process `stage * width + index` computes a stage, of the rows that the processes with this index have.

    Attributes:
        stages: the number of stages.
        width: the number of processes of a stage.
        stage: the stage of this process.
        index: the number of this process in its stage.
        pipe: the group of the processes that send each other activations.
    """

    def __init__(self, stages: int) -> None:
        self.stages = stages
        self.width = dist.get_world_size() // stages
        self.stage, self.index = divmod(dist.get_rank(), self.width)
        self.world = dist.group.WORLD
        pipes = [dist.new_group([stage * self.width + i for stage in range(stages)]) for i in range(self.width)]
        self.pipe = pipes[self.index]
        self._of_stages: dict[frozenset[int], dist.ProcessGroup | None] = {}

    def first_of(self, stage: int) -> int:
        """Return the first process of a stage."""
        return stage * self.width

    def prepare(self, kinds: Iterable[frozenset[int]]) -> None:
        """Make groups of all processes of some stages; all processes call it with the same stages."""
        for stages in sorted(set(kinds) - {*self._of_stages}, key=sorted):
            ranks = [stage * self.width + i for stage in sorted(stages) for i in range(self.width)]
            self._of_stages[stages] = dist.new_group(ranks) if len(ranks) > 1 else None

    def sum_gradients(self, gradients: Sequence[torch.Tensor], stages: frozenset[int]) -> list[torch.Tensor]:
        """Return the sums of gradients over some stages, averaged over the processes of each."""
        group = self._of_stages[stages]
        found = list(gradients)
        if group is None:
            return found
        for dtype in dict.fromkeys(gradient.dtype for gradient in found):
            chosen = [i for i, gradient in enumerate(found) if gradient.dtype is dtype]
            message = torch.cat([found[i].reshape(-1) for i in chosen])
            dist.all_reduce(message, group=group)
            if self.width > 1:
                message /= self.width
            parts = message.split([found[i].numel() for i in chosen])
            for i, part in zip(chosen, parts):
                found[i] = part.reshape(found[i].shape)
        return found

    def average(self, value: torch.Tensor) -> torch.Tensor:
        """Return the average of a value over the processes of each stage."""
        if self.width == 1 or not value.is_floating_point():
            return value
        self.prepare([frozenset([stage]) for stage in range(self.stages)])
        value = value.clone()
        dist.all_reduce(value, group=self._of_stages[frozenset([self.stage])])
        return value / self.width

    def from_stage(self, value: torch.Tensor, stage: int) -> torch.Tensor:
        """Return a tensor of a stage, in all processes with this index; the others give one of its shape."""
        value = value.contiguous()
        dist.broadcast(value, stage * self.width + self.index, group=self.pipe)
        return value

    def sum_over_stages(self, value: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over the stages, of the processes with this index."""
        value = value.contiguous()
        dist.all_reduce(value, group=self.pipe)
        return value
