"""Makes the tables and figures of the paper with our own code.

    python benchmarks/paper/run.py --out benchmarks/results/paper
    python benchmarks/paper/run.py --list
    python benchmarks/paper/run.py --quick --only tab_lambda --out build/benchmarks/paper

Measurements are kept in build/paper; what is there already is not made again unless --force.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import discretization  # noqa: E402
import features  # noqa: E402
import importance  # noqa: E402
import lookahead  # noqa: E402
import near_optimal  # noqa: E402
import postprocessing  # noqa: E402
import resplit  # noqa: E402
import tree_figures  # noqa: E402
import tree_tables  # noqa: E402
from jobs import Job, Outcome, Settings, kept, run  # noqa: E402
from lib import report  # noqa: E402
from pieces import Piece  # noqa: E402

MODULES = (
    tree_tables,
    tree_figures,
    lookahead,
    postprocessing,
    discretization,
    features,
    near_optimal,
    resplit,
    importance,
)
PIECES: tuple[Piece, ...] = tuple(piece for module in MODULES for piece in module.PIECES)


def make(
    piece: Piece, outcomes: Sequence[Outcome], settings: Settings, at_once: int, out: Path
) -> None:
    """Write the tables, notes and figures of a piece."""
    rows = [row for outcome in outcomes for row in outcome.rows]
    if not rows:
        message = "nothing could be measured"
        raise RuntimeError(message)
    shown = piece.show(rows)
    failed = [f"{outcome.job} ({outcome.failure})" for outcome in outcomes if outcome.failure]
    facts = {
        "in the paper": piece.paper,
        "run": "quick: fewer data sets, splits and penalties" if settings.quick else "full",
        "threads": f"{settings.threads}, {at_once} {'fit' if at_once == 1 else 'fits'} at once",
        "limits of a fit": f"{settings.time_limit:.0f} s, {settings.memory_limit / 1e9:g} GB",
        "measured at": ", ".join(sorted({each.commit for each in outcomes if each.commit})),
        "missing": "; ".join(failed) or "nothing",
    }
    notes = list(shown.notes)
    out.mkdir(parents=True, exist_ok=True)
    for ending, figure in shown.figures.items():
        file = f"{piece.name}{ending}.svg"
        figure.savefig(out / file, metadata={"Date": None}, dpi=200)
        notes.append(f"![{piece.paper}]({file})")
    if shown.points:
        report.save_rows(out / f"{piece.name}_points.csv", shown.points)
    report.save(out, piece.name, facts, shown.tables, notes)


def index(out: Path, made: Sequence[Piece], problems: Sequence[str]) -> None:
    """Write the list of what is there."""
    lines = ["# The paper's tables and figures, from our own code", ""]
    lines += [f"- [{piece.name}]({piece.name}.md): {piece.paper}" for piece in made]
    if problems:
        lines += ["", "Not made:", "", *(f"- {problem}" for problem in problems)]
    out.mkdir(parents=True, exist_ok=True)
    (out / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [piece.name for piece in PIECES]
    parser.add_argument("--list", action="store_true", help="name the pieces and end")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="these pieces")
    parser.add_argument("--quick", action="store_true", help="a small version of everything")
    parser.add_argument("--force", action="store_true", help="measure again what is there")
    parser.add_argument("--threads", type=int, default=1, help="of one fit")
    parser.add_argument("--at-once", type=int, default=1, help="jobs, where there are processors")
    parser.add_argument("--time-limit", type=float, help="seconds for one fit")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "benchmarks" / "paper")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "paper")
    chosen = parser.parse_args(arguments)
    if chosen.list:
        print("\n".join(f"{piece.name:28} {piece.paper}" for piece in PIECES))
        return 0
    limit = chosen.time_limit or (20.0 if chosen.quick else 120.0)
    settings = Settings(chosen.quick, chosen.threads, limit)
    work = chosen.work / ("quick" if chosen.quick else "full")
    pieces = [piece for piece in PIECES if not chosen.only or piece.name in chosen.only]
    needed = {piece.name: piece.jobs(settings) for piece in pieces}
    todo = list(dict.fromkeys(job for jobs in needed.values() for job in jobs))
    made, problems = [], []
    start = time.perf_counter()
    pool = ThreadPoolExecutor(chosen.at_once)
    try:
        running = {job: pool.submit(_outcome, job, settings, work, chosen.force) for job in todo}
        report.progress(f"{len(todo)} jobs, {chosen.at_once} at once")
        for piece in pieces:
            outcomes = [running[job].result() for job in needed[piece.name]]
            problems += [f"{each.job}: {each.failure}" for each in outcomes if each.failure]
            try:
                if (
                    any(each.is_new for each in outcomes)
                    or not (chosen.out / f"{piece.name}.md").exists()
                ):
                    make(piece, outcomes, settings, chosen.at_once, chosen.out)
                made.append(piece)
                report.progress(f"{piece.name}: {chosen.out / piece.name}.md")
            except Exception as error:  # the others are worth having
                traceback.print_exc()
                problems.append(f"{piece.name}: {type(error).__name__}: {error}")
    finally:  # after Ctrl-C, too, none is begun
        pool.shutdown(cancel_futures=True)
    index(
        chosen.out,
        [piece for piece in PIECES if (chosen.out / f"{piece.name}.md").exists()],
        problems,
    )
    for problem in dict.fromkeys(problems):
        report.progress(f"failed: {problem}")
    report.progress(f"{len(made)} of {len(pieces)} pieces, {time.perf_counter() - start:.0f} s")
    return 1 if problems else 0


def _outcome(job: Job, settings: Settings, work: Path, force: bool) -> Outcome:
    found = None if force else kept(job, settings, work)
    if found is not None:
        return found
    begin = time.perf_counter()
    outcome = run(job, settings, work)
    seconds = time.perf_counter() - begin
    report.progress(f"{job}: {outcome.failure or f'{len(outcome.rows)} rows'} in {seconds:.1f} s")
    return outcome


if __name__ == "__main__":
    sys.exit(main())
