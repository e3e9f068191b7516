import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../application/app.js';
import { checkFile } from '../../application/audit/export-file.js';
import { now } from '../../application/history/parse-moment.js';
import { type EventStore, noStream, type Recorded } from '../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../application/ports/generations.js';
import type { Notary } from '../../application/ports/notary.js';
import { upcast } from '../../domain/upcasters.js';
import { variants } from '../../domain/variant.js';
import { givenKeyRing } from '../../infrastructure/master-key.js';
import { createNotary } from '../../infrastructure/notary.js';
import { sqliteState } from '../../infrastructure/sqlite/state.js';
import { signingSeed } from '../../infrastructure/vault.js';
import { projections } from '../../projections/index.js';
import { jsonOf } from '../support/command.js';
import { embedded, engines } from '../support/engines.js';
import { composeApp, contextOf, openStores } from '../support/following.js';
import { organizationIds, tags } from '../support/history-asks.js';
import { answers, openVault } from '../support/past.js';
import { testSystem } from '../support/silent.js';
import * as history from '../support/stored-history.js';

const { verdicts, masterKey } = history.storedHistory;
const { signal } = new AbortController();
const owners = organizationIds.flatMap((id) =>
  variants.filter(({ tag }) => tags.includes(tag)).map((variant) => contextOf(id, variant)),
);
const touchesIn = (events: readonly { type: string; data: object }[]) =>
  events.filter(({ type }) => type === 'BalanceTouched');

for (const engine of engines)
  describe(`a history that was stored before events had versions, on ${engine.name}`, () => {
    let app: App;
    let notary: Notary;
    let events: EventStore;
    let readModels: RebuildableReadModels;
    let close: () => Promise<void>;
    before(async () => {
      const [home, others] = [await engine.home(), await openStores()];
      [events, readModels] = [await home.events(), await home.readModels()];
      await history.restore(events, others.state);
      notary = createNotary(
        await signingSeed(others.state, givenKeyRing(Buffer.from(masterKey, 'hex'), undefined), 'audit-signing'),
      );
      app = composeApp({ ...others, events, readModels, vault: openVault }, { notary });
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

    it('holds events of a shape that is no longer written', () => {
      const old = touchesIn(history.storedHistory.events).filter(({ data }) => !Object.hasOwn(data, 'asset'));
      assert.ok(old.length > 3);
    });

    it('is projected to the documents that it was projected to then', async () => {
      assert.deepEqual([...app.projector.stopped()], []);
      assert.deepEqual(await history.documentsIn(readModels, events), history.documentsThen());
    });

    it('is rebuilt to the same documents', async () => {
      const { outcome, failures } = await app.rebuild.run(projections, {
        signal,
        tell: () => undefined,
        compare: true,
      });
      assert.deepEqual([outcome, failures], ['swapped', {}]);
      assert.deepEqual(await history.documentsIn(readModels, events), history.documentsThen());
    });

    it('answers as of its last moment what it answers now, and as of an earlier one what was so then', async () => {
      for (const by of owners) {
        const { records } = await app.past.at(by.organizationId, now, { signal, most: app.past.most });
        assert.deepEqual(await answers(records, by), await answers(app, by));
        const first = await app.past.at(by.organizationId, { position: 1 }, { signal, most: app.past.most });
        assert.notDeepEqual(await answers(first.records, by), await answers(app, by));
      }
    });

    it('is replayed and listed in the shapes of today', async () => {
      for (const { organizationId } of verdicts) {
        const replayed = await replayOf(organizationId);
        const { documents } = await app.audit.page(organizationId, now, '', { size: 1000, token: undefined });
        const today = history.eventsOf(organizationId).map((event) => upcast(event, 1));
        assert.deepEqual(
          replayed.map(({ data }) => data),
          today,
        );
        assert.deepEqual(documents.toReversed(), replayed);
        for (const { data } of touchesIn(replayed)) assert.ok(Object.hasOwn(data, 'asset'));
      }
    });

    it('is exported as it is stored, in a file that proves it under the key of then', async () => {
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
        assert.deepEqual(await checkFile(open, proof), verdict);
        assert.equal(await app.audit.compare(verdict.organizationId, open()), null);
      }
    });

    it('is proved by the seals of then, with the same hash over every organization', async () => {
      for (const verdict of verdicts) assert.deepEqual(await app.audit.verify(verdict.organizationId), verdict);
    });

    it('goes on with every golden event, of whatever version, and is still projected, replayed, exported and proved', async () => {
      const golden = history.goldenEvents('org_a');
      assert.ok(golden.some(({ metadata }) => metadata.version === 2));
      const known = history.eventsOf('org_a').length;
      for (const [i, event] of golden.entries())
        await events.append([{ stream: `org_a.ledger-golden${i}`, expected: noStream, events: [event] }]);
      assert.ok(await app.progress.reached(await events.head(), 30_000));
      assert.deepEqual([...app.projector.stopped()], []);
      const { flaw, events: count } = await app.audit.verify('org_a');
      assert.deepEqual([flaw, count], [null, known + golden.length]);
      const replayed = (await replayOf('org_a')).slice(known);
      assert.deepEqual(
        replayed.map(({ data }) => data),
        golden.map((event) => upcast(event, event.metadata.version ?? 1)),
      );
      const exported = (await exportOf('org_a')).slice(1 + known, -1).map((line) => JSON.parse(line));
      assert.deepEqual(
        exported.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
        golden,
      );
    });
  });

/** Commands ask for organizations that exist; of some there is only what else happened to them. */
const isCreated = ({ organizationId }: { organizationId: string }) =>
  history.eventsOf(organizationId).some(({ stream }) => stream === `${organizationId}.organization-${organizationId}`);

describe('a data directory from before events had versions', () => {
  it('is replayed, exported and proved at the command line', async () => {
    const home = await embedded.home();
    const [events, state] = [await home.events(), await sqliteState(join(home.directory, 'state.db'))];
    await history.restore(events, state);
    await Promise.all([events.close(), state.close()]);
    history.restoreMasterKey(home.directory);
    const created = verdicts.filter(isCreated);
    assert.ok(created.length > 0);
    for (const { organizationId, events: count, seals, hash } of created) {
      const of = ['--organization', organizationId];
      const proved = await jsonOf(home, ['audit', 'verify', ...of]);
      assert.deepEqual([proved.valid, proved.events, proved.seals, proved.hash], [true, count, seals, hash]);
      const file = join(home.directory, 'export.ndjson');
      await jsonOf(home, ['audit', 'export', ...of, '--out', file]);
      assert.equal(readFileSync(file, 'utf8').trimEnd().split('\n').length, count + 2);
      const compared = await jsonOf(home, ['audit', 'verify', file]);
      assert.deepEqual([compared.valid, compared.store], [true, 'the store agrees']);
    }
  });
});
