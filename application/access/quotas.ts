import { organization } from '../../domain/aggregates/organization.js';
import { fail } from '../../domain/failure.js';
import type { QuotaName } from '../../domain/quota.js';
import { type Done, globalContext, type Handle, type Nothing, type Operation, step } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import { type QuotaRecord, readUsage, requireRoom, showUsage } from './quota-guard.js';

export type Quotas = {
  /** Sets a quota; an organization that has more keeps them and gets no further ones. */
  set(by: Operation, organizationId: string, quota: QuotaName, limit: number): Promise<Done<Nothing>>;
  /** Lists every quota with its limit and its use, and of connections those of this process. */
  list(organizationId: string): Promise<QuotaRecord[]>;
  /**
   * Counts a connection to the gateway of this process until the returned function is called; refuses when the
   * organization has as many as it may have, or the token its share of them.
   */
  connect(organizationId: string, gatewayTokenId?: string): Promise<() => void>;
};

/** Counts connections by organization and by token. */
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

/** Connections that one token may have in any case. */
const leastShare = 10;
/** Returns the share of an organization's connections that one token may have, so that it leaves some to the others. */
const shareOfToken = (limit: number) => Math.max(leastShare, Math.floor(limit / 2));

const requireShare = ({ quota, limit }: QuotaRecord, used: number) => {
  const share = shareOfToken(limit);
  if (used >= share)
    fail('QUOTA_EXCEEDED', `the quota ${quota} is ${limit}, of which one token has at most ${share}: ${used} are used`);
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
      // Counted after the wait, so that connections that are opened at the same time see each other.
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
