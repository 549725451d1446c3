"""How the pages' scripts and the server speak: JSON in, JSON out, errors in words."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST

from annotate.errors import IncompleteAnswers, StaleRevision, WorkEnded
from annotate.models import Assignment
from annotate.services.page import RaterPage, load_page
from annotate.views.signed_in import SignedInRequest

Posted = dict[str, Any]
View = Callable[[SignedInRequest, RaterPage, Posted], dict[str, Any]]


def on_own_page(
    view: View,
) -> Callable[Concatenate[SignedInRequest, ...], HttpResponse]:
    """Give the view the page of the person's own assignment and the posted JSON.

    401 asks to sign in (in place, the form stays), 404 is somebody else's page, 409
    is another tab's newer answers, 410 is work that ended, 400 names each fault.
    """

    @login_not_required
    @require_POST
    @wraps(view)
    def answer(request: SignedInRequest, public_id: UUID) -> HttpResponse:
        if not request.user.is_authenticated:
            return JsonResponse({"message": "Sign in to go on."}, status=401)
        try:
            posted = json.loads(request.body or b"{}", parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return JsonResponse({"message": "That was not JSON."}, status=400)
        if not isinstance(posted, dict):
            return JsonResponse({"message": "Post one JSON object."}, status=400)
        try:
            page = load_page(request.user, public_id)
        except Assignment.DoesNotExist:
            raise Http404 from None
        try:
            return JsonResponse(view(request, page, posted))
        except IncompleteAnswers as error:
            return JsonResponse({"faults": error.faults}, status=400)
        except StaleRevision as error:
            return JsonResponse(
                {
                    "message": str(error),
                    "stored": {"answers": error.stored},
                    "answers": error.stored,
                    "version": error.revision,
                    "revision": error.revision,
                },
                status=409,
            )
        except WorkEnded as error:
            return JsonResponse({"message": str(error)}, status=410)

    return answer


def _no_constant(name: str) -> None:
    """Refuse NaN and Infinity, which are not JSON and no database stores them."""
    raise ValueError(f"{name} is not JSON")


@ensure_csrf_cookie
@login_not_required
def stale_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a post whose token does not fit; scripts then fetch a fresh one."""
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"csrf": True}, status=403)
    return HttpResponse(
        "This form was open for too long, or cookies are off."
        " Go back, reload the page and send it again.",
        status=403,
        content_type="text/plain",
    )
