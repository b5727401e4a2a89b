"""Writes the parameters of a class, function or method as a table, with types and defaults.

Defaults come from the signature, types and meanings from the docstring. There,

- "As for `OTHER`." stands for what the docstring of OTHER says of a parameter of that name;
- "Parameters and attributes are those of `OTHER`" is about all parameters without an entry.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

from numpydoc.docscrape import NumpyDocString

import splitsecond

UNDERLINE = re.compile(r"-{3,}$")
AS_FOR = re.compile(r"As for `(?P<other>\w+)`[.,]")
THOSE_OF = re.compile(r"arameters and (?:all )?attributes are those of `(?P<other>\w+)`")
DEFAULT = re.compile(r",\s+(?:optional|default=(?P<value>.*))$", re.DOTALL)
HEADINGS = ("parameter", "type", "default", "meaning")


@dataclass(frozen=True)
class Entry:
    """What a docstring says of a parameter."""

    kind: str
    meaning: list[str]

    @property
    def type(self) -> str:
        """The type alone."""
        return DEFAULT.sub("", self.kind)

    @property
    def default(self) -> str | None:
        """The default that is named."""
        found = DEFAULT.search(self.kind)
        value = found["value"] if found else None
        return None if value is None else re.sub(r"(?<=\d)_(?=\d)", "", value)


def _sections(public: Any) -> NumpyDocString:
    return NumpyDocString(inspect.cleandoc(public.__doc__ or ""))


def described(public: Any) -> dict[str, Entry]:
    """Return what is said of each parameter."""
    sections = _sections(public)
    found: dict[str, Entry] = {}
    for each in sections["Parameters"]:
        other = AS_FOR.match(" ".join(each.desc))
        of = getattr(splitsecond, other["other"], None) if other else None  # not of a method
        elsewhere = described(of) if of is not None else {}
        for name in re.split(r",\s*", each.name):
            there = elsewhere.get(name, Entry(each.type, each.desc))
            found[name] = Entry(each.type or there.kind, there.meaning)
    rest = THOSE_OF.search(" ".join(sections["Extended Summary"]))
    if rest:
        others = described(getattr(splitsecond, rest["other"]))
        signed = inspect.signature(public).parameters
        found |= {name: each for name, each in others.items() if name in signed.keys() - found}
    return found


def notes(public: Any) -> list[str]:
    """Return what is said of several parameters at once, beside where they are described."""
    return [
        "Shared parameters are as" + " ".join(each.desc).removeprefix("As")
        for each in _sections(public)["Parameters"]
        if AS_FOR.match(" ".join(each.desc)) and not re.fullmatch(AS_FOR, " ".join(each.desc))
    ]


def defaults(public: Any) -> dict[str, str]:
    """Return the default of each parameter as code; "" where one has to be given."""
    return {
        name: "" if each.default is inspect.Parameter.empty else _code(each.default)
        for name, each in inspect.signature(public).parameters.items()
        if name != "self"
    }


def _code(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def problems(public: Any) -> list[str]:
    """Say where docstring and signature disagree."""
    listed, signed = described(public), defaults(public)
    found = [f"{name} is not described" for name in signed if name not in listed]
    found += [f"{name} is no parameter" for name in listed if name not in signed]
    for each in _sections(public)["Parameters"]:
        said = Entry(each.type, []).default
        if said and said != signed.get(each.name) and not said.endswith("()"):
            found.append(f"the default of {each.name} is {signed.get(each.name)}, not {said}")
    return found


def has_table(public: Any) -> bool:
    """Whether it is an estimator, or has a docstring with parameters."""
    return hasattr(public, "_parameters") or bool(_sections(public)["Parameters"])


def table(public: Any) -> list[str]:
    """Return the lines of the table, and of what is said below it."""
    lines = [".. list-table::", "   :header-rows: 1", "   :class: parameters", ""]
    lines += [f"   {'*' if i == 0 else ' '} - {each}" for i, each in enumerate(HEADINGS)]
    entries = described(public)
    for name, signed in defaults(public).items():
        entry = entries[name]
        # None may stand for something that is made when it is needed, such as an estimator.
        default = entry.default if signed == "None" and entry.default else signed
        first, *more = entry.meaning
        lines += [f"   * - ``{name}``", f"     - {entry.type}"]
        lines += [f"     - ``{default}``" if default else "     - required"]
        lines += [f"     - {first}", *(f"       {line}".rstrip() for line in more)]
    return [*lines, "", *(line for note in notes(public) for line in (note, ""))]


def with_table(lines: list[str], public: Any) -> list[str]:
    """Return a docstring with a table in place of the section of its parameters."""
    headings = [i for i in range(len(lines) - 1) if lines[i] and UNDERLINE.match(lines[i + 1])]
    ends = [*headings, len(lines)]
    begin = next((i for i in headings if lines[i] == "Parameters"), None)
    if begin is None:
        return [*lines[: ends[0]], "", *table(public), *lines[ends[0] :]]
    end = next(i for i in ends if i > begin)
    return [*lines[:begin], *table(public), *lines[end:]]
