import { type Access, createAccess } from '../access/authenticate.js';
import { type CredentialCache, createCredentialCache } from '../access/credential-cache.js';
import { createCredentialUses } from '../access/credential-uses.js';
import { type Credentials, createCredentials } from '../access/credentials.js';
import type { EventInvalidatedCache } from '../access/event-invalidated-cache.js';
import { createGatewayAuth, type GatewayAuth } from '../access/gateway/gateway-auth.js';
import { createLimitCache } from '../access/limit-cache.js';
import { createOrganizations, type Organizations } from '../access/organizations.js';
import { createQuotas, type Quotas } from '../access/quotas.js';
import { createRateLimits, type RateLimits } from '../access/rate-limits.js';
import { createNonces } from '../access/request-nonces.js';
import { createSessionAuth, type SessionAuth } from '../access/sessions/session-auth.js';
import { createIsProven } from '../audit/proven-credential.js';
import type { Handle } from '../commands/handle.js';
import type { EventStore } from '../ports/event-store.js';
import type { Lists } from '../read-models/paging.js';
import type { Ports } from './service-ports.js';

/** Use cases about callers: authentication, permissions, rate limits and quotas. */
export type AccessUseCases = GatewayAuth &
  SessionAuth & {
    readonly access: Access;
    readonly credentialCache: CredentialCache;
    readonly organizations: Organizations;
    readonly credentials: Credentials;
    readonly rateLimits: RateLimits;
    readonly quotas: Quotas;
  };

export const createAccessUseCases = (
  ports: Ports,
  parts: {
    /**
     * Event store without upcasting, because proofs of credentials hash events in the shape in which they were stored.
     */
    readonly stored: EventStore;
    readonly handle: Handle;
    readonly lists: Lists;
  },
): { readonly useCases: AccessUseCases; readonly caches: readonly EventInvalidatedCache[] } => {
  const { handle, lists, stored } = parts;
  const isProven = createIsProven({ ...ports, events: stored });
  const credentialCache = createCredentialCache({ ...ports, isProven });
  const [limits, uses] = [createLimitCache(ports.events), createCredentialUses(ports)];
  const shared = { ...ports, handle, lists, credentialCache, uses };
  const { tokens, ...gatewayAuth } = createGatewayAuth({ ...shared, limits });
  const sessionAuth = createSessionAuth(shared);
  const nonces = createNonces(ports);
  return {
    useCases: {
      ...gatewayAuth,
      ...sessionAuth,
      access: createAccess({ ...ports, credentials: credentialCache, uses, limits, nonces }),
      credentialCache,
      organizations: createOrganizations(shared),
      credentials: createCredentials({ ...shared, ...sessionAuth }),
      rateLimits: createRateLimits(shared),
      quotas: createQuotas(shared),
    },
    caches: [credentialCache, tokens, limits],
  };
};
