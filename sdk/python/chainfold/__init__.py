"""Client of the chainfold API, with the standard library only."""

from .client import Client
from .errors import ChainfoldError, ConnectionFailed, ProblemError, WebhookVerificationError
from .problems import *  # noqa: F403
from .transport import CallOptions
from .webhook import WebhookNotification, verify_webhook

__all__ = [
    "CallOptions",
    "ChainfoldError",
    "Client",
    "ConnectionFailed",
    "ProblemError",
    "WebhookNotification",
    "WebhookVerificationError",
    "verify_webhook",
]
