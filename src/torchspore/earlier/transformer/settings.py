"""Settings of the layers for parallel training and mixtures of experts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from torchspore.engine.parameters import Limits, Positive, checked

__all__ = [
    "EmbeddingOpParallelConfig", "MoEConfig", "MoEParallelConfig", "OpParallelConfig", "PipelineConfig",
    "TransformerOpParallelConfig", "TransformerRecomputeConfig", "check_experts", "default_dpmp_config",
    "default_embedding_parallel_config", "default_moe_config", "default_moeparallel_config",
    "default_transformer_config", "default_transformer_recompute_config",
]  # fmt: skip


@dataclass
class OpParallelConfig:
    """How layers are cut over devices: ways of data and of model parallelism. It changes nothing on one device.

    Source: MindSpore 2.0, `parallel._transformer.OpParallelConfig`.

    Examples:
        >>> from torchspore.earlier.transformer import OpParallelConfig
        >>> OpParallelConfig(data_parallel=1).model_parallel
        1
    """

    data_parallel: int = 1
    model_parallel: int = 1


@dataclass
class EmbeddingOpParallelConfig:
    """How the table of embeddings is cut over devices. It changes nothing on one device.

    Source: MindSpore 2.0, `parallel._transformer.EmbeddingOpParallelConfig`.

    Examples:
        >>> from torchspore.earlier.transformer import EmbeddingOpParallelConfig
        >>> EmbeddingOpParallelConfig().vocab_emb_dp
        True
    """

    data_parallel: int = 1
    model_parallel: int = 1
    vocab_emb_dp: bool = True

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The settings of other layers."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


@dataclass
class TransformerRecomputeConfig:
    """What is computed again in the backward pass, to save memory. It changes no result.

    Source: MindSpore 2.0, `parallel._transformer.TransformerRecomputeConfig`.

    Examples:
        >>> from torchspore.earlier.transformer import TransformerRecomputeConfig
        >>> TransformerRecomputeConfig().recompute
        False
    """

    recompute: bool = False
    parallel_optimizer_comm_recompute: bool = False
    mp_comm_recompute: bool = True
    recompute_slice_activation: bool = False


@dataclass
class TransformerOpParallelConfig:
    """How a transformer is cut over devices. It changes nothing on one device.

    Source: MindSpore 2.0, `parallel._transformer.TransformerOpParallelConfig`.

    Examples:
        >>> from torchspore.earlier.transformer import TransformerOpParallelConfig
        >>> TransformerOpParallelConfig().dp_mp_config
        OpParallelConfig(data_parallel=1, model_parallel=1)
    """

    data_parallel: int = 1
    model_parallel: int = 1
    expert_parallel: int = 1
    pipeline_stage: int = 1
    micro_batch_num: int = 1
    recompute: TransformerRecomputeConfig = field(default_factory=TransformerRecomputeConfig)
    optimizer_shard: bool = False
    gradient_aggregation_group: int = 4
    vocab_emb_dp: bool = True

    @property
    def embedding_dp_mp_config(self) -> EmbeddingOpParallelConfig:
        """The settings of the table of embeddings."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The settings of single layers."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    moe_parallel_config = dp_mp_config


@dataclass
class MoEParallelConfig:
    """How a mixture of experts is cut over devices. It changes nothing on one device.

    Source: MindSpore 1.10, `nn.transformer.MoEParallelConfig`.

    Examples:
        >>> from torchspore.earlier.transformer.settings import MoEParallelConfig
        >>> MoEParallelConfig(2, 1, 3).dpmp
        OpParallelConfig(data_parallel=2, model_parallel=1)
    """

    data_parallel: int = 1
    model_parallel: int = 1
    expert_parallel: int = 1

    @property
    def dpmp(self) -> OpParallelConfig:
        """The settings without those of experts."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


@dataclass
class PipelineConfig:
    """How a network is cut into stages. It changes nothing on one device.

    Source: MindSpore 1.10, `nn.transformer.op_parallel_config._PipeLineConfig`.
    """

    pipeline_stage: int = 1
    micro_batch_num: int = 1


class MoEConfig:
    """A mixture of experts in place of the feed-forward layer; this package has layers of one expert.

    Args:
        expert_num: the number of experts. Default: 1.
        capacity_factor, aux_loss_factor, num_experts_chosen, expert_group_size, group_wise_a2a, comp_comm_parallel,
            comp_comm_parallel_degree: kept.

    Source: MindSpore 2.0, `parallel._transformer.MoEConfig`.

    Examples:
        >>> from torchspore.earlier.transformer import MoEConfig
        >>> MoEConfig().expert_num
        1
    """

    @checked
    def __init__(
        self,
        expert_num: Positive = 1,
        capacity_factor: Annotated[float, Limits(above=0)] = 1.1,
        aux_loss_factor: Annotated[float, Limits(above=0)] = 0.05,
        num_experts_chosen: Positive = 1,
        expert_group_size: Positive | None = None,
        group_wise_a2a: bool = False,
        comp_comm_parallel: bool = False,
        comp_comm_parallel_degree: Positive = 2,
    ) -> None:
        self.expert_num = expert_num
        self.capacity_factor = capacity_factor
        self.aux_loss_factor = aux_loss_factor
        self.num_experts_chosen = num_experts_chosen
        self.expert_group_size = expert_group_size
        self.group_wise_a2a = group_wise_a2a
        self.comp_comm_parallel = comp_comm_parallel
        self.comp_comm_parallel_degree = comp_comm_parallel_degree


def check_experts(expert_num: int, api: str) -> None:
    """Check that a layer has one expert.

    Raises:
        NotImplementedError: it has several.
    """
    if expert_num != 1:
        raise NotImplementedError(
            f"For '{api}', 'expert_num' must be 1, but got {expert_num}: there are no mixtures of experts yet."
        )


default_dpmp_config = OpParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()
default_transformer_recompute_config = TransformerRecomputeConfig()
default_transformer_config = TransformerOpParallelConfig()
default_moe_config = MoEConfig()
default_moeparallel_config = MoEParallelConfig()
