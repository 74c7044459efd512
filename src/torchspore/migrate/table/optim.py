"""The optimizers of torch.optim, their schedules, and initial values."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["INIT", "OPTIMIZERS", "SCHEDULES"]

_BETAS = {"beta1": "{betas}[0]", "beta2": "{betas}[1]"}
_TO_BETAS = {"betas": "({beta1}, {beta2})"}
_CLASSIC = "The optimizer is called with the gradients; its learning rate may be a schedule of nn."

OPTIMIZERS: tuple[Row, ...] = (
    Row("torch.optim.Adam", "mindspore.mint.optim.Adam", only_torch={"decoupled_weight_decay": "False"}),
    *same("torch.optim", "mindspore.mint.optim", "AdamW SGD LBFGS"),
    Row("torch.optim.Adam", "mindspore.experimental.optim.Adam", only_torch={"decoupled_weight_decay": "False"}),
    *same(
        "torch.optim",
        "mindspore.experimental.optim",
        """
        AdamW SGD LBFGS Adadelta Adagrad Adamax ASGD RMSprop Rprop Muon Optimizer
    """,
    ),
    *same(
        "torch.optim",
        "mindspore.experimental.optim",
        "NAdam RAdam",
        only_torch={"decoupled_weight_decay": "False", "maximize": "False"},
    ),
    Row(
        "torch.optim.Adam",
        "mindspore.nn.Adam",
        {"lr": "learning_rate", "amsgrad": "use_amsgrad"},
        {"maximize": "False", "decoupled_weight_decay": "False"},
        to_mindspore=_BETAS,
        to_torch=_TO_BETAS,
        note=_CLASSIC + " It adds eps to the square root before the correction of bias.",
    ),
    Row(
        "torch.optim.AdamW",
        "mindspore.nn.AdamWeightDecay",
        {"lr": "learning_rate"},
        {"maximize": "False", "amsgrad": "False"},
        to_mindspore=_BETAS,
        to_torch=_TO_BETAS,
        note=_CLASSIC + " It corrects no bias.",
    ),
    Row("torch.optim.SGD", "mindspore.nn.SGD", {"lr": "learning_rate"}, {"maximize": "False"}, note=_CLASSIC),
    Row(
        "torch.optim.SGD",
        "mindspore.nn.Momentum",
        {"lr": "learning_rate", "nesterov": "use_nesterov"},
        {"maximize": "False", "dampening": "0"},
        note=_CLASSIC,
    ),
    Row(
        "torch.optim.Adadelta",
        "mindspore.nn.Adadelta",
        {"lr": "learning_rate", "eps": "epsilon"},
        {"maximize": "False"},
        note=_CLASSIC,
    ),
    Row(
        "torch.optim.Adagrad",
        "mindspore.nn.Adagrad",
        {"lr": "learning_rate", "initial_accumulator_value": "accum"},
        {"maximize": "False", "lr_decay": "0", "eps": "1e-10"},
        note=_CLASSIC,
    ),
    Row(
        "torch.optim.Adamax",
        "mindspore.nn.AdaMax",
        {"lr": "learning_rate"},
        {"maximize": "False"},
        to_mindspore=_BETAS,
        to_torch=_TO_BETAS,
        note=_CLASSIC,
    ),
    Row("torch.optim.ASGD", "mindspore.nn.ASGD", {"lr": "learning_rate"}, {"maximize": "False"}, note=_CLASSIC),
    Row(
        "torch.optim.RMSprop",
        "mindspore.nn.RMSProp",
        {"lr": "learning_rate", "alpha": "decay", "eps": "epsilon"},
        {"maximize": "False"},
        note=_CLASSIC + " It adds epsilon under the square root, and its average begins with ones.",
    ),
    Row("torch.optim.Rprop", "mindspore.nn.Rprop", {"lr": "learning_rate"}, {"maximize": "False"}, note=_CLASSIC),
    Row(
        "torch.optim.Optimizer.step",
        "mindspore.nn.Optimizer.construct",
        note="Call the optimizer with the gradients of value_and_grad.",
    ),
    Row(
        "torch.optim.Optimizer.zero_grad", None, note="Remove the call: value_and_grad returns new gradients each time."
    ),
    Row("torch.optim.Optimizer.state_dict", "mindspore.experimental.optim.Optimizer.state_dict"),
    Row(
        "torch.optim.Optimizer.load_state_dict", None, note="Call mindspore.load_param_into_net(optimizer, parameters)."
    ),
    Row("torch.optim.Optimizer.add_param_group", "mindspore.experimental.optim.Optimizer.add_param_group"),
    Row("torch.optim.SparseAdam", None, note="Use mint.optim.Adam with dense gradients, or nn.LazyAdam."),
    Row("torch.optim.Adafactor", None, note="MindSpore has none; subclass mindspore.experimental.optim.Optimizer."),
    *absent("torch.optim", "Average the parameters in a step of training, with ops.assign.", "swa_utils"),
    *absent("torch.optim", "It belongs to the inside of PyTorch.", "swap_in_optimizer_params_and_state"),
)

SCHEDULES: tuple[Row, ...] = (
    *same(
        "torch.optim.lr_scheduler",
        "mindspore.experimental.optim.lr_scheduler",
        """
        LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR SequentialLR CosineAnnealingLR
        ReduceLROnPlateau PolynomialLR LRScheduler _LRScheduler:LRScheduler CosineAnnealingWarmRestarts
    """,
    ),
    Row(
        "torch.optim.lr_scheduler.CyclicLR",
        "mindspore.experimental.optim.lr_scheduler.CyclicLR",
        only_torch={"cycle_momentum": "False", "base_momentum": "0.8", "max_momentum": "0.9"},
    ),
    Row("torch.optim.lr_scheduler.ChainedScheduler", None, note="Call step of each schedule."),
    Row(
        "torch.optim.lr_scheduler.OneCycleLR",
        None,
        note="Give the optimizer a list of learning rates, or LambdaLR the curve as a function.",
    ),
    Row(
        "torch.optim.lr_scheduler.LRScheduler.step",
        "mindspore.experimental.optim.lr_scheduler.LRScheduler.step",
        note="After each epoch, as in PyTorch.",
    ),
    Row(
        "torch.optim.lr_scheduler.LRScheduler.get_last_lr",
        "mindspore.experimental.optim.lr_scheduler.LRScheduler.get_last_lr",
    ),
)

_FILL = "{tensor}.set_data(mindspore.common.initializer.initializer(%s, {tensor}.shape, {tensor}.dtype))"
_KINDS = "mindspore.common.initializer."


def _fills(name: str, kind: str, call: str) -> Row:
    """Return the row of a function that fills a parameter, which in MindSpore an initializer does."""
    only = {"generator": "None"}
    return Row(
        f"torch.nn.init.{name}", _KINDS + kind, mindspore_form=_FILL % f"{_KINDS}{kind}({call})", only_torch=only
    )


INIT: tuple[Row, ...] = (
    _fills("constant_", "Constant", "{val}"),
    _fills("ones_", "One", ""),
    _fills("zeros_", "Zero", ""),
    _fills("normal_", "Normal", "{std}, {mean}"),
    _fills("trunc_normal_", "TruncatedNormal", "{std}, {mean}, {a}, {b}"),
    _fills("xavier_uniform_", "XavierUniform", "{gain}"),
    _fills("xavier_normal_", "XavierNormal", "{gain}"),
    _fills("kaiming_uniform_", "HeUniform", "{a}, {mode}, {nonlinearity}"),
    _fills("kaiming_normal_", "HeNormal", "{a}, {mode}, {nonlinearity}"),
    _fills("orthogonal_", "Orthogonal", "{gain}"),
    _fills("eye_", "Identity", ""),
    _fills("dirac_", "Dirac", "{groups}"),
    _fills("sparse_", "Sparse", "{sparsity}, {std}"),
    Row(
        "torch.nn.init.uniform_",
        _KINDS + "Uniform",
        mindspore_form=(
            "{tensor}.set_data(mindspore.mint.rand({tensor}.shape, dtype={tensor}.dtype) * ({b} - {a}) + {a})"
        ),
        note="The initializer Uniform(scale) is symmetric about 0.",
    ),
    Row(
        "torch.nn.init.calculate_gain",
        None,
        note="1 for linear and sigmoid, 5 / 3 for tanh, sqrt(2) for relu, sqrt(2 / (1 + a ** 2)) for leaky_relu of a.",
    ),
    Row(
        "torch.nn.init._calculate_fan_in_and_fan_out",
        "mindspore.common.initializer._calculate_fan_in_and_fan_out",
        mindspore_form="mindspore.common.initializer._calculate_fan_in_and_fan_out({tensor}.shape)",
    ),
    *absent(
        "torch.nn.init",
        "PyTorch itself deprecates the name without the underscore.",
        """
        uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse
    """,
    ),
    Row(
        "torch.nn.utils.clip_grad_norm_",
        "mindspore.ops.clip_by_global_norm",
        note="Clip the gradients that value_and_grad returns: grads = ops.clip_by_global_norm(grads, max_norm).",
    ),
    Row(
        "torch.nn.utils.clip_grad_value_",
        "mindspore.ops.clip_by_value",
        note="Clip the gradients that value_and_grad returns: ops.clip_by_value(grads, -value, value).",
    ),
    Row(
        "torch.nn.utils.parameters_to_vector",
        "mindspore.mint.cat",
        mindspore_form="mindspore.mint.cat([p.reshape(-1) for p in {parameters}])",
    ),
    *absent(
        "torch.nn.utils",
        "Clip or measure the gradients that value_and_grad returns, with ops.clip_by_global_norm.",
        """
        clip_grad_norm clip_grads_with_norm_ get_total_norm
    """,
    ),
    *absent("torch.nn.utils", "Write set_data for each parameter.", "vector_to_parameters"),
    *absent(
        "torch.nn.utils",
        "Compute the weight in construct from its parts.",
        """
        weight_norm spectral_norm remove_weight_norm remove_spectral_norm parametrizations parametrize
        skip_init stateless
    """,
    ),
    *absent(
        "torch.nn.utils",
        "Fuse them in numbers with the formula of batch normalization.",
        """
        fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights
    """,
    ),
    *absent(
        "torch.nn.utils",
        "MindSpore chooses the format in memory.",
        """
        convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format
    """,
    ),
    *absent(
        "torch.nn.utils.rnn",
        "Give LSTM, GRU and RNN the lengths as `seq_length`.",
        """
        pack_padded_sequence pad_packed_sequence pack_sequence PackedSequence
    """,
    ),
    Row(
        "torch.nn.utils.rnn.pad_sequence",
        None,
        note="Pad in the pipeline with padded_batch, or with mint.nn.functional.pad.",
    ),
)
