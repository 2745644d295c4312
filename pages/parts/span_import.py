"""Placeholder."""


def spans_screen(project, file):
    return None
