import type { Verdict } from '../export-file.js';
import type { Evidence } from './evidence.js';
import type { Manifest } from './manifest.js';

type Described = Pick<Manifest['files'][number], 'name' | 'contents'>;

const timeText = (time: number) => new Date(time).toISOString();
const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
const columns = (rows: readonly (readonly [string, string])[]) => {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`);
};

/** Splits a fingerprint into groups of four digits, so that people can compare it. */
export const fingerprintText = (fingerprint: string) => fingerprint.match(/.{4}/g)?.join(' ') ?? '';

const lastWidth = 100;
/** Breaks a text into lines at spaces. */
const wrapped = (text: string): readonly string[] => {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const line = lines.pop() ?? '';
    if (line.length + word.length < lastWidth) lines.push(`${line} ${word}`);
    else lines.push(line, word);
  }
  return lines;
};

const ofPeriod = ({ facts: { scope, period } }: Evidence): readonly string[] => {
  const { events, first, last } = scope;
  if (last < first)
    return [`No event was committed in the period ${period.name}. The ${counted(events, 'event')} lie outside of it.`];
  return [
    `${last - first + 1} of these events, numbers ${first} to ${last}, were committed in the period ${period.name}.`,
    ...(first > 1 ? ['Earlier events are included because the hash chain begins with the first event.'] : []),
    ...(events > last ? ['Later events are included up to the first seal that covers the whole period.'] : []),
  ];
};

const seals = ({ events, sealed }: Evidence['facts']['scope']): string => {
  if (sealed === 0)
    return 'No seal covers these events yet; the signature at the end of history.ndjson covers all of them.';
  const rest = events - sealed;
  return `Seals, which the service signed while it ran, cover the first ${counted(sealed, 'event')}.${
    rest > 0 ? ` The signature at the end of history.ndjson covers the other ${rest} too.` : ''
  }`;
};

const losses = ({ losses: accepted = [] }: Verdict): readonly string[] =>
  accepted.map(
    ({ event, by, time, reason }) =>
      `An operator (${by}) accepted at ${time}, by event ${event}, that earlier events differ from those that were sealed: ${reason}`,
  );

/** Totals of the wallet statements in an evidence folder. */
export type StatementCounts = {
  readonly wallets: number;
  readonly movements: number;
  readonly lines: number;
  readonly unexplained: number;
  /** Number of wallets with a statement that was computed while no node of the chain responded. */
  readonly withoutNode: number;
};

/**
 * Returns a text that explains how wallet statements that were computed without a node differ from statements that were
 * computed with a node.
 */
export const withoutNodeText = ({ wallets, withoutNode }: StatementCounts) =>
  `For ${withoutNode} of the ${counted(wallets, 'statement')} no node of the chain answered. Such a statement ends with the last block in which the wallet had activity, and may show movements near the end of the period as in transit.`;

const statements = (totals: StatementCounts): string => {
  const { wallets, movements, lines, unexplained, withoutNode } = totals;
  if (wallets === 0) return 'The organization has no wallet, so the folder contains no statement.';
  return [
    `The folder contains a statement of the period for each of the ${counted(wallets, 'wallet')} that the organization has: ${counted(lines, 'balance')} at both ends of the period and ${counted(movements, 'movement')} between them.`,
    unexplained === 0
      ? 'Movements and fees explain every balance.'
      : `Movements and fees do not explain ${unexplained} of the balances; their statements name the reasons.`,
    ...(withoutNode > 0 ? [withoutNodeText(totals)] : []),
    'The service computed the statements from the history and the blocks of its nodes. The verifiers show that nobody has changed them since; they do not compute them again.',
  ].join(' ');
};

/** States in words what the folder contains, what it proves and what it does not prove. */
const completeness = (evidence: Evidence, verdict: Verdict, totals: StatementCounts): readonly string[] => {
  const { scope, period, evidence_time } = evidence.facts;
  return [
    [
      `history.ndjson contains every event of the organization from its first to number ${scope.events}, in the order in which the store committed them.`,
      'None is left out and none was changed: the hash of each event includes the hash of the event before it.',
      ...ofPeriod(evidence),
    ].join(' '),
    seals(scope),
    `At ${evidence_time} the whole history was verified in the store of the service: its events agreed with their seals, with the log of all seals and with the progress of the sealing process.`,
    ...losses(verdict),
    statements(totals),
    ...(period.end > Date.parse(evidence_time)
      ? ['The period had not ended at that time. Later events of the period are not included.']
      : []),
    'This folder does not prove that everything that happened was recorded, and it does not detect that somebody with the master key rewrote the whole history before the folder was written. Compare it with an earlier folder, with an earlier export, or with the heads of witnesses for that.',
  ];
};

const paragraphs = (texts: readonly string[]) => texts.flatMap((text) => [...wrapped(text), '']);

/** Writes the page that explains an evidence folder to its reader. */
export const writeReadme = (
  evidence: Evidence,
  verdict: Verdict,
  totals: StatementCounts,
  files: readonly Described[],
): string => {
  const { facts, fingerprint } = evidence;
  const { organization_id, period, evidence_time, software, public_key, sample, scope } = facts;
  return [
    'EVIDENCE',
    '',
    ...columns([
      ['organization', organization_id],
      ['period', `${period.name}, from ${timeText(period.start)} to ${timeText(period.end)}, both inclusive`],
      ['written', `${evidence_time} by chainfold ${software}`],
      ['key', public_key],
      ['fingerprint', fingerprintText(fingerprint)],
    ]),
    '',
    'STATEMENT OF COMPLETENESS',
    '',
    ...paragraphs(completeness(evidence, verdict, totals)),
    'HOW TO VERIFY',
    '',
    ...paragraphs([
      'Get the public key of the service from a source that you trust, not from this folder: an earlier folder, or GET /.well-known/audit-keys. Its fingerprint must be the one above.',
      'Open verify.html in a browser and choose this folder, or run "python3 verify.py KEY" here, or "chainfold audit verify FOLDER --key KEY". None of them uses the network. All of them name the same event if something was changed.',
    ]),
    'SAMPLE',
    '',
    ...paragraphs([
      `sample.csv lists ${sample.size} events of the period, or all if there are fewer: those with the lowest SHA-256 of the seed "${sample.seed}", a line feed and the number of the event.`,
    ]),
    'FILES',
    '',
    ...columns(files.map(({ name, contents }) => [name, contents])),
    '',
    'EVENTS OF THE PERIOD BY TYPE',
    '',
    ...columns(Object.entries(scope.types).map(([type, count]) => [type, String(count)])),
    '',
  ].join('\n');
};
