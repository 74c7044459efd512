"""Every name that a module of MindSpore has can be imported; what TorchSpore lacks refuses to be used."""

from __future__ import annotations

import json

import pytest

import preloaded
from torchspore import log

pytestmark = pytest.mark.slow  # they start a process

PROCESS = """
import importlib, json, sys, warnings
warnings.simplefilter("error")
import torchspore.as_mindspore
import mindspore
from torchspore import mindspore_names

def outcome(code):
    names = {}
    try:
        *lines, last = code.split("; ")
        exec("\\n".join(lines), names)
        return repr(eval(last, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def absent():
    for path, groups in mindspore_names._modules().items():
        module = importlib.import_module(f"mindspore.{path}".rstrip("."))
        names = [*groups.get("=", ()), *mindspore_names._origins(path)]
        yield from (f"{path}.{name}" for name in names if not hasattr(module, name))

print(json.dumps([*map(outcome, json.load(sys.stdin)), list(absent())]))
"""

_REFUSAL = "NotImplementedError: For 'mindspore."
CASES = [
    ("from mindspore.ops.operations import _grad_ops; _grad_ops.__name__", "'mindspore.ops.operations._grad_ops'"),
    ("from mindspore.ops.operations.nn_ops import Conv2D; Conv2D.__name__", "'Conv2D'"),
    ("from mindspore.ops.function.array_func import Tensor; Tensor.__module__", "'mindspore.common.tensor'"),
    ("from mindspore.dataset import MindDataset, GeneratorDataset; GeneratorDataset.__name__", "'GeneratorDataset'"),
    ("from mindspore.dataset.engine.offload import GetOffloadModel; GetOffloadModel(1, [])", _REFUSAL),
    ("from mindspore.dataset.engine.cache_client import DatasetCache; DatasetCache(1).session_id", "1"),
    ("from mindspore.dataset.core.config import get_seed; get_seed()", "5489"),
    ("from mindspore.dataset.debug.pre_defined_hook import PrintDataHook; PrintDataHook().is_first_op", "None"),
    ("from mindspore.dataset.callback import WaitedDSCallback; WaitedDSCallback(2).step_size", "2"),
    ("from mindspore.dataset.dataloader.dataloader import DataLoader; len(DataLoader([1, 2, 3], 2))", "2"),
    ("from mindspore.dataset.engine.serializer_deserializer import deserialize; deserialize()", "None"),
    ("from mindspore.dataset.engine.iterators import _cleanup; _cleanup()", "None"),
    ("from mindspore.dataset.engine.iterators import _unset_iterator_cleanup as u, ITERATORS_LIST; u()", "None"),
    ("from mindspore.dataset.engine.datasets import _get_operator_process as f, Dataset; f()", "({}, True)"),
    ("from mindspore.dataset.engine.validators import check_batch as c; c(len)", "<built-in function len>"),
    ("from mindspore.dataset.vision.validators import check_crop_size as c; c(-1)", _REFUSAL),
    ("from mindspore.dataset.core.validator_helpers import check_uint8 as c; c(1, 'x')", "None"),
    ("from mindspore.dataset.core.datatypes import nptype_to_detype as d; str(d('int8'))", "'int8'"),
    ("from mindspore.dataset.core.config import _init_device_info as f; f()", "None"),
    ("from mindspore.dataset.transforms.transforms import clean_unused_executors as f; f()", "None"),
    ("from mindspore._c_dataengine import Vocab, DataType; Vocab.from_list(['a']).vocab()", "{'a': 0}"),
    ("import mindspore as ms; ms.mindrecord.core.shardreader.ShardReader('file')", _REFUSAL),
    ("from mindspore.mindrecord.core.shardreader import *; ShardReader('file')", _REFUSAL),
    ("from mindspore.mindrecord.core.shardreader import ShardReader as R\nclass Own(R): pass; Own('file')", _REFUSAL),
    ("from mindspore.mindrecord.core.shardreader import ShardReader as R; isinstance(1, R)", "False"),
    ("from mindspore.mindrecord.core.shardreader import ShardReader as R, ShardReader as S; R is S", "True"),
    ("from mindspore.mindrecord.common.exceptions import ParamValueError; ParamValueError(3).error_code", "1347"),
    ("from mindspore.mindrecord.config import set_enc_key; set_enc_key(None)", "None"),
    ("from mindspore import mindrecord; mindrecord.FileWriter is mindrecord.filewriter.FileWriter", "True"),
    ("from mindspore._c_expression import GradOperation_; GradOperation_()", _REFUSAL),
    (
        "import mindspore as ms; x = ms._c_expression.pyboost_empty([[2], ms.int32, None]); x.dtype.name, x.tolist()",
        "('int32', [0, 0])",
    ),
    ("from mindspore.nn import *; MAE().update is not None, get_metric_fn('mae').__class__ is MAE", "(True, True)"),
    ("from mindspore.common import *; float32 is dtype.float32, mutable(3), is_tensor(3)", "(True, 3, False)"),
    (
        "from mindspore.ops.auto_generate.gen_ops_prim import *; CumsumExt().name, LogSoftmaxExt().name",
        "('CumsumExt', 'LogSoftmaxExt')",
    ),
    (
        "from mindspore.ops.auto_generate.gen_ops_prim import GroupedMatmulV2 as G; G(2).set_device('CPU').name",
        "'GroupedMatmulV2'",
    ),
    ("from mindspore.ops.auto_generate.gen_ops_prim import GroupedMatmulV2 as G; G(2)()", _REFUSAL),
    ("from mindspore.train.serialization import tensor_to_ms_type as t; t['Int8'].name", "'int8'"),
    (
        "from mindspore.train.serialization import tensor_to_np_type as t; t('str'), t('Float16').__name__",
        "('U', 'float16')",
    ),
    (
        "from mindspore.common.tensor import _TensorMeta as M; import mindspore as ms; "
        "issubclass(M('L', (ms.Tensor,), {}), ms.Tensor)",
        "True",
    ),
    (
        "from mindspore._c_expression.amp import push_amp_strategy, pop_amp_strategy; pop_amp_strategy()",
        "NotImplementedError: For 'create_amp",
    ),
    ("from mindspore._c_expression import TensorTransform as T; T.get_instance() is T.get_instance()", "True"),
    ("from mindspore.train.node_strategy_pb2 import ParallelStrategyMap; ParallelStrategyMap()", _REFUSAL),
    ("import mindspore._c_dataengine as cde; cde.LookupOperation(1)", _REFUSAL),
    ("import PIL, mindspore; PIL.Image.Resampling.NEAREST", "<Resampling.NEAREST"),
    ("from mindspore._c_expression import MSContext as C; C.get_instance().get_ascend_soc_version()", "''"),
    (
        "from mindspore._c_expression import MSContext, ms_ctx_param as p; MSContext.get_instance().get_param(p.mode)",
        "1",
    ),
    ("from mindspore._c_expression import TensorPy, Cell_; import mindspore as ms; TensorPy is ms.Tensor", "True"),
    (
        "from mindspore._c_expression import typing; typing.Bool(), typing.Int(), typing.Float(), typing.Float(16)",
        "(mindspore.bool, mindspore.int, mindspore.float, mindspore.float16)",
    ),
    (
        "from mindspore._c_expression import typing; typing.Number(), typing.String(), typing.List(), typing.Tuple()",
        "(mindspore.number, mindspore.string_, mindspore.list_, mindspore.tuple_)",
    ),
    ("from mindspore._c_expression.typing import Float; import mindspore as ms; isinstance(ms.float16, Float)", "True"),
    (
        "from mindspore._c_expression.typing import kInt8, kTypeNone, kTuple as k; kInt8, kTypeNone, k, kInt8.itemsize",
        "(mindspore.int8, mindspore.type_none, mindspore.tuple_, 1)",
    ),
    (
        "from mindspore._c_expression import typing as t; t.type_to_type_id(t.kFloat32), t.type_id_to_type(34)",
        "(43, mindspore.int32)",
    ),
    (
        "from mindspore._c_expression import typing as t; t.str_to_type('BFloat16'), t.is_subclass(t.kBool, t.kNumber)",
        "(mindspore.bfloat16, True)",
    ),
    ("from mindspore._c_expression import typing as t; t.type_size_in_bytes(t.kTuple)", "0"),
    ("from mindspore._c_expression import typing as t; t.type_to_type_id(3)", "TypeError: For 'type_to_type_id'"),
    ("from mindspore._c_expression import typing as t; t.type_id_to_type(99)", "ValueError: For 'type_id_to_type'"),
    ("from mindspore._c_expression import typing as t; t.str_to_type('x')", "RuntimeError: For 'str_to_type'"),
    (
        "from mindspore.common.dtype import _simple_types as s; s[str], s[float]",
        "(mindspore.string_, mindspore.float64)",
    ),
    ("from mindspore._c_expression import op_enum; op_enum.str_to_enum('Conv2D', 'pad_mode', 'same')", "'same'"),
    (
        "from mindspore.graph import CustomPassType as T, register_custom_pass as f; f('a', 'a.so', 'CPU', T.PATTERN)",
        "False",
    ),
    ("from mindspore.common.api import _pynative_executor as e; e.call_custom_bprop(abs, 3, -3)", "3"),
    (
        "from mindspore.ops.function.comm_func import _object_to_tensor as f, _tensor_to_object as g; g(*f([1], 99))",
        "[1]",
    ),
    (
        "from mindspore.train._utils import get_parameter_redundancy as f; "
        "f({'b': ([2, 2], [-1, -1]), 'a': ([2, 2], [0, -1], [4, 8], 0, True, '')}, 4)",
        "{'a': ((4, 6), (5, 7)), 'b': ((4, 5, 6, 7),)}",
    ),
    (
        "from mindspore.train._utils import remove_param_redundancy as f; "
        "f({'a': ((0, 1), (2, 3)), 'b': ((0, 1), (2, 3)), 'c': ((0, 1, 2, 3),)}, 1)",
        "{0: {",
    ),
    (
        "from mindspore.train._utils import remove_param_redundancy as f; list(f({'a': ((0, 1),), 'b': ((1,),)}, 2))",
        "[0, 1]",
    ),
    ("from mindspore.multiprocessing import Process, Queue, _MsProcess; Process is _MsProcess", "True"),
    (
        "from mindspore.communication._comm_helper import _is_initialized as f, Backend; [f(), Backend('NCCL')]",
        "[False, 'nccl']",
    ),
    ("from mindspore.communication._comm_helper import check_parameter_available as c; c(lambda: 1)()", "RuntimeError"),
    (
        "from mindspore.parallel._utils import _get_pipeline_stages as f, _is_in_auto_parallel_mode as g; f(), g()",
        "(1, False)",
    ),
    ("from mindspore.parallel._utils import _device_number_check; _device_number_check('stand_alone', 2)", "ValueErr"),
    (
        "from mindspore.parallel._auto_parallel_context import auto_parallel_context as c; c().get_device_num_is_set()",
        "False",
    ),
    ("from mindspore.parallel._auto_parallel_context import auto_parallel_context as c; c().get_loss()", "AttributeE"),
    (
        "from mindspore.parallel._auto_parallel_context import auto_parallel_context as c; "
        "c().set_gradients_mean(True); c().get_gradients_mean_is_set(), c().get_gradients_mean(), c().reset()",
        "(True, True, None)",
    ),
    (
        "from mindspore.parallel._cost_model_context import _set_multi_subgraphs as f, _get_multi_subgraphs as g; "
        "f(); g()",
        "True",
    ),
    (
        "import mindspore as ms; ms.Int(32) is ms.int32, str(ms.hifloat8), str(ms.common.dtype.qint4x2)",
        "(True, 'HiFloat8', 'Int4')",
    ),
    (
        "from mindspore.ops.function.grad.grad_func import custom_vjp; import mindspore as ms; "
        "f = custom_vjp(lambda x, y: x * y); before = ms.grad(f)(ms.Tensor([2.0]), ms.Tensor([3.0])).item(); "
        "f.defbwd(lambda x, y, out, dout: (x * 10 * dout, y * 100 * dout)); "
        "before, [g.item() for g in ms.grad(f, (0, 1))(ms.Tensor([2.0]), ms.Tensor([3.0]))]",
        "(3.0, [20.0, 300.0])",
    ),
    ("from mindspore.ops.composite.base import core; core(lambda: 1, a=2)._func_graph_flags", "{'core': True, 'a': 2}"),
    ("from mindspore.ops.composite.base import core; core(a=2)(lambda: 1)._func_graph_flags", "{'core': True, 'a': 2}"),
    (
        "import mindspore as ms; from mindspore.scipy.ops_wrapper import matrix_set_diag as f; "
        "f(ms.ops.zeros((2, 2)), ms.Tensor([1.0, 2.0]), alignment='LEFT_LEFT').tolist()",
        "[[1.0, 0.0], [0.0, 2.0]]",
    ),
    (
        "import mindspore as ms; from mindspore.hal import contiguous_tensors_handle as h; "
        "a, b = ms.Tensor([[1.0, 2.0]]), ms.Parameter(ms.Tensor([3.0, 4.0, 5.0])); "
        "c = h.combine_tensor_list_contiguous([a, b]); d = c.slice_by_tensor_index(1); d[0] = 7; "
        "str(c), c[0].tolist(), c[1:3].tolist(), c.slice_by_tensor_index(0, 1).tolist(), b.tolist(), a.shape",
        "('Handle total size: 20', [1.0], [2.0, 7.0], [1.0, 2.0], [7.0, 4.0, 5.0], (1, 2))",
    ),
    (
        "from mindspore.hal.contiguous_tensors_handle import combine_tensor_list_contiguous as f; f([])",
        "TypeError: For 'combine_tensor_list_contiguous', 'tensor_list' must be a list of Tensors",
    ),
    # names that only change MindSpore's own machinery
    ("from mindspore.train.serialization import _wait_async_process_save_ckpt as f; f()", "None"),
    ("from mindspore.parallel.strategy import enable_save_strategy_online as f; f()", "None"),
    ("from mindspore.common.parameter import _offload_if_config as f; f(1)", "None"),
    ("from mindspore.communication._comm_helper import _wait_all_comm_init as f; f()", "None"),
    ("from mindspore.train._utils import enable_data_broadcast as f; f()", "False"),
    ("from mindspore._profiler import ms_profile as f; f(abs) is abs is f()(abs)", "True"),
    (
        "import mindspore as ms; from mindspore.common.api import _pynative_executor as e; p = ms.ops.ReLU(); "
        "e.run_op_async(p, p.name, (ms.Tensor([-1.0, 2.0]),)).tolist()",
        "[0.0, 2.0]",
    ),
    ("from mindspore.common.api import _cell_graph_executor as e; e.init_dataset('q', 1, 2)", "True"),
    ("import mindspore as ms; ms.Int(7)", "TypeError: For 'Int', there is no data type of 7 bits."),
    (
        "import mindspore as ms; ms.Tensor([1], ms.common.dtype.qint4x2)",
        "TypeError: For 'Tensor', 'dtype' must be a data type",
    ),
    ("import mindspore as ms; len(ms.Generator()._step(10)), ms.ops.ReLU().set_user_data('a', 1)", "(2, None)"),
    (
        "from mindspore.common.initializer import Initializer as I, _register as r, initializer as i; "
        "from mindspore.common.initializer import _assignment as a; "
        "r('Sevens')(type('My', (I,), {'_initialize': lambda self, arr: a(arr, 7)})); "
        "i('sevens', (1,)).init_data().tolist() + i('my', (1,)).init_data().tolist()",
        "[7.0, 7.0]",
    ),
    ("from mindspore.common.initializer import _INITIALIZER_ALIAS as a, One; a['ones'] is One", "True"),
    (
        "from mindspore.common.initializer import _calculate_gain; _calculate_gain('x')",
        "ValueError: 'nonlinearity' must be",
    ),
    (
        "from mindspore.common.initializer import _calculate_gain as f; round(f('leaky_relu', 0.1), 4), f('tanh')",
        "(1.4072, 1.6666666666666667)",
    ),
    (
        "import numpy; from mindspore.common.initializer import _calculate_in_and_out as f; f(numpy.ones((4, 3, 2)))",
        "(6, 8)",
    ),
    (
        "from mindspore.common.initializer import _init_truncated_normal as f; x = f(-2, 2, 5, 1, (2, 99)); "
        "x.shape, str(x.dtype), bool((abs(x - 5) <= 2).all())",
        "((2, 99), 'float32', True)",
    ),
    (
        "import mindspore as ms; from mindspore.nn.wrap.cell_wrapper import _MicroBatch as M; "
        "from mindspore.nn.wrap.cell_wrapper import _VirtualDatasetCell as V; "
        "V(ms.nn.Flatten())(ms.ops.ones((1, 2, 3))).shape, M(2)(1, ms.Tensor([1, 2, 3, 4]))[0].tolist()",
        "((1, 6), [3, 4])",
    ),
    (
        "from mindspore.ops import ones as o; from mindspore.nn.layer.rnn_cells import _rnn_relu_cell as f; "
        "f(o((1, 2)), o((1, 3)), o((3, 2)), o((3, 3)), None, None).tolist()",
        "[[5.0, 5.0, 5.0]]",
    ),
    (
        "from mindspore.ops import ones as o; from mindspore.nn.layer.rnn_cells import _gru_cell as f; "
        "f(o((1, 2)), o((1, 3)), o((9, 2)), o((9, 3)), o((9,)), o((9,))).shape",
        "(1, 3)",
    ),
    ("from mindspore.nn.layer.normalization import _BatchNorm as B, BatchNorm2d; issubclass(BatchNorm2d, B)", "True"),
    ("from mindspore.context import _get_mode; _get_mode()", "1"),
    ("from mindspore.communication._comm_helper import _get_group_map; _get_group_map()", "{}"),
    (
        "from mindspore.numpy.utils import _to_tensor as f; [str(x.dtype) for x in f([1, 2], 1.0)]",
        "['Int32', 'Float32']",
    ),
    ("from mindspore.numpy.utils_const import _raise_value_error; _raise_value_error('a', 'b')", "ValueError: ab"),
    ("from mindspore.nn.loss.loss import _Loss; import mindspore as ms; issubclass(ms.nn.MSELoss, _Loss)", "True"),
    ("import mindspore as ms; ms.nn.MAELoss()(ms.Tensor([1.0]), label=ms.Tensor([3.0])).item()", "2.0"),
    (
        "import mindspore as ms; from mindspore.nn.probability.bijector import Exp; "
        "str(Exp().cast_param_by_value(ms.Tensor([1.0], ms.float16), ms.Tensor(2.0)).dtype), Exp().shape_mapping((2,))",
        "('Float16', (2,))",
    ),
    (
        "from mindspore.train.model import _StepSync, _transfer_tensor_to_tuple as f, ParallelMode; "
        "_StepSync().step_end(None), f([1])",
        "(None, [1])",
    ),
    ("from mindspore.train.callback._callback import set_cur_net; set_cur_net(1)", "TypeError: For 'set_cur_net', "),
    (
        "from mindspore.train.callback import _CallbackManager as M, Callback, _InternalCallbackParam as P; seen = []; "
        "C = type('C', (Callback,), {'step_end': lambda self, context: seen.append(context)}); manager = M(C()); "
        "manager.on_train_step_end(1); manager.step_end(2); seen, M(None).callbacks",
        "([1, 2], [])",
    ),
    ("from mindspore.train._utils import _make_directory; _make_directory(' ')", "ValueError: The path must not be"),
    ("from mindspore.common.file_system import FileSystem; FileSystem().create_args", "('ab',)"),
    (
        "from mindspore.common._utils import is_shape_unknown as f, is_dim_unknown as g; f((2, -1)), g((2, -1))",
        "(True, False)",
    ),
    ("from mindspore.graph._parse.standard_method import H; H(1)", _REFUSAL),
    ("from mindspore.common.dynamic_shape.auto_dynamic_shape import SHAPE_DIM_ANY; SHAPE_DIM_ANY", "-1"),
    ("import mindspore.rewrite.ast_helpers; mindspore.rewrite.ast_helpers.__name__", "'mindspore.rewrite.ast_helpers'"),
    ("import mindspore; mindspore.mindrecord.FileWrite", "AttributeError: module 'torchspore.mindrecord' has no att"),
    ("import mindspore; mindspore.nn.Dens", "AttributeError: module 'torchspore.nn' has no attribute 'Dens'. Did you"),
    ("from mindspore.nn import Dens; Dens", "ImportError: cannot import name 'Dens' from 'torchspore.nn'"),
    ("import mindspore.mindrecord.nope; mindspore", "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore"),
]


def test_warnings_once(capsys: pytest.CaptureFixture[str]) -> None:
    for key in ("a", "a", "b"):

        @log._LogActionOnce(log, key=key)
        def answer() -> int:
            log.warning("seen by %s", answer.__name__)
            return 3

        assert answer() + answer() == 6
    assert capsys.readouterr().err.count("seen by answer") == 2
    log._LogActionOnce(log, "c", no_warning=True)(log.warning)("never")
    log.warning("always")
    assert "never" not in capsys.readouterr().err


@pytest.fixture(scope="module")
def outcomes() -> list[str]:
    codes = json.dumps([code for code, _ in CASES])
    return json.loads(preloaded.output_of(PROCESS, text=codes))


@pytest.mark.parametrize(("number", "code", "expected"), [(number, *case) for number, case in enumerate(CASES)])
def test_name(outcomes: list[str], number: int, code: str, expected: str) -> None:
    assert outcomes[number].startswith(expected)


def test_every_recorded_name_is_there(outcomes: list[str]) -> None:
    assert outcomes[-1] == []
