"""Captured graphs: what `jit` and GRAPH_MODE run.

A call of a captured function goes through these modules, in this order:

1. `function` computes the `signature` of the arguments and looks for a `graph` whose `guards` still hold. With one, it
   runs that graph (step 5). Without one, it records the call.
2. `reachable_state` finds what the function may read besides its arguments, so that `guards` can compare it later.
3. The call is recorded. At level O0, `live` records while it runs on real tensors; otherwise `trace` runs it on fake
   tensors (`fake_values`), and `concrete_run` answers what it asks about values. In both cases `record` turns torch
   operations into a `torch.fx` graph, and `watch` looks out for `side_effects` that a graph could not repeat.
4. The recorded path is added to the tree of the function's paths (`branching`). `results` generates the code that
   rebuilds the function's result, and `effects` lists the attributes that it sets.
5. The tree runs: as generated Python at level O0 (`generated_python`), as compiled code at O1 and O2 (`levels`,
   `library`, `compilation`, `disk_cache`).

A function that cannot be recorded runs eagerly, with one warning that names the line.
"""
