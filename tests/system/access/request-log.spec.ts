import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { shortApiKey } from '../../../application/commands/api-key.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { gatewayUrl, post, rejectedUpgrade, socketUrl } from '../../support/gateway/gateway.js';
import { isFull } from '../../support/run/tier.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call, send, sign } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

type Line = Readonly<Record<string, unknown>>;
/** Request that the service refuses, and what its line in the log must say. */
type Refusal = {
  readonly operation: string;
  readonly refuse: (id: string) => Promise<unknown>;
  readonly status: number;
  readonly code: string;
  /** Absent if the service does not know who sent the request. */
  readonly organizationId?: string;
  readonly detail: RegExp;
};
const unknownWallet = { wallet_id: `wal_${'0'.repeat(32)}` };
const unlimited = { per_second_limit: 1e6, per_hour_limit: 1e6, per_day_limit: 1e6, per_month_limit: 1e6 };

for (const engine of engines)
  describe(`the request log and chainfold trace on ${engine.name}`, () => {
    let service: Service;
    let client: Credentials & { organizationId: string };
    before(async () => {
      service = await startService({ on: engine, env: { CHAINFOLD_LOG_LEVEL: 'info', CHAIN_C_URL: '' } });
      client = await newOrganization(service.home, 'traced');
    });
    after(() => service?.stop());

    const linesAbout = (requestId: string): readonly Line[] =>
      service
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}') && line.includes('"requestId"'))
        .map((line) => JSON.parse(line) as Line)
        .filter((line) => line.requestId === requestId);
    /** Waits for the only line about a request, and returns its fields without the fields that all lines have. */
    const lineAbout = async (requestId: string) => {
      const {
        level,
        time,
        pid,
        hostname,
        ms,
        requestId: _,
        ...rest
      } = await eventually(() => {
        const [line, ...more] = linesAbout(requestId);
        assert.ok(line && more.length === 0, `${requestId}: ${more.length}`);
        return line;
      });
      assert.deepEqual(
        [level, typeof time, typeof pid, typeof hostname, typeof ms],
        [30, 'number', 'number', 'string', 'number'],
      );
      return rest;
    };
    const keyForm = ({ key }: Credentials) => shortApiKey(key);
    const operate = (path: string, body: unknown, id: string, by: Credentials = client) =>
      call(service.url, by, path, body, { 'x-request-id': id });
    const traced = (id: string, ...more: string[]) => jsonOf(service.home, ['trace', id, ...more]);
    /**
     * Waits until the refused request can be traced, and returns its trace. In the full tier, each attempt runs the
     * command `trace` in a new process.
     */
    const refusalOf = async (id: string) => {
      const { entries } = await eventually(() => traced(id));
      assert.equal(entries.length, 1);
      const { kind, status, code, detail, operation, organization_id } = entries[0];
      assert.equal(kind, 'request');
      return { status, code, detail, operation, organization_id };
    };

    it('has one line for a command and one for a read, with caller, operation and position', async () => {
      const registered = await operate('/v1/c/RegisterWallet', { name: 'one' }, 'command-1');
      const read = await operate('/v1/c/GetWallet', { wallet_id: registered.body.wallet_id }, 'read-1');
      assert.deepEqual([registered.status, read.status], [200, 200]);
      const caller = { organizationId: client.organizationId, key: keyForm(client) };
      assert.deepEqual(await lineAbout('command-1'), {
        ...caller,
        operation: 'c/RegisterWallet',
        status: 200,
        position: Number(registered.headers.get('x-position')),
        msg: 'Request answered',
      });
      assert.equal((await lineAbout('read-1')).operation, 'c/GetWallet');
    });

    it('uses the id that the service makes when the caller sends none, or one that is not well-formed', async () => {
      for (const headers of [{}, { 'x-request-id': 'with space' }]) {
        const answer = await call(service.url, client, '/v1/c/ListWallets', {}, headers as Record<string, string>);
        assert.equal((await lineAbout(String(answer.headers.get('x-request-id')))).status, 200);
      }
    });

    it('has a line for every refusal, and trace explains each by its id alone', async () => {
      const { organizationId } = client;
      const [path, body] = ['/v1/c/GetWallet', '{}'];
      const poor = await newOrganization(service.home, 'poor');
      const limits = { ...unlimited, organization_id: poor.organizationId, chain: 'C', per_month_limit: 1 };
      await clientOf(service).admin.setRateLimit(limits);
      await operate('/v1/c/ListWallets', {}, 'the only one', poor);
      const unsigned = (id: string) => send(service.url, path, body, { 'x-request-id': id, 'x-api-key': client.key });
      const forged = (id: string) =>
        send(service.url, path, body, { ...sign(client, path, '{"a":1}'), 'x-request-id': id });
      const getWallet = 'c/GetWallet';
      const refusals: readonly Refusal[] = [
        { operation: getWallet, refuse: unsigned, status: 401, code: 'UNAUTHENTICATED', detail: /x-api-nonce/ },
        { operation: getWallet, refuse: forged, status: 401, code: 'UNAUTHENTICATED', detail: /does not match/ },
        {
          operation: getWallet,
          refuse: (id) => operate(path, unknownWallet, id),
          status: 404,
          code: 'NOT_FOUND',
          organizationId,
          detail: /wal_0{32}/,
        },
        {
          operation: getWallet,
          refuse: (id) => operate(path, { walet_id: 1 }, id),
          status: 400,
          code: 'INVALID_ARGUMENT',
          organizationId,
          detail: /walet_id/,
        },
        {
          operation: 'admin/CreateOrganization',
          refuse: (id) => operate('/v1/admin/CreateOrganization', {}, id),
          status: 403,
          code: 'PERMISSION_DENIED',
          organizationId,
          detail: /admin/,
        },
        {
          operation: 'c/ListWallets',
          refuse: (id) => operate('/v1/c/ListWallets', {}, id, poor),
          status: 429,
          code: 'RATE_LIMITED',
          organizationId: poor.organizationId,
          detail: /limit/,
        },
      ];
      for (const [
        at,
        { operation, refuse, status, code, organizationId: organization, detail },
      ] of refusals.entries()) {
        const id = `refused-${at}`;
        await refuse(id);
        const line = await lineAbout(id);
        assert.match(String(line.detail), detail);
        assert.deepEqual(
          [line.operation, line.status, line.code, line.organizationId, line.msg],
          [operation, status, code, organization, 'Request refused'],
        );
        if (isFull && at % 3 > 0) continue;
        const found = await refusalOf(id);
        assert.deepEqual(found, { status, code, detail: line.detail, operation, organization_id: organization });
      }
    });

    it('traces an unknown operation and an unknown page, without a path that may be a secret', async () => {
      const { secret } = client;
      await operate('/v1/c/GetWalet', {}, 'unknown-1');
      await operate(`/v1/c/${secret}`, {}, 'unknown-2');
      await fetch(new URL(`/${secret}`, service.url), { headers: { 'x-request-id': 'unknown-3' } });
      assert.match((await refusalOf('unknown-1')).detail, /GetWallet/);
      for (const id of isFull ? ['unknown-2'] : ['unknown-2', 'unknown-3']) {
        const { status, code, detail } = await refusalOf(id);
        assert.deepEqual([status, code], [404, 'NOT_FOUND']);
        assert.ok(!detail.includes(secret.slice(0, 8)));
      }
    });

    it('has a line for each gateway message over HTTP, and the number of calls of a batch', async () => {
      const url = gatewayUrl(service, client.key);
      const chainId = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] });
      const ask = (body: unknown, id: string, at = url) => post(at, JSON.stringify(body), { 'x-request-id': id });
      await ask(chainId(1), 'rpc-1');
      await ask(chainId(2), 'rpc-2');
      await ask([chainId(1), chainId(2)], 'rpc-3');
      await ask({ ...chainId(1), method: 'eth_nothing' }, 'rpc-4');
      await ask(chainId(1), 'rpc-5', gatewayUrl(service, 'ck_none'));
      const about = { organizationId: client.organizationId, key: keyForm(client), chain: 'c/mainnet', status: 200 };
      const answered = { ...about, msg: 'Request answered' };
      assert.deepEqual(await lineAbout('rpc-1'), { ...answered, operation: 'eth_chainId' });
      assert.deepEqual(await lineAbout('rpc-2'), { ...answered, operation: 'eth_chainId' });
      assert.deepEqual(await lineAbout('rpc-3'), { ...answered, calls: 2 });
      const { detail, ...refused } = await lineAbout('rpc-4');
      assert.deepEqual(refused, { ...about, operation: 'eth_nothing', code: -32_601, msg: 'Request refused' });
      assert.equal((await refusalOf('rpc-4')).detail, detail);
      const { organizationId, key, status, code } = await lineAbout('rpc-5');
      assert.deepEqual([organizationId, key, status, code], [undefined, undefined, 401, -32_016]);
    });

    it('has lines for a WebSocket connection and its messages under the id of the connection', async () => {
      const socket = new WebSocket(socketUrl(service, client.key), { headers: { 'x-request-id': 'socket-1' } });
      const [[response]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')]);
      assert.equal(response.headers['x-request-id'], 'socket-1');
      for (const method of ['eth_chainId', 'eth_nothing']) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }));
        await once(socket, 'message');
      }
      socket.close();
      const lines = await eventually(() => {
        const found = linesAbout('socket-1');
        assert.equal(found.length, 3);
        return found;
      });
      assert.deepEqual(
        lines.map(({ status, operation, code }) => [status, operation, code]),
        [
          [101, undefined, undefined],
          [200, 'eth_chainId', undefined],
          [200, 'eth_nothing', -32_601],
        ],
      );
      const refused = await rejectedUpgrade(socketUrl(service, 'ck_none'), { 'x-request-id': 'socket-2' });
      assert.equal(refused.headers['x-request-id'], 'socket-2');
      assert.equal((await refusalOf('socket-2')).status, 401);
    });

    it('lets trace show the events of a command, and its line in a log with prefixes', async () => {
      const { body, headers } = await call(service.url, client, '/v1/c/RegisterWallet', { name: 'traced' });
      const id = String(headers.get('x-request-id'));
      await lineAbout(id);
      const file = join(service.home.directory, 'copy.log');
      writeFileSync(file, service.output().replace(/^/gm, 'api-1  | '));
      const { entries, found } = await traced(id, '--log', file);
      assert.equal(found, true);
      assert.deepEqual(
        entries.map(({ kind }: { kind: string }) => kind),
        ['event', 'request'],
      );
      const [{ event }, { operation, status }] = entries;
      assert.deepEqual([event.type, event.data.walletId], ['WalletRegistered', body.wallet_id]);
      assert.deepEqual([operation, status], ['c/RegisterWallet', 200]);
      const { stdout } = await runCommand(service.home, ['trace', id]);
      assert.match(stdout, /^\S+Z {2}event {5}WalletRegistered at position \d+ in \S+\n$/);
    });

    it('lets trace say where it looked for an unknown id, with exit code 1', async () => {
      const { code, stdout } = await runCommand(service.home, ['trace', 'unheard-of']);
      assert.equal(code, 1);
      assert.match(stdout, /^No trace of request unheard-of\. Searched:\n {2}refused requests .*\n {2}events of all /);
      const asJson = await runCommand(service.home, ['trace', 'unheard-of', '--organization', 'traced', '--json']);
      assert.equal(asJson.code, 1);
      const { found, entries, searched } = JSON.parse(asJson.stdout);
      assert.deepEqual([found, entries, searched.length], [false, [], 3]);
      const { code: usage, stderr } = await runCommand(service.home, ['trace', 'x', '--log', '/nowhere/at/all']);
      assert.equal(usage, 2);
      assert.match(stderr, /^--log \/nowhere\/at\/all cannot be read: ENOENT/);
    });

    it('contains no whole key, secret or signature', () => {
      const output = service.output();
      for (const { key, secret } of [client, demoOf(service.home)])
        for (const hidden of [key, key.slice(-32), secret]) assert.ok(!output.includes(hidden));
      assert.ok(!/signature":/i.test(output));
    });
  });
