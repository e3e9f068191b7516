import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App } from '../../application/app.js';
import { shownEvent } from '../../application/audit/event-record.js';
import { checkFile, organizationIn, type Verdict } from '../../application/audit/export-file.js';
import type { Flaw } from '../../application/audit/proof.js';
import { momentOf, now } from '../../application/history/parse-moment.js';
import { Failure, refuse } from '../../domain/failure.js';
import { UsageError } from '../usage-error.js';
import { createSummary, summaryText } from './audit-summary.js';
import { AnswerIsNo, type Command, type Invocation } from './command.js';
import { momentOption, organizationOption, withApp } from './session.js';

const moment = (given: string | undefined, name: string, otherwise: ReturnType<typeof momentOf>) =>
  given === undefined ? otherwise : momentOf(given, `--${name}`);

const widths = { position: 10, time: 24, type: 26 } as const;
const eventLines = (event: ReturnType<typeof shownEvent>) =>
  [
    String(event.position).padEnd(widths.position),
    event.commit_time.padEnd(widths.time),
    event.type.padEnd(widths.type),
    `${event.actor.kind} ${event.actor.id}`,
    `request ${event.request_id}\n  ${JSON.stringify(event.data)}`,
  ].join('  ');

export const auditReplay: Command = {
  words: 'audit replay',
  summary: 'Print every event of an organization in order, with who, when and why, and a summary.',
  options: {
    organization: organizationOption,
    from: momentOption('Leave out what was before; a position or an ISO time.'),
    'as-of': momentOption('Leave out what came after.'),
  },
  run: (invocation) =>
    withApp(invocation, async (app) => {
      const { options, print } = invocation;
      const from = moment(options.from, 'from', { position: 0 });
      const until = moment(options['as-of'], 'as-of', now);
      const organizationId = await app.organizations.idOf(options.organization ?? '');
      const summary = createSummary(organizationId);
      for await (const batch of app.audit.replay(organizationId, from, until))
        for (const event of batch) {
          const shown = shownEvent(event);
          summary.add(shown);
          print(shown, eventLines(shown));
        }
      print({ summary: summary.told() }, summaryText(summary.told()));
    }),
};

const ownerOnly = 0o600;

export const auditExport: Command = {
  words: 'audit export',
  summary: 'Write the history of an organization into a file that proves it: NDJSON, hash-chained and signed.',
  options: {
    organization: organizationOption,
    out: { type: 'string', value: 'FILE', summary: 'Where to write; what is there is replaced.', required: true },
  },
  run: (invocation) =>
    withApp(invocation, async (app) => {
      const { options, print } = invocation;
      const { organization = '', out = '' } = options;
      const organizationId = await app.organizations.idOf(organization);
      let events = -2;
      const counted = async function* () {
        for await (const piece of app.audit.export(organizationId)) {
          events += piece.split('\n').length - 1;
          yield piece;
        }
      };
      await pipeline(Readable.from(counted()), createWriteStream(out, { mode: ownerOnly })).catch(unusable(out));
      const { keyId: key_id, publicKey: public_key } = app.audit;
      print(
        { organization_id: organizationId, events, file: out, key_id, public_key },
        `${events} events of ${organizationId} in ${out}, signed under key ${key_id}`,
      );
    }),
};

const unusable = (path: string) => (error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return refuse('FAILED_PRECONDITION', `${path} cannot be used: ${message}`);
};

/** Splits at line feeds alone: texts may hold other characters that some take for the end of a line. */
const linesOf = async function* (path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
};

const whichEvents = ({ event, last, id }: Flaw) => {
  if (event === 0) return 'the file';
  if (event === last) return `event ${event}${id === undefined ? '' : ` (${id})`}`;
  return `something in the events ${event} to ${last}`;
};
const flawText = (flaw: Flaw) => `${whichEvents(flaw)} is ${flaw.reason}`;

type Proof = Verdict & { readonly key: string; readonly store: string; readonly where: 'file' | 'store' };

/** Prints the outcome; the exit code tells it too. */
const tell = ({ print }: Invocation, { flaw, organizationId, events, seals, hash, key, store, where }: Proof) => {
  const answer = { valid: flaw === null, organization_id: organizationId, events, seals, hash, key, store };
  if (!flaw) return print(answer, `valid: ${events} events of ${organizationId}, ${seals} seals; ${key}; ${store}`);
  const { event, last, id, reason } = flaw;
  const first = { where, event, last, ...(id !== undefined && { event_id: id }), reason };
  print({ ...answer, first }, `NOT VALID, in the ${where}: ${flawText(flaw)}`);
  throw new AnswerIsNo(reason);
};

const isStoreAtHand = ({ settings: { eventStoreUrl, dataDirectory } }: Invocation) =>
  eventStoreUrl !== undefined || existsSync(join(dataDirectory, 'events.db'));

const keyText = (pinned: string | undefined, own: string | undefined) => {
  if (pinned !== undefined) return 'the pinned key';
  return own === undefined ? "the file's own key: pin the one you trust with --key" : "this service's key";
};

/** Null where the organization is not in this store. */
const heldIn = async (app: App | null, organizationId: string | null) => {
  const nobody = (error: unknown) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  };
  return app && organizationId && (await app.organizations.idOf(organizationId).catch(nobody)) ? app : null;
};

const proveFile = async (invocation: Invocation, path: string, app: App | null) => {
  const pinned = invocation.options.key;
  const open = () => linesOf(path);
  const held = await heldIn(app, await organizationIn(open()).catch(unusable(path)));
  const own = held?.audit.publicKey;
  const checked = await checkFile(open, { ...invocation.proof, trusted: pinned ?? own });
  const key = keyText(pinned, own);
  if (checked.flaw || !held) return tell(invocation, { ...checked, key, store: 'not compared', where: 'file' });
  const flaw = await held.audit.compare(checked.organizationId, open());
  tell(invocation, { ...checked, flaw, key, store: flaw ? 'differs' : 'the store agrees', where: 'store' });
};

const proveStore = async (invocation: Invocation, organization: string) =>
  withApp(invocation, async (app) => {
    const pinned = invocation.options.key;
    const organizationId = await app.organizations.idOf(organization);
    const verdict = await app.audit.verify(organizationId, pinned);
    const store = verdict.flaw ? 'differs' : 'the store agrees with its seals';
    tell(invocation, { ...verdict, key: keyText(pinned, app.audit.publicKey), store, where: 'store' });
  });

export const auditVerify: Command = {
  words: 'audit verify',
  summary:
    'Prove an exported file, and the store against it where there is one; or with --organization the store itself.',
  parameters: ['[FILE]'],
  options: {
    organization: { type: 'string', value: 'ID|DOMAIN', summary: 'Prove the history in the store by its seals.' },
    key: { type: 'string', value: 'KEY', summary: 'The public key to trust, from /.well-known/audit-keys.' },
  },
  run: async (invocation) => {
    const [file] = invocation.parameters;
    const { organization } = invocation.options;
    if ((file === undefined) === (organization === undefined)) throw new UsageError('give a FILE or --organization');
    if (file === undefined) return proveStore(invocation, organization ?? '');
    if (!isStoreAtHand(invocation)) return proveFile(invocation, file, null);
    await withApp(invocation, (app) => proveFile(invocation, file, app));
  },
};
