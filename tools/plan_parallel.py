"""Estimate how a GPT trains on many GPUs, and suggest how to cut it.

    python tools/plan_parallel.py --network 7B --gpus 64                   # a network of the table
    python tools/plan_parallel.py --layers 40 --hidden 5120 --heads 40 --gpus 128
    python tools/plan_parallel.py --write                                  # the tables of docs/scaling.md

The formulas come from the papers that docs/scaling.md lists, by number. They know nothing of kernels: `efficiency`
is the share of the time of a step in which a GPU computes what the network needs, at its speed in matrix products.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_MAX_MICRO = 8  # sequences
PAGE = Path(__file__).resolve().parents[1] / "docs/scaling.md"


@dataclass(frozen=True)
class Network:
    """A GPT: its sizes, and the sequences of a step on all GPUs."""

    name: str
    layers: int
    hidden: int
    heads: int
    sequence: int = 2048
    vocabulary: int = 51200
    batch: int = 1024

    @property
    def parameters(self) -> float:
        """[1], equation 2."""
        return 12 * self.layers * self.hidden**2 + 13 * self.layers * self.hidden + self._embeddings

    @property
    def _embeddings(self) -> float:
        return (self.vocabulary + self.sequence) * self.hidden

    @property
    def flops(self) -> float:
        """Of a step, forward and backward; [1], equation 3, without the recomputation."""
        main = 72 * self.batch * self.sequence * self.layers * self.hidden**2
        extra = self.sequence / (6 * self.hidden) + self.vocabulary / (12 * self.layers * self.hidden)
        return main * (1 + extra)


@dataclass(frozen=True)
class Cluster:
    """Machines of GPUs; the defaults are eight H100 each. Bytes and operations per second and GPU."""

    gpus: int
    per_machine: int = 8
    memory: float = 80e9
    speed: float = 989e12
    reached: float = 0.6  # of the speed, in matrix products
    inside: float = 450e9
    between: float = 50e9


@dataclass(frozen=True)
class Cut:
    """Copies of the data (dp), of tensors (tp), of layers (pp), and what else divides memory."""

    dp: int
    tp: int
    pp: int
    zero: int = 0
    sequence_parallel: bool = False
    recompute: bool = False
    micro: int = 1  # sequences

    def __str__(self) -> str:
        parts = [f"{name}={size}" for name, size in (("dp", self.dp), ("tp", self.tp), ("pp", self.pp)) if size > 1]
        parts += [f"zero {self.zero}"] * (self.zero > 0) + ["sequence parallel"] * self.sequence_parallel
        return ", ".join([*parts, *["recompute"] * self.recompute, f"micro batch {self.micro}"])


@dataclass(frozen=True)
class Estimate:
    """What a cut costs each GPU: bytes in memory, bytes sent in a step, and the efficiency."""

    cut: Cut
    memory: float
    sent: float
    efficiency: float


def estimate(network: Network, cluster: Cluster, cut: Cut) -> Estimate:
    """Return the costs of a cut."""
    n, sequence, hidden = network, network.sequence, network.hidden
    steps = n.batch // (cut.dp * cut.micro)
    own = n.parameters / (cut.tp * cut.pp)
    shards = [1 / cut.dp if cut.zero >= stage else 1.0 for stage in (3, 2, 1)]
    states = own * (2 * shards[0] + 2 * shards[1] + 12 * shards[2])  # [2], section 3: weights, gradients, Adam

    cells = sequence * cut.micro * hidden  # [3], section 4: bytes of a layer, attention recomputed or fused
    kept = cells * (34 / cut.tp if cut.sequence_parallel or cut.tp == 1 else 10 + 24 / cut.tp)
    layers, waiting = n.layers / cut.pp, min(cut.pp, steps)
    inputs = 2 * cells / (cut.tp if cut.sequence_parallel else 1)
    activations = layers * waiting * inputs + kept if cut.recompute else layers * waiting * kept
    activations += 4 * cells / hidden * n.vocabulary / cut.tp  # [3], section 4.3: logits in float32

    compute = n.flops / cluster.gpus / (cluster.speed * cluster.reached) * (4 / 3 if cut.recompute else 1)
    tensor = (
        2 * cells * 4 * (3 / 2 if cut.recompute else 1) * 2 * (cut.tp - 1) / cut.tp * layers * steps
    )  # [4], section 3
    stages = 2 * 2 * cells * steps / (cut.tp if cut.sequence_parallel else 1) if cut.pp > 1 else 0.0  # [1], section 2.2
    rounds = steps if cut.zero == 3 else 1  # the weights are gathered for every micro batch
    data = 2 * own * (2 + (2 * rounds - 1 if cut.zero == 3 else 0)) * (cut.dp - 1) / cut.dp  # [2], section 7

    of_tensors = tensor / (cluster.inside if cut.tp <= cluster.per_machine else cluster.between)
    of_stages = stages / (cluster.inside if cut.tp * cut.pp <= cluster.per_machine else cluster.between)
    of_data = data / (cluster.inside if cluster.gpus <= cluster.per_machine else cluster.between)
    busy = compute + of_tensors + of_stages
    bubble = busy * (cut.pp - 1) / steps  # [1], section 2.2
    hidden_time = 2 / 3 * compute * (1 if cut.zero == 3 else 1 / steps)  # the backward pass that follows the gradients
    total = busy + bubble + max(0.0, of_data - hidden_time)
    needed = n.flops / cluster.gpus / (cluster.speed * cluster.reached)
    return Estimate(cut, states + activations, tensor + stages + data, needed / total)


def cuts(network: Network, cluster: Cluster) -> Iterator[Cut]:
    """Yield the ways to cut that the sizes allow."""
    for tp in _divisors(math.gcd(network.heads, cluster.per_machine)):
        for pp in _divisors(network.layers):
            dp, rest = divmod(cluster.gpus, tp * pp)
            if rest or dp < 1 or network.batch % dp:
                continue
            for micro in [size for size in _divisors(network.batch // dp) if size <= _MAX_MICRO]:
                for zero in range((1 if dp == 1 else 4) if pp == 1 else min(2, dp)):
                    for recompute in (False, True):
                        yield Cut(dp, tp, pp, zero, tp > 1, recompute, micro)


def suggest(network: Network, cluster: Cluster) -> Estimate | None:
    """Return the most efficient cut that fits in 90 % of the memory, or None."""
    found = [
        each
        for cut in cuts(network, cluster)
        if (each := estimate(network, cluster, cut)).memory < 0.9 * cluster.memory
    ]
    return max(found, key=lambda each: (round(each.efficiency, 3), -each.memory), default=None)


def _divisors(number: int) -> list[int]:
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


# Tables

NETWORKS = [Network("7B", 32, 4096, 32), Network("70B", 80, 8192, 64)]
GPUS = (8, 16, 32, 64, 128, 256, 512)


def ways(network: Network, gpus: int) -> list[Cut]:
    """Return one cut for each way, for comparison."""
    pp = max(divisor for divisor in _divisors(network.layers) if gpus % divisor == 0 and divisor <= gpus)
    tensors = Cut(gpus // 8, 8, 1, recompute=True)
    return [
        Cut(gpus, 1, 1, recompute=True), *[Cut(gpus, 1, 1, zero, recompute=True) for zero in (1, 2, 3)], tensors,
        replace(tensors, sequence_parallel=True), replace(tensors, sequence_parallel=True, recompute=False),
        Cut(gpus // pp, 1, pp, recompute=True), Cut(gpus // pp, 1, pp, 1, recompute=True),
    ]  # fmt: skip


def rows(estimates: list[tuple[str, Estimate | None]], heading: str) -> str:
    """Return a table."""
    lines = [f"| {heading} | memory of a GPU | sent by a GPU in a step | efficiency |", "| --- | ---: | ---: | ---: |"]
    for name, found in estimates:
        if found is None:
            lines.append(f"| {name} | does not fit | | |")
        else:
            fits = "" if found.memory < 72e9 else " (too much)"
            lines.append(
                f"| {name} | {found.memory / 1e9:.0f} GB{fits} | {found.sent / 1e9:.1f} GB | {found.efficiency:.0%} |"
            )
    return "\n".join(lines)


def tables() -> str:
    """Return the tables of the page."""
    parts = []
    for network in NETWORKS:
        compared = [(str(cut), estimate(network, Cluster(64), cut)) for cut in ways(network, 64)]
        parts.append(f"## {network.name}, 64 GPUs, one way each\n\n{rows(compared, 'cut')}")
        best = [(gpus, suggest(network, Cluster(gpus))) for gpus in GPUS]
        named = [(f"{gpus}: {found.cut}" if found else str(gpus), found) for gpus, found in best]
        parts.append(f"## {network.name}, the suggestion\n\n{rows(named, 'GPUs and cut')}")
    return "\n\n".join(parts)


def page(text: str) -> str:
    """Return the page with current tables."""
    marks = "<!-- tables: written by tools/plan_parallel.py -->", "<!-- end of tables -->"
    pattern = re.compile(f"({re.escape(marks[0])}).*({re.escape(marks[1])})", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}\n\n{tables()}\n\n{found[2]}", text)


def main() -> None:
    """Print a suggestion, or write the page."""
    parser = argparse.ArgumentParser(description="Suggest how to cut a GPT over GPUs.")
    parser.add_argument("--write", action="store_true", help="write docs/scaling.md")
    parser.add_argument("--network", choices=[network.name for network in NETWORKS])
    for name, default in (("layers", 32), ("hidden", 4096), ("heads", 32), ("sequence", 2048), ("vocabulary", 51200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--batch", type=int, default=1024, help="sequences of a step, on all GPUs")
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--memory", type=float, default=80, help="GB of a GPU")
    given = parser.parse_args()
    if given.write:
        PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
        return
    known = {network.name: network for network in NETWORKS}
    sizes = (given.layers, given.hidden, given.heads, given.sequence, given.vocabulary, given.batch)
    network = known.get(given.network) or Network("given", *sizes)
    cluster = Cluster(given.gpus, memory=given.memory * 1e9)
    best = suggest(network, cluster)
    print(f"{network.parameters / 1e9:.1f} billion parameters on {cluster.gpus} GPUs")
    if best is None:
        sys.exit("It does not fit: take more GPUs.")
    print(best.cut, f"{best.memory / 1e9:.0f} GB, efficiency {best.efficiency:.0%}", sep="\n")


if __name__ == "__main__":
    main()
