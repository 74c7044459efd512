"""What a worker of `msrun` does before it becomes the program: `python -I worker.py CORES COMMAND ...`.

This file is run by itself, as the settings must precede the imports of the program.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Set CPUs, output and environment of this process, and replace it by the command."""
    cores, *command = sys.argv[1:]
    own = os.environ
    os.dup2(1, 2)  # both streams into the log, in the order in which they are written
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # end with msrun, however that ends
        if bound := json.loads(cores):
            os.sched_setaffinity(0, bound[int(own["LOCAL_RANK"])])
        _hold_lock(os.path.join(own["TORCHSPORE_WORKER_LOCKS"], own["LOCAL_RANK"]))
        usable = len(os.sched_getaffinity(0))
        own.setdefault("OMP_NUM_THREADS", str(usable if bound else max(1, usable // int(own["LOCAL_WORLD_SIZE"]))))
    own.setdefault("PYTHONUNBUFFERED", "1")  # lines are in the log when they are printed
    own.update({
        "RANK_ID": own["RANK"], "RANK_SIZE": own["WORLD_SIZE"], "DEVICE_ID": own["LOCAL_RANK"], "MS_ROLE": "MS_WORKER",
        "MS_NODE_ID": own["RANK"], "MS_WORKER_NUM": own["WORLD_SIZE"], "MS_SCHED_HOST": own["MASTER_ADDR"],
        "MS_SCHED_PORT": own["MASTER_PORT"],
    })  # fmt: skip
    os.execv(command[0], command)


def _hold_lock(path: str) -> None:
    """Lock a file until the program ends: see `ops.distributed.meeting`."""
    import fcntl

    lock = os.open(path, os.O_WRONLY | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.set_inheritable(lock, True)


if __name__ == "__main__":
    main()
