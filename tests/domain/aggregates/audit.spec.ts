import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  audit,
  type Chained,
  canonical,
  firstLink,
  firstPlaces,
  type LogLoss,
  type Loss,
  type Move,
  nextLink,
  nextPlaces,
  sealStatement,
  signedStatement,
} from '../../../domain/aggregates/audit.js';
import { sha256 } from '../../../infrastructure/system.js';
import { check, emits, nothing } from '../../support/histories/matrix.js';

describe("an organization's history", () => {
  const seal = (count: number) => ({
    organizationId: 'org_1',
    count,
    hash: `hash ${count}`,
    position: 2 * count,
    places: `places ${count}`,
    log: { volume: 0, index: count },
    keyId: 'key',
    signature: 'signed',
  });
  const sealed = (count: number) => ({ type: 'AuditSealed', data: seal(count) }) as const;
  const signed = { organizationId: 'org_1', keyId: 'key', signature: 'signed' };
  const move: Move = { ...signed, count: 11, hash: 'h', before: 'b', after: 'a', from: 'here', to: 'there' };
  const accepted = { by: 'mara', reason: 'restored', time: '2026-01-01T00:00:00.000Z' };
  const found = { count: 5, hash: 'h', places: 'p' };
  const loss: Loss = { ...signed, ...accepted, known: null, found, log: { volume: 0, size: 3 } };
  const logLoss: LogLoss = { ...signed, ...accepted, volume: 1, known: 'cut' };
  const ask = (count: number) => ({ type: 'Seal', data: seal(count) }) as const;
  check(audit, {
    states: {
      unsealed: [],
      'sealed up to event ten': [sealed(10)],
      'sealed up to event twenty': [sealed(10), sealed(20)],
      'migrated and sealed up to event ten': [sealed(10), { type: 'HistoryMoved', data: move }],
      'truncated after it was sealed up to event twenty': [
        sealed(20),
        { type: 'LossAccepted', data: loss },
        { type: 'LogLossAccepted', data: logLoss },
      ],
    },
    rows: [
      {
        asks: 'Seal of ten events',
        command: ask(10),
        when: {
          unsealed: emits(sealed(10)),
          'truncated after it was sealed up to event twenty': emits(sealed(10)),
          otherwise: nothing,
        },
      },
      {
        asks: 'Seal of fifteen events',
        command: ask(15),
        when: { 'sealed up to event twenty': nothing, otherwise: emits(sealed(15)) },
      },
      { asks: 'Seal of thirty events', command: ask(30), when: { otherwise: emits(sealed(30)) } },
      {
        asks: 'RecordMove of a history',
        command: { type: 'RecordMove', data: move },
        when: {
          'migrated and sealed up to event ten': nothing,
          otherwise: emits({ type: 'HistoryMoved', data: move }),
        },
      },
      {
        asks: 'AcceptLoss',
        command: { type: 'AcceptLoss', data: loss },
        when: { otherwise: emits({ type: 'LossAccepted', data: loss }) },
      },
      {
        asks: 'AcceptLogLoss',
        command: { type: 'AcceptLogLoss', data: logLoss },
        when: { otherwise: emits({ type: 'LogLossAccepted', data: logLoss }) },
      },
    ],
  });
});

describe('the hash chain', () => {
  const event: Chained = {
    stream: 'org_1.thing-1',
    id: 'a',
    type: 'Happened',
    data: { b: [1, { d: 'x', c: null }], a: 'ü' },
    metadata: { actor: 'me' },
  };

  it('hashes exactly the documented text', () => {
    const start = firstLink('org_1', sha256);
    assert.deepEqual(start, { count: 0, hash: sha256('chainfold-audit-1\norg_1') });
    const text =
      '{"data":{"a":"ü","b":[1,{"c":null,"d":"x"}]},"id":"a","metadata":{"actor":"me"},"stream":"org_1.thing-1","type":"Happened"}';
    assert.deepEqual(nextLink(start, event, sha256), { count: 1, hash: sha256(`${start.hash}\n${text}`) });
  });

  it('depends neither on the position and time assigned by the store nor on the order of keys', () => {
    const start = firstLink('org_1', sha256);
    const stored = {
      ...event,
      metadata: { ...event.metadata },
      position: 7,
      time: 9,
      data: { a: 'ü', b: [1, { c: null, d: 'x' }] },
    };
    assert.deepEqual(nextLink(start, stored, sha256), nextLink(start, event, sha256));
  });

  it('has a different hash for another organization, another order of events or another value of any field', () => {
    const [one, other] = [firstLink('org_1', sha256), firstLink('org_2', sha256)];
    const hashes = [
      nextLink(one, event, sha256),
      nextLink(other, event, sha256),
      nextLink(nextLink(one, event, sha256), event, sha256),
      ...(['stream', 'id', 'type'] as const).map((name) => nextLink(one, { ...event, [name]: 'other' }, sha256)),
      nextLink(one, { ...event, data: {} }, sha256),
      nextLink(one, { ...event, metadata: {} }, sha256),
    ].map(({ hash }) => hash);
    assert.equal(new Set(hashes).size, hashes.length);
  });

  it('serializes equal values to the same text, and different values to different texts', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const stored = JSON.parse(JSON.stringify(one));
        assert.equal(canonical(stored), canonical(one));
        assert.deepEqual(JSON.parse(canonical(one)), stored);
        const same = canonical(one) === canonical(other);
        assert.equal(same, isSame(stored, JSON.parse(JSON.stringify(other))));
      }),
    ));

  it('signs seals and exports under different statements, so that neither passes for the other', () => {
    const data = { organizationId: 'org_1', count: 1, position: 2, hash: 'h' };
    assert.notEqual(sealStatement({ ...data, places: null, log: null }), signedStatement('export', data));
  });

  it('signs a version 1 seal in its original form, and a version 2 seal with its positions and its place in the log', () => {
    const data = { organizationId: 'org_1', count: 1, position: 2, hash: 'h' };
    const first = 'chainfold-audit-1 seal\n{"count":1,"hash":"h","organizationId":"org_1","position":2}';
    assert.equal(sealStatement({ ...data, places: null, log: null }), first);
    const second =
      'chainfold-audit-2 seal\n{"count":1,"hash":"h","log":{"index":3,"volume":0},"organizationId":"org_1","places":"p","position":2}';
    assert.equal(sealStatement({ ...data, places: 'p', log: { volume: 0, index: 3 } }), second);
  });

  it('hashes the number, position and commit time of each event into the positions of a seal', () => {
    const start = firstPlaces('org_1', sha256);
    assert.equal(start, sha256('chainfold-audit-2 places\norg_1'));
    assert.equal(nextPlaces(start, 1, { position: 7, time: 9 }, sha256), sha256(`${start}\n[1,7,9]`));
  });
});

const isSame = (one: unknown, other: unknown) => {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
};
