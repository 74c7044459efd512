"""Tools beside pipelines: lines of files, and boxes on images."""

from __future__ import annotations

import numpy as np
import pytest

from torchspore.dataset.utils import LineReader, imshow_det_bbox


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a b c\nd e\nf\n", ["a b c", "d e", "f"]),
        (b"x\ny", ["x", "y"]),
        (b"x\r\n\r\n\xc3\xa4", ["x", "", "ä"]),
    ],
)
def test_lines(tmp_path, content, lines):
    path = tmp_path / "text"
    path.write_bytes(content)
    reader = LineReader(str(path))
    assert reader.len() == len(reader) == len(lines)
    assert [reader[number] for number in range(1, len(lines) + 1)] == lines
    assert [reader.readline(number) for number in range(len(lines), 0, -1)] == lines[::-1]
    for wrong, error in ((0, ValueError), (len(lines) + 1, ValueError), ("a", TypeError)):
        with pytest.raises(error, match=r"^For 'LineReader.readline', 'line' must be"):
            reader.readline(wrong)
    reader.close()
    assert [reader.readline(number) for number in range(1, len(lines) + 1)] == lines
    reader.close()


@pytest.mark.parametrize(("path", "error"), [("/none", RuntimeError), ("/tmp", RuntimeError), (3, TypeError)])
def test_wrong_files(path, error):
    with pytest.raises(error, match=r"^For 'LineReader', 'filename'"):
        LineReader(path)


IMAGE = np.zeros((40, 50, 3), np.uint8)
BOXES = np.array([[5, 6, 20, 12, 0.9], [3, 20, 8, 8, 0.2]], np.float32)
LABELS = np.array([[0], [1]])


def corners(image, color):
    """Return (top, bottom, left, right) of the pixels of a color."""
    rows, columns = np.where((image == color).all(2))
    return rows.min(), rows.max(), columns.min(), columns.max()


def drawn(**options):
    pytest.importorskip("PIL")
    given = {"image": IMAGE, "bboxes": BOXES, "labels": LABELS, "class_names": ["a", "b"], "show": False, **options}
    return imshow_det_bbox(**given)


def test_boxes():
    assert corners(drawn(score_threshold=0.5, thickness=1), (0, 255, 0)) == (6, 18, 5, 25)
    assert corners(drawn(bbox_color=(1, 2, 3), thickness=1, class_names={0: "", 1: ""}), (1, 2, 3)) == (6, 28, 3, 25)
    assert (drawn(image=IMAGE.transpose(2, 0, 1)) == drawn()).all()
    assert (drawn(bboxes=BOXES[:, :4], class_names=["", ""]) == (0, 255, 0)).all(2).sum() > 100
    assert not IMAGE.any()


def test_masks_and_files(tmp_path):
    masks = np.zeros((2, 40, 50), np.uint8)
    masks[:, 1:3, 40:44] = 1
    path = tmp_path / "x.png"
    image = drawn(segm=masks[:1], bboxes=BOXES[:1], labels=LABELS[:1], mask_color=(100, 50, 20), out_file=str(path))
    assert image[2, 42].tolist() == [50, 25, 10]
    from PIL import Image

    assert (np.asarray(Image.open(path))[..., ::-1] == image).all()


WRONG = [
    {"image": 3}, {"image": IMAGE[0]}, {"bboxes": 3}, {"bboxes": BOXES[:, :3]}, {"labels": LABELS[:1]},
    {"labels": LABELS[:, 0]}, {"segm": 3}, {"class_names": None}, {"bbox_color": 3}, {"show": 1}, {"out_file": 3},
]  # fmt: skip


@pytest.mark.parametrize("options", WRONG)
def test_wrong_arguments(options):
    with pytest.raises(AssertionError, match=r"^For 'imshow_det_bbox', "):
        drawn(**options)
