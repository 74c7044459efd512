"""Data, devices, gradients, precision, and processes: what surrounds a network."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["DATA", "DEVICES", "DISTRIBUTED", "GRADIENTS"]

DATA: tuple[Row, ...] = (
    Row(
        "torch.utils.data.DataLoader",
        "mindspore.dataset.GeneratorDataset",
        {"dataset": "source", "num_workers": "num_parallel_workers"},
        {
            "pin_memory": "False",
            "timeout": "0",
            "worker_init_fn": "None",
            "multiprocessing_context": "None",
            "generator": "None",
            "prefetch_factor": "None",
            "persistent_workers": "False",
            "pin_memory_device": "''",
            "in_order": "True",
        },
        mindspore_form=(
            "mindspore.dataset.GeneratorDataset({dataset}, column_names, shuffle={shuffle}, "
            "sampler={sampler}).batch({batch_size}, drop_remainder={drop_last})"
        ),
        note="Name the columns; collate_fn becomes per_batch_map of batch.",
    ),
    Row(
        "torch.utils.data.Dataset",
        "mindspore.dataset.GeneratorDataset",
        note="A class with __getitem__ and __len__ is a source of GeneratorDataset; it needs no base class.",
    ),
    Row(
        "torch.utils.data.IterableDataset",
        "mindspore.dataset.GeneratorDataset",
        note="A class with __iter__, or a generator, is a source of GeneratorDataset; it needs no base class.",
    ),
    Row(
        "torch.utils.data.TensorDataset",
        "mindspore.dataset.NumpySlicesDataset",
        mindspore_form="mindspore.dataset.NumpySlicesDataset(({tensors},), shuffle=False)",
        note="Give it arrays: tensor.asnumpy().",
    ),
    Row(
        "torch.utils.data.ConcatDataset",
        "mindspore.dataset.ConcatDataset",
        note="Of datasets of MindSpore, not of sources.",
    ),
    Row(
        "torch.utils.data.random_split",
        "mindspore.dataset.Dataset.split",
        {"lengths": "sizes"},
        mindspore_form="{dataset}.split({lengths})",
        note="A method of datasets of MindSpore.",
    ),
    Row(
        "torch.utils.data.Subset",
        "mindspore.dataset.SubsetSampler",
        mindspore_form="mindspore.dataset.SubsetSampler({indices})",
        note="The sampler of a dataset.",
    ),
    Row("torch.utils.data.Sampler", "mindspore.dataset.Sampler"),
    Row(
        "torch.utils.data.SequentialSampler",
        "mindspore.dataset.SequentialSampler",
        mindspore_form="mindspore.dataset.SequentialSampler()",
    ),
    Row(
        "torch.utils.data.RandomSampler",
        "mindspore.dataset.RandomSampler",
        mindspore_form="mindspore.dataset.RandomSampler({replacement}, {num_samples})",
    ),
    *same("torch.utils.data", "mindspore.dataset", "SubsetRandomSampler WeightedRandomSampler"),
    Row(
        "torch.utils.data.DistributedSampler",
        "mindspore.dataset.DistributedSampler",
        {"num_replicas": "num_shards", "rank": "shard_id"},
        {"dataset": "REMOVED", "seed": "0", "drop_last": "False"},
        note="num_shards and shard_id must be given.",
    ),
    Row(
        "torch.utils.data.distributed.DistributedSampler",
        "mindspore.dataset.DistributedSampler",
        {"num_replicas": "num_shards", "rank": "shard_id"},
        {"dataset": "REMOVED", "seed": "0", "drop_last": "False"},
        note="num_shards and shard_id must be given.",
    ),
    *absent("torch.utils.data", "Give batch_size and drop_remainder to batch of the dataset.", "BatchSampler"),
    *absent(
        "torch.utils.data", "Zip or concatenate datasets of MindSpore with `zip` and `+`.", "ChainDataset StackDataset"
    ),
    *absent(
        "torch.utils.data",
        "The method batch of a dataset stacks the arrays; per_batch_map does more.",
        """
        default_collate default_convert
    """,
    ),
    *absent(
        "torch.utils.data", "Each worker calls the source; it does not know which worker it is.", "get_worker_info"
    ),
    *absent(
        "torch.utils.data",
        "Chain the methods of a dataset: map, batch, shuffle, repeat.",
        """
        DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation functional_datapipe
        guaranteed_datapipes_determinism non_deterministic runtime_validation runtime_validation_disabled
    """,
    ),
    Row(
        "torch.utils.checkpoint.checkpoint",
        "mindspore.recompute",
        {"function": "block"},
        {
            "use_reentrant": "None",
            "context_fn": "None",
            "determinism_check": "'default'",
            "debug": "False",
            "early_stop": "True",
        },
        {"use_reentrant": "False"},
    ),
    Row(
        "torch.utils.checkpoint.checkpoint",
        "mindspore.nn.Cell.recompute",
        note="Call recompute() of the cell once, or mindspore.recompute(block, *inputs) in construct.",
    ),
    Row(
        "torch.utils.tensorboard.SummaryWriter",
        "mindspore.SummaryRecord",
        note="add_value(plugin, name, value) and record(step) take the place of add_scalar.",
    ),
)

_SCOPE = "Nothing is recorded outside mindspore.grad and value_and_grad: remove it there; use ops.stop_gradient inside."

GRADIENTS: tuple[Row, ...] = (
    *absent(
        "torch", _SCOPE, "no_grad inference_mode enable_grad set_grad_enabled is_grad_enabled is_inference_mode_enabled"
    ),
    *absent("torch.autograd", _SCOPE, "no_grad inference_mode enable_grad set_grad_enabled"),
    Row(
        "torch.autograd.grad",
        "mindspore.grad",
        note="mindspore.grad takes a function and returns one: grad(function)(*inputs).",
    ),
    Row("torch.autograd.backward", None, note="Write the loss as a function, and call mindspore.value_and_grad."),
    Row(
        "torch.autograd.Function",
        None,
        note="Write a Cell with bprop(self, *inputs, out, dout). Rewritten code has mindspore.common._grad_function.",
    ),
    Row("torch.autograd.Variable", "mindspore.Tensor", note="PyTorch itself deprecates it."),
    *absent("torch.autograd", "torchspore.debug.check_gradients does so.", "gradcheck gradgradcheck"),
    *absent("torch.autograd", "torchspore.debug.find_nonfinite does more.", "detect_anomaly set_detect_anomaly"),
    Row("torch.func.grad", "mindspore.grad", {"func": "fn", "argnums": "grad_position"}),
    Row(
        "torch.func.vmap",
        "mindspore.vmap",
        {"func": "fn", "in_dims": "in_axes", "out_dims": "out_axes"},
        {"randomness": "'error'", "chunk_size": "None"},
    ),
    Row("torch.func.jvp", "mindspore.jvp", {"func": "fn", "primals": "inputs", "tangents": "v"}, {"strict": "False"}),
    Row("torch.func.vjp", "mindspore.vjp", {"func": "fn", "primals": "inputs"}),
    Row(
        "torch.func.jacrev",
        "mindspore.jacrev",
        {"func": "fn", "argnums": "grad_position"},
        {"chunk_size": "None", "_preallocate_and_copy": "False"},
    ),
    Row(
        "torch.func.jacfwd",
        "mindspore.jacfwd",
        {"func": "fn", "argnums": "grad_position"},
        {"randomness": "'error'"},
    ),
    *absent(
        "torch",
        "Call mindspore.amp.auto_mixed_precision(network, 'O1') once, or to_float of a cell.",
        """
        autocast amp.autocast cuda.amp.autocast
    """,
    ),
    *(
        Row(
            f"torch.{name}",
            "mindspore.amp.DynamicLossScaler",
            to_mindspore={
                "scale_value": "{init_scale}",
                "scale_factor": "{growth_factor}",
                "scale_window": "{growth_interval}",
            },
            to_torch={
                "init_scale": "{scale_value}",
                "growth_factor": "{scale_factor}",
                "growth_interval": "{scale_window}",
            },
            only_torch={"device": "'cuda'", "backoff_factor": "0.5", "enabled": "True"},
            note="scale the loss, unscale the gradients, and adjust by mindspore.amp.all_finite(grads).",
        )
        for name in ("amp.GradScaler", "cuda.amp.GradScaler")
    ),
    Row(
        "torch.jit.script",
        "mindspore.jit",
        {"obj": "function"},
        {"optimize": "None", "_frames_up": "0", "_rcb": "None", "example_inputs": "None"},
    ),
    Row("torch.jit.trace", "mindspore.jit", mindspore_form="mindspore.jit({func})"),
    *absent(
        "torch.jit",
        "Use mindspore.export(net, *inputs, file_name=..., file_format='MINDIR') and mindspore.load.",
        "save load",
    ),
    Row(
        "torch.onnx.export",
        "mindspore.export",
        note="mindspore.export(net, *inputs, file_name=..., file_format='ONNX').",
    ),
)

_ON_DEVICE = "MindSpore has one device, which mindspore.set_device chooses; remove it."

DEVICES: tuple[Row, ...] = (
    *same(
        "torch.cuda",
        "mindspore.runtime",
        """
        Stream current_stream default_stream empty_cache synchronize stream memory_stats
        max_memory_allocated max_memory_reserved memory_allocated memory_reserved
        reset_max_memory_allocated reset_peak_memory_stats
    """,
        note="Of the chosen device; the functions take no device.",
    ),
    Row("torch.cuda.memory_summary", "mindspore.runtime.memory_summary", only_torch={"abbreviated": "False"}),
    Row("torch.cuda.Event", "mindspore.runtime.Event", only_torch={"interprocess": "False", "external": "False"}),
    Row("torch.cuda.set_device", "mindspore.set_device", mindspore_form="mindspore.set_device('GPU', {device})"),
    Row("torch.cuda.device_count", "mindspore.hal.device_count", mindspore_form="mindspore.hal.device_count('GPU')"),
    Row("torch.cuda.is_available", "mindspore.hal.is_available", mindspore_form="mindspore.hal.is_available('GPU')"),
    Row(
        "torch.cuda.is_initialized",
        "mindspore.hal.is_initialized",
        mindspore_form="mindspore.hal.is_initialized('GPU')",
    ),
    *(
        Row(
            f"torch.cuda.{name}",
            f"mindspore.hal.{name}",
            mindspore_form=f"mindspore.hal.{name}({{device}}, 'GPU')",
            note="Name the number of the device.",
        )
        for name in ("get_device_capability", "get_device_name", "get_device_properties")
    ),
    *same("torch.cuda", "mindspore", "manual_seed:set_seed manual_seed_all:set_seed"),
    *absent("torch.cuda", _ON_DEVICE, "device device_of current_device init ipc_collect"),
    *absent(
        "torch.cuda", "MindSpore captures graphs itself, with mindspore.jit.", "CUDAGraph graph make_graphed_callables"
    ),
    *absent(
        "torch.cuda", "Use mindspore.runtime.memory_stats().", "mem_get_info memory_usage memory_snapshot utilization"
    ),
    *absent(
        "torch.backends.cudnn",
        "Use mindspore.set_deterministic(True) for equal results; remove the rest.",
        """
        benchmark deterministic enabled allow_tf32
    """,
    ),
)

DISTRIBUTED: tuple[Row, ...] = (
    *same(
        "torch.distributed",
        "mindspore.mint.distributed",
        """
        ReduceOp TCPStore all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all
        all_to_all_single batch_isend_irecv destroy_process_group get_backend get_global_rank get_group_rank
        get_process_group_ranks get_rank get_world_size is_available is_initialized reduce_scatter
        reduce_scatter_tensor
    """,
    ),
    Row("torch.distributed.P2POp", "mindspore.mint.distributed.P2POp", only_torch={"group_peer": "None"}),
    Row("torch.distributed.barrier", "mindspore.mint.distributed.barrier", only_torch={"timeout": "None"}),
    *same(
        "torch.distributed",
        "mindspore.mint.distributed",
        """
        broadcast broadcast_object_list irecv recv scatter scatter_object_list
    """,
        only_torch={"group_src": "None"},
    ),
    *same(
        "torch.distributed",
        "mindspore.mint.distributed",
        "gather gather_object isend reduce send",
        only_torch={"group_dst": "None"},
    ),
    Row(
        "torch.distributed.init_process_group",
        "mindspore.mint.distributed.init_process_group",
        only_torch={"_ranks": "None"},
        note="The backend of MindSpore is hccl, or nccl on GPUs, or mccl on CPUs.",
    ),
    Row(
        "torch.distributed.new_group",
        "mindspore.mint.distributed.new_group",
        only_torch={"device_id": "None", "sort_ranks": "True"},
    ),
    Row(
        "torch.distributed.recv_object_list",
        "mindspore.mint.distributed.recv_object_list",
        only_torch={"group_src": "None", "use_batch": "False"},
    ),
    Row(
        "torch.distributed.send_object_list",
        "mindspore.mint.distributed.send_object_list",
        only_torch={"group_dst": "None", "use_batch": "False"},
    ),
    Row(
        "torch.nn.parallel.DistributedDataParallel",
        "mindspore.nn.DistributedGradReducer",
        note="Call DistributedGradReducer(optimizer.parameters) with the gradients that value_and_grad returns.",
    ),
)
