"""Files are replaced whole or not at all, and what is no regular file is never replaced."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from saved_models import fitted, seen

from splitsecond import load, save
from splitsecond._support import files as _files
from splitsecond._support.files import replaces, write_whole

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")


class HalfWritten:
    """A file that takes half of what it is given, and then fails."""

    def __init__(self, descriptor: int, error: BaseException) -> None:
        self._file, self._error = open(descriptor, "wb"), error  # noqa: SIM115

    def __enter__(self) -> HalfWritten:
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()

    def write(self, content: bytes) -> None:
        self._file.write(content[: len(content) // 2])
        raise self._error


@pytest.mark.parametrize("step", ["write", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=repr)
def test_a_failing_write_changes_nothing(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    save(fitted("zero-one"), path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise error

    if step == "write":
        monkeypatch.setattr(_files, "open", lambda fd, _: HalfWritten(fd, error), raising=False)
    else:
        monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(type(error)):
        save(fitted("raw-frame"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_threads_that_save_to_one_path(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    models = [fitted("zero-one"), fitted("raw-frame")]
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for _ in range(25):
            save(models[number % 2], path)
            assert seen(load(path)) in (seen(models[0]), seen(models[1]))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert list(tmp_path.iterdir()) == [path]


# What there was before


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_the_mode_is_kept(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_new_files_have_the_mode_of_new_files(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_whole(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


@posix
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, 12345, 23456)
    write_whole(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@posix
@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(exists: bool, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    if exists:
        target.write_text("old")
    link = tmp_path / "link"
    link.symlink_to("again")
    (tmp_path / "again").symlink_to(Path("folder") / "target")
    assert replaces(link) == exists
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["target"]


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    for content in (b"one", b"two"):
        write_whole(path, content)
        assert path.read_bytes() == content


# What is no regular file


@posix
def test_devices_stay_devices() -> None:
    save(fitted("zero-one"), os.devnull)
    assert Path(os.devnull).is_char_device()
    assert not replaces(Path(os.devnull))


@posix
@pytest.mark.parametrize("linked", [False, True])
def test_pipes_are_written_to(linked: bool, tmp_path: Path) -> None:
    pipe = path = tmp_path / "pipe"
    os.mkfifo(pipe)
    if linked:
        path = tmp_path / "link"
        path.symlink_to(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_whole(path, b"through")
        assert read.result() == b"through"
    assert pipe.is_fifo()


@posix
def test_sockets_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as end, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)  # the path of a socket must be short
        end.bind(path.name)
        with pytest.raises(OSError, match="it is a socket: name a file"):
            write_whole(path, b"")
    assert path.is_socket()


def test_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"directory|denied"):
        write_whole(tmp_path, b"")


@posix
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_is_continued(name: str, tmp_path: Path) -> None:
    """It may be a file that a shell appends to."""
    log = tmp_path / "log"
    log.write_text("before\n")
    code = f"""
from pathlib import Path
from splitsecond._support.files import replaces, write_whole
print("first", flush=True)
assert not replaces(Path({name!r}))
write_whole({name!r}, b"model\\n")
print("last")
"""
    with log.open("ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert log.read_text() == "before\nfirst\nmodel\nlast\n"
    assert os.listdir(tmp_path) == ["log"]


# What a killed process leaves


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that stops in the middle of writing a file."""
    code = f"""
import os, sys, time
from splitsecond._support.files import write_whole

def wait(*_):
    print("half", flush=True)
    time.sleep(600)

os.replace = wait
write_whole({os.fspath(tmp_path / "model.json")!r}, b"half")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half" + os.linesep.encode()
        yield process
        process.kill()


@posix
def test_what_a_killed_process_left_is_removed(
    writer: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "model.json"
    (partial,) = tmp_path.iterdir()
    assert partial.read_bytes() == b"half"
    assert str(writer.pid) in partial.name

    write_whole(path, b"while it runs")
    assert partial.exists(), "it is still being written"

    writer.send_signal(signal.SIGKILL)
    writer.wait()
    write_whole(tmp_path / "other.json", b"")
    write_whole(tmp_path / "odel.json", b"")
    assert partial.exists(), "it belongs to another file"
    write_whole(path, b"afterwards")
    assert sorted(os.listdir(tmp_path)) == ["model.json", "odel.json", "other.json"]
    assert path.read_bytes() == b"afterwards"


def test_files_of_others_stay(tmp_path: Path) -> None:
    for name in (".model.json.partial", ".model.json.1.partial", "model.json.1-00000000.partial"):
        (tmp_path / name).write_text("")
    write_whole(tmp_path / "model.json", b"")
    assert len(os.listdir(tmp_path)) == 4


def test_without_locks_only_old_partial_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "fcntl", None)
    new, old = (tmp_path / f".model.json.1-0000000{i}.partial" for i in range(2))
    for path in (new, old):
        path.write_text("")
    os.utime(old, (0, 0))
    write_whole(tmp_path / "model.json", b"")
    assert sorted(os.listdir(tmp_path)) == [new.name, "model.json"]


@posix
def test_a_partial_file_that_is_removed_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer may take it for a stale one in that moment."""
    import fcntl

    flock, removed = fcntl.flock, []

    def late(descriptor: int, how: int) -> None:
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_whole(tmp_path / "model.json", b"all")
    assert removed
    assert (tmp_path / "model.json").read_bytes() == b"all"
