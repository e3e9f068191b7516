import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { madeDirectories } from './directories.js';
import type { Stores } from './engine-contents.js';
import { report } from './report.js';
import { createSearch, formsOf, type Needle } from './secret-forms.js';

/** Output of the service or of a command: a log, an answer or a file. */
type Product = {
  readonly name: string;
  readonly isLog: boolean;
  readonly read: () => Buffer | string;
};

/**
 * Forms of each secret, keyed by its text. They are kept because all output of later test files is searched for them
 * too.
 */
const secrets = new Map<string, readonly Needle[]>();
const keys = new Map<string, readonly Needle[]>();
const products: Product[] = [];
const homes: Stores[] = [];

/** Returns false for secrets that tests made up, such as `fff…`, because they may occur anywhere. */
const isTelling = (text: string) => text.length >= 32 && new Set(text).size >= 8;

const keepForms = (kept: Map<string, readonly Needle[]>, text: string) => {
  if (isTelling(text) && !kept.has(text)) kept.set(text, formsOf(text));
};
/** Registers a secret that must not occur in any log, answer, file or store. */
export const keepSecret = (secret: string) => keepForms(secrets, secret);
/**
 * Registers an api_key, which must not occur in any log. It may occur in stores and answers, where it names the actor.
 */
const keepKey = (key: string) => keepForms(keys, key);
export const keepCredentials = <C extends { readonly key: string; readonly secret: string }>(credentials: C): C => {
  keepKey(credentials.key);
  keepSecret(credentials.secret);
  return credentials;
};

const secretSetting = /(?:MASTER_KEY|SECRET|TOKEN)$/;
export const keepEnvironment = <E extends Readonly<Record<string, string | undefined>>>(environment: E): E => {
  for (const [name, value] of Object.entries(environment)) if (value && secretSetting.test(name)) keepSecret(value);
  return environment;
};

export const keepLog = (name: string, read: () => string) => {
  products.push({ name, isLog: true, read });
};
export const keepAnswer = (name: string, answer: Buffer | string) => {
  products.push({ name, isLog: false, read: () => answer });
};

type Printed = { readonly stdout: string; readonly stderr: string };
const isIssue = ([noun, verb]: readonly string[]) => noun === 'credential' && verb === 'issue';

/**
 * Keeps the output of a command for the search. A command that issues a credential may print its secret: that secret is
 * registered, and the standard output is not searched.
 */
export const keepCommand = (args: readonly string[], { stdout, stderr }: Printed) => {
  const name = `chainfold ${args.slice(0, 2).join(' ')}`;
  keepLog(`${name}, standard error`, () => stderr);
  if (!isIssue(args)) return keepAnswer(`${name}, standard output`, stdout);
  for (const [, key = ''] of stdout.matchAll(/api_key\W+(\w+)/g)) keepKey(key);
  for (const [, secret = ''] of stdout.matchAll(/api_secret\W+(\w+)/g)) keepSecret(secret);
};

/**
 * Patterns that find the secret in the files made to hold one, keyed by file name. Only the owner may read these files.
 */
const keepers: Readonly<Record<string, RegExp>> = {
  'demo.json': /"api_secret":\s*"(\w+)"/,
  'master.key': /(\w+)/,
  'master.key.previous': /(\w+)/,
};
const isKeeper = ({ name }: File) => Object.hasOwn(keepers, name);

type File = { readonly name: string; readonly path: string };
const filesIn = (directory: string): readonly File[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, path: join(parentPath, name) }));

/** Registers the secrets in the keeper files of a directory. Called before a keeper file is replaced. */
export const keepSecretsIn = (directory: string) => {
  for (const { name, path } of filesIn(directory).filter(isKeeper))
    keepSecret(keepers[name]?.exec(readFileSync(path, 'utf8'))?.[1] ?? '');
};

/**
 * Registers the stores of a service, so that their servers are searched for secrets when the tests of the file have
 * ended.
 */
export const keepHome = (home: Stores) => {
  homes.push(home);
};

export const keepContents = async (home: Stores) => {
  // Imported here, because loading the clients of the engines takes longer than most specs.
  const { contentsOf } = await import('./engine-contents.js');
  for (const [name, contents] of Object.entries(await contentsOf(home))) keepAnswer(name, contents);
};

const engineMs = 30_000;

/** Copies the contents of the engines before they close, and reports engines that do not answer. */
export const keepAllContents = async () => {
  const late = async () => Promise.reject(new Error('which did not answer'));
  for (const home of homes.splice(0)) {
    const deadline = new AbortController();
    const timeout = sleep(engineMs, undefined, { signal: deadline.signal }).then(late, () => undefined);
    await Promise.race([keepContents(home), timeout]).catch((error: Error) => {
      report(`not searched for secrets: the engines of ${home.directory}, ${error.message}`);
    });
    deadline.abort();
  }
};

/**
 * Place where a secret was found, and the form in which it was found. The secret itself is left out, because leaks are
 * printed.
 */
export type Leak = { readonly where: string; readonly form: string };

const fileProducts = (directories: readonly string[]): readonly Product[] =>
  directories
    .flatMap(filesIn)
    .filter((file) => !isKeeper(file))
    .map(({ path }) => ({ name: path, isLog: path.endsWith('.log'), read: () => readFileSync(path) }));

/**
 * Searches all kept output and the files in the directories for every secret. By default, the directories are those of
 * all tests.
 */
export const findLeaks = (directories = madeDirectories()): readonly Leak[] => {
  for (const directory of directories) keepSecretsIn(directory);
  const secretsIn = createSearch([...secrets.values()].flat());
  const keysIn = createSearch([...keys.values()].flat());
  return [...products, ...fileProducts(directories)].flatMap(({ name, isLog, read }) => {
    const bytes = Buffer.from(read() as string);
    return [...secretsIn(bytes), ...(isLog ? keysIn(bytes) : [])].map(({ form }) => ({ where: name, form }));
  });
};

/** Forgets output that has been searched. */
export const forgetProducts = () => {
  products.length = 0;
};

/** Lists files made to hold a secret, such as master.key, whose permissions let other users read them. */
export const readableKeepers = (): readonly string[] =>
  madeDirectories()
    .flatMap(filesIn)
    .filter((file) => isKeeper(file) && (statSync(file.path).mode & 0o077) !== 0)
    .map(({ path }) => path);
