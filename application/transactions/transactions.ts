import type { Fees, Unsigned } from '../../domain/aggregates/transaction/transaction-data.js';
import {
  type Transaction,
  type TransactionCommand,
  transaction,
  transactionNotFound,
} from '../../domain/aggregates/transaction.js';
import { fail, invalid } from '../../domain/failure.js';
import { type TransactionDocument, transactions } from '../../projections/transactions.js';
import { type Context, type Done, type Handle, type Nothing, type Step, scopeFor, step } from '../commands/handle.js';
import { eventsThroughOwn, hasWritten, seedOf, withoutSeed } from '../commands/own-events.js';
import { foldStored, readAggregate } from '../commands/read-aggregate.js';
import type { Broadcast, Sending } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import { type Position, type Streams, streamName } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { ListPage, Lists, PageRequest } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { type AddressParser, singleAddress } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';
import { nonceStep } from './choose-nonce.js';
import { type CodecPorts, codecOf } from './codec-of.js';
import { feesOf, noGivenFees } from './fees.js';
import { chargeNotifications } from './notification-cost.js';
import { createPreview, type TransactionPreview } from './preview.js';
import { showTransaction, type TransactionRecord } from './wire-record.js';

type Ports = CodecPorts & {
  readonly handle: Handle;
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly lists: Lists;
  readonly addressParser: AddressParser;
  readonly chains: Chains;
  readonly progress: Progress;
  readonly system: System;
};

type MessageToSign = {
  readonly digest: string;
  /** Transaction without a signature, in hex. */
  readonly unsigned: string;
  readonly preview: TransactionPreview;
};

export type Transactions = {
  find(
    context: Context,
    by: { transactionId: string | undefined; hash: string | undefined },
  ): Promise<TransactionDocument>;
  list(
    context: Context,
    by: { walletId: string | undefined; address: string | undefined },
    page: PageRequest,
  ): Promise<ListPage<TransactionDocument>>;
  /** Returns what is to be signed: the transaction, or its cancellation once a cancellation is requested. */
  messageToSign(context: Context, transactionId: string): Promise<MessageToSign>;
  submitSignature(context: Context, transactionId: string, signature: string): Promise<Done<Nothing>>;
  send(context: Context, transactionId: string): Promise<Done<{ transaction: TransactionRecord }>>;
  cancel(context: Context, transactionId: string): Promise<Done<Nothing>>;
};

const readYourWritesMs = 2000;

const keyOf = ({ variant }: Context, transactionId: string) => `${variant.tag}.${transactionId}`;
export const transactionStep = (context: Context, command: TransactionCommand): Step =>
  step(transaction, context.organizationId, keyOf(context, command.data.transactionId), command);

export const readTransaction = (events: Streams, context: Context, transactionId: string) =>
  readAggregate(events, transaction, context.organizationId, keyOf(context, transactionId));

const streamOf = (context: Context, transactionId: string) =>
  streamName(context.organizationId, transaction.stream, keyOf(context, transactionId));

/** Transaction as a command returns it, with the fingerprint of the request that created it. */
type Answerable = { readonly record: TransactionRecord; readonly request: string };
/**
 * Reads the transaction as an earlier attempt of the request left it, or its current state on the first attempt. Null
 * when the transaction does not exist.
 */
export const readForAnswer = async (
  { events, system }: { readonly events: Streams; readonly system: System },
  context: Context,
  transactionId: string,
): Promise<Answerable | null> => {
  const { events: past } = await events.read(streamOf(context, transactionId));
  const seen = eventsThroughOwn(past, seedOf(context, system)) ?? past;
  const { created } = foldStored(transaction, seen);
  const record = showTransaction(seen);
  return created && record && { record, request: created.request };
};

/**
 * Returns the command that records the outcome of a broadcast; null for an unknown outcome, which the watcher retries.
 */
export const outcomeCommand = (transactionId: string, outcome: Broadcast): TransactionCommand | null => {
  if (outcome.kind === 'unknown') return null;
  return outcome.kind === 'taken'
    ? { type: 'Take', data: { transactionId } }
    : { type: 'Refuse', data: { transactionId, reason: outcome.reason } };
};

/** Builds the cancellation: a transaction from the sender to itself that only uses the nonce. */
const cancellationFor = (created: Unsigned & { from: string }, { gasPrice, maxPriorityFeePerGas }: Fees): Unsigned => ({
  chainId: created.chainId,
  nonce: created.nonce,
  to: created.from,
  value: '0',
  gas: '21000',
  data: '0x',
  gasPrice,
  ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas }),
});

/** Returns the fields that a signature must cover; null when there is nothing to sign. */
const toSign = ({ state, created, cancellation }: Transaction, transactionId: string): Unsigned | null => {
  if (!created) return transactionNotFound(transactionId);
  if (state === 'canceling') return cancellation && cancellationFor(created, cancellation);
  return state === 'created' || state === 'signed' ? created : null;
};

const createReading = (ports: Ports) => {
  const { events, readModels, lists, addressParser } = ports;
  const previewOf = createPreview(readModels);
  const byHash = async (context: Context, hash: string) => {
    for (const index of ['byHash', 'byCancellation']) {
      const query = { index, equal: [hash.toLowerCase()], limit: 1 };
      const [found] = (await readModels.page(transactions, scopeFor(context), query)).documents;
      if (found) return found;
    }
    return null;
  };
  const find: Transactions['find'] = async (context, { transactionId, hash }) => {
    const found =
      transactionId === undefined
        ? await byHash(context, hash ?? '')
        : await readModels.get(transactions, { scope: scopeFor(context), id: transactionId });
    const isOther =
      hash !== undefined && found?.hash !== hash.toLowerCase() && found?.cancellation_hash !== hash.toLowerCase();
    return found && !isOther ? found : transactionNotFound(transactionId ?? hash);
  };
  const list: Transactions['list'] = async (context, { walletId, address }, page) => {
    if (walletId !== undefined) await requireWallet(readModels, context, walletId);
    const from = address === undefined ? undefined : addressParser.parse(context, singleAddress(address))[0]?.[0];
    const equal = [walletId, from].filter((one) => one !== undefined);
    const index = walletId === undefined ? 'bySender' : from === undefined ? 'byWallet' : 'byWalletAndSender';
    return lists(transactions, scopeFor(context), { index, equal }, page);
  };
  const messageToSign: Transactions['messageToSign'] = async (context, transactionId) => {
    const past = await readTransaction(events, context, transactionId);
    const unsigned = toSign(past, transactionId);
    if (!unsigned || !past.created)
      return fail(
        'FAILED_PRECONDITION',
        `Transaction ${transactionId} has nothing to sign: its state is ${past.state.toUpperCase()}. Expected CREATED, SIGNED or CANCELING.`,
      );
    const codec = codecOf(ports, context);
    const sender = { ...past.created, isCancellation: past.state === 'canceling' };
    return {
      digest: codec.digest(unsigned),
      unsigned: codec.unsigned(unsigned),
      preview: await previewOf(context, codec, unsigned, sender),
    };
  };
  return { find, list, messageToSign };
};

/** Returns why nodes rejected the last broadcast; null unless the transaction is waiting to be sent again. */
const refusalOf = ({ state, cancellation, refusal }: Transaction) =>
  state === 'signed' || (state === 'canceling' && !cancellation?.isSent) ? refusal : null;

type Out = { readonly sending: Sending; readonly sent: Transaction; readonly position: Position };
const createSending = (ports: Ports) => {
  const { handle, events, readModels, chains, progress } = ports;
  /** Rejects a request whose event is already stored, once the read models include that event. */
  const refuseAt = async (position: Position, reason: string) => {
    await progress.reached(position, readYourWritesMs);
    return fail('FAILED_PRECONDITION', `No node accepted the transaction: ${reason}`);
  };

  /** Rejects a transaction that was created for another chain, for example before a development chain was reset. */
  const sendingOn = async (context: Context, transactionId: string) => {
    const { created } = await readTransaction(events, context, transactionId);
    if (!created) return transactionNotFound(transactionId);
    const chain = chains.of(context.variant);
    if ((await chain.genesis()).hash !== created.chain)
      return fail(
        'FAILED_PRECONDITION',
        `Transaction ${transactionId} was created for another chain. Create a new transaction on this chain.`,
      );
    return chains.sending(context.variant);
  };

  /** Broadcasts a transaction unless a node has accepted it, and returns the position of the recorded outcome. */
  const broadcast = async (context: Context, transactionId: string, { sending, sent, position }: Out) => {
    const signed = sent.state === 'canceling' ? sent.cancellation?.signed : sent.signed;
    if (sent.isTaken || !signed) return position;
    const outcome = await sending.broadcast(signed);
    const command = outcomeCommand(transactionId, outcome);
    const known = command ? await handle(withoutSeed(context), [transactionStep(context, command)]) : position;
    return outcome.kind === 'refused' ? refuseAt(known, outcome.reason) : known;
  };

  const send: Transactions['send'] = async (context, transactionId) => {
    const sending = await sendingOn(context, transactionId);
    const position = await handle(context, [transactionStep(context, { type: 'Send', data: { transactionId } })]);
    const sent = await readTransaction(events, context, transactionId);
    const refusal = refusalOf(sent);
    if (refusal !== null) return refuseAt(position, refusal);
    await chargeNotifications(readModels, context, sent.created?.data ?? '');
    const isOut = sent.state === 'sent' || sent.state === 'canceling';
    const known = isOut ? await broadcast(context, transactionId, { sending, sent, position }) : position;
    const { record } = (await readForAnswer(ports, context, transactionId)) ?? transactionNotFound(transactionId);
    return { answer: { transaction: record }, position: known };
  };

  const requestCancel = async (context: Context, transactionId: string, replaced: Fees | null) => {
    const fees = await feesOf(chains.sending(context.variant), noGivenFees, replaced);
    return transactionStep(context, { type: 'RequestCancel', data: { transactionId, ...fees } });
  };

  const cancel: Transactions['cancel'] = async (context, transactionId) => {
    if (await hasWritten(ports, context, streamOf(context, transactionId)))
      return { answer: {}, position: await events.head() };
    const { state, created, cancellation } = await readTransaction(events, context, transactionId);
    const isOut = state === 'sent' || state === 'canceling';
    const steps = isOut
      ? [await requestCancel(context, transactionId, cancellation ?? created)]
      : [transactionStep(context, { type: 'Cancel', data: { transactionId } })];
    if (created && !isOut) {
      const { chain, from, nonce } = created;
      steps.push(nonceStep(context, { type: 'Release', data: { chain, from, nonce, transactionId } }));
    }
    const position = await handle(context, steps);
    await chargeNotifications(readModels, context, created?.data ?? '');
    return { answer: {}, position };
  };
  return { send, cancel };
};

export const createTransactions = (ports: Ports): Transactions => {
  const { handle, events } = ports;
  return {
    ...createReading(ports),
    ...createSending(ports),
    submitSignature: async (context, transactionId, signature) => {
      if (await hasWritten(ports, context, streamOf(context, transactionId)))
        return { answer: {}, position: await events.head() };
      const past = await readTransaction(events, context, transactionId);
      const unsigned = toSign(past, transactionId);
      const { from } = past.created ?? transactionNotFound(transactionId);
      const signed = unsigned && codecOf(ports, context).assemble(unsigned, from, signature);
      if (unsigned && !signed)
        return invalid(
          '/signature',
          `is not a valid signature of the message by ${from}. Expected r, s and v in 65 bytes of hex, or the 64 bytes of EIP-2098`,
        );
      const data = { transactionId, ...(signed ?? { raw: '', hash: '' }) };
      const position = await handle(context, [transactionStep(context, { type: 'Sign', data })]);
      return { answer: {}, position };
    },
  };
};
