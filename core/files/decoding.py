"""From the bytes of a file to its text: UTF-8 and marked UTF-16 are read, the rest is asked.

A wrong encoding does not fail, it changes letters: "café" becomes "cafĂ©" and nobody notices
until a label is attached to the wrong text. So nothing but UTF-8 and files with a byte-order
mark is read without a person saying what it is.
"""

from __future__ import annotations

import codecs

from core.errors import InputError, show
from core.files.problems import NeedsChoice

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAVE_AS = "Save the sheet as CSV (UTF-8) and load that."
_BINARY = (
    (b"%PDF", "a PDF", "Export the table as CSV or JSONL and load that."),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file", _SAVE_AS),
    (b"\x89PNG", "a PNG image", "Load the table as CSV or JSONL."),
    (b"\xff\xd8\xff", "a JPEG image", "Load the table as CSV or JSONL."),
    (b"GIF8", "a GIF image", "Load the table as CSV or JSONL."),
    (b"\x1f\x8b", "a gzip archive", "Unpack it and load the file inside."),
    (b"7z\xbc\xaf", "a 7z archive", "Unpack it and load the file inside."),
    (b"SQLite format 3", "a SQLite database", "Export the table as CSV and load that."),
    (b"PAR1", "a Parquet file", "Export it as CSV or JSONL and load that."),
)
# High letters and signs of Western European text under cp1252. Short texts leave a statistical
# guess undecided between half a dozen code pages; if every high byte is one of these, it is this.
_WESTERN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœ€£§°©®™«»‹›‘’‚“”„–—…•·¿¡½¼¾²³´\xa0"
)


def refuse_binary(data: bytes, name: str) -> None:
    """Raise InputError saying what the file is when its first bytes show that it is no text."""
    for magic, what, remedy in _BINARY:
        if data.startswith(magic):
            raise InputError(name, f"this is {what}, not a table in text.", remedy)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        head = data[:20_000]
        if b"xl/" in head:
            raise InputError(name, "this is an Excel workbook, not a table in text.", _SAVE_AS)
        if b"word/" in head:
            raise InputError(name, "this is a Word document, not a table in text.", _SAVE_AS)
        raise InputError(name, "this is a ZIP archive.", "Unpack it and load the file inside.")
    if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise InputError(
            name, "this is a web page, not a table.", "Download the file itself and load that."
        )


def decode(data: bytes, name: str, encoding: str | None) -> tuple[str, str]:
    """Return the text of `data` without a byte-order mark, and the encoding it was read in.

    `encoding` is a person's choice and is taken at its word. Raises NeedsChoice when there is
    none and the bytes are neither UTF-8 nor marked; InputError when the choice does not fit.
    """
    if encoding is not None:
        return _as_chosen(data, name, encoding)
    for mark, codec in _MARKS:
        if data.startswith(mark):
            text, _ = _as_chosen(data, name, codec)
            return text, codec.removesuffix("-sig")
    wide = _unmarked_utf16(data)
    if wide is not None:
        raise _ask(data, name, "looks like UTF-16 without its mark", wide, 0)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        mixed = not data[: error.start].isascii()
        problem = f"not UTF-8 from line {line} on" + (
            " (the lines before it are: two encodings may be mixed)" if mixed else ""
        )
        raise _ask(data, name, problem, _guess(data, error.start), error.start) from None


def _as_chosen(data: bytes, name: str, encoding: str) -> tuple[str, str]:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}, line {line}",
            f"cannot be read as {encoding} ({error.reason}).",
            "Choose another encoding.",
        ) from error
    except (LookupError, ValueError) as error:
        raise InputError(
            name, f"{show(encoding)} is not a text encoding.", "Try utf-8, cp1252 or utf-16."
        ) from error
    return text.removeprefix("\ufeff"), codecs.lookup(encoding).name


def _unmarked_utf16(data: bytes) -> str | None:
    """Return the UTF-16 whose plain letters would explain zeros at every other byte."""
    head = data[:2000]
    half = len(head) // 2
    if half and head[1::2].count(0) > 0.6 * half:
        return "utf-16-le"
    return "utf-16-be" if half and head[0::2].count(0) > 0.6 * half else None


def _guess(data: bytes, at: int) -> str:
    sample = data[max(0, at - 2_000) : at + 30_000]
    try:
        western = {c for c in data[at : at + 30_000].decode("cp1252") if ord(c) > 127} <= _WESTERN
    except UnicodeDecodeError:
        western = False
    if western:
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    guess = None if best is None else best.encoding
    return "cp1252" if guess in (None, "utf_8", "ascii") else str(guess)


def _ask(data: bytes, name: str, problem: str, guess: str, at: int) -> NeedsChoice:
    start = data.rfind(b"\n", 0, at) + 1
    stop = data.find(b"\n", at)
    stop = len(data) if stop < 0 or guess.startswith("utf-16") else stop
    line = data[start : min(stop, max(at, start) + 200)].decode(guess, "replace")
    shown = line.strip()[-160:] if at - start > 160 else line.strip()[:160]
    return NeedsChoice(
        name,
        f"{problem}; it reads as {guess}: {show(shown)}.",
        f"Say which encoding it is (--encoding {guess}), or save it as UTF-8.",
        field="encoding",
        guess=guess,
        preview=shown,
    )
