/** Deviation of a network from the standard answers of an EVM node, although its blocks are correct. */
type Row = {
  /** Networks on which the deviation was observed. */
  readonly seen: readonly string[];
  /** Rule, in words, by which data with this deviation is interpreted. */
  readonly believed: string;
  /**
   * Blocks for which another node must confirm the quirk, because the answer of a node that has lost data looks the
   * same. `always` means each block; `at first` means until one block was accepted. Absent if no confirmation is
   * needed.
   */
  readonly askedElsewhere?: 'always' | 'at first';
};

/** Accepted deviations. A block that contradicts itself in any other way is rejected. */
const rows = {
  'state sync without a trace': {
    seen: ['Polygon'],
    believed: 'a transaction of the zero address that used no gas has no trace; addresses in its logs are read again',
  },
  'system logs outside the bloom': {
    seen: ['Polygon'],
    believed:
      'a token transfer in a transaction of the zero address that used no gas is not in the bloom of its block, if no other node has the block without it',
    askedElsewhere: 'always',
  },
  'bootloader at the root of a trace': {
    seen: ['ZK Stack'],
    believed:
      'the bootloader (`0x…8001`) makes the call of the transaction; its sender pays it the fee and gets the rest back; a call with a `revertReason` failed',
  },
  'delegate calls as calls': {
    seen: ['ZK Stack'],
    believed: 'a call with the sender, receiver and value of the call around it is a delegate call and moves nothing',
  },
  'call types in lower case': {
    seen: ['ZK Stack'],
    believed: 'a call `call` or `create` in a trace moves value like `CALL` or `CREATE`',
  },
  'capitalized call types': {
    seen: ['ZK Stack'],
    believed: 'a call `Call` or `Create` in a trace moves value like `CALL` or `CREATE`',
  },
  'bloom without logs': {
    seen: ['ZK Stack'],
    believed: 'a block lacks logs that its bloom announces, if no other node has them',
    askedElsewhere: 'always',
  },
  'bloom of ones': { seen: ['Filecoin'], believed: 'a bloom of all ones tells nothing' },
  'no bloom': { seen: ['Filecoin'], believed: 'a bloom that is absent or `0x` tells nothing' },
  'first block is number 1': {
    seen: ['Cosmos EVM'],
    believed: 'block 1 is the first if a node answers with it for block 0; the chain is known by its id and that block',
  },
  'first block without a parent': {
    seen: ['Cosmos EVM'],
    believed: 'the first block has no parent if its `parentHash` is `0x`',
  },
  'receipts missing in the list': {
    seen: ['Cosmos EVM'],
    believed: 'receipts that `eth_getBlockReceipts` leaves out are those that the node gives one by one',
  },
  'receipts of others in the list': {
    seen: ['HyperEVM', 'Celo'],
    believed: 'receipts of transactions that are not in the block are ignored',
  },
  'no list of receipts': {
    seen: ['Cosmos EVM', 'Polygon'],
    believed:
      'receipts are those that the node gives one by one where `eth_getBlockReceipts` fails or hangs for a block',
  },
  'log numbers for each receipt': {
    seen: ['others'],
    believed: 'log indexes start at 0 in every receipt',
    askedElsewhere: 'at first',
  },
  'log numbers with gaps': {
    seen: ['others'],
    believed:
      'log indexes rise within a receipt, if no other node has them without gaps; blooms tell if a log is missing',
    askedElsewhere: 'at first',
  },
  'log numbers from 1': {
    seen: ['others'],
    believed: 'log indexes of a block start at 1',
    askedElsewhere: 'at first',
  },
  'transaction numbers with gaps': { seen: ['Hedera'], believed: 'transaction indexes rise' },
  'padded status': { seen: ['others'], believed: 'a status `0x01` is `0x1`, and `0x00` is `0x0`' },
  'hashes in capitals': { seen: ['others'], believed: 'hashes and addresses are the same in capitals' },
  'long balances': {
    seen: ['others'],
    believed: 'the first word of an answer to `balanceOf` is the balance',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type Quirk = keyof typeof rows;
export const quirks: Readonly<Record<Quirk, Row>> = rows;
