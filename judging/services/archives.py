"""Unpack an uploaded study folder without trusting it."""

import lzma
import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from annotate.errors import CannotSetUp

MAX_FILES = 200_000
MAX_BYTES = 20 * 2**30
MAX_RATIO = 200
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    *(NotImplementedError, RuntimeError, ValueError),
    *(FileExistsError, NotADirectoryError, IsADirectoryError),
)


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a zip into `folder` and return where its study.toml (or rows) lie.

    Raises
    ------
    CannotSetUp
        It is no zip, leads out of the folder, holds links, or would unpack to more
        than the limits, which the message names.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            _check(opened)
            for entry in opened.infolist():
                _extract(opened, entry, folder)
    except UNREADABLE as error:
        raise CannotSetUp(f"The archive cannot be unpacked: {error}.") from None
    inside = [path for path in folder.iterdir() if not path.name.startswith("__MACOSX")]
    if len(inside) == 1 and inside[0].is_dir():
        return inside[0]
    return folder


def _check(opened: zipfile.ZipFile) -> None:
    entries = opened.infolist()
    if len(entries) > MAX_FILES:
        raise CannotSetUp(f"The archive holds more than {MAX_FILES:,} files.")
    total = sum(entry.file_size for entry in entries)
    if total > MAX_BYTES:
        raise CannotSetUp(f"The archive unpacks to more than {MAX_BYTES >> 30} GiB.")
    for entry in entries:
        path = PurePosixPath(entry.filename)
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        if path.is_absolute() or ".." in path.parts or is_link or "\\" in path.name:
            raise CannotSetUp(f"{entry.filename!r} leads out of the archive's folder.")
        if entry.file_size > 2**20 and entry.file_size > MAX_RATIO * max(
            entry.compress_size, 1
        ):
            raise CannotSetUp(
                f"{entry.filename!r} unpacks to more than {MAX_RATIO} times its size."
            )


def _extract(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    target = folder / entry.filename
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened.open(entry) as packed, target.open("wb") as file:
        shutil.copyfileobj(packed, file, 1 << 20)
