import type { EventRecord } from '../../../../application/audit/event-record.js';
import { quoted } from '../../command/rfc4180.js';

const columns = [
  'position',
  'commit_time',
  'type',
  'chain',
  'actor_kind',
  'actor_id',
  'request_id',
  'event_id',
  'stream',
  'sentence',
  'data',
] as const;

/** Joins the values of a row. The caller ends the line with a line feed, so only the carriage return is added. */
const rowOf = (values: readonly string[]) => `${values.map(quoted).join(',')}\r`;

export const csvHeader = rowOf(columns);

export const csvRow = (event: EventRecord, sentence: string): string => {
  const { position, commit_time, type, chain, actor, request_id, event_id, stream, data } = event;
  const cells: Readonly<Record<(typeof columns)[number], string>> = {
    position: String(position),
    commit_time,
    type,
    chain,
    actor_kind: actor.kind,
    actor_id: actor.id,
    request_id,
    event_id,
    stream,
    sentence,
    data: JSON.stringify(data),
  };
  return rowOf(columns.map((column) => cells[column]));
};
