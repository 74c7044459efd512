"""The update rules of all optimizers: functions of lists of torch tensors, which are changed in place.

    rule(parameters, gradients, *states, *hyperparameters)

The optimizers of `nn.optim`, `experimental.optim` and `mint.optim` and the primitives only say what they call the
states and hyperparameters of a rule. Where MindSpore itself has two formulas (where `eps` is added, whether a weight
decay goes through the means), there are two rules.
"""

# ruff: noqa: F403

from torchspore.ops.updates.rules.adam import *
from torchspore.ops.updates.rules.arithmetic import *
from torchspore.ops.updates.rules.descent import *
from torchspore.ops.updates.rules.layers import *
from torchspore.ops.updates.rules.matrices import *
from torchspore.ops.updates.rules.scaled import *
from torchspore.ops.updates.rules.signs import *
