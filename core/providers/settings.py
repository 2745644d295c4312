"""Which model server is spoken to, with which key: read from the environment or secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.errors import InputError, show

KEY = "ANTHROPIC_API_KEY"
BASE_URL = "ANTHROPIC_BASE_URL"
OWN_SERVER = "https://api.anthropic.com"
OLDER_SERVER = "EVALUATOR_BENCH_OLDER_SERVER"
_WHERE = f"Set {KEY} in the environment, or put it into .streamlit/secrets.toml"
_SECRET_HEADERS = ("authorization", "x-api-key", "proxy-authorization", "cookie")
_ON = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True)
class ServerSettings:
    """A server that speaks POST /v1/messages.

    `base_url` None is Anthropic's own. `older` also sends the key as X-Api-Key and names the
    protocol version of 2023, which servers of other makes ask for. `headers` are added to every
    request. `timeout` is the most seconds one call may take; None leaves it to the length of the
    reply asked for. Neither `repr` nor any message shows the key.
    """

    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    older: bool = False
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown, stored or logged."""
        hidden = [v for k, v in self.headers.items() if k.lower() in _SECRET_HEADERS]
        return tuple(s for s in (self.api_key, *hidden) if s)


def server_settings(
    environment: Mapping[str, str], secrets: Mapping[str, object] | None = None
) -> ServerSettings:
    """Return the settings that the environment and, where it says nothing, `secrets` hold.

    `secrets` is what the app was given (Streamlit's secrets); only texts in it are read.
    """

    def value(name: str) -> str | None:
        given = (environment.get(name), (secrets or {}).get(name))
        return next((g.strip() for g in given if isinstance(g, str) and g.strip()), None)

    older = (value(OLDER_SERVER) or "").lower() in _ON
    return ServerSettings(value(KEY), other_server(value(BASE_URL)), older)


def other_server(address: str | None) -> str | None:
    """Return an address, or None for Anthropic's own and for none."""
    return None if (address or "").rstrip("/") in ("", OWN_SERVER) else address


def ready(settings: ServerSettings) -> None:
    """Raise InputError, one line, when no call could be made with these settings.

    Sends nothing. A key is needed for Anthropic's own server; others may do without.
    """
    if settings.api_key is None and settings.base_url is None:
        raise InputError("model server", "there is no key.", f"{_WHERE}.")
    if settings.api_key is not None and not (
        settings.api_key.isascii() and settings.api_key.isprintable()
    ):
        raise InputError(
            "model server", "the key holds characters no key has.", f"Copy it again. {_WHERE}."
        )
    if settings.base_url is not None:
        _check_address(settings.base_url)


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        secret = parts.username is not None or parts.password is not None
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable, secret = False, "@" in address
    if secret:
        raise InputError(
            BASE_URL, "the address holds a name or a password.", f"Leave it out, and set {KEY}."
        )
    if not usable or parts.query or parts.fragment:
        raise InputError(
            BASE_URL,
            f"{show(address)} is not the address of a server.",
            "Write it like http://localhost:8080.",
        )
