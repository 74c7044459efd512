"""Marks of what Ascend cards write to files."""

from __future__ import annotations

from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.parameters import checked
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell

__all__ = ["set_dump"]


@checked
def set_dump(target: Cell | Primitive, enabled: bool = True) -> None:
    """Warn that nothing is written: MindSpore too writes what operations compute on Ascend cards only.

    Args:
        target: a Cell or a Primitive.
        enabled: whether to write what it computes. Default: True.

    Raises:
        ValueError: `target` is something else.

    Examples:
        >>> import warnings
        >>> import torchspore as ms
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     ms.set_dump(ms.nn.ReLU())
        >>> "only Ascend cards" in str(caught[0].message)
        True
    """
    if isinstance(target, Cell):
        target.add_flags(dump=enabled)
    else:
        target.add_prim_attr("dump", str(enabled).lower())
    if enabled:
        warn_user("For 'set_dump', only Ascend cards write what operations compute. Use `ops.TensorDump`, or hooks.")
