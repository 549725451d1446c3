"""Where models are reached: made by administrators; fetching by researchers."""

import uuid

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotate.services.jobs import queue_job
from annotate.views.signed_in import SignedInRequest
from judging.forms import EndpointForm
from judging.models import Call, Endpoint, System
from judging.views.studies import dispatch, own_study


@require_http_methods(["GET", "HEAD", "POST"])
def endpoints(request: SignedInRequest) -> HttpResponse:
    """List the endpoints and make new ones; for administrators alone."""
    if not request.user.is_superuser:
        raise Http404
    form = EndpointForm(request.POST or None)
    if form.is_valid():
        made = form.save(commit=False)
        made.made_by = request.user
        made.save()
        messages.success(request, _("The endpoint was added."))
        return redirect("endpoints")
    return render(
        request,
        "judging/endpoints.html",
        {"form": form, "endpoints": Endpoint.objects.order_by("name")},
    )


class FetchForm(forms.Form):
    """Which endpoint answers, and under which name in this study."""

    endpoint = forms.ModelChoiceField(queryset=Endpoint.objects.order_by("name"))
    name = forms.CharField(max_length=120)

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["endpoint"].label = _("Endpoint")
        self.fields["name"].label = _("Name of the system")


@require_http_methods(["GET", "HEAD", "POST"])
def fetch(request: SignedInRequest, slug: str) -> HttpResponse:
    """Fetch replies of one model to every instance of the study, as a job."""
    study = own_study(request, slug)
    if study.corpus_version is None:
        raise Http404
    form = FetchForm(request.POST or None)
    if form.is_valid():
        endpoint = form.cleaned_data["endpoint"]
        system, _new = System.objects.get_or_create(
            corpus_code=study.corpus_version.corpus_code,
            code=slugify(form.cleaned_data["name"]) or f"endpoint-{endpoint.pk}",
            defaults={
                "name": form.cleaned_data["name"],
                "outputs": ["audio", "text"],
                "endpoint": endpoint,
            },
        )
        if system.endpoint_id != endpoint.pk:
            form.add_error("name", _("Another system of this study has this name."))
        else:
            job, _new = queue_job(
                "fetch_responses",
                f"fetch_responses/{uuid.uuid4()}",
                study=study,
                requested_by=request.user,
                arguments={"systems": [system.pk]},
            )
            dispatch(job)
            return redirect("job", job.public_id)
    calls = Call.objects.filter(run__study=study).select_related("system", "instance")
    return render(
        request,
        "judging/fetch.html",
        {"study": study, "form": form, "calls": calls.order_by("-sent_at")[:50]},
    )
