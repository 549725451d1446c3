"""Form balanced pairs of replies and put them before raters."""

import hashlib
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotate.errors import CannotSetUp
from annotate.models import (
    Bundle,
    CorpusVersion,
    Event,
    Exhibit,
    Item,
    Membership,
    Part,
    Rater,
    Slot,
    Study,
    User,
)
from annotate.services.deal import assign_bundle
from judging.models import Response, System

RANKS_PER_BUNDLE = 64  # places of a bundle lie together in the order of dealing


@dataclass(frozen=True)
class Pair:
    """Two responses to one instance."""

    subset: str
    first: Response
    second: Response


@dataclass(frozen=True)
class Plan:
    """What a researcher asks for.

    Attributes
    ----------
    named : work is given to the raters now; else each takes the next from a queue
    """

    systems: Sequence[System]
    n_pairs: int
    overlap: int
    seed: int
    raters: Sequence[User] = ()
    named: bool = False
    prompt: str = ""
    subsets: Sequence[str] = ()


def spoken_responses(
    version: CorpusVersion, systems: Sequence[System], prompt: str = ""
) -> list[Response]:
    """Return the first spoken sample of each system for each instance."""
    rows = (
        Response.objects.filter(
            instance__version=version,
            system__in=systems,
            prompt=prompt,
            stimulus__recording__isnull=False,
        )
        .select_related("instance", "system", "stimulus")
        .order_by("instance__code", "system__code", "sample")
    )
    first: dict[tuple[int, int], Response] = {}
    for row in rows:
        first.setdefault((row.instance_id, row.system_id), row)
    return list(first.values())


def form_pairs(responses: Sequence[Response], n_pairs: int, seed: int) -> list[Pair]:
    """Return `n_pairs` balanced pairs, the same for the same seed.

    Pairs are shared out over the subsets as evenly as their sizes allow. Within a
    subset each unordered pair of systems comes equally often and so does each system
    (both within one), and no pair of responses comes twice. Instances are drawn
    uniformly, least used first, so that each system is sampled from all over.

    Raises
    ------
    CannotSetUp
        There are not so many pairs, or fewer than two systems have spoken replies.
    """
    drawn = random.Random(seed)
    by_subset: dict[str, dict[int, dict[int, Response]]] = defaultdict(dict)
    for response in responses:
        spot = by_subset[response.instance.subset]
        spot.setdefault(response.instance_id, {})[response.system_id] = response
    capacity = {
        subset: sum(len(r) * (len(r) - 1) // 2 for r in spot.values())
        for subset, spot in by_subset.items()
    }
    total = sum(capacity.values())
    if n_pairs < 1 or n_pairs > total:
        raise CannotSetUp(
            f"{n_pairs} pairs were asked for; these systems give from 1 to {total}."
        )
    pairs = []
    for subset, share in _shares(capacity, n_pairs).items():
        pairs += _pairs_of(subset, by_subset[subset], share, drawn)
    drawn.shuffle(pairs)
    return _space(pairs)


def _shares(capacity: dict[str, int], n: int) -> dict[str, int]:
    """Share n out evenly, none above its capacity."""
    shares = dict.fromkeys(capacity, 0)
    while n:
        open_to = [s for s in sorted(capacity) if shares[s] < capacity[s]]
        for subset in sorted(open_to, key=lambda s: (shares[s], s)):
            if n and shares[subset] < capacity[subset]:
                shares[subset] += 1
                n -= 1
    return {subset: share for subset, share in shares.items() if share}


def _pairs_of(
    subset: str,
    spot: dict[int, dict[int, Response]],
    n: int,
    drawn: random.Random,
) -> list[Pair]:
    left: dict[tuple[int, int], list[int]] = defaultdict(list)
    for instance, replies in sorted(spot.items()):
        for pair in itertools.combinations(sorted(replies), 2):
            left[pair].append(instance)
    for instances in left.values():
        drawn.shuffle(instances)
    of_pair: Counter = Counter()
    of_system: Counter = Counter()
    of_instance: Counter = Counter()
    systems = sorted({system for pair in left for system in pair})
    is_even = len({len(left[p]) for p in itertools.combinations(systems, 2)}) == 1
    turns: list[tuple[int, int]] = []
    formed = []
    for _ in range(n):
        if is_even:
            turns = turns or _balanced_order(systems, drawn)
            pair = turns.pop(0)
        else:  # some replies are missing: come as near as they allow
            pair = min(
                (pair for pair in left if left[pair]),
                key=lambda p: (
                    of_pair[p],
                    of_system[p[0]] + of_system[p[1]],
                    drawn.random(),
                ),
            )
        instance = min(left[pair], key=lambda i: of_instance[i])
        left[pair].remove(instance)
        of_pair[pair] += 1
        of_system.update(pair)
        of_instance[instance] += 1
        sides = [spot[instance][system] for system in pair]
        drawn.shuffle(sides)
        formed.append(Pair(subset, *sides))
    return formed


def _balanced_order(systems: list[int], drawn: random.Random) -> list[tuple[int, int]]:
    """Return every pair once, so that wherever one stops all systems are as frequent.

    As frequent within one, that is, and the graph is connected from n - 1 pairs on.
    An even number of systems meets in rounds, as teams in a tournament. An odd number
    is led along Hamiltonian cycles (Walecki's; Lucas, 1892, Récréations
    mathématiques II), every second edge first.
    """
    names = list(systems)
    drawn.shuffle(names)
    *ring, hub = names
    n = len(ring)
    edges: list[tuple[int, int]] = []
    if n % 2:
        for r in range(n):
            edges.append((hub, ring[r]))
            edges += [
                (ring[(r + k) % n], ring[(r - k) % n]) for k in range(1, n // 2 + 1)
            ]
    else:
        for r in range(n // 2):
            zigzag = [r + (k + 1) // 2 * (-1) ** (k + 1) for k in range(n)]
            cycle = [ring[place % n] for place in zigzag] + [hub]
            along = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
            edges += along[:-1:2] + along[-1:] + along[1:-1:2]
    return [(min(edge), max(edge)) for edge in edges]


def _space(pairs: list[Pair], apart: int = 3) -> list[Pair]:
    """Return the pairs with members of one group apart where that can be."""
    waiting = list(pairs)
    spaced: list[Pair] = []
    while waiting:
        recent = {pair.first.instance.group_code for pair in spaced[-apart:]}
        place = next(
            (
                n
                for n, pair in enumerate(waiting)
                if pair.first.instance.group_code not in recent
            ),
            0,
        )
        spaced.append(waiting.pop(place))
    return spaced


@transaction.atomic
def set_up_pairs(study: Study, plan: Plan, by: User | None = None) -> int:
    """Form the pairs, make their items and places, name the raters, open the study.

    Raises
    ------
    CannotSetUp
        Items stand already, the study has no corpus, there are too few systems or
        raters, or more pairs were asked for than there are.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.opened_at is not None:
        raise CannotSetUp("This study is set up already.")
    if locked.corpus_version is None:
        raise CannotSetUp("This study has no corpus; import a study folder first.")
    if len(plan.systems) < 2:
        raise CannotSetUp("Choose two systems or more.")
    if plan.overlap < 1:
        raise CannotSetUp("At least one person must rate each pair.")
    if plan.named and len(plan.raters) < plan.overlap:
        raise CannotSetUp(
            f"{plan.overlap} people rate each pair, but {len(plan.raters)} are named."
        )
    responses = spoken_responses(locked.corpus_version, plan.systems, plan.prompt)
    if plan.subsets:
        chosen = set(plan.subsets)
        responses = [r for r in responses if r.instance.subset in chosen]
    pairs = form_pairs(responses, plan.n_pairs, plan.seed)
    locked.overlap, locked.seed = plan.overlap, plan.seed
    locked.opened_at = timezone.now()
    locked.save(update_fields=["overlap", "seed", "opened_at"])
    slots = _write_items(locked, pairs)
    raters = [add_rater(locked, user) for user in plan.raters]
    if plan.named:
        _name_raters(locked, slots, raters, plan.seed)
    Event.objects.create(
        study=locked,
        actor=by,
        verb="study.set_up",
        after={
            "systems": [system.code for system in plan.systems],
            "n_pairs": plan.n_pairs,
            "overlap": plan.overlap,
            "seed": plan.seed,
            "raters": [rater.code for rater in raters],
            "dealing": "named" if plan.named else "queue",
        },
    )
    study.refresh_from_db()
    return len(pairs)


def _write_items(study: Study, pairs: list[Pair]) -> list[list[Slot]]:
    width = max(4, len(str(len(pairs))))
    codes = [f"pair-{n:0{width}}" for n in range(1, len(pairs) + 1)]
    bundles = Bundle.objects.bulk_create(
        [Bundle(study=study, code=c, rank=n) for n, c in enumerate(codes, 1)],
        batch_size=1000,
    )
    made = Item.objects.bulk_create(
        [
            Item(
                study=study,
                bundle=bundle,
                code=bundle.code,
                cluster_code=pair.first.instance.group_code,
            )
            for bundle, pair in zip(bundles, pairs, strict=True)
        ],
        batch_size=1000,
    )
    parts = Part.objects.bulk_create(
        [
            Part(
                item=item,
                key=key,
                position=place,
                instance=pair.first.instance,
                side_code=_side_code(study, reply) if reply else "",
            )
            for item, pair in zip(made, pairs, strict=True)
            for place, (key, reply) in enumerate(
                [("", None), ("A", pair.first), ("B", pair.second)]
            )
        ],
        batch_size=1000,
    )
    exhibits = []
    for n, pair in enumerate(pairs):
        whole, left, right = parts[3 * n : 3 * n + 3]
        instance, role = pair.first.instance, Exhibit.Role
        exhibits += [
            Exhibit(part=whole, role=role.CONTEXT, stimulus_id=instance.context_id),
            Exhibit(part=whole, role=role.UTTERANCE, stimulus_id=instance.utterance_id),
            Exhibit(part=left, role=role.RESPONSE, stimulus=pair.first.stimulus),
            Exhibit(part=right, role=role.RESPONSE, stimulus=pair.second.stimulus),
        ]
    Exhibit.objects.bulk_create(exhibits, batch_size=1000)
    slots = Slot.objects.bulk_create(
        [
            Slot(
                study=study,
                bundle=bundle,
                n=n,
                rank=bundle.rank * RANKS_PER_BUNDLE + n,
            )
            for bundle in bundles
            for n in range(1, study.overlap + 1)
        ],
        batch_size=1000,
    )
    k = study.overlap
    return [slots[i : i + k] for i in range(0, len(slots), k)]


def _side_code(study: Study, reply: Response) -> str:
    """Return a code that is equal for equal systems and says nothing else."""
    text = f"{study.seed}/{study.pk}/{reply.system_id}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def add_rater(study: Study, user: User) -> Rater:
    """Return this person as a rater of the study, with a code that names nobody."""
    known = Rater.objects.filter(study=study, user=user).first()
    if known is not None:
        return known
    Membership.objects.get_or_create(
        study=study, user=user, defaults={"role": Membership.Role.ANNOTATOR}
    )
    taken = set(Rater.objects.filter(study=study).values_list("code", flat=True))
    code = next(c for n in itertools.count(1) if (c := f"r{n:02}") not in taken)
    return Rater.objects.create(study=study, user=user, code=code)


def _name_raters(
    study: Study, slots: list[list[Slot]], raters: list[Rater], seed: int
) -> None:
    """Give every place to the least loaded, with random ties.

    Dealing in a circle would form cliques that never share an item; random ties make
    every two raters share some.
    """
    drawn = random.Random(seed + 1)
    loads = {rater.pk: 0 for rater in raters}
    for places in slots:
        chosen = sorted(raters, key=lambda r: (loads[r.pk], drawn.random()))
        for slot, rater in zip(places, chosen, strict=False):
            loads[rater.pk] += 1
            slot.rater = rater
            slot.save(update_fields=["rater"])
            assign_bundle(rater, slot)
