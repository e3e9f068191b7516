import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Address, beginCell, Cell } from '@ton/core';
import { bytesOf } from '../chains/ton-cells.js';
import { type BlockId, jettonWalletOf, master, type ShardBlock, type TonScript } from '../chains/ton-script.js';
import { hashOf } from '../chains/ton-transactions.js';

/** Faults that a test can cause in a single answer. */
export const v2Faults = ['failing', 'cut off', 'behind', 'without a result', 'busy'] as const;
type V2Fault = (typeof v2Faults)[number];

type Options = {
  /** Maximum number of transactions on a page, whatever count is requested. */
  pageSize?: number;
  /** Largest count that the server accepts. */
  largestCount?: number;
  /** True for an older server, on which the method `getShards` is called `shards`. */
  isOld?: boolean;
};
type Asked = { readonly query: URLSearchParams; readonly body: Record<string, unknown>; readonly isBehind: boolean };
type Reply = { readonly status: number; readonly body: object };

const signed = (shard: string) => String(BigInt.asIntN(64, BigInt(`0x${shard}`)));
const whole = '8000000000000000';
const zero = { '@type': 'ton.blockIdExt', workchain: -1, shard: signed(whole), seqno: 0 };

const errorReply = (code: number, error: string): Reply => ({ status: code, body: { ok: false, error, code } });
const broken: Readonly<Partial<Record<V2Fault, Reply>>> = {
  busy: errorReply(429, 'Ratelimit exceeded'),
  failing: errorReply(504, 'LITE_SERVER_NETWORK timeout'),
  'without a result': { status: 200, body: { ok: true } },
};

/** Error with which the handler of a request ends. The server answers the request with `reply`. */
class Refused extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}
const refuse = (code: number, error: string): never => {
  throw new Refused(errorReply(code, error));
};
const lacking = (): never => refuse(500, 'LITE_SERVER_NOTREADY: ltdb: block not found');

const cellWith = (account: string) => ({
  bytes: beginCell().storeAddress(Address.parseRaw(account)).endCell().toBoc().toString('base64'),
});
const ownerIn = (slice: unknown) => Cell.fromBase64(String(slice)).beginParse().loadAddress().toRawString();

const readBody = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
};

/** Orders transactions as the blocks do: by account, then by time. */
const inOrder = ({ transactions }: ShardBlock) =>
  transactions.toSorted((a, b) => {
    const [one, other] = [a, b].map(({ account, lt }) => `${account} ${lt.padStart(20, '0')}`);
    return String(one) < String(other) ? -1 : 1;
  });

/** Returns the methods of a server that has the blocks of the script. */
const createAnswers = (script: TonScript, { pageSize = 256, largestCount = 1000, isOld = false }: Options) => {
  const blocks = (isBehind: boolean) => script.blocks.slice(0, isBehind ? -1 : undefined);
  const written = ({ workchain, shard, seqno }: BlockId) => {
    const owner = script.blocks.find(({ blocks: own }) =>
      own.some((one) => one.shard === shard && one.seqno === seqno),
    );
    const hash = workchain === -1 ? script.blocks[seqno - 1]?.hash : hashOf(`${owner?.hash} ${shard} ${seqno}`);
    const hashes = { root_hash: hash ?? hashOf('zero'), file_hash: hashOf(`file ${workchain} ${shard} ${seqno}`) };
    return { '@type': 'ton.blockIdExt', workchain, shard: signed(shard), seqno, ...hashes };
  };
  const find = ({ query, isBehind }: Asked) => {
    for (const one of blocks(isBehind))
      for (const block of one.blocks) {
        const { workchain, shard, seqno } = written(block);
        if ([workchain, shard, seqno].join() === ['workchain', 'shard', 'seqno'].map((name) => query.get(name)).join())
          return { block, time: one.time };
      }
    return lacking();
  };
  const getShards = ({ query, isBehind }: Asked) => {
    const { tops } = blocks(isBehind)[Number(query.get('seqno')) - 1] ?? lacking();
    return { shards: tops.map(written) };
  };
  const runs: Readonly<Record<string, (account: string, stack: readonly unknown[]) => readonly unknown[] | null>> = {
    get_wallet_address: (account, [entry]) => {
      if (account !== master) return null;
      const [type, slice] = entry as [string, unknown];
      if (type !== 'tvm.Slice') return null;
      const owner = ownerIn(slice);
      script.owners.set(jettonWalletOf(owner), owner);
      return [['cell', cellWith(jettonWalletOf(owner))]];
    },
    get_wallet_data: (account) => {
      const owner = script.owners.get(account);
      if (owner === undefined) return null;
      const balance = ['num', `0x${script.jettonBalance(account).toString(16)}`];
      return [balance, ['cell', cellWith(owner)], ['cell', cellWith(master)]];
    },
  };

  const answers: Readonly<Record<string, (asked: Asked) => object>> = {
    getMasterchainInfo: ({ isBehind }) => ({
      last: written(blocks(isBehind).at(-1)?.blocks[0] ?? lacking()),
      init: { ...zero, root_hash: hashOf(`zero ${script.network}`), file_hash: hashOf(`file ${script.network}`) },
    }),
    [isOld ? 'shards' : 'getShards']: getShards,
    getBlockHeader: (asked) => {
      const { block, time } = find(asked);
      const fields = { global_id: script.network, gen_utime: time };
      return { id: written(block), ...fields, prev_blocks: block.before.map(written) };
    },
    getBlockTransactionsExt: (asked) => {
      const count = Number(asked.query.get('count'));
      if (count > largestCount) refuse(422, `count should be at most ${largestCount}`);
      const all = inOrder(find(asked).block);
      const account = Buffer.from(asked.query.get('after_hash') ?? '', 'base64')
        .toString('hex')
        .toUpperCase();
      const lt = asked.query.get('after_lt');
      const start = 1 + all.findIndex((one) => one.lt === lt && one.account === `0:${account}`);
      const page = all.slice(start, start + Math.min(count, pageSize));
      const transactions = page.map((one) => ({ '@type': 'raw.transactionExt', data: bytesOf(one) }));
      return { incomplete: start + page.length < all.length, transactions };
    },
    getAddressInformation: ({ query, isBehind }) => {
      const account = query.get('address') ?? '';
      const lt = isBehind ? '0' : String(script.lastTime(account));
      const balance = isBehind ? '1' : String(script.balance(account));
      const block_id = written(blocks(isBehind).at(-1)?.blocks[0] ?? lacking());
      return { balance, state: 'active', last_transaction_id: { lt }, block_id };
    },
    runGetMethod: ({ body: { address, method, stack } }) => {
      const found = runs[String(method)]?.(String(address), stack as readonly unknown[]) ?? null;
      const lt = String(script.lastTime(String(address)));
      return { exit_code: found ? 0 : 11, stack: found ?? [], last_transaction_id: { lt } };
    },
  };
  return answers;
};

/**
 * Starts a double of a toncenter server (API v2) on a scripted chain. Tests can make single answers faulty.
 */
export const startTonV2 = async (script: TonScript, options: Options = {}) => {
  const faults: V2Fault[] = [];
  const asked: { readonly method: string; readonly key: string | undefined }[] = [];
  /** Closes every connection without an answer while `isOn` is true. */
  const outage = { isOn: false };
  /** Number of upcoming requests for account states that are answered with outdated values. */
  const outdated = { next: 0 };
  const answers = createAnswers(script, options);
  const isBehind = (method: string, fault: V2Fault | undefined) => {
    const isOutdated = method === 'getAddressInformation' && outdated.next > 0;
    if (isOutdated) outdated.next--;
    return isOutdated || fault === 'behind';
  };
  const answerTo = async (request: IncomingMessage): Promise<Reply | null> => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://server');
    const method = pathname.replace('/api/v2/', '');
    asked.push({ method, key: request.headers['x-api-key']?.toString() });
    const fault = faults.shift();
    if (fault === 'cut off') return null;
    const body = await readBody(request);
    const answer = answers[method];
    if (!answer) return errorReply(404, 'Not Found');
    try {
      const result = answer({ query, body, isBehind: isBehind(method, fault) });
      return (fault && broken[fault]) ?? { status: 200, body: { ok: true, result } };
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      throw error;
    }
  };
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      if (!answer || outage.isOn) return response.destroy();
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ton+v2+http://127.0.0.1:${port}`,
    faults,
    outdated,
    outage,
    asked,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
