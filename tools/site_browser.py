"""Pages of a written site in Chromium: a script looks at each, in a frame as wide as a telephone."""

from __future__ import annotations

import contextlib
import functools
import html
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import Any

WIDTH = 390
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_HOST = """<!doctype html><iframe id="frame" width="WIDTH" height="800"></iframe><pre id="found"></pre><script>
const frame = document.getElementById("frame");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const look = SCRIPT;
(async () => {
  const found = [];
  for (const path of PATHS) {
    await new Promise((done) => { frame.onload = done; frame.src = path; });
    found.push(await look(frame.contentDocument, path));
  }
  document.getElementById("found").textContent = JSON.stringify(found);
})();
</script>"""


def browser() -> str | None:
    """Return the path of Chromium; None where it is not installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextlib.contextmanager
def served(folder: pathlib.Path) -> Iterator[str]:
    """Serve a folder; the value is the address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def look(site: pathlib.Path, paths: Sequence[str], script: str) -> list[Any]:
    """Return what a script finds on pages.

    Args:
        site: the folder of the site.
        paths: addresses of pages below the site, with a slash before them.
        script: a function of JavaScript, `async (page, path) => ...`, that returns something for JSON. It may call
            `await wait(milliseconds)`.

    Raises:
        RuntimeError: Chromium is missing or has not finished.
    """
    program = browser()
    if program is None:
        raise RuntimeError(
            "For 'look', Chromium is not installed: apt install chromium, or a package of the same name."
        )
    probe = site / "probe.html"
    texts = {"WIDTH": str(WIDTH), "SCRIPT": script, "PATHS": json.dumps([*paths])}
    probe.write_text(re.sub("WIDTH|SCRIPT|PATHS", lambda found: texts[found[0]], _HOST), encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as profile, served(site) as address:
            command = [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
                "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}",
                f"--virtual-time-budget={60_000 + 5_000 * len(paths)}", "--dump-dom", f"{address}/probe.html",
            ]  # fmt: skip
            ran = subprocess.run(
                command, capture_output=True, encoding="utf-8", timeout=60 + 20 * len(paths), check=False
            )
    finally:
        probe.unlink()
    found = re.search(r'<pre id="found">(.+?)</pre>', ran.stdout, re.DOTALL)
    if found is None:
        raise RuntimeError(f"For 'look', Chromium has not finished the {len(paths)} pages: {ran.stderr[-2000:]}")
    result: list[Any] = json.loads(html.unescape(found[1]))
    return result
