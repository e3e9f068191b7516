import type { Gauge } from 'prom-client';
import type { App } from '../../application/app.js';

type MakeGauge = (name: string, help: string, labelNames?: string[]) => Gauge;

/** Registers the gauges of the followers and returns the function that refreshes them. */
export const createFollowerMetrics = (app: App, gauge: MakeGauge) => {
  const of = ['chain'];
  const height = gauge('chainfold_follower_height', 'Block that a follower has come to.', of);
  const chainHead = gauge('chainfold_follower_head', 'Head of the chain that a node told last.', of);
  const blocksBehind = gauge('chainfold_follower_lag_blocks', 'Blocks not yet followed.', of);
  const secondsBehind = gauge(
    'chainfold_follower_lag_seconds',
    'Age of the last block followed, if there is a later one or no node tells.',
    of,
  );
  const headAge = gauge('chainfold_follower_head_age_seconds', 'Age of the newest block that a node told of.', of);
  const headRead = gauge('chainfold_follower_head_read_seconds', 'Time since a node last told its head.', of);
  const alarmed = gauge(
    'chainfold_follower_alarm',
    '1 when a follower fails, its chain stands still or its head is old.',
    of,
  );
  const setAside = gauge('chainfold_follower_contracts_set_aside', 'Contracts whose balances cannot be read.', of);
  const traced = gauge('chainfold_follower_traced', '0 when no node can trace, so some balances may be old.', of);
  const unreadable = gauge('chainfold_follower_blocks_unreadable', 'Blocks that were left out and not read since.', of);

  const refreshLags = async () => {
    const followers = await app.status.followers();
    for (const { chain, ...status } of followers) {
      height.set({ chain }, status.height);
      chainHead.set({ chain }, status.head);
      blocksBehind.set({ chain }, Math.max(0, status.head - status.height));
      secondsBehind.set({ chain }, status.lagSeconds);
      headAge.set({ chain }, status.headSeconds);
      if (status.headReadSeconds !== null) headRead.set({ chain }, status.headReadSeconds);
    }
    return new Map(followers.map(({ chain, trouble }) => [chain, trouble]));
  };
  return async () => {
    const troubles = await refreshLags();
    for (const { variant: chain, alarm } of app.followers) {
      alarmed.set({ chain }, (alarm() ?? troubles.get(chain) ?? null) === null ? 0 : 1);
      setAside.set({ chain }, 0);
      unreadable.set({ chain }, 0);
    }
    for (const { tag: chain } of await app.status.leftOut()) unreadable.inc({ chain });
    for (const { chain } of await app.status.setAside()) setAside.inc({ chain });
    for (const [chain, isTraced] of Object.entries(await app.status.traced())) traced.set({ chain }, Number(isTraced));
  };
};
