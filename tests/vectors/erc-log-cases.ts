import { encodeAbiParameters, type Hex, pad, parseAbiParameters, toEventSelector, toHex } from 'viem';

type Item = { readonly token_id?: string; readonly value: string };
/** Transfer that a log reports; null if the log is no valid transfer of ERC-20, ERC-721 or ERC-1155. */
export type ExpectedTransfer = {
  readonly standard: 'erc20' | 'erc721' | 'erc1155';
  readonly from: Hex;
  readonly to: Hex;
  readonly items: readonly Item[];
} | null;
type Contract = 'Emitter' | 'TestErc20' | 'TestErc721' | 'TestErc1155';
/** Contract call that writes one log, and the transfer that the code under test must read from the log. */
export type LogCase = {
  readonly name: string;
  readonly contract: Contract;
  readonly call: string;
  readonly args: readonly unknown[];
  readonly expect: ExpectedTransfer;
};

/** Sender of all calls, the first account of the well-known test mnemonic. */
export const caller = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const [anna, bert, zero]: readonly [Hex, Hex, Hex] = [
  `0x${'a1'.repeat(20)}`,
  `0x${'b2'.repeat(20)}`,
  `0x${'00'.repeat(20)}`,
];
const maxUint256 = 2n ** 256n - 1n;

const coins = (value: bigint, from: Hex = anna, to: Hex = bert): ExpectedTransfer => ({
  standard: 'erc20',
  from,
  to,
  items: [{ value: String(value) }],
});
const piece = (tokenId: bigint, from: Hex = anna, to: Hex = bert): ExpectedTransfer => ({
  standard: 'erc721',
  from,
  to,
  items: [{ token_id: String(tokenId), value: '1' }],
});
const items = (pairs: readonly (readonly [bigint, bigint])[], from: Hex = anna, to: Hex = bert): ExpectedTransfer => ({
  standard: 'erc1155',
  from,
  to,
  items: pairs.map(([id, value]) => ({ token_id: String(id), value: String(value) })),
});

const on =
  (contract: Contract) =>
  (name: string, call: string, args: readonly unknown[], expect: ExpectedTransfer): LogCase => ({
    name,
    contract,
    call,
    args,
    expect,
  });
const emitted = on('Emitter');
const [erc20, erc721, erc1155] = [on('TestErc20'), on('TestErc721'), on('TestErc1155')];

const tokens = [
  erc20('minting an ERC-20', 'mint', [caller, 500n], coins(500n, zero, caller)),
  erc20('a transfer of an ERC-20', 'transfer', [bert, 123n], coins(123n, caller)),
  erc721('minting an ERC-721', 'mint', [caller, 7n], piece(7n, zero, caller)),
  erc721('a transfer of an ERC-721', 'transferFrom', [caller, bert, 7n], piece(7n, caller)),
  erc1155('minting an ERC-1155', 'mint', [caller, 3n, 50n], items([[3n, 50n]], zero, caller)),
  erc1155('a transfer of an ERC-1155', 'safeTransferFrom', [caller, bert, 3n, 5n, '0x'], items([[3n, 5n]], caller)),
  erc1155(
    'a batch of an ERC-1155',
    'safeBatchTransferFrom',
    [caller, bert, [3n, 3n], [1n, 2n], '0x'],
    items(
      [
        [3n, 1n],
        [3n, 2n],
      ],
      caller,
    ),
  ),
];

const pairs = (count: number) => Array.from({ length: count }, (_, i) => [BigInt(i), BigInt(i * i + 1)] as const);
const batch = (name: string, of: readonly (readonly [bigint, bigint])[]) =>
  emitted(name, 'batch', [anna, bert, of.map(([id]) => id), of.map(([, value]) => value)], items(of));

const ends = [
  emitted('one unit of an ERC-20', 'erc20', [anna, bert, 1n], coins(1n)),
  emitted('no unit of an ERC-20', 'erc20', [anna, bert, 0n], coins(0n)),
  emitted('all units that a word holds', 'erc20', [anna, bert, maxUint256], coins(maxUint256)),
  emitted('the burning of an ERC-20', 'erc20', [anna, zero, 5n], coins(5n, anna, zero)),
  emitted('an ERC-20 to its owner', 'erc20', [anna, anna, 5n], coins(5n, anna, anna)),
  emitted('the first ERC-721', 'erc721', [anna, bert, 0n], piece(0n)),
  emitted('the last ERC-721', 'erc721', [anna, bert, maxUint256], piece(maxUint256)),
  emitted('the burning of an ERC-721', 'erc721', [anna, zero, 9n], piece(9n, anna, zero)),
  emitted('the largest ERC-1155', 'single', [anna, bert, maxUint256, maxUint256], items([[maxUint256, maxUint256]])),
  emitted('none of an ERC-1155', 'single', [anna, bert, 4n, 0n], items([[4n, 0n]])),
  batch('a batch of nothing', []),
  batch('a batch of one', pairs(1)),
  batch('a batch of forty', pairs(40)),
  batch('a batch of the largest', [[maxUint256, maxUint256]]),
];

const topic = (address: Hex) => pad(address, { size: 32 });
const dirty = (address: Hex): Hex => `0x01${pad(address, { size: 31 }).slice(2)}`;
const [transfer, transferSingle, transferBatch] = [
  'Transfer(address,address,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
].map((signature) => toEventSelector(signature)) as [Hex, Hex, Hex];
const parties = [topic(anna), topic(bert)];
const words = (...values: readonly (bigint | Hex)[]): Hex =>
  `0x${values.map((value) => (typeof value === 'bigint' ? toHex(value, { size: 32 }) : topic(value)).slice(2)).join('')}`;
const raw = (name: string, topics: readonly Hex[], data: Hex, expect: ExpectedTransfer = null) =>
  emitted(name, 'raw', [topics, data], expect);
const lists = (ids: readonly bigint[], values: readonly bigint[]) =>
  encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [ids, values]);

const unindexed = [
  emitted('an ERC-721 older than the standard, with nothing indexed', 'unindexed', [anna, bert, 7n], piece(7n)),
  emitted('an ERC-1155 whose operator is not indexed', 'unindexedSingle', [anna, bert, 1n, 2n], null),
  emitted('a batch whose operator is not indexed', 'unindexedBatch', [anna, bert, [1n], [2n]], null),
  emitted('a transfer with one party indexed', 'halfIndexed', [anna, bert, 1n], null),
  emitted('a transfer without its name', 'nameless', [anna, bert, 1n], null),
  emitted('a transfer of another type of number', 'narrow', [anna, bert, 1n], null),
  emitted('an approval', 'approval', [anna, bert, 1n], null),
  emitted('a batch with more tokens than values', 'batch', [anna, bert, [1n, 2n], [3n]], null),
  emitted('a batch with more values than tokens', 'batch', [anna, bert, [1n], [2n, 3n]], null),
];

const odd = [
  raw('a log without topics', [], words(1n)),
  raw('a transfer without parties', [transfer], words(1n)),
  raw('a transfer of one party', [transfer, topic(anna)], words(1n)),
  raw('an ERC-20 without data', [transfer, ...parties], '0x'),
  raw('an ERC-20 with data of 31 bytes', [transfer, ...parties], `0x${'00'.repeat(30)}01`),
  raw('an ERC-20 with a word too many', [transfer, ...parties], words(5n, 6n), coins(5n)),
  raw('an ERC-20 from something longer than an address', [transfer, dirty(anna), topic(bert)], words(1n)),
  raw('an ERC-20 to something longer than an address', [transfer, topic(anna), dirty(bert)], words(1n)),
  raw('an ERC-721 with data', [transfer, ...parties, words(7n)], words(1n)),
  raw('an old ERC-721 with a word too few', [transfer], words(anna, bert)),
  raw('an old ERC-721 with a word too many', [transfer], words(anna, bert, 7n, 8n)),
  raw('an old ERC-721 from something longer than an address', [transfer], words(2n ** 160n, bert, 7n)),
  raw('an ERC-1155 with half its data', [transferSingle, topic(caller), ...parties], words(1n)),
  raw(
    'an ERC-1155 with a word too many',
    [transferSingle, topic(caller), ...parties],
    words(1n, 2n, 3n),
    items([[1n, 2n]]),
  ),
  raw(
    'an ERC-1155 to something longer than an address',
    [transferSingle, topic(caller), topic(anna), dirty(bert)],
    words(1n, 2n),
  ),
];

const batchOf = (name: string, data: Hex, expect: ExpectedTransfer = null) =>
  raw(name, [transferBatch, topic(caller), ...parties], data, expect);
const oddBatches = [
  batchOf('a batch without data', '0x'),
  batchOf('a batch of lists that are nowhere', words(2n ** 255n, 2n ** 255n)),
  batchOf('a batch longer than its data', words(64n, 96n, maxUint256, 0n)),
  batchOf('a batch cut off in its last word', lists([1n, 2n], [3n, 4n]).slice(0, -2) as Hex),
  batchOf('a batch that lacks its last value', lists([1n, 2n], [3n, 4n]).slice(0, -64) as Hex),
  batchOf('a batch whose values come first', words(128n, 64n, 1n, 9n, 1n, 8n), items([[8n, 9n]])),
  batchOf(
    'a batch with one list for both',
    words(64n, 64n, 2n, 5n, 6n),
    items([
      [5n, 5n],
      [6n, 6n],
    ]),
  ),
  batchOf('a batch with a gap before its lists', words(96n, 160n, 77n, 1n, 5n, 1n, 6n), items([[5n, 6n]])),
];

export const logCases: readonly LogCase[] = [...tokens, ...ends, ...unindexed, ...odd, ...oddBatches];
