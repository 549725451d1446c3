"""Take sound files in: decode, measure, store the original and its served copies."""

import hashlib
import secrets
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.core.files import File

from annotate import sound
from annotate.models import Recording, Rendition


@dataclass
class Intake:
    """What became of a set of files.

    Attributes
    ----------
    recordings : by path, for every usable file
    faults : by path, why a file cannot be used
    cautions : by path, what is odd about a file that can be used
    """

    recordings: dict[Path, Recording] = field(default_factory=dict)
    faults: dict[Path, str] = field(default_factory=dict)
    cautions: dict[Path, list[str]] = field(default_factory=dict)


def check_recordings(
    paths: Iterable[Path], tell: Callable[[float, str], None]
) -> Intake:
    """Decode every file and keep nothing: the sound part of a dry run."""
    found = Intake()
    files = sorted(set(paths))
    with sound.SoundWorker() as worker, tempfile.TemporaryDirectory() as folder:
        for n, path in enumerate(files, 1):
            tell(n / len(files), f"Decoding recording {n} of {len(files)}")
            try:
                prepared = worker.prepare(path, Path(folder))
            except sound.UnusableRecording as error:
                found.faults[path] = error.message
                continue
            found.cautions[path] = [c.text for c in prepared.cautions]
            prepared.as_is.path.unlink(missing_ok=True)
    return found


def take_in_recordings(
    paths: Iterable[Path],
    competing: Iterable[Path],
    tell: Callable[[float, str], None],
) -> Intake:
    """Store each file once, with its served copies, and return the rows by path.

    Stored names are random: they say nothing of where a file came from. Files that
    are known by their bytes are not decoded again.

    Parameters
    ----------
    competing : files that are compared with each other, such as the replies of
        several systems; they are matched in loudness as one set
    """
    found = Intake()
    files = sorted(set(paths))
    to_match: dict[str, tuple[Recording, tuple[float | None, float]]] = {}
    compared = set(competing)
    with sound.SoundWorker() as worker, tempfile.TemporaryDirectory() as folder:
        for n, path in enumerate(files, 1):
            tell(0.8 * n / len(files), f"Decoding recording {n} of {len(files)}")
            try:
                recording, level = _take_in(worker, path, Path(folder), found)
            except sound.UnusableRecording as error:
                found.faults[path] = error.message
                continue
            found.recordings[path] = recording
            if path in compared:
                to_match[recording.sha256] = (recording, level)
        _match(worker, to_match, Path(folder), tell)
    return found


def _take_in(
    worker: sound.SoundWorker, path: Path, folder: Path, found: Intake
) -> tuple[Recording, tuple[float | None, float]]:
    sha256 = _sha256(path)
    known = Recording.objects.filter(sha256=sha256).first()
    if known is not None and known.renditions.filter(recipe="as_is").exists():
        return known, (known.lufs, known.peak_db or 0.0)
    prepared = worker.prepare(path, folder)
    cautions = [caution.text for caution in prepared.cautions]
    found.cautions[path] = cautions
    loudness, peak_db = prepared.mono_level.matching
    recording, is_new = Recording.objects.get_or_create(
        sha256=prepared.sha256,
        defaults={
            "duration_s": prepared.duration_s,
            "sample_rate_hz": prepared.sample_rate_hz,
            "channels": prepared.channels,
            "lufs": loudness,
            "peak_db": peak_db,
            "warnings": cautions,
        },
    )
    if is_new or not recording.original:
        with path.open("rb") as original:
            recording.original.save(f"{secrets.token_hex(16)}.bin", File(original))
    _store(recording, Rendition.Recipe.AS_IS, prepared.as_is, None)
    return recording, (loudness, peak_db)


def _match(
    worker: sound.SoundWorker,
    to_match: dict[str, tuple[Recording, tuple[float | None, float]]],
    folder: Path,
    tell: Callable[[float, str], None],
) -> None:
    compared = list(to_match.values())
    _, gains, residuals = sound.matching_gains([level for _, level in compared])
    for n, ((recording, _), gain_db, residual_db) in enumerate(
        zip(compared, gains, residuals, strict=True), 1
    ):
        tell(0.8 + 0.2 * n / len(compared), f"Matching reply {n} of {len(compared)}")
        if recording.renditions.filter(recipe=Rendition.Recipe.MATCH).exists():
            continue
        source = folder / f"{secrets.token_hex(8)}.flac"
        as_is = recording.renditions.get(recipe=Rendition.Recipe.AS_IS)
        with as_is.file.open("rb") as stored, source.open("wb") as copy:
            for block in stored.chunks():
                copy.write(block)
        made = worker.match(source, folder / f"{secrets.token_hex(8)}.flac", gain_db)
        _store(recording, Rendition.Recipe.MATCH, made, residual_db)
        source.unlink()


def _store(
    recording: Recording,
    recipe: str,
    made: sound.Rendition,
    residual_db: float | None,
) -> None:
    if recording.renditions.filter(recipe=recipe).exists():
        return
    rendition = Rendition(
        recording=recording,
        recipe=recipe,
        n_bytes=made.path.stat().st_size,
        duration_s=made.duration_s,
        peaks=made.peaks,
        gain_db=made.gain_db,
        residual_db=residual_db or 0.0,
    )
    with made.path.open("rb") as content:
        rendition.file.save(f"{secrets.token_hex(16)}.flac", File(content), save=False)
    rendition.save()
    made.path.unlink()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as content:
            while block := content.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise sound.UnusableRecording("missing", f"cannot be read: {error}") from None
    return digest.hexdigest()
