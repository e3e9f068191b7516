import type { Handle } from '../../commands/handle.js';
import type { EventStore } from '../../ports/event-store.js';
import type { Limiter } from '../../ports/limiter.js';
import type { System } from '../../ports/system.js';
import type { Vault } from '../../ports/vault.js';
import type { Lists } from '../../read-models/paging.js';
import type { CredentialCache } from '../credential-cache.js';
import type { CredentialUses } from '../credential-uses.js';
import type { EventInvalidatedCache } from '../event-invalidated-cache.js';
import type { LimitCache } from '../limit-cache.js';
import { createGatewayAccess, type GatewayAccess } from './gateway-access.js';
import { createGatewayTokenCache } from './token-cache.js';
import { createGatewayTokens, type GatewayTokens } from './tokens.js';

/** Authentication of gateway calls, and the use cases that manage gateway tokens. */
export type GatewayAuth = { readonly gatewayAccess: GatewayAccess; readonly gatewayTokens: GatewayTokens };

/**
 * Creates gateway access and token management. The caller must keep the token cache, `tokens`, current with
 * `invalidateFromEvents`.
 */
export const createGatewayAuth = (ports: {
  handle: Handle;
  events: EventStore;
  lists: Lists;
  vault: Vault;
  credentialCache: CredentialCache;
  uses: Pick<CredentialUses, 'note'>;
  limits: LimitCache;
  limiter: Limiter;
  system: System;
}): GatewayAuth & { readonly tokens: EventInvalidatedCache } => {
  const tokens = createGatewayTokenCache(ports.events, ports.vault, ports.system);
  return {
    gatewayAccess: createGatewayAccess({ ...ports, tokens }),
    gatewayTokens: createGatewayTokens(ports),
    tokens,
  };
};
