"""The functions of torch.nn.functional."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["FUNCTIONAL"]

FUNCTIONAL: tuple[Row, ...] = (
    *same(
        "torch.nn.functional",
        "mindspore.mint.nn.functional",
        """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
        avg_pool1d avg_pool2d avg_pool3d batch_norm binary_cross_entropy binary_cross_entropy_with_logits
        conv1d conv2d conv3d conv_transpose2d cosine_embedding_loss cross_entropy dropout dropout2d elu elu_
        fold gelu glu grid_sample group_norm hardshrink hardsigmoid hardswish hardtanh hardtanh_ kl_div
        layer_norm leaky_relu linear logsigmoid max_pool2d max_unpool2d mish nll_loss normalize one_hot pad
        pixel_shuffle prelu relu relu6 relu_ selu sigmoid silu log_softmax smooth_l1_loss soft_margin_loss
        softmax softplus softshrink tanh threshold threshold_ unfold upsample
    """,
    ),
    *same(
        "torch.nn.functional",
        "mindspore.ops",
        """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d
        affine_grid bilinear:bidense binary_cross_entropy_with_logits conv_transpose2d
        cosine_embedding_loss cosine_similarity cross_entropy dropout dropout1d dropout2d dropout3d
        fold fractional_max_pool2d fractional_max_pool3d gelu grid_sample group_norm hardshrink hardsigmoid
        hardswish hardtanh layer_norm margin_ranking_loss multi_margin_loss multilabel_margin_loss
        multilabel_soft_margin_loss pdist pixel_shuffle pixel_unshuffle prelu relu sigmoid silu
        smooth_l1_loss soft_margin_loss softplus softshrink tanh tanhshrink triplet_margin_loss unfold
        upsample
    """,
    ),
    Row(
        "torch.nn.functional.adaptive_max_pool1d",
        "mindspore.ops.adaptive_max_pool1d",
        only_torch={"return_indices": "False"},
    ),
    Row(
        "torch.nn.functional.avg_pool1d",
        "mindspore.ops.avg_pool1d",
        arguments={"input": "input_x"},
        implied={"stride": "{kernel_size}"},
    ),
    *same(
        "torch.nn.functional",
        "mindspore.ops",
        "avg_pool2d avg_pool3d",
        arguments={"input": "input_x"},
        implied={"stride": "{kernel_size}"},
        to_mindspore={"divisor_override": "{divisor_override} or 0"},
    ),
    *same("torch.nn.functional", "mindspore.ops", "batch_norm elu selu", arguments={"input": "input_x"}),
    Row(
        "torch.nn.functional.binary_cross_entropy",
        "mindspore.ops.binary_cross_entropy",
        arguments={"input": "logits", "target": "labels"},
    ),
    *same(
        "torch.nn.functional",
        "mindspore.ops",
        """
        celu channel_shuffle gaussian_nll_loss logsigmoid lp_pool1d lp_pool2d max_pool2d max_pool3d
        max_unpool1d max_unpool2d max_unpool3d mish relu6 softsign
    """,
        arguments={"input": "x"},
    ),
    Row("torch.nn.functional.embedding", "mindspore.mint.nn.functional.embedding", only_torch={"sparse": "False"}),
    Row("torch.nn.functional.embedding", "mindspore.ops.embedding", only_torch={"sparse": "False"}),
    Row("torch.nn.functional.glu", "mindspore.ops.glu", arguments={"dim": "axis", "input": "x"}),
    Row("torch.nn.functional.gumbel_softmax", "mindspore.ops.gumbel_softmax", only_torch={"eps": "1e-10"}),
    Row(
        "torch.nn.functional.hinge_embedding_loss",
        "mindspore.ops.hinge_embedding_loss",
        arguments={"input": "inputs", "target": "targets"},
    ),
    *same("torch.nn.functional", "mindspore.ops", "huber_loss l1_loss mse_loss", only_torch={"weight": "None"}),
    Row(
        "torch.nn.functional.interpolate", "mindspore.mint.nn.functional.interpolate", only_torch={"antialias": "False"}
    ),
    Row("torch.nn.functional.interpolate", "mindspore.ops.interpolate", only_torch={"antialias": "False"}),
    Row(
        "torch.nn.functional.kl_div",
        "mindspore.ops.kl_div",
        arguments={"input": "logits", "target": "labels"},
        only_torch={"log_target": "False"},
        note="MindSpore has no gradient for the labels.",
    ),
    *same("torch.nn.functional", "mindspore.mint.nn.functional", "l1_loss mse_loss", only_torch={"weight": "None"}),
    Row("torch.nn.functional.leaky_relu", "mindspore.ops.leaky_relu", arguments={"negative_slope": "alpha"}),
    Row(
        "torch.nn.functional.log_softmax",
        "mindspore.ops.log_softmax",
        arguments={"input": "logits", "dim": "axis"},
        only_torch={"dtype": "None"},
    ),
    Row("torch.nn.functional.nll_loss", "mindspore.ops.nll_loss", arguments={"input": "inputs"}),
    Row(
        "torch.nn.functional.one_hot", "mindspore.ops.one_hot", arguments={"tensor": "indices", "num_classes": "depth"}
    ),
    Row("torch.nn.functional.pad", "mindspore.ops.pad", arguments={"input": "input_x", "pad": "padding"}),
    Row("torch.nn.functional.rrelu", "mindspore.ops.rrelu", only_torch={"training": "False"}),
    Row("torch.nn.functional.softmax", "mindspore.ops.softmax", arguments={"dim": "axis"}),
    Row("torch.nn.functional.softmin", "mindspore.ops.softmin", arguments={"input": "x", "dim": "axis"}),
    Row("torch.nn.functional.threshold", "mindspore.ops.threshold", arguments={"threshold": "thr"}),
    Row(
        "torch.nn.functional.adaptive_max_pool1d_with_indices",
        "mindspore.mint.nn.functional.adaptive_max_pool1d",
        mindspore_form="mindspore.mint.nn.functional.adaptive_max_pool1d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.adaptive_max_pool2d_with_indices",
        "mindspore.mint.nn.functional.adaptive_max_pool2d",
        mindspore_form="mindspore.mint.nn.functional.adaptive_max_pool2d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.max_pool1d",
        "mindspore.mint.nn.functional.max_pool2d",
        implied={"stride": "{kernel_size}"},
        mindspore_form=(
            "mindspore.mint.nn.functional.max_pool2d({input}.unsqueeze(-2), (1, {kernel_size}), "
            "(1, {stride} or {kernel_size}), "
            "(0, {padding}), (1, {dilation}), ceil_mode={ceil_mode}, return_indices={return_indices}).squeeze(-2)"
        ),
        only_torch={"return_indices": "False"},
        note="The sizes are numbers, not tuples.",
    ),
    Row(
        "torch.nn.functional.max_pool2d_with_indices",
        "mindspore.mint.nn.functional.max_pool2d",
        mindspore_form="mindspore.mint.nn.functional.max_pool2d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.max_pool3d_with_indices",
        "mindspore.ops.max_pool3d",
        {"input": "x"},
        mindspore_form="mindspore.ops.max_pool3d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.adaptive_max_pool3d_with_indices",
        "mindspore.ops.adaptive_max_pool3d",
        mindspore_form="mindspore.ops.adaptive_max_pool3d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.fractional_max_pool2d_with_indices",
        "mindspore.ops.fractional_max_pool2d",
        mindspore_form="mindspore.ops.fractional_max_pool2d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.fractional_max_pool3d_with_indices",
        "mindspore.ops.fractional_max_pool3d",
        mindspore_form="mindspore.ops.fractional_max_pool3d({arguments}, return_indices=True)",
    ),
    Row(
        "torch.nn.functional.conv_transpose1d",
        "mindspore.mint.nn.functional.conv_transpose2d",
        mindspore_form=(
            "mindspore.mint.nn.functional.conv_transpose2d({input}.unsqueeze(-2), {weight}.unsqueeze(-2), {bias}, "
            "(1, {stride}), (0, {padding}), (0, {output_padding}), {groups}, (1, {dilation})).squeeze(-2)"
        ),
        note="The sizes are numbers, not tuples.",
    ),
    *same("torch.nn.functional", "mindspore.ops", "conv1d conv2d conv3d", only_mindspore={"pad_mode": "'pad'"}),
    Row("torch.nn.functional.conv_tbc", "mindspore.mint.conv_tbc"),
    Row(
        "torch.nn.functional.instance_norm",
        "mindspore.mint.nn.functional.group_norm",
        mindspore_form="mindspore.mint.nn.functional.group_norm({input}, {input}.shape[1], {weight}, {bias}, {eps})",
        only_torch={"running_mean": "None", "running_var": "None", "use_input_stats": "True", "momentum": "0.1"},
    ),
    Row(
        "torch.nn.functional.local_response_norm",
        "mindspore.ops.lrn",
        mindspore_form="mindspore.ops.lrn({input}, {size} // 2, {k}, {alpha} / {size}, {beta})",
        note="The window of MindSpore is always odd.",
    ),
    Row("torch.nn.functional.rms_norm", None, note="Call mindspore.ops.rms_norm(x, weight, eps)[0]."),
    Row(
        "torch.nn.functional.pairwise_distance",
        "mindspore.mint.norm",
        mindspore_form="mindspore.mint.norm({x1} - {x2} + {eps}, {p}, -1, {keepdim})",
    ),
    Row(
        "torch.nn.functional.scaled_dot_product_attention",
        "mindspore.mint.matmul",
        mindspore_form=(
            "mindspore.mint.matmul(mindspore.mint.softmax(mindspore.mint.matmul({query}, {key}.swapaxes(-1, -2)) "
            "* {query}.shape[-1] ** -0.5, -1), {value})"
        ),
        only_torch={
            "attn_mask": "None",
            "dropout_p": "0.0",
            "is_causal": "False",
            "scale": "None",
            "enable_gqa": "False",
        },
        note="Add a mask to the scores before softmax.",
    ),
    Row(
        "torch.nn.functional.poisson_nll_loss",
        "mindspore.nn.PoissonNLLLoss",
        mindspore_form=("mindspore.nn.PoissonNLLLoss({log_input}, {full}, {eps}, {reduction})({input}, {target})"),
    ),
    Row(
        "torch.nn.functional.triplet_margin_with_distance_loss",
        "mindspore.nn.TripletMarginWithDistanceLoss",
        mindspore_form=(
            "mindspore.nn.TripletMarginWithDistanceLoss({distance_function}, swap={swap}, reduction={reduction}, "
            "margin={margin})({anchor}, {positive}, {negative})"
        ),
    ),
    Row(
        "torch.nn.functional.upsample_nearest",
        "mindspore.mint.nn.functional.interpolate",
        mindspore_form="mindspore.mint.nn.functional.interpolate({input}, {size}, {scale_factor}, 'nearest')",
    ),
    Row(
        "torch.nn.functional.upsample_bilinear",
        "mindspore.mint.nn.functional.interpolate",
        mindspore_form="mindspore.mint.nn.functional.interpolate({input}, {size}, {scale_factor}, 'bilinear', True)",
    ),
    Row(
        "torch.nn.functional.leaky_relu_",
        "mindspore.mint.nn.functional.leaky_relu",
        mindspore_form="{input}.copy_(mindspore.mint.nn.functional.leaky_relu({input}, {arguments}))",
    ),
    Row(
        "torch.nn.functional.selu_",
        "mindspore.mint.nn.functional.selu",
        mindspore_form="{input}.copy_(mindspore.mint.nn.functional.selu({input}, {arguments}))",
    ),
    Row(
        "torch.nn.functional.celu_",
        "mindspore.ops.celu",
        {"input": "x"},
        mindspore_form="{input}.copy_(mindspore.ops.celu({input}, {arguments}))",
    ),
    Row(
        "torch.nn.functional.rrelu_",
        "mindspore.ops.rrelu",
        mindspore_form="{input}.copy_(mindspore.ops.rrelu({input}, {arguments}))",
        only_torch={"training": "False"},
    ),
    Row(
        "torch.nn.functional.max_pool1d_with_indices", None, note="Call max_pool2d with return_indices on (N, C, 1, L)."
    ),
    *absent(
        "torch.nn.functional",
        "Use mint.nn.functional.dropout; MindSpore has none that keeps mean and variance.",
        """
        alpha_dropout feature_alpha_dropout
    """,
    ),
    *absent(
        "torch.nn.functional",
        "It needs a GPU. Multiply with mint.matmul or mint.bmm.",
        "grouped_mm scaled_grouped_mm scaled_mm",
    ),
    Row(
        "torch.nn.functional.conv_transpose3d",
        None,
        note="Use nn.Conv3dTranspose, or the primitive ops.Conv3DTranspose.",
    ),
    Row(
        "torch.nn.functional.embedding_bag",
        None,
        note="Reduce what mint.nn.functional.embedding returns with mint.sum, mint.mean or mint.max.",
    ),
    Row(
        "torch.nn.functional.linear_cross_entropy",
        None,
        note="Call mint.nn.functional.linear, then mint.nn.functional.cross_entropy.",
    ),
    Row(
        "torch.nn.functional.lp_pool3d",
        None,
        note="Pool |x| ** p with ops.avg_pool3d, times the kernel's size, and take the root.",
    ),
    Row("torch.nn.functional.multi_head_attention_forward", None, note="Use nn.MultiheadAttention."),
    Row(
        "torch.nn.functional.ctc_loss",
        "mindspore.ops.ctc_loss",
        mindspore_form="mindspore.ops.ctc_loss({arguments})[0]",
    ),
)
