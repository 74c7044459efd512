"""Watching a recorded call: all that it runs is known to be repeated by a graph, or ends the capture.

What a function reaches is found before it runs (`reachable_state.py`); what it runs is seen here, through the profile
function of the thread: every function in Python, and every function in C that the user's code calls.
"""

from __future__ import annotations

import functools
import gc
import sys
import types
from collections.abc import Callable
from typing import Any

from torchspore.engine.capture import world

__all__ = ["Found", "Refused", "Watch", "can_watch", "unwatched"]


class Found(Exception):
    """The call ran functions that it was not seen to reach: with them the recording begins anew.

    Attributes:
        functions: the functions.
    """

    def __init__(self, functions: list[Any]) -> None:
        super().__init__("it runs functions that it makes or finds anew at each call")
        self.functions = functions


class Refused(BaseException):
    """A call over stand-ins is about to do what a graph cannot repeat; the program must not catch this.

    Attributes:
        reason: what it does.
        place: the user's file and line.
    """

    def __init__(self, reason: str, place: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


def can_watch() -> bool:
    """Return whether the thread's profile function can be put back; one in C, such as torch's profiler, cannot."""
    return _can_be_put_back(sys.getprofile())


def _can_be_put_back(profiler: Any) -> bool:
    return profiler is None or callable(profiler) or hasattr(profiler, "enable")


class Watch:
    """Sees what a call runs, in a `with` block.

    Args:
        codes: by id, the code of all functions of the user's that the call is known to reach.

    Attributes:
        ran: by id, what of these has run.
        settings: the settings that were read: function, arguments and value.
        refuse: takes a reason and the user's line when the call does what a graph cannot repeat.
    """

    def __init__(self, codes: dict[int, types.CodeType]) -> None:
        self.ran: dict[int, types.CodeType] = {}
        self.settings: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = []
        self.refuse = self._raise
        self._codes = codes
        self._found: list[Any] = []
        self._imports = False
        self._passed: dict[int, types.CodeType] = {}  # what needs no look when it is called
        self._judged: set[int] = set()  # those of which each call into C is looked at
        self._before: Any = None

    def __enter__(self) -> Watch:
        self._before = sys.getprofile()
        if hasattr(self._before, "enable"):
            self._before.disable()
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        if hasattr(self._before, "enable"):
            self._before.enable()
        else:
            sys.setprofile(self._before)

    def check(self) -> None:
        """Check that the call ran what it was known to reach.

        Raises:
            Found: it did not.
        """
        if self._found or self._imports:
            raise Found(self._found)

    def _see(self, frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "call":
            if id(frame.f_code) not in self._passed:
                self._enter(frame)
        elif event == "c_call" and id(frame.f_code) in self._judged:
            self._judge(frame, arg)
        if self._before is not None and not hasattr(self._before, "enable"):
            self._before(frame, event, arg)

    def _enter(self, frame: types.FrameType) -> None:
        """Look at a function in Python that is about to run."""
        code = frame.f_code
        if id(code) in self._codes:
            self.ran[id(code)] = self._passed[id(code)] = code
            self._judged.add(id(code))
        elif world.is_library(frame) or world.is_pythons(frame):
            read = world.setting(frame)
            if read is not None:
                self._note_setting(frame, *read)
                return
            name = world.python_obstacle(frame)
            if name:
                self._end(frame.f_back, name)
                return
            self._passed[id(code)] = code
            if not world.is_library(frame):
                self._judged.add(id(code))
        elif self._users(frame) is not None:
            self._find(frame)

    def _note_setting(self, frame: types.FrameType, read: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if self._users(frame.f_back) is not None:
            try:
                self.settings.append((read, arguments, read(*arguments)))
            except Exception:
                self._end(frame.f_back, frame.f_code.co_name)  # it fails, and the program may go on

    def _judge(self, frame: types.FrameType, function: Any) -> None:
        """Look at a function in C that is about to run."""
        if not world.is_repeated(function, by_python=world.is_pythons(frame)):
            owner = function.__self__
            where = function.__module__ if isinstance(owner, types.ModuleType) else None
            kind = owner if isinstance(owner, type) else type(owner)
            self._end(frame, f"{where or kind.__qualname__}.{function.__name__}")

    def _end(self, caller: types.FrameType | None, name: str) -> None:
        users = self._users(caller)
        if users is not None:
            self._stop(f"it calls '{name}', which a graph cannot repeat", users)

    def _stop(self, reason: str, users: types.FrameType) -> None:
        self.__exit__()
        self.refuse(reason, f"{users.f_code.co_filename}:{users.f_lineno}")

    def _users(self, frame: types.FrameType | None) -> types.FrameType | None:
        """Return the user's frame for which a frame runs; None: it is the matter of a library, or of an import."""
        while frame is not None and id(frame.f_code) not in self._codes:
            if world.is_library(frame):
                return None
            if not world.is_pythons(frame):
                break
            frame = frame.f_back
        return None if self._is_of_a_log(frame) or self._is_importing(frame) else frame

    def _is_of_a_log(self, frame: types.FrameType | None) -> bool:
        """Return whether a frame runs because a library writes to its log, whose handlers may be anybody's."""
        is_logged = False
        while frame is not None and not world.is_library(frame) and id(frame.f_code) not in self._codes:
            is_logged = is_logged or world.module_of(frame) == "logging"
            frame = frame.f_back
        return is_logged and frame is not None and world.is_library(frame)

    def _is_importing(self, frame: types.FrameType | None) -> bool:
        """Return whether a frame runs because a module is imported for the first time; note if the user's code does."""
        is_import = False
        while frame is not None:
            if world.module_of(frame) == "importlib._bootstrap":
                is_import = True
            elif is_import and not world.is_pythons(frame):
                self._imports = self._imports or not world.is_library(frame)
                return True
            frame = frame.f_back
        return is_import

    def _find(self, frame: types.FrameType) -> None:
        """Look for the functions that a frame may run: where they are held is not known."""
        code = frame.f_code
        functions = [held for held in gc.get_referrers(code) if isinstance(held, types.FunctionType)]
        if functions:
            self._found += functions
        elif not any(code in found.__code__.co_consts for found in self._found):
            self._stop("it runs code that it makes", frame)
        self._passed[id(code)] = code
        self._judged.add(id(code))

    def _raise(self, reason: str, place: str) -> None:
        raise Refused(reason, place)


def unwatched(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have what a method of ours runs not be seen: it is much, and none of it is the user's."""

    @functools.wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        see = sys.getprofile()
        if see is None:
            return method(*args, **kwargs)
        sys.setprofile(None)
        try:
            return method(*args, **kwargs)
        finally:
            sys.setprofile(see)

    return run
