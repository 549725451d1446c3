"""What cannot be used is refused with a reason in plain words, and nothing is left."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from annotate.sound import Limits, SoundWorker, UnusableRecording
from tests.annotate.sound.made_sounds import (
    encoded,
    speechlike,
    tone,
    with_bytes,
    written,
)


def refused(worker, source) -> UnusableRecording:
    """Return why `source` is refused; nothing may be left beside it."""
    before = set(source.parent.iterdir())
    with pytest.raises(UnusableRecording) as caught:
        worker.prepare(source, source.parent)
    assert set(source.parent.iterdir()) == before
    fault = caught.value
    assert str(fault) == fault.message
    assert fault.message.endswith(".")
    assert source.name not in fault.message
    assert str(source.parent) not in fault.message
    return fault


def test_a_file_that_is_not_there(worker, tmp_path):
    assert refused(worker, tmp_path / "none.wav").reason == "missing"


def test_a_folder_or_a_pipe_is_no_file(worker, tmp_path):
    os.mkfifo(tmp_path / "pipe.wav")
    (tmp_path / "folder.wav").mkdir()

    assert refused(worker, tmp_path / "pipe.wav").reason == "missing"
    assert refused(worker, tmp_path / "folder.wav").reason == "missing"


def test_an_empty_file(worker, tmp_path):
    fault = refused(worker, with_bytes(tmp_path / "acme-1.wav", b""))

    assert fault.reason == "empty"
    assert "0 bytes" in fault.message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"just words, named like a recording", "text"),
        (b"<!doctype html><title>404</title>", "text"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "picture"),
        (b"PK\x03\x04" + bytes(99), "zip"),
        (b"#EXTM3U\nhttp://127.0.0.1/secret.wav\n", "playlist"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11" + bytes(99), "WMA"),
        (bytes(5000), "zero bytes"),
        (b"\x01\x02\x03\x04" * 99, "not a recording"),
        (b"ID3", "text"),
        (b"ID3\x04\0\0\x7f\x7f\x7f\x7f", "not copied in full"),
    ],
)
def test_a_file_that_is_not_audio(worker, tmp_path, content, said):
    fault = refused(worker, with_bytes(tmp_path / "acme-1.wav", content))

    assert fault.reason == "unknown_format"
    assert said in fault.message


@pytest.mark.parametrize(
    "content",
    [
        b"RIFF\x24\0\0\0WAVEfmt ",
        b"fLaC" + bytes(100),
        b"OggS" + bytes(100),
        b"\0\0\0\x20ftypM4A " + bytes(100),
        b"\x1a\x45\xdf\xa3" + bytes(100),
        b"\xff\xfb\x90\x64" + bytes(100),
        b"FORM\0\0\0\x40AIFFCOMM" + bytes(100),
    ],
)
def test_a_header_with_nothing_behind_it(worker, tmp_path, content):
    fault = refused(worker, with_bytes(tmp_path / "acme-1.wav", content))

    assert fault.reason in {"undecodable", "no_audio", "corrupt"}


@pytest.mark.parametrize("container", ["WAV", "AIFF"])
def test_a_recording_of_no_frames(worker, tmp_path, container):
    source = written(tmp_path / "acme-1", np.zeros(0), format=container)

    assert refused(worker, source).reason == "no_audio"


def test_a_video_without_sound(worker, tmp_path):
    source = encoded(
        tmp_path / "acme-1",
        speechlike(),
        24_000,
        "aac",
        "mp4",
        n_pictures=9,
        n_tracks=0,
    )

    fault = refused(worker, source)

    assert fault.reason == "no_audio"
    assert "no sound track" in fault.message


@pytest.mark.parametrize("kept", [0.85, 0.5, 0.2])
@pytest.mark.parametrize(
    ("container", "codec"),
    [
        ("WAV", "PCM_16"),
        ("WAV", "IMA_ADPCM"),
        ("AIFF", "PCM_24"),
        ("FLAC", "PCM_16"),
        ("OGG", "VORBIS"),
        ("OGG", "OPUS"),
        ("MP3", None),
    ],
)
def test_a_recording_that_was_cut_short(worker, tmp_path, container, codec, kept):
    whole = written(
        tmp_path / "acme-1", speechlike(8.0), 24_000, format=container, subtype=codec
    ).read_bytes()

    fault = refused(
        worker, with_bytes(tmp_path / "acme-2", whole[: int(len(whole) * kept)])
    )

    assert fault.reason in {"truncated", "corrupt"}
    assert "cut short" in fault.message


@pytest.mark.parametrize(
    ("codec", "container"), [("aac", "ipod"), ("libopus", "webm"), ("aac", "mov")]
)
def test_a_container_that_was_cut_short(worker, tmp_path, codec, container):
    whole = encoded(
        tmp_path / "acme-1", speechlike(8.0, 48_000), 48_000, codec, container
    ).read_bytes()

    fault = refused(worker, with_bytes(tmp_path / "acme-2", whole[: len(whole) // 2]))

    assert fault.reason in {"truncated", "corrupt", "undecodable"}


@pytest.mark.parametrize(
    ("container", "codec"), [("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("MP3", None)]
)
def test_a_recording_that_is_damaged_in_the_middle(worker, tmp_path, container, codec):
    content = bytearray(
        written(
            tmp_path / "acme-1",
            speechlike(8.0),
            24_000,
            format=container,
            subtype=codec,
        ).read_bytes()
    )
    middle = len(content) // 2
    content[middle : middle + 3000] = np.random.default_rng(0).bytes(3000)

    fault = refused(worker, with_bytes(tmp_path / "acme-2", bytes(content)))

    assert fault.reason in {"truncated", "corrupt"}
    assert "damaged" in fault.message


@pytest.mark.parametrize("amplitude", [0.0, 0.0003])
def test_a_silent_recording(worker, tmp_path, amplitude):
    source = written(
        tmp_path / "acme-1.wav", tone(amplitude=amplitude), subtype="FLOAT"
    )

    fault = refused(worker, source)

    assert fault.reason == "silent"
    assert "70 dB" in fault.message


def test_a_recording_that_is_too_short(worker, tmp_path):
    fault = refused(worker, written(tmp_path / "acme-1.wav", tone(0.05)))

    assert fault.reason == "too_short"
    assert "50 ms" in fault.message


def test_a_recording_that_is_too_long(tmp_path):
    source = written(tmp_path / "acme-1.wav", tone(3.0))

    with SoundWorker(Limits(max_duration_s=2.0)) as worker:
        fault = refused(worker, source)

    assert fault.reason == "too_long"
    assert "2 s" in fault.message


def test_a_file_that_is_too_large(tmp_path):
    source = written(tmp_path / "acme-1.wav", tone(1.0))

    with SoundWorker(Limits(max_bytes=10_000)) as worker:
        fault = refused(worker, source)

    assert fault.reason == "too_large"


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers(worker, tmp_path, broken):
    signal = tone(1.0)
    signal[24_000] = broken
    source = written(tmp_path / "acme-1.wav", signal, subtype="FLOAT")

    fault = refused(worker, source)

    assert fault.reason == "not_finite"
    assert "0.50 s" in fault.message


def test_samples_far_above_full_scale(worker, tmp_path):
    signal = tone(1.0)
    signal[24_000] = 1e30
    source = written(tmp_path / "acme-1.wav", signal, subtype="FLOAT")

    fault = refused(worker, source)

    assert fault.reason == "not_finite"
    assert "600 dB" in fault.message


def wav_header(
    rate: int = 48_000,
    channels: int = 1,
    size: int = 96_000,
    block: int | None = None,
) -> bytes:
    """Return a header for 16-bit PCM, with whatever is asked for in it."""
    block = channels * 2 if block is None else block
    fmt = struct.pack(
        "<HHIIHH", 1, channels, rate, rate * block & 0xFFFFFFFF, block, 16
    )
    head = b"WAVEfmt " + struct.pack("<I", 16) + fmt + b"data"
    return (
        b"RIFF"
        + struct.pack("<I", (size + 36) & 0xFFFFFFFF)
        + head
        + struct.pack("<I", size)
    )


@pytest.mark.parametrize("rate", [0, 1, 100, 3_999, 384_001, 2**31, 2**32 - 1])
def test_an_absurd_sample_rate(worker, tmp_path, rate):
    content = wav_header(rate) + bytes(range(1, 97)) * 1000

    fault = refused(worker, with_bytes(tmp_path / "acme-1.wav", content))

    assert fault.reason in {"bad_rate", "undecodable", "no_audio"}


@pytest.mark.parametrize("channels", [0, 33, 1000, 30_000])
def test_an_absurd_number_of_channels(worker, tmp_path, channels):
    content = wav_header(channels=channels) + bytes(range(1, 97)) * 1000

    fault = refused(worker, with_bytes(tmp_path / "acme-1.wav", content))

    assert fault.reason in {"bad_channels", "undecodable", "no_audio"}


def test_a_header_that_promises_terabytes_allocates_nothing(tmp_path):
    flac = bytearray(
        written(tmp_path / "acme-1", tone(1.0), format="FLAC").read_bytes()
    )
    # STREAMINFO: the low four bits of byte 21 and the four after it count samples.
    flac[21] |= 0x0F
    flac[22:26] = b"\xff\xff\xff\xff"
    long_size = struct.pack("<QQQI", 2**50, 2**50, 2**49, 0)
    rf64 = wav_header(size=2**32 - 1).replace(b"RIFF", b"RF64")
    rf64 = rf64.replace(b"fmt ", b"ds64" + struct.pack("<I", 28) + long_size + b"fmt ")
    lies = [bytes(flac), rf64 + bytes(96_000), wav_header(size=2**31 - 2**20)]

    with SoundWorker() as worker:
        for lie in lies:
            fault = refused(worker, with_bytes(tmp_path / "acme-2", lie))
            assert fault.reason in {"truncated", "no_audio", "corrupt", "silent"}
        status = _status(worker.child_pid)

    assert status["VmHWM"] < 200_000
    assert status["VmPeak"] < 600_000


def test_channels_that_cancel_are_said(worker, tmp_path):
    left = (tone() * 32767).astype(np.int16)
    source = written(tmp_path / "acme-1.wav", np.stack([left, -left], axis=1))

    found = worker.prepare(source, tmp_path)

    assert [caution.key for caution in found.cautions] == ["channels_cancel"]
    assert found.mono_level.matching == (-200.0, -200.0)
    with pytest.raises(UnusableRecording, match="mixed to one, it is silent"):
        worker.match(found.as_is.path, tmp_path / "match.flac", 0.0)


def _status(pid: int | None) -> dict[str, int]:
    """Return the kilobytes that the kernel counts for a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    pairs = [line.split() for line in lines if line.startswith("Vm")]
    return {name.rstrip(":"): int(size) for name, size, _ in pairs}
