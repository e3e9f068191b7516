import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App } from '../../../../application/app.js';
import type { Context } from '../../../../application/commands/handle.js';
import { timeOf } from '../../../../application/history/parse-moment.js';
import { isInTransit } from '../../../../application/statements/lines.js';
import type { Whole } from '../../../../application/statements/statements.js';
import { Failure, fail } from '../../../../domain/failure.js';
import { variants } from '../../../../domain/variant.js';
import { UsageError } from '../../../usage-error.js';
import type { Command, Invocation } from '../../command/command.js';
import { operator, withStores } from '../../command/session.js';
import { quoted } from '../rfc4180.js';
import { columns, createRows, type Row } from './rows.js';

const ownerOnly = 0o600;

/** Parses an option as an ISO time, to Unix seconds. */
const secondsOf = (given: string | undefined, name: string) => {
  const time = timeOf(given ?? '');
  if (time === null)
    throw new UsageError(`--${name} must be an ISO 8601 time with a zone such as 2026-01-31T12:00:00Z`);
  return Math.floor(time / 1000);
};

const organizationsOf = async function* (app: App, named: string | undefined) {
  if (named !== undefined) return void (yield await app.organizations.idOf(named));
  for await (const { organization_id } of app.organizations.all()) yield organization_id;
};

/** Finds the organization and the API of a wallet, whose id is unique. */
const contextOf = async (app: App, walletId: string, organization: string | undefined): Promise<Context> => {
  for await (const organizationId of organizationsOf(app, organization))
    for (const variant of variants.filter(({ surface }) => surface === 'wallet')) {
      const context = { ...operator(app), organizationId, variant };
      const found = await app.wallets.find(context, { walletId, address: undefined }).catch((error: unknown) => {
        if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
        throw error;
      });
      if (found) return context;
    }
  return fail('NOT_FOUND', `Wallet not found: ${walletId}`);
};

const csvRow = (row: Row) => `${columns.map((column) => quoted(row[column] ?? '')).join(',')}\r\n`;

/** Writes the statement to a file while it is read, and returns the number of movements and of unexplained lines. */
const writeFile = async (app: App, context: Context, { family, wallet, period, entries }: Whole, out: string) => {
  const counts = { movements: 0, lines: 0, unexplained: 0 };
  const rowsOf = createRows(app, context, {
    family,
    isInTransit: (number) => isInTransit(context.variant, wallet, period, number),
  });
  const text = async function* () {
    yield csvRow(Object.fromEntries(columns.map((column) => [column, column])));
    for await (const entry of entries) {
      if (entry.kind === 'movement') counts.movements++;
      if (entry.kind === 'line') counts.lines++;
      if (entry.kind === 'line' && entry.line.unexplained !== 0n) counts.unexplained++;
      yield (await rowsOf(entry)).map(csvRow).join('');
    }
  };
  await pipeline(Readable.from(text()), createWriteStream(out, { mode: ownerOnly }));
  return counts;
};

const run = (invocation: Invocation) => {
  const { options, print, open } = invocation;
  const { wallet = '', address, organization, out = '' } = options;
  const [startTime, endTime] = [secondsOf(options.from, 'from'), secondsOf(options.to, 'to')];
  const connected = { ...invocation, open: () => open({ chains: 'configured' }) };
  return withStores(connected, async (app) => {
    const context = await contextOf(app, wallet, organization);
    const everything = { standard: undefined, contract: undefined, token: undefined };
    const request = { walletId: wallet, address, ...everything, startTime, endTime };
    const statement = await app.statements.whole(context, request);
    const counts = await writeFile(app, context, statement, out);
    const { start, end } = statement.period;
    print(
      { wallet_id: wallet, file: out, start_block: start.number, end_block: end.number, ...counts },
      `Wrote ${counts.movements} movements after block ${start.number} up to block ${end.number} to ${out}; ${counts.lines} balances, ${counts.unexplained} of them with an unexplained amount`,
    );
  });
};

export const auditStatement: Command = {
  words: 'audit statement',
  summary: 'Write the statement of a wallet for a period to a file: balances at both ends, movements and fees.',
  options: {
    wallet: { type: 'string', value: 'ID', summary: 'Wallet id.', required: true },
    address: { type: 'string', value: 'ADDRESS', summary: 'Write only this address of the wallet.' },
    organization: { type: 'string', value: 'ID|DOMAIN', summary: 'Organization of the wallet; found by default.' },
    from: { type: 'string', value: 'TIME', summary: 'ISO time; the period begins after its block.', required: true },
    to: { type: 'string', value: 'TIME', summary: 'ISO time; the period ends with its block.', required: true },
    csv: { type: 'boolean', summary: 'Write CSV (RFC 4180), which is the default.' },
    out: { type: 'string', value: 'FILE', summary: 'Output file; an existing file is overwritten.', required: true },
  },
  run,
};
