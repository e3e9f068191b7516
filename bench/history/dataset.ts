import {
  type EventStore,
  type NewEvent,
  noStream,
  type StreamWrite,
  streamName,
} from '../../application/ports/event-store.js';
import { createProjector } from '../../application/processes/project.js';
import { createProgress } from '../../application/progress.js';
import type { Message } from '../../domain/decider.js';
import { ledger } from '../../domain/ledger.js';
import { projections } from '../../projections/index.js';
import type { Home } from '../../tests/support/engines.js';
import { followedVariant } from '../../tests/support/following.js';
import { testSystem } from '../../tests/support/silent.js';

export type Wallet = { readonly walletId: string; readonly address: string; readonly transfers: number };

const perBlock = 10;
const atOnce = 100;
const stranger = `0x${'5'.repeat(40)}`;
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

const stamped = (organizationId: string, { type, data }: Message): NewEvent => ({
  type,
  data,
  id: testSystem.uuid(),
  metadata: {
    organizationId,
    variant: followedVariant.tag,
    actor: { kind: 'process', id: 'bench' },
    requestId: 'bench',
    causationId: 'bench',
    correlationId: 'bench',
    occurredAt: new Date().toISOString(),
  },
});

/** What one block did to the wallet: ten deposits, which stand. */
const blockOf = (organizationId: string, { walletId, address }: Wallet, number: number): StreamWrite => {
  const block = { number, hash: hashOf(number), time: 1_700_000_000 + number, chain: hashOf(0) };
  const transfers = Array.from({ length: perBlock }, (_, i) => ({
    type: 'TransferObserved',
    data: {
      walletId,
      block,
      own: [address],
      transfer: {
        transaction: hashOf(number * perBlock + i),
        index: 'native',
        asset: { standard: 'native' },
        from: stranger,
        to: address,
        value: String(1_000_000 + i),
        fee: '21000',
        failed: false,
        details: { nonce: i },
      },
    },
  }));
  const settled = { type: 'ActivitySettled', data: { walletId, block } };
  return {
    stream: streamName(organizationId, ledger.stream, `${followedVariant.tag}.${walletId}.${block.hash}`),
    expected: noStream,
    events: [...transfers, settled].map((message) => stamped(organizationId, message)),
  };
};

const record = async (events: EventStore, organizationId: string, wallet: Wallet, first: number) => {
  const blocks = wallet.transfers / perBlock;
  for (let done = 0; done < blocks; done += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, blocks - done) }, (_, i) =>
      blockOf(organizationId, wallet, first + done + i),
    );
    await events.append(some);
  }
  return first + blocks;
};

/** The past of some wallets, and the read models that it makes. */
export const writePast = async (home: Home, organizationId: string, wallets: readonly Wallet[]): Promise<void> => {
  const [events, readModels] = await Promise.all([home.events(), home.readModels()]);
  let next = 1;
  for (const wallet of wallets) next = await record(events, organizationId, wallet, next);
  const progress = createProgress(readModels, testSystem);
  const stop = new AbortController();
  const projecting = createProjector({ events, readModels, progress, system: testSystem, projections }).run(
    stop.signal,
  );
  await progress.reached(await events.head(), 3_600_000);
  stop.abort();
  await projecting;
  await Promise.all([events.close(), readModels.close()]);
};
