"""What researchers and administrators fill in."""

import ipaddress
import re
from pathlib import PurePath
from typing import cast
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from annotate.models import Study, User
from judging.models import Endpoint, System

MAX_ARCHIVE = 2 * 2**30


class ImportForm(forms.Form):
    """A study folder as a zip."""

    archive = forms.FileField(
        label=_("Study folder (zip)"),
        help_text=_("study.toml, utterances, contexts, instances … and audio"),
    )
    dry_run = forms.BooleanField(label=_("Only check, import nothing"), required=False)
    partial = forms.BooleanField(
        label=_("Import the good rows even if others are faulty"), required=False
    )

    def clean_archive(self):
        archive = self.cleaned_data["archive"]
        if PurePath(archive.name).suffix.lower() != ".zip":
            raise ValidationError(_("Choose a .zip file of the study folder."))
        if archive.size > MAX_ARCHIVE:
            raise ValidationError(_("The archive is larger than 2 GiB."))
        return archive


class PeopleField(forms.ModelMultipleChoiceField):
    """People, by the names they sign in with."""

    def label_from_instance(self, obj: Model) -> str:
        return str(obj)


class SetUpForm(forms.Form):
    """How many pairs, of which systems, for whom."""

    QUEUE, NAMED = "queue", "named"

    systems = forms.ModelMultipleChoiceField(
        label=_("Systems"),
        queryset=System.objects.none(),
        widget=forms.CheckboxSelectMultiple,
    )
    n_pairs = forms.IntegerField(
        label=_("Number of pairs"), min_value=1, max_value=1_000_000, initial=20
    )
    overlap = forms.IntegerField(
        label=_("Overlap"),
        min_value=1,
        max_value=50,
        initial=2,
        help_text=_("how many people rate each pair"),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31,
        initial=1,
        help_text=_("the same seed samples the same pairs"),
    )
    dealing = forms.ChoiceField(
        label=_("Dealing"),
        choices=[
            (QUEUE, _("Queue: whoever comes takes the next pair")),
            (NAMED, _("Named: every pair is given to its people now")),
        ],
        initial=QUEUE,
        widget=forms.RadioSelect,
    )
    raters = PeopleField(
        label=_("Annotators"),
        queryset=User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, *args, study: Study, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        version = study.corpus_version
        with_sound = System.objects.filter(
            corpus_code=version.corpus_code if version else "",
            responses__instance__version=version,
            responses__stimulus__recording__isnull=False,
        ).distinct()
        systems = cast("forms.ModelMultipleChoiceField", self.fields["systems"])
        raters = cast("forms.ModelMultipleChoiceField", self.fields["raters"])
        systems.queryset = with_sound.order_by("name")
        systems.initial = list(systems.queryset)
        raters.queryset = User.objects.filter(
            is_active=True, is_superuser=False, may_make_studies=False
        ).order_by("username")
        if raters.queryset.count() <= 12:
            raters.initial = list(raters.queryset)
        self.fields["overlap"].initial = study.overlap

    def clean(self):
        super().clean()
        found = self.cleaned_data
        raters, overlap = found.get("raters"), found.get("overlap")
        if raters is None or overlap is None:
            return found
        if len(raters) < overlap:
            self.add_error(
                "raters",
                _("Choose at least as many people as the overlap asks for."),
            )
        if len(found.get("systems") or []) < 2:
            self.add_error("systems", _("Choose two systems or more."))
        return found


class EndpointForm(forms.ModelForm):
    """Where a model is reached. The key itself never enters the site."""

    base_url = forms.URLField(
        label=_("Address"),
        max_length=300,
        assume_scheme="https",
        help_text=_("e.g. https://models.example.org/v1"),
    )

    class Meta:
        model = Endpoint
        fields = ("name", "base_url", "model", "key_name")
        help_texts = {
            "key_name": _(
                "name of the environment variable with the key, EARWITNESS_KEY_…;"
                " empty where none is needed"
            ),
        }

    def clean_base_url(self) -> str:
        url = self.cleaned_data["base_url"].rstrip("/")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.username or parts.query:
            raise ValidationError(_("Give a plain http or https address."))
        try:
            address = ipaddress.ip_address(parts.hostname or "")
        except ValueError:
            return url
        if address.is_link_local or address.is_multicast or address.is_unspecified:
            raise ValidationError(_("This address is never reached."))
        return url

    def clean_key_name(self) -> str:
        name = self.cleaned_data["key_name"]
        if name and not re.fullmatch(r"EARWITNESS_KEY_[A-Z0-9_]+", name):
            raise ValidationError(_("The name must look like EARWITNESS_KEY_NAME."))
        return name
