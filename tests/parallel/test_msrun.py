"""`msrun`: programs in several processes, their logs, and every way to fail."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

import forked_python
from torchspore.engine.distributed.strategies import started_processes
from torchspore.ops.distributed import starting
from torchspore.parallel.cluster.options import parse
from torchspore.parallel.cluster.run import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="msrun's workers need exec and prctl")

PROGRAM = """
import os, signal, sys, time
import mindspore as ms
from mindspore import communication, ops

attempt, end = os.environ["TORCHELASTIC_RESTART_COUNT"], sys.argv[1]
if end == "before" and os.environ["RANK"] == "1":
    os._exit(0)
communication.init()
rank = communication.get_rank()
if end == "between" and rank == 0:
    sys.exit(0)
if end == "between":
    communication.create_group("both", [0, 1])
print("sum", ops.AllReduce()(ms.Tensor([rank + 1.0])), "of", communication.get_group_size(), sys.argv[2:])
print("device", os.environ["DEVICE_ID"], os.environ["RANK_ID"], len(os.sched_getaffinity(0)), file=sys.stderr)
if end == "fail" and rank == 1 and attempt == "0":
    os.kill(os.getpid(), signal.SIGKILL)
if end == "fail" and rank == 1:
    raise ValueError("no\\nmore")
if end == "fail":
    ops.AllReduce()(ms.Tensor([1.0]))
if end == "hang":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def options(**given):
    """Return a command line for two workers."""
    usual = {"worker_num": 2, "local_worker_num": 2, "master_port": free_port(), "log_dir": "logs"}
    return [f"--{name}={value}" for name, value in {**usual, **given}.items()]


def run(folder, *arguments, python=sys.executable, **given):
    command = [python, "-m", "torchspore.parallel.cluster.run", *options(**given), "program.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def processes_in(folder):
    """Return the commands that run in a folder."""
    found = []
    for process in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{process}/cwd") == str(folder):
                with open(f"/proc/{process}/cmdline") as file:
                    found.append(file.read().replace("\0", " "))
        except OSError:
            continue
    return found


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_workers_that_end_well(folder):
    given = {"join": True, "tail_worker_log": 1, "worker_log_name": "w_{hostname}"}
    done = run(folder, "well", "--flag", "a b", bind_core='{"device0": ["0"], "device1": ["0-0"]}', **given)
    assert (done.returncode, done.stderr) == (0, "")
    logs = {path.name: path.read_text() for path in (folder / "logs").iterdir()}
    name = f"w_{socket.gethostname()}"
    assert logs == {
        "scheduler.log": "",
        f"{name}_0.log": "sum [3.] of 2 ['--flag', 'a b']\ndevice 0 0 1\n",
        f"{name}_1.log": "sum [3.] of 2 ['--flag', 'a b']\ndevice 1 1 1\n",
    }
    assert done.stdout.startswith("[worker_1] ")
    assert done.stdout.replace("[worker_1] ", "") == logs[f"{name}_1.log"]  # part of a line may be shown by itself
    assert processes_in(folder) == []


@pytest.mark.slow
def test_workers_that_fail_are_named_and_the_others_end(folder):
    done = run(folder, "fail", join=True, tail_worker_log="none", max_restarts=1)
    assert (done.returncode, done.stdout) == (1, "")
    first, *end = done.stderr.splitlines()
    assert re.fullmatch(
        r"msrun: worker 1 \(process \d+\) failed: ValueError: no; the other workers were stopped\. "
        r"Its log is 'logs/worker_1_restart_1\.log', which ends with:",
        first,
    )
    assert end[-2].endswith("ValueError: no")
    assert sum("Traceback" in line for line in end) == 1
    assert "Traceback" not in (folder / "logs/worker_1.log").read_text()  # it was killed
    assert processes_in(folder) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "failed", "call", "gone"), [("before", 0, "init_process_group", 1), ("between", 1, "create_group", 0)]
)
def test_a_worker_that_ends_while_others_wait_for_it(folder, end, failed, call, gone):
    with forked_python.at(folder) as python:
        done = run(folder, end, python=python, join=True, tail_worker_log="none")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.match(
        rf"msrun: worker {failed} \(process \d+\) failed: RuntimeError: For '{call}', all of the processes \[0, 1\] "
        rf"must call it, but the processes \[{gone}\] have ended; the other workers were stopped\.",
        done.stderr,
    )


@pytest.mark.slow
def test_without_join_workers_go_on_until_they_are_stopped(folder):
    done = run(folder, "hang")
    assert (done.returncode, done.stderr) == (0, "")
    launcher = int(re.match(r"msrun: process (\d+) runs 2 workers; their logs are in 'logs'", done.stdout)[1])
    logs = [folder / f"logs/worker_{rank}.log" for rank in (0, 1)]
    wait_until(lambda: all(log.exists() and "device" in log.read_text() for log in logs))
    assert len(processes_in(folder)) == 3
    os.kill(launcher, signal.SIGINT)
    wait_until(lambda: processes_in(folder) == [], 20)
    assert (folder / "logs/scheduler.log").read_text() == "msrun: stopped by SIGINT, and all workers with it.\n"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"worker_num": 0}, "--worker_num must be at least 1, but got 0"),
        ({"worker_num": "a"}, "argument --worker_num: invalid int value: 'a'"),
        ({"worker_num": 3}, "--worker_num must be a multiple of --local_worker_num"),
        ({"local_worker_num": 4}, "--worker_num must be a multiple of --local_worker_num"),
        ({"node_rank": 1}, "--node_rank must be less than the number of machines, 1"),
        ({"max_restarts": 1, "local_worker_num": 1, "node_rank": 0}, "several machines needs --node_rank -1"),
        ({"max_restarts": -1}, "--max_restarts must be at least 0"),
        ({"master_port": 65536}, "--master_port must be between 1 and 65535, or 0 on a single machine"),
        ({"master_port": 0, "local_worker_num": 1}, "--master_port must be between 1 and 65535"),
        ({"master_addr": "nowhere.invalid"}, "which names no machine"),
        ({"join": "maybe"}, "--join: must be True or False, but got 'maybe'"),
        ({"sim_level": 1}, "no devices are simulated"),
        ({"sim_rank_id": 1}, "no devices are simulated"),
        ({"rank_table_file": "table.json"}, "--rank_table_file is not supported"),
        ({"tail_worker_log": "0,2"}, "numbers below 2 like 0,1, but got '0,2'"),
        ({"tail_worker_log": "all"}, "numbers below 2 like 0,1, but got 'all'"),
        ({"bind_core": "Yes"}, "--bind_core must be True, False, or CPUs by worker"),
        ({"bind_core": '{"device0": "a"}'}, "--bind_core must be True, False, or CPUs by worker"),
        ({"bind_core": '{"device0": ["0"]}'}, "must name device0, device1, but names device0"),
        ({"bind_core": '{"device0": ["0"], "device1": ["99999"]}'}, "must name some of the CPUs"),
        ({"bind_core": '{"device0": ["0"], "device1": []}'}, "must name some of the CPUs"),
        ({"bind_core": True, "bind_numa": True}, "exclude each other"),
        ({"bind_numa": "{}"}, "--bind_numa must be True or False"),
        ({"worker_num": 99999, "local_worker_num": 99999, "bind_core": True}, "needs a CPU for each worker"),
        ({"program": "absent.py"}, "there is no script 'absent.py'"),
        ({"unknown": 1}, "unrecognized arguments: --unknown=1"),
    ],
)
def test_options_that_are_refused(given, message, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    program = given.pop("program", "program.py")
    unknown = [f"--unknown={given.pop('unknown')}"] if "unknown" in given else []
    with pytest.raises(SystemExit) as ended:
        parse([*options(**given), *unknown, program] if not unknown else [*unknown, *options(**given), program])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_options_that_are_understood(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = parse(["program.py", "--join", "x"])
    assert (found.worker_num, found.nodes, found.master_port, found.join) == (8, 1, 8118, False)
    assert (found.task_script, found.task_script_args, found.tailed) == ("program.py", ("--join", "x"), (*range(8),))
    usable = sorted(os.sched_getaffinity(0))
    assert parse([*options(worker_num=1, local_worker_num=1, bind_core=True), "pytest"]).cores == (tuple(usable),)
    assert parse([*options(master_port=0), "program.py"]).master_port > 0
    shared = parse([*options(bind_numa=True), "program.py"]).cores
    assert len(shared) == 2
    assert set(shared[0]) | set(shared[1]) <= set(usable)


def test_what_this_machine_lacks(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        assert main([*options(master_port=port), "program.py"]) == 1
    assert f"msrun: port {port} cannot be used: address already in use. Choose" in capsys.readouterr().err
    (folder / "file").touch()
    assert main([*options(log_dir="file/logs"), "program.py"]) == 1
    assert "the logs cannot be written to 'file/logs': Not a directory" in capsys.readouterr().err


# MindSpore's variables without msrun


@pytest.fixture
def variables(monkeypatch):
    for name in [name for name in os.environ if name.startswith(("MS_", "RANK", "WORLD_SIZE", "MASTER_"))]:
        monkeypatch.delenv(name)

    def set_variables(**given):
        for name, value in given.items():
            monkeypatch.setenv(name, str(value))

    return set_variables


def test_ranks_that_are_given_and_ranks_that_are_not(variables):
    assert (starting.rendezvous(), started_processes()) == ({}, 1)
    variables(MS_WORKER_NUM=2, MS_SCHED_HOST="127.0.0.1", MS_SCHED_PORT=free_port(), MS_ROLE="MS_WORKER")
    assert started_processes() == 2
    found = [starting.rendezvous() for _ in range(2)]  # the first one serves the other
    assert [(one["rank"], one["world_size"]) for one in found] == [(0, 2), (1, 2)]
    variables(MS_NODE_ID=1)
    assert starting.rendezvous()["rank"] == 1
    variables(MS_ROLE="MS_SCHED")
    with pytest.raises(SystemExit) as ended:
        starting.rendezvous()
    assert ended.value.code == 0
    variables(RANK=0)
    assert starting.rendezvous() == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"RANK_SIZE": 2, "RANK_ID": 0}, "2 processes need an address to meet at"),
        ({"MS_WORKER_NUM": "two"}, "MS_WORKER_NUM must be a number, but is 'two'"),
        ({"MS_ROLE": "MS_PSERVER"}, "MS_ROLE must be MS_WORKER, but is MS_PSERVER"),
        (
            {"MS_WORKER_NUM": 2, "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": 1, "MS_NODE_ID": 2},
            r"must be in \[0, 1\]",
        ),
        (
            {"MS_WORKER_NUM": 2, "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": 99999, "MS_NODE_ID": 0},
            r"must be in \[1, 65535\]",
        ),
    ],
)
def test_variables_that_do_not_fit(given, message, variables):
    variables(**given)
    with pytest.raises(ValueError, match=message):
        starting.rendezvous()


def test_an_address_that_another_program_has(variables):
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        variables(MS_WORKER_NUM=2, MS_SCHED_HOST="127.0.0.1", MS_SCHED_PORT=port, MS_NODE_ID=0)
        with pytest.raises(ValueError, match=f"cannot listen at 127.0.0.1:{port}"):
            starting.rendezvous()
