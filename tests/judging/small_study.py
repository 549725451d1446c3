"""A small study folder cut from the demo's, and a study of pairs with made-up sound."""

import json
import shutil
import wave
from pathlib import Path

from django.core.files.base import ContentFile

from annotate.models import (
    CorpusVersion,
    Instance,
    Membership,
    Recording,
    Rendition,
    Stimulus,
    Study,
    User,
)
from annotate.services.protocols import bundled_protocol
from judging.models import Response, System
from judging.services.pairs import Plan, set_up_pairs

DEMO = Path(__file__).resolve().parents[2] / "demo" / "study"
KINDS = ("utterances", "contexts", "instances", "systems", "responses")


def demo_rows(kind):
    lines = (DEMO / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def small_folder(path, codes=("i_boxes_1", "i_boxes_2")):
    """Write a study folder of these instances of the demo, with their sound."""
    rows = {kind: demo_rows(kind) for kind in KINDS}
    rows["instances"] = [r for r in rows["instances"] if r["id"] in codes]
    for key in ("utterance", "context"):
        used = {row[key] for row in rows["instances"]}
        rows[f"{key}s"] = [r for r in rows[f"{key}s"] if r["id"] in used]
    rows["responses"] = [r for r in rows["responses"] if r["instance"] in codes]
    (path / "audio").mkdir(parents=True)
    (path / "study.toml").write_text('title = "Small"\nlanguage = "en"\n')
    for kind in KINDS:
        write_rows(path, kind, rows[kind])
        for row in rows[kind]:
            if row.get("audio"):
                shutil.copy(DEMO / row["audio"], path / row["audio"])
    return path


def read_rows(path, kind):
    lines = (path / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write_rows(path, kind, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (path / f"{kind}.jsonl").write_text(text, encoding="utf-8")


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(
            b"".join(int(s).to_bytes(2, "little", signed=True) for s in samples)
        )


def recording(n, content=None):
    """Make a recording whose served copies are bytes of no sound at all."""
    made = Recording.objects.create(
        sha256=f"{n:064x}", original=f"originals/{n:x}.bin", duration_s=2.0, lufs=-23
    )
    for recipe in ("as_is", "match"):
        sound = content or bytes((n + k) % 251 for k in range(5000))
        rendition = Rendition(
            recording=made, recipe=recipe, n_bytes=len(sound), duration_s=2.0, peaks=[7]
        )
        rendition.file.save(f"{n:x}{recipe}.flac", ContentFile(sound), save=True)
    return made


class PairStudy:
    """A study whose systems have answered every instance; nothing was decoded."""

    def __init__(
        self, slug="pairs", systems=("s1", "s2", "s3"), subsets=("", ""), n_instances=3
    ):
        self.version = CorpusVersion.objects.create(corpus_code=slug)
        self.study = Study.objects.create(
            slug=slug,
            title=f"Study {slug}",
            protocol=bundled_protocol("aeq-h"),
            corpus_version=self.version,
        )
        self.owner = User.objects.create_user(f"owner-{slug}")
        Membership.objects.create(study=self.study, user=self.owner, role="owner")
        self.systems = [
            System.objects.create(
                corpus_code=slug,
                code=code,
                name=f"{code} name",
                family=f"{code} family",
            )
            for code in systems
        ]
        count = Recording.objects.count()
        sounds = [recording(count + k) for k in range(4)]
        for n in range(n_instances):
            self._instance(n, subsets[n % len(subsets)], sounds)

    def _instance(self, n, subset, sounds):
        instance = Instance.objects.create(
            version=self.version,
            code=f"i{n}",
            utterance=Stimulus.objects.create(kind="utterance", recording=sounds[-1]),
            context=Stimulus.objects.create(kind="context", text=f"Context {n}."),
            branch="context",
            group_code=f"g{n}",
            subset=subset,
        )
        for k, system in enumerate(self.systems):
            Response.objects.create(
                instance=instance,
                system=system,
                code=f"i{n}/{system.code}",
                stimulus=Stimulus.objects.create(
                    kind="response", recording=sounds[k % 3], text="said"
                ),
            )

    def people(self, n):
        return [
            User.objects.create_user(f"{self.study.slug}-person{k}") for k in range(n)
        ]

    def set_up(self, n_pairs, raters=(), **more):
        given = {"overlap": 2, "seed": 1} | more
        set_up_pairs(
            self.study,
            Plan(systems=self.systems, n_pairs=n_pairs, raters=raters, **given),
            self.owner,
        )
        return self.study
