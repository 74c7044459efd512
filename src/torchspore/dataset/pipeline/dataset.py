"""Dataset: the base of all datasets, to which modules of operations attach methods.

A dataset is a node of a tree: sources are its leaves, and each operation makes a new node above. Nothing runs until an
iterator pulls rows out of the root.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from torchspore.common.names.earlier_names import answer_by_earlier_names
from torchspore.dataset.parameters import declared_arguments
from torchspore.dataset.pipeline.given_arguments import Arguments, name_missing, note_arguments
from torchspore.dataset.pipeline.node import Node
from torchspore.dataset.pipeline.operations import Operations
from torchspore.engine.parameters import take_as

__all__ = ["Dataset", "SourceDataset", "attach"]

# Arguments of sources that are attributes of their own, or parts of the sampler.
_CHOICE = ("num_parallel_workers", "num_samples", "num_shards", "sampler", "shard_id", "shuffle")
_Attached = TypeVar("_Attached", bound=Callable[..., Any])


class Dataset(Operations, Arguments, Node):
    """The base of all datasets.

    Args:
        *children: the datasets whose rows it takes.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).batch(2)
        >>> isinstance(data, ds.Dataset)
        True
        >>> for batch in data.create_dict_iterator(num_epochs=1):
        ...     print(batch["x"])
        [1 2]
        [3]
    """

    _public_name = "dataset.Dataset"
    _in_memory = False  # whether its arguments are the rows, which `serialize` cannot write

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls._in_memory:
            note_arguments(cls)

    def _is_evaluated(self, name: str) -> bool:
        return name not in vars(self) and not isinstance(getattr(type(self), name, None), property)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Return the result of a function of the dataset.

        Raises:
            TypeError: `apply_func` does not return a dataset.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2], ["x"]).apply(lambda data: data.batch(2))
            >>> data.get_dataset_size()
            1
        """
        dataset = take_as(Callable, apply_func, "apply_func", "apply")(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"For 'apply', 'apply_func' must return a dataset, but got {type(dataset).__name__}.")
        return dataset


class SourceDataset(Dataset):
    """The base of all sources.

    MindSpore: `mindspore.dataset.engine.datasets.SourceDataset`.
    """

    def _is_evaluated(self, name: str) -> bool:
        return name not in _CHOICE or super()._is_evaluated(name)


def attach(name: str) -> Callable[[_Attached], _Attached]:
    """Make a function, or the constructor of a class, a method of all datasets.

    `python tools/write_stubs.py` then lists it in `operations.pyi`.
    """

    def attached(defined: _Attached) -> _Attached:
        if isinstance(defined, type):
            declared_arguments(defined, name)
        method: Any = _constructing(defined, f"Dataset.{name}") if isinstance(defined, type) else defined
        method.__name__, method.__qualname__ = name, f"Dataset.{name}"
        setattr(Dataset, name, method)
        return defined

    return attached


def _constructing(kind: Any, name: str) -> Any:
    """Return the method that passes the dataset and its arguments on to the constructor of a class."""

    signature = inspect.signature(kind)
    dataset, *parameters = signature.parameters.values()

    def construct(self: Dataset, *args: Any, **kwargs: Any) -> Any:
        others = {key: kwargs.pop(key) for key in kwargs.keys() - signature.parameters.keys()}
        if others:
            return answer_by_earlier_names(construct, name, (self, *args), kwargs, others)
        try:
            return kind(self, *args, **kwargs)
        except TypeError as error:
            name_missing(error, kind.__init__)
            raise

    result = "Dataset" if issubclass(kind, Dataset) else kind.__name__
    construct.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[dataset.replace(name="self", annotation="Dataset"), *parameters], return_annotation=result
    )
    construct.__module__, construct.__doc__ = kind.__module__, kind.__doc__
    constructor: Any = inspect.unwrap(kind.__init__)
    construct.__wrapped__ = constructor  # type: ignore[attr-defined]  # the source that editors and debuggers show
    # Python's errors about the number of arguments then name the method.
    kind.__init__.__qualname__ = constructor.__qualname__ = name
    return construct
