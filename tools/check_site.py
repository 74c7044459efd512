"""Check a written site: `python tools/check_site.py [FOLDER]`, by default `site`; exits 1 if there is a fault.

Each page has one title of its own, a language, a description, a viewport, headings in order, alternatives for images
and unique ids; its links lead somewhere, and nothing is loaded from elsewhere. In Chromium, where there is one, text
has enough contrast in light and dark, and pages fit a telephone: the largest page of each folder is looked at.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote, urldefrag

from site_browser import WIDTH, browser, look

MAXIMUM = {"html": 200_000, "css": 500_000, "js": 300_000}  # bytes of one page, and of what it loads
LONG_PAGES = re.compile(r"(\w\w/(genindex|search)|(reference|guides|api)/[\w.]+)\.html")  # indexes, tables, programs
LONGEST = {"html": 1_000_000, "css": 500_000, "js": 3_000_000}
CONTRAST, LARGE_CONTRAST = 4.5, 3.0  # WCAG 2.2, level AA
SHOWN = 10  # faults of each kind
LANGUAGES = {"en": "en", "zh": "zh-CN"}
_ELSEWHERE = re.compile(r"(?:https?:)?//")
_LOADED_BY_CSS = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)")
_HEADING = re.compile(r"h([1-6])")


class Fault(NamedTuple):
    """What is wrong with a page."""

    check: str
    page: str
    what: str


class Page(HTMLParser):
    """What a page has: its links, ids, titles, headings, and what it loads.

    Args:
        path: the file.
    """

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: Counter[str] = Counter()
        self.places: set[str] = set()
        self.headings: list[int] = []
        self.meta: dict[str, str] = {}
        self.without_alt: list[str] = []
        self.language: str | None = None
        self.title = ""
        self._in_title = False
        text = path.read_text(encoding="utf-8")
        self.feed(text)
        self.size = len(text.encode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        given = {name: value or "" for name, value in attrs}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]
        self.ids.update(filter(None, [given.get("id")]))
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if found := _HEADING.fullmatch(tag):
            self.headings.append(int(found[1]))
        elif tag == "meta":
            self.meta[given.get("name", "")] = given.get("content", "")
        elif tag == "img" and "alt" not in given:
            self.without_alt.append(given.get("src", ""))
        elif tag == "html":
            self.language = given.get("lang")
        self._in_title |= tag == "title" and not self.title
        loads = tag != "a" and given.get("rel") not in (
            "canonical",
            "index",
            "search",
            "next",
            "prev",
            "author",
            "edit",
        )
        self.loaded += [given[name] for name in ("href", "src", "srcset") if loads and given.get(name)]

    def handle_endtag(self, tag: str) -> None:
        """Note the end of the title."""
        self._in_title &= tag != "title"

    def handle_data(self, data: str) -> None:
        """Note the text of the title."""
        if self._in_title:
            self.title += data


def read(site: pathlib.Path) -> dict[pathlib.Path, Page]:
    """Return the pages of a site, by their files."""
    return {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}


def faults(site: pathlib.Path, pages: dict[pathlib.Path, Page]) -> Iterator[Fault]:
    """Yield what is wrong, without a browser."""
    titles: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, page in pages.items():
        name = path.relative_to(site.resolve()).as_posix()
        if name == "index.html":  # leads to the newest version
            yield from (Fault("links", name, link) for link in broken_links(page, pages))
            continue
        language = name.split("/")[1]
        titles[language, page.title.strip()].append(name)
        yield from (Fault(check, name, what) for check, what in _of_one(page, language, pages))
    for (_, title), names in titles.items():
        if len(names) > 1:
            yield Fault("title", names[0], f"{title!r} is also the title of {', '.join(names[1:])}")
    for path in sorted(site.rglob("*.css")):
        for found in _LOADED_BY_CSS.finditer(path.read_text(encoding="utf-8")):
            yield Fault("requests", path.relative_to(site).as_posix(), found[1] or found[2])


def _of_one(page: Page, language: str, pages: dict[pathlib.Path, Page]) -> Iterator[tuple[str, str]]:
    if page.language != LANGUAGES.get(language):
        yield "language", f"lang={page.language!r}"
    if not page.title.strip():
        yield "title", "is empty"
    for name in ("description", "viewport"):
        if not page.meta.get(name, "").strip():
            yield name, "is missing"
    if page.headings.count(1) != 1:
        yield "headings", f"{page.headings.count(1)} h1"
    for before, after in zip([0, *page.headings], page.headings):
        if after > before + 1:
            yield "headings", f"h{after} after h{before}"
    yield from (("images", f"{image} has no alt") for image in page.without_alt)
    yield from (("ids", f"{place} occurs {count} times") for place, count in page.ids.items() if count > 1)
    yield from (("links", link) for link in broken_links(page, pages))
    yield from (("requests", address) for address in page.loaded if _ELSEWHERE.match(address))
    limits = LONGEST if LONG_PAGES.fullmatch("/".join(page.path.parts[-2:])) else MAXIMUM
    for kind, size in weight(page).items():
        if size > limits[kind]:
            yield "weight", f"{size:,} bytes of {kind}, at most {limits[kind]:,}"


def broken_links(page: Page, pages: dict[pathlib.Path, Page]) -> Iterator[str]:
    """Yield the links of a page within the site that lead nowhere."""
    for link in dict.fromkeys(page.links):
        if re.match(r"(https?|data|mailto|javascript):", link):
            continue
        address, place = urldefrag(link)
        target = (page.path.parent / unquote(address.partition("?")[0])).resolve() if address else page.path.resolve()
        found = pages.get(target)
        if not target.exists() or (place and found and unquote(place) not in found.places):
            yield link


def weight(page: Page) -> dict[str, int]:
    """Return the bytes of a page, and of the styles and scripts that it loads."""
    sizes = {"html": page.size, "css": 0, "js": 0}
    for address in dict.fromkeys(link.partition("?")[0] for link in page.loaded):
        kind = address.rpartition(".")[2]
        target = page.path.parent / unquote(address)
        if kind in ("css", "js") and target.is_file():
            sizes[kind] += target.stat().st_size
    return sizes


def weights(pages: dict[pathlib.Path, Page]) -> Iterator[str]:
    """Yield the lines of a table of what pages weigh."""
    found = {path: weight(page) for path, page in pages.items() if page.loaded}
    yield f"{'bytes':<10}{'median':>12}{'largest':>12}  page"
    for kind in MAXIMUM:
        largest = max(found, key=lambda path: found[path][kind])
        middle = int(statistics.median(sizes[kind] for sizes in found.values()))
        yield f"{kind:<10}{middle:>12,}{found[largest][kind]:>12,}  {'/'.join(largest.parts[-3:])}"


def sample(site: pathlib.Path, pages: dict[pathlib.Path, Page]) -> list[str]:
    """Return the addresses of the largest page of each folder, which has most kinds of text, and of the first pages."""
    folders: dict[pathlib.Path, list[pathlib.Path]] = defaultdict(list)
    for path in pages:
        if path.parent != site.resolve():
            folders[path.parent].append(path)
    chosen = [max(found, key=lambda path: pages[path].size) for found in folders.values()]
    chosen += [path for path in pages if path.name in ("index.html", "search.html") and path.parent in folders]
    return [f"/{path.relative_to(site.resolve()).as_posix()}" for path in sorted(set(chosen))]


# The contrast of each text with what is behind it, as painted: colors may have an alpha, or be given in any space.
_LOOK = """async (page, path) => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true}), known = {};
  const pixel = (color) => known[color] ??= (() => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  })();
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (; element; element = element.parentElement) {
      const color = pixel(frame.contentWindow.getComputedStyle(element).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (color) => {
    const [r, g, b] = color.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const scrolls = (element) => {
    for (; element; element = element.parentElement)
      if (["auto", "scroll"].includes(frame.contentWindow.getComputedStyle(element).overflowX)) return true;
    return false;
  };
  const texts = new Set(), walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) if (node.data.trim()) texts.add(node.parentElement);
  const low = {}, cut = {};
  for (const element of texts) {
    if (element.getBoundingClientRect().right > frame.clientWidth + 1 && !scrolls(element))
      cut[element.localName] ??= `${element.localName} ${element.textContent.trim().slice(0, 60)} is cut off`;
  }
  let least = 99;
  for (const mode of ["light", "dark"]) {
    page.documentElement.dataset.theme = page.documentElement.dataset.mode = mode;
    await wait(600);
    for (const element of texts) {
      const style = frame.contentWindow.getComputedStyle(element), hidden = style.visibility !== "visible";
      if (hidden || !element.getClientRects().length || element.closest("[hidden], script, style, noscript")) continue;
      const below = behind(element), above = light(over(pixel(style.color), below)), under = light(below);
      const ratio = (Math.max(above, under) + 0.05) / (Math.min(above, under) + 0.05);
      const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
      least = Math.min(least, ratio);
      if (ratio >= (large ? LARGE : SMALL)) continue;
      const where = `${mode}: ${element.parentElement.className} > ${element.localName}.${element.className}`;
      low[where] ??= `${where} ${element.textContent.trim().slice(0, 30)} has ${ratio.toFixed(2)}`;
    }
  }
  const entries = frame.contentWindow.performance.getEntriesByType("resource").map((entry) => entry.name);
  const requests = entries.filter((name) => !name.startsWith(location.origin) && !name.startsWith("data:"));
  const wide = page.documentElement.scrollWidth;
  return {path, least, low: Object.values(low), cut: Object.values(cut), wide, requests};
}""".replace("LARGE", str(LARGE_CONTRAST)).replace("SMALL", str(CONTRAST))


def faults_in_browser(site: pathlib.Path, paths: list[str]) -> Iterator[Fault]:
    """Yield what is wrong with pages as Chromium shows them."""
    for found in look(site, paths, _LOOK):
        yield from (Fault("contrast", found["path"], text) for text in found["low"])
        yield from (Fault("width", found["path"], text) for text in found["cut"])
        yield from (Fault("requests", found["path"], address) for address in found["requests"])
        if found["wide"] > WIDTH:
            yield Fault("width", found["path"], f"{found['wide']} pixels on a telephone of {WIDTH}")


def main() -> int:
    """Check a site; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", default="site", type=pathlib.Path)
    site = parser.parse_args().folder
    pages = read(site)
    if not pages:
        sys.exit(f"For 'check_site', {site} has no pages: `make docs` writes them.")
    found = [*faults(site, pages)]
    checks = [
        "title",
        "language",
        "description",
        "viewport",
        "headings",
        "images",
        "ids",
        "links",
        "requests",
        "weight",
    ]
    seen = dict.fromkeys(checks, len(pages))
    if browser():
        paths = sample(site, pages)
        found += faults_in_browser(site, paths)
        seen |= dict.fromkeys(["contrast", "width"], len(paths))
    else:
        print("Contrast and width are not checked: Chromium is not installed.")
    by_check: dict[str, list[Fault]] = defaultdict(list)
    for fault in found:
        by_check[fault.check].append(fault)
    print(f"{'check':<14}{'pages':>7}{'faults':>8}")
    for check, count in seen.items():
        print(f"{check:<14}{count:>7}{len(by_check.get(check, [])):>8}")
    print("", *weights(pages), sep="\n")
    for check, those in by_check.items():
        print(f"\n{check}:", *(f"  {fault.page}: {fault.what}" for fault in those[:SHOWN]), sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
