import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ChainPlan, NodeMessage } from './node.js';

export type GrowingChain = {
  readonly url: string;
  /** Starts the growth of the chain. Resolves to the start time in Unix ms. */
  start(): Promise<number>;
  close(): void;
};

/** Starts a node in a separate process, so that its cost is not measured. */
export const startNode = async (plan: ChainPlan): Promise<GrowingChain> => {
  const isCompiled = import.meta.url.endsWith('.js');
  const module = new URL(isCompiled ? './node.js' : './node.ts', import.meta.url);
  const child = fork(module, [JSON.stringify(plan)], { execArgv: isCompiled ? [] : ['--import', 'tsx'] });
  const nextMessage = async () => ((await once(child, 'message')) as [NodeMessage])[0];
  const first = await nextMessage();
  return {
    url: 'url' in first ? first.url : '',
    start: async () => {
      const answer = nextMessage();
      child.send('start');
      const started = await answer;
      return 'startedAt' in started ? started.startedAt : Date.now();
    },
    close: () => child.disconnect(),
  };
};
