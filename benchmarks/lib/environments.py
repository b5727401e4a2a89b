"""The packages we compare with: the environment each runs in, its version, its installation."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """What is imported, and what pip is asked for; nothing where only the user can install it."""

    module: str
    requirements: tuple[str, ...] = ()
    distribution: str = ""  # the name it is installed by, if not its own here


# By the name that the package's methods begin with.
PACKAGES = {
    "tree-praxis": Package("praxis", ("tree-praxis==0.0.30",)),
    "licketysplit": Package("licketysplit", ("licketysplit",)),
    "pystreed": Package("pystreed", ("pystreed",)),
    "gosdt": Package("gosdt", ("gosdt",)),
    "osrt": Package("osrt", ("osrt", "pandas", "scikit-learn")),
    "imodels": Package("imodels", ("imodels", "numba", "six")),  # both needed, not declared
    "interpret": Package(
        "interpret", ("interpret-core", "pandas", "scikit-learn", "scipy"), "interpret-core"
    ),
    "pycontree": Package("pycontree", ("pycontree",)),
    "pydl8.5": Package("pydl85", ("pydl8.5",)),
    "arborenum": Package("arborenum", ("arborenum",)),
    "treefarms": Package("treefarms", ("treefarms",)),
    # The paper's own, from https://github.com/VarunBabbar/SPLIT-ICML: not on PyPI. They are timed
    # if they can be imported, here or in an environment "official" beside the others.
    "official": Package("split"),
}
# Run by an environment's Python: prints the version of a package, or that there is none.
_ASK = """
import importlib.metadata, importlib.util, sys
module, distribution = sys.argv[1:]
try:
    version = importlib.metadata.version(distribution)
except importlib.metadata.PackageNotFoundError:
    version = "installed"
print(version if importlib.util.find_spec(module) else "not installed")
"""


def package_of(method: str) -> str | None:
    """Name the package a method is of; none for ours and scikit-learn's."""
    return next((name for name in PACKAGES if method.startswith(name)), None)


def python_of(package: str | None) -> str:
    """Return the Python that runs a package."""
    python = _folder() / str(package) / "bin" / "python"
    return str(python) if package is not None and python.exists() else sys.executable


def failure_of(package: str | None) -> str:
    """Return why a package could not be installed, where that was tried."""
    note = _note(str(package))
    return note.read_text(encoding="utf-8").strip() if note.exists() else ""


@functools.cache
def version_of(package: str) -> str:
    """Return a package's version, or that it is not installed and why."""
    described = PACKAGES[package]
    asked = subprocess.run(
        [python_of(package), "-c", _ASK, described.module, described.distribution or package],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    asked = asked or "not installed"  # the environment is broken
    reason = failure_of(package)
    return f"{asked} ({reason})" if asked == "not installed" and reason else asked


def absent(methods: Iterable[str]) -> list[str]:
    """List the methods whose package is not installed."""
    packages = {method: package_of(method) for method in methods}
    return [
        method
        for method, package in packages.items()
        if package is not None and version_of(package).startswith("not installed")
    ]


def install(name: str) -> str:
    """Make a package's environment; return why it failed, or nothing."""
    home = _folder() / name
    venv.create(home, clear=True, with_pip=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    done = subprocess.run(
        [*pip, "install", "--quiet", *PACKAGES[name].requirements],
        capture_output=True,
        text=True,
        check=False,
    )
    _note(name).unlink(missing_ok=True)
    if done.returncode == 0:
        return ""
    shutil.rmtree(home)
    errors = [line for line in done.stderr.splitlines() if line.lower().startswith("error")]
    reason = (errors or done.stderr.splitlines() or ["pip gave no reason"])[-1].strip()
    _note(name).write_text(reason + "\n", encoding="utf-8")
    return reason


def _folder() -> Path:
    folder = os.environ.get("SPLITSECOND_BENCH_ENVIRONMENTS")
    default = Path.home() / ".cache" / "splitsecond-bench" / "environments"
    return Path(folder) if folder else default


def _note(name: str) -> Path:
    return _folder() / f"{name}.failed"
