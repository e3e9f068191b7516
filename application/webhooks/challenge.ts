import { fail } from '../../domain/failure.js';
import type { PostResult, Sender, SigningTarget, WebhookSigner } from '../ports/sender.js';
import type { System } from '../ports/system.js';

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

/** Sends a token that the endpoint must return, so that webhooks cannot target hosts of third parties. */
export const createChallenge =
  ({ sender, signer, system }: { sender: Sender; signer: WebhookSigner; system: System }) =>
  async ({ url, ...to }: Endpoint) => {
    const token = system.secret();
    const timestamp = Math.floor(system.now() / 1000);
    const body = JSON.stringify({
      webhook_id: to.webhookId,
      organization_id: to.organizationId,
      notification_type: 'NOTIFICATION_TYPE_CHALLENGE',
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
