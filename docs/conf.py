"""How Sphinx makes the site of the repository's Markdown files: `make docs`.

Warnings are errors there. So an example that fails, a link that leads nowhere, and a public name
that the reference does not have all stop the build. Nothing is downloaded.
"""

import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

import splitsecond
from splitsecond import datasets

sys.path.insert(0, str(Path(__file__).parent))
from parameter_tables import has_table, problems, with_table
from run_examples import ExampleError, run

project = "splitsecond"
author = "splitsecond developers"
version = release = splitsecond.__version__

# The root of the sources is the root of the repository, so that links between README.md, docs/ and
# benchmarks/ lead to the same pages here and in a checkout.
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "benchmarks/results/**.md",
    "docs/*.md",
    "docs/gallery/*.md",
]

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
nitpicky = True
nitpick_ignore_regex = [("py:obj", r"sklearn\..*")]  # described on another site
myst_heading_anchors = 4
default_role = "autolink"  # a link where there is something to link to
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings have the types
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "splitsecond"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False
html_extra_path = ["site"]  # index.html, which leads to docs/index.html

logger = logging.getLogger(__name__)


def check_examples(app: Sphinx, docname: str, source: list[str]) -> None:
    """Run the examples of a page, but not with `-D run_examples=0`."""
    if not app.config.run_examples:
        return
    try:
        run(Path(app.env.doc2path(docname)))
    except ExampleError as error:
        logger.warning("%s", error, location=(docname, error.line))


def check_reference(app: Sphinx, env: Any) -> None:
    """Look for public names that are not in the reference."""
    for module in (splitsecond, datasets):
        for name in module.__all__:
            if f"{module.__name__}.{name}" not in env.domaindata["py"]["objects"]:
                logger.warning("docs/reference.md lacks %s.%s", module.__name__, name)


def tabulate_parameters(app: Sphinx, what: str, name: str, public: Any, *more: Any) -> None:
    """Show the parameters of classes, functions and methods as a table."""
    _, lines = more
    if what in ("class", "function", "method") and has_table(public):
        for problem in problems(public):
            logger.warning("docstring of %s: %s", name, problem)
        lines[:] = with_table(lines, public)


def leave_out(app: Sphinx, what: str, name: str, member: Any, *more: Any) -> Any:
    """Leave out what scikit-learn documents."""
    return True if str(getattr(member, "__module__", "")).startswith("sklearn.") else None


def setup(app: Sphinx) -> None:
    """Connect the checks."""
    app.add_config_value("run_examples", True, "")
    app.connect("source-read", check_examples)
    app.connect("env-check-consistency", check_reference)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-docstring", tabulate_parameters, priority=400)  # before numpydoc
