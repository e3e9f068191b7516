import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Wallet } from 'ethers';
import type { App } from '../../../application/app.js';
import { createHandle } from '../../../application/commands/handle.js';
import { createCursorStore } from '../../../application/following/progress/cursor-store.js';
import type { Chain, Header, Sending } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import { chains as followedVariants } from '../../../domain/variant.js';
import type { Caller } from '../../../interfaces/operations/define.js';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import { testSystem } from '../silent.js';

const head: Header = { number: 100, hash: '0xb100', parentHash: '0xb99', time: 1 };
const sending: Sending = {
  chainId: async () => 1,
  estimateGas: async () => '21000',
  gasPrice: async () => '1',
  suggestedFees: async () => ({ baseFee: '1', priorityFee: '1' }),
  pendingCount: async () => 0,
  broadcast: async () => ({ kind: 'taken' }),
  countsAt: async (senders) => senders.map(() => 0),
  inclusionsAt: async (hashes) => hashes.map(() => null),
  failureReason: async () => null,
  knows: async (hashes) => hashes.map(() => true),
};
const chain = {
  genesis: async () => head,
  head: async () => head,
  finalized: async () => head.number,
  headerAt: async () => head,
  balances: async (holdings: readonly unknown[]) => holdings.map(() => '1'),
  contract: async () => ({ name: 'Token' }),
  sending,
} as unknown as Chain;
/** Chains by the tag of each variant that is followed. All variants share one chain, which never changes. */
export const quietChains = new Map(followedVariants.map(({ tag }) => [tag, { chain, isNew: true }] as const));

/** Stores cursors as if the chains were followed up to their first block, which importing a history requires. */
export const followChains = async (state: StateStore) => {
  for (const [tag, { chain }] of quietChains) {
    const genesis = await chain.genesis();
    const cursor = { chain: genesis.hash, headers: [genesis], positions: [0], head: genesis };
    await createCursorStore(state, tag).save(cursor);
  }
};

const signer = new Wallet(`0x${'1'.repeat(64)}`);
const from = signer.address.toLowerCase();

/** Returns functions that create, for one organization, the resources that requests to one endpoint need. */
export const createScene = (app: App, events: EventStore, endpoint: Endpoint, organizationId: string) => {
  const by: Caller = {
    organizationId,
    variant: endpoint.variant,
    role: 'admin',
    actor: { kind: 'credential', id: `ck_${organizationId}` },
    requestId: 'test',
  };
  /** Calls another command of the same API, and waits until its result can be read. */
  const call = async (name: string, input: object): Promise<Record<string, string>> => {
    const found = endpoints.find(({ operation, variant }) => operation.name === name && variant === endpoint.variant);
    if (found?.operation.kind !== 'command') return assert.fail(`there is no command ${name}`);
    const { answer, position } = await found.operation.handle(app, input, by);
    assert.ok(await app.progress.reached(position, 20_000));
    return answer as Record<string, string>;
  };
  const { address = from } = endpoint.example as { address?: string };
  const newWallet = async (held?: string) => {
    const { wallet_id } = await call('RegisterWallet', { name: 'w', ...(held && { address: held }) });
    return { wallet_id: wallet_id as string };
  };
  /** Creates a transaction of a wallet that holds the sender's address, or of a new wallet. */
  const newTransaction = async (walletId?: string) => {
    const wallet_id = walletId ?? (await newWallet(from)).wallet_id;
    const { transaction } = await call('CreateTransaction', { wallet_id, from, to: from, value: '1' });
    return { transaction_id: (transaction as unknown as { transaction_id: string }).transaction_id };
  };
  const signatureOf = async ({ transaction_id }: { transaction_id: string }) => {
    const { digest } = await app.transactions.messageToSign(by, transaction_id);
    return { transaction_id, signature: signer.signingKey.sign(digest).serialized };
  };
  const newSigned = async (walletId?: string) => {
    const made = await newTransaction(walletId);
    await call('SubmitTransactionSignature', await signatureOf(made));
    return made;
  };
  const observeFinal = async ({ transaction_id: transactionId }: { transaction_id: string }) => {
    const outcome = { kind: 'mined', block: head, failed: false } as const;
    const data = { transactionId, outcome, confirmations: 100, isDeep: true, isFinal: true };
    await createHandle(events, testSystem)(by, [transactionStep(by, { type: 'Observe', data })]);
  };
  const newDelivery = async () => {
    const { webhook_id = '' } = await call('RegisterWebhook', {
      webhook_endpoint: 'https://a.example',
      confirmation: 1,
    });
    const deliveryId = `whd_1.${endpoint.variant.tag}.${organizationId}`;
    await app.deliveries.request(by, { webhook_id, disabled: false }, [{ deliveryId, data: {} }]);
    assert.ok(await app.progress.reached(await events.head(), 20_000));
    return { webhook_id, webhook_history_id: deliveryId };
  };
  const made = { newWallet, newTransaction, signatureOf, newSigned, newDelivery };
  return { app, by, call, address, sender: from, ...made, observeFinal };
};
type Scene = ReturnType<typeof createScene>;

type Row = {
  /** Creates the resources that the request names, and returns the request fields that differ from the example. */
  readonly given?: (scene: Scene) => Promise<object>;
  /** Runs between the first attempt and the retry. */
  readonly meanwhile?: (scene: Scene, input: never) => Promise<unknown>;
};
const ofOrganization = async ({ by }: Scene) => ({ organization_id: by.organizationId });
const ofWallet = ({ newWallet }: Scene) => newWallet();
const ofHolder = ({ newWallet, address }: Scene) => newWallet(address);
const ofSender = async ({ newWallet }: Scene) => ({ ...(await newWallet(from)), from });

const ofWebhook = async ({ call, by }: Scene) => {
  const { webhook_id } = await call('RegisterWebhook', exampleOf(by, 'RegisterWebhook'));
  return { webhook_id };
};
const removeWebhook = ({ call }: Scene, { webhook_id }: { webhook_id: string }) =>
  call('RemoveWebhook', { webhook_id });

const newSent = async ({ newSigned, call }: Scene) => {
  const made = await newSigned();
  await call('SendTransaction', made);
  return made;
};

const logSeal = async ({ app, by: { organizationId } }: Scene, count: number) => {
  await app.sealLog.begin();
  const hash = count.toString(16).padStart(64, '0');
  return app.sealLog.append({ organizationId, count, hash, places: hash, position: count }, 0);
};

/** Preparations for commands that do not succeed with their documented example alone, by the command's name. */
export const rows: Readonly<Record<string, Row>> = {
  CreateOrganization: { given: async () => ({ domain: `d${randomBytes(6).toString('hex')}` }) },
  CreateCredential: { given: ofOrganization },
  DeleteCredential: {
    given: ({ call, by }) => call('CreateCredential', { organization_id: by.organizationId }),
    meanwhile: async ({ app }) => app.credentialCache.clear(),
  },
  CreateGatewayToken: { given: ofOrganization },
  DeleteGatewayToken: {
    given: async ({ call }) => {
      const { gateway_token_id } = await call('CreateGatewayToken', { name: 'x' });
      return { gateway_token_id };
    },
  },
  DeleteSession: { given: async ({ call }) => call('CreateSession', {}).then(() => ({})) },
  SetGatewayKeys: {
    given: async () => ({ gateway_keys: 'tokens' }),
    meanwhile: ({ call }) => call('SetGatewayKeys', { gateway_keys: 'api_key' }),
  },
  SetRateLimit: { given: ofOrganization },
  SetQuota: { given: ofOrganization },
  DeleteRateLimit: {
    given: async (scene) => {
      const { example } = endpoints.find(({ operation }) => operation.name === 'SetRateLimit') as Endpoint;
      await scene.call('SetRateLimit', { ...example, ...(await ofOrganization(scene)) });
      return ofOrganization(scene);
    },
  },
  UpdateConfirmation: {
    given: ofWallet,
    meanwhile: ({ call }, input: { wallet_id: string }) => call('UpdateConfirmation', { ...input, confirmation: 3 }),
  },
  BatchRegisterAddresses: { given: ofWallet },
  ReconcileWallet: { given: ofWallet },
  ImportHistory: {
    given: async (scene) => {
      await ofHolder(scene);
      return {};
    },
  },
  RegisterAddress: {
    given: ofWallet,
    meanwhile: ({ call }, input: { wallet_id: string; address: string }) => call('RemoveAddress', input),
  },
  BatchRemoveAddresses: { given: ({ newWallet, by }) => newWallet(exampleOf(by, 'RegisterAddress').address) },
  RemoveAddress: { given: ofHolder },
  ImportAsset: {
    given: async (scene) => {
      await ofHolder(scene);
      return {};
    },
  },
  RefreshAssetBalances: { given: ofHolder },
  RemoveContract: {
    given: async ({ call, by }) => {
      await call('RegisterContract', exampleOf(by, 'RegisterContract'));
      return {};
    },
  },
  UpdateWebhook: { given: ofWebhook, meanwhile: removeWebhook },
  RotateWebhookSecret: { given: ofWebhook, meanwhile: removeWebhook },
  SendTestWebhook: { given: ofWebhook, meanwhile: removeWebhook },
  RemoveWebhook: { given: ({ call, by }) => call('RegisterWebhook', exampleOf(by, 'RegisterWebhook')) },
  RemoveWebhookHeader: {
    given: ({ call, by }) => call('RegisterWebhookHeader', exampleOf(by, 'RegisterWebhookHeader')),
  },
  ResendWebhook: {
    given: async ({ newDelivery }) => {
      const { webhook_history_id } = await newDelivery();
      return { webhook_history_id };
    },
  },
  ResendWebhooks: {
    given: async ({ newDelivery }) => {
      const { webhook_id } = await newDelivery();
      return { webhook_id };
    },
  },
  CreateTransaction: { given: ofSender },
  CreateTokenTransaction: { given: ofSender },
  AnchorSeal: {
    given: async (scene) => {
      await logSeal(scene, 1);
      return ofSender(scene);
    },
    meanwhile: (scene) => logSeal(scene, 2),
  },
  SubmitTransactionSignature: {
    given: async ({ newTransaction, signatureOf }) => signatureOf(await newTransaction()),
    meanwhile: async ({ call }, { transaction_id }: { transaction_id: string }) => {
      await call('SendTransaction', { transaction_id });
      await call('CancelTransaction', { transaction_id });
    },
  },
  SendTransaction: {
    given: ({ newSigned }) => newSigned(),
    meanwhile: ({ observeFinal }, input: { transaction_id: string }) => observeFinal(input),
  },
  SpeedUpTransaction: {
    given: newSent,
    meanwhile: ({ observeFinal }, input: { transaction_id: string }) => observeFinal(input),
  },
  CancelTransaction: {
    given: newSent,
    meanwhile: ({ observeFinal }, input: { transaction_id: string }) => observeFinal(input),
  },
};
const exampleOf = ({ variant }: Caller, name: string) =>
  endpoints.find((one) => one.operation.name === name && one.variant === variant)?.example as Record<string, string>;
