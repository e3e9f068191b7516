import assert from 'node:assert/strict';
import type { HistoryImportEvent } from '../../domain/aggregates/ledger/history-import.js';
import { addresses } from '../../projections/addresses.js';
import { imports, runningImports } from '../../projections/statements/imports.js';
import { type RegistrationDocument, registrations } from '../../projections/statements/registrations.js';
import { touches } from '../../projections/statements/touches.js';
import { transfers } from '../../projections/transfers.js';
import { unsettled } from '../../projections/unsettled.js';
import { confirmed, dropped, imported, inBlock, observed } from '../support/histories/ledger-events.js';
import { project } from '../support/histories/project.js';

const of = (importId: string) => ({ importId, walletId: 'wal_1', address: '0xaa' });
const requested = (importId = 'imp_1', fromBlock = 10): HistoryImportEvent => ({
  type: 'ImportRequested',
  data: { ...of(importId), fromBlock, toBlock: 90, chain: '0xb0' },
});
const completed = (completeSince = 10, chain = '0xb0', walletId = 'wal_1') =>
  ({
    type: 'ImportCompleted',
    data: { ...of('imp_1'), walletId, completeSince, sinceTime: 1000 + completeSince, chain },
  }) as const;
const failed: HistoryImportEvent = { type: 'ImportFailed', data: { ...of('imp_1'), block: 12, reason: 'pruned' } };
const running = {
  import_id: 'imp_1',
  wallet_id: 'wal_1',
  address: '0xaa',
  state: 'RUNNING',
  from_block: 10,
  to_block: 90,
  chain: '0xb0',
};

describe('the imports projection', () => {
  it('shows an import as RUNNING until it has ended', () => {
    assert.deepEqual(project(imports, [requested()]), running);
    assert.deepEqual(project(imports, [requested(), completed()]), { ...running, state: 'COMPLETED' });
    const end = { state: 'FAILED', failed_block: 12, reason: 'pruned' };
    assert.deepEqual(project(imports, [requested(), failed]), { ...running, ...end });
  });
  it('tells that coins sent by contracts are missing', () => {
    const { type, data } = completed();
    const found = project(imports, [requested(), { type, data: { ...data, untraced: true } }]);
    assert.equal(found?.untraced, true);
  });
});

describe('the running_imports projection', () => {
  it('has an import of an address until it has ended', () => {
    assert.deepEqual(project(runningImports, [requested()]), running);
    assert.equal(project(runningImports, [requested(), completed()]), null);
    assert.equal(project(runningImports, [requested(), failed]), null);
  });
  it('keeps a newer import of the address when an earlier one ends', () => {
    const found = project(runningImports, [requested(), requested('imp_2', 5), completed()]);
    assert.deepEqual(found, { ...running, import_id: 'imp_2', from_block: 5 });
  });
});

describe('an address whose history was imported', () => {
  const registered = {
    type: 'AddressRegistered',
    data: { walletId: 'wal_1', address: '0xaa', path: '' },
  } as const;
  const since = (...events: readonly ReturnType<typeof completed>[]) =>
    project(addresses, [registered, ...events])?.complete_since;
  it('is complete from the earliest block on that an import completed', () => {
    assert.equal(since(), undefined);
    assert.deepEqual(since(completed(10)), { block: 10, chain: '0xb0' });
    assert.deepEqual(since(completed(10), completed(5)), { block: 5, chain: '0xb0' });
    assert.deepEqual(since(completed(5), completed(10)), { block: 5, chain: '0xb0' });
  });
  it('starts over on another chain', () =>
    assert.deepEqual(since(completed(5), completed(10, '0xc0')), { block: 10, chain: '0xc0' }));
  it('does not count an import of its former wallet', () =>
    assert.equal(since(completed(5, '0xb0', 'wal_2')), undefined));
  it('has the time of the first block in its registration, for statements', () => {
    const found = project(registrations, [registered, completed(10), completed(5)]);
    assert.equal(found?.complete?.since, 1005);
    assert.equal(project(registrations, [completed(5)]), null);
  });
  it('keeps the times of its registrations, but only the first and the latest hundred', () => {
    const about = { organizationId: 'org', variant: 'C', scope: 'org/C', bytes: 1 };
    const times = Array.from({ length: 102 }, (_, second) => new Date(second * 1000).toISOString());
    let found: RegistrationDocument | null = null;
    for (const [position, occurredAt] of times.entries())
      found = registrations.on.AddressRegistered(found, registered.data, { ...about, occurredAt, position });
    assert.deepEqual([found?.first_time, found?.repeated], [times[0], times.slice(2)]);
  });
});

describe('imported events', () => {
  const [first, second, touched] = imported as [
    (typeof imported)[number],
    (typeof imported)[number],
    (typeof imported)[number],
  ];
  it('show a transfer as SUCCESS or FAILED at once', () => {
    assert.deepEqual(
      [first, second].map((one) => project(transfers, [one as never])?.state),
      ['SUCCESS', 'FAILED'],
    );
    assert.equal(project(transfers, [first as never])?.imported, true);
  });
  it('show a transfer of a replaced block as REMOVED', () =>
    assert.equal(project(transfers, [first, dropped(true)[0]] as never)?.state, 'REMOVED'));
  it('only add an address to a transfer that the block already has', () => {
    const before = [observed[0], confirmed[0]] as never[];
    const [shown, again] = [project(transfers, before), project(transfers, [...before, first as never])];
    assert.deepEqual(again, shown);
  });
  it('leave nothing to settle', () => {
    assert.equal(project(unsettled, [first as never, touched as never]), null);
    const pending = project(unsettled, [observed[0] as never]);
    assert.deepEqual(project(unsettled, [observed[0] as never, first as never]), pending);
  });
  it('mark a changed balance, which was read after the change', () =>
    assert.equal(project(touches, [touched as never])?.imported, true));
  it('belong to the block that they were read from', () =>
    assert.equal(project(transfers, [first as never])?.block_hash, inBlock.block.hash));
});
