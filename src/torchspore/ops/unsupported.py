"""Names of MindSpore's operations that cannot be supported: using one says why, and what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from torchspore.engine.primitive import Primitive

# The names, and what to say of them; {name} stands for the name.
_REASONS = {
    # Several processes
    "a program is one process. Start several with torchrun, and use torch.distributed with the tensors' torch "
    "tensors, `tensor.torch`.": """
        AllGather AllGatherV AllReduce AlltoAll AlltoAllV AlltoAllVC Barrier BatchISendIRecv Broadcast
        CollectiveGather CollectiveScatter NeighborExchange NeighborExchangeV2 Receive Reduce ReduceScatter
        ReduceScatterV Reshard Send TCPStore _AllSwap
        all_gather_matmul all_to_all_v_c gather_into_tensor matmul_reduce_scatter moe_distribute_combine
        moe_distribute_dispatch reshard scatter_tensor set_comm_ops_inplace
    """,
    "a program is one process. `mint.distributed.{name}` says what there is in one, and what to use for several.": """
        P2POp all_gather all_gather_into_tensor all_gather_into_tensor_uneven all_gather_object all_reduce all_to_all
        all_to_all_single barrier batch_isend_irecv broadcast broadcast_object_list destroy_process_group gather_object
        get_backend get_global_rank get_group_rank get_process_group_ranks get_rank get_world_size init_process_group
        irecv is_available is_initialized isend new_group recv recv_object_list reduce reduce_scatter
        reduce_scatter_tensor reduce_scatter_tensor_uneven scatter_object_list send send_object_list
    """,
    "there are no parameter servers. Keep the parameters in the process.": "MapCacheIdx Pull Push make_map_parameter",
    # Ascend cards
    "it reads a register of Ascend cards. Test tensors with `ops.isfinite`.": """
        NPUAllocFloatStatus NPUClearFloatStatus NPUGetFloatStatus
    """,
    "it is a kernel of Ascend cards for caches in pages. Use `ops.incre_flash_attention` with whole caches.": """
        PagedAttention PagedAttentionMask ReshapeAndCache
    """,
    "it is a kernel of Ascend cards. Use `ops.flash_attention_score`.": """
        fused_infer_attention_score lightning_indexer nsa_compress nsa_compress_attention nsa_select_attention
        ring_attention_update sparse_flash_attention speed_fusion_attention
    """,
    "it is a kernel of Ascend cards. Use `ops.rotary_position_embedding`.": "ApplyRotaryPosEmb",
    "it is a kernel of Ascend cards. Use `ops.topk` and `ops.moe_token_permute`.": "GroupTopk moe_init_routing_v2",
    "it is a kernel of Ascend cards. Use `ops.grid_sample` and `ops.iou`.": """
        multi_scale_deformable_attn_function rotated_iou
    """,
    "it is a kernel that MindSpore's compiler puts in. Use `ops.ApplyMomentum` with the scaled and decayed "
    "gradient.": "FusedWeightScaleApplyMomentum",
    # Kernels of one's own
    "it describes kernels for MindSpore's own compilers. Write them with torch.library or as torch extensions, and "
    "call them with the tensors' torch tensors, `tensor.torch`.": """
        AiCPURegOp AkgAscendRegOp AkgGpuRegOp CpuRegOp CustomOpBuilder CustomRegOp DataType TBERegOp
        custom_info_register get_vm_impl_fn kernel ms_kernel op_info_register
    """,
    # MindSpore's compiler
    "it serves MindSpore's compiler. Use Python's own control flow: it is captured as it is.": """
        GeSwitch Merge geswitch merge switch switch_layer
    """,
    "it serves MindSpore's compiler. Use `ms.grad` and `ms.vmap`.": "J _Grad _Vmap recompute_block",
    "it serves MindSpore's compiler; Python itself does what it does there.": """
        DtypeToEnum PyExecute SliceGetItem UpdateState array_reduce array_to_scalar broadcast_gradient_args distribute
        embed env_get environ_add environ_create environ_get environ_set hastype is_dynamic_sequence_element_unknown
        is_sequence_shape_unknown is_sequence_value_unknown is_tensor_bool_cond isconstant iter_converter ms_hasnext
        ms_next ref_to_embed tail tuple_div typeof zip_operation
    """,
    "it serves MindSpore's data queues. Iterate over the dataset.": "GetNext",
    "it has another name. Use `ops.TensorShape`.": "DynamicShape",
    "it serves MindSpore's in-place slices. Use `tensor[index] = value`.": "CopyWithSlice",
}

UNSUPPORTED = {name: reason for reason, names in _REASONS.items() for name in names.split()}


class ReduceOp:
    """The names of reductions over processes.

    MindSpore: `mindspore.ops.ReduceOp`.
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


def _refusing(name: str) -> Any:
    """Return a class or a function that refuses to be used."""
    reason = UNSUPPORTED[name].format(name=name)
    message = f"For '{name}', {reason}"

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(message)

    def refuse_to_be_made(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(message)

    doc = f"Not supported: {reason}\n\nMindSpore: `mindspore.ops.{name}`.\n"
    if name.lstrip("_")[0].isupper():
        return type(name, (Primitive,), {"__init__": refuse_to_be_made, "__doc__": doc, "__module__": __name__})
    function: Callable[..., NoReturn] = refuse
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


globals().update({name: _refusing(name) for name in UNSUPPORTED})

__all__ = ["ReduceOp", *UNSUPPORTED]
