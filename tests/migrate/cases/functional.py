# ruff: noqa: E501
"""Cases of torch.nn.functional."""

from __future__ import annotations

from migrate.cases import family

CASES = {
    **family(
        "torch.nn.functional.{}(a)",
        """
        celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu relu6 rrelu selu sigmoid silu
        softplus softshrink softsign tanh tanhshrink normalize pdist dropout gumbel_softmax
    """,
    ),
    **family("torch.nn.functional.{}(a.clone())", "celu_ elu_ hardtanh_ leaky_relu_ relu_ rrelu_ selu_"),
    **family("torch.nn.functional.{}(a, dim=1)", "softmax softmin log_softmax glu"),
    **family(
        "torch.nn.functional.{}(a, b)", "l1_loss mse_loss smooth_l1_loss huber_loss cosine_similarity pairwise_distance"
    ),
    **family(
        "torch.nn.functional.{}(images, 2)",
        "adaptive_avg_pool2d adaptive_max_pool2d avg_pool2d max_pool2d pixel_shuffle pixel_unshuffle unfold channel_shuffle",
    ),
    **family("torch.nn.functional.{}(seq, 2)", "adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d max_pool1d"),
    **family("torch.nn.functional.{}(volumes, 2)", "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d max_pool3d"),
    **family("torch.nn.functional.{}(images, 2)", "adaptive_max_pool2d_with_indices max_pool2d_with_indices"),
    **family("torch.nn.functional.{}(volumes, 2)", "adaptive_max_pool3d_with_indices max_pool3d_with_indices"),
    **family(
        "torch.nn.functional.{}(images, scale_factor=2)", "interpolate upsample upsample_nearest upsample_bilinear"
    ),
    **family("torch.nn.functional.{}(images, 0.3)", "dropout2d"),
    **family("torch.nn.functional.{}(volumes, 0.3)", "dropout3d"),
    **family("torch.nn.functional.{}(seq, 0.3)", "dropout1d"),
    "torch.nn.functional.adaptive_max_pool1d_with_indices": "F.adaptive_max_pool1d_with_indices(seq, 4)",
    "torch.nn.functional.affine_grid": "F.affine_grid(many[:, :2, :3], (2, 1, 3, 4), align_corners=False)",
    "torch.nn.functional.batch_norm": "F.batch_norm(images, mean, variance, v, w)",
    "torch.nn.functional.bilinear": "F.bilinear(a, b, more.permute(2, 1, 0).repeat(1, 1, 2))",
    "torch.nn.functional.binary_cross_entropy": "F.binary_cross_entropy(p, q)",
    "torch.nn.functional.binary_cross_entropy_with_logits": "F.binary_cross_entropy_with_logits(a, q)",
    "torch.nn.functional.conv1d": "F.conv1d(seq, more.permute(2, 1, 0), stride=2)",
    "torch.nn.functional.conv2d": "F.conv2d(images, images[:, :, :3, :3], padding=1)",
    "torch.nn.functional.conv3d": "F.conv3d(volumes, volumes[:, :, :3, :3, :3])",
    "torch.nn.functional.conv_tbc": "F.conv_tbc(seq.permute(2, 0, 1).contiguous(), more.permute(2, 1, 0), v[:2], 1)",
    "torch.nn.functional.conv_transpose1d": "F.conv_transpose1d(seq, more.permute(1, 0, 2), stride=2, padding=1)",
    "torch.nn.functional.conv_transpose2d": "F.conv_transpose2d(images, images.permute(1, 0, 2, 3)[:, :, :3, :3], stride=2)",
    "torch.nn.functional.cosine_embedding_loss": "F.cosine_embedding_loss(a, b, one_sign, margin=0.1)",
    "torch.nn.functional.cross_entropy": "F.cross_entropy(a, labels, reduction='sum')",
    "torch.nn.functional.elu": "F.elu(a, 1.0)",
    "torch.nn.functional.embedding": "F.embedding(i, a)",
    "torch.nn.functional.fold": "F.fold(many[:, :1].repeat(1, 4, 3), (4, 5), (2, 2))",
    "torch.nn.functional.fractional_max_pool2d": "F.fractional_max_pool2d(images, 2, output_size=3)",
    "torch.nn.functional.fractional_max_pool3d": "F.fractional_max_pool3d(volumes, 2, output_size=2)",
    "torch.nn.functional.fractional_max_pool2d_with_indices": "F.fractional_max_pool2d_with_indices(images, 2, output_size=3)",
    "torch.nn.functional.fractional_max_pool3d_with_indices": "F.fractional_max_pool3d_with_indices(volumes, 2, output_size=2)",
    "torch.nn.functional.gaussian_nll_loss": "F.gaussian_nll_loss(a, b, p)",
    "torch.nn.functional.grid_sample": "F.grid_sample(images, pairs[None].repeat(2, 1, 1, 1), align_corners=False)",
    "torch.nn.functional.group_norm": "F.group_norm(images, 2, v, w)",
    "torch.nn.functional.hinge_embedding_loss": "F.hinge_embedding_loss(a, signs)",
    "torch.nn.functional.instance_norm": "F.instance_norm(images, weight=v, bias=w)",
    "torch.nn.functional.kl_div": "F.kl_div(a, p, reduction='sum')",
    "torch.nn.functional.layer_norm": "F.layer_norm(a, (4,), v, w)",
    "torch.nn.functional.linear": "F.linear(a, b)",
    "torch.nn.functional.local_response_norm": "F.local_response_norm(images, 3)",
    "torch.nn.functional.lp_pool1d": "F.lp_pool1d(seq, 2, 3)",
    "torch.nn.functional.lp_pool2d": "F.lp_pool2d(images, 2, 2)",
    "torch.nn.functional.margin_ranking_loss": "F.margin_ranking_loss(v, w, v)",
    "torch.nn.functional.max_unpool2d": "F.max_unpool2d(images[:, :, :2, :2], i[:2, :2].repeat(2, 4, 1, 1), 2)",
    "torch.nn.functional.multi_margin_loss": "F.multi_margin_loss(a, labels)",
    "torch.nn.functional.multilabel_margin_loss": "F.multilabel_margin_loss(a, i)",
    "torch.nn.functional.multilabel_soft_margin_loss": "F.multilabel_soft_margin_loss(a, q)",
    "torch.nn.functional.nll_loss": "F.nll_loss(a, labels)",
    "torch.nn.functional.one_hot": "F.one_hot(i, 5)",
    "torch.nn.functional.pad": "F.pad(a, (1, 2), value=0.5)",
    "torch.nn.functional.poisson_nll_loss": "F.poisson_nll_loss(a, p)",
    "torch.nn.functional.prelu": "F.prelu(a, v)",
    "torch.nn.functional.scaled_dot_product_attention": "F.scaled_dot_product_attention(images, images, images)",
    "torch.nn.functional.soft_margin_loss": "F.soft_margin_loss(a, signs)",
    "torch.nn.functional.threshold": "F.threshold(a, 0.1, 0.5)",
    "torch.nn.functional.threshold_": "F.threshold_(a.clone(), 0.1, 0.5)",
    "torch.nn.functional.triplet_margin_loss": "F.triplet_margin_loss(a, b, c)",
    "torch.nn.functional.triplet_margin_with_distance_loss": "F.triplet_margin_with_distance_loss(a, b, c)",
    "torch.nn.functional.ctc_loss": "F.ctc_loss(seq.permute(1, 0, 2), labels[None, :2].repeat(2, 1) + 1, (4, 4), (2, 1))",
}
