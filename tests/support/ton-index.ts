import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Address, beginCell, Cell } from '@ton/core';
import { jettonWalletOf, master, type ScriptedBlock, type TonScript } from './ton-script.js';
import { hashOf, written } from './ton-transactions.js';

/** What goes wrong with one answer. */
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
  /** The most transactions that a page holds, whatever is asked. */
  pageSize?: number;
  /** Without a list of blocks: what it says then. */
  noBlocks?: { status: number; body: object };
  /** Claims that this contract holds jettons for its owner, which it does not. */
  impostor?: { account: string; owner: string };
};

const blockId = (seqno: number) => ({ workchain: -1, shard: '8000000000000000', seqno });

const shown = ({ network }: TonScript, { seqno, hash, time, blocks }: ScriptedBlock) =>
  blocks.map(({ workchain, shard, seqno: own, transactions }) => ({
    workchain,
    shard,
    seqno: own,
    root_hash: workchain === -1 ? hash : hashOf(`${hash} ${shard}`),
    global_id: network,
    gen_utime: String(time),
    tx_count: transactions.length,
    masterchain_block_ref: blockId(seqno),
  }));

/** Answered in place of what was asked for. */
type Reply = { status: number; body: object; headers?: Record<string, string> };

const broke: Partial<Record<IndexFault, Reply>> = {
  busy: { status: 429, body: { error: 'too many requests', code: 429 } },
  'busy for a second': { status: 429, body: {}, headers: { 'retry-after': '1' } },
  'busy in the body': { status: 200, body: { ok: false, result: 'Ratelimit exceed', code: 429 } },
  failing: { status: 500, body: { error: 'no database', code: 500 } },
};

/** Faults of lists; each leaves a list that looks like one. */
const spoil: Partial<Record<IndexFault, (items: readonly unknown[], all: readonly unknown[]) => readonly unknown[]>> = {
  'short page': (items) => items.slice(0, -1),
  'empty page': () => [],
  'repeated page': (items, all) => all.slice(0, items.length),
  'reordered page': (items) => items.toReversed(),
  'skipped item': (items, all) => [...items.slice(1), ...all.slice(-1)],
};

/** What is left out of the list of blocks is found out by counting, unless the count is wrong in the same way. */
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

/** An index of the kind of toncenter's version 3 over a scripted chain, which does wrong what it is told to, one answer at a time. */
export const startTonIndex = async (script: TonScript, { pageSize = 1000, noBlocks, impostor }: Options = {}) => {
  const faults: IndexFault[] = [];
  const asked: { readonly path: string; readonly at: number; readonly key: string | undefined }[] = [];
  const known = (fault: IndexFault | undefined) => script.blocks.slice(0, fault === 'behind' ? -1 : undefined);

  const page = (all: readonly unknown[], query: Query, fault: IndexFault | undefined, most = 1000) => {
    const offset = Number(query.get('offset') ?? 0);
    const items = all.slice(offset, offset + Math.min(most, Number(query.get('limit') ?? 10)));
    return (fault && spoil[fault]?.(items, all)) ?? items;
  };
  const last = (blocks: readonly ScriptedBlock[]) => shown(script, blocks.at(-1) as ScriptedBlock)[0];
  const wallet = (account: string, owner: string, balance: bigint) => ({
    address: written(account),
    owner: written(owner),
    jetton: written(master),
    balance: String(balance),
    last_transaction_lt: String(script.lastTime(account)),
    data_hash: hashOf(`${script.lastTime(account)}`),
  });
  const owners = new Map<string, string>();

  const answers: Readonly<Record<string, (query: Query, fault: IndexFault | undefined, body: RunGetMethod) => object>> =
    {
      masterchainInfo: (_, fault) => ({ last: last(known(fault)), first: last(script.blocks.slice(0, 1)) }),
      blocks: (query, fault) => {
        const all = known(fault).flatMap((block) => shown(script, block));
        const [seqno, hash] = [query.get('mc_seqno'), query.get('root_hash')];
        const found = all.filter(
          (one) =>
            (seqno === null || one.masterchain_block_ref.seqno === Number(seqno)) &&
            (hash === null || one.root_hash === hash),
        );
        return { blocks: page(found, query, undefined) };
      },
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
            address: written(account),
            balance: isBehind ? '1' : String(script.balance(account)),
            status: 'active',
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
          if (!owner || fault === 'behind') return [];
          return [wallet(account, owner, script.jettonBalance(account))];
        }),
      }),
      runGetMethod: (_, __, { address, method, stack }) => {
        const account = address.toLowerCase();
        const done = (type: string, value: string) => ({ gas_used: 1, exit_code: 0, stack: [{ type, value }] });
        if (method === 'get_wallet_data' && owners.has(account))
          return done('num', `0x${script.jettonBalance(account).toString(16)}`);
        if (method !== 'get_wallet_address' || account !== master) return { exit_code: 11, stack: [] };
        const owner = Cell.fromBase64(stack[0]?.value ?? '')
          .beginParse()
          .loadAddress()
          .toRawString();
        const wallet = jettonWalletOf(owner);
        owners.set(wallet, owner);
        return done('cell', beginCell().storeAddress(Address.parseRaw(wallet)).endCell().toBoc().toString('base64'));
      },
    };

  /** The first that can happen to what is asked. */
  const takeFault = (path: string) => {
    const place = faults.findIndex((fault) => canHappen(fault, path));
    return place < 0 ? undefined : faults.splice(place, 1)[0];
  };
  const answerTo = async (request: IncomingMessage): Promise<Reply | null> => {
    const url = new URL(request.url ?? '', 'http://index');
    const path = url.pathname.replace('/api/v3/', '');
    asked.push({ path, at: performance.now(), key: request.headers['x-api-key']?.toString() });
    const fault = takeFault(path);
    if (fault === 'cut off') return null;
    const broken = fault && broke[fault];
    if (broken) return { ...broken, body: { ...broken.body, echo: request.url } };
    if (noBlocks && path === 'blocks') return noBlocks;
    const answer = answers[path];
    if (!answer) return { status: 404, body: {} };
    return { status: 200, body: answer(url.searchParams, fault, await readBody(request)) };
  };
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      if (!answer) return response.destroy();
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
    asked,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
