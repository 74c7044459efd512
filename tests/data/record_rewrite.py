"""Record how MindSpore reads the networks of `tests/rewrite_networks.py`: run with its Python from the root."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from mindspore.rewrite import SymbolTree

import rewrite_networks

record = {}
for network in rewrite_networks.READ:
    tree = SymbolTree.create(network())
    record[network.__name__] = {
        "nodes": rewrite_networks.nodes(tree),
        "all": [node.get_name() for node in tree.nodes(all_nodes=True)],
        "construct": rewrite_networks.body(tree),
    }
rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in record.items())
Path(__file__).with_name("rewrite.json").write_text(f"{{\n{rows}\n}}\n")
