"""Signs, sends and retries calls."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import random
import secrets
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from .errors import ChainfoldError, ConnectionFailed, ProblemError
from .problems import problem_errors

_FIRST_DELAY = 0.2
_MAX_DELAY = 5.0
#: Longest ``retry-after`` that a call waits for, in seconds. If the service sends a larger value, the call fails.
_MAX_RETRY_AFTER = 30.0


@dataclass(frozen=True)
class CallOptions:
    """Options of one call."""

    #: Key with which retries of a command are safe even if the program restarts. If None, a command gets a random key.
    idempotency_key: Optional[str] = None
    #: Moment as of which a query is answered: an event position, or an ISO time with a time zone.
    as_of: Optional[Union[str, int]] = None
    #: Event position that the answer of a query must include.
    min_position: Optional[int] = None
    #: Additional request headers.
    headers: Mapping[str, str] = field(default_factory=dict)


class _Attempt(Exception):
    """Failed attempt, with the ``retry-after`` of its answer in seconds."""

    def __init__(self, reason: ChainfoldError, retry_after: Optional[float] = None) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.retry_after = retry_after

    def is_retryable(self) -> bool:
        if (self.retry_after or 0) > _MAX_RETRY_AFTER:
            return False
        if isinstance(self.reason, ProblemError):
            return self.reason.retryable
        status = getattr(self.reason, "status", None)
        return status is None or status >= 500

    def delay(self, attempt: int) -> float:
        if self.retry_after is not None:
            return self.retry_after
        # Half of the delay is random, so that clients that failed together do not retry together.
        return min(_MAX_DELAY, _FIRST_DELAY * 2**attempt) * (0.5 + random.random() / 2)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because a redirected request would have a signature for another path."""

    def redirect_request(self, *_: Any) -> None:
        return None


def signature_headers(key: str, secret: str, method: str, path: str, body: bytes) -> dict[str, str]:
    """Returns the headers that authenticate one request. The nonce makes them valid only once."""
    nonce = f"{time.time_ns() // 1_000_000}-{secrets.token_hex(8)}"
    text = "\n".join([nonce, method, path, hashlib.sha256(body).hexdigest()])
    signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    return {"x-api-key": key, "x-api-nonce": nonce, "x-api-signature": signature}


def _problem(body: bytes, status: int) -> ChainfoldError:
    try:
        problem = json.loads(body)
        code = problem["code"]
    except (ValueError, KeyError, TypeError):
        return ConnectionFailed(f"The answer (HTTP status {status}) is not from the service", status)
    return problem_errors.get(code, ProblemError)(problem)


def _retry_after(headers: Mapping[str, str]) -> Optional[float]:
    try:
        return float(headers.get("retry-after", ""))
    except ValueError:
        return None


class Transport:
    """Sends the calls of one client. It may be used by several threads."""

    def __init__(self, url: str, key: str, secret: str, max_retries: int, timeout: float) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._secret = secret
        self._max_retries = max_retries
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._lock = threading.Lock()
        # Position of the last write that the read models did not include yet; queries wait for it.
        self._pending = 0

    def call(self, path: str, kind: str, request: Mapping[str, Any], options: Optional[CallOptions] = None) -> Any:
        """Calls an operation and returns its answer, or an iterator over its lines."""
        headers = self._headers(kind, options or CallOptions())
        body = json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode()
        attempt = 0
        while True:
            try:
                response = self._send(path, body, headers)
                break
            except _Attempt as failed:
                if attempt >= self._max_retries or not failed.is_retryable():
                    raise failed.reason from failed.__cause__
                time.sleep(failed.delay(attempt))
                attempt += 1
        answer, received = response
        if "x-as-of" not in headers:
            self._update(received)
        return answer

    def _headers(self, kind: str, options: CallOptions) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        if options.idempotency_key is not None:
            headers["idempotency-key"] = options.idempotency_key
        elif kind == "command" and self._max_retries > 0:
            headers["idempotency-key"] = str(uuid.uuid4())
        if options.as_of is not None:
            headers["x-as-of"] = str(options.as_of)
        elif options.min_position is not None:
            headers["x-min-position"] = str(options.min_position)
        elif kind == "query" and self._pending > 0:
            headers["x-min-position"] = str(self._pending)
        return {**headers, **options.headers}

    def _send(self, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[Any, Mapping[str, str]]:
        signed = signature_headers(self._key, self._secret, "POST", path, body)
        request = urllib.request.Request(self._url + path, body, {**headers, **signed}, method="POST")
        try:
            response = self._opener.open(request, timeout=self._timeout)
            if response.headers.get("content-type") == "application/x-ndjson":
                return _lines(response), response.headers
            with response:
                content = response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise _Attempt(_problem(error.read(), error.code), _retry_after(error.headers)) from error
        except (OSError, http.client.HTTPException) as error:
            raise _Attempt(ConnectionFailed(f"No answer from {self._url}: {error}")) from error
        try:
            return json.loads(content), response.headers
        except ValueError as error:
            raise _Attempt(_problem(content, response.status)) from error

    def _update(self, headers: Mapping[str, str]) -> None:
        position = int(headers.get("x-position") or 0)
        with self._lock:
            if headers.get("x-consistency") == "pending":
                self._pending = max(self._pending, position)
            elif position >= self._pending:
                self._pending = 0


def _lines(response: http.client.HTTPResponse) -> Iterator[bytes]:
    with response:
        yield from response
