"""The start page, signing in and out, and the demo's open door."""

import json

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView
from django.db import connection
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotate.models import Rater, Study, User
from annotate.views.rate import rater_key

DEMO_NAMES = (
    "annotator1",
    "annotator2",
    "annotator3",
    "annotator4",
    "researcher",
    "admin",
)


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Say that the site answers and reaches its database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show each person what they can go on with."""
    if not request.user.is_authenticated:
        people = DEMO_NAMES if settings.DEMO else ()
        return render(request, "annotate/welcome.html", {"demo_people": people})
    user = request.user
    work = (
        Rater.objects.filter(user=user, study__deleted_at__isnull=True)
        .select_related("study")
        .annotate(
            n_done=Count(
                "assignments", filter=Q(assignments__submitted_at__isnull=False)
            )
        )
        .order_by("-study__created_at")
    )
    return render(
        request,
        "annotate/home.html",
        {
            "work": work,
            "studies": Study.objects.seen_by(user).order_by("-created_at")[:200],
            "may_import": user.may_make_studies or user.is_superuser,
        },
    )


@method_decorator([login_not_required, never_cache], name="dispatch")
class SignIn(LoginView):
    """The sign-in page."""

    template_name = "annotate/sign_in.html"
    redirect_authenticated_user = True


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session; recordings and drafts leave this browser too."""
    logout(request)
    response = redirect("home")
    response["Clear-Site-Data"] = '"cache", "storage"'
    return response


@login_not_required
@require_POST
def sign_in_demo(request: HttpRequest) -> HttpResponse:
    """Sign in as one of the demo's people; there is no such door outside the demo."""
    name = request.POST.get("username", "")
    if not settings.DEMO or name not in DEMO_NAMES:
        raise Http404
    user = authenticate(request, username=name, password="demo")
    if user is None:
        raise Http404
    login(request, user)
    return redirect("home")


@login_not_required
@ensure_csrf_cookie
@require_http_methods(["GET", "POST"])
def sign_in_here(request: HttpRequest) -> HttpResponse:
    """Sign in without leaving the page that is open, if it is that person's page."""
    if request.method == "GET":
        return JsonResponse({"signed_in": request.user.is_authenticated})
    try:
        posted = json.loads(request.body)
        name, password = str(posted["username"]), str(posted["password"])
    except (ValueError, KeyError, TypeError):
        return JsonResponse({"message": "Give a name and a password."}, status=400)
    user = authenticate(request, username=name, password=password)
    if user is None:
        said = "The name and the password do not fit together."
        return JsonResponse({"message": said}, status=400)
    if not _is_page_of(user, str(posted.get("rater", ""))):
        said = (
            "This page belongs to somebody else. Nothing of it was sent. Sign in as"
            " the person who opened it, or go to the start page."
        )
        return JsonResponse({"same": False, "message": said})
    login(request, user)
    return JsonResponse({"same": True})


def _is_page_of(user: User, key: str) -> bool:
    return any(rater_key(rater) == key for rater in Rater.objects.filter(user=user))
