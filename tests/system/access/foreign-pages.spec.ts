import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../../support/audit/chromium.js';
import { engines } from '../../support/engines/engines.js';
import { skip } from '../../support/run/skip.js';
import { jsonOf } from '../../support/service/command.js';
import { type Service, startService } from '../../support/service/service.js';

const [engine] = engines;

/** Sends a query from a page with the cookies of the browser. Returns the status; 0 if the page may not read it. */
const query = (url: string) =>
  fetch(`${url}/v1/admin/GetLimits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    credentials: 'include',
  }).then(
    ({ status }) => status,
    () => 0,
  );

/**
 * Sends a request as an HTML form does, which browsers allow on every page. Returns the type of the response that the
 * page may see.
 */
const querySimply = (url: string) =>
  fetch(`${url}/v1/admin/DeleteSession`, { method: 'POST', body: '{}', credentials: 'include', mode: 'no-cors' }).then(
    ({ type }) => type,
  );

describe('a session of the console in Chromium', () => {
  let [browser, service, foreign]: [Browser?, Service?, Server?] = [];
  let context: BrowserContext;
  const executablePath = findChromium();
  before(async function () {
    if (executablePath === null) return skip(this, 'Chromium is not installed');
    assert.ok(engine);
    service = await startService({ on: engine });
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--headless', '--disable-gpu'] });
    context = await browser.newContext();
    foreign = createServer((_, response) => response.end('<!doctype html><title>foreign</title>'));
    await new Promise<void>((resolve) => foreign?.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await browser?.close();
    foreign?.close();
    await service?.stop();
  });
  const consoleUrl = () => (service?.url ?? '').replace('127.0.0.1', 'localhost');
  const openPage = async (url: string) => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  /** Opens a session with the link of an operator, so that the browser itself takes the cookie of the answer. */
  const signInHere = async () => {
    assert.ok(service);
    const page = await openPage(`${consoleUrl()}/openapi.json`);
    const { link } = await jsonOf(service.home, ['console']);
    const body = JSON.stringify({ token: new URLSearchParams(new URL(link).hash.slice(1)).get('token') });
    const status = await page.evaluate(
      (sent) =>
        fetch('/console/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: sent }).then(
          (answer) => answer.status,
        ),
      body,
    );
    assert.equal(status, 200);
    return page;
  };

  it('works on http://localhost, and is hidden from scripts', async () => {
    const page = await signInHere();
    assert.equal(await page.evaluate(query, consoleUrl()), 200);
    assert.equal(
      await page.evaluate(() => (globalThis as unknown as { document: { cookie: string } }).document.cookie),
      '',
    );
  });

  for (const [name, host] of [
    ['another site', '127.0.0.1'],
    ['another port of the same host', 'localhost'],
  ])
    it(`can neither be used nor ended by a page of ${name}`, async () => {
      const own = await signInHere();
      const address = foreign?.address() as AddressInfo | undefined;
      const page = await openPage(`http://${host}:${address?.port}/`);
      assert.equal(await page.evaluate(query, consoleUrl()), 0);
      assert.equal(await page.evaluate(querySimply, consoleUrl()), 'opaque');
      assert.equal(await own.evaluate(query, consoleUrl()), 200);
    });
});
