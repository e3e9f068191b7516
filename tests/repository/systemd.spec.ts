import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from '../support/run/directories.js';
import { skip } from '../support/run/skip.js';

const folder = 'deploy/systemd';
const services = ['chainfold.service', 'chainfold@.service'];
const noSystemd =
  spawnSync('systemd-analyze', ['--version']).status === 0 ? null : 'units, since systemd-analyze is not installed';

/** Copies the units, with the Node.js of this machine, and creates an instance of the template. */
const copyUnits = () => {
  const directory = freshDirectory();
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8').replace('/usr/bin/node', process.execPath);
    writeFileSync(join(directory, name.replace('@.', '@follower.')), text);
  }
  return ['chainfold.service', 'chainfold@follower.service', 'chainfold.target'].map((name) => join(directory, name));
};
const analyze = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
};
const settingsOf = (name: string) =>
  new Map(
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [
      key,
      value,
    ]),
  );

describe('the systemd units', () => {
  it('are valid for systemd-analyze verify', function () {
    if (noSystemd) return skip(this, noSystemd);
    const { status, text } = analyze('verify', ...copyUnits());
    assert.equal(status, 0, text);
    assert.equal(
      text
        .split('\n')
        .filter((line) => line.includes('chainfold'))
        .join('\n'),
      '',
    );
  });

  it('expose little to an attacker, by systemd-analyze security', function () {
    if (noSystemd) return skip(this, noSystemd);
    const [one = '', template = ''] = copyUnits();
    for (const unit of [one, template]) {
      const { status, text } = analyze('security', '--offline=true', '--threshold=20', unit);
      assert.equal(status, 0, text);
    }
  });

  for (const name of services)
    it(`run as an own user, keep data private and allow the time that a stop takes, in ${name}`, () => {
      const settings = settingsOf(name);
      const expected = {
        User: 'chainfold',
        NoNewPrivileges: 'yes',
        ProtectSystem: 'strict',
        StateDirectory: 'chainfold',
        StateDirectoryMode: '0700',
        Restart: 'on-failure',
        TimeoutStopSec: '30',
      };
      for (const [key, value] of Object.entries(expected)) assert.equal(settings.get(key), value, key);
    });

  it('differ only in the role, its settings and the target', () => {
    const [one, template] = services.map((name) => readFileSync(join(folder, name), 'utf8').split('\n')) as [
      string[],
      string[],
    ];
    const own = template.filter((line) => !one.includes(line));
    assert.ok(own.length > 0);
    for (const line of own) assert.match(line, /%i|chainfold\.target|of this role|^# One process/, line);
  });
});
