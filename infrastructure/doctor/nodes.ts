import { readReached } from '../../application/following/progress/cursor-store.js';
import { type Heartbeat, readHeartbeat, stallOf } from '../../application/following/progress/heartbeat.js';
import { type Check, type Finding, fail, futureFinding, ok, warn } from '../../application/maintenance/finding.js';
import type { Header } from '../../application/ports/chain.js';
import type { StateStore } from '../../application/ports/state.js';
import type { Log } from '../../application/ports/system.js';
import { chains, type Variant } from '../../domain/variant.js';
import { oldHeadSecondsOf } from '../chains/chains.js';
import { families, familyOf } from '../chains/families.js';
import type { Config } from '../config.js';
import { nodePool } from '../gateway-nodes/pool.js';
import type { GatewayTerms } from '../settings/gateway-settings.js';
import type { SharedConnections } from './shared-connections.js';

type Ports = { readonly opened: SharedConnections; readonly state: () => Promise<StateStore>; readonly log: Log };

const connectionAdvice = 'check that the node is running and in sync, and that it accepts the key in its URL';
const stoppedAdvice = 'check that a process with --role follower is running; its log states why it does not advance';
const startAdvice =
  'the log of the follower states the reason; at least one node must have the first block of the chain';
const oldHeadAdvice =
  'compare with an explorer; add a node or an index that keeps up, or raise CHAIN_<X>_HEAD_AGE_SECONDS';
const behindSeconds = 120;

/** Reduces a URL to its host, because the rest may contain an access key. */
const hostOf = (url: string) => new URL(url).host;

const ageOf = ({ time }: Header) => Math.max(0, Math.round(Date.now() / 1000 - time));

const headFindings = (head: Header, maxSeconds: number): readonly Finding[] => {
  const { number, time } = head;
  const age = ageOf(head);
  const found = `head ${number}, ${age} s old`;
  return [
    age > maxSeconds ? warn(found, 'the node does not keep up with its chain, or the chain has stopped') : ok(found),
    futureFinding('the head', time * 1000, Date.now()),
  ];
};

const progressFinding = (tip: Header, head: Header, maxSeconds: number): Finding => {
  const behind = head.number > tip.number ? head.time - tip.time : 0;
  const found = `is at ${tip.number} of ${head.number}, ${behind} s behind`;
  if (ageOf(head) > maxSeconds)
    return fail(`${found}, and the newest block of its nodes is ${ageOf(head)} s old`, oldHeadAdvice);
  return behind > behindSeconds ? warn(found, stoppedAdvice) : ok(found);
};

/** Returns the finding for a follower without a cursor: it has never run, is starting, or cannot start. */
const startFinding = (heartbeat: Heartbeat | null): Finding => {
  if (!heartbeat) return warn('has never run', 'start serve --role follower');
  const stall = stallOf(heartbeat, Date.now());
  const problem = stall === null ? heartbeat.alarm : `the chain ${stall}`;
  return problem === null ? warn('is starting', stoppedAdvice) : fail(`cannot start: ${problem}`, startAdvice);
};

type Nodes = {
  readonly urls: readonly string[];
  readonly archive: readonly string[];
  readonly oldHeadSeconds: number | undefined;
};

const followed = ({ tag }: Variant, nodes: Nodes, { opened, state, log }: Ports): readonly Check[] => {
  const { urls, archive, oldHeadSeconds: maxSeconds = Number.POSITIVE_INFINITY } = nodes;
  const connect = (some: readonly string[]) => opened.once(() => families[familyOf(some[0] ?? '')].connect(some, log));
  const archives = archive.map((url): Check => {
    const chain = connect([url]);
    const run = async () => [ok(`head ${(await (await chain()).head()).number}`)];
    return { name: `archive of ${tag} at ${hostOf(url)}`, advice: connectionAdvice, run };
  });
  const each = urls.map((url): Check => {
    const chain = connect([url]);
    return {
      name: `node of ${tag} at ${hostOf(url)}`,
      advice: connectionAdvice,
      run: async () => headFindings(await (await chain()).head(), maxSeconds),
    };
  });
  const all = connect(urls);
  const follower: Check = {
    name: `follower of ${tag}`,
    advice: connectionAdvice,
    run: async () => {
      const [reached, heartbeat] = [await readReached(await state(), tag), await readHeartbeat(await state(), tag)];
      if (!reached) return [startFinding(heartbeat)];
      const stall = stallOf(heartbeat ?? { turnedAt: 0, alarm: null }, Date.now());
      if (stall !== null)
        return [
          fail(
            `is at ${reached.tip.number}, and the chain ${heartbeat ? stall : 'is not followed: no follower has reported'}`,
            stoppedAdvice,
          ),
        ];
      return [progressFinding(reached.tip, await (await all()).head(), maxSeconds)];
    },
  };
  return [...each, ...archives, follower];
};

const gateway = (
  address: string,
  urls: readonly string[],
  { chainId }: GatewayTerms,
  { opened, log }: Ports,
): readonly Check[] =>
  urls.map((url) => {
    const node = opened.once(async () => nodePool([url], log, false, { chainId }));
    return {
      name: `gateway ${address} at ${hostOf(url)}`,
      advice: connectionAdvice,
      run: async () => [ok(`head ${(await (await node()).head()).number}`)],
    };
  });

/**
 * Checks every configured node. A development chain is not checked, because it exists only in the process that runs it.
 */
export const nodeChecks = (config: Config, ports: Ports): readonly Check[] => [
  ...chains.flatMap((variant) => {
    const { urls, archive = [] } = config.chains.find(({ tag }) => tag === variant.tag) ?? {};
    if (typeof urls !== 'object') return [];
    if (variant.surface !== 'wallet') return gateway(variant.segment, urls, {}, ports);
    return followed(variant, { urls, archive, oldHeadSeconds: oldHeadSecondsOf(config, variant) }, ports);
  }),
  ...Object.entries(config.gateways).flatMap(([address, urls]) =>
    gateway(address, urls, config.gatewayTerms[address] ?? {}, ports),
  ),
];
