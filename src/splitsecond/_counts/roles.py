"""Which columns of a table are what: those to ask about, the target, the weights and the folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from splitsecond._support.messages import offered, shown


@dataclass(frozen=True)
class Roles:
    """Names of columns."""

    features: tuple[str, ...]
    target: str
    weight: str | None = None
    fold: str | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        target: Any,
        *,
        weight: Any = None,
        fold: Any = None,
        columns: Iterable[str] | None = None,
        ignore: Iterable[str] = (),
    ) -> Roles:
        """Read what the user gave; names that the table lacks are refused."""
        if columns is not None and ignore:
            raise ValueError("columns and ignore were both given: leave one of them out.")
        special = [each for each in (target, weight, fold) if each is not None]
        given = list(names if columns is None else _names("columns", columns))
        ignored = _names("ignore", ignore)
        for name in (*special, *given, *ignored):
            if name not in names:
                known, hint = offered(name, list(names))
                raise ValueError(f"There is no column {shown(name)}.{hint} There are {known}.")
        twice = next((name for name in special if special.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"Column {shown(twice)} has two roles: name different columns.")
        left_out = {*special, *ignored}
        features = tuple(name for name in given if name not in left_out)
        if not features:
            raise ValueError("There is no column to ask about besides the target.")
        return cls(features, target, weight, fold)

    @property
    def used(self) -> list[str]:
        """All columns that are read, in their order."""
        return [*self.features, *self.others]

    @property
    def others(self) -> list[str]:
        """The columns that nothing is asked about."""
        return [name for name in (self.target, self.weight, self.fold) if name is not None]


def _names(parameter: str, given: Any) -> list[str]:
    if isinstance(given, str):
        raise ValueError(f"{parameter}={shown(given)} must be a list: put brackets around it.")
    return list(given)
