import { Address } from '@ton/core/dist/address/Address.js';

/** Explains how a text breaks one rule of an address format; null if the text follows the rule. */
type Rule = (input: string) => string | null;

/** Creates a function that explains the first of the given rules that an address breaks. */
const firstFault =
  (...rules: readonly Rule[]): ((input: string) => string) =>
  (input) => {
    for (const rule of rules) {
      const fault = rule(input);
      if (fault !== null) return fault;
    }
    return 'is not in an address format of this chain';
  };

/**
 * Creates the rules for an address that consists of `head` and hex digits. `counts` lists the allowed numbers of
 * digits; `where` describes the position of the digits in error messages, such as `after 0x`.
 */
const hexAfter = (head: string, counts: readonly number[], where: string): readonly Rule[] => [
  (input) => (input.startsWith(head) ? null : `must begin with ${head}`),
  (input) => {
    const place = input.slice(head.length).search(/[^0-9a-fA-F]/);
    return place < 0 ? null : `must have only hex digits ${where}; character ${head.length + place + 1} is not one`;
  },
  (input) => {
    const digits = input.length - head.length;
    return counts.includes(digits) ? null : `must have ${counts.join(' or ')} hex digits ${where}, has ${digits}`;
  },
];

/**
 * Rejects capitals in addresses of 40 digits. Every chain accepts addresses of this length, but capitals encode a
 * checksum only on EVM chains.
 */
const lowerCase: Rule = (input) =>
  input.length === 42 && /[A-F]/.test(input) ? 'must be in lower case when it has 40 hex digits' : null;

const checksum: Rule = () =>
  'does not match its EIP-55 checksum: a digit is mistyped or a letter has the wrong case. An address in lower case has no checksum';

export const evmFault = firstFault(...hexAfter('0x', [40], 'after 0x'), checksum);

export const suiFault = firstFault(...hexAfter('0x', [64, 40], 'after 0x'), lowerCase);

const tonHexFault = firstFault(...hexAfter('0x', [40], 'after 0x'), lowerCase);

const tonRawFault = firstFault(
  (input) => (/^(?:0|-1):/.test(input) ? null : 'must be in workchain 0 or -1, such as 0:…'),
  (input) => firstFault(...hexAfter(input.slice(0, input.indexOf(':') + 1), [64], 'after the colon'))(input),
);

const tonFriendlyFault = firstFault(
  (input) => {
    const place = input.search(/[^A-Za-z0-9+/_-]/);
    return place < 0
      ? null
      : `must be workchain:hash, or 48 characters of base64; character ${place + 1} is not base64`;
  },
  (input) => (input.length === 48 ? null : `must be workchain:hash, or have 48 characters, has ${input.length}`),
  (input) => {
    try {
      return `must be in workchain 0 or -1, is in ${Address.parseFriendly(input).address.workChain}`;
    } catch (error) {
      return /tag/.test(String(error))
        ? 'must begin with the tag of a bounceable or non-bounceable address, such as E, U, k or 0'
        : 'does not match its checksum: a character is mistyped';
    }
  },
);

/** Explains why a TON address is invalid. A colon or a leading 0x shows which of the three formats is meant. */
export const tonFault = (input: string): string => {
  if (input.includes(':')) return tonRawFault(input);
  return input.startsWith('0x') ? tonHexFault(input) : tonFriendlyFault(input);
};
