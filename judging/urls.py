"""Addresses of systems, judges and reports."""

urlpatterns: list = []
