import { readFileSync } from 'node:fs';

/** Reads the version of the software. The compiled files lie one folder below package.json, as this file does. */
export const softwareVersion = (): string => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};
