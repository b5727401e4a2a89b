"""The benchmarks: packages in environments of their own, kept measurements, rates against peaks."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the benchmarks need Linux or macOS")
ENVIRONMENTS = "SPLITSECOND_BENCH_ENVIRONMENTS"
# What the paper's package looks like from outside: a tree that splits on the first column.
OFFICIAL = """
class Leaf:
    def __init__(self, prediction):
        self.prediction = prediction

class Node:
    def __init__(self, feature, left_child, right_child):
        self.feature, self.left_child, self.right_child = feature, left_child, right_child

class SPLIT:
    def __init__(self, full_depth_budget, reg, time_limit, lookahead_depth_budget):
        assert (full_depth_budget, lookahead_depth_budget) == (6, 3)

    def fit(self, X, y):
        print("a package may print")
        assert list(X.index) == list(range(len(y)))
        self.tree = Node(0, Leaf(1), Leaf(0))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what the user may have installed out of the tests."""
    monkeypatch.setenv(ENVIRONMENTS, str(tmp_path / "environments"))
    return tmp_path / "environments"


def test_every_method_of_another_package_is_known(benchmark_module: Any) -> None:
    environments = benchmark_module("lib.environments")
    methods = (
        benchmark_module("lib.tree_packages").METHODS
        | benchmark_module("lib.loss_packages").LOSS_METHODS
        | benchmark_module("lib.regression_packages").REGRESSION_METHODS
        | benchmark_module("lib.set_packages").SET_METHODS
        | benchmark_module("lib.rid_packages").RID_METHODS
        | benchmark_module("lib.heldout_worker").PREDICTORS
    )
    packages = {method: environments.package_of(method) for method in methods}
    assert set(packages.values()) == {*environments.PACKAGES, None}
    ours = {method for method, package in packages.items() if package is None}
    of_sklearn = {"CART", "CART,", "logistic", "HistGradientBoosting"}
    assert {method.split()[0] for method in ours} == {"splitsecond", *of_sklearn}


def test_planned_methods_exist_and_names_are_unique(benchmark_module: Any) -> None:
    peers, scaling = benchmark_module("peers"), benchmark_module("scaling")
    methods = benchmark_module("lib.tree_packages").METHODS
    for heading, plan in peers.GROUPS.values():
        planned = list(plan(benchmark_module("lib.problems").TREE_SETS))
        assert len({str(comparison) for comparison in planned}) == len(planned) > 0, heading
        assert {name for comparison in planned for name in comparison.methods} <= set(methods)
    lookahead = benchmark_module("lookahead_peers")
    for levels in lookahead.LEVELS:
        for comparison in lookahead.comparisons(lookahead.DATA_SETS, levels):
            assert set(comparison.methods) <= set(methods)
    series = list(
        scaling.plan(scaling.DEFAULT_METHODS, max_rows=10**6, max_columns=100, max_threads=6)
    )
    assert len({str(each) for each in series}) == len(series)
    threads = next(each for each in series if each.against == "threads")
    assert [point[2] for point in threads.points] == [1, 2, 4]


def test_a_slope_stands_beside_the_theory(benchmark_module: Any) -> None:
    scaling = benchmark_module("scaling")
    data = benchmark_module("lib.data")
    points = [(data.Synthetic(10, k), 5, 1) for k in (2, 4, 8)]
    series = scaling.Series("columns", "splitsecond LicketySPLIT", points)
    rows = [{"columns": k, "median": 3.0 * k**2, "status": "complete"} for k in (2, 4, 8)]
    summary = scaling.summarize(series, rows)
    assert summary["slope"] == pytest.approx(2)
    assert (summary["theory"], summary["from"], summary["to"]) == (2, 2, 8)


def make_python(folder: Path, package: str, script: str) -> Path:
    python = folder / package / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return python


def test_a_package_runs_in_its_own_environment(
    benchmark_module: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments = benchmark_module("lib.environments")
    environments.version_of.cache_clear()
    assert environments.python_of("pycontree") == environments.python_of(None) == sys.executable
    python = make_python(folder, "pycontree", "echo 7.0")
    assert environments.python_of("pycontree") == str(python)
    assert environments.version_of("pycontree") == "7.0"
    assert environments.absent(["pycontree", "CART, folded"]) == []
    monkeypatch.setitem(environments.PACKAGES, "official", environments.Package("no_such_thing"))
    assert environments.absent(["pycontree", "official SPLIT"]) == ["official SPLIT"]
    environments.version_of.cache_clear()


def test_a_failed_installation_is_told(
    benchmark_module: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments = benchmark_module("lib.environments")
    environments.version_of.cache_clear()
    monkeypatch.setitem(environments.PACKAGES, "gosdt", environments.Package("no_such", ("gosdt",)))
    script = "echo 'ERROR: no compiler' >&2; echo 'a notice' >&2; exit 1"
    monkeypatch.setattr(
        environments.venv, "create", lambda *_, **__: make_python(folder, "gosdt", script)
    )
    assert environments.install("gosdt") == "ERROR: no compiler"
    assert environments.version_of("gosdt") == "not installed (ERROR: no compiler)"
    monkeypatch.setattr(
        environments.venv, "create", lambda *_, **__: make_python(folder, "gosdt", "echo 1.5")
    )
    environments.version_of.cache_clear()
    assert environments.install("gosdt") == ""
    assert environments.version_of("gosdt") == "1.5"
    environments.version_of.cache_clear()


@pytest.mark.slow
def test_methods_take_turns_in_processes(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timing, packages = benchmark_module("lib.timing"), benchmark_module("lib.tree_packages")
    (tmp_path / "split.py").write_text(OFFICIAL)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 5)).astype(np.uint8)
    y = (X[:, 0] ^ (rng.random(300) < 0.1)).astype(np.int64)
    monkeypatch.setattr(timing, "load", lambda _: (X, y))
    problem = packages.Problem(5, 0.01, 20.0)
    methods = ["splitsecond optimal", "official SPLIT, lookahead 2", "official LicketySPLIT"]
    tasks = [timing.Task(method, "made up", problem) for method in methods]
    ours, theirs, broken = timing.interleave(tasks, budget=0.0, min_fits=2)
    assert ours.status == "optimal"
    assert theirs.status == "complete"
    expected = float(np.mean(X[:, 0] != y)) + 0.02
    assert theirs.found["objective"] == pytest.approx(expected)
    assert ours.found["objective"] <= expected
    for measurement in (ours, theirs):
        assert len(measurement.seconds) >= 2
        assert measurement.to_row()["peak_bytes"] >= 0
    assert "LicketySPLIT" in broken.status
    assert broken.to_row()["median"] is None


def test_a_method_that_is_not_installed_or_ends_is_told(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timing, sets = benchmark_module("lib.timing"), benchmark_module("lib.set_packages")
    data = benchmark_module("lib.data")
    (tmp_path / "split.py").write_text("import os\nos._exit(7)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    problem = sets.SetProblem(3, 0.01, 20.0, reference=1)
    tasks = [
        timing.Task(method, data.Synthetic(200, 8), problem)
        for method in ("official RESPLIT, lookahead 3", "official LicketySPLIT")
    ]
    absent, ended = timing.interleave(tasks, budget=0.0)
    assert absent.status == "resplit is not installed"
    assert ended.status == "crashed with exit code 7"


def test_what_was_measured_is_kept_for_its_commit_and_settings(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumable, report = benchmark_module("lib.resumable"), benchmark_module("lib.report")
    monkeypatch.setattr(report, "versions", dict)
    calls: list[str] = []

    def run(commit: str = "abc123", force: bool = False, budget: int = 1, **asked: Any) -> Any:
        monkeypatch.setattr(report, "commit", lambda: commit)
        options = argparse.Namespace(work=tmp_path, force=force)
        with resumable.Run("sums", 1, options, {"budget": budget, "sizes": (1, 2)}) as running:
            return running.rows(
                "one and: one",
                lambda: [{"sum": 2, "call": calls.append("") or len(calls)}],
                **asked,
            )

    assert run() == run() == [{"sum": 2, "call": 1}]
    assert run(methods=["a"])[0]["call"] == 2
    assert run(budget=2)[0]["call"] == 3
    assert run(budget=2, commit="def456")[0]["call"] == 4
    assert run(budget=2, commit="def456", force=True)[0]["call"] == 5
    assert run(budget=2, commit="def456")[0]["call"] == 5
    for number in (6, 7):  # nobody knows what was measured
        assert run(budget=2, commit="def456 with local changes")[0]["call"] == number


def test_what_was_measured_is_kept_while_the_files_it_depends_on_are_the_same(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumable, report = benchmark_module("lib.resumable"), benchmark_module("lib.report")
    monkeypatch.setattr(report, "versions", dict)
    state = {"src": "abc123"}
    monkeypatch.setattr(report, "content", lambda paths: "".join(state[path] for path in paths))
    calls: list[str] = []

    def run(commit: str) -> Any:
        monkeypatch.setattr(report, "commit", lambda: commit)
        options = argparse.Namespace(work=tmp_path, force=False)
        with resumable.Run("calls", 1, options, {}) as running:
            rows = running.rows(
                "one", lambda: [{"call": calls.append("") or len(calls)}], depends_on=["src"]
            )
            return rows[0]["call"]

    assert run("aaa") == run("bbb with local changes") == 1
    state["src"] = "def456"
    assert run("bbb") == 2
    state["src"] = "def456 with local changes"
    assert (run("bbb"), run("bbb")) == (3, 4)


def test_the_content_of_files_has_a_name(benchmark_module: Any) -> None:
    report = benchmark_module("lib.report")
    if report.commit() == "unknown":
        pytest.skip("this is no git repository")
    both = report.content(["benchmarks/README.md", "core"])
    assert both != report.content(["core"])
    assert report.content(["no such file"]) == "unknown"


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "2.00x (1.50x to 4.00x)"),
        ({"fits": 1}, "2.00x"),
        ({"status": "time_limit"}, "> 2.00x"),
        ({"time_over_ours": None}, "-"),
    ],
)
def test_a_ratio_has_its_spread(benchmark_module: Any, changes: dict[str, Any], shown: str) -> None:
    times = {"quartile_1": 3.0, "median": 4.0, "quartile_3": 8.0, "fits": 5}
    row = {**times, "status": "complete", "time_over_ours": 2.0, **changes}
    assert benchmark_module("lib.timing").write_ratio(row) == shown


def small_plan(compare: Any, data: Any, sets: Any) -> list[Any]:
    """Ask for a tree, a set and an importance of a generated table."""
    table, problem = data.Synthetic(300, 8), sets.SetProblem(3, 0.02, 20.0, epsilon=0.02)
    return [
        compare.Line("licketysplit", table, "splitsecond LicketySPLIT", problem),
        compare.Line("treefarms", table, "splitsecond TreeFARMS", problem),
        compare.Line("rid", table, "splitsecond RID, exact", problem),
    ]


@pytest.mark.slow
def test_a_build_compared_with_itself_gives_the_same_answers(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    import splitsecond

    compare, data = benchmark_module("compare"), benchmark_module("lib.data")
    lines = small_plan(compare, data, benchmark_module("lib.set_packages"))
    monkeypatch.setattr(compare, "plan", lambda: lines)
    monkeypatch.setattr(benchmark_module("lib.report"), "versions", dict)
    build = str(Path(splitsecond.__file__).parents[1])
    words = ["--before", build, "--after", build, "--repeats", "2", "--budget", "0"]
    assert compare.main([*words, "--out", str(tmp_path / "builds.md")]) == 0
    assert "- before: splitsecond" in (tmp_path / "builds.md").read_text(encoding="utf-8")
    with (tmp_path / "builds.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["group"] for row in rows] == [line.group for line in lines]
    for row in rows:
        assert (row["answers"], row["turns"]) == ("same", "2")
        assert float(row["ratio"]) == float(row["after"]) / float(row["before"])
    assert float(rows[0]["objective"]) > 0
    assert int(rows[0]["leaves"]) >= 1
    assert int(rows[1]["trees"]) >= 1
    capsys.readouterr()
    assert compare.main([*words, "--only", "treefarms", "synthetic 300 x 8"]) == 0
    assert "splitsecond RID" not in capsys.readouterr().out


def test_builds_take_turns_and_differences_are_told(benchmark_module: Any) -> None:
    compare = benchmark_module("compare")
    order: list[str] = []

    class Fake:
        def __init__(self, name: str, seconds: float) -> None:
            self.name, self.seconds = name, seconds

        def turn(self) -> Any:
            order.append(self.name)
            return np.array([[self.seconds, self.seconds / 2]])

    builds = [Fake("A", 1.0), Fake("B", 2.0)]
    times = compare.take_turns(builds, repeats=4, budget=100.0)
    assert "".join(order) == "ABBAABBA"
    assert times.shape == (2, 4, 2)
    assert times[:, 0].tolist() == [[1.0, 0.5], [2.0, 1.0]]
    assert compare.take_turns(builds, repeats=9, budget=0.0).shape[1] == compare.MIN_TURNS
    found = {"objective": 0.5, "leaves": 2, "histogram": {"1": 1}}
    assert compare.judge(found, dict(found)) == "same"
    other = {**found, "leaves": 3, "histogram": {}}
    assert compare.judge(found, other) == "differ: leaves 2 and 3, histogram"


@pytest.mark.slow
def test_a_folder_without_a_build_or_with_a_broken_one_is_told(
    benchmark_module: Any, tmp_path: Path
) -> None:
    builds = benchmark_module("lib.builds")
    with builds.Build(tmp_path) as build, pytest.raises(SystemExit, match="holds no splitsecond"):
        build.describe()
    (tmp_path / "splitsecond.py").write_text("import os\nos._exit(7)\n")
    with builds.Build(tmp_path) as build, pytest.raises(SystemExit, match="exit code 7"):
        build.describe()


def test_processes_find_folders_that_were_given_relative_to_this_one(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timing = benchmark_module("lib.timing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "src")
    paths = timing.worker_environment(Path("build"))["PYTHONPATH"].split(os.pathsep)
    assert paths[1:] == [str(tmp_path / "build"), str(tmp_path / "src")]
    assert (Path(paths[0]) / "lib" / "timing.py").exists()
    alone = timing.worker_environment(inherit=False)["PYTHONPATH"]
    assert alone == paths[0]


def test_columns_of_a_table_are_written_as_text(benchmark_module: Any) -> None:
    report = benchmark_module("lib.report")
    last = report.Column("both", lambda row: f"{row['a']}{row['b']}")
    made = report.columns("a | time = b s | b = b .2f", last)
    table = report.Table("t", made, [{"a": 1, "b": 0.25}, {"a": None, "b": None}])
    lines = table.to_markdown().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["a", "time", "b", "both"]
    assert cells[2:] == [["1", "250 ms", "0.25", "10.25"], ["-", "-", "-", "NoneNone"]]


KERNEL_LINES = """what,way,size,counted_words,read_bytes,quartile_1,median,quartile_3
peak of reading,64 bits,1000,0,1000,1,2,4
peak of reading,512 bits,1000,0,1000,0.5,1,2
peak of counting,512 bits,0,800,0,1,1,1
split_rows,avx512,1000,200,1000,0.5,1,2
pair_counts,avx512,1000,8000,1000,10,20,40
split_entropies,avx512,512,0,0,1,2,3
"""


def test_kernels_are_measured_by_the_best_peak_that_binds_them(benchmark_module: Any) -> None:
    kernels = benchmark_module("kernels")
    rows = list(kernels.read(KERNEL_LINES.splitlines()))
    peaks = rows[:3]
    split, pairs, entropies = (kernels.judge(row, peaks) for row in rows[3:])
    assert (split["bound"], split["share"]) == ("reading", 0.5)
    assert (split["share_quartile_1"], split["share_quartile_3"]) == (0.25, 1.0)
    assert (pairs["bound"], pairs["share"]) == ("counting", 0.5)
    assert (entropies["bound"], entropies["share"]) == (None, None)
    table = kernels.Table("kernels", kernels.KERNEL_COLUMNS, [split, pairs, entropies])
    assert "50% (25% to 100%)" in table.to_markdown()


def test_kernels_of_two_trees_are_timed_by_turns(
    benchmark_module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = benchmark_module("kernels")
    order: list[str] = []

    def measure(program: Path, rounds: int) -> list[dict[str, Any]]:
        order.append(program.name)
        lines = KERNEL_LINES.splitlines()
        rows = list(kernels.read(lines if program.name == "before" else lines[:-1]))
        factor = len(order) * (1 if program.name == "before" else 10)
        return [{**row, "median": factor * row["median"]} for row in rows]

    monkeypatch.setattr(kernels, "measure", measure)
    rows = kernels.compare(Path("before"), Path("after"), rounds=1, repeats=2)
    assert order == ["before", "after", "after", "before"]
    assert [row["what"] for row in rows] == ["split_rows", "pair_counts"]
    assert (rows[0]["before"], rows[0]["after"], rows[0]["ratio"]) == (2.5, 25.0, 10.0)


def test_make_bench_runs_every_benchmark() -> None:
    """All that write results; gpu only where there is a GPU."""
    root = Path(__file__).parents[2]
    tools = {"compare", "environments", "summary"}
    commands = {each.stem for each in (root / "benchmarks").glob("*.py")} - tools
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    listed = makefile.partition("BENCHMARKS ?= ")[2].partition("\nbench:")[0]
    assert set(re.findall(r"\b[a-z_]+\b", listed.split("$(")[0])) | {"gpu"} == commands
    assert "nvidia-smi),gpu)" in listed
    readme = (root / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for name in commands | tools:
        assert f"    python benchmarks/{name}.py" in readme, name
