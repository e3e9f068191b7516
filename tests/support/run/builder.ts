type Builder = {
  buildIfStale(): Promise<void>;
  /** Compiles a program that is not part of the service and returns its file. */
  buildProgram(file: string): Promise<string>;
};

/** Loads build.js, which is not TypeScript because it compiles the TypeScript. */
const builder = (): Promise<Builder> => import(new URL('../../../build.js', import.meta.url).href);

export const buildIfStale = async () => (await builder()).buildIfStale();
export const buildProgram = async (file: string) => (await builder()).buildProgram(file);
