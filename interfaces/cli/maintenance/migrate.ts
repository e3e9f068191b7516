import { type MigrationProgress, migrateStores } from '../../../application/maintenance/migrate.js';
import { oneOf } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { barOf, createProgressLine } from '../command/progress-line.js';

const targets = ['services', 'embedded'] as const;

const textOf = ({ step, done, events }: MigrationProgress) =>
  `${step.padEnd(9)} ${barOf(Math.floor(Math.min(1, done) * 100))}  ${events} events`;

export const migrate: Command = {
  words: 'migrate',
  summary: 'Copy events, vault and process state from the embedded stores to the services, or back, and verify them.',
  options: {
    to: {
      type: 'string',
      value: targets.join('|'),
      summary: 'Target stores; they must be empty, or left by an interrupted migration.',
      required: true,
    },
  },
  details: () =>
    'The embedded stores are in CHAINFOLD_DATA_DIR; the services are at EVENTSTORE_URL, MONGODB_URL and REDIS_URL.\nStop every process that uses either of them first; see docs/operations.md for the steps.',
  run: async ({ options, openMigration, print, draw, printError: complain }) => {
    const to = oneOf('--to', options.to, targets);
    const { ports, close } = await openMigration(to);
    try {
      const write = (step: MigrationProgress) => complain(JSON.stringify(step));
      const progress = createProgressLine<MigrationProgress>(draw, { text: textOf, write });
      const { events, organizations, hash, keys, processes, resumed } = await migrateStores(ports, (step) =>
        progress.update(step.step, () => step),
      );
      progress.end();
      print(
        { to, events, organizations, hash, keys, processes, resumed },
        [
          `Verified: ${events} events of ${organizations} organizations are identical in both stores, SHA-256 ${hash}`,
          `Copied ${keys} vault keys and the state of ${processes} processes`,
          `Start the service on the ${to === 'services' ? 'services' : 'embedded stores'}; it rebuilds the read models`,
        ].join('\n'),
      );
    } finally {
      await close();
    }
  },
};
