import { address } from '../../../domain/aggregates/address.js';
import type { Variant } from '../../../domain/variant.js';
import { createLateAccounts, type LateAccounts } from '../../assets/accounts/late-accounts.js';
import { type Backoff, createBackoff } from '../../async/backoff.js';
import type { Block, Chain, Interest } from '../../ports/chain.js';
import { type EventStore, streamName } from '../../ports/event-store.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import { type BlockEntry, entriesOf, type Unverified, unverifiedIn } from '../block-entries.js';
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

/**
 * Backfill pass: a range of blocks that is read again for token accounts of one organization and contract that were
 * found late.
 */
type Pass = {
  readonly accounts: LateAccounts;
  readonly chain: string;
  readonly backoff: Backoff;
  readonly last: number;
  /** Height of the next block to read; null until the first block is found by its block time. */
  next: number | null;
  retryAt: number;
};
/** Attempt to read the next blocks of a backfill pass. `outcome` is null until the nodes have answered. */
type Attempt = {
  readonly pass: Pass;
  /**
   * Object `activities` of the watch list when the read began. If the watch list was reloaded meanwhile, which replaces
   * the object, the blocks are read once more.
   */
  readonly readFor: WatchList['activities'];
  outcome: { readonly blocks: readonly Block[]; readonly next: number } | { readonly error: Error } | null;
};

const pollIntervalMs = 2000;
/** Maximum number of blocks read in one attempt. */
const blocksAtOnce = 4;
const backoffMs = { firstMs: 1000, maxMs: 960_000 };
/** Tolerated difference between the clocks of the chain and of this machine, in milliseconds. */
const clockSkewMs = 10_000;

/**
 * Creates a function that finds the transfers of late token accounts in a block, if the address of the owner was
 * registered when the block was made.
 */
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
 * Creates a function that reads the next blocks of a backfill pass. The function rejects while a token account of the
 * organization cannot be verified.
 */
const createRead = ({ chain, watched }: Ports) => {
  const interestIn = ({ contract }: LateAccounts): Interest => ({
    address: () => false,
    contract: (one) => one === contract,
    tokenAccounts: (account) =>
      watched.interest.tokenAccounts(account).filter(({ asset }) => asset.contract === contract),
  });
  const readBlock = async (accounts: LateAccounts, number: number) => {
    const header = await chain.headerAt(number);
    const block = header && (await chain.block(header.hash, interestIn(accounts)));
    if (!block) throw new Error(`No node has block ${number}.`);
    if (unverifiedIn(block, watched).some(({ organizationId }) => organizationId === accounts.organizationId))
      throw new Error(`A token account with transactions in block ${number} cannot be verified.`);
    return block;
  };
  return async ({ accounts, next, last }: Pass) => {
    const from = next ?? (await firstBlockSince(chain, last, (accounts.since - clockSkewMs) / 1000));
    const blocks: Block[] = [];
    for (let number = from; number <= last && blocks.length < blocksAtOnce; number++)
      blocks.push(await readBlock(accounts, number));
    return { blocks, next: from + blocks.length };
  };
};

/**
 * Creates functions that work through backfill passes one at a time, with round-robin scheduling of organizations.
 * Blocks are read in parallel with the follower's cycles, because a node may hang for as long as its timeout. The
 * blocks are recorded within a cycle, in which the watch list is complete.
 */
const createPasses = (ports: Ports, variant: Variant, end: (pass: Pass) => Promise<void>) => {
  const { watched, ledgers, system } = ports;
  const find = createFind(ports, variant);
  const read = createRead(ports);
  /** Unfinished passes, least recently served first. */
  const passes = new Set<Pass>();
  let attempt: Attempt | null = null;

  const begin = () => {
    const pass = [...passes].find(({ retryAt }) => retryAt <= system.now());
    if (!pass) return;
    const begun: Attempt = { pass, readFor: watched.activities, outcome: null };
    attempt = begun;
    read(pass).then(
      (outcome) => {
        begun.outcome = outcome;
      },
      (error: Error) => {
        begun.outcome = { error };
      },
    );
  };
  /** Moves the organization's passes to the end of the queue, so that other organizations are served first. */
  const yieldTurn = ({ accounts: { organizationId } }: Pass) => {
    for (const pass of [...passes].filter(({ accounts }) => accounts.organizationId === organizationId)) {
      passes.delete(pass);
      passes.add(pass);
    }
  };
  const record = async (pass: Pass, blocks: readonly Block[], next: number) => {
    for (const block of blocks) {
      const { number, hash, time } = block;
      await ledgers.observe(await find(pass.accounts, block), { number, hash, time, chain: pass.chain }, true);
    }
    pass.next = next;
    pass.backoff.reset();
    if (next <= pass.last) return;
    await end(pass);
    passes.delete(pass);
  };
  const fail = (pass: Pass, error: Error) => {
    pass.retryAt = system.now() + pass.backoff.next();
    const fields = { variant: variant.tag, height: pass.next, organization: pass.accounts.organizationId, err: error };
    system.log.warn(
      fields,
      'Blocks could not be reread for token accounts that were found after these blocks were processed; retrying',
    );
  };
  /** Records the outcome of an attempt; returns false while the nodes have not answered. */
  const finish = async (): Promise<boolean> => {
    if (!attempt) return true;
    const { pass, readFor, outcome } = attempt;
    if (!outcome) return false;
    attempt = null;
    yieldTurn(pass);
    if ('error' in outcome) fail(pass, outcome.error);
    // Records the blocks only if the watch list was not reloaded meanwhile. After a reload, transfers may be missing,
    // so the blocks are read once more.
    else if (readFor === watched.activities) await record(pass, outcome.blocks, outcome.next);
    return true;
  };
  return {
    all: passes,
    advance: async () => {
      if (await finish()) begin();
    },
  };
};

/**
 * Creates the backfill of transfers to token accounts that were discovered after their owner was registered, or that
 * could not be verified when a block was read. The blocks since the registration, or since that block, are read once
 * more. The missing transfers are recorded and webhooks are notified as usual. A failure delays no other organization.
 */
export const createLateAccountBackfill = (ports: Ports, variant: Variant) => {
  const { chain, watched, system } = ports;
  const late = createLateAccounts(ports.state, variant, system);
  const passes = createPasses(ports, variant, ({ accounts }) => late.remove(accounts));
  /** Keys of stored accounts that wait for their pass to begin. */
  let waiting = new Set<string>();
  let polledAt = 0;

  const keyOf = ({ organizationId, contract }: Unverified) => `${organizationId} ${contract}`;
  const poll = async (cursor: Cursor) => {
    if (system.now() - polledAt < pollIntervalMs) return;
    polledAt = system.now();
    const begun = new Set([...passes.all].flatMap(({ accounts }) => accounts.ids));
    const ready = await late.ready();
    const added = ready.filter(({ ids }) => !ids.some((id) => begun.has(id)));
    // Adds the accounts to the watch list, so that blocks after the tip need no backfill.
    if (added.length > 0) await watched.catchUp();
    for (const accounts of added) {
      const backoff = createBackoff(backoffMs);
      const last = tipOf(cursor).number;
      passes.all.add({ accounts, chain: cursor.chain, last, next: null, backoff, retryAt: 0 });
    }
    const left = ready.filter((one) => !added.includes(one) && !one.ids.every((id) => begun.has(id)));
    waiting = new Set(left.map(keyOf));
  };

  return {
    /**
     * Stores the unverified token accounts of a block. Called before the block counts as processed, so that a restart
     * loses no such account.
     */
    defer: async (block: Block): Promise<void> => {
      for (const unverified of unverifiedIn(block, watched)) {
        // Skips accounts that were stored for an earlier block: their pass starts at that block and includes the
        // current block.
        if (waiting.has(keyOf(unverified))) continue;
        await late.add({ ...unverified, since: block.time * 1000, more: false });
        waiting.add(keyOf(unverified));
      }
    },
    run: async (cursor: Cursor): Promise<void> => {
      if (!chain.hasTokenAccounts) return;
      try {
        await poll(cursor);
        await passes.advance();
      } catch (error) {
        system.log.warn(
          { variant: variant.tag, err: error },
          'Token accounts that were found late could not be checked for earlier transfers; retrying',
        );
      }
    },
  };
};
