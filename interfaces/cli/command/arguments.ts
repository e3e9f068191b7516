import { parseArgs } from 'node:util';
import { didYouMean, nearestName } from '../../../domain/nearest-name.js';
import { UsageError } from '../../usage-error.js';
import { type Command, optionText, sharedOptions, usageOf } from './command.js';

export type Parsed = {
  readonly options: Record<string, string | undefined>;
  readonly parameters: string[];
  readonly json: boolean;
  readonly help: boolean;
};

type Given = {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string;
  readonly inlineValue?: boolean;
};

/** Says what is wrong with one option, without its value, which may be a secret; null when nothing is. */
const optionFault = (known: Command['options'], { name, rawName, value, inlineValue }: Given): string | null => {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!option) {
    const flags = Object.keys(known).map((one) => `--${one}`);
    return `there is no option ${rawName}${didYouMean(rawName, flags) || `; there are ${flags.join(', ')}`}`;
  }
  if (option.type === 'boolean') return value === undefined ? null : `--${name} takes no value`;
  if (value === undefined) return `--${name} needs a value: ${optionText(name, option)}`;
  return !inlineValue && /^-./.test(value)
    ? `--${name} needs a value: ${optionText(name, option)}; one that begins with a dash is given as --${name}=-…`
    : null;
};

const refuseUse = (message: string): never => {
  throw new UsageError(message);
};

const checkParameters = (command: Command, given: readonly string[]) => {
  const wanted = command.parameters ?? [];
  const needed = wanted.filter((name) => !name.startsWith('['));
  if (given.length < needed.length) refuseUse(`${needed[given.length]} is needed: ${usageOf(command)}`);
  const isOpen = wanted.at(-1)?.endsWith('…]') ?? false;
  if (given.length > wanted.length && !isOpen)
    refuseUse(`${given.length} parameters are too many: ${usageOf(command)}`);
};

/** Reads the arguments of a command, and refuses those that it does not have with what it has instead. */
export const parse = (command: Command, args: readonly string[]): Parsed => {
  const known = { ...command.options, ...sharedOptions };
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: known,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    const fault = token.kind === 'option' ? optionFault(known, token as Given) : null;
    if (fault) refuseUse(fault);
  }
  const { json, help, ...options } = values;
  const parsed = { options: options as Parsed['options'], parameters: positionals, json: !!json, help: !!help };
  if (parsed.help) return parsed;
  const missing = Object.entries(command.options).find(([name, { required }]) => required && !parsed.options[name]);
  if (missing) refuseUse(`--${missing[0]} is needed: ${optionText(...missing)}`);
  checkParameters(command, positionals);
  return parsed;
};

/** Returns the allowed value that an option was given, and refuses any other with the list of those that are allowed. */
export const oneOf = <T extends string>(flag: string, given: string | undefined, allowed: readonly T[]): T => {
  const found = allowed.find((one) => one === given);
  if (found !== undefined) return found;
  return refuseUse(`${flag} must be one of ${allowed.join(', ')}${didYouMean(given ?? '', allowed)}`);
};

/** Reads a whole number of at most so many digits. */
export const wholeNumber = (flag: string, given: string, digits: number): number =>
  given.length <= digits && /^\d+$/.test(given)
    ? Number(given)
    : refuseUse(`${flag} must be a whole number of at most ${digits} digits`);

/** Says which command the arguments may mean; options and their values are not repeated, since they may be secrets. */
export const explainUnknownCommand = (commands: readonly Command[], args: readonly string[]): string => {
  const firstOption = args.findIndex((word) => word.startsWith('-'));
  const [first = '', second = ''] = firstOption < 0 ? args : args.slice(0, firstOption);
  const given = `${first} ${second}`.trim();
  const names = commands.map(({ words }) => words);
  const group = names.filter((words) => words.startsWith(`${first} `));
  if (group.length === 0) {
    const nearest = nearestName(given, names) ?? nearestName(first, names);
    return `there is no command "${given}"; ${nearest ? `did you mean ${nearest}?` : 'chainfold --help lists them'}`;
  }
  const nearest = nearestName(
    second,
    group.map((words) => words.slice(first.length + 1)),
  );
  return `there is no command "${given}"; ${nearest ? `did you mean ${first} ${nearest}?` : `there are ${group.join(', ')}`}`;
};
