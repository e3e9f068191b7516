import type { HeadRecord } from '../../../application/audit/log/head-record.js';
import { formed, id, int64, named, timestamp } from '../schema.js';

export const hash = formed(64, 64, '^[0-9a-f]{64}$', '64 lowercase hex digits');
export const count = int64({ minimum: 1 });

/** Schema of a signed head of the seal log (docs/specification.md#log-head). */
export const logHead = named<HeadRecord>('LogHead', {
  size: int64({ minimum: 0 }),
  root: hash,
  time: timestamp,
  key_id: id,
  signature: id,
});

type ProvenEvent = { event_id: string; number: number; previous_hash: string; hash: string };
/** Schema of the event in a proof (docs/specification.md#proven-event). */
export const provenEvent = named<ProvenEvent>('ProvenEvent', {
  event_id: id,
  number: count,
  previous_hash: hash,
  hash,
});

/** Fields of a seal that its notification and its proof have in common. */
export const sealFields = { organization_id: id, count, hash, position: int64({ minimum: 0 }) };

type ProvenSeal = {
  organization_id: string;
  count: number;
  hash: string;
  places: string;
  position: number;
  key_id: string;
  signature: string;
};
/** Schema of the seal in a proof (docs/specification.md#proven-seal). */
export const provenSeal = named<ProvenSeal>('ProvenSeal', { ...sealFields, places: hash, key_id: id, signature: id });
