import { join } from 'node:path';
import type { App } from '../../../../application/app.js';
import type { Evidence } from '../../../../application/audit/evidence/evidence.js';
import { parsePeriod } from '../../../../application/audit/evidence/period.js';
import {
  fingerprintText,
  type StatementCounts,
  withoutNodeText,
} from '../../../../application/audit/evidence/readme.js';
import type { Verdict } from '../../../../application/audit/export-file.js';
import { toHeadRecord } from '../../../../application/audit/log/head-record.js';
import { flawText } from '../../../../application/audit/proof.js';
import { Failure, fail } from '../../../../domain/failure.js';
import { UsageError } from '../../../usage-error.js';
import { wholeNumber } from '../../command/arguments.js';
import type { Command, Invocation } from '../../command/command.js';
import { organizationOption, withStores } from '../../command/session.js';
import { evidenceFiles } from './files.js';
import { statementFiles } from './statements.js';
import { writeFolder } from './write-folder.js';

const [usualSample, maxSample] = [25, 1000];
const sampleSize = (given: string | undefined) => {
  const size = given === undefined ? usualSample : wholeNumber('--sample', given, 4);
  if (size < 1 || size > maxSample) throw new UsageError(`--sample must be 1 to ${maxSample}`);
  return size;
};

/** Returns the newest head of the seal log as a line of a witness file; null if nothing was sealed yet. */
const newestHead = async (app: App): Promise<string | null> => {
  try {
    return `${JSON.stringify(toHeadRecord(await app.logProofs.head()))}\n`;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  }
};

/**
 * Verifies the history in the store. Throws if the history contradicts its seals, because evidence of such a history
 * would mislead.
 */
const verifiedStore = async (app: App, organizationId: string): Promise<Verdict> => {
  const verdict = await app.audit.verify(organizationId);
  if (!verdict.flaw || verdict.flaw.isLate) return verdict;
  return fail(
    'FAILED_PRECONDITION',
    `The history is not valid, so no evidence was written: ${flawText(verdict.flaw)}. Run chainfold audit verify --organization ${organizationId}.`,
  );
};

const printResult = (
  { print }: Invocation,
  folder: string,
  { facts, fingerprint }: Evidence,
  totals: StatementCounts,
) => {
  const { organization_id, period, scope, sample, key_id, public_key } = facts;
  const { events, first, last, sealed } = scope;
  const counts = { events, events_of_period: last - first + 1, sealed_events: sealed };
  const { wallets: statements, withoutNode: statements_without_node } = totals;
  const files = { ...counts, statements, statements_without_node };
  print(
    { organization_id, period: period.name, folder, ...files, sample, key_id, public_key, fingerprint },
    [
      `Wrote evidence of ${organization_id} for ${period.name} to ${folder}: ${events} events, ${counts.events_of_period} of the period, and ${statements} statements`,
      ...(statements_without_node > 0 ? [withoutNodeText(totals)] : []),
      `Key fingerprint: ${fingerprintText(fingerprint)}`,
      `Verify it: open ${join(folder, 'verify.html')} in a browser, or run chainfold audit verify ${folder} --key ${public_key}`,
    ].join('\n'),
  );
};

export const auditEvidence: Command = {
  words: 'audit evidence',
  summary: 'Write a folder that proves the history of a period by itself, with programs to verify it.',
  options: {
    organization: organizationOption,
    period: {
      type: 'string',
      value: 'PERIOD',
      summary: 'Year (2026), quarter (2026-Q1), month (2026-01) or day in UTC, or START/END.',
      required: true,
    },
    out: { type: 'string', value: 'DIR', summary: 'Folder to write; it must be empty or absent.', required: true },
    sample: {
      type: 'string',
      value: 'N',
      summary: `Size of the random sample, 1 to ${maxSample}; default ${usualSample}.`,
    },
    seed: {
      type: 'string',
      value: 'TEXT',
      summary: 'Seed of the sample; default the id of the last event of the period.',
    },
  },
  run: (invocation) => {
    const { organization = '', period = '', out = '', sample, seed } = invocation.options;
    const size = sampleSize(sample);
    const connected = { ...invocation, open: () => invocation.open({ chains: 'configured' }) };
    return withStores(connected, async (app) => {
      const organizationId = await app.organizations.idOf(organization);
      const wanted = { software: invocation.version(), size, seed };
      const evidence = await app.audit.prepareEvidence(organizationId, parsePeriod(period), wanted);
      const verdict = await verifiedStore(app, organizationId);
      const statements = await statementFiles(app, evidence.facts);
      const sources = { evidence, verdict, logHead: await newestHead(app), statements };
      await writeFolder(out, evidenceFiles(out, sources, invocation.proof.sha256), evidence);
      printResult(invocation, out, evidence, statements.totals());
    });
  },
};
