import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Check, fail, ok, warn } from '../../application/maintenance/finding.js';
import type { Config } from '../config.js';

const minNodeVersion = [20, 19] as const;
const gibibyte = 2 ** 30;
const freeBytes = { warn: 5 * gibibyte, fail: gibibyte / 2 };

const nodeVersion = async () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < minNodeVersion[0] || (major === minNodeVersion[0] && minor < minNodeVersion[1]);
  const found = `Node.js ${process.versions.node}`;
  return [isOld ? fail(found, `use Node.js ${minNodeVersion.join('.')} or later`) : ok(found)];
};

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));

const diskSpace = (directory: string) => async () => {
  const { bavail, bsize } = await statfs(existing(directory));
  const free = bavail * bsize;
  const found = `${(free / gibibyte).toFixed(1)} GiB free in ${directory}`;
  const advice = 'free some space, or move the data directory: a full disk stops all writes';
  if (free < freeBytes.fail) return [fail(found, advice)];
  return [free < freeBytes.warn ? warn(found, advice) : ok(found)];
};

const dataDirectory = (directory: string) => async () => {
  if (!existsSync(directory)) return [ok(`${directory} is created at the first start`)];
  const mode = statSync(directory).mode & 0o077;
  return [
    mode === 0
      ? ok(`only its owner can read ${directory}`)
      : warn(`other users can read ${directory}`, `run chmod 700 ${directory}`),
  ];
};

export const machineChecks = (config: Config): readonly Check[] => [
  { name: 'version of Node.js', run: nodeVersion, advice: '' },
  { name: 'data directory', run: dataDirectory(config.dataDirectory), advice: 'allow its owner to read it' },
  { name: 'disk space', run: diskSpace(config.dataDirectory), advice: 'check the file system with df' },
];
