import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { PostResult, Sender, WebhookMessage } from '../../../application/ports/sender.js';
import { composeApp, contextOf, openStores, processOf } from '../../support/following/following.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const other = contextOf(`org_${'b'.repeat(32)}`);

describe('the endpoint challenge', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let stop: AbortController;
  let running: Promise<unknown>;
  let messages: WebhookMessage[];
  let answer: (token: string) => Partial<PostResult>;
  const sender: Sender = {
    check: () => null,
    checkHeader: () => null,
    post: async (message) => {
      messages.push(message);
      const { challenge } = JSON.parse(message.body) as { challenge: string };
      return { status: 200, failure: '', durationMs: 1, answer: '', retryAt: null, ...answer(challenge) };
    },
    close: async () => undefined,
  };

  beforeEach(async () => {
    stores = await openStores();
    messages = [];
    answer = (token) => ({ answer: token });
    start(true);
  });
  const start = (challengeEndpoints: boolean) => {
    app = composeApp(stores, { sender, challengeEndpoints });
    stop = new AbortController();
    running = processOf(app, 'projector').run(stop.signal);
  };
  afterEach(async () => {
    stop.abort();
    await running;
    await stores.close();
  });
  const register = async (endpoint: string, by = context) => {
    const { position } = await app.webhooks.register(by, { walletId: undefined, endpoint, confirmation: 1 });
    await app.progress.reached(position, 5000);
  };

  for (const [form, given] of [
    ['as the whole body', (token: string) => `${token}\n`],
    ['as JSON', (token: string) => JSON.stringify({ challenge: token })],
  ] as const)
    it(`is passed by a response with the token ${form}`, async () => {
      answer = (token) => ({ answer: given(token) });
      await register('https://a.example/hook');
      assert.match(messages[0]?.signature ?? '', /^v1a,\S+ v1,\S+/);
    });

  for (const [given, expected] of [
    [{ status: 200, answer: 'ok' }, /it answered 200 without the token\. Expected status 2xx with the token/],
    [{ status: 404 }, /it answered 404/],
    [{ status: null, failure: 'connection refused' }, /failed the challenge: connection refused/],
  ] as const)
    it(`rejects the registration after ${JSON.stringify(given)}, and stores nothing`, async () => {
      answer = () => given;
      await assert.rejects(register('https://a.example/hook'), { code: 'FAILED_PRECONDITION', message: expected });
      assert.equal(await stores.events.head(), 0);
      assert.deepEqual(await stores.state.ids('vault', 'webhook'), []);
    });

  it('is sent once per host and organization', async () => {
    for (const url of ['https://a.example/1', 'https://a.example/2', 'https://b.example/']) await register(url);
    await register('https://a.example/1', other);
    assert.deepEqual(
      messages.map(({ url }) => url),
      ['https://a.example/1', 'https://b.example/', 'https://a.example/1'],
    );
  });

  it('is not sent unless it is enabled', async () => {
    stop.abort();
    await running;
    start(false);
    await register('https://a.example/hook');
    assert.deepEqual(messages, []);
  });
});
