"""The layers and losses of torch.nn, and the methods of its modules."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["LAYERS", "MODULES"]

_MOMENTUM = {"momentum": "1 - {momentum}"}  # the weight of the old value in MindSpore, of the new one in PyTorch
_GROUPS = {"groups": "group", "bias": "has_bias"}
_PADDED = {"pad_mode": "'pad'"}
_ZEROS = {"padding_mode": "'zeros'"}
_RUNNING = {"bias": "True", "track_running_stats": "True"}
_INSTANCE = {"bias": "True", "track_running_stats": "False"}
_PAIRS = "A tuple as padding has two entries for each dimension, before and after."

LAYERS: tuple[Row, ...] = (
    *same(
        "torch.nn",
        "mindspore.mint.nn",
        """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d
        AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d Conv3d
        ConvTranspose2d CosineEmbeddingLoss CrossEntropyLoss Dropout Dropout2d ELU Embedding Flatten Fold GELU GLU
        Hardshrink Hardsigmoid Hardswish Identity KLDivLoss L1Loss LayerNorm Linear LogSigmoid LogSoftmax MSELoss
        MaxPool2d MaxUnpool2d Mish NLLLoss PReLU PixelShuffle ReLU ReLU6 ReflectionPad1d ReflectionPad2d
        ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU SiLU Sigmoid SmoothL1Loss
        SoftMarginLoss Softmax Softshrink Tanh Threshold Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d
        ZeroPad1d ZeroPad2d ZeroPad3d
    """,
    ),
    *same(
        "torch.nn",
        "mindspore.nn",
        """
        AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool2d AdaptiveMaxPool3d BCELoss
        BCEWithLogitsLoss CELU CTCLoss ChannelShuffle ConstantPad1d ConstantPad2d ConstantPad3d CosineEmbeddingLoss
        CrossEntropyLoss Dropout Dropout1d Dropout2d Dropout3d ELU Flatten FractionalMaxPool2d FractionalMaxPool3d
        GaussianNLLLoss Hardshrink:HShrink Hardsigmoid:HSigmoid Hardswish:HSwish HingeEmbeddingLoss HuberLoss
        Identity L1Loss LPPool1d LPPool2d LogSigmoid MSELoss MarginRankingLoss MaxUnpool1d MaxUnpool2d MaxUnpool3d
        Mish MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PixelShuffle PixelUnshuffle PoissonNLLLoss RReLU ReLU
        ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
        SELU:SeLU SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax2d Softshrink:SoftShrink Softsign Tanh Tanhshrink
        Threshold TransformerDecoder TripletMarginLoss TripletMarginWithDistanceLoss Upsample ZeroPad2d
    """,
    ),
    *(
        Row(f"torch.nn.BatchNorm{d}d", f"mindspore.mint.nn.BatchNorm{d}d", only_torch={"bias": "True"})
        for d in (1, 2, 3)
    ),
    *(
        Row(
            f"torch.nn.BatchNorm{d}d",
            f"mindspore.nn.BatchNorm{d}d",
            only_torch=_RUNNING,
            to_mindspore=_MOMENTUM,
            to_torch=_MOMENTUM,
        )
        for d in (1, 2, 3)
    ),
    *(Row(f"torch.nn.InstanceNorm{d}d", f"mindspore.nn.InstanceNorm{d}d", only_torch=_INSTANCE) for d in (1, 2, 3)),
    *(Row(f"torch.nn.Conv{d}d", f"mindspore.nn.Conv{d}d", _GROUPS, _ZEROS, _PADDED, note=_PAIRS) for d in (1, 2, 3)),
    Row(
        "torch.nn.ConvTranspose1d", "mindspore.nn.Conv1dTranspose", _GROUPS, {"output_padding": "0", **_ZEROS}, _PADDED
    ),
    Row(
        "torch.nn.ConvTranspose2d",
        "mindspore.nn.Conv2dTranspose",
        _GROUPS,
        _ZEROS,
        _PADDED,
        note=_PAIRS + " The cells of output_padding are zeros in MindSpore.",
    ),
    Row("torch.nn.ConvTranspose3d", "mindspore.nn.Conv3dTranspose", _GROUPS, _ZEROS, _PADDED, note=_PAIRS),
    *(
        Row(
            f"torch.nn.{kind}Pool{d}d",
            f"mindspore.nn.{kind}Pool{d}d",
            only_mindspore=_PADDED,
            implied={"stride": "{kernel_size}"},
        )
        for kind in ("Avg", "Max")
        for d in (1, 2, 3)
    ),
    *(
        Row(f"torch.nn.{name}", f"mindspore.nn.{name}", {"bias": "has_bias"})
        for name in ("GRU", "GRUCell", "LSTMCell", "RNN", "RNNCell", "MultiheadAttention")
    ),
    *(
        Row(f"torch.nn.{name}", f"mindspore.nn.{name}", {"dim": "axis"})
        for name in ("GLU", "LogSoftmax", "Softmax", "Softmin", "Unflatten")
    ),
    *(
        Row(f"torch.nn.{name}", f"mindspore.nn.{name}", only_torch={"bias": "True"})
        for name in ("Transformer", "TransformerDecoderLayer", "TransformerEncoderLayer")
    ),
    *(Row("torch.nn.GroupNorm", f"mindspore.{nn}.GroupNorm", only_torch={"bias": "True"}) for nn in ("mint.nn", "nn")),
    Row("torch.nn.SyncBatchNorm", "mindspore.mint.nn.SyncBatchNorm", only_torch={"bias": "True"}),
    Row(
        "torch.nn.SyncBatchNorm",
        "mindspore.nn.SyncBatchNorm",
        {"process_group": "process_groups"},
        _RUNNING,
        to_mindspore=_MOMENTUM,
        to_torch=_MOMENTUM,
        note="MindSpore takes the groups as lists of ranks.",
    ),
    Row(
        "torch.nn.AdaptiveAvgPool1d",
        "mindspore.nn.AdaptiveAvgPool1d",
        note="The length must be a multiple of output_size.",
    ),
    Row(
        "torch.nn.AdaptiveMaxPool1d",
        "mindspore.nn.AdaptiveMaxPool1d",
        only_torch={"return_indices": "False"},
        note="The length must be a multiple of output_size.",
    ),
    Row(
        "torch.nn.Bilinear",
        "mindspore.nn.BiDense",
        arguments={
            "in1_features": "in1_channels",
            "in2_features": "in2_channels",
            "out_features": "out_channels",
            "bias": "has_bias",
        },
    ),
    Row(
        "torch.nn.Embedding",
        "mindspore.nn.Embedding",
        arguments={"num_embeddings": "vocab_size", "embedding_dim": "embedding_size"},
        only_torch={
            "max_norm": "None",
            "norm_type": "2.0",
            "scale_grad_by_freq": "False",
            "sparse": "False",
            "_weight": "None",
            "_freeze": "False",
        },
    ),
    Row(
        "torch.nn.GELU",
        "mindspore.nn.GELU",
        to_mindspore={"approximate": "{approximate} == 'tanh'"},
        to_torch={"approximate": "'tanh' if {approximate} else 'none'"},
    ),
    Row("torch.nn.Hardtanh", "mindspore.mint.nn.Hardtanh", only_torch={"min_value": "None", "max_value": "None"}),
    Row("torch.nn.Hardtanh", "mindspore.nn.Hardtanh", only_torch={"min_value": "None", "max_value": "None"}),
    Row(
        "torch.nn.KLDivLoss",
        "mindspore.nn.KLDivLoss",
        only_torch={"log_target": "False"},
        note="MindSpore has no gradient for the labels.",
    ),
    Row("torch.nn.LSTM", "mindspore.nn.LSTM", arguments={"bias": "has_bias"}, only_torch={"proj_size": "0"}),
    Row(
        "torch.nn.LayerNorm",
        "mindspore.nn.LayerNorm",
        arguments={"eps": "epsilon"},
        only_torch={"elementwise_affine": "True", "bias": "True"},
        note="normalized_shape is a tuple.",
    ),
    Row("torch.nn.LeakyReLU", "mindspore.nn.LeakyReLU", arguments={"negative_slope": "alpha"}),
    Row(
        "torch.nn.Linear",
        "mindspore.nn.Dense",
        arguments={"in_features": "in_channels", "out_features": "out_channels", "bias": "has_bias"},
    ),
    Row(
        "torch.nn.PReLU",
        "mindspore.nn.PReLU",
        arguments={"num_parameters": "channel", "init": "w"},
        only_torch={"dtype": "None"},
    ),
    Row(
        "torch.nn.TransformerEncoder",
        "mindspore.nn.TransformerEncoder",
    ),
    Row("torch.nn.NLLLoss2d", "mindspore.mint.nn.NLLLoss", note="PyTorch itself deprecates the name NLLLoss2d."),
    Row(
        "torch.nn.LocalResponseNorm",
        "mindspore.ops.LRN",
        {"beta": "beta", "k": "bias"},
        to_mindspore={"depth_radius": "{size} // 2", "alpha": "{alpha} / {size}"},
        to_torch={"size": "2 * {depth_radius} + 1", "alpha": "{alpha} * (2 * {depth_radius} + 1)"},
        note="The window of MindSpore is always odd.",
    ),
    Row("torch.nn.Sequential", "mindspore.nn.SequentialCell", {"args": "args"}),
    Row("torch.nn.ModuleList", "mindspore.nn.CellList", {"modules": "args"}),
    Row("torch.nn.ModuleDict", "mindspore.nn.CellDict", {"modules": "args"}),
    Row("torch.nn.Parameter", "mindspore.Parameter", {"data": "default_input"}),
    Row("torch.nn.parameter.Parameter", "mindspore.Parameter", {"data": "default_input"}),
    Row("torch.nn.Module", "mindspore.nn.Cell"),
    *absent(
        "torch.nn",
        "Give MindSpore's layer of the name without Lazy the number of input channels.",
        """
        LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d
        LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear
        UninitializedBuffer UninitializedParameter
    """,
    ),
    *absent(
        "torch.nn",
        "Call mindspore.ops.pad with mode='circular' in construct.",
        "CircularPad1d CircularPad2d CircularPad3d",
    ),
    *absent(
        "torch.nn",
        "Use mint.nn.Dropout; MindSpore has none that keeps mean and variance.",
        "AlphaDropout FeatureAlphaDropout",
    ),
    *absent("torch.nn", "Use a ParameterTuple for a list, and attributes for names.", "ParameterDict ParameterList"),
    *absent(
        "torch.nn", "It is a base class without behaviour of its own. Use nn.Cell.", "Container RNNBase RNNCellBase"
    ),
    *absent(
        "torch.nn",
        "Run one process for each device, with mint.distributed or nn.DistributedGradReducer.",
        "DataParallel",
    ),
    *absent(
        "torch.nn",
        "Compute the projection and mint.nn.CrossEntropyLoss one after the other.",
        """
        LinearCrossEntropyLoss LinearCrossEntropyOptions
    """,
    ),
    Row("torch.nn.AdaptiveLogSoftmaxWithLoss", None, note="Compose it of mint.nn.Linear and mint.nn.LogSoftmax."),
    Row(
        "torch.nn.Buffer", None, note="Call register_buffer of the cell, or keep a Parameter with requires_grad=False."
    ),
    Row("torch.nn.CosineSimilarity", None, note="Call mindspore.ops.cosine_similarity in construct."),
    Row("torch.nn.CrossMapLRN2d", None, note="Use mindspore.ops.LRN; see the row of LocalResponseNorm."),
    Row(
        "torch.nn.EmbeddingBag",
        None,
        note="Reduce what mint.nn.Embedding returns with mint.sum, mint.mean or mint.max.",
    ),
    Row("torch.nn.LPPool3d", None, note="Pool |x| ** p with nn.AvgPool3d, times the kernel's size, and take the root."),
    Row("torch.nn.MultiLabelMarginLoss", None, note="Call mindspore.ops.multilabel_margin_loss in construct."),
    Row("torch.nn.PairwiseDistance", None, note="Call mint.norm(x1 - x2 + eps, p, -1) in construct."),
    Row("torch.nn.RMSNorm", None, note="Call mindspore.ops.rms_norm(x, weight, eps)[0] in construct."),
    Row("torch.nn.Softplus", None, note="Call mint.nn.functional.softplus in construct."),
)

MODULES: tuple[Row, ...] = (
    Row("torch.nn.Module.forward", "mindspore.nn.Cell.construct"),
    Row(
        "torch.nn.Module.train",
        "mindspore.nn.Cell.set_train",
        note="A new cell is in inference mode, a new module in training mode.",
    ),
    Row("torch.nn.Module.eval", "mindspore.nn.Cell.set_train", mindspore_form="{input}.set_train(False)"),
    Row("torch.nn.Module.parameters", "mindspore.nn.Cell.get_parameters", {"recurse": "expand"}),
    Row(
        "torch.nn.Module.parameters",
        "mindspore.nn.Cell.trainable_params",
        {"recurse": "recurse"},
        note="Only parameters with requires_grad: what optimizers take.",
    ),
    Row(
        "torch.nn.Module.named_parameters",
        "mindspore.nn.Cell.parameters_and_names",
        {"prefix": "name_prefix", "recurse": "expand"},
        {"remove_duplicate": "True"},
        note="The names are those of parameter.name in MindSpore's layers: gamma, beta, embedding_table.",
    ),
    Row("torch.nn.Module.children", "mindspore.nn.Cell.cells"),
    Row(
        "torch.nn.Module.named_children", "mindspore.nn.Cell.name_cells", mindspore_form="{input}.name_cells().items()"
    ),
    Row(
        "torch.nn.Module.named_modules",
        "mindspore.nn.Cell.cells_and_names",
        {"prefix": "name_prefix"},
        {"memo": "None", "remove_duplicate": "True"},
    ),
    Row(
        "torch.nn.Module.modules",
        "mindspore.nn.Cell.cells_and_names",
        mindspore_form="(cell for _, cell in {input}.cells_and_names())",
        only_torch={"remove_duplicate": "True"},
    ),
    Row(
        "torch.nn.Module.add_module",
        "mindspore.nn.Cell.insert_child_to_cell",
        {"name": "child_name", "module": "child_cell"},
    ),
    Row(
        "torch.nn.Module.register_module",
        "mindspore.nn.Cell.insert_child_to_cell",
        {"name": "child_name", "module": "child_cell"},
    ),
    Row(
        "torch.nn.Module.register_parameter",
        "mindspore.nn.Cell.insert_param_to_cell",
        {"name": "param_name", "param": "param"},
    ),
    *same(
        "torch.nn.Module",
        "mindspore.nn.Cell",
        """
        apply register_buffer state_dict buffers named_buffers get_buffer
    """,
    ),
    Row("torch.nn.Module.load_state_dict", "mindspore.nn.Cell.load_state_dict", only_torch={"assign": "False"}),
    Row("torch.nn.Module.register_forward_hook", "mindspore.nn.Cell.register_forward_hook", {"hook": "hook_fn"}),
    Row(
        "torch.nn.Module.register_forward_pre_hook", "mindspore.nn.Cell.register_forward_pre_hook", {"hook": "hook_fn"}
    ),
    Row(
        "torch.nn.Module.register_full_backward_hook",
        "mindspore.nn.Cell.register_backward_hook",
        {"hook": "hook_fn"},
        {"prepend": "False"},
    ),
    Row(
        "torch.nn.Module.half",
        "mindspore.nn.Cell.to_float",
        mindspore_form="{input}.to_float(mindspore.float16)",
        note="MindSpore casts the inputs of the cell; the parameters keep their type.",
    ),
    Row(
        "torch.nn.Module.bfloat16",
        "mindspore.nn.Cell.to_float",
        mindspore_form="{input}.to_float(mindspore.bfloat16)",
        note="MindSpore casts the inputs of the cell; the parameters keep their type.",
    ),
    *absent(
        "torch.nn.Module",
        "Remove the call: MindSpore chooses the device by mindspore.set_device.",
        """
        cuda cpu xpu ipu mtia to_empty share_memory
    """,
    ),
    Row(
        "torch.nn.Module.to",
        None,
        note="Remove a device; for a type call to_float of the cell, or Parameter.set_dtype of each parameter.",
    ),
    *absent("torch.nn.Module", "Call to_float of the cell, or set_dtype of each parameter.", "float double type"),
    Row("torch.nn.Module.zero_grad", None, note="Remove the call: value_and_grad returns new gradients each time."),
    Row("torch.nn.Module.requires_grad_", None, note="Set requires_grad of each parameter of get_parameters()."),
    Row("torch.nn.Module.compile", None, note="Decorate construct, or the step of training, with mindspore.jit."),
    Row("torch.nn.Module.get_parameter", None, note="Look the name up in dict(cell.parameters_and_names())."),
    *absent("torch.nn.Module", "Look the cell up in dict(cell.cells_and_names()).", "get_submodule set_submodule"),
    *absent(
        "torch.nn.Module",
        "MindSpore has no such hook or state. Override the method of the cell instead.",
        """
        extra_repr get_extra_state set_extra_state register_full_backward_pre_hook register_backward_hook
        register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_post_hook
        register_state_dict_pre_hook
    """,
    ),
)
