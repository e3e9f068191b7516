import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSealedFiles, writeEvidence } from '../../support/audit/evidence-folder.js';
import { namedIn, noPython } from '../../support/audit/evidence-verifiers.js';
import { notary } from '../../support/audit/sealed-history.js';
import type { Files } from '../../support/audit/tampered-files.js';
import { skip } from '../../support/run/skip.js';

const python = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync('python3', args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env },
  });

describe('verify.py', () => {
  let files: Files;
  let folder: string;
  before(async function () {
    if (noPython !== null) return skip(this, noPython);
    files = await openSealedFiles(1);
    ({ folder } = await writeEvidence(files));
  });
  after(() => files?.close());

  const verify = (...args: string[]) => {
    const { status, stdout, stderr } = python([join(folder, 'verify.py'), ...args]);
    assert.equal(stderr, '');
    return { status, text: stdout.trim() };
  };

  it('passes its own tests', () => {
    const { status, stderr } = python(['tests/interfaces/evidence/test_verifier.py'], {
      PYTHONPATH: 'interfaces/cli/audit/evidence',
    });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /Ran \d\d tests/);
  });

  it('verifies the folder that contains it, and leaves no file there', () => {
    const before = readdirSync(folder);
    assert.deepEqual(verify(notary.publicKey), { status: 0, text: 'valid' });
    assert.deepEqual(readdirSync(folder), before);
  });

  it('says that a mistyped key is not a key, and that nothing is proven without one', () => {
    const typo = notary.publicKey.replace(/.(?=.{9}$)/, (character) => (character === 'x' ? 'y' : 'x'));
    for (const key of ['audpk_short', typo]) assert.deepEqual(verify(key), { status: 2, text: 'That is not a key.' });
    const unproven = verify();
    assert.equal(unproven.status, 2);
    assert.match(unproven.text, /^NOT PROVEN: /);
  });

  it('exits with code 1 for a folder that was changed, or that another key signed', () => {
    assert.deepEqual(verify(`audpk_${'A'.repeat(43)}=`).status, 1);
    appendFileSync(join(folder, 'README.txt'), 'more\n');
    const { status, text } = verify(notary.publicKey);
    assert.deepEqual([status, namedIn(text)], [1, { file: 'README.txt', event: 0, last: 0 }]);
  });
});
