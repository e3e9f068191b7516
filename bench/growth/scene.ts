import { type Context, createHandle } from '../../application/commands/handle.js';
import type { EventStore, Position } from '../../application/ports/event-store.js';
import type { Sender } from '../../application/ports/sender.js';
import { supervise } from '../../application/processes/supervise.js';
import { defaultQuotas, quotaNames } from '../../domain/quota.js';
import { endpoints } from '../../interfaces/operations/index.js';
import {
  composeApp,
  contextOf,
  followedVariant,
  openStores,
  processOf,
  unusedSender,
} from '../../tests/support/following/following.js';
import { addressOf } from '../../tests/support/following/running-app.js';
import { testSystem } from '../../tests/support/silent.js';
import { createFakeChain } from './fake-chain.js';

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** URL of a receiver that fails every delivery and asks for a retry a day later. */
export const laterUrl = 'https://receiver.example/later';

const projectTimeoutMs = 60_000;
const dayMs = 86_400_000;
/** Factor by which the default quotas are raised, so that no measurement reaches them. */
const quotaFactor = 100;

const createReceivers = () => {
  const waiting = new Map<string, () => void>();
  const sender: Sender = {
    ...unusedSender,
    post: async ({ id, url }) => {
      waiting.get(id)?.();
      waiting.delete(id);
      const isLater = url === laterUrl;
      const retryAt = isLater ? Date.now() + dayMs : null;
      return { status: isLater ? 500 : 200, failure: '', durationMs: 1, answer: '', retryAt };
    },
  };
  const posted = (id: string) => new Promise<void>((resolve) => waiting.set(id, resolve));
  return { sender, posted };
};

/** Wraps the event store. `next` waits for the next append that has an event of the given type. */
const createAppendWatcher = (events: EventStore) => {
  const waiting = new Map<string, (position: Position) => void>();
  const append: EventStore['append'] = async (writes) => {
    const position = await events.append(writes);
    for (const { type } of writes.flatMap((write) => write.events)) {
      waiting.get(type)?.(position);
      waiting.delete(type);
    }
    return position;
  };
  const next = (type: string) => new Promise<Position>((resolve) => waiting.set(type, resolve));
  return { events: { ...events, append }, next };
};

/** Opens an organization with a wallet of one address, on a service that runs only the projector. */
export const openScene = async () => {
  const stores = await openStores();
  const { events, next } = createAppendWatcher(stores.events);
  const { sender, posted } = createReceivers();
  const { chain, mine } = createFakeChain();
  const chains = new Map([[followedVariant.tag, { chain, isNew: true }]]);
  const app = composeApp({ ...stores, events }, { sender, chains });
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const start = (...names: readonly string[]) => {
    for (const name of names) running.push(supervise(name, processOf(app, name).run, stop.signal, testSystem));
  };
  start('projector');

  const untilProjected = async (position: Position) => {
    if (!(await app.progress.reached(position, projectTimeoutMs)))
      throw new Error(`Read models did not reach position ${position} within ${projectTimeoutMs} ms`);
  };
  const by = { actor: { kind: 'operator', id: 'bench' } as const, requestId: 'bench' };
  const created = await app.organizations.create(by, { name: 'bench', domain: 'bench' });
  const { organization_id: organizationId } = created.answer;
  const context: Context = contextOf(organizationId);
  /** Returns a function that runs an operation and waits until the read models include its events. */
  const operation = (path: string) => {
    const endpoint = endpoints.find((one) => one.path === path);
    if (endpoint?.operation.kind !== 'command') throw new Error(`Not a command: ${path}`);
    const { operation: command, variant } = endpoint;
    return async <T>(request: object): Promise<T> => {
      const { answer, position } = await command.handle(app, request, { ...context, role: 'admin', variant });
      await untilProjected(position);
      return answer as T;
    };
  };
  for (const quota of quotaNames)
    await operation('/v1/admin/SetQuota')({
      organization_id: organizationId,
      quota,
      limit: defaultQuotas[quota] * quotaFactor,
    });
  const address = addressOf(1);
  const wallet = { name: 'one', address, confirmation: 1 };
  const { wallet_id: walletId } = await operation('/v1/c/RegisterWallet')<{ wallet_id: string }>(wallet);

  return {
    app,
    handle: createHandle(events, testSystem),
    context,
    organizationId,
    walletId,
    address,
    operation,
    untilProjected,
    start,
    /** Resolves to the position of the next append that has an event of the type. */
    next,
    mine,
    /** Resolves when the delivery is posted. */
    posted,
    close: async () => {
      stop.abort();
      await Promise.all(running);
      await stores.close();
    },
  };
};
