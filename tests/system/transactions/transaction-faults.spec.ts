import assert from 'node:assert/strict';
import { Wallet } from 'ethers';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { createRandom } from '../../support/random.js';
import { seed } from '../../support/run/seed.js';
import { skip } from '../../support/run/skip.js';
import { sized } from '../../support/run/tier.js';
import { openPayments, type Payments, receiver } from '../../support/scenes/payments.js';
import type { Client } from '../../support/service/client.js';
import { clientOf } from '../../support/service/service.js';
import { startReceiver } from '../../support/webhooks/webhook-receiver.js';

/** Number of kills; every other one comes after the answer to SendTransaction. */
const kills = sized(2, 4);

type Notice = { data: { wallet_id: string; address: string; state: string; transaction?: { transaction_id: string } } };

const reportedStates = ({ attempts }: Awaited<ReturnType<typeof startReceiver>>, transactionId: string) =>
  attempts
    .map(({ body }) => JSON.parse(body) as Notice)
    .filter(({ data }) => data.transaction?.transaction_id === transactionId)
    .map(({ data }) => data.state.replace('TRANSACTION_STATE_', ''));

for (const engine of engines)
  describe(`managed transactions under faults on ${engine.name}`, () => {
    let scene: Payments;
    before(async function () {
      const opened = await openPayments(engine, { CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' });
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
    });
    after(() => scene?.close());

    it('exist exactly once on the chain, whenever the service is killed', async () => {
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
        // Sending again must succeed whether or not the killed service had recorded or broadcast the transaction.
        await scene.api.sendTransaction({ transaction_id });
      }
      await eventually(async () => {
        await scene.mine();
        for (const one of made) assert.equal(await scene.stateOf(one), 'CONFIRMED');
      });
      assert.equal(await scene.balanceOf(to), BigInt(kills));
    });

    it('are reported to webhooks in each state', async () => {
      const receiver = await startReceiver();
      try {
        const { wallet_id, api } = scene;
        await api.registerWebhook({ wallet_id, webhook_endpoint: receiver.url, confirmation: 1 });
        const { transaction_id } = await scene.createSent();
        await scene.mine();
        await scene.becomes(transaction_id, 'MINED');
        await scene.mine();
        await scene.becomes(transaction_id, 'CONFIRMED');
        const states = () => reportedStates(receiver, transaction_id).sort();
        await eventually(async () => assert.deepEqual(states(), ['CONFIRMED', 'MINED', 'SENT']));
      } finally {
        await receiver.close();
      }
    });

    it('go back to SENT when a reorganization drops them after one confirmation, and leave no nonce gap', async () => {
      const receiver = await startReceiver();
      try {
        const { wallet_id, api } = scene;
        await api.updateConfirmation({ wallet_id, confirmation: 1 });
        await scene.mine();
        await api.registerWebhook({ wallet_id, webhook_endpoint: receiver.url, confirmation: 1 });
        const { transaction_id, nonce } = await scene.createSent();
        await scene.mine();
        await scene.becomes(transaction_id, 'CONFIRMED');
        await scene.chain.request('dev_reorg', [1, 'drop']);
        await scene.becomes(transaction_id, 'SENT');
        assert.equal(Number((await scene.create()).nonce), Number(nonce) + 1);
        await eventually(async () => {
          await scene.mine();
          assert.equal(await scene.stateOf(transaction_id), 'CONFIRMED');
        });
        const twiceEach = ['CONFIRMED', 'CONFIRMED', 'MINED', 'MINED', 'SENT', 'SENT'];
        await eventually(async () => assert.deepEqual(reportedStates(receiver, transaction_id).sort(), twiceEach));
      } finally {
        await receiver.close();
        await scene.api.updateConfirmation({ wallet_id: scene.wallet_id, confirmation: 2 });
      }
    });

    it('never share a nonce, whichever process creates them and whichever are canceled meanwhile', async () => {
      const each = engine.name.includes('embedded') ? 100 : 10;
      const other = await scene.another('api');
      try {
        const apis = [scene.api, clientOf(other).c];
        const senders = Array.from({ length: 10 }, () => Wallet.createRandom().address.toLowerCase());
        const { wallet_id } = await scene.api.registerWallet({ name: 'many' });
        await scene.api.batchRegisterAddresses({ wallet_id, addresses: senders });
        const random = createRandom(seed, 'cancellations');
        const work = senders.flatMap((from) =>
          Array.from({ length: each }, (_, i) => ({ from, i, isCanceled: random.below(5) === 0 })),
        );
        const makeOne = async ({ from, i, isCanceled }: (typeof work)[number]) => {
          const api = apis[i % 2] as Client['c'];
          const given = { wallet_id, from, to: from, value: '0', gas: '21000', gas_price: '1' };
          const { transaction } = await api.createTransaction(given);
          if (isCanceled) await api.cancelTransaction({ transaction_id: transaction.transaction_id });
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
      // Canceled transactions freed nonces after the last creation, so new transactions must take these and leave no
      // gap.
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
