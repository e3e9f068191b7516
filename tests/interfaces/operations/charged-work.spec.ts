import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { App } from '../../../application/app.js';
import { ledgerKey, recordBalances } from '../../../application/assets/balance-ledger.js';
import { createHandle, step } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { contract } from '../../../domain/aggregates/contract.js';
import { ledger } from '../../../domain/aggregates/ledger.js';
import { createOperations } from '../../../interfaces/http/operations.js';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import { contextOf, followedVariant, openStores } from '../../support/following/following.js';
import { headersOf } from '../../support/following/header-chain.js';
import { addressOf } from '../../support/following/running-app.js';
import {
  ask,
  type Handler,
  type Neighbours,
  signedRequest,
  startNeighbours,
} from '../../support/scenes/greedy-and-modest.js';
import { testSystem } from '../../support/silent.js';

/**
 * Number of addresses that the organization has. The organization has as many contracts, balances, transfers and
 * notifications, too.
 */
const loaded = 1000;
/**
 * Maximum number of documents and events that may be read and written per charged unit. A unit covers a hundred items,
 * and each item may need several documents and events.
 */
const maxPerUnit = 400;

const numbers = Array.from({ length: loaded }, (_, n) => n);
const busyAddress = addressOf(1);
const contractAddress = (n: number) => addressOf(0xc0_0000 + n);
const assetOf = (n: number) => ({ standard: 'erc20', contract: contractAddress(n) }) as const;

/** Counts the documents and events that the current request reads and writes. */
const work = new AsyncLocalStorage<{ items: number; onCount?: () => void }>();
const note = (count: number) => {
  const current = work.getStore();
  if (!current) return;
  current.items += count;
  current.onCount?.();
};
const countedReadModels = <T extends ReadModels>(readModels: T): T => ({
  ...readModels,
  get: (collection, key) => {
    note(1);
    return readModels.get(collection, key);
  },
  getMany: (collection, keys) => {
    note(keys.length);
    return readModels.getMany(collection, keys);
  },
  page: async (...query) => {
    const page = await readModels.page(...query);
    note(page.documents.length);
    return page;
  },
});
const countedEvents = (events: EventStore): EventStore => {
  const counted = async function* <T>(batches: AsyncIterable<readonly T[]>) {
    for await (const batch of batches) {
      note(batch.length);
      yield batch;
    }
  };
  return {
    ...events,
    append: (writes, deadline) => {
      note(writes.reduce((sum, one) => sum + one.events.length, 0));
      return events.append(writes, deadline);
    },
    read: async (stream, deadline) => {
      const found = await events.read(stream, deadline);
      note(found.events.length);
      return found;
    },
    readAll: (after) => counted(events.readAll(after)),
    readOrganization: (...given) => counted(events.readOrganization(...given)),
    readOrganizationBackwards: (...given) => counted(events.readOrganizationBackwards(...given)),
  };
};

type Schema = { readonly properties: Record<string, { type?: string }>; readonly required: readonly string[] };
type Values = Readonly<Record<string, unknown>>;

/** Builds a request from the given values. A required field without a given value has the value of the example. */
const requestOf = ({ request, example }: Endpoint, values: Values) => {
  const { properties, required } = request as Schema;
  const names = Object.keys(properties).filter((name) => name in values || required.includes(name));
  return Object.fromEntries(names.map((name) => [name, values[name] ?? (example as Values)[name]]));
};
const flagsOf = ({ request }: Endpoint) =>
  Object.fromEntries(
    Object.entries((request as Schema).properties).flatMap(([name, { type }]) =>
      type === 'boolean' ? [[name, true]] : [],
    ),
  );
const isRemoval = ({ operation: { name } }: Endpoint) => /Remove|Delete/.test(name);
const inOrder = [...endpoints.filter((one) => !isRemoval(one)), ...endpoints.filter(isRemoval)].filter(
  ({ variant }) => variant === followedVariant || variant.surface === 'admin',
);

describe('the cost of every operation of an organization with a thousand of each thing', () => {
  let neighbours: Neighbours;
  let operations: Handler;
  let more = 0;
  const values: Values = { wallet_id: '', webhook_id: '', page_size: 1, asset_type: 'ASSET_TYPE_ERC20' };
  let emptyWallet = '';

  const registerWallet = async (name: string) => {
    const wanted = { name, address: undefined, importAsset: undefined, confirmation: undefined };
    return (await neighbours.app.wallets.register(by(), wanted)).answer.wallet_id;
  };
  const by = () => contextOf(neighbours.greedy.organizationId);
  const load = async (stores: Awaited<ReturnType<typeof openStores>>) => {
    const { app } = neighbours;
    const handle = createHandle(stores.events, testSystem);
    emptyWallet = await registerWallet('empty');
    const walletId = await registerWallet('full');
    const inputs = numbers.map((n) => ({ text: addressOf(1 + n), path: '' }));
    await app.addresses.register(by(), { walletId, inputs });
    const registered = numbers.map((n) => {
      const data = { contract: contractAddress(n), standard: 'erc20', description: {} } as const;
      const key = `${followedVariant.tag}.${data.contract}`;
      return step(contract, by().organizationId, key, { type: 'Register', data });
    });
    await handle(by(), registered);
    const [at] = headersOf('b', 1);
    assert.ok(at);
    const place = { walletId, at, chain: at.hash };
    const balances = numbers.map((n) => ({ address: busyAddress, asset: assetOf(n), balance: '0' }));
    await recordBalances(handle, by(), { ...place, balances });
    const transfers = numbers.map((n) => {
      const moved = { from: addressOf(0xf0_0000), to: busyAddress, value: '1', fee: '1', failed: false, details: {} };
      return { transfer: { transaction: `0x${n}`, index: 'native', asset: assetOf(n), ...moved }, own: [busyAddress] };
    });
    const block = { ...at, chain: at.hash };
    await handle(by(), [
      step(ledger, by().organizationId, ledgerKey(followedVariant, walletId, at.hash), {
        type: 'Observe',
        data: { walletId, block, transfers, touches: [] },
      }),
    ]);
    const endpoint = { walletId: undefined, endpoint: 'https://example.com/hook', confirmation: 1 };
    const { webhook_id } = (await app.webhooks.register(by(), endpoint)).answer;
    const notifications = numbers.map((n) => ({ deliveryId: `whd_${n}.C.${by().organizationId}`, data: {} }));
    await app.deliveries.request(by(), { webhook_id, disabled: false }, notifications);
    // Requests that set limits set the limits of the modest organization.
    const organization_id = neighbours.modest.organizationId;
    Object.assign(values, { wallet_id: walletId, webhook_id, organization_id });
    assert.ok(await app.progress.reached(await stores.events.head(), 30_000));
  };

  before(async () => {
    const stores = await openStores();
    const counted = {
      ...stores,
      events: countedEvents(stores.events),
      readModels: countedReadModels(stores.readModels),
    };
    neighbours = await startNeighbours('c/mainnet', async () => counted);
    const { app } = neighbours;
    const chargeMore: App['access']['chargeMore'] = (caller, variant, cost) => {
      more += cost;
      return app.access.chargeMore(caller, variant, cost);
    };
    const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
    operations = createOperations({ ...app, access: { ...app.access, chargeMore } }, endpoints, around);
    await load(stores);
  });
  after(() => neighbours?.close());

  const measure = async (endpoint: Endpoint, request: object) => {
    more = 0;
    const counter = { items: 0 };
    const status = await work.run(counter, () =>
      ask(operations, signedRequest(neighbours.greedy, endpoint.path, request), (given) => given),
    );
    return { status, items: counter.items, cost: 1 + more };
  };

  it('includes no reads of a list whose caller has disconnected', async () => {
    const endpoint = inOrder.find(({ operation }) => operation.name === 'ListAssets') ?? assert.fail();
    const asked = signedRequest(
      neighbours.greedy,
      endpoint.path,
      requestOf(endpoint, { ...values, ...flagsOf(endpoint) }),
    );
    const counter: { items: number; onCount?: () => void } = { items: 0 };
    const ended = new Promise((resolve) => {
      const disconnecting: Handler = (request, response) => {
        counter.onCount = () => counter.items > 100 && response.destroy();
        resolve(operations(request, response));
      };
      work.run(counter, () => void ask(disconnecting, asked, () => undefined));
    });
    await ended;
    assert.ok(counter.items > 100 && counter.items <= maxPerUnit, `read ${counter.items}`);
  });

  for (const endpoint of inOrder)
    it(`covers the documents and events that ${endpoint.path} reads and writes`, async () => {
      const requests = [
        requestOf(endpoint, values),
        ...Object.entries(flagsOf(endpoint)).map(([name, flag]) => requestOf(endpoint, { ...values, [name]: flag })),
        requestOf(endpoint, { ...values, ...flagsOf(endpoint) }),
        requestOf(endpoint, { ...values, wallet_id: emptyWallet, address: busyAddress }),
        requestOf(endpoint, { page_size: 1, address: busyAddress, asset_type: values.asset_type }),
      ];
      for (const request of requests) {
        const { status, items, cost } = await measure(endpoint, request);
        const facts = `${JSON.stringify(request)} (${status}) read and wrote ${items} for a cost of ${cost}`;
        assert.ok(items <= maxPerUnit * cost, facts);
      }
    });
});
