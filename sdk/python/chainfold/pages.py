"""Iteration over the pages of lists and feeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def each_item(fetch_page: Callable[[dict[str, Any]], Any], request: Mapping[str, Any], items: str) -> Iterator[Any]:
    """Iterates over the items of all pages.

    The iteration of a feed never ends: after its last page it asks for later items, for which the service waits up to
    ``wait_seconds``.
    """
    following = dict(request)
    while True:
        page = fetch_page(following)
        yield from page[items]
        if "next_after" in page:
            following = {**request, "after": page["next_after"]}
        elif page.get("pagination", {}).get("next_page_token"):
            following = {**request, "page_token": page["pagination"]["next_page_token"]}
        else:
            return
