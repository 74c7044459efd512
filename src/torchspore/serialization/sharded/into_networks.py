"""Values from files or slices of several ranks, for a network or for files of ranks."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import torch

from torchspore import parallel_context
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import wrap
from torchspore.engine.parameters import NotNegative, Positive, checked
from torchspore.engine.storage.encryption import check_key
from torchspore.engine.storage.writing import replacing_tree
from torchspore.nn.cell import Cell
from torchspore.ops.distributed.process_groups import get_rank
from torchspore.serialization.into_network import load_param_into_net
from torchspore.serialization.loading import new_parameter, read_file
from torchspore.serialization.saving import Format, write_file
from torchspore.serialization.sharded.layouts import ParameterLayout
from torchspore.serialization.sharded.slices import Cluster, joined, values_of_rank
from torchspore.serialization.sharded.strategy_files import stages_of
from torchspore.serialization.sharded.unified import read_unified
from torchspore.serialization.tensors import Stored

__all__ = ["load_distributed_checkpoint", "merge_sliced_parameter"]

_API = "load_distributed_checkpoint"


@checked
def load_distributed_checkpoint(
    network: Cell | None, checkpoint_filenames: list[str] | None = None,
    predict_strategy: dict[str, Any] | str | None = None, train_strategy_filename: str | None = None,
    strict_load: bool = False, dec_key: bytes | None = None, dec_mode: str = "AES-GCM", format: Format = "ckpt",
    unified_safetensors_dir: Any = None, dst_safetensors_dir: str | None = None,
    rank_id: NotNegative | None = None, output_format: Format = "safetensors",
    name_map: dict[Any, Any] | None = None, max_process_num: Positive = 64,
    return_param_dict: bool = False,
) -> Any:  # fmt: skip
    """Load the checkpoints of all ranks of a training into a network, which may be cut in another way.

    With `format` "safetensors", the values come from the folder that `unified_safetensors` has written. Where the
    network is None, they are cut and written to `dst_safetensors_dir`/rank_0/net.safetensors, ... instead.

    Args:
        network: the network, or None.
        checkpoint_filenames: the files in the order of the ranks. Default: None.
        predict_strategy: how the network is cut: a strategy file, or layouts by name, or lists that begin with a device
            matrix and a tensor map, as `Model.infer_predict_layout` of MindSpore returns them. Default: None, whole.
        train_strategy_filename: how the files are cut. Default: None, `strategy_ckpt_load_file` of
            `set_auto_parallel_context`.
        strict_load: as for `load_param_into_net`. Default: False.
        dec_key, dec_mode: as for `load_checkpoint`.
        format: "ckpt" or "safetensors". Default: "ckpt".
        unified_safetensors_dir: the folder of unified files. Default: None.
        dst_safetensors_dir: the folder for the files of ranks. Default: None.
        rank_id: the rank whose file is written. Default: None, all ranks. A network gets the part of its own process.
        output_format: the format of files of ranks. Default: "safetensors".
        name_map: new names of values by their names in the unified files. Default: None.
        max_process_num: a limit of parallel readers, of which there is one. Default: 64.
        return_param_dict: whether to return the values of the network. Default: False.

    Returns:
        True; for a network and unified files, the names that were not loaded, as `load_param_into_net` returns them;
        with `return_param_dict`, the parameters by name.

    Raises:
        ValueError: files are missing or damaged, their number differs from the training's ranks, or the strategies do
            not fit.
        RuntimeError: shapes or types do not match those in `network`.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> network = ms.nn.Dense(1, 2, has_bias=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0, -1))})
        ...     files = [f"{folder}/{rank}.ckpt" for rank in (0, 1)]
        ...     for rank, file in enumerate(files):
        ...         ms.save_checkpoint({"weight": ms.Tensor([[rank]], ms.float32)}, file)
        ...     ms.load_distributed_checkpoint(network, files, train_strategy_filename=f"{folder}/halves.ckpt")
        True
        >>> print(network.weight.asnumpy())
        [[0.]
         [1.]]
    """
    check_key(dec_key, dec_mode, "dec", _API)
    target = _target(predict_strategy)
    if format == "ckpt":
        if network is None:
            raise ValueError(f"For '{_API}', 'network' must be a Cell where 'format' is 'ckpt', but got None.")
        source, files = _files_of_training(checkpoint_filenames, train_strategy_filename, dec_key, dec_mode)
        values = values_of_rank(_API, source, target, _own_rank(target), files)
        loaded = _into(network, values, strict_load)
        return loaded[0] if return_param_dict else True
    if unified_safetensors_dir is None:
        raise ValueError(f"For '{_API}', 'unified_safetensors_dir' must be given where 'format' is 'safetensors'.")
    unified = {
        (name_map or {}).get(name, name): value for name, value in read_unified(_API, unified_safetensors_dir).items()
    }
    if network is not None:
        values = values_of_rank(_API, Cluster(), target, _own_rank(target), {0: unified})
        parameters, missing = _into(network, values, strict_load)
        return parameters if return_param_dict else missing
    if dst_safetensors_dir is None:
        raise ValueError(f"For '{_API}', 'dst_safetensors_dir' must be given where 'network' is None.")
    ranks = target.ranks if rank_id is None else [rank_id]
    with replacing_tree(dst_safetensors_dir) as folder:
        for rank in ranks:
            values = values_of_rank(_API, Cluster(), target, rank, {0: unified})
            os.makedirs(os.path.join(folder, f"rank_{rank}"))
            write_file(_API, os.path.join(folder, f"rank_{rank}", f"net.{output_format}"), values, output_format)
    return True


def _files_of_training(
    files: list[str] | None, strategy: str | None, dec_key: bytes | None, dec_mode: str
) -> tuple[Cluster, dict[int, Stored]]:
    if files is None:
        raise TypeError(f"For '{_API}', 'checkpoint_filenames' must be given where 'format' is 'ckpt'.")
    strategy = strategy or parallel_context.get_auto_parallel_context("strategy_ckpt_load_file") or None
    if strategy is None:
        raise ValueError(
            f"For '{_API}', give 'train_strategy_filename', or set 'strategy_ckpt_load_file' by "
            "'set_auto_parallel_context'."
        )
    source = Cluster.of_file(strategy, _API)
    if len(files) != len(source.ranks):
        raise ValueError(
            f"For '{_API}', 'checkpoint_filenames' must have one file for each of the {len(source.ranks)} ranks of "
            f"'{strategy}', but has {len(files)}."
        )
    for file in files:
        if not os.path.isfile(file):
            raise ValueError(f"For '{_API}', there is no file '{file}'. Check 'checkpoint_filenames'.")
    read = partial(read_file, _API, format="ckpt", wanted=lambda name: True, dec_key=dec_key, dec_mode=dec_mode)
    return source, {rank: read(file) for rank, file in enumerate(files)}


def _target(given: dict[str, Any] | str | None) -> Cluster:
    """Return the layouts of the network."""
    if given is None or isinstance(given, str):
        return Cluster.of_file(given, _API)
    try:
        cluster = Cluster(stages_of({name: _layout(layout) for name, layout in given.items()}))
        cluster.sizes()
    except ValueError as error:
        raise ValueError(f"For '{_API}', in 'predict_strategy', {error}.") from None
    return cluster


def _layout(given: Any) -> ParameterLayout:
    """Return a layout from a list: device matrix, tensor map, shape, field, whether parts are equal, shards."""
    if isinstance(given, ParameterLayout):
        return given
    if not isinstance(given, (list, tuple)) or not all(isinstance(part, (list, tuple)) for part in given[:2]):
        raise ValueError(f"a layout must be a list of a device matrix, a tensor map, ..., but is {given!r:.200}")
    if any(given[3:4]) or not all(given[4:5]) or any(given[5:6]):
        raise ValueError(f"the layout {given!r:.200} has unequal parts or shards of optimizers: write a file")
    return ParameterLayout(tuple(given[0]), tuple(given[1]))


def _own_rank(target: Cluster) -> int:
    return get_rank() if any(target.stages) else 0


def _into(network: Cell, values: Stored, strict_load: bool) -> tuple[dict[str, Any], Any]:
    parameters = {name: new_parameter(name, value) for name, value in values.items()}
    return parameters, load_param_into_net(network, parameters, strict_load)


@checked
def merge_sliced_parameter(
    sliced_parameters: list[Parameter], strategy: dict[str, ParameterLayout] | None = None
) -> Parameter:
    """Join slices of a parameter.

    Args:
        sliced_parameters: the slices in the order of the ranks, of the same name, data type and shape; without a
            strategy, their first sizes may differ.
        strategy: the layouts by name, as `build_searched_strategy` returns them. Default: None, slices along the first
            axis.

    Returns:
        A new parameter with the name of the slices.

    Raises:
        ValueError: names, data types or shapes differ, there are none, they have no axis, or their number is not
            the number of the strategy's devices.
        KeyError: the strategy has no layout of the parameter.

    Examples:
        >>> import torchspore as ms
        >>> slices = [ms.Parameter(ms.Tensor([[1.0]]), name="w"), ms.Parameter(ms.Tensor([[2.0]]), name="w")]
        >>> ms.merge_sliced_parameter(slices)
        Parameter (name=w, shape=(2, 1), dtype=Float32, requires_grad=True)
    """
    api = "merge_sliced_parameter"
    kinds = {(p.name, p.shape[1:], p.ndim, p.dtype) for p in sliced_parameters}
    if len(kinds) != 1 or not sliced_parameters[0].shape:
        raise ValueError(
            f"For '{api}', the slices must have one name, one data type and one shape but for the first axis, but got "
            f"{sliced_parameters!r:.500}."
        )
    first = sliced_parameters[0]
    values = [parameter._t.detach() for parameter in sliced_parameters]
    if strategy is None:
        return Parameter(wrap(torch.cat(values)), first.name, first.requires_grad)
    if first.name not in strategy:
        raise KeyError(f"For '{api}', 'strategy' has no layout of '{first.name}'.")
    layout = strategy[first.name]
    if layout.devices != len(values):
        raise ValueError(f"For '{api}', there must be a slice for each of {layout.devices} devices, not {len(values)}.")
    whole = joined(api, first.name, layout, dict(enumerate(values)))
    return Parameter(wrap(whole.clone()), first.name, first.requires_grad)
