import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig } from '../../infrastructure/config.js';
import { freshDirectory } from '../support/directories.js';
import { skip } from '../support/skip.js';

const composeFile = readFileSync('docker-compose.yml', 'utf8');

describe('deployment', () => {
  it('runs from the compiled files alone, as in the image', () => {
    const image = freshDirectory();
    for (const part of ['package.json', 'bin', 'dist']) cpSync(part, join(image, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(image, 'node_modules'));
    const output = execFileSync(process.execPath, ['bin/chainfold.js', '--help'], { cwd: image, encoding: 'utf8' });
    assert.match(output, /serve/);
  });

  it('gives the containers settings that the service takes', () => {
    const given = [...composeFile.matchAll(/^ {4}((?:CHAINFOLD|EVENTSTORE|MONGODB|REDIS|CHAIN)_\w+): (\S+)/gm)];
    const environment = Object.fromEntries(
      given.map(([, name, value = '']) => [name, value.startsWith('$') ? '' : value]),
    );
    const config = readConfig({ ...environment, CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) });
    assert.equal(config.eventStoreUrl, 'esdb://eventstore:2113?tls=false');
    assert.equal(config.mongodbUrl, 'mongodb://mongo:27017/chainfold?replicaSet=rs0');
    assert.equal(config.redisUrl, 'redis://redis:6379');
  });

  it('has a compose file that docker accepts', function () {
    if (spawnSync('docker', ['compose', 'version']).status !== 0)
      return skip(this, 'docker compose config, since docker is not here');
    const env = { ...process.env, CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) };
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
});
