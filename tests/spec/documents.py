"""Code blocks of tutorial texts that were saved as plain text: finding them, and restoring lost indentation.

A block is the longest run of lines, from an import or another beginning, that parses as Python. Where a text lost its
indentation, a line gets it back in one of two ways: from a twin text (a translation) that kept it, or by rule: a
`class` ends at the next block, a `def` in a class ends at the next `def` or after its `return`, a loop reaches to the
end of its function or block.
"""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from dataclasses import dataclass

_BEGINNING = re.compile(r"(import |from \w[\w.]* import |class |def |@|x = |net = |a = A|\w+ = nn\.|# [a-zA-Z在使])")
_OUTPUT = re.compile(r"(Outputs?|运行结果|.*输出结果为|.*计算结果为|.*输出的结果为)[::]\s*$")
_LONGEST = 90


@dataclass
class Block:
    """A code block, and the lines that the text shows as its output."""

    line: int
    source: str
    output: str


def blocks(text: str, twin: str | None = None, *, restore: bool = False) -> list[Block]:
    """Return the code blocks of a text.

    Args:
        text: the document.
        twin: a translation of it that kept its indentation.
        restore: whether lost indentation is restored by rule.
    """
    lines = text.replace("\t", "    ").split("\n")
    if twin is not None:
        lines = _indented_like(lines, twin.split("\n"))
    found = []
    position = 0
    while position < len(lines):
        if _BEGINNING.match(lines[position].lstrip()):
            end = _end(lines, position, restore)
            if end is not None:
                source = _source(lines[position:end], restore)
                found.append(Block(position + 1, source, _output(lines, end)))
                position = end
                continue
        position += 1
    return found


def _end(lines: list[str], start: int, restore: bool) -> int | None:
    """Return the end of the longest parsable run of lines from `start`."""
    best = None
    for end in range(start + 1, min(len(lines), start + _LONGEST) + 1):
        line = lines[end - 1].strip()
        if _OUTPUT.match(line) or _is_prose(line):
            break
        if best is not None and line.startswith("import ") and not lines[end - 2].strip():
            break  # after an empty line an import begins the next block
        try:
            tree = ast.parse(_source(lines[start:end], restore))
        except SyntaxError:
            continue
        if tree.body:
            best = end
    return best


def _is_prose(line: str) -> bool:
    """Tell a sentence, or a name alone on its line, from a statement."""
    code = re.sub(r"#.*|'[^']*'|\"[^\"]*\"", "", line)
    return not code.isascii() or (
        bool(re.fullmatch(r"[\w.]+", line)) and line not in ("return", "pass", "break", "continue", "...")
    )


def _source(lines: list[str], restore: bool) -> str:
    return _by_rule(lines) if restore else textwrap.dedent("\n".join(lines)) + "\n"


def _by_rule(lines: list[str]) -> str:
    result, level, in_class, in_function = [], 0, False, False
    for raw in lines:
        line = raw.strip()
        word = line.split("(")[0].split(" ")[0].rstrip(":")
        if word == "class":
            level, in_class, in_function = 0, True, False
        elif word == "def":
            level, in_function = int(in_class), True
        elif in_class and not in_function and not line.startswith(('"""', "#")):
            level, in_class = 0, False
        elif in_function and not in_class and word in ("import", "from"):
            level, in_function = 0, False
        elif word in ("else", "elif", "except", "finally"):
            level -= 1
        result.append("    " * level + line)
        if line.split("#")[0].rstrip().endswith(":"):
            level += 1
        elif word == "return":
            level, in_function = int(in_class), False
    return "\n".join(result) + "\n"


def _indented_like(lines: list[str], twin: list[str]) -> list[str]:
    stripped = [line.strip() for line in lines]
    matcher = difflib.SequenceMatcher(None, stripped, [line.strip() for line in twin], autojunk=False)
    result = list(lines)
    known = [False] * len(lines)
    for a, b, size in matcher.get_matching_blocks():
        for k in range(size):
            indent = len(twin[b + k]) - len(twin[b + k].lstrip())
            result[a + k] = " " * indent + stripped[a + k]
            known[a + k] = True
    for i in range(len(lines) - 2, -1, -1):  # a translated comment stands where the next line of code does
        if not known[i] and stripped[i].startswith("#") and known[i + 1]:
            indent = len(result[i + 1]) - len(result[i + 1].lstrip())
            result[i], known[i] = " " * indent + stripped[i], True
    return result


def _output(lines: list[str], end: int) -> str:
    while end < len(lines) and not lines[end].strip():
        end += 1
    if end >= len(lines) or not _OUTPUT.match(lines[end].strip()):
        return ""
    end += 1
    while end < len(lines) and not lines[end].strip():
        end += 1
    shown = []
    while end < len(lines) and lines[end].strip() and lines[end].isascii():
        if lines[end].startswith(("import ", "from ")):
            break
        shown.append(lines[end])
        end += 1
    return textwrap.dedent("\n".join(shown))
