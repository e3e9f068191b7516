import type { Gauge } from 'prom-client';
import type { App } from '../../application/app.js';
import type { MakeGauge, MetricSource } from './metric-sources.js';

/**
 * Registers the gauges of follower progress. Returns the source that sets them, and a function that returns a chain's
 * alarm reason as of the last scrape.
 */
const createProgressSource = (app: App, gauge: MakeGauge) => {
  const of = ['chain'];
  const height = gauge('chainfold_follower_height', 'Height of the last followed block.', of);
  const chainHead = gauge('chainfold_follower_head', 'Latest head of the chain reported by a node.', of);
  const blocksBehind = gauge('chainfold_follower_lag_blocks', 'Blocks not yet followed.', of);
  const secondsBehind = gauge(
    'chainfold_follower_lag_seconds',
    'Age of the last followed block; 0 while a node reports no later block.',
    of,
  );
  const headAge = gauge('chainfold_follower_head_age_seconds', 'Age of the newest block reported by a node.', of);
  const headRead = gauge('chainfold_follower_head_read_seconds', 'Time since a node last reported its head.', of);
  let troubles: ReadonlyMap<string, string | null> = new Map();
  const show = (followers: Awaited<ReturnType<App['status']['followers']>>) => {
    for (const { chain, ...status } of followers) {
      height.set({ chain }, status.height);
      chainHead.set({ chain }, status.head);
      blocksBehind.set({ chain }, Math.max(0, status.head - status.height));
      secondsBehind.set({ chain }, status.lagSeconds);
      headAge.set({ chain }, status.headSeconds);
      if (status.headReadSeconds !== null) headRead.set({ chain }, status.headReadSeconds);
    }
    troubles = new Map(followers.map(({ chain, trouble }) => [chain, trouble]));
  };
  const source: MetricSource = {
    name: 'followers',
    read: async () => {
      const followers = await app.status.followers();
      return () => show(followers);
    },
  };
  return { source, troubleOf: (chain: string) => troubles.get(chain) ?? null };
};

/**
 * Registers the gauges of the followers. Returns their sources and a function that sets the gauge of alarms. Alarms of
 * followers in this process are known without a store, so they are shown even if every store is down.
 */
export const createFollowerMetrics = (app: App, gauge: MakeGauge) => {
  const of = ['chain'];
  const progress = createProgressSource(app, gauge);
  const alarmed = gauge(
    'chainfold_follower_alarm',
    '1 if the follower fails, the chain produces no blocks or its head is old.',
    of,
  );
  const setAside = gauge('chainfold_follower_contracts_set_aside', 'Contracts whose balances cannot be read.', of);
  const traced = gauge(
    'chainfold_follower_traced',
    '0 if no node supports tracing, so that some balances may be out of date.',
    of,
  );
  const unreadable = gauge('chainfold_follower_blocks_unreadable', 'Blocks that were skipped and not read since.', of);

  /** Sets a gauge to the number of times that each followed chain occurs in `chains`. */
  const showCounts = (counted: Gauge, chains: readonly string[]) => {
    counted.reset();
    for (const { variant: chain } of app.followers) counted.set({ chain }, 0);
    for (const chain of chains) counted.inc({ chain });
  };
  const drifted = gauge('chainfold_balance_drifts', 'Balances that differed from the nodes and were corrected.', of);
  const sources: readonly MetricSource[] = [
    progress.source,
    {
      name: 'balance_drifts',
      read: async () => {
        const drifts = await app.status.drifts();
        return () => {
          for (const { variant: chain } of app.followers) drifted.set({ chain }, 0);
          for (const { chain, count } of drifts) drifted.set({ chain }, count);
        };
      },
    },
    {
      name: 'unreadable_blocks',
      read: async () => {
        const blocks = await app.status.unreadBlocks();
        return () =>
          showCounts(
            unreadable,
            blocks.map(({ tag }) => tag),
          );
      },
    },
    {
      name: 'contracts_set_aside',
      read: async () => {
        const contracts = await app.status.failingContracts();
        return () =>
          showCounts(
            setAside,
            contracts.map(({ chain }) => chain),
          );
      },
    },
    {
      name: 'traced_chains',
      read: async () => {
        const chains = Object.entries(await app.status.traced());
        return () => {
          for (const [chain, isTraced] of chains) traced.set({ chain }, Number(isTraced));
        };
      },
    },
  ];
  const showAlarms = () => {
    for (const { variant: chain, alarm } of app.followers)
      alarmed.set({ chain }, (alarm() ?? progress.troubleOf(chain)) === null ? 0 : 1);
  };
  return { sources, showAlarms };
};
