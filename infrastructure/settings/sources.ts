import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { didYouMean } from '../../domain/nearest-name.js';
import { type Config, readConfig } from '../config.js';
import { BadSetting } from './bad-setting.js';
import { settingNames } from './table.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of a process, with the place that each was read from. */
export type Sources = {
  readonly environment: Environment;
  /**
   * Source of each setting in force (`environment`, `.env` or `chainfold.config.json`), keyed by the setting's name.
   */
  readonly origins: Readonly<Record<string, string>>;
  /** Sentences about variables that look like settings but are not. */
  readonly warnings: readonly string[];
};

const configFile = 'chainfold.config.json';
const environmentFile = '.env';

const textOf = (directory: string, file: string): string | null => {
  try {
    return readFileSync(join(directory, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw new BadSetting(`${file} cannot be read (${code}). Allow this user to read it, or remove it`);
  }
};

/** Removes variables without a value. Compose files pass an empty string for a variable that is not set. */
const given = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));

const inEnvironmentFile = (directory: string): Environment => {
  const found = parseEnv(textOf(directory, environmentFile) ?? '');
  if (Object.keys(found).every((name) => /^[\w.-]+$/.test(name))) return given(found as Environment);
  throw new BadSetting(`${environmentFile}: every line must be NAME=value, a comment that begins with #, or empty`);
};

/** Converts a value of the file to the text that the environment would hold; null if the value has another type. */
const asText = (value: unknown): string | null => {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.join(',') : null;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
};

const parseObject = (text: string): object => {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // The parser's message is left out, because it may quote a secret.
    throw new BadSetting(`${configFile}: not valid JSON`);
  }
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found;
  throw new BadSetting(`${configFile}: must be an object of settings, such as {"CHAINFOLD_PORT": 8080}`);
};

const inConfigFile = (directory: string): Environment => {
  const values: Record<string, string> = {};
  const { $schema: _, ...found } = parseObject(textOf(directory, configFile) ?? '{}') as { $schema?: unknown };
  for (const [name, value] of Object.entries(found)) {
    if (!settingNames.has(name) || name === 'CHAINFOLD_CONFIG_DIR')
      throw new BadSetting(`${configFile}: unknown setting ${name}${didYouMean(name, settingNames)}`);
    const text = asText(value);
    if (text === null)
      throw new BadSetting(`${configFile}: ${name} must be text, a number, true, false or a list of texts`);
    values[name] = text;
  }
  return given(values);
};

/** Matches names of variables that only this service would use. Other variables belong to other programs. */
const own = /^(?:CHAINFOLD_|CHAIN_[A-Z]_|GATEWAY_[A-Z]_)/;

const warningsIn = (environment: Environment, place: string) =>
  Object.keys(environment)
    .filter((name) => own.test(name) && !settingNames.has(name))
    .map((name) => `Unknown setting ${name} in ${place}${didYouMean(name, settingNames) || '. It has no effect.'}`);

/**
 * Reads the settings of the environment, of `.env` and of `chainfold.config.json`, in this order of precedence. The
 * files are optional and lie in the working directory, or in CHAINFOLD_CONFIG_DIR.
 */
export const readSources = (process: Environment): Sources => {
  const variables = given(process);
  const directory = variables.CHAINFOLD_CONFIG_DIR ?? '.';
  const layers = [
    [configFile, inConfigFile(directory)],
    [environmentFile, inEnvironmentFile(directory)],
    ['environment', variables],
  ] as const;
  const origins = layers.flatMap(([origin, values]) =>
    Object.keys(values)
      .filter((name) => settingNames.has(name))
      .map((name) => [name, origin]),
  );
  return {
    environment: Object.assign({}, ...layers.map(([, values]) => values)),
    origins: Object.fromEntries(origins),
    warnings: [...warningsIn(variables, 'the environment'), ...warningsIn(layers[1][1], environmentFile)],
  };
};

/**
 * Reads and validates the settings. Throws BadSetting for the first invalid one; the message names the file of that
 * setting.
 */
export const configOf = (sources: Sources): Config => {
  try {
    return readConfig(sources.environment);
  } catch (error) {
    throw nameFile(error, sources);
  }
};

/** Adds the name of the file to the message of an invalid setting that was read from a file. */
export const nameFile = (error: unknown, { origins }: Sources): unknown => {
  if (!(error instanceof BadSetting)) return error;
  const origin = origins[/^\w+/.exec(error.message)?.[0] ?? ''];
  return origin === undefined || origin === 'environment' ? error : new BadSetting(`${origin}: ${error.message}`);
};
