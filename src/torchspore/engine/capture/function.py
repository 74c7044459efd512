"""A function that runs as a captured graph: captured once per signature, run eagerly where it cannot be captured."""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch

from torchspore.common import mode
from torchspore.common.error_classes import widened
from torchspore.common.frames.profiling import can_watch
from torchspore.common.frames.stack import was_raised
from torchspore.common.frames.tracebacks import shorten
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.open_shape import OpenTensor
from torchspore.common.private_torch import functorch_level
from torchspore.common.scopes.scope import NotRecordable, scope
from torchspore.engine.arguments.mutable import as_plain
from torchspore.engine.capture import recompiles
from torchspore.engine.capture.branching import UntracedPath
from torchspore.engine.capture.graph import Graph
from torchspore.engine.capture.recording import live, recursion
from torchspore.engine.capture.recording.escapes import TensorEscaped
from torchspore.engine.capture.recording.fake_values import recording
from torchspore.engine.capture.recording.source_lines import error_line
from torchspore.engine.capture.settings import setting
from torchspore.engine.capture.state.finished_results import finished
from torchspore.engine.capture.state.list_arguments import (
    ListArguments,
    changes_lists,
    has_lists,
    own_code,
)
from torchspore.engine.capture.state.number_types import asks_types
from torchspore.engine.capture.state.own_memory import with_own_memory
from torchspore.engine.capture.state.reachable_state import UntrackedState
from torchspore.engine.capture.state.signature import CLOSED, Openness, all_sizes, difference, signature
from torchspore.engine.capture.state.watch import UnknownFunctions
from torchspore.engine.storage.writing import replacing
from torchspore.engine.values.nested import tensors
from torchspore.engine.values.torch_values import TorchTensorGiven, to_tensors

if TYPE_CHECKING:
    from torchspore.engine.capture.drawing import Drawing

__all__ = ["METHODS", "CapturedFunction", "NotOneGraph"]

METHODS = "_captured_methods"  # the attribute of an instance that holds its captured methods

_MAX_GRAPHS = 16  # per signature: a function that changes an attribute at every call ends up running eagerly
_MAX_UNSETTLED = 4  # of these, the graphs that set an attribute which they also read
_MAX_SIGNATURES = 256  # the oldest graphs are forgotten
_MAX_FLOATS = 4  # signatures that differ only in floats, before floats become inputs of the graphs
_MAX_SEARCHES = 6  # times that recording restarts because the call ran functions that were not found before
_PROFILED = "a profiler is running that prevents recording; make the first call before it starts"
_MAX_TRACES = 8  # traces for one call, before the function is considered not deterministic


class NotOneGraph(RuntimeError):
    """The function cannot be captured, and `fullgraph=True` forbids running it eagerly."""


class CapturedFunction:
    """Calls `fn` as one graph for each signature: shapes and dtypes of tensors, other arguments, state of the cells.

    Args:
        fn: the function.
        settings: its own settings, of those in `settings.SETTINGS`. Default: none.
        name: the name in messages. Default: the function's.

    Attributes:
        captures: the number of times that the function was recorded.
    """

    _caches = frozenset(("captures", "_graphs", "_eager", "_warned", "_counts"))

    def __init__(
        self, fn: Callable[..., Any], settings: Mapping[str, Any] | None = None, name: str | None = None
    ) -> None:
        functools.update_wrapper(self, fn, updated=())
        self.fn = fn
        self.captures = 0
        self._changes_lists = changes_lists(fn)
        code = own_code(fn)
        self._asks_types = code is not None and asks_types(code)
        self._settings = dict(settings or {})
        self._name = str(name or getattr(fn, "__qualname__", type(fn).__name__))
        self._inputs_hint: Any = getattr(fn, "_inputs_hint", None)  # from `set_inputs` or `enable_dynamic`
        self._graphs: dict[Any, list[Graph]] = {}
        self._eager: dict[Any, str] = {}
        self._floats_are_open = False
        self._floats_stay_constants = False
        self._extra_functions: list[Any] = []  # functions that were only found while they ran
        self._searches = 0
        self._warned: set[str] = set()  # the reasons for which single calls run eagerly
        self._counts: dict[Any, int] = {}  # calls by signature, floats left out

    @property
    def level(self) -> str:
        """What runs the graphs that are captured from now on: "O0", "O1" or "O2"."""
        return setting(self._settings, "level")

    @property
    def tiered(self) -> bool:
        """Whether generated Python runs while a graph is being compiled: last digits may change when it is ready."""
        tiered = setting(self._settings, "tiered")
        return not torch.are_deterministic_algorithms_enabled() if tiered is None else tiered

    @property
    def strict(self) -> bool:
        """Whether a function that cannot be captured is an error; else it runs eagerly, with one warning."""
        return setting(self._settings, "strict")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the captured method of an instance, which owns it: its graphs are freed with the instance."""
        if instance is None:
            return self
        attributes = getattr(instance, "__dict__", None)
        if attributes is None:
            return types.MethodType(self, instance)
        methods = attributes.setdefault(METHODS, {})
        if self not in methods:
            bound = type(self)(self.fn.__get__(instance, owner), self._settings, self._name)
            bound._inputs_hint = None if self._inputs_hint is None else self._inputs_hint.bound()
            methods[self] = bound
        return methods[self]

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy captures its own graphs.
        return type(self), (self.fn, self._settings, self._name), {"_inputs_hint": self._inputs_hint}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        try:
            if scope.depth or scope.tracing is not None or functorch_level() is not None:
                return self._inline(*args, **kwargs)  # the outer gradient, graph or transformation includes it
            if mode.cut is not None and not mode.cut.is_settled(self, self.level, args, kwargs):
                return mode.cut.run(self._inline, self, args, kwargs)
            if mode.reader is not None and mode.cut is None and mode.reader.is_cut_by_program(self, args, kwargs):
                return self._inline(*args, **kwargs)
            if self._inputs_hint is not None:
                self._inputs_hint.check(args, kwargs, self._name)
            leaves: list[Any] = []
            try:
                key = signature((args, kwargs), leaves, self._openness(args, kwargs))
                graphs = self._graphs.get(key, ())
            except TorchTensorGiven:
                return self._call_with_tensors(to_tensors(args), to_tensors(kwargs))
            except Exception as error:  # a class of an argument has something else in place of what all objects have
                if any(isinstance(tensor, OpenTensor) for tensor in tensors((args, kwargs))):
                    raise
                return self._run_unrecorded(args, kwargs, f"an argument cannot be read ({type(error).__name__})")
            for graph in graphs:
                if graph.holds(leaves):
                    try:
                        return graph.run(leaves, args, kwargs)
                    except UntracedPath as untraced:
                        return self._capture_and_run(key, args, kwargs, leaves, graph, untraced)
            if key in self._eager:
                return self._call(*args, **kwargs)
            return self._capture_and_run(key, args, kwargs, leaves, None, None)
        except RecursionError as error:
            if scope.captured:
                raise
            raise recursion.named(error) from None
        except Exception as error:
            shorten(error)
            raise

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function itself, with the results that a graph has."""
        if mode.cut is not None:
            return mode.cut.run(self._inline, self, args, kwargs)
        return with_own_memory(self._inline(*args, **kwargs), (*args, *kwargs.values()))

    def _inline(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function itself as part of an outer one, which uses its results."""
        if self._asks_types and not self._changes_lists:  # which the caller's list would not see
            args, kwargs = tuple(map(as_plain, args)), {name: as_plain(value) for name, value in kwargs.items()}
        lists = None
        if not scope.captured and has_lists((*args, *kwargs.values())):
            lists = ListArguments((*args, *kwargs.values()))
        result = None
        scope.captured += 1
        try:
            result = finished(self.fn(*args, **kwargs))
        except (TypeError, KeyError, ZeroDivisionError) as error:
            if was_raised(error):
                raise
            raise widened(error) from error.__cause__
        finally:
            scope.captured -= 1
            if lists is not None:
                result = result if self._changes_lists else lists.restored(result)
        return result

    def _call_with_tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call whose torch tensors became Tensors: as Python if torch's autograd records one of them."""
        if torch.is_grad_enabled() and any(tensor._t.requires_grad for tensor in tensors((args, kwargs))):
            return self._inline(*args, **kwargs)
        return self(*args, **kwargs)

    def _openness(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Openness:
        """Return which sizes and numbers in these arguments are inputs of the graph rather than constants."""
        if self._inputs_hint is not None:
            return Openness(self._inputs_hint.open_dimensions(args, kwargs), self._floats_are_open)
        if setting(self._settings, "dynamic"):
            return Openness(all_sizes(args, kwargs), self._floats_are_open)
        return Openness((), True) if self._floats_are_open else CLOSED

    def graph(self, *args: Any, **kwargs: Any) -> str:
        """Return the captured graph of a call with these arguments, as text."""
        return self._graph_for(args, kwargs).tree.text()

    def draw(self, *args: Any, path: str | os.PathLike[str] | None = None, **kwargs: Any) -> Drawing:
        """Return a picture of the captured graph of a call with these arguments; a notebook shows it.

        It is drawn by Graphviz if its program `dot` is installed, else in plain layers. The lines of the program appear
        under the pointer.

        Args:
            args: the arguments. Without any, the graph is one that has been captured last for a new signature.
            path: a file that gets the picture, with the suffix `.svg`. Default: None.
            kwargs: the keyword arguments.

        Raises:
            ValueError: there are no arguments, and nothing has been captured; or the suffix is another one.
            NotOneGraph: the function cannot be captured.

        Examples:
            >>> import torchspore as ms
            >>> double = ms.jit(lambda x: x * 2)
            >>> "mul" in double.draw(ms.Tensor([1.0])).svg
            True
        """
        from torchspore.engine.capture.drawing import draw  # here, as few programs draw

        if path is not None and not os.fspath(path).endswith(".svg"):
            raise ValueError(f"For 'draw', 'path' must end with '.svg', but got {os.fspath(path)!r}.")
        if args or kwargs:
            graph = self._graph_for(args, kwargs)
        else:
            graphs = [graph for graphs in self._graphs.values() for graph in graphs]
            if not graphs:
                raise ValueError(
                    f"For 'draw', '{self._name}' has no graph yet. Call it first, or give the arguments of a call."
                )
            graph = graphs[-1]
        drawing = draw(graph.boxes())
        if path is not None:
            with replacing(os.fspath(path)) as file:
                file.write(drawing.svg.encode())
        return drawing

    def _graph_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Graph:
        """Return the graph of a call, which is captured if necessary, but not run."""
        leaves: list[Any] = []
        key = signature((args, kwargs), leaves, self._openness(args, kwargs))
        try:
            with recording:
                while True:
                    try:
                        return self._capture(key, args, kwargs, leaves)
                    except UnknownFunctions as found:
                        if not self._adds_functions(found):
                            raise
        except Exception as error:
            if _is_about_capture(error):
                raise self._refusal(error) from error
            raise

    def prepare(self, *args: Any, **kwargs: Any) -> None:
        """Capture the graph of a call with these arguments; warn where only the call itself may capture it.

        Raises:
            NotOneGraph: it cannot be captured, and only graphs are accepted.
        """
        try:
            if not can_watch():
                raise self._refusal(NotRecordable(_PROFILED))
            if not self._rehearse(args, kwargs):
                self.graph(*args, **kwargs)
        except NotOneGraph as error:
            if self.strict:
                raise
            warn_user(f"'{self._name}' is not captured ahead of its first call: {error}")

    def _rehearse(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether a run that is undone captures the graph; fake tensors load a large part of torch."""
        leaves: list[Any] = []
        openness = self._openness(args, kwargs)
        key = signature((args, kwargs), leaves, openness)
        if not self._can_run_live(openness):
            return False
        with recording:
            if self._matching_graph(key, leaves) is not None:
                return True
            try:
                graph = self._new_graph(key, args, kwargs, openness)
                is_captured = (
                    graph.can_run_live(leaves)
                    and graph.run_and_record(self._call, args, kwargs, leaves, live.rehearse).refusal is None
                )
            except (NotRecordable, UntrackedState):
                return False
            if is_captured:
                self.captures += 1
                self._store(key, graph, args, kwargs)
            return is_captured

    def _can_run_live(self, openness: Openness) -> bool:
        """Return whether a call may run before it is compiled or refused, with sizes that real tensors have."""
        return (self.level == "O0" or self.tiered) and not self.strict and not any(openness.sizes)

    def _capture_and_run(
        self,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        graph: Graph | None,
        untraced: UntracedPath | None,
    ) -> Any:
        """Record the graph or the path that a call needs, and run it."""
        if not can_watch():
            return self._run_unrecorded(args, kwargs, _PROFILED)
        done = self._run_live(key, args, kwargs, leaves, untraced)
        if done is not None:
            if done.refusal is not None and not self._adds_functions(done.refusal):
                self._stay_eager(key, done.refusal)
            return done.result
        is_running = False
        try:
            for _ in range(_MAX_TRACES):
                with recording:
                    try:
                        if graph is None:
                            graph = self._capture(key, args, kwargs, leaves)
                        elif untraced is not None:
                            self._log_answer(untraced)
                            self.captures += graph.trace_path(self._call, args, kwargs, untraced.answers)
                    except UnknownFunctions as found:
                        if not self._adds_functions(found):
                            raise
                        if graph is not None and graph in self._graphs.get(key, ()):
                            self._graphs[key].remove(graph)
                        graph = untraced = None
                        continue
                try:
                    is_running = True
                    return graph.run(leaves, args, kwargs)
                except UntracedPath as unknown:
                    untraced, is_running = unknown, False
            raise NotRecordable("it does not do the same when it is run again")
        except Exception as error:
            if graph is not None and graph in self._graphs.get(key, ()) and (is_running or _is_about_capture(error)):
                self._graphs[key].remove(graph)
            if not self._keeps_floats(error, is_running):
                return self._run_eagerly(key, args, kwargs, error, is_running)
        return self(*args, **kwargs)  # once the error has released the tensors of its frames

    def _keeps_floats(self, error: Exception, captured: bool) -> bool:
        """Return whether floats are constants again, with which calls were captured before."""
        if not self._floats_are_open or captured or not _is_about_capture(error):
            return False
        self._floats_are_open, self._floats_stay_constants = False, True
        return True

    def _run_unrecorded(self, args: tuple[Any, ...], kwargs: dict[str, Any], reason: str) -> Any:
        """Run a call eagerly that cannot be recorded; a later one may be."""
        if self.strict:
            raise self._refusal(NotRecordable(reason))
        if reason not in self._warned:
            self._warned.add(reason)
            warn_user(f"'{self._name}' runs eagerly, not as one graph: {reason}")
        return self._call(*args, **kwargs)

    def _adds_functions(self, refusal: Exception) -> bool:
        """Remember functions that were only found while they ran; return whether recording should restart."""
        if not isinstance(refusal, UnknownFunctions) or self._searches >= _MAX_SEARCHES:
            return False
        self._searches += 1
        self._extra_functions += refusal.functions
        return True

    def _run_live(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any], untraced: UntracedPath | None
    ) -> live.Run | None:
        """Record a call while it runs; None: another thread has recorded it meanwhile, or it takes fake tensors."""
        openness = self._openness(args, kwargs)
        if not self._can_run_live(openness):
            return None
        with recording:
            existing = self._matching_graph(key, leaves)
            if existing is not None and (untraced is None or existing.tree.knows(untraced.answers)):
                return None
            try:
                graph = existing or self._new_graph(key, args, kwargs, openness)
            except UntrackedState as refusal:
                return live.Run(self._call(*args, **kwargs), None, refusal)
            if not graph.can_run_live(leaves):
                return None
            if untraced is not None:
                self._log_answer(untraced)
            done = graph.run_and_record(self._call, args, kwargs, leaves)
            if done.refusal is None:
                self.captures += 1
                if existing is None:
                    self._store(key, graph, args, kwargs)
            elif existing is not None:
                self._graphs[key].remove(existing)
            return done

    def _run_eagerly(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception, captured: bool
    ) -> Any:
        if self.strict and not captured and _is_about_capture(error):
            raise self._refusal(error) from error
        # A mistake in the program itself raises here: fake tensors accept some inputs that the kernels refuse.
        result = self._call(*args, **kwargs)
        if self.strict:
            raise self._refusal(error) from error
        self._stay_eager(key, error)
        return result

    def _stay_eager(self, key: Any, error: Exception) -> None:
        """Run all calls of a signature eagerly from now on, and warn why."""
        self._eager[key] = reason = self._reason(error)
        if len(self._eager) > _MAX_SIGNATURES:
            del self._eager[next(iter(self._eager))]
        warn_user(f"'{self._name}' runs eagerly, not as one graph: {reason}")

    def _refusal(self, error: Exception) -> NotOneGraph:
        return NotOneGraph(f"For 'jit', '{self._name}' cannot be one graph: {self._reason(error)}")

    def _reason(self, error: Exception) -> str:
        line = (isinstance(error, NotRecordable) and error.line) or error_line(error, self.fn)
        text = str(error).strip().partition("\n")[0] or type(error).__name__
        return f"{text} ({line})" if line else text

    def _capture(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> Graph:
        found = self._matching_graph(key, leaves)
        if found is not None:
            return found
        openness = self._openness(args, kwargs)
        try:
            found = self._new_graph(key, args, kwargs, openness)
            found.trace_path(self._call, args, kwargs, [])
        except Exception as error:
            if isinstance(error, UnknownFunctions) or not any(openness.sizes):
                raise
            found = None
        if found is None:  # plain sizes, once the error has released the tensors of its frames
            found = self._new_graph(key, args, kwargs, Openness((), openness.floats))
            found.trace_path(self._call, args, kwargs, [])
            found.fix_sizes(leaves)
        self.captures += 1
        self._store(key, found, args, kwargs)
        return found

    def _matching_graph(self, key: Any, leaves: list[Any]) -> Graph | None:
        return next((graph for graph in self._graphs.get(key, ()) if graph.holds(leaves)), None)

    def _new_graph(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], openness: Openness) -> Graph:
        """Return a graph with guards but without a path.

        Raises:
            UntrackedState: the function depends on something that cannot be compared, or that changes all the time.
        """
        graphs = self._graphs.get(key, [])
        if len(graphs) >= _MAX_GRAPHS:
            raise UntrackedState(f"what it depends on has changed {_MAX_GRAPHS} times")
        unsettled = [graph.unsettled for graph in graphs if graph.unsettled]
        if len(unsettled) >= _MAX_UNSETTLED:
            raise UntrackedState(f"it depends on the attribute {unsettled[-1]}, which it changes at each call")
        self._log(key, graphs)
        try:
            return Graph(self.fn, args, kwargs, self.level, self.tiered, openness, self._extra_functions)
        except UntrackedState:
            raise
        except Exception as error:  # of a class that has something else in place of what every object, or cell, has
            raise UntrackedState(f"it reaches an object that cannot be read ({type(error).__name__})") from error

    def _store(self, key: Any, graph: Graph, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._graphs.setdefault(key, []).append(graph)
        if len(self._graphs) > _MAX_SIGNATURES:
            del self._graphs[next(iter(self._graphs))]
        if not (self._floats_are_open or self._floats_stay_constants):
            self._floats_are_open = self._only_floats_differ(args, kwargs)

    def _only_floats_differ(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Count a call; return whether several differed only in floats, such as a scheduled learning rate."""
        key = signature((args, kwargs), [], Openness(self._openness(args, kwargs).sizes, True))
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] >= _MAX_FLOATS

    def _log_answer(self, untraced: UntracedPath) -> None:
        recompiles.log(self._name, f"a new answer, {untraced.answers[-1]}, at {untraced.line}")

    def _log(self, key: Any, graphs: list[Graph]) -> None:
        """Log why a graph is recorded, if the environment asks for it."""
        if not recompiles.logged():
            return
        if graphs:
            reason = graphs[-1].change()
        else:
            others = [other for other, existing in self._graphs.items() if existing]
            reason = difference(key, others[-1]) if others else "the first call"
        recompiles.log(self._name, reason)


def _is_about_capture(error: Exception) -> bool:
    """Return whether an error is one of recording a graph, not of the program."""
    kinds = (NotRecordable, TensorEscaped, UntrackedState, UnknownFunctions)
    return isinstance(error, kinds) or type(error).__module__.startswith("torch")
