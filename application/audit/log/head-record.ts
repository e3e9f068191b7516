import type { LogHead } from '../../../domain/aggregates/audit/seal-log.js';

/** Head of the seal log in API responses and in messages to witnesses. */
export type HeadRecord = {
  size: number;
  root: string;
  time: string;
  key_id: string;
  signature: string;
};

export const toHeadRecord = ({ size, root, time, keyId, signature }: LogHead): HeadRecord => ({
  size,
  root,
  time,
  key_id: keyId,
  signature,
});
