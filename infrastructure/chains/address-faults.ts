import { Address } from '@ton/core';

/** Says how a text breaks one rule of an address; null when it keeps the rule. */
type Rule = (input: string) => string | null;

/** Names the first rule that is broken, in the order in which a person would look. */
const firstFault =
  (...rules: readonly Rule[]): ((input: string) => string) =>
  (input) => {
    for (const rule of rules) {
      const fault = rule(input);
      if (fault !== null) return fault;
    }
    return 'is not in a form that this chain has';
  };

/** Rules of an address that is `head` followed by hex digits, as many as one of `counts`. */
const hexAfter = (head: string, counts: readonly number[], where: string): readonly Rule[] => [
  (input) => (input.startsWith(head) ? null : `must begin with ${head}`),
  (input) => {
    const place = input.slice(head.length).search(/[^0-9a-fA-F]/);
    return place < 0 ? null : `must have hex digits only ${where}, character ${head.length + place + 1} is not one`;
  },
  (input) => {
    const digits = input.length - head.length;
    return counts.includes(digits) ? null : `must have ${counts.join(' or ')} hex digits ${where}, has ${digits}`;
  },
];

/** Addresses of 40 digits are taken on every chain, but only EVM chains have a checksum for capitals. */
const lowerCase: Rule = (input) =>
  input.length === 42 && /[A-F]/.test(input) ? 'must be in lower case when it has 40 hex digits' : null;

const checksum: Rule = () =>
  'breaks the checksum of EIP-55: a digit is mistyped or a letter has the wrong case; an address in lower case has no checksum';

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
        : 'breaks its checksum: a character is mistyped';
    }
  },
);

/** Names the broken rule of the form that the text is in: a colon or 0x tells which of the three forms it is. */
export const tonFault = (input: string): string => {
  if (input.includes(':')) return tonRawFault(input);
  return input.startsWith('0x') ? tonHexFault(input) : tonFriendlyFault(input);
};
