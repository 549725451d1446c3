"""Addresses of people, studies and their work."""

urlpatterns: list = []
