import assert from 'node:assert/strict';
import { callsInTurn } from '../../application/access/gateway/gateway-access.js';
import { methods } from '../../application/gateway/methods.js';
import { createGateway } from '../../interfaces/gateway/http.js';
import { createOperations } from '../../interfaces/http/operations.js';
import { type Endpoint, endpoints } from '../../interfaces/operations/index.js';
import { storeKinds } from '../support/following/store-kinds.js';
import { call, paramsFor } from '../support/gateway/json-rpc.js';
import {
  askBeside,
  type Handler,
  type Neighbours,
  type Organization,
  signedRequest,
  startNeighbours,
} from '../support/scenes/greedy-and-modest.js';
import { callBeside } from '../support/scenes/greedy-sockets.js';
import { quietChains } from '../support/scenes/lost-answers.js';
import { type OwnedThings, ownThings, requestOfOwner, rollupNode } from '../support/scenes/owned-things.js';

const bounds = { maxConcurrentPerKey: 4, maxWaiting: 1000 };
/** Number of greedy requests, enough that waiting for all of them would exceed `maxWaited`. */
const crowd = 20;
/** Number of greedy batches of gateway calls. */
const crowdOfBatches = 60;
/**
 * Number of greedy pieces of work (port calls) that may begin during one round trip of the modest request to an engine.
 */
const onWire = 4;
/**
 * Maximum number of pieces of greedy requests that may run during a modest request of `own` pieces:
 * `maxConcurrentPerKey` for each of these pieces, and for the beginning and the end of the modest request.
 */
const maxWaited = (own: number) => bounds.maxConcurrentPerKey * (own + 2);
/**
 * Maximum number of pieces that begin in one turn of the event loop, given the requests that run concurrently. Embedded
 * stores answer several reads of a request in one turn.
 */
const maxConcurrent = bounds.maxConcurrentPerKey * 12;
const batch = 100;
const address = 'c/mainnet';
const rollupNodes = new Map([['q/mainnet', rollupNode]]);

/** Returns whether an operation reads the organization's history to find its notifications. */
const readsNotifications = ({ operation }: Endpoint) => operation.kind === 'query' && operation.waits === true;
/** Returns a request for things of its organization, changed so that it does not wait for notifications. */
const requestOf = (endpoint: Endpoint, things: ReadonlyMap<string, OwnedThings>) => ({
  ...requestOfOwner(endpoint, things),
  ...(readsNotifications(endpoint) && { wait_seconds: 0 }),
});
const isRemoval = ({ operation }: Endpoint) => /Remove|Delete/.test(operation.name);
/** Endpoints in an order in which no request removes what a later request names. */
const inOrder = [...endpoints.filter((one) => !isRemoval(one)), ...endpoints.filter(isRemoval)];
/** Header by which a browser states that a request comes from a page of the console, as sessions require. */
const fromConsole = { 'sec-fetch-site': 'same-origin' };
const isQuery = ({ operation, variant }: Endpoint) => operation.kind === 'query' && variant.surface === 'wallet';
const requests = [
  ...inOrder.map((endpoint) => ({ endpoint, title: endpoint.path, isPast: false })),
  ...endpoints
    .filter(isQuery)
    .map((endpoint) => ({ endpoint, title: `${endpoint.path} as of a position`, isPast: true })),
];
const readsHistory = ({ endpoint, isPast }: (typeof requests)[number]) => isPast || readsNotifications(endpoint);
/** Reading a history takes the same steps on every variant and is slow on engines, so one variant is enough there. */
const requestsOnEngines = requests.filter((one) => !readsHistory(one) || one.endpoint.path.startsWith('/v1/c/'));
const over = (transport: (typeof methods)[number]['over']) => methods.filter((one) => one.over === transport);
const callsOf = (name: string) => {
  const one = call(name, 1, paramsFor(name));
  return { one: JSON.stringify(one), many: JSON.stringify(Array.from({ length: batch }, (_, id) => ({ ...one, id }))) };
};

for (const { name: kind, open, isEmbedded } of storeKinds)
  describe(`a modest organization beside a greedy one on ${kind}`, () => {
    const slack = isEmbedded ? 1 : onWire;
    let neighbours: Neighbours;
    let owned: Awaited<ReturnType<typeof ownThings>>;
    let operations: Handler;
    let gateway: Handler;
    before(async () => {
      neighbours = await startNeighbours(address, open, { chains: quietChains, nodes: rollupNodes });
      owned = await ownThings(neighbours);
      const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
      operations = createOperations(neighbours.app, endpoints, around, bounds);
      gateway = createGateway(neighbours.app);
    });
    after(() => neighbours?.close());

    for (const request of isEmbedded ? requests : requestsOnEngines)
      it(`waits for a bounded number of pieces of work: ${request.title}`, async () => {
        const { greedy, modest } = neighbours;
        const { endpoint, isPast } = request;
        const headers = { ...fromConsole, ...(isPast && { 'x-as-of': String(owned.position) }) };
        const ask = (by: Organization) =>
          signedRequest(by, endpoint.path, requestOf(endpoint, owned.things[by.name]), headers);
        const isCommand = endpoint.operation.kind === 'command';
        const asked = { greedy: Array.from({ length: crowd }, () => ask(greedy)), modest: ask(modest) };
        const { status, statuses, waited, own, atOnce } = await askBeside(neighbours, operations, asked);
        // A request that fails early does little of the work that others wait for. Of the greedy one's commands, only
        // the first may find what it removes or changes.
        assert.equal(status, 200);
        assert.ok(isCommand ? statuses.includes(200) : statuses.every((one) => one === 200), `answers: ${statuses}`);
        assert.ok(atOnce <= maxConcurrent, `${atOnce} pieces of the greedy one in one turn of the loop`);
        // Commands have no bound of this kind: while a command waits for the disk, further greedy requests run.
        if (!isCommand)
          assert.ok(waited <= slack * maxWaited(own), `${waited} pieces of the greedy one for ${own} of its own`);
      });

    for (const { name } of over('both'))
      it(`waits for a bounded number of the greedy one's calls: ${name}`, async () => {
        const { greedy, modest } = neighbours;
        const path = (by: Organization) => `/${address}/v1/${by.key}`;
        const { one, many } = callsOf(name);
        const asked = {
          greedy: Array.from({ length: crowdOfBatches }, () => ({ path: path(greedy), body: many, headers: {} })),
          modest: { path: path(modest), body: one, headers: {} },
        };
        const { status, waited, own, atOnce } = await askBeside(neighbours, gateway, asked);
        assert.deepEqual([status, own], [200, 1]);
        assert.ok(atOnce <= callsInTurn + batch, `${atOnce} calls of the greedy one in one turn of the loop`);
        assert.ok(waited <= slack * 3 * callsInTurn, `${waited} calls of the greedy one`);
      });

    for (const { name } of [...over('both'), ...over('socket')])
      it(`waits for a bounded number of the greedy one's calls over WebSocket: ${name}`, async () => {
        const { one, many } = callsOf(name);
        const messages = { greedy: Array.from({ length: crowdOfBatches }, () => many), modest: one };
        const { answer, waited, atOnce } = await callBeside(neighbours, address, messages);
        const { error } = answer as { error?: { message: string } };
        // Every method gets valid parameters; the only possible error is about a filter that does not exist.
        assert.ok(error === undefined || error.message === 'filter not found', error?.message);
        assert.ok(atOnce <= callsInTurn + batch, `${atOnce} calls of the greedy one in one turn of the loop`);
        assert.ok(waited <= slack * 3 * callsInTurn, `${waited} calls of the greedy one`);
      });
  });
