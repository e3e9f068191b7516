import type { EventRecord } from '../../../../application/audit/event-record.js';
import type { Paint } from '../../command/colours.js';
import { csvHeader, csvRow } from './csv.js';
import type { Names } from './names.js';
import { sentenceOf } from './sentences.js';

/** Turns an event into the lines that are printed for it. */
export type Layout = (event: EventRecord) => readonly string[];

const widths = { position: 10, time: 24, type: 26, chain: 6 } as const;
/** Formats all fields of an event. */
export const wideLayout: Layout = (event) => [
  [
    String(event.position).padEnd(widths.position),
    event.commit_time.padEnd(widths.time),
    event.type.padEnd(widths.type),
    event.chain.padEnd(widths.chain),
    `${event.actor.kind} ${event.actor.id}`,
    `request ${event.request_id}\n  ${JSON.stringify(event.data)}`,
  ].join('  '),
];

const dateLength = '2026-01-31'.length;
const timeEnd = '2026-01-31T10:42:03'.length;

/**
 * Creates a layout with one sentence per event. The first event of a request has its time and actor before the
 * sentence, and the first event of a UTC day has a line with the date above it.
 */
export const createSentenceLayout = (names: Names, paint: Paint): Layout => {
  let [date, request] = ['', ''];
  return (event) => {
    const [day, time] = [event.commit_time.slice(0, dateLength), event.commit_time.slice(dateLength + 1, timeEnd)];
    const who = names.actor(event);
    const isSame = day === date && request === `${event.request_id} ${who}`;
    const sentence = sentenceOf(event, names);
    const lines = isSame ? [`           ${sentence}`] : [`${time}  ${paint('bold', who)} ${sentence}`];
    const heading = day === date ? [] : [...(date === '' ? [] : ['']), `${day} UTC`];
    [date, request] = [day, `${event.request_id} ${who}`];
    return [...heading, ...lines];
  };
};

/** Creates a layout with one CSV row per event. The names of the columns precede the first row. */
export const createCsvLayout = (names: Names): Layout => {
  let isFirst = true;
  return (event) => {
    const row = csvRow(event, `${names.actor(event)} ${sentenceOf(event, names)}`);
    const rows = isFirst ? [csvHeader, row] : [row];
    isFirst = false;
    return rows;
  };
};
