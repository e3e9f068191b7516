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
  nowhere,
  openStores,
  processOf,
} from '../../tests/support/following/following.js';
import { addressOf } from '../../tests/support/following/running-app.js';
import { testSystem } from '../../tests/support/silent.js';
import { createMadeChain } from './made-chain.js';

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Receiver that fails, and asks for every notification to be repeated a day later. */
export const laterUrl = 'https://receiver.example/later';

const reachMs = 60_000;
const dayMs = 86_400_000;
/** Quotas that no row reaches. */
const plenty = 100;

const createReceivers = () => {
  const waiting = new Map<string, () => void>();
  const sender: Sender = {
    ...nowhere,
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

/** Tells of each append with an event of a type. */
const createAppends = (events: EventStore) => {
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

/** Opens an organization with a wallet of one address, on a service that runs no process but the projector. */
export const openScene = async () => {
  const stores = await openStores();
  const { events, next } = createAppends(stores.events);
  const { sender, posted } = createReceivers();
  const { chain, mine } = createMadeChain();
  const chains = new Map([[followedVariant.tag, { chain, isNew: true }]]);
  const app = composeApp({ ...stores, events }, { sender, chains });
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const start = (...names: readonly string[]) => {
    for (const name of names) running.push(supervise(name, processOf(app, name).run, stop.signal, testSystem));
  };
  start('projector');

  const shown = async (position: Position) => {
    if (!(await app.progress.reached(position, reachMs))) throw new Error('the read models fell behind');
  };
  const by = { actor: { kind: 'operator', id: 'bench' } as const, requestId: 'bench' };
  const created = await app.organizations.create(by, { name: 'bench', domain: 'bench' });
  const { organization_id: organizationId } = created.answer;
  const context: Context = contextOf(organizationId);
  /** Returns a function that runs an operation and waits until the read models include it. */
  const operation = (path: string) => {
    const endpoint = endpoints.find((one) => one.path === path);
    if (endpoint?.operation.kind !== 'command') throw new Error(`${path} is no command`);
    const { operation: command, variant } = endpoint;
    return async <T>(request: object): Promise<T> => {
      const { answer, position } = await command.handle(app, request, { ...context, role: 'admin', variant });
      await shown(position);
      return answer as T;
    };
  };
  for (const quota of quotaNames)
    await operation('/v1/admin/SetQuota')({
      organization_id: organizationId,
      quota,
      limit: defaultQuotas[quota] * plenty,
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
    shown,
    start,
    /** Resolves with the position of the next append that has an event of the type. */
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
