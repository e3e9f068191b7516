import fc from 'fast-check';
import { step } from '../../../application/commands/handle.js';
import { streamName } from '../../../application/ports/event-store.js';
import { type AddressCommand, address } from '../../../domain/aggregates/address.js';
import { contract } from '../../../domain/aggregates/contract.js';
import { credential, roles } from '../../../domain/aggregates/credential.js';
import { delivery } from '../../../domain/aggregates/delivery.js';
import { domainName } from '../../../domain/aggregates/domain-name.js';
import { gatewayToken } from '../../../domain/aggregates/gateway/gateway-token.js';
import type { UnreadBalance } from '../../../domain/aggregates/ledger/ledger-data.js';
import { type Ledger, ledger } from '../../../domain/aggregates/ledger.js';
import { nonce } from '../../../domain/aggregates/nonce.js';
import { type OrganizationCommand, organization } from '../../../domain/aggregates/organization.js';
import { token } from '../../../domain/aggregates/token.js';
import { transaction } from '../../../domain/aggregates/transaction.js';
import { wallet } from '../../../domain/aggregates/wallet.js';
import { webhook } from '../../../domain/aggregates/webhook.js';
import { webhookHeader } from '../../../domain/aggregates/webhook-header.js';
import type { Asset } from '../../../domain/asset.js';
import { decide, fold, type Message } from '../../../domain/decider.js';
import { Failure } from '../../../domain/failure.js';
import { globalVariant } from '../../../domain/variant.js';
import type { EventContext } from '../../../projections/define.js';
import { type Ask, one, organizationIds, owner, walletIds } from './history-asks.js';
import { aboutAt } from './project.js';
import { transactionAsks } from './transaction-histories.js';
import { deliveryAsks, headerAsks, webhookAsks } from './webhook-histories.js';

export type Happened = Message & { readonly about: EventContext; readonly stream: string };

const [anna, bert] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const;
export const texts = [anna, bert];
export const apiKey = 'ck_1';
/** Blocks of the histories. The first two replace each other and contain the same transfers; the third has none. */
export const blocks = [
  { number: 10, hash: '0xb1', time: 100, chain: '0xb0' },
  { number: 10, hash: '0xb2', time: 101, chain: '0xb0' },
  { number: 11, hash: '0xb3', time: 102, chain: '0xb0' },
];
/** Genesis hashes of two chains: the one that contains `blocks`, and another one that took its place. */
const chains = ['0xb0', '0xc0'];
const native: Asset = { standard: 'native' };
export const coin = '0xcc';
export const moved: readonly { transaction: string; asset: Asset; failed: boolean }[] = [
  { transaction: '0xt1', asset: native, failed: false },
  { transaction: '0xt2', asset: { standard: 'erc20', contract: coin }, failed: true },
];
export const tokenId = '7';

const administration = fc
  .record({
    organizationId: one(organizationIds),
    what: one(['create', 'issue', 'delete', 'limit', 'unlimit', 'quota', 'keys', 'token', 'revoke']),
    role: one(roles),
  })
  .map(({ organizationId, what, role }): Ask[] => {
    const data = { organizationId, name: organizationId, domain: organizationId };
    const create = [
      step(domainName, 'system', organizationId, { type: 'Reserve', data: { domain: organizationId, organizationId } }),
      step(organization, organizationId, organizationId, { type: 'Create', data }),
    ];
    const issued = { type: 'Issue', data: { apiKey, role, sealedSecret: 'sealed' } } as const;
    const issue = [step(credential, organizationId, apiKey, issued)];
    const remove = [step(credential, organizationId, apiKey, { type: 'Delete', data: { apiKey } })];
    const created = { gatewayTokenId: apiKey, name: role, methods: ['evm_call'], sealedId: 'sealed' };
    const gatewayKeys = role === 'admin' ? 'tokens' : 'api_key';
    const limits = { second: role.length, hour: 2, day: 3, month: 4 };
    const ofOrganization = (command: OrganizationCommand) => [
      step(organization, organizationId, organizationId, command),
    ];
    const steps = {
      create,
      issue,
      delete: remove,
      limit: ofOrganization({ type: 'SetRateLimit', data: { organizationId, chain: '', limits } }),
      unlimit: ofOrganization({ type: 'DeleteRateLimit', data: { organizationId, chain: '' } }),
      quota: ofOrganization({ type: 'SetQuota', data: { organizationId, quota: 'wallets', limit: role.length } }),
      keys: ofOrganization({ type: 'SetGatewayKeys', data: { organizationId, gatewayKeys } }),
      token: [step(gatewayToken, organizationId, apiKey, { type: 'Create', data: created })],
      revoke: [step(gatewayToken, organizationId, apiKey, { type: 'Delete', data: { gatewayTokenId: apiKey } })],
    }[what];
    return [{ organizationId, variant: globalVariant.tag, steps }];
  });

const walletAsks = fc
  .record({ ...owner, what: one(['plain', 'confirmed', 'change']), confirmation: fc.nat(3) })
  .map(({ organizationId, variant, walletId, what, confirmation }): Ask[] => {
    const data = { walletId, name: `${walletId} of ${organizationId}` };
    const command = {
      plain: { type: 'Register', data },
      confirmed: { type: 'Register', data: { ...data, confirmation } },
      change: { type: 'UpdateConfirmation', data: { walletId, confirmation } },
    } as const;
    const wanted = command[what];
    return [{ organizationId, variant, steps: [step(wallet, organizationId, `${variant}.${walletId}`, wanted)] }];
  });

const addressAsks = fc
  .record({
    ...owner,
    what: one(['register', 'remove', 'move', 'import']),
    text: one(texts),
    contract: one([coin, '0xcd']),
  })
  .map(({ organizationId, variant, walletId, what, text, contract }): Ask[] => {
    const ask = (type: AddressCommand['type'], id: string): Ask => {
      const ahead = type === 'Remove' && contract === coin ? { head: 12 } : {};
      const account = type === 'NoteAccount' ? { account: `account of ${text}` } : {};
      const data = { address: text, walletId: id, asset: { standard: 'token', contract }, ...ahead, ...account };
      const required = { type: 'RequireRegistered', data: { walletId: id } } as const;
      return {
        organizationId,
        variant,
        steps: [
          step(wallet, organizationId, `${variant}.${id}`, required),
          step(address, organizationId, `${variant}.${text}`, { type, data } as AddressCommand),
        ],
      };
    };
    if (what === 'import') return [ask('NoteAccount', walletId), ask('Import', walletId)];
    if (what === 'move') return [...walletIds.map((id) => ask('Remove', id)), ask('Register', walletId)];
    return [ask(what === 'register' ? 'Register' : 'Remove', walletId)];
  });

const transfers = moved.map((each) => ({
  transfer: { ...each, index: '0', from: anna, to: bert, value: '5', fee: '1', details: {} },
  own: [anna],
}));

const entries = ({ number }: (typeof blocks)[number]) =>
  number === 10 ? { transfers, touches: [] } : { transfers: [], touches: [{ address: bert, reason: 'fee' }] };

const ledgerMoves = {
  observe: ['observe'],
  settle: ['settle'],
  close: ['close'],
  drop: ['drop'],
  confirm: ['observe', 'settle'],
  confirmFirst: ['observe', 'confirm', 'settle'],
  notify: ['observe', 'open', 'settle'],
  notifyFirst: ['observe', 'open', 'close', 'settle'],
  setAside: ['observe', 'confirm', 'setAside'],
  replace: ['observe', 'confirm', 'settle', 'drop'],
  replaceUnread: ['observe', 'confirm', 'drop'],
  retract: ['observe', 'dropNotified'],
  correct: ['observe', 'confirm', 'settle', 'drop', 'settle'],
  correctLate: ['observe', 'open', 'drop', 'observe', 'drop', 'settle'],
  refresh: ['refresh'],
  await: ['await', 'confirm', 'settle'],
  awaitInVain: ['await', 'drop'],
} as const;

const ledgerAsks = fc
  .record({
    ...owner,
    what: one(Object.values(ledgerMoves)),
    block: one(blocks),
    heights: fc.array(fc.integer({ min: 8, max: 14 }), { minLength: 6, maxLength: 6 }),
    chain: one(chains),
    balance: fc.nat(9),
  })
  .map(({ organizationId, variant, walletId, what, block, heights, chain, balance }): Ask[] =>
    what.map((each, i) => {
      const at = { number: heights[i] ?? 0, hash: `0xb${heights[i]}`, chain };
      const balances = moved.map(({ asset }) => ({ address: anna, asset, balance: `${balance}${i}` }));
      const of = { walletId, block };
      /** Makes a command `Settle` as if the balances had been read just now: with the present number of `drops`. */
      const settled = (aside: readonly UnreadBalance[]) => (past: Ledger) => {
        const found = { balances: aside.length > 0 ? [] : balances, aside, at };
        const seen = { drops: past.drops, retracted: past.phase === 'due' };
        return { type: 'Settle', data: { ...of, ...found, ...seen, open: false } } as const;
      };
      const command = {
        observe: { type: 'Observe', data: { ...of, ...entries(block) } },
        confirm: { type: 'Confirm', data: { ...of, open: false } },
        open: { type: 'Confirm', data: { ...of, open: true } },
        settle: settled([]),
        setAside: settled(balances.map(({ address, asset }) => ({ address, asset, reason: 'no answer' }))),
        close: (past: Ledger) => ({ type: 'Close', data: { ...of, count: past.transfers.length } }) as const,
        drop: { type: 'Drop', data: { ...of, notified: false } },
        dropNotified: { type: 'Drop', data: { ...of, notified: true } },
        refresh: { type: 'Refresh', data: { ...of, balances } },
        await: { type: 'Await', data: { ...of, holdings: balances } },
      } as const;
      const key = `${variant}.${walletId}.${block.hash}`;
      const asked = command[each];
      const decideOn = (past: readonly Message[]) => {
        const state = fold(ledger, past as never);
        return decide(ledger, state, typeof asked === 'function' ? asked(state) : asked);
      };
      return {
        organizationId,
        variant,
        steps: [{ stream: streamName(organizationId, ledger.stream, key), decide: decideOn }],
      };
    }),
  );

const contractMoves = {
  erc20: ['erc20'],
  erc721: ['erc721'],
  remove: ['remove'],
  fail: ['fail'],
  recover: ['erc20', 'fail', 'recover'],
} as const;

const contractAsks = fc
  .record({ ...owner, what: one(Object.values(contractMoves)) })
  .map(({ organizationId, variant, what }): Ask[] => {
    const register = (standard: 'erc20' | 'erc721') =>
      ({ type: 'Register', data: { contract: coin, standard, description: { symbol: standard } } }) as const;
    const command = {
      erc20: register('erc20'),
      erc721: register('erc721'),
      remove: { type: 'Remove', data: { contract: coin } },
      fail: { type: 'ReportFailure', data: { contract: coin, reason: 'no answer' } },
      recover: { type: 'ReportRecovery', data: { contract: coin } },
    } as const;
    const key = `${variant}.${coin}`;
    return what.map((each) => ({
      organizationId,
      variant,
      steps: [step(contract, organizationId, key, command[each])],
    }));
  });

const tokenAsks = fc
  .record({ ...owner, uri: one(['', 'u1', 'u2']), text: one(['', 't1', 't2']) })
  .map(({ organizationId, variant, uri, text }): Ask[] => {
    const command = { type: 'Describe', data: { contract: coin, tokenId, uri, text } } as const;
    const key = `${variant}.${coin}.${tokenId}`;
    return [{ organizationId, variant, steps: [step(token, organizationId, key, command)] }];
  });

/**
 * Runs the requests through the deciders, and returns the emitted events. A rejected request emits none, so each
 * history is one that a store could contain.
 */
const happen = (asks: readonly Ask[]): readonly Happened[] => {
  const history: Happened[] = [];
  const streams = new Map<string, Happened[]>();
  const past = (stream: string) => streams.get(stream) ?? [];
  const decided = ({ steps }: Ask) => {
    try {
      return steps.flatMap(({ stream, decide }) => decide(past(stream)).map((event) => ({ ...event, stream })));
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  };
  for (const ask of asks)
    for (const event of decided(ask)) {
      const position = 3 * history.length + 5;
      const occurredAt = new Date(Date.UTC(2026, 0, 1) + position).toISOString();
      const bytes = Buffer.byteLength(JSON.stringify(event.data));
      const about = { ...aboutAt(ask.organizationId, ask.variant, position), occurredAt, bytes };
      const happened = { ...event, about };
      history.push(happened);
      streams.set(event.stream, [...past(event.stream), happened]);
    }
  return history;
};

/** Deciders that emit the events of the histories. */
export const deciders = [
  organization,
  domainName,
  credential,
  gatewayToken,
  wallet,
  address,
  contract,
  ledger,
  token,
  webhook,
  webhookHeader,
  delivery,
  transaction,
  nonce,
];

export const histories = fc
  .array(
    fc.oneof(
      { arbitrary: administration, weight: 3 },
      { arbitrary: walletAsks, weight: 4 },
      { arbitrary: addressAsks, weight: 12 },
      { arbitrary: ledgerAsks, weight: 6 },
      contractAsks,
      tokenAsks,
      webhookAsks,
      headerAsks,
      { arbitrary: deliveryAsks, weight: 2 },
      { arbitrary: transactionAsks, weight: 2 },
    ),
    { minLength: 140, maxLength: 220, size: 'max' },
  )
  .map((asks) => happen(asks.flat()));
