"""The command line: what the pages do to data, through the same functions.

`main` is the console script. Every command ends with 0 (done), 1 (a gate was not met) or 2
(unusable input, one line on stderr); a traceback is shown only with EVALUATOR_BENCH_DEBUG=1.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from core.cli import arithmetic, arms, contracts, importing, judging, looping, loops, measure
from core.cli.base import say
from core.errors import BenchError

DEBUG = "EVALUATOR_BENCH_DEBUG"

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Measure evaluators against people, and loops against trying again.",
)
for _commands in (measure, arithmetic, arms, contracts, loops, judging, looping, importing):
    _commands.register(app)


def main() -> None:
    """Run the command in the process's arguments and exit with its code."""
    raise SystemExit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; nothing escapes but a one-line message."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Half a surrogate pair in a model's text becomes \udxxx, which is what JSON calls it.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = app(
            list(arguments) or ["--help"], prog_name="evaluator-bench", standalone_mode=False
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, SystemExit):
        # The reader (head, say) has seen enough; typer turns that into an exit with 1, which
        # would read as a gate not met. Without the null device, Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "evaluator-bench"
        return _refuse(error, f"{command}: {error.format_message()} See {command} --help.")
    except BenchError as error:
        return _refuse(error, str(error))
    except (KeyboardInterrupt, typer.Abort) as error:
        return _refuse(error, "Interrupted.", 130)
    except Exception as error:
        problem = f"unexpected {type(error).__name__}: {error}"
        return _refuse(error, f"{problem} ({DEBUG}=1 shows where; please report it)")


def _refuse(error: BaseException, message: str, code: int = 2) -> int:
    if os.environ.get(DEBUG) == "1":
        raise error
    say(" ".join(message.split()))
    return code
