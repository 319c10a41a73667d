"""The documentation: `sphinx-build -W docs docs/_build`. It needs no network."""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import slrsym  # noqa: E402

project = "slrsym"
author = "The slrsym authors"
copyright = "The slrsym authors"
version = release = slrsym.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "numpydoc",
    "myst_nb",
    "commands",
    "mathml",
    "navigation",
    "proofs",
    "reference",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "_templates"]
# Names between single backticks in docstrings.
default_role = "py:obj"

# The notebooks are shown as they were committed; the tests execute them.
nb_execution_mode = "off"
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks", dirs_exist_ok=True)

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
# Beside a page, members stand below their class without its name.
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Examples in docstrings are tested where they stand.
doctest_test_doctest_blocks = ""

html_theme = "pydata_sphinx_theme"
html_title = "slrsym"
html_static_path = ["_static"]
html_css_files = ["slrsym.css"]
html_js_files = ["tables.js"]
html_show_sourcelink = False
# Pages that stand alone have nothing to list beside them.
html_sidebars = {page: [] for page in ("index", "tutorial", "gaussian", "notebooks", "notebooks/*")}
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
