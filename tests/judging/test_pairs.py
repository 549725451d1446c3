"""Pairs are balanced, drawn by seed, and dealt so that raters can be compared."""

import itertools
from collections import Counter

import pytest

from annotate.errors import CannotSetUp, NothingToRate
from annotate.models import Assignment, Exhibit, Item, Part, Rater, Slot, Study
from annotate.services.deal import next_assignment
from judging.models import Response
from judging.services.pairs import add_rater, form_pairs, spoken_responses
from tests.judging.small_study import PairStudy

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    """Five systems, twelve instances in two subsets."""
    return PairStudy(systems="abcde", subsets=("s", "t"), n_instances=12)


def responses_of(made):
    return spoken_responses(made.version, made.systems)


def systems_of(pair):
    return frozenset((pair.first.system_id, pair.second.system_id))


def spread(counts):
    return max(counts) - min(counts)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_pairs", [20, 27, 40, 43, 120])
def test_pairs_are_balanced(made, n_pairs, seed):
    pairs = form_pairs(responses_of(made), n_pairs, seed)

    assert len(pairs) == n_pairs
    assert spread(Counter(pair.subset for pair in pairs).values()) <= 1
    systems = [system.pk for system in made.systems]
    for subset in ("s", "t"):
        of_subset = [systems_of(pair) for pair in pairs if pair.subset == subset]
        met = Counter(of_subset)
        every = [frozenset(p) for p in itertools.combinations(systems, 2)]
        assert spread([met[pair] for pair in every]) <= 1
        alone = Counter(system for pair in of_subset for system in pair)
        assert spread([alone[system] for system in systems]) <= 1
        assert is_connected(systems, met)


def is_connected(nodes, edges):
    reached, waiting = set(), [nodes[0]]
    while waiting:
        node = waiting.pop()
        reached.add(node)
        waiting += [n for e in edges if node in e for n in e if n not in reached]
    return reached == set(nodes)


@pytest.mark.parametrize("n_systems", range(2, 9))
def test_balance_holds_at_every_number_of_pairs(n_systems):
    made = PairStudy(systems="abcdefgh"[:n_systems], subsets=("s",), n_instances=4)
    responses, systems = responses_of(made), [s.pk for s in made.systems]
    every = [frozenset(p) for p in itertools.combinations(systems, 2)]
    for n_pairs in range(1, 4 * len(every) + 1):
        pairs = [systems_of(p) for p in form_pairs(responses, n_pairs, 3)]
        met, alone = Counter(pairs), Counter(s for p in pairs for s in p)
        assert spread([met[pair] for pair in every]) <= 1
        assert spread([alone[system] for system in systems]) <= 1
        if n_pairs >= n_systems - 1:
            assert is_connected(systems, met)


def test_a_pair_is_two_replies_to_one_instance_and_comes_once(made):
    pairs = form_pairs(responses_of(made), 120, 4)

    assert all(p.first.instance_id == p.second.instance_id for p in pairs)
    assert all(p.first.system_id != p.second.system_id for p in pairs)
    assert len({frozenset((p.first.pk, p.second.pk)) for p in pairs}) == 120


def test_the_seed_decides(made):
    responses = responses_of(made)

    def drawn(seed):
        return [(p.first.pk, p.second.pk) for p in form_pairs(responses, 20, seed)]

    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)


def test_more_pairs_than_there_are_is_refused(made):
    with pytest.raises(CannotSetUp, match="from 1 to 120"):
        form_pairs(responses_of(made), 121, 1)
    with pytest.raises(CannotSetUp):
        made.set_up(121)
    made.study.refresh_from_db()
    assert made.study.opened_at is None
    assert not Item.objects.exists()


def test_replies_without_sound_never_enter(made):
    silent = Response.objects.filter(system=made.systems[0])
    for response in silent:
        response.stimulus.recording = None
        response.stimulus.save()
    made.set_up(40)

    shown = Exhibit.objects.filter(role="response")
    assert not shown.filter(stimulus__response__system=made.systems[0]).exists()


def test_both_replies_of_an_item_answer_its_instance(made):
    made.set_up(30)

    for item in Item.objects.all():
        parts = item.parts.exclude(key="")
        assert {part.instance_id for part in parts} == {
            exhibit.stimulus.response.instance_id
            for exhibit in Exhibit.objects.filter(part__in=parts)
        }
        assert len({part.instance_id for part in parts}) == 1


def test_named_dealing_is_even_exact_and_mixed(made):
    people = made.people(4)
    made.set_up(40, people, named=True)

    loads = Counter(Assignment.objects.values_list("rater", flat=True))
    assert len(loads) == 4
    assert spread(loads.values()) <= 1
    raters_of = {
        item: list(Assignment.objects.filter(item=item).values_list("rater", flat=True))
        for item in Item.objects.all()
    }
    assert all(len(raters) == len(set(raters)) == 2 for raters in raters_of.values())
    shared = Counter(frozenset(raters) for raters in raters_of.values())
    assert len(shared) == 6  # every two raters share some item
    assert Slot.objects.filter(rater__isnull=True).count() == 0


def test_named_dealing_needs_enough_people(made):
    with pytest.raises(CannotSetUp, match="2 people rate each pair, but 1 are named"):
        made.set_up(10, made.people(1), named=True)


def test_a_study_is_set_up_once(made):
    made.set_up(10)
    with pytest.raises(CannotSetUp, match="set up already"):
        made.set_up(10)
    assert Item.objects.count() == 10


def test_side_codes_say_which_are_equal_and_nothing_else(made):
    made.set_up(30)

    codes = {}
    for part in Part.objects.exclude(key=""):
        system = part.exhibits.get().stimulus.response.system
        codes.setdefault(system.pk, set()).add(part.side_code)
    assert all(len(found) == 1 for found in codes.values())
    flat = [code for found in codes.values() for code in found]
    assert len(set(flat)) == 5
    assert all(len(code) == 12 and int(code, 16) >= 0 for code in flat)


def test_each_system_stands_left_as_often_as_right_for_each_rater(made):
    people = made.people(3)
    made.set_up(60, people, overlap=3)

    for user in people:
        rater = add_rater(Study.objects.get(), user)
        lean = Counter()
        for first, second in sides_met(rater):
            lean[first] += 1
            lean[second] -= 1
        assert all(abs(n) <= 2 for n in lean.values()), lean


def sides_met(rater):
    """Deal the rater all there is and yield the side codes as they are shown."""
    try:
        while True:
            assignment = next_assignment(rater.pk)
            codes = dict(assignment.item.parts.values_list("key", "side_code"))
            yield [codes[key] for key in assignment.shown_order["parts"]]
            assignment.submitted_at = assignment.slot.done_at = (
                assignment.item.study.opened_at
            )
            assignment.slot.save()
            assignment.save()
    except NothingToRate:
        assert Rater.objects.get(pk=rater.pk).n_dealt > 20


def test_members_of_a_group_are_spaced_apart(made):
    pairs = form_pairs(responses_of(made), 60, 2)
    groups = [pair.first.instance.group_code for pair in pairs]

    near = sum(groups[n] in groups[max(0, n - 3) : n] for n in range(len(groups)))
    assert near <= 3  # only where the last few leave no other
