import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn, send, sign } from '../../support/service/http.js';
import { demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const path = '/v1/c/ListWallets';
const body = '{}';

for (const engine of engines)
  describe(`authentication on ${engine.name}`, () => {
    let service: Service;
    let demo: Credentials;
    before(async () => {
      service = await startService({ on: engine });
      demo = demoOf(service.home);
    });
    after(() => service.stop());

    const attempt = (headers: Record<string, string>, sent = body, to = path, url = service.url) =>
      send(url, to, sent, headers);
    const refused = async (headers: Record<string, string>, rule: RegExp) => {
      const answer = await attempt(headers);
      assert.equal(answer.status, 401);
      assert.equal(problemIn(answer).code, 'UNAUTHENTICATED');
      assert.match(problemIn(answer).detail, rule);
    };
    const without = (name: string) => {
      const { [name]: _, ...rest } = sign(demo, path, body);
      return rest;
    };
    const at = (ms: number) => sign(demo, path, body, String(Date.now() + ms));

    it('accepts a request that is signed as documented', async () =>
      assert.equal((await attempt(sign(demo, path, body))).status, 200));

    it('covers the path and the query string with the signature', async () => {
      const withQuery = `${path}?a=1`;
      assert.equal((await attempt(sign(demo, withQuery, body), body, withQuery)).status, 200);
      assert.equal((await attempt(sign(demo, path, body), body, withQuery)).status, 401);
    });

    for (const name of ['x-api-key', 'x-api-nonce', 'x-api-signature'])
      it(`rejects a request without ${name}`, () => refused(without(name), new RegExp(`Missing header: ${name}\\.`)));

    it('rejects a nonce that is not a timestamp, too old or too new', async () => {
      await refused(sign(demo, path, body, 'yesterday'), /Unix time in ms/);
      await refused(sign(demo, path, body, `${Date.now()}-${'x'.repeat(33)}`), /Unix time in ms/);
      await refused(sign(demo, path, body, `${Date.now()}-a_b`), /Unix time in ms/);
      await refused(at(-301_000), /300 s/);
      // The margins are several seconds, because the service may need seconds to check a request on a busy machine.
      await refused(at(330_000), /300 s/);
      assert.equal((await attempt(at(-270_000))).status, 200);
      assert.equal((await attempt(at(295_000))).status, 200);
    });

    it('gives the same answer to an unknown key and a wrong secret', async () => {
      const other = demo.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      const answers = await Promise.all(
        [
          { ...demo, key: other },
          { ...demo, secret: 'f'.repeat(64) },
          { ...demo, key: 'no key at all' },
        ].map((credentials) => attempt(sign(credentials, path, body))),
      );
      const problems = answers.map((answer) => ({ ...problemIn(answer), status: answer.status, request_id: '' }));
      assert.equal(problems[0]?.status, 401);
      assert.deepEqual(problems[1], problems[0]);
      assert.deepEqual(problems[2], problems[0]);
    });

    it('rejects signatures that are not 64 lower-case hex digits', async () => {
      const good = sign(demo, path, body);
      for (const signature of [
        '',
        'x',
        'z'.repeat(64),
        'a'.repeat(63),
        'a'.repeat(65),
        'A'.repeat(64),
        `${'a'.repeat(64)}, ${'a'.repeat(64)}`,
      ])
        assert.equal((await attempt({ ...good, 'x-api-signature': signature })).status, 401, signature);
    });

    it('rejects a request in which a single character was changed', () =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom('x-api-key', 'x-api-nonce', 'x-api-signature', 'body', 'path'),
          fc.nat(),
          fc.constantFrom('0', '1', 'a', 'Z'),
          async (part, where, character) => {
            const parts: Record<string, string> = {
              ...sign(demo, path, '{"page_size":7}'),
              body: '{"page_size":7}',
              path,
            };
            const original = parts[part] as string;
            const i = part === 'path' ? original.length - 1 : where % original.length;
            if (original[i] === character) return;
            parts[part] = `${original.slice(0, i)}${character}${original.slice(i + 1)}`;
            const { body: changed = '', path: to = '', ...headers } = parts;
            const { status } = await attempt(headers, changed, to);
            assert.ok(status === 401 || (part === 'path' && status === 404), `${part} ${status}`);
          },
        ),
        { numRuns: 150 },
      ));

    it('rejects a replay, at once, in another process and after a restart', async () => {
      const neighbour = await startService({ on: service.home, role: 'api' });
      const once = sign(demo, path, body);
      const race = await Promise.all(
        [service.url, neighbour.url, service.url, neighbour.url].map((url) => attempt(once, body, path, url)),
      );
      assert.deepEqual(race.map(({ status }) => status).sort(), [200, 401, 401, 401]);
      await neighbour.kill();
      await service.kill();
      service = await startService({ on: service.home });
      await refused(once, /already used/);
    });

    it('accepts a new credential at once, and rejects it as soon as it is deleted', async () => {
      const credentials = await newOrganization(service.home, 'late-comer');
      assert.equal((await call(service.url, credentials, path, {})).status, 200);
      const deleted = await runCommand(service.home, ['credential', 'delete', credentials.key, '--json']);
      assert.deepEqual([deleted.code, deleted.stdout], [0, '{}\n']);
      // The service learns from the events that the credential was deleted.
      await eventually(async () => assert.equal((await call(service.url, credentials, path, {})).status, 401));
      const again = await runCommand(service.home, ['credential', 'delete', credentials.key]);
      assert.equal(again.code, 0);
    });

    it('does not consume the nonce of a rejected request', async () => {
      const headers = sign(demo, path, body);
      await refused({ ...headers, 'x-api-signature': 'a'.repeat(64) }, /does not match/);
      assert.equal((await attempt(headers)).status, 200);
    });
  });
