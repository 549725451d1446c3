"""Plots as SVG."""


def plots(body):
    return {}
