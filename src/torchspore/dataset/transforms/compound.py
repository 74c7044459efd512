"""Transforms composed of others: in sequence, by chance, in random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from torchspore.dataset.parameters import Operation
from torchspore.dataset.rows.draws import draws_of
from torchspore.dataset.rows.failures import failed
from torchspore.dataset.rows.values import as_column
from torchspore.dataset.transforms.base import CallingTransform, Random, Transforms, is_pil
from torchspore.engine.parameters import Limits

__all__ = ["Compose", "PyTransform", "RandomApply", "RandomChoice", "RandomOrder"]


class Compound(CallingTransform):
    """Calls some of several transforms in sequence; a tuple becomes the arguments of the next.

    Transforms get arrays, results are arrays, and errors of functions are RuntimeErrors, as in pipelines. Of a PIL
    image, or if a transform works on Python objects (`vision.ToPIL`), they are unchanged.
    """

    _several = True

    def __init__(self, transforms: Transforms) -> None:
        self.transforms = transforms

    @property
    def on_objects(self) -> bool:  # type: ignore[override]
        """Whether a transform works on Python objects."""
        return any(getattr(each, "on_objects", False) for each in self.transforms)

    def _transform(self, values: list[Any]) -> Any:
        chosen = self._chosen(len(values) == 1 and is_pil(values[0]))
        if self.on_objects or (len(values) == 1 and is_pil(values[0])):
            return self._of_objects(chosen, values)
        result: Any = tuple([as_column(value) for value in values])
        number = 0
        try:
            for number, transform in enumerate(chosen):  # noqa: B007
                result = transform(*result)
                if not isinstance(result, tuple):
                    result = (result,)
            result = tuple([as_column(value) for value in result])
        except RuntimeError:
            raise
        except Exception as error:
            raise failed(type(self).__name__, chosen[number], error) from error
        return result[0] if len(result) == 1 else result

    def _of_objects(self, chosen: Sequence[Callable[..., Any]], values: list[Any]) -> Any:
        result: Any = values[0] if len(values) == 1 else tuple(values)
        for transform in chosen:
            result = transform(*result) if isinstance(result, tuple) else transform(result)
        return result

    def _chosen(self, of_pil: bool) -> Sequence[Callable[..., Any]]:
        """Return what to call, for a PIL image or something else."""
        return self.transforms


class Compose(Compound):
    """Calls transforms in sequence, each with the result of the previous one.

    The result is an array, or a tuple of arrays. Of a PIL image, or where a transform works on PIL images only
    (`vision.ToPIL`), it is a tuple of the unchanged results, even of a single one.

    Args:
        transforms: transforms or functions; a tuple becomes the arguments of the next.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> both = transforms.Compose([transforms.Fill(2), lambda x: x + 1])
        >>> both(np.array([0, 0]))
        array([3, 3])
    """

    is_a_list = True

    def __init__(self, transforms: Transforms) -> None:
        super().__init__(transforms)
        self.transforms = [
            part for each in transforms for part in (each.transforms if type(each) is Compose else [each])
        ]

    def _of_objects(self, chosen: Sequence[Callable[..., Any]], values: list[Any]) -> Any:
        result = super()._of_objects(chosen, values)
        return result if isinstance(result, tuple) else (result,)


class PyTransform(Compound):
    """Turns a function into a transform.

    Args:
        function: the function.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.PyTransform(lambda x: x + 1)(np.array([1, 2]))
        array([2, 3])
    """

    def __init__(self, function: Operation) -> None:
        super().__init__([function])


class RandomApply(Random, Compound):
    """Calls all transforms, or none.

    Args:
        transforms: transforms or functions.
        prob: the probability of calling them, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.RandomApply([transforms.Fill(2)], prob=1.0)(np.array([0, 0]))
        array([2, 2])
    """

    def __init__(self, transforms: Transforms, prob: Annotated[float, Limits(0, 1)] = 0.5) -> None:
        super().__init__(transforms)
        self.prob = prob

    def _chosen(self, of_pil: bool) -> Sequence[Callable[..., Any]]:
        drawn = random.random() if of_pil else self._random().fraction()
        return self.transforms if drawn <= self.prob else ()


class RandomChoice(Random, Compound):
    """Calls one of several transforms.

    Args:
        transforms: transforms or functions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> one = transforms.RandomChoice([transforms.Fill(1), transforms.Fill(2)])
        >>> one(np.array([0])).item() in (1, 2)
        True
    """

    def _chosen(self, of_pil: bool) -> Sequence[Callable[..., Any]]:
        if of_pil and (self.on_objects or draws_of(self) is None):
            return [random.choice(self.transforms)]
        return [self.transforms[self._random().below(len(self.transforms))]]


class RandomOrder(Compound):
    """Calls all transforms, in random order.

    Args:
        transforms: transforms or functions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> steps = transforms.RandomOrder([lambda x: x + 1, lambda x: x * 2])
        >>> steps(np.array([1])).item() in (3, 4)
        True
    """

    on_objects = True
    parts = ()

    def _chosen(self, of_pil: bool) -> Sequence[Callable[..., Any]]:
        order = self.transforms.copy()
        random.shuffle(order)
        return order
