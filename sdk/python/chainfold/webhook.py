"""Verification of webhooks by the Standard Webhooks scheme."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

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


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()


def _is_recent(timestamp: str, now: float, tolerance: float) -> bool:
    try:
        return abs(now - float(timestamp)) <= tolerance
    except ValueError:
        return False


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> WebhookNotification:
    """Verifies a webhook and returns its notification.

    ``body`` is the body as it was received, and ``secret`` the webhook's ``whsec_…`` from GetWebhook, or two of them
    during a rotation. ``tolerance`` is the greatest age in seconds. Raises ``WebhookVerificationError`` if the webhook
    must not be trusted.
    """
    raw = body.encode() if isinstance(body, str) else body
    identifier = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature").split(" ")
    if not _is_recent(timestamp, time.time() if now is None else now, tolerance):
        raise WebhookVerificationError("The webhook is too old, or its timestamp is in the future")
    content = f"{identifier}.{timestamp}.".encode() + raw
    expected = [_signature(one, content) for one in ([secret] if isinstance(secret, str) else secret)]
    if not any(hmac.compare_digest(one, other) for one in signatures for other in expected):
        raise WebhookVerificationError("No signature of the webhook matches the secret")
    return json.loads(raw)
