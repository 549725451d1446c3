"""The one true sentence that a report begins with, and how its numbers were made."""

from typing import Any

Figures = dict[str, Any]
WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def headline(dimensions: list[Figures], n_people: int) -> str:
    """Return what the report says first: agreement by dimension, best to worst.

    "Well beyond chance" is said only where the whole interval of ordinal alpha lies
    above one half, "beyond chance" where it lies above 0, and "not shown to" where it
    does not; without an interval the figure stands alone.
    """
    if n_people == 0:
        return "No person has rated anything yet."
    if n_people == 1:
        return "One person has rated so far, so there is no agreement to report."
    known = [one for one in dimensions if _alpha(one).get("value") is not None]
    if not known:
        notes = {_alpha(one).get("note") or one.get("note", "") for one in dimensions}
        why = "; ".join(sorted(notes - {""})) or "nothing was rated twice"
        return f"{_people(n_people)} rated; no agreement can be computed: {why}."
    phrases: dict[str, list[str]] = {}
    for one in sorted(known, key=lambda each: -_alpha(each)["value"]):
        phrases.setdefault(_verb(_alpha(one)), []).append(
            f"on {_name(one)} (alpha {_figure(_alpha(one))})"
        )
    said = "; they ".join(f"{verb} {_and(names)}" for verb, names in phrases.items())
    for one in dimensions:
        if one not in known:
            why = _alpha(one).get("note") or one.get("note", "")
            said += f"; on {_name(one)} nothing can be said: {why}"
    return f"{_people(n_people)} {said}."


def _name(dimension: Figures) -> str:
    """Return the label as it stands inside a sentence; an acronym stays as it is."""
    label = str(dimension["label"])
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _alpha(dimension: Figures) -> Figures:
    return dict(dimension.get("coefficients", {}).get("alpha_ordinal", {}))


def _verb(alpha: Figures) -> str:
    low = alpha["low"]
    if low is None:
        return "agree, without an interval yet,"
    if low > 0.5:
        return "agree well beyond chance"
    if low > 0:
        return "agree beyond chance"
    return "are not shown to agree beyond chance"


def _figure(alpha: Figures) -> str:
    if alpha["low"] is None:
        return f"{alpha['value']:.2f}"
    return f"{alpha['value']:.2f}, {alpha['low']:.2f} to {alpha['high']:.2f}"


def _people(n: int) -> str:
    return f"{WORDS[n] if n < len(WORDS) else n} people"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def method(bootstrap: int) -> list[str]:
    """Return how every kind of figure in the report was computed."""
    return [
        "A unit is one reply in one item, per dimension. Only submissions that stand"
        " count: rating duty, first occasion, real tasks, within the overlap, under no"
        " exclusion. Trap, gold and training items, repeats and adjudications do not.",
        "People are raters of kind person. Judges and imported raters are compared with"
        " them one by one and enter no figure of people's agreement or systems' means.",
        "Exact and within-one agreement: mean over units of the share of pairs of"
        " ratings that are equal, or at most one point of the scale apart; the"
        " expectation is what independent raters with the pooled margins give.",
        "Ordinal alpha: Krippendorff (2011), 1 - observed / expected disagreement over"
        " the coincidence matrix. Quadratic kappa and Cohen's kappa: Cohen (1968,"
        " 1960), mean over pairs of raters weighted by shared units, pairs under 10"
        " units dropped. AC1 and AC2 (quadratic weights): Gwet (2008, 2014).",
        "Pair ranking: within an item, do two raters order the two replies alike?"
        " Strict: same order, ties equal to ties only; expected t1 t2 + (1 - t1)(1 -"
        " t2) / 2. Tie-tolerant: anything but opposite orders; expected 1 - (1 - t1)"
        "(1 - t2) / 2; t is a rater's share of ties. Corrected: (A - E) / (1 - E)."
        " Pairs of raters weigh by the items they share.",
        "A judge is set against each person on the units both rated, and people against"
        " each other on the same units. Bias: judge less people's mean.",
        "System means: every reply counts once. Differences: within the instance, with"
        " an interval for each and one that holds for all pairs at once; p by t-test"
        " over groups, Holm's correction.",
        "First side: share of items in which the reply shown first got more over all"
        " dimensions, without ties; exact binomial test against a half, false discovery"
        " rate by Benjamini and Hochberg (1995).",
        f"Intervals are 95 %, by {bootstrap:,} resamples of whole groups (the top-most"
        " shared source); none under 10 groups, with a warning under 30. They take the"
        " raters as given and say nothing about other raters.",
    ]
