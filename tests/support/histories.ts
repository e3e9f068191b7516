import fc from 'fast-check';
import { step } from '../../application/commands/handle.js';
import { address } from '../../domain/address.js';
import type { Asset } from '../../domain/asset.js';
import { contract } from '../../domain/contract.js';
import { credential, roles } from '../../domain/credential.js';
import type { Message } from '../../domain/decider.js';
import { delivery } from '../../domain/delivery.js';
import { domainName } from '../../domain/domain-name.js';
import { Failure } from '../../domain/failure.js';
import { ledger } from '../../domain/ledger.js';
import { nonce } from '../../domain/nonce.js';
import { organization } from '../../domain/organization.js';
import { token } from '../../domain/token.js';
import { transaction } from '../../domain/transaction.js';
import { globalVariant } from '../../domain/variant.js';
import { wallet } from '../../domain/wallet.js';
import { webhook } from '../../domain/webhook.js';
import { webhookHeader } from '../../domain/webhook-header.js';
import type { About } from '../../projections/define.js';
import { type Ask, one, organizationIds, owner, walletIds } from './history-asks.js';
import { transactionAsks } from './transaction-histories.js';
import { deliveryAsks, headerAsks, webhookAsks } from './webhook-histories.js';

export type Happened = Message & { readonly about: About; readonly stream: string };

const [anna, bert] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const;
export const texts = [anna, bert];
export const apiKey = 'ck_1';
/** The first two replace each other and hold the same transfers; the third holds none. */
export const blocks = [
  { number: 10, hash: '0xb1', time: 100, chain: '0xb0' },
  { number: 10, hash: '0xb2', time: 101, chain: '0xb0' },
  { number: 11, hash: '0xb3', time: 102, chain: '0xb0' },
];
/** The chain of the blocks, and another that took its place. */
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
    what: one(['create', 'issue', 'delete', 'limit', 'unlimit']),
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
    const limits = { second: role.length, hour: 2, day: 3, month: 4 };
    const [limit, unlimit] = [
      { type: 'SetRateLimit', data: { organizationId, chain: '', limits } },
      { type: 'DeleteRateLimit', data: { organizationId, chain: '' } },
    ] as const;
    const ofOrganization = (command: typeof limit | typeof unlimit) => [
      step(organization, organizationId, organizationId, command),
    ];
    const steps = { create, issue, delete: remove, limit: ofOrganization(limit), unlimit: ofOrganization(unlimit) }[
      what
    ];
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
    const ask = (type: 'Register' | 'Remove' | 'Import', id: string): Ask => {
      const data = { address: text, walletId: id, asset: { standard: 'token' as const, contract } };
      const required = { type: 'RequireRegistered', data: { walletId: id } } as const;
      return {
        organizationId,
        variant,
        steps: [
          step(wallet, organizationId, `${variant}.${id}`, required),
          step(address, organizationId, `${variant}.${text}`, { type, data }),
        ],
      };
    };
    if (what === 'import') return [ask('Import', walletId)];
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
  tell: ['observe', 'open'],
  replace: ['observe', 'settle', 'drop'],
  takeBack: ['observe', 'dropTold'],
  correct: ['observe', 'settle', 'drop', 'settle'],
  correctLate: ['observe', 'open', 'drop', 'observe', 'drop', 'settle'],
  refresh: ['refresh'],
  await: ['await', 'settle'],
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
      const command = {
        observe: { type: 'Observe', data: { ...of, ...entries(block) } },
        settle: { type: 'Settle', data: { ...of, balances, at, open: false } },
        open: { type: 'Settle', data: { ...of, balances, at, open: true } },
        close: { type: 'Close', data: of },
        drop: { type: 'Drop', data: { ...of, told: false } },
        dropTold: { type: 'Drop', data: { ...of, told: true } },
        refresh: { type: 'Refresh', data: { ...of, balances } },
        await: { type: 'Await', data: { ...of, holdings: balances } },
      } as const;
      const key = `${variant}.${walletId}.${block.hash}`;
      return { organizationId, variant, steps: [step(ledger, organizationId, key, command[each])] };
    }),
  );

const contractAsks = fc
  .record({ ...owner, what: one(['erc20', 'erc721', 'remove']) })
  .map(({ organizationId, variant, what }): Ask[] => {
    const register = (standard: 'erc20' | 'erc721') =>
      ({ type: 'Register', data: { contract: coin, standard, description: { symbol: standard } } }) as const;
    const command = what === 'remove' ? ({ type: 'Remove', data: { contract: coin } } as const) : register(what);
    return [{ organizationId, variant, steps: [step(contract, organizationId, `${variant}.${coin}`, command)] }];
  });

const tokenAsks = fc
  .record({ ...owner, uri: one(['', 'u1', 'u2']), text: one(['', 't1', 't2']) })
  .map(({ organizationId, variant, uri, text }): Ask[] => {
    const command = { type: 'Describe', data: { contract: coin, tokenId, uri, text } } as const;
    const key = `${variant}.${coin}.${tokenId}`;
    return [{ organizationId, variant, steps: [step(token, organizationId, key, command)] }];
  });

/** What the deciders make of the asks: refused ones leave no trace, so every history could have been stored. */
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
      const about = { organizationId: ask.organizationId, variant: ask.variant, position, occurredAt };
      const happened = { ...event, about };
      history.push(happened);
      streams.set(event.stream, [...past(event.stream), happened]);
    }
  return history;
};

/** Every decider whose events the histories hold. */
export const deciders = [
  organization,
  domainName,
  credential,
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
      { arbitrary: administration, weight: 2 },
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
