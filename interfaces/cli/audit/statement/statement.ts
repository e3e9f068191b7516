import { timeOf } from '../../../../application/history/parse-moment.js';
import { UsageError } from '../../../usage-error.js';
import type { Command, Invocation } from '../../command/command.js';
import { writeNewFile } from '../../command/files.js';
import { withStores } from '../../command/session.js';
import { writeCsv } from './csv.js';
import type { Format } from './format.js';
import { writePdf } from './pdf.js';
import { contextOf, describeStatement, everyAsset, isWithoutNode } from './subject.js';
import { createXlsxFormat } from './xlsx.js';

/** Formats of a statement, by the option that selects them. The first one is the default. */
const formats: Readonly<Record<string, Format>> = {
  csv: ({ entries }) => writeCsv(entries),
  xlsx: createXlsxFormat(),
  pdf: writePdf,
};

const formatOf = (options: Invocation['options']): Format => {
  const [chosen = 'csv', ...others] = Object.keys(formats).filter((name) => options[name] !== undefined);
  if (others.length > 0) throw new UsageError(`Specify only one of --${Object.keys(formats).join(', --')}`);
  return formats[chosen] as Format;
};

/** Parses the ISO time of the option `name` and returns it in Unix seconds. */
const secondsOf = (given: string | undefined, name: string) => {
  const time = timeOf(given ?? '');
  if (time === null)
    throw new UsageError(`--${name} must be an ISO 8601 time with a zone such as 2026-01-31T12:00:00Z`);
  return Math.floor(time / 1000);
};

const run = (invocation: Invocation) => {
  const { options, print, open } = invocation;
  const { wallet = '', address, organization, out = '' } = options;
  const format = formatOf(options);
  const [startTime, endTime] = [secondsOf(options.from, 'from'), secondsOf(options.to, 'to')];
  const connected = { ...invocation, open: () => open({ chains: 'configured' }) };
  return withStores(connected, async (app) => {
    const context = await contextOf(app, wallet, organization);
    const request = { walletId: wallet, address, ...everyAsset, startTime, endTime };
    const statement = await app.statements.whole(context, request);
    const described = await describeStatement(app, context, statement);
    await writeNewFile(out, format(described));
    const { start, end } = statement.period;
    const { counts } = described;
    const written = `Wrote ${counts.movements} movements after block ${start.number} up to block ${end.number} to ${out}; ${counts.lines} balances, ${counts.unexplained} of them with an unexplained amount`;
    const without_node = isWithoutNode(statement);
    const note = `No node of ${context.variant.tag} answered, so the period ends with the last block in which the wallet had activity, and movements near its end may be shown as in transit. Check CHAIN_${context.variant.tag}_URL and write the statement again. A development chain answers only inside the running service: use GetStatement for it.`;
    print(
      { wallet_id: wallet, file: out, start_block: start.number, end_block: end.number, ...counts, without_node },
      without_node ? `${written}\n${note}` : written,
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
    xlsx: { type: 'boolean', summary: 'Write a workbook for spreadsheet programs.' },
    pdf: { type: 'boolean', summary: 'Write pages for people.' },
    out: { type: 'string', value: 'FILE', summary: 'Output file; it must not exist.', required: true },
  },
  run,
};
