"""Client of the chainfold API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from .apis import Apis
from .transport import CallOptions, Transport


class Client(Apis):
    """Client with a typed method for each operation, such as ``client.c.register_wallet(name="treasury")``."""

    def __init__(self, url: str, key: str, secret: str, *, max_retries: int = 3, timeout: float = 60) -> None:
        self._transport = Transport(url, key, secret, max_retries, timeout)
        super().__init__(self._transport)

    def call(
        self, api: str, operation: str, request: Mapping[str, Any], options: Optional[CallOptions] = None
    ) -> Any:
        """Calls an operation by its name. The operation may be one that this version of the client does not know."""
        # An idempotency key makes retries safe if the operation is a command; queries ignore it.
        return self._transport.call(f"/v1/{api}/{operation}", "command", request, options)
