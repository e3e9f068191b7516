import type { LogHead } from '../../../domain/aggregates/audit/seal-log.js';

/**
 * ASCII bytes of `chainfold-log-1` in hex. Transaction data that anchors a log head on a chain begins with these bytes.
 */
const tag = '636861696e666f6c642d6c6f672d31';
const form = new RegExp(`^0x${tag}([0-9a-f]{64})([0-9a-f]{16})$`, 'i');

/**
 * Encodes a log head as transaction data, to anchor it on a chain: the tag, the root (32 bytes) and the size (8 bytes).
 */
export const anchorData = ({ root, size }: LogHead): string => `0x${tag}${root}${size.toString(16).padStart(16, '0')}`;

/** Decodes the head from transaction data; null for any other data. */
export const anchoredIn = (data: string): { readonly size: number; readonly root: string } | null => {
  const [, root, size] = form.exec(data) ?? [];
  return root && size ? { root: root.toLowerCase(), size: Number.parseInt(size, 16) } : null;
};
