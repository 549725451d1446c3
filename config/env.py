"""Reads the site's settings from the environment; the README lists every variable."""

import os
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


def flag(name: str) -> bool:
    """Return whether the variable says yes; unset or empty is no."""
    given = text(name).strip().lower()
    if given in {"", "0", "no", "false", "off"}:
        return False
    if given in {"1", "yes", "true", "on"}:
        return True
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {given!r}.")


def words(name: str) -> list[str]:
    """Return the comma-separated words of a variable, without blanks."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def database(url: str, home: Path) -> dict:
    """Return Django's database settings for `url`; empty means SQLite in `home`.

    SQLite runs in WAL mode with immediate transactions: two writers then wait for
    each other at BEGIN instead of failing half-way through.
    """
    if not url:
        url = f"sqlite:///{home / 'earwitness.sqlite3'}"
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": (
                    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                    "PRAGMA foreign_keys=ON; PRAGMA cache_size=-16000;"
                ),
            },
        }
    if parts.scheme in {"postgres", "postgresql"}:
        query = dict(parse_qsl(parts.query))
        host = query.pop("host", "") or unquote(parts.hostname or "")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.lstrip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": host,
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 600,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": query,
        }
    raise ImproperlyConfigured(
        f"DATABASE_URL must start with postgresql:// or sqlite://, not {parts.scheme}."
    )
