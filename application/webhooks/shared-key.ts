/**
 * Times (Unix ms) at which the signing key shared by all webhooks was deprecated, and at which it stops signing. A receiver
 * that trusts the shared key also accepts notifications that were meant for other organizations.
 */
export const sharedKeyDeprecated = Date.UTC(2026, 10, 17);
export const sharedKeyEnds = Date.UTC(2027, 11, 1);
