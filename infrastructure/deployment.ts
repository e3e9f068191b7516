import { hostname } from 'node:os';
import type { Deployment } from '../application/processes/heartbeats.js';
import { chains as variants } from '../domain/variant.js';
import type { Config } from './config.js';
import { softwareVersion } from './software-version.js';

/**
 * Returns whether the settings name a chain to follow: one with configured nodes or, outside production, a development
 * chain.
 */
export const followsChains = ({ chains, production }: Pick<Config, 'chains' | 'production'>): boolean => {
  const followed = new Set<string>(variants.filter(({ surface }) => surface === 'wallet').map(({ tag }) => tag));
  return chains.some(
    ({ tag, urls }) => followed.has(tag) && (typeof urls === 'object' || (urls === 'unset' && !production)),
  );
};

/** Describes this process for the heartbeats that other processes read. */
export const deploymentOf = (config: Config): Deployment => ({
  host: hostname(),
  pid: process.pid,
  version: softwareVersion(),
  followsChains: followsChains(config),
});
