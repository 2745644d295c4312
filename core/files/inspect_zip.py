"""The members of an Inspect `.eval` file, a ZIP of JSON documents, within stated limits.

An archive of a few kilobytes can spell out to gigabytes, so every member is read up to a limit
and all of them together up to another, whatever sizes the archive states.
"""

from __future__ import annotations

import importlib
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from core.errors import InputError, show
from core.files.jsonvalue import parse_json

MAX_MEMBER = 60_000_000
MAX_UNPACKED = 400_000_000
MAX_MEMBERS = 200_000
_ZSTD = 93
_SAMPLE = re.compile(r"samples/.+\.json")
_NO_ZSTD = (
    "Install zstandard (pip install zstandard), or write the log as JSON with "
    "`inspect log convert`."
)


class EvalFile:
    """An opened `.eval` file; raises InputError, one line, for one that cannot be read."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._data = data
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self.members = [info for info in self._zip.infolist() if not info.is_dir()]
        except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError) as error:
            raise InputError(
                name, "this log is cut off or damaged: its list of contents cannot be read.",
                "Copy it again; a log whose run died is repaired by `inspect log recover`.",
            ) from error  # fmt: skip
        if len(self.members) > MAX_MEMBERS:
            raise InputError(
                name, f"{len(self.members):,} files are in it, more than {MAX_MEMBERS:,}.",
                "Split the log.",
            )  # fmt: skip

    def header(self) -> dict[str, Any]:
        """Return what the log says of its run; of a run that never ended, what it began with."""
        names = {info.filename: info for info in self.members}
        for wanted in ("header.json", "_journal/start.json"):
            if wanted in names:
                found = self.json(names[wanted])
                if isinstance(found, dict):
                    return found
                raise InputError(f"{self.name}, {wanted}", "expected an object.")
        raise InputError(
            self.name, "this ZIP archive is no Inspect log: it has no header.json.",
            "Load the .eval file itself, or unpack the archive and load the file inside.",
        )  # fmt: skip

    def samples(
        self, progress: Callable[[float], None]
    ) -> Iterator[tuple[str, Any, InputError | None]]:
        """Yield (member, value, None) or (member, None, what is wrong with it) per sample."""
        members = [info for info in self.members if _SAMPLE.fullmatch(info.filename)]
        for number, info in enumerate(members, 1):
            try:
                value = self.json(info)
            except _TooMuch:
                raise
            except InputError as error:
                yield info.filename, None, error
            else:
                yield info.filename, value, None
            if number % 50 == 0 or number == len(members):
                progress(number / len(members))

    def json(self, info: zipfile.ZipInfo) -> Any:
        """Return the value in one member; raises InputError naming it."""
        place = f"{self.name}, {info.filename}"
        try:
            raw = self._zstd(info, place) if info.compress_type == _ZSTD else self._plain(info)
        except NotImplementedError as error:
            raise InputError(
                place, f"its compression ({info.compress_type}) is not known."
            ) from error
        except RuntimeError as error:
            raise InputError(place, "it is encrypted.", "Load a log without a password.") from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise InputError(place, "it is damaged.", "Copy the log again.") from error
        if len(raw) > MAX_MEMBER:
            raise InputError(place, f"it unpacks to more than {MAX_MEMBER // 1_000_000} MB.")
        self._unpacked += len(raw)
        if self._unpacked > MAX_UNPACKED:
            raise _TooMuch(
                self.name, f"it unpacks to more than {MAX_UNPACKED // 1_000_000} MB.",
                "Split the log, or write it without events and attachments.",
            )  # fmt: skip
        try:
            return parse_json(raw.decode("utf-8"), place)
        except UnicodeDecodeError as error:
            raise InputError(place, f"not UTF-8 text (byte {error.start}).") from error

    def _plain(self, info: zipfile.ZipInfo) -> bytes:
        with self._zip.open(info) as member:
            return member.read(MAX_MEMBER + 1)

    def _zstd(self, info: zipfile.ZipInfo, place: str) -> bytes:
        at = info.header_offset
        lengths = self._data[at + 26 : at + 30]
        at += 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        packed = self._data[at : at + info.compress_size]
        try:
            zstandard = importlib.import_module("zstandard")
        except ImportError as error:
            raise InputError(place, "it is compressed with zstd.", _NO_ZSTD) from error
        try:
            with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
                return bytes(reader.read(MAX_MEMBER + 1))
        except zstandard.ZstdError as error:
            raise InputError(place, "it is damaged.", "Copy the log again.") from error


class _TooMuch(InputError):
    """The whole archive is over the limit: no use to go on with the next member."""


def is_eval(data: bytes) -> bool:
    """Return whether the bytes are a ZIP archive that looks like an Inspect log."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    return any(
        mark in data[:4096] or mark in data[-65_536:] for mark in (b"_journal/", b"header.json")
    )


def shown(member: str) -> str:
    """Return the name of a member for a message."""
    return show(member, 60)
