"""Rows for tests; each function fills in what its caller leaves out."""

import io
import itertools

import numpy as np
import soundfile
from django.core.files.base import ContentFile
from django.utils import timezone

from annotate.models import (
    Assignment,
    Bundle,
    CorpusVersion,
    Exhibit,
    Instance,
    Item,
    Part,
    Rater,
    Recording,
    Rendition,
    Slot,
    Stimulus,
    Study,
    User,
)
from annotate.services.page import questions_of
from annotate.services.protocols import bundled_protocol

_numbers = itertools.count(1)

# The keys of an item's parts besides '', and the role of what each part plays.
LAYOUTS = {
    "screen": ([], ""),
    "context-group": (["c1", "c2", "c3"], Exhibit.Role.CONTEXT),
    "tone-group": (["t1", "t2"], Exhibit.Role.UTTERANCE),
    "single": (["A"], Exhibit.Role.RESPONSE),
    "pair": (["A", "B"], Exhibit.Role.RESPONSE),
    "group": (["c1", "c2", "c3"], Exhibit.Role.RESPONSE),
    "multi": (["A", "B", "C", "D"], Exhibit.Role.RESPONSE),
    "task": ([], ""),
    "forced-choice": (["A", "B", "C"], Exhibit.Role.RESPONSE),
    "staged": (["A"], Exhibit.Role.STAGE),
    "mushra": (["A", "B"], Exhibit.Role.RESPONSE),
}


def make_user(**given):
    return User.objects.create_user(
        given.pop("username", f"person{next(_numbers)}"), **given
    )


def make_protocol(slug="aeq-h"):
    # Questions are kept by primary key, which another test's database used before.
    questions_of.cache_clear()
    return bundled_protocol(slug)


def make_version(**given):
    return CorpusVersion.objects.create(
        corpus_code=given.pop("corpus_code", f"corpus-{next(_numbers)}"), **given
    )


def make_study(**given):
    given.setdefault("slug", f"study-{next(_numbers)}")
    given.setdefault("title", given["slug"])
    given.setdefault("opened_at", timezone.now())
    if "protocol" not in given:
        given["protocol"] = make_protocol()
    if "corpus_version" not in given:
        given["corpus_version"] = make_version()
    return Study.objects.create(**given)


def make_rater(study, **given):
    kind = given.setdefault("kind", Rater.Kind.PERSON)
    if kind == Rater.Kind.PERSON and "user" not in given:
        given["user"] = make_user()
    given.setdefault("code", f"r{next(_numbers)}")
    return Rater.objects.create(study=study, **given)


def make_recording(duration_s=2.0, *, with_sound=False):
    n = next(_numbers)
    recording = Recording.objects.create(
        sha256=f"{n:064x}", original=f"originals/{n}.flac", duration_s=duration_s
    )
    content = _flac(duration_s) if with_sound else b""
    for recipe in (Rendition.Recipe.AS_IS, Rendition.Recipe.MATCH):
        rendition = Rendition(
            recording=recording,
            recipe=recipe,
            n_bytes=len(content) or 1,
            duration_s=duration_s,
            peaks=[128],
        )
        rendition.file = f"renditions/{n}-{recipe}.flac"
        if with_sound:
            rendition.file.save(f"{n}.flac", ContentFile(content), save=False)
        rendition.save()
    return recording


def _flac(duration_s):
    times = np.arange(int(8000 * duration_s)) / 8000
    target = io.BytesIO()
    soundfile.write(target, 0.2 * np.sin(2763 * times), 8000, format="FLAC")
    return target.getvalue()


def make_stimulus(kind=Stimulus.Kind.RESPONSE, **given):
    if not given:
        given["recording"] = make_recording()
    return Stimulus.objects.create(kind=kind, **given)


def make_instance(version, **given):
    given.setdefault("code", f"instance{next(_numbers)}")
    given.setdefault("branch", Instance.Branch.CONTEXT)
    given.setdefault("group_code", given["code"])
    if "utterance" not in given:
        given["utterance"] = make_stimulus(Stimulus.Kind.UTTERANCE)
    if "context" not in given:
        given["context"] = make_stimulus(Stimulus.Kind.CONTEXT, text="A crowded bus.")
    return Instance.objects.create(version=version, **given)


def make_bundle(study, *, overlap=None, **given):
    n = next(_numbers)
    given.setdefault("code", f"bundle{n}")
    given.setdefault("rank", n)
    bundle = Bundle.objects.create(study=study, **given)
    make_slots(bundle, study.overlap if overlap is None else overlap)
    return bundle


def make_slots(bundle, overlap):
    return Slot.objects.bulk_create(
        Slot(study=bundle.study, bundle=bundle, n=n, rank=bundle.rank * 64 + n)
        for n in range(1, overlap + 1)
    )


def make_item(study, *, bundle=None, overlap=None, cluster="", **given):
    given.setdefault("code", f"item{next(_numbers)}")
    item = Item.objects.create(
        study=study,
        bundle=bundle or make_bundle(study, overlap=overlap),
        cluster_code=cluster or given["code"],
        **given,
    )
    Part.objects.create(item=item, key="")
    return item


def make_pair_item(study, *, sides=("", ""), sounds=None, **given):
    """Make a pair; `sounds` are stimuli of utterance, A and B, to be used again."""
    item = make_item(study, **given)
    utterance, first, second = sounds or [make_stimulus() for _ in range(3)]
    _exhibit(item.parts.get(), Exhibit.Role.UTTERANCE, utterance)
    for place, stimulus in enumerate((first, second)):
        part = Part.objects.create(
            item=item, key="AB"[place], position=place + 1, side_code=sides[place]
        )
        _exhibit(part, Exhibit.Role.RESPONSE, stimulus)
    return item


def make_item_of(layout, study, **given):
    keys, role = LAYOUTS[layout]
    item = make_item(study, **given)
    sound, words = make_stimulus(), make_stimulus("context", text="At the counter.")
    whole = item.parts.get()
    _exhibit(whole, Exhibit.Role.CONTEXT, words)
    _exhibit(whole, Exhibit.Role.UTTERANCE, sound)
    for place, key in enumerate(keys, start=1):
        part = Part.objects.create(item=item, key=key, position=place)
        _exhibit(part, role, sound)
    if layout == "mushra":
        _exhibit(whole, Exhibit.Role.REFERENCE, sound)
        for key, role in (("C", "hidden_reference"), ("D", "anchor")):
            _exhibit(Part.objects.create(item=item, key=key, position=9), role, sound)
    return item


def _exhibit(part, role, stimulus):
    return Exhibit.objects.create(part=part, role=role, stimulus=stimulus)


def make_assignment(item, rater, **given):
    given.setdefault("position", next(_numbers))
    given.setdefault(
        "shown_order", {"parts": [p.key for p in item.parts.all() if p.key]}
    )
    return Assignment.objects.create(item=item, rater=rater, **given)
