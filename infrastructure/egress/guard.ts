import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isPublic } from './addresses.js';

/** Resolves a host name to all its IP addresses. */
type Lookup = (hostname: string) => Promise<readonly string[]>;

type EgressSettings = {
  /** True to allow private addresses, for development and closed networks. */
  readonly allowPrivate: boolean;
  readonly httpsOnly: boolean;
  readonly lookup?: Lookup;
  readonly connectMs?: number;
};

/** HTTP client for untrusted URLs, which customers and token contracts choose. */
export interface Egress {
  /** Returns the rule that a URL breaks, phrased to follow "the URL"; null if none. Does not resolve the host name. */
  check(url: string): string | null;
  /**
   * Dispatcher that checks the URL and the IP address of each connection. Fails with code EGRESS_REFUSED if a rule
   * forbids the connection.
   */
  readonly dispatcher: Dispatcher;
  /** Aborts in-flight requests. */
  close(): Promise<void>;
}

const maxUrlLength = 2048;
const connectionsPerOrigin = 32;
const idleMs = 4000;
const maxIdleMs = 30_000;
const maxHeaderBytes = 16_384;
/** Milliseconds without a received byte after which a request fails, for callers without a deadline. */
const inactivityTimeoutMs = 15_000;
/** Milliseconds until the next address of a host is tried. Node's default of 250 is too short for distant hosts. */
const nextAddressDelayMs = 1000;

/**
 * Matches local host names: those of RFC 6762 (appendix G) and RFC 8375, names that resolvers answer themselves, and
 * names without a dot.
 */
const localNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$|^[^.]*$/;

/**
 * Ports that the Fetch standard blocks: an HTTP request to such a port could be taken for a mail, file or chat command.
 */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const egressRefused = (reason: string) => Object.assign(new Error(reason), { code: 'EGRESS_REFUSED' });
const privateTarget = (hostname: string, address: string) =>
  egressRefused(`${hostname} resolves to a private address (${address}); ${remedy}`);

/**
 * Returns whether a host is public. `hostname` is from a parsed URL, which normalizes IP addresses and puts IPv6 in
 * brackets.
 */
const isPublicHost = (hostname: string) => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? isPublic(host) : !localNames.test(host.replace(/(?<!\.)\.+$/, ''));
};

const remedy = 'set CHAINFOLD_WEBHOOK_ALLOW_PRIVATE=true to allow this';
/**
 * Rule against private addresses, phrased to follow "the URL". The end of the rule names the setting that disables the
 * rule.
 */
export const privateNetwork = `must not lead to a private address; ${remedy}`;

const rules: readonly (readonly [reason: string, breaks: (url: URL, settings: EgressSettings) => boolean])[] = [
  [
    'must start with https:// because NODE_ENV is production',
    ({ protocol }, { httpsOnly }) => httpsOnly && protocol !== 'https:',
  ],
  ['must start with http:// or https://', ({ protocol }) => protocol !== 'https:' && protocol !== 'http:'],
  ['must not contain a user name or password', ({ username, password }) => username + password !== ''],
  [
    'must not use a port of another protocol, such as 25 or 6667',
    ({ port }) => port !== '' && blockedPorts.has(Number(port)),
  ],
  [privateNetwork, ({ hostname }, { allowPrivate }) => !allowPrivate && !isPublicHost(hostname)],
];

const createCheck =
  (settings: EgressSettings): Egress['check'] =>
  (given) => {
    if (given.length > maxUrlLength) return `must have at most ${maxUrlLength} characters, has ${given.length}`;
    if (!URL.canParse(given)) return 'must be an absolute URL such as https://example.com/hooks';
    const url = new URL(given);
    return rules.find(([, breaks]) => breaks(url, settings))?.[0] ?? null;
  };

const resolver = new Resolver({ timeout: 1500, tries: 2 });

/**
 * Queries DNS servers directly instead of through getaddrinfo, which runs on few threads: lookups that wait for an
 * unresponsive DNS server would block these threads for all other lookups.
 */
const queryNameServers: Lookup = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason;
  return addresses;
};

/** Resolves host names like the operating system does, including those of a closed network or the hosts file. */
const querySystemResolver: Lookup = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map(({ address }) => address);
};

const guardedLookup = (lookup: Lookup, mayReach: (address: string) => boolean): LookupFunction => {
  const resolve = async (hostname: string) => {
    const addresses = await lookup(hostname);
    if (addresses.length === 0) throw new Error(`${hostname} has no address in DNS`);
    // One private address is enough to refuse: a mix of private and public addresses may be a DNS rebinding attack.
    const refused = addresses.find((address) => !mayReach(address));
    if (refused !== undefined) throw privateTarget(hostname, refused);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
};

/**
 * Creates a connector that checks each target twice: its URL before connecting, because Node skips the lookup for IP
 * addresses, and the remote IP address before any byte is sent.
 */
const guardedConnector = (settings: EgressSettings, check: Egress['check']): buildConnector.connector => {
  const {
    allowPrivate,
    connectMs: timeout = 5000,
    lookup = allowPrivate ? querySystemResolver : queryNameServers,
  } = settings;
  const mayReach = (address: string) => allowPrivate || isPublic(address);
  const dial = buildConnector({
    timeout,
    lookup: guardedLookup(lookup, mayReach),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressDelayMs,
  });
  const secure = buildConnector({ timeout, rejectUnauthorized: true, minVersion: 'TLSv1.2' });
  return (target, callback) => {
    const isSecure = target.protocol === 'https:';
    const refused = check(`${target.protocol}//${target.host}`);
    if (refused) return process.nextTick(callback, egressRefused(`the URL ${refused}`), null);
    dial({ ...target, protocol: 'http:', port: target.port || (isSecure ? '443' : '80') }, (error, socket) => {
      if (error) return callback(error, null);
      const remote = socket.remoteAddress ?? '';
      if (!mayReach(remote)) {
        socket.destroy();
        return callback(privateTarget(target.hostname, remote), null);
      }
      return isSecure ? secure({ ...target, httpSocket: socket }, callback) : callback(null, socket);
    });
  };
};

export const createEgress = (settings: EgressSettings): Egress => {
  const check = createCheck(settings);
  const agent = new Agent({
    connect: guardedConnector(settings, check),
    connections: connectionsPerOrigin,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: inactivityTimeoutMs,
    bodyTimeout: inactivityTimeoutMs,
  });
  return { check, dispatcher: agent, close: () => agent.destroy() };
};
