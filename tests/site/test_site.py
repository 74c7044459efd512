"""The site: its pages, links and menus, in both languages, for a part of the API; and a browser, where there is one."""

from __future__ import annotations

import json
import pathlib
import re
import sys
from urllib.parse import quote

import pytest

import preloaded
from torchspore.version import __version__

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_site  # noqa: E402
import site_browser  # noqa: E402

PAGES = [
    "index",
    "install",
    "how_to",
    "guides",
    "guides/migration",
    "reference/differences",
    "api/index",
    "api/mint.linalg/norm",
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The site with two packages of the API."""
    folder = tmp_path_factory.mktemp("site")
    packages = ["mint.linalg", "mint.optim"]
    environment = {"TORCHSPORE_REPOSITORY": "https://example.org/torchspore"}
    preloaded.output_of_script(
        ROOT / "tools" / "write_site.py", str(folder), "--only", *packages, environment=environment
    )
    return folder


@pytest.fixture(scope="module")
def pages(site: pathlib.Path) -> dict[pathlib.Path, check_site.Page]:
    return check_site.read(site)


def test_pages_have_no_fault(site: pathlib.Path, pages: dict[pathlib.Path, check_site.Page]) -> None:
    assert [*check_site.faults(site, pages)] == []


def test_both_languages_have_the_same_pages(site: pathlib.Path) -> None:
    english, chinese = (
        {path.relative_to(site / __version__ / language) for path in (site / __version__ / language).rglob("*.html")}
        for language in ("en", "zh")
    )
    assert english == chinese
    assert {pathlib.Path(f"{page}.html") for page in PAGES} <= english


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_page_has_menus(site: pathlib.Path, name: str, language: str) -> None:
    text = (site / __version__ / language / f"{name}.html").read_text(encoding="utf-8")
    assert "theme-switch" in text  # light and dark
    assert f"/{'zh' if language == 'en' else 'en'}/{name}.html" in text  # the other language
    assert "https://example.org/torchspore/edit/main/" in text or name == "index"
    assert 'select class="form-select form-select-sm versions"' in text


def test_page_of_a_name_has_what_users_look_for(site: pathlib.Path) -> None:
    text = (site / __version__ / "en" / "api" / "mint.linalg" / "norm.html").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]*>", "", text)
    assert "mint.linalg.norm" in plain
    assert "Parameters:" in plain
    assert "Raises:" in plain
    assert "&gt;&gt;&gt; " in plain
    assert "https://www.mindspore.cn/docs/en/master/api_python/mint/mindspore.mint.linalg.norm.html" in text
    assert "https://docs.pytorch.org/docs/stable/generated/torch.linalg.norm.html" in text
    assert "edit/main/src/torchspore/" in text
    assert "torchspore.ops" not in re.sub(r"https?://\S*", "", plain)


def test_versions_are_listed(site: pathlib.Path) -> None:
    assert json.loads((site / "versions.json").read_text()) == [__version__]
    assert f"{__version__}/en/index.html" in (site / "index.html").read_text()


# Menus, results of a search and buttons are there when scripts have run.
LOOK = """async (page, path) => {
  const searches = () => path.includes("?q=") && !page.querySelector("#search-results li a");
  for (let turn = 0; turn < 40 && searches(); turn++) await wait(500);
  await wait(500);
  return {results: [...page.querySelectorAll("#search-results li a")].map((link) => link.textContent),
          versions: [...page.querySelectorAll("select.versions option")].map((option) => option.value),
          copy: page.querySelectorAll("button.copybtn").length, formulas: page.querySelectorAll("math").length};
}"""
needs_chromium = pytest.mark.skipif(site_browser.browser() is None, reason="needs Chromium")


@needs_chromium
def test_scripts_in_a_browser(site: pathlib.Path) -> None:
    paths = {
        "search": f"/{__version__}/en/search.html?q=norm",
        "chinese search": f"/{__version__}/zh/search.html?q={quote('网络')}",
        "formulas": f"/{__version__}/en/api/mint.optim/Adam.html",
        "landing": f"/{__version__}/en/index.html",
    }
    found = dict(zip(paths, site_browser.look(site, [*paths.values()], LOOK), strict=True))
    assert any("norm" in result for result in found["search"]["results"])
    assert found["chinese search"]["results"]
    assert found["formulas"]["formulas"] >= 1
    assert found["landing"]["copy"] >= 2
    assert all(set(page["versions"]) == {__version__} for page in found.values())


@needs_chromium
def test_pages_have_no_fault_in_a_browser(site: pathlib.Path, pages: dict[pathlib.Path, check_site.Page]) -> None:
    assert [*check_site.faults_in_browser(site, check_site.sample(site, pages))] == []
