import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines } from '../support/engines.js';
import { liveAndRebuilt } from '../support/rebuild.js';
import { clientOf, demoOf, type Service, startService } from '../support/service.js';
import { sized } from '../support/tier.js';

const evmAddress = () => `0x${randomBytes(20).toString('hex')}`;
/** What the service acknowledged: it must be there whatever happens. */
type Acknowledged = { wallets: Map<string, string[]>; batchSize: number };

/** Commands from several callers until the service dies under them, some time after so many were answered. */
const hammer = async (service: Service, acknowledged: Acknowledged, answers: number) => {
  const client = clientOf(service);
  let answered = 0;
  const caller = async () => {
    for (;;) {
      const { wallet_id } = await client.c.registerWallet({ name: 'survivor' });
      acknowledged.wallets.set(wallet_id, []);
      const addresses = Array.from({ length: acknowledged.batchSize }, evmAddress);
      await client.c.batchRegisterAddresses({ wallet_id, addresses });
      acknowledged.wallets.set(wallet_id, addresses);
      answered += 2;
      if (answered === answers) setTimeout(() => void service.kill(), Math.random() * 50);
    }
  };
  await Promise.allSettled(Array.from({ length: 8 }, caller));
};

for (const engine of engines)
  describe(`kill -9, on ${engine.name}`, () => {
    it('loses nothing that was acknowledged, keeps no half batch, and read models equal a rebuild', async function () {
      this.timeout(180_000);
      // The engines' doubles store one event after the other.
      const batchSize = engine.isEmbedded ? 40 : 12;
      const acknowledged: Acknowledged = { wallets: new Map(), batchSize };
      let service = await startService({ on: engine });
      const { home } = service;
      for (let round = 0; round < sized(3, 5); round++) {
        await hammer(service, acknowledged, 2 * (1 + round));
        service = await startService({ on: home });
      }
      assert.ok(acknowledged.wallets.size > 20);
      const client = clientOf(service);
      for (const [wallet_id, addresses] of acknowledged.wallets) {
        const { wallet } = await client.c.getWallet({ wallet_id });
        // A batch that was not answered may be there or not, but never in part.
        assert.ok([addresses.length, batchSize].includes(wallet.addresses.length), `${wallet.addresses.length}`);
        if (addresses.length > 0) assert.deepEqual(wallet.addresses, addresses);
      }
      await service.stop();
      const { live, rebuilt } = await liveAndRebuilt(home, [demoOf(home).organizationId]);
      assert.deepEqual(live, rebuilt);
      assert.ok(Object.values(live).flat().length > acknowledged.wallets.size);
    });
  });

for (const engine of engines)
  describe(`SIGTERM, on ${engine.name}`, () => {
    it('answers the requests under way, then ends with nothing to repair', async function () {
      this.timeout(30_000);
      const service = await startService({ on: engine });
      const client = clientOf(service);
      const outcomes: (string | Error)[] = [];
      const caller = async () => {
        for (;;)
          try {
            outcomes.push((await client.c.registerWallet({ name: 'in flight' })).wallet_id);
          } catch (error) {
            outcomes.push(error as Error);
            return;
          }
      };
      const callers = Array.from({ length: 16 }, caller);
      while (outcomes.length < 200) await sleep(5);
      const stopping = Date.now();
      assert.equal(await service.stop(), 0);
      assert.ok(Date.now() - stopping < 10_000);
      await Promise.all(callers);
      // What fails is a connection that was refused or closed between requests, never one that had begun to be served.
      const codes = outcomes
        .filter((one) => one instanceof Error)
        .map((one) => (one as { cause?: { code?: string } }).cause?.code);
      for (const code of codes) assert.ok(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code ?? ''), code);
      const wallets = outcomes.filter((one) => typeof one === 'string');
      const again = await startService({ on: service.home });
      const seen = new Set<string>();
      let token = '';
      do {
        const page = await clientOf(again).c.listWallets({ page_size: 100, page_token: token });
        for (const { wallet_id } of page.wallets) seen.add(wallet_id);
        token = page.pagination.next_page_token;
      } while (token);
      assert.deepEqual(
        wallets.filter((id) => !seen.has(id as string)),
        [],
      );
      await again.stop();
    });
  });
