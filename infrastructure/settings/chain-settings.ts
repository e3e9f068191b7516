import { chains, networks } from '../../domain/variant.js';
import type { Setting } from './setting.js';

const amount = { kind: 'number', min: 0, max: 999_999_999 } as const;

export const chainSettings: readonly Setting[] = chains.flatMap(({ tag }): Setting[] => [
  {
    name: `CHAIN_${tag}_URL`,
    kind: 'list',
    isSecret: true,
    description: `Node URLs of chain ${tag}, or "off". Absent: the development chain, or off in production.`,
  },
  {
    name: `CHAIN_${tag}_ARCHIVE_URL`,
    kind: 'list',
    isSecret: true,
    description: `Nodes with blocks that the nodes of CHAIN_${tag}_URL have pruned. Only for Sui.`,
  },
  {
    name: `CHAIN_${tag}_HEAD_AGE_SECONDS`,
    ...amount,
    description: `Age in seconds at which the newest block of chain ${tag} raises an alarm; 0: never.`,
  },
]);

export const gatewaySettings: readonly Setting[] = chains.flatMap(({ tag, segment }) =>
  networks.flatMap((network): Setting[] => {
    const prefix = `GATEWAY_${tag}_${network.toUpperCase()}`;
    const address = `gateway address ${segment}/${network}`;
    return [
      { name: `${prefix}_URLS`, kind: 'list', isSecret: true, description: `Node URLs of ${address}.` },
      { name: `${prefix}_CHAIN_ID`, kind: 'text', description: `Chain id of ${address}, decimal or 0x…` },
      {
        name: `${prefix}_NODE_UNITS_PER_SECOND`,
        ...amount,
        min: 1,
        description: `Units that the calls to each node of ${address} may use per second.`,
      },
      {
        name: `${prefix}_AGREEMENT`,
        kind: 'number',
        min: 1,
        max: 9,
        byDefault: 1,
        description: `Number of nodes of ${address} that must agree on an answer.`,
      },
      { name: `${prefix}_METHODS`, kind: 'list', description: `Additional methods of ${address}.` },
    ];
  }),
);
