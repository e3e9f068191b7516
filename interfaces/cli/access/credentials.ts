import type { App } from '../../../application/app.js';
import { roles } from '../../../domain/aggregates/credential.js';
import { oneOf } from '../command/arguments.js';
import { type Command, table } from '../command/command.js';
import { operator, organizationOption as organization, waitUntilInForce, withStores } from '../command/session.js';

const listed = async (app: App, organizationId: string) => {
  const found = [];
  for await (const { position, ...shown } of app.credentials.all(organizationId)) found.push(shown);
  return found;
};

export const credentialIssue: Command = {
  words: 'credential issue',
  summary: 'Issue a credential. Its secret is shown only once.',
  options: {
    organization,
    role: {
      type: 'string',
      value: roles.join('|'),
      summary: 'Role; client by default, or with --rotate the role of the newest credential.',
    },
    name: { type: 'string', value: 'TEXT', summary: 'Name shown in the list and in the history.' },
    rotate: {
      type: 'boolean',
      summary: 'Also list the existing credentials, which stay valid until you delete them.',
    },
  },
  run: (invocation) => {
    const { role, rotate, organization, name } = invocation.options;
    const asked = role === undefined ? undefined : oneOf('--role', role, roles);
    return withStores(invocation, async (app, settle) => {
      const organizationId = await app.organizations.idOf(organization ?? '');
      const before = rotate ? await listed(app, organizationId) : [];
      const wanted = asked ?? before[0]?.role ?? 'client';
      const issued = await settle(await app.credentials.issue(operator(app), organizationId, { role: wanted, name }));
      const lines = [
        `api_key     ${issued.api_key}`,
        `api_secret  ${issued.api_secret}`,
        ...before.map(({ api_key }) => `still valid: chainfold credential delete ${api_key}`),
      ];
      const answer = rotate ? { ...issued, still_valid: before.map(({ api_key }) => api_key) } : issued;
      invocation.print(answer, lines.join('\n'));
    });
  },
};

export const credentialList: Command = {
  words: 'credential list',
  summary: "List an organization's credentials, newest first, without their secrets.",
  options: { organization },
  run: (invocation) =>
    withStores(invocation, async (app) => {
      const organizationId = await app.organizations.idOf(invocation.options.organization ?? '');
      const credentials = await listed(app, organizationId);
      invocation.print({ credentials }, table(credentials, 'No credentials'));
    }),
};

export const credentialDelete: Command = {
  words: 'credential delete',
  summary: 'Delete a credential and destroy the key that decrypts its secret.',
  parameters: ['<api_key>'],
  options: {},
  run: (invocation) =>
    withStores(invocation, async (app, settle) => {
      const [apiKey = ''] = invocation.parameters;
      const deleted = await settle(await app.credentials.delete(operator(app), apiKey));
      await waitUntilInForce(app);
      invocation.print(deleted, 'Deleted');
    }),
};
