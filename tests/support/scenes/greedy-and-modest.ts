import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { App } from '../../../application/app.js';
import type { Ports } from '../../../application/composition/service-ports.js';
import type { Chain } from '../../../application/ports/chain.js';
import type { Node } from '../../../application/ports/node.js';
import { supervise } from '../../../application/processes/supervise.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { composeApp, type openStores, processOf } from '../following/following.js';
import { fakeNode } from '../gateway/json-rpc.js';
import { sign } from '../service/http.js';
import { testSystem } from '../silent.js';

type Name = 'greedy' | 'modest';
export type Organization = Credentials & { readonly name: Name; readonly organizationId: string };
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
export type Asked = { readonly path: string; readonly body: string; readonly headers: Record<string, string> };

const unlimited = { second: 1e9, hour: 1e9, day: 1e9, month: 1e9 };

/**
 * Creates a tally that counts each call of a port as a piece of work for the organization that sent the request.
 */
const createTally = () => {
  const current = new AsyncLocalStorage<Name>();
  const pieces = { greedy: 0, modest: 0 };
  const note = () => {
    const name = current.getStore();
    if (name) pieces[name]++;
  };
  return {
    pieces,
    as: <T>(name: Name, work: () => T): T => current.run(name, work),
    counted: <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]) => {
            note();
            return member.apply(target, given);
          };
        },
      }),
  };
};

/** Wraps a chain, so that it answers in a later turn of the event loop, as over a network. */
const answeringLater = (chain: Chain): Chain =>
  new Proxy(chain, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        await testSystem.breathe();
        return member.apply(target, given);
      };
    },
  });

const organizationIn = async (app: App, name: Name): Promise<Organization> => {
  const by = { actor: { kind: 'operator', id: 'test' } as const, requestId: name };
  const { answer } = await app.organizations.create(by, { name, domain: name });
  const { organization_id: organizationId } = answer;
  await app.rateLimits.set(by, organizationId, '', unlimited);
  const issued = await app.credentials.issue(by, organizationId, { role: 'admin' });
  const { api_key: key, api_secret: secret } = issued.answer;
  await app.progress.reached(issued.position, 10_000);
  return { name, organizationId, key, secret };
};

/** Composes the service with a greedy and a modest organization. The node answers in a later turn of the event loop. */
export const startNeighbours = async (
  address: string,
  open: typeof openStores,
  given: Pick<Partial<Ports>, 'chains' | 'nodes'> = {},
) => {
  const { pieces, as, counted } = createTally();
  const stores = await open();
  const { real } = fakeNode();
  const node: Node = {
    ...real,
    answer: async (call, cancellation) => {
      await testSystem.breathe();
      return real.answer(call, cancellation);
    },
    head: async () => ({ number: 1, hash: `0x${'0'.repeat(64)}` }),
    metrics: () => ({ hits: 0, misses: 0, coalesced: 0, members: [] }),
  };
  const app = composeApp(
    {
      ...stores,
      events: counted(stores.events),
      readModels: counted(stores.readModels),
      pending: counted(stores.pending),
      vault: counted(stores.vault),
    },
    {
      nodes: new Map([
        ...[...(given.nodes ?? [])].map(([at, one]) => [at, { ...one, ...counted({ ask: one.ask }) }] as const),
        [address, { ...node, ...counted({ answer: node.answer }) }],
      ]),
      chains: new Map(
        [...(given.chains ?? [])].map(([tag, one]) => [tag, { ...one, chain: counted(answeringLater(one.chain)) }]),
      ),
    },
  );
  const stop = new AbortController();
  const running = ['projector', 'cache invalidation'].map((name) =>
    supervise(name, processOf(app, name).run, stop.signal, testSystem),
  );
  const [greedy, modest] = [await organizationIn(app, 'greedy'), await organizationIn(app, 'modest')];
  return {
    app,
    stores,
    pieces,
    as,
    greedy,
    modest,
    close: async () => {
      stop.abort();
      await Promise.all(running);
      await stores.close();
    },
  };
};
export type Neighbours = Awaited<ReturnType<typeof startNeighbours>>;

export const signedRequest = (
  by: Credentials,
  path: string,
  request: unknown,
  headers: Record<string, string> = {},
) => {
  const body = JSON.stringify(request);
  return { path, body, headers: { ...sign(by, path, body), ...headers } };
};

/** Passes a complete request to the handler, and calls `answered` with the status when the answer ends. */
const answerTo = (handler: Handler, { path, body, headers }: Asked, answered: (status: number) => void) => {
  const request = new IncomingMessage(new Socket());
  const length = String(Buffer.byteLength(body));
  const sent = { 'content-type': 'application/json', 'content-length': length, ...headers };
  Object.assign(request, { method: 'POST', url: path, headers: sent, complete: true });
  request.push(body);
  request.push(null);
  const response = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { end } = response;
  let status = 0;
  Object.assign(response, {
    headersSent: false,
    setTimeout: () => response,
    writeHead: (given: number) => {
      status = given;
      return Object.assign(response, { headersSent: true });
    },
    end: (...given: Parameters<typeof end>) => {
      answered(status);
      return end.apply(response, given);
    },
  });
  handler(request, response as unknown as ServerResponse);
};

/** Sends a request, and resolves with the result of `look`, which is called at the moment of the answer. */
export const ask = <T>(handler: Handler, asked: Asked, look: (status: number) => T) =>
  new Promise<T>((resolve) => answerTo(handler, asked, (status) => resolve(look(status))));

/**
 * Counts the pieces of work for the greedy organization in each turn of the event loop. The returned function ends the
 * count and returns the maximum number in one turn.
 */
export const watchTurns = (pieces: Readonly<Record<Name, number>>) => {
  let [seen, max, isOver] = [pieces.greedy, 0, false];
  const watching = (async () => {
    while (!isOver) {
      await testSystem.breathe();
      max = Math.max(max, pieces.greedy - seen);
      seen = pieces.greedy;
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return max;
  };
};

/**
 * Sends one request of the modest organization right after many requests of the greedy one. Returns the number of
 * greedy pieces of work that began before the modest request had its answer (`waited`), the maximum number of greedy
 * pieces in one turn of the event loop (`atOnce`), the number of pieces of the modest request itself (`own`), and the
 * statuses of the answers to the greedy requests (`statuses`).
 */
export const askBeside = async (
  { pieces, as, greedy, modest }: Neighbours,
  handler: Handler,
  asked: { readonly greedy: readonly Asked[]; readonly modest: Asked },
) => {
  const stopWatching = watchTurns(pieces);
  const crowd = asked.greedy.map((one) => as(greedy.name, () => ask(handler, one, (status) => status)));
  const before = { ...pieces };
  const answer = await as(modest.name, () =>
    ask(handler, asked.modest, (status) => ({
      status,
      waited: pieces.greedy - before.greedy,
      own: pieces.modest - before.modest,
    })),
  );
  const statuses = await Promise.all(crowd);
  return { ...answer, statuses, atOnce: await stopWatching() };
};
