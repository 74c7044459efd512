"""The check of the site finds each kind of fault."""

from __future__ import annotations

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))

import check_site
import site_browser

PAGE = """<!doctype html><html lang="en"><head><title>A page</title><meta name="description" content="About.">
<meta name="viewport" content="width=device-width"></head><body><h1 id="top">A page</h1>
<h2>Part</h2><a href="#top">up</a><img src="data:," alt=""><p class="text">Words</p></body></html>"""

# What is written instead of a part of the page, and the check that finds it.
FAULTS = [
    ("<title>A page</title>", "<title> </title>", "title"),
    ('lang="en"', 'lang="fr"', "language"),
    ('name="description" content="About."', "", "description"),
    ('name="viewport"', 'name="other"', "viewport"),
    ("<h1 id=", "<h2 id=", "headings"),
    ("<h2>Part</h2>", "<h3>Part</h3>", "headings"),
    (' alt=""', "", "images"),
    ("<h2>", '<h2 id="top">', "ids"),
    ("#top", "#bottom", "links"),
    ("#top", "missing.html", "links"),
    ('src="data:,"', 'src="https://example.org/a.png"', "requests"),
    ("Words", "Words " * 100_000, "weight"),
]
# Styles, and the check that finds them in a browser.
STYLES = [
    ("color: #777; background: #fff", "contrast"),
    ("color: rgb(0 0 0 / 40%); background: #fff", "contrast"),
    ("width: 500px", "width"),
    ("width: 500px; position: fixed", "width"),
]


def _write(folder: pathlib.Path, text: str) -> pathlib.Path:
    path = folder / "0.1.0" / "en" / "page.html"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return folder


def _checks(site: pathlib.Path) -> list[str]:
    return [fault.check for fault in check_site.faults(site, check_site.read(site))]


def test_a_page_without_fault(tmp_path: pathlib.Path) -> None:
    assert _checks(_write(tmp_path, PAGE)) == []


@pytest.mark.parametrize(("old", "new", "check"), FAULTS)
def test_a_fault_is_found(tmp_path: pathlib.Path, old: str, new: str, check: str) -> None:
    assert set(_checks(_write(tmp_path, PAGE.replace(old, new)))) == {check}


def test_a_title_of_two_pages_is_found(tmp_path: pathlib.Path) -> None:
    _write(tmp_path, PAGE)
    (tmp_path / "0.1.0" / "en" / "other.html").write_text(PAGE, encoding="utf-8")
    assert _checks(tmp_path) == ["title"]


def test_a_style_from_elsewhere_is_found(tmp_path: pathlib.Path) -> None:
    _write(tmp_path, PAGE)
    (tmp_path / "site.css").write_text("p { background: url(//example.org/a.png) }")
    assert _checks(tmp_path) == ["requests"]


def test_exit_status_and_table(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check_site, "browser", lambda: None)
    monkeypatch.setattr(sys, "argv", ["check_site.py", str(_write(tmp_path, PAGE.replace("#top", "#bottom")))])
    assert check_site.main() == 1
    assert "0.1.0/en/page.html: #bottom" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(site_browser.browser() is None, reason="needs Chromium")
def test_faults_in_a_browser_are_found(tmp_path: pathlib.Path) -> None:
    _write(tmp_path, PAGE)
    for number, (style, _) in enumerate(STYLES):
        text = PAGE.replace('class="text"', f'style="{style}"')
        (tmp_path / "0.1.0" / "en" / f"{number}.html").write_text(text, encoding="utf-8")
    names = ["page", *map(str, range(len(STYLES)))]
    found = [*check_site.faults_in_browser(tmp_path, [f"/0.1.0/en/{name}.html" for name in names])]
    by_page = {pathlib.Path(fault.page).stem: fault.check for fault in found}
    assert by_page == {str(number): check for number, (_, check) in enumerate(STYLES)}
