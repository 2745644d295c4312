"""`python -m core` is the console script `evaluator-bench`."""

from core.cli import main

main()
