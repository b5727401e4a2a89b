"""Makes an environment for each package we compare with: some need what others cannot have.

    python benchmarks/environments.py                    # all of them
    python benchmarks/environments.py pycontree imodels

They go to the folder named by SPLITSECOND_BENCH_ENVIRONMENTS. The benchmarks then run a package's
methods there, and in their own environment where it has none. A package that does not install is
noted with the reason, which the results show.
"""

from __future__ import annotations

from lib import arguments
from lib.environments import PACKAGES, install, version_of


def main() -> None:
    parser = arguments.parser(__doc__)
    known = [name for name, package in PACKAGES.items() if package.requirements]
    parser.add_argument("package", nargs="*", help=f"of {', '.join(known)}; all by default")
    chosen = parser.parse_args().package or known
    if unknown := set(chosen) - set(known):
        parser.error(f"{', '.join(sorted(unknown))} cannot be installed; {', '.join(known)} can")
    for name in chosen:
        reason = install(name)
        print(f"{name}: {'failed: ' + reason if reason else version_of(name)}", flush=True)


if __name__ == "__main__":
    main()
