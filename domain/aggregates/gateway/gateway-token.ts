import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/** Keys that the gateway accepts from an organization: its api_keys and its tokens (`api_key`), or only its tokens. */
export const gatewayKeysChoices = ['api_key', 'tokens'] as const;
export type GatewayKeys = (typeof gatewayKeysChoices)[number];

/** Calls that a token allows. An absent list allows all chains, methods or origins. */
export type Grants = {
  name: string;
  chains?: readonly string[];
  /** Documented names of gateway methods, such as `evm_call`. */
  methods?: readonly string[];
  origins?: readonly string[];
  /** ISO time at which the token expires. */
  expireTime?: string;
  perSecondLimit?: number;
};
type Created = Grants & {
  gatewayTokenId: string;
  /** Authenticated encryption of the id, a keyed digest of the token, bound to all other fields against tampering. */
  sealedId: string;
};
type Deleted = { gatewayTokenId: string };

/** Events never contain the token. Deleting a token destroys the key that decrypts `sealedId`. */
export type GatewayTokenEvent =
  | { type: 'GatewayTokenCreated'; data: Created }
  | { type: 'GatewayTokenDeleted'; data: Deleted };
type GatewayTokenCommand = { type: 'Create'; data: Created } | { type: 'Delete'; data: Deleted };
type GatewayToken = { state: 'none' | 'deleted' } | { state: 'active'; created: Created };

export const gatewayToken: Decider<GatewayTokenCommand, GatewayTokenEvent, GatewayToken> = {
  stream: 'gatewaytoken',
  initial: { state: 'none' },
  decide: {
    Create: ({ state }, data) =>
      state === 'none'
        ? [{ type: 'GatewayTokenCreated', data }]
        : fail('ALREADY_EXISTS', `Gateway token already exists: ${data.gatewayTokenId}`),
    Delete: ({ state }, data) =>
      state === 'active'
        ? [{ type: 'GatewayTokenDeleted', data }]
        : fail('NOT_FOUND', `Gateway token not found: ${data.gatewayTokenId}`),
  },
  evolve: {
    GatewayTokenCreated: (_, created) => ({ state: 'active', created }),
    GatewayTokenDeleted: () => ({ state: 'deleted' }),
  },
};
