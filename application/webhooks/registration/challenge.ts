import { fail, invalid } from '../../../domain/failure.js';
import { webhooks } from '../../../projections/webhooks.js';
import { type Context, scopeFor } from '../../commands/handle.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { PostResult, Sender, SigningTarget, WebhookSigner } from '../../ports/sender.js';
import type { System } from '../../ports/system.js';
import { everyDocument } from '../../read-models/paging.js';

/** Notification type of a challenge. */
export const challengeNotification = 'NOTIFICATION_TYPE_CHALLENGE';

type Endpoint = SigningTarget & { readonly url: string };

/** Returns true when the response is the token, or a JSON object with the token as `challenge`. */
const hasToken = ({ status, answer }: PostResult, token: string) => {
  if (status === null || status < 200 || status > 299) return false;
  if (answer.trim() === token) return true;
  try {
    return (JSON.parse(answer) as { challenge?: unknown } | null)?.challenge === token;
  } catch {
    return false;
  }
};

const outcomeOf = ({ status, failure }: PostResult) =>
  status === null ? failure : `it answered ${status} without the token`;

/**
 * Creates a function that sends a token to an endpoint, which must return the token, so that webhooks cannot target
 * hosts of third parties.
 */
const createChallenge =
  ({ sender, signer, system }: { sender: Sender; signer: WebhookSigner; system: System }) =>
  async ({ url, ...to }: Endpoint) => {
    const token = system.secret();
    const timestamp = Math.floor(system.now() / 1000);
    const body = JSON.stringify({
      webhook_id: to.webhookId,
      organization_id: to.organizationId,
      notification_type: challengeNotification,
      challenge: token,
    });
    const message = { id: to.webhookId, timestamp, body };
    const reception = await sender.post({ ...message, url, headers: [], signature: signer.sign(to, message) });
    if (hasToken(reception, token)) return;
    fail(
      'FAILED_PRECONDITION',
      `Webhook endpoint failed the challenge: ${outcomeOf(reception)}. Expected status 2xx with the token as the body or as {"challenge": "<token>"}.`,
    );
  };

/** Creates the checks that a webhook's endpoint must pass before the endpoint is stored. */
export const createEndpointCheck = (ports: {
  readModels: ReadModels;
  sender: Sender;
  signer: WebhookSigner;
  system: System;
  /** True when an endpoint on a new host must pass a challenge. */
  challengeEndpoints: boolean;
}) => {
  const { readModels, sender, challengeEndpoints } = ports;
  const challenge = createChallenge(ports);
  const isKnownHost = async (context: Context, endpoint: string) => {
    const { host } = new URL(endpoint);
    for await (const known of everyDocument(readModels, webhooks, scopeFor(context)))
      if (new URL(known.endpoint).host === host) return true;
    return false;
  };
  return {
    /** Rejects a URL that breaks a rule of the egress guard. */
    requireAllowed: (endpoint: string) => {
      const reason = sender.check(endpoint);
      if (reason !== null) invalid('/webhook_endpoint', reason);
    },
    /** Challenges an endpoint on a host that is new to the organization, if challenges are enabled. */
    requireAnswer: async (context: Context, webhookId: string, url: string, secret: string) => {
      const { organizationId } = context;
      if (challengeEndpoints && !(await isKnownHost(context, url)))
        await challenge({ organizationId, webhookId, url, secret });
    },
  };
};
export type EndpointCheck = ReturnType<typeof createEndpointCheck>;
