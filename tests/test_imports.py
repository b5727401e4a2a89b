"""Nothing is imported before it is needed: scikit-learn alone takes more than a second."""

from __future__ import annotations

import ast
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import splitsecond
from splitsecond import _cli

SLOW = ("sklearn", "scipy", "pandas", "joblib", "matplotlib")


def imported(code: str, *args: Any) -> set[str]:
    """Run code in a process of its own, and return the packages that it has imported."""
    last = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.__stderr__)"
    whole = f"try:\n    {code}\nfinally:\n    {last}"
    done = subprocess.run(
        [sys.executable, "-c", whole, *map(str, args)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    modules = next(line for line in done.stderr.splitlines() if line.startswith('["'))
    return set(json.loads(modules))


def test_the_package_alone() -> None:
    modules = imported("import splitsecond; splitsecond.__version__")
    assert not modules & {*SLOW, "numpy", "narwhals", "pyarrow"}
    assert "sklearn" in imported("import splitsecond; splitsecond.LicketySPLITClassifier")


def test_names_are_found_when_they_are_asked_for() -> None:
    assert set(splitsecond.__all__) <= set(dir(splitsecond))
    scope: dict[str, Any] = {}
    exec("from splitsecond import *", scope)
    for name in splitsecond.__all__:
        assert scope[name] is getattr(splitsecond, name)
        assert scope[name].__name__ == name
    with pytest.raises(AttributeError, match="module 'splitsecond' has no attribute 'Forest'"):
        splitsecond.Forest  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Forest'"):
        exec("from splitsecond import Forest")


def test_names_are_those_that_type_checkers_see() -> None:
    source = Path(str(splitsecond.__file__)).read_text(encoding="utf-8")
    seen = {
        each.name: node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("splitsecond.")
        for each in node.names
    }
    found = {name: f"splitsecond.{module}" for name, module in splitsecond._MODULE_OF.items()}
    assert seen == found
    assert set(found) == set(splitsecond.__all__)


def test_a_pickle_in_a_process_that_has_imported_nothing(tmp_path: Path) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    model = splitsecond.LicketySPLITClassifier().fit(X, X[:, 0])
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps(model))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).predict([[0, 1]]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "[0]\n"


TARGET = ("--target", "outcome")


@pytest.mark.parametrize(
    "args",
    [
        ("--version",),
        ("--help",),
        ("fit", "--help"),
        ("fit", "PEOPLE"),
        ("fit", "PEOPLE", *TARGET, "--colour", "red"),
        ("fit", "PEOPLE", *TARGET, "--regularization", "cheap"),
        ("rashomon", "PEOPLE", *TARGET, "--memory-limit", "lots"),
        *((name, "NONE", *TARGET) for name in ("doctor", "fit", "rashomon", "importance")),
        ("fit", "PEOPLE", "--target", "q"),
        ("fit", "MODEL", *TARGET),
        ("show", "NONE"),
        ("show", "PEOPLE"),
        ("predict", "MODEL", "NONE"),
        ("export", "PEOPLE", "--to", "dot"),
        ("export", "MODEL", "--to", "film"),
        ("explore", "NONE"),
    ],
    ids=" ".join,
)
def test_help_and_errors_of_the_program(
    people: Path, people_model: Path, args: tuple[str, ...]
) -> None:
    files = {"PEOPLE": people, "MODEL": people_model, "NONE": people / "none"}
    words = [files.get(word, word) for word in args]
    modules = imported("import splitsecond_cli; splitsecond_cli.main()", *words)
    assert "splitsecond._cli.app" in modules
    assert not modules & set(SLOW)


def test_a_table_is_checked_without_estimators(people: Path) -> None:
    modules = imported("import splitsecond_cli; splitsecond_cli.main()", "doctor", people)
    assert "pyarrow" in modules
    assert "sklearn" not in modules


# What the program may use besides public names: rooms that are nobody's API and say nothing of
# trees, and, for `doctor`, how the package itself reads and judges columns.
SHARED = ("splitsecond._cli", "splitsecond._support")
PRIVATE = {
    "doctor.py": {
        "splitsecond._tables.columns",
        "splitsecond._tables.data_checks",
        "splitsecond._tables.literals",
    },
    "trial_fits.py": {"_columns_handled"},
}


@pytest.mark.parametrize(
    "path", sorted(Path(_cli.__file__).parent.glob("*.py")), ids=lambda path: path.name
)
def test_the_program_uses_public_names(path: Path) -> None:
    used = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("splitsecond._"):
            if not str(node.module).startswith(SHARED):
                used.add(node.module)
            assert not [each.name for each in node.names if each.name.startswith("_")]
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not is_own and not node.attr.startswith("__"):
                used.add(node.attr)
    assert used == PRIVATE.get(path.name, set())
