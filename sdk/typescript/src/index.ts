export { type Client, createClient } from './client.js';
export { ConnectionError, type Problem, ProblemError, WebhookVerificationError } from './errors.js';
export * from './generated.js';
export type { Authenticate, CallOptions, ClientOptions, RequestToSend } from './options.js';
export { type VerificationOptions, verifyWebhook, type WebhookNotification } from './webhook.js';
