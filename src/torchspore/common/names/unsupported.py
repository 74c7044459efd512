"""The names of MindSpore's API that cannot be supported: why, and what to use instead.

`tools/write_unsupported.py` makes a page of it, and the packages make objects of it that refuse to be used.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["REASONS", "refusing", "refusing_with", "unsupported"]

# By package: what to say of names, and the names. {name} stands for the name.
REASONS = {
    "ops": {
        "it is a step of MindSpore's automatic parallel training. Use `ops.AlltoAll` and `ops.AllGather`.": """
            Reshard _AllSwap reshard
        """,
        "there are no parameter servers. Keep the parameters in the process.": """
            MapCacheIdx Pull Push make_map_parameter
        """,
        "it reads a register of Ascend cards. Test tensors with `ops.isfinite`.": """
            NPUAllocFloatStatus NPUClearFloatStatus NPUGetFloatStatus
        """,
        "it describes kernels for MindSpore's own compilers. Write them with torch.library or as torch "
        "extensions, and call them with the tensors' torch tensors, `tensor.torch`.": "CustomOpBuilder _ms_pyfunc",
        "it serves MindSpore's compiler. Use Python's own control flow: it is captured as it is.": """
            GeSwitch Merge geswitch merge
        """,
        "it serves MindSpore's compiler. Use `ms.grad` and `ms.vmap`.": "J _Grad _Vmap recompute_block",
        "it serves MindSpore's compiler. Python itself does what it does there.": """
            DtypeToEnum PyExecute SliceGetItem UpdateState _add_attr array_reduce distribute embed env_get
            environ_add environ_create environ_get environ_set hastype iter_converter ms_hasnext ms_next
            ref_to_embed
        """,
        "it serves MindSpore's data queues. Iterate over the dataset.": "GetNext",
    },
    "ops.auto_generate": {
        "it is a kernel of Ascend cards for quantized numbers. Use tensors of floating point types.": """
            FFNExt KvScaleCache QuantLinearSparse
        """,
        "it moves memory between cards and hosts. Use `tensor.to` and `mint.distributed`.": """
            CopyToDevice CopyToHost CreateSymmetricMemory Detach Free GetData GetMem InplaceToDevice
            PutMem PutMemSignal SignalOp SignalWaitUntil ToDevice UpdateToDevice UpdateToRemote
        """,
        "it reads a register of Ascend cards. Test tensors with `ops.isfinite`.": """
            NPUClearFloatStatusV2 NPUGetFloatStatusV2 SilentCheckV2 SilentCheckV3 GenerateEodMaskV2
        """,
        "it is a kernel of Ascend cards. Use `ops.flash_attention_score` and the operations of `ops`.": """
            DynamicNTK MatmulAllReduceAddRmsNorm Mla MlaPreprocess
            TransposeBatchMatmulTranspose
        """,
        "it serves MindSpore's compiler. Python itself does what it does there.": """
            AShardIdentity Generator SetData ShardIdentity StringToEnum
        """,
    },
    "dataset.transforms": {
        "it loads a library written for MindSpore's C++ interface. Call a library by ctypes in a function of "
        "`map`.": "Plugin",
    },
    "dataset.vision": {
        "it decodes on Ascend cards. Use `vision.read_video`.": "VideoDecoder",
    },
    "nn": {
        "it adds up the gradients of 16 or more Ascend cards. Average them by `mint.distributed.all_reduce`.": """
            AdaSumByDeltaWeightWrapCell AdaSumByGradWrapCell
        """,
        "it reports to MindIO, a service of Ascend cards. Use the optimizer itself, and save checkpoints.": """
            OptTFTWrapper
        """,
    },
    "parallel": {
        "it follows MindSpore's automatic parallel training. Use `mint.distributed.broadcast`.": """
            parameter_broadcast sync_pipeline_shared_parameters
        """,
        "MindSpore's compiler cuts operations over devices. Use `mint.distributed` in the network.": """
            set_op_strategy_config
        """,
    },
    "parallel.mesh.hyper_parallel.internals": {
        "it is a rule of that library for one operation. DTensors follow torch's rules: call the operation with "
        "DTensors, or `custom_shard` for a function of their parts.": """
            ActivationWithAxisDistributedOp AddDistributedOp AllExtDistributedOp
            ArgMaxWithValueDistributedOp BaseBatchMatMulDistributedOp BatchMatMulDistributedOp
            BatchMatMulExtDistributedOp ConcatDistributedOp CumsumDistributedOp DistributedOp
            ElementWiseDistributedOp ElementWiseWithPartialDistributedOp EmbeddingDistributedOp
            ExpandAsDistributedOp ExpandDimsDistributedOp ExpandDistributedOp
            FlashAttentionScoreDistributedOp GatherDistributedOp GatherNdDistributedOp
            IndexSelectDistributedOp IsinDistributedOp LayerNormDistributedOp LinearDistributedOp
            MaskedScatterDistributedOp MatMulDistributedOp MatMulExtDistributedOp MaxDistributedOp
            MeanExtDistributedOp MultinomialDistributedOp NewOnesDistributedOp NormDistributedOp
            OneHotExtDistributedOp PadDistributedOp ProdExtDistributedOp ReduceExtDistributedOpBase
            ReduceMaxDistributedOp RepeatInterleaveDistributedOp ReshapeDistributedOp
            ScaledDotProductAttentionDistributedOp ScatterDistributedOp ScatterUpdateDistributedOp
            SliceDistributedOp SliceExtDistributedOp SortDistributedOp SplitDistributedOp
            SplitTensorDistributedOp SplitTensorViewDistributedOp SplitWithSizeDistributedOp
            SplitWithSizeViewDistributedOp SqueezeDistributedOp SumExtDistributedOp TopKDistributedOp
            TransposeDistributedOp TupleElementWiseDistributedOp UnbindDistributedOp
        """,
        "it is a step of that library's communication. Use `DTensor.redistribute`.": """
            RedistributionOperatorInfer TensorRedistribution
        """,
        "it is a part of that library's `hsdp`. Use `hsdp` or `fully_shard`.": """
            HSDPConfig HSDPConfigV2 MindSporeHSDPParam MindSporeHSDPScheduler MindSporeHSDPState OptimizerLevel
        """,
        "it cuts batches in that library's schedules. Use a schedule, such as `Schedule1F1B`.": "_MicroBatch",
        "it counts random numbers in the generators of Ascend cards. Use `set_seed` and the operations of "
        "`mint.distributed`.": "OffsetBasedRNGTracker _PhiloxState _calc_first_shard_size _calc_shard_info "
        "_calc_shard_linear_idx",
        "it moves results to the memory of the host. Use `recompute`.": """
            CheckpointPolicy SwapManager checkpoint_wrapper
        """,
        "its heads are cut by that library's rules. Use `ops.flash_attention_score` with DTensors.": """
            ParallelFlashAttention
        """,
    },
    "profiler": {
        "it profiles a whole program by MS_PROFILER_OPTIONS. Use `profiler.profile` in the program.": "EnvProfiler"
    },
    "runtime": {"it replays a log of MindSpore's own memory manager. Read `runtime.memory_stats`.": "memory_replay"},
    "safeguard": {
        "it hides weights by products that MindSpore's rewriting of the network's source undoes. Encrypt checkpoints: "
        "`save_checkpoint` has `enc_key`.": "load_obf_params_into_net obfuscate_ckpt"
    },
    "train": {
        "it writes files that only MindInsight reads. Save checkpoints, and evaluate around them.": "SummaryLandscape",
        "it serves clusters of Ascend cards. Save checkpoints with `ModelCheckpoint`, and go on with "
        "`ResumeTraining`.": "TrainFaultTolerance",
        "it cuts networks over Ascend cards. Use `export`.": "export_split_mindir",
        "it reads MindSpore's compiled graph. Use `FlopsUtilizationCollector` or `torch.utils.flop_counter`.": """
            flops_collection
        """,
    },
    "utils": {
        "it writes over the memory of a tensor. Use `tensor.set_`.": "_reuse_data_ptr",
        "it serves clusters of Ascend cards. Use `train.OnRequestExit`.": "ExitByRequest",
        "it serves clusters of Ascend cards. Save checkpoints with `train.ModelCheckpoint`.": """
            RSCPluginHandle TFTCommValue _tft_handler
        """,
        "it serves clusters of Ascend cards. Set TORCH_DISTRIBUTED_DEBUG=DETAIL, which compares the "
        "processes' exchanges.": "comm_exec_order_check runtime_execution_order_check",
        "it tests the hardware of Ascend cards. Use the tools of the device's maker.": "stress_detect",
    },
    "Tensor": {
        "it serves MindSpore's own machinery. Memory is free when the last reference to a tensor is gone:"
        " `del x`.": "delete_",
        "it serves MindSpore's own machinery. Keep what `register_hook` returns and call its `remove`.": "remove_hook",
        "it serves MindSpore's own machinery. Use `to_float` of a Cell for mixed precision, `astype` for "
        "one tensor.": "set_cast_dtype",
        "it serves MindSpore's own machinery. Use `set_` to take over the memory of another tensor.": """
            set_device_address
        """,
        "it serves MindSpore's own machinery. Set the attributes of the Parameter.": "set_param_info",
    },
}


def unsupported(package: str) -> dict[str, str]:
    """Return the names of a package that are not supported, each with its reason."""
    return {name: reason for reason, names in REASONS[package].items() for name in names.split()}


def refusing(package: str, name: str) -> Any:
    """Return a function, or for a name with a capital letter a class, that refuses to be used."""
    return refusing_with(name, unsupported(package)[name])


def refusing_with(name: str, reason: str) -> Any:
    """Do the same, for a name that `REASONS` does not have."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"For '{name}', {reason}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not supported: {reason}"
    if name[0].isupper():
        return type(name, (), {"__new__": refuse, "__doc__": refuse.__doc__})
    return refuse
