import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../application/app.js';
import { verifyExport } from '../../../application/audit/export-file.js';
import type { Flaw } from '../../../application/audit/proof.js';
import { currentEvents } from '../../../application/commands/current-events.js';
import { createAsOf } from '../../../application/history/as-of.js';
import { type EventStore, noStream, now, type Recorded } from '../../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import type { Notary } from '../../../application/ports/notary.js';
import { createPageTokens } from '../../../application/read-models/page-tokens.js';
import { upcast } from '../../../domain/upcasters.js';
import { variants } from '../../../domain/variant.js';
import { openNotary } from '../../../infrastructure/keys/audit-key.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { memoryReadModels } from '../../../infrastructure/memory/read-models.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { projections } from '../../../projections/index.js';
import { embedded, engines } from '../../support/engines/engines.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';
import { organizationIds, tags } from '../../support/histories/history-asks.js';
import { answers, evmEverywhere, openVault } from '../../support/histories/past.js';
import * as history from '../../support/histories/stored-history.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { testSystem } from '../../support/silent.js';

const { verdicts, masterKey } = history.storedHistory;
const { signal } = new AbortController();
const owners = organizationIds.flatMap((id) =>
  variants.filter(({ tag }) => tags.includes(tag)).map((variant) => contextOf(id, variant)),
);
const touchesIn = (events: readonly { type: string; data: object }[]) =>
  events.filter(({ type }) => type === 'BalanceTouched');

/**
 * Removes the one expected flaw of an old history: its last events are not sealed, because no service has run since.
 */
const withoutTail = <V extends { readonly flaw: Flaw | null }>({ flaw, ...proved }: V) => {
  if (flaw) assert.match(flaw.reason, /^not sealed, though committed at /);
  return { ...proved, flaw: null };
};

for (const engine of engines)
  describe(`a history on ${engine.name} that was stored before events had versions`, () => {
    let app: App;
    let notary: Notary;
    let events: EventStore;
    let readModels: RebuildableReadModels;
    let close: () => Promise<void>;
    before(async () => {
      const [home, others] = [await engine.home(), await openStores()];
      [events, readModels] = [await home.events(), await home.readModels()];
      await history.restore(events, others.state);
      notary = await openNotary(
        { events, state: others.state },
        givenKeyRing(Buffer.from(masterKey, 'hex'), undefined),
      );
      app = composeApp(
        { ...others, events, readModels, vault: openVault },
        { notary, transactionCodecs: evmEverywhere },
      );
      const stop = new AbortController();
      const projecting = app.projector.run(stop.signal);
      assert.ok(await app.progress.reached(await events.head(), 30_000));
      close = async () => {
        stop.abort();
        await projecting;
        await Promise.all([events, readModels, others].map((one) => one.close()));
      };
    });
    after(() => close());

    const replayOf = async (organizationId: string) => {
      const replayed: Recorded[] = [];
      for await (const batch of app.audit.replay(organizationId, { position: 0 }, now)) replayed.push(...batch);
      return replayed;
    };
    const exportOf = async (organizationId: string) => {
      let text = '';
      for await (const piece of app.audit.export(organizationId)) text += piece;
      return text.trimEnd().split('\n');
    };

    it('contains events of a shape that is no longer written', () => {
      const old = touchesIn(history.storedHistory.events).filter(({ data }) => !Object.hasOwn(data, 'asset'));
      assert.ok(old.length > 3);
    });

    it('is projected to the same documents as when it was stored', async () => {
      assert.deepEqual([...app.projector.stopped()], []);
      assert.deepEqual(await history.documentsIn(readModels, events), history.documentsThen());
    });

    it('is rebuilt to the same documents', async () => {
      const { outcome, failures } = await app.rebuild.run(projections, {
        signal,
        report: () => undefined,
        compare: true,
      });
      assert.deepEqual([outcome, failures], ['swapped', {}]);
      assert.deepEqual(await history.documentsIn(readModels, events), history.documentsThen());
    });

    it('gives the current answers as of its last moment', async () => {
      for (const by of owners) {
        const { records } = await app.asOf.at(by.organizationId, now, { signal, maxEvents: app.asOf.maxEvents });
        assert.deepEqual(await answers(records, by), await answers(app, by));
      }
    });

    it('shows as of three earlier positions exactly the documents of a store that ends there', async () => {
      const maxEvents = 1000;
      const asOf = createAsOf({
        events: currentEvents(events),
        pageTokens: createPageTokens(testSystem),
        show: (then) => then.readModels,
        scratch: memoryReadModels,
        asOfEvents: maxEvents,
        foldedEvents: maxEvents,
      });
      const positions = new Set(history.storedHistory.asOf.map(({ at }) => at));
      assert.equal(positions.size, 3);
      for (const at of positions) {
        const position = await history.restoredPosition(events, at);
        const documentsOf = async ({ organizationId }: { organizationId: string }) => {
          const { records } = await asOf.at(organizationId, { position }, { signal, maxEvents });
          return history.documentsIn(records, events, history.isHistoryOf(organizationId));
        };
        const found = (await Promise.all(verdicts.map(documentsOf))).flat();
        assert.ok(found.length > 5, `as of ${at}`);
        const expected = verdicts.flatMap(({ organizationId }) => history.documentsAsOf(at, organizationId));
        assert.deepEqual(found, expected, `as of ${at}`);
      }
    });

    it('is replayed and listed in the current event shapes', async () => {
      for (const { organizationId } of verdicts) {
        const replayed = await replayOf(organizationId);
        const { documents } = await app.audit.page(
          organizationId,
          { upTo: now, text: '' },
          { size: 1000, token: undefined },
        );
        const today = history.eventsOf(organizationId).map((event) => upcast(event));
        assert.deepEqual(
          replayed.map(({ data }) => data),
          today,
        );
        assert.deepEqual(documents.toReversed(), replayed);
        for (const { data } of touchesIn(replayed)) assert.ok(Object.hasOwn(data, 'asset'));
      }
    });

    it('is exported as it is stored, in a file that verifies under its original key', async () => {
      for (const verdict of verdicts) {
        const lines = await exportOf(verdict.organizationId);
        const exported = lines.slice(1, -1).map((line) => JSON.parse(line));
        assert.deepEqual(
          exported.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
          history
            .eventsOf(verdict.organizationId)
            .map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
        );
        const open = async function* () {
          yield* lines;
        };
        const { sha256 } = testSystem;
        const proof = { trusted: notary.publicKey, isSigned: notary.isSigned, sha256 };
        const { signedBy, ...found } = await verifyExport(open, proof);
        assert.deepEqual(found, verdict);
        assert.equal(signedBy, notary.publicKey);
        assert.equal(await app.audit.compare(verdict.organizationId, open()), null);
      }
    });

    it('is proved by its original seals, with the same hash for every organization', async () => {
      for (const verdict of verdicts)
        assert.deepEqual(withoutTail(await app.audit.verify(verdict.organizationId)), verdict);
    });

    it('accepts every golden event of any version, and is still projected, replayed, exported and proved', async () => {
      const golden = history.goldenEvents('org_a');
      assert.ok(golden.some(({ metadata }) => metadata.version === 2));
      const known = history.eventsOf('org_a').length;
      for (const [i, event] of golden.entries())
        await events.append([{ stream: `org_a.ledger-golden${i}`, expected: noStream, events: [event] }]);
      assert.ok(await app.progress.reached(await events.head(), 30_000));
      assert.deepEqual([...app.projector.stopped()], []);
      const { flaw, events: count } = withoutTail(await app.audit.verify('org_a'));
      assert.deepEqual([flaw, count], [null, known + golden.length]);
      const replayed = (await replayOf('org_a')).slice(known);
      assert.deepEqual(
        replayed.map(({ data }) => data),
        golden.map((event) => upcast(event)),
      );
      const exported = (await exportOf('org_a')).slice(1 + known, -1).map((line) => JSON.parse(line));
      assert.deepEqual(
        exported.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
        golden,
      );
    });
  });

/** Reports whether the history creates the organization; commands do not know organizations without that event. */
const isCreated = ({ organizationId }: { organizationId: string }) =>
  history.eventsOf(organizationId).some(({ stream }) => stream === `${organizationId}.organization-${organizationId}`);

describe('a data directory from before events had versions', () => {
  it('is replayed, exported and proved from the command line', async () => {
    const home = await embedded.home();
    const [events, state] = [await home.events(), await sqliteState(join(home.directory, 'state.db'))];
    await history.restore(events, state);
    await Promise.all([events.close(), state.close()]);
    history.restoreMasterKey(home.directory);
    const created = verdicts.filter(isCreated);
    assert.ok(created.length > 0);
    for (const { organizationId, events: count, seals, hash } of created) {
      const of = ['--organization', organizationId];
      const { stdout } = await runCommand(home, ['audit', 'verify', ...of, '--json']);
      const { first = null, ...proved } = JSON.parse(stdout);
      assert.deepEqual([proved.events, proved.seals, proved.hash], [count, seals, hash]);
      assert.equal(withoutTail({ flaw: first }).flaw, null);
      const file = join(home.directory, 'export.ndjson');
      await jsonOf(home, ['audit', 'export', ...of, '--out', file]);
      assert.equal(readFileSync(file, 'utf8').trimEnd().split('\n').length, count + 2);
      const compared = await jsonOf(home, ['audit', 'verify', file]);
      assert.deepEqual([compared.valid, compared.store], [true, 'the store agrees']);
    }
  });
});
