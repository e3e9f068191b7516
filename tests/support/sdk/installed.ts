import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freshDirectory } from '../run/directories.js';

const run = promisify(execFile);
const isMissing = (...command: [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status !== 0;

type Environment = Readonly<Record<string, string>>;
/** Empty project into which an SDK was installed from a packed artifact. */
type Project = {
  readonly directory: string;
  readonly environment: Environment;
  /** Runs a program of the project, and returns its output. */
  readonly run: (program: string, args: readonly string[], environment?: Environment) => Promise<string>;
};
export type Language = {
  readonly name: string;
  /** Reason why the language cannot be tested on this machine; null if it can. */
  readonly missing: string | null;
  readonly install: () => Promise<Project>;
  /** Runs the scenario with the test tool of the language. */
  readonly runScenario: (project: Project, environment: Environment) => Promise<string>;
  /** File name for a program from a page of the documentation, and the command that runs the file. */
  readonly program: { readonly file: string; readonly command: readonly [string, ...string[]] };
};

const projectIn = (directory: string, given: Environment = {}): Project => {
  const { PATH = '', HOME = '' } = process.env;
  const environment = { PATH, HOME, ...given };
  return {
    directory,
    environment,
    run: async (program, args, more = {}) => {
      const options = { cwd: directory, env: { ...environment, ...more }, maxBuffer: 1e8 };
      const { stdout } = await run(program, args, options).catch((error) =>
        Promise.reject(new Error(`${program} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`)),
      );
      return stdout;
    },
  };
};

/** Copies the sources of an SDK, because its build must leave the repository as it is. */
const copyOf = (folder: string) => {
  const directory = freshDirectory();
  cpSync(join('sdk', folder), directory, { recursive: true, filter: (path) => !/\/(dist|__pycache__)$/.test(path) });
  return projectIn(directory);
};
const packedIn = (directory: string, extension: string) => {
  const file = readdirSync(directory).find((name) => name.endsWith(extension));
  if (file === undefined) throw new Error(`${directory} has no ${extension}`);
  return join(directory, file);
};

const installTypeScript = async () => {
  const source = copyOf('typescript');
  await source.run(process.execPath, ['build.js'], { NODE_PATH: resolve('node_modules') });
  await source.run('npm', ['pack', '--ignore-scripts']);
  const project = projectIn(freshDirectory());
  writeFileSync(join(project.directory, 'package.json'), '{"private":true,"type":"module"}');
  const packed = packedIn(source.directory, '.tgz');
  await project.run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed]);
  return project;
};

const pip = ['-m', 'pip', '--disable-pip-version-check', '--no-input', '--no-cache-dir'];
const installPython = async () => {
  const source = copyOf('python');
  await source.run('python3', [...pip, 'wheel', '--no-deps', '--no-index', '-w', 'out', '.']);
  const directory = freshDirectory();
  const packages = join(directory, 'packages');
  const project = projectIn(directory, { PYTHONPATH: packages });
  const packed = packedIn(join(source.directory, 'out'), '.whl');
  await project.run('python3', [...pip, 'install', '--no-index', '--no-deps', '--target', packages, packed]);
  return project;
};

const goModule = 'github.com/chainfold/chainfold/sdk/go';
const installGo = async () => {
  const source = copyOf('go');
  const packed = join(freshDirectory(), 'chainfold.tgz');
  await source.run('tar', ['-czf', packed, '--exclude', '*_test.go', '.']);
  const project = projectIn(freshDirectory(), { GOPROXY: 'off', GOFLAGS: '-mod=mod' });
  mkdirSync(join(project.directory, 'chainfold'));
  await project.run('tar', ['-xzf', packed, '-C', 'chainfold']);
  await project.run('go', ['mod', 'init', 'example.com/empty']);
  await project.run('go', ['mod', 'edit', '-require', `${goModule}@v0.0.0`, '-replace', `${goModule}=./chainfold`]);
  return project;
};

/** Wraps an installation so that it runs only once for all tests of a file. */
const once = (install: () => Promise<Project>) => {
  let project: Promise<Project> | undefined;
  return () => (project ??= install());
};

const copyTest = ({ directory }: Project, file: string) =>
  cpSync(join('sdk', file), join(directory, file.split('/').at(-1) ?? ''));

export const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    missing: null,
    install: once(installTypeScript),
    runScenario: (project, environment) => {
      copyTest(project, 'typescript/test/scenario.test.js');
      return project.run(process.execPath, ['--test', 'scenario.test.js'], environment);
    },
    program: {
      file: 'program.ts',
      command: [process.execPath, '--import', resolve('node_modules/tsx/dist/loader.mjs'), 'program.ts'],
    },
  },
  {
    name: 'Python',
    missing: isMissing('python3', '-c', 'import pip, sys; assert sys.version_info >= (3, 10)')
      ? 'python3 from 3.10 with pip is not here'
      : null,
    install: once(installPython),
    runScenario: (project, environment) => {
      copyTest(project, 'python/tests/test_scenario.py');
      return project.run('python3', ['-m', 'unittest', 'test_scenario'], environment);
    },
    program: { file: 'program.py', command: ['python3', '-u', 'program.py'] },
  },
  {
    name: 'Go',
    missing: isMissing('go', 'version') ? 'go is not here' : null,
    install: once(installGo),
    runScenario: (project, environment) => {
      copyTest(project, 'go/scenario_test.go');
      return project.run('go', ['test', '-count=1', '.'], environment);
    },
    program: { file: 'main.go', command: ['go', 'run', '.'] },
  },
];
