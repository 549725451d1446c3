"""Work that changes hands: skip, pause, hand over, raise and lower the overlap."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils import timezone

from annotate.errors import CannotSetUp, HandOverRefused, WorkEnded
from annotate.models import Assignment, Bundle, Event, Item, Rater, Slot, Study, User
from annotate.services.deal import assign_bundle, release_rows

SKIPS_TO_RETIRE = 3
SKIP_REASONS = {
    "cannot_play": "A recording does not play",
    "unsuitable": "The content is unsuitable",
    "know_the_speaker": "I know a speaker",
    "other": "Another reason",
}


@transaction.atomic
def skip_bundle(assignment: Assignment, reason: str, note: str = "") -> None:
    """End the rater's open rows of this bundle and free its place for others.

    An item that three people skipped goes to the researcher: its free places are
    removed and an event says so.

    Raises
    ------
    WorkEnded
        The assignment is not open any more, or the reason is not one of ours.
    """
    if reason not in SKIP_REASONS:
        raise WorkEnded("Choose a reason for skipping.")
    slot = _lock(assignment)
    said = f"{reason}: {note}".strip(": ")[:2000]
    ended = (
        Assignment.objects.open()
        .filter(pk=assignment.pk)
        .update(
            ended_at=Now(),
            end_reason=Assignment.EndReason.SKIPPED,
            end_note=said,
            slot=None,
        )
    )
    if not ended:
        raise WorkEnded("This item was finished or ended before.")
    if slot is not None and slot.rater_id == assignment.rater_id:
        release_rows(slot, assignment.rater_id, Assignment.EndReason.SKIPPED, said)
        Slot.objects.filter(
            pk=slot.pk, rater=assignment.rater_id, done_at__isnull=True
        ).update(rater=None, lease_until=None)
    _retire_if_often_skipped(assignment.item)


def _lock(assignment: Assignment) -> Slot | None:
    if assignment.slot_id is None:
        return None
    return Slot.objects.select_for_update(no_key=True).get(pk=assignment.slot_id)


def _retire_if_often_skipped(item: Item) -> None:
    n_skips = Assignment.objects.filter(
        item=item, end_reason=Assignment.EndReason.SKIPPED
    ).count()
    if n_skips < SKIPS_TO_RETIRE:
        return
    retired = Item.objects.filter(pk=item.pk, retired_at__isnull=True).update(
        retired_at=timezone.now()
    )
    if retired:
        Slot.objects.filter(bundle=item.bundle_id, rater__isnull=True).delete()
        Event.objects.create(
            study_id=item.study_id,
            verb="item.skipped_by_three",
            subject=item.code,
            after={"n_skips": n_skips},
        )


def pause(rater: Rater) -> None:
    Rater.objects.filter(pk=rater.pk).update(paused_at=timezone.now())


def resume(rater: Rater) -> None:
    Rater.objects.filter(pk=rater.pk).update(paused_at=None)


@transaction.atomic
def hand_over(
    bundle: Bundle, giver: Rater, taker: Rater, by: User | None = None
) -> list[Assignment]:
    """Move one bundle's place from one rater to another, whole.

    Raises
    ------
    HandOverRefused
        The giver has finished it or does not hold it, or the taker has a row in it.
    """
    if giver.study_id != taker.study_id or bundle.study_id != taker.study_id:
        raise HandOverRefused("Both raters must belong to the bundle's study.")
    if taker.kind != Rater.Kind.PERSON:
        raise HandOverRefused(f"{taker.code} is not a person; judges hold no places.")
    taker = (
        Rater.objects.select_for_update(no_key=True, of=("self",))
        .select_related("study__protocol")
        .get(pk=taker.pk)
    )
    met = Assignment.objects.filter(rater=taker, item__bundle=bundle).exists()
    if met or Slot.objects.filter(bundle=bundle, rater=taker).exists():
        raise HandOverRefused(f"{taker.code} has met {bundle.code} before.")
    slot = (
        Slot.objects.select_for_update(no_key=True)
        .filter(bundle=bundle, rater=giver, done_at__isnull=True)
        .first()
    )
    moved = slot and Slot.objects.filter(
        pk=slot.pk, rater=giver, done_at__isnull=True
    ).update(rater=taker, lease_until=None)
    if not slot or not moved:
        raise HandOverRefused(
            f"{giver.code} holds no unfinished place in {bundle.code}."
        )
    release_rows(slot, giver.pk, Assignment.EndReason.HANDED_OVER)
    rows = assign_bundle(taker, slot)
    Event.objects.create(
        study_id=bundle.study_id,
        actor=by,
        verb="bundle.handed_over",
        subject=bundle.code,
        before={"rater": giver.code},
        after={"rater": taker.code},
    )
    return rows


@transaction.atomic
def change_overlap(study: Study, overlap: int, by: User | None = None) -> int:
    """Raise or lower how many people rate each bundle; return how many places changed.

    Lowering removes places nobody holds; what is held or done stays.

    Raises
    ------
    CannotSetUp
        `overlap` is under 1.
    """
    if overlap < 1:
        raise CannotSetUp("At least one person must rate each item.")
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    before = locked.overlap
    changed = 0
    if overlap > before:
        live = Item.objects.filter(bundle=OuterRef("pk"), retired_at__isnull=True)
        bundles = Bundle.objects.filter(Exists(live), study=study)
        new = [
            Slot(study=study, bundle=bundle, n=n, rank=bundle.rank * 64 + n)
            for bundle in bundles
            for n in range(before + 1, overlap + 1)
        ]
        Slot.objects.bulk_create(new, batch_size=2000, ignore_conflicts=True)
        changed = len(new)
    elif overlap < before:
        changed, _ = Slot.objects.filter(
            study=study, n__gt=overlap, rater__isnull=True
        ).delete()
    Study.objects.filter(pk=study.pk).update(overlap=overlap)
    Event.objects.create(
        study=study,
        actor=by,
        verb="study.overlap_changed",
        before={"overlap": before},
        after={"overlap": overlap},
    )
    return changed
