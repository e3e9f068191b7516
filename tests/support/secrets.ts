import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { madeDirectories } from './directories.js';
import type { Stores } from './engine-contents.js';
import { report } from './report.js';
import { createSearch, formsOf } from './secret-forms.js';

/** Something that the service, or a command, brought forth. */
type Product = {
  readonly name: string;
  readonly isLog: boolean;
  readonly read: () => Buffer | string;
};

const secrets = new Set<string>();
const keys = new Set<string>();
const products: Product[] = [];
const homes: Stores[] = [];

/** What a test made up (`fff…`) may well occur somewhere. */
const isTelling = (text: string) => text.length >= 32 && new Set(text).size >= 8;

/** Remembers what must be found nowhere. */
export const keepSecret = (secret: string) => {
  if (isTelling(secret)) secrets.add(secret);
};
/** An api_key names who acted, so it is in stores and answers; it must be found in no log. */
const keepKey = (key: string) => {
  if (isTelling(key)) keys.add(key);
};
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

/** What a command printed; the one that issues a secret may print it, and so tells it. */
export const keepCommand = (args: readonly string[], { stdout, stderr }: Printed) => {
  const name = `chainfold ${args.slice(0, 2).join(' ')}`;
  keepLog(`${name}, standard error`, () => stderr);
  if (!isIssue(args)) return keepAnswer(`${name}, standard output`, stdout);
  for (const [, key = ''] of stdout.matchAll(/api_key\W+(\w+)/g)) keepKey(key);
  for (const [, secret = ''] of stdout.matchAll(/api_secret\W+(\w+)/g)) keepSecret(secret);
};

/** Files that hold a secret because that is what they are for; nobody but their owner may read them. */
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

/** To be called too before such a file is replaced: its old secret must not be found either. */
export const keepSecretsIn = (directory: string) => {
  for (const { name, path } of filesIn(directory).filter(isKeeper))
    keepSecret(keepers[name]?.exec(readFileSync(path, 'utf8'))?.[1] ?? '');
};

/** A home whose engines are searched at the end. */
export const keepHome = (home: Stores) => {
  homes.push(home);
};

export const keepContents = async (home: Stores) => {
  // Loaded where there are engines: their clients take longer to load than most specs to run.
  const { contentsOf } = await import('./engine-contents.js');
  for (const [name, contents] of Object.entries(await contentsOf(home))) keepAnswer(name, contents);
};

const engineMs = 30_000;

/** Copies what the engines hold, before they are closed; of those that a test left broken, the end of the run says so. */
export const keepAllContents = async () => {
  const late = async () => Promise.reject(new Error('no answer'));
  for (const home of homes.splice(0)) {
    const deadline = new AbortController();
    const patience = sleep(engineMs, undefined, { signal: deadline.signal }).then(late, () => undefined);
    await Promise.race([keepContents(home), patience]).catch((error: Error) => {
      report(`not searched for secrets: the engines of ${home.directory}, ${error.message}`);
    });
    deadline.abort();
  }
};

/** A place that holds a secret and must not, and in which form; not which secret, since this is printed. */
export type Leak = { readonly where: string; readonly form: string };

const fileProducts = (directories: readonly string[]): readonly Product[] =>
  directories
    .flatMap(filesIn)
    .filter((file) => !isKeeper(file))
    .map(({ path }) => ({ name: path, isLog: path.endsWith('.log'), read: () => readFileSync(path) }));

/** Looks for every secret in everything that was kept and in the files of these directories, by default all tests'. */
export const findLeaks = (directories = madeDirectories()): readonly Leak[] => {
  for (const directory of directories) keepSecretsIn(directory);
  const secretsIn = createSearch([...secrets].flatMap(formsOf));
  const keysIn = createSearch([...keys].flatMap(formsOf));
  return [...products, ...fileProducts(directories)].flatMap(({ name, isLog, read }) => {
    const bytes = Buffer.from(read() as string);
    return [...secretsIn(bytes), ...(isLog ? keysIn(bytes) : [])].map(({ form }) => ({ where: name, form }));
  });
};

/** What was searched need not be searched again. */
export const forgetProducts = () => {
  products.length = 0;
};

/** Files that hold a secret by design and that others than their owner may read. */
export const readableKeepers = (): readonly string[] =>
  madeDirectories()
    .flatMap(filesIn)
    .filter((file) => isKeeper(file) && (statSync(file.path).mode & 0o077) !== 0)
    .map(({ path }) => path);
