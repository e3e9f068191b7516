import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createAudit } from '../../../application/audit/audit.js';
import { verifyExport } from '../../../application/audit/export-file.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore, Recorded } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { createPageTokens } from '../../../application/read-models/page-tokens.js';
import { createNotary } from '../../../infrastructure/keys/notary.js';
import { sha256 } from '../../../infrastructure/system.js';
import { appendEvents, historyOf, manualSystem, notary, sealAll } from '../../support/audit/sealed-history.js';
import { alteration, change, type Tampering, tampering } from '../../support/audit/tampering.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { sized } from '../../support/run/tier.js';

const organizationId = `org_${'a'.repeat(32)}`;
const tamperings = sized(200, 1000);
/** Position that no event of the history has. */
const beyond = 1_000_000;

/** Applies a tampering to a copy of the items. The indexes in the tampering are taken modulo the number of items. */
const apply = <T extends object>(items: readonly T[], { kind, at, to, leaf, value }: Tampering): readonly T[] => {
  const [from, target] = [at % items.length, to % items.length];
  const item = items[from] as T;
  const without = items.toSpliced(from, 1);
  return {
    alter: () => items.with(from, change(item, leaf, value) as T),
    remove: () => without,
    insert: () => items.toSpliced(target, 0, change(item, leaf, value) as T),
    repeat: () => items.toSpliced(target, 0, item),
    move: () => without.toSpliced(target, 0, item),
    swap: () => items.with(from, items[target] as T).with(target, item),
    cut: () => items.slice(0, from),
  }[kind]();
};

const provenOf = ({ stream, id, type, data, metadata }: Recorded) => ({ stream, id, type, data, metadata });
const proven = (event: Recorded) => JSON.stringify(provenOf(event));

const linesOf = (texts: readonly string[]) =>
  async function* () {
    yield* texts;
  };

describe('the proof of a history', () => {
  let events: EventStore;
  let state: StateStore;
  let history: readonly Recorded[];
  let lines: readonly string[];
  const system = manualSystem();
  const auditOver = (over: EventStore, by = notary, at = system) =>
    createAudit({
      events: over,
      stored: over,
      state,
      handle: createHandle(over, at),
      notary: by,
      system: at,
      pageTokens: createPageTokens(at),
    });
  const exported = async (over: EventStore, by = notary) => {
    let text = '';
    for await (const piece of auditOver(over, by).export(organizationId)) text += piece;
    return text.trimEnd().split('\n');
  };
  /** Event store whose organization has the given history instead of its own. */
  const holding = (other: readonly Recorded[]): EventStore => ({
    ...events,
    readOrganization: async function* () {
      yield other.slice(0, 20);
      yield other.slice(20);
    },
  });
  /** Tampers only with the hashed fields; each entry keeps its position and time. */
  const forge = (tampered: Tampering) =>
    apply(history.map(provenOf), tampered).map((one, n) => {
      const { position, time } = history[n] ?? { position: beyond + n, time: Date.now() };
      return { ...one, position, time, bytes: 0 };
    });
  const check = (texts: readonly string[], trusted?: string) =>
    verifyExport(linesOf(texts), { sha256, isSigned: notary.isSigned, trusted });

  before(async () => {
    events = await (await eventStores.sqlite()).open();
    state = await (await states.sqlite()).open();
    for (let round = 0; round < 5; round++) {
      await appendEvents(events, organizationId, 11, 11 * round);
      await sealAll({ events, state });
    }
    await appendEvents(events, organizationId, 2, 100);
    for (let round = 0; round < 2; round++) await sealAll({ events, state });
    history = await historyOf(events, organizationId);
    lines = await exported(events);
  });
  after(() => Promise.all([events.close(), state.close()]));

  it('accepts an untouched file and an untouched store, both with seals', async () => {
    for (const key of [undefined, notary.publicKey]) {
      const verdict = await check(lines, key);
      assert.deepEqual(
        [verdict.flaw, verdict.events, verdict.seals, verdict.organizationId],
        [null, 62, 5, organizationId],
      );
    }
    const { flaw, events: count, seals } = await auditOver(events).verify(organizationId);
    assert.deepEqual([flaw, count, seals], [null, 62, 5]);
    assert.equal(await auditOver(events).compare(organizationId, linesOf(lines)()), null);
  });

  it('accepts every untouched export, of any length and with any texts', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue())), async (contents) => {
        const any = contents.map(([text, value], n): Recorded => {
          const one = history[n % history.length] as Recorded;
          const type = one.type === 'AuditSealed' ? 'Other' : one.type;
          return {
            ...one,
            type,
            id: `${n}`,
            position: n + 1,
            data: JSON.parse(JSON.stringify({ [text]: value, text })),
          };
        });
        const { flaw, events: count } = await check(await exported(holding(any)), notary.publicKey);
        assert.deepEqual([flaw, count], [null, any.length]);
      }),
    ));

  it('names the first line that was altered, removed, inserted or moved', () =>
    fc.assert(
      fc.asyncProperty(tampering, async (tampered) => {
        const [header = '', ...rest] = lines;
        const parsed = rest.map((text) => JSON.parse(text) as object);
        const texts = apply(parsed, tampered).map((one) => JSON.stringify(one));
        const first = texts.findIndex((text, n) => text !== rest[n]);
        if (first < 0 && texts.length === rest.length) return;
        const { flaw } = await check([header, ...texts], notary.publicKey);
        assert.ok(flaw, JSON.stringify(tampered));
        const expected = first < 0 ? texts.length : first;
        // The last line is the head, not an event: a flaw in it is reported for the events after the last seal.
        const isOfHead = expected >= history.length;
        assert.ok(
          isOfHead ? flaw.event > 0 : flaw.event === expected + 1,
          JSON.stringify({ tampered, flaw, expected }),
        );
      }),
      { numRuns: tamperings },
    ));

  it('rejects a file whose header, text or last line was changed', async () => {
    const [header = '', ...rest] = lines;
    for (const [at] of header.split('').entries()) {
      const other = header[at] === 'x' ? 'y' : 'x';
      const texts = [`${header.slice(0, at)}${other}${header.slice(at + 1)}`, ...rest];
      assert.notEqual((await check(texts, notary.publicKey)).flaw, null, texts[0]);
    }
    const [middle = ''] = rest.slice(30);
    for (const same of [` ${middle}`, middle.replace('{', '{"n":1,'), middle.replace('"n":31', '"n":31,"more":1')])
      assert.equal((await check(lines.with(31, same), notary.publicKey)).flaw?.event, 31, same);
    assert.notEqual((await check([...lines, '{}'])).flaw, null);
    assert.notEqual((await check([...lines, lines.at(-1) ?? ''])).flaw, null);
    assert.notEqual((await check([header])).flaw, null);
    assert.notEqual((await check([])).flaw, null);
  });

  it('rejects a recomputed chain, with the old head or signed with another key', () =>
    fc.assert(
      fc.asyncProperty(tampering, async (tampered) => {
        const forged = forge(tampered);
        if (JSON.stringify(forged.map(proven)) === JSON.stringify(history.map(proven))) return;
        const kept = [...(await exported(holding(forged))).slice(0, -1), lines.at(-1) ?? ''];
        assert.ok((await check(kept.with(0, lines[0] ?? ''), notary.publicKey)).flaw, JSON.stringify(tampered));
        const forger = createNotary(new Uint8Array(32).fill(9));
        const resigned = await exported(holding(forged), forger);
        assert.ok((await check(resigned, notary.publicKey)).flaw, JSON.stringify(tampered));
        assert.ok((await check(resigned.with(0, lines[0] ?? ''), notary.publicKey)).flaw, JSON.stringify(tampered));
      }),
      { numRuns: tamperings / 5 },
    ));

  it('detects every tampering with the store by its seals and the stored head, and the exact event by comparison with a file', () =>
    fc.assert(
      fc.asyncProperty(tampering, async (tampered) => {
        const forged = forge(tampered);
        const first = history.findIndex((event, n) => proven(event) !== (forged[n] && proven(forged[n])));
        if (first < 0 && forged.length === history.length) return;
        const { flaw } = await auditOver(holding(forged)).verify(organizationId);
        const compared = await auditOver(holding(forged)).compare(organizationId, linesOf(lines)());
        if (first < 0) return assert.equal(compared, null, 'events after the end of the file are not compared');
        assert.equal(compared?.event, first + 1, JSON.stringify({ tampered, compared }));
        assert.ok(flaw && flaw.event <= first + 1, JSON.stringify({ tampered, flaw }));
        assert.ok(flaw.last >= first + 1, JSON.stringify({ tampered, flaw, first }));
      }),
      { numRuns: tamperings },
    ));

  it('detects a commit time changed in the store by comparison with a file', async () => {
    const moved = history.map((event, n) => (n === 30 ? { ...event, time: event.time + 30 * 86_400_000 } : event));
    const flaw = await auditOver(holding(moved)).compare(organizationId, linesOf(lines)());
    assert.equal(flaw?.event, 31);
    assert.match(flaw?.reason ?? '', /^committed at another time in the store, /);
  });

  it('detects unsealed events that a running service would have sealed', async () => {
    const seal = history.findLast(({ type }) => type === 'AuditSealed')?.data as { count: number };
    const first = history.findIndex(({ type }, n) => n >= seal.count && type !== 'AuditSealed');
    const proofAfter = (ms: number) =>
      auditOver(
        events,
        notary,
        manualSystem(() => ms),
      ).verify(organizationId);
    assert.equal((await proofAfter(3_600_000)).flaw, null);
    const { flaw } = await proofAfter(2 * 3_600_000);
    assert.deepEqual([flaw?.event, flaw?.last], [first + 1, history.length]);
    assert.match(flaw?.reason ?? '', /^not sealed, though committed at /);
  });

  it('is tested with alterations of more than a hundred different fields', () => {
    const changed = new Set(fc.sample(alteration, 2000).map(({ leaf }) => leaf));
    assert.ok(changed.size > 100);
  });
});
