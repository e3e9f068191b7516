import { status } from '@grpc/grpc-js';
import type { SuiSource } from '../../../infrastructure/chains/development/sui/ledger.js';
import { grpcError, serveSui } from '../../../infrastructure/chains/development/sui/server.js';
import { normalCoinType } from '../../../infrastructure/chains/sui/coin-type.js';
import type { Checkpoint } from '../../../infrastructure/chains/sui/wire.js';

/** Faults of a node, all switched off. */
const wellBehaved = {
  /** Number of checkpoints by which the node is behind the ledger. */
  lag: 0,
  /** Rejects every third call as unavailable; `busy` and `broken` reject with other codes. */
  unavailable: false,
  busy: false,
  broken: false,
  /** Maximum number of calls within a tenth of a second; 0 for no limit. */
  maxInTenth: 0,
  /** Lacks the checkpoints with odd numbers, except the newest. */
  skips: false,
  /** Answers every third call with the checkpoint before the requested one. */
  repeats: false,
  /** Leaves out the last transaction of every checkpoint. */
  truncated: false,
  /** Sends nothing to subscribers, although their connections stay open. */
  silent: false,
  /** Sends subscribers checkpoints with a number that the chain cannot have reached. */
  leaps: false,
  /** Does not support subscriptions. */
  unsubscribed: false,
  /** Answers every third call from the state of three checkpoints ago. */
  stale: false,
  /** Number of the oldest checkpoint that was not pruned. */
  lowest: 0,
};
type Faults = typeof wellBehaved;
/** Number of the checkpoints that a node with the fault `leaps` sends. */
export const impossibleHeight = 0xffff_ffffn;

const every = 3;
const rejections = [
  ['unavailable', status.UNAVAILABLE],
  ['busy', status.RESOURCE_EXHAUSTED],
  ['broken', status.INTERNAL],
] as const;

/**
 * Creates a gate that counts calls by method, notes their times, and rejects calls above the limit per second or per
 * tenth of a second.
 */
const createGate = (faults: Faults) => {
  const counts = new Map<string, number>();
  const [admitted, inTenth]: [number[], number[]] = [[], []];
  const askedAt: number[] = [];
  let limit = { perSecond: Number.POSITIVE_INFINITY, code: status.RESOURCE_EXHAUSTED };
  let refused = 0;
  const within = (times: number[], ms: number) => {
    while (times.length > 0 && performance.now() - (times[0] as number) >= ms) times.shift();
    return times.length;
  };
  const refuseWith = (code: status, reason: string): never => {
    refused++;
    throw grpcError(code, reason);
  };
  return {
    asked: () => askedAt.length,
    askedAt,
    countOf: (method: string) => counts.get(method) ?? 0,
    refused: () => refused,
    limit: (perSecond: number, code = status.RESOURCE_EXHAUSTED) => {
      limit = { perSecond, code };
    },
    admit: (method: string) => {
      askedAt.push(performance.now());
      counts.set(method, (counts.get(method) ?? 0) + 1);
      if (within(admitted, 1000) >= limit.perSecond) refuseWith(limit.code, 'too many requests');
      if (faults.maxInTenth > 0 && within(inTenth, 100) >= faults.maxInTenth)
        refuseWith(status.RESOURCE_EXHAUSTED, 'too many requests');
      admitted.push(performance.now());
      inTenth.push(performance.now());
      if (faults.unsubscribed && method === 'subscribeCheckpoints')
        refuseWith(status.UNIMPLEMENTED, 'there are no subscriptions');
    },
  };
};

/** Starts a gRPC node that serves the ledger's chain and can be made to fail. */
export const startSuiNode = async (ledger: SuiSource) => {
  const faults: Faults = { ...wellBehaved };
  const gate = createGate(faults);
  const streams = new Set<() => void>();
  let balancesRead = 0;
  let maxBalances = Number.POSITIVE_INFINITY;
  let afterRead = () => {};
  let refusedCoin: string | null = null;
  const maybeRefuse = (method: string) => {
    gate.admit(method);
    for (const [fault, code] of rejections)
      if (faults[fault] && gate.asked() % every === 0) throw grpcError(code, `the node is ${fault}`);
  };
  const height = () => {
    const behind = faults.stale && gate.asked() % every === 0 ? every : 0;
    return Math.max(0, ledger.height() - Math.max(faults.lag, behind));
  };
  const spoil = (checkpoint: Checkpoint): Checkpoint | undefined => {
    const number = Number(checkpoint.sequenceNumber);
    if (number < faults.lowest) return undefined;
    if (faults.skips && number < height() && number % 2 === 1) return undefined;
    if (faults.repeats && number > 0 && gate.asked() % every === 0) return ledger.checkpoint(number - 1);
    return faults.truncated ? { ...checkpoint, transactions: checkpoint.transactions.slice(0, -1) } : checkpoint;
  };
  const changeIn = (number: number, owner: string, coinType: string) =>
    (ledger.checkpoint(number)?.transactions ?? [])
      .flatMap(({ balanceChanges }) => balanceChanges)
      .filter((one) => one.address === owner && normalCoinType(one.coinType ?? '') === coinType)
      .reduce((sum, { amount = '0' }) => sum + BigInt(amount), 0n);
  const source: SuiSource = {
    ...ledger,
    admit: maybeRefuse,
    lowest: () => faults.lowest,
    height,
    checkpoint: (id) => {
      const found = ledger.checkpoint(id);
      return found && spoil(found);
    },
    listen: (notice, end) => {
      const leave = ledger.listen(() => {
        const found = faults.silent ? undefined : ledger.checkpoint(height());
        const shown = found && spoil(found);
        if (shown) notice(faults.leaps ? { ...shown, sequenceNumber: impossibleHeight } : shown);
      }, end);
      streams.add(end);
      return () => {
        streams.delete(end);
        leave();
      };
    },
    // A node that lags answers with the balance at its own height.
    balance: (owner, coinType) => {
      if (balancesRead >= maxBalances) throw grpcError(status.INTERNAL, 'the limit of balances is reached');
      if (coinType === refusedCoin) throw grpcError(status.INVALID_ARGUMENT, 'no such coin');
      balancesRead++;
      let sum = 0n;
      for (let number = 0; number <= height(); number++) sum += changeIn(number, owner, coinType);
      afterRead();
      return sum;
    },
  };
  const { url, close } = await serveSui(source);
  return {
    url,
    close,
    faults,
    /** Numbers of calls so far: all, those of one method, and those rejected by the rate limit. `at` has their times. */
    calls: { all: gate.asked, of: gate.countOf, refused: gate.refused, at: gate.askedAt as readonly number[] },
    /** Sets the maximum number of calls per second; further calls are rejected. */
    limit: gate.limit,
    /** Number of open subscriptions. */
    subscribers: () => streams.size,
    /** Ends all subscriptions. */
    hangUp: () => {
      for (const end of [...streams]) end();
    },
    /** Runs `work` each time after a balance is read and before the node returns the balance. */
    whenRead: (work: () => void) => {
      afterRead = work;
    },
    /** Rejects requests for balances of a coin; null for none. */
    refuseCoin: (coinType: string | null) => {
      refusedCoin = coinType;
    },
    /**
     * Lets `max` further reads of balances succeed, and makes all later ones fail. Returns the number of reads that
     * succeeded since the last call of `limitBalances`.
     */
    limitBalances: (max: number) => {
      const answered = balancesRead;
      balancesRead = 0;
      maxBalances = max;
      return answered;
    },
    heal: () => Object.assign(faults, wellBehaved),
  };
};
export type SuiNode = Awaited<ReturnType<typeof startSuiNode>>;
