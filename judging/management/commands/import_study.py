"""Import a study folder (or a zip of one)."""

import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.errors import AnnotateError
from annotate.models import User
from judging.services.archives import unpack
from judging.services.importing import Imported, import_folder


class Command(BaseCommand):
    help = "Import a study folder or a zip of one; lists every fault by file and line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="only check")
        parser.add_argument("--partial", action="store_true", help="take good rows")
        parser.add_argument("--owner", help="user name of the study's owner")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = self.owner(options["owner"])
        try:
            imported = self.run(options["folder"], owner, options)
        except AnnotateError as error:
            raise CommandError(str(error)) from None
        for line in [*imported.faults, *imported.cautions]:
            self.stderr.write(line)
        counts = ", ".join(f"{n} {kind}" for kind, n in imported.counts.items())
        if options["dry_run"]:
            self.stdout.write(f"Checked {counts}: {len(imported.faults)} faults.")
        elif imported.unchanged:
            self.stdout.write("Nothing has changed since the last import.")
        elif imported.study:
            self.stdout.write(f"Imported {counts} as study {imported.study.slug}.")
        if imported.faults and not imported.study:
            raise CommandError(f"{len(imported.faults)} faults; nothing was imported.")

    def owner(self, name: str | None) -> User | None:
        people = User.objects.order_by("id")
        if name:
            found = people.filter(username=name).first()
            if found is None:
                raise CommandError(f"There is no user {name!r}.")
            return found
        return (
            people.filter(may_make_studies=True, is_superuser=False).first()
            or people.filter(is_superuser=True).first()
        )

    def run(self, given: Path, owner: User | None, options: dict) -> Imported:
        asked = {k: options[k] for k in ("dry_run", "partial")}
        if given.is_file():
            with tempfile.TemporaryDirectory() as folder:
                return import_folder(unpack(given, Path(folder)), owner=owner, **asked)
        return import_folder(given, owner=owner, **asked)
