"""Run documented examples that need several processes: `python tools/distributed_examples.py EXAMPLES.json [PREFIX]`.

The file is a list of `{"id": name, "blocks": [{"src": code, "want": output}, ...]}`. Those that start a group of
processes and print something run here in 2, 4 and 8 processes, in which `import mindspore` resolves to TorchSpore,
until one process, or all of them in order, print the documented output. Numbers may differ by 0.2 %;
spaces and commas do not count.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import socket
import sys
import tempfile
import time
from typing import Any

import torchspore.as_mindspore  # noqa: F401

SIZES = (2, 4, 8)
SECONDS = 30  # the time limit of the processes of an example
STARTS = re.compile(r"\binit\(|init_process_group\(")
RANK = re.compile(r"^\W*(process with )?rank[ _]?\d+( and \d+)?:?", re.IGNORECASE | re.MULTILINE)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
NAMES = "import numpy as np, mindspore, mindspore as ms\nfrom mindspore import Parameter, Tensor, context, nn, ops\n"


def same(found: str, shown: str) -> bool:
    """Return whether two outputs differ in spaces, commas and the last digits of numbers only."""
    texts = ["".join(NUMBER.sub("#", text).replace(",", "").split()) for text in (found, shown)]
    pairs = zip(*[map(float, NUMBER.findall(text)) for text in (found, shown)])
    return texts[0] == texts[1] and all(abs(one - other) <= 1e-4 + 2e-3 * abs(other) for one, other in pairs)


def documented(found: list[str], shown: str) -> bool:
    """Return whether some process, or all in order, printed what is shown, whose headings name processes."""
    plain = RANK.sub("", shown)
    return any(same(text, plain) for text in [*found, "".join(found)])


def run(blocks: list[dict[str, str]], size: int) -> list[str]:
    """Return the output of each of some processes, with the error of those that fail."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        processes = [start(blocks, rank, size, port, folder) for rank in range(size)]
        end = time.monotonic() + SECONDS
        while len(list(pathlib.Path(folder).glob("*.done"))) < size and time.monotonic() < end:
            time.sleep(0.01)
        for process in processes:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        return [pathlib.Path(folder, str(rank)).read_text() for rank in range(size)]


def start(blocks: list[dict[str, str]], rank: int, size: int, port: int, folder: str) -> int:
    """Start the process of a rank, which prints into a file of that name; return its number."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    os.chdir(folder)
    with open(str(rank), "w") as output:
        os.dup2(output.fileno(), 1)
    here = {"RANK": rank, "LOCAL_RANK": rank, "RANK_ID": rank, "WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size}
    os.environ.update({name: str(value) for name, value in {**here, "MASTER_PORT": port}.items()})
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    try:
        follow(blocks)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}")
    sys.stdout.flush()
    pathlib.Path(f"{rank}.done").touch()
    while True:  # as long as another process may need this one
        signal.pause()


def follow(blocks: list[dict[str, str]]) -> None:
    """Run an example as a session, which shows the values of expressions, or else as a program."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(NAMES, names)
    try:
        parts = [compile(block["src"], "<example>", "single") for block in blocks]
    except SyntaxError:
        parts = [compile("\n".join(block["src"] for block in blocks), "<example>", "exec")]
    for part in parts:
        exec(part, names)


def main() -> int:
    """Run the examples; print those that do not print what is documented, and how many do."""
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # whether or not the machine's name can be resolved
    prefix = sys.argv[2] if len(sys.argv) > 2 else ""
    agree = differ = 0
    for example in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        source, shown = ("\n".join(block[part] for block in example["blocks"]) for part in ("src", "want"))
        if not example["id"].startswith(prefix) or not STARTS.search(source) or not shown.strip():
            continue
        found: list[str] = []
        for size in SIZES:
            found = run(example["blocks"], size)
            if documented(found, shown):
                agree += 1
                print(f"{example['id']}: documented, by {size} processes", flush=True)
                break
        else:
            differ += 1
            print(f"{example['id']}: differs: {found[0].strip()[-200:]!r}", flush=True)
    print(f"{agree} of {agree + differ} examples print what is documented.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
