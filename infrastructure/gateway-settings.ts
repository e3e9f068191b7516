import { chains, networks, type Variant } from '../domain/variant.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of a gateway address beside its nodes. */
export type GatewayTerms = {
  /** Number of the chain, in decimal digits; undefined where the majority of the nodes decides. */
  readonly chainId?: string;
  /** Units of calls that each node is asked for in a second; unlimited when absent. */
  readonly unitsPerSecond?: number;
  /** Number of nodes that must agree on balances, receipts and logs at a height; undefined where one is enough. */
  readonly agreement?: number;
};

/** Gives the nodes of a gateway address. */
type UrlsOf = (tag: Variant['tag'], address: string) => readonly string[];
type Refuse = (name: string, rule: string) => never;

const chainId = (name: string, value: string, refuse: Refuse) =>
  /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,77})$/.test(value)
    ? BigInt(value).toString()
    : refuse(name, 'must be the id of a chain: digits, or 0x and hex digits');

const agreement = (name: string, value: string, refuse: Refuse) =>
  /^[1-9]$/.test(value) ? Number(value) : refuse(name, 'must be a number of nodes from 1 to 9');

/** Reads a setting of each gateway address that has it, by `<segment>/<network>`. */
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

type Readers = { readonly refuse: Refuse; readonly count: (name: string, value: string) => number };

/** Reads the terms of every gateway address that has any. */
export const gatewayTerms = (environment: Environment, { refuse, count }: Readers) => {
  const terms: Record<string, GatewayTerms> = {};
  const take = (what: string, read: (name: string, value: string) => GatewayTerms) => {
    for (const [address, found] of Object.entries(byGateway(environment, what, read)))
      terms[address] = { ...terms[address], ...found };
  };
  take('CHAIN_ID', (name, value) => ({ chainId: chainId(name, value, refuse) }));
  take('NODE_UNITS_PER_SECOND', (name, value) => ({ unitsPerSecond: count(name, value) }));
  take('AGREEMENT', (name, value) => ({ agreement: agreement(name, value, refuse) }));
  return terms;
};

const hostsIn = (urls: readonly string[]) => new Set(urls.map((url) => new URL(url.replace(/^evm\+/, '')).host)).size;

/** Refuses an agreement among more nodes than there are; URLs of one host are one node. */
export const enoughNodes = (terms: Readonly<Record<string, GatewayTerms>>, urlsOf: UrlsOf, refuse: Refuse): void => {
  for (const { tag, segment } of chains)
    for (const network of networks) {
      const { agreement: needed = 1 } = terms[`${segment}/${network}`] ?? {};
      const hosts = needed > 1 ? hostsIn(urlsOf(tag, `${segment}/${network}`)) : 1;
      if (hosts < needed)
        refuse(
          `GATEWAY_${tag}_${network.toUpperCase()}_AGREEMENT`,
          `needs as many nodes: ${needed} with different hosts, and there are ${hosts}`,
        );
    }
};
