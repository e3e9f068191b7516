import type { Variant } from '../../../domain/variant.js';
import type { ContractDocument } from '../../../projections/contracts.js';
import { createBackoff } from '../../async/backoff.js';
import { createFairTurns } from '../../async/turns/fair-turns.js';
import type { Context } from '../../commands/handle.js';
import type { Position, Recorded } from '../../ports/event-store.js';
import { fromCheckpoint } from '../../processes/from-checkpoint.js';
import type { Progress } from '../../read-models/progress.js';
import type { Contracts } from '../contracts.js';
import { createFindPart, type FindingPorts } from './find-part.js';

type Ports = FindingPorts & {
  readonly contracts: Contracts;
  readonly progress: Progress;
};

/** Maximum number of concurrent calls of `findPart`. Low, because the follower uses the same nodes. */
const maxConcurrent = 2;
const maxConcurrentPerOrganization = 1;
const maxWaiting = 1;
const catchUpMs = 1000;
const retry = { firstMs: 500, maxMs: 10_000 };

const isNews = ({ type, data }: Recorded) =>
  type === 'AddressRegistered' ||
  (type === 'ContractRegistered' && (data as { standard?: string }).standard === 'token');

/**
 * Returns a function that finds all missing token accounts of one organization, and resolves to the number of contracts
 * that failed.
 */
const createRound = (ports: Ports, variant: Variant) => {
  const { contracts, system } = ports;
  const inTurn = createFairTurns({ maxConcurrent, maxConcurrentPerKey: maxConcurrentPerOrganization, maxWaiting });
  const findPart = createFindPart(ports, variant);

  const findAll = async (context: Context, contract: ContractDocument, signal: AbortSignal) => {
    while (!signal.aborted && (await inTurn(context.organizationId, () => findPart(context, contract))));
  };
  return async (organizationId: string, signal: AbortSignal): Promise<number> => {
    const actor = { kind: 'process', id: 'finder of token accounts' } as const;
    const context: Context = { organizationId, variant, actor, requestId: system.uuid() };
    let failed = 0;
    for (const token of await contracts.list(context))
      if (token.standard === 'token' && !signal.aborted)
        try {
          await findAll(context, token, signal);
        } catch (error) {
          failed++;
          system.log.warn(
            { organization: organizationId, contract: token.contract, err: error },
            'Token accounts of a contract could not be found; retrying',
          );
        }
    return failed;
  };
};

/**
 * Creates the process that finds the token accounts of every address for the registered contracts of its organization,
 * on chains where tokens are held by separate accounts. Organizations are served round-robin, a few addresses at a
 * time.
 */
export const createAccountFinder = (ports: Ports, variant: Variant) => {
  const { progress, system } = ports;
  const round = createRound(ports, variant);
  /** Organizations with an unfinished search, oldest first, each with the position to resume from after a restart. */
  const unfinished = new Map<string, Position>();
  /**
   * Organizations with an unfinished search, each with the position that the read models must reach before the next
   * search.
   */
  const awaited = new Map<string, Position>();

  const work = async (organizationId: string, signal: AbortSignal) => {
    const backoff = createBackoff(retry);
    for (let done: Position = -1; !signal.aborted && done !== awaited.get(organizationId); ) {
      const upTo = awaited.get(organizationId) ?? 0;
      while (!signal.aborted && !(await progress.reached(upTo, catchUpMs)));
      const failed = await round(organizationId, signal).catch((error: unknown) => {
        system.log.warn(
          { organization: organizationId, err: error },
          'Token accounts of an organization could not be found; retrying',
        );
        return 1;
      });
      if (failed === 0) done = upTo;
      else await system.sleep(backoff.next(), signal);
    }
    unfinished.delete(organizationId);
    awaited.delete(organizationId);
  };

  const follow = fromCheckpoint(`find-token-accounts-${variant.tag}`, ports, {
    unfinishedFrom: () => unfinished.values().next().value,
  });
  return async (signal: AbortSignal): Promise<void> => {
    const running = new Set<Promise<void>>();
    const begin = (organizationId: string, from: Position) => {
      unfinished.set(organizationId, from);
      const working = work(organizationId, signal);
      running.add(working);
      void working.finally(() => running.delete(working));
    };
    await follow(signal, async (batch, from) => {
      const news = batch.filter((event) => event.metadata.variant === variant.tag && isNews(event));
      for (const { position, metadata } of news) {
        awaited.set(metadata.organizationId, position);
        if (!unfinished.has(metadata.organizationId)) begin(metadata.organizationId, from);
      }
      return news.length > 0 && !signal.aborted;
    });
    await Promise.all(running);
  };
};
