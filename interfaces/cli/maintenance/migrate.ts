import { type MoveStep, move } from '../../../application/maintenance/migrate.js';
import { oneOf } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { barOf, createProgressLine } from '../command/progress-line.js';

const targets = ['services', 'embedded'] as const;

const textOf = ({ step, done, events }: MoveStep) =>
  `${step.padEnd(9)} ${barOf(Math.floor(Math.min(1, done) * 100))}  ${events} events`;

export const migrate: Command = {
  words: 'migrate',
  summary: 'Copy events, vault and process state from the embedded stores to the services, or back, and verify them.',
  options: {
    to: {
      type: 'string',
      value: targets.join('|'),
      summary: 'Where to; empty, or what an interrupted move left.',
      required: true,
    },
  },
  details: () =>
    'The embedded stores are those of CHAINFOLD_DATA_DIR, the services those of EVENTSTORE_URL, MONGODB_URL and REDIS_URL.\nStop everything that uses either first; docs/operations.md has the steps.',
  run: async ({ options, openMigration, print, draw, complain }) => {
    const to = oneOf('--to', options.to, targets);
    const { ports, close } = await openMigration(to);
    try {
      const write = (step: MoveStep) => complain(JSON.stringify(step));
      const progress = createProgressLine<MoveStep>(draw, { text: textOf, write });
      const { events, organizations, hash, keys, processes, resumed } = await move(ports, (step) =>
        progress.tell(step.step, () => step),
      );
      progress.end();
      print(
        { to, events, organizations, hash, keys, processes, resumed },
        [
          `${events} events of ${organizations} organizations are the same in both, SHA-256 ${hash}`,
          `${keys} keys of the vault and what ${processes} processes remember are there too`,
          `start the service on the ${to === 'services' ? 'services' : 'embedded stores'}; it makes the read models anew`,
        ].join('\n'),
      );
    } finally {
      await close();
    }
  },
};
