"""Several callbacks as one, for packages that have a training loop of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchspore.train.callback.callback import Callback, RunContext, as_list

__all__ = ["CallbackManager"]


class CallbackManager(Callback):
    """Several callbacks as one: each of its methods calls those of the same name in order.

    Args:
        callbacks: None, a callback, or a list of callbacks.
    """

    def __init__(self, callbacks: Callback | Iterable[Callback] | None) -> None:
        self._callbacks = as_list(callbacks, "Model")

    def __enter__(self) -> CallbackManager:
        for callback in self._callbacks:
            callback.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        for callback in reversed(self._callbacks):
            callback.__exit__(*error)


def _to_all(moment: str) -> Callable[[CallbackManager, RunContext], None]:
    def call(self: CallbackManager, run_context: RunContext) -> None:
        for callback in self._callbacks:
            getattr(callback, moment)(run_context)

    call.__name__ = moment
    return call


for _moment in [name for name in vars(Callback) if name.endswith(("begin", "end"))]:
    setattr(CallbackManager, _moment, _to_all(_moment))
