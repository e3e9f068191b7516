import { setImmediate as turn } from 'node:timers/promises';
import { createChainFeed } from '../../../application/gateway/chain-feed.js';
import type { Node } from '../../../application/ports/node.js';
import { readFilter } from '../../../domain/log-filter.js';
import type { HeadChannel } from '../../../infrastructure/gateway-nodes/heads/announced-head.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { silent, testSystem } from '../silent.js';
import type { VirtualClock } from '../virtual-clock.js';
import { memoryAnswers } from './memory-answers.js';
import { createModelChain, type ModelFault, type ModelNode, modelNode } from './model-nodes.js';
import { createWitness, type ReceivedHeader, type ReceivedLog } from './witness.js';

const delays = [
  { blockMs: 30, answerMs: 20 },
  { blockMs: 400, answerMs: 3, isPruned: true },
  { blockMs: 100, answerMs: 60 },
  { blockMs: 200, answerMs: 2 },
];
/** Time in ms for which a gateway may avoid a node after a fault. */
const cooldownMs = 15_000;
/** Index of the node that may start to serve another chain. */
const switching = 3;
const foreign = delays.length;
const urls = [`http://n${foreign}`, 'http://n0', 'ws://n0', 'http://n1', 'http://n2', `http://n${switching}`];

/** Creates channels that share heads between gateways of one process, as Redis does between processes. */
const createModelChannel = () => {
  const listeners = new Map<string, Set<(height: number) => void>>();
  const on = (chain: string) => listeners.get(chain) ?? new Set();
  return (): HeadChannel => ({
    announce: (chain, height) => {
      for (const listener of on(chain)) listener(height);
    },
    listen: (chain, listener) => listeners.set(chain, on(chain).add(listener)),
  });
};

/** Makes a node of another, longer chain that answers faster than all others. */
const foreignNode = (clock: VirtualClock) => {
  const other = createModelChain(clock, 2);
  for (let i = 0; i < 20; i++) other.mine();
  return modelNode(other, clock, { blockMs: 1, answerMs: 1 });
};

/** Opens two gateways that share a cache. Calls `noticed` when both know that a node switched to another chain. */
const openPools = (all: readonly ModelNode[], noticed: () => void) => {
  const linkTo = ({ hostname }: URL) => (all[Number(hostname.slice(1))] as ModelNode).link;
  const [{ answers }, channelOf, aware] = [memoryAnswers(), createModelChannel(), new Set<number>()];
  return [0, 1].map((place) => {
    const warn = ({ node }: { node?: string }, message: string) => {
      if (node !== `n${switching}` || !message.includes('serves another chain')) return;
      aware.add(place);
      if (aware.size === 2) noticed();
    };
    return nodePool(urls, { ...silent, warn }, false, { linkTo, channel: channelOf(), shared: { answers } });
  }) as [Node, Node];
};

/**
 * Opens two gateways with a subscriber and clients. The gateways use three nodes of one chain, a node that may switch
 * from that chain to another, and a node of a foreign chain.
 */
export const openModel = (clock: VirtualClock) => {
  const chain = createModelChain(clock);
  const nodes = delays.map((delay) => modelNode(chain, clock, delay));
  const suffered: ModelFault[] = nodes.map(() => 'none');
  const isFaulty = () => suffered.some((fault) => fault !== 'none');
  let faultyAt = Number.NEGATIVE_INFINITY;
  let [switches, isSwitched, isSwitching] = [0, false, false];
  const pools = openPools([...nodes, foreignNode(clock)], () => {
    // Runs as soon as both gateways have noticed the switch: each drops its heads and its cached answers at that
    // moment.
    isSwitching = false;
    switches++;
    witness.forget();
  });
  const [pool, other] = pools;
  const witness = createWitness({
    pools,
    chain,
    isStaleAllowed: isFaulty,
    isHealthy: () => !isFaulty() && clock.now() - faultyAt > cooldownMs,
    switches: () => switches,
    isSwitching: () => isSwitching,
    tip: () => Math.max(...nodes.map((node) => node.height())),
  });
  const switchNode = () => {
    if (isSwitched) return;
    isSwitched = true;
    isSwitching = true;
    switches++;
    (nodes[switching] as ModelNode).switchTo(createModelChain(clock, 3, 5));
  };
  const system = { ...testSystem, log: silent, now: clock.now, sleep: clock.sleep, breathe: () => turn() };
  const feed = createChainFeed(pool, system);
  const [headers, logs]: [ReceivedHeader[], ReceivedLog[]] = [[], []];

  const subscribe = async () => {
    await feed.onHeads(({ json }) => {
      const header = JSON.parse(json) as ReceivedHeader;
      headers.push(header);
      witness.noteHeight(Number(header.number));
    });
    await feed.onLogs(readFilter({}), ({ json }) => logs.push(JSON.parse(json)));
  };
  const suffer = (given: number, fault: ModelFault) =>
    nodes.forEach((node, i) => {
      if (given < nodes.length && given !== i) return;
      if (suffered[i] !== fault) faultyAt = clock.now();
      suffered[i] = fault;
      node.suffer(fault);
    });
  /**
   * Heals the nodes, except that node 1 keeps the fault `without logs` if it has it, because subscribers must receive
   * every log from the other nodes even then.
   */
  const healAll = () => {
    for (const i of suffered.keys()) if (i !== 1 || suffered[i] !== 'without logs') suffer(i, 'none');
  };
  const close = () => Promise.all(pools.map((one) => one.close()));
  return {
    chain,
    other,
    witness,
    headers,
    logs,
    subscribe,
    suffer,
    suffered,
    healAll,
    switchNode,
    close,
    isSwitching: () => isSwitching,
  };
};

export type Model = ReturnType<typeof openModel>;
