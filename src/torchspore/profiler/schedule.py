"""Schedules of recorded steps."""

from __future__ import annotations

from torch.profiler import ProfilerAction

from torchspore.engine.checks import check_int

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

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        self.wait = check_int(wait, "wait", "schedule", minimum=0)
        self.active = check_int(active, "active", "schedule")
        self.warmup = check_int(warmup, "warmup", "schedule", minimum=0)
        self.repeat = check_int(repeat, "repeat", "schedule", minimum=0)
        self.skip_first = check_int(skip_first, "skip_first", "schedule", minimum=0)

    def __call__(self, step: int) -> ProfilerAction:
        """Return the action of a step.

        Raises:
            ValueError: the number of the step is negative.
        """
        length = self.wait + self.warmup + self.active
        cycle, place = divmod(check_int(step, "step", "schedule", minimum=0) - self.skip_first, length)
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
