import { failInvalidAnswer, NodeFault } from '../../../nodes/node-fault.js';
import { isRaw, list, type Raw, record } from '../../../nodes/raw.js';
import { masterchain } from '../masterchain.js';
import { integer, part } from '../wire.js';
import { createBlocks, masterPlace, placeOf, readBlockId } from './blocks.js';
import type { Call } from './call.js';
import { readBlockTransactions } from './transactions.js';

/**
 * Handles a request in the format of toncenter's API v3 by calls to API v2. `asked` is the query or body of the
 * request. The answer has the v3 format.
 */
type Answer = (call: Call, asked: Raw) => Promise<Raw>;

const statuses: Readonly<Record<string, string>> = { active: 'active', frozen: 'frozen', uninitialized: 'uninit' };

const numberIn = (asked: Raw, name: string) => integer(asked[name], name);

const accountState = async (call: Call, address: string) => {
  const { balance, state, last_transaction_id, block_id } = await call('getAddressInformation', { address });
  const { lt } = part(last_transaction_id);
  const { workchain, seqno } = part(block_id);
  return {
    address,
    // Servers may return -1 for an account that does not exist.
    balance: String(balance) === '-1' ? '0' : balance,
    status: statuses[String(state)] ?? failInvalidAnswer('returned an unknown account state'),
    last_transaction_lt: lt ?? '0',
    // Adds the masterchain block of the state, which a liteserver reports and an index does not.
    ...(workchain === masterchain && { mc_seqno: seqno }),
  };
};

/**
 * Converts a v2 stack entry, which is a pair of type and value. The value of a cell is an object that contains its
 * bytes.
 */
const readEntry = (entry: unknown) => {
  const [type, value] = list(entry, 'an entry of the stack');
  return { type, value: isRaw(value) ? value.bytes : value };
};
const writeEntry = (entry: unknown) => {
  const { type, value } = part(entry);
  return [type === 'slice' ? 'tvm.Slice' : type, value];
};

/**
 * Creates the handlers that translate v3 requests into calls to a v2 server, keyed by the path of the request.
 */
export const createAnswers = (): Readonly<Record<string, Answer>> => {
  const blocks = createBlocks();
  /** Network id, keyed by the hashes of the network's initial state. */
  const networks = new Map<string, number>();

  const networkOf = async (call: Call, { init, last }: Raw) => {
    const { root_hash, file_hash } = part(init);
    const origin = `${root_hash} ${file_hash}`;
    const network = networks.get(origin) ?? (await blocks.header(call, readBlockId(last))).network;
    networks.clear();
    networks.set(origin, network);
    return network;
  };

  const listBlocks: Answer = async (call, asked) => {
    if (asked.root_hash !== undefined) throw new NodeFault('unsupported', 'cannot find a block by hash');
    if (asked.mc_seqno === undefined)
      throw new NodeFault('missing', 'does not report which masterchain block committed a block');
    const [seqno, limit, offset] = ['mc_seqno', 'limit', 'offset'].map((name) => numberIn(asked, name));
    const all = await blocks.all(call, seqno as number);
    const written = all.map(({ id, before, network, time }) => ({
      ...id,
      global_id: network,
      gen_utime: time,
      tx_count: null,
      prev_blocks: before.map(placeOf),
      masterchain_block_ref: masterPlace(seqno as number),
    }));
    return { blocks: written.slice(offset, (offset as number) + (limit as number)) };
  };

  return {
    masterchainInfo: async (call) => {
      const info = await call('getMasterchainInfo');
      const last = { ...readBlockId(info.last), global_id: await networkOf(call, info) };
      // A liteserver does not report its oldest block. The last block is one that it surely has.
      return { first: last, last };
    },
    blocks: listBlocks,
    masterchainBlockShardState: async (call, asked) => ({
      blocks: (await blocks.tops(call, numberIn(asked, 'seqno'))).map(placeOf),
    }),
    /** Returns all transactions of the block on the first page, and none on further pages. */
    transactionsByMasterchainBlock: async (call, asked) => {
      if (numberIn(asked, 'offset') > 0) return { transactions: [] };
      const [seqno, limit] = [numberIn(asked, 'seqno'), numberIn(asked, 'limit')];
      const all = await blocks.all(call, seqno);
      const read = await Promise.all(all.map(({ id }) => readBlockTransactions(call, id, seqno, limit)));
      return { transactions: read.flat() };
    },
    accountStates: async (call, asked) => ({
      accounts: await Promise.all(
        list(asked.address, 'the addresses').map((address) => accountState(call, String(address))),
      ),
    }),
    /** Returns an empty list, so that callers query the jetton wallets themselves. */
    'jetton/wallets': async () => ({ jetton_wallets: [] }),
    runGetMethod: async (call, { address, method, stack }) => {
      const sent = { address, method, stack: list(stack, 'the stack').map(writeEntry) };
      const answer = record(await call('runGetMethod', undefined, sent), 'the answer');
      return { ...answer, stack: list(answer.stack, 'the stack').map(readEntry) };
    },
  };
};
