import { type Command, table } from '../command/command.js';

export const configShow: Command = {
  words: 'config show',
  summary: 'Show the settings in force and the source of each. Secrets are hidden.',
  options: {},
  run: async ({ settings: _, configFile, unknownSettings, print }) => {
    const listed = configFile.list();
    const warnings = unknownSettings();
    const rows = listed.map(({ name, value, from }) => ({ setting: name, value, from }));
    print({ settings: listed, warnings }, [table(rows, ''), ...warnings].join('\n'));
  },
};

export const configSchema: Command = {
  words: 'config schema',
  summary: 'Print the JSON Schema of chainfold.config.json, for editors.',
  options: {},
  run: async ({ configFile: { schema }, print }) => print(schema, JSON.stringify(schema, null, 2)),
};
