import { address } from '../../../domain/aggregates/address.js';
import type { Variant } from '../../../domain/variant.js';
import { createLateAccounts, type LateAccounts } from '../../assets/accounts/late-accounts.js';
import { createBackoff } from '../../async/backoff.js';
import type { Block, Chain, Interest } from '../../ports/chain.js';
import { type EventStore, streamName } from '../../ports/event-store.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import { type BlockEntry, entriesOf } from '../block-entries.js';
import { type Cursor, tipOf } from '../cursor.js';
import type { LedgerWriter } from '../ledger-writer.js';
import { firstBlockSince } from './first-block.js';

type Ports = {
  readonly chain: Chain;
  readonly events: EventStore;
  readonly state: StateStore;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly system: System;
};

/** Range of blocks that is read again for one organization's accounts of one contract. */
type Pass = {
  readonly accounts: LateAccounts;
  readonly chain: string;
  readonly last: number;
  readonly backoff: ReturnType<typeof createBackoff>;
  next: number;
  retryAt: number;
};

const pollIntervalMs = 2000;
/** Blocks read in one cycle of the follower, so that new blocks are read in between. */
const blocksAtOnce = 4;
const backoffMs = { firstMs: 1000, maxMs: 60_000 };
/** Tolerated difference between the clocks of the chain and of this machine, in milliseconds. */
const clockSkewMs = 10_000;

/** Finds the transfers of late accounts in a block, to addresses that were registered when the block was made. */
const createFind = ({ events, watched }: Ports, variant: Variant) => {
  const isRegistered = async ({ organizationId }: LateAccounts, own: string, { time }: Block) => {
    const stream = streamName(organizationId, address.stream, `${variant.tag}.${own}`);
    const past = (await events.read(stream)).events;
    const registered = past.findLast(({ type }) => type === 'AddressRegistered');
    return registered !== undefined && Date.parse(registered.metadata.occurredAt) - clockSkewMs <= time * 1000;
  };
  const registeredOf = async (accounts: LateAccounts, block: Block, entry: BlockEntry) => {
    const transfers: BlockEntry['transfers'] = [];
    for (const { transfer, own } of entry.transfers) {
      const isIn = await Promise.all(own.map((one) => isRegistered(accounts, one, block)));
      const registered = own.filter((_, n) => isIn[n]);
      if (registered.length > 0) transfers.push({ transfer, own: registered });
    }
    return transfers.length > 0 ? [{ ...entry, transfers }] : [];
  };
  return async (accounts: LateAccounts, block: Block): Promise<readonly BlockEntry[]> => {
    const movements = block.movements.filter(
      ({ asset }) => 'contract' in asset && asset.contract === accounts.contract,
    );
    const holdersAt: WatchList['holdersAt'] = (held, height) =>
      watched.holdersAt(held, height).filter(({ organizationId }) => organizationId === accounts.organizationId);
    const entries = entriesOf({ ...block, movements, touches: [] }, { ...watched, holdersAt });
    return (await Promise.all(entries.map((entry) => registeredOf(accounts, block, entry)))).flat();
  };
};

/**
 * Backfills transfers to token accounts that were discovered after their owner was registered. Reads the blocks since the
 * registration again, so that these transfers are recorded and notified like others. A failure delays no other
 * organization.
 */
export const createLateAccountBackfill = (ports: Ports, variant: Variant) => {
  const { chain, watched, ledgers, system } = ports;
  const late = createLateAccounts(ports.state, variant, system);
  const find = createFind(ports, variant);
  /** Running passes by the id of their first account, in round-robin order. */
  const passes = new Map<string, Pass>();
  let polledAt = 0;

  const begin = async (cursor: Cursor) => {
    const begun = new Set([...passes.values()].flatMap(({ accounts }) => accounts.ids));
    const added = (await late.ready()).filter(({ ids }) => !ids.some((id) => begun.has(id)));
    // Blocks after the tip need no backfill, because the watch list has the accounts by then.
    if (added.length > 0) await watched.catchUp();
    for (const accounts of added) {
      const last = tipOf(cursor).number;
      const next = await firstBlockSince(chain, last, (accounts.since - clockSkewMs) / 1000);
      const backoff = createBackoff(backoffMs);
      passes.set(accounts.ids[0] ?? '', { accounts, chain: cursor.chain, last, next, backoff, retryAt: 0 });
    }
  };
  const interestIn = ({ contract }: LateAccounts): Interest => ({
    address: () => false,
    contract: (one) => one === contract,
    tokenAccounts: (account) =>
      watched.interest.tokenAccounts(account).filter(({ asset }) => asset.contract === contract),
  });
  const readBlock = async ({ accounts, chain: first }: Pass, number: number) => {
    const header = await chain.headerAt(number);
    const block = header && (await chain.block(header.hash, interestIn(accounts)));
    if (!block) throw new Error(`No node has block ${number}.`);
    const { hash, time } = block;
    await ledgers.observe(await find(accounts, block), { number, hash, time, chain: first }, true);
  };
  const go = async (id: string, pass: Pass) => {
    for (let n = 0; n < blocksAtOnce && pass.next <= pass.last; n++) await readBlock(pass, pass.next++);
    pass.backoff.reset();
    passes.delete(id);
    if (pass.next > pass.last) await late.remove(pass.accounts);
    else passes.set(id, pass);
  };

  return async (cursor: Cursor): Promise<void> => {
    if (!chain.hasTokenAccounts) return;
    const fields = { variant: variant.tag };
    try {
      if (system.now() - polledAt >= pollIntervalMs) {
        polledAt = system.now();
        await begin(cursor);
      }
    } catch (error) {
      system.log.warn({ ...fields, err: error }, 'Token accounts to backfill could not be read; retrying');
    }
    const due = [...passes].find(([, { retryAt }]) => retryAt <= system.now());
    if (!due) return;
    const [id, pass] = due;
    const { next, accounts } = pass;
    try {
      await go(id, pass);
    } catch (error) {
      pass.next = next;
      pass.retryAt = system.now() + pass.backoff.next();
      const about = { ...fields, height: next, organization: accounts.organizationId, err: error };
      system.log.warn(about, 'Backfill of late token accounts failed; retrying');
    }
  };
};
