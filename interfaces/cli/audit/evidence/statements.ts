import type { App } from '../../../../application/app.js';
import type { ManifestFacts } from '../../../../application/audit/evidence/manifest.js';
import type { StatementCounts } from '../../../../application/audit/evidence/readme.js';
import type { Context } from '../../../../application/commands/handle.js';
import { writeCsv } from '../statement/csv.js';
import { describeStatement, everyAsset, isWithoutNode, walletContexts } from '../statement/subject.js';
import type { EvidenceFile } from './write-folder.js';

/** Statement files of all wallets of an organization for the period of the evidence. */
export type StatementFiles = {
  readonly files: readonly EvidenceFile[];
  /** Returns the totals of all statements. The totals are complete after all files were written. */
  totals(): StatementCounts;
};

/**
 * Returns the start and end time of the statements of a period, in Unix seconds. The start time is one second before
 * the period, because a statement excludes blocks at its start time. A period that has not ended is cut at the present.
 */
const timesOf = ({ period, evidence_time }: Pick<ManifestFacts, 'period' | 'evidence_time'>) => ({
  startTime: Math.max(0, Math.ceil(period.start / 1000) - 1),
  endTime: Math.floor(Math.min(period.end, Date.parse(evidence_time)) / 1000),
});

/** Lists the statements of an evidence folder: a CSV file for each wallet of the organization. */
export const statementFiles = async (app: App, facts: ManifestFacts): Promise<StatementFiles> => {
  const totals = { wallets: 0, movements: 0, lines: 0, unexplained: 0, withoutNode: 0 };
  // Chains for which no node responded. Further statements of the chain do not ask its nodes again, because a timeout
  // for each wallet could add up to hours.
  const unanswered = new Set<string>();
  const write = async function* (context: Context, walletId: string) {
    const asksNodes = !unanswered.has(context.variant.tag);
    const request = { walletId, address: undefined, ...everyAsset, ...timesOf(facts), asksNodes };
    const statement = await app.statements.whole(context, request);
    const { entries, counts } = await describeStatement(app, context, statement);
    yield* writeCsv(entries);
    totals.wallets++;
    totals.movements += counts.movements;
    totals.lines += counts.lines;
    totals.unexplained += counts.unexplained;
    if (!isWithoutNode(statement)) return;
    totals.withoutNode++;
    unanswered.add(context.variant.tag);
  };
  const files: EvidenceFile[] = [];
  for (const context of walletContexts(app, facts.organization_id))
    for await (const walletId of app.reconciliation.walletIds(context))
      files.push({
        name: `statement-${walletId}.csv`,
        contents: `balances and movements of a wallet on ${context.variant.tag} in the period`,
        pieces: () => write(context, walletId),
      });
  return { files, totals: () => totals };
};
