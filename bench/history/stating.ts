import { join } from 'node:path';
import { createDescriptions } from '../../application/assets/token-descriptions.js';
import { createPageTokens } from '../../application/read-models/page-tokens.js';
import { createStatements } from '../../application/statements/statements.js';
import type { AddressParser } from '../../application/wallets/address-parser.js';
import { sqliteReadModels } from '../../infrastructure/sqlite/read-models/read-models.js';
import { writeCsv } from '../../interfaces/cli/audit/statement/csv.js';
import { showEntries } from '../../interfaces/cli/audit/statement/entries.js';
import type { Format } from '../../interfaces/cli/audit/statement/format.js';
import { writePdf } from '../../interfaces/cli/audit/statement/pdf.js';
import { createXlsxFormat } from '../../interfaces/cli/audit/statement/xlsx.js';
import { type Collection, scopeOf } from '../../projections/define.js';
import { projections } from '../../projections/index.js';
import { touches } from '../../projections/statements/touches.js';
import { transfers } from '../../projections/transfers.js';
import { followedVariant } from '../../tests/support/following/following.js';
import { testSystem } from '../../tests/support/silent.js';
import { serveSides } from '../measure/compiled.js';
import { perSecond } from '../measure/rounds.js';

const [, , directory = '', organizationId = '', walletId = '', address = '', count = ''] = process.argv;
const total = Number(count);
const readModels = await sqliteReadModels(join(directory, 'read-models.db'), projections, { access: 'read' });
const context = {
  organizationId,
  variant: followedVariant,
  actor: { kind: 'operator', id: 'bench' },
  requestId: 'bench',
} as const;
const statements = createStatements({
  readModels,
  // A statement of a whole wallet parses no address, so it needs no parser.
  addressParser: {} as AddressParser,
  pageTokens: createPageTokens(testSystem),
  chains: { find: () => undefined, familyOf: () => 'evm' },
  system: testSystem,
});
const descriptions = createDescriptions(readModels);
const request = {
  ...{ walletId, address: undefined, standard: undefined, contract: undefined, token: undefined },
  ...{ startTime: 0, endTime: 9_999_999_999 },
};
let maxResident = 0;

/** Writes the statement and discards the output. Returns the movements per second. */
const written = (format: Format) => () =>
  perSecond(total, async () => {
    const statement = await statements.whole(context, request);
    const counts = { movements: 0, lines: 0, unexplained: 0 };
    const entries = showEntries({ descriptions }, context, statement, counts);
    maxResident = 0;
    for await (const _ of format({ title: 'measured', facts: {}, endTime: 0, entries, counts }))
      maxResident = Math.max(maxResident, process.memoryUsage.rss());
    if (counts.movements !== total || counts.unexplained > 0)
      throw new Error(`Expected ${total} explained movements, got ${JSON.stringify(counts)}.`);
  });

const readAll = async <Doc>(collection: Collection<Doc>, index: string) => {
  const scope = scopeOf(organizationId, followedVariant.tag);
  const query = { index, equal: [address], limit: 500, oldestFirst: true };
  let { next } = await readModels.page(collection, scope, query);
  while (next) next = (await readModels.page(collection, scope, { ...query, after: next })).next;
};
/** Reads the documents of the statement and nothing else, in pages of the same size. */
const read = () =>
  perSecond(total, async () => {
    await readAll(transfers, 'byFrom');
    await readAll(transfers, 'byTo');
    await readAll(touches, 'byAddress');
  });

serveSides({
  read,
  csv: written(({ entries }) => writeCsv(entries)),
  xlsx: written(createXlsxFormat()),
  pdf: written(writePdf),
  maxResident: async () => maxResident,
});
