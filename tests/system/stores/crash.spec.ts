import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { engines } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { liveAndRebuilt } from '../../support/histories/rebuild.js';
import { createRandom } from '../../support/random.js';
import { seed } from '../../support/run/seed.js';
import { sized } from '../../support/run/tier.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const evmAddress = () => `0x${randomBytes(20).toString('hex')}`;
/** Wallets and addresses that the service acknowledged, all of which must survive a crash. */
type Acknowledged = { wallets: Map<string, string[]>; batchSize: number };

const callers = 8;
const random = createRandom(seed, 'kills of a service');

/**
 * Sends commands from several callers. Kills the service once there are `batches` stored batches, and as many new
 * wallets as callers.
 */
const hammer = async (service: Service, acknowledged: Acknowledged, batches: number) => {
  const client = clientOf(service);
  const before = acknowledged.wallets.size;
  let [stored, isKilling] = [0, false];
  const killSoon = () => {
    if (isKilling || stored < batches || acknowledged.wallets.size < before + callers) return;
    isKilling = true;
    setTimeout(() => void service.kill(), random.below(50));
  };
  const caller = async () => {
    for (;;) {
      const { wallet_id } = await client.c.registerWallet({ name: 'survivor' });
      acknowledged.wallets.set(wallet_id, []);
      killSoon();
      const addresses = Array.from({ length: acknowledged.batchSize }, evmAddress);
      await client.c.batchRegisterAddresses({ wallet_id, addresses });
      acknowledged.wallets.set(wallet_id, addresses);
      stored++;
      killSoon();
    }
  };
  await Promise.allSettled(Array.from({ length: callers }, caller));
  // Waits until the process has ended, because only then may the next one open its stores.
  await service.kill();
};

for (const engine of engines)
  describe(`a service killed with SIGKILL on ${engine.name}`, () => {
    it('loses nothing that it acknowledged, keeps no partial batch, and has read models that equal a rebuild', async () => {
      // Chooses smaller batches on the engines' doubles, which store one event after the other.
      const batchSize = engine.isEmbedded ? 40 : 12;
      const acknowledged: Acknowledged = { wallets: new Map(), batchSize };
      let service = await startService({ on: engine });
      const { home } = service;
      for (let round = 0; round < sized(3, 5); round++) {
        await hammer(service, acknowledged, 1 + round);
        service = await startService({ on: home });
      }
      assert.ok(acknowledged.wallets.size > 20);
      const client = clientOf(service);
      for (const [wallet_id, addresses] of acknowledged.wallets) {
        const { wallet } = await client.c.getWallet({ wallet_id });
        // A batch without a response may be stored or not, but never in part.
        assert.ok([addresses.length, batchSize].includes(wallet.addresses.length), `${wallet.addresses.length}`);
        if (addresses.length > 0) assert.deepEqual(wallet.addresses, addresses);
      }
      await service.stop();
      const { live, rebuilt } = await liveAndRebuilt(home, [demoOf(home).organizationId]);
      assert.deepEqual(live, rebuilt);
      assert.ok(Object.values(live).flat().length > acknowledged.wallets.size);
    });
  });

/** Returns the code of the system error that a failed call was caused by. */
const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code ?? (cause === undefined ? undefined : codeOf(cause));
};

for (const engine of engines)
  describe(`a service stopped with SIGTERM on ${engine.name}`, () => {
    it('answers in-flight requests, then exits with nothing to repair', async () => {
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
      const calling = Array.from({ length: 16 }, caller);
      await until('the callers are busy', () => outcomes.length >= 200);
      assert.equal(await service.stop(), 0);
      await Promise.all(calling);
      // A connection may be refused or closed between requests, but a request in progress is answered.
      const codes = outcomes.filter((one) => one instanceof Error).map(codeOf);
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
