import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../application/async/group-by.js';
import { everyPage } from '../support/following/following.js';
import { type Attempt, isAccepted } from '../support/webhooks/webhook-receiver.js';
import type { Hook, Tenant } from './tenant.js';
import { concerning, type Truth } from './truth.js';
import type { World } from './world.js';

type Data = {
  readonly wallet_id: string;
  readonly state: string;
  readonly transfer?: { readonly transaction_hash: string };
  readonly transaction?: { readonly transaction_id: string; readonly transaction_state: string };
};
type WebhookMessage = { readonly webhook_history_id: string; readonly webhook_id: string; readonly data: Data };
const messageIn = ({ body }: Attempt) => JSON.parse(body) as WebhookMessage;

/** Number of deliveries of one webhook that a process sends at once. */
const inHand = 8;

const historiesOf = (tenant: Tenant, webhook_id: string) =>
  everyPage(async (page_token = '') => {
    const asked = { webhook_id, page_size: 100, page_token };
    const { webhook_histories, pagination } = await tenant.api().listWebhookHistories(asked);
    return { documents: webhook_histories, nextPageToken: pagination.next_page_token };
  });

/** Collects the deliveries that arrived, by id, each with the body of its first attempt. */
const arrivedAt = ({ receiver }: Hook) => {
  const messages = new Map<string, WebhookMessage>();
  for (const attempt of receiver.attempts) if (!messages.has(attempt.id)) messages.set(attempt.id, messageIn(attempt));
  return messages;
};

const wantedBy = (tenant: Tenant, { walletId: only }: Hook, truth: Truth) => {
  const covered = [...concerning(truth, tenant)].filter(([walletId]) => only === null || only === walletId);
  return new Set(
    covered.flatMap(([walletId, movements]) => [...movements.keys()].map((hash) => `${walletId} ${hash}`)),
  );
};

/**
 * Checks that the number of reports minus the number of retractions (state REMOVED) is 1 for each transfer on the
 * chain, and 0 for any other transfer.
 */
const checkReportedTransfers = (tenant: Tenant, hook: Hook, truth: Truth) => {
  const net = new Map<string, number>();
  for (const { data } of arrivedAt(hook).values()) {
    if (!data.transfer) continue;
    const key = `${data.wallet_id} ${data.transfer.transaction_hash}`;
    net.set(key, (net.get(key) ?? 0) + (data.state === 'TRANSFER_STATE_REMOVED' ? -1 : 1));
  }
  const wanted = wantedBy(tenant, hook, truth);
  return [...new Set([...net.keys(), ...wanted])]
    .filter((key) => (net.get(key) ?? 0) !== (wanted.has(key) ? 1 : 0))
    .map(
      (key) =>
        `${hook.webhookId}: reports minus removals of ${key} are ${net.get(key) ?? 0}, expected ${wanted.has(key) ? 1 : 0}`,
    );
};

/** Checks that the final state of every payment was reported. */
const checkReportedPayments = ({ payments, sender }: Tenant, hook: Hook) => {
  if (hook.walletId !== null && hook.walletId !== sender.walletId) return [];
  const reported = new Map<string, Set<string>>();
  for (const { data } of arrivedAt(hook).values()) {
    const { transaction_id = '', transaction_state = '' } = data.transaction ?? {};
    if (data.transaction)
      reported.set(transaction_id, (reported.get(transaction_id) ?? new Set()).add(transaction_state));
  }
  return [...payments]
    .map(([id, { canceled }]) => [id, `TRANSACTION_STATE_${canceled ? 'CANCELED' : 'CONFIRMED'}`] as const)
    .filter(([id, state]) => !reported.get(id)?.has(state))
    .map(([id, state]) => `${hook.webhookId}: ${id} was never reported as ${state}`);
};

const checkHistories = async (tenant: Tenant, hook: Hook) => {
  const messages = arrivedAt(hook);
  const histories = await historiesOf(tenant, hook.webhookId);
  const came = groupBy(hook.receiver.attempts, ({ id }) => id);
  const known = new Set(histories.map(({ webhook_history_id }) => webhook_history_id));
  return [
    ...histories.flatMap(({ webhook_history_id: id, webhook_status, delivery_count, data }) => {
      const attempts = came.get(id) ?? [];
      if (webhook_status !== 'WEBHOOK_STATUS_COMPLETED') return [`${id} is ${webhook_status}`];
      if (!attempts.some(isAccepted)) return [`${id} is recorded as delivered, but did not arrive`];
      if (delivery_count > attempts.length)
        return [`${id} arrived ${attempts.length} times, but ${delivery_count} attempts are recorded`];
      return isDeepStrictEqual(messages.get(id)?.data, data)
        ? []
        : [`${id} arrived with other data than its history has`];
    }),
    ...[...messages.keys()].filter((id) => !known.has(id)).map((id) => `${id} arrived and has no history`),
  ];
};

/** Checks that deliveries were not repeated after their success more often than the kills of deliverers explain. */
const checkDoubles = ({ tally }: World, hooks: readonly Hook[]) => {
  const doubled = hooks.reduce(
    (sum, { receiver }) => sum + receiver.attempts.filter(isAccepted).length - receiver.acceptedIds.size,
    0,
  );
  const excused = tally.of('kill -9 of the deliverer') * inHand * hooks.length;
  return doubled > excused ? [`${doubled} deliveries arrived again, but kills explain only ${excused}`] : [];
};

/** Checks that each delivery is signed for its webhook, has one body, and belongs to the receiver's organization. */
const checkMessages = (tenant: Tenant, { webhookId, receiver }: Hook) => {
  const bodies = new Map<string, string>();
  return [
    ...receiver.complaints,
    ...receiver.attempts.flatMap((attempt) => {
      const { webhook_id, webhook_history_id, data } = messageIn(attempt);
      const isOwn = webhook_id === webhookId && tenant.addresses.has(data.wallet_id);
      const body = bodies.get(attempt.id) ?? attempt.body;
      bodies.set(attempt.id, body);
      if (!isOwn) return [`${attempt.id} came to ${tenant.name}, but belongs to ${webhook_id}, ${data.wallet_id}`];
      return body === attempt.body && webhook_history_id === attempt.id
        ? []
        : [`${attempt.id} came with two bodies or two ids`];
    }),
  ];
};

/** Compares what receivers got with the chain and with the delivery histories. */
export const checkNotices = async (world: World, tenants: readonly Tenant[], truth: Truth): Promise<string[]> => {
  const violations = checkDoubles(
    world,
    tenants.flatMap(({ hooks }) => hooks),
  );
  for (const tenant of tenants)
    for (const hook of tenant.hooks)
      violations.push(
        ...checkMessages(tenant, hook),
        ...checkReportedTransfers(tenant, hook, truth),
        ...checkReportedPayments(tenant, hook),
        ...(await checkHistories(tenant, hook)),
      );
  return violations;
};
