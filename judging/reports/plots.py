"""Plots of a report as SVG that a strict page can hold: no style and no script.

Altair and vl-convert are loaded inside the one function that draws, in the job.
"""

import re
from math import floor
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Figures = dict[str, Any]
INK = "currentColor"
# Poor to good, by place on the scale: apart in lightness, on white and on black.
SCALE_COLOURS = ("#8c510a", "#d8b365", "#9a9a9a", "#5ab4ac", "#01786c")
MARK = "#2a78b8"
COEFFICIENTS = {
    "exact": "Exact",
    "alpha_ordinal": "Ordinal alpha",
    "kappa_quadratic": "Quadratic kappa",
    "ac2_quadratic": "AC2",
}
CONFIG = {
    "background": None,
    "view": {"stroke": None},
    "font": "sans-serif",
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": INK,
        "gridOpacity": 0.15,
        "labelFontSize": 14,
        "titleFontSize": 14,
        "titleFontWeight": "normal",
        "labelLimit": 220,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 14,
        "titleFontSize": 14,
        "titleFontWeight": "normal",
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 14},
}


def plots(body: Figures) -> Figures:
    """Draw a report's plots.

    Parameters
    ----------
    body : dict
        What `build_report` returned.

    Returns
    -------
    dict
        `agreement`, and under `dimensions` for each key `distribution` and `systems`:
        SVG as text, empty where there is nothing to draw.
    """
    return {
        "agreement": _agreement(body["dimensions"]),
        "dimensions": {
            one["key"]: {"distribution": _distribution(one), "systems": _systems(one)}
            for one in body["dimensions"]
        },
    }


def _agreement(dimensions: list[Figures]) -> str:
    """Draw each coefficient of each dimension with its interval."""
    labels = [one["label"] for one in dimensions]
    rows = [
        {"dimension": one["label"], "name": shown} | _point(found)
        for one in dimensions
        for name, shown in COEFFICIENTS.items()
        if (found := one.get("coefficients", {}).get(name, {})).get("value") is not None
    ]
    if not rows:
        return ""
    import altair as alt

    chart = _intervals(
        rows,
        y=alt.Y("name:N", title=None, sort=list(COEFFICIENTS.values())),
        x_title="Agreement (0: as by chance for the coefficients), 95 % interval",
        domain=[min(0.0, *(floor(row["low"] * 5) / 5 for row in rows)), 1.0],
    ).facet(
        row=alt.Row(
            "dimension:N",
            title=None,
            sort=labels,
            header=alt.Header(labelAnchor="start", labelOrient="top", labelPadding=4),
        )
    )
    return _svg(chart, f"Agreement among people with intervals: {', '.join(labels)}")


def _systems(one: Figures) -> str:
    """Draw each system's mean with its interval, on the whole scale."""
    means = one.get("systems", {}).get("means", [])
    rows = [
        {"name": mean["system"]} | _point(mean)
        for mean in means
        if mean["value"] is not None
    ]
    if not rows:
        return ""
    import altair as alt

    rows.sort(key=lambda row: (-row["value"], row["name"]))
    points = sorted(point["value"] for point in one["points"])
    chart = _intervals(
        rows,
        y=alt.Y("name:N", title=None, sort=[row["name"] for row in rows]),
        x_title=f"Mean {one['label']} by people, 95 % interval",
        domain=[points[0], points[-1]],
    )
    return _svg(chart, f"Systems' means on {one['label']} with intervals")


def _distribution(one: Figures) -> str:
    """Draw the share of each point: all people, each person, each judge."""
    if not one.get("n_ratings"):
        return ""
    import altair as alt

    spread = one["distribution"]
    points = sorted(one["points"], key=lambda point: point["value"])
    names = [str(point.get("label") or point["value"]) for point in points]
    bars = {"All people": spread["shares"]}
    bars |= {rater: own["shares"] for rater, own in sorted(spread["raters"].items())}
    rows = [
        {"rater": rater, "point": name, "place": place, "share": share}
        for rater, shares in bars.items()
        for place, (name, share) in enumerate(zip(names, shares, strict=True))
        if share is not None
    ]
    chart = (
        alt.Chart(alt.Data(values=rows), width=480, height=alt.Step(26))
        .mark_bar()
        .encode(
            y=alt.Y("rater:N", title=None, sort=list(bars)),
            x=alt.X(
                "share:Q",
                title="Share of ratings",
                stack="zero",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            color=alt.Color(
                "point:N",
                title=None,
                sort=names,
                scale=alt.Scale(domain=names, range=_colours(len(names))),
                legend=alt.Legend(orient="top"),
            ),
            order=alt.Order("place:Q"),
        )
    )
    return _svg(chart, f"How often each point of {one['label']} was given")


def _colours(n: int) -> list[str]:
    """Return n colours over the whole range, so that the ends are always the ends."""
    last = len(SCALE_COLOURS) - 1
    return [SCALE_COLOURS[round(at * last / max(n - 1, 1))] for at in range(n)]


def _point(found: Figures) -> Figures:
    """Return a value and its interval, or the value twice where there is none."""
    value = found["value"]
    low, high = found.get("low"), found.get("high")
    return {
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
    }


def _intervals(rows: list[Figures], y: Any, x_title: str, domain: list[float]) -> Any:
    import altair as alt

    scale = alt.Scale(domain=domain, nice=False, zero=False)
    base = alt.Chart(width=440, height=alt.Step(26)).encode(y=y)
    bars = base.mark_rule(color=INK, strokeWidth=2).encode(
        x=alt.X("low:Q", title=x_title, scale=scale), x2="high:Q"
    )
    dots = base.mark_circle(color=MARK, size=90, opacity=1).encode(
        x=alt.X("value:Q", title=x_title, scale=scale)
    )
    return alt.layer(bars, dots, data=alt.Data(values=rows))


def _svg(chart: Any, title: str) -> str:
    import vl_convert

    spec = chart.to_dict() | {"config": CONFIG}
    return tidy(vl_convert.vegalite_to_svg(spec), title)


def tidy(svg: str, title: str) -> str:
    """Return an SVG named for those who cannot see it, in the page's own typeface.

    It keeps its width, so that a wide page does not blow it up; the height follows.

    Examples
    --------
    >>> tidy('<svg class="marks" width="9" height="4" viewBox="0 0 9 4"></svg>', "A")
    '<svg viewBox="0 0 9 4" width="9" role="img" aria-label="A"><title>A</title></svg>'

    Raises
    ------
    ValueError
        It holds what a page without inline code cannot hold.
    """
    head = re.match(r"<svg\b[^>]*>", svg)
    box = re.search(r'viewBox="[-\d. ]+"', head.group()) if head else None
    if head is None or box is None:
        raise ValueError("this is no SVG with a view box")
    inner = svg[head.end() :]
    inner = re.sub(r' (?:role|aria-[a-z]+|font-family)="[^"]*"', "", inner)
    if re.search(r"<(?:script|style|foreignObject|image|a)\b", inner) or re.search(
        r'<[^>]*\s(?:style|on\w+|(?:xlink:)?href)="', inner
    ):
        raise ValueError("a plot may hold no style, script or link")
    width = f' width="{box.group().split()[2]}"'
    xmlns = ' xmlns="http://www.w3.org/2000/svg"' if "xmlns=" in head.group() else ""
    return (
        f'<svg{xmlns} {box.group()}{width} role="img" aria-label={quoteattr(title)}>'
        f"<title>{escape(title)}</title>{inner}"
    )
