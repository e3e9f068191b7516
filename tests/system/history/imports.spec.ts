import assert from 'node:assert/strict';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { addressOf } from '../../support/chains/evm-chain.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';
import { noticeIn, type Receiver, startReceiver } from '../../support/webhooks/webhook-receiver.js';

const [ann, ben] = ['ann', 'ben'].map(addressOf) as [string, string];

describe('an import of history over HTTP and at the command line', () => {
  let chain: DevelopmentChain;
  let receiver: Receiver;
  let service: Service;
  let api: Client['c'];
  let walletId = '';
  let importId = '';

  const pay = (to: string, value: string) => chain.request('dev_transfer', [{ variant: 'c', to, value }]);
  const valuesOf = async (address: string) =>
    (await api.listTransfers({ wallet_id: walletId, address })).transfers.map(({ value }) => value);
  /** Pays a watched address, and waits until the follower has read the block of the payment. */
  const passed = async (value: string) => {
    await pay(ann, value);
    await chain.request('dev_mine', [3]);
    await eventually(async () => assert.ok((await valuesOf(ann)).includes(value)));
  };

  before(async function () {
    const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!started) return skip(this, 'the development chain (EDR is not there for this machine)');
    chain = started;
    receiver = await startReceiver();
    const env = { CHAIN_C_URL: `${chain.wsUrl},${chain.url}`, CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' };
    service = await startService({ on: embedded, env });
    api = clientOf(service).c;
    await pay(ben, '7');
    walletId = (await api.registerWallet({ name: 'treasury', address: ann, confirmation: 2 })).wallet_id;
    await passed('1');
    await api.registerAddress({ wallet_id: walletId, address: ben });
    await api.registerWebhook({ wallet_id: walletId, webhook_endpoint: receiver.url, confirmation: 2 });
  });
  after(async () => {
    await service?.stop();
    await receiver?.close();
    await chain?.close();
  });

  it('finds a transfer from before the registration of the address', async () => {
    assert.deepEqual(await valuesOf(ben), []);
    importId = (await api.importHistory({ address: ben, from_block: 0 })).import_id;
    const state = async () => (await api.getImport({ import_id: importId })).import.state;
    await chain.request('dev_mine', [3]);
    await until('the import has ended', async () => (await state()) !== 'IMPORT_STATE_RUNNING');
    const { import: ended } = await api.getImport({ import_id: importId });
    assert.equal(ended.state, 'IMPORT_STATE_COMPLETED', ended.reason);
    assert.deepEqual([ended.from_block, ended.current_block], [0, ended.to_block]);
    await eventually(async () => assert.deepEqual(await valuesOf(ben), ['7']));
  });

  it('shows since when the history of the address is complete', async () => {
    const { addresses } = await api.listAddresses({ wallet_id: walletId });
    assert.deepEqual(
      addresses.map(({ address, complete_since_block }) => [address, complete_since_block]),
      [
        [ben, 0],
        [ann, undefined],
      ],
    );
  });

  it('notifies neither webhooks nor the feed', async () => {
    await passed('9');
    const isLast = () => receiver.attempts.some((one) => noticeIn(one).data.transfer.value === '9');
    await until('the webhook is notified of the last payment', isLast);
    const values = receiver.attempts.map((one) => noticeIn(one).data.transfer.value);
    assert.ok(!values.includes('7'), String(values));
    const { notifications } = await api.listNotifications({ wait_seconds: 0 });
    const told = JSON.stringify(notifications);
    assert.match(told, /"value":"9"/);
    assert.doesNotMatch(told, /"value":"7"/);
  });

  it('explains the balance in a statement of the imported time', async () => {
    const { statement, movements } = await api.getStatement({ address: ben, start_time: 0, end_time: 99_999_999_999 });
    const [line = assert.fail('no line')] = statement.lines;
    assert.deepEqual([line.incoming, line.closing_balance, line.unexplained], ['7', '7', '0']);
    assert.equal(movements.length, 1);
  });

  it('is refused for addresses of others, and for blocks after the registration', async () => {
    const stranger = await newOrganization(service.home, 'stranger');
    const ask = (name: string, body: object) => call(service.url, stranger, `/v1/c/${name}`, body);
    assert.equal((await ask('ImportHistory', { address: ben })).status, 404);
    assert.equal((await ask('GetImport', { import_id: importId })).status, 404);
    await assert.rejects(api.importHistory({ address: ben, from_block: 1_000_000 }), { code: 'INVALID_ARGUMENT' });
    const both = await ask('ImportHistory', { address: ben, from_block: -1 });
    assert.equal(problemIn(both).code, 'INVALID_ARGUMENT');
  });

  it('is requested and shown by audit import', async () => {
    const args = [
      'audit',
      'import',
      '--api',
      'c',
      '--address',
      ann,
      '--from',
      '1970-01-01',
      '--url',
      service.url,
      '--json',
    ];
    const { code, stdout, stderr } = await runCommand(service.home, args);
    assert.equal(code, 0, stderr);
    const ended = JSON.parse(stdout.trim().split('\n').at(-1) ?? '').import;
    assert.deepEqual([ended.state, ended.from_block], ['IMPORT_STATE_COMPLETED', 0]);
    const unknown = await runCommand(service.home, args.with(5, addressOf('nobody')));
    assert.deepEqual([unknown.code, JSON.parse(unknown.stdout).code], [1, 'NOT_FOUND']);
  });
});
