import { chains, networks, type Variant } from '../../domain/variant.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of a gateway address other than its nodes. */
export type GatewayTerms = {
  /** Chain id in decimal digits; undefined when the majority of the nodes decides. */
  readonly chainId?: string;
  /**
   * Maximum number of call units per second for each node; unlimited when absent. A call costs as many units as its
   * caller is charged.
   */
  readonly unitsPerSecond?: number;
  /** Number of nodes that must agree on balances, receipts and logs at a height; one when absent. */
  readonly agreement?: number;
};

/** Returns the URLs of the nodes of a gateway address. */
type UrlsOf = (tag: Variant['tag'], address: string) => readonly string[];
type Reject = (name: string, rule: string) => never;

const chainId = (name: string, value: string, reject: Reject) =>
  /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,77})$/.test(value)
    ? BigInt(value).toString()
    : reject(name, 'must be a chain id: decimal digits, or 0x followed by hex digits');

const agreement = (name: string, value: string, reject: Reject) =>
  /^[1-9]$/.test(value) ? Number(value) : reject(name, 'must be a number of nodes from 1 to 9');

/**
 * Reads one setting of every gateway address that has it; `what` is the end of the setting's name. The keys of the
 * result are gateway addresses, `<segment>/<network>`.
 */
export const byGateway = <T>(environment: Environment, what: string, read: (name: string, value: string) => T) =>
  Object.fromEntries(
    chains.flatMap(({ tag, segment }) =>
      networks.flatMap((network): [string, T][] => {
        const name = `GATEWAY_${tag}_${network.toUpperCase()}_${what}`;
        const value = environment[name];
        return value === undefined ? [] : [[`${segment}/${network}`, read(name, value)]];
      }),
    ),
  );

type Readers = { readonly reject: Reject; readonly count: (name: string, value: string) => number };

/** Reads the chain id, rate limit and number of agreeing nodes of each gateway address that has such settings. */
export const gatewayTerms = (environment: Environment, { reject, count }: Readers) => {
  const terms: Record<string, GatewayTerms> = {};
  const take = (what: string, read: (name: string, value: string) => GatewayTerms) => {
    for (const [address, found] of Object.entries(byGateway(environment, what, read)))
      terms[address] = { ...terms[address], ...found };
  };
  take('CHAIN_ID', (name, value) => ({ chainId: chainId(name, value, reject) }));
  take('NODE_UNITS_PER_SECOND', (name, value) => ({ unitsPerSecond: count(name, value) }));
  take('AGREEMENT', (name, value) => ({ agreement: agreement(name, value, reject) }));
  return terms;
};

const hostsIn = (urls: readonly string[]) => new Set(urls.map((url) => new URL(url.replace(/^evm\+/, '')).host)).size;

/** Rejects an agreement among more nodes than are configured. URLs with the same host count as one node. */
export const requireEnoughNodes = (
  terms: Readonly<Record<string, GatewayTerms>>,
  urlsOf: UrlsOf,
  reject: Reject,
): void => {
  for (const { tag, segment } of chains)
    for (const network of networks) {
      const { agreement: needed = 1 } = terms[`${segment}/${network}`] ?? {};
      const hosts = needed > 1 ? hostsIn(urlsOf(tag, `${segment}/${network}`)) : 1;
      if (hosts < needed)
        reject(
          `GATEWAY_${tag}_${network.toUpperCase()}_AGREEMENT`,
          `needs ${needed} nodes with different hosts, but ${hosts} are configured`,
        );
    }
};
