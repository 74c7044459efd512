"""The arguments that transforms and sources are made with, from which `serialize` writes them."""

from __future__ import annotations

import functools
import inspect
import pkgutil
import re
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from torchspore.common.names.class_modules import module_of
from torchspore.common.names.earlier_names import earlier_method, todays_arguments

__all__ = ["Arguments", "given_arguments", "name_missing", "note_arguments"]

_SHOWN_AS = {"c_size": "size", "ngrams": "n", "quality_factor": "Q"}  # by the attribute: the argument of another name
_MISSING = re.compile(r"missing \d+ required \S+ arguments?:")


class Given(NamedTuple):
    """The arguments of a constructor.

    Attributes:
        place: the module and name of the constructor's class, which pickles name by ours also beside `as_mindspore`.
        args: arguments by position.
        kwargs: arguments by name.
        complete: whether the constructor has ended.
        set_later: other attributes that were set after that.
    """

    place: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    complete: bool = False
    set_later: frozenset[str] = frozenset()


class Arguments:
    """The base of objects that have the arguments of their constructor as attributes, as in MindSpore.

    Setting one has the effect of a constructor that gets it: what the constructor refuses changes nothing.
    """

    given: Given
    _public_name: ClassVar[str] = ""  # of the class that may have had other methods

    if not TYPE_CHECKING:  # a type checker shall see what an object does not have

        def __getattr__(self, name: str) -> Any:
            arguments = {} if name.startswith("_") else given_arguments(self)
            argument = _SHOWN_AS.get(name, name)
            if argument not in arguments:
                method = earlier_method(self._public_name, self, name)
                if method is not None:
                    return method
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
            return arguments[argument]

        def __setattr__(self, name: str, value: object) -> None:
            argument = _SHOWN_AS.get(name, name)
            is_made = not name.startswith("_") and "given" in vars(self) and self.given.complete
            if is_made and self._is_evaluated(argument) and argument in given_arguments(self):
                self._change_argument(argument, value)
                return
            super().__setattr__(name, value)
            if is_made and name in vars(self):
                vars(self)["given"] = self.given._replace(set_later=self.given.set_later | {name})

    def _is_evaluated(self, name: str) -> bool:
        """Return whether only the constructor uses an argument; others are attributes that are read in time."""
        return True

    def _change_argument(self, name: str, value: object) -> None:
        bound, fresh, later = _bound(self), object.__new__(type(self)), self.given.set_later
        bound.arguments[name] = value
        _class_of(self).__init__(fresh, *bound.args, **bound.kwargs)
        kept = {each: vars(self)[each] for each in later}
        vars(self).update(vars(fresh) | kept, given=fresh.given._replace(set_later=later))


def note_arguments(cls: type) -> None:
    """Let the constructor of a class note its arguments as `given`, if the class is one of ours."""
    init = vars(cls).get("__init__")
    if init is None or not module_of(cls).startswith("torchspore."):
        return

    place = f"{module_of(cls)}:{cls.__qualname__}"

    @functools.wraps(init)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        outermost = "given" not in vars(self)
        vars(self).setdefault("given", Given(place, args, kwargs))
        try:
            init(self, *args, **kwargs)
        except TypeError as error:
            today = todays_arguments(type(self), args, kwargs) if outermost else None
            if today is not None:
                del vars(self)["given"]
                run(self, *today[0], **today[1])
                return
            name_missing(error, init)
            raise
        if outermost:
            vars(self)["given"] = Given(place, args, kwargs, complete=True)

    cls.__init__ = run  # type: ignore[misc]


def name_missing(error: TypeError, function: Any) -> None:
    """Let Python's error about missing arguments of a function name the first as `inspect` and MindSpore do."""
    if error.args and str(error.args[0]).startswith(f"{function.__qualname__}() missing "):
        error.args = (_MISSING.sub("missing a required argument:", error.args[0]), *error.args[1:])


def given_arguments(made: Any) -> dict[str, Any]:
    """Return the arguments that an object was made with, by name, defaults included."""
    return dict(_bound(made).arguments) if "given" in vars(made) else {}


def _class_of(made: Any) -> Any:
    return pkgutil.resolve_name(made.given.place)


def _bound(made: Any) -> inspect.BoundArguments:
    bound = inspect.signature(_class_of(made)).bind(*made.given.args, **made.given.kwargs)
    bound.apply_defaults()
    return bound
