"""The listening desk: one page an assignment, and what its script posts."""

import base64
import uuid
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotate.errors import NothingToRate
from annotate.models import Assignment, Listening, Question, Rater, Slot, Submission
from annotate.services import returns
from annotate.services.answers import (
    as_posted,
    field_name,
    letters_of,
    storable_text,
)
from annotate.services.deal import assignment_ahead, next_assignment
from annotate.services.draft import save_draft
from annotate.services.listen import TOLERANCE_S, record_listening
from annotate.services.page import RaterPage, load_page, renditions_of
from annotate.services.protocols import policy_of
from annotate.services.submit import submit_answers
from annotate.views.signed_in import SignedInRequest
from annotate.views.speaking import Posted, on_own_page

LAYOUT_TEMPLATES = {"pair": "annotate/desk_pair.html"}


def own_rater(request: SignedInRequest, slug: str) -> Rater:
    """Return the signed-in person as a rater of this study, or 404."""
    return get_object_or_404(
        Rater.objects.select_related("study"),
        study__slug=slug,
        study__deleted_at__isnull=True,
        user=request.user,
    )


@require_safe
def work(request: SignedInRequest, slug: str) -> HttpResponse:
    """Send the rater to the page they should be on."""
    rater = own_rater(request, slug)
    try:
        assignment = next_assignment(rater.pk)
    except NothingToRate as left:
        n_done = rater.assignments.filter(submitted_at__isnull=False).count()
        return render(
            request,
            "annotate/nothing_left.html",
            {"study": rater.study, "left": left, "n_done": n_done},
        )
    return redirect("rate", assignment.public_id)


@require_POST
def resume(request: SignedInRequest, slug: str) -> HttpResponse:
    returns.resume(own_rater(request, slug))
    return redirect("work", slug)


@require_safe
@ensure_csrf_cookie
def rate(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Show one assignment: the open one whose turn it is, or one already rated."""
    try:
        page = load_page(request.user, public_id)
    except Assignment.DoesNotExist:
        raise Http404 from None
    assignment = page.assignment
    if assignment.submitted_at is None:
        waiting = (
            Assignment.objects.open()
            .filter(rater=assignment.rater_id, duty=assignment.duty)
            .order_by("position")
            .values_list("pk", flat=True)
            .first()
        )
        paused = assignment.rater.paused_at or not page.study.is_open
        if waiting != assignment.pk or paused:
            return redirect("work", page.study.slug)
    template = LAYOUT_TEMPLATES.get(page.study.protocol.layout)
    if template is None:
        raise Http404
    if assignment.opened_at is None:
        assignment.opened_at = timezone.now()
        Assignment.objects.filter(pk=assignment.pk, opened_at__isnull=True).update(
            opened_at=assignment.opened_at
        )
    response = render(request, template, desk_context(page))
    # Back must show what is stored now, not what the browser remembers.
    response["Cache-Control"] = "no-store"
    return response


def desk_context(page: RaterPage) -> dict[str, Any]:
    assignment, study = page.assignment, page.study
    letters = letters_of(assignment)
    standing, answers = _standing_answers(page)
    draft = getattr(assignment, "draft", None) if standing is None else None
    if draft is not None:
        answers = draft.body
    rater = assignment.rater
    n_done, total, previous = _progress(assignment)
    return {
        "study_title": study.title,
        "study": study,
        "progress": {
            "done": n_done,
            "total": total,
            "number": assignment.position,
        },
        "context_text": page.text("context"),
        "parts": [
            {
                "letter": letter,
                "questions": [
                    _asked(q, letter)
                    for q in page.questions
                    if q.target == Question.Target.PART
                ],
            }
            for letter in letters.values()
        ],
        "item_questions": [
            _asked(q) for q in page.questions if q.target == Question.Target.ITEM
        ],
        "worked_min": int(assignment.worked_s // 60),
        "back_url": reverse("rate", args=[previous]) if previous else None,
        "wording_ours": study.protocol.body.get("wording") == "ours",
        "guidelines_html": "",
        "desk": {
            "assignment": str(assignment.public_id),
            "state": "open" if assignment.is_open else "submitted",
            "revision": standing.revision if standing else 0,
            "rater": rater_key(rater),
            "clientKey": None,
            "draft": {"version": draft.version if draft else 0, "answers": answers},
            "workedS": assignment.worked_s,
            "gate": policy_of(study)["gate"],
            "toleranceS": TOLERANCE_S,
            "recordings": _recordings(page),
            "urls": {
                key: reverse(name, args=[assignment.public_id])
                for key, name in DESK_URLS.items()
            }
            | {"signIn": reverse("sign_in_here"), "home": reverse("home")},
        },
    }


DESK_URLS = {
    "draft": "rate_draft",
    "listening": "rate_listening",
    "submit": "rate_submit",
    "skip": "rate_skip",
    "pause": "rate_pause",
    "ahead": "rate_ahead",
}


def rater_key(rater: Rater) -> str:
    """Return what the page keys its local drafts by; it names nobody."""
    return salted_hmac("annotate.rater", str(rater.pk)).hexdigest()[:20]


def _standing_answers(page: RaterPage) -> tuple[Submission | None, dict[str, Any]]:
    if page.assignment.submitted_at is None:
        return None, {}
    standing = (
        Submission.objects.filter(
            assignment=page.assignment, superseded_at__isnull=True
        )
        .order_by("-stage")
        .first()
    )
    if standing is None:
        return None, {}
    rows = standing.answers.select_related("part", "question")
    return standing, as_posted(rows, letters_of(page.assignment))


def _progress(assignment: Assignment) -> tuple[int, int | None, UUID | None]:
    """Return how many are done, how many there are if that is known, and the last."""
    mine = Assignment.objects.filter(rater=assignment.rater_id, duty=assignment.duty)
    # Positions are dealt one by one, so the last done tells about where one is.
    n_done = mine.filter(submitted_at__isnull=False).count()
    named = Slot.objects.filter(rater=assignment.rater_id, lease_until__isnull=True)
    total = mine.count() if named.exists() else None
    previous = (
        mine.filter(submitted_at__isnull=False, position__lt=assignment.position)
        .order_by("-position")
        .values_list("public_id", flat=True)
        .first()
    )
    return n_done, total, previous


def _asked(question: Question, letter: str = "") -> dict[str, Any]:
    return {
        "name": field_name(question, letter),
        "key": question.key,
        "kind": question.kind,
        "label": question.label,
        "required": question.required,
        "points": question.points,
    }


def _recordings(page: RaterPage) -> list[dict[str, Any]]:
    letters = letters_of(page.assignment)
    heard = {
        row.exhibit_id: row
        for row in Listening.objects.filter(assignment=page.assignment)
    }
    keys = {part.pk: part.key for part in page.parts}
    renditions = renditions_of(page)
    shown = []
    for name in sorted(page.exhibits, key=lambda n: (n != "utterance", n)):
        exhibit, rendition = page.exhibits[name], renditions.get(name)
        if rendition is None:
            continue
        row = heard.get(exhibit.pk)
        address = [page.assignment.public_id, name]
        shown.append(
            {
                "id": name,
                "part": letters.get(keys[exhibit.part_id], ""),
                "url": reverse("rate_sound", args=address),
                "durationS": round(rendition.duration_s, 3),
                "peaks": base64.b64encode(bytes(rendition.peaks)).decode(),
                "heard": row.ranges if row else [],
                "completed": bool(row and row.completed_at),
            }
        )
    return shown


def _seen(posted: Posted, key: str) -> int:
    value = posted.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value < 2**31 else 0


def _mapping(posted: Posted, key: str) -> dict[str, Any]:
    value = posted.get(key)
    return value if isinstance(value, dict) else {}


@on_own_page
def draft(request: SignedInRequest, page: RaterPage, posted: Posted) -> dict[str, Any]:
    saved = save_draft(
        page.assignment,
        _mapping(posted, "answers"),
        seen_version=_seen(posted, "version"),
        worked_s=posted.get("worked_s", 0),
    )
    return {"version": saved.version, "saved_at": saved.at.isoformat()}


@on_own_page
def listening(
    request: SignedInRequest, page: RaterPage, posted: Posted
) -> dict[str, Any]:
    rows = record_listening(
        page.assignment, page.exhibits, _mapping(posted, "recordings")
    )
    return {"completed": [name for name, row in rows.items() if row.completed_at]}


@on_own_page
def submit(request: SignedInRequest, page: RaterPage, posted: Posted) -> dict[str, Any]:
    try:
        client_key = uuid.UUID(str(posted.get("client_key")))
    except ValueError:
        client_key = uuid.uuid4()
    taken = submit_answers(
        page,
        _mapping(posted, "answers"),
        client_key=client_key,
        seen_revision=_seen(posted, "revision"),
        listening=_mapping(posted, "listening"),
        worked_s=posted.get("worked_s", 0),
    )
    return {
        "stored": taken.stored,
        "message": _(taken.message),
        "saved_at": taken.submission.received_at.isoformat(),
        "next": where_next(page),
    }


def where_next(page: RaterPage) -> str:
    """Return the address of the rater's next page; dealing it spares a redirect."""
    try:
        coming = next_assignment(page.assignment.rater_id)
    except NothingToRate:
        return reverse("work", args=[page.study.slug])
    return reverse("rate", args=[coming.public_id])


@on_own_page
def skip(request: SignedInRequest, page: RaterPage, posted: Posted) -> dict[str, Any]:
    returns.skip_bundle(
        page.assignment,
        str(posted.get("reason", "")),
        storable_text(str(posted.get("note", "")), 2000),
    )
    return {"next": where_next(page)}


@on_own_page
def pause(request: SignedInRequest, page: RaterPage, posted: Posted) -> dict[str, Any]:
    returns.pause(page.assignment.rater)
    return {"next": reverse("work", args=[page.study.slug])}


@on_own_page
def ahead(request: SignedInRequest, page: RaterPage, posted: Posted) -> dict[str, Any]:
    """Deal the item after this one and say where its recordings are."""
    coming = assignment_ahead(page.assignment.rater_id)
    if coming is None:
        return {"urls": []}
    names = load_page(request.user, coming.public_id).exhibits
    return {"urls": [reverse("rate_sound", args=[coming.public_id, n]) for n in names]}
