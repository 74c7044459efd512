"""Tools outside pipelines: lines of large text files, and boxes drawn on images.

MindSpore: `mindspore.dataset.utils`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from torchspore.dataset.vision.base import pillow
from torchspore.engine.parameters import Limits, take_as

__all__ = ["LineReader", "imshow_det_bbox"]

Color = tuple[int, int, int]


class LineReader:
    """Reads single lines of a text file, which need not fit into the memory.

    Args:
        filename: the path of the file.

    Raises:
        RuntimeError: there is no such file.

    Examples:
        >>> import tempfile
        >>> from torchspore.dataset.utils import LineReader
        >>> with tempfile.NamedTemporaryFile("w+") as file:
        ...     _ = file.write("the deep\\nsea\\n")
        ...     file.flush()
        ...     reader = LineReader(file.name)
        ...     len(reader), reader.readline(2)
        ...     reader.close()
        (2, 'sea')
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, (str, os.PathLike)):
            raise TypeError(f"For 'LineReader', 'filename' must be a path, but got {filename!r}.")
        if not os.path.isfile(filename):
            raise RuntimeError(f"For 'LineReader', 'filename' must be a file, but there is none at {filename!r}.")
        self.filename = os.fspath(filename)
        self.fo_handle = open(self.filename, "rb")  # noqa: SIM115 - it is read until `close`
        self.offsets = [0]
        for line in self.fo_handle:
            self.offsets.append(self.offsets[-1] + len(line))
        self.offsets.pop()

    def len(self) -> int:
        """Return the number of lines."""
        return len(self.offsets)

    def __len__(self) -> int:
        return self.len()

    def readline(self, line: int) -> str:
        """Return a line, without its end.

        Args:
            line: its number, from 1.

        Raises:
            ValueError: there is no such line.
        """
        take_as(Annotated[int, Limits(1, self.len())], line, "line", "LineReader.readline")
        if self.fo_handle.closed:
            self.fo_handle = open(self.filename, "rb")  # noqa: SIM115
        self.fo_handle.seek(self.offsets[line - 1])
        return self.fo_handle.readline().decode().rstrip("\r\n")

    def __getitem__(self, line: int) -> str:
        return self.readline(line)

    def close(self) -> None:
        """Close the file until the next line is read."""
        self.fo_handle.close()


def imshow_det_bbox(
    image: Any, bboxes: Any, labels: Any, segm: Any = None,
    class_names: Sequence[str] | Mapping[int, str] | None = None, score_threshold: float = 0,
    bbox_color: Color = (0, 255, 0), text_color: Color = (203, 192, 255), mask_color: Color = (128, 0, 128),
    thickness: int = 2, font_size: float = 0.8, show: bool = True, win_name: str = "win", wait_time: int = 2000,
    out_file: str | None = None,
) -> Any:  # fmt: skip
    """Return an image with boxes, their classes and scores, and masks drawn on it; colors are (blue, green, red).

    Args:
        image: an array (height, width, 3) or (3, height, width) of uint8.
        bboxes: the boxes (left, top, width, height), or with a score (N, 5).
        labels: the numbers of the classes, of the shape (N, 1).
        segm: a mask for each box, (N, height, width), or None. Default: None.
        class_names: the names of the classes.
        score_threshold: boxes with a lower score are left out. Default: 0.
        bbox_color: the color of boxes. Default: (0, 255, 0).
        text_color: the color of text. Default: (203, 192, 255).
        mask_color: the color of masks, which are half transparent. Default: (128, 0, 128).
        thickness: the width of lines. Default: 2.
        font_size: the size of texts, 1 for about 12 pixels. Default: 0.8.
        show: whether to show the image in a window of OpenCV, or else by Pillow. Default: True.
        win_name: the title of the window. Default: "win".
        wait_time: the number of milliseconds that it is shown. Default: 2000.
        out_file: the path of a file to write the image to. Default: None.

    Raises:
        AssertionError: an argument has another type or shape, as in MindSpore.

    Examples:
        >>> import numpy as np
        >>> from torchspore.dataset.utils import imshow_det_bbox
        >>> image, boxes = np.zeros((20, 30, 3), np.uint8), np.array([[5, 2, 10, 12]])
        >>> drawn = imshow_det_bbox(image, boxes, np.array([[0]]), class_names=["cat"], show=False)
        >>> drawn.shape, drawn[2, 15].tolist()
        ((20, 30, 3), [0, 255, 0])
    """
    _assert(isinstance(show, bool), "'show' must be a bool")
    _assert(out_file is None or isinstance(out_file, str), "'out_file' must be a str or None")
    _assert(_has_shape(image, (None, None, 3)) or _has_shape(image, (3, None, None)), "'image' must have 3 channels")
    _assert(
        _has_shape(bboxes, (None, 4)) or _has_shape(bboxes, (None, 5)), "'bboxes' must be an array (N, 4) or (N, 5)"
    )
    _assert(_has_shape(labels, (len(bboxes), 1)), f"'labels' must be an array of the shape ({len(bboxes)}, 1)")
    _assert(segm is None or _has_shape(segm, (None, None, None)), "'segm' must be an array (N, height, width)")
    _assert(isinstance(class_names, (list, tuple, dict)), "'class_names' must be a list, a tuple or a dict")
    for name, color in (("bbox_color", bbox_color), ("text_color", text_color), ("mask_color", mask_color)):
        _assert(isinstance(color, tuple) and len(color) == 3, f"'{name}' must be (blue, green, red)")
    drawn = np.ascontiguousarray(image if image.shape[-1] == 3 else image.transpose(1, 2, 0)).astype(np.uint8)
    kept = [n for n, box in enumerate(bboxes) if len(box) == 4 or box[4] >= score_threshold]
    for number in kept if segm is not None else []:
        inside = np.asarray(segm[number], bool)
        drawn[inside] = (drawn[inside] * 0.5 + np.array(mask_color) * 0.5).astype(np.uint8)
    canvas = pillow().fromarray(drawn)
    draw = importlib.import_module("PIL.ImageDraw").Draw(canvas)
    font = importlib.import_module("PIL.ImageFont").load_default(max(15 * font_size, 1))
    for number in kept:
        left, top, width, height = (int(value) for value in bboxes[number][:4])
        draw.rectangle((left, top, left + width, top + height), outline=bbox_color, width=thickness)
        name = class_names[int(labels[number, 0])]  # type: ignore[index]
        score = f": {bboxes[number][4]:.2f}" if len(bboxes[number]) == 5 else ""
        draw.text((left, top), name + score, fill=text_color, font=font, anchor="lb")
    result = np.array(canvas)
    if out_file is not None:
        pillow().fromarray(result[..., ::-1]).save(out_file)
    if show:
        _show(result, win_name, wait_time)
    return result


def _assert(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(f"For 'imshow_det_bbox', {what}.")


def _has_shape(value: Any, shape: tuple[int | None, ...]) -> bool:
    if not isinstance(value, np.ndarray) or value.ndim != len(shape):
        return False
    return all(expected in (None, size) for size, expected in zip(value.shape, shape))


def _show(image: Any, title: str, milliseconds: int) -> None:
    try:
        window = importlib.import_module("cv2")
    except ImportError:
        pillow().fromarray(image[..., ::-1]).show(title)
        return
    window.imshow(title, image)
    window.waitKey(milliseconds)
