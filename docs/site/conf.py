"""Settings of Sphinx for the site, in the language that `-D language` gives."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(ROOT / "tools"), str(HERE)]

from torchspore.version import __version__  # noqa: E402


def repository() -> str | None:
    """Return the address of the repository on the web; None if this copy has none."""
    given = os.environ.get("TORCHSPORE_REPOSITORY")
    command = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
    address = given or subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    address = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", address).removesuffix(".git")
    return address if address.startswith("https://") else None


project = "TorchSpore"
author = "The authors of TorchSpore"
version = release = __version__
extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "sphinx_design", "site_extension",
]  # fmt: skip
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
default_role = "code_or_name"  # docstrings have code between single backticks, as Markdown has
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
napoleon_custom_sections = [("Inputs", "params_style"), ("Input", "returns_style"), ("Outputs", "returns_style")]
napoleon_use_rtype = False
napoleon_use_ivar = True
locale_dirs = [str(HERE / "locale")]
gettext_compact = "site"
templates_path = [str(HERE / "_templates")]
suppress_warnings = ["myst.xref_missing"]

html_theme = "pydata_sphinx_theme"
html_title = "TorchSpore"
html_static_path = [str(HERE / "_static")]
html_css_files = ["site.css"]
html_copy_source = False
html_sidebars = {"index": [], "install": [], "how_to": [], "api/**": [], "search": []}
html_theme_options = {
    "logo": {"text": "TorchSpore"},
    "navbar_end": ["language", "versions", "theme-switcher"],
    "use_edit_page_button": repository() is not None,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {
    "edit_page_url_template": f"{repository()}/edit/main/{{{{ source or file_name }}}}",
    "edit_page_provider_name": "",
}
copybutton_prompt_text = ">>> "
