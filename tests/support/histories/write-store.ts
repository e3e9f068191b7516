import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createSealer } from '../../../application/audit/seals/seal-history.js';
import { isProofEvent } from '../../../application/audit/seals/seal-progress.js';
import { currentEvents } from '../../../application/commands/current-events.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore, Metadata, NewEvent } from '../../../application/ports/event-store.js';
import { openDatabase } from '../../../infrastructure/sqlite/database.js';
import { manualSystem, untilCaughtUp } from '../audit/sealed-history.js';
import { freshDirectory } from '../run/directories.js';
import { testSystem } from '../silent.js';
import { deciders, histories } from './histories.js';
import { documentsOf, openRelease, organizationsIn, storeFiles } from './release-store.js';

// Writes a data directory of the current release, with its documents and the audit's verdicts, into the folder given as
// argument. tests/golden/stores/README.md says when to run this program.

type Golden = { readonly type: string; readonly data: object; readonly metadata: Metadata };
type Written = { readonly stream: string; readonly event: Omit<NewEvent, 'id'> };

const goldenEvents = (): readonly Written[] => {
  const golden: readonly Golden[] = JSON.parse(readFileSync('tests/golden/events.json', 'utf8'));
  return golden
    .filter((event) => !isProofEvent(event))
    .map(({ type, data, metadata }) => {
      const { stream: kind = '' } = deciders.find(({ evolve }) => Object.hasOwn(evolve, type)) ?? {};
      const owner = ['domain', 'block', 'clock'].includes(kind) ? 'system' : metadata.organizationId;
      const key = kind === 'organization' ? metadata.organizationId : 'golden';
      return { stream: `${owner}.${kind}-${key}`, event: { type, data, metadata } };
    });
};

/** Samples a history of several organizations, because the golden events are single examples and form no history. */
const sampledEvents = (count: number): readonly Written[] => {
  const [sampled = []] = fc.sample(histories, { seed: 21, numRuns: 1 });
  return sampled.slice(0, count).map(({ stream, type, data, about }, i) => {
    const { organizationId, variant, occurredAt } = about;
    const why = { requestId: `r${i}`, causationId: `r${i}`, correlationId: `r${i}` };
    const actor = { kind: 'credential', id: 'ck_1' } as const;
    return { stream, event: { type, data, metadata: { organizationId, variant, actor, ...why, occurredAt } } };
  });
};

const appendAll = async (events: EventStore, written: readonly Written[]) => {
  for (const { stream, event } of written) {
    const { revision } = await events.read(stream);
    await events.append([{ stream, expected: revision, events: [{ id: testSystem.uuid(), ...event }] }]);
  }
};

type Release = Awaited<ReturnType<typeof openRelease>>;
const seal = async ({ events, state, notary }: Release) => {
  const system = manualSystem();
  const ports = { events: await untilCaughtUp(events), state, handle: createHandle(events, system), notary, system };
  await createSealer(ports, { events: 20, ms: 3_600_000 }).follow(new AbortController().signal);
};

const [, , out = 'tests/golden/stores/new'] = process.argv;
const directory = freshDirectory();
const release = await openRelease(directory);
// Golden events keep the version in which they were stored, and sampled events get the current version.
await appendAll(release.events, goldenEvents());
await seal(release);
await appendAll(currentEvents(release.events), sampledEvents(120));
await seal(release);
await release.caughtUp();
const verdicts = [];
for (const organizationId of await organizationsIn(release.events))
  verdicts.push(await release.app.audit.verify(organizationId));
const documents = await documentsOf(release);
await release.close();

const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
mkdirSync(out, { recursive: true });
for (const name of storeFiles) {
  // Moves the write-ahead log into the database file, so that the copied file is complete.
  if (name.endsWith('.db')) openDatabase(join(directory, name), 'relaxed').exec('PRAGMA wal_checkpoint(TRUNCATE)');
  copyFileSync(join(directory, name), join(out, name));
}
writeFileSync(join(out, 'documents.ndjson'), lines(documents));
writeFileSync(join(out, 'verdicts.ndjson'), lines(verdicts));
process.exit(0);
