import { openBound } from '../../application/commands/sealed-secret.js';
import { type Finding, fail, ok, warn } from '../../application/maintenance/finding.js';
import type { DocumentKey, Found, ReadModels } from '../../application/ports/read-models.js';
import type { Vault } from '../../application/ports/vault.js';
import { headerContexts, headerKeyId } from '../../application/webhooks/headers.js';
import { secretContexts, webhookKeyId } from '../../application/webhooks/registration/secrets.js';
import { findVariant } from '../../domain/variant.js';
import type { Collection } from '../../projections/define.js';
import {
  type WebhookDocument,
  type WebhookHeaderDocument,
  webhookHeaders,
  webhooks,
} from '../../projections/webhooks.js';
import { maxChecked, named } from './credentials.js';

type Owner = Parameters<typeof secretContexts>[0];
type Secret = {
  readonly id: string;
  readonly keyId: string;
  readonly sealed: string;
  readonly contexts: Parameters<typeof openBound>[3];
};
/** Kind of secret that notifications are sent with. */
type Kind<Doc> = {
  readonly collection: Collection<Doc>;
  readonly what: string;
  /** Command that binds a secret of an earlier version. */
  readonly cure: string;
  readonly secretIn: (document: Doc, owner: Owner) => Secret;
};

const webhookSecrets: Kind<WebhookDocument> = {
  collection: webhooks,
  what: 'secrets of webhooks',
  cure: 'RotateWebhookSecret, after you have compared the endpoint with the one that you registered',
  secretIn: (one, owner) => ({
    id: one.webhook_id,
    keyId: webhookKeyId(one.webhook_id),
    sealed: one.sealed_secret,
    contexts: secretContexts(owner, one),
  }),
};
const headerValues: Kind<WebhookHeaderDocument> = {
  collection: webhookHeaders,
  what: 'values of webhook headers',
  cure: 'RemoveWebhookHeader and RegisterWebhookHeader',
  secretIn: (one, owner) => ({
    id: one.webhook_header_id,
    keyId: headerKeyId(one.webhook_header_id),
    sealed: one.sealed_value,
    contexts: headerContexts(owner, one),
  }),
};

const secretsOf = async function* <Doc>(readModels: Pick<ReadModels, 'scan'>, { collection, secretIn }: Kind<Doc>) {
  let after: DocumentKey | undefined;
  let left = maxChecked;
  do {
    const found: readonly Found<Doc>[] = await readModels.scan(collection, after);
    for (const { scope, document } of found) {
      const [organizationId = '', tag] = scope.split('/');
      const variant = findVariant(tag);
      if (!variant) continue;
      if (left-- === 0) return;
      yield { organizationId, ...secretIn(document, { organizationId, variant }) };
    }
    after = found.at(-1);
  } while (after);
};

type Stores = { readonly readModels: Pick<ReadModels, 'scan'>; readonly vault: Pick<Vault, 'open'> };

const examineKind = async <Doc>({ readModels, vault }: Stores, kind: Kind<Doc>): Promise<Finding> => {
  const [altered, older]: [string[], string[]] = [[], []];
  let bound = 0;
  for await (const { organizationId, id, keyId, sealed, contexts } of secretsOf(readModels, kind)) {
    const opened = await openBound(vault, keyId, sealed, contexts);
    if (opened?.secret === null) continue;
    if (opened?.isBound) bound++;
    else (opened ? older : altered).push(`${id} of ${organizationId}`);
  }
  const { what, cure } = kind;
  if (altered.length > 0)
    return fail(
      `${what} that the stores show for something else than they were sealed for, and that are therefore not used: ${named(altered)}`,
      'find out who writes to the stores (chainfold audit verify, chainfold projections rebuild --compare), and register them again',
    );
  if (older.length > 0)
    return warn(
      `${what} from before secrets were bound to what they are for: ${named(older)}`,
      `call ${cure}; until then, whoever writes to the stores can have them sent elsewhere`,
    );
  return ok(`${bound} ${what} can be decrypted, each bound to what it is for`);
};

/**
 * Decrypts the secrets of webhooks and the values of their headers. Finds those that were changed in the stores, and
 * those of earlier versions, which are bound only to their organization: somebody who writes to the stores could send
 * them elsewhere.
 */
export const examineWebhooks = async (stores: Stores): Promise<readonly Finding[]> => [
  await examineKind(stores, webhookSecrets),
  await examineKind(stores, headerValues),
];
