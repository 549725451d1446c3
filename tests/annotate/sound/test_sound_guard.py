"""Whatever a file does to the child, the caller gets an answer and goes on."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from annotate.sound import (
    Limits,
    SoundUnavailable,
    SoundWorker,
    UnusableRecording,
    match_loudness,
    prepare_recording,
)
from tests.annotate.sound.made_sounds import encoded, speechlike, tone, written


@pytest.fixture(scope="module")
def hour(tmp_path_factory) -> Path:
    """Return a recording of 60 minutes at 8 kHz."""
    path = tmp_path_factory.mktemp("long") / "hour.wav"
    minute = np.tile(speechlike(10.0, 8_000), 6)
    with soundfile.SoundFile(path, "w", 8_000, 1, subtype="ULAW") as file:
        for _ in range(60):
            file.write(minute)
    return path


def test_one_recording_needs_no_worker(tmp_path):
    source = written(tmp_path / "a.wav", tone(1.0))

    found = prepare_recording(source, tmp_path)
    matched = match_loudness(found.as_is.path, tmp_path / "match.flac", -6.0)

    assert found.duration_s == 1.0
    assert matched.peak_db == pytest.approx(found.as_is.peak_db - 6, abs=0.01)


def test_relative_paths_are_those_of_the_caller(worker, tmp_path, monkeypatch):
    written(tmp_path / "a.wav", tone(1.0))
    monkeypatch.chdir(tmp_path)

    found = worker.prepare(Path("a.wav"), Path())

    assert found.as_is.path.resolve().parent == tmp_path


def test_a_name_that_is_not_utf_8_is_no_obstacle(worker, tmp_path):
    source = written(tmp_path / "a.wav", tone(1.0))
    odd = tmp_path / os.fsdecode(b'r\xe9ply \n \xff".wav')
    source.rename(odd)

    assert worker.prepare(odd, tmp_path).duration_s == 1.0


def test_importing_the_package_loads_no_decoder():
    code = (
        "import sys, annotate.sound; "
        "print({'numpy', 'scipy', 'soundfile', 'soxr', 'av', 'django'} "
        "& set(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )

    assert done.stdout.strip() == "set()"


@pytest.mark.slow
def test_an_hour_never_sits_in_memory(hour, tmp_path):
    with SoundWorker() as worker:
        begun = time.monotonic()
        found = worker.prepare(hour, tmp_path)
        taken_s = time.monotonic() - begun
        peak_kb = _peak_kb(worker.child_pid)

    assert found.duration_s == 3600
    assert found.as_is.duration_s == 3600
    assert len(found.as_is.peaks) == 1200
    assert peak_kb < 200_000
    assert taken_s < 60


@pytest.mark.slow
def test_a_long_compressed_recording_stays_within_memory_too(tmp_path):
    pcm = np.tile(speechlike(10.0, 16_000), 30)
    source = encoded(tmp_path / "a.m4a", pcm, 16_000, "aac", "ipod")

    with SoundWorker() as worker:
        found = worker.prepare(source, tmp_path)
        worker.match(found.as_is.path, tmp_path / "match.flac", 1.0)
        peak_kb = _peak_kb(worker.child_pid)

    assert found.duration_s == pytest.approx(300, abs=0.05)
    assert peak_kb < 200_000


@pytest.mark.slow
def test_a_child_that_is_killed_spoils_one_file_only(hour, tmp_path):
    short = written(tmp_path / "a.wav", tone(1.0))
    out = tmp_path / "out"
    out.mkdir()

    with SoundWorker() as worker:
        worker.prepare(short, tmp_path)
        first = worker.child_pid
        killer = threading.Timer(1.5, os.kill, (first, signal.SIGKILL))
        killer.start()
        with pytest.raises(UnusableRecording) as caught:
            worker.prepare(hour, out)
        killer.join()
        again = worker.prepare(short, tmp_path)

        assert caught.value.reason == "crash"
        assert "signal 9" in caught.value.message
        assert again.duration_s == 1.0
        assert worker.child_pid != first
    assert list(out.iterdir()) == []


def test_a_child_that_died_while_waiting_is_replaced(tmp_path):
    source = written(tmp_path / "a.wav", tone(1.0))

    with SoundWorker() as worker:
        worker.prepare(source, tmp_path)
        os.kill(worker.child_pid, signal.SIGKILL)
        time.sleep(0.2)

        assert worker.prepare(source, tmp_path).duration_s == 1.0


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_given_up(hour, tmp_path):
    short = written(tmp_path / "a.wav", tone(1.0))
    out = tmp_path / "out"
    out.mkdir()

    with SoundWorker(Limits(timeout_s=1.0, timeout_s_per_mebibyte=0)) as worker:
        with pytest.raises(UnusableRecording) as caught:
            worker.prepare(hour, out)

        assert caught.value.reason == "timeout"
        assert worker.child_pid is None
        assert worker.prepare(short, tmp_path).duration_s == 1.0
    assert list(out.iterdir()) == []


def test_a_stopped_child_is_given_up_and_killed(tmp_path):
    source = written(tmp_path / "a.wav", tone(1.0))

    with SoundWorker(Limits(timeout_s=1.0)) as worker:
        worker.prepare(source, tmp_path)
        stopped = worker.child_pid
        os.kill(stopped, signal.SIGSTOP)
        with pytest.raises(UnusableRecording) as caught:
            worker.prepare(source, tmp_path)

        assert caught.value.reason == "timeout"
        assert not Path(f"/proc/{stopped}").exists()
        assert worker.prepare(source, tmp_path).duration_s == 1.0


def test_a_file_that_needs_too_much_memory_is_given_up(tmp_path):
    short = written(tmp_path / "a.wav", tone(1.0))
    long = encoded(tmp_path / "b.m4a", speechlike(30.0), 24_000, "aac", "ipod")
    with SoundWorker() as worker:
        worker.prepare(short, tmp_path)
        needed = 1024 * _kilobytes(worker.child_pid, "VmPeak")

    # Enough for what is loaded at the start, too little to load FFmpeg as well.
    with SoundWorker(replace(Limits(), memory_bytes=needed + 2**21)) as worker:
        with pytest.raises(UnusableRecording) as caught:
            worker.prepare(long, tmp_path)

        assert caught.value.reason == "memory"
        assert worker.prepare(short, tmp_path).duration_s == 1.0


def test_a_rendition_that_outgrows_its_limit_is_given_up(tmp_path):
    source = written(tmp_path / "a.wav", np.random.default_rng(0).uniform(-1, 1, 10**6))
    source = source.rename(tmp_path / "b.wav")

    with SoundWorker() as worker:
        worker.prepare(source, tmp_path)
        _limit_file_size(worker.child_pid, 100_000)
        out = tmp_path / "out"
        out.mkdir()
        with pytest.raises(UnusableRecording) as caught:
            worker.prepare(source, out)

    assert caught.value.reason == "not_written"
    assert list(out.iterdir()) == []


def test_a_child_is_recycled_after_so_many_files(tmp_path):
    source = written(tmp_path / "a.wav", tone(0.5))

    with SoundWorker(files_per_child=2) as worker:
        pids = []
        for _ in range(5):
            worker.prepare(source, tmp_path)
            pids.append(worker.child_pid)

    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_the_child_sees_no_secret_and_is_limited(tmp_path, monkeypatch):
    monkeypatch.setenv("EARWITNESS_KEY_ACME", "do-not-tell")
    monkeypatch.setenv("DATABASE_URL", "postgres://do-not-tell")
    source = written(tmp_path / "a.wav", tone(1.0))

    with SoundWorker() as worker:
        worker.prepare(source, tmp_path)
        seen = Path(f"/proc/{worker.child_pid}")
        environment = (seen / "environ").read_bytes()
        limits = (seen / "limits").read_text()
        opened = {str(link.readlink()) for link in (seen / "fd").iterdir()}

    assert b"do-not-tell" not in environment
    assert limit_of(limits, "Max address space") == str(1024 * 2**20)
    assert limit_of(limits, "Max core file size") == "0"
    assert limit_of(limits, "Max open files") == "64"
    assert limit_of(limits, "Max file size") != "unlimited"
    assert limit_of(limits, "Max cpu time") != "unlimited"
    assert not any(str(tmp_path) in name for name in opened)


def test_a_child_that_cannot_start_is_no_fault_of_the_file(tmp_path):
    source = written(tmp_path / "a.wav", tone(1.0))

    with (
        SoundWorker(Limits(memory_bytes=40 * 2**20)) as worker,
        pytest.raises(SoundUnavailable, match="does not start"),
    ):
        worker.prepare(source, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wav", "adpcm", "flac", "ogg", "opus", "mp3", "aiff"])
def test_garbled_files_neither_hang_nor_spoil_the_next(tmp_path, kind):
    container, codec = {
        "wav": ("WAV", "FLOAT"),
        "adpcm": ("WAV", "MS_ADPCM"),
        "flac": ("FLAC", "PCM_24"),
        "ogg": ("OGG", "VORBIS"),
        "opus": ("OGG", "OPUS"),
        "mp3": ("MP3", None),
        "aiff": ("AIFF", "PCM_16"),
    }[kind]
    good = written(
        tmp_path / "a", speechlike(1.0), 24_000, format=container, subtype=codec
    )
    _garble_and_prepare(good, tmp_path / "b", seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codec", "container"),
    [("aac", "ipod"), ("libopus", "webm"), ("aac", "adts"), ("alac", "mov")],
)
def test_garbled_containers_neither_hang_nor_spoil_the_next(tmp_path, codec, container):
    good = encoded(tmp_path / "a", speechlike(1.0, 48_000), 48_000, codec, container)
    _garble_and_prepare(good, tmp_path / "b", seed=2)


def _garble_and_prepare(good: Path, garbled: Path, seed: int) -> None:
    """Prepare variants of a good file: cut, overwritten, and with bits turned."""
    drawn = np.random.default_rng(seed)
    content = good.read_bytes()
    out = garbled.with_suffix(".out")
    out.mkdir()
    faults: list[UnusableRecording] = []
    with SoundWorker(Limits(timeout_s=20.0)) as worker:
        for i in range(30):
            # Half of the damage falls on the header, where it hurts most.
            reach = len(content) if i % 2 else min(200, len(content))
            changed = bytearray(content)
            at = int(drawn.integers(reach))
            if i % 3 == 0:
                changed = changed[:at]
            elif i % 3 == 1:
                n = int(drawn.integers(1, 60))
                changed[at : at + n] = drawn.bytes(n)
            else:
                changed[at] ^= 1 << int(drawn.integers(8))
            garbled.write_bytes(bytes(changed))
            try:
                found = worker.prepare(garbled, out)
            except UnusableRecording as fault:
                faults.append(fault)
            else:
                assert np.isfinite(found.level.peak_db)
                found.as_is.path.unlink()
            assert list(out.iterdir()) == []
        assert worker.prepare(good, out).duration_s == pytest.approx(1.0, abs=0.05)
    assert faults
    reasons = {fault.reason for fault in faults}
    assert not reasons & {"crash", "timeout", "memory", "not_written"}


def limit_of(limits: str, name: str) -> str:
    """Return the soft limit in the text of /proc/…/limits."""
    line = next(line for line in limits.splitlines() if line.startswith(name))
    return line[len(name) :].split()[0]


def _kilobytes(pid: int | None, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def _peak_kb(pid: int | None) -> int:
    return _kilobytes(pid, "VmHWM")


def _limit_file_size(pid: int | None, n_bytes: int) -> None:
    import resource

    assert pid is not None
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
