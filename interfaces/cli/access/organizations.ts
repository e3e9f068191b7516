import { type Command, table } from '../command/command.js';
import { operator, withStores } from '../command/session.js';

export const organizationCreate: Command = {
  words: 'organization create',
  summary: 'Create an organization.',
  options: {
    name: { type: 'string', value: 'NAME', summary: 'Display name.', required: true },
    domain: { type: 'string', value: 'DOMAIN', summary: 'Unique short name: a-z, 0-9, dashes.', required: true },
  },
  run: (invocation) =>
    withStores(invocation, async (app, settle) => {
      const { name = '', domain = '' } = invocation.options;
      const created = await settle(await app.organizations.create(operator(app), { name, domain }));
      invocation.print(created, `organization_id  ${created.organization_id}`);
    }),
};

export const organizationList: Command = {
  words: 'organization list',
  summary: 'List the organizations, newest first.',
  options: {},
  run: (invocation) =>
    withStores(invocation, async (app) => {
      const organizations = [];
      for await (const { position, ...shown } of app.organizations.all()) organizations.push(shown);
      const rows = organizations.map(({ organization_id, domain, name, create_time }) => ({
        organization_id,
        domain,
        name,
        create_time,
      }));
      invocation.print({ organizations }, table(rows, 'No organizations'));
    }),
};
