import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { sharedKeyEnds } from '../../../application/webhooks/shared-key.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { openScene, type Scene } from '../../support/scenes/webhook-scene.js';
import { demoOf } from '../../support/service/service.js';
import { blockIn, samples, startSample } from '../../support/webhooks/doc-receivers.js';

describe('docs/webhooks.md', () => {
  it('names the end date of the shared key, as the specification and docs/security.md do', () => {
    const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
    const end = new Intl.DateTimeFormat('en-GB', options).format(sharedKeyEnds);
    for (const name of ['webhooks', 'specification', 'security'])
      assert.ok(readFileSync(`docs/${name}.md`, 'utf8').replaceAll('\n', ' ').includes(end), `${name}: ${end}`);
  });
});

/** Replaces every value with its type, so that two notifications can be compared by their members. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]))
    : typeof value;

describeInFull('code in docs/webhooks.md', () => {
  let scene: Scene;
  before(async function () {
    const opened = await openScene(embedded);
    if (!opened) return skip(this, 'docs/webhooks.md (EDR is not there for this machine)');
    scene = opened;
  });
  after(() => scene?.close());

  for (const sample of samples)
    it(`receives and verifies ${sample.version} signatures in ${sample.language}`, async function () {
      const { version, missing, language } = sample;
      if (missing) return skip(this, `${version} in ${language} in docs/webhooks.md: ${missing}`);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const { wallet_id, address } = await scene.newWallet();
      const webhook_id = await scene.register({ url }, 1, wallet_id);
      const { secret, public_key } = (await scene.api().getWebhook({ webhook_id })).webhook;
      const { organizationId: organization_id } = demoOf(scene.processes.home);
      const receiver = await startSample(sample, port, {
        WEBHOOK_ID: webhook_id,
        ORGANIZATION_ID: organization_id,
        ...(version === 'v1' ? { WEBHOOK_SECRET: secret } : { WEBHOOK_PUBLIC_KEY: public_key }),
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

      // A repeated notification gets a success response, and is not printed again.
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
      // A receiver with the public key rejects the secret's signature, and each receiver rejects messages for others.
      const ours = JSON.stringify({ webhook_id, organization_id });
      assert.equal(await post('genuine', Date.now(), ours), version === 'v1' ? 204 : 401);
      for (const other of [{ webhook_id: 'whk_other' }, { organization_id: 'org_other' }, {}])
        assert.equal(await post('other', Date.now(), JSON.stringify({ webhook_id, ...other })), 401);
      assert.equal(receiver.complaints(), '');

      // A request that is cut off, as when the service is killed, does no harm.
      const broken = connect(port, '127.0.0.1');
      broken.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{', () => broken.resetAndDestroy());
      await once(broken, 'close');
      await scene.send(address, '71');
      await eventually(async () => assert.equal(receiver.notices().at(-1)?.data?.transfer.value, '71'));
      await receiver.stop();
    });

  it('compiles under strict TypeScript', async () => {
    const path = join(freshDirectory(), 'checked.mts');
    writeFileSync(path, blockIn('ts'));
    const options = '--ignoreConfig --noEmit --strict --module nodenext --target es2023 --skipLibCheck --types node';
    const args = [...options.split(' '), '--typeRoots', resolve('node_modules/@types'), path];
    const compiler = resolve('node_modules/.bin/tsc');
    await promisify(execFile)(process.execPath, [compiler, ...args]).catch(({ stdout }) => assert.fail(stdout));
  });
});
