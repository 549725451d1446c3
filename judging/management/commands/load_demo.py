"""Fill a demo site: its people, a study to rate, and a finished one to read."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotate.models import CorpusVersion, Study, User
from annotate.services.protocols import bundled_protocol
from annotate.views.account import DEMO_NAMES
from judging.models import System
from judging.reports.agreement import make_report
from judging.services.importing import import_folder
from judging.services.pairs import Plan, set_up_pairs
from judging.services.simulate import rate_by_simulation

FINISHED = "demo-finished"


class Command(BaseCommand):
    help = "Load the demo's people and studies; does nothing where they stand."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError(
                "The demo's people have open passwords: they exist with"
                " EARWITNESS_DEMO=1 alone. Use `make demo`."
            )
        people = {name: self.person(name) for name in DEMO_NAMES}
        imported = import_folder(
            settings.BASE_DIR / "demo" / "study", owner=people["researcher"]
        )
        if imported.study is None:
            raise CommandError("\n".join(imported.faults))
        annotators = [people[f"annotator{n}"] for n in range(1, 5)]
        study = imported.study
        if study.opened_at is None:
            systems = self.systems(study.corpus_version)
            plan = Plan(
                systems=systems, n_pairs=20, overlap=2, seed=1, raters=annotators
            )
            set_up_pairs(study, plan, people["researcher"])
        if not Study.objects.filter(slug=FINISHED).exists():
            self.finished_study(study.corpus_version, people["researcher"])

    def person(self, name: str) -> User:
        user = User.objects.filter(username=name).first()
        if user is None:
            user = User(
                username=name,
                is_superuser=name == "admin",
                is_staff=name == "admin",
                may_make_studies=name == "researcher",
            )
            user.set_password("demo")
            user.save()
        return user

    def systems(self, version: CorpusVersion | None) -> list[System]:
        code = version.corpus_code if version else ""
        return list(System.objects.filter(corpus_code=code).order_by("code"))

    def finished_study(self, version: CorpusVersion | None, owner: User) -> None:
        study = Study.objects.create(
            slug=FINISHED,
            title="Demo: a finished study, rated by simulated people and a judge",
            protocol=bundled_protocol("aeq-h"),
            corpus_version=version,
        )
        study.memberships.create(user=owner, role="owner")
        plan = Plan(systems=self.systems(version), n_pairs=60, overlap=3, seed=2)
        set_up_pairs(study, plan, owner)
        rate_by_simulation(study)
        study.refresh_from_db()
        make_report(study, lambda share, message: None)
