import type { Handle } from '../../commands/handle.js';
import type { EventStore } from '../../ports/event-store.js';
import type { Limiter } from '../../ports/limiter.js';
import type { System } from '../../ports/system.js';
import type { Vault } from '../../ports/vault.js';
import type { Lists } from '../../read-models/paging.js';
import type { CredentialCache } from '../credential-cache.js';
import type { EventInvalidatedCache } from '../event-invalidated-cache.js';
import type { KnownLimits } from '../limit-cache.js';
import { createGatewayAccess, type GatewayAccess } from './gateway-access.js';
import { createGatewayTokenCache } from './token-cache.js';
import { createGatewayTokens, type GatewayTokens } from './tokens.js';

/** Keys of the gateway: the check of each call, and the records of the tokens. */
export type GatewayDoor = { readonly gatewayAccess: GatewayAccess; readonly gatewayTokens: GatewayTokens };

/** `tokens` is the memory that events keep true. */
export const createGatewayDoor = (ports: {
  handle: Handle;
  events: EventStore;
  lists: Lists;
  vault: Vault;
  credentials: CredentialCache;
  limits: KnownLimits;
  limiter: Limiter;
  system: System;
}): GatewayDoor & { readonly tokens: EventInvalidatedCache } => {
  const tokens = createGatewayTokenCache(ports.events, ports.vault, ports.system);
  return {
    gatewayAccess: createGatewayAccess({ ...ports, tokens }),
    gatewayTokens: createGatewayTokens(ports),
    tokens,
  };
};
