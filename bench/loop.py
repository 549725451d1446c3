"""The rating loop, measured as raters meet it: read a page, submit it, read the next.

A fresh PostgreSQL database is filled with pairs, the site is served by the server that
production runs, and 8 and 32 people work in a closed loop without a pause. The gate is
off, because nobody who never thinks can listen to the end. In the same run a view that
does nothing gives the floor. Ratios count; digits belong to one machine.
"""

import asyncio
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from config import ports
from tests import services

N_PAIRS = 2_000
N_PEOPLE = 32
OVERLAP = 3
SECONDS = 20.0
SLUG = "bench"
# Items per second recorded in shared/bench/README.md at 8 people, on two cores.
PEERS = {"Label Studio (recorded)": 8.0, "Potato (recorded)": 13.5}
ANSWERS = {
    f"{side}:{key}": 2
    for side in "AB"
    for key in ("coherence", "supportiveness", "delivery")
}


@dataclass
class Loop:
    """What one closed loop gave; times in seconds."""

    n_people: int
    wall_s: float = 0.0
    next_s: list[float] = field(default_factory=list)
    submit_s: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def items_per_s(self) -> float:
        return len(self.submit_s) / self.wall_s


def environment(folder: Path, database: str, broker: str) -> dict[str, str]:
    """Return the variables of a production-like site."""
    given = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": "a key for measuring, of fifty characters and some more",
        "EARWITNESS_HOME": str(folder),
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "DATABASE_URL": database,
        "REDIS_URL": broker,
    }
    for name in ("EARWITNESS_DEMO", "DEBUG", "BEHIND_HTTPS", "MEDIA_BUCKET"):
        given.pop(name, None)
    return given


def fill() -> list[str]:
    """Make the study and its people in this process; return their session keys."""
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import (
        BACKEND_SESSION_KEY,
        HASH_SESSION_KEY,
        SESSION_KEY,
    )
    from django.contrib.sessions.backends.db import SessionStore

    from tests.judging.small_study import PairStudy

    made = PairStudy(slug=SLUG, n_instances=N_PAIRS)
    made.study.policy = {"gate": "off", "overlap": OVERLAP}
    made.study.save()
    people = made.people(N_PEOPLE)
    made.set_up(N_PAIRS, people, overlap=OVERLAP)
    keys = []
    for user in people:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        keys.append(session.session_key)
    return keys


def audit() -> tuple[int, int]:
    """Return how many submissions are stored and how many items are over overlap."""
    from django.db.models import Count

    from annotate.models import Assignment, Submission

    over = (
        Assignment.objects.filter(submitted_at__isnull=False)
        .values("item")
        .annotate(n=Count("pk"))
        .filter(n__gt=OVERLAP)
    )
    return Submission.objects.count(), over.count()


async def person(base: str, key: str, ends: float, loop: Loop) -> None:
    async with httpx.AsyncClient(
        base_url=base, timeout=60, trust_env=False, cookies={"sessionid": key}
    ) as client:
        address = f"/studies/{SLUG}/work/"
        while time.perf_counter() < ends:
            began = time.perf_counter()
            page = await client.get(address, follow_redirects=True)
            loop.next_s.append(time.perf_counter() - began)
            if page.status_code != 200 or "/rate/" not in page.url.path:
                loop.errors.append(f"page {page.status_code}")
                return
            began = time.perf_counter()
            saved = await client.post(
                f"{page.url.path}submit/",
                json={"answers": ANSWERS, "client_key": str(uuid.uuid4())},
                headers={"X-CSRFToken": client.cookies["csrftoken"]},
            )
            if saved.status_code != 200:
                loop.errors.append(f"submit {saved.status_code} {saved.text[:80]}")
                address = f"/studies/{SLUG}/work/"
                continue
            loop.submit_s.append(time.perf_counter() - began)
            address = saved.json()["next"]


async def closed_loop(base: str, keys: list[str], seconds: float) -> Loop:
    loop = Loop(len(keys))
    began = time.perf_counter()
    await asyncio.gather(*(person(base, key, began + seconds, loop) for key in keys))
    loop.wall_s = time.perf_counter() - began
    return loop


async def floor(base: str, seconds: float, n_people: int = 8) -> float:
    """Return the requests per second of a view that does next to nothing."""
    n_done = 0
    began = time.perf_counter()

    async def ask() -> None:
        nonlocal n_done
        async with httpx.AsyncClient(base_url=base, trust_env=False) as client:
            while time.perf_counter() < began + seconds:
                (await client.get("/healthz/")).raise_for_status()
                n_done += 1

    await asyncio.gather(*(ask() for _ in range(n_people)))
    return n_done / (time.perf_counter() - began)


def percentile(times: list[float], share: float) -> float:
    """Return a percentile in milliseconds."""
    return 1000 * sorted(times)[int(share * (len(times) - 1))] if times else 0.0


def memory_mb(command_words: tuple[str, ...]) -> float:
    """Return the proportional memory of our children whose command has these words."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        try:
            if any(word in " ".join(process.cmdline()) for word in command_words):
                total += getattr(process.memory_full_info(), "pss", 0)
        except psutil.Error:
            continue
    return total / 2**20


def tell(loop: Loop, floor_per_s: float) -> None:
    next_ms = "/".join(f"{percentile(loop.next_s, p):.0f}" for p in (0.5, 0.95))
    submit_ms = "/".join(f"{percentile(loop.submit_s, p):.0f}" for p in (0.5, 0.95))
    print(
        f"{loop.n_people:3} people: {loop.items_per_s:6.1f} items/s;"
        f" next p50/p95 {next_ms} ms; submit p50/p95 {submit_ms} ms;"
        f" errors {len(loop.errors)} {sorted(set(loop.errors))[:3] or ''}"
    )
    ratios = [f"{2 * loop.items_per_s / floor_per_s:.2f} of the floor's requests"]
    ratios += [f"{loop.items_per_s / n:.1f} x {name}" for name, n in PEERS.items()]
    print(f"            {'; '.join(ratios)}")


@contextmanager
def site(folder: Path, env: dict[str, str]) -> Iterator[str]:
    """Serve the site as the production image does: two processes of eight threads."""
    from config.supervisor import web_command

    port = ports.free_port()
    command = web_command(port)
    command[command.index("--workers") + 1] = "2"
    with services.running(
        command,
        log=folder / "web.log",
        answers=lambda: ports.status_of(port, "/healthz/"),
        env=env,
    ):
        yield f"http://{ports.HOST}:{port}"


def run(seconds: float = SECONDS) -> int:
    """Measure and print; return 1 where an answer failed or an item went over."""
    folder = services.new_folder("bench")
    server = services.database(services.new_folder("pg"))
    queue = services.broker(services.new_folder("mq"))
    server.start()
    queue.start()
    name = f"earwitness_bench_{os.getpid()}"
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
    try:
        env = environment(folder, services.same_server(server.url, name), queue.url)
        return _run_on(folder, env, seconds)
    finally:
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _run_on(folder: Path, env: dict[str, str], seconds: float) -> int:
    os.environ |= env
    for part in ("media", "static"):
        (folder / part).mkdir()
    services.run_manage("migrate", env=env)
    services.run_manage("collectstatic", "--noinput", env=env)
    print(f"PostgreSQL {N_PAIRS} pairs, overlap {OVERLAP}, gate off (nobody listens)")
    keys = fill()
    from config.supervisor import worker_command

    with site(folder, env) as base:
        with services.running(
            worker_command(), folder / "worker.log", lambda: True, env=env
        ):
            time.sleep(6)
            print(f"idle web + worker: {memory_mb(('granian', 'celery')):.0f} MB (PSS)")
        floor_per_s = asyncio.run(floor(base, seconds / 4))
        print(f"floor (/healthz/, one trivial query): {floor_per_s:.0f} requests/s")
        loops = []
        for n_people in (8, N_PEOPLE):
            loops.append(asyncio.run(closed_loop(base, keys[:n_people], seconds)))
            tell(loops[-1], floor_per_s)
    n_stored, n_over = audit()
    n_sent = sum(len(loop.submit_s) for loop in loops)
    print(f"stored {n_stored} of {n_sent} acknowledged; items over overlap: {n_over}")
    failed = n_over or n_stored < n_sent or any(loop.errors for loop in loops)
    return 1 if failed else 0
