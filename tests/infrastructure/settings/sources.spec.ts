import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BadSetting } from '../../../infrastructure/settings/bad-setting.js';
import { configOf, nameFile, readSources } from '../../../infrastructure/settings/sources.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';

type Files = { readonly env?: string; readonly config?: string | object };

const directoryOf = ({ env, config }: Files) => {
  const directory = freshDirectory();
  if (env !== undefined) writeFileSync(join(directory, '.env'), env);
  if (config !== undefined)
    writeFileSync(
      join(directory, 'chainfold.config.json'),
      typeof config === 'string' ? config : JSON.stringify(config),
    );
  return directory;
};
const read = (files: Files, environment: Record<string, string> = {}) =>
  readSources({ ...environment, CHAINFOLD_CONFIG_DIR: directoryOf(files) });
const configIn = (files: Files, environment: Record<string, string> = {}) => configOf(read(files, environment));
const rejects = (files: Files, message: string | RegExp) =>
  assert.throws(() => configIn(files), { name: 'BadSetting', message });

describe('the settings of several sources', () => {
  it('come from the environment first, then from .env, then from chainfold.config.json', () => {
    const config = { CHAINFOLD_PORT: 1, CHAINFOLD_STUCK_SECONDS: 2, CHAINFOLD_HOST: 'three.example' };
    const env = 'CHAINFOLD_PORT=4\nCHAINFOLD_STUCK_SECONDS=5\n';
    const { port, stuckSeconds, host } = configIn({ config, env }, { CHAINFOLD_PORT: '6' });
    assert.deepEqual([port, stuckSeconds, host], [6, 5, 'three.example']);
  });
  it('skip an empty variable, as compose files pass it for one that is not set', () => {
    const config = { CHAINFOLD_PORT: 1 };
    assert.equal(configIn({ config, env: 'CHAINFOLD_PORT=\n' }, { CHAINFOLD_PORT: '' }).port, 1);
  });
  it('need no file', () => {
    assert.equal(configIn({}).port, 8080);
    assert.equal(configOf(readSources({ CHAINFOLD_CONFIG_DIR: '/nowhere' })).port, 8080);
    const directory = freshDirectory();
    mkdirSync(join(directory, '.env'));
    assert.equal(configOf(readSources({ CHAINFOLD_CONFIG_DIR: directory })).port, 8080);
  });
  it('know where each was read', () => {
    const { origins } = read({ config: { CHAINFOLD_HOST: 'a' }, env: 'CHAINFOLD_PORT=1' }, { CHAINFOLD_DEMO: 'false' });
    assert.deepEqual(
      [origins.CHAINFOLD_HOST, origins.CHAINFOLD_PORT, origins.CHAINFOLD_DEMO],
      ['chainfold.config.json', '.env', 'environment'],
    );
  });
});

describe('chainfold.config.json', () => {
  it('may have numbers, flags and lists instead of text', () => {
    const urls = ['https://one.example', 'https://two.example'];
    const values = { CHAINFOLD_PORT: 0, CHAINFOLD_DEMO: false, CHAIN_C_URL: urls, $schema: './chainfold.schema.json' };
    const asText = { CHAINFOLD_PORT: '0', CHAINFOLD_DEMO: 'false', CHAIN_C_URL: urls.join(',') };
    assert.deepEqual(configIn({ config: values }), configIn({ config: asText }));
    assert.deepEqual(configIn({ config: values }).chains.find(({ tag }) => tag === 'C')?.urls, urls);
  });
  it('is rejected with an unknown setting, and the closest known one is suggested', () => {
    rejects(
      { config: { CHAINFOLD_PROT: 1 } },
      'chainfold.config.json: unknown setting CHAINFOLD_PROT. Did you mean CHAINFOLD_PORT?',
    );
    rejects({ config: { zzz: 1 } }, 'chainfold.config.json: unknown setting zzz');
    rejects({ config: { CHAINFOLD_CONFIG_DIR: '.' } }, /unknown setting CHAINFOLD_CONFIG_DIR/);
  });
  it('is named with the setting whose value is invalid', () => {
    rejects({ config: { CHAINFOLD_PORT: 70_000 } }, /^chainfold\.config\.json: CHAINFOLD_PORT must be a port/);
    rejects(
      { config: { CHAINFOLD_PORT: null } },
      'chainfold.config.json: CHAINFOLD_PORT must be text, a number, true, false or a list of texts',
    );
    rejects({ config: { CHAIN_C_URL: [1] } }, /^chainfold\.config\.json: CHAIN_C_URL must be text/);
  });
  it('is rejected if it is not a JSON object, without quoting it', () => {
    rejects({ config: '{"CHAINFOLD_MASTER_KEY": s3cret}' }, 'chainfold.config.json: not valid JSON');
    for (const config of ['[]', '"a"', '1', 'null']) rejects({ config }, /^chainfold\.config\.json: must be an object/);
  });
});

describe('.env', () => {
  it('may have comments, quotes and settings of other programs', () => {
    const env = '# settings\nexport CHAINFOLD_HOST="a.example" # host\nOTHER=1\n\nCHAINFOLD_PORT=\'7\'\n';
    const { host, port } = configIn({ env });
    assert.deepEqual([host, port, read({ env }).warnings], ['a.example', 7, []]);
  });
  it('is named with the setting whose value is invalid', () => {
    rejects({ env: 'CHAINFOLD_PORT=http' }, /^\.env: CHAINFOLD_PORT must be a port/);
    const sources = read({ env: `CHAINFOLD_MASTER_KEY=${'ab'.repeat(32)}` }, { CHAINFOLD_PORT: '1' });
    const named = (text: string) => (nameFile(new BadSetting(text), sources) as Error).message;
    assert.equal(named('CHAINFOLD_MASTER_KEY is not the key'), '.env: CHAINFOLD_MASTER_KEY is not the key');
    assert.equal(named('CHAINFOLD_PORT is wrong'), 'CHAINFOLD_PORT is wrong');
  });
  it('must be readable', function () {
    if (process.getuid?.() === 0) return skip(this, 'an unreadable file, because root reads every file');
    const directory = directoryOf({ env: 'A=1' });
    chmodSync(join(directory, '.env'), 0o000);
    assert.throws(
      () => readSources({ CHAINFOLD_CONFIG_DIR: directory }),
      /^BadSetting: \.env cannot be read \(EACCES\)/,
    );
  });
});

describe('a variable that looks like a setting but is none', () => {
  it('is named with the closest known setting and its source', () => {
    const { warnings } = read({ env: 'CHAINFOLD_LOGLEVEL=warn\nGATEWAY_C_MAINET_URLS=x' }, { CHAINFOLD_DATADIR: 'x' });
    assert.deepEqual(warnings, [
      'Unknown setting CHAINFOLD_DATADIR in the environment. Did you mean CHAINFOLD_DATA_DIR?',
      'Unknown setting CHAINFOLD_LOGLEVEL in .env. Did you mean CHAINFOLD_LOG_LEVEL?',
      'Unknown setting GATEWAY_C_MAINET_URLS in .env. Did you mean GATEWAY_C_MAINNET_URLS?',
    ]);
  });
  it('is named without a suggestion if no setting is close', () =>
    assert.deepEqual(read({}, { CHAINFOLD_QQQQQQQQQQQQQQ: '1', CHAIN_ID: '1', OTHER: '2' }).warnings, [
      'Unknown setting CHAINFOLD_QQQQQQQQQQQQQQ in the environment. It has no effect.',
    ]));
});
