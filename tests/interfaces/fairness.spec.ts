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

const bounds = { maxConcurrentPerKey: 4, maxWaiting: 1000 };
const crowd = 60;
/** Number of greedy requests of the kinds that are slow on engines: those that store events or read a history. */
const slowCrowd = 20;
/**
 * Number of greedy pieces of work (port calls) that may begin during one round trip of the modest request to an engine.
 */
const onWire = 4;
/**
 * Maximum number of pieces of greedy requests that may run during a modest request of `own` pieces:
 * `maxConcurrentPerKey` for each of these pieces, and for the beginning and the end of the modest request.
 */
const maxWaited = (own: number) => bounds.maxConcurrentPerKey * (own + 2);
/** Maximum number of pieces that begin in one turn of the event loop, given the requests that run concurrently. */
const maxConcurrent = bounds.maxConcurrentPerKey * 6;
const batch = 100;
const address = 'c/mainnet';

/** Returns whether an operation reads the organization's history to find its notifications. */
const readsNotifications = ({ operation }: Endpoint) => operation.kind === 'query' && operation.waits === true;
/** Returns the example request of an operation, changed so that it does not wait for notifications. */
const requestOf = (endpoint: Endpoint) =>
  readsNotifications(endpoint) ? { ...endpoint.example, wait_seconds: 0 } : endpoint.example;
const isQuery = ({ operation, variant }: Endpoint) => operation.kind === 'query' && variant.surface === 'wallet';
const requests = [
  ...endpoints.map((endpoint) => ({ endpoint, title: endpoint.path, headers: {} })),
  ...endpoints
    .filter(isQuery)
    .map((endpoint) => ({ endpoint, title: `${endpoint.path} as of a position`, headers: { 'x-as-of': '1' } })),
];
const readsHistory = ({ endpoint, headers }: (typeof requests)[number]) =>
  'x-as-of' in headers || readsNotifications(endpoint);
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
    let operations: Handler;
    let gateway: Handler;
    before(async () => {
      neighbours = await startNeighbours(address, open);
      const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
      operations = createOperations(neighbours.app, endpoints, around, bounds);
      gateway = createGateway(neighbours.app);
    });
    after(() => neighbours?.close());

    for (const request of isEmbedded ? requests : requestsOnEngines)
      it(`waits for a bounded number of pieces of work: ${request.title}`, async () => {
        const { greedy, modest } = neighbours;
        const { endpoint, headers } = request;
        const ask = (by: Organization) => signedRequest(by, endpoint.path, requestOf(endpoint), headers);
        const isCommand = endpoint.operation.kind === 'command';
        const isSlow = !isEmbedded && (isCommand || readsHistory(request));
        const length = isSlow ? slowCrowd : crowd;
        const asked = { greedy: Array.from({ length }, () => ask(greedy)), modest: ask(modest) };
        const { waited, own, atOnce } = await askBeside(neighbours, operations, asked);
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
          greedy: Array.from({ length: crowd }, () => ({ path: path(greedy), body: many, headers: {} })),
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
        const messages = { greedy: Array.from({ length: crowd }, () => many), modest: one };
        const { answer, waited, atOnce } = await callBeside(neighbours, address, messages);
        const { error } = answer as { error?: { message: string } };
        // Every method gets valid parameters; the only possible error is about a filter that does not exist.
        assert.ok(error === undefined || error.message === 'filter not found', error?.message);
        assert.ok(atOnce <= callsInTurn + batch, `${atOnce} calls of the greedy one in one turn of the loop`);
        assert.ok(waited <= slack * 3 * callsInTurn, `${waited} calls of the greedy one`);
      });
  });
