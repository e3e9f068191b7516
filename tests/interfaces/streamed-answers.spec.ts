import assert from 'node:assert/strict';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { App } from '../../application/app.js';
import { createHandle, scopeFor, step } from '../../application/commands/handle.js';
import type { Change, ReadModels } from '../../application/ports/read-models.js';
import { webhookKey } from '../../application/webhooks/webhook-stream.js';
import { webhook } from '../../domain/aggregates/webhook.js';
import { createOperations } from '../../interfaces/http/operations.js';
import { endpoints } from '../../interfaces/operations/index.js';
import { addresses } from '../../projections/addresses.js';
import { wallets } from '../../projections/wallets.js';
import { webhookHeaders } from '../../projections/webhooks.js';
import { eventually } from '../support/eventually.js';
import { composeApp, contextOf, type openStores, variantOf } from '../support/following/following.js';
import { storeKinds } from '../support/following/store-kinds.js';
import { testSystem } from '../support/silent.js';

const addressCount = 6000;
const headerCount = 1500;
const context = contextOf('org_a', variantOf('t'));
const walletId = 'wal_1';
const webhookId = 'whk_1';

/** Documents of a large wallet, and of a webhook with as many headers as earlier versions allowed. */
const documentsIn = (sealedValue: string): Change[] => {
  const scope = scopeFor(context);
  const time = '2026-01-01T00:00:00.000Z';
  const wallet = { wallet_id: walletId, name: 'w', create_time: time, update_time: time, address_count: addressCount };
  const addressOf = (n: number) => `0:${n.toString(16).padStart(64, '0')}`;
  return [
    { collection: wallets, scope, id: walletId, document: { ...wallet, position: 1 } },
    ...Array.from({ length: addressCount }, (_, n) => {
      const document = { address: addressOf(n), wallet_id: walletId, position: n + 1 };
      return { collection: addresses, scope, id: document.address, document };
    }),
    ...Array.from({ length: headerCount }, (_, n) => {
      const id = `hdr_${n}`;
      const document = { webhook_header_id: id, webhook_id: webhookId, name: `x-${n}`, sealed_value: sealedValue };
      return { collection: webhookHeaders, scope, id, document: { ...document, position: n + 1 } };
    }),
  ];
};

/** Caller that reads nothing of its answer until the test asks it to. */
const createCaller = () => {
  const received = { text: '', isEnded: false };
  const waiting: (() => void)[] = [];
  let isTaking = false;
  const response = new Writable({
    highWaterMark: 16_384,
    write: (chunk, _encoding, done) => {
      received.text += chunk;
      if (isTaking) setImmediate(done);
      else waiting.push(done);
    },
    final: (done) => {
      received.isEnded = true;
      done();
    },
  });
  Object.assign(response, { headersSent: false, writeHead: () => response, setTimeout: () => response });
  return {
    response: response as unknown as ServerResponse,
    received,
    hangUp: () => response.destroy(),
    take: async () => {
      isTaking = true;
      for (const done of waiting.splice(0)) done();
      await eventually(async () => assert.ok(received.isEnded));
      return JSON.parse(received.text) as Record<string, never>;
    },
  };
};

const answers = [
  {
    name: 'GetWallet of a large wallet',
    path: '/v1/t/GetWallet',
    body: { wallet_id: walletId },
    pageSize: 1000,
    sizeOf: ({ wallet }: { wallet: { addresses: []; address_mapping: [] } }) => [
      wallet.addresses.length,
      wallet.address_mapping.length,
    ],
    size: [addressCount, addressCount],
  },
  {
    name: 'ListWebhookHeaders of many headers',
    path: '/v1/t/ListWebhookHeaders',
    body: { webhook_id: webhookId },
    pageSize: 100,
    sizeOf: ({ webhook_headers }: { webhook_headers: [] }) => [webhook_headers.length],
    size: [headerCount],
  },
] as const;

for (const { name: kind, open } of storeKinds)
  describe(`a streamed answer on ${kind}`, () => {
    let stores: Awaited<ReturnType<typeof openStores>>;
    let handle: ReturnType<typeof createOperations>;
    let [read, reading] = [0, 0];
    before(async () => {
      stores = await open();
      const { readModels, vault, events } = stores;
      const changes = documentsIn(await vault.seal('any', 'v', context.organizationId));
      assert.ok(await readModels.commit(changes, await readModels.checkpoint(), {}));
      const registered = { webhookId, endpoint: 'https://a.example/', confirmation: 1, sealedSecret: 's' };
      await createHandle(events, testSystem)(context, [
        step(webhook, context.organizationId, webhookKey(context, webhookId), { type: 'Register', data: registered }),
      ]);
      const page: ReadModels['page'] = async (...given) => {
        reading++;
        const found = await readModels.page(...given).finally(() => reading--);
        read += found.documents.length;
        return found;
      };
      const app: App = composeApp({ ...stores, readModels: { ...readModels, page } });
      const caller = { organizationId: context.organizationId, apiKey: 'key', role: 'client' } as const;
      const access: App['access'] = { ...app.access, admit: async () => ({ caller, quota: null }) };
      const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
      handle = createOperations({ ...app, access }, endpoints, around);
    });
    beforeEach(() => {
      read = 0;
    });
    after(() => stores.close());

    const ask = (path: string, body: object) => {
      const request = new IncomingMessage(new Socket());
      const headers = { 'content-type': 'application/json' };
      Object.assign(request, { method: 'POST', url: path, headers, complete: true });
      request.push(JSON.stringify(body));
      request.push(null);
      const caller = createCaller();
      void handle(request, caller.response);
      return caller;
    };
    /** Waits until no document is read during many turns of the event loop. */
    const quiet = async () => {
      for (let [turns, seen] = [0, -1]; turns < 500; turns = read === seen && reading === 0 ? turns + 1 : 0) {
        seen = read;
        await testSystem.breathe();
      }
    };

    for (const { name, path, body, pageSize, sizeOf, size } of answers) {
      it(`is read only as far as its caller consumes it, and is complete in the end: ${name}`, async () => {
        const caller = ask(path, body);
        await eventually(async () => assert.ok(caller.received.text.length > 0));
        await quiet();
        assert.ok(read <= 3 * pageSize, `${read} documents were read for a caller that takes nothing`);
        assert.deepEqual(sizeOf((await caller.take()) as never), size);
      });

      it(`ends when its caller disconnects: ${name}`, async () => {
        const caller = ask(path, body);
        await eventually(async () => assert.ok(caller.received.text.length > 0));
        const before = read;
        caller.hangUp();
        await quiet();
        assert.ok(read <= before + pageSize, `${read - before} documents were read for nobody`);
      });
    }
  });
