import assert from 'node:assert/strict';
import { variants } from '../../../domain/variant.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

for (const engine of engines)
  describe(`the isolation of organizations on ${engine.name}`, () => {
    let service: Service;
    let ours: Credentials;
    let theirs: Credentials;
    before(async () => {
      service = await startService({ on: engine });
      ours = demoOf(service.home);
      theirs = await newOrganization(service.home, 'theirs');
    });
    after(() => service.stop());

    for (const variant of variants.filter((one) => one.surface === 'wallet')) {
      const api = variant.segment;
      it(`lets two organizations track one address of ${api}, and lists to each only its own data`, async () => {
        const { addressExample: address } = variant;
        const [our, their] = [clientOf(service)[api], clientOf(service, theirs)[api]];
        const { wallet_id } = await their.registerWallet({ name: 'theirs', address });
        await their.registerWebhook({ webhook_endpoint: 'https://example.com/theirs', confirmation: 1 });
        await their.registerWebhookHeader({ header_key: 'x-theirs', header_value: 'theirs' });
        const { wallets } = await our.listWallets({ page_size: 100 });
        assert.ok(wallets.every((one) => one.wallet_id !== wallet_id));
        assert.deepEqual((await our.listWebhooks({})).webhooks, []);
        assert.deepEqual((await our.listWebhookHeaders({})).webhook_headers, []);
        assert.equal((await call(service.url, ours, `/v1/${api}/GetWallet`, { address })).status, 404);
        const { wallet_id: registered } = await our.registerWallet({ name: 'ours', address });
        assert.equal((await our.getWallet({ address })).wallet.wallet_id, registered);
        assert.equal((await their.getWallet({ address })).wallet.wallet_id, wallet_id);
        await our.removeAddress({ wallet_id: registered, address });
        assert.equal((await their.getWallet({ wallet_id })).wallet.addresses.length, 1);
      });
    }

    it("rejects page tokens of another organization's list", async () => {
      for (const name of ['a', 'b']) await clientOf(service, theirs).c.registerWallet({ name });
      for (const name of ['a', 'b']) await clientOf(service).c.registerWallet({ name });
      const { pagination } = await clientOf(service, theirs).c.listWallets({ page_size: 1 });
      const request = { page_size: 1, page_token: pagination.next_page_token };
      const answer = await call(service.url, ours, '/v1/c/ListWallets', request);
      assert.equal(answer.status, 400);
      assert.equal(problemIn(answer).code, 'INVALID_ARGUMENT');
      assert.equal((await call(service.url, theirs, '/v1/c/ListWallets', request)).status, 200);
    });

    it('scopes idempotency keys to the credential', async () => {
      const same = { 'idempotency-key': 'same' };
      const one = await clientOf(service).c.registerWallet({ name: 'same' }, same);
      const two = await clientOf(service, theirs).c.registerWallet({ name: 'same' }, same);
      assert.notEqual(one.wallet_id, two.wallet_id);
    });
  });
