"""What goes wrong in reading an invoice: values the schema refuses, values that only look right."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from typing import Any

from sample_data.writing import pick

FIELDS = (
    "invoice_number", "invoice_date", "due_date", "vendor_name", "vendor_tax_id", "customer_name",
    "currency", "net_amount", "tax_amount", "gross_amount", "iban", "line_count",
)  # fmt: skip
MISSING = object()
"""A refused "value": the field is not there at all."""

Invoice = dict[str, Any]
_SIGN = {"EUR": "€", "GBP": "£", "CHF": "Fr.", "USD": "$"}
_NUMBERS = ("zero", "one", "two", "three", "four", "five")


def day_in_words(iso: str) -> str:
    """Return 2025-03-04 as "4 March 2025"."""
    day = date.fromisoformat(iso)
    months = ("January", "February", "March", "April", "May", "June", "July", "August",
              "September", "October", "November", "December")  # fmt: skip
    return f"{day.day} {months[day.month - 1]} {day.year}"


def day_with_points(iso: str) -> str:
    """Return 2025-03-04 as "04.03.2025"."""
    year, month, day = iso.split("-")
    return f"{day}.{month}.{year}"


def grouped(text: str, size: int = 4) -> str:
    """Return a number as it is printed, in groups."""
    return " ".join(text[i : i + size] for i in range(0, len(text), size))


def _refused_date(true: Invoice, field: str) -> list[Any]:
    return [day_with_points(true[field]), day_in_words(true[field]), true[field].replace("-", "/")]


def _refused_name(true: Invoice, field: str) -> list[Any]:
    return [None, "", [true[field]], f"{true[field]}\n{true['vendor_tax_id']}"]


def _refused_amount(true: Invoice, field: str) -> list[Any]:
    amount = f"{true[field]:,.2f}"
    swapped = amount.translate(str.maketrans(",.", ".,"))
    return [amount, swapped, f"{amount} {true['currency']}", None]


_REFUSED: dict[str, Callable[[Invoice, str], list[Any]]] = {
    "invoice_number": lambda t, f: [f"No. {t[f]}", t[f].replace("-", " "), int(t[f][-5:])],
    "invoice_date": _refused_date,
    "due_date": lambda t, f: [*_refused_date(t, f), "30 days net"],
    "vendor_name": _refused_name,
    "vendor_tax_id": lambda t, f: [grouped(t[f], 3), t[f][2:], f"VAT {t[f]}"],
    "customer_name": _refused_name,
    "currency": lambda t, f: [_SIGN[t[f]], t[f].lower(), f"{t[f]} incl. VAT"],
    "net_amount": _refused_amount,
    "tax_amount": _refused_amount,
    "gross_amount": _refused_amount,
    "iban": lambda t, f: [grouped(t[f]), f"IBAN {t[f]}", None],
    "line_count": lambda t, f: [str(t[f]), _NUMBERS[t[f]], 0],
}


def refused(rng: random.Random, true: Invoice, field: str) -> Any:
    """Return a value for `field` that the schema refuses, now and then MISSING."""
    return pick(rng, [*_REFUSED[field](true, field), *_REFUSED[field](true, field), MISSING])


def _misread(text: str) -> str:
    """Return `text` with its last digit read as another that looks like it."""
    looks = dict(zip("0123456789", "8778965134", strict=True))
    return text[:-1] + looks[text[-1]]


def _wrong_date(iso: str) -> str:
    year, month, day = iso.split("-")
    if int(day) <= 12 and day != month:
        return f"{year}-{day}-{month}"
    return f"{int(year) - 1}-{month}-{day}"


_WRONG: dict[str, Callable[[Invoice], Any]] = {
    "invoice_number": lambda t: _misread(t["invoice_number"]),
    "invoice_date": lambda t: _wrong_date(t["invoice_date"]),
    "due_date": lambda t: t["invoice_date"],
    "vendor_name": lambda t: t["customer_name"],
    "vendor_tax_id": lambda t: _misread(t["vendor_tax_id"]),
    "customer_name": lambda t: t["vendor_name"],
    "currency": lambda t: "USD" if t["currency"] == "EUR" else "EUR",
    "net_amount": lambda t: round(t["net_amount"] + 9, 2),
    "tax_amount": lambda t: t["net_amount"],
    "gross_amount": lambda t: round(t["gross_amount"] * 10, 2),
    "iban": lambda t: _misread(t["iban"]),
    "line_count": lambda t: t["line_count"] + 1,
}


def wrong(true: Invoice, field: str) -> Any:
    """Return a value for `field` that the schema allows and that is not the one on the invoice."""
    return _WRONG[field](true)
