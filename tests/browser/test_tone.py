"""The ground under every listening test: this browser plays sound to its end."""

import math
import struct
import wave
from pathlib import Path

from playwright.sync_api import Page

PAGE = """<!doctype html>
<html lang="en">
<title>A tone</title>
<link rel="icon" href="data:,">
<audio src="tone.wav" preload="auto"></audio>
<button>Play</button>
<script type="module" src="play.js"></script>
"""
SCRIPT = """
const audio = document.querySelector("audio");
audio.addEventListener("ended", () => document.body.setAttribute("data-ended", ""));
document.querySelector("button").addEventListener("click", () => audio.play());
"""


def write_tone(path: Path, seconds: float = 1.0, rate: int = 16_000) -> None:
    samples = (
        int(8_000 * math.sin(2 * math.pi * 440 * at / rate))
        for at in range(int(seconds * rate))
    )
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))


def test_a_click_plays_a_tone_to_its_end(page: Page, served: tuple[Path, str]):
    folder, address = served
    (folder / "index.html").write_text(PAGE)
    (folder / "play.js").write_text(SCRIPT)
    write_tone(folder / "tone.wav")

    page.goto(address)
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("body[data-ended]")

    played = page.evaluate(
        """() => {
          const { played } = document.querySelector("audio");
          return Array.from({ length: played.length }, (_, i) =>
            [played.start(i), played.end(i)]);
        }"""
    )
    assert len(played) == 1
    assert abs(played[0][0]) < 0.05
    assert abs(played[0][1] - 1.0) < 0.05
