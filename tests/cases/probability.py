"""Distributions and bijectors."""

from __future__ import annotations

_OF_VALUE = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival")
_MOMENTS = ("mean", "mode", "sd", "var", "entropy")
_STATE = (
    "batch_shape", "broadcast_shape", "is_scalar_batch", "name", "parameter_names", "seed", "get_dist_type()",
    "get_dist_args()", "default_parameters",
)  # fmt: skip

# The family, the constructor's arguments, a value, and the parameters for a call.
_FAMILIES = (
    ("Normal", "3.0, 4.0", "x", "y, q"), ("Uniform", "-1.0, 3.0", "x", "-q, q"), ("Bernoulli", "0.3", "b", "p"),
    ("Categorical", "[0.2, 0.5, 0.3]", "k", "p / p.sum(-1, keepdims=True)"), ("Beta", "[3.0], [4.0]", "p", "q, q + 1"),
    ("Cauchy", "1.0, 2.0", "x", "y, q"), ("Exponential", "0.5", "q", "q + 1"),
    ("Gamma", "[3.0], [4.0]", "q", "q, q + 1"),
    ("Geometric", "0.3", "j", "p"), ("Gumbel", "1.0, 2.0", "x", ""), ("HalfNormal", "0.0, 2.0", "q", "-q, q"),
    ("Laplace", "1.0, 2.0", "x", "y, q"), ("LogNormal", "0.3, 0.5", "q", "y, q"), ("Logistic", "1.0, 2.0", "x", "y, q"),
    ("Poisson", "[0.5]", "j", "q"), ("StudentT", "3.0, 1.0, 2.0", "x", "q, y, q + 1"),
)  # fmt: skip
_OTHERS = {
    "Normal": "x, q + 1", "Uniform": "-q - 1, q + 1", "Bernoulli": "p * 0.8", "Beta": "q + 1, q + 2",
    "Categorical": "p.flip((1,)) / p.sum(-1, keepdims=True)", "Cauchy": "x, q + 1", "Exponential": "q + 1",
    "Gamma": "q + 1, q + 2", "Geometric": "p * 0.8", "LogNormal": "x, q + 1",
}  # fmt: skip
_PARTIAL = ("HalfNormal", "Laplace", "StudentT")  # prob and log_prob only
_VALUES = "Tensor([-0.5, 0.5, 2.0])"  # where MindSpore has no gradients

CASES = [
    *(f"msd.{family}({given}).{function}({value})"
      for family, given, value, _ in _FAMILIES for function in _OF_VALUE
      if not (family in _PARTIAL or family == "Beta") or function in _OF_VALUE[:2]),
    *(f"msd.{family}().{function}({value}, {parameters})"
      for family, _, value, parameters in _FAMILIES for function in _OF_VALUE
      if parameters and (not (family in _PARTIAL or family == "Beta") or function in _OF_VALUE[:2])),
    *(f"msd.{family}({given}).{function}()"
      for family, given, _, _ in _FAMILIES for function in _MOMENTS if family not in _PARTIAL),
    *(f"msd.{family}().{function}({parameters})"
      for family, _, _, parameters in _FAMILIES for function in _MOMENTS if parameters and family not in _PARTIAL),
    *(f"msd.{family}({given}).{state}"
      for family, given, _, _ in _FAMILIES for state in _STATE if family not in _PARTIAL),
    *(f"msd.{family}().{function}('{family}', {_OTHERS[family]}, {parameters})"
      for family, _, _, parameters in _FAMILIES for function in ("kl_loss", "cross_entropy") if family in _OTHERS),
    *(f"msd.{family}({given}).sample({shape}).{what}"
      for family, given, _, _ in _FAMILIES for shape in ("", "(2, 3)") for what in ("shape", "dtype.__str__()[-7:]")
      if family not in (*_PARTIAL, "Beta", "Gamma", "Poisson")),
    "msd.Gumbel(1.0, 2.0).kl_loss('Gumbel', x, q + 1)", "msd.Gumbel(1.0, 2.0).cross_entropy('Gumbel', x, q + 1)",
    "msd.Logistic(1.0, 2.0).kl_loss('Logistic', x, q)",
    # What a call gives
    "msd.Normal(3.0, 4.0).prob(x, y)", "msd.Normal(3.0, 4.0).prob(x, sd=q)", "msd.Normal(3.0, 4.0).prob(x, mean=y)",
    "msd.Normal(3.0, 4.0).prob(x, None, None)", "msd.Normal(None, 1.0).mean(y)", "msd.Normal(3.0, 4.0).sd(y)",
    "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).mean()", "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).sd()",
    "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).entropy()", "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).prob(s)",
    "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).batch_shape", "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).is_scalar_batch",
    "msd.Normal([1.0, 2.0], [[1.0], [2.0]]).sample((2, 3)).shape", "msd.Normal(3.0, 4.0).sample((2,), v).shape",
    "msd.Normal().sample((2,), x, q).shape", "msd.Normal(3.0, 4.0).sample(shape=(2,), mean=v).shape",
    "msd.Normal(3.0, 4.0).kl_loss('Normal', x, q)", "msd.Normal(3.0, 4.0).kl_loss('Normal', x, q, y)",
    "msd.Normal(3.0, 4.0).kl_loss('Normal', mean_b=x, sd_b=q, mean=y)",
    "msd.Normal(3.0, 4.0).cross_entropy('Normal', x, sd_b=q, sd=q)",
    "msd.Gamma().kl_loss('Gamma', q, q, concentration_a=q + 1, rate_a=q)", "msd.Bernoulli().mean(probs1=p)",
    "msd.Bernoulli(0.3).kl_loss('Bernoulli', probs1_b=p)", "msd.Normal(3.0, 4.0).get_dist_args(x)",
    "msd.Normal().get_dist_args(x)", "msd.Normal(3.0, 4.0)('prob', x)", "msd.Normal(3.0, 4.0)('mean', y, q)",
    "msd.Normal(3.0, 4.0)('kl_loss', 'Normal', x, q)", "msd.Normal(3.0, 4.0)('get_dist_type')",
    # Dtypes
    "msd.Normal(1, 2).prob(i)", "msd.Normal(3.0, 4.0).prob(h)", "msd.Normal(3.0, 4.0).prob(d)",
    "msd.Normal(3.0, 4.0).prob(x, i, j)", "str(msd.Normal(h, 2.0).prob(x).dtype)", "msd.Normal(h, 2.0).mean()",
    "str(msd.Normal(h, 2.0).sample().dtype)", "msd.Normal(d, 2.0).mean()", "msd.Normal(k, 2.0).mean()",
    "msd.Normal(3.0, 4.0, dtype=ms.float16).prob(h)", "msd.Normal(3.0, 4.0, dtype=ms.float16).mean()",
    "msd.Normal(3.0, 4.0, dtype=ms.float64).prob(x)", "msd.Normal([1.0], [2.0], dtype=ms.float64).sd()",
    "str(msd.Normal(3.0, 4.0, dtype=ms.float64).sample().dtype)",
    "str(msd.Bernoulli(0.3, dtype=ms.int8).sample().dtype)",
    "msd.Bernoulli(0.3, dtype=ms.float16).mean()", "msd.Bernoulli(0.3, dtype=ms.int64).var()",
    "msd.Normal(np.array([1.0]), 2.0).mean()", "msd.Poisson([0.5], dtype=ms.int32).prob(j)",
    "msd.Categorical([0.2, 0.8], dtype=ms.int64).mode()", "msd.Geometric([0.3], dtype=ms.float32).mode()",
    # Outside the range, and at its ends
    *(f"msd.{distribution}.{function}(Tensor([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0]))"
      for distribution in ("Uniform(0.0, 2.0)", "Exponential(0.5)", "Geometric([0.3])", "Poisson([0.5])")
      for function in _OF_VALUE[:3]),
    *(f"msd.Categorical([0.2, 0.5, 0.3]).{function}(Tensor([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]))"
      for function in (*_OF_VALUE[:3], "survival_function")),
    "msd.Bernoulli([0.3, 0.5, 0.6]).prob(Tensor([0.5]))", "msd.Bernoulli([0.3, 0.6]).cdf(Tensor([-1.0, 1.5]))",
    "msd.Gamma([3.0], [4.0]).prob(Tensor([0.0, 1.0]))", "msd.Gamma([0.5, 1.0, 2.0], [1.0, 2.0, 3.0]).mode()",
    "msd.Beta([0.5, 1.0, 2.0, 3.0], [0.5, 2.0, 0.5, 2.0]).mode()", "msd.LogNormal(1.0, 2.0).cdf(Tensor([-1.0, 0.0]))",
    "msd.Uniform(0.0, 2.0).kl_loss('Uniform', Tensor([1.0]), Tensor([3.0]))", "msd.Poisson([0.5, 3.0, 4.5]).mode()",
    "msd.HalfNormal(1.0, 2.0).prob(Tensor([0.0, 2.0]))", "msd.LogNormal(1.0, 2.0).prob(Tensor([-1.0, 0.0, 1.0]))",
    "msd.TransformedDistribution(msb.ScalarAffine(-2.0, 1.0), msd.Normal(0.0, 1.0)).cdf(Tensor([0.5, 2.0]))",
    # Batches of categories
    *(f"msd.Categorical([[0.2, 0.8], [0.5, 0.5]]).{what}"
      for what in ("mean()", "mode()", "var()", "entropy()", "prob(Tensor([0, 1]))", "prob(Tensor([[0], [1], [1]]))",
                   "cdf(Tensor([0, 1]))", "kl_loss('Categorical', Tensor([0.5, 0.5]))", "sample((3,)).shape",
                   "batch_shape", "broadcast_shape", "is_scalar_batch")),
    "msd.Categorical([0.2, 0.5, 0.3]).prob(Tensor(1))",
    "msd.Categorical([0.2, 0.5, 0.3]).prob(Tensor([[1, 0], [2, 2]]))",
    "msd.Categorical().sample((2,), Tensor([[0.1, 0.9], [0.9, 0.1]])).shape",
    # Printing
    *(f"repr(msd.{family}({given}))" for family, given, _, _ in _FAMILIES
      if family not in (*_PARTIAL, "Gamma", "Beta", "Gumbel")),
    "repr(msd.Normal())", "repr(msd.Normal([1.0, 2.0], 1.0))", "repr(msb.ScalarAffine([2.0, 3.0], 1.0))",
    "repr(msb.Exp())", "repr(msb.ScalarAffine(2.0, 1.0))", "repr(msb.PowerTransform(0.5))",
    "repr(msb.Invert(msb.Exp()))", "repr(msb.GumbelCDF(1.0, 2.0))", "repr(msb.Exp()(msd.Normal(0.0, 1.0)))",
    # Refused
    "msd.Normal(True, 2.0)", "msd.Normal('a', 1.0)", "msd.Normal(1.0, 0.0)", "msd.Normal(1.0, -1.0)",
    "msd.Normal(1.0, [1.0, -1.0])", "msd.Normal([1.0, 2.0], [1.0, 2.0, 3.0])", "msd.Normal(h, x)",
    "msd.Normal(np.array([1]), np.array([1.0]))", "msd.Normal(1.0, 2.0, dtype=ms.int32)",
    "msd.Normal(1.0, 2.0, dtype='float32')", "msd.Normal(1.0, 2.0, dtype=None)", "msd.Normal(1.0, 2.0, seed='a')",
    "msd.Normal(1.0, 2.0, seed=-1)", "msd.Normal(1.0, 2.0, seed=1.5)", "msd.Normal(1.0, 2.0, name=3)",
    "msd.Normal().mean()", "msd.Normal(None, 1.0).mean()", "msd.Normal().prob(x, y)", "msd.Normal().sample((2,))",
    "msd.Normal(3.0, 4.0).prob(1.0)", "msd.Normal(3.0, 4.0).prob([1.0])", "msd.Normal(3.0, 4.0).prob(None)",
    "msd.Normal(3.0, 4.0).prob(x, 1.0, 2.0)", "msd.Normal(3.0, 4.0).prob(x, foo=x)", "msd.Normal(3.0, 4.0).prob()",
    "msd.Normal(3.0, 4.0).prob(x, x, x, x)", "msd.Normal(3.0, 4.0).prob(x, m)", "msd.Normal(3.0, 4.0).sample(2)",
    "msd.Normal(3.0, 4.0).sample([2])", "msd.Normal(3.0, 4.0).mean(1.0, 2.0)",
    "msd.Normal(3.0, 4.0).kl_loss('Normal')", "msd.Normal(3.0, 4.0).kl_loss('Normal', x)",
    "msd.Normal(3.0, 4.0).kl_loss('Uniform', x, q)", "msd.Normal(3.0, 4.0).kl_loss('Normal', 1.0, 1.0)",
    "msd.Normal(3.0, 4.0)('foo')", "msd.Normal(3.0, 4.0)(x)", "msd.Normal(3.0, 4.0)()", "msd.Distribution()",
    "msd.Normal(3.0, 4.0).get_dist_args(1.0)", "msd.Bernoulli(0.0)", "msd.Bernoulli(1)", "msd.Bernoulli(1.5)",
    "msd.Bernoulli(0.3, dtype=ms.bool_)", "msd.Geometric(1.0)", "msd.Uniform(2.0, 2.0)", "msd.Uniform([0.0, 3.0], 2.0)",
    "msd.Exponential(0.0)", "msd.Gamma([1.0], [0.0])", "msd.Beta([0.0], [1.0])", "msd.Cauchy(1.0, 0.0)",
    "msd.Logistic(1.0, -1.0)", "msd.Gumbel(1.0, 0.0)", "msd.Gumbel(None, 2.0)", "msd.Gumbel(1.0, 2.0, dtype=ms.int32)",
    "msd.LogNormal(1.0, 0.0)", "msd.LogNormal(1.0, 2.0, dtype=ms.int32)", "msd.Categorical(0.2)", "msd.Poisson([0.0])",
    "msd.Categorical([0.2, 0.9])", "msd.Categorical([0.2, -0.2, 1.0])", "msd.Categorical([1.0])",
    "msd.HalfNormal(1.0, 0.0)", "msd.Laplace(1.0, 0.0)", "msd.StudentT(0.0, 1.0, 1.0)",
    "msd.HalfNormal(dtype=ms.int32)",
    "msd.Uniform(1.0, 2.0).mode()", "msd.Gamma(1.0, 2.0).mean()", "msd.Beta(1.0, 3.0).mean()", "msd.Poisson(0.5).var()",
    "msd.Gumbel(1.0, 2.0).mean(v, Tensor(1.0))", "msb.PowerTransform(1)", "msb.Exp()('foo', x)",
    # Bijectors
    *(f"msb.{bijector}.{function}({value})"
      for bijector, forward, inverse in (
          ("Exp()", _VALUES, "q"), ("PowerTransform(0.5)", "x", "q"),
          ("PowerTransform([0.5, 0.0, 1.0])", _VALUES, _VALUES),
          ("ScalarAffine(2.0, 1.0)", "x", "x"), ("ScalarAffine([2.0, -3.0, 1.0], s)", "x", "x"),
          ("Softplus(2.0)", "x", "q"), ("GumbelCDF(1.0, 2.0)", "x", "p"), ("GumbelCDF(y, q)", "x", "p"),
          ("Invert(msb.Exp())", "q", _VALUES), ("Invert(msb.ScalarAffine(2.0, 1.0))", "x", "x"),
          ("Softplus(q)", "x", "q"), ("PowerTransform(q)", "q", "q"),
      )
      for function, value in (("forward", forward), ("inverse", inverse), ("forward_log_jacobian", forward),
                              ("inverse_log_jacobian", inverse))),
    "msb.Exp().forward(h)", "msb.Exp().forward(d)", "msb.ScalarAffine(2.0, 1.0).forward(h)", "msb.Exp()('forward', d)",
    "msb.Softplus().inverse(Tensor([1e-8, 1e-3, 20.0, 100.0]))", "msb.Softplus().forward(Tensor([-100.0, 0.0, 100.0]))",
    "msb.Exp().name", "msb.Exp().is_constant_jacobian", "msb.ScalarAffine().is_constant_jacobian",
    "msb.Exp().is_injective", "msb.ScalarAffine([2.0, 3.0]).batch_shape", "msb.Exp().is_scalar_batch",
    "msb.Invert(msb.Exp()).name", "msb.Invert(msb.Exp(), 'a').name",
    "msb.Invert(msb.ScalarAffine()).is_constant_jacobian",
    "msb.ScalarAffine(2.0).scale", "msb.ScalarAffine(2.0).dtype", "msb.PowerTransform(0.5).parameters",
    "msb.Exp().forward(1.0)", "msb.Exp().forward(i)", "msb.PowerTransform(-1.0)", "msb.PowerTransform(None)",
    "msb.Softplus('a')", "msb.ScalarAffine(True, 1.0)", "msb.GumbelCDF(1.0, 0.0)", "msb.Invert(3)", "msb.Bijector()",
    "msb.Exp(name=3)", "msb.ScalarAffine([2.0, 3.0]).forward(x)", "msb.ScalarAffine(2.0, 1.0).inverse(x, x)",
    # Transformed distributions
    *(f"msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).{function}(q)" for function in _OF_VALUE),
    *(f"msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(3.0, 1.0)).{what}"
      for what in ("prob(x)", "cdf(x)", "mean()", "mean(y, q)", "is_linear_transformation", "seed", "name",
                   "parameter_names", "mode()", "sd()", "entropy()", "get_dist_type()", "sample((2,), y, q).shape")),
    "msd.TransformedDistribution(msb.Exp(), msd.Normal()).prob(q, y, q)",
    "msd.TransformedDistribution(msb.Exp(), msd.Normal()).prob(q)",
    "msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).mean()",
    "msd.TransformedDistribution(msb.Softplus(), msd.Uniform(0.5, 6.0)).log_prob(q)",
    "msd.TransformedDistribution(msb.Invert(msb.Exp()), msd.LogNormal(0.0, 1.0)).prob(d)",
    "msd.TransformedDistribution(msb.ScalarAffine([1.0, 2.0], 0.0), msd.Normal(0.0, 1.0)).broadcast_shape",
    "msd.TransformedDistribution(msb.ScalarAffine([1.0, 2.0], 0.0), msd.Normal(0.0, 1.0)).batch_shape",
    "msd.TransformedDistribution(msb.ScalarAffine([1.0, 2.0], 0.0), msd.Normal(0.0, 1.0)).is_scalar_batch",
    "msd.TransformedDistribution(msb.ScalarAffine([1.0, 2.0], 0.0), msd.Normal(0.0, 1.0)).sample().shape",
    "msd.TransformedDistribution(3, msd.Normal(0.0, 1.0))", "msd.TransformedDistribution(msb.Exp(), 3)",
    "msd.TransformedDistribution(msb.Exp(), msd.Bernoulli(0.5))",
    "msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0), seed=3).seed",
    "[p.name for p in msd.Exponential(Parameter(Tensor([1.0]))).get_parameters()]",
    "msd.Normal(Parameter(Tensor([1.0]), name='a'), 1.0).trainable_params()[0].name",
]  # fmt: skip


def _floats(*values: float, shape: tuple[int, ...] | None = None, dtype: str = "Float32") -> dict:
    return {"results": [{"shape": [len(values)] if shape is None else [*shape], "dtype": dtype, "values": [*values]}]}


_SCALARS = "MindSpore refuses parameters without dimensions"

DIFFERENCES = {
    "msd.Bernoulli(0.3).mode()": ("MindSpore's fails", _floats(0, shape=(), dtype="Int32")),
    "msd.Bernoulli().mode(p)": ("MindSpore's fails", _floats(0, 0, 0, 1, 1, 1, shape=(2, 3), dtype="Int32")),
    "msd.HalfNormal(1.0, 2.0).prob(Tensor([0.0, 2.0]))": (
        "nothing is below the mean; MindSpore cuts at 0", _floats(0, 0.35206532),
    ),
    "msd.LogNormal(1.0, 2.0).prob(Tensor([-1.0, 0.0, 1.0]))": ("MindSpore's has nan", _floats(0, 0, 0.17603266)),
    "msd.TransformedDistribution(msb.ScalarAffine(-2.0, 1.0), msd.Normal(0.0, 1.0)).cdf(Tensor([0.5, 2.0]))": (
        "MindSpore takes every bijector for a rising one", _floats(0.40129367, 0.69146246),
    ),
    "msd.Gamma(1.0, 2.0).mean()": (_SCALARS, _floats(0.5, shape=())),
    "msd.Beta(1.0, 3.0).mean()": (_SCALARS, _floats(0.25, shape=())),
    "msd.Poisson(0.5).var()": (_SCALARS, _floats(0.5, shape=())),
    "msd.Gumbel(1.0, 2.0).mean(v, Tensor(1.0))": (
        "MindSpore's takes no parameters", _floats(-0.40978435, 0.59021565, 1.59021565),
    ),
    "msb.PowerTransform(1)": ("integers are numbers", {"results": [{"python": "PowerTransform(power = 1.0)"}]}),
    "msb.Exp()('foo', x)": ("a wrong value", {"error": "ValueError"}),
    "msd.Geometric().log_survival(j, p)": (
        "MindSpore's gradients are less exact",
        _floats(-0.2223101, -0.92447072, -2.2149324, -2.6398764, -4.1018291, -7.0679579, shape=(2, 3)),
    ),
}  # fmt: skip
