"""The command `python -m torchspore migrate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchspore.migrate.code.command import main

SOURCE = "import torch\n\nx = torch.zeros(2)\n"
REWRITTEN = "from mindspore import mint\n\nx = mint.zeros(2)\n"


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    assert main("migrate", [str(tmp_path / "a.py"), "-o", str(tmp_path / "b.py")]) == 0
    assert (tmp_path / "b.py").read_text() == REWRITTEN
    assert "1 places converted, 0 left" in capsys.readouterr().err


def test_the_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    assert main("migrate", [str(tmp_path / "a.py")]) == 0
    assert capfdbinary.readouterr().out.decode() == REWRITTEN


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a.py").write_text(SOURCE)
    assert main("migrate", [str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "deep" / "a.py").read_text() == REWRITTEN


def test_the_input_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    assert main("migrate", [str(path), "-o", str(path)]) == 2
    assert path.read_text() == SOURCE
    assert "--in-place" in capsys.readouterr().err
    assert main("migrate", [str(path), "--in-place"]) == 0
    assert path.read_text() == REWRITTEN


def test_lines_that_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text("import torch\ntorch.nothing()\n")
    assert main("migrate", [str(path)]) == 1
    assert f"{path}:2: left: torch.nothing()\n    torch.nothing is not in the table" in capsys.readouterr().err


def test_a_declared_encoding_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("# coding: latin-1\nimport torch\nx = torch.zeros(2)  # \xe9\n".encode("latin-1"))
    assert main("migrate", [str(path), "--in-place"]) == 0
    assert path.read_bytes() == "# coding: latin-1\nfrom mindspore import mint\nx = mint.zeros(2)  # \xe9\n".encode(
        "latin-1"
    )


@pytest.mark.parametrize("content", [b"\xff\xfe", b"# coding: nothing\n", b"import torch\nx = (\n"])
def test_a_bad_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(content)
    assert main("migrate", [str(path), "-o", str(tmp_path / "b.py")]) == 2
    assert str(path) in capsys.readouterr().err
    assert not (tmp_path / "b.py").exists()
