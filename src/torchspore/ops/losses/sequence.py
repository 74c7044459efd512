"""Losses of sequences whose alignment is not known, and the most likely labels of sequences."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common.private_torch import ctc_loss as ctc_kernel
from torchspore.common.scopes.scope import scope
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions, Reduction, Rule
from torchspore.engine.parameters.of_operations import ruled
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.losses.ctc_kernel import ctc
from torchspore.ops.losses.elementary import MODES

__all__ = ["CTCGreedyDecoder", "CTCLoss", "CTCLossV2", "RNNTLoss", "ctc_greedy_decoder", "ctc_loss"]

_IMPOSSIBLE = -1e30  # finite, so that the gradients of unreachable states are zero


_blank_is_class = ruled(
    Rule("'blank' must be a class of 'log_probs'", lambda log_probs, blank: 0 <= blank < log_probs.shape[2])
)


def _lengths(value: Any, device: torch.device) -> Tensor:
    return torch.as_tensor(getattr(value, "_t", value), device=device)


def _kernel() -> Any:
    """Return torch's kernel, or the one whose results have the same sizes in a graph for all values."""
    return ctc_kernel if scope.tracing is None else ctc


def _ctc(
    log_probs: Tensor, targets: Tensor, inputs: Any, labels: Any, blank: int, zero_infinity: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss of every sequence, the logarithms of the forward variables, and the targets' lengths."""
    inputs, labels = _lengths(inputs, log_probs.device), _lengths(labels, log_probs.device)
    loss, alpha = _kernel()(log_probs, targets, inputs, labels, blank, zero_infinity)
    if zero_infinity:
        loss = torch.where(loss == torch.inf, 0, loss)
    # The kernel leaves unreachable states uninitialized, and computes only as many states as the longest target needs.
    alpha = torch.nn.functional.pad(alpha, (0, 2 * targets.shape[1] + 1 - alpha.shape[2]))
    states = torch.arange(alpha.shape[2], device=alpha.device) <= 2 * labels.to(alpha.device)[:, None]
    times = torch.arange(alpha.shape[1], device=alpha.device) < inputs.to(alpha.device)[:, None]
    return loss, alpha.masked_fill(~(states[:, None] & times[:, :, None]), -torch.inf), labels


@op
@_blank_is_class
def ctc_loss(
    log_probs: Annotated[Tensor, Dimensions(3)],
    targets: Annotated[Tensor, Dimensions(2)],
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> Any:
    """The CTC loss: the negative logarithm of the probability of all alignments of a sequence of labels.

    A. Graves et al., Connectionist Temporal Classification, 2006.

    Args:
        log_probs: the logarithms of the classes' probabilities, a Tensor of shape (T, N, C).
        targets: the labels, a Tensor of ints of shape (N, S).
        input_lengths: the number of valid time steps of `log_probs`, of shape (N,), a Tensor or a tuple.
        target_lengths: the number of valid labels, likewise.
        blank: the blank class. Default: 0.
        reduction: "mean" (over the batch, each loss over its number of labels), "sum" or "none". Default: "mean".
        zero_infinity: whether to return 0 instead of infinity for labels that do not fit into the time.
            Default: False.

    Returns:
        (loss, log_alpha): a scalar Tensor, for "none" of shape (N,); the logarithms of the probabilities to be in a
        state at a time, of shape (N, T, 2 * S + 1).

    Raises:
        RuntimeError: a length is out of its range.

    Examples:
        >>> import torchspore as ms
        >>> log_probs = ms.ops.log_softmax(ms.ops.zeros((4, 1, 3)), -1)
        >>> loss, _ = ms.ops.ctc_loss(log_probs, ms.Tensor([[1, 2]]), (4,), (2,), reduction="sum")
        >>> round(float(loss), 4)
        1.6864
    """
    mode = MODES[reduction]
    loss, alpha, labels = _ctc(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    if mode == 1:
        loss = (loss / labels.to(loss.device).clamp(min=1)).mean()
    return loss.sum() if mode == 2 else loss, alpha


@as_primitive
@_blank_is_class
def CTCLossV2(
    log_probs: Annotated[Tensor, Dimensions(3)],
    targets: Annotated[Tensor, Dimensions(2)],
    input_lengths: Any,
    target_lengths: Any,
    *,
    blank: int = 0,
    reduction: Literal["none"] = "none",
    zero_infinity: bool = False,
) -> Any:
    """The CTC loss of every sequence; see `ctc_loss`. `reduction` must be "none"."""
    return _ctc(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)[:2]


@as_primitive
def CTCLoss(
    x: Annotated[Tensor, Dimensions(3)], labels_indices: Annotated[Tensor, Dimensions(2)],
    labels_values: Annotated[Tensor, Dimensions(1)], sequence_length: Tensor, *,
    preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> Any:  # fmt: skip
    """The CTC loss of scores, the last class being the blank, and its gradient.

    Args:
        x: the scores, not normalized, a floating-point Tensor of shape (T, N, C).
        labels_indices: the positions of the labels, a Tensor of int64 of shape (L, 2), sorted pairs (sequence,
            position).
        labels_values: the labels, a Tensor of int32 of shape (L,).
        sequence_length: the number of valid time steps of `x`, a Tensor of int32 of shape (N,).
        preprocess_collapse_repeated: whether equal neighbours in the labels become one label. Default: False.
        ctc_merge_repeated: whether a label may last several time steps. Default: True.
        ignore_longer_outputs_than_inputs: whether to return 0 instead of infinity for labels that do not fit into the
            time. Default: False.

    Returns (loss, gradient): of shape (N,), and of the shape of `x`.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    for name, value, dtype in (
        ("labels_indices", labels_indices, torch.int64),
        ("labels_values", labels_values, torch.int32),
        ("sequence_length", sequence_length, torch.int32),
    ):
        if value.dtype is not dtype:
            raise TypeError(f"'{name}' must be of {dtype}, but got {describe(value)}")
    batch, blank = x.shape[1], x.shape[2] - 1
    rows, labels = labels_indices[:, 0], labels_values
    if preprocess_collapse_repeated and labels.shape[0]:
        new = torch.ones_like(rows, dtype=torch.bool)
        new[1:] = (rows[1:] != rows[:-1]) | (labels[1:] != labels[:-1])
        rows, labels = rows[new], labels[new]
    counts = torch.zeros(batch, dtype=torch.int64, device=x.device).index_add(0, rows, torch.ones_like(rows))
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    loss_of = _merged if ctc_merge_repeated else _unmerged

    def losses(scores: Tensor) -> Tensor:
        loss = loss_of(torch.log_softmax(scores, -1), rows, labels, sequence_length, counts, blank)
        return torch.where(loss == torch.inf, 0, loss) if ignore_longer_outputs_than_inputs else loss

    with torch.enable_grad():
        leaf = wide.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(losses(leaf).sum(), leaf)
    return losses(wide).to(x.dtype), gradient.to(x.dtype)


def _merged(scores: Tensor, rows: Tensor, labels: Tensor, times: Tensor, counts: Tensor, blank: int) -> Tensor:
    # Without labels torch would take the empty targets for a matrix.
    targets = labels if labels.shape[0] else labels.new_zeros(1)
    return _kernel()(scores, targets, times.long(), counts, blank, True)[0]


def _unmerged(scores: Tensor, rows: Tensor, labels: Tensor, times: Tensor, counts: Tensor, blank: int) -> Tensor:
    """The loss where each label lasts one time step: no transition leads from a label to itself."""
    batch, longest = scores.shape[1], labels.shape[0]
    if longest and scope.tracing is None:  # a graph holds for all lengths
        longest = int(counts.max())
    position = torch.arange(rows.shape[0], device=rows.device) - (counts.cumsum(0) - counts)[rows]
    states = torch.full((batch, 2 * longest + 1), blank, dtype=torch.int64, device=scores.device)
    states[rows, 2 * position + 1] = labels.long()
    is_label = torch.arange(2 * longest + 1, device=scores.device) % 2 == 1
    never = torch.full_like(scores[0, :, :1], _IMPOSSIBLE)
    alpha = torch.cat([scores[0].gather(1, states)[:, :2], never.expand(-1, max(2 * longest - 1, 0))], 1)
    for t in range(1, scores.shape[0]):
        before = torch.cat((never, alpha[:, :-1]), 1)
        skipped = torch.cat((never, never, alpha), 1)[:, : alpha.shape[1]]
        stayed = torch.where(is_label, _IMPOSSIBLE, alpha)
        paths = torch.stack((stayed, before, torch.where(is_label, skipped, _IMPOSSIBLE)))
        moved = torch.logsumexp(paths, 0) + scores[t].gather(1, states)
        alpha = torch.where(t < times[:, None], moved, alpha)
    ends = torch.stack((2 * counts, (2 * counts - 1).clamp(min=0)), 1)
    final = alpha.gather(1, ends)
    final = torch.where(torch.stack((counts >= 0, counts > 0), 1), final, _IMPOSSIBLE)
    loss = -torch.logsumexp(final, 1)
    return torch.where(loss > -_IMPOSSIBLE / 2, torch.inf, loss)


@op
def ctc_greedy_decoder(
    inputs: Annotated[Tensor, "T N C"],
    sequence_length: Annotated[Tensor, "N"],
    merge_repeated: bool = True,
) -> Any:
    """Return the labels with the maximum score at every time step; the last class is the blank.

    Args:
        inputs: the scores, a Tensor of float32 or float64 of shape (T, N, C).
        sequence_length: the number of valid time steps, a Tensor of int32 of shape (N,).
        merge_repeated: whether equal neighbours become one label. Default: True.

    Returns:
        (indices, values, shape, log_probability): the labels of all sequences as a sparse matrix: pairs (sequence,
        position) and labels in int64, and its shape; and the negative sum of the maximum scores, of shape (N, 1).

    Examples:
        >>> import torchspore as ms
        >>> scores = ms.Tensor([[[0.9, 0.0, 0.1]], [[0.8, 0.1, 0.1]], [[0.0, 0.1, 0.9]], [[0.1, 0.9, 0.0]]])
        >>> print(ms.ops.ctc_greedy_decoder(scores, ms.Tensor([4], ms.int32))[1])
        [0 1]
    """
    times = torch.arange(inputs.shape[0], device=inputs.device)[:, None] < sequence_length
    best, labels = inputs.max(-1)
    kept = times & (labels != inputs.shape[2] - 1)
    if merge_repeated:
        kept[1:] &= labels[1:] != labels[:-1]
    kept, labels = kept.T, labels.T
    position = kept.cumsum(1) - 1
    rows, columns = kept.nonzero(as_tuple=True)
    longest = kept.sum(1).amax()
    shape = torch.stack((torch.full_like(longest, inputs.shape[1]), longest))
    total = -torch.where(times, best, 0).sum(0)
    return torch.stack((rows, position[rows, columns]), 1), labels[rows, columns], shape, total.unsqueeze(1)


CTCGreedyDecoder = primitive("CTCGreedyDecoder", ctc_greedy_decoder, merge_repeated=True)


@as_primitive
def RNNTLoss(
    acts: Tensor, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor, *, blank_label: int = 0
) -> Any:
    """The transducer loss of scores; A. Graves, Sequence Transduction with Recurrent Neural Networks, 2012.

    Args:
        acts: the scores, not normalized, a floating-point Tensor of shape (N, T, U, C), where U is the maximum number
            of labels plus 1.
        labels: the labels, a Tensor of int32 of shape (N, U - 1).
        input_lengths, label_lengths: the numbers of valid time steps and labels, Tensors of int32 of shape (N,).
        blank_label: the blank class. Default: 0.

    Returns (costs, gradients): of shape (N,), and of the shape of `acts`.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    if acts.dim() != 4 or tuple(labels.shape) != (acts.shape[0], acts.shape[2] - 1):
        raise ValueError("'acts' must be of shape (N, T, U, C) and 'labels' of shape (N, U - 1)")

    def costs(scores: Tensor) -> Tensor:
        return _transducer(scores, labels, input_lengths, label_lengths, blank_label)

    with torch.enable_grad():
        leaf = acts.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(costs(leaf).sum(), leaf)
    return costs(acts), gradient


def _transducer(acts: Tensor, labels: Tensor, times: Tensor, counts: Tensor, blank: int) -> Tensor:
    scores = torch.log_softmax(acts.float(), -1)
    waits = scores[..., blank]
    emits = scores[:, :, :-1].gather(3, labels.long()[:, None, :, None].expand(-1, acts.shape[1], -1, -1)).squeeze(3)
    # The cost to emit the first u labels at one time; within a time, the recursion over u is a sum of these.
    along = torch.nn.functional.pad(emits.cumsum(2), (1, 0))
    alphas = [along[:, 0]]
    for t in range(1, acts.shape[1]):
        alphas.append(torch.logcumsumexp(alphas[-1] + waits[:, t - 1] - along[:, t], 1) + along[:, t])
    alpha = torch.stack(alphas, 1) + waits
    rows = torch.arange(acts.shape[0], device=acts.device)
    return -alpha[rows, times.long() - 1, counts.long()].to(acts.dtype)
