"""A function that runs as a captured graph: captured once per signature, run eagerly where it cannot be captured."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import Any

from torchspore.common.private_torch import functorch_level
from torchspore.common.scope import Unread, scope
from torchspore.common.user_lines import warn_user
from torchspore.engine.capture import live, recompiles
from torchspore.engine.capture.branching import Unexplored
from torchspore.engine.capture.escapes import TensorEscaped
from torchspore.engine.capture.graph import Graph
from torchspore.engine.capture.reachable_state import HiddenChange
from torchspore.engine.capture.settings import setting
from torchspore.engine.capture.signature import CLOSED, Openness, all_sizes, difference, signature
from torchspore.engine.capture.stand_ins import recording
from torchspore.engine.capture.user_places import error_place
from torchspore.engine.capture.watch import Found, can_watch

__all__ = ["METHODS", "CapturedFunction", "NotOneGraph"]

METHODS = "_captured_methods"  # the attribute of an instance that holds its captured methods

_MOST_GRAPHS = 16  # of one signature: a program that changes an attribute at every call runs eagerly in the end
_MOST_UNSETTLED = 3  # of these that change an attribute which they depend on
_MOST_SIGNATURES = 256  # the oldest graphs are forgotten
_MOST_FLOATS = 4  # signatures that differ in floats alone, before floats become inputs of the graphs
_MOST_SEARCHES = 6  # recordings that begin anew because a call ran what it was not known to reach
_MOST_TURNS = 8  # traces for one call, before a program counts as one that does not repeat itself


class NotOneGraph(RuntimeError):
    """The function cannot be captured, and `fullgraph=True` forbids running it eagerly."""


class CapturedFunction:
    """Calls `fn` as one graph for each signature: shapes and dtypes of tensors, other arguments, state of the cells.

    Args:
        fn: the function.
        settings: its own settings, of those in `settings.SETTINGS`. Default: none.
        name: the name in messages. Default: the function's.

    Attributes:
        captures: how often the function was recorded.
    """

    def __init__(
        self, fn: Callable[..., Any], settings: Mapping[str, Any] | None = None, name: str | None = None
    ) -> None:
        functools.update_wrapper(self, fn, updated=())
        self.fn = fn
        self.captures = 0
        self._settings = dict(settings or {})
        self._name = str(name or getattr(fn, "__qualname__", type(fn).__name__))
        self._inputs_hint: Any = getattr(fn, "_inputs_hint", None)  # what was declared about the arguments
        self._graphs: dict[Any, list[Graph]] = {}
        self._eager: dict[Any, str] = {}
        self._floats_are_open = False
        self._found: list[Any] = []  # functions that only a run showed
        self._searches = 0
        self._counts: dict[Any, int] = {}  # of signatures that differ in floats alone

    @property
    def level(self) -> str:
        """What runs the graphs that are captured from now on: "O0", "O1" or "O2"."""
        return setting(self._settings, "level")

    @property
    def tiered(self) -> bool:
        """Whether straight code runs while a graph is compiled."""
        return setting(self._settings, "tiered")

    @property
    def strict(self) -> bool:
        """Whether a function that cannot be captured is an error; else it runs eagerly, with one warning."""
        return setting(self._settings, "strict")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the captured method of an instance, which keeps its graphs itself: they go when it goes."""
        if instance is None:
            return self
        attributes = getattr(instance, "__dict__", None)
        if attributes is None:
            return types.MethodType(self, instance)
        methods = attributes.setdefault(METHODS, {})
        if self not in methods:
            bound = CapturedFunction(self.fn.__get__(instance, owner), self._settings, self._name)
            bound._inputs_hint = None if self._inputs_hint is None else self._inputs_hint.bound()
            methods[self] = bound
        return methods[self]

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy captures for itself.
        return CapturedFunction, (self.fn, self._settings, self._name), {"_inputs_hint": self._inputs_hint}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        if scope.depth or scope.tracing is not None or functorch_level() is not None:
            return self.fn(*args, **kwargs)  # as a part of the outer gradient, graph or transformation
        if self._inputs_hint is not None:
            self._inputs_hint.check(args, kwargs, self._name)
        leaves: list[Any] = []
        key = signature((args, kwargs), leaves, self._openness(args, kwargs))
        for graph in self._graphs.get(key, ()):
            if graph.holds(leaves):
                try:
                    return graph.run(leaves, args, kwargs)
                except Unexplored as unexplored:
                    return self._capture_and_run(key, args, kwargs, leaves, graph, unexplored)
        if key in self._eager:
            return self.fn(*args, **kwargs)
        return self._capture_and_run(key, args, kwargs, leaves, None, None)

    def _openness(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Openness:
        """Return what a graph for these arguments leaves open."""
        if self._inputs_hint is not None:
            return Openness(self._inputs_hint.open_dimensions(args, kwargs), self._floats_are_open)
        if setting(self._settings, "dynamic"):
            return Openness(all_sizes(args, kwargs), self._floats_are_open)
        return Openness((), True) if self._floats_are_open else CLOSED

    def graph(self, *args: Any, **kwargs: Any) -> str:
        """Return the captured graph of a call with these arguments, as text."""
        leaves: list[Any] = []
        key = signature((args, kwargs), leaves, self._openness(args, kwargs))
        try:
            with recording:
                while True:
                    try:
                        return self._capture(key, args, kwargs, leaves).tree.text()
                    except Found as found:
                        if not self._takes_in(found):
                            raise
        except Exception as error:
            if _is_about_capture(error):
                raise self._refusal(error) from error
            raise

    def _capture_and_run(
        self,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        graph: Graph | None,
        unexplored: Unexplored | None,
    ) -> Any:
        """Record what is missing for a call, and run it."""
        if not can_watch():
            return self.fn(*args, **kwargs)
        done = self._run_live(key, args, kwargs, leaves, unexplored)
        if done is not None:
            if done.refusal is not None and not self._takes_in(done.refusal):
                self._stay_eager(key, done.refusal)
            return done.result
        runs = False
        try:
            for _ in range(_MOST_TURNS):
                with recording:
                    try:
                        if graph is None:
                            graph = self._capture(key, args, kwargs, leaves)
                        elif unexplored is not None:
                            self._log_answer(unexplored)
                            self.captures += graph.explore(self.fn, args, kwargs, unexplored.answers)
                    except Found as found:
                        if not self._takes_in(found):
                            raise
                        if graph is not None and graph in self._graphs.get(key, ()):
                            self._graphs[key].remove(graph)
                        graph = unexplored = None
                        continue
                try:
                    runs = True
                    return graph.run(leaves, args, kwargs)
                except Unexplored as unknown:
                    unexplored, runs = unknown, False
            raise Unread("it does not do the same when it is run again")
        except Exception as error:
            if graph is not None and graph in self._graphs.get(key, ()) and (runs or _is_about_capture(error)):
                self._graphs[key].remove(graph)
            return self._run_eagerly(key, args, kwargs, error, runs)

    def _takes_in(self, refusal: Exception) -> bool:
        """Note the functions that a run showed, so that the next recording knows them; return whether there is one."""
        if not isinstance(refusal, Found) or self._searches >= _MOST_SEARCHES:
            return False
        self._searches += 1
        self._found += refusal.functions
        return True

    def _run_live(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any], unexplored: Unexplored | None
    ) -> live.Run | None:
        """Record what is missing for a call while it runs; None: it is not missing any more, or takes stand-ins."""
        openness = self._openness(args, kwargs)
        if self.level != "O0" or self.tiered or self.strict or any(openness.sizes):
            return None  # it is compiled, or refused, before it runs; or no real tensor has its sizes
        with recording:
            known = self._known(key, leaves)
            if known is not None and (unexplored is None or known.tree.knows(unexplored.answers)):
                return None
            try:
                graph = known or self._new_graph(key, args, kwargs, openness)
            except HiddenChange as refusal:
                return live.Run(self.fn(*args, **kwargs), None, refusal)
            if not graph.can_run_live(leaves):
                return None
            if unexplored is not None:
                self._log_answer(unexplored)
            done = graph.run_and_record(self.fn, args, kwargs, leaves)
            if done.refusal is None:
                self.captures += 1
                if known is None:
                    self._keep(key, graph, args, kwargs)
            elif known is not None:
                self._graphs[key].remove(known)
            return done

    def _run_eagerly(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception, captured: bool
    ) -> Any:
        if self.strict and not captured and _is_about_capture(error):
            raise self._refusal(error) from error
        # What is wrong with the program itself shows here: tracing lets some mistakes pass that the kernels refuse.
        result = self.fn(*args, **kwargs)
        if self.strict:
            raise self._refusal(error) from error
        self._stay_eager(key, error)
        return result

    def _stay_eager(self, key: Any, error: Exception) -> None:
        """Have all calls of a signature run eagerly, and say why."""
        self._eager[key] = reason = self._reason(error)
        if len(self._eager) > _MOST_SIGNATURES:
            del self._eager[next(iter(self._eager))]
        warn_user(f"'{self._name}' runs eagerly, not as one graph: {reason}")

    def _refusal(self, error: Exception) -> NotOneGraph:
        return NotOneGraph(f"For 'jit', '{self._name}' cannot be one graph: {self._reason(error)}")

    def _reason(self, error: Exception) -> str:
        place = (isinstance(error, Unread) and error.place) or error_place(error, self.fn)
        text = str(error).strip().partition("\n")[0] or type(error).__name__
        return f"{text} ({place})" if place else text

    def _capture(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> Graph:
        found = self._known(key, leaves)
        if found is not None:
            return found
        openness = self._openness(args, kwargs)
        try:
            found = self._new_graph(key, args, kwargs, openness)
            found.explore(self.fn, args, kwargs, [])
        except Exception as error:
            if isinstance(error, Found) or not any(openness.sizes):
                raise
            found = self._new_graph(key, args, kwargs, Openness((), openness.floats))  # plain sizes
            found.explore(self.fn, args, kwargs, [])
            found.fix_sizes(leaves)
        self.captures += 1
        self._keep(key, found, args, kwargs)
        return found

    def _known(self, key: Any, leaves: list[Any]) -> Graph | None:
        return next((graph for graph in self._graphs.get(key, ()) if graph.holds(leaves)), None)

    def _new_graph(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], openness: Openness) -> Graph:
        """Return a graph that knows what it depends on, but no path.

        Raises:
            HiddenChange: the function depends on what cannot be watched, or that changes all the time.
        """
        graphs = self._graphs.get(key, [])
        if len(graphs) >= _MOST_GRAPHS:
            raise HiddenChange(f"what it depends on has changed {_MOST_GRAPHS} times")
        unsettled = [graph.unsettled for graph in graphs if graph.unsettled]
        if len(unsettled) >= _MOST_UNSETTLED:
            raise HiddenChange(f"it depends on the attribute {unsettled[-1]}, which it changes at each call")
        self._log(key, graphs)
        return Graph(self.fn, args, kwargs, self.level, self.tiered, openness, self._found)

    def _keep(self, key: Any, graph: Graph, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._graphs.setdefault(key, []).append(graph)
        if len(self._graphs) > _MOST_SIGNATURES:
            del self._graphs[next(iter(self._graphs))]
        if not self._floats_are_open:
            self._floats_are_open = self._only_floats_differ(args, kwargs)

    def _only_floats_differ(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Note a call; tell whether several have differed in floats alone: a learning rate that follows a schedule."""
        key = signature((args, kwargs), [], Openness(self._openness(args, kwargs).sizes, True))
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] >= _MOST_FLOATS

    def _log_answer(self, unexplored: Unexplored) -> None:
        recompiles.log(self._name, f"a new answer, {unexplored.answers[-1]}, at {unexplored.place}")

    def _log(self, key: Any, graphs: list[Graph]) -> None:
        """Say why a graph is recorded, where the environment asks for it."""
        if not recompiles.logged():
            return
        if graphs:
            reason = graphs[-1].change()
        else:
            others = [other for other, known in self._graphs.items() if known]
            reason = difference(key, others[-1]) if others else "the first call"
        recompiles.log(self._name, reason)


def _is_about_capture(error: Exception) -> bool:
    """Return whether an error is one of recording a graph, not of the program."""
    return isinstance(error, (Unread, TensorEscaped, HiddenChange, Found)) or type(error).__module__.startswith("torch")
