"""`msrun`, which starts a program in several processes: torchrun's agent with MindSpore's options and logs.

The command is `msrun`, or `python -m torchspore.parallel.cluster.run`.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from torch.distributed import DistError
from torch.distributed.elastic.multiprocessing.api import LogsDest, LogsSpecs, SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure
from torch.distributed.elastic.rendezvous.api import RendezvousError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from torchspore.ops.distributed.meeting import LOCKS
from torchspore.parallel.cluster.options import Options, check_port, parse

__all__ = ["main"]

_SECONDS_TO_STOP = "5"  # between the request to end and the kill
_FOREVER = 10 * 365 * 24 * 3600
_SHOWN_LINES = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the program that the arguments of the command line name, and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else [*arguments]
    options = parse(arguments)
    try:
        os.makedirs(options.log_dir, exist_ok=True)
        with open(os.path.join(options.log_dir, "scheduler.log"), "w") as log:
            if problem := check_port(options):
                return _fail(f"{problem}.")
            if options.join:
                return _launch(options)
            before = len(arguments) - 1 - len(options.task_script_args)
            return _leave_behind(options, arguments[:before], log.fileno())
    except OSError as error:
        return _fail(f"the logs cannot be written to '{options.log_dir}': {error.strerror}. Choose --log_dir.")


def _fail(reason: str, status: int = 1) -> int:
    print(f"msrun: {reason}", file=sys.stderr)
    return status


def _leave_behind(options: Options, given: list[str], log: int) -> int:
    """Start the launcher in a session of its own, which this process does not wait for."""
    command = [sys.executable, "-m", "torchspore.parallel.cluster.run", *given, "--join=True", "--tail_worker_log=none"]
    started = subprocess.Popen(
        [*command, options.task_script, *options.task_script_args],
        stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
    )  # fmt: skip
    print(
        f"msrun: process {started.pid} runs {options.local_worker_num} workers; their logs are in "
        f"'{options.log_dir}', its messages in 'scheduler.log'. Stop them by 'kill {started.pid}'."
    )
    started.returncode = 0  # nobody waits for it
    return 0


def _launch(options: Options) -> int:
    """Run the workers until all have ended or one has failed."""
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("torch.distributed.elastic")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # one message of `_fail` says it
    os.environ.setdefault("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", _SECONDS_TO_STOP)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # the workers' lines appear at once
    seconds = options.cluster_time_out if options.cluster_time_out >= 0 else _FOREVER
    backend = "static" if options.nodes > 1 and options.node_rank >= 0 else "c10d"
    script = ["-m", "pytest"] if options.task_script == "pytest" else [options.task_script]
    worker = [str(Path(__file__).with_name("worker.py")), json.dumps(options.cores)]
    with tempfile.TemporaryDirectory(prefix="msrun-") as errors:
        logs = _Logs(options, errors)
        config = LaunchConfig(
            min_nodes=options.nodes, max_nodes=options.nodes, nproc_per_node=options.local_worker_num,
            logs_specs=logs, run_id="msrun", rdzv_endpoint=f"{options.master_addr}:{options.master_port}",
            rdzv_backend=backend,
            rdzv_configs={"timeout": seconds, "join_timeout": seconds, "rank": max(options.node_rank, 0)},
            max_restarts=options.max_restarts, local_addr="127.0.0.1" if options.nodes == 1 else None,
            log_line_prefix_template="[worker_${rank}] ",
        )  # fmt: skip
        start = elastic_launch(config, sys.executable)
        try:
            start("-I", *worker, sys.executable, "-m", "torchspore", *script, *options.task_script_args)
        except ChildFailedError as error:
            return _explain(error.failures, logs)
        except SignalException as stopped:
            name = signal.Signals(stopped.sigval).name
            return _fail(f"stopped by {name}, and all workers with it.", 128 + stopped.sigval)
        except (DistError, RendezvousError) as error:
            detail = str(error).partition("\n")[0].rstrip(".")
            return _fail(
                f"the {options.nodes} machines have not met at {options.master_addr}:{options.master_port} within "
                f"--cluster_time_out, {seconds} seconds. Start msrun on each of them with the same --master_addr and "
                f"--master_port, and another --node_rank{': ' * bool(detail)}{detail}."
            )
    return 0


def _explain(failures: dict[int, ProcessFailure], logs: _Logs) -> int:
    """Say which worker failed first, and why."""
    rank, first = min(failures.items(), key=lambda item: _time_of(item[1]))
    for failure in failures.values():
        with suppress(ProcessLookupError, PermissionError):  # processes that a killed worker has left
            os.killpg(failure.pid, signal.SIGKILL)
    recorded = first.error_file_data.get("message")
    if isinstance(recorded, dict):
        how = f"failed: {recorded['message'].splitlines()[0].rstrip('.')}"
    elif first.exitcode < 0:
        how = f"was killed by {signal.Signals(-first.exitcode).name}"
        how += ", often because memory ran out" if first.exitcode == -signal.SIGKILL else ""
    else:
        how = f"ended with the status {first.exitcode}"
    path = logs.paths[first.local_rank]
    message = f"worker {rank} (process {first.pid}) {how}; the other workers were stopped. Its log is '{path}'"
    with open(path, errors="replace") as log:
        end = [] if first.local_rank in logs.options.tailed else log.read().splitlines()[-_SHOWN_LINES:]
    return _fail("\n".join([f"{message}, which ends with:", *end]) if end else f"{message}.")


def _time_of(failure: ProcessFailure) -> float:
    """Return when a worker failed: its error file is precise, the agent looks at the workers from time to time."""
    return os.path.getmtime(failure.error_file) if os.path.isfile(failure.error_file) else float(failure.timestamp)


class _Logs(LogsSpecs):
    """One log for each worker, with MindSpore's names; the agent's own files are temporary."""

    def __init__(self, options: Options, errors: str) -> None:
        super().__init__(options.log_dir)
        self.options = options
        self.paths: dict[int, str] = {}
        self._errors = errors

    @property
    def root_log_dir(self) -> str:
        return self.options.log_dir

    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        """Return the files of the local workers, at each start."""
        host = socket.gethostname()
        name = self.options.worker_log_name.replace("{hostname}", host)
        if "{ip}" in name:
            name = name.replace("{ip}", socket.gethostbyname(host))
        errors = {}
        for local, env in envs.items():
            restarts = env.get("TORCHELASTIC_RESTART_COUNT", "0")
            again = "" if restarts == "0" else f"_restart_{restarts}"
            self.paths[local] = os.path.join(self.options.log_dir, f"{name}_{env['RANK']}{again}.log")
            errors[local] = os.path.join(self._errors, f"{local}_{restarts}.json")
            env["TORCHELASTIC_ERROR_FILE"] = errors[local]
            env[LOCKS] = os.path.join(self._errors, f"locks_{restarts}")
            os.makedirs(env[LOCKS], exist_ok=True)
        shown = {local: self.paths[local] for local in self.options.tailed}
        nowhere = dict.fromkeys(envs, "")
        return LogsDest(dict(self.paths), nowhere, shown, {}, errors, "", "")


if __name__ == "__main__":
    sys.exit(main())
