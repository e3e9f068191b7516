import type { Transaction } from '../../infrastructure/chains/ton/transactions.js';
import { accountOf, coinBody, hashOf, jettonBodies, type Script, tonTransaction } from './ton-transactions.js';

export type Transfer = {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** The receiver sends it back, or it is an amount of jettons. */
  readonly kind?: 'coin' | 'refused' | 'jetton';
  /** Arrives only in the next block. */
  readonly isLate?: boolean;
};

type ShardBlock = { workchain: number; shard: string; seqno: number; transactions: Transaction[] };
export type ScriptedBlock = { seqno: number; hash: string; time: number; blocks: readonly ShardBlock[] };

export const master = accountOf('master');
/** Where the script's jettons of an owner are. */
export const jettonWalletOf = (owner: string) => accountOf(`jettons of ${owner}`);
export const fee = 1000n;
const shards = ['4000000000000000', 'c000000000000000'] as const;
const endowment = 1_000_000_000n;

/** A small TON of one's own: final blocks of a masterchain and two shards. */
export const createTonScript = (network: number) => {
  const blocks: ScriptedBlock[] = [];
  const coins = new Map<string, bigint>();
  const jettons = new Map<string, bigint>();
  const lastTimes = new Map<string, bigint>();
  let late: Omit<Script, 'lt'>[] = [];
  let lt = 0n;

  const balance = (account: string) => coins.get(account) ?? endowment;
  const jettonBalance = (account: string) => jettons.get(account) ?? endowment;
  const charge = ({ account, in: received, out = [] }: Omit<Script, 'lt'>) => {
    const sent = out.reduce((sum, { value }) => sum + value, 0n);
    coins.set(account, balance(account) + (received?.value ?? 0n) - sent - fee);
  };
  const moveJettons = (wallet: string, amount: bigint) => jettons.set(wallet, jettonBalance(wallet) + amount);

  /** What happens now, and what comes of it, perhaps later. */
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

  const make = (script: Omit<Script, 'lt'>, seqno: number, time: number) => {
    const shard = shards[Number.parseInt(script.account.slice(2, 3), 16) % 2];
    lastTimes.set(script.account, ++lt);
    charge(script);
    return tonTransaction({ ...script, lt, seqno, time, ...(shard && { shard }) });
  };

  return {
    network,
    blocks,
    balance,
    jettonBalance,
    lastTime: (account: string) => lastTimes.get(account) ?? 0n,
    mine: (transfers: readonly Transfer[] = []) => {
      const seqno = blocks.length + 1;
      const time = 1_700_000_000 + seqno;
      const scripts = late;
      late = [];
      for (const transfer of transfers) {
        const isJetton = transfer.kind === 'jetton';
        const [now = [], then = []] = isJetton ? jettonTransfer(transfer) : coinTransfer(transfer);
        scripts.push(...now);
        (transfer.isLate ? late : scripts).push(...then);
        if (!isJetton) continue;
        moveJettons(jettonWalletOf(transfer.from), -transfer.value);
        moveJettons(jettonWalletOf(transfer.to), transfer.value);
      }
      const made = scripts.map((script) => make(script, seqno, time));
      const own = (shard: string) => made.filter(({ block_ref }) => block_ref.shard === shard);
      const block: ScriptedBlock = {
        seqno,
        hash: hashOf(`block ${network} ${seqno}`),
        time,
        blocks: [
          { workchain: -1, shard: '8000000000000000', seqno, transactions: [] },
          ...shards.map((shard) => ({ workchain: 0, shard, seqno, transactions: own(shard) })),
        ],
      };
      blocks.push(block);
      return block;
    },
  };
};
export type TonScript = ReturnType<typeof createTonScript>;
