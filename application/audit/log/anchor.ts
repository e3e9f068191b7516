import type { LogHead } from '../../../domain/aggregates/audit/seal-log.js';

/** Bytes `chainfold-log-1` in ASCII, by which anchored heads are found among the data of other transactions. */
const tag = '636861696e666f6c642d6c6f672d31';
const form = new RegExp(`^0x${tag}([0-9a-f]{64})([0-9a-f]{16})$`, 'i');

/** Writes the data of a transaction that anchors a head: the tag, 32 bytes of root, and the size in 8 bytes. */
export const anchorData = ({ root, size }: LogHead): string => `0x${tag}${root}${size.toString(16).padStart(16, '0')}`;

/** Reads the head that the data of a transaction anchors; null for any other text. */
export const anchoredIn = (data: string): { readonly size: number; readonly root: string } | null => {
  const [, root, size] = form.exec(data) ?? [];
  return root && size ? { root: root.toLowerCase(), size: Number.parseInt(size, 16) } : null;
};
