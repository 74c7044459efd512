"""What compiled graphs of the tests are kept in: a folder that goes when they end."""

from __future__ import annotations

import os
import tempfile

_folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.environ["TORCHSPORE_CACHE_DIR"] = _folder.name
