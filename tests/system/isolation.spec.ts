import assert from 'node:assert/strict';
import { endpoints } from '../../interfaces/operations/index.js';
import type { Credentials } from '../../interfaces/signature.js';
import { engines } from '../support/engines.js';
import { type Answer, call, problemIn } from '../support/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../support/service.js';

for (const engine of engines)
  describe(`isolation of organizations, on ${engine.name}`, () => {
    let service: Service;
    let ours: Credentials;
    let theirs: Credentials;
    before(async () => {
      service = await startService({ on: engine });
      ours = demoOf(service.home);
      theirs = await newOrganization(service.home, 'theirs');
    });
    after(() => service.stop());

    /** What an answer tells, without what differs from request to request. */
    const told = ({ status, body }: Answer) => JSON.stringify({ status, ...body, request_id: '' });

    for (const { path, operation, variant, example } of endpoints) {
      if (variant.surface !== 'wallet') continue;
      const api = variant.segment;
      it(`${path} treats another organization's ids as absent`, async () => {
        const { addressExample: address } = variant;
        const { wallet_id } = await clientOf(service, theirs)[api].registerWallet({ name: 'theirs' });
        await clientOf(service, theirs)[api].registerAddress({ wallet_id, address });
        const absent = `${wallet_id.slice(0, -4)}0000`;
        const ask = (id: string) => {
          const request = { ...example, ...('wallet_id' in example && { wallet_id: id }) };
          return call(service.url, ours, path, request);
        };
        if ('wallet_id' in example) {
          const [foreign, none] = [await ask(wallet_id), await ask(absent)];
          assert.equal(foreign.status, 404);
          assert.equal(told(foreign).replaceAll(wallet_id, absent), told(none));
        } else if (operation.name === 'ListWallets') {
          const { wallets } = (await ask('')).body as { wallets: { wallet_id: string }[] };
          assert.ok(wallets.every((one) => one.wallet_id !== wallet_id));
        } else if (operation.kind === 'query') assert.equal((await ask('')).status, 404);
        else {
          // An address that another organization tracks is free for us.
          const { wallet_id: registered } = (await ask('')).body as { wallet_id: string };
          await clientOf(service)[api].removeAddress({ wallet_id: registered, address });
        }
        const { wallet } = await clientOf(service, theirs)[api].getWallet({ wallet_id });
        assert.equal(wallet.addresses.length, 1);
        await clientOf(service, theirs)[api].removeAddress({ wallet_id, address });
      });
    }

    it("refuses another organization's page tokens", async () => {
      for (const name of ['a', 'b']) await clientOf(service, theirs).c.registerWallet({ name });
      for (const name of ['a', 'b']) await clientOf(service).c.registerWallet({ name });
      const { pagination } = await clientOf(service, theirs).c.listWallets({ page_size: 1 });
      const request = { page_size: 1, page_token: pagination.next_page_token };
      const answer = await call(service.url, ours, '/v1/c/ListWallets', request);
      assert.equal(answer.status, 400);
      assert.equal(problemIn(answer).code, 'INVALID_ARGUMENT');
      assert.equal((await call(service.url, theirs, '/v1/c/ListWallets', request)).status, 200);
    });

    it('keeps idempotency keys of credentials apart', async () => {
      const same = { 'idempotency-key': 'same' };
      const one = await clientOf(service).c.registerWallet({ name: 'same' }, same);
      const two = await clientOf(service, theirs).c.registerWallet({ name: 'same' }, same);
      assert.notEqual(one.wallet_id, two.wallet_id);
    });
  });
