import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { readConfig } from '../../../infrastructure/config.js';
import { configFileSchema } from '../../../infrastructure/settings/schema.js';
import { settingNames, settings } from '../../../infrastructure/settings/table.js';

const sourcesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(directory, file), 'utf8'));

const namesIn = (text: string) => new Set(text.match(/\bCHAINFOLD_[A-Z][A-Z_]*[A-Z]\b/g));

describe('the table of settings', () => {
  it('has every setting once', () => assert.equal(settingNames.size, settings.length));
  it('has every setting that the code names', () => {
    const named = namesIn([...sourcesIn('infrastructure'), ...sourcesIn('interfaces')].join('\n'));
    assert.deepEqual(
      [...named].filter((name) => !settingNames.has(name)),
      [],
    );
  });
  it('has the defaults that the settings have', () => {
    const defaults = settings.flatMap(({ name, byDefault }) =>
      byDefault === undefined ? [] : [[name, String(byDefault)]],
    );
    const own = defaults.filter(([name]) => !name?.startsWith('GATEWAY_'));
    assert.deepEqual(readConfig(Object.fromEntries(own)), readConfig({}));
  });
  it('has the bounds of every number', () => {
    const key = 'ab'.repeat(32);
    const isAccepted = (name: string, value: number) => {
      try {
        readConfig({ CHAINFOLD_MASTER_KEY: key, [name]: String(value) });
        return true;
      } catch (error) {
        return !new RegExp(`^${name} must`).test((error as Error).message);
      }
    };
    for (const setting of settings)
      if (setting.kind === 'number') {
        const { name, min, max } = setting;
        const values = [min - 1, min, max, max + 1];
        assert.deepEqual([name, ...values.map((value) => isAccepted(name, value))], [name, false, true, true, false]);
      }
  });
  it('is the same as in docs/configuration.md', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const named = [...page.matchAll(/`([A-Z]+_[A-Z_]+|NODE_ENV)`/g)].map(([, name]) => name as string);
    assert.deepEqual(
      named.filter((name) => !settingNames.has(name)),
      [],
    );
    const missing = settings.filter(({ name }) => /^(?!CHAIN_|GATEWAY_)/.test(name) && !named.includes(name));
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });
});

describe('the schema of chainfold.config.json', () => {
  const isValid = new Ajv({ allowUnionTypes: true }).compile(configFileSchema);

  it('accepts values as numbers, flags, lists and text', () => {
    for (const config of [
      {},
      { $schema: './chainfold.schema.json', CHAINFOLD_PORT: 8080, CHAINFOLD_DEMO: false, CHAIN_C_URL: ['https://a'] },
      { CHAINFOLD_PORT: '8080', CHAINFOLD_DEMO: 'false', CHAIN_C_URL: 'https://a', CHAINFOLD_LOG_LEVEL: 'warn' },
    ])
      assert.ok(isValid(config), JSON.stringify(isValid.errors));
  });
  it('rejects unknown settings and values out of bounds', () => {
    for (const config of [
      { CHAINFOLD_PROT: 1 },
      { CHAINFOLD_PORT: 65_536 },
      { CHAINFOLD_PORT: 'http' },
      { CHAINFOLD_DEMO: 'yes' },
      { CHAINFOLD_LOG_LEVEL: 'loud' },
      { CHAIN_C_URL: 1 },
    ])
      assert.ok(!isValid(config), JSON.stringify(config));
  });
  it('describes every setting', () => {
    for (const [name, { description }] of Object.entries<{ description: string }>(configFileSchema.properties))
      assert.match(description, /^["A-Z].+/, name);
  });
  it('is published in chainfold.schema.json', () =>
    assert.deepEqual(JSON.parse(readFileSync('chainfold.schema.json', 'utf8')), configFileSchema));
});
