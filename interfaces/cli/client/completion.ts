import { oneOf } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { completionScript, shells } from '../command/completion.js';

export const completion: Command = {
  words: 'completion',
  summary: 'Print the completion script of a shell: bash, zsh or fish.',
  parameters: ['<shell>'],
  options: {},
  candidates: () => ({ '': shells }),
  details: () =>
    [
      'bash  source <(chainfold completion bash)',
      'zsh   source <(chainfold completion zsh)',
      'fish  chainfold completion fish | source',
    ].join('\n'),
  run: async ({ parameters: [shell], commands, print }) => {
    const script = completionScript(oneOf('<shell>', shell, shells), commands);
    print({ script }, script);
  },
};
