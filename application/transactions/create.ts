import type { AccessListEntry, Fees, Unsigned } from '../../domain/aggregates/transaction/transaction-data.js';
import { transactionNotFound } from '../../domain/aggregates/transaction.js';
import type { TokenStandard } from '../../domain/asset.js';
import { Failure, fail, invalid } from '../../domain/failure.js';
import type { Context, Done, Handle } from '../commands/handle.js';
import type { Call } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { AddressParser } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';
import { createNonces, nonceStep, type Sender } from './choose-nonce.js';
import { type CodecPorts, codecOf } from './codec-of.js';
import { feesOf, type GivenFees } from './fees.js';
import { readForAnswer, readTransaction, transactionStep } from './transactions.js';
import type { TransactionRecord } from './wire-record.js';

/** Optional request fields. The node or the service chooses missing values. */
type Given = GivenFees & {
  readonly transactionId: string | undefined;
  readonly gas: string | undefined;
  readonly nonce: number | undefined;
};
type Party = { readonly walletId: string; readonly from: string; readonly to: string };
/** Access list as requested, with addresses in any form that the chain accepts. */
type Accesses = { readonly accessList: readonly AccessListEntry[] };
type Wanted = Given &
  Accesses &
  Party & {
    readonly value: string;
    readonly data: string;
    /**
     * Text that identifies the call data if the data itself differs between retries of a request; absent if the data is
     * the same in every retry.
     */
    readonly dataFrom?: string;
  };
type WantedToken = Given &
  Accesses &
  Party & {
    readonly standard: TokenStandard;
    readonly contract: string;
    readonly tokenId: string;
    readonly value: string;
  };

export type TransactionCreation = {
  create(context: Context, wanted: Wanted): Promise<Done<{ transaction: TransactionRecord }>>;
  createToken(context: Context, wanted: WantedToken): Promise<Done<{ transaction: TransactionRecord }>>;
  /**
   * Creates a transaction with the content and the nonce of a sent transaction, but higher fees. Once sent, the new
   * transaction replaces the earlier transaction.
   */
  speedUp(context: Context, transactionId: string, given: GivenFees): Promise<Done<{ transaction: TransactionRecord }>>;
};

type Ports = CodecPorts & {
  readonly handle: Handle;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly addressParser: AddressParser;
  readonly chains: Chains;
  readonly system: System;
};

const amountBits = 256;
const gasBits = 64;
const amount = (path: string, text: string, bits = amountBits) =>
  BigInt(text) < 2n ** BigInt(bits) ? text : invalid(path, `must be less than 2^${bits}`);

/** Maximum number of storage keys in an access list, far more than a contract call reads. */
const maxStorageKeys = 1000;

/**
 * Maximum number by which a requested nonce may exceed the sender's pending transaction count: far more than the
 * number of transactions that a sender prepares at once.
 */
const maxNonceGap = 1000;
const requireNear = (nonce: number, pending: number) =>
  nonce <= pending + maxNonceGap
    ? nonce
    : invalid(
        '/nonce',
        `must be at most ${pending + maxNonceGap}, which is ${maxNonceGap} past the pending count ${pending}, not ${nonce}`,
      );

/**
 * Returns the given id or a new id. The new id is derived from the idempotency seed if there is one, so that a retry
 * gets the id of the first attempt.
 */
const idOf = ({ idSeed }: Context, given: string | undefined, system: System) => {
  if (given !== undefined) return given;
  if (idSeed === undefined) return system.uuid();
  const hex = system.sign('idempotent-id', JSON.stringify(['transaction', idSeed]));
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

type Draft = Omit<Unsigned, 'nonce' | keyof Fees> & {
  readonly transactionId: string;
  readonly walletId: string;
  readonly chain: string;
  readonly from: string;
  readonly request: string;
};

/**
 * Creates a function that stores a transaction with its fees and with the requested nonce, or with a free nonce if no
 * nonce is requested.
 */
const createStore = (ports: Ports) => {
  const { handle, events, chains } = ports;
  const nonces = createNonces(ports);
  /** Returns the sent transaction that holds the nonce and will be replaced; null when the nonce is free. */
  const toReplace = async (context: Context, sender: Sender, nonce: number) => {
    const holder = await nonces.holder(context, sender, nonce);
    if (holder === null) return null;
    const { state, created } = await readTransaction(events, context, holder);
    const is = state.toUpperCase();
    return state === 'sent' && created
      ? created
      : fail(
          'FAILED_PRECONDITION',
          `Nonce ${nonce} is held by transaction ${holder} in state ${is}. Only a SENT transaction can be replaced.`,
        );
  };

  const append = (context: Context, data: Draft & Fees & { nonce: number }, replaces?: string) => {
    const { chain, from, nonce, transactionId } = data;
    const held = { chain, from, nonce, transactionId, ...(replaces !== undefined && { replaces }) };
    return handle(context, [
      { ...transactionStep(context, { type: 'Create', data }), isNew: true },
      nonceStep(context, { type: 'Hold', data: held }, '/nonce'),
    ]);
  };

  return async (context: Context, draft: Draft, { nonce, ...given }: Given): Promise<Position> => {
    const sending = chains.sending(context.variant);
    if (nonce !== undefined) {
      const replaced = await toReplace(context, draft, nonce);
      if (!replaced) requireNear(nonce, await sending.pendingCount(draft.from));
      const fees = await feesOf(sending, given, replaced);
      return append(context, { ...draft, nonce, ...fees }, replaced?.transactionId);
    }
    const [fees, pending] = await Promise.all([feesOf(sending, given, null), sending.pendingCount(draft.from)]);
    return nonces.allocate(context, draft, pending, (free) => append(context, { ...draft, nonce: free, ...fees }));
  };
};

/**
 * Returns the text that identifies a request by its digest. Without EIP-1559 fees, the text is the same as in earlier
 * releases, so that requests sent to those releases can be retried.
 */
const requestText = (given: Given, walletId: string, fingerprint: object) => {
  const { gas, gasPrice, nonce, maxFeePerGas, maxPriorityFeePerGas } = given;
  const isDynamic = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined;
  const fees = isDynamic ? [maxFeePerGas, maxPriorityFeePerGas] : [];
  return JSON.stringify([walletId, fingerprint, gas, gasPrice, nonce, ...fees]);
};

/**
 * Creates a function that creates a transaction, or returns the transaction that an earlier attempt of the same
 * request created.
 */
const createMake = (ports: Ports) => {
  const { events, chains, system } = ports;
  const store = createStore(ports);

  /** Returns the existing transaction; null when the id is new. Rejects an id whose transaction has different content. */
  const madeBefore = async (context: Context, transactionId: string, request: string) => {
    const past = await readForAnswer(ports, context, transactionId);
    if (!past) return null;
    return past.request === request
      ? { answer: { transaction: past.record }, position: await events.head() }
      : fail(
          'ALREADY_EXISTS',
          `Transaction ${transactionId} already exists with different content. Use another transaction_id.`,
        );
  };

  const draftOf = async (context: Context, { gas }: Given, call: Call) => {
    const sending = chains.sending(context.variant);
    const [estimate, chainId, genesis] = await Promise.all([
      gas === undefined ? sending.estimateGas(call) : amount('/gas', gas, gasBits),
      sending.chainId(),
      chains.of(context.variant).genesis(),
    ]);
    return { ...call, gas: estimate, chainId, chain: genesis.hash };
  };

  return async (context: Context, given: Given, walletId: string, call: Call, fingerprint: object = call) => {
    const transactionId = idOf(context, given.transactionId, system);
    const request = system.sha256(requestText(given, walletId, fingerprint));
    const before = await madeBefore(context, transactionId, request);
    if (before) return before;
    const draft = { transactionId, walletId, request, ...(await draftOf(context, given, call)) };
    try {
      const position = await store(context, draft, given);
      const { record } = (await readForAnswer(ports, context, transactionId)) ?? transactionNotFound(transactionId);
      return { answer: { transaction: record }, position };
    } catch (error) {
      // A concurrent request with the same id has created the transaction meanwhile.
      const isThere = error instanceof Failure && error.code === 'ALREADY_EXISTS';
      const other = isThere ? await madeBefore(context, transactionId, request) : null;
      if (other) return other;
      throw error;
    }
  };
};

const createSpeedUp = (ports: Ports, make: ReturnType<typeof createMake>): TransactionCreation['speedUp'] => {
  const { events, chains, system } = ports;
  /**
   * Returns true if an earlier attempt of the request created its transaction. A retry returns that transaction even if
   * the transaction to be replaced was mined meanwhile.
   */
  const isRetry = async (context: Context) => {
    if (context.idSeed === undefined) return false;
    return (await readForAnswer(ports, context, idOf(context, undefined, system))) !== null;
  };
  return async (context, transactionId, fees) => {
    const { state, created } = await readTransaction(events, context, transactionId);
    if (!created) return transactionNotFound(transactionId);
    const isOnChain = created.chain === (await chains.of(context.variant).genesis()).hash;
    if ((state !== 'sent' || !isOnChain) && !(await isRetry(context)))
      return fail(
        'FAILED_PRECONDITION',
        isOnChain
          ? `Transaction ${transactionId} is ${state.toUpperCase()}. Only a SENT transaction can be sped up.`
          : `Transaction ${transactionId} was created for another chain. Create a new transaction on this chain.`,
      );
    const { walletId, from, to, value, data, accessList, gas, nonce } = created;
    const call = { from, to, value, data, ...(accessList && { accessList }) };
    return make(context, { ...fees, gas, nonce, transactionId: undefined }, walletId, call);
  };
};

export const createTransactionCreation = (ports: Ports): TransactionCreation => {
  const { readModels, addressParser } = ports;
  const make = createMake(ports);
  const parse = (context: Context, path: string, text: string) =>
    addressParser.parse(context, [{ text, path }])[0]?.[0] ?? '';

  const ownAddress = async (context: Context, walletId: string, text: string) => {
    const from = parse(context, '/from', text);
    await requireWallet(readModels, context, walletId);
    const held = await addressParser.findRegistered(context, from);
    return held?.wallet_id === walletId ? from : invalid('/from', `is not an address of wallet ${walletId}`);
  };

  /**
   * Returns the access list with addresses and keys in their stored form; an empty object for an empty list, which has
   * no effect.
   */
  const accesses = (context: Context, entries: readonly AccessListEntry[]): Pick<Call, 'accessList'> => {
    const keyCount = entries.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0);
    if (keyCount > maxStorageKeys)
      return invalid('/access_list', `must have at most ${maxStorageKeys} storage keys in all, has ${keyCount}`);
    const accessList = entries.map(({ address, storageKeys }, i) => ({
      address: parse(context, `/access_list/${i}/address`, address),
      storageKeys: storageKeys.map((key) => key.toLowerCase()),
    }));
    return accessList.length > 0 ? { accessList } : {};
  };

  return {
    create: async (context, { walletId, from, to, value, data, dataFrom, accessList, ...given }) => {
      const sender = await ownAddress(context, walletId, from);
      const receiver = parse(context, '/to', to);
      const call = {
        from: sender,
        to: receiver,
        value: amount('/value', value),
        data: data.toLowerCase(),
        ...accesses(context, accessList),
      };
      return make(context, given, walletId, call, { ...call, ...(dataFrom !== undefined && { data: dataFrom }) });
    },
    createToken: async (context, { walletId, from, to, standard, contract, tokenId, value, accessList, ...given }) => {
      const at = `/token_payload/${standard}`;
      const sender = await ownAddress(context, walletId, from);
      const data = codecOf(ports, context).tokenCall({
        standard,
        from: sender,
        to: parse(context, '/to', to),
        tokenId: amount(`${at}/token_id`, tokenId),
        value: amount(`${at}/value`, value),
      });
      const receiver = parse(context, `${at}/contract_address`, contract);
      const call = { from: sender, to: receiver, value: '0', data, ...accesses(context, accessList) };
      return make(context, given, walletId, call);
    },
    speedUp: createSpeedUp(ports, make),
  };
};
