import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/**
 * Keys that the gateway accepts from an organization: its api_keys and its tokens (`api_key`), or only its tokens
 * (`tokens`).
 */
export const gatewayKeysChoices = ['api_key', 'tokens'] as const;
export type GatewayKeys = (typeof gatewayKeysChoices)[number];

/** Calls that a token allows. An absent list restricts nothing. */
export type Grants = {
  /** Name of the token. */
  name: string;
  /** Tags of the chains that the token allows, such as C; absent for every chain. */
  chains?: readonly string[];
  /** Documented names of the gateway methods that the token allows, such as `evm_call`; absent for every method. */
  methods?: readonly string[];
  /**
   * Origins of the web pages that may use the token. If absent, no origin is rejected, but web pages cannot read the
   * responses.
   */
  origins?: readonly string[];
  /** ISO 8601 time from which the token is rejected; absent if it does not expire. */
  expireTime?: string;
  /**
   * Maximum total cost per second, in units, of the calls made with the token; absent if only the organization's limits
   * apply.
   */
  perSecondLimit?: number;
};
type Deleted = {
  /** Id of the token: a keyed digest of the token. */
  gatewayTokenId: string;
};
type Created = Grants &
  Deleted & {
    /**
     * Id of the token, encrypted. The encryption also covers all other fields, so a changed field is detected.
     */
    sealedId: string;
  };

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
