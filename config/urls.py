"""Every address of the site."""

from django.urls import include, path

urlpatterns = [
    path("", include("annotate.urls")),
    path("", include("judging.urls")),
]
