import { defaultLimits, type Limits, windows } from '../../../domain/rate-limit.js';
import { chains } from '../../../domain/variant.js';
import { oneOf, wholeNumber } from '../command/arguments.js';
import { type Command, type Option, table } from '../command/command.js';
import { operator, organizationOption, waitUntilInForce, withStores } from '../command/session.js';

const tags: readonly string[] = chains.map(({ tag }) => tag);

const chainOption = (summary: string): Option => ({ type: 'string', value: tags.join('|'), summary });
const chainOf = (value: string | undefined) => (value ? oneOf('--chain', value, tags) : value);

const optionOf = (window: string) => `per-${window}`;
const limitOptions = Object.fromEntries(
  windows.map((window): [string, Option] => [
    optionOf(window),
    { type: 'string', value: 'N', summary: `Requests per ${window}; ${defaultLimits[window]} by default.` },
  ]),
);
const limitsOf = (options: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    windows.map((window) => {
      const given = options[optionOf(window)] ?? String(defaultLimits[window]);
      return [window, wholeNumber(`--${optionOf(window)}`, given, 15)];
    }),
  ) as Limits;

export const rateLimitSet: Command = {
  words: 'ratelimit set',
  summary: 'Set the rate limits of an organization. Running servers apply them before the command returns.',
  options: {
    organization: organizationOption,
    chain: chainOption('Chain; by default every chain without its own record.'),
    ...limitOptions,
  },
  run: (invocation) => {
    const chain = chainOf(invocation.options.chain) ?? '';
    const limits = limitsOf(invocation.options);
    return withStores(invocation, async (app, settle) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const set = await settle(await app.rateLimits.set(operator(app), organizationId, chain, limits));
      await waitUntilInForce(app);
      invocation.print(set, 'Rate limits set');
    });
  },
};

export const rateLimitList: Command = {
  words: 'ratelimit list',
  summary: 'List the rate-limit records of an organization.',
  options: { organization: organizationOption, chain: chainOption('Only the record of this chain.') },
  run: (invocation) => {
    const chain = chainOf(invocation.options.chain);
    return withStores(invocation, async (app) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const data = await app.rateLimits.list(organizationId, chain);
      const rows = data.map(({ ratelimit_info, update_time }) => ({
        chain: ratelimit_info.chain || 'all others',
        second: String(ratelimit_info.per_second_limit),
        hour: String(ratelimit_info.per_hour_limit),
        day: String(ratelimit_info.per_day_limit),
        month: String(ratelimit_info.per_month_limit),
        update_time,
      }));
      invocation.print({ data }, table(rows, 'No records: the defaults apply'));
    });
  },
};

export const rateLimitDelete: Command = {
  words: 'ratelimit delete',
  summary: 'Delete the rate-limit record of one chain, or all records of an organization without --chain.',
  options: { organization: organizationOption, chain: chainOption('Chain; all records by default.') },
  run: (invocation) => {
    const chain = chainOf(invocation.options.chain);
    return withStores(invocation, async (app, settle) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const deleted = await settle(await app.rateLimits.delete(operator(app), organizationId, chain));
      await waitUntilInForce(app);
      invocation.print(deleted, 'Deleted');
    });
  },
};
