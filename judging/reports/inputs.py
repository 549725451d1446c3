"""What a report rests on, as one hash: equal inputs are one report."""

import hashlib
import json
from datetime import datetime

from django.db.models import Q

from annotate.models import Assignment, Exclusion, Study, Submission
from judging.reports.exports import ratings_csv

VERSION = 1
BOOTSTRAP = 1000
SEED = 0


def inputs_sha256(study: Study, *, bootstrap: int = BOOTSTRAP, seed: int = SEED) -> str:
    """Return the hash of the ratings, what is left out, and how figures are made.

    Loads no numeric library: a page may ask whether its report is still the latest.
    """
    found = hashlib.sha256()
    for line in ratings_csv(study):
        found.update(line.encode())
    assignments = study_state(study)
    how = [VERSION, bootstrap, seed, assignments]
    found.update(json.dumps(how, sort_keys=True).encode())
    return found.hexdigest()


def study_state(study: Study) -> list:
    """Return what the report counts besides ratings: exclusions and endings."""
    left_out = Exclusion.objects.filter(study=study, lifted_at__isnull=True)
    dealt = Assignment.objects.filter(item__study=study)
    questions = study.protocol.questions.order_by("position", "key")
    return [
        sorted(map(list, left_out.values_list("reason", "pk"))),
        [
            dealt.count(),
            dealt.filter(submitted_at__isnull=False).count(),
            dealt.filter(ended_at__isnull=False).count(),
            dealt.surplus().count(),
        ],
        [[one.key, one.label, one.points] for one in questions],
    ]


def changed_since(study: Study, moment: datetime) -> bool:
    """Return whether anything a report rests on has changed, without reading it all."""
    excluded = Q(at__gte=moment) | Q(lifted_at__gte=moment)
    return (
        Submission.objects.filter(
            Q(received_at__gte=moment) | Q(superseded_at__gte=moment),
            assignment__item__study=study,
        ).exists()
        or Exclusion.objects.filter(excluded, study=study).exists()
        or Assignment.objects.filter(item__study=study, ended_at__gte=moment).exists()
    )
