import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ChainPlan, FromNode } from './node.js';

export type GrowingChain = {
  readonly url: string;
  /** Lets the chain grow; returns when that began, Unix ms. */
  start(): Promise<number>;
  close(): void;
};

/** Starts a node in a process of its own, so that its cost is not counted. */
export const startNode = async (plan: ChainPlan): Promise<GrowingChain> => {
  const isCompiled = import.meta.url.endsWith('.js');
  const module = new URL(isCompiled ? './node.js' : './node.ts', import.meta.url);
  const child = fork(module, [JSON.stringify(plan)], { execArgv: isCompiled ? [] : ['--import', 'tsx'] });
  const told = async () => ((await once(child, 'message')) as [FromNode])[0];
  const first = await told();
  return {
    url: 'url' in first ? first.url : '',
    start: async () => {
      const answer = told();
      child.send('start');
      const started = await answer;
      return 'startedAt' in started ? started.startedAt : Date.now();
    },
    close: () => child.disconnect(),
  };
};
