import { type GatewayKeys, type Grants, gatewayToken } from '../../../domain/aggregates/gateway/gateway-token.js';
import { gatewayKeysOf, organization } from '../../../domain/aggregates/organization.js';
import { fail } from '../../../domain/failure.js';
import { globalVariant } from '../../../domain/variant.js';
import { scopeOf } from '../../../projections/define.js';
import { type GatewayTokenDocument, gatewayTokens } from '../../../projections/organizations.js';
import { type Done, globalContext, type Handle, type Nothing, type Operation, step } from '../../commands/handle.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import { withSealedSecret } from '../../commands/sealed-secret.js';
import type { EventStore } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { Vault } from '../../ports/vault.js';
import type { ListPage, Lists, PageRequest } from '../../read-models/paging.js';
import { tokenContext, tokenFor, tokenIdOf, tokenKeyId } from './token-cache.js';

export type GatewayTokens = {
  /** Creates a token. The token is returned only here, and to a retry of the same request. */
  create(
    by: Operation,
    organizationId: string,
    grants: Grants,
  ): Promise<Done<{ gateway_token_id: string; token: string }>>;
  delete(by: Operation, organizationId: string, gatewayTokenId: string): Promise<Done<Nothing>>;
  list(organizationId: string, page: PageRequest): Promise<ListPage<GatewayTokenDocument>>;
  /** Sets which keys authenticate the organization's gateway calls. */
  setKeys(by: Operation, organizationId: string, gatewayKeys: GatewayKeys): Promise<Done<Nothing>>;
  keys(organizationId: string): Promise<GatewayKeys>;
};

export const createGatewayTokens = (ports: {
  handle: Handle;
  events: EventStore;
  lists: Lists;
  vault: Vault;
  system: System;
}): GatewayTokens => {
  const { handle, events, lists, vault, system } = ports;
  const stateOf = (organizationId: string, gatewayTokenId: string) =>
    readAggregate(events, gatewayToken, organizationId, gatewayTokenId);

  return {
    create: async (by, organizationId, grants) => {
      if (grants.expireTime !== undefined && Date.parse(grants.expireTime) <= system.now())
        fail('INVALID_ARGUMENT', `expire_time must be in the future, not ${grants.expireTime}`);
      const existing = { type: 'RequireExisting', data: { organizationId } } as const;
      const steps = [step(organization, organizationId, organizationId, existing)];
      // The organization is checked first, so that the vault creates no data key if the organization does not exist.
      await handle(globalContext(by, organizationId), steps);
      // A retry derives the same token as the first attempt.
      const random = by.idSeed === undefined ? system.secret() : system.sign('idempotent-token', by.idSeed);
      const token = tokenFor(organizationId, random.slice(0, 32));
      const gatewayTokenId = tokenIdOf(system, token);
      if ((await stateOf(organizationId, gatewayTokenId)).state === 'deleted')
        fail(
          'FAILED_PRECONDITION',
          'The gateway token created by the first attempt of this request was deleted. Use a new idempotency-key.',
        );
      // Yields to other requests before the command reads its streams.
      await system.breathe();
      const [keyId, context] = [tokenKeyId(gatewayTokenId), tokenContext(organizationId, gatewayTokenId, grants)];
      const sealedId = await vault.seal(keyId, gatewayTokenId, context);
      const data = { gatewayTokenId, ...grants, sealedId };
      const position = await withSealedSecret(vault, keyId, () =>
        handle(globalContext(by, organizationId), [
          ...steps,
          step(gatewayToken, organizationId, gatewayTokenId, { type: 'Create', data }),
        ]),
      );
      return { answer: { gateway_token_id: gatewayTokenId, token }, position };
    },
    delete: async (by, organizationId, gatewayTokenId) => {
      const position = await handle(globalContext(by, organizationId), [
        step(gatewayToken, organizationId, gatewayTokenId, { type: 'Delete', data: { gatewayTokenId } }),
      ]);
      // The shredder would also destroy the data key, but later: the token must be unusable as soon as the request
      // succeeds.
      await vault.destroyKey(tokenKeyId(gatewayTokenId));
      return { answer: {}, position };
    },
    list: (organizationId, page) =>
      lists(gatewayTokens, scopeOf(organizationId, globalVariant.tag), { index: 'all', equal: [] }, page),
    setKeys: async (by, organizationId, gatewayKeys) => {
      const position = await handle(globalContext(by, organizationId), [
        step(organization, organizationId, organizationId, {
          type: 'SetGatewayKeys',
          data: { organizationId, gatewayKeys },
        }),
      ]);
      return { answer: {}, position };
    },
    keys: async (organizationId) =>
      gatewayKeysOf(await readAggregate(events, organization, organizationId, organizationId)),
  };
};
