"""A study's whole report: every figure, its method, and the sentence it begins with."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from django.utils import timezone

from annotate.models import Question, Study
from judging.models import Judge, Report
from judging.reports import inputs, raters
from judging.reports.figures import How, of_judge, of_people, of_systems, ranking
from judging.reports.headline import headline, method
from judging.reports.tables import RatingRow, rating_rows
from stats.errors import StatsError
from stats.results import CONDITIONAL_ON_RATERS

Progress = Callable[[float, str], Any]
Figures = dict[str, Any]


def build_report(
    study: Study,
    *,
    bootstrap: int = inputs.BOOTSTRAP,
    seed: int = inputs.SEED,
    progress: Progress = lambda share, message: None,
) -> Figures:
    """Return every figure of the report, as JSON can hold it.

    Parameters
    ----------
    study : Study
    bootstrap, seed : int
        Resamples for each interval (0 for none), and where they start.
    progress : callable
        Told a share from 0 to 1 and what is being done.

    Returns
    -------
    dict
        `headline`, `counts`, `dimensions` (in the order of the protocol), `raters`,
        `method`. What is undefined is None, with a note.
    """
    progress(0, "Reading the ratings")
    rows = list(rating_rows(study))
    how = How(bootstrap=bootstrap, seed=seed)
    people = {row.rater for row in rows if row.rater_kind == "person"}
    others = {row.rater: row.rater_kind for row in rows if row.rater_kind != "person"}
    names = dict(
        Judge.objects.filter(rater__study=study).values_list("rater__code", "model")
    )
    dimensions = []
    questions = _scales(study)
    for place, question in enumerate(questions):
        progress(0.05 + 0.85 * place / len(questions), f"Computing {question.label}")
        mine = [row for row in rows if row.dimension == question.key]
        dimensions.append(_dimension(question, mine, people, others, names, how))
    progress(0.9, "Computing the table of raters")
    scales = {one.key: one.values for one in questions}
    return {
        "version": inputs.VERSION,
        "study": {"slug": study.slug, "title": study.title},
        "headline": headline(dimensions, len(people)),
        "n_people": len(people),
        "counts": raters.counts(study, rows),
        "dimensions": dimensions,
        "raters": raters.rater_table(study, rows, scales, people),
        "method": {
            "texts": method(bootstrap),
            "note": CONDITIONAL_ON_RATERS,
            "bootstrap": bootstrap,
            "seed": seed,
            "protocol": f"{study.protocol}",
            "protocol_sha256": study.protocol.sha256,
            "versions": {name: version(name) for name in ("numpy", "scipy", "Django")},
        },
    }


def make_report(
    study: Study, progress: Progress = lambda share, message: None
) -> Report:
    """Compute the study's report and store it; equal inputs are computed once.

    Parameters
    ----------
    study : Study
    progress : callable
        As for `build_report`.

    Returns
    -------
    Report
        Its body also holds the plots.
    """
    from judging.reports.plots import plots

    read_at = timezone.now()
    sha256 = inputs.inputs_sha256(study)
    known = Report.objects.filter(study=study, inputs_sha256=sha256).first()
    if known:
        progress(1, "Nothing changed since the last report")
        return known
    body = build_report(study, progress=progress)
    progress(0.95, "Drawing")
    body |= {"plots": plots(body), "read_at": read_at.isoformat()}
    report, _ = Report.objects.get_or_create(
        study=study, inputs_sha256=sha256, defaults={"body": body}
    )
    progress(1, "Done")
    return report


def _scales(study: Study) -> list[Question]:
    """Return the questions answered by a number on a scale, in protocol order."""
    scales = study.protocol.questions.filter(kind=Question.Kind.SCALE)
    return list(scales.order_by("position", "pk"))


def _dimension(
    question: Question,
    rows: list[RatingRow],
    people: set[str],
    others: dict[str, str],
    names: dict[str, str],
    how: How,
) -> Figures:
    """Return one dimension's figures: people's, each judge's, and the systems'."""
    points = question.values
    by_people = [row for row in rows if row.rater in people]
    found: Figures = {
        "key": question.key,
        "label": question.label,
        "points": question.points,
        "note": "",
    }
    try:
        found |= of_people(by_people, points, how)
        found["pair_ranking"] = ranking(by_people, how)
        found["systems"] = of_systems(by_people, points, how)
        found["judges"] = []
        for code, kind in sorted(others.items()):
            alone = [row for row in rows if row.rater == code]
            if not alone:
                continue
            with_people = by_people + alone
            found["judges"].append(
                {"rater": code, "kind": kind, "model": names.get(code, "")}
                | of_judge(with_people, points, code, people, how)
                | {"systems": of_systems(alone, points, how)}
            )
    except StatsError as error:
        found |= {"note": str(error), "judges": []}
    return found
