"""Record what MindSpore 2.10 answers on a CPU in `hal` and `runtime`, into `hal.json` next to this file.

Run it in an environment that has MindSpore 2.10 for CPUs: `python tests/data/record_hal.py`.

Each line is evaluated here with MindSpore as `ms`, and in the tests with TorchSpore. Recorded is the text of the
result, or the name of the exception.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

LINES = """
str(ms.Tensor(1) + 1)
ms.runtime.current_stream()
ms.runtime.default_stream()
ms.runtime.communication_stream()
ms.hal.Stream()
ms.hal.Stream(priority=-1)
ms.runtime.Stream(priority='high')
ms.runtime.Stream(stream_id=7)
ms.runtime.Stream() == ms.runtime.Stream()
ms.runtime.current_stream() == ms.runtime.default_stream()
ms.runtime.Stream().stream_id()
ms.runtime.Stream().device_id
ms.runtime.Stream().device_name
ms.runtime.Event(enable_timing=1)
ms.runtime.Event(blocking=1)
ms.runtime.Event().query()
ms.runtime.Event().record()
ms.runtime.Event().record(1)
ms.runtime.Event().wait()
ms.runtime.Event().wait(1)
ms.runtime.Event().synchronize()
ms.runtime.Event().elapsed_time(1)
ms.runtime.Event(enable_timing=True).elapsed_time(ms.runtime.Event(enable_timing=True))
ms.runtime.Stream().record_event(1)
ms.runtime.set_cur_stream(ms.runtime.Stream())
ms.runtime.synchronize()
ms.runtime.empty_cache()
ms.runtime.memory_stats()
ms.runtime.memory_summary()
ms.runtime.memory_allocated()
ms.runtime.max_memory_allocated()
ms.runtime.memory_reserved()
ms.runtime.max_memory_reserved()
ms.runtime.reset_peak_memory_stats()
ms.runtime.reset_max_memory_allocated()
ms.runtime.reset_max_memory_reserved()
ms.hal.memory_summary('CPU')
ms.hal.memory_summary('GPU')
ms.hal.memory_stats('CPU')
ms.hal.memory_allocated('CPU')
ms.hal.memory_allocated('GPU')
ms.hal.memory_allocated('TPU')
ms.hal.memory_allocated(1)
ms.hal.max_memory_reserved('CPU')
ms.hal.reset_peak_memory_stats('CPU')
ms.hal.is_available('CPU')
ms.hal.is_available('GPU')
ms.hal.is_available('Ascend')
ms.hal.is_available('TPU')
ms.hal.is_available(1)
ms.hal.is_initialized('CPU')
ms.hal.is_initialized('GPU')
ms.hal.is_initialized('TPU')
ms.hal.device_count()
ms.hal.device_count('CPU')
ms.hal.device_count('GPU')
ms.hal.device_count('Ascend')
ms.hal.device_count('TPU')
ms.hal.device_count(1)
ms.hal.get_device_name(0)
ms.hal.get_device_name(1)
ms.hal.get_device_name(-1)
ms.hal.get_device_name('first')
ms.hal.get_device_name(0, 'GPU')
ms.hal.get_device_properties(0)
ms.hal.get_device_properties(3, 'CPU')
ms.hal.get_device_capability(0)
ms.hal.get_device_capability(0, 'GPU')
ms.hal.get_arch_list()
ms.hal.get_arch_list('GPU')
ms.runtime.set_memory(init_size=1)
ms.runtime.set_memory(init_size='1')
ms.runtime.set_memory(max_size='0GB')
ms.runtime.set_memory(optimize_level='O3')
ms.runtime.set_memory('1GB', '1GB', '10GB', 'O1')
ms.get_context('max_device_memory')
ms.runtime.launch_blocking()
ms.runtime.dispatch_threads_num('two')
ms.runtime.dispatch_threads_num(1.5)
ms.runtime.dispatch_threads_num(0)
ms.runtime.dispatch_threads_num(4)
ms.runtime.set_cpu_affinity(True, 5)
ms.runtime.set_kernel_launch_capture(1)
ms.runtime.set_kernel_launch_capture(False)
ms.runtime.set_kernel_launch_group('a', 1)
ms.runtime.set_kernel_launch_group(0, 1)
ms.runtime.set_kernel_launch_group(2, 8)
ms.runtime.set_device_limit(0, 1, 1)
ms.runtime.get_stream_limit(1)
ms.runtime.set_stream_limit(ms.runtime.current_stream(), 1, 1)
ms.runtime.reset_stream_limit(ms.runtime.current_stream())
ms.runtime.PluggableAllocator('missing.so', 'a', 'b')
ms.set_deterministic(1)
ms.set_deterministic('ON')
ms.set_deterministic(True)
ms.get_context('deterministic')
ms.utils.get_sdc_detect_result()
""".strip().splitlines()


def answer(ms: Any, line: str) -> str:
    """Return the text of a line's result, or the name of its exception."""
    try:
        return repr(eval(line, {"ms": ms}))
    except Exception as error:
        return f"!{type(error).__name__}"


if __name__ == "__main__":
    import mindspore
    import mindspore.utils
    from tables import dump

    record = {"cpu": {line: answer(mindspore, line) for line in LINES}}
    Path(__file__).with_name("hal.json").write_text(dump(record), encoding="utf-8")
