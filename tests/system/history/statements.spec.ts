import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonRpcProvider, Network, parseEther, Wallet } from 'ethers';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

const sum = (amounts: readonly string[]) => amounts.reduce((total, one) => total + BigInt(one), 0n);
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

for (const engine of engines)
  describe(`statements of the development chain on ${engine.name}`, () => {
    let chain: DevelopmentChain;
    let provider: JsonRpcProvider;
    let service: Service;
    let api: Client['c'];
    let chainUrl: Record<string, string>;
    let period: { wallet_id: string; start_time: number; end_time: number };
    const person = Wallet.createRandom();
    const other = Wallet.createRandom().address.toLowerCase();
    const address = person.address.toLowerCase();
    const closing: (() => unknown)[] = [];
    const balanceAt = (block: number) => provider.getBalance(address, block);

    before(async function () {
      const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
      if (!started) return skip(this, 'the development chain (EDR is not there for this machine)');
      chain = started;
      closing.push(() => chain.close());
      chainUrl = { CHAIN_C_URL: `${chain.wsUrl},${chain.url}` };
      service = await startService({ on: engine, env: chainUrl });
      closing.push(() => service.stop());
      api = clientOf(service).c;
      const network = Network.from(31337);
      provider = new JsonRpcProvider(chain.url, network, { staticNetwork: network, cacheTimeout: -1 });
      closing.push(() => provider.destroy());

      const { wallet_id } = await api.registerWallet({ name: 'treasury', address, confirmation: 2 });
      await chain.request('dev_transfer', [{ variant: 'c', to: address, value: String(parseEther('1')) }]);
      await person.connect(provider).sendTransaction({ to: other, value: parseEther('0.3') });
      await chain.request('dev_mine', [3]);
      await chain.request('dev_transfer', [{ variant: 'c', to: address, value: '5' }]);
      const head = (await provider.getBlock('latest')) ?? assert.fail('no block');
      period = { wallet_id, start_time: 0, end_time: head.timestamp };
      await eventually(async () => assert.equal((await api.getStatement(period)).movements.length, 3));
      await eventually(async () =>
        assert.equal((await api.listAssets({ wallet_id, asset_type: 'ASSET_TYPE_C' })).assets.length, 1),
      );
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    it('explain the balance of the node at the last block by movements and the fee', async () => {
      const { statement, movements } = await api.getStatement(period);
      const [line = assert.fail('no line')] = statement.lines;
      assert.equal(statement.end_block, await provider.getBlockNumber());
      assert.equal(line.closing_balance, String(await balanceAt(statement.end_block)));
      const { opening_balance, incoming, outgoing, in_transit, unexplained, reasons } = line;
      assert.deepEqual(
        { opening_balance, incoming, outgoing, in_transit, unexplained, reasons },
        {
          opening_balance: '0',
          incoming: String(parseEther('1') + 5n),
          outgoing: String(parseEther('0.3')),
          in_transit: '5',
          unexplained: '0',
          reasons: [],
        },
      );
      assert.deepEqual(
        movements.map(({ direction, transfer }) => [direction, transfer.value]),
        [
          ['incoming', '5'],
          ['outgoing', String(parseEther('0.3'))],
          ['incoming', String(parseEther('1'))],
        ],
      );
      assert.equal(sum(movements.map(({ fee }) => fee)), BigInt(line.fees));
      assert.ok(BigInt(line.fees) > 0n);
    });

    it('list the same movements in pages, and the lines on the first page', async () => {
      const { movements } = await api.getStatement(period);
      const first = await api.getStatement({ ...period, page_size: 2 });
      const second = await api.getStatement({ ...period, page_size: 2, page_token: first.pagination.next_page_token });
      assert.deepEqual([...first.movements, ...second.movements], movements);
      assert.deepEqual([second.statement.lines, second.pagination.next_page_token], [[], '']);
    });

    it('are given neither to other organizations nor for a reversed period', async () => {
      const stranger = await newOrganization(service.home, 'stranger');
      const ask = (body: object, by?: typeof stranger) => call(service.url, by ?? stranger, '/v1/c/GetStatement', body);
      assert.equal((await ask(period)).status, 404);
      assert.equal((await ask({ address, start_time: 0, end_time: 1 })).status, 404);
      const reversed = await ask({ ...period, start_time: period.end_time + 1 });
      assert.equal(problemIn(reversed).code, 'INVALID_ARGUMENT');
    });

    it('are written as CSV by the command line, with the same figures and always the same bytes', async () => {
      const { statement } = await api.getStatement(period);
      const [line = assert.fail('no line')] = statement.lines;
      const write = async (name: string) => {
        const out = join(freshDirectory(), name);
        const times = ['--from', '1970-01-01', '--to', isoOf(period.end_time)];
        const args = ['audit', 'statement', '--wallet', period.wallet_id, ...times, '--csv', '--out', out, '--json'];
        const { code, stdout, stderr } = await runCommand(service.home, args, chainUrl);
        assert.equal(code, 0, stderr);
        assert.equal(JSON.parse(stdout).end_block, statement.end_block);
        return readFileSync(out, 'utf8');
      };
      const text = await write('first.csv');
      assert.equal(text, await write('second.csv'));
      const rows = text
        .trimEnd()
        .split('\r\n')
        .map((row) => row.slice(1, -1).split('","'));
      const [header = [], ...body] = rows;
      const cell = (row: readonly string[], column: string) => row[header.indexOf(column)];
      const amounts = body.map((row) => [cell(row, 'record'), cell(row, 'amount_decimal')]);
      assert.deepEqual(amounts.slice(0, 4), [
        ['opening', '0'],
        ['movement', '1'],
        ['movement', '0.3'],
        ['movement', '0.000000000000000005'],
      ]);
      const closingRow = body.find((row) => cell(row, 'record') === 'closing') ?? assert.fail('no closing');
      assert.equal(cell(closingRow, 'amount'), line.closing_balance);
      assert.deepEqual(
        body.filter((row) => cell(row, 'record') === 'movement').map((row) => cell(row, 'state')),
        ['confirmed', 'confirmed', 'in_transit'],
      );
    });
  });
