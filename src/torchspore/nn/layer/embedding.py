"""Embedding layers: tables of vectors, looked up by index."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from torchspore.common import dtype as mstype
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.initializer import Normal, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, StrictFloat, StrictPositive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import holding
from torchspore.ops.array.creation import arange
from torchspore.ops.array.segments import unsorted_segment_max, unsorted_segment_sum
from torchspore.ops.neural.embedding import embedding, rows_by_product, rows_of, rows_or_zeros

__all__ = ["Embedding", "EmbeddingExt", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]

_SLICE_MODES = ("batch_slice", "field_slice", "table_row_slice", "table_column_slice")

# The inputs of fields.
_INDICES, _WEIGHTS, _FIELDS = holding(mstype.int32, mstype.int64), holding(mstype.float32), holding(mstype.int32)


class Embedding(Cell):
    """A table of vectors, one for each index in [0, vocab_size).

    Args:
        vocab_size: the number of vectors.
        embedding_size: their size.
        use_one_hot: whether rows are taken by a product with one-hot vectors instead of by index; indices outside the
            table then yield zeros. Default: False.
        embedding_table: the table's initializer, its name, a number, or a Tensor of shape (vocab_size,
            embedding_size). Default: "normal".
        dtype: the data type of the one-hot vectors; the table is of float32, or of the Tensor's type. Default: float32.
        padding_idx: a row that starts as zeros, in [0, vocab_size). Default: None.

    Inputs: the indices, a Tensor of int32 or int64.
    Outputs: a Tensor of the shape of the input and then (embedding_size,).

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Embedding(10, 4, padding_idx=0)
        >>> print(net(ms.Tensor([[0], [0]])).shape, net.embedding_table.asnumpy()[0])
        (2, 1, 4) [0. 0. 0. 0.]
    """

    _shown = ("vocab_size", "embedding_size", "use_one_hot", "embedding_table", "dtype", "padding_idx")

    @checked
    def __init__(
        self,
        vocab_size: Positive,
        embedding_size: Positive,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: mstype.Type = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        if padding_idx is not None and not 0 <= padding_idx < vocab_size:
            raise ValueError("'padding_idx' must be in [0, 'vocab_size')")
        self.use_one_hot = use_one_hot
        self.dtype = dtype
        self.padding_idx = padding_idx
        self.on_value, self.off_value = Tensor(1, dtype), Tensor(0, dtype)
        self.embedding_table = _table(embedding_table, (vocab_size, embedding_size), "embedding_table", padding_idx)

    def construct(self, ids: Tensor) -> Tensor:
        if self.use_one_hot:
            return rows_by_product(self.embedding_table, ids, self.on_value, self.off_value)
        return rows_of(self.embedding_table, ids)


class EmbeddingExt(Cell):
    """A table of vectors, as in `mint.nn.Embedding`.

    Args:
        num_embeddings: the number of vectors.
        embedding_dim: their size.
        padding_idx: a row that starts as zeros and gets no gradient; negative ones count from the end. Default: None.
        max_norm: the rows that are used and have a greater norm are first scaled to it, a float. Default: None.
        norm_type: the p of that norm, a float. Default: 2.0.
        scale_grad_by_freq: whether a row's gradient is divided by how often it is used. Default: False.
        sparse: only False is supported. Default: False.
        _weight: the table, a Tensor. Default: None, standard normal numbers.
        _freeze: whether the table is not trained. Default: False.
        dtype: the data type of the table. Default: None, float32.

    Inputs and outputs as for `Embedding`.
    """

    _shown = ("num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "dtype")

    @checked
    def __init__(
        self,
        num_embeddings: Positive,
        embedding_dim: Positive,
        padding_idx: int | None = None,
        max_norm: StrictFloat | None = None,
        norm_type: StrictFloat = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        dtype: mstype.Type | None = None,
    ) -> None:
        super().__init__()
        if sparse:
            raise ValueError("sparse=True is not supported. Leave it out.")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError("'padding_idx' must be in [-'num_embeddings', 'num_embeddings')")
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self.dtype = mstype.float32 if dtype is None else dtype
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            self.weight = _table(Normal(1.0, 0.0), shape, "weight", padding_idx, self.dtype)
        else:
            self.weight = _table(_weight, shape, "weight", None)
        self.weight.requires_grad = not _freeze

    def construct(self, input: Tensor) -> Tensor:
        return embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)


class EmbeddingLookup(Cell):
    """A table of vectors; indices outside it yield zeros.

    Args:
        vocab_size: the number of vectors.
        embedding_size: their size.
        param_init: the table's initializer, its name, a number, or a Tensor. Default: "normal".
        target: "CPU" or "DEVICE"; the table lives on the device in use either way. Default: "CPU".
        slice_mode: how several devices share the table: "batch_slice", "field_slice", "table_row_slice" or
            "table_column_slice"; one device has all of it. Default: "batch_slice".
        manual_shapes: the shares for "field_slice". Default: None.
        max_norm: vectors with a greater Euclidean norm are scaled to it, a float. Default: None.
        sparse: whether MindSpore's gradient is sparse, as it must be for the target "CPU"; ours is a tensor of the
            table's shape either way. Default: True.
        dtype: the data type of the table. Default: float32.

    Inputs and outputs as for `Embedding`.
    """

    BATCH_SLICE, FIELD_SLICE, TABLE_ROW_SLICE, TABLE_COLUMN_SLICE = _SLICE_MODES

    @checked
    def __init__(
        self,
        vocab_size: Positive,
        embedding_size: Positive,
        param_init: Any = "normal",
        target: Annotated[Literal["CPU", "DEVICE"], ValueError] = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: StrictPositive | None = None,
        sparse: bool = True,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        if slice_mode not in _SLICE_MODES:
            warn_user(f"For '{self.cls_name}', 'slice_mode' is not one of {_SLICE_MODES}: it has no effect.")
        if target == "CPU" and not sparse:
            raise ValueError("'sparse' must be True when 'target' is 'CPU', but got False")
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.target = target
        self.slice_mode = slice_mode
        self.manual_shapes = manual_shapes
        self.sparse = sparse
        self.max_norm = max_norm
        self.embedding_table = _table(param_init, (vocab_size, embedding_size), "embedding_table", None, dtype)

    def construct(self, indices: Tensor) -> Tensor:
        return rows_or_zeros(self.embedding_table, indices, self.max_norm)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Vectors from a table, weighted, and combined by fields.

    Args:
        vocab_size, embedding_size: as for `EmbeddingLookup`.
        field_size: the number of fields.
        param_init, target, slice_mode: as for `EmbeddingLookup`.
        feature_num_list: has no effect here. Default: None.
        max_norm, sparse: as for `EmbeddingLookup`.
        operator: how the vectors of a field are combined: "SUM", "MAX", or "MEAN", the sum divided by the sum of
            the weights' magnitudes. Vectors of weight 0 do not count. Default: "SUM".
        dtype: the data type of the table. Default: float32.

    Inputs:
        - input_indices: the indices of the vectors, a Tensor of int32 or int64, of shape (N, L); those outside the
          table yield zeros.
        - input_values: their weights, a float32 Tensor of shape (N, L).
        - field_ids: their fields, an int32 Tensor of shape (N, L).

    Outputs: a Tensor of shape (N, field_size, embedding_size), 0 for fields without a vector or with weights 0 only.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.MultiFieldEmbeddingLookup(4, 1, 2, ms.Tensor([[1.0], [2.0], [3.0], [4.0]]))
        >>> numbers, weights = ms.Tensor([[1, 2, 3]]), ms.Tensor([[1.0, 0.5, 1.0]])
        >>> print(net(numbers, weights, ms.Tensor([[0, 1, 1]], ms.int32)))
        [[[2. ]
          [5.5]]]
    """

    OPERATOR_SUM, OPERATOR_MEAN, OPERATOR_MAX = "SUM", "MEAN", "MAX"

    @checked
    def __init__(
        self,
        vocab_size: Positive,
        embedding_size: Positive,
        field_size: Positive,
        param_init: Any = "normal",
        target: Annotated[Literal["CPU", "DEVICE"], ValueError] = "CPU",
        slice_mode: str = "batch_slice",
        feature_num_list: Any = None,
        max_norm: StrictPositive | None = None,
        sparse: bool = True,
        operator: Annotated[Literal["SUM", "MAX", "MEAN"], ValueError] = "SUM",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        where = (param_init, target, slice_mode, feature_num_list)
        super().__init__(vocab_size, embedding_size, *where, max_norm, sparse, dtype)
        self.field_size = field_size
        self.operator = operator

    def construct(  # type: ignore[override]
        self, input_indices: Tensor, input_values: Tensor, field_ids: Tensor
    ) -> Tensor:
        for kind, name, tensor in (
            (_INDICES, "input_indices", input_indices),
            (_WEIGHTS, "input_values", input_values),
            (_FIELDS, "field_ids", field_ids),
        ):
            kind.take(tensor, name, "MultiFieldEmbeddingLookup")
        if not input_indices.shape == input_values.shape == field_ids.shape or input_indices.ndim != 2:
            raise ValueError("'input_indices', 'input_values' and 'field_ids' must be of one shape, (N, L)")
        batch, size = input_indices.shape[0], self.field_size
        rows = rows_or_zeros(self.embedding_table, input_indices, self.max_norm) * input_values.expand_dims(-1)
        segments = batch * size
        # Every sample has fields of its own. Negative ones do not count, and others out of range are an error.
        fields = field_ids + arange(batch).expand_dims(-1) * size
        fields = fields.masked_fill(field_ids < 0, -1).masked_fill(field_ids >= size, segments)
        if self.operator == "MAX":
            is_ignored = input_values == 0
            fields = fields.masked_fill(is_ignored, -1)
            found = unsorted_segment_sum(is_ignored.logical_not().astype(mstype.int32), fields, segments) > 0
            result = unsorted_segment_max(rows, fields, segments).masked_fill(found.logical_not().expand_dims(-1), 0)
        else:
            result = unsorted_segment_sum(rows, fields, segments)
        if self.operator == "MEAN":
            weights = unsorted_segment_sum(input_values.abs(), fields, segments).expand_dims(-1)
            result = result / weights.masked_fill(weights == 0, 1)
        return result.reshape(batch, size, self.embedding_size)


def _table(
    init: Any, shape: tuple[int, int], name: str, zero_row: int | None, dtype: mstype.Type = mstype.float32
) -> Parameter:
    table = Parameter(initializer(init, shape, dtype), name=name)
    if zero_row is not None:
        table[zero_row] = 0
    return table
