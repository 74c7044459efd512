"""Loss scale managers, which provide and update the loss scale of a training loop."""

from __future__ import annotations

from torchspore.amp.loss_scaler import Scale
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager:
    """The base of loss scale managers.

    Examples:
        >>> import torchspore as ms
        >>> class Halved(ms.amp.LossScaleManager):
        ...     scale = 1024.0
        ...     def get_loss_scale(self):
        ...         return self.scale
        ...     def update_loss_scale(self, overflow):
        ...         self.scale /= 2 if overflow else 1
        ...     def get_update_cell(self):
        ...         return None
        >>> manager = Halved()
        >>> manager.update_loss_scale(overflow=True)
        >>> manager.get_loss_scale()
        512.0
    """

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        raise NotImplementedError(f"For '{type(self).__name__}', define 'get_loss_scale'.")

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the loss scale after a step.

        Args:
            overflow: whether the step's gradients overflowed.
        """
        raise NotImplementedError(f"For '{type(self).__name__}', define 'update_loss_scale'.")

    def get_update_cell(self) -> Cell | None:
        """Return the Cell that changes the loss scale in a training step, or None if the step ignores overflows."""
        raise NotImplementedError(f"For '{type(self).__name__}', define 'get_update_cell'.")


class FixedLossScaleManager(LossScaleManager):
    """A constant loss scale.

    Args:
        loss_scale: the scale, 1 or more. Default: 128.0.
        drop_overflow_update: whether a step whose gradients overflow is skipped. If not, the optimizer needs the
            same `loss_scale`, as it divides the gradients. Default: True.

    Examples:
        >>> import torchspore as ms
        >>> ms.amp.FixedLossScaleManager(1024).get_loss_scale()
        1024
    """

    @checked
    def __init__(self, loss_scale: Scale = 128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale, self._drops = loss_scale, drop_overflow_update

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return whether a step whose gradients overflow is skipped."""
        return self._drops

    def update_loss_scale(self, overflow: bool) -> None:
        """Leave the loss scale unchanged."""

    def get_update_cell(self) -> Cell | None:
        """Return the Cell for the training step, or None if overflows are ignored."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drops else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale that shrinks when gradients overflow, and grows after a number of steps in which none did.

    Args:
        init_loss_scale: the first scale, 1 or more. Default: 2**24.
        scale_factor: the factor by which the scale grows and shrinks. Default: 2.
        scale_window: the number of steps after which it grows. Default: 2000.

    Raises:
        ValueError: `init_loss_scale` is less than 1, or another argument less than 1.

    Examples:
        >>> import torchspore as ms
        >>> manager = ms.amp.DynamicLossScaleManager(1024, 2, 100)
        >>> manager.update_loss_scale(True)
        >>> manager.get_loss_scale()
        512.0
    """

    @checked
    def __init__(
        self, init_loss_scale: Scale = 2**24, scale_factor: Positive = 2, scale_window: Positive = 2000
    ) -> None:
        self.loss_scale, self.scale_factor, self.scale_window = init_loss_scale, scale_factor, scale_window
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter = 1, 0

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return True: a step whose gradients overflow is skipped."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the loss scale after a step."""
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
        elif (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
            self.loss_scale *= self.increase_ratio
        self.cur_iter += 1

    def get_update_cell(self) -> Cell:
        """Return the Cell for the training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
