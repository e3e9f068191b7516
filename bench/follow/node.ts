import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answersAbout, type BlockPlan, blockHash, envelopeOf, headerAnswer } from './answers.js';

/**
 * Plan of a chain that grows by itself once started. Responses about the new blocks are prepared in advance.
 */
export type ChainPlan = {
  /** Number that distinguishes the hashes of this chain from those of other chains. */
  readonly chain: number;
  /** Number of blocks that exist from the start, with `pastTransactions` transactions each. */
  readonly past: number;
  readonly pastTransactions: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly logs: number;
  /** Number of watched addresses that receive a transfer in each block. */
  readonly concerned: number;
  /** Total number of watched addresses. */
  readonly watched: number;
  readonly blockIntervalMs: number;
  readonly finalDepth: number;
  readonly traces: boolean;
};
export type NodeMessage = { readonly url: string } | { readonly startedAt: number };

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Answers = Readonly<Record<'header' | 'block' | 'receipts' | 'traces', Buffer>>;

const plan = JSON.parse(process.argv[2] ?? '{}') as ChainPlan;
const last = plan.past + plan.blocks;

const picked = (number: number, count: number) =>
  Array.from({ length: count }, (_, i) => (number * 7919 + i * 104_729) % plan.watched);
const planOf = (number: number): BlockPlan => {
  const { chain, logs } = plan;
  if (number === 0) return { chain, number, transactions: 0, logs: 0, concerned: [] };
  const transactions = number > plan.past ? plan.transactions : plan.pastTransactions;
  const concerned = Math.min(transactions, plan.concerned);
  return { chain, number, transactions, logs, concerned: picked(number, concerned) };
};
const answersAt = (number: number): Answers => {
  const { block, receipts, traces } = answersAbout(planOf(number));
  const asBytes = (answer: object) => Buffer.from(envelopeOf(answer));
  return {
    header: asBytes(headerAnswer(planOf(number))),
    block: asBytes(block),
    receipts: asBytes(receipts),
    traces: asBytes(traces),
  };
};

const numbers = new Map(Array.from({ length: last + 1 }, (_, number) => [blockHash({ ...plan, number }), number]));
const large = Array.from({ length: plan.blocks }, (_, i) => answersAt(plan.past + 1 + i));
const answersFor = (number: number) => large[number - plan.past - 1] ?? answersAt(number);

let startedAt = Number.POSITIVE_INFINITY;
const head = () => Math.min(last, plan.past + Math.max(0, Math.floor((Date.now() - startedAt) / plan.blockIntervalMs)));

const nothing = Buffer.from(envelopeOf(null));
const errorAnswer = (id: number, code: number, message: string) =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
const tags: Readonly<Record<string, () => number>> = {
  latest: head,
  finalized: () => Math.max(0, head() - plan.finalDepth),
};
const at = (number: number | undefined, part: keyof Answers) =>
  number !== undefined && number <= head() ? answersFor(number)[part] : nothing;
const numbered = (tag: string) => tags[tag]?.() ?? Number(tag);
const coins = `0x${'1'.padEnd(20, '0')}`;
const tokens = `0x${'1'.padEnd(20, '0').padStart(64, '0')}`;
const balance = (id: number, block: unknown, result: string) =>
  numbers.has((block as { blockHash: string }).blockHash)
    ? Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }))
    : errorAnswer(id, -32000, 'header not found');

const methods: Readonly<Record<string, (params: readonly unknown[], id: number) => Buffer>> = {
  eth_getBlockByNumber: ([tag]) => at(numbered(String(tag)), 'header'),
  eth_getBlockByHash: ([hash, isFull]) => at(numbers.get(String(hash)), isFull ? 'block' : 'header'),
  eth_getBlockReceipts: ([hash]) => at(numbers.get(String(hash)), 'receipts'),
  debug_traceBlockByHash: ([hash], id) =>
    plan.traces ? at(numbers.get(String(hash)), 'traces') : errorAnswer(id, -32601, 'the method does not exist'),
  eth_getBalance: ([, block], id) => balance(id, block, coins),
  // Every eth_call asks for a token balance.
  eth_call: ([, block], id) => balance(id, block, tokens),
};

const answer = ({ id, method, params }: Call) =>
  methods[method]?.(params, id) ?? errorAnswer(id, -32601, `the method ${method} does not exist`);
const reply = (message: Call | readonly Call[]): Buffer => {
  if (!Array.isArray(message)) return answer(message as Call);
  return Buffer.from(`[${message.map(answer).join(',')}]`);
};
const reading = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Call | readonly Call[];
};
const sendMessage = (message: NodeMessage) => process.send?.(message);

const server = createServer((request, response) => {
  void reading(request).then((message) => {
    const bytes = reply(message);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
  });
});
server.listen(0, '127.0.0.1', () => sendMessage({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.on('message', () => {
  startedAt = Date.now();
  sendMessage({ startedAt });
});
process.on('disconnect', () => process.exit());
