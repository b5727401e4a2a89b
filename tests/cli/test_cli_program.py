"""The program itself, in a process of its own: each command once, and how it ends."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import columns, run, write_csv, write_parquet

from splitsecond._support.install import install_line

pytestmark = pytest.mark.slow  # each starts the program

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def no_pandas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide pandas from the program, since the extra does not bring it."""
    folder = tmp_path_factory.mktemp("hidden")
    (folder / "pandas.py").write_text("raise ImportError")
    with pytest.MonkeyPatch.context() as patch:
        path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        patch.setenv("PYTHONPATH", os.pathsep.join(path))
        yield


def program(*args: Any, code: int = 0) -> tuple[str, str]:
    """Run ``python -m splitsecond`` and return what it writes."""
    command = [sys.executable, "-m", "splitsecond", *map(str, args)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_from_a_table_to_predictions(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "people.csv", columns())
    model = tmp_path / "model.json"
    target = ("--target", "outcome")

    tree, messages = program("fit", table, *target, "--test-size", 0.2, "--out", model)
    assert "held-out rows: accuracy" in tree
    assert messages == f"splitsecond: wrote {model}\n"  # no bar where there is no terminal

    small = (*target, "--max-depth", 2)
    trees = tmp_path / "trees.json"
    assert run("rashomon", table, *small, "--out", trees).exit_code == 0
    others: list[tuple[Any, ...]] = [
        ("doctor", table, *target),
        ("show", model),
        ("predict", model, table, "--json"),
        ("export", model, "--to", "dot"),
        ("rashomon", table, *small),
        ("importance", table, *small, "--bootstraps", 1),
        ("explore", trees, "--top", 2),
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # most of their time is importing
        results = list(pool.map(lambda args: program(*args), others))
    assert [messages for _, messages in results] == [""] * len(others)
    checked, shown, predicted, exported, good, important, page = (found for found, _ in results)
    assert "ESTIMATE" in checked
    assert tree.startswith(shown)
    assert {row["prediction"] for row in json.loads(predicted)} == {"yes", "no"}
    assert exported.startswith("digraph")
    assert "trees that ask about" in good
    assert important.startswith("1 bootstrap with")
    assert page.startswith("<!DOCTYPE html>")


def test_bench() -> None:
    found, _ = program("bench", "--data", "iris", "--repeats", 1, "--json")
    assert len(json.loads(found)["results"]) == 5


def test_the_demo_is_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"))
    shown, expected = (
        re.sub(r"[ \d.]+ m?s", " no time", text)
        for text in (program("demo")[0], capsys.readouterr().out)
    )
    assert shown == expected


def test_the_demo_shows_what_each_search_is_for() -> None:
    found = json.loads(program("demo", "--json")[0])
    assert found["accuracy"] > 0.9
    objective: dict[Any, Any] = {}
    for each in found["comparison"]:
        assert each["seconds"] > each["search_seconds"] + each["binarization_seconds"] > 0
        objective.setdefault(each["digit"], []).append(each["objective"])
    for greedy, lickety, split, optimal in objective.values():
        assert optimal <= split <= lickety < greedy
    assert objective[8][1] == objective[8][3]
    assert objective[9][1] < 1.05 * objective[9][3]


def test_the_script_is_installed_and_refuses_bad_files(tmp_path: Path) -> None:
    script = shutil.which("splitsecond", path=sysconfig.get_path("scripts"))
    assert script is not None
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,y\n1,x\n2\n")
    command = [script, "fit", str(path), "--target", "y"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"splitsecond: error: {path} is not a table")


def test_without_the_extra() -> None:
    code = "import sys; sys.modules['typer'] = None\nimport splitsecond_cli; splitsecond_cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "demo"], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert done.stderr == f"The command line needs typer: {install_line('cli')}\n"


def test_ctrl_c_while_importing_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import signal\nsignal.raise_signal(signal.SIGINT)\nraise ImportError('after Ctrl-C')"
    (tmp_path / "numpy.py").write_text(code)
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    monkeypatch.setenv("PYTHONPATH", path)
    script = shutil.which("splitsecond", path=sysconfig.get_path("scripts"))
    assert script is not None
    done = subprocess.run([script, "demo"], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for a child")
def test_ctrl_c_ends_a_search_with_130_and_no_file(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = {f"x{j}": random.integers(0, 2, 20_000) for j in range(100)}
    path = write_parquet(tmp_path / "table.parquet", {**X, "y": random.integers(0, 2, 20_000)})
    options = ["--algorithm", "optimal", "--regularization", "0", "--max-depth", "8"]
    command = ["fit", str(path), "--target", "y", *options, "--out", str(tmp_path / "model.json")]
    # It says when the search begins: before that, Ctrl-C would find Python still importing.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import splitsecond_cli\n"
        "from splitsecond import _core\n"
        "solve = _core.solve\n"
        "def told(*a, **k): print('searching', flush=True); return solve(*a, **k)\n"
        "_core.solve = told; splitsecond_cli.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert messages.splitlines()[-1].startswith("splitsecond: interrupted")
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("opened", [False, True])
def test_ctrl_c_ends_the_wait_for_a_pipe(tmp_path: Path, opened: bool) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    waits = '(sources, "_read_all")' if opened else '(sources.Path, "open")'
    # It says when it begins to wait: for someone to open the pipe, or to write to it.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import splitsecond_cli\n"
        "from splitsecond._cli import sources\n"
        f"what, name = {waits}\n"
        "inner = getattr(what, name)\n"
        "def told(*a, **k): print('waiting', flush=True); return inner(*a, **k)\n"
        "setattr(what, name, told); splitsecond_cli.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "fit", str(pipe), "--target", "y"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        writer = pipe.open("wb", buffering=0) if opened else None
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, messages = process.communicate(timeout=60)
        if writer is not None:
            writer.close()
    assert (process.returncode, out) == (130, "")
    assert messages.startswith("splitsecond: interrupted")


def redirected(how: str, *args: Any) -> tuple[int, str, str]:
    """Run the program by a shell that closes or redirects streams."""
    command = f'"$0" "$@" {how}'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, "-m", "splitsecond", *map(str, args)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


needs_a_shell = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@needs_a_shell
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["fit", "show", "predict", "doctor", "none", "usage", "help"])
def test_closed_streams(
    people: Path, people_model: Path, tmp_path: Path, command: str, closed: str
) -> None:
    out = tmp_path / "out.json"
    calls: dict[str, tuple[int, tuple[Any, ...]]] = {
        "fit": (0, ("fit", people, "--target", "outcome", "--out", out)),
        "show": (0, ("show", people_model)),
        "predict": (0, ("predict", people_model, people, "--out", out)),
        "doctor": (0, ("doctor", people)),
        "none": (1, ("show", tmp_path / "none")),
        "usage": (2, ("fit", people, "--colour", "red")),
        "help": (0, ("--help",)),
    }
    code, args = calls[command]
    found, printed, messages = redirected(closed, *args)
    assert found == code
    assert "Traceback" not in messages
    assert messages.count("\n") <= 1 or command == "usage"
    assert ">&-" not in closed.split() or printed == ""
    if out in args:  # and nothing that was meant for a stream is in it
        expected = tmp_path / "expected.json"
        args = tuple(expected if each == out else each for each in args)
        assert run(*args).exit_code == 0
        drop = r'seconds": [^,\n]*'
        texts = [re.sub(drop, "", path.read_text(encoding="utf-8")) for path in (out, expected)]
        assert texts[0] == texts[1]


@needs_a_shell
def test_standard_input_that_is_closed() -> None:
    code, _, messages = redirected("<&-", "fit", "-", "--target", "y")
    assert (code, messages.count("\n")) == (1, 1)
    assert "standard input is empty" in messages


@needs_a_shell
def test_a_reader_that_has_ended(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    code, _, messages = redirected(
        "| true; exit ${PIPESTATUS[0]}", "fit", people, "--target", "outcome", "--out", out
    )
    assert (code, messages) == (0, f"splitsecond: wrote {out}\n")
    assert out.exists()
    assert redirected("| true; exit ${PIPESTATUS[0]}", "--help")[::2] == (0, "")


@needs_a_shell
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_device_that_is_full(people_model: Path, tmp_path: Path) -> None:
    message = "splitsecond: error: No space left on device\n"
    for args in (("show", people_model), ("--help",)):
        assert redirected(">/dev/full", *args) == (1, "", message)
    assert redirected("2>/dev/full", "show", tmp_path / "none")[0] == 1
    assert redirected("2>/dev/full", "fit", "--colour")[0] == 2
