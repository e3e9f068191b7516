/**
 * Times, in Unix ms, since when the key that signed for all webhooks is deprecated, and from which on it signs nothing. A
 * receiver that relies on it believes notices that were sent to other organizations.
 */
export const sharedKeyDeprecated = Date.UTC(2026, 10, 17);
export const sharedKeyEnds = Date.UTC(2027, 11, 1);
