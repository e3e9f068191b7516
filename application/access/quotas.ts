import { organization } from '../../domain/aggregates/organization.js';
import { fail } from '../../domain/failure.js';
import type { QuotaName } from '../../domain/quota.js';
import { type Done, globalContext, type Handle, type Nothing, type Operation, step } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import { type QuotaRecord, readUsage, requireRoom, showUsage } from './quota-guard.js';

export type Quotas = {
  /** Sets a quota. An organization above the new limit keeps its resources but cannot add any. */
  set(by: Operation, organizationId: string, quota: QuotaName, limit: number): Promise<Done<Nothing>>;
  /**
   * Lists every quota with its limit and usage. The usage of `gateway_connections` counts connections to this process
   * only.
   */
  list(organizationId: string): Promise<QuotaRecord[]>;
  /**
   * Counts a gateway connection to this process until the returned function is called. Rejects the connection when the
   * organization has reached its quota, or the token its share of that quota.
   */
  connect(organizationId: string, gatewayTokenId?: string): Promise<() => void>;
};

const createConnectionCounts = () => {
  const counts = new Map<string, number>();
  const of = (holder: string) => counts.get(holder) ?? 0;
  const change = (holder: string, by: number) => {
    const count = of(holder) + by;
    if (count > 0) counts.set(holder, count);
    else counts.delete(holder);
  };
  return { of, change };
};

/** Minimum number of connections in the share of one token, even if half of the organization's limit is less. */
const leastShare = 10;
/**
 * Returns the maximum number of connections of one token: half of the organization's limit, so that other tokens can
 * still connect.
 */
const shareOfToken = (limit: number) => Math.max(leastShare, Math.floor(limit / 2));

const requireShare = ({ quota, limit }: QuotaRecord, used: number) => {
  const share = shareOfToken(limit);
  if (used >= share)
    fail(
      'QUOTA_EXCEEDED',
      `Quota ${quota} exceeded: one gateway token may use ${share} of ${limit}, and ${used} are in use.`,
    );
};

export const createQuotas = ({ handle, readModels }: { handle: Handle; readModels: ReadModels }): Quotas => {
  const connections = createConnectionCounts();
  const stored = async (organizationId: string) => showUsage(await readUsage(readModels, organizationId));
  const withConnections = (organizationId: string) => (one: QuotaRecord) =>
    one.quota === 'gateway_connections' ? { ...one, used: connections.of(organizationId) } : one;
  return {
    set: async (by, organizationId, quota, limit) => {
      const data = { organizationId, quota, limit };
      const position = await handle(globalContext(by, organizationId), [
        step(organization, organizationId, organizationId, { type: 'SetQuota', data }),
      ]);
      return { answer: {}, position };
    },
    list: async (organizationId) => (await stored(organizationId)).map(withConnections(organizationId)),
    connect: async (organizationId, gatewayTokenId) => {
      const found = await stored(organizationId);
      // Connections are counted after the read, in the turn of the event loop that also adds this connection, so that
      // concurrent calls cannot exceed the limit.
      const bounds = found.map(withConnections(organizationId)).filter(({ quota }) => quota === 'gateway_connections');
      for (const one of bounds) {
        requireRoom(one, 1);
        if (gatewayTokenId !== undefined) requireShare(one, connections.of(gatewayTokenId));
      }
      const holders = gatewayTokenId === undefined ? [organizationId] : [organizationId, gatewayTokenId];
      for (const holder of holders) connections.change(holder, 1);
      return () => {
        for (const holder of holders) connections.change(holder, -1);
      };
    },
  };
};
