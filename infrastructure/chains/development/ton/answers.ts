import { Address, Cell, type TupleItem } from '@ton/core';
import type { Blockchain } from '@ton/sandbox';
import type { TonBlocks } from './blocks.js';

/** Error for a request that the index cannot answer, with the HTTP status of the response. */
export class IndexError extends Error {
  override readonly name = 'IndexError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Asked = { readonly query: URLSearchParams; readonly body: unknown };
type Answers = Readonly<Record<string, (asked: Asked) => object | Promise<object>>>;

const unreadable = (what: string): never => {
  throw new IndexError(422, `${what} is missing or invalid`);
};
const readAddress = (text: unknown) => {
  try {
    return Address.parse(String(text));
  } catch {
    return unreadable('an address');
  }
};
const readSeqno = (query: URLSearchParams, name: string) => {
  const text = query.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : unreadable(name);
};
const formatAddress = (address: Address) => address.toRawString().toUpperCase();

const maxPageSize = 1000;
const pageOf = <T>(items: readonly T[], query: URLSearchParams) => {
  const [limit, offset] = [Number(query.get('limit') ?? 10), Number(query.get('offset') ?? 0)];
  return items.slice(offset, offset + Math.min(limit, maxPageSize));
};

const statuses = { active: 'active', uninit: 'uninit', frozen: 'frozen' } as const;

const accountState = async (chain: Blockchain, address: Address) => {
  const { account } = await chain.getContract(address);
  const storage = account.account?.storage;
  const data = storage?.state.type === 'active' ? storage.state.state.data : null;
  return {
    address: formatAddress(address),
    balance: String(storage?.balance.coins ?? 0n),
    status: storage ? statuses[storage.state.type] : 'nonexist',
    data_hash: data?.hash().toString('base64') ?? null,
    last_transaction_lt: String(account.lastTransactionLt),
    last_transaction_hash: Buffer.from(account.lastTransactionHash.toString(16).padStart(64, '0'), 'hex').toString(
      'base64',
    ),
  };
};

/**
 * Returns an array with the index row of a jetton wallet; an empty array if the contract does not answer like a jetton
 * wallet.
 */
const jettonWallet = async (chain: Blockchain, address: Address) => {
  try {
    const { stackReader } = await (await chain.getContract(address)).get('get_wallet_data');
    const { last_transaction_lt, data_hash } = await accountState(chain, address);
    const balance = String(stackReader.readBigNumber());
    const [owner, jetton] = [stackReader.readAddress(), stackReader.readAddress()].map(formatAddress);
    return [{ address: formatAddress(address), balance, owner, jetton, last_transaction_lt, data_hash }];
  } catch {
    return [];
  }
};

const readStack = (stack: unknown): TupleItem[] => {
  if (!Array.isArray(stack)) return [];
  return stack.map(({ type, value }: { type: unknown; value: unknown }): TupleItem => {
    if (type === 'num') return { type: 'int', value: BigInt(String(value)) };
    return { type: type === 'slice' ? 'slice' : 'cell', cell: Cell.fromBase64(String(value)) };
  });
};
const writeItem = (item: TupleItem) => {
  if (item.type === 'int') return { type: 'num', value: `0x${item.value.toString(16)}` };
  return 'cell' in item
    ? { type: 'cell', value: item.cell.toBoc().toString('base64') }
    : { type: item.type, value: null };
};

const runGetMethod = async (chain: Blockchain, body: unknown) => {
  const { address, method, stack } = (body ?? {}) as Record<string, unknown>;
  const contract = await chain.getContract(readAddress(address));
  if (contract.accountState?.type !== 'active') throw new IndexError(409, 'there is no contract at this address');
  try {
    const { gasUsed, stack: result } = await contract.get(String(method), readStack(stack));
    return { gas_used: Number(gasUsed), exit_code: 0, stack: result.map(writeItem) };
  } catch (error) {
    const { exitCode } = error as { exitCode?: number };
    if (exitCode === undefined) throw error;
    return { gas_used: 0, exit_code: exitCode, stack: [] };
  }
};

/** Creates the handlers of toncenter's API v3 for this chain, keyed by method. */
export const indexAnswers = (chain: Blockchain, blocks: TonBlocks): Answers => ({
  masterchainInfo: () => ({ first: blocks.first().listed[0], last: blocks.last().listed[0] }),
  blocks: ({ query }) => {
    const hash = query.get('root_hash');
    const found = hash === null ? blocks.at(readSeqno(query, 'mc_seqno')) : blocks.withHash(hash);
    const listed = found?.listed.filter(({ root_hash }) => hash === null || root_hash === hash) ?? [];
    return { blocks: pageOf(listed, query) };
  },
  masterchainBlockShardState: ({ query }) => ({ blocks: blocks.at(readSeqno(query, 'seqno'))?.listed.slice(1) ?? [] }),
  transactionsByMasterchainBlock: ({ query }) => {
    const found = blocks.at(readSeqno(query, 'seqno'));
    return { transactions: pageOf(found?.transactions ?? [], query), address_book: {} };
  },
  accountStates: async ({ query }) => {
    const addresses = query.getAll('address').map(readAddress);
    return { accounts: await Promise.all(addresses.map((address) => accountState(chain, address))), address_book: {} };
  },
  'jetton/wallets': async ({ query }) => {
    const addresses = query.getAll('address').map(readAddress);
    const found = (await Promise.all(addresses.map((address) => jettonWallet(chain, address)))).flat();
    return { jetton_wallets: pageOf(found, query), address_book: {} };
  },
  runGetMethod: ({ body }) => runGetMethod(chain, body),
});
