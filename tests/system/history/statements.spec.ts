import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { JsonRpcProvider, Network, parseEther, Wallet } from 'ethers';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { checkStolenPage } from '../../support/service/stolen-page.js';
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

    it('list the same movements in pages that no other organization continues, and the lines on the first page', async () => {
      const { movements } = await api.getStatement(period);
      const first = await api.getStatement({ ...period, page_size: 2 });
      const second = await api.getStatement({ ...period, page_size: 2, page_token: first.pagination.next_page_token });
      assert.deepEqual([...first.movements, ...second.movements], movements);
      assert.deepEqual([second.statement.lines, second.pagination.next_page_token], [[], '']);
      const by = await newOrganization(service.home, 'thief');
      const { wallet_id } = await clientOf(service, by).c.registerWallet({ name: 'own', address });
      const own = { by: demoOf(service.home), fields: period };
      await checkStolenPage(service.url, '/v1/c/GetStatement', own, { by, fields: { ...period, wallet_id } });
    });

    it('are given neither to other organizations nor for a reversed period', async () => {
      const stranger = await newOrganization(service.home, 'stranger');
      const ask = (body: object, by?: typeof stranger) => call(service.url, by ?? stranger, '/v1/c/GetStatement', body);
      assert.equal((await ask(period)).status, 404);
      assert.equal((await ask({ address, start_time: 0, end_time: 1 })).status, 404);
      const reversed = await ask({ ...period, start_time: period.end_time + 1 });
      assert.equal(problemIn(reversed).code, 'INVALID_ARGUMENT');
    });

    const commandFor = (format: string, out: string) => {
      const times = ['--from', '1970-01-01', '--to', isoOf(period.end_time)];
      return ['audit', 'statement', '--wallet', period.wallet_id, ...times, `--${format}`, '--out', out, '--json'];
    };
    const writeFile = async (format: string, name: string) => {
      const out = join(freshDirectory(), name);
      const { code, stdout, stderr } = await runCommand(service.home, commandFor(format, out), chainUrl);
      assert.equal(code, 0, stderr);
      const { end_block, movements } = JSON.parse(stdout);
      assert.deepEqual([end_block, movements], [await provider.getBlockNumber(), 3]);
      assert.equal(statSync(out).mode & 0o077, 0);
      assert.deepEqual(readdirSync(dirname(out)), [name]);
      return readFileSync(out);
    };

    it('are written as a workbook and as PDF, always with the same bytes', async () => {
      for (const [format, start] of [
        ['xlsx', 'PK'],
        ['pdf', '%PDF-'],
      ] as const) {
        const first = await writeFile(format, `statement.${format}`);
        assert.ok(first.toString('latin1').startsWith(start));
        assert.ok(first.equals(await writeFile(format, `again.${format}`)), format);
      }
    });

    const unreachable = { CHAIN_C_URL: 'http://127.0.0.1:1' };

    it('say when no node answered, and have the same movements', async () => {
      const [text, json] = ['text.csv', 'json.csv'].map((name) => commandFor('csv', join(freshDirectory(), name)));
      const { code, stdout, stderr } = await runCommand(service.home, json ?? [], unreachable);
      assert.equal(code, 0, stderr);
      const { movements, unexplained, without_node } = JSON.parse(stdout);
      assert.deepEqual([movements, unexplained, without_node], [3, 0, true]);
      const shown = await runCommand(service.home, text?.slice(0, -1) ?? [], unreachable);
      assert.match(
        shown.stdout,
        /^No node of C answered, so the period ends with the last block .* Check CHAIN_C_URL/m,
      );
    });

    it('are part of evidence written beside the running service, and the evidence says when no node answered', async () => {
      const organization = ['--organization', demoOf(service.home).organizationId];
      const verify = (args: readonly string[]) => runCommand(service.home, ['audit', 'verify', ...args]);
      await until('the sealer has hashed the history', async () => (await verify(organization)).code === 0);
      for (const [url, without] of [
        [chainUrl, 0],
        [unreachable, 1],
      ] as const) {
        const out = join(freshDirectory(), 'evidence');
        const command = ['audit', 'evidence', ...organization, '--period', '2000-01-01/2999-12-31', '--out', out];
        const { code, stdout, stderr } = await runCommand(service.home, [...command, '--json'], url);
        assert.equal(code, 0, stderr);
        const { statements, statements_without_node } = JSON.parse(stdout);
        assert.deepEqual([statements, statements_without_node], [1, without]);
        assert.match(readFileSync(join(out, `statement-${period.wallet_id}.csv`), 'utf8'), /^"closing","0x/m);
        const readme = readFileSync(join(out, 'README.txt'), 'utf8').replaceAll('\n', ' ');
        assert.equal(readme.includes('For 1 of the 1 statement no node of the chain answered.'), without === 1);
        assert.equal((await verify([out])).code, 0);
      }
    });

    it('never overwrite a file, and take one format at a time', async () => {
      const out = join(freshDirectory(), 'kept.csv');
      writeFileSync(out, 'kept');
      const { code, stdout } = await runCommand(service.home, commandFor('csv', out), chainUrl);
      assert.deepEqual([code, JSON.parse(stdout).code], [1, 'FAILED_PRECONDITION']);
      assert.equal(readFileSync(out, 'utf8'), 'kept');
      assert.deepEqual(readdirSync(dirname(out)), ['kept.csv']);
      const both = await runCommand(service.home, [...commandFor('csv', out), '--pdf'], chainUrl);
      assert.equal(both.code, 2);
    });

    it('are written as CSV by the command line, with the same figures and always the same bytes', async () => {
      const { statement } = await api.getStatement(period);
      const [line = assert.fail('no line')] = statement.lines;
      const write = async (name: string) => (await writeFile('csv', name)).toString();
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
