import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isPublic } from './addresses.js';

/** Returns every address of a name. */
type Lookup = (hostname: string) => Promise<readonly string[]>;

type EgressSettings = {
  /** True to allow every address, for development and closed networks. */
  readonly allowPrivate: boolean;
  readonly httpsOnly: boolean;
  readonly lookup?: Lookup;
  readonly connectMs?: number;
};

/** Guarded access to URLs that customers and contracts chose. */
export interface Egress {
  /** Returns why a URL is refused, to follow the words "the URL", or null. Names are resolved only when connecting. */
  check(url: string): string | null;
  /** Checks every connection again, and rejects with code EGRESS_REFUSED. */
  readonly dispatcher: Dispatcher;
  /** Ends the requests that are under way. */
  close(): Promise<void>;
}

const maxUrlLength = 2048;
const connectionsPerOrigin = 32;
const idleMs = 4000;
const maxIdleMs = 30_000;
const maxHeaderBytes = 16_384;
/** Time without a byte after which a request fails, for callers without a deadline of their own. */
const silenceMs = 15_000;
/** Time until the next address of a name is tried; the usual 250 ms are too short for receivers far away. */
const nextAddressMs = 1000;

/** Names of RFC 6762 (appendix G) and RFC 8375, names that resolvers answer by themselves, and names without a dot. */
const localNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$|^[^.]*$/;

/** The blocked ports of the Fetch standard: an HTTP request there can pass for a command to mail, files or chat. */
const foreignPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const refusal = (reason: string) => Object.assign(new Error(reason), { code: 'EGRESS_REFUSED' });

/** A parsed URL spells an IP address in one way only, in brackets when it is IPv6. */
const isPublicHost = (hostname: string) => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? isPublic(host) : !localNames.test(host.replace(/(?<!\.)\.+$/, ''));
};

/** Rule that a URL breaks which leads to this machine or its neighbours, with the setting that lifts it. */
export const privateNetwork = 'must not lead into a private network, unless CHAINFOLD_WEBHOOK_ALLOW_PRIVATE is true';

const rules: readonly (readonly [reason: string, breaks: (url: URL, settings: EgressSettings) => boolean])[] = [
  [
    'must start with https:// while NODE_ENV is production',
    ({ protocol }, { httpsOnly }) => httpsOnly && protocol !== 'https:',
  ],
  ['must start with http:// or https://', ({ protocol }) => protocol !== 'https:' && protocol !== 'http:'],
  ['must not hold a user name or a password', ({ username, password }) => username + password !== ''],
  ['must not use a port of another protocol', ({ port }) => port !== '' && foreignPorts.has(Number(port))],
  [privateNetwork, ({ hostname }, { allowPrivate }) => !allowPrivate && !isPublicHost(hostname)],
];

const createCheck =
  (settings: EgressSettings): Egress['check'] =>
  (given) => {
    if (given.length > maxUrlLength) return `must have at most ${maxUrlLength} characters`;
    if (!URL.canParse(given)) return 'must be a complete URL such as https://example.com/hooks';
    const url = new URL(given);
    return rules.find(([, breaks]) => breaks(url, settings))?.[0] ?? null;
  };

const resolver = new Resolver({ timeout: 1500, tries: 2 });

/** Asks name servers without getaddrinfo, whose few threads a silent name server would hold while other names wait. */
const askNameServers: Lookup = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason;
  return addresses;
};

/** Resolves the names of a closed network too, such as those in the hosts file. */
const askSystem: Lookup = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map(({ address }) => address);
};

const guardedLookup = (lookup: Lookup, mayReach: (address: string) => boolean): LookupFunction => {
  const resolve = async (hostname: string) => {
    const addresses = await lookup(hostname);
    if (addresses.length === 0) throw new Error(`${hostname} has no address`);
    // A name with private and public addresses is refused: it may aim at a check that sees one and a connection to another.
    if (!addresses.every(mayReach)) throw refusal(`${hostname} leads into a private network`);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
};

/** Checks the target first, since Node looks up no IP addresses, and the address that was reached before a byte is sent. */
const guardedConnector = (settings: EgressSettings, check: Egress['check']): buildConnector.connector => {
  const { allowPrivate, connectMs: timeout = 5000, lookup = allowPrivate ? askSystem : askNameServers } = settings;
  const mayReach = (address: string) => allowPrivate || isPublic(address);
  const dial = buildConnector({
    timeout,
    lookup: guardedLookup(lookup, mayReach),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
  });
  const secure = buildConnector({ timeout, rejectUnauthorized: true, minVersion: 'TLSv1.2' });
  return (target, callback) => {
    const isSecure = target.protocol === 'https:';
    const refused = check(`${target.protocol}//${target.host}`);
    if (refused) return process.nextTick(callback, refusal(`the URL ${refused}`), null);
    dial({ ...target, protocol: 'http:', port: target.port || (isSecure ? '443' : '80') }, (error, socket) => {
      if (error) return callback(error, null);
      if (!mayReach(socket.remoteAddress ?? '')) {
        socket.destroy();
        return callback(refusal(`${target.hostname} leads into a private network`), null);
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
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  return { check, dispatcher: agent, close: () => agent.destroy() };
};
