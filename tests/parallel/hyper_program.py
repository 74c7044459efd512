"""A program of MindSpore's library `hyper_parallel`, which `test_mesh` starts in two processes."""

import hyper_parallel as hp
import mindspore as ms
import numpy as np
from hyper_parallel import DTensor, Replicate, Shard, SkipDTensorDispatch, custom_shard, init_device_mesh, shard_module
from hyper_parallel.core.dtensor.placement_types import Shard as TheShard
from hyper_parallel.core.fully_shard.api import fully_shard
from hyper_parallel.core.fully_shard.utils import MixedPrecisionPolicy
from hyper_parallel.core.shard.sharding_plan import ShardingPlan
from mindspore import Tensor, nn
from mindspore.communication import get_group_size, get_rank, init

init()
mesh = init_device_mesh(device_type="npu", mesh_shape=(get_group_size(),), mesh_dim_names=("dp",))
net = nn.SequentialCell(nn.Dense(4, 8, "ones", "zeros"), nn.ReLU(), nn.Dense(8, 2, "ones", "zeros"))
policy = MixedPrecisionPolicy(param_dtype=ms.float32, reduce_dtype=ms.float32, cast_forward_inputs=False)
fully_shard(net[0], mesh=mesh, mp_policy=policy)
net = fully_shard(net, mesh=mesh, mp_policy=policy)
loss_fn = nn.MSELoss()


def forward(data, label):
    logits = net(data)
    return loss_fn(logits, label), logits


optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
gradients = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=True)
for _ in range(3):
    net.zero_grad()
    (loss, _), found = gradients(Tensor(np.ones((2, 4), np.float32)), Tensor(np.zeros((2, 2), np.float32)))
    with SkipDTensorDispatch():
        optimizer(found)
assert all(isinstance(parameter, DTensor) for parameter in net.trainable_params())
assert net.trainable_params()[0].to_local().shape == (8 // get_group_size(), 4)

column = shard_module(nn.Dense(4, 8), mesh, ShardingPlan({"weight": (Shard(0),), "bias": (Shard(0),)}))
x = DTensor.from_local(Tensor(np.ones((2, 4), np.float32)), mesh, (Replicate(),))
value, (of_weight, _) = hp.parallelize_value_and_grad(lambda x: column(x).sum(), column.trainable_params(), 2.0)(x)
assert of_weight.placements == (TheShard(0),)
assert float(of_weight.full_tensor().sum()) == 2 * 2 * 32
doubled = custom_shard(lambda x: x + get_rank(), mesh, ((Shard(0),),), ((Shard(0),),))(x)
for level, size in (("level1", -1), ("level3", 1)):  # which adds up gradients
    net = hp.hsdp(nn.Dense(4, 2, "ones", "zeros"), size, optimizer_level=level, grad_scale=0.5)
    assert isinstance(net, hp.HSDPCell)
    weight = net.trainable_params()[0]
    assert weight.to_local().shape == ((2 // get_group_size() if size < 0 else 2), 4)
    _, (of_weight, _) = hp.parallelize_value_and_grad(lambda x, net=net: net(x).sum(), net.trainable_params())(
        Tensor(np.full((1, 4), get_rank() + 1, np.float32))
    )
    assert (of_weight.asnumpy() == 0.5 * (1 + 2)).all(), of_weight
assert hp.core.dtensor.ones((4, 2), mesh, (Shard(0),)).to_local().shape == (2, 2)
print(f"{float(loss):.3f}")
print(column(x).placements, doubled.full_tensor().asnumpy().sum(1).tolist())
