"""The library behind Evaluator Bench: no screen, no network, usable from any Python program."""

__version__ = "0.1.0"
