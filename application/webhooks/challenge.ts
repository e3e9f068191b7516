import { fail } from '../../domain/failure.js';
import type { Addressee, Reception, Sender, WebhookSigner } from '../ports/sender.js';
import type { System } from '../ports/system.js';

type Endpoint = Addressee & { readonly url: string };

/** Accepts the token as the whole answer, or as the member `challenge` of a JSON object. */
const holds = ({ status, answer }: Reception, token: string) => {
  if (status === null || status < 200 || status > 299) return false;
  if (answer.trim() === token) return true;
  try {
    return (JSON.parse(answer) as { challenge?: unknown } | null)?.challenge === token;
  } catch {
    return false;
  }
};

const found = ({ status, failure }: Reception) => (status === null ? failure : `status ${status} without the token`);

/** Asks an endpoint for a token that is sent to it, so that nobody has notifications sent to a host of others. */
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
    const letter = { id: to.webhookId, timestamp, body };
    const reception = await sender.post({ ...letter, url, headers: [], signature: signer.sign(to, letter) });
    if (holds(reception, token)) return;
    fail(
      'FAILED_PRECONDITION',
      `the endpoint must answer the challenge with status 2xx and its token as the body or as {"challenge": token}; it gave: ${found(reception)}`,
    );
  };
