import { statfs } from 'node:fs/promises';
import type { MakeGauge, MetricSource } from './metric-sources.js';

/** Registers the gauges of the file system that holds the data directory. */
export const createDiskSource = (dataDirectory: string, gauge: MakeGauge): MetricSource => {
  const free = gauge('chainfold_disk_free_bytes', 'Bytes that the service can still write to its data directory.');
  const size = gauge('chainfold_disk_size_bytes', 'Size of the file system that holds the data directory.');
  return {
    name: 'disk',
    read: async () => {
      const { bavail, blocks, bsize } = await statfs(dataDirectory);
      return () => {
        free.set(bavail * bsize);
        size.set(blocks * bsize);
      };
    },
  };
};
