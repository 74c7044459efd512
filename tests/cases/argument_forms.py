"""Forms of arguments that a random search has found: numbers as tensors, tensors as numbers, keywords."""

_NET = "nn.WithLossCell(filled(nn.Dense(3, 3)), nn.MSELoss())"
_WEIGHTS = "list(net.trainable_params())"
_INT64 = "Tensor([[1, 0], [2, 1]])"

CASES = [
    "ops.clip_by_global_norm((x, y), s)", "ops.clip_by_global_norm((x, y), Tensor([0.5], ms.float16))",
    "ops.clip_by_global_norm([x, y], np.float32(0.5))", "ops.clip_by_global_norm((x,), Tensor(-1.0))",
    "ops.clip_by_norm([x, y], s)", "ops.clip_by_norm(wave(2, 3), np.float32(0.5))",
    "type(ops.clip_by_norm([x], 1.0)).__name__", "type(ops.clip_by_norm((x,), 1.0)).__name__",
    "mint.max(x, 1.0)", "mint.min(x, 1.0)", "mint.max(i, 1.5)", "mint.min(i, True)", "mint.max(x, np.float32(0.5))",
    "mint.max(x, dim=1)", "mint.min(x, 1)",
    "ops.where(b, x, Tensor(1.0, ms.float64))", "ops.where(b, Tensor(1.0), h)", "x.where(b, Tensor(1.0, ms.float64))",
    "ops.select(b, x, Tensor(1.0, ms.float64))", "ops.select(b, Tensor(2), i)", "x.select(b, Tensor(1.0, ms.float64))",
    "mint.where(b, i, Tensor(2))", "ops.where(b, h, 1.0)", "ops.select(b, h, s)",
    "ops.AssignAdd()(Parameter(v), np.float32(2.0))", "ops.assign_add(Parameter(s), np.float32(2.0))",
    "ops.assign(Parameter(s), np.int64(2))",
    "ops.adaptive_max_pool2d(img, -1)", "nn.AdaptiveMaxPool2d((-1, 2))(img)", "ops.adaptive_max_pool2d(img, (2, -1))",
    "ops.adaptive_avg_pool2d(img, -1)",
    f"ops.gather(z, {_INT64}, 1, -1)", f"ops.gather(z, {_INT64}, 2, batch_dims=-1)", f"ops.Gather(-1)(z, {_INT64}, -1)",
    "ops.hardtanh(x, 1.0, -1.0)", "nn.Hardtanh(0.5, -0.5)(x)",
    "nn.PoissonNLLLoss(False, False, 0.5)(j, j)", "nn.PoissonNLLLoss(False)(q, j)",
    "mnp.diff(v, 0, append=1)", "mnp.diff(x, 0)", "mnp.diff(x, n=0, prepend=x)",
    "nn.Range(Tensor(1.0), 8, 2)()", "nn.Range(Tensor(5))()", "nn.Range(Tensor(1), Tensor(8), Tensor(2.0))()",
    "ops.scalar_eq(x=1, y=2)", "ops.scalar_add(x=1, y=2)", "ops.scalar_uadd(x=2)", "ops.scalar_log(x=2.0)",
    "ops.scalar_pow(3, y=2)", "ops.scalar_floordiv(x=-7, y=3)", "ops.scalar_max(x=1, y=2)",
    "nn.Embedding(4, 3, True, 'ones').to_float(ms.float16)(k)",
    f"(net := {_NET}) and nn.TrainOneStepCell(net, ms.experimental.optim.SGD({_WEIGHTS}, 0.1))("
    "wave(2, 3), wave(2, 3))",
    f"(net := {_NET}) and [nn.TrainOneStepCell(net, ms.experimental.optim.Adam({_WEIGHTS}, 0.1), 3.0).set_train()("
    "wave(2, 3), wave(2, 3) + 1) for _ in range(3)]",
    *[f"(net := {_NET}) and [nn.TrainOneStepCell(net, nn.SGD({_WEIGHTS}, 0.1), sens={sens})("
      "wave(2, 3), wave(2, 3) + 1) for _ in range(2)]" for sens in ("Tensor([2.0])", "np.float32(2)")],
]  # fmt: skip
