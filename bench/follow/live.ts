import { performance } from 'node:perf_hooks';
import { evmChain } from '../../infrastructure/chains/evm/connector.js';
import { startFollowing } from '../../tests/support/following/following.js';
import { silent, testSystem } from '../../tests/support/silent.js';
import { type Figure, largest, median, quantile } from '../measure/figures.js';
import { watchStalls } from '../measure/stall.js';
import { until } from '../measure/until.js';
import type { ChainPlan } from './node.js';
import { startNode } from './node-process.js';
import { createRecorder } from './recorder.js';
import type { Stores } from './stores.js';
import { maxStallMs } from './watching.js';

const sampledIntervalMs = 5;

/** Samples the number of blocks that had appeared but were not recorded yet. */
const lagsIn = (plan: ChainPlan, startedAt: number, recordedAt: ReadonlyMap<number, number>) => {
  const lags: number[] = [];
  const first = plan.past + 1;
  let recorded = plan.past;
  for (let ms = plan.blockIntervalMs; ms < (plan.blocks + 1) * plan.blockIntervalMs; ms += sampledIntervalMs) {
    const head = Math.min(plan.past + plan.blocks, first - 1 + Math.floor(ms / plan.blockIntervalMs));
    while ((recordedAt.get(recorded + 1) ?? Number.POSITIVE_INFINITY) <= startedAt + ms) recorded++;
    lags.push(head - recorded);
  }
  return lags;
};
const delaysIn = (plan: ChainPlan, startedAt: number, recordedAt: ReadonlyMap<number, number>) =>
  Array.from({ length: plan.blocks }, (_, i) => {
    const appearedAt = startedAt + (i + 1) * plan.blockIntervalMs;
    return (recordedAt.get(plan.past + 1 + i) ?? Number.POSITIVE_INFINITY) - appearedAt;
  });

/**
 * Starts to measure the CPU time of all threads of this process and the utilization of the main thread. Returns a
 * function that returns the results.
 */
const watchWork = () => {
  const [cpu, loop, startedAt] = [process.cpuUsage(), performance.eventLoopUtilization(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      cores: (user + system) / 1e6 / seconds,
      mainThread: performance.eventLoopUtilization(loop).utilization,
    };
  };
};

/** Measures the service while it follows a chain that grows in another process. */
export const liveFigures = async function* (stores: Stores, name: string, plan: ChainPlan): AsyncIterable<Figure> {
  const node = await startNode(plan);
  const chain = await evmChain([node.url], silent);
  const recorder = createRecorder(stores);
  const beganAt = performance.now();
  const running = startFollowing(recorder.stores, chain);
  const [follower] = running.app.followers;
  const height = () => follower?.status()?.height ?? -1;
  await until(() => height() >= 0);
  const loadedAt = performance.now();
  await until(() => height() >= plan.past);
  const caughtUpAt = performance.now();
  yield { what: `${name}: from start to following`, measured: (loadedAt - beganAt) / 1000, unit: 's' };
  if (plan.past > 0) {
    const rate = (plan.past * 1000) / (caughtUpAt - loadedAt);
    yield { what: `  ${plan.past} small blocks of the past`, measured: rate, unit: 'blocks/s' };
  }

  const work = watchWork();
  const stalls = watchStalls();
  const startedAt = await node.start();
  await testSystem.sleep((plan.blocks + 2) * plan.blockIntervalMs);
  const stalled = stalls.stop();
  const { cores, mainThread } = work();
  await running.stop();
  await chain.close();
  node.close();

  const lags = lagsIn(plan, startedAt, recorder.observedAt);
  const delays = delaysIn(plan, startedAt, recorder.observedAt);
  yield { what: '  lag, most', measured: largest(lags), unit: 'blocks', atMost: 1 };
  yield { what: '  lag, p95', measured: quantile(lags, 0.95), unit: 'blocks', atMost: 1 };
  yield { what: '  block to recorded, median', measured: median(delays), unit: 'ms' };
  yield { what: '  block to recorded, p95', measured: quantile(delays, 0.95), unit: 'ms' };
  yield { what: '  block to recorded, worst', measured: largest(delays), unit: 'ms' };
  yield { what: '  CPU of this process', measured: cores, unit: 'cores', atMost: 1 };
  yield { what: '  main thread busy', measured: mainThread, unit: 'of the time' };
  yield { what: '  stall, worst', measured: largest(stalled), unit: 'ms', atMost: maxStallMs };
  yield { what: '  stall, p99.9', measured: quantile(stalled, 0.999), unit: 'ms' };
};
