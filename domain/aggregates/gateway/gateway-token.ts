import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/** Way into the gateway: the api_keys of an organization and its tokens, or its tokens alone. */
export const gatewayKeysChoices = ['api_key', 'tokens'] as const;
export type GatewayKeys = (typeof gatewayKeysChoices)[number];

/** Calls that a token is for; an absent list leaves its kind open. */
export type Grants = {
  name: string;
  chains?: readonly string[];
  /** Names of methods as the gateway documents them. */
  methods?: readonly string[];
  origins?: readonly string[];
  /** ISO time from which the token is refused. */
  expireTime?: string;
  perSecondLimit?: number;
};
type Created = Grants & {
  gatewayTokenId: string;
  /** The id, which is a keyed digest of the token, sealed together with every fact, so that none can be changed. */
  sealedId: string;
};
type Deleted = { gatewayTokenId: string };

/** Events hold no token; the key that opens `sealedId` is destroyed when the token is deleted. */
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
        : fail('ALREADY_EXISTS', 'this gateway token was created before'),
    Delete: ({ state }, data) =>
      state === 'active'
        ? [{ type: 'GatewayTokenDeleted', data }]
        : fail('NOT_FOUND', `there is no gateway token ${data.gatewayTokenId}`),
  },
  evolve: {
    GatewayTokenCreated: (_, created) => ({ state: 'active', created }),
    GatewayTokenDeleted: () => ({ state: 'deleted' }),
  },
};
