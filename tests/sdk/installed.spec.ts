import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { embedded } from '../support/engines/engines.js';
import { freePort } from '../support/free-port.js';
import { freshDirectory } from '../support/run/directories.js';
import { skip } from '../support/run/skip.js';
import { describeInFull } from '../support/run/tier.js';
import { type Fault, type Sent, startFaultyProxy } from '../support/sdk/faulty-proxy.js';
import { type Language, languages } from '../support/sdk/installed.js';
import { clientOf, demoOf, type Service, startService } from '../support/service/service.js';

const scenario = resolve('sdk/scenario.json');
type Step = { readonly idempotency_key?: string };
const { steps } = JSON.parse(readFileSync(scenario, 'utf8')) as { steps: readonly Step[] };
const keys = new Set(steps.flatMap(({ idempotency_key }) => idempotency_key ?? []));

/** Faults of each operation, in the order of its requests in the scenario. */
const script: Readonly<Record<string, readonly Fault[]>> = {
  RegisterWallet: ['lost', 'none', 'none', 'none', 'lost'],
  BatchRegisterAddresses: ['proxyPage', 'conflict'],
  UpdateConfirmation: ['pending'],
  ListAddresses: ['none', 'cut'],
  ListTransfers: ['limited'],
  ListAssets: Array(4).fill('unavailable'),
  ListWebhooks: ['limitedLong'],
  GetLimits: ['half'],
};

describeInFull('the scenario of the SDKs', () => {
  let service: Service;
  const transcripts = new Map<string, unknown>();
  const requests = new Map<string, readonly Sent[]>();
  before(async () => {
    service = await startService({ on: embedded });
  });
  after(() => service.stop());

  for (const language of languages)
    it(`passes in ${language.name}, installed from a packed artifact`, async function () {
      if (language.missing) return skip(this, `SDK in ${language.name}: ${language.missing}`);
      const project = await language.install();
      const proxy = await startFaultyProxy(service.url, script, keys);
      const transcript = join(freshDirectory(), 'transcript.json');
      const { key, secret } = demoOf(service.home);
      await language
        .runScenario(project, {
          CHAINFOLD_URL: proxy.url,
          CHAINFOLD_API_KEY: key,
          CHAINFOLD_API_SECRET: secret,
          CHAINFOLD_SCENARIO: scenario,
          CHAINFOLD_TRANSCRIPT: transcript,
        })
        .finally(proxy.close);
      assert.equal(new Set(proxy.nonces).size, proxy.nonces.length, 'each attempt is signed anew');
      transcripts.set(language.name, JSON.parse(readFileSync(transcript, 'utf8')));
      requests.set(language.name, proxy.sent);
    });

  it('sends each fault of the script', () => {
    for (const sent of requests.values())
      assert.deepEqual(
        Object.fromEntries(
          Object.keys(script).map((operation) => [
            operation,
            sent.filter((one) => one.operation === operation && one.fault !== 'none').map(({ fault }) => fault),
          ]),
        ),
        Object.fromEntries(
          Object.entries(script).map(([operation, all]) => [operation, all.filter((one) => one !== 'none')]),
        ),
      );
  });

  it('gives the same ids, answers and errors in every language', () => {
    const [first, ...others] = transcripts.values();
    for (const other of others) assert.deepEqual(other, first);
  });

  it('causes the same requests, retries and idempotency keys in every language', () => {
    const [first = [], ...others] = requests.values();
    assert.deepEqual(
      first.filter(({ hasMinPosition }) => hasMinPosition).map(({ operation }) => operation),
      ['GetWallet'],
    );
    for (const other of others) assert.deepEqual(other, first);
  });

  it('registers a wallet once although the answer was lost and the caller gave no key', async () => {
    const { wallets } = await clientOf(service).c.listWallets({ page_size: 100 });
    assert.equal(wallets.filter(({ name }) => name === 'once').length, requests.size);
    assert.equal(wallets.filter(({ name }) => name === 'scenario').length, 1);
  });
});

const root = resolve('.');
const pageOf = ({ name }: Language) => readFileSync(`docs/sdk/${name.toLowerCase()}.md`, 'utf8');
const blocksIn = (page: string, language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
const blockLanguage: Readonly<Record<string, string>> = { TypeScript: 'ts', Python: 'python', Go: 'go' };
/** First funded account of the development chain. */
const privateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** Writes stand-ins for programs of npm, because an empty project has no packages but the SDK. */
const toolsDirectory = () => {
  const tools = freshDirectory();
  const commands = `chainfold) exec node ${root}/bin/chainfold.js "$@";; tsx) exec node --import ${root}/node_modules/tsx/dist/loader.mjs "$@";;`;
  writeFileSync(join(tools, 'npx'), `#!/bin/sh\nname="$1"; shift\ncase "$name" in ${commands} esac\n`, { mode: 0o755 });
  return tools;
};
const signer = () =>
  (blocksIn(readFileSync('docs/transactions.md', 'utf8'), 'ts')[0] ?? '').replace(
    "'ethers'",
    `'${root}/node_modules/ethers/lib.esm/index.js'`,
  );

type Place = { readonly cwd: string; readonly env: Record<string, string | undefined> };

/**
 * Runs the program of a page, and the page's last shell command as soon as the program listens. Returns the printed
 * lines.
 */
const runSteps = async ([program, ...args]: readonly [string, ...string[]], deposit: string, place: Place) => {
  const child = spawn(program, args, place);
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += chunk));
  const ended = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === 'listening') await promisify(execFile)('sh', ['-c', deposit], { env: place.env });
  }
  const [code] = await ended;
  assert.equal(code, 0, `${complaints}\n${lines.join('\n')}`);
  return lines;
};

describeInFull('the pages of the SDKs', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({
      on: embedded,
      env: { CHAIN_C_URL: '', CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true', CHAINFOLD_DEV_BLOCK_MS: '200' },
    });
  });
  afterEach(() => service.stop());

  for (const language of languages)
    it(`lead to a verified webhook, a payment and a proof in ${language.name}, as pasted`, async function () {
      if (language.missing) return skip(this, `docs/sdk in ${language.name}: ${language.missing}`);
      const { directory, environment } = await language.install();
      const page = pageOf(language);
      const { file, command } = language.program;
      // Puts the program into a folder of its own: in Go, all files of a folder form one package, and `directory`
      // already contains the test of the scenario.
      const cwd = join(directory, 'steps');
      mkdirSync(cwd);
      writeFileSync(join(cwd, file), blocksIn(page, blockLanguage[language.name] ?? '').join('\n'));
      writeFileSync(join(cwd, 'sign.mts'), signer());
      const { key, secret } = demoOf(service.home);
      const env = {
        ...environment,
        PATH: `${toolsDirectory()}${delimiter}${process.env.PATH}`,
        PORT: String(await freePort()),
        CHAINFOLD_URL: service.url,
        CHAINFOLD_PORT: new URL(service.url).port,
        CHAINFOLD_DATA_DIR: service.home.directory,
        CHAINFOLD_API_KEY: key,
        CHAINFOLD_API_SECRET: secret,
        PRIVATE_KEY: privateKey,
      };
      const lines = await runSteps(command, blocksIn(page, 'sh').at(-1) ?? '', { cwd, env });
      const steps = lines.map((line) => line.split(' ')[0]);
      assert.deepEqual(
        [...new Set(steps)],
        ['registered', 'watching', 'listening', 'received', 'pulled', 'sent', 'event', 'proven'],
        lines.join('\n'),
      );
      assert.match(lines.find((line) => line.startsWith('received')) ?? '', /1000000/);
    });
});
