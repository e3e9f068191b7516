import { readCursor, tipOf } from '../../application/following/cursor.js';
import { type Check, type Finding, futureFinding, ok, warn } from '../../application/maintenance/finding.js';
import type { Header } from '../../application/ports/chain.js';
import type { StateStore } from '../../application/ports/state.js';
import type { Log } from '../../application/ports/system.js';
import { chains, type Variant } from '../../domain/variant.js';
import { families, familyOf } from '../chains/families.js';
import type { Config } from '../config.js';
import { nodePool } from '../gateway-nodes/pool.js';
import type { Opened } from './opened.js';

type Ports = { readonly opened: Opened; readonly state: () => Promise<StateStore>; readonly log: Log };

const away = 'is the node up and in sync, and does it know the key in its URL?';
const oldHeadSeconds = 300;
const behindSeconds = 120;

/** What a URL may carry to let one in is not for others to read. */
const hostOf = (url: string) => new URL(url).host;

const headFindings = ({ number, time }: Header): readonly Finding[] => {
  const age = Math.max(0, Math.round(Date.now() / 1000 - time));
  const found = `head ${number}, ${age} s old`;
  return [
    age > oldHeadSeconds
      ? warn(found, 'the node does not keep up with its chain, or the chain stands still')
      : ok(found),
    futureFinding('the head', time * 1000, Date.now()),
  ];
};

const followed = ({ tag }: Variant, urls: readonly string[], { opened, state, log }: Ports): readonly Check[] => {
  const connect = (some: readonly string[]) => opened.once(() => families[familyOf(some[0] ?? '')].connect(some, log));
  const each = urls.map((url): Check => {
    const chain = connect([url]);
    return {
      name: `node of ${tag} at ${hostOf(url)}`,
      advice: away,
      run: async () => headFindings(await (await chain()).head()),
    };
  });
  const all = connect(urls);
  const follower: Check = {
    name: `follower of ${tag}`,
    advice: away,
    run: async () => {
      const { cursor } = await readCursor(await state(), tag);
      if (!cursor) return [warn('has never run', 'start serve --role follower')];
      const head = await (await all()).head();
      const behind = head.number > tipOf(cursor).number ? head.time - tipOf(cursor).time : 0;
      const found = `is at ${tipOf(cursor).number} of ${head.number}, ${behind} s behind`;
      return [behind > behindSeconds ? warn(found, 'is one running? its log says why it does not move') : ok(found)];
    },
  };
  return [...each, follower];
};

const gateway = (address: string, urls: readonly string[], { opened, log }: Ports): readonly Check[] =>
  urls.map((url) => {
    const node = opened.once(async () => nodePool([url], log, false));
    return {
      name: `gateway ${address} at ${hostOf(url)}`,
      advice: away,
      run: async () => [ok(`head ${(await (await node()).head()).number}`)],
    };
  });

/** Nodes that are given, one by one; a development chain lives in the process that made it. */
export const nodeChecks = (config: Config, ports: Ports): readonly Check[] => [
  ...chains.flatMap((variant) => {
    const urls = config.chains.find(({ tag }) => tag === variant.tag)?.urls;
    if (typeof urls !== 'object') return [];
    return variant.surface === 'wallet' ? followed(variant, urls, ports) : gateway(variant.segment, urls, ports);
  }),
  ...Object.entries(config.gateways).flatMap(([address, urls]) => gateway(address, urls, ports)),
];
