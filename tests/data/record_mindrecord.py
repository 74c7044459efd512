"""Record files that MindSpore has written, and what it reads from them: mindrecord.zip and mindrecord.json.

Run in an environment with MindSpore 2.10: python tests/data/record_mindrecord.py
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import tempfile
import zipfile

import mindspore.dataset as ds
from mindspore import mindrecord

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "mindrecord"))
from record_cases import FILES, ORDERS, orders, plain, write

KEY = "0123456789abcdef"


def pages(path: str, field: str) -> list[object]:
    """Return what MindPage says of a field."""
    page = mindrecord.MindPage(path)
    page.category_field = field
    info = page.read_category_info()
    return [page.candidate_fields, info, [row["x"] for row in page.read_at_page_by_id(1, 0, 3)]]


here = pathlib.Path(__file__).parent
with tempfile.TemporaryDirectory() as folder:
    found: dict[str, object] = {"rows": {}, "schemas": {}}
    for name, (_, _, shards, _) in FILES.items():
        write(mindrecord, folder, name)
        reader = mindrecord.FileReader(f"{folder}/{name}{'0' if shards > 1 else ''}")
        rows = [{key: plain(value) for key, value in row.items()} for row in reader.get_next()]
        found["rows"][name], found["schemas"][name] = rows, reader.schema()
        reader.close()
    found["pages"] = pages(f"{folder}/shards0", "label")
    found["orders"] = {expression: orders(ds, expression, folder) for expression in ORDERS}
    mindrecord.set_enc_key(KEY)
    os.mkdir(f"{folder}/encrypted")
    write(mindrecord, f"{folder}/encrypted", "numbers")
    with zipfile.ZipFile(here / "mindrecord.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(parent, name)
                archive.write(path, os.path.relpath(path, folder))
(here / "mindrecord.json").write_text(json.dumps(found, indent=0) + "\n")
