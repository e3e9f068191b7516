import type { Recorded } from '../ports/event-store.js';

/** Event in API responses and exports. */
export type EventRecord = {
  position: number;
  commit_time: string;
  occur_time: string;
  event_id: string;
  stream: string;
  type: string;
  chain: string;
  actor: { kind: string; id: string };
  request_id: string;
  causation_id: string;
  correlation_id: string;
  data: object;
};

export const toEventRecord = ({ position, time, id, stream, type, data, metadata }: Recorded): EventRecord => ({
  position,
  commit_time: new Date(time).toISOString(),
  occur_time: metadata.occurredAt,
  event_id: id,
  stream,
  type,
  chain: metadata.variant,
  actor: metadata.actor,
  request_id: metadata.requestId,
  causation_id: metadata.causationId,
  correlation_id: metadata.correlationId,
  data,
});
