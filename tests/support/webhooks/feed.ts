import assert from 'node:assert/strict';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { call, sign } from '../service/http.js';

export type Notified = {
  readonly webhook_history_id: string;
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly notification_type: string;
  readonly create_time: string;
  readonly data: {
    readonly wallet_id?: string;
    readonly state?: string;
    readonly confirmations?: number;
    readonly transfer?: { readonly transaction_hash: string };
    readonly transaction?: { readonly transaction_id: string };
  };
};
type Page = { readonly notifications: readonly Notified[]; readonly next_after: string };

export const idsOf = (notifications: readonly Notified[]) =>
  notifications.map(({ webhook_history_id }) => webhook_history_id);

/** Returns functions that read the notification feed of an API. */
export const createFeed = (url: () => string, credentials: () => Credentials, api = 'c') => {
  const list = async (request: object): Promise<Page> => {
    const { status, body } = await call(url(), credentials(), `/v1/${api}/ListNotifications`, request);
    assert.equal(status, 200, JSON.stringify(body));
    return body as unknown as Page;
  };
  return {
    list,
    /** Reads the feed up to its end, in pages of the given size. */
    all: async (request: object = {}, page_size = 100): Promise<readonly Notified[]> => {
      const found: Notified[] = [];
      let after: string | undefined;
      for (;;) {
        const page = await list({ ...request, page_size, ...(after !== undefined && { after }) });
        if (page.notifications.length === 0 && page.next_after === after) return found;
        found.push(...page.notifications);
        after = page.next_after;
      }
    },
  };
};

/** Parses server-sent events as the HTML standard defines them, except for fields that the service does not send. */
const eventsIn = async function* (body: AsyncIterable<Uint8Array>) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
      );
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id') ?? '', data };
    }
  }
};

/** Opens the notification stream of an API, and collects its notifications until the stream is closed. */
export const openStream = async (
  url: string,
  credentials: Credentials,
  { query = '', lastEventId, api = 'c' }: { query?: string; lastEventId?: string | undefined; api?: string } = {},
) => {
  const path = `/v1/${api}/notifications/stream${query}`;
  const closing = new AbortController();
  const response = await fetch(new URL(path, url), {
    headers: {
      ...sign(credentials, path, '', undefined, 'GET'),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: closing.signal,
  });
  const received: Notified[] = [];
  const read = async () => {
    if (response.status !== 200 || !response.body) return;
    for await (const { id, data } of eventsIn(response.body)) {
      const notified = JSON.parse(data) as Notified;
      assert.equal(id, notified.webhook_history_id);
      received.push(notified);
    }
  };
  // A connection that ends is not a failure: a client would reconnect.
  const reading = read().catch(() => undefined);
  return {
    response,
    received,
    /** Resolves when the connection has ended. */
    ended: reading,
    close: async () => {
      closing.abort();
      await reading;
    },
  };
};
