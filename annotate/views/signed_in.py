"""What a page may rely on: no view but the sign-in is reached without an account."""

from django.http import HttpRequest

from annotate.models import User


class SignedInRequest(HttpRequest):
    """A request that has passed LoginRequiredMiddleware; for the types alone."""

    user: User
