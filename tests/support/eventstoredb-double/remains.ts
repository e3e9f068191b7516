import { randomUUID } from 'node:crypto';
import type { ProposedEvent, StoredEvent } from './events.js';

/** Part of a stream that can still be read: all of it from the first visible revision on, or nothing. */
export type Remains =
  | { readonly kind: 'visible'; readonly first: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'tombstoned' };

/** Value of `$tb` ("truncate before") with which a server deletes a stream without a tombstone. */
export const softDeleted = Number.MAX_SAFE_INTEGER;
const tombstoneType = '$streamDeleted';

export const metadataStreamOf = (stream: string) => `$$${stream}`;

const systemEvent = (type: string, data: object): ProposedEvent => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(JSON.stringify(data)),
  metadata: new Uint8Array(),
});
export const metadataOf = (metadata: object) => systemEvent('$metadata', metadata);
export const tombstone = () => systemEvent(tombstoneType, {});

/** Returns the part of a stream that deletion and the metadata `$maxCount` and `$tb` leave readable. */
export const remainsOf = (stream: (name: string) => readonly StoredEvent[], name: string): Remains => {
  const events = stream(name);
  if (events.at(-1)?.type === tombstoneType) return { kind: 'tombstoned' };
  const newest = name.startsWith('$$') ? undefined : stream(metadataStreamOf(name)).at(-1);
  if (!newest) return { kind: 'visible', first: 0 };
  const { $tb = 0, $maxCount = events.length } = JSON.parse(Buffer.from(newest.data).toString('utf8')) as {
    $tb?: number;
    $maxCount?: number;
  };
  if ($tb >= softDeleted) return { kind: 'deleted' };
  return { kind: 'visible', first: Math.max($tb, events.length - $maxCount) };
};
