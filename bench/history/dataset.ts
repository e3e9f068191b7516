import { join } from 'node:path';
import { type NewEvent, noStream, type StreamWrite, streamName } from '../../application/ports/event-store.js';
import { createRebuild } from '../../application/projecting/rebuild.js';
import { ledger } from '../../domain/aggregates/ledger.js';
import type { Message } from '../../domain/decider.js';
import { inTransaction, openDatabase } from '../../infrastructure/sqlite/database.js';
import { projections } from '../../projections/index.js';
import type { Home } from '../../tests/support/engines/engines.js';
import { followedVariant } from '../../tests/support/following/following.js';
import { testSystem } from '../../tests/support/silent.js';

export type Wallet = { readonly walletId: string; readonly address: string; readonly transfers: number };

const perBlock = 10;
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

/** Builds the events of one block with ten settled deposits to the wallet. */
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

/** Builds the event with the balance that was read from the chain after the wallet's last block. */
const readingOf = (organizationId: string, { walletId, address, transfers }: Wallet, number: number): StreamWrite => {
  const at = { number, hash: hashOf(number), time: 1_700_000_000 + number, chain: hashOf(0) };
  const perFullBlock = perBlock * 1_000_000 + (perBlock * (perBlock - 1)) / 2;
  const balance = String((transfers / perBlock) * perFullBlock);
  const data = { walletId, address, asset: { standard: 'native' }, balance, at };
  return {
    stream: streamName(organizationId, ledger.stream, `${followedVariant.tag}.${walletId}.read`),
    expected: noStream,
    events: [stamped(organizationId, { type: 'BalanceRead', data })],
  };
};

/** Inserts rows directly into the embedded store, because a million appends would take too long. */
const insertHistory = (path: string, organizationId: string, wallets: readonly Wallet[]) => {
  const db = openDatabase(path, 'relaxed');
  const insert = db.prepare(
    'INSERT INTO events (stream, revision, organization, id, type, data, metadata, time, remaining) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const put = ({ stream, events }: StreamWrite) => {
    for (const [i, { id, type, data, metadata }] of events.entries()) {
      const texts = [id, type, JSON.stringify(data), JSON.stringify(metadata)];
      insert.run(stream, i, organizationId, ...texts, Date.now(), events.length - 1 - i);
    }
  };
  let block = 1;
  for (const wallet of wallets)
    inTransaction(db, () => {
      for (let left = wallet.transfers; left > 0; left -= perBlock) put(blockOf(organizationId, wallet, block++));
      put(readingOf(organizationId, wallet, block - 1));
    });
  db.close();
};

/** Writes the history of the wallets and builds its read models. */
export const writeHistory = async (home: Home, organizationId: string, wallets: readonly Wallet[]): Promise<void> => {
  insertHistory(join(home.directory, 'events.db'), organizationId, wallets);
  const [events, readModels] = await Promise.all([home.events(), home.readModels()]);
  const { run } = createRebuild({ events, readModels, system: testSystem, projections });
  await run(projections, { signal: new AbortController().signal, report: () => undefined });
  await Promise.all([events.close(), readModels.close()]);
};
