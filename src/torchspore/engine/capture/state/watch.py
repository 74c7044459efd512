"""Watching a call while it is recorded: a side effect that a graph cannot repeat ends the recording.

`reachable_state` finds before the call what the function may read. This module sees during the call what it runs,
through the thread's profile function: every Python function, and every C function that the user's code calls.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from torchspore.common.frames.profiling import Profiled
from torchspore.common.frames.references import functions_of
from torchspore.common.frames.stack import caller_of, code_of, line_of, module_of, upwards, values_of
from torchspore.engine.capture.state import side_effects
from torchspore.engine.capture.state.number_types import asks_types, holds_symbol

__all__ = ["RecordingRefused", "UnknownFunctions", "Watch"]


class UnknownFunctions(Exception):
    """The call ran functions that were not found before it: recording restarts with them.

    Attributes:
        functions: the functions.
    """

    def __init__(self, functions: list[Any]) -> None:
        super().__init__("it runs functions that it makes or finds anew at each call")
        self.functions = functions


class RecordingRefused(BaseException):
    """A call over fake tensors is about to do what a graph cannot repeat; the program must not catch this.

    Attributes:
        reason: what it does.
        line: the user's file and line.
    """

    def __init__(self, reason: str, line: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Watch(Profiled):
    """A `with` block that observes what a call runs.

    Args:
        codes: by id, the code of all user functions that are known to be reachable.
        refused: by id of its code, why a function ends the capture if it runs.

    Attributes:
        ran: by id, those that have run.
        settings: the settings that were read: function, arguments and value.
        refuse: called with a reason and the user's line when the call does what a graph cannot repeat.
        has_symbols: whether numbers or sizes are symbols, whose type the user's code must not see.
    """

    has_symbols = False
    _is_over = False

    def __init__(self, codes: dict[int, types.CodeType], refused: Mapping[int, str]) -> None:
        self.ran: dict[int, types.CodeType] = {}
        self.settings: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = []
        self.refuse = self._raise
        self._codes, self._refused = codes, refused
        self._found: list[Any] = []
        self._imports = False
        self._seen: dict[int, types.CodeType] = {}  # code that needs no further check
        self._checked_callers: set[int] = set()  # code whose calls of C functions are checked

    def check(self) -> None:
        """Check that the call ran only functions that were known to be reachable.

        Raises:
            UnknownFunctions: it did not.
        """
        if self._found or self._imports:
            raise UnknownFunctions(self._found)

    def stop(self) -> None:
        """Observe nothing more, as what the call does no longer matters."""
        self._is_over = True

    def _see(self, frame: types.FrameType, event: str, arg: Any) -> None:
        if self._is_over:
            self.__exit__()
        elif event == "call":
            if id(code_of(frame)) not in self._seen:
                self._check_python_function(frame)
        elif event == "c_call" and id(code_of(frame)) in self._checked_callers:
            self._check_c_function(frame, arg)
        elif event == "return" and self.has_symbols and id(code_of(frame)) in self._checked_callers:
            self._check_types(frame)
        if self._before is not None and not hasattr(self._before, "enable"):
            self._before(frame, event, arg)

    def _check_python_function(self, frame: types.FrameType) -> None:
        """Check a Python function that is about to run."""
        code = code_of(frame)
        if id(code) in self._codes:
            self.ran[id(code)] = self._seen[id(code)] = code
            self._checked_callers.add(id(code))
            if id(code) in self._refused:
                self._refuse(self._refused[id(code)], frame)
        elif side_effects.is_library(frame) or side_effects.is_standard_library(frame):
            read = side_effects.setting(frame)
            if read is not None:
                self._note_setting(frame, *read)
                return
            name = side_effects.unrepeatable_function(frame)
            if name:
                self._refuse_call(caller_of(frame), name)
                return
            self._seen[id(code)] = code
            if not side_effects.is_library(frame):
                self._checked_callers.add(id(code))
        elif self._user_frame(frame) is not None:
            self._look_up_functions(frame)

    def _note_setting(self, frame: types.FrameType, read: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if self._user_frame(caller_of(frame)) is not None:
            try:
                self.settings.append((read, arguments, read(*arguments)))
            except Exception:  # the read fails, and the program may handle that
                self._refuse_call(caller_of(frame), code_of(frame).co_name)

    def _check_c_function(self, frame: types.FrameType, function: Any) -> None:
        """Check a C function that is about to run."""
        if side_effects.is_c_setting(function):
            self.settings.append((function, (), function()))
        elif not side_effects.is_repeatable(function, by_python=side_effects.is_standard_library(frame)):
            owner = function.__self__
            where = function.__module__ if isinstance(owner, types.ModuleType) else None
            kind = owner if isinstance(owner, type) else type(owner)
            self._refuse_call(frame, f"{where or kind.__qualname__}.{function.__name__}")

    def _check_types(self, frame: types.FrameType) -> None:
        """Check a function of the user that returns."""
        if id(code_of(frame)) in self._codes and asks_types(code_of(frame)) and holds_symbol(values_of(frame).values()):
            self._refuse("it asks for the type of a number that is an input", frame)

    def _refuse_call(self, caller: types.FrameType | None, name: str) -> None:
        user_frame = self._user_frame(caller)
        if user_frame is not None:
            self._refuse(f"it calls '{name}', which a graph cannot repeat", user_frame)

    def _refuse(self, reason: str, user_frame: types.FrameType) -> None:
        self.__exit__()
        self.stop()
        self.refuse(reason, line_of(user_frame))

    def _user_frame(self, frame: types.FrameType | None) -> types.FrameType | None:
        """Return the user's frame on whose behalf a frame runs; None for work of a library or of an import."""
        while frame is not None and id(code_of(frame)) not in self._codes:
            if side_effects.is_library(frame):
                return None
            if not side_effects.is_standard_library(frame):
                break
            frame = caller_of(frame)
        return None if self._is_of_a_log(frame) or self._is_importing(frame) else frame

    def _is_of_a_log(self, frame: types.FrameType | None) -> bool:
        """Return whether a frame runs because a library writes to its log; the handlers may be of any origin."""
        is_logged = False
        while frame is not None and not side_effects.is_library(frame) and id(code_of(frame)) not in self._codes:
            is_logged = is_logged or module_of(frame) == "logging"
            frame = caller_of(frame)
        return is_logged and frame is not None and side_effects.is_library(frame)

    def _is_importing(self, frame: types.FrameType | None) -> bool:
        """Return whether a frame runs because of the first import of a module; record if the user's code imports it."""
        is_import = False
        for each in upwards(frame):
            if module_of(each) == "importlib._bootstrap":
                is_import = True
            elif is_import and not side_effects.is_standard_library(each):
                self._imports = self._imports or not side_effects.is_library(each)
                return True
        return is_import

    def _look_up_functions(self, frame: types.FrameType) -> None:
        """Find the functions that own the code of a frame."""
        code = code_of(frame)
        functions = functions_of(code)
        if functions:
            self._found += functions
        elif not any(code in found.__code__.co_consts for found in self._found):
            self._refuse("it runs code that it makes", frame)
        self._seen[id(code)] = code
        self._checked_callers.add(id(code))

    def _raise(self, reason: str, line: str) -> None:
        raise RecordingRefused(reason, line)
