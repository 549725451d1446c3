"""Read protocol files and keep each version of them once."""

import hashlib
import json
from pathlib import Path
from typing import Any

from django.db import transaction
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError

from annotate.errors import BadProtocol
from annotate.models import Protocol, Question, Study

LAYOUTS = (
    "screen",
    "context-group",
    "tone-group",
    "single",
    "pair",
    "group",
    "multi",
    "task",
    "staged",
)
POLICY = {
    "overlap": int,
    "gate": str,
    "lease_minutes": int,
    "spacing": int,
    "revisions": bool,
}
DEFAULT_POLICY = {
    "overlap": 2,
    "gate": "heard",
    "lease_minutes": 45,
    "spacing": 3,
    "revisions": True,
}
BUNDLED = Path(__file__).resolve().parent.parent / "protocols"


def bundled_protocol(slug: str) -> Protocol:
    """Return a protocol that comes with Earwitness, installing it when it is new.

    Raises
    ------
    BadProtocol
        No protocol of this name comes with Earwitness.
    """
    path = BUNDLED / f"{slug}.yaml"
    if path.parent != BUNDLED or not path.is_file():
        known = ", ".join(sorted(p.stem for p in BUNDLED.glob("*.yaml")))
        raise BadProtocol(f"There is no protocol {slug!r} here. Known: {known}.")
    return install_protocol(path.read_text(encoding="utf-8"), path.name)


@transaction.atomic
def install_protocol(text: str, name: str) -> Protocol:
    """Return the protocol written in `text`, stored with its questions.

    The same text again is the same row. A version is never changed: other text under
    a known slug and version is refused.

    Parameters
    ----------
    name : the file's name, for messages

    Raises
    ------
    BadProtocol
        The text breaks the schema, or the version exists with other content.
    """
    body = read_protocol(text, name)
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False)
    sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    protocol, is_new = Protocol.objects.get_or_create(
        slug=body["slug"],
        version=body["version"],
        defaults={"body": body, "sha256": sha256},
    )
    if protocol.sha256 != sha256:
        raise BadProtocol(
            f"{name}: {protocol} exists with other content. Give the changed protocol"
            " a new version."
        )
    if is_new:
        Question.objects.bulk_create(
            Question(
                protocol=protocol,
                key=asked["key"],
                position=position,
                stage=asked.get("stage", 1),
                target=asked["target"],
                kind=asked["kind"],
                label=asked["label"],
                points=asked.get("points", []),
                required=asked.get("required", True),
            )
            for position, asked in enumerate(body["questions"])
        )
    return protocol


def read_protocol(text: str, name: str) -> dict[str, Any]:
    """Return the protocol in `text` as plain data, checked against the schema.

    Raises
    ------
    BadProtocol
        Its text is `file:line: what and why`.
    """
    try:
        body = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise BadProtocol(f"{name}:{line}: not YAML: {error.problem}") from None
    if not isinstance(body, dict):
        raise BadProtocol(f"{name}:1: a protocol is a mapping of keys")
    _Reader(name).check(body)
    return json.loads(json.dumps(body))


class _Reader:
    """Checks one protocol and knows on which line a fault stands."""

    def __init__(self, name: str) -> None:
        self.name = name

    def refuse(self, holder: Any, key: Any, why: str) -> None:
        try:
            line = holder.lc.key(key)[0] if key in holder else holder.lc.line
        except (AttributeError, KeyError, TypeError):
            line = getattr(getattr(holder, "lc", None), "line", 0)
        raise BadProtocol(f"{self.name}:{line + 1}: {why}")

    def need(self, holder: dict, key: str, kind: type, where: str = "") -> Any:
        value: Any = holder.get(key)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(
                holder, key, f"{where}{key} must be {_WORDS[kind]}, not {value!r}"
            )
        if kind is str and not value.strip():
            self.refuse(holder, key, f"{where}{key} is empty")
        return value

    def check(self, body: dict) -> None:
        self.need(body, "slug", str)
        if self.need(body, "version", int) < 1:
            self.refuse(body, "version", "version must be 1 or more")
        self.need(body, "title", str)
        if self.need(body, "layout", str) not in LAYOUTS:
            self.refuse(body, "layout", f"layout must be one of {', '.join(LAYOUTS)}")
        self.check_policy(body.get("policy") or {}, body)
        questions = self.need(body, "questions", list)
        if not questions:
            self.refuse(body, "questions", "a protocol asks at least one question")
        seen: set[str] = set()
        for asked in questions:
            if not isinstance(asked, dict):
                self.refuse(body, "questions", "each question is a mapping of keys")
            self.check_question(asked, seen)

    def check_policy(self, policy: dict, body: dict) -> None:
        if not isinstance(policy, dict):
            self.refuse(body, "policy", "policy must be a mapping of keys")
        for key in policy:
            if key not in POLICY:
                known = ", ".join(POLICY)
                self.refuse(policy, key, f"policy has no {key!r}; known: {known}")
            self.need(policy, key, POLICY[key], "policy ")
        for key in ("overlap", "lease_minutes"):
            if policy.get(key, 1) < 1:
                self.refuse(policy, key, f"policy {key} must be 1 or more")
        if policy.get("gate", "heard") not in ("heard", "off"):
            self.refuse(policy, "gate", "policy gate must be heard or off")

    def check_question(self, asked: dict, seen: set[str]) -> None:
        key = self.need(asked, "key", str, "question ")
        where = f"question {key}: "
        if key in seen:
            self.refuse(asked, "key", f"question {key} is asked twice")
        seen.add(key)
        self.need(asked, "label", str, where)
        if self.need(asked, "target", str, where) not in Question.Target.values:
            self.refuse(asked, "target", f"{where}target must be item or part")
        kind = self.need(asked, "kind", str, where)
        if kind not in Question.Kind.values:
            known = ", ".join(Question.Kind.values)
            self.refuse(asked, "kind", f"{where}kind must be one of {known}")
        if kind in (Question.Kind.SCALE, Question.Kind.CHOICE):
            self.check_points(asked, kind, where)

    def check_points(self, asked: dict, kind: str, where: str) -> None:
        points = self.need(asked, "points", list, where)
        values = []
        for point in points:
            if not isinstance(point, dict):
                self.refuse(asked, "points", f"{where}each point is a mapping of keys")
            value = point.get("value")
            wanted = (int, float) if kind == Question.Kind.SCALE else (str,)
            if not isinstance(value, wanted) or isinstance(value, bool):
                self.refuse(point, "value", f"{where}value {value!r} is not usable")
            self.need(point, "label", str, where)
            if value in values:
                self.refuse(point, "value", f"{where}value {value!r} stands twice")
            values.append(value)
        if len(values) < 2:
            self.refuse(asked, "points", f"{where}a scale has at least two points")


_WORDS = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "a mapping",
}


def policy_of(study: Study) -> dict[str, Any]:
    """Return the study's policy: its own words over the protocol's over ours."""
    return {**DEFAULT_POLICY, **study.protocol.body.get("policy", {}), **study.policy}
