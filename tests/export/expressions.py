"""Expressions over the inputs of `cases`, such as `ops.relu(x)` and `nn.Dense(3, 4)(x)`, as networks."""

from __future__ import annotations

import ast

import cases
import torchspore as ms
from torchspore import nn, ops


class Network(nn.Cell):
    """Computes expressions of its inputs: layers and primitives are made first.

    Attributes:
        inputs: the names of the inputs.
    """

    def __init__(self, *expressions):
        super().__init__()
        names = cases.namespace(ms, " ".join(expressions))
        inputs = {name: names.pop(name) for name in cases.INPUTS if name in names}
        maker = _Maker(names)
        trees = [maker.visit(ast.parse(each, mode="eval").body) for each in expressions]
        free = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.inputs = {name: value for name, value in inputs.items() if name in free}
        self.layers = nn.CellList([each for each in maker.made.values() if isinstance(each, nn.Cell)])
        body = ", ".join(ast.unparse(tree) for tree in trees)
        scope = {**names, **maker.made, "__name__": __name__}
        exec(f"def function({', '.join(self.inputs)}): return ({body},)", scope)
        self.function = scope["function"]
        self.set_train(False)

    def construct(self, *args):
        return self.function(*args)


class _Maker(ast.NodeTransformer):
    """Makes what depends on no input: layers, primitives and tensors."""

    def __init__(self, names):
        self.made = {}
        self._names = names

    def visit_Call(self, node):
        if not any(isinstance(part, ast.Name) and part.id in cases.INPUTS for part in ast.walk(node)):
            value = eval(ast.unparse(node), dict(self._names))
            if isinstance(value, (nn.Cell, ops.Primitive, ms.Tensor)):
                self.made[f"made_{len(self.made)}"] = value
                return ast.Name(f"made_{len(self.made) - 1}", ast.Load())
        return self.generic_visit(node)


def leaves(tree):
    """Return the tensors in nested results."""
    parts = tree.values() if isinstance(tree, dict) else tree
    return [leaf for part in parts for leaf in leaves(part)] if isinstance(tree, (tuple, list, dict)) else [tree]
