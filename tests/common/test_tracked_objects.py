"""Finding objects of the garbage collector while other threads make tuples."""

from __future__ import annotations

import gc
import sys
import threading

import torchspore as ms
from torchspore import nn
from torchspore.common.frames.tracked_objects import objects_of


class Thing:
    pass


class Other(Thing):
    pass


def test_finds_exact_types():
    gc.collect()
    things = [Thing(), Other(), Thing()]
    found, is_here = objects_of({Thing}, 0)
    assert [id(thing) for thing in found] == [id(things[0]), id(things[2])]
    assert not is_here
    assert len(objects_of({Thing, Other}, 0)[0]) == 3


def test_finds_frozen_objects():
    old = Thing()
    gc.freeze()
    assert old in objects_of({Thing}, None)[0]


def test_finds_objects_of_all_generations():
    old = Thing()
    gc.collect()
    new = Thing()
    assert {id(thing) for thing in objects_of({Thing}, None)[0]} == {id(old), id(new)}
    assert [id(thing) for thing in objects_of({Thing}, 0)[0]] == [id(new)]


def test_known_object():
    known = Thing()
    assert objects_of({Other}, 0, known) == ([], True)
    assert objects_of({Thing}, 0, known) == ([known], True)
    gc.collect()
    assert objects_of({Thing}, 0, known) == ([], False)


def test_tuples_of_other_threads():
    errors: list[BaseException] = []
    ends = threading.Event()

    def slowly(item):
        for _ in range(3):
            pass
        return item

    def make_tuples():
        try:
            while not ends.is_set():
                tuple(map(slowly, range(7)))
        except SystemError as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=make_tuples) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for _ in range(500):
            objects_of({Thing}, 0)
    finally:
        ends.set()
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()
    assert not errors


def test_a_function_is_found_after_gc_freeze():
    net = nn.Dense(2, 2)
    net.register_parameter_forward_hook(lambda parameter: parameter * 2)
    step = ms.jit(lambda x: ms.value_and_grad(net)(x), fullgraph=True)
    gc.freeze()
    try:
        step(ms.Tensor([[1.0, 2.0]]))
    finally:
        gc.unfreeze()
