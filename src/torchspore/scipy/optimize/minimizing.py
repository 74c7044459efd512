"""`minimize`, the interface of all methods of minimization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.scipy.optimize.lagrange import LagrangeResults, minimize_lagrange
from torchspore.scipy.optimize.quasi_newton import minimize_bfgs, minimize_lbfgs
from torchspore.scipy.optimize.searching import differentiable

__all__ = ["OptimizeResults", "minimize"]

_METHODS: dict[Any, Callable[..., Any]] = {
    "BFGS": minimize_bfgs,
    "LBFGS": minimize_lbfgs,
    "LAGRANGE": minimize_lagrange,
}
_WITHOUT_EFFECT = {
    "hess": "Hessians are estimated",
    "hessp": "Hessians are estimated",
    "bounds": "use the method 'LAGRANGE' with the options 'lower' and 'upper'",
    "callback": "the methods make no calls between their steps",
}


class OptimizeResults(NamedTuple):
    """The result of a minimization.

    Args:
        x: the solution.
        success: whether the gradient is small enough.
        status: 0 for success, 1 for too many iterations, 3 or 5 for a failed line search.
        fun, jac: the value of the function and its gradient at the solution.
        hess_inv: the estimate of the inverse Hessian, for BFGS.
        nfev, njev: the numbers of evaluations of the function and of the gradient.
        nit: the number of iterations.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.optimize import minimize
        >>> found = minimize(lambda x: ((x - 3) ** 2).sum(), ms.Tensor([0.0]), method="BFGS")
        >>> type(found).__name__, bool(found.success), round(float(found.x[0]), 3)
        ('OptimizeResults', True, 3.0)
    """

    x: Tensor
    success: bool
    status: int
    fun: float
    jac: Tensor
    hess_inv: Tensor | None
    nfev: int
    njev: int
    nit: int


@named
def minimize(
    func: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | None = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: Any = None,
    callback: Any = None,
    options: Any = None,
) -> OptimizeResults | LagrangeResults:
    """Find the minimum of a function of a vector.

    Args:
        func: the function, called as `func(x, *args)`, which returns a number.
        x0: the initial vector.
        args: further arguments of the function. Default: ().
        method: "BFGS", "LBFGS", or "LAGRANGE" for constraints.
        jac: the gradient, called as `jac(x, *args)`, for "BFGS" and "LBFGS". Default: None, by differentiation.
        hess, hessp, bounds, callback: without effect, with a warning, as in MindSpore.
        constraints: for "LAGRANGE", functions of the vector whose values must be at most 0. Default: ().
        tol: for "BFGS" and "LBFGS", the norm of the gradient at which to stop; for "LAGRANGE", the tolerance of the
            constraints. Default: None, as in the options.
        options: a dict. For "BFGS" and "LBFGS": `maxiter` (None: 200 for every variable), `gtol` (1e-5), `norm`
            (infinity), `line_search_maxiter` (10); for "LBFGS" also `history_size` (20). For "LAGRANGE": `save_tol`,
            `obj_weight` (1.0), `lower`, `upper`, `learning_rate` (0.1), `coincide_fun`, `rounds` (10), `steps` (1000)
            and `log_sw` (False). Default: None.

    Returns:
        The solution, `x` (for "LAGRANGE" `best_value`), and details.

    Raises:
        NotImplementedError: an argument is not supported.
        TypeError: an option is unknown.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.optimize import minimize
        >>> target = ms.Tensor([1.0, -2.0])
        >>> result = minimize(lambda x: ((x - target) ** 2).sum(), ms.Tensor([0.0, 0.0]), method="BFGS")
        >>> print(result.x.round(decimals=3), result.success)
        [ 1. -2.] True
    """
    given = {"hess": hess, "hessp": hessp, "bounds": bounds, "callback": callback}
    for name, reason in _WITHOUT_EFFECT.items():
        if given[name] is not None:
            warn_user(f"For 'minimize', '{name}' has no effect, as in MindSpore: {reason}.")
    chosen = method.upper() if isinstance(method, str) else method
    if chosen not in _METHODS:
        raise ValueError(f"'method' must be one of {tuple(_METHODS)}")
    if not isinstance(x0, Tensor) or not callable(func):
        got = f"{func!r}, {describe(x0)}"
        raise TypeError(f"'func' must be a function and 'x0' a Tensor, but got {got}")
    settings = dict(options or {})
    if chosen == "LAGRANGE":
        if "coincide_func" in settings:
            settings["coincide_fun"] = settings.pop("coincide_func")
        if tol is not None:
            settings.setdefault("save_tol", tol)
        return _with_options(minimize_lagrange, func, x0, constraints, args, **settings)
    if x0.ndim != 1:
        raise ValueError("'x0' must be a vector")
    if constraints:
        raise NotImplementedError(f"For 'minimize', only the method 'LAGRANGE' takes constraints, not {method!r}.")
    if tol is not None:
        settings.setdefault("gtol", tol)
    end = _with_options(_METHODS[chosen], differentiable(func, jac, args), x0._t.detach(), **settings)
    return OptimizeResults(
        x=wrap(end.position),
        success=end.status == 0,
        status=end.status,
        fun=end.value,
        jac=wrap(end.gradient),
        hess_inv=None if end.inverse_hessian is None else wrap(end.inverse_hessian),
        nfev=end.computed,
        njev=end.computed,
        nit=end.iterations,
    )


def _with_options(method: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Call a method with options, and reject unknown ones."""
    code = method.__code__
    known = code.co_varnames[len(arguments) : code.co_argcount]
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise TypeError(f"unknown options {unknown}. Known: {', '.join(known)}.")
    return method(*arguments, **settings)
