import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Step, step } from '../../application/handle.js';
import { streamName } from '../../application/ports/event-store.js';
import { address } from '../../domain/address.js';
import { credential, roles } from '../../domain/credential.js';
import { fold, type Message } from '../../domain/decider.js';
import { domainName } from '../../domain/domain-name.js';
import { Failure } from '../../domain/failure.js';
import { organization } from '../../domain/organization.js';
import { globalVariant, variants } from '../../domain/variant.js';
import { wallet } from '../../domain/wallet.js';
import type { AddressDocument } from '../../projections/addresses.js';
import { type About, everybody, scopeOf } from '../../projections/define.js';
import { projections } from '../../projections/index.js';
import type { WalletDocument } from '../../projections/wallets.js';

type Ask = { readonly organizationId: string; readonly variant: string; readonly steps: readonly Step[] };
type Happened = Message & { readonly about: About; readonly stream: string };

// Few of each, and the same ids for everybody, so that histories meet and what leaks across a border shows.
const organizationIds = ['org_a', 'org_b', 'org_c'];
const tags = variants
  .filter(({ surface }) => surface === 'wallet')
  .slice(0, 2)
  .map(({ tag }) => tag);
const walletIds = ['wal_1', 'wal_2'];
const texts = ['0xa', '0xb'];
const apiKey = 'ck_1';
const owners = organizationIds.flatMap((organizationId) =>
  tags.map((variant) => ({ organizationId, variant, scope: scopeOf(organizationId, variant) })),
);
const one = <const T>(from: readonly T[]) => fc.constantFrom(...from);

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

const owner = { organizationId: one(organizationIds), variant: one(tags), walletId: one(walletIds) };

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
  .record({ ...owner, what: one(['register', 'remove', 'move']), text: one(texts) })
  .map(({ organizationId, variant, walletId, what, text }): Ask[] => {
    const ask = (type: 'Register' | 'Remove', id: string): Ask => {
      const data = { address: text, walletId: id };
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
    if (what === 'move') return [...walletIds.map((id) => ask('Remove', id)), ask('Register', walletId)];
    return [ask(what === 'register' ? 'Register' : 'Remove', walletId)];
  });

/** What the deciders make of the asks: refused ones leave no trace, so every history could have been stored. */
const happen = (asks: readonly Ask[]): readonly Happened[] => {
  const history: Happened[] = [];
  const past = (stream: string) => history.filter((event) => event.stream === stream);
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
      history.push({ ...event, about });
    }
  return history;
};

const histories = fc
  .array(fc.oneof(administration, walletAsks, { arbitrary: addressAsks, weight: 3 }), {
    minLength: 60,
    maxLength: 150,
    size: 'max',
  })
  .map((asks) => happen(asks.flat()));

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

const holds = (check: (history: readonly Happened[]) => void) => fc.assert(fc.property(histories, check));

const handled = {
  organizations: ['OrganizationCreated'],
  rate_limits: ['RateLimitSet', 'RateLimitDeleted'],
  credentials: ['CredentialIssued', 'CredentialDeleted'],
  wallets: ['WalletRegistered', 'ConfirmationUpdated', 'AddressRegistered', 'AddressRemoved'],
  addresses: ['AddressRegistered', 'AddressRemoved'],
};

describe('replay', () => {
  it('is tried on histories that hold every event and addresses that moved', () => {
    const samples = fc.sample(histories, { numRuns: 50, seed: 1 });
    const types = [organization, domainName, credential, wallet, address].flatMap(({ evolve }) => Object.keys(evolve));
    assert.deepEqual(new Set(samples.flat().map(({ type }) => type)), new Set(types));
    const moved = samples.filter((history) => {
      const taken = history.filter(({ type }) => type === 'AddressRegistered');
      const holders = new Set(taken.map(({ stream, data }) => `${stream} ${Reflect.get(data, 'walletId')}`));
      return holders.size > new Set(taken.map(({ stream }) => stream)).size;
    });
    assert.ok(moved.length > 25, `an address moved in ${moved.length} of 50 histories`);
  });

  it('gives the same documents every time and leaves the history as it was', () =>
    holds((history) => {
      const before = structuredClone(history);
      const documents = project(history);
      assert.deepEqual(history, before);
      assert.deepEqual(project(history), documents);
      assert.deepEqual(project(stored(history)), documents);
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
});
