"""Checks on the values in an output read as JSON: a sum, an expression.

Both are worked out step by step under a budget, because a short expression can ask for more than
any machine has (`[@,@][] | [@,@][] | …` doubles a list with every step).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any

from core.checks.kind import Ask, CannotExamine, Found, Kind, Parameter, place, stopped
from core.checks.parsed import (
    FENCE_RULE,
    DecimalFloat,
    depth_exceeds,
    exact,
    is_number,
    parse,
    spelled,
    tree_size,
)
from core.errors import InputError, show

MAX_EXPRESSION = 2_000
MAX_EXPRESSION_DEPTH = 60
MAX_STEPS = 300_000
_PRECISION = 2_000


@lru_cache(maxsize=1)
def _engine() -> tuple[Any, Any]:
    """Return (interpreter class, functions) of JMESPath with ours added; imported when needed."""
    from jmespath import functions, visitor

    class Functions(functions.Functions):
        """JMESPath's functions, with a decimal `sum` and `close(a, b, tolerance)`."""

        @functions.signature({"types": ["array-number"]})
        def _func_sum(self, numbers: list[float]) -> float:
            with localcontext() as context:
                context.prec = _PRECISION
                total = sum((exact(n) for n in numbers), Decimal(0))
            if total == total.to_integral_value() and all(isinstance(n, int) for n in numbers):
                return int(total)
            made = DecimalFloat(total)
            made.decimal = total
            return made

        @functions.signature({"types": ["number"]}, {"types": ["number"]}, {"types": ["number"]})
        def _func_close(self, a: float, b: float, tolerance: float) -> bool:
            return _close(exact(a), exact(b), exact(tolerance))

    class Interpreter(visitor.TreeInterpreter):
        """Evaluates under a budget of steps; raises CannotExamine when it is spent."""

        left = MAX_STEPS

        def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
            value = super().visit(node, *args, **kwargs)
            self.left -= 1
            if isinstance(value, list | dict):
                # Only these two can make something larger than what they were given.
                doubled = node["type"] in ("multi_select_list", "multi_select_dict")
                self.left -= tree_size(value, self.left) if doubled else len(value)
            elif isinstance(value, str):
                self.left -= len(value) // 100
            if self.left < 0:
                raise stopped(
                    f"the expression needs more than {MAX_STEPS:,} steps for this output",
                    "Give less data.",
                )
            return value

    return Interpreter, Functions()


def _close(a: Decimal, b: Decimal, tolerance: Decimal) -> bool:
    with localcontext() as context:
        context.prec = _PRECISION
        return abs(a - b) <= tolerance


def _nodes(node: Any) -> Iterator[Any]:
    pending = [node]
    while pending:
        here = pending.pop()
        if isinstance(here, dict) and "type" in here:
            yield here
            pending.extend(here.get("children", ()))


def parse_expression(text: str, where: str) -> Any:
    """Return the syntax tree of a JMESPath expression; raises InputError naming `where`."""
    import jmespath
    from jmespath.exceptions import JMESPathError

    if len(text) > MAX_EXPRESSION:
        raise InputError(where, f"{len(text):,} characters is more than {MAX_EXPRESSION:,}.")
    try:
        tree: Any = jmespath.compile(text).parsed
    except (JMESPathError, ValueError) as error:
        reason = " ".join(str(error).split("\n")[0].split())
        raise InputError(where, f"{show(text)} is not JMESPath: {reason}.") from error
    except RecursionError as error:
        raise InputError(where, "it is too deeply nested.") from error
    if _depth(tree) > MAX_EXPRESSION_DEPTH:
        raise InputError(where, f"it is nested more than {MAX_EXPRESSION_DEPTH} levels deep.")
    table = _engine()[1].FUNCTION_TABLE
    for node in _nodes(tree):
        if node["type"] == "literal" and depth_exceeds(node["value"], MAX_EXPRESSION_DEPTH):
            raise InputError(where, f"it is nested more than {MAX_EXPRESSION_DEPTH} levels deep.")
        if node["type"] != "function_expression":
            continue
        name = node["value"]
        if name not in table:
            raise InputError(where, f"there is no function {show(name)}.",
                             f"There are {', '.join(sorted(table))}.")  # fmt: skip
        wanted, given = table[name]["signature"], len(node["children"])
        variadic = bool(wanted and wanted[-1].get("variadic"))
        if given < len(wanted) or (given > len(wanted) and not variadic):
            raise InputError(where, f"{name}() takes {len(wanted)} arguments, not {given}.")
    return tree


def _depth(tree: Any) -> int:
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [c for n in level for c in n.get("children", ()) if isinstance(c, dict)]
    return depth


def _evaluate(tree: Any, value: Any, shown: str) -> Any:
    """Return the value of the expression; raises CannotExamine when the output does not suit it."""
    from jmespath import visitor
    from jmespath.exceptions import JMESPathError

    interpreter, functions = _engine()
    try:
        return interpreter(visitor.Options(custom_functions=functions)).visit(tree, value)
    except (JMESPathError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        reason = show(" ".join(str(error).split()), 160)[1:-1]
        raise CannotExamine(
            f"{shown} cannot be worked out: {reason}", "Give the values it asks for."
        ) from error


def _worded(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return show(value) if isinstance(value, str) else spelled(value)


def _sides(tree: Any, value: Any, shown: str) -> str:
    """Return what the two sides of a comparison (or of close) come to, else an empty string."""
    children = tree.get("children", ())
    if tree["type"] == "and_expression":
        first = _evaluate(children[0], value, shown)
        return _sides(children[0] if first is not True else children[1], value, shown)
    if tree["type"] == "comparator" or tree.get("value") == "close":
        left, right = (_evaluate(child, value, shown) for child in children[:2])
        return f": {_worded(left)} on the left, {_worded(right)} on the right"
    return ""


def _expression(given: Mapping[str, Any]) -> Ask:
    text: str = given["expression"]
    tree = parse_expression(text, place("expression", "expression"))
    shown = show(text, 120)

    def ask(output: str, reference: str | None) -> Found:
        parsed = parse(output)
        result = _evaluate(tree, parsed.value, shown)
        if result is not True and result is not False:
            raise CannotExamine(
                f"{shown} gives {_worded(result)}, not true or false{parsed.note}",
                "Give the values it asks for.",
            )
        sides = _sides(tree, parsed.value, shown)
        answer = "true" if result else "false"
        return Found(
            result, f"{shown} is {answer}{sides}{parsed.note}",
            f"Make {shown} true.", f"Make {shown} false.",
        )  # fmt: skip

    return ask


def _sum_equals(given: Mapping[str, Any]) -> Ask:
    items = parse_expression(given["items"], place("sum_equals", "items"))
    total = parse_expression(given["total"], place("sum_equals", "total"))
    shown_items, shown_total = show(given["items"], 60), show(given["total"], 60)
    tolerance = exact(given.get("tolerance", 0))

    def ask(output: str, reference: str | None) -> Found:
        parsed = parse(output)
        parts = _evaluate(items, parsed.value, shown_items)
        whole = _evaluate(total, parsed.value, shown_total)
        if not isinstance(parts, list):
            raise CannotExamine(f"{shown_items} is {_worded(parts)}, not a list of numbers",
                                "Give the items as numbers.")  # fmt: skip
        if items["type"] == "projection":
            # A projection such as lines[].amount drops the entries that have none.
            every = _evaluate(items["children"][0], parsed.value, shown_items)
            if len(every) > len(parts):
                raise CannotExamine(
                    f"{len(every) - len(parts)} of {len(every)} entries of {shown_items} have no"
                    " number", "Give each item as a number.",
                )  # fmt: skip
        for index, part in enumerate(parts):
            if not is_number(part):
                raise CannotExamine(f"item {index + 1} of {shown_items} is {_worded(part)}, not a"
                                    " number", "Give each item as a number.")  # fmt: skip
        if not is_number(whole):
            raise CannotExamine(f"{shown_total} is {_worded(whole)}, not a number",
                                "Give the total as a number.")  # fmt: skip
        with localcontext() as context:
            context.prec = _PRECISION
            found = sum((exact(part) for part in parts), Decimal(0))
        within = f" (tolerance {tolerance:f})" if tolerance else ""
        return Found(
            _close(found, exact(whole), tolerance),
            f"the {len(parts)} items of {shown_items} add up to {_short(found)}, {shown_total} is "
            f"{_short(exact(whole))}{within}{parsed.note}",
            f"Make {shown_total} the sum of the items.",
            f"Make {shown_total} another number than the sum of the items.",
        )

    return ask


def _short(number: Decimal) -> str:
    text = f"{number:f}"
    return text if len(text) <= 40 else f"{number:.20g}"


def number_equality(expression: str, sample: str = "") -> str | None:
    """Return the part of an expression that compares numbers with == or !=, else None.

    A side is known to be a number when it is a fraction or a function that returns one, or when
    it comes to a number for `sample`; whole-number literals and length() are exact and fine.
    """
    try:
        tree = parse_expression(expression, "expression")
        value = parse(sample).value if sample.strip() else None
    except (InputError, CannotExamine):
        return None
    for node in _nodes(tree):
        if node["type"] == "comparator" and node["value"] in ("eq", "ne"):
            sides = [_inexact(child, value) for child in node["children"]]
            if any(sides):
                return "==" if node["value"] == "eq" else "!="
    return None


def _inexact(node: Any, value: Any) -> bool:
    if node["type"] == "literal":
        return isinstance(node["value"], float)
    if node["type"] == "function_expression":
        return node["value"] in ("sum", "avg", "to_number", "max", "min", "abs")
    if value is None:
        return False
    try:
        return isinstance(_evaluate(node, value, ""), float)
    except CannotExamine:
        return False


KINDS = (
    Kind(
        "sum_equals", "Items add up to a total",
        "Added as decimals, so 0.1 + 0.2 is 0.3. Items and total are JMESPath, such as"
        f" lines[].amount and total; the amounts are JSON numbers. {FENCE_RULE}",
        (
            Parameter("items", "expression", "Items", "Such as lines[].amount."),
            Parameter("total", "expression", "Total", "Such as total."),
            Parameter("tolerance", "number", "Tolerance", "Difference that still passes.",
                      required=False),
        ),
        _sum_equals, negatable=True,
    ),
    Kind(
        "expression", "An expression is true",
        "JMESPath over the output read as JSON, with close(a, b, tolerance) added; it must come"
        f" to true or false. Compare fractions with close, not with ==. {FENCE_RULE}",
        (Parameter("expression", "expression", "Expression",
                   "Such as close(sum(lines[].amount), total, `0.01`)."),),
        _expression, negatable=True,
    ),
)  # fmt: skip
