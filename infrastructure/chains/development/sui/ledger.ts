import { createHash, randomBytes } from 'node:crypto';
import { toBase58 } from '@mysten/sui/utils';
import { nativeCoinType } from '../../sui/coin-type.js';
import type { Checkpoint, ExecutedTransaction } from '../../sui/wire.js';

/** Change of one address's balance in one coin. */
type Change = { readonly address: string; readonly coinType: string; readonly amount: bigint };
type Order = {
  readonly sender: string;
  /** Balance changes that the transaction makes, without the gas. */
  readonly changes: readonly Change[];
  /** Address that pays the gas; if absent, the sender pays. */
  readonly payer?: string;
  readonly failed?: boolean;
};

/** Data of a chain that a development node serves: checkpoints, balances and coins. */
export type SuiSource = {
  readonly chainId: string;
  height(): number;
  /** Finds a checkpoint by number or digest. */
  checkpoint(id: number | string): Checkpoint | undefined;
  balance(owner: string, coinType: string): bigint;
  hasCoin(coinType: string): boolean;
  /**
   * Calls `notice` with each new checkpoint until the returned function is called. A source may call `end` to close the
   * connection of the listener.
   */
  listen(notice: (checkpoint: Checkpoint) => void, end: () => void): () => void;
  /**
   * Runs before each call of a gRPC method and throws to reject the call. Absent if all calls are allowed.
   */
  admit?(method: string): void;
  /** Returns the number of the oldest available checkpoint. Default 0. */
  lowest?(): number;
};
export type SuiLedger = SuiSource & {
  /** Executes a transaction for the next checkpoint and returns its digest. */
  execute(order: Order): string;
  /** Creates a checkpoint with the transactions executed since the last one. */
  makeCheckpoint(): Checkpoint;
};

const digestOf = (content: unknown) => {
  const text = JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  return toBase58(createHash('sha256').update(text).digest());
};

/** Gas costs, in MIST, of a coin transfer on the real network. */
const gasUsed = { computationCost: 1_000_000n, storageCost: 1_976_000n, storageRebate: 978_120n };
const gas = gasUsed.computationCost + gasUsed.storageCost - gasUsed.storageRebate;

const merged = (changes: readonly Change[]) => {
  const sums = new Map<string, Change>();
  for (const change of changes) {
    const key = `${change.address} ${change.coinType}`;
    sums.set(key, { ...change, amount: (sums.get(key)?.amount ?? 0n) + change.amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
};

const createAccounts = () => {
  const balances = new Map<string, bigint>();
  const coins = new Set<string>([nativeCoinType]);
  const keyOf = (owner: string, coinType: string) => `${owner} ${coinType}`;
  return {
    balance: (owner: string, coinType: string) => balances.get(keyOf(owner, coinType)) ?? 0n,
    hasCoin: (coinType: string) => coins.has(coinType),
    apply: ({ address, coinType, amount }: Change) => {
      coins.add(coinType);
      const key = keyOf(address, coinType);
      balances.set(key, (balances.get(key) ?? 0n) + amount);
    },
  };
};

/** Creates an in-memory chain of checkpoints. Signatures are not checked. */
export const createSuiLedger = (now: () => number): SuiLedger => {
  const { balance, hasCoin, apply } = createAccounts();
  const checkpoints: Checkpoint[] = [];
  const byDigest = new Map<string, Checkpoint>();
  const listeners = new Set<(checkpoint: Checkpoint) => void>();
  // A random salt gives each chain a different first checkpoint.
  const salt = randomBytes(16).toString('hex');
  let waiting: ExecutedTransaction[] = [];
  let executed = 0;

  const execute = ({ sender, changes, payer = sender, failed = false }: Order) => {
    const paid = merged([...(failed ? [] : changes), { address: payer, coinType: nativeCoinType, amount: -gas }]);
    const digest = digestOf([salt, executed++, sender, paid]);
    for (const change of paid) apply(change);
    waiting.push({
      digest,
      signatures: [],
      transaction: { sender, gasPayment: { objects: [], owner: payer } },
      effects: {
        status: { success: !failed },
        gasUsed,
        dependencies: [],
        changedObjects: [],
        unchangedConsensusObjects: [],
        unchangedLoadedRuntimeObjects: [],
      },
      balanceChanges: paid.map((change) => ({ ...change, amount: change.amount.toString() })),
    });
    return digest;
  };

  const makeCheckpoint = () => {
    const sequenceNumber = BigInt(checkpoints.length);
    const previousDigest = checkpoints.at(-1)?.digest;
    const ms = now();
    const timestamp = { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
    const transactions = waiting.map((one) => ({ ...one, checkpoint: sequenceNumber, timestamp }));
    const digests = transactions.map(({ digest }) => digest as string);
    const digest = digestOf([salt, sequenceNumber, previousDigest, digests]);
    const checkpoint: Checkpoint = {
      sequenceNumber,
      digest,
      summary: { digest, sequenceNumber, timestamp, commitments: [], ...(previousDigest && { previousDigest }) },
      contents: { transactions: digests.map((transaction) => ({ transaction, signatures: [] })) },
      transactions,
    };
    waiting = [];
    checkpoints.push(checkpoint);
    byDigest.set(digest, checkpoint);
    for (const notice of listeners) notice(checkpoint);
    return checkpoint;
  };

  const first = makeCheckpoint();
  return {
    chainId: first.digest as string,
    height: () => checkpoints.length - 1,
    checkpoint: (id) => (typeof id === 'number' ? checkpoints[id] : byDigest.get(id)),
    balance,
    hasCoin,
    listen: (notice) => {
      listeners.add(notice);
      return () => listeners.delete(notice);
    },
    execute,
    makeCheckpoint,
  };
};
