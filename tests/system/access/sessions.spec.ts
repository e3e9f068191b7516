import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { shortApiKey } from '../../../application/commands/api-key.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { askInSession, cookieIn, signIn } from '../../support/service/browser-session.js';
import { jsonOf } from '../../support/service/command.js';
import { call, problemIn, send } from '../../support/service/http.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const sameOrigin = { 'sec-fetch-site': 'same-origin' };

for (const engine of engines)
  describe(`sessions of the console on ${engine.name}`, () => {
    let service: Service;
    let other: Service;
    let own: Credentials & { readonly organizationId: string };
    before(async () => {
      service = await startService({ on: engine, env: { CHAINFOLD_HOST: '0.0.0.0' } });
      other = await startService({ on: service.home, role: 'api' });
      own = await newOrganization(service.home, 'signed-in');
      await clientOf(service, own).c.registerWallet({ name: 'looked at' });
    });
    after(async () => {
      await other.stop();
      await service.stop();
    });
    const url = () => service.url.replace('0.0.0.0', '127.0.0.1');
    const ask = (cookie: string, path: string, request: object = {}, headers: Record<string, string> = sameOrigin) =>
      askInSession(url(), cookie, path, request, headers);
    const issue = async (role: string): Promise<Credentials> => {
      const { api_key, api_secret } = await jsonOf(service.home, [
        ...['credential', 'issue', '--organization', own.organizationId, '--role', role],
      ]);
      return { key: api_key, secret: api_secret };
    };
    const statusIn = async (cookie: string, at = url()) => (await askInSession(at, cookie, '/v1/c/ListWallets')).status;
    const sessionEvents = async () =>
      (await clientOf(service, own).admin.listEvents({ page_size: 100 })).events.filter(({ type }) =>
        type.startsWith('Session'),
      );

    it('authenticate the queries of every role by a cookie that scripts cannot read', async () => {
      for (const credentials of [own, await issue('auditor'), await issue('admin')]) {
        const cookie = await signIn(url(), credentials);
        const answer = await ask(cookie, '/v1/c/ListWallets');
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal((answer.body.wallets as { name: string }[])[0]?.name, 'looked at');
        assert.ok(answer.headers.get('ratelimit-remaining'));
      }
    });

    for (const [name, headers] of Object.entries({
      'no sec-fetch-site': {},
      'another site': { 'sec-fetch-site': 'cross-site' },
      'another port of the host': { 'sec-fetch-site': 'same-site' },
      'the address bar': { 'sec-fetch-site': 'none' },
    }))
      it(`accept no request from ${name}`, async () => {
        const answer = await ask(await signIn(url(), own), '/v1/c/ListWallets', {}, headers);
        assert.deepEqual([answer.status, problemIn(answer).code], [403, 'PERMISSION_DENIED']);
        assert.equal(answer.body.wallets, undefined);
      });

    it('accept no body that a form can send', async () => {
      const cookie = await signIn(url(), own);
      const answer = await ask(cookie, '/v1/c/ListWallets', {}, { ...sameOrigin, 'content-type': 'text/plain' });
      assert.equal(answer.status, 415);
    });

    it('change nothing and read no secret without a signature', async () => {
      const cookie = await signIn(url(), own);
      for (const path of ['/v1/c/RegisterWallet', '/v1/c/GetWebhook', '/v1/admin/CreateSession']) {
        const answer = await ask(cookie, path, { name: 'x', webhook_id: 'x' });
        assert.deepEqual([path, answer.status], [path, 403]);
        assert.match(problemIn(answer).detail, /needs a signature: x-api-key/);
      }
    });

    it('do not help a request whose signature is wrong', async () => {
      const cookie = await signIn(url(), own);
      const wrong = { ...own, secret: 'f'.repeat(64) };
      const answer = await call(url(), wrong, '/v1/c/ListWallets', {}, { cookie, ...sameOrigin });
      assert.equal(answer.status, 401);
    });

    it('are recorded in the history, without the token', async () => {
      const cookie = await signIn(url(), own);
      const ended = await ask(cookie, '/v1/admin/DeleteSession');
      assert.equal(ended.status, 200, JSON.stringify(ended.body));
      assert.match(ended.headers.get('set-cookie') ?? '', /^__Host-chainfold=; Path=\/; .*Max-Age=0$/);
      assert.equal(await statusIn(cookie), 401);
      const events = await sessionEvents();
      const closed = events.find(({ type }) => type === 'SessionClosed');
      const data = closed?.data as { sessionId: string; apiKey: string; reason: string };
      assert.deepEqual([data.reason, data.apiKey], ['signed_out', shortApiKey(own.key)]);
      assert.ok(
        events.some(({ type, data: d }) => type === 'SessionOpened' && (d as typeof data).sessionId === data.sessionId),
      );
      const token = cookie.slice(cookie.indexOf('=') + 1);
      assert.ok(!JSON.stringify(events).includes(token));
    });

    it('all end with a signed DeleteSession without a cookie', async () => {
      const cookies = [await signIn(url(), own), await signIn(other.url, own)];
      assert.equal((await call(url(), own, '/v1/admin/DeleteSession', {})).status, 200);
      assert.deepEqual(await Promise.all(cookies.map((cookie) => statusIn(cookie))), [401, 401]);
    });

    it('end with their credential, in every process', async () => {
      const leaving = await issue('client');
      const cookie = await signIn(url(), leaving);
      assert.deepEqual([await statusIn(cookie), await statusIn(cookie, other.url)], [200, 200]);
      const gone = { api_key: leaving.key, api_secret: leaving.secret };
      assert.equal((await call(url(), own, '/v1/admin/DeleteCredential', gone)).status, 200);
      assert.equal(await statusIn(cookie), 401);
      await eventually(async () => assert.equal(await statusIn(cookie, other.url), 401));
      const ends = (await sessionEvents()).map(({ data }) => data as { apiKey?: string; reason?: string });
      assert.ok(
        ends.some(({ apiKey, reason }) => apiKey === shortApiKey(leaving.key) && reason === 'credential_deleted'),
      );
    });

    it('return the same cookie to a retry with the same idempotency-key', async () => {
      const headers = { 'idempotency-key': 'sign-in-once' };
      const open = () => call(url(), own, '/v1/admin/CreateSession', {}, headers);
      const [first, again] = [await open(), await open()];
      assert.equal(cookieIn(again), cookieIn(first));
      assert.deepEqual(again.body, first.body);
      await ask(cookieIn(first), '/v1/admin/DeleteSession');
      assert.equal((await open()).status, 409);
    });

    it('open the stream of notifications, from the same origin only', async () => {
      const cookie = await signIn(url(), own);
      const stream = new URL('/v1/c/notifications/stream', url());
      assert.equal((await fetch(stream, { headers: { cookie } })).status, 403);
      const response = await fetch(stream, { headers: { cookie, ...sameOrigin } });
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /text\/event-stream/);
      await response.body?.cancel();
    });

    it('are open to an operator by a link that works once', async () => {
      const { link, organization_id } = await jsonOf(service.home, ['console', '--organization', 'signed-in']);
      assert.equal(organization_id, own.organizationId);
      const token = /\/console#token=([0-9a-f]{64})$/.exec(link)?.[1];
      const exchange = (headers: Record<string, string>) =>
        send(url(), '/console/session', JSON.stringify({ token }), headers);
      assert.equal((await exchange({ 'sec-fetch-site': 'cross-site' })).status, 403);
      const opened = await exchange(sameOrigin);
      assert.equal(opened.status, 200, JSON.stringify(opened.body));
      assert.equal((await exchange(sameOrigin)).status, 401);
      const cookie = cookieIn(opened);
      assert.equal(await statusIn(cookie), 200);
      const listed = await ask(cookie, '/v1/admin/ListCredentials', { organization_id });
      assert.equal(listed.status, 200, 'an operator has the role admin');
      assert.equal((await ask(cookie, '/v1/admin/DeleteSession')).status, 200);
      const [last] = (await sessionEvents()).filter(({ actor }) => actor.kind === 'operator');
      assert.ok(last, 'the history names the operator');
    });

    it('are refused over plain HTTP from another machine, with the reason', async function () {
      const address = Object.values(networkInterfaces())
        .flat()
        .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
      if (address === undefined) return skip(this, 'this machine has no address besides the loopback');
      const outside = service.url.replace('0.0.0.0', address);
      const answer = await call(outside, own, '/v1/admin/CreateSession', {});
      assert.deepEqual([answer.status, problemIn(answer).code], [409, 'FAILED_PRECONDITION']);
      assert.match(problemIn(answer).detail, /plain HTTP from another machine/);
      const page = await fetch(new URL('/console', outside));
      assert.equal(page.status, 403);
      assert.match(await page.text(), /plain HTTP from another machine/);
    });
  });
