"""Python functions as primitives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.naming import named
from torchspore.engine.gradients.custom import call_with_bprop
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import Primitive, prim_attr_register
from torchspore.ops.control.compiled_functions import CompiledFunction

__all__ = ["Custom", "Morph", "MoveTo", "PyFunc", "Reusing", "prim_arg_register"]

RUNS_USER_CODE = True  # errors name what the user passed, see `engine.failures.errors`


def prim_arg_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate the `__init__` of a primitive: the same as `prim_attr_register`.

    Examples:
        >>> import torchspore as ms
        >>> class Scale(ms.ops.Primitive):
        ...     @ms.ops.prim_arg_register
        ...     def __init__(self, factor=2):
        ...         pass
        ...     def __call__(self, x):
        ...         return x * self.factor
        >>> print(Scale(3)(ms.Tensor([1.0, 2.0])))
        [3. 6.]
    """
    return prim_attr_register(fn)


def _on_arrays(fn: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    return fn(*[value.asnumpy() if isinstance(value, Tensor) else value for value in inputs])


class PyFunc(Primitive):
    """Call a function of NumPy arrays: `PyFunc(fn, ...)((x, y))` is a tuple of Tensors.

    No gradient flows through it. A captured function that calls it runs eagerly.

    Args:
        fn: the function.
        in_types, in_shapes: the data types and shapes of the inputs, lists.
        out_types, out_shapes: the data types and shapes of the results, lists.
        stateful: whether `fn` keeps a state; calls are in program order anyway. Default: True.

    Raises TypeError if `fn` is not a function, or the inputs or results differ from those declared.
    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> add = ms.ops.PyFunc(np.add, [ms.float32] * 2, [(2,)] * 2, [ms.float32], [(2,)])
        >>> print(add((ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))[0])
        [4. 6.]
    """

    def __init__(
        self, fn: Any, in_types: Any, in_shapes: Any, out_types: Any, out_shapes: Any, stateful: bool = True
    ) -> None:
        super().__init__()
        take_as(Callable, fn, "fn", "PyFunc")
        if len(in_types) != len(in_shapes) or len(out_types) != len(out_shapes):
            raise TypeError("there must be one type per shape, of the inputs and of the results")
        self.fn = fn
        self.in_types, self.in_shapes = in_types, in_shapes
        self.out_types, self.out_shapes = out_types, out_shapes
        self.stateful = stateful

    def __call__(self, input_x: Any) -> tuple[Tensor, ...]:
        """Return the results for a tuple or list of Tensors."""
        if not isinstance(input_x, (tuple, list)) or len(input_x) != len(self.in_types):
            raise TypeError(f"For 'PyFunc', the input must be a tuple of {len(self.in_types)} Tensors.")
        results = _on_arrays(self.fn, tuple(input_x))
        results = results if isinstance(results, (tuple, list)) else (results,)
        if len(results) != len(self.out_types):
            raise TypeError(
                f"For 'PyFunc', 'fn' must return {len(self.out_types)} results, but returned {len(results)}."
            )
        return tuple([Tensor(value, dtype) for value, dtype in zip(results, self.out_types)])


_PYTHON = ("pyfunc", "hybrid")
_KERNELS = ("akg", "tbe", "aicpu")
_TYPES = (*_PYTHON, "aot", *_KERNELS)


class Custom(Primitive):
    """Call a function of NumPy arrays, or one of a library, as an operation: `Custom(func, ..., "pyfunc")(x, y)`.

    A captured function that calls it runs eagerly.

    Args:
        func: the function; it returns an array, or a tuple of arrays. With "aot" "library.so:name", a function with the
            C signature `int name(int count, void **memory, int *dimensions, int64_t **shapes, const char **types,
            void *stream, void *extra)`, in which the outputs follow the inputs, and 0 means success; of a source,
            "file.cc:name" or "file.cu:name", the library is built first.
        out_shape: with "aot" the shape of the result, a tuple of several, or a function of the shapes of the inputs;
            otherwise without effect: the results have their shapes. Default: None.
        out_dtype: the data type of the result, or a tuple of several, or a function of the inputs' data types.
            Default: None, the type of the arrays; "aot" needs one.
        func_type: "pyfunc", "hybrid" for a function made by `kernel`, which runs likewise, or "aot". MindSpore's other
            types, "akg", "tbe" and "aicpu", are for its own compilers: NotImplementedError when called.
        bprop: a function of the inputs, the output and its gradient, Tensors, that returns the gradients of the inputs.
            Default: None, a gradient through it is a RuntimeError.
        reg_info: without effect.
    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> square = ms.ops.Custom(np.square, bprop=lambda x, out, dout: 2 * x * dout)
        >>> print(square(ms.Tensor([3.0])), ms.grad(square)(ms.Tensor([3.0])))
        [9.] [6.]
    """

    def __init__(
        self, func: Any, out_shape: Any = None, out_dtype: Any = None, func_type: str = "pyfunc", bprop: Any = None,
        reg_info: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if func_type not in _TYPES:
            raise ValueError(f"'func_type' must be one of {_TYPES}")
        if func_type in _PYTHON:
            take_as(Callable, func, "func", "Custom")
        self._call = CompiledFunction(func, out_shape, out_dtype) if func_type == "aot" else self._computed
        if bprop is not None:
            take_as(Callable, bprop, "bprop", "Custom")
        self.func = func
        self.out_shape, self.out_dtype = out_shape, out_dtype
        self.func_type = func_type
        self.bprop = bprop
        self.reg_info = reg_info

    def __call__(self, *inputs: Any) -> Any:
        """Return the result of the function.

        Raises:
            NotImplementedError: `func_type` is the type of a kernel.
        """
        if self.func_type in _KERNELS:
            raise NotImplementedError(
                f"For 'Custom', 'func_type' must be 'pyfunc', 'hybrid' or 'aot', but got {self.func_type!r}. Write the "
                "kernel in C++, with torch.library, or as a torch extension, and call it with the tensors' torch "
                "tensors, `tensor.torch`."
            )
        return call_with_bprop("Custom", self._call, self.bprop or _no_gradient, inputs, {}, [])

    def _computed(self, *inputs: Any) -> Any:
        results = _on_arrays(self.func, inputs)
        dtypes = self.out_dtype
        if callable(dtypes):
            dtypes = dtypes(*[getattr(value, "dtype", None) for value in inputs])
        if not isinstance(results, (tuple, list)):
            return Tensor(results, dtypes)
        several = dtypes if isinstance(dtypes, (tuple, list)) else (dtypes,) * len(results)
        return tuple([Tensor(value, dtype) for value, dtype in zip(results, several)])


def _no_gradient(*values: Any) -> Any:
    raise RuntimeError("For 'Custom', a gradient needs 'bprop'. Give one, or use ops.stop_gradient on the result.")


class Morph(Primitive):
    """Call a function of Tensors as a primitive: `Morph(fn, infer_shape, infer_dtype)(x)`.

    Args:
        fn: the function.
        infer_shape, infer_dtype: without effect: results have shape and dtype.
        bprop_fn: a function of the inputs, the output and its gradient that returns the gradients of the inputs.
            Default: None, the gradients of `fn`.
    Examples:
        >>> import torchspore as ms
        >>> double = ms.ops.Morph(lambda x: 2 * x, lambda shape: shape, lambda dtype: dtype)
        >>> print(double(ms.Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init__(self, fn: Any, infer_shape: Any, infer_dtype: Any, bprop_fn: Any = None) -> None:
        super().__init__()
        named = {"fn": fn, "infer_shape": infer_shape, "infer_dtype": infer_dtype}
        for name, function in {**named, **({} if bprop_fn is None else {"bprop_fn": bprop_fn})}.items():
            take_as(Callable, function, name, "Morph")
        self.fn, self.infer_shape, self.infer_dtype = fn, infer_shape, infer_dtype
        self.bprop_fn = bprop_fn

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the result of the function."""
        if self.bprop_fn is None:
            return self.fn(*inputs, **kwargs)
        return call_with_bprop("Morph", self.fn, self.bprop_fn, inputs, kwargs, [])


class Reusing(Primitive):
    """Return a function: MindSpore's compiler would compile it once for all calls."""

    def __call__(self, x: Any) -> Any:
        """Return `x`."""
        return x


class MoveTo(Primitive):
    """`move_to` as a primitive: `MoveTo()(x, "CPU")`."""

    @named
    def __call__(self, input: Tensor, to: str = "CPU", blocking: bool = True) -> Tensor:
        """Return the tensor on the device "CPU", "GPU" or "Ascend"."""
        if not isinstance(input, Tensor):
            raise TypeError("'input' must be a Tensor")
        return input.move_to(to, blocking)


class _CustomVjp:
    """A function whose gradient `defbwd` sets."""

    def __init__(self, fn: Any) -> None:
        take_as(Callable, fn, "fn", "custom_vjp")
        self.fn, self.bwd = fn, None

    def defbwd(self, bwd: Any) -> None:
        """Set the function of the inputs, the output and its gradient that returns the gradients of the inputs."""
        take_as(Callable, bwd, "bwd", "custom_vjp.defbwd")
        self.bwd = bwd

    def __call__(self, *args: Any) -> Any:
        if self.bwd is None:
            return self.fn(*args)
        return call_with_bprop("custom_vjp", self.fn, self.bwd, args, {}, [])


def custom_vjp(fn: Any = None) -> Any:
    """Return a function with the method `defbwd`, which sets its gradient; without a function, a decorator."""
    return _CustomVjp if fn is None else _CustomVjp(fn)
