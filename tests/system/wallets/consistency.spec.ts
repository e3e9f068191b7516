import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { engines } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { patient, sized } from '../../support/run/tier.js';
import type { Client } from '../../support/service/client.js';
import { call } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const evmAddress = () => `0x${randomBytes(20).toString('hex')}`;

/** Runs the work `times` times, at most `wide` times concurrently. */
const many = async (times: number, wide: number, work: (n: number) => Promise<void>) => {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < times; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: wide }, lane));
};

for (const engine of engines)
  describe(`a pair of API processes on ${engine.name}`, () => {
    let first: Service;
    let second: Service;
    let clients: [Client, Client];
    before(async () => {
      first = await startService({ on: engine });
      second = await startService({ on: first.home, role: 'api' });
      clients = [clientOf(first), clientOf(second)];
    });
    after(() => Promise.all([first.stop(), second.stop()]));
    const one = (n: number) => clients[n % 2] as Client;
    const other = (n: number) => clients[(n + 1) % 2] as Client;

    it('reads every write, on the process that made it and on the other one', async function () {
      this.timeout(patient(900_000));
      let [missed, pending] = [0, 0];
      const times = engine.isEmbedded ? sized(1000, 10_000) : 1000;
      const register = async (n: number) => {
        const { url } = n % 2 === 0 ? first : second;
        const { status, headers, body } = await call(url, demoOf(first.home), '/v1/c/RegisterWallet', { name: `${n}` });
        assert.equal(status, 200, JSON.stringify(body));
        return { wallet_id: String(body.wallet_id), isPending: headers.get('x-consistency') === 'pending' };
      };
      const isFound = async (reader: Client, wallet_id: string, listed: boolean) => {
        if (!listed) return (await reader.c.getWallet({ wallet_id })).wallet.wallet_id === wallet_id;
        const { wallets } = await reader.c.listWallets({ page_size: 100 });
        return wallets.some((found) => found.wallet_id === wallet_id);
      };
      await many(times, 24, async (n) => {
        const { wallet_id, isPending } = await register(n);
        const find = () => isFound(n % 3 === 0 ? one(n) : other(n), wallet_id, n % 10 === 0);
        // A response may say that the read models are behind, for example on a machine that is busy with other tests.
        if (isPending) {
          pending++;
          return until(`wallet ${n} is found`, async () => (await one(n).c.getWallet({ wallet_id })).wallet !== null);
        }
        if (!(await find().catch(() => false))) missed++;
      });
      assert.equal(missed, 0);
      assert.ok(pending < times, 'no answer waited for the read models');
    });

    it('lets exactly one of two wallets win an address that both processes register at once', async () => {
      const [mine, yours] = await Promise.all(clients.map((client) => client.p.registerWallet({ name: 'racer' })));
      assert.ok(mine && yours);
      await many(sized(50, 200), 8, async () => {
        const address = evmAddress();
        const race = await Promise.allSettled([
          clients[0].p.registerAddress({ wallet_id: mine.wallet_id, address }),
          clients[1].p.batchRegisterAddresses({ wallet_id: yours.wallet_id, addresses: [evmAddress(), address] }),
        ]);
        const won = race.map(({ status }) => status === 'fulfilled');
        assert.equal(won.filter(Boolean).length, 1);
        const { wallet } = await clients[0].p.getWallet({ address });
        assert.equal(wallet.wallet_id, won[0] ? mine.wallet_id : yours.wallet_id);
        for (const lost of race)
          if (lost.status === 'rejected') assert.equal(lost.reason.problem.code, 'ALREADY_EXISTS');
      });
    });

    it('applies every one of many concurrent changes of one wallet', async () => {
      const { wallet_id } = await clients[0].c.registerWallet({ name: 'busy' });
      const addresses = Array.from({ length: 60 }, evmAddress);
      await Promise.all([
        ...addresses.map((address, n) => one(n).c.registerAddress({ wallet_id, address })),
        ...addresses.map((_, n) => one(n).c.updateConfirmation({ wallet_id, confirmation: n })),
      ]);
      const { wallet } = await clients[1].c.getWallet({ wallet_id });
      assert.deepEqual(new Set(wallet.addresses), new Set(addresses));
      assert.equal(wallet.addresses.length, addresses.length);
    });

    it('reports which position an answer includes, and waits for a requested position', async () => {
      const demo = demoOf(first.home);
      const written = await eventually(async () => {
        const answer = await call(first.url, demo, '/v1/s/RegisterWallet', { name: 'positioned' });
        assert.equal(answer.headers.get('x-consistency'), null);
        return answer;
      });
      const position = Number(written.headers.get('x-position'));
      assert.ok(position > 0);
      const header = { 'x-min-position': String(position) };
      const read = await call(second.url, demo, '/v1/s/GetWallet', { wallet_id: written.body.wallet_id }, header);
      assert.equal(read.status, 200);
      assert.ok(Number(read.headers.get('x-position')) >= position);
      const future = await call(
        second.url,
        demo,
        '/v1/s/ListWallets',
        {},
        { 'x-min-position': String(position + 1_000_000) },
      );
      assert.equal(future.status, 200);
      assert.equal(future.headers.get('x-consistency'), 'pending');
    });

    it('echoes a valid request id, and replaces a malformed one', async () => {
      const demo = demoOf(first.home);
      const ask = async (id: string) =>
        (await call(first.url, demo, '/v1/c/ListWallets', {}, { 'x-request-id': id })).headers.get('x-request-id');
      assert.equal(await ask('my-request.1'), 'my-request.1');
      assert.match((await ask('with space')) ?? '', /^[0-9a-f-]{36}$/);
    });

    describe('given an idempotency-key', () => {
      const retry = (key: string) => ({ 'idempotency-key': key });

      it('creates one wallet for many concurrent attempts on both processes', async () => {
        const tries = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            one(n).t.registerWallet({ name: 'once', address: `0x${'1'.repeat(40)}` }, retry('k1')),
          ),
        );
        assert.equal(new Set(tries.map(({ wallet_id }) => wallet_id)).size, 1);
        const { wallets } = await clients[0].t.listWallets({ page_size: 100 });
        assert.equal(wallets.filter(({ name }) => name === 'once').length, 1);
      });

      it('gives a retry the first answer, even when the wallet has changed since', async () => {
        const address = evmAddress();
        const { wallet_id } = await clients[0].c.registerWallet({ name: 'holder' });
        await clients[0].c.registerAddress({ wallet_id, address }, retry('k2'));
        await clients[0].c.removeAddress({ wallet_id, address });
        await clients[1].c.registerAddress({ wallet_id, address }, retry('k2'));
        assert.deepEqual((await clients[0].c.getWallet({ wallet_id })).wallet.addresses, []);
      });

      it('repeats an error even when its cause is gone', async () => {
        const address = evmAddress();
        const holder = await clients[0].c.registerWallet({ name: 'holder', address });
        const wanted = () => clients[1].c.registerWallet({ name: 'wanted', address }, retry('k3'));
        await assert.rejects(wanted, /ALREADY_EXISTS/);
        await clients[0].c.removeAddress({ wallet_id: holder.wallet_id, address });
        await assert.rejects(wanted, /ALREADY_EXISTS/);
      });

      it('rejects a different request under the same key', async () => {
        await clients[0].c.registerWallet({ name: 'one' }, retry('k4'));
        await assert.rejects(clients[1].c.registerWallet({ name: 'two' }, retry('k4')), /FAILED_PRECONDITION/);
        await assert.rejects(clients[1].p.registerWallet({ name: 'one' }, retry('k4')), /FAILED_PRECONDITION/);
      });
    });
  });
