import assert from 'node:assert/strict';
import { Wallet } from 'ethers';
import type { Client } from '../../interfaces/client.js';
import { engines } from '../support/engines.js';
import { eventually } from '../support/following.js';
import { openPayments, type Payments, receiver } from '../support/payments.js';
import { clientOf } from '../support/service.js';
import { skip } from '../support/skip.js';
import { sized } from '../support/tier.js';
import { startReceiver } from '../support/webhook-receiver.js';

/** Every other one comes after the answer. */
const kills = sized(2, 4);

type Told = { data: { wallet_id: string; address: string; state: string; transaction?: { transaction_id: string } } };

for (const engine of engines)
  describe(`managed transactions through faults, on ${engine.name}`, function () {
    this.timeout(120_000);
    let scene: Payments;
    before(async function () {
      const opened = await openPayments(engine, { CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' });
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
    });
    after(() => scene?.close());

    it('exist once on the chain, whenever the service is killed', async () => {
      const to = receiver();
      const made: string[] = [];
      for (let i = 0; i < kills; i++) {
        const { transaction_id } = await scene.create({ to, value: '1' });
        await scene.sign(transaction_id);
        made.push(transaction_id);
        const sending = scene.api.sendTransaction({ transaction_id }).catch(() => undefined);
        if (i % 2 === 0) await sending;
        await scene.killAndRestart();
        await sending;
        // Whether or not the killed one had recorded it, and whether or not it got to a node.
        await scene.api.sendTransaction({ transaction_id });
      }
      await eventually(async () => {
        await scene.mine();
        for (const one of made) assert.equal(await scene.stateOf(one), 'CONFIRMED');
      }, 60_000);
      assert.equal(await scene.balanceOf(to), BigInt(kills));
    });

    it('are told of to webhooks, state by state', async () => {
      const told = await startReceiver();
      try {
        const { wallet_id, api } = scene;
        await api.registerWebhook({ wallet_id, webhook_endpoint: told.url, confirmation: 1 });
        const { transaction_id } = await scene.createSent();
        await scene.mine();
        await scene.becomes(transaction_id, 'MINED');
        await scene.mine();
        await scene.becomes(transaction_id, 'CONFIRMED');
        const states = () =>
          told.attempts
            .map(({ body }) => JSON.parse(body) as Told)
            .filter(({ data }) => data.transaction?.transaction_id === transaction_id)
            .map(({ data }) => data.state.replace('TRANSACTION_STATE_', ''));
        await eventually(async () => assert.deepEqual(new Set(states()), new Set(['SENT', 'MINED', 'CONFIRMED'])));
        assert.equal(states().length, 3);
      } finally {
        await told.close();
      }
    });

    it('never share a nonce, whichever process makes them and whatever is canceled meanwhile', async () => {
      const each = engine.name.includes('embedded') ? 100 : 10;
      const other = await scene.another('api');
      try {
        const apis = [scene.api, clientOf(other).c];
        const senders = Array.from({ length: 10 }, () => Wallet.createRandom().address.toLowerCase());
        const { wallet_id } = await scene.api.registerWallet({ name: 'many' });
        await scene.api.batchRegisterAddresses({ wallet_id, addresses: senders });
        const work = senders.flatMap((from) => Array.from({ length: each }, (_, i) => ({ from, i })));
        const makeOne = async ({ from, i }: (typeof work)[number]) => {
          const api = apis[i % 2] as Client['c'];
          const given = { wallet_id, from, to: from, value: '0', gas: '21000', gas_price: '1' };
          const { transaction } = await api.createTransaction(given);
          if (Math.random() < 0.2) await api.cancelTransaction({ transaction_id: transaction.transaction_id });
        };
        const waiting = [...work].sort((a, b) => a.i - b.i);
        const worker = async () => {
          for (let one = waiting.shift(); one; one = waiting.shift()) await makeOne(one);
        };
        await Promise.all(Array.from({ length: 64 }, worker));
        for (const from of senders) await assertContiguous(wallet_id, from, each);
      } finally {
        await other.stop();
      }
    });

    const assertContiguous = async (wallet_id: string, address: string, each: number) => {
      const found: { nonce: string; transaction_state: string; transaction_id: string }[] = [];
      let page_token = '';
      do {
        const page = await scene.api.listTransactions({ wallet_id, address, page_size: 100, page_token });
        found.push(...page.transactions);
        page_token = page.pagination.next_page_token;
      } while (page_token !== '');
      assert.equal(found.length, each);
      const isLive = ({ transaction_state }: (typeof found)[number]) => transaction_state.endsWith('CREATED');
      const held = found.filter(isLive).map(({ nonce }) => Number(nonce));
      assert.equal(new Set(held).size, held.length, 'a nonce is held twice');
      // What is still free was canceled after the last creation: filling it leaves no gap.
      const used = new Set(found.map(({ nonce }) => Number(nonce)));
      assert.deepEqual(
        [...used].toSorted((a, b) => a - b),
        [...used].map((_, i) => i),
      );
      for (let gap = 0; gap < used.size; gap++) {
        if (held.includes(gap)) continue;
        const given = { wallet_id, from: address, to: address, value: '0', gas: '21000', gas_price: '1' };
        const { transaction } = await scene.api.createTransaction(given);
        assert.equal(Number(transaction.nonce), gap);
        held.push(gap);
      }
    };
  });
