import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorData } from '../../../application/audit/log/anchor.js';
import type { HeadRecord } from '../../../application/audit/log/head-record.js';
import { leafHash, nodeHash } from '../../../domain/merkle.js';
import { isConsistent, isIncluded } from '../../../domain/merkle-proof.js';
import { sha256 } from '../../../infrastructure/system.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { runCommand } from '../../support/service/command.js';
import { call } from '../../support/service/http.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const node = (left: string, right: string) => nodeHash(left, right, sha256);
/** Number of unsealed events at which the service seals a history without waiting for an hour. */
const enough = 1000;
const addresses = Array.from({ length: enough }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);

describe('the witnesses of a running service', () => {
  const witnessFile = join(freshDirectory(), 'heads.ndjson');
  let service: Service;
  let tenant: Awaited<ReturnType<typeof newOrganization>>;
  let head: HeadRecord;
  before(async () => {
    service = await startService({ on: embedded, env: { CHAINFOLD_WITNESS_FILE: witnessFile } });
    tenant = await newOrganization(service.home, 'witnessed');
    const { c } = clientOf(service, tenant);
    const { wallet_id } = await c.registerWallet({ name: 'one' });
    await c.batchRegisterAddresses({ wallet_id, addresses });
    head = await eventually(async () => {
      const page = (await (await fetch(new URL('/.well-known/audit-log', service.url))).json()) as HeadRecord;
      assert.ok(page.size > 0, JSON.stringify(page));
      return page;
    });
  });
  after(() => service.stop());

  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(service.home, ['audit', 'verify', ...args, '--json']);
    assert.ok(stdout, stderr);
    return { code, ...JSON.parse(stdout.trim().split('\n').at(-1) ?? '') };
  };
  const fileWith = (...lines: readonly string[]) => {
    const path = join(freshDirectory(), 'seen');
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    return path;
  };

  it('receive a line for each head, which audit verify checks against the store and over HTTP', async () => {
    await eventually(async () => assert.ok(existsSync(witnessFile) && readFileSync(witnessFile, 'utf8') !== ''));
    const answer = await verify('--witness', witnessFile, fileWith(JSON.stringify(head, null, 2)));
    assert.deepEqual([answer.code, answer.valid, answer.witnesses], [0, true, 2]);
    const keys = (await (await fetch(new URL('/.well-known/audit-keys', service.url))).json()) as {
      keys: { public_key: string }[];
    };
    const over = ['--url', service.url, '--key', keys.keys[0]?.public_key ?? ''];
    assert.equal((await verify('--witness', witnessFile, ...over)).code, 0);
  });

  it('make audit verify exit with 1 when the log does not continue a head, and with 2 when they have none', async () => {
    const forged = fileWith(JSON.stringify({ ...head, root: sha256('forged') }));
    const unsigned = await verify('--witness', forged);
    assert.deepEqual([unsigned.code, unsigned.first.file], [1, forged]);
    assert.match(unsigned.first.reason, /not signed/);
    const anchored = fileWith(anchorData({ ...head, keyId: '', size: 1_000_000 }));
    const ahead = await verify('--witness', witnessFile, anchored, '--organization', 'witnessed');
    assert.deepEqual([ahead.code, ahead.first.size], [1, 1_000_000]);
    assert.match(ahead.first.reason, /taken back/);
    assert.deepEqual((await verify('--witness', fileWith('nothing'))).code, 2);
  });

  it('can verify that an event is included in the head, with a proof for callers that may read the event', async () => {
    const { admin } = clientOf(service, tenant);
    const { events } = await admin.listEvents({ as_of: 1_000_000, page_size: 100 });
    const { event_id, position } = events.at(-1) ?? assert.fail('there is no event');
    const proof = await admin.getInclusionProof({ event_id, position });
    const { leaf, leaf_index: index, inclusion_path: path, seal } = proof;
    const { size, root } = proof.head;
    assert.ok(isIncluded({ index, size, leaf: leafHash(leaf, sha256), path, root }, node));
    assert.equal(JSON.parse(leaf).hash, seal.hash);
    assert.ok(proof.event.number <= seal.count);
    const operator = clientOf(service);
    const { organization_id } = await operator.admin.createOrganization({ name: 'stranger', domain: 'stranger' });
    const { api_key: key, api_secret: secret } = await operator.admin.createCredential({ organization_id });
    for (const asked of [
      { event_id, position },
      { event_id, organization_id: tenant.organizationId },
    ])
      assert.equal((await call(service.url, { key, secret }, '/v1/admin/GetInclusionProof', asked)).status, 404);
    const { from, to, consistency_path } = await admin.getConsistencyProof({ from: 1 });
    assert.ok(isConsistent(from, to, consistency_path, node));
  });
});
