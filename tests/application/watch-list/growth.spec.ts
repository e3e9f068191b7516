import assert from 'node:assert/strict';
import { createImportedTokens } from '../../../application/watch-list/imported-tokens.js';
import { createWebhookListeners } from '../../../application/watch-list/webhook-listeners.js';
import { countScans } from '../../support/array-scans.js';

const many = 5000;

describe('a large watch list', () => {
  it("forgets the imports of an address without visiting other addresses' tokens", async () => {
    const imports = createImportedTokens(1);
    const asset = (n: number) => ({ standard: 'token', contract: `0xc${n}` }) as const;
    for (let n = 0; n < many; n++) imports.add(1, { owner: `0x${n}`, asset: asset(n) }, undefined);
    imports.add(2, { owner: '0x7', asset: asset(7) }, undefined);
    const scanned = await countScans(() => imports.remove('0x7', 1));
    assert.ok(scanned < 50, `${scanned} elements were passed over`);
    assert.deepEqual([imports.isImported('0xc7', '0x7', 1), imports.isImported('0xc7', '0x7', 2)], [false, true]);
    imports.remove('0x7', 2);
    assert.equal(imports.isImported('0xc7', '0x7', 2), false);
  });

  it('lists the webhooks of a wallet without visiting those of other wallets', async () => {
    const listeners = createWebhookListeners();
    const listen = (walletId: string, webhookId: string, confirmation = 1) =>
      listeners.add('org_a', { webhookId, walletId, confirmation });
    for (let n = 0; n < many; n++) listen(`wal_${n}`, `whk_${n}`);
    listen('', 'whk_all');
    const found = () => listeners.of({ organizationId: 'org_a', walletId: 'wal_7' });
    const scanned = await countScans(found);
    assert.ok(scanned < 50, `${scanned} elements were passed over`);
    const ids = () => found().map(({ webhookId, confirmation }) => `${webhookId} ${confirmation}`);
    assert.deepEqual(ids(), ['whk_all 1', 'whk_7 1']);
    listen('wal_7', 'whk_7', 5);
    assert.deepEqual(ids(), ['whk_all 1', 'whk_7 5']);
    for (const webhookId of ['whk_7', 'whk_all']) listeners.remove('org_a', webhookId);
    assert.deepEqual(ids(), []);
  });
});
