"""Schedules of recorded steps."""

from __future__ import annotations

from torch.profiler import ProfilerAction

from torchspore.engine.parameters import NotNegative, Positive, checked

__all__ = ["ProfilerAction", "schedule"]


class schedule:
    """Determines what a `profile` does in each step.

    First `skip_first` steps are skipped. Then, in cycles, `wait` steps are skipped, `warmup` steps are recorded and
    discarded, and `active` steps are recorded and passed to `on_trace_ready`.

    Args:
        wait: skipped steps of a cycle, >= 0.
        active: recorded steps of a cycle, > 0.
        warmup: steps before them that are discarded, >= 0. Default: 0.
        repeat: the number of cycles; 0 for no limit. Default: 0.
        skip_first: steps before the first cycle, >= 0. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> steps = ms.profiler.schedule(wait=1, active=1)
        >>> [steps(number).name for number in range(3)]
        ['NONE', 'RECORD_AND_SAVE', 'NONE']
    """

    @checked
    def __init__(
        self,
        *,
        wait: NotNegative,
        active: Positive,
        warmup: NotNegative = 0,
        repeat: NotNegative = 0,
        skip_first: NotNegative = 0,
    ) -> None:
        self.wait, self.active, self.warmup, self.repeat, self.skip_first = wait, active, warmup, repeat, skip_first

    @checked
    def __call__(self, step: NotNegative) -> ProfilerAction:
        """Return the action of a step.

        Raises:
            ValueError: the number of the step is negative.
        """
        length = self.wait + self.warmup + self.active
        cycle, place = divmod(step - self.skip_first, length)
        if cycle < 0 or (self.repeat and cycle >= self.repeat) or place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    def to_dict(self) -> dict[str, int]:
        """Return the arguments."""
        names = ("wait", "active", "warmup", "repeat", "skip_first")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return f"schedule({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"
