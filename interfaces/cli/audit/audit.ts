import { createWriteStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App } from '../../../application/app.js';
import { historyName } from '../../../application/audit/evidence/manifest.js';
import { verifyEvidence } from '../../../application/audit/evidence/verify-folder.js';
import { type Lines, type Verdict, verifyExport } from '../../../application/audit/export-file.js';
import { type AcceptedLoss, type Flaw, flawText } from '../../../application/audit/proof.js';
import { isKey, isMistyped } from '../../../application/audit/typed-key.js';
import { isProven, type Proof, storeProof, toVerdictRecord } from '../../../application/audit/verdict-record.js';
import { UsageError } from '../../usage-error.js';
import { urlOption } from '../client/call.js';
import { type Command, InconclusiveResult, type Invocation, NegativeResult } from '../command/command.js';
import { linesOf, unusable } from '../command/files.js';
import { organizationOption, withApp } from '../command/session.js';
import { openFolder } from './evidence/folder.js';
import { findOrganizationId, historyOwner, requireOrganizationId } from './known-organization.js';
import { proveWitnessed, sortedFiles } from './witness.js';

const ownerOnly = 0o600;

export const auditExport: Command = {
  words: 'audit export',
  summary: 'Export the history of an organization to a verifiable file: NDJSON, hash-chained and signed.',
  options: {
    organization: organizationOption,
    out: { type: 'string', value: 'FILE', summary: 'Output file; an existing file is overwritten.', required: true },
  },
  run: (invocation) =>
    withApp(invocation, async (app) => {
      const { options, print } = invocation;
      const { organization = '', out = '' } = options;
      const organizationId = await historyOwner(app, organization);
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
        `Exported ${events} events of ${organizationId} to ${out}, signed with key ${key_id}`,
      );
    }),
};

const lossText = ({ event, known, found, by, reason, time }: AcceptedLoss) =>
  `  event ${event}: accepted by ${by} at ${time}: ${found.count} events found, ${known?.count ?? 'none'} known before. Reason: ${reason}`;

const whyUnproven = ({ key }: Proof): string =>
  key === null
    ? 'are consistent, but no key is trusted. Pass the trusted key with --key.'
    : 'are consistent, but nothing covers them yet. Start the service, and verify again a minute later.';
const unprovenText = ({ unproven }: Proof) =>
  unproven === undefined
    ? []
    : [`  the last ${unproven} events are not covered by a seal or the sealer's progress yet`];

/** Prints the verdict. Ends the command with exit code 1 if the history is invalid, and 2 if it is not proven. */
const printVerdict = ({ print }: Invocation, proof: Proof) => {
  const { key, store, where, file, flaw, organizationId, events, seals, losses = [] } = proof;
  const answer = toVerdictRecord(proof);
  const counted = `${events} events of ${organizationId}, ${seals} seals`;
  if (!flaw && !isProven(proof)) {
    print(answer, `NOT PROVEN: ${counted} ${whyUnproven(proof)}`);
    throw new InconclusiveResult(`${organizationId} is not proven`);
  }
  const valid = `valid: ${counted}; ${key}; ${store}`;
  if (!flaw) return print(answer, [valid, ...unprovenText(proof), ...losses.map(lossText)].join('\n'));
  const named = where === 'file' ? file : undefined;
  const first = { ...(named !== undefined && { file: named }), ...answer.first };
  print({ ...answer, first }, `NOT VALID, in ${named ?? `the ${where}`}: ${flawText(flaw)}`);
  throw new NegativeResult(flaw.reason);
};

const hasStore = ({ settings: { eventStoreUrl, dataDirectory } }: Invocation) =>
  eventStoreUrl !== undefined || existsSync(join(dataDirectory, 'events.db'));

const keyText = (pinned: string | undefined, own: string | undefined) => {
  if (pinned !== undefined) return 'the pinned key';
  return own === undefined ? null : "this service's key";
};

/** Returns the public key given with --key. Rejects a malformed key, which would make every history look invalid. */
const pinnedKey = ({ options: { key } }: Invocation) => {
  if (key !== undefined && !isKey(key))
    throw new UsageError('That is not a key: --key must be a public key (audpk_…) from /.well-known/audit-keys');
  return key;
};
const isTypoOf = (pinned: string | undefined, key: string | undefined) =>
  pinned !== undefined && key !== undefined && isMistyped(pinned, key);
/** Rejects a pinned key that differs from the signing key in only a few characters, as after a typing error. */
const rejectMistyped = (pinned: string | undefined, key: string | undefined) => {
  if (isTypoOf(pinned, key))
    throw new UsageError(
      'That is not a key: --key differs in a few characters from the key that signed the history. Compare it with the key that you trust.',
    );
};

const isHeldIn = async (app: App, organizationId: string) => (await findOrganizationId(app, organizationId)) !== null;

/** Compares an exported history with the store. If the store does not have the organization, all events differ. */
const compareWith = async (app: App, { organizationId, events }: Verdict, lines: Lines): Promise<Flaw | null> => {
  if (await isHeldIn(app, organizationId)) return app.audit.compare(organizationId, lines);
  return { event: 1, last: events, reason: 'missing in the store, which does not have the organization' };
};

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Returns functions that read and verify the history in an exported file or an evidence folder. */
const verifierOf = ({ proof }: Invocation, path: string) => {
  if (!isFolder(path)) {
    const open = () => linesOf(path);
    return { open, verify: (trusted: string | undefined) => verifyExport(open, { ...proof, trusted }) };
  }
  const folder = openFolder(path);
  return {
    open: () => folder.lines(historyName),
    verify: (trusted: string | undefined) => verifyEvidence(folder, { ...proof, trusted }),
  };
};

/**
 * Verifies a file or an evidence folder with the key from --key or, without --key, with the key of this service.
 * Compares a valid history with the store if there is one, unless --key is the key of another service.
 */
const proveFile = async (invocation: Invocation, path: string, app: App | null) => {
  const [pinned, own] = [pinnedKey(invocation), app?.audit.publicKey];
  const { open, verify } = verifierOf(invocation, path);
  const checked = await verify(pinned ?? own).catch(unusable(path));
  const { signedBy } = checked;
  // Blames a typing error in --key only if the file is valid under the key in its header. If the header was altered,
  // the file is invalid under that key too, and the flaw is reported.
  if (isTypoOf(pinned, signedBy) && !(await verify(signedBy)).flaw) rejectMistyped(pinned, signedBy);
  const key = keyText(pinned, own);
  if (checked.flaw || !app || (pinned ?? own) !== own)
    return printVerdict(invocation, { ...checked, key, store: 'not compared', where: 'file' });
  const compared = await compareWith(app, checked, open());
  const proved = compared ?? (await app.audit.verify(checked.organizationId)).flaw;
  const flaw = proved?.isLate ? null : proved;
  printVerdict(invocation, { ...checked, flaw, key, store: flaw ? 'differs' : 'the store agrees', where: 'store' });
};

const proveStore = async (invocation: Invocation, organization: string) =>
  withApp(invocation, async (app) => {
    const pinned = pinnedKey(invocation);
    const organizationId = await requireOrganizationId(app, organization);
    rejectMistyped(pinned, app.audit.publicKey);
    printVerdict(invocation, await proofOf(app, organizationId, pinned));
  });

const proofOf = async (app: App, organizationId: string, pinned: string | undefined): Promise<Proof> => {
  const verdict = await app.audit.verify(organizationId, pinned);
  return storeProof(verdict, keyText(pinned, app.audit.publicKey));
};

/**
 * Prints the verdict. Returns null for a proven history, and the error for any other history, so that the caller can
 * verify further histories before it throws.
 */
const failureOf = (invocation: Invocation, proof: Proof): Error | null => {
  try {
    printVerdict(invocation, proof);
    return null;
  } catch (error) {
    if (error instanceof NegativeResult || error instanceof InconclusiveResult) return error;
    throw error;
  }
};

const printNothing = ({ print }: Invocation): never => {
  const reason = 'No history was ever sealed, and the stores have no organization';
  print({ valid: null, reason }, `NOT PROVEN: ${reason}`);
  throw new InconclusiveResult(reason);
};

/** Verifies every history, including the histories of removed organizations and of the service itself. */
const proveAll = (invocation: Invocation) =>
  withApp(invocation, async (app) => {
    const pinned = pinnedKey(invocation);
    rejectMistyped(pinned, app.audit.publicKey);
    const organizations = await app.audit.organizations();
    if (organizations.length === 0) return printNothing(invocation);
    const failures: Error[] = [];
    for (const organizationId of organizations) {
      const failure = failureOf(invocation, await proofOf(app, organizationId, pinned));
      if (failure) failures.push(failure);
    }
    const worst = failures.find((error) => error instanceof NegativeResult) ?? failures[0];
    if (worst) throw worst;
  });

/**
 * Verifies the history in a file, the history of one organization, or all histories, depending on the arguments.
 */
const proveHistories = async (invocation: Invocation, file: string | undefined) => {
  const { organization, all } = invocation.options;
  if (all !== undefined) return proveAll(invocation);
  if (file === undefined) return proveStore(invocation, organization ?? '');
  if (!hasStore(invocation)) return proveFile(invocation, file, null);
  await withApp(invocation, (app) => proveFile(invocation, file, app));
};

export const auditVerify: Command = {
  words: 'audit verify',
  summary:
    'Verify an exported file or an evidence folder, and compare it with the store if there is one; with --organization, verify the store.',
  parameters: ['[FILE…]'],
  options: {
    organization: { type: 'string', value: 'ID|DOMAIN', summary: 'Verify the history in the store by its seals.' },
    all: { type: 'boolean', summary: 'Verify every history, including those of removed organizations.' },
    key: { type: 'string', value: 'KEY', summary: 'Trusted public key, from /.well-known/audit-keys.' },
    witness: {
      type: 'string',
      value: 'FILE…',
      summary: 'Verify that the seal log is consistent with every head in these witness files.',
    },
    url: { ...urlOption, summary: 'With --witness: get the proofs from this running service instead of the store.' },
  },
  run: async (invocation) => {
    const { organization, all, witness, url } = invocation.options;
    const { exports, witnesses } = await sortedFiles(invocation.parameters, witness);
    const named = [...exports, organization, all].filter((one) => one !== undefined);
    if (named.length > 1 || named.length + witnesses.length === 0)
      throw new UsageError('Specify exactly one of FILE, --organization and --all');
    if (named.length === 1) await proveHistories(invocation, exports[0]);
    if (witnesses.length === 0) return;
    const pinned = pinnedKey(invocation);
    if (url !== undefined || !hasStore(invocation)) return proveWitnessed(invocation, witnesses, { app: null, pinned });
    await withApp(invocation, (app) => proveWitnessed(invocation, witnesses, { app, pinned }));
  },
};
