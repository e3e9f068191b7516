import {
  Address,
  beginCell,
  Cell,
  type CommonMessageInfo,
  Dictionary,
  type DictionaryValue,
  loadMessage,
  type Message,
  storeMessage,
  storeTransaction,
  type TransactionDescriptionGeneric,
} from '@ton/core';
import type { Transaction } from '../../../infrastructure/chains/ton/transactions.js';
import { writeTransaction } from '../../../infrastructure/chains/ton/v2/records.js';
import { part } from '../../../infrastructure/chains/ton/wire.js';
import type { Raw } from '../../../infrastructure/nodes/raw.js';

const addressIn = (text: unknown) => (typeof text === 'string' ? Address.parseRaw(text.toLowerCase()) : null);

const infoOf = ({ source, destination, value, bounced }: Raw, lt: bigint, time: number): CommonMessageInfo => {
  const [src, dest] = [addressIn(source), addressIn(destination)];
  if (!dest) return { type: 'external-out', src: src as Address, createdLt: lt, createdAt: time };
  if (!src) return { type: 'external-in', dest, importFee: 0n };
  const [fees, times] = [
    { ihrFee: 0n, forwardFee: 0n },
    { createdLt: lt, createdAt: time },
  ];
  const flags = { ihrDisabled: true, bounce: true, bounced: bounced === true };
  return { type: 'internal', ...flags, ...fees, ...times, src, dest, value: { coins: BigInt(String(value ?? 0)) } };
};
const messageIn = (written: Raw, lt: bigint, time: number): Message => ({
  info: infoOf(written, lt, time),
  init: null,
  body: Cell.fromBase64(String(part(written.message_content).body)),
});

const inReference: DictionaryValue<Message> = {
  serialize: (message, builder) => builder.storeRef(beginCell().store(storeMessage(message)).endCell()),
  parse: (slice) => loadMessage(slice.loadRef().beginParse()),
};

const descriptionIn = (written: Raw): TransactionDescriptionGeneric => {
  const ran = { gasFees: 0n, gasUsed: 0n, gasLimit: 0n, mode: 0, exitCode: 0, vmSteps: 0 };
  const states = { vmInitStateHash: 0n, vmFinalStateHash: 0n };
  const isAborted = written.aborted === true;
  return {
    type: 'generic',
    creditFirst: true,
    storagePhase: null,
    creditPhase: null,
    computePhase: isAborted
      ? { type: 'skipped', reason: 'no-state' }
      : { type: 'vm', success: true, messageStateUsed: false, accountActivated: false, ...ran, ...states },
    actionPhase: null,
    bouncePhase:
      part(written.bounce).type === 'ok'
        ? { type: 'ok', messageSize: { cells: 0n, bits: 0n }, messageFees: 0n, forwardFees: 0n }
        : null,
    aborted: isAborted,
    destroyed: false,
  };
};

const cellOf = ({ account, lt, now, total_fees, description, in_msg, out_msgs }: Transaction): Cell => {
  const [time, number] = [Number(now), BigInt(lt) * 100n];
  const sent = (out_msgs as readonly Raw[]).map((one, i) => messageIn(one, number + BigInt(i + 1), time));
  const outMessages = Dictionary.empty(Dictionary.Keys.Uint(15), inReference);
  for (const [i, message] of sent.entries()) outMessages.set(i, message);
  const empty = beginCell().endCell();
  return beginCell()
    .store(
      storeTransaction({
        address: BigInt(`0x${String(account).slice(2)}`),
        lt: BigInt(lt),
        prevTransactionHash: 0n,
        prevTransactionLt: 0n,
        now: time,
        outMessagesCount: sent.length,
        oldStatus: 'active',
        endStatus: 'active',
        inMessage: in_msg ? messageIn(in_msg as Raw, number, time) : null,
        outMessages,
        totalFees: { coins: BigInt(String(total_fees)) },
        stateUpdate: { oldHash: Buffer.alloc(32), newHash: Buffer.alloc(32) },
        description: descriptionIn(part(description)),
        raw: empty,
        hash: () => empty.hash(),
      }),
    )
    .endCell();
};

/** Serialized transactions, for servers that return bytes. */
const bytes = new WeakMap<Transaction, string>();

/** Serializes a transaction into its cell, and sets its hashes to those of the cell. */
export const inCells = (written: Transaction): Transaction => {
  const cell = cellOf(written);
  const block = written.block_ref as Transaction['block_ref'] & { workchain: number };
  const made = {
    ...writeTransaction(cell, block.workchain, Number(written.mc_block_seqno), block),
    block_ref: written.block_ref,
  };
  bytes.set(made, cell.toBoc().toString('base64'));
  return made;
};

export const bytesOf = (transaction: Transaction): string => bytes.get(transaction) ?? '';
