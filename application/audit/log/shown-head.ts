import type { LogHead } from '../../../domain/aggregates/audit/seal-log.js';

/** Head of the log of seals as callers and witnesses see it. */
export type ShownHead = {
  size: number;
  root: string;
  time: string;
  key_id: string;
  signature: string;
};

export const shownHead = ({ size, root, time, keyId, signature }: LogHead): ShownHead => ({
  size,
  root,
  time,
  key_id: keyId,
  signature,
});
