import assert from 'node:assert/strict';
import fc from 'fast-check';
import { verifyExport, writeExport } from '../../../application/audit/export-file.js';
import { toHeadRecord } from '../../../application/audit/log/head-record.js';
import {
  firstDiscontinuity,
  parseWitnessedHead,
  type WitnessedHead,
} from '../../../application/audit/log/witnessed.js';
import { createSealLog, type SealerPorts } from '../../../application/audit/seals/seal-log.js';
import { createStoreProof } from '../../../application/audit/store-proof.js';
import { createHandle } from '../../../application/commands/handle.js';
import { createNotary } from '../../../infrastructure/keys/notary.js';
import { manualSystem, notary } from '../../support/audit/sealed-history.js';
import {
  type Contents,
  checkpointOf,
  createTampering,
  historyIn,
  historyText,
  logOf,
  type Owner,
  owners,
  partOf,
  provenState,
  storesWith,
  type Tampering,
  tampering,
  textOf,
} from '../../support/audit/tampered-contents.js';
import { type Files, openFiles } from '../../support/audit/tampered-files.js';
import { allEvents } from '../../support/following/following.js';
import { sized } from '../../support/run/tier.js';

const somewhere = fc.nat(100_000);
/** Number of events that the first seals cover, at the beginning of the store. */
const sealedAtFirst = 30;
const fileTamperings = {
  alter: (at: number) =>
    `UPDATE events SET data = substr(data, 1, length(data) - 1) || ',"forged":1}' WHERE position = ${at}`,
  remove: (at: number) => `DELETE FROM events WHERE position = ${at}`,
  retime: (at: number) => `UPDATE events SET time = time + 1000 WHERE position >= ${at}`,
  disown: (at: number) => `UPDATE events SET organization = 'nobody' WHERE position = ${at}`,
  hide: (at: number) =>
    `INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), stream, 999, 'nobody', id || 'h', type, data,
       metadata, time, 0 FROM events WHERE position = ${at}`,
  precede: (at: number) =>
    `INSERT INTO events SELECT -${at}, stream, 998, organization, id || 'p', type, data, metadata, time, 0
       FROM events WHERE position = ${at}`,
  reorder: (_: number, owner: number) =>
    `UPDATE events SET revision = 1000 - revision WHERE stream = '${owners[owner % 2]}.audit-0'`,
} as const;
type FileTampering = readonly [keyof typeof fileTamperings, number, number];
const fileTampering: fc.Arbitrary<FileTampering> = fc.tuple(
  fc.constantFrom(...(Object.keys(fileTamperings) as FileTampering[0][])),
  somewhere,
  fc.nat(1),
);

/** Rollbacks that nothing in the stores shows; a rollback of the log's checkpoint alone hides nothing. */
const rollbacks: readonly Tampering[] = [
  { kind: 'set back everything', owner: 0, at: 0, to: 0 },
  { kind: 'set back everything', owner: 0, at: 1, to: 0 },
  { kind: 'set back', owner: 0, at: 2, to: 0 },
  { kind: 'set back the log', owner: 0, at: 0, to: 1 },
];

/** Change of an exported file from line `at`, and there from character `to`; both are taken modulo what there is. */
type ExportTampering = {
  readonly kind: 'alter' | 'remove' | 'cut' | 'earlier file' | 'other key';
  readonly at: number;
  readonly to: number;
};
const exportTampering: fc.Arbitrary<ExportTampering> = fc.record({
  kind: fc.constantFrom('alter', 'remove', 'cut', 'earlier file', 'other key'),
  at: somewhere,
  to: somewhere,
});

const altered = (line: string, at: number) =>
  `${line.slice(0, at)}${line[at] === 'x' ? 'y' : 'x'}${line.slice(at + 1)}`;
/** Tampers with the lines of a file; `earlier` and `foreign` are files of the same history to take other lines from. */
const tamperExport =
  (earlier: readonly string[], foreign: readonly string[]) =>
  (lines: readonly string[], { kind, at, to }: ExportTampering): readonly string[] => {
    const from = at % Math.max(1, lines.length);
    const line = lines[from] ?? '';
    return {
      alter: () => lines.toSpliced(from, 1, altered(line, to % Math.max(1, line.length))),
      remove: () => lines.toSpliced(from, 1),
      cut: () => lines.slice(0, from),
      'earlier file': () => [...lines.slice(0, from), ...earlier.slice(from)],
      'other key': () => [...lines.slice(0, from), ...foreign.slice(from)],
    }[kind]();
  };

const withCopy = async (directory: string, work: (files: Files) => Promise<void>) => {
  const files = await openFiles(directory);
  try {
    await work(files);
  } finally {
    await files.close();
  }
};

/** Files that an auditor keeps elsewhere: the exports of the last moment, and the head of the log that a witness saw. */
type Kept = { readonly exports: ReadonlyMap<Owner, readonly string[]>; readonly witnessed: WitnessedHead };

const linesOf = (texts: readonly string[]) =>
  async function* () {
    yield* texts;
  };
const readLines = async (pieces: AsyncIterable<string>) => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text.trimEnd().split('\n');
};

describe('the proof of all histories together', () => {
  let directory: string;
  let kept: Kept;
  const moments: Contents[] = [];
  const keep = async (files: Files) => {
    const { events, state } = files.stores();
    const values = await Promise.all(
      provenState.map(async (id) => [id, (await state.get('processes', id))?.value] as const),
    );
    const there = values.filter((one): one is readonly [string, string] => one[1] !== undefined);
    moments.push({ events: await allEvents(events), state: new Map(there) });
  };
  const system = manualSystem();
  const logIn = ({ events, state }: Pick<SealerPorts, 'events' | 'state'>) =>
    createSealLog({ events, state, handle: createHandle(events, system), notary, system });
  before(async () => {
    const files = await openFiles();
    for (const round of [0, 1, 2]) {
      for (const owner of owners.slice(0, 2)) await files.append(owner, 11, 20 * round);
      await files.append('system', 11, 20 * round);
      await files.seal(manualSystem(() => round));
      await files.seal();
      await keep(files);
    }
    // Events that the sealer has hashed and no seal covers.
    await files.append(owners[0], 3, 100);
    await files.seal();
    await keep(files);
    const texts = owners.map(async (owner) => [owner, await readLines(files.audit().export(owner))] as const);
    const head = toHeadRecord((await logIn(files.stores()).head()) ?? assert.fail('nothing was logged'));
    const witnessed = parseWitnessedHead(JSON.stringify(head)) ?? assert.fail('the head is not one');
    kept = { exports: new Map(await Promise.all(texts)), witnessed };
    await files.close();
    directory = files.directory;
  });

  const proofOf = (contents: Contents) => createStoreProof({ ...storesWith(contents), notary, system });
  const isProven = async (contents: Contents) => {
    for (const owner of owners) {
      const { flaw, unproven } = await proofOf(contents).verify(owner);
      if (flaw || unproven !== undefined) return false;
    }
    return true;
  };
  /** Returns the owners whose history contradicts the file that was exported of it. */
  const contradictedExports = async (contents: Contents) => {
    const flaws = owners.map((owner) => proofOf(contents).compare(owner, linesOf(kept.exports.get(owner) ?? [])()));
    const found = await Promise.all(flaws);
    return owners.filter((_, n) => found[n]);
  };
  const trust = { publicKey: notary.publicKey, isSigned: notary.isSigned, sha256: system.sha256 };
  const contradictsWitness = async (contents: Contents) =>
    (await firstDiscontinuity([kept.witnessed], logIn(storesWith(contents)), trust)) !== null;

  it('holds for every earlier state of the stores', async () => {
    for (const moment of moments) assert.ok(await isProven(moment));
  });

  it('fails after any combination of tamperings except a rollback, which an exported file or a witness shows', async () => {
    const last = moments.at(-1) as Contents;
    const apply = createTampering(moments.slice(0, -1));
    let hidden = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(tampering, { minLength: 1, maxLength: 4 }), async (all) => {
        const [tampered, about] = [all.reduce(apply, last), JSON.stringify(all)];
        if (!(await isProven(tampered))) return assert.notEqual(textOf(tampered), textOf(last), about);
        const changed = owners.filter((owner) => historyText(tampered, owner) !== historyText(last, owner));
        if (changed.length > 0) hidden++;
        const parts = [...owners.map((owner) => (one: Contents) => partOf(one, owner)), logOf, checkpointOf];
        for (const part of parts)
          assert.ok(
            moments.some((moment) => part(moment) === part(tampered)),
            about,
          );
        assert.deepEqual(await contradictedExports(tampered), changed, about);
        assert.equal(await contradictsWitness(tampered), logOf(tampered) !== logOf(last), about);
      }),
      { numRuns: sized(40, 1000), examples: rollbacks.map((one) => [[one]]) },
    );
    assert.ok(hidden >= 3, `${hidden} rollbacks were not shown by the stores alone`);
  });

  it('fails for every exported file in which lines were altered, cut, or replaced by those of another file or key', async () => {
    const write = async ({ events }: Contents, owner: Owner, by = notary) => {
      const history = async function* () {
        yield historyIn({ events, state: new Map() }, owner);
      };
      const time = new Date(system.now()).toISOString();
      return readLines(writeExport(owner, history(), { notary: by, sha256: system.sha256, time }));
    };
    const foreigner = createNotary(new Uint8Array(32).fill(9));
    const files = await Promise.all(
      owners.map(async (owner) => ({
        last: kept.exports.get(owner) ?? [],
        earlier: await write(moments[0] as Contents, owner),
        foreign: await write(moments.at(-1) as Contents, owner, foreigner),
      })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(exportTampering, { minLength: 1, maxLength: 4 }),
        async ({ last, earlier, foreign }, all) => {
          const lines = all.reduce(tamperExport(earlier, foreign), last);
          const { flaw } = await verifyExport(linesOf(lines), { ...trust, trusted: notary.publicKey });
          const isGenuine = [last, earlier].some((genuine) => genuine.join('\n') === lines.join('\n'));
          assert.equal(flaw === null, isGenuine, JSON.stringify(all));
        },
      ),
      { numRuns: sized(40, 1000) },
    );
  });

  const assertFlaw = async (files: Files, about: string) => {
    const flaws = await Promise.all(owners.map((one) => files.flawOf(one)));
    assert.ok(flaws.some(Boolean), about);
  };

  it('fails after any combination in the files, also when the service runs afterwards', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fileTampering, { minLength: 1, maxLength: 3, selector: ([kind]) => kind }),
        (all) =>
          withCopy(directory, async (files) => {
            await files.tamper(
              ...all.map(([kind, at, owner]) => fileTamperings[kind](1 + (at % sealedAtFirst), owner)),
            );
            await assertFlaw(files, `before the service runs: ${JSON.stringify(all)}`);
            await files.seal();
            await assertFlaw(files, `after the service ran: ${JSON.stringify(all)}`);
          }),
      ),
      { numRuns: sized(4, 60) },
    ));
});
