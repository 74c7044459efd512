"""Operations that graphs from files may use: no argument of theirs can end the process or reach other memory."""

from __future__ import annotations

import contextlib
import json
import pathlib
import random
import signal
import sys

import pytest
import torch

import fuzz
import preloaded
from torchspore.engine import exported_operations
from torchspore.engine.exported_operations import is_allowed, replaced

ATEN = torch.ops.aten

REFUSED = """
    as_strided as_strided_copy as_strided_scatter _reshape_alias _reshape_alias_copy set_ set resize resize_
    empty_strided new_empty_strided from_file _local_scalar_dense item data storage_offset sym_storage_offset sym_stride
    mkldnn_rnn_layer _mkldnn_reshape fbgemm_pack_gemm_matrix_fp16 fbgemm_linear_int8_weight _wrapped_linear_prepack
    max_pool2d_with_indices_backward adaptive_max_pool2d_backward embedding_dense_backward unfold_backward
    sparse_coo_tensor _sparse_coo_tensor_unsafe segment_reduce _scaled_dot_product_flash_attention_for_cpu record_stream
    _weight_norm choose_qparams_optimized quantize_per_tensor _cudnn_rnn
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", REFUSED)
def test_operations_that_believe_what_they_are_given(name):
    packet = getattr(ATEN, name, None)
    assert packet is None or not any(is_allowed(getattr(packet, overload)) for overload in packet.overloads())


def overloads():
    names = sorted(
        name for name in exported_operations._FUNCTIONS | exported_operations._CHANGES if hasattr(ATEN, name)
    )
    found = [getattr(getattr(ATEN, name), overload) for name in names for overload in getattr(ATEN, name).overloads()]
    return [function for function in found if is_allowed(function)]


def test_nothing_takes_raw_memory():
    """An argument with this name belongs to a pooling, a convolution, a diagonal or to bags."""
    raw = {
        function._opname
        for function in overloads()
        for argument in function._schema.arguments
        if any(word in argument.name.lower() for word in ("stride", "storage", "offset", "ptr", "packed"))
    }
    known = ("pool", "conv", "col", "diag", "tri", "embedding_bag", "_assert_tensor_metadata", "unpool")
    assert [name for name in raw if not any(part in name for part in known)] == []
    assert not any(argument.is_out for function in overloads() for argument in function._schema.arguments)


def numbers(*values):
    return torch.tensor(values)


WRONG = {
    "short vectors of a batch norm": lambda: (
        ATEN._native_batch_norm_legit_no_training.default,
        (torch.ones(2, 4, 3), *[torch.ones(1)] * 4, 0.1, 1e-5),
    ),
    "short averages": lambda: (
        ATEN.native_batch_norm.default,
        (torch.ones(2, 4), *[torch.ones(1)] * 4, False, 0.1, 1e-5),
    ),
    "modes of a sampler": lambda: (
        ATEN.grid_sampler_2d.default,
        (torch.ones(1, 1, 3, 3), torch.ones(1, 2, 2, 2), 99, 0, True),
    ),
    "length of a transform": lambda: (ATEN._fft_c2r.default, (torch.ones(3, dtype=torch.complex64), [0], 0, 10**7)),
    "dimension of a transform": lambda: (ATEN._fft_r2c.default, (torch.ones(3), [7], 0, True)),
    "the same dimension twice": lambda: (
        ATEN._fft_c2c.default,
        (torch.ones(3, dtype=torch.complex64), [0, 0], 0, True),
    ),
    "pairs of nothing": lambda: (ATEN._pdist_forward.default, (torch.ones(4, 3, 0), 2.0)),
    "few pivots": lambda: (ATEN.lu_unpack.default, (torch.ones(3, 2), torch.ones(3, 0, dtype=torch.int32))),
}  # fmt: skip


@pytest.mark.parametrize("case", list(WRONG))
def test_what_torch_does_not_check(case):
    function, arguments = WRONG[case]()
    assert is_allowed(function)
    with pytest.raises((ValueError, RuntimeError)):
        replaced(function)(*arguments)


def test_what_is_replaced_computes_the_same():
    x, grid = torch.randn(1, 2, 6, 6), torch.rand(1, 3, 3, 2) * 2 - 1
    vectors = (torch.ones(2), torch.zeros(2), torch.zeros(2), torch.ones(2))
    spectrum = torch.randn(4, 5, dtype=torch.complex64)
    log_probs = torch.randn(5, 1, 4).log_softmax(-1)
    cases = [
        (ATEN._native_batch_norm_legit_no_training.default, (x, *vectors, 0.1, 1e-5)),
        (ATEN.native_batch_norm.default, (x, *vectors, False, 0.1, 1e-5)),
        (ATEN.grid_sampler.default, (x, grid, 0, 1, False)),
        (ATEN.fractional_max_pool2d.default, (x, [2, 2], [3, 3], torch.rand(1, 2, 2))),
        (ATEN.ctc_loss.IntList, (log_probs, numbers(1, 2).reshape(1, 2), [5], [2])),
        (ATEN._fft_c2r.default, (spectrum, [0, 1], 2, 8)),
        (ATEN._fft_c2c.default, (spectrum, [1], 0, True)),
        (ATEN._pdist_forward.default, (torch.randn(4, 3), 2.0)),
        (ATEN.lu_unpack.default, ATEN.linalg_lu_factor.default(torch.randn(3, 3))),
        (ATEN.view.dtype, (torch.randn(3), torch.int32)),
    ]
    for function, arguments in cases:
        found, expected = replaced(function)(*arguments), function(*arguments)
        assert replaced(function) is not function
        for ours, theirs in zip(*[each if isinstance(each, tuple) else (each,) for each in (found, expected)]):
            torch.testing.assert_close(ours, theirs)
    assert replaced(ATEN.empty.memory_format)([3], dtype=torch.float64).tolist() == [0, 0, 0]
    assert replaced(ATEN.empty_like.default)(torch.ones(2)).tolist() == [0, 0]
    assert replaced(ATEN.new_empty.default)(torch.ones(2), [2]).tolist() == [0, 0]
    assert replaced(ATEN.view.dtype)(torch.tensor([7], dtype=torch.uint8), torch.bool).view(torch.uint8).tolist() == [1]


# Random arguments


def random_tensor(chance):
    shape = [chance.choice([0, 1, 2, 3, 4]) for _ in range(chance.choice([0, 1, 2, 2, 3, 4, 5]))]
    dtype = chance.choice([torch.float32] * 4 + [torch.float64, torch.complex64, torch.bool, torch.int32, torch.int64])
    if dtype is torch.bool:
        return torch.rand(shape) > 0.5
    if not dtype.is_floating_point and not dtype.is_complex:
        most = chance.choice([2, 3, 5, 10**9])
        return torch.randint(chance.choice([0, -most]), most, shape, dtype=dtype)
    return torch.randn(shape, dtype=dtype) * chance.choice([1, 1, 1, 1e10, float("nan")])


def random_value(kind, chance, count=None):
    name = str(kind)
    if name.startswith("Optional["):
        return None if chance.random() < 0.5 else random_value(kind.getElementType(), chance, count)
    if name.startswith("List["):
        length = count if count and chance.random() < 0.6 else chance.choice([0, 1, 2, 3])
        return [random_value(kind.getElementType(), chance) for _ in range(length)]
    choices = {
        "int": [0, 1, 1, 2, 2, 3, -1, -2, 4, 7, 100, 2**50, -(2**63)],
        "float": [0.0, 1.0, 0.5, -1.0, 1e30, float("nan")],
        "number": [0, 1, 2, -1, 0.5], "bool": [True, False], "str": ["mean", "none", "constant", "reflect", "same"],
        "ScalarType": [torch.float32, torch.int64, torch.bool], "Layout": [torch.strided],
        "Device": [torch.device("cpu")], "MemoryFormat": [torch.contiguous_format],
    }  # fmt: skip
    return random_tensor(chance) if name == "Tensor" else chance.choice(choices.get(name.replace("Sym", ""), [None]))


def call(function, chance):
    """Call a function with random arguments, of which those that have defaults are often left out."""
    given = {}
    for argument in function._schema.arguments:
        if not argument.has_default_value() or chance.random() < 0.4:
            given[argument.name] = random_value(argument.real_type, chance, argument.N)
    positional = [argument.name for argument in function._schema.arguments if not argument.kwarg_only]
    leading = []
    while positional and positional[0] in given:
        leading.append(given.pop(positional.pop(0)))
    replaced(function)(*leading, **given)


def attack(numbers):
    """Call all operations; the last printed line says which one ended the process."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (2**34, 2**34))
    for function in overloads():
        for number in numbers:
            print(json.dumps([str(function), number]), flush=True)
            signal.alarm(60)
            torch.manual_seed(number)
            with contextlib.suppress(Exception):
                call(function, random.Random(f"{function} {number}"))
    print("all", flush=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_random_arguments_end_no_process():
    here = pathlib.Path(__file__)
    program = f"import sys; sys.path[:0] = {[str(here.parent), *sys.path]!r}\n"
    program += f"import {here.stem} as tests\ntests.attack({fuzz.seeds(1)})"
    done = preloaded.run(program, ignored=("",))
    assert done.stdout.endswith("all\n"), (done.returncode, done.stdout.splitlines()[-1:], done.stderr[-1000:])
