"""Cases of optimizers over `params`, schedules of an `optimizer`, and initial values of a `tensor`."""

from __future__ import annotations

OPTIMIZERS = {
    "torch.optim.Adam": "optim.Adam(params, lr=0.1, betas=(0.8, 0.99), weight_decay=0.1)",
    "torch.optim.AdamW": "optim.AdamW(params, 0.1, weight_decay=0.1)",
    "torch.optim.SGD": "optim.SGD(params, lr=0.1, momentum=0.9, weight_decay=0.1)",
    "torch.optim.Adadelta": "optim.Adadelta(params, lr=0.5, rho=0.8)",
    "torch.optim.Adagrad": "optim.Adagrad(params, 0.1, initial_accumulator_value=0.1)",
    "torch.optim.Adamax": "optim.Adamax(params, 0.1, weight_decay=0.1)",
    "torch.optim.ASGD": "optim.ASGD(params, lr=0.1, weight_decay=0.1)",
    "torch.optim.NAdam": "optim.NAdam(params, lr=0.1, weight_decay=0.1)",
    "torch.optim.RAdam": "optim.RAdam(params, lr=0.1)",
    "torch.optim.RMSprop": "optim.RMSprop(params, lr=0.1, alpha=0.9, momentum=0.5)",
    "torch.optim.Rprop": "optim.Rprop(params, lr=0.1)",
    "torch.optim.Muon": "optim.Muon(params, lr=0.1)",
}

# What differs, by the counterpart: the notes of the rows say why.
DIFFERENT = {"mindspore.nn.AdamWeightDecay", "mindspore.nn.RMSProp"}

_SCHEDULE = "torch.optim.lr_scheduler."
SCHEDULES = {
    f"{_SCHEDULE}{name}": f"{_SCHEDULE}{name}(optimizer, {arguments})"
    for name, arguments in {
        "ConstantLR": "factor=0.5, total_iters=3",
        "CosineAnnealingLR": "T_max=4, eta_min=0.01",
        "CosineAnnealingWarmRestarts": "2, T_mult=2",
        "CyclicLR": "0.01, 0.1, step_size_up=2, cycle_momentum=False",
        "ExponentialLR": "gamma=0.5",
        "LambdaLR": "lambda step: 0.9**step",
        "LinearLR": "start_factor=0.5, total_iters=4",
        "MultiStepLR": "[2, 4], 0.5",
        "MultiplicativeLR": "lambda step: 0.9",
        "PolynomialLR": "total_iters=4, power=2",
        "ReduceLROnPlateau": "factor=0.5, patience=1",
        "StepLR": "2, 0.5",
    }.items()
}

_INIT = "torch.nn.init."
INIT = {
    f"{_INIT}{name}": f"{_INIT}{name}(tensor{arguments})"
    for name, arguments in {
        "constant_": ", 0.5",
        "eye_": "",
        "kaiming_normal_": ", mode='fan_out', nonlinearity='relu'",
        "kaiming_uniform_": ", a=5**0.5",
        "normal_": ", 0.5, 2.0",
        "ones_": "",
        "orthogonal_": ", 2.0",
        "sparse_": ", 0.2, 1.0",
        "trunc_normal_": ", std=0.5",
        "uniform_": ", -0.5, 2.0",
        "xavier_normal_": ", gain=2.0",
        "xavier_uniform_": "",
        "zeros_": "",
    }.items()
}
