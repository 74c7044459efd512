"""The transformer layers of MindSpore 1.5 to 2.2.

They were in `nn.transformer`, `parallel.nn` and `parallel._transformer`. They compute on one device: the settings of
parallel training are kept and change nothing.
"""

from __future__ import annotations

from torchspore.earlier.transformer.attention import MultiHeadAttention
from torchspore.earlier.transformer.blocks import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from torchspore.earlier.transformer.layers import AttentionMask, CrossEntropyLoss, FeedForward, VocabEmbedding
from torchspore.earlier.transformer.settings import (
    EmbeddingOpParallelConfig,
    MoEConfig,
    OpParallelConfig,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    default_dpmp_config,
    default_embedding_parallel_config,
    default_moe_config,
    default_transformer_config,
    default_transformer_recompute_config,
)

__all__ = [
    "AttentionMask", "CrossEntropyLoss", "EmbeddingOpParallelConfig", "FeedForward", "MoEConfig", "MultiHeadAttention",
    "OpParallelConfig", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TransformerOpParallelConfig", "TransformerRecomputeConfig", "VocabEmbedding",
    "default_dpmp_config", "default_embedding_parallel_config", "default_moe_config", "default_transformer_config",
    "default_transformer_recompute_config",
]  # fmt: skip
