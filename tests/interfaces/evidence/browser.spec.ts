import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../support/audit/chromium.js';
import { type Contents, contentsOf, openSealedFiles, writeEvidence } from '../../support/audit/evidence-folder.js';
import { namedIn, verifyByCommand, writeContents } from '../../support/audit/evidence-verifiers.js';
import { notary } from '../../support/audit/sealed-history.js';
import type { Files } from '../../support/audit/tampered-files.js';
import { skip } from '../../support/run/skip.js';

/**
 * Folder for screenshots of the page; no screenshots are taken if undefined. The screenshots of docs/audit.md are in
 * `docs/console`.
 */
const pictures = process.env.CHAINFOLD_TEST_PICTURES;

describe('verify.html in Chromium', () => {
  let browser: Browser | undefined;
  let page: Page;
  let files: Files;
  let contents: Contents;
  const requested: string[] = [];
  before(async function () {
    const executablePath = findChromium();
    if (executablePath === null) return skip(this, 'Chromium is not here; CHAINFOLD_TEST_CHROMIUM names its program');
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--headless', '--disable-gpu'] });
    page = await browser.newPage();
    page.on('request', (request) => requested.push(request.url()));
    files = await openSealedFiles(2);
    contents = contentsOf((await writeEvidence(files)).folder);
  });
  after(async () => {
    await browser?.close();
    await files?.close();
  });

  /** Verifies a folder as an auditor does: opens the page in it, enters the key and chooses the folder. */
  const verify = async (altered: Contents, key = notary.publicKey) => {
    const folder = writeContents(altered);
    await page.goto(pathToFileURL(join(folder, 'verify.html')).href);
    await page.locator('#key').fill(key);
    await page.locator('#folder').setInputFiles(folder);
    await page.locator('#start').click();
    const verdict = page.locator('#verdict .valid-true, #verdict .valid-false, #verdict .valid-null');
    return {
      folder,
      verdict: (await verdict.textContent()) ?? '',
      details: (await page.locator('#details').textContent()) ?? '',
    };
  };
  const picture = async (name: string) => {
    await page.setViewportSize({ width: 760, height: 720 });
    if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` });
  };
  const altered = (file: string, from: string | RegExp, to: string): Contents => {
    const text = contents.get(file) ?? '';
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, file);
    return new Map([...contents, [file, changed]]);
  };

  it('accepts an untouched folder, and shows its facts, its statement and its sample', async () => {
    const { verdict, details } = await verify(contents);
    assert.match(verdict, /^valid: /);
    assert.match(details, /events of the period26/);
    assert.match(details, /STATEMENT OF COMPLETENESS/);
    assert.equal(await page.locator('#details details').count(), 10);
    const width = await page.evaluate("getComputedStyle(document.querySelector('#form')).borderTopWidth");
    assert.equal(width, '1px', 'the style of the page applies');
    await picture('verify-valid');
  });

  it('runs no script that was added to it, and names itself as altered', async () => {
    const { verdict } = await verify(
      altered('verify.html', '</body>', '<script>document.title = "added";</script></body>'),
    );
    assert.match(verdict, /^NOT VALID, in verify\.html: the file is altered/);
    assert.equal(await page.title(), 'Verify evidence');
  });

  it('names the same event as audit verify after tampering, and shows it', async () => {
    const history = contents.get('history.ndjson') ?? '';
    const cases = {
      'an event': altered('history.ndjson', '"Acme', '"Evil'),
      'a removed event': new Map([...contents, ['history.ndjson', history.split('\n').toSpliced(5, 1).join('\n')]]),
      'a cut tail': new Map([...contents, ['history.ndjson', `${history.split('\n').slice(0, 9).join('\n')}\n`]]),
      'a seal': altered('seals.ndjson', '"count":11', '"count":12'),
      'the sample': altered('sample.csv', /(?<=\n.*\n)\d+,/, '99,'),
      'the manifest': altered('manifest.json', '"sealed_events": ', '"sealed_events": 1'),
      'the statement': altered('README.txt', 'None is left out', 'One is left out'),
    };
    for (const [what, folder] of Object.entries(cases)) {
      const found = await verify(folder);
      const [expected] = await verifyByCommand([found.folder], notary.publicKey);
      assert.ok(expected, what);
      assert.deepEqual(namedIn(found.verdict), expected, what);
      if (what === 'an event') await picture('verify-altered');
      if (expected.event > 0)
        assert.match(found.details, new RegExp(`Event ${expected.event} (in|is not in) history`), what);
    }
  });

  it('says that a mistyped key is not a key, and that nothing is proven without one', async () => {
    const typo = notary.publicKey.replace(/.(?=.{9}$)/, (character) => (character === 'x' ? 'y' : 'x'));
    for (const key of ['audpk_short', typo])
      assert.match((await verify(contents, key)).verdict, /^That is not a key\./);
    assert.match((await verify(contents, '')).verdict, /^NOT PROVEN: /);
  });

  it('uses no network', () => {
    assert.ok(requested.length > 0);
    for (const url of requested) assert.match(url, /^file:/);
  });
});
