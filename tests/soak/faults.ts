import { createRandom } from '../support/random.js';
import { testSystem } from '../support/silent.js';
import { nodeFaults } from './failing-node.js';
import { roles } from './processes.js';
import { whileNothingIsStored } from './standstill.js';
import type { World } from './world.js';

export type Pace = {
  /**
   * Maximum time in ms between two reorganizations; `killMs` and `nodeMs` are the same for kills and node failures.
   */
  readonly reorganizationMs: number;
  readonly killMs: number;
  readonly nodeMs: number;
};

/** Maximum depth of a reorganization, in blocks: twice the largest confirmation depth of receiving wallets. */
export const maxReorganizationDepth = 8;
const maxFaultMs = 3000;
/**
 * Time in ms for which no event can be stored before a follower is killed: long enough for it to read a block.
 */
const standstillMs = { min: 400, max: 1000 };

export type Target = World & {
  /** Address that several organizations watch. */
  readonly shared: string;
};

const again = async (signal: AbortSignal, everyMs: () => number, act: () => Promise<unknown>) => {
  while (!signal.aborted) {
    await testSystem.sleep(everyMs(), signal);
    if (!signal.aborted) await act();
  }
};

const reorganize = ({ ask, tally }: World, seed: number, { reorganizationMs }: Pace, signal: AbortSignal) => {
  const random = createRandom(seed, 'reorganizations');
  return again(
    signal,
    () => random.below(reorganizationMs),
    async () => {
      if (random.below(3) === 0) return ask('dev_mine', random.between(1, 3));
      const drop = random.below(2) === 0;
      await ask('dev_reorg', random.between(1, maxReorganizationDepth), ...(drop ? ['drop'] : []));
      tally.add(drop ? 'reorganizations that drop transactions' : 'reorganizations');
    },
  );
};

/**
 * Kills each role in turn, in a random order. A follower is killed while no event can be stored, so that it has
 * probably read a block without storing the events.
 */
const kill = ({ ask, processes, shared, tally }: Target, seed: number, { killMs }: Pace, signal: AbortSignal) => {
  const random = createRandom(seed, 'kills');
  let left: (typeof roles)[number][] = [];
  return again(
    signal,
    () => random.below(killMs),
    async () => {
      if (left.length === 0) left = [...roles];
      const [role = roles[0]] = left.splice(random.below(left.length), 1);
      const killLate = async () => {
        if (random.below(2) === 0) await ask('dev_reorg', random.between(1, maxReorganizationDepth), 'drop');
        await ask('dev_transfer', { variant: 'c', to: shared, value: '1' });
        await testSystem.sleep(random.between(standstillMs.min, standstillMs.max));
        await processes.kill(role);
      };
      if (role === 'follower') await whileNothingIsStored(processes.home, killLate);
      else await processes.kill(role);
      await processes.start(role);
      tally.add(`kill -9 of the ${role}`);
    },
  );
};

/** Makes a random node fail for a while, and now and then all nodes at once. */
const failNodes = ({ nodes, tally }: World, seed: number, { nodeMs }: Pace, signal: AbortSignal) => {
  const random = createRandom(seed, 'nodes');
  return again(
    signal,
    () => random.below(nodeMs),
    async () => {
      const fault = random.pick(nodeFaults);
      const all = random.below(4) === 0;
      const failing = all ? nodes : [random.pick(nodes)];
      tally.add(all ? 'outages of all nodes' : `a node that answers with: ${fault}`);
      for (const node of failing) node.fail(fault);
      await testSystem.sleep(random.below(maxFaultMs), signal);
      for (const node of failing) node.fail(null);
    },
  );
};

/**
 * Injects faults of all kinds concurrently until the signal aborts. In the end, every role is running and every node is
 * healthy.
 */
export const injectFaults = async (world: Target, seed: number, pace: Pace, signal: AbortSignal): Promise<void> => {
  await Promise.all([reorganize, kill, failNodes].map((inject) => inject(world, seed, pace, signal)));
};
