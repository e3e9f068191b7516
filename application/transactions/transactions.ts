import {
  type Transaction,
  type TransactionCommand,
  transaction,
  type Unsigned,
} from '../../domain/aggregates/transaction.js';
import { fail, invalid } from '../../domain/failure.js';
import { type TransactionDocument, transactions } from '../../projections/transactions.js';
import { type Context, type Done, type Handle, type Nothing, type Step, scopeFor, step } from '../commands/handle.js';
import { hasWritten, seedOf, upToOwn, withoutSeed } from '../commands/own-events.js';
import { foldStored, readAggregate } from '../commands/read-aggregate.js';
import type { Broadcast, Sending } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { TransactionCodec } from '../ports/codec.js';
import { type Position, type Streams, streamName } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { ListPage, Lists, PageRequest } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { type AddressParser, singleAddress } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';
import { nonceStep } from './nonces.js';
import { showTransaction, type TransactionRecord } from './wire-record.js';

type Ports = {
  readonly handle: Handle;
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly lists: Lists;
  readonly addressParser: AddressParser;
  readonly chains: Chains;
  readonly transactionCodec: TransactionCodec;
  readonly progress: Progress;
  readonly system: System;
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
  /** Returns the digest to sign next: of the transaction, or of its cancellation once that is requested. */
  messageToSign(context: Context, transactionId: string): Promise<string>;
  submitSignature(context: Context, transactionId: string, signature: string): Promise<Done<Nothing>>;
  send(context: Context, transactionId: string): Promise<Done<{ transaction: TransactionRecord }>>;
  cancel(context: Context, transactionId: string): Promise<Done<Nothing>>;
};

const readYourWritesMs = 2000;

/** Nodes replace a pending transaction only by one that pays at least a tenth more; some require an eighth. */
export const outbid = (gasPrice: string) => ((BigInt(gasPrice) * 1125n + 999n) / 1000n).toString();
export const maxAmount = (a: string, b: string) => (BigInt(a) > BigInt(b) ? a : b);

const keyOf = ({ variant }: Context, transactionId: string) => `${variant.tag}.${transactionId}`;
export const transactionStep = (context: Context, command: TransactionCommand): Step =>
  step(transaction, context.organizationId, keyOf(context, command.data.transactionId), command);

export const readTransaction = (events: Streams, context: Context, transactionId: string) =>
  readAggregate(events, transaction, context.organizationId, keyOf(context, transactionId));

const streamOf = (context: Context, transactionId: string) =>
  streamName(context.organizationId, transaction.stream, keyOf(context, transactionId));

/** Reads the transaction as an earlier try of the request left it, or as it is now when there was none. */
export const readForAnswer = async (
  { events, system }: { readonly events: Streams; readonly system: System },
  context: Context,
  transactionId: string,
): Promise<Transaction> => {
  const { events: past } = await events.read(streamOf(context, transactionId));
  return foldStored(transaction, upToOwn(past, seedOf(context, system)) ?? past);
};

/** Returns null for an unknown outcome, after which the watcher broadcasts again until a node answers. */
export const outcomeCommand = (transactionId: string, outcome: Broadcast): TransactionCommand | null => {
  if (outcome.kind === 'unknown') return null;
  return outcome.kind === 'taken'
    ? { type: 'Take', data: { transactionId } }
    : { type: 'Refuse', data: { transactionId, reason: outcome.reason } };
};

const missing = () => fail('NOT_FOUND', 'there is no such transaction');
/** Builds the cancellation: a transaction to oneself that only uses up the nonce. */
const noOperation = (created: Unsigned & { from: string }, gasPrice: string): Unsigned => ({
  chainId: created.chainId,
  nonce: created.nonce,
  to: created.from,
  value: '0',
  gas: '21000',
  gasPrice,
  data: '0x',
});

/** Returns the fields that a signature must cover; null when there is nothing to sign. */
const toSign = ({ state, created, cancellation }: Transaction): Unsigned | null => {
  if (!created) return missing();
  if (state === 'canceling') return cancellation && noOperation(created, cancellation.gasPrice);
  return state === 'created' || state === 'signed' ? created : null;
};

const createReading = ({ events, readModels, lists, addressParser, transactionCodec }: Ports) => {
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
    return found && !isOther ? found : missing();
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
    const unsigned = toSign(past);
    return unsigned
      ? transactionCodec.digest(unsigned)
      : fail(
          'FAILED_PRECONDITION',
          `transaction ${transactionId} is ${past.state.toUpperCase()}; there is nothing to sign`,
        );
  };
  return { find, list, messageToSign };
};

/** Reason why nodes refused what was sent last; null while it is sent. */
const refusalOf = ({ state, cancellation, refusal }: Transaction) =>
  state === 'signed' || (state === 'canceling' && !cancellation?.isSent) ? refusal : null;

type Out = { readonly sending: Sending; readonly sent: Transaction; readonly position: Position };
const createSending = (ports: Ports) => {
  const { handle, events, chains, progress } = ports;
  /** Refuses a request after an event was written, once reads include that event. */
  const refuseAt = async (position: Position, reason: string) => {
    await progress.reached(position, readYourWritesMs);
    return fail('FAILED_PRECONDITION', `no node accepted it: ${reason}`);
  };

  /** Refuses to send a transaction that was created for another chain, as when a development chain has started over. */
  const sendingOn = async (context: Context, transactionId: string) => {
    const { created } = await readTransaction(events, context, transactionId);
    if (!created) return missing();
    const chain = chains.of(context.variant);
    if ((await chain.genesis()).hash !== created.chain)
      return fail('FAILED_PRECONDITION', `transaction ${transactionId} was created for another chain than this one`);
    return chains.sending(context.variant);
  };

  /** Broadcasts a transaction that no node is known to have, and returns the position of its recorded outcome. */
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
    const isOut = sent.state === 'sent' || sent.state === 'canceling';
    const known = isOut ? await broadcast(context, transactionId, { sending, sent, position }) : position;
    const shown = await readForAnswer(ports, context, transactionId);
    return { answer: { transaction: showTransaction(shown) }, position: known };
  };

  const requestCancel = async (context: Context, transactionId: string, price: string) => {
    const gasPrice = maxAmount(outbid(price), await chains.sending(context.variant).gasPrice());
    return transactionStep(context, { type: 'RequestCancel', data: { transactionId, gasPrice } });
  };

  const cancel: Transactions['cancel'] = async (context, transactionId) => {
    if (await hasWritten(ports, context, streamOf(context, transactionId)))
      return { answer: {}, position: await events.head() };
    const { state, created, cancellation } = await readTransaction(events, context, transactionId);
    const isOut = state === 'sent' || state === 'canceling';
    const steps = isOut
      ? [await requestCancel(context, transactionId, cancellation?.gasPrice ?? created?.gasPrice ?? '0')]
      : [transactionStep(context, { type: 'Cancel', data: { transactionId } })];
    if (created && !isOut) {
      const { chain, from, nonce } = created;
      steps.push(nonceStep(context, { type: 'Release', data: { chain, from, nonce, transactionId } }));
    }
    const position = await handle(context, steps);
    return { answer: {}, position };
  };
  return { send, cancel };
};

export const createTransactions = (ports: Ports): Transactions => {
  const { handle, events, transactionCodec } = ports;
  return {
    ...createReading(ports),
    ...createSending(ports),
    submitSignature: async (context, transactionId, signature) => {
      if (await hasWritten(ports, context, streamOf(context, transactionId)))
        return { answer: {}, position: await events.head() };
      const past = await readTransaction(events, context, transactionId);
      const unsigned = toSign(past);
      const { from } = past.created ?? missing();
      const signed = unsigned && transactionCodec.assemble(unsigned, from, signature);
      if (unsigned && !signed)
        return invalid(
          '/signature',
          `must be r, s and v in 65 bytes of hex, or 64 as in EIP-2098: this is not a valid signature of the message by ${from}`,
        );
      const data = { transactionId, ...(signed ?? { raw: '', hash: '' }) };
      const position = await handle(context, [transactionStep(context, { type: 'Sign', data })]);
      return { answer: {}, position };
    },
  };
};
