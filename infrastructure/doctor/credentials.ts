import { createCredentialLookup } from '../../application/access/credential-cache.js';
import { type Finding, fail, ok, warn } from '../../application/maintenance/finding.js';
import type { EventStore } from '../../application/ports/event-store.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import type { Vault } from '../../application/ports/vault.js';
import { everyDocument } from '../../application/read-models/paging.js';
import { globalVariant } from '../../domain/variant.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import { credentials, organizations } from '../../projections/organizations.js';

/** Maximum number of secrets of a kind that are checked, so that the check ends soon even with very many secrets. */
export const maxChecked = 5000;
const maxNamed = 5;
export const named = (all: readonly string[]) => `${all.slice(0, maxNamed).join(', ')} (${all.length} in total)`;

const keysOf = async function* (readModels: ReadModels) {
  let left = maxChecked;
  for await (const { organization_id } of everyDocument(readModels, organizations, systemOwner))
    for await (const { api_key } of everyDocument(
      readModels,
      credentials,
      scopeOf(organization_id, globalVariant.tag),
    )) {
      if (left-- === 0) return;
      yield { organization_id, api_key };
    }
};

/** Returns a shortened form of an API key, which cannot be used for authentication. */
const shortKey = (apiKey: string) => `ck_${apiKey.split('_')[2]?.slice(0, 8)}`;

/**
 * Decrypts the secrets of credentials to find credentials whose role was changed in the event store after they were
 * issued.
 */
export const examineCredentials = async (stores: {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly vault: Pick<Vault, 'open'>;
}): Promise<readonly Finding[]> => {
  // Treats the roles of older credentials, which are not bound to their secrets, as proven. Only the seals protect
  // these roles, and checking the seals is left to the audit (chainfold audit verify).
  const lookUp = createCredentialLookup({ ...stores, isProven: async () => true });
  const altered: string[] = [];
  let [opened, older] = [0, 0];
  for await (const { organization_id, api_key } of keysOf(stores.readModels)) {
    const found = await lookUp(api_key);
    if (found.kind === 'altered') altered.push(`${shortKey(api_key)} of ${organization_id}`);
    if (found.kind !== 'active') continue;
    opened++;
    if (!found.isBound) older++;
  }
  if (altered.length > 0)
    return [
      fail(
        `changed in the event store, and therefore rejected: ${named(altered)}`,
        'find out who writes to the event store (chainfold audit verify), and issue new credentials',
      ),
    ];
  if (older > 0)
    return [
      warn(
        `${older} of ${opened} were issued before secrets were bound to roles`,
        'replace them (chainfold credential issue --rotate); until then, only seals protect their roles',
      ),
    ];
  return [ok(`${opened} can be decrypted, each bound to its role`)];
};
