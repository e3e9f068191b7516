import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Address, beginCell, Cell } from '@ton/core';
import { type BlockId, jettonWalletOf, master, type ScriptedBlock, type TonScript } from './ton-script.js';
import { hashOf, indexForm } from './ton-transactions.js';

/** Faults that a test can cause in a single answer. */
export const indexFaults = [
  'busy',
  'busy for a second',
  'busy in the body',
  'failing',
  'cut off',
  'behind',
  'short page',
  'empty page',
  'repeated page',
  'reordered page',
  'skipped item',
] as const;
export type IndexFault = (typeof indexFaults)[number];

type Query = URLSearchParams;
type Options = {
  /** Maximum number of transactions on a page, whatever limit is requested. */
  pageSize?: number;
  /** Largest limit that the index accepts. */
  largestLimit?: number;
  /** Error with which an index without a block list answers requests for that list. */
  noBlocks?: { status: number; body: object };
  /** Error with which an index that does not know the newest shard blocks answers requests for them. */
  noShards?: { status: number; body: object };
  /** True for an index that does not report the predecessors of blocks. */
  noLinks?: boolean;
  /** True for an index that lists no jetton wallets. */
  noWallets?: boolean;
  /** Contract that falsely claims to hold jettons for its owner. */
  impostor?: { account: string; owner: string };
  /** Hostile jetton masters, each with the account that it returns as the wallet of every owner. */
  falseMasters?: Readonly<Record<string, string>>;
};

const cellWith = (account: string) =>
  beginCell().storeAddress(Address.parseRaw(account)).endCell().toBoc().toString('base64');
const ownerIn = (slice: string | undefined) =>
  Cell.fromBase64(slice ?? '')
    .beginParse()
    .loadAddress()
    .toRawString();

const blockId = (seqno: number) => ({ workchain: -1, shard: '8000000000000000', seqno });

const idOf = ({ workchain, shard, seqno }: BlockId): BlockId => ({ workchain, shard, seqno });
const isSame = (a: BlockId, b: BlockId) => a.workchain === b.workchain && a.shard === b.shard && a.seqno === b.seqno;

const shown = ({ network }: TonScript, { seqno, hash, time, lt, blocks }: ScriptedBlock, noLinks = false) =>
  blocks.map(({ workchain, shard, seqno: own, before, transactions }) => ({
    workchain,
    shard,
    seqno: own,
    prev_blocks: noLinks ? null : before.map(idOf),
    root_hash: workchain === -1 ? hash : hashOf(`${hash} ${shard} ${own}`),
    global_id: network,
    gen_utime: String(time),
    start_lt: String(lt),
    tx_count: transactions.length,
    masterchain_block_ref: blockId(seqno),
  }));

/** Answer with status, body and headers. */
type Reply = { status: number; body: object; headers?: Record<string, string> };

const broke: Partial<Record<IndexFault, Reply>> = {
  busy: { status: 429, body: { error: 'too many requests', code: 429 } },
  'busy for a second': { status: 429, body: {}, headers: { 'retry-after': '1' } },
  'busy in the body': { status: 200, body: { ok: false, result: 'Ratelimit exceed', code: 429 } },
  failing: { status: 500, body: { error: 'no database', code: 500 } },
};

const tooMany = (max: number): Reply => ({ status: 422, body: { error: `limit must be at most ${max}`, code: 422 } });

/** Functions that make a page faulty but plausible. `items` are the items of the page, `all` those of the list. */
const spoil: Partial<Record<IndexFault, (items: readonly unknown[], all: readonly unknown[]) => readonly unknown[]>> = {
  'short page': (items) => items.slice(0, -1),
  'empty page': () => [],
  'repeated page': (items, all) => all.slice(0, items.length),
  'reordered page': (items) => items.toReversed(),
  'skipped item': (items, all) => [...items.slice(1), ...all.slice(-1)],
};

/** Returns whether a fault applies to a request. Lists of blocks stay complete: their counts reveal short pages. */
const canHappen = (fault: IndexFault, path: string) => {
  if (spoil[fault]) return path === 'transactionsByMasterchainBlock';
  return fault !== 'behind' || path !== 'masterchainInfo';
};

const readBody = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
};

type RunGetMethod = { address: string; method: string; stack: readonly { value: string }[] };

/** Starts a double of a toncenter index (API v3) on a scripted chain. Tests can make single answers faulty. */
export const startTonIndex = async (script: TonScript, options: Options = {}) => {
  const { pageSize = 1000, largestLimit = 1000, noBlocks, noShards, noWallets, impostor, falseMasters = {} } = options;
  const faults: IndexFault[] = [];
  const asked: {
    readonly path: string;
    readonly at: number;
    readonly limit: number;
    readonly key: string | undefined;
  }[] = [];
  /** Maximum number of requests answered in a tenth of a second. Further requests are rejected with status 429. */
  const limits = { maxInTenth: Number.POSITIVE_INFINITY };
  /** Number of upcoming requests for account states that are answered with outdated values. */
  const outdated = { next: 0 };
  /** Closes every connection without an answer while `isOn` is true. */
  const outage = { isOn: false };
  /** Shard blocks that the index lacks together with their transactions. */
  const lost: BlockId[] = [];
  const isLost = (block: BlockId) => lost.some((one) => isSame(one, block));
  const known = (fault: IndexFault | undefined): readonly ScriptedBlock[] =>
    script.blocks.slice(0, fault === 'behind' ? -1 : undefined).map(({ blocks, tops, ...block }) => ({
      ...block,
      blocks: blocks.filter((one) => !isLost(one)),
      tops: tops.filter((one) => !isLost(one)),
    }));

  const page = (all: readonly unknown[], query: Query, fault: IndexFault | undefined, max = 1000) => {
    const offset = Number(query.get('offset') ?? 0);
    const items = all.slice(offset, offset + Math.min(max, Number(query.get('limit') ?? 10)));
    return (fault && spoil[fault]?.(items, all)) ?? items;
  };
  const last = (blocks: readonly ScriptedBlock[]) => shown(script, blocks.at(-1) as ScriptedBlock)[0];
  const wallet = (account: string, owner: string, balance: bigint) => ({
    address: indexForm(account),
    owner: indexForm(owner),
    jetton: indexForm(master),
    balance: String(balance),
    last_transaction_lt: String(script.lastTime(account)),
    data_hash: hashOf(`${script.lastTime(account)}`),
  });
  const { owners } = script;
  /** Replies, keyed by account, that override the usual answers to its get methods, for example to make them fail. */
  const replies = new Map<string, Reply>();
  /** Accounts that are not deployed. */
  const undeployed = new Set<string>();
  /** Accounts whose get methods were requested, in order. */
  const run: string[] = [];
  /** Controls the answers to get methods: whether they are outdated, and how they identify the state they are from. */
  const getMethods: { behind: boolean; reports: 'nothing' | 'time' | 'block' } = { behind: false, reports: 'nothing' };
  const stateFields = (account: string) => {
    const past = getMethods.behind ? 1 : 0;
    const lt = String(script.lastTime(account) - BigInt(past));
    if (getMethods.reports === 'block') return { block_id: blockId(script.blocks.length - past) };
    return getMethods.reports === 'time' ? { last_transaction_id: { lt } } : {};
  };

  const answers: Readonly<Record<string, (query: Query, fault: IndexFault | undefined, body: RunGetMethod) => object>> =
    {
      masterchainInfo: (_, fault) => ({ last: last(known(fault)), first: last(script.blocks.slice(0, 1)) }),
      blocks: (query, fault) => {
        const all = known(fault).flatMap((block) => shown(script, block, options.noLinks));
        const wanted = (name: string, value: string | number) => [null, String(value)].includes(query.get(name));
        const found = all.filter(
          (one) =>
            wanted('mc_seqno', one.masterchain_block_ref.seqno) &&
            wanted('root_hash', one.root_hash) &&
            wanted('workchain', one.workchain) &&
            wanted('shard', one.shard.toLowerCase()) &&
            wanted('seqno', one.seqno),
        );
        return { blocks: page(found, query, undefined) };
      },
      masterchainBlockShardState: (query, fault) => ({
        blocks: known(fault)[Number(query.get('seqno')) - 1]?.tops.map(idOf) ?? [],
      }),
      transactionsByMasterchainBlock: (query, fault) => {
        const block = known(fault)[Number(query.get('seqno')) - 1];
        const all = block?.blocks.flatMap(({ transactions }) => transactions) ?? [];
        return { transactions: page(all, query, fault, pageSize), address_book: {} };
      },
      accountStates: (query, fault) => ({
        accounts: query.getAll('address').map((address) => {
          const account = address.toLowerCase();
          const isBehind = fault === 'behind';
          return {
            address: indexForm(account),
            balance: isBehind ? '1' : String(script.balance(account)),
            status: undeployed.has(account) ? 'nonexist' : 'active',
            last_transaction_lt: isBehind ? '0' : String(script.lastTime(account)),
            data_hash: hashOf(isBehind ? 'old' : `${script.lastTime(account)}`),
          };
        }),
      }),
      'jetton/wallets': (query, fault) => ({
        jetton_wallets: query.getAll('address').flatMap((address) => {
          const account = address.toLowerCase();
          if (impostor?.account === account) return [wallet(account, impostor.owner, 10n ** 15n)];
          const owner = owners.get(account);
          if (!owner || noWallets || fault === 'behind') return [];
          return [wallet(account, owner, script.jettonBalance(account))];
        }),
      }),
      runGetMethod: (_, __, { address, method, stack }) => {
        const account = address.toLowerCase();
        const done = (...values: string[]) => ({
          gas_used: 1,
          exit_code: 0,
          stack: values.map((value) => ({ value })),
        });
        const owner = owners.get(account);
        if (method === 'get_wallet_data' && owner !== undefined)
          return {
            ...done(
              `0x${(getMethods.behind ? 1n : script.jettonBalance(account)).toString(16)}`,
              cellWith(owner),
              cellWith(master),
            ),
            ...stateFields(account),
          };
        const named = falseMasters[account];
        if (method === 'get_wallet_address' && named !== undefined) return done(cellWith(named));
        if (method !== 'get_wallet_address' || account !== master) return { exit_code: 11, stack: [] };
        const asker = ownerIn(stack[0]?.value);
        owners.set(jettonWalletOf(asker), asker);
        return done(cellWith(jettonWalletOf(asker)));
      },
    };

  const errors: Readonly<Record<string, Reply | undefined>> = {
    blocks: noBlocks,
    masterchainBlockShardState: noShards,
  };
  /** Removes and returns the first pending fault that applies to the request. */
  const takeFault = (path: string) => {
    if (path === 'accountStates' && outdated.next-- > 0) return 'behind';
    const place = faults.findIndex((fault) => canHappen(fault, path));
    return place < 0 ? undefined : faults.splice(place, 1)[0];
  };
  const isOverLimit = () => {
    const tenth = Math.floor(performance.now() / 100);
    return asked.filter(({ at }) => Math.floor(at / 100) === tenth).length > limits.maxInTenth;
  };
  const failingMethod = ({ address }: Partial<RunGetMethod>) => {
    const account = address?.toLowerCase() ?? '';
    if (account) run.push(account);
    return replies.get(account);
  };
  const usualAnswer = (path: string, query: Query, fault: IndexFault | undefined, body: RunGetMethod): Reply => {
    const answer = answers[path];
    if (!answer) return { status: 404, body: {} };
    return failingMethod(body) ?? { status: 200, body: answer(query, fault, body) };
  };
  const answerTo = async (request: IncomingMessage): Promise<Reply | null> => {
    const url = new URL(request.url ?? '', 'http://index');
    const path = url.pathname.replace('/api/v3/', '');
    const limit = Number(url.searchParams.get('limit'));
    asked.push({ path, at: performance.now(), limit, key: request.headers['x-api-key']?.toString() });
    const fault = isOverLimit() ? 'busy' : takeFault(path);
    if (fault === 'cut off') return null;
    const broken = fault && broke[fault];
    if (broken) return { ...broken, body: { ...broken.body, echo: request.url } };
    const error = limit > largestLimit ? tooMany(largestLimit) : errors[path];
    if (error) return error;
    return usualAnswer(path, url.searchParams, fault, await readBody(request));
  };
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      if (!answer || outage.isOn) return response.destroy();
      const body = JSON.stringify(answer.body);
      return response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ton+http://127.0.0.1:${port}`,
    faults,
    limits,
    outdated,
    outage,
    lost,
    getMethods,
    replies,
    undeployed,
    run,
    asked,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
