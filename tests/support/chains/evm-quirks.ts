import type { Quirk } from '../../../infrastructure/chains/evm/quirks/quirks.js';
import { throwRpcError } from './answering-node.js';
import { blockAnswer, bloomOf } from './evm-answers.js';
import { addressOf, digestOf, type EvmChain, hex, type MinedBlock, zeroAddress } from './evm-chain.js';
import { addressWord, word } from './evm-contracts.js';

type Answer = { readonly [field: string]: unknown };
type Asked = { readonly params: readonly unknown[]; readonly chain: EvmChain };
/** Changes to a node's answers, keyed by method. An absent block or receipt stays absent. */
type Changes = Readonly<Record<string, (answer: never, asked: Asked) => unknown>>;

const noParent = `0x${'0'.repeat(64)}`;
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Receiver of the deposits in state syncs, and of the transfers in foreign receipts. */
const bridged = addressOf('anna');
const polygonCoin = `0x${'1010'.padStart(40, '0')}`;

type Change = (answer: Answer, asked: Asked) => Answer;
const blocks = (change: Change): Changes => {
  const changed = (answer: Answer | null, asked: Asked) => answer && change(answer, asked);
  return { eth_getBlockByHash: changed, eth_getBlockByNumber: changed };
};
const receipts = (change: (receipt: Answer) => Answer): Changes => ({
  eth_getBlockReceipts: (all: Answer[] | null) => all?.map(change) ?? null,
  eth_getTransactionReceipt: (one: Answer | null) => one && change(one),
});
const list = (change: (all: Answer[], asked: Asked) => Answer[]): Changes => ({
  eth_getBlockReceipts: (all: Answer[] | null, asked) => all && change(all, asked),
});
const logs = (change: (log: Answer, position: number) => Answer) =>
  receipts((receipt) => ({ ...receipt, logs: (receipt.logs as Answer[]).map(change) }));
const numbered = (change: (index: number, position: number) => number) =>
  logs((log, position) => ({ ...log, logIndex: hex(change(Number(log.logIndex), position)) }));

/** Applies `change` to every string within an answer, at any depth. */
const deeply = (value: unknown, change: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => deeply(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deeply(one, change)]));
};
const inCapitals = (answer: unknown) =>
  deeply(answer, (text) => (/^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? `0x${text.slice(2).toUpperCase()}` : text));

/**
 * Returns the hash of the state sync transaction of a block, which carries Polygon's deposits from Ethereum.
 */
export const syncHash = (block: string) => digestOf('state sync', block);
const syncPlace = ({ hash, number, transactions }: MinedBlock) => ({
  blockHash: hash,
  blockNumber: hex(number),
  transactionIndex: hex(transactions.length),
});
/** Builds the state sync transaction that bor, the client of Polygon, lists at the end of a block. */
const syncTransaction = (block: MinedBlock): Answer => ({
  ...syncPlace(block),
  hash: syncHash(block.hash),
  from: zeroAddress,
  to: zeroAddress,
  nonce: '0x0',
  value: '0x0',
  input: '0x',
  type: '0x0',
  gas: '0x0',
  gasPrice: '0x0',
});
const syncReceipt = (block: MinedBlock, firstLog: number): Answer => {
  const deposit = '0x4e2ca0515ed1aef1395f66b5303bb5d6f1bf9d61a353fa53f73f8ac9973fa9f6';
  const topics = [deposit, `0x${addressWord(polygonCoin)}`, `0x${addressWord(bridged)}`];
  const log = { address: polygonCoin, topics, data: `0x${word(5)}${word(0)}${word(5)}` };
  const of = { ...syncPlace(block), transactionHash: syncHash(block.hash) };
  return {
    ...of,
    from: zeroAddress,
    to: zeroAddress,
    contractAddress: null,
    status: '0x1',
    gasUsed: '0x0',
    logsBloom: bloomOf([log]),
    logs: [{ ...of, ...log, logIndex: hex(firstLog), removed: false }],
  };
};
const blockWith = (chain: EvmChain, transaction: unknown): MinedBlock | undefined => {
  for (let block: MinedBlock | undefined = chain.head(); block; block = chain.blockByHash(block.parentHash))
    if (syncHash(block.hash) === transaction) return block;
  return undefined;
};

const stateSync: Changes = {
  ...blocks((answer, { chain, params: [, isFull] }) => {
    const block = chain.blockByHash(String(answer.hash)) as MinedBlock;
    const added = isFull ? syncTransaction(block) : syncHash(block.hash);
    return { ...answer, transactions: [...(answer.transactions as unknown[]), added] };
  }),
  eth_getBlockReceipts: (all: Answer[] | null, { chain, params: [hash] }) => {
    const block = chain.blockByHash(String(hash));
    const logs = all?.reduce((count, { logs }) => count + (logs as unknown[]).length, 0) ?? 0;
    return all && block ? [...all, syncReceipt(block, logs)] : all;
  },
  eth_getTransactionReceipt: (one: Answer | null, { chain, params: [hash] }) => {
    const block = one ? undefined : blockWith(chain, hash);
    return block ? syncReceipt(block, 100) : one;
  },
};

/** Creates changes that apply `change` to every trace of a block. */
const traces = (change: (root: Answer) => Answer): Changes => ({
  debug_traceBlockByHash: (all: Answer[]) =>
    all.map((one) => (isObject(one.result) ? { ...one, result: change(one.result as Answer) } : one)),
});
const callsOf = ({ calls }: Answer) => (calls ?? []) as Answer[];

const systemContract = (number: string) => `0x${number.padStart(40, '0')}`;
const [bootloader, accountCodes, deployer, valueSimulator, baseToken] = ['8001', '8002', '8006', '8009', '800a'].map(
  systemContract,
) as [string, string, string, string, string];
const zkCall = (from: unknown, to: unknown, calls: readonly Answer[] = [], value: unknown = '0x0'): Answer => ({
  type: 'CALL',
  from,
  to,
  gas: '0x0',
  gasUsed: '0x0',
  value,
  output: '0x',
  input: '0x',
  error: null,
  revertReason: null,
  calls,
});
/**
 * Builds the trace of a payment on the ZK Stack: the payer calls a system contract, which moves the coins and then
 * makes the paid call in the name of the payer.
 */
const zkPayment = (from: unknown, paid: Answer) =>
  zkCall(from, valueSimulator, [zkCall(valueSimulator, baseToken), paid]);
const zkFrame = (frame: Answer, around: Answer): Answer => {
  const parties = frame.type === 'DELEGATECALL' ? around : frame;
  const { from, to, value } = parties;
  const calls = callsOf(frame).map((one) => zkFrame(one, parties));
  const made = { ...zkCall(from, to, calls, value), type: frame.type, revertReason: frame.error ?? null };
  if (value === '0x0' || !['CALL', 'CREATE'].includes(String(frame.type))) return made;
  return zkPayment(
    from,
    frame.type === 'CALL' ? made : zkCall(from, deployer, [zkCall(deployer, baseToken), made], value),
  );
};
const zkTrace = (root: Answer): Answer => {
  const { from, value, error = null } = root;
  const validated = zkCall(bootloader, from, [zkCall(from, accountCodes)]);
  const prepaid = zkCall(bootloader, from, [zkPayment(from, zkCall(from, bootloader, [], '0x64'))]);
  const executed = zkCall(bootloader, from, [zkFrame(root, root)]);
  const refunded = zkPayment(bootloader, zkCall(bootloader, from, [], '0x7'));
  const calls = [zkCall(bootloader, accountCodes), validated, prepaid, executed, refunded];
  return { ...zkCall(zeroAddress, bootloader, calls, value), revertReason: error };
};

/**
 * Reports delegate calls as older nodes of the ZK Stack do: as calls with the parties and the value of the enclosing
 * call.
 */
const withoutDelegates = (frame: Answer): Answer => {
  const { from, to, value } = frame;
  const calls = callsOf(frame).map((one) =>
    withoutDelegates(one.type === 'DELEGATECALL' ? { ...one, type: 'CALL', from, to, value } : one),
  );
  return calls.length > 0 ? { ...frame, calls } : frame;
};
const callTypes = (change: (type: string) => string): Changes => ({
  debug_traceBlockByHash: (all) => deeply(all, (text) => (/^[A-Z][A-Z0-9]+$/.test(text) ? change(text) : text)),
});

/**
 * Builds a receipt that belongs to the block and to no transaction, like the receipt that Celo adds at the end of an
 * epoch. The transaction hash of this receipt is the block hash.
 */
const foreignReceipt = (receipt: Answer): Answer => {
  const { blockHash, blockNumber } = receipt;
  const topics = [transferTopic, `0x${addressWord(zeroAddress)}`, `0x${addressWord(bridged)}`];
  const log = { address: addressOf('token'), topics, data: `0x${word(9)}`, blockHash, transactionHash: blockHash };
  return { ...receipt, blockNumber, transactionHash: blockHash, logs: [{ ...log, logIndex: '0x0', removed: false }] };
};

const everyIndex = (answer: Answer): Answer => {
  const { transactionIndex } = answer;
  const wide = transactionIndex === undefined ? {} : { transactionIndex: hex(Number(transactionIndex) * 3 + 2) };
  const inner = (key: string) =>
    Array.isArray(answer[key]) && {
      [key]: (answer[key] as Answer[]).map((one) => (isObject(one) ? everyIndex(one) : one)),
    };
  return { ...answer, ...wide, ...inner('transactions'), ...inner('logs') };
};
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * Changes to a node's answers, keyed by the quirk that they add to the answers. If a node has several quirks, they are
 * applied in the order of this table.
 */
const changes: Readonly<Record<Quirk, Changes>> = {
  'state sync without a trace': stateSync,
  'system logs outside the bloom': blocks((answer, { chain }) => {
    const block = chain.blockByHash(String(answer.hash)) as MinedBlock;
    const signed = block.transactions.filter(({ fields }) => fields?.from !== zeroAddress);
    return { ...answer, logsBloom: blockAnswer({ ...block, transactions: signed }, false).logsBloom };
  }),
  'bootloader at the root of a trace': traces(zkTrace),
  'delegate calls as calls': traces(withoutDelegates),
  'call types in lower case': callTypes((type) => type.toLowerCase()),
  'capitalized call types': callTypes((type) => `${type.slice(0, 1)}${type.slice(1).toLowerCase()}`),
  'bloom without logs': blocks((answer) => {
    const bits = BigInt(String(answer.logsBloom)) | (1n << 2000n) | (1n << 77n);
    return { ...answer, logsBloom: `0x${bits.toString(16).padStart(512, '0')}` };
  }),
  'bloom of ones': blocks((answer) => ({ ...answer, logsBloom: `0x${'ff'.repeat(256)}` })),
  'no bloom': {
    ...blocks((answer) => ({ ...answer, logsBloom: '0x' })),
    ...receipts(({ logsBloom, ...others }) => others),
  },
  'first block is number 1': blocks((answer, { chain, params: [asked, isFull] }) => {
    const first = chain.at(1);
    const given = first && asked === '0x0' ? blockAnswer(first, isFull === true) : answer;
    return Number(given.number) === 1 ? { ...given, parentHash: noParent } : given;
  }),
  'first block without a parent': blocks((answer) =>
    answer.parentHash === noParent ? { ...answer, parentHash: '0x' } : answer,
  ),
  'receipts of others in the list': list((all) => [...all.slice(0, 1).map(foreignReceipt), ...all]),
  'receipts missing in the list': list((all) => all.slice(0, -1)),
  'no list of receipts': list(([first]) => (first ? throwRpcError(-32000, 'receipts length mismatch: 1 vs 0') : [])),
  'log numbers for each receipt': numbered((_, position) => position),
  'log numbers with gaps': numbered((index) => index * 2),
  'log numbers from 1': numbered((index) => index + 1),
  'transaction numbers with gaps': { ...blocks(everyIndex), ...receipts(everyIndex) },
  'padded status': receipts(({ status, ...others }) => ({ ...others, status: `0x0${String(status).slice(2)}` })),
  'hashes in capitals': {
    ...blocks((answer) => inCapitals(answer) as Answer),
    ...receipts((receipt) => inCapitals(receipt) as Answer),
    debug_traceBlockByHash: inCapitals,
  },
  'long balances': {
    eth_call: (answer: string, { params: [call] }) =>
      (call as { data: string }).data.startsWith('0x70a08231') && answer.length === 66 ? `${answer}${word(1)}` : answer,
  },
};

/** Applies quirks to the answer of a node. */
export const withQuirks = (quirks: ReadonlySet<Quirk>, method: string, asked: Asked, answer: unknown): unknown => {
  const own = Object.entries(changes).filter(([name]) => quirks.has(name as Quirk));
  return own.reduce(
    (changed, [, { [method]: change }]) => (change ? change(changed as never, asked) : changed),
    answer,
  );
};
