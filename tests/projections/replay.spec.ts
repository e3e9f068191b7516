import assert from 'node:assert/strict';
import fc from 'fast-check';
import { streamName } from '../../application/ports/event-store.js';
import { address } from '../../domain/address.js';
import { contract } from '../../domain/contract.js';
import { credential } from '../../domain/credential.js';
import { fold } from '../../domain/decider.js';
import { ledger } from '../../domain/ledger.js';
import { token } from '../../domain/token.js';
import { globalVariant } from '../../domain/variant.js';
import { wallet } from '../../domain/wallet.js';
import type { AddressDocument } from '../../projections/addresses.js';
import type { ContractDocument } from '../../projections/contracts.js';
import { everybody, scopeOf } from '../../projections/define.js';
import { projections } from '../../projections/index.js';
import { tokenKey } from '../../projections/tokens.js';
import type { TransferDocument } from '../../projections/transfers.js';
import type { WalletDocument } from '../../projections/wallets.js';
import {
  apiKey,
  blocks,
  coin,
  deciders,
  type Happened,
  histories,
  moved,
  organizationIds,
  tags,
  texts,
  tokenId,
  walletIds,
} from '../support/histories.js';

const owners = organizationIds.flatMap((organizationId) =>
  tags.map((variant) => ({ organizationId, variant, scope: scopeOf(organizationId, variant) })),
);

type Documents = ReadonlyMap<string, object>;
const slot = (collection: string, scope: string, id: string) => JSON.stringify([collection, scope, id]);

const project = (history: readonly Happened[], from: Documents = new Map()): Documents => {
  const documents = new Map(from);
  for (const event of history)
    for (const { name, scope, key, on } of projections) {
      if (!Object.hasOwn(on, event.type)) continue;
      const at = slot(name, scope(event.about), key(event));
      const next = on[event.type]?.(documents.get(at) ?? null, event.data, event.about);
      if (next) documents.set(at, next);
      else documents.delete(at);
    }
  return documents;
};

/** As a store gives them back. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const storedDocuments = (documents: Documents): Documents => new Map(stored([...documents]));
const where = (documents: Documents, is: (scope: string, id: string) => boolean): Documents =>
  new Map(
    [...documents].filter(([at]) => {
      const [, scope, id] = JSON.parse(at) as [string, string, string];
      return is(scope, id);
    }),
  );

const transferKey = (data: object) => projections.find(({ name }) => name === 'transfers')?.key({ data });

const holds = (check: (history: readonly Happened[]) => void) => fc.assert(fc.property(histories, check));

const handled = {
  organizations: ['OrganizationCreated'],
  rate_limits: ['RateLimitSet', 'RateLimitDeleted'],
  credentials: ['CredentialIssued', 'CredentialDeleted'],
  wallets: ['WalletRegistered', 'ConfirmationUpdated', 'AddressRegistered', 'AddressRemoved'],
  addresses: ['AddressRegistered', 'AddressRemoved'],
  contracts: ['ContractRegistered', 'ContractRemoved'],
  transfers: ['TransferObserved', 'TransferConfirmed', 'TransferRemoved'],
  assets: ['BalanceRead'],
  tokens: ['TokenDescribed'],
  unsettled: ['TransferObserved', 'BalanceTouched', 'ActivitySettled', 'ActivityDropped'],
};

describe('replay', () => {
  it('is tried on histories that hold every event, addresses that moved and transfers that were mined again', () => {
    const samples = fc.sample(histories, { numRuns: 50, seed: 1 });
    const types = deciders.flatMap(({ evolve }) => Object.keys(evolve));
    assert.deepEqual(new Set(samples.flat().map(({ type }) => type)), new Set(types));
    const withMoves = samples.filter((history) => {
      const taken = history.filter(({ type }) => type === 'AddressRegistered');
      const holders = new Set(taken.map(({ stream, data }) => `${stream} ${Reflect.get(data, 'walletId')}`));
      return holders.size > new Set(taken.map(({ stream }) => stream)).size;
    });
    assert.ok(withMoves.length > 25, `an address moved in ${withMoves.length} of 50 histories`);
    const again = samples.filter((history) => {
      const seen = history.filter(({ type }) => type === 'TransferObserved');
      const [whole, streams] = [
        seen.map(({ about, data }) => `${scopeOf(about.organizationId, about.variant)} ${transferKey(data)}`),
        seen.map(({ stream }) => stream),
      ];
      return new Set(whole).size < new Set(streams).size * moved.length;
    });
    assert.ok(again.length > 25, `a transfer was mined again in ${again.length} of 50 histories`);
  });

  it('gives the same documents every time and leaves the history as it was', () =>
    holds((history) => {
      const before = structuredClone(history);
      const documents = project(history);
      assert.deepEqual(history, before);
      assert.deepEqual(project(history), documents);
      assert.deepEqual(project(stored(history)), documents);
    }));

  it('gives the same documents when it is repeated over what it gave', () =>
    holds((history) => {
      const documents = project(history);
      const inOrder = (found: Documents) => new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
      assert.deepEqual(inOrder(project(history, documents)), inOrder(documents));
    }));

  it('gives the same documents in any batches, stored and read again between them', () =>
    fc.assert(
      fc.property(histories, fc.array(fc.nat(120)), (history, cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), history.length];
        const batches = ends.map((end, i) => history.slice(ends[i - 1] ?? 0, end));
        const inBatches = batches.reduce<Documents>((from, batch) => storedDocuments(project(batch, from)), new Map());
        assert.deepEqual(inBatches, project(history));
      }),
    ));

  it('knows what every projection handles', () =>
    assert.deepEqual(
      projections.map(({ name }) => name),
      Object.keys(handled),
    ));
  for (const [name, types] of Object.entries(handled))
    it(`makes ${name} of ${types.join(', ')} and of nothing else`, () => {
      const projection = projections.find((candidate) => candidate.name === name);
      assert.deepEqual(Object.keys(projection?.on ?? {}), types);
      holds((history) => {
        const collected = (documents: Documents) => [...documents].filter(([at]) => JSON.parse(at)[0] === name);
        const named = history.filter(({ type }) => types.includes(type));
        assert.deepEqual(collected(project(named)), collected(project(history)));
      });
    });
});

describe('replay for one owner', () => {
  it('gives an organization the documents that its own events alone give', () =>
    holds((history) => {
      for (const organizationId of organizationIds) {
        const own = project(history.filter(({ about }) => about.organizationId === organizationId));
        const isOwn = (scope: string, id: string) =>
          scope.startsWith(`${organizationId}/`) || (scope === everybody && id === organizationId);
        assert.deepEqual(own, where(project(history), isOwn));
      }
    }));

  it('gives a variant of an organization the documents that its own events alone give', () =>
    holds((history) => {
      for (const { organizationId, variant, scope } of owners) {
        const isOwn = ({ about }: Happened) => about.organizationId === organizationId && about.variant === variant;
        const own = project(history.filter(isOwn));
        assert.deepEqual(
          own,
          where(project(history), (found) => found === scope),
        );
      }
    }));
});

describe('replayed documents and deciders', () => {
  const past = (history: readonly Happened[], stream: string) =>
    history.filter((event) => event.stream === stream) as never;

  const shown = (document?: WalletDocument) =>
    document
      ? { state: 'registered', name: document.name, confirmation: document.confirmation ?? null }
      : { state: 'none' };

  it('agree on every wallet', () =>
    holds((history) => {
      const documents = project(history);
      for (const { organizationId, variant, scope } of owners)
        for (const walletId of walletIds) {
          const document = documents.get(slot('wallets', scope, walletId)) as WalletDocument | undefined;
          const state = fold(wallet, past(history, streamName(organizationId, 'wallet', `${variant}.${walletId}`)));
          assert.deepEqual(shown(document), state);
        }
    }));

  it('agree on who holds an address', () =>
    holds((history) => {
      const documents = project(history);
      for (const { organizationId, variant, scope } of owners)
        for (const text of texts) {
          const document = documents.get(slot('addresses', scope, text)) as AddressDocument | undefined;
          const state = fold(address, past(history, streamName(organizationId, 'address', `${variant}.${text}`)));
          assert.deepEqual({ heldBy: document?.wallet_id ?? null }, state);
        }
    }));

  it('agree on which credentials are active', () =>
    holds((history) => {
      const documents = project(history);
      for (const organizationId of organizationIds) {
        const listed = documents.has(slot('credentials', scopeOf(organizationId, globalVariant.tag), apiKey));
        const { state } = fold(credential, past(history, streamName(organizationId, 'credential', apiKey)));
        assert.equal(listed, state === 'active');
      }
    }));

  const ledgers = owners.flatMap((who) =>
    walletIds.flatMap((walletId) => blocks.map((block) => ({ ...who, walletId, block }))),
  );
  const phaseIn = (
    history: readonly Happened[],
    { organizationId, variant, walletId }: (typeof ledgers)[number],
    hash: string,
  ) => fold(ledger, past(history, streamName(organizationId, 'ledger', `${variant}.${walletId}.${hash}`))).phase;

  it('agree on what is not settled', () =>
    holds((history) => {
      const documents = project(history);
      for (const one of ledgers) {
        const document = documents.get(slot('unsettled', one.scope, `${one.walletId}|${one.block.hash}`));
        const phase = phaseIn(history, one, one.block.hash);
        const open = phase === 'pending' || phase === 'due';
        assert.deepEqual(document, open ? { wallet_id: one.walletId, block: one.block, phase } : undefined);
      }
    }));

  const states = {
    none: [],
    pending: ['PENDING'],
    confirmed: ['SUCCESS', 'FAILED'],
    dropped: ['REMOVED'],
    due: ['REMOVED'],
  };
  const seen = ledgers.flatMap((one) => moved.map((transfer) => ({ ...one, ...transfer })));
  it('agree on the state of a transfer in the block that it was last seen in', () =>
    holds((history) => {
      const documents = project(history);
      for (const { transaction, failed, ...one } of seen) {
        const id = `${one.walletId}|${transaction}|0`;
        const document = documents.get(slot('transfers', one.scope, id)) as TransferDocument | undefined;
        if (!document) continue;
        const possible: string[] = states[phaseIn(history, one, document.block_hash)];
        assert.ok(possible.includes(document.state), `${document.state} is not ${possible}`);
        assert.notEqual(document.state, failed ? 'SUCCESS' : 'FAILED');
      }
    }));

  it('agree on who follows a contract, and on what a token says', () =>
    holds((history) => {
      const documents = project(history);
      for (const { organizationId, variant, scope } of owners) {
        const followed = documents.get(slot('contracts', scope, coin)) as ContractDocument | undefined;
        const { standard } = fold(
          contract,
          past(history, streamName(organizationId, 'contract', `${variant}.${coin}`)),
        );
        assert.equal(followed?.registered === 'yes' ? followed.standard : null, standard);
        const told = documents.get(slot('tokens', scope, tokenKey(coin, tokenId))) ?? { uri: '', text: '' };
        const stream = streamName(organizationId, 'token', `${variant}.${coin}.${tokenId}`);
        assert.deepEqual(told, fold(token, past(history, stream)));
      }
    }));
});
