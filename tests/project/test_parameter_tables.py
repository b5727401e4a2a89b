"""Tables of parameters in the reference: what docstrings and signatures say."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import splitsecond

# It needs numpydoc, of the extra docs.
parameter_tables = pytest.importorskip("parameter_tables")

WITH_TABLES = [
    name
    for name in splitsecond.__all__
    if callable(getattr(splitsecond, name))
    and parameter_tables.has_table(getattr(splitsecond, name))
]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_docstrings_name_the_parameters_of_signatures(name: str) -> None:
    public = getattr(splitsecond, name)
    assert parameter_tables.problems(public) == []
    rows = [line for line in parameter_tables.table(public) if line.startswith("   * - ``")]
    assert len(rows) == len(inspect.signature(public).parameters)


def methods_with_tables() -> dict[str, Any]:
    """All public methods whose docstrings have parameters, by name."""
    classes = [getattr(splitsecond, name) for name in splitsecond.__all__]
    methods = [
        getattr(each, name)
        for each in classes
        if isinstance(each, type)
        for name in dir(each)
        if not name.startswith("_")
    ]
    return {
        each.__qualname__: each
        for each in methods
        if inspect.isroutine(each)
        and (getattr(each, "__module__", None) or "").startswith("splitsecond")
        and parameter_tables.has_table(each)
    }


@pytest.mark.parametrize("name", methods_with_tables())
def test_docstrings_name_the_parameters_of_methods(name: str) -> None:
    method = methods_with_tables()[name]
    assert parameter_tables.problems(method) == []
    assert not any("``self``" in line for line in parameter_tables.table(method))


def test_tables_of_parameters() -> None:
    class Thing:
        """A thing.

        Parameters
        ----------
        width : int, default=1_000
            How wide.

            Or not.
        name
            Its name.

        Notes
        -----
        None.
        """

        def __init__(self, name: str, width: int = 1000) -> None: ...

    lines = inspect.cleandoc(Thing.__doc__ or "").splitlines()
    assert parameter_tables.problems(Thing) == []
    found = parameter_tables.with_table(lines, Thing)
    assert found[0] == "A thing."
    assert found[-3:] == ["Notes", "-----", "None."]
    assert found[found.index("   * - ``name``") :][:8] == [
        "   * - ``name``",
        "     - ",
        "     - required",
        "     - Its name.",
        "   * - ``width``",
        "     - int",
        "     - ``1000``",
        "     - How wide.",
    ]

    class Other(Thing):
        """Another.

        Parameters
        ----------
        name : str
            Its name.
        height : int
            How high.
        width : int, default=2
            How wide.
        """

        def __init__(self, name: str, width: int = 1, depth: int = 1) -> None: ...

    assert parameter_tables.problems(Other) == [
        "depth is not described",
        "height is no parameter",
        "the default of width is 1, not 2",
    ]


def test_tables_take_what_other_docstrings_say() -> None:
    table = "\n".join(parameter_tables.table(splitsecond.RESPLIT))
    assert "``regularization``\n     - float or Fraction\n     - ``0.01``\n     - lambda" in table
    assert "``exact_last_split``\n     - bool\n     - ``False``\n     - Let greedy" in table
    assert "device" not in table
    sets = parameter_tables.table(splitsecond.TreeFARMS)
    assert any(line.startswith("Shared parameters are as for `LicketySPLIT") for line in sets)
