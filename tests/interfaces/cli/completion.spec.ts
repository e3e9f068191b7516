import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { completionScript, shells } from '../../../interfaces/cli/command/completion.js';
import { commands } from '../../../interfaces/cli/run.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { projections } from '../../../projections/index.js';
import { skip } from '../../support/run/skip.js';

const groups = [...new Set(commands.map(({ words }) => words.split(' ')[0] as string))];
const operations = endpoints.filter(({ variant }) => variant.segment === 'c').map(({ operation }) => operation.name);

/** Words that a person has typed, the last of them in part, and the candidates that shells offer. */
const cases: readonly (readonly [typed: string, candidates: readonly string[]])[] = [
  ['chainfold ', groups],
  ['chainfold cre', ['credential']],
  ['chainfold audit ', commands.flatMap(({ words }) => /^audit (\S+)$/.exec(words)?.[1] ?? [])],
  ['chainfold credential is', ['issue']],
  ['chainfold call ', ['t', 's', 'p', 'c', 'q', 'admin']],
  ['chainfold call c Register', operations.filter((name) => name.startsWith('Register'))],
  ['chainfold call c ListWallets --min', ['--min-position']],
  ['chainfold serve --ro', ['--role']],
  ['chainfold serve --role ', ['api', 'projector', 'follower', 'deliverer']],
  ['chainfold projections rebuild wal', projections.map(({ name }) => name).filter((name) => name.startsWith('wal'))],
  ['chainfold projections rebuild wallets addr', ['address_imports', 'addresses']],
  ['chainfold projections rebuild --co', ['--compare']],
  ['chainfold migrate --to ', ['services', 'embedded']],
  ['chainfold completion ', ['bash', 'zsh', 'fish']],
  ['chainfold --ver', ['--version']],
  ['chainfold audit verify nothing-such', []],
];

/** Calls the completion function with the variables that bash sets for it, and returns the offered candidates. */
const inBash = (typed: string): readonly string[] => {
  const words = typed.split(' ');
  const program = `${completionScript('bash', commands)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_chainfold; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p chainfold >&2`;
  return execFileSync('bash', ['--norc', '-u', '-c', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    .split('\n')
    .filter(Boolean);
};
const inFish = (typed: string): readonly string[] =>
  execFileSync('fish', ['--no-config', '-c', `${completionScript('fish', commands)}\ncomplete -C '${typed}'`], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0] as string);

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe('shell completion', () => {
  it('exists for bash, zsh and fish', () => assert.deepEqual(shells, ['bash', 'zsh', 'fish']));

  it('offers commands, APIs, operations, options and values in bash', function () {
    if (!isInstalled('bash')) return skip(this, 'completion in bash, which is not installed');
    for (const [typed, candidates] of cases)
      assert.deepEqual([typed, inBash(typed).toSorted()], [typed, candidates.toSorted()]);
  });
  it('is a valid script of zsh', function () {
    if (!isInstalled('zsh')) return skip(this, 'completion in zsh, which is not installed');
    execFileSync('zsh', ['-f', '-c', `autoload -U compinit && compinit -D\n${completionScript('zsh', commands)}`]);
  });
  it('offers commands and operations in fish', function () {
    if (!isInstalled('fish')) return skip(this, 'completion in fish, which is not installed');
    for (const [typed, candidates] of cases.filter(([line]) => !line.includes('-')))
      if (candidates.length > 0) assert.deepEqual([typed, inFish(typed).toSorted()], [typed, candidates.toSorted()]);
  });
  it('keeps values that a person must choose out of the candidates', () => {
    for (const shell of shells) assert.ok(!/\b(?:DOMAIN|SECRET|ID\|)/.test(completionScript(shell, commands)), shell);
  });
});
