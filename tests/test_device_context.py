"""`device_context`: the settings that PyTorch has take effect, all others are checked."""

from __future__ import annotations

import pytest
import torch

import torchspore as ms

CONTEXT = ms.device_context


@pytest.fixture(autouse=True)
def as_before():
    threads, products = torch.get_num_threads(), torch.backends.cuda.matmul.allow_tf32
    convolutions, tries = torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark
    yield
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = products
    torch.backends.cudnn.allow_tf32 = convolutions
    torch.backends.cudnn.benchmark = tries


def test_threads():
    CONTEXT.cpu.op_tuning.threads_num(3)
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize("value", [True, False])
def test_precision_of_gpus(value):
    CONTEXT.gpu.op_precision.matmul_allow_tf32(value)
    CONTEXT.gpu.op_precision.conv_allow_tf32(not value)
    assert torch.backends.cuda.matmul.allow_tf32 is value
    assert torch.backends.cudnn.allow_tf32 is not value


@pytest.mark.parametrize("name", ["conv_fprop_algo", "conv_wgrad_algo", "conv_dgrad_algo"])
def test_algorithms_of_gpus(name):
    choose = getattr(CONTEXT.gpu.op_tuning, name)
    choose("performance")
    assert torch.backends.cudnn.benchmark
    choose("normal")
    assert not torch.backends.cudnn.benchmark


def test_devices():
    assert (CONTEXT.cpu.is_available(), CONTEXT.cpu.device_count()) == (True, 1)
    assert CONTEXT.gpu.is_available() is ms.hal.is_available("GPU")
    assert CONTEXT.ascend.is_available() is ms.hal.is_available("Ascend")


DEBUG, PRECISION, TUNING = CONTEXT.ascend.op_debug, CONTEXT.ascend.op_precision, CONTEXT.ascend.op_tuning


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: CONTEXT.cpu.op_tuning.threads_num("a"), TypeError, "'num' must be an int"),
        (lambda: CONTEXT.cpu.op_tuning.threads_num(0), ValueError, "'num' must be > 0"),
        (lambda: CONTEXT.gpu.op_precision.matmul_allow_tf32(3), TypeError, "'value' must be a bool"),
        (lambda: CONTEXT.gpu.op_precision.conv_allow_tf32("x"), TypeError, "'value' must be a bool"),
        (lambda: CONTEXT.gpu.op_tuning.conv_fprop_algo(3), TypeError, "'mode' must be a string"),
        (lambda: CONTEXT.gpu.op_tuning.conv_fprop_algo("fft"), NotImplementedError, "cuDNN chooses"),
        (lambda: DEBUG.execute_timeout("a"), TypeError, "'op_timeout' must be an int"),
        (lambda: DEBUG.debug_option("x"), ValueError, "'option_value' must be 'oom'"),
        (lambda: DEBUG.aclinit_config(3), TypeError, "'config' must be a dict"),
        (lambda: PRECISION.precision_mode("x"), ValueError, "'mode' must be one of"),
        (lambda: PRECISION.op_precision_mode(3), TypeError, "'path' must be a string"),
        (lambda: PRECISION.matmul_allow_hf32(3), TypeError, "'value' must be a bool"),
        (lambda: PRECISION.conv_allow_hf32("x"), TypeError, "'value' must be a bool"),
        (lambda: TUNING.op_compile(3), TypeError, "'value' must be a bool"),
        (lambda: TUNING.aoe_tune_mode("x"), ValueError, "'tune_mode' must be one of"),
        (lambda: TUNING.aoe_job_type("3"), ValueError, "'config' must be one of"),
        (lambda: TUNING.aclnn_cache(3), TypeError, "'enable_global_cache' must be a bool"),
        (lambda: TUNING.aclnn_cache(True, -1), ValueError, "'cache_queue_length' must be >= 0"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
