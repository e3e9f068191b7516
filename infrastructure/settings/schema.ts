import type { Setting } from './setting.js';
import { settings } from './table.js';

/** Returns the JSON Schema of one setting. Numbers and flags may also be text, as in the environment. */
const schemaOf = (setting: Setting): object => {
  switch (setting.kind) {
    case 'number':
      return { type: ['integer', 'string'], minimum: setting.min, maximum: setting.max, pattern: '^\\d+$' };
    case 'flag':
      return { enum: [true, false, 'true', 'false'] };
    case 'choice':
      return { enum: setting.allowed };
    case 'list':
      return { type: ['array', 'string'], items: { type: 'string' } };
    case 'text':
      return { type: 'string' };
  }
};

/** JSON Schema of `chainfold.config.json`, with which editors complete and check the file. */
export const configFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Settings of chainfold',
  description: 'chainfold.config.json. The environment and .env take precedence over this file.',
  type: 'object',
  properties: {
    $schema: { type: 'string', description: 'Location of this schema, for editors.' },
    ...Object.fromEntries(
      settings
        .filter(({ name }) => name !== 'CHAINFOLD_CONFIG_DIR')
        .map((setting) => {
          const { name, description, byDefault } = setting;
          return [name, { ...schemaOf(setting), description, ...(byDefault !== undefined && { default: byDefault }) }];
        }),
    ),
  },
  additionalProperties: false,
} as const;
