import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  audit,
  type Chained,
  canonical,
  firstLink,
  nextLink,
  sealStatement,
  signedStatement,
} from '../../domain/audit.js';
import { sha256 } from '../../infrastructure/system.js';
import { check, emits, nothing } from '../support/matrix.js';

describe('audit', () => {
  const seal = (count: number) => ({
    organizationId: 'org_1',
    count,
    hash: `hash ${count}`,
    position: 2 * count,
    keyId: 'key',
    signature: 'signed',
  });
  const sealed = (count: number) => ({ type: 'AuditSealed', data: seal(count) }) as const;
  const ask = (count: number) => ({ type: 'Seal', data: seal(count) }) as const;
  check(audit, {
    pasts: { none: [], 'ten events are sealed': [sealed(10)], 'twenty are': [sealed(10), sealed(20)] },
    rows: [
      ['a seal over ten', ask(10), emits(sealed(10)), nothing, nothing],
      ['a seal over fifteen', ask(15), emits(sealed(15)), emits(sealed(15)), nothing],
      ['a seal over thirty', ask(30), emits(sealed(30)), emits(sealed(30)), emits(sealed(30))],
    ],
  });
});

describe('hash chain', () => {
  const event: Chained = {
    stream: 'org_1.thing-1',
    id: 'a',
    type: 'Happened',
    data: { b: [1, { d: 'x', c: null }], a: 'ü' },
    metadata: { actor: 'me' },
  };

  it('hashes exactly what the documentation says', () => {
    const start = firstLink('org_1', sha256);
    assert.deepEqual(start, { count: 0, hash: sha256('chainfold-audit-1\norg_1') });
    const text =
      '{"data":{"a":"ü","b":[1,{"c":null,"d":"x"}]},"id":"a","metadata":{"actor":"me"},"stream":"org_1.thing-1","type":"Happened"}';
    assert.deepEqual(nextLink(start, event, sha256), { count: 1, hash: sha256(`${start.hash}\n${text}`) });
  });

  it('does not depend on the position and time that a store gives, nor on the order of keys', () => {
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

  it('is another for another organization, another order and every other field', () => {
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

  it('writes one text for one value, and different texts for different values', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const stored = JSON.parse(JSON.stringify(one));
        assert.equal(canonical(stored), canonical(one));
        assert.deepEqual(JSON.parse(canonical(one)), stored);
        const same = canonical(one) === canonical(other);
        assert.equal(same, isSame(stored, JSON.parse(JSON.stringify(other))));
      }),
    ));

  it('signs a seal as nothing else', () => {
    const data = { organizationId: 'org_1', count: 1, position: 2, hash: 'h' };
    assert.notEqual(sealStatement(data), signedStatement('export', data));
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
