import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { until } from '../eventually.js';
import { freePort } from '../free-port.js';
import { freshDirectory } from '../run/directories.js';
import { rulesFile } from './expressions.js';

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0;

/** Reasons why a program of Prometheus cannot be used; null if it can. */
export const noPromtool = isInstalled('promtool') ? null : 'promtool is not installed (Debian: prometheus)';
export const noPrometheus = isInstalled('prometheus') ? null : 'prometheus is not installed (Debian: prometheus)';

export type Prometheus = {
  /** Calls the HTTP API and returns `data` of the answer; throws the error that Prometheus reports. */
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
};

/**
 * Writes the published configuration with `target` as the only target and a scrape interval of one second.
 */
const writeConfig = (directory: string, target: string) => {
  const published = parse(readFileSync('deploy/prometheus/prometheus.yml', 'utf8'));
  const [{ authorization: _, ...scrape }] = published.scrape_configs;
  const file = join(directory, 'prometheus.yml');
  const config = {
    ...published,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [resolve(rulesFile)],
    scrape_configs: [{ ...scrape, static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(file, stringify(config));
  return file;
};

/** Starts a Prometheus that scrapes one process of the service and evaluates the published rules. */
export const startPrometheus = async (target: string): Promise<Prometheus> => {
  const directory = freshDirectory();
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${writeConfig(directory, target)}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('Prometheus is ready', isReady);
  return {
    get: async (path) => {
      const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.data;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
};
