import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { retryDelays } from '../../../domain/delivery.js';
import { freshDirectory } from '../../support/directories.js';
import { embedded } from '../../support/engines.js';
import { eventually } from '../../support/following.js';
import { freePort } from '../../support/free-port.js';
import { skip } from '../../support/skip.js';
import { describeInFull } from '../../support/tier.js';
import { openScene, type Scene } from '../../support/webhook-scene.js';
import { senderWith } from '../../support/webhook-sender.js';

const page = readFileSync('docs/webhooks.md', 'utf8');

/** The only code block in a language. */
const blockIn = (language: string) => {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))];
  assert.equal(found.length, 1, `code blocks in ${language}`);
  return found[0]?.[1] as string;
};
const sectionOf = (title: string) => new RegExp(`^## ${title}\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(page)?.[1] ?? '';

const unitMs: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 };

describe('docs/webhooks.md', () => {
  it('names the delays between attempts', () => {
    const rows = [...sectionOf('Attempts').matchAll(/^\| (\d) \| (\d+) (s|min|h) \|$/gm)];
    assert.deepEqual(
      rows.map(([, , count, unit = '']) => Number(count) * (unitMs[unit] ?? 0)),
      retryDelays,
    );
    assert.deepEqual(
      rows.map(([, failed]) => Number(failed)),
      retryDelays.map((_, i) => i + 1),
    );
    assert.match(sectionOf('Attempts'), new RegExp(`^\\| ${retryDelays.length + 1} \\| never`, 'm'));
  });

  it('names headers that are refused', async () => {
    const sender = senderWith();
    const names = [...(/^These are refused: (?:.+\n)+/m.exec(page)?.[0] ?? '').matchAll(/`([^`]+)`/g)];
    assert.ok(names.length > 10);
    for (const [, name = ''] of names)
      assert.equal(sender.checkHeader(name.replace('*', 'any'), 'x'), 'the name is reserved', name);
    await sender.close();
  });
});

const isMissing = (...command: [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status !== 0;
const noPython = isMissing('python3', '--version') ? 'python3 is not here' : null;
const noEd25519 = isMissing('python3', '-c', 'import cryptography.hazmat.primitives.asymmetric.ed25519')
  ? 'python3 has no package cryptography'
  : null;

type Sample = { readonly language: string; readonly file: string; readonly command: readonly string[] };
const samples: readonly (Sample & { readonly version: 'v1' | 'v1a'; readonly missing: string | null })[] = [
  { language: 'ts', file: 'receiver.mts', command: [process.execPath, '--import', 'tsx'] },
  { language: 'python', file: 'receiver.py', command: ['python3'] },
].flatMap((sample) => [
  { ...sample, version: 'v1', missing: sample.language === 'python' ? noPython : null },
  { ...sample, version: 'v1a', missing: sample.language === 'python' ? (noPython ?? noEd25519) : null },
]);

/** A receiver as a reader of the page would run it. */
const startSample = async ({ language, file, command }: Sample, env: Record<string, string>) => {
  const path = join(freshDirectory(), file);
  writeFileSync(path, blockIn(language));
  const [program = '', ...args] = [...command, path];
  const child = spawn(program, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += chunk));
  const gone = once(child, 'exit');
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => printed.push(line));
  await Promise.race([once(lines, 'line'), gone.then(() => assert.fail(complaints))]);
  return {
    greeting: printed[0],
    notices: () => printed.slice(1).map((line) => JSON.parse(line)),
    complaints: () => complaints,
    stop: async () => {
      kill();
      await gone;
      process.removeListener('exit', kill);
    },
  };
};

/** Names of everything in it, and of which kind. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]))
    : typeof value;

describeInFull('code in docs/webhooks.md', function () {
  this.timeout(60_000);
  let scene: Scene;
  before(async function () {
    const opened = await openScene(embedded);
    if (!opened) return skip(this, 'docs/webhooks.md (EDR is not there for this machine)');
    scene = opened;
  });
  after(() => scene?.close());

  for (const sample of samples)
    it(`receives and verifies ${sample.version} in ${sample.language}`, async function () {
      const { version, missing, language } = sample;
      if (missing) return skip(this, `${version} in ${language} in docs/webhooks.md: ${missing}`);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const { wallet_id, address } = await scene.newWallet();
      const webhook_id = await scene.register({ url }, 1, wallet_id);
      const { secret } = (await scene.api().getWebhook({ webhook_id })).webhook;
      const receiver = await startSample(sample, {
        PORT: String(port),
        ...(version === 'v1' ? { WEBHOOK_SECRET: secret } : { CHAINFOLD_URL: scene.processes.main().url }),
      });
      assert.equal(receiver.greeting, `listening on ${port}`);
      await scene.send(address, '70');
      const count = (delivery_count: number) =>
        eventually(async () => {
          const [history] = await scene.histories(webhook_id);
          const { webhook_status, delivery_count: counted } = history ?? assert.fail('no history');
          assert.deepEqual([webhook_status, counted], ['WEBHOOK_STATUS_COMPLETED', delivery_count]);
        });
      await count(1);
      const [notice] = receiver.notices();
      assert.equal(notice.data.transfer.value, '70');
      assert.deepEqual(shapeOf(notice), shapeOf(JSON.parse(blockIn('json'))));

      // The same once more is taken, and not acted upon.
      const { webhook_history_id } = notice;
      await scene.api().resendWebhook({ webhook_history_id });
      await count(2);
      assert.equal(receiver.notices().length, 1);

      const post = async (id: string, at: number, body: string, signer = new Webhook(secret)) => {
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at / 1000)),
          'webhook-signature': signer.sign(id, new Date(at), body),
        };
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      const forger = new Webhook(Buffer.from('somebody else, not the service').toString('base64'));
      assert.equal(await post('forged', Date.now(), '{}', forger), 401);
      assert.equal(await post('old', Date.now() - 600_000, '{}'), 401);
      assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
      // Whoever relies on the published key takes nothing else.
      assert.equal(await post('genuine', Date.now(), '{}'), version === 'v1' ? 204 : 401);
      assert.equal(receiver.complaints(), '');

      // One that breaks off, as when the service is killed, does no harm.
      const broken = connect(port, '127.0.0.1');
      broken.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{', () => broken.resetAndDestroy());
      await once(broken, 'close');
      await scene.send(address, '71');
      await eventually(async () => assert.equal(receiver.notices().at(-1)?.data?.transfer.value, '71'));
      await receiver.stop();
    });

  it('passes the strictest TypeScript', async () => {
    const path = join(freshDirectory(), 'checked.mts');
    writeFileSync(path, blockIn('ts'));
    const options = '--ignoreConfig --noEmit --strict --module nodenext --target es2023 --skipLibCheck --types node';
    const args = [...options.split(' '), '--typeRoots', resolve('node_modules/@types'), path];
    const compiler = resolve('node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [compiler, ...args]).catch(({ stdout }) => assert.fail(stdout));
  });
});
