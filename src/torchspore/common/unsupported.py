"""The names of MindSpore's API that cannot be supported: why, and what to use instead.

`tools/write_unsupported.py` makes a page of it, and the packages make objects of it that refuse to be used.
"""

from __future__ import annotations

__all__ = ["REASONS", "unsupported"]

# By package: what to say of names, and the names. {name} stands for the name.
REASONS = {
    "ops": {
        "it splits the rows and columns of images over processes. Use `ops.NeighborExchange`.": "NeighborExchangeV2",
        "it is a step of MindSpore's automatic parallel training. Use `ops.AlltoAll` and `ops.AllGather`.": """
            Reshard _AllSwap reshard
        """,
        "it is one kernel on Ascend cards. Use `ops.AllGather` or `ops.ReduceScatter` and `ops.matmul`.": """
            all_gather_matmul matmul_reduce_scatter
        """,
        "it is a kernel of Ascend cards. Use `ops.AlltoAllV` and `ops.moe_token_permute`.": """
            moe_distribute_combine moe_distribute_dispatch
        """,
        "there are no parameter servers. Keep the parameters in the process.": """
            MapCacheIdx Pull Push make_map_parameter
        """,
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
        "it is a kernel that MindSpore's compiler puts in. Use `ops.ApplyMomentum` with the scaled and "
        "decayed gradient.": """
            FusedWeightScaleApplyMomentum
        """,
        "it describes kernels for MindSpore's own compilers. Write them with torch.library or as torch "
        "extensions, and call them with the tensors' torch tensors, `tensor.torch`.": """
            AiCPURegOp AkgAscendRegOp AkgGpuRegOp CpuRegOp CustomOpBuilder CustomRegOp DataType TBERegOp _ms_pyfunc
            custom_info_register get_vm_impl_fn kernel ms_kernel op_info_register tensor_operator_registry
            vm_impl_registry
        """,
        "it serves MindSpore's compiler. Use Python's own control flow: it is captured as it is.": """
            GeSwitch Merge geswitch merge switch switch_layer
        """,
        "it serves MindSpore's compiler. Use `ms.grad` and `ms.vmap`.": "J _Grad _Vmap recompute_block",
        "it serves MindSpore's compiler; Python itself does what it does there.": """
            DtypeToEnum PyExecute SliceGetItem UpdateState _add_attr array_reduce array_to_scalar
            broadcast_gradient_args distribute embed env_get environ_add environ_create environ_get environ_set
            hastype is_dynamic_sequence_element_unknown is_sequence_shape_unknown is_sequence_value_unknown
            is_tensor_bool_cond isconstant iter_converter ms_hasnext ms_next ref_to_embed tail tuple_div typeof
            zip_operation
        """,
        "it serves MindSpore's data queues. Iterate over the dataset.": "GetNext",
        "it has another name. Use `ops.TensorShape`.": "DynamicShape",
        "it serves MindSpore's in-place slices. Use `tensor[index] = value`.": "CopyWithSlice",
    },
    "ops.auto_generate": {
        "it is a kernel of Ascend cards for quantised numbers. Use tensors of floating point types.": """
            DequantSwigluQuant DynamicBlockQuant DynamicQuantExt FFNExt KvScaleCache QuantBatchMatmul
            QuantLinearSparse QuantMatmul QuantV2 WeightQuantBatchMatmul
        """,
        "it moves memory between cards and hosts. Use `tensor.to` and `mint.distributed`.": """
            CopyToDevice CopyToHost CreateSymmetricMemory Detach Free GetData GetMem InplaceToDevice PutMem
            PutMemSignal SignalOp SignalWaitUntil ToDevice UpdateToDevice UpdateToRemote
        """,
        "it reads a register of Ascend cards. Test tensors with `ops.isfinite`.": """
            NPUClearFloatStatusV2 NPUGetFloatStatusV2 SilentCheckV2 SilentCheckV3 GenerateEodMaskV2
        """,
        "it is a kernel of Ascend cards for experts. Use `ops.topk`, `ops.moe_token_permute` and `GroupedMatmul`.": """
            FusedAddTopKDiv InnerMoeTokenUnpermute MoeGatingTopKSoftmax MoeInitRouting TopKRouter TopPRouter
        """,
        "it is a kernel of Ascend cards. Use `ops.flash_attention_score` and the operations of `ops`.": """
            AddLayerNormV2 DynamicNTK KVCacheScatterUpdate MatmulAllReduceAddRmsNorm Mla MlaPreprocess
            MultiScaleDeformableAttn TransposeBatchMatmulTranspose
        """,
        "it is a part of an optimizer's kernel for Ascend cards. Use `nn.AdamWeightDecay` or `mint.optim.AdamW`.": """
            ApplyAdamW ApplyCamePart1 ApplyCamePart2 ApplyCamePart3 ApplyCamePart4
        """,
        "it takes numbers of MindSpore's own generator. Use the function of `mint` or the tensor's method.": """
            Dropout2dExt DropoutDoMaskExt DropoutGenMaskExt FuncDropoutExt InplaceBernoulliScalar
            InplaceBernoulliTensor InplaceExponential InplaceRandom NormalFloatFloat NormalFloatTensor
            NormalTensorFloat NormalTensorTensor RandIntLike
        """,
        "it returns what its kernel needs for gradients, too. Use `ops.cross_entropy` or `ops.nll_loss`.": """
            CrossEntropyLoss NLLLoss2d
        """,
        "it serves MindSpore's compiler; Python itself does what it does there.": """
            AShardIdentity Generator IsDimUnKnown SequenceConcat SetData ShardIdentity StringToEnum
        """,
    },
    "Tensor": {
        "it serves MindSpore's own machinery. Use 'assign_value'.": "assign_value_cpp",
        "it serves MindSpore's own machinery. Results are synchronized when they are read, with 'asnumpy' or "
        "'item'.": """
            data_sync
        """,
        "it serves MindSpore's own machinery. Memory is free when the last reference to a tensor is gone: 'del x'.": """
            delete_
        """,
        "it serves MindSpore's own machinery. Use 'move_to' for another device, 'asnumpy' and NumPy for files.": """
            offload
        """,
        "it serves MindSpore's own machinery. Tensors are not offloaded to files.": "offload_file_path",
        "it serves MindSpore's own machinery. Keep what 'register_hook' returns and call its 'remove'.": "remove_hook",
        "it serves MindSpore's own machinery. Name what to differentiate in 'ms.grad', or set 'requires_grad'"
        " of a Parameter.": """
            requires_grad_
        """,
        "it serves MindSpore's own machinery. Use 'to_float' of a Cell for mixed precision, 'astype' for one "
        "tensor.": """
            set_cast_dtype
        """,
        "it serves MindSpore's own machinery. Use 'set_' to take over the memory of another tensor.": """
            set_device_address
        """,
        "it serves MindSpore's own machinery. Set the attributes of the Parameter.": "set_param_info",
        "it serves MindSpore's own machinery. Operations run in the order of the program.": "wait_pipeline",
    },
}


def unsupported(package: str) -> dict[str, str]:
    """Return the names of a package that are not supported, each with its reason."""
    return {name: reason for reason, names in REASONS[package].items() for name in names.split()}
