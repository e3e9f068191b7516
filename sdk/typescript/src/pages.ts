type Request = { readonly page_token?: string | undefined; readonly after?: string | undefined };
type Page = { readonly pagination?: { readonly next_page_token: string }; readonly next_after?: string };

/**
 * Iterates over the items of all pages. The iteration of a feed never ends: after the last page, the iteration keeps
 * requesting newer items, and the service waits up to `wait_seconds` for them.
 */
export async function* eachItem<Item>(
  fetchPage: (request: object) => Promise<object>,
  request: Request,
  items: string,
): AsyncGenerator<Item, void, undefined> {
  for (let next: Request = request; ; ) {
    const page = (await fetchPage(next)) as Page & Readonly<Record<string, readonly Item[]>>;
    yield* page[items] ?? [];
    const { pagination, next_after } = page;
    if (next_after !== undefined) next = { ...request, after: next_after };
    else if (pagination?.next_page_token) next = { ...request, page_token: pagination.next_page_token };
    else return;
  }
}
