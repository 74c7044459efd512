"""Names of weights: what is called differently in MindSpore and torch, and how similar two names are."""

from __future__ import annotations

import difflib
import functools
import re
from collections import Counter

__all__ = ["canonical", "close_name", "is_standard", "plain", "role", "roles", "similarity", "torch_names"]

ROLES = {
    "gamma": "weight", "beta": "bias", "moving_mean": "running_mean", "moving_variance": "running_var",
    "mean": "running_mean", "variance": "running_var", "embedding_table": "weight", "moving_var": "running_var",
}  # fmt: skip
"""Names of parameters in MindSpore's layers -> those in torch's."""

_STANDARD = re.compile(
    r"weight|bias|running_(mean|var)|(weight|bias)_(ih|hh)(_l\d+(_reverse)?)?|in_proj_(weight|bias)|bias_[kv]"
    r"|[qkv]_proj_weight"
)

_TOGETHER = {"gamma": "beta", "beta": "gamma", "mean": "variance", "variance": "mean"}

_SYNONYMS = {
    "query": "q", "key": "k", "value": "v", "toq": "q", "tok": "k", "tov": "v", "qproj": "q", "kproj": "k",
    "vproj": "v", "qlin": "q", "klin": "k", "vlin": "v", "wq": "q", "wk": "k", "wv": "v", "querykeyvalue": "qkv",
    "linear": "dense", "batchnorm": "bn", "layernorm": "ln", "convolution": "conv",
}  # fmt: skip


def role(leaf: str) -> str:
    """Return torch's name of a layer's parameter."""
    return ROLES.get(leaf, leaf)


def is_standard(leaf: str) -> bool:
    """Return whether a layer of torch.nn has parameters or buffers of this name."""
    return _STANDARD.fullmatch(leaf) is not None


def canonical(name: str) -> str:
    """Return a path with torch's name of the parameter."""
    path, dot, leaf = name.rpartition(".")
    return path + dot + role(leaf)


@functools.lru_cache(maxsize=100_000)
def plain(label: str) -> str:
    """Return a name without case and underscores, and with one of several usual words."""
    text = label.lower().replace("_", "")
    word = text.rstrip("0123456789")
    return _SYNONYMS.get(word, word) + text[len(word) :]


@functools.lru_cache(maxsize=100_000)
def similarity(first: str, second: str) -> float:
    """Return how similar two names are, from 0 to 1. Numbers do not count, because sides count differently."""
    a, b = (".".join(plain(re.sub(r"\d", "", part)) for part in name.split(".")).strip(".") for name in (first, second))
    if a == b:
        return 1.0
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


def close_name(name: str, others: list[str]) -> str | None:
    """Return the most similar of other names, or None."""
    found = difflib.get_close_matches(canonical(name), [canonical(other) for other in others], n=1, cutoff=0.5)
    return next(other for other in others if canonical(other) == found[0]) if found else None


def torch_names(names: list[str]) -> list[str]:
    """Return the names, with torch's names for the parameters of layers."""
    return [name[: len(name) - len(name.rpartition(".")[2])] + role for name, role in zip(names, roles(names))]


def roles(names: list[str]) -> list[str]:
    """Return for each name what torch's layers call the parameter.

    A parameter `gamma` alone is not a normalization's, which also has `beta`; `w` alone belongs to `PReLU`, which
    checkpoints call `a`.
    """
    known = set(names)
    number = Counter(name.rpartition(".")[0] for name in names)

    def own(name: str) -> str:
        path, dot, leaf = name.rpartition(".")
        if leaf in ("w", "a") and number[path] == 1:
            return "weight"
        other = _TOGETHER.get(leaf)
        return role(leaf) if other is None or path + dot + other in known else leaf

    return [own(name) for name in names]
