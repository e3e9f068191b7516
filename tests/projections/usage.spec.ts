import assert from 'node:assert/strict';
import type { Message } from '../../domain/decider.js';
import { quotaUsageOf } from '../../domain/quota.js';
import type { AddressDocument } from '../../projections/addresses.js';
import { totalUsage, type UsageDocument, usage, usageKeys } from '../../projections/usage.js';
import type { Happened } from '../support/histories/histories.js';
import { organizationIds } from '../support/histories/history-asks.js';
import { about, project as projectOne } from '../support/histories/project.js';
import { type Documents, documentsIn, holds, owners, project, slot, tokensOf } from '../support/histories/replay.js';

const usageIn = (documents: Documents, organizationId: string) =>
  totalUsage(
    usageKeys(organizationId).map(
      ({ scope, id }) => (documents.get(slot('usage', scope, id)) ?? null) as UsageDocument,
    ),
  ).used;
const collection = (documents: Documents, name: string, organizationId: string) =>
  [...documents].flatMap(([at, document]) => {
    const [found, scope] = JSON.parse(at) as [string, string];
    return found === name && scope.startsWith(`${organizationId}/`) ? [document] : [];
  });
/** States of a transaction that is in a block, or was canceled before it was sent. */
const ended = ['MINED', 'CONFIRMED', 'FAILED', 'REPLACED', 'CANCELED'];
const dataOf = (history: readonly Happened[], organizationId: string) =>
  history.filter((event) => event.about.organizationId === organizationId).map(({ data }) => data);

describe('the usage projection', () => {
  it('counts as many items as the other projections list, after any history', () =>
    holds((history) => {
      const documents = project(history);
      for (const organizationId of organizationIds) {
        const used = usageIn(documents, organizationId);
        for (const name of ['wallets', 'addresses', 'webhooks', 'webhook_headers', 'credentials'] as const)
          assert.equal(used[name] ?? 0, collection(documents, name, organizationId).length, name);
        const imports = owners
          .filter((owner) => owner.organizationId === organizationId)
          .flatMap(({ scope }) =>
            documentsIn<AddressDocument>(documents, 'addresses', scope).flatMap((held) =>
              tokensOf(documents, 'address_imports', scope, held),
            ),
          );
        assert.equal(used.imports ?? 0, imports.length);
        const contracts = collection(documents, 'contracts', organizationId);
        assert.equal(used.contracts ?? 0, contracts.filter((one) => Reflect.get(one, 'registered') === 'yes').length);
        const sent = collection(documents, 'transactions', organizationId);
        const open = sent.filter((one) => !ended.includes(Reflect.get(one, 'state') as string));
        assert.equal(used.open_transactions ?? 0, open.length, JSON.stringify(sent));
      }
    }));

  it('counts the bytes of all JSON data stored for an organization', () =>
    holds((history) => {
      for (const organizationId of organizationIds) {
        const bytes = dataOf(history, organizationId).map((data) => Buffer.byteLength(JSON.stringify(data)));
        assert.equal(
          usageIn(project(history), organizationId).storage_bytes ?? 0,
          bytes.reduce((sum, one) => sum + one, 0),
        );
      }
    }));

  it('does not count imports from before imports had a quota, since their removal does not record their number', () => {
    const at = { address: 'a', walletId: 'wal_1' };
    const imported = { ...at, asset: { standard: 'token', contract: 'c' } };
    const old: Message[] = [
      { type: 'AddressRegistered', data: at },
      { type: 'AssetImported', data: imported },
      { type: 'AddressRemoved', data: at },
      { type: 'AddressRegistered', data: at },
      { type: 'AssetImported', data: imported },
    ];
    assert.equal(projectOne(usage, old)?.used.imports ?? 0, 0);
    const more: Message[] = [
      { type: 'AssetImported', data: { ...imported, counted: true } },
      { type: 'AddressRemoved', data: { ...at, imports: 1 } },
    ];
    assert.equal(projectOne(usage, [...old, ...more.slice(0, 1)])?.used.imports, 1);
    assert.equal(projectOne(usage, [...old, ...more])?.used.imports, 0);
  });

  it('counts bytes of UTF-8, not characters', () => {
    for (const text of ['plain', 'Söhne', '漢字', '😀', '\u{10ffff}'])
      assert.equal(
        quotaUsageOf([{ type: 'WalletRegistered', data: { name: text } }]).storage_bytes,
        Buffer.byteLength(JSON.stringify({ name: text })),
      );
  });

  it('counts a repeated event once', () => {
    const registered: Message = { type: 'WalletRegistered', data: { walletId: 'wal_1', name: 'a' } };
    const once = projectOne(usage, [registered]);
    assert.deepEqual(usage.on[registered.type]?.(once, registered.data, about(1)), once);
    assert.equal(projectOne(usage, [registered, registered])?.used.wallets, 2);
  });

  it('has the latest quotas', () => {
    const set = (limit: number): Message => ({
      type: 'QuotaSet',
      data: { organizationId: 'o', quota: 'wallets', limit },
    });
    assert.deepEqual(projectOne(usage, [set(5), set(7)])?.limits, { wallets: 7 });
  });
});
