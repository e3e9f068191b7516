import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Builder = { buildProgram(file: string): Promise<string> };

/** What a program can measure, by name. */
export type Sides = Readonly<Record<string, () => Promise<number>>>;

/**
 * A program of the benchmarks that holds our own code, compiled as the service is: what loads sources as they are gives each
 * function its name whenever one is made, which takes longer than much of what they do.
 */
export const startCompiled = async (file: URL, args: readonly string[]) => {
  const { buildProgram } = (await import(new URL('../build.js', import.meta.url).href)) as Builder;
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

/** The program's own part: it measures what it is asked for. */
export const serveSides = (sides: Sides) => {
  process.on('disconnect', () => process.exit());
  process.on('message', (side: string) => void sides[side]?.().then((rate) => process.send?.(rate)));
  process.send?.('ready');
};
