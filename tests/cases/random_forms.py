"""Random operations: the shapes of what they give, and values that are certain."""

CASES = [
    "ops.randn(2, 3).shape", "ops.rand_like(x).shape", "ops.randn_like(x).shape", "str(ops.randn(2).dtype)",
    "ops.laplace((3, 2), Tensor(0.0), Tensor([1.0, 2.0])).shape",
    "ops.random_poisson(Tensor([3], ms.int32), Tensor([1.0, 2.0])).shape", "ops.standard_laplace((2, 3)).shape",
    "ops.standard_normal((2, 3)).shape", "ops.gumbel_softmax(logits).shape",
    "ops.gumbel_softmax(logits, hard=True).sum()", "ops.random_categorical(logits, 3).shape",
    "ops.choice_with_mask(b, 4)[0].shape", "ops.choice_with_mask(b, 4)[1]",
    "ops.multinomial_with_replacement(p, 1, 2, 4, True).shape",
    "ops.log_uniform_candidate_sampler(Tensor([[1], [2]]), 1, 3, True, 5)[0].shape",
    "ops.StandardNormal()((2, 3)).shape", "ops.StandardLaplace()((2, 3)).shape", "ops.UniformReal()((2, 3)).shape",
    "ops.UniformInt()((2, 3), Tensor(0, ms.int32), Tensor(5, ms.int32)).shape",
    "ops.RandomGamma()(Tensor([3], ms.int32), Tensor([1.0, 2.0])).shape",
    "ops.RandomPoisson()(Tensor([3], ms.int32), Tensor([1.0, 2.0])).shape", "ops.RandomShuffle()(k).sum()",
    "ops.Multinomial()(p[0], 4).shape", "ops.RandomChoiceWithMask(4)(b)[1]", "ops.RandpermV2()(4).sum()",
    "ops.Bernoulli()(p, 1.0)", "ops.LogNormalReverse()(x).shape",
    "ops.LogUniformCandidateSampler(1, 3, True, 5)(Tensor([[1], [2]]))[0].shape",
    "ops.UniformCandidateSampler(1, 3, True, 5)(Tensor([[1], [2]]))[0].shape", "ops.Dropout(0.5)(x)[0].shape",
    "ops.Dropout(1.0)(x)", "ops.Dropout2D(1.0)(img)[0].shape",
    "ops.Dropout2D(1.0)(sig[:, :, :4].reshape((2, 4, 2, 2)))", "ops.Dropout3D(1.0)(sig.reshape((2, 4, 2, 2, 2)))",
    "ops.dropout1d(z, 0.5, False)", "ops.dropout2d(img[:1, :2, :2, :2], 0.5, False)",
    "ops.dropout3d(sig.reshape((2, 4, 2, 2, 2)), 0.0)",
]  # fmt: skip
