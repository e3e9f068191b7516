"""Verification of webhooks by the Standard Webhooks scheme."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

from .ed25519 import is_signed
from .errors import WebhookVerificationError


class WebhookNotification(TypedDict):
    """Body of a webhook, and item of the notification feed."""

    webhook_history_id: str
    webhook_id: str
    organization_id: str
    notification_type: str
    create_time: str
    data: dict[str, Any]


def _header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookVerificationError(f"The header {name} is missing")


# Maximum number of signatures that are checked, so that a request of an attacker with many signatures costs little.
_MAX_SIGNATURES = 16


def _listed(one_or_more: Union[str, Sequence[str]]) -> Sequence[str]:
    return [one_or_more] if isinstance(one_or_more, str) else one_or_more


def _signatures(header: str, version: str) -> list[bytes]:
    found = []
    for one in header.split(" "):
        name, _, signature = one.partition(",")
        try:
            if name == version:
                found.append(base64.b64decode(signature, validate=True))
        except ValueError:
            pass
    return found[:_MAX_SIGNATURES]


def _key(text: str, prefix: str, size: Optional[int] = None) -> bytes:
    """Decodes a secret or a public key. ``size`` is its number of bytes; if it is None, any number but 0."""
    try:
        key = base64.b64decode(text.removeprefix(prefix), validate=True)
    except ValueError:
        key = b""
    if not key or (size is not None and len(key) != size):
        raise WebhookVerificationError("A given secret or public key is malformed")
    return key


def _matches_secret(secret: bytes, content: bytes, header: str) -> bool:
    expected = hmac.new(secret, content, hashlib.sha256).digest()
    return any(hmac.compare_digest(one, expected) for one in _signatures(header, "v1"))


def _matches_key(public_key: bytes, content: bytes, header: str) -> bool:
    return any(is_signed(public_key, content, one) for one in _signatures(header, "v1a"))


def _is_recent(timestamp: str, now: float, tolerance: float) -> bool:
    try:
        return abs(now - float(timestamp)) <= tolerance
    except ValueError:
        return False


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]] = (),
    *,
    public_key: Union[str, Sequence[str]] = (),
    tolerance: float = 300,
    now: Optional[float] = None,
) -> WebhookNotification:
    """Verifies a webhook and returns its notification.

    ``body`` is the body as it was received. Pass the webhook's ``secret`` (``whsec_…``) or its ``public_key``
    (``whpk_…``) from GetWebhook, or two of them during a rotation. ``tolerance`` is the maximum difference
    between the timestamp of the webhook and ``now`` in seconds. Raises ``WebhookVerificationError`` if the webhook must
    not be trusted.
    """
    raw = body.encode() if isinstance(body, str) else body
    identifier = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    if not _is_recent(timestamp, time.time() if now is None else now, tolerance):
        raise WebhookVerificationError("The webhook is too old, or its timestamp is in the future")
    secrets = [_key(one, "whsec_") for one in _listed(secret)]
    public_keys = [_key(one, "whpk_", 32) for one in _listed(public_key)]
    content = f"{identifier}.{timestamp}.".encode() + raw
    if not (
        any(_matches_secret(one, content, signatures) for one in secrets)
        or any(_matches_key(one, content, signatures) for one in public_keys)
    ):
        raise WebhookVerificationError("No signature of the webhook matches any of the given secrets or public keys")
    return json.loads(raw)
