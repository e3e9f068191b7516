import { readFileSync } from 'node:fs';

/** Reads the version of the software. Compiled files, like this source file, lie one folder below package.json. */
export const softwareVersion = (): string => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};
