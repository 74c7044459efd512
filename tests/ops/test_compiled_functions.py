"""`ops.Custom(func_type="aot")`: functions of compiled libraries, with the types that MindSpore 2.10 tells them."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="There is no compiler.")

ARGUMENTS = "int count, void **memory, int *dims, int64_t **shapes, const char **types, void *stream, void *extra"
SOURCE = f"""
#include <cstdint>
#include <cstdio>
extern "C" int add({ARGUMENTS}) {{
  if (count != 3 || stream != nullptr) return 1;
  float *a = (float *)memory[0], *b = (float *)memory[1], *c = (float *)memory[2];
  int64_t size = 1;
  for (int i = 0; i < dims[2]; i++) size *= shapes[2][i];
  for (int64_t i = 0; i < size; i++) c[i] = a[i] + b[i];
  return 0;
}}
extern "C" int both({ARGUMENTS}) {{
  for (int64_t i = 0; i < shapes[0][0]; i++) {{
    ((float *)memory[1])[i] = ((float *)memory[0])[i] * 2;
    ((int *)memory[2])[i] = (int)((float *)memory[0])[i];
  }}
  return 0;
}}
extern "C" int describe({ARGUMENTS}) {{
  char *text = (char *)memory[count - 1];
  for (int i = 0; i < count - 1; i++) text += sprintf(text, "%s/%d ", types[i], dims[i]);
  return 0;
}}
extern "C" int fail({ARGUMENTS}) {{ return 7; }}
extern "C" int scaled({ARGUMENTS}) {{ return 0; }}
extern "C" int scaledInit(int *dims, int64_t **shapes, const char **types, void *extra) {{ return 0; }}
"""
X, Y = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([4.0, 5.0, 6.0])


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    """Each execution mode."""
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def first(x, *others):
    return x


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    (folder / "kernels.cc").write_text(SOURCE)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", folder / "kernels.so", folder / "kernels.cc"], check=True)
    return folder


@pytest.mark.parametrize(
    ("file", "shape", "dtype"),
    [("kernels.so", first, first), ("kernels.cc", first, first), ("kernels.so", (3,), ms.float32)],
)
@pytest.mark.filterwarnings("ignore:.*runs eagerly")
def test_functions_of_libraries_are_operations(folder, file, shape, dtype, mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.add = ops.Custom(f"{folder / file}:add", shape, dtype, "aot")

        def construct(self, x, y):
            return ops.relu(self.add(x * 2, y)) + 1

    assert Net()(X, Y).asnumpy().tolist() == [7.0, 10.0, 13.0]


def test_several_outputs_and_gradients(folder):
    both = ops.Custom(f"{folder}/kernels.so:both", lambda x: (x, x), lambda x: (x, ms.int32), "aot")
    doubled, whole = both(X)
    assert (doubled.asnumpy().tolist(), whole.asnumpy().tolist(), whole.dtype) == ([2, 4, 6], [1, 2, 3], ms.int32)
    add = ops.Custom(
        f"{folder}/kernels.so:add", first, first, "aot", bprop=lambda x, y, out, dout: (dout * 2, dout * out)
    )
    gradients = ms.grad(lambda x, y: add(x, y).sum(), (0, 1))(X, Y)
    assert [g.asnumpy().tolist() for g in gradients] == [[2, 2, 2], [5, 7, 9]]
    strided = ms.Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))[:, 0]
    assert add(strided, Y).asnumpy().tolist() == [4, 7, 10]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *[(ms.Tensor([[1, 0]], getattr(ms, name)), f"{name.rstrip('_')}/2") for name in (
            "bool_", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "bfloat16",
            "uint16", "uint32", "uint64", "complex64")],
        (ms.Tensor(1.0), "float32/0"),
        (2.5, "float32/0"),
    ],
)  # fmt: skip
def test_types_and_dimensions_are_told(folder, value, shown):
    describe = ops.Custom(f"{folder}/kernels.so:describe", (40,), ms.uint8, "aot")
    assert bytes(describe(value).asnumpy().tolist()).split(b"\0")[0].decode() == f"{shown} "


@pytest.mark.parametrize(
    ("func", "error", "message"),
    [
        (3, TypeError, "'func' must be a str"),
        ("kernels.so", TypeError, "'func' must be a str such as"),
        ("nothing.so:add", RuntimeError, "there is no file"),
        ("kernels.so:nothing", RuntimeError, "has no function 'nothing'"),
        ("kernels.so:fail", RuntimeError, "'fail' .* returned the error 7"),
        ("kernels.so:scaled", NotImplementedError, "Pass them as inputs"),
        ("text.so:add", RuntimeError, "cannot be loaded"),
        ("text.cc:add", RuntimeError, "cannot be compiled"),
    ],
)
def test_errors(folder, func, error, message, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("text.so", "text.cc"):
        (folder / name).write_text("no code")
    with pytest.raises(error, match=message):
        ops.Custom(func if func == 3 else f"./{func}", first, first, "aot")(X)


def test_shape_and_data_type_must_be_given(folder):
    with pytest.raises(ValueError, match="'out_shape' and 'out_dtype' must be given"):
        ops.Custom(f"{folder}/kernels.so:add", func_type="aot")


def test_a_library_that_is_built_anew_is_loaded_anew(folder, tmp_path):
    source = tmp_path / "kernels.cc"
    for factor, expected in (("a[i] + b[i]", [5, 7, 9]), ("a[i] - b[i]", [-3, -3, -3])):
        source.write_text(SOURCE.replace("a[i] + b[i]", factor))
        assert ops.Custom(f"{source}:add", first, first, "aot")(X, Y).asnumpy().tolist() == expected
