"""All that one rater's page shows, loaded in a pinned number of queries."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Prefetch

from annotate.models import (
    Assignment,
    Exhibit,
    Item,
    Part,
    Question,
    Rendition,
    Study,
    User,
)
from annotate.services.answers import letters_of
from annotate.services.listen import exhibits_by_name


@dataclass
class RaterPage:
    """One assignment with its item's parts, exhibits and questions.

    Attributes
    ----------
    exhibits : the played exhibits by the name the page knows them by
    """

    assignment: Assignment
    parts: list[Part]
    questions: tuple[Question, ...]
    exhibits: dict[str, Exhibit] = field(default_factory=dict)

    @property
    def study(self) -> Study:
        return self.assignment.rater.study

    @property
    def is_task(self) -> bool:
        return self.assignment.item.purpose == Item.Purpose.TASK

    @cached_property
    def durations(self) -> dict[str, tuple[str, float]]:
        """Exhibit name to (part key, duration in seconds)."""
        keys = {part.pk: part.key for part in self.parts}
        return {
            name: (keys[exhibit.part_id], exhibit.stimulus.duration_s)
            for name, exhibit in self.exhibits.items()
        }

    def text(self, role: str) -> str:
        """Return the text shown for the whole item in this role, or nothing."""
        for part in self.parts:
            if part.key:
                continue
            for exhibit in part.exhibits.all():
                if exhibit.role == role:
                    return exhibit.stimulus.text
        return ""


@lru_cache(maxsize=64)
def questions_of(protocol_id: int, sha256: str) -> tuple[Question, ...]:
    """Return a protocol's questions, kept in memory: a version never changes."""
    return tuple(Question.objects.filter(protocol=protocol_id))


def load_page(user: User, public_id: UUID) -> RaterPage:
    """Return the page of an assignment that belongs to this person.

    Raises
    ------
    Assignment.DoesNotExist
        There is none, or it is somebody else's.
    """
    assignment = (
        Assignment.objects.of(user)
        .select_related("item", "rater__study__protocol")
        .get(public_id=public_id)
    )
    return page_of(assignment)


def page_of(assignment: Assignment) -> RaterPage:
    """Return the page of an assignment loaded with item, rater, study, protocol."""
    exhibits = Exhibit.objects.select_related("stimulus__recording")
    parts = list(
        Part.objects.filter(item=assignment.item_id).prefetch_related(
            Prefetch("exhibits", exhibits)
        )
    )
    protocol = assignment.rater.study.protocol
    return RaterPage(
        assignment=assignment,
        parts=parts,
        questions=questions_of(protocol.pk, protocol.sha256),
        exhibits=exhibits_by_name(parts, letters_of(assignment)),
    )


RECIPES: dict[str, str] = {
    # Competing replies are matched in loudness; how somebody spoke is a cue.
    Exhibit.Role.RESPONSE: Rendition.Recipe.MATCH,
    Exhibit.Role.HIDDEN_REFERENCE: Rendition.Recipe.MATCH,
    Exhibit.Role.ANCHOR: Rendition.Recipe.MATCH,
}


def recipe_for(exhibit: Exhibit) -> str:
    return RECIPES.get(exhibit.role, Rendition.Recipe.AS_IS)


def renditions_of(page: RaterPage) -> dict[str, Rendition]:
    """Return the served copy of each played exhibit, by exhibit name, in one query."""
    wanted: dict[tuple[int | None, str], list[str]] = {}
    for name, exhibit in page.exhibits.items():
        place = (exhibit.stimulus.recording_id, recipe_for(exhibit))
        wanted.setdefault(place, []).append(name)
    found: dict[str, Any] = {}
    rows = Rendition.objects.filter(recording__in={pk for pk, _ in wanted})
    for row in rows:
        for name in wanted.get((row.recording_id, row.recipe), []):
            found[name] = row
    return found
