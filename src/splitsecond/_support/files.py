"""Writing a file whole or not at all, and telling what one is by how it begins."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

STALE_SECONDS = 3600  # age of a partial file that nobody writes any more, where locks cannot tell
MODEL_FORMAT = "splitsecond model"  # what files of models say they are
MODEL_ENCODING = "utf-8-sig"  # some editors put a mark at the beginning
REFUSED = {stat.S_IFSOCK: "it is a socket", stat.S_IFBLK: "it is a disk"}


def is_model(content: bytes) -> bool:
    """Whether a file that begins so is meant to be a model; its first bytes are looked at."""
    start = content[:100].decode(MODEL_ENCODING, "replace")
    return re.match(rf'\s*{{\s*"format":\s*"{MODEL_FORMAT}"', start) is not None


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole or not at all; see `write_whole_by`."""
    write_whole_by(path, lambda file: file.write(content))


def write_whole_by(path: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
    """Let a function write a file under another name in the same folder, then rename it.

    Whatever happens on the way, Ctrl-C included, a file that was there stays as it was. Links are
    followed, and a file that is replaced keeps its mode. What is no regular file (a terminal, a
    pipe, `/dev/null`) is written to directly. Partial files that a killed process has left are
    removed by the next write to the same file.
    """
    path = Path(path)
    old = _status(path)
    if replaces(path) or old is None:
        target = Path(os.path.realpath(path))
        _remove_stale(target)
        _replace(target, write, old)
        return
    kind = stat.S_IFMT(old.st_mode)
    if kind in REFUSED:
        raise OSError(errno.EINVAL, f"{REFUSED[kind]}: name a file", str(path))
    descriptor = _descriptor(path)
    with open(path if descriptor is None else os.dup(descriptor), "wb") as file:
        write(file)


def replaces(path: Path) -> bool:
    """Whether writing to this path replaces a file, so that its content is lost."""
    status = _status(path)
    return status is not None and stat.S_ISREG(status.st_mode) and _descriptor(path) is None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:  # also a link to a file that is not there yet
        return None


def _descriptor(path: Path) -> int | None:
    """Return the open file that a path stands for, such as 1 for `/dev/stdout`.

    It may be a regular file that a shell appends to: opening it by its name would empty it.
    """
    own = os.path.realpath("/dev/fd")  # a folder of the process itself
    here = os.fspath(path)
    for _ in range(40):  # as many links as the system follows
        folder, name = os.path.realpath(os.path.dirname(here)), os.path.basename(here)
        if folder == own and name.isdecimal():
            return int(name)
        here = os.path.join(folder, name)
        if not os.path.islink(here):
            break
        here = os.path.join(folder, os.readlink(here))
    return None


def _replace(target: Path, write: Callable[[BinaryIO], object], old: os.stat_result | None) -> None:
    """Write a new file and give it the place, the mode and the owner of the old one."""
    partial, descriptor = _create(target)
    try:
        with open(descriptor, "wb") as file:
            write(file)
            file.flush()
            if old is not None:
                _copy_mode(partial, old)
            if os.name != "nt":  # while it is locked
                os.replace(partial, target)
        if os.name == "nt":  # which renames no open file
            os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def _create(target: Path) -> tuple[Path, int]:
    """Create a partial file, locked where the system can, so that no other writer removes it."""
    while True:
        random = f"{os.getpid()}-{secrets.token_hex(4)}"
        partial = target.with_name(f".{_stem(target)}.{random}.partial")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(partial, flags, 0o666)
        try:
            if fcntl is None:
                return partial, descriptor
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return partial, descriptor
        except BaseException:
            os.close(descriptor)
            with suppress(OSError):
                partial.unlink()
            raise
        os.close(descriptor)  # another writer was faster to lock and remove it


def _copy_mode(partial: Path, old: os.stat_result) -> None:
    if hasattr(os, "chown"):
        new = partial.stat()
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            with suppress(OSError):  # only the superuser may
                os.chown(partial, old.st_uid, old.st_gid)
    with suppress(OSError):
        partial.chmod(stat.S_IMODE(old.st_mode))


def _remove_stale(target: Path) -> None:
    """Remove partial files of this file whose writers are dead."""
    pattern = re.compile(rf"\.{re.escape(_stem(target))}\.\d+-[0-9a-f]{{8}}\.partial")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_stale(entry.path)


def _remove_if_stale(partial: str) -> None:
    if fcntl is None:
        if time.time() - os.stat(partial).st_mtime > STALE_SECONDS:
            os.unlink(partial)
        return
    descriptor = os.open(partial, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:  # the lock of a process ends with it
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(partial)
    finally:
        os.close(descriptor)


def _stem(target: Path) -> str:
    """Return a name that leaves room for more."""
    name = target.name
    long = len(os.fsencode(name)) > 200
    return hashlib.sha256(os.fsencode(name)).hexdigest() if long else name
