"""What the fused attention operations share: layouts, masks, scores, and packed sequences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.arguments.conversions import as_ints
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits

__all__ = [
    "FAR",
    "Fused",
    "KeepProbability",
    "Layout",
    "Masking",
    "all_none",
    "as_lengths",
    "attend",
    "attend_packed",
    "by_heads",
    "check_ends",
    "check_heads",
    "ends_are_known",
    "first_position",
    "from_pages",
    "heads_of",
    "hidden_by_lengths",
    "kept_by_bits",
    "packed_lengths",
    "packed_positions",
    "sample_part",
    "statistics",
    "to_layout",
]  # fmt: skip

FAR = 2147483647
Layout: TypeAlias = Literal["BSH", "BNSD", "SBH", "BSND", "TND"]
KeepProbability: TypeAlias = Annotated[float, Limits(above=0, maximum=1)]
_ROWS = 1024  # of scores in memory at once where only their sums are needed


# Layouts


def by_heads(x: Tensor, heads: int, layout: str) -> Tensor:
    """Return (B, heads, S, D)."""
    expected = 4 if layout in ("BNSD", "BSND") else 3
    if x.dim() != expected or (expected == 3 and x.shape[2] % heads):
        raise ValueError(
            f"in the layout {layout!r} tensors must have {expected} dimensions and {heads} heads must divide the last "
            "of 3"
        )
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.transpose(1, 2)
    x = x.unflatten(2, (heads, -1))
    return x.transpose(1, 2) if layout == "BSH" else x.permute(1, 2, 0, 3)


def to_layout(x: Tensor, layout: str) -> Tensor:
    """Return a tensor of shape (B, heads, S, D) in a layout."""
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.transpose(1, 2)
    return x.transpose(1, 2).flatten(2) if layout == "BSH" else x.permute(2, 0, 1, 3).flatten(2)


def heads_of(part: Tensor, query: Tensor, layout: str) -> int:
    """Return the number of heads of keys or values, of the same size as the queries' heads."""
    if layout in ("BNSD", "BSND"):
        return part.shape[1 if layout == "BNSD" else 2]
    return max(part.shape[-1] // query.shape[-1], 1)


def check_heads(api: str, query: Tensor, key: Tensor, heads: int, name: str = "head_num") -> None:
    """Refuse numbers of heads (dimension 1) that do not fit."""
    if heads != query.shape[1] or heads % key.shape[1]:
        raise ValueError(
            f"For '{api}', '{name}' must be the number of heads of the queries, {query.shape[1]}, and a multiple of "
            f"the number of heads of the keys, {key.shape[1]}, but got {heads}."
        )


def all_none(*arguments: Any) -> bool:
    """Return whether all arguments are None."""
    return all(given is None for given in arguments)


# Masks


class Masking(NamedTuple):
    """The mask options of MindSpore's fused operations: which keys are hidden from a query."""

    api: str
    mask: Tensor | None
    mode: int
    before: int
    behind: int
    prefix: Tensor | None = None

    def hidden(self, rows: int, columns: int, distance: Callable[[], Tensor], corner: Any) -> Tensor | None:
        """Return the mask of the hidden pairs of query and key, or None for none.

        Args:
            rows, columns: the numbers of queries and keys.
            distance: returns the position of each key minus the position of each query; called only where needed.
            corner: the number of keys minus the number of queries: the distance of the last key from the last query.
        """
        mask = None if self.mask is None else self.mask.bool()
        if self.mode not in (0, 1, 2, 3, 4, 5):
            raise NotImplementedError(
                f"For '{self.api}', 'sparse_mode' must be 0, 1, 2, 3, 4 or 5, but got {self.mode}. Use mode 1 and a "
                "mask."
            )
        if (self.mode == 5) is (self.prefix is None):
            raise ValueError(
                f"For '{self.api}', 'sparse_mode' 5 needs a 'prefix', and no other mode takes one, but got "
                f"{self.mode} and {describe(self.prefix)}."
            )
        if self.mode == 1 and mask is None:
            raise ValueError(f"For '{self.api}', 'sparse_mode' 1 needs an 'attn_mask'.")
        if self.mode == 1 or (self.mode == 0 and (mask is None or min(self.before, self.behind) >= max(rows, columns))):
            return mask
        apart = distance()
        if self.mode in (2, 3):
            return apart > (0 if self.mode == 2 else corner)
        if self.prefix is not None:
            after_prefix = torch.arange(columns, device=apart.device) >= self.prefix[:, None, None, None]
            unseen = after_prefix & (apart > corner)
            return unseen if mask is None else unseen | mask
        apart = apart - corner if self.mode == 4 else apart
        band = (apart > self.behind) | (apart < -self.before)
        return band if self.mode == 4 or mask is None else band | mask


def distances(rows: int, columns: int, device: torch.device, first_row: Any = 0, first_column: Any = 0) -> Tensor:
    """Return the position of each key minus the position of each query, where both begin at given positions."""
    keys = torch.arange(columns, device=device) - first_column
    return keys - (torch.arange(rows, device=device)[:, None] - first_row)


def whole(masking: Masking, query: Tensor, key: Tensor) -> Tensor | None:
    """Return the mask of hidden pairs where all sequences of a batch are as long as the tensors."""
    rows, columns = query.shape[2], key.shape[2]
    return masking.hidden(rows, columns, partial(distances, rows, columns, query.device), columns - rows)


def hidden_by_lengths(
    masking: Masking,
    query: Tensor,
    key: Tensor,
    queries: Tensor | None,
    keys: Tensor | None,
    first_row: Any = 0,
    first_column: Any = 0,
) -> Tensor | None:
    """Return the mask of hidden pairs where the sequences of a batch may be shorter than the tensors.

    Args:
        masking: the other options.
        query, key: tensors of shape (B, heads, S, D).
        queries, keys: the number of them in each sequence, of shape (B,), or None for all.
        first_row, first_column: where the sequences begin, numbers or of shape (B, 1, 1, 1).
    """
    if queries is None and keys is None:
        return whole(masking, query, key)
    rows, columns = query.shape[2], key.shape[2]
    row_count = rows if queries is None else queries[:, None, None, None]
    column_count = columns if keys is None else keys[:, None, None, None]
    distance = partial(distances, rows, columns, query.device, first_row, first_column)
    hidden = masking.hidden(rows, columns, distance, column_count - row_count)
    if keys is None:
        return hidden
    position = torch.arange(columns, device=key.device) - first_column
    outside = (position < 0) | (position >= column_count)
    return outside if hidden is None else hidden | outside


def as_lengths(value: Any, api: str, name: str, device: torch.device) -> Tensor | None:
    """Return ints, or a Tensor of them, as a tensor on a device."""
    if value is None:
        return None
    if isinstance(getattr(value, "_t", None), torch.Tensor):
        return value._t.to(device).reshape(-1)
    counts = as_ints(value, api, name)
    return torch.tensor((counts,) if isinstance(counts, int) else counts, device=device)


def from_pages(pages: Tensor, table: Tensor, heads: int) -> Tensor:
    """Return (B, heads, S, D) from pages of shape (pages, rows, H) or (pages, heads, rows, D)."""
    if pages.dim() == 3:
        return by_heads(pages[table].flatten(1, 2), heads, "BSH")
    return pages[table].transpose(1, 2).flatten(2, 3)


def first_position(size: int, padding: Any, lengths: Tensor | None, api: str, name: str) -> Any:
    """Return where sequences begin that are aligned at the end of their rows, before the padding."""
    if padding is None or lengths is None:
        return 0
    after = as_lengths(padding, api, name, lengths.device)
    return (size - after.clamp(min=0) - lengths)[:, None, None, None]  # type: ignore[union-attr]


# Scores and attention, of tensors of shape (B, heads, S, D)


def attend(
    query: Tensor, key: Tensor, value: Tensor, shift: Tensor | None, hidden: Tensor | None, scale: float, drop: float,
    causal: bool = False,
) -> Tensor:  # fmt: skip
    """Return the attention: `softmax(scale * query @ key.T + shift) @ value`, with dropout.

    If it is causal, from the upper left corner, there must be no other mask and no shift.
    """
    bias = shift
    if hidden is not None:
        zeros = query.new_zeros(()) if shift is None else shift
        bias = torch.where(hidden, torch.finfo(query.dtype).min, zeros)
    grouped = query.shape[1] != key.shape[1]
    if grouped and query.shape[2] == 1 and not causal and (bias is None or bias.dim() < 3 or bias.shape[-3] == 1):
        # The heads of a single query become rows, so the keys need not be copied for each.
        rows = query.reshape(query.shape[0], key.shape[1], -1, query.shape[3])
        result = F.scaled_dot_product_attention(rows, key, value, bias, drop, scale=scale)
        return result.reshape(*query.shape[:3], -1)
    return F.scaled_dot_product_attention(query, key, value, bias, drop, causal, scale=scale, enable_gqa=grouped)


def _scores(query: Tensor, key: Tensor, shift: Tensor | None, hidden: Tensor | None, scale: float) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    groups = query.to(wide).unflatten(1, (key.shape[1], -1)).flatten(2, 3)  # all queries that one head of keys serves
    scores = (groups @ key.to(wide).mT).reshape(*query.shape[:3], -1) * scale
    scores = scores if shift is None else scores + shift
    return scores if hidden is None else scores.masked_fill(hidden, torch.finfo(wide).min)


def statistics(
    query: Tensor, key: Tensor, shift: Tensor | None, hidden: Tensor | None, scale: float
) -> tuple[Tensor, Tensor]:
    """Return each query's maximum score, and the sum of the exponentials of the scores minus that maximum.

    Both are of float32 and shape (B, heads, S, 1), and detached.
    """
    tops, sums = [], []
    for begin in range(0, query.shape[2], _ROWS):
        rows = slice(begin, begin + _ROWS)
        shifts, pairs = [
            part if part is None or part.shape[-2] == 1 else part[..., rows, :] for part in (shift, hidden)
        ]
        scores = _scores(query[:, :, rows].detach(), key.detach(), shifts, pairs, scale).float()
        tops.append(scores.amax(-1, keepdim=True))
        sums.append((scores - tops[-1]).exp().sum(-1, keepdim=True))
    return torch.cat(tops, 2).detach(), torch.cat(sums, 2).detach()


def attend_keeping(
    kept: Tensor, query: Tensor, key: Tensor, value: Tensor, shift: Tensor | None, hidden: Tensor | None,
    scale: float, keep: float,
) -> Tensor:  # fmt: skip
    """Return the attention with a dropout mask: the scores to keep, bools of shape (B, heads, S, S)."""
    weights = torch.softmax(_scores(query, key, shift, hidden, scale), -1).to(value.dtype)
    weights = torch.where(kept, weights / keep, 0)
    groups = weights.unflatten(1, (key.shape[1], -1)).flatten(2, 3)
    return (groups @ value).reshape(*query.shape[:3], -1)


class Fused(NamedTuple):
    """A fused operation on queries, keys and values of shape (B, heads, S, D).

    `shift` returns what is added to the scores, and `kept` the dropout mask, or None to let torch draw it. Both take
    the index of a sequence, or None for a whole batch, and a shape (B, heads, queries, keys).
    """

    masking: Masking
    scale: float
    keep: float = 1.0
    shift: Callable[[int | None, torch.Size], Tensor | None] = lambda index, shape: None
    kept: Callable[[int | None, torch.Size], Tensor | None] = lambda index, shape: None
    with_statistics: bool = False

    def of(self, query: Tensor, key: Tensor, value: Tensor, index: int | None = None) -> tuple[Tensor, ...]:
        """Return the attention, and the statistics if `with_statistics`."""
        shape = torch.Size((*query.shape[:3], key.shape[2]))
        shift, kept, masking = self.shift(index, shape), self.kept(index, shape), self.masking
        if index is not None:
            prefix = None if masking.prefix is None else masking.prefix[index, None]
            masking = masking._replace(mask=sample_part(masking.mask, index, shape), prefix=prefix)
        corner = key.shape[2] - query.shape[2]
        causal = masking.mode == 2 or (masking.mode == 3 and corner == 0)
        if causal and not self.with_statistics and all_none(shift, kept, masking.prefix):  # kernels need no mask
            return (attend(query, key, value, None, None, self.scale, 1 - self.keep, causal),)
        hidden = whole(masking, query, key)
        if kept is None:
            result = attend(query, key, value, shift, hidden, self.scale, 1 - self.keep)
        else:
            result = attend_keeping(kept, query, key, value, shift, hidden, self.scale, self.keep)
        extra = statistics(query, key, shift, hidden, self.scale) if self.with_statistics else ()
        return (result, *extra)

    def in_layout(
        self, parts: list[Tensor], heads: int, layout: str, lengths: list[tuple[int, int]]
    ) -> tuple[Tensor, ...]:
        """Return the attention in the layout of the queries, and the statistics if `with_statistics`."""
        if layout == "TND":
            return self.of_packed(parts, lengths)
        api = self.masking.api
        query = by_heads(parts[0], heads, layout)
        key, value = [by_heads(x, heads_of(x, query, layout), layout) for x in parts[1:]]
        check_heads(api, query, key, heads)
        result, *extra = self.of(query, key, value)
        return (to_layout(result, layout), *extra)

    def of_packed(self, parts: list[Tensor], lengths: list[tuple[int, int]]) -> tuple[Tensor, ...]:
        """Return the same for packed sequences, tensors of shape (T, heads, D)."""
        rows, columns = zip(*lengths)
        results = []
        for index, sequence in enumerate(zip(*[x.split(size) for x, size in zip(parts, (rows, columns, columns))])):
            query, key, value = [x.transpose(0, 1).unsqueeze(0) for x in sequence]
            found = self.of(query, key, value, index)
            results.append([x.squeeze(0).transpose(0, 1) for x in found])
        return tuple([torch.cat(column) for column in zip(*results)])


def sample_part(x: Tensor | None, index: int | None, shape: torch.Size) -> Tensor | None:
    """Return the part of a shift or mask for one sequence: its sample's, cut to its size."""
    if x is None or index is None:
        return x
    return (x[index : index + 1] if x.dim() == 4 and x.shape[0] > 1 else x)[..., : shape[2], : shape[3]]


# Packed sequences: the layout "TND"


def packed_lengths(api: str, query: Tensor, key: Tensor, ends: tuple[Any, Any]) -> list[tuple[int, int]]:
    """Return the numbers of queries and keys of each sequence, from their cumulative sums."""
    lengths = []
    for given, count in zip(ends, (query.shape[0], key.shape[0])):
        part = as_ints(given, api, "actual_seq_qlen and actual_seq_kvlen")
        if not part or list(part) != sorted(part) or part[0] < 0 or part[-1] != count:
            raise ValueError(
                f"For '{api}', in the layout 'TND' the ends of the sequences must rise to {count}, the number of rows, "
                f"but got {describe(list(part))}. Add up the lengths."
            )
        lengths.append([end - begin for begin, end in zip((0, *part), part)])
    if len(lengths[0]) != len(lengths[1]):
        raise ValueError(
            f"For '{api}', queries and keys must have the same number of sequences, but got {describe(lengths)}."
        )
    return list(zip(*lengths))


def check_ends(api: str, layout: str, ends: tuple[Any, Any], parts: list[Tensor], heads: int) -> None:
    """Refuse ends of sequences in other layouts than 'TND', and tensors that are not in that layout."""
    if layout != "TND":
        if not all_none(*ends):
            raise ValueError(
                f"the ends of sequences are for the layout 'TND', but got {describe(list(ends))} with {layout!r}. Hide "
                "keys by a mask."
            )
        return
    if ends[0] is None or ends[1] is None or {x.dim() for x in parts} != {3}:
        raise ValueError(
            "the layout 'TND' needs tensors of 3 dimensions and the ends of the sequences of queries and of keys"
        )
    check_heads(api, parts[0], parts[1], heads)


def packed_positions(ends: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return for each of `count` rows the index of its sequence, its position there, and the sequence's length.

    Rows after the last end are a sequence of their own.
    """
    rows = torch.arange(count, device=ends.device)
    bounds = F.pad(torch.cat([ends.long(), rows.new_full((1,), count)]), (1, 0))
    sequence = torch.searchsorted(bounds[1:-1], rows, right=True)
    return sequence, rows - bounds[sequence], bounds[sequence + 1] - bounds[sequence]


def attend_packed(parts: list[Tensor], ends: tuple[Any, Any], masking: Masking, scale: float, drop: float) -> Tensor:
    """Return the attention of packed sequences whose ends are in Tensors, without reading the values of these."""
    query, key, _ = parts
    sequence, position, length = packed_positions(ends[0]._t.to(query.device), query.shape[0])
    key_sequence, key_position, key_length = packed_positions(ends[1]._t.to(query.device), key.shape[0])
    if masking.mask is not None and masking.mode in (0, 1):
        rows, columns = masking.mask.shape[-2:]  # which rows after the last end may exceed
        row, column = position.clamp(max=rows - 1)[:, None], key_position.clamp(max=columns - 1)
        masking = masking._replace(mask=masking.mask[..., row, column])
    corner = key_length - length[:, None]
    hidden = masking.hidden(query.shape[0], key.shape[0], lambda: key_position - position[:, None], corner)
    same = sequence[:, None] == key_sequence
    apart = query.new_zeros(()).masked_fill(~same, -torch.inf)
    query, key, value = [x.transpose(0, 1).unsqueeze(0) for x in parts]
    result = attend(query, key, value, apart, None if hidden is None else hidden & same, scale, drop)
    return result.squeeze(0).transpose(0, 1)


def ends_are_known(ends: tuple[Any, Any], *others: Tensor | None) -> bool:
    """Return whether the ends of sequences are numbers, or must be because a tensor has a part for each sample."""
    in_tensors = all(hasattr(part, "_t") for part in ends)
    return not in_tensors or any(other is not None and other.dim() == 4 and other.shape[0] > 1 for other in others)


def kept_by_bits(
    bits: Tensor, lengths: list[tuple[int, int]], heads: int
) -> Callable[[int | None, torch.Size], Tensor]:
    """Return the dropout mask that bits stand for: (B, heads, S, S // 8) bytes, or packed for all sequences."""
    bit = torch.arange(8, dtype=torch.uint8, device=bits.device)
    kept = ((bits.unsqueeze(-1) >> bit) & 1).flatten(-2).bool()
    if not lengths:
        return lambda index, shape: kept
    counts = [heads * rows * columns for rows, columns in lengths]
    parts = kept[: sum(counts)].split(counts)
    return lambda index, shape: parts[index or 0].reshape(shape)
