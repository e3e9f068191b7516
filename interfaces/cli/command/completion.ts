import { type Command, type Option, sharedOptions } from './command.js';

/**
 * Words that shells propose after the typed words `after`. An `after` that ends in ` *` also matches if more words
 * follow.
 */
type WordRow = { readonly after: string; readonly words: readonly string[] };
type Table = {
  readonly words: readonly WordRow[];
  readonly options: readonly { readonly command: string; readonly options: readonly (readonly [string, Option])[] }[];
  /** Allowed values of each option with a fixed set of values. */
  readonly values: readonly { readonly option: string; readonly values: readonly string[] }[];
};

const valuesOf = ({ value = '' }: Option) => (/^[a-z]+([|,][a-z]+)+$/.test(value) ? value.split(/[|,]/) : []);

const unique = (words: readonly string[]) => [...new Set(words)];

/** Collects the words, options and values of all commands that shells complete. */
const tableOf = (commands: readonly Command[]): Table => {
  const groups = unique(commands.map(({ words }) => words.split(' ')[0] ?? ''));
  const inGroup = (group: string) =>
    commands.flatMap(({ words }) => (words.startsWith(`${group} `) ? [words.slice(group.length + 1)] : []));
  const parameters = commands.flatMap(({ words, candidates }) =>
    Object.entries(candidates?.() ?? {}).map(([before, next]) => ({ after: `${words} ${before}`.trim(), words: next })),
  );
  // Sorts the longest command names first, because bash and zsh use the first name with which the typed words begin.
  const options = commands
    .toSorted((a, b) => b.words.length - a.words.length)
    .map(({ words, options: own }) => ({ command: words, options: Object.entries({ ...own, ...sharedOptions }) }));
  const values = new Map(
    options.flatMap(({ options: own }) => own.map(([name, option]) => [name, valuesOf(option)] as const)),
  );
  return {
    words: [
      { after: '', words: groups },
      ...groups.map((group) => ({ after: group, words: inGroup(group) })).filter(({ words }) => words.length > 0),
      ...parameters,
    ],
    options,
    values: [...values].filter(([, list]) => list.length > 0).map(([option, list]) => ({ option, values: list })),
  };
};

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns the `case` statements that set `candidates` from `typed`, `previous` and `current`. Bash and zsh share them.
 */
const casesOf = ({ words, options, values }: Table) => {
  const pattern = (after: string) => (after.endsWith(' *') ? `${quoted(after.slice(0, -2))}*` : quoted(after));
  const row = (left: string, list: readonly string[]) => `      ${left}) candidates=${quoted(list.join(' '))} ;;`;
  return [
    '  case "$previous" in',
    ...values.map(({ option, values: list }) => `    --${option}) candidates=${quoted(list.join(' '))} ;;`),
    '  esac',
    '  if [[ -n "$candidates" ]]; then :',
    '  elif [[ "$current" == -* ]]; then',
    '    case "$typed" in',
    ...options.map(({ command, options: own }) =>
      row(
        `${quoted(command)}*`,
        own.map(([name]) => `--${name}`),
      ),
    ),
    "      '') candidates='--help --version' ;;",
    '    esac',
    '  else',
    '    case "$typed" in',
    ...words.map(({ after, words: list }) => row(pattern(after), list)),
    '    esac',
    '  fi',
  ].join('\n');
};

const bash = (
  table: Table,
) => `# Shell completion of chainfold for bash. Load it with: source <(chainfold completion bash)
_chainfold() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" typed='' candidates='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ "$word" == -* ]] || typed="\${typed:+$typed }$word"
  done
${casesOf(table)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _chainfold chainfold`;

const zsh = (table: Table) => `#compdef chainfold
# Shell completion of chainfold for zsh. Load it with: source <(chainfold completion zsh)
_chainfold() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" typed='' candidates='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] || typed="\${typed:+$typed }$word"
  done
${casesOf(table)}
  if [[ -n "$candidates" ]]; then compadd -- \${=candidates}; else _files; fi
}
compdef _chainfold chainfold`;

const fishOption = (command: string, [name, option]: readonly [string, Option]) => {
  const values = valuesOf(option);
  const value = option.type === 'string' ? ` -r${values.length > 0 ? ` -f -a ${quoted(values.join(' '))}` : ''}` : '';
  const about = `-l ${name}${option.short ? ` -s ${option.short}` : ''}${value} -d ${quoted(option.summary)}`;
  return `complete -c chainfold -n "__chainfold_begins ${quoted(command)}" ${about}`;
};

const fish = ({ words, options }: Table) =>
  [
    '# Shell completion of chainfold for fish. Load it with: chainfold completion fish | source',
    'function __chainfold_typed',
    '  set -l typed',
    '  for word in (commandline -opc)[2..-1]',
    "    string match -q -- '-*' $word; or set -a typed $word",
    '  end',
    '  echo "$typed"',
    'end',
    'function __chainfold_after',
    '  set -l typed (__chainfold_typed)',
    '  test "$typed" = "$argv"',
    'end',
    'function __chainfold_begins',
    '  set -l typed (__chainfold_typed)',
    '  string match -q -- "$argv*" "$typed"',
    'end',
    ...words.map(({ after, words: list }) => {
      const test = after.endsWith(' *')
        ? `__chainfold_begins ${quoted(after.slice(0, -2))}`
        : `__chainfold_after ${quoted(after)}`;
      return `complete -c chainfold -f -n "${test}" -a ${quoted(list.join(' '))}`;
    }),
    ...options.flatMap(({ command, options: own }) => own.map((option) => fishOption(command, option))),
  ].join('\n');

const scripts = { bash, zsh, fish } as const;
export const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** Returns the completion script of a shell. */
export const completionScript = (shell: keyof typeof scripts, commands: readonly Command[]): string =>
  scripts[shell](tableOf(commands));
