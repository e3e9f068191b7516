import { setTimeout as pause } from 'node:timers/promises';
import { timeOf } from '../../../application/history/parse-moment.js';
import { variants } from '../../../domain/variant.js';
import { createClient } from '../../../sdk/typescript/src/client.js';
import { UsageError } from '../../usage-error.js';
import { callOrExplain, credentialsFor, urlFor, urlOption } from '../client/call.js';
import { oneOf } from '../command/arguments.js';
import { type Command, type Invocation, NegativeResult } from '../command/command.js';
import { barOf, createProgressLine } from '../command/progress-line.js';

const pollMs = 500;
const apis = variants.filter(({ surface }) => surface === 'wallet').map(({ segment }) => segment);

type Import = {
  readonly import_id: string;
  readonly state: string;
  readonly from_block: number;
  readonly current_block: number;
  readonly to_block: number;
  readonly untraced: boolean;
  readonly reason?: string;
};

/**
 * Converts --from, a block number or an ISO 8601 time, to the request field for the first block. Returns no field if
 * --from is absent.
 */
const beginOf = (from: string | undefined) => {
  if (from === undefined) return {};
  if (/^\d{1,15}$/.test(from)) return { from_block: Number(from) };
  const time = timeOf(from);
  if (time === null)
    throw new UsageError('--from must be a block number or an ISO 8601 time with a zone such as 2026-01-31T12:00:00Z');
  return { from_time: Math.floor(time / 1000) };
};

const percentOf = ({ state, from_block, current_block, to_block }: Import) => {
  if (state === 'IMPORT_STATE_COMPLETED') return 100;
  return Math.floor((100 * (current_block - from_block)) / (to_block - from_block + 1));
};
const progressText = (one: Import) => `${barOf(percentOf(one))}  block ${one.current_block} of ${one.to_block}`;

/**
 * Shows the progress of an import until the import ends or the command is stopped. Returns the last known state of the
 * import.
 */
const watch = async (invocation: Invocation, get: () => Promise<Import>): Promise<Import> => {
  const { draw, print, stopped } = invocation;
  const stop = new AbortController();
  void stopped().then(() => stop.abort());
  const write = (one: Import) => print({ import: one }, progressText(one));
  const line = createProgressLine<Import>(draw, { text: progressText, write });
  try {
    for (;;) {
      const found = await get();
      if (found.state !== 'IMPORT_STATE_RUNNING' || stop.signal.aborted) return found;
      line.update('', () => found);
      await pause(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  } finally {
    line.end();
  }
};

const printEnd = ({ print, options: { address } }: Invocation, ended: Import) => {
  const { state, import_id, from_block, to_block, untraced, reason } = ended;
  if (state === 'IMPORT_STATE_RUNNING')
    return print({ import: ended }, `Import ${import_id} continues in the service; GetImport shows its progress`);
  if (state === 'IMPORT_STATE_COMPLETED') {
    const gap = untraced ? ', without coins that contracts sent, because no node traces blocks' : '';
    return print(
      { import: ended },
      `Imported blocks ${from_block} to ${to_block}: the history of ${address} is complete from block ${from_block} on${gap}`,
    );
  }
  print({ import: ended }, `Import ${import_id} failed: ${reason}`);
  throw new NegativeResult('The import failed');
};

export const auditImport: Command = {
  words: 'audit import',
  summary: 'Import the transfers of an address from before its registration, and show the progress until it has ended.',
  options: {
    api: { type: 'string', value: apis.join('|'), summary: 'API of the chain.', required: true },
    address: { type: 'string', value: 'ADDRESS', summary: 'Registered address.', required: true },
    from: { type: 'string', value: 'BLOCK|TIME', summary: 'First block, or an ISO time; all blocks by default.' },
    url: urlOption,
    key: { type: 'string', value: 'KEY', summary: 'The api_key; CHAINFOLD_API_KEY or the demo key by default.' },
    secret: { type: 'string', value: 'SECRET', summary: 'The api_secret.' },
  },
  details: () =>
    'The running service does the import. You may stop the command: the import continues, even after a restart of the service.',
  run: async (invocation) => {
    const { address = '', from, api: given = '' } = invocation.options;
    const [api, begin] = [oneOf('--api', given, apis), beginOf(from)];
    const url = urlFor(invocation);
    const client = createClient({ url, ...credentialsFor(invocation) });
    const call = <T>(operation: string, request: object) => client.call(api, operation, request) as Promise<T>;
    const ended = await callOrExplain(url, async () => {
      const { import_id } = await call<{ import_id: string }>('ImportHistory', { address, ...begin });
      return watch(invocation, async () => (await call<{ import: Import }>('GetImport', { import_id })).import);
    });
    printEnd(invocation, ended);
  },
};
