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

/** Describes the error in one option, without its value, which may be a secret; null if the option is valid. */
const optionFault = (known: Command['options'], { name, rawName, value, inlineValue }: Given): string | null => {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!option) {
    const flags = Object.keys(known).map((one) => `--${one}`);
    return `Unknown option ${rawName}${didYouMean(rawName, flags) || `. Options: ${flags.join(', ')}`}`;
  }
  if (option.type === 'boolean') return value === undefined ? null : `--${name} takes no value`;
  if (value === undefined) return `--${name} requires a value: ${optionText(name, option)}`;
  return !inlineValue && /^-./.test(value)
    ? `--${name} requires a value: ${optionText(name, option)}. Write a value that begins with a dash as --${name}=-…`
    : null;
};

const rejectUsage = (message: string): never => {
  throw new UsageError(message);
};

const checkParameters = (command: Command, given: readonly string[]) => {
  const wanted = command.parameters ?? [];
  const needed = wanted.filter((name) => !name.startsWith('['));
  if (given.length < needed.length) rejectUsage(`${needed[given.length]} is required. Usage: ${usageOf(command)}`);
  const isOpen = wanted.at(-1)?.endsWith('…]') ?? false;
  if (given.length > wanted.length && !isOpen)
    rejectUsage(
      `Too many parameters: expected at most ${wanted.length}, got ${given.length}. Usage: ${usageOf(command)}`,
    );
};

/** Parses the arguments of a command. Rejects unknown options, missing values and missing or extra parameters. */
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
    if (fault) rejectUsage(fault);
  }
  const { json, help, ...options } = values;
  const parsed = { options: options as Parsed['options'], parameters: positionals, json: !!json, help: !!help };
  if (parsed.help) return parsed;
  const missing = Object.entries(command.options).find(([name, { required }]) => required && !parsed.options[name]);
  if (missing) rejectUsage(`--${missing[0]} is required: ${optionText(...missing)}`);
  checkParameters(command, positionals);
  return parsed;
};

/** Returns the value of an option if it is allowed. Rejects any other value with the list of allowed values. */
export const oneOf = <T extends string>(flag: string, given: string | undefined, allowed: readonly T[]): T => {
  const found = allowed.find((one) => one === given);
  if (found !== undefined) return found;
  return rejectUsage(`${flag} must be one of ${allowed.join(', ')}${didYouMean(given ?? '', allowed)}`);
};

/** Parses a non-negative integer of at most `digits` digits. */
export const wholeNumber = (flag: string, given: string, digits: number): number =>
  given.length <= digits && /^\d+$/.test(given)
    ? Number(given)
    : rejectUsage(`${flag} must be a non-negative integer of at most ${digits} digits`);

/**
 * Explains an unknown command and suggests the closest one. Options and values are not repeated: they may be secrets.
 */
export const explainUnknownCommand = (commands: readonly Command[], args: readonly string[]): string => {
  const firstOption = args.findIndex((word) => word.startsWith('-'));
  const [first = '', second = ''] = firstOption < 0 ? args : args.slice(0, firstOption);
  const given = `${first} ${second}`.trim();
  const names = commands.map(({ words }) => words);
  const group = names.filter((words) => words.startsWith(`${first} `));
  if (group.length === 0) {
    const nearest = nearestName(given, names) ?? nearestName(first, names);
    return `Unknown command "${given}". ${nearest ? `Did you mean ${nearest}?` : 'chainfold --help lists all commands.'}`;
  }
  const nearest = nearestName(
    second,
    group.map((words) => words.slice(first.length + 1)),
  );
  return `Unknown command "${given}". ${nearest ? `Did you mean ${first} ${nearest}?` : `Commands: ${group.join(', ')}`}`;
};
