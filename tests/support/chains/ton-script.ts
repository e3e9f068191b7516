import type { Transaction } from '../../../infrastructure/chains/ton/transactions.js';
import { inCells } from './ton-cells.js';
import { accountOf, coinBody, hashOf, jettonBodies, type Script, tonTransaction } from './ton-transactions.js';

export type Transfer = {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /**
   * Kind of the transfer, by default 'coin'. The receiver of a 'refused' payment sends the coins back, 'jetton' is a
   * transfer of jettons, and 'forged' is a message that only pretends to be a transfer of jettons.
   */
  readonly kind?: 'coin' | 'refused' | 'jetton' | 'forged';
  /** True when the transfer arrives only in the next block. */
  readonly isLate?: boolean;
};

export type BlockId = { readonly workchain: number; readonly shard: string; readonly seqno: number };
export type ShardBlock = BlockId & { readonly before: readonly BlockId[]; transactions: Transaction[] };
export type ScriptedBlock = {
  seqno: number;
  hash: string;
  time: number;
  /** Logical time at which the block starts. */
  lt: bigint;
  blocks: readonly ShardBlock[];
  /** Newest block of each shard. */
  tops: readonly BlockId[];
};
/**
 * Ways in which the shards can change in a masterchain block. 'usual' makes one block for each shard, 'twice' makes
 * two, and 'idle' makes none for the last of two shards. 'split' does the same as 'usual' if the shards are split
 * already, and so does 'merge' if they are merged already.
 */
export const shapes = ['usual', 'twice', 'idle', 'split', 'merge'] as const;
export type Shape = (typeof shapes)[number];

export const master = accountOf('master');
/** System contract that runs at the start of every block. */
export const elector = `-1:${'3'.repeat(64)}`;
/** Address of the contract that holds an owner's jettons. */
export const jettonWalletOf = (owner: string) => accountOf(`jettons of ${owner}`);
export const fee = 1000n;
const whole = '8000000000000000';
const halves = ['4000000000000000', 'C000000000000000'];
const endowment = 1_000_000_000n;

/** Makes the next blocks of the shards, without transactions. */
const nextBlocks = (tops: readonly BlockId[], shape: Shape): ShardBlock[] => {
  const after = (shard: string, before: readonly BlockId[]): ShardBlock => ({
    workchain: 0,
    shard,
    seqno: Math.max(0, ...before.map(({ seqno }) => seqno)) + 1,
    before,
    transactions: [],
  });
  if (shape === 'merge' && tops.length > 1) return [after(whole, tops)];
  if (shape === 'split' && tops.length === 1) return halves.map((shard) => after(shard, tops));
  const made = tops.map((top) => after(top.shard, [top]));
  if (shape === 'twice') return made.flatMap((block) => [block, after(block.shard, [block])]);
  return shape === 'idle' && made.length > 1 ? made.slice(0, -1) : made;
};
const newest = (tops: readonly BlockId[], made: readonly ShardBlock[]): readonly BlockId[] => {
  const followed = new Set(made.flatMap(({ before }) => before));
  return [...tops, ...made].filter((block) => !followed.has(block)).sort((a, b) => (a.shard < b.shard ? -1 : 1));
};

/**
 * Makes a small scripted TON chain: final blocks of a masterchain and of up to two shards, one block per second after
 * `start` (Unix seconds).
 */
export const createTonScript = (network: number, start = 1_700_000_000) => {
  const blocks: ScriptedBlock[] = [];
  const coins = new Map<string, bigint>();
  const jettons = new Map<string, bigint>();
  const lastTimes = new Map<string, bigint>();
  let late: Omit<Script, 'lt'>[] = [];
  let lt = 0n;
  let tops: readonly BlockId[] = halves.map((shard) => ({ workchain: 0, shard, seqno: 0 }));

  const balance = (account: string) => coins.get(account) ?? endowment;
  const jettonBalance = (account: string) => jettons.get(account) ?? endowment;
  const charge = ({ account, in: received, out = [] }: Omit<Script, 'lt'>) => {
    const sent = out.reduce((sum, { value }) => sum + value, 0n);
    coins.set(account, balance(account) + (received?.value ?? 0n) - sent - fee);
  };
  const moveJettons = (wallet: string, amount: bigint) => jettons.set(wallet, jettonBalance(wallet) + amount);

  /**
   * Lists the transactions of a transfer: first the transactions of its own block, then the transactions that may come
   * a block later.
   */
  const coinTransfer = ({ from, to, value, kind }: Transfer): Omit<Script, 'lt'>[][] => {
    const body = coinBody(`from ${from}`);
    const sent = { account: from, in: null, out: [{ to, value, body }] };
    if (kind !== 'refused') return [[sent], [{ account: to, in: { from, value, body } }]];
    const back = value - fee > 0n ? value - fee : value;
    const refused = {
      account: to,
      in: { from, value, body },
      aborted: true,
      bounce: 'ok' as const,
      out: [{ to: from, value: back, bounced: true }],
    };
    return [[sent], [refused, { account: from, in: { from: to, value: back, bounced: true } }]];
  };
  const jettonTransfer = ({ from, to, value }: Transfer): Omit<Script, 'lt'>[][] => {
    const [own, other] = [jettonWalletOf(from), jettonWalletOf(to)];
    const order = jettonBodies.transfer({ amount: value, to, comment: 'jettons' });
    const carried = jettonBodies.internalTransfer({ amount: value, from, comment: 'jettons' });
    return [
      [
        { account: from, in: null, out: [{ to: own, value: 50n, body: order }] },
        { account: own, in: { from, value: 50n, body: order }, out: [{ to: other, value: 40n, body: carried }] },
      ],
      [{ account: other, in: { from: own, value: 40n, body: carried } }],
    ];
  };

  /** Lists the transactions of a forged message about received jettons, which the receiver's jetton wallet bounces. */
  const forgedTransfer = ({ from, to, value }: Transfer): Omit<Script, 'lt'>[][] => {
    const wallet = jettonWalletOf(to);
    const body = jettonBodies.internalTransfer({ amount: value, from, comment: 'forged' });
    const returned = { value: 40n, bounced: true };
    const refused = { aborted: true, bounce: 'ok' as const, out: [{ to: from, ...returned }] };
    return [
      [
        { account: from, in: null, out: [{ to: wallet, value: 50n, body }] },
        { account: wallet, in: { from, value: 50n, body }, ...refused },
      ],
      [{ account: from, in: { from: wallet, ...returned } }],
    ];
  };
  const transfersBy = { coin: coinTransfer, refused: coinTransfer, jetton: jettonTransfer, forged: forgedTransfer };

  /**
   * Adds a transaction to one of the new shard blocks, selected by the account's address. If a shard made no block, its
   * transactions are added to a block of another shard.
   */
  const make = (script: Omit<Script, 'lt'>, made: readonly ShardBlock[], seqno: number, time: number) => {
    const block = made[Number.parseInt(script.account.slice(2, 4), 16) % made.length];
    lastTimes.set(script.account, ++lt);
    charge(script);
    if (block)
      block.transactions.push(
        inCells(tonTransaction({ ...script, lt, seqno, time, shard: block.shard, block: block.seqno })),
      );
  };

  /** Lists the transactions of a block, and keeps the transactions of late transfers for the next block. */
  const scriptsOf = (transfers: readonly Transfer[]) => {
    const scripts = late;
    late = [];
    for (const transfer of transfers) {
      const isJetton = transfer.kind === 'jetton';
      const [now = [], then = []] = transfersBy[transfer.kind ?? 'coin'](transfer);
      scripts.push(...now);
      (transfer.isLate ? late : scripts).push(...then);
      if (!isJetton) continue;
      moveJettons(jettonWalletOf(transfer.from), -transfer.value);
      moveJettons(jettonWalletOf(transfer.to), transfer.value);
    }
    return scripts;
  };

  /** Controls whether the elector runs in every block. */
  const ticks: { isOn: boolean } = { isOn: true };
  return {
    network,
    blocks,
    ticks,
    /**
     * Owner of each jetton wallet that was requested from the jetton master, keyed by the wallet's address.
     */
    owners: new Map<string, string>(),
    balance,
    jettonBalance,
    lastTime: (account: string) => lastTimes.get(account) ?? 0n,
    mine: (transfers: readonly Transfer[] = [], shape: Shape = 'usual') => {
      const seqno = blocks.length + 1;
      const time = start + seqno;
      const startLt = ++lt;
      if (ticks.isOn) lastTimes.set(elector, ++lt);
      const scripts = scriptsOf(transfers);
      const made = nextBlocks(tops, shape);
      tops = newest(tops, made);
      for (const script of scripts) make(script, made, seqno, time);
      const own = { workchain: -1, shard: whole, seqno };
      const block: ScriptedBlock = {
        seqno,
        hash: hashOf(`block ${network} ${seqno}`),
        time,
        lt: startLt,
        blocks: [{ ...own, before: [{ ...own, seqno: seqno - 1 }], transactions: [] }, ...made],
        tops,
      };
      blocks.push(block);
      return block;
    },
  };
};
export type TonScript = ReturnType<typeof createTonScript>;
