"""`python -m torchspore migrate` and `modernize`: rewriting files and folders."""

from __future__ import annotations

import argparse
import io
import os
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from torchspore.engine.storage.writing import replacing
from torchspore.migrate.code import Rewritten, modernize, rewrite
from torchspore.migrate.code.rewriting import TARGETS

__all__ = ["main"]


def main(command: str, arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0, 1 if lines were left, 2 if a file could not be rewritten.

    Args:
        command: "migrate" or "modernize".
        arguments: what follows it.
    """
    parser = _parser(command)
    if command == "migrate":
        _add_options_of_migrate(parser)
    else:
        parser.add_argument("--mindspore", metavar="VERSION", help="the version that the code was written for: 1.10")
    options = parser.parse_args(arguments)
    try:
        pairs = list(_pairs(options))
    except ValueError as error:
        print(f"torchspore {command}: {error}", file=sys.stderr)
        return 2
    return max((_rewrite_file(source, target, options) for source, target in pairs), default=0)


_WHAT = {
    "migrate": "Rewrite PyTorch code to MindSpore.",
    "modernize": "Rewrite code for earlier versions of MindSpore to today's names and arguments.",
}


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m torchspore {command}",
        description=f"{_WHAT[command]} Lines that cannot be converted stay and are listed.",
        epilog="The exit status is 1 if lines were left, and 2 if a file could not be read, parsed or written.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or - for the standard input")
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="the file or folder to write, or - for the standard output"
    )
    parser.add_argument("--in-place", action="store_true", help="replace the files by their rewritten versions")
    parser.add_argument("--quiet", action="store_true", help="list no notes about differences")
    return parser


def _add_options_of_migrate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reverse", action="store_true", help="rewrite MindSpore to PyTorch")
    parser.add_argument(
        "--api", choices=("mint", "classic"), help="mindspore.mint, or nn and ops (default: mint, classic for CPUs)"
    )
    parser.add_argument(
        "--target", choices=TARGETS, default=TARGETS[0], help=f"where the code shall run (default: {TARGETS[0]})"
    )


def _pairs(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the files to read and to write."""
    output = options.output
    if options.in_place and output is not None:
        raise ValueError("give either --output or --in-place")
    several = len(options.paths) > 1 or os.path.isdir(options.paths[0])
    if several and output is None and not options.in_place:
        raise ValueError("several files need --output FOLDER or --in-place")
    for path in options.paths:
        if path == "-":
            yield "-", output if output and not several else "-"
        elif os.path.isdir(path):
            for file in sorted(Path(path).rglob("*.py")):
                yield (
                    str(file),
                    _target(str(file), str(Path(output) / file.relative_to(path)) if output else None, options),
                )
        else:
            yield (
                path,
                _target(path, str(Path(output) / os.path.basename(path)) if output and several else output, options),
            )


def _target(source: str, target: str | None, options: argparse.Namespace) -> str:
    if options.in_place:
        return source
    if target is None or target == "-":
        return "-"
    if os.path.isdir(target):
        target = os.path.join(target, os.path.basename(source))
    if os.path.exists(target) and os.path.exists(source) and os.path.samefile(source, target):
        raise ValueError(f"{target} is the input itself; give another --output, or --in-place to replace it")
    return target


def _rewrite_file(source: str, target: str, options: argparse.Namespace) -> int:
    try:
        text, encoding = _read(source)
        result = (
            rewrite(text, reverse=options.reverse, api=options.api, target=options.target)
            if hasattr(options, "api")
            else modernize(text, options.mindspore)
        )
        _write(target, result.code, encoding)
    except (OSError, ValueError, ImportError) as error:
        print(f"{source}: {error}", file=sys.stderr)
        return 2
    _report(source, target, result, options)
    return 1 if result.left else 0


def _read(path: str) -> tuple[str, str]:
    """Return the text of a file and its encoding, which a line of the file may declare; line ends stay."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ValueError(f"the file is not text in the encoding that it declares: {error}") from None


def _write(path: str, code: str, encoding: str) -> None:
    data = code.encode(encoding)
    if path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with replacing(path) as file:
        file.write(data)


def _report(source: str, target: str, result: Rewritten, options: argparse.Namespace) -> None:
    """Print what was left, and what behaves differently, to the standard error."""
    for line, text, reason in result.left:
        print(f"{source}:{line}: left: {text}\n    {reason}", file=sys.stderr)
    for line, text in () if options.quiet else result.notes:
        print(f"{source}:{line}: note: {text}", file=sys.stderr)
    where = "" if target == "-" else f" -> {target}"
    print(f"{source}{where}: {result.converted} places converted, {len(result.left)} left", file=sys.stderr)
