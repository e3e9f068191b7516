import type { ChainLog } from '../checked-block.js';

const topicLength = 66;
const wordDigits = 64;
const padding = '0'.repeat(24);
/**
 * Leading zero digits that mark a 32-byte word as a number. An address is padded with only 24 zeros, and finding a key
 * for an address that itself starts with 16 more zeros (eight bytes) is infeasible.
 */
const numberPadding = '0'.repeat(40);
/**
 * Number of 32-byte words at the start of a log's data that are searched for addresses. Bounded, because the data has
 * no maximum length.
 */
const maxWords = 4;

const addressAt = (text: string, start: number) => `0x${text.slice(start + 24, start + wordDigits).toLowerCase()}`;
const isAddressAt = (text: string, start: number) =>
  text.startsWith(padding, start) && !text.startsWith(numberPadding, start);

/** Calls `onAddress` with each address in a log's topics and in the first words of its data. */
export const eachParty = ({ topics, data }: ChainLog, onAddress: (address: string) => void): void => {
  if (Array.isArray(topics))
    for (let i = 1; i < topics.length; i++) {
      const topic: unknown = topics[i];
      if (typeof topic === 'string' && topic.length === topicLength && isAddressAt(topic, 2))
        onAddress(addressAt(topic, 2));
    }
  if (typeof data !== 'string') return;
  const end = Math.min(data.length, 2 + maxWords * wordDigits);
  for (let start = 2; start + wordDigits <= end; start += wordDigits)
    if (isAddressAt(data, start)) onAddress(addressAt(data, start));
};
