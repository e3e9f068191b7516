# Generated from the operation table by npm run sdk. Do not edit.
"""Problems of the service."""

from __future__ import annotations

from .errors import ProblemError

__all__ = ["InvalidArgumentError", "UnauthenticatedError", "PermissionDeniedError", "QuotaExceededError", "NotFoundError", "AlreadyExistsError", "FailedPreconditionError", "ConflictError", "RateLimitedError", "InternalError", "NodeError", "UnavailableError"]


class InvalidArgumentError(ProblemError):
    """The body is not JSON, violates the schema of the operation, or has an invalid page_token or combination of fields. `errors` lists each invalid field. Status 413: the body is too large. 415: the body is not application/json. 405: the method is not POST."""


class UnauthenticatedError(ProblemError):
    """x-api-key, x-api-nonce or x-api-signature is missing, malformed, expired, already used or does not match the request. Sign the request again with a new nonce."""


class PermissionDeniedError(ProblemError):
    """The operation requires an admin credential, or the page requires its bearer token."""


class QuotaExceededError(ProblemError):
    """The request would exceed a quota of the organization. `detail` names the quota, its limit and its usage (see GetLimits). Remove resources, or ask the operator to raise the quota (SetQuota)."""


class NotFoundError(ProblemError):
    """The resource does not exist in this organization, or the operation does not exist."""


class AlreadyExistsError(ProblemError):
    """The resource already exists, the address is held by another wallet, or the domain is taken."""


class FailedPreconditionError(ProblemError):
    """The state of the resource does not allow this, or the idempotency-key was used for another request."""


class ConflictError(ProblemError):
    """The resource was modified concurrently, and this request changed nothing. Retry the request."""


class RateLimitedError(ProblemError):
    """The organization exceeded a rate limit. Retry after the number of seconds in `retry-after`."""


class InternalError(ProblemError):
    """The service failed. Its log has the details under the request_id."""


class NodeError(ProblemError):
    """The node of the chain failed or returned an invalid answer."""


class UnavailableError(ProblemError):
    """A store or chain that the request needs is down or not configured. `detail` names it."""


#: Errors by the code of their problem.
problem_errors: dict[str, type[ProblemError]] = {
    "INVALID_ARGUMENT": InvalidArgumentError,
    "UNAUTHENTICATED": UnauthenticatedError,
    "PERMISSION_DENIED": PermissionDeniedError,
    "QUOTA_EXCEEDED": QuotaExceededError,
    "NOT_FOUND": NotFoundError,
    "ALREADY_EXISTS": AlreadyExistsError,
    "FAILED_PRECONDITION": FailedPreconditionError,
    "CONFLICT": ConflictError,
    "RATE_LIMITED": RateLimitedError,
    "INTERNAL": InternalError,
    "NODE_ERROR": NodeError,
    "UNAVAILABLE": UnavailableError,
}
