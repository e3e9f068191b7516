import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type EventRecord, toEventRecord } from '../../../application/audit/event-record.js';
import type { Recorded } from '../../../application/ports/event-store.js';
import { eventTypes } from '../../../domain/aggregates.js';
import { upcast } from '../../../domain/upcasters.js';
import { csvRow } from '../../../interfaces/cli/audit/replay/csv.js';
import { replayTest } from '../../../interfaces/cli/audit/replay/filters.js';
import { createNames } from '../../../interfaces/cli/audit/replay/names.js';
import { sentenceOf } from '../../../interfaces/cli/audit/replay/sentences.js';

const golden = (JSON.parse(readFileSync('tests/golden/events.json', 'utf8')) as readonly Recorded[]).map((event) => ({
  ...event,
  data: upcast(event),
}));
const recorded = (event: Partial<Recorded> & Pick<Recorded, 'type' | 'data'>): EventRecord =>
  toEventRecord({
    ...{ position: 1, time: 0, id: 'e', stream: 's', revision: 0, bytes: 0 },
    metadata: {
      organizationId: 'org_1',
      variant: 'C',
      actor: { kind: 'credential', id: 'ck_1' },
      requestId: 'r',
      causationId: 'r',
      correlationId: 'r',
      occurredAt: '2026-01-31T12:00:00.000Z',
    },
    ...event,
  });

describe('the sentences of a replay', () => {
  const names = createNames();
  const known = golden.filter(({ type }) => eventTypes.includes(type));

  it('describe every stored event without a hole, in one line', () => {
    for (const event of known) {
      const sentence = sentenceOf(recorded(event), names);
      assert.match(sentence, /^[a-z][^\n]+$/, event.type);
      assert.doesNotMatch(sentence, /undefined|null|NaN|\[object/, event.type);
    }
  });

  it('contain no encrypted secret and no full key', () => {
    const text = known.map((event) => sentenceOf(recorded(event), names)).join('\n');
    assert.doesNotMatch(text, /ck_[0-9a-f]{32}_/);
    for (const { data } of known)
      for (const [name, value] of Object.entries(data))
        if (name.startsWith('sealed')) assert.ok(!text.includes(String(value)), name);
  });

  it('show an event of a newer release as it is stored', () => {
    assert.equal(sentenceOf(recorded({ type: 'Invented', data: { a: 1 } }), names), 'Invented {"a":1} on C');
  });

  it('escape characters that would change the display of a terminal', () => {
    const data = { walletId: 'wal_1', name: 'a\u001b[2Jb\nc', confirmation: 10 };
    assert.equal(
      sentenceOf(recorded({ type: 'WalletRegistered', data }), names),
      String.raw`registered wallet a\u001b[2Jb\u000ac on C`,
    );
  });
});

describe('a row of CSV', () => {
  const cellsOf = (row: string) => [...row.matchAll(/"((?:[^"]|"")*)"(?:,|\r$)/g)].map(([, cell = '']) => cell);

  it('quotes every value as RFC 4180 does', () => {
    const row = csvRow(recorded({ type: 'T', data: { text: 'a "b", c' } }), 'one\n"two"');
    assert.deepEqual(cellsOf(row).slice(-2), ['one\n""two""', String.raw`{""text"":""a \""b\"", c""}`]);
  });

  for (const start of ['=', '+', '-', '@', '\t', '\r'])
    it(`shows a value that begins with ${JSON.stringify(start)} instead of computing it`, () => {
      assert.equal(cellsOf(csvRow(recorded({ type: 'T', data: {} }), `${start}A1`)).at(-2), `'${start}A1`);
    });
});

describe('the filters of a replay', () => {
  const names = createNames();
  const key = `ck_${'a'.repeat(32)}_${'b'.repeat(32)}`;
  names.add(recorded({ type: 'WalletRegistered', data: { walletId: 'wal_1', name: 'treasury' } }));
  names.add(recorded({ type: 'CredentialIssued', data: { apiKey: key, name: 'deploy-bot' } }));
  const data = { walletId: 'wal_1', transfer: { from: '0xAb', to: '0xcd' } };
  const observed = recorded({ type: 'TransferObserved', data });
  const event = { ...observed, actor: { kind: 'credential', id: key } };
  const passing = [
    {},
    { wallet: 'wal_1' },
    { wallet: 'treasury' },
    { address: '0xAB' },
    { address: '0xCD' },
    { actor: 'credential' },
    { actor: 'deploy-bot' },
    { actor: key },
    { actor: 'ck_bbbbbbbb' },
    { request: 'r' },
    { type: 'TransferObserved,WalletRegistered' },
    { wallet: 'treasury', address: '0xcd', actor: 'deploy-bot', request: 'r' },
  ];
  for (const options of passing)
    it(`pass an event with ${JSON.stringify(options)}`, () => assert.ok(replayTest(options, names)(event)));

  const failing = [
    { wallet: 'wal' },
    { address: '0xa' },
    { actor: 'ck_' },
    { request: 's' },
    { type: 'WalletRegistered' },
    { wallet: 'treasury', actor: 'operator' },
  ];
  for (const options of failing)
    it(`leave out an event with ${JSON.stringify(options)}`, () => assert.ok(!replayTest(options, names)(event)));
});
