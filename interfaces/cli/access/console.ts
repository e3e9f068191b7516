import { spawn } from 'node:child_process';
import { linkSeconds } from '../../../application/access/sessions/console-links.js';
import type { App } from '../../../application/app.js';
import { UsageError } from '../../usage-error.js';
import { urlFor, urlOption } from '../client/call.js';
import type { Command, Invocation } from '../command/command.js';
import { operator, withStores } from '../command/session.js';

const noOrganization =
  'There is no organization to look at. Create one first: chainfold organization create --name NAME --domain DOMAIN';

/**
 * Returns the organization to open: the oldest with an admin credential, or the oldest of all if no organization has an
 * admin credential.
 */
const defaultOrganization = async (app: App): Promise<string> => {
  let [oldest, oldestOfAdmin]: (string | undefined)[] = [];
  for await (const { organization_id } of app.organizations.all()) {
    oldest = organization_id;
    for await (const { role } of app.credentials.all(organization_id))
      if (role === 'admin') oldestOfAdmin = organization_id;
  }
  const found = oldestOfAdmin ?? oldest;
  if (found === undefined) throw new UsageError(noOrganization);
  return found;
};

/** Replaces a wildcard address (0.0.0.0 or [::]) with `localhost`, because browsers cannot open wildcard addresses. */
const reachable = (url: string) =>
  url.replace(/\/$/, '').replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, '$1localhost');

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
};

/** Returns true if the command runs in a terminal on a desktop, where it can open a browser. */
const hasBrowser = ({ draw, environment }: Invocation) =>
  draw !== null &&
  (process.platform !== 'linux' || Boolean(environment.DISPLAY ?? environment.WAYLAND_DISPLAY)) &&
  openers[process.platform] !== undefined;

/** Opens the link in the default browser. Ignores a failure, because the link was printed as well. */
const openBrowser = (link: string) => {
  const [program = '', ...args] = openers[process.platform] ?? [];
  const browser = spawn(program, [...args, link], { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
};

export const consoleLink: Command = {
  words: 'console',
  summary: `Print a link that opens the console as an operator, once, within ${linkSeconds} s. It can read but change nothing.`,
  options: {
    organization: {
      type: 'string',
      value: 'ID|DOMAIN',
      summary: 'Organization to look at; by default the oldest with an admin credential.',
    },
    url: urlOption,
  },
  run: (invocation) =>
    withStores(invocation, async (app) => {
      const { organization } = invocation.options;
      const organizationId =
        organization === undefined ? await defaultOrganization(app) : await app.organizations.idOf(organization);
      const token = await app.consoleLinks.create(operator(app), organizationId);
      const link = `${reachable(urlFor(invocation))}/console#token=${token}`;
      invocation.print(
        { link, organization_id: organizationId, expires_in_seconds: linkSeconds },
        `${link}\nOpen it within ${linkSeconds} s. It works once and shows ${organizationId}.`,
      );
      if (hasBrowser(invocation)) openBrowser(link);
    }),
};
