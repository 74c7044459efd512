"""Write `dataset/text/scripts.py`: which characters belong to which script (Latin, Han, ...), from Perl's Unicode data.

    python tools/write_scripts.py

Needs Perl with its module Unicode::UCD. Code points without a character that lie between characters of one script are
counted with these, which makes the table a third shorter.
"""

from __future__ import annotations

import pathlib
import subprocess
import textwrap

TARGET = pathlib.Path(__file__).parent.parent / "src/torchspore/dataset/text/scripts.py"
PERL = (
    "use Unicode::UCD qw(prop_invmap prop_value_aliases);"
    "my ($starts, $names) = prop_invmap('Script');"
    "print Unicode::UCD::UnicodeVersion(), qq(\\n);"
    "for (0 .. $#$starts) { printf qq(%x%s\\n), $starts->[$_], (prop_value_aliases('sc', $names->[$_]))[0] }"
)
TEMPLATE = '''"""Which characters belong to which script; by `tools/write_scripts.py`, from Unicode {version}."""

from __future__ import annotations

__all__ = ["SCRIPTS"]

# For each range of one script: the first code point in hexadecimal, in lower case, and the script's four letters.
SCRIPTS = """
{table}
"""
'''


def ranges(lines):
    """Return "code point and script" of the ranges, without what has no characters inside a script."""
    kept: list[tuple[str, str]] = []
    pairs = [(line[:-4], line[-4:]) for line in lines]
    for (start, script), after in zip(pairs, [*pairs[1:], ("", "")]):
        before = kept[-1][1] if kept else ""
        gap = script == "Zzzz" and after[1] == before
        if script != before and not gap:
            kept.append((start, script))
    return [start + script for start, script in kept]


def main():
    """Write the table."""
    version, *lines = subprocess.run(["perl", "-e", PERL], check=True, capture_output=True, text=True).stdout.split()
    table = textwrap.fill(" ".join(ranges(lines)), 118)
    TARGET.write_text(TEMPLATE.format(version=version, table=table), encoding="utf-8")


if __name__ == "__main__":
    main()
