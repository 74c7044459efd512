"""Record what MindSpore 2.10's optimizers do, into `optimizers.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_optimizers.py`.

Cases are Python expressions, evaluated here with MindSpore's names and in the tests with TorchSpore's. The problem is
the same everywhere: three parameters, whose gradients `gradients` below gives for every step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

STEPS = 10
PARAMETERS = {"fc.weight": (2, 3), "fc.bias": (3,), "norm.gamma": (2,)}

# Ten steps of each. `w`, `b` and `g` are the parameters, `Decay` is a weight decay that changes with the step.
TRAJECTORIES = """
nn.SGD([w, b, g], 0.1)
nn.SGD([w, b, g])
nn.SGD([w, b, g], 0.1, 0.9)
nn.SGD([w, b, g], 0.1, 0.9, 0.5)
nn.SGD([w, b, g], 0.1, 0.9, nesterov=True)
nn.SGD([w, b, g], 0.1, 0.0, 0.5, 0.1)
nn.SGD([w, b, g], 0.1, 0.9, 0.25, 0.1, loss_scale=4.0)
nn.SGD([w, b, g], [0.1 * 0.8**i for i in range(10)], 0.5)
nn.SGD([{'params': [w], 'lr': 0.05, 'weight_decay': 0.1}, {'params': [g, b]}], 0.2, 0.9, nesterov=True)
nn.Momentum([w, b, g], 0.1, 0.9)
nn.Momentum([w, b, g], 0.1, 0.0)
nn.Momentum([w, b, g], 1, 0.5, 0.05)
nn.Momentum([w, b, g], 0.1, 0.9, 0.1, 8.0)
nn.Momentum([w, b, g], Tensor(0.2, ms.float32), 0.9, weight_decay=Decay())
nn.Momentum([w, b, g], 0.1, 0.9, weight_decay=Decay(), loss_scale=2.0)
nn.Momentum([w, b, g], nn.ExponentialDecayLR(0.1, 0.9, 4), 0.9)
nn.Momentum([w, b, g], nn.WarmUpLR(0.1, 4), 0.9)
nn.Momentum([w, b, g], Halving(), 0.9)
nn.Momentum([w, b, g], nn.exponential_decay_lr(0.1, 0.9, 10, 3, 1), 0.9)
nn.Momentum([{'params': [w], 'lr': 0.01}, {'params': [b]}, {'params': [g], 'weight_decay': 0.1}], 0.1, 0.9, 0.05)
nn.Momentum([{'params': [w], 'weight_decay': 0.1}, {'params': [b, g]}], nn.CosineDecayLR(0.01, 0.1, 6), 0.9)
nn.Momentum([{'params': [w], 'lr': [0.1 * 0.9**i for i in range(10)]}, {'params': [b, g]}], 0.1, 0.9)
nn.Momentum([{'params': [b], 'lr': nn.PolynomialDecayLR(0.1, 0.01, 6, 0.5)}, {'params': [w, g], 'lr': 0.03}], 0.1, 0.9)
nn.Momentum([{'params': [g]}, {'params': [b, w], 'grad_centralization': True}, {'order_params': [w, b, g]}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'weight_decay': Decay(), 'lr': 0.05}, {'params': [b, g]}], 0.1, 0.9, 0.1, 2.0)
nn.Adam([w, b, g])
nn.Adam([w, b, g], 0.1)
nn.Adam([w, b, g], 0.1, 0.8, 0.9, 0.1)
nn.Adam([w, b, g], 0.1, use_locking=True)
nn.Adam([w, b, g], 0.1, use_nesterov=True)
nn.Adam([w, b, g], 0.1, use_nesterov=True, weight_decay=0.1, loss_scale=2.0)
nn.Adam([w, b, g], 0.1, weight_decay=0.1)
nn.Adam([w, b, g], 0.1, weight_decay=0.1, loss_scale=8.0)
nn.Adam([w, b, g], 0.1, weight_decay=Decay())
nn.Adam([w, b, g], 0.1, use_amsgrad=True)
nn.Adam([w, b, g], 0.1, 0.5, 0.6, use_amsgrad=True, weight_decay=0.1)
nn.Adam([w, b, g], 0.1, use_lazy=True)
nn.Adam([w, b, g], 0.1, use_offload=True)
nn.Adam([w, b, g], [0.1 * 0.8**i for i in range(10)])
nn.Adam([w, b, g], nn.InverseDecayLR(0.1, 0.5, 2, True))
nn.Adam([{'params': [w], 'lr': 0.01, 'weight_decay': 0.1}, {'params': [b, g]}], 0.1)
nn.Adam([{'params': [w], 'lr': nn.NaturalExpDecayLR(0.1, 0.1, 2)}, {'params': [b, g]}], 0.1, weight_decay=0.1)
nn.AdamWeightDecay([w, b, g])
nn.AdamWeightDecay([w, b, g], 0.01, 0.8, 0.9, 0.1, 0.1)
nn.AdamWeightDecay([w, b, g], 0.01, weight_decay=0.1)
nn.AdamWeightDecay([w, b, g], 0.01, weight_decay=Decay())
nn.AdamWeightDecay([w, b, g], nn.WarmUpLR(0.01, 4), weight_decay=0.1)
nn.AdamWeightDecay([{'params': [w], 'lr': 0.02}, {'params': [b, g], 'weight_decay': 0.0}], 0.01, weight_decay=0.1)
nn.ASGD([w, b, g])
nn.ASGD([w, b, g], 0.1, 0.1, 0.5, 3.0)
nn.ASGD([w, b, g], 0.1, 0.01, 0.75, 2.0, weight_decay=0.1)
nn.ASGD([w, b, g], [0.1 * 0.8**i for i in range(10)], 0.1, t0=4.0)
nn.ASGD([{'params': [w], 'lr': 0.05, 'weight_decay': Decay()}, {'params': [b, g]}], 0.2, 0.2, t0=5.0)
nn.AdaMax([w, b, g])
nn.AdaMax([w, b, g], 0.1, 0.8, 0.9, 0.1)
nn.AdaMax([w, b, g], 0.1, weight_decay=0.1, loss_scale=8.0)
nn.AdaMax([w, b, g], [0.1 * 0.8**i for i in range(10)], weight_decay=Decay())
nn.AdaMax([{'params': [w], 'lr': 0.05, 'weight_decay': 0.1}, {'params': [b, g]}], 0.1)
nn.Adadelta([w, b, g])
nn.Adadelta([w, b, g], 0.5, 0.8, 0.01)
nn.Adadelta([w, b, g], 0.5, 0.8, 0.01, 4.0, 0.1)
nn.Adadelta([w, b, g], 0.5, 1.0, 0.0)
nn.Adadelta([w, b, g], [0.1 * 0.8**i for i in range(10)], epsilon=0.1, weight_decay=Decay())
nn.Adadelta([{'params': [w], 'lr': 0.5, 'weight_decay': 0.1}, {'params': [b, g]}], 1.0, 0.9, 0.1)
nn.Adagrad([w, b, g])
nn.Adagrad([w, b, g], 0.5, 0.1)
nn.Adagrad([w, b, g], 0.01, 0.1, True, 4.0, 0.1)
nn.Adagrad([w, b, g], 0.01, nn.CosineDecayLR(0.01, 0.1, 6), weight_decay=Decay())
nn.Adagrad([{'params': [w], 'lr': 0.5, 'weight_decay': 0.1}, {'params': [b, g]}], 0.2, 0.1)
nn.AdamOffload([w, b, g])
nn.AdamOffload([w, b, g], 0.1, 0.8, 0.9, 0.1, use_nesterov=True)
nn.AdamOffload([w, b, g], 0.1, weight_decay=0.1, loss_scale=8.0)
nn.AdamOffload([{'params': [w], 'lr': 0.05, 'weight_decay': 0.1}, {'params': [b, g]}], 0.1)
nn.FTRL([w, b, g])
nn.FTRL([w, b, g], 0.5, 0.1)
nn.FTRL([w, b, g], 0.5, 0.5, -0.3, l2=0.2)
nn.FTRL([w, b, g], 0.5, 0.5, 0.0)
nn.FTRL([w, b, g], 0.1, 0.5, loss_scale=4.0, weight_decay=0.1)
nn.FTRL([w, b, g], 0.1, 0.5, weight_decay=Decay())
nn.FTRL([{'params': [w], 'weight_decay': 0.1}, {'params': [b, g]}], 0.1, 0.5)
nn.LazyAdam([w, b, g])
nn.LazyAdam([w, b, g], 0.1, 0.8, 0.9, 0.1)
nn.LazyAdam([w, b, g], 0.1, 0.8, 0.9, 0.1, use_nesterov=True)
nn.LazyAdam([w, b, g], 0.1, weight_decay=0.1, loss_scale=8.0)
nn.LazyAdam([{'params': [w], 'lr': nn.WarmUpLR(0.1, 4)}, {'params': [b, g]}], 0.1, weight_decay=0.1)
nn.ProximalAdagrad([w, b, g])
nn.ProximalAdagrad([w, b, g], 0.5, 0.1)
nn.ProximalAdagrad([w, b, g], 0.5, 0.3, 0.2, 0.1)
nn.ProximalAdagrad([w, b, g], 0.5, 0.3, 0.2, loss_scale=4.0, weight_decay=0.1)
nn.ProximalAdagrad([w, b, g], 0.5, [0.1 * 0.8**i for i in range(10)], 0.1, 0.2, weight_decay=Decay())
nn.ProximalAdagrad([{'params': [w], 'lr': 0.5, 'weight_decay': 0.1}, {'params': [b, g]}], 0.2, 0.1, 0.1)
nn.RMSProp([w, b, g])
nn.RMSProp([w, b, g], 0.1, 0.8, 0.5, 0.1)
nn.RMSProp([w, b, g], 0.1, 0.8, 0.5, 0.1, True, True)
nn.RMSProp([w, b, g], 0.1, 0.8, 0.5, 0.1, loss_scale=4.0, weight_decay=0.1)
nn.RMSProp([w, b, g], [0.1 * 0.8**i for i in range(10)], centered=True, epsilon=0.01, weight_decay=Decay())
nn.RMSProp([{'params': [w], 'lr': 0.05, 'weight_decay': 0.1}, {'params': [b, g]}], 0.1, momentum=0.9)
nn.Rprop([w, b, g])
nn.Rprop([w, b, g], 0.5, (0.4, 1.5), (0.1, 0.6))
nn.Rprop([w, b, g], 0.1, weight_decay=0.1)
nn.Rprop([w, b, g], [0.1 * 0.8**i for i in range(10)], weight_decay=Decay())
nn.Rprop([{'params': [w], 'lr': 0.05, 'weight_decay': 0.1}, {'params': [b, g]}], 0.2)
nn.AdaFactor([w, b, g])
nn.AdaFactor([w, b, g], 0.1, relative_step=False)
nn.AdaFactor([w, b, g], 0.1, (0.1, 0.5), 0.1, 0.5, 0.8, relative_step=False)
nn.AdaFactor([w, b, g], 0.1, scale_parameter=False, relative_step=False, weight_decay=0.1)
nn.AdaFactor([w, b, g], warmup_init=True)
nn.AdaFactor([w, b, g], scale_parameter=False, weight_decay=0.1)
nn.AdaFactor([{'params': [w]}, {'params': [b, g]}], 0.1, relative_step=False, weight_decay=0.1)
Custom([w, b, g], 0.1)
Custom([w, b, g], [0.1 * 0.9**i for i in range(10)], weight_decay=0.1, loss_scale=2.0)
Custom([{'params': [w], 'lr': 0.05}, {'params': [b, g], 'weight_decay': Decay()}], 0.1, loss_scale=2.0)
Custom([{'params': [w], 'lr': nn.CosineDecayLR(0.01, 0.1, 4)}, {'params': [b, g], 'grad_centralization': True}], 0.1)
""".strip().splitlines()

# What an optimizer consists of, or the error of making it.
CONSTRUCTIONS = """
nn.Momentum(None, 0.1, 0.9)
nn.Momentum([], 0.1, 0.9)
nn.Momentum(w, 0.1, 0.9)
nn.Momentum(5, 0.1, 0.9)
nn.Momentum('abc', 0.1, 0.9)
nn.Momentum([Tensor([1.0])], 0.1, 0.9)
nn.Momentum([{'params': [w]}, b], 0.1, 0.9)
nn.Momentum([w, {'params': [b]}], 0.1, 0.9)
nn.Momentum([w, w], 0.1, 0.9)
nn.Momentum((w, b), 0.1, 0.9)
nn.Momentum((p for p in [w, b]), 0.1, 0.9)
nn.Momentum([w], 'a', 0.9)
nn.Momentum([w], None, 0.9)
nn.Momentum([w], -0.1, 0.9)
nn.Momentum([w], 0.0, 0.9)
nn.Momentum([w], 1, 0.9)
nn.Momentum([w], Tensor([[0.1]], ms.float32), 0.9)
nn.Momentum([w], Tensor([0.5, 0.2], ms.float32), 0.9)
nn.Momentum([w], Tensor(0.5, ms.float64), 0.9)
nn.Momentum([w], Parameter(Tensor(0.5, ms.float32), name='mine'), 0.9)
nn.Momentum([w], iter([0.1, 0.2]), 0.9)
nn.Momentum([w], (0.1, 0.2), 0.9)
nn.Momentum([w], np.array([0.1, 0.2]), 0.9)
nn.Momentum([w], [], 0.9)
nn.Momentum([w], [0.1, 'a'], 0.9)
nn.Momentum([w], Decay(), 0.9)
nn.Momentum([w], lambda step: 0.1, 0.9)
nn.Momentum([w], 0.1, -0.9)
nn.Momentum([w], 0.1, 2.0)
nn.Momentum([w], 0.1, 1)
nn.Momentum([w], 0.1, 'a')
nn.Momentum([w], 0.1, 0.9, use_nesterov=1)
nn.Momentum([w], 0.1, 0.9, -0.1)
nn.Momentum([w], 0.1, 0.9, 1)
nn.Momentum([w], 0.1, 0.9, 'a')
nn.Momentum([w], 0.1, 0.9, None)
nn.Momentum([w], 0.1, 0.9, [0.1])
nn.Momentum([w], 0.1, 0.9, loss_scale=0.0)
nn.Momentum([w], 0.1, 0.9, loss_scale=-1.0)
nn.Momentum([w], 0.1, 0.9, loss_scale=2)
nn.Momentum([w], 0.1, 0.9, loss_scale='2')
nn.Momentum([w], 0.1, 0.9, loss_scale=float('inf'))
nn.Momentum([{'lr': 0.1}], 0.1, 0.9)
nn.Momentum([{'params': []}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'momentum': 0.9}], 0.1, 0.9)
nn.Momentum([{'params': [w]}, {'params': [w]}], 0.1, 0.9)
nn.Momentum([{'params': [Tensor([1.0])]}], 0.1, 0.9)
nn.Momentum([{'params': w}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': -0.1}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': 'x'}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'weight_decay': -0.1}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'weight_decay': 'a'}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'grad_centralization': 1}], 0.1, 0.9)
nn.Momentum([{'params': [w]}, {'params': [b]}, {'order_params': [w]}], 0.1, 0.9)
nn.Momentum([{'params': [w]}, {'order_params': [w, b]}], 0.1, 0.9)
nn.Momentum([{'params': [w]}, {'params': [b]}, {'order_params': [w, b], 'lr': 0.1}], 0.1, 0.9)
nn.Momentum([{'params': [w]}, {'params': [b]}, {'order_params': [b, w]}], 0.1, 0.9)
nn.Momentum([{'params': [w]}, {'order_params': 5}], 0.1, 0.9)
nn.Momentum([{'order_params': [w, b]}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': [0.1, 0.2]}, {'params': [b], 'lr': [0.1, 0.2, 0.3]}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': [0.1, 0.2]}, {'params': [b]}], [0.1, 0.2, 0.3], 0.9)
nn.Momentum([{'params': [w], 'lr': Tensor(0.5, ms.float32)}, {'params': [b]}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': 1}, {'params': [b]}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': [0.1, 0.2]}, {'params': [b], 'lr': 0.3}, {'params': [g]}], 0.1, 0.9, 0.1)
nn.Momentum([{'params': [w], 'weight_decay': 0.1}, {'params': [b]}], 0.1, 0.9, loss_scale=4.0)
nn.SGD([w, b, g], 0.1, 0.9, weight_decay=0.1)
nn.SGD([w], 0.1, -0.9)
nn.SGD([w], 0.1, 1)
nn.SGD([w], 0.1, 'a')
nn.SGD([w], 0.1, 0.9, -0.1)
nn.SGD([w], 0.1, 0.9, 1)
nn.SGD([w], 0.1, 0.9, 2.0)
nn.SGD([w], 0.1, 0.9, 0.1, nesterov=True)
nn.SGD([w], 0.1, nesterov=True)
nn.SGD([w], 0.1, nesterov=1)
nn.SGD([w], 0.1, weight_decay=1)
nn.SGD([w], 0.1, weight_decay=-0.1)
nn.SGD([w], 0.1, weight_decay=Decay())
nn.SGD([w], 0.1, loss_scale=-1.0)
nn.Adam([w], 0.1, loss_scale=1024.0, weight_decay=0.5)
nn.Adam([w], 0.1, use_amsgrad=True)
nn.Adam([w], beta1=0.0)
nn.Adam([w], beta1=1.0)
nn.Adam([w], beta1=1)
nn.Adam([w], beta2=1.0)
nn.Adam([w], beta2='1.0')
nn.Adam([w], eps=0.0)
nn.Adam([w], eps=1)
nn.Adam([w], eps=-1e-8)
nn.Adam([w], use_locking=1)
nn.Adam([w], use_nesterov=1)
nn.Adam([w], use_amsgrad=1)
nn.Adam([w], use_amsgrad=True, use_nesterov=True)
nn.Adam([w], use_amsgrad=True, use_lazy=True)
nn.Adam([w], use_amsgrad=True, use_offload=True)
nn.Adam([w], use_lazy=True, use_offload=True)
nn.Adam([w], use_lazy=1)
nn.Adam([w], use_offload=1)
nn.Adam([w], unknown=1)
nn.AdamWeightDecay([w, b, g], weight_decay=0.1)
nn.AdamWeightDecay([w], beta1=1.0)
nn.AdamWeightDecay([w], beta2=0.0)
nn.AdamWeightDecay([w], eps=0.0)
nn.AdamWeightDecay([w], weight_decay=1)
nn.ASGD([w, b, g], weight_decay=0.1)
nn.ASGD([w], lambd=1)
nn.ASGD([w], alpha='a')
nn.ASGD([w], t0=1)
nn.ASGD([w], 0.1, -0.1, -1.0, -1.0)
nn.AdaMax([w, b, g])
nn.AdaMax([w], beta1=1.0)
nn.AdaMax([w], beta2=0.0)
nn.AdaMax([w], eps=0.0)
nn.AdaMax([w], beta1=1)
nn.Adadelta([w, b, g], loss_scale=2.0, weight_decay=0.5)
nn.Adadelta([w], rho=1.1)
nn.Adadelta([w], rho=-0.1)
nn.Adadelta([w], rho=1)
nn.Adadelta([w], epsilon=-1.0)
nn.Adadelta([w], epsilon=1)
nn.Adagrad([w, b, g])
nn.Adagrad([w], accum=-0.1)
nn.Adagrad([w], accum=1)
nn.Adagrad([w], update_slots=1)
nn.AdamOffload([w, b, g])
nn.AdamOffload([w], beta1=1.0)
nn.AdamOffload([w], use_locking=1)
nn.AdamOffload([w], use_nesterov=1)
nn.FTRL([w, b, g], use_locking=True)
nn.FTRL([w], initial_accum=-0.1)
nn.FTRL([w], initial_accum=1)
nn.FTRL([w], lr_power=0.1)
nn.FTRL([w], lr_power=-1)
nn.FTRL([w], l1=-0.1)
nn.FTRL([w], l2=-0.1)
nn.FTRL([w], l1=1)
nn.FTRL([w], use_locking=1)
nn.FTRL([w], 0.1, [0.1, 0.2])
nn.FTRL([w], 0.1, nn.WarmUpLR(0.1, 4))
nn.FTRL([w], 0.1, 0.0)
nn.FTRL([{'params': [w], 'lr': 0.1}])
nn.Lamb([w, b, g], 0.1, weight_decay=0.1)
nn.Lamb([w], 0.1, beta1=1.0)
nn.Lamb([w], 0.1, beta2=0.0)
nn.Lamb([w], 0.1, eps=0.0)
nn.Lamb([w], 0.1, eps=1)
nn.LazyAdam([w, b, g])
nn.LazyAdam([w], beta1=1.0)
nn.LazyAdam([w], weight_decay=Decay())
nn.LazyAdam([w], eps=0.0)
nn.LazyAdam([w], use_locking=1)
nn.LazyAdam([w], use_nesterov=1)
nn.ProximalAdagrad([w, b, g])
nn.ProximalAdagrad([w], accum=-0.1)
nn.ProximalAdagrad([w], accum=1)
nn.ProximalAdagrad([w], l1=-0.1)
nn.ProximalAdagrad([w], l2=-0.1)
nn.ProximalAdagrad([w], l2=1)
nn.ProximalAdagrad([w], use_locking=1)
nn.RMSProp([w, b, g])
nn.RMSProp([w, b, g], centered=True)
nn.RMSProp([w], decay=-0.1)
nn.RMSProp([w], decay=1)
nn.RMSProp([w], decay=2.0)
nn.RMSProp([w], momentum=-0.1)
nn.RMSProp([w], momentum=1)
nn.RMSProp([w], epsilon=0.0)
nn.RMSProp([w], epsilon=1)
nn.RMSProp([w], use_locking=1)
nn.RMSProp([w], centered=1)
nn.Rprop([w, b, g])
nn.Rprop([w], etas=[0.5, 1.2])
nn.Rprop([w], etas=(0.5, 1.2, 1.3))
nn.Rprop([w], etas=(0.5, 1))
nn.Rprop([w], etas=(1.0, 1.2))
nn.Rprop([w], etas=(0.0, 1.2))
nn.Rprop([w], etas=(0.5, 1.0))
nn.Rprop([w], etas=0.5)
nn.Rprop([w], step_sizes=[1e-6, 50.0])
nn.Rprop([w], step_sizes=(1e-6, 50))
nn.Rprop([w], step_sizes=(50.0, 1.0))
nn.Rprop([w], step_sizes=(0.1,))
nn.AdaFactor([w, b, g])
nn.AdaFactor([w, b, g], compression=True)
nn.AdaFactor([w], 0.1)
nn.AdaFactor([w], relative_step=False)
nn.AdaFactor([w], 0.1, relative_step=False, warmup_init=True)
nn.AdaFactor([w], eps=(0.1,))
nn.AdaFactor([w], eps=[1e-30, 0.1])
nn.AdaFactor([w], eps=0.1)
nn.AdaFactor([w], eps=(-1.0, 0.1))
nn.AdaFactor([w], clip_threshold=-1.0)
nn.AdaFactor([w], clip_threshold=1)
nn.AdaFactor([w], decay_rate=-1.0)
nn.AdaFactor([w], decay_rate=2.0)
nn.AdaFactor([w], beta1=-0.1)
nn.AdaFactor([w], weight_decay=-0.1)
nn.AdaFactor([w], weight_decay=1)
nn.AdaFactor([w], weight_decay=Decay())
nn.AdaFactor([w], scale_parameter=1)
nn.AdaFactor([w], relative_step=1)
nn.AdaFactor([w], compression=1)
nn.LARS(nn.Momentum([w], 0.1, 0.9), epsilon=1)
nn.LARS(nn.Momentum([w], 0.1, 0.9), coefficient='a')
nn.LARS(nn.Momentum([w], 0.1, 0.9), use_clip=1)
nn.Optimizer(0.1, [w, b], 0.1, 2.0)
nn.Optimizer([0.1, 0.2], [w])
""".strip().splitlines()

# Two training steps of `Net`, a linear layer, with a squared error: the outputs, then the parameters.
TRAININGS = """
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.SGD(net.trainable_params(), 0.1))
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.SGD(net.trainable_params(), 0.1), sens=2.0)
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.SGD(net.trainable_params(), 0.1), sens=Tensor(2.0))
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.SGD(net.trainable_params(), 0.1), sens=-1)
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=64.0), 64.0)
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.Adam(net.trainable_params(), 0.1), return_grad=True)
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.Adam(net.trainable_params(), 0.1), 3, True)
nn.TrainOneStepCell(nn.WithLossCell(net, Both()), nn.SGD(net.trainable_params(), 0.1))
nn.TrainOneStepCell(nn.WithLossCell(net, Both()), nn.SGD(net.trainable_params(), 0.1), return_grad=True)
nn.TrainOneStepCell(nn.WithLossCell(net, Each()), nn.SGD(net.trainable_params(), 0.1), 2.0)
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.SGD([net.b], 0.1))
nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), nn.SGD(net.trainable_params(), 0.1), sens=0)
nn.WithLossCell(net, Loss())
nn.WithLossCell(net, lambda a, b: (a - b).sum())
nn.WithEvalCell(net, Loss())
nn.WithEvalCell(net, Loss(), True)
nn.WithEvalCell(net, Loss(), 1)
""".strip().splitlines()


def names(ms: Any) -> dict[str, Any]:
    """Return the names that the expressions see, with `ms` as MindSpore; the parameters are new in every call."""
    nn, Tensor, Parameter = ms.nn, ms.Tensor, ms.Parameter

    class Decay(nn.Cell):
        def construct(self, step: Any) -> Any:
            return (step + 1) * 0.01

    class Halving(nn.learning_rate_schedule.LearningRateSchedule):
        def construct(self, step: Any) -> Any:
            return 0.5**step * 0.2

    class Custom(nn.Optimizer):
        def __init__(self, params: Any, learning_rate: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0) -> None:
            super().__init__(learning_rate, params, weight_decay, loss_scale)

        def construct(self, gradients: Any) -> Any:
            gradients = self.flatten_gradients(gradients)
            gradients = self.decay_weight(gradients)
            gradients = self.gradients_centralization(gradients)
            gradients = self.scale_grad(gradients)
            rates = self.get_lr()
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            for i, (parameter, gradient) in enumerate(zip(self.parameters, gradients)):
                rate = rates[i] if self.is_group_lr else rates
                parameter.set_data(parameter - rate * gradient)

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0], ms.float32), name="w")
            self.b = Parameter(Tensor([0.5], ms.float32), name="b")

        def construct(self, x: Any) -> Any:
            return x * self.w + self.b

    class Loss(nn.Cell):
        def construct(self, a: Any, b: Any) -> Any:
            return ((a - b) ** 2).mean()

    class Each(nn.Cell):
        def construct(self, a: Any, b: Any) -> Any:
            return (a - b) ** 2

    class Both(nn.Cell):
        def construct(self, a: Any, b: Any) -> Any:
            return ((a - b) ** 2).mean(), (a * 0.5).sum()

    parameters = [Parameter(Tensor(start(shape)), name=name) for name, shape in PARAMETERS.items()]
    local = {
        "Decay": Decay,
        "Halving": Halving,
        "Custom": Custom,
        "Loss": Loss,
        "Each": Each,
        "Both": Both,
        "net": Net(),
    }
    return {
        "ms": ms,
        "np": np,
        "nn": nn,
        "Tensor": Tensor,
        "Parameter": Parameter,
        **local,
        **dict(zip("wbg", parameters)),
    }


def start(shape: tuple[int, ...]) -> np.ndarray:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def gradients(values: list[np.ndarray], step: int) -> list[np.ndarray]:
    """Return the gradients at `values` in a step: of a bowl, and of a wave."""
    found = []
    for value in values:
        wave = np.cos(np.arange(value.size) + step * 1.3).reshape(value.shape)
        found.append((0.7 * value + wave).astype(np.float32))
    return found


def numbers(value: Any) -> Any:
    """Return tensors, numbers, and tuples, lists and dicts of them as plain data."""
    if isinstance(value, (tuple, list)):
        return [numbers(element) for element in value]
    if isinstance(value, dict):
        return {key: numbers(element) for key, element in value.items()}
    array = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value, np.float64)
    return [float(f"{v:.8g}") for v in array.ravel()]


def trajectory(ms: Any, expression: str) -> dict[str, Any]:
    """Return the parameters after every step, by name, and all else that the optimizer holds after the last one."""
    optimizer = eval(expression, names(ms))
    steps = []
    for step in range(STEPS):
        given = gradients([parameter.asnumpy() for parameter in optimizer.parameters], step)
        optimizer(tuple(ms.Tensor(gradient * optimizer.loss_scale) for gradient in given))
        steps.append({parameter.name: numbers(parameter) for parameter in optimizer.parameters})
    state = {p.name: numbers(p) for p in optimizer.get_parameters() if p.name not in PARAMETERS}
    return {"steps": steps, "state": state}


def construction(ms: Any, expression: str) -> dict[str, Any]:
    """Return what the optimizer consists of, or the type of the error."""
    try:
        return _facts(eval(expression, names(ms)))
    except Exception as error:
        return {"error": type(error).__name__}


def _facts(optimizer: Any) -> dict[str, Any]:
    facts = {
        "parameters": {p.name: [list(p.shape), str(p.dtype), p.requires_grad] for p in optimizer.get_parameters()},
        "trained": [parameter.name for parameter in optimizer.parameters],
        "learning_rate": numbers(optimizer.get_lr()),
        "weight_decay": numbers(optimizer.get_weight_decay()),
        "holders": [holder.name for holder in optimizer.get_lr_parameter(list(optimizer.parameters))],
    }
    flags = (
        "is_group is_group_lr is_group_params_ordered dynamic_lr dynamic_weight_decay dynamic_decay_flags decay_flags"
    )
    flags += " exec_weight_decay need_scale loss_scale grad_centralization param_length"
    for flag in flags.split():
        value = getattr(optimizer, flag)
        facts[flag] = list(value) if isinstance(value, tuple) else value
    return facts


def training(ms: Any, expression: str) -> Any:
    """Return the outputs of two calls and the parameters after each, or the type of the error."""
    known = names(ms)
    x, y = ms.Tensor([1.0, 2.0], ms.float32), ms.Tensor([0.0, 1.0], ms.float32)
    try:
        cell = eval(expression, known)
        return [[numbers(cell(x, y)), numbers(known["net"].w), numbers(known["net"].b)] for _ in range(2)]
    except Exception as error:
        return {"error": type(error).__name__}


if __name__ == "__main__":
    import mindspore
    from tables import dump

    mindspore.set_context(pynative_synchronize=True)
    tables = {
        "trajectories": {expression: trajectory(mindspore, expression) for expression in TRAJECTORIES},
        "constructions": {expression: construction(mindspore, expression) for expression in CONSTRUCTIONS},
        "trainings": {expression: training(mindspore, expression) for expression in TRAININGS},
    }
    Path(__file__).with_name("optimizers.json").write_text(dump(tables), encoding="utf-8")
