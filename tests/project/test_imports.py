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
import pandas as pd
import pytest

import splitsecond
from splitsecond import _cli

SLOW = ("sklearn", "scipy", "pandas", "joblib", "matplotlib", "jax")


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_only_large_tables_need_pyarrow() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None; import splitsecond as s; "
        "s.LicketySPLITClassifier().fit([[0], [1]], [0, 1]); s.CountTable; s.compress"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert "ImportError: compress needs pyarrow: pip install" in done.stderr


def test_public_names_belong_to_the_package() -> None:
    for name in splitsecond.__all__:
        assert getattr(splitsecond, name).__module__ == "splitsecond", name
    for name in splitsecond._PICKLED:
        assert getattr(splitsecond, name).__module__ == "splitsecond", name
        assert name not in splitsecond.__all__


def pickled_things() -> list[Any]:
    """Return all that users may pickle, fitted on raw and 0/1 tables, weighted and not."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.normal(size=60).round(1),
            "job": rng.choice(["clerk", "smith"], 60),
            "size": pd.Categorical(rng.choice(["S", "M"], 60), ["S", "M"], ordered=True),
            "paid": rng.integers(0, 2, 60).astype(float),
        }
    )
    X.loc[3, "age"] = np.nan
    y = (X["age"].fillna(0) > 0) ^ (X["job"] == "clerk")
    flags, weights = rng.integers(0, 2, (60, 4)), rng.integers(1, 4, 60)
    things: list[Any] = []
    for of in (
        splitsecond.GreedyTreeClassifier,
        splitsecond.LicketySPLITClassifier,
        splitsecond.SPLITClassifier,
        splitsecond.OptimalTreeClassifier,
        splitsecond.TreeFARMS,
        splitsecond.RESPLIT,
    ):
        for binarizer in ("auto", "quantile", "midpoint"):
            things.append(of(max_depth=2, binarizer=binarizer).fit(X, y, weights))
        things.append(of(max_depth=2, binarizer=None).fit(flags, y))
    amount = rng.normal(size=60) + 3 * y
    for of in (
        splitsecond.GreedyTreeRegressor,
        splitsecond.LicketySPLITRegressor,
        splitsecond.SPLITRegressor,
        splitsecond.OptimalTreeRegressor,
        splitsecond.TreeFARMSRegressor,
        splitsecond.RESPLITRegressor,
    ):
        things.append(of(max_depth=2).fit(X, amount, weights))
        things.append(of(max_depth=2, loss="poisson", binarizer=None).fit(flags, abs(amount)))
    things.append(things[-1].tree_.to_regressor())
    sets = [each.trees_ for each in things if hasattr(each, "trees_")]
    things += [each.tree_ for each in things] + sets + [each[0] for each in sets]
    things += [things[0].tree_.to_classifier(), things[0].tree_.explain(X.iloc[0])]
    things += splitsecond.regularization_path(X, y)
    small = splitsecond.RESPLIT(max_depth=2)
    rid = splitsecond.RashomonImportance(small, n_bootstraps=2, random_state=0)
    things.append(rid.fit(X, y))
    copied = X.assign(copy=X["age"], when=pd.Timestamp("2020"))
    things.append(splitsecond.check_table(copied, y))
    try:
        things[0].predict(X.assign(age="old"))
    except splitsecond.TableError as error:
        things.append(error.with_traceback(None))  # of which some packages keep all
    return things


def test_pickles_name_no_private_module() -> None:
    for thing in pickled_things():
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            content = pickle.dumps(thing, protocol)
            assert b"splitsecond._" not in content, type(thing)
        assert type(pickle.loads(content)).__module__ == "splitsecond"


TARGET = ("--target", "outcome")


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_table_is_checked_without_estimators(people: Path) -> None:
    modules = imported("import splitsecond_cli; splitsecond_cli.main()", "doctor", people)
    assert "pyarrow" in modules
    assert "splitsecond._tables.table_report" in modules
    assert "sklearn" not in modules


# What the program may use besides public names: rooms that are nobody's API and say nothing of
# trees.
SHARED = ("splitsecond._cli", "splitsecond._support")


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
    assert used == set()
