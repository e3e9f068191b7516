import type { Difference } from '../../../application/history/diff.js';
import { parseAsOf } from '../../../application/history/parse-moment.js';
import { now } from '../../../application/ports/event-store.js';
import { writeExact } from '../../exact-json.js';
import type { Command } from '../command/command.js';
import { momentOption, organizationOption, withApp } from '../command/session.js';

const signs = { added: '+', removed: '-', changed: '~', undone: '=' } as const;
const shown = (value: unknown) => (value === undefined ? 'nothing' : writeExact(value));

const textOf = (one: Difference) => {
  const line = `${signs[one.change]} ${one.collection}  ${one.chain}  ${one.id}`;
  if (one.change === 'undone') return `${line}\n    meanwhile: ${shown(one.meanwhile ?? undefined)}`;
  if (one.change !== 'changed') return `${line}\n    ${writeExact(one.document)}`;
  const fields = Object.entries(one.fields).map(
    ([field, { before, after }]) => `    ${field}: ${shown(before)} -> ${shown(after)}`,
  );
  return [line, ...fields].join('\n');
};

export const auditDiff: Command = {
  words: 'audit diff',
  summary:
    'Show how the read models of an organization changed between two moments, document by document, and what was undone in between.',
  options: {
    organization: organizationOption,
    from: { ...momentOption('Earlier moment: an event position or an ISO time.'), required: true },
    to: momentOption('Later moment; now by default.'),
  },
  run: (invocation) =>
    withApp(invocation, async (app) => {
      const { options, print } = invocation;
      const first = parseAsOf(options.from ?? '', '--from');
      const last = options.to === undefined ? now : parseAsOf(options.to, '--to');
      const bounds = { signal: new AbortController().signal, maxEvents: Number.POSITIVE_INFINITY };
      const organizationId = await app.organizations.idOf(options.organization ?? '');
      const { from, to, documents } = await app.differences(organizationId, first, last, bounds);
      const counts = { added: 0, removed: 0, changed: 0, undone: 0 };
      for (const one of documents) {
        counts[one.change]++;
        print(one, textOf(one));
      }
      const { added, removed, changed, undone } = counts;
      print(
        { summary: { organization_id: organizationId, from, to, ...counts } },
        `${added} added, ${removed} removed, ${changed} changed, ${undone} undone from position ${from} to ${to}`,
      );
    }),
};
