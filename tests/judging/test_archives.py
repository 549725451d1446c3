"""An uploaded zip is unpacked without being trusted."""

import stat
import zipfile

import pytest

from annotate.errors import CannotSetUp
from judging.services import archives
from judging.services.archives import unpack
from judging.services.folder_reading import read_folder
from tests.judging.small_study import small_folder


def packed(tmp_path, entries):
    archive = tmp_path / "study.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(name, content)
    return archive


@pytest.fixture
def into(tmp_path):
    made = tmp_path / "into"
    made.mkdir()
    return made


def test_a_zip_of_the_folder_is_the_folder(tmp_path, into):
    folder = small_folder(tmp_path / "folder")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [f"my study/{path.relative_to(folder)}" for path in files]
    contents = [path.read_bytes() for path in files]
    archive = packed(tmp_path, zip(names, contents, strict=True))
    found = read_folder(unpack(archive, into))

    assert found.faults == []
    assert found.sha256() == read_folder(folder).sha256()


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/../../out", "a\\..\\out"])
def test_no_entry_leads_out(tmp_path, into, name):
    with pytest.raises(CannotSetUp, match="leads out"):
        unpack(packed(tmp_path, [(name, b"x")]), into)
    assert list(into.iterdir()) == []


def test_links_are_refused(tmp_path, into):
    link = zipfile.ZipInfo("audio")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(CannotSetUp, match="leads out"):
        unpack(packed(tmp_path, [(link, b"/etc")]), into)


def test_bombs_are_refused(tmp_path, into):
    with pytest.raises(CannotSetUp, match="200 times its size"):
        unpack(packed(tmp_path, [("zeros", bytes(8 * 2**20))]), into)


def test_limits_are_named(tmp_path, into, monkeypatch):
    archive = packed(tmp_path, [("a", b"1234"), ("b", b"5678")])
    monkeypatch.setattr(archives, "MAX_FILES", 1)
    with pytest.raises(CannotSetUp, match="more than 1 files"):
        unpack(archive, into)
    monkeypatch.setattr(archives, "MAX_FILES", 9)
    monkeypatch.setattr(archives, "MAX_BYTES", 7)
    with pytest.raises(CannotSetUp, match="unpacks to more than"):
        unpack(archive, into)


def test_what_is_no_zip_is_refused(tmp_path, into):
    (tmp_path / "text.zip").write_bytes(b"this is text")
    with pytest.raises(CannotSetUp, match="cannot be unpacked"):
        unpack(tmp_path / "text.zip", into)


def test_a_damaged_zip_is_refused(tmp_path, into):
    archive = packed(tmp_path, [("a", bytes(range(256)) * 40)])
    damaged = bytearray(archive.read_bytes())
    damaged[60:120] = b"\xff" * 60
    archive.write_bytes(damaged)
    with pytest.raises(CannotSetUp, match="cannot be unpacked"):
        unpack(archive, into)


def test_one_name_as_file_and_folder_is_refused(tmp_path, into):
    with pytest.raises(CannotSetUp, match="cannot be unpacked"):
        unpack(packed(tmp_path, [("a", b"1"), ("a/b", b"2")]), into)
