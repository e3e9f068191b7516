import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Wallet } from 'ethers';
import { Webhook } from 'standardwebhooks';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';
import { isOwn } from '../../support/webhooks/webhook-receiver.js';

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };
type Notice = {
  webhook_history_id: string;
  webhook_id: string;
  organization_id: string;
  data: { wallet_id: string; state: string; confirmations: number; transfer: { value: string } };
};

type Answers = {
  status: number;
  /** Status of the first response; null to use `status` for it, too. Later responses wait for `afterwards`. */
  first: number | null;
  afterwards: Promise<unknown>;
  headers: Record<string, string>;
};

/** Starts an endpoint that records every request and answers it from `answers`. */
const startReceiver = async () => {
  const received: Received[] = [];
  const answers: Answers = { status: 200, first: null, afterwards: Promise.resolve(), headers: {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const answer = async () => {
      const isFirst = received.length === 0;
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (!isFirst) await answers.afterwards;
      response.writeHead((isFirst && answers.first) || answers.status, answers.headers).end('noted');
    };
    request.on('end', () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers,
    notices: () => received.map(({ body }) => JSON.parse(body) as Notice),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

for (const engine of engines)
  describe(`webhooks on ${engine.name}`, () => {
    let chain: DevelopmentChain;
    let service: Service;
    let api: Client['c'];
    let receiver: Receiver;
    const closing: (() => unknown)[] = [];
    before(async function () {
      const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
      if (!started) return skip(this, 'the development chain (EDR is not there for this machine)');
      chain = started;
      closing.push(() => chain.close());
      const env = { CHAIN_C_URL: chain.wsUrl, CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' };
      service = await startService({ on: engine, env });
      closing.push(() => service.stop());
      api = clientOf(service).c;
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });
    beforeEach(async () => {
      receiver = await startReceiver();
    });
    afterEach(() => receiver.close());

    const control = (method: string, ...params: unknown[]) => chain.request(method, params);
    const send = (to: string, value: string) => control('dev_transfer', { variant: 'c', to, value });
    const mine = (blocks: number) => control('dev_mine', blocks);
    const newWallet = async (confirmation: number) => {
      const address = Wallet.createRandom().address.toLowerCase();
      const { wallet_id } = await api.registerWallet({ name: 'told', address, confirmation });
      return { wallet_id, address };
    };
    const register = async (wallet_id: string, confirmation: number) =>
      (await api.registerWebhook({ wallet_id, webhook_endpoint: receiver.url, confirmation })).webhook_id;
    const histories = async (webhook_id: string) =>
      (await api.listWebhookHistories({ webhook_id, page_size: 100 })).webhook_histories;
    const statuses = async (webhook_id: string) =>
      (await histories(webhook_id)).map(({ webhook_status }) => webhook_status.replace('WEBHOOK_STATUS_', ''));
    const reported = (states: string[]) =>
      eventually(async () =>
        assert.deepEqual(
          receiver.notices().map(({ data }) => `${data.transfer.value} ${data.state.replace('TRANSFER_STATE_', '')}`),
          states,
        ),
      );
    const problemOf = async (operation: string, request: object) => {
      const answer = await call(service.url, demoOf(service.home), `/v1/c/${operation}`, request);
      return [answer.status, problemIn(answer).code];
    };

    it('report a transfer at their own confirmation depth, signed with both keys, and record the delivery', async () => {
      const { wallet_id, address } = await newWallet(1);
      const webhook_id = await register(wallet_id, 3);
      await api.registerWebhookHeader({ webhook_id, header_key: 'x-own', header_value: 'one' });
      await send(address, '70');
      await mine(1);
      await eventually(async () => {
        const { transfers } = await api.listTransfers({ wallet_id });
        assert.equal(transfers[0]?.transfer_state, 'TRANSFER_STATE_SUCCESS');
      });
      assert.deepEqual(receiver.received, []);
      await mine(1);
      await reported(['70 SUCCESS']);
      const [{ headers, body } = assert.fail('no request arrived')] = receiver.received;
      const [notice] = receiver.notices();
      assert.equal(headers['x-own'], 'one');
      assert.equal(headers['webhook-id'], notice?.webhook_history_id);
      assert.equal(notice?.data.confirmations, 3);
      const { webhook } = await api.getWebhook({ webhook_id });
      new Webhook(webhook.secret).verify(body, headers as Record<string, string>);
      assert.ok(isOwn(webhook, headers, body));
      assert.deepEqual(
        [notice?.webhook_id, notice?.organization_id],
        [webhook_id, demoOf(service.home).organizationId],
      );
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['COMPLETED']));
      const [history] = await histories(webhook_id);
      assert.deepEqual(history?.data, notice?.data);
      assert.equal(history?.delivery_count, 1);
    });

    it('cover wallets registered later when they name none, and no wallet once they are removed', async () => {
      const { webhook_id } = await api.registerWebhook({ webhook_endpoint: receiver.url, confirmation: 0 });
      const { address } = await newWallet(1);
      await send(address, '5');
      await reported(['5 SUCCESS']);
      await api.removeWebhook({ webhook_id });
      await send(address, '6');
      const other = await newWallet(1);
      const next = await register(other.wallet_id, 0);
      await send(other.address, '7');
      await reported(['5 SUCCESS', '7 SUCCESS']);
      // The receiver may be notified before the read models show the delivery.
      await eventually(async () => assert.equal((await histories(next)).length, 1));
      assert.deepEqual(await problemOf('RemoveWebhook', { webhook_id }), [404, 'NOT_FOUND']);
    });

    it('report no transfer that is dropped before their confirmation depth, and retract one that is dropped after', async () => {
      const { wallet_id, address } = await newWallet(1);
      await register(wallet_id, 3);
      await send(address, '11');
      await control('dev_reorg', 1, 'drop');
      await mine(5);
      await send(address, '22');
      await mine(2);
      await reported(['22 SUCCESS']);
      await control('dev_reorg', 3, 'drop');
      await reported(['22 SUCCESS', '22 REMOVED']);
    });

    it('are disabled when the receiver answers 410, and enabled again by a resend', async () => {
      const { wallet_id, address } = await newWallet(1);
      const webhook_id = await register(wallet_id, 1);
      receiver.answers.status = 410;
      await send(address, '8');
      await eventually(async () => assert.equal((await api.getWebhook({ webhook_id })).webhook.disabled, true));
      const { webhook_id: other } = await api.registerWebhook({
        wallet_id,
        webhook_endpoint: receiver.url,
        confirmation: 1,
      });
      receiver.answers.status = 200;
      await send(address, '9');
      await eventually(async () => assert.deepEqual(await statuses(other), ['COMPLETED']));
      assert.deepEqual(await statuses(webhook_id), ['FAILED']);
      assert.deepEqual(await api.resendWebhooks({ webhook_id }), { count: 1 });
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['COMPLETED']));
      assert.equal((await api.getWebhook({ webhook_id })).webhook.disabled, false);
      await send(address, '10');
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['COMPLETED', 'COMPLETED']));
      const values = (await histories(webhook_id)).map(
        ({ data }) => (data as { transfer: { value: string } }).transfer.value,
      );
      assert.deepEqual(values, ['10', '8']);
    });

    it('are retried after a failure with the same id and body', async () => {
      const { wallet_id, address } = await newWallet(1);
      const webhook_id = await register(wallet_id, 1);
      receiver.answers.first = 500;
      // Delays the response to the second attempt, so that even a slow machine notices if the service does not wait.
      let answer: (value?: unknown) => void = () => undefined;
      receiver.answers.afterwards = new Promise((resolve) => {
        answer = resolve;
      });
      await send(address, '13');
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['RETRYING']));
      answer();
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['COMPLETED']));
      const [one, two] = receiver.received;
      assert.deepEqual([two?.headers['webhook-id'], two?.body], [one?.headers['webhook-id'], one?.body]);
      assert.equal((await histories(webhook_id))[0]?.delivery_count, 2);
    });

    it('are sent at once when they are resent, however late the next attempt would be', async () => {
      const { wallet_id, address } = await newWallet(1);
      const webhook_id = await register(wallet_id, 1);
      receiver.answers.first = 503;
      receiver.answers.headers = { 'retry-after': '3600' };
      await send(address, '14');
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['RETRYING']));
      assert.deepEqual(await api.resendWebhooks({ webhook_id }), { count: 1 });
      await eventually(async () => assert.deepEqual(await statuses(webhook_id), ['COMPLETED']));
    });

    it('are rejected with forbidden endpoints, forbidden headers or unknown ids', async () => {
      for (const webhook_endpoint of ['ftp://example.com', 'not a url', 'http://user:pass@example.com/'])
        assert.deepEqual(await problemOf('RegisterWebhook', { webhook_endpoint, confirmation: 1 }), [
          400,
          'INVALID_ARGUMENT',
        ]);
      for (const header_key of ['Host', 'webhook-id', 'content-type', 'a b', 'x\r\ny'])
        assert.deepEqual(await problemOf('RegisterWebhookHeader', { header_key, header_value: 'v' }), [
          400,
          'INVALID_ARGUMENT',
        ]);
      const nowhere = { wallet_id: 'wal_none', webhook_endpoint: 'https://example.com', confirmation: 1 };
      assert.deepEqual(await problemOf('RegisterWebhook', nowhere), [404, 'NOT_FOUND']);
      assert.deepEqual(await problemOf('GetWebhook', { webhook_id: 'whk_none' }), [404, 'NOT_FOUND']);
      assert.deepEqual(await problemOf('ResendWebhook', { webhook_history_id: 'whd_none' }), [404, 'NOT_FOUND']);
      assert.deepEqual(await problemOf('RemoveWebhookHeader', { webhook_header_id: 'hdr_none' }), [404, 'NOT_FOUND']);
    });

    it('are listed with their headers', async () => {
      const { wallet_id } = await newWallet(1);
      const webhook_id = await register(wallet_id, 2);
      const { webhook_header_id } = await api.registerWebhookHeader({
        webhook_id,
        header_key: 'x-a',
        header_value: 'b',
      });
      const { webhooks } = await api.listWebhooks({ page_size: 1 });
      assert.equal(webhooks[0]?.public_key, (await api.getWebhook({ webhook_id })).webhook.public_key);
      assert.deepEqual([webhooks[0]?.webhook_id, webhooks[0]?.confirmation], [webhook_id, 2]);
      const { webhook_headers } = await api.listWebhookHeaders({ webhook_id });
      assert.deepEqual(webhook_headers, [{ webhook_header_id, webhook_id, header_key: 'x-a', header_value: 'b' }]);
      await api.removeWebhookHeader({ webhook_header_id });
      assert.deepEqual((await api.listWebhookHeaders({ webhook_id })).webhook_headers, []);
    });
  });
