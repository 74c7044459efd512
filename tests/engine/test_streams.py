"""Programs that print and log, while the console is another one: captured, they write what the plain ones do."""

from __future__ import annotations

import io
import logging
import sys
import warnings

import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops

try:
    import tqdm
except ImportError:
    tqdm = None

X = Tensor([1.0, 2.0])
CONSOLE = sys.stdout
LOGGER = logging.getLogger("torchspore_test_streams")
QUIET = logging.getLogger("torchspore_test_streams.quiet")


class Written(io.TextIOBase):
    """A console as notebooks have it."""

    def __init__(self):
        self.texts = []

    def writable(self):
        return True

    def write(self, text):
        self.texts.append(text)
        return len(text)


class Bare:
    """A console that is no stream of Python's."""

    def __init__(self):
        self.texts = []

    def write(self, text):
        self.texts.append(text)

    def flush(self):
        pass


def wrapped():
    return io.TextIOWrapper(io.BytesIO(), write_through=True)


def text_of(stream):
    if isinstance(stream, io.TextIOWrapper):
        return stream.buffer.getvalue().decode()
    return stream.getvalue() if isinstance(stream, io.StringIO) else "".join(stream.texts)


def prints(x):
    print("value", x)
    return x * 2


def prints_errors(x):
    print("value", x, file=sys.stderr)
    return x * 2


def writes(x):
    sys.stdout.write("written\n")
    return x * 2


def warns_of(x):
    warnings.warn("the program's", UserWarning, stacklevel=1)
    return x * 2


def logs(x):
    LOGGER.warning("logged %s", x.shape)
    return x * 2


def logs_nothing(x):
    QUIET.debug("nothing")
    QUIET.info("nothing %s", x)
    return x * 2


def shows_progress(x):
    for _ in tqdm.tqdm(range(2), disable=True):
        x = x * 2
    return x / 2


class Net(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = ms.Parameter(Tensor([1.0, 1.0]), name="weight")

    def construct(self, x):
        return self.function(x) * self.weight


def replace(monkeypatch, make):
    streams = make(), make()
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    return streams


FUNCTIONS = [prints, prints_errors, writes, warns_of, logs, logs_nothing]
if tqdm is not None:
    FUNCTIONS.append(shows_progress)


@pytest.mark.parametrize("make", [wrapped, io.StringIO, Written, Bare])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.filterwarnings("ignore:.*runs eagerly", "ignore:the program's")
def test_each_call_writes_what_the_plain_one_does(function, make, monkeypatch):
    written = []
    for run in (function, ms.jit(function)):
        texts = []
        for _ in range(2):  # replaced before the call that records it, and after
            streams = replace(monkeypatch, make)
            for _ in range(2):
                assert run(X).asnumpy().tolist() == ([2.0, 4.0])
            texts += map(text_of, streams)
        written.append(texts)
    assert written[0] == written[1]


@pytest.mark.parametrize("function", [prints, prints_errors, logs_nothing])
def test_printing_and_silent_loggers_stay_in_one_graph(function, monkeypatch):
    replace(monkeypatch, wrapped)
    captured = ms.jit(function, fullgraph=True)
    for _ in range(2):
        assert captured(X).asnumpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("make", [wrapped, Written, lambda: CONSOLE])
def test_a_console_that_has_been_replaced_is_printed_to(make):
    kept = make()

    def prints_to_it(x):
        print("kept", file=kept)
        return x * 2

    captured = ms.jit(prints_to_it)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*runs eagerly")
        for _ in range(3):
            captured(X)
    if kept is not CONSOLE:
        assert text_of(kept) == "kept\n" * 3


def test_what_makes_a_logger_write_is_compared(caplog):
    captured = ms.jit(logs_nothing)
    with caplog.at_level(logging.WARNING, QUIET.name):
        captured(X)
    assert not caplog.messages
    with caplog.at_level(logging.DEBUG, QUIET.name), pytest.warns(RuntimeWarning, match="logging"):
        captured(X)
    assert caplog.messages == ["nothing", f"nothing {X}"]
    logging.disable(logging.CRITICAL)
    try:
        assert captured(X).asnumpy().tolist() == [2.0, 4.0]
    finally:
        logging.disable(logging.NOTSET)
    assert len(caplog.messages) == 2


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.filterwarnings("ignore:the program's", "ignore:.*prints of the network")
def test_the_weights_of_a_network_that_prints_are_found(function, monkeypatch):
    net = Net(function)
    replace(monkeypatch, wrapped)
    gradients = ops.GradOperation(get_by_list=True)(lambda x: net(x))(X)
    assert [gradient.asnumpy().tolist() for gradient in gradients] == [[2.0, 4.0]]


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.filterwarnings("ignore:the program's")
def test_a_network_that_prints_is_exported_without_the_prints(function, monkeypatch, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ms.export(Net(function), X, file_name=f"{tmp_path}/net", file_format="PT2")
    messages = [str(warning.message) for warning in caught]
    assert any("prints nothing when it runs" in message for message in messages) == (function.__name__[:6] == "prints")
    console, _ = replace(monkeypatch, wrapped)
    assert nn.GraphCell(ms.load(f"{tmp_path}/net.pt2"))(X).asnumpy().tolist() == [2.0, 4.0]
    assert text_of(console) == ""
