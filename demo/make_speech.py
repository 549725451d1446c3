"""Voice every text of the demo study again with eSpeak NG.

Optional: the recordings are part of the repository, so nobody needs to run this to
use the demo. It is here to show how they were made, and to make them again after a
text was changed::

    python demo/make_speech.py

It needs NumPy, soundfile 0.13 or newer, and eSpeak NG: the program ``espeak-ng`` on
the PATH or else the package ``espeakng-loader``. The same version of eSpeak NG and
of the Opus encoder gives the same bytes again.

The texts are those of ``study/utterances.jsonl`` and ``study/responses.jsonl``; the
voices and styles of delivery are in ``voices.toml``.
"""

import argparse
import ctypes
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt
import soundfile

HERE = Path(__file__).resolve().parent
RATE = 24_000  # samples a second; Opus knows 8, 12, 16, 24 and 48 thousand
COMPRESSION = 0.92  # of libsndfile's scale from 256 to 6 kbit/s: about 26 kbit/s
MARGIN = 0.1  # seconds of silence before and after the speech
FULL_SCALE = 32_768

Samples = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Style:
    """How a text is delivered.

    Attributes
    ----------
    rate : int
        Words a minute.
    pitch : int
        Height of the voice, 0 to 99; 50 is its own.
    range : int
        Movement of the pitch, in per cent of the voice's own.
    volume : int
        Amplitude, 0 to 200.
    pause : int
        Milliseconds of silence between sentences, beside the voice's own.
    """

    rate: int
    pitch: int
    range: int
    volume: int
    pause: int


@dataclass(frozen=True)
class Line:
    """One recording to be made."""

    target: Path
    text: str
    voice: str
    style: Style


Synthesiser = Callable[[Line], tuple[Samples, int]]


def main() -> int:
    """Make the recordings; the result is the status for the shell."""
    parser = argparse.ArgumentParser(description="Voice the demo's texts again.")
    parser.add_argument("--study", type=Path, default=HERE / "study")
    parser.add_argument("--voices", type=Path, default=HERE / "voices.toml")
    options = parser.parse_args()
    try:
        lines = list(read_lines(options.study, options.voices))
        synthesise = find_synthesiser()
        seconds = sum(make_recording(line, synthesise) for line in lines)
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        sys.stderr.write(f"make_speech: {error}\n")
        return 1
    sys.stdout.write(f"{len(lines)} recordings, {seconds:.1f} seconds\n")
    return 0


# --- What is to be said ---------------------------------------------------------------


def read_lines(study: Path, voices: Path) -> Iterator[Line]:
    """Read the texts of a study folder, each with its voice and style."""
    settings = tomllib.loads(voices.read_text(encoding="utf-8"))
    styles = {name: Style(**values) for name, values in settings["styles"].items()}
    style_of: dict[str, str] = settings["style_of"]

    def line(row: dict[str, Any], text: str, voice: dict[str, str]) -> Line:
        style = styles[style_of.get(row["id"], voice["style"])]
        return Line(inside(study, row["audio"]), text, voice["voice"], style)

    for row in read_rows(study / "utterances.jsonl"):
        yield line(row, row["transcript"], settings["speakers"][row["speaker"]])
    for row in read_rows(study / "responses.jsonl"):
        yield line(row, row["text"], settings["systems"][row["system"]])


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file with one JSON object a line."""
    for text in path.read_text(encoding="utf-8").splitlines():
        if text.strip():
            yield json.loads(text)


def inside(folder: Path, name: str) -> Path:
    """Give the path of a file in a folder, and refuse one that leads out of it."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"{name}: not inside the study folder")
    return path


def to_ssml(text: str, style: Style) -> str:
    """Mark a text up with the range of its pitch and the pauses between sentences."""
    change = style.range - 100
    pause = f'<break time="{style.pause}ms"/>'
    marked = escape(text)
    for end in ".?!":
        marked = marked.replace(f"{end} ", f"{end}{pause} ")
    return f'<speak><prosody range="{change:+d}%">{marked}</prosody></speak>'


# --- eSpeak NG, as a program or as a library ------------------------------------------


def find_synthesiser() -> Synthesiser:
    """Choose the program if it is on the PATH, else the library."""
    program = shutil.which("espeak-ng")
    if program is not None:
        command = [program, *seed_option(program)]
        return lambda line: speak_with_program(command, line)
    try:
        loader = importlib.import_module("espeakng_loader")
    except ImportError:
        raise RuntimeError(
            "found neither espeak-ng on the PATH nor the package espeakng-loader"
        ) from None
    return Library(loader.get_library_path(), loader.get_data_path()).speak


def seed_option(program: str) -> list[str]:
    """Give the option for the same breath noise each time; before 1.52 it always is."""
    usage = subprocess.run(
        [program, "--help"], capture_output=True, text=True, check=True
    )
    return ["-D"] if "\n-D" in usage.stdout else []


def speak_with_program(command: list[str], line: Line) -> tuple[Samples, int]:
    """Voice a line with the program; the result is the samples and their rate."""
    style = line.style
    with tempfile.TemporaryDirectory() as folder:
        spoken = Path(folder) / "spoken.wav"
        subprocess.run(
            [
                *command,
                *("-v", line.voice),
                *("-s", str(style.rate)),
                *("-p", str(style.pitch)),
                *("-a", str(style.volume)),
                *("-b", "1"),  # the text is UTF-8
                *("-m", "--stdin"),
                *("-w", str(spoken)),
            ],
            input=to_ssml(line.text, style).encode(),
            check=True,
        )
        samples, rate = soundfile.read(spoken, dtype="float64")
    return samples, rate


class Library:
    """The library of eSpeak NG, called through ctypes.

    The numbers are those of ``speak_lib.h``.
    """

    SYNCHRONOUS = 2
    UTF8_SSML_END_PAUSE = 0x1 | 0x10 | 0x1000
    PARAMETERS = (("rate", 1), ("volume", 2), ("pitch", 3))

    def __init__(self, library: str, data: str) -> None:
        self._library = ctypes.CDLL(library)
        self._rate = self._library.espeak_Initialize(
            self.SYNCHRONOUS, 0, str(data).encode(), 0
        )
        if self._rate <= 0:
            raise RuntimeError("eSpeak NG could not start")
        self._parts: list[bytes] = []
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
        )
        self._callback = kind(self._receive)  # kept: the library holds only a pointer
        self._library.espeak_SetSynthCallback(self._callback)

    def speak(self, line: Line) -> tuple[Samples, int]:
        """Voice a line; the result is the samples and their rate."""
        self._parts.clear()
        if self._library.espeak_SetVoiceByName(line.voice.encode()) != 0:
            raise RuntimeError(f"eSpeak NG has no voice {line.voice}")
        for name, number in self.PARAMETERS:
            self._library.espeak_SetParameter(number, getattr(line.style, name), 0)
        if hasattr(self._library, "espeak_ng_SetRandSeed"):  # from 1.52 on
            self._library.espeak_ng_SetRandSeed(ctypes.c_long(1))
        text = to_ssml(line.text, line.style).encode() + b"\0"
        failed = self._library.espeak_Synth(
            text,
            ctypes.c_size_t(len(text)),
            *(0, 0, 0),  # from the first character to the last
            self.UTF8_SSML_END_PAUSE,
            *(None, None),
        )
        if failed:
            raise RuntimeError(f"eSpeak NG could not voice {line.target.name}")
        whole = np.frombuffer(b"".join(self._parts), dtype=np.int16)
        return whole.astype(np.float64) / FULL_SCALE, self._rate

    def _receive(self, samples: int | None, count: int, _events: int | None) -> int:
        if samples and count > 0:
            self._parts.append(ctypes.string_at(samples, 2 * count))
        return 0  # go on


# --- The recording --------------------------------------------------------------------


def make_recording(line: Line, synthesise: Synthesiser) -> float:
    """Voice a line and write it as Ogg Opus; the result is its length in seconds."""
    spoken, spoken_rate = synthesise(line)
    samples = resample(trim(spoken), spoken_rate, RATE)
    peak = float(np.max(np.abs(samples), initial=0.0))
    if not 0.01 < peak < 0.999:
        raise ValueError(f"{line.target.name}: silent or clipped (peak {peak:.3f})")
    margin = np.zeros(round(MARGIN * RATE))
    samples = np.concatenate([margin, samples, margin])
    line.target.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(
        line.target,
        samples,
        RATE,
        format="OGG",
        subtype="OPUS",
        compression_level=COMPRESSION,
    )
    line.target.write_bytes(with_serial(line.target.read_bytes(), serial=1))
    return len(samples) / RATE


def trim(samples: Samples) -> Samples:
    """Cut the silence before and after the speech."""
    loud = np.flatnonzero(np.abs(samples) > 1e-3)
    return samples[loud[0] : loud[-1] + 1] if loud.size else samples[:0]


def resample(samples: Samples, old: int, new: int) -> Samples:
    """Change the rate of sampling, by way of the spectrum."""
    if old == new or not samples.size:
        return samples
    padded = np.pad(samples, old // 10)  # the spectrum takes the end for the start
    length = round(len(padded) * new / old)
    spectrum = np.fft.rfft(padded)
    wanted = np.zeros(length // 2 + 1, dtype=np.complex128)
    shared = min(len(spectrum), len(wanted))
    wanted[:shared] = spectrum[:shared]
    changed = np.fft.irfft(wanted, n=length) * (length / len(padded))
    return trim(changed)


def with_serial(data: bytes, serial: int) -> bytes:
    """Give an Ogg stream a serial number of ours; the encoder takes one by chance.

    Each page holds the number, and a checksum that has to be made again.
    """
    table = checksum_table()
    pages = bytearray(data)
    start = 0
    while start < len(pages):
        if pages[start : start + 4] != b"OggS":
            raise ValueError("not an Ogg page where one should start")
        count = pages[start + 26]
        body = start + 27 + count
        end = body + sum(pages[start + 27 : body])
        pages[start + 14 : start + 18] = serial.to_bytes(4, "little")
        pages[start + 22 : start + 26] = bytes(4)
        checksum = 0
        for byte in pages[start:end]:
            checksum = (checksum << 8 & 0xFFFFFFFF) ^ table[checksum >> 24 ^ byte]
        pages[start + 22 : start + 26] = checksum.to_bytes(4, "little")
        start = end
    return bytes(pages)


def checksum_table() -> list[int]:
    """Make the table for Ogg's checksum: CRC-32 unreflected, without inversion."""
    table = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x104C11DB7 if value & 0x80000000 else 0)
        table.append(value)
    return table


if __name__ == "__main__":
    sys.exit(main())
