"""Every format is decoded, whatever the file is called, to its true length."""

import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from annotate.sound import SoundWorker
from tests.annotate.sound.made_sounds import (
    encoded,
    rewrapped,
    speechlike,
    tone,
    with_bytes,
    written,
)

SOUNDFILE_FORMATS = [
    ("WAV", "PCM_U8", 16_000),
    ("WAV", "PCM_16", 48_000),
    ("WAV", "PCM_24", 44_100),
    ("WAV", "PCM_32", 22_050),
    ("WAV", "FLOAT", 24_000),
    ("WAV", "DOUBLE", 96_000),
    ("WAV", "ULAW", 8_000),
    ("WAV", "ALAW", 8_000),
    ("WAV", "IMA_ADPCM", 8_000),
    ("WAV", "MS_ADPCM", 8_000),
    ("WAVEX", "PCM_24", 48_000),
    ("RF64", "PCM_16", 48_000),
    ("W64", "PCM_16", 16_000),
    ("FLAC", "PCM_16", 16_000),
    ("FLAC", "PCM_24", 24_000),
    ("OGG", "VORBIS", 22_050),
    ("OGG", "OPUS", 48_000),
    ("OGG", "OPUS", 24_000),
    ("AIFF", "PCM_16", 44_100),
    ("AIFF", "PCM_24", 48_000),
    ("AU", "PCM_16", 8_000),
    ("CAF", "PCM_16", 48_000),
]

DURATION_S = 3.0


@pytest.mark.parametrize(("container", "codec", "rate_hz"), SOUNDFILE_FORMATS)
def test_what_libsndfile_writes_is_decoded(worker, tmp_path, container, codec, rate_hz):
    signal = speechlike(DURATION_S, rate_hz)
    source = written(
        tmp_path / "sound.bin", signal, rate_hz, format=container, subtype=codec
    )

    found = worker.prepare(source, tmp_path)

    assert found.codec == codec
    assert (found.sample_rate_hz, found.channels) == (rate_hz, 1)
    assert found.duration_s == pytest.approx(DURATION_S, abs=0.05)
    assert found.cautions == []
    _assert_served_and_alike(found, signal, rate_hz)


@pytest.mark.parametrize(
    ("codec", "container", "rate_hz", "named"),
    [
        ("aac", "ipod", 24_000, ("MP4", "aac")),
        ("aac", "mp4", 48_000, ("MP4", "aac")),
        ("alac", "ipod", 44_100, ("MP4", "alac")),
        ("libopus", "webm", 48_000, ("WebM", "libopus")),
        ("libopus", "matroska", 48_000, ("WebM", "libopus")),
        ("flac", "matroska", 16_000, ("WebM", "flac")),
        ("flac", "ogg", 16_000, ("OGG", "flac")),
    ],
)
def test_what_ffmpeg_writes_is_decoded(
    worker, tmp_path, codec, container, rate_hz, named
):
    signal = speechlike(DURATION_S, rate_hz)
    source = encoded(tmp_path / "sound.bin", signal, rate_hz, codec, container)

    found = worker.prepare(source, tmp_path)

    assert found.container == named[0]
    assert found.codec.removeprefix("lib") == named[1].removeprefix("lib")
    assert found.duration_s == pytest.approx(DURATION_S, abs=0.05)
    _assert_served_and_alike(found, signal, rate_hz)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("how", ["CONSTANT", "VARIABLE"])
def test_mp3_is_decoded(worker, tmp_path, rate_hz, how):
    signal = speechlike(DURATION_S, rate_hz)
    source = tmp_path / "sound.bin"
    soundfile.write(source, signal, rate_hz, format="MP3", bitrate_mode=how)

    found = worker.prepare(source, tmp_path)

    assert (found.container, found.codec, found.cautions) == ("MP3", "mp3", [])
    assert found.duration_s == pytest.approx(DURATION_S, abs=0.05)
    _assert_served_and_alike(found, signal, rate_hz)


def test_junk_around_the_frames_of_an_mp3_is_left_out(worker, tmp_path):
    soundfile.write(tmp_path / "a", speechlike(), 24_000, format="MP3")
    id3 = b"ID3\x04\0\0\0\0\x08\0" + bytes(1024)
    junk = np.random.default_rng(3).bytes(3000)
    content = id3 + (tmp_path / "a").read_bytes() + b"TAG" + bytes(125) + junk

    found = worker.prepare(with_bytes(tmp_path / "b", content), tmp_path)

    assert found.duration_s == pytest.approx(3.0, abs=0.05)


def test_bare_aac_is_decoded(worker, tmp_path):
    signal = speechlike(DURATION_S, 44_100)
    source = encoded(tmp_path / "sound.bin", signal, 44_100, "aac", "adts")

    found = worker.prepare(source, tmp_path)

    assert (found.container, found.codec) == ("AAC", "aac")
    assert found.duration_s == pytest.approx(DURATION_S, abs=0.05)


def test_vorbis_in_webm_is_decoded(worker, tmp_path):
    signal = speechlike(DURATION_S, 24_000)
    ogg = written(tmp_path / "a.ogg", signal, 24_000, format="OGG", subtype="VORBIS")
    source = rewrapped(tmp_path / "a.webm", ogg, "webm")

    found = worker.prepare(source, tmp_path)

    assert (found.container, found.codec) == ("WebM", "vorbis")
    assert found.duration_s == pytest.approx(DURATION_S, abs=0.05)


def test_content_decides_not_the_name(worker, tmp_path):
    signal = speechlike(1.0)
    flac = written(tmp_path / "a.flac", signal, 24_000).rename(tmp_path / "a.raw")
    m4a = encoded(tmp_path / "b.wav", signal, 24_000, "aac", "ipod")

    found = [worker.prepare(source, tmp_path).container for source in (flac, m4a)]

    assert found == ["FLAC", "MP4"]


def test_a_16_bit_recording_at_48_khz_is_served_sample_for_sample(worker, tmp_path):
    signal = np.random.default_rng(0).integers(-32768, 32768, (60_000, 2), np.int16)
    source = written(tmp_path / "a.wav", signal)

    found = worker.prepare(source, tmp_path)

    served, _ = soundfile.read(found.as_is.path, dtype="int16")
    assert np.array_equal(served, signal)
    assert found.as_is.gain_db == 0
    assert found.sha256 == hashlib.sha256(source.read_bytes()).hexdigest()
    assert found.n_bytes == source.stat().st_size


def test_the_same_recording_gives_the_same_bytes_under_another_name(worker, tmp_path):
    source = written(tmp_path / "a.wav", speechlike(1.0), 24_000)

    one, two = (worker.prepare(source, tmp_path).as_is.path for _ in range(2))

    assert one != two
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("columns", "served"),
    [([1, 1], 1), ([1, 0.5], 2), ([1, 0], 2), ([1, 0.2, 0.3, 0, 0, 0], 1)],
)
def test_channels_are_served_as_one_or_two(worker, tmp_path, columns, served):
    signal = tone()[:, None] * np.array(columns)
    source = written(tmp_path / "a.wav", signal)

    found = worker.prepare(source, tmp_path)

    assert found.channels == len(columns)
    assert found.as_is.channels == served
    assert soundfile.info(found.as_is.path).channels == served
    has_caution = [caution.key for caution in found.cautions] == ["mixed_down"]
    assert has_caution == (len(columns) > 2)


def test_a_float_recording_above_full_scale_is_turned_down_not_clipped(
    worker, tmp_path
):
    signal = tone(amplitude=4.0)
    source = written(tmp_path / "a.wav", signal, subtype="FLOAT")

    found = worker.prepare(source, tmp_path)

    served, _ = soundfile.read(found.as_is.path)
    assert found.as_is.gain_db == pytest.approx(-12.04, abs=0.01)
    assert np.abs(served - signal / 4).max() < 2**-14
    assert [caution.key for caution in found.cautions] == ["turned_down"]


def test_what_resampling_adds_to_a_peak_is_not_clipped(worker, tmp_path):
    signal = np.sign(tone(1.0, 16_000, 440.0, 1.0))
    source = written(tmp_path / "a.wav", signal, 16_000)

    found = worker.prepare(source, tmp_path)

    served, _ = soundfile.read(found.as_is.path, dtype="int16")
    assert -3 < found.as_is.gain_db < 0
    is_full = np.abs(served.astype(int)) >= 32767
    assert is_full.any()
    assert not (is_full[1:] & is_full[:-1]).any()


@pytest.mark.parametrize(
    ("container", "codec"),
    [("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("WAV", "PCM_16"), ("MP3", None)],
)
def test_no_tag_reaches_a_rendition(worker, tmp_path, container, codec):
    source = tmp_path / "acme-omni.bin"
    with soundfile.SoundFile(
        source, "w", 24_000, 1, format=container, subtype=codec
    ) as file:
        file.comment = file.title = file.artist = "acme-omni"
        file.write(speechlike(1.0))
    assert b"acme-omni" in source.read_bytes()

    found = worker.prepare(source, tmp_path)
    matched = worker.match(found.as_is.path, tmp_path / "match.flac", -3.0)

    for rendition in (found.as_is, matched):
        content = rendition.path.read_bytes()
        assert b"acme" not in content.lower()
        assert _comments(content) == 0
        assert "acme" not in rendition.path.name


def test_no_tag_of_an_m4a_reaches_a_rendition(worker, tmp_path):
    tags = {"title": "acme-omni", "comment": "acme-omni"}
    source = encoded(tmp_path / "a", speechlike(), 24_000, "aac", "ipod", tags)
    assert b"acme-omni" in source.read_bytes()

    found = worker.prepare(source, tmp_path)

    assert b"acme" not in found.as_is.path.read_bytes().lower()


def test_only_the_sound_of_a_video_is_used_and_this_is_said(worker, tmp_path):
    signal = speechlike(2.0, 48_000)
    source = encoded(tmp_path / "a", signal, 48_000, "aac", "mp4", n_pictures=50)

    found = worker.prepare(source, tmp_path)

    assert [caution.key for caution in found.cautions] == ["video"]
    assert found.duration_s == pytest.approx(2.0, abs=0.05)


def test_only_the_first_sound_track_is_used_and_this_is_said(worker, tmp_path):
    signal = speechlike(2.0, 48_000)
    source = encoded(tmp_path / "a", signal, 48_000, "aac", "mp4", n_tracks=2)

    found = worker.prepare(source, tmp_path)

    assert [caution.key for caution in found.cautions] == ["several_streams"]


def test_a_header_that_differs_from_what_is_decoded_is_said(worker, tmp_path):
    source = written(tmp_path / "a.wav", speechlike(3.0, 24_000), 24_000)
    content = bytearray(source.read_bytes())
    at = content.index(b"data") + 4
    content[at : at + 4] = struct.pack("<I", round(3.2 * 24_000) * 2)
    source = with_bytes(tmp_path / "b.wav", bytes(content))

    found = worker.prepare(source, tmp_path)

    assert found.duration_s == pytest.approx(3.0)
    assert found.declared_s == pytest.approx(3.2)
    assert [caution.key for caution in found.cautions] == ["length_differs"]
    assert "3.20 s" in found.cautions[0].text


def test_a_variable_rate_mp3_without_a_length_header_is_decoded_in_full(
    worker, tmp_path
):
    signal = np.concatenate([speechlike(6.0, 44_100), np.zeros(6 * 44_100)])
    source = tmp_path / "a.mp3"
    soundfile.write(source, signal, 44_100, format="MP3", bitrate_mode="VARIABLE")
    content = source.read_bytes()
    second = content.index(b"\xff\xfb", 4)
    assert b"Xing" in content[:second]
    source.write_bytes(content[second:])

    found = worker.prepare(source, tmp_path)

    assert found.duration_s == pytest.approx(12.0, abs=0.1)


@pytest.mark.parametrize("size", [0xFFFF_FFFF, 0x7FFF_FFFF, 0])
def test_a_streamed_wav_that_does_not_know_its_length_is_decoded(
    worker, tmp_path, size
):
    source = written(tmp_path / "a.wav", speechlike(3.0, 24_000), 24_000)
    content = bytearray(source.read_bytes())
    at = content.index(b"data") + 4
    content[4:8] = content[at : at + 4] = struct.pack("<I", size)
    source = with_bytes(tmp_path / "b.wav", bytes(content))

    found = worker.prepare(source, tmp_path)

    assert found.duration_s == pytest.approx(3.0)
    assert found.cautions == []


ROOT = Path(__file__).resolve().parents[3]
BESIDE = ROOT.parent / "shared" / "data"
REAL = BESIDE if BESIDE.is_dir() else ROOT / "demo" / "study" / "audio"


@pytest.mark.slow
def test_real_recordings_are_prepared(tmp_path):
    sources = [
        path
        for path in sorted(REAL.rglob("*"))
        if path.suffix in {".wav", ".flac", ".ogg", ".opus"}
    ][::3]
    assert sources

    with SoundWorker() as worker:
        for source in sources:
            found = worker.prepare(source, tmp_path)
            truth = soundfile.info(source).duration
            assert found.duration_s == pytest.approx(truth, abs=0.05), source.name
            found.as_is.path.unlink()


def _assert_served_and_alike(found, signal, rate_hz: int) -> None:
    """Check the rendition's form, and its outline in 50 ms steps against the truth."""
    info = soundfile.info(found.as_is.path)
    assert (info.format, info.subtype, info.samplerate) == ("FLAC", "PCM_16", 48_000)
    assert info.duration == pytest.approx(found.duration_s, abs=0.001)
    assert found.as_is.duration_s == info.duration

    served, _ = soundfile.read(found.as_is.path)
    wanted, got = _outline(signal, rate_hz), _outline(served, 48_000)
    n = min(len(wanted), len(got))
    assert np.corrcoef(wanted[:n], got[:n])[0, 1] > 0.98


def _outline(signal, rate_hz: int):
    step = rate_hz // 20
    cut = signal[: len(signal) // step * step].reshape(-1, step)
    return np.sqrt(np.square(cut).mean(axis=1))


def _comments(flac: bytes) -> int:
    """Return how many comments the file holds beside the encoder's own name."""
    at = 4
    while True:
        kind, size = flac[at] & 0x7F, int.from_bytes(flac[at + 1 : at + 4], "big")
        if kind == 4:
            (n_name,) = struct.unpack_from("<I", flac, at + 4)
            return struct.unpack_from("<I", flac, at + 8 + n_name)[0]
        if flac[at] & 0x80:
            return 0
        at += 4 + size
