import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Wallet } from 'ethers';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { gatewayUrl, keyOf, post } from '../../support/gateway/gateway.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/monitoring/otlp-receiver.js';
import { skip } from '../../support/run/skip.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';
import { type Receiver, startReceiver } from '../../support/webhooks/webhook-receiver.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${callerId}-01`;
const traceIdIn = (header: unknown) => /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(String(header))?.[1];

/** Starts a node that forwards requests to another node, and keeps their bodies and trace contexts in `seen`. */
const startRecordingNode = async (url: string) => {
  const seen: { readonly body: string; readonly traceparent: string | undefined }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ body, traceparent: request.headers.traceparent as string | undefined });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
type RecordingNode = Awaited<ReturnType<typeof startRecordingNode>>;

for (const engine of engines)
  describe(`traces of the service on ${engine.name}`, () => {
    let chain: DevelopmentChain;
    let node: RecordingNode;
    let collector: OtlpReceiver;
    let receiver: Receiver;
    const closing: (() => unknown)[] = [];
    const start = async (env: Record<string, string>, at: { on?: Home; role?: string } = {}) => {
      const service = await startService({
        on: engine,
        ...at,
        env: { CHAIN_C_URL: node.url, CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true', ...env },
      });
      closing.push(() => service.stop());
      return service;
    };
    before(async function () {
      const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
      if (!started) return skip(this, 'traces (EDR is not there for this machine)');
      chain = started;
      closing.push(() => chain.close());
    });
    beforeEach(async () => {
      node = await startRecordingNode(chain.url);
      receiver = await startReceiver();
      closing.push(node.close, receiver.close);
    });
    afterEach(async () => {
      for (const close of closing.splice(1).toReversed()) await close();
    });
    after(async () => {
      for (const close of closing) await close();
    });
    const exporting = () => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_SERVICE_NAME: 'custody',
    });
    const collect = async () => {
      collector = await startOtlpReceiver();
      closing.push(collector.close);
      return start(exporting());
    };
    const registerWebhook = async (service: Service, headers: Record<string, string> = {}) => {
      const api = clientOf(service).c;
      const address = Wallet.createRandom().address.toLowerCase();
      const { wallet_id } = await api.registerWallet({ name: 'traced', address, confirmation: 1 }, headers);
      const { webhook_id } = await api.registerWebhook({ wallet_id, webhook_endpoint: receiver.url, confirmation: 1 });
      return { api, address, webhook_id };
    };
    const received = (count: number) => eventually(() => assert.equal(receiver.attempts.length, count));
    const spansOf = (id: string | undefined) => collector.spans.filter((span) => span.traceId === id);
    const named = (spans: readonly ReceivedSpan[], name: string) =>
      spans.find((span) => span.name === name) ?? assert.fail(`no span ${name} in ${spans.map((one) => one.name)}`);

    it('lead from a request over its events to the webhook', async () => {
      const { api, webhook_id } = await registerWebhook(await collect());
      const headers = { traceparent, tracestate: 'vendor=1', 'x-request-id': 'traced-request' };
      await api.sendTestWebhook({ webhook_id }, headers);
      await received(1);
      assert.equal(traceIdIn(receiver.attempts[0]?.headers.traceparent), traceId);
      await eventually(() => {
        const spans = spansOf(traceId);
        const request = named(spans, 'POST /v1/c/SendTestWebhook');
        assert.equal(request.parentId, callerId);
        assert.equal(request.service, 'custody');
        assert.equal(request.attributes['http.response.status_code'], '200');
        assert.equal(request.attributes['chainfold.request_id'], 'traced-request');
        const command = named(
          spans.filter(({ parentId }) => parentId === request.spanId),
          'handle command',
        );
        const caused = spans.filter(({ parentId }) => parentId === command.spanId);
        for (const name of ['append events', 'project events', 'deliver webhook']) named(caused, name);
        const sent = named(
          spans.filter(({ parentId }) => parentId === named(caused, 'deliver webhook').spanId),
          'POST',
        );
        assert.equal(receiver.attempts[0]?.headers.traceparent, `00-${traceId}-${sent.spanId}-01`);
      });
      const [{ path, headers: sentHeaders }] = collector.requests as [(typeof collector.requests)[number]];
      assert.deepEqual(
        [path, sentHeaders['content-type'], sentHeaders['x-tenant']],
        ['/v1/traces', 'application/x-protobuf', 'a b'],
      );
    });

    it('of requests whose events are projected in one batch are linked by its span', async () => {
      const first = await collect();
      await first.stop();
      const on = first.home;
      const api = await start(exporting(), { on, role: 'api' });
      const ids = ['1', '2', '3'].map((digit) => digit.repeat(32));
      for (const id of ids)
        await clientOf(api).c.registerWallet({ name: id }, { traceparent: `00-${id}-${callerId}-01` });
      // Starts only now, so that the events of all requests are in one batch.
      await start(exporting(), { on, role: 'projector' });
      await eventually(() => {
        const batches = collector.spans.filter(({ name }) => name === 'project events');
        const found = batches.map(({ traceId: own, links }) => [own, ...links].filter((id) => ids.includes(id)));
        // An event server may deliver the events in several batches.
        if (!engine.isEmbedded) return assert.deepEqual(new Set(found.flat()), new Set(ids));
        assert.ok(
          found.some((one) => one.length === ids.length),
          JSON.stringify(found),
        );
      });
      for (const { traceId: own, links } of collector.spans) assert.ok(!links.includes(own));
    });

    it('lead from a call of the gateway to the node, without the API key', async () => {
      const service = await collect();
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getBalance',
        params: [`0x${'1'.repeat(40)}`, 'latest'],
      });
      assert.equal((await post(gatewayUrl(service), body, { traceparent })).status, 200);
      assert.deepEqual(
        node.seen.filter((one) => one.body.includes('eth_getBalance')).map((one) => traceIdIn(one.traceparent)),
        [traceId],
      );
      await eventually(() => {
        const calls = spansOf(traceId).filter(({ name }) => name === 'eth_getBalance');
        const request = calls.find(({ parentId }) => parentId === callerId) ?? assert.fail('no span of the request');
        assert.equal(request.attributes['chainfold.chain'], 'c/mainnet');
        assert.ok(calls.some(({ parentId }) => parentId === request.spanId));
      });
      assert.ok(!JSON.stringify(collector.spans).includes(keyOf(service)));
    });

    it('lead from a block to the webhook, and leave out blocks without transfers', async () => {
      const { address } = await registerWebhook(await collect());
      await chain.request('dev_mine', [3]);
      await chain.request('dev_transfer', [{ variant: 'c', to: address, value: '70' }]);
      await chain.request('dev_mine', [1]);
      await received(1);
      const id = traceIdIn(receiver.attempts[0]?.headers.traceparent);
      await eventually(() => {
        const spans = spansOf(id);
        const turn = named(spans, 'follow chain');
        assert.equal(turn.attributes['chainfold.chain'], 'C');
        for (const name of ['append events', 'deliver webhook', 'POST']) named(spans, name);
        assert.ok(node.seen.some((one) => traceIdIn(one.traceparent) === id));
      });
      for (const turn of collector.spans.filter(({ name }) => name === 'follow chain'))
        assert.ok(spansOf(turn.traceId).some(({ name }) => name === 'append events'));
    });

    it('start with a new id after a malformed traceparent, and the request is still answered', async () => {
      const service = await collect();
      const malformed = `00-${'0'.repeat(32)}-${callerId}-01`;
      await clientOf(service).c.listWallets({}, { traceparent: malformed });
      await eventually(() => assert.equal(named(collector.spans, 'POST /v1/c/ListWallets').parentId, ''));
    });

    it('are not recorded, and not passed on, without a receiver', async () => {
      const service = await start({});
      const { api, webhook_id } = await registerWebhook(service, { traceparent });
      await api.sendTestWebhook({ webhook_id }, { traceparent });
      await received(1);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
      await post(gatewayUrl(service), body, { traceparent });
      assert.equal(receiver.attempts[0]?.headers.traceparent, undefined);
      assert.ok(node.seen.length > 0);
      assert.ok(node.seen.every((one) => one.traceparent === undefined));
    });

    for (const behaviour of ['silent', { status: 400 }] as const)
      it(`disturb nothing if the receiver ${behaviour === 'silent' ? 'never answers' : 'rejects them'}`, async () => {
        collector = await startOtlpReceiver(behaviour);
        closing.push(collector.close);
        const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
        const { api, webhook_id } = await registerWebhook(service);
        await eventually(() => assert.ok(collector.requests.length > 0));
        await api.sendTestWebhook({ webhook_id });
        await received(1);
        assert.equal(await service.stop(), 0);
        const warnings = service.output().match(/Traces cannot be exported/g) ?? [];
        assert.ok(warnings.length <= 1, `${warnings.length} warnings`);
      });
  });
