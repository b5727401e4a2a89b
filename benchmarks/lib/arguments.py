"""The options that several commands have."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from lib.report import ROOT


def parser(documentation: str | None) -> argparse.ArgumentParser:
    """Make a parser that describes a command by the first line of its module's documentation."""
    return argparse.ArgumentParser(description=(documentation or "").partition("\n")[0])


def add_limits(to: argparse.ArgumentParser, *, budget: float, time_limit: float) -> None:
    """Add how long a method is repeated, and how long one fit may take."""
    to.add_argument("--budget", type=float, default=budget, help="seconds a method is repeated")
    to.add_argument("--time-limit", type=float, default=time_limit, help="seconds for one fit")


def add_choice(
    to: argparse.ArgumentParser, name: str, choices: Iterable[str], default: Iterable[str] = ()
) -> None:
    """Add an option that takes one or more names of a list, by default all or some of them."""
    known = list(choices)
    to.add_argument(name, nargs="+", choices=known, default=list(default) or known)


def add_output(to: argparse.ArgumentParser) -> None:
    """Add where tables and measurements go."""
    to.add_argument("--out", type=Path, required=True, help="folder for the tables")
    to.add_argument("--force", action="store_true", help="measure again what is kept")
    to.add_argument(
        "--work", type=Path, default=ROOT / "build" / "measured", help="folder for what is kept"
    )
