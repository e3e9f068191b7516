import type { Interest, Touch } from '../../../../application/ports/chain.js';
import type { Raw } from '../../../nodes/raw.js';
import { addressIn } from '../abi.js';

type Sent = { readonly from: string };
type Done = Raw & { readonly logs: readonly Raw[] };

const zeroAddress = `0x${'0'.repeat(40)}`;
const noGas = /^0x0*$/;

/**
 * Returns whether the network itself created a transaction, such as a state sync of Polygon: nobody can sign for the
 * zero address, and every other transaction uses gas. Some nodes do not trace such a transaction, and the block's bloom
 * filter omits its logs.
 */
export const isSystem = ({ from }: Sent, { gasUsed }: Raw): boolean =>
  from === zeroAddress && noGas.test(String(gasUsed));

const topicsOf = ({ logs }: Done): readonly unknown[] =>
  logs.flatMap(({ topics }) => (Array.isArray(topics) ? topics : []));

/**
 * Returns touches for the watched addresses in the logs of system transactions: their coins may have moved without a
 * trace.
 */
export const systemTouches = (
  transactions: readonly Sent[],
  receipts: readonly Done[],
  interest: Interest,
): readonly Touch[] => {
  const made = receipts.filter((receipt, i) => isSystem(transactions[i] as Sent, receipt));
  const named = new Set(made.flatMap(topicsOf).flatMap((topic) => addressIn(topic) ?? []));
  return [...named].filter((address) => interest.address(address)).map((address) => ({ address, reason: 'system' }));
};
