import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../../application/audit/export-file.js';
import type { Recorded } from '../../../application/ports/event-store.js';
import { now } from '../../../application/ports/event-store.js';
import { upcast } from '../../../domain/upcasters.js';
import { projections } from '../../../projections/index.js';
import { appendEvents, manualSystem, sealAll, sealOld } from '../../support/audit/sealed-history.js';
import { embedded } from '../../support/engines/engines.js';
import {
  documentsOf,
  openRelease,
  organizationsIn,
  type StoredDocument,
  storeFiles,
} from '../../support/histories/release-store.js';
import { runCommand } from '../../support/service/command.js';

const folder = 'tests/golden/stores';
const releases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const linesOf = <T>(release: string, name: string): readonly T[] =>
  readFileSync(join(folder, release, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Copies the data directory of a release to one that may be changed. */
const copyOf = async (release: string) => {
  const home = await embedded.home();
  for (const name of storeFiles) {
    copyFileSync(join(folder, release, name), join(home.directory, name));
    chmodSync(join(home.directory, name), 0o600);
  }
  return home;
};

const versions = new Map(projections.map(({ name, version }) => [name, version]));
/** Selects the documents of projections that had documents in the release and have the same version now. */
const comparable = (documents: readonly StoredDocument[], then: readonly StoredDocument[]) => {
  const made = new Map(then.map(({ name, version }) => [name, version]));
  return documents.filter(({ name }) => made.get(name) === versions.get(name));
};

/** Removes the one expected flaw of a copy: its last events are not sealed, because no service has run since. */
const withoutTail = ({ flaw, ...proved }: Verdict) => {
  if (flaw) assert.match(flaw.reason, /^not sealed, though committed at /);
  return { ...proved, flaw: null };
};

for (const name of releases)
  describe(`a data directory that release ${name} wrote`, () => {
    const [documents, verdicts] = [
      linesOf<StoredDocument>(name, 'documents.ndjson'),
      linesOf<Verdict>(name, 'verdicts.ndjson'),
    ];
    let release: Awaited<ReturnType<typeof openRelease>>;
    before(async () => {
      release = await openRelease((await copyOf(name)).directory);
      assert.ok(await release.caughtUp());
    });
    after(() => release.close());

    it('opens with the documents that the release made', async () => {
      assert.deepEqual([...release.app.projector.stopped()], []);
      const expected = comparable(documents, documents);
      assert.ok(expected.length > 50);
      assert.deepEqual(comparable(await documentsOf(release), documents), expected);
    });

    it('is replayed in the event shapes of today', async () => {
      for (const { organizationId, events: count } of verdicts) {
        const [replayed, stored]: [Recorded[], Recorded[]] = [[], []];
        for await (const batch of release.app.audit.replay(organizationId, { position: 0 }, now))
          replayed.push(...batch);
        for await (const batch of release.events.readOrganization(organizationId, 0)) stored.push(...batch);
        assert.equal(replayed.length, count);
        assert.deepEqual(
          replayed.map(({ data }) => data),
          stored.map((event) => upcast(event)),
        );
      }
    });

    it('is verified by its own seals, with the hash that the release found', async () => {
      assert.deepEqual(
        await organizationsIn(release.events),
        verdicts.map(({ organizationId }) => organizationId),
      );
      for (const verdict of verdicts)
        assert.deepEqual(withoutTail(await release.app.audit.verify(verdict.organizationId)), withoutTail(verdict));
    });

    it('is rebuilt to the documents that the release made', async () => {
      const { signal } = new AbortController();
      // The first rebuild brings projections that changed after the release to their present version.
      for (const compare of [false, true]) {
        const { outcome, failures } = await release.app.rebuild.run(projections, {
          signal,
          report: () => undefined,
          compare,
        });
        assert.deepEqual([outcome, failures], ['swapped', {}]);
        assert.deepEqual(comparable(await documentsOf(release), documents), comparable(documents, documents));
      }
    });

    it('is sealed further under its own key, and remembers that its log was begun', async () => {
      const system = manualSystem(() => 7_200_000);
      for (const { organizationId } of verdicts) await appendEvents(release.events, organizationId, 1);
      await sealAll(release, system);
      await sealOld(release, system);
      assert.ok(await release.notary.logMark.isSet());
      for (const { organizationId, seals } of verdicts) {
        const { flaw, seals: now } = await release.app.audit.verify(organizationId);
        assert.equal(flaw, null, flaw?.reason);
        assert.ok(now > seals);
      }
    });

    it('is verified at the command line', async () => {
      const home = await copyOf(name);
      for (const { organizationId, events, seals, hash } of verdicts) {
        const { stdout } = await runCommand(home, ['audit', 'verify', '--organization', organizationId, '--json']);
        const verified = JSON.parse(stdout);
        assert.deepEqual([verified.events, verified.seals, verified.hash], [events, seals, hash]);
      }
    });
  });

describe('data directories of earlier releases', () => {
  it('are kept for at least one release', () => assert.ok(releases.length > 0));
});
