import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { findChromium } from '../audit/chromium.js';
import { embedded } from '../engines/engines.js';
import { until } from '../eventually.js';
import { skip } from '../run/skip.js';
import type { Client } from '../service/client.js';
import { clientOf, demoOf, type Service, startService } from '../service/service.js';
import { silent } from '../silent.js';

/** Text that would run a script in the page or change the page if it were inserted as HTML. */
export const markup = '<img src=x onerror="document.title=1"><b>x</b>';

type Axe = { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };

/** Widths in pixels and colour schemes in which every page is checked. */
export const readings = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 400, colorScheme: 'light' },
  { width: 400, colorScheme: 'dark' },
] as const;

/** Starts a webhook receiver that answers with markup. */
const startReceiver = async (): Promise<{ server: Server; url: string }> => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(500).end(markup);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
};

/**
 * Pays the wallet on the development chain and waits until the service lists the transfer. Does nothing without a
 * chain.
 */
const payWallet = async (api: Client, chain: DevelopmentChain | null, wallet_id: string, to: string) => {
  if (!chain) return;
  await chain.request('dev_transfer', [{ to, value: '1500' }]);
  await until('the transfer was seen', async () => (await api.c.listTransfers({ wallet_id })).transfers.length > 0);
};

/**
 * Registers a wallet whose name is markup, pays it, and sends a test webhook that the receiver rejects with markup.
 */
const fillScene = async (api: Client, receiver: string, chain: DevelopmentChain | null) => {
  await api.c.registerWallet({ name: 'treasury' });
  const { wallet_id } = await api.c.registerWallet({ name: markup, confirmation: 1 });
  const address = '0x00000000000000000000000000000000000000aa';
  await api.c.registerAddress({ wallet_id, address });
  await payWallet(api, chain, wallet_id, address);
  const { webhook_id } = await api.c.registerWebhook({ webhook_endpoint: receiver, confirmation: 1 });
  await api.c.registerWebhookHeader({ webhook_id, header_key: 'x-markup', header_value: '<i>of a header</i>' });
  const { webhook_history_id } = await api.c.sendTestWebhook({ webhook_id });
  await until('the test was attempted', async () => {
    const { webhook_attempts } = await api.c.listWebhookAttempts({ webhook_history_id });
    return webhook_attempts.length > 0;
  });
  return { walletId: wallet_id, address, webhookId: webhook_id, webhookHistoryId: webhook_history_id };
};

export type Console = {
  readonly service: Service;
  /** Origin at which readers open the pages. */
  readonly origin: string;
  readonly credentials: Credentials;
  readonly client: Client;
  /** Chain of API c, which makes blocks on request; null where the chain cannot run. */
  readonly chain: DevelopmentChain | null;
  readonly scene: Awaited<ReturnType<typeof fillScene>>;
  /** Opens a page as a new reader, who is not signed in, and adds the violations of the page to `reports`. */
  open(path: string, options?: { width?: number; colorScheme?: 'light' | 'dark' }): Promise<Page>;
  /** Signs in with the keyboard alone. */
  signIn(page: Page): Promise<void>;
  /** Opens a page as a reader who has signed in. */
  openSignedIn(path: string, options?: { width?: number; colorScheme?: 'light' | 'dark' }): Promise<Page>;
  /** Violations of the content security policy, script errors and requests to other origins, of all pages so far. */
  readonly reports: readonly string[];
};

/**
 * Adds to `reports` each policy violation, script error and request to another origin that a reader's pages cause.
 */
const watch = async (context: BrowserContext, origin: string, reports: string[]) => {
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))",
  );
  context.on('console', (message) => {
    // Ignores the error that the browser logs for every rejected request, because tests cause rejections on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      reports.push(message.text());
  });
  context.on('weberror', (error) => reports.push(String(error.error())));
  context.on('request', (request) => {
    const { origin: target, protocol } = new URL(request.url());
    if (target !== origin && protocol !== 'blob:') reports.push(`request to ${request.url()}`);
  });
};

/** Starts one service with test data, and one browser, for all specs of a file. */
export const useConsole = (): (() => Console) => {
  let browser: Browser | undefined;
  let service: Service | undefined;
  let receiver: Server | undefined;
  let chain: DevelopmentChain | null = null;
  let opened: Console;
  before(async function () {
    const executablePath = findChromium();
    if (executablePath === null) return skip(this, 'Chromium is not here; CHAINFOLD_TEST_CHROMIUM names its program');
    const { server, url: receiverUrl } = await startReceiver();
    receiver = server;
    chain = await startDevelopmentEvm({ blockMs: 3_600_000, log: silent });
    const env = {
      CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
      ...(chain && { CHAIN_C_URL: `${chain.wsUrl},${chain.url}` }),
    };
    service = await startService({ on: embedded, env });
    const [client, credentials] = [clientOf(service), demoOf(service.home)];
    const scene = await fillScene(client, receiverUrl, chain);
    const launched = await chromium.launch({ executablePath, args: ['--no-sandbox', '--headless', '--disable-gpu'] });
    browser = launched;
    const origin = service.url.replace('127.0.0.1', 'localhost');
    const reports: string[] = [];
    const open: Console['open'] = async (path, { width = 1280, colorScheme = 'light' } = {}) => {
      const context = await launched.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: false });
      await watch(context, origin, reports);
      const page = await context.newPage();
      await page.goto(`${origin}${path}`);
      return page;
    };
    const signIn: Console['signIn'] = async (page) => {
      // The API page is readable without a session. This page shows a button that opens the sign-in form, which other
      // pages show at once.
      if (page.url().includes('/console/api')) await page.getByRole('button', { name: 'Sign in' }).press('Enter');
      await page.getByLabel('api_key').focus();
      await page.keyboard.insertText(credentials.key);
      await page.keyboard.press('Tab');
      await page.keyboard.insertText(credentials.secret);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
    };
    const openSignedIn: Console['openSignedIn'] = async (path, options) => {
      const page = await open(path, options);
      await signIn(page);
      return page;
    };
    opened = { service, origin, credentials, client, chain, scene, open, signIn, openSignedIn, reports };
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    receiver?.close();
    await chain?.close();
  });
  return () => opened;
};

/**
 * Lists the serious and critical accessibility violations of a page. axe-core is evaluated through the debugger, to
 * which the content security policy of the page does not apply.
 */
export const violationsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

/** Asserts that nothing is wider than the screen, so that no reader has to scroll sideways. */
export const assertFits = async (page: Page): Promise<void> => {
  const [content, screen] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = (
      globalThis as unknown as { document: { documentElement: Record<string, number> } }
    ).document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  assert.ok(Number(content) <= Number(screen), `${content} px in ${screen} px at ${page.url()}`);
};
