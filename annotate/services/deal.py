"""Give raters their next item: claim, lease, revive.

Lock order, here and everywhere: rater, then slots by id, then assignments.
"""

import datetime
import hashlib
import random
from typing import Any

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, QuerySet
from django.db.models.functions import Now

from annotate.errors import NothingToRate
from annotate.models import Assignment, Item, Part, Rater, Slot
from annotate.services.protocols import policy_of

TRIES = 5


@transaction.atomic
def next_assignment(rater_id: int) -> Assignment:
    """Return the assignment this rater should be on, dealing one where none is open.

    Two tabs that ask at once get the same: the second waits for the rater's row and
    then finds the first one's assignment open. Exactly `overlap` people get an item
    because so many slots exist; nothing is counted.

    Raises
    ------
    NothingToRate
        With the kind: all done, others hold the rest, paused, or closed.
    """
    rater = _lock_rater(rater_id)
    _refuse_paused_or_closed(rater)
    held = _open_assignments(rater).first()
    if held is not None:
        renew_lease(held)
        return held
    dealt = _deal(rater)
    if dealt is None:
        raise _nothing_left(rater)
    return dealt


@transaction.atomic
def assignment_ahead(rater_id: int) -> Assignment | None:
    """Return the assignment after the open one, dealt early to fetch its recordings.

    None when nothing is left, or when nothing is open to be ahead of.
    """
    rater = _lock_rater(rater_id)
    if rater.paused_at or not rater.study.is_open:
        return None
    held = list(_open_assignments(rater)[:2])
    if len(held) != 1:
        return held[1] if held else None
    return _deal(rater)


def renew_lease(assignment: Assignment) -> None:
    """Push the end of the lease away, where there is one and it is still ours."""
    if assignment.slot_id is None:
        return
    lease = lease_of(assignment.rater)
    Slot.objects.filter(
        pk=assignment.slot_id,
        rater=assignment.rater_id,
        done_at__isnull=True,
        lease_until__lt=Now() + lease * 0.9,
    ).update(lease_until=Now() + lease)


def lease_of(rater: Rater) -> datetime.timedelta:
    return datetime.timedelta(minutes=policy_of(rater.study)["lease_minutes"])


def _lock_rater(rater_id: int) -> Rater:
    return (
        Rater.objects.select_for_update(no_key=True, of=("self",))
        .select_related("study__protocol")
        .get(pk=rater_id)
    )


def _refuse_paused_or_closed(rater: Rater) -> None:
    if not rater.study.is_open:
        raise NothingToRate("closed", "This study is not open for answers.")
    if rater.paused_at:
        raise NothingToRate("paused", "You paused. Your place is kept.")


def _open_assignments(rater: Rater) -> QuerySet[Assignment]:
    return (
        Assignment.objects.open()
        .filter(rater=rater, duty=Assignment.Duty.RATE)
        .select_related("rater__study__protocol")
        .order_by("position")
    )


def _deal(rater: Rater) -> Assignment | None:
    slot = _take_slot(rater)
    return None if slot is None else assign_bundle(rater, slot)[0]


def _take_slot(rater: Rater) -> Slot | None:
    """Make a free or expired slot this rater's, and return it."""
    lease = lease_of(rater)
    for _ in range(TRIES):
        # Locked rows are skipped first. Only when all are locked is it worth waiting
        # to learn whether one stays free.
        slot = _pick(rater, skip_locked=True) or _pick(rater, skip_locked=False)
        if slot is None:
            return None
        # The old state is part of the condition: of two who try, one sees 0 rows.
        taken = Slot.objects.filter(pk=slot.pk, done_at__isnull=True).filter(
            **_as_it_was("rater", slot.rater_id),
            **_as_it_was("lease_until", slot.lease_until),
        )
        if taken.update(rater=rater, lease_until=Now() + lease):
            if slot.rater_id is not None:
                release_rows(slot, slot.rater_id, Assignment.EndReason.EXPIRED)
            slot.rater = rater
            return slot
    return None


def _as_it_was(field: str, value: Any) -> dict[str, Any]:
    return {f"{field}__isnull": True} if value is None else {field: value}


def release_rows(slot: Slot, rater_id: int, reason: str, note: str = "") -> None:
    """End the old holder's open rows of this slot; what they submitted is surplus."""
    rows = Assignment.objects.filter(slot=slot, rater=rater_id)
    rows.open().update(ended_at=Now(), end_reason=reason, end_note=note, slot=None)
    rows.filter(submitted_at__isnull=False).update(slot=None)


def _pick(rater: Rater, *, skip_locked: bool) -> Slot | None:
    """Return the best slot to try: free and spaced, free, then expired.

    A free and an expired slot are two queries, since an OR would defeat the partial
    indexes. The search starts behind the last slot this rater took: what lies before
    was met or taken then, and walking over it again would cost more with each item.
    """
    free = Slot.objects.free(rater).order_by("rank")
    expired = Slot.objects.expired(rater, Now()).order_by("lease_until")
    ahead = free.filter(rank__gt=rater.cursor_rank)
    recent = rater.dealer_memory.get("recent", [])
    if recent:
        near = Exists(
            Item.objects.filter(bundle=OuterRef("bundle"), cluster_code__in=recent)
        )
        searches = [ahead.exclude(near), free.exclude(near), free, expired]
    elif rater.cursor_rank:
        searches = [ahead, free, expired]
    else:
        searches = [free, expired]
    for search in searches:
        slot = search.select_for_update(skip_locked=skip_locked, of=("self",)).first()
        if slot is not None:
            return slot
    return None


def assign_bundle(rater: Rater, slot: Slot) -> list[Assignment]:
    """Give each item of the slot's bundle to the rater who holds the slot.

    Rows the rater lost by an expired lease are revived with the order first shown.
    """
    of_bundle = list(
        Item.objects.filter(bundle=slot.bundle_id, retired_at__isnull=True)
        .order_by("position", "id")
        .prefetch_related("parts")
    )
    revived = {
        row.item_id: row
        for row in Assignment.objects.filter(
            rater=rater,
            item__in=of_bundle,
            duty=Assignment.Duty.RATE,
            occasion=0,
            end_reason=Assignment.EndReason.EXPIRED,
        )
    }
    memory = rater.dealer_memory
    sides: dict[str, int] = dict(memory.get("sides", {}))
    recent: list[str] = list(memory.get("recent", []))
    rows, new = [], []
    for item in of_bundle:
        row = revived.get(item.pk)
        if row is None:
            rater.n_dealt += 1
            seed = _seed(rater, item)
            row = Assignment(
                item=item,
                rater=rater,
                slot=slot,
                position=rater.n_dealt,
                seed=seed,
                shown_order=shown_order(list(item.parts.all()), seed, sides),
            )
            new.append(row)
        else:
            row.slot, row.ended_at, row.end_reason = slot, None, ""
            row.save(update_fields=["slot", "ended_at", "end_reason"])
        recent.append(item.cluster_code)
        rows.append(row)
    Assignment.objects.bulk_create(new)
    spacing = policy_of(rater.study)["spacing"]
    rater.dealer_memory = {
        "recent": recent[-spacing:] if spacing else [],
        "sides": sides,
    }
    rater.cursor_rank = max(rater.cursor_rank, slot.rank)
    rater.save(update_fields=["n_dealt", "cursor_rank", "dealer_memory"])
    return sorted(rows, key=lambda row: row.position)


def shown_order(parts: list[Part], seed: int, sides: dict[str, int]) -> dict[str, Any]:
    """Return in which order the parts are shown, and note it in `sides`.

    Two parts stand so that over a rater's items each side code is first as often as
    second; what is even is decided by the seed. More parts are shuffled by it.

    Parameters
    ----------
    sides : dict of side code to (times first - times second), changed in place
    """
    shown = [part for part in parts if part.key]
    drawn = random.Random(seed)
    drawn.shuffle(shown)
    if len(shown) == 2 and all(part.side_code for part in shown):
        first, second = shown
        if sides.get(first.side_code, 0) > sides.get(second.side_code, 0):
            shown = [second, first]
        sides[shown[0].side_code] = sides.get(shown[0].side_code, 0) + 1
        sides[shown[1].side_code] = sides.get(shown[1].side_code, 0) - 1
    return {"parts": [part.key for part in shown]}


def _seed(rater: Rater, item: Item, occasion: int = 0) -> int:
    """Return a number that the same study, rater and item always give."""
    text = f"{rater.study.seed}/{rater.code}/{item.code}/{occasion}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")


def _nothing_left(rater: Rater) -> NothingToRate:
    until = (
        Slot.objects.filter(study=rater.study_id, done_at__isnull=True)
        .exclude(rater=rater)
        .exclude(
            Exists(
                Assignment.objects.filter(
                    rater=rater, item__bundle=OuterRef("bundle")
                ).exclude(end_reason=Assignment.EndReason.EXPIRED)
            )
        )
        .aggregate(first=Min("lease_until"))["first"]
    )
    if until is not None:
        return NothingToRate(
            "others_hold", "Others are working on the rest at this moment.", until
        )
    return NothingToRate("all_done", "You have rated all there is for you.")
