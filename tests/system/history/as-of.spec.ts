import assert from 'node:assert/strict';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import { type Engine, embedded, engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { openPayments, type Payments } from '../../support/scenes/payments.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const [ann, ben] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const isPast = ({ path }: Endpoint) => /^\/v1\/[tspc]\/(Get|List)/.test(path);

const describeAsOf = (engine: Engine) =>
  describe(`time travel on ${engine.name}`, () => {
    let service: Service;
    let tenant: Awaited<ReturnType<typeof newOrganization>>;
    /** Wallet that gets one address, then another, then loses both; `moments` are the positions after each step. */
    let walletId: string;
    let moments: string[];
    let whenFirst: string;
    const ask = (path: string, request: object, headers: Record<string, string> = {}, as = tenant) =>
      call(service.url, as, `/v1/${path}`, request, headers);
    const act = async (path: string, request: object) => {
      const { status, headers, body } = await ask(path, request);
      assert.equal(status, 200, JSON.stringify(body));
      return { body, position: headers.get('x-position') ?? '' };
    };
    const problemOf = async (...asked: Parameters<typeof ask>) => {
      const answer = await ask(...asked);
      return `${answer.status} ${problemIn(answer).detail}`;
    };
    const addressesOf = ({ body }: Awaited<ReturnType<typeof ask>>) =>
      (body.wallet as { addresses: string[] }).addresses;

    before(async () => {
      service = await startService({ on: engine, env: { CHAINFOLD_AS_OF_EVENTS: '40' } });
      tenant = await newOrganization(service.home, 'travelled');
      const made = await act('c/RegisterWallet', { name: 'first', address: ann });
      walletId = String(made.body.wallet_id);
      const { body } = await ask('admin/ListEvents', { page_size: 1 });
      whenFirst = (body.events as { commit_time: string }[])[0]?.commit_time ?? '';
      const added = await act('c/RegisterAddress', { wallet_id: walletId, address: ben });
      const removed = await act('c/BatchRemoveAddresses', { wallet_id: walletId, remove_all: true });
      moments = [made.position, added.position, removed.position];
    });
    after(() => service.stop());

    it('answers as of a position, inclusive, and as of a time', async () => {
      for (const [i, expected] of [[ann], [ann, ben], []].entries()) {
        const answer = await ask('c/GetWallet', { wallet_id: walletId }, { 'x-as-of': moments[i] ?? '' });
        assert.deepEqual(addressesOf(answer), expected);
        assert.equal(answer.headers.get('x-position'), moments[i]);
      }
      const before = { 'x-as-of': String(Number(moments[0]) - 3) };
      assert.match(await problemOf('c/GetWallet', { wallet_id: walletId }, before), /^404/);
      assert.deepEqual(addressesOf(await ask('c/GetWallet', { wallet_id: walletId }, { 'x-as-of': whenFirst })), [ann]);
      const future = { 'x-as-of': '2999-01-01T00:00:00Z' };
      assert.deepEqual(addressesOf(await ask('c/GetWallet', { wallet_id: walletId }, future)), []);
    });

    const cli = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand(service.home, args);
      assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
      return stdout;
    };
    const json = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));

    it('works from the command line, through a service or directly on the stores', async () => {
      const request = JSON.stringify({ wallet_id: walletId });
      const signed = ['--url', service.url, '--key', tenant.key, '--secret', tenant.secret];
      for (const from of [signed, ['--organization', 'travelled']]) {
        const [answer] = json(
          await cli('call', 'c', 'GetWallet', request, '--as-of', moments[1] ?? '', '--json', ...from),
        );
        assert.deepEqual(answer.wallet.addresses, [ann, ben]);
      }
      const misused = await runCommand(service.home, [
        'call',
        'c',
        'GetWallet',
        request,
        '--organization',
        'travelled',
      ]);
      assert.deepEqual([misused.code, /--as-of/.test(misused.stderr)], [2, true]);
      const write = ['call', 'c', 'RegisterWallet', '{"name":"x"}', '--organization', 'travelled', '--as-of', '1'];
      assert.equal((await runCommand(service.home, write)).code, 1);
    });

    it('lists the documents that changed between two moments', async () => {
      const between = [
        'audit',
        'diff',
        '--organization',
        'travelled',
        '--from',
        moments[0] ?? '',
        '--to',
        moments[1] ?? '',
      ];
      const lines = json(await cli(...between, '--json'));
      const [wallet, address] = lines;
      const added = lines.filter(({ change }: { change?: string }) => change === 'added').length;
      assert.deepEqual(Object.keys(wallet.fields), ['update_time', 'address_count']);
      assert.deepEqual(wallet, {
        collection: 'wallets',
        chain: 'C',
        id: walletId,
        change: 'changed',
        fields: wallet.fields,
      });
      const [from, to] = moments.map(Number);
      const document = { address: ben, wallet_id: walletId, position: to };
      assert.deepEqual(address, { collection: 'addresses', chain: 'C', id: ben, change: 'added', document });
      const organization_id = tenant.organizationId;
      const summary = { organization_id, from, to, added, removed: 0, changed: 1, undone: 0 };
      assert.deepEqual(lines.at(-1), { summary });
      const text = await cli(...between);
      assert.match(text, new RegExp(`^~ wallets {2}C {2}${walletId}\n {4}update_time: ".*" -> ".*"$`, 'm'));
      assert.match(text, new RegExp(`^\\+ addresses {2}C {2}${ben}\n {4}{"address":.*}$`, 'm'));
    });

    if (!engine.isEmbedded) return;

    it('never shows the past of another organization', async () => {
      const other = await newOrganization(service.home, 'bystander');
      const headers = { 'x-as-of': moments[1] ?? '' };
      assert.match(await problemOf('c/GetWallet', { wallet_id: walletId }, headers, other), /^404/);
      assert.match(await problemOf('c/GetWallet', { address: ann }, headers, other), /^404/);
    });

    it('is accepted by every Get and List of the wallet APIs, and rejected by every other operation', async () => {
      type Documented = { paths: Record<string, { post: { parameters: { $ref: string }[] } }> };
      const { paths } = (await (await fetch(new URL('/openapi.json', service.url))).json()) as Documented;
      const documented = endpoints.filter(({ path }) =>
        paths[path]?.post.parameters.some(({ $ref }) => $ref === '#/components/parameters/x-as-of'),
      );
      assert.deepEqual(documented, endpoints.filter(isPast));
      for (const endpoint of endpoints) {
        if (isPast(endpoint)) continue;
        const credentials = demoOf(service.home);
        const refused = await call(service.url, credentials, endpoint.path, endpoint.example, { 'x-as-of': '1' });
        assert.equal(refused.status, 400, endpoint.path);
        assert.match(problemIn(refused).detail, /^x-as-of is not supported by /);
      }
    });

    it('rejects a malformed moment, and a moment together with x-min-position', async () => {
      for (const given of ['', 'yesterday', '-1', '1.5', '2026-01-31T12:00:00', '12, 13'])
        assert.match(
          await problemOf('c/ListWallets', {}, { 'x-as-of': given }),
          /^400 x-as-of must be an event position, or/,
          given,
        );
      const both = { 'x-as-of': moments[0] ?? '', 'x-min-position': moments[0] ?? '' };
      assert.match(await problemOf('c/ListWallets', {}, both), /^400 x-as-of and x-min-position cannot be combined\./);
    });

    it('shows webhooks as they were, without secrets that have been destroyed since', async () => {
      const hook = { webhook_endpoint: 'https://hooks.example/', confirmation: 1 };
      const { webhook_id } = (await act('c/RegisterWebhook', hook)).body;
      const header = { webhook_id, header_key: 'x-token', header_value: 'hidden' };
      const { webhook_header_id } = (await act('c/RegisterWebhookHeader', header)).body;
      const shown = await act('c/GetWebhook', { webhook_id });
      const headers = { 'x-as-of': shown.position };
      assert.deepEqual((await ask('c/GetWebhook', { webhook_id }, headers)).body, shown.body);
      await act('c/RemoveWebhookHeader', { webhook_header_id });
      const past = await ask('c/ListWebhookHeaders', { webhook_id }, headers);
      assert.deepEqual(past.body.webhook_headers, [
        { webhook_id, webhook_header_id, header_key: 'x-token', header_value: '' },
      ]);
      assert.deepEqual((await ask('c/ListWebhookHeaders', { webhook_id })).body.webhook_headers, []);
      await act('c/RemoveWebhook', { webhook_id });
      assert.match(await problemOf('c/GetWebhook', { webhook_id }), /^404/);
      assert.deepEqual((await ask('c/GetWebhook', { webhook_id }, headers)).body, shown.body);
    });

    it('rejects a query over more events than the limit, and names the command that has no limit', async () => {
      await act('c/BatchRegisterAddresses', {
        wallet_id: walletId,
        addresses: Array.from({ length: 40 }, (_, n) => `0x${String(n).padStart(40, '0')}`),
      });
      const refused = await ask('c/ListWallets', { page_size: 7 }, { 'x-as-of': '2999-01-01T00:00:00Z' });
      assert.equal(refused.status, 503);
      const command = `chainfold call c ListWallets '{"page_size":7}' --as-of 2999-01-01T00:00:00Z --organization ${tenant.organizationId}`;
      assert.match(problemIn(refused).detail, /more than 40 events, the limit set by CHAINFOLD_AS_OF_EVENTS/);
      assert.ok(problemIn(refused).detail.endsWith(command), problemIn(refused).detail);
      const args = command.replaceAll("'", '').split(' ').slice(1);
      const [answer] = json(await cli(...args, '--json'));
      assert.equal(answer.wallets[0].addresses.length, 40);
      assert.deepEqual(
        addressesOf(await ask('c/GetWallet', { wallet_id: walletId }, { 'x-as-of': moments[1] ?? '' })),
        [ann, ben],
      );
    });
  });

for (const engine of engines) describeAsOf(engine);

describe('time travel over transactions and transfers that a chain takes back', () => {
  let scene: Payments | null;
  before(async () => {
    scene = await openPayments(embedded);
  });
  after(() => scene?.close());

  it('reproduces every answer that was given at the time', async function () {
    if (!scene) return skip(this, 'time travel with a chain: there is no development chain');
    const { wallet_id, sender, chain, mine, create, createSent, sign, becomes, service } = scene;
    await mine(2);
    const { transaction_id } = await create();
    const noted: { path: string; request: object; position: string; answer: string }[] = [];
    const ask = async (path: string, request: object, headers: Record<string, string> = {}) => {
      const {
        status,
        body,
        headers: responseHeaders,
      } = await call(service().url, demoOf(service().home), `/v1/c/${path}`, request, headers);
      const { request_id: _, ...rest } = body;
      return { position: responseHeaders.get('x-position') ?? '', answer: `${status} ${JSON.stringify(rest)}` };
    };
    /**
     * Notes the answer to a request with its position. Repeats the request if an event was stored meanwhile, because
     * the answer may then belong to another position.
     */
    const note = (path: string, request: object) =>
      eventually(async () => {
        const { position, answer } = await ask(path, request);
        assert.equal((await ask('ListWallets', {})).position, position, 'no answer came between two events');
        noted.push({ path, request, position, answer });
      });
    const noteAll = async () => {
      await note('GetTransaction', { transaction_id });
      await note('GetTransactionMessageToSign', { transaction_id });
      await note('ListTransactions', { wallet_id });
      await note('ListTransfers', { wallet_id, page_size: 3 });
      await note('ListAssets', { wallet_id, asset_type: 'ASSET_TYPE_C' });
      await note('GetWallet', { address: sender.address });
    };
    const step = async (happen: () => Promise<unknown>, id: string, state: string) => {
      await happen();
      await becomes(id, state);
      await noteAll();
    };
    await noteAll();
    await sign(transaction_id);
    await noteAll();
    await scene.api.sendTransaction({ transaction_id });
    await noteAll();
    const [drop, first] = [() => chain.request('dev_reorg', [1, 'drop']), transaction_id];
    await step(() => mine(1), first, 'MINED');
    await step(() => mine(3), first, 'CONFIRMED');
    const { transaction_id: second } = await createSent();
    await step(() => mine(1), second, 'MINED');
    await step(drop, second, 'SENT');
    const states = new Set(noted.map(({ answer }) => /TRANSACTION_STATE_\w+/.exec(answer)?.[0]));
    for (const state of ['CREATED', 'SIGNED', 'SENT', 'MINED', 'CONFIRMED'])
      assert.ok(states.has(`TRANSACTION_STATE_${state}`), state);
    for (const { path, request, position, answer } of noted)
      assert.deepEqual(await ask(path, request, { 'x-as-of': position }), { position, answer }, path);
  });
});
