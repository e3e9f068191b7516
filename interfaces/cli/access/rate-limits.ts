import { defaultLimits, type Limits, windows } from '../../../domain/rate-limit.js';
import { chains } from '../../../domain/variant.js';
import { oneOf, wholeNumber } from '../command/arguments.js';
import { type Command, type Option, table } from '../command/command.js';
import { inForce, operator, organizationOption, withStores } from '../command/session.js';

const tags: readonly string[] = chains.map(({ tag }) => tag);

const chainOption = (summary: string): Option => ({ type: 'string', value: tags.join('|'), summary });
const chainOf = (value: string | undefined) => (value ? oneOf('--chain', value, tags) : value);

const optionOf = (window: string) => `per-${window}`;
const limitOptions = Object.fromEntries(
  windows.map((window): [string, Option] => [
    optionOf(window),
    { type: 'string', value: 'N', summary: `Requests a ${window}; ${defaultLimits[window]} when not given.` },
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
  summary: 'Set how many requests an organization may make; in force on running servers when this returns.',
  options: {
    organization: organizationOption,
    chain: chainOption('On which chain; on every one without a record of its own when not given.'),
    ...limitOptions,
  },
  run: (invocation) => {
    const chain = chainOf(invocation.options.chain) ?? '';
    const limits = limitsOf(invocation.options);
    return withStores(invocation, async (app, settle) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const set = await settle(await app.rateLimits.set(operator(app), organizationId, chain, limits));
      await inForce(app);
      invocation.print(set, 'set');
    });
  },
};

export const rateLimitList: Command = {
  words: 'ratelimit list',
  summary: 'List the rate-limit records of an organization.',
  options: { organization: organizationOption, chain: chainOption('Only of this chain.') },
  run: (invocation) => {
    const chain = chainOf(invocation.options.chain);
    return withStores(invocation, async (app) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const data = await app.rateLimits.list(organizationId, chain);
      const rows = data.map(({ ratelimit_info, update_time }) => ({
        chain: ratelimit_info.chain || 'every other',
        second: String(ratelimit_info.per_second_limit),
        hour: String(ratelimit_info.per_hour_limit),
        day: String(ratelimit_info.per_day_limit),
        month: String(ratelimit_info.per_month_limit),
        update_time,
      }));
      invocation.print({ data }, table(rows, 'there are no records: the defaults apply'));
    });
  },
};

export const rateLimitDelete: Command = {
  words: 'ratelimit delete',
  summary: 'Delete the rate-limit record of one chain, or without a chain all records of an organization.',
  options: { organization: organizationOption, chain: chainOption('Of which chain.') },
  run: (invocation) => {
    const chain = chainOf(invocation.options.chain);
    return withStores(invocation, async (app, settle) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const deleted = await settle(await app.rateLimits.delete(operator(app), organizationId, chain));
      await inForce(app);
      invocation.print(deleted, 'deleted');
    });
  },
};
