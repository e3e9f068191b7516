"""Errors that the client raises."""

from __future__ import annotations

from typing import Any, Optional


class ChainfoldError(Exception):
    """Base class of all errors of the client."""


class ProblemError(ChainfoldError):
    """Raised when the service refuses a call. Each problem code has a subclass, such as ``NotFoundError``."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(f"{problem['code']}: {problem.get('detail', '')}")
        #: RFC 9457 problem details, the body of the response.
        self.problem = problem
        self.code: str = problem["code"]
        self.status: int = problem.get("status", 0)
        self.detail: str = problem.get("detail", "")
        self.request_id: str = problem.get("request_id", "")
        #: True if the same request may succeed later.
        self.retryable: bool = problem.get("retryable", False)
        #: Invalid fields, each with a JSON pointer into the body.
        self.errors: list[dict[str, str]] = problem.get("errors", [])


class ConnectionFailed(ChainfoldError):
    """Raised when no answer of the service arrives: the network failed, time ran out, or another server answered."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        #: HTTP status, if something other than the service answered.
        self.status = status


class WebhookVerificationError(ChainfoldError):
    """Raised when a webhook does not come from the service, or is too old to be trusted."""
