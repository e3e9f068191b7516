import { organizationOfKey } from '../../application/known-credentials.js';
import { type Role, roles } from '../../domain/credential.js';
import { refuse } from '../../domain/failure.js';
import { type Command, table, UsageError } from './command.js';
import { operator, withStores } from './session.js';

/** Running servers look for what other processes wrote every 100 ms; after this they all refuse the key. */
const inForceMs = 500;

const organization = {
  type: 'string',
  value: 'ID|DOMAIN',
  summary: 'Whose credential.',
  required: true,
} as const;

const roleOf = (value = 'client'): Role => {
  const role = roles.find((known) => known === value);
  if (!role) throw new UsageError(`--role must be one of ${roles.join(', ')}`);
  return role;
};

export const credentialIssue: Command = {
  words: 'credential issue',
  summary: 'Issue a credential. Its secret is shown this once.',
  options: {
    organization,
    role: { type: 'string', value: roles.join('|'), summary: 'What it may do; client when not given.' },
  },
  run: (invocation) => {
    const role = roleOf(invocation.options.role);
    return withStores(invocation, async (app, settle) => {
      const organizationId = await app.administration.findOrganization(invocation.options.organization ?? '');
      const issued = await settle(await app.administration.issueCredential(operator(app), organizationId, role));
      invocation.print(issued, `api_key     ${issued.api_key}\napi_secret  ${issued.api_secret}`);
    });
  },
};

export const credentialList: Command = {
  words: 'credential list',
  summary: "List an organization's credentials, newest first, without their secrets.",
  options: { organization },
  run: (invocation) =>
    withStores(invocation, async (app) => {
      const organizationId = await app.administration.findOrganization(invocation.options.organization ?? '');
      const credentials = [];
      for await (const { position, ...shown } of app.administration.listCredentials(organizationId))
        credentials.push(shown);
      invocation.print({ credentials }, table(credentials, 'there are no credentials'));
    }),
};

export const credentialDelete: Command = {
  words: 'credential delete',
  summary: 'Delete a credential and destroy the key that opens its secret.',
  parameters: ['<api_key>'],
  options: {},
  run: (invocation) =>
    withStores(invocation, async (app, settle) => {
      const [apiKey = ''] = invocation.parameters;
      const organizationId = organizationOfKey(apiKey) ?? refuse('NOT_FOUND', 'there is no such credential');
      const deleted = await settle(await app.administration.deleteCredential(operator(app), organizationId, apiKey));
      await app.system.sleep(inForceMs);
      invocation.print(deleted, 'deleted');
    }),
};
