import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Operation } from '../../../application/commands/handle.js';
import { type Metadata, noStream } from '../../../application/ports/event-store.js';
import { firstLink, firstPlaces, nextLink, nextPlaces, recordStatement } from '../../../domain/aggregates/audit.js';
import { sha256 } from '../../../infrastructure/system.js';
import {
  type Contents,
  contentsOf,
  evidenceOwner,
  openSealedFiles,
  statementName,
  writeEvidence,
} from '../../support/audit/evidence-folder.js';
import { type Named, noPython, verifiers, writeContents } from '../../support/audit/evidence-verifiers.js';
import { historyOf, notary } from '../../support/audit/sealed-history.js';
import type { Files } from '../../support/audit/tampered-files.js';
import { change, type Tampering, tampering } from '../../support/audit/tampering.js';
import { skip } from '../../support/run/skip.js';
import { sized } from '../../support/run/tier.js';

const withLine = (contents: Contents, file: string, at: number, line: string): Contents => {
  const lines = (contents.get(file) ?? '').split('\n');
  return new Map([...contents, [file, lines.with(at, line).join('\n')]]);
};

/** Changes one character of a line, or adds one to an empty line. */
const bent = (line: string) => {
  const at = Math.floor(line.length / 2);
  return `${line.slice(0, at)}${line[at] === 'x' ? 'y' : 'x'}${line.slice(at + 1)}`;
};

const operator: Operation = { actor: { kind: 'operator', id: 'cli' }, requestId: 'accepted' };

/** Computes the hash over all events, and the hash over their positions in the store. */
const standingOf = async (files: Files) => {
  let link = firstLink(evidenceOwner, sha256);
  let places = firstPlaces(evidenceOwner, sha256);
  for (const event of await historyOf(files.stores().events, evidenceOwner)) {
    link = nextLink(link, event, sha256);
    places = nextPlaces(places, link.count, event, sha256);
  }
  return { ...link, places };
};

/**
 * Applies a tampering to the lines of the exported history after its header. Indexes are taken modulo the number of
 * lines.
 */
const tamper = (contents: Contents, { kind, at, to, leaf, value }: Tampering): Contents => {
  const [header = '', ...lines] = (contents.get('history.ndjson') ?? '').trimEnd().split('\n');
  const [from, target] = [at % lines.length, to % lines.length];
  const line = lines[from] ?? '';
  const changed = () => JSON.stringify(change(JSON.parse(line) as object, leaf, value));
  const without = lines.toSpliced(from, 1);
  const tampered = {
    alter: () => lines.with(from, changed()),
    remove: () => without,
    insert: () => lines.toSpliced(target, 0, changed()),
    repeat: () => lines.toSpliced(target, 0, line),
    move: () => without.toSpliced(target, 0, line),
    swap: () => lines.with(from, lines[target] ?? '').with(target, line),
    cut: () => lines.slice(0, from),
  }[kind]();
  return new Map([...contents, ['history.ndjson', `${[header, ...tampered].join('\n')}\n`]]);
};

describe('the verifiers of an evidence folder', () => {
  let files: Files;
  let contents: Contents;
  before(async () => {
    files = await openSealedFiles(2);
    contents = contentsOf((await writeEvidence(files)).folder);
  });
  after(() => files.close());

  /** Returns the flaws that all verifiers name, after checking that they agree. */
  const flawsOf = async (folders: readonly Contents[], about: (n: number) => unknown = () => '') => {
    const paths = folders.map(writeContents);
    const all = await Promise.all(Object.values(verifiers).map((verify) => verify(paths, notary.publicKey)));
    const [first = [], ...others] = all;
    for (const [n, flaw] of first.entries())
      for (const other of others) assert.deepEqual(other[n], flaw, JSON.stringify(about(n)));
    return first;
  };

  it('include the one in Python', function () {
    if (noPython !== null) skip(this, noPython);
    assert.deepEqual(Object.keys(verifiers), ['audit verify', 'verify.html', 'verify.py']);
  });

  it('accept an untouched folder', async () => assert.deepEqual(await flawsOf([contents]), [null]));

  it('name the event of every altered line of the history, the seals and the sample', async () => {
    const cases = ['history.ndjson', 'seals.ndjson', 'sample.csv'].flatMap((file) => {
      const lines = (contents.get(file) ?? '').trimEnd().split('\n');
      return lines.map((line, at) => ({ file, line, at, altered: withLine(contents, file, at, bent(line)) }));
    });
    const flaws = await flawsOf(
      cases.map(({ altered }) => altered),
      (n) => cases[n]?.line,
    );
    const eventIn: Readonly<Record<string, (line: string) => number>> = {
      'history.ndjson': (line) => (JSON.parse(line) as { n?: number }).n ?? 0,
      'seals.ndjson': (line) => (JSON.parse(line) as { event: number }).event,
      'sample.csv': (line) => Number.parseInt(line, 10) || 0,
    };
    for (const [n, { file, line }] of cases.entries()) {
      const flaw = flaws[n];
      assert.equal(flaw?.file, file, line);
      const event = eventIn[file]?.(line) ?? 0;
      // The header of a file is no event: an altered header of the history is reported for the events after the last
      // seal.
      if (event > 0) assert.deepEqual([flaw?.event, flaw?.last], [event, event], line);
    }
  });

  it('find an altered line of every file, and a missing file', async () => {
    const draw = fc.sample(fc.nat(1_000_000), { numRuns: sized(1, 4), seed: 1 });
    const cases = [...contents.keys()].flatMap((file) => {
      const lines = (contents.get(file) ?? '').split('\n');
      const altered = draw.map((at) =>
        withLine(contents, file, at % lines.length, bent(lines[at % lines.length] ?? '')),
      );
      const missing = new Map([...contents].filter(([name]) => name !== file));
      return [...altered, missing].map((folder) => ({ file, folder }));
    });
    const flaws = await flawsOf(
      cases.map(({ folder }) => folder),
      (n) => cases[n]?.file,
    );
    for (const [n, { file }] of cases.entries())
      assert.equal(flaws[n]?.file, file === 'manifest.sig' ? 'manifest.json' : file);
  });

  it('name a statement of which any line was altered, removed or added', async () => {
    const text = contents.get(statementName) ?? '';
    const lines = text.split('\n');
    const altered = lines.map((line, at) => withLine(contents, statementName, at, bent(line)));
    const others = [...lines.keys()].map((at) => lines.toSpliced(at, 1).join('\n'));
    const folders = [...altered, ...[...others, `${text}x`].map((one) => new Map([...contents, [statementName, one]]))];
    for (const flaw of await flawsOf(folders)) assert.deepEqual(flaw, { file: statementName, event: 0, last: 0 });
  });

  it('name the same event after any tampering with the history', async () => {
    const cases = fc.sample(tampering, { numRuns: sized(40, 120), seed: 7 });
    const folders = cases.map((one) => tamper(contents, one));
    const flaws = await flawsOf(folders, (n) => cases[n]);
    for (const [n, folder] of folders.entries())
      assert.equal(flaws[n] === null, folder.get('history.ndjson') === contents.get('history.ndjson'));
  });

  it('find other forms of the same JSON', async () => {
    const [, , line = ''] = (contents.get('history.ndjson') ?? '').split('\n');
    const forms = [` ${line}`, `${line} `, `${line}\r`, line.replace('{', '{"n":2,'), line.replace('"n":2', '"n":2.0')];
    const more = line.replace('"n":2', '"n":2,"more":1');
    const flaws = await flawsOf([...forms, more].map((form) => withLine(contents, 'history.ndjson', 2, form)));
    for (const flaw of flaws) assert.equal(flaw?.event, 2);
    const text = contents.get('history.ndjson') ?? '';
    const whole = [text.trimEnd(), `\uFEFF${text}`].map((one) => new Map([...contents, ['history.ndjson', one]]));
    for (const flaw of await flawsOf(whole)) assert.deepEqual(flaw, { file: 'history.ndjson', event: 0, last: 0 });
  });

  it('find events between two seals whose hashes were recomputed', async () => {
    const forged = await openSealedFiles(2);
    await forged.tamper(`UPDATE events SET data = replace(data, '"Acme', '"Evil') WHERE data LIKE '%"Acme%'`);
    const [altered] = await flawsOf([contentsOf((await writeEvidence(forged)).folder)]);
    assert.deepEqual([altered?.file, altered?.event], ['history.ndjson', 1]);
    assert.ok((altered?.last ?? 0) > 1, 'the range up to the first seal');
    await forged.close();
    const late = await openSealedFiles(2);
    await late.tamper('UPDATE events SET time = time + 1 WHERE position = 5');
    const [retimed] = await flawsOf([contentsOf((await writeEvidence(late)).folder)]);
    assert.deepEqual([retimed?.file, retimed?.event], ['history.ndjson', 1]);
    await late.close();
  });

  it('accept a loss that an operator accepted, and find a changed event behind it', async () => {
    const lost = await openSealedFiles(2);
    await lost.tamper(`UPDATE events SET data = replace(data, '"Acme', '"Evil') WHERE data LIKE '%"Acme%'`);
    await lost.audit().acceptLoss.ofHistory(operator, evidenceOwner, 'restored');
    await lost.append(evidenceOwner, 11, 2000);
    await lost.seal();
    const { folder, evidence } = await writeEvidence(lost);
    const accepted = contentsOf(folder);
    assert.match(accepted.get('README.txt') ?? '', /An operator \(\w+\) accepted at/);
    const last = evidence.facts.scope.events;
    const line = (accepted.get('history.ndjson') ?? '').split('\n')[last] ?? '';
    const altered = withLine(accepted, 'history.ndjson', last, bent(line));
    const [untouched, flaw] = await flawsOf([accepted, altered]);
    assert.deepEqual([untouched, flaw?.event], [null, last]);
    await lost.close();
  });

  it('accept a history that was moved to another store', async () => {
    const moved = await openSealedFiles(2);
    const { count, places, hash } = await standingOf(moved);
    await moved.tamper('UPDATE events SET time = time - 1000');
    const { places: after } = await standingOf(moved);
    const move = { organizationId: evidenceOwner, count, hash, before: places, after, from: 'sqlite', to: 'sqlite' };
    const signature = notary.sign(recordStatement('HistoryMoved', move));
    const data = { ...move, keyId: notary.keyId, signature };
    const [{ metadata } = { metadata: {} }] = await historyOf(moved.stores().events, evidenceOwner);
    const one = { id: randomUUID(), type: 'HistoryMoved', data, metadata: metadata as Metadata };
    await moved.stores().events.append([{ stream: `${evidenceOwner}.audit-0m`, expected: noStream, events: [one] }]);
    const { folder } = await writeEvidence(moved);
    const [untouched] = await flawsOf([contentsOf(folder)]);
    assert.equal(untouched, null);
    await moved.close();
  });

  it('find a folder that another key signed', async () => {
    const paths = [writeContents(contents)];
    const expected: Named = { file: 'history.ndjson', event: 0, last: 0 };
    for (const verify of Object.values(verifiers))
      assert.deepEqual(await verify(paths, `audpk_${'A'.repeat(43)}=`), [expected]);
  });

  it('accept texts that JSON writes in several ways', async () => {
    const odd = await openSealedFiles(1);
    const data = JSON.stringify({
      10: 1,
      9: 2,
      '\u{1F600}': '\ud800',
      '\uFFFD': '\u2028\u007f',
      big: 1e21,
      small: 1e-7,
    });
    await odd.tamper(`UPDATE events SET data = '${data}' WHERE position > (SELECT max(position) - 1 FROM events)`);
    assert.deepEqual(await flawsOf([contentsOf((await writeEvidence(odd)).folder)]), [null]);
    await odd.close();
  });

  it('ignore files that the manifest does not name', async () => {
    const folder = writeContents(contents);
    writeFileSync(join(folder, '.DS_Store'), 'x');
    for (const verify of Object.values(verifiers)) assert.deepEqual(await verify([folder], notary.publicKey), [null]);
  });
});
