"""Basic layers, embeddings and containers."""

from __future__ import annotations

_SET = "weight_init=m.T, bias_init=Tensor([1.0, 2.0, 3.0, 4.0])"

CASES = [
    f"nn.Dense(3, 4, {_SET})(x)", f"nn.Dense(3, 4, {_SET}, activation='relu')(x)",
    f"nn.Dense(3, 4, {_SET}, activation=nn.Sigmoid())(x)", f"nn.Dense(3, 4, {_SET}, activation=ops.ReLU())(x)",
    "nn.Dense(4, 3, m, has_bias=False)(z)", "nn.Dense(4, 3, m, has_bias=False)(z[0, 0])", "nn.Dense(3, 2, 'ones', 'zeros')(e)",
    "nn.Dense(3, 2, 'ones', 0.5)(x)", "nn.Dense(3, 2, 'ones', 'zeros', dtype=ms.float16)(h)", "nn.Dense(3, 2)(h)",
    "nn.Dense(3, 2, 'ones', 'zeros', dtype=ms.float16)(x)", "nn.Dense(3, 2)(i)", "nn.Dense(3, 2)(d)", "nn.Dense(2, 3)(x)",
    "nn.Dense(3, 2)('a')", "nn.Dense(0, 1)", "nn.Dense(1.5, 2)", "nn.Dense(True, 2)", "nn.Dense(1, -2)",
    "nn.Dense(1, 2, has_bias=1)", "nn.Dense(1, 2, activation=3)", "nn.Dense(1, 2, activation='a')",
    "nn.Dense(1, 2, activation=ops.relu)", "nn.Dense(3, 3, m)", "nn.Dense(3, 4, bias_init=v)", "nn.Dense(1, 2, 'a')",
    "str(nn.Dense(1, 2, Tensor([[1], [2]], ms.float16)).weight.dtype)", "str(nn.Dense(1, 2, dtype=ms.float16).bias.dtype)",
    "nn.Dense(1, 2).activation", "nn.Dense(1, 2, has_bias=False).bias", "nn.Dense(1, 2).activation_flag",
    "nn.Dense(1, 2).has_bias", "[p.name for p in nn.Dense(1, 2).get_parameters()]", "nn.Dense(2, 3).weight.shape",
    "repr(nn.Dense(2, 3))", "repr(nn.Dense(2, 3, has_bias=False))", "repr(nn.Dense(2, 3, activation='relu'))",
    "nn.Linear(3, 4, True, m.T, 0.5)(x)", "nn.Linear(4, 3, False, m)(z)", "nn.Linear(0, 1)", "nn.Linear(1, 2, 1)",
    "nn.Linear(3, 3, weight_init=m)", "repr(nn.Linear(2, 3))", "repr(nn.Linear(2, 3, False))", "nn.Linear(2, 3)(x)",
    "nn.Dropout(p=0.3)(x)", "nn.Dropout(p=0.0).set_train()(x)", "nn.Dropout(p=0).set_train()(x)", "nn.Dropout(p=0.5)('a')",
    "nn.Dropout(p=0.5).set_train()(i)", "nn.Dropout(p=0.5).set_train()(h).shape", "str(nn.Dropout(p=0.5).set_train()(d).dtype)",
    "nn.Dropout(p=1.0)", "nn.Dropout(p=-0.1)", "nn.Dropout(p='a')", "nn.Dropout(p=True)", "repr(nn.Dropout(p=0.3))",
    "nn.Dropout(0.5, 0.2).p", "nn.Dropout1d(0.3)(z)", "nn.Dropout1d(1.0).set_train()(z)", "nn.Dropout1d(0.0).set_train()(x)",
    "nn.Dropout1d(1)", "nn.Dropout1d(1.5)", "nn.Dropout1d().set_train()(img)", "repr(nn.Dropout1d(0.3))",
    "nn.Dropout2d(0.3)(img)", "nn.Dropout2d(1.0).set_train()(img)", "nn.Dropout2d().set_train()(z)", "nn.Dropout2d(2.0)",
    "repr(nn.Dropout2d(0.3))", "nn.Dropout3d(1.0).set_train()(img.reshape(2, 4, 3, 2, 6))", "nn.Dropout3d().set_train()(z)",
    "nn.Dropout3d(1)", "nn.DropoutExt(0.3)(x)", "nn.DropoutExt(0.0).set_train()(x)", "nn.Dropout2dExt(0.3)(img)",
    "nn.Flatten()(img)", "nn.Flatten(0)(z)", "nn.Flatten(1, 2)(img)", "nn.Flatten(0)(s)", "nn.Flatten()(v)",
    "nn.Flatten(2, 1)(img)", "nn.Flatten(9)(img)", "nn.Flatten(1, 9)(img)", "nn.Flatten('a')(x)", "repr(nn.Flatten())",
    "nn.Identity()(x)", "nn.Identity(1, a=2)('a')", "repr(nn.Identity())",
    "nn.Unflatten(1, (3, 1))(x)", "nn.Unflatten(-1, [2, -1])(z)", "nn.Unflatten(1, (2, 2))(x)", "nn.Unflatten('a', (2,))",
    "nn.Unflatten(1, 3)", "nn.Unflatten(9, (3, 1))(x)", "nn.Unflatten(1, (-1, -1))(x)", "repr(nn.Unflatten(1, (3, 1)))",
    "nn.Pad(((1, 1), (0, 2)))(x)", "nn.Pad(((1, 1), (0, 2)))(i)", "nn.Pad(((1, 0), (0, 2)), 'REFLECT')(x)",
    "nn.Pad(((1, 1), (0, 2)), mode='SYMMETRIC')(x)", "nn.Pad(((1, 1), (0, 0), (2, 1)), 'SYMMETRIC')(z)", "nn.Pad([(1, 1)])",
    "nn.Pad(((1, 1, 1),))", "nn.Pad(((1, 1),), mode='a')", "nn.Pad(((1, 1),))(x)", "nn.Pad(((0, 0),) * 5)",
    "nn.Pad(((5, 1), (0, 0)), 'REFLECT')(x)", "nn.Pad(((5, 1), (0, 0)), 'SYMMETRIC')(x)", "repr(nn.Pad(((1, 1),)))",
    "nn.Embedding(5, 4, embedding_table=logits[:, :4].T[:, :1])", "nn.Embedding(5, 4, embedding_table=logits.T)(k)",
    "nn.Embedding(5, 4, embedding_table=logits.T)(labels)", "nn.Embedding(5, 4, True, logits.T)(labels)",
    "nn.Embedding(3, 4, True, m)(Tensor([9, -1, 1], ms.int32))", "nn.Embedding(3, 4, embedding_table=m, padding_idx=1)(k)",
    "nn.Embedding(3, 4, embedding_table=m)(Tensor(1))", "nn.Embedding(3, 4, embedding_table=m)(Tensor([9], ms.int32))",
    "nn.Embedding(3, 4, embedding_table=m)(x)", "nn.Embedding(3, 4, embedding_table=m)(u)", "nn.Embedding(3, 4)(b)",
    "str(nn.Embedding(3, 4, dtype=ms.float16).embedding_table.dtype)", "str(nn.Embedding(2, 3, embedding_table=h)(Tensor([1])).dtype)",
    "nn.Embedding(3, 4, True, m, ms.float16)(k)",
    "nn.Embedding(3, 4, dtype=3)", "nn.Embedding(5.0, 2)", "nn.Embedding(0, 2)", "nn.Embedding(3, 0)", "nn.Embedding(3, 4, 1)",
    "nn.Embedding(3, 4, padding_idx=3)", "nn.Embedding(3, 4, padding_idx=-1)", "nn.Embedding(3, 4, padding_idx='a')",
    "repr(nn.Embedding(3, 4))", "[p.name for p in nn.Embedding(3, 4).get_parameters()]",
    "nn.EmbeddingExt(3, 4, sparse=True)",
    "nn.EmbeddingExt(3, 4, max_norm=1)", "nn.EmbeddingExt(3, 4, padding_idx=3)", "nn.EmbeddingExt(3, 3, _weight=m)",
    "nn.EmbeddingExt(3.0, 4)", "repr(nn.EmbeddingExt(3, 4))", "nn.EmbeddingExt(3, 4, padding_idx=-1).weight[2]",
    
    
    "nn.EmbeddingLookup(3, 4, m)(k)", "nn.EmbeddingLookup(3, 4, m)(Tensor([[9, -1], [1, 2]], ms.int32))",
    "nn.EmbeddingLookup(3, 4, m, max_norm=1.0)(k)", "nn.EmbeddingLookup(3, 4, m, target='DEVICE', sparse=False)(k)",
    "nn.EmbeddingLookup(3, 4, m)(x)",
    "nn.EmbeddingLookup(3, 4, target='a')", "nn.EmbeddingLookup(3, 4, sparse=False)", "nn.EmbeddingLookup(0, 4)",
    "nn.EmbeddingLookup(3, 4, max_norm=0.0)", "nn.EmbeddingLookup(3, 4, max_norm=1)", "nn.EmbeddingLookup(3, 4, sparse=1)",
    "repr(nn.EmbeddingLookup(3, 4))", "[p.name for p in nn.EmbeddingLookup(3, 4).get_parameters()]",
    "nn.SequentialCell(nn.Dense(3, 4, m.T, has_bias=False), nn.ReLU())(x)", "nn.SequentialCell()(x)",
    "nn.SequentialCell([nn.Tanh(), nn.ReLU()])(x)", "repr(nn.SequentialCell(nn.Tanh(), nn.ReLU()))",
]  # fmt: skip

DIFFERENCES = {
    "repr(nn.Dropout2d(0.3))": ("MindSpore prints 1 - p", {"results": [{"python": "'Dropout2d(p=0.3)'"}]}),
    "nn.Embedding(3, 4, embedding_table=m)(Tensor([9], ms.int32))": ("about a value", {"error": "ValueError"}),
}
