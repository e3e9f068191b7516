import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Builder = { buildProgram(file: string): Promise<string> };

/** Functions of a benchmark program, keyed by name. Most of them measure a rate. */
export type Sides = Readonly<Record<string, () => Promise<number>>>;

/**
 * Starts a benchmark program that runs our own code, compiled like the service. The program does not run with tsx,
 * because tsx names every new function at run time, which often takes longer than the function itself.
 */
export const startCompiled = async (file: URL, args: readonly string[]) => {
  const { buildProgram } = (await import(new URL('../../build.js', import.meta.url).href)) as Builder;
  const child = fork(await buildProgram(fileURLToPath(file)), args);
  await once(child, 'message');
  return {
    rateOf: (side: string) => async () => {
      child.send(side);
      return ((await once(child, 'message')) as [number])[0];
    },
    close: () => child.disconnect(),
  };
};

/** Performs, in the started program, the measurements that the benchmark requests. */
export const serveSides = (sides: Sides) => {
  process.on('disconnect', () => process.exit());
  process.on('message', (side: string) => void sides[side]?.().then((rate) => process.send?.(rate)));
  process.send?.('ready');
};
