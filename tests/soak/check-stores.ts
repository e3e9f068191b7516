import { isDeepStrictEqual } from 'node:util';
import { organizationOf, type Recorded } from '../../application/ports/event-store.js';
import type { Home } from '../support/engines/engines.js';
import { eventsIn } from '../support/following/following.js';
import { liveAndRebuilt } from '../support/histories/rebuild.js';
import { isAccepted } from '../support/webhooks/webhook-receiver.js';
import type { Tenant } from './tenant.js';
import { concerning, type Truth } from './truth.js';

type LedgerData = {
  readonly walletId: string;
  readonly block?: { readonly hash: string };
  readonly transfer?: { readonly transaction: string };
  readonly transaction?: string;
};

/** Checks that each event is stored once, in order, and in a stream of its own organization. */
const checkOrder = (events: readonly Recorded[]) => {
  const ids = new Set(events.map(({ id }) => id));
  const late = events.filter(({ position }, i) => i > 0 && position <= (events[i - 1] as Recorded).position);
  const strays = events.filter(
    ({ stream, metadata }) => ![metadata.organizationId, 'system'].includes(organizationOf(stream)),
  );
  return [
    ...(ids.size < events.length ? [`${events.length - ids.size} events are stored twice`] : []),
    ...late.map(({ id }) => `event ${id} is out of order`),
    ...strays.map(({ id, stream }) => `event ${id} of another organization is in ${stream}`),
  ];
};

/** Collects the transfers that were observed and not removed, by wallet, transaction and block. */
const standingIn = (events: readonly Recorded[]) => {
  const standing = new Set<string>();
  for (const { type, data } of events) {
    const { walletId, block, transfer, transaction = transfer?.transaction } = data as LedgerData;
    const key = `${walletId} ${transaction} ${block?.hash}`;
    if (type === 'TransferObserved') standing.add(key);
    if (type === 'TransferRemoved') standing.delete(key);
  }
  return standing;
};

const checkLedgers = (tenant: Tenant, events: readonly Recorded[], truth: Truth) => {
  const standing = standingIn(events);
  const wanted = new Set<string>();
  for (const [walletId, movements] of concerning(truth, tenant))
    for (const { hash, blockHash } of movements.values()) wanted.add(`${walletId} ${hash} ${blockHash}`);
  return [
    ...[...wanted].filter((key) => !standing.has(key)).map((key) => `${key} is on the chain and not in the events`),
    ...[...standing].filter((key) => !wanted.has(key)).map((key) => `${key} is in the events and not on the chain`),
  ];
};

/** Checks that an organization's events name no wallet of another organization. */
const checkOwners = ({ name, addresses }: Tenant, events: readonly Recorded[]) =>
  events
    .map(({ id, data }) => ({ id, walletId: (data as Partial<LedgerData>).walletId }))
    .filter(({ walletId }) => walletId !== undefined && !addresses.has(walletId))
    .map(({ id, walletId }) => `event ${id} of ${name} names the wallet ${walletId}`);

/** Checks that every requested delivery arrived, and that no attempt is recorded that did not happen. */
const checkDeliveries = ({ hooks }: Tenant, events: readonly Recorded[]) => {
  const arrived = new Map<string, number>();
  for (const { receiver } of hooks) for (const { id } of receiver.attempts) arrived.set(id, (arrived.get(id) ?? 0) + 1);
  const taken = new Set(hooks.flatMap(({ receiver }) => receiver.attempts.filter(isAccepted).map(({ id }) => id)));
  const attempted = new Map<string, number>();
  const requested = new Set<string>();
  for (const { type, data } of events) {
    const { deliveryId = '' } = data as { deliveryId?: string };
    if (type === 'DeliveryRequested') requested.add(deliveryId);
    if (type === 'DeliveryAttempted') attempted.set(deliveryId, (attempted.get(deliveryId) ?? 0) + 1);
  }
  return [
    ...[...requested]
      .filter((id) => !taken.has(id))
      .map((id) => `${id} was requested, but never accepted by its receiver`),
    ...[...requested].filter((id) => !attempted.has(id)).map((id) => `${id} was requested, but no attempt is recorded`),
    ...[...arrived.keys()].filter((id) => !requested.has(id)).map((id) => `${id} arrived, but was never requested`),
    ...[...attempted]
      .filter(([id, times]) => times > (arrived.get(id) ?? 0))
      .map(([id]) => `${id} has more recorded attempts than arrivals`),
  ];
};

const checkRebuilt = async (home: Home, tenants: readonly Tenant[]) => {
  const organizations = tenants.map(({ organizationId }) => organizationId);
  const { live, rebuilt } = await liveAndRebuilt(home, organizations);
  return Object.keys(live)
    .filter((scope) => !isDeepStrictEqual(live[scope], rebuilt[scope]))
    .map((scope) => `the read models of ${scope} differ from a rebuild`);
};

/** Checks the stores once every process has ended. */
export const checkStores = async (home: Home, tenants: readonly Tenant[], truth: Truth): Promise<string[]> => {
  const events = await eventsIn(home);
  const violations = checkOrder(events);
  for (const tenant of tenants) {
    const own = events.filter(({ metadata }) => metadata.organizationId === tenant.organizationId);
    violations.push(...checkLedgers(tenant, own, truth), ...checkOwners(tenant, own), ...checkDeliveries(tenant, own));
  }
  return [...violations, ...(await checkRebuilt(home, tenants))];
};
