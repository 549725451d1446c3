"""Turn a study folder into a corpus, its systems and responses, and a draft study."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from annotate.errors import CannotSetUp
from annotate.models import (
    CorpusVersion,
    Event,
    Instance,
    Membership,
    Stimulus,
    Study,
    User,
)
from annotate.services.jobs import Progress
from annotate.services.protocols import bundled_protocol, policy_of
from annotate.services.recordings import (
    Intake,
    check_recordings,
    take_in_recordings,
)
from judging.models import Response, System
from judging.services.folder_reading import Row, StudyFolder, read_folder


@dataclass
class Imported:
    """What an import found and did.

    Attributes
    ----------
    faults, cautions : lines of `file:line: what and why`
    study : None on a dry run, or when faults stopped it
    unchanged : the same folder was imported before
    """

    faults: list[str]
    cautions: list[str]
    counts: dict[str, int]
    study: Study | None = None
    unchanged: bool = False
    notes: list[str] = field(default_factory=list)


def _silent(_share: float, _message: str) -> None:
    pass


def import_folder(
    path: Path,
    *,
    owner: User | None = None,
    dry_run: bool = False,
    partial: bool = False,
    tell: Progress = _silent,
) -> Imported:
    """Import a study folder; nothing of it can be seen before all of it is there.

    Recordings are decoded and stored first. Then one transaction writes the corpus,
    the systems, the responses and a draft study. With faults nothing is written,
    unless the good rows alone were asked for.

    Raises
    ------
    CannotSetUp
        `path` is not a folder.
    """
    if not path.is_dir():
        raise CannotSetUp(f"{path} is not a folder.")
    tell(0.0, "Reading the rows")
    folder = read_folder(path)
    counts = {kind: len(rows) for kind, rows in folder.rows.items()}
    corpus_code = slugify(str(folder.facts.get("title", "")))[:80] or "corpus"
    sha256 = folder.sha256()
    known = CorpusVersion.objects.filter(corpus_code=corpus_code).order_by("-number")
    same = known.filter(sha256=sha256).first()
    if same is not None and not dry_run:
        study = Study.objects.filter(corpus_version=same).order_by("id").first()
        return Imported([], [], counts, study, unchanged=True)
    titled = bool(str(folder.facts.get("title", "")).strip())
    if folder.faults and not (dry_run or (partial and titled)):
        return Imported(folder.faults, [], counts)

    spoken = [
        row
        for kind in ("utterances", "responses")
        for row in folder.good(kind)
        if row.cells.get("audio")
    ]
    competing = [row for row in folder.good("responses") if row.cells.get("audio")]
    paths = [folder.audio(row) for row in spoken]
    if dry_run:
        intake = check_recordings(paths, tell)
    else:
        intake = take_in_recordings(paths, [folder.audio(r) for r in competing], tell)
    cautions = _sound_faults(folder, spoken, intake)
    if dry_run or (folder.faults and not partial):
        return Imported(folder.faults, cautions, counts)

    tell(1.0, "Writing the rows")
    _drop_orphans(folder)
    latest = known.first()
    number = latest.number + 1 if latest else 1
    study = _write(folder, intake, corpus_code, number, sha256, owner)
    kept = {kind: len(folder.good(kind)) for kind in folder.rows}
    return Imported(folder.faults, cautions, kept, study)


def _sound_faults(folder: StudyFolder, spoken: list[Row], intake: Intake) -> list[str]:
    """Note unusable files as faults of their rows; return what is merely odd."""
    cautions = []
    for row in spoken:
        path = folder.audio(row)
        if path in intake.faults:
            folder.fault(row, f"{row.cells['audio']}: {intake.faults[path]}")
        cautions += [
            f"{row.place}: {row.cells['audio']}: {text}"
            for text in intake.cautions.get(path, [])
        ]
    return cautions


def _drop_orphans(folder: StudyFolder) -> None:
    """Leave out rows that refer to rows left out, each with its own line."""
    codes = {
        kind: {row.cells["id"] for row in folder.good(kind)}
        for kind in ("utterances", "contexts", "systems")
    }
    for row in folder.good("instances"):
        for key, kind in (("utterance", "utterances"), ("context", "contexts")):
            if row.cells[key] not in codes[kind]:
                folder.fault(row, f"{key} {row.cells[key]!r} was left out")
                break
    instances = {row.cells["id"] for row in folder.good("instances")}
    for row in folder.good("responses"):
        if row.cells["instance"] not in instances:
            folder.fault(row, f"instance {row.cells['instance']!r} was left out")
        elif row.cells["system"] not in codes["systems"]:
            folder.fault(row, f"system {row.cells['system']!r} was left out")


@transaction.atomic
def _write(
    folder: StudyFolder,
    intake: Intake,
    corpus_code: str,
    number: int,
    sha256: str,
    owner: User | None,
) -> Study:
    title = str(folder.facts["title"]).strip()[:200]
    version = CorpusVersion.objects.create(
        corpus_code=corpus_code,
        number=number,
        title=title,
        meta={k: v for k, v in folder.facts.items() if k != "title"},
        sha256=sha256,
        frozen_at=timezone.now(),
    )
    instances = _write_instances(folder, intake, version)
    _write_responses(folder, intake, corpus_code, instances)
    protocol = bundled_protocol(str(folder.facts.get("protocol") or "aeq-h"))
    study = Study(
        slug=free_slug(title),
        title=title,
        protocol=protocol,
        corpus_version=version,
    )
    study.overlap = policy_of(study)["overlap"]
    study.save()
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    Event.objects.create(
        study=study,
        actor=owner,
        verb="study.imported",
        subject=str(version),
        after={kind: len(folder.good(kind)) for kind in folder.rows},
    )
    return study


def free_slug(title: str) -> str:
    """Return an address for a study that no other study has."""
    stem = slugify(title)[:70] or "study"
    slug, n = stem, 2
    while Study.objects.filter(slug=slug).exists():
        slug, n = f"{stem}-{n}", n + 1
    return slug


def _write_instances(
    folder: StudyFolder, intake: Intake, version: CorpusVersion
) -> dict[str, Instance]:
    utterances = {
        row.cells["id"]: Stimulus(
            kind=Stimulus.Kind.UTTERANCE,
            recording=intake.recordings[folder.audio(row)],
            text=row.cells.get("transcript") or "",
            meta={"id": row.cells["id"], **row.rest("utterances")},
        )
        for row in folder.good("utterances")
    }
    contexts = {
        row.cells["id"]: Stimulus(
            kind=Stimulus.Kind.CONTEXT,
            text=row.cells["text"],
            meta={"id": row.cells["id"], **row.rest("contexts")},
        )
        for row in folder.good("contexts")
    }
    rows = folder.good("instances")
    more: dict[tuple[str, str], Stimulus] = {}
    for row in rows:
        for key, kind in (
            ("explanation", Stimulus.Kind.EXPLANATION),
            ("reference_response", Stimulus.Kind.REFERENCE),
        ):
            if row.cells.get(key):
                more[row.cells["id"], key] = Stimulus(
                    kind=kind, text=str(row.cells[key])
                )
    Stimulus.objects.bulk_create(
        [*utterances.values(), *contexts.values(), *more.values()], batch_size=1000
    )
    made = [
        Instance(
            version=version,
            code=row.cells["id"],
            utterance=utterances[row.cells["utterance"]],
            context=contexts[row.cells["context"]],
            explanation=more.get((row.cells["id"], "explanation")),
            reference=more.get((row.cells["id"], "reference_response")),
            branch=row.cells["branch"],
            group_code=row.cells["group"],
            subset=str(row.cells.get("subset") or ""),
            use=str(row.cells.get("use") or ""),
            topic=str(row.cells.get("topic") or ""),
            meta=row.rest("instances"),
        )
        for row in rows
    ]
    Instance.objects.bulk_create(made, batch_size=1000)
    return {instance.code: instance for instance in made}


def _write_responses(
    folder: StudyFolder,
    intake: Intake,
    corpus_code: str,
    instances: dict[str, Instance],
) -> None:
    systems = {}
    for row in folder.good("systems"):
        systems[row.cells["id"]], _ = System.objects.update_or_create(
            corpus_code=corpus_code,
            code=row.cells["id"],
            defaults={
                "name": row.cells["name"],
                "family": str(row.cells.get("family") or ""),
                "outputs": as_list(row.cells.get("outputs")),
                "aliases": as_list(row.cells.get("aliases")),
                "meta": row.rest("systems"),
            },
        )
    rows = folder.good("responses")
    # One stimulus a response, also where two responses have equal bytes.
    stimuli = [
        Stimulus(
            kind=Stimulus.Kind.RESPONSE,
            recording=intake.recordings[folder.audio(row)]
            if row.cells.get("audio")
            else None,
            text=str(row.cells.get("transcript") or row.cells.get("text") or ""),
        )
        for row in rows
    ]
    Stimulus.objects.bulk_create(stimuli, batch_size=1000)
    Response.objects.bulk_create(
        [
            Response(
                instance=instances[row.cells["instance"]],
                system=systems[row.cells["system"]],
                prompt=str(row.cells.get("prompt") or ""),
                sample=int(row.cells.get("sample") or 0),
                code=str(row.cells.get("id") or _response_code(row)),
                stimulus=stimulus,
                meta={
                    "metadata": row.cells.get("metadata") or {},
                    **row.rest("responses"),
                },
            )
            for row, stimulus in zip(rows, stimuli, strict=True)
        ],
        batch_size=1000,
    )


def _response_code(row: Row) -> str:
    cells = row.cells
    key = [cells["instance"], cells["system"]]
    key += [str(cells[k]) for k in ("prompt", "sample") if cells.get(k)]
    return "/".join(key)[:160]


def as_list(value: Any) -> list:
    """Return a list cell, which CSV can give only as words."""
    if isinstance(value, list):
        return value
    return [word.strip() for word in str(value or "").split(",") if word.strip()]
