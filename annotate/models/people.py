"""Who signs in."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """One person who can sign in. A site administrator is a superuser."""

    may_make_studies = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.get_username()
